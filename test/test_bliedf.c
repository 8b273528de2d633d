/* Backward differentiation formulas on Lie groups: orders in q, v and lambda, starting values, the Jacobian,
 * published numbers, memory. */
#include "bliedf_cases.h"

static const ph_correction lie_terms[] = {PH_IN_EXP, PH_IN_VELOCITY};

/* Orders of q and v, and with constraints of lambda, over some halvings. lambda of index-3 carries the
 * round-off of q over h^2. */
static void check_orders(const char *name, const ph_options *options, double order, double t_end,
                         double t_from, int halvings, double tol)
{
    ph_problem *p = problem_named(name);
    ph_options o = *options;
    int constrained = p->sys.n_constraints > 0;
    errors last = {0}, e;
    for (int j = 0; j <= halvings; j++, last = e, o.h /= 2) {
        double noise = o.formulation == PH_INDEX3 ? 2e-12 / (o.h * o.h) : 0;
        e = run_errors(p, p->v0, &o, t_end, t_from, NULL);
        if (j == 0)
            continue;
        check_order(last.q, e.q, order, tol, 1e-12);
        check_order(last.v, e.v, order, tol, 1e-12);
        if (constrained)
            check_order(last.lambda, e.lambda, order, tol, noise);
    }
    ph_problem_destroy(p);
}

/* (D1), (D3), (D4) */
static void orders_of_odes(void **state)
{
    (void)state;
    static const double h_body[] = {0.005, 0.01, 0.01, 0.02, 0.02, 0.025};
    for (int k = 1; k <= 6; k++)
        for (int c = 0; c < 2; c++) {
            /* order: 0.1 over two halvings */
            ph_options o = options(k, lie_terms[c], PH_INDEX3, h_body[k - 1]);
            check_orders("free_body", &o, k, 2, 2, 2, 0.1);
            o.h = k == 1 ? 1.25e-4 : 1e-3;
            check_orders("heavy_top_so3", &o, k, 0.1, 0.1, 2, 0.1);
        }
}

/* One node with M = I, driven along a velocity that is a polynomial of degree 3 in t. */
typedef struct driven {
    int n;
    double c[4][6]; /* v = sum c_d t^d */
} driven;

static ph_status driven_M(const ph_state *s, double *out, void *ctx)
{
    const driven *d = ctx;
    (void)s;
    for (int e = 0; e < d->n; e++)
        out[e * (d->n + 1)] = 1;
    return PH_OK;
}

static ph_status driven_g(const ph_state *s, double *out, void *ctx)
{
    const driven *d = ctx;
    for (int e = 0; e < d->n; e++)
        out[e] = -(d->c[1][e] + s->t * (2 * d->c[2][e] + 3 * s->t * d->c[3][e]));
    return PH_OK;
}

static ph_status driven_zero(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)out, (void)ctx;
    return PH_OK;
}

static void driven_end(const ph_system *sys, const driven *d, const ph_options *o, double *q)
{
    double q0[8] = {0}, v0[6];
    const ph_group_ops *op = ph_group_get(sys->nodes[0].group);
    op->identity(0, q0);
    memcpy(v0, d->c[0], sizeof v0);
    ph_sim *sim = sim_of(sys, o, q0, v0);
    run_sim(sim, lround(1 / o->h));
    memcpy(q, ph_sim_state(sim).q, sizeof(double) * (size_t)op->size);
    ph_sim_destroy(sim);
}

/* BDF of order 4 and more differentiate the integral of that v exactly, and the polynomials of (D7) are v
 * itself: what is left are the Lie terms, with an error of order 4 without E and of order 6 with it. One
 * coefficient of E wrong by a hundredth would leave a thousandth of the former. Reference: a Runge-Kutta
 * method of order 8. */
static void lie_terms_alone(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int se3 = 0; se3 < 2; se3++) {
        driven d = {.n = se3 ? 6 : 3};
        ph_node node = {se3 ? PH_SE3 : PH_SO3, 0, "driven"};
        ph_system sys = {.n_nodes = 1, .nodes = &node, .flags = PH_MASS_CONSTANT, .ctx = &d};
        sys.M = driven_M, sys.g = driven_g, sys.C = sys.K = driven_zero;
        for (int e = 0; e < 24; e++)
            d.c[e / 6][e % 6] = 3 * rnd(&seed);
        double exact[8], q[8];
        ph_options o = ph_default_options();
        o.method = "rkmk", o.tableau = "dopri8", o.h = 1.0 / 512;
        driven_end(&sys, &d, &o, exact);
        for (int c = 0; c < 2; c++) {
            double e[3];
            for (int k = 4; k <= 6; k++) {
                o = options(k, lie_terms[c], PH_INDEX3, 1.0 / 64);
                driven_end(&sys, &d, &o, q);
                e[k - 4] = turn_gap(&sys, q, exact);
            }
            assert_true(e[0] > 1e-9);
            check_le(e[1] / e[0], 2e-4); /* ordering: C h^2 */
            check_le(e[2] / e[0], 2e-4);
        }
    }
}

/* Without the Lie term the order of rotations is 2; with old velocities in it, 3; with these extrapolated, 4.
 * Velocities of a free body do not know. (D5), (D6), (D12) */
static void order_is_lost(void **state)
{
    (void)state;
    ph_problem *p = problem_named("free_body");
    for (int k = 3; k <= 6; k++)
        for (int c = PH_LAGGED; c <= PH_WITHOUT; c++) {
            int most = c == PH_LAGGED ? 3 : c == PH_EXTRAPOLATED ? 4 : 2;
            ph_options o = options(k, (ph_correction)c, PH_INDEX3, 0.01);
            errors a = run_errors(p, p->v0, &o, 2, 2, NULL);
            o.h /= 2;
            errors b = run_errors(p, p->v0, &o, 2, 2, NULL);
            check_order(a.q, b.q, k < most ? k : most, 0.1, 0); /* order */
            check_order(a.v, b.v, k, 0.2, 1e-12);
        }
    ph_problem_destroy(p);
}

/* Attitude errors at t = 2 with 100, 200, 400, 800 steps, of an independent prototype with
 * R_0 = exp(0.3, 0.2, -0.5). Its fourth-order rows take the commutator from extrapolated velocities; the two
 * forms of full order are better. */
static void published_attitudes(void **state)
{
    (void)state;
    static const struct {
        int k;
        ph_correction correction;
        double error[4];
    } rows[] = {{2, PH_IN_EXP, {6.44e-4, 1.62e-4, 4.06e-5, 1.02e-5}},
                {3, PH_LAGGED, {1.75e-5, 2.22e-6, 2.78e-7, 3.49e-8}},
                {4, PH_EXTRAPOLATED, {5.62e-7, 3.54e-8, 2.22e-9, 1.39e-10}}};
    ph_problem *p = problem_named("free_body");
    const double x[] = {0.3, 0.2, -0.5};
    double R0[4], q[4], v[3], vdot[3];
    const ph_group_ops *so3 = ph_group_get(PH_SO3);
    so3->exp(3, x, R0);
    assert_true(p->exact(p, 2, q, v, vdot, NULL));
    so3->compose(3, R0, q, q);
    for (int r = 0; r < 5; r++)
        for (int j = 0; j < 4; j++) {
            ph_options o = options(r < 3 ? rows[r].k : 4, r < 3 ? rows[r].correction : lie_terms[r - 3],
                                   PH_INDEX3, 0.02 / (1 << j));
            ph_sim *sim = sim_of(&p->sys, &o, R0, p->v0);
            run_sim(sim, 100L << j);
            double e = turn_gap(&p->sys, ph_sim_state(sim).q, q);
            if (r < 3)
                check_le(fabs(e / rows[r].error[j] - 1), 0.03); /* reference */
            else
                check_le(e, rows[2].error[j]); /* ordering */
            ph_sim_destroy(sim);
        }
    ph_problem_destroy(p);
}

/* From the first step on, in the largest norm: no transient. (D2) */
static void orders_of_the_top(void **state)
{
    (void)state;
    for (int k = 2; k <= 4; k++)
        for (int f = 0; f < FORMS; f += 2) {
            ph_options o = options(k, PH_IN_EXP, forms[f], 1e-3);
            check_orders("heavy_top", &o, k, 0.2, 0, 3, 0.1); /* order */
            if (k > 2) {
                o.correction = PH_IN_VELOCITY;
                check_orders("heavy_top", &o, k, 0.2, 0, 1, 0.1);
            }
        }
    for (int k = 5; k <= 6; k++)
        for (int c = 0; c < 2; c++) {
            ph_options o = options(k, lie_terms[c], PH_INDEX3, 1e-3);
            check_orders("heavy_top", &o, k, 0.2, 0, 2, 0.1);
            o.h = 5e-4, o.formulation = PH_GGL;
            check_orders("heavy_top", &o, k, 0.2, 0, 1, 0.1);
        }
}

/* One node with a coupled algebra, one with a direct product, and index-2. */
static void orders_of_spaces(void **state)
{
    (void)state;
    static const char *const names[] = {"heavy_top_se3", "heavy_top_r3xso3"};
    for (int i = 0; i < 2; i++)
        for (int f = 0; f < FORMS; f++)
            for (int k = 2; k <= 6; k += 2) {
                ph_options o = options(k, lie_terms[f & 1], forms[f], 5e-4);
                check_orders(names[i], &o, k, 0.2, 0, 1, 0.1); /* order */
            }
}

static void orders_of_other_systems(void **state)
{
    (void)state;
    static const char *const names[] = {"pendulum", "friction", "skate", "spring_ball"};
    for (int i = 0; i < 4; i++)
        for (int f = 0; f < FORMS; f++)
            for (int k = 1; k <= 4; k++) {
                ph_options o = options(k, PH_IN_EXP, forms[f], i == 1 ? 0.0025 : 0.005);
                ph_problem *p = problem_named(names[i]);
                errors a = run_errors(p, p->v0, &o, 0.5, 0, NULL);
                o.h /= 2;
                errors b = run_errors(p, p->v0, &o, 0.5, 0, NULL);
                /* order; the skate's lambda has one more where k is even, the pendulum's q is late */
                assert_true(log2(a.v / b.v) > k - 0.15);
                assert_true(log2(a.q / b.q) > k - 0.35);
                if (p->sys.n_constraints)
                    assert_true(log2(a.lambda / b.lambda) > k - 0.15);
                ph_problem_destroy(p);
            }
}

/* q = t^3: BDF-3 differentiates it exactly, BDF-2 with the error (2/6) h^2 q''' in v. */
static void moving_support(void **state)
{
    (void)state;
    ph_problem *p = problem_named("rheonomic");
    for (int k = 2; k <= 4; k++)
        for (int f = 0; f < FORMS; f++) {
            ph_options o = options(k, PH_IN_EXP, forms[f], 0.005);
            errors e = run_errors(p, p->v0, &o, 0.5, 0, NULL);
            double v = k == 2 && forms[f] == PH_INDEX3 ? 2 * o.h * o.h : 0;
            if (forms[f] != PH_INDEX2)
                check_le(e.q, 1e-15); /* round-off */
            check_near(e.v, v, 1e-13);
            check_le(e.lambda, 1e-9); /* round-off of q over h^2; BDF-2 knows vdot = 6 t */
        }
    ph_problem_destroy(p);
}

/* Without the Lie term constrained tops are of order 2: for k = 4 at once, for k = 3 on a slow top. */
static void order_is_lost_with_constraints(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    ph_options o = options(4, PH_WITHOUT, PH_INDEX3, 5e-4);
    errors a = run_errors(p, p->v0, &o, 0.2, 0, NULL);
    o.h /= 2;
    errors b = run_errors(p, p->v0, &o, 0.2, 0, NULL);
    check_order(a.q, b.q, 2, 0.15, 0); /* order */
    ph_top *top = p->data;
    const double v0[] = {0.0461538, 0, 0, 0, 1.5, -0.0461538};
    for (int i = 0; i < 3; i++)
        top->ode.y0[4 + i] = v0[3 + i];
    ph_ode_start(&top->ode, 1e-3L);
    for (int with = 0; with < 2; with++) {
        o = options(3, with ? PH_IN_EXP : PH_WITHOUT, PH_INDEX3, 2.5e-3);
        a = run_errors(p, v0, &o, 0.5, 0, NULL);
        o.h /= 2;
        b = run_errors(p, v0, &o, 0.5, 0, NULL);
        check_order(a.q, b.q, with ? 3 : 2, 0.15, 0);
    }
    ph_problem_destroy(p);
}

static double bricard_error(const ph_options *o)
{
    static const double reference[] = {0.9682836791067772, -1.224625159436334,
                                       0.7501466094377669}; /* t = 0.5 */
    ph_model *model;
    ph_mechanism *mech;
    const double *q0, *v0;
    ph_sim *sim;
    double P3[8] = {0};
    int dependent[16];
    assert_int_equal(ph_model_read(&model, PH_TEST_DIR "/../models/bricard.lua", NULL, 0, NULL, NULL), PH_OK);
    assert_int_equal(ph_mechanism_create(&mech, model, PH_SPACE_R3XSO3, NULL, NULL), PH_OK);
    assert_int_equal(ph_mechanism_initial(mech, 0, &q0, &v0, NULL), PH_OK);
    ph_system sys = *ph_mechanism_system(mech);
    assert_int_equal(ph_system_rank(&sys, 0, q0, dependent, NULL), PH_OK);
    for (int c = 0; c < sys.n_constraints; c++)
        sys.n_redundant += dependent[c];
    sim = sim_of(&sys, o, q0, v0);
    run_sim(sim, lround(0.5 / o->h));
    ph_state s = ph_sim_state(sim);
    assert_int_equal(ph_mechanism_sensor(mech, &s, ph_model_find(model, PH_SENSORS, "P3"), P3), PH_OK);
    ph_sim_destroy(sim);
    ph_mechanism_destroy(mech);
    ph_model_free(model);
    return gap(P3, reference, 3);
}

static void redundant_constraints(void **state)
{
    (void)state;
    for (int k = 2; k <= 4; k++)
        for (int f = 0; f < FORMS; f += 2) {
            ph_options o = options(k, PH_IN_EXP, forms[f], 0.01);
            double a = bricard_error(&o);
            o.h /= 2;
            check_order(a, bricard_error(&o), k, 0.25, 0); /* order; the steps are large */
        }
}

/* A failed step changes neither the state nor the past: healed, the run goes on as if it had not been, in the
 * start and after it. */
static void failure_keeps_the_past(void **state)
{
    (void)state;
    for (int f = 0; f < FORMS; f += 2)
        for (int n = 0; n <= 12; n++) {
            ph_problem *p = problem_named("heavy_top");
            ph_options o = options(4, PH_IN_EXP, forms[f], 1e-3);
            wrap w;
            wrap_open(&w, &p->sys);
            ph_sim *a = sim_of(&w.sys, &o, p->q0, p->v0), *b = sim_of(&w.sys, &o, p->q0, p->v0);
            run_sim(a, n), run_sim(b, n);
            snapshot before = snap(a, &p->sys);
            ph_error err = {0};
            w.damage = n % 3 ? REFUSE : NOT_A_NUMBER, w.victim = n % 2 ? IN_g : IN_B;
            w.from_t = (n + 0.5) * o.h;
            assert_int_equal(ph_sim_step(a, &err), n % 3 ? PH_E_CALLBACK : PH_E_NAN);
            assert_non_null(strstr(err.text, n % 2 ? "the callback g " : "the callback B "));
            snapshot after = snap(a, &p->sys);
            assert_true(same_bits(&before, &after)); /* exact */
            w.damage = NONE;
            run_sim(a, 10), run_sim(b, 10);
            snapshot x = snap(a, &p->sys), y = snap(b, &p->sys);
            check_le(distance(&x, &y), 1e-9); /* round-off: lambda was guessed without its past */
            free(before.x), free(after.x), free(x.x), free(y.x);
            ph_sim_destroy(a), ph_sim_destroy(b);
            wrap_close(&w);
            ph_problem_destroy(p);
        }
}

/* A body that turns by half a revolution and more in a step cannot be started, and it is said why. */
static void spins_too_fast(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    ph_options o = options(2, PH_IN_EXP, PH_GGL, 0.025);
    ph_error err = {0};
    o.halvings = 0; /* the failure is what is looked at */
    ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
    assert_int_equal(ph_sim_step(sim, &err), PH_E_STEP);
    assert_non_null(strstr(err.text, "smaller step"));
    assert_true(ph_sim_state(sim).t == 0);
    ph_sim_destroy(sim);
    ph_problem_destroy(p);
}

/* The increment that a correction makes to q1 of each node, to dq. */
static void moved(ph_sim *sim, const ph_step_ops *o, const double *x, double *dq)
{
    const ph_layout *lay = &sim->lay;
    double e[8];
    ph_point_copy(&sim->kept, &sim->next, lay);
    o->correct(sim, x);
    assert_int_equal(o->update(sim), PH_OK);
    for (const ph_slot *i = lay->slot; i < lay->slot + lay->N; i++) {
        const double *a = sim->kept.q + i->q_at, *b = sim->next.q + i->q_at;
        for (int k = 0; i->T_at < 0 && k < i->dim; k++)
            dq[i->v_at + k] = b[k] - a[k];
        if (i->T_at < 0)
            continue;
        i->op->inverse(i->dim, a, e);
        i->op->compose(i->dim, e, b, e);
        i->op->log(i->dim, e, dq + i->v_at);
    }
}

/* L and F of (D8): with them a correction (dq, x_eta) moves q by dq, to first order, whatever x_eta; checked
 * by the difference of two corrections of opposite sign at the end of a step. */
static void tangents(void **state)
{
    (void)state;
    static const char *const names[] = {"heavy_top", "heavy_top_se3", "heavy_top_r3xso3"};
    uint64_t seed = 7;
    for (int i = 0; i < 3; i++)
        for (int f = 0; f < FORMS; f += 2)
            for (int c = PH_IN_EXP; c <= PH_WITHOUT; c++)
                for (int k = 1; k <= 6; k++) {
                    ph_problem *p = problem_named(names[i]);
                    ph_options o = options(k, (ph_correction)c, forms[f], 3e-3); /* 0.45 rad */
                    ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
                    run_sim(sim, 2 * k);
                    sim->next.t = sim->now.t + o.h;
                    assert_int_equal(sim->stepper->step(sim), PH_OK);
                    ph_step_ops *ops = sim->method;
                    double x[12] = {0}, minus[12] = {0}, there[6], back[6], away[6], L[36];
                    for (int e = 0; e < sim->matrix.n; e++) {
                        x[e] = 1e-4 * rnd(&seed); /* dq, lambda, x_eta */
                        minus[e] = -x[e];
                    }
                    ops->linearise(sim);
                    memcpy(L, ops->L, sizeof(double) * (size_t)sim->lay.nT);
                    ops->L = L; /* it may be T^-1, which is renewed on the way */
                    moved(sim, ops, x, there), moved(sim, ops, minus, back), moved(sim, ops, minus, away);
                    for (int e = 0; e < 6; e++) {
                        check_near(back[e], -there[e], 1e-14);             /* round-off */
                        check_near((there[e] - away[e]) / 2, x[e], 1e-11); /* derivative: third order */
                    }
                    ph_sim_destroy(sim);
                    ph_problem_destroy(p);
                }
}

/* A tolerance of nothing: iterations go on to round-off, so a linear rate would show. */
static void exact_jacobian(void **state)
{
    (void)state;
    for (int i = 0; ph_problem_name(i); i++)
        for (int f = 0; f < FORMS; f++)
            for (int c = PH_IN_EXP; c <= PH_WITHOUT; c++)
                for (int k = 1; k <= 6; k++) {
                    ph_problem *p = small_problem(i);
                    ph_options o = options(k, (ph_correction)c, forms[f], 2 * p->h);
                    o.newton = PH_FULL;
                    ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
                    run_sim(sim, 14);
                    /* ordering: quadratic from 0.1 is 1e-2, 1e-4, 1e-8, 1e-16 */
                    assert_true(ph_sim_stats(sim).worst_iterations <= 5);
                    ph_sim_destroy(sim);
                    ph_problem_destroy(p);
                }
}

static void newton_kinds_agree(void **state)
{
    (void)state;
    for (int i = 0; ph_problem_name(i); i++)
        for (int f = 0; f < FORMS; f++)
            for (int k = 2; k <= 6; k += 2) {
                snapshot x[4];
                ph_problem *p = small_problem(i);
                for (int kind = PH_STEP; kind <= PH_MODIFIED; kind++) {
                    ph_options o = options(k, lie_terms[f & 1], forms[f], p->h);
                    o.newton = (ph_newton)kind, o.rtol = o.atol = 1e-10;
                    ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
                    run_sim(sim, 40);
                    x[kind] = snap(sim, &p->sys);
                    ph_sim_destroy(sim);
                }
                /* round-off: Newton's tolerance, summed over the steps; lambda looser */
                for (int kind = PH_STEP; kind <= PH_MODIFIED; kind++) {
                    check_le(max_diff(snap_q(&x[kind]), snap_q(&x[PH_FULL]), x[0].nq), 1e-9);
                    check_le(distance(&x[kind], &x[PH_FULL]), 3e-5);
                }
                free(x[0].x), free(x[1].x), free(x[2].x), free(x[3].x);
                ph_problem_destroy(p);
            }
}

static void no_allocation(void **state)
{
    (void)state;
    for (int i = 0; ph_problem_name(i); i++)
        for (int f = 0; f < FORMS; f++)
            for (int k = 1; k <= 6; k++) {
                ph_problem *p = small_problem(i);
                ph_options o = options(k, lie_terms[k & 1], forms[f], p->h);
                counter c;
                counter_open(&c, -1);
                o.alloc = &c.hooks, o.solver = PH_BLOCK;
                ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
                long asked = c.asked;
                run_sim(sim, 2 * k + 2);
                snapshot x = snap(sim, &p->sys);
                assert_int_equal(ph_sim_reset(sim, 0, p->q0, p->v0, NULL), PH_OK);
                run_sim(sim, 2 * k + 2);
                snapshot y = snap(sim, &p->sys);
                assert_true(same_bits(&x, &y)); /* exact */
                assert_int_equal(c.asked, asked);
                ph_sim_destroy(sim);
                assert_int_equal(c.live, 0);
                free(x.x), free(y.x);
                ph_problem_destroy(p);
            }
}

static void bad_orders(void **state)
{
    (void)state;
    static const int orders[] = {-1, 0, 7, 1000000};
    ph_problem *p = problem_named("pendulum");
    for (int i = 0; i < 4; i++) {
        ph_options o = options(orders[i], PH_IN_EXP, PH_INDEX3, 0.01);
        ph_sim *sim;
        ph_error err = {0};
        assert_int_equal(ph_sim_create(&sim, &p->sys, &o, 0, p->q0, p->v0, &err), PH_E_INPUT);
        assert_null(sim);
        assert_non_null(strstr(err.text, "1 to 6"));
    }
    ph_problem_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_of_odes),
        cmocka_unit_test(lie_terms_alone),
        cmocka_unit_test(order_is_lost),
        cmocka_unit_test(published_attitudes),
        cmocka_unit_test(orders_of_the_top),
        cmocka_unit_test(orders_of_spaces),
        cmocka_unit_test(orders_of_other_systems),
        cmocka_unit_test(moving_support),
        cmocka_unit_test(order_is_lost_with_constraints),
        cmocka_unit_test(redundant_constraints),
        cmocka_unit_test(failure_keeps_the_past),
        cmocka_unit_test(spins_too_fast),
        cmocka_unit_test(tangents),
        cmocka_unit_test(exact_jacobian),
        cmocka_unit_test(newton_kinds_agree),
        cmocka_unit_test(iterations),
        cmocka_unit_test(no_allocation),
        cmocka_unit_test(bad_orders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
