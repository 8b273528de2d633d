#!/usr/bin/env bash
# polhode sweep: the same table whatever the number of jobs, after any number of kills, and from shares.
# shellcheck source=test/program.bash
source "$(dirname "${BASH_SOURCE[0]}")/program.bash"

same() { # FILE FILE WHAT
    cmp -s "$1" "$2" || fail "$3: $(diff "$1" "$2" | head -n 5)"
}

nothing_left() { # WHAT: no journals and no temporary files
    local left
    left=$(find . -name '*.part*')
    [[ -z $left ]] || fail "$1 leaves $left"
}

cp "$models/heavy_top.lua" top.lua
study=(sweep top.lua --vary m=10:20:8 --vary rho=0.5,0.9,2 --t-end 0.05)

# ---- the table -------------------------------------------------------------------------------------------
run 0 "${study[@]}" --jobs 1 -o one.csv
has out '24 cases in one.csv: 16 ok, 8 bad_input'
run 0 "${study[@]}" --jobs 2 -o two.csv
same one.csv two.csv 'two jobs give another table'
run 0 "${study[@]}" --jobs 5 -o five.csv
same one.csv five.csv 'five jobs give another table'
nothing_left 'a sweep'
[[ $(grep -cv '^#' one.csv) == 25 ]] || fail "rows: $(grep -cv '^#' one.csv)"
has one.csv 'case,id,m,rho,status,tip.1 [m],tip.2 [m],tip.3 [m],reaction.1 [N]' 'reaction.6 [N m],energy [J],t [s],drift [J]' \
    'violation.position,violation.velocity,steps,iterations,reason' '"rho = 2 is outside [0, 1]"' '# vary m=10:20:8 rho=0.5,0.9,2'

# Each row is what run gives with the same numbers: the last row of its trajectory, to the bit.
run 0 run top.lua --set m=20 --rho 0.9 --t-end 0.05 -o run.csv
values() { # FILE LINE NAME...: columns by name
    awk -F, -v line="$2" -v names="${*:3}" '/^#/ {next} !n {n = NF; for (i = 1; i <= NF; i++) {split($i, w, " "); at[w[1]] = i}; next}
        {rows++; text[rows] = $0} END {split(text[line ? line : rows], f, ","); k = split(names, want, " ")
        for (i = 1; i <= k; i++) printf "%s ", f[at[want[i]]]}' "$1"
}
has one.csv '# settings, unless varied: genalpha, sigma 1, rho 0.9, ggl,' '# parameters, unless varied: m = 15'
columns=(t tip.1 tip.2 tip.3 reaction.1 reaction.2 reaction.3 reaction.4 reaction.5 reaction.6 energy)
ours=$(values one.csv 23 m rho status) theirs=$(values one.csv 23 "${columns[@]}")
[[ $ours == '20 0.9 ok ' ]] || fail "row 23 is $ours"
[[ -n $theirs && $theirs == "$(values run.csv 0 "${columns[@]}")" ]] || fail "sweep: $theirs; run: $(values run.csv 0 "${columns[@]}")"

# Options of run are varied too; the id of a case stands for model, parameters and options.
run 0 sweep top.lua --vary h=1e-3,5e-4 --vary t_end=0.01:0.02:2 --vary order=1:2:2 --sensor tip --json
has out '"settings":"genalpha, sigma 1,' '"cases":8,"failed":0' '"tip":{"1":' '"h":0.001' '"t_end":0.02' '"steps":40'
! grep -q reaction out || fail '--sensor tip gives reactions'
ids() { grep -o '[0-9]\{6\}-[0-9a-f]\{16\}' "$1"; }
[[ $(ids one.csv | sort -u | wc -l) == 24 ]] || fail 'ids are not distinct'
run 0 "${study[@]}" --jobs 2 --sensor tip -o tip.csv
diff <(ids one.csv) <(ids tip.csv) >/dev/null || fail 'ids depend on the sensors'
run 0 sweep top.lua --vary m=10:20:8 --vary rho=0.5,0.9,2 --t-end 5e-2 -o spelt.csv
same <(grep -v '^#' one.csv) <(grep -v '^#' spelt.csv) 'another spelling of a number gives other ids'
run 0 "${study[@]}" --sigma 1 --formulation ggl -o said.csv # as the model says
diff <(ids one.csv) <(ids said.csv) >/dev/null || fail 'ids depend on what is said twice'
run 0 "${study[@]}" --formulation index3 -o index3.csv # not what the model says
[[ -z $(comm -12 <(ids one.csv | sort) <(ids index3.csv | sort)) ]] || fail 'ids do not depend on options'
run 0 sweep spring_ball --vary x=10,20 --vary h=1e-3 --t-end 0.01
has out '2 cases: 2 ok'
run 0 sweep chain --vary size=2,3 --t-end 0.01
has out '2 cases: 2 ok'


# A parameter that has the name of an option is meant, unless the option is.
sed 's/param("m", 15.0)/param("rho", 15.0)/' top.lua >rho.lua
run 0 sweep rho.lua --vary rho=10,20 --t-end 0.01
has out '2 cases: 2 ok'
run 1 sweep rho.lua --vary=--rho=10,20 --t-end 0.01
has out '2 cases: 2 bad_input'

# Samples: the same for the same seed.
run 0 sweep top.lua --vary m=10:20 --vary rho=0:1 --sample 6 --t-end 0.01 -o s1.csv
run 0 sweep top.lua --vary m=10:20 --vary rho=0:1 --sample 6 --t-end 0.01 --jobs 1 -o s2.csv
run 0 sweep top.lua --vary m=10:20 --vary rho=0:1 --sample 6 --t-end 0.01 --seed 2 -o s3.csv
same s1.csv s2.csv 'samples differ'
! cmp -s s1.csv s3.csv || fail 'the seed has no effect'
has s1.csv '# Latin hypercube, seed 1'

# All cases fail: a table with their reasons, and exit code 1.
run 1 sweep top.lua --vary rho=2,3 -o bad.csv
has out '2 cases in bad.csv: 2 bad_input'

# A case that fails on the way has its time and what can be said of it.
run 0 sweep "$models/rotor.lua" --space euler --vary h=1e-5,5e-6 --t-end 0.02 -o rotor.csv
has out '1 ok, 1 stopped'
has rotor.csv 'the solution explodes'

# ---- bad input -------------------------------------------------------------------------------------------
refused 'm: 10 is there twice' sweep top.lua --vary m=10,20,1e1
refused 'm: from 10 to 10 there is one value, not 3' sweep top.lua --vary m=10:10:3
refused '--json is for the run that collects' sweep top.lua --vary m=10,20 --case 1/2 -o x.csv --json
refused '--plot is for the run that collects' sweep top.lua --vary m=10,20 --case 1/2 -o x.csv --plot x.svg
refused '--seed: without --sample' sweep top.lua --vary m=10,20 --seed 3
run 2 sweep top.lua
has err 'sweep needs --vary'
run 2 sweep top.lua --vary mass=1,2
has err "'mass' is not a parameter of the model (there are: m) or a number of run (" t_end sigma rho order tol size
run 2 sweep spring_ball --vary y=1
has err "(there are: x)"
run 2 sweep top.lua --vary method=1
has err "'method' is not a parameter"
run 2 sweep top.lua --vary m=1:2
has err 'm: 1 to 2 in how many values? Say m=1:2:N, or --sample N'
run 2 sweep top.lua --vary order=1:2:3
has err 'order: 1.5 is not a whole number'
run 2 sweep top.lua --vary m=1,2 --set m=3
has err "--vary and --set both give 'm'"
run 2 sweep top.lua --vary rho=0,1 --rho=0.5
has err "--vary and --rho both give 'rho'"
run 2 sweep top.lua --vary m=1 --sensor tap
has err "the model has no sensor 'tap'; there are: tip, reaction, energy"
for share in 0/4 5/4 2 2/4x a/b; do
    run 2 sweep top.lua --vary m=1 --case "$share" -o x.csv
    has err "--case: '$share' is not of the form K/N"
done
run 2 sweep top.lua --vary m=1 --case 1/2
has err 'a share needs -o'
run 2 sweep top.lua --vary m=1 -o nowhere/x.csv
has err "cannot write 'nowhere/x.csv'"
run 2 sweep top.lua --vary m=1 --plot x.doc
has err '--plot'
run 2 sweep none.lua --vary m=1
nothing_left 'bad input'

# ---- interrupted and gone on with ------------------------------------------------------------------------
# Ctrl-C: the journal stays, says so, and is taken up.
long=(sweep top.lua --vary m=10:20:40 --t-end 1 --vary h=2e-4)
run 0 "${long[@]}" -o long.csv
"$polhode" "${long[@]}" -o int.csv >out 2>err </dev/null &
pid=$!
while [[ $(wc -l 2>/dev/null <int.csv.part || echo 0) -lt 5 ]] && kill -0 $pid 2>/dev/null; do sleep 0.01; done
kill -TERM $pid
wait $pid
code=$?
if [[ -e int.csv.part ]]; then
    ((code == 143)) || fail "SIGTERM: exit code $code"
    has err 'interrupted after' "they are in 'int.csv.part', and the same command goes on from there"
    [[ ! -e int.csv ]] || fail 'an interrupted sweep writes its table'

    # The journal is that of this sweep alone.
    run 2 sweep top.lua --vary m=10:20:41 --t-end 1 --vary h=2e-4 -o int.csv
    has err 'the journal of another study' '--fresh'
    cp int.csv.part kept
    echo '-- another model' >>top.lua
    run 2 "${long[@]}" -o int.csv
    cp "$models/heavy_top.lua" top.lua
    same int.csv.part kept 'a refused journal changes'
fi
lines=$(cat int.csv.part | wc -l)
run 0 "${long[@]}" -o int.csv
same long.csv int.csv "a sweep that went on after $lines lines"
nothing_left 'a sweep that went on'

# The model file is read once, at first: what becomes of it later does not matter.
cp top.lua gone.lua
"$polhode" sweep gone.lua "${long[@]:2}" -o gone.csv >out 2>err </dev/null &
pid=$!
while [[ $(wc -l 2>/dev/null <gone.csv.part || echo 0) -lt 3 ]] && kill -0 $pid 2>/dev/null; do sleep 0.01; done
echo 'error("changed")' >gone.lua
wait $pid || fail "a model file that changes: $(cat err)"
same long.csv gone.csv 'a model file that changes'

# SIGKILL at random moments, of the program alone or of its workers too, until it comes through.
kills=0
for round in $(seq 20); do
    setsid "$polhode" "${long[@]}" -o kill.csv --jobs $((1 + round % 3)) >out 2>err </dev/null &
    pid=$!
    sleep "0.0$((RANDOM % 9))$((RANDOM % 10))"
    if ((round % 2)); then kill -KILL -- "-$pid"; else kill -KILL "$pid"; fi 2>/dev/null && kills=$((kills + 1))
    wait $pid 2>/dev/null
    if [[ -e kill.csv ]]; then # it was faster
        same long.csv kill.csv "round $round"
        rm -f kill.csv
    fi
done
for _ in $(seq 50); do # workers of the killed are gone soon; they hold no lock
    "$polhode" "${long[@]}" -o kill.csv >out 2>err </dev/null && break
    sleep 0.1
done
same long.csv kill.csv "after $kills kills"
nothing_left 'a killed sweep'
((kills >= 5)) || fail "only $kills of 20 kills hit"

# A torn line, and bytes that went wrong.
run 0 "${long[@]}" --case 1/1 -o torn.csv
mv torn.csv.part.1of1 torn.csv.part
head -c -30 torn.csv.part >cut && mv cut torn.csv.part
sed -i '7s/1/2/; 9s/ok/ko/; 11d' torn.csv.part
run 0 "${long[@]}" -o torn.csv
same long.csv torn.csv 'a torn journal'

# --fresh begins anew.
printf 'polhode journal 1 0123456789abcdef\n' >fresh.csv.part
run 2 "${study[@]}" -o fresh.csv
run 0 "${study[@]}" -o fresh.csv --fresh
same one.csv fresh.csv '--fresh'
nothing_left '--fresh'
echo 'a,b' >mine.csv.part
run 2 "${study[@]}" -o mine.csv
has err "'mine.csv.part' is there, and no journal"
rm mine.csv.part

# ---- shares ----------------------------------------------------------------------------------------------
for k in 1 2 3; do
    run 0 "${study[@]}" --case $k/3 -o share.csv
    has out "share $k/3: 8 of 24 cases in share.csv.part.${k}of3"
done
[[ ! -e share.csv ]] || fail 'a share writes the table'
run 0 "${study[@]}" -o share.csv
same one.csv share.csv 'shares give another table'
nothing_left 'gathering shares'
run 0 "${study[@]}" --case 2/3 -o part.csv # the others are computed now
run 0 "${study[@]}" -o part.csv
same one.csv part.csv 'one share of three gives another table'
run 0 "${study[@]}" --case 1/2 -o odd.csv
run 2 sweep top.lua --vary m=1,2 -o odd.csv
has err "'odd.csv.part.1of2' is the journal of another study"
rm -f odd.csv.part*

# ---- other outputs ---------------------------------------------------------------------------------------
run 0 "${study[@]}" -o /dev/stdout --quiet
same out one.csv '-o /dev/stdout'
[[ ! -e /dev/stdout.part ]] || fail '/dev/stdout.part'
run 0 "${study[@]}" -o sub.csv --quiet
run 0 "${study[@]}" --quiet
[[ ! -s out && ! -s err ]] || fail '--quiet is not'
if command -v gnuplot >/dev/null; then
    run 0 "${study[@]}" --plot p.svg --sensor tip --quiet
    grep -q '<svg' p.svg || fail 'no plot'
    run 0 sweep top.lua --vary m=10:20:9 --vary rho=0:1:9 --t-end 0.02 --sensor energy --plot map.svg --quiet
    run 0 sweep top.lua --vary m=10:20 --vary rho=0:1 --sample 9 --t-end 0.02 --plot samples.svg --quiet
    # the same map whichever way the values go; points where there are neither lines nor a map
    run 0 sweep top.lua --vary m=20:10:9 --vary rho=1:0:9 --t-end 0.02 --sensor energy --plot down.svg --quiet
    cmp -s map.svg down.svg || fail 'a map of descending values is another'
    run 0 sweep top.lua --vary m=10 --vary rho=0:1:9 --t-end 0.02 --sensor energy --plot one.svg --quiet
    run 0 sweep top.lua --vary m=10,20 --vary rho=0:1:3 --vary h=1e-3,2e-3,5e-3 --t-end 0.02 --sensor energy --plot three.svg --quiet
    grep -q 'rho' one.svg && grep -q 'rho' three.svg || fail 'no points over rho'
fi

# ---- inputs ----------------------------------------------------------------------------------------------
# A table of an input is known by what it has: rows of a journal from before it changed are of another study.
pushed 0.05 >pushed.lua
printf 't,u\n0,-1\n0.5,1\n' >push.csv
pushes=(sweep pushed.lua --vary m=1,2 --input u=push.csv)
run 0 "${pushes[@]}" --case 1/2 -o pushes.csv
printf 't,u\n0,7\n0.5,-4\n' >push.csv
run 2 "${pushes[@]}" -o pushes.csv
has err "'pushes.csv.part.1of2' is the journal of another study"
run 0 "${pushes[@]}" --case 1/2 --fresh -o pushes.csv
mv push.csv moved.csv # and not by its name
run 0 sweep pushed.lua --vary m=1,2 --input u=moved.csv -o pushes.csv
nothing_left 'a sweep with inputs'

finish
