"""Derivatives against differences of runs, equilibria and modes against formulas."""
import numpy as np
import pytest

import polhode as ph

SPRING = """
model "hanging mass"
local k, d, m = param("k", 100), param("d", 2), param("m", 3)
gravity {0, 0, -9.81}
body { name = "b", mass = m, inertia = {1, 1, 1}, position = {0, 0, 0} }
joint { name = "guide", type = "prismatic", bodies = {"ground", "b"}, axis = {0, 0, 1} }
spring { bodies = {"ground", "b"}, at_a = {0, 0, 1}, k = k, d = d, length = 1 }
sensor { name = "z", type = "position", body = "b" }
objective { name = "vibration", integral = function(t, s) return (s.b.position[3] + 0.2943)^2 end }
objective { name = "last", final = function(s) return s.b.position[3] end }
run { t_end = 1, h = 1e-2 }
"""


def differences(f, x, eps):
    """Five-point central differences."""
    return (8 * (f(x + eps) - f(x - eps)) - (f(x + 2 * eps) - f(x - 2 * eps))) / (12 * eps)


def test_gradient():
    sim = ph.Model(SPRING).sim()
    value, grad = sim.value_and_grad("vibration", ["k", "d"])
    assert value == pytest.approx(ph.Model(SPRING).run().objectives["vibration"], rel=1e-12)
    for name, at, g in zip(["k", "d"], [100, 2], grad):
        d = differences(lambda x: ph.Model(SPRING).sim({name: x}).run().objectives["vibration"], at, 1e-3 * at)
        assert g == pytest.approx(d, rel=1e-6)  # derivative
    moved, _ = sim.value_and_grad("vibration", ["k", "d"], [120, 3])
    assert moved == pytest.approx(ph.load(ph.Model(SPRING), k=120, d=3).run().objectives["vibration"], rel=1e-12)
    with pytest.raises(ph.UsageError, match="shape"):
        sim.value_and_grad("vibration", ["k", "d"], [1, 2, 3])
    with pytest.raises(ph.UnknownName, match="did you mean 'vibration'"):
        sim.value_and_grad("vibratio", ["k"])


def test_scipy_takes_it():
    optimize = pytest.importorskip("scipy.optimize")
    sim = ph.Model(SPRING).sim()
    found = optimize.minimize(lambda x: sim.value_and_grad("vibration", ["d"], x), [1.0], jac=True, bounds=[(0.1, 60)])
    assert found.success
    values = [sim.value_and_grad("vibration", "d", [d])[0] for d in found.x[0] * np.array([0.98, 1, 1.02])]
    assert values[1] <= min(values) + 1e-12


def test_direct(models):
    sim = ph.load(models / "heavy_top.lua")
    S = sim.sens(["m"], t_end=0.1)
    assert S["tip"].shape == (3, 1) and S.joint["pivot"].force.shape == (3, 1) and S.body["top"].rotation.shape == (3, 1)

    def end(m):
        return ph.load(models / "heavy_top.lua", m=m).run(t_end=0.1)

    d = differences(lambda m: end(m)["tip"][-1], 15.0, 1e-3)
    f = differences(lambda m: end(m).joint["pivot"].force[-1], 15.0, 1e-3)
    assert np.abs(S["tip"][:, 0] - d).max() < 1e-7 * np.abs(d).max()  # derivative
    assert np.abs(S.joint["pivot"].force[:, 0] - f).max() < 1e-6 * np.abs(f).max()
    motor = ph.load(models / "dc_motor.lua").sens(["kp"], t_end=0.05)  # its sensor current is the state i
    assert np.abs(motor.state["i"] - motor["current"]).max() < 1e-9 * np.abs(motor["current"]).max()  # derivative
    with pytest.raises(ph.UnknownName):
        S["tipp"]
    with pytest.raises(ph.UsageError, match="neither"):
        sim.sens(["m"], mode="forwards")


def test_both_ways_agree():
    sim = ph.Model(SPRING).sim()
    direct, adjoint = sim.sens(["k", "m"]), sim.sens(["k", "m"], mode="adjoint")
    assert np.allclose(direct["last"], adjoint["last"], rtol=1e-7, atol=0)  # derivative
    assert np.allclose(direct["z"][2], direct["last"], rtol=1e-7, atol=0)
    assert np.allclose(direct["vibration"], adjoint["vibration"], rtol=1e-7, atol=0)


UPRIGHT = """
gravity {0, 0, -9.81}
body { name = "bar", mass = 2, inertia = {0.2, 0.3, 0.25}, position = {0, 0, 0.4} }
joint { name = "pivot", type = "revolute", bodies = {"ground", "bar"}, at = {0, 0, 0}, axis = {0, 1, 0} }
run { t_end = 1, h = 1e-2 }
"""

SLOPE = """
gravity {0, 0, -9.81}
local a = 20*math.pi/180
body { name = "block", mass = 3, inertia = {1, 1, 1} }
joint { name = "slope", type = "prismatic", bodies = {"ground", "block"}, axis = {math.cos(a), 0, -math.sin(a)}, friction = param("mu", 0.5) }
run { t_end = 1, h = 1e-2 }
"""


def test_unstable_equilibrium():
    sim = ph.Model(UPRIGHT).sim()
    sim.static()
    assert sim.static_stats.stability == "unstable"
    assert sim.static_stats.growth == pytest.approx(np.sqrt(2 * 9.81 * 0.4 / (0.3 + 2 * 0.16)), rel=1e-9)
    assert [w.what for w in sim.warnings] == ["unstable"]
    sim.reset()
    assert not sim.warnings
    rest = sim.static(stable=True)
    assert sim.static_stats.stability == "stable" and sim.static_stats.left == 1 and not sim.warnings
    assert rest.body["bar"].position[2] == pytest.approx(-0.4, rel=1e-9)


def test_friction_holds():
    sim = ph.Model(SLOPE).sim()
    sim.static()
    assert sim.static_stats.held == {"slope": pytest.approx(np.tan(np.radians(20)) / 0.5, rel=1e-9)}
    with pytest.raises(ph.NumericalFailure, match="joint 'slope' slips: it needs a friction of at least 0.364"):
        ph.Model(SLOPE).sim(mu=0.3).static()


def test_equilibrium_and_modes():
    sim = ph.Model(SPRING).sim()
    rest = sim.static()
    # round-off: k z = -m g; Newton's tolerance of positions
    assert rest.body["b"].position[2] == pytest.approx(-3 * 9.81 / 100, rel=1e-9)
    assert sim.static_stats.iterations > 0
    assert sim.static_stats.stability == "stable" and sim.static_stats.held == {} and not sim.warnings
    modes = sim.modes()
    assert len(modes) == 1 and modes.freedom == 1 and modes.shapes.shape == modes.shares.shape
    mu = complex(-2 / 6, np.sqrt(100 / 3 - (2 / 6) ** 2))
    assert modes.values[0] == pytest.approx(mu, rel=1e-6)  # derivative
    assert modes.frequency[0] == pytest.approx(mu.imag / 2 / np.pi, rel=1e-6)
    assert modes.damping[0] == pytest.approx(-mu.real / abs(mu), rel=1e-5)
    pytest.importorskip("matplotlib")
    modes.plot()
