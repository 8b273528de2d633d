#!/usr/bin/env bash
# What commands report of systems without names, sensors, constraints or parameters, and of those with a great many.
# shellcheck source=test/program.bash
source "$(dirname "${BASH_SOURCE[0]}")/program.bash"

arm 0.01 >arm.lua

# ---- built-in problems ---------------------------------------------------------------------------------------------------------

run 0 check heavy_top
has out "heavy_top: 1 body, 1 joint" "constraints 3"
run 0 check heavy_top --json
is_json out
run 0 run heavy_top_so3 --t-end 0.01
has out "top " "rotation"
run 0 run pendulum --t-end 0.01 --json
is_json out
run 0 run chain --size 3 --t-end 0.01 --json
is_json out
run 0 modes spring_ball --about static --json
is_json out
run 0 static pendulum
has out "equilibrium" "bob          position                0              -1"
run 0 static spring_ball --json
is_json out
run 0 modes pendulum --about static
has out "1 of 1 eigenvalues" "moves 100%"
run 0 sweep heavy_top --vary x=10,15 --t-end 0.01 -o top.csv --json
is_json out
has out '"model":"heavy_top"' '"cases":2'
has top.csv "model heavy_top" "vary x=10,15"
run 0 sweep heavy_top --vary x=10,15 --t-end 0.01 --jobs 100000 --quiet
run 0 sweep chain --size 3 --vary h=1e-3,2e-3 --t-end 0.01 -o chain.csv
has chain.csv ", size 3"
run 0 sweep heavy_top --vary x=15,10,12 --vary h=1e-3,2e-3 --vary rho=0.5,0.9 --t-end 0.01 --json
has out '"cases":12'

# ---- many of a kind ------------------------------------------------------------------------------------------------------------

cat >many.lua <<'END_OF_MODEL'
model "many"
local m = param("m", 2)
for i = 1, 6 do
    body { name = "b" .. i, mass = m, inertia = {1, 1, 1}, position = {i, 0, 0}, omega = {0, 0, 1} }
end
sensor { name = "m", type = "position", body = "b1" }
sensor { name = "seven", custom = function(t, s) return t, t, t, t, t, t, t end }
sensor { name = "rms", type = "velocity", body = "b2", over_time = "rms" }
for i = 3, 5 do sensor { name = "x" .. i, type = "position", body = "b" .. i } end
objective { name = "J", final = function(s) return s.b1.position.x end }
run { t_end = 0.01, h = 1e-3 }
END_OF_MODEL
run 0 run many.lua --error-bars
grep -qE '^  seven +sensor( +-?0[? ]){6} \.\.\.$' out || fail "the sensor of seven numbers: $(grep seven out)"
has out "... 2 more quantities: see --json or -o" "rms        over time" "J          objective"
run 0 run many.lua --error-bars --json
is_json out
run 0 run many.lua --extrapolate -o extra.csv
has out "results less their error, of third order"
grep -q error extra.csv && fail "errors in the table of --extrapolate"
run 0 sweep many.lua --vary m=1,2 --sensor m,m -o twice.csv --quiet
has twice.csv "sensor.m.1"
[[ $(grep -o "sensor.m.1" twice.csv | wc -l) == 1 ]] || fail "a sensor that is said twice is there twice"
run 0 converge many.lua --h 1e-3,5e-4 --reference finest --sensor m,m --json
is_json out

# ---- tolerances, no steps ------------------------------------------------------------------------------------------------------

run 0 work arm.lua --tol 1e-3,1e-4 --sensor tip --t-end 0.1 -o work.csv --quiet
has work.csv "tol" "error.sensors.tip"
[[ ! -s out ]] || fail "--quiet prints"
run 0 work arm.lua --h 2e-3,1e-3 --reference finest --json
is_json out
has out '"rows":[{"variant":"genalpha","h":0.002'
run 0 run arm.lua --formulation index3 --extrapolate
has out "results less their error, which is an estimate"

# ---- pictures of what has no sensors, few numbers, or a great many --------------------------------------------------------------

if command -v gnuplot >/dev/null; then
    for problem in pendulum heavy_top_so3 heavy_top; do
        run 0 run $problem --t-end 0.01 --plot $problem.svg --quiet
        grep -q '<svg' $problem.svg || fail "no picture of $problem"
    done
    run 0 run many.lua --tol 1e-4 --plot tol.svg --sensor m,seven --quiet
    run 0 run many.lua --plot xy.svg --plot-xy m.x,m.2 --plot-xy seven.1,seven.7 --quiet
    run 0 sweep heavy_top --vary x=15,10,12 --t-end 0.01 --plot drift.svg --quiet
    has drift.svg "energy drift"
    run 0 sweep many.lua --vary m=3,1,2 --vary h=2e-3,1e-3 --sensor m --plot map.svg --quiet
    has map.svg "sensor.m.1"
    run 0 sweep many.lua --vary m=1 --vary h=2e-3,1e-3 --sensor m --plot points.svg --quiet
    run 0 sweep many.lua --vary m=1,2 --vary h=2e-3,1e-3 --vary rho=0.5,0.9 --sensor seven --plot many.svg --quiet
    run 0 converge arm.lua --h 2e-3,1e-3 --reference finest --space R3xSO3,SE3 --plot spaces.svg --view spaces.html --quiet
    has spaces.html "h = 0.001 s, "
fi

# ---- references that are files -------------------------------------------------------------------------------------------------

run 0 run arm.lua --h 1e-4 -o ref.csv --quiet
run 0 converge arm.lua --h 2e-3,1e-3 --reference ref.csv --sensor tip --json
is_json out
run 0 converge arm.lua --tol 1e-3,1e-4 --reference ref.csv --json
is_json out
awk -F, -v c="$(grep -vE '^#' ref.csv | head -n 1 | tr ',' '\n' | grep -nE 'arm.vx' | head -n 1 | cut -d: -f1)" \
    '/^#/ { print; next } { s = ""; for (i = 1; i <= NF; i++) if (i != c) s = s (s == "" ? "" : ",") $i; print s }' ref.csv >no_vx.csv
run 0 converge arm.lua --h 2e-3,1e-3 --reference no_vx.csv --sensor tip
has err "'no_vx.csv' does not have all columns of v: it is not compared"
run 0 work arm.lua --h 2e-3,1e-3 --reference no_vx.csv --json
is_json out
grep -q '"v":' out && fail "work compares a column that is missing"

# ---- sensitivities, linear systems, tables ---------------------------------------------------------------------------------------

cat >bare.lua <<'END_OF_MODEL'
model "bare"
body { name = "b", mass = 1, inertia = {1, 1, 1} }
spring { bodies = {"ground", "b"}, at_a = {0, 0, 1}, at_b = {0, 0, 0}, k = 10, length = 1 }
run { t_end = 0.01, h = 1e-3 }
END_OF_MODEL
refused "there is no parameter 'm'; the model has none" sens bare.lua --param m
refused "there is no parameter 'k'; the model has: m" sens arm.lua --param k
refused "leave out --check" sens arm.lua --error --check
run 0 sens many.lua --param m
has out "..."
run 0 linearise bare.lua
has out "12 states, 0 inputs, 0 outputs"
refused "-o: 'x' ends neither in .json nor in .csv" linearise bare.lua -o x
refused "-o: 'xy.txt' ends neither in .json nor in .csv" linearise bare.lua -o xy.txt
refused "nowhere.lua" linearise nowhere.lua
refused "the model has no sensor 'tip'" sweep bare.lua --vary h=1e-3,2e-3 --sensor tip
run 0 modes bare.lua -o /dev/null
run 0 sweep arm.lua --vary m=1,2 -o /dev/null --fresh
refused "--live writes no file: leave -o out" view arm.lua --live -o x.html
refused "--live writes no file: leave --vtk out" view arm.lua --live --vtk x
refused "there is no benchmark 'nothing'" bench nothing
cat >hinged.lua <<'END_OF_MODEL'
model "hinged"
local k = param("k", 1)
body   { name = "rod", mass = 1, inertia = {0.1, 0.1, 0.1}, position = {0, 0, -1} }
joint  { name = "pin", type = "revolute", bodies = {"ground", "rod"}, at = {0, 0, 0}, axis = {0, 1, 0} }
gravity{0, 0, k > 1.5 and -9.81 or 0}
run    { t_end = 1, h = 1e-3 }
END_OF_MODEL
run 0 modes hinged.lua --about static --vary k=1,1.1,1.2,1.3,1.4,2
has out "k = 1.2: nothing keeps" "no modes for 5 of 6 values of k"
run 0 freeze hinged.lua -o hinged.json
refused "the parameters of a frozen model cannot be set" modes hinged.json --vary k=1,2
refused "m begins with 2, which is outside of 3 to 4" optimise arm.lua --vary m --minimise low --bounds m=3:4
refused "m begins with 2, which is outside of 0.1 to 1" optimise arm.lua --vary m --minimise low --bounds m=0.1:1

# ---- compiled models, reduced bodies, optima, names that are taken ---------------------------------------------------------------

mkdir code
run 0 compile arm.lua --assemble --max-iterations=9 --h 2e-3 -o code
has code/arm.c "#define PH_MAX_ITERATIONS 9"
cat >soft.lua <<'END_OF_MODEL'
flexible { name = "rod", geometric_stiffness = false, modes = {n = 2}, interfaces = {tip = 4},
           beam = {from = {0, 0, 0}, to = {1, 0, 0}, n = 4, section = {EA = 2.1e7, GJ = 135, EI = 175}, mass = {rhoA = 0.785, rhoJ = 1e-4}} }
run { t_end = 0.01, h = 1e-3 }
END_OF_MODEL
run 0 reduce soft.lua -o soft.json
has out "stress stiffness none" "wrote soft.json"
run 0 reduce soft.lua -o soft.json --json
is_json out
has out '"load_cases":0' '"file":"soft.json"'
echo "flexible { name = 'rod', file = 'soft.json' }" >again.lua
run 0 reduce again.lua --json
is_json out
grep -q '"nodes"' out && fail "a reduced body has no nodes"
run 0 sens arm.lua --error --objective other,low
has out "low = "
if "$polhode" optimise arm.lua --vary m --minimise low --bounds m=1:3 >/dev/null 2>&1; then # with NLopt
    run 0 optimise arm.lua --vary m --minimise tip.3 --bounds m=1:3 --evaluations 3 -o best.csv --json
    is_json out
    has best.csv "evaluation,m,tip.3,gradient" "1,2,-0.0007"
fi
cat >taken.lua <<'END_OF_MODEL'
model "taken"
input { name = "energy", value = 1 }
input { name = "t", value = 2, unit = "N" }
input { name = "x", value = 3 }
state { name = "x", rate = function(t, s) return 1 end }
body { name = "b", mass = 1, inertia = {1, 1, 1} }
sensor { name = "energy", type = "energy" }
run { t_end = 0.01, h = 1e-3 }
END_OF_MODEL
run 0 run taken.lua -o taken.csv --quiet
header=$(grep -v '^#' taken.csv | head -n 1)
for name in "inputs.energy [1]" "inputs.t [N]" "x [1]" "inputs.x [1]" "energy [J]"; do
    [[ $header == *"$name"* ]] || fail "no column '$name' in $header"
done
[[ $(tr ',' '\n' <<<"$header" | sort | uniq -d) == "" ]] || fail "columns of one name: $header"
run 0 run heavy_top_so3 --t-end 0.05 --h 1e-3 -o so3.csv --quiet
run 0 converge heavy_top_so3 --t-end 0.05 --h 1e-2,5e-3 --reference so3.csv --json
is_json out

# ---- runs that do not start -----------------------------------------------------------------------------------------------------

cat >kink.lua <<'END_OF_MODEL'
model "kink"
particle { name = "p", mass = 1, position = {1, 0, 0} }
joint { name = "j", type = "distance", bodies = {"ground", "p"}, at_a = {0, 0, 0}, at_b = {0, 0, 0}, drive = function(t) return math.abs(t) + 1 end }
run { t_end = 0.1, h = 0.01 }
END_OF_MODEL
for more in "--json" "--json --tol 1e-3" "--json -o kink.csv --save kink.state"; do
    # shellcheck disable=SC2086 # words of a command
    run 1 run kink.lua $more
    is_json out
    has out '"model":"kink","status":"callback_failed","t":0,"steps":' '"reason":"t = 0: joint '"'j'"
    complains "joint 'j': its drive has no velocity" "run kink.lua $more"
done
[[ -z $(ls kink.csv kink.state 2>/dev/null) ]] || fail "a run that does not start leaves $(ls kink.*)"
run 1 run kink.lua
[[ ! -s out ]] || fail "a run that does not start prints $(cat out)"
run 1 view kink.lua -o kink.html

# ---- objectives ------------------------------------------------------------------------------------------------------------------

# reference: x = v t and the integral of x^2 to 1 is v^2/3, to the order of the method; the same as sens has
cat >way.lua <<'END_OF_MODEL'
local v = param("v", 3)
particle { name = "p", mass = 1, velocity = {v, 0, 0} }
objective { name = "J", integral = function(t, s) return s.p.position.x^2 end }
objective { name = "end", final = function(s) return s.p.position.x + 0.25 end }
run { t_end = 1, h = 1e-3 }
END_OF_MODEL
run 0 run way.lua
has out 'objective'
awk '$2 == "objective" { n++; e = $3 - ($1 == "J" ? 3 : 3.25); if (e > 1e-5 || e < -1e-5) bad = 1 } END { exit !(n == 2 && !bad) }' out ||
    fail "objectives: $(grep objective out)"
run 0 run way.lua --json
is_json out
objectives=$(grep -oE '"objectives":\{"J":\{"value":[^}]*\},"end":\{"value":[^}]*\}\}' out) || fail "objectives: $(cat out)"
run 0 sens way.lua --param v --json
is_json out
[[ $(grep -o '"objectives"' out | wc -l) == 1 ]] || fail "sens has objectives twice"
for part in $(grep -oE '"(J|end)":\{"value":[^}]*' <<<"$objectives"); do
    has out "$part"
done

finish
