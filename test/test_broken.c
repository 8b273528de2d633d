/* Deliberately broken model files: each must end in time with one error that says what is wrong, and where.
 *
 * The first line of test/broken/NAME.lua is "-- expect: words" or, where the error has a line,
 * "-- expect LINE: words"; a second line "-- set: name=value" sets a parameter. What cannot have a comment is
 * written here. */
#include "model_file.h"

#include <dirent.h>
#include <sys/stat.h>
#include <time.h>

#include "model/limits.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct expectation {
    int line; /* 0: none */
    char words[256];
    int n_sets;
    char name[64];
    ph_setting set;
} expectation;

static expectation expectation_read(const char *path)
{
    expectation e = {0};
    char text[512], value[32];
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_non_null(fgets(text, sizeof text, f));
    const char *words = strchr(text, ':');
    assert_int_equal(strncmp(text, "-- expect", 9), 0);
    assert_non_null(words);
    e.line = atoi(text + 9);
    snprintf(e.words, sizeof e.words, "%.*s", (int)strcspn(words + 2, "\n"), words + 2);
    if (fgets(text, sizeof text, f) && sscanf(text, "-- set: %63[^=]=%31s", e.name, value) == 2) {
        e.n_sets = 1;
        e.set.value = strtod(value, NULL);
    }
    fclose(f);
    return e;
}

/* Two limits end a loop: operations, and the clock, which is first on a slow machine or under sanitizers. */
static int is_said(const char *text, const char *words)
{
    int counted = strncmp(words, "this takes more than 2e+08 operations", 37) == 0;
    return strstr(text, words) || (counted && strstr(text, "this takes more than 6 s"));
}

/* 0 and a line of text where the file does not end as it should. */
static int check_file(const char *path)
{
    expectation e = expectation_read(path);
    char head[320];
    ph_model *m;
    ph_error err = {0};
    e.set.name = e.name;
    double start = now();
    ph_status s = ph_model_read(&m, path, &e.set, e.n_sets, NULL, &err);
    double seconds = now() - start;
    if (e.line)
        snprintf(head, sizeof head, "%s:%d: ", path, e.line);
    else
        snprintf(head, sizeof head, "%s: ", path);
    int good = s == PH_E_INPUT && err.status == s && !m && strncmp(err.text, head, strlen(head)) == 0 &&
               is_said(err.text, e.words) && !strchr(err.text, '\n') && seconds < PH_MODEL_READ_S + 2;
    if (!good)
        print_error("%s: %.1f s, status %d, expected '%s' on line %d, got '%s'\n", path, seconds, (int)s,
                    e.words, e.line, err.text);
    ph_model_free(m);
    return good;
}

static void broken_files(void **state)
{
    (void)state;
    const char *folder = PH_TEST_DIR "/broken";
    DIR *d = opendir(folder);
    assert_non_null(d);
    int n = 0, good = 0;
    for (struct dirent *e; (e = readdir(d));) {
        char path[300];
        int waits = strncmp(e->d_name, "loop_", 5) == 0; /* for a limit that others meet, too */
        if (!strstr(e->d_name, ".lua") || (waits && is_quick()))
            continue;
        snprintf(path, sizeof path, "%s/%.200s", folder, e->d_name);
        n++;
        good += check_file(path);
    }
    closedir(d);
    assert_int_equal(good, n);
    assert_true(n >= 200);
}

static void no_files(void **state)
{
    (void)state;
    ph_model *m;
    ph_error err;
    scratch s = scratch_create("model.lua");
    assert_int_equal(ph_model_read(&m, s.path, NULL, 0, NULL, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "model.lua: No such file"));
    assert_int_equal(ph_model_read(&m, s.dir, NULL, 0, NULL, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "this is a directory"));
    assert_int_equal(ph_model_read(&m, "/dev/zero", NULL, 0, NULL, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "/dev/zero: this is not a regular file"));
    assert_int_equal(mkfifo(s.path, 0600), 0); /* nobody will ever write to it */
    assert_int_equal(ph_model_read(&m, s.path, NULL, 0, NULL, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "model.lua: this is not a regular file"));
    assert_int_equal(unlink(s.path), 0);
    assert_int_equal(ph_model_read(&m, "", NULL, 0, NULL, &err), PH_E_INPUT);
    scratch_write(&s, "x", 1);
    assert_int_equal(chmod(s.path, 0), 0);
    assert_int_equal(ph_model_read(&m, s.path, NULL, 0, NULL, NULL),
                     PH_E_INPUT); /* root reads it: no Lua either */
    scratch_remove(&s);
}

/* A long path is cut at its front, and the error still ends with the sentence. */
static void long_path(void **state)
{
    (void)state;
    char path[3000];
    ph_model *m;
    ph_error err;
    memset(path, 'x', sizeof path);
    path[sizeof path - 1] = 0;
    assert_int_equal(ph_model_read(&m, path, NULL, 0, NULL, &err), PH_E_INPUT);
    assert_int_equal(strncmp(err.text, "...xxx", 6), 0);
    assert_non_null(strstr(err.text, "xxx: File name too long"));
}

/* Files that cannot hold a comment: compiled, empty, huge, random. */
static void strange_files(void **state)
{
    (void)state;
    refuse_text("model.lua", "", "model.lua: the model has no body and no particle");
    refuse_text("model.lua", "\x1bLua\x54", "this is a compiled Lua program");
    refuse_text("model.lua", "\xef\xbb\xbf#!/usr/bin/lua\nbdoy {}", "model.lua:2: 'bdoy' is not defined");

    size_t size = 20 << 20; /* a string of 20 MB, and one of 2 MB that fits into the file */
    char *text = malloc(size + 1);
    assert_non_null(text);
    memset(text, 'x', size);
    memcpy(text, "model '", 7);
    text[size] = 0;
    refuse_text("model.lua", text, "the file is too large");
    text[2 << 20] = 0;
    text[(2 << 20) - 1] = '\'';
    refuse_text("model.lua", text, "model.lua:1: a string of more than 1 MB");

    uint64_t seed = 7;
    for (int run = 0; run < 200; run++) { /* bytes that no file should have must neither crash nor pass */
        ph_model *m;
        ph_error err;
        size_t n = 1 + (size_t)(run * 3);
        for (size_t i = 0; i < n; i++)
            text[i] = (char)(rnd(&seed) * 128);
        const char *name = run % 2 ? "model.lua" : "model.json";
        assert_int_equal(read_named(&m, name, text, n, NULL, 0, NULL, &err), PH_E_INPUT);
        assert_non_null(strstr(err.text, name));
    }
    free(text);
}

#define A_BODY      "body { name = 'a', mass = 1, inertia = {1, 1, 1} }\n"
#define SECTION     "section = {EA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, rhoJ = 1}"
#define RODS        "from = {0, 0, 0}, to = {1, 0, 0}, n = 4"
#define ROD(more)   "flexible { name = 'f', beam = {" RODS ", " SECTION "}, " more " }"
#define FILED(more) "flexible { name = 'f', file = 'none.json', " more " }"
#define TWO(more)                                                                                            \
    "flexible { name = 'f', modes = {n = 1}, points = {{0, 0, 0}, {1, 0, 0}}, members = {{" SECTION          \
    ", n = 1, " more "}} }"
#define BEAM(more)                                                                                           \
    "beam { name = 'b', section = {EA = 1, GA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, J = {2, 1, 1}}, " more \
    " }"
#define EVENT(action) A_BODY "event { name = 'e', when = function(t) return t - 1 end, action = " action " }"
#define SHAPE(what)   "body { name = 'a', mass = 1, inertia = {1, 1, 1}, shape = {mesh = {" what "}} }"
#define TRIANGLE      "points = {0, 0, 0, 1, 0, 0, 0, 1, 0}"
#define LIST(n, what) "(function() local t = {} for i = 1, " #n " do " what " end return t end)()"

/* Texts, one mistake each, and what is said of it. */
static const struct {
    const char *text, *words;
} mistake[] = {
    {"flexible { name = 'f', stiffness = 'K.mtx', modes = {n = 1} }", "belong together; mass is missing"},
    {"flexible { name = 'f', nodes = 'n.csv', modes = {n = 1} }", "belong together; mass is missing"},
    {"flexible { name = 'f', mass = 'M.mtx', modes = {n = 1} }", "belong together; stiffness is missing"},
    {"flexible { name = 'f', mass = 'M.mtx', stiffness = 'K.mtx', modes = {n = 1} }",
     "belong together; nodes is missing"},
    {"flexible { name = 'f', modes = {n = 1}, members = {{nodes = {0, 1}, n = 1, " SECTION "}} }",
     "points and members belong together"},
    {FILED("modes = 'shapes.csv'"), "a reduced body has its modes"},
    {FILED("modes = {n = 1}"), "a reduced body has its modes"},
    {FILED("interfaces = {tip = 1}"), "a reduced body has its modes"},
    {FILED("frame_node = 'tip'"), "a reduced body has its modes"},
    {FILED("frame_node = 3"), "a reduced body has its modes"},
    {FILED("damping = {ratio = 0.1}"), "a reduced body has its modes"},
    {FILED("damping = {alpha = 1}"), "a reduced body has its modes"},
    {FILED("damping = {beta = 1}"), "a reduced body has its modes"},
    {FILED("geometric_stiffness = true"), "a reduced body has its modes"},
    {ROD("modes = {n = 1}, shape = {box = {1, 1, 1}, marker = 'nowhere'}"), "there is no marker 'nowhere'"},
    {ROD("modes = {n = 1}, frame_node = 3e9"), "frame_node is 3e+09; it must be a whole number"},
    {ROD("modes = {n = 1}, frame_node = -1"), "frame_node is -1; it must be a whole number"},
    {ROD("modes = {type = 'clamped'}"), "modes: n, the number of modes, is missing"},
    {ROD("modes = {type = 'craig-bampton'}, interfaces = {tip = 4}"),
     "modes: n, the number of modes, is missing"},
    {ROD("modes = {n = 1}, damping = {ratio = " LIST(70, "t[i] = 0.1") "}"), "the limit is 60 modes"},
    {ROD("modes = {n = 1}, damping = {ratio = {}}"), "ratio of damping must be a list, of 1 or more"},
    {ROD("modes = {n = 1}, damping = {ratio = 'a'}"), "ratio of damping must be a list, of 1 or more"},
    {ROD("modes = {n = 1}, interfaces = " LIST(1001, "t['i' .. i] = 1")), "interfaces are more than 1000"},
    {ROD("modes = {n = 1}, geometric_stiffness = " LIST(1001, "t['i' .. i] = 'K.mtx'")),
     "geometric_stiffness must be a table of load cases"},
    {"flexible { name = 'f', modes = {n = 1}, beam = {" RODS ", sections = 1, " SECTION "} }",
     "beam has no 'sections'; did you mean 'section'?"},
    {"flexible { name = 'f', modes = {n = 1}, beam = {" RODS ", section = {EA = 1, GJ = 1, EI = 1}, "
     "mass = {rhoA = 1, J = {2, 2, 2, 0, 0.5, 0}}} }",
     "J of mass must be about the axes of the section"},
    {"flexible { name = 'f', modes = {n = 1}, beam = {" RODS ", section = {EA = 1, GJ = 1, EI = 1}, "
     "mass = {rhoA = 1, J = {2, 2, 2, 0, 0, 0.5}}} }",
     "J of mass must be about the axes of the section"},
    {TWO("nodes = {0, 1}, of = 3"), "members[1] has no 'of'"},
    {TWO("nodes = {0, 1, 0}"), "nodes of members[1] must be two points"},
    {TWO("nodes = {7, 0}"), "members[1] ends at point 7; points are from 0 to 1"},

    {BEAM("nodes = 3"), "nodes must be a list, of two or more"},
    {BEAM("nodes = {{0, 0, 0}, {1, 0, 0}}, to = {1, 0, 0}"), "with nodes, from, to, n and tangent"},
    {BEAM("nodes = {{0, 0, 0}, {1, 0, 0}}, n = 3"), "with nodes, from, to, n and tangent"},
    {BEAM("nodes = {{0, 0, 0}, {1, 0, 0}}, tangent = {1, 0, 0}"), "with nodes, from, to, n and tangent"},
    {BEAM("from = {0, 0, 0}, n = 3"), "give from, to and n, or nodes"},
    {BEAM("to = {0, 0, 0}, n = 3"), "give from, to and n, or nodes"},
    {BEAM("from = {0, 0, 0}, to = {1, 0, 0}"), "give from, to and n, or nodes"},
    {BEAM(RODS ", ends = 'fixed'"), "ends must be two words"},
    {BEAM(RODS ", ends = {'fixed'}"), "ends must be two words"},
    {"beam { name = 'b', K = 5, mass = {rhoA = 1, J = {2, 1, 1}}, " RODS " }",
     "must be 6 numbers or 6 rows of 6 numbers"},

    {EVENT("{set = {3}}"), "set must be a table, {name = value}"},
    {EVENT("{state = {x = {}}}"), "state of 'x' has 0 numbers"},
    {EVENT(LIST(65, "t[i] = 'stop'")), "action has more than 64 parts"},
    {EVENT("{set = {far = 1}}"), "set: there is no input 'far'"},
    {EVENT("{state = {far = 1}}"), "state: there is no state 'far'"},

    {SHAPE(TRIANGLE), "mesh has no triangles"},
    {SHAPE(TRIANGLE ", triangle = {0, 1, 2}"), "mesh has no 'triangle'; did you mean 'triangles'?"},
    {SHAPE(TRIANGLE ", triangles = 3"), "triangles of mesh must be a list of numbers, three for each"},
    {SHAPE(TRIANGLE ", triangles = {0, 1}"), "triangles of mesh must be a list of numbers, three for each"},
    {SHAPE(TRIANGLE ", triangles = {0, 1, 2, 0}"), "triangles of mesh must be a list of numbers"},
    {SHAPE(TRIANGLE ", triangles = {0, 1, -1}"), "triangles of mesh have the corner -1"},
    {SHAPE(TRIANGLE ", triangles = {0, 1, 0.5}"), "triangles of mesh have the corner 0.5"},
    {SHAPE(TRIANGLE ", triangles = {0, 1, 3}"),
     "triangles of mesh have the corner 3; there are points 0 to 2"},

    {"curve('a.csv', {kinds = 1})", "options has no 'kinds'; did you mean 'kind'?"},
    {"curve('a.csv', {}, {})", "x must be a list"},
    {"curve({0, 1})", "takes two lists or the name of a file"},
    {"local c = curve({0, 1}, {0, 1}) c(1, 2)", "a curve takes one number"},
    {"local c = curve({0, 1}, {0, 1}) c('x')", "a curve takes one number"},
    {"curve({0, 1e200}, {0, 1})", "1e+200"},

    {"local x = ('a'):gsub('a', true)", "string/function/table expected, got boolean"},
    {"local x = ('a'):gsub('a', function() return {} end)", "invalid replacement value (a table)"},
    {"local x = ('a'):find(('()'):rep(33))", "too many captures"},
    {"local x = ('a'):find('%1')", "invalid capture index %1"},
    {"local x = ('a'):find('(a%1)')", "invalid capture index %1"},
    {"local x = ('a'):rep(300):find(('a?'):rep(300) .. 'b')", "pattern too complex"},
    {"body { name = 'a', mass = 1, inertia = {1, 1, 1}, zz = 1, yy = 2 }", "no key 'yy' in a body"},
    {A_BODY "joint { name = 'hinge', type = 'revolute', bodies = {'ground', 'a'}, at = {0, 0, 0}, axis = "
            "{0, 0, 1} }\n"
            "event { name = 'e', when = function(t) return t - 1 end, action = {release = 'hing'} }",
     "release: there is no joint 'hing'; did you mean 'hinge'?"},
    {"flexible { name = 'f', modes = {n = 1}, beam = {" RODS ", section = {EA = 1, GJ = 1, EI = 1}, "
     "mass = {rhoA = 1, rhoI = 1}} }",
     "mass has no 'rhoI'; did you mean 'rhoA'?"},
    {"flexible { name = 'f', modes = {n = 1}, beam = {" RODS ", frame = {1, 0, 0}, " SECTION "} }",
     "the second axis of its section is along it"},
    {A_BODY "sensor { name = 's', custom = function(t) return table.unpack(" LIST(100, "t[i] = i") ") end }",
     "returns 100 values"},
    {A_BODY "sensor { name = 's', custom = function(t, s) return s.a[1] end }", "a body has no ''"},
    {"body { name = 'a', mass = 1, inertia = {1, 1e-20, 1} }", "inertia"},
    {"error(#((('a'):rep(3000)):gsub('b', 'c')), 0)", "3000"},
    {"error(#((('a'):rep(3000)):gsub('a', '%%')), 0)", "3000"},
    {"error(('a\\0b'):find('\\0') + 0, 0)", "2"},
    {"local x = ('a'):find('(a)%0')", "invalid capture index"},
    {"error(tostring(curve({0, 1}, {0, 1})), 0)", "curve"},
    {"math.randomseed() local a = math.random() math.randomseed(0) error(a == math.random() and 'same' "
     "or 'other', 0)",
     "same"},
    {"_G[1] = 2 local x = nothing_here", "'nothing_here' is not defined"},
    {A_BODY "run { rho = -1 }", "rho is -1; it must be from 0 to 1"},
    {A_BODY "bushing { bodies = {'ground', 'a'}, k = {-1, 1, 1} }", "none may be negative"},
    {"body { name = 'a', mass = 1, inertia = {1, 1, 1}, shape = {sphere = 1, color = {-0.5, 0, 0}} }",
     "color[1] is -0.5; it must be from 0 to 1"},
    {BEAM("nodes = {{0, 0, 0}, {1, 0, 0}}, from = {0, 0, 0}"), "with nodes, from, to, n and tangent"},
    {BEAM("nodes = {{0, 0, 0}, {0.5, 0.5, 0}, {1, 0, 0}}"), "nodes 0 and 1 are off the line"},
    {BEAM("nodes = {{0, 0, 0}, {-1, 0, 0}, {1, 0, 0}}"), "nodes 0 and 1 are off the line"},
    {"local c = curve({0, 1}, {0, 1}, {outside = 'periodic'}) error(c(1.25), 0)", "0.25"},
    {"local c = curve({0, 1, 2}, {0, 1, 0}, {outside = 'periodic', kind = 'cubic'}) error(c(2), 0)", "0.0"},
    {"local c = curve({0, 1, 2}, {0, 1, 1}, {outside = 'periodic', kind = 'cubic'})",
     "must end with its first value"},
    {"local c, x = curve({0, 1}, {0, 1}), 0/0 local y = c(x) error(y == y and 'number' or 'none', 0)",
     "none"},
    {A_BODY "for i = 1, 20 do sensor { name = 's' .. i, custom = function(t, s) return i < 20 and "
            "s.sensors['s' .. i + 1] or "
            "t end } end",
     "more than 16 sensors look at each other"},
    {"error('model', 0)", "model.lua:1: model"},
    {"error('model:x', 0)", "model.lua:1: model:x"},
    {"error('model:5', 0)", "model.lua:1: model:5"},
    {"error('other: y', 0)", "model.lua:1: other: y"},
    {"model('a', 'b')", "takes one string, the name of the model"},
    {"model(5)", "takes one string, the name of the model"},
    {"for i = 1, 10001 do param('p' .. i, 1) end", "more than 10000 parameters"},
    {A_BODY "run { rho = 2 }", "rho is 2; it must be from 0 to 1"},
    {A_BODY "run { every = 3e9 }", "every is 3e+09; it must be a whole number from 1"},
    {A_BODY "bushing { bodies = {'ground', 'a'}, k = {1, -1, 1} }", "none may be negative"},
    {A_BODY "bushing { bodies = {'ground', 'a'}, k = {1, 1, -1} }", "none may be negative"},
    {"include('')", "the file is not the name of a file"},
    {"include('a\\0b')", "the file is not the name of a file"},
    {A_BODY "sensor { name = 's', custom = {} }", "custom must be function(t, s), not a"},
    {A_BODY "sensor { name = 's', custom = 3 }", "custom must be function(t, s), not a"},
    {A_BODY "input { name = 'u', unit = ('x'):rep(70) }", "unit has more than 63 characters"},
    {A_BODY "input { name = 'u', unit = 'a,b' }", "unit may have no commas"},
    {A_BODY "joint { name = 'j', type = 'revolute', bodies = {'ground', 'a'}, at = {0, 0, 0}, axis = {0, "
            "0, 1} }\n"
            "actuator { name = 'm', joint = 'j', effort = 1, stop_d = 1 }",
     "stop_k and stop_d belong to stops"},
    {ROD("modes = {n = 1}, damping = {3}"), "damping has a value without a key"},
    {ROD("modes = {n = 1}, damping = {zeta = 1, eta = 2}"), "damping has no 'eta'"},
    {"body { name = 'a', mass = 1, inertia = {1, 1, 1}, shape = {sphere = 1, color = {0, 2, 0}} }",
     "color[2] is 2; it must be from 0 to 1"},
    {"body { name = 'a', mass = 1, inertia = {1, 1, 1}, shape = {sphere = {1, 2}} }",
     "sphere must be a list of 1"},
    {"body { name = 'a', mass = 1, inertia = {1, 1, 1}, shape = " LIST(1001, "t[i] = {sphere = 1}") " }",
     "shape is a list of 1001; the limit is 1000"},
    {BEAM(RODS ", shape = {{box = {1, 1, 1}}, {box = {1, 1, 1}}}"), "shape is the section of a beam: one"},
    {A_BODY "body { name = 'b', mass = 1, inertia = {1, 1, 1}, rotation = {axis = {1, 0, 0}, turn = 1} }",
     "rotation"},
    {"body { name = 'b', mass = 1, inertia = {1, 1, 1}, rotation = {angle = 1, turn = 1} }",
     "rotation must be {w, x, y, z}"},
    {"body { name = 'b', mass = 1, inertia = {1, 1, 1}, rotation = {matrix = 3} }",
     "must be 3 rows of 3 numbers"},
    {A_BODY "sensor { name = 's', type = 'effort', of = 'nowhere' }",
     "there is no actuator, coupling or joint 'nowhere'"},
    {A_BODY "sensor { name = 's', type = 'modes', body = 'a' }", "'a' is not a flexible body"},
    {A_BODY "sensor { name = 's', type = 'modes', body = 'ground' }", "'ground' is not a flexible body"},
    {"local x = table.insert()", "table expected, got no value"},
    {"local x = table.remove({1, 2}, 'a')", "number expected"},
    {"local x = table.remove(3, 1)", "table expected"},
    {"local x = table.unpack(3)", "attempt to get length"},
    {"local x = ('%s'):format()", "bad argument"},
    {"local x = ('abc'):byte(-2, -1) + {}", "arithmetic on a table value"},
    {"local x = _G[1] + 1", "attempt to perform arithmetic on a nil value"},
};

static void broken_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistake / sizeof *mistake; i++)
        refuse_text("model.lua", mistake[i].text, mistake[i].words);
}

#define BODY "{\"element\": \"body\", \"name\": \"a\", \"mass\": 1, \"inertia\": [1, 1, 1]}"

static void broken_json(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } row[] = {
        {"", "model.json:1: a frozen model is one JSON object"},
        {"[]", "a frozen model is one JSON object"},
        {"{}", "model.json:1: the model is empty"},
        {"{\"model\": \"m\"}", "model.json: the model has no body"},
        {"{\"modle\": \"m\"}", "a frozen model has no 'modle'; did you mean 'model'?"},
        {"{\"model\" \"m\"}", "':' expected"},
        {"{\"model\": \"m\"\n \"run\": {}}", "model.json:2: ',' or '}' expected"},
        {"{\"model\": \"m}", "a string without its end"},
        {"{\"model\": \"m\\q\"}", "a backslash before a character that needs none"},
        {"{\"model\": \"\\ud800x\"}", "a surrogate without its other half"},
        {"{\"model\": \"\\u12g4\"}", "four hexadecimal digits"},
        {"{\"model\": \"\\u12", "four hexadecimal digits"},
        {"{\"model\": \"\\ud83d\\x0041\"}", "a surrogate without its other half"},
        {"{\"model\": \"\\ud83d\\u0041\"}", "a surrogate without its other half"},
        {"{\"model\": \"\\ud83d\\ue000\"}", "a surrogate without its other half"},
        {"{\"model\": \"m\\", "a backslash before a character that needs none"},
        {"{\"model\": nul}", "a value expected"},
        {"{\"model\": 5}", "model: takes one string"},
        {"{\"gravity\": [0, 0, NaN]}", "a value expected"},
        {"{\"gravity\": [0, 0, 1e999]}", "its value[3] is infinite"},
        {"{\"gravity\": [0, 0, 0x10]}", "a value expected"},
        {"{\"gravity\": [0, 0]}", "its value must be a list of 3 numbers"},
        {"{\"params\": {\"a b\": 1}}", "may only have letters"},
        {"{\"params\": {\"p\": \"1\"}}", "p must be a number"},
        {"{\"elements\": {}}", "elements must be a list"},
        {"{\"elements\": [5]}", "an object expected"},
        {"{\"elements\": []}", "the model has no body"},
        {"{\"elements\": [{}]}", "an element must say which"},
        {"{\"gravity\": [0, 0, +5]}", "a value expected"},
        {"{\"elements\": [" BODY
         ", {\"element\": \"force\", \"name\": \"f\", \"body\": \"a\", \"value\": 5}]}",
         "value must be a list of 3 numbers"},
        {"{\"elements\": [" BODY
         ", {\"element\": \"force\", \"name\": \"f\", \"body\": \"a\", \"value\": {\"x\": 1}}]}",
         "value has no 'x'"},
        {"{\"elements\": [{\"name\": \"a\"}]}", "an element must say which"},
        {"{\"elements\": [{\"element\": \"boddy\"}]}", "there is no element 'boddy'; did you mean 'body'?"},
        {"{\"elements\": [{\"element\": \"run\"}]}", "there is no element 'run'"},
        {"{\"elements\": [\n" BODY ",\n" BODY "]}",
         "model.json:3: body 'a': the name is already taken, on line 2"},
        {"{\"elements\": [\n\n {\"element\": \"body\", \"name\": \"a\", \"mas\": 1}]}",
         "model.json:3: body 'a': no key 'mas' in a body; did you mean 'mass'?"},
        {"{\"elements\": [" BODY "], \"run\": {\"h\": -1}}", "run: h is -1"},
        {"{\"elements\": [" BODY "]} x", "something follows the end"},
        {"{\"gravity\": [0, 0, 015]}", "a value expected"},
        {"{\"gravity\": [0, 0, -00]}", "a value expected"},
        {"{\"gravity\": [0, 0, 1.]}", "a value expected"},
        {"{\"gravity\": [0, 0, -.5]}", "a value expected"},
        {"{\"gravity\": [0, 0, 1.e3]}", "a value expected"},
        {"{\"gravity\": [0, 0, 1e+]}", "a value expected"},
        {"{\"gravity\": [0, 0.5e-3, -0, 10]}", "its value must be a list of 3 numbers"},
        {"{\"model\": \"m\",\n \"model\": \"n\"}", "model.json:2: the key 'model' stands there twice"},
        {"{\"elements\": [" BODY "], \"elements\": []}", "the key 'elements' stands there twice"},
        {"{\"params\": {\"m\": 1, \"m\": 2}}", "'m' is given twice"},
        {"{\"elements\": [\n{\"element\": \"body\", \"name\": \"a\", \"mass\": 1,\n\"mass\": 2}]}",
         "model.json:3: the key 'mass' stands there twice"},
        {"{\"elements\": [{\"element\": \"body\", \"element\": \"body\"}]}",
         "the key 'element' stands there twice"},
        {"{\"elements\": [" BODY "], \"run\": {\"h\": 1, \"h\": 1}}", "the key 'h' stands there twice"},
        {"{\"elements\": [" BODY "]", "',' or '}' expected"},
        {"{\"polhode\": [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "nested too deeply"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        refuse_text("model.json", row[i].text, row[i].words);
    static char lengthy[5000]; /* longer than a buffer of Lua: plain, and with escapes */
    for (int k = 0; k < 2; k++) {
        size_t n = (size_t)sprintf(lengthy, "{\"");
        while (n < sizeof lengthy - 20)
            n += (size_t)sprintf(lengthy + n, k ? "\\t" : "x");
        sprintf(lengthy + n, "\": 1}");
        refuse_text("model.json", lengthy, "a frozen model has no '");
    }
    static const char ended[] = "{\"elements\": [" BODY "]}\0 ";
    ph_model *m;
    ph_error err;
    assert_int_equal(read_named(&m, "model.json", ended, sizeof ended - 1, NULL, 0, NULL, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "a character that is none"));
    const char *text = "{\"params\": {\"m\": 1}, \"elements\": [" BODY "]}";
    ph_setting set = {"m", 2};
    assert_int_equal(read_named(&m, "model.json", text, strlen(text), &set, 1, NULL, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "the parameters of a frozen model cannot be set"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_files),  cmocka_unit_test(no_files),    cmocka_unit_test(long_path),
        cmocka_unit_test(strange_files), cmocka_unit_test(broken_json), cmocka_unit_test(broken_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
