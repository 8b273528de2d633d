#!/usr/bin/env bash
# One name, one thing: no two source files share a basename, no two structs a name, and no file is compiled twice.
set -uo pipefail

source=$(cd "$(dirname "$0")/.." && pwd)
commands=$(dirname "${POLHODE:?path of the program}")/compile_commands.json
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# The texts of compiled models stand in place of headers of the library, with their names.
files() {
    find "$1"/src "$1"/verify \( -name '*.[ch]' -o -name '*.def' \) -not -path '*/compile/text/*' | sort
}

twice() { # basenames of more than one file
    files "$1" | sed 's|.*/||' | sort | uniq -d
}

# "ph_x FILE": alternatives in one file, under #if, count once
structs() {
    files "$1" | xargs grep -oE '^(typedef )?(struct|union) ph_[A-Za-z0-9_]+ \{' /dev/null |
        sed -E 's/^([^:]*):.* (ph_[A-Za-z0-9_]+) \{/\2 \1/' | sort -u
}

while read -r name; do
    fail "files that share the name $name: $(files "$source" | grep "/$name\$" | sed "s|$source/||" | tr '\n' ' ')"
done < <(twice "$source")
while read -r name; do
    fail "structs that share the name $name: $(structs "$source" | grep "^$name " | sed "s|.* $source/||" | tr '\n' ' ')"
done < <(structs "$source" | cut -d' ' -f1 | uniq -d)

# Each file of the library and the programs belongs to one target.
if [ -s "$commands" ]; then
    grep -oE '"file": "[^"]*/(src|verify)/[^"]*\.c"' "$commands" | sort >"$tmp/compiled"
    [ "$(wc -l <"$tmp/compiled")" -ge 200 ] || fail "compile_commands.json lists $(wc -l <"$tmp/compiled") files of src and verify"
    while read -r line; do
        fail "compiled twice: ${line#*: }"
    done < <(uniq -d "$tmp/compiled")
    while read -r file; do
        grep -qF "\"$file\"" "$tmp/compiled" || fail "compiled nowhere: ${file#"$source"/}"
    done < <(files "$source" | grep '\.c$')
else
    fail "no $commands"
fi

# The test sees what it looks for.
mkdir -p "$tmp/other/src/a" "$tmp/other/verify/b"
echo 'typedef struct ph_thing {' | tee "$tmp/other/src/a/one.c" "$tmp/other/verify/b/one.c" >"$tmp/other/src/a/two.h"
[ "$(twice "$tmp/other")" = one.c ] || fail "two files of one name are not seen"
[ "$(structs "$tmp/other" | cut -d' ' -f1 | uniq -d)" = ph_thing ] || fail "two structs of one name are not seen"

echo "$(files "$source" | wc -l) files, $(structs "$source" | wc -l) structs, $failures failures"
[ "$failures" = 0 ]
