"""Processor time to accuracies, method by method: tables for docs/performance.md.

    python3 bench/work.py BUILD [MODEL...]        BUILD has polhode

Each method runs at several tolerances or step sizes (`polhode work`, errors of positions and angles over the whole run, against the Gauss
method); between them log(time) is linear in log(error). A dash: not reached with the sizes that were tried.
"""
import json
import math
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGETS = (1e-3, 1e-5, 1e-7)
MODELS = {  # name: file, time to simulate, options
    "heavy_top": ("heavy_top", 1, []),
    "slider_crank": ("slider_crank", 1, []),
    "four_bar": ("four_bar", 1, []),
    "chain_100": ("chain", 0.2, ["--set", "N=100"]),
    "chain_1000": ("chain", 0.05, ["--set", "N=1000"]),
    "hinges_10": ("chain_revolute", 0.5, ["--set", "N=10"]),
    "hinges_100": ("chain_revolute", 0.1, ["--set", "N=100"]),
    "hinges_1000": ("chain_revolute", 0.05, ["--set", "N=1000"]),
}
EXPLICIT = "10,1,1e-1,1e-2,1e-3,1e-4,1e-5,1e-6,1e-7,1e-8"
METHODS = {  # what is printed: options
    "genalpha, h constant": ["--method", "genalpha", "--h", "3.2e-2,1.6e-2,8e-3,4e-3,2e-3,1e-3,2.5e-4,5e-5"],
    "genalpha, tol": ["--method", "genalpha", "--tol", "1e-2,1e-3,1e-4,1e-5,1e-6"],
    "bliedf of order 3, tol": ["--method", "bliedf", "--order", "3", "--formulation", "ggl", "--tol", "1e-2,1e-3,1e-4,1e-5,1e-6,1e-7"],
    "rkmk dopri5, tol": ["--method", "rkmk", "--tableau", "dopri5", "--tol", EXPLICIT],
    "rkmk dopri8, tol": ["--method", "rkmk", "--tableau", "dopri8", "--tol", EXPLICIT],
}


def work(polhode, model, options):
    file, t_end, more = MODELS[model]
    line = [polhode, "work", ROOT / "models" / f"{file}.lua", "--t-end", str(t_end), "--json", "--quiet"]
    done = subprocess.run([*map(str, line), *more, *options], capture_output=True, text=True, check=False)
    rows = json.loads(done.stdout)["rows"] if done.stdout else []  # large steps may fail
    return sorted((r["error"]["q"], r["cpu_s"]) for r in rows if r["error"]["q"])


def time_to(points, target):
    """Seconds to an error, between the two runs beside it."""
    fast = min((t for e, t in points if e <= target), default=None)
    for (e0, t0), (e1, t1) in zip(points, points[1:]):
        if e0 <= target < e1:
            part = (math.log(target) - math.log(e0)) / (math.log(e1) - math.log(e0))
            return min(fast, math.exp(math.log(t0) + part * (math.log(t1) - math.log(t0))))
    return fast


def main():
    polhode = Path(sys.argv[1]) / "polhode"
    for model in sys.argv[2:] or MODELS:
        print(f"\n| {model}, {MODELS[model][1]} s: milliseconds to an error of | 1e-3 | 1e-5 | 1e-7 |\n|---|---|---|---|")
        for name, options in METHODS.items():
            points = work(polhode, model, options)
            cells = [time_to(points, t) for t in TARGETS]
            print(f"| {name} | " + " | ".join("-" if c is None else f"{1e3 * c:.3g}" for c in cells) + " |", flush=True)


if __name__ == "__main__":
    main()
