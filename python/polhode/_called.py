"""Functions that symbols cannot follow: Python is called back in each step, with numbers, and C takes differences.

The text of the model calls function k as host(k, n, x1, x2, ...). What it reads, x1, x2, ..., is found by trying it.
"""
from __future__ import annotations

import threading
from typing import Any, Iterable, Mapping

import numpy as np

from ._errors import UsageError
from ._native import ffi
from ._symbols import Expr, Function, Late, TraceError, Tracer, order, value
from ._trace import Drawn, Leaves, arguments, results

_TRIES = 24  # points at which it is tried: each way through it should be met
_MOST = 1000  # numbers in and out


class TraceWarning(UserWarning):
    """A function is called in Python at each step: slower, and with differences for derivatives."""


class Called:
    """A function that is called, wherever symbols could follow it or not."""

    def __init__(self, f: Function, reads: Function | None = None) -> None:
        self.f, self.reads = f, reads
        self.__name__ = str(getattr(f, "__name__", "function"))

    def __call__(self, *x: Any) -> Any:
        return self.f(*x)


def called(f: Function, reads: Function | None = None) -> Called:
    """Let a function of a model be called in Python at each step, without a warning.

    reads: a function of the same arguments that returns all that f may read, where trying f does not show it.

    >>> import math, polhode as ph
    >>> m = ph.Model()
    >>> m.body(name="b", mass=1, inertia=[1, 1, 1], velocity=[1, 0, 0])
    >>> m.force(name="drag", body="b", value=ph.called(lambda t, s: [-math.sinh(s.velocity[0]), 0, 0]))
    >>> round(float(m.run(t_end=1, h=1e-2).body["b"].velocity[-1, 0]), 3)
    0.343
    """
    return Called(f, reads)


def _floats(x: Any, at: Mapping[str, float]) -> list[float]:
    """What a function returned, as a flat list of numbers."""
    if isinstance(x, (float, Late)):
        return [float(x)]
    if isinstance(x, Expr):
        return [value(x, at)]
    if isinstance(x, np.ndarray) and x.dtype != object:
        return [float(y) for y in x.ravel().tolist()]
    if isinstance(x, (list, tuple, np.ndarray)):
        return [z for y in x for z in _floats(y, at)]
    if np.isscalar(x) and not isinstance(x, (str, bytes, complex)):
        return [float(x)]  # type: ignore[arg-type]
    raise TraceError(f"a function of the model returned {x!r}, not numbers")


class _Given(dict[str, float]):
    """The numbers of one call."""

    def __missing__(self, name: str) -> float:
        raise UsageError(f"the function reads {name}, which it did not when it was tried: say what it may read, ph.called(f, reads=lambda t, s: [...])")


class Entry:
    """One function: what it reads, and how many numbers it gives."""

    def __init__(self, f: Function, names: str, reads: Function | None = None) -> None:
        self.f, self.names = f, names
        rng = np.random.default_rng(2)
        leaves: dict[str, None] = {}
        sizes: set[int] = set()
        trouble: BaseException | None = None
        for k in range(_TRIES):
            at = Drawn(rng, 0.0 if k == 0 else 10.0 ** (k % 5 - 2), -1.9 if k % 2 else 0.1)
            try:
                first, again = self(at), self(at)
            except Exception as e:  # noqa: BLE001: it need not be defined everywhere
                trouble = e
                continue
            if not np.array_equal(first, again):
                raise TraceError("it gives other numbers when it is called again: does it keep values between its calls?")
            if not np.isfinite(first).all():
                trouble = trouble or TraceError("it gives numbers that are not finite")
                continue
            leaves.update(dict.fromkeys(at))
            sizes.add(len(first))
        if not sizes and trouble is not None:
            raise trouble
        if len(sizes) != 1:
            raise TraceError("it returns now more, now fewer numbers")
        if reads is not None:
            seen = Leaves()
            read = order(results(reads(*arguments(names, seen))))
            leaves.update(dict.fromkeys([*seen.seen, *(e.args[0] for e in read if e.op == "leaf")]))
        self.leaves, self.size = list(leaves), sizes.pop()
        if len(self.leaves) > _MOST or self.size > _MOST:
            raise TraceError(f"it reads or gives more than {_MOST} numbers")

    def __call__(self, at: dict[str, float]) -> list[float]:
        with Tracer(at=at):
            return _floats(self.f(*arguments(self.names, Leaves(at))), at)

    def given(self, x: Iterable[float]) -> list[float]:
        """The numbers for those that it reads."""
        return self(_Given(zip(self.leaves, x)))


class Host:
    """The functions of a model that C calls back, and what they raised."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.elements: list[str] = []  # whose they are
        self._local = threading.local()
        self.callback = ffi.callback("ph_host_fn", self._call)

    def __bool__(self) -> bool:
        return bool(self.elements)

    # Functions do not go into a pickle: a model that comes out of one says so when it needs them.
    def __getstate__(self) -> list[str]:
        return self.elements

    def __setstate__(self, elements: list[str]) -> None:
        Host.__init__(self)
        self.elements = elements

    def add(self, f: Function, names: str, element: str) -> str:
        """As a function of Lua."""
        call = f if isinstance(f, Called) else Called(f)
        entry = Entry(call.f, names, call.reads)
        self.entries.append(entry)
        self.elements.append(element)
        return f"function({names}) return host({', '.join([str(len(self.entries) - 1), str(entry.size), *entry.leaves])}) end"

    def c(self) -> Any:
        """As C takes it."""
        return ffi.new("ph_host *", {"call": self.callback if self else ffi.NULL})[0]

    def _call(self, k: int, n_x: int, x: Any, n_y: int, y: Any, error: Any, size: int, _: Any) -> int:
        try:
            if k >= len(self.entries):
                raise UsageError(f"{', '.join(self.elements)}: functions that are called in Python do not come out of a pickle")
            out = self.entries[k].given(ffi.unpack(x, n_x))
            if len(out) != n_y:
                raise UsageError(f"the function gives {len(out)} numbers, and gave {n_y} when it was tried")
            y[0:n_y] = out
        except BaseException as e:  # noqa: BLE001: it goes on in Python, behind the functions of C
            self._local.raised = e
            words = f"{type(e).__name__}: {e}".encode("utf-8", "replace")[: size - 1]
            ffi.memmove(error, words + b"\0", len(words) + 1)
            return 0
        self._local.raised = None
        return 1

    def reraise(self) -> None:
        """An exception of a function, now that C has returned."""
        e: BaseException | None = getattr(self._local, "raised", None)
        self._local.raised = None
        if e is not None:
            raise e
