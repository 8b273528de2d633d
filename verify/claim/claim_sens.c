/* Measures of the three methods of Bruels and Eberhard: the heavy top, differentiated by its mass.
 *
 *   x = x(t), dx = dx/dm in the discrete solution, index-3, rho and h as the run says, a_0 = vdot_0
 *
 * Three values are those of residual-alpha, linear-alpha and genalpha with sigma = 0, or of h, h/2 and h/4. */
#include <math.h>
#include <string.h>

#include "polhode/sens.h"
#include "claim/claim_run.h"

#define MASS 15.0
#define EPS  (1e-3 * MASS)

static const char *const methods[3] = {"residual-alpha", "linear-alpha", "genalpha"};
static const int place[PH_NEIGHBOURS] = {-2, -1, 1, 2};

typedef struct top_end {
    double x[3], dx[3];
} top_end;

typedef struct tops {
    ph_problem *self, *at[PH_NEIGHBOURS];
} tops;

static void close_tops(tops *t)
{
    ph_problem_destroy(t->self);
    for (int k = 0; k < PH_NEIGHBOURS; k++)
        ph_problem_destroy(t->at[k]);
}

static int open_tops(tops *t)
{
    *t = (tops){.self = ph_problem_create("heavy_top", &(ph_problem_def){.x = MASS})};
    int ok = t->self != NULL;
    for (int k = 0; k < PH_NEIGHBOURS; k++) {
        t->at[k] = ph_problem_create("heavy_top", &(ph_problem_def){.x = MASS + place[k] * EPS});
        ok = ok && t->at[k];
    }
    return ok;
}

static ph_options options_of(const ph_claim_run *run)
{
    ph_options o = ph_claim_options(run);
    o.atol = o.rtol = 1e-13; /* so that differences of runs see the discrete solution */
    return o;
}

/* x at the end of a run without derivatives */
static int run_plain(const ph_problem *p, const ph_claim_run *run, double x[3])
{
    ph_options o = options_of(run);
    ph_sim *sim;
    if (ph_sim_create(&sim, &p->sys, &o, 0, p->q0, p->v0, NULL) != PH_OK)
        return 0;
    int ok = ph_sim_run(sim, lrint(run->to / run->h), NULL, NULL, NULL) == PH_OK;
    memcpy(x, ph_sim_state(sim).q, 3 * sizeof *x);
    ph_sim_destroy(sim);
    return ok;
}

static int run_top(const ph_claim_run *run, ph_simplification simplified, top_end *e)
{
    tops t;
    ph_options o = options_of(run);
    ph_sim *sim = NULL;
    ph_sens *sens = NULL;
    ph_param p = {.name = "m", .eps = EPS};
    int ok = open_tops(&t) && ph_sim_create(&sim, &t.self->sys, &o, 0, t.self->q0, t.self->v0, NULL) == PH_OK;
    for (int k = 0; k < PH_NEIGHBOURS && ok; k++)
        p.at[k].sys = &t.at[k]->sys, p.at[k].q0 = t.at[k]->q0, p.at[k].v0 = t.at[k]->v0;
    ok = ok && ph_sens_create(&sens, sim, 1, &p, NULL) == PH_OK &&
         ph_sens_simplify(sens, simplified, NULL) == PH_OK;
    if (ok) {
        ok = ph_sim_run(sim, lrint(run->to / run->h), NULL, NULL, NULL) == PH_OK;
        memcpy(e->x, ph_sim_state(sim).q, sizeof e->x);
        memcpy(e->dx, ph_sens_get(sens, 0).W, sizeof e->dx);
    }
    ph_sens_destroy(sens);
    ph_sim_destroy(sim);
    close_tops(&t);
    return ok;
}

/* |a - b|/|b| */
static double part_of(const double a[3], const double b[3])
{
    double s = 0, n = 0;
    for (int i = 0; i < 3; i++)
        s += (a[i] - b[i]) * (a[i] - b[i]), n += b[i] * b[i];
    return sqrt(s / n);
}

/* ---- the three methods -------------------------------------------------------------------------- */

static int x_error(ph_study *study, const ph_claim_run *run, double *error)
{
    double x[3], exact[3];
    ph_claim_run r = *run;
    r.problem = "heavy_top";
    const ph_problem *p = ph_study_problem(study, &r);
    int ok = p && run_plain(p, run, x) && ph_measure_exact_q(study, &r, exact);
    *error = ok ? part_of(x, exact) : NAN;
    return ok;
}

int ph_measure_three_errors(ph_study *study, const ph_claim_run *run, double *value)
{
    int ok = 1;
    for (int k = 0; k < 3; k++) {
        ph_claim_run r = *run;
        r.method = methods[k];
        ok = x_error(study, &r, &value[k]) && ok;
    }
    return ok;
}

int ph_measure_three_orders(ph_study *study, const ph_claim_run *run, double *value)
{
    double fine[3];
    ph_claim_run r = *run;
    r.h /= 2;
    int ok = ph_measure_three_errors(study, run, value) && ph_measure_three_errors(study, &r, fine);
    for (int k = 0; k < 3 && ok; k++)
        value[k] = log2(value[k] / fine[k]);
    return ok;
}

#define PLACES 5 /* m - 2e, ..., m + 2e */

/* dx = sum of weight x(m + place e)/e, e relative to m. */
typedef struct stencil {
    double e, weight[PLACES];
} stencil;

static const stencil five_points = {1e-3, {1.0 / 12, -8.0 / 12, 0, 8.0 / 12, -1.0 / 12}},
                     central = {1e-5, {0, -0.5, 0, 0.5, 0}}, backward = {1e-7, {0, -1, 1, 0, 0}};

/* dx against differences of runs */
static int difference(const ph_claim_run *run, const stencil *s, double *error)
{
    double dx[3] = {0}, x[3];
    top_end e;
    int ok = run_top(run, PH_NOT_SIMPLIFIED, &e);
    for (int k = 0; k < PLACES && ok; k++) {
        if (s->weight[k] == 0)
            continue;
        ph_problem *p =
            ph_problem_create("heavy_top", &(ph_problem_def){.x = MASS + (k - PLACES / 2) * s->e * MASS});
        ok = p && run_plain(p, run, x);
        for (int i = 0; i < 3; i++)
            dx[i] += s->weight[k] * x[i] / (s->e * MASS);
        ph_problem_destroy(p);
    }
    *error = ok ? part_of(e.dx, dx) : NAN;
    return ok;
}

static int three_differences(const ph_claim_run *run, const stencil *s, double *value)
{
    int ok = 1;
    for (int k = 0; k < 3; k++) {
        ph_claim_run r = *run;
        r.method = methods[k];
        ok = difference(&r, s, &value[k]) && ok;
    }
    return ok;
}

int ph_measure_three_differences(ph_study *study, const ph_claim_run *run, double *value)
{
    (void)study;
    return three_differences(run, &five_points, value);
}

int ph_measure_three_central(ph_study *study, const ph_claim_run *run, double *value)
{
    (void)study;
    return three_differences(run, &central, value);
}

int ph_measure_three_backward(ph_study *study, const ph_claim_run *run, double *value)
{
    (void)study;
    return three_differences(run, &backward, value);
}

/* ---- one method --------------------------------------------------------------------------------- */

int ph_measure_dx(ph_study *study, const ph_claim_run *run, double *value)
{
    top_end e = {{0}, {0}};
    (void)study;
    int ok = run_top(run, PH_NOT_SIMPLIFIED, &e);
    memcpy(value, e.dx, sizeof e.dx);
    return ok;
}

/* dx against run->exact, with h, h/2, h/4 */
int ph_measure_dx_error(ph_study *study, const ph_claim_run *run, double *value)
{
    int ok = 1;
    for (int k = 0; k < 3; k++) {
        double dx[3] = {NAN, NAN, NAN};
        ph_claim_run r = *run;
        r.h = ldexp(run->h, -k);
        ok = ph_measure_dx(study, &r, dx) && ok;
        value[k] = part_of(dx, run->exact);
    }
    return ok;
}

/* dx simplified against dx, with h and h/10 */
static int simplified_error(const ph_claim_run *run, ph_simplification simplified, double *value)
{
    int ok = 1;
    for (int k = 0; k < 2 && ok; k++) {
        top_end exact, simple;
        ph_claim_run r = *run;
        r.h = k ? run->h / 10 : run->h;
        ok = run_top(&r, PH_NOT_SIMPLIFIED, &exact) && run_top(&r, simplified, &simple);
        value[k] = ok ? part_of(simple.dx, exact.dx) : NAN;
    }
    return ok;
}

int ph_measure_reference_free(ph_study *study, const ph_claim_run *run, double *value)
{
    (void)study;
    return simplified_error(run, PH_REFERENCE_FREE, value);
}

int ph_measure_without_kG(ph_study *study, const ph_claim_run *run, double *value)
{
    (void)study;
    return simplified_error(run, PH_WITHOUT_KG, value);
}

int ph_measure_symmetric_K(ph_study *study, const ph_claim_run *run, double *value)
{
    (void)study;
    return simplified_error(run, PH_SYMMETRIC_STIFFNESS, value);
}
