/* What is to become least, at some values of the parameters of a model, and its gradient: one run with its adjoint. */
#include "cli/optimise.h"

#include <stdio.h>
#include <string.h>

/* The number of a sensor that the rest of a name says: "", ".x" or ".2"; -1: none. */
static int number_of(const ph_run *run, int sensor, const char *rest)
{
    int size = ph_run_size(run, PH_GET_SENSOR, sensor);
    if (!*rest)
        return size == 1 ? 0 : -1;
    for (int k = 0; *rest == '.' && k < size; k++) {
        char text[16];
        const char *label = ph_run_label(run, PH_GET_SENSOR, sensor, k);
        snprintf(text, sizeof text, "%d", k + 1);
        if ((label && !strcmp(label, rest + 1)) || !strcmp(text, rest + 1))
            return k;
    }
    return -1;
}

int ph_least_find(const ph_run *run, const char *name, ph_least *out)
{
    *out = (ph_least){.objective = ph_run_find(run, PH_OBJECTIVES, name)};
    for (int i = 0; out->objective < 0 && i < ph_run_count(run, PH_SENSORS); i++) {
        const char *own = ph_run_name(run, PH_SENSORS, i);
        size_t n = strlen(own);
        out->sensor = i, out->number = strncmp(own, name, n) ? -1 : number_of(run, i, name + n);
        if (out->number >= 0)
            return 1;
    }
    return out->objective >= 0;
}

static ph_status gradient_of(ph_run *run, const ph_least *what, const int *param, int n, size_t memory,
                             ph_evaluation *out, ph_error *err)
{
    if (what->objective >= 0)
        return ph_run_gradient(run, what->objective, param, n, memory, &out->value, out->gradient, err);
    return ph_run_gradient_of_sensor(run, what->sensor, what->number, param, n, memory, &out->value,
                                     out->gradient, err);
}

ph_status ph_design_evaluate(const ph_design *d, const double *x, ph_evaluation *out, ph_error *err)
{
    ph_setting set[PH_DESIGN_MAX];
    int param[PH_DESIGN_MAX];
    *err = (ph_error){0};
    memcpy(out->x, x, (size_t)d->n * sizeof *x);
    for (int k = 0; k < d->n; k++)
        set[k] = (ph_setting){d->name[k], x[k]};
    ph_status s = ph_run_set_parameters(d->run, set, d->n, err);
    if (s != PH_OK)
        return s;
    ph_least what;
    for (int k = 0; k < d->n; k++)
        param[k] = ph_run_find(d->run, PH_PARAMETERS, d->name[k]);
    if (!ph_least_find(d->run, d->args->minimise, &what)) { /* parameters may change what there is */
        snprintf(err->text, sizeof err->text,
                 "%.200s: --minimise: the model has no objective or sensor '%.64s'", d->args->word[0],
                 d->args->minimise);
        return PH_E_INPUT;
    }
    return gradient_of(d->run, &what, param, d->n, ph_args_memory(d->args), out, err);
}
