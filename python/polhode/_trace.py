"""Functions of models written in Python: called with symbols, they become functions of the text of the model.

A comparison takes both ways in turn, and the ways become `if`. Nothing of Python is left in a step.
"""
from __future__ import annotations

from typing import Any, Callable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ._symbols import Expr, Function, Late, TraceError, Tracer, key_text, lift, named, value

_WAYS = 4096  # through the comparisons of a function


def results(x: Any) -> list[Expr]:
    """What a function returned, as a flat list."""
    if isinstance(x, (Expr, Late)) or np.isscalar(x):
        return [lift(x)]
    if isinstance(x, np.ndarray):
        return [lift(y) for y in x.ravel().tolist()]
    if isinstance(x, (list, tuple)):
        return [z for y in x for z in results(y)]
    raise TraceError(f"a function of the model returned {x!r}, not numbers")


class Leaves:
    """Names of leaves become symbols, or the numbers that they have."""

    def __init__(self, at: dict[str, float] | None = None) -> None:
        self._at = at
        self.seen: dict[str, Expr] = {}

    def __call__(self, name: str) -> Any:
        if self._at is not None:
            return self._at[name]
        if name not in self.seen:
            self.seen[name] = Expr("leaf", (name,))
        return self.seen[name]

    def array(self, base: str, n: int) -> npt.NDArray[Any]:
        """The numbers of a list of Lua, which counts from 1."""
        return np.array([self(f"{base}[{k + 1}]") for k in range(n)], dtype=object if self._at is None else float)


    def several(self, base: str, one: str) -> Any:
        """One number or several, of which nobody knows until it is used."""
        if self._at is None:
            return SymbolList(self, base, one)
        return self._at[one] if one == base and one in self._at else NumberList(self._at, base, one)


_FIELDS = {"position": 3, "velocity": 3, "rotation": 4, "omega": 3, "acceleration": 3, "omega_dot": 3}


class BodyState:
    """s.NAME: position, velocity, rotation, omega, acceleration, omega_dot, as arrays."""

    def __init__(self, leaves: Leaves, base: str) -> None:
        self._leaves, self._base = leaves, base

    def __getattr__(self, field: str) -> npt.NDArray[Any]:
        if field not in _FIELDS:
            raise TraceError(f"a body has no '{field}'; it has {', '.join(_FIELDS)}")
        return self._leaves.array(f"{self._base}.{field}", _FIELDS[field])


def _item(base: str, k: Any) -> str:
    """The name of one number of a list."""
    if not isinstance(k, int) or k < 0:
        raise TraceError(f"{base}[{k!r}]: an index is a whole number from 0")
    return f"{base}[{k + 1}]"


def _no_iteration(base: str) -> TraceError:
    return TraceError(f"how many numbers {base} has is not known while the model is written: take them by index")


class NumberList(Late):
    """The same in a call with numbers."""

    def __init__(self, at: Mapping[str, float], base: str, one: str) -> None:
        self._at, self._base, self._one = at, base, one

    def __float__(self) -> float:
        return self._at[self._one]

    def __getitem__(self, k: int) -> float:
        return self._at[_item(self._base, k)]

    def __iter__(self) -> Iterator[Any]:
        raise _no_iteration(self._base)


class SymbolList(Expr):
    """One number or several: a symbol where it is used as the one, and one for each index."""

    __slots__ = ("_leaves", "_base")

    def __init__(self, leaves: Leaves, base: str, one: str) -> None:
        super().__init__("leaf", (one,))
        self._leaves, self._base = leaves, base

    def __getitem__(self, k: int) -> Any:
        return self._leaves(_item(self._base, k))

    def __iter__(self) -> Iterator[Any]:
        raise _no_iteration(self._base)


def _one_or_list(leaves: Leaves, base: str, one: str = "") -> Any:
    """Something of the state that is one number or several: used as the one, or by index."""
    return leaves.several(base, one or base)


def _sensor(leaves: Leaves, base: str) -> Any:
    """Objectives have lists of all sensors, and [1] is the one number of others too."""
    return _one_or_list(leaves, base, f"{base}[1]")


class JointState:
    """s.joints.NAME: position and rate of a joint, each a number, or several by index."""

    def __init__(self, leaves: Leaves, base: str) -> None:
        self._leaves, self._base = leaves, base

    @property
    def position(self) -> Any:
        return _one_or_list(self._leaves, f"{self._base}.position")

    @property
    def rate(self) -> Any:
        return _one_or_list(self._leaves, f"{self._base}.rate")


class Record:
    """Things of one kind by name: s.joints.NAME, s.sensors["na.me"]."""

    def __init__(self, leaves: Leaves, base: str, make: Callable[[Leaves, str], Any]) -> None:
        self._leaves, self._base, self._make = leaves, base, make

    def __getitem__(self, name: str) -> Any:
        return self._make(self._leaves, self._base + key_text(name))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]


class State:
    """What a function of a model sees: bodies by name; of forces, the fields of the body itself; joints, sensors, inputs."""

    def __init__(self, leaves: Leaves) -> None:
        self._leaves = leaves

    def __getitem__(self, name: str) -> Any:
        if name == "joints":
            return Record(self._leaves, "s.joints", JointState)
        if name == "sensors":
            return Record(self._leaves, "s.sensors", _sensor)
        if name == "states":
            return Record(self._leaves, "s.states", _one_or_list)
        if name == "inputs":
            return Record(self._leaves, "s.inputs", lambda leaves, base: leaves(base))
        if name in _FIELDS:
            return self._leaves.array(f"s.{name}", _FIELDS[name])
        if name == "t":
            return self._leaves("t")
        return BodyState(self._leaves, "s" + key_text(name))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]


def arguments(names: str, leaves: Leaves) -> list[Any]:
    return [State(leaves) if name == "s" else leaves(name) for name in names.split(", ")]


def explore(call: Callable[[], Any], way: Sequence[bool] = (), count: list[int] | None = None) -> Any:
    """The ways of a function, from a given beginning on: a tree of conditions with results as leaves."""
    counted = count if count is not None else [0]
    counted[0] += 1
    if counted[0] > _WAYS:
        raise TraceError(f"a function of the model has more than {_WAYS} ways through its comparisons")
    with Tracer(way) as tracer:
        node: Any = results(call())
    met = tracer.met
    for k in reversed(range(len(way), len(met))):
        other = explore(call, [taken for _, taken in met[:k]] + [False], counted)
        node = (met[k][0], node, other)
    return node


def _sizes(tree: Any) -> set[int]:
    return _sizes(tree[1]) | _sizes(tree[2]) if isinstance(tree, tuple) else {len(tree)}


def _pick(tree: Any, at: Mapping[str, float]) -> list[Expr]:
    while isinstance(tree, tuple):
        tree = tree[1] if tree[0].holds(at) else tree[2]
    found: list[Expr] = tree
    return found


def _write(tree: Any) -> str:
    """On one line, so that lines of the text count elements."""
    if isinstance(tree, tuple):
        condition, yes, no = tree
        return f"if {condition.text()} then {_write(yes)} else {_write(no)} end"
    lines, texts = named(tree)
    return "; ".join([*lines, f"return {', '.join(texts)}"])


_POINTS = 6


def _trust(f: Function, names: str, tree: Any, leaves: Leaves) -> None:
    """The tree against the function called with numbers: a function that keeps values between its calls shows here."""
    rng = np.random.default_rng(1)
    for point in range(_POINTS):
        at: dict[str, float] = Drawn(rng, 0.0 if point == 0 else 1.0)
        try:
            expected = [value(e, at) for e in _pick(tree, at)]
        except (ArithmeticError, ValueError):
            continue
        with Tracer(at=at):
            given = results(f(*arguments(names, Leaves(at))))
            found = [value(e, at) for e in given]
        if len(found) != len(expected) or not all(abs(a - b) <= 1e-9 * max(1.0, abs(b)) for a, b in zip(found, expected)):
            raise TraceError("it gives other numbers when it is called with numbers: does it keep values between its calls?")


class Drawn(dict[str, float]):
    """A number for each leaf, drawn when it is first met."""

    def __init__(self, rng: np.random.Generator, size: float, least: float = 0.1) -> None:
        super().__init__()
        self._rng, self._size, self._least = rng, size, least

    def __missing__(self, name: str) -> float:
        self[name] = x = self._size * float(self._rng.uniform(self._least, 1.9))
        return x


def function_text(f: Function, names: str) -> str:
    """A Python function as a function of Lua, `names` its arguments: "t, s"."""
    name = getattr(f, "__name__", "function")
    leaves = Leaves()
    try:
        tree = explore(lambda: f(*arguments(names, leaves)))
        if len(_sizes(tree)) != 1:
            raise TraceError("it returns now more, now fewer numbers")
        _trust(f, names, tree, leaves)
    except TraceError as e:
        raise TraceError(f"function '{name}': {e}") from None
    return f"function({names}) {_write(tree)} end"
