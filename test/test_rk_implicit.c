/* Implicit Runge-Kutta stages: the matrix is the derivative of the residuals, orders, stiff springs, redundant,
 * non-holonomic and moving constraints, friction, memory. */
#include "sim_cases.h"
#include "step/rk_newton.h"

/* ---- tableaux of this test ---------------------------------------------------------------------- */

static const ph_tableau gauss_2 = {
    "gauss-2",  PH_STAGES_FULL,
    2,          4,
    0,          {{0.25, 0.25 - 0.28867513459481287}, {0.25 + 0.28867513459481287, 0.25}},
    {0.5, 0.5}, {0.5 - 0.28867513459481287, 0.5 + 0.28867513459481287},
    {0}};

static const ph_tableau lobatto_3a = {"lobatto IIIA-2",     PH_STAGES_FULL, 2,      2,  0,
                                      {{0, 0}, {0.5, 0.5}}, {0.5, 0.5},     {0, 1}, {0}};

static const ph_tableau diagonal_2 = {"diagonal-2",
                                      PH_STAGES_DIAGONAL,
                                      2,
                                      3,
                                      0,
                                      {{0.78867513459481287}, {-0.57735026918962573, 0.78867513459481287}},
                                      {0.5, 0.5},
                                      {0.78867513459481287, 0.21132486540518713},
                                      {0}};

/* ---- stages without a stepper around them -------------------------------------------------------- */

typedef struct bench {
    ph_sim *sim;
    ph_rk rk;
    ph_arena arena;
} bench;

static void lay(bench *b)
{
    const ph_layout *l = &b->sim->lay;
    size_t s = (size_t)b->rk.tab.s, nv = (size_t)l->nv, nl = (size_t)l->nl, d = sizeof(double);
    b->rk.k = ph_arena_take(&b->arena, s * nv, d);
    b->rk.A = ph_arena_take(&b->arena, s * nv, d);
    b->rk.V = ph_arena_take(&b->arena, s * nv, d);
    b->rk.Theta = ph_arena_take(&b->arena, s * nv, d);
    b->rk.Lambda = ph_arena_take(&b->arena, s * nl, d);
    ph_point_take(&b->rk.at, l, &b->arena);
}

static bench bench_open(const ph_problem *p, const ph_system *sys, const ph_tableau *tab)
{
    bench b = {0};
    ph_options o = options_for(p, PH_INDEX3);
    ph_error err = {0};
    b.sim = sim_of(sys, &o, p->q0, p->v0);
    b.rk.tab = *tab;
    lay(&b);
    assert_true(ph_arena_open(&b.arena, NULL));
    lay(&b);
    assert_int_equal(ph_rk_implicit_create(&b.rk, b.sim, &err), PH_OK);
    return b;
}

static void bench_close(bench *b)
{
    ph_rk_implicit_destroy(&b->rk);
    ph_free(NULL, b->arena.block);
    ph_sim_destroy(b->sim);
}

/* ---- the matrix ---------------------------------------------------------------------------------- */

/* The residuals of the stages, in the order of the unknowns. */
static void residuals(bench *b, const ph_stages *st, double *out)
{
    ph_rk_newton *nm = b->rk.newton;
    assert_int_equal(ph_rk_newton_kinematics(b->sim, &b->rk, &b->sim->now, st), PH_OK);
    assert_int_equal(ph_rk_newton_evaluate(b->sim, &b->rk, &b->sim->now, st, 0), PH_OK);
    int n = nm->s * (b->sim->lay.nv + b->sim->lay.nl);
    for (int i = 0; i < n; i++)
        out[i] = -nm->b[i];
}

/* Where an unknown stands: the number of stage i, coordinate r among nv + nl, to its place in the solution. */
static int place_of(const ph_layout *l, int s, int i, int r)
{
    for (int k = 0; k < l->N; k++)
        if (r >= l->v_at[k] && r < l->v_at[k] + l->slot[k].dim)
            return s * l->v_at[k] + i * l->slot[k].dim + r - l->v_at[k];
    for (int c = 0, q = r - l->nv; c < l->C; c++)
        if (q >= l->l_at[c] && q < l->l_at[c] + l->rows[c])
            return s * (l->nv + l->l_at[c]) + i * l->rows[c] + q - l->l_at[c];
    fail();
    return 0;
}

/* The matrix of the solver as a dense one. */
static void dense(const bench *b, double *out)
{
    const ph_layout *l = &b->sim->lay;
    const ph_rk_newton *nm = b->rk.newton;
    int s = nm->s, n = s * (l->nv + l->nl);
    const double *A = nm->A, *BT = A + s * s * l->size_pairs, *W = BT + s * s * l->size_links;
    memset(out, 0, sizeof(double) * (size_t)(n * n));
    for (int e = 0; e < l->n_pairs; e++) {
        const ph_block *p = &l->pair[e];
        for (int i = 0; i < s * p->m; i++)
            for (int j = 0; j < s * p->n; j++)
                out[(s * p->row_at + i) * n + s * p->col_at + j] = A[s * s * p->at + i * s * p->n + j];
    }
    for (int e = 0; e < l->n_links; e++) {
        const ph_block *p = &l->link[e];
        for (int i = 0; i < s * p->m; i++)
            for (int j = 0; j < s * p->n; j++) {
                out[(s * (l->nv + p->row_at) + i) * n + s * p->col_at + j] =
                    W[s * s * p->at + i * s * p->n + j];
                out[(s * p->col_at + j) * n + s * (l->nv + p->row_at) + i] =
                    BT[s * s * p->at + j * s * p->m + i];
            }
    }
}

/* The largest difference between the matrix and central differences of the residuals, relative to the largest entry
 * of the row; rough starts, so that no stage is near a solution. */
static double jacobian_error(bench *b, double h, int first)
{
    const ph_layout *l = &b->sim->lay;
    ph_rk *rk = &b->rk;
    int s = rk->newton->s, size = l->nv + l->nl, n = s * size;
    ph_stages st = {&rk->tab, h, first, first + s};
    double *J = calloc((size_t)(n * n + 2 * n), sizeof *J), *plus = J + n * n, *minus = plus + n, worst = 0;
    uint64_t seed = 12345;
    assert_non_null(J);
    for (int i = 0; i < rk->tab.s; i++) {
        for (int r = 0; r < l->nv; r++)
            rk->A[i * l->nv + r] = b->sim->now.vdot[r] + 3 * rnd(&seed);
        for (int r = 0; r < l->nl; r++)
            rk->Lambda[i * l->nl + r] = b->sim->now.lambda[r] + 3 * rnd(&seed);
    }
    for (int i = 0; i < first; i++) /* stages before that are solved already: any slopes */
        for (int r = 0; r < l->nv; r++)
            rk->k[i * l->nv + r] = rk->V[i * l->nv + r] = b->sim->now.v[r] + rnd(&seed);
    assert_int_equal(ph_rk_newton_kinematics(b->sim, rk, &b->sim->now, &st), PH_OK);
    assert_int_equal(ph_rk_newton_evaluate(b->sim, rk, &b->sim->now, &st, 1), PH_OK);
    dense(b, J);
    for (int i = 0; i < s; i++)
        for (int r = 0; r < size; r++) {
            double *x =
                r < l->nv ? &rk->A[(first + i) * l->nv + r] : &rk->Lambda[(first + i) * l->nl + r - l->nv];
            /* a change of A acts on V with h, on Theta with h^2 */
            double kept = *x, step = r < l->nv ? 1e-4 / h : 1e-3 * fmax(1, fabs(kept));
            int col = place_of(l, s, i, r);
            *x = kept + step;
            residuals(b, &st, plus);
            *x = kept - step;
            residuals(b, &st, minus);
            *x = kept;
            for (int k = 0; k < n; k++) {
                double scale = 0;
                for (int j = 0; j < n; j++)
                    scale = fmax(scale, fabs(J[k * n + j]));
                worst = fmax(worst, fabs((plus[k] - minus[k]) / (2 * step) - J[k * n + col]) / scale);
            }
        }
    free(J);
    return worst;
}

static void matrix_is_derivative(void **state)
{
    (void)state;
    const ph_tableau *tabs[] = {&gauss_2, &lobatto_3a, &diagonal_2};
    for (int k = 0; ph_problem_name(k); k++)
        for (int t = 0; t < 3; t++) {
            ph_problem *p = small_problem(k);
            bench b = bench_open(p, &p->sys, tabs[t]);
            run_sim(b.sim, 3); /* away from special initial values */
            /* derivative: steps 5 times as large as usual ones, up to 0.75 rad of the top */
            double error = jacobian_error(&b, 5 * p->h, tabs[t]->kind == PH_STAGES_DIAGONAL);
            printf("%s %s %.2e\n", p->name, tabs[t]->name, error);
            check_le(error, 1e-7);
            bench_close(&b);
            ph_problem_destroy(p);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrix_is_derivative),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
