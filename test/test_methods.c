/* The table of methods: every row steps, goes on, and is first order where it says so. */
#include "sim_life.h"

/* Every row of the table of methods lives by the same rules. */
static void every_method(void **state)
{
    (void)state;
    for (int k = 0; ph_method_name(k); k++)
        for (int f = 0; f < FORMS; f += 2) { /* index-3 and stabilised: what nearly all have */
            ph_problem *p = problem_named("heavy_top");
            ph_options o = options_for(p, forms[f]);
            counter c;
            counter_open(&c, -1);
            o.method = ph_method_name(k), o.alloc = &c.hooks;
            if (f && (!strcmp(o.method, "linear-alpha") || !strcmp(o.method, "residual-alpha"))) {
                ph_problem_destroy(p);
                continue;
            }
            ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
            long asked = c.asked;
            run_sim(sim, 10);
            snapshot x = snap(sim, &p->sys);
            assert_int_equal(ph_sim_reset(sim, 0, p->q0, p->v0, NULL), PH_OK);
            run_sim(sim, 10);
            snapshot y = snap(sim, &p->sys);
            assert_true(same_bits(&x, &y)); /* exact */
            assert_int_equal(c.asked, asked);
            double q[7], v[6], vdot[6], lambda[3];
            assert_true(p->exact(p, 0.01, q, v, vdot, lambda));
            check_le(max_diff(q, snap_q(&x), 7), 1e-3); /* order: C h^2 t, of residual-alpha C h t */
            ph_sim_destroy(sim);
            assert_int_equal(c.live, 0);
            free(x.x), free(y.x);
            ph_problem_destroy(p);
        }
}

/* The same four numbers by different names give the same motion. */
static void schemes_agree(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    ph_options o = options_for(p, PH_INDEX3);
    o.start = PH_PLAIN;
    o.rho = 0.8;
    snapshot x = end_of(p, &o, 50, NULL);
    o.scheme = PH_FOUR_NUMBERS;
    o.alpha_m = (2 * 0.8 - 1) / 1.8, o.alpha_f = 0.8 / 1.8;
    o.gamma = 0.5 + o.alpha_f - o.alpha_m, o.beta = 0.25 * (o.gamma + 0.5) * (o.gamma + 0.5);
    snapshot y = end_of(p, &o, 50, NULL);
    assert_true(same_bits(&x, &y)); /* exact */
    free(x.x), free(y.x);

    o.scheme = PH_HHT, o.hht_alpha = 0.1;
    x = end_of(p, &o, 50, NULL);
    o.scheme = PH_FOUR_NUMBERS;
    o.alpha_m = 0, o.alpha_f = 0.1, o.gamma = 0.6, o.beta = 0.3025;
    y = end_of(p, &o, 50, NULL);
    check_le(distance(&x, &y), 1e-9); /* round-off: 1/4 (1 + 0.1)^2 is not 0.3025 to the bit */
    free(x.x), free(y.x);

    o.scheme = PH_HHT, o.hht_alpha = 0;
    x = end_of(p, &o, 50, NULL);
    o.scheme = PH_NEWMARK, o.beta = 0.25, o.gamma = 0.5;
    y = end_of(p, &o, 50, NULL);
    assert_true(same_bits(&x, &y)); /* exact */
    free(y.x);
    /* rho = 1: a_n + a_n+1 = vdot_n + vdot_n+1, so a = vdot and the trapezoidal rule, but for round-off that
     * alternates */
    o.scheme = PH_CHUNG_HULBERT, o.rho = 1;
    y = end_of(p, &o, 50, NULL);
    check_le(distance(&x, &y), 1e-7); /* round-off */
    free(x.x), free(y.x);
    ph_problem_destroy(p);
}

static void take_log(const char *text, void *ctx)
{
    char *all = ctx;
    snprintf(all + strlen(all), 2000 - strlen(all), "%s\n", text);
}

static void first_order_is_said(void **state)
{
    (void)state;
    ph_problem *p = problem_named("pendulum");
    ph_options o = options_for(p, PH_INDEX3);
    char log[2000] = "";
    o.scheme = PH_NEWMARK, o.beta = 0.3, o.gamma = 0.6;
    o.log = take_log, o.log_ctx = log;
    ph_sim_destroy(sim_of(&p->sys, &o, p->q0, p->v0));
    assert_non_null(strstr(log, "first order"));
    log[0] = 0;
    o.scheme = PH_CHUNG_HULBERT;
    ph_sim_destroy(sim_of(&p->sys, &o, p->q0, p->v0));
    assert_string_equal(log, "");
    ph_problem_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method),
        cmocka_unit_test(first_order_is_said),
        cmocka_unit_test(schemes_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
