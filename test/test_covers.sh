#!/usr/bin/env bash
# Every source file has its test: under its name, or in the list test/covers.txt.
set -uo pipefail

source=$(cd "$(dirname "$0")/.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

strict='la|lie|step|method|sens|equilibrium|run' # folders whose files have a test in C of their own name

is_test() { # ROOT NAME
    [ -e "$1/test/$2.c" ] || [ -e "$1/test/$2.sh" ]
}

# Complaints about one tree.
check() {
    local root=$1 file name tests t
    grep -vE '^(#|$)' "$root/test/covers.txt" | sort >"$tmp/rows"
    cut -d' ' -f1 "$tmp/rows" | uniq -d | sed 's/$/ stands twice in covers.txt/'
    (cd "$root" && find src verify -name '*.c' | sort) >"$tmp/files"
    while read -r file; do
        name=$(basename "$file" .c)
        if [[ $file =~ ^src/($strict)/ ]]; then
            [ -e "$root/test/test_$name.c" ] || echo "$file has no test/test_$name.c"
        elif ! is_test "$root" "test_$name" && ! grep -qE "^$file( |\$)" "$tmp/rows"; then
            echo "$file has no test of its name and no row in test/covers.txt"
        fi
    done <"$tmp/files"
    while read -r file tests; do
        grep -qx "$file" "$tmp/files" || echo "covers.txt: there is no $file"
        [[ ! $file =~ ^src/($strict)/ ]] || echo "covers.txt: $file needs a test of its own name"
        [ -n "$tests" ] || echo "covers.txt: no test covers $file"
        for t in $tests; do
            is_test "$root" "$t" || echo "covers.txt: there is no $t, which is to cover $file"
        done
    done <"$tmp/rows"
}

while read -r line; do
    fail "$line"
done < <(check "$source")

# The test sees what it looks for.
mkdir -p "$tmp/other/src/la" "$tmp/other/src/io" "$tmp/other/verify" "$tmp/other/test"
touch "$tmp/other/src/la/a.c" "$tmp/other/src/io/b.c" "$tmp/other/src/io/c.c" "$tmp/other/test/test_c.c"
printf 'src/io/c.c test_c\nsrc/io/d.c test_x\nsrc/la/a.c test_c\n' >"$tmp/other/test/covers.txt"
[ "$(check "$tmp/other" | wc -l)" = 5 ] || fail "of five faults are seen: $(check "$tmp/other")"

echo "$(find "$source/src" "$source/verify" -name '*.c' | wc -l) files, $(grep -cvE '^(#|$)' "$source/test/covers.txt") rows, $failures failures"
[ "$failures" = 0 ]
