"""compiled=True: the same numbers to Newton's tolerance, and a warning where there is no compiled model."""
import warnings

import numpy as np
import pytest

import polhode as ph

NEAR = 1e-8  # Newton's tolerance, over some hundred steps


@pytest.fixture(autouse=True)
def cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("POLHODE_CACHE", str(tmp_path_factory.getbasetemp() / "compiled"))


def test_run(models):
    own = ph.load(models / "heavy_top.lua").run(t_end=0.1)
    sim = ph.load(models / "heavy_top.lua")
    assert not sim.compiled
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        r = sim.run(t_end=0.1, compiled=True)
    assert sim.compiled
    assert np.abs(r["tip"] - own["tip"]).max() < NEAR and r.columns == own.columns
    assert (r["tip"] != own["tip"]).any()  # it was compiled
    sim.set(m=17)  # and stays so, with other parameters
    again = sim.run(t_end=0.1)
    assert sim.compiled and np.abs(again["tip"] - ph.load(models / "heavy_top.lua", m=17).run(t_end=0.1)["tip"]).max() < NEAR
    sim.set(m=15)
    assert np.array_equal(sim.run(t_end=0.1, compiled=False)["tip"], own["tip"])  # exact: its own steps
    assert not sim.compiled


def test_warnings(models, monkeypatch):
    with pytest.warns(ph.CompileWarning, match="redundant constraints.*goes on without"):
        r = ph.load(models / "four_bar.lua").run(t_end=0.01, compiled=True)
    assert r.t[-1] == pytest.approx(0.01)
    monkeypatch.setenv("CC", "no_such_compiler")
    sim = ph.load(models / "heavy_top.lua")
    with pytest.warns(ph.CompileWarning, match="'no_such_compiler' is not there"):
        sim.run(t_end=0.01, compiled=True)
    assert not sim.compiled
    with pytest.warns(ph.CompileWarning, match="'no_such_compiler' is not there; the sweep goes on without"):
        t = ph.sweep(models / "heavy_top.lua", m=[14, 15], t_end=0.01, compiled=True)
    assert t["status"].tolist() == ["ok", "ok"]
    monkeypatch.setenv("NVCC", "no_nvcc")
    with pytest.warns(ph.CompileWarning, match="'no_nvcc', is not there; the sweep goes on"):
        ph.sweep(models / "heavy_top.lua", m=[14, 15], t_end=0.01, gpu=True)


def test_studies(models):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        own, built = (ph.sweep(models / "heavy_top.lua", m=[14, 15, 16], t_end=0.1, compiled=c) for c in (False, True))
        t = ph.converge(models / "heavy_top.lua", [2e-3, 1e-3], t_end=0.1, formulation="index3", reference="finest", compiled=True)
    for name in ("tip.1", "tip.2", "tip.3"):
        assert np.abs(own[name] - built[name]).max() < NEAR and (own[name] != built[name]).any()
    assert abs(t["order.q"][1] - 2) < 0.15


def test_optimise(models):
    bounds = {"m": (5, 30), "J": (0.25, 0.8)}
    try:
        own = ph.optimise(models / "heavy_top_fit.lua", "fit", bounds)
    except ph.UsageError as e:
        pytest.skip(str(e))
    built = ph.optimise(models / "heavy_top_fit.lua", "fit", bounds, compiled=True)
    assert all(abs(own.x[k] - built.x[k]) < 1e-4 * abs(own.x[k]) for k in bounds)
    assert own.value != built.value  # it was compiled
