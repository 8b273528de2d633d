/* Equilibria and vibrations of a run. */
#include <string.h>

#include "mech/mech.h"
#include "run/private.h"

static ph_status scale_loads(double factor, void *mech)
{
    ph_mechanism_load(mech, factor);
    return PH_OK;
}

/* Of a run whose model has states: in statics they are the positions of their nodes, and velocities elsewhere. */
static void exchange(const ph_run *run, const ph_state *from, int to_positions, double *q, double *v)
{
    const ph_mechanism *m = run->mech;
    for (int k = 0; m && k < m->model->n_states; k++)
        for (int i = 0; i < m->own[k].n; i++) {
            if (to_positions)
                q[m->own[k].q + i] = from->v[m->own[k].v + i];
            else
                v[m->own[k].v + i] = from->q[m->own[k].q + i], q[m->own[k].q + i] = 0;
        }
}

ph_status ph_run_equilibrium(ph_equilibrium **out, ph_run *run, const ph_static_options *options,
                             ph_error *err)
{
    ph_static_options o = options ? *options : ph_default_static();
    ph_state now = ph_sim_state(run->sim);
    size_t nq = (size_t)ph_system_nq(run->sys);
    o.alloc = run->config.alloc;
    if (!options)
        o.solver = run->def.opt.solver;
    o.load = run->mech ? scale_loads : NULL, o.ctx = run->mech;
    double *q = ph_alloc(o.alloc, (nq + 1) * sizeof *q);
    if (!q)
        return ph_fail(err, PH_E_MEMORY, "not enough memory for an equilibrium");
    memcpy(q, now.q, nq * sizeof *q);
    exchange(run, &now, 1, q, NULL);
    if (run->mech)
        run->mech->still = 1;
    ph_status s = ph_equilibrium_create(out, run->sys, &o, now.t, q, err);
    if (run->mech)
        run->mech->still = 0;
    ph_free(o.alloc, q);
    return s == PH_OK ? s : ph_run_explain_static(run, s, err);
}

ph_status ph_run_static(ph_run *run, const ph_static_options *options, ph_static_stats *stats, ph_error *err)
{
    ph_equilibrium *e;
    size_t nq = (size_t)ph_system_nq(run->sys), nv = (size_t)ph_system_nv(run->sys);
    double *q = ph_alloc(run->config.alloc, (nq + nv + 1) * sizeof *q), *v = q ? q + nq : NULL;
    if (!q)
        return ph_fail(err, PH_E_MEMORY, "not enough memory for an equilibrium");
    ph_status s = ph_run_equilibrium(&e, run, options, err);
    if (s == PH_OK) {
        ph_state rest = ph_equilibrium_state(e);
        memcpy(q, rest.q, nq * sizeof *q);
        memcpy(v, rest.v, nv * sizeof *v);
        exchange(run, &rest, 0, q, v);
        if (stats)
            *stats = ph_equilibrium_stats(e);
        s = ph_run_start_at(run, rest.t, q, v, 1, err);
        ph_equilibrium_destroy(e);
    }
    ph_free(run->config.alloc, q);
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
