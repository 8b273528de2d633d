/* Runs: the life of one, numbers by name, steps, tables, save and restore, threads, failures, analysis. */
#include "run_cases.h"

#include "polhode/compile.h"

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
               {"method=rk4", "option method cannot be 'rk4'; there are: genalpha, "},
               {"ordre=3", "did you mean 'order'"},
               {"rho=1.5", "rho = 1.5 is outside [0, 1]"},
               {"order=0", "whole number"},
               {"assemble=perhaps", "neither"},
               {"h", "key=value"},
               {"tableau=nothing", "cannot be"}};
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
    assert_int_equal(ph_run_record(run, PH_GET_SENSOR, 0, NULL, NULL), PH_OK); /* rows from here on */
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

/* Another method after many turns: accelerations of the new start read the angle that it starts with. */
static void another_method_after_turns(void **state)
{
    (void)state;
    static const char text[] =
        "body { name = 'w', mass = 1, inertia = {1, 1, 2}, omega = {0, 0, 30} }\n"
        "joint { name = 'j', type = 'revolute', bodies = {'ground', 'w'}, at = {0, 0, 0}, axis = {0, 0, 1} "
        "}\n"
        "actuator { name = 'a', joint = 'j', k = 0.5, rest = 1, d = 1 }\nrun { t_end = 30, h = 1e-2 }\n";
    scratch file;
    ph_run *run = run_of(&file, text, NULL, 0);
    ph_error err = {0};
    double x[3];
    if (ph_run_until(run, 20, &err) != PH_OK)
        fail_msg("%s", err.text);
    ph_options o = ph_run_options(run);
    o.formulation = PH_INDEX2;
    assert_int_equal(ph_run_set_method(run, &o, &err), PH_OK);
    assert_int_equal(ph_run_get(run, PH_GET_OMEGA_DOT, 0, x), PH_OK);
    check_near(x[2], (0.5 * 1 - 30) / 2, 1e-12); /* round-off */
    o.method = "none";
    if (ph_run_until(run, 20, &err) != PH_OK)
        fail_msg("%s", err.text);
    double before, after;
    ph_run_get(run, PH_GET_EFFORT, 0, &before);
    assert_int_equal(ph_run_set_method(run, &o, &err), PH_E_INPUT);
    ph_run_get(run, PH_GET_EFFORT, 0, &after);
    check_near(after, before, 0); /* exact: the run is as before */
    ph_run_close(run), scratch_remove(&file);
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

/* Options one after the other, and how many analyses each adds; opened: those there are, of which one is of the step; joined: 1 where joints
 * couple nodes by K alone, so that [M B^T; B 0] has fewer blocks than a step */
static void check_analyses(ph_run *run, int opened, int joined)
{
    static const struct {
        const char *option[2];
        int n, more; /* -1: one, unless the run began so; -2: one where joined */
    } next[] = {{{"h=5e-4"}, 1, 0},
                {{"formulation=ggl"}, 1, -1},
                {{"formulation=index3"}, 1, -2}, /* of its step: mostly as of [M B^T; B 0] */
                {{"method=rkmk", "tableau=gauss2"}, 2, 1},
                {{"h=2e-4"}, 1, 0},
                {{"method=genalpha", "h=1e-3"}, 2, 0}};
    ph_skeleton *of = run->sim->skeleton;
    int ggl = run->def.opt.formulation == PH_GGL, count = opened;
    assert_ptr_equal(of, run->mech ? run->mech->skeleton : run->skeleton);
    assert_int_equal(of->known.count, count);
    for (size_t k = 0; k < sizeof next / sizeof *next; k++) {
        assert_int_equal(ph_run_set_options(run, next[k].option, next[k].n, NULL), PH_OK);
        count += next[k].more == -2 ? joined : next[k].more < 0 ? !ggl : next[k].more;
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
        int opened, joined;
    } row[] = {{MODELS "chain.lua", 1, 0},        /* index-3: [M B^T; B 0] and the step are the same */
               {MODELS "slider_crank.lua", 2, 1}, /* stabilised */
               {MODELS "heavy_top.lua", 3, 0},    /* and velocities are projected */
               {MODELS "four_bar.lua", 3, 1}}; /* rows are redundant: those of the projection are the same */
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        check_analyses(open_run(row[i].model, NULL, 0), row[i].opened, row[i].joined);
    scratch s = scratch_create("twice.lua");
    scratch_write(&s, twice, strlen(twice));
    check_analyses(open_run(s.path, NULL, 0), 3,
                   0); /* likewise, but that of initial values is [M B^T; B 0] */
    scratch_remove(&s);
    ph_run *run;
    ph_run_config c = ph_run_defaults();
    const char *h = "h=1e-3";
    c.options = &h, c.n_options = 1;
    ph_problem *p = ph_problem_create("chain", &(ph_problem_def){4, 0});
    assert_int_equal(ph_run_create_system(&run, &p->sys, 0, p->q0, p->v0, &c, NULL), PH_OK);
    check_analyses(run, 2, 0);
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

/* What only a model has, asked of a system of one's own: a sentence each, and nothing changes. */
static void system_has_no_model(void **state)
{
    (void)state;
    ph_problem *p = ph_problem_create("heavy_top", NULL);
    const char *const options[] = {"h=1e-3", "t_end=0.01"};
    assert_non_null(p);
    ph_run_config c = ph_run_defaults();
    c.options = options, c.n_options = 2;
    ph_run *run;
    ph_error err = {0};
    int first = 0;
    double x[64];
    ph_setting m = {"m", 1};
    assert_int_equal(ph_run_create_system(&run, &p->sys, 0, p->q0, p->v0, &c, NULL), PH_OK);
    assert_int_equal(ph_run_follow(run, &first, 1, &err), PH_E_INPUT);
    assert_string_equal(err.text, "a system of one's own has no parameters");
    assert_int_equal(ph_run_simplify(run, PH_NOT_SIMPLIFIED, &err), PH_E_INPUT);
    assert_string_equal(err.text, "no derivatives follow the run");
    assert_int_equal(ph_run_linearise(run, x, x, x, x, &err), PH_E_INPUT);
    assert_string_equal(err.text, "a system of one's own has no names to linearise by");
    assert_int_equal(ph_run_set_parameters(run, &m, 1, &err), PH_E_INPUT);
    ph_compile_config how = ph_compile_defaults();
    assert_int_equal(ph_run_compile(run, &how, stderr, stderr, &err), PH_E_INPUT);
    assert_string_equal(err.text, "only runs of models can be compiled");
    assert_int_equal(ph_run_compile_fmu(run, &how, 2, stderr, stderr, &err), PH_E_INPUT);
    assert_string_equal(err.text, "only runs of models can be compiled");
    assert_int_equal(ph_run_until(run, 0.01, &err), PH_OK);
    ph_run_close(run);
    ph_problem_destroy(p);
}

/* NULL for what a function needs is refused in words, with a run and without; what it may be without is not. */
static void nothing_given(void **state)
{
    (void)state;
    ph_error err = {0};
    ph_run *run = NULL, *none = NULL;
    ph_equilibrium *e;
    ph_modes *modes;
    ph_options opt = ph_default_options();
    ph_run_def def;
    int k = 0, n;
    double x[8] = {0}, y[8] = {0};
    size_t size = 1;
    assert_int_equal(ph_run_open(NULL, "a.lua", NULL, &err), PH_E_INPUT);
    assert_string_equal(err.text, "out, path: none of them may be NULL");
    assert_int_equal(ph_run_open(&none, NULL, NULL, &err), PH_E_INPUT);
    assert_null(none);
    assert_int_equal(ph_run_create(&none, NULL, NULL, &err), PH_E_INPUT);
    assert_int_equal(ph_run_create_system(&none, NULL, 0, x, x, NULL, &err), PH_E_INPUT);
    assert_int_equal(ph_model_settings(NULL, NULL, 0, &def, &err), PH_E_INPUT);
    if (ph_run_open(&run, MODELS "double_pendulum.lua", NULL, &err) != PH_OK)
        fail_msg("%s", err.text);
    assert_int_equal(ph_model_settings(ph_run_model(run), NULL, 1, &def, &err), PH_E_INPUT);
    const ph_status without[] = {ph_run_start(NULL, &err),
                                 ph_run_reset(NULL, &err),
                                 ph_run_set_parameters(NULL, NULL, 0, &err),
                                 ph_run_set_parameters(run, NULL, 1, &err),
                                 ph_run_set_options(NULL, NULL, 0, &err),
                                 ph_run_set_options(run, NULL, 1, &err),
                                 ph_run_set_method(NULL, &opt, &err),
                                 ph_run_set_method(run, NULL, &err),
                                 ph_run_set_compiled(NULL, 1, &err),
                                 ph_run_start_at(NULL, 0, x, x, 1, &err),
                                 ph_run_start_at(run, 0, NULL, x, 1, &err),
                                 ph_run_start_at(run, 0, x, NULL, 1, &err),
                                 ph_run_go_on_at(NULL, 0, x, x, NULL, 1, &err),
                                 ph_run_go_on_at(run, 0, NULL, x, NULL, 1, &err),
                                 ph_run_go_on_at(run, 0, x, NULL, NULL, 1, &err),
                                 ph_run_step(NULL, &err),
                                 ph_run_until(NULL, 1, &err),
                                 ph_run_until_or(run, 1, 1, NULL, &err),
                                 ph_run_get(NULL, PH_GET_POSITION, 0, x),
                                 ph_run_get(run, PH_GET_POSITION, 0, NULL),
                                 ph_run_get_of(run, NULL, PH_GET_POSITION, 0, x),
                                 ph_run_record(NULL, PH_GET_POSITION, 0, &k, &err),
                                 ph_run_set_input(NULL, 0, 1),
                                 ph_run_set_input_table(NULL, 0, 1, x, y, &err),
                                 ph_run_set_input_table(run, 0, 1, NULL, y, &err),
                                 ph_run_input_text(NULL, "u=1", &err),
                                 ph_run_input_text(run, NULL, &err),
                                 ph_run_set_active(NULL, 0, 1, &err),
                                 ph_run_save(NULL, x, size),
                                 ph_run_save(run, NULL, ph_run_save_size(run)),
                                 ph_run_restore(NULL, x, size, &err),
                                 ph_run_restore(run, NULL, ph_run_save_size(run), &err),
                                 ph_run_static(NULL, NULL, NULL, &err),
                                 ph_run_equilibrium(&e, NULL, NULL, &err),
                                 ph_run_equilibrium(NULL, run, NULL, &err),
                                 ph_run_modes(&modes, NULL, &err),
                                 ph_run_modes(NULL, run, &err),
                                 ph_run_linear_sizes(NULL, &n, &n, &n, &err),
                                 ph_run_linearise(NULL, x, x, x, x, &err),
                                 ph_run_follow(NULL, &k, 1, &err),
                                 ph_run_follow(run, NULL, 1, &err),
                                 ph_run_simplify(NULL, PH_NOT_SIMPLIFIED, &err),
                                 ph_run_get_derivative(NULL, PH_GET_POSITION, 0, 0, x),
                                 ph_run_get_derivative(run, PH_GET_POSITION, 0, 0, NULL),
                                 ph_run_error_bars(NULL, 1, &err),
                                 ph_run_get_error(NULL, PH_GET_POSITION, 0, x),
                                 ph_run_extrapolate(NULL, 1),
                                 ph_run_gradient(NULL, 0, &k, 1, 0, x, y, &err),
                                 ph_run_gradient(run, 0, &k, 1, 0, NULL, y, &err),
                                 ph_run_gradient_of_sensor(NULL, 0, 0, &k, 1, 0, x, y, &err),
                                 ph_run_objective_error(NULL, 0, 0, x, y, 0, NULL, &err),
                                 ph_run_tol_for(NULL, 0, 1, x, &err),
                                 ph_run_fastest(NULL, x),
                                 ph_run_fastest(run, NULL)};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        assert_int_equal(without[i], PH_E_INPUT);
    assert_int_equal(ph_run_step(NULL, NULL), PH_E_INPUT);
    assert_int_equal(ph_run_step(NULL, &err), PH_E_INPUT);
    assert_string_equal(err.text, "run may not be NULL");
    assert_int_equal(ph_run_record(run, PH_GET_POSITION, 0, NULL, NULL), PH_OK);
    assert_int_equal(ph_run_step(run, NULL), PH_OK); /* it is as before */
    ph_run_close(run);
    ph_run_close(NULL);
    ph_rows_free(NULL, NULL);
}

/* Lists that are NULL, that have a NULL in them, or of a negative length: a sentence, and a run goes on with the same bits. */
static void lists_that_are_none(void **state)
{
    (void)state;
    static const char *const option[] = {"h=1e-3", NULL};
    static const ph_setting set[] = {{"m", 1}, {NULL, 1}};
    static const int parameter[] = {0};
    static const struct {
        const ph_setting *set;
        int sets;
        const char *const *option;
        int options;
        const char *words;
    } row[] = {{NULL, 0, option, 2, "option 2 of 2 is NULL"},
               {NULL, 0, NULL, 1, "the list of options is NULL"},
               {NULL, 0, NULL, -2, "-2 options cannot be set"},
               {NULL, 0, option, -1, "-1 options cannot be set"},
               {set + 1, 1, NULL, 0, "parameter 1 of 1 that are set has no name: it is NULL"},
               {set, 2, NULL, 0, "parameter 2 of 2 that are set has no name: it is NULL"},
               {NULL, 1, NULL, 0, "the list of parameters is NULL"},
               {set, -1, NULL, 0, "-1 parameters cannot be set"}};
    ph_run *run = open_run(MODELS "heavy_top.lua", NULL, 0),
           *same = open_run(MODELS "heavy_top.lua", NULL, 0);
    const ph_model *model = ph_run_model(run);
    steps_of(run, 3), steps_of(same, 3);
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        ph_run *none = NULL;
        ph_model *unread = NULL;
        ph_run_def def;
        ph_error err[5] = {{0}};
        ph_run_config c = ph_run_defaults();
        c.parameters = row[k].set, c.n_parameters = row[k].sets;
        c.options = row[k].option, c.n_options = row[k].options;
        assert_int_equal(ph_run_open(&none, MODELS "heavy_top.lua", &c, &err[0]), PH_E_INPUT);
        assert_null(none);
        assert_int_equal(ph_run_create(&none, model, &c, &err[1]), PH_E_INPUT);
        assert_null(none);
        if (row[k].sets) {
            assert_int_equal(ph_run_set_parameters(run, row[k].set, row[k].sets, &err[2]), PH_E_INPUT);
            assert_int_equal(
                ph_model_read(&unread, MODELS "heavy_top.lua", row[k].set, row[k].sets, NULL, &err[3]),
                PH_E_INPUT);
            assert_null(unread);
        } else {
            assert_int_equal(ph_run_set_options(run, row[k].option, row[k].options, &err[2]), PH_E_INPUT);
            assert_int_equal(ph_model_settings(model, row[k].option, row[k].options, &def, &err[3]),
                             PH_E_INPUT);
        }
        for (int i = 0; i < 4; i++)
            assert_string_equal(err[i].text, row[k].words);
    }
    assert_int_equal(ph_run_set_options(run, option, -1, NULL), PH_E_INPUT);
    assert_int_equal(ph_run_find(run, PH_BODIES, NULL), -1);
    ph_error err = {0};
    assert_int_equal(ph_run_follow(run, parameter, -1, &err), PH_E_INPUT);
    assert_string_equal(err.text, "-1 parameters cannot be followed");
    steps_of(run, 3), steps_of(same, 3);
    check_same(run, same, "lists that are none");
    ph_run_close(run), ph_run_close(same);
}

/* Texts that are no values, and what is said of them. */
static void texts_refused(void **state)
{
    (void)state;
    static const struct {
        const char *option, *says;
    } row[] = {{"rho=1.5", "rho = 1.5 is outside [0, 1]"},
               {"rho=-0.1", "rho = -0.1 is outside [0, 1]"},
               {"order=99999999999", "option order: '99999999999' is not a whole number from 1 to"},
               {"order=99999999999999999999", "is not a whole number"},
               {"order=0", "is not a whole number"},
               {"order=2x", "is not a whole number"},
               {"assemble=perhaps", "option assemble: 'perhaps' is neither true nor false"},
               {"nonsmooth=1", "option nonsmooth: the file alone gives it"},
               {"h=0", "option h = 0 must be above 0"},
               {"h=x", "option h: 'x' is not a number"},
               {"rtol=-1", "option rtol = -1 must not be negative"}};
    static const char *const taken[] = {"assemble=true", "assemble=1", "assemble=false",
                                        "assemble=0",    "sigma=opt",  "rho=1"};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        ph_run *run;
        ph_error err = {0};
        ph_run_config c = ph_run_defaults();
        c.options = &row[k].option, c.n_options = 1;
        assert_int_equal(ph_run_open(&run, MODELS "heavy_top.lua", &c, &err), PH_E_INPUT);
        assert_null(run);
        if (!strstr(err.text, row[k].says))
            fail_msg("%s: %s", row[k].option, err.text);
    }
    for (size_t k = 0; k < sizeof taken / sizeof *taken; k++) {
        ph_run *run = open_run(MODELS "heavy_top.lua", &taken[k], 1);
        if (k < 4)
            assert_int_equal(ph_run_settings(run).assemble, k < 2);
        ph_run_close(run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_refused),
        cmocka_unit_test(nothing_given),
        cmocka_unit_test(lists_that_are_none),
        cmocka_unit_test(system_has_no_model),
        cmocka_unit_test(equals_the_long_way),
        cmocka_unit_test(settings),
        cmocka_unit_test(refusals),
        cmocka_unit_test(other_sizes),
        cmocka_unit_test(another_method_after_turns),
        cmocka_unit_test(refused_starts),
        cmocka_unit_test(allocations),
        cmocka_unit_test(analysed_once),
        cmocka_unit_test(another_h),
        cmocka_unit_test(set_many_times),
        cmocka_unit_test(threads),
        cmocka_unit_test(models_are_shared),
        cmocka_unit_test(systems),
        cmocka_unit_test(systems_start_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
