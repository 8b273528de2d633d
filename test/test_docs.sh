#!/usr/bin/env bash
# The documents say what is true: docs/model.md is what the program prints, numbers and names are those of the tree. Their code
# runs in test_guide, their links are those of test_links.
set -uo pipefail

polhode=${POLHODE:?path of the program}
source=$(cd "$(dirname "$0")/.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export POLHODE_CACHE=$tmp/cache
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

"$polhode" manual >"$tmp/model.md" || fail "polhode manual"
diff -u "$source/docs/model.md" "$tmp/model.md" || fail "docs/model.md is stale: run polhode manual -o docs/model.md"
"$polhode" manual -o "$tmp/file.md" || fail "polhode manual -o"
cmp -s "$tmp/file.md" "$tmp/model.md" || fail "polhode manual -o writes something else"

# Every table is in the page, row by row.
for table in joints forces sensors spaces; do
    for name in $("$polhode" list "$table" | awk '/^  [A-Za-z]/ {print $1}'); do
        grep -qF "\`$name\`" "$tmp/model.md" || fail "docs/model.md does not tell of '$name' of '$table'"
    done
done

# The number of claims is that of the page of claims.
claims=$(grep -oE '[0-9]+ of [0-9]+ claims hold; [0-9]+ of them' "$source/docs/verification.md")
grep -qF "${claims:-nothing}" "$source/README.md" || fail "README.md does not say '$claims'"

# models/README.md tells of every model, and no page of one that is not there.
for model in "$source"/models/*.lua; do
    grep -qF "($(basename "$model"))" "$source/models/README.md" || fail "models/README.md does not tell of $(basename "$model")"
done
while read -r model; do
    [[ -e $source/$model ]] || fail "the documents tell of $model, which is not there"
done < <(grep -ohE '(test/)?models/[a-z_]+\.lua' "$source/README.md" "$source"/docs/*.md | sort -u)

# SECURITY.md names tests, and cases of them, that exist; CITATION.cff has the version of the library.
cases=0
while read -r name; do
    cases=$((cases + 1))
    compgen -G "$source/test/$name.*" >/dev/null || compgen -G "$source/test/fuzz/$name.c" >/dev/null ||
        grep -rqwF --include='test_*' -- "$name" "$source/test" || fail "SECURITY.md names '$name', which is no test"
done < <(awk -F'|' '/^\| .*`(test|fuzz)_/ {print $(NF - 1)}' "$source/SECURITY.md" | grep -oE '`[a-z_.]+`' | tr -d '`' | sort -u)
((cases >= 15)) || fail "only $cases tests in SECURITY.md"
version=$(sed -n 's/^#define PH_VERSION "\(.*\)"$/\1/p' "$source/include/polhode/base.h")
grep -qxF "version: ${version:?}" "$source/CITATION.cff" || fail "CITATION.cff has not the version $version"

((failures == 0))
