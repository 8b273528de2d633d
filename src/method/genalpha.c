/* Generalized-alpha on a Lie group for any sigma, in closed form: index-3, index-2 and stabilised index-2.
 *
 * Unknowns of a step: theta, lambda and, in the stabilised form, eta. With gp = gamma/(h beta),
 * P(theta) = sigma I + (1 - sigma) T(theta) and w = (1 - gamma/beta) v_n + h (1 - gamma/(2 beta)) a_n:
 *
 *   q1 = q_n o exp(theta)                                                                      (G1)
 *   P(theta) v1 = gp theta + T(theta) w + E eta                                                (G2)
 *   a1 = (v1 - v_n)/(h gamma) - (1 - gamma)/gamma a_n                                          (G3)
 *   vdot1 = ((1 - alpha_m) a1 + alpha_m a_n - alpha_f vdot_n)/(1 - alpha_f)                    (G4)
 *   M vdot1 + g + B^T lambda1 = 0 at q1, v1, t1, with Phi = 0 or B v + Phi_t = 0 or both       (G5)
 *
 * Derivatives for Newton's method, with u = w (+ E' eta in the inside form) - (1 - sigma) v1:
 *
 *   dq = T dtheta,  dv1 = P^-1 (gp I + D_T(theta; u)) dtheta + P^-1 E deta,  dvdot1 = eps dv1  (G6)
 *
 *   inside:   E = gamma/beta T(theta) B(q_n)^T                                                 (G7)
 *   outside:  E = gamma/beta B(q_n)^T                                                          (G8)
 *
 * References: Holzinger, Arnold, Gerstmayr (sigma-modified methods); Arnold, Bruels, Cardona (error
 * analysis). */
#include <float.h>
#include <string.h>

#include "la/small.h"
#include "la/vectors.h"
#include "lie/groups.h"
#include "lie/se3_batch.h"
#include "lie/so3_batch.h"
#include "method/alpha_ahead.h"
#include "method/alpha_start.h"
#include "step/increment.h"

/* ---- parameters --------------------------------------------------------------------------------- */

static ph_status check_parameters(const ph_alpha *p, ph_error *err)
{
    if (!(p->beta > 0) || !(p->gamma > 0) || !isfinite(p->beta) || !isfinite(p->gamma))
        return ph_fail(err, PH_E_INPUT, "beta = %g and gamma = %g: both must be positive", p->beta, p->gamma);
    if (!(p->alpha_m < 1) || !(p->alpha_f < 1) || !isfinite(p->alpha_m) || !isfinite(p->alpha_f))
        return ph_fail(err, PH_E_INPUT, "alpha_m = %g and alpha_f = %g: both must be below 1", p->alpha_m,
                       p->alpha_f);
    return PH_OK;
}

ph_status ph_alpha_prepare(ph_options *o, ph_alpha *p, ph_step_ops *ops, ph_error *err)
{
    double r = o->rho, a = o->hht_alpha;
    switch (o->scheme) {
    case PH_CHUNG_HULBERT:
        if (!(r >= 0 && r <= 1))
            return ph_fail(err, PH_E_INPUT, "rho = %g is outside [0, 1]", r);
        p->alpha_m = (2 * r - 1) / (r + 1), p->alpha_f = r / (r + 1);
        p->gamma = 0.5 + p->alpha_f - p->alpha_m;
        p->beta = 0.25 * (p->gamma + 0.5) * (p->gamma + 0.5);
        break;
    case PH_HHT:
        if (!(a >= 0 && a <= 1.0 / 3))
            return ph_fail(err, PH_E_INPUT, "HHT alpha = %g is outside [0, 1/3]", a);
        p->alpha_m = 0, p->alpha_f = a;
        p->gamma = 0.5 + a, p->beta = 0.25 * (1 + a) * (1 + a);
        break;
    case PH_NEWMARK:
        p->alpha_m = p->alpha_f = 0, p->beta = o->beta, p->gamma = o->gamma;
        break;
    case PH_FOUR_NUMBERS:
        p->alpha_m = o->alpha_m, p->alpha_f = o->alpha_f, p->beta = o->beta, p->gamma = o->gamma;
        break;
    default:
        return ph_fail(err, PH_E_INPUT, "no scheme has the code %d", (int)o->scheme);
    }
    p->sigma = o->sigma == PH_SIGMA_OPT ? p->gamma / (3 * p->beta) : o->sigma;
    if (!isfinite(p->sigma))
        return ph_fail(err, PH_E_INPUT, "sigma = %g is not a number", o->sigma);
    o->alpha_m = p->alpha_m, o->alpha_f = p->alpha_f, o->beta = p->beta, o->gamma = p->gamma;
    o->sigma = p->sigma;
    ph_alpha_resize(p, o->h, ops);
    return check_parameters(p, err);
}

void ph_alpha_resize(ph_alpha *p, double h, ph_step_ops *ops)
{
    p->gp = p->gamma / (h * p->beta);
    ops->eta = p->gp * p->beta / p->gamma;
    p->eps = (1 - p->alpha_m) / (h * p->gamma * (1 - p->alpha_f));
    ops->s = 1 / (p->eps * p->gp), ops->inv_eps = 1 / p->eps, ops->inv_gp = 1 / p->gp;
}

int ph_alpha_is_second_order(const ph_alpha *p)
{
    return fabs(p->gamma - (0.5 + p->alpha_f - p->alpha_m)) <= 1e-12;
}

double ph_alpha_C_q(const ph_alpha *p)
{
    return (1 - 6 * p->beta - 3 * (p->alpha_m - p->alpha_f)) / 6;
}

/* ---- one step ----------------------------------------------------------------------------------- */

/* Coefficients of w, of c (vdot1 = eps v1 + c) and of the first guess in terms of v_n, a_n, vdot_n and a
 * guessed vdot1. */
typedef struct guess {
    double w_v, w_a, c_a, c_d, E;              /* E: gamma/beta */
    double theta_v, theta_a, theta_0, theta_1; /* of theta without its Lie part */
    double v_a, v_0, v_1, lie;                 /* of v1; -sigma h beta/(2 gamma) */
    double
        slope; /* vdot changes by this times what it did in the last step: h over that of the last; 0: it stays */
} guess;

typedef struct genalpha {
    ph_alpha p;
    int inside;       /* form (G7) */
    double *theta;    /* nv, with constant steps room for lambda and eta behind it: n_guessed */
    double *w, *c;    /* nv; vdot1 = eps v1 + c, from (G3) and (G4) */
    double *Tw, *u;   /* nv; T w; u of (G6), for batches */
    double *y, *dy;   /* nv; gamma/beta B_n^T eta and its increment over gp; stabilised form */
    double *Bn;       /* links; B(q_n); stabilised form */
    double *T, *Tinv; /* nT */
    double *L, *F;    /* nT; of (N1) */
    double *a_bar;    /* nv: covector of a_n as the step has it */
    guess guess;      /* its slope is that of the step */
    int degree; /* of the polynomials in time that guess theta, lambda and eta; 0: theta from vdot as guess has it */
    double *before
        [PH_PAST]; /* theta of the steps before, the last first, each with its lambda and eta behind it; constant steps */
    double h; /* s, the step size of all these numbers; 0: none yet */
    ph_step_ops ops;
    ph_alpha_ahead ahead; /* with tol */
} genalpha;

static genalpha *of(ph_sim *sim)
{
    return sim->method;
}

static guess coefficients(const ph_alpha *p, double h)
{
    double af = 1 / (1 - p->alpha_f), am = 1 / (1 - p->alpha_m), bh2 = p->beta * h * h, gh = p->gamma * h;
    double a1_a = -p->alpha_m * am, a1_0 = p->alpha_f * am, a1_1 = (1 - p->alpha_f) * am;
    return (guess){.w_v = 1 - p->gamma / p->beta,
                   .w_a = h * (1 - p->gamma / (2 * p->beta)),
                   .c_a = (p->alpha_m - (1 - p->alpha_m) * (1 - p->gamma) / p->gamma) * af,
                   .c_d = -p->alpha_f * af,
                   .E = p->gamma / p->beta,
                   .theta_v = h,
                   .theta_a = h * h / 2 - bh2 + bh2 * a1_a,
                   .theta_0 = bh2 * a1_0,
                   .theta_1 = bh2 * a1_1,
                   .v_a = h - gh + gh * a1_a,
                   .v_0 = gh * a1_0,
                   .v_1 = gh * a1_1,
                   .lie = -p->sigma * h * p->beta / (2 * p->gamma)};
}

static ph_status sized_step(ph_sim *sim, double h, const ph_point *from, double slope);
static ph_step_ops *ops_of_size(ph_sim *sim, double h, double **Bn);
static ph_status factor(ph_sim *sim, double h);

static ph_status prepare(ph_sim *sim, ph_error *err)
{
    genalpha *m = of(sim);
    const ph_alpha *p = &m->p;
    ph_status s = ph_alpha_prepare(&sim->opt, &m->p, &m->ops, err);
    m->inside = sim->opt.ggl_form == PH_GGL_INSIDE || (sim->opt.ggl_form == PH_GGL_AUTO && p->sigma == 0);
    m->ops.exact = 1;
    m->guess = coefficients(p, sim->opt.h);
    if (s == PH_OK && !ph_alpha_is_second_order(p) && sim->opt.log)
        sim->opt.log("gamma differs from 1/2 + alpha_f - alpha_m: the method is of first order",
                     sim->opt.log_ctx);
    return s == PH_OK && ph_sim_paced(sim)
               ? ph_alpha_ahead_prepare(&m->ahead, sim, p, sized_step, ops_of_size, factor, err)
               : s;
}

/* Numbers of theta, lambda and, in the stabilised form, eta, in whole fours. */
static int n_guessed(const ph_sim *sim)
{
    int n = sim->lay.nv + (sim->opt.formulation == PH_GGL ? 2 : 1) * sim->lay.nl;
    return (n + 3) / 4 * 4;
}

static void take(ph_sim *sim, ph_arena *a)
{
    genalpha none, *m = sim->method ? of(sim) : &none;
    size_t d = sizeof(double), nv = (size_t)sim->lay.nv, nT = (size_t)sim->lay.nT;
    size_t guessed = ph_sim_paced(sim) ? nv : (size_t)n_guessed(sim);
    m->theta = ph_arena_take(a, guessed, d);
    m->w = ph_arena_take(a, nv, d);
    m->c = ph_arena_take(a, nv, d);
    m->Tw = ph_arena_take(a, nv, d);
    m->u = ph_arena_take(a, nv, d);
    m->T = ph_arena_take(a, nT, d);
    m->Tinv = ph_arena_take(a, nT, d);
    m->L = ph_arena_take(a, nT, d);
    m->F = ph_arena_take(a, nT, d);
    m->a_bar = ph_arena_take(a, nv, d);
    int stabilised = sim->opt.formulation == PH_GGL;
    m->y = ph_arena_take(a, stabilised ? nv : 0, d);
    m->dy = ph_arena_take(a, stabilised ? nv : 0, d);
    m->Bn = ph_arena_take(a, stabilised ? (size_t)sim->lay.size_links : 0, d);
    for (int j = 0; j < PH_PAST; j++)
        m->before[j] = ph_arena_take(a, ph_sim_paced(sim) ? 0 : guessed, d);
    if (ph_sim_paced(sim))
        ph_alpha_ahead_take(&m->ahead, sim, a);
}

/* (G1) for a node of a vector space: there T = I. */
PH_INLINE void add_vectors(int n, const double *a, const double *b, double *sum)
{
    for (int k = 0; k < n; k++)
        sum[k] = a[k] + b[k];
}

/* (G1) for a node of a curved group, and T w. T is kept whatever is asked for: T w reads it. */
PH_INLINE void move_curved(int n, const genalpha *m, const ph_slot *i, const double *q0, ph_point *next,
                           double *Tinv)
{
    double *q1 = next->q + i->q_at, *u = q1 + i->op->quat, *T = m->T + i->T_at;
    i->op->move(n, q0 + i->q_at, m->theta + i->v_at, q1, T, Tinv ? Tinv + i->T_at : NULL);
    next->R[i->R_at] = ph_qmat((ph_quat){u[0], u[1], u[2], u[3]});
    ph_small_upper_mul(n, T, m->w + i->v_at, m->Tw + i->v_at);
}

/* What is done with four nodes of a kind at once. */
static const struct {
    int dim;
    void (*move)(const ph_batch *b, const double *q0, const double *x, const double *u, double *q1, double *R,
                 double *T, double *Tinv, double *Tu);
    void (*dT)(const ph_batch *b, const double *x, const double *u, double *D);
    void (*L)(const ph_batch *b, const double *x, const double *u, double s, const double *Tinv, double *L);
} batch_ops[PH_BATCHES] = {
    [PH_BATCH_SO3] = {3, ph_so3_batch_move, ph_so3_batch_dT, ph_so3_batch_L},
    [PH_BATCH_SE3] = {6, ph_se3_batch_move, ph_se3_batch_dT, ph_se3_batch_L},
};

#define EACH_BATCH(lay, kind, b)                                                                             \
    for (const ph_batch *b = (lay)->batch[kind], *end = b + (lay)->n_batches[kind]; b < end; b++)

/* (G1) and T w. T, of batches, and Tinv are kept where they are not NULL. */
static void move(const genalpha *m, const ph_layout *lay, const double *q0, ph_point *next, double *T,
                 double *Tinv)
{
    for (int k = 0; k < PH_BATCHES; k++)
        EACH_BATCH(lay, k, b)
    batch_ops[k].move(b, q0, m->theta, m->w, next->q, &next->R->xx, T, Tinv, m->Tw);
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++)
        if (i->T_at < 0)
            PH_BY_SIZE(i->dim, add_vectors, q0 + i->q_at, m->theta + i->v_at, next->q + i->q_at);
        else if (!i->batched)
            PH_BY_SIZE(i->dim, move_curved, m, i, q0, next, Tinv);
}

/* v1 = gp theta + u + y and (G4) for n numbers in a row; y may be NULL */
static void velocities(const genalpha *m, int n, const double *u, const double *y, ph_point *next)
{
    double *vdot = next->vdot;
    int i = 0;
#define VELOCITY(number)                                                                                     \
    {                                                                                                        \
        number v = m->p.gp * *(const number *)(m->theta + i) + *(const number *)(u + i);                     \
        if (y)                                                                                               \
            v += *(const number *)(y + i);                                                                   \
        *(number *)(next->v + i) = v;                                                                        \
        *(number *)(vdot + i) = m->p.eps * v + *(const number *)(m->c + i);                                  \
    }
    for (int wide = ph_vector_fours(n); i < wide; i += 4)
        VELOCITY(ph_four)
    for (; i < n; i++)
        VELOCITY(double)
#undef VELOCITY
}

/* v1 from (G2) on a curved group; y is gamma/beta B_n^T eta or NULL. F receives P^-1 where it is not simple. */
PH_INLINE void velocity(int n, const genalpha *m, int at, int T_at, const double *y, double *v)
{
    double sigma = m->p.sigma, u[PH_DIM_MAX], x[PH_DIM_MAX], *F = m->F + T_at;
    const double *T = m->T + T_at;
    for (int k = 0; k < n; k++)
        u[k] = m->w[at + k] + (y && m->inside ? y[k] : 0), x[k] = m->p.gp * m->theta[at + k];
    if (sigma == 0) { /* P = T and T theta = theta: v1 = gp theta + u + T^-1 y */
        for (int k = 0; k < n; k++)
            v[k] = x[k] + u[k];
        if (y && !m->inside)
            ph_small_mul_add(n, n, m->Tinv + T_at, y, v);
        return;
    }
    ph_small_mul_add(n, n, T, u, x);
    if (y && !m->inside)
        for (int k = 0; k < n; k++)
            x[k] += y[k];
    if (sigma == 1) {
        for (int k = 0; k < n; k++)
            v[k] = x[k];
        return;
    }
    double P[PH_DIM_MAX * PH_DIM_MAX];
    for (int k = 0; k < n * n; k++)
        P[k] = (1 - sigma) * T[k] + (k % (n + 1) == 0 ? sigma : 0);
    if (!ph_small_inverse(n, P, F))
        memset(F, 0xff, sizeof(double) * (size_t)(n * n)); /* NaN: the iteration fails */
    ph_small_mul(n, F, x, v);
}

/* (G2)-(G4) for a node of a curved group. */
PH_INLINE void update_curved(int n, const genalpha *m, const ph_slot *i, const double *y, ph_point *next)
{
    int at = i->v_at;
    double v[PH_DIM_MAX];
    velocity(n, m, at, i->T_at, y ? y + at : NULL, v);
    for (int k = 0; k < n; k++)
        next->v[at + k] = v[k], next->vdot[at + k] = m->p.eps * v[k] + m->c[at + k];
}

/* The point of the present theta and eta. Where P = I, and where P = T without eta, (G2) is the same for all numbers, and T w all
 * that is needed of T; elsewhere nodes of curved groups are done once more. */
static ph_status place(ph_sim *sim, int T, int Tinv)
{
    const genalpha *m = of(sim);
    const ph_layout *lay = &sim->lay;
    const double *y = sim->matrix.n_eta > 0 ? m->y : NULL;
    int alike = m->p.sigma == 1 ? !(y && m->inside) : m->p.sigma == 0 && !y;
    move(m, lay, sim->now.q, &sim->next, T || !alike ? m->T : NULL, Tinv || !alike ? m->Tinv : NULL);
    velocities(m, lay->nv, m->p.sigma == 1 ? m->Tw : m->w, y, &sim->next);
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end && !alike; i++)
        if (i->T_at >= 0)
            PH_BY_SIZE(i->dim, update_curved, m, i, y, &sim->next);
    return PH_OK;
}

static ph_status update(ph_sim *sim)
{
    return place(sim, 0, 1);
}

/* Nothing follows but derivatives, if there are any. */
static ph_status settle(ph_sim *sim)
{
    return place(sim, sim->sens != NULL, sim->sens != NULL);
}

/* L = P^-1 (I + D/gp) T^-1 and F = P^-1 or P^-1 T of one node, from (G6); F holds P^-1 but for sigma = 0, D is D_T(theta; u). */
PH_INLINE void linearise_slope(int n, genalpha *m, int T_at, int stabilised, double *D)
{
    double sigma = m->p.sigma, X[PH_DIM_MAX * PH_DIM_MAX];
    double *L = m->L + T_at, *F = m->F + T_at;
    const double *Tinv = m->Tinv + T_at, *Pinv = sigma == 0 ? Tinv : F;
    if (n == 6 && sigma == 1) {
        ph_upper_store(D, ph_upper_one_and(ph_upper_scale(m->ops.inv_gp, ph_upper_load(D))));
        ph_upper_store(L, ph_upper_mul(D, ph_upper_load(Tinv)));
        return;
    }
    for (int k = 0; k < n * n; k++)
        D[k] *= m->ops.inv_gp;
    for (int k = 0; k < n; k++)
        D[k * (n + 1)] += 1;
    if (sigma == 1) {
        ph_small_mmul(n, n, n, D, Tinv, L);
        return;
    }
    ph_small_mmul(n, n, n, Pinv, D, X);
    ph_small_mmul(n, n, n, X, Tinv, L);
    if (stabilised && m->inside) {
        ph_small_mmul(n, n, n, F, m->T + T_at, X);
        memcpy(F, X, sizeof(double) * (size_t)(n * n));
    }
}

/* u of (G6) */
PH_INLINE void slope_of(int n, const genalpha *m, int at, const double *v, int stabilised, double *u)
{
    for (int k = 0; k < n; k++)
        u[k] = m->w[at + k] + (stabilised && m->inside ? m->y[at + k] : 0) - (1 - m->p.sigma) * v[at + k];
}

PH_INLINE void linearise_node(int n, genalpha *m, const ph_slot *i, const double *v, int stabilised)
{
    double u[PH_DIM_MAX], D[PH_DIM_MAX * PH_DIM_MAX];
    slope_of(n, m, i->v_at, v, stabilised, u);
    i->op->dT(n, m->theta + i->v_at, u, D);
    linearise_slope(n, m, i->T_at, stabilised, D);
}

PH_INLINE void linearise_batch(int n, genalpha *m, const ph_batch *b, int kind, const double *v,
                               int stabilised)
{
    double D[PH_BATCH * PH_DIM_MAX * PH_DIM_MAX];
    const double *u = m->w; /* where sigma = 1 */
    if (m->p.sigma != 1 || (stabilised && m->inside)) {
        u = m->u;
        for (int k = 0; k < PH_BATCH; k++)
            slope_of(n, m, b->v_at[k], v, stabilised, m->u + b->v_at[k]);
    }
    if (m->p.sigma == 1) {
        batch_ops[kind].L(b, m->theta, u, m->ops.inv_gp, m->Tinv, m->L);
        return;
    }
    batch_ops[kind].dT(b, m->theta, u, D);
    for (int k = 0; k < PH_BATCH; k++)
        linearise_slope(n, m, b->T_at[k], stabilised, D + n * n * k);
}

static void linearise_batches(genalpha *m, const ph_layout *lay, const double *v, int stabilised)
{
    for (int k = 0; k < PH_BATCHES; k++)
        EACH_BATCH(lay, k, b)
    PH_BY_SIZE(batch_ops[k].dim, linearise_batch, m, b, k, v, stabilised);
}

static void linearise_exactly(ph_sim *sim)
{
    genalpha *m = of(sim);
    const ph_layout *lay = &sim->lay;
    double sigma = m->p.sigma;
    int stabilised = sim->matrix.n_eta > 0;
    m->ops.L = m->ops.F = NULL;
    if (stabilised && !(sigma == 0 && m->inside) && !(sigma == 1 && !m->inside))
        m->ops.F = sigma == 0 ? m->Tinv : sigma == 1 ? m->T : m->F;
    int simple = sigma == 0 && !(stabilised && !m->inside); /* u = -gp theta, and L = T^-1 */
    m->ops.L = simple ? m->Tinv : m->L;
    if (simple)
        return;
    linearise_batches(m, lay, sim->next.v, stabilised);
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++)
        if (i->T_at >= 0 && !i->batched)
            PH_BY_SIZE(i->dim, linearise_node, m, i, sim->next.v, stabilised);
}

static void linearise(ph_sim *sim)
{
    genalpha *m = of(sim);
    m->ops.L = m->ops.F = NULL;
    if (sim->opt.newton != PH_SIMPLIFIED)
        linearise_exactly(sim);
}

/* Increment of eta: y += gamma/beta B_n^T deta, deta = gp beta/gamma x_eta. */
static void correct_eta(ph_sim *sim, const double *x)
{
    genalpha *m = of(sim);
    ph_newton_eta(&sim->matrix, m->Bn, m->ops.eta, x, m->dy, sim->next.eta);
    ph_vector_add(sim->lay.nv, m->p.gp, m->dy, m->y);
}

PH_INLINE void turn(int n, const double *Tinv, const double *dq, double *theta)
{
    ph_small_upper_mul_add(n, Tinv, dq, theta);
}

/* theta += T^-1 dq; the size of the increment in units of the tolerances, NaN if any number is NaN. */
static double correct(ph_sim *sim, const double *x)
{
    genalpha *m = of(sim);
    const ph_layout *lay = &sim->lay;
    int stabilised = sim->matrix.n_eta > 0, simplified = sim->opt.newton == PH_SIMPLIFIED;
    ph_increment size = {0};
    if (stabilised)
        correct_eta(sim, x);
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++) {
        int n = i->dim, at = i->v_at;
        double *theta = m->theta + at;
        if (i->T_at < 0 || simplified)
            PH_BY_SIZE(n, add_vectors, theta, x + at, theta);
        else
            PH_BY_SIZE(n, turn, m->Tinv + i->T_at, x + at, theta);
        ph_increment_add(&size, i, x + at, theta);
        if (stabilised)
            ph_increment_add_eta(&size, i, m->dy + at);
    }
    return ph_increment_size(&size, m->ops.tol);
}

/* Constant parts of the step. */
static void prepare_numbers(genalpha *m, const guess *g, int n, const ph_point *now)
{
    int i = 0;
#define PREPARE(number)                                                                                      \
    {                                                                                                        \
        number v = *(const number *)(now->v + i), a = *(const number *)(now->a + i);                         \
        *(number *)(m->w + i) = g->w_v * v + g->w_a * a;                                                     \
        *(number *)(m->c + i) = g->c_a * a + g->c_d * *(const number *)(now->vdot + i) - m->p.eps * v;       \
    }
    for (; i + 4 <= n; i += 4) /* what it reads was written long before, also of short vectors */
        PREPARE(ph_four)
    for (; i < n; i++)
        PREPARE(double)
#undef PREPARE
}

/* theta of a first guess, without its Lie part. The start of the last step is in last. */
static void guess_numbers(genalpha *m, const guess *g, int n, const ph_point *now, const double *last,
                          double *v1)
{
    int i = 0;
#define GUESS(number)                                                                                        \
    {                                                                                                        \
        number v = *(const number *)(now->v + i), a = *(const number *)(now->a + i);                         \
        number d = *(const number *)(now->vdot + i), d1 = d + g->slope * (d - *(const number *)(last + i));  \
        *(number *)(m->theta + i) = g->theta_v * v + g->theta_a * a + g->theta_0 * d + g->theta_1 * d1;      \
        *(number *)(v1 + i) = g->lie * (v + g->v_a * a + g->v_0 * d + g->v_1 * d1);                          \
    }
    for (; i + 4 <= n; i += 4)
        GUESS(ph_four)
    for (; i < n; i++)
        GUESS(double)
#undef GUESS
}

/* theta += [v1, theta] on a curved group, v1 times lie */
PH_INLINE void add_bracket(int n, const ph_slot *i, const double *v1, double *theta)
{
    double x[PH_DIM_MAX], H[PH_DIM_MAX * PH_DIM_MAX];
    if (i->op == &ph_so3_ops) {
        ph_store3(theta, ph_add(ph_load3(theta), ph_cross(ph_load3(v1), ph_load3(theta))));
        return;
    }
    for (int k = 0; k < n; k++)
        x[k] = theta[k];
    i->op->hat(n, v1, H);
    ph_small_mul_add(n, n, H, x, theta);
}

PH_INLINE void copy(int n, const double *from, double *to)
{
    for (int k = 0; k < n; k++)
        to[k] = from[k];
}

/* All of them; Tw of vector spaces is w in every iteration. */
static void prepare_nodes(genalpha *m, const ph_layout *lay, const guess *g, const ph_point *now)
{
    prepare_numbers(m, g, lay->nv, now);
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++)
        if (i->T_at < 0)
            PH_BY_SIZE(i->dim, copy, m->w + i->v_at, m->Tw + i->v_at);
}

/* theta from vdot on a line through the last two points, lambda likewise. */
static void guess_from_vdot(ph_sim *sim, const ph_point *from, double slope)
{
    genalpha *m = of(sim);
    const ph_layout *lay = &sim->lay;
    const guess *g = &m->guess;
    const ph_point *last = slope > 0 ? &sim->last : &sim->now;
    double *v1 = sim->next.v;
    m->guess.slope = slope;
    guess_numbers(m, g, lay->nv, from, last->vdot, v1);
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end && g->lie != 0; i++)
        if (i->T_at >= 0)
            PH_BY_SIZE(i->dim, add_bracket, i, v1 + i->v_at, m->theta + i->v_at);
    for (int i = 0; i < lay->nl; i++)
        sim->next.lambda[i] = sim->now.lambda[i] + slope * (sim->now.lambda[i] - last->lambda[i]);
    if (sim->matrix.n_eta > 0)
        memset(sim->next.eta, 0, sizeof(double) * (size_t)lay->nl);
}

/* Weights of the values before in the next one on the polynomial through them: (-1)^j (degree + 1 over j + 1) */
static const double weights[PH_PAST][PH_PAST] = {
    {1},
    {2, -1},
    {3, -3, 1},
    {4, -6, 4, -1},
    {5, -10, 10, -5, 1},
    {6, -15, 20, -15, 6, -1},
    {7, -21, 35, -35, 21, -7, 1},
};

/* theta, lambda and eta on polynomials through those of the steps before. */
static void guess_from_steps(ph_sim *sim)
{
    genalpha *m = of(sim);
    int nv = sim->lay.nv, nl = sim->lay.nl, n = n_guessed(sim), points = m->degree + 1;
    const double *c = weights[m->degree];
    for (int i = 0; i < n; i += 4) {
        ph_four sum = c[0] * *(const ph_four *)(m->before[0] + i);
        for (int j = 1; j < points; j++)
            sum += c[j] * *(const ph_four *)(m->before[j] + i);
        *(ph_four *)(m->theta + i) = sum;
    }
    ph_vector_copy(nl, m->theta + nv, sim->next.lambda);
    if (sim->matrix.n_eta > 0)
        ph_vector_copy(nl, m->theta + nv + nl, sim->next.eta);
}

#define MEASURED 64 /* nodes, of all that there are, that tell how good a guess is */

/* The largest error of each degree, had it guessed theta of this step: a polynomial is off by the difference of the next order, a line of
 * vdot by its second difference. */
static void measure_degrees(const ph_sim *sim, const genalpha *m, double error[PH_PAST])
{
    const double *d0 = sim->last.vdot, *d1 = sim->now.vdot, *d2 = sim->next.vdot;
    const ph_slot *end = sim->lay.slot + sim->lay.N;
    memset(error, 0, sizeof(double) * PH_PAST);
    for (const ph_slot *i = sim->lay.slot; i < end; i += 1 + sim->lay.N / MEASURED)
        for (int k = 0, at = i->v_at; k < i->dim; k++, at++) {
            double d[PH_PAST + 1] = {m->theta[at]}, inv_tol = 1 / (k < i->rot ? m->ops.tol.x : m->ops.tol.R);
            for (int j = 0; j < PH_PAST; j++)
                d[j + 1] = m->before[j][at];
            error[0] = ph_larger(error[0], inv_tol * m->guess.theta_1 * fabs(d2[at] - 2 * d1[at] + d0[at]));
            for (int p = 0; p < PH_PAST; p++) {
                for (int j = 0; j < PH_PAST - p; j++)
                    d[j] -= d[j + 1];
                error[p] = p ? ph_larger(error[p], inv_tol * fabs(d[0])) : error[p];
            }
        }
}

/* The least degree that is about as good as the best. */
static double choose_degree(ph_sim *sim)
{
    genalpha *m = of(sim);
    double error[PH_PAST], least = HUGE_VAL;
    measure_degrees(sim, m, error);
    for (int p = 0; p < PH_PAST; p++)
        least = fmin(least, error[p]);
    for (m->degree = 0; error[m->degree] > 2 * least; m->degree++)
        ;
    return error[0];
}

/* v and a of the start are those of from. */
static void predict(ph_sim *sim, const ph_point *from, double slope)
{
    genalpha *m = of(sim);
    prepare_nodes(m, &sim->lay, &m->guess, from);
    if (sim->n_past < PH_PAST || sim->matrix.fresh)
        m->degree = 0;
    if (m->degree > 0)
        guess_from_steps(sim);
    else
        guess_from_vdot(sim, from, slope);
    m->ops.tol = ph_step_tolerances(sim, m->p.beta);
}

/* (G3), (G4) */
static void update_a(const ph_alpha *p, int nv, const double *vdot, const double *a, const double *vdot1,
                     double *a1)
{
    double inv = 1 / (1 - p->alpha_m), a_n = -p->alpha_m * inv, d_n = p->alpha_f * inv,
           d_1 = (1 - p->alpha_f) * inv;
    int i = 0;
#define UPDATE(number)                                                                                       \
    *(number *)(a1 + i) = d_1 * *(const number *)(vdot1 + i) + d_n * *(const number *)(vdot + i) +           \
                          a_n * *(const number *)(a + i);
    for (int wide = ph_vector_fours(nv); i < wide; i += 4)
        UPDATE(ph_four)
    for (; i < nv; i++)
        UPDATE(double)
#undef UPDATE
}

/* y of eta */
static void pull_eta(ph_sim *sim)
{
    genalpha *m = of(sim);
    ph_newton_pull(&sim->matrix, m->Bn, sim->next.eta, m->y);
    for (int i = 0; i < sim->lay.nv; i++)
        m->y[i] *= m->guess.E;
}

static ph_status solve_step(ph_sim *sim, const ph_point *from, double slope)
{
    genalpha *m = of(sim);
    const ph_layout *lay = &sim->lay;
    const ph_alpha *p = &m->p;
    predict(sim, from, slope);
    if (sim->matrix.n_eta > 0) {
        if (ph_newton_links(sim, m->Bn) != PH_OK)
            return PH_E_CALLBACK;
        if (m->degree > 0)
            pull_eta(sim);
        else
            memset(m->y, 0, sizeof(double) * (size_t)lay->nv);
        m->ops.Bn = m->Bn;
    }
    m->ops.update = update, m->ops.settle = settle;
    m->ops.linearise = linearise, m->ops.correct = correct;
    m->ops.improve = ph_sim_paced(sim) ? NULL : choose_degree;
    ph_status s = ph_newton_solve(sim, &m->ops);
    if (s != PH_OK)
        return s;
    update_a(p, lay->nv, from->vdot, from->a, sim->next.vdot, sim->next.a);
    return PH_OK;
}

/* All that depends on the step size. */
static void set_size(genalpha *m, double h)
{
    ph_alpha_resize(&m->p, h, &m->ops);
    m->guess = coefficients(&m->p, h);
    m->h = h;
}

static void resize(ph_sim *sim)
{
    set_size(of(sim), sim->h);
}

/* A step of size h from sim->now, but with v and a of from. */
static ph_status sized_step(ph_sim *sim, double h, const ph_point *from, double slope)
{
    genalpha *m = of(sim);
    sim->h = h;
    if (m->h != h)
        set_size(m, h);
    return solve_step(sim, from, slope);
}

static ph_step_ops *ops_of_size(ph_sim *sim, double h, double **Bn)
{
    genalpha *m = of(sim);
    set_size(m, h);
    *Bn = m->Bn;
    return &m->ops;
}

static ph_status factor(ph_sim *sim, double h)
{
    return ph_alpha_factor(sim, ops_of_size, h);
}

static ph_status step(ph_sim *sim)
{
    return ph_sim_paced(sim) ? ph_alpha_ahead_step(sim, &of(sim)->ahead)
                             : solve_step(sim, &sim->now, sim->n_past > 0);
}

/* theta and what is behind it becomes the last of those before. */
static void accept(ph_sim *sim)
{
    genalpha *m = of(sim);
    int nl = sim->lay.nl;
    if (ph_sim_paced(sim))
        return;
    double *theta = m->theta, *lambda = theta + sim->lay.nv;
    ph_vector_copy(nl, sim->next.lambda, lambda);
    if (sim->matrix.n_eta > 0)
        ph_vector_copy(nl, sim->next.eta, lambda + nl);
    m->theta = m->before[PH_PAST - 1];
    for (int j = PH_PAST - 1; j > 0; j--)
        m->before[j] = m->before[j - 1];
    m->before[0] = theta;
}

static ph_status tape(ph_sim *sim, ph_tape *t)
{
    genalpha *m = of(sim);
    if (ph_sim_paced(sim)) {
        ph_alpha_ahead_tape(&m->ahead, sim, t);
        return PH_OK;
    }
    ph_tape_int(t, &m->degree);
    for (int j = 0; j < PH_PAST && t->brief < 2; j++)
        ph_tape_numbers(t, m->before[j], n_guessed(sim));
    if (t->brief == 2 && t->mode == PH_TAPE_READ && sim->n_past > 1)
        sim->n_past = 1; /* first guesses begin anew */
    return PH_OK;
}

/* ---- sensitivities ------------------------------------------------------------------------------ */

static const ph_step_ops *sens_ops(ph_sim *sim)
{
    linearise_exactly(sim);
    return &of(sim)->ops;
}

/* v = P^-1 v */
PH_INLINE void divide_by_P(int n, const genalpha *m, const double *T, double *v)
{
    double P[PH_DIM_MAX * PH_DIM_MAX];
    for (int k = 0; k < n * n; k++)
        P[k] = (1 - m->p.sigma) * T[k] + (k % (n + 1) == 0 ? m->p.sigma : 0);
    if (!ph_small_solve(n, 1, P, v))
        memset(v, 0xff, sizeof(double) * (size_t)n); /* NaN */
}

/* For a node of a curved group: P^-1, G = P^-1 T and A = Ad(exp(-theta)) = I - hat(theta) T. */
PH_INLINE void variation_maps(int n, const genalpha *m, const ph_slot *i, double *Pinv, double *G, double *A)
{
    double sigma = m->p.sigma, H[PH_DIM_MAX * PH_DIM_MAX], P[PH_DIM_MAX * PH_DIM_MAX];
    const double *T = m->T + i->T_at;
    i->op->hat(n, m->theta + i->v_at, H);
    ph_small_mmul(n, n, n, H, T, A);
    for (int k = 0; k < n * n; k++) {
        double I = k % (n + 1) == 0;
        A[k] = I - A[k];
        P[k] = (1 - sigma) * T[k] + sigma * I;
    }
    if (n == 3)
        ph_store33(Pinv, ph_minv(ph_load33(P)));
    else if (!ph_small_inverse(n, P, Pinv))
        memset(Pinv, 0xff, sizeof P); /* NaN */
    ph_small_mmul(n, n, n, Pinv, T, G);
}

/* P^-1 (T w' + (E eta)') of a node of a curved group, to v, and W = Ad(exp(-theta)) W_n, which is
 * W_n - theta x T W_n; y is (E eta)' without T. */
PH_INLINE void predict_variation(int n, const genalpha *m, const ph_slot *i, const double *w, const double *y,
                                 const double *W_n, double *v, double *W)
{
    double sigma = m->p.sigma, H[PH_DIM_MAX * PH_DIM_MAX], u[PH_DIM_MAX], x[PH_DIM_MAX];
    const double *T = m->T + i->T_at, *Tinv = m->Tinv + i->T_at;
    i->op->hat(n, m->theta + i->v_at, H);
    ph_small_mul(n, T, W_n, u);
    ph_small_mul(n, H, u, x);
    for (int k = 0; k < n; k++) {
        W[k] = W_n[k] - x[k];
        u[k] = w[k] + (y && m->inside ? y[k] : 0);
    }
    if (sigma == 0) { /* P = T */
        for (int k = 0; k < n; k++)
            v[k] = u[k];
        if (y && !m->inside)
            ph_small_mul_add(n, n, Tinv, y, v);
        return;
    }
    ph_small_mul(n, T, u, v);
    for (int k = 0; k < n && y && !m->inside; k++)
        v[k] += y[k];
    if (sigma != 1)
        divide_by_P(n, m, T, v);
}

PH_INLINE void predict_variations(int n, const genalpha *m, const ph_slot *i, const ph_variation *now,
                                  const double *y, ph_variation *next)
{
    const guess *g = &m->guess;
    const double *v_n = now->v + i->v_at, *a_n = now->a + i->v_at, *vdot_n = now->vdot + i->v_at,
                 *W_n = now->W + i->v_at;
    double *v = next->v + i->v_at, *vdot = next->vdot + i->v_at, *W = next->W + i->v_at;
    if (i->T_at < 0) {
        for (int k = 0; k < n; k++) {
            W[k] = W_n[k];
            v[k] = g->w_v * v_n[k] + g->w_a * a_n[k] + (y ? g->E * y[i->v_at + k] : 0);
        }
    } else {
        double w[PH_DIM_MAX], Ey[PH_DIM_MAX];
        for (int k = 0; k < n; k++) {
            w[k] = g->w_v * v_n[k] + g->w_a * a_n[k];
            Ey[k] = y ? g->E * y[i->v_at + k] : 0;
        }
        predict_variation(n, m, i, w, y ? Ey : NULL, W_n, v, W);
    }
    for (int k = 0; k < n; k++)
        vdot[k] = m->p.eps * (v[k] - v_n[k]) + g->c_a * a_n[k] + g->c_d * vdot_n[k];
}

/* now, with a' as the step has it; z: nv. */
static ph_variation start_of(const ph_sim *sim, const genalpha *m, const ph_variation *now, double *z)
{
    ph_variation from = *now;
    if (ph_sim_paced(sim)) {
        ph_alpha_ahead_vary(sim, &m->ahead, now, z);
        from.a = z;
    }
    return from;
}

static void sens_predict(ph_sim *sim, const ph_variation *point, const double *y, ph_variation *next)
{
    ph_variation start = start_of(sim, of(sim), point, of(sim)->ahead.z), *now = &start;
    for (const ph_slot *i = sim->lay.slot, *end = i + sim->lay.N; i < end; i++)
        PH_BY_SIZE(i->dim, predict_variations, of(sim), i, now, y, next);
}

static void sens_accept(ph_sim *sim, const ph_variation *now, ph_variation *next)
{
    ph_variation from = start_of(sim, of(sim), now, of(sim)->ahead.z);
    update_a(&of(sim)->p, sim->lay.nv, now->vdot, from.a, next->vdot, next->a);
    if (ph_sim_paced(sim))
        memcpy(next->memory, now->vdot, sizeof(double) * (size_t)sim->lay.nv);
}

/* (VS5), (VS6) with differences of vdot; without a step before, l_v is not known and of no consequence. */
static void sens_local(ph_sim *sim, double before, double *l_q, double *l_v)
{
    const ph_alpha *p = &of(sim)->p;
    const ph_layout *lay = &sim->lay;
    const double *d0 = sim->now.vdot, *d1 = sim->next.vdot, *d = sim->last.vdot;
    double h = sim->next.t - sim->now.t, c_q = ph_alpha_C_q(p) * h * h,
           c_v = 2 * ph_alpha_C_v(p) * h * h * h / (h + before);
    double *v = of(sim)->w, *vdot = of(sim)->c; /* of the step that is done */
    for (int i = 0; i < lay->nv; i++) {
        l_q[i] = c_q * (d1[i] - d0[i]);
        l_v[i] = before > 0 ? c_v * ((d1[i] - d0[i]) / h - (d0[i] - d[i]) / before) : 0;
        v[i] = 0.5 * (sim->now.v[i] + sim->next.v[i]), vdot[i] = 0.5 * (d0[i] + d1[i]);
    }
    ph_alpha_add_bracket(lay, h * h * h * ph_alpha_lie(p), v, vdot, l_q);
}

/* ---- steps of several sizes ---- */

static double *sens_past(const ph_sim *sim, int j)
{
    return ph_sim_paced(sim) && j == 0 ? sim->last.vdot : NULL;
}

static double *sens_size(ph_sim *sim)
{
    return &of(sim)->ahead.ahead.h;
}

static int sens_started(const ph_sim *sim)
{
    return ph_sim_paced(sim) && !(((const genalpha *)sim->method)->ahead.om > 0);
}

static ph_status sens_start_as(ph_sim *neighbour, const ph_sim *sim)
{
    const genalpha *m = sim->method;
    return ph_alpha_ahead_start_as(neighbour, &of(neighbour)->ahead, &m->ahead, sim->h);
}

/* theta from the two points of the step, then all that update and linearise left behind. */
static ph_status sens_restore(ph_sim *sim)
{
    genalpha *m = of(sim);
    const ph_layout *lay = &sim->lay;
    ph_point from = sim->now;
    if (ph_sim_paced(sim)) {
        double h = sim->next.t - sim->now.t;
        from = ph_alpha_ahead_restore(sim, &m->ahead, h, *sens_size(sim));
        set_size(m, h);
    }
    prepare_nodes(m, lay, &m->guess, &from);
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++) {
        const double *q0 = sim->now.q + i->q_at, *q1 = sim->next.q + i->q_at;
        double e[PH_DIM_MAX + 1];
        for (int k = 0; k < i->dim && i->T_at < 0; k++)
            m->theta[i->v_at + k] = q1[k] - q0[k];
        if (i->T_at >= 0) {
            i->op->inverse(i->dim, q0, e);
            i->op->compose(i->dim, e, q1, e);
            i->op->log(i->dim, e, m->theta + i->v_at);
        }
    }
    if (sim->matrix.n_eta > 0) {
        if (ph_newton_links(sim, m->Bn) != PH_OK)
            return PH_E_CALLBACK;
        pull_eta(sim);
        m->ops.Bn = m->Bn;
    }
    return place(sim, 1, 1);
}

static void sens_accept_back(ph_sim *sim, ph_variation *next, ph_variation *now)
{
    const ph_alpha *p = &of(sim)->p;
    double inv = 1 / (1 - p->alpha_m);
    for (int i = 0; i < sim->lay.nv; i++) {
        next->vdot[i] += (1 - p->alpha_f) * inv * next->a[i];
        now->vdot[i] += p->alpha_f * inv * next->a[i];
        of(sim)->a_bar[i] = -p->alpha_m * inv * next->a[i];
        if (ph_sim_paced(sim))
            now->vdot[i] += next->memory[i];
    }
}

static void sens_predict_back(ph_sim *sim, const ph_variation *next, double *y_bar, ph_variation *now)
{
    const genalpha *m = of(sim);
    const guess *g = &m->guess;
    for (const ph_slot *i = sim->lay.slot, *end = i + sim->lay.N; i < end; i++) {
        int n = i->dim, at = i->v_at;
        double Pinv[PH_DIM_MAX * PH_DIM_MAX], G[PH_DIM_MAX * PH_DIM_MAX], A[PH_DIM_MAX * PH_DIM_MAX];
        if (i->T_at >= 0)
            variation_maps(n, m, i, Pinv, G, A);
        for (int k = 0; k < n; k++) {
            double w = 0, y = 0, W = 0; /* columns of the maps times the covectors */
            for (int j = 0; j < n; j++) {
                double v = next->v[at + j] + m->p.eps * next->vdot[at + j];
                w += (i->T_at >= 0 ? G[j * n + k] : j == k) * v;
                y += (i->T_at < 0 ? j == k : m->inside ? G[j * n + k] : Pinv[j * n + k]) * v;
                W += (i->T_at >= 0 ? A[j * n + k] : j == k) * next->W[at + j];
            }
            now->W[at + k] += W;
            now->v[at + k] += g->w_v * w - m->p.eps * next->vdot[at + k];
            m->a_bar[at + k] += g->w_a * w + g->c_a * next->vdot[at + k];
            now->vdot[at + k] += g->c_d * next->vdot[at + k];
            y_bar[at + k] = g->E * y;
        }
    }
    if (ph_sim_paced(sim))
        ph_alpha_ahead_vary_back(sim, &m->ahead, m->a_bar, now);
    else
        for (int i = 0; i < sim->lay.nv; i++)
            now->a[i] += m->a_bar[i];
}

/* ---- starting values ---------------------------------------------------------------------------- */

void ph_alpha_add_bracket(const ph_layout *lay, double factor, const double *v, const double *vdot, double *l)
{
    for (int i = 0; i < lay->N; i++)
        if (lay->slot[i].T_at >= 0) {
            int n = lay->slot[i].dim, at = lay->v_at[i];
            double H[PH_DIM_MAX * PH_DIM_MAX], x[PH_DIM_MAX];
            for (int k = 0; k < n; k++)
                x[k] = factor * v[at + k];
            lay->slot[i].op->hat(n, x, H);
            ph_small_mul_add(n, n, H, vdot + at, l + at);
        }
}

/* Steps by tolerance find their starting values with their first size. */
static ph_status start(ph_sim *sim)
{
    genalpha *m = of(sim);
    const ph_alpha_start_rules rules = {.p = &m->p, .ops = ops_of_size};
    if (ph_sim_paced(sim)) {
        memcpy(sim->now.a, sim->now.vdot, sizeof(double) * (size_t)sim->lay.nv);
        return PH_OK;
    }
    return ph_alpha_start(sim, &rules, sim->after, m->w, m->c);
}

const ph_stepper ph_genalpha_stepper = {
    .name = "genalpha",
    .compiles = 1,
    .text = "generalized-alpha on Lie groups with sigma, exact closed form",
    .cite = "S. Holzinger, M. Arnold, J. Gerstmayr: Sigma-modified Lie group generalized-alpha methods for "
            "constrained "
            "multibody systems\n"
            "M. Arnold, O. Bruels, A. Cardona: Error analysis of generalized-alpha Lie group time "
            "integration methods "
            "for constrained mechanical systems, Numerische Mathematik",
    .reads = PH_READS_ALPHA | PH_READS_SIGMA | PH_READS_FORMULATION | PH_READS_NEWTON | PH_READS_START |
             PH_READS_TOL,
    .size = sizeof(genalpha),
    .prepare = prepare,
    .resize = resize,
    .take = take,
    .start = start,
    .step = step,
    .accept = accept,
    .tape = tape,
    .sens_ops = sens_ops,
    .sens_predict = sens_predict,
    .sens_accept = sens_accept,
    .sens_local = sens_local,
    .sens_size = sens_size,
    .sens_started = sens_started,
    .sens_start_as = sens_start_as,
    .sens_past = sens_past,
    .sens_restore = sens_restore,
    .sens_accept_back = sens_accept_back,
    .sens_predict_back = sens_predict_back,
};
