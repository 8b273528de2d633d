#!/usr/bin/env bash
# Who includes whom: each arrow between folders of src/ and verify/ stands in the table "Arrows" of docs/architecture.md.
set -uo pipefail

source=$(cd "$(dirname "$0")/.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# "cli io": as the table lists them.
sed -n '/^## Arrows/,/^## [^A]/p' "$source/docs/architecture.md" | grep '^| `' | while IFS='|' read -r _ from to _; do
    from=$(tr -d '` ' <<<"$from")
    for name in $(tr -d '`,' <<<"$to"); do
        echo "$from $name"
    done
done | sort -u >"$tmp/listed"

# As the files have them: .def files are included by others, and bring theirs along.
arrows() {
    for folder in "$1"/src/*/ "$1"/verify/*/ "$1"/verify/; do
        [ -d "$folder" ] || continue
        from=$(basename "$folder")
        find "$folder" $([ "$from" = verify ] && echo -maxdepth 1) \( -name '*.[ch]' -o -name '*.def' \) \
            -exec grep -hoE '^ *# *include "[a-z_0-9]+/' {} + |
            sed -E 's/.*"([a-z_0-9]+)\//\1/' | sort -u | grep -vx "$from" | sed "s/^/$from /"
    done | sort -u
}
arrows "$source" >"$tmp/found"

[ -s "$tmp/listed" ] || fail "docs/architecture.md has no table of arrows"
while read -r from to; do
    where=$(grep -rlE "^ *# *include \"$to/" "$source"/{src,verify}/"$from" 2>/dev/null | head -3 | xargs -n1 basename | tr '\n' ' ')
    fail "$from includes $to/ ($where), which docs/architecture.md does not list"
done < <(comm -13 "$tmp/listed" "$tmp/found")
# Commands and studies know nothing of the inside of the library.
inside='mech|model|step|method|sens|equilibrium|la|lie|fe|expr|run'
grep -rnE "^ *# *include \"($inside)/" "$source/src/cli" "$source/src/study" "$source/verify" &&
    fail "a command, a study or a problem looks inside of the library"

# The test sees an arrow that nobody lists.
mkdir -p "$tmp/other/src/base" "$tmp/other/src/cli"
echo '#include "cli/cli.h"' >"$tmp/other/src/base/up.c"
[ "$(arrows "$tmp/other")" = "base cli" ] || fail "an arrow from base to cli is not seen"

# No folder comes to itself along arrows.
tsort "$tmp/found" >/dev/null 2>"$tmp/loops" || fail "folders include each other in a circle: $(tr '\n' ' ' <"$tmp/loops")"

echo "$(wc -l <"$tmp/found") arrows, $failures failures"
[ "$failures" = 0 ]
