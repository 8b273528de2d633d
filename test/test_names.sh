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
    find "$1"/src "$1"/verify \( -name '*.[ch]' -o -name '*.def' \) -not -path "$1/src/compile/text/*" | sort
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

# Files of src and verify in the commands $2 of the source tree $1, which may itself be below a folder src.
compiled() {
    grep -oE '"file": "[^"]*"' "$2" | cut -d'"' -f4 | grep -F "$1/" | sed "s|^$1/||" | grep -E '^(src|verify)/.*\.c$' | sort
}

# Each file of the library and the programs belongs to one target.
if [ -s "$commands" ]; then
    compiled "$source" "$commands" >"$tmp/compiled"
    [ "$(wc -l <"$tmp/compiled")" -ge 200 ] || fail "compile_commands.json lists $(wc -l <"$tmp/compiled") files of src and verify"
    while read -r line; do
        fail "compiled twice: $line"
    done < <(uniq -d "$tmp/compiled")
    while read -r file; do
        grep -qxF "${file#"$source"/}" "$tmp/compiled" || fail "compiled nowhere: ${file#"$source"/}"
    done < <(files "$source" | grep '\.c$')
else
    fail "no $commands"
fi

# The test sees what it looks for.
mkdir -p "$tmp/other/src/a" "$tmp/other/verify/b"
echo 'typedef struct ph_thing {' | tee "$tmp/other/src/a/one.c" "$tmp/other/verify/b/one.c" >"$tmp/other/src/a/two.h"
[ "$(twice "$tmp/other")" = one.c ] || fail "two files of one name are not seen"
printf '"file": "%s"\n' /x/src/p/src/a.c /x/src/p/test/b.c /x/src/p/test/b.c /x/src/q/src/c.c >"$tmp/commands"
[ "$(compiled /x/src/p "$tmp/commands")" = src/a.c ] || fail "a source tree below a folder src is not understood"
[ "$(structs "$tmp/other" | cut -d' ' -f1 | uniq -d)" = ph_thing ] || fail "two structs of one name are not seen"

echo "$(files "$source" | wc -l) files, $(structs "$source" | wc -l) structs, $failures failures"
[ "$failures" = 0 ]
