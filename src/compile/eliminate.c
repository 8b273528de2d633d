/* The elimination of the Newton matrix as straight-line code, entry by entry.
 *
 * Pivots are chosen here, once, by the least fill (Markowitz), among those that are safe at every state:
 *   - the diagonal of a node, where the matrix is near the mass matrix, definite;
 *   - a row of a constraint with a coordinate of a node where both of their entries are +-1, and then that coordinate
 *     with the multiplier: this puts the constraint into the equations of motion, which stay definite;
 *   - the diagonal of a multiplier, negative definite once the coordinates that its row has are eliminated.
 * So a chain is eliminated body by body from its end. Entries that are 0, 1 or constant cost nothing. */
#include <math.h>
#include <stdlib.h>

#include "compile/compile.h"

typedef struct pivot {
    int row, col;
} pivot;

typedef struct ph_pivot_places {
    int pivot, row, col, rows, cols, at;
} ph_pivot_places;

/* The factor of a row, a_ik / p: always the same number, or sign times a place of A. */
typedef struct multiplier {
    int changes, place;
    double value; /* where it does not change; else its sign */
} multiplier;

/* b_row -= l b_pivot */
typedef struct forward {
    int row, pivot;
    multiplier l;
} forward;

typedef struct elimination {
    ph_compiler *c;
    int n, nodes;             /* unknowns; those of nodes come first */
    int *of;                  /* n: the unknown of (N2) before those that are left out went */
    unsigned char *row, *col; /* n: eliminated */
    unsigned char *touches;   /* n x nodes: the row of a constraint had this coordinate at first */
    pivot *order;             /* n */
    ph_pivot_places *table;   /* n: of a loop over places */
    int pivots, places;
    forward *forward; /* room */
    int n_forward, room, failed;
    int statements;
} elimination;

static ph_cell *at(const elimination *e, int i, int j)
{
    return &e->c->A[i * e->n + j];
}

static int is_there(const ph_cell *x)
{
    return x->entry.changes || x->entry.value != 0;
}

static int is_one(const ph_cell *x)
{
    return x->one;
}

/* Entries left in a row and in a column. */
static int row_count(const elimination *e, int i)
{
    int n = 0;
    for (int j = 0; j < e->n; j++)
        n += !e->col[j] && is_there(at(e, i, j));
    return n;
}

static int col_count(const elimination *e, int j)
{
    int n = 0;
    for (int i = 0; i < e->n; i++)
        n += !e->row[i] && is_there(at(e, i, j));
    return n;
}

/* All coordinates that a row of a constraint had are eliminated. */
static int is_free(const elimination *e, int i)
{
    for (int j = 0; j < e->nodes; j++)
        if (e->touches[i * e->nodes + j] && !e->col[j])
            return 0;
    return 1;
}

typedef struct choice {
    pivot first, second; /* second.row -1: there is none */
    long cost;
} choice;

static void consider(choice *best, pivot first, pivot second, long cost)
{
    if (best->cost < 0 || cost < best->cost)
        *best = (choice){first, second, cost};
}

static choice choose(const elimination *e, const int *rows, const int *cols)
{
    choice best = {.cost = -1};
    pivot none = {-1, -1};
    for (int i = 0; i < e->n; i++) {
        if (e->row[i])
            continue;
        int diagonal = !e->col[i] && is_there(at(e, i, i));
        if (diagonal && (i < e->nodes || is_free(e, i)))
            consider(&best, (pivot){i, i}, none, 2L * (rows[i] - 1) * (cols[i] - 1) + 1);
        if (i < e->nodes || e->col[i] || is_there(at(e, i, i)))
            continue;
        for (int j = 0; j < e->nodes; j++)
            if (!e->col[j] && !e->row[j] && is_one(at(e, i, j)) && is_one(at(e, j, i)))
                consider(&best, (pivot){i, j}, (pivot){j, i},
                         (long)(rows[i] - 1) * (cols[j] - 1) + (long)(rows[j] - 1) * (cols[i] - 1));
    }
    return best;
}

/* a_ij -= l a_kj */
static void update(elimination *e, ph_cell *x, multiplier l, const ph_cell *u)
{
    FILE *out = e->c->out;
    if (!l.changes && !u->entry.changes && !x->entry.changes) {
        x->entry.value -= l.value * u->entry.value;
        x->one = fabs(x->entry.value) == 1;
        return;
    }
    x->one = 0;
    ph_sum s;
    int was = x->entry.changes;
    double value = x->entry.value;
    if (!was)
        x->id = x->id < 0 ? e->c->n_ids++ : x->id, x->entry.changes = 1;
    e->statements++;
    fprintf(out, "    A[%d] = ", x->id);
    ph_sum_begin(&s, out);
    if (was)
        ph_sum_term(&s, 1, "A[%d]", x->id);
    else
        ph_sum_constant(&s, value);
    if (l.changes && u->entry.changes)
        ph_sum_term(&s, -l.value, "A[%d] * A[%d]", l.place, u->id);
    else if (l.changes)
        ph_sum_term(&s, -l.value * u->entry.value, "A[%d]", l.place);
    else if (u->entry.changes)
        ph_sum_term(&s, -l.value, "A[%d]", u->id);
    else
        ph_sum_constant(&s, -l.value * u->entry.value);
    fprintf(out, ";\n");
}

/* The factor a_ik / p of a row takes the place of a_ik; p[k] of the file is 1/p where p changes. */
static multiplier print_factor(elimination *e, ph_cell *x, const ph_cell *p, int k)
{
    FILE *out = e->c->out;
    char text[40];
    if (!x->entry.changes && !p->entry.changes)
        return (multiplier){.value = x->entry.value / p->entry.value};
    if (!p->entry.changes && fabs(p->entry.value) == 1)
        return (multiplier){1, x->id, p->entry.value};
    if (x->id < 0)
        x->id = e->c->n_ids++;
    e->statements++;
    fprintf(out, "    A[%d] = ", x->id);
    if (!x->entry.changes)
        fprintf(out, "%s * p[%d];\n", ph_c_number(x->entry.value, text), k);
    else if (p->entry.changes)
        fprintf(out, "A[%d] * p[%d];\n", x->id, k);
    else
        fprintf(out, "%s * A[%d];\n", ph_c_number(1 / p->entry.value, text), x->id);
    return (multiplier){1, x->id, 1};
}

static void keep_forward(elimination *e, forward f)
{
    if (e->n_forward == e->room) {
        int room = e->room ? 2 * e->room : 256;
        forward *more = realloc(e->forward, sizeof *more * (size_t)room);
        e->failed |= !more;
        if (!more)
            return;
        e->forward = more, e->room = room;
    }
    e->forward[e->n_forward++] = f;
}

/* ---- tables ------------------------------------------------------------------------------------------- */

static void push(elimination *e, int x)
{
    fprintf(e->c->out, "%s%d,", e->places++ % 20 ? " " : "\n    ", x);
}

/* A pivot of the tables: its column, its row, and the entries that change. */
static void list_pivot(elimination *e, pivot v)
{
    ph_pivot_places *t = &e->table[e->pivots++];
    *t = (ph_pivot_places){.pivot = at(e, v.row, v.col)->id, .row = v.row, .col = v.col, .at = e->places};
    for (int i = 0; i < e->n; i++)
        if (!e->row[i] && is_there(at(e, i, v.col)))
            push(e, at(e, i, v.col)->id), push(e, i), t->rows++;
    for (int j = 0; j < e->n; j++)
        if (!e->col[j] && is_there(at(e, v.row, j)))
            push(e, at(e, v.row, j)->id), push(e, j), t->cols++;
    for (int i = 0; i < e->n; i++)
        for (int j = 0; j < e->n; j++) {
            ph_cell *x = at(e, i, j);
            if (e->row[i] || e->col[j] || !is_there(at(e, i, v.col)) || !is_there(at(e, v.row, j)))
                continue;
            if (x->id < 0)
                x->id = e->c->n_ids++, x->entry = (ph_entry){.changes = 1};
            x->one = 0;
            push(e, x->id);
        }
}

static void print_tables(elimination *e)
{
    FILE *out = e->c->out;
    fprintf(out, " 0};\n\ntypedef struct ph_pivot_entry {\n    int pivot, row, col, rows, cols, at;\n} "
                 "ph_pivot_entry;\n\n"
                 "PH_TABLE ph_pivot_entry ph_pivot[PH_N] = {\n");
    for (const ph_pivot_places *t = e->table, *end = t + e->n; t < end; t++)
        fprintf(out, "    {%d, %d, %d, %d, %d, %d},\n", t->pivot, t->row, t->col, t->rows, t->cols, t->at);
    fprintf(out, "};\n\n");
}

/* ---- statements --------------------------------------------------------------------------------------- */

static void eliminate(elimination *e, pivot v, int k)
{
    const ph_cell *p = at(e, v.row, v.col);
    e->order[k] = v;
    e->row[v.row] = e->col[v.col] = 1;
    if (e->c->in_tables) {
        list_pivot(e, v);
        return;
    }
    if (p->entry.changes)
        fprintf(e->c->out, "    p[%d] = 1 / A[%d];\n", k, p->id);
    for (int i = 0; i < e->n; i++) {
        ph_cell *x = at(e, i, v.col);
        if (e->row[i] || !is_there(x))
            continue;
        multiplier l = print_factor(e, x, p, k);
        for (int j = 0; j < e->n; j++)
            if (!e->col[j] && is_there(at(e, v.row, j)))
                update(e, at(e, i, j), l, at(e, v.row, j));
        keep_forward(e, (forward){i, v.row, l});
    }
}

static void print_forward(elimination *e)
{
    FILE *out = e->c->out;
    for (const forward *f = e->forward, *end = f + e->n_forward; f < end; f++) {
        ph_sum s = {.out = out, .terms = 1};
        fprintf(out, "    b[%d] = b[%d]", f->row, f->row);
        if (f->l.changes)
            ph_sum_term(&s, -f->l.value, "A[%d] * b[%d]", f->l.place, f->pivot);
        else
            ph_sum_term(&s, -f->l.value, "b[%d]", f->pivot);
        fprintf(out, ";\n");
        e->statements++;
    }
}

/* x_c = (b_r - sum of a_rj x_j)/p, from the last pivot to the first */
static void substitute(elimination *e)
{
    FILE *out = e->c->out;
    char text[40];
    for (int k = e->n - 1; k >= 0; k--) {
        pivot v = e->order[k];
        const ph_cell *p = at(e, v.row, v.col);
        double factor = p->entry.changes ? 1 : 1 / p->entry.value;
        ph_sum s;
        fprintf(out, "    x[%d] = ", v.col);
        if (p->entry.changes)
            fprintf(out, "p[%d] * (", k);
        else if (factor == -1)
            fprintf(out, "-(");
        else if (factor != 1)
            fprintf(out, "%s * (", ph_c_number(factor, text));
        ph_sum_begin(&s, out);
        ph_sum_term(&s, 1, "b[%d]", v.row);
        for (int m = k + 1; m < e->n; m++) {
            int j = e->order[m].col;
            const ph_cell *u = at(e, v.row, j);
            if (u->entry.changes)
                ph_sum_term(&s, -1, "A[%d] * x[%d]", u->id, j);
            else
                ph_sum_term(&s, -u->entry.value, "x[%d]", j);
        }
        fprintf(out, p->entry.changes || factor != 1 ? ");\n" : ";\n");
    }
}

static ph_status run(elimination *e, int *rows, int *cols)
{
    for (int i = e->nodes; i < e->n; i++)
        for (int j = 0; j < e->nodes; j++)
            e->touches[i * e->nodes + j] = (unsigned char)is_there(at(e, i, j));
    for (int k = 0; k < e->n;) {
        for (int i = 0; i < e->n; i++)
            rows[i] = e->row[i] ? 0 : row_count(e, i), cols[i] = e->col[i] ? 0 : col_count(e, i);
        choice best = choose(e, rows, cols);
        if (best.cost < 0)
            return PH_E_SINGULAR;
        eliminate(e, best.first, k++);
        if (best.second.row >= 0)
            eliminate(e, best.second, k++);
    }
    return e->failed ? PH_E_MEMORY : PH_OK;
}

static ph_status print_loop(elimination *e, int *rows, int *cols)
{
    fprintf(e->c->out,
            "#define PH_FILL %d /* numbers of the matrix before fill */\n\nPH_TABLE int ph_places[] = {",
            e->c->n_ids);
    ph_status s = run(e, rows, cols);
    print_tables(e);
    return s;
}

static ph_status print_statements(elimination *e, int *rows, int *cols)
{
    FILE *out = e->c->out;
    fprintf(out, "/* A becomes its factors, p the inverse pivots. */\n"
                 "PH_ELIMINATE_FN void ph_factor(ph_real *restrict A, ph_real *restrict p)\n{\n");
    ph_status s = run(e, rows, cols);
    fprintf(out, "    (void)A, (void)p;\n}\n\n/* A x = b, b is lost. */\n"
                 "PH_ELIMINATE_FN void ph_solve(const ph_real *restrict A, const ph_real *restrict p, "
                 "ph_real *restrict b, ph_real *restrict x)\n{\n");
    print_forward(e);
    if (s == PH_OK)
        substitute(e);
    e->c->statements = e->statements;
    fprintf(out, "    (void)A, (void)p;\n}\n\n");
    return s;
}

ph_status ph_compile_elimination(ph_compiler *c)
{
    size_t n = (size_t)c->n, nodes = (size_t)c->lay->nv;
    elimination e = {.c = c, .n = c->n, .nodes = c->lay->nv};
    e.row = calloc(n + 1, 1), e.col = calloc(n + 1, 1), e.touches = calloc(n * nodes + 1, 1);
    e.order = calloc(n + 1, sizeof *e.order), e.table = calloc(n + 1, sizeof *e.table);
    int *rows = calloc(n + 1, sizeof *rows), *cols = calloc(n + 1, sizeof *cols);
    ph_status s = PH_E_MEMORY;
    if (e.row && e.col && e.touches && e.order && e.table && rows && cols) {
        fprintf(c->out, "#define PH_N %d /* unknowns of a step */\n\n", c->n);
        s = c->in_tables ? print_loop(&e, rows, cols) : print_statements(&e, rows, cols);
    }
    free(e.row), free(e.col), free(e.touches), free(e.order), free(e.table), free(e.forward);
    free(rows), free(cols);
    return s;
}
