/* Error control: the error at the end follows tol, steps end where they should, rejected ones leave no
 * trace, failures have a sentence, tolerances below round-off end. */
#include <float.h>

#include "rk_cases.h"
#include "method/control.h"

static ph_options controlled(const char *name, double tol, double h)
{
    ph_options o = rkmk(name, h);
    o.tol = tol;
    return o;
}

static void run_to(ph_sim *sim, double t_end)
{
    ph_error err = {0};
    if (ph_sim_run_until(sim, t_end, NULL, NULL, &err) != PH_OK)
        fail_msg("%s", err.text);
}

/* ---- the error at the end -------------------------------------------------------------------------- */

/* Rotations and positions, velocities relative to max(1, size). */
static double error_at_end(const ph_system *sys, const double *q, const double *v, const ph_state *s)
{
    double a = 0, b = 0;
    for (int i = 0; i < sys->n_nodes; i++) {
        const ph_group_ops *op = ph_group_get(sys->nodes[i].group);
        int n = sys->nodes[i].n, dim = ph_group_dim(sys->nodes[i].group, n);
        double inv[8], x[8];
        op->inverse(n, q + s->q_at[i], inv);
        op->compose(n, inv, s->q + s->q_at[i], inv);
        op->log(n, inv, x);
        for (int k = 0; k < dim; k++)
            a = fmax(a, isnan(x[k]) ? HUGE_VAL : fabs(x[k]));
        double d = max_diff(s->v + s->v_at[i], v + s->v_at[i], dim);
        b = fmax(b, isnan(d) ? HUGE_VAL : d / size_of(v + s->v_at[i], dim));
    }
    return fmax(a, b);
}

/* Error over tol for tolerances from 1e-6 to 1e-12, with steps of the method or a grid of the output. */
static void check_tolerance(const ph_system *sys, const double *q0, const double *v0, const double *q,
                            const double *v, double t_end, const char *name, double least, double round)
{
    for (int k = 0; k < 3; k++)
        for (int grid = 0; grid < 2; grid++) {
            double tol = k == 0 ? 1e-6 : k == 1 ? 1e-9 : 1e-12;
            ph_options o = controlled(name, tol, grid ? t_end / 64 : 0);
            ph_sim *sim = sim_of(sys, &o, q0, v0);
            run_to(sim, t_end);
            ph_state s = ph_sim_state(sim);
            assert_true(s.t == t_end);
            double ratio = (error_at_end(sys, q, v, &s) - round) / tol;
            if (!(ratio + round / tol >= least && ratio <= 10))
                print_message("%s, %s, tol %g: error/tol = %g\n", sys->name, name, tol, ratio);
            assert_true(ratio + round / tol >= least); /* ordering: nor is more done than asked for */
            check_le(ratio, 10);                       /* invariant: what tol promises */
            ph_sim_destroy(sim);
        }
}

static const struct {
    const char *name;
    double least; /* the estimate of dopri8 is careful: 0.013 is seen on the slider-crank */
} pairs[] = {{"dopri5", 0.05}, {"dopri8", 0.002}, {"rk4", 0.05}};

static void tolerance_is_kept(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        /* A body that lingers at a saddle magnifies round-off: with tol = 1e-12, 1.01e-12, ... the error
         * of rk4 scatters from 4e-12 to 2.6e-11. */
        double t_end, round;
    } row[] = {{"heavy_top", 1, 0}, {"dzhanibekov", 30, 2e-11}, {"heavy_top_so3", 0.5, 0}};
    for (int k = 0; k < 3; k++) {
        ph_problem *p = problem_named(row[k].name);
        double q[7], v[6], vdot[6], lambda[3];
        assert_true(p->exact(p, row[k].t_end, q, v, vdot, lambda));
        for (int i = 0; i < 3; i++)
            check_tolerance(&p->sys, p->q0, p->v0, q, v, row[k].t_end, pairs[i].name, pairs[i].least,
                            row[k].round);
        ph_problem_destroy(p);
    }
}

static void tolerance_of_slider_crank(void **state)
{
    (void)state;
    opened m;
    open_model(&m, "slider_crank", NULL, PH_SPACE_R3XSO3);
    ph_options best = rkmk("gauss6", 5e-3);
    ph_sim *sim = sim_of(&m.sys, &best, m.q0, m.v0);
    double s[3];
    run_sim(sim, 400);
    sensor_of(&m, sim, "s", s);
    check_near(s[0], 0.289085197067141782, 1e-13); /* reference: quadrature in high precision */
    ph_state end = ph_sim_state(sim);
    for (int i = 0; i < 3; i++)
        check_tolerance(&m.sys, m.q0, m.v0, end.q, end.v, 2, pairs[i].name, pairs[i].least, 0);
    ph_sim_destroy(sim);
    open_close(&m);
}

/* Implicit stages, by step doubling, with and without extrapolation. */
static void tolerance_of_implicit(void **state)
{
    (void)state;
    static const char *const name[] = {"midpoint", "gauss2", "gauss3", "radau3", "sdirk3", "lobatto3c"};
    ph_problem *p = problem_named("spring_ball");
    double q[4], v[3], vdot[3], lambda[1];
    assert_true(p->exact(p, 2, q, v, vdot, lambda));
    for (int k = 0; k < 6; k++) {
        ph_options o = controlled(name[k], 1e-7, 0);
        ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
        run_to(sim, 2);
        ph_state s = ph_sim_state(sim);
        check_le(error_at_end(&p->sys, q, v, &s), k == 0 ? 1e-4 : 1e-6); /* invariant; midpoint: tol^(2/3) */
        ph_sim_destroy(sim);
    }
    ph_problem_destroy(p);
}

static void orders_that_go_on(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int order;
    } row[] = {{"dopri5", 5},   {"heun", 2},   {"rk4", 5},      {"implicit_euler", 2},
               {"midpoint", 2}, {"gauss2", 5}, {"gauss3", 6},   {"gauss5", 10},
               {"radau3", 6},   {"sdirk2", 3}, {"lobatto3c", 5}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        ph_tableau t = tableau(row[k].name);
        assert_int_equal(ph_control_order(&t), row[k].order);
    }
}

/* ---- where steps end ------------------------------------------------------------------------------- */

/* The largest t that g was called with. */
typedef struct spy {
    ph_system sys;
    const ph_system *inner;
    double latest;
} spy;

static ph_status spy_g(const ph_state *s, double *out, void *ctx)
{
    spy *w = ctx;
    w->latest = fmax(w->latest, s->t);
    return w->inner->g(s, out, w->inner->ctx);
}

#define PASS(name)                                                                                           \
    static ph_status spy_##name(const ph_state *s, double *out, void *ctx)                                   \
    {                                                                                                        \
        return ((spy *)ctx)->inner->name(s, out, ((spy *)ctx)->inner->ctx);                                  \
    }
PASS(M)
PASS(C)
PASS(K)

/* Nor is the step that finds the first step size longer than the run. */
static void short_run(void **state)
{
    (void)state;
    ph_problem *p = problem_named("free_body");
    spy w = {.sys = p->sys, .inner = &p->sys};
    w.sys.g = spy_g, w.sys.M = spy_M, w.sys.C = spy_C, w.sys.K = spy_K, w.sys.ctx = &w;
    ph_options o = controlled("dopri5", 1e-7, 0);
    ph_sim *sim = sim_of(&w.sys, &o, p->q0, p->v0);
    run_to(sim, 1e-6);
    assert_true(ph_sim_state(sim).t == 1e-6 && w.latest == 1e-6); /* exact */
    ph_stats st = ph_sim_stats(sim);
    assert_true(st.accepted == 1 && st.rejected == 0);
    ph_sim_destroy(sim);
    ph_problem_destroy(p);
}

static void nothing_beyond_the_end(void **state)
{
    (void)state;
    ph_problem *p = problem_named("free_body");
    static const char *const name[] = {"dopri5", "dopri8", "rk4", "radau3"};
    for (int k = 0; k < 4; k++)
        for (int grid = 0; grid < 2; grid++) {
            spy w = {.sys = p->sys, .inner = &p->sys};
            w.sys.g = spy_g, w.sys.M = spy_M, w.sys.C = spy_C, w.sys.K = spy_K, w.sys.ctx = &w;
            ph_options o = controlled(name[k], 1e-7, grid ? 0.1 : 0);
            ph_sim *sim = sim_of(&w.sys, &o, p->q0, p->v0);
            run_to(sim, 0.7);
            check_near(ph_sim_state(sim).t, 0.7, grid ? 1e-15 : 0); /* exact; the grid has round-off */
            check_le(w.latest, 0.7 * (1 + 2 * DBL_EPSILON));
            ph_stats st = ph_sim_stats(sim);
            assert_int_equal(st.steps, grid ? 7 : st.accepted);
            assert_true(st.accepted > 3 && st.h_least > 0 && st.h_least <= st.h_most);
            check_le(st.h_least * (double)st.accepted, 0.7 * (1 + 1e-12));
            check_le(0.7, st.h_most * (double)st.accepted * (1 + 1e-12));
            if (!grid)
                run_to(sim, 0.7); /* nothing is left to do */
            assert_int_equal(ph_sim_stats(sim).accepted, st.accepted);
            run_to(sim, 1.1);
            check_near(ph_sim_state(sim).t, 1.1, grid ? 1e-15 : 0);
            ph_sim_destroy(sim);
        }
    ph_problem_destroy(p);
}

/* Between the ends of steps, at every point of a fine grid: dense output keeps tol, in lambda and vdot
 * too. */
static void grid_keeps_tolerance(void **state)
{
    (void)state;
    static const char *const name[] = {"dopri5", "dopri8", "rk4", "gauss4", "gauss5"};
    ph_problem *p = problem_named("heavy_top");
    for (int k = 0; k < 5; k++) {
        ph_options o = controlled(name[k], 1e-8, 0.05 / 193);
        ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
        double q[7], v[6], vdot[6], lambda[3], position, velocity;
        for (int n = 0; n < 193; n++) {
            assert_int_equal(ph_sim_step(sim, NULL), PH_OK);
            ph_state s = ph_sim_state(sim);
            assert_true(p->exact(p, s.t, q, v, vdot, lambda));
            check_le(error_at_end(&p->sys, q, v, &s), 1e-8);  /* invariant: tol */
            check_le(max_diff(s.vdot, vdot, 6), 1e-7 * 1000); /* of accelerations of 1000, forces of 500 */
            check_le(max_diff(s.lambda, lambda, 3), 1e-7 * 500);
            assert_int_equal(ph_sim_violation(sim, &position, &velocity), PH_OK);
            check_le(position, 1e-15 * 4); /* round-off */
            check_le(velocity, 2e-13);
        }
        assert_true(ph_sim_stats(sim).accepted < 193); /* so that most points lie between steps */
        ph_sim_destroy(sim);
    }
    ph_problem_destroy(p);
}

/* A rotation at constant speed has no error at all, and its chart ends at 2 pi. */
static void fast_spin(void **state)
{
    (void)state;
    ph_problem *p = problem_named("free_body");
    double v0[3] = {0, 0, 100}, t = 1;
    ph_options o = controlled("dopri5", 1e-9, 0);
    ph_sim *sim = sim_of(&p->sys, &o, p->q0, v0);
    run_to(sim, t);
    ph_stats st = ph_sim_stats(sim);
    assert_int_equal(st.rejected, 0);
    assert_true(st.h_most * 100 < 3.14 && st.accepted < 60);
    ph_state s = ph_sim_state(sim);
    check_near(fabs(s.q[0]), fabs(cos(50 * t)), 1e-12); /* round-off: 100 rad */
    check_near(fabs(s.q[3]), fabs(sin(50 * t)), 1e-12);
    ph_sim_destroy(sim);
    ph_problem_destroy(p);
}

/* ---- one step --------------------------------------------------------------------------------------- */

typedef struct bench {
    ph_problem *p;
    ph_sim *sim;
    ph_rk rk;
    ph_control c;
    ph_point from, to, other;
    ph_arena arena;
} bench;

static void lay(bench *b)
{
    const ph_layout *l = &b->sim->lay;
    ph_rk_take(&b->rk, l, &b->arena);
    ph_control_take(&b->c, l, &b->arena);
    ph_point_take(&b->from, l, &b->arena);
    ph_point_take(&b->to, l, &b->arena);
    ph_point_take(&b->other, l, &b->arena);
}

static void bench_open(bench *b, const char *problem, const char *name, double tol)
{
    *b = (bench){.p = problem_named(problem)};
    ph_options o = rkmk(name, 1e-3);
    b->sim = sim_of(&b->p->sys, &o, b->p->q0, b->p->v0);
    b->rk.tab = tableau(name), b->c.pace.tol = tol;
    lay(b);
    assert_true(ph_arena_open(&b->arena, NULL));
    lay(b);
    assert_int_equal(ph_rk_prepare(&b->rk, b->sim, NULL), PH_OK);
    ph_point_copy(&b->from, &b->sim->now, &b->sim->lay);
}

static void bench_close(bench *b)
{
    ph_rk_release(&b->rk);
    ph_free(NULL, b->arena.block);
    ph_sim_destroy(b->sim);
    ph_problem_destroy(b->p);
}

static double point_distance(const bench *b, const ph_point *x, const ph_point *y)
{
    const ph_layout *l = &b->sim->lay;
    double q = max_diff(x->q, y->q, l->nq), v = max_diff(x->v, y->v, l->nv);
    return q > v || isnan(q) ? q : v;
}

/* A step after rejections is the one that the accepted size gives at once, to the bit. */
static void rejections_leave_no_trace(void **state)
{
    (void)state;
    static const char *const name[] = {"dopri5", "dopri8", "rk4"};
    for (int k = 0; k < 3; k++) {
        bench b;
        bench_open(&b, "heavy_top", name[k], 1e-9);
        b.c.pace.h = 0.5; /* 75 rad: cut by the turn, then by the error */
        assert_int_equal(ph_control_step(b.sim, &b.c, &b.rk, &b.from, 1, &b.to), PH_OK);
        long rejected = b.sim->stats.rejected;
        assert_true(rejected > 0);
        assert_int_equal(b.sim->reason[0], 0);
        b.c.pace.h = b.to.t - b.from.t, b.c.pace.last = 0;
        assert_int_equal(ph_control_step(b.sim, &b.c, &b.rk, &b.from, 1, &b.other), PH_OK);
        assert_int_equal(b.sim->stats.rejected, rejected);
        assert_true(b.to.t == b.other.t && point_distance(&b, &b.to, &b.other) == 0); /* exact */
        assert_int_equal(b.sim->stats.accepted, 2);
        bench_close(&b);
    }
}

/* There and back again, with a tolerance near round-off; a tolerance below it ends, too. */
static void round_off(void **state)
{
    (void)state;
    static const char *const name[] = {"dopri8", "rk4", "gauss6", "radau3"};
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 2; i++) {
            bench b;
            bench_open(&b, "heavy_top", name[k], i == 0 ? 1e-13 : 1e-17);
            assert_int_equal(ph_control_to(b.sim, &b.c, &b.rk, &b.from, 0.004), PH_OK);
            double q[7], v[6], vdot[6], lambda[3];
            assert_true(b.from.t == 0.004);
            assert_true(b.p->exact(b.p, 0.004, q, v, vdot, lambda));
            check_le(max_diff(b.from.q, q, 7), 1e-14);          /* round-off of some dozen steps */
            check_le(max_diff(b.from.v, v, 6), 1e-14 * 150);    /* velocities of 150 */
            check_le(max_diff(b.from.lambda, lambda, 3), 1e-9); /* forces of 500, accelerations of 1e5 */
            assert_true(b.sim->stats.rejected < 20);
            b.c.pace.h = 0;
            assert_int_equal(ph_control_to(b.sim, &b.c, &b.rk, &b.from, 0), PH_OK);
            check_le(point_distance(&b, &b.from, &b.sim->now), 1e-14 * 150);
            bench_close(&b);
        }
}

/* ---- failures ---------------------------------------------------------------------------------------- */

/* vdot = 1 + v^2: v = tan t grows beyond all bounds at pi/2. */
static ph_status one(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)ctx;
    out[0] = 1;
    return PH_OK;
}

static ph_status grow(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    out[0] = -1 - s->v[0] * s->v[0];
    return PH_OK;
}

static void steps_get_too_small(void **state)
{
    (void)state;
    static const ph_node node = {.group = PH_RN, .n = 1, .name = "x"};
    const ph_system sys = {
        .name = "tangent", .n_nodes = 1, .nodes = &node, .flags = PH_MASS_CONSTANT, .M = one, .g = grow};
    for (int grid = 0; grid < 2; grid++) {
        double x = 0;
        ph_options o = controlled("dopri5", 1e-8, grid ? 0.25 : 0);
        ph_sim *sim = sim_of(&sys, &o, &x, &x);
        ph_error err = {0};
        assert_int_equal(ph_sim_run_until(sim, 2, NULL, NULL, &err), PH_E_STEP);
        if (!strstr(err.text, "too large for tol") && !strstr(err.text, "beyond all bounds"))
            fail_msg("%s", err.text);
        ph_state s = ph_sim_state(sim);
        assert_true(s.t < 1.5708 && isfinite(s.v[0]) && s.v[0] > 10);
        if (grid)
            check_near(s.t, 1.5, 1e-15); /* exact: the last point of the grid */
        ph_sim_destroy(sim);
    }
}

/* A callback that fails from some time on: the steps come close, and the sentence is about the callback. */
static void callback_fails(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    for (damage d = NOT_A_NUMBER; d <= REFUSE; d = (damage)(d + 1))
        for (int grid = 0; grid < 2; grid++) {
            wrap w;
            wrap_open(&w, &p->sys);
            w.damage = d, w.victim = IN_g, w.entry = 4, w.from_t = 0.0104;
            ph_options o = controlled(d == REFUSE ? "rk4" : "dopri5", 1e-6, grid ? 0.001 : 0);
            ph_sim *sim = sim_of(&w.sys, &o, p->q0, p->v0);
            ph_error err = {0};
            ph_status s = ph_sim_run_until(sim, 1, NULL, NULL, &err);
            assert_int_equal(s, d == REFUSE ? PH_E_CALLBACK : PH_E_NAN);
            assert_non_null(strstr(err.text, "callback g"));
            double t = ph_sim_state(sim).t;
            assert_true(t < 0.0104 && (grid ? fabs(t - 0.01) < 1e-12 : t > 0.0103));
            w.damage = NONE; /* the cause is gone: it goes on from where it stopped */
            run_to(sim, 0.02);
            ph_sim_destroy(sim);
            wrap_close(&w);
        }
    ph_problem_destroy(p);
}

/* p holds the start where ph_control_to fails. */
static void start_comes_back(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "heavy_top", "dopri5", 1e-6);
    wrap w;
    wrap_open(&w, &b.p->sys);
    ph_sim_destroy(b.sim);
    ph_options o = rkmk("dopri5", 1e-3);
    b.sim = sim_of(&w.sys, &o, b.p->q0, b.p->v0);
    w.damage = NOT_A_NUMBER, w.victim = IN_g, w.entry = 4, w.from_t = 0.0104;
    assert_int_equal(ph_control_to(b.sim, &b.c, &b.rk, &b.from, 0.02), PH_E_NAN);
    assert_true(b.from.t == 0 && point_distance(&b, &b.from, &b.sim->now) == 0); /* exact */
    assert_true(b.sim->stats.accepted > 5);
    bench_close(&b);
    wrap_close(&w);
}

/* ---- the rules of a simulation ------------------------------------------------------------------------ */

/* No allocation; a reset gives the bits of the first run; a loaded state goes on, as well as tol says. */
static void lives_by_the_rules(void **state)
{
    (void)state;
    static const char *const name[] = {"dopri5", "dopri8", "rk4", "gauss2"};
    for (int k = 0; k < 4; k++)
        for (int grid = 0; grid < 2; grid++) {
            ph_problem *p = problem_named(k % 2 ? "heavy_top_se3" : "heavy_top");
            ph_options o = controlled(name[k], 1e-8, grid ? 0.0007 : 0);
            counter c;
            counter_open(&c, -1);
            o.alloc = &c.hooks;
            ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
            long asked = c.asked;
            run_sim(sim, 20);
            snapshot x = snap(sim, &p->sys);
            assert_int_equal(ph_sim_reset(sim, 0, p->q0, p->v0, NULL), PH_OK);
            assert_int_equal(ph_sim_stats(sim).accepted, 0);
            run_sim(sim, 20);
            snapshot y = snap(sim, &p->sys);
            assert_true(same_bits(&x, &y)); /* exact */
            ph_sim *other = sim_of(&p->sys, &o, p->q0, p->v0);
            ph_state s = ph_sim_state(sim);
            asked = c.asked - asked;
            assert_int_equal(ph_sim_load(other, &s, NULL), PH_OK);
            double t = ph_sim_state(sim).t + 0.007;
            run_to(sim, t), run_to(other, t);
            free(x.x), free(y.x);
            x = snap(sim, &p->sys), y = snap(other, &p->sys);
            check_near(x.x[0], y.x[0], 1e-15);
            check_le(distance(&x, &y), 1e-7); /* invariant: tol, of lambda after it */
            ph_sim_destroy(other);
            ph_sim_destroy(sim);
            assert_int_equal(c.live, 0);
            assert_int_equal(c.asked, 2 * asked); /* by the two create calls alone */
            free(x.x), free(y.x);
            ph_problem_destroy(p);
        }
}

static void options_are_checked(void **state)
{
    (void)state;
    ph_problem *p = problem_named("free_body");
    static const double bad[] = {-1, NAN, HUGE_VAL};
    ph_sim *sim;
    for (int k = 0; k < 3; k++) {
        ph_options o = controlled("dopri5", bad[k], 0.01);
        assert_int_equal(ph_sim_create(&sim, &p->sys, &o, 0, p->q0, p->v0, NULL), PH_E_INPUT);
    }
    ph_options o = controlled("dopri5", 0, 0);
    assert_int_equal(ph_sim_create(&sim, &p->sys, &o, 0, p->q0, p->v0, NULL), PH_E_INPUT);
    ph_problem_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tolerance_is_kept),
        cmocka_unit_test(tolerance_of_slider_crank),
        cmocka_unit_test(tolerance_of_implicit),
        cmocka_unit_test(orders_that_go_on),
        cmocka_unit_test(nothing_beyond_the_end),
        cmocka_unit_test(grid_keeps_tolerance),
        cmocka_unit_test(fast_spin),
        cmocka_unit_test(short_run),
        cmocka_unit_test(rejections_leave_no_trace),
        cmocka_unit_test(round_off),
        cmocka_unit_test(steps_get_too_small),
        cmocka_unit_test(callback_fails),
        cmocka_unit_test(start_comes_back),
        cmocka_unit_test(lives_by_the_rules),
        cmocka_unit_test(options_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
