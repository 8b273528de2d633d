#!/usr/bin/env bash
# The program does things once: the line is parsed once, a file read once, a layout made once for each structure, energy and
# violations evaluated once for each row, and not at all where nobody asks. polhode_counting tells, counting.c.
set -uo pipefail

counting=${POLHODE_COUNTING:?program that counts}
source=$(cd "$(dirname "$0")/.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export POLHODE_CACHE=$tmp/cache PH_COUNTS=$tmp/counts
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# counts "parses 1 files 1" COMMAND...
counts() {
    local want=$1
    shift
    rm -f "$PH_COUNTS"
    "$counting" "$@" >"$tmp/out" 2>"$tmp/err" || fail "polhode $*: exit code $?: $(cat "$tmp/err")"
    set -- $want "$@"
    while [ $# -gt 1 ] && grep -q "^$1 " "$PH_COUNTS"; do
        local got
        got=$(awk -v name="$1" '$1 == name {print $2}' "$PH_COUNTS")
        [ "$got" = "$2" ] || fail "polhode ${*: -4}: $got $1 instead of $2"
        shift 2
    done
}

top=$source/models/heavy_top.lua
bars=$source/models/four_bar.lua

# A run of ten steps has eleven rows.
counts "parses 1 files 1 mechanisms 1 layouts 1 energies 11 violations 11 starts 1" \
    run "$top" --t-end 0.01 --h 1e-3 -o "$tmp/top.csv"
[ "$(grep -vc '^#' "$tmp/top.csv")" = 12 ] || fail "not eleven rows"
counts "parses 1 files 1 mechanisms 1 layouts 1 energies 11 violations 11 starts 1" \
    run "$bars" --t-end 0.01 --h 1e-3 --json

# What needs no step makes none; what needs no mechanism builds none.
counts "parses 1 files 1 mechanisms 1 layouts 1 energies 0 violations 1 starts 1" check "$top"
counts "parses 1 files 1 mechanisms 0 layouts 0" freeze "$top"

# Cases of a study: one file; one structure, whatever methods and step sizes. The reference of a file is its own affair.
counts "parses 1 files 1 mechanisms 3 layouts 3 starts 3" sweep "$top" --vary m=14,15,16 --t-end 0.01 --h 1e-3
counts "parses 1 files 1 mechanisms 1 layouts 1 energies 0 violations 0 starts 12" \
    converge "$top" --t-end 0.01 --h 2e-3,1e-3 --sigma 0,1 --formulation index3,ggl --reference finest --jobs 1
counts "parses 1 files 0 layouts 1 energies 0 violations 0 starts 4" \
    converge heavy_top --t-end 0.01 --h 2e-3,1e-3 --sigma 0,1 --jobs 1

# Nobody watches a benchmark or a search.
counts "parses 1 files 0 mechanisms 0 energies 0 violations 0" bench heavy_top --repeats 1
if "$counting" optimise 2>&1 | grep -q 'needs --vary'; then # built with NLopt
    counts "parses 1 energies 0 violations 0" optimise "$source/models/absorber.lua" --t-end 0.1 --vary k \
        --bounds k=400:600 --minimise vibration --evaluations 3
fi

echo "$failures failures"
[ "$failures" = 0 ]
