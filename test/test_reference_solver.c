/* The reference solver against exact solutions and published digits; its files. */
#define _XOPEN_SOURCE 700 /* setenv */

#include "mech/mech.h"
#include "model_file.h"

#include <dirent.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "study/reference.h"

static ph_reference *solve(ph_problem *p, double t_end, long points)
{
    int (*exact)(const ph_problem *, double, double *, double *, double *, double *) = p->exact;
    ph_reference *r;
    ph_error err = {0};
    p->exact = NULL; /* so that the solver is asked */
    if (ph_reference_create(&r, p, t_end, points, &err) != PH_OK)
        fail_msg("%s: %s", p->name, err.text);
    p->exact = exact;
    return r;
}

/* Problems whose solution is known: |log(q^-1 q_exact)|, v and lambda, relative to size or 1. */
static void known_solutions(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double t_end;
    } row[] = {{"heavy_top", 1},     {"heavy_top_r3xso3", 1}, {"heavy_top_se3", 1},
               {"heavy_top_so3", 1}, {"pendulum", 2},         {"rotor", 0.02},
               {"free_body", 2},     {"spring_ball", 2},      {"rheonomic", 1},
               {"skate", 1}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        ph_problem *p = ph_problem_create(row[k].name, NULL);
        assert_non_null(p);
        if (!p->exact) {
            ph_problem_destroy(p);
            continue;
        }
        ph_reference *r = solve(p, row[k].t_end, 2);
        int nq = ph_system_nq(&p->sys), nv = ph_system_nv(&p->sys), nl = ph_system_nl(&p->sys);
        double *q = calloc((size_t)(nq + 2 * nv + nl + 1), sizeof *q), *v = q + nq, *vdot = v + nv;
        for (long i = 0; i <= 2; i++) {
            ph_state s = ph_reference_state(r, i);
            assert_true(p->exact(p, s.t, q, v, vdot, nl ? vdot + nv : NULL));
            for (int n = 0; n < p->sys.n_nodes; n++) {
                const ph_group_ops *op = ph_group_get(p->sys.nodes[n].group);
                int dim = ph_group_dim(p->sys.nodes[n].group, p->sys.nodes[n].n);
                double inverse[16], x[16];
                op->inverse(dim, s.q + s.q_at[n], inverse);
                op->compose(dim, inverse, q + s.q_at[n], inverse);
                op->log(dim, inverse, x);
                check_le(norm2(x, dim), 1e-10); /* reference */
            }
            check_le(max_diff(s.v, v, nv) / fmax(1, norm2(v, nv)), 1e-10);                     /* reference */
            check_le(max_diff(s.lambda, vdot + nv, nl) / fmax(1, norm2(vdot + nv, nl)), 1e-8); /* reference */
        }
        free(q);
        ph_reference_destroy(r);
        ph_problem_destroy(p);
    }
}

/* ---- model files -------------------------------------------------------------------------------------- */

typedef struct fixture {
    ph_model *model;
    ph_mechanism *mech;
    ph_problem p;
} fixture;

static void open_fixture(fixture *r, const char *file)
{
    char path[256];
    ph_error err = {0};
    snprintf(path, sizeof path, PH_TEST_DIR "/../models/%s", file);
    *r = (fixture){.p.name = file};
    if (ph_model_read(&r->model, path, NULL, 0, NULL, &err) != PH_OK ||
        ph_mechanism_create(&r->mech, r->model, PH_SPACE_R3XSO3, NULL, &err) != PH_OK ||
        ph_mechanism_initial(r->mech, 0, &r->p.q0, &r->p.v0, &err) != PH_OK)
        fail_msg("%s", err.text);
    r->p.sys = *ph_mechanism_system(r->mech);
}

static void close_fixture(fixture *r)
{
    ph_mechanism_destroy(r->mech);
    ph_model_free(r->model);
}

/* Quadrature of the energy integral: s and s' of the spatial slider-crank. */
static void slider_crank(void **state)
{
    (void)state;
    static const double s[] = {0.211721661393443778, 0.289085197067141782};
    static const double sdot[] = {-0.50349186492501, 0.2165394234534353};
    fixture r;
    open_fixture(&r, "slider_crank.lua");
    ph_reference *ref = solve(&r.p, 2, 2);
    for (long k = 1; k <= 2; k++) {
        ph_state x = ph_reference_state(ref, k);
        ph_body_state slider;
        ph_mechanism_body(r.mech, &x, 2, &slider);
        check_near(slider.x.x, s[k - 1], 1e-11);    /* reference */
        check_near(slider.v.x, sdot[k - 1], 1e-10); /* reference */
    }
    ph_reference_destroy(ref);
    close_fixture(&r);
}

/* A wheel on a spring swings over more than half a turn to each side: theta = A sin(omega t), through which its angle is counted, with corners
 * in between too. What the mechanism counted before is as it was. */
static void angles_of_several_turns(void **state)
{
    (void)state;
    static const double corner[] = {0.37, 1.013};
    fixture r = {.model = read_text("body { name = 'w', mass = 1, inertia = {1, 1, 2}, omega = {0, 0, 15} }\n"
                                    "joint { name = 'j', type = 'revolute', bodies = {'ground', 'w'}, at = "
                                    "{0, 0, 0}, axis = {0, 0, 1} }\n"
                                    "actuator { name = 'a', joint = 'j', k = 2.5 }\n"),
                 .p.name = "wheel"};
    ph_error err = {0};
    double omega = sqrt(2.5 / 2), A = 15 / omega, before[8], after[8];
    if (ph_mechanism_create(&r.mech, r.model, PH_SPACE_R3XSO3, NULL, &err) != PH_OK ||
        ph_mechanism_initial(r.mech, 0, &r.p.q0, &r.p.v0, &err) != PH_OK)
        fail_msg("%s", err.text);
    r.p.sys = *ph_mechanism_system(r.mech);
    const ph_memory *m = r.p.sys.memory;
    assert_true(m && m->size <= sizeof before);
    for (int corners = 0; corners < 2; corners++) {
        r.p.corner = corner, r.p.n_corners = corners ? 2 : 0;
        m->keep(before, m->ctx);
        ph_reference *ref = solve(&r.p, 3, 6);
        m->keep(after, m->ctx);
        assert_memory_equal(after, before, m->size); /* exact */
        for (long k = 1; k <= 6; k++) {
            ph_state x = ph_reference_state(ref, k);
            ph_body_state w;
            ph_mechanism_body(r.mech, &x, 0, &w);
            check_near(w.omega.z, A * omega * cos(omega * x.t), 1e-11);          /* reference */
            check_near(ph_qmat(w.q).xx, cos(A * sin(omega * x.t)), 1e-11);       /* reference */
            check_near(x.vdot[5], -A * omega * omega * sin(omega * x.t), 1e-10); /* reference */
            ph_mechanism_track(r.mech, &x); /* for the next round to keep */
        }
        ph_reference_destroy(ref);
    }
    close_fixture(&r);
}

/* ---- files -------------------------------------------------------------------------------------------- */

static int count_files(const char *folder, char *last, size_t size)
{
    DIR *d = opendir(folder);
    int n = 0;
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.') {
            snprintf(last, size, "%s/%.200s", folder, e->d_name);
            n++;
        }
    closedir(d);
    return n;
}

/* Kept by key, t_end and points; a torn file is computed again. */
static void files(void **state)
{
    (void)state;
    char folder[] = "/tmp/reference-XXXXXX", file[512];
    assert_non_null(mkdtemp(folder));
    setenv("POLHODE_CACHE", folder, 1);
    ph_problem *p = ph_problem_create("spring_ball", NULL);
    int nv = ph_system_nv(&p->sys);
    ph_reference_destroy(solve(p, 0.5, 4));
    assert_int_equal(count_files(folder, file, sizeof file), 0); /* no key: nothing is kept */
    p->key = 7;
    ph_reference *a = solve(p, 0.5, 4);
    assert_int_equal(count_files(folder, file, sizeof file), 1);
    ph_reference *b = solve(p, 0.5, 4);
    ph_state x = ph_reference_state(a, 4), y = ph_reference_state(b, 4);
    assert_memory_equal(x.v, y.v, sizeof(double) * (size_t)nv);
    ph_reference_destroy(b);
    assert_int_equal(truncate(file, 100), 0);
    b = solve(p, 0.5, 4);
    y = ph_reference_state(b, 4);
    assert_memory_equal(x.v, y.v, sizeof(double) * (size_t)nv);
    ph_reference_destroy(b);
    FILE *f = fopen(file, "r+b"); /* one number changed */
    assert_non_null(f);
    fseek(f, -16, SEEK_END);
    fputc('x', f);
    fclose(f);
    b = solve(p, 0.5, 4);
    y = ph_reference_state(b, 4);
    assert_memory_equal(x.v, y.v, sizeof(double) * (size_t)nv);
    ph_reference_destroy(b);
    ph_reference_destroy(solve(p, 0.5, 5));
    p->key = 8;
    ph_reference_destroy(solve(p, 0.5, 4));
    assert_int_equal(count_files(folder, file, sizeof file), 3);
    while (count_files(folder, file, sizeof file))
        assert_int_equal(unlink(file), 0);
    assert_int_equal(rmdir(folder), 0);
    ph_reference_destroy(a);
    ph_problem_destroy(p);
}

/* What stands in the place of a file: a link is replaced and not followed, a pipe is not waited for. */
static void strange_files(void **state)
{
    (void)state;
    char folder[] = "/tmp/reference-XXXXXX", inner[64], other[64], file[512], text[512] = "";
    struct stat st;
    assert_non_null(mkdtemp(folder));
    snprintf(inner, sizeof inner, "%s/inner/cache/", folder);
    snprintf(other, sizeof other, "%s/other", folder);
    setenv("POLHODE_CACHE", inner, 1);
    ph_problem *p = ph_problem_create("spring_ball", NULL);
    p->key = 7;
    ph_reference_destroy(solve(p, 0.5, 4));
    assert_int_equal(count_files(inner, file, sizeof file), 1);
    assert_int_equal(stat(inner, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);

    FILE *f = fopen(other, "w");
    assert_non_null(f);
    fputs("precious", f);
    fclose(f);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(symlink(other, file), 0);
    ph_reference_destroy(solve(p, 0.5, 4));
    assert_int_equal(lstat(file, &st), 0);
    assert_true(S_ISREG(st.st_mode) && st.st_size > 100);
    assert_non_null(f = fopen(other, "r"));
    assert_non_null(fgets(text, sizeof text, f));
    fclose(f);
    assert_string_equal(text, "precious");

    assert_int_equal(unlink(file), 0);
    assert_int_equal(mkfifo(file, 0600), 0);
    ph_reference_destroy(solve(p, 0.5, 4));
    assert_int_equal(lstat(file, &st), 0);
    assert_true(S_ISREG(st.st_mode));

    assert_int_equal(unlink(file), 0); /* others may write to the folder; a link instead of it */
    assert_int_equal(chmod(inner, 0770), 0);
    ph_reference_destroy(solve(p, 0.5, 4));
    assert_int_equal(count_files(inner, file, sizeof file), 0);
    assert_int_equal(chmod(inner, 0700), 0);
    snprintf(file, sizeof file, "%s/link", folder);
    assert_int_equal(symlink(inner, file), 0);
    setenv("POLHODE_CACHE", file, 1);
    ph_reference_destroy(solve(p, 0.5, 4));
    assert_int_equal(count_files(inner, text, sizeof text), 0);
    assert_int_equal(unlink(file), 0);

    assert_int_equal(unlink(other), 0);
    assert_int_equal(rmdir(inner), 0);
    snprintf(inner, sizeof inner, "%s/inner", folder);
    assert_int_equal(rmdir(inner), 0);
    assert_int_equal(rmdir(folder), 0);
    ph_problem_destroy(p);
}

static ph_status refuse(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)out, (void)ctx;
    return PH_E_CALLBACK;
}

static void failures(void **state)
{
    (void)state;
    ph_problem *p = ph_problem_create("spring_ball", NULL);
    ph_reference *r;
    ph_error err = {0};
    p->exact = NULL;
    p->sys.g = refuse;
    assert_int_not_equal(ph_reference_create(&r, p, 1, 1, &err), PH_OK);
    assert_null(r);
    assert_non_null(strstr(err.text, "callback"));
    ph_problem_destroy(p);
}

int main(void)
{
    setenv("POLHODE_CACHE", "", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_solutions),         cmocka_unit_test(slider_crank),
        cmocka_unit_test(angles_of_several_turns), cmocka_unit_test(files),
        cmocka_unit_test(strange_files),           cmocka_unit_test(failures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
