/* host(k, n, ...) of model files: functions of the program that reads them. */
#include "check.h"

#include <string.h>

#include "polhode/run.h"

static const char text[] = "model 'hosted'\n"
                           "local k = param('k', 3)\n"
                           "body { name = 'b', mass = 2, inertia = {1, 1, 1}, position = {1, 0, 0} }\n"
                           "force { name = 'pull', body = 'b', value = function(t, s) return %s end }\n"
                           "sensor { name = 'x', type = 'position', body = 'b' }\n"
                           "run { t_end = 1, h = 1e-2 }\n";

typedef struct own {
    int calls, fails;
} own;

/* 0: k x, k y, sin t; 1: as many numbers as it gets */
static int host(int k, int n_x, const double *x, int n_y, double *y, char *error, size_t size, void *ctx)
{
    own *o = ctx;
    o->calls++;
    if (o->fails) {
        snprintf(error, size, "the spring is broken");
        return 0;
    }
    if (k == 0) {
        assert_int_equal(n_x, 4);
        assert_int_equal(n_y, 3);
        y[0] = -x[3] * x[0], y[1] = -x[3] * x[1], y[2] = sin(x[2]);
        return 1;
    }
    for (int i = 0; i < n_y; i++)
        y[i] = i < n_x ? x[i] : NAN;
    return 1;
}

static ph_model *read_one(const char *value, own *o, ph_error *err)
{
    char all[1024];
    ph_model *m = NULL;
    snprintf(all, sizeof all, text, value);
    ph_host h = {host, o};
    if (!o)
        h.call = NULL;
    ph_model_read_hosted(&m, "hosted.lua", all, strlen(all), NULL, 0, h, NULL, err);
    return m;
}

static void end_of(ph_run *run, double x[3])
{
    ph_error err;
    if (ph_run_until(run, 1, &err) != PH_OK)
        fail_msg("%s", err.text);
    ph_run_get(run, PH_GET_SENSOR, 0, x);
}

static const char called[] = "host(0, 3, s.position.x, s.position.y, t, k)",
                  traced[] = "-k*s.position.x, -k*s.position.y, math.sin(t)";

/* The same motion as with a function of the file, whose tangents are exact; parameters act, and derivatives by them. */
static void same_motion(void **state)
{
    own o = {0};
    ph_error err;
    double x[2][3], d[2][3];
    (void)state;
    for (int i = 0; i < 2; i++) {
        ph_model *m = read_one(i ? traced : called, &o, &err);
        if (!m)
            fail_msg("%s", err.text);
        ph_function_info info;
        assert_int_equal(ph_model_function(m, 0, &info), 1);
        assert_int_equal(info.reason != NULL, i == 0);
        if (i == 0)
            assert_non_null(strstr(info.reason, "the program that read the model"));
        ph_run *run, *other;
        assert_int_equal(ph_run_create(&run, m, NULL, &err), PH_OK);
        assert_int_equal(ph_run_create(&other, m, NULL, &err), PH_OK); /* with a Lua state of its own */
        ph_model_free(m);
        end_of(run, x[i]);
        assert_int_equal(ph_run_set_parameters(other, &(ph_setting){"k", 5}, 1, &err), PH_OK);
        assert_int_equal(ph_run_follow(other, &(int){0}, 1, &err), PH_OK);
        double y[3];
        end_of(other, y);
        assert_true(fabs(y[0] - x[i][0]) > 1e-2);
        assert_int_equal(ph_run_get_derivative(other, PH_GET_SENSOR, 0, 0, d[i]), PH_OK);
        ph_run_close(run);
        ph_run_close(other);
    }
    assert_true(o.calls > 100);
    for (int k = 0; k < 3; k++) {
        check_near(x[0][k], x[1][k], 1e-9); /* round-off of Newton: tangents differ in the tenth digit */
        check_near(d[0][k], d[1][k], 1e-6); /* derivative: differences */
    }
}

static void failures(void **state)
{
    own o = {0};
    ph_error err;
    ph_run *run;
    (void)state;
    ph_model *m = read_one(called, &o, &err);
    assert_non_null(m);
    assert_int_equal(ph_run_create(&run, m, NULL, &err), PH_OK);
    assert_int_equal(ph_run_until(run, 0.5, &err), PH_OK);
    o.fails = 1;
    double t = ph_run_time(run);
    assert_int_equal(ph_run_step(run, &err), PH_E_CALLBACK);
    assert_non_null(strstr(err.text, "the spring is broken"));
    assert_non_null(strstr(err.text, "hosted.lua:4"));
    assert_true(ph_run_time(run) == t);
    o.fails = 0;
    assert_int_equal(ph_run_step(run, &err), PH_OK); /* the state is as before, and it goes on */
    ph_run_close(run);
    FILE *none = tmpfile();
    assert_int_equal(ph_model_freeze(m, none, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "the program that read the model"));
    fclose(none);
    ph_model_free(m);
    static const struct {
        const char *value, *words;
    } bad[] = {{"host('a', 3)", "whole numbers"},
               {"host(0, 3.5)", "whole numbers"},
               {"host(0, 1e9)", "whole numbers"},
               {"host(-1, 3)", "whole numbers"},
               {"host(1, 3, t, s, 0)", "not a number"},
               {"host(1, 2, t, t)", "2 values instead of 3"},
               {"host(1, 3, t)", "is not a number"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        m = read_one(bad[k].value, &o, &err);
        if (m)
            fail_msg("'%s' is read", bad[k].value);
        if (!strchr(bad[k].words, '|') && !strstr(err.text, bad[k].words))
            fail_msg("'%s': %s", bad[k].value, err.text);
    }
    assert_null(read_one(called, NULL, &err)); /* without a host there is none */
    assert_non_null(strstr(err.text, "nothing is called 'host'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_motion), cmocka_unit_test(failures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
