/* Equilibria and vibrations of a run. */
#include <string.h>

#include "mech/mech.h"
#include "run/private.h"

static ph_status scale_loads(double factor, void *mech)
{
    ph_mechanism_load(mech, factor);
    return PH_OK;
}

ph_status ph_run_static(ph_run *run, const ph_static_options *options, ph_static_stats *stats, ph_error *err)
{
    ph_static_options o = options ? *options : ph_default_static();
    ph_state now = ph_sim_state(run->sim);
    ph_equilibrium *e;
    o.alloc = run->config.alloc;
    if (!options)
        o.solver = run->def.opt.solver;
    o.load = run->mech ? scale_loads : NULL, o.ctx = run->mech;
    ph_status s = ph_equilibrium_create(&e, run->sys, &o, now.t, now.q, err);
    if (s != PH_OK)
        return ph_run_explain_static(run, s, err);
    ph_state rest = ph_equilibrium_state(e);
    if (stats)
        *stats = ph_equilibrium_stats(e);
    s = ph_run_start_at(run, now.t, rest.q, rest.v, 1, err);
    ph_equilibrium_destroy(e);
    return s;
}

ph_status ph_run_modes(ph_modes **out, ph_run *run, ph_error *err)
{
    ph_state s = ph_sim_state(run->sim);
    ph_status status = ph_modes_create(out, run->sys, s.t, s.q, s.v, run->config.alloc, err);
    return status == PH_OK ? status : ph_run_explain_static(run, status, err);
}
