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
"$POLHODE" run "$models/four_bar.lua" --t-end 0.01 --compiled --quiet 2> "$dir/err"
grep -q "redundant constraints" "$dir/err"
"$POLHODE" run "$models/craig_bampton.lua" --t-end 0.01 --compiled --quiet 2> "$dir/err"
grep -q "the flexible body 'arm' cannot be compiled; the run goes on without" "$dir/err"

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
