#!/bin/bash
# run --save and --from: going on gives the same bits, for every method; interruption; files that are no states.
. "$(dirname "$0")/program.bash"

# Rows of a run in two parts are those of the run in one.
both() { # name, options of the run
    local name=$1
    shift
    run 0 run "$@" --t-end 0.02 -o whole.csv --quiet
    run 0 run "$@" --t-end 0.01 -o first.csv --quiet --save "$name.state"
    run 0 run "$@" --t-end 0.02 -o second.csv --quiet --from "$name.state"
    grep -v '^#' whole.csv >a
    { grep -v '^#' first.csv; grep -v '^#' second.csv | tail -n +2; } >b
    cmp -s a b || fail "$name: going on changes bits"
}
both alpha heavy_top --h 1e-3
both alpha3 heavy_top --h 1e-3 --formulation index3 --newton modified
both every heavy_top --h 1e-3 --every 5
both bdf heavy_top --h 1e-3 --method bliedf --order 4
both kutta heavy_top --h 1e-3 --method rkmk --tableau gauss2
both linear heavy_top --h 1e-3 --method linear-alpha --formulation index3
both top "$models/heavy_top.lua" --h 1e-3
both crank "$models/slider_crank.lua" --h 1e-3
both beam "$models/roll_up.lua" --h 2e-3 --every 1
both modal "$models/flexible_pendulum_modal.lua" --h 1e-3

# A run that ended before its input jumps continues beyond the jump.
cat >jump.lua <<'END_OF_MODEL'
input { name = "u", hold = "step" }
particle { name = "p", mass = 1 }
force { body = "p", value = function(t, s) return s.inputs.u, 0, 0 end }
run { t_end = 0.4 }
END_OF_MODEL
printf 't,u\n0,1\n0.1,2\n0.3,-1\n' >u.csv
for method in genalpha bliedf rkmk; do
    run 0 run jump.lua --input u=u.csv --tol 1e-4 --method $method --t-end 0.2 --quiet --save jump.state
    run 0 run jump.lua --input u=u.csv --tol 1e-4 --method $method --from jump.state
    has out ' 0.11  '
done

# How often rows are written, and to which format, is no part of a state.
run 0 run "$models/double_pendulum.lua" --h 1e-3 --t-end 0.02 -o whole.csv --quiet
run 0 run "$models/double_pendulum.lua" --h 1e-3 --t-end 0.01 -o first.csv --every 5 --quiet --save other.state
run 0 run "$models/double_pendulum.lua" --h 1e-3 --t-end 0.02 -o second.csv --quiet --from other.state
grep -v '^#' whole.csv | tail -n 10 >a
grep -v '^#' second.csv | tail -n 10 >b
cmp -s a b || fail "other rows: going on changes bits"
if "$POLHODE" list formats | grep -q h5; then
    run 0 run "$models/double_pendulum.lua" --h 1e-3 --t-end 0.01 -o first.h5 --quiet --save h5.state
    cmp -s other.state h5.state || fail "the state depends on the format of the output"
fi

# Events before and after the point where a run goes on.
for part in 0.5 0.6 1.0 1.1; do
    run 0 run "$models/trebuchet.lua" --h 1e-2 --t-end 2 -o whole.csv --quiet
    run 0 run "$models/trebuchet.lua" --h 1e-2 --t-end $part -o first.csv --quiet --save events.state
    run 0 run "$models/trebuchet.lua" --h 1e-2 --t-end 2 -o second.csv --quiet --from events.state
    grep -v '^#' whole.csv >a
    { grep -v '^#' first.csv; grep -v '^#' second.csv | tail -n +2; } >b
    cmp -s a b || fail "events, $part: going on changes bits"
done
run 0 run "$models/trebuchet.lua" --h 1e-2 --from events.state --json
has out '"name":"lift","t":0.589' '"name":"throw","t":1.06' '"action":"release sling"' '"name":"land"'

# An equilibrium is a state: the run stays there. One can be searched from any state.
cat >hang.lua <<'END_OF_MODEL'
model "hang"
gravity {0, 0, -9.81}
body { name = "a", mass = 1, inertia = {0.1, 0.1, 0.1}, position = {0.5, 0, 0} }
joint { name = "p", type = "revolute", bodies = {"ground", "a"}, at = {0, 0, 0}, axis = {0, 1, 0} }
actuator { name = "s", joint = "p", k = 20, d = 0.5 }
sensor { name = "angle", type = "joint_position", joint = "p" }
run { t_end = 0.5, h = 1e-3 }
END_OF_MODEL
run 0 static hang.lua --save rest.state --json
angle() { grep -oE '"angle":\[[^]]*' out | cut -c10-20; }
rest=$(angle)
run 0 run hang.lua --from rest.state --json
[ "$(angle)" = "$rest" ] || fail "a run from rest moves: $(angle) after $rest"
run 0 run hang.lua --save swing.state --json
run 0 static hang.lua --from swing.state --json
[ "$(angle)" = "$rest" ] || fail "static --from: $(angle), not $rest"
refused 'No such file' static hang.lua --from none.state

# Angles of more than half a turn are those of the equilibrium, in its file and in that of a run.
sed -e 's/^gravity.*//' -e 's/k = 20/k = 1, effort = 7/' hang.lua >turned.lua
for how in '' '--from swing.state'; do
    # shellcheck disable=SC2086 # words
    run 0 static turned.lua $how --save rest.state --json
    awk -v x="$(angle)" 'BEGIN { exit !((x - 7)^2 < 1e-16) }' || fail "static $how: angle $(angle), not 7"
    run 0 run turned.lua --from rest.state --t-end 30 --json
    awk -v x="$(angle)" 'BEGIN { exit !((x - 7)^2 < 1e-16) }' || fail "static $how: a run from rest at 7 rad moves to $(angle)"
    run 0 static turned.lua --from rest.state --json
    awk -v x="$(angle)" 'BEGIN { exit !((x - 7)^2 < 1e-16) }' || fail "static from rest at 7 rad: $(angle)"
    run 0 run turned.lua --t-end 20 --save swing.state --quiet
done

# A state at rest has no past: any method, step size, tolerance and input goes on from it, but no other model, parameter or space.
cat >loaded.lua <<'END_OF_MODEL'
model "loaded"
gravity {0, 0, -9.81}
local k = param("k", 20)
input { name = "u", value = 1 }
body { name = "a", mass = 1, inertia = {0.1, 0.1, 0.1}, position = {0.5, 0, 0} }
joint { name = "p", type = "revolute", bodies = {"ground", "a"}, at = {0, 0, 0}, axis = {0, 1, 0} }
state { name = "i", initial = 3, rate = function(t, s) return s.joints.p.position - s.states.i end }
actuator { name = "s", joint = "p", k = k, d = 0.5, effort = function(t, s) return s.inputs.u + s.states.i end }
sensor { name = "angle", type = "joint_position", joint = "p" }
run { t_end = 0.5, h = 1e-3 }
END_OF_MODEL
run 0 static loaded.lua --save rest.state --json
rest=$(angle)
for how in '' '--h 2e-3' '--tol 1e-6' '--method bliedf' '--method rkmk' '--formulation index3' '--formulation index2' '--newton modified'; do
    # shellcheck disable=SC2086 # words
    run 0 run loaded.lua --from rest.state --json $how
    [ "$(angle)" = "$rest" ] || fail "$how: a run from rest moves: $(angle) after $rest"
done
run 0 run loaded.lua --from rest.state --json --input u=2
[ "$(angle)" != "$rest" ] || fail "another load moves nothing"
for how in '--space SE3' '--set k=21'; do
    # shellcheck disable=SC2086 # words
    refused 'the state is that of another model, of other parameters or another space' run loaded.lua --from rest.state $how
done
refused 'of another model' run hang.lua --from rest.state
head -c -3 rest.state >short.state
refused 'the file is damaged' run loaded.lua --from short.state

# By tolerance a run that ends earlier has its last step there; one that is interrupted has not.
run 0 run heavy_top --tol 1e-3 --t-end 0.02 --save tol.state --json
has out '"t":0.02,'
run 0 run heavy_top --tol 1e-3 --t-end 0.05 --from tol.state --json
has out '"t":0.05'
# Errors of steps add up to tol over the whole time of a run, which its rest has in view: it takes as many steps as in one piece.
accepted() { grep -oE '"accepted":[0-9]+' out | tr -dc 0-9; }
for method in genalpha 'bliedf --order 2'; do
    # shellcheck disable=SC2086 # words
    run 0 run "$models/double_pendulum.lua" --method $method --tol 1e-4 --t-end 2 --json
    whole=$(accepted)
    # shellcheck disable=SC2086 # words
    run 0 run "$models/double_pendulum.lua" --method $method --tol 1e-4 --t-end 0.05 --json --save tol.state
    # shellcheck disable=SC2086 # words
    run 0 run "$models/double_pendulum.lua" --method $method --tol 1e-4 --t-end 2 --json --from tol.state
    awk -v a="$whole" -v b="$(accepted)" 'BEGIN { exit !(b > 0.95 * a && b < 1.05 * a) }' || fail "$method: $(accepted) steps in two pieces, $whole in one" # ordering
done
run 0 run heavy_top --tol 1e-3 --t-end 0.02 --save tol.state --json
"$POLHODE" run heavy_top --t-end 1e5 --quiet --save alone.state 2>err & # no table, and so no other one
for _ in $(seq 200); do # until it holds signals back
    grep -qs '^SigBlk:.*[1-9a-f]' /proc/$!/status && break
    sleep 0.02
done
kill $!
wait $!
has err 'interrupted at t = ' "--from 'alone.state' goes on from there"
interrupted() { # name, signal, options of the run
    local name=$1 signal=$2
    shift 2
    run 0 run "$@" -o whole.csv --quiet
    "$POLHODE" run "$@" -o part.csv --quiet --save "$name.state" 2>err &
    local job=$!
    for _ in $(seq 100); do # until it is under way
        compgen -G 'part.csv.part*' >/dev/null && break
        sleep 0.02
    done
    sleep 0.05
    kill -s "$signal" $job
    wait $job
    local code=$?
    [ $code = $((128 + $(kill -l "$signal"))) ] || fail "$name: exit code $code after $signal"
    has err 'interrupted at t = ' "--from '$name.state'"
    run 0 run "$@" -o rest.csv --quiet --from "$name.state"
    grep -v '^#' whole.csv >a
    { grep -v '^#' part.csv; grep -v '^#' rest.csv | tail -n +2; } >b
    cmp -s a b || fail "$name: going on after a signal changes bits"
}
interrupted long HUP "$models/chain.lua" --set N=30 --h 5e-5 --t-end 4 --every 200
interrupted control TERM "$models/chain.lua" --set N=30 --tol 1e-6 --h 1e-2 --t-end 1.5
interrupted order TERM "$models/chain.lua" --set N=30 --method bliedf --formulation ggl --tol 1e-5 --t-end 2

# Refusals
refused 'the state is at t = 0.02 s, where the run ends' run heavy_top --tol 1e-3 --t-end 0.02 --from tol.state
refused 'or of other parameters, options' run heavy_top --tol 1e-4 --t-end 0.1 --from tol.state
refused 'of another model' run free_body --tol 1e-3 --t-end 0.1 --from tol.state
refused 'No such file' run heavy_top --h 1e-3 --t-end 0.1 --from none.state
echo 'no state' >text.state
refused 'it is not the state of a run' run heavy_top --h 1e-3 --t-end 0.1 --from text.state
head -c 300 tol.state >short.state
refused 'of another model' run heavy_top --tol 1e-3 --t-end 0.1 --from short.state
sed '1s/version [^:]*:/version 0.0.0:/' tol.state >old.state
refused 'another version of polhode wrote it' run heavy_top --tol 1e-3 --t-end 0.1 --from old.state
refused 'No such file' run heavy_top --h 1e-3 --t-end 0.01 --save none/a.state
[ ! -e none ] || fail "a folder"
finish
