/* Spherical joints in loops over flat records: products as from the blocks, and runs with them as without. */
#include "model_cases.h"
#include "sim_cases.h"

/* Pins between all kinds of ends: the ground on either side, bodies with and without principal axes, a particle,
 * two on one body; a spring beside them. */
static const char *const text =
    "gravity {0.3, -1, -9.81}\n"
    "body { name = 'a', mass = 2, inertia = {0.1, 0.2, 0.25}, position = {0.5, 0.1, 0}, omega = {0, 0, 0.3} "
    "}\n"
    "body { name = 'b', mass = 3, inertia = {{0.3, 0.01, 0.02}, {0.01, 0.2, 0.03}, {0.02, 0.03, 0.4}},\n"
    "       position = {1.4, 0, 0.2} }\n"
    "particle { name = 'c', mass = 1, position = {2.2, 0.4, 0.1} }\n"
    "body { name = 'd', mass = 1.5, inertia = {0.1, 0.3, 0.2}, position = {0.4, 1, -0.3} }\n"
    "joint { name = 'j1', type = 'spherical', bodies = {'ground', 'a'}, at = {0, 0.05, 0} }\n"
    "joint { name = 'j2', type = 'spherical', bodies = {'b', 'a'}, at = {1, 0.1, 0.1} }\n"
    "joint { name = 'j3', type = 'spherical', bodies = {'b', 'c'}, at = {2.2, 0.4, 0.1} }\n"
    "joint { name = 'j4', type = 'spherical', bodies = {'d', 'ground'}, at = {0.1, 1.2, 0} }\n"
    "spring { name = 's', bodies = {'c', 'd'}, k = 20, d = 0.3 }\n"
    "run { t_end = 1, h = 1e-3 }\n";

enum { NV = 21, NL = 12 };

static const ph_space_code spaces[] = {PH_SPACE_R3XSO3, PH_SPACE_SE3};

/* Products as from the blocks, and blocks as from differences. */
static void check_products(ph_space_code space)
{
    opened o;
    open_text_on(&o, text, space);
    assert_non_null(o.sys.products);
    ph_options opt = ph_default_options();
    opt.h = 1e-3;
    ph_sim *sim = sim_of(&o.sys, &opt, o.q0, o.v0);
    run_sim(sim, 300);
    ph_state s = ph_sim_state(sim);
    assert_int_equal(ph_system_nv(&o.sys), NV), assert_int_equal(ph_system_nl(&o.sys), NL);
    double v[NV], vdot[NV], lambda[NL], *M = calloc((size_t)doubles_of(&o.sys, 0), sizeof *M),
                                        *B = calloc((size_t)doubles_of(&o.sys, 1), sizeof *B);
    uint64_t seed = 7;
    for (int i = 0; i < NV; i++)
        v[i] = rnd(&seed), vdot[i] = rnd(&seed);
    for (int i = 0; i < NL; i++)
        lambda[i] = rnd(&seed);
    s.v = v, s.vdot = vdot, s.lambda = lambda;
    double x[NV + 2 * NL], y[NV + 2 * NL];
    for (int i = 0; i < NV + 2 * NL; i++)
        x[i] = y[i] = 0.1 * i; /* what is there already is added to */
    assert_int_equal(o.sys.products(&s, x, x + NV, x + NV + NL, o.sys.ctx), PH_OK);
    assert_int_equal(block_products(&o.sys, &s, M, B, 0, y, y + NV, y + NV + NL), PH_OK);
    check_le(max_diff(x, y, NV + 2 * NL), 1e-14); /* round-off */
    double Phi[NL], rate[NL] = {0};
    assert_int_equal(o.sys.products(&s, NULL, Phi, NULL, o.sys.ctx), PH_OK);
    assert_int_equal(o.sys.products(&s, NULL, NULL, rate, o.sys.ctx), PH_OK);
    for (int i = 0; i < NL; i++) {
        assert_true(Phi[i] == y[NV + i]); /* exact: the same text */
        check_near(rate[i], y[NV + NL + i] - 0.1 * (NV + NL + i), 1e-14);
    }
    ph_error err = {0};
    ph_check worst;
    if (ph_system_check(&o.sys, s.t, s.q, s.v, s.vdot, s.lambda, &worst, &err) != PH_OK)
        fail_msg("%s", err.text);
    check_le(worst.error, 1e-7); /* of central differences */
    free(M), free(B);
    ph_sim_destroy(sim);
    open_close(&o);
}

static void products_are_those_of_the_blocks(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++)
        check_products(spaces[k]);
}

static void check_runs(ph_space_code space)
{
    opened o;
    open_text_on(&o, text, space);
    ph_system plain = o.sys;
    plain.products = NULL;
    for (int f = 0; f < 3; f++) {
        ph_options opt = ph_default_options();
        opt.h = 1e-3, opt.formulation = (ph_formulation[]){PH_INDEX3, PH_GGL, PH_INDEX2}[f];
        ph_sim *a = sim_of(&o.sys, &opt, o.q0, o.v0), *b = sim_of(&plain, &opt, o.q0, o.v0);
        run_sim(a, 100), run_sim(b, 100);
        ph_state s = ph_sim_state(a), t = ph_sim_state(b);
        check_le(max_diff(s.q, t.q, ph_system_nq(&plain)), 1e-13); /* round-off */
        check_le(max_diff(s.v, t.v, NV), 1e-11);                   /* round-off over h */
        check_le(labs(ph_sim_stats(a).iterations - ph_sim_stats(b).iterations),
                 20); /* round-off decides (N7) */
        double x[2], y[2];
        assert_int_equal(ph_sim_violation(a, &x[0], &x[1]), PH_OK);
        assert_int_equal(ph_sim_violation(b, &y[0], &y[1]), PH_OK);
        check_le(fabs(x[0] - y[0]), 1e-12);
        check_le(fabs(x[1] - y[1]),
                 space == PH_SPACE_SE3 ? 1e-11 : 1e-12); /* as v is, which is in body axes there */
        ph_sim_destroy(a), ph_sim_destroy(b);
    }
    open_close(&o);
}

static void runs_agree(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++)
        check_runs(spaces[k]);
}

/* Blocks alone, as a callback: bit for bit what the library makes of them. */
static void products_of_blocks_change_no_bit(void **state)
{
    (void)state;
    static const ph_formulation form[] = {PH_INDEX3, PH_INDEX2, PH_GGL};
    for (int k = 0; ph_problem_name(k); k++)
        for (int f = 0; f < 3; f++) {
            ph_problem *p = small_problem(k);
            ph_options opt = options_for(p, form[f]);
            wrap w;
            wrap_open(&w, &p->sys);
            w.sys.products = wrap_products;
            ph_sim *a = sim_of(&p->sys, &opt, p->q0, p->v0), *b = sim_of(&w.sys, &opt, p->q0, p->v0);
            run_sim(a, 10), run_sim(b, 10);
            snapshot x = snap(a, &p->sys), y = snap(b, &p->sys);
            assert_true(distance(&x, &y) == 0); /* exact */
            free(x.x), free(y.x);
            ph_sim_destroy(a), ph_sim_destroy(b);
            wrap_close(&w);
            ph_problem_destroy(p);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_the_blocks),
        cmocka_unit_test(runs_agree),
        cmocka_unit_test(products_of_blocks_change_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
