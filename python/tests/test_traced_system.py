"""Systems of one's own with traced functions: tangents against differences in every group, motion against the same functions called."""
import numpy as np
import polhode as ph
import pytest

m, J, G = 15.0, np.diag([0.234375, 0.46875, 0.234375]), np.array([0, 0, -9.81])
X = np.array([0.0, 1.0, 0.0])


def tilde(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def top(traced, **more):
    """The heavy top with nodes in R^3 and SO(3), as in test_system.py."""
    mass = np.block([[m * np.eye(3), np.zeros((3, 3))], [np.zeros((3, 3)), J]])

    def g(p):
        w = p.velocity(1)
        return np.concatenate([-m * G, np.cross(w, J @ w)])

    def B(p):
        return np.hstack([-np.eye(3), -p.R(1) @ tilde(X)])

    return ph.System({"x": ph.R(3), "R": ph.SO3}, lambda p: mass, g, lambda p: p.R(1) @ X - p.node(0), None if traced else B, {"pivot": 3}, traced=traced, name="top", **more)


def point(system, seed=5):
    rng = np.random.default_rng(seed)
    q = []
    for node in system.nodes:
        q.append(rng.normal(size=node.size) if node.name.startswith("R^") and node.size == node.dim else node.exp(rng.normal(size=node.dim)))
    return np.concatenate(q), rng.normal(size=system.nv)


def test_same_motion():
    start = [0, 1, 0, 1, 0, 0, 0], [4.61538, 0, 0, 0, 150, -4.61538]
    for formulation in ("ggl", "index3", "index2"):
        a, b = (top(traced).sim(*start, h=1e-3, t_end=0.05, formulation=formulation).run() for traced in (True, False))
        assert np.abs(a.node["x"].q - b.node["x"].q).max() < 1e-8  # Newton's tolerance: its matrices differ by differences
        assert a.stats.iterations <= b.stats.iterations


def test_tangents_of_the_top():
    system = top(True)
    check = system.check(*point(system))
    assert check.what and check.error < 1e-7  # derivative


@pytest.mark.parametrize("group", [ph.R(3), ph.SO3, ph.SE3, ph.R3xSO3], ids=lambda g: g.name)
def test_tangents_in_every_group(group):
    """M, g, Phi and all that follows, of functions that read q, R, v, t and lambda."""
    n = group.dim

    def M(p):
        out = np.eye(n, dtype=object) * 3.0
        out[0, 0] = 4 + np.sin(p.q[0]) * p.q[-1]
        out[0, 1] = out[1, 0] = 0.3 * np.cos(p.q[1])
        if n > 3 or group is ph.SO3:
            out[1, 1] = 3 + p.R(0)[0, 2] ** 2
        return out

    def g(p):
        base = [np.tanh(v) * q + t for v, q, t in zip(p.v, [*p.q, *p.q], [p.t] * n)]
        base[0] = base[0] + p.lambda_[0] * p.v[1] + np.maximum(p.q[0], 0.1) + abs(p.q[1]) ** 1.5
        return base

    def Phi(p):
        first = np.exp(-p.t) * p.q[0] + p.q[1] * p.q[2] - np.arctan2(p.q[2], 2.5)
        second = p.R(0)[2, 1] * p.q[0] if n > 3 or group is ph.SO3 else np.sqrt(1 + p.q[1] ** 2)
        return [first, second]

    system = ph.System([group], M, g, Phi, constraints=[2], traced=True)
    for seed in range(4):
        check = system.check(*point(system, seed), t=0.7)
        assert check.error < 3e-6, check  # derivative: central differences of second derivatives


def test_hyperbolic_functions():
    def g(p):
        x, v = p.q[0], p.v[0]
        first = np.sinh(x) + np.cosh(v) + np.arcsinh(x * v) + np.arctanh(x / 9)
        return [first, np.arccosh(1.5 + x * x) + np.hypot(x, v) + np.log10(2 + v * v) + np.cbrt(3 + x)]

    system = ph.System([ph.R(2)], lambda p: np.eye(2), g, traced=True)
    assert system.check([0.4, 0.3], [0.7, 0.2]).error < 1e-7  # derivative


def test_ways():
    """Comparisons: each way has its own tangents."""
    def g(p):
        if p.q[0] > 0:
            return [3 * p.q[0] ** 2 if p.v[0] < 1 else 5 * p.q[0], p.v[1]]
        return [np.where(p.t < 1, 2.0, 7.0) * p.q[0], 0]

    system = ph.System([ph.R(2)], lambda p: np.eye(2), g, traced=True)
    for q0, v0, t in [(1.0, 0.5, 0), (1.0, 2.0, 0), (-1.0, 0.5, 0), (-1.0, 0.5, 2)]:
        assert system.check([q0, 0.3], [v0, 0.2], t=t).error < 1e-7
    want = {(1.0, 0.5): 6.0, (1.0, 2.0): 5.0, (-1.0, 0.5): 2.0}
    called = ph.System([ph.R(2)], lambda p: np.eye(2), lambda p: np.array(g(p), dtype=float))
    for (q0, v0), _ in want.items():
        a, b = (s.sim([q0, 0.3], [v0, 0.2], h=1e-3, t_end=0.05).run() for s in (system, called))
        assert np.abs(a.node["0"].q - b.node["0"].q).max() < 1e-9


def test_rolling():
    """A non-holonomic row: a blade that moves along itself."""
    system = ph.System(
        [ph.R(3)], lambda p: np.diag([1.0, 1.0, 0.2]), lambda p: [0.3, 0, 0], lambda p: [0 * p.q[0]],
        lambda p: [[-np.sin(p.q[2]), np.cos(p.q[2]), 0]], [1], nonholonomic=[0], traced=True,
    )  # fmt: skip
    assert system.check([0.1, 0.2, 0.3], [1, 2, 3]).error < 1e-7
    r = system.sim([0, 0, 0], [1, 0, 1], h=1e-3, t_end=1, formulation="index2").run()
    q, v = r.node["0"].q, r.node["0"].v
    assert np.abs(-np.sin(q[:, 2]) * v[:, 0] + np.cos(q[:, 2]) * v[:, 1]).max() < 1e-9
    with pytest.raises(ph.UsageError, match="need B"):
        ph.System([ph.R(3)], lambda p: np.eye(3), lambda p: [0, 0, 0], lambda p: [p.q[0]], constraints=[1], nonholonomic=[0], traced=True)


def test_refused():
    with pytest.raises(ph.TraceError, match="system.*numpy"):
        import math

        ph.System([ph.R(1)], lambda p: [[1]], lambda p: [math.sin(p.q[0])], traced=True)
    with pytest.raises(ph.UsageError, match=r"g returned the shape \(1,\)"):
        ph.System([ph.R(2)], lambda p: np.eye(2), lambda p: [p.q[0]], traced=True)
    with pytest.raises(ph.UsageError, match="constraints need Phi"):
        ph.System([ph.R(2)], lambda p: np.eye(2), lambda p: [0, 0], constraints=[1], traced=True)
    with pytest.raises(ph.UsageError, match="no rotation"):
        ph.System([ph.R(2)], lambda p: np.eye(2), lambda p: p.R(0)[0, :2], traced=True)
