/* Runge-Kutta-Munthe-Kaas methods of any tableau: steps of one size, or of sizes that an error control finds.
 *
 * With tol and h the method runs ahead of the grid of the output, in steps of its own from last to end, and
 * the state at a point of the grid between them is interpolated (K9), projected to the constraints, and given
 * its vdot and lambda. Two points of a step are enough for what is of order 5, three for order 9; beyond, the
 * method itself goes to the point, from last or from half way. */
#include "step/control.h"
#include "step/dense.h"

typedef struct rkmk {
    ph_rk rk;
    ph_control control;
    ph_dense dense;            /* of the step from last to end */
    ph_point last, end, spare; /* with tol and h */
    ph_point middle;           /* of three points */
    int points;                /* of dense output; 0: none does */
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
    if (!(sim->opt.tol > 0))
        return;
    ph_control_take(&m->control, &sim->lay, a);
    if (!(sim->opt.h > 0))
        return;
    ph_dense_take(&m->dense, &sim->lay, a);
    ph_point_take(&m->last, &sim->lay, a);
    ph_point_take(&m->end, &sim->lay, a);
    ph_point_take(&m->spare, &sim->lay, a);
    ph_point_take(&m->middle, &sim->lay, a);
}

static ph_status prepare(ph_sim *sim, ph_error *err)
{
    rkmk *m = of(sim);
    ph_status s = ph_tableau_get(sim->opt.tableau, &m->rk.tab, err);
    if (s != PH_OK)
        return s;
    sim->opt.tableau = m->rk.tab.name;
    m->control.tol = sim->opt.tol;
    int order = ph_control_order(&m->rk.tab);
    m->points = order <= 5 ? 2 : order <= 9 ? 3 : 0;
    return ph_rk_prepare(&m->rk, sim, err);
}

static ph_status start(ph_sim *sim)
{
    (void)sim; /* a step sees that there is none before it */
    return PH_OK;
}

/* ---- the grid of the output ----------------------------------------------------------------------- */

/* Steps of the method until they reach the next point of the grid. */
static ph_status run_ahead(ph_sim *sim, rkmk *m)
{
    double t_max = fmax(sim->t_stop, sim->next.t);
    while (m->end.t < sim->next.t) {
        ph_status s = ph_control_step(sim, &m->control, &m->rk, &m->end, t_max, &m->spare);
        if (s != PH_OK) {
            ph_point_copy(&sim->next, &m->spare, &sim->lay); /* where it failed */
            return s;
        }
        ph_point last = m->last;
        m->last = m->end, m->end = m->spare, m->spare = last;
        m->dense.n = 0;
    }
    return PH_OK;
}

/* A point within the step: half way, from which two half steps differ by no more than tol. */
static ph_status half_way(ph_sim *sim, rkmk *m, const ph_point **p)
{
    *p = &m->control.half; /* of the step doubling that accepted the step */
    if (!m->rk.tab.embedded)
        return PH_OK;
    double h = 0.5 * (m->end.t - m->last.t);
    *p = &m->middle;
    m->middle.t = m->last.t + h;
    return ph_rk_step(sim, &m->rk, &m->last, h, &m->middle, NULL);
}

static ph_status interpolate(ph_sim *sim, rkmk *m, ph_point *to)
{
    const ph_point *p[PH_DENSE_POINTS] = {&m->last, &m->end, &m->end};
    ph_status s = PH_OK;
    if (!m->dense.n && m->points != 2)
        s = half_way(sim, m, &p[1]);
    if (s != PH_OK)
        return s;
    if (!m->points) {
        const ph_point *from = p[to->t > p[1]->t];
        return ph_rk_step(sim, &m->rk, from, to->t - from->t, to, NULL);
    }
    if (!m->dense.n)
        ph_dense_fit(&m->dense, &sim->lay, m->points, p);
    ph_dense_at(&m->dense, &sim->lay, &m->last, to);
    for (int i = 0; i < sim->lay.nl; i++)
        to->lambda[i] = m->last.lambda[i];
    return ph_rk_settle(sim, m->end.t - m->last.t, to);
}

static ph_status step_on_grid(ph_sim *sim, rkmk *m)
{
    double t = sim->next.t;
    if (!sim->has_last) {
        ph_point_copy(&m->end, &sim->now, &sim->lay);
        m->control.h = 0;
    }
    ph_status s = run_ahead(sim, m);
    if (s != PH_OK)
        return s;
    if (m->end.t == t) {
        ph_point_copy(&sim->next, &m->end, &sim->lay);
        return PH_OK;
    }
    return interpolate(sim, m, &sim->next);
}

/* ---- the step ------------------------------------------------------------------------------------- */

static ph_status step(ph_sim *sim)
{
    rkmk *m = of(sim);
    sim->step_iterations = 0;
    if (!(sim->opt.tol > 0))
        return ph_rk_step(sim, &m->rk, &sim->now, sim->opt.h, &sim->next, NULL);
    if (sim->opt.h > 0)
        return step_on_grid(sim, m);
    if (!sim->has_last)
        m->control.h = 0;
    return ph_control_step(sim, &m->control, &m->rk, &sim->now, sim->t_stop, &sim->next);
}

static ph_status tape(ph_sim *sim, ph_tape *t)
{
    rkmk *m = of(sim);
    const ph_layout *lay = &sim->lay;
    if (sim->opt.tol > 0)
        ph_control_tape(&m->control, lay, t);
    if (sim->opt.tol > 0 && sim->opt.h > 0) {
        ph_point_tape(&m->last, lay, t);
        ph_point_tape(&m->end, lay, t);
        ph_dense_tape(&m->dense, lay, t);
    }
    return ph_rk_tape(&m->rk, sim, t);
}

static void release(ph_sim *sim)
{
    ph_rk_release(&of(sim)->rk);
}

const ph_stepper ph_rkmk_stepper = {
    .name = "rkmk",
    .text = "Runge-Kutta-Munthe-Kaas, index-1 with projection, fixed steps or error control",
    .cite = "H. Munthe-Kaas: High order Runge-Kutta methods on manifolds, Applied Numerical Mathematics 29 "
            "(1999)",
    .reads = PH_READS_TABLEAU | PH_READS_TOL | PH_READS_NEWTON,
    .size = sizeof(rkmk),
    .prepare = prepare,
    .take = take,
    .start = start,
    .step = step,
    .tape = tape,
    .release = release,
};
