/* The residual form of generalized-alpha: published errors, and its orders. */
#include "chart_alpha_cases.h"

typedef struct errors {
    double x, q, v, lambda; /* of the heavy top: at the end, x as a part of |x| */
    double early;           /* largest of lambda */
} errors;

static errors errors_of(const ph_options *o, double t_end)
{
    ph_problem *p = problem_named("heavy_top");
    ph_sim *sim = sim_of(&p->sys, o, p->q0, p->v0);
    double q[7], v[6], vdot[6], lambda[3], early = 0;
    long steps = lround(t_end / o->h);
    for (long n = 0; n < steps; n++) {
        run_sim(sim, 1);
        assert_true(p->exact(p, (double)(n + 1) * o->h, q, v, vdot, lambda));
        early = fmax(early, max_diff(ph_sim_state(sim).lambda, lambda, 3));
    }
    ph_state s = ph_sim_state(sim);
    double dx[3] = {s.q[0] - q[0], s.q[1] - q[1], s.q[2] - q[2]};
    errors e = {norm2(dx, 3) / norm2(q, 3), max_diff(s.q, q, 7), max_diff(s.v, v, 6),
                max_diff(s.lambda, lambda, 3), early};
    ph_sim_destroy(sim);
    ph_problem_destroy(p);
    return e;
}

/* P2, Figure 8; the digits are those of an independent program (C6), (C7) */
static void published_errors(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        double error, order;
    } row[] = {{RESIDUAL, 2.332e-3, 1}, {LINEAR, 1.509e-4, 2}, {GEOMETRIC, 1.865e-3, 2}};
    for (int k = 0; k < 3; k++) {
        double e[5];
        for (int j = 0; j < 5; j++) {
            ph_options o = paper(row[k].method, 2e-3 / (1 << j));
            e[j] = errors_of(&o, 0.1).x;
        }
        check_near(e[0] / row[k].error, 1, 0.02); /* reference, 2 % */
        for (int j = 1; j < 4; j++)
            check_near(log2(e[j] / e[j + 1]), row[k].order, 0.15); /* order */
    }
}

/* Index-3 and index-2; the perturbed start of linear-alpha takes the first-order transient from lambda. */
static void orders(void **state)
{
    (void)state;
    for (int f = PH_INDEX3; f <= PH_INDEX2; f++)
        for (int k = 0; k < 2; k++) {
            errors e[5];
            double p = k == 0 ? 2 : 1;
            for (int j = 0; j < 5; j++) {
                ph_options o = tight(1e-3 / (1 << j));
                o.method = both[k], o.formulation = (ph_formulation)f;
                e[j] = errors_of(&o, 0.1);
            }
            for (int j = 2; j < 4; j++) {
                check_near(log2(e[j].q / e[j + 1].q), p, 0.15);           /* order */
                check_near(log2(e[j].v / e[j + 1].v), p, 0.15);           /* order */
                check_near(log2(e[j].lambda / e[j + 1].lambda), p, 0.15); /* order */
                check_near(log2(e[j].early / e[j + 1].early), p, 0.15);   /* order */
            }
        }
    double e[4];
    for (int j = 0; j < 4; j++) {
        ph_options o = paper(LINEAR, 1e-3 / (1 << j));
        e[j] = errors_of(&o, 0.1).early;
    }
    for (int j = 1; j < 3; j++)
        check_near(log2(e[j] / e[j + 1]), 1, 0.15); /* order: without it */
}

/* With N of (N1), Newton's method squares its errors: three iterations do, in large steps with much damping, too. */
static void three_iterations(void **state)
{
    (void)state;
    static const struct {
        const char *problem;
        double h;
    } row[] = {{"heavy_top_so3", 2.5e-3}, {"free_body", 0.1}, {"spring_ball", 0.2}};
    for (int i = 0; i < 3; i++) {
        ph_problem *p = problem_named(row[i].problem);
        ph_options o = tight(row[i].h);
        o.method = RESIDUAL, o.rho = 0.5;
        ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
        run_sim(sim, 50);
        assert_true(ph_sim_stats(sim).iterations <= 3 * 50); /* ordering */
        ph_sim_destroy(sim);
        ph_problem_destroy(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_errors),
        cmocka_unit_test(orders),
        cmocka_unit_test(three_iterations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
