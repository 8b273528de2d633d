/* Where a mechanism can move although its joints say that it cannot.
 *
 * At a singular position more rows of B depend on others than elsewhere: B^T l = 0 for multipliers l that
 * are no combination elsewhere, and motions u with B u = 0 are possible that are not elsewhere. Those that
 * continue the motion v obey l^T (dB/dq v) u = 0, so the new one is, among all with B u = 0, in the metric
 * of M,
 *
 *     [ M  B^T ] [ u ]   [ d(B^T l)/dq v ]
 *     [ B  -E  ] [ m ] = [ 0             ]                                                               (R5)
 *
 * with E small against the diagonal of B M^-1 B^T. For l that is a combination everywhere the right-hand
 * side is in the range of B^T and adds nothing. l is found by inverse iteration with the same matrix. Where
 * the mechanism is at rest any motion is taken. */
#include "step/position.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "la/small.h"
#include "step/rank.h"
#include "step/step_limits.h"

typedef struct place {
    const ph_layout *lay;
    ph_eval *ev;
    int *size, *row, *col; /* graph of (R5): N + C; places */
    unsigned char *late, *dependent;
    double *value, *x, *l, *B; /* values; nv + nl; nl; links */
    ph_point near;
    ph_solver *solver;
} place;

static void take(place *k, ph_arena *a)
{
    const ph_layout *lay = k->lay;
    size_t n = (size_t)(lay->N + lay->C), places = (size_t)lay->n_pairs + 2 * (size_t)lay->n_links + n,
           squares = 0;
    for (int c = 0; c < lay->C; c++)
        squares += (size_t)lay->sys->constraints[c].rows * (size_t)lay->sys->constraints[c].rows;
    k->size = ph_arena_take(a, n, sizeof(int));
    k->row = ph_arena_take(a, places, sizeof(int));
    k->col = ph_arena_take(a, places, sizeof(int));
    k->late = ph_arena_take(a, n, 1);
    k->dependent = ph_arena_take(a, (size_t)lay->nl, 1);
    k->value =
        ph_arena_take(a, (size_t)lay->size_pairs + 2 * (size_t)lay->size_links + squares, sizeof(double));
    k->x = ph_arena_take(a, (size_t)(lay->nv + lay->nl), sizeof(double));
    k->l = ph_arena_take(a, (size_t)lay->nl, sizeof(double));
    k->B = ph_arena_take(a, (size_t)lay->size_links, sizeof(double));
    ph_point_take(&k->near, lay, a);
}

/* The matrix of (R5); the diagonal of E is added up in l. */
static void fill_values(place *k)
{
    const ph_layout *lay = k->lay;
    double *v = k->value;
    memcpy(v, k->ev->M, sizeof(double) * (size_t)lay->size_pairs);
    v += lay->size_pairs;
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++) {
        const ph_block *m = &lay->pair[lay->diag[b->col]];
        const double *B = k->ev->B + b->at;
        ph_small_transpose(b->m, b->n, B, v), v += b->m * b->n;
        memcpy(v, B, sizeof(double) * (size_t)(b->m * b->n)), v += b->m * b->n;
        for (int i = 0; i < b->m * b->n; i++)
            k->l[b->row_at + i / b->n] +=
                PH_POSITION_SMALL * B[i] * B[i] / k->ev->M[m->at + i % b->n * (m->n + 1)];
    }
    for (int c = 0; c < lay->C; v += lay->rows[c] * lay->rows[c], c++)
        for (int i = 0; i < lay->rows[c]; i++)
            v[i * (lay->rows[c] + 1)] = k->l[lay->l_at[c] + i] > 0 ? -k->l[lay->l_at[c] + i] : -1;
}

static ph_status factor(place *k, const ph_allocator *alloc)
{
    const ph_layout *lay = k->lay;
    int nnz = 0;
    for (int i = 0; i < lay->N; i++)
        k->size[i] = lay->slot[i].dim;
    for (int e = 0; e < lay->n_pairs; e++)
        k->row[nnz] = lay->pair[e].row, k->col[nnz++] = lay->pair[e].col;
    for (int e = 0; e < lay->n_links; e++) {
        k->row[nnz] = lay->link[e].col, k->col[nnz++] = lay->N + lay->link[e].row;
        k->row[nnz] = lay->N + lay->link[e].row, k->col[nnz++] = lay->link[e].col;
    }
    for (int c = 0; c < lay->C; c++) {
        k->size[lay->N + c] = lay->rows[c], k->late[lay->N + c] = 1;
        k->row[nnz] = k->col[nnz] = lay->N + c, nnz++;
    }
    ph_graph g = {
        .n = lay->N + lay->C, .size = k->size, .late = k->late, .nnz = nnz, .row = k->row, .col = k->col};
    ph_status s = ph_solver_analyse(&k->solver, PH_AUTO, &g, alloc);
    if (s != PH_OK)
        return s;
    fill_values(k);
    return ph_solver_factor(k->solver, k->value);
}

/* l of (R5) */
static ph_status find_multipliers(place *k)
{
    int nv = k->lay->nv, nl = k->lay->nl;
    ph_status s = PH_OK;
    for (int i = 0; i < nl; i++)
        k->l[i] = k->dependent[i] ? 1 + 0.1 * i / nl : 0;
    for (int n = 0; n < PH_POSITION_ITERATIONS && s == PH_OK; n++) {
        double most = ph_small_max(nl, k->l);
        for (int i = 0; i < nv + nl; i++)
            k->x[i] = i < nv ? 0 : k->l[i - nv] / most;
        s = ph_solver_solve(k->solver, k->x, k->x);
        memcpy(k->l, k->x + nv, sizeof(double) * (size_t)nl);
    }
    return s;
}

/* x += f B^T l at the point q o exp(e v) */
static ph_status add_reaction(place *k, const ph_point *p, const double *v, double e, double f)
{
    ph_point_shift(k->lay, p, e, v, &k->near);
    k->near.t = p->t;
    ph_state s = ph_point_view(&k->near, k->lay);
    ph_status status = ph_eval_links(k->ev, &s, k->B);
    for (const ph_block *b = k->lay->link, *end = b + k->lay->n_links; b < end && status == PH_OK; b++)
        for (int i = 0; i < b->m * b->n; i++)
            k->x[b->col_at + i % b->n] += f * k->B[b->at + i] * k->l[b->row_at + i / b->n];
    return status;
}

/* u of (R5) to x. e: a time, of one step */
static ph_status find_motion(place *k, const ph_point *p, const double *v, double e)
{
    int nv = k->lay->nv, nl = k->lay->nl, rest = !(ph_small_max(nv, v) > 0);
    memset(k->x, 0, sizeof(double) * (size_t)(nv + nl));
    for (int i = 0; i < nv && rest; i++)
        k->x[i] = 1 + 0.1 * i / nv;
    ph_status s = rest ? PH_OK : add_reaction(k, p, v, e, 1);
    if (s == PH_OK && !rest)
        s = add_reaction(k, p, v, -e, -1);
    return s == PH_OK ? ph_solver_solve(k->solver, k->x, k->x) : s;
}

/* The node that has most of the energy of u, and how it moves. */
static void put_words(const place *k, const ph_point *p, char *text, size_t size)
{
    const ph_layout *lay = k->lay;
    double most = -1, u[3];
    int node = 0;
    for (int i = 0; i < lay->N; i++) {
        const ph_slot *n = &lay->slot[i];
        const double *M = k->ev->M + lay->pair[lay->diag[i]].at, *x = k->x + n->v_at;
        double sum = 0;
        for (int a = 0; a < n->dim * n->dim; a++)
            sum += x[a / n->dim] * M[a] * x[a % n->dim];
        if (sum > most)
            most = sum, node = i;
    }
    const ph_slot *n = &lay->slot[node];
    int turns = n->dim == 3 && n->rot == 0;
    ph_vec3 d = n->dim == 3 ? ph_load3(k->x + n->v_at) : ph_v3(0, 0, 0);
    ph_store3(u, turns ? ph_mul(p->R[n->R_at], d) : d);
    double l = fabs(u[0]) > fabs(u[1]) ? u[0] : u[1];
    l = fabs(u[2]) > fabs(l) ? u[2] : l;
    char label[PH_NAME_MAX];
    const char *name = lay->sys->nodes[node].name;
    if (name && (n->dim == 3 || n->rot < n->dim)) /* no modes */
        snprintf(label, sizeof label, "body '%.64s'", name);
    else
        ph_node_label(lay, node, label);
    int at = snprintf(text, size, "singular position: %s can %s", label, turns ? "turn" : "move");
    for (int i = 0; i < 3; i++)
        u[i] = fabs(u[i]) > PH_POSITION_NONE * fabs(l) ? u[i] / l : 0;
    if (l != 0)
        at += snprintf(text + at, size - (size_t)at, " %s (%.3g, %.3g, %.3g)", turns ? "about" : "along",
                       u[0], u[1], u[2]);
    snprintf(text + at, size - (size_t)at, " without violating its joints");
}

const char *ph_position_words(ph_sim *sim, const ph_point *p, int usual, char *text, size_t size)
{
    place k = {.lay = &sim->lay, .ev = &sim->ev};
    ph_state at = ph_point_view(p, &sim->lay);
    ph_arena a = {0};
    int count = 0;
    text[0] = 0;
    if (!sim->lay.C || !isfinite(ph_small_max(sim->lay.nq, p->q)) || ph_eval_mass(k.ev, &at) != PH_OK ||
        ph_eval_links(k.ev, &at, k.ev->B) != PH_OK)
        return text;
    take(&k, &a);
    if (!ph_arena_open(&a, sim->matrix.alloc))
        return text;
    take(&k, &a);
    if (ph_rank_rows(k.lay, k.ev->B, k.ev->M, PH_POSITION_NEAR, sim->matrix.alloc, k.dependent) == PH_OK)
        for (int i = 0; i < sim->lay.nl; i++)
            count += k.dependent[i];
    if (count > usual && factor(&k, sim->matrix.alloc) == PH_OK && find_multipliers(&k) == PH_OK &&
        find_motion(&k, p, sim->now.v, sim->h) == PH_OK)
        put_words(&k, p, text, size);
    ph_solver_destroy(k.solver);
    ph_free(sim->matrix.alloc, a.block);
    return text;
}
