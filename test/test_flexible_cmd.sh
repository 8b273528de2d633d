#!/usr/bin/env bash
# Commands on models with flexible bodies: what they count and name, and the numbers they give.
# shellcheck source=test/program.bash
source "$(dirname "${BASH_SOURCE[0]}")/program.bash"

cat >clamped.lua <<'LUA'
model "clamped rod"
gravity{0, 0, 0}
flexible{ name = "rod", modes = {n = 4}, interfaces = {tip = 10},
          beam = {from = {0, 0, 0}, to = {1, 0, 0}, n = 10, section = {EA = 2.1e7, GJ = 135, EI = param("EI", 175)},
                  mass = {rhoA = 0.785, rhoJ = 1.30833333e-5}} }
joint{ name = "wall", type = "fixed", bodies = {"ground", "rod"}, at = {0, 0, 0} }
force{ name = "pull", body = "rod.tip", value = {0, 0, param("F", 0)} }
sensor{ name = "zeta", type = "modes", body = "rod" }
sensor{ name = "tip", type = "position", body = "rod.tip" }
objective{ name = "up", final = function(s) return s["rod.tip"].position.z + s.sensors.zeta[2] end }
run{ t_end = 0.02, h = 1e-3 }
LUA

# Markers are no bodies of their own; modes are coordinates.
for space in R3xSO3 SE3; do
    run 0 check clamped.lua --space $space
    has out "clamped rod: 1 body, 1 joint," "coordinates  10, constraints 6, degrees of freedom 4" \
        "'rod', 4 modes of 52.5 to 329 rad/s, 12 markers"
done
run 0 check clamped.lua --json
has out '"bodies":1,' '"flexible":1,' '"coordinates":10,' '"dof":4,'

# The tip moves and the frame cannot: modes must.
sed '/^run/i body{ name = "sled", mass = 1, inertia = {1, 1, 1}, position = {1, 0, 0}, velocity = {0, 0, 0.5} }\
joint{ name = "grip", type = "generic", bodies = {"rod.tip", "sled"}, at = {1, 0, 0}, lock = {"z"} }' clamped.lua >moving.lua
run 0 check moving.lua
has out "modes        move from the start"

# Frequencies of the reduced finite elements, by an independent program: 52.497100786, twice, and 329.004322640.
for space in R3xSO3 SE3 euler cardan; do
    run 0 modes clamped.lua --space $space --json
    has out '"omega":52.4971007' '"omega":329.004322' 'rod moves 100%'
done

# What the tip gives is what the wall holds.
run 0 static clamped.lua --set F=0.1
has out "rod.tip" "zeta" "0.1"

# Derivatives, direct and backwards, of what markers and modes do.
for mode in direct adjoint; do
    run 0 sens clamped.lua --set F=0.1 --param EI,F --mode $mode --check --json
    has out '"up"'
done
run 0 sens clamped.lua --set F=0.1 --param EI,F --check
grep -Eq "d/d\(F\) .*\((8|9|1[0-9])\.[0-9] digits\)" out || fail "few digits: $(grep 'd/d' out)"
grep -Eq "d/d\(EI\) .*\((7|8|9|1[0-9])\.[0-9] digits\)" out || fail "few digits: $(grep 'd/d' out)"

# The same bits whatever processor a BLAS takes this machine for: modes are our own computation, so that a sweep can be
# continued elsewhere. Small bodies, and those that need an iteration.
sed 's/n = 10, section/n = 60, section/; s/tip = 10/tip = 60/' clamped.lua >fine.lua
for file in clamped.lua fine.lua "$models/craig_bampton.lua"; do
    unset OPENBLAS_CORETYPE
    run 0 reduce "$file" -o here.json
    for core in Prescott Haswell SkylakeX; do
        export OPENBLAS_CORETYPE=$core
        run 0 reduce "$file" -o there.json
        cmp -s here.json there.json || fail "$file: another body on $core"
    done
done
unset OPENBLAS_CORETYPE

# Only flexible bodies have modes.
sed 's/type = "modes", body = "rod"/type = "modes", body = "ground"/' clamped.lua >wrong.lua
run 2 run wrong.lua
has err "sensor 'zeta': 'ground' is not a flexible body"

finish
