/* Vibrations of a run. */
#include "mech/support.h"
#include "run/private.h"

ph_status ph_run_modes(ph_modes **out, ph_run *run, ph_error *err)
{
    if (out)
        *out = NULL;
    if (!run || !out)
        return ph_refuse_null("out, run", err);
    ph_state s = ph_sim_state(run->sim);
    ph_status status = ph_mechanism_can(run->mech, PH_CAN_LINEARISE, err);
    if (status != PH_OK)
        return status;
    status = ph_modes_create(out, run->sys, s.t, s.q, s.v, run->config.alloc, err);
    return status == PH_OK ? status : ph_run_explain_static(run, status, err);
}

ph_status ph_run_fastest(ph_run *run, double *omega)
{
    if (!run || !omega)
        return ph_refuse_null("run, omega", NULL);
    ph_status s = ph_run_start(run, NULL);
    return s == PH_OK ? ph_sim_fastest(run->sim, omega) : s;
}
