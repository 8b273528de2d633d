"""Processor time of a step of the library, model by model: the first table of docs/performance.md.

    python3 bench/steps.py BUILD [PATTERN]        BUILD has bench_library; PATTERN: rows whose name has it

Each row is the best of many runs, in which the simulation alone, the run and the watched run take turns.
"""
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROWS = [  # name, model, bodies or elements, steps, options
    ("heavy_top, index-3", "heavy_top", 0, 1000, ["formulation=index3"]),
    ("heavy_top, stabilised", "heavy_top", 0, 1000, ["formulation=ggl"]),
    ("heavy_top on SE3, index-3", "heavy_top", 0, 1000, ["formulation=index3", "space=SE3"]),
    ("heavy_top, bliedf of order 3, stabilised", "heavy_top", 0, 1000, ["formulation=ggl", "method=bliedf", "order=3"]),
    ("slider_crank, index-3", "slider_crank", 0, 500, ["formulation=index3"]),
    ("slider_crank, stabilised", "slider_crank", 0, 500, ["formulation=ggl"]),
    ("four_bar, index-3", "four_bar", 0, 500, ["formulation=index3"]),
    ("bricard, index-3", "bricard", 0, 200, ["formulation=index3"]),
    ("chain of 10, index-3", "chain", 10, 200, ["formulation=index3"]),
    ("chain of 100, index-3", "chain", 100, 100, ["formulation=index3"]),
    ("chain of 1000, index-3", "chain", 1000, 20, ["formulation=index3"]),
    ("chain of 100, stabilised", "chain", 100, 100, ["formulation=ggl"]),
    ("chain of 100 on SE3, index-3", "chain", 100, 100, ["formulation=index3", "space=SE3"]),
    ("chain of 100 on SE3, stabilised", "chain", 100, 100, ["formulation=ggl", "space=SE3"]),
    ("chain of 100 hinges, index-3", "chain_revolute", 100, 50, ["formulation=index3"]),
    ("chain of 1000 hinges, index-3", "chain_revolute", 1000, 10, ["formulation=index3"]),
    ("chain of 100 hinges, stabilised", "chain_revolute", 100, 50, ["formulation=ggl"]),
    ("flying_spaghetti, 16 elements, lumped mass", "flying_spaghetti", 16, 100, []),
    ("flying_spaghetti, 16 elements, linear mass", "flying_spaghetti", 16, 100, ["--set", "mass=1"]),
    ("flying_spaghetti, 16 elements, helicoidal mass", "flying_spaghetti", 16, 100, ["--set", "mass=2"]),
    ("flying_spaghetti, 1024 elements, lumped mass", "flying_spaghetti", 1024, 5, []),
    ("flying_spaghetti, 4096 elements, lumped mass", "flying_spaghetti", 4096, 3, []),
]
SIZE = {"chain": "N", "chain_revolute": "N", "flying_spaghetti": "n"}
SECONDS = 2  # of a row


def time(build, model, bodies, steps, options):
    line = [build / "bench_library", ROOT / "models" / f"{model}.lua", steps]
    more = [*options, *(["--set", f"{SIZE[model]}={bodies}"] if bodies else [])]

    def best(repeats):
        done = subprocess.run([*map(str, line), str(repeats), *more], capture_output=True, text=True, check=True)
        return [float(x) for x in done.stdout.split()]

    once = sum(best(1)) * steps * 1e-6
    return best(max(3, min(300, int(SECONDS / once))))


def main():
    build, pattern = Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
    print("| model | simulation alone | step of the run | watched | for each body |\n|---|---|---|---|---|")
    for name, model, bodies, steps, options in ROWS:
        if pattern in name:
            sim, run, watched = time(build, model, bodies, steps, options)
            each = f"{run / bodies:.3g}" if bodies else ""
            print(f"| {name} | {sim:.3g} | {run:.3g} | {watched / run:.2f} | {each} |", flush=True)


main()
