#!/usr/bin/env bash
# Every open, write, fsync, rename and close fails in turn (failing_files.c), and processes are killed at random moments: files are whole, as they
# were, or absent; a complaint of one line says why; what follows gives the same bytes. PH_KILLS=N: so many kills.
# shellcheck source=test/program.bash
source "$(dirname "${BASH_SOURCE[0]}")/program.bash"
library=${FAILING_FILES:-}
if [[ -z $library ]]; then
    echo "no library whose calls fail: nothing to do"
    exit 0
fi
export POLHODE_CACHE="$tmp/cache"
mkdir cache

arm 0.05 >arm.lua
flexible=$models/flexible_pendulum_modal.lua

clean() { # FILE: nothing of an earlier run is there
    rm -rf "$1" "$1".part* cache
    mkdir cache
}

# What must be there after a run that failed with CODE: FILE as it was or not at all, one complaint, no parts but a journal.
judge() { # FILE CODE WHO
    local file=$1 code=$2 who=$3
    if ((code == 0)); then
        cmp -s "$file" want || fail "$who: says well, and the file is not whole"
    else
        ((code == 1 || code == 2)) || fail "$who: exit code $code: $(head -c 300 err)"
        complains "" "$who"
        [[ ! -e $file ]] || cmp -s "$file" old || fail "$who: half a file"
    fi
    [[ -z $(compgen -G "$file.part-*") ]] || fail "$who: leaves $(compgen -G "$file.part-*")"
}

# faults FILE ARGS...: each call in turn, in each way; FILE is new or is there before
faults() {
    local file=$1 calls n how code round=0
    shift
    clean "$file"
    PH_LOG_FILE=log LD_PRELOAD=$library "$polhode" "$@" >out 2>err </dev/null || fail "polhode $*: $(cat err)"
    mv "$file" want
    calls=$(grep -c . log)
    ((calls >= 5)) || fail "polhode $*: $calls calls"
    grep -A1 " rename $file" log | grep -q ' fsync folder' || fail "polhode $*: the folder is not synchronised after the rename"
    mv log calls
    for ((n = 1; n <= calls; n++)); do
        for how in ENOSPC EIO EINTR short ENOSPC+; do
            # of a file with many writes each is tried in some way, and the others in all
            round=$((round + 1))
            ((calls <= 14 || round % 5 == 0)) || continue
            clean "$file"
            ((round % 2)) || echo old | tee old >"$file"
            [[ $how == *+ ]] && which=$n+ || which=$n
            PH_FAIL_FILE=$which PH_FAIL_HOW=${how%+} LD_PRELOAD=$library "$polhode" "$@" >out 2>err </dev/null
            code=$?
            checks=$((checks + 1))
            judge "$file" $code "polhode $*, call $which: $how"
            # of files that are written alone, every failure is told; a folder may be one that cannot be synchronised
            if ((code == 0 && calls <= 6)) && [[ $how != short ]] && ! sed -n "${n}p" calls | grep -q ' fsync folder'; then
                fail "polhode $*, call $which: $how is not told"
            fi
            if ((code != 0 && round % 3 == 0)); then # and then again, with what it left
                run 0 "$@"
                cmp -s "$file" want || fail "polhode $*, call $which: $how: another file afterwards"
            fi
        done
    done
}

study=(--vary m=1:3:3 --jobs 1 --quiet)
faults a.csv run arm.lua -o a.csv --quiet
faults a.state run arm.lua --save a.state --quiet
faults s.csv sweep arm.lua "${study[@]}" -o s.csv
faults f.json freeze arm.lua -o f.json
faults b.json reduce "$flexible" -o b.json
faults c.csv converge arm.lua --h 5e-3,2.5e-3 -o c.csv
faults l.json linearise arm.lua -o l.json
faults e.json static "$models/double_pendulum.lua" -o e.json
faults v.html view arm.lua -o v.html
if "$polhode" list formats | grep -q h5; then
    faults b.h5 reduce "$flexible" -o b.h5
fi

# ---- killed at random moments --------------------------------------------------------------------------------------------
kills=${PH_KILLS:-200} seed=7

random() { # below $1
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    value=$((seed / 65536 % $1))
}

# killed FILES ARGS...: a share of all kills; FILES, in quotes, are what it writes
killed() {
    local files=$1 file n start took pid dead=0 began
    shift
    rm -rf cache ${files}
    mkdir cache
    start=${EPOCHREALTIME/./}
    run 0 "$@"
    took=$((${EPOCHREALTIME/./} - start))
    for file in $files; do
        mv "$file" "$file.want"
    done
    for ((n = 0; n < kills / 6; n++)); do
        random $((took + took / 8))
        rm -rf cache/*
        "$polhode" "$@" >out 2>err </dev/null &
        pid=$!
        began=${EPOCHREALTIME/./}
        while ((${EPOCHREALTIME/./} - began < value)); do read -rt 0.002 <> <(:); done
        kill -KILL $pid 2>/dev/null
        wait $pid 2>/dev/null
        (($? != 137)) || dead=$((dead + 1))
        checks=$((checks + 1))
        for file in $files; do
            [[ ! -e $file ]] || cmp -s "$file" "$file.want" || fail "polhode $*, killed after $value us: half of $file"
            ((n % 3)) || rm -f "$file"
        done
    done
    echo "$1: $dead of $n killed"
    ((dead)) || fail "polhode $*: none of $n was killed"
    run 0 "$@"
    for file in $files; do
        cmp -s "$file" "$file.want" || fail "polhode $*: $file is another after $dead kills"
        [[ -z $(compgen -G "$file.part*") ]] || fail "polhode $*: leaves $(compgen -G "$file.part*")"
    done
}

mkdir dir
killed run.csv run arm.lua --t-end 2 -o run.csv --quiet
killed sweep.csv sweep arm.lua --vary m=1:3:6 --t-end 0.5 --jobs 2 --quiet -o sweep.csv
killed best.csv optimise arm.lua --vary m --bounds m=1:3 --minimise low --t-end 0.5 -o best.csv --quiet
killed order.csv converge arm.lua --h 5e-3,2.5e-3,1.25e-3 --t-end 0.5 -o order.csv
killed body.json reduce "$flexible" -o body.json
killed "dir/arm.c dir/arm.h" compile arm.lua -o dir

finish
