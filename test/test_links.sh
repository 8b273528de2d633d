#!/usr/bin/env bash
# Links of the documents lead somewhere: to files that are there and, behind a #, to headings that they have, by the names that
# GitHub gives them.
set -uo pipefail

source=$(cd "$(dirname "$0")/.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0 links=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

prose() { # FILE: without blocks and spans of code
    awk '/^```/ {on = !on; next} !on' "$1" | sed -E 's/`[^`]*`//g'
}

targets() { # FILE: where its links and pictures lead
    prose "$1" | grep -oE '\]\([^) ]+\)|(src|href)="[^"]+"' | sed -E 's/^\]\((.*)\)$/\1/; s/^(src|href)="(.*)"$/\2/'
}

anchors() { # FILE: its headings as GitHub names them, a second one of the same name with -1
    awk '/^```/ {on = !on; next} !on && /^#+ / {sub(/^#+ /, ""); print}' "$1" |
        sed -E 's/\]\([^)]*\)//g; s/[][`*]//g; s/[^A-Za-z0-9 _-]//g; s/ /-/g' | tr '[:upper:]' '[:lower:]' |
        awk '{n = seen[$0]++; print n ? $0 "-" n : $0}'
}

look() { # FOLDER FILE: every link of FILE, below FOLDER
    local folder=$1 file=$2 target path anchor
    while read -r target; do
        [[ $target =~ ^[a-z]+: ]] && continue
        links=$((links + 1))
        path=${target%%#*} anchor=
        [[ $target != *#* ]] || anchor=${target#*#}
        path=$folder/$([[ $path ]] && echo "$(dirname "$file")/$path" || echo "$file")
        if [[ ! -e $path ]]; then
            fail "$file: no $target"
        elif [[ $anchor ]] && ! anchors "$path" | grep -qxF -- "$anchor"; then
            fail "$file: $target: no such heading"
        fi
    done < <(targets "$folder/$file")
}

while read -r file; do
    look "$source" "$file"
done < <(cd "$source" && find . -name '*.md' -not -path './build/*' -not -path './out/*' -not -path './.git/*' -not -path './test/*' -printf '%P\n')
((links >= 200)) || fail "only $links links in the documents"

# The site leads to every page.
for page in $(cd "$source" && echo docs/*.md docs/guide/*.md models/README.md python/README.md); do
    grep -qF "(../../$page)" "$source/docs/site/navigation.md" || fail "docs/site/navigation.md does not lead to $page"
done

# The test sees what it looks for.
printf '# A page: of `code`, R^3\n## Two\n## Two\n[good](#two-1) [good](b.md#here) [bad](#three) [bad](c.md) [bad](b.md#there)\n<img src="no.png"> `[x](y)`\n```\n[x](z)\n```\n' >"$tmp/a.md"
printf '## Here\n' >"$tmp/b.md"
[[ $(anchors "$tmp/a.md" | tr '\n' ' ') == "a-page-of-code-r3 two two-1 " ]] || fail "headings: $(anchors "$tmp/a.md")"
seen=$(failures=0; look "$tmp" a.md 2>&1)
[[ $(grep -c FAILED <<<"$seen") == 4 ]] || fail "wrong links that are seen: $seen"

echo "$links links, $failures failures"
((failures == 0))
