#!/usr/bin/env bash
# Programs and the Python package name an instruction set that the processor lacks, where they were killed without a word.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# No processor has both of xop (AMD until 2015) and avx512f, and each x86-64 has sse2.
[ "$(uname -m)" = x86_64 ] || exit 0
cat > "$dir/main.c" <<'MAIN'
#include "polhode/base.h"
#include <stdio.h>
int main(void)
{
    const char *lacks = ph_processor_lacks();
    puts(lacks ? lacks : "nothing");
    return 0;
}
MAIN
lacks() {
    cc -std=c17 -I"$here/include" "-DPH_PROCESSOR_NEEDS=$1" "$dir/main.c" "$here/src/base/processor.c" -o "$dir/main"
    "$dir/main"
}
[ "$(lacks 'NEEDS("sse2")')" = nothing ] || fail "a processor that has all is rejected"
case $(lacks 'NEEDS("sse2") NEEDS("xop") NEEDS("avx512f")') in
xop | avx512f) ;;
*) fail "a processor that lacks instructions is accepted" ;;
esac

# The list of the build is found: the flags of the other files are on it.
build=$(dirname "${POLHODE:?path of the program}")
if grep -q 'march=native' "$build/compile_commands.json" && cc -march=native -dM -E -x c /dev/null | grep -q __AVX2__; then
    grep -F 'base/processor.c' "$build/compile_commands.json" | grep -qF 'avx2' || fail "the build does not ask for avx2"
    for file in src/base/processor.c src/cli/main.c verify/verify.c; do
        grep -F '"command"' "$build/compile_commands.json" | grep -F " $here/$file" | grep -q 'march=native.*march=x86-64' ||
            fail "$file is compiled with instructions that it asks for"
    done
    # An emulated processor of 2008
    if command -v qemu-x86_64 > /dev/null && ! grep -q fsanitize "$build/compile_commands.json"; then
        for program in polhode polhode-verify; do
            [ -x "$build/$program" ] || continue
            code=0
            qemu-x86_64 -cpu Nehalem "$build/$program" version > "$dir/out" 2> "$dir/err" || code=$?
            [ "$code" = 2 ] || fail "$program ends with $code on an older processor"
            [ "$(grep -c "^$program: this processor lacks '[a-z0-9.]*', which" "$dir/err")" = 1 ] || fail "$(cat "$dir/err")"
        done
    fi
fi
