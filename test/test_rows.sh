#!/bin/sh
# A joint, a force, a sensor is its file and its row: codes of the tables stand in the tables and nowhere else in src. Each number of
# an element has its row in numbers.def.
set -eu
cd "$(dirname "$0")/.."
if grep -rnE 'PH_[JFS]_[A-Z]' src --include='*.[ch]'; then
    echo "the lines above ask for a code: put what they want to know into the row (src/mech/tables.h)" >&2
    exit 1
fi

# Members of a struct that are numbers, one in a line: FILE STRUCT
members() {
    sed -z 's|/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/||g' "$1" | sed -nE "/^(typedef )?struct $2 \{/,/^\}/p" | tr '\n' ' ' | tr ';{' '\n\n' |
        sed -nE 's/^ *(const )?(double|ph_vec3|ph_quat|ph_mat3) (.*)/\3/p' | tr ',' '\n' | sed -E 's/[* ]//g; s/\[.*//' | sort
}

rows() { # STRUCT
    sed -nE "s/^PH_[A-Z_]*NUMBER\([A-Z]+, $1, ([A-Za-z0-9_]+),.*/\1/p" src/mech/numbers.def | sort
}

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
structs='mech:ph_body mech:ph_joint mech:ph_force mech:ph_couple model:ph_force_def model:ph_actuator_def model:ph_sensor_def'
sed -nE 's/^PH_[A-Z_]*NUMBER\([A-Z]+, ([a-z_0-9]+),.*/\1/p' src/mech/numbers.def | sort -u >"$tmp/known"
for s in $structs; do
    echo "${s#*:}" >>"$tmp/counted"
    members "src/mech/${s%:*}.h" "${s#*:}" >"$tmp/members"
    rows "${s#*:}" >"$tmp/rows"
    [ -s "$tmp/members" ] || { echo "no numbers of ${s#*:} are found" >&2; exit 1; }
    if ! diff "$tmp/members" "$tmp/rows" >&2; then
        echo "${s#*:} and src/mech/numbers.def differ: numbers without a row (<), rows without a number (>)" >&2
        exit 1
    fi
done
sort "$tmp/counted" | diff - "$tmp/known" >&2 || { echo "the records of numbers.def are not those above" >&2; exit 1; }

# Each list of elements that a model has is asked what it can do: those with records by their own functions.
sed -nE '/^struct ph_model \{/,/^\}/p' src/mech/model.h | sed -nE 's/^ *int (n_.*);.*/\1/p' | tr ',' '\n' | tr -d ' ' | sort >"$tmp/lists"
{
    printf 'n_joints\nn_forces\nn_sensors\nn_actuators\nn_constraints\n'
    sed -nE 's/^ *OTHER\(([a-z]+), .*/n_\1/p' src/mech/support.c
} | sort | diff "$tmp/lists" - >&2 || { echo "lists of ph_model and rows of src/mech/support.c differ" >&2; exit 1; }

# The test sees a number without a row.
printf 'typedef struct ph_body {\n    int n; /* a\n    double; b */\n    const double *at, more[2];\n    ph_vec3\n        x;\n} ph_body;\n' >"$tmp/one.h"
[ "$(members "$tmp/one.h" ph_body | tr '\n' ' ')" = "at more x " ] || { echo "numbers are not found in a struct" >&2; exit 1; }
