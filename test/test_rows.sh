#!/bin/sh
# A joint, a force, a sensor is its file and its row: codes of the tables stand in the tables and nowhere else in src.
set -eu
cd "$(dirname "$0")/.."
if grep -rnE 'PH_[JFS]_[A-Z]' src --include='*.[ch]'; then
    echo "the lines above ask for a code: put what they want to know into the row (src/mech/tables.h)" >&2
    exit 1
fi
