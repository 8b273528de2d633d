#!/usr/bin/env bash
# The program that writes docs/verification.md: single rows, and what it refuses.
# shellcheck source=test/program.bash
source "$(dirname "$0")/program.bash"

program=$polhode
polhode=${POLHODE_VERIFY:?path of polhode-verify}

# wrong TEXT ARGS...: exit code 2, nothing on stdout, one line on stderr with TEXT in it
wrong() {
    local text=$1
    shift
    run 2 "$@"
    [[ ! -s out && $(wc -l <err) == 1 && $(cat err) == "polhode-verify: "*"$text"* ]] || fail "$*: no '$text': $(cat out err)"
}

wrong 'root of that tree'
run 0 --help
has out 'usage: polhode-verify' --row --all --jobs '-o FILE'
wrong "'now' is one argument too many" now
wrong "did you mean '--row'?" --rwo amp-0.9
wrong "there is no option '--xyzzy'; see 'polhode-verify --help'" --xyzzy
wrong '-o: its value is empty' -o ''
wrong '-o: its value is missing' --all -o
wrong '--row: its value is missing' --row --all
wrong "--jobs: 'two' is not a whole number from 1" --jobs two
wrong "--jobs: '0' is not" --jobs 0
ln -s "$models" models
wrong "no row 'amp-0.8'; did you mean 'amp-0.9'?" --row amp-0.8
wrong 'leave out -o' --row amp-0.9 -o page.md
wrong "cannot make the folder '/nonexistent/figures'" -o /nonexistent/page.md

run 0 --row amp-0.9,e3-0
has out '| amp-0.9 |' '| 34.265298 |' '| e3-0 |' '`polhode-verify --row amp-0.9`'
read -r -a command < <(grep -o 'converge heavy_top_r3xso3[^`]*' out)
polhode=$program
run 0 "${command[@]}" # the command of a row shows its number: 0.01279
has out '1.279e-02'

# Where polhode does not lie beside it, no picture can be drawn.
mkdir alone docs
cp "$POLHODE_VERIFY" alone/
polhode=$tmp/alone/polhode-verify
wrong 'could not be drawn' -o docs/page.md
[[ ! -e docs/page.md ]] || fail "a page without its pictures"

finish
