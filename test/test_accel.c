/* The constraints on accelerations: tangents against differences of the rows themselves, off the
 * constraints, for every problem, for models in every space, and with Z and convective differenced. */
#include "model_cases.h"
#include "sim_cases.h"
#include "step/accel.h"

typedef struct place {
    ph_layout lay;
    ph_eval ev;
    ph_accel ac;
    ph_point at, probe;
    void *block;
} place;

static void take(place *x, ph_arena *a)
{
    ph_layout_take(&x->lay, a);
    ph_eval_take(&x->ev, &x->lay, a);
    ph_accel_take(&x->ac, &x->lay, a);
    ph_point_take(&x->at, &x->lay, a);
    ph_point_take(&x->probe, &x->lay, a);
}

/* Somewhere near q0, neither position nor velocity nor acceleration consistent. */
static void place_open(place *x, const ph_system *sys, const double *q0, const double *v0)
{
    ph_arena a = {0};
    ph_error err = {0};
    uint64_t seed = 4711;
    memset(x, 0, sizeof *x);
    assert_int_equal(ph_layout_measure(&x->lay, sys, &err), PH_OK);
    take(x, &a);
    assert_true(ph_arena_open(&a, NULL));
    x->block = a.block;
    take(x, &a);
    assert_int_equal(ph_layout_fill(&x->lay, &err), PH_OK);
    ph_eval_prepare(&x->ev);
    memcpy(x->probe.q, q0, sizeof(double) * (size_t)x->lay.nq);
    for (int i = 0; i < x->lay.nv; i++) {
        x->probe.v[i] = 0.03 * rnd(&seed);
        x->at.v[i] = v0[i] + rnd(&seed);
        x->at.vdot[i] = 5 * rnd(&seed);
    }
    ph_point_shift(&x->lay, &x->probe, 1, x->probe.v, &x->at);
    x->at.t = 0.3;
}

static void rows_at(place *x, const ph_point *p, double *c)
{
    ph_state s = ph_point_view(p, &x->lay);
    assert_int_equal(ph_eval_residual(&x->ev, &s, PH_EVAL_RATE), PH_OK);
    assert_int_equal(ph_accel_rows(&x->ac, &x->ev, p), PH_OK);
    memcpy(c, x->ac.c, sizeof(double) * (size_t)x->lay.nl);
}

/* The largest |column of blocks - column by differences|; by: 0 q, 1 v, 2 vdot. */
static double column_error(place *x, const double *blocks, int by, int k, double *plus, double *minus)
{
    const ph_layout *lay = &x->lay;
    double step = 1e-5, worst = 0;
    for (int side = 0; side < 2; side++) {
        double d = side ? -step : step, dx[64] = {0};
        ph_point_copy(&x->probe, &x->at, lay);
        dx[k] = d;
        if (by == 0)
            ph_point_shift(lay, &x->at, 1, dx, &x->probe);
        else
            (by == 1 ? x->probe.v : x->probe.vdot)[k] += d;
        rows_at(x, &x->probe, side ? minus : plus);
    }
    for (int i = 0; i < lay->nl; i++)
        plus[i] = (plus[i] - minus[i]) / (2 * step), minus[i] = 0;
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++)
        for (int i = 0; i < b->m && k >= b->col_at && k < b->col_at + b->n; i++)
            minus[b->row_at + i] = blocks[b->at + i * b->n + k - b->col_at];
    for (int i = 0; i < lay->nl; i++)
        worst = fmax(worst, isnan(plus[i] - minus[i]) ? HUGE_VAL : fabs(plus[i] - minus[i]));
    return worst;
}

/* Relative to the largest entry of each of the three. */
static double tangent_error(place *x)
{
    const ph_layout *lay = &x->lay;
    ph_state s = ph_point_view(&x->at, lay);
    double rows[2][64], worst = 0, *B = malloc(sizeof(double) * (size_t)lay->size_links);
    assert_non_null(B);
    assert_true(lay->nv <= 64 && lay->nl <= 64);
    rows_at(x, &x->at, rows[0]);
    memcpy(B, x->ev.B, sizeof(double) * (size_t)lay->size_links);
    assert_int_equal(ph_eval_tangent(&x->ev, &s, PH_EVAL_RATE), PH_OK);
    assert_int_equal(ph_accel_tangent(&x->ac, &x->ev, &x->at), PH_OK);
    const double *blocks[] = {x->ac.by_q, x->ac.by_v, B};
    for (int by = 0; by < 3; by++) {
        double size = 1;
        for (int i = 0; i < lay->size_links; i++)
            size = fmax(size, fabs(blocks[by][i]));
        for (int k = 0; k < lay->nv; k++)
            worst = fmax(worst, column_error(x, blocks[by], by, k, rows[0], rows[1]) / size);
    }
    free(B);
    return worst;
}

static double error_of(const ph_system *sys, const double *q0, const double *v0)
{
    place x;
    place_open(&x, sys, q0, v0);
    double error = tangent_error(&x);
    ph_free(NULL, x.block);
    return error;
}

/* (K10), (K11), (K12) */
static void problems(void **state)
{
    (void)state;
    for (int k = 0; ph_problem_name(k); k++) {
        ph_problem *p = small_problem(k);
        if (p->sys.n_constraints) {
            /* derivative: differences of both kinds lose a few digits of 1e-10 */
            check_le(error_of(&p->sys, p->q0, p->v0), 1e-8);
            ph_system bare = p->sys;
            bare.Z = NULL, bare.convective = NULL;
            /* derivative: rows with 1e-10 of noise are differenced over 1e-5, and Z twice */
            check_le(error_of(&bare, p->q0, p->v0), 3e-5);
        }
        ph_problem_destroy(p);
    }
}

/* Rolling is non-holonomic, the motor moves with time. Not for Euler parameters, whose rows are
 * derivatives of each other only where the parameters have length one. */
static void models(void **state)
{
    (void)state;
    static const char *const name[] = {"rolling_disc", "driven_crank", "slider_crank",
                                       "governor",     "andrews",      "double_pendulum"};
    static const ph_space_code space[] = {PH_SPACE_R3XSO3, PH_SPACE_SE3, PH_SPACE_CARDAN};
    for (size_t k = 0; k < sizeof name / sizeof *name; k++)
        for (int i = 0; i < 3; i++) {
            opened o;
            open_model(&o, name[k], NULL, space[i]);
            /* derivative */
            check_le(error_of(&o.sys, o.q0, o.v0), 1e-8);
            open_close(&o);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(problems),
        cmocka_unit_test(models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
