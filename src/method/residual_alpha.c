/* Generalized-alpha in coordinates, residual form: forces are weighted, as in structural dynamics.
 *
 * With the acceleration a1 of Newmark's formulas, f_a = T^T M T a1, f_c = T^T (M S + g + B^T lambda) and the
 * multipliers in f_c,
 *
 *   (1 - alpha_m) f_a1 + alpha_m f_a,n + (1 - alpha_f) f_c1 + alpha_f f_c,n = 0
 *
 * Multiplied by T^-T/(1 - alpha_f) these are the equations of the system at vdot1 = k T a1 + S, which is (C1)
 * with y1 = k a1, and a load that remembers the step before, k = (1 - alpha_m)/(1 - alpha_f):
 *
 *   M vdot1 + g + B^T lambda1 + P = 0,   P = T(c)^-T G_n/(1 - alpha_f)                                 (C6)
 *   G_{n+1} = T^-T (alpha_m f_a1 + alpha_f f_c1) = (alpha_m - alpha_f)/(1 - alpha_f) M T a1 - alpha_f P  (C7)
 *
 * A state has the accelerations T a1 + S, and where other methods have a, the covector G. First order
 * where T^T M T is not constant: for comparison. Reference: Bruels, Eberhard, (79)-(87), (95). */
#include "method/chart_alpha.h"

#include <string.h>

#include "la/small.h"
#include "lie/conformal.h"

typedef struct residual_alpha {
    ph_chart_alpha chart; /* first */
    double *N;            /* nT, of (N1) */
    double *load, *vdot;  /* nv, of (C6) */
    double *x;            /* nv: M_p T a1, or its covector */
    double *K_z;          /* pairs: d(M z)/dq, z = T a1; of sensitivities where M is not constant */
} residual_alpha;

static residual_alpha *of(const ph_sim *sim)
{
    return sim->method;
}

static ph_calpha_weights coefficients(const ph_alpha *p, double h)
{
    double k = (1 - p->alpha_m) / (1 - p->alpha_f);
    return (ph_calpha_weights){.w_v = 1 - p->gamma / p->beta,
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
    residual_alpha *m = of(sim);
    ph_status s = ph_calpha_prepare(sim, err);
    m->chart.k = coefficients(&m->chart.p, sim->opt.h);
    m->chart.a_is_force = 1;
    m->chart.ops.load = m->load, m->chart.ops.vdot = m->vdot;
    return s;
}

static void resize(ph_sim *sim)
{
    ph_chart_alpha *m = &of(sim)->chart;
    ph_alpha_resize(&m->p, sim->h, &m->ops);
    m->k = coefficients(&m->p, sim->h);
}

static void take(ph_sim *sim, ph_arena *a)
{
    residual_alpha none, *m = sim->method ? of(sim) : &none;
    size_t d = sizeof(double), nv = (size_t)sim->lay.nv;
    ph_calpha_take(sim, a);
    m->N = ph_arena_take(a, (size_t)sim->lay.nT, d);
    m->load = ph_arena_take(a, nv, d);
    m->vdot = ph_arena_take(a, nv, d);
    m->x = ph_arena_take(a, nv, d);
    m->K_z = ph_arena_take(a, (size_t)sim->lay.size_pairs, d);
}

static int has_constant_mass(const ph_sim *sim)
{
    return (sim->lay.sys->flags & PH_MASS_CONSTANT) != 0;
}

/* y = M x with the mass matrix evaluated last */
static void mul_mass(const ph_sim *sim, const double *x, double *y)
{
    memset(y, 0, sizeof(double) * (size_t)sim->lay.nv);
    for (const ph_block *b = sim->lay.pair, *end = b + sim->lay.n_pairs; b < end; b++)
        ph_small_mul_add(b->m, b->n, sim->ev.M + b->at, x + b->col_at, y + b->row_at);
}

/* f_a + f_c = 0 at first, so that G_0 = (alpha_m - alpha_f) M vdot_0. */
static ph_status start(ph_sim *sim)
{
    const ph_alpha *p = &of(sim)->chart.p;
    ph_state s = ph_point_view(&sim->now, &sim->lay);
    if (ph_eval_mass(&sim->ev, &s) != PH_OK)
        return PH_E_CALLBACK;
    mul_mass(sim, sim->now.vdot, sim->now.a);
    for (int i = 0; i < sim->lay.nv; i++)
        sim->now.a[i] *= p->alpha_m - p->alpha_f;
    return isfinite(ph_small_max(sim->lay.nv, sim->now.a)) ? PH_OK : PH_E_NAN;
}

/* ---- step --------------------------------------------------------------------------------------- */

/* P of one rotation, and dP/dc */
static ph_vec3 load_of(const ph_sim *sim, int at, ph_mat3 *P_c)
{
    const ph_chart_alpha *m = &of(sim)->chart;
    double f = 1 / (1 - m->p.alpha_f);
    ph_vec3 P;
    ph_conformal_covector(ph_load3(m->c + at), ph_scale(f, ph_load3(sim->now.a + at)), &P, P_c);
    return P;
}

static ph_status update(ph_sim *sim)
{
    residual_alpha *m = of(sim);
    ph_mat3 P_c;
    for (const ph_slot *i = sim->lay.slot, *end = i + sim->lay.N; i < end; i++) {
        for (int j = i->v_at; j < i->v_at + i->rot; j++)
            m->load[j] = sim->now.a[j] / (1 - m->chart.p.alpha_f);
        if (i->rot < i->dim)
            ph_store3(m->load + i->v_at + i->rot, load_of(sim, i->v_at + i->rot, &P_c));
    }
    return ph_calpha_update(sim);
}

/* With N = P_c T^-1 */
static void linearise_exactly(ph_sim *sim)
{
    residual_alpha *m = of(sim);
    ph_calpha_linearise(sim);
    for (const ph_slot *i = sim->lay.slot, *end = i + sim->lay.N; i < end; i++)
        if (i->rot < i->dim) {
            int at = i->v_at + i->rot;
            ph_mat3 P_c;
            ph_calpha_turn t = ph_calpha_turn_of(m->chart.c + at);
            load_of(sim, at, &P_c);
            ph_calpha_embed(i, 0, ph_mmul(P_c, t.Tinv), m->N + i->T_at);
        }
    m->chart.ops.N = m->N;
}

static void linearise(ph_sim *sim)
{
    ph_step_ops *o = &of(sim)->chart.ops;
    o->L = o->Q = o->N = NULL;
    if (sim->opt.newton != PH_SIMPLIFIED)
        linearise_exactly(sim);
}

/* T a1 + S in place of the vdot1 of (C6), which sensitivities need */
static void put_acceleration(ph_sim *sim)
{
    memcpy(of(sim)->vdot, sim->next.vdot, sizeof(double) * (size_t)sim->lay.nv);
    ph_calpha_acceleration(sim, sim->next.vdot);
}

static ph_status step(ph_sim *sim)
{
    residual_alpha *m = of(sim);
    ph_step_ops *o = &m->chart.ops;
    double f = m->chart.p.alpha_f, k = (m->chart.p.alpha_m - f) / (1 - f), *G = sim->next.a;
    ph_calpha_predict(sim);
    o->update = update, o->linearise = linearise, o->correct = ph_calpha_correct;
    ph_status status = ph_newton_solve(sim, o);
    if (status != PH_OK)
        return status;
    put_acceleration(sim);
    ph_state s = ph_point_view(&sim->next, &sim->lay);
    if (!has_constant_mass(sim) && ph_eval_mass(&sim->ev, &s) != PH_OK)
        return PH_E_CALLBACK;
    mul_mass(sim, m->chart.z, G);
    for (int i = 0; i < sim->lay.nv; i++)
        G[i] = k * G[i] - f * m->load[i];
    return PH_OK;
}

/* ---- sensitivities ------------------------------------------------------------------------------ */

/* K_z as a difference of K, which is linear in the accelerations. */
static void mass_stiffness(ph_sim *sim)
{
    residual_alpha *m = of(sim);
    ph_eval *ev = &sim->ev;
    ph_state s = ph_point_view(&sim->next, &sim->lay);
    ph_status status = PH_OK;
    memset(m->x, 0, sizeof(double) * (size_t)sim->lay.nv);
    for (int side = 0; side < 2; side++) {
        s.vdot = side ? m->chart.z : m->x;
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

/* Simplified: without k_G, what the derivative of T^T does to G1 = M (T a1 + S) + g + B^T lambda. It vanishes
 * in the linear form; here G1 = (1 - k) M T a1 - P, and N becomes
 *   N - T^-T k_G T^-1,   k_G = d(T^T G1)/dc                                                           (C9) */
static void leave_out_kG(ph_sim *sim)
{
    residual_alpha *m = of(sim);
    double k = (1 - m->chart.p.alpha_m) / (1 - m->chart.p.alpha_f);
    mul_mass(sim, m->chart.z, m->x);
    for (const ph_slot *i = sim->lay.slot, *end = i + sim->lay.N; i < end; i++) {
        if (i->rot == i->dim)
            continue;
        int at = i->v_at + i->rot;
        double N[PH_DIM_MAX * PH_DIM_MAX], minus_c[3], G1[3];
        for (int j = 0; j < 3; j++)
            minus_c[j] = -m->chart.c[at + j], G1[j] = (1 - k) * m->x[at + j] - m->load[at + j];
        ph_calpha_turn t = ph_calpha_turn_of(m->chart.c + at);
        ph_mat3 minus_kG = ph_calpha_by_c(minus_c, G1); /* T(c)^T = T(-c) */
        ph_calpha_embed(i, 0, ph_mmul(ph_transpose(t.Tinv), ph_mmul(minus_kG, t.Tinv)), N);
        for (int j = 0; j < i->dim * i->dim; j++)
            m->N[i->T_at + j] += N[j];
    }
}

static const ph_step_ops *sens_ops(ph_sim *sim)
{
    linearise_exactly(sim);
    if (ph_sens_simplified(sim) == PH_WITHOUT_KG)
        leave_out_kG(sim);
    if (!has_constant_mass(sim))
        mass_stiffness(sim);
    return &of(sim)->chart.ops;
}

/* x += M_p z from the M of the neighbours, which have just been evaluated at the new point */
static void add_mass_variation(const ph_sim *sim, const ph_follower *d, double *x)
{
    const double *z = of(sim)->chart.z;
    for (int k = 0; k < PH_NEIGHBOURS; k++) {
        double f = d->weight[k];
        for (const ph_block *b = sim->lay.pair, *end = b + sim->lay.n_pairs; b < end && f != 0; b++)
            for (int i = 0; i < b->m; i++)
                for (int j = 0; j < b->n; j++)
                    x[b->row_at + i] += f * d->at[k]->ev.M[b->at + i * b->n + j] * z[b->col_at + j];
    }
}

/* P' of one rotation for c' and G_n' */
static ph_vec3 vary_load(const ph_sim *sim, int at, const ph_calpha_turn *t, ph_vec3 c, ph_vec3 G)
{
    ph_mat3 P_c;
    load_of(sim, at, &P_c);
    return ph_add(ph_mul(P_c, c), ph_scale(1 / (1 - of(sim)->chart.p.alpha_f), ph_tmul(t->Tinv, G)));
}

static ph_status sens_load(ph_sim *sim, const ph_follower *d, double *r_p)
{
    residual_alpha *m = of(sim);
    for (const ph_slot *i = sim->lay.slot, *end = i + sim->lay.N; i < end; i++) {
        for (int j = i->v_at; j < i->v_at + i->rot; j++)
            r_p[j] += d->now.a[j] / (1 - m->chart.p.alpha_f);
        if (i->rot == i->dim)
            continue;
        int at = i->v_at + i->rot;
        ph_calpha_tangent x = ph_calpha_tangent_of(&m->chart, at);
        ph_calpha_origin o = ph_calpha_origin_of(sim, &x, &d->now, at);
        double W[PH_DIM_MAX] = {0}, NW[PH_DIM_MAX];
        ph_store3(W + i->rot, o.W); /* translations have no N */
        ph_small_mul(i->dim, m->N + i->T_at, W, NW);
        ph_vec3 P = ph_sub(vary_load(sim, at, &x.t, o.c, o.a), ph_load3(NW + i->rot));
        ph_store3(r_p + at, ph_add(ph_load3(r_p + at), P));
    }
    memset(m->x, 0, sizeof(double) * (size_t)sim->lay.nv);
    add_mass_variation(sim, d, m->x);
    return PH_OK;
}

/* (C7) differentiated; next->vdot is that of (C6) until it is replaced. */
static void sens_accept(ph_sim *sim, const ph_variation *now, ph_variation *next)
{
    residual_alpha *m = of(sim);
    const ph_layout *lay = &sim->lay;
    double *z1 = m->chart.w, *acc = m->chart.b, *G = next->a; /* w and b are done with */
    double f = m->chart.p.alpha_f, k = (m->chart.p.alpha_m - f) / (1 - f);
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++)
        ph_calpha_vary(sim, i, now, next, z1, acc);
    memcpy(next->vdot, acc, sizeof(double) * (size_t)lay->nv);
    mul_mass(sim, z1, G);
    for (const ph_block *b = lay->pair, *end = b + lay->n_pairs; b < end && !has_constant_mass(sim); b++)
        ph_small_mul_add(b->m, b->n, m->K_z + b->at, next->W + b->col_at, G + b->row_at);
    for (int i = 0; i < lay->nv; i++)
        G[i] = k * (G[i] + m->x[i]);
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++) {
        for (int j = i->v_at; j < i->v_at + i->rot; j++)
            G[j] -= f / (1 - f) * now->a[j];
        if (i->rot == i->dim)
            continue;
        int at = i->v_at + i->rot;
        ph_calpha_tangent x = ph_calpha_tangent_of(&m->chart, at);
        ph_calpha_origin o = ph_calpha_origin_of(sim, &x, now, at);
        ph_vec3 c = ph_add(o.c, ph_mul(x.t.Tinv, ph_sub(ph_load3(next->W + at), o.W)));
        ph_vec3 P = vary_load(sim, at, &x.t, c, o.a);
        ph_store3(G + at, ph_sub(ph_load3(G + at), ph_scale(f, P)));
    }
}

/* ---- adjoint ------------------------------------------------------------------------------------ */

static ph_status sens_restore(ph_sim *sim)
{
    ph_calpha_restore(sim);
    put_acceleration(sim);
    return PH_OK;
}

/* The covector of G_n of a load whose own is bar, by (C6) */
static void load_back(const ph_sim *sim, const ph_slot *i, const double *bar, double *G)
{
    const ph_chart_alpha *m = &of(sim)->chart;
    double f = 1 / (1 - m->p.alpha_f);
    for (int j = i->v_at; j < i->v_at + i->rot; j++)
        G[j] += f * bar[j];
    if (i->rot < i->dim) {
        int at = i->v_at + i->rot;
        ph_calpha_turn t = ph_calpha_turn_of(m->c + at);
        ph_store3(G + at, ph_add(ph_load3(G + at), ph_scale(f, ph_mul(t.Tinv, ph_load3(bar + at)))));
    }
}

/* sens_accept transposed: the covectors of M z, of z, of T a1 + S and of P */
static void sens_accept_back(ph_sim *sim, ph_variation *next, ph_variation *now)
{
    residual_alpha *m = of(sim);
    const ph_layout *lay = &sim->lay;
    double f = m->chart.p.alpha_f, k = (m->chart.p.alpha_m - f) / (1 - f);
    double *Mz = m->x, *z = m->chart.w, *S = m->chart.b, *P = m->load; /* done with */
    for (int i = 0; i < lay->nv; i++) {
        Mz[i] = k * next->a[i], P[i] = -f * next->a[i];
        z[i] = S[i] = next->vdot[i], next->vdot[i] = 0;
    }
    for (const ph_block *b = lay->pair, *end = b + lay->n_pairs; b < end; b++) {
        ph_small_tmul_add(b->m, b->n, sim->ev.M + b->at, Mz + b->row_at, z + b->col_at);
        if (!has_constant_mass(sim))
            ph_small_tmul_add(b->m, b->n, m->K_z + b->at, Mz + b->row_at, next->W + b->col_at);
    }
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++) {
        ph_vec3 c = {0, 0, 0};
        if (i->rot < i->dim) {
            ph_mat3 P_c;
            load_of(sim, i->v_at + i->rot, &P_c);
            c = ph_tmul(P_c, ph_load3(P + i->v_at + i->rot));
        }
        load_back(sim, i, P, now->a);
        ph_calpha_vary_back(sim, i, z, S, c, next, now);
    }
}

static void sens_load_back(ph_sim *sim, const double *bar, ph_variation *now)
{
    const residual_alpha *m = of(sim);
    for (const ph_slot *i = sim->lay.slot, *end = i + sim->lay.N; i < end; i++) {
        load_back(sim, i, bar, now->a);
        if (i->rot == i->dim)
            continue;
        double W[PH_DIM_MAX] = {0};
        int at = i->v_at + i->rot;
        ph_calpha_turn t = ph_calpha_turn_of(m->chart.c + at);
        ph_small_tmul_add(i->dim, i->dim, m->N + i->T_at, bar + i->v_at, W);
        ph_vec3 back = ph_mul(ph_qmat(t.q), ph_load3(W + i->rot));
        ph_store3(now->W + at, ph_sub(ph_load3(now->W + at), back));
    }
}

static double sens_explicit(ph_sim *sim, const ph_follower *d)
{
    residual_alpha *m = of(sim);
    double *M_p = m->chart.w, sum = 0; /* done with */
    memset(M_p, 0, sizeof(double) * (size_t)sim->lay.nv);
    add_mass_variation(sim, d, M_p);
    for (int i = 0; i < sim->lay.nv; i++)
        sum += m->x[i] * M_p[i];
    return sum;
}

const ph_stepper ph_residual_alpha_stepper = {
    .name = "residual-alpha",
    .text = "generalized-alpha in conformal rotation vectors, with weighted forces; of first order, for "
            "comparison only",
    .cite = PH_CALPHA_CITE,
    .reads = PH_READS_ALPHA | PH_READS_FORMULATION | PH_READS_NEWTON,
    .in_coordinates = 1,
    .size = sizeof(residual_alpha),
    .prepare = prepare,
    .resize = resize,
    .take = take,
    .start = start,
    .step = step,
    .sens_ops = sens_ops,
    .sens_load = sens_load,
    .sens_predict = ph_calpha_sens_predict,
    .sens_accept = sens_accept,
    .sens_restore = sens_restore,
    .sens_accept_back = sens_accept_back,
    .sens_predict_back = ph_calpha_sens_predict_back,
    .sens_load_back = sens_load_back,
    .sens_explicit = sens_explicit,
};
