#!/usr/bin/env bash
# polhode sweep under mpirun: the same table from any number of ranks; what becomes of ranks that die.
# shellcheck source=test/program.bash
source "$(dirname "${BASH_SOURCE[0]}")/program.bash"

study=(sweep "$models/heavy_top.lua" --vary m=10:20:12 --vary "rho=0.5,0.9,2" --t-end 0.1)

if [[ -z ${MPIRUN:-} ]]; then # a program that knows nothing of ranks refuses to be several
    OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 "$polhode" "${study[@]}" -o no.csv >out 2>err
    code=$?
    ((code == 2)) || fail "exit code $code"
    has err 'built without MPI'
    finish
fi

# The leak check finds what MPI itself keeps.
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" OMPI_MCA_btl_base_warn_component_unused=0
several=("$MPIRUN")
"$MPIRUN" --version 2>/dev/null | grep -qE 'Open MPI|OpenRTE' && several+=(--oversubscribe --allow-run-as-root)

ranks() { # N COMMAND...
    "${several[@]}" -n "$@" >out 2>err </dev/null
}

"$polhode" "${study[@]}" --jobs 2 -o plain.csv --quiet || fail 'without mpirun'
for n in 1 2 3 4; do
    ranks "$n" "$polhode" "${study[@]}" -o "ranks$n.csv" || fail "$n ranks: $(head -c 500 err)"
    cmp -s plain.csv "ranks$n.csv" || fail "$n ranks give another table"
    [[ $(grep -c '36 cases' out) == 1 ]] || fail "$n ranks say: $(cat out)"
done

# Some cases bring their process down: these are lost, and no other; ranks that disagree do not work together.
for n in 1 3; do
    ranks "$n" "${RANKS_POOL:?}" || fail "pool with $n ranks: $(head -c 500 err)"
    has out '300 cases, 60 lost'
done
! ranks 3 "$RANKS_POOL" 2 || fail 'ranks that disagree work together'
has err 'rank 2 sees another model'

# What one has left unfinished, others go on with: a share, then ranks, then all. Nothing to do is done.
"$polhode" "${study[@]}" --case 2/3 -o mixed.csv --quiet || fail 'a share'
ranks 2 "$polhode" "${study[@]}" --case 1/3 -o mixed.csv || fail 'a share with ranks'
ranks 3 "$polhode" "${study[@]}" --case 1/3 -o mixed.csv || fail 'a share that is complete'
ranks 3 "$polhode" "${study[@]}" -o mixed.csv || fail 'ranks that gather'
cmp -s plain.csv mixed.csv || fail 'shares and ranks give another table'

# One line of complaint, and no rank is left waiting.
printf 'polhode journal 1 0123456789abcdef\n' >other.csv.part
! ranks 3 "$polhode" "${study[@]}" -o other.csv || fail 'a journal of another sweep is taken'
[[ $(grep -c 'the journal of another study' err) == 1 ]] || fail "complaints: $(cat err)"
! ranks 2 "$polhode" "${study[@]}" --jobs 2 || fail '--jobs with ranks'
has err 'under mpirun each rank computes one case at a time'

# A rank that dies, be it the first, ends the job: mpirun names it, no other one and none of their children is left, the journal stays, and others go on from there.
long=(sweep "$models/heavy_top.lua" --vary m=10:20:16 --h 4e-6) # long enough to be killed in time
"$polhode" "${long[@]}" -o live.csv --quiet || fail 'without mpirun'

rank_of() { # PID
    tr '\0' '\n' 2>/dev/null <"/proc/$1/environ" | sed -n 's/^OMPI_COMM_WORLD_RANK=//p'
}

die() { # RANK LINES: it is killed once the journal has so many
    local mpirun_pid victim='' pid table=die$1.csv
    "${several[@]}" -n 3 "$polhode" "${long[@]}" -o "$table" >out 2>err </dev/null &
    mpirun_pid=$!
    for _ in $(seq 400); do
        sleep 0.02
        for pid in $(cat "/proc/$mpirun_pid/task/$mpirun_pid/children" 2>/dev/null); do
            [[ $(rank_of "$pid") != "$1" ]] || victim=$pid
        done
        [[ -z $victim || $(cat "$table.part" 2>/dev/null | wc -l) -lt $2 ]] || break
    done
    if [[ -z $victim ]]; then
        wait $mpirun_pid
        fail "rank $1 was not found"
        return
    fi
    kill -KILL "$victim"
    for _ in $(seq 300); do # those that are left end at once
        kill -0 $mpirun_pid 2>/dev/null || break
        sleep 0.1
    done
    ! kill -KILL $mpirun_pid 2>/dev/null || fail "rank $1 is dead, and others wait"
    wait $mpirun_pid && fail "that rank $1 is dead goes unnoticed"
    has err "rank $1" 'signal 9'
    for _ in $(seq 50); do
        pgrep -f "^$polhode .*$table" >/dev/null || break
        sleep 0.1
    done
    ! pgrep -f "^$polhode .*$table" >left || fail "rank $1 is dead, and processes are left: $(cat left)"
    [[ -e $table.part && ! -e $table ]] || fail "that rank $1 is dead leaves no journal"
    (($(cat "$table.part" | wc -l) >= $2)) || fail 'the journal is empty'
    "$polhode" "${long[@]}" -o "$table" --quiet || fail "after rank $1 died"
    cmp -s "$table" live.csv || fail "that rank $1 died changes the table"
}
die 2 3
die 0 5

finish
