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
        {"{\"elements\": [{\"name\": \"a\"}]}", "an element must say which"},
        {"{\"elements\": [{\"element\": \"boddy\"}]}", "there is no element 'boddy'; did you mean 'body'?"},
        {"{\"elements\": [{\"element\": \"run\"}]}", "there is no element 'run'"},
        {"{\"elements\": [\n" BODY ",\n" BODY "]}",
         "model.json:3: body 'a': the name is already taken, on line 2"},
        {"{\"elements\": [\n\n {\"element\": \"body\", \"name\": \"a\", \"mas\": 1}]}",
         "model.json:3: body 'a': no key 'mas' in a body; did you mean 'mass'?"},
        {"{\"elements\": [" BODY "], \"run\": {\"h\": -1}}", "run: h is -1"},
        {"{\"elements\": [" BODY "]} x", "something follows the end"},
        {"{\"elements\": [" BODY "]", "',' or '}' expected"},
        {"{\"polhode\": [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "nested too deeply"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        refuse_text("model.json", row[i].text, row[i].words);
    ph_model *m;
    ph_error err;
    const char *text = "{\"params\": {\"m\": 1}, \"elements\": [" BODY "]}";
    ph_setting set = {"m", 2};
    assert_int_equal(read_named(&m, "model.json", text, strlen(text), &set, 1, NULL, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "the parameters of a frozen model cannot be set"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_files),  cmocka_unit_test(no_files),    cmocka_unit_test(long_path),
        cmocka_unit_test(strange_files), cmocka_unit_test(broken_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
