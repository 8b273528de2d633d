/* Runge-Kutta-Munthe-Kaas methods of any tableau: steps of one size, or of sizes that an error control finds.
 *
 * With tol and h the method runs ahead of the grid of the output, and the state at a point of the grid between the ends
 * of a step is interpolated (K9), projected to the constraints, and given its vdot and lambda. Two points of a step are enough for what is of order 5, three for order 9; beyond, the
 * method itself goes to the point, from last or from half way. */
#include "method/ahead.h"
#include "method/control.h"

typedef struct rkmk {
    ph_rk rk;
    ph_control control;
    ph_ahead ahead;
    ph_point middle; /* of three points */
    int points;      /* of dense output; 0: none does */
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
    if (!ph_sim_paced(sim))
        return;
    ph_control_take(&m->control, &sim->lay, a);
    ph_ahead_take(&m->ahead, sim, a);
    if (ph_sim_has_grid(sim))
        ph_point_take(&m->middle, &sim->lay, a);
}

static ph_status prepare(ph_sim *sim, ph_error *err)
{
    rkmk *m = of(sim);
    ph_status s = ph_tableau_get(sim->opt.tableau, &m->rk.tab, err);
    if (s != PH_OK)
        return s;
    sim->opt.tableau = m->rk.tab.name;
    ph_pace_prepare(&m->control.pace, &sim->opt);
    int order = ph_control_order(&m->rk.tab);
    m->points = order <= 5 ? 2 : order <= 9 ? 3 : 0;
    return ph_rk_prepare(&m->rk, sim, err);
}

static ph_status start(ph_sim *sim)
{
    (void)sim; /* a step sees that there is none before it */
    return PH_OK;
}

/* ---- steps by error control ------------------------------------------------------------------------ */

static void begin(ph_sim *sim, void *method)
{
    rkmk *m = method;
    (void)sim;
    ph_pace_begin(&m->control.pace, m->ahead.corner);
}

static ph_status controlled_step(ph_sim *sim, double t_max, void *method)
{
    rkmk *m = method;
    m->rk.tally = sim->tally;
    ph_status s = ph_control_step(sim, &m->control, &m->rk, &sim->now, t_max, &sim->next);
    sim->h = sim->next.t - sim->now.t;
    ph_rk_end_tally(sim, &m->rk, m->rk.part, s);
    return s;
}

/* A point within the step: half way, from which two half steps differ by no more than tol. */
static ph_status half_way(ph_sim *sim, rkmk *m, const ph_point *last, const ph_point *end, const ph_point **p)
{
    *p = &m->control.half; /* of the step doubling that accepted the step */
    if (!m->rk.tab.embedded)
        return PH_OK;
    double h = 0.5 * (end->t - last->t);
    *p = &m->middle;
    m->middle.t = last->t + h;
    return ph_rk_step(sim, &m->rk, last, h, &m->middle, NULL);
}

static ph_status between(ph_sim *sim, const ph_point *last, const ph_point *end, ph_point *to, void *method)
{
    rkmk *m = method;
    ph_dense *dense = &m->ahead.dense;
    const ph_point *p[PH_DENSE_POINTS] = {last, end, end};
    ph_status s = PH_OK;
    if (!dense->n && m->points != 2)
        s = half_way(sim, m, last, end, &p[1]);
    if (s != PH_OK)
        return s;
    if (!m->points) {
        const ph_point *from = p[to->t > p[1]->t];
        return ph_rk_step(sim, &m->rk, from, to->t - from->t, to, NULL);
    }
    if (!dense->n)
        ph_dense_fit(dense, &sim->lay, m->points, p);
    ph_dense_at(dense, &sim->lay, last, to);
    for (int i = 0; i < sim->lay.nl; i++)
        to->lambda[i] = last->lambda[i];
    return ph_rk_settle(sim, end->t - last->t, to);
}

/* ---- the step ------------------------------------------------------------------------------------- */

static const ph_ahead_ops ahead_ops = {begin, controlled_step, between};

static ph_status step(ph_sim *sim)
{
    rkmk *m = of(sim);
    sim->step_iterations = 0;
    if (!ph_sim_paced(sim)) {
        m->rk.tally = sim->tally;
        ph_status s = ph_rk_step(sim, &m->rk, &sim->now, sim->h, &sim->next, NULL);
        ph_rk_end_tally(sim, &m->rk, m->rk.part, s);
        return s;
    }
    return ph_ahead_step(sim, &m->ahead, &ahead_ops, m);
}

static ph_status tape(ph_sim *sim, ph_tape *t)
{
    rkmk *m = of(sim);
    const ph_layout *lay = &sim->lay;
    if (ph_sim_paced(sim)) {
        ph_control_tape(&m->control, lay, t);
        ph_ahead_tape(&m->ahead, sim, t);
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
