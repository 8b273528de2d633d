/* LU of a block matrix by fronts, for meshes: columns with nearly the same structure are eliminated together, in a dense
 * matrix that holds all they are coupled with (multifrontal; Duff, Reid, ACM TOMS 9 (1983)).
 *
 *     F = [ F_pp F_pr ] = sum of blocks of A + sum of updates of the children
 *         [ F_rp F_rr ]
 *     P F_pp = L_pp U_pp,   U_pr = L_pp^-1 P F_pr,   L_rp = F_rp U_pp^-1               (A10)
 *     F_rr - L_rp U_pr  is the update, which goes to the parent
 *
 * Rows are exchanged within blocks, P: others may have other units. Sums have the same order whatever the width of vectors. The growth of a
 * pivot is (A7) for one number: the sizes of all that was added there over the pivot. Diagonal blocks know these sizes, since any of their
 * rows may become that of the pivot. */
#include "la/front.h"

#include <math.h>
#include <string.h>

#include "la/small.h"
#include "la/vectors.h"

#define GROWTH_SINGULAR 1e14
#define REFINED         1e-12
#define REFINE_STEPS    5

/* A row of the front at work, in its diagonal block: the block's first column, how many it has, sizes of what was added there. */
typedef struct line {
    int start, size;
    double *gross;
} line;

typedef struct fronts {
    ph_solver base;
    const ph_front_plan *plan;
    ph_refinement w;
    const double *value; /* as factored */
    double trust;        /* growth up to which solutions are not refined */
    double *store;       /* factors */
    double *stack;       /* updates that wait */
    double *sizes;       /* and of their diagonal blocks */
    double *F, *gross;   /* the front at work: widest x widest; widest x largest */
    line *line;          /* widest */
    double *y, *part;    /* unknowns in elimination order; widest */
    int *swap;           /* total: rows that were exchanged, in their front */
} fronts;

/* ---- a front ----------------------------------------------------------------------------------------- */

static void find_lines(const fronts *b, const ph_front *x, int n)
{
    const ph_front_plan *plan = b->plan;
    double *gross = b->gross;
    for (int i = 0; i < n; i++) {
        int k = i < x->p ? x->first + i : plan->row[x->rows + i - x->p],
            size = plan->base.p.size[plan->of[k]];
        b->line[i] = (line){i - plan->within[k], size, gross};
        gross += ph_front_room(size);
    }
    memset(b->gross, 0, (size_t)(gross - b->gross) * sizeof *gross);
}

static void assemble(const fronts *b, const ph_front *x, int n)
{
    const ph_front_plan *plan = b->plan;
    double *F = b->F;
    memset(F, 0, (size_t)n * (size_t)n * sizeof *F);
    find_lines(b, x, n);
    for (const ph_front_entry *e = plan->entry + x->entries, *end = plan->entry + x->end; e < end; e++) {
        const double *A = b->value + e->at;
        for (int i = 0; i < e->m; i++, A += e->n) {
            memcpy(F + (size_t)(e->row + i) * (size_t)n + e->col, A, (size_t)e->n * sizeof *F);
            for (int j = 0; j < e->n && e->row == e->col; j++)
                b->line[e->row + i].gross[j] = fabs(A[j]);
        }
    }
}

/* Add the update of a child. Its unknowns mostly stand side by side in the parent, too. */
static void extend_add(const fronts *b, const ph_front *c, int n)
{
    const int *map = b->plan->map + c->rows;
    const double *S = b->stack + c->update, *sizes = b->sizes + c->gross;
    for (int i = 0; i < c->r; i++, S += c->r) {
        double *to = b->F + (size_t)map[i] * (size_t)n;
        const line *here = &b->line[map[i]];
        ph_vector_add(here->size, 1, sizes, here->gross);
        sizes += ph_front_room(here->size);
        for (int j = 0; j < c->r;) {
            int run = 1;
            while (j + run < c->r && map[j + run] == map[j] + run)
                run++;
            ph_vector_add(run, 1, S + j, to + map[j]);
            j += run;
        }
    }
}

/* C -= L U for four rows of C and L, n apart; U has p rows, n apart. */
static void rest4(int p, int columns, int n, const double *L, const double *U, double *C)
{
    const double *l0 = L, *l1 = L + n, *l2 = l1 + n, *l3 = l2 + n;
    double *c0 = C, *c1 = C + n, *c2 = c1 + n, *c3 = c2 + n;
    int j = 0;
    for (; j + 8 <= columns; j += 8) {
        ph_four a0 = *(ph_four *)(c0 + j), a1 = *(ph_four *)(c1 + j), a2 = *(ph_four *)(c2 + j),
                a3 = *(ph_four *)(c3 + j), b0 = *(ph_four *)(c0 + j + 4), b1 = *(ph_four *)(c1 + j + 4),
                b2 = *(ph_four *)(c2 + j + 4), b3 = *(ph_four *)(c3 + j + 4);
        const double *u = U + j;
        for (int k = 0; k < p; k++, u += n) {
            ph_four s = *(const ph_four *)u, t = *(const ph_four *)(u + 4);
            a0 -= l0[k] * s, b0 -= l0[k] * t;
            a1 -= l1[k] * s, b1 -= l1[k] * t;
            a2 -= l2[k] * s, b2 -= l2[k] * t;
            a3 -= l3[k] * s, b3 -= l3[k] * t;
        }
        *(ph_four *)(c0 + j) = a0, *(ph_four *)(c1 + j) = a1, *(ph_four *)(c2 + j) = a2;
        *(ph_four *)(c3 + j) = a3, *(ph_four *)(c0 + j + 4) = b0, *(ph_four *)(c1 + j + 4) = b1;
        *(ph_four *)(c2 + j + 4) = b2, *(ph_four *)(c3 + j + 4) = b3;
    }
    for (; j + 4 <= columns; j += 4) {
        ph_four a0 = *(ph_four *)(c0 + j), a1 = *(ph_four *)(c1 + j), a2 = *(ph_four *)(c2 + j),
                a3 = *(ph_four *)(c3 + j);
        const double *u = U + j;
        for (int k = 0; k < p; k++, u += n) {
            ph_four s = *(const ph_four *)u;
            a0 -= l0[k] * s, a1 -= l1[k] * s, a2 -= l2[k] * s, a3 -= l3[k] * s;
        }
        *(ph_four *)(c0 + j) = a0, *(ph_four *)(c1 + j) = a1;
        *(ph_four *)(c2 + j) = a2, *(ph_four *)(c3 + j) = a3;
    }
    for (; j < columns; j++)
        for (int i = 0; i < 4; i++) {
            double sum = C[i * n + j];
            for (int k = 0; k < p; k++)
                sum -= L[i * n + k] * U[(size_t)k * (size_t)n + (size_t)j];
            C[i * n + j] = sum;
        }
}

static void rest1(int p, int columns, int n, const double *L, const double *U, double *C)
{
    for (int k = 0; k < p; k++)
        ph_vector_add(columns, -L[k], U + (size_t)k * (size_t)n, C);
}

static void exchange(int n, double *a, double *b)
{
    for (int i = 0; i < n; i++) {
        double x = a[i];
        a[i] = b[i], b[i] = x;
    }
}

/* Columns that are eliminated before their products are taken from what is beyond them: a panel. */
#define PANEL 24

/* Whole blocks from pivot j on. */
static int panel_end(const int *of, int p, int j)
{
    int end = j + PANEL < p ? j + PANEL : p;
    while (end < p && of[end] == of[end - 1])
        end++;
    return end;
}

/* Pivot j of a panel that ends at end: its row is exchanged with another of its block, then taken from the rows below, from all of them in the
 * panel and from the columns of the panel in the others. The inverse of the pivot takes its place. Returns its growth.
 * Sizes in columns of earlier pivots are not asked for any more. */
static double eliminate(const fronts *b, const ph_front *x, int n, int j, int end, int *swap)
{
    double *F = b->F, *row = F + (size_t)j * (size_t)n;
    const line *at = &b->line[j];
    const int *of = b->plan->of + x->first;
    int best = j;
    for (int i = j + 1; i < x->p && of[i] == of[j]; i++)
        if (fabs(F[(size_t)i * (size_t)n + (size_t)j]) > fabs(F[(size_t)best * (size_t)n + (size_t)j]))
            best = i;
    swap[j] = best;
    if (best != j) {
        exchange(n, row, F + (size_t)best * (size_t)n);
        exchange(at->size, at->gross, b->line[best].gross);
    }
    double size = fabs(row[j]), growth = at->gross[j - at->start] / size;
    if (!(size > 0 && isfinite(size)))
        return HUGE_VAL;
    row[j] = 1 / row[j];
    for (int i = j + 1; i < n; i++) {
        double *other = F + (size_t)i * (size_t)n, l = other[j] *= row[j];
        if (l == 0)
            continue;
        ph_vector_add_sizes(b->line[i].size, l, row + b->line[i].start, b->line[i].gross);
        ph_vector_add((i < end ? n : end) - j - 1, -l, row + j + 1, other + j + 1);
    }
    return growth;
}

/* What the rows of a panel, first .. end - 1, leave of the rows and columns beyond it. */
static void update_rest(const fronts *b, int n, int first, int end)
{
    double *F = b->F;
    const double *U = F + (size_t)first * (size_t)n + end;
    int i = end;
    for (; i + 4 <= n; i += 4) {
        double *row = F + (size_t)i * (size_t)n;
        rest4(end - first, n - end, n, row + first, U, row + end);
    }
    for (; i < n; i++) {
        double *row = F + (size_t)i * (size_t)n;
        rest1(end - first, n - end, n, row + first, U, row + end);
    }
}

/* (A10): all pivots of a front. Returns the one where growth is beyond limits, or p. */
static int factor_front(const fronts *b, const ph_front *x, int n, int *swap, double *growth)
{
    for (int first = 0, end; first < x->p; first = end) {
        end = panel_end(b->plan->of + x->first, x->p, first);
        for (int j = first; j < end; j++) {
            double g = eliminate(b, x, n, j, end, swap);
            if (!(g <= GROWTH_SINGULAR))
                return j;
            *growth = g > *growth ? g : *growth;
        }
        update_rest(b, n, first, end);
    }
    return x->p;
}

static void copy(int m, int n, const double *from, int apart, double *to)
{
    for (int i = 0; i < m; i++, from += apart, to += n)
        memcpy(to, from, (size_t)n * sizeof *to);
}

static ph_status factor(ph_solver *s, const double *value)
{
    fronts *b = (fronts *)s;
    const ph_front_plan *plan = b->plan;
    double growth = 1;
    b->value = value;
    s->info.where = -1;
    for (const ph_front *x = plan->front, *end = x + plan->n_fronts; x < end; x++) {
        int p = x->p, r = x->r, n = p + r;
        assemble(b, x, n);
        for (int c = x->child; c >= 0; c = plan->front[c].sibling)
            extend_add(b, &plan->front[c], n);
        int done = factor_front(b, x, n, b->swap + x->first, &growth);
        if (done < p) {
            s->info.where = plan->of[x->first + done];
            return PH_E_SINGULAR;
        }
        copy(p, p, b->F, n, b->store + x->lu);
        copy(p, r, b->F + p, n, b->store + x->u);
        copy(r, p, b->F + (size_t)p * (size_t)n, n, b->store + x->l);
        copy(r, r, b->F + (size_t)p * (size_t)n + p, n, b->stack + x->update);
        const line *beyond = b->line + p, *last = b->line + n - 1;
        if (r > 0)
            memcpy(b->sizes + x->gross, beyond->gross,
                   (size_t)(last->gross + ph_front_room(last->size) - beyond->gross) * sizeof(double));
    }
    s->info.growth = growth;
    return PH_OK;
}

/* ---- solutions ------------------------------------------------------------------------------------------ */

static void permute(int p, const int *swap, double *y)
{
    for (int j = 0; j < p; j++)
        if (swap[j] != j)
            exchange(1, y + j, y + swap[j]);
}

static void permute_back(int p, const int *swap, double *y)
{
    for (int j = p - 1; j >= 0; j--)
        if (swap[j] != j)
            exchange(1, y + j, y + swap[j]);
}

static void gather(const int *row, int r, const double *y, double *part)
{
    for (int i = 0; i < r; i++)
        part[i] = y[row[i]];
}

/* y = L^-1 P y of the pivots, taken off the rows beyond; then back from the last front. */
static void solve_plain(const fronts *b)
{
    const ph_front_plan *plan = b->plan;
    const ph_front *x = plan->front, *end = x + plan->n_fronts;
    for (; x < end; x++) {
        double *y = b->y + x->first;
        const double *lu = b->store + x->lu, *l = b->store + x->l;
        const int *row = plan->row + x->rows;
        permute(x->p, b->swap + x->first, y);
        for (int i = 1; i < x->p; i++)
            y[i] -= ph_vector_dot(i, lu + (size_t)i * (size_t)x->p, y);
        for (int i = 0; i < x->r; i++, l += x->p)
            b->y[row[i]] -= ph_vector_dot(x->p, l, y);
    }
    while (x-- > plan->front) {
        double *y = b->y + x->first;
        const double *lu = b->store + x->lu, *u = b->store + x->u;
        gather(plan->row + x->rows, x->r, b->y, b->part);
        for (int i = x->p - 1; i >= 0; i--) {
            const double *row = lu + (size_t)i * (size_t)x->p;
            double rest = y[i] - ph_vector_dot(x->r, u + (size_t)i * (size_t)x->r, b->part);
            y[i] = row[i] * (rest - ph_vector_dot(x->p - 1 - i, row + i + 1, y + i + 1));
        }
    }
}

/* The same with A^T = U^T L^T P. */
static void solve_transposed(const fronts *b)
{
    const ph_front_plan *plan = b->plan;
    const ph_front *x = plan->front, *end = x + plan->n_fronts;
    for (; x < end; x++) {
        double *y = b->y + x->first;
        const double *lu = b->store + x->lu, *u = b->store + x->u;
        const int *row = plan->row + x->rows;
        memset(b->part, 0, (size_t)x->r * sizeof(double));
        for (int i = 0; i < x->p; i++, lu += x->p, u += x->r) {
            y[i] *= lu[i];
            ph_vector_add(x->p - 1 - i, -y[i], lu + i + 1, y + i + 1);
            ph_vector_add(x->r, y[i], u, b->part);
        }
        for (int i = 0; i < x->r; i++)
            b->y[row[i]] -= b->part[i];
    }
    while (x-- > plan->front) {
        double *y = b->y + x->first;
        const double *lu = b->store + x->lu, *l = b->store + x->l;
        const int *row = plan->row + x->rows;
        for (int i = 0; i < x->r; i++, l += x->p)
            ph_vector_add(x->p, -b->y[row[i]], l, y);
        for (int i = x->p - 1; i > 0; i--)
            ph_vector_add(i, -y[i], lu + (size_t)i * (size_t)x->p, y);
        permute_back(x->p, b->swap + x->first, y);
    }
}

static void plain(ph_solver *s, const double *rhs, double *x, int transposed)
{
    const fronts *b = (fronts *)s;
    const int *from = b->plan->from;
    int total = b->plan->base.p.total;
    for (int i = 0; i < total; i++)
        b->y[i] = rhs[from[i]];
    (transposed ? solve_transposed : solve_plain)(b);
    for (int i = 0; i < total; i++)
        x[from[i]] = b->y[i];
}

static ph_status solve(ph_solver *s, const double *rhs, double *x, int transposed)
{
    fronts *b = (fronts *)s;
    const ph_pattern *p = &b->plan->base.p;
    if (!(s->info.growth <= b->trust)) {
        double error = ph_refine(&b->w, s, plain, p, b->value, rhs, b->w.d, REFINE_STEPS, transposed);
        if (!(error <= REFINED))
            return ph_all_finite(rhs, p->total) ? PH_E_SINGULAR : PH_E_NAN;
        memcpy(x, b->w.d, (size_t)p->total * sizeof(double));
        return PH_OK;
    }
    plain(s, rhs, x, transposed);
    return ph_all_finite(x, p->total) ? PH_OK : PH_E_NAN;
}

/* ---- set-up ------------------------------------------------------------------------------------------- */

static void lay(fronts *b, const ph_front_plan *plan, ph_arena *a)
{
    size_t total = (size_t)plan->base.p.total, widest = (size_t)plan->widest, d = sizeof(double);
    b->store = ph_arena_take(a, plan->store, d);
    b->stack = ph_arena_take(a, plan->stack, d);
    b->sizes = ph_arena_take(a, (size_t)plan->sizes, d);
    b->F = ph_arena_take(a, widest * widest + 3, d); /* sizes are found by fours */
    b->gross = ph_arena_take(a, widest * (size_t)ph_front_room(plan->largest), d);
    b->line = ph_arena_take(a, widest, sizeof *b->line);
    b->part = ph_arena_take(a, widest, d);
    b->y = ph_arena_take(a, total, d);
    b->swap = ph_arena_take(a, total, sizeof(int));
    ph_refinement_lay(&b->w, (int)total, a);
}

static ph_status create(ph_solver **out, const ph_graph *graph, ph_analysis *analysis, ph_analyses *known,
                        const ph_allocator *alloc)
{
    const ph_front_plan *plan = (ph_front_plan *)analysis;
    fronts trial, *b;
    ph_arena a = {0};
    (void)known;
    ph_arena_take(&a, 1, sizeof *b);
    lay(&trial, plan, &a);
    if (!ph_arena_open(&a, alloc))
        return PH_E_MEMORY;
    b = ph_arena_take(&a, 1, sizeof *b);
    lay(b, plan, &a);
    ph_solver_begin(&b->base, &ph_front_ops, alloc, &a);
    b->base.info.fill = plan->store;
    b->plan = plan;
    b->trust = graph->trust; /* 0: solutions are always refined */
    *out = &b->base;
    return PH_OK;
}

const ph_solver_ops ph_front_ops = {
    "front", ph_front_make_plan, NULL, create, factor, solve, ph_solver_end, NULL,
};
