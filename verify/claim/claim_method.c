/* Measures of Runge-Kutta and multistep methods: the ball with a torsional spring, error control, orders of
 * model files. */
#include <math.h>
#include <stdlib.h>

#include "claim/claim_run.h"
#include "study/probe.h"
#include "study/reference.h"
#include "study/stability.h"

/* ---- ball with torsional spring ----------------------------------------------------------------------- */

int ph_measure_psi(ph_study *study, const ph_claim_run *run, double *value)
{
    const ph_problem_result *y = ph_study_problem_result(study, run);
    if (y)
        ph_group_get(PH_SO3)->log(0, y->q, value);
    return y != NULL;
}

int ph_measure_ball_error(ph_study *study, const ph_claim_run *run, double *value)
{
    const ph_problem_result *y = ph_study_problem_result(study, run);
    const ph_problem *p = ph_study_problem(study, run);
    double q[4], v[3], vdot[3], psi[3], exact[3];
    if (!y || !p->exact(p, run->to, q, v, vdot, NULL))
        return 0;
    ph_group_get(PH_SO3)->log(0, y->q, psi);
    ph_group_get(PH_SO3)->log(0, q, exact);
    value[0] =
        hypot(ph_norm(ph_sub(ph_load3(psi), ph_load3(exact))), ph_norm(ph_sub(ph_load3(y->v), ph_load3(v))));
    return 1;
}

enum { STEPS = 10 };

/* Ball and oscillator, m = 1, d = 0.2, k = 10, side by side from psi = 0.5 n, omega = 1.5 n: the largest
 * difference over the number of steps made. */
static int side_by_side(ph_sim *ball, ph_sim *line, ph_vec3 n, double *max)
{
    for (int k = 1; k <= STEPS; k++) {
        double psi[3];
        if (ph_sim_step(ball, NULL) != PH_OK || ph_sim_step(line, NULL) != PH_OK)
            return 0;
        ph_state a = ph_sim_state(ball), b = ph_sim_state(line);
        ph_group_get(PH_SO3)->log(0, a.q, psi);
        ph_raise(max, ph_norm(ph_sub(ph_load3(psi), ph_scale(b.q[0], n))) / k);
        ph_raise(max, ph_norm(ph_sub(ph_load3(a.v), ph_scale(b.v[0], n))) / k);
    }
    return 1;
}

/* In R^1 a Runge-Kutta-Munthe-Kaas method is the classical one. All tableaux. */
int ph_measure_parallel(ph_study *study, const ph_claim_run *run, double *value)
{
    const ph_problem *p = ph_study_problem(study, run);
    const ph_vec3 n = ph_v3(2. / 7, 3. / 7, 6. / 7);
    const double psi[1] = {0.5}, omega[1] = {1.5}, s = sin(psi[0] / 2);
    const double q0[4] = {cos(psi[0] / 2), n.x * s, n.y * s, n.z * s};
    const double v0[3] = {n.x * omega[0], n.y * omega[0], n.z * omega[0]};
    ph_oscillator c = {.zeta = 0.1 / sqrt(10), .omega = sqrt(10)};
    ph_system line = ph_oscillator_system(&c);
    int ok = p != NULL;
    value[0] = 0;
    for (int k = 0; ok && ph_tableau_name(k); k++) {
        ph_claim_run r = *run;
        r.tableau = ph_tableau_name(k);
        ph_options o = ph_claim_options(&r);
        ph_sim *a = NULL, *b = NULL;
        ok = ph_sim_create(&a, &p->sys, &o, 0, q0, v0, NULL) == PH_OK &&
             ph_sim_create(&b, &line, &o, 0, psi, omega, NULL) == PH_OK && side_by_side(a, b, n, value);
        ph_sim_destroy(a);
        ph_sim_destroy(b);
    }
    return ok;
}

/* ---- error control ------------------------------------------------------------------------------------ */

/* Largest entry of log(q_exact^-1 q), and of v - v_exact over max(1, |v_exact|), node by node. */
static double distance(const ph_system *sys, const ph_state *s, const ph_state *exact)
{
    double max = 0;
    for (int i = 0; i < sys->n_nodes; i++) {
        const ph_group_ops *op = ph_group_get(sys->nodes[i].group);
        int n = sys->nodes[i].n, dim = ph_group_dim(sys->nodes[i].group, n);
        const double *v = exact->v + exact->v_at[i];
        double e[8], d[8], size = 1;
        op->inverse(n, exact->q + exact->q_at[i], e);
        op->compose(n, e, s->q + s->q_at[i], e);
        op->log(n, e, d);
        for (int k = 0; k < dim; k++)
            size = fmax(size, fabs(v[k]));
        for (int k = 0; k < dim; k++) {
            ph_raise(&max, fabs(d[k]));
            ph_raise(&max, fabs(s->v[s->v_at[i] + k] - v[k]) / size);
        }
    }
    return max;
}

static int controlled(const ph_reference_case *given, const ph_claim_run *run, double tol, ph_sim **sim,
                      ph_error *err)
{
    ph_options o = ph_claim_options(run);
    o.h = 0, o.tol = tol;
    *sim = NULL;
    return ph_sim_create(sim, &given->p->sys, &o, 0, given->p->q0, given->p->v0, err) == PH_OK &&
           ph_sim_run_until(*sim, run->to, NULL, NULL, err) == PH_OK;
}

int ph_measure_tolerance(ph_study *study, const ph_claim_run *run, double *value)
{
    static const double tol[3] = {1e-6, 1e-9, 1e-12};
    ph_error *err = &ph_study_model_results(study)->complaint;
    ph_reference_case given;
    ph_reference *exact = NULL;
    if (!ph_reference_case_open(&given, study, run))
        return 0;
    int ok = ph_reference_create(&exact, given.p, run->to, 1, err) == PH_OK;
    for (int k = 0; ok && k < 3; k++) {
        ph_sim *sim;
        ok = controlled(&given, run, tol[k], &sim, err);
        if (ok) {
            ph_state end = ph_sim_state(sim), truth = ph_reference_state(exact, 1);
            value[k] = distance(&given.p->sys, &end, &truth);
        }
        ph_sim_destroy(sim);
    }
    ph_reference_destroy(exact);
    ph_reference_case_close(&given);
    return ok;
}

int ph_measure_flips(ph_study *study, const ph_claim_run *run, double *value)
{
    ph_reference_case given;
    ph_sim *sim;
    if (!ph_reference_case_open(&given, study, run))
        return 0;
    int ok = controlled(&given, run, run->tol, &sim, &ph_study_model_results(study)->complaint);
    if (ok) {
        ph_stats stats = ph_sim_stats(sim);
        value[0] = stats.h_most / stats.h_least;
    }
    ph_sim_destroy(sim);
    ph_reference_case_close(&given);
    return ok;
}

/* ---- orders of model files ---------------------------------------------------------------------------- */

/* Errors of q, v, lambda at the end of a run with step size h; row: two rows of the probe. */
static int errors(const ph_reference_case *given, const ph_claim_run *run, ph_probe *probe,
                  ph_reference *exact, double *row, double e[3], ph_error *err)
{
    ph_options o = ph_claim_options(run);
    double d[PH_MEASURES];
    ph_sim *sim = NULL;
    int ok = ph_sim_create(&sim, &given->p->sys, &o, 0, given->p->q0, given->p->v0, err) == PH_OK &&
             ph_sim_run(sim, lrint(run->to / run->h), NULL, NULL, err) == PH_OK;
    if (ok) {
        ph_state end = ph_sim_state(sim), truth = ph_reference_state(exact, 1);
        ph_probe_rewind(probe);
        ph_probe_read(probe, &end, row);
        ph_probe_rewind(probe);
        ph_probe_read(probe, &truth, row + probe->size);
        ph_probe_distance(probe, row, row + probe->size, d);
        e[0] = d[PH_OF_Q], e[1] = d[PH_OF_V], e[2] = d[PH_OF_LAMBDA];
    }
    ph_sim_destroy(sim);
    return ok;
}

int ph_measure_model_orders(ph_study *study, const ph_claim_run *run, double *value)
{
    ph_error *err = &ph_study_model_results(study)->complaint;
    ph_reference_case given;
    ph_reference *exact = NULL;
    double e[3][3];
    if (!ph_reference_case_open(&given, study, run))
        return 0;
    ph_probe *probe = ph_probe_create(&given.p->sys, given.runner.run, 0, NULL);
    double *row = probe ? calloc(2 * (size_t)probe->size, sizeof *row) : NULL;
    int ok = row && ph_reference_create(&exact, given.p, run->to, 1, err) == PH_OK;
    for (int k = 0; ok && k < 3; k++) {
        ph_claim_run r = *run;
        r.h = ldexp(run->h, -k);
        ok = errors(&given, &r, probe, exact, row, e[k], err);
    }
    for (int i = 0; ok && i < 3; i++) {
        const double by_h[3] = {e[0][i], e[1][i], e[2][i]};
        value[i] = ph_claim_order(run, by_h);
    }
    ph_reference_destroy(exact);
    free(row);
    ph_probe_destroy(probe);
    ph_reference_case_close(&given);
    return ok;
}
