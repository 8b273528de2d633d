/* Threads at once: reading models with flexible bodies, running models, and functions, which serve one. */
#include "model_file.h"

#include <pthread.h>

#include "fe/reduced_hdf5.h"
#include "polhode/polhode.h"

enum { THREADS = 4 };

/* Starts them together, as far as that is possible. */
static void in_threads(void *(*work)(void *), void **arguments)
{
    pthread_t thread[THREADS];
    for (int k = 0; k < THREADS; k++)
        assert_int_equal(pthread_create(&thread[k], NULL, work, arguments[k]), 0);
    for (int k = 0; k < THREADS; k++)
        assert_int_equal(pthread_join(thread[k], NULL), 0);
}

/* ---- reading --------------------------------------------------------------------------------------- */

typedef struct reading {
    const char *path;
    ph_model *model[3];
    ph_error err;
} reading;

/* A body that needs the iteration for its modes, another that does not, and numbers in a file. */
static const char flexible[] =
    "local s, m = {EA = 2.1e7, GJ = 135, EI = 175}, {rhoA = 0.785, rhoJ = 1.3e-5}\n"
    "flexible{ name = 'long', modes = {n = 20}, beam = {from = {0, 0, 0}, to = {1, 0.2, 0}, n = 120, section "
    "= s, "
    "mass = m} }\n"
    "flexible{ name = 'short', modes = {n = 4}, beam = {from = {0, 1, 0}, to = {1, 1, 0}, n = 5, section = "
    "s, "
    "mass = m} }\n";

static void *read_three_times(void *ctx)
{
    reading *r = ctx;
    for (int k = 0; k < 3; k++)
        if (ph_model_read(&r->model[k], r->path, NULL, 0, NULL, &r->err) != PH_OK)
            r->model[k] = NULL;
    return NULL;
}

/* Whatever threads do, all read the same bits as one alone. */
static void threads_read_flexible_bodies(void **state)
{
    (void)state;
    scratch s = scratch_create("model.lua");
    char file[160], text[sizeof flexible + 80] = {0};
    ph_model *alone;
    reading all[THREADS];
    void *arguments[THREADS];
    scratch_write(&s, flexible, strlen(flexible));
    assert_int_equal(ph_model_read(&alone, s.path, NULL, 0, NULL, NULL), PH_OK);
    snprintf(file, sizeof file, "%s/body.%s", s.dir, !ph_reduced_missing_hdf5() ? "h5" : "json");
    FILE *f = fopen(file, "wb");
    assert_non_null(f);
    if (!ph_reduced_missing_hdf5())
        assert_int_equal(ph_reduced_write_hdf5(alone->flexible[1].body, f, NULL), PH_OK);
    else
        ph_reduced_put(alone->flexible[1].body, f);
    assert_int_equal(fclose(f), 0);
    snprintf(text, sizeof text, "%sflexible{ name = 'file', file = 'body.%s' }\n", flexible,
             !ph_reduced_missing_hdf5() ? "h5" : "json");
    scratch_write(&s, text, strlen(text));
    for (int k = 0; k < THREADS; k++)
        all[k] = (reading){.path = s.path}, arguments[k] = &all[k];
    in_threads(read_three_times, arguments);
    for (int i = 0; i < 3 * THREADS; i++) {
        ph_model *m = all[i / 3].model[i % 3];
        if (!m)
            fail_msg("%s", all[i / 3].err.text);
        for (int b = 0; b < 3; b++) {
            const ph_reduced *want = alone->flexible[b < 2 ? b : 1].body, *got = m->flexible[b].body;
            size_t size = 6 + 4 * (size_t)want->modes;
            assert_int_equal(got->modes, want->modes);
            assert_memory_equal(got->calM, want->calM, sizeof(double) * size * size); /* exact */
            assert_memory_equal(got->Kf, want->Kf, sizeof(double) * (size_t)(want->modes * want->modes));
        }
        ph_model_free(m);
    }
    ph_model_free(alone);
    unlink(file);
    scratch_remove(&s);
}

/* ---- running --------------------------------------------------------------------------------------- */

typedef struct running {
    const ph_model *model;
    const ph_mechanism *mech;
    const double *q, *v;
    ph_run_def run;
    ph_status status;
    double end[64];
} running;

static void *run_it(void *ctx)
{
    running *r = ctx;
    ph_sim *sim = NULL;
    r->status = ph_sim_create(&sim, ph_mechanism_system(r->mech), &r->run.opt, 0, r->q, r->v, NULL);
    if (r->status == PH_OK)
        r->status = ph_sim_run(sim, lround(r->run.t_end / r->run.opt.h), NULL, NULL, NULL);
    if (r->status == PH_OK)
        memcpy(r->end, ph_sim_state(sim).q, sizeof(double) * 7);
    ph_sim_destroy(sim);
    return NULL;
}

static void run_together(const char *text, running *all)
{
    ph_model *m = read_text(text);
    ph_mechanism *mech;
    void *arguments[THREADS];
    running first = {.run = ph_model_run_def(m)};
    assert_int_equal(ph_mechanism_create(&mech, m, first.run.space, NULL, NULL), PH_OK);
    assert_int_equal(ph_mechanism_initial(mech, 0, &first.q, &first.v, NULL), PH_OK);
    assert_int_equal(ph_mechanism_rank(mech, NULL), PH_OK);
    first.mech = mech;
    for (int k = 0; k < THREADS; k++)
        all[k] = first, arguments[k] = &all[k];
    in_threads(run_it, arguments);
    ph_mechanism_destroy(mech);
    ph_model_free(m);
}

#define PENDULUM                                                                                             \
    "gravity{0, 0, -9.81}\n"                                                                                 \
    "body{ name = 'bob', mass = 1, inertia = {1, 2, 3}, position = {1, 0, 0} }\n"                            \
    "joint{ name = 'pin', type = 'spherical', bodies = {'ground', 'bob'}, at = {0, 0, 0} }\n"                \
    "run{ t_end = 0.5, h = 1e-3 }\n"

/* Simulations that share a mechanism without functions. */
static void threads_share_a_mechanism(void **state)
{
    (void)state;
    running all[THREADS];
    run_together(PENDULUM, all);
    for (int k = 0; k < THREADS; k++) {
        assert_int_equal(all[k].status, PH_OK);
        assert_memory_equal(all[k].end, all[0].end, sizeof(double) * 7); /* exact */
    }
}

static void *run_own(void *ctx)
{
    running *r = ctx;
    ph_mechanism *mech = NULL;
    r->status = ph_mechanism_create(&mech, r->model, r->run.space, NULL, NULL);
    if (r->status == PH_OK)
        r->status = ph_mechanism_initial(mech, 0, &r->q, &r->v, NULL);
    r->mech = mech;
    if (r->status == PH_OK)
        run_it(r);
    ph_mechanism_destroy(mech);
    return NULL;
}

/* Mechanisms of their own do not help where the model has functions: two threads in them at once are refused,
 * and nothing breaks. Alone the model goes on as before. */
static void functions_serve_one_thread(void **state)
{
    (void)state;
    ph_model *m = read_text("force{ name = 'push', body = 'bob', value = function(t, s)\n"
                            "    local x = {}\n"
                            "    for i = 1, 20 do x[i] = {math.sin(t + i), s.bob.velocity.x} end\n"
                            "    return x[1][1], x[2][2], x[20][1] end }\n" PENDULUM);
    running all[THREADS], before = {.model = m, .run = ph_model_run_def(m)}, after = before;
    void *arguments[THREADS];
    run_own(&before);
    assert_int_equal(before.status, PH_OK);
    for (int k = 0; k < THREADS; k++)
        all[k] = after, arguments[k] = &all[k];
    in_threads(run_own, arguments);
    for (int k = 0; k < THREADS; k++) {
        assert_true(all[k].status == PH_OK || all[k].status == PH_E_CALLBACK);
        if (all[k].status == PH_OK)
            assert_memory_equal(all[k].end, before.end, sizeof(double) * 7); /* exact */
        else
            assert_non_null(strstr(ph_model_complaint(m), "read the model once for each thread"));
    }
    run_own(&after);
    assert_int_equal(after.status, PH_OK);
    assert_memory_equal(after.end, before.end, sizeof(double) * 7);
    ph_model_free(m);
}

/* ---- the whole road --------------------------------------------------------------------------------- */

typedef struct traveller {
    const ph_model *model; /* shared; NULL: it reads the file itself */
    const char *path;
    ph_status status;
    ph_error err;
    double end[8], slope[3];
    int freedom;
} traveller;

/* A run with derivatives by its first parameter, a state kept and restored, the sizes of its linear form. */
static ph_status travel(traveller *w, ph_run *run)
{
    int p = 0;
    int differs = ph_run_count(run, PH_PARAMETERS) &&
                  !ph_run_count(run, PH_FLEXIBLE); /* that of the flexible one is a number of modes */
    ph_error *err = &w->err;
    ph_status s = PH_OK;
    if (differs)
        s = ph_run_follow(run, &p, 1, err);
    for (int k = 0; k < 5 && s == PH_OK; k++)
        s = ph_run_step(run, err);
    if (s == PH_OK && differs)
        s = ph_run_get_derivative(run, PH_GET_POSITION, 0, 0, w->slope);
    if (s == PH_OK)
        s = ph_run_follow(run, NULL, 0, err);
    size_t size = ph_run_save_size(run);
    void *kept = malloc(size);
    if (s == PH_OK)
        s = kept ? ph_run_save(run, kept, size) : PH_E_MEMORY;
    for (int again = 0; again < 2 && s == PH_OK; again++) {
        for (int k = 0; k < 3 && s == PH_OK; k++)
            s = ph_run_step(run, err);
        if (s == PH_OK)
            s = ph_run_get(run, PH_GET_POSITION, 0, w->end + 4 * again);
        if (s == PH_OK && !again)
            s = ph_run_restore(run, kept, size, err);
    }
    free(kept);
    int n_u, n_y;
    if (s == PH_OK)
        s = ph_run_linear_sizes(run, &w->freedom, &n_u, &n_y, err);
    return s;
}

static void *go_all_the_way(void *ctx)
{
    traveller *w = ctx;
    ph_run *run = NULL;
    w->status =
        w->model ? ph_run_create(&run, w->model, NULL, &w->err) : ph_run_open(&run, w->path, NULL, &w->err);
    if (w->status == PH_OK)
        w->status = travel(w, run);
    ph_run_close(run);
    return NULL;
}

/* Functions that are traced, one that is not (each run then has a Lua state of its own), curves, states, flexible bodies, loops. */
static const char *const roads[] = {"heavy_top", "driven_crank", "absorber", "flexible_pendulum_modal",
                                    "four_bar"};

static void check_alike(const traveller *a, const traveller *b)
{
    if (a->status != PH_OK)
        fail_msg("%s", a->err.text);
    assert_memory_equal(a->end, b->end, sizeof a->end); /* exact */
    assert_memory_equal(a->end, a->end + 4, 3 * sizeof *a->end);
    assert_memory_equal(a->slope, b->slope, sizeof a->slope);
    assert_int_equal(a->freedom, b->freedom);
}

static void threads_go_all_the_way(void **state)
{
    (void)state;
    enum { ROADS = sizeof roads / sizeof *roads };
    char path[ROADS][256];
    traveller alone[ROADS], all[THREADS];
    void *arguments[THREADS];
    for (int k = 0; k < ROADS; k++) {
        snprintf(path[k], sizeof path[k], "%s/../models/%s.lua", PH_TEST_DIR, roads[k]);
        alone[k] = (traveller){.path = path[k]};
        go_all_the_way(&alone[k]);
        check_alike(&alone[k], &alone[k]);
    }
    for (int k = 0; k < ROADS; k++) { /* one model for all */
        ph_model *m;
        assert_int_equal(ph_model_read(&m, path[k], NULL, 0, NULL, NULL), PH_OK);
        for (int i = 0; i < THREADS; i++)
            all[i] = (traveller){.model = m}, arguments[i] = &all[i];
        in_threads(go_all_the_way, arguments);
        for (int i = 0; i < THREADS; i++)
            check_alike(&all[i], &alone[k]);
        ph_model_free(m);
    }
    for (int k = 0; k < ROADS; k++) { /* each its own, of others */
        for (int i = 0; i < THREADS; i++)
            all[i] = (traveller){.path = path[(k + i) % ROADS]}, arguments[i] = &all[i];
        in_threads(go_all_the_way, arguments);
        for (int i = 0; i < THREADS; i++)
            check_alike(&all[i], &alone[(k + i) % ROADS]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_read_flexible_bodies),
        cmocka_unit_test(threads_share_a_mechanism),
        cmocka_unit_test(functions_serve_one_thread),
        cmocka_unit_test(threads_go_all_the_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
