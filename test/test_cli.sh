#!/usr/bin/env bash
# The program as a user sees it: results, files, exit codes, and one clear line for every mistake.
# shellcheck source=test/program.bash
source "$(dirname "${BASH_SOURCE[0]}")/program.bash"

number() { # FILE KEY: the first one with this key
    grep -oE "\"$2\":-?[0-9.e+-]+" "$1" | head -n 1 | cut -d: -f2
}

# near FILE KEY TOLERANCE VALUES...: the array or number of that key
near() {
    local file=$1 key=$2 tol=$3 got
    shift 3
    checks=$((checks + 1))
    got=$(grep -oE "\"$key\":(\[[^]]*\]|-?[0-9.e+-]+)" "$file" | head -n 1 | cut -d: -f2 | tr -d '[]' | tr ',' ' ')
    awk -v got="$got" -v want="$*" -v tol="$tol" 'BEGIN {
        n = split(got, a, " "); m = split(want, b, " "); bad = n != m
        for (i = 1; i <= m; i++) { d = a[i] - b[i]; if (!(d <= tol && -d <= tol)) bad = 1 }
        exit bad }' || fail "$key is $got, not $* to $tol"
}

# ---- results ------------------------------------------------------------------------------------------------------

# reference: exact closed form in an independent prototype, x to 1e-10, Omega to 1e-9, lambda to 1e-5; heavy top at t = 0.1
discrete() {
    run 0 run heavy_top --t-end 0.1 --h 1e-3 --rho 0.9 --start plain --json "$@"
    is_json out
    has out '"status":"ok"' '"steps":100,' '"start":"plain"' '"model":"heavy_top"' '"space":"R3xSO3"'
}
discrete --sigma 0 --formulation index3
near out position 1e-10 0.4211028532432 0.8945951643833 -0.1495723198072
near out omega 1e-9 4.828376846137 150 1.022829806109
near out lambda 1e-5 -363.1577427535 -294.83569536 -213.6133712963
discrete --sigma 1 --formulation index3
near out position 1e-10 0.4212214121652 0.8945817222512 -0.1493186664406
discrete --sigma 0 --formulation ggl
near out position 1e-10 0.4205710568901 0.8949383900719 -0.1490143083127
for form in --formulation=ggl ''; do # which is the default
    discrete --sigma=1 $form
    near out position 1e-10 0.4211019575031 0.894660262658 -0.1491849717895
done

# invariant: what GGL enforces holds at every step
viol=$(grep -oE '"violation":\{[^}]*\}' out)
awk -v p="$(number <(echo "$viol") position)" -v v="$(number <(echo "$viol") velocity)" \
    'BEGIN { exit !(p <= 1e-13 && v <= 1e-11) }' || fail "GGL leaves a violation: $viol"

# the default does not ring where a drive has come to rest; reference: m g l cos(0.5), index-3 is off by 0.03
cat >dwell.lua <<'EOF'
model "dwell"
gravity {0, 0, -9.81}
body  { name = "arm", mass = 1, inertia = {0.01, 0.01, 0.01}, position = {0.3, 0, 0} }
local function rise(t)
    local u = math.min(t / 0.1, 1)
    return 0.5 * u ^ 3 * (10 - 15 * u + 6 * u ^ 2)
end
joint { name = "hinge", type = "revolute", bodies = {"ground", "arm"}, at = {0, 0, 0}, axis = {0, -1, 0}, drive = rise }
run   { t_end = 0.2, h = 1e-3 }
EOF
run 0 run dwell.lua --json
has out '"formulation":"ggl"'
torque=$(grep -oE '"torque":\[[^]]*\]' out | cut -d, -f2)
awk -v M="$torque" 'BEGIN { d = M + 0.3 * 9.81 * cos(0.5); exit !(M && d * d < 1e-8) }' || fail "torque of a dwell: $torque"

# Steps by tolerance: errors of some tol; a grid; bounds; times that steps end at; a drive from rest
exact='0.421296658925402 0.894571974345593 -0.149164700561900'
for form in index3 index2 ggl; do
    run 0 run heavy_top --formulation $form --tol 1e-4 --t-end 0.1 --json
    has out '"steps":{"accepted":' '"rejected":' '"h_min":' '"h_max":' '"tol":'
    near out t 0 0.1
    near out position 1e-3 $exact
    run 0 run heavy_top --formulation $form --tol 1e-4 --h 0.01 --t-end 0.1 -o grid.csv
    has out ' rejected'
    [ "$(grep -vc '^#' grid.csv)" = 12 ] || fail "rows of a grid"
done
for order in 2 3 4; do
    run 0 run heavy_top --method bliedf --order $order --tol 1e-4 --t-end 0.1 --json
    has out '"name":"bliedf"' '"steps":{"accepted":' '"tol":'
    near out position 1e-3 $exact
done
run 1 run heavy_top --tol 1e-7 --h-min 0.01
has err 'h_min = 0.01 allows no smaller ones'
run 0 run heavy_top --tol 1e-2 --h-max 1e-3 --t-end 0.1 --json
near out h_max 1e-9 1e-3
cat >corner.lua <<'END'
model "corner"
particle { name = "p", mass = 2, position = {0, 0, 0} }
force { name = "f", body = "p", value = function(t, s) return {t < 0.3 and 0 or 4, 0, 0} end }
run { t_end = 1, tol = 1e-3, nonsmooth = {0.3} }
END
run 0 run corner.lua -o corner.csv --json
grep -q '^0.3,' corner.csv || fail "no step ends where the force begins"
near out position 1e-9 0.49 0 0
cat >rest.lua <<'END'
model "drive from rest"
body { name = "arm", mass = 1, inertia = {0.1, 0.1, 0.1}, position = {0.5, 0, 0} }
joint { name = "hinge", type = "revolute", bodies = {"ground", "arm"}, at = {0, 0, 0}, axis = {0, 0, 1},
        drive = function(t) return t - math.sin(t) end }
run { t_end = 1, tol = 1e-3 }
END
run 0 run rest.lua --json

# Runge-Kutta; reference: Taylor series with 40 digits, heavy top at t = 0.1
exact='0.421296658925402 0.894571974345593 -0.149164700561900'
run 0 run heavy_top --method rkmk --tableau 'Prince-Dormand 8' --h 1e-3 --t-end 0.1 --json
has out '"name":"rkmk"' '"tableau":"dopri8"' '"formulation":"index1"' '"steps":100,'
near out position 1e-13 $exact
run 0 run heavy_top --method rkmk --tol 1e-9 --t-end 0.1 --json
has out '"tableau":"dopri5"' '"steps":{"accepted":'
near out tol 1e-20 1e-9
near out t 0 0.1
near out position 1e-8 $exact
run 0 run heavy_top --method rkmk --tableau radauIIA-3 --tol 1e-9 --h 0.01 --t-end 0.1 --json
has out '"tableau":"radau3"' '"rejected":' '"h_min":' '"h_max":'
near out position 1e-8 $exact
run 0 run heavy_top --method rkmk --tol 1e-9 --t-end 0.1
has out 'steps of ' 'rejected'
cat >tableau.lua <<'END'
model "disc"
gravity {0, 0, 0}
body { name = "b", mass = 1, inertia = {1, 2, 3}, omega = {0.1, 2, 0.1} }
run { method = "rkmk", tableau = "Gauss-2", h = 0.01, t_end = 0.1 }
END
run 0 run tableau.lua --json
has out '"tableau":"gauss2"'
run 0 cite tableau.lua
has out 'Munthe-Kaas' 'Butcher'
run 0 list tableaux
has out 'dopri5' 'gauss6' 'sdirk3'
refused "did you mean 'dopri5'" run heavy_top --method rkmk --tableau dopri
refused 'there are: euler' run heavy_top --method rkmk --tableau xyz
refused 'no error control' run heavy_top --method linear-alpha --tol 1e-6
refused 'loses an order in the multipliers of index-3' run heavy_top --method bliedf --formulation index3 --tol 1e-6
run 1 run heavy_top --method rkmk --tableau rk4 --h 0.1
has err 'smaller step'
# Explicit stages solve nothing: no report has settings of Newton's method, and JSON keeps its counts, which are 0.
! grep -qi 'newton' out || fail "Newton's method of a failed explicit run: $(cat out)"
run 0 run heavy_top --method rkmk --tableau rk4 --h 1e-3 --t-end 0.01 -o explicit.csv
! grep -qi 'newton' out explicit.csv || fail "Newton's method of an explicit run: $(cat out)"
has out 'rkmk, rk4, index1, block solver' ' s in all'
run 0 run heavy_top --method rkmk --tableau rk4 --h 1e-3 --t-end 0.01 --json
! grep -q '"newton":"\|"atol"\|"rtol"' out || fail "settings of Newton's method of an explicit run: $(cat out)"
has out '"newton":{"iterations":0,"jacobians":0,"factorizations":0,"max_per_step":0}'
run 0 run heavy_top --method rkmk --tableau radau2 --h 1e-3 --t-end 0.01 --json
has out '"newton":"step","atol":0,"rtol":' '"newton":{"iterations":'

# sigma = opt is gamma/(3 beta): for rho = 0.9, gamma = 21/38 and beta = 400/1444
run 0 run heavy_top --t-end 0.01 --sigma opt --json
near out sigma 1e-15 "$(awk 'BEGIN { printf "%.17g", (21 / 38) / (3 * 400 / 1444) }')"

# the nearest h that divides t_end
run 0 run heavy_top --t-end 0.1 --h 0.0003 --json
has out '"steps":333,' '"t":0.10000000000000001,'
near out h 1e-18 "$(awk 'BEGIN { printf "%.17g", 0.1 / 333 }')"
run 0 run heavy_top --t-end 0.001 --h 5 --json
has out '"steps":1,'
for case in '0.0007 2' '0.00072 2' '0.00076 1' '0.00041 3' '0.00042 2' '0.0005 2' '0.0001 10'; do # |t_end/n - h| least
    run 0 run heavy_top --t-end 0.001 --h "${case% *}" --json
    has out "\"steps\":${case#* },"
done

# every problem runs, and says so in JSON with a finite error where there is an exact solution
problems=$("$polhode" list problems | awk '{print $1}')
[[ $(wc -w <<<"$problems") -ge 14 ]] || fail "list problems: $problems"
for p in $problems; do
    run 0 run "$p" --t-end 0.002 --json
    is_json out
    has out "\"model\":\"$p\"" '"bodies":{' '"joints":{' '"violation":{' '"wall_s":'
done
# order: the world velocities of SE3 and R3xSO3 differ by the error of the method, 1e-2 at h = 1e-3
run 0 run heavy_top_se3 --t-end 0.01 --h 1e-4 --json
mv out se3
run 0 run heavy_top_r3xso3 --t-end 0.01 --h 1e-4 --json
near se3 velocity 1e-3 "$(grep -oE '"velocity":\[[^]]*' out | head -n 1 | cut -d'[' -f2 | tr ',' ' ')"
near se3 acceleration 1e-1 "$(grep -oE '"acceleration":\[[^]]*' out | head -n 1 | cut -d'[' -f2 | tr ',' ' ')"

# names of bodies and joints
run 0 run chain --size 3 --t-end 0.01 --json
has out '"b1":{' '"b3":{' '"j1":{' '"j3":{'
run 0 run heavy_top --t-end 0.01 --set x=16 --solver klu --newton modified --json
has out '"top":{' '"pivot":{' '"solver":"klu"' '"newton":"modified"'

# exact: the same numbers every time, with a file and without, apart from the clock
clock='s/"wall_s":[^,]*//'
run 0 run heavy_top --json && sed "$clock" out >first
run 0 run heavy_top --json && sed "$clock" out >second
run 0 run heavy_top --json -o same.csv && sed "$clock" out >third
cmp -s first second || fail "two runs differ"
cmp -s first third || fail "a run with a file differs"

# text
run 0 run heavy_top --t-end 0.1
has out 'heavy_top: genalpha, sigma 1, rho 0.9, ggl' 'after 100 steps' 'cost' 'violation' 'energy' 'error' 'pivot'
[[ ! -s err ]] || fail "progress although stderr is not a terminal"
run 0 run heavy_top --t-end 0.1 --quiet
[[ ! -s out ]] || fail "--quiet prints"

# the parameters of a run
run 0 run "$models/heavy_top.lua" --t-end 0.001 --set m=16 --json
has out '"parameters":{"m":16'
run 0 run "$models/heavy_top.lua" --t-end 0.001 -o once.csv
[[ $(grep -v '^#' once.csv | head -n 1 | tr ',' '\n' | sort | uniq -d) == '' ]] || fail "names twice: $(grep -v '^#' once.csv | head -n 1)"
has once.csv 'energy [J]'
[[ $(grep -v '^#' once.csv | awk -F, '{ print NF }' | sort -u | wc -l) == 1 ]] || fail "rows and names differ"

# bad input is an answer too
for command in 'run no.lua' 'check no.lua' 'sens no.lua --param m' 'sweep no.lua --vary m=1' 'converge no.lua --h 0.1' \
    'work no.lua --h 0.1' 'transient no.lua' 'static no.lua' 'modes no.lua' 'reduce no.lua' 'stability no.lua --about-spin'; do
    # shellcheck disable=SC2086
    refused 'no.lua' $command --json
    has out '"reason":"no.lua: No such file'
done
refused '--h' run heavy_top --h -1 --json
refused "there is no benchmark 'zz'" bench zz --json

# ---- numerical failure --------------------------------------------------------------------------------------------

run 1 run heavy_top --h 0.1 --halvings 0 --json -o failed.csv
is_json out
has out '"status":"newton_failed"' '"t":' '"reason":"' '"culprits":[{' '"residual":'
[[ $(grep -oE '"(body|joint)":"[^"]*"' out | sort | uniq -d | wc -l) == 0 ]] || fail "the same culprit twice: $(cat out)"
[[ $(wc -l <err) == 1 ]] || fail "not one line: $(cat err)"
[[ $(tail -n 1 failed.csv) == "# failure t = "* ]] || fail "the file of a failed run does not say so"
printf 'particle { name = "p", mass = 1 }\nstate { name = "z", initial = 1, rate = function(t, s) return 1e3*s.states.z^3 end }\nrun { t_end = 1, h = 0.1 }\n' >blow.lua
run 1 run blow.lua --json --halvings 0
has out '"culprits":[{"state":"z",'
run 1 run heavy_top --h 0.5 --halvings 0
has out 'no step was done; 22 Newton iterations in the first'
! grep -q 'at most 0\|nan' out || fail "a failed first step: $(cat out)"
run 1 run heavy_top --h 0.02 --formulation index3 --halvings 0
has out 'did not reach its end'

# A step that fails is divided; the summary, JSON and the notes say so. 0 ends the run; studies of order never divide.
marbles="$models/../test/models/marbles.lua"
run 0 run "$marbles" --t-end 0.15
has out ' was divided, the smallest 0.000' ' s, first at t = 0.1'
run 0 run "$marbles" --t-end 0.15 --json
is_json out
has out '"divided":{"steps":1,"smallest":' '"first_t":0.1'
run 0 run heavy_top --h 0.01 --t-end 0.02 --json
if grep -q divided out; then fail "a run without divided steps: $(cat out)"; fi
run 1 run "$marbles" --t-end 0.15 --halvings 0
has err 'use a smaller step'
run 0 sweep "$marbles" --t-end 0.15 --vary h=1e-3,5e-4
has out 'newton_failed'
refused "halvings = 10 is not between 0 and 9" run "$marbles" --halvings 10
refused "'-1' is outside 0 to" run "$marbles" --halvings -1
run 0 run heavy_top --h 0.1
has err 'of 10 steps were divided: h = 0.1 s is too large'

# ---- files --------------------------------------------------------------------------------------------------------

run 0 run heavy_top --formulation index3 --t-end 0.1 -o top.csv
has out '101 rows in top.csv'
[[ $(grep -c '^#' top.csv) -ge 3 && $(head -n 1 top.csv) == "# polhode "* ]] || fail "no comments: $(head -n 3 top.csv)"
[[ $(grep -v '^#' top.csv | head -n 1) == "t [s],top.x [m],top.y [m],top.z [m],top.qw [1],"*"pivot.lambda3 [SI],energy [J]" ]] ||
    fail "header: $(grep -v '^#' top.csv | head -n 1)"
grep -v '^#' top.csv | awk -F, 'NR == 1 { n = NF } NF != n { bad = 1 } END { exit bad || NR != 102 }' || fail "shape of top.csv"
[[ $(tail -n 1 top.csv | cut -d, -f1) == 0.1* ]] || fail "top.csv does not end at t = 0.1"
# reference: eta of the stabilised form at t = 0.1, of an independent prototype to 1e-10; index-3 has none
run 0 run heavy_top_r3xso3 --formulation ggl --sigma 0 --rho 0.9 --start plain --h 1e-3 --t-end 0.1 -o eta.csv
has eta.csv 'lambda3 [SI],' '.eta1 [SI],' '.eta3 [SI],energy [J]'
tail -n 1 eta.csv | awk -F, '{
    d = ($(NF - 3) + 0.006162737156998)^2 + ($(NF - 2) - 0.003690488925559)^2 + ($(NF - 1) - 0.004866801491325)^2
    exit !(d < 1e-20) }' || fail "eta: $(tail -n 1 eta.csv)"
! grep -q '\.eta1' top.csv || fail "index-3 has no eta"
run 0 run heavy_top --t-end 0.1 --formulation index3 --every 30 -o some.csv
[[ $(grep -cv '^#' some.csv) == 6 ]] || fail "--every 30 of 100 steps: header, 0, 30, 60, 90, 100"
cmp -s <(tail -n 1 some.csv) <(tail -n 1 top.csv) || fail "--every changes the last row"
run 0 run pendulum -o plane.csv
has plane.csv 'bob.q1 [SI],bob.q2 [SI]'

# Links are followed, devices written to, a file that exists is replaced only as a whole.
ln -s top.csv link.csv
run 0 run heavy_top --t-end 0.001 -o link.csv
[[ -L link.csv && $(grep -cv '^#' top.csv) == 3 ]] || fail "a link is not followed"
run 0 run heavy_top --t-end 0.001 --quiet -o /dev/stdout
[[ $(grep -cv '^#' out) == 3 ]] || fail "/dev/stdout"
run 0 run heavy_top --t-end 0.001 -o -
[[ $(grep -cv '^#' out) == 3 && $(head -n 1 out) == '# polhode '* && $(wc -l <err) == 0 ]] || fail "-o -: $(cat out err)"
[[ $(echo before >all && "$polhode" run heavy_top --t-end 0.001 -o /dev/stdout >>all && grep -cv '^#' all) == 4 ]] ||
    fail "-o /dev/stdout replaces the file: $(cat all)"
run 0 transient heavy_top --steps 5 -o -
[[ $(grep -cv '^#' out) == 7 ]] || fail "a table to stdout: $(cat out)"
refused "'-' and --json are both for standard output" run heavy_top -o - --json
for name in x.txt x.csv.gz x.mat x; do
    refused "-o: '$name': no format has this ending; there are .csv, .h5 and .hdf5" run heavy_top --t-end 0.001 -o $name
    refused "-o: '$name': the table is written as CSV" transient heavy_top -o $name
    [[ ! -e $name ]] || fail "$name was written"
done
[[ -c /dev/null ]] && run 0 run heavy_top --t-end 0.001 --quiet -o /dev/null
[[ -c /dev/null ]] || fail "/dev/null is gone"

# started FILE: a long run that writes FILE; returns when something is on the disk
started() {
    "$polhode" run chain --size 20 --t-end 5000 --quiet -o "$1" >out 2>err </dev/null &
    pid=$!
    for _ in $(seq 200); do
        [[ -n $(find . -name "$1.part*" -size +0) ]] && return
        sleep 0.02
    done
    fail "no temporary file within 4 s"
}
echo old >kept.csv
started kept.csv
kill -9 "$pid"
wait "$pid" 2>/dev/null
[[ $(cat kept.csv) == old ]] || fail "kill -9: the old file has changed"
started fresh.csv
kill -9 "$pid"
wait "$pid" 2>/dev/null
[[ ! -e fresh.csv ]] || fail "kill -9: half a file"
rm -f ./*.part*
started fresh.csv
kill -TERM "$pid"
wait "$pid" 2>/dev/null
code=$?
[[ $code == 143 ]] || fail "SIGTERM: exit code $code"
# what was computed so far is kept, whole rows of it, and the last line says that it is not all
rows=$(grep -cv '^#' fresh.csv)
((rows > 2)) || fail "SIGTERM: $rows rows"
[[ $(grep -v '^#' fresh.csv | awk -F, '{ print NF }' | sort -u | wc -l) == 1 ]] || fail "SIGTERM: half a row"
[[ $(tail -n 1 fresh.csv) == '# failure interrupted at t = '*'rows so far are in '* ]] || fail "SIGTERM: $(tail -n 1 fresh.csv)"
has err "interrupted at t = " "the $((rows - 1)) rows so far are in 'fresh.csv'" 'the same command runs it anew'
[[ -z $(find . -name 'fresh*part*') ]] || fail "SIGTERM leaves $(find . -name 'fresh*')"
timeout -s INT 1 "$polhode" run chain --size 20 --t-end 5000 --json -o ctrl_c.csv >out 2>err </dev/null
code=$?
[[ $code == 124 || $code == 130 ]] || fail "SIGINT: exit code $code"
is_json out
has out '"status":"stopped"' '"reason":"interrupted at t = '
timeout --preserve-status -s INT 1 "$polhode" run chain --size 20 --t-end 5000 --quiet -o ctrl_c.csv >out 2>err </dev/null
code=$?
[[ $code == 130 ]] || fail "SIGINT: exit code $code"

# A reader that goes away, a closed or full stdout.
for to in '-o -' --json; do
    # shellcheck disable=SC2086 # words of their own
    "$polhode" run chain --size 2000 --t-end 0.001 $to 2>err | head -c 10 >/dev/null
    code=${PIPESTATUS[0]}
    [[ $code != 0 && ! -s err ]] || fail "closed pipe: exit code $code, $(cat err)"
done
"$polhode" list >&- 2>err
[[ $? == 2 && $(wc -l <err) == 1 ]] || fail "closed stdout: $(cat err)"
"$polhode" run heavy_top --t-end 0.001 -o closed.csv >&- 2>err
[[ $? == 2 && $(grep -cv '^#' closed.csv) == 3 ]] || fail "closed stdout: the summary is in the file"
if [[ -c /dev/full ]]; then
    "$polhode" list >/dev/full 2>err
    [[ $? == 2 && $(wc -l <err) == 1 ]] || fail "full stdout: $(cat err)"
    refused "cannot write '/dev/full'" run heavy_top -o /dev/full
fi

# time histories: of each sensor, by unit; of a run that fails as far as it went; of long ones some points
refused '.svg or .png' run heavy_top --plot a.gif
if command -v gnuplot >/dev/null; then
    run 0 run "$models/heavy_top.lua" --plot history.svg --quiet
    has history.svg '<svg' 't [s]' 'tip [m]' 'reaction [N]' 'reaction [N m]' 'energy − 5435.7 [J]' '>x<' '>y<' '>z<' '0 but for round-off'
    grep -qF 'component' history.svg && fail "components without names"
    grep -qF '>h [s]<' history.svg && fail "steps of one size need no panel"
    run 0 run "$models/heavy_top.lua" --tol 1e-3 --plot steps.svg --quiet
    has steps.svg 'h [s]' 'tip [m]'
    # what is small beside other numbers, and smooth, is a signal
    cat >small.lua <<'END'
model "small"
body  { name = "a", mass = 1, inertia = {1, 1, 1}, velocity = {1, 0, 0} }
sensor{ name = "large", custom = function(t) return 1000 * math.cos(t) end }
sensor{ name = "small", custom = function(t) return 1e-10 * math.sin(5 * t) end }
gravity{0, 0, 0}
run   { t_end = 1, h = 1e-2 }
END
    run 0 run small.lua --plot small.svg --quiet
    grep -qF 'round-off' small.svg && fail "a smooth signal is no round-off"
    # panels that are chosen, and numbers over each other
    # A nearly constant axis has an offset; panels of nothing but zeros are not there, unless they are asked for.
    cat >steady.lua <<'END'
model "steady"
body { name = "a", mass = 1, inertia = {1, 1, 1}, position = {1000.25, 0, 0}, velocity = {1e-4, 0, 0} }
sensor { name = "way", custom = function(t, s) return s.a.position.x end }
sensor { name = "turn", type = "omega", body = "a" }
run { t_end = 1, h = 0.01 }
END
    run 0 run steady.lua --plot steady.svg --quiet
    has steady.svg "way − 1000.25"
    if grep -q "turn" steady.svg; then fail "a panel of zeros"; fi
    run 0 run steady.lua --sensor turn --plot asked.svg --quiet
    has asked.svg "turn"
    run 0 run "$models/heavy_top.lua" --t-end 0.1 --sensor energy --plot-xy tip.x,reaction.3 --plot-xy energy,tip.2 --plot xy.svg --quiet
    has xy.svg 'energy' 'tip.x [m]' 'reaction.z [N]' 'tip.y [m]'
    grep -qF 'tip [m]' xy.svg && fail "--sensor: a panel that was not asked for"
    run 0 run "$models/spin_up.lua" --t-end 0.01 --sensor u,root --plot names.svg --quiet
    has names.svg '>1, x<' '>2, y<' '>z<'
    sensor='the model has no sensor'
    refused "--sensor: $sensor 'tap'" run "$models/heavy_top.lua" --sensor tap --plot x.svg
    refused "--plot-xy: $sensor 'tap.x'" run "$models/heavy_top.lua" --plot-xy tip.x,tap.x --plot x.svg
    refused "sensor 'tip' has 3 numbers: say which, as in tip.x" run "$models/heavy_top.lua" --plot-xy tip.x,tip.w --plot x.svg
    refused "sensor 'tip' has 3 numbers" run "$models/heavy_top.lua" --plot-xy tip,tip.x --plot x.svg
    refused "is not of the form A,B" run "$models/heavy_top.lua" --plot-xy tip.x --plot x.svg
    refused "--sensor: $sensor 'a'" run heavy_top --sensor a --plot x.svg
    run 0 run heavy_top --t-end 0.1 --h 1e-5 --plot long.svg
    has long.svg 'top, position [m]' 'pivot, lambda [SI]'
    [[ $(wc -c <long.svg) -lt 400000 ]] || fail "a picture of all 10000 steps: $(wc -c <long.svg) bytes"
    run 1 run heavy_top --h 0.5 --halvings 0 --t-end 1 --plot failed.png
    [[ $(head -c 4 failed.png | tail -c 3) == PNG ]] || fail "no picture of a run that failed"
    run 0 run chain --size 20 --t-end 0.01 --plot chain.svg
    complains 'note: the picture shows the first 12 of' "many panels"
    cat >sensors.lua <<'END'
body { name = "a", mass = 1, inertia = {1, 2, 3}, omega = {1, 2, 3}, velocity = {1, 0, 0} }
for i = 1, 14 do sensor { name = "s" .. i, type = "position", body = "a", at = {i, 0, 0} } end
run { t_end = 0.5, tol = 1e-3 }
END
    run 0 run sensors.lua --plot sensors.svg # sizes of steps are worth a panel
    complains 'note: the picture shows the first 12 of 15 panels' "many sensors and sizes of steps"
    has sensors.svg '>s11 [m]<' '>h [s]<'
    ! grep -qF '>s12 [m]<' sensors.svg || fail "13 panels"
fi
refused 'chooses what --plot draws' run "$models/heavy_top.lua" --sensor tip
refused 'chooses what --plot draws' run "$models/heavy_top.lua" --plot-xy tip.x,tip.y

# what is written is none of what is read, and no two of them are one file
cp "$models/heavy_top.lua" mine.lua
run 0 run mine.lua --t-end 0.1 -o mine.csv --quiet
ln -s mine.lua way.csv
for args in "run mine.lua -o mine.lua" "run mine.lua -o way.csv" "freeze mine.lua -o ./mine.lua"; do
    # shellcheck disable=SC2086 # several words
    refused '-o and the model are the same file' $args
done
cmp -s mine.lua "$models/heavy_top.lua" || fail "the model was written over"
for args in 'run mine.lua --save mine.lua' 'compile mine.lua --fmu mine.lua'; do
    # shellcheck disable=SC2086 # words of their own
    refused "and the model are the same file, 'mine.lua'" $args
done
refused "-o and --save are the same file, 's.csv'" run mine.lua --t-end 0.01 -o s.csv --save s.csv
printf 't,u\n0,1\n1,2\n' >table.csv
refused "-o and --input are the same file, 'table.csv'" run mine.lua -o table.csv --input u=table.csv
refused '-o and --reference are the same file' converge mine.lua --h 2e-3,1e-3 --t-end 0.1 --reference mine.csv -o mine.csv
refused "-o and --plot are the same file, 'both'" converge mine.lua --h 2e-3,1e-3 --t-end 0.1 -o both --plot both
run 0 run pendulum -o pendulum.csv --quiet # a file that has the name of a built-in problem
run 0 converge pendulum --h 0.02,0.01 -o /dev/null --reference exact --quiet
for ending in h5 json svg lua; do
    refused "the table is written as CSV" converge pendulum --h 0.02,0.01 -o "table.$ending"
    refused "the table is written as CSV" sweep pendulum --vary h=0.02,0.01 -o "table.$ending"
done

# ---- manual and completions ----------------------------------------------------------------------------------------

run 0 help --man
has out '.TH "POLHODE" 1' '.SS Simulate' '.B run ' 'polhode-sweep (1)'
run 0 help run --man
has out '.TH "POLHODE-RUN" 1' '.B \-\-formulation' 'index3|index2|ggl'
run 0 help --completion zsh
has out '#compdef polhode' 'run:--formulation) values="index3 index2 ggl"'
run 0 help --completion bash
completed() { # EXPECTED WORD...: the last word is completed to what is expected
    local expected=$1 got
    shift
    got=$(bash -c 'source out; COMP_WORDS=(polhode "$@"); COMP_CWORD=$#; _polhode; echo "${COMPREPLY[*]}"' - "$@")
    [[ $got == "$expected" ]] || fail "polhode $* is completed to '$got'"
}
completed sweep sw
completed --formulation run --form
completed 'index3 index2' run --formulation i
completed '' list --form
completed 'static stability' help st

# ---- other commands -----------------------------------------------------------------------------------------------

run 0 bench heavy_top --repeats 1 --json
is_json out
has out '"heavy_top":{"us_per_step":' '"newton_per_step":' '"error":' '"heavy_top_ggl":{'
near out error 3e-4 5.08e-3 # reference: 5 % of an independent prototype
cp out times.json
run 0 bench heavy_top --repeats 1 --compare times.json --json
has out '"ratio":'
sed -i 's/"us_per_step":[^,]*/"us_per_step":1e-9/' times.json # a run of before that took no time
run 0 bench heavy_top --repeats 1 --compare times.json
awk '$1 == "heavy_top" && $3 > 1e6 {n++} END {exit n != 1}' out || fail 'bench --compare does not divide by what is stored'
refused "cannot read 'none.json'" bench heavy_top --compare none.json
echo 1 >one.json
refused "is not what 'polhode bench --json' writes" bench heavy_top --compare one.json
run 0 bench chain_10 --repeats 1
has out 'us/step' 'chain_10 '
run 0 bench chain_100 --repeats 1 --json
has out '"chain_100":{' '"us_per_body_step":'
run 0 list
has out genalpha klu so3 cardan heavy_top bench --sigma
for table in joints forces sensors spaces keys groups charts methods solvers problems commands options; do
    run 0 list "$table"
    [[ -s out ]] || fail "list $table prints nothing"
done
run 0 list --support
has out 'compile   sens      linearise static    energy' 'spring               yes       yes       yes       yes       yes' \
    'beam_element         -         yes       yes       yes       yes' 'event                yes       -         yes       yes       -'
run 0 list options
has out 'of: run, sens' 'of: stability'
run 0 list joints
has out spherical generic 'keys: name type bodies at axis [drive]'
run 0 list keys
has out 'joint:' 'mass' 'kg' 'inertia' 'friction_radius' 'formulation'
run 0 manual
has out '# Model files' 'model "heavy top"'
refused "cannot write '/nonexistent/model.md'" manual -o /nonexistent/model.md
run 0 version
has out 'polhode '
run 0 version --json
is_json out
run 0 --version
run 0 help
has out run check freeze cite bench list manual version help
grep -xE '[A-Z][a-z]+' out >groups # each once, above its commands
[[ $(tr '\n' ' ' <groups) == 'Simulate Analyse Study Design Files About ' ]] || fail "groups of the help: $(cat groups)"
run 0 --help
for command in $("$polhode" list commands | awk '{print $1}'); do
    run 0 help "$command"
    has out "usage: polhode $command"
    run 0 "$command" --help
done
"$polhode" help converge | awk 'length > 130 { exit 1 }' || fail "long lines of help"
run 0 check "$models/heavy_top.lua"
has out 'heavy top: 1 body, 1 joint, space'
run 0 check "$models/double_pendulum.lua"
has out ': 2 bodies, 2 joints, space'
run 0 check "$models/double_pendulum.lua" --accuracy 1e-3 --json
is_json out
has out '"proposal":{"options":"--method ' '"cpu_s":' '"error":'
for how in 'method = "bliedf", tol = 1e-4' 'tol = 1e-4' 'h = 1e-2, formulation = "index3"'; do # whose start perturbs velocities in a step, or at once
    sed "s/^run *{.*/run { t_end = 1, $how }/" "$models/heavy_top.lua" >how.lua
    run 0 check how.lua
    has out 'velocities to 0'
done
cat >stiff_state.lua <<LUA
body { name = "rod", mass = 3, inertia = {1, 1, 1} }
joint { name = "seal", type = "prismatic", bodies = {"ground", "rod"}, axis = {1, 0, 0}, friction = 0.1 }
state { name = "x", initial = 1, rate = function(t, s) return (s.joints.seal.position - s.states.x)/1e-4 end }
LUA
run 0 check stiff_state.lua # states count, and friction at rest does not
has out 'fastest about 1e+04 rad/s' 'states included' 'h = 2.1e-05 s' 'friction     needs no smaller step where it holds a joint at rest'
run 0 check stiff_state.lua --json
has out '"friction":1' '"h":2.09'
run 0 check "$models/balanced_crank.lua" # no degree of freedom, and so nothing that vibrates
grep -q vibration out && fail "what is driven vibrates: $(cat out)"
run 0 run pendulum --h 0.02 --t-end 0.02
has out 'after 1 step of h'
refused 'are both 1 step until' converge pendulum --h 10,20 --t-end 1
run 0 help run
has out --h --t-end --method --sigma --rho --formulation --newton --start --atol --rtol --solver --every --json --quiet 'index3|index2|ggl'
run 2
has out 'usage: polhode COMMAND'

# ---- mistakes -----------------------------------------------------------------------------------------------------

refused "did you mean 'run'" rnu
refused "there are: run, view, check" xyzzy
refused "there is no command ''" ''
refused 'run needs MODEL' run
refused "did you mean 'heavy_top'" run heavy_tpo
refused 'polhode list problems' run xyzzy
# A model that is not there comes before what a command misses in it, or in its own line.
for args in 'modes xyzzy --vary x=1,2' 'sweep xyzzy --vary x=1,2' 'optimise xyzzy --vary x --bounds x=1:2 --minimise e' \
    'sens xyzzy --param m' 'view xyzzy' 'converge xyzzy --h 2,1 --view x.html' 'compile xyzzy --open m' 'sens xyzzy'; do
    # shellcheck disable=SC2086 # words of their own
    refused "there is no model file and no built-in problem 'xyzzy'" $args
done
refused "'b' is one argument too many" run heavy_top b
refused "did you mean '--sigma'" run heavy_top --sgima 1
refused "did you mean '--h'" run heavy_top --dt 1e-3
refused "did you mean '--t-end'" run heavy_top --duration 1
refused "'--tolerance' is now called '--x-tol'" optimise heavy_top --tolerance 1e-9
refused "'--steps' is now called '--load-steps'" static pendulum --steps 3
run 0 run heavy_top_so3 --method bliedf --correction perturbed --t-end 0.001 --quiet # the old word of exponent
refused "see 'polhode help converge'" converge heavy_top --bogus # and not an option of another command
refused "did you mean '--formulation'" run heavy_top --formulaton ggl
refused "did you mean 'ggl'" run heavy_top --formulation gll
refused 'there are: auto, dense, block, front, klu' run heavy_top --solver umfpack
refused '--method cannot be' run heavy_top --method magic
refused 'its value is missing' run heavy_top --sigma
refused "-o: its value is missing; '--json' is an option" run heavy_top -o --json
refused "--sigma: its value is missing; '-o' is an option" run heavy_top --sigma -o x.csv
refused "-o: its value is missing; '--json' is an option" manual -o --json
run 0 run heavy_top --t-end 0.001 --quiet -o ./--json.csv
[[ -s ./--json.csv ]] || fail "a file called --json.csv"
refused "'one' is not a number" run heavy_top --sigma one
refused "'' is not a number" run heavy_top --h=
refused "'1e-3x' is not a number" run heavy_top --h 1e-3x
refused "'nan' is not a number" run heavy_top --rho nan
refused "'inf' is not a number" run heavy_top --t-end inf
refused 'is not above 0' run heavy_top --h 0
refused 'is not above 0' run heavy_top --h -1e-3
refused 'rho = 2 is outside' run heavy_top --rho 2
refused 'atol' run heavy_top --atol -1
refused 'the limit is' run heavy_top --h 1e-300
refused 'the limit is' run heavy_top --h 1e-9 --t-end 100
refused 'the limit is' run heavy_top --h 1e-320
refused 'the limit is' run "$models/pendulum.lua" --h 1e-2 --t-end 1e308 # and no note of its velocities, as there are no steps
refused 'outside 1 to' run chain --size 0
refused 'not a whole number' run chain --size 1e3
refused 'outside 1 to' run chain --size 99999999999999999999
refused 'cannot have' run ring --size 2
refused 'has no size' run heavy_top --size 3
refused "has no parameter 'm'" run heavy_top --set m=16
refused 'cannot have x = -1' run heavy_top --set x=-1
refused 'form P=V' run heavy_top --set x
refused 'no parameters' run chain --set x=1
refused 'takes no value' run heavy_top --json=1
refused "belongs to 'work', 'bench'" run heavy_top --repeats 3
refused 'polhode help run' run heavy_top -q
refused 'models/heavy_top.lua: No such file' run models/heavy_top.lua
refused "cannot write '/nonexistent/x.csv'" run heavy_top -o /nonexistent/x.csv
refused "cannot write '$tmp'" run heavy_top -o "$tmp"
refused 'empty' run heavy_top -o ''
refused 'outside 1 to' run heavy_top --every 0
refused "did you mean 'chain'" bench chian
refused "did you mean 'groups'" list grups
refused "did you mean 'run'" help rnu
refused 'one argument too many' version now
refused "help has no option '--xyzzy'" help --xyzzy
refused "list has no option '--xyzzy'" list --xyzzy
refused "'fish'; there are: bash, zsh" help --completion fish
refused "run has no option '--expec'; see 'polhode help run'" run heavy_top --expec # near --expect, of other commands
refused "did you mean '--json'?" run heavy_top --jsn
for words in verify 'verify --all' 'help verify'; do # shellcheck disable=SC2086 # words
    refused 'polhode verify has moved to polhode-verify, which is built beside polhode and is not installed' $words
done
refused "a?b" run $'a\nb'

finish
