/* Tables of a large model: its elements by kind, and the matrix as 3x3 blocks with the statements of their elimination.
 *
 * Nodes are eliminated before the constraints that they meet, and among those that may be, the one with the least fill. Blocks
 * that are always a multiple of the identity, as those of positions and point joints, are known here and cost nothing. */
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"

#define LIST_START 256

/* A block: always c times the identity, or at a place of A. */
typedef struct block {
    int changes, place;
    double c;
} block;

/* A statement of the factorisation, as a row of its table in the file. */
typedef struct statement {
    const char *op;
    int to, l, u;
    double c, d;
} statement;

/* A term of the solution: unknown to loses x times unknown from. */
typedef struct term {
    int to, from;
    block x;
} term;

/* Three rows of a constraint, or less; twice where it has eta. */
typedef struct group {
    int constraint, first, rows, eta; /* first: row of the constraint */
} group;

typedef struct blocks {
    ph_compiler *c;
    int unknowns, n_groups, n_blocks, n_places;
    group *group;
    int *group_of; /* C x 2: the first group of lambda, of eta */
    int *id;       /* unknowns^2: block; -1: none */
    block *block;  /* room_blocks */
    int room_blocks;
    int *rows, *cols; /* blocks left in a row, in a column */
    int *waits;       /* of groups: nodes that come before */
    unsigned char *done;
    statement *factor;
    term *below, *above; /* of the diagonal, in the order of pivots */
    int *order;          /* unknowns: pivots */
    int n_factor, room_factor, n_below, room_below, n_above, room_above;
    int failed;
} blocks;

/* Room for one more of a list. */
static int more(blocks *b, void *list, int n, int *room, size_t size)
{
    void **a = list;
    if (n < *room)
        return 1;
    int next = *room ? 2 * *room : LIST_START;
    void *x = realloc(*a, size * (size_t)next);
    if (!x) {
        b->failed = 1;
        return 0;
    }
    *a = x, *room = next;
    return 1;
}

static void say(blocks *b, statement x)
{
    if (more(b, &b->factor, b->n_factor, &b->room_factor, sizeof x))
        b->factor[b->n_factor++] = x;
}

static int *id(const blocks *b, int i, int j)
{
    return &b->id[(size_t)i * (size_t)b->unknowns + (size_t)j];
}

static block none; /* where there is no memory */

/* The block (i, j), zero where there was none. */
static block *there(blocks *b, int i, int j)
{
    int *x = id(b, i, j);
    if (*x < 0) {
        if (!more(b, &b->block, b->n_blocks, &b->room_blocks, sizeof *b->block))
            return &none;
        *x = b->n_blocks++;
        b->block[*x] = (block){.place = -1};
        b->rows[i]++, b->cols[j]++;
    }
    return &b->block[*x];
}

/* It changes: its place. */
static int place(blocks *b, block *x)
{
    x->changes = 1;
    if (x->place < 0)
        x->place = b->n_places++;
    return x->place;
}

/* ---- constants ------------------------------------------------------------------------------------- */

/* Entries that are always c times the identity. */
static int is_multiple(const ph_entry *e, double *c)
{
    int same = 1;
    for (int k = 0; k < 9; k++)
        same &= !e[k].changes && e[k].value == (k % 4 ? 0 : e[0].value);
    *c = e[0].value;
    return same;
}

static int is_zero(const ph_entry *e, int n)
{
    int zero = 1;
    for (int k = 0; k < n; k++)
        zero &= !e[k].changes && e[k].value == 0;
    return zero;
}

/* A pair that is always c times the identity, in steps and at the start. */
static int pair_is_constant(const blocks *b, const ph_block *p, double *c)
{
    const ph_compiler *k = b->c;
    return k->turn[p->col] < 0 && is_zero(k->C + p->at, 9) && is_zero(k->K + p->at, 9) &&
           is_multiple(k->M + p->at, c);
}

/* The same of three rows of B; rate: those of velocities too. */
static int link_is_constant(const blocks *b, const ph_block *l, int part, int keep, int rate, double *c)
{
    const ph_compiler *k = b->c;
    return keep == 7 && k->turn[l->col] < 0 && is_multiple(k->B + l->at + 9 * part, c) &&
           (!rate || is_zero(k->Z + l->at + 9 * part, 9));
}

/* ---- groups --------------------------------------------------------------------------------------- */

static int groups_of(int rows)
{
    return (rows + 2) / 3;
}

static void list_groups(blocks *b)
{
    const ph_layout *lay = b->c->lay;
    for (int eta = 0; eta < 2; eta++)
        for (int k = 0; k < lay->C; k++) {
            b->group_of[2 * k + eta] = b->n_groups;
            for (int i = 0; i < lay->rows[k] && (!eta || b->c->sim->matrix.eta_at[k] >= 0); i += 3)
                b->group[b->n_groups++] = (group){k, i, lay->rows[k] - i < 3 ? lay->rows[k] - i : 3, eta};
        }
}

static int keep_of(const blocks *b, const group *g)
{
    const ph_newton_matrix *nm = &b->c->sim->matrix;
    int keep = 0, l = b->c->lay->l_at[g->constraint] + g->first;
    for (int i = 0; i < g->rows; i++)
        keep |= (!nm->redundant || !nm->out[l + i]) << i;
    return keep;
}

static int by_rate(const blocks *b, const group *g)
{
    const ph_layout *lay = b->c->lay;
    return !g->eta &&
           !(b->c->sim->opt.formulation == PH_INDEX3 && !lay->sys->constraints[g->constraint].nonholonomic);
}

static int unknown_of(const blocks *b, int constraint, int eta, int part)
{
    return b->c->lay->N + b->group_of[2 * constraint + eta] + part;
}

/* ---- places ----------------------------------------------------------------------------------------- */

static void print_M(const blocks *b, int at)
{
    char text[40];
    fprintf(b->c->out, "{");
    for (int k = 0; k < 9; k++)
        fprintf(b->c->out, "%s%s", k ? ", " : "", at < 0 ? "0.0" : ph_c_number(b->c->M[at + k].value, text));
    fprintf(b->c->out, "}");
}

static void print_pairs(blocks *b)
{
    const ph_layout *lay = b->c->lay;
    int n = 0;
    fprintf(b->c->out, "PH_TABLE ph_pair_entry ph_pair[] = {\n");
    for (const ph_block *p = lay->pair, *end = p + lay->n_pairs; p < end; p++) {
        double c;
        if (pair_is_constant(b, p, &c)) {
            if (c != 0)
                there(b, p->row, p->col)->c = c;
            continue;
        }
        fprintf(b->c->out, "    {%d, %d, %d, %d, ", place(b, there(b, p->row, p->col)), p->at,
                b->c->turn[p->col], p->row == p->col);
        print_M(b, p->at);
        fprintf(b->c->out, "},\n");
        n++;
    }
    fprintf(b->c->out, "    {0}};\n#define PH_PAIRS %d\n\n", n);
}

static void print_groups(blocks *b)
{
    fprintf(b->c->out, "PH_TABLE ph_group_entry ph_group[%d] = {\n", b->n_groups + 1);
    for (int k = 0; k < b->n_groups; k++) {
        const group *g = &b->group[k];
        int u = b->c->lay->N + k;
        block *diagonal = there(b, u, u);
        fprintf(b->c->out, "    {%d, %d, %d, %d, %d, %d, %d},\n", u,
                keep_of(b, g) == 7 ? -1 : place(b, diagonal), b->c->lay->l_at[g->constraint] + g->first,
                (1 << g->rows) - 1, keep_of(b, g), by_rate(b, g), g->eta);
    }
    fprintf(b->c->out, "    {0}};\n#define PH_GROUPS %d\n\n", b->n_groups);
}

/* A block of a link: its place, -1 where it is always c times the identity; 0 times it is no block at all. */
static int link_block(blocks *b, int row, int col, int constant, double c)
{
    if (!constant)
        return place(b, there(b, row, col));
    if (c != 0)
        there(b, row, col)->c = c;
    return -1;
}

static void print_links(blocks *b)
{
    const ph_layout *lay = b->c->lay;
    char text[40];
    int n = 0;
    for (int e = 0; e < lay->n_links; e++)
        n += groups_of(lay->link[e].m);
    fprintf(b->c->out, "PH_TABLE ph_link_entry ph_link[%d] = {\n", n + 1);
    for (const ph_block *l = lay->link, *end = l + lay->n_links; l < end; l++)
        for (int part = 0; part < groups_of(l->m); part++) {
            const group *g = &b->group[b->group_of[2 * l->row] + part];
            int u = unknown_of(b, l->row, 0, part), has_eta = b->c->sim->matrix.eta_at[l->row] >= 0;
            int eta = has_eta ? unknown_of(b, l->row, 1, part) : -1, keep = keep_of(b, g);
            double c = 0;
            int constant = link_is_constant(b, l, part, keep, 0, &c);
            int row_constant = link_is_constant(b, l, part, keep, by_rate(b, g), &c);
            int column_at = link_block(b, l->col, u, constant, c),
                row_at = link_block(b, u, l->col, row_constant, c);
            int eta_at = has_eta ? link_block(b, eta, l->col, constant, c) : -1;
            fprintf(b->c->out, "    {%d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %s},\n",
                    l->at + 9 * part, l->row_at + 3 * part, l->col_at, b->c->turn[l->col], (1 << g->rows) - 1,
                    keep, by_rate(b, g), l->holonomic, column_at, row_at, eta_at, eta, u, constant,
                    ph_c_number(c, text));
        }
    fprintf(b->c->out, "    {0}};\n#define PH_LINKS %d\n\n", n);
}

/* The number of a link in the table, by its place among blocks. */
static int link_number(const blocks *b, int link, int part)
{
    int n = part;
    for (int e = 0; e < link; e++)
        n += groups_of(b->c->lay->link[e].m);
    return n;
}

/* One product (G or B) F B_n^T of the columns of eta: its block, and what it is where it never changes. */
typedef struct product {
    int row, col, pair, at, keep, link;
    double c;
    int constant;
} product;

static product product_of(const blocks *b, const ph_term *t, int pairs, int i, int j)
{
    const ph_layout *lay = b->c->lay;
    const ph_block *left = pairs ? &lay->pair[t->left] : &lay->link[t->left], *f = &lay->link[t->right];
    const group *of = &b->group[b->group_of[2 * f->row] + j],
                *rows = pairs ? NULL : &b->group[b->group_of[2 * left->row] + i];
    product p = {.row = pairs ? left->row : unknown_of(b, left->row, 0, i),
                 .col = unknown_of(b, f->row, 1, j),
                 .pair = pairs ? 0 : -1,
                 .at = left->at + (pairs ? 0 : 9 * i),
                 .keep = pairs ? 7 : keep_of(b, rows),
                 .link = link_number(b, t->right, j)};
    double x = 0, y = 0;
    p.constant = link_is_constant(b, f, j, keep_of(b, of), 0, &y) &&
                 (pairs ? pair_is_constant(b, left, &x) : link_is_constant(b, left, i, p.keep, 0, &x));
    p.c = x * y;
    return p;
}

/* All products: those that never change are added to their blocks, or, where to is given, the others printed. */
static int each_product(blocks *b, const ph_term *t, int count, int pairs, FILE *to)
{
    const ph_layout *lay = b->c->lay;
    int n = 0;
    for (const ph_term *end = t + count; t < end; t++)
        for (int j = 0; j < groups_of(lay->link[t->right].m); j++)
            for (int i = 0; i < (pairs ? 1 : groups_of(lay->link[t->left].m)); i++) {
                product p = product_of(b, t, pairs, i, j);
                block *x = there(b, p.row, p.col);
                if (p.constant) {
                    x->c += to ? 0 : p.c;
                    continue;
                }
                if (!to)
                    continue;
                char text[40];
                int first = !x->changes;
                fprintf(to, "    {%d, %d, %d, %d, %d, %d, %s, ", place(b, x), p.pair, p.at, p.keep, p.link,
                        first, ph_c_number(x->c, text));
                print_M(b, p.pair < 0 ? -1 : p.at);
                fprintf(to, "},\n");
                n++;
            }
    return n;
}

static void print_products(blocks *b)
{
    const ph_newton_matrix *nm = &b->c->sim->matrix;
    FILE *out = b->c->out;
    int n = 0;
    fprintf(out, "PH_TABLE ph_product_entry ph_product[] = {\n");
    for (int pass = 0; pass < 2 && nm->n_eta > 0; pass++)
        n = each_product(b, b->c->X, b->c->n_X, 1, pass ? out : NULL) +
            each_product(b, b->c->Y, b->c->n_Y, 0, pass ? out : NULL);
    fprintf(out, "    {0}};\n#define PH_PRODUCTS %d\n\n", n);
}

/* ---- elimination ------------------------------------------------------------------------------------- */

static int choose(const blocks *b)
{
    long best = -1;
    int at = -1;
    for (int u = 0; u < b->unknowns; u++) {
        long cost = (long)b->rows[u] * b->cols[u];
        if (b->done[u] || b->waits[u] || (best >= 0 && cost >= best))
            continue;
        best = cost, at = u;
    }
    return at;
}

/* Groups wait for the nodes that they meet: one less, or more. */
static void wait_for(blocks *b, int node, int by)
{
    const ph_layout *lay = b->c->lay;
    for (const ph_block *l = lay->link, *end = l + lay->n_links; l < end; l++)
        for (int eta = 0; eta < 2 && l->col == node; eta++)
            for (int part = 0; part < groups_of(l->m) && (!eta || b->c->sim->matrix.eta_at[l->row] >= 0);
                 part++)
                b->waits[unknown_of(b, l->row, eta, part)] += by;
}

/* x -= l u, where l and u are constants or places. */
static void update(blocks *b, block *x, const block *l, const block *u)
{
    const block *moves = l->changes ? l : u;
    double c = (l->changes ? 1 : l->c) * (u->changes ? 1 : u->c);
    int was = x->changes;
    if (c == 0)
        return;
    if (!l->changes && !u->changes) {
        if (was)
            say(b, (statement){"SUB_CONSTANT", x->place, 0, 0, c, 0});
        else
            x->c -= c;
        return;
    }
    int to = place(b, x);
    if (l->changes && u->changes)
        say(b, (statement){was ? "SUB_PRODUCT" : "SET_PRODUCT", to, l->place, u->place, 0, x->c});
    else
        say(b, (statement){was ? "SUB_SCALED" : "SET_SCALED", to, moves->place, 0, c, x->c});
}

/* l = x D takes the place of x; D is the inverse of the pivot. */
static block factor_of(blocks *b, block *x, const block *D)
{
    if (!x->changes && !D->changes)
        return (block){.place = -1, .c = x->c * D->c};
    int was = x->changes, from = was ? x->place : D->place, to = place(b, x);
    if (was && D->changes)
        say(b, (statement){"PRODUCT", to, to, D->place, 0, 0});
    else
        say(b, (statement){"SCALE", to, from, 0, was ? D->c : x->c, 0});
    return *x;
}

static void eliminate(blocks *b, int k)
{
    int U = b->unknowns;
    block D = b->block[*id(b, k, k)];
    b->done[k] = 1;
    if (k < b->c->lay->N)
        wait_for(b, k, -1);
    if (D.changes)
        say(b, (statement){"INVERT", D.place, 0, 0, 0, 0});
    else
        D.c = 1 / D.c;
    for (int j = 0; j < U; j++)
        if (!b->done[j] && *id(b, k, j) >= 0) {
            b->cols[j]--;
            if (more(b, &b->above, b->n_above, &b->room_above, sizeof *b->above))
                b->above[b->n_above++] = (term){k, j, b->block[*id(b, k, j)]};
        }
    for (int i = 0; i < U && !b->failed; i++) {
        if (b->done[i] || *id(b, i, k) < 0)
            continue;
        block l = factor_of(b, &b->block[*id(b, i, k)], &D);
        b->rows[i]--;
        for (int j = 0; j < U && !b->failed; j++)
            if (!b->done[j] && *id(b, k, j) >= 0) {
                block u = b->block[*id(b, k, j)];
                update(b, there(b, i, j), &l, &u);
            }
        if (more(b, &b->below, b->n_below, &b->room_below, sizeof *b->below))
            b->below[b->n_below++] = (term){i, k, l};
    }
    b->block[*id(b, k, k)] = D;
}

/* ---- tables of the elimination ----------------------------------------------------------------------- */

static void print_factor(const blocks *b)
{
    FILE *out = b->c->out;
    char text[2][40];
    fprintf(out, "PH_TABLE ph_op_entry ph_op[] = {\n");
    for (const statement *x = b->factor, *end = x + b->n_factor; x < end; x++)
        fprintf(out, "    {PH_OP_%s, %d, %d, %d, %s, %s},\n", x->op, x->to, x->l, x->u,
                ph_c_number(x->c, text[0]), ph_c_number(x->d, text[1]));
    fprintf(out, "    {0}};\n#define PH_OPS %d\n\n", b->n_factor);
}

/* The terms of one unknown among some; how many there are. */
static int print_terms(int unknown, const term *t, int n, FILE *to)
{
    char text[40];
    int count = 0;
    for (const term *end = t + n; t < end; t++)
        if (t->to == unknown && (t->x.changes || t->x.c != 0)) {
            fprintf(to, "    {%d, %d, %s},\n", t->from, t->x.changes ? t->x.place : -1,
                    ph_c_number(t->x.changes ? 0 : t->x.c, text));
            count++;
        }
    return count;
}

/* Rows forwards, in the order of pivots, then backwards, which also divide by their pivots. Their terms go to a file of their own. */
static void print_rows(const blocks *b, FILE *terms)
{
    FILE *out = b->c->out;
    char text[40];
    int first = 0, rows = 0;
    fprintf(out, "PH_TABLE ph_row_entry ph_row[] = {\n");
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < b->unknowns; k++) {
            int u = b->order[pass ? b->unknowns - 1 - k : k];
            const block *D = &b->block[*id(b, u, u)];
            int n = print_terms(u, pass ? b->above : b->below, pass ? b->n_above : b->n_below, terms);
            if (n || pass) {
                fprintf(out, "    {%d, %d, %d, %d, %s},\n", u, first, n, pass && D->changes ? D->place : -1,
                        ph_c_number(pass && !D->changes ? D->c : 1, text));
                rows++;
            }
            first += n;
        }
    fprintf(out, "    {0}};\n#define PH_ROWS %d\n\n", rows);
}

static void print_pivots(blocks *b)
{
    FILE *terms = tmpfile();
    int ch;
    b->failed |= !terms;
    for (int i = 0; i < b->c->lay->N; i++)
        wait_for(b, i, 1);
    for (int k = 0; k < b->unknowns && !b->failed; k++)
        eliminate(b, b->order[k] = choose(b));
    if (!b->failed) {
        print_factor(b);
        print_rows(b, terms);
        fprintf(b->c->out, "PH_TABLE ph_term_entry ph_row_term[] = {\n");
        rewind(terms);
        while ((ch = fgetc(terms)) != EOF)
            fputc(ch, b->c->out);
        fprintf(b->c->out, "    {0}};\n\n");
    }
    if (terms)
        fclose(terms);
}

static void take(blocks *b, size_t groups, ph_arena *a)
{
    size_t C = (size_t)b->c->lay->C, U = (size_t)b->unknowns;
    b->group = ph_arena_take(a, groups, sizeof *b->group);
    b->group_of = ph_arena_take(a, 2 * C, sizeof(int));
    b->id = ph_arena_take(a, U * U, sizeof(int));
    b->rows = ph_arena_take(a, U, sizeof(int)), b->cols = ph_arena_take(a, U, sizeof(int));
    b->waits = ph_arena_take(a, U, sizeof(int)), b->order = ph_arena_take(a, U, sizeof(int));
    b->done = ph_arena_take(a, U, 1);
}

ph_status ph_compile_blocks(ph_compiler *c)
{
    const ph_layout *lay = c->lay;
    blocks b = {.c = c};
    ph_arena own = {0};
    size_t groups = 0;
    for (int k = 0; k < lay->C; k++)
        groups += (size_t)groups_of(lay->rows[k]) * (c->sim->matrix.eta_at[k] >= 0 ? 2 : 1);
    b.unknowns = lay->N + (int)groups;
    take(&b, groups, &own);
    if (!ph_arena_open(&own, c->alloc))
        return PH_E_MEMORY;
    take(&b, groups, &own);
    memset(b.id, 0xff, sizeof(int) * (size_t)b.unknowns * (size_t)b.unknowns);
    list_groups(&b);
    print_pairs(&b), print_groups(&b), print_links(&b), print_products(&b);
    print_pivots(&b);
    free(b.block), free(b.factor), free(b.below), free(b.above), ph_free(c->alloc, own.block);
    c->n = 3 * b.unknowns, c->n_ids = b.n_places;
    return b.failed ? PH_E_MEMORY : PH_OK;
}
