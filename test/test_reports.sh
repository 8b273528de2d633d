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
run 0 modes pendulum --about static
has out "1 of 1 eigenvalues" "moves 100%"
run 0 sweep heavy_top --vary x=10,15 --t-end 0.01 -o top.csv --json
is_json out
has out '"model":"heavy_top"' '"cases":2'
has top.csv "model heavy_top" "vary x=10,15"
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
grep -qE '^  seven +sensor( +-?0){6} ...$' out || fail "the sensor of seven numbers: $(grep seven out)"
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

finish
