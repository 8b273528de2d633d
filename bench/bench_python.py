#!/usr/bin/env python3
"""What Python adds, as CPU time: runs of 10^6 steps beside those of bench_run, and the time of sim.step() beside that of until.

    PYTHONPATH=build/release/python python3 bench/bench_python.py build/release/bench_run
"""
import subprocess
import sys
import time

import polhode as ph

MODEL, SENSOR, STEPS, TURNS = "models/heavy_top.lua", "tip", 1_000_000, 5



def timed(f):
    begun = time.process_time()
    f()
    return time.process_time() - begun


def in_c():
    out = subprocess.run([sys.argv[1], MODEL, SENSOR, str(STEPS)], check=True, capture_output=True, text=True).stdout
    return float(out)


sim = ph.load(MODEL)
h = sim.options["h"]
in_turn = [(in_c(), timed(lambda: sim.run(t_end=STEPS * h, record=[SENSOR]))) for _ in range(TURNS)]
c, python = (min(times) for times in zip(*in_turn))
print(f"run of {STEPS} steps: C {c:.3f} s, Python {python:.3f} s, {100 * (python / c - 1):+.1f} %")

steps = STEPS // 10
sim.set_options(t_end=STEPS * h)
sim.record(None)


def loop():
    sim.reset()
    step = sim.step
    return timed(lambda: [step() for _ in range(steps)])


def loop_with_time():
    sim.reset()
    end = (steps - 0.5) * h

    def go():
        while sim.t < end:
            sim.step()

    return timed(go)


def until():
    sim.reset()
    return timed(lambda: sim.until(steps * h))


turns = [(until(), loop(), loop_with_time()) for _ in range(TURNS)]
base, alone, with_t = (1e6 * min(times) / steps for times in zip(*turns))
print(f"a step: until {base:.2f} us, sim.step() {alone:.2f} us ({alone - base:+.2f}), while sim.t < T: sim.step() {with_t:.2f} us ({with_t - base:+.2f})")

r = sim.run(t_end=1000 * h)
print(f"views: {r.rows.nbytes} bytes of rows, owned by numpy: {r.rows.flags.owndata}")
