/* The matrix of a step: it is exact for every method, also where bodies go four by four; rows that restrict velocities alone have no eta;
 * memory goes with the entries. */
#include "model_cases.h"
#include "sim_life.h"

/* A tolerance of nothing: iterations go on to round-off, so a linear rate would show. Every sigma, form and
 * scheme that enters the Jacobian; steps so large that the first guess is poor (0.75 rad of the top). (G6), (N1) */
static void exact_jacobian(void **state)
{
    (void)state;
    static const double sigma[] = {0, 0.37, 1, PH_SIGMA_OPT}, factor[] = {1, 5};
    for (int k = 0; ph_problem_name(k); k++)
        for (int f = 0; f < FORMS; f++)
            for (int i = 0; i < 4; i++)
                for (int form = PH_GGL_INSIDE; form <= PH_GGL_OUTSIDE; form++)
                    for (int large = 0; large < 2; large++) {
                        ph_problem *p = small_problem(k);
                        ph_options o = options_for(p, forms[f]);
                        ph_stats n;
                        o.sigma = sigma[i], o.ggl_form = (ph_ggl_form)form, o.h *= factor[large];
                        o.rtol = 1e-12, o.atol = 1e-12, o.newton = PH_FULL;
                        snapshot x = end_of(p, &o, 5, &n);
                        /* ordering: quadratic from 0.1 is 1e-2, 1e-4, 1e-8, 1e-16 */
                        assert_true(n.worst_iterations <= (large ? 6 : 4));
                        free(x.x);
                        ph_problem_destroy(p);
                    }
}

/* Tops that know nothing of each other take as many iterations as one alone, though they go four by four: each has its exact Jacobian. */
static void tops_side_by_side(void **state)
{
    (void)state;
    static const char text[] = "gravity {0, 0, -9.81}\n"
                               "for i = 1, %d do\n"
                               "    body { name = 'top' .. i, mass = 15, inertia = {0.234375, 0.46875, "
                               "0.234375}, position = {0, 1, 0},\n"
                               "           omega = {0, 150, -4.61538}, velocity = {4.61538, 0, 0} }\n"
                               "    joint { name = 'tip' .. i, type = 'spherical', bodies = {'ground', 'top' "
                               ".. i}, at = {0, 0, 0} }\n"
                               "end\n";
    static const double sigma[] = {0, 0.37, 1};
    for (int f = 0; f < FORMS; f++)
        for (int k = 0; k < 3; k++) {
            long iterations[2];
            for (int several = 0; several < 2; several++) {
                char model[1024];
                opened m;
                snprintf(model, sizeof model, text, several ? 5 : 1);
                open_text(&m, model);
                ph_options o = ph_default_options();
                o.formulation = forms[f], o.sigma = sigma[k], o.h = 5e-3, o.rtol = o.atol = 1e-12,
                o.newton = PH_FULL;
                ph_sim *sim = sim_of(&m.sys, &o, m.q0, m.v0);
                run_sim(sim, 20);
                iterations[several] = ph_sim_stats(sim).iterations;
                ph_sim_destroy(sim);
                open_close(&m);
            }
            assert_int_equal(iterations[0], iterations[1]);
        }
}

/* The stabilised form keeps positions on the constraints beside some that restrict velocities alone, whichever come first. */
static void positions_beside_rolling(void **state)
{
    (void)state;
    static const char text[] = "gravity {0, 0, -9.81}\n"
                               "body { name = 'bob', mass = 1, inertia = {0.1, 0.1, 0.1}, position = {5, 0, "
                               "1}, velocity = {0, 1, 0} }\n"
                               "body { name = 'disc', mass = 2, inertia = {0.1, 0.2, 0.1}, position = {0, 0, "
                               "0.5}, omega = {0, 2, 0.3}, velocity = {1, 0, 0} }\n"
                               "%s%s";
    static const char *const joint[] = {
        "joint { name = 'pivot', type = 'spherical', bodies = {'ground', 'bob'}, at = {4, 0, 1} }\n",
        "joint { name = 'contact', type = 'rolling', bodies = {'ground', 'disc'}, axis = {0, 1, 0}, radius = "
        "0.5 }\n"};
    for (int first = 0; first < 2; first++) {
        char model[1024];
        opened m;
        snprintf(model, sizeof model, text, joint[first], joint[1 - first]);
        open_text(&m, model);
        ph_options o = ph_default_options();
        o.h = 0.02, o.formulation = PH_GGL;
        ph_sim *sim = sim_of(&m.sys, &o, m.q0, m.v0);
        run_sim(sim, 100);
        double position, velocity;
        assert_int_equal(ph_sim_violation(sim, &position, &velocity), PH_OK);
        check_le(position, 1e-13); /* round-off */
        check_le(velocity, 1e-11);
        ph_state s = ph_sim_state(sim);
        for (int c = 0; c < m.sys.n_constraints; c++)
            assert_true((norm2(s.eta + s.l_at[c], m.sys.constraints[c].rows) > 0) !=
                        m.sys.constraints[c].nonholonomic); /* exact: these have none */
        ph_sim_destroy(sim);
        open_close(&m);
    }
}

/* ---- memory ------------------------------------------------------------------------------------- */

#define WIDE 200

static ph_status wide_M(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)ctx;
    for (int i = 0; i < WIDE; i++)
        out[i * WIDE + i] = 1;
    return PH_OK;
}

static ph_status wide_zero(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)out, (void)ctx;
    return PH_OK;
}

static ph_status wide_Phi(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    for (int c = 0; c < WIDE / 2; c++)
        out[c] = s->q[c] - s->q[c + WIDE / 2];
    return PH_OK;
}

static ph_status wide_B(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)ctx;
    for (int c = 0; c < WIDE / 2; c++)
        out[c * WIDE + c] = 1, out[c * WIDE + c + WIDE / 2] = -1;
    return PH_OK;
}

/* One node of 200 coordinates under 100 constraints: memory goes with the entries, not with blocks times
 * 200^2. */
static void wide_node(void **state)
{
    (void)state;
    static const ph_node node = {PH_RN, WIDE, "modes"};
    ph_constraint constraints[WIDE / 2];
    double q0[WIDE] = {0}, v0[WIDE] = {0};
    for (int c = 0; c < WIDE / 2; c++)
        constraints[c] = (ph_constraint){1, 0, NULL};
    ph_system sys = {
        .name = "wide", .n_nodes = 1, .nodes = &node, .n_constraints = WIDE / 2, .constraints = constraints};
    sys.M = wide_M, sys.g = sys.C = sys.K = sys.Z = sys.convective = wide_zero, sys.Phi = wide_Phi,
    sys.B = wide_B;
    sys.flags = PH_MASS_CONSTANT;
    for (int f = 0; f < FORMS; f++) {
        ph_options o = ph_default_options();
        counter c;
        counter_open(&c, -1);
        o.h = 0.01, o.formulation = forms[f], o.alloc = &c.hooks;
        v0[0] = v0[WIDE / 2] = 1;
        ph_sim *sim = sim_of(&sys, &o, q0, v0);
        run_sim(sim, 2);
        check_near(ph_sim_state(sim).q[WIDE / 2], 0.02, 1e-15); /* round-off */
        assert_true(c.bytes < 64e6);                            /* 400 unknowns are 1.3 MB when dense */
        ph_sim_destroy(sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_jacobian),
        cmocka_unit_test(tops_side_by_side),
        cmocka_unit_test(positions_beside_rolling),
        cmocka_unit_test(wide_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
