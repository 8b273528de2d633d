#!/usr/bin/env bash
# Install into an empty prefix, move it, build and run a consumer by CMake and by pkg-config, look at what is exported.
# Usage: check.sh BUILD_DIR COMPILER
set -euo pipefail

build=$1
cc=$2
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

fail() {
    echo "install: $*" >&2
    exit 1
}

cmake --install "$build" --prefix "$tmp/first" >"$tmp/log" || fail "cmake --install: $(tail -n 3 "$tmp/log")"
python=$(sed -n 's/^PH_PYTHON3:STRING=//p' "$build/CMakeCache.txt")
if [[ -n $python ]]; then
    cmake --install "$build" --prefix "$tmp/first" --component python >"$tmp/log" || fail "no Python package: $(tail -n 3 "$tmp/log")"
fi
mv "$tmp/first" "$tmp/moved" # nothing may remember where it was
prefix=$tmp/moved
lib=$(find "$prefix" -name libpolhode.so)
[[ -n $lib ]] || fail "no libpolhode.so"
libdir=$(dirname "$lib")

# 1. Headers and tables: all of them.
diff -r "$source/include/polhode" "$prefix/include/polhode" || fail "headers differ from the source"

# A page of the manual for each command, and completions.
for name in $("$prefix/bin/polhode" list commands | awk '/^  [a-z]/ {print $1}'); do
    grep -q '^\.SH SYNOPSIS' "$prefix/share/man/man1/polhode-$name.1" || fail "no page of the manual for $name"
done
[[ -s $prefix/share/man/man1/polhode.1 ]] || fail "no page of the manual"
[[ -s $prefix/share/bash-completion/completions/polhode && -s $prefix/share/zsh/site-functions/_polhode ]] || fail "no completions"

# 2. Symbols: ph_ alone, and a SONAME with the major version.
nm -D --defined-only "$lib" | awk '{print $NF}' >"$tmp/symbols"
grep -qx ph_version "$tmp/symbols" || fail "ph_version is not exported"
! grep -v '^ph_' "$tmp/symbols" || fail "symbols other than ph_ are exported"
readelf -d "$lib" | grep -q 'SONAME.*\[libpolhode\.so\.[0-9]*\]' || fail "no SONAME"

# 3. Licence: the parts of SuiteSparse under the GPL are not loaded.
ldd "$lib" >"$tmp/ldd"
! grep -E 'not found|umfpack|spqr|cholmod' "$tmp/ldd" || fail "loads what it must not, or something is missing"

# 4. Nothing of this build leaks: flags, paths.
text=("$libdir/cmake/polhode" "$libdir/pkgconfig")
! grep -rnE -e '-march|-fsanitize|-flto' "${text[@]}" || fail "build flags leak into the package"
! grep -rnF -e "$build" -e "$source" -e "$tmp/first" "${text[@]}" || fail "build paths leak into the package"

# 5. A consumer by CMake.
by_cmake() {
    cmake -G Ninja -S "$here" -B "$tmp/consumer" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix"
    cmake --build "$tmp/consumer"
}
by_cmake >"$tmp/log" 2>&1 || fail "find_package: $(cat "$tmp/log")"
model=$source/models/heavy_top.lua
version=$("$tmp/consumer/consumer" "$model") || fail "the consumer built by CMake fails"

# 6. A consumer by pkg-config, and every complete program printed in the documents.
export PKG_CONFIG_PATH=$libdir/pkgconfig LD_LIBRARY_PATH=$libdir
[[ $(pkg-config --modversion polhode) == "$version" ]] || fail "polhode.pc gives another version than $version"
read -ra flags < <(pkg-config --cflags --libs polhode)
"$cc" -std=c17 -Wall -Wextra -Werror "$here/consumer.c" "${flags[@]}" -o "$tmp/by_pc" || fail "pkg-config: no build"
"$tmp/by_pc" "$model" >"$tmp/log" || fail "the consumer built by pkg-config fails"
for page in "$source/README.md" "$source"/docs/*.md "$source"/docs/guide/*.md; do
    [[ -e $page ]] || continue
    awk -v out="$tmp/$(basename "$page" .md)" '/^```c$/ {on = 1; n++; next} /^```$/ {on = 0} on {print > (out "_" n ".c")}' "$page"
done
programs=0
for example in "$tmp"/*_*.c; do
    grep -qs '^int main' "$example" && grep -q '<polhode/' "$example" || continue # those of compiled models: test_guide
    programs=$((programs + 1))
    "$cc" -std=c17 -Wall -Wextra -Werror "$example" "${flags[@]}" -o "$tmp/example" || fail "no build: $(basename "$example")"
    (cd "$source" && "$tmp/example") >"$tmp/log" || fail "fails: $(basename "$example")"
done

# 7. The headers are C++ too, all of them.
for header in "$source"/include/polhode/*.h; do
    grep -q "<polhode/$(basename "$header")>" "$here/headers.cpp" || fail "headers.cpp leaves out $(basename "$header")"
done
for cxx in g++ clang++; do
    command -v "$cxx" >/dev/null || continue
    "$cxx" -std=c++17 -Wall -Wextra -Wpedantic -Werror "$here/headers.cpp" "${flags[@]}" -o "$tmp/headers" ||
        fail "$cxx does not take the headers"
    "$tmp/headers" || fail "the program of $cxx fails"
done

# 8. The program and its models, from a path without the build tree.
if [[ -x $prefix/bin/polhode ]]; then
    (unset LD_LIBRARY_PATH && "$prefix/bin/polhode" version >"$tmp/log") || fail "the installed program does not run"
    diff -r -x README.md "$source/models" "$prefix/share/polhode/models" || fail "models differ from the source"
    "$prefix/bin/polhode" check "$prefix/share/polhode/models/heavy_top.lua" >"$tmp/log" || fail "no installed model runs"
    [[ ! -e $prefix/bin/polhode-verify ]] || fail "polhode-verify belongs to the source tree and is installed"
fi

# 9. The Python package finds library and program below the prefix, whatever that is.
if [[ -n $python ]]; then
    packages=$(dirname "$(dirname "$(find "$prefix" -name _declarations.py)")")
    (unset LD_LIBRARY_PATH POLHODE_LIBRARY POLHODE_PROGRAM && cd "$tmp" && PYTHONPATH=$packages "$python" - "$model" "$lib" <<'PY') >"$tmp/log" 2>&1 ||
import os, sys
import polhode as ph
from polhode._native import LIBRARY
from polhode._program import program
assert os.path.realpath(LIBRARY) == os.path.realpath(sys.argv[2]), LIBRARY
assert ph.load(sys.argv[1]).run(t_end=0.1).stats.steps == 100
assert program().startswith(os.path.dirname(os.path.dirname(sys.argv[2]))), program()
assert len(ph.sweep(sys.argv[1], m=[14, 15], t_end=0.01)) == 2
PY
        fail "the Python package does not work: $(cat "$tmp/log")"
fi
echo "install: $version, $(wc -l <"$tmp/symbols") symbols, consumer by CMake and pkg-config, $programs programs of the documents"
