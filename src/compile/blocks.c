/* Tables of a large model: its elements by kind, and the matrix as 3x3 blocks with the order of their elimination.
 *
 * Nodes are eliminated before the constraints that they meet, and among those that may be, the one with the least fill. */
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"

#define LIST_START 256

typedef struct ints {
    int *a, n, room;
} ints;

/* Three rows of a constraint, or less; twice where it has eta. */
typedef struct group {
    int constraint, first, rows, eta; /* first: row of the constraint */
} group;

typedef struct blocks {
    ph_compiler *c;
    int unknowns, n_groups, n_blocks;
    group *group;
    int *group_of;    /* C x 2: the first group of lambda, of eta */
    int *id;          /* unknowns^2: block; -1: none */
    int *rows, *cols; /* blocks left in a row, in a column */
    int *waits;       /* of groups: nodes that come before */
    unsigned char *done;
    ints places;
    int failed;
} blocks;

static void push(blocks *b, int x)
{
    ints *l = &b->places;
    if (l->n == l->room) {
        int room = l->room ? 2 * l->room : LIST_START;
        int *more = realloc(l->a, sizeof(int) * (size_t)room);
        if (!more) {
            b->failed = 1;
            return;
        }
        l->a = more, l->room = room;
    }
    l->a[l->n++] = x;
}

static int *id(const blocks *b, int i, int j)
{
    return &b->id[(size_t)i * (size_t)b->unknowns + (size_t)j];
}

static int there(blocks *b, int i, int j)
{
    int *x = id(b, i, j);
    if (*x < 0) {
        *x = b->n_blocks++;
        b->rows[i]++, b->cols[j]++;
    }
    return *x;
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
    fprintf(b->c->out, "PH_TABLE ph_pair_entry ph_pair[%d] = {\n", lay->n_pairs);
    for (const ph_block *p = lay->pair, *end = p + lay->n_pairs; p < end; p++) {
        fprintf(b->c->out, "    {%d, %d, %d, ", there(b, p->row, p->col), p->at, b->c->turn[p->col]);
        print_M(b, p->at);
        fprintf(b->c->out, "},\n");
    }
    fprintf(b->c->out, "};\n#define PH_PAIRS %d\n\n", lay->n_pairs);
}

static void print_groups(blocks *b)
{
    fprintf(b->c->out, "PH_TABLE ph_group_entry ph_group[%d] = {\n", b->n_groups + 1);
    for (int k = 0; k < b->n_groups; k++) {
        const group *g = &b->group[k];
        int u = b->c->lay->N + k;
        fprintf(b->c->out, "    {%d, %d, %d, %d, %d, %d, %d},\n", u, there(b, u, u),
                b->c->lay->l_at[g->constraint] + g->first, (1 << g->rows) - 1, keep_of(b, g), by_rate(b, g),
                g->eta);
    }
    fprintf(b->c->out, "    {0}};\n#define PH_GROUPS %d\n\n", b->n_groups);
}

static void print_links(blocks *b)
{
    const ph_layout *lay = b->c->lay;
    int n = 0;
    for (int e = 0; e < lay->n_links; e++)
        n += groups_of(lay->link[e].m);
    fprintf(b->c->out, "PH_TABLE ph_link_entry ph_link[%d] = {\n", n + 1);
    for (const ph_block *l = lay->link, *end = l + lay->n_links; l < end; l++)
        for (int part = 0; part < groups_of(l->m); part++) {
            const group *g = &b->group[b->group_of[2 * l->row] + part];
            int u = unknown_of(b, l->row, 0, part), has_eta = b->c->sim->matrix.eta_at[l->row] >= 0;
            int eta = has_eta ? unknown_of(b, l->row, 1, part) : -1;
            fprintf(b->c->out, "    {%d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d},\n", l->at + 9 * part,
                    l->row_at + 3 * part, l->col_at, b->c->turn[l->col], (1 << g->rows) - 1, keep_of(b, g),
                    by_rate(b, g), l->holonomic, there(b, l->col, u), there(b, u, l->col),
                    has_eta ? there(b, eta, l->col) : -1, eta);
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

static void print_product(blocks *b, int row, int col, int pair, int at, int keep, int link)
{
    fprintf(b->c->out, "    {%d, %d, %d, %d, %d, ", there(b, row, col), pair, at, keep, link);
    print_M(b, pair < 0 ? -1 : at);
    fprintf(b->c->out, "},\n");
}

static int print_terms(blocks *b, const ph_term *t, int count, int pairs)
{
    const ph_layout *lay = b->c->lay;
    int n = 0;
    for (const ph_term *end = t + count; t < end; t++) {
        const ph_block *left = pairs ? &lay->pair[t->left] : &lay->link[t->left], *f = &lay->link[t->right];
        for (int j = 0; j < groups_of(f->m); j++)
            for (int i = 0; i < (pairs ? 1 : groups_of(left->m)); i++, n++) {
                int col = unknown_of(b, f->row, 1, j),
                    row = pairs ? left->row : unknown_of(b, left->row, 0, i);
                int keep = pairs ? 7 : keep_of(b, &b->group[b->group_of[2 * left->row] + i]);
                print_product(b, row, col, pairs ? 0 : -1, left->at + (pairs ? 0 : 9 * i), keep,
                              link_number(b, t->right, j));
            }
    }
    return n;
}

static void print_products(blocks *b)
{
    const ph_newton_matrix *nm = &b->c->sim->matrix;
    int n = 0;
    fprintf(b->c->out, "PH_TABLE ph_product_entry ph_product[] = {\n");
    if (nm->n_eta > 0)
        n = print_terms(b, b->c->X, b->c->n_X, 1) + print_terms(b, b->c->Y, b->c->n_Y, 0);
    fprintf(b->c->out, "    {0}};\n#define PH_PRODUCTS %d\n\n", n);
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

static void eliminate(blocks *b, int k, FILE *out)
{
    int at = b->places.n, rows = 0, cols = 0, U = b->unknowns;
    b->done[k] = 1;
    if (k < b->c->lay->N)
        wait_for(b, k, -1);
    for (int i = 0; i < U; i++)
        if (!b->done[i] && *id(b, i, k) >= 0)
            push(b, *id(b, i, k)), push(b, i), rows++, b->rows[i]--;
    for (int j = 0; j < U; j++)
        if (!b->done[j] && *id(b, k, j) >= 0)
            push(b, *id(b, k, j)), push(b, j), cols++, b->cols[j]--;
    for (int i = 0; i < rows && !b->failed; i++)
        for (int j = 0; j < cols; j++)
            push(b, there(b, b->places.a[at + 2 * i + 1], b->places.a[at + 2 * rows + 2 * j + 1]));
    fprintf(out, "    {%d, %d, %d, %d, %d},\n", k, *id(b, k, k), rows, cols, at);
}

static void print_pivots(blocks *b)
{
    FILE *out = b->c->out;
    for (int i = 0; i < b->c->lay->N; i++)
        wait_for(b, i, 1);
    fprintf(out, "PH_TABLE ph_pivot_entry ph_pivot[%d] = {\n", b->unknowns);
    for (int k = 0; k < b->unknowns && !b->failed; k++)
        eliminate(b, choose(b), out);
    fprintf(
        out,
        "};\n/* of each pivot: rows and columns as blocks and unknowns, then the blocks that are updated */\n"
        "PH_TABLE int ph_places[%d] = {",
        b->places.n + 1);
    for (int k = 0; k < b->places.n && !b->failed; k++)
        fprintf(out, "%s%d,", k % 20 ? " " : "\n    ", b->places.a[k]);
    fprintf(out, " 0};\n#define PH_UNKNOWNS %d\n#define PH_BLOCKS %d\n\n", b->unknowns, b->n_blocks);
}

ph_status ph_compile_blocks(ph_compiler *c)
{
    const ph_layout *lay = c->lay;
    blocks b = {.c = c};
    size_t groups = 0, N = (size_t)lay->N;
    for (int k = 0; k < lay->C; k++)
        groups += (size_t)groups_of(lay->rows[k]) * (c->sim->matrix.eta_at[k] >= 0 ? 2 : 1);
    size_t U = N + groups;
    b.unknowns = (int)U;
    b.group = calloc(groups + 1, sizeof *b.group), b.group_of = calloc(2 * (size_t)lay->C + 1, sizeof(int));
    b.id = malloc(sizeof(int) * (U * U + 1)), b.rows = calloc(U + 1, sizeof(int)),
    b.cols = calloc(U + 1, sizeof(int));
    b.done = calloc(U + 1, 1), b.waits = calloc(U + 1, sizeof(int));
    b.failed = !b.group || !b.group_of || !b.id || !b.rows || !b.cols || !b.done || !b.waits;
    if (!b.failed) {
        memset(b.id, 0xff, sizeof(int) * U * U);
        list_groups(&b);
        print_pairs(&b), print_groups(&b), print_links(&b), print_products(&b);
        print_pivots(&b);
    }
    free(b.group), free(b.group_of), free(b.id), free(b.rows), free(b.cols), free(b.done), free(b.waits),
        free(b.places.a);
    c->n = 3 * (int)U;
    return b.failed ? PH_E_MEMORY : PH_OK;
}
