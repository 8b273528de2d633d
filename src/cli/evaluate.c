/* The objective of a model at some values of its parameters, and its gradient: one run with its adjoint. */
#include "cli/optimise.h"

#include <stdio.h>
#include <string.h>

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
    int objective = ph_run_find(d->run, PH_OBJECTIVES, d->args->minimise);
    for (int k = 0; k < d->n; k++)
        param[k] = ph_run_find(d->run, PH_PARAMETERS, d->name[k]);
    if (objective < 0) { /* parameters may change what there is */
        snprintf(err->text, sizeof err->text, "%.200s: --minimise: the model has no objective '%.64s'",
                 d->args->word[0], d->args->minimise);
        return PH_E_INPUT;
    }
    return ph_run_gradient(d->run, objective, param, d->n, ph_args_memory(d->args), &out->value,
                           out->gradient, err);
}
