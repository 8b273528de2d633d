"""Systems of one's own: nodes of Lie groups, and functions of Python for M, g, Phi, B and, if there are any, tangents."""
from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Mapping, Sequence, Union

import numpy as np
import numpy.typing as npt

from ._errors import UsageError
from ._lie import Group
from ._native import fail, ffi, lib
from ._settings import Option, Texts, config_of, option_text
from ._simulation import Simulation
from ._system_trace import Traced
from ._values import Array

Nodes = Union[Sequence[Group], Mapping[str, Group]]
Constraints = Union[int, Sequence[int], Mapping[str, int]]
Callback = Callable[["Point"], npt.ArrayLike]


class Point:
    """Where a function is evaluated: time t, and q, v, vdot, lambda_ of all nodes, one after the other, as arrays.

    They are views that hold during the call.
    """

    __slots__ = ("t", "q", "v", "vdot", "lambda_", "_system", "_state")

    def __init__(self, system: System, s: Any) -> None:
        self.t: float = s.t
        self._system, self._state = system, s
        self.q = _view(s.q, system.nq)
        self.v = _view(s.v, system.nv)
        self.vdot = _view(s.vdot, system.nv)
        self.lambda_ = _view(getattr(s, "lambda"), system.nl)

    def node(self, k: int) -> Array:
        """The element of node k."""
        return self.q[self._system._q_at[k] : self._system._q_at[k + 1]]

    def velocity(self, k: int) -> Array:
        """The velocity of node k."""
        return self.v[self._system._v_at[k] : self._system._v_at[k + 1]]

    def R(self, k: int) -> Array:
        """The rotation matrix of node k, body to world."""
        if self._system._rot[k] < 0:
            raise UsageError(f"node {k} has no rotation")
        return _view(ffi.cast("double *", self._state.R + self._state.R_at[k]), 9).reshape(3, 3)


def _view(p: Any, n: int) -> Array:
    """Numbers of C as an array; zeros where there are none."""
    if n == 0 or p == ffi.NULL:
        return np.zeros(n)
    return np.frombuffer(ffi.buffer(p, n * 8), dtype=np.float64)


@dataclass(frozen=True)
class Check:
    """The worst disagreement of a given derivative with central differences."""

    error: float  # |given - differenced| / max(1, largest entry of its block)
    what: str  # "B", "C", "K", "Z", "g_lambda", "Phi_t", "convective", "products", "tangents", "positions"; "": none is given
    row: int  # node or constraint of the entry
    col: int
    i: int  # entry of the block
    j: int
    given: float
    differenced: float

    def __repr__(self) -> str:
        if not self.what:
            return "<check: no derivatives are given>"
        return (
            f"<check: {self.what} differs by {self.error:.2g}, entry ({self.i}, {self.j}) of block ({self.row}, {self.col}): "
            f"given {self.given:.9g}, differenced {self.differenced:.9g}>"
        )


# Functions by name: their shape, and whether they are a list of blocks over pairs or links of nodes.
_SHAPES = {
    "M": ("v", "v"), "g": ("v",), "Phi": ("l",), "B": ("l", "v"), "Phi_t": ("l",), "convective": ("l",), "C": ("v", "v"),
    "K": ("v", "v"), "Z": ("l", "v"), "g_lambda": ("v", "l"),
}  # fmt: skip


class System:
    """A system of one's own:

    q' = q o tilde(v),   M(q) vdot = -g(q, v, t, lambda) - B(q)^T lambda,   Phi(q, t) = 0.

    nodes: groups, as a list or by name. constraints: numbers of rows. Functions take a Point and return arrays of full
    size: M (nv, nv), g (nv), Phi (nl), B (nl, nv); derivatives that are not given are differenced. An exception in a
    function comes out of the step, with the state as before.

    traced: functions are called once, with symbols, as those of models are; use functions of numpy in them. B and all tangents
    then come from formulas: they need not be given, and `check` shows how well they agree with differences.

    >>> import numpy as np, polhode as ph
    >>> pendulum = ph.System(
    ...     nodes=[ph.R(2)], constraints=[1],
    ...     M=lambda p: np.eye(2), g=lambda p: [0, 9.81],
    ...     Phi=lambda p: [(p.q @ p.q - 1) / 2], B=lambda p: [p.q],
    ... )
    >>> r = pendulum.sim([1, 0], [0, 0], h=1e-2, t_end=1).run()
    >>> round(float(np.linalg.norm(r.node["0"].q[-1])), 12)
    1.0
    >>> ball = ph.System([ph.R(2)], lambda p: np.eye(2), lambda p: [0, 9.81], lambda p: [(p.q @ p.q - 1) / 2], constraints=[1], traced=True)
    >>> ball.check([0.6, 0.8], [1, 2]).error < 1e-8
    True
    """

    def __init__(
        self,
        nodes: Nodes,
        M: Callback,
        g: Callback,
        Phi: Callback | None = None,
        B: Callback | None = None,
        constraints: Constraints = (),
        *,
        nonholonomic: Iterable[int] = (),
        Phi_t: Callback | None = None,
        convective: Callback | None = None,
        C: Callback | None = None,
        K: Callback | None = None,
        Z: Callback | None = None,
        g_lambda: Callback | None = None,
        mass_constant: bool = False,
        rheonomic: bool = False,
        force_lambda: bool = False,
        redundant: int = 0,
        traced: bool = False,
        name: str = "system",
    ) -> None:
        named = nodes if isinstance(nodes, Mapping) else {str(k): n for k, n in enumerate(nodes)}
        rows = constraints if isinstance(constraints, Mapping) else {
            str(k): n for k, n in enumerate([constraints] if isinstance(constraints, int) else constraints)
        }  # fmt: skip
        for key, node in named.items():
            if not isinstance(node, Group):
                raise UsageError(f"node '{key}': {node!r} is not a group, such as polhode.SO3 or polhode.R(3)")
        self.nodes: list[Group] = list(named.values())
        self.name = name
        self._q_at = np.cumsum([0] + [n.size for n in self.nodes]).tolist()
        self._v_at = np.cumsum([0] + [n.dim for n in self.nodes]).tolist()
        self._l_at = np.cumsum([0, *rows.values()]).tolist()
        self._rot = [lib.ph_group_get(n._code).rot for n in self.nodes]
        self.nq, self.nv, self.nl = int(self._q_at[-1]), int(self._v_at[-1]), int(self._l_at[-1])
        self._raised: list[BaseException] = []
        self._kept: list[Any] = []
        self._c = ffi.new("ph_system *")
        self._fill_lists(named, rows, set(nonholonomic))
        given = {"M": M, "g": g, "Phi": Phi, "B": B, "Phi_t": Phi_t, "convective": convective, "C": C, "K": K, "Z": Z, "g_lambda": g_lambda}
        if traced:
            if self.nl and Phi is None:
                raise UsageError("constraints need Phi")
            known = Traced(self.nodes, self.nl, {k: f for k, f in given.items() if f is not None and k in ("M", "g", "Phi", "B", "Phi_t")}, bool(set(nonholonomic)))
            given = {**known.functions, **{k: f for k, f in given.items() if f is not None and k not in known._parts}}
            mass_constant = mass_constant or not known.depends("M", "q", "R", "t", "v")
            rheonomic = rheonomic or bool(self.nl) and (known.depends("Phi", "t") or Phi_t is not None)
        flags = (lib.PH_MASS_CONSTANT * mass_constant) | (lib.PH_RHEONOMIC * rheonomic) | (lib.PH_FORCE_LAMBDA * force_lambda)
        self._c.flags, self._c.n_redundant = flags, redundant
        if self.nl and (given.get("Phi") is None or given.get("B") is None):
            raise UsageError("constraints need Phi and B")
        for key, f in given.items():
            if f is not None:
                setattr(self._c, key, self._callback(key, f))

    def _keep(self, c: Any) -> Any:
        self._kept.append(c)
        return c

    def _fill_lists(self, nodes: Mapping[str, Group], rows: Mapping[str, int], nonholonomic: set[int]) -> None:
        c = self._c
        c.name = self._keep(ffi.new("char[]", self.name.encode()))
        c.n_nodes, c.n_constraints = len(nodes), len(rows)
        c.nodes = own = self._keep(ffi.new("ph_node[]", max(1, len(nodes))))
        for k, (name, node) in enumerate(nodes.items()):
            own[k].group, own[k].n = node._code, node.dim
            own[k].name = self._keep(ffi.new("char[]", name.encode()))
        c.constraints = lines = self._keep(ffi.new("ph_constraint[]", max(1, len(rows))))
        for k, (name, n) in enumerate(rows.items()):
            lines[k].rows, lines[k].nonholonomic = n, k in nonholonomic
            lines[k].name = self._keep(ffi.new("char[]", name.encode()))

    def _places(self, key: str) -> npt.NDArray[np.intp]:
        """Where the blocks of C, one after the other, stand in the array of full size."""
        at = {"v": self._v_at, "l": self._l_at}
        shape = _SHAPES[key]
        size = {"v": self.nv, "l": self.nl}
        if len(shape) == 1:
            return np.arange(size[shape[0]])
        full = np.arange(size[shape[0]] * size[shape[1]]).reshape(size[shape[0]], size[shape[1]])
        row, col = at[shape[0]], at[shape[1]]
        if key == "g_lambda":  # a block for each link, constraint by constraint, in the shape of B^T
            order = [(j, i) for i in range(len(col) - 1) for j in range(len(row) - 1)]
        else:
            order = [(i, j) for i in range(len(row) - 1) for j in range(len(col) - 1)]
        blocks = [full[row[i] : row[i + 1], col[j] : col[j + 1]].ravel() for i, j in order]
        return np.concatenate(blocks) if blocks else np.arange(0)

    def _callback(self, key: str, f: Callback) -> Any:
        size = {"v": self.nv, "l": self.nl}
        shape = tuple(size[k] for k in _SHAPES[key])
        places = self._places(key)
        me = weakref.ref(self)  # the simulation holds the system; a callback that held it too would never go

        def call(s: Any, out: Any, _: Any) -> int:
            system = me()
            assert system is not None
            try:
                x = np.asarray(f(Point(system, s)), dtype=np.float64)
                if x.shape != shape:
                    raise UsageError(f"{key} returned the shape {x.shape}; it must be {shape}")
                np.frombuffer(ffi.buffer(out, len(places) * 8), dtype=np.float64)[:] = x.ravel()[places]
            except BaseException as e:  # noqa: BLE001: it goes on in Python, behind the functions of C
                system._raised.append(e)
                return int(lib.PH_E_CALLBACK)
            return 0

        return self._keep(ffi.callback("ph_callback", call))

    def _reraise(self) -> None:
        """An exception of a function, now that C has returned."""
        if self._raised:
            e = self._raised[0]
            self._raised.clear()
            raise e

    def _point(self, name: str, x: npt.ArrayLike | None, n: int) -> Array:
        a = np.ascontiguousarray(np.zeros(n) if x is None else x, dtype=np.float64)
        if a.shape != (n,):
            raise UsageError(f"{name} has the shape {a.shape}; it must be ({n},)")
        if not np.isfinite(a).all():
            raise UsageError(f"{name} has numbers that are not finite")
        return a

    def check(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        vdot: npt.ArrayLike | None = None,
        lambda_: npt.ArrayLike | None = None,
        t: float = 0.0,
    ) -> Check:
        """Compare every derivative that is given with central differences at a point."""
        rng = np.random.default_rng(1)
        arrays = [
            self._point("q", q, self.nq),
            self._point("v", v, self.nv),
            self._point("vdot", rng.normal(size=self.nv) if vdot is None else vdot, self.nv),
            self._point("lambda_", rng.normal(size=self.nl) if lambda_ is None else lambda_, self.nl),
        ]
        worst, err = ffi.new("ph_check *"), ffi.new("ph_error *")
        status = lib.ph_system_check(self._c, t, *(ffi.from_buffer("double[]", a) if a.size else ffi.new("double[1]") for a in arrays), worst, err)
        self._reraise()
        if status:
            fail(status, err)
        what = ffi.string(worst.what).decode() if worst.what else ""
        return Check(worst.error, what, worst.row, worst.col, worst.i, worst.j, worst.given, worst.differenced)

    def sim(self, q0: npt.ArrayLike, v0: npt.ArrayLike, t0: float = 0.0, **options: Option) -> SystemSimulation:
        """A simulation from these values; options are the keys of run{} in model files."""
        return SystemSimulation(self, self._point("q0", q0, self.nq), self._point("v0", v0, self.nv), t0, options)

    def __repr__(self) -> str:
        return f"<system '{self.name}': {len(self.nodes)} nodes, {self.nv} velocities, {self.nl} constraint rows>"


class SystemSimulation(Simulation):
    """A simulation of a system of one's own: `node` by name in place of bodies."""

    def __init__(self, system: System, q0: Array, v0: Array, t0: float, options: Mapping[str, Option]) -> None:
        super().__init__(system.name, "")
        self.system, self._q0, self._v0, self._t0 = system, q0, v0, t0
        texts = [option_text(k, v) for k, v in options.items()]
        self._said = texts
        if any(t.startswith(("h=", "tol=")) for t in texts):
            self._create([])

    def _create(self, options: Sequence[str]) -> None:
        out, given = ffi.new("ph_run **"), Texts([*self._said, *options])
        q0, v0 = (ffi.from_buffer("double[]", a) if a.size else ffi.new("double[1]") for a in (self._q0, self._v0))
        status = lib.ph_run_create_system(out, self.system._c, self._t0, q0, v0, config_of(None, given), self._err)
        self.system._reraise()
        if status:
            fail(status, self._err)
        system = self.system

        def close(run: Any) -> None:
            lib.ph_run_close(run)
            system.name  # the system outlives its runs, in whatever order they are collected

        self._adopt(ffi.gc(out[0], close))

    def _reraise(self) -> None:
        self.system._reraise()
