#!/usr/bin/env bash
# Every shipped model: checked, run in both Lie group spaces, frozen; and model files that make no sense.
# shellcheck source=test/program.bash
source "$(dirname "${BASH_SOURCE[0]}")/program.bash"

# ---- what is shipped ----------------------------------------------------------------------------------------------

# short MODEL: the time of 30 steps
short() {
    awk '{ sub(/--.*/, "") } match($0, /[ {]h = [0-9.e-]+/) { h = substr($0, RSTART + 5, RLENGTH - 5) }
         END { printf "%.17g", 30 * h }' "$1"
}

clock='s/"wall_s":[^,]*//'
n=0
for model in "$models"/*.lua; do
    name=$(basename "$model" .lua)
    t=$(short "$model")
    n=$((n + 1))
    [[ $(head -n 1 "$model") == "-- "* ]] || fail "$name does not begin with what it is"
    run 0 check "$model"
    has out 'degrees of freedom' 'consistency'
    run 0 check "$model" --json
    has out '"status":"ok"' '"dof":'
    run 0 cite "$model"

    # invariant: GGL satisfies what it enforces in every step
    for space in R3xSO3 SE3; do
        run 0 run "$model" --t-end "$t" --space "$space" --formulation ggl --json
        has out '"status":"ok"' '"steps":30,' "\"space\":\"$space\"" '"formulation":"ggl"'
        p=$(grep -oE '"violation":\{"position":[0-9.e+-]+' out | cut -d: -f3)
        awk -v p="$p" 'BEGIN { exit !(p != "" && p <= 1e-12) }' || fail "$name in $space: violation.position = $p"
    done

    # exact: frozen, it is the same model, functions and all; but data, and objectives of reactions, which are not traced
    if [[ $name == balanced_crank || $name == heavy_top_fit ]]; then
        refused 'of the file cannot be frozen' freeze "$model" -o frozen.json
        [[ ! -e frozen.json ]] || fail "$name: refused, but written"
        continue
    fi
    run 0 freeze "$model" -o frozen.json
    run 0 run "$model" --t-end "$t" --json && sed "$clock" out >thawed
    run 0 run frozen.json --t-end "$t" --json && sed "$clock" out >same
    cmp -s thawed same || fail "$name: the frozen model runs otherwise"
    run 0 freeze frozen.json
    cmp -s out frozen.json || fail "$name: frozen twice, it is another"
    rm frozen.json
done
((n >= 16)) || fail "only $n models in $models"

# Redundant conditions are named, and the run goes on.
run 0 check "$models/bricard.lua"
has out "joint 'r6': 1 of its 5 conditions repeats what 'r1'...'r5' already impose"
has out 'rank 29' 'degrees of freedom 1' "joint 'r6': 1 of its 5 conditions repeats"
cat >doubled.lua <<'END_OF_MODEL'
model "doubled"
for i = 1, 25 do
    body { name = "b" .. i, mass = 1, inertia = {1, 1, 1}, position = {i, 0, 0} }
    for k = 1, 2 do
        joint { name = "j" .. i .. "_" .. k, type = "revolute", bodies = {"ground", "b" .. i}, at = {i, 1, 0}, axis = {0, 0, 1} }
    end
end
run { t_end = 1e-2, h = 1e-2 }
END_OF_MODEL
run 0 check doubled.lua
has out "joint 'j20_2': 5 of its 5 conditions repeat what 'j20_1' already imposes" '... and 5 more have conditions that repeat others'
grep -q j21_2 out && fail "more than twenty redundant joints have a sentence"
run 0 run doubled.lua
has err '... and 5 more have conditions that repeat others; multipliers of least norm are used'
run 0 check "$models/four_bar.lua" --json
has out '"rank":17' '"dof":1' '"redundant":['
run 0 run "$models/bricard.lua" --t-end 0.01 --quiet

# Parameters: the model is built for them.
run 0 check "$models/chain.lua" --set N=3 --json
has out '"bodies":3,' '"joints":3,'
run 0 run "$models/heavy_top.lua" --t-end 0.01 --set m=16 -o top.csv --quiet
has top.csv '# set m=16'
[[ $(grep -v '^#' top.csv | head -n 1) == "t [s],top.x [m],top.y [m],top.z [m],top.qw [1],"* ]] || fail "columns of top.csv"

# angles and ways of joints have the unit that belongs to the joint
cat >ways.lua <<'END'
body { name = "a", mass = 1, inertia = {1, 1, 1} }
body { name = "b", mass = 1, inertia = {1, 1, 1} }
particle { name = "p", mass = 1, position = {0, 0, 2} }
joint { name = "r", type = "revolute", bodies = {"ground", "a"}, at = {0, 0, 0}, axis = {0, 0, 1} }
joint { name = "y", type = "generic", bodies = {"a", "b"}, at = {0, 0, 0}, lock = {"x", "z", "rx", "ry", "rz"} }
joint { name = "d", type = "distance", bodies = {"ground", "p"} }
sensor { name = "r", type = "angle", joint = "r" } sensor { name = "r1", type = "rate", joint = "r" }
sensor { name = "y", type = "angle", joint = "y" } sensor { name = "y1", type = "rate", joint = "y" }
sensor { name = "d", type = "angle", joint = "d" } sensor { name = "d1", type = "rate", joint = "d" }
END
run 0 run ways.lua --t-end 0.01 --h 0.01 -o ways.csv --quiet
has ways.csv ',r [rad],r1 [rad/s],y [m],y1 [m/s],d [m],d1 [m/s],'

# multipliers of constraints of one's own: m g = -2 lambda for 2 z = 0
cat >bead.lua <<'END'
gravity { 0, 0, -10 }
particle { name = "p", mass = 3, velocity = {1, 0, 0} }
constraint { name = "floor", f = function(t, s) return 2 * s.p.position.z, s.p.position.y end }
END
run 0 run bead.lua --t-end 0.1 --h 0.01 --json -o bead.csv
weight=$(grep -oE '"floor":\{"lambda":\[[^,]*' out | cut -d'[' -f2)
awk -v p="$weight" 'BEGIN { exit !(p != "" && p < -14.999999999 && p > -15.000000001) }' || fail "floor: lambda = $weight" # derivative
has bead.csv ',floor.lambda1 [SI],floor.lambda2 [SI],'
run 0 converge bead.lua --t-end 0.1 --h 0.01 --reference bead.csv --json
has out '"vdot":0,"lambda":0}' # exact: the run that wrote it

# particles in joints that are about displacements: no rotation is there to lock
cat >dust.lua <<'END'
gravity { 0, 0, -10 }
particle { name = "p", mass = 3, velocity = {1, 0, 0} }
joint { name = "table", type = "planar", bodies = {"ground", "p"}, at = {0, 0, 0}, normal = {0, 0, 2} }
particle { name = "q", mass = 2, position = {0, 1, 0} }
joint { name = "nail", type = "fixed", bodies = {"ground", "q"} }
particle { name = "r", mass = 4, position = {0, 2, 0} }
joint { name = "lift", type = "prismatic", bodies = {"ground", "r"}, axis = {0, 0, 1}, drive = function(t) return t^2 end }
particle { name = "s", mass = 5, position = {0, 3, 0} }
joint { name = "lane", type = "generic", bodies = {"ground", "s"}, at = {0, 3, 0}, lock = {"x", "z", "rx"} }
body { name = "arm", mass = 1, inertia = {1, 1, 1}, position = {0, 4, 0}, omega = {0, 0, 2} }
joint { name = "hub", type = "revolute", bodies = {"ground", "arm"}, at = {0, 4, 0}, axis = {0, 0, 1} }
particle { name = "rim", mass = 2, position = {0.5, 4, 0} }
joint { name = "weld", type = "fixed", bodies = {"arm", "rim"} }
sensor { name = "way", type = "angle", joint = "lift" }
END
run 0 check dust.lua --json
has out '"coordinates":21,"constraints":17,' '"dof":4,'
run 0 run dust.lua --t-end 1 --h 0.01 --json
for want in 'table 30' 'nail 20' 'lift 48' 'lane 50' 'hub 30' 'weld 20'; do
    z=$(grep -oE "\"${want% *}\":\{\"lambda\":[^]]*\],\"force\":\[[^]]*" out | tail -n 1 | awk -F, '{ print $NF }')
    awk -v z="$z" -v want="${want#* }" 'BEGIN { d = z - want; exit !(z != "" && d < 1e-6 && -d < 1e-6) }' || fail "dust: force of $want is $z" # derivative
done
sed 's/"table", type = "planar"/"j", type = "revolute"/; s/normal = /axis = /' dust.lua >pin.lua
refused "joint 'j': the particle 'p' cannot turn" check pin.lua

# An objective of sensors that stay as they are, of the ground and of a particle that does not turn: 1 + 321 + 1000 + 0.1.
cat >still.lua <<'LUA'
particle { name = "p", mass = 1, position = {1, 0, 0}, velocity = {0, 1, 0} }
sensor { name = "turn", type = "rotation", body = "p" }
sensor { name = "spin", type = "omega", body = "p" }
sensor { name = "place", type = "position", body = "ground", at = {1, 2, 3} }
sensor { name = "speed", type = "velocity", body = "ground", at = {1, 2, 3} }
sensor { name = "floor", type = "rotation", body = "ground" }
objective { name = "J", final = function(s)
    local q = s.sensors
    return q.turn[1] + 2*q.turn[2] + q.spin[1] + q.place[1] + 10*q.place[2] + 100*q.place[3] + q.speed[2] + 1000*q.floor[1] + s.p.position.y end }
run { t_end = 0.1, h = 0.01 }
LUA
run 0 check still.lua
has out 'functions    1, 1 traced'
run 0 run still.lua
has out '  J          objective                1322.1'

# ---- what makes no sense ------------------------------------------------------------------------------------------

# model LINES...: bad.lua, a body on line 2
model() {
    printf '%s\n' 'model "bad"' 'body { name = "b", mass = 1, inertia = {1, 1, 1}, position = {0, 1, 0} }' "$@" >bad.lua
}
pivot='joint { name = "pivot", type = "spherical", bodies = {"ground", "b"}, at = {0, 0, 0} }'

refused 'nowhere.lua: No such file' run nowhere.lua
refused "nowhere/top.lua" check nowhere/top.lua
refused "no parameter 'q'; there are: m" run "$models/heavy_top.lua" --set q=1
refused "'heavy' is not a number" run "$models/heavy_top.lua" --set m=heavy
refused '--set N=5' run "$models/chain.lua" --size 5
refused "--space cannot be 'SO4'" run "$models/heavy_top.lua" --space SO4
refused "did you mean 'SE3'" check "$models/heavy_top.lua" --space SE4
refused 'heavy_top.lua' run "$models/heavy_top.lua" --set m=-1
refused 'heavy_top: No such file' freeze heavy_top

model "$pivot" 'run { t_end = 1 }'
refused 'the model says no h: give --h' run bad.lua
run 0 run bad.lua --h 1e-2 --quiet
run 0 check bad.lua
model "$pivot" 'run { h = 1e-2 }'
refused 'the model says no t_end: give --t-end' run bad.lua

sed 's/position = {0, 1, 0}/&, velocity = {0, 1, 0}/' bad.lua >fast.lua
refused "fast.lua:3: joint 'pivot': the initial velocities violate it" run fast.lua --t-end 1
refused "fast.lua:3: joint 'pivot'" check fast.lua
run 0 run fast.lua --t-end 0.1 --assemble --quiet
[[ ! -s err ]] || fail "a quiet run says: $(cat err)"
# what assembling removed is reported: 1 m/s along the arm
run 0 run fast.lua --t-end 0.1 --assemble --json
has err "note: joint 'pivot': the initial velocities violated it by 1 and were moved"
has out '"assembled":{"position":0,"velocity":1}'
run 0 check fast.lua --assemble
has out "assembled    joint 'pivot': the initial velocities violated it by 1 and were moved"
run 0 check fast.lua --assemble --json
has out '"assembled":{"position":0,"velocity":1}'
sed 's/position = {0, 1, 0}/&, velocity = {0, 0, 0}/' bad.lua >calm.lua
run 0 run calm.lua --t-end 0.1 --assemble --json
[[ ! -s err ]] || fail "nothing was moved, but: $(cat err)"
has out '"assembled":{"position":0,"velocity":0}'

model 'joint { name = "j", type = "fixed", bodies = {"ground", "ground"}, at = {0, 0, 0} }'
refused "bad.lua:3: joint 'j'" check bad.lua
model 'joint { name = "j", type = "revolut", bodies = {"ground", "b"}, at = {0, 0, 0} }'
refused "bad.lua:3: joint 'j': no type 'revolut'; did you mean 'revolute'?" check bad.lua
model 'joint { name = "j", type = "revolute", bodies = {"ground", "c"}, at = {0, 0, 0}, axis = {0, 0, 1} }'
refused "bad.lua:3: joint 'j'" check bad.lua
model 'run { h = 1e-3, space = "SO4" }'
refused 'bad.lua:3: run' run bad.lua
model 'run { h = 1e-3'
refused 'bad.lua:' run bad.lua
echo 'model "empty"' >bad.lua
refused 'no body' check bad.lua
echo '{"polhode": "0.1.0"' >bad.json
refused 'bad.json' run bad.json
model "$pivot" 'joint { name = "again", type = "spherical", bodies = {"ground", "b"}, at = {0, 0.5, 0} }' \
    'sensor { name = "a", type = "angle", joint = "pivot" }'
refused "bad.lua:5: sensor 'a'" check bad.lua

finish
