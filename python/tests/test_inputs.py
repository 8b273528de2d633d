"""Inputs, states, actuators and linear models: against formulas and against models that say the same in one function."""
import math

import numpy as np
import pytest

import polhode as ph


def hinge(effort, **more):
    """A rod on a hinge without gravity: J phi'' = effort."""
    m = ph.Model(title="hinge")
    m.input(name="u", hold="step")
    for name, keys in more.items():
        getattr(m, name)(**keys)
    m.body(name="rod", mass=1, inertia=[1, 1, 1])
    m.joint(name="hinge", type="revolute", bodies=["ground", "rod"], at=[0, 0, 0], axis=[0, 0, 1])
    m.actuator(name="motor", joint="hinge", effort=effort)
    m.sensor(name="angle", type="joint_position", joint="hinge")
    m.options(t_end=2, h=1e-3)
    return m


def test_a_controller_in_the_loop():
    """phi'' = -k (phi - 1) - d phi', held over each step, comes to 1, near to what the exact equation says."""
    sim = hinge("u").sim()
    while sim.t < 2 - 1e-9:
        joint = sim.joint["hinge"]
        sim.input["u"] = 25 * (1 - joint.position) - 10 * joint.rate
        assert sim.input["u"] == pytest.approx(25 * (1 - joint.position) - 10 * joint.rate)
        sim.step()
    exact = 1 - (1 + 5 * 2) * np.exp(-5 * 2)  # double root -5
    assert sim["angle"] == pytest.approx(exact, abs=2e-2 * np.exp(-2))
    assert dict(sim.input) == {"u": pytest.approx(0, abs=0.05)}
    assert isinstance(sim.effort["motor"], float)


def test_functions_see_joints_inputs_and_states():
    m = hinge(lambda t, s: 25 * (s.inputs.u - s.joints.hinge.position) - 10 * s.joints.hinge.rate,
              state={"name": "lag", "initial": 1.0, "rate": lambda t, s: -2 * s.states.lag})  # fmt: skip
    sim = m.sim()
    sim.input["u"] = 1.0
    r = sim.run()
    t = r.t
    assert np.abs(r["angle"] - (1 - (1 + 5 * t) * np.exp(-5 * t))).max() < 1e-4  # reference: the solution of the equation
    assert np.abs(r.state["lag"] - np.exp(-2 * t)).max() < 1e-5
    assert (r.input["u"] == 1).all() and r.effort["motor"][0] == pytest.approx(25)
    assert sim.state["lag"] == pytest.approx(np.exp(-4), abs=1e-5)


@pytest.mark.parametrize("kind", [lambda f: f, ph.called], ids=["traced", "called"])
def test_functions_read_lists(kind):
    """States of several numbers, joints of several coordinates and sensors of one, whichever comes first in the model."""
    m = ph.Model(title="lists")
    k = m.param("k", 4.0)
    m.actuator(name="a", joint="hinge", effort=kind(lambda t, s: -k * s.sensors.angle + 3 * s.states.x[1] + 2 * s.joints.table.rate[0] + s.joints.table.position[1]))
    m.state(name="x", initial=[1, 0], rate=kind(lambda t, s: [s.states.x[1], -s.states.x[0]]))
    m.state(name="y", initial=2, rate=kind(lambda t, s: -np.sqrt(1 + s.states.y**2) * s.states.y if s.states.y > 0 else s.states.y))
    m.body(name="rod", mass=1, inertia=[1, 1, 1])
    m.body(name="plate", mass=2, inertia=[1, 1, 1], velocity=[0.5, -0.25, 0])
    m.joint(name="hinge", type="revolute", bodies=["ground", "rod"], at=[0, 0, 0], axis=[0, 0, 1])
    m.joint(name="table", type="planar", bodies=["ground", "plate"], at=[0, 0, 0], normal=[0, 0, 1])
    m.sensor(name="angle", type="joint_position", joint="hinge")
    m.objective(name="seen", integral=kind(lambda t, s: s.sensors.angle**2), final=kind(lambda s: s.states.x[0] + s.sensors.angle))
    m.options(t_end=1, h=1e-3)
    r = m.run()
    t = r.t
    exact = np.stack([np.cos(t), -np.sin(t)], axis=-1)
    assert np.abs(r.state["x"] - exact).max() < 1e-6  # order: h^2
    assert np.abs(r.state["y"] - 1 / np.sinh(t + np.arcsinh(0.5))).max() < 1e-6  # reference: y' = -y sqrt(1 + y^2)
    effort = -4 * r["angle"] + 3 * r.state["x"][:, 1] + 2 * 0.5 - 0.25 * t
    assert np.abs(r.effort["a"] - effort).max() < 1e-6
    square = r["angle"] ** 2
    integral = 0.5 * np.sum(np.diff(t) * (square[1:] + square[:-1]))
    assert r.objectives["seen"] == pytest.approx(integral + r.state["x"][-1, 0] + r["angle"][-1], abs=1e-7)


def test_lists_have_no_length_yet():
    m = ph.Model()
    for read in (lambda t, s: list(s.states.x), lambda t, s: s.states.x[-1], lambda t, s: s.states.x["a"], lambda t, s: sum(s.sensors.q)):
        for f in (read, ph.called(read)):
            with pytest.raises(ph.TraceError, match="index"):
                m.state(name="x", initial=[1, 0], rate=f)


def test_a_called_function_sees_floats():
    """Whatever a float can do, before anybody knows whether it is one number or a list."""
    seen = {}

    def rate(t, s):
        x = s.states.x
        seen.update(int=int(x), text=f"{x:.1f}", whole=x.is_integer(), round=round(x, 2), floor=math.floor(x), exp=math.exp(x), array=np.array([1.0, 2.0]) * x,
                    sin=np.sin(x), both=(x - x, x == x, 2 // (x + 3), bool(x), -x, abs(x), divmod(x, 2)), list=[x * p, p * x, p > x])  # fmt: skip
        return -s.states.x

    m = ph.Model()
    p = m.param("p", 3.0)
    m.particle(name="b", mass=1)
    m.state(name="x", initial=2.5, rate=ph.called(rate))
    m.options(t_end=1, h=1e-2)
    assert m.run().state["x"][-1] == pytest.approx(2.5 * math.exp(-1), abs=1e-4)
    assert seen["array"].dtype == float and isinstance(seen["sin"], float)
    assert seen["both"][0] == 0 and seen["both"][1] is True


def test_tables():
    sim = hinge("u").sim()
    t = np.linspace(0, 2, 2001)
    sim.input["u"] = t, np.cos(t)
    r = sim.run()
    assert np.abs(r["angle"] - (1 - np.cos(r.t))).max() < 2e-3  # held over each step: first order
    with pytest.raises(ph.UsageError, match="shape"):
        sim.input["u"] = [0, 1, 2], [0, 1]
    with pytest.raises(ph.UsageError):
        sim.input["u"] = [0, 1, 0.5], [0, 1, 2]


def test_linearise_in_modes():
    sim = hinge("u").sim()
    whole, linear = sim.linearise(), sim.linearise(modes=5)
    assert linear.states == ["mode1", "mode1.rate"]
    assert np.allclose(linear.C @ linear.B + linear.C @ linear.A @ linear.B, whole.C @ whole.B + whole.C @ whole.A @ whole.B, rtol=1e-9, atol=1e-12)


def test_linearise():
    linear = hinge("u").sim().linearise()
    A, B, C, D = linear
    assert A.shape == (2, 2) and B.shape == (2, 1) and C.shape == (1, 2) and D.shape == (1, 1)
    # J phi'' = u: two integrators in a row, whatever the scale of coordinates
    assert np.allclose(A @ A, 0, atol=1e-9) and (C @ A @ B).item() == pytest.approx(1, rel=1e-6)
    assert linear.inputs == ["u"] and linear.outputs == ["angle"] and len(linear.states) == 2
    assert "2 states, 1 inputs" in repr(linear)
    assert (linear.eigenvalues == 0).all()  # free: exact


def test_eigenvalues_are_those_of_modes():
    m = ph.Model(title="swing")
    m.gravity([0, 0, -9.81])
    m.body(name="bob", mass=2, inertia=[0.1, 0.1, 0.1], position=[0, 0, -0.5])
    m.joint(name="hinge", type="revolute", bodies=["ground", "bob"], at=[0, 0, 0], axis=[0, 1, 0])
    m.options(t_end=1, h=1e-3)
    sim = m.sim()
    omega = np.sqrt(2 * 9.81 * 0.5 / 0.6)
    assert np.allclose(np.sort(sim.linearise().eigenvalues.imag), [-omega, omega], rtol=1e-12)
    assert np.isclose(abs(sim.modes().values[0].imag), omega, rtol=1e-12)


def test_bad_inputs():
    sim = hinge("u").sim()
    with pytest.raises(ph.UnknownName, match="did you mean 'u'|there is 'u'"):
        sim.input["uu"] = 1
    with pytest.raises(ph.UsageError):
        sim.input["u"] = float("nan")
    with pytest.raises(ph.UsageError, match="stays"):
        del sim.input["u"]


def test_what_is_no_table_and_no_state_is_told():
    sim = hinge("u").sim()
    for value, words in [((1,), "there are 1"), ((), "there are 0"), (("a", "b"), "two lists of numbers"),
                         (([0, 1], [1, 2, 3]), "both must be lists of one length")]:  # fmt: skip
        with pytest.raises(ph.UsageError, match=words):
            sim.input["u"] = value
    for saved, kind in [("x", "str"), (None, "NoneType"), (3, "int")]:
        with pytest.raises(ph.UsageError, match=f"the bytes that save gave, not a {kind}"):
            sim.restore(saved)
    sim.restore(bytearray(sim.save()))
    assert sim.t == 0


def test_a_sensor_without_a_value_says_why():
    """As the program does: which sensor, where, and what is wrong."""
    text = """body{ name = "b", mass = 1, inertia = {1, 1, 1} }
sensor{ name = "bad", custom = function(t, s) return math.sqrt(0.05 - t) end }
run{ t_end = 1, h = 1e-2 }"""
    sim = ph.Model(text).sim()
    sim.until(0.1)
    for look in (lambda: sim.sensor["bad"], lambda: sim["bad"]):
        with pytest.raises(ph.ModelError, match="sensor 'bad': what the function returns is not a number") as e:
            look()
        assert e.value.line == 2
