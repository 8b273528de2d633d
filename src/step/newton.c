/* Newton's method for one step of an implicit method.
 *
 * With the increments (N1), rows scaled by s and by 1/gp, the matrix tends to a regular limit as h shrinks:
 *
 *   [ G L + M Q + s (K + N)  B^T + g_lambda   G F B_n^T ] [ dq        ]   [ -s r     ]
 *   [ B L + Z/gp             0                B F B_n^T ] [ s dlambda ] = [ -rate/gp ]        (N2)
 *   [ B                      0                0         ] [ x_eta     ]   [ -Phi     ]
 *
 * with G = M + C/eps. This is the stabilised form. Index-2 has the first two rows and columns; index-3 has
 * them with B and -Phi in the second row; a non-holonomic constraint has the second row and no third one in
 * every form. Rows and unknowns are matched so that eliminating the nodes leaves definite pivots: lambda with
 * the rate row (Phi in index-3), eta with the position row.
 *
 * The last column has a block for every two constraints of a node. Where these are many, the node is a hub with
 *
 *   w - F B_n^T x_eta = 0,   blocks G and B in the column of w in place of G F B_n^T and B F B_n^T     (N6) */
#include "step/newton.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "la/small.h"
#include "la/vectors.h"
#include "step/position.h"
#include "step/rates.h"
#include "step/sim.h"
#include "step/size.h"
#include "step/step_limits.h"

/* ---- values ------------------------------------------------------------------------------------- */

PH_INLINE void scaled(int n, double factor, const double *x, double *out)
{
    int k = 0;
    for (int wide = ph_vector_fours(n); k < wide; k += 4)
        *(ph_four *)(out + k) = factor * *(const ph_four *)(x + k);
    for (; k < n; k++)
        out[k] = factor * x[k];
}

/* G = M + C/eps and A = G L + s K of one block; L NULL: identity. */
static void pair_values(int n, int m, const double *M, const double *C, const double *K, const double *L,
                        const ph_step_ops *o, double *G, double *A)
{
    int k = 0;
#define VALUES(number)                                                                                       \
    {                                                                                                        \
        number c = *(const number *)(M + k) + o->inv_eps * *(const number *)(C + k),                         \
               a = o->s * *(const number *)(K + k);                                                          \
        *(number *)(G + k) = c;                                                                              \
        if (!L)                                                                                              \
            a += c;                                                                                          \
        *(number *)(A + k) = a;                                                                              \
    }
    for (; k + 4 <= m * n; k += 4)
        VALUES(ph_four)
    for (; k < m * n; k++)
        VALUES(double)
#undef VALUES
    if (L)
        ph_small_mmul_add(m, n, n, G, L, A);
}

/* The same for 3x3 in registers; G NULL: it is not kept. */
static inline void pair_values_3(const double *M, const double *C, const double *K, const double *L,
                                 const ph_step_ops *o, double *G, double *A)
{
    ph_rows g = ph_rows_add(ph_rows_load(M), ph_rows_scale(o->inv_eps, ph_rows_load(C)));
    ph_rows k = ph_rows_scale(o->s, ph_rows_load(K));
    if (G)
        ph_rows_store(G, g);
    ph_rows_store(A, ph_rows_add(L ? ph_rows_mul_rows(g, ph_rows_load(L)) : g, k));
}

/* The same for a node that is upper. */
static inline void pair_values_upper(const double *M, const double *C, const double *K, const double *L,
                                     const ph_step_ops *o, double *G, double *A)
{
    ph_upper g = ph_upper_add(ph_upper_load(M), ph_upper_scale(o->inv_eps, ph_upper_load(C)));
    ph_upper_store(G, g);
    if (L)
        g = ph_upper_mul(G, ph_upper_load(L));
    ph_upper_store(A, ph_upper_add(g, ph_upper_scale(o->s, ph_upper_load(K))));
}

/* What Q and N add to a block. */
static void add_curvature(const ph_block *b, const ph_eval *ev, const ph_step_ops *o, double *A)
{
    if (o->Q)
        ph_small_mmul_add(b->m, b->n, b->n, ev->M + b->at, o->Q + b->T_at, A);
    for (int k = 0; o->N && b->row == b->col && k < b->m * b->n; k++)
        A[k] += o->s * o->N[b->T_at + k];
}

/* First row of (N2): G L + M Q + s (K + N) on the pairs. */
static void assemble_pairs(ph_newton_matrix *nm, const ph_eval *ev, const ph_step_ops *o)
{
    const ph_layout *lay = nm->lay;
    for (const ph_block *b = lay->pair, *end = b + lay->n_pairs; b < end; b++) {
        const double *M = ev->M + b->at, *C = ev->C + b->at, *K = ev->K + b->at;
        const double *L = o->L && b->T_at >= 0 ? o->L + b->T_at : NULL;
        double *A = nm->A + b->at, *G = nm->G ? nm->G + b->at : NULL;
        if (!b->has)
            PH_BY_SIZE(b->m * b->n, scaled, o->s, K, A);
        else if (b->m == 3 && b->n == 3)
            pair_values_3(M, C, K, L, o, G, A);
        else if (b->has & PH_UPPER)
            pair_values_upper(M, C, K, L, o, G ? G : nm->work, A);
        else
            pair_values(b->n, b->m, M, C, K, L, o, G ? G : nm->work, A);
        if ((o->Q || o->N) && b->T_at >= 0 && b->has)
            add_curvature(b, ev, o, A);
    }
}

/* B^T + g_lambda, and the lambda row: B, or B L + Z/gp. Gl, Z and L may be NULL: zero, zero, identity. */
static void link_values(int n, int m, const double *B, const double *Gl, const double *Z, const double *L,
                        double inv_gp, double *BT, double *W)
{
    ph_small_transpose(m, n, B, BT);
    for (int k = 0; Gl && k < m * n; k++)
        BT[k] += Gl[k];
    if (L)
        ph_small_mmul(m, n, n, B, L, W);
    else
        scaled(m * n, 1, B, W);
    if (Z)
        ph_vector_add(m * n, inv_gp, Z, W);
}

/* The same for 3x3 in registers. */
static inline void link_values_3(const double *B, const double *Gl, const double *Z, const double *L,
                                 double inv_gp, double *BT, double *W)
{
    ph_rows w;
    if (Gl)
        ph_rows_store(BT, ph_rows_add(ph_rows_transpose(ph_rows_load(B)), ph_rows_load(Gl)));
    else
        ph_small_transpose_3(B, BT);
    if (!Z) {
        ph_small_copy_9(B, W);
        return;
    }
    w = L ? ph_rows_mul(B, ph_rows_load(L)) : ph_rows_load(B);
    ph_rows_store(W, ph_rows_add(w, ph_rows_scale(inv_gp, ph_rows_load(Z))));
}

/* B^T and B */
static void put_links(const ph_layout *lay, const double *B, double *BT, double *W)
{
    memcpy(W, B, sizeof(double) * (size_t)lay->size_links);
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++)
        ph_small_transpose(b->m, b->n, B + b->at, BT + b->at);
}

static void assemble_links(ph_newton_matrix *nm, const ph_eval *ev, const ph_step_ops *o)
{
    const ph_layout *lay = nm->lay;
    int index3 = nm->formulation == PH_INDEX3;
    if (index3 && !lay->friction && !lay->nonholonomic) {
        put_links(lay, ev->B, nm->A + nm->BT, nm->A + nm->W);
        return;
    }
    const double *Gl_0 = lay->friction ? ev->Gl : NULL;
    double *BT_0 = nm->A + nm->BT, *W_0 = nm->A + nm->W;
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++) {
        const double *B = ev->B + b->at, *Gl = Gl_0 ? Gl_0 + b->at : NULL;
        const double *Z = index3 && b->holonomic ? NULL : ev->Z + b->at,
                     *L = Z && o->L && b->T_at >= 0 ? o->L + b->T_at : NULL;
        if (b->m == 3 && b->n == 3)
            link_values_3(B, Gl, Z, L, o->inv_gp, BT_0 + b->at, W_0 + b->at);
        else
            link_values(b->n, b->m, B, Gl, Z, L, o->inv_gp, BT_0 + b->at, W_0 + b->at);
    }
}

/* Those of one block that are of 3 x 3, from the first on, in registers; the last of them. */
static inline const ph_term *add_threes(const ph_newton_matrix *nm, const ph_term *t, const ph_term *end,
                                        const double *A)
{
    double *to = nm->A + t->at;
    ph_rows sum = ph_rows_mul(A + t->left_at, ph_rows_load(nm->FB + t->right_at));
    for (; t + 1 < end && !t[1].first && t[1].right_at >= 0; t++)
        sum = ph_rows_add(sum, ph_rows_mul(A + t[1].left_at, ph_rows_load(nm->FB + t[1].right_at)));
    ph_rows_store(to, sum);
    return t;
}

/* The products of a row of terms; left blocks have values A, right blocks are those of FB. */
static void add_terms(const ph_newton_matrix *nm, const ph_term *t, int count, const ph_block *left,
                      const double *A)
{
    for (const ph_term *end = t + count; t < end; t++) {
        if (t->right_at >= 0 && t->first) {
            t = add_threes(nm, t, end, A);
            continue;
        }
        const ph_block *p = &left[t->left];
        if (t->right < 0) {
            memcpy(nm->A + t->at, A + p->at, sizeof(double) * (size_t)(p->m * p->n));
            continue;
        }
        const ph_block *f = &nm->lay->link[t->right];
        if (t->first)
            ph_small_mmul(p->m, p->n, f->m, A + p->at, nm->FB + f->at, nm->A + t->at);
        else
            ph_small_mmul_add(p->m, p->n, f->m, A + p->at, nm->FB + f->at, nm->A + t->at);
    }
}

/* (N6): -F B_n^T */
static void assemble_hubs(ph_newton_matrix *nm)
{
    double *out = nm->A + nm->FB_hub;
    for (const ph_block *b = nm->lay->link, *end = b + nm->lay->n_links; b < end && nm->n_hub > 0; b++)
        for (int k = 0; k < b->m * b->n && b->holonomic && nm->hub_at[b->col] >= 0; k++)
            *out++ = -nm->FB[b->at + k];
}

/* Position rows and the columns of eta. */
static void assemble_stabilised(ph_newton_matrix *nm, const ph_eval *ev, const ph_step_ops *o)
{
    const ph_layout *lay = nm->lay;
    double *P = nm->A + nm->P;
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++) {
        if (!b->holonomic)
            continue;
        if (b->m == 3 && b->n == 3)
            ph_small_copy_9(ev->B + b->at, P);
        else
            memcpy(P, ev->B + b->at, sizeof(double) * (size_t)(b->m * b->n));
        P += b->m * b->n;
        if (!o->F || b->T_at < 0) {
            ph_small_transpose(b->m, b->n, o->Bn + b->at, nm->FB + b->at);
        } else {
            ph_small_transpose(b->m, b->n, o->Bn + b->at, nm->work);
            ph_small_mmul(b->n, b->n, b->m, o->F + b->T_at, nm->work, nm->FB + b->at);
        }
    }
    assemble_hubs(nm);
    add_terms(nm, nm->X_term, nm->n_X, lay->pair, nm->G);
    add_terms(nm, nm->Y_term, nm->n_Y, lay->link, ev->B);
}

static ph_status factor(ph_newton_matrix *nm, const ph_eval *ev, const ph_step_ops *o)
{
    assemble_pairs(nm, ev, o);
    assemble_links(nm, ev, o);
    if (nm->formulation == PH_GGL)
        assemble_stabilised(nm, ev, o);
    if (nm->redundant) {
        ph_redundant_strike(nm, 1, nm->A + nm->BT, nm->A + nm->W);
        if (nm->formulation == PH_GGL)
            ph_redundant_strike_eta(nm);
    }
    return ph_solver_factor(nm->solver, nm->A);
}

static void right_hand_side(ph_newton_matrix *nm, const ph_eval *ev, const ph_step_ops *o)
{
    const ph_layout *lay = nm->lay;
    double *lambda_row = nm->b + lay->nv, *eta_row = lambda_row + lay->nl;
    int by_position = nm->formulation == PH_INDEX3;
    scaled(lay->nv, -o->s, ev->r, nm->b);
    if (!lay->nonholonomic) { /* eta then has the places of lambda */
        scaled(lay->nl, by_position ? -1 : -o->inv_gp, by_position ? ev->Phi : ev->rate, lambda_row);
        scaled(nm->n_eta, -1, ev->Phi, eta_row);
    }
    for (int c = 0; c < lay->C && lay->nonholonomic; c++) {
        int at = lay->l_at[c], n = lay->rows[c];
        if (by_position && !lay->sys->constraints[c].nonholonomic)
            PH_BY_SIZE(n, scaled, -1, ev->Phi + at, lambda_row + at);
        else
            PH_BY_SIZE(n, scaled, -o->inv_gp, ev->rate + at, lambda_row + at);
        if (nm->eta_at[c] >= 0)
            PH_BY_SIZE(n, scaled, -1, ev->Phi + at, eta_row + nm->eta_at[c]);
    }
    if (nm->n_hub)
        memset(eta_row + nm->n_eta, 0, sizeof(double) * (size_t)nm->n_hub);
}

ph_status ph_newton_factor_as_is(ph_newton_matrix *nm, const ph_eval *ev, int friction)
{
    const ph_layout *lay = nm->lay;
    double *A = nm->A0, *BT = A + nm->BT0, *W = BT + lay->size_links;
    for (const ph_block *b = lay->pair, *end = b + lay->n_pairs; b < end; b++)
        if (b->has & PH_HAS_M) {
            memcpy(A, ev->M + b->at, sizeof(double) * (size_t)(b->m * b->n));
            A += b->m * b->n;
        }
    put_links(lay, ev->B, BT, W);
    for (int k = 0; friction && k < lay->size_links; k++)
        BT[k] += ev->Gl[k];
    ph_redundant_strike(nm, 1, BT, W);
    return ph_solver_factor(nm->initial, nm->A0);
}

ph_status ph_newton_factor_initial(ph_newton_matrix *nm, const ph_eval *ev, int friction)
{
    int constant = !nm->lay->C && (nm->lay->sys->flags & PH_MASS_CONSTANT);
    if (constant && nm->mass_factored)
        return PH_OK;
    ph_status s = ph_newton_factor_as_is(nm, ev, friction);
    if (ph_redundant_renew(nm, ev, nm->initial, s))
        s = ph_newton_factor_as_is(nm, ev, friction);
    nm->mass_factored = constant && s == PH_OK;
    return s;
}

ph_status ph_newton_tape(ph_newton_matrix *nm, ph_newton kind, ph_tape *t)
{
    ph_solver *all[] = {nm->solver, nm->initial, nm->span};
    ph_status s = PH_OK;
    for (int k = 0; k < 3 && s == PH_OK && !t->brief; k++)
        s = ph_solver_tape(all[k], t);
    ph_tape_numbers(t, &nm->turn, 1);
    ph_tape_numbers(t, &nm->body, 1);
    ph_tape_numbers(t, &nm->enough, 1);
    ph_tape_numbers(t, &nm->plain, 1);
    ph_tape_int(t, &nm->until);
    ph_tape_int(t, &nm->rest);
    ph_redundant_tape(nm, t);
    if (kind != PH_MODIFIED || !nm->solver)
        return s;
    ph_tape_int(t, &nm->factored);
    ph_tape_numbers(t, nm->A, nm->A_size);
    if (t->mode == PH_TAPE_READ && nm->factored && s == PH_OK)
        s = ph_solver_factor(nm->solver, nm->A);
    return s;
}

/* ---- units ----------------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void ph_newton_set_units(ph_newton_matrix *nm, const double *B, double length)
{
    const ph_layout *lay = nm->lay;
    double *moves = nm->b, *turns = moves + lay->nl, *ratio = moves;
    int n = 0;
    memset(moves, 0, sizeof(double) * 2 * (size_t)lay->nl);
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++)
        for (int i = 0; i < b->m; i++)
            for (int j = 0; j < b->n; j++)
                (j < lay->slot[b->col].rot ? moves : turns)[b->row_at + i] += fabs(B[b->at + i * b->n + j]);
    for (int i = 0; i < lay->nl; i++)
        if (moves[i] > 0 && turns[i] > 0)
            ratio[n++] = turns[i] / moves[i];
    qsort(ratio, (size_t)n, sizeof(double), by_size);
    if (!(length > 0))
        length = n && isfinite(ratio[n / 2])
                     ? exp2(PH_NEWTON_LENGTHS * round(log2(ratio[n / 2]) / PH_NEWTON_LENGTHS))
                     : 1;
    nm->turn = 1 / (length * length);
}

void ph_newton_weigh(const ph_newton_matrix *nm, double *y)
{
    for (const ph_slot *i = nm->lay->slot, *end = i + nm->lay->N; i < end; i++)
        for (int k = i->rot; k < i->dim; k++)
            y[i->v_at + k] *= nm->turn;
}

ph_status ph_newton_links(ph_sim *sim, double *Bn)
{
    const ph_layout *lay = &sim->lay;
    ph_state s = ph_point_view(&sim->now, lay);
    ph_status status = ph_eval_links(&sim->ev, &s, Bn);
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end && sim->matrix.turn != 1; b++)
        for (int i = 0; i < b->m; i++)
            for (int j = lay->slot[b->col].rot; j < b->n; j++)
                Bn[b->at + i * b->n + j] *= sim->matrix.turn;
    return status;
}

/* ---- iteration ---------------------------------------------------------------------------------- */

ph_tolerance ph_step_tolerances(ph_sim *sim, double beta)
{
    const ph_layout *lay = &sim->lay;
    const double *v = sim->now.v, *vdot = sim->now.vdot;
    double h = sim->h, size = 0, speed[2] = {0, 0}, acc[2] = {0, 0}, floor[2];
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++) {
        int n = i->dim, at = i->v_at, rot = i->rot;
        const double *q = sim->now.q + i->q_at;
        if (rot > 0) {
            size = PH_BY_SIZE(rot, ph_small_larger, size, q);
            speed[0] = PH_BY_SIZE(rot, ph_small_larger, speed[0], v + at);
            acc[0] = PH_BY_SIZE(rot, ph_small_larger, acc[0], vdot + at);
        }
        if (n > rot) {
            speed[1] = PH_BY_SIZE(n - rot, ph_small_larger, speed[1], v + at + rot);
            acc[1] = PH_BY_SIZE(n - rot, ph_small_larger, acc[1], vdot + at + rot);
        }
    }
    sim->largest = (ph_largest){size, speed[0], speed[1]};
    size = ph_larger(size, sim->matrix.body);
    floor[0] = 4 * DBL_EPSILON * (size + h * speed[0]) + DBL_MIN; /* not zero at rest in the origin */
    floor[1] = 4 * DBL_EPSILON * (1 + h * speed[1]);
    return (ph_tolerance){beta * h * h * (sim->opt.atol + sim->opt.rtol * acc[0]) + floor[0],
                          beta * h * h * (sim->opt.atol + sim->opt.rtol * acc[1]) + floor[1]};
}

#define REST 2e-10 /* of its size: by less a mechanism at rest moves in a step */

/* The largest residual, in units of the round-off of what cancels in it (N4) and of forces that change vdot by this part. In the methods
 * vdot is eps times a difference of velocities, so it has their round-off, eps times; velocities of a mechanism at rest have that of
 * positions, gp times. */
static double noise(const ph_sim *sim, const ph_step_ops *o, double part)
{
    const ph_layout *lay = &sim->lay;
    const ph_eval *ev = &sim->ev;
    double *f = sim->matrix.b, *rows = f + lay->nv; /* done with */
    ph_size q = ph_size_positions(lay, sim->next.q, sim->matrix.body), v = ph_size_largest(lay, sim->next.v),
            a = ph_size_largest(lay, sim->next.vdot);
    for (int k = 0; k < 2; k++) {
        double w = q.of[k] / o->inv_gp;
        v.of[k] += v.of[k] <= REST * w ? w : 0;
        a.of[k] *= 1 + part / PH_NEWTON_RESIDUAL_ROUND_OFF;
        a.of[k] += v.of[k] / o->inv_eps;
    }
    for (int i = 0; i < lay->nv; i++)
        f[i] = fabs(ev->g[i]) + (o->load ? fabs(o->load[i]) : 0);
    ph_size_add_pairs(lay, ev->M, a, f);
    ph_size_add_pairs(lay, ev->C, v, f);
    ph_size_add_pairs(lay, ev->K, q, f);
    ph_size_add_reactions(lay, ev->B, sim->next.lambda, f);
    /* where rotations change by the round-off of positions over the size of bodies, what the increment of lambda makes of it */
    double turn = sim->matrix.body > 0 ? q.of[0] / sim->matrix.body : 0;
    if (ph_size_largest(lay, sim->matrix.x).of[1] <= PH_NEWTON_RESIDUAL_ROUND_OFF * turn)
        ph_size_add_turned(lay, ev->B, sim->matrix.x + lay->nv, turn / o->s, f);
    double most = ph_size_over(ph_size_largest(lay, ev->r), ph_size_largest(lay, f));
    if (sim->matrix.what & PH_EVAL_PHI) {
        ph_size_rows(lay, ev->B, q, rows);
        most = ph_larger(most, ph_size_ratio(lay->nl, ev->Phi, rows));
    }
    if (sim->matrix.what & PH_EVAL_RATE) {
        ph_size_rows(lay, ev->B, v, rows);
        for (int i = 0; i < lay->nl; i++)
            rows[i] += fabs(ev->Phi_t[i]);
        most = ph_larger(most, ph_size_ratio(lay->nl, ev->rate, rows));
    }
    return most / PH_NEWTON_RESIDUAL_ROUND_OFF;
}

/* B^T y of one node with the links from k to end; of a node with 3 unknowns added up in registers */
PH_INLINE void reaction(const ph_layout *lay, const int *k, const int *end, int n, const double *B,
                        const double *y, double *f)
{
    const ph_block *b = &lay->link[*k];
    if (n == 3) {
        ph_row sum = ph_small_tmul_3(b->m, B + b->at, y + b->row_at);
        for (k++; k < end; k++) {
            b = &lay->link[*k];
            sum = ph_row_add(sum, ph_small_tmul_3(b->m, B + b->at, y + b->row_at));
        }
        ph_row_store3(f, sum);
        return;
    }
    memset(f, 0, sizeof(double) * (size_t)n);
    for (; k < end; k++) {
        b = &lay->link[*k];
        ph_small_tmul_add(b->m, n, B + b->at, y + b->row_at, f);
    }
}

/* The largest numbers of B^T y, or of the first nodes where these have enough; f: scratch for one node */
static ph_size reaction_size(const ph_layout *lay, const double *B, const double *y, ph_size enough,
                             double *f)
{
    const int *k = lay->link_of;
    ph_size s = {{0, 0}};
    for (int i = 0; i < lay->N && !(s.of[0] >= enough.of[0] && s.of[1] >= enough.of[1]); i++) {
        const int *end = lay->link_of + lay->link_end[i];
        if (k == end)
            continue;
        reaction(lay, k, end, lay->slot[i].dim, B, y, f);
        ph_size_add_node(&s, &lay->slot[i], f);
        k = end;
    }
    return s;
}

/* The forces that the increment of lambda makes, times s. */
static ph_size multiplier_force(const ph_sim *sim)
{
    const ph_size all = {{HUGE_VAL, HUGE_VAL}};
    return reaction_size(&sim->lay, sim->ev.B, sim->matrix.x + sim->lay.nv, all, sim->matrix.b);
}

/* Size of the increment of lambda, as the forces that it makes, in units of what changes of q and vdot as large as
 * their tolerances make. With an exact Jacobian lambda is as good as q; otherwise it follows last. */
static double multiplier_size(const ph_sim *sim, const ph_step_ops *o)
{
    const ph_layout *lay = &sim->lay;
    const ph_eval *ev = &sim->ev;
    double *f = sim->matrix.b; /* done with */
    ph_size force = multiplier_force(sim), q = ph_size_positions(lay, sim->now.q, sim->matrix.body);
    memset(f, 0, sizeof(double) * (size_t)lay->nv);
    ph_size_add_reactions(lay, ev->B, sim->next.lambda, f);
    for (int i = 0; i < lay->nv; i++)
        f[i] *= o->s * sim->opt.rtol;
    for (int k = 0; k < 2; k++)
        q.of[k] = o->s * sim->opt.atol + PH_NEWTON_RESIDUAL_ROUND_OFF * q.of[k];
    ph_size_add_pairs(lay, ev->M, q, f);
    double size = ph_size_over(force, ph_size_largest(lay, f));
    return size > PH_NEWTON_MUCH ? PH_NEWTON_MUCH : size; /* where nothing has a size yet */
}

static double drift_of(const ph_sim *sim)
{
    return sim->matrix.what & PH_EVAL_RATE ? ph_small_max(sim->lay.nl, sim->ev.rate) : 0;
}

static double drift_tolerable(const ph_sim *sim)
{
    return PH_NEWTON_DRIFT * ph_small_max(sim->lay.nv, sim->next.v);
}

/* Whether the reactions in the residual, of the first nodes that tell, are as large as those of an increment of lambda, times factor. */
static int reactions_exceed(const ph_sim *sim, ph_size force, double factor)
{
    ph_size least = {{force.of[0] * factor, force.of[1] * factor}},
            most = reaction_size(&sim->lay, sim->ev.B, sim->next.lambda, least, sim->matrix.b);
    return least.of[0] <= most.of[0] && least.of[1] <= most.of[1];
}

/* More than any number of multiplier_force: the largest of B times as many multipliers as act on a node, with room for round-off. */
static double multiplier_bound(const ph_sim *sim)
{
    const ph_layout *lay = &sim->lay;
    return 2 * lay->most_rows * ph_small_max(lay->size_links, sim->ev.B) *
           ph_small_max(lay->nl, sim->matrix.x + lay->nv);
}

/* Whether the next increment of lambda would be below tolerance, after one with a Jacobian that was kept. Mostly the reactions
 * in the residual, without anything else, are large enough to tell, and mostly by so much that a bound on the others will do. */
static int multipliers_settle(ph_sim *sim, const ph_step_ops *o, double rate)
{
    double next = rate < PH_RATE_TRUSTED ? rate / (1 - rate) : 1, factor = next / (o->s * sim->opt.rtol);
    int *without = &sim->matrix.without_bound;
    if (*without == 0) {
        double bound = multiplier_bound(sim);
        if (reactions_exceed(sim, (ph_size){{bound, bound}}, factor))
            return 1;
    }
    *without = (*without + 1) % PH_NEWTON_WITHOUT;
    return reactions_exceed(sim, multiplier_force(sim), factor) || multiplier_size(sim, o) * next <= 1;
}

/* The increment that the next iteration would make, in units of the tolerance: quadratic convergence with an
 * exact Jacobian, linear otherwise. */
static double next_increment(int exact, double size, double rate)
{
    return exact ? size * rate * rate : size * rate / (1 - rate);
}

/* It is renewed above a rate, or when the iterations left would not do at the present one. */
int ph_newton_keep(ph_newton kind, double size, double rate, int left)
{
    return rate <= (kind == PH_STEP ? PH_RATE_STEP : PH_RATE_RENEW) && size * pow(rate, left) <= 1;
}

/* y += x/s */
static void add_quotients(int n, const double *x, double s, double *y)
{
    int i = 0;
    for (int wide = ph_vector_fours(n); i < wide; i += 4)
        *(ph_four *)(y + i) += *(const ph_four *)(x + i) / s;
    for (; i < n; i++)
        y[i] += x[i] / s;
}

static void add_load(ph_sim *sim, const ph_step_ops *o)
{
    for (int i = 0; o->load && i < sim->lay.nv; i++)
        sim->ev.r[i] += o->load[i];
}

ph_status ph_newton_factor(ph_sim *sim, const ph_step_ops *o)
{
    ph_newton_matrix *nm = &sim->matrix;
    ph_status s = factor(nm, &sim->ev, o);
    if (ph_redundant_renew(nm, &sim->ev, nm->solver, s))
        s = factor(nm, &sim->ev, o);
    nm->factored = s == PH_OK;
    return s;
}

/* f = B^T y, node by node */
static void reactions(const ph_layout *lay, const double *B, const double *y, double *f)
{
    const int *k = lay->link_of;
    for (int i = 0; i < lay->N; i++) {
        const int *end = lay->link_of + lay->link_end[i];
        int n = lay->slot[i].dim;
        double *at = f + lay->slot[i].v_at;
        if (k == end)
            memset(at, 0, sizeof(double) * (size_t)n);
        else
            reaction(lay, k, end, n, B, y, at);
        k = end;
    }
}

void ph_newton_eta(const ph_newton_matrix *nm, const double *Bn, double scale, const double *x, double *dy,
                   double *eta)
{
    const ph_layout *lay = nm->lay;
    const double *x_eta = x + lay->nv + lay->nl;
    if (!lay->nonholonomic) { /* eta has the places of lambda */
        reactions(lay, Bn, x_eta, dy);
        ph_vector_add(nm->n_eta, scale, x_eta, eta);
        return;
    }
    memset(dy, 0, sizeof(double) * (size_t)lay->nv);
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++)
        if (nm->eta_at[b->row] >= 0)
            ph_small_tmul_add(b->m, b->n, Bn + b->at, x_eta + nm->eta_at[b->row], dy + b->col_at);
    for (int c = 0; c < lay->C; c++)
        for (int k = 0; k < lay->rows[c] && nm->eta_at[c] >= 0; k++)
            eta[lay->l_at[c] + k] += scale * x_eta[nm->eta_at[c] + k];
}

void ph_newton_pull(const ph_newton_matrix *nm, const double *Bn, const double *eta, double *y)
{
    const ph_layout *lay = nm->lay;
    memset(y, 0, sizeof(double) * (size_t)lay->nv);
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++)
        if (b->holonomic)
            ph_small_tmul_add(b->m, b->n, Bn + b->at, eta + b->row_at, y + b->col_at);
}

ph_status ph_newton_increment(ph_sim *sim, const ph_step_ops *o)
{
    ph_newton_matrix *nm = &sim->matrix;
    const ph_layout *lay = nm->lay;
    right_hand_side(nm, &sim->ev, o);
    if (nm->redundant) {
        ph_redundant_leave_out(nm, nm->b + lay->nv);
        ph_redundant_leave_out_eta(nm, nm->b + lay->nv + lay->nl);
    }
    return ph_solver_solve(nm->solver, nm->b, nm->x);
}

/* With redundant rows, the multipliers of least norm at the new point. */
static ph_status least(ph_sim *sim)
{
    ph_state at = ph_point_view(&sim->next, &sim->lay);
    ph_status s = ph_eval_positions(&sim->ev, &at);
    return s == PH_OK ? ph_redundant_least(&sim->matrix, &sim->ev, sim->next.lambda) : s;
}

/* The point of the last increment. */
static ph_status finish(ph_sim *sim, const ph_step_ops *o)
{
    ph_status s = (o->settle ? o->settle : o->update)(sim);
    return s == PH_OK && sim->matrix.redundant ? least(sim) : s;
}

/* Whether rows that are left out are violated by more than this part of positions. */
static int is_violated(const ph_sim *sim, double part)
{
    return sim->matrix.redundant && ph_redundant_violation(&sim->matrix, &sim->ev, sim->next.q) > part;
}

static ph_status refuse_violated(ph_sim *sim)
{
    char words[200];
    if (sim->n == 0 &&
        ph_position_words(sim, &sim->now, sim->lay.sys->n_redundant - 1, words, sizeof words)[0])
        snprintf(sim->reason, sizeof sim->reason, "the run starts in a %s; start elsewhere", words);
    else
        snprintf(sim->reason, sizeof sim->reason,
                 "constraints that were redundant at the start no longer are: the run starts in a singular "
                 "position; start elsewhere");
    return PH_E_STEP;
}

/* An increment of this part of a radian and of the size of bodies, in tolerances. */
static double in_tolerances(const ph_sim *sim, const ph_step_ops *o, double part)
{
    double length = sim->matrix.body > 0 ? sim->matrix.body : sim->largest.x;
    return part * fmin(length / o->tol.x, 1 / o->tol.R);
}

/* (N7), after a step of two increments: how large the first may be for what it leaves to be round-off, of residuals or of the increments that
 * would follow. (N4) alone does not see a light body beside heavy ones: the second is to be below tolerance, too. */
static void judge_first(ph_sim *sim, const ph_step_ops *o, double first, double second, int iterations)
{
    ph_newton_matrix *nm = &sim->matrix;
    nm->enough = 0, nm->until = PH_NEWTON_JUDGED_SOON;
    if (iterations == 2 && second <= PH_NEWTON_SECOND) {
        double part = PH_NEWTON_LEFT_OF_FIRST * sim->opt.rtol / PH_NEWTON_SURE,
               left = noise(sim, o, part) / PH_NEWTON_SURE;
        if (left > 1)
            left = fmin(left, ph_larger(second, multiplier_size(sim, o)) / PH_NEWTON_LEFT_OF_FIRST);
        nm->enough = left > 1 ? first / left : PH_NEWTON_FARTHER * first;
        nm->until = left > 1 ? PH_NEWTON_JUDGED_SOON : PH_NEWTON_JUDGED;
    }
    int polynomial = nm->plain > 0;
    nm->plain = o->improve(sim);
    if (!(nm->plain <= in_tolerances(sim, o, PH_NEWTON_PLAIN)) ||
        (polynomial && (nm->enough == 0 || first > PH_NEWTON_NEAR * in_tolerances(sim, o, PH_NEWTON_SHORT))))
        nm->rest = PH_NEWTON_REST;
}

/* Whether steps that follow others of their size may end with their first increment (N7). */
static int may_be_enough(ph_sim *sim, const ph_step_ops *o)
{
    ph_newton_matrix *nm = &sim->matrix;
    int changes = nm->redundant && nm->n_eta > 0; /* the rows of eta, which has no past then */
    if (!o->improve || !sim->lay.smooth || sim->opt.tol > 0 || changes)
        return 0;
    if (sim->n_past == 0)
        nm->rest = 0;
    if (nm->rest > 0)
        nm->rest--, sim->n_past = 1; /* such steps go by plain guesses */
    if (sim->n_past < PH_PAST)
        nm->enough = nm->plain = 0, nm->until = 0;
    return sim->n_past == PH_PAST;
}

ph_status ph_newton_solve(ph_sim *sim, ph_step_ops *o)
{
    ph_newton_matrix *nm = &sim->matrix;
    ph_newton kind = sim->opt.newton;
    double last = 0, last_drift = 0, x[2] = {0, 0}; /* sizes of the first two increments */
    int choices = nm->choices;
    int anew = 0; /* which rows are left out was decided again */
    int always = o->always || nm->fresh;
    /* by tolerance, stiff parts in large steps: what a kept Jacobian leaves of their forces is taken for an error */
    int most_kept = kind == PH_STEP && sim->opt.tol > 0 ? PH_NEWTON_KEPT_BY_TOL : sim->opt.max_iterations;
    int keeps = (kind == PH_STEP || kind == PH_MODIFIED) && !always;
    int shared = ph_redundant_shares(nm), exact = o->exact && kind != PH_SIMPLIFIED && !keeps && !shared;
    int keep = keeps && kind == PH_MODIFIED && nm->factored;
    int of_step = keeps && kind == PH_STEP && !shared; /* lambda is as good as q while the Jacobian is */
    int first = of_step && may_be_enough(sim, o);
    /* B then serves sizes of forces alone, for which that of the Jacobian will do; by tolerance it serves errors too */
    unsigned near = of_step && !(sim->opt.tol > 0) ? PH_EVAL_NEAR : 0;
    const ph_state s = ph_point_view(&sim->next, &sim->lay);
    ph_solver_doubt(nm->solver, 0);
    for (int k = 1; k <= sim->opt.max_iterations; k++) {
        sim->stats.iterations++, sim->step_iterations = k;
        ph_status status = o->update(sim);
        if (status == PH_OK && shared)
            status = least(sim);
        if (status == PH_OK)
            status =
                keep ? ph_eval_residual(&sim->ev, &s, nm->what | near) : ph_eval_both(&sim->ev, &s, nm->what);
        add_load(sim, o);
        sim->stats.residuals++;
        if (status == PH_OK && !keep) {
            o->linearise(sim);
            status = ph_newton_factor(sim, o);
            sim->stats.jacobians++, sim->stats.factorizations++;
        }
        if (status != PH_OK)
            return status;
        status = ph_newton_increment(sim, o);
        if (status != PH_OK)
            return status;
        double size = o->correct(sim, nm->x);
        if (!exact && !of_step)
            size = ph_larger(size, multiplier_size(sim, o));
        double rate = k > 1 ? size / last : 1, drift = drift_of(sim);
        nm->increment = size;
        if (!isfinite(size))
            return PH_E_NAN; /* lambda stays finite: the search for the culprit calls g and K with it */
        add_quotients(sim->lay.nl, nm->x + sim->lay.nv, o->s, sim->next.lambda);
        double growth = ph_solver_get_info(nm->solver).growth, lacking = size * DBL_EPSILON * growth;
        if (k > 2 && rate >= PH_RATE_TRUSTED && growth > PH_NEWTON_DOUBT)
            ph_solver_doubt(nm->solver, 1);
        double most = of_step && keep ? PH_NEWTON_LEFT_OF_STEP : 1;
        /* what a plain first guess would have shown: the better it is, the sooner increments are round-off */
        double fall =
            first && k == 2 && size < PH_NEWTON_ROUND_OFF ? size / ph_larger(last, nm->plain) : rate;
        int small =
            size <= most || (fall < PH_RATE_TRUSTED && next_increment(exact, size, fall) + lacking <= most);
        if (small && of_step && keep)
            small = (drift == 0 || drift * (drift / last_drift) <= drift_tolerable(sim)) &&
                    multipliers_settle(sim, o, fall);
        x[k > 1] = k > 2 ? x[1] : size;
        if (first && k == 1)
            small |= nm->until > 0 && size <= fmin(nm->enough, in_tolerances(sim, o, PH_NEWTON_SHORT));
        if (first && small && k > 1 && nm->until == 0)
            judge_first(sim, o, x[0], x[1], k);
        else if (first && small)
            nm->until -= nm->until > 0;
        if (small || (k > 2 && rate >= PH_RATE_TRUSTED && noise(sim, o, 0) <= 1)) {
            if (nm->choices != choices)
                sim->n_past = 0; /* other rows have lambda and eta */
            status = finish(sim, o);
            if (status != PH_OK || !is_violated(sim, anew ? 10 * PH_NEWTON_LEFT_OUT : PH_NEWTON_LEFT_OUT))
                return status;
            if (anew++ || ph_redundant_choose(nm, &sim->ev) != PH_OK)
                return refuse_violated(sim);
        }
        if (of_step && k == 2 && rate > PH_RATE_STEP && size > 1 && !(sim->opt.tol > 0))
            return PH_E_NEWTON; /* far from the first guess another solution might be found: see make_step of sim.c */
        keep = keeps && nm->factored && k < most_kept &&
               (k == 1 || ph_newton_keep(kind, size, rate, sim->opt.max_iterations - k));
        if (k > 1 && size > 1e3 * last && size > 1e6)
            return PH_E_NEWTON;
        last = size, last_drift = drift;
    }
    return PH_E_NEWTON;
}
