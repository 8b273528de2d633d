#!/usr/bin/env bash
# Runs that must not end well: spaces that do not suit a model, and solutions that explode.
# shellcheck source=test/program.bash
source "$(dirname "${BASH_SOURCE[0]}")/program.bash"

# Cardan angles are singular at first, and on the way; what was computed so far is kept.
run 2 run "$models/bricard.lua" --space cardan
has err "bricard.lua:" "body 'rod3' starts where Cardan angles are singular" "R3xSO3"
run 1 run "$models/double_pendulum.lua" --space cardan --json -o swing.csv
has err "t = 0.476: body 'lower' reaches a state where Cardan angles are singular" "R3xSO3"
has out '"status":"callback_failed"' "body 'lower' reaches a state where"
has swing.csv 't [s]' 'Cardan angles'

# Euler parameters of the fast rotor turn unstable from h = 8e-6 on.
for h in 8e-6 1e-5 2e-5 2.5e-5; do
    run 1 run "$models/rotor.lua" --space euler --h "$h" --t-end 0.1 --json
    has err 'the solution explodes' "body 'rotor' turns at" "h = "
    has out '"status":"stopped"' 'the solution explodes'
done
run 0 run "$models/rotor.lua" --space euler --h 5e-6 --t-end 0.01 --quiet
run 0 run "$models/rotor.lua" --t-end 0.1 --quiet

# check says so before; it has nothing to say of spaces and models that suit each other.
for space in euler cardan; do
    run 0 check "$models/rotor.lua" --space "$space"
    has out "too much for the space $space"
    run 0 check "$models/pendulum.lua" --space "$space"
    ! grep -q warning out || fail "check warns of the pendulum in $space: $(cat out)"
done

# No false alarm: falling, driven, spun and vibrating models in every space that suits them, with long steps too.
for model in chain driven_crank four_bar slider_crank spring_ball ring; do
    for space in R3xSO3 SE3 euler cardan; do
        run 0 run "$models/$model.lua" --space "$space" --quiet
    done
done
for model in chain driven_crank ring bricard; do
    run 0 run "$models/$model.lua" --h 0.02 --quiet
done
run 0 run "$models/governor.lua" --space euler --t-end 1 --quiet
cat >falling.lua <<'LUA'
model "falling"                                            -- from rest, spun up by a torque that grows with time
gravity {0, 0, -9.81}
body  { name = "disc", mass = 1, inertia = {1, 1, 2}, position = {0, 0, 0} }
torque{ name = "motor", body = "disc", value = function(t, s) return {0, 0, 1000 * t} end }
run   { t_end = 10, h = 0.01 }
LUA
for space in R3xSO3 SE3; do
    run 0 run falling.lua --space "$space" --quiet
done

# What springs hold may come out: energy that explicit Euler feeds is none of an explosion at 1.5 times the first, and can be let go on.
run 0 run "$models/spring_ball.lua" --method rkmk --tableau euler --h 0.1 --t-end 0.7 --quiet
run 1 run "$models/spring_ball.lua" --method rkmk --tableau euler --h 0.1 --t-end 20
has err 'the solution explodes' '--keep-going'
run 0 run "$models/spring_ball.lua" --method rkmk --tableau euler --h 0.1 --t-end 20 --keep-going --quiet

# A drive that asks for more than links can reach: with steps by tolerance the advice is a tolerance, not a step of 0.
cat >stretched.lua <<'LUA'
model "links that a drive stretches"
local l, a = 0.4, 0.3
body  { name = "upper", mass = 1, inertia = {1e-3, 0.013, 0.013}, position = {l/2*math.cos(a), 0, l/2*math.sin(a)} }
body  { name = "lower", mass = 1, inertia = {1e-3, 0.013, 0.013}, position = {1.5*l*math.cos(a), 0, l/2*math.sin(a)} }
joint { name = "base", type = "revolute", bodies = {"ground", "upper"}, at = {0, 0, 0}, axis = {0, 1, 0} }
joint { name = "knee", type = "revolute", bodies = {"upper", "lower"}, at = {l*math.cos(a), 0, l*math.sin(a)}, axis = {0, 1, 0} }
body  { name = "ram", mass = 5, inertia = {0.01, 0.01, 0.01}, position = {2*l*math.cos(a), 0, 0} }
joint { name = "pin", type = "revolute", bodies = {"lower", "ram"}, at = {2*l*math.cos(a), 0, 0}, axis = {0, 1, 0} }
joint { name = "slide", type = "prismatic", bodies = {"ground", "ram"}, at = {0, 0, 0}, axis = {1, 0, 0}, drive = function(t) return 0.5*t end }
run   { t_end = 1, tol = 1e-4 }
LUA
run 1 run stretched.lua
has err 'the solution explodes' 'use a smaller tolerance than tol = 0.0001 or another space, or --keep-going'

# A motor does its work between two points of a coarse grid: that is no explosion.
run 0 run "$models/dc_motor.lua" --tol 1e-3 --h 0.3 --t-end 0.3 --quiet

# Orders above 2 are unstable beside the imaginary axis, and the sentence says what helps.
cat >vibration.lua <<'END'
model "vibration"
particle { name = "a", mass = 1, position = {1.001, 0, 0} }
spring { bodies = {"ground", "a"}, k = 1e6, length = 1 }
run { t_end = 2, h = 1.5e-3, method = "bliedf", order = 4 }
END
run 1 run vibration.lua
has err 'the solution explodes' 'take order 2 or genalpha'

# Flexible bodies without stiffness under load: spin and axial forces that matter are told of, once.
run 0 run "$models/spin_up_modal.lua" --set stiffening=0 --t-end 5 --json
has err "note: flexible body 'rod': Omega^2 is" "above 0.05 since t = 4.42" "set geometric_stiffness"
[[ $(grep -c note err) == 1 ]] || fail "not told once: $(cat err)"
run 0 run "$models/flexible_slider_crank_modal.lua" --set stiffening=0 --t-end 0.001 --json
has err "note: flexible body 'rod': its axial load is 0.16 "
for quiet in "spin_up_modal.lua --t-end 5" "spin_up_modal.lua --t-end 3 --set stiffening=0" \
             "spin_up_modal.lua --t-end 5 --set stiffening=0 --quiet" "flexible_slider_crank_modal.lua --t-end 0.001"; do
    # shellcheck disable=SC2086
    run 0 run "$models/"$quiet
    ! grep -q note err || fail "$quiet: $(cat err)"
done

# The step that check calls sensible serves: the run comes to its end, and bodies do not turn too far in a step.
for model in double_pendulum bricard four_bar four_bars slider_crank pendulum chain ring free_body rolling_disc; do
    run 0 check "$models/$model.lua"
    h=$(sed -nE 's/.*step size +h = ([^ ]+) s would.*/\1/p' out)
    run 0 run "$models/$model.lua" --h "${h:-none}"
    ! grep -q 'turns by' err || fail "$model with h = $h: $(cat err)"
done
run 0 check "$models/driven_crank.lua"
! grep -q sensible out || fail "round-off sets a step size: $(cat out)"

# An energy that does not balance is a note, also in JSON; the advice is true.
run 0 run "$models/heavy_top.lua" --method bliedf --h 1e-3 --t-end 100 --json
has err 'note: the balance of energy is off by up to 73.' 'use a smaller h than 0.001, or genalpha'
has out '"warnings":[{"what":"energy"' '"text":"the balance of energy is off by up to 73.'
run 0 run "$models/heavy_top.lua" --h 1e-3 --t-end 100 --json
[[ ! -s err ]] || fail "a false alarm: $(cat err)"

# What a run met is told of once, on stderr and in JSON: large steps, kinks of drives, violated velocities.
run 0 run "$models/heavy_top.lua" --h 5e-3 --t-end 0.1 --json
has err "note: with h = 0.005 s a body turns by 0.75 rad in a step"
has out '"warnings":[{"what":"turn","text":"with h = 0.005 s a body turns by 0.75 rad in a step'
cat >kink.lua <<'LUA'
model "kink"
local stop = param("stop", 0.05)
body  { name = "a", mass = 1, inertia = {1, 1, 1} }
joint { name = "slide", type = "prismatic", bodies = {"ground", "a"}, axis = {0, 0, 1},
        drive = function(t) return math.min(t, stop) end }
run   { t_end = 0.1, h = 1e-3 }
LUA
for stop in 0.05 0.05007 0.0505; do
    run 0 run kink.lua --set stop=$stop
    has err "note: joint 'slide': its drive has a kink, or is too fast for h = 0.001 s: near t = 0.05" 'its velocity changes by'
    run 0 run kink.lua --set stop=$stop --quiet
    [[ ! -s err ]] || fail "--quiet: $(cat err)"
done
run 0 run kink.lua --formulation index3
has err "note: joint 'slide'" 'note: velocities violate the joints by up to' 'the largest velocity is 1'
run 0 run kink.lua --set stop=1 # no kink on the way
[[ ! -s err ]] || fail "a false alarm: $(cat err)"
sed 's/math.min(t, stop)/0.01 * math.sin(100 * t)/' kink.lua >wave.lua
run 0 run wave.lua
[[ ! -s err ]] || fail "a false alarm: $(cat err)"
run 0 run wave.lua --h 1e-2 --t-end 1
has err "note: joint 'slide': its drive has a kink, or is too fast for h = 0.01 s"

# ---- workers that are killed: a case is tried once more, then it is lost, and each study says so -------------------------------

# bereaved CODE ARGS...: its workers are killed as long as it has any; leaves stdout in out, stderr in err
bereaved() {
    local want=$1 got pid
    shift
    "$polhode" "$@" >out 2>err </dev/null &
    pid=$!
    while kill -0 $pid 2>/dev/null; do
        # shellcheck disable=SC2046 # several words
        kill -KILL $(cat /proc/$pid/task/$pid/children 2>/dev/null) 2>/dev/null
        read -rt 0.02 <> <(:)
    done
    wait $pid
    got=$?
    checks=$((checks + 1))
    ((got == want)) || fail "polhode $*, its workers killed: exit code $got instead of $want: $(head -c 300 err)"
}
if [[ -e /proc/self/task/$$/children || -e /proc/$$/task/$$/children ]]; then
    top=$models/heavy_top.lua
    bereaved 1 sweep "$top" --vary m=10,20 --t-end 2 --h 1e-6 --jobs 2
    has out '2 cases: 2 lost' 'the process was killed by signal 9'
    bereaved 1 converge "$top" --h 2e-6,1e-6 --t-end 1 --jobs 2 --reference finest
    has err 'genalpha, h = 2e-06 s: its process was killed by signal 9' 'genalpha, h = 1e-06 s: its process was killed by signal 9'
    bereaved 1 converge heavy_top --h 2e-6,1e-6 --t-end 2 --jobs 2
    has err 'genalpha, h = 2e-06 s: its process was killed by signal 9'
    bereaved 1 stability --method rkmk --tableau rk4 --z 1,2 --steps 50000000 --jobs 2
    complains 'a case was lost: its process was killed by signal 9' stability
    [[ ! -s out ]] || fail "stability without its cases prints: $(head -c 300 out)"
fi

# ---- a terminal: one line, which goes when the work is done -----------------------------------------------------------------------

if command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1; then
    terminal() { # ARGS...: what the terminal shows, to out
        script -qec "'$polhode' $*" typed >/dev/null </dev/null || fail "polhode $*: $(cat typed)"
        tr '\r' '\n' <typed >out
    }
    terminal run "$models/heavy_top.lua" --h 1e-6 --t-end 0.5
    grep -qE '^t 0\.[0-9]+ +[0-9]+ %  h 1e-06  [12]\.[0-9]+ iterations/step  [0-9]+ s left' out || fail "no progress of a run: $(head -c 300 out)"
    terminal sweep "$models/heavy_top.lua" --vary m=10,12,14 --h 4e-6 --t-end 2 --jobs 1
    grep -qE '^sweep: 1 of 3 cases, [0-9]+ s left' out || fail "no progress of a sweep: $(head -c 300 out)"
    terminal optimise "$models/heavy_top_fit.lua" --t-end 0.05 --vary m --bounds m=1:20 --minimise fit --evaluations 3
    grep -qE '^evaluation 2  fit [0-9.e+-]+  .gradient. ' out || fail "no progress of optimise: $(head -c 300 out)"
fi

finish
