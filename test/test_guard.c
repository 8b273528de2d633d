/* Steps that end where functions of the state change their sign: where that is found, and in which order. */
#include "event_cases.h"
#include "step/guard.h"

/* Several in one step, in their order; those at the same time in the order of the file; the grid goes on as before. */
static void several_in_one_step(void **state)
{
    (void)state;
    static const char text[] =
        "body{ name = 'b', mass = 1, inertia = {1, 1, 1}, velocity = {1, 0, 0} }\n"
        "input{ name = 'n', value = 0, hold = 'step' }\n"
        "local function at(x) return function(t, s) return s.b.position.x - x end end\n"
        "local function plus(t, s) return 10*s.inputs.n + 1 end\n"
        "event{ name = 'late', when = at(0.237), action = {set = {n = function(t, s) return 10*s.inputs.n + "
        "3 end}} }\n"
        "event{ name = 'one', when = at(0.231), action = {set = {n = function(t, s) return 10*s.inputs.n + 1 "
        "end}} }\n"
        "event{ name = 'two', when = at(0.231), action = {set = {n = function(t, s) return 10*s.inputs.n + 2 "
        "end}} }\n"
        "event{ name = 'grid', when = function(t, s) return t - 0.3 end, direction = 'up', action = {set = "
        "{n = 5}} }\n"
        "event{ name = 'down', when = at(0.5), direction = 'down', action = 'stop' }\n"
        "sensor{ name = 'n', custom = function(t, s) return s.inputs.n end }\n"
        "run{ t_end = 1, h = 0.1 }";
    for (int k = 0; k < 2; k++) {
        ph_run *run = open_text(text, k ? "tol=1e-6 h=0.1" : "");
        ph_error err = {0};
        double t[16];
        int steps = 0, events;
        for (; ph_run_time(run) < 1 - 1e-9; t[steps++] = ph_run_time(run))
            assert_int_equal(ph_run_step(run, &err), PH_OK);
        static const double expected[] = {0.1, 0.2, 0.231, 0.237, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};
        assert_int_equal(steps, 12);
        for (int i = 0; i < 12; i++)
            check_near(t[i], expected[i], 1e-13); /* round-off */
        const ph_run_event *e = ph_run_events(run, &events);
        assert_int_equal(events, 4);
        static const int order[] = {1, 2, 0, 3}; /* one, two, late, grid */
        for (int i = 0; i < 4; i++)
            assert_int_equal(e[i].event, order[i]);
        assert_true(sensor(run, "n") == 5);
        assert_int_equal(ph_run_summarise(run).stats.steps, 10);
        ph_run_close(run);
    }
}

/* The function is 0 at the point of the method where the event is, not on the polynomial alone (EV1). */
static void located_by_steps(void **state)
{
    (void)state;
    static const char *const options[] = {"formulation=ggl h=0.02",
                                          "formulation=index2 h=0.02",
                                          "method=bliedf h=0.02",
                                          "method=rkmk tableau=rk4 h=0.02",
                                          "tol=1e-2",
                                          "method=rkmk tol=1e-3"};
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        ph_run *run = open_path(MODELS "trebuchet.lua", options[k]);
        ph_error err = {0};
        double v[3];
        while (ph_run_event_count(run) < 2)
            assert_int_equal(ph_run_step(run, &err), PH_OK);
        assert_int_equal(ph_run_get(run, PH_GET_VELOCITY, ph_run_find(run, PH_BODIES, "stone"), v), PH_OK);
        check_near(v[0], v[2], 1e-9); /* round-off: 1e-13 of a step times 1e3 m/s^2, and of 35 m/s */
        ph_run_close(run);
    }
}

/* A function that changes its sign twice within a step is seen. */
static void twice_within_a_step(void **state)
{
    (void)state;
    ph_run *run = open_text("body{ name = 'b', mass = 1, inertia = {1, 1, 1}, velocity = {0, 0, 1} }\n"
                            "gravity {0, 0, -10}\n"
                            "event{ name = 'e', when = function(t, s) return s.b.position.z - 0.0499 end, "
                            "action = {set = {u = 0}} }\n"
                            "input{ name = 'u' }\nrun{ t_end = 0.2, h = 0.05 }",
                            "");
    go(run, 0.2);
    /* reference: formula; round-off, of a difference of numbers whose slope is 0.05 m/s */
    check_near(time_of(run, "e", 0), 0.1 - sqrt(0.01 - 0.00998), 1e-11);
    check_near(time_of(run, "e", 1), 0.1 + sqrt(0.01 - 0.00998), 1e-11);
    assert_int_equal(ph_run_event_count(run), 2);
    ph_run_close(run);
}

/* A particle on a spring, x = 2 cos t: its acceleration passes -0.5, and 0.002 twice before it turns, all within a long step. */
static void accelerations_are_seen(void **state)
{
    (void)state;
    ph_run *run = open_text("particle{ name = 'p', mass = 1, position = {2, 0, 0} }\n"
                            "spring{ bodies = {'ground', 'p'}, k = 1, length = 0 }\n"
                            "input{ name = 'u' }\n"
                            "event{ name = 'e', when = function(t, s) return s.p.acceleration.x + 0.5 end, "
                            "action = {set = {u = 0}} }\n"
                            "event{ name = 'top', when = function(t, s) return s.p.acceleration.x - 1.9985 "
                            "end, action = {set = {u = 0}} }\n"
                            "sensor{ name = 'a', type = 'acceleration', body = 'p' }\n"
                            "run{ t_end = 4, h = 0.1, method = 'rkmk', tableau = 'gauss3' }",
                            "");
    go(run, 4);
    check_near(time_of(run, "e", 0), acos(0.25), 1e-8);       /* reference: formula; order 6 */
    check_near(time_of(run, "top", 0), acos(-0.99925), 1e-6); /* its slope is 0.08 there */
    check_near(time_of(run, "top", 1), 2 * acos(-1) - acos(-0.99925), 1e-6);
    assert_int_equal(ph_run_event_count(run), 3);
    ph_run_close(run);
}

/* ---- functions of time, on a step that the test makes ----------------------------------------------------- */

typedef double (*of_time)(double t);

typedef struct clockwork {
    ph_sim *sim;
    const of_time *f;
    double off;      /* what the functions are more on steps that were made again */
    int seen, again; /* calls */
} clockwork;

static ph_status zero(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)ctx;
    out[0] = 0;
    return PH_OK;
}

static ph_status unit(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)ctx;
    out[0] = 1;
    return PH_OK;
}

static ph_status read_clock(const ph_state *s, int k, double *x, void *ctx)
{
    clockwork *c = ctx;
    c->seen++;
    *x = c->f[k](s->t) + (c->again ? c->off : 0);
    return PH_OK;
}

static ph_status make_again(ph_sim *sim, double t, void *ctx)
{
    clockwork *c = ctx;
    sim->next.t = t;
    c->again++;
    return PH_OK;
}

/* A point at rest, and n functions on a step from t to t + h. */
static void clock_open(clockwork *c, double t, double h, int n, const of_time *f)
{
    static const ph_node node = {.group = PH_RN, .n = 1, .name = "x"};
    static const ph_system sys = {
        .name = "rest", .n_nodes = 1, .nodes = &node, .flags = PH_MASS_CONSTANT, .M = unit, .g = zero};
    ph_options o = ph_default_options();
    double x = 0;
    ph_guard *g;
    o.h = h;
    *c = (clockwork){.sim = sim_of(&sys, &o, &x, &x), .f = f};
    assert_int_equal(ph_guard_create(&g, c->sim, n, NULL), PH_OK);
    g->value = read_clock, g->ctx = c, c->sim->guard = g;
    c->sim->now.t = t, c->sim->next.t = t + h;
    assert_int_equal(ph_guard_begin(c->sim), PH_OK);
}

static void clock_close(clockwork *c)
{
    ph_guard_destroy(c->sim->guard);
    c->sim->guard = NULL;
    ph_sim_destroy(c->sim);
}

static double passes_half(double t)
{
    return t - 0.5;
}

static double falls_at_half(double t)
{
    return 0.5 - t;
}

static double starts_at_zero(double t)
{
    return t;
}

static double passes_late(double t)
{
    return t - 0.75;
}

/* Signs after a change at 1/2: not known of what changed; of others as they are, and as before of what is 0 there without
 * a change that counts. What is 0 at the start changes nothing. */
static void signs_after_a_change(void **state)
{
    (void)state;
    static const of_time f[] = {passes_half, falls_at_half, starts_at_zero, passes_late, passes_half};
    static const int begin[] = {-1, 1, 0, -1, -1}, end[] = {0, 1, 1, -1, 0}, hit[] = {1, 0, 0, 0, 1};
    clockwork c;
    int met;
    clock_open(&c, 0, 1, 5, f);
    ph_guard *g = c.sim->guard;
    g->way[1] = PH_WAY_UP, g->way[4] = PH_WAY_UP;
    assert_int_equal(ph_guard_pass(c.sim, &met), PH_OK);
    assert_true(met && c.sim->next.t == 1);
    assert_memory_equal(g->sign, begin, sizeof begin); /* as they were */
    assert_int_equal(ph_guard_after(c.sim, make_again, &c), PH_OK);
    assert_true(g->met && c.sim->next.t == 0.5); /* exact */
    assert_true(g->root[0] == 0.5 && g->root[4] == 0.5 && g->size == 1);
    assert_memory_equal(g->sign, end, sizeof end);
    for (int k = 0; k < 5; k++)
        assert_int_equal(g->hit[k], hit[k]);
    assert_int_equal(c.again, 1);
    clock_close(&c);
}

static double cubic(double t)
{
    double s = (t - 10) / 0.02;
    return s * s * s - 0.2;
}

/* A smooth function takes few looks, and few steps where those end beside the polynomial. */
static void few_looks(void **state)
{
    (void)state;
    static const of_time f[] = {cubic};
    for (int beside = 0; beside < 2; beside++) {
        clockwork c;
        clock_open(&c, 10, 0.02, 1, f);
        c.off = beside ? 1e-2 : 0;
        assert_int_equal(ph_guard_after(c.sim, make_again, &c), PH_OK);
        assert_true(c.sim->guard->met);
        check_near(c.sim->next.t, 10 + 0.02 * cbrt(0.2 - c.off), 1e-14); /* round-off of 10 */
        assert_true(c.seen < 40);                                        /* halving alone takes 60 */
        assert_int_equal(c.again, beside ? 5 : 1);
        clock_close(&c);
    }
}

static double jumps(double t)
{
    return t < sqrt(0.2) ? -1 : 1;
}

/* A jump is enclosed, by a number of steps that has a bound. */
static void jump_is_enclosed(void **state)
{
    (void)state;
    static const of_time f[] = {jumps};
    clockwork c;
    clock_open(&c, 0, 1, 1, f);
    assert_int_equal(ph_guard_after(c.sim, make_again, &c), PH_OK);
    check_near(c.sim->next.t, sqrt(0.2), 1e-9); /* 1e-4 halved 18 times */
    assert_int_equal(c.again, 20);
    clock_close(&c);
}

/* Adaptive steps follow the motion, which bends less than these functions do: every change is found all the same. The motion
 * is exact for any step, and so are the numbers of events. */
static void fast_functions(void **state)
{
    (void)state;
    static const struct {
        const char *when, *way;
        int events;
    } cases[] = {
        {"math.sin(50*t)", "both", 47},           /* 150/pi = 47.7, without t = 0 */
        {"math.sin(100*t)", "up", 47},            /* 300/(2 pi) = 47.7 */
        {"math.sin(3000*t) + 0.5", "down", 1432}, /* 9000/(2 pi) = 1432.39, and 7/12 of the last */
        {"s.p.position.x + 0.4*math.cos(60*t) - 0.5", "both", 51},        /* as with h = 1e-4 */
        {"tonumber(string.format('%.17g', math.sin(50*t)))", "both", 47}, /* no expression is known */
        {"s.p.position.z - 1.2", "both", 2},                              /* at 0.4 and 0.6 */
        {"s.p.position.z - 1.2499", "both", 2}, /* z = 5 t - 5 t^2 is 1.25 at most */
        {"s.p.position.z - 1.2500001", "both", 0},
    };
    static const char *const options[] = {"tol=1e-1",
                                          "tol=1e-4",
                                          "tol=1e-8",
                                          "method=bliedf tol=1e-1",
                                          "method=bliedf tol=1e-4",
                                          "method=rkmk tol=1e-4",
                                          "tol=1e-3 h=0.25"};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
            char text[1024];
            snprintf(
                text, sizeof text,
                "gravity {0, 0, -10}\ninput{ name = 'u' }\n"
                "particle{ name = 'p', mass = 1, velocity = {0.3, 0, 5} }\n"
                "event{ name = 'e', when = function(t, s) return %s end, direction = '%s', action = {set = "
                "{u = 1}} }\nrun{ t_end = 3, h = 1e-2 }",
                cases[c].when, cases[c].way);
            ph_run *run = open_text(text, options[k]);
            go(run, 3);
            if (ph_run_event_count(run) != cases[c].events)
                fail_msg("%s, %s: %ld events, and there are %d", cases[c].when, options[k],
                         ph_run_event_count(run), cases[c].events);
            ph_run_close(run);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_in_one_step),  cmocka_unit_test(located_by_steps),
        cmocka_unit_test(twice_within_a_step),  cmocka_unit_test(accelerations_are_seen),
        cmocka_unit_test(signs_after_a_change), cmocka_unit_test(few_looks),
        cmocka_unit_test(jump_is_enclosed),     cmocka_unit_test(fast_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
