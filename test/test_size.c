/* Sizes that cancel: rows in any units, and what Newton's method does with them at round-off. */
#include "model_file.h"

#include "problem/problem.h"
#include "mech/mech.h"
#include "step/size.h"

typedef struct built {
    ph_model *m;
    ph_mechanism *mech;
    const double *q0, *v0;
} built;

static built build(const char *path, const char *text)
{
    built b = {0};
    ph_error err = {0};
    ph_status s = text ? PH_OK : ph_model_read(&b.m, path, NULL, 0, NULL, &err);
    if (text)
        b.m = read_text(text);
    if (s == PH_OK)
        s = ph_mechanism_create(&b.mech, b.m, b.m->run.space, NULL, &err);
    if (s == PH_OK)
        s = ph_mechanism_initial(b.mech, 0, &b.q0, &b.v0, &err);
    if (s == PH_OK)
        s = ph_mechanism_rank(b.mech, &err);
    if (s != PH_OK)
        fail_msg("%s", err.text);
    return b;
}

static void take_down(built *b)
{
    ph_mechanism_destroy(b->mech);
    ph_model_free(b->m);
}

static ph_status go(const built *b, const ph_options *o, long steps, int *worst, ph_error *err)
{
    ph_sim *sim;
    ph_status s = ph_sim_create(&sim, ph_mechanism_system(b->mech), o, 0, b->q0, b->v0, err);
    if (s == PH_OK)
        s = ph_sim_run(sim, steps, NULL, NULL, err);
    if (s == PH_OK)
        *worst = ph_sim_stats(sim).worst_iterations;
    ph_sim_destroy(sim);
    return s;
}

/* Steps so small that the round-off of velocities over h is above that of forces. (N4) */
static void tiny_steps(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        ph_formulation form;
        double h;
        long steps;
    } run[] = {{"slider_crank", PH_INDEX3, 1e-8, 600}, {"governor", PH_GGL, 1e-5, 10000}};
    for (int k = 0; k < 2; k++) {
        char path[512];
        snprintf(path, sizeof path, "%s/../models/%s.lua", PH_TEST_DIR, run[k].file);
        built b = build(path, NULL);
        ph_options o = b.m->run.opt;
        ph_error err = {0};
        int worst = 0;
        o.method = "bliedf", o.formulation = run[k].form, o.h = run[k].h;
        if (go(&b, &o, run[k].steps, &worst, &err) != PH_OK)
            fail_msg("%s: %s", run[k].file, err.text);
        assert_true(worst <= 4); /* ordering: increments that no longer fall are seen at once */
        take_down(&b);
    }
}

/* Rows that are left out become poor as the base turns: KLU says so, and others are chosen. */
static void loop_with_klu(void **state)
{
    (void)state;
    built b = build(PH_TEST_DIR "/models/spinning_loop.lua", NULL);
    ph_options o = b.m->run.opt;
    ph_error err = {0};
    int worst = 0;
    o.solver = PH_KLU, o.h = 2e-4;
    if (go(&b, &o, 1500, &worst, &err) != PH_OK)
        fail_msg("%s", err.text);
    assert_true(worst <= 6);
    take_down(&b);
}

static const char pendulum[] =
    "model 'two rods'\n"
    "gravity {0, 0, -9.81}\n"
    "body { name = 'upper', mass = 1, inertia = {0.1, 0.1, 0.01}, position = {0.5, 0, 0} }\n"
    "body { name = 'lower', mass = 1, inertia = {0.1, 0.1, 0.01}, position = {1.5, 0, 0} }\n"
    "joint { name = 'a', type = 'revolute', bodies = {'ground', 'upper'}, at = {0, 0, 0}, axis = {0, 1, 0} "
    "}\n"
    "joint { name = 'b', type = 'revolute', bodies = {'upper', 'lower'}, at = {1, 0, 0}, axis = {0, 1, 0} }\n"
    "force { body = 'upper', value = {0, 0, 1e99} }\n"
    "run { t_end = 1, h = 1e-3, formulation = 'ggl' }\n";

static void force_beyond_sense(void **state)
{
    (void)state;
    built b = build(NULL, pendulum);
    ph_error err = {0};
    int worst = 0;
    assert_int_not_equal(go(&b, &b.m->run.opt, 10, &worst, &err), PH_OK);
    assert_null(strstr(err.text, "mass"));
    take_down(&b);
}

/* sum_j |B_ij| s_j of a spherical joint: |x| and the lever. */
static void rows(void **state)
{
    (void)state;
    built b = build(NULL, pendulum);
    ph_layout lay;
    ph_arena a = {0};
    const ph_system *sys = ph_mechanism_system(b.mech);
    assert_int_equal(ph_layout_measure(&lay, sys, NULL), PH_OK);
    ph_layout_take(&lay, &a);
    assert_true(ph_arena_open(&a, NULL));
    ph_layout_take(&lay, &a);
    assert_int_equal(ph_layout_fill(&lay, NULL), PH_OK);
    double M[72] = {0}, q[16] = {0};
    for (int i = 0; i < lay.N; i++)
        for (int k = 0; k < lay.slot[i].dim; k++)
            M[lay.pair[lay.diag[i]].at + 4 * k] = lay.slot[i].rot ? 4 : 36;
    check_near(ph_size_bodies(&lay, M), 3, 1e-15); /* round-off */
    for (int i = 0; i < 72; i++)
        M[i] *= 1e-6;
    check_near(ph_size_bodies(&lay, M), 3, 1e-15); /* invariant: of grams as of tonnes */
    ph_size s = ph_size_positions(&lay, q, 2);
    assert_true(s.of[0] == 2 && s.of[1] == 1);              /* exact */
    assert_true(ph_size_over(s, (ph_size){{4, 4}}) == 0.5); /* exact */
    assert_true(isnan(ph_size_over((ph_size){{NAN, 0}}, s)));
    assert_true(ph_size_over((ph_size){{0, 0}}, (ph_size){{0, 0}}) == 0);
    assert_true(ph_size_ratio(2, (double[]){1, 0}, (double[]){4, 0}) == 0.25);
    ph_free(NULL, a.block);
    take_down(&b);
}

/* Sums of sizes by their definition, on dense matrices of random numbers. */
static void sums_by_definition(void **state)
{
    (void)state;
    ph_problem *p = ph_problem_create("chain", &(ph_problem_def){4, 0});
    ph_skeleton *skeleton;
    ph_error err = {0};
    uint64_t seed = 31;
    assert_non_null(p);
    assert_int_equal(ph_skeleton_create(&skeleton, &p->sys, NULL, &err), PH_OK);
    const ph_layout *lay = &skeleton->lay;
    enum { MOST = 64 };
    double A[MOST * MOST], B[MOST * MOST], pairs[MOST][MOST] = {{0}}, links[MOST][MOST] = {{0}}, lambda[MOST];
    double s[MOST], f[MOST], rows[MOST], expected[MOST];
    const ph_size size = {{3, 0.25}};
    assert_true(lay->nv <= MOST && lay->nl <= MOST && lay->size_pairs <= MOST * MOST &&
                lay->size_links <= MOST * MOST);
    for (int k = 0; k < lay->size_pairs; k++)
        A[k] = rnd(&seed);
    for (int k = 0; k < lay->size_links; k++)
        B[k] = rnd(&seed);
    for (int k = 0; k < lay->nl; k++)
        lambda[k] = rnd(&seed);
    for (int i = 0; i < lay->N; i++)
        for (int j = 0; j < lay->slot[i].dim; j++)
            s[lay->slot[i].v_at + j] = size.of[j >= lay->slot[i].rot];
    for (int e = 0; e < lay->n_pairs + lay->n_links; e++) {
        const ph_block *b = e < lay->n_pairs ? &lay->pair[e] : &lay->link[e - lay->n_pairs];
        for (int k = 0; k < b->m * b->n; k++)
            (e < lay->n_pairs ? pairs : links)[b->row_at + k / b->n][b->col_at + k % b->n] =
                (e < lay->n_pairs ? A : B)[b->at + k];
    }
    ph_size_rows(lay, B, size, rows);
    for (int c = 0; c < lay->C; c++) {
        double most = 0;
        for (int i = lay->l_at[c]; i < lay->l_at[c] + lay->rows[c]; i++) {
            double sum = 0;
            for (int j = 0; j < lay->nv; j++)
                sum += fabs(links[i][j]) * s[j];
            most = fmax(most, sum);
        }
        for (int i = lay->l_at[c]; i < lay->l_at[c] + lay->rows[c]; i++)
            check_near(rows[i], most, 1e-14); /* round-off */
    }
    for (int i = 0; i < lay->nv; i++) {
        f[i] = expected[i] = 0.5 * i;
        for (int j = 0; j < lay->nv; j++)
            expected[i] += fabs(pairs[i][j]) * s[j];
        for (int j = 0; j < lay->nl; j++)
            expected[i] += fabs(links[j][i] * lambda[j]);
    }
    ph_size_add_pairs(lay, A, size, f);
    ph_size_add_reactions(lay, B, lambda, f);
    check_le(max_diff(f, expected, lay->nv), 1e-13); /* round-off */
    ph_skeleton_release(skeleton);
    ph_problem_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tiny_steps), cmocka_unit_test(loop_with_klu),
                                       cmocka_unit_test(force_beyond_sense), cmocka_unit_test(rows),
                                       cmocka_unit_test(sums_by_definition)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
