"""Events and error bars of runs."""
import math
import pickle

import numpy as np
import pytest

import polhode as ph

G0 = 9.80665


def test_events(models):
    """Times by formula: a fall of h = 0.8 m, and rises that take as long."""
    fall = math.sqrt(2 * 0.8 / G0)
    r = ph.load(models / "bouncing_ball.lua").run(t_end=3, tol=1e-6, h=0.1)
    bounces = [e.t for e in r.events if e.name == "bounce"]
    # order: error/tol of genalpha is some units
    assert np.abs(np.array(bounces) - fall * np.arange(1, 2 * len(bounces), 2)).max() < 1e-4
    assert len(bounces) == 4 and {e.name for e in r.events} == {"touch", "leave", "bounce"}
    assert [e.t for e in r.events] == sorted(e.t for e in r.events)
    assert r.ended_by is None and r.t[-1] == pytest.approx(3)
    assert pickle.loads(pickle.dumps(r)).events == r.events


def test_an_event_ends_a_run(models):
    sim = ph.load(models / "trebuchet.lua")
    r = sim.run(h=5e-3)
    assert r.ended_by == r.events[-1].name == sim.ended_by
    assert sim.t == pytest.approx(r.events[-1].t) and sim.t < sim.t_end
    sim.reset()
    assert sim.events == [] and sim.ended_by is None


@pytest.mark.parametrize("kind", [lambda f: f, ph.called], ids=["traced", "called"])
def test_actions_have_values_of_functions(kind):
    """w grows as t from 1; at w = 1.5 it is thrown back to -0.5 w, and the input is twice the time there."""
    m = ph.Model(title="values")
    m.particle(name="p", mass=1)
    m.input(name="u", value=1, hold="step")
    m.state(name="w", initial=1, rate=lambda t, s: s.inputs.u)
    m.event(name="back", direction="up", when=lambda t, s: s.states.w - 1.5,
            action=[{"state": {"w": kind(lambda t, s: -0.5 * s.states.w)}}, {"set": {"u": kind(lambda t, s: 2 * t)}}])  # fmt: skip
    m.event(name="end", when=lambda t, s: t - 0.805, action="stop")
    m.options(t_end=1, h=1e-2)
    r = m.run()
    assert [e.name for e in r.events] == ["back", "end"] and r.events[0].t == pytest.approx(0.5, abs=1e-9)
    assert r.input["u"][-1] == pytest.approx(1, abs=1e-9)
    assert r.state["w"][-1] == pytest.approx(-0.75 + 0.305, abs=1e-9)  # round-off of places of events
    with pytest.raises(ph.UsageError, match="makes no sense"):
        m.event(name="odd", when=lambda t, s: t, action=[lambda t, s: 1, {"set": {"u": 1}}])


def test_a_model_without_events(models):
    r = ph.load(models / "heavy_top.lua").run(t_end=0.01)
    assert r.events == [] and r.ended_by is None
    with pytest.raises(ph.UsageError, match="error_bars=True"):
        _ = r.error


def test_error_bars(models):
    """They are the difference to a run of much smaller steps, but for a part that halves with h."""
    sim = ph.load(models / "heavy_top.lua")
    best = sim.run(t_end=0.1, h=1e-5)
    part = []
    for h in (1e-3, 5e-4):
        r = sim.run(t_end=0.1, h=h, error_bars=True)
        true = best["tip"][-1] - r["tip"][-1]
        part.append(np.abs(r.error["tip"] - true).max() / np.abs(true).max())
        assert r.error.body["top"].rotation.shape == (3,) and r.error.body["top"].omega.shape == (3,)
        assert r.error.joint["pivot"].force.shape == (3,)
    assert part[0] < 0.3 and 0.35 < part[1] / part[0] < 0.65  # order 1 of what error bars leave
    assert pickle.loads(pickle.dumps(r)).error["tip"] == pytest.approx(r.error["tip"])


def test_no_error_bars_of_other_methods(models):
    with pytest.raises(ph.Error, match="genalpha"):
        ph.load(models / "heavy_top.lua").run(t_end=0.01, method="rkmk", error_bars=True)
