/* From the lists of a ph_system to offsets in flat arrays. */
#include "step/layout.h"
#include "la/small.h"
#include "step/step_limits.h"

#include <limits.h>
#include <stdio.h>

const char *ph_node_label(const ph_layout *lay, int node, char text[PH_NAME_MAX])
{
    const char *name = lay->sys->nodes[node].name;
    const char *what = node < lay->sys->n_nodes - lay->sys->n_first ? "node" : "state";
    if (name)
        snprintf(text, PH_NAME_MAX, "%s '%.64s'", what, name);
    else
        snprintf(text, PH_NAME_MAX, "%s %d", what, node);
    return text;
}

const char *ph_constraint_label(const ph_layout *lay, int constraint, char text[PH_NAME_MAX])
{
    const char *name = lay->sys->constraints[constraint].name;
    if (name)
        snprintf(text, PH_NAME_MAX, "constraint '%.60s'", name);
    else
        snprintf(text, PH_NAME_MAX, "constraint %d", constraint);
    return text;
}

static int add_to(int *total, long long amount)
{
    if (amount > INT_MAX - *total)
        return 0;
    *total += (int)amount;
    return 1;
}

/* The group of each kind of batch. */
static const ph_group batched[PH_BATCHES] = {[PH_BATCH_SO3] = PH_SO3, [PH_BATCH_SE3] = PH_SE3};

static ph_status measure_nodes(ph_layout *lay, ph_error *err)
{
    const ph_system *sys = lay->sys;
    char label[PH_NAME_MAX];
    int alike[PH_BATCHES] = {0};
    for (int i = 0; i < sys->n_nodes; i++) {
        const ph_node *node = &sys->nodes[i];
        const ph_group_ops *op = ph_group_get(node->group);
        if (!op)
            return ph_fail(err, PH_E_INPUT, "%s: no group has the code %d", ph_node_label(lay, i, label),
                           (int)node->group);
        if (!op->dim && node->n < 1)
            return ph_fail(err, PH_E_INPUT, "%s: R^n with n = %d", ph_node_label(lay, i, label), node->n);
        int dim = ph_group_dim(node->group, node->n), turns = op->rot >= 0;
        if (!add_to(&lay->nq, ph_group_size(node->group, node->n)) || !add_to(&lay->nv, dim) ||
            !add_to(&lay->nT, turns ? dim * dim : 0))
            return ph_fail(err, PH_E_INPUT, "the system has more than %d coordinates", INT_MAX);
        lay->nR += turns;
        for (int k = 0; k < PH_BATCHES; k++)
            alike[k] += node->group == batched[k];
        if (dim > lay->max_dim)
            lay->max_dim = dim;
    }
    for (int k = 0; k < PH_BATCHES; k++)
        lay->n_batches[k] = alike[k] / PH_BATCH;
    return PH_OK;
}

static ph_status measure_constraints(ph_layout *lay, ph_error *err)
{
    const ph_system *sys = lay->sys;
    char label[PH_NAME_MAX];
    for (int c = 0; c < sys->n_constraints; c++) {
        int rows = sys->constraints[c].rows;
        if (rows < 1)
            return ph_fail(err, PH_E_INPUT, "%s: %d rows", ph_constraint_label(lay, c, label), rows);
        if (!add_to(&lay->nl, rows))
            return ph_fail(err, PH_E_INPUT, "the system has more than %d constraint rows", INT_MAX);
        if (rows > lay->max_dim)
            lay->max_dim = rows;
    }
    return PH_OK;
}

static int dim_of(const ph_system *sys, int node)
{
    return ph_group_dim(sys->nodes[node].group, sys->nodes[node].n);
}

static ph_place pair_of(const ph_system *sys, int e)
{
    return sys->pairs ? sys->pairs[e] : (ph_place){e / sys->n_nodes, e % sys->n_nodes};
}

static ph_place link_of(const ph_system *sys, int e)
{
    return sys->links ? sys->links[e] : (ph_place){e / sys->n_nodes, e % sys->n_nodes};
}

static ph_status measure_places(ph_layout *lay, ph_error *err)
{
    const ph_system *sys = lay->sys;
    long long pairs = sys->pairs ? sys->n_pairs : (long long)sys->n_nodes * sys->n_nodes;
    long long links = sys->links ? sys->n_links : (long long)sys->n_constraints * sys->n_nodes;
    if (pairs < 0 || pairs > INT_MAX || links < 0 || links > INT_MAX)
        return ph_fail(err, PH_E_INPUT, "%lld pairs and %lld links: list only the places that can be nonzero",
                       pairs, links);
    lay->n_pairs = (int)pairs, lay->n_links = (int)links;
    for (int e = 0; e < lay->n_pairs; e++) {
        ph_place p = pair_of(sys, e);
        if (p.row < 0 || p.row >= sys->n_nodes || p.col < 0 || p.col >= sys->n_nodes)
            return ph_fail(err, PH_E_INPUT, "pair %d names node %d or %d, but there are %d nodes", e, p.row,
                           p.col, sys->n_nodes);
        if (!add_to(&lay->size_pairs, (long long)dim_of(sys, p.row) * dim_of(sys, p.col)))
            return ph_fail(err, PH_E_INPUT, "the listed pairs have more than %d entries", INT_MAX);
    }
    for (int e = 0; e < lay->n_links; e++) {
        ph_place p = link_of(sys, e);
        if (p.row < 0 || p.row >= sys->n_constraints || p.col < 0 || p.col >= sys->n_nodes)
            return ph_fail(err, PH_E_INPUT, "link %d names constraint %d and node %d of %d and %d", e, p.row,
                           p.col, sys->n_constraints, sys->n_nodes);
        if (!add_to(&lay->size_links, (long long)sys->constraints[p.row].rows * dim_of(sys, p.col)))
            return ph_fail(err, PH_E_INPUT, "the listed links have more than %d entries", INT_MAX);
    }
    return PH_OK;
}

/* Callbacks at once are those of the ones alone. */
static int has_its_own(const ph_system *sys)
{
    const ph_system *o = sys->origin;
    return !o || (sys->M == o->M && sys->g == o->g && sys->Phi == o->Phi && sys->B == o->B &&
                  sys->Phi_t == o->Phi_t && sys->C == o->C && sys->K == o->K && sys->ctx == o->ctx);
}

/* The cut of the origin reads the ctx of the origin: a copy with another ctx does without it. */
static ph_cut cut_of(const ph_system *sys)
{
    const ph_system *o = sys->origin;
    return o && sys->cut == o->cut && sys->ctx != o->ctx ? NULL : sys->cut;
}

ph_status ph_layout_measure(ph_layout *lay, const ph_system *sys, ph_error *err)
{
    *lay = (ph_layout){.sys = sys, .max_dim = 1};
    if (sys && has_its_own(sys)) {
        lay->smooth = (sys->flags & PH_SMOOTH) != 0;
        lay->products = sys->products, lay->positions = sys->positions;
        lay->tangents = sys->C && sys->K ? sys->tangents : NULL;
    }
    if (sys)
        lay->cut = cut_of(sys);
    if (!sys || sys->n_nodes < 1 || !sys->nodes)
        return ph_fail(err, PH_E_INPUT, "the system has no nodes");
    if (sys->n_constraints < 0 || (sys->n_constraints > 0 && !sys->constraints))
        return ph_fail(err, PH_E_INPUT, "the system announces %d constraints but lists none",
                       sys->n_constraints);
    if (!sys->M || !sys->g)
        return ph_fail(err, PH_E_INPUT, "the system needs the callbacks M and g");
    int holonomic = 0;
    for (int c = 0; c < sys->n_constraints; c++)
        holonomic |= !sys->constraints[c].nonholonomic, lay->nonholonomic |= sys->constraints[c].nonholonomic;
    if ((sys->n_constraints > 0 && !sys->B) || (holonomic && !sys->Phi))
        return ph_fail(err, PH_E_INPUT, "a system with constraints needs the callbacks B and Phi");
    lay->N = sys->n_nodes, lay->C = sys->n_constraints;
    lay->friction = lay->C && ((sys->flags & PH_FORCE_LAMBDA) || sys->g_lambda);
    ph_status s = measure_nodes(lay, err);
    if (s == PH_OK)
        s = measure_constraints(lay, err);
    if (s == PH_OK && (sys->n_redundant < 0 || sys->n_redundant > lay->nl))
        s = ph_fail(err, PH_E_INPUT, "the system announces %d redundant rows of %d", sys->n_redundant,
                    lay->nl);
    return s == PH_OK ? measure_places(lay, err) : s;
}

void ph_layout_take(ph_layout *lay, ph_arena *a)
{
    size_t N = (size_t)lay->N, C = (size_t)lay->C;
    lay->slot = ph_arena_take(a, N, sizeof *lay->slot);
    for (int k = 0; k < PH_BATCHES; k++)
        lay->batch[k] = ph_arena_take(a, (size_t)lay->n_batches[k], sizeof **lay->batch);
    lay->q_at = ph_arena_take(a, N, sizeof(int));
    lay->v_at = ph_arena_take(a, N, sizeof(int));
    lay->R_at = ph_arena_take(a, N, sizeof(int));
    lay->diag = ph_arena_take(a, N, sizeof(int));
    lay->link_end = ph_arena_take(a, N, sizeof(int));
    lay->link_of = ph_arena_take(a, (size_t)lay->n_links, sizeof(int));
    lay->rows = ph_arena_take(a, C, sizeof(int));
    lay->l_at = ph_arena_take(a, C, sizeof(int));
    lay->pair = ph_arena_take(a, (size_t)lay->n_pairs, sizeof *lay->pair);
    lay->link = ph_arena_take(a, (size_t)lay->n_links, sizeof *lay->link);
}

static void fill_offsets(ph_layout *lay)
{
    const ph_system *sys = lay->sys;
    int q = 0, v = 0, R = 0, T = 0, l = 0;
    for (int i = 0; i < lay->N; i++) {
        int n = sys->nodes[i].n, dim = dim_of(sys, i);
        const ph_group_ops *op = ph_group_get(sys->nodes[i].group);
        int turns = op->rot >= 0;
        lay->slot[i] = (ph_slot){op, dim, turns ? op->rot : dim, q, v, turns ? R : -1, turns ? T : -1, 0};
        lay->q_at[i] = q, lay->v_at[i] = v, lay->R_at[i] = lay->slot[i].R_at;
        lay->diag[i] = -1;
        q += ph_group_size(sys->nodes[i].group, n), v += dim;
        R += turns, T += turns ? dim * dim : 0;
    }
    for (int c = 0; c < lay->C; c++) {
        lay->rows[c] = sys->constraints[c].rows, lay->l_at[c] = l;
        l += lay->rows[c];
    }
}

static void fill_batches(ph_layout *lay, int kind)
{
    int n = 0;
    for (int i = 0; i < lay->N && n < PH_BATCH * lay->n_batches[kind]; i++) {
        ph_slot *s = &lay->slot[i];
        ph_batch *b = &lay->batch[kind][n / PH_BATCH];
        int k = n % PH_BATCH;
        if (lay->sys->nodes[i].group != batched[kind])
            continue;
        b->q_at[k] = s->q_at, b->v_at[k] = s->v_at, b->R_at[k] = 9 * s->R_at, b->T_at[k] = s->T_at;
        s->batched = 1, n++;
    }
}

/* The links of each node: counted, then ends that move to where they belong as they are filled. */
static void list_links(ph_layout *lay)
{
    int sum = 0;
    memset(lay->link_end, 0, sizeof(int) * (size_t)lay->N);
    for (int e = 0; e < lay->n_links; e++)
        lay->link_end[lay->link[e].col]++;
    for (int i = 0; i < lay->N; i++) {
        int count = lay->link_end[i];
        lay->link_end[i] = sum;
        sum += count;
    }
    for (int e = 0; e < lay->n_links; e++)
        lay->link_of[lay->link_end[lay->link[e].col]++] = e;
    for (int i = 0, k = 0; i < lay->N; i++) {
        int rows = 0;
        for (; k < lay->link_end[i]; k++)
            rows += lay->link[lay->link_of[k]].m;
        lay->most_rows = rows > lay->most_rows ? rows : lay->most_rows;
    }
}

/* Forces that a copy of a system adds may depend on any positions. T of every group with 6 velocities is upper, too. */
static unsigned flags_of(const ph_layout *lay, int e, ph_place p)
{
    const ph_system *sys = lay->sys;
    unsigned has = sys->pair_has ? sys->pair_has[e] : PH_HAS_M | PH_HAS_C;
    return p.row == p.col && lay->slot[p.row].dim == 6 && has_its_own(sys) ? has : has & ~PH_UPPER;
}

ph_status ph_layout_fill(ph_layout *lay, ph_error *err)
{
    const ph_system *sys = lay->sys;
    fill_offsets(lay);
    for (int k = 0; k < PH_BATCHES; k++)
        fill_batches(lay, k);
    for (int e = 0, at = 0; e < lay->n_pairs; e++) {
        ph_place p = pair_of(sys, e);
        int m = lay->slot[p.row].dim, n = lay->slot[p.col].dim;
        lay->pair[e] = (ph_block){p.row,
                                  p.col,
                                  lay->v_at[p.row],
                                  lay->v_at[p.col],
                                  m,
                                  n,
                                  at,
                                  lay->slot[p.col].T_at,
                                  0,
                                  flags_of(lay, e, p)};
        if (p.row == p.col)
            lay->diag[p.row] = e;
        at += m * n;
    }
    for (int e = 0, at = 0; e < lay->n_links; e++) {
        ph_place p = link_of(sys, e);
        int m = lay->rows[p.row], n = lay->slot[p.col].dim;
        lay->link[e] = (ph_block){p.row,
                                  p.col,
                                  lay->l_at[p.row],
                                  lay->v_at[p.col],
                                  m,
                                  n,
                                  at,
                                  lay->slot[p.col].T_at,
                                  !sys->constraints[p.row].nonholonomic,
                                  PH_HAS_C};
        at += m * n;
    }
    list_links(lay);
    char label[PH_NAME_MAX];
    for (int i = 0; i < lay->N; i++)
        if (lay->diag[i] < 0)
            return ph_fail(err, PH_E_INPUT, "%s: its diagonal place is missing among the pairs",
                           ph_node_label(lay, i, label));
    return PH_OK;
}

ph_status ph_skeleton_create(ph_skeleton **out, const ph_system *sys, const ph_allocator *alloc,
                             ph_error *err)
{
    ph_layout lay;
    ph_arena a = {0};
    *out = NULL;
    ph_status status = ph_layout_measure(&lay, sys, err);
    if (status != PH_OK)
        return status;
    ph_arena_take(&a, 1, sizeof **out);
    ph_layout_take(&lay, &a);
    if (!ph_arena_open(&a, alloc))
        return ph_fail(err, PH_E_MEMORY, "not enough memory for the layout of the system");
    ph_skeleton *s = ph_arena_take(&a, 1, sizeof *s);
    ph_layout_take(&lay, &a);
    *s = (ph_skeleton){.lay = lay, .users = 1, .block = a.block};
    if (alloc)
        s->alloc_copy = *alloc, s->alloc = &s->alloc_copy;
    s->lay.known = &s->known;
    status = ph_layout_fill(&s->lay, err);
    if (status == PH_OK)
        *out = s;
    else
        ph_skeleton_release(s);
    return status;
}

ph_skeleton *ph_skeleton_keep(ph_skeleton *s)
{
    s->users++;
    return s;
}

void ph_skeleton_release(ph_skeleton *s)
{
    if (!s || --s->users > 0)
        return;
    ph_allocator copy = s->alloc_copy; /* s is inside what is freed */
    ph_analyses_forget(&s->known);
    ph_free(s->alloc ? &copy : NULL, s->block);
}

double ph_layout_length(const ph_layout *lay, int i, const double *q)
{
    const double *u = q + lay->q_at[i] + lay->slot[i].op->quat;
    return sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3]);
}

ph_status ph_layout_check(const ph_layout *lay, double t, const double *q, const double *v, ph_error *err)
{
    char label[PH_NAME_MAX];
    if (!isfinite(t))
        return ph_fail(err, PH_E_INPUT, "the initial time %g is not a number", t);
    if (!q)
        return ph_fail(err, PH_E_INPUT, "initial values must be given");
    for (int i = 0; i < lay->N; i++) {
        int size = ph_group_size(lay->sys->nodes[i].group, lay->sys->nodes[i].n);
        if (!isfinite(ph_small_max(size, q + lay->q_at[i])) ||
            (v && !isfinite(ph_small_max(lay->slot[i].dim, v + lay->v_at[i]))))
            return ph_fail(err, PH_E_INPUT, "%s: an initial value is not finite",
                           ph_node_label(lay, i, label));
        double length = lay->R_at[i] >= 0 ? ph_layout_length(lay, i, q) : 1;
        if (!(fabs(length - 1) <= PH_LAYOUT_OFF_GROUP))
            return ph_fail(err, PH_E_INPUT, "%s: its quaternion has length %g instead of 1",
                           ph_node_label(lay, i, label), length);
    }
    return PH_OK;
}

int ph_system_nq(const ph_system *sys)
{
    ph_layout lay;
    return ph_layout_measure(&lay, sys, NULL) == PH_OK ? lay.nq : -1;
}

int ph_system_nv(const ph_system *sys)
{
    ph_layout lay;
    return ph_layout_measure(&lay, sys, NULL) == PH_OK ? lay.nv : -1;
}

int ph_system_nl(const ph_system *sys)
{
    ph_layout lay;
    return ph_layout_measure(&lay, sys, NULL) == PH_OK ? lay.nl : -1;
}
