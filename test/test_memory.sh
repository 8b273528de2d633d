#!/usr/bin/env bash
# Commands whose allocations fail one by one, and all from one on, in the whole process: the whole result, or one complaint and
# exit code 2; never a part. Files are there whole or not at all. Some allocations of each command here; PH_EVERY=1: all of them.
# shellcheck source=test/program.bash
source "$(dirname "${BASH_SOURCE[0]}")/program.bash"
polhode=${POLHODE_FAILING:?path of the program whose allocations can fail}
commands=0

# What differs from run to run: times, and with them the widths of columns.
steady() { # FILE
    sed -E -e 's/"(wall_s|cpu_s|us_per_step)":[0-9.e+-]+/T/g' -e 's/[0-9.e+-]+ (us|ms|s)( per step| in all|;|$)/T/g' \
        -e "${numbers:-}" "$1"
}

# perform ENVIRONMENT... -- ARGS...: in an empty folder, made; stdout in out, stderr in err
perform() {
    local environment=()
    while [[ $1 != -- ]]; do
        environment+=("$1")
        shift
    done
    shift
    rm -rf made && mkdir made
    (cd made && env "${environment[@]}" "$polhode" "$@") >out 2>err </dev/null
}

# judge CODE WHICH ARGS...: what the command left behind without allocation WHICH
judge() {
    local code=$1 which=$2 file
    shift 2
    if ((code == 0)); then
        cmp -s whole <(steady out) || [[ $1 == sweep && $(cat out made/*) == *out_of_memory* ]] ||
            fail "polhode $*: part of a result without allocation $which: $(diff whole <(steady out) | head -n 3)"
        diff <(cd made && find . -type f | sort) files >/dev/null || fail "polhode $*: not all files without allocation $which"
    elif [[ $1 == sweep ]] && ((code == 1)); then # no case has a result, and each says so
        [[ $(cat out made/*) == *out_of_memory* ]] || fail "polhode $*: no reason without allocation $which"
    else
        ((code == 2)) || fail "polhode $*: exit code $code without allocation $which: $(head -c 300 err)"
        if [[ $1 == bench ]]; then # rows that succeed, a complaint for each that does not
            grep -q 'not enough memory' err || fail "polhode $*: no complaint without allocation $which: $(cat err)"
        else
            complains "" "polhode $* without allocation $which"
        fi
        if [[ " $* " == *" -o - "* ]]; then # a stream is cut off, and no more
            cmp -s -n "$(stat -c %s out)" out whole || fail "polhode $*: prints something else without allocation $which"
        elif [[ " $* " == *" --json "* && -s out ]]; then
            has out '"status":"bad_input","reason":"'
        elif [[ $1 != bench && -s out ]]; then
            fail "polhode $*: prints a part without allocation $which"
        fi
    fi
    while read -r file; do
        [[ $1 == sweep || $file == *.part ]] || cmp -s "made/$file" "first/$file" ||
            fail "polhode $*: $file is not whole without allocation $which"
    done < <(cd made && find . -type f)
}

# starve STRIDE ARGS...: every STRIDE-th allocation fails, from another one on in each command
starve() {
    local stride=${PH_EVERY:-$1} n most which own=()
    shift
    commands=$((commands + 1))
    # HDF5 and what it loads do not survive a failed allocation of their own.
    [[ " $* " == *".h5 "* || $1 == list ]] && own=(PH_OWN_ALLOC=1)
    rm -rf count first
    perform "${own[@]}" PH_COUNT_ALLOC=../count -- "$@" || fail "polhode $*: $(cat err)"
    most=$(sort -n count | tail -n 1)
    steady out >whole
    cp -r made first
    (cd made && find . -type f | sort) >files
    for ((n = 1 + commands * 37 % stride; n <= most; n += stride)); do
        for which in $n $n+; do
            perform "${own[@]}" PH_FAIL_ALLOC=$which -- "$@"
            judge $? $which "$@"
            checks=$((checks + 1))
        done
    done
}

fit="$models/heavy_top_fit.lua --t-end 0.05"
top="$models/heavy_top.lua --t-end 0.01"
# shellcheck disable=SC2086 # words of their own
{
    starve 3 stability --oscillator --method bliedf --order 2 --ht 0.003 --jobs 1
    starve 3 stability --oscillator --rho 0.9 --ht 0.003 --json --jobs 1
    starve 7 stability --method rkmk --tableau rk4 --z 1 --steps 10 --jobs 1
    starve 61 stability --method rkmk --tableau rk4 --z 1,3 --steps 10 --jobs 1
    starve 151 stability "$models/hanging_top.lua" --about-spin --hw 0.3 --jobs 1
    starve 97 run $top -o -
    starve 151 run $top -o x.csv --json
    starve 151 run $top -o x.h5 --quiet
    starve 151 run $top --plot x.svg --quiet
    starve 151 run $top --save x.state --quiet
    starve 31 run heavy_top --t-end 0.01 -o x.csv --quiet
    starve 151 run "$models/bricard.lua" --t-end 0.01 --quiet
    starve 151 run "$models/flexible_pendulum_modal.lua" --t-end 0.01 -o - --quiet
    starve 307 run "$models/dc_motor.lua" --t-end 0.01 --method bliedf -o -
    starve 151 run $top --method rkmk --tol 1e-6 -o -
    starve 151 view $top -o x.html
    starve 151 view $top --vtk x
    starve 97 check "$models/bricard.lua"
    starve 151 check "$models/heavy_top.lua" --json
    starve 151 check "$models/flexible_pendulum_modal.lua"
    starve 151 static "$models/double_pendulum.lua"
    starve 151 static "$models/double_pendulum.lua" --json
    starve 151 modes "$models/double_pendulum.lua" --json -o x.csv
    starve 151 linearise "$models/double_pendulum.lua"
    starve 97 sweep $top --vary h=0.001,0.002 --jobs 1 -o x.csv
    starve 151 sweep $top --vary h=0.001,0.002 --jobs 2 --json
    starve 97 converge "$models/heavy_top.lua" --t-end 0.05 --h 0.01,0.005 --jobs 1
    starve 151 converge "$models/heavy_top.lua" --t-end 0.05 --h 0.01,0.005 --jobs 2 --json -o x.csv
    starve 151 transient "$models/heavy_top.lua" --steps 3 --h 0.001
    starve 151 transient "$models/heavy_top.lua" --steps 3 --h 0.001 --json
    starve 601 sens $fit --param m --quiet -o -
    starve 601 sens $fit --param m --mode adjoint --json
    starve 2003 sens $fit --param m --check
    starve 2003 optimise $fit --vary m --bounds m=1:20 --minimise fit --evaluations 3
    starve 151 freeze "$models/slider_crank.lua"
    starve 307 freeze "$models/dc_motor.lua" -o x.json
    starve 97 compile "$models/heavy_top.lua"
    starve 601 compile "$models/heavy_top.lua" --fmu x.fmu
    starve 151 reduce "$models/flexible_pendulum_modal.lua"
    starve 151 reduce "$models/craig_bampton.lua" -o x.json
    starve 307 reduce "$models/craig_bampton.lua" -o x.h5
    starve 151 cite "$models/heavy_top.lua"
    starve 1 list
    starve 1 list joints
    starve 1 manual
    starve 1 version
    starve 1 help run
    numbers='s/[0-9.e+-]+/N/g; s/[ -]+/ /g'
    starve 151 work "$models/heavy_top.lua" --t-end 0.05 --h 0.01,0.005 --repeats 1
    starve 151 bench heavy_top --repeats 1
}

finish
