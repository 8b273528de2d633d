#!/usr/bin/env bash
# Runs that must not end well: spaces that do not suit a model, and solutions that explode.
# shellcheck source=test/program.bash
source "$(dirname "${BASH_SOURCE[0]}")/program.bash"

# Cardan angles are singular at first, and on the way; what was computed so far is kept.
run 2 run "$models/bricard.lua" --space cardan
has err "bricard.lua:" "body 'rod3' starts where Cardan angles are singular" "R3xSO3"
run 1 run "$models/double_pendulum.lua" --space cardan --json -o swing.csv
has err "t = 0.476: body 'lower' comes to where Cardan angles are singular" "R3xSO3"
has out '"status":"callback_failed"' "body 'lower' comes to where"
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

# Flexible bodies without stiffness under load: spin and axial forces that matter are told of, once.
run 0 run "$models/spin_up_modal.lua" --set stiffening=0 --t-end 5 --json
has err "note: flexible body 'rod': Omega^2 comes to" "above 0.05 since t = 4.42" "give it geometric_stiffness"
[[ $(grep -c note err) == 1 ]] || fail "not told once: $(cat err)"
run 0 run "$models/flexible_slider_crank_modal.lua" --set stiffening=0 --t-end 0.001 --json
has err "note: flexible body 'rod': its axial load comes to 0.16 "
for quiet in "spin_up_modal.lua --t-end 5" "spin_up_modal.lua --t-end 3 --set stiffening=0" \
             "spin_up_modal.lua --t-end 5 --set stiffening=0 --quiet" "flexible_slider_crank_modal.lua --t-end 0.001"; do
    # shellcheck disable=SC2086
    run 0 run "$models/"$quiet
    ! grep -q note err || fail "$quiet: $(cat err)"
done

finish
