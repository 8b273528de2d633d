"""What the documents print as Python runs, and the notebooks run from top to bottom."""
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "python" / "examples").glob("*.ipynb"))


def blocks():
    for page in (ROOT / "python" / "README.md", ROOT / "README.md"):
        for k, block in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(), re.S)):
            yield pytest.param(block, id=f"{page.parent.name}/{page.name}-{k + 1}")


@pytest.mark.parametrize("code", blocks())
def test_blocks(code):
    if "scipy" in code:
        pytest.importorskip("scipy")
    for word in ("plot", "to_pandas"):
        if word in code:
            pytest.importorskip("matplotlib"), pytest.importorskip("pandas")
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebooks(path):
    """Code cells one after the other, as a notebook does; outputs that are kept are small."""
    for module in ("matplotlib", "scipy"):
        pytest.importorskip(module)
    notebook = json.loads(path.read_text())
    assert len(path.read_text()) < 60_000, "bulky output"
    cells = [c for c in notebook["cells"] if c["cell_type"] == "code"]
    code = "\n".join("".join(c["source"]) for c in cells)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    printed = "".join("".join(o.get("text", "")) for c in cells for o in c["outputs"] if o["output_type"] == "stream")
    assert done.stdout.split() == printed.split(), "the notebook prints something else than it keeps"


def test_there_are_notebooks():
    assert len(NOTEBOOKS) >= 4
