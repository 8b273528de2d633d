"""Functions that symbols cannot follow: Python is called back."""
import gc
import math
import pickle
import threading
import time
import warnings

import numpy as np
import polhode as ph
import pytest


def model(f, **more):
    m = ph.Model(title="called")
    k = m.param("k", 3.0)
    m.body(name="b", mass=2, inertia=[1, 1, 1], position=[1, 0, 0], velocity=[0, 1, 0])
    m.force(name="push", body="b", value=f(k), **more)
    m.sensor(name="x", type="position", body="b")
    m.objective(name="way", integral=lambda t, s: s.b.position[0] ** 2)
    m.options(t_end=1, h=1e-2)
    return m


def followed(k):
    return lambda t, s: [-k * s.position[0] + np.sin(t), -s.velocity[1] * abs(s.velocity[1]), 1.0]


def not_followed(k):
    def push(t, s):
        return [-float(k) * s.position[0] + math.sin(t), -s.velocity[1] * math.fabs(s.velocity[1]), 1]

    return push


def quietly(f):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ph.TraceWarning)
        return model(f)


def test_same_motion():
    """As the same function gives that is traced; parameters act."""
    with pytest.warns(ph.TraceWarning, match="force 'push': function 'push'.*called in Python") as seen:
        ours = model(not_followed)
    assert [w.filename for w in seen] == [__file__]  # the line that wrote the element
    theirs = model(followed)
    assert ours.called == ["force 'push'"] and theirs.called == []
    assert list(ours.sim().called) == ["force 'push'"] and theirs.sim().called == {}
    for k in (3, 7):
        a, b = ours.sim(k=k).run(), theirs.sim(k=k).run()
        assert np.allclose(a["x"], b["x"], rtol=0, atol=1e-9)  # round-off of Newton: tangents are differenced
    assert not np.allclose(ours.sim(k=3).run()["x"], a["x"], atol=1e-2)


def test_steps_and_derivatives():
    ours, theirs = quietly(not_followed).sim(), model(followed).sim()
    for _ in range(20):
        ours.step(), theirs.step()
    assert np.allclose(ours.body["b"].position, theirs.body["b"].position, rtol=0, atol=1e-9)
    # derivative: differences by parameters and by the state
    assert np.allclose(ours.sens("k").sensor["x"], theirs.sens("k").sensor["x"], rtol=1e-6, atol=1e-8)
    a, b = ours.value_and_grad("way", ["k"]), theirs.value_and_grad("way", ["k"])
    assert a[0] == pytest.approx(b[0], rel=1e-9) and a[1][0] == pytest.approx(b[1][0], rel=1e-5)
    eps = 1e-4
    difference = (theirs.value_and_grad("way", ["k"], [3 + eps])[0] - theirs.value_and_grad("way", ["k"], [3 - eps])[0]) / (2 * eps)
    assert a[1][0] == pytest.approx(difference, rel=1e-5)


def test_said_so():
    """called(f): no warning; reads: what no try has shown."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        m = model(lambda k: ph.called(followed(k)))
    assert m.called == ["force 'push'"] and "host(0, 3" in m.text
    assert np.allclose(m.run()["x"], model(followed).run()["x"], rtol=0, atol=1e-9)

    def late(k):
        return lambda t, s: [s.velocity[1] if 0.4995 < t < 0.5005 else 0.0, 0, 0]

    with pytest.raises(ph.UsageError, match=r"reads s.velocity\[1\].*reads="):
        model(lambda k: ph.called(late(k))).run()
    r = model(lambda k: ph.called(late(k), reads=lambda t, s: s.velocity)).run()
    assert r.t[-1] == pytest.approx(1)


def test_exceptions_come_out():
    class Torn(Exception):
        pass

    def tearing(k):
        def push(t, s):
            if 0.295 < t < 0.305:
                raise Torn("the rope")
            return [math.cos(t), 0, 0]

        return ph.called(push)

    sim = model(tearing).sim()
    with pytest.raises(Torn, match="the rope"):
        sim.run()
    t = sim.t
    assert 0.285 < t < 0.295  # the state as before
    assert len(sim.result().t) > 10  # and what was computed is there
    with pytest.raises(Torn):
        sim.step()
    assert sim.t == t
    with pytest.raises(ph.UsageError):  # another mistake is not that exception
        sim.set_options(h=-1)


def test_keyboard_interrupt():
    armed = []

    def interrupted(k):
        def push(t, s):
            if armed and t > 0.5:
                raise KeyboardInterrupt
            return [0, 0, 0]

        return ph.called(push)

    sim = model(interrupted).sim()
    armed.append(1)
    with pytest.raises(KeyboardInterrupt):
        sim.run()
    assert len(sim.result().t) > 40


@pytest.mark.parametrize(
    "f, words",
    [
        (lambda t, s: [np.random.rand() * math.sin(t), 0, 0], "keep values"),
        (lambda t, s: ["a", math.sin(t), 0], "neither a number|not numbers"),
        (lambda t, s: [float("nan") * math.sin(t), 0, 0], "number yet"),
        (lambda t, s: [math.sin(t), 0] if math.sin(t) > 0 else [0, 0, 0], "number yet"),
    ],
)
def test_refused(f, words):
    with pytest.raises(ph.TraceError, match=words):
        model(lambda k: f)


def test_wrong_number_of_numbers():
    with pytest.raises(ph.ModelError, match="3"):
        model(lambda k: ph.called(lambda t, s: [math.sin(t), 0])).sim()


def test_what_cannot_be_done():
    m = quietly(not_followed)
    for bad in (lambda: m.run().view(), lambda: ph.sweep(m, k=[1, 2])):
        with pytest.raises(ph.UsageError, match="force 'push'.*called in Python"):
            bad()
    with pytest.raises(ph.UsageError, match="program that read the model"):
        m.sim().freeze("none.json")
    r = m.run()
    again = pickle.loads(pickle.dumps(m))
    assert again.called == m.called
    with pytest.raises(ph.UsageError, match="force 'push'.*out of a pickle"):
        again.sim()
    assert np.array_equal(pickle.loads(pickle.dumps(r))["x"], r["x"])


def test_threads_and_garbage():
    """Four simulations at once; the model goes before its simulations."""
    m = quietly(not_followed)
    sims, out = [m.sim(k=k) for k in (3, 4, 5, 6)], {}
    want = [m.sim(k=k).run()["x"][-1] for k in (3, 4, 5, 6)]
    threads = [threading.Thread(target=lambda k=k, s=s: out.update({k: s.run()["x"][-1]})) for k, s in enumerate(sims)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert all(np.array_equal(out[k], want[k]) for k in range(4))
    sim = sims[0]
    del m, sims, threads
    gc.collect()
    sim.reset()
    assert np.array_equal(sim.run()["x"][-1], want[0])


def test_all_kinds():
    """Drives, sensors, constraints, objectives, actuators and states call back too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ph.TraceWarning)
        m = ph.Model(title="all kinds")
        m.gravity([0, 0, -9.81])
        m.body(name="rod", mass=1, inertia=[0.1, 0.1, 0.1], position=[1, 0, 0])
        m.joint(name="hinge", type="revolute", bodies=["ground", "rod"], at=[0, 0, 0], axis=[0, 1, 0], drive=lambda t: 0.5 * (1 - math.cos(2 * t)))
        m.particle(name="bead", mass=1, position=[0, 3, 0], velocity=[1, 0, 0])
        m.constraint(name="wire", f=lambda t, s: s.bead.position[1] - 3 - 0.1 * math.pow(s.bead.position[0], 2))
        m.sensor(name="height", custom=lambda t, s: math.fabs(s.rod.position[2]))
        m.objective(name="work", integral=lambda t, s: math.pow(s.sensors.height[0], 2), final=lambda s: math.floor(10 * s.rod.position[0]) / 10)
        m.options(t_end=1, h=1e-2)
    r = m.run()
    angle = 0.5 * (1 - math.cos(2))
    assert r.joint["hinge"].position[-1] == pytest.approx(angle, abs=1e-7)
    assert r["height"][-1] == pytest.approx(math.sin(angle), abs=1e-7)
    x, y, _ = r.body["bead"].position[-1]
    assert y == pytest.approx(3 + 0.1 * x * x, abs=1e-7)
    height = r["height"] ** 2
    assert r.objectives["work"] == pytest.approx(0.5 * np.sum(np.diff(r.t) * (height[1:] + height[:-1])) + math.floor(10 * math.cos(angle)) / 10, rel=1e-7)


def test_cost():
    """A call costs microseconds; generous, for loaded machines."""
    sim = quietly(not_followed).sim()
    begun = time.process_time()
    sim.run(t_end=10)
    assert time.process_time() - begun < 10
