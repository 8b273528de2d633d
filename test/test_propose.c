/* Which method reaches an accuracy with the least work. */
#include "scratch.h"
#include "sim_cases.h"
#include "study/propose.h"

static ph_run *open_model(const char *path)
{
    ph_run *run;
    ph_error err = {0};
    ph_run_config c = ph_run_defaults();
    c.watch = 0;
    if (ph_run_open(&run, path, &c, &err) != PH_OK)
        fail_msg("%s", err.text);
    return run;
}

/* The accuracy is kept, against digits of high precision: those of models/heavy_top.lua. */
static void keeps_the_accuracy(void **state)
{
    (void)state;
    static const double x[] = {0.173343964098386, 0.640088592070569, -0.748490791133581};
    for (double accuracy = 1e-4; accuracy > 1e-9; accuracy *= 1e-4) {
        ph_run *run = open_model(PH_TEST_DIR "/../models/heavy_top.lua");
        ph_probe *probe = ph_probe_create(ph_run_system(run), run, 0, NULL);
        ph_proposal p;
        double at[3];
        char text[128];
        ph_error err = {0};
        if (ph_propose(run, probe, accuracy, 1, &p, &err) != PH_OK)
            fail_msg("%s", err.text);
        check_le(p.error, accuracy);
        assert_true(p.cpu_s > 0 && p.work > 0);
        assert_non_null(strstr(ph_proposal_words(&p, text, sizeof text), "--method rkmk --tableau dopri"));
        assert_int_equal(ph_run_set_method(run, &p.opt, NULL), PH_OK);
        assert_int_equal(ph_run_until(run, 1, NULL), PH_OK);
        assert_int_equal(ph_run_get(run, PH_GET_POSITION, 0, at), PH_OK);
        check_le(max_diff(at, x, 3), 2 * p.error); /* reference; steps end at fewer times now */
        ph_probe_destroy(probe);
        ph_run_close(run);
    }
}

/* A stiff spring is none for explicit methods; what nothing can reach is said to be so. */
static void stiff_and_too_exact(void **state)
{
    (void)state;
    static const char text[] =
        "body{ name = 'a', mass = 1, inertia = {0.1, 0.1, 0.1}, position = {1, 0, 0}, velocity = {0, 1, 0} "
        "}\n"
        "spring{ bodies = {'ground', 'a'}, k = 1e8, d = 1e4, length = 1 }\nrun{ t_end = 0.5, h = 1e-2 }";
    scratch s = scratch_create("stiff.lua");
    scratch_write(&s, text, strlen(text));
    ph_run *run = open_model(s.path);
    ph_probe *probe = ph_probe_create(ph_run_system(run), run, 0, NULL);
    ph_proposal p;
    ph_error err = {0};
    assert_int_equal(ph_propose(run, probe, 1e-4, 0.5, &p, &err), PH_OK);
    assert_true(strcmp(p.opt.method, "rkmk") || !strcmp(p.opt.tableau, "radau3"));
    check_le(p.error, 1e-4);
    assert_int_equal(ph_propose(run, probe, 1e-15, 0.5, &p, &err), PH_E_STEP);
    assert_non_null(strstr(err.text, "no method was found to have an accuracy of 1e-15"));
    ph_probe_destroy(probe);
    ph_run_close(run);
    scratch_remove(&s);
}

/* Models whose functions jump at times that the run finds: every method tried has its own list of them. */
static void functions_that_jump(void **state)
{
    (void)state;
    static const char *const names[] = {"robot_arm", "quarter_car", "cart_pendulum", "flying_spaghetti",
                                        "struck_top"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char path[256];
        snprintf(path, sizeof path, PH_TEST_DIR "/../models/%s.lua", names[k]);
        ph_run *run = open_model(path);
        ph_probe *probe = ph_probe_create(ph_run_system(run), run, 0, NULL);
        ph_proposal p;
        ph_error err = {0};
        if (ph_propose(run, probe, 1e-3, 0.01, &p, &err) != PH_OK)
            fail_msg("%s: %s", names[k], err.text);
        check_le(p.error, 1e-3);
        ph_probe_destroy(probe);
        ph_run_close(run);
    }
}

/* Constant steps where tolerances need more work for the same error: an arm with stiff drives. Work is counted, so that the answer is
 * the same each time, and a run with steps twice as large says that it is sure. (RB15) */
static void constant_steps(void **state)
{
    (void)state;
    ph_proposal p[2];
    for (int k = 0; k < 2; k++) {
        ph_run *run = open_model(PH_TEST_DIR "/../models/robot_arm.lua");
        ph_probe *probe = ph_probe_create(ph_run_system(run), run, 0, NULL);
        ph_error err = {0};
        if (ph_propose(run, probe, 1e-5, 1, &p[k], &err) != PH_OK)
            fail_msg("%s", err.text);
        check_le(p[k].error, 1e-5);
        assert_true(p[k].opt.tol == 0 && p[k].opt.h > 0);
        assert_true(p[k].sure && fabs(p[k].promised - 4) < 0.5); /* second order; steps divide the time */
        assert_int_equal(ph_run_set_method(run, &p[k].opt, NULL), PH_OK);
        assert_int_equal(ph_run_until(run, 1, NULL), PH_OK);
        assert_true(ph_run_work(run) == p[k].work); /* exact */
        ph_probe_destroy(probe);
        ph_run_close(run);
    }
    assert_true(p[0].opt.h == p[1].opt.h && p[0].work == p[1].work && p[0].ratio == p[1].ratio); /* exact */
}

/* Allocations that fail in turn, before a method is found and after: memory is what is complained of, and once there is enough, a method is found. */
static void memory(void **state)
{
    (void)state;
    counter c;
    ph_run *run;
    ph_run_config config = ph_run_defaults();
    counter_open(&c, -1);
    config.alloc = &c.hooks;
    assert_int_equal(ph_run_open(&run, PH_TEST_DIR "/../models/heavy_top.lua", &config, NULL), PH_OK);
    ph_probe *probe = ph_probe_create(ph_run_system(run), run, 0, NULL);
    ph_status s = PH_E_MEMORY;
    int failures = 0;
    for (long at = 0; s == PH_E_MEMORY; at += 1 + at / 4, failures++) {
        ph_proposal p;
        ph_error err = {0};
        c.fail_at = c.asked + at;
        s = ph_propose(run, probe, 1e-4, 0.01, &p, &err);
        int met = c.asked > c.fail_at;
        c.fail_at = -1;
        assert_int_equal(s, met ? PH_E_MEMORY : PH_OK);
        assert_string_equal(err.text, met ? "not enough memory to try methods" : "");
    }
    assert_true(failures > 5);
    ph_probe_destroy(probe);
    ph_run_close(run);
    assert_int_equal(c.live, 0);
}

/* The options of every method that can be proposed, as they are typed. */
static void words(void **state)
{
    (void)state;
    ph_proposal p = {.opt = ph_default_options()};
    char text[200];
    p.opt.tol = 1e-3;
    p.opt.method = "rkmk", p.opt.tableau = "dopri5";
    assert_string_equal(ph_proposal_words(&p, text, sizeof text),
                        "--method rkmk --tableau dopri5 --tol 0.001");
    p.opt.method = "bliedf", p.opt.order = 4, p.opt.formulation = PH_INDEX2;
    assert_string_equal(ph_proposal_words(&p, text, sizeof text),
                        "--method bliedf --order 4 --formulation index2 --tol 0.001");
    p.opt.method = "genalpha", p.opt.formulation = PH_INDEX3;
    assert_string_equal(ph_proposal_words(&p, text, sizeof text),
                        "--method genalpha --formulation index3 --tol 0.001");
    p.opt.tol = 0, p.opt.h = 0.00025;
    assert_string_equal(ph_proposal_words(&p, text, sizeof text),
                        "--method genalpha --formulation index3 --h 0.00025");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_the_accuracy), cmocka_unit_test(words),  cmocka_unit_test(functions_that_jump),
        cmocka_unit_test(constant_steps),     cmocka_unit_test(memory), cmocka_unit_test(stiff_and_too_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
