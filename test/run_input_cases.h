/* What test_run_input.c, test_run_over.c share. */
#ifndef PH_TEST_RUN_INPUT_CASES_H
#define PH_TEST_RUN_INPUT_CASES_H

#include "model_file.h"
#include "mech/mech.h"
#include "polhode/polhode.h"
#include "run/private.h"

/* A flywheel of 2 kg m^2 about z, a motor with an input on it. */
#define WHEEL                                                                                                \
    "body { name = 'wheel', mass = 1, inertia = {1, 1, 2} }\n"                                               \
    "joint { name = 'axle', type = 'revolute', bodies = {'ground', 'wheel'}, at = {0, 0, 0}, axis = {0, 0, " \
    "1} }\n"

static inline ph_run *run_of(const char *text)
{
    ph_error err = {0};
    ph_model *model = read_text(text);
    ph_run *run;
    if (ph_run_create(&run, model, NULL, &err) != PH_OK)
        fail_msg("%s", err.text);
    ph_model_free(model);
    return run;
}

static inline void go(ph_run *run, double t)
{
    ph_error err = {0};
    if (ph_run_until(run, t, &err) != PH_OK)
        fail_msg("%s", err.text);
}

static inline double get(ph_run *run, int what, int index)
{
    double x[PH_SENSOR_MAX] = {NAN};
    assert_int_equal(ph_run_get(run, what, index, x), PH_OK);
    return x[0];
}

#endif
