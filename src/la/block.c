/* Block LU without exchanges between blocks: A = L (D + U), L unit lower and U strictly upper block
 * triangular.
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
 * is by how much round-off made so far can change det D_k, relative to round-off; it does not depend on
 * the units of rows and columns. Beyond 1e14 the matrix is singular at this block. A tiny pivot shows
 * later, as loss: blocks of A drown in what is subtracted from them. Where max g_k times max loss exceeds
 * 1e4, solutions are refined. */
#include "la/block.h"
#include "la/inverse.h"
#include "la/kernels.h"
#include "la/lines.h"

#define GROWTH_SINGULAR 1e14
#define GROWTH_REFINE   1e4
/* A refined solution is good if its backward error is below this. */
#define REFINED      1e-12
#define REFINE_STEPS 5

typedef const double
    *const sources[3]; /* values of A, store, values of A: the last two bits of a place say which */

PH_INLINE const double *find(sources from, int place)
{
    return from[place & 3] + (place >> 2);
}

/* How far the rows of a 3x3 block stand apart. Here and below, halves is a constant: 0: none of A has rows 6 apart. */
PH_INLINE int apart(int halves, int place)
{
    return halves && place & PH_IN_SIXES ? 6 : 3;
}

PH_INLINE ph_rows rows_at(int halves, sources from, int place)
{
    return ph_rows_load_apart(find(from, place), apart(halves, place));
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

/* Where the numeric phase stands in the program. */
typedef struct position {
    const ph_block_neighbour *below;
    const ph_block_target *target;
    const ph_pair *pair;
} position;

/* (A1) for 3x3: gives C and returns s with D^-T = s C. */
PH_INLINE double pivot3(int halves, const ph_block_lu *b, harm *h, sources from, const ph_pivot *k,
                        position *at, ph_rows *C)
{
    const ph_block_neighbour *below = at->below, *end = b->below + k->lower_end;
    ph_rows A = rows_at(halves, from, k->init), D = A, M = ph_rows_abs(A);
    double s;
    for (; below < end; below++) {
        ph_rows S = ph_rows_mul(from[1] + below->l, rows_at(halves, from, below->u));
        D = ph_rows_sub(D, S);
        M = ph_rows_add_abs(M, S);
    }
    at->below = b->below + k->below_end;
    double growth = ph_rows_invert(D, M, C, &s);
    if (k->guarded)
        note_loss(h, ph_rows_norm(A), ph_rows_norm(M));
    if (__builtin_expect(!(growth <= PH_GROWTH_ADJUGATE), 0)) {
        double d[9], m[9], t[9] = {0};
        ph_rows_store(d, D);
        ph_rows_store(m, M);
        growth = ph_block_invert_pivoted(3, d, m, t, b->swap);
        *C = ph_rows_load(t);
        s = 1;
    }
    h->growth = larger(h->growth, growth);
    return s;
}

/* (A1) to (A3) for a pivot of size 3 with neighbours of size 3. */
PH_INLINE void factor3(int halves, const ph_block_lu *b, harm *h, sources from, const ph_pivot *k,
                       const ph_block_target *last, position *at)
{
    double *store = b->store;
    const ph_pair *pair = at->pair, *pairs = b->pair;
    const ph_block_target *t = at->target;
    ph_rows C;
    double s = pivot3(halves, b, h, from, k, at, &C);
    ph_rows_store4(store + k->inverse, ph_rows_scale(s, C));
    C = ph_rows_transpose(C);
    for (; t < last; t++) {
        const ph_pair *end = pairs + t->pairs_end;
        if (pair == end) {
            if (t->l)
                ph_rows_store(store + t->l, ph_rows_scale(s, ph_rows_mul_apart(find(from, t->l_init),
                                                                               apart(halves, t->l_init), C)));
            continue;
        }
        ph_rows L = rows_at(halves, from, t->l_init);
        if (t->u) {
            ph_rows A = rows_at(halves, from, t->u_init), U = A;
            for (const ph_pair *p = pair; p < end; p++)
                U = ph_rows_sub(U, ph_rows_mul(store + p->l_km, rows_at(halves, from, p->u_mi)));
            if (t->u_init != PH_PLACE_ZERO)
                note_loss(h, ph_rows_norm(A), ph_rows_norm(U));
            ph_rows_store(store + t->u, U);
        }
        for (; pair < end; pair++)
            L = ph_rows_sub(L, ph_rows_mul(store + pair->l_im, rows_at(halves, from, pair->u_mk)));
        if (t->l_init != PH_PLACE_ZERO)
            note_loss(h, ph_rows_norm(rows_at(halves, from, t->l_init)), ph_rows_norm(L));
        if (t->l)
            ph_rows_store(store + t->l, ph_rows_scale(s, ph_rows_mul_rows(L, C)));
    }
    at->target = t, at->pair = pair;
}

/* Sum of |C_ij|, C m x n. */
PH_INLINE double size_of(int m, int n, const line *C)
{
    line s = line_abs(n, C[0]);
    for (int i = 1; i < m; i++)
        s = line_add(n, s, line_abs(n, C[i]));
    return line_sum(n, s);
}

PH_INLINE void load_lines(int m, int n, line *C, const double *A)
{
    for (int i = 0; i < m; i++)
        C[i] = line_load(n, A + i * n);
}

PH_INLINE void store_lines(int m, int n, double *A, const line *C)
{
    for (int i = 0; i < m; i++)
        line_store(n, A + i * n, C[i]);
}

/* C -= L U, L m x p, number by number of a row of L. */
PH_INLINE void subtract(int p, int m, int n, line *C, const double *L, const double *U)
{
    for (int k = 0; k < p; k++) {
        line u = line_load(n, U + k * n);
        for (int i = 0; i < m; i++)
            C[i] = line_sub(n, C[i], line_scale(n, L[i * p + k], u));
    }
}

/* The sums of (A2), or of (A3), of one block m x n from its initial value at A, which is not the block of zeros where it counts. */
PH_INLINE void rest_of(int m, int n, harm *h, line *C, const double *A, int counts, const ph_pair *p,
                       const ph_pair *end, sources from, int upper)
{
    load_lines(m, n, C, A);
    double before = counts ? size_of(m, n, C) : 0;
    for (; p < end; p++) {
        const double *L = from[1] + (upper ? p->l_km : p->l_im), *U = find(from, upper ? p->u_mi : p->u_mk);
        if (p->size == 3)
            subtract(3, m, n, C, L, U);
        else if (p->size == 5)
            subtract(5, m, n, C, L, U);
        else
            subtract(p->size, m, n, C, L, U);
    }
    if (counts)
        note_loss(h, before, size_of(m, n, C));
}

/* (A2) and (A3) of one target of a pivot, both of constant size. */
PH_INLINE void target_sized(int m, int n, const ph_block_lu *b, harm *h, sources from,
                            const ph_block_target *t, position *at)
{
    const ph_pair *pair = at->pair, *end = b->pair + t->pairs_end;
    const double *L = find(from, t->l_init), *A_u = find(from, t->u_init), *inverse = b->work[2];
    line C[6], D[6];
    if (pair < end) {
        if (t->u) {
            rest_of(n, m, h, C, A_u, t->u_init != PH_PLACE_ZERO, pair, end, from, 1);
            store_lines(n, m, b->store + t->u, C);
        }
        rest_of(m, n, h, C, L, t->l_init != PH_PLACE_ZERO, pair, end, from, 0);
        store_lines(m, n, b->work[0], C);
        at->pair = end, L = b->work[0];
    }
    if (!t->l)
        return;
    load_lines(n, n, D, inverse);
    for (int i = 0; i < m; i++, L += n) {
        line s = line_scale(n, L[0], D[0]);
        for (int k = 1; k < n; k++)
            s = line_add(n, s, line_scale(n, L[k], D[k]));
        line_store(n, b->store + t->l + i * n, s);
    }
}

static void target_any(int m, int n, const ph_block_lu *b, harm *h, sources from, const ph_block_target *t,
                       position *at)
{
    const ph_pair *end = b->pair + t->pairs_end;
    const double *A_l = find(from, t->l_init), *A_u = find(from, t->u_init), *l = A_l, *u = A_u;
    double *L = b->work[0], *U = t->u ? b->store + t->u : NULL;
    int mn = m * n, pairs = at->pair < end;
    for (; at->pair < end; at->pair++, l = L) {
        const ph_pair *p = at->pair;
        ph_block_rest(m, n, p->size, L, l, b->store + p->l_im, find(from, p->u_mk));
        if (U)
            ph_block_rest(n, m, p->size, U, u, b->store + p->l_km, find(from, p->u_mi)), u = U;
    }
    if (pairs)
        note_loss(h, ph_block_norm(mn, A_l), ph_block_norm(mn, L));
    if (U)
        note_loss(h, ph_block_norm(mn, A_u), ph_block_norm(mn, U));
    if (t->l)
        ph_block_mul(m, n, n, b->store + t->l, l, b->work[2]);
}

/* T = D^-T, work[2] = D^-1 */
PH_INLINE void invert_pivot(int n, const ph_block_lu *b, harm *h, const line *D, const line *M, double *T)
{
    line inverse[6], transposed[6];
    double growth = ph_lines_invert(n, D, M, inverse, transposed);
    if (growth > 0) {
        store_lines(n, n, T, transposed);
        store_lines(n, n, b->work[2], inverse);
    } else {
        store_lines(n, n, b->work[0], D);
        store_lines(n, n, b->work[1], M);
        growth = ph_block_invert_pivoted(n, b->work[0], b->work[1], T, b->swap);
        ph_block_transpose(n, n, b->work[2], T);
    }
    h->growth = larger(h->growth, growth);
}

/* (A1): D and M, then the inverse. */
PH_INLINE void pivot_sized(int n, const ph_block_lu *b, harm *h, sources from, const ph_pivot *k,
                           position *at)
{
    line D[6], M[6], S[6];
    load_lines(n, n, D, find(from, k->init));
    double before = k->guarded ? size_of(n, n, D) : 0;
    for (int i = 0; i < n; i++)
        M[i] = line_abs(n, D[i]);
    for (const ph_block_neighbour *end = b->below + k->lower_end; at->below < end; at->below++) {
        const double *L = from[1] + at->below->l, *U = find(from, at->below->u);
        int p = at->below->size;
        line u = line_load(n, U);
        for (int i = 0; i < n; i++)
            S[i] = line_scale(n, L[i * p], u);
        for (int e = 1; e < p; e++) {
            u = line_load(n, U + e * n);
            for (int i = 0; i < n; i++)
                S[i] = line_add(n, S[i], line_scale(n, L[i * p + e], u));
        }
        for (int i = 0; i < n; i++) {
            D[i] = line_sub(n, D[i], S[i]);
            M[i] = line_add(n, M[i], line_abs(n, S[i]));
        }
    }
    at->below = b->below + k->below_end;
    if (k->guarded)
        note_loss(h, before, size_of(n, n, M));
    invert_pivot(n, b, h, D, M, b->store + k->inverse);
}

static void pivot_any(int n, const ph_block_lu *b, harm *h, sources from, const ph_pivot *k, position *at)
{
    int nn = n * n;
    double *D = b->work[0], *M = b->work[1], *T = b->store + k->inverse;
    const double *A = find(from, k->init);
    for (int i = 0; i < nn; i++)
        D[i] = A[i], M[i] = fabs(A[i]);
    for (const ph_block_neighbour *end = b->below + k->lower_end; at->below < end; at->below++)
        ph_block_pivot_rest(n, at->below->size, D, M, b->store + at->below->l, find(from, at->below->u));
    at->below = b->below + k->below_end;
    h->growth = larger(h->growth, ph_block_invert_pivoted(n, D, M, T, b->swap));
    if (k->guarded)
        note_loss(h, ph_block_norm(nn, A), ph_block_norm(nn, M));
    ph_block_transpose(n, n, b->work[2], T);
}

PH_INLINE void target_wide(int n, int m, const ph_block_lu *b, harm *h, sources from,
                           const ph_block_target *t, position *at)
{
    PH_CONSTANT(m, target_sized, target_any, n, b, h, from, t, at);
}

PH_INLINE void factor_sized(int n, const ph_block_lu *b, harm *h, sources from, const ph_pivot *k,
                            const ph_block_target *last, position *at)
{
    pivot_sized(n, b, h, from, k, at);
    for (; at->target < last; at->target++)
        target_wide(n, at->target->size, b, h, from, at->target, at);
}

static void factor_large(int n, const ph_block_lu *b, harm *h, sources from, const ph_pivot *k,
                         const ph_block_target *last, position *at)
{
    pivot_any(n, b, h, from, k, at);
    for (; at->target < last; at->target++)
        target_any(at->target->size, n, b, h, from, at->target, at);
}

/* (A1) to (A3) for any sizes. */
static void factor_any(const ph_block_lu *b, harm *h, sources from, const ph_pivot *k,
                       const ph_block_target *last, position *at)
{
    PH_CONSTANT(k->size, factor_sized, factor_large, b, h, from, k, last, at);
}

PH_INLINE ph_status factor_all(int halves, ph_solver *s, const double *value)
{
    ph_block_lu *b = (ph_block_lu *)s;
    sources from = {value, b->store, value};
    position at = {b->below, b->target, b->pair};
    harm h = {1, 1};
    b->value = value;
    s->info.where = -1;
    for (const ph_pivot *k = b->pivot, *end = k + b->n; k < end; k++) {
        if (k->all3)
            factor3(halves, b, &h, from, k, b->target + k->above_end, &at);
        else
            factor_any(b, &h, from, k, b->target + k->above_end, &at);
        if (__builtin_expect(!(h.growth <= GROWTH_SINGULAR), 0)) {
            s->info.where = b->order[k - b->pivot];
            return PH_E_SINGULAR;
        }
    }
    s->info.growth = h.growth * h.loss;
    return PH_OK;
}

static ph_status factor(ph_solver *s, const double *value)
{
    return ((ph_block_lu *)s)->halves ? factor_all(1, s, value) : factor_all(0, s, value);
}

/* s_i += A_i x, n columns of m rows of A, ld apart; sums over columns come last. */
PH_INLINE void gather(int n, int m, int ld, line *s, const double *A, const double *x)
{
    line v = line_load(n, x);
    for (int i = 0; i < m; i++)
        s[i] = line_add(n, s[i], line_mul(n, line_load(n, A + i * ld), v));
}

PH_INLINE void gather_any(int n, int m, int ld, line *s, const double *A, const double *x)
{
    int j = 0;
    for (; j + 4 <= n; j += 4)
        gather(4, m, ld, s, A + j, x + j);
    for (; j < n; j++)
        gather(1, m, ld, s, A + j, x + j);
}

/* A block of L or U times part of y; the usual sizes are constants. */
PH_INLINE void gather_block(int m, int n, line *s, const double *A, const double *x)
{
    if (n == 3)
        gather(3, m, 3, s, A, x);
    else if (n == 5)
        gather(5, m, 5, s, A, x);
    else if (n == 6)
        gather(6, m, 6, s, A, x);
    else
        gather_any(n, m, n, s, A, x);
}

/* The two halves of (A5) at pivot k. */
PH_INLINE const ph_block_neighbour *forward_sized(int m, const ph_block_lu *b, const ph_pivot *k,
                                                  sources from, const ph_block_neighbour *e,
                                                  const double *rhs, double *y)
{
    line s[6];
    for (int i = 0; i < m; i++)
        s[i] = line_zero();
    for (const ph_block_neighbour *end = b->below + k->lower_end; e < end; e++)
        gather_block(m, e->size, s, from[1] + e->l, b->y + e->y);
    line_store(m, y, line_sub(m, line_load(m, rhs), line_sums(m, s)));
    return b->below + k->below_end;
}

static const ph_block_neighbour *forward_any(int m, const ph_block_lu *b, const ph_pivot *k, sources from,
                                             const ph_block_neighbour *e, const double *rhs, double *y)
{
    ph_block_copy(m, y, rhs);
    for (const ph_block_neighbour *end = b->below + k->lower_end; e < end; e++)
        ph_block_apply_sub(m, e->size, y, from[1] + e->l, b->y + e->y);
    return b->below + k->below_end;
}

PH_INLINE const ph_block_neighbour *back_sized(int m, const ph_block_lu *b, const ph_pivot *k, sources from,
                                               const ph_block_neighbour *a, double *y, double *x)
{
    const double *inverse = from[1] + k->inverse;
    double z[6];
    line s[6];
    for (int i = 0; i < m; i++)
        s[i] = line_zero();
    for (const ph_block_neighbour *start = b->above + k[-1].above_end; a > start;)
        a--, gather_block(m, a->size, s, find(from, a->u), b->y + a->y);
    line_store(m, z, line_sub(m, line_load(m, y), line_sums(m, s)));
    line t = line_scale(m, z[0], line_load(m, inverse));
    for (int i = 1; i < m; i++)
        t = line_add(m, t, line_scale(m, z[i], line_load(m, inverse + i * m)));
    line_store(m, y, t);
    line_store(m, x, t);
    return a;
}

static const ph_block_neighbour *back_any(int m, const ph_block_lu *b, const ph_pivot *k, sources from,
                                          const ph_block_neighbour *a, double *y, double *x)
{
    for (const ph_block_neighbour *start = b->above + k[-1].above_end; a > start;)
        a--, ph_block_apply_sub(m, a->size, y, find(from, a->u), b->y + a->y);
    ph_block_tapply(m, b->line, from[1] + k->inverse, y);
    ph_block_copy(m, y, b->line);
    ph_block_copy(m, x, y);
    return a;
}

/* (A5) where all pivots have 3 rows. */
PH_INLINE void solve_threes(int halves, const ph_block_lu *b, const double *rhs, double *x)
{
    sources from = {b->value, b->store, b->value};
    const ph_block_neighbour *e = b->below, *a = b->above + b->pivot[b->n - 1].above_end;
    double *const y0 = b->y, *y = y0;
    for (const ph_pivot *k = b->pivot, *last = k + b->n; k < last; y += 4, k++) {
        ph_row t = ph_row_load3(rhs + k->unknown);
        const ph_block_neighbour *end = b->below + k->lower_end;
        if (e < end) {
            ph_sums s = {0};
            do
                ph_sums_add(&s, from[1] + e->l, ph_row_load4(y0 + e->y));
            while (++e < end);
            t = ph_row_sub(t, ph_sums_total(&s));
        }
        e = b->below + k->below_end;
        ph_row_store4(y, t);
    }
    for (const ph_pivot *k = b->pivot + b->n; k-- > b->pivot;) {
        const ph_block_neighbour *start = b->above + k[-1].above_end;
        y -= 4;
        ph_row t = ph_row_load4(y);
        if (a > start) {
            ph_sums s = {0};
            do
                a--, ph_sums_add_apart(&s, find(from, a->u), apart(halves, a->u), ph_row_load4(y0 + a->y));
            while (a > start);
            t = ph_row_sub(t, ph_sums_total(&s));
        }
        t = ph_rows_tapply(ph_rows_load4(from[1] + k->inverse), t);
        ph_row_store4(y, t);
        ph_row_store3(x + k->unknown, t);
    }
}

/* (A5) */
PH_INLINE void solve_mixed(int halves, const ph_block_lu *b, const double *rhs, double *x)
{
    sources from = {b->value, b->store, b->value};
    const ph_block_neighbour *e = b->below, *a = b->above + b->pivot[b->n - 1].above_end;
    double *const y0 = b->y, *y = y0;
    for (const ph_pivot *k = b->pivot, *last = k + b->n; k < last; y += ph_place_size(k->size), k++) {
        const ph_block_neighbour *end = b->below + k->lower_end;
        if (k->all3) {
            ph_sums s = {0};
            for (; e < end; e++)
                ph_sums_add(&s, from[1] + e->l, ph_row_load4(y0 + e->y));
            e = b->below + k->below_end;
            ph_row_store4(y, ph_row_sub(ph_row_load3(rhs + k->unknown), ph_sums_total(&s)));
            continue;
        }
        e = PH_CONSTANT(k->size, forward_sized, forward_any, b, k, from, e, rhs + k->unknown, y);
    }
    for (const ph_pivot *k = b->pivot + b->n; k-- > b->pivot;) {
        const ph_block_neighbour *start = b->above + k[-1].above_end;
        y -= ph_place_size(k->size);
        if (k->all3) {
            ph_sums s = {0};
            while (a > start)
                a--, ph_sums_add_apart(&s, find(from, a->u), apart(halves, a->u), ph_row_load4(y0 + a->y));
            ph_row t = ph_row_sub(ph_row_load4(y), ph_sums_total(&s));
            t = ph_rows_tapply(ph_rows_load4(from[1] + k->inverse), t);
            ph_row_store4(y, t);
            ph_row_store3(x + k->unknown, t);
            continue;
        }
        a = PH_CONSTANT(k->size, back_sized, back_any, b, k, from, a, y, x + k->unknown);
    }
}

static void threes(const ph_block_lu *b, const double *rhs, double *x)
{
    solve_threes(0, b, rhs, x);
}

static void threes_of_halves(const ph_block_lu *b, const double *rhs, double *x)
{
    solve_threes(1, b, rhs, x);
}

static void mixed(const ph_block_lu *b, const double *rhs, double *x)
{
    solve_mixed(0, b, rhs, x);
}

static void mixed_of_halves(const ph_block_lu *b, const double *rhs, double *x)
{
    solve_mixed(1, b, rhs, x);
}

/* w_k = D_k^-T (b_k - sum_m U_mk^T w_m),   x_k = w_k - sum_i L_ik^T x_i */
static void solve_transposed(const ph_block_lu *b, const double *rhs, double *x)
{
    sources from = {b->value, b->store, b->value};
    const ph_block_neighbour *e = b->below, *a = b->above + b->pivot[b->n - 1].above_end;
    double *const y0 = b->y, *y = y0;
    for (const ph_pivot *k = b->pivot, *last = k + b->n; k < last; y += ph_place_size(k->size), k++) {
        const ph_block_neighbour *end = b->below + k->below_end;
        if (k->all3) {
            ph_sums s = {0};
            for (; e < end; e++)
                ph_sums_tadd_apart(&s, find(from, e->u), apart(1, e->u), y0 + e->y);
            ph_row t = ph_row_sub(ph_row_load3(rhs + k->unknown), ph_sums_ttotal(&s));
            ph_row_store4(y, ph_rows_apply(ph_rows_load4(from[1] + k->inverse), t));
            continue;
        }
        ph_block_copy(k->size, b->line, rhs + k->unknown);
        for (; e < end; e++)
            ph_block_tapply_sub(e->size, k->size, b->line, find(from, e->u), y0 + e->y);
        ph_block_apply(k->size, y, from[1] + k->inverse, b->line);
    }
    for (const ph_pivot *k = b->pivot + b->n; k-- > b->pivot;) {
        const ph_block_neighbour *start = b->above + k[-1].above_end;
        y -= ph_place_size(k->size);
        if (k->all3) {
            ph_sums s = {0};
            while (a > start)
                a--, ph_sums_tadd_apart(&s, from[1] + a->l, 3, y0 + a->y);
            ph_row t = ph_row_sub(ph_row_load4(y), ph_sums_ttotal(&s));
            ph_row_store4(y, t);
            ph_row_store3(x + k->unknown, t);
            continue;
        }
        while (a > start)
            a--, ph_block_tapply_sub(a->size, k->size, y, from[1] + a->l, y0 + a->y);
        ph_block_copy(k->size, x + k->unknown, y);
    }
}

static void plain(ph_solver *s, const double *rhs, double *x, int transposed)
{
    const ph_block_lu *b = (const ph_block_lu *)s;
    if (transposed)
        solve_transposed(b, rhs, x);
    else
        (b->threes ? b->halves ? threes_of_halves : threes : b->halves ? mixed_of_halves : mixed)(b, rhs, x);
}

static ph_status solve(ph_solver *s, const double *rhs, double *x, int transposed)
{
    ph_block_lu *b = (ph_block_lu *)s;
    if (!(s->info.growth <= b->trust)) {
        double error = ph_refine(&b->w, s, plain, &b->p, b->value, rhs, b->w.d, REFINE_STEPS, transposed);
        if (!(error <= REFINED))
            return ph_all_finite(rhs, b->p.total) ? PH_E_SINGULAR : PH_E_NAN;
        memcpy(x, b->w.d, (size_t)b->p.total * sizeof(double));
        return PH_OK;
    }
    plain(s, rhs, x, transposed);
    return ph_all_finite(x, b->p.total) ? PH_OK : PH_E_NAN;
}

/* What is not in the program: factors and scratch. */
static void lay(ph_block_lu *b, const ph_block_program *program, ph_arena *a)
{
    size_t total = (size_t)program->base.p.total, largest = (size_t)program->largest;
    b->store = ph_arena_take(a, program->store, sizeof(double));
    b->y = ph_arena_take(a, total + (size_t)program->n, sizeof(double));
    for (int i = 0; i < 3; i++)
        b->work[i] = ph_arena_take(a, largest * largest, sizeof(double));
    b->line = ph_arena_take(a, largest, sizeof(double));
    b->swap = ph_arena_take(a, largest, sizeof(int));
    ph_refinement_lay(&b->w, (int)total, a);
}

static ph_status create(ph_solver **out, const ph_graph *graph, ph_analysis *analysis, ph_analyses *known,
                        const ph_allocator *alloc)
{
    const ph_block_program *g = (ph_block_program *)analysis;
    ph_block_lu trial, *b;
    ph_arena a = {0};
    (void)known;
    ph_arena_take(&a, 1, sizeof *b);
    lay(&trial, g, &a);
    if (!ph_arena_open(&a, alloc))
        return PH_E_MEMORY;
    b = ph_arena_take(&a, 1, sizeof *b);
    lay(b, g, &a);
    ph_solver_begin(&b->base, &ph_block_ops, alloc, &a);
    b->base.info.fill = g->store;
    b->p = g->base.p, b->n = g->n, b->halves = g->halves, b->order = g->order, b->pivot = g->pivot;
    b->below = g->below, b->above = g->above, b->target = g->target, b->pair = g->pair;
    b->threes = 1;
    for (int k = 0; k < b->n; k++)
        b->threes &= b->pivot[k].all3;
    b->trust = graph->trust > 0 ? graph->trust : GROWTH_REFINE;
    *out = &b->base;
    return PH_OK;
}

const ph_solver_ops ph_block_ops = {
    "block", ph_block_plan, NULL, create, factor, solve, ph_solver_end, NULL,
};
