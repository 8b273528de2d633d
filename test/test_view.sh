#!/usr/bin/env bash
# polhode view: the page is whole and small, names stay text, failures and mistakes; what a browser makes of it is in test/browser.
# shellcheck source=test/program.bash
source "$(dirname "${BASH_SOURCE[0]}")/program.bash"

# scene PAGE: the JSON object of a page, in scene.json; frames PAGE: bytes of its frames
scene() { sed -n '/<script type="application\/json" id="scene">/,/<\/script>/p' "$1" | sed -e 's/.*id="scene">//' -e 's/<\/script>.*//' | tr -d '\n' >scene.json; }
frames() { sed -n 's/.*id="frames">\([^<]*\)<.*/\1/p' "$1" | base64 -d | wc -c; }

# A page of the size that is promised, all of whose frames are there: t, bodies, and what changes beside them.
run 0 view "$models/heavy_top.lua"
has out "heavy_top.html"
(($(stat -c %s heavy_top.html) < 300000)) || fail "the page of the heavy top has $(stat -c %s heavy_top.html) bytes"
scene heavy_top.html
is_json scene.json
has scene.json '"model":"heavy top"' '"frames":1001' '"type":"spherical"' '"status":"ok"' '"name":"tip"'
columns=$(grep -o '"still":\[[^]]*' scene.json | grep -o null | wc -l)
(($(frames heavy_top.html) == 1001 * 4 * (7 + columns))) || fail "$(frames heavy_top.html) bytes of frames with $columns columns"
if grep -oE '(src|href)="?http[^" ]*' heavy_top.html | grep -v w3.org; then fail "the page needs the network"; fi
(($(grep -c '</html>' heavy_top.html) == 1)) || fail "the page has no end"

# The same run gives the same page. Options are those of run.
run 0 view "$models/heavy_top.lua" -o again.html --quiet
cmp -s heavy_top.html again.html || fail "two pages of one run differ"
[[ ! -s out ]] || fail "--quiet prints"
run 0 view "$models/heavy_top.lua" -o short.html --t-end 0.1 --h=2e-3 --set m=16 --space SE3
scene short.html
has scene.json '"frames":51' '["m",16]' '"t_end":0.1'
run 0 run "$models/pendulum.lua" --view pendulum.html
has out "pendulum.html" "energy"
scene pendulum.html
is_json scene.json

# Long runs are thinned, and keep their last state.
run 0 view "$models/pendulum.lua" --t-end 3 --h 1e-3 -o long.html
scene long.html
n=$(grep -o '"frames":[0-9]*' scene.json | cut -d: -f2)
((n >= 1000 && n <= 2001)) || fail "$n frames of 3000 steps"

# Adaptive steps: frames and rows are at equal times however large the steps are, 1e-5 to 0.3 s here; the steps are those of a run that
# shows nothing.
cat >bounce.lua <<'END'
gravity {0, 0, -9.81}
particle{ name = "p", mass = 1, position = {0, 0, 1}, velocity = {0.3, 0, 5} }
body{ name = "b", mass = 1, inertia = {0.01, 0.01, 0.01}, velocity = {1, 0, 0} }
joint{ name = "rail", type = "prismatic", bodies = {"ground", "b"}, at = {0, 0, 0}, axis = {1, 0, 0} }
actuator{ name = "a", joint = "rail", stops = {-0.5, 0.5}, stop_k = 1e8, stop_width = 1e-4 }
run{ t_end = 3, h = 0.01 }
END
sed 's/, h = 0.01//' bounce.lua >bounce_free.lua
gap() { awk 'NR > 1 && $1 - last > most { most = $1 - last } { last = $1 } END { print NR, most }'; }
frame_gap() { grep -o 'timestep="[^"]*"' "$1/motion.pvd" | tr -dc '0-9.e\n-' | sed 's/^ee//' | gap; }
run 0 view bounce.lua --tol 1e-3 -o bounce.html --vtk bounce --quiet
[[ $(frame_gap bounce) == "301 0.01" ]] || fail "frames and the largest gap: $(frame_gap bounce)"
run 0 view bounce_free.lua --tol 1e-3 -o bounce.html --vtk free --quiet
[[ $(frame_gap free) == "1001 0.003" ]] || fail "frames and the largest gap: $(frame_gap free)"
run 0 run bounce.lua --tol 1e-3 -o bounce.csv --json
steps=$(grep -o '"accepted":[0-9]*' out)
[[ $(grep '^[0-9]' bounce.csv | cut -d, -f1 | gap) == "301 0.01" ]] || fail "rows of steps by tolerance: $(wc -l <bounce.csv)"
run 0 run bounce.lua --tol 1e-3 --json
has out "$steps"

# Beams, flexible bodies, shapes.
run 0 view "$models/beam_wheel.lua" --t-end 0.01
scene beam_wheel.html
is_json scene.json
has scene.json '"name":"spoke0"' '"stiffness":' '"kind":"node"'
run 0 view "$models/craig_bampton.lua" --t-end 0.01
scene craig_bampton.html
is_json scene.json
has scene.json '"kind":"marker"' '"members":[{'
cat >part.stl <<'END'
solid part
facet normal 0 0 1
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 1 0
endloop
endfacet
endsolid
END
body='mass = 1, inertia = {1, 2, 3}'
echo "body { name = 'a', $body, shape = { {mesh = 'part.stl', color = '#123456'}, {capsule = {1, 2}} } } run { t_end = 1, h = 0.1 }" >shapes.lua
run 0 view shapes.lua
scene shapes.html
is_json scene.json
has scene.json '"type":"mesh"' '"color":1193046' '"type":"capsule"' '"points":"'

# Axes and radii of joints, sections of beams that have a shape, shapes at the markers of a flexible body.
cat >joints.lua <<'END'
body { name = "disc", mass = 1, inertia = {1, 1, 2}, position = {0, 0, 0.5}, rotation = {axis = {1, 0, 0}, angle = math.pi/2} }
joint { name = "floor", type = "rolling", bodies = {"ground", "disc"}, at = {0, 0, 0}, normal = {0, 0, 1}, axis = {0, 1, 0}, radius = 0.5 }
body { name = "cross", mass = 1, inertia = {1, 1, 2}, position = {3, 0, 0} }
joint { name = "hooke", type = "universal", bodies = {"ground", "cross"}, at = {3, 0, 0}, axis_a = {0, 0, 1}, axis_b = {1, 0, 0} }
beam { name = "rod", from = {5, 0, 0}, to = {6, 0, 0}, n = 2, section = {EA = 2e7, GA = 1e7, GJ = 100, EI = 150}, mass = {rhoA = 1, J = {2e-4, 1e-4, 1e-4}},
       shape = {tube = {0.02, 0.01}} }
flexible { name = "bar", position = {0, 9, 0}, beam = {from = {0, 0, 0}, to = {1, 0, 0}, n = 4, section = {EA = 2.1e7, GJ = 135, EI = 175}, mass = {rhoA = 0.785, rhoJ = 1e-4}},
           interfaces = {tip = 4}, modes = {n = 2}, shape = {{sphere = 0.1, marker = "tip"}, {box = {1, 0.1, 0.1}}} }
run { t_end = 0.02, h = 0.01, assemble = true }
END
run 0 run joints.lua --view joints.html --vtk joints_vtk --quiet
scene joints.html
is_json scene.json
has scene.json '"name":"floor","type":"rolling"' '"radius":0.5' '"name":"hooke","type":"universal"' '"zb":[1,0,0]' '"section":[{"type":"tube","size":[0.02,0.01' '"type":"sphere"'

# The box of an inertia: J = m (b^2 + c^2)/12 of edges 2, 4, 6 about other axes, mass 12.
echo "body { name = 'a', mass = 12, inertia = {{52, 0, 0}, {0, 30, 10}, {0, 10, 30}} } run { t_end = 1, h = 0.1 }" >box.lua
run 0 view box.lua
scene box.html
edges=$(grep -o '"box":\[[^]]*' scene.json | cut -d[ -f2 | tr ',' '\n' | sort | tr '\n' ' ')
[[ $edges == "2 4 6 " ]] || fail "edges of the box: $edges"

# Names and texts stay text; a page of a failed run has its reason.
printf 'model "</script><b>&"\nbody { name = "a", %s }\nrun { t_end = 1, h = 0.1 }\n' "$body" >hostile.lua
run 0 view hostile.lua
grep -q '</script><b>' hostile.html && fail "a name ends the script"
scene hostile.html
has scene.json '\u003c/script\u003e\u003cb\u003e\u0026'
printf "body { name = 'a', %s }\nforce { body = 'a', value = function(t) if t > 0.45 then error('torn </script>') end return 0, 0, 1 end }\nrun { t_end = 1, h = 0.1 }\n" "$body" >fails.lua
run 1 view fails.lua
scene fails.html
is_json scene.json
has scene.json 'torn' '"status":"callback_failed"'
has err "torn"

# Inputs, states and actuators.
cat >motor.lua <<'END'
input { name = "u", value = 2, unit = "N m" }
state { name = "i", rate = function(t, s) return s.inputs.u - s.states.i end }
body { name = "arm", mass = 2, inertia = {0.01, 0.17, 0.17}, position = {0.5, 0, 0} }
joint { name = "hinge", type = "revolute", bodies = {"ground", "arm"}, at = {0, 0, 0}, axis = {0, 1, 0} }
actuator { name = "motor", joint = "hinge", effort = "u", d = 0.5 }
run { t_end = 0.1, h = 1e-2 }
END
run 0 view motor.lua
scene motor.html
is_json scene.json
has scene.json '{"name":"motor","joint":0}' '"what":"effort"' '"what":"state"' '"inputs":["u"]'

# Two of each kind, and constraints; a mesh whose triangles share corners: five of six stay. Boxes of inertia about all axes: a rotation
# takes the box to the axes in which the inertia is diag(20, 40, 52).
cat >pairs.lua <<'END'
for i = 1, 2 do
    input { name = "u" .. i, value = i }
    state { name = "s" .. i, rate = function(t, s) return -s.states["s" .. i] end }
    body { name = "arm" .. i, mass = 2, inertia = {0.01, 0.17, 0.17}, position = {0.5, i, 0} }
    joint { name = "hinge" .. i, type = "revolute", bodies = {"ground", "arm" .. i}, at = {0, i, 0}, axis = {0, 1, 0} }
    actuator { name = "motor" .. i, joint = "hinge" .. i, effort = "u" .. i }
    particle { name = "p" .. i, mass = 1, position = {0, 0, i} }
    constraint { name = "c" .. i, f = function(t, s) return s["p" .. i].position.x end }
    flexible { name = "bar" .. i, position = {0, 9*i, 0}, modes = {n = 2}, points = {{0, 0, 0}, {0.5, 0, 0}, {1, 0, 0}},
               members = {{nodes = {0, 1}, n = 2, section = {EA = 2.1e7, GJ = 135, EI = 175}, mass = {rhoA = 0.785, rhoJ = 1e-4}},
                          {nodes = {1, 2}, n = 2, section = {EA = 2.1e7, GJ = 135, EI = 175}, mass = {rhoA = 0.785, rhoJ = 1e-4}}} }
end
body { name = "m", mass = 1, inertia = {1, 1, 1}, shape = {mesh = {points = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0},
       triangles = {0, 1, 2, 3, 4, 5}}} }
local axes = {{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}, {{-1, 0, 0}, {0, 0, 1}, {0, 1, 0}}, {{0, 0, 1}, {0, -1, 0}, {1, 0, 0}}, {{0.6, 0.8, 0}, {0.8, -0.6, 0}, {0, 0, -1}}}
for k, R in ipairs(axes) do
    local J, d = {}, {20, 40, 52}
    for i = 1, 3 do
        J[i] = {}
        for j = 1, 3 do J[i][j] = R[i][1]*d[1]*R[j][1] + R[i][2]*d[2]*R[j][2] + R[i][3]*d[3]*R[j][3] end
    end
    body { name = "box" .. k, mass = 12, inertia = J }
end
run { t_end = 0.02, h = 1e-2 }
END
run 0 view pairs.lua
scene pairs.html
is_json scene.json
has scene.json '"inputs":["u1","u2"]' '"states":["s1","s2"]' '"constraints":["c1","c2"]' '{"name":"motor2","joint":1}' '"name":"bar2"'
[[ $(grep -o '"points":"[^"]*' scene.json | cut -d'"' -f4 | base64 -d | wc -c) == 48 ]] || fail "a mesh of four corners: $(grep -o '"points":"[^"]*' scene.json)"
for k in 1 2 3 4; do
    edges=$(grep -oE "\"name\":\"box$k\"[^}]*" scene.json | grep -o '"box":\[[^]]*' | cut -d[ -f2 | tr ',' '\n' | awk '{ printf "%.6g\n", $1 }' | sort | tr '\n' ' ')
    [[ $edges == "2 4 6 " ]] || fail "edges of box $k: $edges"
done

# Many bodies are points, without what belongs to single ones.
echo 'for i = 1, 20000 do particle { name = "p" .. i, mass = 1, position = {i, 0, 0} } end run { t_end = 1e-2, h = 1e-2 }' >cloud.lua
run 0 view cloud.lua -o cloud.html --vtk cloud --quiet
has cloud.html '"per_body":3'
[[ -s cloud/motion.pvd ]] || fail "no files of VTK"

# Equilibria and modes.
run 0 static "$models/bend45.lua" --view static.html
has out "equilibrium"
scene static.html
is_json scene.json
has scene.json '"kind":"static"' '"frames":2'
run 0 modes "$models/pendulum.lua" --about static --view modes.html
scene modes.html
is_json scene.json
has scene.json '"kind":"modes"' '3.132092]'
columns=$(grep -o '"still":\[[^]]*' scene.json | grep -o null | wc -l)
modes=$(grep -o '"modes":\[[^{]*"gravity"' scene.json | tr -cd '[' | wc -c)
(($(frames modes.html) == 4 * (2 * 7 + 2 * columns + 12 * (modes - 1)))) || fail "$(frames modes.html) bytes of a page of modes"
refused "--vary asks for many" modes "$models/pendulum.lua" --vary x0=0.1,0.2 --view v.html
refused "ends in .html" static "$models/pendulum.lua" --view v.pdf

# Files for ParaView: a list of frames, each with as many numbers as it says; a point where the CSV file has it.
run 0 run "$models/four_bar.lua" --vtk vtk --t-end 0.1 --h 1e-2 -o four_bar.csv
(($(ls vtk/*.vtp | wc -l) == 11 && $(grep -c '<DataSet ' vtk/motion.pvd) == 11)) || fail "frames for ParaView: $(ls vtk)"
has vtk/motion.pvd 'timestep="0.1" part="0" file="frame_00010.vtp"'
points=$(sed -n 's/.*NumberOfPoints="\([0-9]*\)".*/\1/p' vtk/frame_00010.vtp)
polys=$(sed -n 's/.*NumberOfPolys="\([0-9]*\)".*/\1/p' vtk/frame_00010.vtp)
rows=$(sed -n '/<Points>/,/<\/Points>/p' vtk/frame_00010.vtp | grep -cE '^[-0-9.e+]+ [-0-9.e+]+ [-0-9.e+]+$')
((rows == points)) || fail "$rows of $points points"
rows=$(sed -n '/<Polys>/,/<\/Polys>/p' vtk/frame_00010.vtp | grep -cE '^[0-9]+ [0-9]+ [0-9]+$')
((rows == polys && polys == 36)) || fail "$rows of $polys triangles"
if command -v python3 >/dev/null; then
    python3 - vtk four_bar.csv <<'END' || fail "files for ParaView"
import sys, glob, xml.etree.ElementTree as ET
for f in glob.glob(sys.argv[1] + '/*'):
    ET.parse(f)
piece = ET.parse(sys.argv[1] + '/frame_00010.vtp').find('.//Piece')
x = [float(s) for s in piece.find('Points/DataArray').text.split()]
cells = [int(s) for s in piece.find("Polys/DataArray[@Name='connectivity']").text.split()]
body = [int(s) for s in piece.find("CellData/DataArray[@Name='body']").text.split()][int(piece.get('NumberOfLines')):]
rows = [l.split(',') for l in open(sys.argv[2]) if l[0] != '#']
last = dict(zip([n.split(' ')[0] for n in rows[0]], map(float, rows[-1])))
for k, name in enumerate(['crank', 'coupler', 'rocker']):  # the mean of the corners of a box is its centre
    corners = sorted({c for i, b in enumerate(body) if b == k for c in cells[3*i:3*i + 3]})
    assert len(corners) == 8
    for i, a in enumerate('xyz'):
        assert abs(sum(x[3*c + i] for c in corners)/8 - last[name + '.' + a]) < 1e-6, (name, a)
END
fi
run 0 view shapes.lua --vtk shapes_vtk
run 0 view "$models/beam_wheel.lua" --t-end 0.01 --vtk beams_vtk
grep -q 'NumberOfLines="0"' beams_vtk/frame_00000.vtp && fail "no lines for beams"

# Every shape has its sizes and its place, every spring and joint its line.
cat >solids.lua <<'END'
local function solid(k, shape) body { name = "b" .. k, mass = 1, inertia = {1, 1, 1}, position = {10*k, 0, 0}, shape = shape } end
solid(0, {box = {1, 2, 4}})
solid(1, {sphere = 2})
solid(2, {cylinder = {1, 3}})
solid(3, {capsule = {1, 4}})
solid(4, {cone = {2, 3}, at = {0, 0, 1}})
solid(5, {tube = {3, 2, 1}})
solid(6, {mesh = "part.stl", scale = 5})
particle { name = "dot", mass = 1, position = {80, 0, 0} }
particle { name = "other", mass = 1, position = {90, 0, 0} }
-- bodies without a shape are boxes of their inertia, in any position of its axes: J of edges 2, 4, 6 about axes turned by a and b
for k = 0, 19 do
    local a, b = 2.1*k, 1.3*k
    local ca, sa, cb, sb = math.cos(a), math.sin(a), math.cos(b), math.sin(b)
    local R, D, J = {{ca, -sa*cb, sa*sb}, {sa, ca*cb, -ca*sb}, {0, sb, cb}}, {52, 40, 20}, {{}, {}, {}}
    for i = 1, 3 do for j = 1, 3 do
        J[i][j] = R[i][1]*D[1]*R[j][1] + R[i][2]*D[2]*R[j][2] + R[i][3]*D[3]*R[j][3]
    end end
    for i = 1, 3 do for j = 1, i do J[i][j] = J[j][i] end end
    body { name = "free" .. k, mass = 12, inertia = J, position = {10*(k + 9), 0, 0} }
end
ground { shape = {box = {100, 100, 1}, at = {0, 0, -9}, color = "#010203"} }
spring { name = "loose", bodies = {"b0", "b1"}, at_a = {0, 0, 0}, at_b = {0, 0, 1}, k = 2, d = 3 }
spring { name = "tight", bodies = {"ground", "b1"}, at_a = {0, 0, 0}, at_b = {0, 0, 0}, k = 2, length = 4 }
force { name = "push", body = "b2", value = {1, 2, 3} }
joint { name = "rod", type = "distance", bodies = {"ground", "dot"}, at_a = {80, 0, 7}, at_b = {0, 0, 0} }
joint { name = "hinge", type = "revolute", bodies = {"ground", "b3"}, at = {30, 1, 0}, axis = {0, 0, 1}, drive = function(t) return t end }
run { t_end = 0.1, h = 0.1 }
END
run 0 run solids.lua --vtk solids_vtk --view solids.html --quiet
scene solids.html
is_json scene.json
# reference: |(10, 0, 1)| between the ends of the first spring
has scene.json '"name":"loose","type":"spring"' '"k":2,"d":3,"length":10.04988' '"k":2,"d":0,"length":4' '"value":[1,2,3],"in_body":0' \
    '"type":"tube"' '"type":"cone"' '"driven":1' '"name":"rod","type":"distance"'
if command -v python3 >/dev/null; then
    python3 - solids_vtk/frame_00000.vtp <<'END' || fail "solids for ParaView"
import sys, xml.etree.ElementTree as ET
piece = ET.parse(sys.argv[1]).find('.//Piece')
x = [float(s) for s in piece.find('Points/DataArray').text.split()]
cells = [int(s) for s in piece.find("Polys/DataArray[@Name='connectivity']").text.split()]
lines = [int(s) for s in piece.find("Lines/DataArray[@Name='connectivity']").text.split()]
body = [int(s) for s in piece.find("CellData/DataArray[@Name='body']").text.split()][int(piece.get('NumberOfLines')):]
want = {0: (-.5, .5, -1, 1, -2, 2), 1: (-2, 2, -2, 2, -2, 2), 2: (-1, 1, -1, 1, -1.5, 1.5), 3: (-1, 1, -1, 1, -3, 3), 4: (-2, 2, -2, 2, -.5, 2.5),
        5: (-3, 3, -3, 3, -.5, .5), 6: (0, 5, 0, 5, 0, 0), -1: (-50, 50, -50, 50, -9.5, -8.5)}
def corners(k):
    own = {c for i, b in enumerate(body) if b == k for c in cells[3*i:3*i + 3]}
    return [[x[3*c] - 10*max(k, 0), x[3*c + 1], x[3*c + 2]] for c in own]
for k, box in want.items():
    got = [f(p[a] for p in corners(k)) for a in range(3) for f in (min, max)]
    # round shapes are polygons: their corners are on the circle, not at its extremes
    assert all(abs(a - b) <= 0.02*max(map(abs, box)) for a, b in zip(got, box)), (k, got)
for k in range(20): # J = m (tr C - C)/3 with C the mean of x x^T over the corners of a box
    from math import cos, sin
    p, (a, b) = corners(k + 9), (2.1*k, 1.3*k)
    C = [[sum(q[i]*q[j] for q in p)/8 for j in range(3)] for i in range(3)]
    trace = C[0][0] + C[1][1] + C[2][2]
    R = [[cos(a), -sin(a)*cos(b), sin(a)*sin(b)], [sin(a), cos(a)*cos(b), -cos(a)*sin(b)], [0, sin(b), cos(b)]]
    J = [[sum(R[i][n]*d*R[j][n] for n, d in enumerate((52, 40, 20))) for j in range(3)] for i in range(3)]
    assert len(p) == 8 and all(abs(J[i][j] - 4*((i == j)*trace - C[i][j])) < 1e-3 for i in range(3) for j in range(3)), k
ends = [tuple(round(v, 5) for v in x[3*c:3*c + 3]) for c in lines]
pairs = list(zip(ends[::2], ends[1::2]))
for pair in [((0, 0, 0), (10, 0, 1)), ((0, 0, 0), (10, 0, 0)), ((80, 0, 7), (80, 0, 0)), ((30, 0, 0), (30, 1, 0))]:
    assert pair in pairs, (pair, pairs)
assert len(pairs) == 4
END
fi
refused "cannot write the files of 'no/vtk'" view "$models/pendulum.lua" --vtk no/vtk

# Mistakes.
refused "No such file" view none.lua
run 0 run "$models/pendulum.lua" --t-end 0.01 --vtk slash/ --quiet
[[ -s slash/motion.pvd ]] || fail "no folder: $(ls)"
for command in view run; do # before anything is computed: nothing is printed
    refused "cannot write the files of '/nonexistent/x': No such file or directory" $command "$models/heavy_top.lua" --vtk /nonexistent/x
    refused "cannot write the files of '$models/heavy_top.lua': Not a directory" $command "$models/heavy_top.lua" --vtk "$models/heavy_top.lua"
done
refused "ends in .html" view "$models/pendulum.lua" -o page.pdf
refused "ends in .html" run "$models/pendulum.lua" --view page
refused "cannot write 'no/page.html'" view "$models/pendulum.lua" -o no/page.html
refused "are the same file" run "$models/pendulum.lua" --plot a.svg --view a.svg
cp "$models/pendulum.lua" own.html
refused "are the same file" view own.html -o own.html
refused "'q'" view "$models/pendulum.lua" --set q=1
echo "body { name = 'a', $body } run { h = 0.1 }" >endless.lua
refused "t_end" view endless.lua
echo "body { name = 'a', $body, shape = {mesh = 'none.stl'} } run { t_end = 1, h = 0.1 }" >mesh.lua
refused "none.stl" view mesh.lua

# Runs over each other: the last one is shown, the others are its ghosts, at most seven, and each page is no larger than that of one run.
run 0 sweep "$models/heavy_top.lua" --vary m=10:20:21 --t-end 0.1 --view sweep.html --quiet
scene sweep.html
is_json scene.json
has scene.json '"label":"m = 20"' '"ghosts":[' '"label":"m = 10"'
(($(grep -o '"label":"m = ' scene.json | wc -l) == 8)) || fail "$(grep -o '"label":"m = ' scene.json | wc -l) runs in the page"
(($(grep -c '<script type="text/plain" id="ghost' sweep.html) == 7)) || fail "ghosts without frames"
run 0 converge "$models/heavy_top.lua" --h 4e-3,2e-3,1e-3 --t-end 0.1 --reference finest --view converge.html --quiet
scene converge.html
has scene.json '"label":"h = 0.001 s"' '"label":"h = 0.004 s"'
run 0 sweep "$models/heavy_top.lua" --vary h=1e-3 --t-end 0.1 --view one.html --quiet
if grep -q '"ghosts"' one.html; then fail "one run has a ghost"; fi
# A run that fails is there as far as it got; a model that cannot be laid over another is refused.
echo "local k = param('k', 1) body { name = 'a', $body } force { body = 'a', value = function(t) if t > 0.5/k then error('torn') end return 0, 0, 1 end } run { t_end = 1, h = 0.1 }" >torn.lua
run 0 sweep torn.lua --vary k=0.1,0.9,0.2 --view torn.html --quiet
scene torn.html
has scene.json 'torn' '"label":"k = 0.9"'
run 2 sweep "$models/chain.lua" --vary N=3,4 --t-end 0.01 --view other.html --quiet
has err "cannot be laid over each other"
refused "a page is a file whose name ends in .html" sweep "$models/heavy_top.lua" --vary m=1,2 --view x.txt
refused "a page shows a model file" converge heavy_top --h 1e-3,5e-4 --view x.html
finish
