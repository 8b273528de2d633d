"""Simulations: from a file to numbers, against published digits and against the program."""
import gc
import json
import os
import pickle
import subprocess
import threading
import time
import weakref

import numpy as np
import pytest

import polhode as ph

# High-precision reference of models/heavy_top.lua: centre of mass and force at t = 1.
X_REFERENCE = [0.173343964098386, 0.640088592070569, -0.748490791133581]
F_REFERENCE = [-517.600739476900, -396.843101489554, 404.574925162885]

NO_H = 'model "no h"  body{ name = "b", mass = 1, inertia = {1, 1, 1} }'


def test_reference(models):
    r = ph.load(models / "heavy_top.lua").run(h=1e-4)
    # reference: errors of order h^2, below 1e-5 and 1e-1 of 500 N at this h
    assert np.abs(r.body["top"].position[-1] - X_REFERENCE).max() < 1e-5
    assert np.abs(r.joint["pivot"].force[-1] - F_REFERENCE).max() < 1e-2


def test_equals_the_program(models):
    """The same bits as the JSON of `polhode run`, which has 17 digits."""
    program = os.environ.get("POLHODE_PROGRAM")
    if not program:
        pytest.skip("POLHODE_PROGRAM is not set")
    for name in ("heavy_top", "slider_crank", "four_bar", "rolling_disc"):
        out = subprocess.run([program, "run", str(models / f"{name}.lua"), "--json", "--t-end", "0.1"], capture_output=True, check=True)
        json_ = json.loads(out.stdout)
        r = ph.load(models / f"{name}.lua").run(t_end=0.1)
        for body, numbers in json_["bodies"].items():
            for what in numbers:
                assert np.array_equal(getattr(r.body[body], what)[-1], numbers[what]), (name, body, what)
        for joint, numbers in json_["joints"].items():
            assert np.array_equal(r.joint[joint].force[-1], numbers["force"])
            assert np.array_equal(np.ravel(r.joint[joint].multipliers[-1]), numbers["lambda"])
        for sensor, numbers in json_["sensors"].items():
            assert np.array_equal(np.ravel(r[sensor][-1]), np.ravel(numbers)), (name, sensor)
        assert r.stats.steps == json_["steps"] and r.stats.iterations == json_["newton"]["iterations"]


def test_views(models):
    """Results are views of one block, which outlives the simulation."""
    sim = ph.load(models / "heavy_top.lua")
    r = sim.run(t_end=0.1)
    assert not r.rows.flags.owndata
    for view in (r.t, r["tip"], r.body["top"].rotation, r.joint["pivot"].force, r.energy.kinetic, r.violation, r.step):
        assert np.shares_memory(view, r.rows)
    kept = r["tip"].copy()
    again = sim.run(t_end=0.1, h=2e-3)
    assert np.array_equal(r["tip"], kept) and len(again) == 51
    tip, gone = r["tip"], weakref.ref(sim)
    del sim, r, again
    gc.collect()
    assert gone() is None
    assert np.array_equal(tip, kept)


@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="the sanitizer keeps memory that was given back")
def test_memory_is_not_copied(models):
    """A run of many rows takes the memory of its table, which doubles as it grows, and no second one."""
    import resource

    sim = ph.load(models / "heavy_top.lua")
    sim.run(t_end=0.1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    r = sim.run(t_end=262.143, h=1e-3)  # 2^18 rows: as many as there is room for
    block = r.rows.nbytes / 1024
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 1.6 * block  # the table and, when it grows last, half of it


def test_records(models):
    sim = ph.load(models / "heavy_top.lua")
    r = sim.run(t_end=0.1, record=["tip", "energy"], every=10)
    assert len(r) == 11 and r.columns[:4] == ["t", "tip.1", "tip.2", "tip.3"]
    assert r.energy.total.shape == (11,)
    with pytest.raises(ph.UnknownName, match="not recorded"):
        r.body["top"].position
    assert len(sim.run(t_end=0.1, record=None, every=1)) == 0
    with pytest.raises(ph.UnknownName, match="did you mean 'tip'"):
        sim.run(record=["tipp"])


def test_names_suggest(models):
    sim = ph.load(models / "heavy_top.lua")
    r = sim.run(t_end=0.01)
    for broken, near in [
        (lambda: r["tipp"], "tip"),
        (lambda: r.body["topp"], "top"),
        (lambda: sim.joint["pivo"], "pivot"),
        (lambda: sim.set(mm=1), "m"),
        (lambda: sim.parameters["mm"], "m"),
        (lambda: r.plot("tipp"), "tip"),
    ]:
        with pytest.raises(ph.UnknownName, match=f"did you mean '{near}'"):
            broken()
    with pytest.raises(ph.UnknownName, match="there is no sensor 'nope'; there are: 'tip', 'reaction', 'energy'"):
        r["nope"]
    with pytest.raises(ph.UnknownName, match=r"there is no body 'pivot'; 'pivot' is a joint"):
        r.body["pivot"]
    with pytest.raises(ph.UnknownName, match=r"there is no joint 'tip'; 'tip' is a sensor"):
        sim.joint["tip"]
    with pytest.raises(ph.UsageError, match="option method cannot be 'rk4'; there are: genalpha, "):
        sim.run(method="rk4")
    with pytest.raises(ph.UsageError, match="did you mean 'h'|no option"):
        sim.run(hh=1e-3)
    with pytest.raises(ph.UsageError, match="did you mean 'index3'"):
        sim.run(formulation="index4")
    with pytest.raises(ph.ModelError, match="did you mean 'm'|no parameter"):
        ph.load(models / "heavy_top.lua", mm=3)


def test_bad_numbers(models):
    sim = ph.load(models / "heavy_top.lua")
    for broken in (
        lambda: sim.set(m=float("nan")),
        lambda: sim.set(m="x"),
        lambda: sim.run(h=float("nan")),
        lambda: sim.run(h=-1.0),
        lambda: sim.run(t_end=float("inf")),
        lambda: sim.run(h=[1, 2]),
        lambda: sim.until(float("nan")),
        lambda: ph.load(models / "heavy_top.lua", m=float("nan")),
        lambda: sim.value_and_grad("x", ["m"]),
    ):
        with pytest.raises((ph.UsageError, ph.UnknownName)):
            broken()
    assert sim.run(t_end=0.01).stats.steps == 10  # it still works


def test_model_errors(models, tmp_path):
    path = tmp_path / "broken.lua"
    path.write_text('model "x"\n\nbody{ name = "a", mass = -1, inertia = {1, 1, 1} }\n')
    with pytest.raises(ph.ModelError) as e:
        ph.load(path)
    assert e.value.line == 3 and e.value.file == str(path) and "mass" in e.value.sentence
    again = pickle.loads(pickle.dumps(e.value))
    assert again.line == 3 and str(again) == str(e.value)
    with pytest.raises(FileNotFoundError):
        ph.load(tmp_path / "none.lua")
    with pytest.raises(ph.ModelError):
        ph.Model("this is not Lua").sim()


def test_no_step_size():
    sim = ph.Model(NO_H).sim()
    for broken in (sim.step, lambda: sim.t, lambda: sim.body["b"], sim.reset, lambda: sim.until(1), sim.now):
        with pytest.raises(ph.UsageError, match="no h"):
            broken()
    with pytest.raises(ph.UsageError, match="no t_end"):
        sim.run(h=0.1)
    assert sim.run(t_end=1, h=0.1).t[-1] == 1


def test_numerical_failure(models):
    """Named by the joint, with the state as before."""
    sim = ph.load(models / "heavy_top.lua")
    sim.set_options(max_iterations=1, h=0.05)
    with pytest.raises(ph.NumericalFailure) as e:
        sim.step()
    assert e.value.status == "newton_failed" and e.value.culprits[0][1] in ("top", "pivot")
    assert e.value.h == pytest.approx(0.05) and sim.t == 0
    assert pickle.loads(pickle.dumps(e.value)).culprits == e.value.culprits
    before = sim.body["top"].position
    with pytest.raises(ph.NumericalFailure):
        sim.step()
    assert np.array_equal(sim.body["top"].position, before)


def test_steps_and_until(models):
    a, b = ph.load(models / "heavy_top.lua"), ph.load(models / "heavy_top.lua")
    for _ in range(100):
        a.step()
    b.until(0.1)
    assert a.t == b.t and np.array_equal(a.body["top"].position, b.body["top"].position)
    assert isinstance(a["energy"], float) and a["tip"].shape == (3,)
    with pytest.raises(ph.UsageError, match="cannot go"):
        a.until(0.05)


def test_save_and_restore(models):
    sim = ph.load(models / "heavy_top.lua")
    sim.until(0.1)
    saved = sim.save()
    sim.until(0.2)
    end = sim.body["top"].position
    other = ph.load(models / "heavy_top.lua")
    other.restore(saved)
    other.until(0.2)
    assert np.array_equal(other.body["top"].position, end)
    with pytest.raises(ph.UsageError):
        ph.load(models / "heavy_top.lua", m=16).restore(saved)
    with pytest.raises(ph.UsageError):
        other.restore(saved[:100])


def test_interrupt_keeps_rows(models):
    """KeyboardInterrupt arrives within a long run; what was computed is there, and the run goes on."""
    import _thread

    sim = ph.load(models / "heavy_top.lua")
    threading.Timer(0.3, _thread.interrupt_main).start()
    begun = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        sim.run(t_end=1e5, every=1000, record=["tip"])
    assert time.perf_counter() - begun < 5
    r = sim.result()
    assert 2 < len(r) < 1e5 and r.t[-1] <= sim.t < 1e5
    t = sim.t
    sim.step()
    assert sim.t > t


def test_stop(models):
    sim = ph.load(models / "heavy_top.lua")
    sim.set_options(t_end=1e5)
    threading.Timer(0.1, sim.stop).start()
    with pytest.raises(ph.Stopped):
        sim.until(1e5)
    assert 0 < sim.t < 1e5


def test_threads(models):
    """Four at once give what one gives; two threads in one simulation are refused."""
    expected = ph.load(models / "slider_crank.lua").run().rows
    results = [None] * 4

    def work(k):
        results[k] = ph.load(models / "slider_crank.lua").run().rows

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(r, expected) for r in results)

    sim = ph.load(models / "heavy_top.lua")
    sim.set_options(t_end=1e5)
    worker = threading.Thread(target=lambda: pytest.raises(ph.Stopped, sim.until, 1e5))
    worker.start()
    while sim.t == 0:
        time.sleep(0.001)
    with pytest.raises(ph.UsageError, match="another thread"):
        sim.step()
    sim.stop()
    worker.join()
    sim.step()


def test_the_lock_of_the_interpreter_is_released(models, monkeypatch):
    """Others run while a long run computes: without that, this thread would wait for the end of the slice."""
    monkeypatch.setattr("polhode._simulation.AIR", 30.0)
    sim = ph.load(models / "heavy_top.lua")
    sim.set_options(t_end=1e5)
    worker = threading.Thread(target=lambda: pytest.raises(ph.Stopped, sim.until, 1e5))
    begun = time.perf_counter()
    worker.start()
    while sim.t == 0:
        time.sleep(0.001)
    sim.stop()
    worker.join()
    assert time.perf_counter() - begun < 20


def test_frozen_models(models, tmp_path):
    sim = ph.load(models / "heavy_top.lua", m=16)
    sim.freeze(tmp_path / "top.json")
    again = ph.load(tmp_path / "top.json").run(t_end=0.1)
    assert np.array_equal(again["tip"], sim.run(t_end=0.1)["tip"])  # exact
    with pytest.raises(FileNotFoundError):
        sim.freeze(tmp_path / "nowhere" / "top.json")
    with pytest.raises(ph.UsageError, match="system"):
        ph.System([ph.R(1)], lambda p: [[1.0]], lambda p: [0.0]).sim([0], [1], h=0.1).freeze(tmp_path / "no.json")
    assert [f.name for f in tmp_path.iterdir()] == ["top.json"]


def test_collected_in_any_order(models):
    import random

    rng = random.Random(1)
    for _ in range(20):
        model = ph.Model((models / "heavy_top.lua").read_text())
        sims = [model.sim() for _ in range(3)]
        things = [model, *sims] + [s.run(t_end=0.01) for s in sims]
        things += [r["tip"] for r in things[4:]] + [sims[0].body["top"]]
        rng.shuffle(things)
        del model, sims
        while things:
            things.pop()
            gc.collect(0)


def test_pickle(models):
    r = ph.load(models / "heavy_top.lua").run(t_end=0.05)
    again = pickle.loads(pickle.dumps(r))
    assert np.array_equal(again["tip"], r["tip"]) and again.stats == r.stats and repr(again) == repr(r)
    assert np.array_equal(again.joint["pivot"].force, r.joint["pivot"].force)


def test_pandas_and_plots(models):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("matplotlib")
    r = ph.load(models / "heavy_top.lua").run(t_end=0.05)
    frame = r.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and frame["top.x"].iloc[-1] == r.body["top"].position[-1, 0]
    assert len(r.plot("tip").lines) == 3 and len(r.plot("top.x", "energy").lines) >= 2
    assert "heavy top" in r._repr_html_()


def test_parameters(models):
    light, heavy = ph.load(models / "heavy_top.lua", m=10), ph.load(models / "heavy_top.lua", {"m": 20})
    assert (light.parameters["m"], heavy.parameters["m"]) == (10, 20)
    light.set(m=20)
    assert np.array_equal(light.run(t_end=0.1).rows, heavy.run(t_end=0.1).rows)


def test_other_sizes(models):
    """Another number of bodies: names and columns are those of the new model."""
    sim = ph.load(models / "chain.lua", N=3)
    few = len(sim.body)
    sim.set(N=5)
    assert len(sim.body) == few + 2
    r = sim.run(t_end=0.01)
    assert len(r.body) == few + 2 and r.body[list(r.body)[-1]].position.shape == (len(r), 3)


def test_snapshots(models):
    sim = ph.load(models / "heavy_top.lua")
    r = sim.run(t_end=0.1)
    now = sim.now()
    assert np.array_equal(now.body["top"].position, r.body["top"].position[-1])
    assert now["energy"] == r["energy"][-1] and np.array_equal(r.at(0.1)["tip"], now["tip"])
    assert sim.joint["pivot"].force.shape == (3,) and now.joint["pivot"].torque.shape == (3,)
