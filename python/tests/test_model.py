"""Models written in Python: the same numbers as model files, functions by symbols, errors at the line of Python."""
import inspect
import math
import pickle

import numpy as np
import pytest

import polhode as ph


def heavy_top(title="heavy top"):
    m = ph.Model(title=title)
    mass = m.param("m", 15.0)
    m.gravity([0, 0, -9.81])
    m.body(name="top", mass=mass, inertia=[0.234375, 0.46875, 0.234375], position=[0, 1, 0], omega=(0, 150, -4.61538))
    m.joint(name="pivot", type="spherical", bodies=["ground", "top"], at=[0, 0, 0])
    m.sensor(name="tip", type="position", body="top", at=np.array([0.0, 1, 0]))
    m.options(t_end=1.0, h=1e-3, method="genalpha", sigma=1, rho=0.9, formulation="ggl")
    return m


def test_equals_the_file(models):
    a, b = heavy_top().run(t_end=0.1), ph.load(models / "heavy_top.lua").run(t_end=0.1)
    assert np.array_equal(a["tip"], b["tip"]) and np.array_equal(a.joint["pivot"].force, b.joint["pivot"].force)  # exact
    a, b = heavy_top().sim(m=20).run(t_end=0.1), ph.load(models / "heavy_top.lua", m=20).run(t_end=0.1)
    assert np.array_equal(a["tip"], b["tip"])
    assert np.array_equal(ph.sweep(heavy_top(), m=[14, 16], t_end=0.01)["tip.1"], ph.sweep(models / "heavy_top.lua", m=[14, 16], t_end=0.01)["tip.1"])


def test_keys_are_those_of_the_reader():
    """Every element of the table is a method, and required keys have no default."""
    for name in ("body", "particle", "joint", "spring", "bushing", "force", "torque", "sensor", "constraint", "objective", "beam", "flexible"):
        assert callable(getattr(ph.Model, name))
    signature = inspect.signature(ph.Model.body)
    assert signature.parameters["mass"].default is inspect.Parameter.empty
    assert "from_" in inspect.signature(ph.Model.beam).parameters
    with pytest.raises(TypeError, match="colour"):
        ph.Model().body(name="b", mass=1, inertia=[1, 1, 1], colour="red")


def pushed(f, **more):
    m = ph.Model()
    m.body(name="b", mass=2.0, inertia=[1, 2, 3], velocity=[1, 2, 3], omega=[0.3, 0.1, 0.2])
    m.force(name="push", body="b", value=f)
    m.options(t_end=1, h=1e-2, **more)
    return m



LUA = """model "model"
body{ name = "b", mass = 2, inertia = {1, 2, 3}, velocity = {1, 2, 3}, omega = {0.3, 0.1, 0.2} }
force{ name = "push", body = "b", value = function(t, s) %s end }
run{ t_end = 1, h = 1e-2 }"""


@pytest.mark.parametrize(
    "f, lua",
    [
        (lambda t, s: [np.sin(3 * t), -s.b.velocity[1] ** 2, np.exp(-t)], "return math.sin(3*t), -s.b.velocity[2]^2, math.exp(-t)"),
        (
            lambda t, s: -5.0 * s.b.position * np.linalg.norm(s.b.velocity),
            "local p, v = s.b.position, s.b.velocity  local n = math.sqrt(v.x*v.x + v.y*v.y + v.z*v.z)  "
            "return -5*p.x*n, -5*p.y*n, -5*p.z*n",
        ),
        (lambda t, s: (1.0 if t < 0.5 else -1.0, 0, max(s.b.position[2], 1)), "return t < 0.5 and 1 or -1, 0, math.max(s.b.position.z, 1)"),
        (lambda t, s: np.cross(s.b.velocity, [0, 0, 2]), "local v = s.b.velocity return 2*v.y, -2*v.x, 0"),
        (lambda t, s: s.velocity * -0.5, "local v = s.velocity return -0.5*v.x, -0.5*v.y, -0.5*v.z"),
        (lambda t, s: [np.where(t > 0.3, 1.0, 2.0) * 1, np.arctan2(t, 2), np.hypot(3, t)], "return t > 0.3 and 1 or 2, math.atan(t, 2), math.sqrt(9 + t*t)"),
        (lambda t, s: [np.tanh(t), np.maximum(0.5, t), abs(t - 0.5) % 0.3], "local e = math.exp(2*t) return (e - 1)/(e + 1), math.max(0.5, t), math.abs(t - 0.5) % 0.3"),
        (lambda t, s: [np.sinh(t), np.cosh(t), np.cbrt(t - 0.3)], "return math.sinh(t), math.cosh(t), math.cbrt(t - 0.3)"),
        (lambda t, s: [np.arcsinh(t) + np.arccosh(1 + t), np.arctanh(t / 9), np.log10(1 + t)], "return math.asinh(t) + math.acosh(1 + t), math.atanh(t/9), math.log10(1 + t)"),
    ],
    ids=["functions", "vectors", "decision", "cross", "own body", "where", "tanh", "hyperbolic", "inverse"],
)
def test_functions(f, lua):
    ours, theirs = pushed(f).run(), ph.Model(LUA % lua).run()
    assert np.allclose(ours.body["b"].position, theirs.body["b"].position, rtol=0, atol=1e-12)  # round-off
    assert np.abs(ours.body["b"].position[-1] - [1, 2, 3]).max() > 1e-3  # it does something


def test_other_functions():
    """Drives, sensors, constraints, objectives."""
    m = ph.Model(title="all kinds")
    a = m.param("a", 0.5)
    m.gravity([0, 0, -9.81])
    m.body(name="rod", mass=1, inertia=[0.1, 0.1, 0.1], position=[1, 0, 0])
    m.joint(name="hinge", type="revolute", bodies=["ground", "rod"], at=[0, 0, 0], axis=[0, 1, 0], drive=lambda t: a * (1 - np.cos(2 * t)))
    m.particle(name="bead", mass=1, position=[0, 3, 0], velocity=[1, 0, 0])
    m.constraint(name="wire", f=lambda t, s: s.bead.position[1] - 3 - 0.1 * s.bead.position[0] ** 2)
    m.sensor(name="height", custom=lambda t, s: s.rod.position[2])
    m.objective(name="work", integral=lambda t, s: s.sensors.height[0] ** 2, final=lambda s: s.rod.velocity[2])
    m.options(t_end=1, h=1e-2)
    r = m.run()
    angle = 0.5 * (1 - np.cos(2))
    assert r.joint["hinge"].position[-1] == pytest.approx(angle, abs=1e-9)
    assert r["height"][-1] == pytest.approx(-math.sin(angle), abs=1e-9)
    x, y, _ = r.body["bead"].position[-1]
    assert y == pytest.approx(3 + 0.1 * x * x, abs=1e-9)
    height = r["height"] ** 2
    expected = 0.5 * np.sum(np.diff(r.t) * (height[1:] + height[:-1])) + r.body["rod"].velocity[-1, 2]
    assert r.objectives["work"] == pytest.approx(expected, rel=1e-9)
    value, grad = m.sim().value_and_grad("work", ["a"])
    eps = 1e-4
    difference = (m.sim(a=0.5 + eps).run().objectives["work"] - m.sim(a=0.5 - eps).run().objectives["work"]) / (2 * eps)
    assert grad[0] == pytest.approx(difference, rel=1e-5)  # derivative


def test_decisions_nest():
    def f(t, s):
        if t < 0.3:
            return [1, 0, 0]
        if t < 0.6 and s.b.position[0] > 0:
            return [0, 1, 0] if s.b.velocity[2] > 0 else [0, 2, 0]
        return [0, 0, -1]

    text = pushed(f).text
    assert text.count(" if ") + text.count("(t, s) if") >= 4
    lua = """if t < 0.3 then return 1, 0, 0 end
    if t < 0.6 and s.b.position.x > 0 then if s.b.velocity.z > 0 then return 0, 1, 0 end return 0, 2, 0 end
    return 0, 0, -1"""
    assert np.array_equal(pushed(f).run().body["b"].position, ph.Model(LUA % lua).run().body["b"].position)  # exact


def counter():
    state = {"n": 0}

    def f(t, s):
        state["n"] += 1
        return [state["n"], 0, 0]

    return f


@pytest.mark.parametrize(
    "f, words",
    [
        (counter(), "keep values"),
        (lambda t, s: [np.random.rand() * t, 0, 0], "keep values"),
        (lambda t, s: [sum(range(t)), 0, 0], "bound of a loop"),
        (lambda t, s: "x", "not numbers|neither"),
        (lambda t, s: [float("nan"), 0, 0], "nan"),
        (lambda t, s: [1, 0, 0] if t < 1 else [1, 0], "fewer numbers"),
        (lambda t, s: [s.b.positon[0], 0, 0], "no 'positon'"),
    ],
)
def test_refused_functions(f, words):
    with pytest.raises(ph.TraceError, match=words) as e:
        pushed(f)
    assert "force 'push'" in str(e.value)


def test_errors_name_the_line_of_python():
    m = ph.Model()
    m.body(name="a", mass=1, inertia=[1, 1, 1])
    line = inspect.currentframe().f_lineno + 1
    m.body(name="b", mass=-1, inertia=[1, 1, 1])
    with pytest.raises(ph.ModelError) as e:
        m.run(h=1e-3)
    assert e.value.file == __file__ and e.value.line == line and "mass" in str(e.value)

    m = ph.Model()
    m.body(name="a", mass=1, inertia=[1, 1, 1])
    line = inspect.currentframe().f_lineno + 1
    m.joint(name="j", type="sperical", bodies=["ground", "a"], at=[0, 0, 0])
    with pytest.raises(ph.ModelError, match="spherical") as e:
        m.sim()
    assert (e.value.file, e.value.line) == (__file__, line)


def test_bad_values():
    for broken, words in [
        (lambda m: m.body(name="a", mass=float("nan"), inertia=[1, 1, 1]), "nan"),
        (lambda m: m.body(name="a", mass=1, inertia=[1, 1, 1], position=[0, 0, np.inf]), "inf"),
        (lambda m: m.body(name="a", mass=object(), inertia=[1, 1, 1]), "value of a model"),
        (lambda m: m.body(name="a", mass=lambda t: 1, inertia=[1, 1, 1]), "function makes no sense"),
        (lambda m: m.param("k", float("nan")), "k"),
    ]:
        with pytest.raises(ph.UsageError, match=words):
            broken(ph.Model())
    with pytest.raises(ph.TraceError, match="outside"):
        bool(ph.Model().param("k", 1) > 0)


def test_names_of_all_kinds():
    """Names with signs, quotes and words of Lua."""
    m = ph.Model(title='a "quoted" title\\')
    k = m.param("end", 2.0)
    m.body(name="left-wheel", mass=k, inertia=[1, 1, 1])
    m.body(name="right-wheel", mass=k + 1, inertia=[1, 1, 1], velocity=[1, 0, 0])
    m.force(body="left-wheel", value=lambda t, s: s["right-wheel"].velocity * k)
    r = m.run(t_end=1, h=0.1)
    assert r.body["left-wheel"].velocity[-1, 0] == pytest.approx(1) and r._layout.title == 'a "quoted" title\\'
    assert pickle.loads(pickle.dumps(r)).body["right-wheel"].velocity[0, 0] == 1


def test_long_expressions():
    def f(t, s):
        x = t
        for k in range(2000):
            x = x + 1e-3 * k
        y = x
        for _ in range(20):
            y = y * y / 1e6 + x
        return [y * 1e-9, 0, 0]

    def plain(t):
        x = t + 1e-3 * sum(range(2000))
        y = x
        for _ in range(20):
            y = y * y / 1e6 + x
        return y * 1e-9

    r = pushed(f).run()
    a = r.body["b"].acceleration[:, 0] * 2
    assert np.allclose(a[1:-1], [plain(t) for t in r.t[1:-1]], rtol=1e-2)
