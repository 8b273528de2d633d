/* Equilibria: closed forms, energy minima found without the library, load steps, and what nothing holds. */
#include "equilibrium_cases.h"
#include "mech/mech.h"

/* ---- pendulum ------------------------------------------------------------------------------------- */

static const char *const pendulum = "model 'pendulum'\n"
                                    "gravity {0, 0, -9.81}\n"
                                    "body { name = 'bar', mass = 2, inertia = {0.2, 0.3, 0.25},\n"
                                    "       position = {0.4 * math.cos(0.7), 0, 0.4 * math.sin(0.7)},\n"
                                    "       rotation = {axis = {0, -1, 0}, angle = 0.7} }\n"
                                    "joint { name = 'pivot', type = 'revolute', bodies = {'ground', 'bar'},\n"
                                    "        at = {0, 0, 0}, axis = {0, 1, 0} }\n";

/* It starts above the horizontal, hangs in the end, and the pivot carries its weight. (T1), (T2) */
static void pendulum_hangs(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof resting_spaces / sizeof *resting_spaces; k++) {
        if (resting_spaces[k] == PH_SPACE_CARDAN) /* the way down leads through their singularity */
            continue;
        resting h = resting_of(pendulum, resting_spaces[k]);
        ph_body_state b = resting_body(&h, "bar");
        ph_vec3 force, torque;
        ph_mechanism_reaction(h.mech, &h.s, 0, &force, &torque);
        check_le(ph_norm(ph_sub(b.x, ph_v3(0, 0, -0.4))), 1e-10);      /* Newton's tolerance */
        check_le(ph_norm(ph_sub(force, ph_v3(0, 0, 2 * 9.81))), 1e-9); /* Newton's tolerance, times 20 N */
        check_le(ph_norm(torque), 1e-9);
        check_le(fabs(b.v.x) + ph_norm(b.omega) + ph_norm(b.a), 0); /* exact: it is at rest */
        assert_true(ph_equilibrium_stats(h.e).relaxed > 0);
        resting_close(&h);
    }
}

/* ---- slider-crank against the minimum of its energy ------------------------------------------------ */

#define R  0.2
#define L  0.5
#define MC 1.5
#define ML 2.5
#define KS 300.0
#define S0 0.55

static const char *const slider_crank =
    "model 'slider-crank'\n"
    "local r, l, a = 0.2, 0.5, 0.6\n"
    "local b = -math.asin(r * math.sin(a) / l)\n"
    "local s = r * math.cos(a) + l * math.cos(b)\n"
    "gravity {0, -9.81, 0}\n"
    "body { name = 'crank', mass = 1.5, inertia = {0.01, 0.02, 0.02}, rotation = {axis = {0, 0, 1}, angle = "
    "a},\n"
    "       position = {r / 2 * math.cos(a), r / 2 * math.sin(a), 0} }\n"
    "body { name = 'rod', mass = 2.5, inertia = {0.01, 0.05, 0.05}, rotation = {axis = {0, 0, 1}, angle = "
    "b},\n"
    "       position = {s - l / 2 * math.cos(b), -l / 2 * math.sin(b), 0} }\n"
    "body { name = 'slider', mass = 1, inertia = {0.01, 0.01, 0.01}, position = {s, 0, 0} }\n"
    "joint { name = 'A', type = 'revolute', bodies = {'ground', 'crank'}, at = {0, 0, 0}, axis = {0, 0, 1} "
    "}\n"
    "joint { name = 'B', type = 'revolute', bodies = {'crank', 'rod'}, axis = {0, 0, 1},\n"
    "        at = {r * math.cos(a), r * math.sin(a), 0} }\n"
    "joint { name = 'C', type = 'revolute', bodies = {'rod', 'slider'}, at = {s, 0, 0}, axis = {0, 0, 1} }\n"
    "joint { name = 'D', type = 'prismatic', bodies = {'ground', 'slider'}, at = {s, 0, 0}, axis = {1, 0, 0} "
    "}\n"
    "spring { name = 'spring', bodies = {'ground', 'slider'}, at_a = {2, 0, 0}, at_b = {0, 0, 0}, k = 300,\n"
    "         length = 2 - 0.55 }\n";

/* dV/da of gravity and spring, s = r cos a + sqrt(l^2 - r^2 sin^2 a) */
static double slider_slope(double a)
{
    double root = sqrt(L * L - R * R * sin(a) * sin(a));
    double s = R * cos(a) + root, ds = -R * sin(a) - R * R * sin(a) * cos(a) / root;
    return (MC + ML) * 9.81 * R / 2 * cos(a) + KS * (s - S0) * ds;
}

static double zero_of(double (*f)(double), double a, double b)
{
    for (int k = 0; k < 200; k++) {
        double m = (a + b) / 2;
        if ((f(m) > 0) == (f(a) > 0))
            a = m;
        else
            b = m;
    }
    return (a + b) / 2;
}

static double angle_about_z(ph_quat q)
{
    return 2 * atan2(q.z, q.w);
}

/* (T3), (T4) */
static void slider_crank_rests_at_least_energy(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof resting_spaces / sizeof *resting_spaces; k++) {
        resting h = resting_of(slider_crank, resting_spaces[k]);
        double a = angle_about_z(resting_body(&h, "crank").q), e = 1e-3;
        double expected = zero_of(slider_slope, a - 0.3, a + 0.3);
        check_near(a, expected, 1e-10);                                  /* Newton's tolerance */
        assert_true(slider_slope(a + e) > 0 && slider_slope(a - e) < 0); /* a minimum */
        assert_true(ph_mechanism_system(h.mech)->n_redundant > 0);       /* of a plane loop */
        resting_close(&h);
    }
}

/* ---- load steps ----------------------------------------------------------------------------------- */

#define BAR(load)                                                                                            \
    "model 'bar on a spring'\n"                                                                              \
    "gravity {0, 0, 0}\n"                                                                                    \
    "body { name = 'bar', mass = 2, inertia = {0.2, 0.3, 0.25}, position = {0.5, 0, 0} }\n"                  \
    "joint { name = 'pivot', type = 'revolute', bodies = {'ground', 'bar'}, at = {0, 0, 0},\n"               \
    "        axis = {0, 0, 1} }\n"                                                                           \
    "torsion { name = 'spring', body = 'bar', k = 3 }\n" load

static double dead_slope(double a) /* k a - F l cos a */
{
    return 3 * a - 24 * cos(a);
}

/* A force that keeps its direction, eight times what the spring can hold at 1 rad: the load must be cut. */
static void load_is_cut(void **state)
{
    (void)state;
    for (int steps = 1; steps <= 64; steps *= 8) {
        resting h =
            resting_open(BAR("force { name = 'F', body = 'bar', at = {0.5, 0, 0}, value = {0, 24, 0} }\n"),
                         PH_SPACE_R3XSO3);
        resting_settle(&h, steps);
        assert_int_equal(h.status, PH_OK);
        ph_static_stats st = ph_equilibrium_stats(h.e);
        check_near(angle_about_z(resting_body(&h, "bar").q), zero_of(dead_slope, 0, 1.5),
                   1e-11); /* round-off */
        assert_int_equal(st.relaxed, 0);
        assert_true(steps == 1 ? st.cuts > 0 && st.load_steps > 2 : st.cuts == 0 && st.load_steps == steps);
        assert_true(st.iterations >= st.load_steps + st.cuts);
        resting_close(&h);
    }
}

/* Loads that turn with the body: k a = tau, and k a = F l, far beyond the limit of one step. */
static void followers(void **state)
{
    (void)state;
    const char *const text[] = {
        BAR("torque { name = 'T', body = 'bar', value = {0, 0, 7.5}, frame = 'body' }\n"),
        BAR("force { name = 'F', body = 'bar', at = {0.5, 0, 0}, value = {0, 7.5, 0}, frame = 'body' }\n")};
    for (int k = 0; k < 2; k++)
        for (int space = 0; space < 2; space++) {
            resting h = resting_of(text[k], resting_spaces[space]);
            check_near(angle_about_z(resting_body(&h, "bar").q), 2.5, 1e-11); /* round-off */
            resting_close(&h);
        }
}

/* g is affine in the factor; with 1 it has the same bits, with 0 springs are all that is left. */
static void factor_scales_loads(void **state)
{
    (void)state;
    const char *text =
        "model 'loads'\n"
        "gravity {1, 2, -9.81}\n"
        "body { name = 'a', mass = 2, inertia = {0.2, 0.3, 0.25}, position = {0.3, 0.1, 0.2} }\n"
        "particle { name = 'p', mass = 3, position = {1, 0, 0} }\n"
        "torque { name = 'T', body = 'a', value = function(t, b) return {1, b.a.position[1], 3} end }\n"
        "force { name = 'F', body = 'p', value = {5, 6, 7} }\n";
    const char *spring = "spring { name = 's', bodies = {'a', 'p'}, k = 50, length = 0.1 }\n";
    char both[1024], alone[1024];
    snprintf(both, sizeof both, "%s%s", text, spring);
    snprintf(alone, sizeof alone, "model 'spring'\ngravity {0, 0, 0}\n%.*s%s",
             (int)(strstr(text, "torque") - strstr(text, "body")), strstr(text, "body"), spring);
    for (int space = 0; space < 2; space++) {
        resting h = resting_open(both, resting_spaces[space]),
                only = resting_open(alone, resting_spaces[space]);
        double g[5][9] = {{0}};
        const double factor[] = {1, 0, 0.5, 1};
        for (int k = 0; k < 5; k++) {
            resting *of = k < 4 ? &h : &only;
            ph_options o = ph_default_options();
            ph_sim *sim;
            o.h = 1e-3, o.start = PH_PLAIN;
            ph_mechanism_set_load_factor(of->mech, 1);
            const ph_system *sys = ph_mechanism_system(of->mech);
            assert_int_equal(ph_sim_create(&sim, sys, &o, 0, of->q0, of->v0, &of->err), PH_OK);
            if (k < 4)
                ph_mechanism_set_load_factor(of->mech, factor[k]);
            ph_state s = ph_sim_state(sim);
            assert_int_equal(sys->g(&s, g[k], sys->ctx), PH_OK);
            ph_sim_destroy(sim);
        }
        assert_memory_equal(g[0], g[3], sizeof g[0]); /* exact */
        for (int i = 0; i < 9; i++)
            check_near(g[2][i], (g[0][i] + g[1][i]) / 2, 1e-14); /* round-off */
        check_le(max_diff(g[1], g[4], 9), 1e-14);
        check_le(-norm2(g[1], 9), -1); /* ordering: the spring is there */
        resting_close(&h), resting_close(&only);
    }
}

/* ---- springs and redundant rows -------------------------------------------------------------------- */

/* Link k carries what hangs below it: z_k = z_{k-1} - (l + (n - k) m g/k_s). */
static void chain_of_springs(void **state)
{
    (void)state;
    resting h =
        resting_of("model 'chain'\n"
                   "gravity {0, 0, -10}\n"
                   "for i = 1, 5 do\n"
                   "  particle { name = 'p' .. i, mass = 2, position = {0.05 * i, 0, -i} }\n"
                   "  spring { name = 's' .. i, bodies = {i > 1 and 'p' .. i - 1 or 'ground', 'p' .. i},\n"
                   "           k = 200, length = 1 }\n"
                   "end\n",
                   PH_SPACE_R3XSO3);
    double z = 0;
    for (int i = 1; i <= 5; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%d", i);
        z -= 1 + (6 - i) * 2 * 10 / 200.0;
        check_le(ph_norm(ph_sub(resting_body(&h, name).x, ph_v3(0, 0, z))), 1e-9); /* Newton's tolerance */
    }
    resting_close(&h);
}

/* Height of the centres of the bars of models/four_bar.lua, weighted by length, by the crank's angle. */
static double four_bar_energy(double phi)
{
    double a = 0.2, b = 0.5, c = 0.4, d = 0.6, Bx = a * cos(phi), By = a * sin(phi), x = d - Bx, y = -By;
    double e = (x * x + y * y + b * b - c * c) / 2 / (x * x + y * y),
           w = sqrt(b * b / (x * x + y * y) - e * e);
    double Cy = By + e * y + w * x;
    return a * By / 2 + b * (By + Cy) / 2 + c * Cy / 2;
}

static double four_bar_slope(double phi)
{
    double e = 1e-4; /* five points: error 1e-13 */
    return (8 * (four_bar_energy(phi + e) - four_bar_energy(phi - e)) -
            (four_bar_energy(phi + 2 * e) - four_bar_energy(phi - 2 * e))) /
           (12 * e);
}

static void four_bar_rests_at_least_energy(void **state)
{
    (void)state;
    resting h = {0};
    const ph_setting set = {"speed", 0};
    assert_int_equal(ph_model_read(&h.model, PH_TEST_DIR "/../models/four_bar.lua", &set, 1, NULL, &h.err),
                     PH_OK);
    assert_int_equal(ph_mechanism_create(&h.mech, h.model, PH_SPACE_R3XSO3, NULL, &h.err), PH_OK);
    assert_int_equal(ph_mechanism_initial(h.mech, 0, &h.q0, &h.v0, &h.err), PH_OK);
    assert_int_equal(ph_mechanism_rank(h.mech, &h.err), PH_OK);
    resting_settle(&h, 1);
    assert_int_equal(h.status, PH_OK);
    double phi = angle_about_z(resting_body(&h, "crank").q);
    check_near(phi, zero_of(four_bar_slope, phi - 0.2, phi + 0.2), 1e-9); /* differences of the energy */
    assert_true(four_bar_slope(phi + 0.01) > 0 && four_bar_slope(phi - 0.01) < 0); /* a minimum */
    ph_vec3 A, D, torque; /* the supports carry 2 kg/m times 1.1 m */
    ph_mechanism_reaction(h.mech, &h.s, ph_model_find(h.model, PH_JOINTS, "A"), &A, &torque);
    ph_mechanism_reaction(h.mech, &h.s, ph_model_find(h.model, PH_JOINTS, "D"), &D, &torque);
    check_le(ph_norm(ph_sub(ph_add(A, D), ph_v3(0, 2.2 * 9.81, 0))), 1e-9); /* Newton's tolerance */
    resting_close(&h);
}

/* Sixty links let go from the horizontal, far from their rest, hang straight down. */
static void long_chain_hangs(void **state)
{
    (void)state;
    resting h = {0};
    const ph_setting set = {"N", 60};
    assert_int_equal(
        ph_model_read(&h.model, PH_TEST_DIR "/../models/chain_revolute.lua", &set, 1, NULL, &h.err), PH_OK);
    assert_int_equal(ph_mechanism_create(&h.mech, h.model, PH_SPACE_R3XSO3, NULL, &h.err), PH_OK);
    assert_int_equal(ph_mechanism_initial(h.mech, 0, &h.q0, &h.v0, &h.err), PH_OK);
    resting_settle(&h, 1);
    assert_int_equal(h.status, PH_OK);
    double first = resting_body(&h, "b1").x.z;
    for (int i = 1; i <= 60; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        ph_vec3 x = resting_body(&h, name).x;
        check_le(ph_norm(ph_sub(x, ph_v3(0, 0, (2 * i - 1) * first))), 1e-8); /* Newton's tolerance, summed */
    }
    assert_true(first < 0);
    resting_close(&h);
}

/* ---- a user's system: rates alone are constrained, nothing but M, g, A is given ---------------------- */

static ph_status user_M(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)ctx;
    out[0] = 2, out[3] = 3;
    return PH_OK;
}

static ph_status user_g(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    out[0] = 4 * (s->q[0] - 3), out[1] = 4 * (s->q[1] - 1);
    return PH_OK;
}

static ph_status user_A(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)ctx;
    out[0] = -2, out[1] = 1;
    return PH_OK;
}

static ph_system user_system(void)
{
    static const ph_node node = {PH_RN, 2, "cart"};
    static const ph_constraint rail = {1, 1, "rail"};
    return (ph_system){.n_nodes = 1,
                       .nodes = &node,
                       .n_constraints = 1,
                       .constraints = &rail,
                       .M = user_M,
                       .g = user_g,
                       .B = user_A,
                       .flags = PH_MASS_CONSTANT};
}

/* From (0, 1) along (1, 2), nearest to (3, 1): (0.6, 2.2); lambda from the second row. */
static void rates_confine_increments(void **state)
{
    (void)state;
    ph_system sys = user_system();
    ph_static_options o = ph_default_static();
    ph_equilibrium *e;
    ph_error err;
    const double q0[] = {0, 1};
    assert_int_equal(ph_equilibrium_create(&e, &sys, &o, 0, q0, &err), PH_OK);
    ph_state s = ph_equilibrium_state(e);
    check_near(s.q[0], 0.6, 1e-12); /* round-off, Newton on differences */
    check_near(s.q[1], 2.2, 1e-12);
    check_near(s.lambda[0], -4.8, 1e-8); /* derivative: differenced K */
    ph_equilibrium_destroy(e);
}

/* ---- failures ------------------------------------------------------------------------------------- */

static void refuse_rest(const char *text, ph_status status, const char *words)
{
    resting h = resting_open(text, PH_SPACE_R3XSO3);
    resting_settle(&h, 1);
    assert_int_equal(h.status, status);
    assert_null(h.e);
    if (!strstr(h.err.text, words))
        fail_msg("'%s' does not contain '%s'", h.err.text, words);
    resting_close(&h);
}

/* (T5) */
static void what_nothing_holds_is_named(void **state)
{
    (void)state;
    const char *free_and_held =
        "model 'two'\n"
        "gravity {0, 0, -10}\n"
        "body { name = 'kite', mass = 1, inertia = {1, 1, 1} }\n"
        "body { name = 'anchor', mass = 1, inertia = {1, 1, 1}, position = {5, 0, 0} }\n"
        "joint { name = 'weld', type = 'fixed', bodies = {'ground', 'anchor'}, at = {5, 0, 0} }\n";
    refuse_rest(free_and_held, PH_E_SINGULAR,
                "nothing keeps body 'kite' from moving: it moves without resistance under its loads");
    const char *turns =
        "model 'turns'\n"
        "gravity {0, 0, -10}\n"
        "body { name = 'bob', mass = 1, inertia = {1, 1, 1}, position = {0.6, 0, -0.8} }\n"
        "joint { name = 'ball', type = 'spherical', bodies = {'ground', 'bob'}, at = {0, 0, 0} }\n";
    refuse_rest(turns, PH_E_SINGULAR, "nothing keeps body 'bob' from moving: it can move without resistance");
    const char *still = "model 'still'\n"
                        "gravity {0, 0, 0}\n"
                        "body { name = 'stone', mass = 1, inertia = {1, 1, 1} }\n";
    refuse_rest(still, PH_E_SINGULAR,
                "nothing keeps body 'stone' from moving: it can move without resistance");
    static const char held[] =
        "body { name = 'arm', mass = 1, inertia = {1, 1, 1}, position = {1, 0, 0} }\n"
        "joint { name = 'pin', type = 'revolute', bodies = {'ground', 'arm'}, at = {0, 0, 0}, axis = {0, 1, "
        "0} }\n"
        "actuator { name = 'spring', joint = 'pin', k = 10 }\n"
        "state { name = 'e', rate = function(t, s) return %s end }\n"; /* a state is no body */
    char text[1024];
    snprintf(text, sizeof text, held, "s.joints.pin.position");
    refuse_rest(text, PH_E_SINGULAR, "state 'e' has no equilibrium of its own: it rests at any value");
    snprintf(text, sizeof text, held, "1");
    refuse_rest(text, PH_E_SINGULAR,
                "state 'e' has no equilibrium of its own: no value of it makes its rate 0");
    refuse_rest(
        "model 'many' gravity {0, 0, -10}\n" /* six names, and no more */
        "for k = 1, 8 do body { name = 'b' .. k, mass = 1, inertia = {1, 1, 1}, position = {k, 0, 0} } end\n",
        PH_E_SINGULAR,
        "nothing keeps bodies 'b1', 'b2', 'b3', 'b4', 'b5', 'b6' from moving: they move without resistance");
    refuse_rest(
        "model 'long' gravity {0, 0, -10}\n" /* as many as there is room for */
        "local n = string.rep('x', 55)\n"
        "for k = 1, 6 do body { name = n .. k, mass = 1, inertia = {1, 1, 1}, position = {k, 0, 0} } end\n",
        PH_E_SINGULAR, "x5' from moving: they move without");
    refuse_rest("model 'nan'\nbody { name = 'b', mass = 1, inertia = {1, 1, 1} }\n"
                "spring { name = 's', bodies = {'ground', 'b'}, k = 10, length = 1, at_b = {1, 0, 0} }\n"
                "force { name = 'f', body = 'b', value = function(t, b)\n"
                "  if b.b.position[1] ~= 0 then error('no') end return {100, 0, 0} end }\n",
                PH_E_CALLBACK, "refused a configuration");
}

/* Each allocation that fails is an error without a leak; bad options are errors. */
static void fails_cleanly(void **state)
{
    (void)state;
    ph_system sys = user_system();
    ph_error err;
    const double q0[] = {0, 1};
    for (long k = 1;; k++) {
        counter c = {.fail_at = k};
        ph_allocator alloc = {counter_alloc, counter_free, &c};
        ph_static_options o = ph_default_static();
        ph_equilibrium *e;
        o.alloc = &alloc;
        ph_status s = ph_equilibrium_create(&e, &sys, &o, 0, q0, &err);
        ph_equilibrium_destroy(e);
        assert_int_equal(c.live, 0);
        if (s == PH_OK)
            break;
        assert_int_equal(s, PH_E_MEMORY);
        assert_true(k < 50);
    }
    ph_static_options o = ph_default_static();
    ph_equilibrium *e;
    o.iterations = 1, o.relaxations = 0, o.turn = 100;
    assert_int_equal(ph_equilibrium_create(&e, &sys, &o, 0, q0, &err), PH_E_NEWTON);
    assert_non_null(strstr(err.text, "no equilibrium was found: 1 iterations"));
    o.tol = NAN;
    assert_int_equal(ph_equilibrium_create(&e, &sys, &o, 0, q0, &err), PH_E_INPUT);
    assert_null(e);
    ph_equilibrium_destroy(NULL);
}

static ph_status refusing_load(double factor, void *ctx)
{
    refusing *r = ctx;
    r->calls++;
    if (r->fail_at && r->calls >= r->fail_at && !r->with_nan)
        return PH_E_CALLBACK;
    return resting_load(factor, r->of->ctx);
}

/* Calls that fail one by one, or all from one on, and numbers that are not finite: an equilibrium, the same one, or none, and a sentence. */
static void calls_that_fail(void **state)
{
    (void)state;
    const char *const text[] = {
        pendulum, BAR("force { name = 'F', body = 'bar', at = {0.5, 0, 0}, value = {0, 24, 0} }\n")};
    for (int k = 0; k < 2; k++) {
        resting h = resting_of(text[k], PH_SPACE_R3XSO3);
        for (int how = 0; how < 4; how++) {
            int failures = 0;
            for (long n = 0, last = 1; n < last; n += 1 + n / 64) {
                refusing r;
                refusing_make(&r, ph_mechanism_system(h.mech));
                r.fail_at = n, r.for_good = how % 2, r.with_nan = how / 2;
                ph_static_options o = ph_default_static();
                ph_equilibrium *e;
                ph_error err = {0};
                o.load = refusing_load, o.ctx = &r;
                ph_status s = ph_equilibrium_create(&e, &r.sys, &o, 0, h.q0, &err);
                assert_true((s == PH_OK) == (e != NULL) && (s == PH_OK) == !err.text[0]);
                assert_true(s == PH_OK || s == (how < 2 ? PH_E_CALLBACK : PH_E_NAN) || s == PH_E_NEWTON ||
                            s == PH_E_SINGULAR);
                if (s == PH_OK) /* Newton's tolerance */
                    check_le(max_diff(ph_equilibrium_state(e).q, h.s.q, 7), 1e-9);
                failures += s != PH_OK;
                last = n ? last : r.calls + 1; /* the first has no failure */
                ph_equilibrium_destroy(e);
            }
            assert_true(failures > (how == 2 ? 3 : 10)); /* one wrong number is not seen again */
        }
        resting_close(&h);
    }
}

/* Numbers of a search that cannot be. */
static void options_refused(void **state)
{
    (void)state;
    resting h = resting_open("body{ name = 'a', mass = 1, inertia = {1, 1, 1} }\n"
                             "joint{ name = 'j', type = 'fixed', bodies = {'ground', 'a'} }",
                             PH_SPACE_R3XSO3);
    for (int k = 0; k < 7; k++) {
        ph_static_options o = ph_default_static();
        ph_equilibrium *e;
        ph_error err = {0};
        if (k == 0)
            o.steps = 0;
        else if (k == 1)
            o.iterations = 0;
        else if (k == 2)
            o.relaxations = -1;
        else if (k == 3)
            o.tol = 0;
        else if (k == 4)
            o.turn = 0;
        else if (k == 5)
            o.tol = NAN;
        int good = k == 6;
        assert_int_equal(ph_equilibrium_create(&e, ph_mechanism_system(h.mech), &o, 0, h.q0, &err),
                         good ? PH_OK : PH_E_INPUT);
        assert_string_equal(err.text,
                            good ? "" : "steps, iterations, tol and turn of an equilibrium must be above 0");
        assert_true((e != NULL) == good);
        ph_equilibrium_destroy(e);
    }
    resting_close(&h);
}

/* ---- turns ----------------------------------------------------------------------------------------- */

/* A spring of 1 N m/rad holds a torque where its angle is as many radians, over any number of turns, by load steps and by relaxation; the
 * turns of the mechanism are then what they were. */
static void turns_are_counted(void **state)
{
    (void)state;
    static const double torque[] = {3, 3.5, -7, 30};
    for (size_t i = 0; i < 8; i++)
        for (size_t k = 0; k < sizeof resting_spaces / sizeof *resting_spaces; k++) {
            char text[512];
            double u = torque[i / 2];
            snprintf(text, sizeof text,
                     "body { name = 'w', mass = 1, inertia = {0.03, 0.03, 0.05} }\n"
                     "joint { name = 'j', type = 'revolute', bodies = {'ground', 'w'}, at = {0, 0, 0}, axis "
                     "= {0, 0, 1} }\n"
                     "actuator { name = 'a', joint = 'j', k = 1, effort = %g }\n",
                     u);
            resting h = resting_open(text, resting_spaces[k]);
            ph_static_options o = ph_default_static();
            o.load = i % 2 ? NULL : resting_load, o.ctx = h.mech;
            const ph_system *sys = ph_mechanism_system(h.mech);
            if (ph_equilibrium_create(&h.e, sys, &o, 0, h.q0, &h.err) != PH_OK)
                fail_msg("%g N m: %s", u, h.err.text);
            h.s = ph_equilibrium_state(h.e);
            assert_true((ph_equilibrium_stats(h.e).relaxed > 0) == (i % 2 && u * u > 1));
            double turn = 2 * 3.14159265358979323846, near = u - turn * round(u / turn);
            check_near(ph_mechanism_coordinate(h.mech, &h.s, 0, PH_ABOUT + 2), near, 1e-10); /* Newton's */
            sys->memory->take_back(ph_equilibrium_memory(h.e), sys->memory->ctx);
            check_near(ph_mechanism_coordinate(h.mech, &h.s, 0, PH_ABOUT + 2), u, 1e-10); /* Newton's */
            resting_close(&h);
        }
    resting h = resting_of(slider_crank, PH_SPACE_R3XSO3);
    assert_non_null(ph_equilibrium_memory(h.e));
    resting_close(&h);
    h = resting_open("body { name = 'a', mass = 1, inertia = {1, 1, 1} }\n"
                     "joint { name = 'j', type = 'spherical', bodies = {'ground', 'a'}, at = {0, 0, 1} }\n",
                     PH_SPACE_R3XSO3);
    assert_null(ph_mechanism_system(h.mech)->memory);
    resting_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_that_fail),
        cmocka_unit_test(options_refused),
        cmocka_unit_test(pendulum_hangs),
        cmocka_unit_test(slider_crank_rests_at_least_energy),
        cmocka_unit_test(load_is_cut),
        cmocka_unit_test(followers),
        cmocka_unit_test(factor_scales_loads),
        cmocka_unit_test(chain_of_springs),
        cmocka_unit_test(four_bar_rests_at_least_energy),
        cmocka_unit_test(long_chain_hangs),
        cmocka_unit_test(rates_confine_increments),
        cmocka_unit_test(what_nothing_holds_is_named),
        cmocka_unit_test(fails_cleanly),
        cmocka_unit_test(turns_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
