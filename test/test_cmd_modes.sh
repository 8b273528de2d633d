#!/usr/bin/env bash
# polhode modes: numbers, JSON, tables over a parameter, pictures, exit codes, and mistakes.
# shellcheck source=test/program.bash
source "$(dirname "${BASH_SOURCE[0]}")/program.bash"

# sqrt(9.81) of the pendulum of unit length, in words and as JSON.
run 0 modes "$models/pendulum.lua" --about static
has out "pendulum: modes about the equilibrium" "3.13209" "bob moves 100%"
run 0 modes "$models/pendulum.lua" --about static --json
has out '"omega":3.132091952673'
run 0 modes "$models/double_pendulum.lua" --about static --space SE3
has out "2.67987" "7.18292" "lower moves" "lower turns"
run 0 modes "$models/double_pendulum.lua" --about static --space euler -n 1
has out "2.67987" "1 further mode: -n 2 shows it" "lower turns"

# At rest but no equilibrium; upright: real eigenvalues.
run 0 modes "$models/double_pendulum.lua"
has out "the initial state is not an equilibrium"
run 0 modes "$models/slider_crank.lua" --about static
has out "unstable: grows by exp(7.071 t)"

# reference: a thin disc that stands on the ground and turns by W about the upright: sqrt(W^2 - 4 g/5 a), seen from axes that turn with it; one that rolls
# straight on by w: sqrt(12 w^2/5 - 4 g/5 a) (Neimark, Fufaev, Dynamics of nonholonomic systems)
cat >disc.lua <<'LUA'
local a, m, W, w = 0.3, 2, param("W", 0), param("w", 0)
gravity {0, 0, -9.81}
body  { name = "disc", mass = m, inertia = {m*a^2/2, m*a^2/4, m*a^2/4}, position = {0, 0, a}, omega = {w, 0, W}, velocity = {0, -w*a, 0} }
joint { name = "contact", type = "rolling", bodies = {"ground", "disc"}, at = {0, 0, 0}, normal = {0, 0, 1}, axis = {1, 0, 0}, radius = a }
LUA
run 0 modes disc.lua --space SE3 --set W=9 --json
has out '"omega":7.405403432'
run 0 modes disc.lua --space SE3 --set W=4
has out 'unstable: grows by exp(3.187 t)' 'seen from axes that turn with the bodies'
run 0 modes disc.lua --set w=10 --json
has out '"omega":14.62326912'
# reference: two frequencies fitted to the lean in a run by rk4 with h = 2e-4, of a disc whose centre a spring holds: 6.772882 and 9.537718
cat disc.lua - >held.lua <<<'bushing { bodies = {"ground", "disc"}, at_a = {0, 0, 0}, at_b = {0, 0, 0}, k = {3, 3, 3} }'
run 0 modes held.lua --space SE3 --set W=9 --json
has out '"omega":6.77288' '"omega":9.53771'

# Over a parameter: the same bits for any number of processes; rows of every case.
run 0 modes "$models/hanging_top.lua" --vary Omega=0:300:4 -n 4 --jobs 1 -o one.csv
has out 'at most 4 of at most 4 eigenvalues' # of the first value there are three
run 0 modes "$models/hanging_top.lua" --vary Omega=100:300:3 -n 4
has out '4 of 4 eigenvalues'
! grep -q 'at most' out || fail 'all values have four eigenvalues'
run 0 modes "$models/hanging_top.lua" --vary Omega=0:300:4 -n 4 --jobs 1 -o one.csv
run 0 modes "$models/hanging_top.lua" --vary Omega=0:300:4 -n 4 --jobs 3 -o three.csv
cmp -s one.csv three.csv || fail "the table depends on the number of processes"
(($(grep -cv '^#' one.csv) == 16)) || fail "$(wc -l <one.csv) lines in one.csv"
if command -v gnuplot >/dev/null; then
    run 0 modes "$models/hanging_top.lua" --vary Omega=0:300:4 --plot campbell.svg
    grep -q '<svg' campbell.svg || fail "no picture"
fi
run 1 modes "$models/heavy_top.lua" --about static --vary m=10,20
[[ -s out ]] || fail "nothing of a study whose cases fail"

# What it suggests it does.
run 0 modes "$models/beam_wheel.lua" -n 70
n=$(grep -oE -- '-n [0-9]+ shows' out | grep -oE '[0-9]+')
((n > 70)) || fail "no suggestion: $(tail -n 2 out)"
run 0 modes "$models/beam_wheel.lua" -n "$n"
grep -q "further mode" out && fail "-n $n shows not all of them"
(($(grep -cE '^ *[0-9]+ ' out) == n + 1)) || fail "-n $n: $(grep -cE '^ *[0-9]+ ' out) lines"

# Shapes in JSON. The rods of 1 m turn about y, so that x of the upper one is half the angle. Reference: a_2/a_1 of
# (K - w^2 M) a = 0 with M = [5/4 + J 1/2; 1/2 1/4 + J], J = 1.0025/12, K = 9.81 diag(3/2, 1/2)
run 0 modes "$models/double_pendulum.lua" --about static --json
is_json out
has out '"coordinates":["upper.x","upper.y","upper.z","upper.rx","upper.ry","upper.rz","lower.x"' '"shapes":[{"mode":1,"re":[' '"im":['
entry() { # MODE COORDINATE, counted from 1: its real part
    grep -oE "\"mode\":$1,\"re\":\[[^]]*" out | sed 's/.*\[//' | cut -d, -f "$2"
}
awk -v x="$(entry 1 1)" -v a="$(entry 1 5)" -v b="$(entry 1 11)" 'BEGIN {
    w = 2.6798672274891877 ^ 2; r = (1.5 * 9.81 - (1.25 + 1.0025 / 12) * w) / (0.5 * w)
    e = (b / a - r) ^ 2 + (x / a + 0.5) ^ 2; exit !(e < 1e-24) }' || fail "shape: $(cat out)"
run 0 modes "$models/flexible_pendulum_modal.lua" -n 2 --json
has out '"bar.rz","bar.mode1","bar.mode2"'

# Cases that fail stand in JSON with the reason, the others have their rows.
cat >hinged.lua <<'END'
model "hinged"
local k = param("k", 1)
body   { name = "rod", mass = 1, inertia = {0.1, 0.1, 0.1}, position = {0, 0, -1} }
joint  { name = "pin", type = "revolute", bodies = {"ground", "rod"}, at = {0, 0, 0}, axis = {0, 1, 0} }
gravity{0, 0, -9.81 * math.min(k, 1)}
run    { t_end = 1, h = 1e-3 }
END
run 0 modes hinged.lua --about static --vary k=0,1,2 --json
is_json out
has out '"failed":[{"k":0,"status":"singular","reason":"nothing keeps' '{"k":1,"mode":1,"omega":' '{"k":2,"mode":1,"omega":'

# What moves freely has eigenvalues that are exactly 0, also where round-off would make vibrations of a Jordan block.
for space in R3xSO3 SE3; do
    run 0 modes "$models/chain.lua" --space $space -n 60 --json
    grep -oE '"omega":[^,]*' out | awk -F: '$2 != 0 && $2 < 1e-3 { exit 1 }' || fail "zero vibrates in $space: $(grep -o '"omega":[^,]*' out)"
done

# A rotor on skew axes: nothing but its spin is free, at any speed. A pulse that begins later changes no mode.
rotor() { # FILE LINE...
    cat >"$1" <<'END'
model "rotor"
local speed = param("speed", 100)
local a, b, c = {0.36, 0.48, 0.8}, {-0.8, 0.6, 0}, {-0.48, -0.64, 0.6}
body    { name = "stand", mass = 3, inertia = {0.03, 0.02, 0.04} }
body    { name = "rotor", mass = 2, inertia = {0.02, 0.01, 0.01}, position = {0.072, 0.096, 0.16}, omega = {speed, 0, 0},
          rotation = {matrix = {{a[1], b[1], c[1]}, {a[2], b[2], c[2]}, {a[3], b[3], c[3]}}} }
joint   { name = "axle", type = "revolute", bodies = {"stand", "rotor"}, at = {0.072, 0.096, 0.16}, axis = a }
bushing { name = "mount", bodies = {"ground", "stand"}, k = {1e6, 2e6, 3e6}, kr = {1e4, 2e4, 3e4} }
gravity {0, 0, 0}
run     { t_end = 1, h = 1e-4 }
END
    printf '%s\n' "${@:2}" >>"$1"
}
rotor plain.lua
rotor pulse.lua 'force { name = "pulse", body = "rotor", value = function(t) return {0, t > 0 and t < 0.01 and 5 or 0, 0} end }'
rotor wave.lua 'force { name = "wave", body = "rotor", value = function(t) return {0, math.sin(100 * t), 0} end }'
rotor push.lua 'force { name = "push", body = "rotor", value = function(t) return {0, t < 0.01 and 5 or 0, 0} end }'
run 0 modes plain.lua --vary speed=0:2000:41 --json
mv out plain
(($(grep -oE '"omega":0,' plain | wc -l) == 81)) || fail "the spin is free: $(grep -oE '"omega":0,' plain | wc -l) zeros of 41 speeds"
grep -oE '"real":[^,]*' plain | awk -F: '$2 != 0 { exit 1 }' || fail "undamped motion with a real part"
for file in pulse.lua wave.lua; do
    run 0 modes $file --vary speed=0:2000:41 --json
    cmp -s <(sed 's/"parameters.*//' plain) <(sed 's/"parameters.*//' out) || fail "$file: $(diff plain out | cut -c 1-300)"
done
run 1 modes push.lua --vary speed=50:2000:3 --json # it begins at once, and the motion is not steady
has out '"failed":[{"speed":50,"status":"bad_input","reason":"the motion is not steady, so that it has no modes: accelerations'

# Branches are followed by their shapes: the frequencies of a and b cross between two values and on one, and each stays the branch of
# its body. Both are damped.
cat >cross.lua <<'END'
model "cross"
local k = param("k", 50)
particle { name = "a", mass = 1, position = {1, 0, 0} }
particle { name = "b", mass = 1, position = {-1, 0, 0} }
bushing { bodies = {"ground", "a"}, at_a = {1, 0, 0}, k = {k, 4000, 4000}, d = {0.5, 1, 1} }
bushing { bodies = {"ground", "b"}, at_a = {-1, 0, 0}, k = {100, 9000, 9000}, d = {2, 1, 1} }
run { t_end = 1, h = 1e-3 }
END
for values in 35:165:14 50:150:11; do
    run 0 modes cross.lua --vary k=$values -n 2 -o cross.csv
    awk -F, 'NR > 1 && !/^#/ && $7 ~ /^[0-9]+$/ { who = substr($0, index($0, "moves") - 2, 1); if ($1 == 100) next; if (who in of && of[who] != $7) exit 1; of[who] = $7; n++ } END { exit !(n > 15 && of["a"] != of["b"]) }' cross.csv ||
        fail "branches over k=$values are not those of the bodies: $(cat cross.csv)"
    [[ $(awk -F, '$2 == 1 && $7 ~ /^[0-9]+$/ { print $7 }' cross.csv | sort -u | wc -l) == 2 ]] || fail "the lowest mode is one branch"
done
if command -v gnuplot >/dev/null; then
    run 0 modes cross.lua --vary k=50:150:11 -n 2 --harmonics 3 --plot cross.svg
    has cross.svg "damping ratio" "frequency" "1P" "3P"
    run 0 modes "$models/hanging_top.lua" --vary Omega=0:300:4 -n 3 --plot undamped.svg
    if grep -q "damping ratio" undamped.svg; then fail "a panel of damping where there is none"; fi
fi
refused "--vary: k: in how many values? Say k=1:2:N" modes cross.lua --vary k=1:2
refused "--harmonics: lines of a picture; give --plot too" modes cross.lua --vary k=1,2 --harmonics 2

# Mistakes.
run 2 modes "$models/pendulum.lua"
has err "not steady"
# closed form: at its equilibrium, 7 rad, the spring has 1 + 12 x 7/7 N m/rad, and omega^2 = 13/0.05
cat >steep.lua <<'END_OF_MODEL'
body { name = "w", mass = 1, inertia = {0.03, 0.03, 0.05} }
joint { name = "j", type = "revolute", bodies = {"ground", "w"}, at = {0, 0, 0}, axis = {0, 0, 1} }
actuator { name = "a", joint = "j", effort = function(t, s) local x = s.joints.j.position return 49 - x - x*math.abs(x)*6/7 end }
END_OF_MODEL
run 0 modes steep.lua --about static --json
has out '"omega":16.1245154'
run 1 modes "$models/heavy_top.lua" --about static
has err "nothing keeps body 'top' from moving"
run 2 modes "$models/pendulum.lua" --about rest
has err "--about"
run 2 modes "$models/pendulum.lua" --plot x.svg
has err "--vary"
run 2 modes "$models/hanging_top.lua" --vary nothing=1:2:3
has err "is not a parameter"
run 0 modes ring # bodies of a built-in problem have numbers; of its modes, all of frequency 0, any sum is one
grep -qE 'b[1-9] moves [0-9]+%, b[1-9] moves' out || fail "no numbers of bodies: $(cat out)"
run 2 modes "$models/hanging_top.lua" -n 3001
has err "-n"

finish
