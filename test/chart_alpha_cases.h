/* What test_chart_alpha.c, test_linear_alpha.c, test_residual_alpha.c share. */
#ifndef PH_TEST_CHART_ALPHA_CASES_H
#define PH_TEST_CHART_ALPHA_CASES_H

#include "sens_cases.h"
#include "sim_cases.h"
#include "step/sim.h"

#define LINEAR    "linear-alpha"
#define RESIDUAL  "residual-alpha"
#define GEOMETRIC "genalpha"

static const char *const both[] = {LINEAR, RESIDUAL};

/* As in the paper: rho = 0.8, a_0 = vdot_0; genalpha with sigma = 0 is its third method. */
static inline ph_options paper(const char *method, double h)
{
    ph_options o = tight(h);
    o.method = method, o.rho = 0.8, o.sigma = 0, o.start = PH_PLAIN;
    return o;
}

static inline double apart(const char *problem, const ph_options *a, const ph_options *b, long steps)
{
    ph_problem *p = problem_named(problem);
    ph_sim *x = sim_of(&p->sys, a, p->q0, p->v0), *y = sim_of(&p->sys, b, p->q0, p->v0);
    run_sim(x, steps), run_sim(y, steps);
    ph_state s = ph_sim_state(x), t = ph_sim_state(y);
    int nq = ph_system_nq(&p->sys), nv = ph_system_nv(&p->sys), nl = ph_system_nl(&p->sys);
    double d = max_diff(s.q, t.q, nq) / size_of(t.q, nq);
    d = fmax(d, max_diff(s.v, t.v, nv) / size_of(t.v, nv));
    d = fmax(d, nl ? max_diff(s.lambda, t.lambda, nl) / size_of(t.lambda, nl) : 0);
    ph_sim_destroy(x), ph_sim_destroy(y);
    ph_problem_destroy(p);
    return d;
}

#endif
