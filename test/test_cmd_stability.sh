#!/usr/bin/env bash
# polhode stability and transient: numbers, exit codes, JSON, tables, pictures, and mistakes.
# shellcheck source=test/program.bash
source "$(dirname "${BASH_SOURCE[0]}")/program.bash"

# within GOT WANT TOL WHAT
within() {
    checks=$((checks + 1))
    awk -v a="$1" -v b="$2" -v tol="$3" 'BEGIN { d = a - b; exit !(a != "" && d <= tol && -d <= tol) }' ||
        fail "$4: $1 instead of $2 +- $3"
}

limit() { # the first limit z* in out, JSON
    grep -oE '"limits":\[\{[^}]*"z":[0-9.e+-]+' out | sed 's/.*"z"://'
}

# ---- ball -----------------------------------------------------------------------------------------------------

ball() { # ARGS...
    run 0 stability --method rkmk --json "$@"
}

# reference: 2 sqrt(2) of the classical method, which RKMK is on one axis
ball --tableau rk4 --angle 0 --z 2:3:6
within "$(limit)" 2.828427 1e-4 "RK4, parallel"
# reference: an independent prototype
ball --tableau rk4 --amplitude 0.5 --z 2:3:6
within "$(limit)" 2.59 0.02 "RK4, 0.5 rad"
ball --tableau rk4 --amplitude 1 --z 2:3:6
within "$(limit)" 2.26 0.02 "RK4, 1 rad"
ball --tableau heun --zeta 0.05 --angle 0 --amplitude 0.3 --z 0.1:1.5:8
within "$(limit)" 0.8 1e-3 "Heun, damped"
# reference: |1 + mu| = 1
ball --tableau euler --zeta 0.1 --angle 0 --amplitude 0.3 --z 0.1:1:10
within "$(limit)" 0.2 5e-4 "explicit Euler"
# strong damping: energy passes twice its first value on its way down. Reference: |R| = 1, in R(-z) and R(z exp(2 i pi/3))
ball --tableau rk4 --zeta 1 --angle 0 --amplitude 0.01
has out '"beyond":"grows","linear":2.78529'
ball --tableau rk4 --zeta 1 --angle 0 --amplitude 1e-6
within "$(limit)" 2.785294 5e-5 "RK4, damping ratio 1"
ball --tableau rk4 --zeta 0.5 --angle 0 --amplitude 0.01
within "$(limit)" 2.622543 5e-5 "RK4, damping ratio 0.5"
ball --tableau euler --zeta 0.5 --angle 0 --amplitude 0.01
within "$(limit)" 1 1e-4 "explicit Euler, damping ratio 0.5"
# A-stable, small amplitude: bounded for all z of the list
ball --tableau gauss2 --amplitude 0.1 --z 0.5,1,2 --steps 500
[[ -z $(limit) ]] || fail "gauss2: a limit where there is none: $(limit)"
has out '"limits":[{"method":"rkmk, gauss2","amplitude":0.1'

# where a method has no step, the first reason is told
run 0 stability "$models/hanging_top.lua" --about-spin --hw 0.3,300,600 --method rkmk
[[ $(grep -c ' no step' out) == 2 && $(grep -c '^h|Omega| = ' out) == 1 ]] || fail "no step: $(cat out)"
has out "h|Omega| = 300: t = 2: node 'top' turns by 60 rad in one step of h = 2"

# more sentences than anybody reads; methods without sigma
run 0 stability --method rkmk --tableau rk4 --angle 0 --z 1 --steps 1 --amplitude 0.01:1:64 --zeta 0:0.4:5
[[ $(tail -n 1 out) == '... and more' && $(grep -c ': bounded for all z' out) == 255 ]] || fail "sentences: $(tail -n 2 out)"
run 0 stability --method linear-alpha,residual-alpha --z 1 --steps 10 --rho 0.8
has out 'linear-alpha, rho 0.8  ' 'residual-alpha, rho 0.8  '

# the same numbers for any number of processes, in the order of the list
run 0 stability --method rkmk,genalpha --tableau rk4,heun --z 3,1,2 --amplitude 0.2,0.9 --steps 300 --jobs 1 -o one.csv
run 0 stability --method rkmk,genalpha --tableau rk4,heun --z 1,2,3 --amplitude 0.9,0.2 --steps 300 --jobs 3 -o three.csv
cmp -s one.csv three.csv || fail "the number of processes shows: $(diff one.csv three.csv | head -n 3)"
[[ $(grep -vc '^#' one.csv) == 19 ]] || fail "3 methods, 2 amplitudes, 3 z: $(grep -vc '^#' one.csv) lines"
has one.csv '# polhode ' '# damping ratio 0' 'amplitude [rad]' 'bounded up to z*'
has out 'bounded up to z*' 'verdict'

# several angles and damping ratios: each as alone, and in a map
run 0 stability --method rkmk --tableau rk4 --angle 0,90 --zeta 0,0.1 --z 2:3:6 --steps 300 -o all.csv
for angle in 0 90; do
    for zeta in 0 0.1; do
        run 0 stability --method rkmk --tableau rk4 --angle $angle --zeta $zeta --z 2:3:6 --steps 300 -o one.csv
        [[ $(grep -cF -f <(grep '^"rkmk' one.csv) all.csv) == 6 ]] || fail "angle $angle, zeta $zeta: $(cat one.csv)"
    done
done
[[ $(grep -c '^"rkmk' all.csv) == 24 ]] || fail "2 angles, 2 damping ratios, 6 z"
has all.csv 'angle [deg],zeta,z,' '# several damping ratios, omega at several angles' 'angle 90 degrees, damping ratio 0.1: bounded up'

# a step that no method can take is a verdict, not a failure
run 0 stability --method rkmk --tableau rk4 --amplitude 2 --z 2.9
has out failed 'use a smaller step' 'the first run that failed, rkmk, rk4, amplitude 2 rad, z = 2.9, at step 1:'

# ---- oscillator -----------------------------------------------------------------------------------------------

row() { # FILE N FIELD: field of data row N of a CSV file whose words have no commas
    grep -v '^#' "$1" | sed -E 's/"[^"]*"/words/' | awk -F, -v n="$2" -v f="$3" 'NR == n + 1 {print $f}'
}

# reference: rho = 1 is the trapezoidal rule, period error (z/2)/atan(z/2) - 1
run 0 stability --oscillator --rho 0:1:11 --ht 0.1,1 -o osc.csv
[[ $(grep -vc '^#' osc.csv) == 23 ]] || fail "11 rho, 2 h/T: $(grep -vc '^#' osc.csv) lines"
within "$(row osc.csv 21 4)" 1 1e-12 "radius of rho = 1"
within "$(row osc.csv 21 6)" "$(awk 'BEGIN { z = 0.1 * atan2(0, -1); printf "%.17g", z / atan2(z, 1) - 1 }')" 1e-12 "period"
within "$(row osc.csv 21 5)" 0 1e-12 "damping of rho = 1"
# reference: R(iz) of RK4 at z = 2 pi 0.1
run 0 stability --oscillator --method rkmk --tableau rk4 --ht 0.1 -o osc.csv
within "$(row osc.csv 1 4)" "$(awk 'BEGIN { z = 0.2 * atan2(0, -1); a = 1 - z^2 / 2 + z^4 / 24; b = z - z^3 / 6
    printf "%.17g", sqrt(a * a + b * b) }')" 1e-13 "RK4"
# reference: larger root of (3/2 - iz) mu^2 - 2 mu + 1/2 = 0 at z = 2 pi
run 0 stability --oscillator --method bliedf --order 2 --ht 1 -o osc.csv
within "$(row osc.csv 1 4)" 0.402486 1e-5 "BDF-2"

# ---- steady spin ----------------------------------------------------------------------------------------------

radius() { # SIGMA HW ARGS...
    local sigma=$1 hw=$2
    shift 2
    run 0 stability "$models/hanging_top.lua" --about-spin --sigma "$sigma" --hw "$hw" -o spin.csv "$@"
    row spin.csv 1 4
}
for sigma in 1 opt; do
    for hw in 0.3 0.6 0.75; do
        within "$(radius $sigma $hw)" 1 1e-3 "sigma $sigma, h Omega = $hw"
    done
done
for hw in 0.6 0.75; do
    awk -v r="$(radius 0 $hw)" 'BEGIN { exit !(r > 1.01) }' || fail "sigma 0, h Omega = $hw: $(cat spin.csv)"
    has out unstable
done
within "$(radius 0 0.5)" 1 1e-3 "sigma 0, h Omega = 0.5"
for space in SE3 R3xSO3; do
    within "$(radius 1 0.3 --formulation ggl --space $space)" 1 1e-3 "stabilised, $space"
done
run 0 stability "$models/hanging_top.lua" --about-spin --method bliedf,rkmk --tableau gauss2 --order 2 --hw 0.3 --set Omega=20
has out '|Omega| = 20' 'bliedf, order 2' 'rkmk, gauss2' 0.015

# ---- transient ------------------------------------------------------------------------------------------------

peak() { # NAME: the largest error of that name in out, JSON
    grep -oE "\"error\":\"$1\",\"largest\":[0-9.e+-]+" out | sed 's/.*://'
}
run 0 transient heavy_top --formulation index3 --h 1e-3 --sigma 0 --steps 100 --json
within "$(peak plain)" 122.43 2.4 "plain start"         # reference: 2 %
within "$(peak perturbed)" 2.124 0.042 "perturbed start" # reference: 2 %
within "$(peak predicted)" 34.265298 1e-6 "amplification, rho 0.9"
has out '"step":14'
run 0 transient pendulum --formulation index3 --h 0.02 --rho 0.6 --sigma 0 --json
within "$(peak predicted)" 7.385792 1e-6 "amplification, rho 0.6"
# the model file has a reference solution too, the same numbers come out
run 0 transient "$models/heavy_top.lua" --formulation index3 --sigma 0 --steps 100 --json
within "$(peak plain)" 122.43 2.4 "plain start of the model file"
run 0 transient heavy_top --formulation ggl -o t.csv
has out 'no amplification is predicted'
grep -q 'predicted,eta,eta_half' t.csv || fail "eta of the stabilised form: $(head -n 5 t.csv)"
# reference: max |eta| on [0, 1], sigma = 0, of an independent prototype, with h = 1e-3 and 5e-4
run 0 transient heavy_top --formulation ggl --sigma 0 --rho 0.9 --h 1e-3 --steps 1000
has out 'largest |eta|: 0.01143' '0.00285' 'with h/2, 4.00'
run 0 transient heavy_top --formulation index3 -o t3.csv
! grep -q 'eta_half' t3.csv || fail "index-3 has no eta"
[[ $(grep -vc '^#' t.csv) == 52 ]] || fail "51 rows of 50 steps: $(grep -vc '^#' t.csv)"

# parameters of the model are settings too
run 0 transient "$models/heavy_top.lua" --set m=16 --steps 3 -o t.csv
has out 'parameters m = 16'
has t.csv '# parameters m = 16'
run 0 stability "$models/hanging_top.lua" --about-spin --hw 0.1 --set Omega=20 --json
is_json out
grep -qE '"parameters":\{[^}]*"Omega":20' out || fail "no parameters: $(cat out)"

# ---- pictures -------------------------------------------------------------------------------------------------

if command -v gnuplot >/dev/null; then
    run 0 stability --method rkmk --tableau rk4 --z 2,2.5,3 --plot curve.svg
    run 0 stability --method rkmk --tableau rk4 --z 2,2.5,3 --amplitude 0.2,0.6,1 --steps 200 --plot map.png
    run 0 stability --oscillator --plot oscillator.svg
    run 0 stability "$models/hanging_top.lua" --about-spin --sigma 0,1 --hw 0.3,0.6 --plot spin.svg
    run 0 transient heavy_top --plot transient.png
    for file in curve.svg map.png oscillator.svg spin.svg transient.png; do
        [[ -s $file ]] || fail "no $file"
    done
    has curve.svg 'z*' 'linear'
    has spin.svg 'sigma 0'
    run 0 stability --method rkmk --tableau rk4 --z 2,2.5,3 --angle 0:90:4 --zeta 0,0.1 --steps 200 --plot angles.svg
    has angles.svg 'to the axis [deg]' 'damping ratio 0.1'
    # more values of rho than curves can be told apart: a map over rho, of each sigma
    run 0 stability "$models/hanging_top.lua" --about-spin --sigma 0,1 --rho 0.5:1:11 --hw 0.3,0.6,0.9 --plot spin_map.svg
    has spin_map.svg 'ρ' 'sigma 0' 'sigma 1' 'spectral radius'
    run 0 stability --oscillator --rho 0:1:9 --plot oscillator_map.svg
    has oscillator_map.svg 'ρ' 'numerical damping ratio'
    run 0 stability --oscillator --rho 0:1:8 --plot oscillator_curves.svg
    grep -q 'ρ' oscillator_curves.svg && fail "a map of few values"
    # limits that are not reached; maps whose titles say what else has several values
    run 0 stability --method rkmk --tableau rk4 --z 0.1,0.2 --steps 10 --plot calm.svg
    grep -q 'z\*' calm.svg && fail "a limit where there is none"
    run 0 stability --method rkmk --tableau rk4,heun --z 2,3 --steps 10 --plot two.svg
    has two.svg 'rk4' 'heun'
    run 0 stability --method rkmk --tableau rk4 --z 0.1,0.2 --amplitude 0.2,0.6 --angle 0,90 --zeta 0,0.1 --steps 10 --plot titles.svg
    has titles.svg 'angle 90°' 'damping ratio 0.1'
    for which in "amplitude 0.2,0.6" "angle 0,90" "zeta 0,0.1"; do
        # shellcheck disable=SC2086 # two words
        refused "several values of --${which% *} need several z" stability --z 1 --${which} --plot x.svg
    done
    refused "maps are too many" stability --method rkmk --tableau rk4 --angle 0:90:41 --zeta 0:1:40 --plot x.svg
    run 0 stability --oscillator --method rkmk --tableau rk4 --plot rk4.svg # grows by 6e9: not in the picture
    grep -q 'e+09' rk4.svg && fail "the axis of spectral radii is lost"
    [[ ! -s err ]] || fail "nothing is amiss: $(cat err)"
    refused "several z" stability --z 1 --amplitude 0.1,0.2 --steps 10 --plot x.svg
fi

# ---- mistakes -------------------------------------------------------------------------------------------------

refused "two studies" stability heavy_top --about-spin --oscillator
refused "needs a MODEL" stability --about-spin
refused "with --about-spin only" stability heavy_top
refused "nor a steady spin" stability heavy_top --about-spin --hw 0.1
refused "no body spins" stability pendulum --about-spin
refused "the space euler have no axes" stability "$models/hanging_top.lua" --about-spin --space euler
refused "does not read it" stability --oscillator --z 1
refused "does not read it" stability --ht 1
refused "does not read it" stability "$models/hanging_top.lua" --about-spin --zeta 0.1
refused "does not read it" stability --oscillator --sigma 1
refused "outside [0, 1]" stability --rho 1.5
refused "outside 1 to 6" stability --method bliedf --order 7
refused "below 0" stability --zeta=-1
refused "below 0" stability --zeta=0,-1
refused "one damping ratio" stability --oscillator --zeta 0,0.1
refused "does not read it" stability --oscillator --angle 0
refused "does not read it" stability "$models/hanging_top.lua" --about-spin --angle 0
refused "is not below pi" stability --amplitude 1,3.2 --z 1
refused "FROM:TO:COUNT" stability --z 1:2
refused "not a number" stability --z 1:x:3
refused "not above 0" stability --z 0:1:3
refused "whole number" stability --z 1:2:y
refused "more than" stability --z 1:2:1000
refused "no model file" stability none --about-spin
refused "cannot write" stability --oscillator -o no/such/folder.csv
refused ".svg" stability --oscillator --plot picture.pdf
run 0 stability --oscillator --rho 0.8 --ht 0.1,1e300 --json
has out '"radius":null,"damping":null,"period_error":null'
run 0 stability --oscillator --rho 0.8 --ht 0.1,1e300
has out 'h/T = 1e+300: ' 'singular'
refused "no multipliers" transient spring_ball
refused "no starting values" transient heavy_top --method rkmk
refused "needs MODEL" transient
refused "cannot write" transient heavy_top -o no/such/folder.csv
(ulimit -f 1 && "$polhode" stability --z 0.1:3:60 --steps 10 -o cut.csv >/dev/null 2>err)
[[ $? == 2 ]] || fail "a table without room for it: exit code"
complains "cannot write 'cut.csv': File too large" "no room"
[[ -z $(find . -name 'cut.*') ]] || fail "half a table: $(find . -name 'cut.*')"
refused 'outside 1 to 1000000' transient heavy_top --steps 2000000000
run 1 transient heavy_top --h 1 --steps 5
[[ -s err && ! -s out ]] || fail "a step that fails: $(cat out err)"

finish
