"""Models: from files, from text, or written in Python."""
from __future__ import annotations

import os
from typing import Any, Mapping, Union

from ._native import fail, ffi, lib
from ._simulation import ModelSimulation, Option, Record, Settings, Simulation
from ._result import Result
from ._values import Number


def read_model(file: str, text: str | None, parameters: Mapping[str, Number]) -> Any:
    """A ph_model that frees itself."""
    out, err = ffi.new("ph_model **"), ffi.new("ph_error *")
    sets = Settings(parameters)
    data = text.encode() if text is not None else b""
    chars = ffi.from_buffer(data) if text is not None else ffi.NULL
    status = lib.ph_model_read_text(out, file.encode(), chars, len(data), sets.list, sets.count, ffi.NULL, err)
    if status:
        fail(status, err, file)
    return ffi.gc(out[0], lib.ph_model_free)


class Model:
    """A model from its text.

    >>> import polhode as ph
    >>> m = ph.Model('model "ball"  body{ name = "b", mass = 1, inertia = {1, 1, 1}, velocity = {2, 0, 0} }')
    >>> m.run(t_end=1, h=0.1).body["b"].position[-1].round(12).tolist()
    [2.0, 0.0, 0.0]
    """

    def __init__(self, text: str, file: str = "model") -> None:
        self._text, self._file = text, file

    @property
    def file(self) -> str:
        """Where it is taken to be: side files are looked for beside it."""
        return self._file

    @property
    def reads_files(self) -> bool:
        """Whether there is a folder beside which side files are."""
        return bool(os.path.dirname(self._file))

    @property
    def text(self) -> str:
        """What a model file would say."""
        return self._text

    def sim(self, parameters: Mapping[str, Number] | None = None, /, **more: Number) -> Simulation:
        """A simulation, ready at the initial time; parameters by name."""
        model = read_model(self._file, self._text, {**(parameters or {}), **more})
        return ModelSimulation(model, self._file)

    def run(self, t_end: float | None = None, *, record: Record = "all", **options: Option) -> Result:
        """`sim().run(...)`."""
        return self.sim().run(t_end, record=record, **options)


def load(model: Union[str, os.PathLike[str], Model], parameters: Mapping[str, Number] | None = None, /, **more: Number) -> Simulation:
    """Read a model file and make its simulation, ready at the initial time; parameters by name.

    >>> import polhode as ph
    >>> ph.load("models/heavy_top.lua", m=16).parameters
    {'m': 16.0}
    """
    if isinstance(model, Model):
        return model.sim(parameters, **more)
    file = os.fspath(model)
    values = {**(parameters or {}), **more}
    if not os.path.isfile(file):
        raise FileNotFoundError(2, "there is no model file", file)
    return ModelSimulation(read_model(file, None, values), file, file)
