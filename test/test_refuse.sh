#!/usr/bin/env bash
# What goes wrong on the way: functions that fail late, files that are no files, numbers that are none. Each ends in time, with
# one line in the words of the model, and leaves nothing half-written.
# shellcheck source=test/program.bash
source "$(dirname "${BASH_SOURCE[0]}")/program.bash"

# failed TEXT ARGS...: exit code 1, one complaint with TEXT in it
failed() {
    local text=$1
    shift
    run 1 "$@"
    complains "$text" "polhode $*"
}

# ---- drives without derivatives -------------------------------------------------------------------------------------

drive() { # FUNCTION: a mass on a slide that follows it, to drive.lua
    cat >drive.lua <<END_OF_MODEL
model "drive"
body { name = "a", mass = 1, inertia = {1, 1, 1} }
joint { name = "slide", type = "prismatic", bodies = {"ground", "a"}, axis = {0, 0, 1}, drive = function(t) $1 end }
run { t_end = 0.1, h = 1e-3 }
END_OF_MODEL
}
rough="joint 'slide': its drive has no velocity or acceleration there that can be found"
drive 'return t > 0 and 0.03 or 0'
refused "t = 0: $rough" run drive.lua
drive 'return t < 0.05 and 0 or 0.03'
failed "t = 0.05: $rough" run drive.lua
drive 'return math.abs(t)'
failed "t = 0: $rough" run drive.lua
# reference: the formula, at 10000 rad/s
drive 'return 1e-3 * math.sin(1e4 * t)'
run 0 run drive.lua --h 1e-5 --t-end 1e-3 --json
v=$(grep -oE '"velocity":\[[^]]*' out | head -n 1 | cut -d, -f3)
awk -v v="$v" 'BEGIN { d = v - 10 * cos(10); exit !(v && d * d < 1e-20) }' || fail "a drive of 10000 rad/s: $v"

# a state that another function kept: drives have the time alone
for what in 'a.position.x' 'sensors.w[1]' 'joints.slide.position'; do
    cat >kept.lua <<END_OF_MODEL
local kept
body { name = "a", mass = 1, inertia = {1, 1, 1} }
sensor { name = "w", type = "position", body = "a" }
force { body = "a", value = function(t, s) kept = s return 0, 0, 0 end }
joint { name = "slide", type = "prismatic", bodies = {"ground", "a"}, axis = {0, 0, 1}, drive = function(t) return kept and kept.$what or 0 end }
run { t_end = 0.1, h = 1e-2 }
END_OF_MODEL
    refused "t = 0: kept.lua:5: joint 'slide': states are known only while a function of the model runs" run kept.lua
done

# ---- sensors that fail ----------------------------------------------------------------------------------------------

cat >late.lua <<'END_OF_MODEL'
model "late"
body { name = "a", mass = 1, inertia = {1, 1, 1} }
joint { name = "held", type = "fixed", bodies = {"ground", "a"} }
sensor { name = "good", type = "position", body = "a" }
sensor { name = "w", custom = function(t, s) if t > 0.02 then error("too late") end return 1, 2 end }
run { t_end = 0.05, h = 0.01 }
END_OF_MODEL
failed "t = 0.05: late.lua:5: sensor 'w': too late" run late.lua
failed "t = 0.03: late.lua:5: sensor 'w': too late" run late.lua --json -o late.csv
is_json out
has out '"status":"callback_failed"' '"t":0.02999'
[[ $(tail -n 1 late.csv) == "# failure t = 0.03: late.lua:5: sensor 'w': too late" ]] || fail "late.csv: $(tail -n 1 late.csv)"
failed "t = 0.03: late.lua:5: sensor 'w': too late" run late.lua --view late.html
has late.html 'callback_failed'
run 0 run late.lua --t-end 0.02
run 1 converge late.lua --h 1e-2,5e-3 --reference finest --sensor w
has err "h = 0.01 s: late.lua:5: sensor 'w': too late"
run 1 sweep late.lua --vary h=0.01,0.005
has out "t = 0.05: late.lua:5: sensor 'w': too late"
sed -e '1i local asked = false' -e 's/if t > 0.02 then/if asked then/' -e 's/end return/end asked = true return/' late.lua >static.lua
failed "static.lua:6: sensor 'w': too late" static static.lua --json
is_json out
has out '"status":"callback_failed"' '"reason":"static.lua:6: sensor' '"sensors":{'

# ---- files that are no files: a pipe that nobody writes to, a device without an end, a folder -----------------------------------

mkfifo pipe pipe.json pipe.h5
mkdir folder.json
head -n 4 late.lua >quiet.lua
echo 'run { t_end = 0.05, h = 0.01 }' >>quiet.lua
for file in pipe /dev/zero .; do
    refused "cannot read '$file': this is " converge quiet.lua --h 1e-2,5e-3 --reference "$file"
done
for file in pipe .; do
    printf 'flexible { name = "f", mass = "%s", stiffness = "%s", nodes = "%s", interfaces = {a = 1}, modes = {n = 1} }\n' \
        "$file" "$file" "$file" >fe.lua
    refused "fe.lua:1: flexible 'f': cannot read '$file': this is " check fe.lua
done
echo "include('pipe')" >part.lua
refused "part.lua:1: include: cannot read 'pipe': this is not a regular file" check part.lua
for file in pipe.json pipe.h5 folder.json; do
    echo "flexible { name = 'f', file = '$file' }" >fe.lua
    refused "fe.lua:1: flexible 'f': cannot read '$file': this is " check fe.lua
done
refused 'pipe: this is not a regular file' run ./pipe

# ---- files of a model are beside it or below -----------------------------------------------------------------------------------

mkdir -p inside/parts outside
run 0 reduce "$models/craig_bampton.lua" -o outside/body.json
cp outside/body.json inside/parts/body.json
printf 't,e\n0,0\n1,0\n' | tee outside/e.csv >inside/parts/e.csv
ln -s parts/body.json inside/near.json
ln -s ../outside/body.json inside/far.json
ln -s ../outside inside/away
ln -s ../outside/e.csv inside/far.csv
# names KEY FILE: a model that reads the file by this key
names() {
    case $1 in
    file) echo "flexible { name = 'f', file = '$2' }" >inside/m.lua ;;
    'include: the file') echo "include('$2')" >inside/m.lua ;;
    data) cat quiet.lua - >inside/m.lua <<<"objective { name = 'fit', data = '$2', sensor = 'good' }" ;;
    *) echo "flexible { name = 'f', mass = '$2', stiffness = '$2', nodes = '$2', interfaces = {a = 1}, modes = {n = 1} }" >inside/m.lua ;;
    esac
}
for key in file data mass 'include: the file'; do
    names "$key" "$PWD/inside/parts/body.json"
    refused "$key: '$PWD/inside/parts/body.json': an absolute path; files of a model are beside it or in folders below" check inside/m.lua
    names "$key" ../outside/body.json
    refused "$key: '../outside/body.json': '..' in a path" check inside/m.lua
    names "$key" parts/../near.json
    refused "$key: 'parts/../near.json': '..' in a path" check inside/m.lua
    for file in far.json away/e.csv; do
        names "$key" $file
        refused "$key: '$file': a link leads out of the model's folder" check inside/m.lua
        cd inside || exit 1
        refused "$key: '$file': a link leads out of the model's folder" check m.lua
        cd .. || exit 1
    done
done
for file in near.json parts/body.json ./parts//body.json; do
    names file $file
    run 0 check inside/m.lua
done

# ---- what is read is not written over -----------------------------------------------------------------------------------------

cp quiet.lua kept.lua
ln -s quiet.lua link.lua
refused "-o and the model are the same file, 'quiet.lua'" run quiet.lua -o quiet.lua
refused "-o and the model are the same file, './link.lua'" freeze quiet.lua -o ./link.lua
run 0 run quiet.lua -o there.csv
refused "-o and --reference are the same file, 'there.csv'" converge quiet.lua --h 1e-2,5e-3 --reference there.csv -o there.csv
cmp -s quiet.lua kept.lua || fail "the model is written over"

# ---- what a killed run leaves, the next one removes -----------------------------------------------------------------------------

# started: a run that writes slow.csv for a long time, and has begun; its process is $!
started() {
    "$polhode" run quiet.lua --t-end 1e5 --every 1000 -o slow.csv >/dev/null 2>&1 </dev/null &
    for ((i = 0; i < 500 && $(ls -d slow.csv.part-*-$!-* 2>/dev/null | wc -l) == 0; i++)); do sleep 0.02; done
}
started
killed=$!
kill -KILL $killed
wait $killed 2>/dev/null
[[ -n $(echo slow.csv.part-*-"$killed"-*) && -e $(echo slow.csv.part-*-"$killed"-*) ]] || fail "no file to clean up: $(ls)"
touch slow.csv.part slow.csv.part-12-3 slow.csv.part-0badf00d-1-0 # a journal; another name; another machine
started
alive=$!
run 0 run quiet.lua -o slow.csv
[[ ! -e $(echo slow.csv.part-*-"$killed"-*) ]] || fail "a killed run leaves $(ls slow.csv.part-*)"
[[ -e $(echo slow.csv.part-*-"$alive"-*) ]] || fail "the file of a run at work is gone"
[[ -e slow.csv.part && -e slow.csv.part-12-3 && -e slow.csv.part-0badf00d-1-0 ]] || fail "what is not ours is gone"
kill -KILL $alive
wait $alive 2>/dev/null

# ---- a limit to the size of files ---------------------------------------------------------------------------------------------

# limited TEXT ARGS...: refused, and nothing is left
limited() {
    (
        ulimit -f 8
        failures=0
        refused "$@"
        exit "$failures"
    ) || failures=$((failures + 1))
    [[ -z $(find . -name 'big*') ]] || fail "$*: leaves $(find . -name 'big*')"
}
sed 's/h = 0.01/h = 1e-5/' quiet.lua >many.lua
limited "cannot write 'big.csv': File too large" run many.lua -o big.csv
limited "cannot write 'big.json': File too large" freeze "$models/chain.lua" --set N=100 -o big.json
if [[ -c /dev/full ]]; then # a model that is larger than the buffer of stdout
    "$polhode" freeze "$models/chain.lua" --set N=100 >/dev/full 2>err
    [[ $? == 2 && $(wc -l <err) == 1 ]] || fail "a full stdout: $(cat err)"
    "$polhode" run "$models/chain.lua" --set N=100 --t-end 0.001 --json >/dev/full 2>err
    [[ $? == 2 && $(wc -l <err) == 1 ]] || fail "a full stdout: $(cat err)"
fi
# what a sweep has done stays, whole lines of it, and the same command goes on from there
(ulimit -f 1 && "$polhode" sweep many.lua --vary h=1:9:200 --jobs 1 -o big.csv >out 2>err)
[[ $? == 2 && $(wc -l <err) == 1 && ! -e big.csv ]] || fail "sweep: $(cat err)"
run 0 sweep many.lua --vary h=1:9:200 --jobs 1 -o big.csv

# ---- names of files are bytes, JSON and tables are text ----------------------------------------------------------------------

for name in $'caf\xe9' $'two\nlines' "$(printf 'n%.0s' {1..200})"; do
    cp quiet.lua "$name.lua"
    sed -i /^model/d "$name.lua"
    run 0 run "$name.lua" --json -o bytes.csv
    iconv -f UTF-8 -t UTF-8 out >/dev/null || fail "JSON that is no UTF-8: $(head -c 80 out)"
    is_json out
    [[ $(grep -v '^#' bytes.csv | head -n 1) == "t [s],"* ]] || fail "header: $(head -n 3 bytes.csv)"
    run 0 freeze "$name.lua" -o bytes.json
    run 0 run bytes.json --json
done
refused "'caf?'" run $'caf\xe9'

# ---- studies ----------------------------------------------------------------------------------------------------------------

# parameters of a frozen model: refused before the first case
cat >free.lua <<'END_OF_MODEL'
local m = param("m", 2)
body { name = "a", mass = m, inertia = {1, 1, 1}, velocity = {1, 0, 0} }
spring { bodies = {"ground", "a"}, k = 10, length = 0 }
sensor { name = "e", type = "energy" }
run { t_end = 0.05, h = 0.01 }
END_OF_MODEL
run 0 freeze free.lua -o free.json
refused 'free.json: the parameters of a frozen model cannot be set' sweep free.json --vary m=1:2:3 -o sweep.csv
[[ ! -e sweep.csv ]] || fail "a sweep that was refused leaves a table"
run 0 sweep free.json --vary h=0.01,0.005
refused 'free.json: the parameters of a frozen model cannot be set' modes free.json --vary m=1:2:3
refused 'polhode: free.json: the parameters of a frozen model cannot be set' sens free.json --param m
refused 'polhode: free.json: the parameters of a frozen model cannot be set' optimise free.json --vary m --bounds m=1:3 --minimise e

# parameters called as columns of the table are: no name is there twice
sed 's/param("m", 2)/param("status", 2)/' free.lua >taken.lua
run 0 sweep taken.lua --vary status=1,2 -o taken.csv --json
has out '"param":{"status":1},"status":"ok"'
has taken.csv 'case,id,param.status,status,'

# a reference with a number that is none is not the fault of the solution
run 0 run free.lua -o ref.csv
for bad in nan inf -inf 1e999; do
    awk -F, -v OFS=, -v bad="$bad" '/^0.02/ { $3 = bad } { print }' ref.csv >bad.csv
    refused "--reference: 'bad.csv': row 3 has no number in column 'a.y'" converge free.lua --h 1e-2,5e-3 --reference bad.csv
done

# data of an objective: errors name their file
cat free.lua - >fit.lua <<<'objective { name = "fit", data = "bad.csv", sensor = "e" }'
sed 's/^t \[s\]/u [s]/' ref.csv >bad.csv
refused "fit.lua:6: objective 'fit': data: bad.csv: there is no column 't'" check fit.lua
printf 't,e,e\n0,1,2\n' >bad.csv
refused "fit.lua:6: objective 'fit': data: bad.csv: there are several columns 'e'" check fit.lua
cat free.lua - >bend.lua <<<'local c = curve("bad.csv", {x = "t", y = "e"})'
refused "'bad.csv' has several columns 'e'" check bend.lua
for rows in '0,1 0,2:times do not ascend, in row 2' '0,1 1,1e200:no number in row 2' 'nan,1 1,2:times do not ascend, in row 1'; do
    # shellcheck disable=SC2086 # words of their own
    printf 't,e\n%s\n%s\n' ${rows%%:*} >bad.csv
    refused "fit.lua:6: objective 'fit': data: bad.csv: ${rows#*:}" check fit.lua
done
{ echo t,e && seq 1000001 | sed 's/$/,1/'; } >bad.csv
refused "fit.lua:6: objective 'fit': data: bad.csv: more than 1000000 rows" check fit.lua
cat free.lua - >long.lua <<<'curve("bad.csv")'
refused "curve: 'bad.csv' has more than 1000000 rows" check long.lua

# what repeats is called what it is
cat free.lua - >twice.lua <<'END_OF_MODEL'
constraint { name = "level", f = function(t, s) return s.a.position.z, 2 * s.a.position.z end }
END_OF_MODEL
run 0 check twice.lua
has out "constraint 'level': 1 of its 2 conditions repeats what its others already impose"

cat free.lua - >flat.lua <<<'constraint { name = "flat", f = function(t, s) return s.a.position.z^2 end }'
run 0 check flat.lua
has out "constraint 'flat': its derivatives are 0 here, so that it holds nothing"

# inertias twelve orders apart do not hide which conditions repeat
sed 's|m \* w^2 / 6,|m * w^2 / 6e12,|' "$models/four_bar.lua" >thin.lua
run 0 static thin.lua

# a bad option of a study is one mistake, however many runs it has
run 2 work free.lua --h 1e-2,5e-3 --repeats 1 --rho 1,2,3 --reference finest
complains 'rho = 2 is outside' 'work --rho 1,2,3'

# steps of differences that a parameter does not notice; a bound of memory below a byte
cat free.lua - >goal.lua <<<'objective { name = "goal", final = function(s) return s.a.position.x end }'
for eps in 1e-15 1e-300; do
    refused "parameter 'm' = 2 does not change by so little" sens goal.lua --param m --eps "$eps"
done
refused 'a bound of 1 bytes is too tight' sens goal.lua --param m --mode adjoint --memory 1e-300
run 0 sens goal.lua --param m --mode adjoint --memory 1e300

# a vibration that the start of a multistep method would follow for minutes
sed 's/k = 10,/k = 1e14,/' free.lua >stiff.lua
failed 'starting values want more than 5000 steps within one of h = 0.05' run stiff.lua --method bliedf --h 0.05
run 0 run stiff.lua --method bliedf --h 0.05 --start plain
# nor follows it in parts of the step, each with a start of its own
sed 's/k = 10,/k = 1e9,/' free.lua >stiff.lua
failed 'starting values want more than 5000 steps within one of h = 0.05, since something vibrates much faster: use a smaller step, or the plain start' run stiff.lua --method bliedf --h 0.05
run 0 run stiff.lua --method bliedf --h 0.05 --start plain
cat >taut.lua <<'END_OF_MODEL'
particle { name = "p", mass = 1, position = {1.1, 0, 0} }
spring { bodies = {"ground", "p"}, k = 1e9, length = 1 }
run { t_end = 1, method = "bliedf", tol = 1e-3, h_min = 0.05 }
END_OF_MODEL
failed 'starting values want more than 100 steps within one of h = 0.05: the motion is not smooth here, or tol is out of reach' run taut.lua

# parts that include each other
mkdir parts
echo 'include("parts/b.lua")' | tee parts/c.lua >circle.lua
echo 'include("parts/c.lua")' >parts/b.lua
refused "parts/c.lua:1: include: 'parts/b.lua' includes itself" check circle.lua
for k in {1..17}; do
    echo "include('parts/$((k + 1)).lua')" >"parts/$k.lua"
done
sed 's/17/1/' parts/16.lua >deep.lua
refused "parts/16.lua:1: include: 'parts/17.lua': more than 16 files include each other" check deep.lua

# a model without elements, and one whose state is not all in numbers
echo '{"polhode": "0.2.0", "model": "none", "elements": []}' >none.json
refused 'none.json: the model has no body and no particle' check none.json
cat >counts.lua <<'END_OF_MODEL'
local n = 0
body { name = "a", mass = 1, inertia = {1, 1, 1} }
force { body = "a", value = function(t, s) n = n + 1 return n, 0, 0 end }
run { t_end = 0.1, h = 1e-2 }
END_OF_MODEL
refused "--save 'counts.state': functions of the model keep values between calls" run counts.lua --save counts.state
[[ ! -e counts.state ]] || fail "a state that cannot be gone on from"

# ---- what does not go together ------------------------------------------------------------------------------------

cat >plain.lua <<'END_OF_MODEL'
model "plain"
body { name = "a", mass = 1, inertia = {1, 1, 1} }
END_OF_MODEL
top=$models/heavy_top.lua
refused '--tol-objective: a built-in problem has no names to report: write a model file' run heavy_top --tol-objective 'E=1'
refused '--accuracy: the model says no t_end, up to which methods could be tried' check plain.lua --accuracy 1e-3
refused "--view: a page shows a model file, and 'heavy_top' is none" converge heavy_top --h 0.01,0.005 --view x.html
refused "'x.htm': a page is a file whose name ends in .html" converge "$top" --h 0.01,0.005 --view x.htm
refused '--vary: modes goes through the values of one parameter' modes "$models/rotor.lua" --vary m=1:2:2 --vary spin=1:2:2
refused '--plot draws frequencies over a parameter: say which with --vary' modes "$top" --plot x.svg
refused '--view shows the modes about one state, and --vary asks for many' modes "$models/rotor.lua" --vary m=1:2:2 --view x.html
refused "--vary: a name is missing or too long: ','" optimise "$models/heavy_top_fit.lua" --vary , --bounds m=1:2 --minimise fit
refused "--bounds: 'm' is not P=FROM:TO" optimise "$models/heavy_top_fit.lua" --vary m --bounds m --minimise fit
refused 'optimise needs --vary P,..., --bounds P=FROM:TO,... and --minimise NAME' optimise "$models/heavy_top_fit.lua" --vary m --minimise fit
refused "there is no flexible body 'leg'" reduce "$models/craig_bampton.lua" --body leg
refused '--order: 9 is outside 1 to 6' stability --method bliedf --order 9
refused '--zeta: -1 is below 0' stability --zeta -1
refused '--zeta: --oscillator has one damping ratio' stability --oscillator --zeta 0.1,0.2
refused '--about-spin and --oscillator are two studies: give one of them' stability "$top" --about-spin --oscillator
refused '--about-spin needs a MODEL that spins steadily' stability --about-spin
refused 'with --about-spin only' stability "$top"
refused "--sensor: the built-in problem 'heavy_top' has no sensors" sweep heavy_top --vary h=1e-3,2e-3 --sensor tip
refused "--steps: '0' is outside 1 to" transient "$top" --steps 0
refused '--h: a range is FROM:TO:COUNT' converge "$top" --h 1:2
refused "--amplitude: 4 rad is not below pi, where rotations end" stability --amplitude 4
refused "--set: '=5' is not of the form P=V" run "$top" --set =5
refused '--size: a model file has parameters instead: --set N=3' stability "$models/hanging_top.lua" --about-spin --size 3
printf 'x\n1\n' >none.csv
refused "'none.csv' has no column 't'; it should be a table that run -o wrote" converge "$top" --h 0.01,0.005 --reference none.csv
run 0 run "$top" --t-end 0.01 -o twice.csv --quiet
tail -n 1 twice.csv >last.csv && cat last.csv >>twice.csv
refused "--reference: 'twice.csv': t does not ascend at t = 0.01" converge "$top" --h 0.01,0.005 --reference twice.csv
refused 'the compiled model needs a name: --name NAME' compile "$top" --name ''
refused "'ph_top' begins as names of the library do: --name NAME gives another" compile "$top" --name ph_top
run 0 freeze "$top" -o frozen.json
refused 'a frozen model has no parameters that could stay open' compile frozen.json --open m
refused "beam_element 'rod.1' cannot be compiled" compile "$models/clamped_beam.lua" --space R3xSO3
refused '--about-spin: coordinates of the space euler have no axes that turn with a body' stability "$models/hanging_top.lua" --about-spin --space euler
refused 'no body spins, so that there is no h |Omega|' stability "$models/pendulum.lua" --about-spin

fit=$models/heavy_top_fit.lua
refused '--set m: it must be NAME=VALUE' compile "$top" --set m
refused "--set m=x: 'x' is not a number" compile "$top" --set m=x
refused '--open: too many names' compile "$top" --open "$(printf 'a%.0s' {1..3000})"
refused "cannot make the folder 'no/such': No such file or directory" compile "$top" -o no/such
refused '-o: compile writes several files: give a folder, not standard output' compile "$top" -o -
: >plain
refused "--plot: cannot write 'plain/x.svg': Not a directory" run heavy_top --plot plain/x.svg
refused "--vary: 'm' is there twice" optimise "$fit" --vary m,m --bounds m=1:2 --minimise fit
refused '--vary: more than 32 parameters' optimise "$fit" --vary "$(seq -s, -f 'p%g' 1 40)" --bounds m=1:2 --minimise fit
refused 'linearise takes a model file' linearise heavy_top
refused "--view: a page shows a model file, and 'heavy_top' is none" sweep heavy_top --vary h=1e-3 --view x.html
refused "a page shows a model file; 'heavy_top' is a built-in problem" view heavy_top
echo "body { name = 'a', mass = 1, inertia = {1, 1, 1} } run { t_end = 1 }" >no_h.lua
refused 'the model says no h: give --h' transient no_h.lua --steps 3
mapfile -t many < <(seq -f '--set=m=%g' 1 65)
refused '--set: more than 64 of them' run "$top" "${many[@]}"
refused "--set: 'q' is not a number" run heavy_top --set x=q
refused '--error is in place of derivatives: leave out --param' sens "$fit" --error --param m
refused "--objective: the model has none of 'none'" sens "$fit" --error --objective none
refused '--vary: order: whole numbers are not sampled by ratios' sweep "$top" --method bliedf --vary order=1:6:log --sample 4
refused "--h: '1111111111111111111111111111111111111111...' is not a value" converge "$top" --h "1e-3,$(printf '1%.0s' {1..200})"
refused '--rho: more than 64 values' stability --rho "$(seq -s, 1 65)"
for line in "reduce $models/craig_bampton.lua -o no/x.h5" "reduce $models/craig_bampton.lua -o no/x.json" "freeze $top -o no/x.json" \
    "linearise $models/double_pendulum.lua -o no/x.csv" "static no_h.lua -o no/x.csv" "sweep $top --vary m=1,2 -o no/x.csv" \
    "run $top -o no/x.csv" "optimise $fit --vary m --bounds m=1:2 --minimise fit -o no/x.csv" "transient $top --steps 3 -o no/x.csv"; do
    read -ra words <<<"$line"
    refused "cannot write '${words[-1]}': No such file or directory" "${words[@]}"
done
run 0 run heavy_top --compiled --t-end 0.01 --quiet
has err '--compiled: a built-in problem is no model file; the run goes on without'

# ---- programs that do not do what they should: what gnuplot says last is told, and no picture is left ----------------------------

mkdir bin
usual=$PATH
export PATH="$PWD/bin:$PATH"
printf '#!/bin/sh\n[ "$1" = --version ] && exit 0\necho "line 1: warning" >&2\necho "line 7: no such axis" >&2\necho "  ^" >&2\nexit 1\n' >bin/gnuplot
chmod +x bin/gnuplot
refused "--plot: gnuplot cannot draw 'a.svg': line 7: no such axis" run quiet.lua --plot a.svg --quiet
printf '#!/bin/sh\nexit 0\n' >bin/gnuplot
refused "--plot: gnuplot cannot draw 'a.svg': the picture is not complete; is there room for it?" run quiet.lua --plot a.svg --quiet
refused "--plot: gnuplot cannot draw 'a.png': the picture is not complete" sweep quiet.lua --vary h=0.01,0.005 --plot a.png --quiet
printf '#!/bin/sh\nkill -9 $$\n' >bin/gnuplot
run 2 run quiet.lua --plot a.svg --quiet
[[ ! -e a.svg && ! -e a.png ]] || fail "a picture without gnuplot"
PATH=$usual

# ---- values of options that make no sense: one line of the table each, SENTENCE | COMMAND ----------------------------------------

arm 0.01 >arm.lua
cp arm.lua arm.txt
cp arm.lua plain_name
long=$(printf 'x%.0s' {1..300})
mapfile -t names < <(printf 'p%d\n' {1..60})
{
    for name in "${names[@]}"; do echo "param('a_long_name_of_$name', 1)"; done
    cat arm.lua
} >many.lua
sed -e 's/t_end = [0-9.]*, //' arm.lua >endless.lua
sed -e '/^local m/a param("m2", 0)' arm.lua >two.lua
while IFS='|' read -r sentence command; do
    [[ -n $sentence ]] || continue
    # shellcheck disable=SC2086 # words of a command
    refused "$sentence" ${command//LONG/$long}
done <<'END_OF_TABLE'
--set: '=1' is not of the form P=V|run heavy_top --set =1
--set: '' is not a number|run heavy_top --set x=
--set: '1e400' is not a number|run heavy_top --set x=1e400
--set: '1x' is not a number|run heavy_top --set x=1x
has no parameter 'xx'; there are: x|run heavy_top --set xx=1
has no parameter 'y'; there are: x|run heavy_top --set y=1
the model 'chain' has no parameters|run chain --set x=1
the model 'skate' cannot have x = 0|run skate --set x=0
--size: the model 'heavy_top' has no size|run heavy_top --size 3
--space: the built-in problem 'heavy_top' has its own|converge heavy_top --h 1e-2,5e-3 --space SE3,R3xSO3
--vary: 'x' is not a parameter of the model|modes chain --vary x=1,2
--vary: 'y' is not a parameter of the model|modes heavy_top --vary y=1,2
--vary: modes goes through the values of one parameter|modes arm.lua --vary m=1,2 --vary k=1,2
--vary: |modes arm.lua --vary m=1:2
is not of the form P=V|run arm.lua --set LONG=1
--set: '' is not a number|run arm.lua --set m=
--set: 'inf' is not a number|run arm.lua --set m=inf
--set: 'm' is not of the form P=V|sweep arm.lua --vary h=1e-3,2e-3 --set m
--size: a model file has parameters instead: --set N=3|sweep arm.lua --vary m=1,2 --size 3
--vary and --set both give 'm'|sweep arm.lua --vary m=1,2 --set m=1
'nope' is not a parameter of the model (there are: m) or a number of run|sweep arm.lua --vary nope=1,2
'y' is not a parameter of the model (there are: x) or a number of run|sweep heavy_top --vary y=1,2
'x' is not a parameter of the model (it has none) or a number of run|sweep chain --vary x=1,2
the model has no sensor 'top'; there are: tip|sweep arm.lua --vary m=1,2 --sensor top
has no sensor 'xxxx|converge arm.lua --h 1e-3,5e-4 --sensor LONG
--sensor: the built-in problem 'heavy_top' has no sensors|sweep heavy_top --vary x=1,2 --sensor tip
is not of the form NAME=E|run arm.lua --tol-objective low=
is not of the form NAME=E|run arm.lua --tol-objective low=1x
is not of the form NAME=E|run arm.lua --tol-objective low=inf
--tol-objective: a built-in problem has no names|run heavy_top --tol-objective low=1
leave out --from|run arm.lua --error-bars --from x.state
the model says no t_end: give --t-end|converge endless.lua --h 1e-3,5e-4
--steps: 'rand' is not random or random:SEED|converge heavy_top --h 1e-3,5e-4 --steps rand
--steps: 'ransom' is not random or random:SEED|converge heavy_top --h 1e-3,5e-4 --steps ransom
--steps: 'random:x' is not random or random:SEED|converge heavy_top --h 1e-3,5e-4 --steps random:x
--steps: 'random:7x' is not random or random:SEED|converge heavy_top --h 1e-3,5e-4 --steps random:7x
--steps: 'random:4294967296' is not random or random:SEED|converge heavy_top --h 1e-3,5e-4 --steps random:4294967296
only --reference exact is possible|converge heavy_top --h 1e-3,5e-4 --steps random --reference finest
--from: 9 s is outside 0 to t_end|converge heavy_top --h 1e-3,5e-4 --from 9
--vary: a name is missing|optimise arm.lua --vary , --minimise low --bounds m=1:2
--vary: a name is missing|optimise arm.lua --vary= --minimise low --bounds m=1:2
--bounds: |optimise arm.lua --vary m --minimise low --bounds m=:2
--bounds: |optimise arm.lua --vary m --minimise low --bounds m=1:
--bounds: |optimise arm.lua --vary m --minimise low --bounds m=1:2x
--bounds: |optimise arm.lua --vary m --minimise low --bounds m=1
--bounds: |optimise arm.lua --vary m --minimise low --bounds m=1:inf
--bounds: |optimise arm.lua --vary m --minimise low --bounds m=-inf:2
--bounds: |optimise arm.lua --vary m --minimise low --bounds m=2:1
it must be NAME=VALUE|compile arm.lua --set LONG=1
--set m=2x: '2x' is not a number|compile arm.lua --set m=2x
--set m=: '' is not a number|compile arm.lua --set m=
--rho: 1.5 is outside [0, 1]|stability --oscillator --rho 1.5
--rho: -0.5 is outside [0, 1]|stability --oscillator --rho -0.5
--objective: the model has none of 'lo'|sens arm.lua --error --objective lo
--minimise: |optimise arm.lua --vary m --minimise tip.w --bounds m=1:3
--minimise: |optimise arm.lua --vary m --minimise tip.4 --bounds m=1:3
--minimise: |optimise arm.lua --vary m --minimise tip --bounds m=1:3
--minimise: |optimise arm.lua --vary m --minimise tips --bounds m=1:3
the lists combine to more than 256 variants|converge heavy_top --h 1e-2,5e-3 --tol 1e-3,1e-4 --rho 0:1:50 --sigma 0:1:4
the lists combine to more than 256 variants|converge heavy_top --h 1e-2,5e-3 --rho 0:1:64 --sigma 0:1:64 --newton full,step,simplified,modified --formulation ggl,index2,index3 --start plain,perturbed --method genalpha,bliedf,rkmk --order 1,2,3,4,5,6
more than 256 combinations of methods and their numbers|stability --method genalpha,bliedf --rho 0:1:64 --sigma 0:1:64 --z 1
--set: '1x' is not a number|run arm.lua --set m=1x
--vary: 'm' is not of the form NAME=VALUES|modes arm.lua --vary m
--from: -1 s is outside 0 to t_end|converge heavy_top --h 1e-3,5e-4 --from -1
(there are: m, m2) or a number of run|sweep two.lua --vary nope=1,2
there is no parameter 'k'; the model has: m, m2|sens two.lua --param k
--expect|converge arm.lua --h 1e-3 --expect 2
its value is missing|run arm.lua --h
its value is missing; '--json' is an option|run arm.lua --h --json
is not of the form A,B|run arm.lua --plot x.svg --plot-xy tip.x
is not of the form A,B|run arm.lua --plot x.svg --plot-xy tip.x,tip.y,tip.z
sensor 'tip' has 3 numbers: say which|run arm.lua --plot x.svg --plot-xy tip.w,tip.z
sensor 'tip' has 3 numbers: say which|run arm.lua --plot x.svg --plot-xy tip,tip.z
the model has no sensor 'top'|run arm.lua --plot x.svg --plot-xy tip.x,top
END_OF_TABLE

# what is a model: a name with a dot, or of a file that is there
for name in arm.txt plain_name ./arm.lua; do
    run 0 check "$name"
    has out "arm"
done
run 0 run arm.lua --h=2e-3 --json
has out '"steps":5'
run 0 check many.lua
has out "arm: 1 body"
run 0 sweep two.lua --vary m=1,2 --set m2=3 -o two.csv --quiet
has two.csv "m2 = 3"
run 0 sens two.lua --param m,m2 --check
has out "m2"
run 0 converge heavy_top --h 1e-2,5e-3 --t-end 0.05 --steps random:3 --reference exact --json
is_json out
run 0 converge arm.lua --h 5e-3,2.5e-3 --tol 1e-3,1e-4 --compiled --reference finest --quiet
has err "--compiled: compiled steps are of one size; the study goes on without"
sed -e 's/run   {/run { method = "rkmk",/' arm.lua >rkmk.lua
run 0 cite rkmk.lua
[[ -s out ]] || fail "nothing to cite"
{
    cat arm.lua
    for k in {1..20}; do echo "sensor { name = 's$k', type = 'position', body = 'arm' }"; done
} >sensors.lua
refused "--sensor: more than 16 of them" converge sensors.lua --h 1e-3,5e-4 --sensor "$(printf 's%d,' {1..19})s20"
sed -e '$a sensor { name = "part", custom = function(t, s) if t < 0 then return #("x" .. t) end return t end }' arm.lua >part.lua
run 0 check part.lua
has out "it is called and differenced there"
run 0 sweep many.lua --vary m=1,2 -o many.csv --quiet
has many.csv "a_long_name_of_p1 = 1, " ", ..."
run 0 converge arm.lua --h 1e-3:1e-3:1 --reference finest --json
is_json out

finish
