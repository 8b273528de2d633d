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

/* ---- elements ------------------------------------------------------------------------------------- */

PH_OUT_OF_LINE void ph_bodies(const ph_work *W, ph_values *e, int start)
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
        if (!start)
            ph_store33(e->C + b->C, ph_rigid_C(J, w));
    }
}

/* r += B^T lambda and rate = B v */
PH_OUT_OF_LINE void ph_reactions(const ph_work *W, ph_values *e, int start)
{
    ph_zeros(e->rate, PH_NL);
    for (int k = 0; k < PH_LINKS; k++) {
        const ph_link_entry *l = &ph_link[k];
        ph_mat3 B = ph_group_rows(e->B + l->at, l->there);
        ph_vec3 rate = ph_mul(B, ph_load3(W->v + l->v));
        ph_vec3 f = ph_tmul(B, ph_group_numbers(W->lambda + l->l, l->there));
        if (!start)
            ph_add3(e->r + l->v, f);
        e->rate[l->l] += rate.x;
        if (l->there & 2)
            e->rate[l->l + 1] += rate.y;
        if (l->there & 4)
            e->rate[l->l + 2] += rate.z;
    }
}

PH_OUT_OF_LINE void ph_elements(const ph_work *W, ph_values *e, int start)
{
    ph_zeros(e->Phi, PH_NL), ph_zeros(e->convective, PH_NL);
    if (!start)
        ph_zeros(e->C, PH_NP), ph_zeros(e->K, PH_NP);
    e->body[0] = ph_kin_ground();
    ph_bodies(W, e, start);
    ph_joints(W, e, start);
    ph_forces(e, start);
    ph_reactions(W, e, start);
}

/* ---- the matrix ----------------------------------------------------------------------------------- */

/* (N2); T NULL: that of the start, with M and B alone */
PH_OUT_OF_LINE void ph_assemble(const ph_work *W, const ph_values *e, const ph_moved *T, ph_mat3 *A)
{
    ph_mat3 FB[PH_LINKS + 1];
    for (int k = 0; k < PH_BLOCKS; k++)
        A[k] = ph_zero33();
    for (int k = 0; k < PH_GROUPS; k++) {
        int keep = ph_group[k].keep;
        A[ph_group[k].diagonal] = ph_diag3(ph_k(!(keep & 1)), ph_k(!(keep & 2)), ph_k(!(keep & 4)));
    }
    for (int k = 0; k < PH_PAIRS; k++) {
        const ph_pair_entry *p = &ph_pair[k];
        const double *m = p->M;
        ph_mat3 G = {ph_k(m[0]), ph_k(m[1]), ph_k(m[2]), ph_k(m[3]), ph_k(m[4]),
                     ph_k(m[5]), ph_k(m[6]), ph_k(m[7]), ph_k(m[8])};
        if (T) {
            G = ph_madd(G, ph_mscale(ph_k(PH_INV_EPS), ph_load33(e->C + p->at)));
            A[p->to] = ph_madd(p->turn < 0 ? G : ph_mmul(G, T[p->turn].L),
                               ph_mscale(ph_k(PH_S), ph_load33(e->K + p->at)));
        } else {
            A[p->to] = G;
        }
    }
    for (int k = 0; k < PH_LINKS; k++) {
        const ph_link_entry *l = &ph_link[k];
        ph_mat3 B = ph_group_rows(e->B + l->at, l->keep), L = B;
        if (T && l->by_rate) {
            if (l->turn >= 0)
                L = ph_mmul(B, T[l->turn].L);
            L = ph_madd(L, ph_mscale(ph_k(PH_INV_GP), ph_group_rows(e->Z + l->at, l->keep)));
        }
        A[l->column] = ph_transpose(B);
        A[l->row] = L;
        if (l->eta_row < 0)
            continue;
        A[l->eta_row] = B;
        FB[k] = ph_transpose(T ? ph_group_rows(PH_BN(W) + l->at, l->keep) : B);
        if (T && PH_HAS_F && l->turn >= 0)
            FB[k] = ph_mmul(T[l->turn].F, FB[k]);
    }
    for (int k = 0; k < PH_PRODUCTS; k++) {
        const ph_product_entry *p = &ph_product[k];
        const double *m = p->M;
        ph_mat3 left;
        if (p->pair < 0) {
            left = ph_group_rows(e->B + p->at, p->keep);
        } else {
            left = (ph_mat3){ph_k(m[0]), ph_k(m[1]), ph_k(m[2]), ph_k(m[3]), ph_k(m[4]),
                             ph_k(m[5]), ph_k(m[6]), ph_k(m[7]), ph_k(m[8])};
            if (T)
                left = ph_madd(left, ph_mscale(ph_k(PH_INV_EPS), ph_load33(e->C + p->at)));
        }
        A[p->to] = ph_madd(A[p->to], ph_mmul(left, FB[p->link]));
    }
    (void)FB, (void)W;
}

/* A x = b; A and b are lost. Blocks are eliminated one after the other, nodes before the constraints that they meet. */
PH_OUT_OF_LINE void ph_eliminate(ph_mat3 *A, ph_vec3 *b, ph_vec3 *x)
{
    for (int k = 0; k < PH_UNKNOWNS; k++) {
        const ph_pivot_entry *p = &ph_pivot[k];
        const int *at = ph_places + p->at, *to = at + p->rows * 2 + p->cols * 2;
        ph_mat3 D = A[p->diagonal] = ph_minv(A[p->diagonal]);
        ph_vec3 y = b[p->unknown];
        for (int i = 0; i < p->rows; i++) {
            ph_mat3 L = ph_mmul(A[at[2 * i]], D);
            b[at[2 * i + 1]] = ph_sub(b[at[2 * i + 1]], ph_mul(L, y));
            for (int j = 0; j < p->cols; j++, to++)
                A[*to] = ph_msub(A[*to], ph_mmul(L, A[at[2 * p->rows + 2 * j]]));
        }
    }
    for (int k = PH_UNKNOWNS - 1; k >= 0; k--) {
        const ph_pivot_entry *p = &ph_pivot[k];
        const int *at = ph_places + p->at + 2 * p->rows;
        ph_vec3 y = b[p->unknown];
        for (int j = 0; j < p->cols; j++)
            y = ph_sub(y, ph_mul(A[at[2 * j]], x[at[2 * j + 1]]));
        x[p->unknown] = ph_mul(A[p->diagonal], y);
    }
}

/* ---- what step.h asks for ------------------------------------------------------------------------- */

PH_FN ph_vec3 ph_y_of(const ph_work *W, int at)
{
    (void)W, (void)at;
    return PH_ETA ? ph_load3(PH_Y(W) + at) : ph_zero3();
}

PH_OUT_OF_LINE void ph_move_all(const PH_MODEL *s, ph_work *W, ph_moved *T)
{
    for (int i = 0; i < PH_NODES; i++) {
        int q = ph_node[i][0], v = ph_node[i][1];
        if (!ph_node[i][2]) {
            ph_alpha_flat(s->q + q, W->theta + v, W->w + v, W->c + v, ph_y_of(W, v), W->q + q, W->v + v,
                          W->vdot + v);
            continue;
        }
        *T = ph_alpha_turn(s->q + q, W->theta + v, W->w + v, W->c + v, ph_y_of(W, v));
        ph_quat_store(W->q + q, T->q), ph_store3(W->v + v, T->v), ph_store3(W->vdot + v, T->vdot);
        T++;
    }
}

PH_FN void ph_move(const PH_MODEL *s, ph_work *W)
{
    ph_moved T[PH_TURNS + 1];
    ph_move_all(s, W, T);
}

PH_OUT_OF_LINE void ph_system(const PH_MODEL *s, ph_work *W)
{
    ph_values e;
    ph_moved T[PH_TURNS + 1];
    ph_mat3 A[PH_BLOCKS];
    ph_vec3 b[PH_UNKNOWNS], x[PH_UNKNOWNS];
    ph_move_all(s, W, T);
    for (int k = 0; k < PH_BODIES; k++) {
        const ph_body_entry *o = &ph_body[k];
        e.body[k + 1] = o->v[1] < 0 ? ph_kin_particle(W->q + o->q[0], W->v + o->v[0])
                                    : ph_kin_moved(W->q + o->q[0], W->v + o->v[0], &T[o->turn]);
    }
    ph_elements(W, &e, 0);
    ph_assemble(W, &e, T, A);
    for (int i = 0; i < PH_NODES; i++)
        b[i] = ph_scale(ph_k(-PH_S), ph_load3(e.r + ph_node[i][1]));
    W->loose = ph_k(0);
    for (int k = 0; k < PH_GROUPS; k++) {
        const ph_group_entry *g = &ph_group[k];
        ph_vec3 Phi = ph_group_numbers(e.Phi + g->l, g->keep);
        b[g->unknown] =
            g->by_rate ? ph_scale(ph_k(-PH_INV_GP), ph_group_numbers(e.rate + g->l, g->keep)) : ph_neg(Phi);
        Phi = ph_group_numbers(e.Phi + g->l, g->there & ~g->keep);
        W->loose = ph_larger(ph_larger(ph_larger(W->loose, ph_abs(Phi.x)), ph_abs(Phi.y)), ph_abs(Phi.z));
    }
    ph_eliminate(A, b, x);
    for (int k = 0; k < PH_UNKNOWNS; k++)
        ph_store3(W->x + 3 * k, x[k]);
    for (int i = 0, t = 0; i < PH_NODES; i++)
        if (ph_node[i][2])
            W->Tinv[t] = T[t].Tinv, t++;
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
        e.body[k + 1] = ph_body_kin(&ph_body[k], s->q, s->v);
    ph_joints(W, &e, 1);
    for (int k = 0; k < PH_LINKS; k++)
        for (int i = 0; i < 9; i++)
            if (ph_link[k].there >> (i / 3) & 1)
                W->Bn[ph_link[k].at + i] = (ph_link[k].turn < 0 ? 1 : PH_TURN_UNIT) * e.B[ph_link[k].at + i];
#endif
}

PH_FN ph_real ph_correct(ph_work *W, ph_mask active)
{
    ph_real moved = ph_k(0), turned = ph_k(0), far = ph_k(0), dy[PH_NV];
    ph_zeros(dy, PH_NV);
    for (int k = 0; k < PH_LINKS && PH_ETA; k++) {
        const ph_link_entry *l = &ph_link[k];
        if (l->eta_row >= 0)
            ph_add3(dy + l->v,
                    ph_tmul(ph_group_rows(PH_BN(W) + l->at, l->keep), ph_load3(W->x + 3 * l->eta)));
    }
    for (int i = 0, t = 0; i < PH_NODES; i++) {
        int v = ph_node[i][1], turns = ph_node[i][2];
        ph_real *most = turns ? &turned : &moved, *theta = W->theta + v;
        ph_vec3 d = ph_load3(W->x + v);
        if (turns)
            d = ph_mul(W->Tinv[t++], d);
        *most = ph_alpha_most(ph_alpha_most(*most, W->x + v), dy + v);
        theta[0] = ph_select(active, theta[0] + d.x, theta[0]);
        theta[1] = ph_select(active, theta[1] + d.y, theta[1]);
        theta[2] = ph_select(active, theta[2] + d.z, theta[2]);
        if (!turns)
            far = ph_alpha_most(far, theta);
#if PH_ETA
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

PH_COLD void ph_start_system(ph_work *W, int what, const ph_real *l, ph_real *x)
{
    ph_values e;
    ph_mat3 A[PH_BLOCKS];
    ph_vec3 b[PH_UNKNOWNS], y[PH_UNKNOWNS];
    ph_real big[2] = {ph_k(PH_BODY_SIZE), ph_k(0)}, rows[PH_NL + 1];
    for (int k = 0; k < PH_BODIES; k++)
        e.body[k + 1] = ph_body_kin(&ph_body[k], W->q, W->v);
    if (what == PH_ACCELERATIONS)
        ph_zeros(W->vdot, PH_NV);
    ph_elements(W, &e, 1);
    ph_assemble(W, &e, NULL, A);
    for (int i = 0; i < PH_NODES; i++) {
        if (!ph_node[i][2])
            big[0] = ph_alpha_most(big[0], W->q + ph_node[i][0]);
        big[1] = ph_alpha_most(big[1], W->v + ph_node[i][1]);
        b[i] = what == PH_ACCELERATIONS ? ph_neg(ph_load3(e.r + ph_node[i][1])) : ph_zero3();
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
    for (int k = 0; k < PH_LINKS && what == PH_LIFT; k++) {
        ph_vec3 sum = ph_mul(ph_group_rows(e.B + ph_link[k].at, ph_link[k].holonomic ? ph_link[k].there : 0),
                             ph_load3(l + ph_link[k].v));
        const ph_real add[3] = {sum.x, sum.y, sum.z};
        for (int i = 0; i < 3; i++)
            if (ph_link[k].there >> i & 1)
                rows[ph_link[k].l + i] += add[i];
    }
    for (int k = 0; k < PH_GROUPS; k++)
        b[ph_group[k].unknown] = ph_group_numbers(rows + ph_group[k].l, ph_group[k].keep);
    ph_eliminate(A, b, y);
    ph_zeros(x, PH_NV + PH_NL);
    for (int i = 0; i < PH_NODES; i++)
        ph_store3(x + ph_node[i][1], y[i]);
    for (int k = 0; k < PH_GROUPS; k++) {
        const ph_real m[3] = {y[ph_group[k].unknown].x, y[ph_group[k].unknown].y, y[ph_group[k].unknown].z};
        for (int i = 0; i < 3 && !ph_group[k].is_eta; i++)
            if (ph_group[k].keep >> i & 1)
                x[PH_NV + ph_group[k].l + i] = m[i];
    }
}

#endif
