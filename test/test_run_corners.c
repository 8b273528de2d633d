/* Times at which functions of a model change their formula, and steps by tolerance that end there. */
#include "model_file.h"

#include "polhode/polhode.h"
#include "run/private.h"
#include "step/sim.h"

static const char *const head = "particle { name = 'a', mass = 1, position = {0, 0, 0} }\n";

static ph_run *open_text(const char *text, const char *const *options, int n)
{
    ph_error err = {0};
    ph_run *run;
    ph_run_config c = ph_run_defaults();
    ph_model *model = read_text(text);
    c.options = options, c.n_options = n;
    if (ph_run_create(&run, model, &c, &err) != PH_OK)
        fail_msg("%s", err.text);
    ph_model_free(model);
    return run;
}

/* A force along x, the times at which it bends in (0, 1), and its integral from 0 to 1. */
static const struct {
    const char *force;
    int n;
    double t[8], integral;
} cases[] = {
    {"if t > 0.5 and t < 0.5005 then return 1000 end return 0", 2, {0.5, 0.5005}, 0.5},
    {"if t < 0.1 then return 1 elseif t < 0.1 + 0.2 then return -2 end return t",
     2,
     {0.1, 0.3},
     0.1 - 0.4 + 0.455},
    {"if math.abs(t - 0.5625 - 0x1p-13) < 0x1p-16 then return 0x1p14 end return 0", /* between two times that are looked at */
     3,
     {0.5625 + 0x1p-13 - 0x1p-16, 0.5625 + 0x1p-13, 0.5625 + 0x1p-13 + 0x1p-16},
     0.5},
    {"return math.max(0, 1 - math.abs(t - 0.4001)*1e5)", 3, {0.4001 - 1e-5, 0.4001, 0.4001 + 1e-5}, 1e-5},
    {"return math.floor(4*t)", 4, {0.25, 0.5, 0.75, 1}, 1.5},
    {"return math.abs(math.sin(7*t)) + s.a.velocity.x*0",
     2,
     {0.44879895051282760549, 0.8975979010256552110},
     0},
    {"return c(t)", 3, {0.2, 0.25, 0.7}, 0.5 * (0.05 * 8 + 0.45 * 8)},
    {"return d(t)", 4, {0.15, 0.3, 0.6, 0.9}, 0},
    {"return smoothstep(0.3, 0.4, t)", 2, {0.3, 0.4}, 0.65},
    {"return smoothstep(0, 0.4, t)", 1, {0.4}, 0.8}, /* it bends where the run begins, too */
    {"if s.a.position.x > 100 then return 3 end return clamp(5*t, 1, 2)", 2, {0.2, 0.4}, 0.2 + 0.3 + 1.2}};

static void text_of(size_t i, char *text, size_t size)
{
    snprintf(
        text, size,
        "%slocal c = curve({0, 0.2, 0.25, 0.7}, {0, 0, 8, 0})\n"
        "local d = curve({0.1, 0.15, 0.3, 0.4}, {1, 2, 0, 1}, {kind = 'linear', outside = 'periodic'})\n"
        "force { body = 'a', value = function(t, s) local x = (function() %s end)() return x, 0, 0 end }\n"
        "run { t_end = 1 }\n",
        head, cases[i].force);
}

static void corners_are_found(void **state)
{
    (void)state;
    static const char *const options[] = {"tol=1e-4"};
    char text[1024];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        text_of(i, text, sizeof text);
        ph_run *run = open_text(text, options, 1);
        const ph_times *c = &run->sim->opt.nonsmooth;
        for (int k = 0; k < cases[i].n && !strstr(cases[i].force, "d(t)"); k++) {
            double nearest = HUGE_VAL;
            for (int j = 0; j < c->n; j++)
                nearest = fmin(nearest, fabs(c->t[j] - cases[i].t[k]));
            if (!(nearest <= 1e-15))
                print_message("%s: %g\n", cases[i].force, cases[i].t[k]);
            check_le(nearest, 1e-15); /* round-off of expressions */
        }
        if (!strstr(cases[i].force, "d(t)"))
            assert_int_equal(c->n, cases[i].n);
        else
            assert_int_equal(c->n,
                             9); /* 0.1, 0.15, 0.3; 0.4, 0.45, 0.6; 0.7, 0.75, 0.9; and 1, which is the end */
        ph_run *fixed = open_text(text, NULL, 0); /* the same without steps by tolerance */
        double t[16];
        assert_int_equal(ph_run_corners(fixed, NULL, 0), c->n);
        assert_int_equal(ph_run_corners(fixed, t, 1), c->n);
        check_near(t[0], c->t[0], 0); /* exact */
        assert_int_equal(ph_run_corners(fixed, t, 16), c->n);
        for (int k = 0; k < c->n; k++)
            check_near(t[k], c->t[k], 0); /* exact */
        ph_run_close(fixed);
        ph_run_close(run);
    }
}

/* With few steps the velocity at the end is the integral. */
static void steps_end_there(void **state)
{
    (void)state;
    static const char *const methods[] = {"method=genalpha", "method=bliedf", "method=rkmk"};
    char text[1024];
    double x[3];
    for (int m = 0; m < 3; m++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            for (int grid = 0; grid < 2; grid++) {
                const char *options[] = {methods[m], "tol=1e-6", "h=0.05"};
                ph_error err = {0};
                if (cases[i].integral == 0)
                    continue;
                text_of(i, text, sizeof text);
                ph_run *run = open_text(text, options, 2 + grid);
                if (ph_run_until(run, 1, &err) != PH_OK)
                    fail_msg("%s", err.text);
                ph_run_get(run, PH_GET_VELOCITY, 0, x);
                if (!(fabs(x[0] - cases[i].integral) <= 1e-5))
                    print_message("%s, %s\n", methods[m], cases[i].force);
                check_near(x[0], cases[i].integral, 1e-5); /* invariant: tol, over the time of one second */
                double energy[5];                          /* the last one: the residual */
                ph_run_get(run, PH_GET_ENERGY, 0, energy);
                if (!grid)
                    check_le(fabs(energy[4]), 1e-4); /* invariant: powers of both sides of jumps */
                ph_run_close(run);
            }
}

/* Points of a table, given after the run was made. */
static void tables_bend(void **state)
{
    (void)state;
    static const char *const options[] = {"tol=1e-6"};
    static const double t[] = {0, 0.4, 0.401, 0.402, 1}, u[] = {0, 0, 700, 0, 0};
    char text[1024];
    ph_error err = {0};
    double x[3];
    snprintf(
        text, sizeof text,
        "%sinput { name = 'u' }\nforce { body = 'a', value = function(t, s) return s.inputs.u, 0, 0 end }\n"
        "run { t_end = 1 }\n",
        head);
    ph_run *run = open_text(text, options, 1);
    assert_int_equal(run->sim->opt.nonsmooth.n, 0);
    assert_int_equal(ph_run_set_input_table(run, 0, 5, t, u, &err), PH_OK);
    assert_int_equal(run->sim->opt.nonsmooth.n, 3);
    assert_int_equal(ph_run_set_input(run, 0, 0.5), PH_OK); /* a number has no corners */
    assert_int_equal(run->sim->opt.nonsmooth.n, 0);
    assert_int_equal(ph_run_set_input_table(run, 0, 5, t, u, &err), PH_OK);
    assert_int_equal(run->sim->opt.nonsmooth.n, 3);
    if (ph_run_until(run, 1, &err) != PH_OK)
        fail_msg("%s", err.text);
    ph_run_get(run, PH_GET_VELOCITY, 0, x);
    check_near(x[0], 0.7, 1e-6); /* invariant: tol */
    ph_run_close(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(corners_are_found), cmocka_unit_test(steps_end_there),
                                       cmocka_unit_test(tables_bend)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
