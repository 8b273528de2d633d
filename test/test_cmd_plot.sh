#!/usr/bin/env bash
# polhode plot: pictures of tables that exist; and the choice of columns of run -o.
# shellcheck source=test/program.bash
source "$(dirname "${BASH_SOURCE[0]}")/program.bash"

# ---- --columns of run ----
run 0 run "$models/heavy_top.lua" --t-end 0.05 --columns tip,top.position,energy -o top.csv --quiet
[[ $(grep -v '^#' top.csv | head -n 1) == "t [s],top.x [m],top.y [m],top.z [m],tip.1 [m],tip.2 [m],tip.3 [m],energy [J]" ]] ||
    fail "columns: $(grep -v '^#' top.csv | head -n 1)"
run 0 run "$models/heavy_top.lua" --t-end 0.05 -o whole.csv --quiet
python3 - <<'COMPARE' || fail "a choice of columns has other numbers"
import csv
def read(name):
    rows = list(csv.reader(line for line in open(name) if not line.startswith("#")))
    return {h: [r[k] for r in rows[1:]] for k, h in enumerate(rows[0])}
some, whole = read("top.csv"), read("whole.csv")
assert len(some["t [s]"]) == 51 and all(whole[k] == v for k, v in some.items()) and len(whole) > 20 # exact
COMPARE
run 0 sens "$models/heavy_top.lua" --param m --t-end 0.01 --columns tip -o sens.csv --quiet
grep -v '^#' sens.csv | head -n 1 | grep -q '^t \[s\],tip.1 \[m\].*tip' || fail "columns of sens: $(grep -v '^#' sens.csv | head -n 1)"
refused "--columns: the table has no 'tipp'" run "$models/heavy_top.lua" --columns tip,tipp -o none.csv
[ ! -e none.csv ] || fail "a refused table is left"
refused "--columns needs -o FILE" run "$models/heavy_top.lua" --columns tip
if [[ -n ${H5_TO_CSV-} ]]; then
    run 0 run "$models/heavy_top.lua" --t-end 0.05 --columns tip -o top.h5 --quiet
    "$H5_TO_CSV" top.h5 >h5.csv
    grep -v '^#' h5.csv | head -n 1 | grep -q 'tip' || fail "HDF5 with a choice of columns"
fi

# ---- pictures ----
refused "plot needs -o FILE.svg or FILE.png" plot top.csv
refused "nothing.csv" plot nothing.csv -o x.svg
if command -v gnuplot >/dev/null; then
    run 0 plot top.csv -o top.svg
    has top.svg '<svg' 'energy' 'tip'
    run 0 plot top.csv --columns tip.1,energy -o some.svg
    has some.svg 'tip.1' 'energy'
    ! grep -q 'top.x\|>top<' some.svg || fail "columns that were not asked for are drawn"
    run 0 plot whole.csv -o whole.svg
    refused "--columns: the table has no column 'tip.4'" plot top.csv --columns tip.4 -o x.svg
    printf 't\n1\n2\n' >one.csv
    refused "has one column" plot one.csv -o x.svg
    [ ! -e x.svg ] || fail "a picture of a refused table is left"
fi

finish
