/* Generalized-alpha in coordinates: the conformal rotation vector c of each step, which starts at c = 0.
 *
 * Rotations of a step are q1 = q_n o q(c), whose velocities and accelerations are those of (L18) and (L21),
 *
 *   v = T(c) u,   vdot = T(c) y + S(c, u),   u = cdot,  y = cddot                                      (C1)
 *
 * and the formulas of a vector space hold for c, u and y; at c = 0 these are v_n and vdot_n. With gp and eps of
 * (N1), w = (1 - gamma/beta) v_n + h (1 - gamma/(2 beta)) a_n and b_n from v_n and a_n:
 *
 *   u1 = gp c + w,   y1 = eps u1 + b_n                                                                 (C2)
 *
 * linear-alpha: y1 is the acceleration, M vdot1 + g + B^T lambda1 = 0, and
 *
 *   (1 - alpha_m) a1 + alpha_m a_n = (1 - alpha_f) y1 + alpha_f vdot_n,   a_{n+1} = T a1 + S           (C3)
 *
 * residual-alpha: y1 = k a1 with the acceleration a1 of Newmark's formulas, k = (1 - alpha_m)/(1 - alpha_f). Its
 * weighted forces, (1 - alpha_m) f_a + alpha_m f_a,n + (1 - alpha_f) f_c + alpha_f f_c,n = 0 with
 * f_a = T^T M T a1 and f_c = T^T (M S + g + B^T lambda), are with T^-T/(1 - alpha_f) before them
 *
 *   M vdot1 + g + B^T lambda1 + P = 0,   vdot1 = k T a1 + S,   P = T(c)^-T G_n/(1 - alpha_f)           (C4)
 *   G_{n+1} = T^-T (alpha_m f_a + alpha_f f_c) = (alpha_m - alpha_f)/(1 - alpha_f) M T a1 - alpha_f P  (C5)
 *
 * The accelerations of its states are T a1 + S; G, a covector of forces, stands where others have a.
 *
 * Derivatives, dq = T dc and with D_u, D_y those of T u and T y by c:
 *
 *   dv = (gp T + D_u) dc,   dvdot = (eps gp T + D_y + S_c + gp S_u) dc,   dP = P_c dc                  (C6)
 *
 * Reference: Bruels, Eberhard: Sensitivity analysis for dynamic mechanical systems with finite rotations,
 * (78)-(96). */
#include <float.h>
#include <string.h>

#include "la/small.h"
#include "lie/conformal.h"
#include "lie/groups.h"
#include "step/genalpha.h"

/* Coefficients of what (C2), (C3) and the first guess of c make of v_n, a_n, vdot_n, y1. */
typedef struct weights {
    double w_v, w_a, w_d;      /* w */
    double b_v, b_a, b_d;      /* b_n */
    double a_y, a_a, a_d;      /* a1 */
    double c_v, c_a, c_d, c_1; /* c; c_1 of a guessed acceleration */
} weights;

typedef struct chart_alpha {
    ph_alpha p;
    int residual;     /* 1: (C4) and (C5); 0: (C3) */
    weights k;
    double *c, *w, *b; /* nv; nodes of a vector space have c = theta */
    double *u, *y;     /* nv */
    double *Tinv;      /* nT; likewise identity for translations */
    double *L, *Q, *N; /* nT, of (N1) */
    double *vdot;      /* nv: of (C4) */
    double *load;      /* nv: P */
    double *z, *M_p;   /* nv: T a1; of sensitivities: M_p T a1 */
    double *K_z;       /* pairs: d(M z)/dq, of sensitivities where M is not constant */
    double tol_x, tol_R;
    ph_step_ops ops;
} chart_alpha;

static chart_alpha *of(const ph_sim *sim)
{
    return sim->method;
}

/* ---- preparation -------------------------------------------------------------------------------- */

static weights weights_linear(const ph_alpha *p, double h)
{
    double f = 1 / (1 - p->alpha_f), m = 1 / (1 - p->alpha_m), bh2 = p->beta * h * h;
    return (weights){.w_v = 1 - p->gamma / p->beta,
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

static weights weights_residual(const ph_alpha *p, double h)
{
    double k = (1 - p->alpha_m) / (1 - p->alpha_f);
    return (weights){.w_v = 1 - p->gamma / p->beta,
                     .w_d = h * (1 - p->gamma / (2 * p->beta)),
                     .b_v = -p->eps,
                     .b_d = -k * (1 - p->gamma) / p->gamma,
                     .a_y = 1 / k,
                     .c_v = h,
                     .c_d = h * h * (0.5 - p->beta),
                     .c_1 = h * h * p->beta};
}

static ph_status prepare(ph_sim *sim, ph_error *err)
{
    chart_alpha *m = of(sim);
    const char *name = sim->stepper->name;
    char label[PH_NAME_MAX];
    sim->opt.sigma = 0; /* not read: all that follows from it is that of a vector space */
    ph_status s = ph_alpha_prepare(&sim->opt, &m->p, &m->ops, err);
    if (s != PH_OK)
        return s;
    if (sim->opt.formulation == PH_GGL)
        return ph_fail(err, PH_E_INPUT, "%s has no stabilised form: use index3 or index2", name);
    for (int i = 0; i < sim->lay.N; i++)
        if (sim->lay.sys->nodes[i].group == PH_SE3)
            return ph_fail(err, PH_E_INPUT,
                           "%s: %s is an element of SE(3), for which %s has no coordinates: use R3xSO3",
                           name, ph_node_label(&sim->lay, i, label), name);
    m->k = m->residual ? weights_residual(&m->p, sim->opt.h) : weights_linear(&m->p, sim->opt.h);
    m->ops.exact = 1;
    if (m->residual)
        m->ops.load = m->load, m->ops.vdot = m->vdot;
    return PH_OK;
}

static ph_status prepare_residual(ph_sim *sim, ph_error *err)
{
    of(sim)->residual = 1;
    return prepare(sim, err);
}

static void take_arrays(ph_sim *sim, ph_arena *a, int residual)
{
    chart_alpha none, *m = sim->method ? of(sim) : &none;
    size_t d = sizeof(double), nv = (size_t)sim->lay.nv, nT = (size_t)sim->lay.nT, more = residual ? nv : 0;
    m->c = ph_arena_take(a, nv, d);
    m->w = ph_arena_take(a, nv, d);
    m->b = ph_arena_take(a, nv, d);
    m->u = ph_arena_take(a, nv, d);
    m->y = ph_arena_take(a, nv, d);
    m->z = ph_arena_take(a, nv, d);
    m->Tinv = ph_arena_take(a, nT, d);
    m->L = ph_arena_take(a, nT, d);
    m->Q = ph_arena_take(a, nT, d);
    m->N = ph_arena_take(a, residual ? nT : 0, d);
    m->vdot = ph_arena_take(a, more, d);
    m->load = ph_arena_take(a, more, d);
    m->M_p = ph_arena_take(a, more, d);
    m->K_z = ph_arena_take(a, residual ? (size_t)sim->lay.size_pairs : 0, d);
}

static void take(ph_sim *sim, ph_arena *a)
{
    take_arrays(sim, a, 0);
}

static void take_residual(ph_sim *sim, ph_arena *a)
{
    take_arrays(sim, a, 1);
}

/* ---- one node ----------------------------------------------------------------------------------- */

/* T, its inverse and the rotation of a step from the rotational part of c. */
typedef struct turn {
    ph_mat3 T, Tinv;
    double quat[4];
} turn;

static turn turn_of(const double *c)
{
    turn t;
    double T[9], s = ph_dot(ph_load3(c), ph_load3(c)) / 8 + 2;
    ph_conformal_ops.to_quat(c, t.quat);
    ph_conformal_ops.T(c, T);
    t.T = ph_load33(T);
    t.Tinv = ph_mscale(s * s / 4, ph_transpose(t.T)); /* (L22) */
    return t;
}

static ph_mat3 rotation_of(const turn *t)
{
    return ph_qmat((ph_quat){t->quat[0], t->quat[1], t->quat[2], t->quat[3]});
}

/* d(T(c) x)/dc */
static ph_mat3 by_c(const double *c, const double *x)
{
    double D[9];
    ph_conformal_ops.dT(c, x, D);
    return ph_load33(D);
}

/* A 3 x 3 block at the rotational place of one of n x n, which is diagonal elsewhere. */
static void embed(int n, int rot, double diagonal, ph_mat3 A, double *out)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            out[i * n + j] = i == j ? diagonal : 0;
    for (int i = 0; i < 3; i++) {
        double row[9];
        ph_store33(row, A);
        memcpy(out + (rot + i) * n + rot, row + 3 * i, 3 * sizeof *row);
    }
}

/* ---- step --------------------------------------------------------------------------------------- */

/* (C2), (C1) for the rotation of a node. */
static void update_turn(ph_sim *sim, const ph_slot *i)
{
    chart_alpha *m = of(sim);
    int at = i->v_at + i->rot;
    turn t = turn_of(m->c + at);
    double e[PH_DIM_MAX + 1] = {0}, *q1 = sim->next.q + i->q_at;
    ph_vec3 c = ph_load3(m->c + at), u = ph_load3(m->u + at), y = ph_load3(m->y + at), S, P;
    ph_mat3 S_c, S_u, P_c;
    memcpy(e, m->c + i->v_at, sizeof(double) * (size_t)i->rot);
    memcpy(e + i->op->quat, t.quat, sizeof t.quat);
    i->op->compose(i->dim, sim->now.q + i->q_at, e, q1);
    q1 += i->op->quat;
    sim->next.R[i->R_at] = ph_qmat((ph_quat){q1[0], q1[1], q1[2], q1[3]});
    ph_conformal_bend(c, u, &S, &S_c, &S_u);
    ph_store3(sim->next.v + at, ph_mul(t.T, u));
    ph_store3(sim->next.vdot + at, ph_add(ph_mul(t.T, y), S));
    embed(i->dim, i->rot, 1, t.Tinv, m->Tinv + i->T_at);
    if (m->residual) {
        ph_conformal_covector(c, ph_load3(sim->now.a + at), &P, &P_c);
        ph_store3(m->load + at, ph_scale(1 / (1 - m->p.alpha_f), P));
    }
}

static ph_status update(ph_sim *sim)
{
    chart_alpha *m = of(sim);
    for (const ph_slot *i = sim->lay.slot, *end = i + sim->lay.N; i < end; i++) {
        for (int k = i->v_at; k < i->v_at + i->dim; k++) {
            m->u[k] = m->p.gp * m->c[k] + m->w[k];
            m->y[k] = m->p.eps * m->u[k] + m->b[k];
        }
        for (int k = 0; k < i->rot; k++) {
            int at = i->v_at + k;
            sim->next.q[i->q_at + k] = sim->now.q[i->q_at + k] + m->c[at];
            sim->next.v[at] = m->u[at], sim->next.vdot[at] = m->y[at];
            if (m->residual)
                m->load[at] = sim->now.a[at] / (1 - m->p.alpha_f);
        }
        if (i->rot < i->dim)
            update_turn(sim, i);
    }
    return PH_OK;
}

/* L, Q and N of one node from (C6): dc = T^-1 dq. */
static void linearise_turn(ph_sim *sim, const ph_slot *i)
{
    chart_alpha *m = of(sim);
    int at = i->v_at + i->rot;
    double gp = m->p.gp, eps = m->p.eps;
    turn t = turn_of(m->c + at);
    ph_vec3 c = ph_load3(m->c + at), S, P;
    ph_mat3 S_c, S_u, P_c, D_u = by_c(m->c + at, m->u + at);
    ph_conformal_bend(c, ph_load3(m->u + at), &S, &S_c, &S_u);
    ph_mat3 dv = ph_mmul(ph_mscale(1 / gp, D_u), t.Tinv);
    ph_mat3 A_c = ph_madd(ph_madd(by_c(m->c + at, m->y + at), S_c), ph_mscale(gp, S_u));
    ph_mat3 dvdot = ph_mmul(ph_mscale(1 / (gp * eps), A_c), t.Tinv);
    embed(i->dim, i->rot, 1, ph_madd(ph_diag3(1, 1, 1), dv), m->L + i->T_at);
    embed(i->dim, i->rot, 0, ph_msub(dvdot, dv), m->Q + i->T_at);
    if (m->residual) {
        ph_conformal_covector(c, ph_load3(sim->now.a + at), &P, &P_c);
        embed(i->dim, i->rot, 0, ph_mmul(ph_mscale(1 / (1 - m->p.alpha_f), P_c), t.Tinv), m->N + i->T_at);
    }
}

static void linearise_exactly(ph_sim *sim)
{
    chart_alpha *m = of(sim);
    for (const ph_slot *i = sim->lay.slot, *end = i + sim->lay.N; i < end; i++)
        if (i->T_at >= 0)
            linearise_turn(sim, i);
    m->ops.L = m->L, m->ops.Q = m->Q, m->ops.N = m->residual ? m->N : NULL;
}

static void linearise(ph_sim *sim)
{
    chart_alpha *m = of(sim);
    m->ops.L = m->ops.Q = m->ops.N = NULL;
    if (sim->opt.newton != PH_SIMPLIFIED)
        linearise_exactly(sim);
}

/* c += T^-1 dq; the size of the increment in units of the tolerances, NaN if any number is NaN. */
static double correct(ph_sim *sim, const double *x)
{
    chart_alpha *m = of(sim);
    double moved = 0, turned = 0, far = 0;
    for (const ph_slot *i = sim->lay.slot, *end = i + sim->lay.N; i < end; i++) {
        int n = i->dim, at = i->v_at;
        for (int k = 0; k < n && (i->T_at < 0 || sim->opt.newton == PH_SIMPLIFIED); k++)
            m->c[at + k] += x[at + k];
        if (i->T_at >= 0 && sim->opt.newton != PH_SIMPLIFIED)
            ph_small_mul_add(n, n, m->Tinv + i->T_at, x + at, m->c + at);
        moved = ph_small_larger(i->rot, moved, x + at);
        far = ph_small_larger(i->rot, far, m->c + at);
        turned = ph_small_larger(n - i->rot, turned, x + at + i->rot);
    }
    moved /= m->tol_x + 4 * DBL_EPSILON * far; /* of a start from rest in the origin only c knows the size */
    turned /= m->tol_R;
    return moved > turned || isnan(moved) ? moved : turned;
}

static void constants(ph_sim *sim)
{
    chart_alpha *m = of(sim);
    const ph_point *n = &sim->now;
    const weights *k = &m->k;
    for (int i = 0; i < sim->lay.nv; i++) {
        m->w[i] = k->w_v * n->v[i] + k->w_a * n->a[i] + k->w_d * n->vdot[i];
        m->b[i] = k->b_v * n->v[i] + k->b_a * n->a[i] + k->b_d * n->vdot[i];
    }
}

static void predict(ph_sim *sim)
{
    chart_alpha *m = of(sim);
    const weights *k = &m->k;
    const ph_point *n = &sim->now;
    const ph_point *last = sim->has_last ? &sim->next : n; /* next may hold NaN of a step that failed */
    for (int i = 0; i < sim->lay.nv; i++) {
        double d = n->vdot[i], d1 = 2 * d - last->vdot[i];
        m->c[i] = k->c_v * n->v[i] + k->c_a * n->a[i] + k->c_d * d + k->c_1 * d1;
    }
    for (int i = 0; i < sim->lay.nl; i++)
        sim->next.lambda[i] = 2 * n->lambda[i] - last->lambda[i];
    constants(sim);
    ph_step_tolerances(sim, m->p.beta, &m->tol_x, &m->tol_R);
}

/* a1 of (C3) or of Newmark's formulas, and z = T a1, to x and z; S is added to x for its place in the state. */
static void acceleration(ph_sim *sim, double *x)
{
    chart_alpha *m = of(sim);
    const weights *k = &m->k;
    for (const ph_slot *i = sim->lay.slot, *end = i + sim->lay.N; i < end; i++) {
        int at = i->v_at;
        for (int j = at; j < at + i->dim; j++)
            m->z[j] = x[j] = k->a_y * m->y[j] + k->a_a * sim->now.a[j] + k->a_d * sim->now.vdot[j];
        if (i->rot == i->dim)
            continue;
        at += i->rot;
        turn t = turn_of(m->c + at);
        ph_vec3 S, z = ph_mul(t.T, ph_load3(x + at));
        ph_mat3 S_c, S_u;
        ph_conformal_bend(ph_load3(m->c + at), ph_load3(m->u + at), &S, &S_c, &S_u);
        ph_store3(m->z + at, z);
        ph_store3(x + at, ph_add(z, S));
    }
}

/* (C5) */
static ph_status remember(ph_sim *sim)
{
    chart_alpha *m = of(sim);
    const ph_layout *lay = &sim->lay;
    ph_state s = ph_point_view(&sim->next, lay);
    double *G = sim->next.a, k = (m->p.alpha_m - m->p.alpha_f) / (1 - m->p.alpha_f);
    if (!(lay->sys->flags & PH_MASS_CONSTANT) && ph_eval_mass(&sim->ev, &s) != PH_OK)
        return PH_E_CALLBACK;
    memset(G, 0, sizeof(double) * (size_t)lay->nv);
    for (const ph_block *b = lay->pair, *end = b + lay->n_pairs; b < end; b++)
        ph_small_mul_add(b->m, b->n, sim->ev.M + b->at, m->z + b->col_at, G + b->row_at);
    for (int i = 0; i < lay->nv; i++)
        G[i] = k * G[i] - m->p.alpha_f * m->load[i];
    return PH_OK;
}

static ph_status step(ph_sim *sim)
{
    chart_alpha *m = of(sim);
    predict(sim);
    m->ops.update = update, m->ops.linearise = linearise, m->ops.correct = correct;
    ph_status s = ph_newton_solve(sim, &m->ops);
    if (s != PH_OK)
        return s;
    if (m->residual)
        memcpy(m->vdot, sim->next.vdot, sizeof(double) * (size_t)sim->lay.nv);
    acceleration(sim, m->residual ? sim->next.vdot : sim->next.a);
    return m->residual ? remember(sim) : PH_OK;
}

/* ---- starting values ---------------------------------------------------------------------------- */

/* linear-alpha: (S2), (S3) of a vector space, with the third derivative of c in place of vddot:
 *   cdddot = vddot + v x vdot/2 + |v|^2 v/8 at c = 0                                                   (C7) */
static ph_status start(ph_sim *sim)
{
    chart_alpha *m = of(sim);
    const ph_alpha *p = &m->p;
    const ph_layout *lay = &sim->lay;
    double h = sim->opt.h, delta = p->alpha_m - p->alpha_f, *third = m->w, *l = m->c;
    memcpy(sim->now.a, sim->now.vdot, sizeof(double) * (size_t)lay->nv);
    if (sim->opt.start == PH_PLAIN)
        return PH_OK;
    ph_status s = ph_start_jerk(sim, h, third);
    if (s != PH_OK)
        return s;
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++)
        if (i->rot < i->dim) {
            int at = i->v_at + i->rot;
            ph_vec3 v = ph_load3(sim->now.v + at), d = ph_load3(sim->now.vdot + at);
            ph_vec3 lie = ph_add(ph_scale(0.5, ph_cross(v, d)), ph_scale(ph_dot(v, v) / 8, v));
            ph_store3(third + at, ph_add(ph_load3(third + at), lie));
        }
    for (int i = 0; i < lay->nv; i++) {
        sim->now.a[i] += delta * h * third[i];
        l[i] = (1 - 6 * p->beta - 3 * delta) / 6 * h * h * third[i]; /* C_q of (G9) */
    }
    return sim->opt.formulation == PH_INDEX3 && lay->C ? ph_start_perturb(sim, l) : PH_OK;
}

/* residual-alpha: f_a + f_c = 0, so that G_0 = (alpha_m - alpha_f) M vdot_0. */
static ph_status start_residual(ph_sim *sim)
{
    const ph_alpha *p = &of(sim)->p;
    const ph_layout *lay = &sim->lay;
    ph_state s = ph_point_view(&sim->now, lay);
    double *G = sim->now.a;
    if (ph_eval_mass(&sim->ev, &s) != PH_OK)
        return PH_E_CALLBACK;
    memset(G, 0, sizeof(double) * (size_t)lay->nv);
    for (const ph_block *b = lay->pair, *end = b + lay->n_pairs; b < end; b++)
        ph_small_mul_add(b->m, b->n, sim->ev.M + b->at, sim->now.vdot + b->col_at, G + b->row_at);
    for (int i = 0; i < lay->nv; i++)
        G[i] *= p->alpha_m - p->alpha_f;
    return PH_OK;
}

/* ---- sensitivities ------------------------------------------------------------------------------ */

/* d(M z)/dq at the new point, a difference of K, which is linear in the accelerations. */
static void mass_stiffness(ph_sim *sim)
{
    chart_alpha *m = of(sim);
    ph_eval *ev = &sim->ev;
    ph_state s = ph_point_view(&sim->next, &sim->lay);
    ph_status status = PH_OK;
    memset(m->M_p, 0, sizeof(double) * (size_t)sim->lay.nv);
    for (int side = 0; side < 2; side++) {
        s.vdot = side ? m->z : m->M_p;
        if (status == PH_OK)
            status = ph_eval_residual(ev, &s, sim->matrix.what);
        if (status == PH_OK)
            status = ph_eval_tangent(ev, &s, sim->matrix.what);
        for (int i = 0; i < sim->lay.size_pairs; i++)
            m->K_z[i] = side ? ev->K[i] - m->K_z[i] : ev->K[i];
    }
    for (int i = 0; status != PH_OK && i < sim->lay.size_pairs; i++)
        m->K_z[i] = NAN; /* the step fails */
}

/* Simplified, without what the derivative of T^T does to G1 = M (T a1 + S) + g + B^T lambda, which vanishes
 * with h but not in residual-alpha:
 *   N - T^-T k_G T^-1,   k_G = d(T^T G1)/dc,   G1 = (1 - k) M T a1 - P                                 (C8) */
static void leave_out_kG(ph_sim *sim)
{
    chart_alpha *m = of(sim);
    double *G = m->M_p, k = (1 - m->p.alpha_m) / (1 - m->p.alpha_f);
    memset(G, 0, sizeof(double) * (size_t)sim->lay.nv);
    for (const ph_block *b = sim->lay.pair, *end = b + sim->lay.n_pairs; b < end; b++)
        ph_small_mul_add(b->m, b->n, sim->ev.M + b->at, m->z + b->col_at, G + b->row_at);
    for (const ph_slot *i = sim->lay.slot, *end = i + sim->lay.N; i < end; i++) {
        if (i->rot == i->dim)
            continue;
        int at = i->v_at + i->rot;
        double N[PH_DIM_MAX * PH_DIM_MAX], minus_c[3], G1[3];
        for (int j = 0; j < 3; j++)
            minus_c[j] = -m->c[at + j], G1[j] = (1 - k) * G[at + j] - m->load[at + j];
        turn t = turn_of(m->c + at);
        ph_mat3 minus_kG = by_c(minus_c, G1); /* T(c)^T = T(-c) */
        embed(i->dim, i->rot, 0, ph_mmul(ph_transpose(t.Tinv), ph_mmul(minus_kG, t.Tinv)), N);
        for (int j = 0; j < i->dim * i->dim; j++)
            m->N[i->T_at + j] += N[j];
    }
}

static const ph_step_ops *sens_ops(ph_sim *sim)
{
    chart_alpha *m = of(sim);
    linearise_exactly(sim);
    if (m->residual && sim->sens && (sim->sens->simplified & PH_WITHOUT_KG))
        leave_out_kG(sim);
    if (m->residual && !(sim->lay.sys->flags & PH_MASS_CONSTANT))
        mass_stiffness(sim);
    return &m->ops;
}

/* What a rotation of a step is at its derivative by (C1), and where that begins. */
typedef struct tangent {
    turn t;
    ph_mat3 R;                /* of the step */
    ph_mat3 v_c, vdot_c, S_u; /* v' = T u' + v_c c',  vdot' = T y' + vdot_c c' + S_u u' */
    ph_mat3 S_c;
} tangent;

static tangent tangent_of(const chart_alpha *m, int at)
{
    tangent x = {.t = turn_of(m->c + at)};
    ph_vec3 S;
    ph_conformal_bend(ph_load3(m->c + at), ph_load3(m->u + at), &S, &x.S_c, &x.S_u);
    x.R = rotation_of(&x.t);
    x.v_c = by_c(m->c + at, m->u + at);
    x.vdot_c = ph_madd(by_c(m->c + at, m->y + at), x.S_c);
    return x;
}

/* The derivatives of c, v, a and vdot at the start of a step, and W for increments zero. The start moves with
 * q_n; simplified, it stays and c = W_n there (reference-free), with v, vdot and A of (C1) unchanged:
 *   u' = v' + W x v/2,   y' = vdot' + W x vdot/2 - S_c(0, v) W,   G' + W x G/2                         (C9) */
typedef struct origin {
    ph_vec3 c, W, v, a, d;
} origin;

static origin origin_of(ph_sim *sim, const tangent *x, const ph_variation *now, int at)
{
    const chart_alpha *m = of(sim);
    const ph_point *n = &sim->now;
    ph_vec3 W = ph_load3(now->W + at), half = ph_scale(0.5, W), v = ph_load3(n->v + at), S;
    origin o = {{0, 0, 0}, ph_tmul(x->R, W), ph_load3(now->v + at), ph_load3(now->a + at),
                ph_load3(now->vdot + at)};
    if (!sim->sens || !(sim->sens->simplified & PH_REFERENCE_FREE))
        return o;
    ph_mat3 S_c, S_u;
    ph_conformal_bend(ph_v3(0, 0, 0), v, &S, &S_c, &S_u);
    ph_vec3 bend = ph_mul(S_c, W);
    o.c = W, o.W = ph_mul(x->t.T, W);
    o.v = ph_add(o.v, ph_cross(half, v));
    o.a = ph_add(o.a, ph_cross(half, ph_load3(n->a + at)));
    o.d = ph_sub(ph_add(o.d, ph_cross(half, ph_load3(n->vdot + at))), bend);
    if (!m->residual)
        o.a = ph_sub(o.a, bend);
    return o;
}

static ph_vec3 sum3(double a, ph_vec3 x, double b, ph_vec3 y, double c, ph_vec3 z)
{
    return ph_add(ph_add(ph_scale(a, x), ph_scale(b, y)), ph_scale(c, z));
}

static void sens_predict(ph_sim *sim, const ph_variation *now, const double *y, ph_variation *next)
{
    const chart_alpha *m = of(sim);
    const weights *k = &m->k;
    (void)y;
    for (const ph_slot *i = sim->lay.slot, *end = i + sim->lay.N; i < end; i++) {
        for (int j = i->v_at; j < i->v_at + i->rot; j++) {
            double u = k->w_v * now->v[j] + k->w_a * now->a[j] + k->w_d * now->vdot[j];
            next->W[j] = now->W[j], next->v[j] = u;
            next->vdot[j] = m->p.eps * u + k->b_v * now->v[j] + k->b_a * now->a[j] + k->b_d * now->vdot[j];
        }
        if (i->rot == i->dim)
            continue;
        int at = i->v_at + i->rot;
        tangent x = tangent_of(m, at);
        origin o = origin_of(sim, &x, now, at);
        ph_vec3 u = sum3(k->w_v, o.v, k->w_a, o.a, k->w_d, o.d);
        ph_vec3 acc = ph_add(ph_scale(m->p.eps, u), sum3(k->b_v, o.v, k->b_a, o.a, k->b_d, o.d));
        ph_store3(next->W + at, o.W);
        ph_store3(next->v + at, ph_add(ph_mul(x.t.T, u), ph_mul(x.v_c, o.c)));
        ph_store3(next->vdot + at,
                  ph_add(ph_mul(x.t.T, acc), ph_add(ph_mul(x.vdot_c, o.c), ph_mul(x.S_u, u))));
    }
}

/* P' for c' and G_n', and what the load is before the parameter changes M; see (C4). */
static ph_vec3 load_variation(ph_sim *sim, int at, const tangent *x, ph_vec3 c, ph_vec3 G)
{
    const chart_alpha *m = of(sim);
    ph_vec3 P;
    ph_mat3 P_c;
    ph_conformal_covector(ph_load3(m->c + at), ph_load3(sim->now.a + at), &P, &P_c);
    return ph_scale(1 / (1 - m->p.alpha_f), ph_add(ph_mul(P_c, c), ph_tmul(x->t.Tinv, G)));
}

/* x += M_p z from the M of the neighbours, which have just been evaluated at the new point */
static void add_mass_variation(ph_sim *sim, const ph_follower *d, double *x)
{
    const chart_alpha *m = of(sim);
    const ph_layout *lay = &sim->lay;
    for (int k = 0; k < PH_NEIGHBOURS; k++) {
        double f = d->weight[k] / d->p.eps;
        for (const ph_block *b = lay->pair, *end = b + lay->n_pairs; b < end && f != 0; b++)
            for (int i = 0; i < b->m; i++)
                for (int j = 0; j < b->n; j++)
                    x[b->row_at + i] += f * d->at[k]->ev.M[b->at + i * b->n + j] * m->z[b->col_at + j];
    }
}

static ph_status sens_load(ph_sim *sim, const ph_follower *d, double *r_p)
{
    chart_alpha *m = of(sim);
    const ph_layout *lay = &sim->lay;
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++) {
        for (int j = i->v_at; j < i->v_at + i->rot; j++)
            r_p[j] += d->now.a[j] / (1 - m->p.alpha_f);
        if (i->rot == i->dim)
            continue;
        int at = i->v_at + i->rot;
        tangent x = tangent_of(m, at);
        origin o = origin_of(sim, &x, &d->now, at);
        double W[PH_DIM_MAX] = {0}, NW[PH_DIM_MAX];
        ph_store3(W + i->rot, o.W); /* translations have no N */
        ph_small_mul(i->dim, m->N + i->T_at, W, NW);
        ph_vec3 P = load_variation(sim, at, &x, o.c, o.a);
        ph_store3(r_p + at, ph_add(ph_load3(r_p + at), ph_sub(P, ph_load3(NW + i->rot))));
    }
    memset(m->M_p, 0, sizeof(double) * (size_t)lay->nv);
    add_mass_variation(sim, d, m->M_p);
    return PH_OK;
}

/* z' = (T a1)', to z1, and the derivative of T a1 + S, to x; next holds those of v and of vdot of (C1). */
static void vary_acceleration(ph_sim *sim, const ph_slot *i, const ph_variation *now, const ph_variation *next,
                              double *z1, double *out)
{
    const chart_alpha *m = of(sim);
    const weights *k = &m->k;
    for (int j = i->v_at; j < i->v_at + i->rot; j++)
        z1[j] = out[j] = k->a_y * next->vdot[j] + k->a_a * now->a[j] + k->a_d * now->vdot[j];
    if (i->rot == i->dim)
        return;
    int at = i->v_at + i->rot;
    tangent x = tangent_of(m, at);
    origin o = origin_of(sim, &x, now, at);
    double a1[3];
    ph_store3(a1, ph_mul(x.t.Tinv, ph_load3(m->z + at)));
    ph_vec3 c = ph_add(o.c, ph_mul(x.t.Tinv, ph_sub(ph_load3(next->W + at), o.W)));
    ph_vec3 u = ph_mul(x.t.Tinv, ph_sub(ph_load3(next->v + at), ph_mul(x.v_c, c)));
    ph_vec3 Su = ph_mul(x.S_u, u);
    ph_vec3 y = ph_sub(ph_load3(next->vdot + at), ph_add(ph_mul(x.vdot_c, c), Su));
    ph_vec3 a = sum3(k->a_y, ph_mul(x.t.Tinv, y), k->a_a, o.a, k->a_d, o.d);
    ph_vec3 z = ph_add(ph_mul(x.t.T, a), ph_mul(by_c(m->c + at, a1), c));
    ph_store3(z1 + at, z);
    ph_store3(out + at, ph_add(z, ph_add(ph_mul(x.S_c, c), Su)));
}

static void sens_accept(ph_sim *sim, const ph_variation *now, ph_variation *next)
{
    double *z1 = of(sim)->w; /* done with */
    for (const ph_slot *i = sim->lay.slot, *end = i + sim->lay.N; i < end; i++)
        vary_acceleration(sim, i, now, next, z1, next->a);
}

/* (C5): G' = k ((M z)' ) - alpha_f P' */
static void sens_accept_residual(ph_sim *sim, const ph_variation *now, ph_variation *next)
{
    chart_alpha *m = of(sim);
    const ph_layout *lay = &sim->lay;
    double *z1 = m->w, *acc = m->b, *G = next->a; /* done with */
    double f = m->p.alpha_f, k = (m->p.alpha_m - f) / (1 - f);
    int constant = (lay->sys->flags & PH_MASS_CONSTANT) != 0;
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++)
        vary_acceleration(sim, i, now, next, z1, acc);
    memcpy(G, m->M_p, sizeof(double) * (size_t)lay->nv);
    for (const ph_block *b = lay->pair, *end = b + lay->n_pairs; b < end; b++) {
        ph_small_mul_add(b->m, b->n, sim->ev.M + b->at, z1 + b->col_at, G + b->row_at);
        if (!constant)
            ph_small_mul_add(b->m, b->n, m->K_z + b->at, next->W + b->col_at, G + b->row_at);
    }
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++) {
        for (int j = i->v_at; j < i->v_at + i->rot; j++)
            G[j] = k * G[j] - f / (1 - f) * now->a[j];
        if (i->rot == i->dim)
            continue;
        int at = i->v_at + i->rot;
        tangent x = tangent_of(m, at);
        origin o = origin_of(sim, &x, now, at);
        ph_vec3 c = ph_add(o.c, ph_mul(x.t.Tinv, ph_sub(ph_load3(next->W + at), o.W)));
        ph_vec3 P = load_variation(sim, at, &x, c, o.a);
        ph_store3(G + at, ph_sub(ph_scale(k, ph_load3(G + at)), ph_scale(f, P)));
    }
    memcpy(next->vdot, acc, sizeof(double) * (size_t)lay->nv);
}

/* ---- adjoint ------------------------------------------------------------------------------------ */

/* c from the two points of the step, then all that update and step left behind. */
static ph_status sens_restore(ph_sim *sim)
{
    chart_alpha *m = of(sim);
    for (const ph_slot *i = sim->lay.slot, *end = i + sim->lay.N; i < end; i++) {
        const double *q0 = sim->now.q + i->q_at, *q1 = sim->next.q + i->q_at;
        double e[PH_DIM_MAX + 1];
        for (int k = 0; k < i->rot; k++)
            m->c[i->v_at + k] = q1[k] - q0[k];
        if (i->rot == i->dim)
            continue;
        i->op->inverse(i->dim, q0, e);
        i->op->compose(i->dim, e, q1, e);
        ph_conformal_ops.from_quat(e + i->op->quat, m->c + i->v_at + i->rot);
    }
    constants(sim);
    update(sim);
    if (m->residual)
        memcpy(m->vdot, sim->next.vdot, sizeof(double) * (size_t)sim->lay.nv);
    acceleration(sim, m->residual ? sim->next.vdot : sim->next.a);
    return PH_OK;
}

static void add3(double *to, ph_vec3 x)
{
    ph_store3(to, ph_add(ph_load3(to), x));
}

/* vary_acceleration transposed: z_bar and bar, those of T a1 and of S; c_bar holds what else c' does. bar may
 * stand in next. */
static void vary_back(ph_sim *sim, const ph_slot *i, const double *z_bar, const double *bar, ph_vec3 c_bar,
                      ph_variation *next, ph_variation *now)
{
    const chart_alpha *m = of(sim);
    const weights *k = &m->k;
    for (int j = i->v_at; j < i->v_at + i->rot; j++) {
        double z = z_bar[j];
        next->vdot[j] += k->a_y * z;
        now->a[j] += k->a_a * z, now->vdot[j] += k->a_d * z;
    }
    if (i->rot == i->dim)
        return;
    int at = i->v_at + i->rot;
    tangent x = tangent_of(m, at);
    double a1[3];
    ph_store3(a1, ph_mul(x.t.Tinv, ph_load3(m->z + at)));
    ph_vec3 z = ph_load3(z_bar + at), S = ph_load3(bar + at), a = ph_tmul(x.t.T, z);
    ph_vec3 y = ph_tmul(x.t.Tinv, ph_scale(k->a_y, a));
    ph_vec3 c = ph_add(c_bar, ph_add(ph_tmul(by_c(m->c + at, a1), z), ph_tmul(x.S_c, S)));
    ph_vec3 v = ph_tmul(x.t.Tinv, ph_tmul(x.S_u, ph_sub(S, y)));
    c = ph_sub(c, ph_add(ph_tmul(x.vdot_c, y), ph_tmul(x.v_c, v)));
    ph_vec3 W = ph_tmul(x.t.Tinv, c);
    add3(next->vdot + at, y), add3(next->v + at, v), add3(next->W + at, W);
    add3(now->a + at, ph_scale(k->a_a, a)), add3(now->vdot + at, ph_scale(k->a_d, a));
    add3(now->W + at, ph_scale(-1, ph_mul(x.R, W)));
}

static void sens_accept_back(ph_sim *sim, ph_variation *next, ph_variation *now)
{
    for (const ph_slot *i = sim->lay.slot, *end = i + sim->lay.N; i < end; i++)
        vary_back(sim, i, next->a, next->a, ph_v3(0, 0, 0), next, now);
}

/* The covector of G_n of a load whose own is bar, by (C4) */
static void load_back(ph_sim *sim, const ph_slot *i, const double *bar, double *G)
{
    const chart_alpha *m = of(sim);
    double f = 1 / (1 - m->p.alpha_f);
    for (int j = i->v_at; j < i->v_at + i->rot; j++)
        G[j] += f * bar[j];
    if (i->rot < i->dim) {
        int at = i->v_at + i->rot;
        turn t = turn_of(m->c + at);
        add3(G + at, ph_scale(f, ph_mul(t.Tinv, ph_load3(bar + at))));
    }
}

static void sens_accept_back_residual(ph_sim *sim, ph_variation *next, ph_variation *now)
{
    chart_alpha *m = of(sim);
    const ph_layout *lay = &sim->lay;
    double f = m->p.alpha_f, k = (m->p.alpha_m - f) / (1 - f), *kG = m->M_p, *z = m->w, *S = m->b, *P = m->load;
    for (int i = 0; i < lay->nv; i++) {
        kG[i] = k * next->a[i], P[i] = -f * next->a[i];
        z[i] = S[i] = next->vdot[i], next->vdot[i] = 0;
    }
    for (const ph_block *b = lay->pair, *end = b + lay->n_pairs; b < end; b++) {
        ph_small_tmul_add(b->m, b->n, sim->ev.M + b->at, kG + b->row_at, z + b->col_at);
        if (!(lay->sys->flags & PH_MASS_CONSTANT))
            ph_small_tmul_add(b->m, b->n, m->K_z + b->at, kG + b->row_at, next->W + b->col_at);
    }
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++) {
        ph_vec3 c = {0, 0, 0}, unused;
        if (i->rot < i->dim) {
            int at = i->v_at + i->rot;
            ph_mat3 P_c;
            ph_conformal_covector(ph_load3(m->c + at), ph_load3(sim->now.a + at), &unused, &P_c);
            c = ph_scale(1 / (1 - f), ph_tmul(P_c, ph_load3(P + at)));
        }
        load_back(sim, i, P, now->a);
        vary_back(sim, i, z, S, c, next, now);
    }
}

/* (sens_load) transposed */
static void sens_load_back(ph_sim *sim, const double *bar, ph_variation *now)
{
    const chart_alpha *m = of(sim);
    for (const ph_slot *i = sim->lay.slot, *end = i + sim->lay.N; i < end; i++) {
        load_back(sim, i, bar, now->a);
        if (i->rot == i->dim)
            continue;
        double W[PH_DIM_MAX] = {0};
        int at = i->v_at + i->rot;
        turn t = turn_of(m->c + at);
        ph_small_tmul_add(i->dim, i->dim, m->N + i->T_at, bar + i->v_at, W);
        add3(now->W + at, ph_scale(-1, ph_mul(rotation_of(&t), ph_load3(W + i->rot))));
    }
}

/* G_bar k M_p z of (C5) */
static double sens_explicit(ph_sim *sim, const ph_follower *d)
{
    const chart_alpha *m = of(sim);
    double *x = m->w, sum = 0; /* done with */
    memset(x, 0, sizeof(double) * (size_t)sim->lay.nv);
    add_mass_variation(sim, d, x);
    for (int i = 0; i < sim->lay.nv; i++)
        sum += m->M_p[i] * x[i];
    return sum;
}

static void sens_predict_back(ph_sim *sim, const ph_variation *next, double *y_bar, ph_variation *now)
{
    const chart_alpha *m = of(sim);
    const weights *k = &m->k;
    memset(y_bar, 0, sizeof(double) * (size_t)sim->lay.nv);
    for (const ph_slot *i = sim->lay.slot, *end = i + sim->lay.N; i < end; i++) {
        for (int j = i->v_at; j < i->v_at + i->rot; j++) {
            double y = next->vdot[j], u = next->v[j] + m->p.eps * y;
            now->W[j] += next->W[j];
            now->v[j] += k->w_v * u + k->b_v * y;
            now->a[j] += k->w_a * u + k->b_a * y;
            now->vdot[j] += k->w_d * u + k->b_d * y;
        }
        if (i->rot == i->dim)
            continue;
        int at = i->v_at + i->rot;
        tangent x = tangent_of(m, at);
        ph_vec3 v = ph_load3(next->v + at), d = ph_load3(next->vdot + at), y = ph_tmul(x.t.T, d);
        ph_vec3 u = ph_add(ph_add(ph_tmul(x.t.T, v), ph_tmul(x.S_u, d)), ph_scale(m->p.eps, y));
        add3(now->W + at, ph_mul(x.R, ph_load3(next->W + at)));
        add3(now->v + at, ph_add(ph_scale(k->w_v, u), ph_scale(k->b_v, y)));
        add3(now->a + at, ph_add(ph_scale(k->w_a, u), ph_scale(k->b_a, y)));
        add3(now->vdot + at, ph_add(ph_scale(k->w_d, u), ph_scale(k->b_d, y)));
    }
}

#define CITE                                                                                                 \
    "O. Bruels, P. Eberhard: Sensitivity analysis for dynamic mechanical systems with finite rotations, "    \
    "International Journal for Numerical Methods in Engineering"

const ph_stepper ph_residual_alpha_stepper = {
    .name = "residual-alpha",
    .text = "generalized-alpha in conformal rotation vectors with weighted forces: first order, for comparison",
    .cite = CITE,
    .reads = PH_READS_ALPHA | PH_READS_FORMULATION | PH_READS_NEWTON,
    .size = sizeof(chart_alpha),
    .prepare = prepare_residual,
    .take = take_residual,
    .start = start_residual,
    .step = step,
    .sens_ops = sens_ops,
    .sens_load = sens_load,
    .sens_predict = sens_predict,
    .sens_accept = sens_accept_residual,
    .sens_restore = sens_restore,
    .sens_accept_back = sens_accept_back_residual,
    .sens_predict_back = sens_predict_back,
    .sens_load_back = sens_load_back,
    .sens_explicit = sens_explicit,
};

const ph_stepper ph_linear_alpha_stepper = {
    .name = "linear-alpha",
    .text = "generalized-alpha in conformal rotation vectors, accelerations weighted",
    .cite = CITE,
    .reads = PH_READS_ALPHA | PH_READS_FORMULATION | PH_READS_NEWTON | PH_READS_START,
    .size = sizeof(chart_alpha),
    .prepare = prepare,
    .take = take,
    .start = start,
    .step = step,
    .sens_ops = sens_ops,
    .sens_predict = sens_predict,
    .sens_accept = sens_accept,
    .sens_restore = sens_restore,
    .sens_accept_back = sens_accept_back,
    .sens_predict_back = sens_predict_back,
};
