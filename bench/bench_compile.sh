#!/bin/sh
# Compiled models beside the library: microseconds of a step, best of several runs. bench/bench_compile.sh POLHODE
# Columns: the library (polhode run), the compiled model, and one of 4 members that step at once; seconds to compile.
set -eu
polhode=$1 root=$(cd "$(dirname "$0")/.." && pwd) dir=$(mktemp -d)
trap 'rm -r "$dir"' EXIT
flags="-std=c17 -O2 -fno-tree-vectorize -march=native -ffp-contract=off -fno-math-errno"
library() {
    for _ in 1 2 3 4 5; do
        "$polhode" run "$@" --json --quiet 2>/dev/null | sed 's/.*"steps":\([0-9]*\).*"wall_s":\([0-9.e-]*\).*/\2 \1/' | awk '{print $1 / $2 * 1e6}'
    done | sort -g | head -1
}
compiled() { # lanes model options
    lanes=$1 && shift
    "$polhode" compile "$@" --name m --lanes "$lanes" -o "$dir" >/dev/null 2>&1
    cc $flags -DNAME=m -I "$dir" "$root/bench/bench_compile.c" "$dir/m.c" -o "$dir/m" -lm
    "$dir/m" 200 100
}
printf '%-42s %9s %9s %7s %9s %7s %9s\n' "model" "library" "compiled" "ratio" "4 members" "ratio" "cc [s]"
while read -r model options; do
    file=$root/models/$model.lua
    l=$(library "$file" $options)
    before=$(date +%s.%N)
    c=$(compiled 1 "$file" $options)
    after=$(date +%s.%N)
    m=$(compiled 4 "$file" $options)
    echo "$l $c $m $before $after" | awk -v name="$model $options" \
        '{printf "%-42s %9.3f %9.3f %7.2f %9.3f %7.1f %9.1f\n", name, $1, $2, $1 / $2, $3 / 4, 4 * $1 / $3, $5 - $4}'
done <<MODELS
heavy_top --formulation index3
heavy_top --formulation ggl
slider_crank --formulation index3
slider_crank --formulation ggl
four_bar --formulation index3
chain --formulation index3
chain --formulation index3 --set N=100
chain --formulation ggl --set N=100
MODELS
