#!/usr/bin/env bash
# polhode sens: published digits, direct = adjoint = differences of runs, in every space; files, and what is refused.
# shellcheck source=test/program.bash
source "$(dirname "${BASH_SOURCE[0]}")/program.bash"

# value NAME...: the number or list behind these names, each after the one before, in out
value() {
    local text name
    text=$(cat out)
    for name in "$@"; do
        [[ $text == *"\"$name\":"* ]] || return 1
        text=${text#*"\"$name\":"}
    done
    [[ $text =~ ^\[?([0-9eE.,+-]+) ]] && tr ',' ' ' <<<"${BASH_REMATCH[1]}"
}

near() { # WHAT TOLERANCE "A..." "B...": relative to the largest of B
    awk -v tol="$2" -v a="$3" -v b="$4" 'BEGIN {
        n = split(a, x, " "); m = split(b, y, " "); if (n != m || n == 0) exit 1
        for (i = 1; i <= n; i++) { d = x[i] - y[i]; if (d < 0) d = -d; if (d > most) most = d
            if (x[i] != x[i]) exit 1; s = y[i] < 0 ? -y[i] : y[i]; if (s > size) size = s }
        exit !(most <= tol * size) }' || fail "$1: $3 instead of $4"
}

# ---- published digits ---------------------------------------------------------------------------------------------
# reference: P2, geometric generalized-alpha, h = 2e-3
printed=(--param m --sigma 0 --rho 0.8 --h 2e-3 --formulation index3 --start plain --t-end 0.1 --json)
run 0 sens "$models/heavy_top.lua" "${printed[@]}" --check
near 'position' 1e-11 "$(value bodies top position)" '0.42048497209438 0.89467284491607 -0.15084060730646'
near 'dx/dm' 1e-9 "$(value sensitivities m bodies top position)" '2.637083392647e-3 -1.579895364257e-4 6.414088394519e-3'
near 'W' 1e-9 "$(value sensitivities m bodies top rotation)" '-3.202006515872e-3 1.091382384749e-3 6.153604936817e-3'
near 'tip' 1e-9 "$(value sensitivities m sensors tip)" '5.274166785294e-3 -3.159790728514e-4 1.2828176789038e-2'
for quantity in position rotation velocity omega; do
    awk -v d="$(value check digits m bodies top "$quantity")" 'BEGIN { exit !(d >= 9.5) }' || fail "$quantity agrees to $(value check digits m bodies top "$quantity")"
done
# derivative: index-3 magnifies round-off of differences by 1/h^2 in multipliers
awk -v d="$(value check least)" 'BEGIN { exit !(d >= 6) }' || fail "least agreement: $(value check least)"
# reference: of the continuous problem, with an error of order h^2
run 0 sens "$models/heavy_top.lua" --param m --h 1e-4 --t-end 0.1 --json
near 'dOmega/dm' 1e-3 "$(value sensitivities m bodies top omega)" '-0.0413913077597291 0 0.135554761842119'
near 'dlambda/dm' 1e-3 "$(value sensitivities m joints pivot lambda)" '-2.89395888691551 -22.5207090628176 -4.43844244207798'
near 'force' 1e-12 "$(value sensitivities m joints pivot force)" "$(value sensitivities m joints pivot lambda)"

# reference: Table 4 of that paper as an independent prototype has it, errors relative to |dx/dm|
run 0 sens "$models/spinning_top.lua" --param m --t-end 0.1 --json
near 'dx/dm of the spinning top' 1e-9 "$(value sensitivities m bodies top position)" '2.637083392647e-3 -1.579895364257e-4 6.414088394519e-3'
# simplified METHOD WORD ERROR: 2 %
simplified() {
    local exact error
    run 0 sens "$models/spinning_top.lua" --param m --t-end 0.1 --method "$1" --atol 1e-13 --rtol 1e-13 --json
    exact=$(value sensitivities m bodies top position)
    run 0 sens "$models/spinning_top.lua" --param m --t-end 0.1 --method "$1" --atol 1e-13 --rtol 1e-13 --json --simplify "$2"
    has out "\"simplified\":\"$2\""
    error=$(awk -v a="$(value sensitivities m bodies top position)" -v b="$exact" 'BEGIN { split(a, x, " "); split(b, y, " ")
        for (i = 1; i <= 3; i++) { d += (x[i] - y[i])^2; s += y[i]^2 } printf "%.4g", sqrt(d/s) }')
    near "$1, $2" 0.02 "$error" "$3"
}
simplified genalpha symmetric-k 9.95e-4
simplified residual-alpha without-kg 7.7e-7
simplified residual-alpha reference-free 5.96e-4
simplified linear-alpha reference-free 1.05e-4
run 0 sens "$models/spinning_top.lua" --param m --t-end 0.1 --simplify symmetric-k
has out 'simplified: symmetric-k'
refused 'genalpha has no coordinates of rotations' sens "$models/spinning_top.lua" --param m --simplify without-kg
refused 'has no exact derivatives; use differences of runs: --mode fd' sens "$models/bouncing_ball.lua" --param e
refused 'for --mode direct' sens "$models/spinning_top.lua" --param m --simplify symmetric-k --mode fd
refused "did you mean 'without-kg'" sens "$models/spinning_top.lua" --param m --simplify without-kG

# ---- three ways ---------------------------------------------------------------------------------------------------
cp "$models"/*.lua "$models"/../test/models/*.lua .
cat >>heavy_top.lua <<'EOF'
sensor   { name = "square", custom = function(t, s) return s.top.position.x^2, t end }
objective{ name = "J", final = function(s) return s.top.position.z + 0.1*s.top.omega.x^2 end,
           integral = function(t, s)
               return 1e-6*m*s.sensors.reaction[1]^2 + math.sin(s.top.position.x) + s.top.rotation.x + 1e-3*s.top.acceleration.y
           end }
objective{ name = "K", integral = function(t, s) return s.sensors.square[1] + math.sqrt(s.top.velocity.x^2 + 1e-6) end }
EOF
cat >>slider_crank.lua <<'EOF'
sensor   { name = "bearing", type = "reaction", joint = "A" }
objective{ name = "J", final = function(s) return s.sensors.theta[1] + s.slider.velocity.x end,
           integral = function(t, s) return s.sensors.theta[1]^2 + 1e-3*s.sensors.bearing[1] end }
EOF
echo 'objective{ name = "J", final = function(s) return s.sensors.P3[1]^2 end, integral = function(t, s) return s.rod1.omega.z^2 end }' >>bricard.lua
echo 'objective{ name = "J", integral = function(t, s) return 1e6*s.sensors.p2[2]^2 + s.rotor.velocity.y/s.rotor.omega.x end }' >>rotor.lua

echo 'objective{ name = "J", final = function(s) return s.ball.rotation.x end, integral = function(t, s) return s.ball.omega_dot.y^2 end }' >>spring_ball.lua

# ways MODEL PARAMETER TOLERANCE ARGS...: derivatives of all objectives; that of differences of runs (derivative), and a tenth of it
# between direct and adjoint (round-off)
ways() {
    local model=$1 p=$2 tol=$3 direct
    shift 3
    grep -q 'objective{' "$model.lua" || fail "$model has no objective"
    while read -r objective; do
        run 0 sens "$model.lua" --param "$p" "$@" --json
        direct=$(value objectives "$objective" gradient "$p")
        value0=$(value objectives "$objective" value)
        run 0 sens "$model.lua" --param "$p" "$@" --json --mode adjoint --objective "$objective"
        near "$model $*: adjoint of $objective" "$(awk -v tol="$tol" 'BEGIN { print tol/10 }')" "$(value objectives "$objective" gradient "$p")" "$direct"
        near "$model $*: value of $objective" 1e-12 "$(value objectives "$objective" value)" "$value0"        # round-off
        run 0 sens "$model.lua" --param "$p" "$@" --json --mode fd --objective "$objective"
        near "$model $*: differences of $objective" "$tol" "$(value objectives "$objective" gradient "$p")" "$direct"
    done < <(grep -o 'objective{ name = "[A-Z]' "$model.lua" | grep -o '.$')
}
for space in R3xSO3 SE3 euler; do
    for form in index3 ggl; do
        ways heavy_top m 1e-8 --t-end 0.1 --space $space --formulation $form
    done
done
ways spring_ball k 1e-8 --t-end 0.5 --space cardan
ways slider_crank speed 1e-8 --t-end 1.2 --formulation ggl # more than one turn of the crank
ways slider_crank crank 1e-7 --t-end 0.3
ways bricard b 1e-5 --t-end 0.2 --formulation ggl # hardly depends on b
ways rotor m 1e-6 --h 1e-5 --t-end 0.02
# beams: stiffness, mass, damping and shape, seen by a sensor of section forces; differences of runs see little of the last two
for space in R3xSO3 SE3; do
    for p in EI EA length; do
        ways beam_params $p 1e-8 --space $space
    done
    for p in relaxation density; do
        ways beam_params $p 1e-7 --space $space
    done
done
run 0 sens beam_params.lua --param EI,EA,density,length,relaxation --check --json
for p in EI EA density length relaxation; do
    for quantity in tip:9 moment:6; do # derivative; EA magnifies round-off of lengths in section forces
        d=$(value check digits $p sensors ${quantity%:*})
        awk -v d="$d" -v least="${quantity#*:}" 'BEGIN { exit !(d >= least) }' || fail "${quantity%:*} by $p agrees to $d"
    done
done
# A beam that vibrates: differences over one size of step agree to 4 digits, since its frequencies turn with its length.
cat >rod.lua <<'EOF'
local L = param("L", 1)
gravity{0, -9.81, 0}
beam    { name = "b", from = {0, 0, 0}, to = {L, 0, 0}, n = 4, mass_model = "helicoidal", rbf = true,
          section = {EA = 2.1e5, GA = 6.5e4, GJ = 135, EI = 175}, mass = {rhoA = 0.785, J = {1.3e-3, 6.5e-4, 6.5e-4}} }
joint   { name = "pin", type = "revolute", bodies = {"ground", "b.0"}, at = {0, 0, 0}, axis = {0, 0, 1} }
run     { t_end = 0.1, h = 1e-3, formulation = "ggl", rho = 0.9, sigma = 1 }
EOF
run 0 sens rod.lua --param L --check --json
d=$(value check digits L bodies b.4 velocity)
awk -v d="$d" 'BEGIN { exit !(d >= 6.5) }' || fail "velocity by L agrees to $d" # derivative
# derivative: a mass that depends on the shape, in the method that keeps the residual of a step
sed -e 's/local L = param("L", 1)/local L, EI = 1, param("EI", 175)/' -e 's/EI = 175/EI = EI/' -e 's/^run .*/objective{ name = "J", final = function(s) return s["b.4"].position.y end }\nrun{ t_end = 0.02, h = 1e-3, method = "residual-alpha", formulation = "index3" }/' rod.lua >soft.lua
run 0 sens soft.lua --param EI --mode adjoint --check --json
awk -v d="$(value check least)" 'BEGIN { exit !(d >= 8) }' || fail "residual-alpha, adjoint: $(value check least) digits"
# friction: coefficients, lever and speed
for p in rail ball lever slow; do
    ways friction_params $p 1e-8
done
ways friction_params pin 1e-8 --eps 0.02 # hardly depends on pin: over smaller steps differences are round-off
# friction in loops whose hinges share loads that they could share otherwise
for p in crank rocker friction; do
    ways rough_loop $p 1e-9
done
ways rough_bricard tilt 1e-9
# all masses scale the friction and move nothing
run 0 sens rough_loop.lua --param density --check --json
for j in A B C D; do
    awk -v d="$(value check digits density joints $j torque)" 'BEGIN { exit !(d >= 9) }' || fail "torque of $j by density: $(value check digits density joints $j torque)"
done
run 0 sens spring_ball.lua --param k --t-end 0.5 --space cardan --check --json
awk -v d="$(value check least)" 'BEGIN { exit !(d >= 8) }' || fail "cardan: $(value check least)" # derivative

# angles over many turns, by differences and along the run
run 0 sens slider_crank.lua --param crank,speed --t-end 1.2 --check --json
near 'theta' 0.02 "$(value sensors theta)" 12.7
for p in crank speed; do
    awk -v d="$(value check digits $p sensors theta)" 'BEGIN { exit !(d >= 8) }' || fail "theta by $p: $(value check digits $p sensors theta)"
done

# however little memory: the same bits
run 0 sens heavy_top.lua --param m --mode adjoint --objective J --json && sed 's/"wall_s":[^,]*//' out >most
run 0 sens heavy_top.lua --param m --mode adjoint --objective J --json --memory 40000
cmp -s most <(sed 's/"wall_s":[^,]*//' out) || fail '--memory changes the gradient'

# ---- files --------------------------------------------------------------------------------------------------------
run 0 sens heavy_top.lua --param m --t-end 0.05 --every 10 -o top.csv --json
grep -qF ',d(top.x)/d(m) [m/1],' top.csv || fail "columns: $(grep '^t ' top.csv)"
last=$(awk -F, '/^#/ {next} !n {n = NF; for (i = 1; i <= n; i++) {split($i, w, " "); at[w[1]] = i}; next} {x = $(at["d(top.x)/d(m)"])} END {print x}' top.csv)
awk -v a="$last" -v b="$(value sensitivities m bodies top position | cut -d' ' -f1)" 'BEGIN {exit !(a + 0 == b + 0)}' || fail "last row: $last"
[[ $(grep -cv '^#' top.csv) == 7 ]] || fail "rows: $(grep -cv '^#' top.csv)"
if [[ -n ${H5_TO_CSV:-} ]]; then
    run 0 sens heavy_top.lua --param m --t-end 0.05 -o top.h5
fi
run 0 sens heavy_top.lua --param m --t-end 0.05
for text in 'derivatives by m = 15' 'tip' 'J = ' 'd/d(m)'; do
    grep -qF "$text" out || fail "no '$text' in the summary"
done

# ---- what is refused ----------------------------------------------------------------------------------------------
refused 'needs --param' sens heavy_top.lua
refused "no parameter 'mass'; the model has: m" sens heavy_top.lua --param mass
refused "'m' is there twice" sens heavy_top.lua --param m,m
refused 'a name is missing' sens heavy_top.lua --param m,
refused 'needs a model file' sens heavy_top --param x
refused "no objective 'L'" sens heavy_top.lua --param m --objective L
refused 'the model has none' sens "$models/heavy_top.lua" --param m --mode adjoint
refused 'rkmk has no sensitivities' sens heavy_top.lua --param m --method rkmk
refused 'genalpha-printed has no sensitivities' sens heavy_top.lua --param m --method genalpha-printed --mode adjoint
refused 'cannot be' sens heavy_top.lua --param m --mode reverse
refused '1000 bytes is too tight' sens heavy_top.lua --param m --mode adjoint --memory 1000
cat >drop.lua <<'EOF'
local m = param("m", 1)
body     { name = "b", mass = m, inertia = {1, 1, 1}, velocity = {1, 0, 0} }
objective{ name = "J", integral = function(t, s) return math.sqrt(0.05 - s.b.position.x) end }
run      { t_end = 0.1, h = 1e-2 }
EOF
for mode in direct adjoint fd; do
    run 1 sens drop.lua --param m --mode $mode
    complains "drop.lua:3: objective 'J': what the function returns is not a number" "sens --mode $mode"
done
edit() { sed "$1" drop.lua >edited.lua; }
edit 's/s\.b\./s.c./'
refused "objective 'J': there is no body 'c'" sens edited.lua --param m
edit 's/s\.b\.position\.x/s.sensors.tip[1]/'
refused "objective 'J': there is no sensor 'tip'" sens edited.lua --param m
edit 's/return .* end/return 1\/s.sensors.e[1] + s.sensors.f[1] end/; 4a sensor{ name = "e", type = "energy" }'
refused "objective 'J': there is no sensor 'f'" sens edited.lua --param m
edit '4a sensor{ name = "e", custom = function(t, s) return s.sensors.e[1] end }'
refused "sensor 'e' depends on itself" sens edited.lua --param m
edit 's/, integral = .*/ }/'
refused "objective 'J': is empty" sens edited.lua --param m
edit 's/return .* end/return 1, 2 end/'
refused 'returns 2 values instead of 1' sens edited.lua --param m
edit 's/integral/integrand/'
refused "did you mean 'integral'" sens edited.lua --param m
edit 's/, integral = .*/, data = "none.csv", sensor = "x" }/'
refused "there is no sensor 'x'" sens edited.lua --param m
run 0 freeze drop.lua -o drop.json
run 0 run drop.json --quiet

# Derivatives that are zero agree, whatever round-off makes of them.
cat >zeros.lua <<'LUA'
model "zeros"
local m, k = param("m", 1.3), param("k", 7)
gravity {0, 0, -9.81}
body  { name = "a", mass = m, inertia = {1, 1, 1}, omega = {1, 2, 0.3}, velocity = {0.1, 0, 0} }
body  { name = "b", mass = 1, inertia = {1, 2, 3}, position = {1, 0, 0}, omega = {1, 2, 0.3} }
joint { name = "j", type = "spherical", bodies = {"ground", "b"}, at = {1, 0, 0} }
run   { t_end = 0.1, h = 1e-3 }
LUA
run 0 sens zeros.lua --param m,k --check
! grep -qE '\([0-9]\.[0-9] digits' out || fail "zeros do not agree: $(grep digits out)"

# derivative: objectives of a state of the model, at the end and on the way
cat >states.lua <<'LUA'
local k = param("k", 2)
body  { name = "a", mass = 1.2, inertia = {0.1, 0.2, 0.3}, position = {0.5, 0, 0}, velocity = {0.3, 0.1, 0} }
spring{ bodies = {"ground", "a"}, k = 5, length = 0.2 }
state { name = "x", initial = 0.3, rate = function(t, s) return -k * s.states.x + s.a.position.x end }
objective { name = "J", final = function(s) return s.states.x^2 + s.a.position.y end }
objective { name = "I", integral = function(t, s) return s.states.x * s.a.velocity.x end }
run   { t_end = 0.5, h = 1e-2 }
LUA
run 0 sens states.lua --param k --mode adjoint --json --check
has out '"J":{"k":' '"I":{"k":'
awk -v d="$(value check least)" 'BEGIN { exit !(d >= 9) }' || fail "objectives of a state agree to $(value check least) digits"
J=$(value objectives J value) I=$(value objectives I value)
run 0 run states.lua --json # round-off: a run shows the same
near 'objectives of a run' 1e-13 "$(value objectives J value) $(value objectives I value)" "$J $I"
run 0 run states.lua
grep -qE '^  J +objective +0\.119792172$' out || fail "objectives in words: $(tail -n 2 out)"

# A joint that turns many times, whose angle an actuator and the objective read: on the way back turns are counted as on the way there.
cat >turns.lua <<'LUA'
model "turns"
local k = param("k", 2)
body { name = "rod", mass = 1, inertia = {0.1, 0.1, 0.1}, position = {0.5, 0, 0}, omega = {0, 12, 0} }
joint { name = "hinge", type = "revolute", bodies = {"ground", "rod"}, at = {0, 0, 0}, axis = {0, 1, 0} }
actuator { name = "motor", joint = "hinge", effort = function(t, s) return -k*math.sin(0.3*s.joints.hinge.position) end }
objective { name = "last", final = function(s) return s.joints.hinge.position end }
run { t_end = 8, h = 1e-2 }
LUA
run 0 sens turns.lua --param k --mode fd --json
differences=$(value objectives last gradient k)
for memory in '' '--memory 60000'; do
    # shellcheck disable=SC2086 # two words
    run 0 sens turns.lua --param k --mode adjoint --json $memory
    near "turns $memory" 1e-6 "$(value objectives last gradient k)" "$differences" # derivative
done

# Inputs belong to the differences of runs too.
pushed 0.5 >pushed.lua
printf 't,u\n0,-1\n0.2,3\n0.5,2\n' >push.csv
for u in u=-3 u=push.csv; do
    run 0 sens pushed.lua --param m --input $u --json --check
    exact=$(value objectives J gradient m)
    awk -v d="$(value check least)" 'BEGIN { exit !(d >= 7) }' || fail "--check --input $u: $(value check least) digits" # derivative
    run 0 sens pushed.lua --param m --input $u --json --mode fd
    near "--mode fd --input $u" 1e-7 "$(value objectives J gradient m)" "$exact" # derivative
done

# Multipliers of constraint{} and state{} have derivatives as joints and sensors have; where a sensor has the name of a state, columns differ.
cat >tied.lua <<'END_OF_MODEL'
local k = param("k", 2)
particle { name = "p", mass = 1, position = {0, 0, 1} }
constraint { name = "rod", f = function(t, s) local q = s.p.position return q.x^2 + q.y^2 + q.z^2 - 1 end }
state { name = "e", initial = {1, 2}, rate = function(t, s) return -k*s.states.e[1], k*s.p.position.z end }
state { name = "y", initial = 1, rate = function(t, s) return -k*s.states.y end }
force { body = "p", value = function(t, s) return 0, k*s.states.e[1], -k end }
sensor { name = "y", type = "position", body = "p" }
run { t_end = 0.1, h = 1e-2 }
END_OF_MODEL
run 0 sens tied.lua --param k --json --check
has out '"constraints":{"rod":{"lambda":[' '"states":{"e":['
# derivative: of exp(-k t), up to the error of the method
near "state by k" 1e-3 "$(value sensitivities k states y)" "$(awk 'BEGIN { print -0.1*exp(-0.2) }')"
awk -v d="$(value check least)" 'BEGIN { exit !(d >= 7) }' || fail "--check: $(value check least) digits" # derivative
run 0 sens tied.lua --param k
has out '  rod        lambda ' '  e          state '
run 0 sens tied.lua --param k -o tied.csv --quiet
has tied.csv 'd(rod.lambda1)/d(k)' 'd(e.2)/d(k)' 'd(y.1)/d(k)' 'd(states.y)/d(k)'

finish
