/* Nodes, constraints and the places of matrices, found once, in linear time; elements learn their places. */
#include "mech/carry.h"
#include "mech/coordinate.h"
#include "mech/reach.h"
#include "mech/user.h"

#include <stdio.h>
#include <string.h>

#include "step/pattern.h"

/* ---- nodes and vectors ---------------------------------------------------------------------------- */

static int node_dim(const ph_mechanism *m, int node)
{
    return ph_group_dim(m->node[node].group, m->node[node].n);
}

static int add_node(ph_mechanism *m, ph_body *b, ph_node node)
{
    int n = m->sys.n_nodes++;
    m->node[n] = node;
    m->nq += ph_group_size(node.group, node.n);
    m->nv += node_dim(m, n);
    b->nodes++, b->n += node_dim(m, n);
    return n;
}

static void number_body(ph_mechanism *m, int k)
{
    const ph_space *sp = m->space;
    const ph_body_def *d = &m->model->body[k];
    ph_body *b = &m->body[k];
    b->q[0] = m->nq, b->v[0] = m->nv;
    int nodes = d->particle || sp->joined ? 1 : 2;
    for (int i = 0; i < nodes; i++) {
        ph_node node = d->particle ? (ph_node){PH_RN, 3, NULL} : sp->node[i];
        node.name = d->name;
        b->node[i] = add_node(m, b, node);
    }
    if (d->particle)
        return;
    b->turns = 1;
    b->node[1] = m->sys.n_nodes - 1;
    b->q[1] = b->q[0] + 3, b->v[1] = b->v[0] + sp->n[0];
    if (ph_group_get(m->node[b->node[1]].group)->rot >= 0)
        b->R = m->nR++;
}

/* The node of zeta, after those of the frame. */
static void number_modes(ph_mechanism *m, int k, char **name)
{
    const ph_body_def *d = &m->model->body[k];
    ph_body *b = &m->body[k];
    ph_flex *f = &m->flex[b->flex];
    *f = (ph_flex){.r = m->model->flexible[b->flex].body, .body = k, .q = m->nq, .v = m->nv};
    add_node(m, b, (ph_node){PH_RN, f->r->modes, *name});
    *name += sprintf(*name, PH_MODES_NAME, d->name) + 1;
}

/* Markers last: they refer to frames. */
static void number_bodies(ph_mechanism *m, char **names)
{
    for (int k = 0; k < m->model->n_bodies; k++) {
        const ph_body_def *d = &m->model->body[k];
        ph_body *b = &m->body[k];
        *b = (ph_body){.particle = d->particle,
                       .node = {-1, -1},
                       .v = {-1, -1},
                       .R = -1,
                       .frame = k,
                       .marker = d->marker - 1,
                       .flex = d->flexible - 1};
        if (!d->bare && !d->flexible)
            b->m = d->mass, b->J = d->J;
        b->scale = d->J.xx + d->J.yy + d->J.zz;
        b->weight = ph_scale(b->m, m->model->gravity);
        if (d->marker)
            continue;
        number_body(m, k);
        if (d->flexible)
            number_modes(m, k, names);
    }
    for (int k = 0; k < m->model->n_bodies; k++) {
        ph_body *b = &m->body[k];
        if (b->marker < 0)
            continue;
        b->frame = m->flex[b->flex].body;
        b->nodes = m->body[b->frame].nodes, b->n = m->body[b->frame].n;
    }
}

/* Nodes of states, after all bodies. */
static void number_states(ph_mechanism *m)
{
    for (int k = 0; k < m->model->n_states; k++) {
        const ph_state_def *d = &m->model->state[k];
        ph_own_state *x = &m->own[k];
        x->node = m->sys.n_nodes++, x->n = d->size, x->q = m->nq, x->v = m->nv;
        m->node[x->node] = (ph_node){PH_RN, d->size, d->name};
        m->nq += d->size, m->nv += d->size;
    }
    m->sys.n_first = m->model->n_states;
}

/* Where tangents of functions go. */
static void fill_reaches(ph_mechanism *m)
{
    const int none[2] = {PH_GROUND, PH_GROUND};
    for (int k = 0; k < m->model->n_states; k++)
        ph_reach_fill(m, &m->model->state[k].rate, none, k, m->own[k].reach);
    for (int k = 0; k < m->n_forces; k++)
        if (m->force[k].reach)
            ph_reach_fill(m, m->force[k].actuator ? &m->force[k].actuator->f : &m->force[k].def->f,
                          m->force[k].body, -1, m->force[k].reach);
}

static void slots_of(const ph_mechanism *m, const int body[2], int v[PH_SLOTS])
{
    for (int k = 0; k < PH_SLOTS; k++) {
        const ph_body *b = body[k / 2] < 0 ? NULL : &m->body[body[k / 2]];
        v[k] = !b || (b->particle && k % 2) ? -1 : b->v[k % 2];
    }
}

/* The record of an element with a marker; NULL for others. */
static ph_carried *carried_of(ph_mechanism *m, const int body[2])
{
    int any = 0;
    for (int side = 0; side < 2; side++)
        any |= body[side] >= 0 && m->body[body[side]].marker >= 0;
    if (!any)
        return NULL;
    ph_carried *w = &m->carried[m->n_carried++];
    w->body[0] = body[0], w->body[1] = body[1];
    return w;
}

/* ---- links ---------------------------------------------------------------------------------------- */

static void list_link(ph_mechanism *m, int constraint, int rows, int node)
{
    m->link[m->sys.n_links++] = (ph_place){constraint, node};
    m->size_links += rows * node_dim(m, node);
}

/* Two markers of one body are linked with it once. */
static void link_carried(ph_mechanism *m, const ph_joint *j, ph_carried *w)
{
    const ph_body *first = w->body[0] < 0 ? NULL : &m->body[w->body[0]];
    for (int side = 0; side < 2; side++) {
        const ph_body *b = w->body[side] < 0 ? NULL : &m->body[w->body[side]];
        int same = side == 1 && b && first && b->frame == first->frame;
        for (int k = 0; k < PH_SIDE_NODES; k++) {
            int *at = &w->B[PH_SIDE_NODES * side + k];
            *at = -1;
            if (!b || k >= b->nodes)
                continue;
            *at = same ? w->B[k] : m->size_links;
            if (!same)
                list_link(m, j->constraint, j->rows, m->body[b->frame].node[0] + k);
        }
    }
}

static void link_joint(ph_mechanism *m, ph_joint *j)
{
    for (int side = 0; side < 2; side++) {
        j->B[2 * side] = j->B[2 * side + 1] = -1;
        if (j->body[side] < 0)
            continue;
        const ph_body *b = &m->body[j->body[side]];
        j->B[2 * side] = m->size_links;
        list_link(m, j->constraint, j->rows, b->node[0]);
        if (b->particle)
            continue;
        j->B[2 * side + 1] = m->space->joined ? j->B[2 * side] + m->space->n[0] : m->size_links;
        if (!m->space->joined)
            list_link(m, j->constraint, j->rows, b->node[1]);
    }
}

/* One row for each body that turns. */
static void list_norms(ph_mechanism *m, char *name)
{
    for (int k = 0; k < m->model->n_bodies; k++) {
        const ph_body *b = &m->body[k];
        if (!b->turns)
            continue;
        int c = m->n_joints + m->n_norms, length = sprintf(name, PH_NORM_NAME, m->model->body[k].name);
        m->norm[m->n_norms++] = (ph_unit_norm){b->q[1], b->v[1], m->nl, m->size_links, -1};
        m->constraint[c] = (ph_constraint){1, 0, name};
        m->nl++;
        list_link(m, c, 1, b->node[1]);
        name += length + 1;
    }
}

/* Where the block of a node stands in the row of a coupling, which it is linked with once. */
static int link_node(ph_mechanism *m, ph_couple *c, int first, int node)
{
    int at = 0;
    for (const ph_place *p = m->link + first, *end = m->link + m->sys.n_links; p < end; p++) {
        if (p->col == node)
            return at;
        at += node_dim(m, p->col);
    }
    list_link(m, c->constraint, 1, node);
    return at;
}

static void link_half(ph_mechanism *m, ph_couple *c, ph_joint *j, int first)
{
    ph_carried *w = carried_of(m, j->body);
    j->carried = w, j->direct = m->space->plain && !w, j->rows = 1;
    for (int side = 0; side < 2; side++) {
        const ph_body *b = j->body[side] < 0 ? NULL : &m->body[j->body[side]];
        j->B[2 * side] = j->B[2 * side + 1] = -1;
        for (int k = 0; w && k < PH_SIDE_NODES; k++)
            w->B[PH_SIDE_NODES * side + k] =
                b && k < b->nodes ? link_node(m, c, first, m->body[b->frame].node[0] + k) : -1;
        if (w || !b)
            continue;
        j->B[2 * side] = link_node(m, c, first, b->node[0]);
        if (!b->particle)
            j->B[2 * side + 1] =
                m->space->joined ? j->B[2 * side] + m->space->n[0] : link_node(m, c, first, b->node[1]);
    }
}

static void list_couple(ph_mechanism *m, ph_couple *c, int constraint)
{
    int first = m->sys.n_links;
    c->constraint = constraint, c->l_at = m->nl++, c->B = m->size_links;
    m->constraint[constraint] = (ph_constraint){1, 0, m->model->coupling[c->def].name};
    for (int h = 0; h < 2; h++)
        link_half(m, c, &c->half[h], first);
    c->size = m->size_links - c->B;
}

static void list_constraints(ph_mechanism *m, char *names)
{
    const ph_model *model = m->model;
    for (int k = 0; k < m->n_joints; k++) {
        ph_joint *j = &m->joint[k];
        j->constraint = k, j->l_at = m->nl;
        m->constraint[k] = (ph_constraint){j->rows, j->nonholonomic, model->joint[j->def].name};
        m->nl += j->rows;
        slots_of(m, j->body, j->v);
        ph_carried *w = carried_of(m, j->body);
        j->carried = w, j->direct = m->space->plain && !w;
        j->links = m->size_links;
        if (w)
            link_carried(m, j, w);
        else
            link_joint(m, j);
        j->size = m->size_links - j->links;
    }
    if (m->space->norm)
        list_norms(m, names);
    for (int k = 0; k < model->n_couplings; k++)
        list_couple(m, &m->couple[k], m->n_joints + m->n_norms + k);
    int first = m->n_joints + m->n_norms + model->n_couplings;
    for (int k = 0; k < model->n_constraints; k++) {
        ph_user *u = &m->user[k];
        int rows = model->constraint[k].rows;
        m->constraint[first + k] = (ph_constraint){rows, 0, model->constraint[k].name};
        u->l_at = m->nl, m->nl += rows;
        ph_user_fill(m, k);
        for (int i = 0; i < u->n_nodes; i++) {
            u->link[i] = m->size_links;
            list_link(m, first + k, rows, u->node[i]);
        }
    }
    m->sys.n_constraints = first + model->n_constraints;
}

/* ---- pairs ---------------------------------------------------------------------------------------- */

/* Wishes for places: (row, col), where to write the offset, what to add to it, and PH_HAS_ flags. */
typedef struct wish {
    int row, col, *at, add;
    unsigned has;
} wish;

typedef struct wishes {
    wish *list; /* NULL: they are counted only */
    int count;
    unsigned has; /* of the element at work */
} wishes;

static void want(wishes *w, int row, int col, int *at, int add)
{
    if (w->list)
        w->list[w->count] = (wish){row, col, at, add, w->has};
    w->count++;
}

/* Block of half hi of body i with half hj of body j. */
static void want_halves(const ph_mechanism *m, wishes *w, const ph_body *i, int hi, const ph_body *j, int hj,
                        int *at)
{
    int cols = m->space->n[0] + m->space->n[1];
    int add = !m->space->joined ? 0 : hi * m->space->n[0] * (j->particle ? 3 : cols) + hj * m->space->n[0];
    want(w, i->node[hi], j->node[hj], at, add);
}

/* What the coordinates of the space couple beyond the physical ones: a node as a whole; and the second half
 * of a body with itself, since D depends on it, also where an element has no tangent in physical ones. */
static unsigned widen(const ph_mechanism *m, unsigned couples)
{
    if (m->space->plain)
        return couples;
    couples |= PH_COUPLE(PH_FA, PH_FA) | PH_COUPLE(PH_FB, PH_FB);
    for (int si = 0; m->space->joined && si < 2; si++)
        for (int sj = 0; sj < 2; sj++) {
            unsigned all = (PH_COUPLE(0, 0) | PH_COUPLE(0, 1) | PH_COUPLE(1, 0) | PH_COUPLE(1, 1))
                           << (8 * si + 2 * sj);
            if (couples & all)
                couples |= all;
        }
    return couples;
}

/* Rows of the rotation of a side depend on its position. */
static int has_lower(unsigned couples, int side)
{
    return (couples & (side ? PH_COUPLE(PH_FB, PH_XB) : PH_COUPLE(PH_FA, PH_XA))) != 0;
}

static void want_element(const ph_mechanism *m, wishes *w, const int body[2], unsigned couples, int at[16])
{
    unsigned has = w->has, wide = widen(m, couples);
    for (int k = 0; k < 16; k++) {
        int bi = body[k / 8], bj = body[k % 4 / 2], hi = k / 4 % 2, hj = k % 2;
        w->has = has | (k / 8 == k % 4 / 2 && !has_lower(couples, k / 8) ? PH_UPPER : 0);
        if (w->list)
            at[k] = -1;
        if (!(wide >> k & 1) || bi < 0 || bj < 0 || m->body[bi].node[hi] < 0 || m->body[bj].node[hj] < 0)
            continue;
        want_halves(m, w, &m->body[bi], hi, &m->body[bj], hj, &at[k]);
    }
    w->has = has;
}

/* Nodes of one body with nodes of another; at: lines ld apart. */
static void want_nodes(const ph_mechanism *m, wishes *w, int i, int j, int *at, int ld)
{
    const ph_body *bi = &m->body[i], *bj = &m->body[j];
    for (int k = 0; k < bi->nodes; k++)
        for (int l = 0; l < bj->nodes; l++)
            want(w, m->body[bi->frame].node[0] + k, m->body[bj->frame].node[0] + l, &at[ld * k + l], 0);
}

/* What a force has besides K. */
static unsigned force_has(const ph_force *f)
{
    return (f->op->M ? PH_HAS_M : 0) | (f->still && !f->op->M ? 0 : PH_HAS_C);
}

/* Sides with themselves, since D depends on them, and with each other where the element couples them. */
static void want_carried(const ph_mechanism *m, wishes *w, unsigned couples, ph_carried *x)
{
    const unsigned both = PH_COUPLE(0, 0) | PH_COUPLE(0, 1) | PH_COUPLE(1, 0) | PH_COUPLE(1, 1);
    for (int si = 0; si < 2; si++)
        for (int sj = 0; sj < 2; sj++) {
            int *at = x->K + PH_SIDE_NODES * (2 * PH_SIDE_NODES * si + sj);
            for (int k = 0; k < PH_SIDE_NODES * PH_SIDE_NODES && w->list; k++)
                at[2 * PH_SIDE_NODES * (k / PH_SIDE_NODES) + k % PH_SIDE_NODES] = -1;
            if (x->body[si] >= 0 && x->body[sj] >= 0 && (si == sj || couples & both << (8 * si + 2 * sj)))
                want_nodes(m, w, x->body[si], x->body[sj], at, 2 * PH_SIDE_NODES);
        }
}

static void want_bodies(ph_mechanism *m, wishes *w)
{
    unsigned has = w->has;
    w->has |= PH_UPPER; /* of all spaces that have one node for a body */
    for (int k = 0; k < m->model->n_bodies; k++) {
        ph_body *b = &m->body[k];
        for (int i = 0; i < 4; i++) {
            b->M[i] = -1;
            if (b->marker >= 0 || (i / 2 && b->particle) || (i % 2 && b->particle) ||
                (i / 2 != i % 2 && !m->space->joined))
                continue;
            want_halves(m, w, b, i / 2, b, i % 2, &b->M[i]);
        }
    }
    w->has = has;
    for (int k = 0; k < m->n_flex; k++)
        want_nodes(m, w, m->flex[k].body, m->flex[k].body, m->flex[k].M, 3);
}

static void want_reach(wishes *w, const ph_reach *r)
{
    for (int i = 0; i < r->rows.n; i++)
        for (int j = 0; j < r->cols.n; j++)
            want(w, r->rows.node[i], r->cols.node[j], &r->pair[i * r->cols.n + j], 0);
}

static void want_all(ph_mechanism *m, wishes *w)
{
    w->count = 0;
    w->has = PH_HAS_M | PH_HAS_C;
    want_bodies(m, w);
    w->has = 0; /* reactions depend on positions alone */
    for (int k = 0; k < m->n_joints; k++) {
        ph_joint *j = &m->joint[k];
        unsigned couples = 0;
        for (int i = 0; i < j->n_parts; i++)
            couples |= j->part[i].op->couples;
        if (j->carried)
            want_carried(m, w, couples, &m->carried[j->carried - m->carried]);
        else
            want_element(m, w, j->body, couples, j->K);
    }
    for (int k = 0; k < 2 * m->model->n_couplings; k++) {
        ph_joint *j = &m->couple[k / 2].half[k % 2];
        unsigned couples = ph_is_angle(m->couple[k / 2].coordinate[k % 2]) ? PH_COUPLE_TURNS : PH_COUPLE_ALL;
        if (j->carried)
            want_carried(m, w, couples, &m->carried[j->carried - m->carried]);
        else
            want_element(m, w, j->body, couples, j->K);
    }
    for (int k = 0; k < m->n_forces; k++) {
        ph_force *f = &m->force[k];
        w->has = force_has(f);
        if (f->carried)
            want_carried(m, w, f->couples, &m->carried[f->carried - m->carried]);
        else
            want_element(m, w, f->body, f->couples, f->K);
    }
    w->has = PH_HAS_M | PH_HAS_C;
    for (int k = 0; k < m->model->n_states; k++) {
        want(w, m->own[k].node, m->own[k].node, &m->own[k].M, 0);
        want_reach(w, m->own[k].reach);
    }
    for (int k = 0; k < m->n_forces; k++)
        if (m->force[k].reach)
            want_reach(w, m->force[k].reach);
    w->has = 0;
    for (int k = 0; k < m->model->n_constraints; k++) {
        const ph_user *u = &m->user[k];
        for (int i = 0; i < u->n_nodes; i++)
            for (int j = 0; j < u->n_nodes; j++)
                want(w, u->node[i], u->node[j], &u->pair[i * u->n_nodes + j], 0);
    }
}

/* Grant wishes row by row: each place gets its offset when it is met for the first time. */
static void grant(ph_mechanism *m, const wishes *w, const int *start, const int *item, int *mark, int *offset,
                  int *place)
{
    for (int i = 0; i < m->sys.n_nodes; i++)
        mark[i] = -1;
    for (int i = 0; i < m->sys.n_nodes; i++)
        for (int k = start[i]; k < start[i + 1]; k++) {
            const wish *x = &w->list[item[k]];
            if (mark[x->col] != i) {
                mark[x->col] = i, offset[x->col] = m->size_pairs, place[x->col] = m->sys.n_pairs;
                m->pair_has[m->sys.n_pairs] = x->col == i ? PH_UPPER : 0;
                m->pair[m->sys.n_pairs++] = (ph_place){i, x->col};
                m->size_pairs += node_dim(m, i) * node_dim(m, x->col);
            }
            *x->at = offset[x->col] + x->add;
            unsigned char *has = &m->pair_has[place[x->col]];
            *has = (unsigned char)((*has & (x->has | ~PH_UPPER)) | (x->has & ~PH_UPPER));
        }
}

typedef struct scratch {
    wish *list;
    int *key, *item, *start, *mark, *offset, *place;
} scratch;

static void take(scratch *x, size_t wishes_count, size_t nodes, ph_arena *a)
{
    x->list = ph_arena_take(a, wishes_count, sizeof(wish));
    x->key = ph_arena_take(a, wishes_count, sizeof(int));
    x->item = ph_arena_take(a, wishes_count, sizeof(int));
    x->start = ph_arena_take(a, nodes + 1, sizeof(int));
    x->mark = ph_arena_take(a, nodes, sizeof(int));
    x->offset = ph_arena_take(a, nodes, sizeof(int));
    x->place = ph_arena_take(a, nodes, sizeof(int));
}

static ph_status list_pairs(ph_mechanism *m, ph_error *err)
{
    wishes w = {0};
    want_all(m, &w);
    scratch x;
    ph_arena a = {0};
    size_t count = (size_t)w.count, nodes = (size_t)m->sys.n_nodes;
    take(&x, count, nodes, &a);
    m->pair = ph_alloc(m->alloc, sizeof(ph_place) * (count + 1));
    m->pair_has = ph_alloc(m->alloc, count + 1);
    if (!m->pair || !m->pair_has || !ph_arena_open(&a, m->alloc))
        return ph_fail(err, PH_E_MEMORY, "not enough memory for the pattern of the mechanism");
    take(&x, count, nodes, &a);
    w.list = x.list;
    want_all(m, &w);
    for (int k = 0; k < w.count; k++)
        x.key[k] = w.list[k].row;
    ph_bucket(m->sys.n_nodes, w.count, x.key, NULL, x.start, x.item);
    grant(m, &w, x.start, x.item, x.mark, x.offset, x.place);
    ph_free(m->alloc, a.block);
    return PH_OK;
}

/* ---- all ------------------------------------------------------------------------------------------ */

static int is_pin(const ph_mechanism *m, const ph_joint *j)
{
    return (m->space->plain || m->space->body_axes) && !j->carried && !j->switched && j->n_parts == 1 &&
           j->part[0].op == &ph_part_point;
}

/* A joint of one point: everything that its loop needs in one record. */
static ph_pin_end pin_end(const ph_mechanism *m, int body, const int B[2], ph_vec3 s)
{
    if (body < 0)
        return (ph_pin_end){-1, -1, -1, -1, -1, -1, s};
    const ph_body *b = &m->body[body];
    return (ph_pin_end){b->q[0], b->v[0], b->R, b->particle ? -1 : b->v[1], B[0], B[1], s};
}

static ph_pin pin_of(const ph_mechanism *m, const ph_joint *j)
{
    return (ph_pin){j->l_at, pin_end(m, j->body[0], j->B + PH_XA, j->sa),
                    pin_end(m, j->body[1], j->B + PH_XB, j->sb)};
}

/* The pins of each body that turns, side by side; key and start are scratch for pins and bodies. */
static void list_holds(ph_mechanism *m, int *key, int *item, int *start)
{
    int count = 0, n = m->model->n_bodies;
    for (int k = 0; k < m->n_joints; k++)
        for (int side = 0; side < 2 && is_pin(m, &m->joint[k]); side++)
            key[count++] = m->joint[k].body[side] < 0 ? n : m->joint[k].body[side];
    ph_bucket(n + 1, count, key, NULL, start, item);
    for (int b = 0, arms = 0; b < n; b++) {
        const ph_body *body = &m->body[b];
        if (body->particle || start[b] == start[b + 1])
            continue;
        for (int i = start[b]; i < start[b + 1]; i++) {
            const ph_pin *p = &m->pin[item[i] / 2];
            double sign = item[i] % 2 ? -1 : 1;
            m->arm[arms++] = (ph_pin_arm){p->l_at, sign, ph_scale(sign, sign < 0 ? p->b.s : p->a.s)};
        }
        m->pinned[m->n_pinned++] = (ph_pinned_body){body->R, body->M[3], body->M[1], arms};
    }
}

/* Blocks of pairs are known when all wishes are granted. */
static void place_norms(ph_mechanism *m)
{
    for (int k = 0, n = 0; n < m->n_norms; k++)
        if (m->body[k].turns)
            m->norm[n++].K = m->body[k].M[3];
}

static void sort_bodies(ph_mechanism *m)
{
    for (int k = 0; k < m->model->n_bodies; k++) {
        const ph_body *b = &m->body[k];
        const ph_mat3 *J = &b->J;
        if (b->flex >= 0)
            continue;
        int principal = J->xy == 0 && J->xz == 0 && J->yx == 0 && J->yz == 0 && J->zx == 0 && J->zy == 0;
        if ((m->space->plain || m->space->body_axes) && !b->particle && principal)
            m->rigid[m->n_rigid++] = (ph_rigid){.q = b->q[0],
                                                .x = b->v[0],
                                                .w = b->v[1],
                                                .R = b->R,
                                                .C = {b->M[0], b->M[1], b->M[3]},
                                                .m = b->m,
                                                .J = ph_v3(J->xx, J->yy, J->zz),
                                                .d = ph_v3(J->zz - J->yy, J->xx - J->zz, J->yy - J->xx)};
        else
            m->general[m->n_general++] = k;
    }
}

static ph_status list_pinned_bodies(ph_mechanism *m, ph_error *err)
{
    size_t sides = 2 * (size_t)m->n_pins, bodies = (size_t)m->model->n_bodies;
    int *key = m->n_pins ? ph_alloc(m->alloc, sizeof(int) * (2 * sides + bodies + 2)) : NULL;
    if (m->n_pins && !key)
        return ph_fail(err, PH_E_MEMORY, "not enough memory for the pattern of the mechanism");
    if (key)
        list_holds(m, key, key + sides, key + 2 * sides);
    ph_free(m->alloc, key);
    return PH_OK;
}

ph_status ph_mechanism_pattern(ph_mechanism *m, ph_error *err)
{
    char *names = m->names;
    m->n_flex = m->model->n_flexible;
    number_bodies(m, &names);
    number_states(m);
    fill_reaches(m);
    list_constraints(m, names);
    for (int k = 0; k < m->n_forces; k++) {
        ph_force *f = &m->force[k];
        ph_carried *w = carried_of(m, f->body);
        slots_of(m, f->body, f->v);
        f->carried = w;
        f->direct = (m->space->plain || (m->space->body_axes && f->op->body_axes)) && !w;
        for (int i = 0; i < PH_SLOTS; i++)
            f->B[i] = f->joint ? f->joint->B[i] : -1;
        if (w && f->joint)
            memcpy(w->B, f->joint->carried->B, sizeof w->B);
    }
    ph_status s = list_pairs(m, err);
    if (s != PH_OK)
        return s;
    for (int k = 0; k < m->n_joints; k++)
        if (is_pin(m, &m->joint[k]))
            m->pin[m->n_pins++] = pin_of(m, &m->joint[k]);
        else
            m->unpinned[m->n_unpinned++] = k;
    ph_beams_list(m);
    ph_hinges_list(m);
    place_norms(m);
    sort_bodies(m);
    return list_pinned_bodies(m, err);
}
