/* Equilibria and vibrations of a run. */
#include <string.h>

#include "mech/mech.h"
#include "run/private.h"

static ph_status scale_loads(double factor, void *mech)
{
    ph_mechanism_load(mech, factor);
    return PH_OK;
}

ph_status ph_run_equilibrium(ph_equilibrium **out, ph_run *run, const ph_static_options *options,
                             ph_error *err)
{
    ph_static_options o = options ? *options : ph_default_static();
    ph_state now = ph_sim_state(run->sim);
    o.alloc = run->config.alloc;
    if (!options)
        o.solver = run->def.opt.solver;
    o.load = run->mech ? scale_loads : NULL, o.ctx = run->mech;
    ph_status s = ph_equilibrium_create(out, run->sys, &o, now.t, now.q, err);
    return s == PH_OK ? s : ph_run_explain_static(run, s, err);
}

ph_status ph_run_static(ph_run *run, const ph_static_options *options, ph_static_stats *stats, ph_error *err)
{
    ph_equilibrium *e;
    ph_status s = ph_run_equilibrium(&e, run, options, err);
    if (s != PH_OK)
        return s;
    ph_state rest = ph_equilibrium_state(e);
    if (stats)
        *stats = ph_equilibrium_stats(e);
    s = ph_run_start_at(run, rest.t, rest.q, rest.v, 1, err);
    ph_equilibrium_destroy(e);
    return s;
}

ph_status ph_run_modes(ph_modes **out, ph_run *run, ph_error *err)
{
    ph_state s = ph_sim_state(run->sim);
    ph_status status = ph_modes_create(out, run->sys, s.t, s.q, s.v, run->config.alloc, err);
    return status == PH_OK ? status : ph_run_explain_static(run, status, err);
}

ph_status ph_run_fastest(ph_run *run, double *omega)
{
    ph_status s = ph_run_start(run, NULL);
    return s == PH_OK ? ph_sim_fastest(run->sim, omega) : s;
}
