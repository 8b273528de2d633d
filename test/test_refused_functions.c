/* Whatever is done with a model, each call of its functions fails in turn: the caller hears of it, steps leave the run as it was, and the
 * same call succeeds afterwards. */
#include "run_cases.h"

/* ---- models ---------------------------------------------------------------------------------------------- */

/* plain(t) cannot be traced: functions that use it are called, and differenced. */
#define PLAIN "local function plain(t) return tonumber(string.format('%.17g', t)) end\n"
#define SEEN  "local function plain(t) return t end\n"

/* Functions everywhere. */
#define BODIES                                                                                               \
    "local k = param('k', 3)\ngravity{0, 0, -9.81}\n"                                                        \
    "body{ name = 'a', mass = k, inertia = {0.1, 0.2, 0.3}, position = {1, 0, 0} }\n"                        \
    "body{ name = 'b', mass = 2, inertia = {0.3, 0.2, 0.1}, position = {2, 0, 0} }\n"                        \
    "joint{ name = 'p', type = 'revolute', bodies = {'ground', 'a'}, at = {0, 0, 0}, axis = {0, 1, 0} }\n"

#define ELEMENTS                                                                                             \
    "joint{ name = 'q', type = 'revolute', bodies = {'a', 'b'}, at = {1.5, 0, 0}, axis = {0, 1, 0} }\n"      \
    "input{ name = 'u', value = 1 }\n"                                                                       \
    "state{ name = 'x', initial = {0.1, 0.2}, rate = function(t, s)\n"                                       \
    "  local w = s.joints.p.rate return {w + plain(t), -s.states.x[1]} end }\n"                              \
    "force{ body = 'b', value = function(t, s) return {0, 0, k*plain(t) + s.b.velocity.x} end }\n"           \
    "torque{ body = 'a', value = function(t, s) return {0, plain(t)*s.a.omega.y + s.inputs.u, 0} end }\n"    \
    "actuator{ name = 'm', joint = 'p', effort = function(t, s)\n"                                           \
    "  return s.states.x[1] - 0.1*plain(s.joints.p.rate) end }\n"                                            \
    "sensor{ name = 'c', custom = function(t, s) return plain(t) + s.a.position.x end, over_time = 'max' "   \
    "}\n"                                                                                                    \
    "sensor{ name = 'e', type = 'effort', of = 'm' }\n"                                                      \
    "sensor{ name = 'r', type = 'reaction', joint = 'p' }\n"                                                 \
    "objective{ name = 'J', final = function(s) return plain(s.b.position.z) + s.sensors.r[1] end,\n"        \
    "           integral = function(t, s) return plain(s.a.velocity.z)^2 + s.sensors.e[1] end }\n"

#define CONSTRAINED                                                                                          \
    "constraint{ name = 'c', f = function(t, s) return s.b.position.y - 0.01*plain(t)^2 end }\n"             \
    "constraint{ name = 'd', f = function(t, s)\n"                                                           \
    "  local x, z = s.b.position.x - s.a.position.x, s.b.position.z - s.a.position.z\n"                      \
    "  return x^2 + plain(z)^2 - 1 end }\n"                                                                  \
    "force{ body = 'b', value = function(t, s) return {0, 0, plain(t)} end, frame = 'body' }\n"              \
    "objective{ name = 'J', final = function(s) return plain(s.b.position.z) end }\n"

#define DRIVEN                                                                                               \
    "joint{ name = 'q', type = 'revolute', bodies = {'a', 'b'}, at = {1.5, 0, 0}, axis = {0, 1, 0},\n"       \
    "       drive = function(t) return 0.3*plain(t)^2 end }\n"                                               \
    "objective{ name = 'J', integral = function(t, s) return plain(s.a.velocity.z)^2 end }\n"

#define EVENTS                                                                                               \
    "joint{ name = 'q', type = 'fixed', bodies = {'a', 'b'}, at = {1.5, 0, 0} }\n"                           \
    "input{ name = 'u' }\n"                                                                                  \
    "state{ name = 'x', initial = 0, rate = function(t, s) return plain(t) end }\n"                          \
    "event{ name = 'e', when = function(t, s) return plain(t) - 0.0123 end,\n"                               \
    "       action = {release = 'q', set = {u = function(t, s) return plain(t) end},\n"                      \
    "                 state = {x = function(t, s) return 2*plain(t) end}} }\n"                               \
    "event{ name = 'f', when = function(t, s) return s.inputs.u - plain(0.01) end, action = {set = {u = "    \
    "0.5}} }\n"                                                                                              \
    "objective{ name = 'J', final = function(s) return s.b.position.z end }\n"

#define RUN "run{ t_end = 0.03, h = 0.01 }"

static const char *const models[] = {
    PLAIN BODIES ELEMENTS RUN,   SEEN BODIES ELEMENTS RUN, PLAIN BODIES CONSTRAINED RUN,
    SEEN BODIES CONSTRAINED RUN, PLAIN BODIES DRIVEN RUN,  SEEN BODIES DRIVEN RUN,
    PLAIN BODIES EVENTS RUN,
};

static const char *const options[][3] = {
    {"method=genalpha", "formulation=ggl", "space=R3xSO3"},
    {"method=rkmk", "tableau=radau2", "space=R3xSO3"},
    {"method=bliedf", "formulation=ggl", "space=SE3"},
    {"method=genalpha", "formulation=index3", "tol=1e-4"},
};

/* ---- one call that fails ---------------------------------------------------------------------------------- */

static nth fault = {.at = -1, .damage = REFUSE};
static ph_status (*inner)(const ph_function *f, double t, const ph_body_state *bodies, int n, double *out);

static ph_status call(const ph_function *f, double t, const ph_body_state *bodies, int n, double *out)
{
    return nth_call(&fault, NULL, 0) ? PH_E_CALLBACK : inner(f, t, bodies, n, out);
}

/* wrong 1: expressions that were traced are not used. */
static void take(const ph_function *given, int wrong)
{
    ph_function *f = (ph_function *)given; /* of a model of this test alone */
    if (!f->call)
        return;
    inner = f->call == call ? inner : f->call;
    f->call = call;
    if (f->traced && wrong)
        f->traced->wrong = 1;
}

static void take_all(const ph_model *m, int wrong)
{
    for (int k = 0; k < m->n_joints; k++)
        take(&m->joint[k].drive, wrong);
    for (int k = 0; k < m->n_forces; k++)
        take(&m->force[k].f, wrong);
    for (int k = 0; k < m->n_sensors; k++)
        take(&m->sensor[k].f, wrong);
    for (int k = 0; k < m->n_states; k++)
        take(&m->state[k].rate, wrong);
    for (int k = 0; k < m->n_actuators; k++)
        take(&m->actuator[k].f, wrong);
    for (int k = 0; k < m->n_constraints; k++)
        take(&m->constraint[k].f, wrong);
    for (int k = 0; k < m->n_objectives; k++)
        take(&m->objective[k].final, wrong), take(&m->objective[k].integral, wrong);
    for (int k = 0; k < m->n_events; k++) {
        take(&m->event[k].when, wrong);
        for (int i = 0; i < m->event[k].n_actions; i++)
            take(&m->event[k].action[i].f, wrong);
    }
}

/* ---- what is done ----------------------------------------------------------------------------------------- */

static ph_status to_the_end(ph_run *run, ph_error *err)
{
    for (int k = 0; k < 20 && ph_run_time(run) < 0.03 - 1e-9; k++) {
        snapshot before = snap_run(run);
        ph_status s = ph_run_step(run, err);
        snapshot after = snap_run(run);
        int same = same_bits(&before, &after);
        free(before.x), free(after.x);
        if (s != PH_OK) {
            assert_true(same ||
                        ph_run_count(run, PH_EVENTS) > 0); /* exact; what fails in an action has come there */
            return s;
        }
    }
    return PH_OK;
}

static ph_status all_numbers(ph_run *run, ph_error *err)
{
    static const int lists[] = {PH_GET_SENSOR, PH_GET_OBJECTIVE, PH_GET_OVER};
    double x[PH_SENSOR_MAX];
    ph_status s = PH_OK;
    for (int k = 0; k < 3; k++)
        for (int i = 0; s == PH_OK && ph_run_size(run, lists[k], i) > 0; i++)
            s = ph_run_get(run, lists[k], i, x);
    return s == PH_OK ? s : ph_fail(err, s, "a number: %s", ph_status_text(s));
}

static ph_status rest(ph_run *run, ph_error *err)
{
    return ph_run_static(run, NULL, NULL, err);
}

static ph_status vibrate(ph_run *run, ph_error *err)
{
    ph_modes *m;
    ph_status s = ph_run_modes(&m, run, err);
    ph_modes_destroy(m);
    return s;
}

static ph_status linearise(ph_run *run, ph_error *err)
{
    int nx, nu, ny;
    ph_status s = ph_run_linear_sizes(run, &nx, &nu, &ny, err);
    if (s != PH_OK)
        return s;
    size_t n = (size_t)(nx + nu + ny + 1);
    double *A = calloc(4 * n * n, sizeof *A);
    s = ph_run_linearise(run, A, A + n * n, A + 2 * n * n, A + 3 * n * n, err);
    free(A);
    return s;
}

static ph_status follow(ph_run *run, ph_error *err)
{
    double x[PH_SENSOR_MAX];
    ph_status s = ph_run_follow(run, &(int){0}, 1, err);
    if (s == PH_OK)
        s = to_the_end(run, err);
    if (s == PH_OK && (s = ph_run_get_derivative(run, PH_GET_OBJECTIVE, 0, 0, x)) != PH_OK)
        ph_fail(err, s, "a derivative: %s", ph_status_text(s));
    return s;
}

static ph_status gradient(ph_run *run, ph_error *err)
{
    double J, x;
    ph_status s = ph_run_gradient(run, 0, &(int){0}, 1, 0, &J, &x, err);
    if (s == PH_OK)
        assert_true(isfinite(x));
    return s;
}

static ph_status errors(ph_run *run, ph_error *err)
{
    double J, x;
    return ph_run_objective_error(run, 0, 0, &J, &x, 0, NULL, err);
}

static ph_status bars(ph_run *run, ph_error *err)
{
    double x[PH_SENSOR_MAX];
    ph_status s = ph_run_error_bars(run, 1, err);
    if (s == PH_OK)
        s = to_the_end(run, err);
    if (s == PH_OK && (s = ph_run_get_error(run, PH_GET_OBJECTIVE, 0, x)) != PH_OK)
        ph_fail(err, s, "an error: %s", ph_status_text(s));
    return s;
}

static ph_status look(ph_run *run, ph_error *err)
{
    int nv = ph_system_nv(run->sys), nl = ph_system_nl(run->sys);
    double *x = calloc((size_t)(nv + nl + 1), sizeof *x);
    ph_state now = ph_run_state(run);
    ph_check worst;
    for (int i = 0; i < nv + nl; i++)
        x[i] = sin(1 + i);
    ph_status s = ph_system_check(run->sys, 0.01, now.q, now.v, x, x + nv, &worst, err);
    free(x);
    return s;
}

static const struct {
    const char *name;
    ph_status (*act)(ph_run *run, ph_error *err);
} acts[] = {{"steps", to_the_end},   {"numbers", all_numbers}, {"an equilibrium", rest}, {"modes", vibrate},
            {"matrices", linearise}, {"derivatives", follow},  {"a gradient", gradient}, {"an error", errors},
            {"error bars", bars},    {"a check", look}};

#define ACTS (sizeof acts / sizeof *acts)

/* One act without call at, from 0; its status. */
static ph_status starve(const char *path, size_t option, size_t act, int wrong, long at, ph_error *err)
{
    ph_run *run = open_run(path, options[option], 3);
    take_all(run->model, wrong);
    fault = (nth){.at = at, .damage = REFUSE};
    ph_status s = ph_run_start(run, err);
    if (s == PH_OK)
        s = acts[act].act(run, err);
    int heard = s != PH_OK && at >= 0;
    fault.at = -1;
    if (heard) {
        ph_error again = {0};
        if (ph_run_reset(run, &again) != PH_OK || acts[act].act(run, &again) != PH_OK)
            fail_msg("%s again after call %ld: %s; before: %s", acts[act].name, at, again.text, err->text);
    }
    ph_run_close(run);
    return s;
}

/* Some calls of each act; PH_EVERY: more of them, with all options. */
static void every_function(void **state)
{
    (void)state;
    int all = getenv("PH_EVERY") != NULL;
    long offset = 0, heard = 0;
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        scratch file = scratch_create("functions.lua");
        scratch_write(&file, models[m], strlen(models[m]));
        int noisy = strstr(models[m], "constraint{") !=
                    NULL; /* differences, which steps by tolerance would resolve */
        for (size_t o = 0; o < sizeof options / sizeof *options - (noisy ? 2u : 0u); o++)
            for (size_t a = 0; a < ACTS && (all || o == m % 4 || o == m / 2 - 1); a++) {
                ph_error err = {0};
                int done = starve(file.path, o, a, 1, -1, &err) == PH_OK;
                long n = done ? fault.calls : 0, by = 1 + n / (all ? 12 : 1);
                for (long at = 0; at < n; at += by, offset++) {
                    err = (ph_error){0};
                    ph_status s = starve(file.path, o, a, 1, at + offset % by, &err);
                    heard += s != PH_OK;
                    if (s != PH_OK && (s != PH_E_CALLBACK || !err.text[0]))
                        fail_msg("%s of model %d (%s, %s), call %ld: status %d, '%s'", acts[a].name, (int)m,
                                 options[o][0], options[o][1], at, (int)s, err.text);
                }
            }
        scratch_remove(&file);
    }
    assert_true(heard > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_function)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
