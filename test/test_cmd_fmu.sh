#!/usr/bin/env bash
# polhode compile --fmu: archives that an importer can use, both versions of the interface; refusals with exit code 2.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -r "$dir"' EXIT
cat > "$dir/arm.lua" <<'MODEL'
model [[arm & "co" <1>]]
local m, w = param("m", 1.2), param("w", 0)
gravity {0, -9.81, 0}
body{name="arm", mass=m, inertia={0.01, 0.02, 0.03}, position={0.5, 0, 0}, velocity={0, w/2, 0}, omega={0, 0, w}}
joint{name="hub", type="revolute", bodies={"ground", "arm"}, at={0, 0, 0}, axis={0, 0, 1}}
input{name="push", value=0.4, unit="N m"}
actuator{name="motor", joint="hub", effort=function(t, s) return s.inputs.push*math.cos(s.joints.hub.position) end}
sensor{name="angle", type="joint_position", joint="hub"}
sensor{name="effort", type="effort", of="motor"}
sensor{name="power", type="power", of="motor"}
sensor{name="mixed", type="custom", f=function(t, s) return {s.inputs.push^2 + t, s.inputs.push*s.arm.velocity[2]} end}
run{t_end=0.05, h=1e-3, formulation="index3"}
MODEL
cc -std=c17 -Wall -Wextra -Werror -O0 "$here/fmu_driver.c" -o "$dir/driver" -ldl -lm
"$POLHODE" run "$dir/arm.lua" --json --quiet > "$dir/run.json"
for version in 2 3; do
    "$POLHODE" compile "$dir/arm.lua" --name arm --fmu "$dir/arm.fmu" --fmi $version > "$dir/out"
    [ "$(cat "$dir/out")" = "$dir/arm.fmu" ]
    python3 -m zipfile -t "$dir/arm.fmu" > "$dir/out" # the checksums too
    rm -rf "$dir/open"
    python3 -m zipfile -e "$dir/arm.fmu" "$dir/open"
    if command -v xmllint > /dev/null; then
        xmllint --noout "$dir/open/modelDescription.xml"
    fi
    grep -qF 'arm &amp; &quot;co&quot; &lt;1&gt;' "$dir/open/modelDescription.xml"
    cc -std=c17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only "$dir/open/sources/arm_fmu.c"
    "$dir/driver" $version "$dir/open" > "$dir/angle"
    # round-off and Newton's tolerance: the same model in the library
    python3 - "$dir/angle" "$dir/run.json" <<'COMPARE'
import json, sys
ours, run = float(open(sys.argv[1]).read()), json.load(open(sys.argv[2]))["sensors"]["angle"]
run = run[0] if isinstance(run, list) else run
assert abs(ours - run) < 1e-9, (ours, run)
COMPARE
done

# Importers that add up their time, for 10^7 steps.
cat > "$dir/coast.lua" <<'MODEL'
model "coast"
particle{name="p", mass=1, velocity={1, 0, 0}}
sensor{name="x", type="position", body="p"}
run{t_end=0.05, h=1e-3}
MODEL
for case in "2 10000000" "3 400000"; do
    "$POLHODE" compile "$dir/coast.lua" --fmu "$dir/coast.fmu" --fmi "${case% *}" > "$dir/out"
    rm -rf "$dir/open"
    python3 -m zipfile -e "$dir/coast.fmu" "$dir/open"
    "$dir/driver" "${case% *}" "$dir/open" clock "${case#* }"
done

# Open parameters: set before the initialization, as the library has them; tuned on the way.
"$POLHODE" run "$dir/arm.lua" --set m=2 --set w=1.5 --json --quiet > "$dir/run.json"
for version in 2 3; do
    "$POLHODE" compile "$dir/arm.lua" --name arm --fmu "$dir/arm.fmu" --fmi $version --open m,w > "$dir/out"
    rm -rf "$dir/open"
    python3 -m zipfile -e "$dir/arm.fmu" "$dir/open"
    grep -q 'name="parameters.m" [^>]*causality="parameter" variability="tunable" initial="exact"' "$dir/open/modelDescription.xml"
    grep -q 'name="parameters.w" [^>]*causality="parameter" variability="fixed" initial="exact"' "$dir/open/modelDescription.xml"
    cc -std=c17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only "$dir/open/sources/arm_fmu.c"
    "$dir/driver" $version "$dir/open" m=2 w=1.5 > "$dir/angle"
    python3 - "$dir/angle" "$dir/run.json" <<'COMPARE'
import json, sys
ours, run = float(open(sys.argv[1]).read()), json.load(open(sys.argv[2]))["sensors"]["angle"]
run = run[0] if isinstance(run, list) else run
assert abs(ours - run) < 1e-9, (ours, run)
COMPARE
done

refused() { # words, then arguments
    local words=$1 code=0
    shift
    "$POLHODE" compile "$@" > "$dir/out" 2> "$dir/err" || code=$?
    [ "$code" = 2 ] || { echo "exit code $code: compile $*"; exit 1; }
    grep -qF -- "$words" "$dir/err" || { cat "$dir/err"; echo "lacks: $words"; exit 1; }
    [ "$(wc -l < "$dir/err")" = 1 ] || { cat "$dir/err"; echo "more than one line"; exit 1; }
}
refused "'arm & co'" "$dir/arm.lua" --name 'arm & co' --fmu "$dir/x.fmu"
refused "interface 2 or 3, not 4" "$dir/arm.lua" --name arm --fmu "$dir/x.fmu" --fmi 4
refused "leave lanes out" "$dir/arm.lua" --name arm --fmu "$dir/x.fmu" --lanes 4
cat > "$dir/lifted.lua" <<'MODEL'
model "lifted"
local a, m = param("a", 0.3), param("m", 1)
particle{name="p", mass=m, position={math.cos(a), 0, math.sin(a)}}
run{t_end=0.05, h=1e-3}
MODEL
refused "parameter 'a' cannot stay open" "$dir/lifted.lua" --open a --fmu "$dir/x.fmu"
cat > "$dir/half.lua" <<'MODEL'
model "half"
local a = param("a", 0.3)
particle{name="p", mass=1 + a, position={math.cos(a), 0, 0}}
run{t_end=0.05, h=1e-3}
MODEL
refused "parameter 'a' cannot stay open in an FMU: an initial value is no polynomial of it" "$dir/half.lua" --open a --fmu "$dir/x.fmu"
cat > "$dir/two.lua" <<'MODEL'
model "two"
particle{name="p", mass=1}
input{name="x", value=1}
sensor{name="x", type="position", body="p"}
sensor{name="y", type="custom", f=function(t, s) return t end}
input{name="y", value=2}
run{t_end=0.05, h=1e-3}
MODEL
refused "two variables of the FMU would be called 'y'" "$dir/two.lua" --fmu "$dir/x.fmu"
refused "cannot write" "$dir/arm.lua" --name arm --fmu "$dir/not/there.fmu"
[ ! -e "$dir/x.fmu" ] || { echo "an FMU of a refused model is left"; exit 1; }

# Particles, more variables than fit at first, units that are not in the table, none at all, an effort that is an input.
cat > "$dir/many.lua" <<'MODEL'
model "many"
for i = 1, 15 do particle{name="p" .. i, mass=1, position={i, 0, 0}} end
body{name="b", mass=1, inertia={1, 1, 1}}
joint{name="h", type="revolute", bodies={"ground", "b"}, at={0, 0, 0}, axis={0, 0, 1}}
input{name="u", value=1, unit="kN m"}
input{name="v", value=2}
actuator{name="m", joint="h", effort="u"}
sensor{name="e", type="effort", of="m"}
sensor{name="w", type="power", of="m"}
sensor{name="r", type="reaction", joint="h"}
run{t_end=0.05, h=1e-3}
MODEL
CC=no_such_compiler "$POLHODE" compile "$dir/many.lua" --fmu "$dir/many.fmu" 2> "$dir/err"
rm -rf "$dir/open"
python3 -m zipfile -e "$dir/many.fmu" "$dir/open"
grep -q 'name="bodies.p15.velocity\[3\]"' "$dir/open/modelDescription.xml"
grep -q '<Unit name="kN m"/>' "$dir/open/modelDescription.xml"
! grep -q 'bodies.p1.rotation' "$dir/open/modelDescription.xml"
cc -std=c17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only "$dir/open/sources/many_fmu.c"

# Without a compiler there are sources, and a sentence says so.
CC=no_such_compiler "$POLHODE" compile "$dir/arm.lua" --name arm --fmu "$dir/bare.fmu" 2> "$dir/err"
grep -q "no_such_compiler' is not there: the FMU has sources and no binary" "$dir/err"
python3 -m zipfile -l "$dir/bare.fmu" > "$dir/out"
grep -q sources/arm_fmu.c "$dir/out"
! grep -q binaries "$dir/out"
