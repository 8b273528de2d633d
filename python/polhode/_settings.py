"""What a run is told: options and parameters, as C takes them."""
from __future__ import annotations

from typing import Any, Mapping, Sequence, Union

import numpy as np

from ._errors import UsageError
from ._native import ffi, lib
from ._values import Number

Option = Union[str, bool, int, float]


def option_text(key: str, value: Option) -> str:
    """An option as run.h reads it: "h=1e-3"."""
    if isinstance(value, (bool, np.bool_)):
        return f"{key}={'true' if value else 'false'}"
    if isinstance(value, (int, str, np.integer)):
        return f"{key}={value}"
    if isinstance(value, (float, np.floating)):
        return f"{key}={float(value)!r}"
    raise UsageError(f"option {key}: {value!r} is neither a number nor a word")


def number(name: str, value: Number) -> float:
    """A finite number, or a sentence that says which is not."""
    try:
        x = float(value)
    except (TypeError, ValueError):
        raise UsageError(f"{name} = {value!r} is not a number") from None
    if not np.isfinite(x):
        raise UsageError(f"{name} = {x} is not a number")
    return x


class Texts:
    """A list of strings for C, and what keeps it alive."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._kept = [ffi.new("char[]", t.encode()) for t in texts]
        self.list = ffi.new("const char *[]", self._kept)
        self.count = len(texts)


class Settings:
    """A list of ph_setting, and what keeps it alive."""

    def __init__(self, values: Mapping[str, Number]) -> None:
        self._kept = [ffi.new("char[]", name.encode()) for name in values]
        self.list = ffi.new("ph_setting[]", len(values))
        self.count = len(values)
        for k, (name, value) in enumerate(values.items()):
            self.list[k].name, self.list[k].value = self._kept[k], number(f"parameter {name}", value)


def config_of(parameters: Settings | None, options: Texts | None) -> Any:
    """ph_run_config of parameters and options."""
    c = ffi.new("ph_run_config *", lib.ph_run_defaults())
    if parameters is not None:
        c.parameters, c.n_parameters = parameters.list, parameters.count
    if options is not None:
        c.options, c.n_options = options.list, options.count
    return c
