"""Equilibria, vibrations and derivatives of a simulation."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterator, Mapping

import numpy as np
import numpy.typing as npt

from ._errors import UnknownName
from ._items import Body, Constraint, Items, Joint, Numbers, Source, number_of
from ._native import ffi, lib, unknown
from ._values import Array

Complex = npt.NDArray[np.complex128]


@dataclass(frozen=True)
class StaticStats:
    """What the search for an equilibrium took."""

    load_steps: int
    cuts: int  # load steps that were given up and halved
    iterations: int
    relaxed: int  # steps of relaxation; 0: load steps were enough
    stability: str = "undecided"  # "stable", "unstable" or "undecided"
    growth: float = 0.0  # 1/s, of the mode that grows fastest, if unstable
    reason: str = ""  # why it is undecided
    left: int = 0  # unstable equilibria that the search left (stable=True)
    held: Mapping[str, float] = field(default_factory=dict)  # joints that friction holds: what part of it that takes; one of a set then


@dataclass(frozen=True, repr=False)
class Modes:
    """Eigenvalues mu of a state of rest or steady motion, y = Y exp(mu t), by rising modulus; pairs are there once."""

    values: Complex  # 1/s
    shapes: Complex  # one row for each mode: left increments of the nodes in the layout of v, the largest entry 1
    shares: Array  # the same shape: parts of the kinetic energy
    freedom: int  # degrees of freedom of velocities
    undamped: bool
    turning: bool  # eigenvalues are what axes see that turn with the bodies
    speed: float  # largest velocity of the state; 0: it is at rest
    acceleration: float  # largest acceleration: 0 in an equilibrium
    title: str

    @property
    def frequency(self) -> Array:
        """|im mu| / (2 pi) [Hz]."""
        return np.asarray(np.abs(self.values.imag) / (2 * np.pi))

    @property
    def damping(self) -> Array:
        """Ratio -re mu / |mu|; 0 where mu is 0."""
        size = np.abs(self.values)
        return np.asarray(np.divide(-self.values.real, size, out=np.zeros_like(size), where=size > 0))

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        shown = ", ".join(f"{f:.4g}" for f in self.frequency[:5]) + (", ..." if len(self) > 5 else "")
        return f"<{len(self)} modes of '{self.title}': {shown} Hz>"

    def plot(self, ax: Any = None) -> Any:
        """Eigenvalues in the complex plane, with matplotlib; returns the axes."""
        from matplotlib import pyplot

        if ax is None:
            ax = pyplot.figure().add_subplot()
        ax.plot(self.values.real, self.values.imag / (2 * np.pi), "x")
        ax.set_xlabel("re [1/s]")
        ax.set_ylabel("im / 2 pi [Hz]")
        ax.set_title(self.title)
        return ax


def modes_of(m: Any, nv: int, title: str) -> Modes:
    """All of ph_modes, as arrays."""
    info = lib.ph_modes_get_info(m)
    values = np.empty(info.count, dtype=complex)
    shapes, shares = np.empty((info.count, nv), dtype=complex), np.empty((info.count, nv))
    re, im, share = (np.empty(nv) for _ in range(3))
    x, y = ffi.new("double *"), ffi.new("double *")
    for k in range(info.count):
        lib.ph_modes_value(m, k, x, y)
        values[k] = complex(x[0], y[0])
        if lib.ph_modes_shape(m, k, *(ffi.from_buffer("double[]", a) for a in (re, im, share))):
            raise MemoryError("not enough memory for the shapes of modes")
        shapes[k], shares[k] = re + 1j * im, share
    return Modes(values, shapes, shares, info.freedom, bool(info.undamped), bool(info.turning), info.speed, info.acceleration, title)


@dataclass(frozen=True, repr=False)
class Linear:
    """x' = A x + B u, y = C x + D u about a state, in independent coordinates; `A, B, C, D = sim.linearise()` takes it apart."""

    A: Array
    B: Array
    C: Array
    D: Array
    states: list[str]  # names of x
    inputs: list[str]  # names of u
    outputs: list[str]  # names of y: numbers of sensors

    def __iter__(self) -> Iterator[Array]:
        return iter((self.A, self.B, self.C, self.D))

    @property
    def eigenvalues(self) -> Array:
        """Eigenvalues of A [1/s], by falling modulus; the zeros of free motions are exact and come last."""
        n = len(self.states)
        A, re, im = np.ascontiguousarray(self.A), np.zeros(n), np.zeros(n)
        if n and lib.ph_linear_eigenvalues(n, *(ffi.from_buffer("double[]", a) for a in (A, re, im)), ffi.NULL):
            raise ValueError("the eigenvalues of the linearised system were not found")
        return re + 1j * im

    def __repr__(self) -> str:
        return f"<linear system: {len(self.states)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs>"


class Sensitivities(Source):
    """Derivatives of the end of a run by parameters: like the numbers themselves, with a last axis for the parameters.

    Of rotations they are body-fixed vectors, 3 numbers.
    """

    def __init__(
        self,
        title: str,
        parameters: list[str],
        names: Mapping[int, dict[str, int]],
        columns: Mapping[tuple[int, int], Array],
        objectives: Mapping[str, Array],
    ) -> None:
        self._title, self._index, self._columns = title, names, columns
        self.parameters = parameters  #: by which is differentiated, in the order of the last axis
        self._objectives = dict(objectives)

    def _names(self, list_: int) -> dict[str, int]:
        return self._index.get(list_, {})

    def _numbers(self, what: int, index: int) -> Numbers:
        d = self._columns.get((what, index))
        if d is None:
            raise UnknownName("there is no derivative of this")
        return d

    @property
    def body(self) -> Items[Body]:
        """Bodies by name."""
        return Items(self, lib.PH_BODIES, Body)

    @property
    def joint(self) -> Items[Joint]:
        """Joints by name."""
        return Items(self, lib.PH_JOINTS, SensJoint)

    @property
    def constraint(self) -> Items[Constraint]:
        """Constraints by name."""
        return Items(self, lib.PH_CONSTRAINTS, Constraint)

    @property
    def sensor(self) -> Items[Numbers]:
        """Sensors by name."""
        return Items(self, lib.PH_SENSORS, number_of(lib.PH_GET_SENSOR))

    @property
    def state(self) -> Items[Numbers]:
        """States of controllers and the like by name."""
        return Items(self, lib.PH_STATES, number_of(lib.PH_GET_STATE))

    def __getitem__(self, name: str) -> Array:
        if name in self._objectives:
            return self._objectives[name]
        if name not in self.sensor:
            raise unknown("sensor or objective", name, [*self.sensor, *self._names(lib.PH_OBJECTIVES)])
        d = self.sensor[name]
        assert not isinstance(d, float)
        return d

    def __repr__(self) -> str:
        return f"<derivatives of '{self._title}' by {', '.join(self.parameters)}>"


class SensJoint(Joint):
    """One joint: the first axis is that of the numbers."""

    __slots__ = ()

    @property
    def force(self) -> Array:
        """On the second body, world."""
        reaction = self._get(lib.PH_GET_REACTION)
        assert not isinstance(reaction, float)
        return reaction[:3]

    @property
    def torque(self) -> Array:
        """On the second body, world, about the point of the joint."""
        reaction = self._get(lib.PH_GET_REACTION)
        assert not isinstance(reaction, float)
        return reaction[3:]
