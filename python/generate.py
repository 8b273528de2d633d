#!/usr/bin/env python3
"""Write the modules of the package that follow from the rest of the source.

    generate.py declarations INCLUDE_DIR OUTPUT CC [FLAG...]   what the headers declare, for cffi
    generate.py elements PROGRAM OUTPUT                        elements and keys of model files, as methods

Declarations go through the preprocessor alone. Elements are those of `PROGRAM list keys`, which prints the table that the
reader of model files checks keys by: a model written in Python has the same keys as a model file.
"""
import os
import re
import subprocess
import sys

NUMBER = re.compile(r"#\s*define\s+(PH_\w+)\s+(\d+)u?\b(?!\.)")


def preprocessed(include, compiler):
    """Text of our headers alone: line markers tell where each line comes from."""
    header = os.path.join(include, "polhode", "polhode.h")
    out = subprocess.run([*compiler, "-E", "-I", include, "-x", "c", header], check=True, capture_output=True, text=True).stdout
    root, ours, lines = os.path.realpath(include), False, []
    for line in out.splitlines():
        marker = re.match(r'#\s*(?:line)?\s*\d+\s+"([^"]*)"', line)
        if marker:
            ours = os.path.realpath(marker.group(1)).startswith(root + os.sep)
        elif ours and not line.startswith("#"):
            lines.append(line)
    return "\n".join(lines)


def without_inline(text):
    """Static inline functions cannot be called through a shared library."""
    out, at = [], 0
    for start in re.finditer(r"static inline ", text):
        if start.start() < at:
            continue
        out.append(text[at:start.start()])
        depth, at = 0, text.index("{", start.start())
        while True:
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
            if depth == 0:
                break
    return "".join(out) + text[at:]


def declarations(include, output, *compiler):
    import cffi

    text = without_inline(preprocessed(include, compiler))
    text = text.replace('__attribute__((visibility("default")))', "")
    for name in sorted(os.listdir(os.path.join(include, "polhode"))):
        if name.endswith(".h"):
            with open(os.path.join(include, "polhode", name), encoding="utf-8") as f:
                text += "".join(f"\n#define {k} {v}" for k, v in NUMBER.findall(f.read().replace("\\\n", " ")))
    ffi = cffi.FFI()
    ffi.set_source("polhode._declarations", None)
    ffi.cdef(text)
    ffi.emit_python_code(output)
    with open(output, encoding="utf-8") as f:
        code = f.read()
    with open(output, "w", encoding="utf-8") as f:
        f.write("# mypy: ignore-errors\n" + code)


# How a value is written in Python, by how `list keys` describes it.
HINTS = [
    (r"true or false", "bool"),
    (r"name|word|file.*", "str"),
    (r"name of .*", "str"),
    (r"names of two bodies", "Sequence[str]"),
    (r"list of words", "Sequence[str]"),
    (r"whole number.*|count.*", "int"),
    (r"number|number [<>=].*|number from.*", "Scalar"),
    (r"3 numbers.*", "Vector"),
    (r"function.*", "Function"),
]

HEAD = '''"""Elements of models and their keys: written by generate.py from the table of the model reader."""
from __future__ import annotations

from typing import Any, Sequence

from ._errors import checked_keys
from ._symbols import Function, Scalar, Vector

_GIVEN: Any = None  # a key that is not given


class Elements:
    """One method for each element of model files, with the same keys."""

    def _add(self, element: str, keys: dict[str, Any]) -> None:
        raise NotImplementedError
'''


def read_keys(text):
    """{element: [(name, value, required, text)]}, in the order of the table."""
    elements, group = {}, []
    for line in text.splitlines():
        if re.match(r"  \S.*:$", line):
            group = line.strip()[:-1].split(", ")
            for name in group:
                elements[name] = []
        elif line.startswith("    ") and group:
            name, others = line.split(None, 1)
            value, rest = re.split(r"\s{2,}", others, maxsplit=1)
            only = re.search(r" \(([a-z_, ]+)\)$", rest)
            names = only.group(1).split(", ") if only else []
            for element in group:
                if len(group) > 1 and only and set(names) <= set(group) and element not in names:
                    continue
                whole = "; required" in rest and (not only or len(group) > 1)
                elements[element].append((name, value, whole, re.sub(r"\s{2,}", "; ", rest)))
    return elements


def hint(value):
    return next((python for pattern, python in HINTS if re.fullmatch(pattern, value)), "Any")


def method(element, rows):
    keys = {}
    for name, value, required, text in rows:
        was = keys.get(name)
        keys[name] = (
            hint(value) if not was or was[0] == hint(value) else "Any",
            required and (not was or was[1]),
            (was[2] if was else []) + [f"{value}: {text}" if value else text],
        )
    if "type" in keys and any("type may then be left out" in text for _, _, texts in keys.values() for text in texts):
        keys["type"] = (keys["type"][0], False, keys["type"][2])
    order = sorted(keys, key=lambda k: not keys[k][1])
    # keywords of Python: `from` of beams is written from_
    spelled = {k: k + "_" if k in ("from", "in", "is", "as", "if", "for", "lambda", "class", "with") else k for k in order}
    arguments = [f"{spelled[k]}: {keys[k][0]}" + ("" if keys[k][1] else " | None = _GIVEN") for k in order]
    lines = ["    @checked_keys", f"    def {element}(self, *, " + ", ".join(arguments) + ") -> None:"]
    lines.append(f'        r"""Add `{element}`.')
    lines.append("")
    for k in order:
        for text in keys[k][2]:
            lines.append(f"        {spelled[k]}: {text}")
    lines.append('        """')
    pairs = ", ".join(f'"{k}": {spelled[k]}' for k in order)
    lines.append(f'        self._add("{element}", {{{pairs}}})')
    return "\n".join(lines)


def elements(program, output):
    text = subprocess.run([program, "list", "keys"], check=True, capture_output=True, text=True).stdout
    table = read_keys(text)
    if not table.get("body") or not table.get("run"):
        sys.exit(f"generate.py: '{program} list keys' prints no elements")
    with open(output, "w", encoding="utf-8") as f:
        f.write(HEAD)
        for element, rows in table.items():
            f.write("\n" + method("options" if element == "run" else element, rows).replace('"options"', '"run"') + "\n")
        options = ", ".join(f'"{row[0]}"' for row in table["run"])
        f.write(f"\n\nOPTIONS = ({options})\n")
        f.write("\n# Arguments of functions, by element and key.\nFUNCTIONS = {\n")
        for element, rows in table.items():
            for name, value, _, text in rows:
                function = re.search(r"function\((.*?)\)", value) or re.search(r"a value may be a function\((.*?)\)", text)
                if function:
                    f.write(f'    ("{element}", "{name}"): "{function.group(1)}",\n')
        f.write("}\n")


if __name__ == "__main__":
    {"declarations": declarations, "elements": elements}[sys.argv[1]](*sys.argv[2:])
