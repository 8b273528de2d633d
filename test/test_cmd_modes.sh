#!/usr/bin/env bash
# polhode modes: figures, JSON, tables over a parameter, pictures, exit codes, and mistakes.
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
has out "the initial state is no equilibrium"
run 0 modes "$models/slider_crank.lua" --about static
has out "unstable: grows by exp(7.071 t)"

# Over a parameter: the same bits for any number of processes; rows of every case.
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

# Mistakes.
run 2 modes "$models/pendulum.lua"
has err "not steady"
run 1 modes "$models/heavy_top.lua" --about static
has err "nothing holds body 'top'"
run 2 modes "$models/pendulum.lua" --about rest
has err "--about"
run 2 modes "$models/pendulum.lua" --plot x.svg
has err "--vary"
run 2 modes "$models/hanging_top.lua" --vary nothing=1:2:3
has err "is no parameter"
run 2 modes "$models/hanging_top.lua" -n 65
has err "-n"

finish
