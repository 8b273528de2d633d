"""Groups on arrays: identities, differences, broadcasting, bad input."""
import numpy as np
import pytest

import polhode as ph

GROUPS = [ph.so3, ph.se3, ph.r3xso3, ph.R(4)]


def rotation_matrix(w):
    """Rodrigues' formula."""
    a = np.linalg.norm(w)
    W = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]]) / a
    return np.eye(3) + np.sin(a) * W + (1 - np.cos(a)) * W @ W


@pytest.mark.parametrize("g", GROUPS, ids=lambda g: g.name)
def test_identities(g):
    rng = np.random.default_rng(18)
    x, u = rng.normal(size=(2, 6, 5, g.dim))
    q, p = g.exp(x), g.exp(u)
    assert q.shape == (6, 5, g.size)
    # round-off
    assert np.allclose(g.Ad(g.exp(g.log(q))), g.Ad(q), atol=1e-12)
    assert np.allclose(g.log(g.compose(q, g.inverse(q))), 0, atol=1e-12)
    assert np.allclose(g.T(x) @ g.Tinv(x), np.eye(g.dim), atol=1e-11)
    assert np.allclose(np.squeeze(g.hat(x) @ u[..., None], -1), -np.squeeze(g.hat(u) @ x[..., None], -1), atol=1e-12)
    assert np.allclose(g.Ad(g.compose(q, p)), g.Ad(q) @ g.Ad(p), atol=1e-12)
    assert np.array_equal(g.compose(q, g.identity), g.compose(q, np.broadcast_to(g.identity, q.shape)))


@pytest.mark.parametrize("g", GROUPS, ids=lambda g: g.name)
def test_derivatives(g):
    """d(exp x) = exp(x) tilde(T dx), and dT, dTinv, against central differences."""
    rng = np.random.default_rng(3)
    x, u = 0.7 * rng.normal(size=(2, g.dim))
    eps = 1e-5
    steps = eps * np.eye(g.dim)
    inverse = g.inverse(g.exp(x))
    ahead, back = (g.log(g.compose(inverse, g.exp(x + s * steps))) for s in (1, -1))
    assert np.allclose(((ahead - back) / (2 * eps)).T, g.T(x), atol=1e-9)  # derivative
    for f, d in ((g.T, g.dT), (g.Tinv, g.dTinv)):
        difference = ((f(x + steps) - f(x - steps)) @ u / (2 * eps)).T
        assert np.allclose(difference, d(x, u), atol=1e-9)


def test_rotations():
    rng = np.random.default_rng(7)
    w = rng.normal(size=(50, 3)) * 2
    R = ph.so3.matrix(ph.so3.exp(w))
    assert np.allclose(R, [rotation_matrix(v) for v in w], atol=1e-14)  # round-off
    assert np.allclose(ph.so3.matrix(ph.so3.from_matrix(R)), R, atol=1e-14)
    half_turns = np.array([np.diag(d) for d in ([1, -1, -1], [-1, 1, -1], [-1, -1, 1])], dtype=float)
    assert np.allclose(ph.so3.matrix(ph.so3.from_matrix(half_turns)), half_turns, atol=1e-14)


def test_bad_input():
    for broken in (
        lambda: ph.so3.exp([1, 2]),
        lambda: ph.so3.exp(1.0),
        lambda: ph.se3.log(np.zeros((3, 6))),
        lambda: ph.so3.exp([1, np.nan, 0]),
        lambda: ph.so3.from_matrix(np.ones((3, 3))),
        lambda: ph.so3.from_matrix(-np.eye(3)),
        lambda: ph.R(0),
    ):
        with pytest.raises(ph.UsageError):
            broken()
    with pytest.raises(ValueError):
        ph.so3.compose(np.ones((2, 4)), np.ones((3, 4)))
    assert ph.so3.exp(np.empty((0, 3))).shape == (0, 4)
