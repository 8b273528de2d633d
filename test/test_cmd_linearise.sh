#!/usr/bin/env bash
# polhode linearise: text, JSON, CSV; inputs from the line; what makes no sense.
# shellcheck source=test/program.bash
source "$(dirname "${BASH_SOURCE[0]}")/program.bash"

run 0 linearise "$models/bicycle.lua"
has out 'bicycle: linearised at t = 0 s; 10 states, 1 inputs, 4 outputs' 'steer.rate'
run 0 linearize "$models/bicycle.lua" # as America spells it
has out 'bicycle: linearised at t = 0 s'
run 0 help optimize
has out 'usage: polhode optimise MODEL'
run 0 linearise "$models/dc_motor.lua" --at 0.1 --json
has out '"status":"ok"' '"x":["shaft","shaft.rate","e","i"]' '"u":["load"]' '"A":[['
run 0 linearise "$models/dc_motor.lua" -o m.csv
head -n 2 m.csv | grep -q '^row,shaft,shaft.rate,e,i,load$' || fail "header of the table: $(head -n 2 m.csv)"
run 0 linearise "$models/quarter_car.lua" --about static -o m.json
[[ -s m.json ]] || fail "no matrices in m.json"
refused 'ends neither in .json nor in .csv' linearise "$models/dc_motor.lua" -o m.txt
refused 'exclude each other' linearise "$models/dc_motor.lua" --at 0.1 --about static

run 0 linearise "$models/dc_motor.lua" --at 0
has out 'linearised at t = 0 s' 'eigenvalues' 'damping'
refused "--at must not be negative, not '-1'" linearise "$models/dc_motor.lua" --at -1
refused 'exclude each other' linearise "$models/dc_motor.lua" --at 0 --about static

# The lowest modes of a chain of 600 bodies. (T17)
run 0 linearise "$models/../test/models/hanging_chain.lua" --modes 10
has out '20 states, 1 inputs, 3 outputs' 'mode10.rate' '3.76607'
refused 'need a state of rest' linearise "$models/heavy_top.lua" --modes 3

# A four-bar nearly straight: its crank hardly moves the rest. Digits: modes, which has other coordinates. (T11)
nearly=$models/../test/models/nearly_straight.lua
for pair in .02:71.529470 .01:98.413920 .005:136.376619 .002:212.409012; do
    run 0 linearise "$nearly" --about static --set "d=${pair%:*}" --json
    got=$(grep -oE '"eigenvalues":\[\[[^]]*' out | cut -d, -f2)
    awk -v got="$got" -v want="${pair#*:}" 'BEGIN { d = (got < 0 ? -got : got) - want; exit !(d <= 2e-6 && -d <= 2e-6) }' ||
        fail "eigenvalue of $pair: $got"
done

printf 't,load\n0,0.1\n0.5,0.2\n' >load.csv
run 0 run "$models/dc_motor.lua" --input load=load.csv
run 0 run "$models/dc_motor.lua" --input load=0
printf 't,load\n0,0.1\n0,0.2\n' >load.csv
refused 'times of its table must increase' run "$models/dc_motor.lua" --input load=load.csv
refused "the model has no input 'lode'; there are: load" run "$models/dc_motor.lua" --input lode=1
finish
