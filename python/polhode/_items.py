"""Bodies, joints and constraints by name: the same words for a running simulation and for its results."""
from __future__ import annotations

from typing import Callable, Generic, Iterator, Mapping, TypeVar, Union

from ._errors import UnknownName
from ._native import KINDS, lib, unknown
from ._values import Array

Numbers = Union[float, Array]


class Source:
    """Where numbers come from: a run as it is now, or rows that were recorded."""

    def _names(self, list_: int) -> dict[str, int]:
        raise NotImplementedError

    def _numbers(self, what: int, index: int) -> Numbers:
        raise NotImplementedError

    def _find(self, list_: int, name: str) -> int:
        names = self._names(list_)
        index = names.get(name)
        if index is None:
            for other, one in KINDS.items():
                if other != list_ and name in self._names(other):
                    raise UnknownName(f"there is no {KINDS[list_]} '{name}'; '{name}' is {'an' if one[0] in 'aeiou' else 'a'} {one}")
            raise unknown(KINDS[list_], name, names)
        return index


class Item:
    """Something of a model that has a name."""

    __slots__ = ("_source", "name", "_list")

    def __init__(self, source: Source, list_: int, name: str) -> None:
        self._source, self._list, self.name = source, list_, name

    def _get(self, what: int) -> Numbers:
        return self._source._numbers(what, self._source._find(self._list, self.name))

    def __repr__(self) -> str:
        return f"<{KINDS[self._list]} '{self.name}'>"


class Body(Item):
    """One body: SI units, world components but for omega and omega_dot, which are those of the body."""

    __slots__ = ()

    @property
    def position(self) -> Numbers:
        """The centre of mass, world [m]."""
        return self._get(lib.PH_GET_POSITION)

    @property
    def rotation(self) -> Numbers:
        """Unit quaternion, scalar first, body to world."""
        return self._get(lib.PH_GET_ROTATION)

    @property
    def velocity(self) -> Numbers:
        """The centre of mass, world [m/s]."""
        return self._get(lib.PH_GET_VELOCITY)

    @property
    def omega(self) -> Numbers:
        """Angular velocity, body components [rad/s]."""
        return self._get(lib.PH_GET_OMEGA)

    @property
    def acceleration(self) -> Numbers:
        """The centre of mass, world [m/s^2]."""
        return self._get(lib.PH_GET_ACCELERATION)

    @property
    def omega_dot(self) -> Numbers:
        """Derivative of omega, body components [rad/s^2]."""
        return self._get(lib.PH_GET_OMEGA_DOT)


class Joint(Item):
    """One joint."""

    __slots__ = ()

    @property
    def position(self) -> Numbers:
        """For a joint with one free coordinate: angle over many turns [rad], or distance [m]."""
        return self._get(lib.PH_GET_JOINT_POSITION)

    @property
    def rate(self) -> Numbers:
        """Its derivative [rad/s or m/s]."""
        return self._get(lib.PH_GET_JOINT_RATE)

    @property
    def force(self) -> Array:
        """On the second body, world [N]."""
        reaction = self._get(lib.PH_GET_REACTION)
        assert not isinstance(reaction, float)
        return reaction[..., :3]

    @property
    def torque(self) -> Array:
        """On the second body, world, about the point of the joint [N m]."""
        reaction = self._get(lib.PH_GET_REACTION)
        assert not isinstance(reaction, float)
        return reaction[..., 3:]

    @property
    def multipliers(self) -> Numbers:
        """Lagrange multipliers, one for each row of the joint."""
        return self._get(lib.PH_GET_MULTIPLIERS)


class Constraint(Item):
    """One constraint{} of the model file."""

    __slots__ = ()

    @property
    def multipliers(self) -> Numbers:
        """Lagrange multipliers, one for each row."""
        source = self._source
        index = source._find(self._list, self.name) + len(source._names(lib.PH_JOINTS))
        return source._numbers(lib.PH_GET_MULTIPLIERS, index)


class Node(Item):
    """One node of a system of one's own."""

    __slots__ = ()

    @property
    def q(self) -> Numbers:
        """Its element, as its group stores it."""
        return self._get(lib.PH_GET_NODE)

    @property
    def v(self) -> Numbers:
        """Its velocity."""
        return self._get(lib.PH_GET_NODE_VELOCITY)

    @property
    def vdot(self) -> Numbers:
        """Its acceleration."""
        return self._get(lib.PH_GET_NODE_ACCELERATION)


T = TypeVar("T")


class Items(Mapping[str, T], Generic[T]):
    """Things of one kind by name, in the order of the model."""

    __slots__ = ("_source", "_list", "_make")

    def __init__(self, source: Source, list_: int, make: Callable[[Source, int, str], T]) -> None:
        self._source, self._list, self._make = source, list_, make

    def __getitem__(self, name: str) -> T:
        self._source._find(self._list, name)
        return self._make(self._source, self._list, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._source._names(self._list))

    def __len__(self) -> int:
        return len(self._source._names(self._list))

    def __contains__(self, name: object) -> bool:
        return name in self._source._names(self._list)

    def __repr__(self) -> str:
        return f"<{KINDS[self._list]} by name: {', '.join(self)}>"


def number_of(what: int) -> Callable[[Source, int, str], Numbers]:
    """Items that are numbers themselves, such as sensors."""

    def make(source: Source, list_: int, name: str) -> Numbers:
        return source._numbers(what, source._find(list_, name))

    return make


class Named(Source):
    """What a run and its results have by name: of a run as it is now, of results row by row."""

    @property
    def body(self) -> Items[Body]:
        """Bodies by name."""
        return Items(self, lib.PH_BODIES, Body)

    @property
    def joint(self) -> Items[Joint]:
        """Joints by name."""
        return Items(self, lib.PH_JOINTS, Joint)

    @property
    def constraint(self) -> Items[Constraint]:
        """Constraints of the model file by name; of a system of one's own, all of them."""
        return Items(self, lib.PH_CONSTRAINTS, Constraint)

    @property
    def node(self) -> Items[Node]:
        """Nodes of a system of one's own by name."""
        return Items(self, lib.PH_NODES, Node)

    @property
    def sensor(self) -> Items[Numbers]:
        """Sensors by name."""
        return Items(self, lib.PH_SENSORS, number_of(lib.PH_GET_SENSOR))

    @property
    def state(self) -> Items[Numbers]:
        """States of controllers and the like by name."""
        return Items(self, lib.PH_STATES, number_of(lib.PH_GET_STATE))

    @property
    def effort(self) -> Items[Numbers]:
        """Force or torque of each actuator along its coordinate, by name."""
        return Items(self, lib.PH_ACTUATORS, number_of(lib.PH_GET_EFFORT))

    @property
    def violation(self) -> Numbers:
        """Violation of the constraints, at the level of positions and of velocities."""
        return self._numbers(lib.PH_GET_VIOLATION, 0)
