/* One run and what is kept of it: errors against the exact motion, constraint violations, iterations, end.
 *
 *   q error: |(x - x_exact, log(R_exact^-1 R))|, by node log(q_exact^-1 o q) in the group of the node
 *
 * Errors are taken at multiples of the usual step size of the problem: runs with several h see the same
 * times. */
#include "claim/claim_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_RUNS     512
#define MAX_PROBLEMS 16
#define MAX_SAMPLES  4096

/* Exact states at multiples of dt, each computed when it is asked for. */
typedef struct known_problem {
    ph_problem *p;
    double x;
    double dt;
    int nq, nv, nl, stride; /* stride: doubles of a sample */
    double *sample;         /* MAX_SAMPLES of (known, q, v, vdot, lambda) */
} known_problem;

struct ph_study {
    known_problem problems[MAX_PROBLEMS];
    int n_problems;
    ph_problem_result runs[MAX_RUNS];
    int n_runs;
    ph_model_results results;
};

ph_study *ph_study_create(const char *models)
{
    ph_study *study = calloc(1, sizeof(ph_study));
    if (study)
        study->results.folder = models;
    return study;
}

ph_model_results *ph_study_model_results(ph_study *study)
{
    return &study->results;
}

const char *ph_study_complaint(const ph_study *study)
{
    return study->results.complaint.text;
}

void ph_study_destroy(ph_study *study)
{
    for (int i = 0; study && i < study->n_problems; i++) {
        ph_problem_destroy(study->problems[i].p);
        free(study->problems[i].sample);
    }
    if (study)
        ph_model_results_clear(&study->results);
    free(study);
}

/* ---- runs --------------------------------------------------------------------------------------- */

static const char *problem_name(const ph_claim_run *run)
{
    return run->problem ? run->problem : "heavy_top_r3xso3";
}

static int same_x(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static int same_word(const char *a, const char *b)
{
    return !strcmp(a ? a : "", b ? b : "");
}

int ph_same_method(const ph_claim_run *a, const ph_claim_run *b)
{
    return same_word(a->method, b->method) && same_word(a->tableau, b->tableau) && a->order == b->order &&
           a->correction == b->correction && a->tol == b->tol && a->newton == b->newton &&
           a->accuracy == b->accuracy && a->rtol == b->rtol;
}

static int same_run(const ph_claim_run *a, const ph_claim_run *b)
{
    return !strcmp(problem_name(a), problem_name(b)) && same_x(a->x, b->x) &&
           a->formulation == b->formulation && a->ggl == b->ggl && a->start == b->start &&
           a->sigma == b->sigma && a->rho == b->rho && a->h == b->h && a->from == b->from && a->to == b->to &&
           ph_same_method(a, b);
}

ph_options ph_claim_options(const ph_claim_run *run)
{
    ph_options o = ph_default_options();
    if (run->method)
        o.method = run->method;
    o.formulation = run->formulation, o.ggl_form = run->ggl, o.start = run->start;
    o.sigma = run->sigma, o.rho = run->rho, o.h = run->h;
    o.newton = run->newton, o.tol = run->tol;
    if (run->tableau) /* orders up to 12 must not end at Newton's tolerance, but at round-off */
        o.method = "rkmk", o.tableau = run->tableau, o.atol = 1e-14, o.rtol = 1e-15;
    if (run->order)
        o.method = "bliedf", o.order = run->order, o.correction = run->correction, o.atol = o.rtol = 1e-12;
    if (run->accuracy > 0)
        o.atol = o.rtol = run->accuracy;
    if (run->rtol > 0)
        o.rtol = run->rtol;
    return o;
}

ph_claim_alpha ph_claim_numbers(const ph_claim_run *run)
{
    double r = run->rho;
    ph_claim_alpha p = {.alpha_m = (2 * r - 1) / (r + 1), .alpha_f = r / (r + 1), .sigma = run->sigma};
    p.gamma = 0.5 + p.alpha_f - p.alpha_m;
    p.beta = 0.25 * (p.gamma + 0.5) * (p.gamma + 0.5);
    if (run->sigma == PH_SIGMA_OPT)
        p.sigma = p.gamma / (3 * p.beta);
    return p;
}

static known_problem *find_problem(ph_study *study, const ph_claim_run *run)
{
    const char *name = problem_name(run);
    for (int i = 0; i < study->n_problems; i++)
        if (!strcmp(study->problems[i].p->name, name) && same_x(study->problems[i].x, run->x))
            return &study->problems[i];
    if (study->n_problems == MAX_PROBLEMS)
        return NULL;
    ph_problem_def def = {.x = run->x};
    known_problem s = {.p = ph_problem_create(name, isnan(run->x) ? NULL : &def), .x = run->x};
    if (!s.p)
        return NULL;
    s.dt = s.p->h;
    s.nq = ph_system_nq(&s.p->sys), s.nv = ph_system_nv(&s.p->sys), s.nl = ph_system_nl(&s.p->sys);
    s.stride = 1 + s.nq + 2 * s.nv + s.nl;
    s.sample = calloc((size_t)MAX_SAMPLES * (size_t)s.stride, sizeof(double));
    if (!s.sample || s.nq > PH_RESULT_MAX || s.nl > PH_RESULT_MAX) {
        ph_problem_destroy(s.p);
        free(s.sample);
        return NULL;
    }
    study->problems[study->n_problems] = s;
    return &study->problems[study->n_problems++];
}

ph_problem *ph_study_problem(ph_study *study, const ph_claim_run *run)
{
    known_problem *s = find_problem(study, run);
    return s ? s->p : NULL;
}

/* q of the exact state at k dt; v, vdot and lambda follow it. NULL: not to be had. */
static const double *exact_at(const known_problem *s, long k)
{
    if (!s->p->exact || k < 0 || k >= MAX_SAMPLES)
        return NULL;
    double *d = s->sample + k * s->stride, *q = d + 1, *v = q + s->nq;
    if (d[0] == 0)
        d[0] = s->p->exact(s->p, (double)k * s->dt, q, v, v + s->nv, v + 2 * s->nv);
    return d[0] != 0 ? q : NULL;
}

/* ---- survey ------------------------------------------------------------------------------------- */

static double distance(int n, const double *a, const double *b)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(s);
}

/* |log(a^-1 o b)| over all nodes; R^3 x SO(3) gives (x_b - x_a, log(R_a^-1 R_b)) */
static double group_distance(const ph_system *sys, const ph_state *at, const double *a, const double *b)
{
    double s = 0, zero[PH_RESULT_MAX] = {0};
    for (int i = 0; i < sys->n_nodes; i++) {
        const ph_group_ops *op = ph_group_get(sys->nodes[i].group);
        int n = sys->nodes[i].n;
        double e[PH_RESULT_MAX], d[PH_RESULT_MAX];
        op->inverse(n, a + at->q_at[i], e);
        op->compose(n, e, b + at->q_at[i], e);
        op->log(n, e, d);
        s += pow(distance(ph_group_dim(sys->nodes[i].group, n), d, zero), 2);
    }
    return sqrt(s);
}

static void sample(const known_problem *s, ph_sim *sim, ph_problem_result *y)
{
    ph_state now = ph_sim_state(sim);
    double k = now.t / s->dt, position, velocity, zero[PH_RESULT_MAX] = {0};
    if (s->nl > 0) {
        if (ph_sim_violation(sim, &position, &velocity) != PH_OK)
            position = velocity = NAN;
        ph_raise(&y->position, position), ph_raise(&y->velocity, velocity);
    }
    if (now.eta)
        ph_raise(&y->eta, distance(s->nl, now.eta, zero));
    if (now.t < y->run.from - 1e-9 * s->dt || fabs(k - nearbyint(k)) > 1e-6)
        return;
    const double *q = exact_at(s, lrint(k));
    if (!q)
        return;
    ph_raise(&y->error[0], group_distance(&s->p->sys, &now, q, now.q));
    ph_raise(&y->error[1], distance(s->nv, q + s->nq, now.v));
    double e = distance(s->nl, q + s->nq + 2 * s->nv, now.lambda);
    if (e > y->error[2])
        y->lambda_at = now.t;
    ph_raise(&y->error[2], e);
}

static void keep_end(const known_problem *s, const ph_sim *sim, ph_problem_result *y)
{
    ph_state now = ph_sim_state(sim);
    ph_stats stats = ph_sim_stats(sim);
    size_t nv = sizeof(double) * (size_t)s->nv, nl = sizeof(double) * (size_t)s->nl;
    memcpy(y->q, now.q, sizeof(double) * (size_t)s->nq);
    memcpy(y->v, now.v, nv);
    memcpy(y->vdot, now.vdot, nv);
    if (now.a) /* of generalized-alpha alone */
        memcpy(y->a, now.a, nv);
    if (s->nl > 0)
        memcpy(y->lambda, now.lambda, nl);
    if (now.eta)
        memcpy(y->eta_end, now.eta, nl);
    y->iterations = (double)stats.iterations / (double)stats.steps;
}

const ph_problem_result *ph_study_problem_result(ph_study *study, const ph_claim_run *run)
{
    for (int i = 0; i < study->n_runs; i++)
        if (same_run(&study->runs[i].run, run))
            return study->runs[i].ok ? &study->runs[i] : NULL;
    const known_problem *s = find_problem(study, run);
    if (!s || study->n_runs == MAX_RUNS)
        return NULL;
    ph_problem_result *y = &study->runs[study->n_runs++];
    *y = (ph_problem_result){.run = *run};
    ph_options o = ph_claim_options(run);
    ph_sim *sim;
    if (ph_sim_create(&sim, &s->p->sys, &o, 0, s->p->q0, s->p->v0, NULL) != PH_OK)
        return NULL;
    y->ok = 1;
    sample(s, sim, y);
    for (long k = lrint(run->to / run->h); k > 0 && y->ok; k--) {
        y->ok = ph_sim_step(sim, NULL) == PH_OK;
        sample(s, sim, y);
    }
    keep_end(s, sim, y);
    ph_sim_destroy(sim);
    return y->ok ? y : NULL;
}
