/* What happened: the summary of a run, and what a step that failed leaves, in words of the model. */
#include <stdio.h>
#include <string.h>

#include "mech/mech.h"
#include "run/private.h"
#include "step/sim.h"

ph_status ph_refuse_null(const char *names, ph_error *err)
{
    return ph_fail(err, PH_E_INPUT,
                   strchr(names, ',') ? "%s: none of them may be NULL" : "%s may not be NULL", names);
}

/* The list and the index of what a node or a constraint of the system belongs to. */
static ph_run_culprit name_culprit(const ph_run *run, int is_constraint, int index, double residual)
{
    const ph_mechanism *m = run->mech;
    if (!m)
        return (ph_run_culprit){is_constraint ? PH_CONSTRAINTS : PH_NODES, index, residual};
    if (is_constraint) {
        int own = m->sys.n_constraints - m->model->n_constraints;
        for (int k = 0; k < m->model->n_joints; k++)
            if (index >= m->joint_of[k] && index < m->joint_of[k + 1])
                return (ph_run_culprit){PH_JOINTS, k, residual};
        return (ph_run_culprit){PH_CONSTRAINTS, index >= own ? index - own : -1, residual};
    }
    for (int b = 0; b < m->model->n_bodies; b++)
        if (m->body[b].frame == b && index >= m->body[b].node[0] &&
            index < m->body[b].node[0] + m->body[b].nodes)
            return (ph_run_culprit){PH_BODIES, b, residual};
    return (ph_run_culprit){PH_NODES, index, residual};
}

static void note(ph_run *run, ph_status s)
{
    const ph_failure *f = ph_sim_failure(run->sim);
    run->trouble = (ph_run_trouble){
        .status = s, .iterations = f->iterations, .n_culprits = f->n_culprits, .t = f->t, .h = f->h};
    for (int k = 0; k < f->n_culprits; k++)
        run->trouble.culprit[k] =
            name_culprit(run, f->culprit[k].is_constraint, f->culprit[k].index, f->culprit[k].value);
}

/* Where the library can only say that a callback refused, the model knows why. "": it does not. */
static const char *reason(const ph_mechanism *mech, const ph_model *model, ph_status s, char *why,
                          size_t size)
{
    why[0] = 0;
    if (s != PH_E_CALLBACK || !mech)
        return why;
    ph_mechanism_complaint(mech, why, size);
    if (!why[0])
        snprintf(why, size, "%s", ph_model_complaint(model));
    return why;
}

ph_status ph_run_explain(ph_run *run, ph_status s, ph_error *err)
{
    char why[400];
    note(run, s);
    reason(run->mech, run->model, s, why, sizeof why);
    return why[0] ? ph_fail(err, s, "t = %.9g: %s", run->trouble.t, why) : s;
}

ph_status ph_run_explain_start(const ph_mechanism *mech, const ph_model *model, ph_status s, double t,
                               ph_error *err)
{
    char why[400];
    reason(mech, model, s, why, sizeof why);
    return why[0] ? ph_fail(err, s, "t = %.9g: %s", t, why) : s;
}

ph_status ph_run_explain_static(const ph_run *run, ph_status s, ph_error *err)
{
    char why[400];
    reason(run->mech, run->model, s, why, sizeof why);
    return why[0] ? ph_fail(err, s, "%s", why) : s;
}

ph_run_trouble ph_run_failure(const ph_run *run)
{
    return run->trouble;
}

/* Work of the steps in evaluations of accelerations:
 *
 *   explicit methods: their stages;   implicit ones: F (0.9 s^2 iterations + 1.2 s^3 Jacobians)           (RB15)
 *
 * with s coupled stages, and F the size of the factors of a step over the size of the factors for accelerations. */
double ph_run_work(const ph_run *run)
{
    ph_stats c = ph_sim_stats(run->sim);
    if (!c.iterations)
        return (double)c.residuals;
    const ph_newton_matrix *nm = &run->sim->matrix;
    double own = nm->solver ? (double)ph_solver_get_info(nm->solver).fill : 0;
    double initial = nm->initial ? (double)ph_solver_get_info(nm->initial).fill : 0;
    double F = initial > 0 ? fmax(1, own / initial) : 1, s = (double)c.residuals / (double)c.iterations;
    return F * s * s * (0.9 * (double)c.iterations + 1.2 * s * (double)c.jacobians);
}

ph_run_summary ph_run_summarise(const ph_run *run)
{
    const ph_watched *w = &run->watched;
    ph_run_summary s = {.stats = ph_sim_stats(run->sim),
                        .violation_position = w->most_position,
                        .violation_velocity = w->most_velocity,
                        .energy_initial = w->first_kinetic + w->first_potential,
                        .energy = w->kinetic + w->potential,
                        .work = ph_integral_value(&w->work),
                        .dissipated = ph_integral_value(&w->dissipated),
                        .residual = w->most_residual};
    s.stats.wall_s = run->wall_s, s.stats.cpu_s = run->cpu_s;
    return s;
}

const char *ph_run_complaint(const ph_run *run, char *text, size_t size)
{
    return reason(run->mech, run->model, PH_E_CALLBACK, text, size);
}
