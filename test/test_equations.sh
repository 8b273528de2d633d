#!/usr/bin/env bash
# Every numbered equation of docs/theory.md is cited by a test, or marked as a definition or a step on the way.
set -uo pipefail

source=$(cd "$(dirname "$0")/.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# Lines of formulas that end with a number: "A1", "L1 def."
numbered() {
    formulas "$1" | grep -oP '\\text\{\(\K[A-Z]{1,2}[0-9]+\)( def\.)?(?=\}( \\\\)?$)' | tr -d ')'
}

# What stands between ```math and ```.
formulas() {
    awk '/^```math$/ {on = 1; next} /^```$/ {on = 0} on' "$1"
}

# Numbers that files cite; (A1)-(A3) is all three.
cited() {
    cat "$@" | grep -oP '(?<!\w)\([A-Z]{1,2}[0-9]+\)( ?(-|to) ?\([A-Z]{1,2}[0-9]+\))?' | tr -d '() ' | sed 's/to/-/' | while IFS=- read -r from to; do
        letters=${from%%[0-9]*}
        to=${to:-$from}
        for ((k = ${from#"$letters"}; k <= ${to#"$letters"}; k++)); do
            echo "$letters$k"
        done
    done | sort -u
}

numbered "$source/docs/theory.md" >"$tmp/all"
cited "$source"/test/*.[ch] "$source"/test/*.sh "$source"/verify/claim/*.def >"$tmp/tests"
cited "$source"/docs/theory.md >"$tmp/known"

[ "$(wc -l <"$tmp/all")" -ge 200 ] || fail "docs/theory.md has $(wc -l <"$tmp/all") numbered equations"
while read -r number; do
    fail "docs/theory.md has two equations ($number)"
done < <(sed 's/ .*//' "$tmp/all" | sort | uniq -d)
while read -r number mark; do
    [ -n "$mark" ] || grep -qx "$number" "$tmp/tests" || fail "no test cites ($number), and it is not marked 'def.'"
done <"$tmp/all"
# What a test or the code cites is there. (Q1) to (Q5) stand in the file that has the printed algorithms.
cited "$source"/src/*/*.[ch] "$source"/test/*.[ch] | grep -E '^(A|B|C|D|E|F|G|J|K|L|N|P|R|S|T|V|VS|W|X|Y)[0-9]+$' |
    comm -13 "$tmp/known" - >"$tmp/unknown"
while read -r number; do
    fail "($number) is cited, and docs/theory.md does not have it"
done <"$tmp/unknown"

# Every block that is opened is closed, and its formula is TeX that GitHub renders: no macro of pandoc or LaTeX alone, no bar in a
# table. What pandoc makes of it is looked at by test_site.
[ "$(grep -c '^```math$' "$source/docs/theory.md")" -ge 150 ] || fail "docs/theory.md has few blocks of mathematics"
grep -nE '^    [^ ].*\([A-Z]{1,2}[0-9]+\)( def\.)?$' "$source/docs/theory.md" && fail "a formula that is no mathematics"
grep -nP '^\|.*\$`[^`]*(?<!\\)\|[^`]*`\$' "$source/docs/theory.md" && fail "a bar of a formula ends a cell of its table"
grep -nE '\\(tag|label|newcommand|def|operatorname|Bigl|Bigr)\b' "$source/docs/theory.md" && fail "a macro that not every page renders"

# The test sees what it looks for.
printf '```math\na &= b && \\text{(A1)} \\\\\nc = \\text{(A9)} d \\qquad \\text{(A2) def.}\n```\ntext (A3)\n\\text{(A4)}\n' >"$tmp/page"
[ "$(numbered "$tmp/page" | tr '\n' ' ')" = "A1 A2 def. " ] || fail "numbers of a page: $(numbered "$tmp/page")"
echo '/* (A1)-(A3), (B2) */' >"$tmp/code"
[ "$(cited "$tmp/code" | tr '\n' ' ')" = "A1 A2 A3 B2 " ] || fail "citations: $(cited "$tmp/code")"

echo "$(wc -l <"$tmp/all") equations, $(grep -c def "$tmp/all") of them marked, $failures failures"
[ "$failures" = 0 ]
