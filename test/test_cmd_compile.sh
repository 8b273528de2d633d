#!/usr/bin/env bash
# polhode compile: files that a compiler takes without a warning, options that reach them, refusals with exit code 2.
set -eu
dir=$(mktemp -d)
trap 'rm -r "$dir"' EXIT
models=$(cd "$(dirname "$0")/../models" && pwd)

refused() { # words, then arguments
    local words=$1 code=0
    shift
    "$POLHODE" compile "$@" >"$dir/out" 2>"$dir/err" || code=$?
    [ "$code" = 2 ] || { echo "exit code $code: compile $*"; exit 1; }
    grep -qF -- "$words" "$dir/err" || { cat "$dir/err"; echo "lacks: $words"; exit 1; }
    [ "$(wc -l <"$dir/err")" = 1 ] || { cat "$dir/err"; echo "more than one line"; exit 1; }
}

"$POLHODE" compile "$models/heavy_top.lua" --formulation index3 --set m=16 --h=2e-3 --cuda -o "$dir" >"$dir/out"
printf '%s\n' "$dir/heavy_top.h" "$dir/heavy_top.c" "$dir/heavy_top.cu" | cmp - "$dir/out"
grep -q 'index3, .*h 0.002 s' "$dir/heavy_top.h"
grep -q '^ \* m = 16$' "$dir/heavy_top.h"
grep -q 'heavy_top_tip(const heavy_top \*s, heavy_top_real out\[3\]);' "$dir/heavy_top.h"
cc -std=c17 -Wall -Wextra -Wpedantic -Werror -O1 -c "$dir/heavy_top.c" -o "$dir/heavy_top.o"
! nm "$dir/heavy_top.o" | grep -E ' U (malloc|printf|fopen|free)'
! nm "$dir/heavy_top.o" | grep -E ' [dDbB] ' # no variable outside the state
if command -v g++ >/dev/null; then # the header is one of C++ too
    echo '#include "heavy_top.h"' | g++ -std=c++17 -Wall -Werror -x c++ -fsyntax-only -I "$dir" -
fi

# The stack that the header states holds the frames of all functions together; nothing recurses.
"$POLHODE" compile "$models/dc_motor.lua" -o "$dir" > "$dir/out"
header=$(head -1 "$dir/out")
for name in heavy_top "$(basename "$header" .h)"; do
    bytes=$(sed -n 's/.*need at most \([0-9]*\) bytes of stack.*/\1/p' "$dir/$name.h")
    (cd "$dir" && gcc -std=c17 -O2 -ffp-contract=off -fno-math-errno -fstack-usage -c "$name.c" -o frames.o)
    used=$(awk -F'\t' '{ sum += $2 } END { print sum }' "$dir/frames.su" 2> /dev/null || awk -F'\t' '{ sum += $2 } END { print sum }' "$dir/$name.su")
    [ -n "$bytes" ] && [ "$used" -gt 0 ] && [ "$used" -le "$bytes" ] || { echo "$name: $used bytes of stack, stated $bytes"; exit 1; }
    ! grep -q dynamic "$dir"/*.su
done

# The same file on another processor: results to round-off, under an emulator.
cat >"$dir/other.c" <<'C'
#include <stdio.h>
#include "heavy_top.h"
int main(void)
{
    static heavy_top s;
    double tip[3];
    heavy_top_init(&s);
    for (int k = 0; k < 100; k++)
        if (heavy_top_step(&s))
            return 1;
    heavy_top_tip(&s, tip);
    printf("%.15e %.15e %.15e\n", tip[0], tip[1], tip[2]);
    return 0;
}
C
flags="-std=c17 -O1 -ffp-contract=off -fno-math-errno -Wall -Wextra -Wpedantic -Werror"
cc $flags -I "$dir" "$dir/other.c" "$dir/heavy_top.c" -o "$dir/here" -lm
arm=arm-linux-gnueabihf-gcc
if command -v $arm >/dev/null && command -v qemu-arm >/dev/null; then
    $arm $flags -I "$dir" "$dir/other.c" "$dir/heavy_top.c" -o "$dir/there" -lm
    qemu-arm -L /usr/arm-linux-gnueabihf "$dir/there" >"$dir/there.out"
    "$dir/here" | paste - "$dir/there.out" |
        awk '{ for (i = 1; i <= 3; i++) { d = $i - $(i + 3); if (d < 0) d = -d; if (!(d < 1e-12)) bad = 1 } } END { exit bad || NR != 1 }' ||
        { "$dir/here"; cat "$dir/there.out"; echo "another processor has other results"; exit 1; }
else
    echo "$arm or qemu-arm is not there: no run on another processor"
fi

# What rules of embedded software ask for: no array of variable length, no recursion, no goto, no memory but the stack, nothing printed.
for name in heavy_top "$(basename "$header" .h)"; do
    cc -std=c17 -Wvla -Werror=vla -fsyntax-only "$dir/$name.c"
    ! grep -nE '\b(goto|setjmp|longjmp|alloca|malloc|calloc|realloc|free|printf|exit|abort)\b *[(;a-z]' "$dir/$name.c" | grep -v '^[0-9]*: \*\|/\*'
    (cd "$dir" && gcc -std=c17 -O0 -Dalways_inline=unused -fdump-ipa-cgraph -c "$name.c" -o calls.o && python3 - "$dir" <<'CALLS'
import glob, os, re, sys
calls, at = {}, None
path = max(glob.glob(sys.argv[1] + "/*.cgraph"), key=os.path.getmtime)
for line in open(path):
    m = re.match(r"^(\S+?)/\d+ \(", line)
    if m:
        at = m.group(1)
    m = re.match(r"^\s+Calls: (.*)", line)
    if m and at:
        calls.setdefault(at, set()).update(re.findall(r"(\w+)/\d+", m.group(1)))
assert len(calls) > 20, len(calls)
def visit(f, way):
    assert f not in way, "recursion: " + " ".join(way + [f])
    if f not in done:
        for g in calls.get(f, ()):
            visit(g, way + [f])
        done.add(f)
done = set()
for f in list(calls):
    visit(f, [])
CALLS
    )
    rm -f "$dir"/*.cgraph
done

# Titles and units are texts of comments, and stay there.
cat >"$dir/hostile.lua" <<'LUA'
model "*/ #error title /*/ \\"
body { name = "b", mass = 1, inertia = {1, 1, 1} }
input { name = "u", unit = "*/ int unit; /*", value = 1 }
force { body = "b", value = function(t, s) return 0, 0, s.inputs.u end }
run { t_end = 1, h = 0.1 }
LUA
"$POLHODE" compile "$dir/hostile.lua" --name hostile -o "$dir" >"$dir/out"
cc -std=c17 -Wall -Wextra -Wpedantic -Werror -c "$dir/hostile.c" -o "$dir/hostile.o"
! grep -F '*/ #error' "$dir/hostile.h" "$dir/hostile.c"

# A parameter that stays open, a bound of the iterations, in a folder that is new.
"$POLHODE" compile "$models/heavy_top.lua" --open m --max-iterations 3 -o "$dir/new" >"$dir/out"
grep -q 'heavy_top_real m;' "$dir/new/heavy_top.h"
grep -q 'at most 3 iterations' "$dir/new/heavy_top.h"

# The driver of ensembles as plain C, a device of one thread: members of a table, whose statistics are those of a sweep of the library.
"$POLHODE" compile "$models/heavy_top.lua" --open m --cuda -o "$dir/device" >"$dir/out"
(cd "$dir/device" && cc $flags -c heavy_top.c && cc $flags -x c heavy_top.cu -x none heavy_top.o -lm -o heavy_top_ensemble &&
    cc $flags -DPH_LIBRARY -fsyntax-only -x c heavy_top.cu)
"$POLHODE" sweep "$models/heavy_top.lua" --t-end 0.05 --vary m=10:20:201 --sensor tip,energy --quiet -o "$dir/sweep.csv"
python3 - "$dir" <<'ENSEMBLE'
import csv, subprocess, sys
dir = sys.argv[1]
rows = list(csv.DictReader(l for l in open(f"{dir}/sweep.csv") if not l.startswith("#")))
table = ["m"] + [r["m"] for r in rows]
open(f"{dir}/device/table.csv", "w").write("\n".join(table) + "\n")
def ensemble(*words):
    p = subprocess.run([f"{dir}/device/heavy_top_ensemble", *words], capture_output=True, text=True, cwd=f"{dir}/device")
    return p.returncode, p.stdout, p.stderr
def numbers(line):
    words = line.split()
    return words[0], {k: float(v) for k, v in zip(words[1::2], words[2::2])}
code, out, err = ensemble("201", "50", "table.csv")
assert code == 0, err
lines = out.splitlines()
assert "failed 0" in lines[0] and "8 of 8 members have the same bits" in lines[1] and "statistics of 17 values" in lines[2], lines[:3]
seen = dict(numbers(l) for l in lines[3:])
columns = {k.split(" ")[0]: sorted(float(r[k]) for r in rows) for k in rows[0] if k.startswith(("tip", "energy"))}
for name, x in (("tip[1]", columns["tip.1"]), ("tip[3]", columns["tip.3"]), ("energy", columns["energy"])):
    s, mean = seen[name], sum(x) / len(x)
    size = max(map(abs, x))
    assert abs(s["mean"] - mean) < 1e-8 * size, (name, s, mean)  # Newton's tolerance
    deviation = (sum((v - mean) ** 2 for v in x) / len(x)) ** 0.5
    assert abs(s["deviation"] - deviation) < 1e-6 * size, (name, s, deviation)
    assert abs(s["min"] - x[0]) < 1e-8 * size and abs(s["max"] - x[-1]) < 1e-8 * size, (name, s)
    for part in (5, 25, 50, 75, 95):  # between neighbours, and a bin of the histogram
        k = part * len(x) // 100
        slack = (x[-1] - x[0]) / 1024 + 1e-5 * size
        assert x[k - 1] - slack <= s[f"{part}%"] <= x[k + 1] + slack, (name, part, s)
# Members of a range lie in it and fill it; the same every time.
code, out, err = ensemble("1000", "1", "m=10:20", "1e-3")
assert code == 0 and ensemble("1000", "1", "m=10:20", "1e-3")[1].splitlines()[3:] == out.splitlines()[3:]
assert "8 of 8" in out.splitlines()[1]
low, high = (dict(numbers(l) for l in ensemble("1", "1", f"m={m}")[1].splitlines()[3:])["energy"]["mean"] for m in (10, 20))
e = dict(numbers(l) for l in ensemble("1000", "1", "m=10:20")[1].splitlines()[3:])["energy"]
assert low <= e["min"] < low + 0.01 * (high - low) and high - 0.01 * (high - low) < e["max"] <= high, (low, e, high)
for words, what in ((("201", "50", "none.csv"), "cannot be read"), (("202", "50", "table.csv"), "fewer lines"), (("2", "2", "k=1"), "no open parameter"),
                    (("2", "2", "m=1:"), "NAME=LOW:HIGH"), (("0", "1"), "MEMBERS STEPS")):
    code, out, err = ensemble(*words)
    assert code == 2 and what in err and len(err.splitlines()) == 1, (words, code, err)
ENSEMBLE
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [ -x "$nvcc" ]; then
    (cd "$dir/device" && "$nvcc" -std=c++20 -O1 -fmad=false -arch=sm_90 -c heavy_top.cu -o device.o)
else
    echo "there is no nvcc: the file for devices was compiled as C alone"
fi

# A model file whose name C or its library has: the compiled model gets another name.
mkdir "$dir/names"
echo 'body{name="b", mass=1, inertia={1, 1, 1}} run{t_end=1, h=0.01}' >"$dir/names/model"
for name in while main NULL EOF M_PI linux sin strtok_r free index FILE math heavy; do
    cp "$dir/names/model" "$dir/names/$name.lua"
    "$POLHODE" compile "$dir/names/$name.lua" -o "$dir/names" >"$dir/out"
    c=${name}_model
    [ "$name" = heavy ] && c=heavy
    printf '%s\n' "$dir/names/$c.h" "$dir/names/$c.c" | cmp - "$dir/out"
    { printf '#include <%s.h>\n' math stdio stdlib string && echo "#include \"$c.c\""; } >"$dir/names/all.c"
    cc -O0 -Werror -fsyntax-only "$dir/names/all.c"
done

mkdir "$dir/none"
refused "'2top' is not a name in C" "$models/heavy_top.lua" --name 2top -o "$dir/none"
refused "'while' is a word of C" "$models/heavy_top.lua" --name while -o "$dir/none"
refused "'sin' is a name of the C library" "$models/heavy_top.lua" --name sin -o "$dir/none"
refused "beam_element 'spoke0.1' cannot be compiled" "$models/beam_wheel.lua" -o "$dir/none"
refused "beam_element 'rod.1' cannot be compiled" "$models/flying_spaghetti.lua" -o "$dir/none" # in no space, so none is advised
refused "beam_element 'bar.1' cannot be compiled" "$models/flexible_pendulum.lua" -o "$dir/none"
refused "cannot be compiled" "$models/roll_up.lua" --open n -o "$dir/none" # whatever n does
refused "flexible 'arm' cannot be compiled" "$models/craig_bampton.lua" -o "$dir/none"
refused "leave lanes out" "$models/heavy_top.lua" --lanes 4 --cuda -o "$dir/none"
refused "cannot make the folder" "$models/heavy_top.lua" -o "$dir/not/there"
refused "'N' cannot stay open" "$models/chain.lua" --open N -o "$dir/none"
refused "has no parameter 'M'" "$models/heavy_top.lua" --open m,M -o "$dir/none"
refused "the method rkmk cannot be compiled" "$models/heavy_top.lua" --method rkmk -o "$dir/none"
refused "cannot start anew, as members of an ensemble must" "$models/heavy_top.lua" --method bliedf --order 3 --cuda -o "$dir/none"
refused "cannot start anew, as an FMU must" "$models/heavy_top.lua" --method bliedf --order 3 --fmu "$dir/none/m.fmu"
refused "joint 'sling': a joint that events release or engage cannot be compiled" "$models/trebuchet.lua" -o "$dir/none"
refused "event 'touch': what events do cannot be done by an FMU" "$models/bouncing_ball.lua" --fmu "$dir/none/m.fmu"
cat >"$dir/asks.lua" <<'LUA'
model "asks"
particle { name = "b", mass = 1 }
local n = 0
event { name = "e", when = function(t, s) n = n + 1 return s.b.position.z - n end, action = "stop" }
run { t_end = 1, h = 0.1 }
LUA
refused "event 'e': its function cannot be compiled" "$dir/asks.lua" -o "$dir/none"
refused "a name is empty" "$models/heavy_top.lua" --open m, -o "$dir/none"
[ -z "$(ls -A "$dir/none")" ] || { echo "files of refused models are left"; exit 1; }
