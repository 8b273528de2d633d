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
grep -q "the C compiler 'no_such_compiler' is not there: the run goes on without" "$dir/err"
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
