/* The seam: differenced tangents, colours, patterns, kinds of nodes and constraints. */
#include "sim_cases.h"
#include "step/pattern.h"

static const ph_formulation forms[] = {PH_INDEX3, PH_INDEX2, PH_GGL};

#define FORMS 3

static double *numbers(int n)
{
    double *x = calloc((size_t)n + 1, sizeof(double));
    assert_non_null(x);
    return x;
}

/* ---- differenced tangents ----------------------------------------------------------------------- */

static void take_log(const char *text, void *ctx)
{
    char *all = ctx;
    snprintf(all + strlen(all), 2000 - strlen(all), "%s\n", text);
}

static int occurrences(const char *text, const char *part)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        n++;
    return n;
}

static void check_log(const char *log, const ph_system *sys, ph_formulation f)
{
    int constrained = sys->n_constraints > 0, mixed = 0;
    for (int c = 0; c < sys->n_constraints; c++)
        mixed |= sys->constraints[c].nonholonomic;
    const struct {
        const char *line;
        int expected;
    } row[] = {{"C = dg/dv is not given", 1},
               {"K = d(M vdot + g + B^T lambda)/dq is not given", 1},
               {"Z = d(B v + Phi_t)/dq is not given", constrained && (f != PH_INDEX3 || mixed)},
               {"the convective term of the constraints is not given", constrained},
               {"Phi_t is not given", (sys->flags & PH_RHEONOMIC) != 0},
               {"g_lambda = dg/dlambda is not given", (sys->flags & PH_FORCE_LAMBDA) != 0}};
    int lines = 0;
    for (int k = 0; k < 6; k++) {
        assert_int_equal(occurrences(log, row[k].line), row[k].expected);
        lines += row[k].expected;
    }
    assert_int_equal(occurrences(log, "\n"), lines);
}

/* Without tangents: the same motion in as many iterations, and the log says once what is missing. */
static void differences_do(void **state)
{
    (void)state;
    for (int k = 0; ph_problem_name(k); k++)
        for (int f = 0; f < FORMS; f++) {
            ph_problem *p = small_problem(k);
            ph_options o = options_for(p, forms[f]);
            char log[2000] = "";
            o.newton = PH_FULL; /* iterations are counted */
            o.log = take_log, o.log_ctx = log;
            ph_sim *a = sim_of(&p->sys, &o, p->q0, p->v0);
            assert_string_equal(log, "");
            ph_system bare = p->sys;
            without_tangents(&bare);
            ph_sim *b = sim_of(&bare, &o, p->q0, p->v0);
            check_log(log, &bare, forms[f]);
            run_sim(a, 25), run_sim(b, 25);
            check_log(log, &bare, forms[f]);
            snapshot x = snap(a, &p->sys), y = snap(b, &bare);
            check_le(distance(&y, &x), 1e-7); /* derivative: of vdot_0 and vddot_0, then Newton's tolerance */
            assert_true(ph_sim_stats(a).iterations <= 25 * 2 && ph_sim_stats(b).iterations <= 25 * 2);
            free(x.x), free(y.x);
            ph_sim_destroy(a), ph_sim_destroy(b);
            ph_problem_destroy(p);
        }
}

/* Calls of g for each iteration of a chain without tangents. */
static double calls_per_iteration(int bodies)
{
    ph_problem *p = ph_problem_create("chain", &(ph_problem_def){bodies, 0});
    assert_non_null(p);
    ph_options o = options_for(p, PH_GGL);
    wrap w;
    wrap_open(&w, &p->sys);
    without_tangents(&w.sys);
    ph_sim *sim = sim_of(&w.sys, &o, p->q0, p->v0);
    memset(w.calls, 0, sizeof w.calls);
    run_sim(sim, 3);
    double n = (double)w.calls[IN_g] / (double)ph_sim_stats(sim).iterations;
    ph_sim_destroy(sim);
    wrap_close(&w);
    ph_problem_destroy(p);
    return n;
}

static void colours_do_not_grow(void **state)
{
    (void)state;
    double few = calls_per_iteration(10), many = calls_per_iteration(50);
    assert_true(few == many);
    /* 1 for the residual; by q and by v, both sides, 3 coordinates, at most 6 colours: bodies in a row of
     * three */
    assert_true(many > 1 && many <= 1 + 2 * 2 * 3 * 6);
}

static void check_colours(int rows, int cols, int count, uint64_t *seed)
{
    int *row = calloc((size_t)count + 1, sizeof(int)), *col = calloc((size_t)count + 1, sizeof(int));
    int *colour = calloc((size_t)cols + 1, sizeof(int));
    size_t need = ph_colour_scratch(rows, cols, count);
    int *scratch = calloc(need + 1, sizeof(int));
    assert_true(row && col && colour && scratch);
    for (int k = 0; k < count; k++) {
        row[k] = (int)((rnd(seed) + 1) / 2 * rows);
        col[k] = (int)((rnd(seed) + 1) / 2 * cols);
    }
    scratch[need] = 12345;
    int colours = ph_colour(rows, cols, count, row, col, colour, scratch), most = 0;
    assert_int_equal(scratch[need], 12345);
    for (int c = 0; c < cols; c++)
        assert_true(colour[c] >= 0 && colour[c] < colours);
    for (int k = 0; k < count; k++)
        for (int l = 0; l < k; l++)
            if (row[k] == row[l] && col[k] != col[l])
                assert_true(colour[col[k]] != colour[col[l]]);
    for (int r = 0; r < rows; r++) { /* no fewer than the fullest row has columns */
        int in_row = 0;
        for (int c = 0; c < cols; c++) {
            int there = 0;
            for (int k = 0; k < count; k++)
                there |= row[k] == r && col[k] == c;
            in_row += there;
        }
        most = in_row > most ? in_row : most;
    }
    assert_true(colours >= most);
    free(row), free(col), free(colour), free(scratch);
}

static void colours_are_valid(void **state)
{
    (void)state;
    uint64_t seed = 99;
    for (int trial = 0; trial < 200; trial++) {
        int rows = 1 + (int)((rnd(&seed) + 1) * 6), cols = 1 + (int)((rnd(&seed) + 1) * 10);
        check_colours(rows, cols, (int)((rnd(&seed) + 1) * 20), &seed);
    }
    check_colours(1, 40, 200, &seed);
    check_colours(40, 1, 200, &seed);
}

/* ---- patterns ----------------------------------------------------------------------------------- */

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
    w->sys.pairs = w->sys.links = NULL, w->sys.n_pairs = w->sys.n_links = 0, w->sys.ctx = w;
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

/* ---- kinds of nodes ----------------------------------------------------------------------------- */

#define DOF 10

/* Ten coupled oscillators, q and the rows of one linear constraint cut into nodes and constraints at will. */
typedef struct cut {
    ph_system sys;
    ph_node nodes[3];
    ph_constraint constraints[5];
    double M[DOF][DOF], D[DOF][DOF], S[DOF][DOF], B[5][DOF];
} cut;

static ph_status cut_matrix(const ph_state *s, const cut *c, double (*A)[DOF], double *out)
{
    for (int i = 0; i < c->sys.n_nodes; i++)
        for (int j = 0; j < c->sys.n_nodes; j++)
            for (int k = 0; k < c->nodes[i].n; k++)
                for (int l = 0; l < c->nodes[j].n; l++)
                    *out++ = A[s->v_at[i] + k][s->v_at[j] + l];
    return PH_OK;
}

static ph_status cut_M(const ph_state *s, double *out, void *ctx)
{
    cut *c = ctx;
    return cut_matrix(s, c, c->M, out);
}

static ph_status cut_C(const ph_state *s, double *out, void *ctx)
{
    cut *c = ctx;
    return cut_matrix(s, c, c->D, out);
}

static ph_status cut_K(const ph_state *s, double *out, void *ctx)
{
    cut *c = ctx;
    return cut_matrix(s, c, c->S, out);
}

static ph_status cut_g(const ph_state *s, double *out, void *ctx)
{
    const cut *c = ctx;
    for (int i = 0; i < DOF; i++) {
        out[i] = 0;
        for (int j = 0; j < DOF; j++)
            out[i] += c->D[i][j] * s->v[j] + c->S[i][j] * s->q[j];
    }
    return PH_OK;
}

static ph_status cut_Phi(const ph_state *s, double *out, void *ctx)
{
    const cut *c = ctx;
    for (int i = 0; i < 5; i++) {
        out[i] = 0;
        for (int j = 0; j < DOF; j++)
            out[i] += c->B[i][j] * s->q[j];
    }
    return PH_OK;
}

static ph_status cut_B(const ph_state *s, double *out, void *ctx)
{
    const cut *c = ctx;
    for (int r = 0; r < c->sys.n_constraints; r++)
        for (int i = 0; i < c->sys.n_nodes; i++)
            for (int k = 0; k < c->constraints[r].rows; k++)
                for (int l = 0; l < c->nodes[i].n; l++)
                    *out++ = c->B[s->l_at[r] + k][s->v_at[i] + l];
    return PH_OK;
}

/* nodes and constraints: sizes, 0 at the end */
static void cut_open(cut *c, const int *nodes, const int *constraints)
{
    uint64_t seed = 5;
    *c = (cut){.sys = {.name = "oscillators", .flags = PH_MASS_CONSTANT, .ctx = c}};
    for (int i = 0; i < DOF; i++)
        for (int j = 0; j <= i; j++) {
            c->M[i][j] = c->M[j][i] = i == j ? 2 : 0.1 * rnd(&seed);
            c->S[i][j] = c->S[j][i] = i == j ? 50 : 5 * rnd(&seed);
            c->D[i][j] = 0.3 * rnd(&seed);
        }
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < DOF; j++)
            c->B[i][j] = rnd(&seed);
    for (; nodes[c->sys.n_nodes]; c->sys.n_nodes++)
        c->nodes[c->sys.n_nodes] = (ph_node){PH_RN, nodes[c->sys.n_nodes], NULL};
    for (; constraints[c->sys.n_constraints]; c->sys.n_constraints++)
        c->constraints[c->sys.n_constraints] = (ph_constraint){constraints[c->sys.n_constraints], 0, NULL};
    c->sys.nodes = c->nodes, c->sys.constraints = c->constraints;
    c->sys.M = cut_M, c->sys.g = cut_g, c->sys.C = cut_C, c->sys.K = cut_K, c->sys.B = cut_B,
    c->sys.Phi = cut_Phi;
}

/* Nodes of 1, 2 and 7 coordinates and one of 10; one constraint of five rows and five of one. */
static void odd_sizes_agree(void **state)
{
    (void)state;
    static const int nodes[][4] = {{10, 0}, {1, 2, 7, 0}, {7, 1, 2, 0}},
                     rows[][6] = {{5, 0}, {1, 1, 1, 1, 1, 0}, {2, 3, 0}};
    for (int f = 0; f < FORMS; f++)
        for (int differenced = 0; differenced < 2; differenced++) {
            ph_options o = ph_default_options();
            double q0[DOF] = {0}, v0[DOF] = {0};
            snapshot first = {0};
            v0[0] = 1, v0[3] = -2, v0[8] = 0.5;
            o.h = 0.01, o.formulation = forms[f], o.project = 1;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    cut c;
                    cut_open(&c, nodes[i], rows[j]);
                    if (differenced)
                        c.sys.C = c.sys.K = NULL;
                    ph_sim *sim = sim_of(&c.sys, &o, q0, v0);
                    run_sim(sim, 50);
                    snapshot x = snap(sim, &c.sys);
                    if (i || j) {
                        check_le(distance(&x, &first), differenced ? 1e-8 : 1e-9); /* derivative, round-off */
                        free(x.x);
                    } else
                        first = x;
                    ph_sim_destroy(sim);
                }
            free(first.x);
        }
}

/* One node R^3 x SO(3) and two nodes R^3, SO(3) are the same group, so the same steps. */
static void one_node_or_two(void **state)
{
    (void)state;
    static const double sigma[] = {0, 1, PH_SIGMA_OPT, 0.4};
    for (int i = 0; i < 4; i++)
        for (int f = 0; f < FORMS; f++) {
            ph_problem *p = problem_named("heavy_top"), *p1 = problem_named("heavy_top_r3xso3");
            ph_options o = options_for(p, forms[f]);
            o.sigma = sigma[i];
            ph_sim *a = sim_of(&p->sys, &o, p->q0, p->v0), *b = sim_of(&p1->sys, &o, p1->q0, p1->v0);
            run_sim(a, 50), run_sim(b, 50);
            snapshot x = snap(a, &p->sys), y = snap(b, &p1->sys);
            /* round-off: lambda of index-3 as in test_newton, over |lambda| = 500 */
            check_le(max_diff(snap_q(&x), snap_q(&y), 7), 1e-12);
            check_le(max_diff(snap_v(&x), snap_v(&y), 6), 1e-9);
            check_le(distance(&x, &y), 1e-8);
            free(x.x), free(y.x);
            ph_sim_destroy(a), ph_sim_destroy(b);
            ph_problem_destroy(p), ph_problem_destroy(p1);
        }
}

/* ---- kinds of constraints and forces ------------------------------------------------------------ */

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
        cmocka_unit_test(differences_do),    cmocka_unit_test(colours_do_not_grow),
        cmocka_unit_test(colours_are_valid), cmocka_unit_test(dense_pattern_agrees),
        cmocka_unit_test(odd_sizes_agree),   cmocka_unit_test(one_node_or_two),
        cmocka_unit_test(kinds_converge),    cmocka_unit_test(rheonomic_follows),
        cmocka_unit_test(late_drive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
