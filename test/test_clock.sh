#!/usr/bin/env bash
# Clocks jump by an hour, back and forth (jumping_clock.c): results keep their bits, no time is negative, limits and interrupts work, nothing waits.
# shellcheck source=test/program.bash
source "$(dirname "${BASH_SOURCE[0]}")/program.bash"
library=${JUMPING_CLOCK:-}
if [[ -z $library ]]; then
    echo "no library whose clocks jump: nothing to do"
    exit 0
fi
export PH_JUMPS=$tmp/jumps POLHODE_CACHE=

arm 0.3 >arm.lua

jumping() { # ARGS...: the program, killed after a minute
    checks=$((checks + 1))
    LD_PRELOAD=$library timeout -s KILL 60 "$polhode" "$@" >out 2>err </dev/null
}

# same FILE ARGS...: with clocks that jump the same bytes
same() {
    local file=$1
    shift
    run 0 "$@"
    mv "$file" want
    rm -f jumps
    jumping "$@" || fail "polhode $*: exit code $?: $(head -c 300 err)"
    [[ -s jumps ]] || fail "polhode $*: asks no clock"
    cmp -s "$file" want || fail "polhode $*: other results"
}
same a.csv run arm.lua -o a.csv
same b.csv run arm.lua --tol 1e-6 --method rkmk -o b.csv
same s.csv sweep arm.lua --vary m=1:3:9 --jobs 2 -o s.csv
same o.csv optimise arm.lua --vary m --bounds m=1:3 --minimise low -o o.csv

for back in '' 3 5 7 9 11 300; do # some before the run begins, some while it goes on
    [[ -z $back ]] || export PH_SET_BACK=$back
    jumping run arm.lua --json || fail "a report: $(cat err)"
    grep -q '"wall_s":[0-9]' out || fail "no time, or a negative one: $(grep -o '"wall_s":[^,]*' out)"
done

# A loop without end is ended, and so is a run, by a signal, after the clock was set back.
echo 'while true do end' >endless.lua
jumping check endless.lua
(($? == 2)) || fail "a loop without end: $(cat err)"
PH_SET_BACK=1000 LD_PRELOAD=$library timeout -s KILL 20 "$polhode" run arm.lua --t-end 1e6 --quiet -o long.csv --every 1000000 >out 2>err </dev/null &
pid=$!
sleep 0.5
kill -INT "$(cat /proc/$pid/task/$pid/children)"
wait $pid
code=$?
((code != 137)) || fail 'an interrupt is not seen once the clock was set back'
checks=$((checks + 1))

finish
