/* Generalized-alpha in coordinates: what linear-alpha and residual-alpha share.
 *
 * The coordinates of a step are the conformal rotation vector c of q1 = q_n o q(c), and start at c = 0.
 * Velocities and accelerations are those of (L18) and (L21),
 *
 *   v = T(c) u,   vdot = T(c) y + S(c, u),   u = cdot,   y = cddot                                     (C1)
 *
 * so that at c = 0 they are v_n and vdot_n, and the formulas of a vector space hold for c, u and y: with gp
 * and eps of (N1), w and b of the start of the step,
 *
 *   u1 = gp c + w,   y1 = eps u1 + b                                                                   (C2)
 *
 * Derivatives, dq = T dc and with D_u and D_y those of T u and T y by c:
 *
 *   dv = (gp T + D_u) dc,   dvdot = (eps gp T + D_y + S_c + gp S_u) dc                                 (C3)
 *
 * Reference: Bruels, Eberhard: Sensitivity analysis for dynamic mechanical systems with finite rotations,
 * (78)-(96). */
#include "method/chart_alpha.h"

#include <float.h>
#include <string.h>

#include "la/small.h"
#include "lie/conformal.h"
#include "lie/groups.h"
#include "step/increment.h"

static ph_chart_alpha *of(const ph_sim *sim)
{
    return sim->method;
}

/* ---- preparation -------------------------------------------------------------------------------- */

ph_status ph_calpha_prepare(ph_sim *sim, ph_error *err)
{
    ph_chart_alpha *m = of(sim);
    const char *name = sim->stepper->name;
    char label[PH_NAME_MAX];
    sim->opt.sigma = 0; /* not read */
    ph_status s = ph_alpha_prepare(&sim->opt, &m->p, &m->ops, err);
    if (s != PH_OK)
        return s;
    if (sim->opt.formulation == PH_GGL && sim->lay.C)
        return ph_fail(err, PH_E_INPUT, "%s has no stabilised form: use index3 or index2", name);
    for (int i = 0; i < sim->lay.N; i++)
        if (sim->lay.sys->nodes[i].group == PH_SE3)
            return ph_fail(err, PH_E_INPUT,
                           "%s: %s is an element of SE(3), for which %s has no coordinates: use R3xSO3", name,
                           ph_node_label(&sim->lay, i, label), name);
    m->ops.exact = 1;
    return PH_OK;
}

void ph_calpha_take(ph_sim *sim, ph_arena *a)
{
    ph_chart_alpha none, *m = sim->method ? of(sim) : &none;
    size_t d = sizeof(double), nv = (size_t)sim->lay.nv, nT = (size_t)sim->lay.nT;
    m->c = ph_arena_take(a, nv, d);
    m->w = ph_arena_take(a, nv, d);
    m->b = ph_arena_take(a, nv, d);
    m->u = ph_arena_take(a, nv, d);
    m->y = ph_arena_take(a, nv, d);
    m->z = ph_arena_take(a, nv, d);
    m->Tinv = ph_arena_take(a, nT, d);
    m->L = ph_arena_take(a, nT, d);
    m->Q = ph_arena_take(a, nT, d);
}

/* ---- one node ----------------------------------------------------------------------------------- */

ph_calpha_turn ph_calpha_turn_of(const double *c)
{
    double T[9], q[4], k = ph_dot(ph_load3(c), ph_load3(c)) / 8 + 2;
    ph_conformal_ops.to_quat(c, q);
    ph_conformal_ops.T(c, T);
    ph_mat3 A = ph_load33(T);
    return (ph_calpha_turn){{q[0], q[1], q[2], q[3]}, A, ph_mscale(k * k / 4, ph_transpose(A))}; /* (L22) */
}

ph_mat3 ph_calpha_by_c(const double *c, const double *x)
{
    double D[9];
    ph_conformal_ops.dT(c, x, D);
    return ph_load33(D);
}

void ph_calpha_embed(const ph_slot *i, double diagonal, ph_mat3 A, double *out)
{
    double block[9];
    ph_store33(block, A);
    for (int j = 0; j < i->dim; j++)
        for (int k = 0; k < i->dim; k++)
            out[j * i->dim + k] = j == k ? diagonal : 0;
    for (int j = 0; j < 3; j++)
        memcpy(out + (i->rot + j) * i->dim + i->rot, block + 3 * j, 3 * sizeof *block);
}

/* ---- step --------------------------------------------------------------------------------------- */

/* (C1) for the rotation of a node. */
static void update_turn(ph_sim *sim, const ph_slot *i)
{
    ph_chart_alpha *m = of(sim);
    int at = i->v_at + i->rot;
    ph_calpha_turn t = ph_calpha_turn_of(m->c + at);
    double e[PH_DIM_MAX + 1] = {0}, *q1 = sim->next.q + i->q_at, *quat = e + i->op->quat;
    ph_vec3 u = ph_load3(m->u + at), S;
    ph_mat3 S_c, S_u;
    memcpy(e, m->c + i->v_at, sizeof(double) * (size_t)i->rot);
    quat[0] = t.q.w, quat[1] = t.q.x, quat[2] = t.q.y, quat[3] = t.q.z;
    i->op->compose(i->dim, sim->now.q + i->q_at, e, q1);
    q1 += i->op->quat;
    sim->next.R[i->R_at] = ph_qmat((ph_quat){q1[0], q1[1], q1[2], q1[3]});
    ph_conformal_bend(ph_load3(m->c + at), u, &S, &S_c, &S_u);
    ph_store3(sim->next.v + at, ph_mul(t.T, u));
    ph_store3(sim->next.vdot + at, ph_add(ph_mul(t.T, ph_load3(m->y + at)), S));
    ph_calpha_embed(i, 1, t.Tinv, m->Tinv + i->T_at);
}

ph_status ph_calpha_update(ph_sim *sim)
{
    ph_chart_alpha *m = of(sim);
    for (const ph_slot *i = sim->lay.slot, *end = i + sim->lay.N; i < end; i++) {
        for (int k = i->v_at; k < i->v_at + i->dim; k++) {
            m->u[k] = m->p.gp * m->c[k] + m->w[k];
            m->y[k] = m->p.eps * m->u[k] + m->b[k];
        }
        for (int k = 0; k < i->rot; k++) {
            int at = i->v_at + k;
            sim->next.q[i->q_at + k] = sim->now.q[i->q_at + k] + m->c[at];
            sim->next.v[at] = m->u[at], sim->next.vdot[at] = m->y[at];
        }
        if (i->rot < i->dim)
            update_turn(sim, i);
    }
    return PH_OK;
}

/* L and Q of one node from (C3): dc = T^-1 dq. */
static void linearise_turn(ph_sim *sim, const ph_slot *i)
{
    ph_chart_alpha *m = of(sim);
    double gp = m->p.gp, eps = m->p.eps;
    ph_calpha_tangent x = ph_calpha_tangent_of(m, i->v_at + i->rot);
    ph_mat3 dv = ph_mmul(ph_mscale(1 / gp, x.v_c), x.t.Tinv);
    ph_mat3 dvdot = ph_mmul(ph_mscale(1 / (gp * eps), ph_madd(x.vdot_c, ph_mscale(gp, x.S_u))), x.t.Tinv);
    ph_calpha_embed(i, 1, ph_madd(ph_diag3(1, 1, 1), dv), m->L + i->T_at);
    ph_calpha_embed(i, 0, ph_msub(dvdot, dv), m->Q + i->T_at);
}

void ph_calpha_linearise(ph_sim *sim)
{
    ph_chart_alpha *m = of(sim);
    for (const ph_slot *i = sim->lay.slot, *end = i + sim->lay.N; i < end; i++)
        if (i->T_at >= 0)
            linearise_turn(sim, i);
    m->ops.L = m->L, m->ops.Q = m->Q;
}

double ph_calpha_correct(ph_sim *sim, const double *x)
{
    ph_chart_alpha *m = of(sim);
    ph_increment size = {0};
    for (const ph_slot *i = sim->lay.slot, *end = i + sim->lay.N; i < end; i++) {
        int n = i->dim, at = i->v_at;
        for (int k = 0; k < n && (i->T_at < 0 || sim->opt.newton == PH_SIMPLIFIED); k++)
            m->c[at + k] += x[at + k];
        if (i->T_at >= 0 && sim->opt.newton != PH_SIMPLIFIED)
            ph_small_mul_add(n, n, m->Tinv + i->T_at, x + at, m->c + at);
        ph_increment_add(&size, i, x + at, m->c + at);
    }
    return ph_increment_size(&size, m->ops.tol);
}

static void constants(ph_sim *sim)
{
    ph_chart_alpha *m = of(sim);
    const ph_point *n = &sim->now;
    const ph_calpha_weights *k = &m->k;
    for (int i = 0; i < sim->lay.nv; i++) {
        m->w[i] = k->w_v * n->v[i] + k->w_a * n->a[i] + k->w_d * n->vdot[i];
        m->b[i] = k->b_v * n->v[i] + k->b_a * n->a[i] + k->b_d * n->vdot[i];
    }
}

void ph_calpha_predict(ph_sim *sim)
{
    ph_chart_alpha *m = of(sim);
    const ph_calpha_weights *k = &m->k;
    const ph_point *n = &sim->now;
    const ph_point *last = sim->n_past ? &sim->last : n;
    for (int i = 0; i < sim->lay.nv; i++) {
        double d = n->vdot[i], d1 = 2 * d - last->vdot[i];
        m->c[i] = k->c_v * n->v[i] + k->c_a * n->a[i] + k->c_d * d + k->c_1 * d1;
    }
    for (int i = 0; i < sim->lay.nl; i++)
        sim->next.lambda[i] = 2 * n->lambda[i] - last->lambda[i];
    constants(sim);
    m->ops.tol = ph_step_tolerances(sim, m->p.beta);
}

void ph_calpha_acceleration(ph_sim *sim, double *x)
{
    ph_chart_alpha *m = of(sim);
    const ph_calpha_weights *k = &m->k;
    for (const ph_slot *i = sim->lay.slot, *end = i + sim->lay.N; i < end; i++) {
        int at = i->v_at;
        for (int j = at; j < at + i->dim; j++)
            m->z[j] = x[j] = k->a_y * m->y[j] + k->a_a * sim->now.a[j] + k->a_d * sim->now.vdot[j];
        if (i->rot == i->dim)
            continue;
        at += i->rot;
        ph_calpha_turn t = ph_calpha_turn_of(m->c + at);
        ph_vec3 S, z = ph_mul(t.T, ph_load3(x + at));
        ph_mat3 S_c, S_u;
        ph_conformal_bend(ph_load3(m->c + at), ph_load3(m->u + at), &S, &S_c, &S_u);
        ph_store3(m->z + at, z);
        ph_store3(x + at, ph_add(z, S));
    }
}

/* ---- sensitivities ------------------------------------------------------------------------------ */

ph_calpha_tangent ph_calpha_tangent_of(const ph_chart_alpha *m, int at)
{
    ph_calpha_tangent x = {.t = ph_calpha_turn_of(m->c + at)};
    ph_vec3 S;
    ph_conformal_bend(ph_load3(m->c + at), ph_load3(m->u + at), &S, &x.S_c, &x.S_u);
    x.R = ph_qmat(x.t.q);
    x.v_c = ph_calpha_by_c(m->c + at, m->u + at);
    x.vdot_c = ph_madd(ph_calpha_by_c(m->c + at, m->y + at), x.S_c);
    return x;
}

ph_calpha_origin ph_calpha_origin_of(const ph_sim *sim, const ph_calpha_tangent *x, const ph_variation *now,
                                     int at)
{
    const ph_point *n = &sim->now;
    ph_vec3 W = ph_load3(now->W + at), half = ph_scale(0.5, W), v = ph_load3(n->v + at), S;
    ph_calpha_origin o = {.W = ph_tmul(x->R, W),
                          .v = ph_load3(now->v + at),
                          .a = ph_load3(now->a + at),
                          .d = ph_load3(now->vdot + at)};
    if (ph_sens_simplified(sim) != PH_REFERENCE_FREE)
        return o;
    ph_mat3 S_c, S_u;
    ph_conformal_bend(ph_v3(0, 0, 0), v, &S, &S_c, &S_u);
    ph_vec3 bend = ph_mul(S_c, W);
    o.c = W, o.W = ph_mul(x->t.T, W);
    o.v = ph_add(o.v, ph_cross(half, v));
    o.a = ph_add(o.a, ph_cross(half, ph_load3(n->a + at)));
    o.d = ph_sub(ph_add(o.d, ph_cross(half, ph_load3(n->vdot + at))), bend);
    if (!of(sim)->a_is_force)
        o.a = ph_sub(o.a, bend);
    return o;
}

static ph_vec3 sum3(double a, ph_vec3 x, double b, ph_vec3 y, double c, ph_vec3 z)
{
    return ph_add(ph_add(ph_scale(a, x), ph_scale(b, y)), ph_scale(c, z));
}

void ph_calpha_sens_predict(ph_sim *sim, const ph_variation *now, const double *y, ph_variation *next)
{
    const ph_chart_alpha *m = of(sim);
    const ph_calpha_weights *k = &m->k;
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
        ph_calpha_tangent x = ph_calpha_tangent_of(m, at);
        ph_calpha_origin o = ph_calpha_origin_of(sim, &x, now, at);
        ph_vec3 u = sum3(k->w_v, o.v, k->w_a, o.a, k->w_d, o.d);
        ph_vec3 acc = ph_add(ph_scale(m->p.eps, u), sum3(k->b_v, o.v, k->b_a, o.a, k->b_d, o.d));
        ph_store3(next->W + at, o.W);
        ph_store3(next->v + at, ph_add(ph_mul(x.t.T, u), ph_mul(x.v_c, o.c)));
        ph_store3(next->vdot + at,
                  ph_add(ph_mul(x.t.T, acc), ph_add(ph_mul(x.vdot_c, o.c), ph_mul(x.S_u, u))));
    }
}

void ph_calpha_vary(ph_sim *sim, const ph_slot *i, const ph_variation *now, const ph_variation *next,
                    double *z1, double *out)
{
    const ph_chart_alpha *m = of(sim);
    const ph_calpha_weights *k = &m->k;
    for (int j = i->v_at; j < i->v_at + i->rot; j++)
        z1[j] = out[j] = k->a_y * next->vdot[j] + k->a_a * now->a[j] + k->a_d * now->vdot[j];
    if (i->rot == i->dim)
        return;
    int at = i->v_at + i->rot;
    ph_calpha_tangent x = ph_calpha_tangent_of(m, at);
    ph_calpha_origin o = ph_calpha_origin_of(sim, &x, now, at);
    double a1[3];
    ph_store3(a1, ph_mul(x.t.Tinv, ph_load3(m->z + at)));
    ph_vec3 c = ph_add(o.c, ph_mul(x.t.Tinv, ph_sub(ph_load3(next->W + at), o.W)));
    ph_vec3 u = ph_mul(x.t.Tinv, ph_sub(ph_load3(next->v + at), ph_mul(x.v_c, c)));
    ph_vec3 Su = ph_mul(x.S_u, u);
    ph_vec3 y = ph_sub(ph_load3(next->vdot + at), ph_add(ph_mul(x.vdot_c, c), Su));
    ph_vec3 a = sum3(k->a_y, ph_mul(x.t.Tinv, y), k->a_a, o.a, k->a_d, o.d);
    ph_vec3 z = ph_add(ph_mul(x.t.T, a), ph_mul(ph_calpha_by_c(m->c + at, a1), c));
    ph_store3(z1 + at, z);
    ph_store3(out + at, ph_add(z, ph_add(ph_mul(x.S_c, c), Su)));
}

/* ---- adjoint ------------------------------------------------------------------------------------ */

void ph_calpha_restore(ph_sim *sim)
{
    ph_chart_alpha *m = of(sim);
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
    ph_calpha_update(sim);
}

static void add3(double *to, ph_vec3 x)
{
    ph_store3(to, ph_add(ph_load3(to), x));
}

void ph_calpha_vary_back(ph_sim *sim, const ph_slot *i, const double *z_bar, const double *bar, ph_vec3 c_bar,
                         ph_variation *next, ph_variation *now)
{
    const ph_chart_alpha *m = of(sim);
    const ph_calpha_weights *k = &m->k;
    for (int j = i->v_at; j < i->v_at + i->rot; j++) {
        double z = z_bar[j];
        next->vdot[j] += k->a_y * z;
        now->a[j] += k->a_a * z, now->vdot[j] += k->a_d * z;
    }
    if (i->rot == i->dim)
        return;
    int at = i->v_at + i->rot;
    ph_calpha_tangent x = ph_calpha_tangent_of(m, at);
    double a1[3];
    ph_store3(a1, ph_mul(x.t.Tinv, ph_load3(m->z + at)));
    ph_vec3 z = ph_load3(z_bar + at), S = ph_load3(bar + at), a = ph_tmul(x.t.T, z);
    ph_vec3 y = ph_tmul(x.t.Tinv, ph_scale(k->a_y, a));
    ph_vec3 c = ph_add(c_bar, ph_add(ph_tmul(ph_calpha_by_c(m->c + at, a1), z), ph_tmul(x.S_c, S)));
    ph_vec3 v = ph_tmul(x.t.Tinv, ph_tmul(x.S_u, ph_sub(S, y)));
    c = ph_sub(c, ph_add(ph_tmul(x.vdot_c, y), ph_tmul(x.v_c, v)));
    ph_vec3 W = ph_tmul(x.t.Tinv, c);
    add3(next->vdot + at, y), add3(next->v + at, v), add3(next->W + at, W);
    add3(now->a + at, ph_scale(k->a_a, a)), add3(now->vdot + at, ph_scale(k->a_d, a));
    add3(now->W + at, ph_scale(-1, ph_mul(x.R, W)));
}

void ph_calpha_sens_predict_back(ph_sim *sim, const ph_variation *next, double *y_bar, ph_variation *now)
{
    const ph_chart_alpha *m = of(sim);
    const ph_calpha_weights *k = &m->k;
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
        ph_calpha_tangent x = ph_calpha_tangent_of(m, at);
        ph_vec3 v = ph_load3(next->v + at), d = ph_load3(next->vdot + at), y = ph_tmul(x.t.T, d);
        ph_vec3 u = ph_add(ph_add(ph_tmul(x.t.T, v), ph_tmul(x.S_u, d)), ph_scale(m->p.eps, y));
        add3(now->W + at, ph_mul(x.R, ph_load3(next->W + at)));
        add3(now->v + at, ph_add(ph_scale(k->w_v, u), ph_scale(k->b_v, y)));
        add3(now->a + at, ph_add(ph_scale(k->w_a, u), ph_scale(k->b_a, y)));
        add3(now->vdot + at, ph_add(ph_scale(k->w_d, u), ph_scale(k->b_d, y)));
    }
}
