/* Which entries of M, C, K, B and Z never change: those that are the same number at many states without special values.
 * So the matrix of a step has the zeros, ones and constants of the model itself, whatever its elements. */
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "run/private.h"

#define STATES 6 /* an entry that changes and is the same at all of them would need as many coincidences */

typedef struct look {
    const ph_layout *lay;
    double *q, *v, *vdot, *lambda, *value;
    ph_mat3 *R;
    const double *near_q, *near_v; /* NULL: states are anywhere */
    uint64_t seed;
} look;

#define NEAR 1e-2 /* how far states are from the initial one where functions have no value anywhere */

/* In (-1, 1), without special values (splitmix64). */
static double any_number(look *l)
{
    uint64_t z = l->seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) / (double)(1ull << 52) - 1;
}

static void any_state(look *l)
{
    const ph_layout *lay = l->lay;
    for (int i = 0; i < lay->nv; i++) {
        l->v[i] = any_number(l), l->vdot[i] = any_number(l);
        if (l->near_v)
            l->v[i] = l->near_v[i] + NEAR * l->v[i];
    }
    for (int i = 0; i < lay->nl; i++)
        l->lambda[i] = any_number(l);
    for (int i = 0; i < lay->nq; i++)
        l->q[i] = l->near_q ? l->near_q[i] + NEAR * any_number(l) : any_number(l);
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++) {
        if (i->T_at < 0)
            continue;
        double *q = l->q + i->q_at, s = 1 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        for (int k = 0; k < 4; k++)
            q[k] *= s;
        l->R[i->R_at] = ph_qmat((ph_quat){q[0], q[1], q[2], q[3]});
    }
}

/* One matrix of a system at many states; first: nothing is known of its entries yet. */
static ph_status look_at(look *l, ph_callback f, void *ctx, int size, int first, ph_entry *entry)
{
    const ph_layout *lay = l->lay;
    if (!f)
        return PH_OK;
    memset(l->value, 0, sizeof(double) * (size_t)size);
    for (int k = 0; k < STATES; k++) {
        any_state(l);
        ph_state s = {.t = l->near_q ? NEAR * any_number(l) : any_number(l),
                      .q = l->q,
                      .v = l->v,
                      .vdot = l->vdot,
                      .lambda = l->lambda,
                      .R = l->R,
                      .q_at = lay->q_at,
                      .v_at = lay->v_at,
                      .l_at = lay->l_at,
                      .R_at = lay->R_at};
        ph_status status = f(&s, l->value, ctx);
        if (status != PH_OK)
            return status;
        for (int i = 0; i < size; i++) {
            entry[i].changes |= !(first && k == 0) && entry[i].value != l->value[i];
            entry[i].value = l->value[i];
        }
    }
    return PH_OK;
}

static ph_status look_at_system(ph_compiler *c, look *l, const ph_system *sys, int first)
{
    struct {
        ph_callback f;
        int size;
        ph_entry *entry;
    } all[] = {{sys->M, c->lay->size_pairs, c->M},
               {sys->C, c->lay->size_pairs, c->C},
               {sys->K, c->lay->size_pairs, c->K},
               {sys->B, c->lay->size_links, c->B},
               {sys->Z, c->lay->size_links, c->Z},
               {c->lay->friction ? sys->g_lambda : NULL, c->lay->size_links, c->Gl}};
    ph_status s = PH_OK;
    for (size_t k = 0; k < sizeof all / sizeof *all && s == PH_OK; k++) {
        if (first)
            memset(all[k].entry, 0, sizeof *all[k].entry * (size_t)all[k].size);
        s = look_at(l, all[k].f, sys->ctx, all[k].size, first, all[k].entry);
    }
    return s;
}

/* The model, and the same at other values of the parameters that are open. */
static ph_status look_at_all(ph_compiler *c, look *l)
{
    ph_status s = look_at_system(c, l, c->lay->sys, 1);
    for (int k = 0; k < PH_OPEN_SAMPLES && s == PH_OK && c->open->sample[k]; k++)
        s = look_at_system(c, l, c->open->sample[k]->sys, 0);
    return s;
}

/* Entries of M that are data: masses and moments of inertia. */
static void find_open_masses(ph_compiler *c)
{
    for (int k = 0; k < c->model->n_bodies; k++) {
        const ph_body *b = &c->mech->body[k];
        const int *datum = c->open->datum + ph_constants_at(&c->open->constants, PH_CONSTANT_BODY, k);
        for (int i = 0; i < 3; i++)
            c->M[b->M[0] + 4 * i].open = datum[0] + 1;
        for (int i = 0; !b->particle && i < 9; i++)
            c->M[b->M[3] + i].open = datum[4 + i] + 1;
    }
    for (int k = 0; k < c->lay->size_pairs; k++)
        c->M[k].changes = c->M[k].open > 0;
}

/* Rows that are left out have no unknown. */
static void number_unknowns(ph_compiler *c)
{
    const ph_layout *lay = c->lay;
    const ph_newton_matrix *nm = &c->sim->matrix;
    c->n = 0;
    for (int i = 0; i < lay->nv; i++)
        c->unknown[i] = c->n++;
    for (int i = 0; i < lay->nl; i++)
        c->unknown[lay->nv + i] = nm->redundant && nm->out[i] ? -1 : c->n++;
    for (int k = 0; k < lay->C; k++)
        for (int i = 0; i < lay->rows[k] && nm->eta_at[k] >= 0; i++)
            c->unknown[lay->nv + lay->nl + nm->eta_at[k] + i] =
                nm->redundant && nm->out[lay->l_at[k] + i] ? -1 : c->n++;
}

/* ---- products of the columns of eta --------------------------------------------------------------------------- */

int ph_compile_joints_at(const ph_layout *lay, int node)
{
    int n = 0;
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++)
        n += b->col == node;
    return n;
}

/* The terms of one list, where a hub has those of all its constraints. Terms that end in the same block have the same number at. out
 * NULL: they are counted. */
static int list_terms(const ph_compiler *c, const ph_block *left, const ph_term *term, int count,
                      ph_term *out)
{
    const ph_layout *lay = c->lay;
    int n = 0;
    for (const ph_term *t = term, *end = t + count; t < end; t++) {
        const ph_block *b = &left[t->left];
        int first = t->right < 0 ? 0 : t->right, last = t->right < 0 ? lay->n_links : t->right + 1;
        for (int f = first; f < last; f++) {
            const ph_block *l = &lay->link[f];
            if (t->right < 0 && (l->col != b->col || c->sim->matrix.eta_at[l->row] < 0))
                continue;
            if (out)
                out[n] = (ph_term){.left = t->left, .right = f, .at = b->row * lay->C + l->row};
            n++;
        }
    }
    return n;
}

static ph_status find_products(ph_compiler *c)
{
    const ph_newton_matrix *nm = &c->sim->matrix;
    if (nm->n_eta <= 0)
        return PH_OK;
    c->n_X = list_terms(c, c->lay->pair, nm->X_term, nm->n_X, NULL);
    c->n_Y = list_terms(c, c->lay->link, nm->Y_term, nm->n_Y, NULL);
    c->X = ph_alloc(c->alloc, sizeof *c->X * ((size_t)c->n_X + (size_t)c->n_Y + 1));
    if (!c->X)
        return PH_E_MEMORY;
    c->Y = c->X + c->n_X;
    list_terms(c, c->lay->pair, nm->X_term, nm->n_X, c->X);
    list_terms(c, c->lay->link, nm->Y_term, nm->n_Y, c->Y);
    return PH_OK;
}

ph_status ph_compile_structure(ph_compiler *c, ph_error *err)
{
    const ph_layout *lay = c->lay;
    size_t nq = (size_t)lay->nq, nv = (size_t)lay->nv, nl = (size_t)lay->nl;
    size_t most = (size_t)(lay->size_pairs > lay->size_links ? lay->size_pairs : lay->size_links);
    double *numbers = ph_alloc(c->alloc, sizeof(double) * (nq + 2 * nv + nl + most + 1));
    ph_mat3 *R = ph_alloc(c->alloc, sizeof(ph_mat3) * (size_t)(lay->nR + 1));
    ph_status s = PH_E_MEMORY;
    if (numbers && R) {
        look l = {lay,
                  numbers,
                  numbers + nq,
                  numbers + nq + nv,
                  numbers + nq + 2 * nv,
                  numbers + nq + 2 * nv + nl,
                  R,
                  NULL,
                  NULL,
                  2024};
        s = look_at_all(c, &l);
        l.near_q = c->sim->now.q, l.near_v = c->sim->now.v;
        if (s != PH_OK)
            s = look_at_all(c, &l);
        ph_compile_mark(c);
        find_open_masses(c);
    }
    ph_free(c->alloc, numbers);
    ph_free(c->alloc, R);
    number_unknowns(c);
    if (s == PH_OK && find_products(c) != PH_OK)
        return ph_fail(err, PH_E_MEMORY, "not enough memory to compile the model");
    return s == PH_OK ? s
                      : ph_fail(err, s,
                                "the elements of the model cannot be evaluated away from its initial values");
}
