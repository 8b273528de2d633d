#!/usr/bin/env bash
# polhode converge and work: numbers, exit codes, JSON, tables, pictures, references, and mistakes.
# shellcheck source=test/program.bash
source "$(dirname "${BASH_SOURCE[0]}")/program.bash"

export POLHODE_CACHE=$tmp/cache

# column FILE NAME: the numbers of a column; labels of variants lose their commas
column() {
    sed -E '/^#/d; s/"([A-Za-z0-9]*), ([a-z0-9 ]*)"/\1 \2/' "$1" |
        awk -F, -v name="$2" 'NR == 1 {for (i = 1; i <= NF; i++) {sub(/ \[.*/, "", $i); if ($i == name) at = i}; next} {print $at}'
}

# within PERCENT "GOT..." "WANT...": number by number
within() {
    checks=$((checks + 1))
    awk -v tol="$1" -v got="$2" -v want="$3" 'BEGIN {
        n = split(got, a, " "); m = split(want, b, " "); bad = n != m
        for (i = 1; i <= m; i++) { d = a[i] / b[i] - 1; if (!(d <= tol / 100 && -d <= tol / 100)) bad = 1 }
        exit bad }' || fail "$2 is not $3 within $1 %"
}

# ---- numbers ------------------------------------------------------------------------------------------------------

# reference: an independent prototype of the same method, errors on [0.5, 1] with h = 1e-3 and rho = 0.9, +-5 %
run 0 converge heavy_top_r3xso3 --formulation index3 --h 1e-3,5e-4,2.5e-4 --rho 0.9 --sigma 0 --from 0.5 --t-end 1 --expect 2 -o a.csv
within 5 "$(column a.csv error.q | head -n 1) $(column a.csv error.v | head -n 1) $(column a.csv error.lambda | head -n 1)" \
    "1.280e-2 1.220e-1 8.72"
has out 'against the exact solution' 'order (least squares)' 'error constant'
# the same through the model file, against the solver for any model and against finer runs, where errors are smaller by (1/4)^2
# of that of the last row
first() { column b.csv "$1" | awk 'NR % 3 == 1' | tr '\n' ' '; }
for reference in exact finest; do
    run 0 converge "$models/heavy_top.lua" --h 1e-3,5e-4,2.5e-4 --rho 0.9 --formulation index3,ggl --sigma 0,1,opt --from 0.5 \
        --t-end 1 --reference $reference --expect 2 -o b.csv
    [[ $(column b.csv variant | sort -u | wc -l) == 6 ]] || fail "variants: $(column b.csv variant)"
    within 5 "$(first error.q)" "1.280e-2 5.08e-3 7.64e-3 8.38e-3 2.67e-3 4.19e-3"
    within 5 "$(first error.v)" "1.220e-1 4.73e-2 7.24e-2 3.42e-2 2.00e-2 1.99e-2"
    within 5 "$(first error.lambda)" "8.72 3.12 5.12 4.22 0.377 1.21"
done
# reference: pendulum, max |lambda error| on [0, 2], published to 3 digits
run 0 converge pendulum --formulation index3 --h 0.02,0.01 --rho 0.9 --sigma 0 --t-end 2 --start plain,perturbed -o c.csv
within 0.2 "$(column c.csv error.lambda | tr '\n' ' ')" "2.476e-1 1.227e-1 3.989e-3 9.959e-4"

# ---- exit codes of --expect ---------------------------------------------------------------------------------------

run 1 converge pendulum --h 0.02,0.01 --t-end 2 --expect 3
has err 'the order of q is 2' 'the order of v is' 'the order of lambda is' 'not 3'
run 1 converge pendulum --formulation index3 --h 0.02,0.01 --t-end 2 --start plain --expect 2
has err 'the order of lambda is 1.01, not 2'
[[ $(wc -l <err) == 1 ]] || fail "only lambda is off: $(cat err)"
printf 'model "rest"\nbody { name = "b", mass = 1, inertia = {1, 1, 1} }\nrun { t_end = 1 }\n' >rest.lua
run 1 converge rest.lua --h 0.02,0.01 --expect 2 --quiet # no motion, no error
has err 'genalpha: q shows no order' 'v shows no order'
run 0 converge free_body --h 0.02,0.01 --expect 2 # no constraints: lambda is not asked for

# ---- JSON ---------------------------------------------------------------------------------------------------------

run 0 converge pendulum --h 0.01,0.02 --t-end 1 --json
is_json out
grep -qE '^\{.*"rows":\[\{[^]]*"h":0.02[^]]*"error":\{"q":[0-9.e-]+,"v":[0-9.e-]+,.*"lambda":[0-9.e-]+\}.*"h":0.01.*\],"order":\{"q":[0-9.]+,"v":[0-9.]+,.*"lambda":[0-9.]+\}' out ||
    fail "rows and order: $(cat out)"
grep -q '"variants"' out && fail "one variant needs no list of them"
run 0 converge pendulum --h 0.02,0.01 --t-end 1 --sigma 0,1 --json
is_json out
has out '"variants":[{"label":"sigma 0","method":"genalpha",' '{"label":"sigma 1",'
run 0 converge free_body --h 0.02,0.01 --json
grep -q lambda out && fail "no multipliers, no lambda: $(cat out)"

# what was computed, in words: settings of each variant, parameters of the model
run 0 converge "$models/heavy_top.lua" --h 2e-3,1e-3 --t-end 0.1 --set m=16 --sigma 0,1 --rho 0.8 -o settings.csv
for file in out settings.csv; do
    has $file 'parameters m = 16' 'genalpha, sigma 0, rho 0.8, ggl, step Newton, perturbed start, atol 0, rtol 1e-08' \
        'genalpha, sigma 1, rho 0.8, ggl,'
done
run 0 converge "$models/heavy_top.lua" --h 2e-3,1e-3 --t-end 0.1 --set m=16 --sigma 0,1 --json
has out '"parameters":{"m":16}' '"settings":"genalpha, sigma 0, rho 0.9' '"method":"genalpha","settings":"genalpha, sigma 1,'
run 0 work "$models/heavy_top.lua" --h 2e-3 --t-end 0.1 --repeats 1 --json
has out '"parameters":{"m":15}' '"settings":"genalpha, sigma 1,'

# exact: results do not depend on the number of processes
for jobs in 1 3; do
    run 0 converge "$models/four_bar.lua" --h 4e-3,2e-3,1e-3 --t-end 0.2 --sigma 0,1 --jobs $jobs --json
    mv out "jobs$jobs"
done
cmp -s jobs1 jobs3 || fail "--jobs changes results"

# ---- step sizes ---------------------------------------------------------------------------------------------------

run 0 converge pendulum --h 0.3,0.007 --t-end 1 --json # rounded to divide t_end, largest first
has out '"h":0.33333333333333331,"steps":3,"times":4' '"steps":143,"times":144'
refused 'are both 3 steps' converge pendulum --h 0.33,0.34 --t-end 1
refused "'0.02' is there twice" converge pendulum --h 0.02,0.02
refused "'2e-2' is there twice" converge pendulum --h 0.02,2e-2
refused 'a value is missing' converge pendulum --h 0.02,,0.01
refused 'a value is missing' converge pendulum --h 0.02,
refused "'x' is not a number" converge pendulum --h 0.02,x
refused "'-1' is not above 0" converge pendulum --h 0.02,-1
refused 'give step sizes' converge pendulum
refused 'more than 64 values' converge pendulum --h "$(seq -s, 1 65)"
refused 'the limit is' converge pendulum --h 1e-12,1
refused "cannot be 'foo'" converge pendulum --h 0.1,0.2 --method genalpha,foo
refused "cannot be 'index4'" converge pendulum --h 0.1,0.2 --formulation index3,index4
refused 'more than 256 variants' converge pendulum --h 0.1 --sigma "$(seq -s, 1 17)" --rho "$(seq -s, 0.01 0.01 0.17)"
refused 'two step sizes at least' converge pendulum --h 0.1 --expect 2
run 0 converge pendulum --h 0.1,0.05 --t-end 1 --order 2,3 # two orders of a method that has one
complains 'note: --order: no method of this study reads it' "--order for genalpha"
run 0 converge pendulum --h 0.1,0.05 --t-end 1 --method rkmk --tableau rk4 --newton step,full
complains 'note: --newton: no method of this study reads it' "--newton for explicit stages"
! grep -q 'Newton\|rtol' out || fail "settings of Newton's method: $(cat out)"
run 0 converge pendulum --h 0.1,0.05 --t-end 1 --order 2,3 --method genalpha,bliedf
[[ ! -s err ]] || fail "one method reads it: $(cat err)"
refused 'rho = 2 is outside [0, 1]' converge pendulum --h 0.1,0.05 --t-end 1 --rho 0.9,2
refused '--from' converge pendulum --h 0.1 --t-end 1 --from 2
refused 'its value is missing' converge pendulum --h
run 0 converge pendulum --h 0.01 --t-end 1 --json # one step size: errors without orders
has out '"order":{"q":null'

# a run that fails is reported, and the others are there
run 1 converge heavy_top --h 0.5,1e-3,5e-4 --json
is_json out
has err 'h = 0.5 s' '0.5'
has out '"steps":2,"times":0,"error":{"q":null' '"steps":1000,"times":1001,"error":{"q":0.0'

# ---- tolerances and random steps ----------------------------------------------------------------------------------

# order: errors in proportion to tol, beside rows with steps of one size, which stay as they are
run 0 converge "$models/heavy_top.lua" --h 1e-3,5e-4 --t-end 0.3 -o alone.csv
run 0 converge "$models/heavy_top.lua" --h 1e-3,5e-4 --tol 1e-4,1e-2,1e-3 --t-end 0.3 -o tol.csv
within 0.001 "$(column tol.csv error.q | head -n 2 | tr '\n' ' ')" "$(column alone.csv error.q | tr '\n' ' ')"
[[ $(column tol.csv tol | tr '\n' ' ') == "nan nan 0.01 0.001 0.0001 " ]] || fail "column tol: $(column tol.csv tol)"
[[ $(column tol.csv times | tail -n 3 | tr '\n' ' ') == "101 101 101 " ]] || fail "a grid of 100: $(column tol.csv times)"
within 15 "$(column tol.csv order.q | tail -n 1)" 1
for reference in exact finest; do
    run 0 converge "$models/heavy_top.lua" --tol 1e-3,1e-4 --t-end 0.3 --method genalpha,bliedf --reference $reference --expect 1 -o $reference.csv
done
within 10 "$(column finest.csv error.q | tr '\n' ' ')" "$(column exact.csv error.q | tr '\n' ' ')"
run 0 work pendulum --tol 1e-2,1e-3 --h 0.01 --t-end 0.5 --repeats 1 --json
is_json out
has out '"label":"genalpha, by tol"' '"h":null,"tol":0.01' '"h":0.01,"tol":null'
# order: second under random steps, of lambda too; another seed has other steps
run 0 converge heavy_top_r3xso3 --h 1e-3,5e-4,2.5e-4,1.25e-4 --t-end 0.15 --formulation index3,index2,ggl --steps random:3 --expect 2 -o random.csv
has out 'steps of random sizes from h/2 to 2 h, seed 3'
run 0 converge heavy_top_r3xso3 --h 1e-3,5e-4 --t-end 0.15 --steps random --json
has out '"steps":1' # whole numbers that are not t_end/h
grep -q '"steps":150,' out && fail "steps of random sizes are no whole number of h: $(cat out)"
refused "'randm' is not random or random:SEED" converge pendulum --h 0.1 --steps randm
refused "'random:x' is not random or random:SEED" converge pendulum --h 0.1 --steps random:x
refused 'give one of them' converge pendulum --tol 1e-2,1e-3 --steps random
refused 'only --reference exact' converge pendulum --h 0.1,0.05 --steps random --reference finest
refused 'none of the methods has steps by tolerance' converge pendulum --tol 1e-2,1e-3 --method linear-alpha

# ---- references ---------------------------------------------------------------------------------------------------

run 0 converge "$models/heavy_top.lua" --h 1e-3,5e-4 --t-end 0.1 --json # exact is the default
has out '"reference":"the Gauss method'
run 0 converge heavy_top --h 1e-3,5e-4 --t-end 0.1 --reference finest --json
has out '"reference":"a run of the same method'
refused "cannot read 'nothing.csv'" converge pendulum --h 0.1 --reference nothing.csv
# A file: against a run with 1/8 of the smallest h, errors agree to 1/64 with the exact ones; on SE(3) velocities differ from
# those of the table by a rotation.
for problem in heavy_top heavy_top_se3 pendulum; do
    [[ $problem == pendulum ]] && h=(1.25e-3 "2e-2,1e-2") || h=(6.25e-5 "1e-3,5e-4")
    run 0 run $problem --h "${h[0]}" --t-end 0.2 --sigma 0 --rho 0.9 -o ref.csv --quiet
    run 0 converge $problem --h "${h[1]}" --t-end 0.2 --sigma 0 --rho 0.9 --reference ref.csv -o file.csv
    has out 'against ref.csv'
    run 0 converge $problem --h "${h[1]}" --t-end 0.2 --sigma 0 --rho 0.9 -o exact.csv
    for e in q v vdot lambda; do
        within 2 "$(column file.csv error.$e | tr '\n' ' ')" "$(column exact.csv error.$e | tr '\n' ' ')"
    done
done
# of a model: sensors, and the same in every space; times that both have
run 0 run "$models/slider_crank.lua" --h 1e-4 --every 10 --t-end 0.2 -o ref.csv --quiet
run 0 converge "$models/slider_crank.lua" --h 2e-3,1e-3 --t-end 0.2 --sensor s,theta --reference ref.csv -o space.csv --expect 2
within 0.0001 "$(column space.csv times | tr '\n' ' ')" "101 201"
run 0 converge "$models/slider_crank.lua" --h 2e-3,1e-3 --t-end 0.2 --sensor s,theta --reference finest -o finest.csv
for e in q sensors.s sensors.theta; do # finest is h/4, the file h/10: (1 - 1/16) against (1 - 1/100) of the last row
    within 6 "$(column finest.csv error.$e | tail -n 1)" "$(column space.csv error.$e | tail -n 1)"
done
# exact: several spaces at once are what each of them is, against one reference; sigma means nothing to Euler parameters
run 0 converge "$models/slider_crank.lua" --h 2e-3,1e-3 --t-end 0.2 --space R3xSO3,euler --sigma 0,1 --reference ref.csv -o both.csv
[[ $(column both.csv variant | uniq | tr '\n' ';') == "R3xSO3 sigma 0;R3xSO3 sigma 1;euler;" ]] || fail "variants: $(column both.csv variant)"
has both.csv 'space R3xSO3, euler'
run 0 converge "$models/slider_crank.lua" --h 2e-3,1e-3 --t-end 0.2 --space euler --reference ref.csv -o euler.csv
[[ $(column both.csv error.q | tail -n 2) == "$(column euler.csv error.q)" ]] || fail "euler: $(column both.csv error.q)"
refused "the built-in problem 'pendulum' has its own" converge pendulum --h 0.02,0.01 --space SE3,euler
for space in SE3 euler; do # order: other coordinates have other errors, but of the same size and order against the same file
    run 0 converge "$models/slider_crank.lua" --h 2e-3,1e-3 --t-end 0.2 --space $space --reference ref.csv -o $space.csv
    within 60 "$(column $space.csv error.q | head -n 1)" "$(column space.csv error.q | head -n 1)"
done
grep -v '^#' ref.csv | cut -d, -f1-5 >cut.csv
refused 'has no column' converge "$models/slider_crank.lua" --h 2e-3,1e-3 --t-end 0.2 --reference cut.csv
printf 't [s],x [m]\n0,1\n1,b\n' >bad.csv
refused 'bad.csv:3: a row wants 2 numbers' converge pendulum --h 0.1 --reference bad.csv
refused 'has no column' converge pendulum --h 0.1,0.05 --t-end 0.2 --reference ref.csv
run 2 converge pendulum --h 0.1,0.05 --t-end 1 --reference pend.csv
run 0 run pendulum --h 0.001 --t-end 0.5 -o pend.csv --quiet
run 0 converge pendulum --h 0.1,0.05 --t-end 1 --reference pend.csv --json # until the file ends
has out '"times":6' '"times":11'
run 2 converge pendulum --h 0.1,0.05 --t-end 1 --reference pend.csv --from 0.7
has err 'no time that it shares'

has err "'pend.csv' ends at t = 0.5 s"
run 0 converge pendulum --h 0.1,0.05 --t-end 1 --reference pend.csv
has out '0 s <= t <= 0.5 s'

# a table of the same model with another mass
run 0 run "$models/heavy_top.lua" --set m=16 --t-end 0.1 --h 1e-4 -o heavy.csv --quiet
run 0 converge "$models/heavy_top.lua" --h 2e-3,1e-3 --t-end 0.1 --reference heavy.csv --quiet
complains "note: 'heavy.csv' was computed with m = 16, and here it is 15" "another mass"
run 0 converge "$models/heavy_top.lua" --set m=16 --h 2e-3,1e-3 --t-end 0.1 --reference heavy.csv --quiet
[[ ! -s err ]] || fail "the same mass: $(cat err)"

# A model that fails half way: no reference, and so no table and no file; its own words say why.
cat >half.lua <<'EOF'
model "half"
body { name = "b", mass = 1, inertia = {1, 1, 1}, position = {0, 1, 0} }
joint { name = "j", type = "spherical", bodies = {"ground", "b"}, at = {0, 0, 0} }
force { name = "f", body = "b", value = function(t) if t > 0.05 then error("too late") end return {0, 0, 1} end }
run { t_end = 0.1, h = 1e-3 }
EOF
for command in converge work; do
    run 1 $command half.lua --h 2e-3,1e-3 -o half.csv
    complains "half.lua:4: force 'f': too late" "$command of a model that fails"
    [[ ! -s out && ! -e half.csv ]] || fail "$command: a table without a reference: $(cat out)"
done
run 1 converge half.lua --h 2e-3,1e-3 --reference finest --quiet
has err "genalpha, h = 0.002 s: t = 0.052: half.lua:4: force 'f': too late"
run 1 transient half.lua --steps 80
complains "half.lua:4: force 'f': too late" "transient of a model that fails"

# ---- angles of more than half a turn, which a spring and a gear read --------------------------------------------

cat >turns.lua <<'EOF'
model "turns"
body { name = "w", mass = 1, inertia = {1, 1, 1}, omega = {0, 0, 5} }
body { name = "arm", mass = 2, inertia = {0.1, 0.1, 0.1}, position = {0.3, 0, 0}, omega = {0, 0, -0.25}, velocity = {0, -0.05, 0} }
joint { name = "j", type = "revolute", bodies = {"ground", "w"}, at = {0, 0, 0}, axis = {0, 0, 1} }
joint { name = "slow", type = "revolute", bodies = {"ground", "arm"}, at = {0.1, 0, 0}, axis = {0, 0, 1} }
coupling { name = "gear", joints = {"j", "slow"}, ratio = -1/20 }
actuator { name = "s", joint = "j", k = 0.5, effort = function(t) return math.max(0, t - 0.37) end }
sensor { name = "angle", type = "joint_position", joint = "j" }
run { t_end = 2, h = 1e-2 }
EOF
run 0 converge turns.lua --h 1e-2,5e-3,2.5e-3 --expect 2 --sensor angle
run 0 converge turns.lua --h 1e-2,5e-3 --tol 1e-6,1e-8 --space SE3,R3xSO3
run 0 converge turns.lua --h 1e-2,5e-3 --steps random --space SE3,R3xSO3 --json
grep -oE '"error":."q":[0-9.e+-]+' out | sed 's/.*://' | awk '!($1 < 1e-3) { bad = 1 } END { exit bad || NR < 4 }' || fail "random steps: $(cat out)"
run 0 work turns.lua --h 1e-2,5e-3 --repeats 1
run 0 run turns.lua --reference exact --json
grep -oE '"angle":\[[^]]*' out >a
run 0 run turns.lua --json
grep -oE '"angle":\[[^]]*' out | cmp -s - a || fail "a reference solution changes the angle: $(cat a)"
# order: eta falls with h^2
run 0 transient turns.lua --steps 200
ratio=$(grep -oE '[0-9.]+ times as much' out | cut -d' ' -f1)
awk -v x="$ratio" 'BEGIN { exit !(x > 3.6 && x < 4.4) }' || fail "eta over several turns: '$ratio' times, $(tail -1 out)"
# nothing to divide by
sed -e '/^coupling/d' -e '/arm/d' turns.lua >free.lua
run 0 transient free.lua --steps 3
has out '0 with h, 0 with h/2'
[[ $(cat out) != *nan* ]] || fail "transient prints nan: $(cat out)"

# both angles of a cross are regular where the other one is half a turn (J14): about x and about y it turns as if alone
cat >cross.lua <<'EOF'
model "cross"
body { name = "p", mass = 1, inertia = {0.04, 0.05, 0.04} }
joint { name = "u", type = "universal", bodies = {"ground", "p"}, at = {0, 0, 0}, axis_a = {1, 0, 0}, axis_b = {0, 1, 0} }
actuator { name = "pan", joint = "u", coordinate = "rx", effort = 0.4 }
actuator { name = "tilt", joint = "u", coordinate = "ry", k = 5, rest = 1, d = 0.1 }
sensor { name = "rx", type = "joint_position", joint = "u", coordinate = "rx" }
sensor { name = "ry", type = "joint_position", joint = "u", coordinate = "ry" }
sensor { name = "ay", type = "joint_acceleration", joint = "u", coordinate = "ry", over_time = "max_abs" }
run { t_end = 3, h = 1e-3 }
EOF
run 0 run cross.lua --method rkmk --tableau rk4 --json
values() { for name in rx ry ay; do grep -oE "\"$name\":\[?[-0-9.e]+" out | head -n 1 | sed 's/.*[:[]//'; done | tr '\n' ' '; }
# reference: 10 t^2/2, and 1 - exp(-t) (cos(sqrt(99) t) + sin(sqrt(99) t)/sqrt(99)); at t = 0 the spring gives 5/0.05
within 1e-6 "$(values)" "45 1.0047800503676 100"
run 0 converge cross.lua --h 1e-3,5e-4 --expect 2
{ cat turns.lua && echo 'event { name = "past", when = function(t) return t - 0.5 end, action = "stop" }'; } >event.lua
refused "the reference solution knows no events, and the model has the event 'past'" transient event.lua --steps 3

# ---- sensors ------------------------------------------------------------------------------------------------------

run 0 converge "$models/slider_crank.lua" --h 4e-3,2e-3 --t-end 0.1 --sensor theta --json
is_json out
has out '"sensors":{"theta":'
# units, also of sensors: joints that turn, joints that slide
cat >units.lua <<'EOF'
model "units"
body { name = "b", mass = 1, inertia = {1, 1, 1}, omega = {0, 0, 1} }
body { name = "c", mass = 1, inertia = {1, 1, 1}, velocity = {1, 0, 0} }
joint { name = "turn", type = "revolute", bodies = {"ground", "b"}, at = {0, 0, 0}, axis = {0, 0, 1} }
joint { name = "slide", type = "generic", bodies = {"ground", "c"}, at = {0, 0, 0}, lock = {"y", "z", "rx", "ry", "rz"} }
sensor { name = "phi", type = "angle", joint = "turn" }
sensor { name = "s", type = "angle", joint = "slide" }
sensor { name = "ds", type = "rate", joint = "slide" }
sensor { name = "R", type = "rotation", body = "b" }
sensor { name = "F", type = "reaction", joint = "turn" }
sensor { name = "own", custom = function(t) return t end }
run { t_end = 0.1 }
EOF
run 0 converge units.lua --h 0.02,0.01 --sensor phi,s,ds,R,F,own -o units.csv --quiet
has units.csv 'error.q [m and rad],' 'error.v [m/s and rad/s],' 'error.vdot [m/s^2 and rad/s^2],' 'error.lambda [SI],' \
    'error.sensors.phi [rad],' 'error.sensors.s [m],' 'error.sensors.ds [m/s],' 'error.sensors.R [rad],' \
    'error.sensors.F [N and N m],' 'error.sensors.own,'
# an angle over more than a turn: each run counts its turns anew, also where one process makes all of them
run 0 converge "$models/slider_crank.lua" --h 2e-3,1e-3,5e-4 --t-end 0.8 --sensor theta --jobs 1 -o turns.csv
within 5 "$(column turns.csv order.sensors.theta | tail -n 2 | tr '\n' ' ')" "2 2"
run 0 converge "$models/slider_crank.lua" --h 4e-3,2e-3 --t-end 0.1 --sensor theta,s,theta --json # one twice is one
grep -q '"theta":[^}]*"theta":[^{]*}' out && fail "a sensor is there twice: $(cat out)"
refused "has no sensor ''" converge "$models/slider_crank.lua" --h 4e-3,2e-3 --sensor ''
refused "did you mean 'theta'" converge "$models/slider_crank.lua" --h 4e-3,2e-3 --sensor thet
refused "has no sensor 'nothing'" converge "$models/slider_crank.lua" --h 4e-3,2e-3 --sensor s,nothing
refused 'has no sensors' converge pendulum --h 4e-3,2e-3 --sensor s

# ---- files --------------------------------------------------------------------------------------------------------

refused '.svg or .png' converge pendulum --h 0.1,0.05 --plot a.jpg
refused 'cannot write' converge pendulum --h 0.1,0.05 -o no/such/folder.csv
run_path=$polhode
checks=$((checks + 1))
PATH=/nowhere "$run_path" converge pendulum --h 0.1,0.05 --plot a.svg >out 2>err
[[ $? == 2 && ! -s out ]] || fail "without gnuplot: $(cat out err)"
grep -qF gnuplot err || fail "without gnuplot: $(cat err)"
[[ ! -e a.svg ]] || fail "a picture without gnuplot"
if command -v gnuplot >/dev/null; then
    run 0 converge pendulum --h 0.04,0.02,0.01 --sigma 0,1 --plot a.svg --quiet
    has a.svg '<svg' 'sigma 0' 'sigma 1' 'error of q [m]' 'error of v [m/s]' 'error of lambda [SI]' 'h [s]'
    [[ ! -s out ]] || fail "--quiet prints"
    for file in torn.svg torn.png; do # no room: gnuplot itself does not tell
        (ulimit -f 4 && "$polhode" converge pendulum --h 0.04,0.02,0.01 --plot $file --quiet >out 2>err)
        [[ $? == 2 ]] || fail "a picture without room for it: exit code"
        complains 'the picture is not complete' "$file"
        [[ -z $(find . -name 'torn.*') ]] || fail "half a picture: $(find . -name 'torn.*')"
    done
    run 0 work pendulum --h 0.04,0.02 --repeats 2 --plot b.png --quiet
    [[ $(head -c 4 b.png | tail -c 3) == PNG ]] || fail "no PNG"
    run 0 work heavy_top --h 4e-3,2e-3 --t-end 0.1 --newton full,modified --repeats 2 --plot c.svg --quiet
    has c.svg 'CPU time [s]' 'Newton iterations' 'Jacobians' 'error of q [m and rad]'
    grep -q 'as many Jacobians' c.svg && fail "modified iterations have fewer Jacobians"
    run 0 work heavy_top --h 4e-3,2e-3 --t-end 0.1 --newton full --repeats 2 --plot e.svg --quiet
    has e.svg 'Newton iterations, as many Jacobians'
    grep -q '>Jacobians<' e.svg && fail "the same picture twice"
    run 0 work heavy_top --h 4e-3,2e-3 --t-end 0.1 --method rkmk --tableau rk4 --repeats 2 --plot d.svg --quiet
    grep -q Jacobians d.svg && fail "explicit methods have no Jacobians to draw"
fi

# ---- work ---------------------------------------------------------------------------------------------------------

run 0 work heavy_top --h 2e-3,1e-3 --t-end 0.1 --sigma 0,1 --repeats 2 -o w.csv
has out 'one run after the other' 'us_per_step' 'jacobians' 'residuals'
within 0.001 "$(column w.csv steps | tr '\n' ' ')" "50 100 50 100"
run 0 converge heavy_top --h 2e-3,1e-3 --t-end 0.1 --sigma 0,1 -o v.csv
[[ $(cut -d, -f1-3 v.csv | tail -n 4) == $(cut -d, -f1-3 w.csv | tail -n 4) ]] || fail "work and converge disagree"
[[ $(column v.csv error.q) == $(column w.csv error.q) ]] || fail "work and converge have different errors"
for t in $(column w.csv cpu_s); do
    awk -v t="$t" 'BEGIN { exit !(t > 0 && t < 1) }' || fail "CPU time $t"
done
run 0 work heavy_top --h 2e-3,1e-3 --t-end 0.1 --sigma 0,1 --repeats 2 --json
is_json out
has out '"rows":[{"variant":"sigma 0","h":0.002,"steps":50,"cpu_s":' '"error":{"q":' '"variants":[' '"repeats":2'
refused "belongs to 'converge'" work pendulum --h 0.1 --expect 2
refused "it belongs to" work pendulum --h 0.1 --jobs 2

# Corrections of multistep methods are variants: without any, bliedf of order 3 is of order 2 in positions.
run 0 converge "$models/heavy_top.lua" --method bliedf --correction exponent,none --h 1e-3,5e-4 --t-end 0.05 --reference finest
order=$(awk '/^correction/ { of = $2 } $1 == "q" { print of, $2 }' out)
awk '$1 == "exponent" && $2 > 2.85 { a = 1 } $1 == "none" && $2 < 2.4 { b = 1 } END { exit !(a && b) }' <<<"$order" || fail "orders: $order"

# ---- inputs and events --------------------------------------------------------------------------------------------

# A reference that is kept knows the inputs that it was computed with, and what was in their files.
pushed 0.5 >pushed.lua
printf 't,u\n0,-1\n0.5,1\n' >push.csv
for u in u=-1 u=5 u=push.csv; do
    run 0 converge pushed.lua --input $u --h 1e-2,5e-3,2.5e-3 --expect 2
done
printf 't,u\n0,7\n0.5,-4\n' >push.csv
run 0 converge pushed.lua --input u=push.csv --h 1e-2,5e-3,2.5e-3 --expect 2
run 0 run pushed.lua --input u=-1 --reference exact --json
first=$(grep -oE '"error":\{"q":[-0-9.e+]+' out | grep -oE '[-0-9.e+]+$')
run 0 run pushed.lua --input u=5 --reference exact --json
second=$(grep -oE '"error":\{"q":[-0-9.e+]+' out | grep -oE '[-0-9.e+]+$')
awk -v a="$first" -v b="$second" 'BEGIN { exit !(a > 0 && a < 1e-3 && b > 0 && b < 1e-3) }' || fail "errors of run: $first, $second" # order: h^2

# Tables that jump, on times of the grid and between them: numbers there are those before the jump, with runs and references alike; so are
# those of functions of time, for steps by tolerance. The reference looks at tables from their begin whatever the run has seen.
cat >jumps.lua <<'END_OF_MODEL'
gravity { 0, 0, -9.81 }
input { name = "u", hold = "step" }
input { name = "w", hold = "step" }
body { name = "arm", mass = 2, inertia = {0.01, 0.17, 0.17}, position = {0.5, 0, 0} }
joint { name = "hinge", type = "revolute", bodies = {"ground", "arm"}, at = {0, 0, 0}, axis = {0, 1, 0} }
actuator { name = "motor", joint = "hinge", effort = "u" }
force { body = "arm", at = {0.1, 0.2, 0}, value = function(t, s) return s.inputs.w, 0, 0 end }
sensor { name = "e", type = "effort", of = "motor" }
run { t_end = 1, h = 0.01 }
END_OF_MODEL
printf 't,u\n0,0\n0.2,4\n0.6,-2\n' >on.csv
printf 't,u\n0,0\n0.2137,4\n0.6171,-2\n' >off.csv
printf 't,w\n0,0\n0.2,14\n0.6,-20\n' >w.csv
for table in on off; do
    for reference in exact finest; do
        run 0 converge jumps.lua --input u=$table.csv --input w=w.csv --h 1e-2,5e-3,2.5e-3 --sensor e --reference $reference --expect 2
    done
    run 0 run jumps.lua --input u=$table.csv --input w=w.csv --reference exact --json
    coarse=$(grep -oE '"error":\{"q":[-0-9.e+]+' out | grep -oE '[-0-9.e+]+$')
    run 0 run jumps.lua --input u=$table.csv --input w=w.csv --reference exact --json --h 5e-3
    fine=$(grep -oE '"error":\{"q":[-0-9.e+]+' out | grep -oE '[-0-9.e+]+$')
    awk -v a="$coarse" -v b="$fine" 'BEGIN { p = log(a / b) / log(2); exit !(p > 1.85 && p < 2.15) }' || fail "errors of run: $coarse, $fine" # order
done
sed 's/effort = "u"/effort = function(t, s) if t < 0.2 then return 0 elseif t < 0.61 then return 4 end return -2 end/' jumps.lua >ifs.lua
run 0 converge ifs.lua --tol 1e-3,1e-5,1e-7 -o ifs.csv
awk '{ if (NR > 1 && !($1 < last / 10)) exit 1; last = $1 }' <(column ifs.csv error.lambda) || fail "lambda at a jump: $(column ifs.csv error.lambda)" # ordering

# Where jumps are not known there is no reference, and that is told soon.
sed 's/effort = "u"/effort = function(t, s) return s.joints.hinge.position > 0.3137 and 4 or 0 end/' jumps.lua >stop.lua
run 1 converge stop.lua --h 1e-2,5e-3
has err 'which falls too slowly, as where functions jump or bend with the motion or are not traced; --reference finest'

# It passes over events: a model that has some is compared with finer runs.
cat >switched.lua <<'END_OF_MODEL'
input { name = "u", value = 0, hold = "step" }
particle { name = "p", mass = 1, position = {1, 0, 0}, velocity = {1, 0.3, 0} }
force { body = "p", value = function(t, s) local q = s.p.position; return s.inputs.u - 30*q.x^3 - 4*q.x, -9*q.y - q.x*q.y, 0 end }
event { name = "middle", direction = "down", when = function(t, s) return s.p.position.x end, action = {{set = {u = 5}}} }
run { t_end = 1, h = 0.01 }
END_OF_MODEL
for words in 'converge switched.lua --h 1e-2,5e-3' 'converge switched.lua --h 1e-2,5e-3 --reference exact --json' 'converge switched.lua --h 1e-2 --steps random' \
    'work switched.lua --h 1e-2,5e-3' 'run switched.lua --reference exact'; do
    # shellcheck disable=SC2086 # words of a command
    refused "the event 'middle'" $words
    has err '--reference finest'
done
run 0 converge switched.lua --h 4e-3,2e-3,1e-3 --reference finest --expect 2
run 0 run switched.lua

# Rows of a finest run are those of the grid, however many events lie between them: exact, the same errors as against its file
run 0 run "$models/bouncing_ball.lua" --h 2.5e-4 -o ball.csv --quiet
for command in converge 'work --repeats 1'; do
    # shellcheck disable=SC2086 # words of a command
    {
        run 0 $command "$models/bouncing_ball.lua" --h 4e-3,2e-3,1e-3 --reference ball.csv -o file.csv
        run 0 $command "$models/bouncing_ball.lua" --h 4e-3,2e-3,1e-3 --reference finest -o finest.csv
    }
    for e in error.q error.v error.vdot; do
        [[ $(column finest.csv $e) == "$(column file.csv $e)" ]] || fail "$command, $e: $(column finest.csv $e), not $(column file.csv $e)"
    done
    [[ $command == work* || $(column finest.csv times | tr '\n' ' ') == '1001 2001 4001 ' ]] || fail "times: $(column finest.csv times)"
    within 1 "$(column finest.csv error.q | tr '\n' ' ')" '7.175e-3 1.781e-3 4.359e-4' # order 2
done
run 0 converge "$models/bouncing_ball.lua" --tol 1e-3,1e-4,1e-5 --reference finest -o finest.csv
[[ $(column finest.csv times | sort -u) == 101 ]] || fail "times by tolerance: $(column finest.csv times)"
[[ $(column finest.csv error.q | awk '{print ($1 > 1e-7 && $1 < 1e-4)}' | sort -u) == 1 ]] || fail "by tolerance: $(column finest.csv error.q)"
# a run that an event ends has fewer rows than there is room for: those before the event
cat >ended.lua <<'END_OF_MODEL'
particle { name = "p", mass = 1, position = {1, 0, 0}, velocity = {0, 0.3, 0} }
force { body = "p", value = function(t, s) return -30*s.p.position.x^3, 0, 0 end }
event { name = "middle", direction = "down", when = function(t, s) return s.p.position.x - 0.5 end, action = "stop" }
run { t_end = 1 }
END_OF_MODEL
run 0 converge ended.lua --h 2e-2,1e-2,5e-3 --reference finest --expect 2 -o finest.csv
run 0 run ended.lua --h 1.25e-3 -o ended.csv --quiet
last=$(tail -n 1 ended.csv | cut -d, -f1)
[[ $(column finest.csv times | tr '\n' ' ') == "$(awk -v t="$last" 'BEGIN {for (h = 2e-2; h > 4e-3; h /= 2) printf "%d ", 1 + int(t/h)}')" ]] ||
    fail "to $last: $(column finest.csv times)"

finish
