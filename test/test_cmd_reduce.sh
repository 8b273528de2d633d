#!/usr/bin/env bash
# polhode reduce: the table, JSON, files that are read back bit for bit, and mistakes.
# shellcheck source=test/program.bash
source "$(dirname "${BASH_SOURCE[0]}")/program.bash"

cat >rod.lua <<'END'
local rhoA = param("rhoA", 0.785)
flexible { name = "rod", interfaces = {tip = 10}, modes = {n = 4}, damping = {ratio = 0.01},
           beam = {from = {0, 0, 0}, to = {1, 0, 0}, n = 10, section = {EA = 2.1e7, GJ = 135, EI = 175},
                   mass = {rhoA = rhoA, rhoJ = 1.30833333e-5}} }
END
cat >two.lua <<'END'
for _, name in ipairs{"one", "two"} do
    flexible { name = name, modes = {n = 2}, beam = {from = {0, 0, 0}, to = {1, 0, 0}, n = 4,
               section = {EA = 2.1e7, GJ = 135, EI = 175}, mass = {rhoA = 0.785, rhoJ = 1.30833333e-5}} }
end
END

run 0 reduce rod.lua
has out "rod: 4 modes of 11 nodes, 66 degrees of freedom" "mass     0.785 kg" "52.4971" "329.004" "8 9 10 tip" "of all load cases"
run 0 reduce rod.lua --set rhoA=1.57
has out "mass     1.57 kg" "37.1211"
run 0 reduce rod.lua --json
is_json out
has out '"body":"rod"' '"omega":[52.4971' '"load_cases":48' '"nodes":11' '"name":"tip","position":[1,0,0]'

# Frequencies that are close: those of the body, although its modes are turned to move along y and z.
sed 's/EI = 175}/EI = {175, 176}}/; s/n = 10, section/n = 10, frame = {0, 1, 1}, section/' rod.lua >oval.lua
run 0 reduce oval.lua --json
ratio=$(grep -oE '"omega":\[[^]]*' out | cut -d'[' -f2 | awk -F, '{ printf "%.15g", ($2/$1)^2*175/176 }')
awk -v r="$ratio" 'BEGIN { d = r - 1; exit !(r != "" && d < 1e-9 && -d < 1e-9) }' || fail "close frequencies: $ratio" # reference: EI

# A file is what is read from it.
run 0 reduce rod.lua -o body.json
has out "wrote body.json"
tr -d '\n' <body.json >flat.json
is_json flat.json
echo 'flexible { name = "rod", file = "body.json" }' >again.lua
run 0 reduce again.lua -o again.json
cmp -s body.json again.json || fail "a body that is read is another one"
if [[ -n ${H5_TO_CSV:-} ]]; then
    run 0 reduce rod.lua -o body.h5
    echo 'flexible { name = "rod", file = "body.h5" }' >again.lua
    run 0 reduce again.lua -o again.json
    cmp -s body.json again.json || fail "a body of HDF5 is another one"
    sleep 1.1 # times have seconds
    run 0 reduce rod.lua -o later.h5
    cmp -s body.h5 later.h5 || fail "the same body has other bytes a second later"
    (ulimit -f 4 && "$polhode" reduce rod.lua -o full.h5 >out 2>err)
    [[ $? == 2 && ! -e full.h5 ]] || fail "a full disk: $(cat err)"
    complains "cannot write 'full.h5'" "a full disk"
    echo 'flexible { name = "rod", file = "body.h5", omega = {0, 0, 1} } run { t_end = 1, h = 1e-3 }' >long.lua
    (ulimit -f 4 && "$polhode" run long.lua -o full.h5 --quiet >out 2>err) # after HDF5 was used to read
    [[ $? == 2 && ! -e full.h5 ]] || fail "a full disk, of a run: $(cat err)"
    complains "cannot write 'full.h5'" "a full disk, of a run"
    head -c 4000 body.h5 >cut.h5
    echo 'flexible { name = "rod", file = "cut.h5" }' >cut.lua
    refused "cut.h5' cannot be read as HDF5" reduce cut.lua
    echo 'flexible { name = "rod", file = "body.json.h5" }' >cut.lua
    cp body.json body.json.h5
    refused "cannot be read as HDF5" reduce cut.lua
else
    refused "this program was built without HDF5; a name that ends in .json works" reduce rod.lua -o body.h5
fi

# One of several bodies.
refused "there are 2 flexible bodies; --body says which" reduce two.lua
run 0 reduce two.lua --body two
has out "two: 2 modes"
refused "no flexible body 'tow'; did you mean 'two'?" reduce two.lua --body tow
refused "there is no flexible body" reduce "$models/pendulum.lua"
refused "cannot write '/nowhere/body.json'" reduce rod.lua -o /nowhere/body.json

# A frozen model has the body, and runs as the model does.
cat >>rod.lua <<'END'
run { t_end = 0.01, h = 1e-3 }
END
run 0 freeze rod.lua -o frozen.json
run 0 run rod.lua --json
sed -E 's/"wall_s":[^,}]*//g; s/"model":[^,]*//; s/"cost[^}]*//' out >first
run 0 run frozen.json --json
sed -E 's/"wall_s":[^,}]*//g; s/"model":[^,]*//; s/"cost[^}]*//' out >second
cmp -s first second || fail "a frozen model runs differently"

# References that are kept know the body, whose file may change where the model does not.
cat >kept.lua <<'END'
flexible { name = "rod", file = "body.json", omega = {0, 0, 1} }
run { t_end = 0.001, h = 1e-4 }
END
export POLHODE_CACHE=$PWD/kept
run 0 reduce rod.lua -o body.json
run 0 run kept.lua --reference exact
run 0 reduce rod.lua --set rhoA=1.57 -o body.json
run 0 run kept.lua --reference exact
[[ $(find kept -type f | wc -l) == 2 ]] || fail "$(find kept -type f | wc -l) references of two bodies"

finish
