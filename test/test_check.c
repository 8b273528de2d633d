/* The checker: right tangents pass, and one wrong entry is named with its place and its values. */
#include "sim_cases.h"

/* A point off every manifold. */
typedef struct point {
    double t, *q, *v, *vdot, *lambda;
} point;

static double *numbers(int n)
{
    double *x = calloc((size_t)n + 1, sizeof(double));
    assert_non_null(x);
    return x;
}

static point scatter(const ph_problem *p, uint64_t seed)
{
    const ph_system *sys = &p->sys;
    int nq = ph_system_nq(sys), nv = ph_system_nv(sys), nl = ph_system_nl(sys), q_at = 0, v_at = 0;
    point x = {0.7, numbers(nq), numbers(nv), numbers(nv), numbers(nl)};
    for (int i = 0; i < sys->n_nodes; i++) {
        const ph_node *node = &sys->nodes[i];
        const ph_group_ops *op = ph_group_get(node->group);
        double dq[PH_DIM_MAX], e[PH_DIM_MAX + 1];
        for (int k = 0; k < node_dim(sys, i); k++)
            dq[k] = rnd(&seed);
        op->exp(node->n, dq, e);
        op->compose(node->n, p->q0 + q_at, e, x.q + q_at);
        q_at += ph_group_size(node->group, node->n), v_at += node_dim(sys, i);
    }
    assert_int_equal(v_at, nv);
    for (int i = 0; i < nv; i++)
        x.v[i] = p->v0[i] + 2 * rnd(&seed), x.vdot[i] = 3 * rnd(&seed);
    for (int i = 0; i < nl; i++)
        x.lambda[i] = 5 * rnd(&seed);
    return x;
}

static void point_free(point *x)
{
    free(x->q), free(x->v), free(x->vdot), free(x->lambda);
}

static ph_check check_system(const ph_system *sys, const point *x)
{
    ph_check worst;
    ph_error err = {0};
    if (ph_system_check(sys, x->t, x->q, x->v, x->vdot, x->lambda, &worst, &err) != PH_OK)
        fail_msg("%s: %s", sys->name, err.text);
    return worst;
}

static void right_tangents_pass(void **state)
{
    (void)state;
    for (int k = 0; ph_problem_name(k); k++)
        for (uint64_t seed = 1; seed < 4; seed++) {
            ph_problem *p = small_problem(k);
            point x = scatter(p, seed);
            ph_check worst = check_system(&p->sys, &x);
            check_le(worst.error, 1e-6); /* derivative: central, step 6e-6, forces of 1e4 */
            assert_true(worst.row >= 0);
            point_free(&x);
            ph_problem_destroy(p);
        }
}

/* Where an entry of a derivative stands: its place in the list and its entry of the block. */
static ph_check place_of(const ph_system *sys, callback k, int entry, int *largest_at, int *block)
{
    ph_check c = {.what = callback_name[k], .col = -1};
    int links = k == IN_B || k == IN_Z || k == IN_g_lambda, at = 0, m = 0, n = 1;
    if (k == IN_Phi_t || k == IN_convective) {
        for (; at + (m = sys->constraints[c.row].rows) <= entry; c.row++)
            at += m;
    } else {
        for (int e = 0;; e++, at += m * n) {
            ph_place p = place_at(sys, links, e, &m, &n);
            c.row = p.row, c.col = p.col;
            if (entry < at + m * n)
                break;
        }
        if (k == IN_g_lambda)
            n = m; /* blocks of the shape of B^T */
    }
    c.i = (entry - at) / n, c.j = (entry - at) % n;
    *largest_at = at, *block = m * n;
    return c;
}

/* Zeros that PH_UPPER announces are not read. */
static int checked(const ph_system *sys, callback k, const ph_check *at)
{
    int upper = (k == IN_C || k == IN_K) && sys->pair_has && at->row == at->col && at->i >= 3 && at->j < 3;
    for (int e = 0; upper && e < sys->n_pairs; e++)
        if (sys->pairs[e].row == at->row && sys->pairs[e].col == at->col && sys->pair_has[e] & PH_UPPER)
            return 0;
    return !((k == IN_B || k == IN_Phi_t) && sys->constraints[at->row].nonholonomic);
}

/* Spoil one entry of one derivative: that entry is named, with both values. */
static void check_named(const ph_problem *p, callback k, uint64_t *seed)
{
    point x = scatter(p, 7);
    wrap w;
    int at, count;
    wrap_open(&w, &p->sys);
    int entry = (int)((rnd(seed) + 1) / 2 * w.size[k]);
    ph_check expected = place_of(&p->sys, k, entry, &at, &count);
    if (checked(&p->sys, k, &expected)) {
        check_system(&w.sys, &x); /* fills w.out with the values of the last point */
        w.damage = ADD, w.victim = k, w.entry = entry;
        w.amount = 0.01 * size_of(w.out[k] + at, count);
        ph_check got = check_system(&w.sys, &x);
        if (strcmp(got.what, expected.what) || got.row != expected.row || got.col != expected.col ||
            got.i != expected.i || got.j != expected.j)
            fail_msg("%s: %s(%d, %d)[%d, %d] is spoilt, but %s(%d, %d)[%d, %d] named", p->name, expected.what,
                     expected.row, expected.col, expected.i, expected.j, got.what, got.row, got.col, got.i,
                     got.j);
        /* derivative: of the size of the error that was put in */
        check_near(got.given - got.differenced, w.amount, 1e-3 * w.amount);
        check_near(got.error, 0.01, 1e-3);
    }
    point_free(&x);
    wrap_close(&w);
}

static void wrong_entry_is_named(void **state)
{
    (void)state;
    static const callback given[] = {IN_B, IN_C, IN_K, IN_Z, IN_g_lambda, IN_Phi_t, IN_convective};
    uint64_t seed = 42;
    int tried[IN_COUNT] = {0};
    for (int k = 0; ph_problem_name(k); k++)
        for (int i = 0; i < 7; i++)
            for (int trial = 0; trial < 5; trial++) {
                ph_problem *p = small_problem(k);
                if (inner_callback(&p->sys, given[i]) &&
                    (given[i] == IN_C || given[i] == IN_K || p->sys.n_constraints))
                    check_named(p, given[i], &seed), tried[given[i]]++;
                ph_problem_destroy(p);
            }
    for (int i = 0; i < 7; i++)
        assert_true(tried[given[i]] >= 5);
}

static void checker_refuses(void **state)
{
    (void)state;
    ph_problem *p = problem_named("friction");
    point x = scatter(p, 3);
    ph_check worst;
    ph_error err = {0};
    wrap w;
    wrap_open(&w, &p->sys);
    w.damage = REFUSE;
    for (int k = 0; k < IN_COUNT; k++) {
        w.victim = (callback)k;
        if (!inner_callback(&w.sys, (callback)k))
            continue;
        assert_int_equal(ph_system_check(&w.sys, x.t, x.q, x.v, x.vdot, x.lambda, &worst, &err),
                         PH_E_CALLBACK);
        assert_non_null(strstr(err.text, callback_name[k]));
    }
    w.damage = NOT_A_NUMBER, w.victim = IN_K, w.entry = 1;
    worst = check_system(&w.sys, &x);
    assert_true(isnan(worst.error) && !strcmp(worst.what, "K") && worst.i == 0 && worst.j == 1);
    w.sys.n_nodes = 0;
    assert_int_equal(ph_system_check(&w.sys, x.t, x.q, x.v, x.vdot, x.lambda, &worst, &err), PH_E_INPUT);
    ph_system bare = p->sys;
    without_tangents(&bare);
    worst = check_system(&bare, &x);
    assert_string_equal(worst.what, "B"); /* the only derivative that is always given */
    bare.n_constraints = 0, bare.flags = PH_MASS_CONSTANT;
    worst = check_system(&bare, &x);
    assert_true(worst.error == 0 && worst.row == -1);
    point_free(&x);
    wrap_close(&w);
    ph_problem_destroy(p);
}

static ph_problem *small_chain(void)
{
    int k = 0;
    while (strcmp(ph_problem_name(k), "chain") != 0)
        k++;
    return small_problem(k);
}

/* What comes at once and agrees with what comes alone passes, one number off is named. */
static void check_at_once(const char *name, ph_tangents tangents, ph_positions positions)
{
    ph_problem *p = small_chain();
    point x = scatter(p, 4);
    wrap w;
    ph_error err = {0};
    wrap_open(&w, &p->sys);
    ph_check worst = check_system(&w.sys, &x), other;
    w.sys.tangents = tangents, w.sys.positions = positions;
    other = check_system(&w.sys, &x);
    assert_true(other.error == worst.error); /* exact */
    w.damage = ADD, w.victim = IN_COUNT, w.amount = 0.5;
    worst = check_system(&w.sys, &x);
    assert_string_equal(worst.what, name);
    assert_true(worst.row == 0 && worst.col == -1 && worst.i == 0);
    check_near(worst.given - worst.differenced, 0.5, 1e-12); /* round-off */
    w.damage = REFUSE;
    assert_int_equal(ph_system_check(&w.sys, x.t, x.q, x.v, x.vdot, x.lambda, &worst, &err), PH_E_CALLBACK);
    assert_non_null(strstr(err.text, name));
    point_free(&x);
    wrap_close(&w);
    ph_problem_destroy(p);
}

static void what_comes_at_once_is_checked(void **state)
{
    (void)state;
    check_at_once("tangents", wrap_tangents, NULL);
    check_at_once("positions", NULL, wrap_positions);
}

/* Products that agree with the blocks pass, one number off is named. */
static void products_are_checked(void **state)
{
    (void)state;
    ph_problem *p = small_chain();
    point x = scatter(p, 4);
    wrap w;
    ph_error err = {0};
    wrap_open(&w, &p->sys);
    ph_check worst = check_system(&w.sys, &x), other;
    w.sys.products = wrap_products;
    other = check_system(&w.sys, &x);
    assert_true(other.error == worst.error); /* exact */
    w.damage = ADD, w.victim = IN_COUNT, w.amount = 0.5;
    worst = check_system(&w.sys, &x);
    assert_string_equal(worst.what, "products");
    assert_true(worst.row == 0 && worst.col == -1 && worst.i == 0);
    check_near(worst.given - worst.differenced, 0.5, 1e-12); /* round-off */
    w.damage = REFUSE;
    assert_int_equal(ph_system_check(&w.sys, x.t, x.q, x.v, x.vdot, x.lambda, &worst, &err), PH_E_CALLBACK);
    assert_non_null(strstr(err.text, "products"));
    point_free(&x);
    wrap_close(&w);
    ph_problem_destroy(p);
}

/* A body on SE(3) with a torque that depends on its position. */
static ph_status unit_mass(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)ctx;
    for (int k = 0; k < 6; k++)
        out[7 * k] = 1;
    return PH_OK;
}

static ph_status torque_of_place(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    out[3] = 2 * s->q[0];
    return PH_OK;
}

static ph_status slope_of_torque(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    ph_mat3 R = ph_state_R(s, 0);
    ph_store3(out + 18, ph_scale(2, ph_v3(R.xx, R.xy, R.xz)));
    return PH_OK;
}

/* A node that is called upper and is not. */
static void false_zeros_are_found(void **state)
{
    (void)state;
    const ph_node node = {PH_SE3, 0, "body"};
    const ph_place place = {0, 0};
    const unsigned char has[2] = {PH_HAS_M | PH_HAS_C, PH_HAS_M | PH_HAS_C | PH_UPPER};
    const double q[7] = {0.3, -0.2, 0.5, 0.5, 0.5, -0.5, 0.5}, v[6] = {0};
    for (int k = 0; k < 2; k++) {
        ph_system sys = {.name = "torque",
                         .n_nodes = 1,
                         .nodes = &node,
                         .n_pairs = 1,
                         .pairs = &place,
                         .pair_has = &has[k],
                         .M = unit_mass,
                         .g = torque_of_place,
                         .K = slope_of_torque};
        ph_check worst;
        assert_int_equal(ph_system_check(&sys, 0, q, v, v, NULL, &worst, NULL), PH_OK);
        assert_true(k ? worst.error > 0.9 && !strcmp(worst.what, "K") && worst.i == 3 && worst.j < 3
                      : worst.error < 1e-8); /* derivative */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_tangents_pass),
        cmocka_unit_test(wrong_entry_is_named),
        cmocka_unit_test(checker_refuses),
        cmocka_unit_test(products_are_checked),
        cmocka_unit_test(what_comes_at_once_is_checked),
        cmocka_unit_test(false_zeros_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
