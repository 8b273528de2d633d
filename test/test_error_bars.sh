#!/usr/bin/env bash
# run --error-bars and --extrapolate: report, JSON, files, orders, and mistakes.
# shellcheck source=test/program.bash
source "$(dirname "${BASH_SOURCE[0]}")/program.bash"

export POLHODE_CACHE=$tmp/cache
top=$models/heavy_top.lua

# the error of a number is what a run with a fifth of the step has more of it
number() { grep -o "$2" "$1" | head -n 1 | grep -oE '[-0-9.e]+$'; }
run 0 run "$top" --h 1e-4 --error-bars --json
is_json out
has out '"error":{"kind":"asymptotically exact","bodies":{"top":{"position":[' '"joints":{"pivot":{"lambda":[' '"sensors":{"tip":['
x=$(number out '"position":\[[-0-9.e]*')
e=$(grep -o '"error":.*' out | grep -o '"position":\[[-0-9.e]*' | head -n 1 | grep -oE '[-0-9.e]+$')
run 0 run "$top" --h 2e-5 --json
y=$(number out '"position":\[[-0-9.e]*')
checks=$((checks + 1))
awk -v x="$x" -v e="$e" -v y="$y" 'BEGIN {r = (y - x) / e; exit !(r > 0.8 && r < 1.05)}' || fail "position $x, error $e, finer $y"

run 0 run "$top" --error-bars
has out 'errors, exact less numerical' 'top        position' 'tip        sensor'
run 0 run "$top" --h 8e-3 --error-bars --json
is_json out
has out '"error_doubt":{"bodies":{"top":{"position":[1,' '{"what":"error bars"'
run 0 run "$top" --h 8e-3 --error-bars
has out '? not to be trusted yet'
has err 'use a smaller h than'
run 0 run "$top" --h 1e-4 --t-end 0.1 --error-bars --json
has out '"error_doubt":{"bodies":{"top":{"position":[0,0,0]'
run 0 run "$top" --formulation index3 --error-bars --json
has out '"kind":"estimate"'
run 0 run "$top" --formulation index3 --error-bars
has out 'less numerical (estimates)'

# columns, with a grid of the output too
run 0 run "$top" --tol 1e-3 --h 1e-2 --error-bars -o a.csv --quiet
has a.csv 'top.x.error [m]' 'tip.1.error [m]' 'pivot.lambda1.error [SI]'
[[ $(grep -vc '^#' a.csv) == 102 ]] || fail "rows of the grid: $(grep -vc '^#' a.csv)"
grep -q nan a.csv && fail "errors that are no numbers"

# order: third, where errors are exact
run 0 converge "$top" --h 1e-3,5e-4,2.5e-4 --t-end 0.3 --extrapolate --formulation ggl,index2 --expect 3
has out 'states less the errors that runs find'
run 0 run "$top" --extrapolate --json
has out '"result":"extrapolated"'
run 0 run "$top" --extrapolate
has out 'results less their error, of third order'

# Multipliers of constraint{} and state{} have errors, too.
cat >tied.lua <<'END_OF_MODEL'
local k = 2
particle { name = "p", mass = 1, position = {0, 0, 1} }
constraint { name = "rod", f = function(t, s) local q = s.p.position return q.x^2 + q.y^2 + q.z^2 - 1 end }
state { name = "e", initial = {1, 2}, rate = function(t, s) return -k*s.states.e[1], k*s.p.position.z end }
state { name = "y", initial = 1, rate = function(t, s) return -k*s.states.y end }
force { body = "p", value = function(t, s) return 0, k*s.states.e[1], -k end }
sensor { name = "y", type = "position", body = "p" }
run { t_end = 0.1, h = 1e-2 }
END_OF_MODEL
run 0 run tied.lua --error-bars --json
has out '"constraints":{"rod":{"lambda":[' '"states":{"e":['
run 0 run tied.lua --error-bars --json --h 1e-3
# ordering: the error of exp(-0.2) to a tenth of it
error=$(grep -oE '"y":\[[^],]+\]' out | tr -d '"y:[]' | awk 'NR == 1 { x = $1 } NR == 2 { print (exp(-0.2) - x) / $1 }')
awk -v e="$error" 'BEGIN { exit !(e > 0.9 && e < 1.1) }' || fail "the error of a state is $error of what it says"
run 0 run tied.lua --error-bars -o tied.csv --quiet
has tied.csv 'rod.lambda1.error [SI]' 'e.2.error [1]' 'y.1.error [m]' 'states.y.error [1]'

# ---- objectives ---------------------------------------------------------------------------------------------------

cat >arm.lua <<'END'
model 'arm'
gravity {0, 0, -9.81}
local m = param('m', 2)
body { name = 'a', mass = m, inertia = {0.3, 0.2, 0.12}, position = {0.4, 0.3, 0.1}, omega = {1, -2, 3} }
joint { name = 'p', type = 'spherical', bodies = {'ground', 'a'}, at = {0, 0, 0} }
objective { name = 'J', final = function(s) return s.a.position.z end, integral = function(t, s) return s.a.omega.x^2 end }
run { t_end = 1, h = 1e-3 }
END
run 0 sens arm.lua --error --json
is_json out
has out '"objectives":{"J":{"value":' '"parts":[{"from":0,"to":0.1' '"error":'
! grep -q '"wall_s":0,' out || fail 'a time that was not measured'
run 0 sens arm.lua --error --tol 1e-4
has out 'exact less numerical' '0.9 s to         1 s' 'what steps of each part of the run add' 'Newton iterations per step'
! grep -q ' 0 us per step' out || fail 'a cost that was not measured'
run 0 run arm.lua --tol-objective J=1e-6 --json
is_json out
checks=$((checks + 1))
awk -v e="$(grep -oE '"error":\{"kind".*' out | grep -oE '"objectives":\{"J":[-0-9.e]+' | grep -oE '[-0-9.e]+$')" 'BEGIN {exit !(e <= 1e-6 && -e <= 1e-6 && e != 0)}' ||
    fail "the error of J is not below 1e-6: $(grep -o '"objectives.*' out)"
run 0 sens arm.lua --param m --tol 1e-4 --mode adjoint --json
has out '"gradient":{"m":'
refused 'leave out --param' sens arm.lua --error --param m
refused 'the model has none' sens "$top" --error
refused 'is not of the form NAME=E' run arm.lua --tol-objective J
refused 'is not of the form NAME=E' run arm.lua --tol-objective J=-1
refused "no objective 'K'" run arm.lua --tol-objective K=1
refused 'bliedf has no error bars' run arm.lua --method bliedf --tol-objective J=1e-3

# ---- functions that jump ----------------------------------------------------------------------------------------

# steps of constant size cross them, and steps by tolerance end there
cat >jump.lua <<'EOF'
model "jump"
body { name = "p", mass = 1, inertia = {1, 1, 1} }
joint { name = "a", type = "revolute", bodies = {"ground", "p"}, at = {0, 0, 0}, axis = {0, 0, 1} }
torque { body = "p", value = function(t) return 0, 0, t < 0.5 and 0 or 2 end }
run { t_end = 1, h = 1e-2 }
EOF
run 0 run jump.lua --error-bars --json
has out '"kind":"estimate"'
has err 'jump or bend, first at t = 0.5 s: errors may be larger than --error-bars says'
run 0 run jump.lua --error-bars --tol 1e-4 --json
has out '"kind":"asymptotically exact"'
checks=$((checks + 1))
! grep -q 'jump or bend' err || fail "steps by tolerance are said to cross a jump"

# ---- mistakes -----------------------------------------------------------------------------------------------------

refused 'bliedf has no error bars' run "$top" --method bliedf --error-bars
refused 'index-3 has no error bars with steps that change' run "$top" --formulation index3 --tol 1e-3 --error-bars
refused 'built-in problem' run heavy_top --error-bars
refused 'leave out --save' run "$top" --error-bars --save x.state
refused 'give one of them' run "$top" --error-bars --reference exact

finish
