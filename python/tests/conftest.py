"""What all tests share: models by name, and pictures without a screen."""
import os
from pathlib import Path

import pytest

os.environ.setdefault("MPLBACKEND", "Agg")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def models():
    """The folder of models that come with the library."""
    return ROOT / "models"


@pytest.fixture(autouse=True)
def at_root(monkeypatch):
    """Examples in the documents name files from there."""
    monkeypatch.chdir(ROOT)
