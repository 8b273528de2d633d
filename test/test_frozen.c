/* Frozen models with functions: the same run bit for bit, in several threads, without Lua; and files that make no sense. */
#include "check.h"

#include <pthread.h>

#include "model/inside.h"
#include "polhode/run.h"

static const char text[] =
    "model 'all kinds'\n"
    "gravity {0, 0, -9.81}\n"
    "local c = curve({0, 0.1, 0.3, 1}, {0, 1, 0.5, 2}, {kind = 'cubic'})\n"
    "local line, huge, nan = curve({0, 0.5, 2}, {0, 1, 0.5}), math.huge, 0/0\n"
    "body{ name = 'a', mass = 1, inertia = {1, 2, 3}, position = {0.3, 0, 0} }\n"
    "body{ name = 'b', mass = 1, inertia = {1, 2, 3}, position = {1.3, 0, 0} }\n"
    "particle{ name = 'p', mass = 1, position = {3, 0.5, 0} }\n"
    "joint{ name = 'h', type = 'revolute', bodies = {'ground', 'a'}, at = {0, 0, 0}, axis = {0, 1, 0} }\n"
    "joint{ name = 'd', type = 'revolute', bodies = {'a', 'b'}, at = {0.8, 0, 0}, axis = {0, 1, 0},\n"
    "       drive = function(t) return 0.1*math.sin(t) end }\n"
    "input{ name = 'u', value = 0.3 }\n"
    "state{ name = 'i', initial = {0.1, 0.2}, rate = function(t, s)\n"
    "  return -s.states.i[1] + s.joints.h.rate, s.inputs.u - clamp(s.states.i[2], -math.huge, 1) end }\n"
    "actuator{ name = 'm', joint = 'h', effort = function(t, s) return -3*s.joints.h.position - c(t)*line(t) "
    "+ "
    "s.states.i[1] end }\n"
    "force{ name = 'f', body = 'b', value = function(t, s)\n"
    "  if s.b.position.z < -0.05 then return 0, 0, 100*(-0.05 - s.b.position.z) end return 0, 0, s.inputs.u "
    "end }\n"
    "torque{ name = 't', body = 'a', value = {0, 1, 0} }\n"
    "constraint{ name = 'k', f = function(t, s) return s.p.position.x^2 + s.p.position.y^2 - 9.25 - 0.1*t^2 "
    "end }\n"
    "body{ name = 'c', mass = 1, inertia = {1, 2, 3}, position = {5, 0, 0} }\n"
    "body{ name = 'e', mass = 1, inertia = {1, 2, 3}, position = {6, 0, 0} }\n"
    "joint{ name = 'cy', type = 'cylindrical', bodies = {'ground', 'c'}, at = {5, 0, 0}, axis = {0, 0, 1} }\n"
    "joint{ name = 'cz', type = 'cylindrical', bodies = {'ground', 'e'}, at = {6, 0, 0}, axis = {0, 0, 1} }\n"
    "actuator{ name = 'push', joint = 'cy', coordinate = 'z', effort = 2.5, stops = {-0.01, 0.02}, stop_k = "
    "1e3 }\n"
    "coupling{ name = 'g', joints = {'cy', 'cz'}, coordinates = {'z', 'rz'}, ratio = 0.3 }\n"
    "sensor{ name = 'y', custom = function(t, s) return math.min(s.c.position.z, huge), s.e.rotation.z + (t "
    "> nan and 1 or 0) end }\n"
    "sensor{ name = 'x', custom = function(t, s) return s.b.position.x, s.a.rotation.w end }\n"
    "actuator{ name = 'soft', joint = 'cz', coordinate = 'z', k = 3, d = 0.1 }\n"
    "sensor{ name = 'e', type = 'effort', of = 'd' }\n"
    "event{ name = 'v', when = function(t) return t - 0.105 end, action = {state = {i = {0.3, 0.4}}} }\n"
    "objective{ name = 'o', final = function(s) return s.a.position.x^2 end, integral = function(t, s) "
    "return s.sensors.x[1] end }\n"
    "run{ t_end = 0.2, h = 1e-3 }\n";

static ph_model *read_text(const char *name, const char *source, ph_error *err)
{
    ph_model *m = NULL;
    ph_model_read_text(&m, name, source, strlen(source), NULL, 0, NULL, err);
    return m;
}

static char *freeze(const ph_model *m)
{
    ph_error err = {0};
    FILE *f = tmpfile();
    if (ph_model_freeze(m, f, &err) != PH_OK)
        fail_msg("%s", err.text);
    long n = ftell(f);
    char *json = calloc((size_t)n + 1, 1);
    rewind(f);
    assert_int_equal(fread(json, 1, (size_t)n, f), n);
    fclose(f);
    return json;
}

typedef struct numbers {
    const ph_model *model;
    ph_status status;
    double x[14];
} numbers;

static void *simulate(void *ctx)
{
    numbers *n = ctx;
    ph_run *run;
    ph_error err = {0};
    n->status = ph_run_create(&run, n->model, NULL, &err);
    if (n->status == PH_OK)
        n->status = ph_run_until(run, 0.2, &err);
    if (n->status != PH_OK)
        print_error("%s\n", err.text);
    else {
        ph_run_get(run, PH_GET_POSITION, 1, n->x), ph_run_get(run, PH_GET_POSITION, 2, n->x + 3);
        ph_run_get(run, PH_GET_SENSOR, 0, n->x + 12), ph_run_get(run, PH_GET_SENSOR, 1, n->x + 6);
        ph_run_get(run, PH_GET_STATE, 0, n->x + 8);
        ph_run_get(run, PH_GET_OBJECTIVE, 0, n->x + 10);
    }
    ph_run_close(run);
    return NULL;
}

static void frozen_runs_are_the_same(void **state)
{
    (void)state;
    ph_error err = {0};
    ph_model *m = read_text("all.lua", text, &err);
    if (!m)
        fail_msg("%s", err.text);
    char *json = freeze(m);
    ph_model *cold = read_text("all.json", json, &err);
    if (!cold)
        fail_msg("%s", err.text);
    assert_null(((ph_reader *)cold)->L); /* no Lua is left */
    assert_false(ph_model_has_functions(cold));
    char *again = freeze(cold);
    assert_string_equal(json, again);
    assert_non_null(strstr(json, "\"inf\""));
    assert_non_null(strstr(json, "nan\""));
    ph_model *near;
    assert_int_equal(ph_model_near(&near, cold, NULL, 0, "p", NULL, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "all.json: the parameters of a frozen model cannot be set"));
    enum { THREADS = 4 };
    numbers warm = {.model = m}, n[THREADS];
    pthread_t id[THREADS];
    simulate(&warm);
    assert_int_equal(warm.status, PH_OK);
    for (int i = 0; i < THREADS; i++) {
        n[i] = (numbers){.model = i % 2 ? m : cold};
        assert_int_equal(pthread_create(&id[i], NULL, simulate, &n[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(id[i], NULL);
        assert_int_equal(n[i].status, PH_OK);
        assert_memory_equal(n[i].x, warm.x, sizeof warm.x); /* exact */
    }
    free(json), free(again);
    ph_model_free(m), ph_model_free(cold);
}

/* Every digit or bracket of the functions changed in turn: a sentence, or another model, and never a crash. */
static void damaged_files_are_refused(void **state)
{
    (void)state;
    ph_error err = {0};
    ph_model *m = read_text("all.lua", text, &err);
    char *json = freeze(m);
    int refused = 0, count = 0;
    for (char *c = strstr(json, "\"outputs\""); c && *c; c++) {
        char kept = *c;
        if (!strchr("0123456789[]{}\"", kept) || count++ % 7)
            continue;
        *c = kept == '9' ? '0' : kept >= '0' && kept < '9' ? '9' : ' ';
        err = (ph_error){0};
        ph_model *other = read_text("all.json", json, &err);
        refused += !other;
        assert_true(other || strstr(err.text, "all.json"));
        ph_model_free(other);
        *c = kept;
    }
    assert_true(refused > 100);
    free(json), ph_model_free(m);
}

/* Where a frozen function has no value, the run says whose it is. */
static void no_value_is_told(void **state)
{
    (void)state;
    ph_error err = {0};
    ph_model *m = read_text("guard.lua",
                            "body{ name = 'a', mass = 1, inertia = {1, 1, 1} }\n"
                            "force{ name = 'f', body = 'a', value = function(t, s)\n"
                            "  if t > 0.05 then error('too late') end return 0, 0, 1 end }\n"
                            "run{ t_end = 0.2, h = 1e-2 }\n",
                            &err);
    char *json = freeze(m);
    ph_model *cold = read_text("guard.json", json, &err);
    ph_run *run;
    assert_int_equal(ph_run_create(&run, cold, NULL, &err), PH_OK);
    assert_int_not_equal(ph_run_until(run, 0.2, &err), PH_OK);
    assert_non_null(strstr(err.text, "'f': its function has no value at t = 0.06"));
    ph_run_close(run), ph_model_free(cold), ph_model_free(m), free(json);
}

/* What has a function that was not traced is not frozen, whatever it is; the sentence says whose it is, and where. */
static void what_asks_lua_is_not_frozen(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } row[] = {
        {"joint{ name = 'x', type = 'revolute', bodies = {'ground', 'a'}, at = {0, 0, 0}, axis = {0, 1, 0},\n"
         "drive = function(t) return t == 0.3 and 0.3 or t end }",
         "joint 'x'"},
        {"force{ name = 'x', body = 'a', value = function(t) return t == 0 and 1 or 0, 0, 0 end }",
         "force 'x'"},
        {"sensor{ name = 'x', custom = function(t, s) return t == 0 and 1 or 0 end }", "sensor 'x'"},
        {"joint{ name = 'h', type = 'revolute', bodies = {'ground', 'a'}, at = {0, 0, 0}, axis = {0, 1, 0} "
         "}\n"
         "actuator{ name = 'x', joint = 'h', effort = function(t, s) return t == 0 and 1 or 0 end }",
         "actuator 'x'"},
        {"state{ name = 'x', initial = 1, rate = function(t, s) return t == 0 and 1 or 0 end }", "state 'x'"},
        {"constraint{ name = 'x', f = function(t, s) return s.a.position.x + (t == 7 and 1 or 0) end }",
         "constraint 'x'"},
        {"event{ name = 'x', when = function(t, s) return t == 0 and 1 or 2 end, action = 'stop' }",
         "event 'x'"},
        {"input{ name = 'u', value = 1 } event{ name = 'x', when = function(t) return t - 1 end,\n"
         "action = {set = {u = function(t, s) return t == 0 and 1 or 2 end}} }",
         "event 'x'"},
        {"objective{ name = 'x', final = function(s) return s.a.position.x == 0 and 1 or 0 end }",
         "objective 'x'"},
        {"objective{ name = 'x', integral = function(t, s) return t == 0 and 1 or 0 end }", "objective 'x'"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        char file[1000], said[200];
        ph_error err = {0};
        snprintf(file, sizeof file,
                 "body{ name = 'a', mass = 1, inertia = {1, 1, 1} }\n%s\nrun{ t_end = 1, h = 1e-2 }\n",
                 row[k].text);
        ph_model *m = read_text("warm.lua", file, &err);
        if (!m)
            fail_msg("%s", err.text);
        FILE *to = tmpfile();
        assert_int_equal(ph_model_freeze(m, to, &err), PH_E_INPUT);
        snprintf(said, sizeof said,
                 "%s: a function of the file cannot be frozen: it compares for equality with a number",
                 row[k].words);
        if (strncmp(err.text, "warm.lua:", 9) != 0 || !strstr(err.text, said))
            fail_msg("'%s' does not contain '%s'", err.text, said);
        fclose(to), ph_model_free(m);
    }
}

/* One thing of a function that makes no sense, at a time. */
static void functions_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    static const char good[] =
        "{\"polhode\": \"0.2.0\", \"model\": \"f\", \"gravity\": [0, 0, 0], \"params\": {}, \"elements\": [\n"
        "{\"element\": \"body\", \"name\": \"a\", \"mass\": 1, \"inertia\": [[1, 0, 0], [0, 2, 0], [0, 0, "
        "3]]},\n"
        "{\"element\": \"force\", \"name\": \"f\", \"body\": \"a\", \"value\": {\"outputs\": 3, "
        "\"arguments\": "
        "[[\"position\", 0, 2], [\"t\", 0, 0]], \"constants\": [-0.05, 0, 1], \"operations\": [[\"curve\", "
        "5, 1, 0]], "
        "\"ways\": [[0, 0, 1, 0, 0, 2, 1, 2, 0], [0, 0, 2, 0, 0, 0, 0, 0, 0], [0, 1, 2, 0, 0, 0, 0, 0, 3]], "
        "\"results\": [3, 3, 4, 3, 3, 5], \"curves\": [{\"kind\": \"cubic\", \"outside\": \"hold\", \"x\": "
        "[0, 1, 2], "
        "\"y\": [0, 1, 3], \"slope\": [1, 1, 1]}]}, \"frame\": \"world\"}], \"run\": {\"t_end\": 0.2, \"h\": "
        "0.01}}";
    static const struct {
        const char *from, *to;
    } row[] = {
        {"[-0.05, 0, 1]", "3"},
        {"[-0.05, 0, 1]", "[-0.05, true, 1]"},
        {"[\"position\", 0, 2]", "[\"position\", 0]"},
        {"[\"position\", 0, 2]", "\"position\""},
        {"[\"position\", 0, 2]", "[\"place\", 0, 2]"},
        {"[\"position\", 0, 2]", "[1, 0, 2]"},
        {"[\"position\", 0, 2]", "[\"position\", 0, 3]"},
        {"[\"position\", 0, 2]", "[\"position\", 0.5, 2]"},
        {"[\"position\", 0, 2]", "[\"position\", 7, 2]"}, /* no such body */
        {"\"curve\", 5", "\"curve\", 4"},
        {"\"curve\", 5", "\"bend\", 5"},
        {"\"curve\", 5, 1, 0", "\"curve\", 5, 1, 1"},
        {"\"curve\", 5, 1, 0", "\"add\", 5, 1, 5"},
        {"[0, 0, 1, 0, 0, 2, 1, 2, 0]", "[0, 0, 1, 0, 0, 6, 1, 2, 0]"}, /* compares what is not there, */
        {"[0, 0, 1, 0, 0, 2, 1, 2, 0]", "[0, 0, 1, 0, 0, 2, 0, 2, 0]"}, /* goes back to itself, */
        {"0, 0, 3]]", "0, 0, 4]]"},                                     /* has too few results, */
        {"[3, 3, 4, 3, 3, 5]", "[3, 3, 4, 3, 3, 6]"},                   /* and one that is no number */
        {"\"kind\": \"cubic\"", "\"kind\": \"wild\""},
        {"\"kind\": \"cubic\"", "\"kind\": 1"},
        {"\"x\": [0, 1, 2]", "\"x\": [0]"},
        {"\"y\": [0, 1, 3]", "\"y\": [0, 1]"},
        {"\"curves\": [{", "\"curves\": [3, {"},
        {"\"outputs\": 3", "\"outputs\": 0"},
        {"\"outputs\": 3", "\"outputs\": 1000"},
        {"[\"position\", 0, 2]", "[\"position\", \"a\", 2]"},
        {"[\"position\", 0, 2]", "[\"parameter\", 0, 0]"},
        {"[0, 0, 1, 0, 0, 2, 1, 2, 0]", "[0, 0, 1, 0, 6, 2, 1, 2, 0]"},
        {"[0, 0, 2, 0, 0, 0, 0, 0, 0]", "[0, 0, 3, 0, 0, 0, 0, 0, 0]"}, /* a way that is not known */
        {"[0, 0, 2, 0, 0, 0, 0, 0, 0]", "[0, 0, 2, 0, 0, 0, 0, 2, 0]"},
        {"\"ways\": [[0, 0, 1, 0, 0, 2, 1, 2, 0], [0, 0, 2, 0, 0, 0, 0, 0, 0], [0, 1, 2, 0, 0, 0, 0, 0, 3]]",
         "\"ways\": []"},
        {"\"outputs\": 3", "\"outputs\": \"3\""},
        {"\"outputs\": 3", "\"inputs\": 3"},
        {"\"outputs\": 3", "\"outputs\": 2"}, /* a force has three */
    };
    ph_error err = {0};
    ph_model *m = read_text("good.json", good, &err);
    if (!m)
        fail_msg("%s", err.text);
    ph_model_free(m);
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        char json[2000];
        const char *at = strstr(good, row[k].from);
        assert_non_null(at);
        snprintf(json, sizeof json, "%.*s%s%s", (int)(at - good), good, row[k].to, at + strlen(row[k].from));
        err = (ph_error){0};
        m = read_text("bad.json", json, &err);
        if (m || err.status != PH_E_INPUT || !strstr(err.text, "bad.json"))
            fail_msg("%s instead of %s: %s", row[k].to, row[k].from, m ? "read" : err.text);
    }
}

/* Arguments of every kind whose element or number the model does not have. */
static void arguments_that_are_not_there_are_refused(void **unused)
{
    (void)unused;
    static const char source[] =
        "body{ name = 'a', mass = 1, inertia = {1, 2, 3} }\n"
        "body{ name = 'b', mass = 1, inertia = {1, 2, 3}, position = {1, 0, 0} }\n"
        "particle{ name = 'p', mass = 1, position = {2, 0, 0} }\n"
        "joint{ name = 'h', type = 'revolute', bodies = {'ground', 'a'}, at = {0, 0, 0}, axis = {0, 0, 1},\n"
        "       drive = function(t) return t end }\n"
        "joint{ name = 'u', type = 'universal', bodies = {'a', 'b'}, at = {1, 0, 0}, axis_a = {1, 0, 0}, "
        "axis_b = {0, 1, 0} }\n"
        "joint{ name = 'd', type = 'distance', bodies = {'b', 'p'}, length = 1 }\n"
        "input{ name = 'v' }\n"
        "state{ name = 'f', initial = {0, 0}, rate = function(t, s) return 1, s.states.f[1] end }\n"
        "state{ name = 'g', rate = function(t, s) return s.states.g + s.inputs.v end }\n"
        "force{ name = 'y', body = 'b', value = function(t, s) return s.a.omega.x, s.a.rotation.w + "
        "s.joints.h.position,\n"
        "       s.joints.u.rate[2] end }\n"
        "run{ t_end = 0.2, h = 1e-2 }\n";
    static const struct {
        const char *from, *to;
    } row[] = {
        {"\"state\", 0, 0", "\"state\", 0, 2"},
        {"\"state\", 0, 0", "\"state\", 0, 31"},
        {"\"state\", 0, 0", "\"state\", 1, 1"},
        {"\"state\", 0, 0", "\"state\", 2, 0"},
        {"\"input\", 0, 0", "\"input\", 1, 0"},
        {"\"input\", 0, 0", "\"input\", 0, 1"},
        {"\"omega\", 0, 0", "\"omega\", 3, 0"},
        {"\"omega\", 0, 0", "\"omega\", 2, 0"}, /* a particle does not turn */
        {"\"omega\", 0, 0", "\"omega\", 0, 3"},
        {"\"omega\", 0, 0", "\"omega_dot\", 2, 0"},
        {"\"rotation\", 0, 0", "\"rotation\", 2, 0"},
        {"\"rotation\", 0, 0", "\"rotation\", 0, 4"},
        {"\"joint_position\", 0, 5", "\"joint_position\", 0, 4"}, /* only rz is free */
        {"\"joint_position\", 0, 5", "\"joint_position\", 0, 6"},
        {"\"joint_position\", 0, 5", "\"joint_position\", 3, 5"},
        {"\"joint_position\", 0, 5", "\"joint_position\", 1, 5"}, /* rx and ry are */
        {"\"joint_position\", 0, 5", "\"joint_position\", 2, 0"}, /* only the length is */
        {"\"joint_rate\", 1, 4", "\"joint_rate\", 1, 5"},
        {"\"t\", 0, 0", "\"position\", 0, 0"}, /* a drive has the time alone */
        {"\"t\", 0, 0", "\"input\", 0, 0"},
    };
    ph_error err = {0};
    ph_model *m = read_text("there.lua", source, &err);
    if (!m)
        fail_msg("%s", err.text);
    char *json = freeze(m);
    ph_model_free(m);
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        size_t room = strlen(json) + 100;
        char *bad = calloc(room, 1);
        const char *at = strstr(json, row[k].from);
        if (!at)
            fail_msg("%s is not in %s", row[k].from, json);
        snprintf(bad, room, "%.*s%s%s", (int)(at - json), json, row[k].to, at + strlen(row[k].from));
        err = (ph_error){0};
        m = read_text("bad.json", bad, &err);
        if (m || err.status != PH_E_INPUT || !strstr(err.text, "bad.json"))
            fail_msg("%s instead of %s: %s", row[k].to, row[k].from, m ? "read" : err.text);
        free(bad);
    }
    free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frozen_runs_are_the_same),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(no_value_is_told),
        cmocka_unit_test(what_asks_lua_is_not_frozen),
        cmocka_unit_test(arguments_that_are_not_there_are_refused),
        cmocka_unit_test(functions_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
