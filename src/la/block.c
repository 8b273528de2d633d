/* Block LU without exchanges between blocks: A = L (D + U), L unit lower and U strictly upper block triangular.
 *
 *     D_k  = A_kk - sum_m L_km U_mk                                                    (A1)
 *     L_ik = (A_ik - sum_m L_im U_mk) D_k^-1                                           (A2)
 *     U_ki = A_ki - sum_m L_km U_mi                i > k > m                           (A3)
 *
 *     y_k = b_k - sum_m L_km y_m,   x_k = D_k^-1 (y_k - sum_i U_ki x_i)                (A5)
 *
 * Each block is made once, its sums in registers, and pivots are stored as D_k^-T. The growth of pivot k,
 *
 *     g_k = sum_rc |D_k^-1|_rc (|A_kk| + sum_m |L_km U_mk|)_cr                         (A7)
 *
 * is by how much round-off made so far can change det D_k, relative to round-off; it does not depend on the units of
 * rows and columns. Beyond 1e14 the matrix is singular at this block. A tiny pivot shows later, as loss: blocks of A
 * drown in what is subtracted from them. Where max g_k times max loss exceeds 1e4, solutions are refined. */
#include "la/block.h"
#include "la/kernels.h"

#define GROWTH_SINGULAR 1e14
#define GROWTH_REFINE 1e4
/* The adjugate loses the square of what elimination with exchanges loses: beyond this growth use the latter. */
#define GROWTH_ADJUGATE 1e3
/* A refined solution is good if its backward error is below this. */
#define REFINED 1e-12
#define REFINE_STEPS 5

typedef const double *const sources[2]; /* values of A, store: a place's last bit says which */

PH_INLINE const double *find(sources from, int place)
{
    return from[place & 1] + (place >> 1);
}

/* T = A^-T by Gauss-Jordan elimination with row exchanges; destroys A. 0: a pivot is zero or not finite. */
PH_INLINE int invert_sized(int n, double *A, double *X, double *T)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            X[i * n + j] = i == j;
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (!(fabs(A[i * n + k]) <= fabs(A[best * n + k])))
                best = i;
        double s = 1 / A[best * n + k];
        if (!(fabs(s) < INFINITY && s != 0))
            return 0;
        for (int j = 0; j < n; j++) {
            double a = A[best * n + j], x = X[best * n + j];
            A[best * n + j] = A[k * n + j], A[k * n + j] = a * s;
            X[best * n + j] = X[k * n + j], X[k * n + j] = x * s;
        }
        for (int i = 0; i < n; i++) {
            double f = A[i * n + k];
            if (i == k)
                continue;
            for (int j = 0; j < n; j++) {
                A[i * n + j] -= f * A[k * n + j];
                X[i * n + j] -= f * X[k * n + j];
            }
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            T[j * n + i] = X[i * n + j];
    return 1;
}

static int invert_any(int n, double *A, double *X, double *T)
{
    switch (n) {
    case 3:
        return invert_sized(3, A, X, T);
    case 4:
        return invert_sized(4, A, X, T);
    case 5:
        return invert_sized(5, A, X, T);
    case 6:
        return invert_sized(6, A, X, T);
    default:
        return invert_sized(n, A, X, T);
    }
}

/* T = D^-T; D is destroyed, M is the sum in (A7), X is room. Returns the growth, infinite if D is singular. */
static double invert(int n, double *D, const double *M, double *X, double *T)
{
    if (!invert_any(n, D, X, T))
        return INFINITY;
    double g = 0;
    for (int i = 0; i < n * n; i++)
        g += fabs(T[i]) * M[i];
    return g;
}

static double norm(int n, const double *a)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += fabs(a[i]);
    return s;
}

PH_INLINE double larger(double a, double b)
{
    return b <= a ? a : b; /* NaN if b is */
}

/* What a factorisation did to round-off: the largest g_k, and the largest loss so far. */
typedef struct harm {
    double growth, loss;
} harm;

/* A block of A of size before became one of size after. */
PH_INLINE void note_loss(harm *h, double before, double after)
{
    if (before > 0)
        h->loss = larger(h->loss, after / before);
}

/* The 3x3 pivot that the adjugate does not invert well. */
static double invert3_again(ph_block *b, const double *diagonal, ph_rows3 M, ph_rows3 *T)
{
    double D[9], size[9], t[9] = {0};
    memcpy(D, diagonal, sizeof D);
    ph_rows_store(size, M);
    double g = invert(3, D, size, b->work[0], t);
    *T = ph_rows_load(t);
    return g;
}

/* (A1) to (A3) for a pivot of size 3 with neighbours of size 3. */
PH_INLINE void factor3(ph_block *b, harm *h, sources from, const ph_pivot *k, const ph_neighbour *below,
                       const ph_neighbour *above, const ph_target *target, const ph_pair *pair)
{
    const ph_neighbour *below_end = b->below + k->below_end, *above_end = b->above + k->above_end;
    ph_rows3 D = ph_rows_load(find(from, k->init)), M = ph_rows_abs(D), T;
    double before = k->guarded ? ph_rows_norm(D) : 0;
    for (; below < below_end; below++) {
        ph_rows3 S = ph_rows_mul(b->store + below->l, ph_rows_load(find(from, below->u)));
        D = ph_rows_sub(D, S);
        M = ph_rows_add_abs(M, S);
    }
    double growth = ph_rows_invert(D, M, &T);
    if (k->guarded)
        note_loss(h, before, ph_rows_norm(M));
    if (!(growth <= GROWTH_ADJUGATE)) {
        double d[9];
        ph_rows_store(d, D);
        growth = invert3_again(b, d, M, &T);
    }
    h->growth = larger(h->growth, growth);
    ph_rows_store(b->store + k->inverse, T);
    T = ph_rows_transpose(T);
    for (; above < above_end; above++, target++) {
        const ph_pair *end = b->pair + target->pairs_end;
        const double *l = find(from, target->l_init);
        if (pair == end) {
            if (above->l)
                ph_rows_store(b->store + above->l, ph_rows_mul(l, T));
            continue;
        }
        const double *u = find(from, target->u_init);
        ph_rows3 L = ph_rows_load(l), U = ph_rows_load(u);
        double l_before = ph_rows_norm(L), u_before = ph_rows_norm(U);
        for (; pair < end; pair++) {
            L = ph_rows_sub(L, ph_rows_mul(b->store + pair->l_im, ph_rows_load(find(from, pair->u_mk))));
            U = ph_rows_sub(U, ph_rows_mul(b->store + pair->l_km, ph_rows_load(find(from, pair->u_mi))));
        }
        note_loss(h, l_before, ph_rows_norm(L));
        note_loss(h, u_before, ph_rows_norm(U));
        ph_rows_store(b->store + above->l, ph_rows_rows_mul(L, T));
        ph_rows_store(b->store + (above->u >> 1), U);
    }
}

/* (A1) and the inverse for a pivot of any size; work[2] = D^-1. */
static void pivot_any(ph_block *b, harm *h, sources from, const ph_pivot *k, const ph_neighbour *below)
{
    int n = k->size, nn = n * n;
    double *D = b->work[0], *M = b->work[1], *S = b->work[2], *T = b->store + k->inverse;
    const double *A = find(from, k->init);
    for (int i = 0; i < nn; i++)
        D[i] = A[i], M[i] = fabs(A[i]);
    for (const ph_neighbour *end = b->below + k->below_end; below < end; below++) {
        ph_block_mul(n, n, below->size, S, b->store + below->l, find(from, below->u));
        for (int i = 0; i < nn; i++)
            D[i] -= S[i], M[i] += fabs(S[i]);
    }
    h->growth = larger(h->growth, invert(n, D, M, S, T));
    if (k->guarded)
        note_loss(h, norm(nn, A), norm(nn, M));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            S[i * n + j] = T[j * n + i];
}

static void factor_any(ph_block *b, harm *h, sources from, const ph_pivot *k, const ph_neighbour *below,
                       const ph_neighbour *above, const ph_target *target, const ph_pair *pair)
{
    pivot_any(b, h, from, k, below);
    const double *inverse = b->work[2];
    int n = k->size;
    for (const ph_neighbour *last = b->above + k->above_end; above < last; above++, target++) {
        const ph_pair *end = b->pair + target->pairs_end;
        const double *l = find(from, target->l_init), *u = find(from, target->u_init);
        int m = above->size, mn = m * n;
        if (pair < end) {
            double *L = b->work[0], *U = b->store + (above->u >> 1);
            double l_before = norm(mn, l), u_before = norm(mn, u);
            memcpy(L, l, (size_t)mn * sizeof(double));
            memcpy(U, u, (size_t)mn * sizeof(double));
            for (; pair < end; pair++) {
                ph_block_mul_sub(m, n, pair->size, L, b->store + pair->l_im, find(from, pair->u_mk));
                ph_block_mul_sub(n, m, pair->size, U, b->store + pair->l_km, find(from, pair->u_mi));
            }
            note_loss(h, l_before, norm(mn, L));
            note_loss(h, u_before, norm(mn, U));
            l = L;
        }
        if (above->l)
            ph_block_mul(m, n, n, b->store + above->l, l, inverse);
    }
}

static ph_status factor(ph_solver *s, const double *value)
{
    ph_block *b = (ph_block *)s;
    sources from = {value, b->store};
    int below = 0, above = 0, pair = 0;
    harm h = {1, 1};
    b->value = value;
    s->info.where = -1;
    for (int i = 0; i < b->n; i++) {
        const ph_pivot *k = &b->pivot[i];
        if (k->all3)
            factor3(b, &h, from, k, b->below + below, b->above + above, b->target + above, b->pair + pair);
        else
            factor_any(b, &h, from, k, b->below + below, b->above + above, b->target + above, b->pair + pair);
        if (!(h.growth <= GROWTH_SINGULAR)) {
            s->info.where = b->order[i];
            return PH_E_SINGULAR;
        }
        below = k->below_end;
        if (k->above_end > above)
            pair = b->target[k->above_end - 1].pairs_end;
        above = k->above_end;
    }
    s->info.growth = h.growth * h.loss;
    return PH_OK;
}

/* y -= A x */
PH_INLINE void sub_mul(int m, int n, double *restrict y, const double *A, const double *restrict x)
{
    for (int i = 0; i < m; i++) {
        double t = A[i * n] * x[0];
        for (int j = 1; j < n; j++)
            t += A[i * n + j] * x[j];
        y[i] -= t;
    }
}

/* y -= A^T x, A m x n */
PH_INLINE void sub_tmul(int m, int n, double *restrict y, const double *A, const double *restrict x)
{
    for (int j = 0; j < n; j++) {
        double t = A[j] * x[0];
        for (int i = 1; i < m; i++)
            t += A[i * n + j] * x[i];
        y[j] -= t;
    }
}

/* y = T^T x */
PH_INLINE void set_tmul(int n, double *restrict y, const double *T, const double *restrict x)
{
    for (int j = 0; j < n; j++) {
        double t = T[j] * x[0];
        for (int i = 1; i < n; i++)
            t += T[i * n + j] * x[i];
        y[j] = t;
    }
}

/* y = T x */
PH_INLINE void set_mul(int n, double *restrict y, const double *T, const double *restrict x)
{
    for (int i = 0; i < n; i++) {
        double t = T[i * n] * x[0];
        for (int j = 1; j < n; j++)
            t += T[i * n + j] * x[j];
        y[i] = t;
    }
}

/* (A5) */
static void solve_plain(ph_block *b, const double *rhs, double *x)
{
    sources from = {b->value, b->store};
    const ph_neighbour *e = b->below;
    double *y = b->y;
    for (const ph_pivot *k = b->pivot; k < b->pivot + b->n; y += k->size, k++) {
        const ph_neighbour *end = b->below + k->below_end;
        if (k->all3) {
            double t[3] = {rhs[k->unknown], rhs[k->unknown + 1], rhs[k->unknown + 2]};
            for (; e < end; e++)
                sub_mul(3, 3, t, b->store + e->l, b->y + e->y);
            memcpy(y, t, sizeof t);
            continue;
        }
        memcpy(y, rhs + k->unknown, (size_t)k->size * sizeof(double));
        for (; e < end; e++)
            sub_mul(k->size, e->size, y, b->store + e->l, b->y + e->y);
    }
    for (const ph_pivot *k = b->pivot + b->n; k-- > b->pivot;) {
        int n = k->size;
        const ph_neighbour *a = b->above + (k > b->pivot ? k[-1].above_end : 0), *end = b->above + k->above_end;
        y -= n;
        if (k->all3) {
            double t[3] = {y[0], y[1], y[2]};
            for (; a < end; a++)
                sub_mul(3, 3, t, find(from, a->u), b->y + a->y);
            set_tmul(3, y, b->store + k->inverse, t);
            memcpy(x + k->unknown, y, sizeof t);
            continue;
        }
        for (; a < end; a++)
            sub_mul(n, a->size, y, find(from, a->u), b->y + a->y);
        set_tmul(n, b->line, b->store + k->inverse, y);
        memcpy(y, b->line, (size_t)n * sizeof(double));
        memcpy(x + k->unknown, y, (size_t)n * sizeof(double));
    }
}

/* w_k = D_k^-T (b_k - sum_m U_mk^T w_m),   x_k = w_k - sum_i L_ik^T x_i */
static void solve_transposed(ph_block *b, const double *rhs, double *x)
{
    sources from = {b->value, b->store};
    const ph_neighbour *e = b->below;
    double *y = b->y;
    for (const ph_pivot *k = b->pivot; k < b->pivot + b->n; y += k->size, k++) {
        memcpy(b->line, rhs + k->unknown, (size_t)k->size * sizeof(double));
        for (const ph_neighbour *end = b->below + k->below_end; e < end; e++)
            sub_tmul(e->size, k->size, b->line, find(from, e->u), b->y + e->y);
        set_mul(k->size, y, b->store + k->inverse, b->line);
    }
    for (const ph_pivot *k = b->pivot + b->n; k-- > b->pivot;) {
        const ph_neighbour *a = b->above + (k > b->pivot ? k[-1].above_end : 0);
        y -= k->size;
        for (const ph_neighbour *end = b->above + k->above_end; a < end; a++)
            sub_tmul(a->size, k->size, y, b->store + a->l, b->y + a->y);
        memcpy(x + k->unknown, y, (size_t)k->size * sizeof(double));
    }
}

static void plain(ph_solver *s, const double *rhs, double *x, int transposed)
{
    (transposed ? solve_transposed : solve_plain)((ph_block *)s, rhs, x);
}

static ph_status solve(ph_solver *s, const double *rhs, double *x, int transposed)
{
    ph_block *b = (ph_block *)s;
    if (!(s->info.growth <= GROWTH_REFINE)) {
        double error = ph_refine(&b->w, s, plain, &b->p, b->value, rhs, b->w.d, REFINE_STEPS, transposed);
        if (!(error <= REFINED))
            return ph_all_finite(rhs, b->p.total) ? PH_E_SINGULAR : PH_E_NAN;
        memcpy(x, b->w.d, (size_t)b->p.total * sizeof(double));
        return PH_OK;
    }
    plain(s, rhs, x, transposed);
    return ph_all_finite(x, b->p.total) ? PH_OK : PH_E_NAN;
}

static ph_status analyse(ph_solver **out, const ph_graph *g, const ph_allocator *alloc)
{
    ph_block *b;
    ph_status status = ph_block_plan(&b, g, alloc);
    if (status == PH_OK)
        *out = &b->base;
    return status;
}

const ph_solver_ops ph_block_ops = {"block", analyse, factor, solve, ph_solver_end};
