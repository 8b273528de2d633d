/* The seam: differenced tangents, colours, patterns, kinds of nodes and constraints. */
#include "forms.h"
#include "sim_cases.h"

static double *numbers(int n)
{
    double *x = calloc((size_t)n + 1, sizeof(double));
    assert_non_null(x);
    return x;
}

/* A system with lists, told without them: the same blocks among zeros. */
typedef struct spread {
    ph_system sys;
    const ph_system *inner;
    double *out[IN_COUNT];
} spread;

static int dense_offset(const ph_system *sys, int links, ph_place p)
{
    int at = 0, rows = links ? sys->n_constraints : sys->n_nodes;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < sys->n_nodes; c++) {
            if (r == p.row && c == p.col)
                return at;
            at += (links ? sys->constraints[r].rows : node_dim(sys, r)) * node_dim(sys, c);
        }
    return -1;
}

static ph_status spread_call(spread *w, callback k, const ph_state *s, double *out)
{
    int links = k == IN_B || k == IN_Z || k == IN_g_lambda, m, n;
    const double *from = w->out[k];
    ph_status status = inner_callback(w->inner, k)(s, w->out[k], w->inner->ctx);
    for (int e = 0; e < place_count(w->inner, links); e++) {
        ph_place p = place_at(w->inner, links, e, &m, &n);
        memcpy(out + dense_offset(w->inner, links, p), from, sizeof(double) * (size_t)(m * n));
        from += m * n;
    }
    return status;
}

#define SPREAD(X) X(M) X(B) X(C) X(K) X(Z) X(g_lambda)
#define ROW(name)                                                                                            \
    static ph_status spread_##name(const ph_state *s, double *out, void *ctx)                                \
    {                                                                                                        \
        return spread_call(ctx, IN_##name, s, out);                                                          \
    }

SPREAD(ROW)

#undef ROW

#define THROUGH(X) X(g) X(Phi) X(Phi_t) X(convective)
#define ROW(name)                                                                                            \
    static ph_status through_##name(const ph_state *s, double *out, void *ctx)                               \
    {                                                                                                        \
        const spread *w = ctx;                                                                               \
        return w->inner->name(s, out, w->inner->ctx);                                                        \
    }

THROUGH(ROW)

#undef ROW

static void spread_open(spread *w, const ph_system *inner)
{
    *w = (spread){.sys = *inner, .inner = inner};
    w->sys.pairs = w->sys.links = NULL, w->sys.n_pairs = w->sys.n_links = 0, w->sys.ctx = w,
    w->sys.products = NULL;
    for (int k = 0; k < IN_COUNT; k++)
        w->out[k] = numbers(doubles_of(inner, 0) + doubles_of(inner, 1));
#define ROW(name) w->sys.name = inner->name ? spread_##name : NULL;
    SPREAD(ROW)
#undef ROW
#define ROW(name) w->sys.name = inner->name ? through_##name : NULL;
    THROUGH(ROW)
#undef ROW
}

static void dense_pattern_agrees(void **state)
{
    (void)state;
    for (int k = 0; ph_problem_name(k); k++)
        for (int f = 0; f < FORMS; f++)
            for (int bare = 0; bare < 2; bare++) {
                ph_problem *p = small_problem(k);
                ph_options o = options_for(p, forms[f]);
                spread w;
                spread_open(&w, &p->sys);
                if (bare)
                    without_tangents(&w.sys);
                ph_sim *a = sim_of(&p->sys, &o, p->q0, p->v0), *b = sim_of(&w.sys, &o, p->q0, p->v0);
                run_sim(a, 10), run_sim(b, 10);
                snapshot x = snap(a, &p->sys), y = snap(b, &w.sys);
                /* round-off, grown by index-3 (test_sim); derivative */
                check_le(distance(&y, &x), bare ? 1e-7 : 1e-8);
                free(x.x), free(y.x);
                ph_sim_destroy(a), ph_sim_destroy(b);
                for (int i = 0; i < IN_COUNT; i++)
                    free(w.out[i]);
                ph_problem_destroy(p);
            }
}

/* The largest error of q, v and lambda at t_end with step h. */
static double error_at_end(ph_problem *p, const ph_options *base, double h, double t_end)
{
    ph_options o = *base;
    double q[8], v[6], vdot[6], lambda[3];
    o.h = h;
    ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
    run_sim(sim, lround(t_end / h));
    ph_state s = ph_sim_state(sim);
    assert_true(p->exact(p, s.t, q, v, vdot, lambda));
    double e = max_diff(q, s.q, ph_system_nq(&p->sys));
    e = fmax(e, max_diff(v, s.v, ph_system_nv(&p->sys)));
    e = fmax(e, max_diff(lambda, s.lambda, ph_system_nl(&p->sys)));
    ph_sim_destroy(sim);
    return e;
}

/* Non-holonomic rows, friction that depends on lambda, moving constraints, SE(3): second order in every form,
 * with tangents and without. */
static void kinds_converge(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double h, t_end;
    } row[] = {
        {"skate", 0.02, 1}, {"friction", 0.005, 1}, {"pendulum", 0.02, 1}, {"heavy_top_se3", 5e-4, 0.25}};
    for (int k = 0; k < 4; k++)
        for (int f = 0; f < FORMS; f++)
            for (int bare = 0; bare < 2; bare++) {
                ph_problem *p = problem_named(row[k].name);
                ph_options o = options_for(p, forms[f]);
                double e[3];
                if (bare)
                    without_tangents(&p->sys);
                for (int i = 0; i < 3; i++)
                    e[i] = error_at_end(p, &o, row[k].h / (1 << i), row[k].t_end);
                /* order: 2 +- 0.15 over two halvings */
                check_near(log2(e[0] / e[1]), 2, 0.15);
                check_near(log2(e[1] / e[2]), 2, 0.15);
                ph_problem_destroy(p);
            }
}

/* A point that has no freedom follows its constraint: q = t^3 in index-3 and stabilised form, qdot = 3 t^2 in
 * index-2 and stabilised form, to round-off; the rest converges. */
static void rheonomic_follows(void **state)
{
    (void)state;
    for (int f = 0; f < FORMS; f++)
        for (int bare = 0; bare < 2; bare++) {
            ph_problem *p = problem_named("rheonomic");
            ph_options o = options_for(p, forms[f]);
            if (bare)
                without_tangents(&p->sys);
            ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
            double position, velocity;
            run_sim(sim, 100);
            ph_state s = ph_sim_state(sim);
            if (forms[f] != PH_INDEX2)
                check_near(s.q[0], s.t * s.t * s.t, 1e-15); /* round-off */
            if (forms[f] != PH_INDEX3)
                check_near(s.v[0], 3 * s.t * s.t, bare ? 1e-9 : 1e-14); /* derivative, round-off */
            assert_int_equal(ph_sim_violation(sim, &position, &velocity), PH_OK);
            check_near(s.lambda[0], -6 * s.t, bare ? 1e-6 : 1e-8); /* derivative; round-off over h^2 */
            ph_sim_destroy(sim);
            ph_problem_destroy(p);
        }
}

/* Late in a run Phi_t is differenced as well as early: the step in t does not grow with t. */
typedef struct drive {
    double omega;
} drive;

static ph_status unit(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)ctx;
    out[0] = 1;
    return PH_OK;
}

static ph_status none(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)out, (void)ctx;
    return PH_OK;
}

static ph_status driven(const ph_state *s, double *out, void *ctx)
{
    const drive *d = ctx;
    out[0] = s->q[0] - sin(d->omega * s->t);
    return PH_OK;
}

static void late_drive(void **state)
{
    (void)state;
    static const ph_node node = {PH_RN, 1, "slide"};
    static const ph_constraint constraint = {1, 0, "drive"};
    drive d = {30};
    ph_system sys = {
        .name = "drive", .n_nodes = 1, .nodes = &node, .n_constraints = 1, .constraints = &constraint};
    sys.M = unit, sys.g = none, sys.Phi = driven, sys.B = unit, sys.flags = PH_RHEONOMIC | PH_MASS_CONSTANT;
    sys.ctx = &d;
    ph_options o = ph_default_options();
    o.h = 1e-3, o.formulation = PH_GGL;
    double t0 = 1000, q0 = sin(30 * t0), v0 = 30 * cos(30 * t0);
    ph_sim *sim;
    ph_error err = {0};
    ph_status s = ph_sim_create(&sim, &sys, &o, t0, &q0, &v0, &err);
    if (s != PH_OK)
        fail_msg("%s", err.text);
    run_sim(sim, 20);
    ph_state x = ph_sim_state(sim);
    check_near(x.v[0], 30 * cos(30 * x.t), 1e-9); /* derivative: five points, step 3e-5 */
    ph_sim_destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_pattern_agrees),
        cmocka_unit_test(kinds_converge),
        cmocka_unit_test(rheonomic_follows),
        cmocka_unit_test(late_drive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
