"""Processor time to accuracies beside Simbody: the table of peers in docs/performance.md.

    scripts/setup peers
    python3 bench/peers.py BUILD [MODEL...]        BUILD has polhode, and gets peer_simbody

Each row is the fastest way that Simbody has, of eight integrators and two kinds of coordinates, beside the fastest of ours, and how many
times as long Simbody takes. Methods, models and times are those of bench/work.py.
"""
import csv
import shlex
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from work import METHODS, MODELS, ROOT, TARGETS, time_to, work

GRID = {"chain": 1e-3, "chain_revolute": 1e-3}  # s between points of the motion to compare with; else:
DENSE = 1e-4
PEERS = {"heavy_top": ["heavy_top", "heavy_top_angles"]}  # Simbody's forms of a model; else its name
SECONDS = "0.1"
PARTS = "x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"


def compiled(build):
    source, program = Path(__file__).with_name("peer_simbody.cpp"), build / "peer_simbody"
    found = subprocess.run(["pkg-config", "--cflags", "--libs", "simbody"], capture_output=True, text=True, check=True)
    subprocess.run(["c++", "-w", "-O3", "-march=native", source, "-o", program, *shlex.split(found.stdout), "-std=c++17"], check=True)
    return program


def reference(polhode, model, to):
    file, t_end, more = MODELS[model]
    line = [polhode, "run", ROOT / "models" / f"{file}.lua", "--t-end", t_end, "--h", GRID.get(file, DENSE), "--quiet",
            "--method", "rkmk", "--tableau", "dopri8", "--tol", "1e-12", "-o", to / "motion.csv"]
    subprocess.run([*map(str, line), *more], check=True)
    with open(to / "motion.csv", encoding="utf-8") as f:
        rows = csv.reader(line for line in f if not line.startswith("#"))
        names = [name.split(" ")[0] for name in next(rows)]
        bodies = [name[:-3] for name in names if name.endswith(".qw")]
        at = [0] + [names.index(f"{body}.{part}") for body in bodies for part in PARTS]
        data = [struct.pack(f"{len(at)}d", *(float(row[k]) for k in at)) for row in rows]
    (to / "motion").write_bytes(struct.pack("2d", len(data), len(bodies)) + b"".join(data))
    return to / "motion"


def peer(program, model, motion):
    """For each way of Simbody: its pairs of error and seconds."""
    ways = {}
    for form in PEERS.get(model, [MODELS[model][0]]):
        done = subprocess.run([program, form, motion, SECONDS], capture_output=True, text=True, check=True)
        for row in map(str.split, done.stdout.splitlines()):
            ways.setdefault(f"{form} {row[0]}", []).append((float(row[1]), 1e-3 * float(row[2])))
    return ways


def fastest(ways, target):
    times = {name: time_to(sorted(points), target) for name, points in ways.items()}
    return min(((t, name) for name, t in times.items() if t is not None), default=(None, "-"))


def main():
    build = Path(sys.argv[1])
    program = compiled(build)
    print("| model | error | polhode, ms | | Simbody, ms | | times |\n|---|---|---|---|---|---|---|")
    for model in sys.argv[2:] or MODELS:
        with tempfile.TemporaryDirectory() as folder:
            theirs = peer(program, model, reference(build / "polhode", model, Path(folder)))
        ours = {name: work(build / "polhode", model, options) for name, options in METHODS.items()}
        for target in TARGETS:
            (a, our), (b, their) = fastest(ours, target), fastest(theirs, target)
            times = f"{b / a:.3g}" if a and b else "-"
            a, b = (f"{1e3 * t:.3g}" if t else "-" for t in (a, b))
            print(f"| {model} | {target:g} | {a} | {our} | {b} | {their} | {times} |", flush=True)


main()
