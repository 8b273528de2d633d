#!/usr/bin/env bash
# Functions of a model that fail at some call, in every command and wherever it is asked: the command ends, and says whose function it was and why.
# shellcheck source=test/program.bash
source "$(dirname "${BASH_SOURCE[0]}")/program.bash"

cat >late.lua <<'END_OF_MODEL'
gravity {0, 0, -9.81}
local calls, last, m = 0, param("last", 1e9), param("m", 2)
local function late(...)
    calls = calls + 1
    if calls > last then error("too late") end
    return ...
end
input { name = "u", value = 0.5 }
body { name = "a", mass = m, inertia = {0.1, 0.2, 0.2}, position = {0.5, 0, 0} }
body { name = "b", mass = 1, inertia = {0.1, 0.1, 0.1}, position = {1.5, 0, 0} }
particle { name = "p", mass = 1, position = {0, 3, 1} }
joint { name = "pin", type = "revolute", bodies = {"ground", "a"}, at = {0, 0, 0}, axis = {0, 1, 0} }
joint { name = "elbow", type = "revolute", bodies = {"a", "b"}, at = {1, 0, 0}, axis = {0, 1, 0} }
constraint { name = "track", f = function(t, s) return late(s.p.position.x - 0.1*s.p.position.z^2 + 0.1) end }
actuator { name = "motor", joint = "pin", effort = function(t, s) return late(-3*s.joints.pin.position - s.joints.pin.rate) end }
actuator { name = "spring", joint = "elbow", k = 5, d = 0.3 }
force { name = "drag", body = "b", value = function(t, s) local v = s.b.velocity return late(-0.2*v.x, 0, -0.2*v.z) end }
spring { name = "hang", bodies = {"ground", "p"}, at_a = {0, 3, 4}, at_b = {0, 0, 0}, k = 50, d = 2 }
state { name = "x", rate = function(t, s) return late(s.inputs.u - s.states.x) end }
sensor { name = "tip", custom = function(t, s) return late(s.b.position.x, s.states.x) end }
objective { name = "J", final = function(s) return late(s.b.position.z^2) end, integral = function(t, s) return late(s.p.position.z) end }
event { name = "never", when = function(t, s) return late(s.p.position.z - 100) end, action = "stop" }
run { t_end = 0.004, h = 1e-3 }
END_OF_MODEL
sed '/^event/d' late.lua >plain.lua

# late ARGS...: with ever more calls that succeed, until all do
late() {
    local last code failed=0
    for ((last = 5; last < 1000000; last += 1 + last / 4)); do
        "$polhode" "$@" --set last=$last >out 2>err </dev/null
        code=$?
        checks=$((checks + 1))
        ((code)) || break
        failed=$((failed + 1))
        ((code == 1 || code == 2)) || fail "polhode $*: exit code $code after $last calls: $(head -c 300 err)"
        cat out err | grep -q 'too late' || fail "polhode $*: after $last calls no reason in: $(head -c 300 err)"
        if grep -qvE '^polhode: .*(too late|finest compares|error bars are not to be trusted)' err; then fail "polhode $*: after $last calls: $(head -c 300 err)"; fi
    done
    ((failed >= 8 && last < 1000000)) || fail "polhode $*: $failed failures up to $last calls"
}

for options in "" "--method rkmk --tableau gauss2" "--method rkmk --tableau dopri5" "--method bliedf --formulation index2" "--method residual-alpha --formulation index3" \
    "--tol 1e-3" "--space SE3" "--newton modified --formulation index3"; do
    # shellcheck disable=SC2086 # words of their own
    late run late.lua $options
done
late check late.lua
late static plain.lua
late modes plain.lua
late modes plain.lua --about static
late linearise plain.lua
late sens plain.lua --param m
late sens plain.lua --param m --mode adjoint
late sens plain.lua --param m --mode fd
late sens plain.lua --error
late run plain.lua --error-bars --tol 1e-3
late converge plain.lua --h 1e-3,5e-4 --reference finest --jobs 1
late transient plain.lua --steps 3
late sweep plain.lua --vary m=2 --jobs 1
late optimise plain.lua --vary m --bounds m=1:3 --minimise J --evaluations 2
late view late.lua -o x.html

finish
