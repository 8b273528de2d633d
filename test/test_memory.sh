#!/usr/bin/env bash
# Studies whose allocations fail one by one, and all from one on: the whole result, or one complaint and exit code 2; never a part.
# shellcheck source=test/program.bash
source "$(dirname "${BASH_SOURCE[0]}")/program.bash"
polhode=${POLHODE_FAILING:?path of the program whose allocations can fail}

# starve STRIDE ARGS...: every STRIDE-th allocation fails
starve() {
    local stride=$1 n most code
    shift
    rm -f count
    PH_COUNT_ALLOC=count "$polhode" "$@" >whole 2>err || fail "polhode $*: $(cat err)"
    most=$(sort -n count | tail -n 1)
    ((most > 10)) || fail "polhode $*: $most allocations"
    for ((n = 1; n <= most + stride; n += stride)); do
        for which in $n $n+; do
            PH_FAIL_ALLOC=$which "$polhode" "$@" >out 2>err </dev/null
            code=$?
            checks=$((checks + 1))
            if ((code == 0)); then
                cmp -s whole out || fail "polhode $*: part of a result without allocation $which: $(diff whole out | head -n 3)"
            else
                ((code == 2)) || fail "polhode $*: exit code $code without allocation $which: $(head -c 300 err)"
                [[ ! -s out ]] || fail "polhode $*: prints a part without allocation $which"
                complains "" "polhode $* without allocation $which"
            fi
        done
    done
}

starve 1 stability --oscillator --method bliedf --order 2 --ht 0.003 --jobs 1
starve 1 stability --oscillator --rho 0.9 --ht 0.003 --json --jobs 1
starve 1 stability --method rkmk --tableau rk4 --z 1 --steps 10 --jobs 1
starve 11 stability --method rkmk --tableau rk4 --z 1,3 --steps 10 --jobs 1
starve 5 stability "$models/hanging_top.lua" --about-spin --hw 0.3 --jobs 1

# One allocation in some of each command.
starve 43 run "$models/heavy_top.lua" --t-end 0.01 -o -
starve 43 static "$models/double_pendulum.lua" --json
starve 43 modes "$models/double_pendulum.lua"
starve 43 linearise "$models/double_pendulum.lua"
starve 43 reduce "$models/flexible_pendulum_modal.lua"
starve 43 freeze "$models/slider_crank.lua"
starve 43 cite "$models/heavy_top.lua"

finish
