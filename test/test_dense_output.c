/* Dense output: the interpolant reproduces its points, and its order between them. */
#include "rk_cases.h"
#include "method/dense_output.h"
#include "step/sim.h"

/* The points of a problem, exact, and room for the interpolant. */
typedef struct stage {
    ph_problem *p;
    ph_sim *sim;
    ph_dense dense;
    ph_point at[PH_DENSE_POINTS], to;
    ph_arena arena;
} stage;

static void lay(stage *s)
{
    ph_dense_take(&s->dense, &s->sim->lay, &s->arena);
    for (int k = 0; k < PH_DENSE_POINTS; k++)
        ph_point_take(&s->at[k], &s->sim->lay, &s->arena);
    ph_point_take(&s->to, &s->sim->lay, &s->arena);
}

static void stage_open(stage *s, const char *problem)
{
    *s = (stage){.p = problem_named(problem)};
    ph_options o = rkmk("rk4", 0.01);
    s->sim = sim_of(&s->p->sys, &o, s->p->q0, s->p->v0);
    lay(s);
    assert_true(ph_arena_open(&s->arena, NULL));
    lay(s);
}

static void stage_close(stage *s)
{
    ph_free(NULL, s->arena.block);
    ph_sim_destroy(s->sim);
    ph_problem_destroy(s->p);
}

static void exact_at(stage *s, double t, ph_point *p)
{
    p->t = t;
    assert_true(s->p->exact(s->p, t, p->q, p->v, p->vdot, p->lambda));
    ph_point_rotations(p, &s->sim->lay);
}

static void fit(stage *s, double t, double h, int m)
{
    const ph_point *p[PH_DENSE_POINTS];
    for (int k = 0; k < m; k++) {
        exact_at(s, t + h * k / (m - 1), &s->at[k]);
        p[k] = &s->at[k];
    }
    ph_dense_fit(&s->dense, &s->sim->lay, m, p);
}

/* Largest error of q and v at a part of the step. */
static void errors_at(stage *s, double part, double *q, double *v)
{
    const ph_layout *l = &s->sim->lay;
    double eq[16], ev[16], a[16], b[16];
    s->to.t = s->dense.t + part * s->dense.h;
    ph_dense_at(&s->dense, l, &s->at[0], &s->to);
    assert_true(s->p->exact(s->p, s->to.t, eq, ev, a, b));
    for (int i = 0; i < l->N; i++) /* the sign of a quaternion says nothing */
        if (l->R_at[i] >= 0) {
            double *u = eq + l->q_at[i] + l->slot[i].op->quat, dot = 0;
            const double *w = s->to.q + (u - eq);
            for (int k = 0; k < 4; k++)
                dot += u[k] * w[k];
            for (int k = 0; k < 4 && dot < 0; k++)
                u[k] = -u[k];
        }
    *q = max_diff(s->to.q, eq, l->nq), *v = max_diff(s->to.v, ev, l->nv);
    ph_mat3 R = s->to.R[0];
    ph_point_rotations(&s->to, l);
    assert_true(!memcmp(&R, &s->to.R[0], sizeof R)); /* exact */
}

static const char *const name[] = {"heavy_top", "heavy_top_r3xso3", "heavy_top_se3", "spring_ball"};

/* At its points the interpolant has their values; half a turn away they are not yet ambiguous. */
static void points_are_met(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++)
        for (int m = 2; m <= 3; m++) {
            stage s;
            double q, v;
            stage_open(&s, name[k]);
            fit(&s, 0.01, k < 3 ? 0.019 : 0.3, m); /* 2.9 rad of the top */
            for (int i = 0; i < m; i++) {
                errors_at(&s, (double)i / (m - 1), &q, &v);
                check_le(q, 1e-13); /* round-off: sums of coefficients up to 100 */
                check_le(v, 3e-11); /* the same, over h */
            }
            stage_close(&s);
        }
}

/* order: 3 m of q, one less of v. The top turns by 1.2 rad in the steps of three points, and one halving
 * later round-off is near. */
static void orders(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++)
        for (int m = 2; m <= 3; m++) {
            stage s;
            int top = k < 3, halvings = top && m == 3 ? 1 : 2;
            double q[3], v[3], h = top ? m == 2 ? 1.5e-3 : 8e-3 : m == 2 ? 0.1 : 0.4;
            double band = m == 2 ? 0.15 : top ? 0.7 : 0.25;
            stage_open(&s, name[k]);
            for (int i = 0; i <= halvings; i++) {
                fit(&s, 0.02, h / (1 << i), m);
                errors_at(&s, 0.3, &q[i], &v[i]);
            }
            for (int i = 0; i < halvings; i++) {
                check_near(log2(q[i] / q[i + 1]), 3 * m, band);
                check_near(log2(v[i] / v[i + 1]), 3 * m - 1, band);
            }
            stage_close(&s);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(points_are_met), cmocka_unit_test(orders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
