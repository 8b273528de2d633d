"""Studies: tables of the program; models written as text; bad input."""
import pickle

import numpy as np
import pytest

import polhode as ph


def test_converge(models):
    t = ph.converge(models / "heavy_top.lua", [4e-3, 2e-3, 1e-3], t_end=0.1, method=["genalpha", "bliedf"])
    assert len(t) == 6 and set(t["variant"]) == {"genalpha", "bliedf"}
    first = t.rows[t["variant"] == "genalpha"]
    assert abs(first["order.q"][-1] - 2) < 0.15  # order
    # the error is what two runs say: that at h = 1e-3 against a run of the method of order 6 with error control
    fine = ph.load(models / "heavy_top.lua").run(t_end=0.1, h=1e-3, method="rkmk", tol=1e-11)
    ours = ph.load(models / "heavy_top.lua").run(t_end=0.1, h=1e-3)
    error = ph.so3.log(ph.so3.compose(ph.so3.inverse(fine.body["top"].rotation), ours.body["top"].rotation))
    x = ours.body["top"].position - fine.body["top"].position
    worst = np.sqrt((error**2).sum(1) + (x**2).sum(1)).max()
    assert 0.5 < worst / first["error.q"][-1] < 2
    pytest.importorskip("matplotlib")
    assert len(t.plot().lines) == 6
    again = pickle.loads(pickle.dumps(t))
    assert np.array_equal(again["h"], t["h"]) and repr(again) == repr(t) and "<table>" in t._repr_html_()


def test_work(models):
    t = ph.work(models / "heavy_top.lua", [4e-3, 2e-3], t_end=0.1, repeats=1)
    assert len(t) == 2 and (t["cpu_s"] > 0).all() and t["error.q"][1] < t["error.q"][0]


def test_sweep(models, tmp_path):
    file = tmp_path / "sweep.csv"
    t = ph.sweep(models / "heavy_top.lua", m=[14, 16], rho=[0.5, 0.9], t_end=0.1, jobs=2, file=file)
    assert len(t) == 4 and file.exists()
    for row in t.rows:
        r = ph.load(models / "heavy_top.lua", m=row["m"]).run(t_end=0.1, rho=float(row["rho"]))
        assert [row[f"tip.{k}"] for k in (1, 2, 3)] == r["tip"][-1].tolist()  # exact
    with pytest.raises(ph.UsageError, match="vary"):
        ph.sweep(models / "heavy_top.lua", m=3)
    with pytest.raises(ph.UsageError):
        ph.sweep(models / "heavy_top.lua", mm=[1, 2])
    pytest.importorskip("pandas")
    assert set(t.to_pandas()["m"]) == {14, 16}


def test_models_as_text(models):
    text = (models / "heavy_top.lua").read_text()
    a = ph.sweep(ph.Model(text), m=[14, 16], t_end=0.01)
    b = ph.sweep(models / "heavy_top.lua", m=[14, 16], t_end=0.01)
    assert np.array_equal(a["tip.1"], b["tip.1"])


def test_transient_and_stability(models):
    t = ph.transient(models / "heavy_top.lua", 10)
    assert len(t) == 11 and t["plain"][1] > 0
    s = ph.stability(z=[0.5, 3.5], steps=200)
    assert s["verdict"].tolist() == ["bounded", "grows"]
    with pytest.raises(ph.UnknownName, match="oscillator"):
        ph.stability(kind="osscillator")
    pytest.importorskip("matplotlib")
    t.plot(), s.plot()


def test_campbell(models):
    t = ph.campbell(models / "hanging_top.lua", 4, Omega=[0, 100, 200])
    direct = ph.load(models / "hanging_top.lua", Omega=100)
    modes = direct.modes()
    found = [c for c in t.columns if "frequency" in c]
    assert found and len(t) >= 3
    at = t.rows[t["Omega"] == 100]
    listed = sorted(float(x) for c in found for x in np.ravel(at[c]) if np.isfinite(x))
    assert np.allclose(sorted(modes.frequency)[: len(listed)], listed, rtol=1e-6)


def test_optimise(models):
    best = ph.optimise(models / "absorber.lua", "vibration", {"k": (100, 1000), "d": (1, 50)}, evaluations=15)
    assert best.value == pytest.approx(best["vibration"].min()) and set(best.x) == {"k", "d"}
    value = ph.load(models / "absorber.lua", best.x).run().objectives["vibration"]
    assert value == pytest.approx(best.value, rel=1e-9)
    with pytest.raises(ph.UsageError, match="vibration"):
        ph.optimise(models / "absorber.lua", "vibratio", {"k": (100, 1000)})


def test_bad_input(models, tmp_path):
    with pytest.raises(FileNotFoundError):
        ph.converge(tmp_path / "none.lua", [1e-3])
    with pytest.raises(ph.UsageError, match="no option"):
        ph.converge(models / "heavy_top.lua", [1e-3], colour="red")
    path = tmp_path / "broken.lua"
    path.write_text('model "x"\nbody{ name = "b" }\n')
    with pytest.raises(ph.ModelError) as e:
        ph.converge(path, [1e-3, 2e-3])
    assert e.value.line == 2
    table = ph.converge(models / "heavy_top.lua", [2e-3, 1e-3], t_end=0.01)
    with pytest.raises(ph.UnknownName, match="error.q"):
        table["eror.q"]


def test_page(models, tmp_path):
    """The page of the program, of files, texts and other options; a notebook shows it."""
    sim = ph.load(models / "heavy_top.lua", m=16)
    r = sim.run(t_end=0.05, h=1e-3, every=5)
    page = r.view()
    assert page.html.startswith("<!doctype html>") and "heavy top" in repr(page)
    page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == page.html
    assert "<iframe" in page._repr_html_() and "<iframe" in r._repr_html_() and "tip.1" in r._repr_html_()
    again = pickle.loads(pickle.dumps(r))
    assert again.view().html == page.html
    text = ph.Model((models / "heavy_top.lua").read_text()).run(t_end=0.05)
    assert "<!doctype html>" in text.view().html
    with pytest.raises(ph.UsageError, match="no shapes"):
        ph.System([ph.R(1)], lambda p: [[1.0]], lambda p: [0.0]).sim([0], [1], h=0.1, t_end=1).run().view()
