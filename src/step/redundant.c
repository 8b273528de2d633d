/* Constraints that depend on each other: rows of B that others imply.
 *
 * As many rows as are redundant are left out of every matrix: their rows and columns become those of a diagonal
 * matrix, and their right-hand sides zero. What they ask for the others imply, and their multipliers keep the values
 * that they have, which changes no force. Which rows these are is decided anew where the factorisation says that the
 * others have become poor, or where rows that are left out are violated                                (R1)
 *
 * Among all multipliers with the same forces B^T lambda those of least norm are wanted: lambda - w with the part w of
 * lambda in the null space of B^T,
 *
 *   w <- w - B y,  (B^T B + E) y = B^T w,  from w = lambda                                               (R2)
 *
 * E, a small part of the diagonal of B^T B, makes the matrix regular where bodies are free to move; each repetition
 * takes away all but a part of about that size of what w has outside the null space. As one sparse system
 *
 *   [ E  B^T ] [ y ]   [ 0 ]
 *   [ B  -1  ] [ z ] = [ w ],   w <- -z,                                                                 (R3)
 *
 * eliminated from below. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "la/echelon.h"
#include "la/small.h"
#include "step/newton.h"
#include "step/rank.h"
#include "step/size.h"
#include "step/step_limits.h"

/* ---- which rows ----------------------------------------------------------------------------------- */

/* The pivots to the diagonals of all matrices. */
static void put_pivots(ph_newton_matrix *nm)
{
    const ph_layout *lay = nm->lay;
    double *D = nm->A + nm->D, *D0 = nm->A0 + nm->BT0 + 2 * lay->size_links, *D_eta = nm->A + nm->D_eta;
    for (int c = 0; c < lay->C; c++) {
        int n = lay->rows[c], eta = nm->eta_at[c] >= 0;
        for (int i = 0; i < n; i++) {
            D[i * (n + 1)] = D0[i * (n + 1)] = nm->pivot[lay->l_at[c] + i];
            if (eta)
                D_eta[i * (n + 1)] = nm->pivot[lay->l_at[c] + i];
        }
        D += n * n, D0 += n * n, D_eta += eta ? n * n : 0;
    }
}

/* Pivots of rows that are left out: of the size of those of the others, the diagonal of B M^-1 B^T with that of M. */
static void set_diagonals(ph_newton_matrix *nm, const ph_eval *ev)
{
    const ph_layout *lay = nm->lay;
    double *sum = nm->pivot;
    memset(sum, 0, sizeof(double) * (size_t)lay->nl);
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++) {
        const ph_block *m = &lay->pair[lay->diag[b->col]];
        for (int i = 0; i < b->m; i++)
            for (int j = 0; j < b->n; j++) {
                double x = ev->B[b->at + i * b->n + j];
                sum[b->row_at + i] += x * x / ev->M[m->at + j * (m->n + 1)];
            }
    }
    for (int i = 0; i < lay->nl; i++)
        nm->pivot[i] = !nm->out[i] ? 0 : sum[i] > 0 ? -sum[i] : -1;
    put_pivots(nm);
}

void ph_redundant_tape(ph_newton_matrix *nm, ph_tape *t)
{
    if (!nm->redundant)
        return;
    ph_tape_bytes(t, nm->out, (size_t)nm->lay->nl);
    ph_tape_numbers(t, nm->pivot, nm->lay->nl);
    ph_tape_numbers(t, nm->tolerable, 2);
    ph_tape_numbers(t, nm->unit, nm->lay->nl);
    ph_tape_int(t, &nm->choices);
    if (t->mode == PH_TAPE_READ)
        put_pivots(nm);
}

ph_status ph_redundant_choose(ph_newton_matrix *nm, const ph_eval *ev)
{
    int nl = nm->lay->nl, count = 0, expected = nm->lay->sys->n_redundant;
    if (!nm->redundant)
        return PH_OK;
    memset(nm->trial, 0, (size_t)nl);
    for (double least = PH_ECHELON_DEPENDENT; least < PH_REDUNDANT_LOOSE && count < expected; least *= 10) {
        ph_status s = ph_rank_rows(nm->lay, ev->B, ev->M, least, nm->alloc, nm->trial);
        if (s != PH_OK)
            return s;
        count = 0;
        for (int i = 0; i < nl; i++)
            count += nm->trial[i];
    }
    if (count != expected)
        return PH_E_INPUT;
    memcpy(nm->out, nm->trial, (size_t)nl);
    nm->choices++, nm->factored = 0;
    nm->tolerable[0] = nm->tolerable[1] = HUGE_VAL;
    set_diagonals(nm, ev);
    return PH_OK;
}

int ph_redundant_renew(ph_newton_matrix *nm, const ph_eval *ev, const ph_solver *solver, ph_status factored)
{
    if (!nm->redundant || (factored != PH_OK && factored != PH_E_SINGULAR))
        return 0;
    double growth = fmax(1, ph_solver_get_info(solver).growth),
           *tolerable = &nm->tolerable[solver != nm->initial];
    int poor = factored != PH_OK || growth > *tolerable;
    if (factored == PH_OK)
        *tolerable = poor ? PH_REDUNDANT_WORSE * growth : fmin(*tolerable, PH_REDUNDANT_WORSE * growth);
    if (!poor)
        return 0;
    memcpy(nm->before, nm->out, (size_t)nm->lay->nl);
    return ph_redundant_choose(nm, ev) == PH_OK && memcmp(nm->before, nm->out, (size_t)nm->lay->nl) != 0;
}

/* ---- leaving them out ------------------------------------------------------------------------------- */

void ph_redundant_strike(const ph_newton_matrix *nm, int stages, double *BT, double *W)
{
    const ph_layout *lay = nm->lay;
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end && nm->redundant; b++)
        for (int i = 0; i < b->m; i++) {
            int m = stages * b->m, n = stages * b->n, at = stages * stages * b->at;
            for (int u = i; u < m && nm->out[b->row_at + i]; u += b->m)
                for (int j = 0; j < n; j++)
                    BT[at + j * m + u] = W[at + u * n + j] = 0;
        }
}

/* Rows alone: they make the eta that are left out zero, whatever their columns are. */
void ph_redundant_strike_eta(const ph_newton_matrix *nm)
{
    const ph_layout *lay = nm->lay;
    double *P = nm->A + nm->P;
    if (!nm->redundant)
        return;
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++) {
        for (int i = 0; i < b->m && b->holonomic; i++)
            if (nm->out[b->row_at + i])
                memset(P + i * b->n, 0, sizeof(double) * (size_t)b->n);
        P += b->holonomic ? b->m * b->n : 0;
    }
    for (const ph_term *t = nm->Y_term, *end = t + nm->n_Y; t < end; t++) {
        const ph_block *p = &lay->link[t->left];
        int n = t->right < 0 ? p->n : lay->link[t->right].m;
        for (int i = 0; i < p->m && t->first; i++)
            if (nm->out[p->row_at + i])
                memset(nm->A + t->at + i * n, 0, sizeof(double) * (size_t)n);
    }
}

void ph_redundant_leave_out(const ph_newton_matrix *nm, double *rows)
{
    for (int i = 0; i < nm->lay->nl && nm->redundant; i++)
        if (nm->out[i])
            rows[i] = 0;
}

void ph_redundant_leave_out_eta(const ph_newton_matrix *nm, double *eta)
{
    const ph_layout *lay = nm->lay;
    for (int c = 0; c < lay->C && nm->redundant; c++)
        for (int i = 0; i < lay->rows[c] && nm->eta_at[c] >= 0; i++)
            if (nm->out[lay->l_at[c] + i])
                eta[nm->eta_at[c] + i] = 0;
}

double ph_redundant_violation(const ph_newton_matrix *nm, const ph_eval *ev, const double *q)
{
    const ph_layout *lay = nm->lay;
    double most = 0, *size = nm->b; /* done with */
    ph_size_rows(lay, ev->B, ph_size_positions(lay, q, nm->body), size);
    for (int c = 0; c < lay->C && nm->redundant; c++)
        for (int i = lay->l_at[c], end = i + lay->rows[c]; i < end && !lay->sys->constraints[c].nonholonomic;
             i++)
            if (nm->out[i])
                most = ph_larger(most, ph_size_ratio(1, ev->Phi + i, size + i));
    return most;
}

int ph_redundant_shares(const ph_newton_matrix *nm)
{
    return nm->redundant && nm->lay->friction;
}

/* ---- multipliers of least norm ------------------------------------------------------------------------ */

/* Torques are divided by the length of (N5) in the norm, which is 1 but for very large or small mechanisms: there E would
 * drown the one or the other. */
static void set_units(ph_newton_matrix *nm, const double *B)
{
    const ph_layout *lay = nm->lay;
    double torque = 1 / sqrt(nm->turn);
    for (int i = 0; i < lay->nl; i++)
        nm->unit[i] = torque;
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++)
        for (int i = 0; i < b->m; i++)
            if (ph_small_max(lay->slot[b->col].rot, B + b->at + i * b->n) > 0)
                nm->unit[b->row_at + i] = 1;
}

/* The values of (R3): E, B^T, B, -1, with rows of B times their units */
static void span_values(const ph_newton_matrix *nm, const double *B)
{
    const ph_layout *lay = nm->lay;
    double *E = nm->S, *BT = E + nm->E_size, *W = BT + lay->size_links, *D = W + lay->size_links;
    memset(E, 0, sizeof(double) * (size_t)nm->E_size);
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++) {
        double *e = E + nm->E_at[b->col];
        for (int i = 0; i < b->m; i++)
            for (int j = 0; j < b->n; j++) {
                double x = W[b->at + i * b->n + j] = nm->unit[b->row_at + i] * B[b->at + i * b->n + j];
                e[j * (b->n + 1)] += PH_REDUNDANT_SMALL * x * x;
            }
        ph_small_transpose(b->m, b->n, W + b->at, BT + b->at);
    }
    for (int i = 0; i < lay->N; i++) {
        int n = lay->slot[i].dim;
        double *e = E + nm->E_at[i], most = ph_small_max(n * n, e);
        double least = most > 0 ? 1e-3 * most : 1; /* for coordinates that no row reads */
        for (int j = 0; j < n; j++)
            e[j * (n + 1)] += least;
    }
    for (int c = 0; c < lay->C; c++) {
        int n = lay->rows[c];
        for (int i = 0; i < n; i++)
            D[i * (n + 1)] = -1;
        D += n * n;
    }
}

ph_status ph_redundant_span(ph_newton_matrix *nm, const ph_eval *ev)
{
    set_units(nm, ev->B);
    span_values(nm, ev->B);
    return ph_solver_factor(nm->span, nm->S);
}

ph_status ph_redundant_null_part(ph_newton_matrix *nm, double *x)
{
    int nv = nm->lay->nv, nl = nm->lay->nl;
    double size, last = HUGE_VAL, *z = nm->y + nv;
    ph_status s = PH_OK;
    for (int i = 0; i < nl; i++)
        x[i] /= nm->unit[i];
    size = ph_small_max(nl, x);
    for (int k = 0; k < PH_REDUNDANT_REPETITIONS && s == PH_OK; k++) {
        double change = 0;
        memset(nm->y, 0, sizeof(double) * (size_t)nv);
        memcpy(z, x, sizeof(double) * (size_t)nl);
        s = ph_solver_solve(nm->span, nm->y, nm->y);
        for (int i = 0; i < nl && s == PH_OK; i++) {
            change = fmax(change, fabs(x[i] + z[i]));
            x[i] = -z[i];
        }
        if (change <= DBL_EPSILON * size || (k > 1 && change > PH_REDUNDANT_SLOW * last))
            break;
        last = change;
    }
    for (int i = 0; i < nl; i++)
        x[i] *= nm->unit[i];
    return s;
}

ph_status ph_redundant_least(ph_newton_matrix *nm, const ph_eval *ev, double *lambda)
{
    int nl = nm->lay->nl;
    if (!nm->redundant)
        return PH_OK;
    if (nm->lay->sys->n_redundant == nm->lay->sys->n_idle) { /* rows that are left out are zero */
        ph_redundant_leave_out(nm, lambda);
        return PH_OK;
    }
    memcpy(nm->w, lambda, sizeof(double) * (size_t)nl);
    ph_status s = ph_redundant_span(nm, ev);
    if (s == PH_OK)
        s = ph_redundant_null_part(nm, nm->w);
    for (int i = 0; i < nl && s == PH_OK; i++)
        lambda[i] -= nm->w[i];
    return s;
}
