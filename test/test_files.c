/* Files beside a model: a model that was read goes on without them, whatever becomes of them. */
#include "model_file.h"

#include <pthread.h>

#include "base/files.h"
#include "fe/frame.h"
#include "fe/reduced_hdf5.h"
#include "polhode/polhode.h"

/* ---- a folder with all kinds of files ---------------------------------------------------------------- */

typedef struct folder {
    char dir[64], home[1024];
} folder;

static const char *const names[] = {"model.lua", "data.csv", "other.csv", "M.mtx",     "K.mtx",
                                    "nodes.csv", "KG.mtx",   "Psi.mtx",   "body.json", "body.h5"};

static void write_text(const char *name, const char *text)
{
    FILE *f = fopen(name, "w");
    assert_true(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static void write_matrix(const char *name, const ph_csc *A)
{
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fprintf(f, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", A->rows, A->columns,
            A->p[A->columns]);
    for (int j = 0; j < A->columns; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++)
            fprintf(f, "%d %d %.17g\n", A->i[k] + 1, j + 1, A->x[k]);
    assert_int_equal(fclose(f), 0);
}

static void write_elements(int n)
{
    ph_fe fe;
    double points[6] = {0, 0, 0, 1, 0, 0};
    ph_fe_member m = {.to = 1, .n = n, .section = {2.1e7, 135, {175, 175}, 0.785, {1.30833333e-5, 0, 0}}};
    assert_int_equal(ph_fe_frame(&fe, NULL, 2, points, 1, &m, NULL), PH_OK);
    write_matrix("M.mtx", &fe.M), write_matrix("K.mtx", &fe.K), write_matrix("KG.mtx", &fe.M);
    FILE *f = fopen("nodes.csv", "w");
    assert_non_null(f);
    fprintf(f, "id,x,y,z\n");
    for (int i = 0; i < fe.n_nodes; i++)
        fprintf(f, "%d,%.17g,%.17g,%.17g\n", fe.id[i], fe.X[3 * i], fe.X[3 * i + 1], fe.X[3 * i + 2]);
    fclose(f);
    f = fopen("Psi.mtx", "w");
    assert_non_null(f);
    fprintf(f, "%%%%MatrixMarket matrix array real general\n%d 1\n", fe.M.rows);
    for (int i = 0; i < fe.M.rows; i++) /* w = x^2, and its slope */
        fprintf(f, "%.17g\n", i % 6 == 2 ? pow(fe.X[i / 6 * 3], 2) : i % 6 == 4 ? -2 * fe.X[i / 6 * 3] : 0);
    fclose(f);
    ph_fe_free(&fe);
}

/* Files of another body, once this one is read. */
static void write_reduced(double EI)
{
    char text[512];
    snprintf(text, sizeof text,
             "flexible{ name = 'rod', interfaces = {tip = 4}, modes = {n = 2}, beam = {from = {0, 0, 0}, to "
             "= {1, 0, 0}, n = 4, section = {EA = 2.1e7, GJ = 135, EI = %g}, mass = {rhoA = 0.785, rhoJ = "
             "1.3e-5}} }",
             EI);
    ph_model *m = read_text(text);
    FILE *f = fopen("body.json", "w");
    ph_reduced_put(m->flexible[0].body, f);
    fclose(f);
    if (!ph_reduced_missing_hdf5()) {
        f = fopen("body.h5", "wb");
        assert_int_equal(ph_reduced_write_hdf5(m->flexible[0].body, f, NULL), PH_OK);
        fclose(f);
    }
    ph_model_free(m);
}

/* The current folder from now on, so that paths are relative. */
static folder folder_enter(void)
{
    folder d = {.dir = "/tmp/polhode_test_XXXXXX"};
    assert_non_null(getcwd(d.home, sizeof d.home));
    assert_non_null(mkdtemp(d.dir));
    assert_int_equal(chdir(d.dir), 0);
    write_text("data.csv", "t [s],w.1,w.2,w.3\n0,0.1,0,0\n0.03,0.2,0.1,0\n0.2,0.4,0,0.3\n");
    write_text("other.csv", "t [s],w.1,w.2,w.3\n0,0,0,0\n1,1,1,1\n");
    write_elements(6);
    write_reduced(175);
    return d;
}

/* All of it goes, and the current folder is another one. */
static void folder_leave(const folder *d)
{
    assert_int_equal(chdir(d->dir), 0);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        unlink(names[k]);
    assert_int_equal(chdir(d->home), 0);
    assert_int_equal(rmdir(d->dir), 0);
}

/* Two parameters; a function, so that each run evaluates the text for itself. */
#define REST                                                                                                 \
    "body{ name = 'b', mass = m, inertia = {0.1, 0.2, 0.3}, position = {0.5, 0, 0} }\n"                      \
    "joint{ name = 'j', type = 'revolute', bodies = {'ground', 'b'}, at = {0, 0, 0}, axis = {0, 1, 0} }\n"   \
    "force{ name = 'f', body = 'b', value = function(t, s) return {t, 0, k} end }\n"                         \
    "sensor{ name = 'w', type = 'omega', body = 'b' }\n"                                                     \
    "run{ t_end = 0.2, h = 0.01 }\n"
#define HEAD "local m, k = param('m', 1), param('k', 0.5)\ngravity{0, 0, -9.81}\n"
#define ROD  "flexible{ name = 'rod', position = {0, 1, 0}, omega = {0, 0, k}, "

static const char *const texts[] = {
    HEAD REST "objective{ name = 'fit', data = 'data.csv', sensor = 'w' }\n",
    HEAD REST ROD "interfaces = {tip = 6}, frame_node = 0, modes = {n = 3}, damping = {ratio = 0.01*m}, "
                  "mass = './M.mtx', stiffness = 'K.mtx', nodes = 'nodes.csv', dofs = 6, "
                  "geometric_stiffness = {ax = 'KG.mtx'} }\n",
    HEAD REST ROD "interfaces = {tip = 6}, frame_node = 0, modes = 'Psi.mtx', "
                  "mass = 'M.mtx', stiffness = 'K.mtx', nodes = 'nodes.csv', dofs = 6 }\n",
    HEAD REST ROD "file = 'body.json' }\n", HEAD REST ROD "file = 'body.h5' }\n"};

static int n_texts(void)
{
    return (int)(sizeof texts / sizeof *texts) - (ph_reduced_missing_hdf5() != NULL);
}

/* ---- runs -------------------------------------------------------------------------------------------- */

#define NUMBERS 40

/* What a run with other parameters comes to, and its derivatives; these are set first, then changed. */
static void look(ph_run *run, double *out)
{
    ph_error err = {0};
    int p[] = {ph_run_find(run, PH_PARAMETERS, "m"), ph_run_find(run, PH_PARAMETERS, "k")};
    memset(out, 0, NUMBERS * sizeof *out);
    if (ph_run_until(run, 0.1, &err) != PH_OK)
        fail_msg("%s", err.text);
    for (int b = 0; b < 2 && b < ph_run_count(run, PH_BODIES); b++, out += 6)
        ph_run_get(run, PH_GET_VELOCITY, b, out), ph_run_get(run, PH_GET_POSITION, b, out + 3);
    if (ph_run_count(run, PH_OBJECTIVES))
        ph_run_get(run, PH_GET_OBJECTIVE, 0, out++);
    if (ph_run_set_parameters(run, (ph_setting[]){{"m", 2}, {"k", 0.7}}, 2, &err) != PH_OK ||
        ph_run_follow(run, p, 2, &err) != PH_OK || ph_run_until(run, 0.1, &err) != PH_OK)
        fail_msg("%s", err.text);
    for (int b = 0; b < 2 && b < ph_run_count(run, PH_BODIES); b++, out += 9) {
        ph_run_get(run, PH_GET_POSITION, b, out);
        assert_int_equal(ph_run_get_derivative(run, PH_GET_POSITION, b, 0, out + 3), PH_OK);
        assert_int_equal(ph_run_get_derivative(run, PH_GET_POSITION, b, 1, out + 6), PH_OK);
    }
}

static ph_model *read_by(const char *path, const char *text, const ph_allocator *alloc)
{
    ph_model *m;
    ph_error err = {0};
    write_text("model.lua", text);
    if (ph_model_read(&m, path, NULL, 0, alloc, &err) != PH_OK)
        fail_msg("%s", err.text);
    return m;
}

static ph_model *read_here(const char *text, const ph_allocator *alloc)
{
    return read_by("model.lua", text, alloc);
}

static ph_run *run_of(const ph_model *model, const ph_run_config *c)
{
    ph_run *run;
    ph_error err = {0};
    ph_status s = model ? ph_run_create(&run, model, c, &err) : ph_run_open(&run, "model.lua", c, &err);
    if (s != PH_OK)
        fail_msg("%s", err.text);
    return run;
}

static ph_run_config heavier(void)
{
    static const ph_setting set = {"m", 1.25};
    ph_run_config c = ph_run_defaults();
    c.parameters = &set, c.n_parameters = 1;
    return c;
}

/* Other bytes in all files, of which some still make sense. */
static void spoil(void)
{
    write_text("data.csv", "t,w.1,w.2,w.3\n0,5,5,5\n0.2,7,7,7\n");
    write_text("M.mtx", "nothing"), write_text("nodes.csv", "id,x,y,z\n1,0,0,0\n");
    write_reduced(200);
}

enum { GONE, GONE_BY_FULL_PATH, OTHERS };

/* exact: with the files there, and after they are gone or others */
static void goes_on_without_files(void **state)
{
    (void)state;
    for (int how = GONE; how <= OTHERS; how++)
        for (int k = 0; k < n_texts(); k++) {
            folder d = folder_enter();
            char path[128];
            snprintf(path, sizeof path, "%s/model.lua", d.dir);
            ph_model *model = read_by(how == GONE_BY_FULL_PATH ? path : "model.lua", texts[k], NULL);
            ph_run_config c = heavier();
            double with[NUMBERS], without[NUMBERS];
            ph_run *a = run_of(NULL, &c);
            look(a, with);
            ph_run_close(a);
            if (how == OTHERS)
                spoil();
            else
                folder_leave(&d);
            ph_run *b = run_of(model, &c), *unchanged = run_of(model, NULL);
            ph_model_free(model);
            look(b, without);
            if (memcmp(with, without, sizeof with) != 0)
                fail_msg("model %d, files %s: other bits", k, how == OTHERS ? "changed" : "gone");
            assert_int_equal(ph_run_until(unchanged, 0.2, NULL), PH_OK);
            ph_run_close(b), ph_run_close(unchanged);
            if (how == OTHERS)
                folder_leave(&d);
        }
}

/* The adjoint needs neighbours too. */
static void gradient_without_files(void **state)
{
    (void)state;
    folder d = folder_enter();
    ph_model *model = read_here(texts[0], NULL);
    double J[2], g[2][2];
    ph_error err = {0};
    for (int k = 0; k < 2; k++) {
        ph_run *run = run_of(model, NULL);
        if (ph_run_gradient(run, 0, (int[]){0, 1}, 2, 0, &J[k], g[k], &err) != PH_OK)
            fail_msg("%s", err.text);
        ph_run_close(run);
        if (k == 0)
            folder_leave(&d);
    }
    assert_true(J[0] > 0 && g[0][0] != 0);
    assert_memory_equal(&J[0], &J[1], sizeof *J);
    assert_memory_equal(g[0], g[1], sizeof *g);
    ph_model_free(model);
}

/* A file that other parameters name was never read. */
static void files_not_read(void **state)
{
    (void)state;
    folder d = folder_enter();
    ph_model *model = read_here(
        HEAD REST "objective{ name = 'fit', data = m > 1.1 and 'other.csv' or 'data.csv', sensor = 'w' }\n",
        NULL);
    ph_run *run = run_of(model, NULL), *none;
    ph_error err = {0};
    ph_run_config c = heavier();
    assert_int_equal(ph_run_create(&none, model, &c, &err), PH_E_INPUT);
    if (!strstr(err.text, "model.lua:8: objective 'fit': data: cannot read 'other.csv': the model was read "
                          "without it"))
        fail_msg("%s", err.text);
    assert_int_equal(ph_run_set_parameters(run, c.parameters, 1, &err), PH_E_INPUT);
    assert_int_equal(ph_run_set_parameters(run, &(ph_setting){"m", 1.05}, 1, &err), PH_OK);
    ph_run_close(run);
    ph_model_free(model);
    folder_leave(&d);
}

/* ---- states ------------------------------------------------------------------------------------------ */

/* A state goes back to the model of the same files alone, however that was read. */
static void states_know_the_files(void **state)
{
    (void)state;
    for (int k = 0; k < n_texts(); k++) {
        folder d = folder_enter();
        ph_model *model = read_here(texts[k], NULL);
        ph_run_config c = heavier();
        ph_run *a = run_of(NULL, &c), *b = run_of(model, &c);
        size_t size = ph_run_save_size(a);
        void *bytes = malloc(size);
        ph_error err = {0};
        assert_int_equal(ph_run_step(a, NULL), PH_OK);
        assert_int_equal(ph_run_save(a, bytes, size), PH_OK);
        if (ph_run_restore(b, bytes, size, &err) != PH_OK)
            fail_msg("model %d: %s", k, err.text);
        write_text("data.csv", "t [s],w.1,w.2,w.3\n0,0.1,0,0\n0.03,0.2,0.1,0\n0.2,0.4,0,0.4\n");
        FILE *f = fopen("K.mtx", "a");
        assert_true(f && fputs("% another\n", f) >= 0 && fclose(f) == 0);
        write_reduced(176);
        ph_run *other = run_of(NULL, &c);
        assert_int_equal(ph_run_restore(other, bytes, size, &err), PH_E_INPUT);
        assert_non_null(strstr(err.text, "another model"));
        free(bytes);
        ph_run_close(a), ph_run_close(b), ph_run_close(other);
        ph_model_free(model);
        folder_leave(&d);
    }
}

/* ---- threads ----------------------------------------------------------------------------------------- */

typedef struct thread {
    const ph_model *model;
    ph_status status;
    double end[3];
} thread;

static void *simulate(void *ctx)
{
    thread *t = ctx;
    ph_run *run;
    ph_run_config c = heavier();
    t->status = ph_run_create(&run, t->model, &c, NULL);
    if (t->status == PH_OK)
        t->status = ph_run_set_parameters(run, &(ph_setting){"k", 0.6}, 1, NULL);
    if (t->status == PH_OK)
        t->status = ph_run_until(run, 0.1, NULL);
    if (t->status == PH_OK)
        t->status = ph_run_get(run, PH_GET_POSITION, 0, t->end);
    ph_run_close(run);
    return NULL;
}

static void threads(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    for (int k = 0; k < n_texts(); k++) {
        folder d = folder_enter();
        ph_model *model = read_here(texts[k], NULL);
        pthread_t id[THREADS];
        thread t[THREADS], alone = {.model = model};
        folder_leave(&d);
        for (int i = 0; i < THREADS; i++) {
            t[i] = (thread){.model = model};
            assert_int_equal(pthread_create(&id[i], NULL, simulate, &t[i]), 0);
        }
        simulate(&alone);
        for (int i = 0; i < THREADS; i++) {
            pthread_join(id[i], NULL);
            assert_int_equal(t[i].status, PH_OK);
            assert_memory_equal(t[i].end, alone.end, sizeof alone.end); /* exact */
        }
        ph_model_free(model);
    }
}

/* ---- memory ------------------------------------------------------------------------------------------ */

static void *weigh(size_t size, void *ctx)
{
    size_t *p = malloc(size + 2 * sizeof *p);
    if (p)
        p[0] = size, *(size_t *)ctx += size;
    return p ? p + 2 : NULL;
}

static void unweigh(void *p, void *ctx)
{
    size_t *q = p;
    if (q)
        *(size_t *)ctx -= q[-2], free(q - 2);
}

static size_t size_of_file(const char *name)
{
    ph_files files = {0};
    const char *bytes;
    size_t size;
    assert_int_equal(ph_files_bytes(&files, name, 0, &bytes, &size, NULL), PH_OK);
    ph_files_drop(&files);
    return size;
}

/* Each file once, however many models there are; not at all where no other parameters can come. */
static void bytes_are_kept_once(void **state)
{
    (void)state;
    size_t live = 0, live_again = 0;
    ph_allocator alloc = {weigh, unweigh, &live}, alloc_again = {weigh, unweigh, &live_again};
    folder d = folder_enter();
    write_elements(400);
    size_t files = size_of_file("M.mtx") + size_of_file("K.mtx") + size_of_file("nodes.csv");
    ph_model *again,
        *model =
            read_here("local k = param('k', 1)\n" ROD "frame_node = 0, interfaces = {tip = 400}, modes = "
                      "{n = 1}, mass = 'M.mtx', stiffness = 'K.mtx', nodes = 'nodes.csv', dofs = 6 }\n"
                      "flexible{ name = 'twin', position = {0, 2, 0}, frame_node = 0, interfaces = {tip "
                      "= 400}, modes = {n = 1}, mass = 'M.mtx', stiffness = 'K.mtx', nodes = "
                      "'nodes.csv', dofs = 6 }\n",
                      &alloc);
    size_t small = 100000; /* bytes of all else: one piece of names, two reduced bodies */
    assert_true(files > 5 * small && live > files && live < files + small);
    assert_int_equal(ph_model_again(&again, model, &(ph_setting){"k", 2}, 1, &alloc_again, NULL), PH_OK);
    assert_true(live > files && live_again < small);
    ph_model_free(model);
    assert_true(live > files && live < files + small);
    ph_model_free(again);
    assert_true(live == 0 && live_again == 0);
    model = read_here("flexible{ name = 'rod', frame_node = 0, interfaces = {tip = 400}, modes = {n = 1}, "
                      "mass = 'M.mtx', stiffness = 'K.mtx', nodes = 'nodes.csv', dofs = 6 }\n",
                      &alloc);
    ph_error err = {0};
    assert_true(live < small);
    assert_int_equal(ph_model_again(&again, model, &(ph_setting){"k", 2}, 1, NULL, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "the model has no parameters, and so no 'k'"));
    ph_model_free(model);
    folder_leave(&d);
}

/* Every allocation of reading fails, with all that follow. */
static void memory_ends(void **state)
{
    (void)state;
    folder d = folder_enter();
    for (int k = 0; k < n_texts(); k++) {
        counter c = {0};
        ph_allocator alloc = {counter_alloc, counter_free, &c};
        ph_model_free(read_here(texts[k], &alloc));
        assert_int_equal(c.live, 0);
        long calls = c.calls;
        for (long n = 1; n <= calls; n += 1 + n / 40) {
            ph_model *m;
            ph_error err = {0};
            c = (counter){.fail_at = n, .for_good = 1};
            ph_status s = ph_model_read(&m, "model.lua", NULL, 0, &alloc, &err);
            if (s != PH_E_MEMORY)
                fail_msg("model %d, allocation %ld: %s", k, n, err.text);
            assert_int_equal(c.live, 0);
        }
    }
    folder_leave(&d);
}

/* ---- by themselves ----------------------------------------------------------------------------------- */

static void check_lines(ph_files *files, const char *path, const char *const *lines, int n)
{
    char *line = NULL;
    size_t room = 0;
    ph_source s;
    assert_int_equal(ph_source_open(&s, files, path, 0, NULL), PH_OK);
    for (int k = 0; k < n; k++) {
        assert_int_equal(ph_source_line(&s, &line, &room, 100), strlen(lines[k]));
        assert_string_equal(line, lines[k]);
    }
    assert_int_equal(ph_source_line(&s, &line, &room, 100), 0);
    ph_source_close(&s);
    free(line);
}

/* The second reading has the bytes of the first; a line that is too long stays so; a file that was left is not kept. */
static void lines(void **state)
{
    (void)state;
    static const char *const first[] = {"one\n", "\n", "two and no end"}, *const second[] = {"other\n"};
    folder d = folder_enter();
    ph_files files = {.key = 7};
    char *line = NULL;
    size_t room = 0;
    ph_source s;
    ph_error err = {0};
    write_text("data.csv", "one\n\ntwo and no end");
    assert_int_equal(ph_source_open(&s, &files, "data.csv", 0, NULL), PH_OK);
    assert_int_equal(ph_source_line(&s, &line, &room, 100), 4);
    ph_source_close(&s);
    assert_int_equal(files.key, 7);
    check_lines(&files, "data.csv", first, 3);
    uint64_t key = files.key;
    write_text("data.csv", "other\n");
    check_lines(&files, "data.csv", first, 3);
    check_lines(NULL, "data.csv", second, 1);
    ph_files again = ph_files_again(&files);
    again.key = 7;
    ph_files_drop(&files);
    check_lines(&again, "data.csv", first, 3);
    assert_true(again.key == key && key != 7);
    assert_int_equal(ph_source_open(&s, &again, "data.csv", 18, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "the file is too large"));
    assert_int_equal(ph_source_open(&s, &again, "K.mtx", 0, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "the model was read without it"));
    assert_int_equal(ph_source_open(&s, &again, "data.csv", 19, &err), PH_OK);
    assert_int_equal(ph_source_line(&s, &line, &room, 3), -1);
    assert_int_equal(ph_source_line(&s, &line, &room, 4), 4);
    ph_source_close(&s);
    ph_files_drop(&again);
    free(line);
    folder_leave(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines),
        cmocka_unit_test(goes_on_without_files),
        cmocka_unit_test(gradient_without_files),
        cmocka_unit_test(files_not_read),
        cmocka_unit_test(states_know_the_files),
        cmocka_unit_test(threads),
        cmocka_unit_test(bytes_are_kept_once),
        cmocka_unit_test(memory_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
