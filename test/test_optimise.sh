#!/usr/bin/env bash
# polhode optimise: known optima, parameters found again from data, bounds, the log, and what is refused.
# shellcheck source=test/program.bash
source "$(dirname "${BASH_SOURCE[0]}")/program.bash"

value() { # NAME...: the number behind these names, each after the one before
    local text name
    text=$(cat out)
    for name in "$@"; do
        text=${text#*"\"$name\":"}
    done
    [[ $text =~ ^([0-9eE.+-]+) ]] && echo "${BASH_REMATCH[1]}"
}

near() { # WHAT TOLERANCE A B: relative
    awk -v tol="$2" -v a="$3" -v b="$4" 'BEGIN { d = (a - b)/b; exit !(a != "" && d <= tol && -d <= tol) }' || fail "$1: $3 instead of $4"
}

cp "$models"/*.lua "$models"/*.csv .
if ! "$polhode" optimise absorber.lua >/dev/null 2>err && grep -q 'needs NLopt' err; then
    echo 'this program was built without NLopt'
    exit 0
fi

# ---- optima -------------------------------------------------------------------------------------------------------
# reference: the force is linear in balance*radius, so that the load is a parabola through any three of its values
crank=(optimise balanced_crank.lua --vary balance --minimise load --json)
for b in 0 1 2; do
    run 0 sens balanced_crank.lua --param balance --set balance=$b --mode adjoint --json
    load[b]=$(value objectives load value)
done
best=$(awk -v a="${load[0]}" -v b="${load[1]}" -v c="${load[2]}" 'BEGIN { printf "%.12g", (3*a - 4*b + c)/(2*(a - 2*b + c)) }')
run 0 "${crank[@]}" --bounds balance=0:2
near 'balance' 1e-6 "$(value optimum balance)" "$best" # order: the tolerance, 1e-6 of the range
run 0 "${crank[@]}" --bounds balance=0:0.3
near 'at the bound' 1e-12 "$(value optimum balance)" 0.3 # round-off
run 0 optimise balanced_crank.lua --vary balance,radius --bounds radius=0.02:0.06,balance=0:2 --minimise load --json
near 'two parameters' 1e-5 "$(awk -v a="$(value optimum balance)" -v b="$(value optimum radius)" 'BEGIN { print a*b }')" "$(awk -v b="$best" 'BEGIN { print 0.06*b }')"

# ordering: no neighbour is better
run 0 optimise absorber.lua --vary k,d --bounds k=100:1000,d=1:50 --minimise vibration --json -o trials.csv
least=$(value value) k=$(value optimum k) d=$(value optimum d)
awk -v a="$least" -v b="$(value first)" 'BEGIN { exit !(a > 0 && a < b/3) }' || fail "vibration: $least"
for change in '1.02 1' '0.98 1' '1 1.1' '1 0.9'; do
    read -r fk fd <<<"$change"
    run 0 sens absorber.lua --param k --set k="$(awk "BEGIN { print $k*$fk }")" --set d="$(awk "BEGIN { print $d*$fd }")" --mode adjoint --objective vibration --json
    awk -v a="$(value objectives vibration value)" -v b="$least" 'BEGIN { exit !(a > b) }' || fail "better at $change"
done
grep -q '^evaluation,k,d,vibration,gradient' trials.csv || fail "table: $(head -n 5 trials.csv)"

# ---- what a sensor comes to ---------------------------------------------------------------------------------------
# reference: x = p t, and the integral of (x - 3 t)^2 is least for p = 3
cat >throw.lua <<'EOF'
local p = param("p", 1)
particle { name = "ball", mass = 2, position = {0, 0, 0}, velocity = {p, 0, 0} }
sensor { name = "miss", custom = function(t, s) return (s.ball.position.x - 3*t)^2 end, over_time = "integral" }
sensor { name = "end", type = "position", body = "ball" }
run { h = 0.01, t_end = 1 }
EOF
run 0 optimise throw.lua --vary p --bounds p=0:5 --minimise miss --x-tol 1e-9 --json
near 'integral of a sensor' 1e-7 "$(value optimum p)" 3
run 0 optimise throw.lua --vary p --bounds p=0.5:5 --minimise end.1 --json
near 'a sensor at the end' 1e-12 "$(value optimum p)" 0.5
run 0 sweep throw.lua --vary p=2:4:3 --json
grep -q '"miss"' out || fail "sweep without what a sensor comes to: $(cat out)"

# ---- identification -----------------------------------------------------------------------------------------------
# reference: the data are a run with m = 15, J = 0.4
fit=(optimise heavy_top_fit.lua --vary "m,J" --bounds "m=5:30,J=0.25:0.8" --minimise fit --x-tol 1e-9 --json)
run 0 "${fit[@]}"
near 'm' 1e-6 "$(value optimum m)" 15
near 'J' 1e-6 "$(value optimum J)" 0.4
cp out whole
# round-off: the model gives its own data back
run 0 sens heavy_top_fit.lua --param m --set m=15 --set J=0.4 --json
awk -v a="$(value objectives fit value)" 'BEGIN { exit !(a != "" && a < 1e-28) }' || fail "fit at the truth: $(value objectives fit value)"
# order: between the rows a cubic
run 0 sens heavy_top_fit.lua --param m --set m=15 --set J=0.4 --h 1e-3 --json
awk -v a="$(value objectives fit value)" 'BEGIN { exit !(a > 0 && a < 1e-6) }' || fail "fit between rows: $(value objectives fit value)"

# ---- the log ------------------------------------------------------------------------------------------------------
same() { # what was found, whoever computed it
    sed 's/"runs":[0-9]*//' "$1"
}
run 0 "${fit[@]}" --log fit.log --evaluations 8
[[ $(value runs) == 8 || $(value runs) == 7 ]] || fail "runs: $(value runs)"
grep -q '"reason":"all evaluations are used up"' out || fail "reason: $(cat out)"
first=$(value runs)
head -c -20 fit.log >torn && mv torn fit.log
run 0 "${fit[@]}" --log fit.log
cmp -s <(same out) <(same whole) || fail 'resumed, it ends elsewhere'
second=$(value runs)
cp whole out
((first + second == $(value runs) + 1)) || fail "$first runs, and $second resumed with one record torn; $(value runs) in all"
run 0 "${fit[@]}" --log fit.log
[[ $(value runs) == 0 ]] || fail "a complete log is not used: $(value runs) runs"
refused 'fit.log' "${fit[@]}" --log fit.log --h 1e-3
refused 'fit.log' "${crank[@]}" --bounds balance=0:2 --log fit.log
# A table of an input is known by what it has.
pushed 0.5 >pushed.lua
printf 't,u\n0,-1\n0.5,1\n' >push.csv
pushes=(optimise pushed.lua --vary m --bounds m=1:3 --minimise J --input u=push.csv --evaluations 3 --log push.log --quiet)
run 0 "${pushes[@]}"
run 0 "${pushes[@]}"
printf 't,u\n0,7\n0.5,-4\n' >push.csv
refused 'push.log' "${pushes[@]}"

# ---- words and pictures -------------------------------------------------------------------------------------------
run 0 optimise balanced_crank.lua --vary balance --bounds balance=0:0.3 --minimise load
grep -q 'balance = 0.3 (at its bound)' out || fail "summary: $(tail -n 3 out)"
if command -v gnuplot >/dev/null; then
    run 0 optimise balanced_crank.lua --vary balance --bounds balance=0:2 --minimise load --plot way.svg --quiet
    [[ -s way.svg && ! -s out ]] || fail 'no picture'
fi

# ---- what is refused ----------------------------------------------------------------------------------------------
good=(--vary balance --bounds balance=0:2 --minimise load)
refused 'needs --vary' optimise balanced_crank.lua
refused 'needs a model file' optimise heavy_top "${good[@]}"
refused "no objective or sensor 'weight'; there are: load" optimise balanced_crank.lua --vary balance --bounds balance=0:2 --minimise weight
refused "sensor 'end' has 3 numbers; say which one, as in end.1" optimise throw.lua --vary p --bounds p=0:5 --minimise end
refused "no parameter 'weight'" optimise balanced_crank.lua --vary weight --bounds weight=0:2 --minimise load
refused "those of 'radius' are missing" optimise balanced_crank.lua --vary balance,radius --bounds balance=0:2 --minimise load
refused 'is not a range' optimise balanced_crank.lua --vary balance --bounds balance=2:0 --minimise load
refused 'is not P=FROM:TO' optimise balanced_crank.lua --vary balance --bounds balance=2 --minimise load
refused 'is not P=FROM:TO of a parameter' optimise balanced_crank.lua --vary balance --bounds radius=0:1 --minimise load
refused 'begins with 0.2, which is outside' optimise balanced_crank.lua --vary balance --bounds balance=1:2 --minimise load
refused 'rkmk has no sensitivities' optimise heavy_top_fit.lua --vary m --bounds m=5:30 --minimise fit --method rkmk
refused 'has no exact derivatives; use differences of runs' optimise "$models/bouncing_ball.lua" --vary e --bounds e=0.5:1 --minimise z
if grep -q -e --mode err; then fail "optimise has no --mode: $(cat err)"; fi
refused 'no body has' optimise heavy_top_fit.lua --vary J --bounds J=0.1:0.5 --set J=0.235 --minimise fit
cat >drop.lua <<'EOF'
local x = param("x", 1)
body     { name = "b", mass = 1, inertia = {1, 1, 1}, velocity = {x, 0, 0} }
objective{ name = "J", integral = function(t, s) return math.sqrt(0.2 - s.b.position.x) end }
run      { t_end = 0.1, h = 1e-2 }
EOF
run 1 optimise drop.lua --vary x --bounds x=0.5:5 --minimise J
complains "drop.lua:3: objective 'J': what the function returns is not a number" optimise
[[ ! -s out ]] || fail "optimise prints although its objective failed"
grep -q '^polhode: at x = [234]' err || fail "where it failed: $(cat err)"
cat >gone.lua <<'EOF'
local m = param("m", 2)
body { name = "b", mass = m, inertia = {1, 1, 1} }
if m > 1.9 then objective { name = "J", final = function(s) return (m - 1)^2 end } end
run { t_end = 0.1, h = 1e-2 }
EOF
refused "at m = 0.5: gone.lua: --minimise: the model has no objective or sensor 'J'" optimise gone.lua --vary m --bounds m=0.5:3 --minimise J
sed 's/heavy_top_fit.csv/none.csv/' heavy_top_fit.lua >edited.lua
refused "objective 'fit': data: cannot read 'none.csv'" run edited.lua
sed '/^#/d; s/tip\.2/tap.2/' heavy_top_fit.csv >none.csv
refused "there is no column 'tip.2'" run edited.lua
awk -F, '/^#/ {next} NR > 2 && n++ == 5 {print last} {print; last = $0}' heavy_top_fit.csv >none.csv
refused 'times do not ascend' run edited.lua
refused 'data of the file cannot be frozen' freeze heavy_top_fit.lua
mkdir sub && cp heavy_top_fit.lua heavy_top_fit.csv sub && rm heavy_top_fit.csv
run 0 run sub/heavy_top_fit.lua --quiet

finish
