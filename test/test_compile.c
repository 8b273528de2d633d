/* Compiled models beside runs of the library: every joint and force, three forms, members at once, failures, refusals. */
#include "compiled.h"

static void heavy_top_in_all_forms(void **state)
{
    (void)state;
    compare(MODELS "heavy_top.lua", OPTIONS("formulation=index3", "h=1e-4"), 10000);
    compare(MODELS "heavy_top.lua", OPTIONS("formulation=index3", "sigma=0"), 1000);
    compare(MODELS "heavy_top.lua", OPTIONS("formulation=index2", "sigma=0.5"), 1000);
    compare(MODELS "heavy_top.lua", OPTIONS("formulation=ggl", "h=1e-4"), 10000);
    compare(MODELS "heavy_top.lua", OPTIONS("formulation=ggl", "sigma=0"), 1000);
    compare(MODELS "heavy_top.lua", OPTIONS("formulation=ggl", "sigma=opt", "start=plain"), 1000);
    compare(MODELS "heavy_top.lua", OPTIONS("formulation=ggl", "newton=full"), 1000);
    compare(MODELS "heavy_top.lua", OPTIONS("formulation=ggl", "h=8e-3"),
            300); /* half of all steps go back */
}

static void mechanisms(void **state)
{
    (void)state;
    numbers_alone();
    compare(MODELS "slider_crank.lua", OPTIONS("formulation=index3", "h=2e-4"), 10000);
    compare(MODELS "four_bar.lua", OPTIONS("formulation=index3"), 1000); /* 3 rows are redundant */
    compare(MODELS "rolling_disc.lua", OPTIONS("h=1e-3"), 1000);         /* non-holonomic */
    compare(MODELS "rotor.lua", NULL, 1000);
    compare(MODELS "spring_ball.lua", NULL, 1000);
    compare(MODELS "dzhanibekov.lua", NULL, 1000);
}

/* Every type that no model above has, and a body whose axes are not principal. */
static const char zoo[] =
    "model 'zoo' gravity {0.3, 0.1, -9.81}\n"
    "local J = {0.2, 0.3, 0.4, 0.01, 0.02, 0.03}\n"
    "local function b(n, x, K) body{name=n, mass=1.2, inertia=K or J, position={x, 0.1, 0.2}} end\n"
    "b('c', 0) joint{name='jc', type='cylindrical', bodies={'ground', 'c'}, at={0, 0, 0}, axis={0, 0.6, "
    "0.8}}\n"
    "b('p', 1, {0.2, 0.3, 0.4, 0, 0.02, 0}) joint{name='jp', type='planar', bodies={'ground', 'p'}, at={1, "
    "0, 0}, normal={0, 0.6, 0.8}}\n"
    "b('l', 2) joint{name='jl', type='point_on_line', bodies={'c', 'l'}, at={2, 0, 0}, axis={1, 0, 0}}\n"
    "b('u', 3) joint{name='ju', type='universal', bodies={'p', 'u'}, at={3, 0.2, 0}, axis_a={1, 0, 0}, "
    "axis_b={0, 1, 0}}\n"
    "b('g', 4, {0.2, 0.3, 0.4, 0, 0, 0.03}) joint{name='jg', type='generic', bodies={'ground', 'g'}, at={4, "
    "0, 0}, lock={'x', 'ry', "
    "'rz'}}\n"
    "b('f', 5) joint{name='jf', type='fixed', bodies={'g', 'f'}, at={5, 0, 0}}\n"
    "particle{name='d', mass=0.5, position={6, 0, -1}}\n"
    "joint{name='jd', type='distance', bodies={'f', 'd'}, at_a={0.1, 0.2, 0}, at_b={0, 0, 0}}\n"
    "spring{name='s', bodies={'c', 'd'}, at_a={0, 0.1, 0}, at_b={0, 0, 0}, k=30, d=0.5}\n"
    "bushing{name='k', bodies={'l', 'u'}, at_a={0.5, 0, 0}, at_b={-0.5, 0, 0}, k={9, 8, 7}, d={0.3, 0.2, "
    "0.1}, kr={5, 5, 5}, dr={0.1, 0.2, 0.3}}\n"
    "torsion{name='t', body='u', k=3, d=0.1}\n"
    "force{name='F', body='l', at={0, 0.1, 0}, value={1, 2, 3}}\n"
    "force{name='G', body='p', at={0.2, 0.1, 0}, value={1, 2, 3}, frame='body'}\n"
    "torque{name='T', body='g', value={0.5, 0, 0}}\n"
    "torque{name='U', body='l', value={0.1, 0.2, 0.3}, frame='body'}\n"
    "sensor{name='a', type='acceleration', body='l', at={0.1, 0.2, 0.3}}\n"
    "sensor{name='ad', type='acceleration', body='d'} sensor{name='a0', type='acceleration', body='ground'}\n"
    "sensor{name='x0', type='position', body='ground', at={1, 2, 3}}\n"
    "sensor{name='v', type='velocity', body='u', at={0.1, 0.2, 0.3}}\n"
    "sensor{name='R', type='rotation', body='u'}\n"
    "sensor{name='w', type='omega', body='u'}\n"
    "sensor{name='rc', type='reaction', joint='jc'}\n"
    "sensor{name='rd', type='reaction', joint='jd'}\n"
    "sensor{name='E', type='energy'}\n"
    "run{t_end=1, h=1e-3, formulation='index3'}\n";

static scratch zoo_file(void)
{
    scratch s = scratch_create("zoo.lua");
    scratch_write(&s, zoo, strlen(zoo));
    return s;
}

/* Large enough for loops over tables: joints and springs of several kinds, a particle, redundant rows. */
static const char large[] =
    "model 'large' gravity {0, 0.1, -9.81}\n"
    "for i = 1, 12 do\n"
    "  local last = i == 1 and 'ground' or 'b' .. i - 1\n"
    "  body{name='b' .. i, mass=1 + i/10, inertia={0.02, 0.03, 0.04, 0.001, 0, 0}, position={i - 0.5, 0, "
    "0}}\n"
    "  joint{name='j' .. i, type=i % 3 == 0 and 'universal' or i % 3 == 1 and 'revolute' or 'spherical', "
    "bodies={last, 'b' .. i},\n"
    "        at={i - 1, 0, 0}, axis=i % 3 == 1 and {0, 1, 0} or nil, axis_a=i % 3 == 0 and {0, 1, 0} or "
    "nil,\n"
    "        axis_b=i % 3 == 0 and {0, 0, 1} or nil}\n"
    "end\n"
    "particle{name='p', mass=0.3, position={12, 0, -1}}\n"
    "joint{name='rope', type='distance', bodies={'b12', 'p'}, at_a={0.5, 0, 0}, at_b={0, 0, 0}}\n"
    "joint{name='again', type='point_on_line', bodies={'ground', 'b1'}, at={0, 0, 0}, axis={1, 0, 0}}\n"
    "spring{name='s', bodies={'b3', 'b7'}, k=20, d=0.3}\n"
    "spring{name='s2', bodies={'ground', 'b9'}, at_a={8, 0, 1}, k=20, d=0.3}\n"
    "force{name='f', body='b5', value={0, 1, 0}}\n"
    "sensor{name='energy', type='energy'} sensor{name='r', type='reaction', joint='j5'}\n"
    "run{t_end=1, h=1e-3, formulation='index3'}\n";

static void loops_over_tables(void **state)
{
    (void)state;
    scratch s = scratch_create("large.lua");
    scratch_write(&s, large, strlen(large));
    compare(s.path, NULL, 300);
    compare(s.path, OPTIONS("formulation=ggl"), 300);
    compare(s.path, OPTIONS("formulation=ggl", "sigma=0.3"), 300);
    ph_run *run = open_run(s.path, NULL);
    built many = build(run, 4, 0, has_avx2() ? "-O1 -mavx2" : "-O1"), one = build(run, 1, 0, "-O1");
    for (int k = 0; k < 20; k++)
        assert_true(many.step(many.state) == 0 && one.step(one.state) == 0);
    for (int k = 0; k < 2 + ph_run_sim(run)->lay.nq; k++)
        assert_true(at(&many, k, 3) == at(&one, k, 0)); /* exact */
    drop(&many), drop(&one);
    ph_run_close(run);
    scratch_remove(&s);
}

/* As the one before, with what it has not: a rolling disc, a joint whose second body is the ground, sensors of joints and functions of them,
 * springs whose energy nobody asks for. */
static const char rolls[] =
    "model 'rolls' gravity {0, 0.1, -9.81}\n"
    "for i = 1, 14 do\n"
    "  local last = i == 1 and 'ground' or 'b' .. i - 1\n"
    "  body{name='b' .. i, mass=1, inertia={0.2, 0.3, 0.4, 0.001, 0, 0}, position={i - 0.5, 0, 1}}\n"
    "  joint{name='j' .. i, type='revolute', bodies={'b' .. i, last}, at={i - 1, 0, 1}, axis={0, 1, 0.1*i}}\n"
    "end\n"
    "body{name='disc', mass=0.5, inertia={0.1, 0.1, 0.2}, position={20, 0, 0.3}, rotation={axis={1, 0, 0}, "
    "angle=math.pi/2}, omega={0, 0, 2}, velocity={-0.6, 0, 0}}\n"
    "joint{name='contact', type='rolling', bodies={'ground', 'disc'}, at={20, 0, 0}, normal={0, 0, 1}, "
    "axis={0, 1, 0}, radius=0.3}\n"
    "spring{name='s', bodies={'b3', 'b7'}, k=20, d=0.3}\n"
    "sensor{name='angle', type='joint_position', joint='j2'} sensor{name='rate', type='rate', joint='j3'}\n"
    "sensor{name='turn', type='joint_acceleration', joint='j1'} sensor{name='pull', type='reaction', "
    "joint='j1'}\n"
    "sensor{name='both', custom=function(t, s) return s.joints.j2.position + 2*s.joints.j4.rate + "
    "s.b5.position.x end}\n"
    "run{t_end=1, h=1e-3, formulation='index3', assemble=true}\n";

static void compare_with_sensors(const char *path, const char *const *options)
{
    ph_run *run = open_run(path, options);
    built b = build(run, 1, 0, QUICK);
    compare_built(run, &b, 100);
    compare_sensors(run, &b);
    drop(&b);
    ph_run_close(run);
}

static void loops_and_sensors(void **state)
{
    (void)state;
    scratch s = scratch_create("rolls.lua");
    scratch_write(&s, rolls, strlen(rolls));
    compare_with_sensors(s.path, NULL);
    scratch_remove(&s);
}

/* Sensors of joints of few bodies: a rolling disc, one that pulls at the ground, a particle, the ground on either side. */
static const char few_sensors[] =
    "model 'few' gravity {0, 0.1, -9.81}\n"
    "body{name='disc', mass=0.5, inertia={0.1, 0.1, 0.2}, position={0, 0, 0.3}, rotation={axis={1, 0, 0}, "
    "angle=math.pi/2}, omega={0.1, 0.2, 2}}\n"
    "joint{name='contact', type='rolling', bodies={'ground', 'disc'}, at={0, 0, 0}, normal={0, 0, 1}, "
    "axis={0, 1, 0}, radius=0.3}\n"
    "body{name='arm', mass=2, inertia={0.2, 0.2, 0.3, 0, 0, 0.02}, position={3, 0, 1}}\n"
    "joint{name='pin', type='revolute', bodies={'arm', 'ground'}, at={2, 0, 1}, axis={0, 1, 0}}\n"
    "particle{name='bead', mass=0.3, position={3.5, 0, 1}}\n"
    "joint{name='rail', type='point_on_line', bodies={'arm', 'bead'}, at={3.5, 0, 1}, axis={1, 0, 0}}\n"
    "particle{name='free', mass=0.2, position={5, 0, 1}}\n"
    "joint{name='wall', type='point_on_line', bodies={'free', 'ground'}, at={5, 0, 1}, axis={0, 0, 1}}\n"
    "sensor{name='touch', type='reaction', joint='contact'} sensor{name='pull', type='reaction', "
    "joint='pin'}\n"
    "sensor{name='a', type='joint_acceleration', joint='pin'}\n"
    "sensor{name='b', type='joint_acceleration', joint='rail'} sensor{name='c', type='joint_position', "
    "joint='wall'}\n"
    "sensor{name='d', type='joint_acceleration', joint='wall'}\n"
    "sensor{name='w', type='rotation', body='ground'} sensor{name='E', type='energy'}\n"
    "run{t_end=1, h=1e-3, formulation='index3', assemble=true}\n";

static void sensors_of_joints(void **state)
{
    (void)state;
    scratch s = scratch_create("few.lua");
    scratch_write(&s, few_sensors, strlen(few_sensors));
    compare_with_sensors(s.path, OPTIONS("newton=full")); /* its multipliers have the least round-off */
    scratch_remove(&s);
}

/* What the program has no words for: (G6) and (G7) with any sigma, and another length of (N5). */
static void forms_of_a_program(void **state)
{
    (void)state;
    const struct {
        ph_ggl_form form;
        double sigma, length;
    } all[] = {{PH_GGL_INSIDE, 1, 0.25}, {PH_GGL_OUTSIDE, 0, 0}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        ph_run *run = open_run(MODELS "heavy_top.lua", OPTIONS("formulation=ggl"));
        ph_options o = ph_run_options(run);
        ph_error err = {0};
        o.ggl_form = all[k].form, o.sigma = all[k].sigma, o.ggl_length = all[k].length;
        if (ph_run_set_method(run, &o, &err) != PH_OK)
            fail_msg("%s", err.text);
        built b = build(run, 1, 0, QUICK);
        compare_built(run, &b, 200);
        drop(&b);
        ph_run_close(run);
    }
}

/* A body with so many joints that the stabilised form of the library has unknowns of its own for it (N6): one by one and in loops. */
static void hubs(void **state)
{
    (void)state;
    static const char
        few[] = "model 'few' gravity {0, 0.1, -9.81}\n"
                "body{name='hub', mass=3, inertia={0.3, 0.4, 0.5}, omega={1, 2, 3}}\n"
                "joint{name='pivot', type='spherical', bodies={'ground', 'hub'}, at={0.1, 0, 0}}\n"
                "for i = 1, 9 do\n"
                "  particle{name='p' .. i, mass=0.1*i, position={math.cos(i), math.sin(i), -1}}\n"
                "  joint{name='d' .. i, type='distance', bodies={'hub', 'p' .. i}, at_a={0.1*i, 0, 0}, "
                "at_b={0, 0, 0}}\n"
                "end\n"
                "run{t_end=1, h=1e-3, formulation='ggl', assemble=true}\n",
        many[] =
            "model 'many' gravity {0, 0.1, -9.81}\n"
            "body{name='hub', mass=3, inertia={0.3, 0.4, 0.5}, omega={0, 0, 3}}\n"
            "joint{name='axle', type='revolute', bodies={'ground', 'hub'}, at={0, 0, 0}, axis={0, 0, 1}}\n"
            "for i = 1, 12 do\n"
            "  body{name='b' .. i, mass=0.1*i, inertia={0.1, 0.12, 0.14}, position={1.5*math.cos(i), "
            "1.5*math.sin(i), 0}}\n"
            "  joint{name='j' .. i, type='spherical', bodies={'hub', 'b' .. i}, at={math.cos(i), "
            "math.sin(i), 0}}\n"
            "end\n"
            "run{t_end=1, h=1e-3, formulation='ggl', assemble=true}\n";
    const char *const text[] = {few, many};
    for (int k = 0; k < 2; k++) {
        scratch s = scratch_create("hub.lua");
        scratch_write(&s, text[k], strlen(text[k]));
        ph_run *run = open_run(s.path, NULL);
        assert_true(ph_run_sim(run)->matrix.n_hub > 0);
        ph_run_close(run);
        compare(s.path, NULL, 200);
        scratch_remove(&s);
    }
}

static void every_element(void **state)
{
    (void)state;
    numbers_alone();
    scratch s = zoo_file();
    compare(s.path, NULL, 1000);
    scratch_remove(&s);
}

static void sensors(void **state)
{
    (void)state;
    check_sensors(MODELS "heavy_top.lua", OPTIONS("formulation=index3"), 100);
    numbers_alone();
    check_sensors(MODELS "slider_crank.lua", OPTIONS("formulation=index3", "h=5e-3", "t_end=2"),
                  400); /* 3 turns */
    scratch s = zoo_file();
    check_sensors(s.path, NULL, 50);
    scratch_remove(&s);
}

/* ---- members at once ---------------------------------------------------------------------------------------- */

/* Members start from other velocities: each has the bits of its own run in the file without lanes. */
static void check_lanes(int lanes, const char *const *options)
{
    ph_run *run = open_run(MODELS "heavy_top.lua", options);
    built many = build(run, lanes, 0, has_avx2() ? "-O1 -mavx2" : "-O1"), one = build(run, 1, 0, "-O1");
    for (int i = 0; i < lanes; i++)
        many.state[(2 + 7 + 4) * lanes + i] += i;
    assert_int_equal(many.restart(many.state), 0);
    for (int k = 0; k < 300; k++)
        assert_int_equal(many.step(many.state), 0);
    for (int i = 0; i < lanes; i++) {
        one.init(one.state);
        one.state[2 + 7 + 4] += i;
        assert_int_equal(one.restart(one.state), 0);
        for (int k = 0; k < 300; k++)
            assert_int_equal(one.step(one.state), 0);
        for (int k = 0; k < 2 + 7 + 18 + 3; k++)
            if (at(&many, k, i) != at(&one, k, 0)) /* exact */
                fail_msg("number %d of member %d of %d: %.17g, alone %.17g", k, i, lanes, at(&many, k, i),
                         at(&one, k, 0));
    }
    drop(&many), drop(&one);
    ph_run_close(run);
}

static void lanes_have_the_bits_of_one(void **state)
{
    (void)state;
    for (int lanes = 2; lanes <= 8; lanes *= 2)
        check_lanes(lanes, OPTIONS("formulation=index3"));
    /* the Jacobian of the first iterate serves some members and others not, in the same step */
    check_lanes(4, OPTIONS("formulation=ggl", "h=8e-3"));
}

static void a_member_fails_alone(void **state)
{
    (void)state;
    ph_run *run = open_run(MODELS "heavy_top.lua", OPTIONS("formulation=index3"));
    built b = build(run, 4, 0, has_avx2() ? "-O1 -mavx2" : "-O1"), one = build(run, 1, 0, "-O1");
    b.state[(2 + 7) * 4 + 1] = NAN;
    for (int k = 0; k < 10; k++) {
        assert_int_equal(b.step(b.state), 1u << 1);
        assert_int_equal(one.step(one.state), 0);
    }
    assert_true(at(&b, 1, 1) == 0 && at(&b, 2, 1) == 0 && at(&b, 3, 1) == 1);
    for (int k = 0; k < 2 + 7 + 18 + 3; k++)
        assert_true(at(&b, k, 0) == at(&one, k, 0) && at(&b, k, 3) == at(&one, k, 0)); /* exact */
    drop(&b), drop(&one);
    ph_run_close(run);
}

/* ---- failures ------------------------------------------------------------------------------------------------- */

static void a_failed_step_changes_nothing(void **state)
{
    (void)state;
    ph_run *run = open_run(MODELS "heavy_top.lua", OPTIONS("formulation=index3"));
    built b = build(run, 1, 1, "-O1"); /* one iteration is not enough */
    double before[2 + 7 + 18 + 3];
    memcpy(before, b.state, sizeof before);
    assert_int_equal(b.step(b.state), 1);
    assert_memory_equal(before, b.state, sizeof before);
    drop(&b);
    ph_run_close(run);
}

#define BODY "body{name='b', mass=1, inertia={1, 1, 1}} run{t_end=1, h=0.01} "

static void refusals(void **state)
{
    (void)state;
    refuse("model 'a' " BODY, NULL, "while", 1, "'while' is a word of C");
    refuse("model 'a' " BODY, NULL, "EOF", 1, "'EOF' is a word of C");
    refuse("model 'a' " BODY, NULL, "sinf", 1, "'sinf' is a name of the C library");
    refuse("model '2top' " BODY, NULL, NULL, 1, "'2top' is not a name in C, it begins with a digit");
    refuse("model 'a' " BODY, NULL, "a-b", 1, "'a-b' is not a name in C");
    refuse("model 'a' " BODY, NULL, "PH_x", 1, "'PH_x' begins as names of the library do");
    refuse("model 'a' " BODY, NULL, "\xc3\xa4", 1, "is not a name in C");
    refuse("model 'a' " BODY
           "beam{name='e', from={0, 0, 0}, to={1, 0, 0}, n=1, section={EA=1, GA=1, GJ=1, EI=1}, "
           "mass={rhoA=1, J={2, 1, 1}}, mass_model='lumped'}",
           NULL, NULL, 1, "beam_element 'e.1' cannot be compiled");
    refuse("model 'a' " BODY "bushing{name='u', bodies={'b', 'ground'}, k={1, 1, 1}, frame='body'}", NULL,
           NULL, 1, "bushing 'u': axes of a body cannot be compiled");
    refuse("model 'a' " BODY "sensor{name='x', custom=function(t, s) return t == 0 and 1 or 2 end}", NULL,
           NULL, 1, "sensor 'x': its function cannot be compiled: it compares for equality with a number");
    refuse("model 'a' " BODY
           "joint{name='h', type='revolute', bodies={'ground', 'b'}, at={0, 0, 0}, axis={0, 0, 1}} "
           "actuator{name='m', joint='h', effort=function(t, s) return t == 0 and 1 or 2 end}",
           NULL, NULL, 1,
           "actuator 'm': its effort cannot be compiled: it compares for equality with a number");
    refuse("model 'a' " BODY, NULL, NULL, 3, "3 members at once");
    refuse("model 'a' " BODY, OPTIONS("space=SE3"), NULL, 1, "R3xSO3");
    refuse("model 'a' " BODY, OPTIONS("method=rkmk"), NULL, 1, "the method rkmk cannot be compiled");
    refuse("model 'a' " BODY, OPTIONS("newton=modified"), NULL, 1, "--newton full");
    refuse("model 'a' " BODY
           "for i = 1, 41 do body{name='c' .. i, mass=1, inertia={1, 1, 1}, position={i, 0, 0}} "
           "joint{name='j' .. i, type='spherical', bodies={'b', 'c' .. i}, at={i/2, 0, 0}} end",
           OPTIONS("formulation=ggl"), NULL, 1, "body 'b' has too many joints for the form ggl");
    refuse("model 'a' " BODY "sensor{name='step', type='position', body='b'}", NULL, NULL, 1,
           "sensor 'step'");
    refuse("model 'a' " BODY
           "sensor{name='x-y', type='position', body='b'} sensor{name='x_y', type='position', body='b'}",
           NULL, NULL, 1, "the same name in C");
    refuse("model 'a' local n = 0 " BODY
           "force{name='push', body='b', value=function(t) n = n + 1 return {n, 0, 0} end}",
           NULL, NULL, 1, "'push'");
    refuse("model 'a' " BODY
           "joint{name='turn', type='revolute', bodies={'ground', 'b'}, at={0, 0, 0}, axis={0, 0, 1}, "
           "drive=function(t) local x = {} x[t] = 1 return t end}",
           OPTIONS("assemble=true"), NULL, 1, "joint 'turn': its drive");
}

/* Models that are too large, runs that are under way, parameters that are too many. */
static void refusals_of_sizes(void **state)
{
    (void)state;
    static const char many[] =
        "model 'many' for i = 1, %d do particle{name='p' .. i, mass=1, position={i, 0, 0}} end run{t_end=1, "
        "h=0.01} %s";
    char text[300];
    snprintf(text, sizeof text, many, 3073, "");
    refuse(text, NULL, NULL, 1, "9219 unknowns in a step, more than the 9216 that can be compiled");
    snprintf(text, sizeof text, many, 400, "");
    refuse(text, NULL, NULL, 8, "that can be compiled with so many members");
    snprintf(text, sizeof text, many, 201, "input{name='u'}");
    refuse(text, NULL, NULL, 1,
           "603 unknowns in a step, more than the 600 that can be compiled with functions");
    ph_compile_config config = ph_compile_defaults();
    const char *const open[PH_OPEN_MAX + 1] = {"p1",  "p2",  "p3",  "p4",  "p5",  "p6",  "p7",  "p8", "p9",
                                               "p10", "p11", "p12", "p13", "p14", "p15", "p16", "p17"};
    config.open = open, config.n_open = PH_OPEN_MAX + 1;
    refuse_with("model 'a' for i = 1, 17 do param('p' .. i, 1) end " BODY, NULL, &config,
                "17 parameters are open, more than 16");
    ph_run *run = open_run(MODELS "heavy_top.lua", OPTIONS("formulation=index3"));
    ph_error err = {0};
    FILE *out = tmpfile();
    config.n_open = 0;
    assert_int_equal(ph_run_step(run, &err), PH_OK);
    assert_int_equal(ph_run_compile(run, &config, out, out, &err), PH_E_INPUT);
    assert_string_equal(err.text, "a run is compiled at its initial time");
    fclose(out);
    ph_run_close(run);
}

static void refusals_of_controls(void **state)
{
    (void)state;
    refuse("model 'a' input{name='NULL', value=1} " BODY, NULL, NULL, 1, "input 'NULL'");
    refuse("model 'a' input{name='while', value=1} " BODY, NULL, NULL, 1, "input 'while'");
    refuse("model 'a' input{name='u-1'} input{name='u_1'} " BODY, NULL, NULL, 1, "the same name in C");
    refuse("model 'a' state{name='x', initial=1, rate=function(t, s) return s.states.x == 0 and 1 or 0 "
           "end} " BODY,
           NULL, NULL, 1, "state 'x'");
    refuse("model 'a' particle{name='p', mass=1} constraint{name='k', f=function(t, s) return "
           "s.p.position[1] end} "
           "run{t_end=1, h=0.01}",
           NULL, NULL, 1, "constraint 'k'");
    refuse("model 'a' " BODY "sensor{name='w', type='work'}", NULL, NULL, 1, "sensor 'w'");
}

int main(int argc, char **argv) /* a pattern of names: those tests alone */
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heavy_top_in_all_forms),
        cmocka_unit_test(mechanisms),
        cmocka_unit_test(every_element),
        cmocka_unit_test(loops_over_tables),
        cmocka_unit_test(loops_and_sensors),
        cmocka_unit_test(sensors_of_joints),
        cmocka_unit_test(forms_of_a_program),
        cmocka_unit_test(hubs),
        cmocka_unit_test(sensors),
        cmocka_unit_test(lanes_have_the_bits_of_one),
        cmocka_unit_test(a_member_fails_alone),
        cmocka_unit_test(a_failed_step_changes_nothing),
        cmocka_unit_test(refusals),
        cmocka_unit_test(refusals_of_controls),
        cmocka_unit_test(refusals_of_sizes),
    };
    cmocka_set_test_filter(argc > 1 ? argv[1] : NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
