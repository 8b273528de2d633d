"""Models: from files, from text, or written in Python."""
from __future__ import annotations

import os
import sys
import warnings
from typing import Any, Mapping, Union

import numpy as np

from ._called import Called, Host, TraceWarning
from ._elements import FUNCTIONS, Elements
from ._errors import ModelError, UsageError
from ._native import fail, ffi, lib
from ._result import Result
from ._settings import Option, Settings, number
from ._simulation import ModelSimulation, Record, Simulation
from ._symbols import Expr, TraceError, Vector, inline, key_text, number_text, quoted
from ._trace import function_text
from ._values import Number


def read_model(file: str, text: str | None, parameters: Mapping[str, Number], host: Host | None = None) -> Any:
    """A ph_model that frees itself."""
    out, err = ffi.new("ph_model **"), ffi.new("ph_error *")
    sets = Settings(parameters)
    data = text.encode() if text is not None else b""
    chars = ffi.from_buffer(data) if text is not None else ffi.NULL
    with_it = host or Host()
    status = lib.ph_model_read_hosted(out, file.encode(), chars, len(data), sets.list, sets.count, with_it.c(), ffi.NULL, err)
    if status:
        with_it.reraise()
        fail(status, err, file)
    return ffi.gc(out[0], lib.ph_model_free)


class Model(Elements):
    """A model, from its text or written in Python: a method for each element of model files, with the same keys.

    >>> import polhode as ph
    >>> m = ph.Model('model "ball"  body{ name = "b", mass = 1, inertia = {1, 1, 1}, velocity = {2, 0, 0} }')
    >>> m.run(t_end=1, h=0.1).body["b"].position[-1].round(12).tolist()
    [2.0, 0.0, 0.0]

    Functions are called with symbols, once, and become part of the text; use functions of numpy in them. Those that symbols
    cannot follow are called in Python at each step, with a warning (TraceWarning), or without one by `called`.

    >>> import numpy as np
    >>> m = ph.Model(title="pushed")
    >>> k = m.param("k", 3.0)
    >>> m.body(name="b", mass=2, inertia=[1, 1, 1])
    >>> m.force(body="b", value=lambda t, s: [k * np.sin(t), -s.b.velocity[1], 0])
    >>> m.options(h=1e-2, t_end=1)
    >>> print(m.text)
    model "pushed"
    local P = {}
    P.k = param("k", 3.0)
    body { name = "b", mass = 2, inertia = {1, 1, 1} }
    force { body = "b", value = function(t, s) return (P.k * math.sin(t)), (-s.b.velocity[2]), 0.0 end }
    run { t_end = 1, h = 0.01 }
    >>> m.sim(k=4).sens("k").body["b"].position.shape
    (3, 1)
    """

    def __init__(self, text: str | None = None, *, title: str = "model", file: str = "model") -> None:
        self._file = file
        self._lines = text.split("\n") if text is not None else [f"model {quoted(title)}", "local P = {}"]
        self._where: dict[int, tuple[str, int]] = {}
        self._parameters: set[str] = set()
        self._host = Host()
        if text is not None and "\0" in text:
            raise UsageError("the text of a model has a character 0")

    # ---- writing ------------------------------------------------------------------------------------------

    def _line(self, line: str, depth: int) -> None:
        """One line, of the caller so many calls above."""
        frame = sys._getframe(depth + 1)
        self._lines.append(line)
        self._where[len(self._lines)] = frame.f_code.co_filename, frame.f_lineno

    def _add(self, element: str, keys: dict[str, Any]) -> None:
        name = f"{element} '{keys['name']}'" if keys.get("name") else element
        try:
            pairs = [f"{k} = {self._value(v, FUNCTIONS.get((element, k)), name)}" for k, v in keys.items() if v is not None]
        except (TraceError, UsageError) as e:
            raise type(e)(f"{name}: {e}") from None
        self._line(f"{element} {{ {', '.join(pairs)} }}", 3)  # below the method and its wrapper

    def _value(self, x: Any, function: str | None, element: str) -> str:
        """A value of a key; functions that symbols cannot follow are called back."""
        if isinstance(x, Mapping) and function is not None:  # actions of events have values by name
            return "{" + ", ".join(f"{key_text(k).lstrip('.')} = {self._value(v, function, element)}" for k, v in x.items()) + "}"
        if isinstance(x, (list, tuple)) and any(isinstance(v, Mapping) for v in x):
            return "{" + ", ".join(self._value(v, function if isinstance(v, Mapping) else None, element) for v in x) + "}"
        if function is None or not callable(x) or isinstance(x, Expr):
            return lua(x, function)
        if isinstance(x, Called):
            return self._host.add(x, function, element)
        try:
            return function_text(x, function)
        except (TypeError, ValueError, AttributeError, ArithmeticError, LookupError) as e:  # what functions make of symbols
            try:
                said = self._host.add(x, function, element)
            except Exception as other:  # noqa: BLE001: it fails with numbers too
                raise TraceError(str(e) if str(other) in str(e) else f"{e}; with numbers: {other}") if isinstance(e, TraceError) else other from None
            warnings.warn(f"{element}: {e}; it is called in Python at each step, and differenced", TraceWarning, stacklevel=6)
            return said

    def param(self, name: str, default: Number) -> Expr:
        """A named parameter: a symbol that keys and functions may use; `load`, `set`, sweeps and derivatives act on it."""
        if not self._parameters and "local P = {}" not in self._lines:
            self._lines.append("local P = {}")
        self._parameters.add(name)
        leaf = f"P{key_text(name)}"
        self._line(f"{leaf} = param({quoted(name)}, {number_text(number(name, default))})", 1)
        return Expr("leaf", (leaf,))

    def gravity(self, g: Vector) -> None:
        """Acceleration of gravity, world [m/s^2]."""
        self._line(f"gravity {lua(g)}", 1)

    # ---- using it -----------------------------------------------------------------------------------------

    @property
    def file(self) -> str:
        """Where it is taken to be: side files are looked for beside it."""
        return self._file

    @property
    def reads_files(self) -> bool:
        """Whether there is a folder beside which side files are."""
        return bool(os.path.dirname(self._file))

    @property
    def called(self) -> list[str]:
        """The elements whose functions are called in Python: pages and studies, which run in the program, cannot have them."""
        return list(dict.fromkeys(self._host.elements))

    @property
    def text(self) -> str:
        """What a model file would say; `freeze` it or keep it as a file of its own."""
        return "\n".join(self._lines)

    def _explain(self, e: ModelError) -> ModelError:
        """An error of a line that was written in Python names the line of Python."""
        if e.line not in self._where or e.file != self._file:
            return e
        file, line = self._where[e.line]
        return ModelError(f"{file}:{line}: {e.sentence}", file, line, e.sentence)

    def sim(self, parameters: Mapping[str, Number] | None = None, /, **more: Number) -> Simulation:
        """A simulation, ready at the initial time; parameters by name."""
        try:
            model = read_model(self._file, self.text, {**(parameters or {}), **more}, self._host)
            return ModelSimulation(model, self._file, self, self._explain, self._host)
        except ModelError as e:
            raise self._explain(e) from None

    def run(
        self,
        t_end: float | None = None,
        *,
        record: Record = "all",
        error_bars: bool = False,
        compiled: bool | None = None,
        **options: Option,
    ) -> Result:
        """`sim().run(...)`."""
        return self.sim().run(t_end, record=record, error_bars=error_bars, compiled=compiled, **options)

    def __repr__(self) -> str:
        return f"<model of {len(self._lines)} lines>"


def lua(x: Any, function: str | None = None) -> str:
    """A value as a model file writes it. function: arguments, where it may be one."""
    if isinstance(x, Expr):
        return inline(x)
    if isinstance(x, (bool, np.bool_)):
        return "true" if x else "false"
    if isinstance(x, str):
        return quoted(x)
    if isinstance(x, (int, np.integer)):
        return str(int(x))
    if isinstance(x, (float, np.floating)):
        if not np.isfinite(x):
            raise UsageError(f"{x} is not a number")
        return number_text(float(x))
    if isinstance(x, np.ndarray):
        return lua(x.tolist())
    if isinstance(x, Mapping):
        return "{" + ", ".join(f"{key_text(k).lstrip('.')} = {lua(v)}" for k, v in x.items()) + "}"
    if isinstance(x, (list, tuple)):
        return "{" + ", ".join(lua(v) for v in x) + "}"
    if callable(x):
        if function is None:
            raise UsageError("a function makes no sense here")
        return function_text(x, function)
    raise UsageError(f"{x!r} is not a value of a model")


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
