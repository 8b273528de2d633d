#!/usr/bin/env bash
# Trajectories as HDF5 hold what those as CSV hold, bit for bit, and are as whole. Without the library: one clear line.
# shellcheck source=test/program.bash
source "$(dirname "${BASH_SOURCE[0]}")/program.bash"

# One line on stderr that has the text.
says() {
    [[ $(wc -l <err) == 1 ]] && grep -qF -e "$1" err || fail "not one line with '$1': $(head -c 500 err)"
}

nothing_left() {
    [[ -z $(find . -name '*.h5*') ]] || fail "$1 leaves $(find . -name '*.h5*')"
}

if [[ -z ${H5_TO_CSV:-} ]]; then
    for name in x.h5 x.hdf5; do
        run 2 run heavy_top -o $name
        says "this program was built without HDF5; a name that ends in .csv works"
    done
    nothing_left "a program without HDF5"
    finish
fi

# The library is loaded for such files alone. Where it is missing, one line says so, and nothing else does.
if command -v ldd >/dev/null; then
    ! ldd "$POLHODE" | grep -qE 'libhdf5|libmpi|libnlopt' || fail "loaded from the start: $(ldd "$POLHODE")"
fi
library=$(grep -aoE 'libhdf5[a-z_]*\.so[.0-9]*' "$POLHODE" | head -n 1)
if [[ -n $library ]]; then
    mkdir absent
    : >"absent/$library" # found first, and no library
    export LD_LIBRARY_PATH=$PWD/absent
    run 2 run heavy_top -o x.h5
    says "-o: 'x.h5': HDF5 ($library) is not on this machine; a name that ends in .csv works"
    run 0 run heavy_top -o x.csv --quiet
    unset LD_LIBRARY_PATH
    rm -r absent x.csv
fi
nothing_left "a program without HDF5"

# same CODE ARGS...: exact, the same file in both formats; '#' lines in any order
same() {
    local code=$1
    shift
    run "$code" run "$@" -o run.csv --quiet
    run "$code" run "$@" -o run.h5 --quiet
    "$H5_TO_CSV" run.h5 >back.csv || fail "polhode run $*: the file cannot be read"
    cmp -s <(grep -v '^#' run.csv) <(grep -v '^#' back.csv) || fail "polhode run $*: the numbers differ"
    cmp -s <(grep '^#' run.csv | sort) <(grep '^#' back.csv | sort) ||
        fail "polhode run $*: $(diff <(grep '^#' run.csv | sort) <(grep '^#' back.csv | sort))"
}

# The same bytes at any time: nothing says when it was written.
run 0 run "$models/governor.lua" --t-end 0.005 -o run.h5 --quiet
sleep 1.1 # times have seconds
run 0 run "$models/governor.lua" --t-end 0.005 -o later.h5 --quiet
cmp -s run.h5 later.h5 || fail "a run has other bytes a second later"
rm later.h5

# Every kind of channel: bodies, particles, several rows of multipliers, sensors of one and of many numbers, reactions, states, inputs.
for model in heavy_top governor four_bar driven_crank andrews dc_motor; do
    same 0 "$models/$model.lua" --t-end 0.005
done
same 0 "$models/heavy_top.lua" --set m=16 --every 30 --space SE3
same 0 pendulum --t-end 0.1 # coordinates without names
same 0 heavy_top --set x=16 --t-end 0.01
same 0 chain --size 300 --t-end 0.1 # blocks of few rows
same 0 "$models/heavy_top.lua" --t-end 60 --h 1e-3
same 0 "$models/heavy_top.lua" --t-end 250 --h 1e-3 # two blocks of 64 MB, the second hardly begun
rm -f run.csv back.csv
(($(wc -c <run.h5) < 82000000)) || fail "empty chunks: $(wc -c <run.h5) bytes for 72 MB of numbers"

# Numbers of derivatives and errors, whose groups lie below others: exact, in the order of the columns.
for line in "sens $models/slider_crank.lua --param crank,rod" "run $models/heavy_top.lua --error-bars"; do
    # shellcheck disable=SC2086 # words of a line
    run 0 $line --t-end 0.02 -o run.csv --quiet
    # shellcheck disable=SC2086
    run 0 $line --t-end 0.02 -o run.h5 --quiet
    "$H5_TO_CSV" run.h5 >back.csv || fail "polhode $line: the file cannot be read"
    cmp -s <(grep -v '^#' run.csv | tail -n +2) <(grep -v '^#' back.csv | tail -n +2) ||
        fail "polhode $line: the numbers differ"
done

# A short run is a small file: room for descriptions that are still to come is little.
run 0 run "$models/heavy_top.lua" --t-end 0.02 --h 1e-3 -o run.h5 --quiet
(($(wc -c <run.h5) < 30000)) || fail "$(wc -c <run.h5) bytes for 5 kB of numbers"
cat >particle.lua <<'LUA'
model "particle"
local k = param("stiffness", 10)
particle{ name = "p", mass = 2, position = {1, 0, 0}, velocity = {0, 1, 0} }
spring{ bodies = {"ground", "p"}, k = k, length = 0.5 }
sensor{ name = "one", custom = function(t, s) return t end }
sensor{ name = "seven", custom = function(t, s) return t, 2, 3, 4, 5, 6, 7 end }
run{ t_end = 0.1, h = 1e-2, every = 3 }
LUA
same 0 particle.lua
same 0 particle.lua --set stiffness=12.5

# A run that fails keeps what it has, and says why.
same 1 heavy_top --h 0.1 --halvings 0
same 1 "$models/double_pendulum.lua" --space cardan
grep -q "^# failure t = 0.476: body 'lower'" back.csv || fail "the file of a failed run does not say so"
run 0 run heavy_top --t-end 0.1 -o run.hdf5
grep -qF '101 rows in run.hdf5' out || fail "no line about the file: $(tail -n 1 out)"
rm -f run.*

# What cannot be written: one line, exit code 2, nothing left.
run 2 run heavy_top -o /nonexistent/x.h5
says "cannot write '/nonexistent/x.h5': No such file or directory"
mkdir folder.h5
run 2 run heavy_top -o folder.h5
says "cannot write 'folder.h5': Is a directory"
rmdir folder.h5
ln -s /dev/null device.h5
run 2 run heavy_top -o device.h5
says "cannot write 'device.h5': Illegal seek"
rm device.h5
for kilobytes in 0 1 8 40 200 1000; do # in the superblock, the header, a block, at the end
    (
        trap '' XFSZ
        ulimit -f $kilobytes
        exec "$polhode" run chain --size 20 --t-end 5 --quiet -o full.h5 2>&1 </dev/null
    ) | cat >err # which the limit must not hit
    code=${PIPESTATUS[0]}
    [[ $code == 2 ]] || fail "no more than $kilobytes kB: exit code $code"
    says "cannot write 'full.h5': File too large"
    nothing_left "a full disk"
done

# started: a long run that writes long.h5; returns when rows are on the disk
started() {
    "$polhode" run chain --size 20 --t-end 5000 --quiet -o long.h5 >out 2>err </dev/null &
    pid=$!
    for _ in $(seq 1000); do
        [[ -n $(find . -name "long.h5.part*" -size +200k) ]] && return
        sleep 0.02
    done
    fail "no rows on the disk within 20 s"
}
echo old >long.h5
started
kill -9 "$pid"
wait "$pid" 2>/dev/null
[[ $(cat long.h5) == old ]] || fail "kill -9: the old file has changed"
rm -f long.h5*
started
kill -TERM "$pid"
wait "$pid" 2>/dev/null
code=$?
[[ $code == 143 ]] || fail "SIGTERM: exit code $code"
says "interrupted at t = "
[[ -s long.h5 && -z $(find . -name "long.h5.part*") ]] || fail "SIGTERM: $(ls)"

finish
