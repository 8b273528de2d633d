"""The package itself: types, where the library is found, what the generator writes."""
import ast
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest

import polhode as ph

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(ph.__file__).parent


def test_types(tmp_path):
    """mypy --strict has nothing to say."""
    if which("mypy") is None:
        pytest.skip("no mypy here")
    command = ["mypy", "--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(tmp_path), str(PACKAGE)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def imports(**environment):
    """What `import polhode` prints in a process of its own."""
    code = "import polhode; from polhode._native import LIBRARY; print(LIBRARY)"
    env = {k: v for k, v in os.environ.items() if k not in ("POLHODE_LIBRARY", "PYTHONPATH")}
    done = subprocess.run([sys.executable, "-c", code], env={**env, **environment}, capture_output=True, text=True, cwd="/")
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


def test_finds_the_library():
    from polhode._native import LIBRARY

    source, library = str(ROOT / "python"), str(LIBRARY)
    assert imports(PYTHONPATH=source, POLHODE_LIBRARY=library) == library  # the sources, with the modules of the build
    assert Path(imports(PYTHONPATH=str(PACKAGE.parent))).resolve() == Path(library).resolve()  # the build tree by itself
    assert "names 'nowhere.so'" in imports(PYTHONPATH=source, POLHODE_LIBRARY="nowhere.so")


def generator():
    spec = importlib.util.spec_from_file_location("generate", ROOT / "python" / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_old_pythons_can_read_it():
    """The grammar is that of Python 3.9."""
    for module in PACKAGE.glob("*.py"):
        ast.parse(module.read_text(), str(module), feature_version=(3, 9))


def test_declarations():
    """Every function of the headers can be called."""
    from polhode._native import lib

    for header in (ROOT / "include" / "polhode").glob("*.h"):
        for name in re.findall(r"^PH_API [^;]*?\b(ph_\w+)\(", header.read_text(), re.M):
            assert callable(getattr(lib, name)), name


def test_elements():
    """Keys are those that the program lists, and of the right elements."""
    g = generator()
    table = g.read_keys("  body, particle:\n    name             name   by which; required\n    inertia          3 numbers   kg   J; required (body)\n")
    assert [row[0] for row in table["body"]] == ["name", "inertia"] and [row[0] for row in table["particle"]] == ["name"]
    assert table["body"][0][2] and g.hint("3 numbers") == "Vector" and g.hint("something else") == "Any"
