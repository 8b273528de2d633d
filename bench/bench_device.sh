#!/bin/sh
# Ensembles of compiled models on a device, beside one core and all cores of its host.
#   bench/bench_device.sh prepare POLHODE FOLDER    write the sources, where there is polhode
#   bench/bench_device.sh run FOLDER                build and measure them, where there is nvcc and a device; nothing of Polhode is needed
# Prints, for each model, steps per second of all members together: one core, members one by one and four at once; all cores, four at once; the
# device, without contraction (the bits of the host) and with it, and the bytes of a member.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
models="heavy_top slider_crank chain"
if [ "$1" = prepare ]; then
    for model in $models; do
        "$2" compile "$here/models/$model.lua" --formulation index3 --name "$model" --cuda -o "$3" >/dev/null
        "$2" compile "$here/models/$model.lua" --formulation index3 --name "${model}_4" --lanes 4 -o "$3" >/dev/null
    done
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
