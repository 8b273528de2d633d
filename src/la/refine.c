/* The backends' copy of a graph, residuals with it, and iterative refinement:
 *
 *     x += A^-1 (b - A x)                                                              (A6)
 *
 * judged by the backward error max |b - A x| / (|b| + |A| |x|) over blocks of rows, which does not depend
 * on the units of rows and columns. (Arioli, Demmel, Duff: Solving sparse linear systems with sparse
 * backward error, SIAM J. Matrix Anal. Appl. 10 (1989) judge by single rows; a row that is zero by
 * symmetry then never passes.) */
#include "la/backend.h"
#include "la/kernels.h"
#include "la/small.h"
#include "la/vectors.h"

#include <float.h>
#include <math.h>
#include <string.h>

void ph_pattern_lay(ph_pattern *p, const ph_graph *g, ph_arena *a)
{
    size_t n = (size_t)g->n, nnz = (size_t)g->nnz;
    p->n = g->n, p->nnz = g->nnz;
    p->size = ph_arena_take(a, n, sizeof(int));
    p->first = ph_arena_take(a, n + 1, sizeof(int));
    p->row = ph_arena_take(a, nnz, sizeof(int));
    p->col = ph_arena_take(a, nnz, sizeof(int));
    p->at = ph_arena_take(a, nnz + 1, sizeof(int));
    p->late = ph_arena_take(a, n, 1);
    p->upper = ph_arena_take(a, n, 1);
    if (!a->base)
        return;
    for (int i = 0; i < g->n; i++) {
        p->size[i] = g->size[i];
        p->first[i + 1] = p->first[i] + g->size[i];
        p->late[i] = g->late ? g->late[i] : 0;
        p->upper[i] = g->upper ? g->upper[i] : 0;
    }
    p->total = p->first[g->n];
    for (int e = 0; e < g->nnz; e++) {
        p->row[e] = g->row[e], p->col[e] = g->col[e];
        p->at[e + 1] = p->at[e] + g->size[g->row[e]] * g->size[g->col[e]];
    }
}

/* r -= A x, scale += |A| |x| for a row of n numbers, stride apart; sums in registers, since r might be A for all
 * that a compiler knows */
PH_INLINE void row_residual(int n, const double *A, int stride, const double *x, double *r, double *scale)
{
    double rest = *r, sum = *scale;
    for (int j = 0; j < n; j++) {
        double ax = A[j * stride] * x[j];
        rest -= ax;
        sum += fabs(ax);
    }
    *r = rest, *scale = sum;
}

static double largest(const double *x, int n)
{
    double m = 0;
    for (int i = 0; i < n; i++)
        m = ph_larger(m, fabs(x[i]));
    return m;
}

double ph_pattern_residual(const ph_pattern *p, const double *value, const double *b, const double *x,
                           double *r, double *scale, int transposed)
{
    for (int i = 0; i < p->total; i++)
        r[i] = b[i], scale[i] = fabs(b[i]);
    for (int e = 0; e < p->nnz; e++) {
        int i = p->row[e], j = p->col[e], m = p->size[i], n = p->size[j], fi = p->first[i], fj = p->first[j];
        const double *A = value + p->at[e];
        for (int k = 0; k < n && transposed; k++)
            row_residual(m, A + k, n, x + fi, r + fj + k, scale + fj + k);
        for (int k = 0; k < m && !transposed; k++)
            row_residual(n, A + k * n, 1, x + fj, r + fi + k, scale + fi + k);
    }
    double error = 0;
    for (int i = 0; i < p->n; i++) {
        double ri = largest(r + p->first[i], p->size[i]);
        if (ri != 0) {
            double q = ri / largest(scale + p->first[i], p->size[i]);
            error = ph_larger(error, q);
        }
        if (isnan(error))
            return error;
    }
    return error;
}

void ph_pattern_rest(const ph_pattern *p, const double *value, const double *b, const double *x, double *r,
                     int transposed)
{
    memcpy(r, b, (size_t)p->total * sizeof *r);
    for (int e = 0; e < p->nnz; e++) {
        int i = p->row[e], j = p->col[e];
        if (transposed)
            ph_block_tapply_sub(p->size[i], p->size[j], r + p->first[j], value + p->at[e], x + p->first[i]);
        else
            ph_block_apply_sub(p->size[i], p->size[j], r + p->first[i], value + p->at[e], x + p->first[j]);
    }
}

int ph_all_finite(const double *x, int n)
{
    ph_four s = {0}; /* 0 times a number is 0 only if the number is finite */
    double rest = 0;
    int i = 0;
    if (n <= PH_VECTOR_SHORT)
        return isfinite(ph_small_larger(n, 0, x));
    for (; i + 4 <= n; i += 4)
        s += 0 * *(const ph_four *)(x + i);
    for (; i < n; i++)
        rest += 0 * x[i];
    return (s[0] + s[1]) + (s[2] + s[3]) + rest == 0;
}

void ph_refinement_lay(ph_refinement *w, int total, ph_arena *a)
{
    w->r = ph_arena_take(a, (size_t)total, sizeof(double));
    w->d = ph_arena_take(a, (size_t)total, sizeof(double));
    w->x = ph_arena_take(a, (size_t)total, sizeof(double));
    w->scale = ph_arena_take(a, (size_t)total, sizeof(double));
    w->size = ph_arena_take(a, (size_t)total, sizeof(double));
}

/* Backward errors above this are looked at again. */
#define SUSPECT 1e-13
/* Rows are judged by no less than this part of what cancelled in their unknowns: residuals of 1e-15 of it are round-off. */
#define CANCELLED 1e-3

/* What cancels in each row. Rows that are not late, with diagonals D: sqrt(D) times the largest number of any over sqrt(D), which has
 * one unit in all of them, that of forces on masses. Late rows: what |scale|/D of their unknowns makes of them. */
static void cancelled(const ph_pattern *p, const double *value, const double *scale, double *gross,
                      double *size, int transposed)
{
    double most = 0;
    memset(gross, 0, (size_t)p->total * sizeof *gross);
    memset(size, 0, (size_t)p->total * sizeof *size);
    for (int e = 0; e < p->nnz; e++) {
        int i = p->row[e], n = p->size[i], at = p->first[i];
        const double *A = value + p->at[e];
        for (int k = 0; k < n && i == p->col[e] && !p->late[i]; k++) {
            double D = fabs(A[k * n + k]);
            size[at + k] = sqrt(D), gross[at + k] = D > 0 ? scale[at + k] / D : 0;
            most = ph_larger(most, gross[at + k] * size[at + k]);
        }
    }
    for (int k = 0; k < p->total; k++)
        size[k] *= most;
    for (int e = 0; e < p->nnz; e++) {
        int i = p->row[e], j = p->col[e], m = p->size[i], n = p->size[j], fi = p->first[i], fj = p->first[j];
        const double *A = value + p->at[e];
        for (int k = 0; k < m * n && p->late[transposed ? j : i] && !p->late[transposed ? i : j]; k++) {
            int a = fi + k / n, b = fj + k % n;
            size[transposed ? b : a] += fabs(A[k]) * gross[transposed ? a : b];
        }
    }
}

/* The weight of a block of rows stands in the place of its first unknown. */
double ph_refinement_weigh(ph_refinement *w, const ph_pattern *p, const double *value, const double *b,
                           const double *x, int transposed)
{
    ph_pattern_residual(p, value, b, x, w->r, w->scale, transposed);
    cancelled(p, value, w->scale, w->d, w->size, transposed);
    for (int i = 0; i < p->n; i++) {
        int at = p->first[i], n = p->size[i];
        w->size[at] = fmax(largest(w->scale + at, n), CANCELLED * largest(w->size + at, n));
    }
    return ph_refinement_error(w, p);
}

double ph_refinement_error(const ph_refinement *w, const ph_pattern *p)
{
    double error = 0;
    for (int i = 0; i < p->n; i++) {
        double r = largest(w->r + p->first[i], p->size[i]);
        if (r != 0)
            error = ph_larger(error, r / w->size[p->first[i]]);
    }
    return error;
}

double ph_refine(ph_refinement *w, ph_solver *s, ph_plain_solve plain, const ph_pattern *p,
                 const double *value, const double *b, double *x, int steps, int transposed)
{
    size_t bytes = (size_t)p->total * sizeof(double);
    plain(s, b, w->x, transposed);
    double error = ph_pattern_residual(p, value, b, w->x, w->r, w->scale, transposed);
    for (int step = 0; step < steps && error > 4 * DBL_EPSILON; step++) {
        plain(s, w->r, w->d, transposed);
        for (int i = 0; i < p->total; i++)
            w->d[i] += w->x[i];
        double next = ph_pattern_residual(p, value, b, w->d, w->r, w->scale, transposed);
        if (!(next < error))
            break;
        memcpy(w->x, w->d, bytes);
        if (next > error / 2)
            step = steps;
        error = next;
    }
    int late = 0; /* mechanisms with constraints alone have zeros by structure */
    for (int i = 0; i < p->n; i++)
        late |= p->late[i];
    if (late && error > SUSPECT)
        error = ph_refinement_weigh(w, p, value, b, w->x, transposed);
    memcpy(x, w->x, bytes);
    return error;
}
