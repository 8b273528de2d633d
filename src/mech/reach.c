/* Where tangents of functions go: see reach.h. */
#include "mech/reach.h"

#include <string.h>

#include "mech/carry.h"

static int node_dim(const ph_mechanism *m, int node)
{
    return ph_group_dim(m->node[node].group, m->node[node].n);
}

int ph_reach_needed(const ph_force_def *d)
{
    const ph_traced *t = d->f.call ? d->f.traced : NULL;
    int more = 0;
    for (int k = 0; t && t->program && k < t->n_bodies; k++)
        more |= t->body[k] != d->body[1];
    for (int k = 0; t && t->program && k < t->program->n_args; k++)
        more |= t->program->arg[k].kind == PH_ARG_STATE;
    return more;
}

int ph_reach_bodies(const ph_model *model, const ph_function *f, int *body)
{
    const ph_traced *t = f->traced;
    if (t && t->program) {
        for (int k = 0; k < t->n_bodies; k++)
            body[k] = t->body[k];
        return t->n_bodies;
    }
    for (int b = 0; b < model->n_bodies; b++)
        body[b] = b;
    return model->n_bodies;
}

int ph_reach_states(const ph_model *model, const ph_function *f, int *state)
{
    int n = 0;
    const ph_program *p = f->traced ? f->traced->program : NULL;
    for (int k = 0; k < model->n_states; k++) {
        int reads = !p;
        for (int i = 0; p && i < p->n_args; i++)
            reads |= p->arg[i].kind == PH_ARG_STATE && p->arg[i].index == k;
        if (reads)
            state[n++] = k;
    }
    return n;
}

/* ---- nodes ---------------------------------------------------------------------------------------- */

void ph_reach_take(const ph_model *model, const ph_function *f, ph_reach *r, ph_arena *a)
{
    size_t bodies = (size_t)model->n_bodies, states = (size_t)model->n_states;
    r->state = ph_arena_take(a, states, sizeof(int));
    const ph_program *p = f->traced ? f->traced->program : NULL;
    size_t most = p ? 2 * (size_t)p->n_args : bodies;
    most = most < bodies ? most : bodies;
    r->body = ph_arena_take(a, most, sizeof(int));
    size_t rows = 2 * PH_SIDE_NODES, cols = PH_SIDE_NODES * most + states;
    r->rows.node = ph_arena_take(a, rows, sizeof(int)), r->rows.at = ph_arena_take(a, rows, sizeof(int));
    r->cols.node = ph_arena_take(a, cols, sizeof(int)), r->cols.at = ph_arena_take(a, cols, sizeof(int));
    r->pair = ph_arena_take(a, rows * cols, sizeof(int));
}

static void add_node(const ph_mechanism *m, int node, ph_nodes *list)
{
    for (int k = 0; k < list->n; k++)
        if (list->node[k] == node)
            return;
    list->node[list->n] = node, list->at[list->n++] = list->size;
    list->size += node_dim(m, node);
}

static void add_body(const ph_mechanism *m, int body, ph_nodes *list)
{
    if (body < 0)
        return;
    const ph_body *frame = &m->body[m->body[body].frame];
    for (int k = 0; k < frame->nodes; k++)
        add_node(m, frame->node[0] + k, list);
}

void ph_reach_fill(const ph_mechanism *m, const ph_function *f, const int body[2], int state, ph_reach *r)
{
    r->n_bodies = ph_reach_bodies(m->model, f, r->body);
    r->n_states = ph_reach_states(m->model, f, r->state);
    r->rows.n = r->rows.size = r->cols.n = r->cols.size = 0;
    if (state >= 0)
        add_node(m, m->own[state].node, &r->rows);
    else
        add_body(m, body[0], &r->rows), add_body(m, body[1], &r->rows);
    for (int k = 0; k < r->n_bodies; k++)
        add_body(m, r->body[k], &r->cols);
    for (int k = 0; k < r->n_states; k++)
        add_node(m, m->own[r->state[k]].node, &r->cols);
}

static int place_of(const ph_nodes *list, int node)
{
    for (int k = 0; k < list->n; k++)
        if (list->node[k] == node)
            return list->at[k];
    return -1;
}

/* ---- rows ----------------------------------------------------------------------------------------- */

/* The coordinates of the body are the physical ones. */
static int is_physical(const ph_mechanism *m, int body)
{
    return m->space->plain && m->body[body].flex < 0 && m->body[body].marker < 0;
}

void ph_nodes_add(const ph_mechanism *m, const ph_state *s, const ph_nodes *at, int body,
                  const double by_place[6], const double *by_speed, double *row)
{
    ph_carried w = {.body = {body, PH_GROUND}};
    const ph_body *frame = &m->body[m->body[body].frame];
    for (int k = 0; k < frame->nodes && is_physical(m, body); k++)
        ph_add3(row + place_of(at, frame->node[0] + k), ph_load3(by_place + 3 * k));
    if (is_physical(m, body))
        return;
    double place[12] = {0}, speed[12] = {0};
    for (int k = 0; k < frame->nodes; k++)
        w.B[k] = place_of(at, frame->node[0] + k);
    memcpy(place, by_place, 6 * sizeof(double));
    if (by_speed)
        memcpy(speed, by_speed, 6 * sizeof(double));
    ph_carried_add_row(m, s, &w, by_speed ? speed : place, by_speed ? place : NULL, row);
}

void ph_reach_columns(const ph_mechanism *m, const ph_state *s, const ph_reach *r, ph_formula *k, int K,
                      double *row)
{
    memset(row, 0, sizeof(double) * (size_t)r->cols.size);
    for (int i = 0; i < r->n_bodies; i++) {
        double place[6] = {0}, speed[6] = {0};
        if (!K || !is_physical(m, r->body[i]))
            ph_formula_by_body(k, k->g, r->body[i], PH_BY_SPEED, speed);
        if (K)
            ph_formula_by_body(k, k->g, r->body[i], PH_BY_PLACE, place);
        ph_nodes_add(m, s, &r->cols, r->body[i], K ? place : speed, K ? speed : NULL, row);
    }
    for (int i = 0; i < k->p->n_args && !K == !m->still; i++) {
        const ph_argument *a = &k->p->arg[i];
        if (a->kind == PH_ARG_STATE)
            row[place_of(&r->cols, m->own[a->index].node) + a->component] += k->g[i];
    }
}

void ph_reach_put(const ph_mechanism *m, const ph_reach *r, double f, const double *row, const double *col,
                  double *out)
{
    for (int i = 0; i < r->rows.n; i++)
        for (int j = 0; j < r->cols.n; j++) {
            int n = node_dim(m, r->rows.node[i]), cols = node_dim(m, r->cols.node[j]);
            const double *a = row + r->rows.at[i], *b = col + r->cols.at[j];
            double *o = out + r->pair[i * r->cols.n + j];
            for (int k = 0; k < n; k++)
                for (int l = 0; l < cols && a[k] != 0; l++)
                    o[k * cols + l] += f * a[k] * b[l];
        }
}
