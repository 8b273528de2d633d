/* Every allocation of what is done with a run fails in turn: it says so, nothing is lost, and the next call does it. */
#include "run_cases.h"
#include <limits.h>

static const char text[] =
    "local k = param('k', 30)\ngravity{0, 0, -9.81}\n"
    "body{ name = 'b', mass = 1, inertia = {0.1, 0.2, 0.3}, position = {1, 0, 0} }\n"
    "joint{ name = 'j', type = 'revolute', bodies = {'ground', 'b'}, at = {0, 0, 0}, axis = {0, 1, 0} }\n"
    "spring{ bodies = {'ground', 'b'}, at_a = {0, 0, 1}, at_b = {0, 0, 0}, k = k, d = 1, length = 1 }\n"
    "input{ name = 'u' }\n"
    "torque{ body = 'b', value = function(t, s) return {0, s.inputs.u, 0} end }\n"
    "sensor{ name = 'p', type = 'position', body = 'b', over_time = 'rms' }\n"
    "sensor{ name = 'a', type = 'angle', joint = 'j' }\n"
    "objective{ name = 'J', final = function(s) return s.b.position.z^2 end,\n"
    "           integral = function(t, s) return s.b.velocity.x^2 end }\n"
    "run{ t_end = 0.05, h = 0.01 }";

static const char by_events[] =
    "body{ name = 'b', mass = 1, inertia = {1, 1, 1}, velocity = {1, 0, 0} }\n"
    "joint{ name = 'j', type = 'fixed', bodies = {'ground', 'b'}, at = {0, 0, 0}, active = false }\n"
    "input{ name = 'u' }\nstate{ name = 'x', initial = 0, rate = function(t, s) return 1 end }\n"
    "event{ name = 'e', when = function(t, s) return s.b.position.x - 0.02 end, action = { set = { u = 2 } } "
    "}\n"
    "run{ t_end = 0.05, h = 0.01 }";

/* More rows than there is room for at first. */
static const char many_rows[] = "body{ name = 'b', mass = 1, inertia = {1, 1, 1}, velocity = {1, 0, 0} }\n"
                                "input{ name = 'u' }\nrun{ t_end = 0.05, h = 5e-5 }";

static ph_status follow(ph_run *run, ph_error *err)
{
    return ph_run_follow(run, &(int){0}, 1, err);
}

static ph_status gradient(ph_run *run, ph_error *err)
{
    double value, slope;
    return ph_run_gradient(run, 0, &(int){0}, 1, 0, &value, &slope, err);
}

static ph_status gradient_over_time(ph_run *run, ph_error *err)
{
    double value, slope;
    return ph_run_gradient_of_sensor(run, 0, 2, &(int){0}, 1, 0, &value, &slope, err);
}

static ph_status objective_error(ph_run *run, ph_error *err)
{
    double value, error;
    return ph_run_objective_error(run, 0, 0, &value, &error, 0, NULL, err);
}

static ph_status bars(ph_run *run, ph_error *err)
{
    return ph_run_error_bars(run, 1, err);
}

static ph_status linearise(ph_run *run, ph_error *err)
{
    double A[4], B[2], C[8], D[4];
    return ph_run_linearise(run, A, B, C, D, err);
}

static ph_status equilibrium(ph_run *run, ph_error *err)
{
    ph_equilibrium *e;
    ph_status s = ph_run_equilibrium(&e, run, NULL, err);
    ph_equilibrium_destroy(e);
    return s;
}

static ph_status modes(ph_run *run, ph_error *err)
{
    ph_modes *m;
    ph_status s = ph_run_modes(&m, run, err);
    ph_modes_destroy(m);
    return s;
}

static ph_status table(ph_run *run, ph_error *err)
{
    return ph_run_set_input_table(run, 0, 3, (double[]){0, 0.02, 0.05}, (double[]){1, 2, -1}, err);
}

static ph_status record(ph_run *run, ph_error *err)
{
    int column;
    ph_status s = ph_run_record(run, PH_GET_POSITION, 0, &column, err);
    if (s == PH_OK)
        s = ph_run_until(run, 0.05, err);
    return s;
}

static ph_status options(ph_run *run, ph_error *err)
{
    static const char *const rk[] = {"method=rkmk", "tableau=radau2", "h=0.005"};
    return ph_run_set_options(run, rk, 3, err);
}

static ph_status to_the_end(ph_run *run, ph_error *err)
{
    return ph_run_until(run, 0.05, err);
}

static ph_status parameters(ph_run *run, ph_error *err)
{
    return ph_run_set_parameters(run, &(ph_setting){"k", 31}, 1, err);
}

static ph_status opened(ph_run *run, ph_error *err)
{
    (void)run, (void)err;
    return PH_OK;
}

static const struct {
    const char *name, *text;
    ph_status (*act)(ph_run *run, ph_error *err);
    int opens; /* 1: the allocations of opening and starting count too */
} rows[] = {
    {"events", by_events, opened, 1},
    {"a run with events", by_events, to_the_end, 0},
    {"derivatives", text, follow, 0},
    {"a gradient", text, gradient, 0},
    {"a gradient over time", text, gradient_over_time, 0},
    {"an error of an objective", text, objective_error, 0},
    {"error bars", text, bars, 0},
    {"matrices", text, linearise, 0},
    {"an equilibrium", text, equilibrium, 0},
    {"modes", text, modes, 0},
    {"a table", text, table, 0},
    {"rows", text, record, 0},
    {"many rows", many_rows, record, 0},
    {"options", text, options, 0},
    {"parameters", text, parameters, 0},
};

/* The first and the last of them; those between are of models that are read, as all are. */
#define ENDS 80

/* Without allocation at, from 0; how many there are. */
static long starve(size_t k, const char *path, long at)
{
    counter c;
    ph_run *run;
    ph_run_config config = ph_run_defaults();
    ph_error err = {0};
    counter_open(&c, rows[k].opens ? at : -1);
    config.alloc = &c.hooks;
    ph_status s = ph_run_open(&run, path, &config, &err);
    if (s == PH_OK)
        s = ph_run_start(run, &err);
    long before = rows[k].opens ? 0 : c.asked;
    c.fail_at = before + at;
    if (s == PH_OK)
        s = rows[k].act(run, &err);
    int met = c.asked > c.fail_at; /* some are spared: images, programs of functions */
    if (s != PH_OK && !(met && s == PH_E_MEMORY && strstr(err.text, "memory")))
        fail_msg("%s without allocation %ld: status %d, '%s'", rows[k].name, at, (int)s, err.text);
    c.fail_at = -1;
    if (run && met) {
        err = (ph_error){0};
        if (ph_run_reset(run, &err) != PH_OK || rows[k].act(run, &err) != PH_OK)
            fail_msg("%s after allocation %ld failed: %s", rows[k].name, at, err.text);
    }
    long asked = c.asked - before;
    ph_run_close(run);
    assert_int_equal(c.live, 0);
    return asked;
}

static void every_allocation(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        scratch s = scratch_create("memory.lua");
        scratch_write(&s, rows[k].text, strlen(rows[k].text));
        long n = starve(k, s.path, LONG_MAX / 2);
        assert_true(n > 0);
        for (long at = 0; at < n; at++)
            if (at < ENDS || at >= n - ENDS)
                starve(k, s.path, at);
        scratch_remove(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
