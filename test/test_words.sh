#!/usr/bin/env bash
# docs/glossary.md is true: the names of its table exist, and the words that went occur nowhere else. No sentence of a
# comment or a page begins with "Of". The commands that answer the ten questions of CONTRIBUTING.md find something.
set -uo pipefail

source=$(cd "$(dirname "$0")/.." && pwd)
polhode=${POLHODE:?path of the program}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0
cd "$source" || exit 1

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

quoted() { # what stands between backquotes, line by line
    grep -oE '`[^`]+`' | tr -d '`'
}

column() { # K FILE: column K of the first table of a glossary
    awk -F'|' -v k="$1" '/^## /{exit} /^\| /{print $(k + 1)}' "$2" | tail -n +2 | quoted
}

gone() { # FILE: the old words
    awk -F'|' '/^## /{on = 1} on && /^\| /{print $2}' "$1" | quoted
}

texts() {
    find src include verify python test docs examples models scripts README.md CONTRIBUTING.md -type f \
        -not -path 'test/fuzz/corpus/*' -not -path 'docs/figures/*' -not -path '*/__pycache__/*' \
        -not -name glossary.md -not -name 'test_words.*' \( -name '*.[ch]' -o -name '*.def' -o -name '*.md' -o -name '*.py' \
        -o -name '*.sh' -o -name '*.lua' -o -path 'scripts/*' \)
}

mapfile -t all < <(texts)
[ "${#all[@]}" -ge 900 ] || fail "only ${#all[@]} texts"

glossary=docs/glossary.md
rows=0
while read -r name; do
    rows=$((rows + 1))
    grep -rqwF --include='*.h' --include='*.def' -- "$name" include src verify || fail "no '$name' in C"
done < <(column 3 "$glossary")
[ "$rows" -ge 40 ] || fail "the table of the glossary has $rows names in C"
while read -r name; do
    grep -rqF --include='*.def' --include='*.c' -- "\"$name\"" src/cli/options.def verify || fail "no option '$name'"
done < <(column 4 "$glossary")
"$polhode" list keys >"$tmp/keys" 2>/dev/null || fail "polhode list keys"
while read -r name; do
    grep -qwF -- "$name" "$tmp/keys" || grep -qE "(^|[^a-z_])$name *(\{|\(|\"|=)" docs/model.md || fail "model files have no '$name'"
done < <(column 5 "$glossary")

# The program answers to old options: base/words.c and its test know them.
while read -r word; do
    found=$(printf '%s\0' "${all[@]}" | grep -zvE '^(src/base/words\.c|test/test_cli\.sh)$' | xargs -0 grep -lwF -- "$word" | tr '\n' ' ')
    [ -z "$found" ] || fail "'$word' in $found"
done < <(gone "$glossary")

found=$(printf '%s\0' "${all[@]}" | xargs -0 grep -nE '(/\* |^ *\* |// |# |[.;:] |^|"|-- )Of [a-zA-Z]' | grep -vE 'Of\(' | head -5)
[ -z "$found" ] || fail "sentences that begin with Of: $found"

# The ten questions of CONTRIBUTING.md: the command at the end of each answer finds something.
questions=0
while read -r command; do
    questions=$((questions + 1))
    [ -n "$(timeout 60 bash -c "$command" 2>"$tmp/err")" ] && [ ! -s "$tmp/err" ] || fail "CONTRIBUTING.md: '$command' finds nothing"
done < <(sed -n '/^## Ten questions/,/^## Style/p' CONTRIBUTING.md | grep -oE '`(grep|ls|head) [^`]+`$' | tr -d '`')
[ "$questions" = 10 ] || fail "CONTRIBUTING.md answers $questions of ten questions"

# The test sees what it looks for.
printf '| word | m | in C | option | key |\n|---|---|---|---|---|\n| a | b | `no_such_name` | `--none` | `nothing` |\n\n## Old\n\n| old | now |\n|---|---|\n| `run` | x |\n' >"$tmp/words"
[ "$(column 3 "$tmp/words")" = no_such_name ] && [ "$(column 4 "$tmp/words")" = --none ] && [ "$(gone "$tmp/words")" = run ] || fail "the glossary is not read"

echo "${#all[@]} texts, $rows names, $failures failures"
[ "$failures" = 0 ]
