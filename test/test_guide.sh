#!/usr/bin/env bash
# Every block of the guide does what it says. In an empty folder beside the models, page by page and in order: a block of Lua
# whose first line is "-- NAME.lua" becomes that file, as one of C with "/* NAME.c */"; lines of sh run; Python runs where
# its package is.
set -uo pipefail

polhode=${POLHODE:?path of the program}
source=$(cd "$(dirname "$0")/.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export POLHODE_CACHE=$tmp/cache
failures=0
declare -A run=([lua]=0 [sh]=0 [python]=0 [c]=0)

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

mkdir "$tmp/bin" && ln -s "$polhode" "$tmp/bin/polhode"
export PATH=$tmp/bin:$PATH
python=${PH_PYTHON3:-} # and PYTHONPATH: where the package is built
[[ -n $python ]] && "$python" -c 'import polhode, scipy' 2>/dev/null || python=

# can_run COMMAND: what it needs is there
can_run() {
    [[ $1 != *--plot* ]] || command -v gnuplot >/dev/null || return 1
    [[ $1 != *optimise* ]] || ! polhode optimise x.lua 2>&1 | grep -q 'needs NLopt'
}

run_block() { # PAGE KIND FILE
    local page=$1 kind=$2 file=$3 name
    case $kind in
    lua | c)
        name=$(head -n 1 "$file" | sed -nE 's#^(--|/\*) ([a-z_0-9]+\.(lua|c))( \*/)?$#\2#p')
        [[ -n $name ]] || return 0
        cp "$file" "$name"
        [[ $kind == c ]] || polhode check "$name" >"$tmp/log" 2>&1 || fail "$page: $(cat "$tmp/log")"
        ;;
    sh)
        while read -r line; do
            [[ -n $line ]] && can_run "$line" || continue
            bash -c "$line" >"$tmp/log" 2>&1 </dev/null || fail "$page: $line: $(tail -n 3 "$tmp/log")"
        done <"$file"
        ;;
    python)
        [[ -n $python ]] || return 0
        "$python" "$file" >"$tmp/log" 2>&1 </dev/null || fail "$page: $(tail -n 3 "$tmp/log")"
        ;;
    *) return 0 ;;
    esac
    run[$kind]=$((run[$kind] + 1))
}

for page in "$source"/docs/guide/*.md; do
    name=$(basename "$page" .md)
    mkdir -p "$tmp/$name/blocks" && cd "$tmp/$name" || exit 1
    ln -s "$source/models" models && ln -s "$source/examples" examples
    awk '/^```[a-z]+$/ {on = 1; kind = substr($0, 4); n++; next} /^```$/ {on = 0}
         on {print > sprintf("blocks/%03d.%s", n, kind)}' "$page"
    for block in blocks/*; do
        [[ -e $block ]] && run_block "$name.md" "${block##*.}" "$block"
    done
done
((run[lua] >= 5 && run[sh] >= 20)) || fail "only ${run[lua]} models and ${run[sh]} blocks of sh in the guide"

((failures == 0)) || exit 1
echo "${run[lua]} models, ${run[sh]} blocks of sh, ${run[python]} of Python"
