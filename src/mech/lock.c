/* The system of a mechanism with held joints: lock.h. */
#include "mech/lock.h"

#include <string.h>

#include "mech/friction.h"

struct ph_lock {
    const ph_mechanism *m;
    ph_system sys;
    int size; /* doubles of B of the mechanism: rows of held frictions follow */
    unsigned char *held;
    int *row; /* offset of the multipliers of each friction; -1: it is not held */
    ph_constraint *constraints;
    ph_place *links;
    double *v;   /* nv: a velocity of 1 in one coordinate */
    void *block; /* the memory of all this */
    const ph_allocator *alloc;
};

static int dim_of(const ph_mechanism *m, int node)
{
    return ph_group_dim(m->sys.nodes[node].group, m->sys.nodes[node].n);
}

/* The columns of A for one node, as the block out. */
static void put_block(const ph_lock *h, const ph_state *s, const ph_force *f, int node, double *out)
{
    int dim = dim_of(h->m, node);
    ph_state unit = *s;
    unit.v = h->v;
    for (int j = 0; j < dim; j++) {
        ph_force_site site;
        double w[3];
        h->v[s->v_at[node] + j] = 1;
        ph_force_at(h->m, &unit, f, &site);
        ph_store3(w, ph_scale(f->speed, f->op->slip(&site)));
        h->v[s->v_at[node] + j] = 0;
        for (int i = 0; i < f->op->slips; i++)
            out[i * dim + j] = w[i];
    }
}

/* ---- callbacks ---------------------------------------------------------------------------------------- */

static ph_status B(const ph_state *s, double *out, void *ctx)
{
    const ph_lock *h = ctx;
    const ph_system *own = &h->m->sys;
    ph_status status = own->B(s, out, own->ctx);
    int at = h->size;
    for (int k = 0; k < h->m->n_friction; k++) {
        const ph_force *f = h->m->friction[k];
        for (int e = 0; e < own->n_links && h->held[k]; e++)
            if (own->links[e].row == f->joint->constraint) {
                put_block(h, s, f, own->links[e].col, out + at);
                at += f->op->slips * dim_of(h->m, own->links[e].col);
            }
    }
    return status;
}

#define FORWARD(name)                                                                                        \
    static ph_status name(const ph_state *s, double *out, void *ctx)                                         \
    {                                                                                                        \
        const ph_system *own = &((const ph_lock *)ctx)->m->sys;                                              \
        return own->name(s, out, own->ctx);                                                                  \
    }

FORWARD(M)
FORWARD(g)
FORWARD(C)
FORWARD(Phi)
FORWARD(Phi_t)

/* ---- building ----------------------------------------------------------------------------------------- */

static void take(ph_lock *h, ph_arena *a)
{
    const ph_system *own = &h->m->sys;
    size_t n = (size_t)h->m->n_friction;
    h->held = ph_arena_take(a, n, 1);
    h->row = ph_arena_take(a, n, sizeof *h->row);
    h->constraints = ph_arena_take(a, (size_t)own->n_constraints + n, sizeof *h->constraints);
    h->links = ph_arena_take(a, 2 * (size_t)own->n_links, sizeof *h->links);
    h->v = ph_arena_take(a, (size_t)h->m->nv, sizeof *h->v);
}

/* A constraint for each friction that is held, on the nodes of its joint. */
static void add_rows(ph_lock *h)
{
    const ph_system *own = &h->m->sys;
    int nl = h->m->nl;
    memcpy(h->constraints, own->constraints, (size_t)own->n_constraints * sizeof *h->constraints);
    memcpy(h->links, own->links, (size_t)own->n_links * sizeof *h->links);
    for (int k = 0; k < h->m->n_friction; k++) {
        const ph_force *f = h->m->friction[k];
        h->row[k] = -1;
        if (!h->held[k])
            continue;
        for (int e = 0; e < own->n_links; e++)
            if (own->links[e].row == f->joint->constraint)
                h->links[h->sys.n_links++] = (ph_place){h->sys.n_constraints, own->links[e].col};
        h->constraints[h->sys.n_constraints++] =
            (ph_constraint){.rows = f->op->slips, .nonholonomic = 1, .name = "friction"};
        h->row[k] = nl, nl += f->op->slips;
    }
}

/* Rows that others imply, as where all joints of a loop are held. */
static ph_status count_redundant(ph_lock *h, double t, const double *q, ph_error *err)
{
    int *dependent = ph_alloc(h->alloc, sizeof(int) * ((size_t)h->sys.n_constraints + 1));
    if (!dependent)
        return ph_fail(err, PH_E_MEMORY, "not enough memory for joints that friction holds");
    h->sys.n_redundant = 0;
    ph_status s = ph_system_rank(&h->sys, t, q, dependent, err);
    for (int c = 0; c < h->sys.n_constraints && s == PH_OK; c++)
        h->sys.n_redundant += dependent[c];
    ph_free(h->alloc, dependent);
    return s;
}

ph_status ph_lock_create(ph_lock **out, const ph_mechanism *m, const unsigned char *held, double t,
                         const double *q, ph_error *err)
{
    ph_arena a = {0};
    ph_lock trial = {.m = m}, *h;
    *out = NULL;
    ph_arena_take(&a, 1, sizeof *h);
    take(&trial, &a);
    if (!ph_arena_open(&a, m->alloc))
        return ph_fail(err, PH_E_MEMORY, "not enough memory for joints that friction holds");
    h = ph_arena_take(&a, 1, sizeof *h);
    *h = (ph_lock){.m = m, .sys = m->sys, .size = m->size_links, .block = a.block, .alloc = m->alloc};
    take(h, &a);
    memcpy(h->held, held, (size_t)m->n_friction);
    memset(h->v, 0, sizeof *h->v * (size_t)m->nv);
    ph_system *sys = &h->sys;
    sys->ctx = h, sys->origin = NULL, sys->cut = NULL, sys->flags &= ~(PH_FORCE_LAMBDA | PH_SMOOTH);
    sys->products = NULL, sys->tangents = NULL, sys->positions = NULL;
    sys->K = sys->Z = sys->convective = sys->g_lambda = NULL; /* K has the multipliers of friction */
    sys->M = M, sys->g = g, sys->C = C, sys->B = B, sys->Phi = Phi;
    sys->Phi_t = m->sys.Phi_t ? Phi_t : NULL;
    add_rows(h);
    sys->constraints = h->constraints, sys->links = h->links;
    ph_status s = count_redundant(h, t, q, err);
    if (s == PH_OK)
        *out = h;
    else
        ph_lock_destroy(h);
    return s;
}

void ph_lock_destroy(ph_lock *h)
{
    if (h)
        ph_free(h->alloc, h->block);
}

const ph_system *ph_lock_system(const ph_lock *h)
{
    return &h->sys;
}

void ph_lock_force(const ph_lock *h, const ph_state *s, int k, double *force, double *most)
{
    const ph_force *f = h->m->friction[k];
    double T = 0, slope;
    for (int i = 0; i < f->op->slips && h->row[k] >= 0; i++)
        T = hypot(T, s->lambda[h->row[k] + i]);
    *force = T;
    *most = f->friction * ph_friction_pressure(&(ph_force_site){.lambda = s->lambda + f->joint->l_at},
                                               f->op->presses, 0, &slope);
}
