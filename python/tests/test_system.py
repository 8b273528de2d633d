"""Systems of one's own: the heavy top by its equations against the model file, checks of tangents, exceptions in functions."""
import gc
import weakref

import numpy as np
import pytest

import polhode as ph

m, J, G = 15.0, np.diag([0.234375, 0.46875, 0.234375]), np.array([0, 0, -9.81])
X = np.array([0.0, 1.0, 0.0])  # centre of mass in the body


def tilde(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


MASS = np.block([[m * np.eye(3), np.zeros((3, 3))], [np.zeros((3, 3)), J]])


def top(**more):
    """x in R^3, rotation in SO(3): Phi = R X - x, so that the point of the body at the origin stays there."""

    def g(p):
        w = p.velocity(1)
        return np.concatenate([-m * G, np.cross(w, J @ w)])

    def B(p):
        return np.hstack([-np.eye(3), -p.R(1) @ tilde(X)])

    return ph.System({"x": ph.R(3), "R": ph.SO3}, lambda p: MASS, g, lambda p: p.R(1) @ X - p.node(0), B, {"pivot": 3}, mass_constant=True, name="top", **more)


Q0, V0 = [0, 1, 0, 1, 0, 0, 0], [4.61538, 0, 0, 0, 150, -4.61538]


def test_equals_the_model(models):
    sim = top().sim(Q0, V0, h=1e-3, t_end=0.1, sigma=1, rho=0.9, formulation="ggl")
    r = sim.run()
    file = ph.load(models / "heavy_top.lua").run(t_end=0.1)
    # differenced tangents change the iterates of Newton's method, not what they come to: its tolerance is 1e-8
    assert np.abs(r.node["x"].q - file.body["top"].position).max() < 1e-8
    assert np.abs(r.node["R"].v - file.body["top"].omega).max() < 1e-6
    # m xddot = m G + lambda: the multipliers are the force of the pivot
    assert np.abs(r.constraint["pivot"].multipliers - file.joint["pivot"].force).max() < 1e-4
    assert r.columns[:4] == ["t", "pivot.lambda1", "pivot.lambda2", "pivot.lambda3"]
    assert sim.node["x"].q.shape == (3,) and sim.node["R"].q.shape == (4,)


def test_check():
    def C(p):
        w = p.velocity(1)
        c = np.zeros((6, 6))
        c[3:, 3:] = tilde(w) @ J - tilde(J @ w)
        return c

    rng = np.random.default_rng(5)
    q = np.concatenate([rng.normal(size=3), ph.so3.exp(rng.normal(size=3))])
    v = rng.normal(size=6)
    good = top(C=C).check(q, v)
    assert good.what in ("B", "C") and good.error < 1e-6  # derivative
    bad = top(C=lambda p: 1.1 * C(p)).check(q, v)
    assert bad.what == "C" and bad.row == 1 and bad.error > 1e-3 and "C differs" in repr(bad)


def test_blocks_are_in_their_places():
    """Three nodes of different sizes and two constraints: a wrong order of blocks would show in the differences."""
    rng = np.random.default_rng(2)
    A, D = rng.normal(size=(6, 6)), rng.normal(size=(3, 6))
    M = A @ A.T + 6 * np.eye(6)
    S = rng.normal(size=(6, 6))
    system = ph.System(
        [ph.R(1), ph.R(3), ph.R(2)], lambda p: M, lambda p: S @ p.v + 2 * S.T @ p.q, lambda p: D @ p.q, lambda p: D, [1, 2],
        C=lambda p: S, K=lambda p: 2 * S.T, mass_constant=True,
    )  # fmt: skip
    check = system.check(rng.normal(size=6), rng.normal(size=6))
    assert check.error < 1e-7  # derivative
    r = system.sim(np.zeros(6), np.linalg.svd(D)[2][-1], h=1e-3, t_end=0.1).run()
    # M vdot = -g - D^T lambda at the end, with blocks put together again
    v, vdot, q = (np.concatenate([getattr(r.node[k], x)[-1] for k in "012"]) for x in ("v", "vdot", "q"))
    lam = np.concatenate([r.constraint[k].multipliers[-1] for k in "01"])
    assert np.abs(M @ vdot + S @ v + 2 * S.T @ q + D.T @ lam).max() < 1e-6
    assert np.abs(D @ q).max() < 1e-10


def test_exceptions_come_out():
    class Mine(Exception):
        pass

    def g(p):
        if p.t > 0.05:
            raise Mine("enough")
        return np.zeros(3)

    sim = ph.System([ph.R(3)], lambda p: np.eye(3), g).sim([0, 0, 0], [1, 0, 0], h=1e-2, t_end=1)
    with pytest.raises(Mine, match="enough"):
        sim.run()
    assert 0 < sim.t < 0.07
    t = sim.t
    with pytest.raises(Mine):
        sim.step()
    assert sim.t == t
    with pytest.raises(Mine):
        ph.System([ph.R(3)], lambda p: np.eye(3), lambda p: (_ for _ in ()).throw(Mine())).sim([0, 0, 0], [0, 0, 0], h=1e-2)


def test_exceptions_are_forgotten():
    """A function that works again: what it raised before does not come back with a later failure."""
    what = {"now": "raise"}

    def g(p):
        if what["now"] == "raise":
            raise KeyError("once")
        return [np.nan if what["now"] == "nan" else 0.0]

    what["now"] = "work"
    sim = ph.System([ph.R(1)], lambda p: [[1.0]], g).sim([0], [1], h=0.1, t_end=1)
    what["now"] = "raise"
    with pytest.raises(KeyError, match="once"):
        sim.step()
    what["now"] = "work"
    sim.step()
    assert sim.node["0"].q[0] == pytest.approx(0.1)
    what["now"] = "nan"
    with pytest.raises(ph.NumericalFailure):
        sim.step()


def test_shapes_and_numbers():
    def system(**more):
        keys = {"M": lambda p: np.eye(3), "g": lambda p: np.zeros(3), **more}
        return ph.System([ph.R(3)], keys.pop("M"), keys.pop("g"), **keys)

    with pytest.raises(ph.UsageError, match=r"g returned the shape \(2,\); it must be \(3,\)"):
        system(g=lambda p: np.zeros(2)).sim([0, 0, 0], [0, 0, 0], h=1e-2).step()
    with pytest.raises(ph.UsageError, match="q0 has the shape"):
        system().sim([0, 0], [0, 0, 0], h=1e-2)
    with pytest.raises(ph.UsageError, match="not finite"):
        system().sim([0, 0, np.nan], [0, 0, 0], h=1e-2)
    with pytest.raises(ph.UsageError, match="need Phi and B"):
        system(constraints=1)
    with pytest.raises(ph.UsageError, match="not a group"):
        ph.System([3], lambda p: 1, lambda p: 0)
    with pytest.raises(ph.UsageError, match="no rotation"):
        system(g=lambda p: p.R(0)[0]).sim([0, 0, 0], [0, 0, 0], h=1e-2)
    with pytest.raises(ph.NumericalFailure):
        system(g=lambda p: [np.nan, 0, 0] if p.t > 0.02 else [0, 0, 0]).sim([0, 0, 0], [0, 0, 0], h=1e-2, t_end=1).run()
    with pytest.raises(ph.UsageError, match="no h"):
        system().sim([0, 0, 0], [0, 0, 0]).step()
    with pytest.raises(ph.UnknownName, match="no parameter"):
        system().sim([0, 0, 0], [0, 0, 0], h=1e-2).set(m=1)


def test_collected_in_any_order():
    system = top()
    sim = system.sim(Q0, V0, h=1e-3, t_end=0.01)
    r = sim.run()
    gone = weakref.ref(system)
    del system
    gc.collect()
    sim.step()  # the system lives as long as its simulations
    del sim
    gc.collect()
    assert gone() is None and r.node["x"].q.shape == (11, 3)
