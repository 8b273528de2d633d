/* Generalized-alpha in coordinates, linear form: accelerations are weighted as in a vector space.
 *
 * With (C1) and (C2), where w and b are those of generalized-alpha in a vector space,
 *
 *   M vdot1 + g + B^T lambda1 = 0 at q1, v1, t1, with Phi = 0 or B v + Phi_t = 0
 *   (1 - alpha_m) a1 + alpha_m a_n = (1 - alpha_f) y1 + alpha_f vdot_n,   a_{n+1} = T(c) a1 + S(c, u1)   (C4)
 *
 * Second order. Reference: Bruels, Eberhard, (88)-(94). */
#include "method/alpha_start.h"
#include "method/chart_alpha.h"

#include <string.h>

static ph_chart_alpha *of(const ph_sim *sim)
{
    return sim->method;
}

static ph_calpha_weights coefficients(const ph_alpha *p, double h)
{
    double f = 1 / (1 - p->alpha_f), m = 1 / (1 - p->alpha_m), bh2 = p->beta * h * h;
    return (ph_calpha_weights){.w_v = 1 - p->gamma / p->beta,
                               .w_a = h * (1 - p->gamma / (2 * p->beta)),
                               .b_v = -p->eps,
                               .b_a = (p->alpha_m - (1 - p->alpha_m) * (1 - p->gamma) / p->gamma) * f,
                               .b_d = -p->alpha_f * f,
                               .a_y = (1 - p->alpha_f) * m,
                               .a_a = -p->alpha_m * m,
                               .a_d = p->alpha_f * m,
                               .c_v = h,
                               .c_a = h * h / 2 - bh2 - bh2 * p->alpha_m * m,
                               .c_d = bh2 * p->alpha_f * m,
                               .c_1 = bh2 * (1 - p->alpha_f) * m};
}

static ph_status prepare(ph_sim *sim, ph_error *err)
{
    ph_chart_alpha *m = of(sim);
    ph_status s = ph_calpha_prepare(sim, err);
    if (s == PH_OK)
        m->k = coefficients(&m->p, sim->opt.h);
    return s;
}

static void resize(ph_sim *sim)
{
    ph_chart_alpha *m = of(sim);
    ph_alpha_resize(&m->p, sim->h, &m->ops);
    m->k = coefficients(&m->p, sim->h);
}

static ph_step_ops *ops_of_size(ph_sim *sim, double h, double **Bn)
{
    (void)h; /* resize has seen to it */
    *Bn = NULL;
    return &of(sim)->ops;
}

/* cdddot = vddot + v x vdot/2 + |v|^2 v/8 at c = 0                                                    (C5) */
static void add_turns(const ph_sim *sim, double *vddot)
{
    for (const ph_slot *i = sim->lay.slot, *end = i + sim->lay.N; i < end; i++)
        if (i->rot < i->dim) {
            int at = i->v_at + i->rot;
            ph_vec3 v = ph_load3(sim->now.v + at), d = ph_load3(sim->now.vdot + at);
            ph_vec3 lie = ph_add(ph_scale(0.5, ph_cross(v, d)), ph_scale(ph_dot(v, v) / 8, v));
            ph_store3(vddot + at, ph_add(ph_load3(vddot + at), lie));
        }
}

static ph_status start(ph_sim *sim)
{
    ph_chart_alpha *m = of(sim);
    const ph_alpha_start_rules rules = {.p = &m->p, .ops = ops_of_size, .third = add_turns};
    return ph_alpha_start(sim, &rules, sim->after, m->w, m->c);
}

static void linearise(ph_sim *sim)
{
    ph_chart_alpha *m = of(sim);
    m->ops.L = m->ops.Q = NULL;
    if (sim->opt.newton != PH_SIMPLIFIED)
        ph_calpha_linearise(sim);
}

static ph_status step(ph_sim *sim)
{
    ph_chart_alpha *m = of(sim);
    ph_calpha_predict(sim);
    m->ops.update = ph_calpha_update, m->ops.linearise = linearise, m->ops.correct = ph_calpha_correct;
    ph_status s = ph_newton_solve(sim, &m->ops);
    if (s == PH_OK)
        ph_calpha_acceleration(sim, sim->next.a);
    return s;
}

/* ---- sensitivities ------------------------------------------------------------------------------ */

static const ph_step_ops *sens_ops(ph_sim *sim)
{
    ph_calpha_linearise(sim);
    return &of(sim)->ops;
}

static void sens_accept(ph_sim *sim, const ph_variation *now, ph_variation *next)
{
    double *z1 = of(sim)->w; /* done with */
    for (const ph_slot *i = sim->lay.slot, *end = i + sim->lay.N; i < end; i++)
        ph_calpha_vary(sim, i, now, next, z1, next->a);
}

static ph_status sens_restore(ph_sim *sim)
{
    ph_calpha_restore(sim);
    ph_calpha_acceleration(sim, sim->next.a);
    return PH_OK;
}

static void sens_accept_back(ph_sim *sim, ph_variation *next, ph_variation *now)
{
    for (const ph_slot *i = sim->lay.slot, *end = i + sim->lay.N; i < end; i++)
        ph_calpha_vary_back(sim, i, next->a, next->a, ph_v3(0, 0, 0), next, now);
}

const ph_stepper ph_linear_alpha_stepper = {
    .name = "linear-alpha",
    .text = "generalized-alpha in conformal rotation vectors, with weighted accelerations",
    .cite = PH_CALPHA_CITE,
    .reads = PH_READS_ALPHA | PH_READS_FORMULATION | PH_READS_NEWTON | PH_READS_START,
    .in_coordinates = 1,
    .size = sizeof(ph_chart_alpha),
    .prepare = prepare,
    .resize = resize,
    .take = ph_calpha_take,
    .start = start,
    .step = step,
    .sens_ops = sens_ops,
    .sens_predict = ph_calpha_sens_predict,
    .sens_accept = sens_accept,
    .sens_restore = sens_restore,
    .sens_accept_back = sens_accept_back,
    .sens_predict_back = ph_calpha_sens_predict_back,
};
