/* Explicit Runge-Kutta-Munthe-Kaas steps: published digits, orders with and without constraints, drift,
 * spaces, steps that are refused, restarts. */
#include "rkmk_cases.h"

static void spring_ball(void **state)
{
    (void)state;
    ph_problem *p = problem_named("spring_ball");
    /* reference: Taylor series with 40 digits, t = 2 */
    static const double psi[] = {0.3263579083195356, 0.0245153097816496, 0.0191701445482059};
    static const double omega[] = {-0.0945936481146126, 0.796935430683718, 0.4341689789457257};
    /* reference: an independent prototype of the same method, one step of h = 0.05 */
    static const double once[] = {3.949237895990e-1, 4.392211289652e-2, 3.434523601971e-2};
    ph_options o = rkmk("rk4", 0.01), large = rkmk("rk4", 0.05);
    ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
    double x[3];
    run_sim(sim, 200);
    ph_state s = ph_sim_state(sim);
    ph_group_get(PH_SO3)->log(0, s.q, x);
    double error = hypot(distance_of(x, psi, 3), distance_of(s.v, omega, 3));
    check_near(error / 5.85e-8, 1, 0.05); /* reference: that prototype, +-5 % */
    ph_sim_destroy(sim);
    sim = sim_of(&p->sys, &large, p->q0, p->v0);
    run_sim(sim, 1);
    ph_group_get(PH_SO3)->log(0, ph_sim_state(sim).q, x);
    check_le(max_diff(x, once, 3), 6e-14); /* reference: all printed digits */
    ph_sim_destroy(sim);
    ph_problem_destroy(p);
}

/* reference: Jacobi's functions; the errors of rk4 are those of 200 steps that turn by 0.03 rad each */
static void free_body(void **state)
{
    (void)state;
    static const double omega[] = {-0.018538737682986907111, 2.9155938279516502635, 1.2906394437953319179};
    static const double q[] = {-0.85242739452678508165, 0.46168789282882174392, -0.20536197357007993733,
                               0.13430668816913360268};
    static const struct {
        const char *name;
        double error;
    } row[] = {{"rk4", 3e-9}, {"dopri5", 3e-12}, {"dopri8", 1e-14}};
    ph_problem *p = problem_named("free_body");
    for (int k = 0; k < 3; k++) {
        ph_options o = rkmk(row[k].name, 0.01);
        ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
        run_sim(sim, 200);
        ph_state s = ph_sim_state(sim);
        check_le(max_diff(s.q, q, 4), row[k].error);
        check_le(max_diff(s.v, omega, 3), row[k].error);
        ph_sim_destroy(sim);
    }
    ph_problem_destroy(p);
}

/* On one axis m psi'' + d psi' + k psi = 0, and every method is the classical one. */
static void parallel_is_classical(void **state)
{
    (void)state;
    ph_problem *p = problem_named("spring_ball");
    for (int row = 0; row < ROWS; row++) {
        ph_tableau t = tableau(explicit_row[row]);
        ph_options o = rkmk(t.name, 0.1);
        double n[3] = {2. / 7, 3. / 7, 6. / 7}, q0[4], v0[3], y[2] = {0.5, 1.5};
        for (int i = 0; i < 3; i++)
            v0[i] = n[i] * y[1], q0[1 + i] = n[i] * sin(y[0] / 2);
        q0[0] = cos(y[0] / 2);
        ph_sim *sim = sim_of(&p->sys, &o, q0, v0);
        for (int step = 0; step < 10; step++) {
            double k[PH_STAGES_MAX][2];
            for (int i = 0; i < t.s; i++) {
                double at[2] = {y[0], y[1]};
                for (int j = 0; j < i; j++)
                    at[0] += o.h * t.A[i][j] * k[j][0], at[1] += o.h * t.A[i][j] * k[j][1];
                k[i][0] = at[1], k[i][1] = -10 * at[0] - 0.2 * at[1];
            }
            for (int i = 0; i < t.s; i++)
                y[0] += o.h * t.b[i] * k[i][0], y[1] += o.h * t.b[i] * k[i][1];
            check_about_axis(sim, n, y, step);
        }
        ph_sim_destroy(sim);
    }
    ph_problem_destroy(p);
}

/* (K3) */
static void orders_constraints(void **state)
{
    (void)state;
    ph_problem *p = problem_named("skate");
    check_order(p, "rk4", 2, 80, 4);
    ph_problem_destroy(p);
    p = problem_named("friction");
    check_order(p, "rk4", p->t_end, 640, 4); /* steps that see the speed at which friction is smooth */
    ph_problem_destroy(p);
    p = problem_named("pendulum");
    check_order(p, "dopri5", 2, 160, 5);
    ph_problem_destroy(p);
    p = problem_named("rheonomic");
    ph_options o = rkmk("rk4", 0.1);
    error_of e = errors(p, &o, 10);
    check_le(fmax(e.q, fmax(e.v, e.lambda)), 1e-14); /* round-off: cubic */
    ph_problem_destroy(p);
}

static void slider_crank(void **state)
{
    (void)state;
    static const ph_space_code space[] = {PH_SPACE_R3XSO3, PH_SPACE_SE3, PH_SPACE_EULER, PH_SPACE_CARDAN};
    for (int k = 0; k < 4; k++) {
        opened m;
        open_model(&m, "slider_crank", NULL, space[k]);
        ph_options o = rkmk("dopri8", 2e-3);
        ph_sim *sim = sim_of(&m.sys, &o, m.q0, m.v0);
        double s[3], position, velocity;
        for (int n = 0; n < 500; n++) {
            run_sim(sim, 1);
            assert_int_equal(ph_sim_violation(sim, &position, &velocity), PH_OK);
            check_le(position, 1e-14); /* invariant, to round-off of the largest coordinate */
            check_le(velocity, 1e-13); /* of velocities up to 24 rad/s */
        }
        sensor_of(&m, sim, "s", s);
        check_near(s[0], 0.211721661393443778, 1e-12); /* reference: quadrature in high precision */
        ph_sim_destroy(sim);
        check_model_order(&m, "rk4", 0.25, 2.5e-3, 4);
        if (k == 0)
            check_model_order(&m, "dopri5", 0.5, 2.5e-3, 5);
        open_close(&m);
    }
}

/* One redundant row: multipliers of least norm. */
static void bricard(void **state)
{
    (void)state;
    opened m;
    open_model(&m, "bricard", NULL, PH_SPACE_R3XSO3);
    assert_int_equal(m.sys.n_redundant, 1);
    ph_options o = rkmk("dopri8", 0.01);
    ph_sim *sim = sim_of(&m.sys, &o, m.q0, m.v0);
    double P3[3], position, velocity;
    static const double exact[] = {0.9682836791067772, -1.224625159436334, 0.7501466094377669};
    run_sim(sim, 50);
    sensor_of(&m, sim, "P3", P3);
    check_le(max_diff(P3, exact, 3), 1e-11); /* reference: t = 0.5, independent, in high precision */
    assert_int_equal(ph_sim_violation(sim, &position, &velocity), PH_OK);
    check_le(position, 1e-13); /* invariant */
    check_le(velocity, 1e-12);
    ph_sim_destroy(sim);
    check_model_order(&m, "rk4", 0.4, 0.02, 4);
    open_close(&m);
}

/* A disc that rolls; and a crank that is driven, which constraints alone put at its place. */
static void rolling_and_drive(void **state)
{
    (void)state;
    opened m;
    open_model(&m, "rolling_disc", NULL, PH_SPACE_R3XSO3);
    check_model_order(&m, "rk4", 0.2, 0.01, 4);
    open_close(&m);
    open_model(&m, "driven_crank", NULL, PH_SPACE_R3XSO3);
    ph_options o = rkmk("rk4", 0.01);
    ph_sim *sim = sim_of(&m.sys, &o, m.q0, m.v0);
    double x[3];
    run_sim(sim, 60);
    sensor_of(&m, sim, "s", x);
    check_near(x[0], 0.25023678687830195, 1e-14); /* reference: of the angle alone */
    ph_sim_destroy(sim);
    open_close(&m);
}

static void refuse(const ph_system *sys, const ph_options *o, const double *q0, const double *v0,
                   ph_status expected, const char *words)
{
    ph_sim *sim = sim_of(sys, o, q0, v0);
    ph_error err = {0};
    snapshot before = snap(sim, sys);
    ph_status s = PH_OK;
    for (int n = 0; n < 2000 && s == PH_OK; n++) {
        free(before.x);
        before = snap(sim, sys);
        s = ph_sim_step(sim, &err);
    }
    assert_int_equal(s, expected);
    assert_int_equal(ph_sim_failure(sim)->status, expected);
    if (!strstr(err.text, words))
        fail_msg("%s", err.text);
    snapshot after = snap(sim, sys);
    assert_true(same_bits(&before, &after)); /* exact */
    free(before.x), free(after.x);
    ph_sim_destroy(sim);
}

static void steps_too_large(void **state)
{
    (void)state;
    for (int row = 0; row < ROWS; row++) {
        ph_problem *p = problem_named("heavy_top");
        ph_options o = rkmk(explicit_row[row], 0.1); /* 15 rad in a step */
        refuse(&p->sys, &o, p->q0, p->v0, PH_E_STEP, "use a smaller step");
        ph_problem_destroy(p);
        p = problem_named("rotor");
        double slow[6] = {0, 0, 0, 1, 0, 0};
        o.h = 0.5; /* springs of 60 rad/s: unstable */
        refuse(&p->sys, &o, p->q0, slow, PH_E_STEP, "smaller step");
        ph_problem_destroy(p);
    }
}

/* What a callback did wrong in the middle of a step is told with its name and the time of the stage. */
static void callbacks_fail(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    for (damage d = NOT_A_NUMBER; d <= REFUSE; d = (damage)(d + 1)) {
        wrap w;
        wrap_open(&w, &p->sys);
        w.damage = d, w.victim = IN_g, w.entry = 4, w.from_t = 0.0104;
        ph_options o = rkmk("rk4", 0.001);
        refuse(&w.sys, &o, p->q0, p->v0, d == REFUSE ? PH_E_CALLBACK : PH_E_NAN, "t = 0.0105");
        w.damage = NONE;
        wrap_close(&w);
    }
    ph_problem_destroy(p);
}

/* An explicit step has no memory: from a loaded state the run goes on to the bit. */
static void load_continues(void **state)
{
    (void)state;
    for (int row = 0; row < ROWS; row++) {
        ph_problem *p = problem_named("heavy_top");
        ph_options o = rkmk(explicit_row[row], 0x1p-11); /* a power of two: no round-off of t */
        ph_sim *a = sim_of(&p->sys, &o, p->q0, p->v0), *b = sim_of(&p->sys, &o, p->q0, p->v0);
        run_sim(a, 7), run_sim(b, 3);
        ph_state s = ph_sim_state(a);
        assert_int_equal(ph_sim_load(b, &s, NULL), PH_OK);
        run_sim(a, 20), run_sim(b, 20);
        snapshot x = snap(a, &p->sys), y = snap(b, &p->sys);
        assert_true(same_bits(&x, &y)); /* exact */
        free(x.x), free(y.x);
        ph_sim_destroy(a), ph_sim_destroy(b);
        ph_problem_destroy(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spring_ball),           cmocka_unit_test(free_body),
        cmocka_unit_test(parallel_is_classical), cmocka_unit_test(orders_constraints),
        cmocka_unit_test(slider_crank),          cmocka_unit_test(bricard),
        cmocka_unit_test(rolling_and_drive),     cmocka_unit_test(steps_too_large),
        cmocka_unit_test(callbacks_fail),        cmocka_unit_test(load_continues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
