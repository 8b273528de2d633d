/* The end of a simulation of a problem in C. */
#ifndef PH_TEST_SIM_LIFE_H
#define PH_TEST_SIM_LIFE_H

#include "forms.h"
#include "sim_cases.h"

static inline snapshot end_of(const ph_problem *p, const ph_options *o, long steps, ph_stats *stats)
{
    ph_sim *sim = sim_of(&p->sys, o, p->q0, p->v0);
    run_sim(sim, steps);
    snapshot x = snap(sim, &p->sys);
    if (stats)
        *stats = ph_sim_stats(sim);
    ph_sim_destroy(sim);
    return x;
}

#endif
