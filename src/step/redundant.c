/* Constraints that depend on each other: B has rows that others imply, N B = 0 for the rows of N.
 *
 * The diagonal blocks of lambda (and eta) get -reg, small beside B M^-1 B^T, so that every matrix is regular:
 *
 *   [ M  B^T  ]
 *   [ B  -reg ],   reg = delta times the diagonal of B M^-1 B^T                                       (R1)
 *
 * Solving with it amplifies what lies in the null space by 1/reg: one inverse iteration at each new point
 * keeps N up to date,
 *
 *   N <- orthonormal rows of (B M^-1 B^T + reg)^-1 reg N, which leaves N as it is if N B = 0          (R2)
 *
 * and right-hand sides and solutions are kept in its complement,
 *
 *   rows <- rows - N^T N rows                                                                         (R3)
 *
 * so that lambda stays the multiplier of least norm. At convergence Phi = 0 and r = 0 hold as without reg,
 * which only makes the last digits of the iteration converge by a factor of about delta instead of
 * quadratically. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "la/small.h"
#include "step/newton.h"

/* Far above round-off of B M^-1 B^T, far below its smallest eigenvalue in a sensible mechanism, which
 * falls with the fourth power of the length of a ladder of loops. */
#define DELTA 1e-9

/* Inverse iterations from a random start, at most; each gains a factor of delta over the smallest
 * eigenvalue. They end when the gain is less than this factor. */
#define FIRST_ITERATIONS 40
#define GAIN             0.5

/* Corrections of a solution for reg; each gains the same factor. */
#define CORRECTIONS 3

/* |N B| of rows that are dependent, relative to |B|. */
#define DEPENDENT 1e-6

/* x -= N^T N x for so many orthonormal rows of N, four at a time: their sums do not wait for each other. */
static void remove_rows(const double *null, int rows, int nl, double *x)
{
    const double *a = null;
    for (; rows >= 4; rows -= 4, a += 4 * nl) {
        const double *b = a + nl, *c = b + nl, *d = c + nl;
        double p = 0, q = 0, r = 0, s = 0;
        for (int i = 0; i < nl; i++)
            p += a[i] * x[i], q += b[i] * x[i], r += c[i] * x[i], s += d[i] * x[i];
        for (int i = 0; i < nl; i++)
            x[i] -= (p * a[i] + q * b[i]) + (r * c[i] + s * d[i]);
    }
    for (; rows > 0; rows--, a += nl) {
        double p = 0;
        for (int i = 0; i < nl; i++)
            p += a[i] * x[i];
        for (int i = 0; i < nl; i++)
            x[i] -= p * a[i];
    }
}

void ph_redundant_project(const ph_newton_matrix *nm, const double *null, double *rows)
{
    remove_rows(null, nm->redundant, nm->lay->nl, rows);
}

void ph_redundant_project_eta(ph_newton_matrix *nm, const double *null, double *eta)
{
    const ph_layout *lay = nm->lay;
    double *rows = nm->convective; /* free while a step is solved */
    if (!nm->redundant || !nm->n_eta)
        return;
    memset(rows, 0, sizeof(double) * (size_t)lay->nl);
    for (int c = 0; c < lay->C; c++)
        for (int i = 0; i < lay->rows[c] && nm->eta_at[c] >= 0; i++)
            rows[lay->l_at[c] + i] = eta[nm->eta_at[c] + i];
    ph_redundant_project(nm, null, rows);
    for (int c = 0; c < lay->C; c++)
        for (int i = 0; i < lay->rows[c] && nm->eta_at[c] >= 0; i++)
            eta[nm->eta_at[c] + i] = rows[lay->l_at[c] + i];
}

static double size(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* Make the rows of N orthonormal, one after the other; 0: they are not independent. A second pass is
 * needed only if the first has cancelled digits: rows of the point before are nearly orthonormal already. */
static int orthonormalise(const ph_newton_matrix *nm, double *null)
{
    int nl = nm->lay->nl;
    for (int j = 0; j < nm->redundant; j++) {
        double *n = null + j * nl, before, after = size(n, nl);
        do {
            before = after;
            remove_rows(null, j, nl, n);
            after = size(n, nl);
        } while (after < GAIN * before && after > 0);
        if (!(after > 0) || !isfinite(after))
            return 0;
        for (int i = 0; i < nl; i++)
            n[i] /= after;
    }
    return 1;
}

ph_status ph_redundant_follow(ph_newton_matrix *nm)
{
    int nv = nm->lay->nv, nl = nm->lay->nl;
    for (int j = 0; j < nm->redundant; j++) {
        memset(nm->b, 0, sizeof(double) * (size_t)nv);
        for (int i = 0; i < nl; i++)
            nm->b[nv + i] = nm->reg[i] * nm->null[j * nl + i];
        ph_status s = ph_solver_solve(nm->initial, nm->b, nm->x);
        if (s != PH_OK)
            return s;
        memcpy(nm->null + j * nl, nm->x + nv, sizeof(double) * (size_t)nl);
    }
    return orthonormalise(nm, nm->null) ? PH_OK : PH_E_SINGULAR;
}

/* With A x = b for the matrix (R1), the rows of the matrix without reg are off by -reg x_lambda: solve for
 * that, again and again. */
ph_status ph_redundant_solve(ph_newton_matrix *nm, double *x)
{
    int nv = nm->lay->nv, nl = nm->lay->nl, n = nv + nl;
    double *b = nm->b, *part = nm->b;
    ph_redundant_project(nm, nm->null, b + nv);
    ph_status s = ph_solver_solve(nm->initial, b, part);
    memcpy(x, part, sizeof(double) * (size_t)n);
    for (int k = 0; k < CORRECTIONS && s == PH_OK; k++) {
        memset(part, 0, sizeof(double) * (size_t)nv);
        for (int i = 0; i < nl; i++)
            part[nv + i] *= -nm->reg[i];
        ph_redundant_project(nm, nm->null, part + nv);
        s = ph_solver_solve(nm->initial, part, part);
        for (int i = 0; i < n; i++)
            x[i] += part[i];
    }
    ph_redundant_project(nm, nm->null, x + nv);
    return s;
}

/* (R1), with the diagonal of M for M */
static void set_diagonals(ph_newton_matrix *nm, const ph_eval *ev)
{
    const ph_layout *lay = nm->lay;
    double *sum = nm->convective;
    memset(sum, 0, sizeof(double) * (size_t)lay->nl);
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++) {
        const ph_block *m = &lay->pair[lay->diag[b->col]];
        for (int i = 0; i < b->m; i++)
            for (int j = 0; j < b->n; j++) {
                double x = ev->B[b->at + i * b->n + j];
                sum[b->row_at + i] += x * x / ev->M[m->at + j * (m->n + 1)];
            }
    }
    double *D = nm->A + nm->D, *D0 = nm->A0 + nm->D, *D_eta = nm->A + nm->D_eta;
    for (int c = 0; c < lay->C; c++) {
        int n = lay->rows[c], eta = nm->eta_at[c] >= 0;
        for (int i = 0; i < n; i++) {
            double reg = nm->reg[lay->l_at[c] + i] = DELTA * sum[lay->l_at[c] + i];
            D[i * (n + 1)] = D0[i * (n + 1)] = -reg;
            if (eta)
                D_eta[i * (n + 1)] = -reg;
        }
        D += n * n, D0 += n * n, D_eta += eta ? n * n : 0;
    }
}

/* Largest |N B| over largest |B| */
static double dependence(const ph_newton_matrix *nm, const ph_eval *ev)
{
    const ph_layout *lay = nm->lay;
    double worst = 0, *sum = nm->x;
    for (int j = 0; j < nm->redundant; j++) {
        memset(sum, 0, sizeof(double) * (size_t)lay->nv);
        for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++)
            ph_small_tmul_add(b->m, b->n, ev->B + b->at, nm->null + j * lay->nl + b->row_at, sum + b->col_at);
        worst = ph_small_larger(lay->nv, worst, sum);
    }
    return worst / ph_small_max(lay->size_links, ev->B);
}

ph_status ph_redundant_start(ph_newton_matrix *nm, const ph_eval *ev)
{
    unsigned seed = 1;
    if (!nm->redundant)
        return PH_OK;
    set_diagonals(nm, ev);
    for (int i = 0; i < nm->redundant * nm->lay->nl; i++) {
        seed = seed * 1664525u + 1013904223u;
        nm->null[i] = (double)seed / 4294967296.0 - 0.5;
    }
    if (!orthonormalise(nm, nm->null))
        return PH_E_INPUT;
    ph_status s = ph_newton_factor_initial(nm, ev, 0);
    double before = INFINITY, now = DBL_MAX;
    for (int k = 0; k < FIRST_ITERATIONS && now < GAIN * before && s == PH_OK; k++) {
        s = ph_redundant_follow(nm);
        before = now, now = dependence(nm, ev);
    }
    if (s != PH_OK)
        return s;
    return now <= DEPENDENT ? PH_OK : PH_E_INPUT;
}
