/* Steps of runs by compiled models that the library builds itself: one run, other parameters, several runs at once. */
#include "model_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compile/native.h"
#include "polhode/compile.h"
#include "polhode/run.h"
#include "problem/problem.h"
#include "run/private.h"

#define MODELS PH_TEST_DIR "/../models/"
#define NEAR   1e-8 /* Newton's tolerance is 1e-8 of accelerations; over some hundred steps */

static ph_run *open_run(const char *file, int compiled, ph_log_fn log, void *ctx)
{
    ph_run *run;
    ph_error err = {0};
    ph_run_config c = ph_run_defaults();
    c.options = (const char *const[]){"formulation=index3", "h=1e-3", "halvings=0"}, c.n_options = 3;
    c.compiled = compiled, c.log = log, c.log_ctx = ctx, c.watch = PH_WATCH_ALL;
    if (ph_run_open(&run, file, &c, &err) != PH_OK)
        fail_msg("%s", err.text);
    return run;
}

static void to(ph_run *run, double t)
{
    ph_error err = {0};
    if (ph_run_until(run, t, &err) != PH_OK)
        fail_msg("%s", err.text);
}

static void set_mass(ph_run *run, double m)
{
    ph_error err = {0};
    if (ph_run_set_parameters(run, &(ph_setting){"m", m}, 1, &err) != PH_OK)
        fail_msg("%s", err.text);
}

static void motion(ph_run *run, double x[19])
{
    assert_int_equal(ph_run_get(run, PH_GET_MOTION, 0, x), PH_OK);
}

static double apart(ph_run *a, ph_run *b)
{
    double x[19], y[19];
    motion(a, x), motion(b, y);
    return max_diff(x, y, 13); /* position, rotation, velocity, omega */
}

/* A field of the configuration; again after other parameters and options. */
static void a_run_by_its_configuration(void **state)
{
    (void)state;
    ph_run *run = open_run(MODELS "heavy_top.lua", 1, NULL, NULL),
           *own = open_run(MODELS "heavy_top.lua", 0, NULL, NULL);
    ph_error err = {0};
    assert_true(ph_run_is_compiled(run) && !ph_run_is_compiled(own));
    to(run, 0.2), to(own, 0.2);
    check_le(apart(run, own), NEAR);
    assert_true(ph_run_is_compiled(run)); /* the first steps agreed */
    assert_true(apart(run, own) > 0);     /* and it was not the library that made the others */
    set_mass(run, 17), set_mass(own, 17);
    to(run, 0.2), to(own, 0.2);
    assert_true(ph_run_is_compiled(run));
    check_le(apart(run, own), NEAR);
    const char *const other[] = {"h=2e-3"};
    assert_int_equal(ph_run_set_options(run, other, 1, &err), PH_OK);
    assert_int_equal(ph_run_set_options(own, other, 1, &err), PH_OK);
    to(run, 0.2), to(own, 0.2);
    assert_true(ph_run_is_compiled(run));
    check_le(apart(run, own), NEAR);
    ph_run_close(run), ph_run_close(own);
}

/* The same code for all masses; a run of another step size cannot use it. */
static void parameters_that_are_open(void **state)
{
    (void)state;
    ph_run *run = open_run(MODELS "heavy_top.lua", 0, NULL, NULL),
           *own = open_run(MODELS "heavy_top.lua", 0, NULL, NULL);
    ph_compiled *c;
    ph_error err = {0};
    const char *const open[] = {"m"};
    assert_int_equal(ph_compiled_create(&c, run, open, 1, 1, &err), PH_OK);
    for (int k = 0; k < 3; k++) {
        set_mass(run, 12 + k), set_mass(own, 12 + k);
        assert_int_equal(ph_run_use(run, c, &err), PH_OK);
        to(run, 0.1), to(own, 0.1);
        check_le(apart(run, own), NEAR);
    }
    assert_int_equal(ph_run_set_options(own, (const char *const[]){"h=2e-3"}, 1, &err), PH_OK);
    assert_int_equal(ph_run_use(own, c, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "differs from the one that was compiled"));
    ph_compiled_release(c);
    to(run, 0.2); /* it keeps the code */
    ph_run_close(run), ph_run_close(own);
}

/* Five runs, of which four fit into the lanes; each as it is alone. */
static void several_at_once(void **state)
{
    (void)state;
    ph_run *run[5], *own = open_run(MODELS "heavy_top.lua", 0, NULL, NULL);
    ph_status status[5];
    ph_error err[5] = {{0}};
    ph_compiled *c;
    const char *const open[] = {"m"};
    assert_int_equal(ph_compiled_create(&c, own, open, 1, 4, err), PH_OK);
    assert_int_equal(ph_compiled_lanes(c), 4);
    for (int i = 0; i < 5; i++) {
        run[i] = open_run(MODELS "heavy_top.lua", 0, NULL, NULL);
        set_mass(run[i], 10 + 2 * i);
        assert_int_equal(ph_run_use(run[i], c, err), PH_OK);
    }
    assert_int_equal(ph_runs_until(run, 5, 0.1, status, err), PH_OK);
    assert_int_equal(ph_runs_until(run, 3, 0.2, status, err), PH_OK); /* two have gone */
    for (int i = 0; i < 5; i++) {
        assert_int_equal(status[i], PH_OK);
        assert_true(ph_run_is_compiled(run[i]));
        set_mass(own, 10 + 2 * i);
        to(own, i < 3 ? 0.2 : 0.1);
        check_near(ph_run_time(run[i]), ph_run_time(own), 1e-12);
        check_le(apart(run[i], own), NEAR);
    }
    ph_compiled_release(c);
    for (int i = 0; i < 5; i++)
        ph_run_close(run[i]);
    ph_run_close(own);
}

/* A pendulum that goes over the top. */
static const char swing[] =
    "model 'swing'\n"
    "gravity {0, 0, -9.81}\n"
    "body{name='rod', mass=param('m', 1), inertia={0.01, 0.08, 0.08}, position={0.5, 0, 0},\n"
    "     velocity={0, 0, -2.8}, omega={0, 5.6, 0}}\n"
    "joint{name='pin', type='revolute', bodies={'ground', 'rod'}, at={0, 0, 0}, axis={0, 1, 0}}\n"
    "spring{bodies={'ground', 'rod'}, at_a={0, 0, 2}, at_b={0.5, 0, 0}, k=0.5, length=1}\n"
    "sensor{name='angle', type='angle', joint='pin'}\n"
    "run{t_end=9, h=1e-3}\n";

static ph_run *open_swing(const scratch *s, ph_compiled *c, double m)
{
    ph_run *run = open_run(s->path, 0, NULL, NULL);
    ph_error err = {0};
    set_mass(run, m);
    if (c)
        assert_int_equal(ph_run_use(run, c, &err), PH_OK);
    return run;
}

/* Steps that nobody but the watch sees: violations, energies, turns and counts are those of the library. One that blows up ends where
 * it does alone, and the others go on. */
static void steps_that_are_watched(void **state)
{
    (void)state;
    scratch s = scratch_create("swing.lua");
    scratch_write(&s, swing, strlen(swing));
    ph_run *run[3], *own = open_swing(&s, NULL, 1);
    ph_status status[3];
    ph_error err[3] = {{0}};
    ph_compiled *c;
    assert_int_equal(ph_compiled_create(&c, own, (const char *const[]){"m"}, 1, 4, err), PH_OK);
    assert_non_null(c->seen);
    for (int i = 0; i < 3; i++)
        run[i] = open_swing(&s, c, 1 + 0.1 * i);
    ph_runs_until(run, 3, 0.01, status, err);
    ph_watched *w = &run[1]->watched;
    double most = 1.5 * w->first_kinetic;
    w->first_potential = -1e6, w->fallen = 0, w->first_kinetic = most / 2; /* more than twice is too much */
    ph_runs_until(run, 3, 8.7, status, err);
    assert_int_equal(status[1], PH_E_STEP);
    assert_non_null(strstr(err[1].text, "the solution explodes"));
    assert_true(ph_run_time(run[1]) > 0.02 && ph_run_time(run[1]) < 0.5);
    for (int i = 0; i < 3; i++) {
        double a, b, angle;
        set_mass(own, 1 + 0.1 * i);
        to(own, ph_run_time(run[i]));
        ph_run_summary x = ph_run_summarise(run[i]), y = ph_run_summarise(own);
        check_le(apart(run[i], own), NEAR);
        assert_int_equal(x.stats.steps, y.stats.steps);
        assert_true(x.stats.iterations >= y.stats.iterations); /* the library leaves out second ones (N7) */
        check_near((double)x.stats.iterations, 2 * (double)x.stats.steps, 0.01 * (double)x.stats.steps);
        assert_int_equal(ph_run_get(run[i], PH_GET_SENSOR, 0, &a), PH_OK);
        assert_int_equal(ph_run_get(own, PH_GET_SENSOR, 0, &b), PH_OK);
        check_near(a, b, NEAR);
        angle = i == 1 ? 0 : 12; /* two turns */
        assert_true(fabs(a) > angle);
        if (i == 1)
            continue;
        assert_int_equal(status[i], PH_OK);
        check_le(x.violation_position, 1e-12);
        check_near(x.violation_velocity, y.violation_velocity, 1e-6 * y.violation_velocity);
        check_near(x.residual, y.residual, 1e-6 * y.residual);
        check_near(x.energy, y.energy, 1e-9 * fabs(y.energy));
    }
    check_near(w->kinetic, most, 0.1); /* where it was too much first */
    ph_compiled_release(c);
    for (int i = 0; i < 3; i++)
        ph_run_close(run[i]);
    ph_run_close(own);
    scratch_remove(&s);
}

/* A member that cannot go on: it says why, and the others do not notice. */
static void one_that_fails(void **state)
{
    (void)state;
    ph_run *run[4], *own = open_run(MODELS "heavy_top.lua", 0, NULL, NULL);
    ph_status status[4];
    ph_error err[4] = {{0}};
    ph_compiled *c;
    const char *const open[] = {"m"};
    assert_int_equal(ph_compiled_create(&c, own, open, 1, 4, err), PH_OK);
    for (int i = 0; i < 4; i++) {
        run[i] = open_run(MODELS "heavy_top.lua", 0, NULL, NULL);
        assert_int_equal(ph_run_use(run[i], c, err), PH_OK);
    }
    double v[6] = {0};
    const double *q0, *v0;
    ph_run_initial(run[2], &q0, &v0);
    memcpy(v, v0, sizeof v);
    v[3] = v[4] = 5e4; /* it turns fifty radians in a step */
    assert_int_equal(ph_run_start_at(run[2], 0, q0, v, 1, err), PH_OK);
    ph_runs_until(run, 4, 0.1, status, err);
    to(own, 0.1);
    for (int i = 0; i < 4; i++)
        if (i != 2) {
            assert_int_equal(status[i], PH_OK);
            check_le(apart(run[i], own), NEAR);
        }
    assert_int_not_equal(status[2], PH_OK);
    assert_true(strlen(err[2].text) > 0);
    ph_compiled_release(c);
    for (int i = 0; i < 4; i++)
        ph_run_close(run[i]);
    ph_run_close(own);
}

/* Runs that have other code, or none, go along beside those that share a struct. */
static void among_others(void **state)
{
    (void)state;
    ph_run *run[5], *own = open_run(MODELS "heavy_top.lua", 0, NULL, NULL);
    ph_status status[5];
    ph_error err[5] = {{0}};
    ph_compiled *many, *one;
    assert_int_equal(ph_compiled_create(&many, own, (const char *const[]){"m"}, 1, 4, err), PH_OK);
    assert_int_equal(ph_compiled_create(&one, own, NULL, 0, 1, err), PH_OK);
    for (int i = 0; i < 5; i++)
        run[i] = open_run(MODELS "heavy_top.lua", 0, NULL, NULL);
    assert_int_equal(ph_run_use(run[1], many, err), PH_OK); /* 0 has none */
    assert_int_equal(ph_run_use(run[2], one, err), PH_OK);
    assert_int_equal(ph_run_use_compiled(run[3], one->step, err), PH_OK);
    assert_int_equal(ph_run_use(run[4], many, err), PH_OK); /* there are four lanes */
    ph_runs_until(run, 5, 0.1, status, err);
    to(own, 0.1);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(status[i], PH_OK);
        assert_int_equal(ph_run_is_compiled(run[i]), i > 0);
        assert_int_equal(ph_run_summarise(run[i]).stats.steps, 100);
        check_le(apart(run[i], own), NEAR);
        assert_int_equal(apart(run[i], own) > 0, i > 0); /* exact without */
    }
    ph_runs_until(run, 1, 0.2, status, err); /* nobody has any */
    to(own, 0.2);
    assert_true(status[0] == PH_OK && apart(run[0], own) == 0);
    ph_compiled_release(many), ph_compiled_release(one);
    for (int i = 0; i < 5; i++)
        ph_run_close(run[i]);
    ph_run_close(own);
}

static unsigned fails(void *state)
{
    (void)state;
    return ~0u;
}

/* The run was the last that had the code, and gives it up on the way since its steps are not those of the library. */
static void code_that_is_given_up(void **state)
{
    (void)state;
    ph_run *run = open_run(MODELS "heavy_top.lua", 0, NULL, NULL),
           *own = open_run(MODELS "heavy_top.lua", 0, NULL, NULL);
    ph_status status;
    ph_error err = {0};
    ph_compiled *c;
    assert_int_equal(ph_compiled_create(&c, own, (const char *const[]){"m"}, 1, 4, &err), PH_OK);
    assert_int_equal(ph_run_use(run, c, &err), PH_OK);
    ((ph_member *)run->native)->step = fails;
    ph_compiled_release(c);
    ph_runs_until(&run, 1, 0.1, &status, &err);
    to(own, 0.1);
    assert_true(status == PH_OK && !ph_run_is_compiled(run) && apart(run, own) == 0); /* exact */
    ph_run_close(run), ph_run_close(own);
}

/* From a saved state another run goes on with the same bits, whichever of its steps are compared; a run that begins anew has them again. */
static void from_a_saved_state(void **state)
{
    (void)state;
    ph_run *run = open_run(MODELS "heavy_top.lua", 1, NULL, NULL),
           *other = open_run(MODELS "heavy_top.lua", 1, NULL, NULL);
    ph_error err = {0};
    size_t size = ph_run_save_size(run);
    unsigned char *half = malloc(size), *end = malloc(size), *again = malloc(size);
    assert_non_null(half), assert_non_null(end), assert_non_null(again);
    to(run, 0.05);
    assert_int_equal(ph_run_save(run, half, size), PH_OK);
    to(run, 0.1);
    double x[19], y[19];
    motion(run, x);
    assert_int_equal(ph_run_save(run, end, size), PH_OK);
    assert_int_equal(ph_run_restore(other, half, size, &err), PH_OK);
    to(other, 0.1);
    assert_true(ph_run_is_compiled(other));
    assert_int_equal(ph_run_save(other, again, size), PH_OK);
    assert_memory_equal(end, again, size); /* exact */
    assert_int_equal(ph_run_reset(run, &err), PH_OK);
    to(run, 0.1);
    motion(run, y);
    assert_memory_equal(x, y, sizeof x);
    free(half), free(end), free(again);
    ph_run_close(run), ph_run_close(other);
}

static void recorded(ph_run *run)
{
    ph_error err = {0};
    int column;
    assert_int_equal(ph_run_record(run, PH_GET_SENSOR, 0, &column, &err), PH_OK);
}

static void followed(ph_run *run)
{
    ph_error err = {0};
    assert_int_equal(ph_run_follow(run, (const int[]){0}, 1, &err), PH_OK);
}

static void with_bars(ph_run *run)
{
    ph_error err = {0};
    assert_int_equal(ph_run_error_bars(run, 1, &err), PH_OK);
}

/* What somebody besides the watch sees is made step by step: tables, derivatives, errors, inputs, events, values over
 * time, objectives. Beside a run that nobody sees the numbers are the same. */
static void steps_that_others_see(void **state)
{
    (void)state;
    static const struct {
        const char *more;
        void (*look)(ph_run *run);
    } row[] = {{"", recorded},
               {"", followed},
               {"", with_bars},
               {"input{name='u', value=1}\n", NULL},
               {"event{name='e', when=function(t) return t - 1 end, action='stop'}\n", NULL},
               {"sensor{name='most', type='angle', joint='pin', over_time='max'}\n", NULL},
               {"objective{name='J', integral=function(t, s) return s.rod.position.x^2 end}\n", NULL}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        scratch s = scratch_create("seen.lua");
        char text[2000];
        snprintf(text, sizeof text, "%s%s", swing, row[k].more);
        scratch_write(&s, text, strlen(text));
        ph_run *run[2], *own = open_swing(&s, NULL, 1);
        ph_status status[2];
        ph_error err[2] = {{0}};
        ph_compiled *c;
        assert_int_equal(ph_compiled_create(&c, own, (const char *const[]){"m"}, 1, 4, err), PH_OK);
        for (int i = 0; i < 2; i++)
            run[i] = open_swing(&s, c, 1 + 0.1 * i);
        if (row[k].look)
            row[k].look(run[1]);
        ph_runs_until(run, 2, 0.05, status, err);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(status[i], PH_OK);
            set_mass(own, 1 + 0.1 * i);
            to(own, 0.05);
            check_near(ph_run_time(run[i]), 0.05, 1e-12);
            check_le(apart(run[i], own), NEAR);
            assert_int_equal(ph_run_summarise(run[i]).stats.steps, 50);
        }
        ph_compiled_release(c);
        ph_run_close(run[0]), ph_run_close(run[1]), ph_run_close(own);
        scratch_remove(&s);
    }
}

/* A top that turns in the wind, which blows from one height on and stops again, counts its passages, and ends somewhere. */
static const char events[] =
    "model 'events'\n"
    "local m = param('m', 15)\n"
    "gravity {0, 0, -9.81}\n"
    "body{name='top', mass=m, inertia={0.45, 0.45, 0.23}, position={0, 1, 0}, omega={0, 150, -4.6}}\n"
    "joint{name='pivot', type='spherical', bodies={'ground', 'top'}, at={0, 0, 0}}\n"
    "input{name='wind', value=0, hold='step'}\n"
    "state{name='count', initial=0, rate=function(t, s) return 0 end}\n"
    "force{name='w', body='top', value=function(t, s) return 0, 0, 30*s.inputs.wind end}\n"
    "local function z(t, s) return s.top.position.z + 0.15 end\n"
    "event{name='low', when=z, direction='down', action={{set={wind=1}}, {state={count=function(t, s) return "
    "s.states.count + 1 end}}}}\n"
    "event{name='high', when=z, direction='up', action={set={wind=0}}}\n"
    "event{name='far', when=function(t, s) return s.top.position.x + 0.1 end, direction='up', "
    "action='stop'}\n"
    "run{t_end=1, h=1e-3, formulation='index3'}\n";

/* Events come when they do in the library, to Newton's tolerance, alone and with others. */
static void events_on_the_way(void **state)
{
    (void)state;
    scratch s = scratch_create("events.lua");
    scratch_write(&s, events, strlen(events));
    ph_run *own = open_run(s.path, 0, NULL, NULL), *run[3];
    ph_status status[3];
    ph_error err[3] = {{0}};
    ph_compiled *c;
    const char *const open[] = {"m"};
    assert_int_equal(ph_compiled_create(&c, own, open, 1, 4, err), PH_OK);
    for (int i = 0; i < 3; i++) {
        run[i] = open_run(s.path, i == 2, NULL, NULL);
        set_mass(run[i], 15 + i % 2);
        if (i < 2)
            assert_int_equal(ph_run_use(run[i], c, err), PH_OK);
    }
    ph_runs_until(run, 2, 1, status, err);
    status[2] = ph_run_until(run[2], 1, &err[2]);
    for (int i = 0; i < 3; i++) {
        set_mass(own, 15 + i % 2);
        to(own, 1);
        assert_int_equal(status[i], PH_OK);
        assert_true(ph_run_is_compiled(run[i]) && apart(run[i], own) > 0); /* it was compiled */
        check_le(apart(run[i], own), NEAR);
        int n, more;
        const ph_run_event *a = ph_run_events(own, &n), *b = ph_run_events(run[i], &more);
        assert_true(n > 2 && n == more);
        assert_int_equal(ph_run_ended_by(own), 2);
        assert_int_equal(ph_run_ended_by(run[i]), 2);
        for (int k = 0; k < n; k++) {
            assert_int_equal(a[k].event, b[k].event);
            check_near(a[k].t, b[k].t, NEAR);
        }
    }
    ph_compiled_release(c);
    for (int i = 0; i < 3; i++)
        ph_run_close(run[i]);
    ph_run_close(own);
    scratch_remove(&s);
}

static void note(const char *text, void *ctx)
{
    snprintf(ctx, 300, "%s", text);
}

static const char pushed[] = "model 'pushed'\n"
                             "input{name='u', value=2}\n"
                             "body{name='b', mass=param('m', 1), inertia={1, 1, 1}}\n"
                             "force{name='f', body='b', value=function(t, s) return s.inputs.u, 0, 0 end}\n"
                             "sensor{name='x', type='position', body='b'}\n"
                             "run{t_end=1, h=1e-3}\n";

/* What stands for nvcc: plain C is a device of one thread. With WRONG that file is the library. */
static const char nvcc[] = "#!/bin/sh\n"
                           "while [ $# -gt 0 ]; do case $1 in -o) out=$2; shift ;; *.cu) in=$1 ;; "
                           "-Xcompiler) shift ;; esac; shift; done\n"
                           "[ -z \"$WRONG\" ] || exec cc -shared -fPIC \"$WRONG\" -o \"$out\"\n"
                           "exec cc -std=c17 -O0 -ffp-contract=off -fPIC -shared -DPH_LIBRARY -x c \"$in\" "
                           "\"${in%.cu}.c\" -lm -o \"$out\"\n";

static void refused(ph_status s, const ph_error *err, const char *words)
{
    assert_int_equal(s, PH_E_INPUT);
    if (!strstr(err->text, words))
        fail_msg("'%s' does not contain '%s'", err->text, words);
}

/* Members of an ensemble, one by one; what they cannot be, and what is no code for a device, or no other. */
static void a_device(void **state)
{
    (void)state;
    scratch s = scratch_create("pushed.lua"), tool = scratch_create("nvcc"), wrong = scratch_create("w.c");
    static const char lazy[] = "const char *ph_ensemble_run(void) { return 0; }\n",
                      none[] = "int nothing;\n"; /* a device that does nothing; a library without steps */
    scratch_write(&s, pushed, strlen(pushed)), scratch_write(&tool, nvcc, strlen(nvcc));
    assert_int_equal(chmod(tool.path, 0700), 0);
    setenv("NVCC", tool.path, 1);
    ph_run *run = open_run(s.path, 0, NULL, NULL), *late;
    ph_run_config waits = ph_run_defaults();
    ph_compiled *c, *plain;
    ph_error err = {0};
    waits.wait = 1;
    assert_int_equal(ph_run_open(&late, s.path, &waits, &err), PH_OK);
    double x[3], value[3], iterations;
    unsigned char failed = 1;
    if (ph_compiled_create_device(&c, run, (const char *const[]){"m"}, 1, &err) != PH_OK)
        fail_msg("%s", err.text);
    assert_int_equal(ph_compiled_sensors(c), 3);
    double *member = calloc((size_t)ph_compiled_numbers(c), sizeof *member);
    set_mass(run, 4);
    assert_int_equal(ph_compiled_load(c, run, member, &err), PH_OK);
    assert_int_equal(ph_compiled_run(c, 1, member, 100, value, &iterations, &failed, &err), PH_OK);
    assert_int_equal(ph_compiled_run(c, 0, member, 100, value, &iterations, &failed, &err), PH_OK);
    to(run, 0.1);
    assert_int_equal(ph_run_get(run, PH_GET_SENSOR, 0, x), PH_OK);
    assert_true(!failed && iterations >= 100);
    check_near(x[0], 0.5 * 0.5 * 0.01, 1e-12); /* round-off: u/m t^2/2 */
    check_le(max_diff(x, value, 3), NEAR);
    refused(ph_run_use(run, c, &err), &err, "one for a device");
    refused(ph_compiled_load(c, late, member, &err), &err, "after its start");
    assert_int_equal(ph_run_start(late, &err), PH_OK);
    assert_int_equal(ph_run_set_input_table(late, 0, 2, (const double[]){0, 1}, (const double[]){0, 2}, &err),
                     PH_OK);
    refused(ph_compiled_load(c, late, member, &err), &err, "input 'u' changes over time");
    assert_int_equal(ph_run_reset(run, &err), PH_OK);
    assert_int_equal(ph_compiled_create(&plain, run, NULL, 0, 1, &err), PH_OK);
    refused(ph_compiled_run(plain, 1, member, 1, value, &iterations, &failed, &err), &err,
            "not one for a device");
    ph_compiled_release(plain), ph_compiled_release(c);
    setenv("WRONG", wrong.path, 1), setenv("POLHODE_CACHE", "", 1);
    scratch_write(&wrong, lazy, strlen(lazy));
    refused(ph_compiled_create_device(&c, run, NULL, 0, &err), &err, "first steps of the device differ");
    scratch_write(&wrong, none, strlen(none));
    refused(ph_compiled_create_device(&c, run, NULL, 0, &err), &err, "has no ph_ensemble_run");
    assert_null(c);
    unsetenv("WRONG"), unsetenv("NVCC");
    free(member);
    ph_run_close(run), ph_run_close(late);
    scratch_remove(&s), scratch_remove(&tool), scratch_remove(&wrong);
}

/* A run whose memory ends at any request of its allocator: it says so, and goes on as before. */
static void memory_ends(void **state)
{
    (void)state;
    counter count = {0};
    ph_allocator alloc = {counter_alloc, counter_free, &count};
    ph_run_config config = ph_run_defaults();
    ph_run *run, *own = open_run(MODELS "heavy_top.lua", 0, NULL, NULL);
    ph_compiled *c;
    ph_error err = {0};
    config.alloc = &alloc, config.options = (const char *const[]){"formulation=index3", "h=1e-3"},
    config.n_options = 2;
    assert_int_equal(ph_compiled_create(&c, own, (const char *const[]){"m"}, 1, 4, &err), PH_OK);
    assert_int_equal(ph_run_open(&run, MODELS "heavy_top.lua", &config, &err), PH_OK);
    double *member = calloc((size_t)ph_compiled_numbers(c), sizeof *member);
    for (int what = 0; what < 3; what++) {
        long failures = 0, requests = 0;
        for (ph_status s = PH_E_MEMORY; s != PH_OK; failures++) {
            count.calls = 0, count.fail_at = what == 2 && !failures ? 0 : requests + failures + 1;
            s = what == 0   ? ph_run_use(run, c, &err)
                : what == 1 ? ph_compiled_pack(c, run, member, &err)
                            : ph_run_build(run, (const char *const[]){"m"}, 1, &err);
            if (what == 2 && !failures) /* the last requests of many are the builder's own */
                requests = count.calls - 3, s = PH_E_MEMORY;
            else if (s != PH_OK)
                assert_true(s == PH_E_MEMORY && strstr(err.text, "not enough memory"));
        }
        assert_true(failures > 1);
    }
    count.fail_at = 0;
    to(run, 0.1), to(own, 0.1);
    assert_true(ph_run_is_compiled(run));
    check_le(apart(run, own), NEAR);
    ph_compiled_release(c);
    free(member);
    ph_run_close(run), ph_run_close(own);
    assert_int_equal(count.live, 0);
}

/* There is no model to compile. */
static void systems(void **state)
{
    (void)state;
    ph_run *run, *own = open_run(MODELS "heavy_top.lua", 0, NULL, NULL);
    ph_run_config config = ph_run_defaults();
    ph_compile_config how = ph_compile_defaults();
    ph_error err = {0};
    ph_compiled *c, *made;
    FILE *out = tmpfile();
    config.options = (const char *const[]){"h=1e-3"}, config.n_options = 1;
    ph_problem *p = ph_problem_create("heavy_top", NULL);
    assert_int_equal(ph_run_create_system(&run, &p->sys, 0, p->q0, p->v0, &config, NULL), PH_OK);
    assert_int_equal(ph_compiled_create(&made, own, (const char *const[]){"m"}, 1, 4, &err), PH_OK);
    static const char words[] = "only runs of models can be compiled";
    refused(ph_run_use(run, made, &err), &err, words);
    refused(ph_run_use_compiled(run, made->step, &err), &err, words);
    refused(ph_run_build(run, NULL, 0, &err), &err, words);
    refused(ph_compiled_create_device(&c, run, NULL, 0, &err), &err, words);
    refused(ph_run_compile_cuda(run, &how, out, &err), &err, words);
    ph_compiled_release(made);
    fclose(out);
    ph_run_close(run), ph_run_close(own);
    ph_problem_destroy(p);
}

/* Options that were set on the way: code for them is built, with the same open parameters, or there is a note. */
static void other_options(void **state)
{
    (void)state;
    char said[300] = "";
    ph_run *run = open_run(MODELS "heavy_top.lua", 0, note, said),
           *own = open_run(MODELS "heavy_top.lua", 0, NULL, NULL);
    ph_error err = {0};
    const char *const open[] = {"m"}, *const h[] = {"h=2e-3"}, *const kept[] = {"newton=modified"};
    ph_options o = ph_run_options(run);
    o.rho = 0.7;
    for (int k = 0; k < 2; k++)
        assert_int_equal(ph_run_set_method(k ? own : run, &o, &err), PH_OK);
    assert_int_equal(ph_run_build(run, open, 1, &err), PH_OK);
    assert_int_equal(ph_run_build(run, open, 1, &err), PH_OK); /* again: the first is given back */
    assert_int_equal(ph_run_set_options(run, h, 1, &err), PH_OK);
    assert_int_equal(ph_run_set_options(own, h, 1, &err), PH_OK);
    set_mass(run, 17), set_mass(own, 17);
    to(run, 0.1), to(own, 0.1);
    assert_string_equal(said, "");
    assert_true(ph_run_is_compiled(run));
    check_le(apart(run, own), NEAR);
    assert_int_equal(ph_run_set_options(run, kept, 1, &err), PH_OK);
    assert_false(ph_run_is_compiled(run));
    assert_non_null(strstr(said, "cannot be compiled: --newton full"));
    to(run, 0.1);
    ph_run_close(run), ph_run_close(own);
}

/* What cannot be compiled, and a machine without a compiler: a note, and a run as without. */
static void without(void **state)
{
    (void)state;
    char said[300] = "";
    ph_run *run = open_run(MODELS "four_bar.lua", 1, note, said);
    assert_false(ph_run_is_compiled(run));
    assert_non_null(strstr(said, "redundant"));
    to(run, 0.01);
    ph_run_close(run);
    setenv("CC", "no_such_compiler", 1);
    run = open_run(MODELS "heavy_top.lua", 1, note, said);
    assert_false(ph_run_is_compiled(run));
    assert_non_null(strstr(said, "'no_such_compiler' is not there"));
    to(run, 0.01);
    ph_run_close(run);
    unsetenv("CC");
}

/* Steps that are divided are the library's, before and after them the code's: the motion and the counts are those of a run
 * that is not compiled. */
static void steps_that_are_divided(void **state)
{
    (void)state;
    ph_run *run[2];
    ph_error err = {0};
    for (int k = 0; k < 2; k++) {
        ph_run_config c = ph_run_defaults();
        c.options = (const char *const[]){"h=1e-3"}, c.n_options = 1, c.compiled = k;
        if (ph_run_open(&run[k], PH_TEST_DIR "/models/soft_stop.lua", &c, &err) != PH_OK)
            fail_msg("%s", err.text);
        to(run[k], 0.8);
    }
    assert_true(ph_run_is_compiled(run[1]) && !ph_run_is_compiled(run[0]));
    ph_stats a = ph_run_summarise(run[0]).stats, b = ph_run_summarise(run[1]).stats;
    assert_true(a.divided > 0);
    assert_int_equal(a.divided, b.divided);
    assert_int_equal(a.steps, b.steps);
    assert_true(a.smallest == b.smallest && a.first_divided == b.first_divided);
    check_le(apart(run[0], run[1]), NEAR);
    ph_run_close(run[0]), ph_run_close(run[1]);
}

int main(int argc, char **argv) /* a pattern of names: those tests alone */
{
    scratch cache = scratch_create("kept"); /* what several tests need is built once */
    setenv("POLHODE_CACHE", cache.dir, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_by_its_configuration),
        cmocka_unit_test(parameters_that_are_open),
        cmocka_unit_test(several_at_once),
        cmocka_unit_test(steps_that_others_see),
        cmocka_unit_test(steps_that_are_watched),
        cmocka_unit_test(one_that_fails),
        cmocka_unit_test(events_on_the_way),
        cmocka_unit_test(among_others),
        cmocka_unit_test(code_that_is_given_up),
        cmocka_unit_test(from_a_saved_state),
        cmocka_unit_test(other_options),
        cmocka_unit_test(systems),
        cmocka_unit_test(memory_ends),
        cmocka_unit_test(a_device),
        cmocka_unit_test(steps_that_are_divided),
        cmocka_unit_test(without),
    };
    cmocka_set_test_filter(argc > 1 ? argv[1] : NULL);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[300];
    snprintf(command, sizeof command, "rm -r %s", cache.dir);
    return system(command) != 0 || failed;
}
