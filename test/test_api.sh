#!/usr/bin/env bash
# scripts/api: every public function has a comment, and doxygen has nothing to complain of; both mistakes are seen.
set -uo pipefail

source=$(cd "$(dirname "$0")/.." && pwd)
command -v doxygen >/dev/null || { echo "no doxygen: nothing to do"; exit 0; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

page=$("$source/scripts/api" "$tmp/api") || fail "scripts/api"
[[ -s $page ]] || fail "no page '$page'"
functions=$(grep -ohE '^PH_API .*\bph_[a-z_0-9]+\(' "$source"/include/polhode/*.h | wc -l)
((functions >= 200)) || fail "only $functions functions"
for name in ph_run_step ph_version ph_system_nl; do # with a comment before it, behind it, behind the last of several
    grep -rqF "$name()" "$tmp/api/html" || fail "no $name in the pages"
done

# A function without a comment; a comment that doxygen does not take.
mkdir "$tmp/copy" "$tmp/copy/docs" && cp -r "$source/include" "$source/scripts" "$tmp/copy" && cp "$source/docs/Doxyfile" "$tmp/copy/docs"
mistake() { # TEXT of a header, WORDS of the complaint
    printf '/* A header. */\n%s\n' "$1" >"$tmp/copy/include/polhode/mistake.h"
    if "$tmp/copy/scripts/api" "$tmp/wrong" >"$tmp/log" 2>&1; then fail "no complaint of: $1"; fi
    grep -qF "$2" "$tmp/log" || fail "the complaint of '$1' is: $(cat "$tmp/log")"
}
mistake 'PH_API int ph_silent(int k);' 'ph_silent(int k) (function) of file mistake.h is not documented'
mistake '/* See @ref nowhere_at_all. */
PH_API int ph_lost(int k);' 'nowhere_at_all'

((failures == 0)) || exit 1
echo "$functions functions"
