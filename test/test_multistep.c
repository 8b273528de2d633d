/* BLieDF in compiled models, beside the library: orders, Lie terms, forms; members at once; runs with --compiled; refusals. */
#include "compiled.h"

/* After the first steps, which the library makes: q, v and lambda, and the steps that follow. */
static void as_the_library(const char *path, const char *const *options, int lanes, int steps)
{
    ph_run *run = open_run(path, options);
    built b = build(run, lanes, 0, lanes > 1 && has_avx2() ? QUICK " -mavx2" : QUICK);
    ph_error err = {0};
    const ph_sim *sim = ph_run_sim(run);
    int first = (int)at(&b, b.place.steps, 0);
    assert_true(first >= sim->opt.order && b.restart == NULL);
    for (int k = 0; k < first; k++)
        assert_int_equal(ph_run_step(run, &err), PH_OK);
    for (int k = 0; k <= steps; k++) {
        for (int i = 0; i < lanes; i++) {
            const double bound = k ? 10 * MOTION : 0; /* exact at first */
            for (int e = 0; e < sim->lay.nq; e++)
                check_near(at(&b, b.place.q + e, i), sim->now.q[e], bound);
            for (int e = 0; e < sim->lay.nv; e++)
                check_near(at(&b, b.place.v + e, i), sim->now.v[e], bound * fmax(1, fabs(sim->now.v[e])));
        }
        check_near(at(&b, 0, 0), ph_run_time(run), 1e-12);
        if (k == steps)
            break;
        assert_int_equal(b.step(b.state), 0);
        assert_int_equal(ph_run_step(run, &err), PH_OK);
    }
    drop(&b);
    ph_run_close(run);
}

static void orders_and_forms(void **state)
{
    (void)state;
    const char *top = MODELS "heavy_top.lua";
    as_the_library(top, OPTIONS("method=bliedf", "order=1", "formulation=index3"), 1, 100);
    as_the_library(top, OPTIONS("method=bliedf", "order=2", "formulation=ggl", "correction=none"), 1, 100);
    as_the_library(top, OPTIONS("method=bliedf", "order=3", "formulation=index2", "correction=lagged"), 1,
                   100);
    as_the_library(top, OPTIONS("method=bliedf", "order=4", "formulation=ggl", "correction=extrapolated"), 1,
                   100);
    as_the_library(top, OPTIONS("method=bliedf", "order=3", "formulation=ggl", "correction=exponent"), 1,
                   100);
    as_the_library(top, OPTIONS("method=bliedf", "order=5", "formulation=index3", "correction=exponent"), 1,
                   100);
    as_the_library(top, OPTIONS("method=bliedf", "order=6", "formulation=ggl", "correction=implicit"), 4,
                   100);
}

static const char machine[] =
    "model 'machine'\n"
    "gravity {0, 0, -9.81}\n"
    "body{name='a', mass=1, inertia={0.1, 0.2, 0.3}, position={0.5, 0, 0}}\n"
    "body{name='b', mass=2, inertia={0.3, 0.2, 0.1}, position={1.5, 0, 0}}\n"
    "joint{name='ja', type='revolute', bodies={'ground', 'a'}, at={0, 0, 0}, axis={0, 1, 0}}\n"
    "joint{name='jb', type='universal', bodies={'a', 'b'}, at={1, 0, 0}, axis_a={0, 1, 0}, axis_b={0, 0, "
    "1}}\n"
    "spring{name='s', bodies={'ground', 'b'}, at_a={2, 1, 1}, at_b={0.5, 0, 0}, k=20, d=1, length=1}\n"
    "state{name='x', initial=0.2, rate=function(t, s) return s.joints.ja.rate - 3*s.states.x end}\n"
    "actuator{name='motor', joint='ja', effort=function(t, s) return 2*s.states.x + math.sin(9*t) end}\n"
    "sensor{name='angle', type='joint_position', joint='ja'}\n"
    "run{t_end=1, h=1e-3, method='bliedf', order=3, formulation='ggl'}\n";

/* Joints, springs, states and actuators; the same in runs with --compiled, which make the first steps themselves. */
static void machines(void **state)
{
    (void)state;
    scratch s = scratch_create("machine.lua");
    scratch_write(&s, machine, strlen(machine));
    as_the_library(s.path, NULL, 1, 100);
    ph_run *own = open_run(s.path, NULL), *run = open_run(s.path, NULL);
    ph_error err = {0};
    assert_int_equal(ph_run_build(run, NULL, 0, &err), PH_OK);
    assert_int_equal(ph_run_until(own, 0.3, &err), PH_OK);
    assert_int_equal(ph_run_until(run, 0.3, &err), PH_OK);
    assert_true(ph_run_is_compiled(run));
    const ph_sim *a = ph_run_sim(own), *b = ph_run_sim(run);
    check_le(max_diff(a->now.q, b->now.q, a->lay.nq), 100 * MOTION);
    check_le(max_diff(a->now.v, b->now.v, a->lay.nv), 100 * MOTION);
    assert_true(max_diff(a->now.v, b->now.v, a->lay.nv) > 0); /* it was compiled */
    ph_run_close(own), ph_run_close(run);
    scratch_remove(&s);
}

static void refusals(void **state)
{
    (void)state;
    ph_compile_config config = ph_compile_defaults();
    config.open = OPTIONS("m"), config.n_open = 1;
    static const char text[] = "model 'm' local m = param('m', 2) particle{name='p', mass=m}\n"
                               "input{name='u', value=1} run{t_end=1, h=0.01, method='bliedf', order=2}";
    refuse_with(text, NULL, &config, "cannot start anew, as one with open parameters must");
    config.n_open = 0;
    refuse_with(text, NULL, &config, "cannot start anew, as one with inputs must");
    refuse_with(text, OPTIONS("method=rkmk"), &config, "genalpha and bliedf can");
    refuse_with("model 'm' particle{name='p', mass=1} run{t_end=1, h=0.01, method='bliedf', order=2}",
                OPTIONS("tol=1e-6"), &config, "steps of one size");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_and_forms),
        cmocka_unit_test(machines),
        cmocka_unit_test(refusals),
    };
    cmocka_set_test_filter(argc > 1 ? argv[1] : NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
