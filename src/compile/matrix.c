/* The Newton matrix (N2) from the entries of M, C, K, B and Z: which cells it has, and the statements that fill them.
 *
 *   pairs         G L + s K,  G = M + C/eps          lambda rows   B, or B L + Z/gp
 *   lambda cols   B^T + g_lambda                     eta rows      B
 *   eta cols      G F B_n^T  and  B F B_n^T
 *
 * At initial values, for M and B alone, L = F = I and C, K and Z count as 0. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "compile/compile.h"

static const char *const member[9] = {"xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"};

/* What is done with each cell. */
typedef enum purpose { LIST, FILL, FILL_AT_START } purpose;

#define TERMS 96 /* of one cell: eta columns of a node with 10 constraints of 3 rows */

typedef struct line {
    double constant;
    int n;
    struct {
        double factor;
        char name[56];
    } term[TERMS];
} line;

static void add(line *l, double factor, const char *format, ...) PH_PRINTF(3, 4);

static void add(line *l, double factor, const char *format, ...)
{
    va_list ap;
    if (factor == 0 || l->n == TERMS)
        return;
    l->term[l->n].factor = factor;
    va_start(ap, format);
    vsnprintf(l->term[l->n++].name, sizeof l->term[0].name, format, ap);
    va_end(ap);
}

/* An entry times a factor. */
static void add_entry(line *l, double factor, const ph_entry *e, const char *name, int at)
{
    if (e->changes)
        add(l, factor, "%s[%d]", name, at);
    else
        l->constant += factor * e->value;
}

static ph_cell *cell(const ph_compiler *c, int row, int col)
{
    int i = c->unknown[row], j = c->unknown[col];
    return i < 0 || j < 0 ? NULL : &c->A[i * c->n + j];
}

/* A cell is constant where it is the same number in steps and at the start. */
static void list(ph_compiler *c, ph_cell *x, const line *step, const line *start)
{
    int changes = step->n > 0 || start->n > 0 || step->constant != start->constant;
    x->one = !changes && fabs(step->constant) == 1;
    changes |= c->in_tables && step->constant != 0;
    x->entry = (ph_entry){.changes = changes, .value = step->constant};
    if (changes && x->id < 0)
        x->id = c->n_ids++;
}

static void print(ph_compiler *c, const ph_cell *x, const line *l)
{
    ph_sum s;
    if (!x->entry.changes)
        return;
    fprintf(c->out, "    A[%d] = ", x->id);
    ph_sum_begin(&s, c->out);
    for (int k = 0; k < l->n; k++)
        ph_sum_term(&s, l->term[k].factor, "%s", l->term[k].name);
    if (l->n)
        ph_sum_constant(&s, l->constant);
    else {
        char text[40];
        fprintf(c->out, "ph_k(%s)", ph_c_number(l->constant, text));
        s.terms++;
    }
    ph_sum_end(&s);
    fprintf(c->out, ";\n");
}

typedef void (*line_fn)(const ph_compiler *c, int block, int i, int j, int start, line *l);

static void put(ph_compiler *c, purpose p, int row, int col, line_fn of, int block, int i, int j)
{
    line step = {0}, start = {0};
    ph_cell *x = cell(c, row, col);
    if (!x)
        return;
    if (p != FILL_AT_START)
        of(c, block, i, j, 0, &step);
    if (p != FILL)
        of(c, block, i, j, 1, &start);
    if (p == LIST)
        list(c, x, &step, &start);
    else
        print(c, x, p == FILL ? &step : &start);
}

/* ---- G ------------------------------------------------------------------------------------------ */

/* M + C/eps: the constant is that of M. */
static ph_entry G_of(const ph_compiler *c, int at)
{
    return (ph_entry){.changes = c->C[at].changes || c->C[at].value != 0 || c->M[at].changes,
                      .value = c->M[at].value};
}

/* G where it changes. */
static void print_G(ph_compiler *c)
{
    const ph_layout *lay = c->lay;
    char text[40];
    for (int k = 0; k < lay->size_pairs; k++) {
        if (!G_of(c, k).changes)
            continue;
        int C = c->C[k].changes || c->C[k].value != 0;
        fprintf(c->out, "    G[%d] = ", k);
        if (c->M[k].open)
            fprintf(c->out, "s->data[%d]%s", c->M[k].open - 1, C ? " + " : "");
        else if (c->M[k].value != 0)
            fprintf(c->out, "%s + ", ph_c_number(c->M[k].value, text));
        fprintf(c->out, C ? "PH_INV_EPS * C[%d];\n" : ";\n", k);
    }
}

/* M where it is open, at the start. */
static void print_M(ph_compiler *c)
{
    int any = 0;
    for (int k = 0; k < c->lay->size_pairs; k++)
        any |= c->M[k].open;
    if (any)
        fprintf(c->out, "    ph_real M[PH_NP];\n");
    for (int k = 0; k < c->lay->size_pairs; k++)
        if (c->M[k].open)
            fprintf(c->out, "    M[%d] = s->data[%d];\n", k, c->M[k].open - 1);
}

/* factor times (G or B)(i, k) times column j of L or F of node t, or of the identity. */
static void add_product(line *l, const ph_entry *e, const char *name, int at, int t, const char *operator,
                        int k, int j)
{
    if (t < 0) {
        if (k == j)
            add_entry(l, 1, e, name, at);
    } else if (e->changes) {
        add(l, 1, "%s[%d] * T%d.%s.%s", name, at, t, operator, member[3 * k + j]);
    } else {
        add(l, e->value, "T%d.%s.%s", t, operator, member[3 * k + j]);
    }
}

static void pair_line(const ph_compiler *c, int block, int i, int j, int start, line *l)
{
    const ph_block *b = &c->lay->pair[block];
    int at = b->at + i * b->n;
    if (start) {
        add_entry(l, 1, &c->M[at + j], "M", at + j);
        return;
    }
    for (int k = 0; k < b->n; k++) {
        ph_entry G = G_of(c, at + k);
        add_product(l, &G, "G", at + k, c->turn[b->col], "L", k, j);
    }
    if (c->K[at + j].changes || c->K[at + j].value != 0)
        add(l, 1, "PH_S * K[%d]", at + j);
}

/* ---- B ------------------------------------------------------------------------------------------ */

static void column_line(const ph_compiler *c, int block, int i, int j, int start, line *l)
{
    const ph_block *b = &c->lay->link[block];
    int at = b->at + i * b->n + j;
    (void)start;
    add_entry(l, 1, &c->B[at], "B", at);
}

/* B^T + g_lambda, the part of friction. */
static void lambda_line(const ph_compiler *c, int block, int i, int j, int start, line *l)
{
    const ph_block *b = &c->lay->link[block];
    int at = b->at + j * b->m + i;
    column_line(c, block, i, j, start, l);
    if (c->lay->friction)
        add_entry(l, 1, &c->Gl[at], "Gl", at);
}

static void rate_line(const ph_compiler *c, int block, int i, int j, int start, line *l)
{
    const ph_block *b = &c->lay->link[block];
    int at = b->at + i * b->n;
    if (start) {
        column_line(c, block, i, j, 1, l);
        return;
    }
    for (int k = 0; k < b->n; k++)
        add_product(l, &c->B[at + k], "B", at + k, c->turn[b->col], "L", k, j);
    if (c->Z[at + j].changes || c->Z[at + j].value != 0)
        add(l, 1, "PH_INV_GP * Z[%d]", at + j);
}

static int by_position(const ph_compiler *c, const ph_block *b)
{
    return c->sim->opt.formulation == PH_INDEX3 && b->holonomic;
}

static void each_link(ph_compiler *c, purpose p)
{
    const ph_layout *lay = c->lay;
    const ph_newton_matrix *nm = &c->sim->matrix;
    for (int e = 0; e < lay->n_links; e++) {
        const ph_block *b = &lay->link[e];
        int eta = nm->eta_at[b->row];
        for (int i = 0; i < b->m; i++)
            for (int j = 0; j < b->n; j++) {
                int row = lay->nv + b->row_at + i, col = b->col_at + j;
                put(c, p, col, row, lambda_line, e, i, j);
                put(c, p, row, col, by_position(c, b) ? column_line : rate_line, e, i, j);
                if (eta >= 0)
                    put(c, p, lay->nv + lay->nl + eta + i, col, column_line, e, i, j);
            }
    }
}

/* ---- columns of eta ------------------------------------------------------------------------------- */

/* The products of a row of terms that end in one cell: left blocks G or B, right blocks F B_n^T. */
typedef struct product {
    const ph_block *left;
    const ph_term *term; /* those that end where the first of them does */
    int count;
    const char *name;
} product;

/* B_n(i, k) of a link as in steps, a constant or a name; at the start that of B. */
static void add_times_Bn(const ph_compiler *c, const ph_entry *e, const char *name, int at, const ph_block *f,
                         int i, int k, int start, line *l)
{
    int n = f->at + i * f->n + k;
    const ph_entry *B = &c->B[n];
    int turns = c->turn[f->col] >= 0;
    double weight = turns && !start ? c->sim->matrix.turn : 1;
    char right[32];
    snprintf(right, sizeof right, start ? "B[%d]" : "W->Bn[%d]", n);
    if (e->changes && B->changes)
        add(l, 1, "%s[%d] * %s", name, at, right);
    else if (e->changes)
        add(l, weight * B->value, "%s[%d]", name, at);
    else if (B->changes)
        add(l, e->value, "%s", right);
    else
        l->constant += e->value * weight * B->value;
}

/* The identity stands for F where the node does not turn, too. */
static int has_F(const ph_compiler *c, int node)
{
    return c->turn[node] >= 0 && ph_compile_has_F(c);
}

static void print_FB(ph_compiler *c)
{
    const ph_layout *lay = c->lay;
    for (int e = 0; e < lay->n_links; e++) {
        const ph_block *b = &lay->link[e];
        if (c->sim->matrix.eta_at[b->row] < 0 || !has_F(c, b->col))
            continue;
        for (int k = 0; k < b->n; k++)
            for (int i = 0; i < b->m; i++) {
                ph_sum s;
                fprintf(c->out, "    FB[%d] = ", b->at + i * b->n + k);
                ph_sum_begin(&s, c->out);
                for (int l = 0; l < b->n; l++) {
                    int at = b->at + i * b->n + l;
                    if (c->B[at].changes)
                        ph_sum_term(&s, 1, "T%d.F.%s * W->Bn[%d]", c->turn[b->col], member[3 * k + l], at);
                    else
                        ph_sum_term(&s, c->sim->matrix.turn * c->B[at].value, "T%d.F.%s", c->turn[b->col],
                                    member[3 * k + l]);
                }
                ph_sum_end(&s);
                fprintf(c->out, ";\n");
            }
    }
}

static void product_line(const ph_compiler *c, const product *p, int i, int j, int start, line *l)
{
    const ph_layout *lay = c->lay;
    for (int t = 0; t < p->count; t++) {
        const ph_block *left = &p->left[p->term[t].left], *f = &lay->link[p->term[t].right];
        int is_pair = p->left == lay->pair;
        for (int k = 0; p->term[t].at == p->term->at && k < left->n; k++) {
            int at = left->at + i * left->n + k, n = f->at + j * f->n + k;
            ph_entry e = !is_pair ? c->B[at] : start ? c->M[at] : G_of(c, at);
            if (!has_F(c, f->col) || start)
                add_times_Bn(c, &e, p->name, at, f, j, k, start, l);
            else if (e.changes)
                add(l, 1, "%s[%d] * FB[%d]", p->name, at, n);
            else
                add(l, e.value, "FB[%d]", n);
        }
    }
}

/* 1: an earlier term ends in the same block. */
static int has_been(const ph_term *term, int t)
{
    int u = 0;
    while (term[u].at != term[t].at)
        u++;
    return u < t;
}

/* Terms that end in the same block are one product. */
static void each_product(ph_compiler *c, purpose p, const ph_block *left, const ph_term *term, int count,
                         const char *name)
{
    const ph_layout *lay = c->lay;
    const ph_newton_matrix *nm = &c->sim->matrix;
    for (int t = 0; t < count; t++) {
        product x = {left, term + t, count - t, name};
        if (has_been(term, t))
            continue;
        const ph_block *b = &left[term[t].left], *f = &lay->link[term[t].right];
        int first = (left == lay->pair ? 0 : lay->nv) + b->row_at;
        for (int i = 0; i < b->m; i++)
            for (int j = 0; j < f->m; j++) {
                line step = {0}, start = {0};
                ph_cell *y = cell(c, first + i, lay->nv + lay->nl + nm->eta_at[f->row] + j);
                if (!y)
                    continue;
                product_line(c, &x, i, j, 0, &step);
                product_line(c, &x, i, j, 1, &start);
                if (p == LIST)
                    list(c, y, &step, &start);
                else
                    print(c, y, p == FILL ? &step : &start);
            }
    }
}

/* ---- all of it ------------------------------------------------------------------------------------ */

static void each_cell(ph_compiler *c, purpose p)
{
    const ph_layout *lay = c->lay;
    const ph_newton_matrix *nm = &c->sim->matrix;
    for (int e = 0; e < lay->n_pairs; e++)
        for (int i = 0; i < lay->pair[e].m; i++)
            for (int j = 0; j < lay->pair[e].n; j++)
                put(c, p, lay->pair[e].row_at + i, lay->pair[e].col_at + j, pair_line, e, i, j);
    each_link(c, p);
    if (nm->n_eta > 0) {
        each_product(c, p, lay->pair, c->X, c->n_X, p == FILL_AT_START ? "M" : "G");
        each_product(c, p, lay->link, c->Y, c->n_Y, "B");
    }
}

ph_status ph_compile_cells(ph_compiler *c)
{
    size_t n = (size_t)c->n;
    c->A = ph_alloc(c->alloc, sizeof(ph_cell) * n * n);
    if (!c->A)
        return PH_E_MEMORY;
    for (size_t k = 0; k < n * n; k++)
        c->A[k] = (ph_cell){.id = -1};
    each_cell(c, LIST);
    return PH_OK;
}

/* b = -s r, -rate/gp, -Phi; at the start -r, and what the caller has put into rows. */
static void print_right_hand_side(ph_compiler *c)
{
    const ph_layout *lay = c->lay;
    const ph_newton_matrix *nm = &c->sim->matrix;
    for (int i = 0; i < lay->nv; i++)
        fprintf(c->out, "    b[%d] = -PH_S * r[%d];\n", c->unknown[i], i);
    for (int k = 0; k < lay->C; k++) {
        int position = c->sim->opt.formulation == PH_INDEX3 && !lay->sys->constraints[k].nonholonomic;
        for (int i = lay->l_at[k], row = 0; row < lay->rows[k]; i++, row++) {
            int eta = nm->eta_at[k] < 0 ? -1 : c->unknown[lay->nv + lay->nl + nm->eta_at[k] + row];
            if (c->unknown[lay->nv + i] < 0)
                continue;
            fprintf(c->out, position ? "    b[%d] = -Phi[%d];\n" : "    b[%d] = -PH_INV_GP * rate[%d];\n",
                    c->unknown[lay->nv + i], i);
            if (eta >= 0)
                fprintf(c->out, "    b[%d] = -Phi[%d];\n", eta, i);
        }
    }
}

void ph_compile_assembly(ph_compiler *c, ph_use use)
{
    if (use == PH_USE_MATRIX) {
        print_G(c);
        if (c->sim->matrix.n_eta > 0)
            print_FB(c);
    } else if (use == PH_USE_START) {
        print_M(c);
    }
    if (use != PH_USE_RESIDUAL)
        each_cell(c, use == PH_USE_START ? FILL_AT_START : FILL);
    if (use != PH_USE_START)
        print_right_hand_side(c);
}
