#!/usr/bin/env bash
# Every block of code in the documents does what it says. In an empty folder beside the models, page by page and in order: a block of
# Lua whose first line is "-- NAME.lua" becomes that file, as one of C with "/* NAME.c */"; a block of Lua that begins with
# model "..." is a model, too; lines of sh run; Python runs where its package is. What is not run: lines that install or build
# (scripts/test does that), complete programs in C (the test install builds them), Python of the two README files (test_python).
# Anything else that is no program has another mark than sh, lua, c or python, such as text.
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

# builds COMMAND: it installs or builds, or says where that is; in a block of the files in the root and of Python's
builds() {
    [[ $1 =~ ^(\./scripts/|build/|cmake |sudo |git\ |cd |export |\#) ]]
}

# can_run COMMAND: what it needs is there
can_run() {
    [[ $1 != *--plot* ]] || command -v gnuplot >/dev/null || return 1
    [[ $1 != *--live* && $1 != *--dry* ]] || return 1 # test_live
    [[ $1 != cc* ]] || command -v cc >/dev/null || return 1
    [[ $1 != *optimise* ]] || ! polhode optimise x.lua 2>&1 | grep -q 'needs NLopt'
}

run_lua() { # PAGE FILE
    local name
    name=$(head -n 1 "$2" | sed -nE 's#^-- ([a-z_0-9]+\.lua)$#\1#p')
    [[ -n $name || $(head -n 1 "$2") == 'model "'* ]] || { fail "$1: a block of Lua that is no model"; return; }
    cp "$2" "${name:=$(basename "$2")}"
    polhode check "$name" >"$tmp/log" 2>&1 || fail "$1: $(cat "$tmp/log")"
    polhode run "$name" --t-end 0.02 --quiet >"$tmp/log" 2>&1 || fail "$1: $name: $(cat "$tmp/log")"
}

run_c() { # PAGE FILE
    local name
    name=$(head -n 1 "$2" | sed -nE 's#^/\* ([a-z_0-9]+\.c) \*/$#\1#p')
    [[ -n $name ]] || grep -q '^int main' "$2" || { fail "$1: a block of C that is no program"; return; }
    [[ -z $name ]] || cp "$2" "$name"
}

run_sh() { # PAGE FILE
    local line
    while read -r line; do
        [[ -n $line ]] && ! builds "$line" && can_run "$line" || continue
        bash -c "$line" >"$tmp/log" 2>&1 </dev/null || fail "$1: $line: $(tail -n 3 "$tmp/log")"
    done <"$2"
}

run_python() { # PAGE FILE
    [[ -n $python && $1 != *README.md ]] || return 0
    "$python" "$2" >"$tmp/log" 2>&1 </dev/null || fail "$1: $(tail -n 3 "$tmp/log")"
}

blocks() { # PAGE FOLDER: each block a file, NUMBER.KIND
    awk -v out="$2" '/^```/ && !on {on = 1; kind = substr($0, 4); n++; next} /^```$/ {on = 0}
         on {print > sprintf("%s/%03d.%s", out, n, kind == "" ? "text" : kind)}' "$1"
}

for page in "$source"/{README,CONTRIBUTING}.md "$source"/{models,python}/README.md "$source"/docs/*.md "$source"/docs/guide/*.md; do
    name=${page#"$source/"}
    folder=$tmp/${name//\//_}
    mkdir -p "$folder/blocks" && cd "$folder" || exit 1
    ln -s "$source/models" models && ln -s "$source/examples" examples
    blocks "$page" blocks
    for block in blocks/*; do
        kind=${block##*.}
        [[ -e $block && -v run[$kind] ]] || continue
        run_"$kind" "$name" "$block"
        run[$kind]=$((run[$kind] + 1))
    done
done
# So do the examples of the help.
examples=0
mkdir -p "$tmp/help" && cd "$tmp/help" && ln -s "$source/models" models || exit 1
for command in $(polhode list commands | awk '/^  [a-z]/ {print $1}'); do
    polhode help "$command" | awk '/^examples:/ {on = 1; next} on' >lines
    examples=$((examples + $(wc -l <lines)))
    run_sh "help $command" lines
done
((examples >= 20)) || fail "only $examples examples in the help"

((run[lua] >= 18 && run[sh] >= 50 && run[c] >= 3 && run[python] >= 12)) || fail "only ${run[*]} blocks in the documents (${!run[*]})"

((failures == 0)) || exit 1
echo "${run[lua]} models, ${run[sh]} blocks of sh, ${run[python]} of Python, ${run[c]} of C"
