#!/usr/bin/env bash
# polhode static: words, JSON, files, exit codes, and mistakes.
# shellcheck source=test/program.bash
source "$(dirname "${BASH_SOURCE[0]}")/program.bash"

# Rest of the pendulum: below its pivot, and the rod carries the weight.
run 0 static "$models/pendulum.lua"
has out "pendulum: equilibrium after 1 load step" "position                0              -1" "rod          force" "9.81"
run 0 static "$models/pendulum.lua" --json
has out '"status":"ok"' '"load_steps":1' '"iterations":' '"bodies":' '"joints":' '"sensors":' '"tension":[' '"force":['
cp out first
run 0 static "$models/pendulum.lua" -o rest.json
cmp -s first rest.json || fail "-o writes something else than --json prints"
run 0 static pendulum
has out "equilibrium after"
run 0 static "$models/double_pendulum.lua" --space SE3 --load-steps 4
has out "reached by relaxation"

# reference: a section whose centre of mass is 0.1 m beside the line of nodes weighs m g, and twists its clamp by m g c
for mass in lumped linear helicoidal; do
    cat >beside.lua <<LUA
gravity {0, 0, -9.81}
beam { name = "rod", from = {0, 0, 0}, to = {1, 0, 0}, n = 4, section = {EA = 1e6, GA = 1e6, GJ = 1e5, EI = 1e5},
       mass_model = "$mass", ends = {"clamped", "free"},
       M = {{2, 0, 0, 0, 0, -0.2}, {0, 2, 0, 0, 0, 0}, {0, 0, 2, 0.2, 0, 0}, {0, 0, 0.2, 0.1, 0, 0}, {0, 0, 0, 0, 0.2, 0}, {-0.2, 0, 0, 0, 0, 0.3}} }
sensor { name = "clamp", type = "reaction", joint = "rod.first" }
LUA
    run 0 static beside.lua --json
    grep -oE '"clamp":\[[^]]*' out | cut -d'[' -f2 | awk -F, '
        function near(a, b) { return (a - b)^2 < 1e-14 }
        END { exit !(NF == 6 && near($3, 19.62) && near($4, 1.962) && near($5, -9.81) && near($1, 0) && near($6, 0)) }' ||
        fail "$mass mass beside the line: $(grep -o '"clamp":[^]]*' out)"
done

# What nothing holds is named, with exit code 1; JSON has the reason.
run 1 static "$models/heavy_top.lua" --json
has err "polhode: nothing keeps body 'top' from moving"
has out '"status":"singular"' '"reason":"nothing keeps body'
run 1 static "$models/free_body.lua"
[[ ! -s out ]] || fail "prints although there is no equilibrium"

# Stability: static reports that an upright pendulum is unstable, and --stable leaves it.
cat >upright.lua <<LUA
gravity {0, 0, -9.81}
body  { name = "bar", mass = 2, inertia = {0.2, 0.3, 0.25}, position = {0, 0, 0.4} }
joint { name = "pivot", type = "revolute", bodies = {"ground", "bar"}, at = {0, 0, 0}, axis = {0, 1, 0} }
LUA
run 0 static upright.lua
has out "unstable: displacements grow at 3.558 1/s, most in bar"
has err "the equilibrium is unstable" "--stable looks for a stable one"
run 0 static upright.lua --json
has out '"stability":"unstable"' '"growth":3.55' '"grows_in":"bar"' '"warnings":[{"what":"unstable","text":"the equilibrium is unstable'
run 0 static upright.lua --save upright.state --json
has out '"stability":"unstable"' '"warnings":[{"what":"unstable","text":"the equilibrium is unstable'
run 0 static upright.lua --stable
has out "stable; 1 unstable equilibrium was left"
run 0 static upright.lua --stable --json
has out '"stability":"stable"' '"left":1'
grep -q warnings out && fail "a stable equilibrium has a warning"

# Friction: it holds a block on a slope, or says what would.
run 0 static "$models/../test/models/slope.lua"
has out "slope        holds         0.727940469  of the friction" "it needs 0.364 and has 0.5" "this equilibrium is one of a set"
run 0 static "$models/../test/models/slope.lua" --json
has out '"held":[{"joint":"slope","ratio":0.7279' '"needs":0.36397'
run 1 static "$models/../test/models/slope.lua" --set mu=0.3
has err "joint 'slope' slips: it needs a friction of at least 0.364, and has 0.3"

# Mistakes.
run 2 static
run 2 static "$models/pendulum.lua" --load-steps 0
has err "--load-steps"
run 2 static "$models/pendulum.lua" -o /nowhere/rest.json
has err "cannot write"
run 2 static nothing.lua
[[ ! -s out ]] || fail "prints although the file is not there"

finish
