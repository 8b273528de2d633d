#!/usr/bin/env bash
# Commands whose allocations fail one by one, and all from one on, in the whole process: the whole result, or one complaint and
# exit code 2; never a part. Files are there whole or not at all. A place is the innermost functions that ask for memory (failing_alloc.c): one
# allocation of every tenth place fails here; PH_EVERY=place: of each place; PH_EVERY=1: all allocations of all commands.
# shellcheck source=test/program.bash
source "$(dirname "${BASH_SOURCE[0]}")/program.bash"
polhode=${POLHODE_FAILING:?path of the program whose allocations can fail}
: >seen

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

# judge CODE WHICH ARGS...: what the command left behind without allocation WHICH. Some of many cases may end so: the result says which.
judge() {
    local code=$1 which=$2 file many
    shift 2
    [[ " $* " == *" --vary "* && $1 != optimise ]] && many=1 || many=
    if ((code == 0)); then
        cmp -s whole <(steady out) || [[ $many && $(cat out made/*) == *out_of_memory* ]] ||
            fail "polhode $*: part of a result without allocation $which: $(diff whole <(steady out) | head -n 3)"
        diff <(cd made && find . -type f | sort) files >/dev/null || fail "polhode $*: not all files without allocation $which"
    elif [[ $many ]] && ((code == 1)); then # no case has a result, and each says so
        [[ $(cat out made/*) == *out_of_memory* ]] || fail "polhode $*: no reason without allocation $which"
    else
        ((code == 2)) || fail "polhode $*: exit code $code without allocation $which: $(head -c 300 err)"
        if [[ $1 == bench ]]; then # rows that succeed, a complaint for each that does not
            grep -q 'not enough memory' err || fail "polhode $*: no complaint without allocation $which: $(cat err)"
        else
            sed -i '/^polhode: --compiled: .*; the run goes on without$/d' err # a note, before what ends it
            complains "" "polhode $* without allocation $which"
        fi
        if [[ " $* " == *" -o - "* ]]; then # a stream is cut off, and no more
            cmp -s -n "$(stat -c %s out)" out whole || fail "polhode $*: prints something else without allocation $which"
        elif grep -q 'cannot write' err; then # a file is missing, and the rest is whole or missing too
            [[ ! -s out ]] || cmp -s whole <(steady out) || fail "polhode $*: prints a part without allocation $which"
        elif [[ " $* " == *" --json "* && -s out ]]; then
            has out '"status":"bad_input","reason":"'
        elif [[ $1 != bench && -s out ]]; then
            fail "polhode $*: prints a part without allocation $which"
        fi
    fi
    while read -r file; do
        [[ $many || $file == *.part ]] || cmp -s "made/$file" "first/$file" ||
            fail "polhode $*: $file is not whole without allocation $which"
    done < <(cd made && find . -type f)
}

# starve ARGS...: an allocation of each place that no command before has had fails, and then all from it on
starve() {
    local n which own=()
    # HDF5, NLopt and what they load do not survive a failed allocation of their own.
    [[ " $* " == *".h5 "* || $1 == list || $1 == optimise ]] && own=(PH_OWN_ALLOC=1)
    rm -rf count places first
    perform "${own[@]}" PH_COUNT_ALLOC=../count PH_ALLOC_PLACES=../places -- "$@" || fail "polhode $*: $(cat err)"
    steady out >whole
    cp -r made first
    (cd made && find . -type f | sort) >files
    if [[ ${PH_EVERY:-} == 1 ]]; then
        seq 1 "$(sort -n count | tail -n 1)" >chosen
    else
        sort -k 2 -u places | grep -vFf seen >new
        cut -d ' ' -f 2 new >>seen
        cut -d ' ' -f 1 new | sort -nu | awk -v every="${PH_EVERY:-tenth}" 'every == "place" || NR % 10 == 1' >chosen
    fi
    while read -r n; do
        for which in $n $n+; do
            perform "${own[@]}" PH_FAIL_ALLOC="$which" -- "$@"
            judge $? "$which" "$@"
            checks=$((checks + 1))
        done
    done <chosen
}

# A frozen model with functions, a reduced body in a file, a mesh, a curve of a file, and a reference of one.
"$polhode" freeze "$models/dc_motor.lua" -o frozen.json || fail "freeze"
"$polhode" reduce "$models/craig_bampton.lua" -o reduced.json || fail "reduce"
echo 'flexible{name="b", file="reduced.json"} run{t_end=0.01, h=1e-3}' >reduced.lua
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n' >shape.obj
printf 't,u\n0,1\n1,2\n' >curve.csv
cat >shapes.lua <<'MODEL'
local c = curve("curve.csv")
body{name="b", mass=1, inertia={1, 1, 1}, shape={mesh="shape.obj"}}
force{body="b", value=function(t, s) return c(t), 0, 0 end}
sensor{name="x", type="position", body="b"}
run{t_end=0.05, h=1e-2}
MODEL
"$polhode" run shapes.lua --h 1e-3 -o shapes.csv --quiet || fail "run"
fit="$models/heavy_top_fit.lua --t-end 0.05"
top="$models/heavy_top.lua --t-end 0.01"
# shellcheck disable=SC2086 # words of their own
{
    starve stability --oscillator --method bliedf --order 2 --ht 0.003 --jobs 1
    starve stability --oscillator --rho 0.9 --ht 0.003 --json --jobs 1
    starve stability --method rkmk --tableau rk4 --z 1 --steps 10 --jobs 1
    starve stability --method rkmk --tableau rk4 --z 1,3 --steps 10 --jobs 1
    starve stability "$models/hanging_top.lua" --about-spin --hw 0.3 --jobs 1
    starve run $top -o -
    starve run $top -o x.csv --json
    starve run $top -o x.h5 --quiet
    starve run $top --plot x.svg --quiet
    starve run $top --save x.state --quiet
    starve run heavy_top --t-end 0.01 -o x.csv --quiet
    starve run "$models/bricard.lua" --t-end 0.01 --quiet
    starve run "$models/flexible_pendulum_modal.lua" --t-end 0.01 -o - --quiet
    starve run "$models/dc_motor.lua" --t-end 0.01 --method bliedf -o -
    starve run $top --method rkmk --tol 1e-6 -o -
    starve view $top -o x.html
    starve view $top --vtk x
    starve check "$models/bricard.lua"
    starve check "$models/heavy_top.lua" --json
    starve check "$models/flexible_pendulum_modal.lua"
    starve static "$models/double_pendulum.lua"
    starve static "$models/double_pendulum.lua" --json
    starve modes "$models/double_pendulum.lua" --json -o x.csv
    starve linearise "$models/double_pendulum.lua"
    starve sweep $top --vary h=0.001,0.002 --jobs 1 -o x.csv
    starve sweep $top --vary h=0.001,0.002 --jobs 2 --json
    starve converge "$models/heavy_top.lua" --t-end 0.05 --h 0.01,0.005 --jobs 1
    starve converge "$models/heavy_top.lua" --t-end 0.05 --h 0.01,0.005 --jobs 2 --json -o x.csv
    starve transient "$models/heavy_top.lua" --steps 3 --h 0.001
    starve transient "$models/heavy_top.lua" --steps 3 --h 0.001 --json
    starve sens $fit --param m --quiet -o -
    starve sens $fit --param m --mode adjoint --json
    starve sens $fit --param m --check
    starve optimise $fit --vary m --bounds m=1:20 --minimise fit --evaluations 3
    starve freeze "$models/slider_crank.lua"
    starve freeze "$models/dc_motor.lua" -o x.json
    starve compile "$models/heavy_top.lua"
    starve compile "$models/heavy_top.lua" --fmu x.fmu
    starve reduce "$models/flexible_pendulum_modal.lua"
    starve reduce "$models/craig_bampton.lua" -o x.json
    starve reduce "$models/craig_bampton.lua" -o x.h5
    starve cite "$models/heavy_top.lua"
    starve list
    starve list joints
    starve manual
    starve version
    starve help run
    starve run $top --error-bars --quiet
    starve run heavy_top --t-end 0.01 --reference exact --json
    starve stability --oscillator --rho 0.5,0.9 --ht 0.003,0.03 --jobs 1 --plot x.svg
    starve stability --method rkmk --tableau rk4 --z 1,3 --steps 10 --jobs 1 --plot x.svg -o x.csv
    starve modes "$models/hanging_top.lua" --vary Omega=0,50 -n 2 --jobs 1 --plot x.svg --json
    starve modes "$models/double_pendulum.lua" --about static --view x.html
    starve static "$models/double_pendulum.lua" -o x.json --view x.html --save x.state
    starve linearise "$models/double_pendulum.lua" --about static -o x.json
    starve sweep $top --vary h=0.001,0.002 --vary rho=0.5,0.9 --jobs 1 --plot x.svg --view x.html -o x.csv
    starve converge "$models/heavy_top.lua" --t-end 0.05 --h 0.01,0.005 --space SE3,R3xSO3 --jobs 1 --plot x.svg -o x.csv
    starve converge "$models/heavy_top.lua" --t-end 0.05 --h 0.01,0.005 --reference finest --jobs 1 --view x.html
    starve sens $fit --error --json
    starve optimise $fit --vary m --bounds m=1:20 --minimise fit --evaluations 3 --plot x.svg
    starve compile "$models/heavy_top.lua" --open m
    starve compile "$models/chain.lua" --set N=12
    starve compile "$models/chain.lua" --set N=40 # in loops over tables
    starve linearise "$models/double_pendulum.lua" --json
    starve stability "$models/hanging_top.lua" --about-spin --hw 0.3 --jobs 1 --plot x.svg
    starve optimise $fit --vary m --bounds m=1:20 --minimise fit --evaluations 3 --json
    starve sweep $top --vary m=12:16 --sample 3 --jobs 1 --json
    starve run ../frozen.json --t-end 0.01 -o -
    starve check ../reduced.lua
    starve view ../shapes.lua --t-end 0.01 -o x.html
    starve run ../shapes.lua --t-end 0.01 -o -
    starve converge ../shapes.lua --t-end 0.05 --h 0.01,0.005 --reference ../shapes.csv --jobs 1
    export POLHODE_CACHE="$tmp/kept" # what the compiler makes is made once
    mkdir -m 700 kept
    starve run $top --compiled --quiet
    export POLHODE_CACHE=
    numbers='s/[0-9.e+-]+/N/g; s/[ -]+/ /g'
    starve work "$models/heavy_top.lua" --t-end 0.05 --h 0.01,0.005 --repeats 1
    starve bench heavy_top --repeats 1
}

finish
