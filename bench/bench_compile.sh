#!/bin/sh
# Compiled models beside the library: microseconds of CPU time of a step, best of many runs, in one go.
#   bench/bench_compile.sh BUILD          a folder with polhode and bench_library
# Columns: ph_run_step without watch, compiled model, ratio; one of 4 members that step at once, ratio.
set -eu
build=$(cd "$1" && pwd) root=$(cd "$(dirname "$0")/.." && pwd) dir=$(mktemp -d)
trap 'rm -r "$dir"' EXIT
flags="-std=c17 -O2 -fno-tree-vectorize -march=native -ffp-contract=off -fno-math-errno"
compiled() { # lanes file form [N=n]
    "$build/polhode" compile "$2" --formulation "$3" ${4:+--set "$4"} --name m --lanes "$1" -o "$dir" >/dev/null 2>&1
    cc $flags -DNAME=m -I "$dir" "$root/bench/bench_compile.c" "$dir/m.c" -o "$dir/m" -lm
    "$dir/m" 200 60
}
printf '%-24s %9s %9s %7s %9s %7s\n' model library compiled ratio "4 members" ratio
while read -r model form size; do
    file=$root/models/$model.lua
    l=$("$build/bench_library" "$file" 200 60 "formulation=$form" ${size:+--set "$size"} 2>/dev/null | cut -d " " -f 2)
    c=$(compiled 1 "$file" "$form" $size)
    m=$(compiled 4 "$file" "$form" $size)
    echo "$l $c $m" | awk -v name="$model $form $size" \
        '{printf "%-24s %9.3f %9.3f %7.2f %9.3f %7.1f\n", name, $1, $2, $1 / $2, $3 / 4, 4 * $1 / $3}'
done <<MODELS
heavy_top index3
heavy_top ggl
chain index3 N=100
chain ggl N=100
slider_crank index3
four_bar index3
chain index3
slider_crank ggl
MODELS
