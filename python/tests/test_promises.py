"""What the package promises, item by item: the example of its first page to the letter, interrupts, pickles, notebooks."""
import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
import _thread

import numpy as np
import polhode as ph
import pytest

STEERED = """model "steered"
gravity {0, 0, -9.81}
local k, d = param("k", 2), param("d", 0.1)
body { name = "rod", mass = 1, inertia = {0.1, 0.1, 0.1}, position = {0.5, 0, 0} }
joint { name = "hinge", type = "revolute", bodies = {"ground", "rod"}, at = {0, 0, 0}, axis = {0, 1, 0} }
input { name = "u" }
actuator { name = "motor", joint = "hinge", effort = function(t, s) return s.inputs.u - k*s.joints.hinge.position - d*s.joints.hinge.rate end }
sensor { name = "tip", type = "position", body = "rod" }
objective { name = "vibration", integral = function(t, s) return s.rod.velocity.z^2 end }
run { t_end = 0.5, h = 1e-2 }
"""


def test_the_example(models):
    """Line by line, as it is printed."""
    sim = ph.load(str(models / "heavy_top.lua"), m=16)
    r = sim.run(t_end=1.0, h=1e-3)
    assert r.t.shape == (1001,) and r["tip"].shape == (1001, 3)
    assert r.body["top"].position.shape == (1001, 3) and r.joint["pivot"].force.shape == (1001, 3)
    assert all(np.shares_memory(x, r.rows) for x in (r.t, r["tip"], r.body["top"].position, r.joint["pivot"].force))
    assert r.energy.kinetic.shape == (1001,) and r.stats.steps == 1000
    pytest.importorskip("pandas"), pytest.importorskip("matplotlib")
    assert len(r.to_pandas()) == 1001
    r.plot("tip")
    assert "</html>" in r.view().html and r._repr_html_().startswith("<iframe")
    S = sim.sens(["m"], mode="direct")
    assert S["tip"].shape == (3, 1)

    sim = ph.Model(STEERED).sim()
    while sim.t < 0.3:
        sim.input["u"] = -5 * sim.joint["hinge"].position
        sim.step()
    J, grad = ph.Model(STEERED).sim().value_and_grad("vibration", ["k", "d"])
    assert np.isfinite(J) and grad.shape == (2,) and np.abs(grad).min() > 0
    A, B, C, D = sim.linearise()
    assert A.shape == (2, 2) and B.shape == (2, 1) and C.shape == (3, 2) and D.shape == (3, 1)
    m = ph.load(str(models / "hanging_top.lua")).modes()
    eq = ph.load(str(models / "double_pendulum.lua")).static()
    assert len(m.frequency) > 0 and eq.body
    table = ph.sweep(str(models / "chain.lua"), N=[10, 100], jobs=2, t_end=0.01)
    assert table.rows.dtype.names is not None and table["N"].tolist() == [10, 100]


def test_other_options(models):
    for options in ({"tol": 1e-6}, {"formulation": "ggl"}, {"method": "bliedf", "order": 4}):
        sim = ph.load(str(models / "heavy_top.lua"))
        assert sim.run(t_end=0.05, h=1e-3, **options).t[-1] == pytest.approx(0.05)


def test_interrupted_gradient():
    """Ctrl-C ends a long gradient soon; the simulation goes on as if nothing had been."""
    sim = ph.Model(STEERED).sim()
    expected = sim.value_and_grad("vibration", ["k", "d"])
    sim.set_options(t_end=3e4)
    for wait in (0.1, 0.3):
        threading.Timer(wait, _thread.interrupt_main).start()
        begun = time.perf_counter()
        with pytest.raises(KeyboardInterrupt):
            sim.value_and_grad("vibration", ["k", "d"])
            pytest.fail("it was faster than the interrupt")
        assert time.perf_counter() - begun < 20
    sim.set_options(t_end=0.5)
    again = sim.value_and_grad("vibration", ["k", "d"])
    assert again[0] == expected[0] and np.array_equal(again[1], expected[1])  # exact


def test_stopped_gradient():
    """stop() ends a gradient, also on the way back: here an objective asks for it as soon as time runs backwards."""
    last, sims = [0.0], []

    def speed(t, s):
        if t < last[0] - 1e-9 and sims:
            sims[0].stop()
        last[0] = t
        return s.b.velocity[0] ** 2

    m = ph.Model()
    k = m.param("k", 3.0)
    m.body(name="b", mass=1, inertia=[1, 1, 1], position=[1, 0, 0])
    m.force(body="b", value=lambda t, s: -k * s.position)
    m.objective(name="way", integral=ph.called(speed))
    m.options(t_end=0.2, h=1e-3)
    sim = m.sim()
    value = sim.value_and_grad("way", ["k"])
    sims.append(sim)
    with pytest.raises(ph.Stopped, match="way back|stopped at t"):
        sim.value_and_grad("way", ["k"])
    sims.clear()
    again = sim.value_and_grad("way", ["k"])
    assert again[0] == value[0] and again[1] == value[1]  # exact


def test_long_gradient():
    """Joints that turn are counted on the way back as on the way there."""
    sim = ph.Model(STEERED.replace("position = {0.5, 0, 0}", "position = {0.5, 0, 0}, omega = {0, 12, 0}")).sim()
    eps = 1e-4
    for t_end in (5, 20):
        sim.set_options(t_end=t_end)
        _, grad = sim.value_and_grad("vibration", ["k"], [2.0])
        difference = (sim.value_and_grad("vibration", ["k"], [2 + eps])[0] - sim.value_and_grad("vibration", ["k"], [2 - eps])[0]) / (2 * eps)
        assert grad[0] == pytest.approx(difference, rel=1e-4, abs=1e-7)  # derivative


def test_interrupted_derivatives():
    sim = ph.Model(STEERED).sim()
    sim.set_options(t_end=1e5)
    threading.Timer(0.2, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        sim.sens(["k"])
    sim.set_options(t_end=0.5)
    assert np.isfinite(sim.sens(["k"])["tip"]).all()


def test_interrupted_sweep(models, tmp_path):
    """What was computed stays in FILE.part, and the same call goes on."""
    script = f"import polhode as ph; print('ready', flush=True); ph.sweep({str(models / 'heavy_top.lua')!r}, m=list(range(10, 400)), t_end=2, jobs=1, file='sweep.csv')"
    p = subprocess.Popen([sys.executable, "-c", script], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    assert p.stdout.readline().strip() == b"ready"
    part = tmp_path / "sweep.csv.part"
    for _ in range(600):
        if part.exists() and part.stat().st_size > 4000:
            break
        time.sleep(0.02)
    os.killpg(p.pid, signal.SIGINT)
    p.communicate(timeout=60)
    assert p.returncode != 0 and part.exists() and not (tmp_path / "sweep.csv").exists()
    kept = part.stat().st_size
    assert kept > 1000


def test_pickles(models):
    r = ph.load(str(models / "heavy_top.lua")).run(t_end=0.01)
    again = pickle.loads(pickle.dumps(r))
    assert np.array_equal(again.rows, r.rows) and again.stats == r.stats and repr(again) == repr(r)
    assert np.array_equal(again.body["top"].position, r.body["top"].position)
    s = ph.load(str(models / "heavy_top.lua")).sens(["m"], t_end=0.01)
    assert np.array_equal(pickle.loads(pickle.dumps(s))["tip"], s["tip"])
    m = ph.load(str(models / "hanging_top.lua")).modes()
    assert np.array_equal(pickle.loads(pickle.dumps(m)).frequency, m.frequency)
    now = ph.load(str(models / "heavy_top.lua")).now()
    assert np.array_equal(pickle.loads(pickle.dumps(now)).body["top"].position, now.body["top"].position)


def test_no_copies(models):
    """Rows of a result are those that C recorded: Python allocates next to nothing for them."""
    sim = ph.load(str(models / "heavy_top.lua"))
    sim.run(t_end=0.1)
    tracemalloc.start()
    r = sim.run(t_end=5, h=1e-4)
    views = r["tip"], r.body["top"].position, r.joint["pivot"].force
    used = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert r.rows.nbytes > 10e6 and used < 0.1 * r.rows.nbytes
    del r
    gc.collect()
    assert np.isfinite(views[0]).all()  # the block lives as long as its views


def test_no_warnings():
    """Nothing that Python or numpy will drop."""
    done = subprocess.run([sys.executable, "-W", "error", "-X", "dev", "-c", "import polhode as ph; ph.Model('body{ name = \"b\", mass = 1, inertia = {1, 1, 1} }').run(t_end=1, h=0.1)"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
