/* A large model: bodies, joints and the blocks of its matrix in loops over tables.
 *
 * All blocks are 3x3. Rows of a constraint come three at a time, a group; those that are missing, and rows that are left
 * out, have 1 on the diagonal and 0 elsewhere. Unknowns: nodes, groups of lambda, groups of eta. */
#ifndef PH_COMPILE_LOOPS_H
#define PH_COMPILE_LOOPS_H

/* Rows of a group; those that are not kept are 0. */
PH_FN ph_mat3 ph_group_rows(const ph_real *B, int keep)
{
    ph_vec3 a = keep & 1 ? ph_load3(B) : ph_zero3(), b = keep & 2 ? ph_load3(B + 3) : ph_zero3(),
            c = keep & 4 ? ph_load3(B + 6) : ph_zero3();
    ph_mat3 A = {a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z};
    return A;
}

PH_FN ph_vec3 ph_group_numbers(const ph_real *a, int keep)
{
    return ph_v3(keep & 1 ? a[0] : ph_k(0), keep & 2 ? a[1] : ph_k(0), keep & 4 ? a[2] : ph_k(0));
}

/* B of a link */
PH_FN ph_mat3 ph_link_rows(const ph_real *B, const ph_link_entry *l, int keep)
{
    return l->constant ? ph_diag3(ph_k(l->c), ph_k(l->c), ph_k(l->c)) : ph_group_rows(B + l->at, keep);
}

PH_FN ph_vec3 ph_link_times(const ph_real *B, const ph_link_entry *l, int keep, ph_vec3 v)
{
    return l->constant ? ph_scale(ph_k(l->c), v) : ph_mul(ph_group_rows(B + l->at, keep), v);
}

PH_FN ph_vec3 ph_link_pull(const ph_real *B, const ph_link_entry *l, int keep, ph_vec3 f)
{
    return l->constant ? ph_scale(ph_k(l->c), f) : ph_tmul(ph_group_rows(B + l->at, keep), f);
}

/* ---- elements ------------------------------------------------------------------------------------- */

PH_FN void ph_bodies(const ph_work *W, ph_values *e, int use)
{
    for (int k = 0; k < PH_BODIES; k++) {
        const ph_body_entry *b = &ph_body[k];
        ph_vec3 w = e->body[k + 1].w;
        ph_vec3 f = ph_scale(ph_k(b->m), ph_load3(W->vdot + b->v[0]));
        ph_store3(e->r + b->v[0], ph_v3(f.x - b->weight[0], f.y - b->weight[1], f.z - b->weight[2]));
        if (b->v[1] < 0)
            continue;
        ph_mat3 J = {ph_k(b->J[0]), ph_k(b->J[1]), ph_k(b->J[2]), ph_k(b->J[3]), ph_k(b->J[4]),
                     ph_k(b->J[5]), ph_k(b->J[6]), ph_k(b->J[7]), ph_k(b->J[8])};
        ph_store3(e->r + b->v[1], ph_add(ph_mul(J, ph_load3(W->vdot + b->v[1])), ph_rigid_g(J, w)));
        if (use == PH_MATRIX)
            ph_store33(e->slopes->C + b->C, ph_rigid_C(J, w));
    }
}

/* r += B^T lambda and rate = B v */
PH_FN void ph_reactions(const ph_work *W, ph_values *e, int use)
{
    int rates = use == PH_START || PH_RATES;
    if (rates)
        ph_zeros(e->rate, PH_NL);
    if (use != PH_START)
        ph_zeros(e->f, PH_NV);
    for (int k = 0; k < PH_LINKS; k++) {
        const ph_link_entry *l = &ph_link[k];
        if (use != PH_START)
            ph_add3(e->f + l->v,
                    ph_link_pull(e->B, l, l->there, ph_group_numbers(W->lambda + l->l, l->there)));
        if (!rates)
            continue;
        ph_vec3 rate = ph_link_times(e->B, l, l->there, ph_load3(W->v + l->v));
        e->rate[l->l] += rate.x;
        if (l->there & 2)
            e->rate[l->l + 1] += rate.y;
        if (l->there & 4)
            e->rate[l->l + 2] += rate.z;
    }
    for (int i = 0; i < PH_NV && use != PH_START; i++)
        e->r[i] += e->f[i];
}

PH_FN void ph_elements(const ph_work *W, ph_values *e, int use)
{
    ph_zeros(e->Phi, PH_NL);
    if (use == PH_START)
        ph_zeros(e->convective, PH_NL);
    if (use == PH_MATRIX)
        ph_zeros(e->slopes->C, PH_NP), ph_zeros(e->slopes->K, PH_NP);
    e->body[0] = ph_kin_ground();
    ph_bodies(W, e, use);
    ph_joints(W, e, use);
    ph_forces(e, use);
    ph_reactions(W, e, use);
}

/* ---- the matrix ----------------------------------------------------------------------------------- */

PH_FN ph_mat3 ph_mass_of(const double *m)
{
    ph_mat3 M = {ph_k(m[0]), ph_k(m[1]), ph_k(m[2]), ph_k(m[3]), ph_k(m[4]),
                 ph_k(m[5]), ph_k(m[6]), ph_k(m[7]), ph_k(m[8])};
    return M;
}

PH_FN ph_mat3 ph_times_identity(double c)
{
    return ph_diag3(ph_k(c), ph_k(c), ph_k(c));
}

/* What the matrix needs of a rotation that was moved. */
typedef struct ph_turned {
    ph_mat3 R, L;
#if PH_ETA && PH_HAS_F
    ph_mat3 F;
#endif
} ph_turned;

/* F M of a rotation; the identity stands for F elsewhere. */
PH_FN ph_mat3 ph_turned_times(const ph_turned *T, ph_mat3 M)
{
#if PH_ETA && PH_HAS_F
    return ph_mmul(T->F, M);
#else
    (void)T;
    return M;
#endif
}

/* (N2); T NULL: that of the start, with M and B alone */
PH_FN void ph_assemble(const ph_work *W, const ph_values *e, const ph_turned *T, ph_mat3 *A)
{
    ph_mat3 FB[PH_ETA ? PH_LINKS + 1 : 1];
    for (int k = 0; k < PH_GROUPS; k++) {
        int keep = ph_group[k].keep;
        if (ph_group[k].diagonal >= 0)
            A[ph_group[k].diagonal] = ph_diag3(ph_k(!(keep & 1)), ph_k(!(keep & 2)), ph_k(!(keep & 4)));
    }
    for (int k = 0; k < PH_PAIRS; k++) {
        const ph_pair_entry *p = &ph_pair[k];
        ph_mat3 G = ph_mass_of(p->M);
        if (T) {
            G = ph_madd(G, ph_mscale(ph_k(PH_INV_EPS), ph_load33(e->slopes->C + p->at)));
            G = ph_madd(p->turn < 0 ? G : ph_mmul(G, T[p->turn].L),
                        ph_mscale(ph_k(PH_S), ph_load33(e->slopes->K + p->at)));
        }
        A[p->to] = G;
    }
    for (int k = 0; k < PH_LINKS; k++) {
        const ph_link_entry *l = &ph_link[k];
        if (l->constant && !PH_ETA && l->row < 0)
            continue;
        ph_mat3 B = ph_link_rows(e->B, l, l->keep), L = B;
        if (T && l->by_rate && l->row >= 0) {
            if (l->turn >= 0)
                L = ph_mmul(B, T[l->turn].L);
            L = ph_madd(L, ph_mscale(ph_k(PH_INV_GP), ph_group_rows(e->slopes->Z + l->at, l->keep)));
        }
        if (l->column >= 0)
            A[l->column] = ph_transpose(B);
        if (l->row >= 0)
            A[l->row] = L;
        if (l->eta_row >= 0)
            A[l->eta_row] = B;
        if (!PH_ETA || l->eta < 0)
            continue;
        FB[k] = ph_transpose(T ? ph_link_rows(PH_BN(W), l, l->keep) : B);
        if (T && l->turn >= 0)
            FB[k] = ph_turned_times(&T[l->turn], FB[k]);
    }
    for (int k = 0; k < PH_PRODUCTS; k++) {
        const ph_product_entry *p = &ph_product[k];
        ph_mat3 left, sum = p->first ? ph_times_identity(p->c) : A[p->to];
        if (p->pair < 0) {
            left = ph_group_rows(e->B + p->at, p->keep);
        } else {
            left = ph_mass_of(p->M);
            if (T)
                left = ph_madd(left, ph_mscale(ph_k(PH_INV_EPS), ph_load33(e->slopes->C + p->at)));
        }
        A[p->to] = ph_madd(sum, ph_mmul(left, FB[p->link]));
    }
    (void)FB, (void)W;
}

/* A becomes its factors, inverse on the diagonal. Blocks are eliminated one after the other, nodes before the constraints that
 * they meet. */
PH_OUT_OF_LINE void ph_factor(ph_mat3 *A)
{
    for (int k = 0; k < PH_OPS; k++) {
        const ph_op_entry *p = &ph_op[k];
        ph_mat3 *to = &A[p->to];
        switch (p->op) {
        case PH_OP_INVERT:
            *to = ph_minv(*to);
            break;
        case PH_OP_PRODUCT:
            *to = ph_mmul(A[p->l], A[p->u]);
            break;
        case PH_OP_SCALE:
            *to = ph_mscale(ph_k(p->c), A[p->l]);
            break;
        case PH_OP_SUB_PRODUCT:
            *to = ph_msub(*to, ph_mmul(A[p->l], A[p->u]));
            break;
        case PH_OP_SET_PRODUCT:
            *to = ph_msub(ph_times_identity(p->d), ph_mmul(A[p->l], A[p->u]));
            break;
        case PH_OP_SUB_SCALED:
            *to = ph_msub(*to, ph_mscale(ph_k(p->c), A[p->l]));
            break;
        case PH_OP_SET_SCALED:
            *to = ph_msub(ph_times_identity(p->d), ph_mscale(ph_k(p->c), A[p->l]));
            break;
        default:
            *to = ph_msub(*to, ph_times_identity(p->c));
        }
    }
}

/* A x = b, in place */
PH_OUT_OF_LINE void ph_solve(const ph_mat3 *A, ph_real *x)
{
    for (int k = 0; k < PH_ROWS; k++) {
        const ph_row_entry *r = &ph_row[k];
        ph_vec3 y = ph_load3(x + 3 * r->unknown);
        for (const ph_term_entry *t = ph_row_term + r->first, *end = t + r->terms; t < end; t++) {
            ph_vec3 u = ph_load3(x + 3 * t->unknown);
            y = ph_sub(y, t->a < 0 ? ph_scale(ph_k(t->c), u) : ph_mul(A[t->a], u));
        }
        if (r->a >= 0)
            y = ph_mul(A[r->a], y);
        else if (r->c != 1)
            y = ph_scale(ph_k(r->c), y);
        ph_store3(x + 3 * r->unknown, y);
    }
}

/* ---- what step.h asks for ------------------------------------------------------------------------- */

PH_FN ph_vec3 ph_y_of(const ph_work *W, int at)
{
    (void)W, (void)at;
    return PH_ETA ? ph_load3(PH_Y(W) + at) : ph_zero3();
}

/* The point of theta; T NULL: its derivatives are not needed. */
PH_FN void ph_move_all(const PH_MODEL *s, ph_work *W, ph_turned *T, ph_mat3 *Tinv)
{
    for (int i = 0, t = 0; i < PH_NODES; i++) {
        int q = ph_node[i][0], v = ph_node[i][1];
        if (!ph_node[i][2]) {
            ph_alpha_flat(s->q + q, W->theta + v, W->w + v, W->c + v, ph_y_of(W, v), W->q + q, W->v + v,
                          W->vdot + v);
            continue;
        }
        ph_moved m = ph_alpha_turn(s->q + q, W->theta + v, W->w + v, W->c + v, ph_y_of(W, v));
        ph_quat_store(W->q + q, m.q), ph_store3(W->v + v, m.v), ph_store3(W->vdot + v, m.vdot);
        if (T) {
            T[t].R = m.R, T[t].L = m.L, Tinv[t] = m.Tinv;
#if PH_ETA && PH_HAS_F
            T[t].F = m.F;
#endif
        }
        t++;
    }
}

PH_OUT_OF_LINE void ph_move(const PH_MODEL *s, ph_work *W)
{
    ph_move_all(s, W, NULL, NULL);
}

/* The right-hand side, in the place of x. */
PH_FN void ph_right_hand_side(ph_work *W, const ph_values *e)
{
    for (int i = 0; i < PH_NODES; i++)
        ph_store3(W->x + 3 * i, ph_scale(ph_k(-PH_S), ph_load3(e->r + ph_node[i][1])));
    W->loose = ph_k(0);
    for (int k = 0; k < PH_GROUPS; k++) {
        const ph_group_entry *g = &ph_group[k];
        ph_vec3 Phi = ph_group_numbers(e->Phi + g->l, g->keep);
        ph_store3(W->x + 3 * g->unknown,
                  g->by_rate ? ph_scale(ph_k(-PH_INV_GP), ph_group_numbers(e->rate + g->l, g->keep))
                             : ph_neg(Phi));
        if (g->keep == g->there)
            continue;
        Phi = ph_group_numbers(e->Phi + g->l, g->there & ~g->keep);
        W->loose = ph_larger(ph_larger(ph_larger(W->loose, ph_abs(Phi.x)), ph_abs(Phi.y)), ph_abs(Phi.z));
    }
    if (PH_RATES)
        W->drift = ph_most(ph_k(0), e->rate, PH_NL);
}

/* (RB8); nodes that are not listed have none. */
PH_COLD void ph_find_stiffness(ph_work *W, const ph_slopes *slopes)
{
    W->stiff = ph_k(0);
    for (int k = 0; k < PH_PAIRS; k++) {
        const ph_pair_entry *p = &ph_pair[k];
        ph_real M[9], A[9];
        for (int i = 0; i < 9; i++) {
            M[i] = ph_k(p->M[i]);
            A[i] = PH_INV_EPS * slopes->C[p->at + i] + PH_S * slopes->K[p->at + i];
        }
        if (p->diagonal)
            W->stiff = ph_alpha_stiffness(W->stiff, 3, p->turn >= 0, M, A);
    }
}

PH_OUT_OF_LINE void ph_increment(const PH_MODEL *s, ph_work *W, ph_factors *F)
{
    ph_slopes slopes;
    ph_values e;
    ph_turned T[PH_TURNS + 1];
    e.slopes = &slopes;
    ph_move_all(s, W, T, F->Tinv);
    for (int t = 0; t < PH_TURNS && W->still; t++) {
        T[t].L = ph_one33();
#if PH_ETA && PH_HAS_F
        T[t].F = T[t].L;
#endif
    }
    for (int k = 0; k < PH_BODIES; k++) {
        int t = ph_body[k].turn;
        ph_body_kin(&ph_body[k], W->q, W->v, t < 0 ? NULL : &T[t].R, &e.body[k + 1]);
    }
    ph_elements(W, &e, PH_MATRIX);
    if (W->still)
        ph_find_stiffness(W, &slopes);
    ph_assemble(W, &e, T, F->A);
    ph_right_hand_side(W, &e);
    ph_factor(F->A);
    ph_solve(F->A, W->x);
}

/* Forces that the increment of lambda makes, and what they may be. */
PH_FN void ph_pull(ph_work *W, const ph_values *e)
{
    ph_real d[PH_NV], most[2] = {ph_k(0), ph_k(0)};
    ph_zeros(d, PH_NV);
    for (int k = 0; k < PH_LINKS; k++)
        ph_add3(d + ph_link[k].v,
                ph_link_pull(e->B, &ph_link[k], ph_link[k].keep, ph_load3(W->x + 3 * ph_link[k].unknown)));
    W->pull[0] = W->pull[1] = ph_k(0);
    for (int i = 0; i < PH_NODES; i++) {
        int v = ph_node[i][1], turns = ph_node[i][2];
        W->pull[turns] = ph_alpha_most(W->pull[turns], d + v);
        most[turns] = ph_alpha_most(most[turns], e->f + v);
    }
    W->bound[0] = PH_S * PH_RTOL * most[0] + PH_MASS * (PH_S * PH_ATOL + 64 * DBL_EPSILON * W->size);
    W->bound[1] = PH_S * PH_RTOL * most[1] + PH_INERTIA * (PH_S * PH_ATOL + 64 * DBL_EPSILON);
}

PH_OUT_OF_LINE void ph_increment_kept(const PH_MODEL *s, ph_work *W, const ph_factors *F)
{
    ph_values e;
    ph_move(s, W);
    for (int k = 0; k < PH_BODIES; k++)
        ph_body_kin(&ph_body[k], W->q, W->v, NULL, &e.body[k + 1]);
    ph_elements(W, &e, PH_RESIDUAL);
    ph_right_hand_side(W, &e);
    ph_solve(F->A, W->x);
    ph_pull(W, &e);
}

PH_FN void ph_predict(const PH_MODEL *s, ph_work *W)
{
    ph_real size[2] = {ph_k(PH_BODY_SIZE), ph_k(0)}, speed[2] = {ph_k(0), ph_k(0)},
            acc[2] = {ph_k(0), ph_k(0)};
    for (int i = 0; i < PH_NODES; i++) {
        int q = ph_node[i][0], v = ph_node[i][1], turns = ph_node[i][2];
        ph_alpha_predict(turns, s->v + v, s->a + v, s->vdot + v, s->last_vdot + v, s->slope, W->w + v,
                         W->c + v, W->theta + v);
        size[turns] = ph_alpha_most(size[turns], s->q + q);
        speed[turns] = ph_alpha_most(speed[turns], s->v + v),
        acc[turns] = ph_alpha_most(acc[turns], s->vdot + v);
    }
    W->still = 0;
    W->size = size[0];
    W->tol_x =
        PH_BH2 * (PH_ATOL + PH_RTOL * acc[0]) + 4 * DBL_EPSILON * (size[0] + PH_H * speed[0]) + DBL_MIN;
    W->tol_R = PH_BH2 * (PH_ATOL + PH_RTOL * acc[1]) + 4 * DBL_EPSILON * (1 + PH_H * speed[1]);
    for (int i = 0; i < PH_NL; i++)
        W->lambda[i] = s->lambda[i] + s->slope * (s->lambda[i] - s->last_lambda[i]);
#if PH_ETA
    ph_values e;
    e.body[0] = ph_kin_ground();
    ph_zeros(W->y, PH_NV);
    for (int k = 0; k < PH_BODIES; k++)
        ph_body_kin(&ph_body[k], s->q, s->v, NULL, &e.body[k + 1]);
    ph_joints(W, &e, PH_START);
    for (int k = 0; k < PH_LINKS; k++)
        for (int i = 0; i < 9; i++)
            if (ph_link[k].there >> (i / 3) & 1)
                W->Bn[ph_link[k].at + i] = (ph_link[k].turn < 0 ? 1 : PH_TURN_UNIT) * e.B[ph_link[k].at + i];
#endif
}

PH_FN ph_real ph_correct(ph_work *W, const ph_factors *F, ph_mask active)
{
    ph_real moved = ph_k(0), turned = ph_k(0), far = ph_k(0);
#if PH_ETA
    ph_real dy[PH_NV];
    ph_zeros(dy, PH_NV);
    for (int k = 0; k < PH_LINKS; k++) {
        const ph_link_entry *l = &ph_link[k];
        if (l->eta >= 0)
            ph_add3(dy + l->v, ph_link_pull(W->Bn, l, l->keep, ph_load3(W->x + 3 * l->eta)));
    }
#endif
    for (int i = 0, t = 0; i < PH_NODES; i++) {
        int v = ph_node[i][1], turns = ph_node[i][2];
        ph_real *most = turns ? &turned : &moved, *theta = W->theta + v;
        ph_vec3 d = ph_load3(W->x + v);
        if (turns)
            d = ph_mul(F->Tinv[t++], d);
        *most = ph_alpha_most(*most, W->x + v);
        theta[0] = ph_select(active, theta[0] + d.x, theta[0]);
        theta[1] = ph_select(active, theta[1] + d.y, theta[1]);
        theta[2] = ph_select(active, theta[2] + d.z, theta[2]);
        if (!turns)
            far = ph_alpha_most(far, theta);
#if PH_ETA
        *most = ph_alpha_most(*most, dy + v);
        for (int j = v; j < v + 3; j++)
            W->y[j] = ph_select(active, W->y[j] + PH_GP * dy[j], W->y[j]);
#endif
    }
    for (int k = 0; k < PH_GROUPS; k++)
        for (int i = 0; i < 3 && !ph_group[k].is_eta; i++)
            if (ph_group[k].keep >> i & 1)
                W->lambda[ph_group[k].l + i] = ph_select(
                    active, W->lambda[ph_group[k].l + i] + W->x[3 * ph_group[k].unknown + i] * (1 / PH_S),
                    W->lambda[ph_group[k].l + i]);
    return ph_larger(moved / (W->tol_x + 4 * DBL_EPSILON * far), turned / W->tol_R);
}

PH_FN ph_mask ph_loose(const ph_work *W)
{
    return ph_not(W->loose <= 1e-7 * W->size);
}

PH_COLD void ph_start_system(const PH_MODEL *s, ph_work *W, int what, const ph_real *l, ph_real *x)
{
    (void)s;
    ph_values e;
    ph_mat3 A[PH_BLOCKS];
    ph_real y[PH_N];
    ph_real big[2] = {ph_k(PH_BODY_SIZE), ph_k(0)}, rows[PH_NL + 1];
    for (int k = 0; k < PH_BODIES; k++)
        ph_body_kin(&ph_body[k], W->q, W->v, NULL, &e.body[k + 1]);
    if (what == PH_ACCELERATIONS)
        ph_zeros(W->vdot, PH_NV);
    ph_elements(W, &e, PH_START);
    ph_assemble(W, &e, NULL, A);
    for (int i = 0; i < PH_NODES; i++) {
        if (!ph_node[i][2])
            big[0] = ph_alpha_most(big[0], W->q + ph_node[i][0]);
        big[1] = ph_alpha_most(big[1], W->v + ph_node[i][1]);
        ph_store3(y + 3 * i, what == PH_ACCELERATIONS ? ph_neg(ph_load3(e.r + ph_node[i][1])) : ph_zero3());
    }
    ph_zeros(rows, PH_NL);
    W->violation[0] = W->violation[1] = ph_k(0);
    for (int i = 0; i < PH_NL; i++) {
        rows[i] = what == PH_ACCELERATIONS ? -e.convective[i]
                  : what == PH_POSITIONS   ? -e.Phi[i]
                  : what == PH_VELOCITIES  ? -e.rate[i]
                                           : ph_k(0);
        W->violation[0] = ph_larger(W->violation[0], ph_abs(e.Phi[i]) / (big[0] + DBL_MIN));
        W->violation[1] = ph_larger(W->violation[1], ph_abs(e.rate[i]) / (big[1] + DBL_MIN));
    }
    for (int k = 0; k < PH_LINKS && (what == PH_LIFT || what == PH_GIVE_BACK); k++) {
        ph_vec3 sum = ph_zero3();
        if (ph_link[k].holonomic || what == PH_GIVE_BACK)
            sum = ph_link_times(e.B, &ph_link[k], ph_link[k].there, ph_load3(l + ph_link[k].v));
        const ph_real add[3] = {sum.x, sum.y, sum.z};
        for (int i = 0; i < 3; i++)
            if (ph_link[k].there >> i & 1)
                rows[ph_link[k].l + i] += add[i];
    }
    for (int k = 0; k < PH_GROUPS; k++)
        ph_store3(y + 3 * ph_group[k].unknown, ph_group_numbers(rows + ph_group[k].l, ph_group[k].keep));
    ph_factor(A);
    ph_solve(A, y);
    ph_zeros(x, PH_NV + PH_NL);
    for (int i = 0; i < PH_NODES; i++)
        ph_store3(x + ph_node[i][1], ph_load3(y + 3 * i));
    for (int k = 0; k < PH_GROUPS; k++)
        for (int i = 0; i < 3 && !ph_group[k].is_eta; i++)
            if (ph_group[k].keep >> i & 1)
                x[PH_NV + ph_group[k].l + i] = y[3 * ph_group[k].unknown + i];
}

#endif
