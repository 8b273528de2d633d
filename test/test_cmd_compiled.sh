#!/usr/bin/env bash
# polhode run --compiled: the numbers of a run without it, a library that is kept, and runs that go on where there is none.
set -eu
models=$(cd "$(dirname "$0")/../models" && pwd)
dir=$(mktemp -d)
trap 'rm -r "$dir"' EXIT
export POLHODE_CACHE="$dir/cache"
run() { # file of the result, then options
    local to=$1
    shift
    "$POLHODE" run "$models/heavy_top.lua" --t-end 0.2 --json --quiet "$@" > "$dir/$to" 2> "$dir/err"
}
run own.json
run built.json --compiled
[ ! -s "$dir/err" ]
kept=$(ls "$dir/cache")
case "$kept" in compiled-*.so) ;; *) echo "kept: '$kept'"; exit 1 ;; esac
CC=no_such_compiler run other.json --compiled # another compiler is another library
grep -q "the C compiler 'no_such_compiler' is not there; the run goes on without" "$dir/err"
[ "$(wc -l < "$dir/err")" = 1 ]
ln -s "$(command -v cc)" "$dir/cc" # the same word, and nothing else: what is kept is used
PATH=$dir:/nowhere run again.json --compiled
[ ! -s "$dir/err" ]
# Newton's tolerance
python3 - "$dir" <<'COMPARE'
import json, sys
def read(name):
    d = json.load(open(f"{sys.argv[1]}/{name}.json"))
    top = d["bodies"]["top"]
    return d["steps"], top["position"] + top["velocity"] + top["omega"], d["joints"]["pivot"]["lambda"], d
own, built, other, again = (read(n) for n in ("own", "built", "other", "again"))
for x in (built, again):
    assert x[0] == own[0]
    assert all(abs(a - b) < 1e-8 for a, b in zip(x[1], own[1])), (x[1], own[1])
    assert all(abs(a - b) < 1e-5 for a, b in zip(x[2], own[2])), (x[2], own[2])
assert again[1] == built[1] and other[1] == own[1]  # exact
assert built[1] != own[1]  # it was compiled
COMPARE
# Words that name nothing are as if they were not there; a compiler that fails, and a folder that cannot be made, are told.
CC= TMPDIR= run other.json --compiled
[ ! -s "$dir/err" ]
cmp -s "$dir/other.json" "$dir/built.json" || grep -q '"steps":200' "$dir/other.json"
CC=false run other.json --compiled
grep -q "the C compiler 'false' fails; the run goes on without" "$dir/err"
CC=gcc TMPDIR=/nowhere run other.json --compiled
grep -q "cannot make a folder '/nowhere/polhode_.*': No such file or directory; the run goes on without" "$dir/err"
# Where it is kept: POLHODE_CACHE, else XDG_CACHE_HOME, else HOME; nowhere, if others may write there.
kept_in() { # folder, then the environment
    local folder=$1
    shift
    env -u POLHODE_CACHE "$@" "$POLHODE" run "$models/heavy_top.lua" --t-end 0.01 --compiled --quiet 2> "$dir/err"
    [ ! -s "$dir/err" ] || { cat "$dir/err"; exit 1; }
    [ -z "$folder" ] || ls "$folder" | grep -q '^compiled-' || { echo "nothing is kept in $folder"; exit 1; }
}
kept_in "$dir/xdg/polhode" XDG_CACHE_HOME="$dir/xdg"
kept_in "$dir/home/.cache/polhode" XDG_CACHE_HOME=relative HOME="$dir/home"
kept_in "" -u XDG_CACHE_HOME -u HOME
mkdir "$dir/open"
chmod 777 "$dir/open"
kept_in "" POLHODE_CACHE="$dir/open"
[ -z "$(ls "$dir/open")" ]
kept_in "$dir/slash" POLHODE_CACHE="$dir/slash//"
kept_in "" POLHODE_CACHE="$(printf 'x%.0s' $(seq 5000))"
"$POLHODE" run "$models/four_bar.lua" --t-end 0.01 --compiled --quiet 2> "$dir/err"
grep -q "redundant constraints" "$dir/err"
"$POLHODE" run "$models/craig_bampton.lua" --t-end 0.01 --compiled --quiet 2> "$dir/err"
grep -q "flexible 'arm' cannot be compiled; the run goes on without" "$dir/err"

# Sweeps: one compiled model for all masses, several cases at once; a case that fails is its own.
sweep() { # file of the table, then options
    local to=$1
    shift
    "$POLHODE" sweep "$@" --quiet -o "$dir/$to" 2> "$dir/err"
}
sweep own.csv "$models/heavy_top.lua" --t-end 0.1 --vary m=-1,12,13,14,15,16,17
sweep built.csv "$models/heavy_top.lua" --t-end 0.1 --vary m=-1,12,13,14,15,16,17 --compiled
[ ! -s "$dir/err" ] || { cat "$dir/err"; exit 1; }
python3 - "$dir" <<'COMPARE'
import csv, sys
def read(name):
    return list(csv.DictReader(l for l in open(f"{sys.argv[1]}/{name}.csv") if not l.startswith("#")))
own, built = read("own"), read("built")
assert len(own) == len(built) == 7
differ = 0
for a, b in zip(own, built):
    assert a["status"] == b["status"] and a["m"] == b["m"] and a["reason"] == b["reason"] and a["steps"] == b["steps"]
    for name in a:
        if a["status"] == "ok" and name.split(".")[0] in ("tip", "energy [J]", "reaction"):
            x, y = float(a[name]), float(b[name])
            assert abs(x - y) < 1e-6 * (1 + abs(x)), (name, x, y)
            differ += x != y
assert own[0]["status"] != "ok" and "mass" in built[0]["reason"]
assert differ  # it was compiled
COMPARE
sweep other.csv "$models/chain.lua" --t-end 0.01 --vary N=2,3 --compiled
grep -q "'N' cannot stay open: .*; the sweep goes on without" "$dir/err"
sweep other.csv "$models/heavy_top.lua" --t-end 0.01 --vary h=1e-3,2e-3 --compiled
grep -q "h is varied, and each of its values would be compiled anew; the sweep goes on without" "$dir/err"

# Events: the same in lanes as in the library, to Newton's tolerance.
sweep own.events.csv "$models/bouncing_ball.lua" --t-end 1 --vary h=0.4:0.8:5
sweep built.events.csv "$models/bouncing_ball.lua" --t-end 1 --vary h=0.4:0.8:5 --compiled
[ ! -s "$dir/err" ] || { cat "$dir/err"; exit 1; }
python3 - "$dir" <<'COMPARE'
import csv, sys
own, built = (list(csv.DictReader(l for l in open(f"{sys.argv[1]}/{n}.events.csv") if not l.startswith("#"))) for n in ("own", "built"))
assert len(own) == len(built) == 5
for a, b in zip(own, built):
    for name in a:
        if name not in ("id", "iterations", "drift [J]"):
            assert a[name] == b[name] or abs(float(a[name]) - float(b[name])) < 1e-7 * (1 + abs(float(a[name]))), (name, a, b)
COMPARE
"$POLHODE" run "$models/trebuchet.lua" --t-end 0.01 --compiled --quiet 2> "$dir/err"
grep -q "joint 'sling': a joint that events release or engage cannot be compiled; the run goes on without" "$dir/err"

# On a device: what nvcc is told, as plain C, is a device of one thread. Cases that cannot be there are those of the processor.
cat > "$dir/nvcc" <<'NVCC'
#!/bin/sh
while [ $# -gt 0 ]; do
    case $1 in -o) out=$2; shift ;; *.cu) in=$1 ;; -Xcompiler) shift ;; esac
    shift
done
exec cc -std=c17 -O1 -ffp-contract=off -fno-math-errno -fPIC -shared -DPH_LIBRARY -x c "$in" "${in%.cu}.c" -lm -o "$out"
NVCC
chmod +x "$dir/nvcc"
masses="--t-end 0.1 --vary m=-1,12,13,14,15,16,17"
NVCC="$dir/nvcc" sweep device.csv "$models/heavy_top.lua" $masses --gpu
[ ! -s "$dir/err" ] || { cat "$dir/err"; exit 1; }
NVCC="$dir/nvcc" sweep some.csv "$models/heavy_top.lua" $masses --gpu --sensor energy
python3 - "$dir" <<'COMPARE'
import csv, sys
def read(name):
    return list(csv.DictReader(l for l in open(f"{sys.argv[1]}/{name}.csv") if not l.startswith("#")))
own, device, some, differ = read("own"), read("device"), read("some"), 0
assert len(own) == len(device) == 7 and "mass" in device[0]["reason"] and device[0]["status"] != "ok"
for a, b, c in zip(own, device, some):
    assert a["status"] == b["status"] and a["reason"] == b["reason"] and a["steps"] == b["steps"]
    if a["status"] != "ok":
        continue
    assert b["violation.position"] == "nan" and b["t [s]"] == a["t [s]"] and c["energy [J]"] == b["energy [J]"]
    for name in a:
        if name.split(".")[0] in ("tip", "energy [J]", "reaction"):
            x, y = float(a[name]), float(b[name])
            assert abs(x - y) < 1e-6 * (1 + abs(x)), (name, x, y)
            differ += x != y
assert differ
COMPARE

# What was built for a device is kept. Where it does not serve, as on another device, it is built anew.
cat > "$dir/counted" <<'NVCC'
#!/bin/sh
echo built >> "$COUNT"
[ -z "$WRONG" ] || exec cc -shared -fPIC -x c "$WRONG" -o "$(echo "$*" | sed 's/.*-o \([^ ]*\).*/\1/')"
exec "$(dirname "$0")/nvcc" "$@"
NVCC
chmod +x "$dir/counted"
echo 'const char *ph_ensemble_run(void) { return "the device: no kernel is made for it"; }' > "$dir/wrong.c"
mkdir -m 700 "$dir/kept"
with_cache() { COUNT="$dir/count" NVCC="$dir/counted" POLHODE_CACHE="$dir/kept" sweep kept.csv "$models/heavy_top.lua" $masses --gpu; }
builds() { # how many there were, and what was said
    [ "$(grep -c built "$dir/count")" = "$1" ] || { cat "$dir/count"; echo "not $1"; exit 1; }
    [ -z "$2" ] || grep -q "$2" "$dir/err" || { cat "$dir/err"; exit 1; }
    [ -n "$2" ] || [ ! -s "$dir/err" ] || { cat "$dir/err"; exit 1; }
}
WRONG="$dir/wrong.c" with_cache
builds 1 'no kernel is made for it'
with_cache
builds 2 ""
with_cache
builds 2 ""
cmp "$dir/kept.csv" "$dir/device.csv"

# A device that is lost on the way, and one on which the first member fails: the processor has what is left.
cat > "$dir/odd" <<'NVCC'
#!/bin/sh
for word in "$@"; do case $word in *.cu) cu=$word ;; esac; done
sed -i 's/ph_ensemble_run/own_run/' "$cu"
cat >> "$cu" <<C
EXPORT const char *ph_ensemble_run(long n, double *state, long steps, double *sensors, double *iterations, byte *failed);
EXPORT const char *ph_ensemble_run(long n, double *state, long steps, double *sensors, double *iterations, byte *failed)
{
    static int calls;
    const char *why = own_run(n, state, steps, sensors, iterations, failed);
    if (calls++)
        $ODD;
    return why;
}
C
exec "$(dirname "$0")/nvcc" "$@"
NVCC
chmod +x "$dir/odd"
POLHODE_CACHE='' ODD='why = "the device is lost"' NVCC="$dir/odd" sweep lost.csv "$models/heavy_top.lua" $masses --gpu
grep -q "the device is lost; the sweep goes on compiled, on the processor" "$dir/err" || { cat "$dir/err"; exit 1; }
POLHODE_CACHE='' ODD='failed[0] = 1' NVCC="$dir/odd" sweep first.csv "$models/heavy_top.lua" $masses --gpu
[ ! -s "$dir/err" ] || { cat "$dir/err"; exit 1; }
python3 - "$dir" <<'COMPARE'
import csv, sys
def read(name):
    rows = csv.DictReader(l for l in open(f"{sys.argv[1]}/{name}.csv") if not l.startswith("#"))
    return [{k: v for k, v in row.items() if k.split(".")[0] in ("status", "reason", "steps", "tip", "energy [J]", "reaction")} for row in rows]
lost, built, first, device = read("lost"), read("built"), read("first"), read("device")
assert lost == built and len(lost) == 7  # exact
assert sum(a != b for a, b in zip(first, device)) == 1  # the library's, which has other round-off; workers decide which is the first
assert [x["status"] for x in first] == [x["status"] for x in device]
COMPARE
# Cases of other lengths are members of other batches.
cat > "$dir/long.lua" <<'MODEL'
model "long"
local k = param("k", 1)
body{name="b", mass=1, inertia={1, 1, 1}}
spring{bodies={"ground", "b"}, at_a={0, 0, 1}, k=10*k}
sensor{name="x", type="position", body="b"}
run{t_end=0.01*k, h=1e-3}
MODEL
NVCC="$dir/nvcc" "$POLHODE" sweep "$dir/long.lua" --vary k=1,2,2.5,3 --gpu -o "$dir/long.csv" > "$dir/out" 2> "$dir/err"
[ "$(grep -v '^#' "$dir/long.csv" | cut -d, -f12 | tail -n 4 | tr '\n' ' ')" = "10 20 25 30 " ] || { cat "$dir/long.csv" "$dir/err"; exit 1; }

says() { # words of the one line on stderr, then options of a sweep
    local words=$1
    shift
    sweep other.csv "$@" --gpu
    grep -q -- "$words" "$dir/err" && [ "$(wc -l < "$dir/err")" = 1 ] || { cat "$dir/err"; echo "lacks: $words"; exit 1; }
}
NVCC=no_nvcc says "--gpu: the compiler of devices, 'no_nvcc', is not there; the sweep goes on compiled, on the processor" "$models/heavy_top.lua" --t-end 0.01 --vary m=12,13
cat > "$dir/broken" <<'NVCC'
#!/bin/sh
exit 1
NVCC
chmod +x "$dir/broken"
cat > "$dir/over.lua" <<'MODEL'
model "over"
local m = param("m", 1)
body{name="b", mass=m, inertia={1, 1, 1}}
sensor{name="x", type="position", body="b", over_time="max"}
run{t_end=0.01, h=1e-3}
MODEL
NVCC="$dir/nvcc" says "sensor 'x': what it comes to over time is not found on a device" "$dir/over.lua" --vary m=1,2
NVCC="$dir/broken" says "fails; the sweep goes on compiled" "$models/heavy_top.lua" --t-end 0.01 --vary m=12,13
NVCC="$dir/nvcc" says "'N' cannot stay open: .*; the sweep goes on without" "$models/chain.lua" --t-end 0.01 --vary N=2,3
NVCC="$dir/nvcc" says "event 'touch': events are not met on a device" "$models/bouncing_ball.lua" --t-end 0.01 --vary k=4000,5000
# A member whose steps fail is run by the library, which says why.
cat > "$dir/stuck.lua" <<'MODEL'
model "stuck"
local k = param("k", 1)
body{name="b", mass=1, inertia={1, 1, 1}}
force{body="b", value=function(t, s) return k > 5 and t > 0.005 and k*math.sqrt(-1 - s.b.position[1]^2) or -k*s.b.position[1], 0, 0 end}
sensor{name="x", type="position", body="b"}
run{t_end=0.01, h=1e-3}
MODEL
sweep stuck.csv "$dir/stuck.lua" --vary k=1,9 || true
NVCC="$dir/nvcc" sweep stuck_device.csv "$dir/stuck.lua" --vary k=1,9 --gpu || true
[ "$(cut -d, -f4 "$dir/stuck.csv" | tail -2)" = "$(cut -d, -f4 "$dir/stuck_device.csv" | tail -2)" ]

# Orders are those of the method.
"$POLHODE" converge "$models/heavy_top.lua" --formulation index3 --h 2e-3,1e-3 --t-end 0.1 --reference finest --json --quiet --compiled > "$dir/orders.json" 2> "$dir/err"
[ ! -s "$dir/err" ] || { cat "$dir/err"; exit 1; }
python3 - "$dir" <<'ORDERS'
import json, sys
order = json.load(open(f"{sys.argv[1]}/orders.json"))["order"]
assert all(abs(order[k] - 2) < 0.15 for k in ("q", "v")), order
ORDERS

# Optima, where there is NLopt: the way forwards is compiled, with parameters that are open.
optimise() {
    "$POLHODE" optimise "$models/heavy_top_fit.lua" --vary m,J --bounds m=5:30,J=0.25:0.8 --minimise fit --json --quiet "$@" 2> "$dir/err"
}
if optimise > "$dir/own.json" || ! grep -q NLopt "$dir/err"; then
    optimise --compiled > "$dir/built.json"
    [ ! -s "$dir/err" ] || { cat "$dir/err"; exit 1; }
    ! cmp -s "$dir/own.json" "$dir/built.json" # it was compiled
    python3 - "$dir" <<'OPTIMA'
import json, sys
own, built = (json.load(open(f"{sys.argv[1]}/{n}.json")) for n in ("own", "built"))
a, b = own["optimum"], built["optimum"]
assert all(abs(a[k] - b[k]) < 1e-4 * abs(a[k]) for k in ("m", "J")), (a, b)
OPTIMA
fi
