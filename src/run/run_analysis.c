/* Equilibria and vibrations of a run. */
#include <string.h>

#include "mech/mech.h"
#include "run/private.h"
#include "equilibrium/static.h"

static ph_status scale_loads(double factor, void *mech)
{
    ph_mechanism_set_load_factor(mech, factor);
    return PH_OK;
}

/* In statics states are the positions of their nodes, and velocities elsewhere. */
static void states_to_positions(const ph_run *run, const ph_state *from, double *q)
{
    const ph_mechanism *m = run->mech;
    for (int k = 0; m && k < m->model->n_states; k++)
        for (int i = 0; i < m->own[k].n; i++)
            q[m->own[k].q + i] = from->v[m->own[k].v + i];
}

ph_status ph_run_equilibrium(ph_equilibrium **out, ph_run *run, const ph_static_options *options,
                             ph_error *err)
{
    if (out)
        *out = NULL;
    if (!run || !out)
        return ph_refuse_null("out, run", err);
    ph_static_options o = options ? *options : ph_default_static();
    ph_state now = ph_sim_state(run->sim);
    size_t nq = (size_t)ph_system_nq(run->sys);
    o.alloc = run->config.alloc;
    *out = NULL;
    if (!options)
        o.solver = run->def.opt.solver;
    o.load = run->mech ? scale_loads : NULL, o.ctx = run->mech;
    double *q = ph_alloc(o.alloc, (nq + 1) * sizeof *q);
    if (!q)
        return ph_fail(err, PH_E_MEMORY, "not enough memory for an equilibrium");
    memcpy(q, now.q, nq * sizeof *q);
    states_to_positions(run, &now, q);
    if (run->mech)
        run->mech->still = 1;
    ph_status s = ph_equilibrium_create(out, run->sys, &o, now.t, q, err);
    if (run->mech)
        run->mech->still = 0;
    if (s == PH_OK)
        ph_equilibrium_release_first(*out);
    ph_free(o.alloc, q);
    return s == PH_OK ? s : ph_run_explain_static(run, s, err);
}

ph_status ph_run_static(ph_run *run, const ph_static_options *options, ph_static_stats *stats, ph_error *err)
{
    if (!run)
        return ph_refuse_null("run", err);
    ph_equilibrium *e;
    ph_status s = ph_run_equilibrium(&e, run, options, err);
    if (s != PH_OK)
        return s;
    ph_state rest = ph_equilibrium_state(e);
    if (stats)
        *stats = ph_equilibrium_stats(e);
    s = ph_run_go_on_at(run, rest.t, rest.q, rest.v, ph_equilibrium_memory(e), 1, err);
    ph_equilibrium_destroy(e);
    return s;
}

ph_status ph_run_modes(ph_modes **out, ph_run *run, ph_error *err)
{
    if (out)
        *out = NULL;
    if (!run || !out)
        return ph_refuse_null("out, run", err);
    ph_state s = ph_sim_state(run->sim);
    ph_status status = ph_modes_create(out, run->sys, s.t, s.q, s.v, run->config.alloc, err);
    return status == PH_OK ? status : ph_run_explain_static(run, status, err);
}

ph_status ph_run_fastest(ph_run *run, double *omega)
{
    if (!run || !omega)
        return ph_refuse_null("run, omega", NULL);
    ph_status s = ph_run_start(run, NULL);
    return s == PH_OK ? ph_sim_fastest(run->sim, omega) : s;
}
