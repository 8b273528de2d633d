/* BLieDF with steps of changing size: orders under random steps (VS12), errors that follow tol (VS13), refusals, grids,
 * saved states. */
#include "ahead_cases.h"
#include "method/method_limits.h"

static ph_options bliedf(ph_formulation f, int order)
{
    ph_options o = ph_default_options();
    o.method = "bliedf", o.formulation = f, o.order = order;
    return o;
}

/* order: k, of lambda in the mean over the run, with steps of h/1.3 to 1.3 h anew in every step */
static void random_steps(void **state)
{
    (void)state;
    opened m;
    open_text(&m, two_bodies);
    for (int f = PH_INDEX2; f <= PH_GGL; f++)
        for (int k = 2; k <= 4; k++) {
            deviation slope = {0};
            enum { LEVELS = 4 };
            for (int l = 0; l < LEVELS; l++) {
                ph_options o = bliedf((ph_formulation)f, k);
                o.h = 4e-3 / (1 << l), o.random = 1.3, o.seed = (unsigned)(3 + l);
                ph_sim *sim = sim_of(&m.sys, &o, m.q0, m.v0), *best = best_of(&m);
                deviation d = deviate(&m.sys, sim, 0.5, best_state, best);
                double w = (1.5 - l) / 5;
                slope.q += w * log2(d.q), slope.v += w * log2(d.v), slope.lambda += w * log2(d.lambda);
                ph_sim_destroy(sim), ph_sim_destroy(best);
            }
            if (!(slope.q >= k - 0.15 && slope.v >= k - 0.15 && slope.lambda >= k - 0.2 &&
                  slope.q <= k + 0.3))
                fail_msg("%s, order %d: slopes %.3f %.3f %.3f", ph_formulation_word(f), k, slope.q, slope.v,
                         slope.lambda);
        }
    open_close(&m);
}

/* The largest error of q over tol stays within some factor over the decades of tol. */
static void errors_follow_tol(void **state)
{
    (void)state;
    opened m;
    open_text(&m, two_bodies);
    for (int f = PH_INDEX2; f <= PH_GGL; f++)
        for (int k = 2; k <= 4; k++)
            for (int l = 0; l < 3; l++) {
                ph_options o = bliedf((ph_formulation)f, k);
                o.tol = pow(10, -2 - l - (k > 2));
                ph_sim *sim = sim_of(&m.sys, &o, m.q0, m.v0), *best = best_of(&m);
                double ratio = deviate(&m.sys, sim, 2, best_state, best).q / o.tol;
                ph_stats st = ph_sim_stats(sim);
                check_le(ratio, 5); /* invariant: what tol promises */
                check_le(0.2, ratio);
                check_le((double)st.rejected, 0.02 * (double)st.accepted);
                ph_sim_destroy(sim), ph_sim_destroy(best);
            }
    open_close(&m);
}

/* The steps are those of a run without a grid; between their ends errors are as large. */
static void grid_shows_the_same(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    ph_options o = bliedf(PH_GGL, 3);
    o.tol = 1e-3;
    ph_sim *own = sim_of(&p->sys, &o, p->q0, p->v0);
    deviation ends = deviate(&p->sys, own, 0.25, exact_state, p);
    o.h = 0.25 / 1777;
    ph_sim *grid = sim_of(&p->sys, &o, p->q0, p->v0);
    deviation on = deviate(&p->sys, grid, 0.25 - o.h / 2, exact_state, p); /* the grid has the last word */
    assert_in_range(ph_sim_stats(grid).accepted, ph_sim_stats(own).accepted - 1,
                    ph_sim_stats(own).accepted + 1);
    check_le(on.q, 1.1 * ends.q); /* ordering: interpolation adds no more than there is */
    check_le(on.v, 1.1 * ends.v);
    check_le(on.lambda, 1.1 * ends.lambda);
    ph_sim_destroy(own), ph_sim_destroy(grid);
    ph_problem_destroy(p);
}

static void refused(const ph_problem *p, const ph_options *o, const char *words)
{
    ph_sim *sim;
    ph_error err = {0};
    assert_int_equal(ph_sim_create(&sim, &p->sys, o, 0, p->q0, p->v0, &err), PH_E_INPUT);
    if (!strstr(err.text, words))
        fail_msg("%s", err.text);
}

static void refusals(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    ph_options o = bliedf(PH_INDEX3, 3);
    o.tol = 1e-3;
    refused(p, &o, "loses an order in the multipliers of index-3");
    o.formulation = PH_GGL, o.order = 5;
    refused(p, &o, "orders 2 to 4");
    o.order = 1;
    refused(p, &o, "orders 2 to 4");
    o.order = 3, o.correction = PH_IN_VELOCITY;
    refused(p, &o, "correction");
    o.correction = PH_IN_EXP, o.start = PH_PLAIN;
    refused(p, &o, "start");
    ph_problem_destroy(p);
}

/* A reset gives the bits of the first run, and so does a state that was saved on the way; no allocation. */
static void lives_by_the_rules(void **state)
{
    (void)state;
    const double when[] = {0.004, 0.0111};
    for (int k = 2; k <= 4; k++)
        for (int newton = PH_FULL; newton <= PH_MODIFIED; newton++)
            for (int grid = 0; grid < 2; grid++) {
                ph_problem *p = problem_named(grid ? "heavy_top_se3" : "heavy_top");
                ph_options o = bliedf(grid ? PH_GGL : PH_INDEX2, k);
                o.newton = (ph_newton)newton, o.tol = 1e-3, o.h = grid ? 7e-4 : 0;
                if (!grid)
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

/* A motion that is still slow promises a large first step, and differences are noisy: Newton's method fails in the start now and then. A step without an
 * end in sight is no longer than the span, and one that takes many pieces becomes smaller. It took 10^7 calls in both cases. */
static void noisy_start(void **state)
{
    (void)state;
    static const struct {
        double span;
        long most; /* calls; invariant: 100 attempts of up to 20 iterations for each of some sizes */
    } rows[] = {{1, 5000}, {1000, 1000000}};
    for (int k = 0; k < 2; k++) {
        ph_problem *p = problem_named("rheonomic");
        nth calls = {.at = -1};
        ph_options o = bliedf(PH_INDEX2, 4);
        wrap w;
        wrap_open(&w, &p->sys);
        w.nth = &calls;
        without_tangents(&w.sys);
        o.tol = 1e-5, o.h = 0, o.span = rows[k].span, o.newton = PH_FULL;
        ph_sim *sim = sim_of(&w.sys, &o, p->q0, p->v0);
        assert_int_equal(ph_sim_step(sim, NULL), PH_OK);
        assert_int_equal(ph_sim_restart(sim, NULL), PH_OK);
        long before = calls.calls;
        assert_int_equal(ph_sim_step(sim, NULL), PH_OK);
        check_le((double)(calls.calls - before), (double)rows[k].most);
        ph_state s = ph_sim_state(sim);
        assert_true(s.t < o.span);
        check_le(fabs(s.q[0] - s.t * s.t * s.t), 1e-4 * o.tol * fmax(1, s.q[0])); /* tolerance of the start */
        ph_sim_destroy(sim);
        wrap_close(&w);
        ph_problem_destroy(p);
    }
}

/* The bound on the steps of a start counts none that were made before it. */
static void starts_late(void **state)
{
    (void)state;
    ph_problem *p = problem_named("pendulum");
    ph_options o = bliedf(PH_GGL, 2);
    o.tol = 1e-2, o.h_max = 1e-3;
    ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
    run_to(sim, 3);
    assert_true(ph_sim_stats(sim).accepted > PH_BLIEDF_START_STEPS / 2);
    ph_state s = ph_sim_state(sim);
    assert_int_equal(ph_sim_load(sim, &s, NULL), PH_OK);
    run_to(sim, 3.1);
    ph_sim_destroy(sim);
    ph_problem_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_steps),        cmocka_unit_test(errors_follow_tol),
        cmocka_unit_test(grid_shows_the_same), cmocka_unit_test(refusals),
        cmocka_unit_test(lives_by_the_rules),  cmocka_unit_test(noisy_start),
        cmocka_unit_test(starts_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
