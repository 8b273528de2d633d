/* Constraints that repeat each other: the heavy top held twice at its tip, and a bead held by three rows of
 * rank two. */
#include "check.h"
#include "polhode/polhode.h"
#include "problem/problem.h"

/* ---- the heavy top with its pivot listed twice ---------------------------------------------------- */

typedef struct twice {
    ph_problem *p;
    ph_system sys;
    ph_constraint constraints[2];
    ph_place links[4];
} twice;

static ph_status twice_rows(ph_callback f, const ph_state *s, double *out, void *ctx, int n)
{
    const twice *t = ctx;
    ph_status status = f(s, out, t->p->sys.ctx);
    memcpy(out + n, out, sizeof(double) * (size_t)n);
    return status;
}

/* B^T lambda of the pair is that of the sum. */
static ph_status K(const ph_state *s, double *out, void *ctx)
{
    const twice *t = ctx;
    ph_state sum = *s;
    double lambda[3];
    for (int i = 0; i < 3; i++)
        lambda[i] = s->lambda[i] + s->lambda[3 + i];
    sum.lambda = lambda;
    return t->p->sys.K(&sum, out, t->p->sys.ctx);
}

#define FORWARD(name)                                                                                        \
    static ph_status name(const ph_state *s, double *out, void *ctx)                                         \
    {                                                                                                        \
        const twice *t = ctx;                                                                                \
        return t->p->sys.name(s, out, t->p->sys.ctx);                                                        \
    }
#define DOUBLE(name, n)                                                                                      \
    static ph_status name(const ph_state *s, double *out, void *ctx)                                         \
    {                                                                                                        \
        return twice_rows(((const twice *)ctx)->p->sys.name, s, out, ctx, n);                                \
    }

FORWARD(M)
FORWARD(g)
FORWARD(C)
DOUBLE(Phi, 3)
DOUBLE(B, 18)
DOUBLE(Z, 18)
DOUBLE(convective, 3)

static void setup(twice *t)
{
    t->p = ph_problem_create("heavy_top", NULL);
    assert_non_null(t->p);
    t->sys = t->p->sys;
    t->constraints[0] = t->constraints[1] = t->p->sys.constraints[0];
    for (int e = 0; e < 4; e++)
        t->links[e] = (ph_place){e / 2, t->p->sys.links ? t->p->sys.links[e % 2].col : e % 2};
    t->sys.n_constraints = 2, t->sys.constraints = t->constraints;
    t->sys.n_links = 4, t->sys.links = t->links;
    t->sys.M = M, t->sys.g = g, t->sys.C = C, t->sys.K = K;
    t->sys.Phi = Phi, t->sys.B = B, t->sys.Z = Z, t->sys.convective = convective;
    t->sys.n_redundant = 3, t->sys.ctx = t;
}

static ph_options options(int formulation, double sigma)
{
    ph_options o = ph_default_options();
    o.h = 1e-3, o.formulation = (ph_formulation)formulation, o.sigma = sigma;
    return o;
}

/* The motion is that of the single pivot, the reaction is shared equally, and the constraints hold. (R1) */
static void held_twice(void **state)
{
    (void)state;
    for (int f = PH_INDEX3; f <= PH_GGL; f += PH_GGL - PH_INDEX3)
        for (int sigma = 0; sigma < 2; sigma++) {
            twice t;
            ph_sim *one, *two;
            ph_error err;
            setup(&t);
            ph_options o = options(f, sigma);
            assert_int_equal(ph_sim_create(&one, &t.p->sys, &o, 0, t.p->q0, t.p->v0, &err), PH_OK);
            assert_int_equal(ph_sim_create(&two, &t.sys, &o, 0, t.p->q0, t.p->v0, &err), PH_OK);
            double position = 0, velocity = 0;
            for (int k = 0; k < 200; k++) {
                assert_int_equal(ph_sim_step(one, &err), PH_OK);
                assert_int_equal(ph_sim_step(two, &err), PH_OK);
                double x, v;
                assert_int_equal(ph_sim_violation(two, &x, &v), PH_OK);
                position = fmax(position, x), velocity = fmax(velocity, v);
            }
            ph_state a = ph_sim_state(one), b = ph_sim_state(two);
            check_le(max_diff(a.q, b.q, 7), 1e-10); /* round-off, grown over 200 steps */
            check_le(max_diff(a.v, b.v, 6), 1e-8);  /* Newton's tolerance of accelerations, summed */
            for (int i = 0; i < 3; i++) {
                check_near(b.lambda[i], b.lambda[3 + i], 1e-9 * 500); /* round-off of the projection */
                check_near(b.lambda[i], a.lambda[i] / 2, 1e-4);       /* Newton's tolerance, in N of 500 */
            }
            check_le(position, 1e-12); /* invariant: round-off of q */
            if (f != PH_INDEX3)
                check_le(velocity, 1e-9); /* invariant: Newton's tolerance, times 150 rad/s */
            check_le((double)ph_sim_stats(two).iterations,
                     2.2 * 200); /* as fast as steps with two increments (N7) */
            ph_sim_destroy(one), ph_sim_destroy(two);
            ph_problem_destroy(t.p);
        }
}

/* The rank finds what is announced, and names the second pivot. */
static void rank_is_found(void **state)
{
    (void)state;
    twice t;
    int dependent[2];
    ph_error err;
    setup(&t);
    assert_int_equal(ph_system_rank(&t.sys, 0, t.p->q0, dependent, &err), PH_OK);
    assert_int_equal(dependent[0], 0);
    assert_int_equal(dependent[1], 3);
    ph_problem_destroy(t.p);
    for (int k = 0; ph_problem_name(k); k++) { /* none of the built-in problems has any */
        ph_problem *p = ph_problem_create(ph_problem_name(k), NULL);
        int *found = calloc((size_t)p->sys.n_constraints + 1, sizeof(int));
        assert_int_equal(ph_system_rank(&p->sys, 0, p->q0, found, &err), PH_OK);
        for (int c = 0; c < p->sys.n_constraints; c++)
            assert_int_equal(found[c], 0);
        free(found);
        ph_problem_destroy(p);
    }
}

/* Announcing too many or none is an error in words. */
static void announced_wrongly(void **state)
{
    (void)state;
    twice t;
    ph_sim *sim;
    ph_error err;
    setup(&t);
    ph_options o = options(PH_INDEX3, 1);
    t.sys.n_redundant = 0;
    assert_int_equal(ph_sim_create(&sim, &t.sys, &o, 0, t.p->q0, t.p->v0, &err), PH_E_SINGULAR);
    assert_non_null(strstr(err.text, "pivot"));
    t.sys.n_redundant = 4;
    assert_int_equal(ph_sim_create(&sim, &t.sys, &o, 0, t.p->q0, t.p->v0, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "4 redundant rows"));
    t.sys.n_redundant = 7;
    assert_int_equal(ph_sim_create(&sim, &t.sys, &o, 0, t.p->q0, t.p->v0, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "7 redundant rows of 6"));
    ph_problem_destroy(t.p);
}

/* ---- a bead with three rows of rank two ------------------------------------------------------------ */

/* Phi = (x, y, x + 2 y): z falls freely; N = (1, 2, -1)/sqrt(6). */
static ph_status bead_M(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)ctx;
    out[0] = out[4] = out[8] = 2;
    return PH_OK;
}

static ph_status bead_g(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)ctx;
    out[0] = 3, out[1] = -5, out[2] = 19.62;
    return PH_OK;
}

static ph_status bead_Phi(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    out[0] = s->q[0], out[1] = s->q[1], out[2] = s->q[0] + 2 * s->q[1];
    return PH_OK;
}

static ph_status bead_B(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)ctx;
    out[0] = 1, out[4] = 1, out[6] = 1, out[7] = 2;
    return PH_OK;
}

/* (R2), (R3) */
static void least_norm(void **state)
{
    (void)state;
    static const ph_node node = {.group = PH_RN, .n = 3};
    static const ph_constraint c = {.rows = 3};
    ph_system sys = {.n_nodes = 1, .nodes = &node, .n_constraints = 1, .constraints = &c, .n_redundant = 1};
    sys.M = bead_M, sys.g = bead_g, sys.Phi = bead_Phi, sys.B = bead_B;
    const double q0[3] = {0}, v0[3] = {0};
    int dependent;
    assert_int_equal(ph_system_rank(&sys, 0, q0, &dependent, NULL), PH_OK);
    assert_int_equal(dependent, 1);
    for (int f = PH_INDEX3; f <= PH_GGL; f += PH_GGL - PH_INDEX3) {
        ph_options o = options(f, 1);
        ph_sim *sim;
        ph_error err;
        assert_int_equal(ph_sim_create(&sim, &sys, &o, 0, q0, v0, &err), PH_OK);
        assert_int_equal(ph_sim_run(sim, 100, NULL, NULL, &err), PH_OK);
        ph_state s = ph_sim_state(sim);
        /* lambda_1 + lambda_3 = -3, lambda_2 + 2 lambda_3 = 5, N lambda = 0: lambda_3 = 7/6 */
        check_near(s.lambda[2], 7.0 / 6, 1e-10);      /* round-off of index-3, eps/h^2 */
        check_near(s.lambda[0], -3 - 7.0 / 6, 1e-10); /* round-off of index-3, eps/h^2 */
        check_near(s.lambda[1], 5 - 7.0 / 3, 1e-10);  /* round-off of index-3, eps/h^2 */
        check_near(s.q[2], -9.81 / 2 * 0.01, 1e-14);  /* round-off: quadratic motion is exact */
        ph_sim_destroy(sim);
    }
}

/* ---- a bead on a sphere, held by F = 0 and by (1 + 3 x^2) F = 0: a null space that moves ------------- */

static double F(const double *q)
{
    return (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - 1) / 2;
}

static ph_status sphere_g(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)ctx;
    out[2] = 2 * 9.81;
    return PH_OK;
}

/* The rows that the context has: both, or the first. */
static int both(void *ctx)
{
    return ((const ph_constraint *)ctx)->rows == 2;
}

static ph_status sphere_Phi(const ph_state *s, double *out, void *ctx)
{
    out[0] = F(s->q);
    if (both(ctx))
        out[1] = (1 + 3 * s->q[0] * s->q[0]) * F(s->q);
    return PH_OK;
}

static ph_status sphere_B(const ph_state *s, double *out, void *ctx)
{
    double w = 1 + 3 * s->q[0] * s->q[0];
    memcpy(out, s->q, sizeof(double) * 3);
    for (int i = 0; i < 3 && both(ctx); i++)
        out[3 + i] = w * s->q[i] + (i ? 0 : 6 * s->q[0] * F(s->q));
    return PH_OK;
}

static void moving_null_space(void **state)
{
    (void)state;
    static const ph_node node = {.group = PH_RN, .n = 3};
    ph_constraint two = {.rows = 2}, one = {.rows = 1};
    ph_system sys = {.n_nodes = 1, .nodes = &node, .n_constraints = 1, .constraints = &two, .n_redundant = 1};
    sys.M = bead_M, sys.g = sphere_g, sys.Phi = sphere_Phi, sys.B = sphere_B;
    ph_system single = sys;
    sys.ctx = &two, single.ctx = &one;
    single.constraints = &one, single.n_redundant = 0;
    const double q0[3] = {0.6, 0, -0.8}, v0[3] = {0.8, 1, 0.6};
    for (int f = PH_INDEX3; f <= PH_GGL; f += PH_GGL - PH_INDEX3)
        for (int newton = PH_FULL; newton <= PH_MODIFIED; newton++) {
            ph_options o = options(f, 1);
            ph_sim *a, *b;
            ph_error err;
            o.newton = (ph_newton)newton;
            assert_int_equal(ph_sim_create(&a, &single, &o, 0, q0, v0, &err), PH_OK);
            assert_int_equal(ph_sim_create(&b, &sys, &o, 0, q0, v0, &err), PH_OK);
            for (int k = 0; k < 300; k++) {
                assert_int_equal(ph_sim_step(a, &err), PH_OK);
                assert_int_equal(ph_sim_step(b, &err), PH_OK);
                ph_state s = ph_sim_state(a), t = ph_sim_state(b);
                double w = 1 + 3 * t.q[0] * t.q[0];
                /* N = (w, -1)/sqrt(1 + w^2): least norm; Newton's tolerance, of 50 N */
                check_le(fabs(w * t.lambda[0] - t.lambda[1]) / sqrt(1 + w * w), 1e-4);
                check_near(t.lambda[0] + w * t.lambda[1], s.lambda[0],
                           5e-3);                      /* different start: (S1) is off Phi = 0 */
                check_le(max_diff(s.q, t.q, 3), 1e-7); /* likewise */
            }
            double x, v;
            assert_int_equal(ph_sim_violation(b, &x, &v), PH_OK);
            check_le(x,
                     f == PH_INDEX2 ? 1e-5 : 1e-12); /* drift; invariant: Newton's tolerance of positions */
            ph_sim_destroy(a), ph_sim_destroy(b);
        }
}

/* ---- a bead on a circle in a plane, F = (x^2 + z^2 - 1)/2 = 0, y = 0, as three rows ------------------- */

/* Phi = (F, F cos x + y sin x, y cos x - F sin x): the last two hold it anywhere, the first two not at x = 0. */
static ph_status circle_Phi(const ph_state *s, double *out, void *ctx)
{
    const double *q = s->q, F1 = (q[0] * q[0] + q[2] * q[2] - 1) / 2, C = cos(q[0]), S = sin(q[0]);
    (void)ctx;
    out[0] = F1, out[1] = C * F1 + S * q[1], out[2] = C * q[1] - S * F1;
    return PH_OK;
}

static ph_status circle_B(const ph_state *s, double *out, void *ctx)
{
    double Phi[3], C = cos(s->q[0]), S = sin(s->q[0]);
    const double dF[3] = {s->q[0], 0, s->q[2]};
    circle_Phi(s, Phi, ctx);
    for (int j = 0; j < 3; j++)
        out[j] = dF[j], out[3 + j] = C * dF[j], out[6 + j] = -S * dF[j];
    out[4] = S, out[7] = C;
    out[3] += Phi[2], out[6] -= Phi[1];
    return PH_OK;
}

/* Weight, a force across, and a damper strong enough that it comes to rest at the bottom. */
static ph_status circle_g(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    for (int j = 0; j < 3; j++)
        out[j] = 12 * s->v[j];
    out[1] += 5, out[2] += 2 * 9.81;
    return PH_OK;
}

/* The first two rows are taken at the start; where it comes to rest they no longer hold it across. */
static void rows_are_chosen_anew(void **state)
{
    (void)state;
    static const ph_node node = {.group = PH_RN, .n = 3};
    static const ph_constraint three = {.rows = 3};
    ph_system sys = {
        .n_nodes = 1, .nodes = &node, .n_constraints = 1, .constraints = &three, .n_redundant = 1};
    sys.M = bead_M, sys.g = circle_g, sys.Phi = circle_Phi, sys.B = circle_B;
    const double q0[3] = {0.6, 0, -0.8}, v0[3] = {0, 0, 0};
    static const struct {
        const char *method, *tableau;
        ph_formulation f;
    } by[] = {{"genalpha", "rk4", PH_INDEX3},
              {"genalpha", "rk4", PH_GGL},
              {"bliedf", "rk4", PH_GGL},
              {"rkmk", "rk4", PH_GGL},
              {"rkmk", "gauss2", PH_GGL}};
    for (size_t m = 0; m < sizeof by / sizeof *by; m++)
        for (int kind = 0; kind < PH_SOLVER_COUNT; kind++) {
            ph_options o = options((int)by[m].f, 1);
            ph_sim *sim;
            ph_error err;
            o.solver = (ph_solver_kind)kind, o.method = by[m].method, o.tableau = by[m].tableau;
            assert_int_equal(ph_sim_create(&sim, &sys, &o, 0, q0, v0, &err), PH_OK);
            for (int k = 0; k < 10000; k++) {
                if (ph_sim_step(sim, &err) != PH_OK)
                    fail_msg("%s, %s, solver %d, step %d: %s", o.method, o.tableau, kind, k, err.text);
                check_le(fabs(ph_sim_state(sim).q[1]), 1e-12); /* Newton's tolerance of positions */
            }
            ph_state s = ph_sim_state(sim);
            check_le(fabs(s.q[0]), 1e-9); /* decay: exp(-2.4 t) */
            for (int i = 0; i < 3; i++)
                check_near(s.lambda[i], i < 2 ? 9.81 : -5, 1e-6); /* round-off of index-3: eps/h^2 */
            ph_sim_destroy(sim);
        }
}

/* ---- friction ------------------------------------------------------------------------------------------- */

/* A force along z that depends on lambda_3 of least norm, which is (-3 cos(5 t) + 10)/6. */
static ph_status rough_g(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    out[0] = 3 * cos(5 * s->t), out[1] = -5, out[2] = 19.62 - 0.5 * s->lambda[2];
    return PH_OK;
}

/* z'' = -9.81 + lambda_3/4 */
static void friction_knows_least_norms(void **state)
{
    (void)state;
    static const ph_node node = {.group = PH_RN, .n = 3};
    static const ph_constraint c = {.rows = 3};
    ph_system sys = {.n_nodes = 1, .nodes = &node, .n_constraints = 1, .constraints = &c, .n_redundant = 1};
    sys.M = bead_M, sys.g = rough_g, sys.Phi = bead_Phi, sys.B = bead_B, sys.flags = PH_FORCE_LAMBDA;
    static const struct {
        const char *method, *tableau;
        ph_formulation f;
    } by[] = {{"genalpha", "rk4", PH_INDEX3},
              {"genalpha", "rk4", PH_GGL},
              {"rkmk", "rk4", PH_GGL},
              {"rkmk", "gauss2", PH_GGL}};
    for (size_t m = 0; m < sizeof by / sizeof *by; m++) {
        const double q0[3] = {0}, v0[3] = {0};
        ph_options o = options((int)by[m].f, 1);
        ph_sim *sim;
        ph_error err;
        o.method = by[m].method, o.tableau = by[m].tableau;
        assert_int_equal(ph_sim_create(&sim, &sys, &o, 0, q0, v0, &err), PH_OK);
        for (int k = 0; k < 500; k++) {
            assert_int_equal(ph_sim_step(sim, &err), PH_OK);
            ph_state s = ph_sim_state(sim);
            check_near(s.lambda[2], (10 - 3 * cos(5 * s.t)) / 6, 1e-9); /* round-off: eps/h^2 */
            check_near(s.vdot[2], -9.81 + s.lambda[2] / 4, 1e-8);       /* Newton's tolerance */
            check_near(s.v[2], (-9.81 + 10 / 24.0) * s.t - sin(5 * s.t) / 40,
                       m < 2   ? 1e-5
                       : m < 3 ? 1e-11
                               : 1e-11); /* truncation: h^2, h^4 */
        }
        ph_sim_destroy(sim);
    }
}

/* Two joints that hold the rotation of one body, the first rows of all: each takes half of the moment. */
static void rotations_held_twice(void **state)
{
    (void)state;
    static const char text[] = "body{ name = 'a', mass = 1, inertia = {1, 2, 3} }\n"
                               "joint{ name = 'first', type = 'generic', bodies = {'ground', 'a'}, at = {0, "
                               "0, 0}, lock = {'rx', 'ry', 'rz'} }\n"
                               "joint{ name = 'second', type = 'generic', bodies = {'ground', 'a'}, at = {0, "
                               "0, 0}, lock = {'rx', 'ry', 'rz'} }\n"
                               "torque{ name = 'm', body = 'a', value = {4, -6, 10} }\n"
                               "run{ t_end = 1, h = 1e-2 }\n";
    ph_model *m;
    ph_run *run;
    ph_error err = {0};
    if (ph_model_read_text(&m, "twice.lua", text, strlen(text), NULL, 0, NULL, &err) != PH_OK ||
        ph_run_create(&run, m, NULL, &err) != PH_OK || ph_run_until(run, 0.1, &err) != PH_OK)
        fail_msg("%s", err.text);
    assert_int_equal(ph_run_system(run)->n_redundant, 3);
    for (int j = 0; j < 2; j++) {
        const double half[] = {-2, 3, -5};
        double x[6];
        assert_int_equal(ph_run_get(run, PH_GET_REACTION, j, x), PH_OK);
        check_le(max_diff(x + 3, half, 3), 1e-9); /* Newton's tolerance */
    }
    ph_run_close(run);
    ph_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(held_twice),           cmocka_unit_test(rank_is_found),
        cmocka_unit_test(announced_wrongly),    cmocka_unit_test(least_norm),
        cmocka_unit_test(moving_null_space),    cmocka_unit_test(rows_are_chosen_anew),
        cmocka_unit_test(rotations_held_twice), cmocka_unit_test(friction_knows_least_norms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
