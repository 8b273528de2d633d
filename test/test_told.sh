#!/usr/bin/env bash
# States, inputs and events of a model in reports and files; units of sensors by the joint that they look at.
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

# Events as they come and in the report: a fall from 5 m with g = 10 m/s^2 is half-way at 0.5 s and ends at 1 s.
cat >fall.lua <<'EOF'
gravity {0, 0, -10}
local f = param("f", 20)
particle { name = "ball", mass = 1, position = {0, 0, 5} }
particle { name = "rest", mass = 1, position = {1, 0, 0} }
joint { name = "held", type = "distance", bodies = {"ground", "rest"}, at_a = {1, 0, 2}, at_b = {0, 0, 0} }
state { name = "n", rate = function(t, s) return 0 end }
event { name = "half", when = function(t, s) return s.ball.position.z - 3.75 end, direction = "down", action = {release = "held"} }
event { name = "tick", when = function(t, s) return math.sin(2*math.pi*f*t - 0.3) end, direction = "up",
        action = {state = {n = function(t, s) return s.states.n + 1 end}} }
event { name = "floor", when = function(t, s) return s.ball.position.z end, action = "stop" }
run { t_end = 2, h = 1e-2 }
EOF
run 0 run fall.lua
has out 't = 1 s after 100 steps' 'event      half: release held, at t = 0.5 s' 'event      tick: state n, at t = 0.00238732415 s and 19 more, the last at 0.952387324 s' \
    'event      floor: stop, at t = 1 s; the run ends there' 'n          state                        20'
has err "note: t = 0.5: event 'half': release held" "note: t = 0.902387324: event 'tick': state n" 'note: there are more events: see the report'
[[ $(grep -c 'note: t = ' err) == 20 ]] || fail "$(grep -c 'note: t = ' err) events are shown"
run 0 run fall.lua --json --quiet
is_json out
has out '{"name":"half","t":0.5' '"action":"release held"}' '{"name":"floor","t":' '"action":"stop"}' '"states":{"n":[20]}'
[[ ! -s err ]] || fail "--quiet: $(cat err)"
# Times of the first 1024 are kept, all are counted: 1100 ticks in a second.
run 0 run fall.lua --set f=1100 --h 1e-4 --quiet --json
has out '"states":{"n":[1100.0000000'
run 0 run fall.lua --set f=1100 --h 1e-4
has out 'event      1102 in all; the first 1024 are known' "tick: state n, at t = 4.34"
# An event that stops the run ends a table and a resumed run there too.
run 0 run fall.lua --quiet -o fall.csv
[[ $(tail -n 1 fall.csv) == 1,* || $(tail -n 1 fall.csv) == 0.99999999* ]] || fail "the last row is $(tail -n 1 fall.csv)"

finish
