/* The algorithms of the sigma-modified generalized-alpha paper exactly as printed, to document the
 * difference.
 *
 * Index-3 (its Algorithms 1 and 2) and stabilised index-2 (Algorithm 3). They do not solve the paper's own
 * equations: the predictor lacks a factor 1/2 and the updates drop d(T^-1 v)/dtheta; since v and vdot are
 * only incremented, both survive convergence, and the method behaves as one with about 2 sigma. Use
 * "genalpha" for anything but comparison.
 *
 *   vdot1 = 0,  lambda1 = 0,  a1 = (alpha_f vdot_n - alpha_m a_n)/(1 - alpha_m)
 *   v1 = v_n + h (1 - gamma) a_n + h gamma a1
 *   theta = (I - sigma h beta/gamma hat(v1)) (h v_n + h^2 (1/2 - beta) a_n + h^2 beta a1)              (Q1)
 *   repeat with the increment D of the solved system:
 *     sigma = 1: q1 = q1 o exp(D);  otherwise theta += T^-1(theta) D, q1 = q_n o exp(theta)             (Q2)
 *     v1 += gp P^-1(theta) D + sigma P^-1 B(q_n)^T deta                                                 (Q3)
 *     vdot1 += gp eps P^-1(theta) D + eps sigma P^-1 B(q_n)^T deta,  lambda1 += dlambda                 (Q4)
 *   a1 += (1 - alpha_f)/(1 - alpha_m) vdot1
 *   P^-1 = I + (1 - sigma)/2 (hat(theta) - (2 - 3 (1 - sigma))/6 hat(theta)^2)                          (Q5)
 *
 * sigma = 0 has no printed algorithm here: it is geom1, which "genalpha" gives. */
#include <string.h>

#include "la/small.h"
#include "method/alpha_start.h"

typedef struct printed {
    ph_alpha p;
    double *theta, *y; /* nv; y: B(q_n)^T deta */
    double *Pinv;      /* nT */
    double *Bn;        /* links */
    ph_step_ops ops;
} printed;

static printed *of(ph_sim *sim)
{
    return sim->method;
}

static ph_status prepare(ph_sim *sim, ph_error *err)
{
    printed *m = of(sim);
    ph_status s = ph_alpha_prepare(&sim->opt, &m->p, &m->ops, err);
    if (s != PH_OK)
        return s;
    if (sim->opt.formulation == PH_INDEX2)
        return ph_fail(err, PH_E_INPUT, "genalpha-printed has no index-2 form: none is printed");
    if (m->p.sigma == 0)
        return ph_fail(err, PH_E_INPUT,
                       "genalpha-printed needs sigma different from 0: sigma = 0 is geom1, which "
                       "genalpha gives");
    if (sim->opt.newton == PH_MODIFIED)
        return ph_fail(err, PH_E_INPUT, "genalpha-printed works with newton full or simplified");
    m->ops.always = 1; /* it adds up increments of v that its Jacobians make */
    return PH_OK;
}

static void resize(ph_sim *sim)
{
    printed *m = of(sim);
    ph_alpha_resize(&m->p, sim->h, &m->ops);
}

static void take(ph_sim *sim, ph_arena *a)
{
    printed none, *m = sim->method ? of(sim) : &none;
    size_t d = sizeof(double), nv = (size_t)sim->lay.nv;
    m->theta = ph_arena_take(a, nv, d);
    m->y = ph_arena_take(a, nv, d);
    m->Pinv = ph_arena_take(a, (size_t)sim->lay.nT, d);
    m->Bn = ph_arena_take(a, (size_t)sim->lay.size_links, d);
}

/* (Q5) */
static void inverse_P(ph_sim *sim, int i)
{
    printed *m = of(sim);
    const ph_layout *lay = &sim->lay;
    int n = lay->slot[i].dim;
    double c = 1 - m->p.sigma, H[PH_DIM_MAX * PH_DIM_MAX], H2[PH_DIM_MAX * PH_DIM_MAX];
    double *P = m->Pinv + lay->slot[i].T_at;
    lay->slot[i].op->hat(n, m->theta + lay->v_at[i], H);
    ph_small_mmul(n, n, n, H, H, H2);
    for (int k = 0; k < n * n; k++)
        P[k] = (k % (n + 1) == 0) + c / 2 * (H[k] - (2 - 3 * c) / 6 * H2[k]);
}

/* Everything is incremented: the point is up to date as it is. */
static ph_status update(ph_sim *sim)
{
    (void)sim;
    return PH_OK;
}

static void linearise(ph_sim *sim)
{
    printed *m = of(sim);
    m->ops.L = m->ops.F = m->p.sigma == 1 || sim->opt.newton == PH_SIMPLIFIED ? NULL : m->Pinv;
}

/* (Q2)-(Q4) for one node of a curved group; d = x + y is replaced by P^-1 d. */
static void correct_node(ph_sim *sim, int i, const double *x, double *d)
{
    printed *m = of(sim);
    const ph_layout *lay = &sim->lay;
    const ph_group_ops *op = lay->slot[i].op;
    int n = lay->slot[i].dim;
    double *q = sim->next.q + lay->q_at[i], *theta = m->theta + lay->v_at[i], e[PH_DIM_MAX + 1];
    if (m->p.sigma == 1) {
        op->exp(n, x, e);
        op->compose(n, q, e, q);
    } else {
        double Tinv[PH_DIM_MAX * PH_DIM_MAX], b[PH_DIM_MAX];
        op->Tinv(n, theta, Tinv);
        ph_small_mul_add(n, n, Tinv, x, theta);
        op->exp(n, theta, e);
        op->compose(n, sim->now.q + lay->q_at[i], e, q);
        inverse_P(sim, i);
        memcpy(b, d, sizeof(double) * (size_t)n);
        ph_small_mul(n, m->Pinv + lay->slot[i].T_at, b, d);
    }
    q += op->quat;
    sim->next.R[lay->R_at[i]] = ph_qmat((ph_quat){q[0], q[1], q[2], q[3]});
}

static double correct(ph_sim *sim, const double *x)
{
    printed *m = of(sim);
    const ph_layout *lay = &sim->lay;
    double moved = 0, turned = 0, *d = m->y;
    ph_newton_eta(&sim->matrix, m->Bn, m->p.gp / m->p.sigma, x, d, sim->next.eta);
    for (int i = 0; i < lay->nv; i++)
        d[i] += x[i];
    for (int i = 0; i < lay->N; i++) {
        int n = lay->slot[i].dim, at = lay->v_at[i],
            rot = lay->slot[i].op->rot < 0 ? n : lay->slot[i].op->rot;
        if (lay->slot[i].T_at >= 0)
            correct_node(sim, i, x + at, d + at);
        else
            for (int k = 0; k < n; k++)
                sim->next.q[lay->q_at[i] + k] += x[at + k];
        for (int k = 0; k < n; k++) {
            double *size = k < rot ? &moved : &turned;
            sim->next.v[at + k] += m->p.gp * d[at + k];
            sim->next.vdot[at + k] += m->p.gp * m->p.eps * d[at + k];
            *size = ph_larger(*size, fabs(d[at + k]));
        }
    }
    moved /= m->ops.tol.x, turned /= m->ops.tol.R;
    return moved > turned || isnan(moved) ? moved : turned;
}

/* (Q1) */
static void predict(ph_sim *sim)
{
    printed *m = of(sim);
    const ph_layout *lay = &sim->lay;
    const ph_alpha *p = &m->p;
    const ph_point *now = &sim->now;
    ph_point *next = &sim->next;
    double h = sim->h;
    memset(next->vdot, 0, sizeof(double) * (size_t)lay->nv);
    memset(next->lambda, 0, sizeof(double) * (size_t)lay->nl);
    memset(next->eta, 0, sizeof(double) * (size_t)lay->nl);
    for (int i = 0; i < lay->nv; i++) {
        next->a[i] = (p->alpha_f * now->vdot[i] - p->alpha_m * now->a[i]) / (1 - p->alpha_m);
        next->v[i] = now->v[i] + h * (1 - p->gamma) * now->a[i] + h * p->gamma * next->a[i];
        m->theta[i] = h * now->v[i] + h * h * ((0.5 - p->beta) * now->a[i] + p->beta * next->a[i]);
    }
    for (int i = 0; i < lay->N; i++)
        if (lay->slot[i].T_at >= 0) {
            int n = lay->slot[i].dim, at = lay->v_at[i];
            double H[PH_DIM_MAX * PH_DIM_MAX], x[PH_DIM_MAX], v[PH_DIM_MAX];
            for (int k = 0; k < n; k++)
                x[k] = m->theta[at + k], v[k] = -p->sigma * h * p->beta / p->gamma * next->v[at + k];
            lay->slot[i].op->hat(n, v, H);
            ph_small_mul_add(n, n, H, x, m->theta + at);
            inverse_P(sim, i);
        }
    ph_point_shift(lay, now, 1, m->theta, next);
    m->ops.tol = ph_step_tolerances(sim, p->beta);
}

static ph_status step(ph_sim *sim)
{
    printed *m = of(sim);
    const ph_layout *lay = &sim->lay;
    const ph_alpha *p = &m->p;
    predict(sim);
    if (sim->matrix.n_eta > 0) {
        if (ph_newton_links(sim, m->Bn) != PH_OK)
            return PH_E_CALLBACK;
        m->ops.Bn = m->Bn;
    }
    m->ops.update = update, m->ops.linearise = linearise, m->ops.correct = correct;
    ph_status s = ph_newton_solve(sim, &m->ops);
    for (int i = 0; s == PH_OK && i < lay->nv; i++)
        sim->next.a[i] += (1 - p->alpha_f) / (1 - p->alpha_m) * sim->next.vdot[i];
    return s;
}

static ph_step_ops *ops_of_size(ph_sim *sim, double h, double **Bn)
{
    printed *m = of(sim);
    (void)h; /* resize has seen to it */
    *Bn = m->Bn;
    return &m->ops;
}

static ph_status start(ph_sim *sim)
{
    printed *m = of(sim);
    const ph_alpha_start_rules rules = {.p = &m->p, .ops = ops_of_size};
    return ph_alpha_start(sim, &rules, sim->after, m->theta, m->y);
}

const ph_stepper ph_genalpha_printed_stepper = {
    .name = "genalpha-printed",
    .text = "the printed algorithms of the sigma-modified generalized-alpha paper, for comparison only",
    .cite = "S. Holzinger, M. Arnold, J. Gerstmayr: Sigma-modified Lie group generalized-alpha methods for "
            "constrained "
            "multibody systems",
    .reads = PH_READS_ALPHA | PH_READS_SIGMA | PH_READS_FORMULATION | PH_READS_NEWTON | PH_READS_START,
    .size = sizeof(printed),
    .prepare = prepare,
    .resize = resize,
    .take = take,
    .start = start,
    .step = step,
};
