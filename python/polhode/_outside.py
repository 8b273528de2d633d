"""What is set from outside: parameters and inputs, by name."""
from __future__ import annotations

from typing import TYPE_CHECKING, Iterator, Mapping, MutableMapping

from ._errors import UsageError
from ._native import lib
from ._settings import number
from ._values import Number, Vector

if TYPE_CHECKING:
    from ._simulation import Simulation


class Parameters(Mapping[str, float]):
    """Parameters of a model, by name, as they are."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    def __getitem__(self, name: str) -> float:
        s = self._simulation
        return float(s._numbers(lib.PH_GET_PARAMETER, s._find(lib.PH_PARAMETERS, name)))

    def __iter__(self) -> Iterator[str]:
        return iter(self._simulation._names(lib.PH_PARAMETERS))

    def __len__(self) -> int:
        return len(self._simulation._names(lib.PH_PARAMETERS))

    def __repr__(self) -> str:
        return repr(dict(self))


class Inputs(MutableMapping[str, float]):
    """Inputs by name: numbers from outside, to be set between steps."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    def __getitem__(self, name: str) -> float:
        s = self._simulation
        return float(s._numbers(lib.PH_GET_INPUT, s._find(lib.PH_INPUTS, name)))

    def __setitem__(self, name: str, value: Number | tuple[Vector, Vector]) -> None:
        s = self._simulation
        k = s._find(lib.PH_INPUTS, name)
        if isinstance(value, tuple) and len(value) != 2:
            raise UsageError(f"input {name}: a table is a pair of lists, times and values; there are {len(value)}")
        if isinstance(value, tuple):
            s._set_table(name, k, *value)
        elif lib.ph_run_set_input(s._ready(), k, number(f"input {name}", value)):
            raise UsageError(f"input {name} = {value} is refused")

    def __delitem__(self, name: str) -> None:
        raise UsageError(f"input '{name}' belongs to the model and stays")

    def __iter__(self) -> Iterator[str]:
        return iter(self._simulation._names(lib.PH_INPUTS))

    def __len__(self) -> int:
        return len(self._simulation._names(lib.PH_INPUTS))

    def __repr__(self) -> str:
        return repr(dict(self))
