"""Systems of one's own whose functions are traced: all tangents by formula.

With q' = q o tilde(v) and an increment along coordinate j of a node, q o exp(e tilde(e_j)), leaves change by
(D2)  dx = e_j (R^n, R^3 x SO(3)),  dx = R e_j (SE(3)),  dp = p (0, e_j)/2,  dR = R tilde(e_j),
and from (D1)
(D3)  B = D Phi,  Phi_t = d Phi/dt,  C = dg/dv,  g_lambda = dg/dlambda,
      K = D (M vdot + g + B^T lambda),  Z = D (B v + Phi_t),  convective = Z v + d(B v + Phi_t)/dt.
"""
from __future__ import annotations

from typing import Any, Callable, Mapping, Sequence

import numpy as np

from ._derive import Zero, derivatives, function_of, leaves_of
from ._errors import UsageError
from ._lie import Group
from ._native import lib
from ._symbols import Expr, TraceError
from ._trace import explore

_ARGUMENTS = "t, q, v, a, lam, R"


def _leaves(name: str, n: int) -> Any:
    out = np.empty(n, dtype=object)
    for k in range(n):
        out[k] = Expr("leaf", (f"{name}[{k}]",))
    return out


class Symbols:
    """A point whose numbers are symbols: what a function of a traced system gets."""

    def __init__(self, nodes: Sequence[Group], rows: int) -> None:
        self._q_at = np.cumsum([0] + [n.size for n in nodes]).tolist()
        self._v_at = np.cumsum([0] + [n.dim for n in nodes]).tolist()
        turning = [lib.ph_group_get(n._code).rot >= 0 for n in nodes]
        self._R_at = [9 * sum(turning[:k]) if turning[k] else -1 for k in range(len(nodes))]
        self.t = Expr("leaf", ("t",))
        self.q, self.v = _leaves("q", self._q_at[-1]), _leaves("v", self._v_at[-1])
        self.vdot, self.lambda_ = _leaves("a", self._v_at[-1]), _leaves("lam", rows)
        self._R = _leaves("R", 9 * sum(turning))

    def node(self, k: int) -> Any:
        """The element of node k."""
        return self.q[self._q_at[k] : self._q_at[k + 1]]

    def velocity(self, k: int) -> Any:
        """The velocity of node k."""
        return self.v[self._v_at[k] : self._v_at[k + 1]]

    def R(self, k: int) -> Any:
        """The rotation matrix of node k, body to world."""
        if self._R_at[k] < 0:
            raise UsageError(f"node {k} has no rotation")
        return self._R[self._R_at[k] : self._R_at[k] + 9].reshape(3, 3)


def _turn(p: Symbols, k: int, at: int, j: int) -> dict[str, Any]:
    """(D2) of a rotation whose quaternion begins at `at` of the node, about axis j of the body."""
    w, x, y, z = p.node(k)[at : at + 4]
    first = p._q_at[k] + at
    moved = {0: (-x, w, z, -y), 1: (-y, -z, w, x), 2: (-z, y, -x, w)}[j]
    out: dict[str, Any] = {f"q[{first + i}]": c * 0.5 for i, c in enumerate(moved)}
    tilde = np.array([[0, 0, 0], [0, 0, 0], [0, 0, 0]])
    tilde[(j + 2) % 3, (j + 1) % 3], tilde[(j + 1) % 3, (j + 2) % 3] = 1, -1
    R = p.R(k)
    for a in range(3):
        for b in range(3):
            for c in range(3):
                if tilde[c, b]:
                    out[f"R[{p._R_at[k] + 3 * a + b}]"] = R[a, c] * float(tilde[c, b])
    return out


def _increments(p: Symbols, nodes: Sequence[Group]) -> list[dict[str, Any]]:
    """(D2) for all coordinates."""
    out = []
    for k, node in enumerate(nodes):
        first, code = p._q_at[k], node._code
        for j in range(node.dim):
            if code == lib.PH_RN or (code == lib.PH_R3XSO3 and j < 3):
                out.append({f"q[{first + j}]": 1.0})
            elif code == lib.PH_SO3:
                out.append(_turn(p, k, 0, j))
            elif j >= 3:
                out.append(_turn(p, k, 3, j - 3))
            else:  # SE(3), a position
                out.append({f"q[{first + i}]": p.R(k)[i, j] for i in range(3)})
    return out


def _over(tree: Any, f: Callable[[list[Any]], list[Any]]) -> Any:
    """The same ways with other results."""
    return (tree[0], _over(tree[1], f), _over(tree[2], f)) if isinstance(tree, tuple) else f(tree)


def _ends(tree: Any) -> list[list[Any]]:
    return [*_ends(tree[1]), *_ends(tree[2])] if isinstance(tree, tuple) else [tree]


def _is_zero(x: Any) -> bool:
    return x is Zero or (isinstance(x, Expr) and x.op == "number" and x.args[0] == 0)


class Traced:
    """The functions of a system as trees of expressions, and all that follows from them."""

    def __init__(self, nodes: Sequence[Group], rows: int, given: Mapping[str, Callable[[Any], Any]], nonholonomic: bool) -> None:
        self.p = p = Symbols(nodes, rows)
        self._steps = _increments(p, nodes)
        nv = len(p.v)
        shapes = {"M": (nv, nv), "g": (nv,), "Phi": (rows,), "B": (rows, nv), "Phi_t": (rows,)}
        self._parts: dict[str, slice] = {}
        if rows and "B" not in given and nonholonomic:
            raise UsageError("non-holonomic rows need B")

        def together() -> list[Any]:
            out: list[Any] = []
            for key, f in given.items():
                x = np.asarray(f(p), dtype=object)
                if x.shape != shapes[key]:
                    raise UsageError(f"{key} returned the shape {x.shape}; it must be {shapes[key]}")
                self._parts[key] = slice(len(out), len(out) + x.size)
                out += x.ravel().tolist()
            return out

        try:
            self.tree = explore(together)
        except TraceError as e:
            raise TraceError(f"a function of the system: {e}") from None
        self._rows, self._nv = rows, nv
        self.functions = {key: self._make(key) for key in self._keys(given)}

    def _keys(self, given: Mapping[str, Any]) -> list[str]:
        keys = ["M", "g", "C", "K"]
        if self._rows:
            keys += ["Phi", "B", "Phi_t", "convective", "Z"]
        if any(name.startswith("lam[") for name in leaves_of([x for end in _ends(self._list("g")) for x in end])):
            keys.append("g_lambda")
        return keys

    def depends(self, key: str, *names: str) -> bool:
        """Whether a function reads any of these: "q", "R", "t"."""
        read = leaves_of([x for end in _ends(self._list(key)) for x in end])
        return any(name.split("[")[0] in names for name in read)

    def _list(self, key: str) -> Any:
        return _over(self.tree, lambda end: self._entries(key, end))

    def _entries(self, key: str, end: list[Any]) -> list[Any]:
        """All entries of a function, row by row, of one way."""
        p, nv, rows = self.p, self._nv, self._rows
        if key in self._parts:
            return end[self._parts[key]]
        if key == "B":
            return [x for row in derivatives(self._entries("Phi", end), self._steps) for x in row]
        if key == "Phi_t":
            return [x[0] for x in derivatives(self._entries("Phi", end), [{"t": 1.0}])]
        if key in ("C", "g_lambda"):
            name, n = ("v", nv) if key == "C" else ("lam", rows)
            return [x for row in derivatives(self._entries("g", end), [{f"{name}[{k}]": 1.0} for k in range(n)]) for x in row]
        if key == "K":
            return [x for row in derivatives(self._residual(end), self._steps) for x in row]
        rate = self._rate(end)
        along = derivatives(rate, self._steps)
        if key == "Z":
            return [x for row in along for x in row]
        by_t = derivatives(rate, [{"t": 1.0}])
        return [_sum([_product(x, v) for x, v in zip(row, p.v)] + [t[0]]) for row, t in zip(along, by_t)]  # convective

    def _residual(self, end: list[Any]) -> list[Expr]:
        """M vdot + g + B^T lambda."""
        p, nv = self.p, self._nv
        M, g = self._entries("M", end), self._entries("g", end)
        B = self._entries("B", end) if self._rows else []
        return [
            _expr(_sum([_product(M[i * nv + j], p.vdot[j]) for j in range(nv)] + [g[i]] + [_product(B[c * nv + i], p.lambda_[c]) for c in range(self._rows)]))
            for i in range(nv)
        ]

    def _rate(self, end: list[Any]) -> list[Expr]:
        """B v + Phi_t."""
        B, b = self._entries("B", end), self._entries("Phi_t", end)
        return [_expr(_sum([_product(B[c * self._nv + j], self.p.v[j]) for j in range(self._nv)] + [b[c]])) for c in range(self._rows)]

    def _make(self, key: str) -> Callable[[Any], Any]:
        f = function_of(self._list(key), _ARGUMENTS)
        nv, rows = self._nv, self._rows
        shape = {"M": (nv, nv), "C": (nv, nv), "K": (nv, nv), "B": (rows, nv), "Z": (rows, nv), "g_lambda": (nv, rows), "g": (nv,)}.get(key, (rows,))
        turning = [k for k, at in enumerate(self.p._R_at) if at >= 0]

        def call(p: Any) -> Any:
            R = [x for k in turning for x in p.R(k).ravel().tolist()]
            return np.array(f(p.t, p.q.tolist(), p.v.tolist(), p.vdot.tolist(), p.lambda_.tolist(), R)).reshape(shape)

        return call


def _product(a: Any, b: Any) -> Any:
    return Zero if _is_zero(a) or _is_zero(b) else a * b


def _sum(terms: Sequence[Any]) -> Any:
    out: Any = Zero
    for x in terms:
        if not _is_zero(x):
            out = x if out is Zero else out + x
    return out


def _expr(x: Any) -> Expr:
    return x if isinstance(x, Expr) else Expr("number", (0.0 if x is Zero else float(x),))
