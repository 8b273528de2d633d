"""The program `polhode`: where it is, and its commands with JSON as answers."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import warnings
from contextlib import contextmanager
from typing import Any, Iterator, Protocol, Sequence, Union, runtime_checkable

from ._errors import CompileWarning, NumericalFailure, UsageError
from ._native import HERE, LIBRARY, model_error


@runtime_checkable
class HasText(Protocol):
    """A model that is no file."""

    @property
    def file(self) -> str: ...

    @property
    def reads_files(self) -> bool: ...

    @property
    def called(self) -> list[str]: ...

    @property
    def text(self) -> str: ...


AnyModel = Union[str, "os.PathLike[str]", HasText]


def program() -> str:
    """Path of the program `polhode`: POLHODE_PROGRAM, beside the library, or on the path."""
    told = os.environ.get("POLHODE_PROGRAM")
    if told:
        return told
    folder = LIBRARY.resolve().parent
    prefixes = [HERE, folder, *folder.parents[:3]]
    for path in [p / "polhode" for p in prefixes] + [p / "bin" / "polhode" for p in prefixes]:
        if path.is_file() and os.access(path, os.X_OK):
            return str(path)
    found = shutil.which("polhode")
    if found is None:
        raise UsageError("studies need the program polhode: set POLHODE_PROGRAM to its path")
    return found


@contextmanager
def model_file(model: AnyModel | None) -> Iterator[list[str]]:
    """The model as an argument of the program; one written in Python or as text becomes a file for that long."""
    if model is None:
        yield []
    elif isinstance(model, HasText):
        if model.called:
            raise UsageError(f"{', '.join(model.called)}: a function that is called in Python; pages and studies run in the program, which has no Python")
        folder = os.path.dirname(model.file) or "."
        with tempfile.NamedTemporaryFile("w", suffix=".lua", prefix=".polhode-", dir=folder if model.reads_files else None) as f:
            f.write(model.text)
            f.flush()
            yield [f.name]
    else:
        if not os.path.isfile(model):
            raise FileNotFoundError(2, "there is no model file", os.fspath(model))
        yield [os.fspath(model)]


def run_program(command: str, model: AnyModel | None, arguments: Sequence[str]) -> dict[str, Any]:
    """One command with --json: its object, or an exception in its words."""
    with model_file(model) as file:
        done = subprocess.run([program(), command, *file, *arguments, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for line in done.stderr.splitlines():
        if line.startswith(("polhode: --compiled: ", "polhode: --gpu: ")):
            warnings.warn(line.split(": ", 2)[2], CompileWarning, stacklevel=3)
    try:
        answer = json.loads(done.stdout)
    except json.JSONDecodeError:
        raise UsageError(done.stderr.strip() or f"polhode {command} ended with {done.returncode}") from None
    if not isinstance(answer, dict):
        raise UsageError(f"polhode {command} gave no object")
    reason = str(answer.get("reason") or "")
    if done.returncode == 2:
        error = model_error(reason)
        raise error if error.line is not None else UsageError(reason)
    if done.returncode != 0 and "rows" not in answer:
        raise NumericalFailure(reason or done.stderr.strip(), str(answer.get("status", "failed")), float("nan"), float("nan"), [])
    return answer
