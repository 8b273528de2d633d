#!/bin/sh
# Ensembles of compiled models on a device, beside one core and all cores of its host.
#   bench/bench_device.sh prepare POLHODE FOLDER    write the sources, where there is polhode; take it and its libraries along
#   bench/bench_device.sh run FOLDER                build and measure them, where there is nvcc and a device; nothing of Polhode need be installed
# Prints, for each model, steps per second of all members together: one core, members one by one and four at once; all cores, four at once; the
# device, without contraction (the bits of the host) and with it, and the bytes of a member. Then the statistics of 10^7 tops with other
# masses, and sweeps by polhode: interpreted, four cases at once on all cores, and on the device, with the largest difference of sensors.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
models="heavy_top slider_crank chain"
if [ "$1" = prepare ]; then
    for model in $models; do
        "$2" compile "$here/models/$model.lua" --formulation index3 --name "$model" --cuda -o "$3" >/dev/null
        "$2" compile "$here/models/$model.lua" --formulation index3 --name "${model}_4" --lanes 4 -o "$3" >/dev/null
    done
    "$2" compile "$here/models/heavy_top.lua" --formulation index3 --name masses --open m --cuda -o "$3" >/dev/null
    cat > "$3/links.lua" <<'LUA'
model "links"
local m = param("m", 1)
gravity {0, 0, -9.81}
for i = 1, 3 do
    body { name = "b" .. i, mass = m*i, inertia = {m/500, m/300, m/300}, position = {0.2*i - 0.1, 0, 0} }
    joint { name = "j" .. i, type = "spherical", bodies = {i == 1 and "ground" or "b" .. i - 1, "b" .. i}, at = {0.2*(i - 1), 0, 0} }
end
force { name = "wind", body = "b3", value = {0, 1, 0} }
sensor { name = "tip", type = "position", body = "b3", at = {0.1, 0, 0} }
run { t_end = 1, h = 1e-3, formulation = "index3" }
LUA
    mkdir -p "$3/lib"
    cp "$2" "$3/polhode"
    ldd "$2" | awk '$3 ~ /^\// && $1 !~ /^(libc|libm|libdl|libpthread|librt|ld-linux)[.-]/ { print $3 }' | while read -r library; do cp "$library" "$3/lib"; done
    exit 0
fi
cd "$2"
flags="-std=c17 -O2 -fno-tree-vectorize -march=native -ffp-contract=off -fno-math-errno"
cores=$(nproc)
rate() { awk -v members="$1" '{ sum += members / $1 * 1e6 } END { printf "%.3e steps/s\n", sum }'; }
for model in $models; do
    members=4000000 steps=200
    [ "$model" = heavy_top ] || members=400000 steps=50
    for name in "$model" "${model}_4"; do
        cc $flags -DNAME="$name" -I . "$here/bench/bench_compile.c" "$name.c" -o "$name.bench" -lm
    done
    echo "== $model"
    printf '1 core, one by one    '; "./$model.bench" 2000 20 | rate 1
    printf '1 core, 4 at once     '; "./${model}_4.bench" 2000 20 | rate 4
    printf '%d cores, 4 at once   ' "$cores"
    for k in $(seq "$cores"); do "./${model}_4.bench" 2000 40 >"$model.$k.out" & done
    wait
    cat "$model".*.out | rate 4
    "$here/scripts/ensemble" . "$model" "$members" "$steps" 1e-3 | grep -E 'fmad|members'
done
echo "== statistics of 10^7 tops with masses from 10 to 20 kg"
"$here/scripts/ensemble" . masses 10000000 100 m=10:20 | grep -E 'fmad|members|statistics|tip|energy'

# Sweeps: the same table three ways.
polhode() { LD_LIBRARY_PATH="$PWD/lib" ./polhode "$@"; }
if ! polhode --version >/dev/null 2>&1; then
    echo "polhode does not start here: no sweeps"
    exit 0
fi
seconds() { date +%s.%N; }
measure() { # name of the table, then options
    name=$1
    shift
    begin=$(seconds)
    polhode sweep "$@" --quiet --fresh -o "$name.csv"
    echo "$begin $(seconds)" | awk -v name="$name" '{ printf "%-16s %8.2f s\n", name, $2 - $1 }'
}
apart() { # two tables: largest difference of sensors, relative to 1 + |value|
    awk -F, '/^#/ { next } NR == FNR && /^case/ { next }
        NR == FNR { row[$1] = $0; next }
        /^case/ { for (i = 5; i <= NF; i++) if ($i ~ /^t /) last = i - 1; next }
        { split(row[$1], a, ","); for (i = 5; i <= last; i++) { d = $i - a[i]; s = a[i] < 0 ? -a[i] : a[i]; if (d < 0) d = -d; if (d/(1 + s) > most) most = d/(1 + s) } n++ }
        END { printf "largest difference of %d cases: %.3g\n", n, most }' "$1" "$2"
}
three_ways() { # options of a sweep
    echo "== sweep $*"
    measure own "$@"
    for turn in built kept; do # the first has the time of the compiler too
        measure "compiled, $turn" "$@" --compiled
        measure "device, $turn" "$@" --gpu
    done
    apart own.csv "device, kept.csv"
}
three_ways "$here/models/heavy_top.lua" --formulation index3 --vary m=10:20:20000 --t-end 1 --sensor tip,energy
three_ways links.lua --vary m=0.5:2:10000
