#!/usr/bin/env bash
# polhode static: words, JSON, files, exit codes, and mistakes.
# shellcheck source=test/program.bash
source "$(dirname "${BASH_SOURCE[0]}")/program.bash"

# Rest of the pendulum: below its pivot, and the rod carries the weight.
run 0 static "$models/pendulum.lua"
has out "pendulum: equilibrium after 1 load step" "position                0              -1" "rod          force" "9.81"
run 0 static "$models/pendulum.lua" --json
has out '"status":"ok"' '"load_steps":1' '"iterations":' '"bodies":' '"joints":' '"sensors":' '"tension":[' '"force":['
cp out first
run 0 static "$models/pendulum.lua" -o rest.json
cmp -s first rest.json || fail "-o writes something else than --json prints"
run 0 static pendulum
has out "equilibrium after"
run 0 static "$models/double_pendulum.lua" --space SE3 --load-steps 4
has out "reached by relaxation"

# What nothing holds is named, with exit code 1; JSON has the reason.
run 1 static "$models/heavy_top.lua" --json
has err "polhode: nothing holds body 'top'"
has out '"status":"singular"' '"reason":"nothing holds body'
run 1 static "$models/free_body.lua"
[[ ! -s out ]] || fail "prints although there is no equilibrium"

# Mistakes.
run 2 static
run 2 static "$models/pendulum.lua" --load-steps 0
has err "--load-steps"
run 2 static "$models/pendulum.lua" -o /nowhere/rest.json
has err "cannot write"
run 2 static nothing.lua
[[ ! -s out ]] || fail "prints although the file is not there"

finish
