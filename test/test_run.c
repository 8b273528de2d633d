/* Runs: the life of one, numbers by name, steps, tables, save and restore, threads, failures, analysis. */
#include "scratch.h"
#include "sim_cases.h"

#include <pthread.h>

#include "mech/mech.h"
#include "polhode/polhode.h"
#include "run/private.h"
#include "step/sim.h"

#define MODELS PH_TEST_DIR "/../models/"

static ph_run *open_run(const char *path, const char *const *options, int n)
{
    ph_run *run;
    ph_error err = {0};
    ph_run_config c = ph_run_defaults();
    c.options = options, c.n_options = n;
    if (ph_run_open(&run, path, &c, &err) != PH_OK)
        fail_msg("%s: %s", path, err.text);
    return run;
}

static void steps_of(ph_run *run, int n)
{
    ph_error err = {0};
    for (int k = 0; k < n; k++)
        if (ph_run_step(run, &err) != PH_OK)
            fail_msg("%s", err.text);
}

static snapshot snap_run(const ph_run *run)
{
    return snap((ph_sim *)ph_run_sim(run), ph_run_system(run));
}

static void check_same(const ph_run *a, const ph_run *b, const char *what)
{
    snapshot x = snap_run(a), y = snap_run(b);
    if (!same_bits(&x, &y)) /* exact */
        fail_msg("%s: not the same bits", what);
    free(x.x), free(y.x);
}

/* ---- the life of a run ------------------------------------------------------------------------------- */

/* The same bits as by the steps of model.h and sim.h, one after the other. */
static void equals_the_long_way(void **state)
{
    (void)state;
    static const char *const names[] = {"heavy_top", "slider_crank", "four_bar", "spring_ball",
                                        "rolling_disc"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char path[256];
        snprintf(path, sizeof path, MODELS "%s.lua", names[k]);
        ph_run *run = open_run(path, NULL, 0);
        ph_model *model;
        ph_mechanism *mech;
        ph_sim *sim;
        const double *q0, *v0;
        assert_int_equal(ph_model_read(&model, path, NULL, 0, NULL, NULL), PH_OK);
        ph_run_def def = ph_model_run_def(model);
        assert_int_equal(ph_mechanism_create(&mech, model, def.space, NULL, NULL), PH_OK);
        assert_int_equal(ph_mechanism_initial(mech, def.assemble, &q0, &v0, NULL), PH_OK);
        assert_int_equal(ph_mechanism_rank(mech, NULL), PH_OK);
        ph_options o = def.opt;
        o.h = ph_run_options(run).h;
        assert_int_equal(ph_sim_create(&sim, ph_mechanism_system(mech), &o, 0, q0, v0, NULL), PH_OK);
        steps_of(run, 20);
        assert_int_equal(ph_sim_run(sim, 20, NULL, NULL, NULL), PH_OK);
        snapshot x = snap_run(run), y = snap(sim, ph_mechanism_system(mech));
        assert_true(same_bits(&x, &y)); /* exact */
        free(x.x), free(y.x);
        ph_sim_destroy(sim), ph_mechanism_destroy(mech), ph_model_free(model);
        ph_run_close(run);
    }
}

/* Parameters and options change, names stay; a reset and a run that is opened anew give the same bits. */
static void settings(void **state)
{
    (void)state;
    const char *const coarse[] = {"h=2e-3", "formulation=index3", "sigma=opt"}, *const other = "space=SE3";
    ph_run *run = open_run(MODELS "heavy_top.lua", NULL, 0), *fresh;
    ph_error err = {0};
    double m;
    int structure = ph_run_structure(run), p = ph_run_find(run, PH_PARAMETERS, "m");
    steps_of(run, 7);
    assert_int_equal(ph_run_set_parameters(run, &(ph_setting){"m", 16}, 1, &err), PH_OK);
    assert_int_equal(ph_run_get(run, PH_GET_PARAMETER, p, &m), PH_OK);
    assert_true(m == 16 && ph_run_time(run) == 0);
    assert_int_equal(ph_run_structure(run), structure);
    assert_int_equal(ph_run_set_options(run, coarse, 3, &err), PH_OK);
    assert_true(ph_run_options(run).h == 2e-3 && ph_run_options(run).formulation == PH_INDEX3);
    ph_run_config c = ph_run_defaults();
    c.parameters = &(ph_setting){"m", 16}, c.n_parameters = 1, c.options = coarse, c.n_options = 3;
    assert_int_equal(ph_run_open(&fresh, MODELS "heavy_top.lua", &c, &err), PH_OK);
    steps_of(run, 9), steps_of(fresh, 9);
    check_same(run, fresh, "set later");
    assert_int_equal(ph_run_reset(run, &err), PH_OK);
    steps_of(run, 9);
    check_same(run, fresh, "reset");
    assert_int_equal(ph_run_set_options(run, &other, 1, &err), PH_OK);
    steps_of(run, 9);
    assert_true(ph_run_options(run).h == 2e-3); /* what is not named stays */
    ph_run_close(run), ph_run_close(fresh);
}

/* Each is refused in words, and the run goes on as if nothing had been said. */
static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *option, *words;
    } bad[] = {{"h=-1", "above 0"},
               {"h=x", "not a number"},
               {"formulation=ggk", "did you mean 'ggl'"},
               {"ordre=3", "did you mean 'order'"},
               {"rho=1.5", "rho = 1.5 is outside [0, 1]"},
               {"order=0", "whole number"},
               {"assemble=perhaps", "neither"},
               {"h", "key=value"},
               {"tableau=nothing", "no choice"}};
    ph_run *run = open_run(MODELS "heavy_top.lua", NULL, 0),
           *twin = open_run(MODELS "heavy_top.lua", NULL, 0), *none;
    steps_of(run, 3), steps_of(twin, 3);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        ph_error err = {0};
        assert_int_equal(ph_run_set_options(run, &bad[k].option, 1, &err), PH_E_INPUT);
        if (!strstr(err.text, bad[k].words))
            fail_msg("%s: %s", bad[k].option, err.text);
    }
    ph_error err = {0};
    assert_int_equal(ph_run_set_parameters(run, &(ph_setting){"mass", 1}, 1, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "no parameter 'mass'"));
    assert_int_equal(ph_run_until(run, 0.00305, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "whole number of steps"));
    assert_int_equal(ph_run_until(run, 0.001, &err), PH_E_INPUT);
    steps_of(run, 3), steps_of(twin, 3);
    check_same(run, twin, "after refusals");
    assert_int_equal(ph_run_open(&none, MODELS "none.lua", NULL, &err), PH_E_INPUT);
    assert_null(none);
    ph_run_close(run), ph_run_close(twin), ph_run_close(NULL);
}

static ph_run *run_of(scratch *s, const char *text, const char *const *options, int n)
{
    *s = scratch_create("run.lua");
    scratch_write(s, text, strlen(text));
    return open_run(s->path, options, n);
}

/* Names stay and sizes change: that is another structure, and columns of a table go. */
static void other_sizes(void **state)
{
    (void)state;
    static const char text[] =
        "local n, hinge = param('n', 2), param('hinge', 0)\nbody{ name = 'b', mass = 1, inertia = {1, 1, 1} "
        "}\n"
        "if hinge > 0 then joint{ name = 'j', type = 'revolute', bodies = {'ground', 'b'}, at = {0, 0, 0}, "
        "axis = {0, 0, 1} }\nelse joint{ name = 'j', type = 'spherical', bodies = {'ground', 'b'}, at = {0, "
        "0, 0} }"
        " end\nsensor{ name = 's', type = 'custom', f = function(t, s) local x = {} for i = 1, n do x[i] = i "
        "end "
        "return x end }\nrun{ t_end = 1, h = 0.1 }";
    scratch s;
    ph_run *run = run_of(&s, text, NULL, 0);
    int structure = ph_run_structure(run), columns;
    long rows;
    assert_int_equal(ph_run_record(run, PH_GET_MULTIPLIERS, 0, NULL, NULL), PH_OK);
    assert_int_equal(ph_run_record(run, PH_GET_SENSOR, 0, NULL, NULL), PH_OK);
    assert_int_equal(ph_run_until(run, 0.5, NULL), PH_OK);
    assert_int_equal(ph_run_set_parameters(run, &(ph_setting){"hinge", 1}, 1, NULL), PH_OK);
    assert_int_equal(ph_run_structure(run), structure + 1);
    assert_int_equal(ph_run_until(run, 1, NULL), PH_OK);
    ph_run_rows(run, &rows, &columns);
    assert_true(rows == 0 && columns == 0);
    assert_int_equal(ph_run_record(run, PH_GET_SENSOR, 0, NULL, NULL), PH_E_INPUT); /* under way */
    assert_int_equal(ph_run_set_parameters(run, &(ph_setting){"n", 40}, 1, NULL), PH_OK);
    assert_int_equal(ph_run_structure(run), structure + 2);
    assert_int_equal(ph_run_size(run, PH_GET_SENSOR, 0), 40);
    assert_string_equal(ph_run_label(run, PH_GET_SENSOR, 0, 39), "40");
    assert_int_equal(ph_run_record(run, PH_GET_SENSOR, 0, NULL, NULL), PH_OK);
    assert_int_equal(ph_run_set_parameters(run, &(ph_setting){"n", 40}, 1, NULL), PH_OK);
    assert_int_equal(ph_run_until(run, 1, NULL), PH_OK);
    const double *x = ph_run_rows(run, &rows, &columns);
    assert_true(rows == 11 && columns == 41 && x[10 * 41 + 40] == 40);
    assert_int_equal(ph_run_structure(run), structure + 2);
    ph_run_close(run);
    scratch_remove(&s);
}

/* Values that violate a joint are refused, and the run goes on with what its method remembers. */
static void refused_starts(void **state)
{
    (void)state;
    static const char *const options[][3] = {{"method=bliedf", "order=4", "newton=modified"},
                                             {"method=genalpha", "formulation=ggl", "newton=modified"},
                                             {"method=rkmk", "tol=1e-6", "h=1e-3"}};
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        ph_run *run = open_run(MODELS "heavy_top.lua", options[k], 3),
               *twin = open_run(MODELS "heavy_top.lua", options[k], 3);
        double q[7], v[6];
        int m = ph_run_find(run, PH_PARAMETERS, "m"), follows = k == 1;
        if (follows) /* which rounds no differently, but must go on too */
            assert_int_equal(
                ph_run_follow(run, &m, 1, NULL) == PH_OK && ph_run_follow(twin, &m, 1, NULL) == PH_OK, 1);
        steps_of(run, 9), steps_of(twin, 9);
        ph_state s = ph_sim_state(ph_run_sim(run));
        memcpy(q, s.q, sizeof q), memcpy(v, s.v, sizeof v);
        q[0] += 0.1;
        assert_int_equal(ph_run_start_at(run, 0, q, v, 0, NULL), PH_E_INCONSISTENT);
        q[0] = NAN;
        assert_int_equal(ph_run_start_at(run, 0, q, v, 1, NULL), PH_E_INPUT);
        steps_of(run, 9), steps_of(twin, 9);
        check_same(run, twin, options[k][0]);
        ph_run_summary x = ph_run_summarise(run), y = ph_run_summarise(twin);
        assert_true(x.stats.factorizations == y.stats.factorizations && x.stats.steps == 18);
        if (follows)
            assert_int_equal(ph_run_get_derivative(run, PH_GET_POSITION, 0, 0, q), PH_OK);
        ph_run_close(run), ph_run_close(twin);
    }
}

/* Every allocation fails in turn: nothing is leaked, and what failed says so. */
static void allocations(void **state)
{
    (void)state;
    for (long at = 0;; at++) {
        counter c;
        ph_run *run;
        ph_run_config config = ph_run_defaults();
        const char *h = "h=2e-3";
        counter_open(&c, at);
        config.alloc = &c.hooks, config.options = &h, config.n_options = 1;
        ph_status s = ph_run_open(&run, MODELS "slider_crank.lua", &config, NULL);
        int all = s == PH_OK && c.asked <= at;
        assert_true(s == PH_OK || s == PH_E_MEMORY);
        ph_run_close(run);
        assert_int_equal(c.live, 0);
        if (all)
            break;
    }
}

/* Options one after the other, and how many analyses each adds; opened: those there are, of which one is of the step */
static void check_analyses(ph_run *run, int opened)
{
    static const struct {
        const char *option[2];
        int n, more; /* -1: one, unless the run began so */
    } next[] = {{{"h=5e-4"}, 1, 0},
                {{"formulation=ggl"}, 1, -1},
                {{"formulation=index3"}, 1, 0}, /* of its step: as of [M B^T; B 0] */
                {{"method=rkmk", "tableau=gauss2"}, 2, 1},
                {{"h=2e-4"}, 1, 0},
                {{"method=genalpha", "h=1e-3"}, 2, 0}};
    ph_skeleton *of = run->sim->skeleton;
    int ggl = run->def.opt.formulation == PH_GGL, count = opened;
    assert_ptr_equal(of, run->mech ? run->mech->skeleton : run->skeleton);
    assert_int_equal(of->known.count, count);
    for (size_t k = 0; k < sizeof next / sizeof *next; k++) {
        assert_int_equal(ph_run_set_options(run, next[k].option, next[k].n, NULL), PH_OK);
        count += next[k].more < 0 ? !ggl : next[k].more;
        steps_of(run, 2);
        assert_int_equal(ph_run_reset(run, NULL), PH_OK);
        assert_ptr_equal(run->sim->skeleton, of);
        assert_int_equal(of->users, 2); /* the simulation, and the mechanism or the run */
        assert_int_equal(of->known.count, count);
    }
    ph_run_close(run);
}

/* One layout, and each pattern analysed once: of initial values where they are projected, of [M B^T; B 0], of the step
 * and of the span of redundant rows. */
static void analysed_once(void **state)
{
    (void)state;
    static const char twice[] =
        "model 'twice'\n"
        "body { name = 'top', mass = 15, inertia = {0.2, 0.4, 0.2}, position = {0, 1, 0}, omega = {0, 9, -4} "
        "}\n"
        "joint { name = 'a', type = 'spherical', bodies = {'ground', 'top'}, at = {0, 0, 0} }\n"
        "joint { name = 'b', type = 'spherical', bodies = {'ground', 'top'}, at = {0, 0, 0} }\n"
        "run { h = 1e-3, formulation = 'ggl' }\n";
    static const struct {
        const char *model;
        int opened;
    } row[] = {{MODELS "chain.lua", 1},        /* index-3: [M B^T; B 0] and the step are the same */
               {MODELS "slider_crank.lua", 2}, /* stabilised */
               {MODELS "heavy_top.lua", 3},    /* and velocities are projected */
               {MODELS "four_bar.lua", 4}};    /* and rows are redundant */
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        check_analyses(open_run(row[i].model, NULL, 0), row[i].opened);
    scratch s = scratch_create("twice.lua");
    scratch_write(&s, twice, strlen(twice));
    check_analyses(open_run(s.path, NULL, 0), 3); /* likewise, but that of initial values is [M B^T; B 0] */
    scratch_remove(&s);
    ph_run *run;
    ph_run_config c = ph_run_defaults();
    const char *h = "h=1e-3";
    c.options = &h, c.n_options = 1;
    ph_problem *p = ph_problem_create("chain", &(ph_problem_def){4, 0});
    assert_int_equal(ph_run_create_system(&run, &p->sys, 0, p->q0, p->v0, &c, NULL), PH_OK);
    check_analyses(run, 2);
    ph_problem_destroy(p);
}

/* Each allocation fails in turn, which leaves the run as it was; then the bits are those of a run opened with
 * this h. */
static void another_h(void **state)
{
    (void)state;
    counter c;
    ph_run *run;
    ph_run_config config = ph_run_defaults();
    const char *h = "h=5e-4";
    int all = 0;
    counter_open(&c, -1);
    config.alloc = &c.hooks;
    assert_int_equal(ph_run_open(&run, MODELS "four_bar.lua", &config, NULL), PH_OK);
    steps_of(run, 3);
    for (long at = 0; !all; at++) {
        snapshot before = snap_run(run);
        long live = c.live;
        c.fail_at = c.asked + at;
        ph_status s = ph_run_set_options(run, &h, 1, NULL);
        all = s == PH_OK && c.asked <= c.fail_at;
        c.fail_at = -1;
        snapshot after = snap_run(run);
        assert_true(all || s == PH_E_MEMORY);
        if (!all) {
            assert_true(same_bits(&before, &after)); /* exact */
            assert_int_equal(c.live, live);
        }
        free(before.x), free(after.x);
    }
    ph_run *fresh = open_run(MODELS "four_bar.lua", &h, 1);
    steps_of(run, 5), steps_of(fresh, 5);
    check_same(run, fresh, "another h");
    ph_run_close(run), ph_run_close(fresh);
    assert_int_equal(c.live, 0);
}

/* Parameters that are set many times take no more memory than at first. */
static void set_many_times(void **state)
{
    (void)state;
    counter c;
    ph_run *run;
    ph_run_config config = ph_run_defaults();
    const ph_setting twice[] = {{"m", 11}, {"m", 12}}; /* the last one counts */
    double first = 0, last = 0, m;
    counter_open(&c, -1);
    config.alloc = &c.hooks, config.parameters = twice, config.n_parameters = 2;
    assert_int_equal(ph_run_open(&run, MODELS "heavy_top.lua", &config, NULL), PH_OK);
    for (int k = 0; k < 100; k++) {
        double before = c.bytes;
        assert_int_equal(ph_run_set_parameters(run, &(ph_setting){"m", 15 + 0.01 * k}, 1, NULL), PH_OK);
        last = c.bytes - before;
        assert_int_equal(ph_run_get(run, PH_GET_PARAMETER, ph_run_find(run, PH_PARAMETERS, "m"), &m), PH_OK);
        assert_true(m == 15 + 0.01 * k);
        if (k == 1)
            first = last;
    }
    check_le(fabs(last - first), 1000); /* ordering: one more setting takes some 40 bytes */
    ph_run_close(run);
    assert_int_equal(c.live, 0);
}

/* Stepping, reading, saving: nothing is allocated. */
static void no_allocation(void **state)
{
    (void)state;
    counter c;
    ph_run *run;
    ph_run_config config = ph_run_defaults();
    double x[PH_SENSOR_MAX];
    counter_open(&c, -1);
    config.alloc = &c.hooks;
    assert_int_equal(ph_run_open(&run, MODELS "slider_crank.lua", &config, NULL), PH_OK);
    size_t size = ph_run_save_size(run);
    void *bytes = malloc(size);
    long asked = c.asked;
    steps_of(run, 5);
    for (int k = 0; k < ph_run_count(run, PH_SENSORS); k++)
        assert_int_equal(ph_run_get(run, PH_GET_SENSOR, k, x), PH_OK);
    assert_int_equal(ph_run_save(run, bytes, size), PH_OK);
    steps_of(run, 5);
    assert_int_equal(ph_run_restore(run, bytes, size, NULL), PH_OK);
    assert_int_equal(c.asked, asked);
    free(bytes);
    ph_run_close(run);
    assert_int_equal(c.live, 0);
}

/* ---- numbers --------------------------------------------------------------------------------------------- */

static void numbers(void **state)
{
    (void)state;
    ph_run *run = open_run(MODELS "heavy_top.lua", NULL, 0);
    double x[6], v[3], q[4], tip[3], energy[5], step[2], lambda[3];
    int top = ph_run_find(run, PH_BODIES, "top"), pivot = ph_run_find(run, PH_JOINTS, "pivot");
    assert_true(top == 0 && pivot == 0 && ph_run_find(run, PH_BODIES, "nobody") == -1);
    assert_string_equal(ph_run_name(run, PH_BODIES, 0), "top");
    assert_null(ph_run_name(run, PH_BODIES, 1));
    assert_string_equal(ph_run_label(run, PH_GET_ROTATION, top, 1), "qx");
    assert_string_equal(ph_run_unit(run, PH_GET_REACTION, pivot, 2), "N");
    assert_string_equal(ph_run_unit(run, PH_GET_REACTION, pivot, 3), "N m");
    steps_of(run, 10);
    assert_int_equal(ph_run_get(run, PH_GET_POSITION, top, x), PH_OK);
    assert_int_equal(ph_run_get(run, PH_GET_VELOCITY, top, v), PH_OK);
    assert_int_equal(ph_run_get(run, PH_GET_ROTATION, top, q), PH_OK);
    check_near(x[0] * x[0] + x[1] * x[1] + x[2] * x[2], 1, 1e-14);               /* invariant: the arm */
    check_near(x[0] * v[0] + x[1] * v[1] + x[2] * v[2], 0, 1e-12);               /* invariant */
    check_near(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-14); /* invariant */
    assert_int_equal(ph_run_get(run, PH_GET_SENSOR, ph_run_find(run, PH_SENSORS, "tip"), tip), PH_OK);
    check_near(tip[1], 2 * x[1], 1e-14); /* round-off: the tip is twice as far as the centre of mass */
    assert_int_equal(ph_run_get(run, PH_GET_REACTION, pivot, x), PH_OK);
    assert_int_equal(ph_run_get(run, PH_GET_MULTIPLIERS, pivot, lambda), PH_OK);
    check_near(hypot(hypot(x[0], x[1]), x[2]), hypot(hypot(lambda[0], lambda[1]), lambda[2]),
               1e-9); /* round-off */
    assert_int_equal(ph_run_get(run, PH_GET_ENERGY, 0, energy), PH_OK);
    ph_run_summary s = ph_run_summarise(run);
    check_near(energy[0] + energy[1], s.energy, 1e-12 * fabs(s.energy)); /* round-off */
    assert_true(fabs(energy[4]) <= s.residual && s.stats.steps == 10);
    assert_int_equal(ph_run_get(run, PH_GET_STEP, 0, step), PH_OK);
    check_near(step[0], ph_run_options(run).h, 1e-15); /* round-off */
    assert_int_equal(ph_run_get(run, PH_GET_POSITION, 1, x), PH_E_INPUT);
    assert_int_equal(ph_run_get(run, PH_GET_INPUT, 0, x), PH_E_INPUT);
    assert_int_equal(ph_run_get(run, 99, 0, x), PH_E_INPUT);
    ph_run_close(run);
}

/* An angle over many turns, against the one of a constant rate. */
static void turns(void **state)
{
    (void)state;
    static const char text[] =
        "body{ name = 'b', mass = 1, inertia = {1, 1, 1}, omega = {0, 0, 40} }\n"
        "joint{ name = 'j', type = 'revolute', bodies = {'ground', 'b'}, at = {0, 0, 0}, "
        "axis = {0, 0, 1} }\nrun{ t_end = 2, h = 0.01 }";
    scratch s = scratch_create("turns.lua");
    scratch_write(&s, text, strlen(text));
    ph_run *run = open_run(s.path, NULL, 0);
    double angle, rate;
    assert_int_equal(ph_run_until(run, 2, NULL), PH_OK);
    assert_int_equal(ph_run_size(run, PH_GET_JOINT_POSITION, 0), 1);
    assert_string_equal(ph_run_unit(run, PH_GET_JOINT_POSITION, 0, 0), "rad");
    assert_int_equal(ph_run_get(run, PH_GET_JOINT_POSITION, 0, &angle), PH_OK);
    assert_int_equal(ph_run_get(run, PH_GET_JOINT_RATE, 0, &rate), PH_OK);
    check_near(angle, 80, 1e-9), check_near(rate, 40, 1e-10); /* round-off of 200 steps */
    ph_run_close(run);
    scratch_remove(&s);
}

static void table(void **state)
{
    (void)state;
    ph_run *run = open_run(MODELS "heavy_top.lua", NULL, 0);
    int first, second, columns;
    long rows;
    double tip[3];
    assert_int_equal(ph_run_record(run, PH_GET_SENSOR, ph_run_find(run, PH_SENSORS, "tip"), &first, NULL),
                     PH_OK);
    assert_int_equal(ph_run_record(run, PH_GET_ENERGY, 0, &second, NULL), PH_OK);
    assert_int_equal(ph_run_record(run, PH_GET_SENSOR, 99, NULL, NULL), PH_E_INPUT);
    ph_run_record_every(run, 10);
    assert_int_equal(ph_run_until(run, 0.625, NULL), PH_OK); /* 625 steps */
    const double *x = ph_run_rows(run, &rows, &columns);
    assert_true(first == 1 && second == 4 && columns == 9 && rows == 64);
    for (long k = 0; k < 63; k++)
        check_near(x[k * columns], 0.01 * (double)k, 1e-12); /* round-off */
    check_near(x[63 * columns], 0.625, 1e-12);               /* and the end */
    ph_run_get(run, PH_GET_SENSOR, ph_run_find(run, PH_SENSORS, "tip"), tip);
    assert_true(x[63 * columns + 1] == tip[0] && x[63 * columns + 3] == tip[2]);
    assert_int_equal(ph_run_record(run, PH_GET_ENERGY, 0, NULL, NULL), PH_E_INPUT);
    const char *const other = "rho=0.7", *const every = "every=25"; /* the table's, as that of a file */
    for (int k = 0; k < 2; k++) {
        assert_int_equal(ph_run_set_options(run, k ? &every : &other, 1, NULL), PH_OK);
        assert_int_equal(ph_run_until(run, 0.1, NULL), PH_OK);
        ph_run_rows(run, &rows, &columns);
        assert_true(columns == 9 && rows == (k ? 5 : 11));
    }
    ph_run_close(run);
}

/* Rows that are handed over outlive the run, and the next ones come with the same columns. */
static void rows_are_taken(void **state)
{
    (void)state;
    ph_run *run = open_run(MODELS "heavy_top.lua", NULL, 0);
    long rows;
    int columns;
    assert_null(ph_run_take_rows(run, &rows, &columns));
    assert_true(rows == 0 && columns == 0);
    assert_int_equal(ph_run_record(run, PH_GET_POSITION, 0, NULL, NULL), PH_OK);
    assert_int_equal(ph_run_until(run, 0.1, NULL), PH_OK);
    double *taken = ph_run_take_rows(run, &rows, &columns);
    assert_true(rows == 101 && columns == 4);
    assert_int_equal(ph_run_reset(run, NULL), PH_OK);
    assert_int_equal(ph_run_until(run, 0.2, NULL), PH_OK);
    const double *again = ph_run_rows(run, &rows, &columns);
    assert_true(rows == 201 && columns == 4);
    assert_memory_equal(taken, again, 101 * 4 * sizeof *taken); /* exact */
    ph_run_record_none(run);
    steps_of(run, 3);
    assert_null(ph_run_rows(run, &rows, &columns));
    assert_true(rows == 0 && columns == 0);
    ph_run_close(run);
    check_near(taken[100 * 4], 0.1, 1e-12); /* round-off */
    ph_rows_free(taken, NULL);
    ph_rows_free(NULL, NULL);
}

/* A run that comes up for air after each step makes the same steps and the same rows, with error control too. */
static void until_in_parts(void **state)
{
    (void)state;
    static const char *const options[][2] = {{"h=1e-3", "every=7"}, {"tol=1e-6", "method=rkmk"}};
    for (int k = 0; k < 2; k++) {
        ph_run *whole = open_run(MODELS "heavy_top.lua", options[k], 2);
        ph_run *parts = open_run(MODELS "heavy_top.lua", options[k], 2);
        ph_run *run[] = {whole, parts};
        for (int i = 0; i < 2; i++)
            assert_int_equal(ph_run_record(run[i], PH_GET_POSITION, 0, NULL, NULL), PH_OK);
        assert_int_equal(ph_run_until(whole, 0.1, NULL), PH_OK);
        int arrived = 0, calls = 0;
        for (; !arrived; calls++)
            assert_int_equal(ph_run_until_or(parts, 0.1, 0, &arrived, NULL), PH_OK);
        assert_true(calls > 10);
        check_same(whole, parts, options[k][1]);
        long rows[2];
        int columns[2];
        const double *x = ph_run_rows(whole, &rows[0], &columns[0]);
        const double *y = ph_run_rows(parts, &rows[1], &columns[1]);
        assert_true(rows[0] == rows[1] && columns[0] == columns[1]);
        assert_memory_equal(x, y, (size_t)rows[0] * 4 * sizeof *x); /* exact */
        assert_int_equal(ph_run_until_or(parts, 0.1, 0, &arrived, NULL), PH_OK);
        assert_true(arrived); /* it was there */
        assert_int_equal(ph_run_until_or(parts, 0.05, 1, &arrived, NULL), PH_E_INPUT);
        assert_true(!arrived);
        ph_run_close(whole), ph_run_close(parts);
    }
}

/* ---- steps ------------------------------------------------------------------------------------------------- */

typedef struct seen {
    int starts, steps, stop_at;
} seen;

static ph_status see(ph_run *run, int why, void *ctx)
{
    seen *s = ctx;
    s->starts += why == PH_ON_START, s->steps += why == PH_ON_STEP;
    if (s->steps == s->stop_at)
        ph_run_stop(run);
    return s->steps < 40 ? PH_OK : PH_E_INPUT;
}

static void observers_and_stops(void **state)
{
    (void)state;
    ph_run *run = open_run(MODELS "heavy_top.lua", NULL, 0);
    seen s = {.stop_at = 25};
    ph_run_observe(run, see, &s);
    assert_int_equal(ph_run_until(run, 1, NULL), PH_E_STOPPED);
    assert_true(s.starts == 1 && s.steps == 25);
    assert_int_equal(ph_run_until(run, 1, NULL), PH_E_STOPPED); /* by the observer */
    assert_true(s.starts == 1 && s.steps == 40);
    check_near(ph_run_time(run), 0.040, 1e-12); /* round-off */
    ph_run_close(run);
}

/* Error control without a grid: the end is met. */
static void ends_where_asked(void **state)
{
    (void)state;
    const char *const o[] = {"method=rkmk", "tol=1e-8"};
    ph_run *run = open_run(MODELS "heavy_top.lua", o, 2);
    assert_true(ph_run_options(run).h == 0);
    assert_int_equal(ph_run_until(run, 0.1234567, NULL), PH_OK);
    assert_true(ph_run_time(run) == 0.1234567);
    assert_int_equal(ph_run_until(run, 0.2, NULL), PH_OK);
    assert_true(ph_run_time(run) == 0.2);
    ph_run_close(run);
}

static ph_status see_end(ph_run *run, int why, void *ctx)
{
    (void)why;
    *(double *)ctx = ph_run_end(run);
    return PH_OK;
}

/* On the way to some time, the end of the run is what it was. */
static void end_stays(void **state)
{
    (void)state;
    const char *const o[] = {"method=rkmk", "tol=1e-6", "t_end=0.3"};
    ph_run *run = open_run(MODELS "heavy_top.lua", o, 3);
    double end = 0;
    ph_run_observe(run, see_end, &end);
    assert_int_equal(ph_run_until(run, 0.1, NULL), PH_OK);
    assert_true(end == 0.3 && ph_run_time(run) == 0.1);
    while (ph_run_time(run) < 0.3)
        steps_of(run, 1);
    assert_true(ph_run_time(run) == 0.3);
    ph_run_close(run);
}

/* Error control on a grid, with a force that is known up to the end alone: no step looks beyond. */
static void nothing_beyond_the_end(void **state)
{
    (void)state;
    static const char *const text[] = {
        "body{ name = 'b', mass = 1, inertia = {1, 2, 3}, omega = {1, 2, 3} }\n"
        "force{ body = 'b', value = function(t, s) return {math.sin(3*t), 0, 0} end }\n"
        "run{ t_end = 1, h = 0.05, method = 'rkmk', tol = 1e-5 }",
        "body{ name = 'b', mass = 1, inertia = {1, 2, 3}, omega = {1, 2, 3} }\n"
        "force{ body = 'b', value = function(t, s) assert(t <= 1) return {math.sin(3*t), 0, 0} end }\n"
        "run{ t_end = 1, h = 0.05, method = 'rkmk', tol = 1e-5 }"};
    long rejected[2];
    for (int k = 0; k < 2; k++) {
        scratch s;
        ph_run *run = run_of(&s, text[k], NULL, 0), *twin = open_run(s.path, NULL, 0);
        assert_int_equal(ph_run_until(run, 1, NULL), PH_OK);
        assert_int_equal(ph_run_until(twin, 0.35, NULL), PH_OK);
        assert_int_equal(ph_run_until(twin, 1, NULL), PH_OK);
        check_same(run, twin, "in two parts");
        rejected[k] = ph_run_summarise(run).stats.rejected;
        ph_run_close(run), ph_run_close(twin);
        scratch_remove(&s);
    }
    assert_int_equal(rejected[0], rejected[1]);
}

/* A request that comes too early is not lost. */
static void early_stop(void **state)
{
    (void)state;
    ph_run *run = open_run(MODELS "heavy_top.lua", NULL, 0);
    ph_run_stop(run);
    assert_int_equal(ph_run_until(run, 0.01, NULL), PH_E_STOPPED);
    assert_true(ph_run_time(run) == 0);
    assert_int_equal(ph_run_until(run, 0.01, NULL), PH_OK);
    ph_run_close(run);
}

/* A step that fails names bodies and joints, and leaves the run where it was. */
static void failures(void **state)
{
    (void)state;
    const char *const o[] = {"h=0.1", "formulation=index3"};
    ph_run *run = open_run(MODELS "heavy_top.lua", o, 2);
    ph_error err = {0};
    snapshot before = snap_run(run);
    ph_status s = ph_run_step(run, &err);
    assert_true(s == PH_E_NEWTON || s == PH_E_STEP);
    snapshot after = snap_run(run);
    assert_true(same_bits(&before, &after)); /* exact */
    ph_run_trouble t = ph_run_failure(run);
    assert_true(t.status == s && t.n_culprits > 0);
    for (int k = 0; k < t.n_culprits; k++)
        assert_non_null(ph_run_name(run, t.culprit[k].list, t.culprit[k].index));
    free(before.x), free(after.x);
    ph_run_close(run);
}

/* ---- save and restore -------------------------------------------------------------------------------------- */

static void check_going_on(const char *path, const char *const *options, int n, int before)
{
    ph_run *a = open_run(path, options, n), *b = open_run(path, options, n);
    steps_of(a, before), steps_of(b, 2);
    size_t size = ph_run_save_size(a);
    void *bytes = malloc(size);
    assert_int_equal(ph_run_save(a, bytes, size), PH_OK);
    steps_of(a, 8);
    assert_int_equal(ph_run_restore(b, bytes, size, NULL), PH_OK);
    steps_of(b, 8);
    check_same(a, b, path);
    ph_run_summary x = ph_run_summarise(a), y = ph_run_summarise(b);
    assert_true(x.residual == y.residual && x.work == y.work &&
                x.violation_position == y.violation_position); /* exact */
    assert_int_equal(x.stats.iterations, y.stats.iterations);
    free(bytes);
    ph_run_close(a), ph_run_close(b);
}

/* Redundant rows, friction, drives by functions, flexible bodies, many turns; full and modified Newton; all solvers. */
static void going_on(void **state)
{
    (void)state;
    static const char *const names[] = {
        "four_bar",     "bricard", "driven_crank", "flexible_slider_crank_modal",
        "slider_crank", "andrews", "rolling_disc", "governor"};
    static const char *const methods[][3] = {{"method=genalpha", "formulation=ggl", "newton=full"},
                                             {"method=genalpha", "formulation=index3", "newton=modified"},
                                             {"method=bliedf", "formulation=ggl", "newton=modified"},
                                             {"method=rkmk", "tableau=gauss2", "newton=modified"},
                                             {"method=genalpha", "newton=modified", "solver=klu"}};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
            char path[256];
            snprintf(path, sizeof path, MODELS "%s.lua", names[k]);
            check_going_on(path, methods[m], 3, 11);
        }
}

/* What the last step was comes back too; before the first one there is none. */
static void last_step(void **state)
{
    (void)state;
    ph_run *run = open_run(MODELS "heavy_top.lua", NULL, 0);
    double first[2], step[2], later[2];
    size_t size = ph_run_save_size(run);
    void *bytes = malloc(size), *start = malloc(size);
    assert_int_equal(ph_run_get(run, PH_GET_STEP, 0, first), PH_OK);
    assert_true(first[0] == 0 && first[1] == 0);
    assert_int_equal(ph_run_save(run, start, size), PH_OK);
    steps_of(run, 3);
    assert_int_equal(ph_run_get(run, PH_GET_STEP, 0, step), PH_OK);
    assert_true(step[0] > 0 && step[1] > 0);
    assert_int_equal(ph_run_save(run, bytes, size), PH_OK);
    assert_int_equal(ph_run_restore(run, start, size, NULL), PH_OK);
    assert_int_equal(ph_run_get(run, PH_GET_STEP, 0, later), PH_OK);
    assert_memory_equal(later, first, sizeof first); /* exact */
    assert_int_equal(ph_run_restore(run, bytes, size, NULL), PH_OK);
    assert_int_equal(ph_run_get(run, PH_GET_STEP, 0, later), PH_OK);
    assert_memory_equal(later, step, sizeof step); /* exact */
    assert_int_equal(ph_run_reset(run, NULL), PH_OK);
    assert_int_equal(ph_run_get(run, PH_GET_STEP, 0, later), PH_OK);
    assert_memory_equal(later, first, sizeof first); /* exact */
    free(bytes), free(start);
    ph_run_close(run);
}

static void states_are_told_apart(void **state)
{
    (void)state;
    const char *const rho = "rho=0.8";
    ph_run *a = open_run(MODELS "heavy_top.lua", NULL, 0), *b = open_run(MODELS "heavy_top.lua", &rho, 1);
    ph_error err = {0};
    size_t size = ph_run_save_size(a);
    unsigned char *bytes = malloc(size);
    steps_of(a, 3);
    assert_int_equal(ph_run_save(a, bytes, size), PH_OK);
    assert_int_equal(ph_run_restore(b, bytes, size, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "another model"));
    bytes[size / 2] ^= 1;
    assert_int_equal(ph_run_restore(a, bytes, size, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "damaged"));
    assert_int_equal(ph_run_set_parameters(a, &(ph_setting){"m", 15.5}, 1, NULL), PH_OK);
    bytes[size / 2] ^= 1;
    assert_int_equal(ph_run_restore(a, bytes, size, &err), PH_E_INPUT);
    free(bytes);
    ph_run_close(a), ph_run_close(b);
}

/* It is the values of options that count, not how they were told. */
static void states_fit_by_values(void **state)
{
    (void)state;
    const char *const o[] = {"h=2e-3", "rho=0.8"}, *const same[] = {"rho=0.80", "h=0.002", "atol=0"};
    ph_run *a = open_run(MODELS "heavy_top.lua", o, 2), *b = open_run(MODELS "heavy_top.lua", same, 3);
    size_t size = ph_run_save_size(a);
    void *bytes = malloc(size);
    steps_of(a, 3);
    assert_int_equal(ph_run_save(a, bytes, size), PH_OK);
    assert_int_equal(ph_run_restore(b, bytes, size, NULL), PH_OK);
    steps_of(a, 3), steps_of(b, 3);
    check_same(a, b, "the same options");
    free(bytes);
    ph_run_close(a), ph_run_close(b);
}

/* A function that counts its calls cannot be repeated. */
static void functions_that_change(void **state)
{
    (void)state;
    static const char text[] = "local n = 0\nbody{ name = 'b', mass = 1, inertia = {1, 1, 1} }\n"
                               "force{ body = 'b', value = function(t, s) n = n + 1 return {n, 0, 0} end }\n"
                               "run{ t_end = 1, h = 0.1 }";
    scratch s = scratch_create("counts.lua");
    scratch_write(&s, text, strlen(text));
    ph_run *run = open_run(s.path, NULL, 0);
    size_t size = ph_run_save_size(run);
    void *bytes = malloc(size);
    assert_int_equal(ph_run_save(run, bytes, size), PH_E_INPUT);
    free(bytes);
    ph_run_close(run);
    scratch_remove(&s);
}

/* ---- threads --------------------------------------------------------------------------------------------------- */

typedef struct thread {
    const ph_model *model;
    double h, end[4];
    ph_status status;
} thread;

static void *simulate(void *ctx)
{
    thread *t = ctx;
    ph_run *run;
    ph_run_config c = ph_run_defaults();
    char h[32];
    const char *option = h;
    snprintf(h, sizeof h, "h=%.17g", t->h);
    c.options = &option, c.n_options = 1;
    t->status = ph_run_create(&run, t->model, &c, NULL);
    if (t->status == PH_OK)
        t->status = ph_run_until(run, ph_run_end(run) / 10, NULL);
    if (t->status == PH_OK)
        t->status = ph_run_get(run, PH_GET_POSITION, 0, t->end);
    ph_run_close(run);
    return NULL;
}

/* Runs of one model in several threads, with functions of the file and without, give what each gives alone. */
static void threads(void **state)
{
    (void)state;
    static const char *const names[] = {"heavy_top", "driven_crank", "absorber"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char path[256];
        ph_model *model;
        enum { THREADS = 4 };
        pthread_t id[THREADS];
        thread t[THREADS];
        snprintf(path, sizeof path, MODELS "%s.lua", names[k]);
        assert_int_equal(ph_model_read(&model, path, NULL, 0, NULL, NULL), PH_OK);
        double h = ph_model_run_def(model).opt.h;
        for (int i = 0; i < THREADS; i++) {
            t[i] = (thread){.model = model, .h = i % 2 ? h : h / 2};
            assert_int_equal(pthread_create(&id[i], NULL, simulate, &t[i]), 0);
        }
        for (int i = 0; i < THREADS; i++) {
            thread alone = {.model = model, .h = t[i].h};
            pthread_join(id[i], NULL);
            simulate(&alone);
            assert_int_equal(t[i].status, PH_OK);
            assert_memory_equal(t[i].end, alone.end, 3 * sizeof(double)); /* exact */
        }
        ph_model_free(model);
    }
}

/* The model goes when the last run goes. */
static void models_are_shared(void **state)
{
    (void)state;
    ph_model *model;
    ph_run *a, *b;
    assert_int_equal(ph_model_read(&model, MODELS "heavy_top.lua", NULL, 0, NULL, NULL), PH_OK);
    assert_int_equal(ph_run_create(&a, model, NULL, NULL), PH_OK);
    ph_run_config c = ph_run_defaults();
    c.parameters = &(ph_setting){"m", 20}, c.n_parameters = 1;
    assert_int_equal(ph_run_create(&b, model, &c, NULL), PH_OK);
    assert_true(ph_run_model(a) == model && ph_run_model(b) != model);
    ph_model_free(model);
    steps_of(a, 3), steps_of(b, 3);
    ph_run_close(a), ph_run_close(b);
}

/* ---- systems of one's own --------------------------------------------------------------------------------------- */

static void systems(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    const char *const o[] = {"h=1e-3", "t_end=1", "formulation=ggl"};
    ph_run_config c = ph_run_defaults();
    ph_run *run;
    double lambda[3];
    c.options = o, c.n_options = 3;
    assert_int_equal(ph_run_create_system(&run, &p->sys, 0, p->q0, p->v0, &c, NULL), PH_OK);
    assert_true(ph_run_count(run, PH_BODIES) == 0 && ph_run_count(run, PH_NODES) == p->sys.n_nodes);
    assert_int_equal(ph_run_until(run, 0.05, NULL), PH_OK);
    assert_int_equal(ph_run_get(run, PH_GET_MULTIPLIERS, 0, lambda), PH_OK);
    ph_state s = ph_sim_state(ph_run_sim(run));
    assert_true(lambda[1] == s.lambda[1] && ph_run_summarise(run).violation_position < 1e-12);
    for (int k = 0; k < p->sys.n_nodes; k++) {
        const ph_node *node = &p->sys.nodes[k];
        int size = ph_group_size(node->group, node->n), dim = ph_group_dim(node->group, node->n);
        double x[16];
        assert_true(ph_run_size(run, PH_GET_NODE, k) == size);
        assert_true(ph_run_size(run, PH_GET_NODE_ACCELERATION, k) == dim);
        assert_int_equal(ph_run_get(run, PH_GET_NODE, k, x), PH_OK);
        assert_memory_equal(x, s.q + s.q_at[k], (size_t)size * sizeof *x); /* exact */
        assert_int_equal(ph_run_get(run, PH_GET_NODE_VELOCITY, k, x), PH_OK);
        assert_memory_equal(x, s.v + s.v_at[k], (size_t)dim * sizeof *x);
        assert_int_equal(ph_run_get(run, PH_GET_NODE_ACCELERATION, k, x), PH_OK);
        assert_memory_equal(x, s.vdot + s.v_at[k], (size_t)dim * sizeof *x);
        assert_string_equal(ph_run_unit(run, PH_GET_NODE, k, 0), "SI");
    }
    assert_int_equal(ph_run_get(run, PH_GET_NODE, p->sys.n_nodes, lambda), PH_E_INPUT);
    assert_null(ph_run_model(run));
    ph_run_close(run);
    ph_problem_destroy(p);
}

/* Steps lead from any initial time to the end. */
static void systems_start_late(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    const char *const o[] = {"h=3e-3", "t_end=1.05"};
    ph_run_config c = ph_run_defaults();
    ph_run *run;
    ph_error err = {0};
    c.options = o, c.n_options = 2;
    assert_int_equal(ph_run_create_system(&run, &p->sys, 1, p->q0, p->v0, &c, NULL), PH_OK);
    check_near(ph_run_options(run).h, 0.05 / 17, 1e-16); /* round-off */
    assert_int_equal(ph_run_until(run, ph_run_end(run), NULL), PH_OK);
    assert_int_equal(ph_run_summarise(run).stats.steps, 17);
    ph_run_close(run);
    c.parameters = &(ph_setting){"m", 1}, c.n_parameters = 1;
    assert_int_equal(ph_run_create_system(&run, &p->sys, 1, p->q0, p->v0, &c, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "no parameters"));
    assert_null(run);
    ph_problem_destroy(p);
}

/* ---- analysis ----------------------------------------------------------------------------------------------------- */

static void equilibria_and_modes(void **state)
{
    (void)state;
    ph_run *run = open_run(MODELS "double_pendulum.lua", NULL, 0);
    ph_error err = {0};
    ph_static_stats stats;
    ph_modes *modes;
    double v[3];
    ph_status s = ph_run_static(run, NULL, &stats, &err);
    if (s != PH_OK)
        fail_msg("%s", err.text);
    assert_int_equal(ph_run_get(run, PH_GET_VELOCITY, 0, v), PH_OK);
    check_le(fabs(v[0]) + fabs(v[1]) + fabs(v[2]), 1e-14); /* at rest */
    snapshot before = snap_run(run);
    s = ph_run_modes(&modes, run, &err);
    if (s != PH_OK)
        fail_msg("%s", err.text);
    assert_true(ph_modes_get_info(modes).count > 0);
    ph_modes_destroy(modes);
    snapshot after = snap_run(run);
    assert_true(same_bits(&before, &after)); /* exact */
    free(before.x), free(after.x);
    ph_run_close(run);
}

/* Derivatives along with the run, and five-point differences of runs. */
static void derivatives(void **state)
{
    (void)state;
    const char *const o[] = {"rtol=1e-13", "atol=1e-13"};
    ph_run *run = open_run(MODELS "heavy_top.lua", o, 2);
    int m = ph_run_find(run, PH_PARAMETERS, "m"), tip = ph_run_find(run, PH_SENSORS, "tip");
    static const int place[] = {-2, -1, 1, 2};
    double d[3], W[3], at[4][3], force[6], F[4][6], eps = 15 * 0x1p-9;
    assert_int_equal(ph_run_follow(run, &m, 1, NULL), PH_OK);
    assert_int_equal(ph_run_until(run, 0.2, NULL), PH_OK);
    assert_int_equal(ph_run_get_derivative(run, PH_GET_SENSOR, tip, 0, d), PH_OK);
    assert_int_equal(ph_run_get_derivative(run, PH_GET_ROTATION, 0, 0, W), PH_OK);
    assert_int_equal(ph_run_get_derivative(run, PH_GET_REACTION, 0, 0, force), PH_OK);
    for (int k = 0; k < 4; k++) {
        assert_int_equal(ph_run_set_parameters(run, &(ph_setting){"m", 15 + place[k] * eps}, 1, NULL), PH_OK);
        assert_int_equal(ph_run_until(run, 0.2, NULL), PH_OK);
        ph_run_get(run, PH_GET_SENSOR, tip, at[k]);
        ph_run_get(run, PH_GET_REACTION, 0, F[k]);
    }
    for (int i = 0; i < 3; i++) {
        double D = (8 * (at[2][i] - at[1][i]) - (at[3][i] - at[0][i])) / (12 * eps);
        check_near(d[i], D, 1e-8); /* derivative: differences over 3 % of m */
    }
    for (int i = 0; i < 6; i++) {
        double D = (8 * (F[2][i] - F[1][i]) - (F[3][i] - F[0][i])) / (12 * eps);
        check_near(force[i], D, 1e-5); /* derivative: of forces of some 100 N */
    }
    assert_int_equal(ph_run_get_derivative(run, PH_GET_SENSOR, tip, 0, d),
                     PH_E_INPUT); /* nothing follows any more */
    ph_run_close(run);
}

/* The adjoint, and five-point differences of the value that a run comes to. */
static void gradients(void **state)
{
    (void)state;
    static const char text[] =
        "local k, d = param('k', 30), param('d', 0.4)\ngravity{0, 0, -9.81}\n"
        "body{ name = 'b', mass = 1, inertia = {0.1, 0.2, 0.3}, position = {1, 0, 0} }\n"
        "joint{ name = 'j', type = 'revolute', bodies = {'ground', 'b'}, at = {0, 0, 0}, axis = {0, 1, 0} }\n"
        "spring{ bodies = {'ground', 'b'}, at_a = {0, 0, 1}, at_b = {0, 0, 0}, k = k, d = d, length = 1 }\n"
        "objective{ name = 'J', final = function(s) return s.b.position.z^2 end,\n"
        "           integral = function(t, s) return s.b.velocity.x^2 + k*1e-3 end }\n"
        "run{ t_end = 0.5, h = 0.01, rtol = 1e-12, atol = 1e-12 }";
    scratch s = scratch_create("goal.lua");
    scratch_write(&s, text, strlen(text));
    ph_run *run = open_run(s.path, NULL, 0);
    int p[] = {ph_run_find(run, PH_PARAMETERS, "k"), ph_run_find(run, PH_PARAMETERS, "d")};
    static const int place[] = {-2, -1, 1, 2};
    const char *const name[] = {"k", "d"};
    const double value[] = {30, 0.4};
    double J, gradient[2], end;
    ph_error err = {0};
    if (ph_run_gradient(run, 0, p, 2, 0, &J, gradient, &err) != PH_OK)
        fail_msg("%s", err.text);
    check_near(ph_run_time(run), 0.5, 1e-12);
    assert_int_equal(ph_run_get(run, PH_GET_OBJECTIVE, 0, &end), PH_OK);
    check_near(end, J, 1e-12); /* round-off: the same sum, forwards */
    for (int i = 0; i < 2; i++) {
        double at[4], eps = value[i] * 0x1p-7;
        for (int k = 0; k < 4; k++) {
            assert_int_equal(
                ph_run_set_parameters(run, &(ph_setting){name[i], value[i] + place[k] * eps}, 1, NULL),
                PH_OK);
            assert_int_equal(ph_run_until(run, 0.5, NULL), PH_OK);
            assert_int_equal(ph_run_get(run, PH_GET_OBJECTIVE, 0, &at[k]), PH_OK);
        }
        assert_int_equal(ph_run_set_parameters(run, &(ph_setting){name[i], value[i]}, 1, NULL), PH_OK);
        double D = (8 * (at[2] - at[1]) - (at[3] - at[0])) / (12 * eps);
        check_near(gradient[i], D, 1e-8 * fmax(1, fabs(D))); /* derivative */
    }
    ph_run_close(run);
    scratch_remove(&s);
}

/* Derivatives of initial values are known at those of the file alone. */
static void derivatives_begin_at_the_start(void **state)
{
    (void)state;
    ph_run *run = open_run(MODELS "heavy_top.lua", NULL, 0);
    int m = ph_run_find(run, PH_PARAMETERS, "m");
    ph_error err = {0};
    steps_of(run, 5);
    assert_int_equal(ph_run_follow(run, &m, 1, &err), PH_E_INPUT);
    ph_state s = ph_sim_state(ph_run_sim(run));
    assert_int_equal(ph_run_start_at(run, 0, s.q, s.v, 1, NULL), PH_OK);
    assert_int_equal(ph_run_follow(run, &m, 1, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "reset it first"));
    assert_int_equal(ph_run_reset(run, NULL), PH_OK);
    assert_int_equal(ph_run_follow(run, &m, 1, &err), PH_OK);
    ph_run_close(run);
}

/* Other parameters take the place of those that are followed, unless they are refused; none ends it at any time. */
static void following_changes(void **state)
{
    (void)state;
    ph_run *run = open_run(MODELS "heavy_top.lua", NULL, 0);
    int m = ph_run_find(run, PH_PARAMETERS, "m"), none = 99;
    double d[3], again[3];
    size_t size = ph_run_save_size(run);
    void *bytes = malloc(size);
    assert_int_equal(ph_run_follow(run, &m, 1, NULL), PH_OK);
    assert_int_equal(ph_run_follow(run, &none, 1, NULL), PH_E_INPUT);
    steps_of(run, 5);
    assert_int_equal(ph_run_get_derivative(run, PH_GET_POSITION, 0, 0, d), PH_OK);
    assert_int_equal(ph_run_save(run, bytes, size), PH_E_INPUT);
    assert_int_equal(ph_run_follow(run, NULL, 0, NULL), PH_OK);
    assert_int_equal(ph_run_get_derivative(run, PH_GET_POSITION, 0, 0, again), PH_E_INPUT);
    assert_int_equal(ph_run_save(run, bytes, size), PH_OK);
    assert_int_equal(ph_run_reset(run, NULL), PH_OK);
    for (int k = 0; k < 2; k++)
        assert_int_equal(ph_run_follow(run, &m, 1, NULL), PH_OK);
    steps_of(run, 5);
    assert_int_equal(ph_run_get_derivative(run, PH_GET_POSITION, 0, 0, again), PH_OK);
    assert_memory_equal(d, again, sizeof d); /* exact */
    free(bytes);
    ph_run_close(run);
}

/* After a gradient the run is at its end, with angles counted up to there, and goes on. */
static void gradient_and_on(void **state)
{
    (void)state;
    static const char text[] =
        "local w = param('w', 40)\nbody{ name = 'b', mass = 1, inertia = {1, 1, 1}, omega = {0, 0, w} }\n"
        "joint{ name = 'j', type = 'revolute', bodies = {'ground', 'b'}, at = {0, 0, 0}, axis = {0, 0, 1} }\n"
        "torque{ body = 'b', value = function(t, s) return {0, 0, 100*math.cos(7*t)} end }\n"
        "sensor{ name = 'a', type = 'angle', joint = 'j' }\n"
        "objective{ name = 'J', integral = function(t, s) return s.sensors.a[1]^2 end }\n"
        "run{ t_end = 2, h = 0.01 }";
    scratch s;
    ph_run *run = run_of(&s, text, NULL, 0), *twin = open_run(s.path, NULL, 0);
    int w = 0, none = 1;
    double J, gradient, angle[2], value;
    assert_int_equal(ph_run_until(twin, 2, NULL), PH_OK);
    steps_of(run, 5);
    snapshot before = snap_run(run);
    assert_int_equal(ph_run_gradient(run, 0, &none, 1, 0, &J, &gradient, NULL), PH_E_INPUT);
    assert_int_equal(ph_run_gradient(run, 0, NULL, 0, 0, &J, &gradient, NULL), PH_E_INPUT);
    snapshot after = snap_run(run);
    assert_true(same_bits(&before, &after)); /* exact: a refusal changes nothing */
    free(before.x), free(after.x);
    assert_int_equal(ph_run_gradient(run, 0, &w, 1, 0, &J, &gradient, NULL), PH_OK);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(ph_run_get(run, PH_GET_JOINT_POSITION, 0, &angle[0]), PH_OK);
        assert_int_equal(ph_run_get(twin, PH_GET_JOINT_POSITION, 0, &angle[1]), PH_OK);
        assert_true(angle[0] == angle[1] && angle[0] > 60); /* exact */
        steps_of(run, 1), steps_of(twin, 1);
    }
    check_same(run, twin, "after a gradient");
    assert_int_equal(ph_run_get(run, PH_GET_OBJECTIVE, 0, &value), PH_OK);
    assert_int_equal(ph_run_get(twin, PH_GET_OBJECTIVE, 0, &J), PH_OK);
    assert_true(value == J); /* exact */
    ph_run_close(run), ph_run_close(twin);
    scratch_remove(&s);
}

/* What ends the way forwards is what the caller hears. */
static void gradients_that_end(void **state)
{
    (void)state;
    static const char text[] =
        "local k = param('k', 1e5)\nbody{ name = 'b', mass = 1, inertia = {1, 2, 3}, position = {2, 0, 0} }\n"
        "force{ body = 'b', value = function(t, s) local p = s.b.position return {-k*p.x, 0, 0} end }\n"
        "objective{ name = 'J', final = function(s) return s.b.position.x end }\nrun{ t_end = 2, h = 0.1 }";
    scratch s;
    ph_run *run = run_of(&s, text, NULL, 0);
    int k = 0;
    double J, gradient;
    ph_error err = {0};
    seen see_some = {.steps = 36, .stop_at = -1};
    assert_int_equal(ph_run_gradient(run, 0, &k, 1, 0, &J, &gradient, &err), PH_E_STEP);
    assert_non_null(strstr(err.text, "the solution explodes"));
    assert_int_equal(ph_run_failure(run).status, PH_E_STEP);
    assert_int_equal(ph_run_set_parameters(run, &(ph_setting){"k", 1}, 1, NULL), PH_OK);
    ph_run_observe(run, see, &see_some);
    assert_int_equal(ph_run_gradient(run, 0, &k, 1, 0, &J, &gradient, &err), PH_E_STOPPED);
    assert_string_equal(err.text, "stopped at t = 0.4");
    ph_run_close(run);
    scratch_remove(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_long_way),
        cmocka_unit_test(settings),
        cmocka_unit_test(refusals),
        cmocka_unit_test(other_sizes),
        cmocka_unit_test(refused_starts),
        cmocka_unit_test(allocations),
        cmocka_unit_test(analysed_once),
        cmocka_unit_test(another_h),
        cmocka_unit_test(set_many_times),
        cmocka_unit_test(no_allocation),
        cmocka_unit_test(numbers),
        cmocka_unit_test(turns),
        cmocka_unit_test(table),
        cmocka_unit_test(rows_are_taken),
        cmocka_unit_test(until_in_parts),
        cmocka_unit_test(observers_and_stops),
        cmocka_unit_test(ends_where_asked),
        cmocka_unit_test(end_stays),
        cmocka_unit_test(nothing_beyond_the_end),
        cmocka_unit_test(early_stop),
        cmocka_unit_test(failures),
        cmocka_unit_test(going_on),
        cmocka_unit_test(last_step),
        cmocka_unit_test(states_are_told_apart),
        cmocka_unit_test(states_fit_by_values),
        cmocka_unit_test(functions_that_change),
        cmocka_unit_test(threads),
        cmocka_unit_test(models_are_shared),
        cmocka_unit_test(systems),
        cmocka_unit_test(systems_start_late),
        cmocka_unit_test(equilibria_and_modes),
        cmocka_unit_test(derivatives),
        cmocka_unit_test(gradients),
        cmocka_unit_test(derivatives_begin_at_the_start),
        cmocka_unit_test(following_changes),
        cmocka_unit_test(gradient_and_on),
        cmocka_unit_test(gradients_that_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
