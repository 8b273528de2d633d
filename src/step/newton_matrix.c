/* The matrix (N2) of a step of an implicit method: its values, its units, what it is solved for.
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

#include <stdlib.h>
#include <string.h>

#include "la/small.h"
#include "la/vectors.h"
#include "step/reaction.h"
#include "step/sim.h"
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

double ph_newton_stiffness(const ph_layout *lay, const ph_eval *ev)
{
    double kappa = 0;
    for (int i = 0; i < lay->N; i++) {
        const ph_block *b = &lay->pair[lay->diag[i]];
        for (int k = 0; k < b->n; k++) {
            double m = ev->M[b->at + k * (b->n + 1)];
            for (int j = 0; j < b->n; j++) /* rows: a diagonal can vanish */
                kappa = ph_larger(kappa, m > 0 ? fabs(ev->K[b->at + k * b->n + j]) / m : 0);
        }
    }
    return kappa;
}

static ph_status factor_stiffness(ph_newton_matrix *nm, const ph_eval *ev, double scale, double mu)
{
    const ph_layout *lay = nm->lay;
    for (int k = 0; k < lay->size_pairs; k++)
        nm->A[k] = scale * (ev->K[k] + mu * ev->M[k]);
    put_links(lay, ev->B, nm->A + nm->BT, nm->A + nm->W);
    for (int k = 0; lay->friction && k < lay->size_links; k++)
        nm->A[nm->BT + k] += ev->Gl[k];
    ph_redundant_strike(nm, 1, nm->A + nm->BT, nm->A + nm->W);
    return ph_solver_factor(nm->solver, nm->A);
}

ph_status ph_newton_factor_stiffness(ph_newton_matrix *nm, const ph_eval *ev, double scale, double mu)
{
    ph_status s = factor_stiffness(nm, ev, scale, mu);
    return ph_redundant_renew(nm, ev, nm->solver, s) ? factor_stiffness(nm, ev, scale, mu) : s;
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
    if (!t->brief) { /* of the start */
        ph_tape_numbers(t, &nm->turn, 1);
        ph_tape_numbers(t, &nm->body, 1);
        ph_tape_numbers(t, &nm->lever, 1);
        ph_tape_numbers(t, &nm->least, 1);
    }
    ph_tape_numbers(t, &nm->enough, 1);
    ph_tape_numbers(t, &nm->enough_lambda, 1);
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

ph_status ph_newton_factor(ph_sim *sim, const ph_step_ops *o)
{
    ph_newton_matrix *nm = &sim->matrix;
    ph_status s = factor(nm, &sim->ev, o);
    if (ph_redundant_renew(nm, &sim->ev, nm->solver, s))
        s = factor(nm, &sim->ev, o);
    nm->factored = s == PH_OK;
    return s;
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
    nm->lever = n && isfinite(ratio[n / 2]) ? ratio[n / 2] : 0;
    if (!(length > 0))
        length = nm->lever > 0 ? exp2(PH_NEWTON_LENGTHS * round(log2(nm->lever) / PH_NEWTON_LENGTHS)) : 1;
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

/* ---- eta ------------------------------------------------------------------------------------------- */

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
            ph_reaction(lay, k, end, n, B, y, at);
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
