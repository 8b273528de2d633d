"""Sums up what gcov has counted: scripts/coverage calls it with the folder of the build, that of the report, the list of what is left, and
after all tests with check or write: compare what is left with the list, or write it anew; reasons stay."""

import collections
import concurrent.futures
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile

build, report, listed = map(os.path.abspath, sys.argv[1:4])
todo = sys.argv[4] if len(sys.argv) > 4 else ""
root = os.getcwd()


def count(note: str) -> list[tuple[str, int, str, int, list[int]]]:
    """Each line of ours in one object: file, number, function, how often it ran, how often each way out of it was taken."""
    found = []
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run(["gcov", "-b", "--json-format", note], cwd=scratch, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for name in os.listdir(scratch):
            with gzip.open(os.path.join(scratch, name)) as f:
                data = json.load(f)
            for file in data["files"]:
                path = os.path.relpath(os.path.join(data["current_working_directory"], file["file"]), root)
                if path.startswith(("src/", "include/")) and os.path.exists(path):  # not what an older build left
                    for line in file["lines"]:
                        ways = [b["count"] for b in line["branches"]]
                        found.append((path, line["line_number"], line.get("function_name", ""), line["count"], ways))
    return found


lines: dict[str, dict[int, int]] = collections.defaultdict(lambda: collections.defaultdict(int))
branches: dict[str, dict[tuple[int, int], int]] = collections.defaultdict(lambda: collections.defaultdict(int))
functions: dict[tuple[str, int], str] = {}
notes = [os.path.join(d, f) for d, _, files in os.walk(build) for f in files if f.endswith(".gcno")]
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    for found in pool.map(count, notes):
        for path, at, function, n, ways in found:
            lines[path][at] += n
            functions[path, at] = function.split(".")[0]
            for k, taken in enumerate(ways):
                branches[path][at, k] += taken

folders: dict[str, list[int]] = collections.defaultdict(lambda: [0, 0, 0, 0])
for path in lines:
    sums = [
        sum(n > 0 for n in lines[path].values()), len(lines[path]),
        sum(n > 0 for n in branches[path].values()), len(branches[path]),
    ]
    for folder in (os.path.dirname(path), "all"):
        folders[folder] = [a + b for a, b in zip(folders[folder], sums)]


def share(part: int, whole_: int) -> str:
    return f"{100 * part / whole_:6.2f} % of {whole_}" if whole_ else "-"


print(f"{'folder':<24}{'lines':<22}{'branches':<22}")
for folder in sorted(folders, key=lambda f: (f == "all", f)):
    a, b, c, d = folders[folder]
    print(f"{folder:<24}{share(a, b):<22}{share(c, d):<22}")
missed = sorted(lines, key=lambda p: -sum(n == 0 for n in lines[p].values()))
print("\nlines that no test runs, most first:")
for path in missed[:20]:
    print(f"{sum(n == 0 for n in lines[path].values()):6}  {path}")

left: dict[tuple[str, str], int] = collections.defaultdict(int)
texts: dict[tuple[str, str], list[str]] = collections.defaultdict(list)
os.makedirs(report, exist_ok=True)
with open(os.path.join(report, "lines.txt"), "w") as out, open(os.path.join(report, "branches.txt"), "w") as ways_out:
    for path in sorted(lines):
        text = open(path).read().splitlines()
        for at in sorted(lines[path]):
            ways = [n for (line, _), n in branches[path].items() if line == at]
            if lines[path][at] == 0:
                left[path, functions[path, at]] += 1
                texts[path, functions[path, at]].append(text[at - 1])
                print(f"{path}:{at}: {functions[path, at]}: {text[at - 1].strip()}", file=out)
            elif 0 in ways:
                print(f"{path}:{at}: {ways.count(0)} of {len(ways)}: {text[at - 1].strip()}", file=ways_out)

# What is left has a row with its reason: | file | function | lines | reason |
rows: dict[tuple[str, str], tuple[int, str]] = {}
head = []
for row in open(listed) if os.path.exists(listed) else []:
    cells = re.match(r"\| `([^`]+)` \| `(\w*)` \| (\d+) \| (.+) \|$", row)
    if cells:
        rows[cells[1], cells[2]] = int(cells[3]), cells[4]
    elif not rows:
        head.append(row)


KINDS = [  # what lines that are left tell of themselves
    ("memory that does not suffice", r"memory|MEMORY|no_room|failed = 1"),
    ("a call that fails", r"^\s*return (s|status|code|NULL|0|NAN);|strerror|errno"),
    ("input that is refused", r"_fail\(|REFUSE|refuse|complain|_stop\(|bad\("),
]


def reason_of(key: tuple[str, str]) -> str:
    """As it is in the list; else what the lines themselves tell; braces, names and what goes with a return tell nothing."""
    if key in rows:
        return rows[key][1]
    said = [t for t in texts[key] if re.search(r"[a-z].*[(;]", t)]
    for words, pattern in KINDS:
        if said and all(re.search(pattern, t) for t in said):
            return words
    return "no test yet"


if todo == "write":
    a, b, c, d = folders["all"]
    head = [re.sub(r"^Lines [0-9.]+ .*", f"Lines {100 * a / b:.2f} % of {b}, branches {100 * c / d:.2f} % of {d}.", row) for row in head]
    with open(listed, "w") as out:
        out.writelines(head)
        for key, n in sorted(left.items()):
            print(f"| `{key[0]}` | `{key[1]}` | {n} | {reason_of(key)} |", file=out)
elif todo == "check":
    new = [f"  {path} {function}: {n} lines" for (path, function), n in sorted(left.items()) if n > rows.get((path, function), (0,))[0]]
    gone = [f"  {path} {function}" for path, function in sorted(rows) if (path, function) not in left]
    if new:
        print(f"\nnot run, and not in {os.path.relpath(listed, root)}:", *new, sep="\n")
    if gone:
        print(f"\nrun now, and still in {os.path.relpath(listed, root)}:", *gone, sep="\n")
    sys.exit(1 if new or gone else 0)
