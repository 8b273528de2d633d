/* States of the model: numbers x with x' = f(t, q, v, x), beside the motion.
 *
 * They are velocities of nodes of R^n with mass 1: M vdot + g = 0 with g = -f, C = -df/dv, K = -df/dq, so that every method
 * integrates them with its order for velocities. The positions of these nodes are the integrals of x, which nothing reads.
 *
 * In statics velocities are 0, and there is no x that way. Then positions are the states: g = -f(x) = 0 is their equilibrium,
 * K = -df/dx (mechanism.still). */
#include "mech/reach.h"

#include <string.h>

#include "base/difference.h"
#include "mech/carry.h"

const double *ph_state_numbers(const ph_mechanism *m, const ph_state *s, int state)
{
    return m->still ? s->q + m->own[state].q : s->v + m->own[state].v;
}

/* ---- derivatives of functions, traced or not ------------------------------------------------------- */

static double component(ph_vec3 a, int k)
{
    return k == 0 ? a.x : k == 1 ? a.y : a.z;
}

/* A number of a body moves: by place or by speed, 0 to 5. */
static double shift(ph_body_state *b, int what, int i, int side)
{
    ph_vec3 size = what == PH_BY_SPEED ? (i < 3 ? b->v : b->omega) : i < 3 ? b->x : ph_v3(0, 0, 0);
    double e = PH_DIFFERENCE * fmax(1, fabs(component(size, i % 3)));
    ph_vec3 by = ph_v3(i % 3 == 0 ? side * e : 0, i % 3 == 1 ? side * e : 0, i % 3 == 2 ? side * e : 0);
    if (what == PH_BY_SPEED && i < 3)
        b->v = ph_add(b->v, by);
    else if (what == PH_BY_SPEED)
        b->omega = ph_add(b->omega, by);
    else if (i < 3)
        b->x = ph_add(b->x, by);
    else
        b->q = ph_qmul(b->q, (ph_quat){sqrt(1 - e * e / 4), by.x / 2, by.y / 2, by.z / 2});
    return e;
}

/* d(result n of f) by body and what, differenced; d: n x 6 */
static ph_status by_body(ph_scene *at, const ph_function *f, int n, int body, int what, double *d)
{
    ph_body_state *b = (ph_body_state *)&at->bodies[body], kept = *b;
    for (int i = 0; i < 6; i++) {
        double y[2][PH_SENSOR_MAX], e = 1;
        for (int side = 0; side < 2; side++) {
            e = shift(b, what, i, side ? 1 : -1);
            ph_status status = ph_function_values(at, f, n, y[side]);
            *b = kept;
            if (status != PH_OK)
                return status;
        }
        for (int k = 0; k < n; k++)
            d[6 * k + i] = (y[1][k] - y[0][k]) / (2 * e);
    }
    return PH_OK;
}

static ph_status by_state(ph_scene *at, const ph_function *f, int n, const ph_nodes *nodes, int state,
                          int size, double *rows)
{
    const ph_mechanism *m = at->m;
    int place = 0;
    while (nodes->node[place] != m->own[state].node)
        place++;
    for (int i = 0; i < m->own[state].n; i++) {
        double y[2][PH_SENSOR_MAX], x = ph_state_numbers(m, at->s, state)[i],
                                    e = PH_DIFFERENCE * fmax(1, fabs(x));
        ph_status status = PH_OK;
        for (int side = 0; side < 2 && status == PH_OK; side++) {
            at->moved = state + 1, at->moved_number = i, at->moved_by = side ? e : -e;
            status = ph_function_values(at, f, n, y[side]);
        }
        at->moved = 0;
        if (status != PH_OK)
            return status;
        for (int k = 0; k < n; k++)
            rows[k * size + nodes->at[place] + i] += (y[1][k] - y[0][k]) / (2 * e);
    }
    return PH_OK;
}

/* Rows of all n results, differenced. */
static ph_status differenced(const ph_mechanism *m, const ph_state *s, const ph_reach *r,
                             const ph_function *f, int n, int K, double *rows)
{
    int size = r->cols.size;
    ph_states_of(m, s, m->states);
    ph_scene at = ph_scene_of(m, s, m->states);
    ph_status status = PH_OK;
    for (int i = 0; i < r->n_bodies && status == PH_OK; i++) {
        double place[6 * PH_SENSOR_MAX] = {0}, speed[6 * PH_SENSOR_MAX] = {0};
        status = by_body(&at, f, n, r->body[i], PH_BY_SPEED, speed);
        if (status == PH_OK && K)
            status = by_body(&at, f, n, r->body[i], PH_BY_PLACE, place);
        for (int k = 0; k < n && status == PH_OK; k++)
            ph_nodes_add(m, s, &r->cols, r->body[i], (K ? place : speed) + 6 * k, K ? speed + 6 * k : NULL,
                         rows + k * size);
    }
    for (int i = 0; i < r->n_states && !K == !m->still && status == PH_OK; i++)
        status = by_state(&at, f, n, &r->cols, r->state[i], size, rows);
    return status;
}

/* All rows df/dq or df/dv at once, n x cols.size. */
ph_status ph_reach_rows(const ph_mechanism *m, const ph_state *s, const ph_reach *r, const ph_function *f,
                        int n, int K, double *rows)
{
    ph_scene at = ph_scene_of(m, s, NULL);
    ph_formula k;
    double y[PH_SENSOR_MAX];
    int ok = ph_formula_open(&k, &at, f, n, y) && ph_formula_partials(&k, 1);
    memset(rows, 0, sizeof(double) * (size_t)(n * r->cols.size));
    for (int i = 0; i < n && ok; i++) {
        ok = ph_formula_gradient(&k, i);
        if (ok)
            ph_reach_columns(m, s, r, &k, K, rows + i * r->cols.size);
    }
    ph_formula_close(&k);
    if (ok)
        return PH_OK;
    memset(rows, 0, sizeof(double) * (size_t)(n * r->cols.size));
    return differenced(m, s, r, f, n, K, rows);
}

/* ---- terms ------------------------------------------------------------------------------------------ */

/* Mass 1, and nothing where positions are the states. */
void ph_states_M(const ph_mechanism *m, double *out)
{
    for (const ph_own_state *x = m->own, *end = x + m->model->n_states; x < end; x++)
        for (int i = 0; i < x->n; i++)
            out[x->M + i * (x->n + 1)] = 1;
}

ph_status ph_states_g(const ph_mechanism *m, const ph_state *s, double *out)
{
    for (int k = 0; k < m->model->n_states; k++) {
        const ph_own_state *x = &m->own[k];
        double rate[PH_SENSOR_MAX];
        ph_scene at = ph_scene_of(m, s, NULL);
        ph_status status = ph_function_values(&at, &m->model->state[k].rate, x->n, rate);
        if (status != PH_OK)
            return status;
        for (int i = 0; i < x->n; i++)
            out[x->v + i] = -rate[i];
    }
    return PH_OK;
}

/* K 1: K, else C; adds. */
ph_status ph_states_tangent(const ph_mechanism *m, const ph_state *s, int K, double *out)
{
    for (int k = 0; k < m->model->n_states; k++) {
        const ph_own_state *x = &m->own[k];
        const ph_reach *r = x->reach;
        double unit[PH_SENSOR_MAX] = {0};
        ph_status status = ph_reach_rows(m, s, r, &m->model->state[k].rate, x->n, K, m->rows);
        for (int i = 0; i < x->n && status == PH_OK; i++) {
            unit[i] = 1;
            ph_reach_put(m, r, -1, unit, m->rows + i * r->cols.size, out);
            unit[i] = 0;
        }
        if (status != PH_OK)
            return status;
    }
    return PH_OK;
}

void ph_states_initial(const ph_mechanism *m, double *q, double *v)
{
    for (int k = 0; k < m->model->n_states; k++)
        for (int i = 0; i < m->own[k].n; i++)
            q[m->own[k].q + i] = 0, v[m->own[k].v + i] = m->model->state[k].initial[i];
}

/* ---- efforts ---------------------------------------------------------------------------------------- */

ph_status ph_effort_value(const ph_mechanism *m, const ph_state *s, const ph_function *f, double *out)
{
    ph_scene at = ph_scene_of(m, s, NULL);
    return ph_function_values(&at, f, 1, out);
}

/* -b^T du: what the effort of an actuator that is a function adds to C or K. */
ph_status ph_effort_tangent(const ph_mechanism *m, const ph_state *s, const ph_force *f,
                            const ph_vec3 b[PH_SLOTS], int K, double *out)
{
    const ph_reach *r = f->reach;
    double row[2 * PH_SIDE_MAX] = {0}, six[6];
    ph_status status = ph_reach_rows(m, s, r, &f->actuator->f, 1, K, m->rows);
    for (int side = 0; side < 2 && status == PH_OK; side++) {
        if (f->body[side] < 0)
            continue;
        ph_store3(six, b[2 * side]), ph_store3(six + 3, b[2 * side + 1]);
        ph_nodes_add(m, s, &r->rows, f->body[side], six, NULL, row);
    }
    if (status == PH_OK)
        ph_reach_put(m, r, -m->load, row, m->rows, out);
    return status;
}
