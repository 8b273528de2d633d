/* Compiled models with functions, inputs, states, actuators, couplings, friction and drives, beside runs of the library. */
#include "compiled.h"

/* Initial values, a restart, the motion and all sensors. */
static void compare_text_with(const char *text, const char *const *options, int steps)
{
    scratch s = scratch_create("model.lua");
    scratch_write(&s, text, strlen(text));
    ph_run *run = open_run(s.path, options);
    built b = build(run, 1, 0, QUICK);
    compare_built(run, &b, steps);
    compare_sensors(run, &b);
    drop(&b);
    ph_run_close(run);
    scratch_remove(&s);
}

static void compare_text(const char *text, const char *formulation, int steps)
{
    compare_text_with(text, OPTIONS(formulation), steps);
}

#define ARM                                                                                                  \
    "gravity {0.3, -9.81, 0}\n"                                                                              \
    "body{name='a', mass=1.2, inertia={0.01, 0.02, 0.03}, position={0.5, 0, 0}}\n"                           \
    "body{name='b', mass=0.7, inertia={0.01, 0.02, 0.03}, position={1.4, 0, 0}}\n"                           \
    "joint{name='p', type='revolute', bodies={'ground', 'a'}, at={0, 0, 0}, axis={0, 0, 1}}\n"               \
    "joint{name='q', type='revolute', bodies={'a', 'b'}, at={1, 0, 0}, axis={0, 0, 1}}\n"

/* Effort by a controller with a state, springs, dampers, stops that are met, an input, all sensors. */
static const char arm[] =
    "model 'arm' " ARM "input{name='target', value=0.4}\n"
    "state{name='i', initial={0.1, -0.2}, rate=function(t, s)\n"
    "  return {s.inputs.target - s.joints.p.position, s.joints.q.rate - 3*s.states.i[2]} end}\n"
    "actuator{name='m', joint='p', effort=function(t, s)\n"
    "  return 30*s.states.i[1] - 20*math.sin(s.joints.p.position) - 4*s.joints.p.rate + s.states.i[2] end}\n"
    "actuator{name='k', joint='q', effort='target', k=2, d=0.05, rest=0.3, stops={-0.3, 0.2}, stop_k=400, "
    "stop_d=1, stop_width=0.05}\n"
    "sensor{name='x', type='joint_position', joint='p'} sensor{name='v', type='joint_rate', joint='p'}\n"
    "sensor{name='acc', type='joint_acceleration', joint='q'}\n"
    "sensor{name='m_effort', type='effort', of='m'} sensor{name='k_effort', type='effort', of='k'}\n"
    "sensor{name='m_power', type='power', of='m'} sensor{name='E', type='energy'}\n"
    "sensor{name='c', type='custom', f=function(t, s) return {s.a.position[1] + t, s.joints.q.position^2, "
    "s.b.acceleration[2], s.states.i[2]} end}\n"
    "run{t_end=1, h=1e-3}\n";

static void actuators_and_states(void **state)
{
    (void)state;
    compare_text(arm, "formulation=ggl", 400);
}

/* Functions with a way that has no value, curves that have none outside, where not every state can be looked at, accelerations of bodies and of a particle, which never turns. */
static const char ways[] =
    "model 'ways: a title that is longer than the names of C functions should be, and then some more words' "
    "gravity {0, "
    "0, -9.81}\n"
    "body{name='a', mass=1.2, inertia={0.1, 0.2, 0.3}, position={0.5, 0, 0}, omega={0.1, 0.2, 0.3}}\n"
    "joint{name='p', type='spherical', bodies={'ground', 'a'}, at={0, 0, 0}}\n"
    "particle{name='d', mass=0.5, position={0, 1, 0}}\n"
    "local push = curve({-0.5, 1, 2}, {0, 3, 1}, {outside='error'})\n"
    "force{name='f', body='d', value=function(t, s)\n"
    "  if s.d.position.z > 100 then error('far') end\n"
    "  if s.a.position.x > 0.4 and s.d.velocity.z < -0.2 then return push(t), 0, 1 end\n"
    "  return 0, push(t), math.max(-math.huge, math.min(s.a.omega.y, math.huge)) end}\n"
    "sensor{name='s', custom=function(t, s) return {s.a.omega_dot.x + s.a.acceleration.z, s.d.omega_dot.y, "
    "s.d.acceleration.x} end}\n"
    "run{t_end=1, h=1e-3}\n";

static void ways_of_functions(void **state)
{
    (void)state;
    compare_text(ways, "formulation=index3", 100);
}

/* Friction in all joints that have it; it depends on multipliers. */
static const char rubbing[] =
    "model 'rubbing' gravity {0.3, 0.2, -9.81}\n"
    "body{name='a', mass=1.2, inertia={0.1, 0.2, 0.3}, position={0.5, 0, 0}, omega={0, 1, 0}}\n"
    "joint{name='p', type='revolute', bodies={'ground', 'a'}, at={0, 0, 0}, axis={0, 1, 0}, friction=0.3, "
    "friction_radius=0.05, friction_speed=0.1}\n"
    "body{name='b', mass=0.7, inertia={0.1, 0.2, 0.3}, position={2.4, 0, 0}}\n"
    "joint{name='q', type='spherical', bodies={'ground', 'b'}, at={2, 0, 0.1}, friction=0.2, "
    "friction_radius=0.1, friction_speed=0.1}\n"
    "body{name='c', mass=0.7, inertia={0.1, 0.2, 0.3}, position={4, 0, 0}, velocity={1, 0, 0}}\n"
    "joint{name='r', type='prismatic', bodies={'ground', 'c'}, at={4, 0, 0}, axis={1, 0, 0}, friction=0.1, "
    "friction_speed=0.1}\n"
    "sensor{name='pr', type='reaction', joint='p'} sensor{name='E', type='energy'}\n"
    "run{t_end=1, h=1e-3}\n";

static void friction(void **state)
{
    (void)state;
    compare_text(rubbing, "formulation=index3", 300);
}

/* Gears over several turns, a rack, and a drive that turns one of them. */
static const char gears[] =
    "model 'gears' gravity {0, 0, 0}\n"
    "local J = {0.1, 0.2, 0.3}\n"
    "body{name='a', mass=1, inertia=J} body{name='b', mass=1, inertia=J, position={1, 0, 0}}\n"
    "body{name='c', mass=1, inertia=J, position={2, 0, 0}} body{name='d', mass=1, inertia=J, position={3, 0, "
    "0}, omega={0, 0, 2}}\n"
    "joint{name='ja', type='revolute', bodies={'ground', 'a'}, at={0, 0, 0}, axis={0, 0, 1}, "
    "drive=function(t) return 12*t + 0.5*math.sin(9*t) end}\n"
    "joint{name='jb', type='revolute', bodies={'ground', 'b'}, at={1, 0, 0}, axis={0, 0, 1}}\n"
    "joint{name='jc', type='prismatic', bodies={'ground', 'c'}, at={2, 0, 0}, axis={0, 1, 0}}\n"
    "joint{name='jd', type='spherical', bodies={'ground', 'd'}, at={3, 0, 0}}\n"
    "coupling{name='gear', joints={'ja', 'jb'}, ratio=-1.5}\n"
    "coupling{name='rack', joints={'jb', 'jc'}, ratio=0.1, unit='m/rad'}\n"
    "actuator{name='swing', joint='jd', k=2, d=0.1}\n"
    "spring{name='s', bodies={'c', 'd'}, at_a={0.1, 0, 0}, at_b={0, 0.3, 0}, k=20, d=0.5, length=0.5}\n"
    "sensor{name='b', type='joint_position', joint='jb'} sensor{name='f', type='effort', of='rack'}\n"
    "sensor{name='P', type='power', of='gear'} sensor{name='T', type='effort', of='ja'}\n"
    "sensor{name='PT', type='power', of='ja'} sensor{name='E', type='energy'}\n"
    "run{t_end=1, h=1e-3}\n";

static void couplings_and_drives(void **state)
{
    (void)state;
    compare_text(gears, "formulation=ggl", 1000); /* two turns of the drive */
}

/* Loads of time, of their own body and of others: curves, comparisons, kinks, quaternions, rates. */
static const char field[] =
    "model 'field' gravity {0, 0, -1}\n"
    "local road = curve({0, 0.2, 0.5, 1}, {0, 0.1, -0.1, 0.3}, {kind='cubic'})\n"
    "local map = curve({-1, 0, 1}, {-2, 0.1, 2}, {outside='linear'})\n"
    "local saw = curve({0, 0.1, 0.2}, {0, 1, 0}, {kind='monotone', outside='periodic'})\n"
    "body{name='a', mass=1.2, inertia={0.1, 0.2, 0.3}, omega={1, 2, 3}}\n"
    "body{name='b', mass=0.7, inertia={0.1, 0.2, 0.3}, position={1, 0.2, 0.1}, omega={0.1, 2, 0.3}}\n"
    "particle{name='p', mass=0.5, position={2, 0, 0}, velocity={0, 1, 0}}\n"
    "force{name='f', body='a', at={0.1, 0.2, 0.3}, value=function(t, s)\n"
    "  local d = s.b.position[1] - s.a.position[1]\n"
    "  local x = math.max(0, d - 0.9)^1.5 + road(t)\n"
    "  if s.p.velocity[2] > 0.5 then x = x + map(s.p.position[2]) else x = x - saw(t)/(1 + d^2) end\n"
    "  return {x, -2*s.a.velocity[2], math.exp(-t)*s.b.rotation[2] + 0.1*s.b.omega[3]} end}\n"
    "force{name='g', body='p', value=function(t, s) return {-s.p.position[1] + s.a.rotation[3], "
    "math.sqrt(1 + s.p.velocity[1]^2), math.abs(s.p.position[3]) - 5*s.p.position[3]} end}\n"
    "torque{name='h', body='b', frame='body', value=function(t, s)\n"
    "  return {math.cos(3*t), -0.2*s.b.omega[2], s.a.omega[1]*s.b.rotation[1]/10} end}\n"
    "torque{name='k', body='a', value=function(t, s) return {math.atan(t, 2), t < 0.1 and 1 or 0.5, 0} end}\n"
    "sensor{name='c', type='custom', f=function(t, s) return {road(t), s.p.position[1] % 0.7} end}\n"
    "run{t_end=1, h=1e-3}\n";

static void loads(void **state)
{
    (void)state;
    compare_text(field, "formulation=index2", 400);
}

/* Displacements and lengths that are driven, and accelerations of drives at the start. */
static const char driven[] =
    "model 'driven' gravity {0, 0, -9.81}\n"
    "local lift = curve({0, 0.3, 0.6, 1.2}, {0, 0.1, 0.15, 0.3}, {kind='cubic'})\n"
    "body{name='a', mass=1.2, inertia={0.1, 0.2, 0.3}}\n"
    "joint{name='j', type='prismatic', bodies={'ground', 'a'}, at={0, 0, 0}, axis={0, 0, 1}, "
    "drive=function(t) return "
    "lift(t) + (t > 0.1 and (t - 0.1)^3 or 0) end}\n"
    "particle{name='p', mass=0.5, position={1, 0, 0}}\n"
    "joint{name='rope', type='distance', bodies={'a', 'p'}, at_a={0, 0, 0}, at_b={0, 0, 0}, "
    "drive=function(t) return "
    "1 + 0.1*math.sin(3*t)^2 end}\n"
    "sensor{name='T', type='effort', of='j'} sensor{name='r', type='reaction', joint='rope'}\n"
    "run{t_end=1, h=1e-3, assemble=true}\n";

static void drives(void **state)
{
    (void)state;
    compare_text(driven, "formulation=ggl", 400);
}

/* ---- inputs ------------------------------------------------------------------------------------------------- */

/* An input that is set between steps: a line to the new value, or a step that starts the method anew. */
static void set_inputs(const char *hold)
{
    char text[2000];
    scratch s = scratch_create("model.lua");
    snprintf(text, sizeof text,
             "model 'set' " ARM
             "input{name='u', value=0.5, hold='%s'} actuator{name='m', joint='q', effort='u'}\n"
             "run{t_end=1, h=1e-3, formulation='ggl'}\n",
             hold);
    scratch_write(&s, text, strlen(text));
    ph_run *run = open_run(s.path, NULL);
    ph_error err = {0};
    built b = build(run, 1, 0, QUICK);
    int u = b.place.input;
    check_near(b.state[u], 0.5, 0); /* exact */
    for (int k = 0; k < 300; k++) {
        double value = k < 3 ? 0.7 : k < 150 ? 1 + 0.1 * k : -2;
        if (k == 0 || k > 99) {
            b.state[u] = value;
            assert_int_equal(ph_run_set_input(run, 0, value), PH_OK);
        }
        assert_int_equal(b.step(b.state), 0);
        if (ph_run_step(run, &err) != PH_OK)
            fail_msg("%s", err.text);
    }
    apart x = compare_states(run, &b);
    check_le(x.motion, MOTION), check_le(x.lambda, LAMBDA);
    drop(&b);
    ph_run_close(run);
    scratch_remove(&s);
}

static void inputs(void **state)
{
    (void)state;
    set_inputs("linear");
    set_inputs("step");
}

/* Starts in each step that are stiff (RB2), in all forms. */
static void stiff_starts(void **state)
{
    (void)state;
    static const char *const form[] = {"formulation=ggl", "formulation=index2", "formulation=index3"};
    static const char text[] = ARM "input{name='u', value=0.5, hold='step'}\n"
                                   "actuator{name='m', joint='q', k=300, d=400, effort='u'}\n"
                                   "actuator{name='n', joint='p', d=0.1, k=3}\n"
                                   "run{t_end=1, h=1e-3, rho=0.6}\n";
    for (int f = 0; f < 3; f++) {
        scratch s = scratch_create("model.lua");
        scratch_write(&s, text, strlen(text));
        ph_run *run = open_run(s.path, OPTIONS(form[f]));
        ph_error err = {0};
        built b = build(run, 1, 0, QUICK);
        for (int k = 0; k < (f == 1 ? 6 : 60); k++) { /* index-2: before its drift is projected */
            double value = sin(0.2 * k);
            b.state[b.place.input] = value;
            assert_int_equal(ph_run_set_input(run, 0, value), PH_OK);
            assert_int_equal(b.step(b.state), 0);
            if (ph_run_step(run, &err) != PH_OK)
                fail_msg("%s: %s", form[f], err.text);
            assert_int_equal(((ph_sim *)ph_run_sim(run))->stiff, 1);
        }
        apart x = compare_states(run, &b);
        check_le(x.motion, MOTION), check_le(x.lambda, LAMBDA);
        drop(&b);
        ph_run_close(run);
        scratch_remove(&s);
    }
}

/* ---- runs by compiled steps --------------------------------------------------------------------------------- */

static unsigned stands_still(void *state)
{
    (void)state;
    return 0;
}

static unsigned fails(void *state)
{
    (void)state;
    return 1;
}

/* A step that is not that of the model is found out, and the run is that of the library. */
static void wrong_steps_are_given_up(void **state)
{
    (void)state;
    unsigned (*const wrong[])(void *) = {stands_still, fails};
    for (int k = 0; k < 2; k++) {
        ph_run *run = open_run(MODELS "heavy_top.lua", OPTIONS("formulation=index3")),
               *own = open_run(MODELS "heavy_top.lua", OPTIONS("formulation=index3"));
        ph_error err = {0};
        assert_int_equal(ph_run_use_compiled(run, wrong[k], &err), PH_OK);
        assert_true(ph_run_is_compiled(run));
        for (int i = 0; i < 20; i++)
            assert_true(ph_run_step(run, &err) == PH_OK && ph_run_step(own, &err) == PH_OK);
        assert_false(ph_run_is_compiled(run));
        const ph_sim *a = ph_run_sim(run), *b = ph_run_sim(own);
        assert_true(max_diff(a->now.q, b->now.q, a->lay.nq) == 0); /* exact */
        ph_run_close(run), ph_run_close(own);
    }
}

static unsigned (*counted)(void *);
static int calls;

static unsigned count_calls(void *state)
{
    calls++;
    return counted(state);
}

/* Inputs that jump, a restart and a reset: what a run does between steps is seen by compiled ones. */
static void a_run_goes_on_in_compiled_steps(void **state)
{
    (void)state;
    scratch s = scratch_create("model.lua");
    const char text[] =
        "model 'set' " ARM
        "input{name='u', value=0.5, hold='step'} actuator{name='m', joint='q', effort='u', k=2}\n"
        "sensor{name='x', type='joint_position', joint='q'} run{t_end=1, h=1e-3}\n";
    scratch_write(&s, text, strlen(text));
    ph_run *run = open_run(s.path, NULL), *own = open_run(s.path, NULL);
    ph_error err = {0};
    built b = build(run, 1, 0, QUICK);
    *(void **)&counted = dlsym(b.library, "m_step");
    assert_int_equal(ph_run_use_compiled(run, count_calls, &err), PH_OK);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < 200; i++) {
            if (i == 50 || i == 120)
                assert_true(ph_run_set_input(run, 0, 3 - i / 50.) == PH_OK &&
                            ph_run_set_input(own, 0, 3 - i / 50.) == PH_OK);
            assert_true(ph_run_step(run, &err) == PH_OK && ph_run_step(own, &err) == PH_OK);
        }
        double x = 0, y = 0;
        assert_true(ph_run_get(run, PH_GET_SENSOR, 0, &x) == PH_OK &&
                    ph_run_get(own, PH_GET_SENSOR, 0, &y) == PH_OK);
        check_near(x, y, MOTION);
        check_near(ph_run_time(run), ph_run_time(own), 0); /* exact */
        assert_true(ph_run_is_compiled(run) && calls == 200 * (pass + 1));
        assert_true(ph_run_reset(run, &err) == PH_OK && ph_run_reset(own, &err) == PH_OK);
    }
    assert_int_equal(ph_run_set_options(run, (const char *const[]){"h=2e-3"}, 1, &err), PH_OK);
    assert_false(ph_run_is_compiled(run)); /* it is another run */
    ph_run_close(run), ph_run_close(own);
    drop(&b);
    scratch_remove(&s);
}

/* Members that take other ways through functions and stops have the bits of their own runs. */
static void ways_of_members(void **state)
{
    (void)state;
    const char *const text[] = {arm, field};
    for (int m = 0; m < 2; m++) {
        scratch s = scratch_create("model.lua");
        scratch_write(&s, text[m], strlen(text[m]));
        ph_run *run = open_run(s.path, OPTIONS("formulation=index3"));
        const ph_layout *lay = &ph_run_sim(run)->lay;
        int lanes = 4, omega = 2 + lay->nq + 5,
            steps = 60; /* the third of the first body's angular velocity */
        built many = build(run, lanes, 0, has_avx2() ? QUICK " -mavx2" : QUICK),
              one = build(run, 1, 0, QUICK);
        for (int i = 0; i < lanes; i++)
            many.state[omega * lanes + i] += 0.7 * i;
        assert_int_equal(many.restart(many.state), 0);
        for (int k = 0; k < steps; k++)
            assert_int_equal(many.step(many.state), 0);
        for (int i = 0; i < lanes; i++) {
            one.init(one.state);
            one.state[omega] += 0.7 * i;
            assert_int_equal(one.restart(one.state), 0);
            for (int k = 0; k < steps; k++)
                assert_int_equal(one.step(one.state), 0);
            for (int k = 0; k < 2 + lay->nq + 2 * lay->nv + lay->nl; k++)
                if (at(&many, k, i) != at(&one, k, 0)) /* exact */
                    fail_msg("model %d, number %d of member %d: %.17g, alone %.17g", m, k, i, at(&many, k, i),
                             at(&one, k, 0));
        }
        drop(&many), drop(&one);
        ph_run_close(run);
        scratch_remove(&s);
    }
}

/* Flags of events, four stones that are thrown with other speeds: each comes in the step in which its time v/g, 2 v/g lies, in one
 * direction or both, and at no other. */
static void flags_of_events(void **state)
{
    (void)state;
    static const char text[] = "model 'stones'\n"
                               "gravity {0, 0, -10}\n"
                               "particle{name='stone', mass=1, velocity={0, 0, 1.013}}\n"
                               "event{name='top', when=function(t, s) return s.stone.velocity.z end, "
                               "direction='down', action='stop'}\n"
                               "event{name='rise', when=function(t, s) return s.stone.velocity.z end, "
                               "direction='up', action='stop'}\n"
                               "event{name='top-or-so', when=function(t, s) return -s.stone.velocity.z end, "
                               "direction='both', action='stop'}\n"
                               "event{name='floor', when=function(t, s) return s.stone.position.z - 1e-9 "
                               "end, direction='down', action='stop'}\n"
                               "body{name='wheel', mass=1, inertia={1, 1, 1}, omega={0, 0, 20.3}}\n"
                               "joint{name='axle', type='revolute', bodies={'ground', 'wheel'}, "
                               "at={0, 0, 0}, axis={0, 0, 1}}\n"
                               "event{name='turn', when=function(t, s) return s.joints.axle.position - 7 "
                               "end, direction='up', action='stop'}\n"
                               "run{t_end=1, h=0.01}\n";
    enum { TOP, RISE, SO, FLOOR, TURN, EVENTS };
    scratch s = scratch_create("model.lua");
    scratch_write(&s, text, strlen(text));
    ph_run *run = open_run(s.path, NULL);
    built b = build(run, 4, 0, has_avx2() ? QUICK " -mavx2" : QUICK);
    double *z = b.state + 4 * (b.place.v + 2);
    for (int i = 0; i < 4; i++)
        z[i] += 0.3 * i;
    assert_int_equal(b.restart(b.state), 0);
    int seen[EVENTS] = {0};
    for (int k = 1; k <= 60; k++) {
        assert_int_equal(b.step(b.state), 0);
        for (int i = 0; i < 4; i++) {
            double up = (1.013 + 0.3 * i) / 10, from = 0.01 * (k - 1), end = 0.01 * k;
            const int flag[EVENTS] = {[TOP] = from < up && up <= end,
                                      [SO] = from < up && up <= end,
                                      [FLOOR] = from < 2 * up && 2 * up <= end,
                                      [TURN] = from < 7 / 20.3 && 7 / 20.3 <= end};
            for (int e = 0; e < EVENTS; e++) {
                seen[e] += flag[e];
                assert_int_equal((int)at(&b, b.place.event + e, i), flag[e]);
            }
        }
    }
    assert_true(seen[TOP] == 4 && seen[SO] == 4 && seen[FLOOR] == 4 && seen[TURN] == 4);
    drop(&b);
    ph_run_close(run);
    scratch_remove(&s);
}

/* A net whose elimination is longer than statements serve, with an input: a loop over tables of places. */
static const char net[] =
    "model 'net' gravity {0, 0, -9.81}\n"
    "input{name='u', value=2}\n"
    "local function id(i, j) return 'b' .. i .. j end\n"
    "for i = 1, 3 do for j = 1, 3 do\n"
    "  body{name=id(i, j), mass=1, inertia={0.1, 0.2, 0.3}, position={i, j, 0}, omega={0, 0.1*i, 0.2*j}}\n"
    "  if i > 1 then joint{name='x' .. i .. j, type='spherical', bodies={id(i - 1, j), id(i, j)}, at={i - "
    "0.5, j, 0}} "
    "end\n"
    "  if j > 1 then spring{name='y' .. i .. j, bodies={id(i, j - 1), id(i, j)}, at_a={0, 0.5, 0.1}, "
    "at_b={0, -0.5, 0.2}, k=100, d=1} end\n"
    "end end\n"
    "joint{name='g', type='revolute', bodies={'ground', id(1, 1)}, at={0.5, 1, 0}, axis={0, 1, 0}}\n"
    "actuator{name='m', joint='g', effort='u'}\n"
    "sensor{name='E', type='energy'}\n"
    "run{t_end=1, h=1e-3, assemble=true}\n";

static void long_eliminations_are_tables(void **state)
{
    (void)state;
    compare_text_with(net, OPTIONS("formulation=index3", "newton=full"), 50); /* to round-off, also lambda */
}

int main(int argc, char **argv) /* a pattern of names: those tests alone */
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways_of_functions),
        cmocka_unit_test(actuators_and_states),
        cmocka_unit_test(friction),
        cmocka_unit_test(couplings_and_drives),
        cmocka_unit_test(loads),
        cmocka_unit_test(drives),
        cmocka_unit_test(inputs),
        cmocka_unit_test(stiff_starts),
        cmocka_unit_test(long_eliminations_are_tables),
        cmocka_unit_test(flags_of_events),
        cmocka_unit_test(ways_of_members),
        cmocka_unit_test(wrong_steps_are_given_up),
        cmocka_unit_test(a_run_goes_on_in_compiled_steps),
    };
    cmocka_set_test_filter(argc > 1 ? argv[1] : NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
