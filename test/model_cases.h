/* A model file as a system with consistent initial values. */
#ifndef PH_TEST_MODEL_CASES_H
#define PH_TEST_MODEL_CASES_H

#include "check.h"

#include <unistd.h>

#include "polhode/model.h"
#include "polhode/sim.h"

typedef struct opened {
    ph_model *model;
    ph_mechanism *mech;
    ph_system sys;
    const double *q0, *v0;
} opened;

static inline void open_path(opened *o, const char *path, const ph_setting *set, ph_space_code space)
{
    ph_error err = {0};
    int dependent[256];
    *o = (opened){0};
    if (ph_model_read(&o->model, path, set, set != NULL, NULL, &err) != PH_OK ||
        ph_mechanism_create(&o->mech, o->model, space, NULL, &err) != PH_OK ||
        ph_mechanism_initial(o->mech, 0, &o->q0, &o->v0, &err) != PH_OK)
        fail_msg("%s: %s", path, err.text);
    o->sys = *ph_mechanism_system(o->mech);
    assert_true(o->sys.n_constraints <= 256);
    assert_int_equal(ph_system_rank(&o->sys, 0, o->q0, dependent, &err), PH_OK);
    for (int c = 0; c < o->sys.n_constraints; c++)
        o->sys.n_redundant += dependent[c];
}

/* models/NAME.lua */
static inline void open_model(opened *o, const char *name, const ph_setting *set, ph_space_code space)
{
    char path[512];
    snprintf(path, sizeof path, "%s/../models/%s.lua", PH_TEST_DIR, name);
    open_path(o, path, set, space);
}

/* A model that a test writes down. */
static inline void open_text_on(opened *o, const char *text, ph_space_code space)
{
    char dir[] = "/tmp/polhode_test_XXXXXX", path[64];
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/model.lua", dir);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    open_path(o, path, NULL, space);
    unlink(path);
    rmdir(dir);
}

static inline void open_text(opened *o, const char *text)
{
    open_text_on(o, text, PH_SPACE_R3XSO3);
}

static inline void open_close(opened *o)
{
    ph_mechanism_destroy(o->mech);
    ph_model_free(o->model);
}

/* A sensor of the model at the present state. */
static inline void sensor_of(opened *o, const ph_sim *sim, const char *name, double *out)
{
    ph_state s = ph_sim_state(sim);
    int k = ph_model_find(o->model, PH_SENSORS, name);
    if (k < 0)
        fail_msg("no sensor %s", name);
    assert_int_equal(ph_mechanism_sensor(o->mech, &s, k, out), PH_OK);
}

#endif
