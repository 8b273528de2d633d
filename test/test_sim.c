/* Simulations through the public API: create, step, run, reset, load, views; memory; failures; bad input. */
#include "sim_life.h"
#include "step/sim.h"

#include <float.h>
#include <pthread.h>

static ph_status count_output(const ph_sim *sim, void *ctx)
{
    double *log = ctx; /* calls, last t, calls allowed */
    log[0]++;
    log[1] = ph_sim_state(sim).t;
    return log[0] < log[2] ? PH_OK : PH_E_INPUT;
}

static void run_equals_steps(void **state)
{
    (void)state;
    for (int k = 0; ph_problem_name(k); k++)
        for (int f = 0; f < FORMS; f++) {
            ph_problem *p = small_problem(k);
            ph_options o = options_for(p, forms[f]);
            ph_sim *a = sim_of(&p->sys, &o, p->q0, p->v0), *b = sim_of(&p->sys, &o, p->q0, p->v0);
            double log[3] = {0, 0, 1e9};
            assert_int_equal(ph_sim_run(a, 12, count_output, log, NULL), PH_OK);
            for (int n = 0; n < 12; n++)
                assert_int_equal(ph_sim_step(b, NULL), PH_OK);
            snapshot x = snap(a, &p->sys), y = snap(b, &p->sys);
            assert_true(same_bits(&x, &y)); /* exact */
            assert_true(log[0] == 13 && log[1] == 12 * o.h);
            assert_int_equal(ph_sim_stats(a).steps, 12);
            assert_int_equal(ph_sim_stats(a).iterations, ph_sim_stats(b).iterations);
            assert_true(ph_sim_stats(a).wall_s > 0);
            free(x.x), free(y.x);
            ph_sim_destroy(a), ph_sim_destroy(b);
            ph_problem_destroy(p);
        }
}

/* After any history, a reset gives the bits of a new simulation, with every solver. */
static void reset_reproduces(void **state)
{
    (void)state;
    for (int k = 0; ph_problem_name(k); k++)
        for (int solver = 0; solver < PH_SOLVER_COUNT; solver++) {
            ph_problem *p = small_problem(k);
            ph_options o = options_for(p, forms[(k + solver) % FORMS]);
            o.solver = (ph_solver_kind)solver;
            ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
            snapshot start = snap(sim, &p->sys);
            run_sim(sim, 9);
            snapshot once = snap(sim, &p->sys);
            assert_int_equal(ph_sim_reset(sim, 0, p->q0, p->v0, NULL), PH_OK);
            assert_int_equal(ph_sim_stats(sim).steps, 0);
            snapshot again = snap(sim, &p->sys);
            assert_true(same_bits(&start, &again)); /* exact */
            run_sim(sim, 9);
            snapshot twice = snap(sim, &p->sys);
            assert_true(same_bits(&once, &twice));
            free(start.x), free(once.x), free(again.x), free(twice.x);
            ph_sim_destroy(sim);
            ph_problem_destroy(p);
        }
}

/* A reset with values that make no sense is refused and changes nothing: the run goes on as if it had not
 * been. */
static void refused_reset(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    ph_options o = options_for(p, PH_GGL);
    ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0), *twin = sim_of(&p->sys, &o, p->q0, p->v0);
    double q[7], v[6];
    run_sim(sim, 5), run_sim(twin, 5);
    for (int k = 0; k < 4; k++) {
        snapshot before = snap(sim, &p->sys);
        memcpy(q, p->q0, sizeof q), memcpy(v, p->v0, sizeof v);
        if (k == 0)
            q[1] = 2;
        else if (k == 1)
            v[0] = NAN;
        else if (k == 2)
            q[3] = 0.5;
        ph_error err = {0};
        ph_status s = ph_sim_reset(sim, k == 3 ? NAN : 0, q, v, &err);
        assert_int_equal(s, k == 0 ? PH_E_INCONSISTENT : PH_E_INPUT);
        assert_int_equal(err.status, s);
        snapshot after = snap(sim, &p->sys);
        assert_true(same_bits(&before, &after)); /* exact */
        assert_int_equal(ph_sim_stats(sim).steps, 5);
        free(before.x), free(after.x);
    }
    run_sim(sim, 3), run_sim(twin, 3);
    snapshot x = snap(sim, &p->sys), y = snap(twin, &p->sys);
    check_le(distance(&x, &y), 1e-9); /* round-off: Newton's tolerance, the predictor lost its memory */
    assert_true(x.x[0] == y.x[0]);
    free(x.x), free(y.x);
    ph_sim_destroy(sim), ph_sim_destroy(twin);
    ph_problem_destroy(p);
}

/* A loaded state is the other one's to the bit. The steps after it agree to Newton's tolerance, not to the
 * bit: the predictor begins without memory of the last step. Two simulations that load the same state stay
 * equal to the bit. */
static void load_continues(void **state)
{
    (void)state;
    for (int k = 0; ph_problem_name(k); k++)
        for (int f = 0; f < FORMS; f++) {
            ph_problem *p = small_problem(k);
            ph_options o = options_for(p, forms[f]);
            ph_sim *a = sim_of(&p->sys, &o, p->q0, p->v0), *b = sim_of(&p->sys, &o, p->q0, p->v0);
            ph_sim *c = sim_of(&p->sys, &o, p->q0, p->v0);
            run_sim(a, 7), run_sim(b, 2);
            ph_state s = ph_sim_state(a);
            assert_int_equal(ph_sim_load(b, &s, NULL), PH_OK);
            assert_int_equal(ph_sim_load(c, &s, NULL), PH_OK);
            snapshot x = snap(a, &p->sys), y = snap(b, &p->sys);
            assert_true(same_bits(&x, &y)); /* exact */
            free(x.x), free(y.x);
            run_sim(a, 5), run_sim(b, 5), run_sim(c, 5);
            x = snap(a, &p->sys), y = snap(b, &p->sys);
            snapshot z = snap(c, &p->sys);
            assert_true(same_bits(&y, &z)); /* exact */
            check_near(x.x[0], y.x[0], 1e-15);
            check_le(distance(&x, &y), 1e-7); /* round-off: rtol = 1e-8 of accelerations, in lambda */
            free(x.x), free(y.x), free(z.x);
            ph_sim_destroy(a), ph_sim_destroy(b), ph_sim_destroy(c);
            ph_problem_destroy(p);
        }
}

typedef struct saved {
    size_t size;
    void *bytes;
} saved;

static saved save_of(const ph_sim *sim)
{
    saved s = {ph_sim_save_size(sim), NULL};
    s.bytes = malloc(s.size);
    assert_int_equal(ph_sim_save(sim, s.bytes, s.size), PH_OK);
    return s;
}

/* a goes on; b, with another past, is brought to where a was and goes on too. Queries on the way change nothing. */
static void check_going_on(const ph_problem *p, const ph_options *o, long before)
{
    ph_sim *a = sim_of(&p->sys, o, p->q0, p->v0), *b = sim_of(&p->sys, o, p->q0, p->v0);
    double position, velocity, omega;
    run_sim(a, before), run_sim(b, 5);
    saved s = save_of(a);
    for (int k = 0; k < 6; k++)
        assert_int_equal(ph_sim_step(a, NULL), PH_OK);
    assert_int_equal(ph_sim_restore(b, s.bytes, s.size, NULL), PH_OK);
    for (int k = 0; k < 6; k++) {
        assert_int_equal(ph_sim_violation(b, &position, &velocity), PH_OK);
        assert_int_equal(ph_sim_fastest(b, &omega), PH_OK);
        free(save_of(b).bytes);
        assert_int_equal(ph_sim_step(b, NULL), PH_OK);
    }
    snapshot u = snap(a, &p->sys), v = snap(b, &p->sys);
    if (!same_bits(&u, &v)) /* exact */
        fail_msg("%s: %s, formulation %d, newton %d, solver %d", p->sys.name, o->method, (int)o->formulation,
                 (int)o->newton, (int)o->solver);
    assert_int_equal(ph_sim_stats(a).iterations, ph_sim_stats(b).iterations);
    assert_int_equal(ph_sim_stats(a).factorizations, ph_sim_stats(b).factorizations);
    free(s.bytes), free(u.x), free(v.x);
    ph_sim_destroy(a), ph_sim_destroy(b);
}

/* Not every method has every form. */
static int exists(const ph_problem *p, const ph_options *o)
{
    ph_sim *sim;
    ph_status s = ph_sim_create(&sim, &p->sys, o, 0, p->q0, p->v0, NULL);
    ph_sim_destroy(sim);
    return s == PH_OK;
}

static void save_goes_on(void **state)
{
    (void)state;
    static const char *const names[] = {"heavy_top", "chain", "rheonomic", "skate", "pendulum"};
    int cases = 0;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (int m = 0; ph_method_name(m); m++)
            for (int f = 0; f < FORMS; f++)
                for (int newton = 0; newton <= PH_MODIFIED; newton++)
                    for (int solver = 0; solver < PH_SOLVER_COUNT; solver++) {
                        ph_problem *p = ph_problem_create(names[k], k == 1 ? &(ph_problem_def){4, 0} : NULL);
                        ph_options o = options_for(p, forms[f]);
                        o.method = ph_method_name(m), o.newton = (ph_newton)newton;
                        o.solver = (ph_solver_kind)solver, o.order = 2 + (f + newton) % 3;
                        if (exists(p, &o)) { /* within the start of a multistep method, and after it */
                            check_going_on(p, &o, newton ? 9 : 2);
                            cases++;
                        }
                        ph_problem_destroy(p);
                    }
    assert_true(cases > 600);
}

/* Error control with a grid and without, embedded pairs and step doubling, explicit and implicit stages. */
static void save_goes_on_with_control(void **state)
{
    (void)state;
    static const char *const tableaux[] = {"dopri5", "dopri8", "rk4", "radau3", "gauss2", "sdirk2"};
    for (size_t k = 0; k < sizeof tableaux / sizeof *tableaux; k++)
        for (int grid = 0; grid < 2; grid++)
            for (int newton = 0; newton <= PH_MODIFIED; newton += PH_MODIFIED) {
                ph_problem *p = problem_named("heavy_top");
                ph_options o = options_for(p, PH_INDEX3);
                o.method = "rkmk", o.tableau = tableaux[k], o.tol = 1e-5, o.newton = (ph_newton)newton;
                o.h = grid ? 2e-4 : 0;
                check_going_on(p, &o, 7);
                ph_problem_destroy(p);
            }
}

/* A quaternion that is a little off is taken, with length 1; one that is far off is none. */
static void lengths_of_quaternions(void **state)
{
    (void)state;
    ph_problem *p = problem_named("free_body");
    ph_options o = options_for(p, PH_GGL);
    double q[4], length = 0;
    for (int k = 0; k < 4; k++)
        q[k] = p->q0[k] * (1 + 1e-12);
    ph_sim *sim = sim_of(&p->sys, &o, q, p->v0);
    for (int k = 0; k < 4; k++)
        length += ph_sim_state(sim).q[k] * ph_sim_state(sim).q[k];
    check_near(length, 1, 4 * DBL_EPSILON); /* round-off */
    for (int k = 0; k < 4; k++)
        q[k] = p->q0[k] * 1.1;
    assert_int_equal(ph_sim_reset(sim, 0, q, p->v0, NULL), PH_E_INPUT);
    ph_sim_destroy(sim);
    ph_problem_destroy(p);
}

static void save_refuses(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top"), *q = problem_named("pendulum");
    ph_options o = options_for(p, PH_GGL), other = o;
    other.rho = 0.8;
    ph_sim *a = sim_of(&p->sys, &o, p->q0, p->v0), *b = sim_of(&p->sys, &other, p->q0, p->v0);
    ph_sim *c = sim_of(&q->sys, &o, q->q0, q->v0);
    run_sim(a, 3);
    saved s = save_of(a);
    ph_error err = {0};
    assert_int_equal(ph_sim_restore(b, s.bytes, s.size, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "other options"));
    assert_int_equal(ph_sim_restore(c, s.bytes, s.size, &err), PH_E_INPUT);
    assert_int_equal(ph_sim_restore(a, s.bytes, s.size - 1, &err), PH_E_INPUT);
    assert_int_equal(ph_sim_save(a, s.bytes, s.size - 1), PH_E_INPUT);
    free(s.bytes);
    ph_sim_destroy(a), ph_sim_destroy(b), ph_sim_destroy(c);
    ph_problem_destroy(p), ph_problem_destroy(q);
}

/* Options and arguments that make no sense: one sentence each, and no simulation. */
static void options_refused(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    const ph_options good = options_for(p, PH_GGL);
    static const double fall[] = {0.2, 0.1}, none[] = {INFINITY};
    const char *const words[] = {"span = -1 is not a time",
                                 "random = -1 is not a ratio",
                                 "linear-alpha has steps of one size alone",
                                 "nonsmooth: inf is not a time",
                                 "nonsmooth: times must rise, and 0.1 comes after 0.2",
                                 "ggl_length = -1: a length, or 0",
                                 "the step size h = 0 is not a positive number"};
    for (int k = 0; k < (int)(sizeof words / sizeof *words); k++) {
        ph_options o = good;
        ph_error err = {0};
        ph_sim *sim;
        if (k == 0)
            o.span = -1;
        else if (k == 1)
            o.random = -1;
        else if (k == 2)
            o.random = 2, o.method = "linear-alpha";
        else if (k == 3)
            o.nonsmooth.t = none, o.nonsmooth.n = 1;
        else if (k == 4)
            o.nonsmooth.t = fall, o.nonsmooth.n = 2;
        else if (k == 5)
            o.ggl_length = -1;
        else
            o.h = 0;
        assert_int_equal(ph_sim_create(&sim, &p->sys, &o, 0, p->q0, p->v0, &err), PH_E_INPUT);
        if (!strstr(err.text, words[k]))
            fail_msg("'%s', expected '%s'", err.text, words[k]);
    }
    /* every number of the options: below what it may be, infinite, not a number */
    const struct {
        size_t at;
        const char *says;
    } number[] = {
        {offsetof(ph_options, h_min), "h_min = "},  {offsetof(ph_options, h_max), "h_min = "},
        {offsetof(ph_options, span), "span = "},    {offsetof(ph_options, random), "random = "},
        {offsetof(ph_options, h), "the step size"}, {offsetof(ph_options, ggl_length), "ggl_length = "},
        {offsetof(ph_options, atol), "atol = "},    {offsetof(ph_options, rtol), "atol = "},
        {offsetof(ph_options, tol), "tol = "}};
    const double bad[] = {-1, INFINITY, NAN};
    for (size_t k = 0; k < 3 * sizeof number / sizeof *number; k++) {
        ph_options o = good;
        ph_error err = {0};
        ph_sim *sim;
        memcpy((char *)&o + number[k / 3].at, &bad[k % 3], sizeof(double));
        assert_int_equal(ph_sim_create(&sim, &p->sys, &o, 0, p->q0, p->v0, &err), PH_E_INPUT);
        assert_null(sim);
        if (strncmp(err.text, number[k / 3].says, strlen(number[k / 3].says)) != 0)
            fail_msg("'%s', expected '%s'", err.text, number[k / 3].says);
    }
    ph_options both = good, code = good;
    ph_error err = {0};
    ph_sim *sim;
    both.random = 2, both.tol = 1e-3;
    assert_int_equal(ph_sim_create(&sim, &p->sys, &both, 0, p->q0, p->v0, &err), PH_E_INPUT);
    assert_string_equal(err.text, "random = 2 is not a ratio of step sizes, or stands beside tol");
    code.newton = (ph_newton)-1;
    assert_int_equal(ph_sim_create(&sim, &p->sys, &code, 0, p->q0, p->v0, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "newton = -1 is not a code"));
    assert_int_equal(ph_sim_create(&sim, &p->sys, &good, 0, p->q0, NULL, &err), PH_E_INPUT);
    assert_int_equal(ph_sim_create(&sim, &p->sys, &good, 0, NULL, p->v0, &err), PH_E_INPUT);
    assert_int_equal(ph_sim_create(&sim, &p->sys, NULL, 0, p->q0, p->v0, &err), PH_E_INPUT);
    assert_string_equal(err.text, "options and initial values must be given");
    sim = sim_of(&p->sys, &good, p->q0, p->v0);
    assert_int_equal(ph_sim_reset(sim, 0, NULL, p->v0, &err), PH_E_INPUT);
    assert_string_equal(err.text, "initial values must be given");
    assert_int_equal(ph_sim_run(sim, -1, NULL, NULL, &err), PH_E_INPUT);
    assert_string_equal(err.text, "a run of -1 steps");
    assert_int_equal(ph_sim_run_until(sim, NAN, NULL, NULL, &err), PH_E_INPUT);
    assert_int_equal(ph_sim_run_until(sim, -1, NULL, NULL, &err), PH_E_INPUT);
    assert_string_equal(err.text, "a run from t = 0 to -1");
    assert_int_equal(ph_sim_stats(sim).steps, 0);
    ph_sim_destroy(sim);
    ph_problem_destroy(p);
}

static void load_refuses(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    ph_options o = options_for(p, PH_INDEX3);
    ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0), *other = sim_of(&p->sys, &o, p->q0, p->v0);
    run_sim(sim, 3);
    snapshot before = snap(sim, &p->sys);
    double bad[7] = {0, 1, 0, 1, NAN, 0, 0}, nan6[6] = {0, 0, NAN, 0, 0, 0};
    for (int k = 0; k < 6; k++) {
        ph_state s = ph_sim_state(other);
        ph_error err = {0};
        const double **field[] = {&s.q, &s.v, &s.vdot, &s.a, &s.lambda};
        if (k < 5)
            *field[k] = k == 0 ? bad : nan6;
        else
            s.a = NULL; /* what a callback is handed has none */
        assert_int_equal(ph_sim_load(sim, &s, &err), PH_E_INPUT);
        assert_true(strlen(err.text) > 10);
        snapshot after = snap(sim, &p->sys);
        assert_true(same_bits(&before, &after)); /* exact */
        free(after.x);
    }
    free(before.x);
    ph_sim_destroy(sim), ph_sim_destroy(other);
    ph_problem_destroy(p);
}

static void stops(void **state)
{
    (void)state;
    ph_problem *p = problem_named("pendulum");
    ph_options o = options_for(p, PH_INDEX3);
    ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
    double log[3] = {0, 0, 4};
    ph_error err = {0};
    assert_int_equal(ph_sim_run(sim, 100, count_output, log, &err), PH_E_STOPPED);
    assert_int_equal(err.status, PH_E_STOPPED);
    assert_non_null(strstr(err.text, "0.03"));
    assert_int_equal(ph_sim_stats(sim).steps, 3); /* the first call comes before the first step */
    assert_true(ph_sim_state(sim).t == 3 * o.h);
    log[2] = 0;
    assert_int_equal(ph_sim_run(sim, 100, count_output, log, &err), PH_E_STOPPED);
    assert_int_equal(ph_sim_stats(sim).steps, 3);
    ph_sim_destroy(sim);
    ph_sim_destroy(NULL);
    ph_problem_destroy(p);
}

static void views(void **state)
{
    (void)state;
    for (int f = 0; f < FORMS; f++) {
        ph_problem *p = problem_named("heavy_top");
        ph_options o = options_for(p, forms[f]);
        ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
        double position, velocity;
        run_sim(sim, 50);
        ph_state s = ph_sim_state(sim);
        ph_mat3 R = ph_qmat((ph_quat){s.q[3], s.q[4], s.q[5], s.q[6]});
        assert_true(!memcmp(&s.R[s.R_at[1]], &R, sizeof R)); /* exact */
        assert_int_equal(s.q_at[1], 3);
        assert_int_equal(s.v_at[1], 3);
        assert_int_equal(s.R_at[0], -1);
        assert_true((s.eta != NULL) == (forms[f] == PH_GGL));
        assert_int_equal(ph_sim_violation(sim, &position, &velocity), PH_OK);
        double x = fabs(s.q[0] - R.xy), y = fabs(s.q[1] - R.yy), z = fabs(s.q[2] - R.zy);
        check_near(position, fmax(x, fmax(y, z)), 1e-16);         /* round-off */
        check_le(position, forms[f] == PH_INDEX2 ? 1e-2 : 1e-13); /* invariant, or its second-order drift */
        check_le(velocity, forms[f] == PH_INDEX3 ? 1 : 1e-11);
        if (forms[f] == PH_INDEX2)
            assert_true(position > 1e-12);
        assert_int_equal(ph_sim_failure(sim)->status, PH_OK);
        ph_stats n = ph_sim_stats(sim);
        assert_true(n.worst_iterations >= 2 && n.iterations > 50 && n.jacobians == n.factorizations);
        assert_true(n.residuals == n.iterations);
        ph_sim_destroy(sim);
        ph_problem_destroy(p);
    }
    int count = 0;
    for (; ph_method_name(count); count++)
        assert_true(strlen(ph_method_text(count)) > 10);
    assert_true(count >= 2);
    assert_null(ph_method_name(-1));
    assert_null(ph_method_text(count));
}

typedef struct job {
    const ph_problem *p;
    ph_options o;
    snapshot end;
    int failed;
} job;

static void *work(void *ctx)
{
    job *j = ctx;
    ph_sim *sim;
    j->failed = ph_sim_create(&sim, &j->p->sys, &j->o, 0, j->p->q0, j->p->v0, NULL) != PH_OK ||
                ph_sim_run(sim, 60, NULL, NULL, NULL) != PH_OK;
    if (!j->failed)
        j->end = snap(sim, &j->p->sys);
    ph_sim_destroy(sim);
    return NULL;
}

static void two_threads(void **state)
{
    (void)state;
    static const char *const names[] = {"chain", "heavy_top", "ring"};
    for (int k = 0; k < 3; k++)
        for (int solver = 0; solver < PH_SOLVER_COUNT; solver++) {
            ph_problem *p = problem_named(names[k]);
            pthread_t thread[2];
            job alone = {p, options_for(p, PH_GGL), {0}, 0};
            alone.o.solver = (ph_solver_kind)solver;
            job together[2] = {alone, alone};
            work(&alone);
            for (int i = 0; i < 2; i++)
                assert_int_equal(pthread_create(&thread[i], NULL, work, &together[i]), 0);
            for (int i = 0; i < 2; i++)
                assert_int_equal(pthread_join(thread[i], NULL), 0);
            for (int i = 0; i < 2; i++) {
                assert_false(alone.failed || together[i].failed);
                assert_true(same_bits(&alone.end, &together[i].end)); /* exact */
                free(together[i].end.x);
            }
            free(alone.end.x);
            ph_problem_destroy(p);
        }
}

/* Nothing is asked for after create, whatever is called, and destroy gives everything back. */
static void no_allocation(void **state)
{
    (void)state;
    for (int k = 0; ph_problem_name(k); k++)
        for (int f = 0; f < FORMS; f++)
            for (int solver = 0; solver < PH_SOLVER_COUNT; solver++) {
                ph_problem *p = small_problem(k);
                ph_options o = options_for(p, forms[f]);
                counter c;
                double a, b;
                counter_open(&c, -1);
                o.alloc = &c.hooks, o.solver = (ph_solver_kind)solver;
                if (k % 2)
                    without_tangents(&p->sys);
                ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
                long asked = c.asked;
                assert_true(asked > 0 && c.live > 0);
                run_sim(sim, 5);
                ph_state s = ph_sim_state(sim);
                assert_int_equal(ph_sim_load(sim, &s, NULL), PH_OK);
                assert_int_equal(ph_sim_violation(sim, &a, &b), PH_OK);
                assert_int_equal(ph_sim_reset(sim, 0, p->q0, p->v0, NULL), PH_OK);
                run_sim(sim, 5);
                assert_int_equal(c.asked, asked);
                ph_sim_destroy(sim);
                assert_int_equal(c.live, 0);
                ph_problem_destroy(p);
            }
}

/* Each allocation fails in turn: PH_E_MEMORY, a sentence, no leak; and then it works. */
static void allocation_failures(void **state)
{
    (void)state;
    for (int k = 0; ph_problem_name(k); k++)
        for (int f = 0; f < FORMS; f++)
            for (int solver = 0; solver < PH_SOLVER_COUNT; solver++) {
                ph_problem *p = small_problem(k);
                ph_options o = options_for(p, forms[f]);
                long failed = 0;
                for (ph_status s = PH_E_MEMORY; s != PH_OK; failed++) {
                    counter c;
                    ph_sim *sim = (ph_sim *)&c;
                    ph_error err = {0};
                    counter_open(&c, failed);
                    o.alloc = &c.hooks, o.solver = (ph_solver_kind)solver;
                    s = ph_sim_create(&sim, &p->sys, &o, 0, p->q0, p->v0, &err);
                    if (s != PH_OK) {
                        assert_int_equal(s, PH_E_MEMORY);
                        assert_int_equal(err.status, PH_E_MEMORY);
                        assert_non_null(strstr(err.text, "memory"));
                        assert_null(sim);
                    }
                    ph_sim_destroy(sim);
                    assert_int_equal(c.live, 0);
                }
                assert_true(failed > 4);
                ph_problem_destroy(p);
            }
}

/* The step that fails leaves every bit of the state, and says what, where and what to try. */
static void newton_fails(void **state)
{
    (void)state;
    static const char *const name[] = {"heavy_top", "heavy_top_r3xso3", "heavy_top_se3"};
    for (int f = 0; f < 3 * FORMS; f++) {
        ph_problem *p = problem_named(name[f / FORMS]);
        ph_options o = options_for(p, forms[f % FORMS]);
        o.h = 0.6;      /* 90 rad in one step */
        o.halvings = 0; /* the failure is what is looked at */
        o.start = PH_PLAIN;
        ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
        snapshot before = snap(sim, &p->sys);
        for (int again = 0; again < 2; again++) {
            ph_error err = {0};
            ph_status s = ph_sim_step(sim, &err);
            snapshot after = snap(sim, &p->sys);
            assert_true(s == PH_E_NEWTON || s == PH_E_SINGULAR);
            assert_int_equal(err.status, s);
            assert_true(same_bits(&before, &after)); /* exact */
            assert_non_null(strstr(err.text, "t = 0.6"));
            const ph_failure *w = ph_sim_failure(sim);
            assert_int_equal(w->status, s);
            check_near(w->t, 0.6, 1e-16);
            assert_true(w->h == 0.6 && w->iterations >= 1 && w->n_culprits >= 1 &&
                        w->n_culprits <= PH_CULPRITS);
            check_near(w->spin, 0.6 * sqrt(150 * 150 + 4.61538 * 4.61538), 1e-12); /* round-off */
            if (s == PH_E_NEWTON)
                assert_non_null(strstr(err.text, "smaller step"));
            free(after.x);
        }
        assert_int_equal(ph_sim_stats(sim).steps, 0);
        free(before.x);
        ph_sim_destroy(sim);
        ph_problem_destroy(p);
    }
}

/* One iteration is not enough: the culprits are named, worst first. */
static void too_few_iterations(void **state)
{
    (void)state;
    ph_problem *p = problem_named("chain");
    ph_options o = options_for(p, PH_INDEX3);
    o.max_iterations = 1, o.h = 0.01;
    ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
    ph_error err = {0};
    ph_status s = PH_OK;
    for (int n = 0; n < 20 && s == PH_OK; n++)
        s = ph_sim_step(sim, &err);
    assert_int_equal(s, PH_E_NEWTON);
    assert_non_null(strstr(err.text, "in 1 iterations"));
    const char *named = strstr(err.text, "largest residuals: ");
    assert_non_null(named);
    int count = 0;
    for (const char *c = named; *c; c++)
        count += *c == '(';
    assert_int_equal(count, 2); /* the two worst, in words */
    const ph_failure *f = ph_sim_failure(sim);
    assert_int_equal(f->n_culprits, PH_CULPRITS);
    for (int i = 0; i < PH_CULPRITS; i++)
        assert_true(f->culprit[i].value > 0 && f->culprit[i].index >= 0);
    ph_sim_destroy(sim);
    ph_problem_destroy(p);
}

enum { SPRINGS = 2 * PH_CULPRITS };

static ph_status unit_masses(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)ctx;
    for (int i = 0; i < SPRINGS * SPRINGS; i++)
        out[i] = i % (SPRINGS + 1) == 0;
    return PH_OK;
}

static ph_status cubic_springs(const ph_state *s, double *out, void *ctx)
{
    const double *stiffness = ctx;
    for (int i = 0; i < SPRINGS; i++)
        out[i] = stiffness[i] * s->q[i] * s->q[i] * s->q[i];
    return PH_OK;
}

/* The residual after the one iteration grows with the stiffness, whatever the order of the nodes. A step whose Jacobian may be kept is
 * tried once more, others are not. */
static void worst_culprit_first(void **state)
{
    (void)state;
    ph_node node[SPRINGS];
    double stiffness[SPRINGS], q0[SPRINGS], v0[SPRINGS] = {0};
    for (int by = 1; by < SPRINGS; by += 2) { /* odd numbers permute a power of 2, or reverse it */
        for (int i = 0; i < SPRINGS; i++) {
            node[i] = (ph_node){.group = PH_RN, .n = 1};
            stiffness[i] = pow(2, (by * i) % SPRINGS), q0[i] = 1;
        }
        ph_system sys = {.n_nodes = SPRINGS,
                         .nodes = node,
                         .flags = PH_MASS_CONSTANT,
                         .M = unit_masses,
                         .g = cubic_springs,
                         .ctx = stiffness};
        ph_options o = ph_default_options();
        o.h = 0.1, o.max_iterations = 1, o.halvings = 0, o.newton = by % 4 == 1 ? PH_STEP : PH_FULL;
        ph_sim *sim = sim_of(&sys, &o, q0, v0);
        assert_int_equal(ph_sim_step(sim, NULL), PH_E_NEWTON);
        const ph_failure *f = ph_sim_failure(sim);
        assert_int_equal(ph_sim_stats(sim).iterations, o.newton == PH_STEP ? 2 : 1); /* exact */
        assert_int_equal(f->n_culprits, PH_CULPRITS);
        for (int i = 0; i < PH_CULPRITS; i++)
            assert_true(stiffness[f->culprit[i].index] == pow(2, SPRINGS - 1 - i));
        ph_sim_destroy(sim);
    }
}

/* Behind a restart at a time of the grid steps go on as behind any start: no second one follows at the next time. */
static void restart_on_the_grid(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    ph_options o = options_for(p, PH_GGL);
    o.h = 1e-3;
    ph_sim *a = sim_of(&p->sys, &o, p->q0, p->v0);
    run_sim(a, 10);
    assert_int_equal(ph_sim_restart(a, NULL), PH_OK);
    ph_state s = ph_sim_state(a);
    ph_sim *b = sim_of(&p->sys, &o, s.q, s.v);
    long before = ph_sim_stats(a).residuals, begin = ph_sim_stats(b).residuals;
    run_sim(a, 10), run_sim(b, 10);
    assert_int_equal(ph_sim_stats(a).residuals - before, ph_sim_stats(b).residuals - begin);
    ph_sim_destroy(a), ph_sim_destroy(b);
    ph_problem_destroy(p);
}

static ph_status masses_with_nan(const ph_state *s, double *out, void *ctx)
{
    ph_status status = unit_masses(s, out, ctx);
    out[SPRINGS * SPRINGS - 1] = NAN;
    return status;
}

/* A mass of any node is looked at, not of the first alone. */
static void masses_are_numbers(void **state)
{
    (void)state;
    ph_node node[SPRINGS];
    double stiffness[SPRINGS] = {0}, q0[SPRINGS] = {0}, v0[SPRINGS] = {0};
    for (int i = 0; i < SPRINGS; i++)
        node[i] = (ph_node){.group = PH_RN, .n = 1};
    ph_system sys = {.n_nodes = SPRINGS,
                     .nodes = node,
                     .flags = PH_MASS_CONSTANT,
                     .M = masses_with_nan,
                     .g = cubic_springs,
                     .ctx = stiffness};
    ph_options o = ph_default_options();
    ph_sim *sim;
    ph_error err = {0};
    o.h = 0.1;
    assert_int_equal(ph_sim_create(&sim, &sys, &o, 0, q0, v0, &err), PH_E_NAN);
    assert_non_null(strstr(err.text, "the callback M gave a number that is not finite"));
}

/* Where each callback first works; the later ones are only asked in a step. */
static int asked_at_start(callback k)
{
    return k != IN_C && k != IN_K && k != IN_Z;
}

typedef struct trouble {
    damage kind;
    ph_status status;
    const char *word;
} trouble;

static const trouble troubles[] = {{NOT_A_NUMBER, PH_E_NAN, "not finite"},
                                   {INFINITE, PH_E_NAN, "not finite"},
                                   {REFUSE, PH_E_CALLBACK, "refused"}};

/* Sentences name the callback: "the callback g " */
static void assert_blamed(const ph_error *err, callback k)
{
    char name[32];
    snprintf(name, sizeof name, "the callback %s ", callback_name[k]);
    if (!strstr(err->text, name))
        fail_msg("'%s' does not name %s", err->text, callback_name[k]);
}

static void check_trouble(const char *problem, callback k, const trouble *t, int later)
{
    ph_problem *p = problem_named(problem);
    ph_options o = options_for(p, PH_GGL);
    wrap w;
    ph_error err = {0};
    ph_sim *sim = NULL;
    wrap_open(&w, &p->sys);
    w.sys.flags &= ~PH_MASS_CONSTANT;
    w.damage = t->kind, w.victim = k, w.from_t = later ? 3.5 * o.h : -HUGE_VAL;
    ph_status s = ph_sim_create(&sim, &w.sys, &o, 0, p->q0, p->v0, &err);
    if (!later && asked_at_start(k)) {
        assert_null(sim);
        assert_int_equal(s, t->status);
    } else {
        assert_int_equal(s, PH_OK);
        run_sim(sim, later ? 3 : 0);
        snapshot before = snap(sim, &w.sys);
        s = ph_sim_step(sim, &err);
        assert_int_equal(s, t->status);
        snapshot after = snap(sim, &w.sys);
        assert_true(same_bits(&before, &after)); /* exact */
        assert_int_equal(ph_sim_failure(sim)->status, t->status);
        char when[32];
        snprintf(when, sizeof when, "t = %.9g", (later ? 4 : 1) * o.h);
        assert_non_null(strstr(err.text, when));
        w.damage = NONE; /* healed, it goes on */
        assert_int_equal(ph_sim_step(sim, NULL), PH_OK);
        free(before.x), free(after.x);
    }
    assert_int_equal(err.status, t->status);
    assert_non_null(strstr(err.text, t->word));
    assert_blamed(&err, k);
    ph_sim_destroy(sim);
    wrap_close(&w);
    ph_problem_destroy(p);
}

static void callbacks_fail(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof troubles / sizeof *troubles; i++)
        for (int k = 0; k < IN_COUNT; k++)
            for (int later = 0; later < 2; later++)
                if (!(later && k == IN_convective)) /* only asked at the start */
                    check_trouble(k == IN_Phi_t ? "rheonomic" : "friction", (callback)k, &troubles[i], later);
}

/* A step that ran away leaves nothing behind: the next one starts from the state, not from where it went. */
static void runaway_is_forgotten(void **state)
{
    (void)state;
    for (int f = 0; f < FORMS; f++) {
        ph_problem *p = problem_named("heavy_top");
        ph_options o = options_for(p, forms[f]);
        wrap w;
        wrap_open(&w, &p->sys);
        ph_sim *sim = sim_of(&w.sys, &o, p->q0, p->v0);
        run_sim(sim, 3);
        w.damage = ADD, w.victim = IN_g, w.entry = 3, w.amount = 1e300;
        assert_int_equal(ph_sim_step(sim, NULL), PH_E_NEWTON);
        w.damage = NONE;
        long before = ph_sim_stats(sim).iterations;
        run_sim(sim, 1);
        assert_true(ph_sim_stats(sim).iterations - before <= 3);
        ph_sim_destroy(sim);
        wrap_close(&w);
        ph_problem_destroy(p);
    }
}

/* A refusal while a tangent is differenced is a refusal. */
static void differences_fail(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    ph_options o = options_for(p, PH_GGL);
    wrap w;
    ph_error err = {0};
    wrap_open(&w, &p->sys);
    without_tangents(&w.sys);
    ph_sim *sim = sim_of(&w.sys, &o, p->q0, p->v0);
    run_sim(sim, 2);
    for (size_t i = 0; i < sizeof troubles / sizeof *troubles; i++) {
        snapshot before = snap(sim, &w.sys);
        w.damage = troubles[i].kind, w.victim = IN_g;
        assert_int_equal(ph_sim_step(sim, &err), troubles[i].status);
        assert_blamed(&err, IN_g);
        snapshot after = snap(sim, &w.sys);
        assert_true(same_bits(&before, &after)); /* exact */
        free(before.x), free(after.x);
    }
    ph_sim_destroy(sim);
    wrap_close(&w);
    ph_problem_destroy(p);
}

static void solvers_agree(void **state)
{
    (void)state;
    static const char *const names[PH_SOLVER_COUNT] = {NULL, "dense", "block", "front", "klu"};
    for (int k = 0; ph_problem_name(k); k++)
        for (int f = 0; f < FORMS; f++) {
            ph_problem *p = small_problem(k);
            ph_options o = options_for(p, forms[f]);
            o.newton =
                PH_FULL; /* to round-off, which in lambda of index-3 is three times as much after one increment (N7) */
            snapshot x = end_of(p, &o, 30, NULL);
            for (int solver = 1; solver < PH_SOLVER_COUNT; solver++) {
                o.solver = (ph_solver_kind)solver;
                ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
                assert_string_equal(ph_sim_solver(sim), names[solver]);
                ph_sim_destroy(sim);
                snapshot y = end_of(p, &o, 30, NULL);
                /* round-off, in lambda of index-3: 34 eps |q| m/(beta h^2), over |lambda| = 40 (see
                 * test_newton) */
                check_le(distance(&y, &x), 1e-8);
                free(y.x);
            }
            free(x.x);
            ph_problem_destroy(p);
        }
}

/* atol = 0 is a choice: rotations alone, and rest in the origin, must not divide by it. */
static void no_absolute_tolerance(void **state)
{
    (void)state;
    for (int k = 0; ph_problem_name(k); k++) {
        ph_problem *p = small_problem(k);
        ph_options o = options_for(p, PH_INDEX3);
        o.atol = 0;
        ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
        assert_int_equal(ph_sim_run(sim, 5, NULL, NULL, NULL), PH_OK);
        ph_sim_destroy(sim);
        ph_problem_destroy(p);
    }
}

/* Denormals are flushed while stepping, and only then. */
static void denormals_come_back(void **state)
{
    (void)state;
    ph_problem *p = ph_problem_create("heavy_top", NULL);
    ph_options o = options_for(p, PH_INDEX3);
    ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
    volatile double small = DBL_MIN;
    assert_int_equal(ph_sim_step(sim, NULL), PH_OK);
    small /= 2;
    assert_true(small > 0);
    assert_int_equal(ph_sim_run(sim, 2, NULL, NULL, NULL), PH_OK);
    small /= 2;
    assert_true(small > 0);
    ph_sim_destroy(sim);
    ph_problem_destroy(p);
}

/* What the documents promise where nothing is said. */
static void defaults(void **state)
{
    (void)state;
    ph_options o = ph_default_options();
    assert_string_equal(o.method, "genalpha");
    assert_string_equal(o.tableau, "dopri5");
    assert_true(o.sigma == 1 && o.rho == 0.9 && o.atol == 0 && o.rtol == 1e-8 && o.tol == 0); /* exact */
    assert_true(o.formulation == PH_GGL && o.newton == PH_STEP && o.start == PH_PERTURBED);
    assert_true(o.max_iterations == 20 && o.order == 3 && o.correction == PH_IN_EXP && o.solver == PH_AUTO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(run_equals_steps),
        cmocka_unit_test(reset_reproduces),
        cmocka_unit_test(refused_reset),
        cmocka_unit_test(load_continues),
        cmocka_unit_test(load_refuses),
        cmocka_unit_test(options_refused),
        cmocka_unit_test(save_goes_on),
        cmocka_unit_test(save_goes_on_with_control),
        cmocka_unit_test(save_refuses),
        cmocka_unit_test(lengths_of_quaternions),
        cmocka_unit_test(stops),
        cmocka_unit_test(views),
        cmocka_unit_test(two_threads),
        cmocka_unit_test(no_allocation),
        cmocka_unit_test(allocation_failures),
        cmocka_unit_test(newton_fails),
        cmocka_unit_test(too_few_iterations),
        cmocka_unit_test(worst_culprit_first),
        cmocka_unit_test(masses_are_numbers),
        cmocka_unit_test(restart_on_the_grid),
        cmocka_unit_test(callbacks_fail),
        cmocka_unit_test(runaway_is_forgotten),
        cmocka_unit_test(differences_fail),
        cmocka_unit_test(solvers_agree),
        cmocka_unit_test(no_absolute_tolerance),
        cmocka_unit_test(denormals_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
