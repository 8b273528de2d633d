/* Generalized-alpha with steps of changing size: orders under random steps (VS3), (VS4), errors that follow tol (VS9),
 * stiff springs that cost nothing (VS8), grids, times at which functions are not smooth, failures, saved states. */
#include <float.h>

#include "ahead_cases.h"

static ph_options alpha(ph_formulation f, double rho, double sigma)
{
    ph_options o = ph_default_options();
    o.formulation = f, o.rho = rho, o.sigma = sigma;
    return o;
}

/* ---- random steps ----------------------------------------------------------------------------------- */

/* Slopes by least squares over the halvings of H, means over seeds. */
#define LEVELS 4
#define SEEDS  2

static deviation slopes(const ph_system *sys, const double *q0, const double *v0, ph_options o, double H,
                        double t_end, reference_fn f, void *ctx, deviation *finest)
{
    deviation slope = {0};
    for (int seed = 1; seed <= SEEDS; seed++)
        for (int k = 0; k < LEVELS; k++) {
            o.h = H / (1 << k), o.random = 2, o.seed = (unsigned)(100 * seed + k);
            ph_sim *sim = sim_of(sys, &o, q0, v0);
            deviation d = deviate(sys, sim, t_end, f, ctx);
            ph_stats st = ph_sim_stats(sim);
            assert_true(st.h_most / st.h_least > 3 && st.rejected == 0); /* they do change */
            double w = (1.5 - k) / 5 / SEEDS;                            /* sum of (1.5 - k)^2 is 5 */
            slope.q += w * log2(d.q), slope.v += w * log2(d.v), slope.lambda += w * log2(d.lambda);
            *finest = d;
            ph_sim_destroy(sim);
        }
    return slope;
}

static void check_slopes(const char *name, const ph_options *o, deviation slope)
{
    /* order: second, of lambda in the mean over the run; without (VS3) and (VS4) that is 1 */
    int good = slope.q >= 1.95 && slope.v >= 1.95 && slope.lambda >= 1.9;
    if (!good || slope.q > 2.15 || slope.v > 2.15 || slope.lambda > 2.15)
        fail_msg("%s, %s, rho %g, sigma %g: slopes %.3f %.3f %.3f", name,
                 ph_formulation_word((int)o->formulation), o->rho, o->sigma, slope.q, slope.v, slope.lambda);
}

static void random_steps_of_top(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    static const double sigma[] = {0, 1, PH_SIGMA_OPT};
    for (int f = PH_INDEX3; f <= PH_GGL; f++)
        for (int r = 0; r < 2; r++)
            for (int k = 0; k < 3; k++) {
                ph_options o = alpha((ph_formulation)f, r ? 0.9 : 0.6, sigma[k]);
                deviation finest;
                deviation slope = slopes(&p->sys, p->q0, p->v0, o, 2.5e-4, 0.15, exact_state, p, &finest);
                check_slopes(p->name, &o, slope);
            }
    ph_problem_destroy(p);
}

/* The size of what (VS3) and (VS4) remove: 20 without them, in an independent program and here. */
static void multipliers_of_index3(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    ph_options o = alpha(PH_INDEX3, 0.9, 1);
    o.h = 6.25e-5, o.random = 2, o.seed = 1;
    ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
    check_le(deviate(&p->sys, sim, 0.3, exact_state, p).lambda, 0.05); /* reference: that program has 0.025 */
    ph_sim_destroy(sim);
    ph_problem_destroy(p);
}

/* As slopes, with a motion of reference of its own for each run. */
static void random_steps_of_two_bodies(void **state)
{
    (void)state;
    opened m;
    open_text(&m, two_bodies);
    for (int f = PH_INDEX3; f <= PH_GGL; f++) {
        ph_options o = alpha((ph_formulation)f, f == PH_INDEX3 ? 0.9 : 0.6, 1);
        deviation slope = {0};
        for (int k = 0; k < LEVELS; k++) {
            o.h = 2e-3 / (1 << k), o.random = 2, o.seed = (unsigned)(7 + k);
            ph_sim *sim = sim_of(&m.sys, &o, m.q0, m.v0), *best = best_of(&m);
            deviation d = deviate(&m.sys, sim, 0.5, best_state, best);
            double w = (1.5 - k) / 5;
            slope.q += w * log2(d.q), slope.v += w * log2(d.v), slope.lambda += w * log2(d.lambda);
            ph_sim_destroy(sim), ph_sim_destroy(best);
        }
        check_slopes("two bodies", &o, slope);
    }
    open_close(&m);
}

/* ---- tolerance -------------------------------------------------------------------------------------- */

/* The largest error of q over tol stays the same over the decades of tol, and little is rejected. */
static void check_tolerance(const char *name, const double *ratio, const ph_stats *st, int n, double most)
{
    double mean = 0;
    for (int k = 0; k < n; k++)
        mean += ratio[k] / n;
    for (int k = 0; k < n; k++) {
        if (!(ratio[k] <= 1.5 * mean && ratio[k] >= mean / 1.5 && ratio[k] <= most))
            fail_msg("%s: error/tol %.3g, mean %.3g", name, ratio[k],
                     mean); /* invariant: what tol promises */
        if (k > 0)
            check_le((double)st[k].rejected, 0.05 * (double)st[k].accepted);
    }
}

/* (VS7) */
static void errors_follow_tol(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    opened m;
    open_text(&m, two_bodies);
    for (int f = PH_INDEX3; f <= PH_GGL; f++) {
        ph_options o = alpha((ph_formulation)f, 0.9, 1);
        double top[4], two[4];
        ph_stats top_st[4], two_st[4];
        for (int k = 0; k < 4; k++) {
            o.tol = pow(10, -2 - k);
            ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
            top[k] = deviate(&p->sys, sim, 1, exact_state, p).q / o.tol;
            top_st[k] = ph_sim_stats(sim);
            ph_sim_destroy(sim);
        }
        for (int k = 0; k < 3; k++) {
            o.tol = pow(10, -2 - k);
            ph_sim *sim = sim_of(&m.sys, &o, m.q0, m.v0), *best = best_of(&m);
            two[k] = deviate(&m.sys, sim, 2, best_state, best).q / o.tol;
            two_st[k] = ph_sim_stats(sim);
            ph_sim_destroy(sim), ph_sim_destroy(best);
        }
        check_tolerance("heavy top", top, top_st, 4, 15);
        check_tolerance("two bodies", two, two_st, 3, 3);
    }
    ph_problem_destroy(p);
    open_close(&m);
}

/* Newmark's rules with C_q = C_v, and with C_q = -C_v, where the bracket is all that adds up. */
static void errors_follow_tol_where_parts_cancel(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top_so3");
    const double beta[] = {1.0 / 4, 1.0 / 12};
    for (int i = 0; i < 2; i++) {
        ph_options o = alpha(PH_INDEX3, 0.9, 1);
        double ratio[3];
        ph_stats st[3];
        o.scheme = PH_NEWMARK, o.beta = beta[i], o.gamma = 0.5;
        for (int k = 0; k < 3; k++) {
            o.tol = pow(10, -2 - k);
            ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
            ratio[k] = deviate(&p->sys, sim, 1, exact_state, p).q / o.tol;
            st[k] = ph_sim_stats(sim);
            ph_sim_destroy(sim);
        }
        check_tolerance("Newmark", ratio, st, 3, 15);
    }
    ph_problem_destroy(p);
}

/* A top on a spring in place of its joint, which starts with the force that the joint would have: steps do not see how
 * stiff it is (VS8). */
static long steps_on_spring(double k)
{
    char text[1024];
    opened m;
    snprintf(
        text, sizeof text,
        "model 'top on a spring'\n gravity {0, 0, -9.81}\n local k = %g\n"
        "body { name = 'top', mass = 15, inertia = {0.234375, 0.46875, 0.234375}, position = {0, 1, 0},\n"
        "       omega = {0, 150, -4.61538}, velocity = {4.61538, 0, 0} }\n"
        "bushing { name = 's', bodies = {'ground', 'top'}, at_a = {0, 0, 0}, k = {k, k, k},\n"
        "          at_b = {%s / k, -1 + %s / k, %s / k} }\n run { t_end = 1, h = 0.01 }\n",
        k, "0", "319.53", "317.31");
    open_text(&m, text);
    ph_options o = alpha(PH_GGL, 0.9, 1);
    o.tol = 1e-3, o.h_max = 1e-2;
    ph_sim *sim = sim_of(&m.sys, &o, m.q0, m.v0);
    run_to(sim, 1);
    ph_stats st = ph_sim_stats(sim);
    ph_sim_destroy(sim);
    open_close(&m);
    return st.accepted + st.rejected;
}

/* (VS10) */
static void stiffness_is_free(void **state)
{
    (void)state;
    long steps[] = {steps_on_spring(1e8), steps_on_spring(1e9), steps_on_spring(1e10), steps_on_spring(1e12)};
    ph_problem *p = problem_named("heavy_top");
    ph_options o = alpha(PH_GGL, 0.9, 1);
    o.tol = 1e-3;
    ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
    run_to(sim, 1);
    double joint = (double)ph_sim_stats(sim).accepted;
    /* invariant: as many as on the joint */
    for (int i = 0; i < 4; i++)
        check_le(fabs((double)steps[i] - joint), 0.05 * joint);
    ph_sim_destroy(sim);
    ph_problem_destroy(p);
}

/* ---- the grid of the output ----------------------------------------------------------------------------- */

/* The steps are those of a run without a grid; between their ends constraints hold, and errors are as large. */
static void grid_shows_the_same(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    for (int f = PH_INDEX3; f <= PH_GGL; f++) {
        ph_options o = alpha((ph_formulation)f, 0.9, 1);
        o.tol = 1e-3;
        ph_sim *own = sim_of(&p->sys, &o, p->q0, p->v0);
        deviation ends = deviate(&p->sys, own, 0.5, exact_state, p);
        o.h = 0.5 / 3111;
        ph_sim *grid = sim_of(&p->sys, &o, p->q0, p->v0);
        o.span = 0.5;
        double q[7], v[6], vdot[6], lambda[3], position, velocity;
        deviation on = {0};
        double a = 0, most = 0;
        for (int n = 0; n < 3111; n++) {
            grid->t_stop = 0.5;
            assert_int_equal(ph_sim_step(grid, NULL), PH_OK);
            ph_state s = ph_sim_state(grid);
            assert_true(p->exact(p, s.t, q, v, vdot, lambda));
            on.q = ph_larger(on.q, group_distance(&p->sys, q, &s));
            on.v = ph_larger(on.v, max_diff(s.v, v, 6));
            on.lambda += distance_squared(s.lambda, lambda, 3) / 3111;
            a = ph_larger(a, max_diff(s.a, vdot, 6)), most = ph_small_larger(6, most, vdot);
            assert_int_equal(ph_sim_violation(grid, &position, &velocity), PH_OK);
            if (f != PH_INDEX2)
                check_le(position, 1e-14); /* round-off */
            if (f != PH_INDEX3)
                check_le(velocity, 1e-12);
        }
        assert_int_equal(ph_sim_stats(grid).accepted, ph_sim_stats(own).accepted); /* exact: the same steps */
        ph_state x = ph_sim_state(own), y = ph_sim_state(grid);
        check_le(max_diff(x.q, y.q, 7), 1e-13); /* round-off: of the time at the end of the grid */
        check_le(max_diff(x.lambda, y.lambda, 3), 1e-8);
        check_le(on.q,
                 1.05 * ends.q); /* ordering: interpolation adds next to nothing, and sees more points */
        check_le(on.v, 1.05 * ends.v);
        check_le(sqrt(on.lambda), 1.1 * ends.lambda);
        check_le(a, 0.05 * most); /* ordering: a is vdot a part of a step away (S2) */
        ph_sim_destroy(own), ph_sim_destroy(grid);
    }
    ph_problem_destroy(p);
}

/* ---- times at which functions are not smooth -------------------------------------------------------------- */

/* A particle on a spring of 1 rad/s that a force of 3 N pushes from t = 0.3 on. */
typedef struct push {
    ph_system sys;
    int late; /* the force begins after 0.3, not at it */
} push;

static ph_status unit_mass(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)ctx;
    out[0] = 1;
    return PH_OK;
}

static ph_status pushed(const ph_state *s, double *out, void *ctx)
{
    const push *w = ctx;
    out[0] = s->q[0] - 3 * (w->late ? s->t > 0.3 : s->t >= 0.3);
    return PH_OK;
}

static const ph_node point = {.group = PH_RN, .n = 1, .name = "x"};

static double error_of_push(int late, double tol, int told, long *rejected, int *met)
{
    push w = {.late = late};
    w.sys = (ph_system){.name = "push",
                        .n_nodes = 1,
                        .nodes = &point,
                        .flags = PH_MASS_CONSTANT,
                        .M = unit_mass,
                        .g = pushed,
                        .ctx = &w};
    const double when = 0.3, x = 0.2, none = 0;
    ph_options o = alpha(PH_GGL, 0, 1); /* a_n is far from vdot_n */
    o.tol = tol;
    if (told)
        o.nonsmooth = (ph_times){1, &when};
    ph_sim *sim = sim_of(&w.sys, &o, &x, &none);
    sim->t_stop = 2;
    *met = 0;
    while (ph_sim_state(sim).t < 2) {
        assert_int_equal(ph_sim_step(sim, NULL), PH_OK);
        *met |= ph_sim_state(sim).t == when;
    }
    double exact = 0.2 * cos(2) + 3 * (1 - cos(2 - 0.3)), error = fabs(ph_sim_state(sim).q[0] - exact);
    *rejected = ph_sim_stats(sim).rejected;
    ph_sim_destroy(sim);
    return error;
}

/* The push with steps of random sizes, which no estimate makes small behind the corner. */
static double error_without_control(const char *method, double h, unsigned seed)
{
    push w = {0};
    w.sys = (ph_system){.name = "push",
                        .n_nodes = 1,
                        .nodes = &point,
                        .flags = PH_MASS_CONSTANT,
                        .M = unit_mass,
                        .g = pushed,
                        .ctx = &w};
    const double when = 0.3, x = 0.2, none = 0;
    ph_options o = alpha(PH_GGL, 0.4, 1);
    o.method = method, o.h = h, o.random = 1.2, o.seed = seed, o.nonsmooth = (ph_times){1, &when};
    ph_sim *sim = sim_of(&w.sys, &o, &x, &none);
    assert_int_equal(ph_sim_run_until(sim, 2, NULL, NULL, NULL), PH_OK);
    double exact = 0.2 * cos(2) + 3 * (1 - cos(2 - 0.3)), error = fabs(ph_sim_state(sim).q[0] - exact);
    ph_sim_destroy(sim);
    return error;
}

static ph_status quadratic(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    out[0] = -1 - s->t - 40 * s->t * s->t;
    return PH_OK;
}

/* Accelerations between the ends of steps are on the parabola through three ends, however long the steps were. */
static void parabolas_are_met(void **state)
{
    (void)state;
    ph_system sys = {.name = "parabola",
                     .n_nodes = 1,
                     .nodes = &point,
                     .flags = PH_MASS_CONSTANT,
                     .M = unit_mass,
                     .g = quadratic};
    const double none = 0;
    ph_options o = alpha(PH_GGL, 0.9, 1);
    o.tol = 1e-4, o.h = 1e-3;
    ph_sim *sim = sim_of(&sys, &o, &none, &none);
    for (int n = 1; n <= 2000; n++) {
        assert_int_equal(ph_sim_step(sim, NULL), PH_OK);
        ph_state s = ph_sim_state(sim);
        if (ph_sim_stats(sim).accepted > 2)
            check_near(s.vdot[0], 1 + s.t + 40 * s.t * s.t, 1e-11); /* round-off of the forces */
    }
    assert_true(ph_sim_stats(sim).accepted > 10 && ph_sim_stats(sim).h_most > 2 * ph_sim_stats(sim).h_least);
    ph_sim_destroy(sim);
}

/* The latest time at which a force was asked for. */
static ph_status watched(const ph_state *s, double *out, void *ctx)
{
    double *latest = ctx;
    *latest = fmax(*latest, s->t);
    out[0] = s->q[0];
    return PH_OK;
}

/* A run of so many steps of the grid ends with the last of them: nothing is asked for beyond. */
static void runs_end_with_their_grid(void **state)
{
    (void)state;
    static const char *const method[] = {"genalpha", "bliedf", "rkmk"};
    for (int k = 0; k < 3; k++) {
        double latest = 0;
        const double x = 0.2, none = 0;
        ph_system sys = {.name = "spring",
                         .n_nodes = 1,
                         .nodes = &point,
                         .flags = PH_MASS_CONSTANT,
                         .M = unit_mass,
                         .g = watched,
                         .ctx = &latest};
        ph_options o = alpha(PH_GGL, 0.9, 1);
        o.method = method[k], o.tol = 1e-3, o.h = 0.01;
        ph_sim *sim = sim_of(&sys, &o, &x, &none);
        latest = 0; /* the start looks ahead */
        run_sim(sim, 100), run_sim(sim, 30);
        check_near(latest, 1.3, 1e-14); /* round-off of the grid */
        ph_sim_destroy(sim);
    }
}

/* What is remembered of steps before a corner is wrong by the jump there, and would cost all orders but the first. */
static void corners_are_forgotten(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        double order;
    } row[] = {{"genalpha", 2}, {"bliedf", 3}};
    for (int k = 0; k < 2; k++) {
        double error[3] = {0};
        for (int i = 0; i < 3; i++)
            for (unsigned seed = 1; seed <= 8; seed++)
                error[i] += error_without_control(row[k].method, 0.02 / (1 << i), seed) / 8;
        double order =
            log2(error[0] / error[2]) / 2; /* order: p - 0.3, random sizes; 1 where they are remembered */
        if (!(order > row[k].order - 0.3))
            fail_msg("%s: order %.2f (%g, %g, %g)", row[k].method, order, error[0], error[1], error[2]);
    }
}

static void corners_are_met(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        double tol = pow(10, -2 - k), error[2];
        for (int late = 0; late < 2; late++) {
            long told, alone;
            int met, missed;
            error[late] = error_of_push(late, tol, 1, &told, &met);
            error_of_push(late, tol, 0, &alone, &missed);
            check_le(error[late], 3 * tol);              /* invariant: what tol promises */
            assert_true(met && !missed && told < alone); /* it is found without help, too, at a price */
        }
        check_near(error[0], error[1],
                   1e-12); /* round-off: which side the moment itself belongs to does not matter */
    }
}

/* ---- failures and rejections ------------------------------------------------------------------------------- */

/* A force that refuses to be evaluated late for a while: the first step is cut, and its starting values are those of the
 * step that is accepted. */
typedef struct shy {
    ph_system sys;
    const ph_system *inner;
    double until;
    int refusals;
} shy;

static ph_status shy_g(const ph_state *s, double *out, void *ctx)
{
    shy *w = ctx;
    if (w->refusals > 0 && s->t > w->until)
        return w->refusals--, PH_E_CALLBACK;
    return w->inner->g(s, out, w->inner->ctx);
}

#define PASS(name)                                                                                           \
    static ph_status shy_##name(const ph_state *s, double *out, void *ctx)                                   \
    {                                                                                                        \
        return ((shy *)ctx)->inner->name(s, out, ((shy *)ctx)->inner->ctx);                                  \
    }
PASS(M)
PASS(C)
PASS(K)
PASS(Phi)
PASS(B)
PASS(Z)
PASS(convective)

static void first_step_is_rejected(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    for (int f = PH_INDEX3; f <= PH_GGL; f++) {
        shy w = {.sys = p->sys, .inner = &p->sys, .until = 5e-4, .refusals = 1};
        w.sys.g = shy_g, w.sys.M = shy_M, w.sys.C = shy_C, w.sys.K = shy_K, w.sys.ctx = &w;
        w.sys.Phi = shy_Phi, w.sys.B = shy_B, w.sys.Z = shy_Z, w.sys.convective = shy_convective;
        ph_options o = alpha((ph_formulation)f, 0.6, 1);
        o.tol = 1e-3, o.span = 1;
        ph_sim *sim = sim_of(&w.sys, &o, p->q0, p->v0);
        snapshot start = snap(sim, &p->sys);
        assert_int_equal(ph_sim_step(sim, NULL), PH_OK);
        assert_int_equal(ph_sim_stats(sim).rejected, 1);
        o.h_max = ph_sim_state(sim).t; /* the same size at once */
        ph_sim *other = sim_of(&p->sys, &o, p->q0, p->v0);
        snapshot same = snap(other, &p->sys);
        assert_true(same_bits(&start, &same));
        assert_int_equal(ph_sim_step(other, NULL), PH_OK);
        snapshot x = snap(sim, &p->sys), y = snap(other, &p->sys);
        assert_true(same_bits(&x, &y)); /* exact */
        free(start.x), free(same.x), free(x.x), free(y.x);
        ph_sim_destroy(sim), ph_sim_destroy(other);
    }
    ph_problem_destroy(p);
}

/* A callback that fails from some time on: the steps come close, the sentence is about the callback, and the state is
 * that of the last good step; with a bound of the step size they come less close. */
static void failures_have_words(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    for (damage d = NOT_A_NUMBER; d <= REFUSE; d = (damage)(d + 1))
        for (int k = 0; k < 3; k++) {
            wrap w;
            wrap_open(&w, &p->sys);
            w.damage = d, w.victim = IN_g, w.entry = 4, w.from_t = 0.0104;
            ph_options o = alpha(PH_INDEX3, 0.9, 1);
            o.tol = 1e-3, o.h = k == 1 ? 0.001 : 0, o.h_min = k == 2 ? 1e-4 : 0;
            ph_sim *sim = sim_of(&w.sys, &o, p->q0, p->v0);
            ph_error err = {0};
            ph_status s = ph_sim_run_until(sim, 1, NULL, NULL, &err);
            assert_int_equal(s, d == REFUSE ? PH_E_CALLBACK : PH_E_NAN);
            assert_non_null(strstr(err.text, "callback g"));
            double t = ph_sim_state(sim).t;
            assert_true(t < 0.0104 && (k == 1 ? fabs(t - 0.01) < 1e-12 : t > (k == 2 ? 0.01 : 0.0103)));
            w.damage = NONE; /* the cause is gone: it goes on from where it stopped */
            run_to(sim, 0.02);
            ph_sim_destroy(sim);
            wrap_close(&w);
        }
    ph_problem_destroy(p);
}

static ph_callback inner_g;
static long g_calls;

static ph_status counted_g(const ph_state *s, double *out, void *ctx)
{
    g_calls++;
    return inner_g(s, out, ctx);
}

/* d of (VS4) comes from the matrix of the step: after the start, forces are evaluated in its iterations alone. */
static void forces_are_evaluated_in_iterations(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    ph_options o = alpha(PH_INDEX3, 0.9, 1);
    o.newton = PH_FULL, o.h = 1e-3, o.random = 2, o.seed = 7;
    inner_g = p->sys.g, p->sys.g = counted_g, p->sys.tangents = NULL, g_calls = 0;
    ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
    sim->t_stop = 0.2;
    assert_int_equal(ph_sim_step(sim, NULL), PH_OK);
    long start = g_calls - ph_sim_stats(sim).residuals;
    run_to(sim, 0.2);
    assert_true(ph_sim_stats(sim).steps > 50);
    assert_int_equal(g_calls - ph_sim_stats(sim).residuals, start); /* exact */
    ph_sim_destroy(sim);
    ph_problem_destroy(p);
}

/* A body that does not turn, on a spring, is as far off whatever its size: translations are measured in units of 1 (VS9). */
static void sizes_of_bodies_do_not_count(void **state)
{
    (void)state;
    long steps[2];
    for (int k = 0; k < 2; k++) {
        char text[512];
        opened m;
        snprintf(
            text, sizeof text,
            "model 'bob'\n body { name = 'bob', mass = 1, inertia = {%g, %g, %g}, position = {0.01, 0, 0} }\n"
            "bushing { name = 's', bodies = {'ground', 'bob'}, at_a = {0, 0, 0}, at_b = {0, 0, 0}, k = {100, "
            "100, 100} }\n",
            k ? 1e-6 : 1.0, k ? 1e-6 : 1.0, k ? 1e-6 : 1.0);
        open_text(&m, text);
        ph_options o = alpha(PH_GGL, 0.9, 1);
        o.tol = 1e-5;
        ph_sim *sim = sim_of(&m.sys, &o, m.q0, m.v0);
        run_to(sim, 2);
        steps[k] = ph_sim_stats(sim).accepted;
        ph_sim_destroy(sim);
        open_close(&m);
    }
    assert_int_equal(steps[0], steps[1]); /* exact */
}

/* By tolerance, no Jacobian serves a third iteration. */
static void jacobians_are_kept_once(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    for (int f = PH_INDEX3; f <= PH_GGL; f++) {
        ph_options o = alpha((ph_formulation)f, 0.9, 1);
        o.newton = PH_STEP, o.tol = 1e-2;
        ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
        run_to(sim, 0.5);
        ph_stats st = ph_sim_stats(sim);
        assert_true(st.iterations > 3 * st.accepted);
        assert_true(st.iterations - st.jacobians <= st.accepted + st.rejected);
        ph_sim_destroy(sim);
    }
    ph_problem_destroy(p);
}

static void bounds_are_kept(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    ph_options o = alpha(PH_GGL, 0.9, 1);
    o.tol = 1e-2, o.h_max = 1e-3;
    ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
    run_to(sim, 0.1);
    check_le(ph_sim_stats(sim).h_most, 1e-3 * (1 + 1e-12)); /* round-off of t */
    ph_sim_destroy(sim);
    o.tol = 1e-8, o.h_min = 1e-3, o.h_max = 0;
    sim = sim_of(&p->sys, &o, p->q0, p->v0);
    ph_error err = {0};
    assert_int_equal(ph_sim_run_until(sim, 0.1, NULL, NULL, &err), PH_E_STEP);
    assert_non_null(strstr(err.text, "h_min = 0.001 allows no smaller ones"));
    ph_sim_destroy(sim);
    o.h_max = 1e-4;
    assert_int_equal(ph_sim_create(&sim, &p->sys, &o, 0, p->q0, p->v0, &err), PH_E_INPUT);
    o.h_max = 0, o.h_min = 2, o.max_iterations = 1;
    sim = sim_of(&p->sys, &o, p->q0, p->v0);
    assert_int_equal(ph_sim_run_until(sim, 10, NULL, NULL, &err), PH_E_NEWTON);
    assert_non_null(strstr(err.text, "with a step of h = 2, the least that h_min = 2 allows"));
    ph_sim_destroy(sim);
    o = alpha(PH_GGL, 0.9, 1), o.tol = 1e-3, o.scheme = PH_NEWMARK, o.beta = 0.3, o.gamma = 0.6;
    assert_int_equal(ph_sim_create(&sim, &p->sys, &o, 0, p->q0, p->v0, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "first order"));
    ph_problem_destroy(p);
}

/* ---- sizes that stay ----------------------------------------------------------------------------------------- */

typedef struct seen {
    double h;
    long steps, changes;
} seen;

static ph_status see(const ph_sim *sim, void *ctx)
{
    seen *s = ctx;
    s->steps++, s->changes += sim->h != s->h;
    s->h = sim->h;
    return PH_OK;
}

/* Most steps have the size of the one before to the bit, which costs a constant step: sizes vary by a factor of 2. */
static void sizes_stay(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    for (int f = PH_INDEX3; f <= PH_GGL; f++)
        for (int k = 0; k < 2; k++) {
            ph_options o = alpha((ph_formulation)f, 0.9, 1);
            seen s = {0};
            o.tol = 1e-4, o.h = 0;
            if (k == 1)
                o.method = "bliedf", o.formulation = f == PH_INDEX3 ? PH_GGL : (ph_formulation)f;
            ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
            assert_int_equal(ph_sim_run_until(sim, 0.5, see, &s, NULL), PH_OK);
            ph_stats st = ph_sim_stats(sim);
            assert_true(s.steps > 500 && st.h_most > 1.5 * st.h_least && s.changes > 3);
            check_le((double)s.changes / (double)s.steps, 0.1); /* ordering: 0.01 and 0.06 are seen */
            ph_sim_destroy(sim);
        }
    ph_problem_destroy(p);
}

/* ---- the rules of a simulation ------------------------------------------------------------------------------ */

/* No allocation, a reset gives the bits of the first run, and so does a state that was saved on the way. */
static void lives_by_the_rules(void **state)
{
    (void)state;
    const double when[] = {0.004, 0.0111};
    for (int f = PH_INDEX3; f <= PH_GGL; f++)
        for (int newton = PH_FULL; newton <= PH_MODIFIED; newton++)
            for (int k = 0; k < 4; k++) {
                ph_problem *p = problem_named(k == 1 ? "heavy_top_se3" : "heavy_top");
                ph_options o = alpha((ph_formulation)f, 0.8, k == 2 ? 0 : 1);
                o.newton = (ph_newton)newton, o.seed = 5;
                o.tol = k == 3 ? 0 : 1e-4, o.random = k == 3 ? 2 : 0, o.h = k == 1 || k == 3 ? 3e-4 : 0;
                if (k != 1)
                    o.nonsmooth = (ph_times){2, when};
                counter c;
                counter_open(&c, -1);
                o.alloc = &c.hooks;
                ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
                long asked = c.asked;
                size_t size = ph_sim_save_size(sim);
                void *saved = malloc(size);
                run_sim(sim, 21);
                assert_int_equal(ph_sim_save(sim, saved, size), PH_OK);
                run_sim(sim, 30);
                snapshot x = snap(sim, &p->sys);
                assert_int_equal(ph_sim_reset(sim, 0, p->q0, p->v0, NULL), PH_OK);
                run_sim(sim, 21), run_sim(sim, 30);
                snapshot y = snap(sim, &p->sys);
                assert_int_equal(c.asked, asked);
                ph_sim *other = sim_of(&p->sys, &o, p->q0, p->v0);
                assert_int_equal(ph_sim_restore(other, saved, size, NULL), PH_OK);
                run_sim(other, 30);
                snapshot z = snap(other, &p->sys);
                assert_true(same_bits(&x, &y) && same_bits(&x, &z)); /* exact */
                free(x.x), free(y.x), free(z.x), free(saved);
                ph_sim_destroy(sim), ph_sim_destroy(other);
                assert_int_equal(c.live, 0);
                ph_problem_destroy(p);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_steps_of_top),
        cmocka_unit_test(random_steps_of_two_bodies),
        cmocka_unit_test(multipliers_of_index3),
        cmocka_unit_test(errors_follow_tol),
        cmocka_unit_test(errors_follow_tol_where_parts_cancel),
        cmocka_unit_test(stiffness_is_free),
        cmocka_unit_test(grid_shows_the_same),
        cmocka_unit_test(parabolas_are_met),
        cmocka_unit_test(runs_end_with_their_grid),
        cmocka_unit_test(corners_are_forgotten),
        cmocka_unit_test(corners_are_met),
        cmocka_unit_test(first_step_is_rejected),
        cmocka_unit_test(failures_have_words),
        cmocka_unit_test(forces_are_evaluated_in_iterations),
        cmocka_unit_test(jacobians_are_kept_once),
        cmocka_unit_test(sizes_of_bodies_do_not_count),
        cmocka_unit_test(bounds_are_kept),
        cmocka_unit_test(lives_by_the_rules),
        cmocka_unit_test(sizes_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
