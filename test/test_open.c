/* Parameters of compiled models that stay variable, beside runs of the library with other values of them. */
#include "compiled.h"
#include "mech/support.h"
#include "model/keys.h"

/* Numbers of every kind that depend on parameters, as products, squares and quotients; a damper, a friction, a ratio and a torque
 * that are 0 or 1 at first. */
static const char many[] =
    "model 'many'\n"
    "local m, l, g = param('m', 2), param('l', 0.5), param('g', 9.81)\n"
    "local k, d, mu = param('k', 30), param('d', 0), param('mu', 0)\n"
    "local ratio, u, f = param('ratio', 1), param('u', 0), param('f', 1)\n"
    "gravity {0, 0, -g}\n"
    "local J = m*l^2/12\n"
    "local function bar(name, x, z) body{name=name, mass=m, inertia={J/50, J, J}, position={x, 0, z}} end\n"
    "bar('a', l/2, 0) bar('b', l/2, 1) bar('c', 0.3, 2) bar('e', 0.4, 3)\n"
    "body{name='p', mass=1/m, inertia={0.1 + J, 0.2, 0.3, 0.01*m, 0, 0}, position={0, 2, 0}}\n"
    "joint{name='ja', type='revolute', bodies={'ground', 'a'}, at={0, 0, 0}, axis={0, 1, 0}, friction=mu, "
    "friction_radius=0.1}\n"
    "joint{name='jb', type='revolute', bodies={'ground', 'b'}, at={0, 0, 1}, axis={0, 1, 0}}\n"
    "joint{name='jc', type='prismatic', bodies={'ground', 'c'}, at={0.3, 0, 2}, axis={1, 0, 0},\n"
    "      drive=function(t) return u*t^2 + 0.1*(1 - math.cos(f*t)) end}\n"
    "joint{name='je', type='revolute', bodies={'c', 'e'}, at={0.35, 0, 3}, axis={0, 1, 0}}\n"
    "coupling{name='gear', joints={'ja', 'jb'}, ratio=ratio}\n"
    "actuator{name='motor', joint='je', k=k/10, d=d, rest=0.1, effort=u}\n"
    "spring{name='s', bodies={'ground', 'p'}, at_a={0, 2, 2*l}, at_b={0.1*l, 0, 0}, k=k, d=d, length=l/m}\n"
    "bushing{name='bu', bodies={'ground', 'p'}, at_a={0, 2, 0}, at_b={0, 0, 0}, k={k, k*l, k}, d={d, d, d}, "
    "kr={l, l, l}, dr={d, d, d}}\n"
    "force{name='F', body='p', at={0, l, 0}, value={0, m*g, 0}}\n"
    "force{name='W', body='e', value=function(t, s) return -k*s.e.position[1], 0, u*math.sin(f*t) end}\n"
    "sensor{name='tip', type='position', body='a', at={l/2, 0, 0}}\n"
    "sensor{name='angle', type='joint_position', joint='ja'}\n"
    "sensor{name='effort', type='effort', of='motor'}\n"
    "sensor{name='reaction', type='reaction', joint='ja'}\n"
    "sensor{name='work', type='custom', f=function(t, s) return m*s.a.position[1] + k end}\n"
    "sensor{name='energy', type='energy'}\n"
    "run{t_end=1, h=1e-3, formulation='ggl'}\n";

static const char *const names[] = {"m", "l", "g", "k", "d", "mu", "ratio", "u", "f", NULL};
#define N_NAMES 9
static const double others[N_NAMES] = {3.1, 0.7, 1.62, 47, 0.4, 0.3, -2, 1.3, 2.4};

static scratch many_file(void)
{
    scratch s = scratch_create("many.lua");
    scratch_write(&s, many, strlen(many));
    return s;
}

/* Other parameters and initial values of the run, to every member. */
static void put(built *b, const ph_run *run, const double *value, int n)
{
    const ph_sim *sim = ph_run_sim(run);
    for (int i = 0; i < b->lanes; i++) {
        for (int k = 0; k < n; k++)
            b->state[(b->place.data - n + k) * b->lanes + i] = value[k];
        for (int k = 0; k < sim->lay.nq; k++)
            b->state[(b->place.q + k) * b->lanes + i] = sim->now.q[k];
        for (int k = 0; k < sim->lay.nv; k++)
            b->state[(b->place.v + k) * b->lanes + i] = sim->now.v[k];
    }
}

static void set_all(ph_run *run, const char *const *name, const double *value, int n)
{
    ph_setting set[16];
    ph_error err = {0};
    for (int k = 0; k < n; k++)
        set[k] = (ph_setting){.name = name[k], .value = value[k]};
    if (ph_run_set_parameters(run, set, n, &err) != PH_OK)
        fail_msg("%s", err.text);
}

static void as_the_library(const char *path, const char *const *options, const char *const *name,
                           const double *value, int n, int steps)
{
    ph_run *run = open_run(path, options);
    ph_error err = {0};
    built b = build_open(run, name, 1, 0, QUICK);
    compare_built(run, &b, 20); /* at the values of the file */
    b.init(b.state);
    set_all(run, name, value, n);
    put(&b, run, value, n);
    assert_int_equal(b.restart(b.state), 0);
    apart x = compare_states(run, &b);
    check_le(x.motion, MOTION), check_le(x.lambda, LAMBDA);
    for (int k = 0; k < steps; k++) {
        assert_int_equal(b.step(b.state), 0);
        if (ph_run_step(run, &err) != PH_OK)
            fail_msg("%s", err.text);
    }
    x = compare_states(run, &b);
    check_le(x.motion, MOTION), check_le(x.lambda, LAMBDA);
    compare_sensors(run, &b);
    drop(&b);
    ph_run_close(run);
}

static void numbers_of_every_kind(void **state)
{
    (void)state;
    scratch s = many_file();
    as_the_library(s.path, NULL, names, others, N_NAMES, 300);
    as_the_library(s.path, OPTIONS("formulation=index3"), names, others, N_NAMES, 300);
    scratch_remove(&s);
}

/* ---- every number of every element, from the tables of keys ------------------------------------------------ */

/* A value that depends on p, or what the element needs at least; "": the key stays out. */
static const char *value_of(const ph_key *k)
{
    if (k->bit & PH_KEY_LENGTH && k->kind == PH_K_JOINT)
        return ""; /* it is that of the initial values */
    switch (k->value) {
    case PH_V_POSITIVE:
    case PH_V_NOT_NEGATIVE:
    case PH_V_NUMBER:
        return "0.7 + 0.2*p";
    case PH_V_NOT_NEGATIVES:
    case PH_V_LOAD:
        return "{1 + p, 2*p, 3 - p}";
    case PH_V_VECTOR:
        return "{0.2*p, 0.1, 0.3*p}";
    case PH_V_STOPS:
        return "{-0.01*p, 0.01*p}";
    case PH_V_LOCK:
        return "{'x', 'rz'}";
    case PH_V_BODIES:
        return "{'ground', 'b'}";
    case PH_V_MOVING:
        return "'b'";
    case PH_V_JOINT:
        return "'j'";
    case PH_V_EFFORT:
        return "1 + p";
    case PH_V_UNIT:
        return strcmp(k->name, "axis_b") == 0 ? "{0, 1, 0}"
               : k->bit & PH_KEY_AXLE         ? "{1, 0, 0}"
                                              : "{0, 0, 1}";
    default:
        return "";
    }
}

/* A body with one element of a type, all of whose numbers depend on p. */
static void write_element(char *text, size_t size, ph_kind kind, int type)
{
    const char *name = ph_type_get(kind, type)->name;
    int n;
    const ph_key *keys = ph_keys_of(kind, &n);
    size_t at = (size_t)snprintf(
        text, size,
        "model 'm' local p = param('p', 1)\ngravity {1, 2, -9.81}\n"
        "body{name='b', mass=2 + p, inertia={1 + p, 2, 1.5*p}, position={0.3, 0.2, 0.1}, "
        "velocity={0.2, 0.1, 0}, omega={0.1, 0.2, 0.3}}\n%s%s{name='e', ",
        kind == PH_K_ACTUATOR
            ? "joint{name='j', type='revolute', bodies={'ground', 'b'}, at={0, 0, p}, axis={0, 0, 1}}\n"
            : "",
        kind == PH_K_JOINT ? "joint" : name);
    if (kind == PH_K_JOINT)
        at += (size_t)snprintf(text + at, size - at, "type='%s', ", name);
    for (int k = 0; k < n; k++)
        if (ph_key_belongs(&keys[k], kind, type) && *value_of(&keys[k]))
            at += (size_t)snprintf(text + at, size - at, "%s=%s, ", keys[k].name, value_of(&keys[k]));
    snprintf(text + at, size - at, "}\nrun{t_end=1, h=1e-3, assemble=true}\n");
}

static void element(ph_kind kind, int type)
{
    char text[2000];
    ph_error err = {0};
    const char *const name[] = {"p", NULL};
    const double other = 1.2;
    write_element(text, sizeof text, kind, type);
    scratch s = scratch_create("element.lua");
    scratch_write(&s, text, strlen(text));
    ph_run *run = open_run(s.path, NULL);
    built b = build_open(run, name, 1, 0, QUICK);
    b.init(b.state);
    set_all(run, name, &other, 1);
    put(&b, run, &other, 1);
    assert_int_equal(b.restart(b.state), 0);
    for (int k = 0; k < 20; k++) {
        assert_int_equal(b.step(b.state), 0);
        assert_int_equal(ph_run_step(run, &err), PH_OK);
    }
    apart x = compare_states(run, &b);
    if (!(x.motion <= MOTION && x.lambda <= LAMBDA))
        fail_msg("%.2e, %.2e: %s", x.motion, x.lambda, text);
    drop(&b);
    ph_run_close(run);
    scratch_remove(&s);
}

/* Elements that compiled models have, at another value of a parameter on which all their numbers depend. */
static void every_number_of_every_element(void **state)
{
    (void)state;
    for (int type = 0; type < PH_JOINT_COUNT; type++)
        element(PH_K_JOINT, type);
    for (int type = 0; type < PH_FORCE_COUNT; type++)
        if (ph_force_can(ph_force_row_of(&(ph_force_def){.type = type})->op) >> PH_CAN_COMPILE & 1)
            element(PH_K_FORCE, type);
    element(PH_K_ACTUATOR, 0);
}

static void models(void **state)
{
    (void)state;
    as_the_library(MODELS "heavy_top.lua", OPTIONS("formulation=index3"), OPTIONS("m"), (double[]){19}, 1,
                   500);
    as_the_library(MODELS "dc_motor.lua", NULL, OPTIONS("J", "kp"), (double[]){3e-3, 0.9}, 2, 300);
    as_the_library(MODELS "double_pendulum.lua", NULL, OPTIONS("m1", "l2"), (double[]){1.7, 0.8}, 2, 300);
}

/* Members with other masses at once: each has the bits that it has alone. */
static void members(void **state)
{
    (void)state;
    ph_run *run = open_run(MODELS "heavy_top.lua", OPTIONS("formulation=index3"));
    built many_at_once = build_open(run, OPTIONS("m"), 4, 0, has_avx2() ? "-O1 -mavx2" : "-O1"),
          one = build_open(run, OPTIONS("m"), 1, 0, "-O1");
    int m = one.place.data - 1;
    for (int i = 0; i < 4; i++)
        many_at_once.state[4 * m + i] = 12 + 2 * i;
    assert_int_equal(many_at_once.restart(many_at_once.state), 0);
    for (int i = 0; i < 4; i++) {
        one.init(one.state);
        one.state[m] = 12 + 2 * i;
        assert_int_equal(one.restart(one.state), 0);
        for (int k = 0; k < 50; k++)
            assert_true(one.step(one.state) == 0 && (i || many_at_once.step(many_at_once.state) == 0));
        for (int k = 0; k < 2 + ph_run_sim(run)->lay.nq; k++)
            assert_true(at(&many_at_once, k, i) == at(&one, k, 0)); /* exact */
    }
    drop(&many_at_once), drop(&one);
    ph_run_close(run);
}

/* Initial values that follow parameters: NAME_begin, as the library has them. A pendulum that starts with a speed and a length. */
static const char swing[] =
    "model 'swing'\n"
    "local l, w, m = param('l', 0.5), param('w', 2), param('m', 1)\n"
    "gravity {0, 0, -9.81}\n"
    "body{name='bob', mass=m, inertia={0.1*m*l^2, 0.1*m*l^2, 0.2*m*l^2}, position={l, 0, 0}, velocity={0, "
    "w*l, 0}, omega={0, 0, w}}\n"
    "joint{name='pivot', type='spherical', bodies={'ground', 'bob'}, at={0, 0, 0}}\n"
    "body{name='free', mass=1, inertia={1, 1, 1}, position={w, l - 2*w^2, 1/l}, velocity={0, 0, w}}\n"
    "run{t_end=1, h=1e-3, formulation='index3'}\n";

static void initial_values(void **state)
{
    (void)state;
    scratch s = scratch_create("swing.lua");
    scratch_write(&s, swing, strlen(swing));
    ph_run *run = open_run(s.path, NULL);
    ph_error err = {0};
    const char *const *name = OPTIONS("l", "w", "m");
    const double other[] = {0.8, 3.1, 2.5};
    built b = build_open(run, name, 4, 0, has_avx2() ? "-O1 -mavx2" : "-O1");
    unsigned (*begin)(double *s);
    *(void **)&begin = dlsym(b.library, "m_begin");
    assert_non_null(begin);
    int first = b.place.data - 3;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            b.state[4 * (first + k) + i] = other[k];
    b.state[4 * (first + 1) + 2] = NAN; /* one of them has none, and stays where it is */
    double before = at(&b, b.place.v + 1, 2);
    assert_int_equal(begin(b.state), 4);
    assert_true(at(&b, b.place.v + 1, 2) == before); /* exact */
    set_all(run, name, other, 3);
    for (int k = 0; k < 300; k++) {
        b.step(b.state);
        assert_int_equal(ph_run_step(run, &err), PH_OK);
    }
    const ph_sim *sim = ph_run_sim(run);
    for (int i = 0; i < 4; i += 3) {
        for (int k = 0; k < sim->lay.nq; k++)
            check_near(at(&b, b.place.q + k, i), sim->now.q[k], 10 * MOTION);
        for (int k = 0; k < sim->lay.nv; k++)
            check_near(at(&b, b.place.v + k, i), sim->now.v[k], 10 * MOTION);
    }
    drop(&b);
    ph_run_close(run);
    scratch_remove(&s);
}

static void refused(const char *text, const char *const *open, const char *words)
{
    ph_compile_config config = ph_compile_defaults();
    config.open = open;
    while (open[config.n_open])
        config.n_open++;
    refuse_with(text, NULL, &config, words);
}

#define TOP   "model 'm' local a = param('a', 2) local b = param('b', 1)\n"
#define HINGE "joint{name='h', type='revolute', bodies={'ground', 'c'}, at={0, 0, 0}, axis={0, 0, 1}}\n"
#define END   "run{t_end=1, h=0.01}"

static void refusals(void **state)
{
    (void)state;
    refused(TOP "for i = 1, a do particle{name='p' .. i, mass=1} end " END, OPTIONS("a"),
            "'a' cannot stay open: it changes more than numbers");
    refused(TOP "particle{name='p', mass=math.exp(a)} " END, OPTIONS("a"),
            "'a' cannot stay open: a number of body 'p' is no polynomial of it");
    static const struct {
        const char *text, *owner;
    } row[] = {
        {"joint{name='j', type='revolute', bodies={'ground', 'c'}, at={0, math.exp(a), 0}, axis={0, 0, 1}}",
         "joint 'j'"},
        {"spring{name='s', bodies={'ground', 'c'}, at_a={0, 9, 0}, at_b={0, 0, 0}, k=math.exp(a), length=1}",
         "'s'"},
        {HINGE "actuator{name='m', joint='h', k=math.exp(a)}", "'m'"},
        {"spring{name='r', bodies={'ground', 'c'}, at_a={0, 7, 0}, k=1, length=1}\n"
         "spring{name='s', bodies={'ground', 'c'}, at_a={0, 9, 0}, k=math.exp(a), length=1}\n"
         "spring{name='t', bodies={'ground', 'c'}, at_a={0, 8, 0}, k=1, length=1}\n"
         "sensor{name='x', type='position', body='c', at={1, 0, 0}}",
         "'s'"},
        {"joint{name='h', type='revolute', bodies={'ground', 'c'}, at={0, 0, 0}, axis={0, 0, 1}, "
         "friction=math.exp(a)/100, "
         "friction_radius=0.1}",
         "'h'"},
        {HINGE
         "body{name='e', mass=1, inertia={1, 1, 1}} joint{name='i', type='revolute', bodies={'ground', 'e'}, "
         "at={0, 0, 0}, axis={0, 0, 1}} coupling{name='g', joints={'h', 'i'}, ratio=math.exp(a)}",
         "coupling 'g'"},
        {"sensor{name='x', type='position', body='c', at={math.exp(a), 0, 0}}", "sensor 'x'"},
        {"force{name='f', body='c', value=function(t) return math.exp(a)*t, 0, 0 end}",
         "a function of the model"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        char text[1000], words[200];
        snprintf(text, sizeof text, TOP "body{name='c', mass=b, inertia={1, 1, 1}} %s " END, row[k].text);
        snprintf(words, sizeof words, "'a' cannot stay open: a number of %s is no polynomial of it",
                 row[k].owner);
        refused(text, OPTIONS("a"), words);
    }
    refused(TOP "particle{name='p', mass=2.001 - a} " END, OPTIONS("b", "a"), "cannot stay open: at b = ");
    refused(TOP "particle{name='p', mass=1, velocity={math.sin(a), 0, 0}} " END, OPTIONS("a"),
            "no number of the equations depends on it, and an initial value");
    refused(TOP "particle{name='p', mass=1} " END, OPTIONS("a"), "nothing in the model depends on it");
    refused(TOP "particle{name='p', mass=b} run{t_end=1, h=0.01*a}", OPTIONS("a"), "more than numbers");
    refused(TOP "particle{name='p', mass=b} " END, OPTIONS("c"), "has no parameter 'c'");
    refused(TOP "particle{name='p', mass=b} " END, OPTIONS("b", "b"), "have the same name in C");
    refused(TOP "particle{name='p', mass=b} local x = param('while', 1) " END, OPTIONS("while"),
            "'while': its name is none in C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_of_every_element),
        cmocka_unit_test(numbers_of_every_kind),
        cmocka_unit_test(models),
        cmocka_unit_test(members),
        cmocka_unit_test(initial_values),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
