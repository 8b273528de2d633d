/* Runge-Kutta-Munthe-Kaas methods of any tableau, with steps of one size. */
#include "step/rk.h"

typedef struct rkmk {
    ph_rk rk;
} rkmk;

static rkmk *of(ph_sim *sim)
{
    return sim->method;
}

static void take(ph_sim *sim, ph_arena *a)
{
    rkmk none = {0}, *m = sim->method ? of(sim) : &none;
    ph_tableau_get(sim->opt.tableau, &m->rk.tab, NULL); /* prepare complains */
    ph_rk_take(&m->rk, &sim->lay, a);
}

static ph_status prepare(ph_sim *sim, ph_error *err)
{
    rkmk *m = of(sim);
    ph_status s = ph_tableau_get(sim->opt.tableau, &m->rk.tab, err);
    if (s != PH_OK)
        return s;
    sim->opt.tableau = m->rk.tab.name;
    return ph_rk_prepare(&m->rk, sim, err);
}

static ph_status start(ph_sim *sim)
{
    (void)sim;
    return PH_OK;
}

static ph_status step(ph_sim *sim)
{
    sim->step_iterations = 0;
    return ph_rk_step(sim, &of(sim)->rk, &sim->now, sim->opt.h, &sim->next, NULL);
}

static void release(ph_sim *sim)
{
    ph_rk_release(&of(sim)->rk);
}

const ph_stepper ph_rkmk_stepper = {
    .name = "rkmk",
    .text = "Runge-Kutta-Munthe-Kaas, index-1 with projection",
    .cite = "H. Munthe-Kaas: High order Runge-Kutta methods on manifolds, Applied Numerical Mathematics 29 "
            "(1999)",
    .reads = PH_READS_TABLEAU | PH_READS_NEWTON,
    .size = sizeof(rkmk),
    .prepare = prepare,
    .take = take,
    .start = start,
    .step = step,
    .release = release,
};
