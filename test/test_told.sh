#!/usr/bin/env bash
# States and inputs of a model in reports and files; units of sensors by the joint that they look at.
# shellcheck source=test/program.bash
source "$(dirname "${BASH_SOURCE[0]}")/program.bash"

cat >told.lua <<'EOF'
input { name = "u", value = 2, unit = "V" }
body  { name = "link", mass = 2, inertia = {1e-3, 0.06, 0.06}, position = {0.3, 0, 0} }
body  { name = "cart", mass = 2, inertia = {1, 1, 1}, position = {0, 0, 1} }
joint { name = "hinge", type = "revolute", bodies = {"ground", "link"}, at = {0, 0, 0}, axis = {0, -1, 0} }
joint { name = "rail", type = "cylindrical", bodies = {"ground", "cart"}, at = {0, 0, 1}, axis = {1, 0, 0} }
state { name = "x", initial = {1, 0}, rate = function(t, s) local x = s.states.x return {x[2], s.inputs.u - x[1] - x[2]} end }
state { name = "a", initial = 1, unit = "A", rate = function(t, s) return -s.states.a end }
actuator { name = "motor", joint = "hinge", effort = 1, k = 3 }
actuator { name = "push", joint = "rail", coordinate = "z", effort = 1, k = 2, d = 1 }
coupling { name = "screw", joints = {"rail", "hinge"}, coordinates = {"rz", "rz"}, ratio = 2 }
sensor{ name = "a", type = "joint_position", joint = "hinge" }
sensor{ name = "turn", type = "joint_rate", joint = "rail", coordinate = "rz" }
sensor{ name = "slide", type = "joint_acceleration", joint = "rail", coordinate = "z" }
sensor{ name = "torque", type = "effort", of = "motor" }
sensor{ name = "force", type = "effort", of = "push" }
sensor{ name = "gear", type = "effort", of = "screw" }
run   { t_end = 1, h = 1e-3 }
EOF

# A state that shares its name with a sensor has another column.
run 0 run told.lua -o told.csv --quiet
has told.csv 'a [rad],turn [rad/s],slide [m/s^2],torque [N m],force [N],gear [N m],x.1 [1],x.2 [1],states.a [A],u [V],energy [J]'

# reference: x'' + x' + x = 2 from 1 at rest, exp(-t), at t = 1; order 2 leaves 1e-7
run 0 run told.lua --json
is_json out
has out '"inputs":{"u":[2]}'
python3 - out <<'EOF' || fail "the states are not those of the closed form"
import json, math, sys
states = json.load(open(sys.argv[1]))["states"]
w = math.sqrt(3) / 2
x = 2 - math.exp(-0.5) * (math.cos(w) + 0.5 / w * math.sin(w))
v = math.exp(-0.5) * math.sin(w) / w
sys.exit(not all(abs(a - b) < 1e-6 for a, b in zip(states["x"] + states["a"], [x, v, math.exp(-1)])))
EOF

run 0 run told.lua
has out 'x          state ' 'a          state ' 'u          input '
run 0 static told.lua --json
is_json out
has out '"states":{"x":[2,0],"a":[0]}'
run 0 static told.lua
has out 'x            state '

# What repeats others is called by its kind.
cat >train.lua <<'EOF'
for i, n in ipairs{"a", "b", "c"} do
    body { name = n, mass = 1, inertia = {1, 1, 1}, position = {i, 0, 0} }
    joint{ name = "j" .. n, type = "revolute", bodies = {"ground", n}, at = {i, 0, 0}, axis = {0, 0, 1} }
end
coupling { name = "ab", joints = {"ja", "jb"}, ratio = -2 }
coupling { name = "bc", joints = {"jb", "jc"}, ratio = 1.5 }
coupling { name = "ac", joints = {"ja", "jc"}, ratio = -3 }
run { t_end = 0.1, h = 0.01 }
EOF
run 0 check train.lua
has out "coupling 'ac': 1 of its 1 condition repeats what 'ja'...'bc' already impose"
finish
