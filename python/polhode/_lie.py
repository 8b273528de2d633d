"""Lie groups on arrays: operations over all leading axes, in C.

Conventions are those of the library: left-trivialised, q' = q o tilde(v). Rotations are unit quaternions, scalar first;
elements of SE(3) and of R^3 x SO(3) are position and quaternion, 7 numbers.
"""
from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._errors import UsageError
from ._native import ffi, lib
from ._values import Array

Like = npt.ArrayLike


class Group:
    """One group; `dim` numbers in its algebra, `size` numbers for an element.

    >>> import numpy as np, polhode as ph
    >>> w = np.random.default_rng(1).uniform(-1, 1, size=(5, 4, 3))
    >>> q = ph.so3.exp(w)
    >>> q.shape, bool(np.allclose(ph.so3.exp(ph.so3.log(q)), q))
    ((5, 4, 4), True)
    """

    def __init__(self, code: int, n: int = 0) -> None:
        self._code, self._n = code, n
        self.name = ffi.string(lib.ph_group_get(code).name).decode() if not n else f"R^{n}"
        self.dim: int = lib.ph_group_dim(code, n)
        self.size: int = lib.ph_group_size(code, n)

    def _each(self, op: int, a: Like, b: Like | None = None) -> Array:
        first, second, result = (ffi.new("int *") for _ in range(3))
        lib.ph_group_sizes(self._code, self._n, op, first, second, result)
        x = self._checked(a, first[0])
        y = self._checked(b, second[0]) if second[0] else None
        lead = x.shape[:-1] if y is None else np.broadcast_shapes(x.shape[:-1], y.shape[:-1])
        x = np.ascontiguousarray(np.broadcast_to(x, (*lead, first[0])))
        other = ffi.NULL
        if y is not None:
            y = np.ascontiguousarray(np.broadcast_to(y, (*lead, second[0])))
            other = ffi.from_buffer("double[]", y)
        count = int(np.prod(lead, dtype=np.int64))
        out = np.empty((*lead, result[0]))
        to = ffi.from_buffer("double[]", out, require_writable=True)
        if lib.ph_group_each(self._code, self._n, op, count, ffi.from_buffer("double[]", x), other, to):
            raise UsageError(f"{self.name} has no such operation")
        return out

    def _checked(self, a: Any, size: int) -> Array:
        x = np.asarray(a, dtype=np.float64)
        if x.ndim == 0 or x.shape[-1] != size:
            raise UsageError(f"{self.name}: an argument has the shape {x.shape}; its last axis must have {size} numbers")
        if not np.isfinite(x).all():
            raise UsageError(f"{self.name}: an argument has numbers that are not finite")
        return x

    def _matrix(self, m: Array) -> Array:
        return m.reshape(*m.shape[:-1], self.dim, self.dim)

    @property
    def identity(self) -> Array:
        """The neutral element."""
        return self.exp(np.zeros(self.dim))

    def compose(self, a: Like, b: Like) -> Array:
        """a o b."""
        return self._each(lib.PH_EACH_COMPOSE, a, b)

    def inverse(self, q: Like) -> Array:
        """q^-1."""
        return self._each(lib.PH_EACH_INVERSE, q)

    def exp(self, x: Like) -> Array:
        """The exponential map."""
        return self._each(lib.PH_EACH_EXP, x)

    def log(self, q: Like) -> Array:
        """Its inverse; the rotation part has a length of at most pi."""
        return self._each(lib.PH_EACH_LOG, q)

    def T(self, x: Like) -> Array:
        """Left tangent operator: d(exp x) = exp(x) tilde(T(x) dx)."""
        return self._matrix(self._each(lib.PH_EACH_T, x))

    def Tinv(self, x: Like) -> Array:
        """Its inverse; singular at an angle of 2 pi."""
        return self._matrix(self._each(lib.PH_EACH_TINV, x))

    def dT(self, x: Like, u: Like) -> Array:
        """d(T(x) u)/dx."""
        return self._matrix(self._each(lib.PH_EACH_DT, x, u))

    def dTinv(self, x: Like, u: Like) -> Array:
        """d(T(x)^-1 u)/dx."""
        return self._matrix(self._each(lib.PH_EACH_DTINV, x, u))

    def hat(self, x: Like) -> Array:
        """hat(x) y = [x, y]."""
        return self._matrix(self._each(lib.PH_EACH_HAT, x))

    def Ad(self, q: Like) -> Array:
        """q tilde(x) q^-1 = tilde(Ad(q) x)."""
        return self._matrix(self._each(lib.PH_EACH_AD, q))

    def __repr__(self) -> str:
        return f"<group {self.name}: {self.dim} dimensions, {self.size} numbers>"

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self._code, self._n)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Group) and (self._code, self._n) == (other._code, other._n)

    def __hash__(self) -> int:
        return hash((self._code, self._n))


class Rotations(Group):
    """SO(3), with rotation matrices."""

    def matrix(self, q: Like) -> Array:
        """Rotation matrices of unit quaternions: body to world."""
        return self.Ad(q)

    def from_matrix(self, R: Like) -> Array:
        """Unit quaternions of rotation matrices.

        >>> import numpy as np, polhode as ph
        >>> ph.so3.from_matrix([[0, -1, 0], [1, 0, 0], [0, 0, 1]]).round(6).tolist()
        [0.707107, 0.0, 0.0, 0.707107]
        """
        m = np.asarray(R, dtype=np.float64)
        if m.shape[-2:] != (3, 3):
            raise UsageError(f"so3: a rotation matrix has the shape {m.shape}; the last axes must be 3 x 3")
        if not np.allclose(m @ np.swapaxes(m, -1, -2), np.eye(3), atol=1e-6) or not (np.linalg.det(m) > 0).all():
            raise UsageError("so3: a matrix is not a rotation")
        # K of Shepperd's method: the row of its largest diagonal entry is q times a number that is not small
        t = np.trace(m, axis1=-2, axis2=-1)
        K = np.empty((*m.shape[:-2], 4, 4))
        K[..., 0, 0] = 1 + t
        for i, (j, k) in enumerate(((1, 2), (2, 0), (0, 1))):
            K[..., i + 1, i + 1] = 1 - t + 2 * m[..., i, i]
            K[..., 0, i + 1] = K[..., i + 1, 0] = m[..., k, j] - m[..., j, k]
            K[..., j + 1, k + 1] = K[..., k + 1, j + 1] = m[..., j, k] + m[..., k, j]
        best = np.argmax(np.diagonal(K, axis1=-2, axis2=-1), axis=-1)
        q = np.take_along_axis(K, best[..., None, None], axis=-2)[..., 0, :]
        return np.asarray(q / np.linalg.norm(q, axis=-1, keepdims=True))


so3 = Rotations(lib.PH_SO3)  #: rotations
se3 = Group(lib.PH_SE3)  #: rigid motions, velocities in the body
r3xso3 = Group(lib.PH_R3XSO3)  #: positions with velocities in the world, and rotations

SO3, SE3, R3xSO3 = so3, se3, r3xso3


def R(n: int) -> Group:
    """R^n, addition."""
    if n < 1:
        raise UsageError(f"R^{n} has no dimensions")
    return Group(lib.PH_RN, n)
