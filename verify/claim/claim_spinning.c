/* What the time histories of Bruels and Eberhard show, figures 5 to 7: the heavy top by residual-alpha, linear-alpha and
 * genalpha with sigma = 0, index-3, a_0 = vdot_0, until run->to. Three values are those of the methods, in this order. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "polhode/lie.h"
#include "claim/claim_run.h"

#define RINGING 50 /* steps in which lambda_1 is looked at */

/* All that is kept of one run. */
typedef struct history {
    double psi, jumps; /* psi_2 at the end; how often it jumped */
    double lowest;     /* x_3 of all steps */
    double ringing;    /* largest |lambda_1(n+1) - 2 lambda_1(n) + lambda_1(n-1)|/4 of the first steps */
    double lambda[3];  /* lambda_1 of the last steps */
} history;

/* The rotation vector of the heavy top, second component. */
static double psi_of(const ph_state *s)
{
    double psi[3];
    ph_group_get(PH_SO3)->log(3, s->q + s->q_at[1], psi);
    return psi[1];
}

static void see(history *h, const ph_state *s, long n)
{
    double psi = psi_of(s);
    h->jumps += n > 0 && fabs(psi - h->psi) > acos(-1);
    h->psi = psi;
    h->lowest = fmin(h->lowest, s->q[2]);
    h->lambda[0] = h->lambda[1], h->lambda[1] = h->lambda[2], h->lambda[2] = s->lambda[0];
    if (n >= 2 && n <= RINGING + 1)
        ph_raise(&h->ringing, fabs(h->lambda[2] - 2 * h->lambda[1] + h->lambda[0]) / 4);
}

static int run_one(const ph_problem *p, const ph_claim_run *run, history *h)
{
    ph_options o = ph_claim_options(run);
    ph_sim *sim;
    o.atol = o.rtol = 1e-13;
    *h = (history){0};
    if (ph_sim_create(&sim, &p->sys, &o, 0, p->q0, p->v0, NULL) != PH_OK)
        return 0;
    long steps = lrint(run->to / run->h);
    int ok = 1;
    for (long n = 0; n <= steps && ok; n++) {
        ok = n == 0 || ph_sim_step(sim, NULL) == PH_OK;
        ph_state s = ph_sim_state(sim);
        see(h, &s, n);
    }
    ph_sim_destroy(sim);
    return ok;
}

/* The member of the history at so many bytes, of each method. */
static int look(ph_study *study, const ph_claim_run *run, size_t at, double *value)
{
    static const char *const methods[3] = {"residual-alpha", "linear-alpha", "genalpha"};
    ph_claim_run r = *run;
    r.problem = "heavy_top";
    const ph_problem *p = ph_study_problem(study, &r);
    int ok = p != NULL;
    for (int k = 0; k < 3 && ok; k++) {
        history h;
        r.method = methods[k];
        ok = run_one(p, &r, &h);
        memcpy(&value[k], (const char *)&h + at, sizeof *value);
    }
    return ok;
}

int ph_measure_three_psi(ph_study *study, const ph_claim_run *run, double *value)
{
    return look(study, run, offsetof(history, psi), value);
}

int ph_measure_three_jumps(ph_study *study, const ph_claim_run *run, double *value)
{
    return look(study, run, offsetof(history, jumps), value);
}

int ph_measure_three_lowest(ph_study *study, const ph_claim_run *run, double *value)
{
    return look(study, run, offsetof(history, lowest), value);
}

int ph_measure_three_ringing(ph_study *study, const ph_claim_run *run, double *value)
{
    return look(study, run, offsetof(history, ringing), value);
}
