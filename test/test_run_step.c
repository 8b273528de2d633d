/* Steps of a run: until a time, observers and stops, the table, no allocation. */
#include "run_cases.h"

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

/* A row of the table where a function fails has no number; those beside it are there. Events fall on rows or between them. */
static void rows_without_a_number(void **state)
{
    (void)state;
    static const char text[] =
        "body{ name = 'a', mass = 1, inertia = {1, 1, 1}, velocity = {1, 0, 0} }\ninput{ name = 'u' }\n"
        "sensor{ name = 'f', custom = function(t, s) if t > 0.025 then error('late') end return s.inputs.u "
        "end }\n"
        "event{ name = 'on', when = function(t, s) return t - 0.02 end, action = {set = {u = 5}} }\n"
        "event{ name = 'between', when = function(t, s) return t - 0.034 end, action = {set = {u = 6}} }\n"
        "run{ h = 0.01, t_end = 0.05 }";
    scratch file;
    ph_run *run = run_of(&file, text, NULL, 0);
    int f, x, columns;
    long rows;
    assert_int_equal(ph_run_record(run, PH_GET_SENSOR, 0, &f, NULL), PH_OK);
    assert_int_equal(ph_run_record(run, PH_GET_POSITION, 0, &x, NULL), PH_OK);
    assert_int_equal(ph_run_until(run, 0.05, NULL), PH_OK);
    const double *row = ph_run_rows(run, &rows, &columns);
    assert_int_equal(rows, 6);
    for (long k = 0; k < rows; k++, row += columns) {
        check_near(row[0], 0.01 * (double)k, 1e-15); /* round-off */
        check_near(row[x], row[0], 1e-14);           /* round-off */
        if (k < 3)
            assert_true(row[f] == (k < 2 ? 0 : 5)); /* exact: after the event */
        else
            assert_true(isnan(row[f]));
    }
    assert_int_equal(ph_run_event_count(run), 2);
    char words[64];
    assert_string_equal(ph_run_event_action(run, 0, words, sizeof words), "set u");
    assert_string_equal(ph_run_event_action(run, -1, words, sizeof words), "");
    assert_string_equal(ph_run_event_action(run, 2, words, sizeof words), "");
    assert_int_equal(ph_run_until(run, NAN, NULL), PH_E_INPUT);
    assert_int_equal(ph_run_until(run, 0.01, NULL), PH_E_INPUT);
    ph_run_close(run);
    scratch_remove(&file);
}

/* A joint that can be switched: not where derivatives follow, and nothing happens where it is so already. */
static void switched_by_hand(void **state)
{
    (void)state;
    static const char text[] =
        "local m = param('m', 1)\nbody{ name = 'a', mass = m, inertia = {1, 1, 1}, velocity = {0, 0, 0} }\n"
        "joint{ name = 'j', type = 'fixed', bodies = {'ground', 'a'}, active = false }\n"
        "joint{ name = 'k', type = 'spherical', bodies = {'ground', 'a'}, at = {0, 0, 0} }\nrun{ h = 0.01, "
        "t_end = 0.1 }";
    scratch file;
    ph_run *run = run_of(&file, text, NULL, 0);
    ph_error err = {0};
    assert_int_equal(ph_run_set_active(run, -1, 1, &err), PH_E_INPUT);
    assert_int_equal(ph_run_set_active(run, 2, 1, &err), PH_E_INPUT);
    assert_string_equal(err.text, "there is no joint 2");
    assert_int_equal(ph_run_set_active(run, 1, 0, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "joint 'k' cannot be released"));
    snapshot before = snap_run(run);
    assert_int_equal(ph_run_set_active(run, 0, 0, &err), PH_OK); /* as it is */
    snapshot after = snap_run(run);
    assert_true(same_bits(&before, &after)); /* exact */
    free(before.x), free(after.x);
    assert_int_equal(ph_run_follow(run, &(int){0}, 1, NULL), PH_OK);
    assert_int_equal(ph_run_set_active(run, 0, 1, &err), PH_E_INPUT);
    assert_string_equal(err.text,
                        "derivatives follow the run, and do not go across a joint that is switched");
    assert_int_equal(ph_run_follow(run, NULL, 0, NULL), PH_OK);
    assert_int_equal(ph_run_set_active(run, 0, 1, &err), PH_OK);
    steps_of(run, 2);
    assert_int_equal(ph_run_set_active(run, 0, 0, &err), PH_OK);
    steps_of(run, 2);
    ph_run_close(run);
    scratch_remove(&file);
}

/* A joint that repeats another one cannot engage in index-2, whose positions drift; nothing changes then. */
static void redundant_by_hand(void **state)
{
    (void)state;
    static const char text[] =
        "body{ name = 'a', mass = 1, inertia = {1, 1, 1}, velocity = {0, 0, 0} }\n"
        "joint{ name = 'j', type = 'fixed', bodies = {'ground', 'a'}, active = false }\n"
        "joint{ name = 'k', type = 'spherical', bodies = {'ground', 'a'}, at = {0, 0, 0} }\n"
        "torque{ body = 'a', value = {0, 0, 1} }\nrun{ h = 0.01, t_end = 0.1 }";
    static const char *const forms[] = {"formulation=index2", "formulation=ggl"};
    for (int f = 0; f < 2; f++) {
        scratch file;
        ph_run *run = run_of(&file, text, &forms[f], 1);
        ph_error err = {0};
        snapshot before = snap_run(run);
        assert_int_equal(ph_run_set_active(run, 0, 1, &err), f ? PH_OK : PH_E_INPUT);
        snapshot after = snap_run(run);
        if (f == 0) {
            assert_non_null(strstr(err.text, "index-2 lets positions drift off the constraints"));
            assert_true(same_bits(&before, &after)); /* exact */
        }
        free(before.x), free(after.x);
        steps_of(run, 3);
        double w[3];
        assert_int_equal(ph_run_get(run, PH_GET_OMEGA, 0, w), PH_OK);
        check_near(w[2], f ? 0 : 0.03, 1e-12); /* round-off: held, or turned by 1 N m for 0.03 s */
        ph_run_close(run);
        scratch_remove(&file);
    }
}

/* A disc that rolls and is welded: what the weld implies cannot be one of the rows that only rates have. */
static void rolling_and_welded(void **state)
{
    (void)state;
    static const char text[] =
        "body{ name = 'a', mass = 1, inertia = {1, 2, 1}, position = {0, 0, 1}, velocity = {0, 0, 0} }\n"
        "joint{ name = 'r', type = 'rolling', bodies = {'ground', 'a'}, axis = {0, 1, 0}, radius = 1 }\n"
        "joint{ name = 'w', type = 'fixed', bodies = {'ground', 'a'} }\nrun{ h = 0.01, t_end = 0.1 }";
    scratch file = scratch_create("welded.lua");
    ph_run *run = NULL;
    ph_error err = {0};
    scratch_write(&file, text, strlen(text));
    ph_run_config c = ph_run_defaults();
    ph_status s = ph_run_open(&run, file.path, &c, &err);
    if (s == PH_OK)
        s = ph_run_start(run, &err);
    assert_int_equal(s, PH_E_INPUT);
    if (!strstr(err.text, "a non-holonomic constraint repeats what holonomic ones imply"))
        fail_msg("%s", err.text);
    ph_run_close(run);
    scratch_remove(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(redundant_by_hand),
        cmocka_unit_test(rolling_and_welded),
        cmocka_unit_test(rows_without_a_number),
        cmocka_unit_test(switched_by_hand),
        cmocka_unit_test(no_allocation),
        cmocka_unit_test(table),
        cmocka_unit_test(rows_are_taken),
        cmocka_unit_test(until_in_parts),
        cmocka_unit_test(observers_and_stops),
        cmocka_unit_test(ends_where_asked),
        cmocka_unit_test(end_stays),
        cmocka_unit_test(nothing_beyond_the_end),
        cmocka_unit_test(early_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
