/* Ensembles on a device: members are runs, loaded one by one, that step together there. */
#include <stdlib.h>

#include "compile/built.h"
#include "run/private.h"

/* What a member cannot do without somebody who looks at it after each step. */
static ph_status refuse_watched(const ph_run *run, ph_error *err)
{
    const ph_model *m = run->model;
    for (int k = 0; k < m->n_sensors; k++)
        if (m->sensor[k].over != PH_OVER_NOTHING)
            return ph_mech_fail(err, PH_E_INPUT, m, m->sensor[k].origin,
                                "sensor '%s': what it comes to over time is not found on a device",
                                m->sensor[k].name);
    if (ph_multistep_refuse(run, "members of an ensemble", err) != PH_OK)
        return PH_E_INPUT;
    if (m->n_events)
        return ph_mech_fail(err, PH_E_INPUT, m, m->event[0].origin,
                            "event '%s': events are not met on a device", m->event[0].name);
    return PH_OK;
}

/* The first steps there and here; the run is at its initial time again. */
static ph_status check_steps(const ph_compiled *c, ph_run *run, ph_error *err)
{
    double iterations, *state = malloc(sizeof *state * (size_t)(c->at.numbers + c->n_sensors + 1));
    unsigned char failed = 0;
    ph_status s =
        state ? ph_compiled_pack(c, run, state, err) : ph_fail(err, PH_E_MEMORY, "not enough memory");
    if (s == PH_OK)
        s = ph_compiled_run(c, 1, state, PH_STEPS_CHECKED, state + c->at.numbers, &iterations, &failed, err);
    for (int k = 0; k < PH_STEPS_CHECKED && s == PH_OK; k++)
        s = ph_run_step(run, err);
    if (s == PH_OK && (failed || !(ph_compiled_apart(c, run, state) <= PH_AGREE)))
        s = ph_fail(err, PH_E_INPUT, "the first steps of the device differ from those of the library");
    free(state);
    ph_status back = ph_run_reset(run, s == PH_OK ? err : NULL);
    return s == PH_OK ? back : s;
}

ph_status ph_compiled_create_device(ph_compiled **out, ph_run *run, const char *const *open, int n_open,
                                    ph_error *err)
{
    *out = NULL;
    ph_status s = run->model ? refuse_watched(run, err)
                             : ph_fail(err, PH_E_INPUT, "only runs of models can be compiled");
    for (int anew = 0, again = s == PH_OK; again; anew++) {
        s = ph_compiled_open(out, run, open, n_open, 1, 1, anew, err);
        if (s == PH_OK)
            s = check_steps(*out, run, err);
        again = s != PH_OK && *out && (*out)->from_cache; /* it may have been built for another device */
        if (s != PH_OK)
            ph_compiled_release(*out), *out = NULL;
    }
    return s;
}

int ph_compiled_numbers(const ph_compiled *c)
{
    return c->at.numbers;
}

int ph_compiled_sensors(const ph_compiled *c)
{
    return c->n_sensors;
}

ph_status ph_compiled_load(const ph_compiled *c, const ph_run *run, double *state, ph_error *err)
{
    for (int k = 0; k < run->n_inputs; k++)
        if (run->input[k].n > 0 || run->input[k].u[0] != run->input[k].u[1])
            return ph_fail(err, PH_E_INPUT, "input '%s' changes over time, and members keep theirs",
                           run->model->input[k].name);
    if (!run->started)
        return ph_fail(err, PH_E_INPUT, "a run is loaded after its start");
    return ph_compiled_pack(c, run, state, err);
}

ph_status ph_compiled_run(const ph_compiled *c, long members, double *state, long steps, double *sensors,
                          double *iterations, unsigned char *failed, ph_error *err)
{
    if (!c->ensemble)
        return ph_fail(err, PH_E_INPUT, "the compiled model is not one for a device");
    const char *why = members > 0 ? c->ensemble(members, state, steps, sensors, iterations, failed) : NULL;
    return why ? ph_fail(err, PH_E_INPUT, "%s", why) : PH_OK;
}
