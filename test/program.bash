# What the tests of the program share; each sources it first. They work in an empty folder, where they leave out and err.
set -uo pipefail

polhode=${POLHODE:?path of the program}
# shellcheck disable=SC2034 # of those that source this
models=$(cd "$(dirname "${BASH_SOURCE[0]}")/../models" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
failures=0
checks=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# run CODE ARGS...: exit code; leaves stdout in out, stderr in err
run() {
    local want=$1 got
    shift
    "$polhode" "$@" >out 2>err </dev/null
    got=$?
    checks=$((checks + 1))
    ((got == want)) || fail "polhode $*: exit code $got instead of $want: $(head -c 300 err)"
}

# complains TEXT WHO: one line on stderr that begins with polhode: and has TEXT in it
complains() {
    [[ $(wc -l <err) == 1 && $(cat err) == "polhode: "* ]] || fail "$2: not one line: $(cat err)"
    grep -qF -e "$1" err || fail "$2: no '$1' in: $(cat err)"
}

# refused TEXT ARGS...: exit code 2, nothing on stdout but, with --json, an object that says why; one complaint with TEXT in it
refused() {
    local text=$1
    shift
    run 2 "$@"
    if [[ " $* " == *" --json "* ]]; then
        is_json out
        has out '"status":"bad_input","reason":"'
    else
        [[ ! -s out ]] || fail "polhode $*: prints although it refuses"
    fi
    complains "$text" "polhode $*"
}

has() { # FILE TEXT...
    local file=$1 text
    shift
    for text in "$@"; do
        grep -qF -e "$text" "$file" || fail "no '$text' in $file: $(head -c 800 "$file")"
    done
}

# Reduce values to V and strings to S, then innermost arrays and objects to V; what is left must be one V.
is_json() {
    local rest
    rest=$(sed -E -e 's/"([^"\\]|\\.)*"/S/g' \
        -e 's/-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/V/g' -e 's/true|false|null/V/g' -e 's/[ \t]//g' -e ':again' \
        -e 's/\[([VS](,[VS])*)?\]/V/g' -e 's/\{(S:[VS](,S:[VS])*)?\}/V/g' -e 't again' "$1")
    [[ $rest == V ]] || fail "not one JSON object: $(head -c 300 "$1")"
}

# The last command of a test.
finish() {
    if ((failures)); then
        echo "$failures checks failed" >&2
        exit 1
    fi
    echo "all well after $checks runs"
    exit 0
}

# pushed T_END: a particle on a spring, pushed by an input u, a parameter and an objective
pushed() {
    cat <<END_OF_MODEL
model "pushed"
local m = param("m", 2.0)
input { name = "u", value = 0 }
particle { name = "p", mass = m, position = {1, 0, 0} }
force { body = "p", value = function(t, s) return s.inputs.u - 4*s.p.position.x^3, 0, 0 end }
sensor { name = "x", type = "position", body = "p" }
objective { name = "J", integral = function(t, s) return s.p.position.x^2 end }
run { t_end = $1, h = 1e-2 }
END_OF_MODEL
}

# arm T_END: a model of one body, with a parameter, a sensor and an objective
arm() {
    cat <<END_OF_MODEL
model "arm"
gravity {0, 0, -9.81}
local m = param("m", 2.0)
body  { name = "arm", mass = m, inertia = {0.1, 0.2, 0.15}, position = {0.5, 0, 0} }
joint { name = "pin", type = "revolute", bodies = {"ground", "arm"}, at = {0, 0, 0}, axis = {0, 1, 0} }
sensor{ name = "tip", type = "position", body = "arm", at = {0.5, 0, 0} }
objective { name = "low", final = function(s) return (s.arm.position.z + 0.3)^2 end }
run   { t_end = $1, h = 1e-3 }
END_OF_MODEL
}
