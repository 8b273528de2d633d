#!/usr/bin/env bash
# scripts/site: every page and every formula converts, and every link of the pages leads to a file and a place that is there.
set -uo pipefail

source=$(cd "$(dirname "$0")/.." && pwd)
command -v pandoc >/dev/null || { echo "no pandoc: nothing to do"; exit 0; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0 links=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

"$source/scripts/site" --quick "$tmp/site" >"$tmp/log" 2>&1 || fail "scripts/site: $(cat "$tmp/log")"
formulas=$(grep -o '<math ' "$tmp/site/docs/theory.html" | wc -l)
((formulas >= 1200)) || fail "only $formulas formulas in the theory"
grep -rlE --include='*.html' '\$<code>|</code>\$' "$tmp/site" && fail "mathematics that is left as code"

cd "$tmp/site" || exit 1
while IFS=: read -r file target; do
    [[ $target =~ ^([a-z]+|[a-z]+/[a-z]+):|^# ]] && continue
    links=$((links + 1))
    path=$(dirname "$file")/${target%%#*}
    if [[ ! -e $path ]]; then
        fail "$file: no $target"
    elif [[ $target == *#* ]] && ! grep -qF "id=\"${target#*#}\"" "$path"; then
        fail "$file: $target: no such place"
    fi
done < <(grep -roE --include='*.html' '(href|src)="[^"]+"' . | sed -E 's/(href|src)="(.*)"$/\2/' | sort -u)
((links >= 1000)) || fail "only $links links in the site"

# A formula that does not convert is an error.
printf 'A $`\\frac{1`$ formula.\n' >"$tmp/wrong.md"
pandoc -f gfm -t html --mathml --lua-filter "$source/docs/site/site.lua" "$tmp/wrong.md" >/dev/null 2>"$tmp/log"
grep -q 'Could not convert' "$tmp/log" || fail "a wrong formula passes"

echo "$formulas formulas, $links links, $failures failures"
((failures == 0))
