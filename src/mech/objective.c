/* Objectives of the file and its sensors: their values, and their derivatives by coordinates of the space.
 *
 * A function of the file sees bodies and sensors. It is differentiated by the coordinates of those bodies that it
 * looked at, node by node, q o exp(e unit), and by their velocities and accelerations as far as it looked at them,
 * and by the multipliers of the joints whose reactions it saw, and by the states of the model. So it is the same in every
 * space. Functions that were
 * traced have exact derivatives instead (objective_exact.c). */
#include "mech/argument.h"
#include "mech/mech.h"

#include <string.h>

#include "base/difference.h"
#include "base/quotient.h"
#include "lie/so3.h"

typedef struct ph_look {
    ph_sight sight; /* first: it is what the function gets */
    ph_mechanism *m;
    const ph_state *s;         /* what is looked at */
    const ph_objective_def *o; /* NULL: a sensor is looked at, */
    int of, number;            /* this number of it */
    ph_objective_part part;
    int exact;             /* the function was traced: what is left is the distance from data */
    unsigned char *joint;  /* of all joints: its multipliers were seen */
    unsigned char *couple; /* the same of couplings */
    double *q, *v, *vdot, *lambda;
    ph_mat3 *R;
    ph_state moved; /* with these */
} ph_look;

struct ph_look *ph_look_take(size_t bodies, size_t numbers, size_t joints, size_t couplings, size_t rows,
                             ph_arena *a)
{
    ph_look none, *look = ph_arena_take(a, 1, sizeof *look);
    ph_look *l = a->base ? look : &none;
    size_t n = numbers, d = sizeof(double);
    l->sight.body = ph_arena_take(a, bodies, 1);
    l->joint = ph_arena_take(a, joints, 1);
    l->couple = ph_arena_take(a, couplings, 1);
    l->q = ph_arena_take(a, n, d);
    l->v = ph_arena_take(a, n, d);
    l->vdot = ph_arena_take(a, n, d);
    l->lambda = ph_arena_take(a, rows, d);
    l->R = ph_arena_take(a, bodies, sizeof *l->R);
    return look;
}

/* ---- what is seen --------------------------------------------------------------------------------- */

static void see(ph_look *l, int body, int depth)
{
    if (body >= 0 && l->sight.body[body] < depth)
        l->sight.body[body] = (unsigned char)depth;
}

static void see_joint(ph_look *l, int joint, int depth)
{
    see(l, l->m->model->joint[joint].body[0], depth);
    see(l, l->m->model->joint[joint].body[1], depth);
}

static void see_element(ph_look *l, int element, int depth)
{
    see(l, l->m->model->force[element].body[0], depth);
    see(l, l->m->model->force[element].body[1], depth);
}

static void see_effort(ph_look *l, const ph_sensor_def *d)
{
    const ph_model *model = l->m->model;
    if (d->of_kind == PH_OF_ACTUATOR) {
        const ph_function *f = &model->actuator[d->of].f;
        see_joint(l, model->actuator[d->of].joint, PH_SEEN_SPEED);
        for (int b = 0; f->call && !f->traced->program && b < model->n_bodies; b++)
            see(l, b, PH_SEEN_SPEED);
        for (int b = 0; f->call && b < f->traced->n_bodies; b++)
            see(l, f->traced->body[b], PH_SEEN_SPEED);
    } else if (d->of_kind == PH_OF_COUPLING) {
        see_joint(l, model->coupling[d->of].joint[1], PH_SEEN_SPEED);
        l->couple[d->of] = 1;
    } else {
        see_joint(l, d->of, PH_SEEN_SPEED);
        l->joint[d->of] = 1;
    }
}

/* What the keys of a sensor name; functions of custom sensors that are not traced tell of the bodies themselves. */
static void see_sensor(ph_look *l, const ph_sensor_def *d, const ph_sensor_row *row)
{
    int depth = row->op->depth;
    if (row->keys & PH_KEY_BODY)
        see(l, d->body, depth);
    if (row->keys & PH_KEY_JOINT)
        see_joint(l, d->joint, depth);
    if (row->op->multipliers)
        l->joint[d->joint] = 1;
    if (row->keys & PH_KEY_ELEMENT)
        see_element(l, d->element, depth);
    if (row->keys & PH_KEY_OF)
        see_effort(l, d);
    for (int b = 0; d->f.traced && b < d->f.traced->n_bodies; b++)
        see(l, d->f.traced->body[b], d->f.traced->depth);
    for (int b = 0; !row->keys && b < l->m->model->n_bodies; b++)
        see(l, b, depth);
}

static ph_status sensor(ph_sight *sight, int k, double *out)
{
    ph_look *l = (ph_look *)sight;
    const ph_sensor_def *d = &l->m->model->sensor[k];
    const ph_sensor_row *row = ph_sensor_row_of(d);
    if (row->op->depth == PH_NOT_SEEN) /* sums over the run have no derivatives by the state */
        return PH_E_CALLBACK;
    see_sensor(l, d, row);
    return ph_mechanism_sensor(l->m, l->s, k, out);
}

/* ---- data ----------------------------------------------------------------------------------------- */

/* The last row of [0, rows - 1) that is not after t. */
static int row_before(const ph_objective_def *o, double t)
{
    int low = 0, high = o->rows - 2;
    while (low < high) {
        int mid = (low + high + 1) / 2;
        if (o->t[mid] <= t)
            low = mid;
        else
            high = mid - 1;
    }
    return low;
}

/* Times of a run and of its table agree up to round-off. */
#define SAME_TIME 1e-9

/* Weights of the rows from *first on at time t: a cubic through four of them, or fewer where there are no more;
 * their number, 0: there are no data at this time. At a row it is the row. */
static int weigh(const ph_objective_def *o, double t, int *first, double w[4])
{
    double slack = SAME_TIME * (o->t[o->rows - 1] - o->t[0]);
    if (!(t >= o->t[0] - slack && t <= o->t[o->rows - 1] + slack))
        return 0;
    int n = o->rows < 4 ? o->rows : 4, k = o->rows > 1 ? row_before(o, t) : 0;
    k = k - 1 + n > o->rows ? o->rows - n : k - 1;
    *first = k < 0 ? 0 : k;
    for (int i = 0; i < n; i++) {
        w[i] = 1;
        for (int j = 0; j < n; j++)
            if (j != i)
                w[i] *= (t - o->t[*first + j]) / (o->t[*first + i] - o->t[*first + j]);
    }
    return n;
}

/* |sensor - data|^2; of quaternions the nearer of the two that are the same rotation */
static ph_status add_distance(ph_look *l, double *sum)
{
    const ph_objective_def *o = l->o;
    double x[PH_SENSOR_MAX], y[PH_SENSOR_MAX] = {0}, w[4], dot = 0;
    int first = 0, n = weigh(o, l->s->t, &first, w);
    if (n == 0)
        return PH_OK;
    ph_status status = sensor(&l->sight, o->sensor, x);
    if (status != PH_OK)
        return status;
    for (int k = 0; k < o->size; k++) {
        for (int i = 0; i < n; i++)
            y[k] += w[i] * o->x[(first + i) * o->size + k];
        dot += x[k] * y[k];
    }
    double sign = ph_sensor_row_of(&l->m->model->sensor[o->sensor])->op->quaternion && dot < 0 ? -1 : 1;
    for (int k = 0; k < o->size; k++)
        *sum += (x[k] - sign * y[k]) * (x[k] - sign * y[k]);
    return PH_OK;
}

/* ---- values --------------------------------------------------------------------------------------- */

int ph_objective_has(const ph_model *model, int objective, ph_objective_part part)
{
    const ph_objective_def *o = &model->objective[objective];
    return part == PH_AT_THE_END ? o->final.call != NULL : o->integral.call || o->data;
}

/* With the states of all bodies in m->states. */
static ph_status value_of(ph_look *l, const ph_state *s, double *value)
{
    double x[PH_SENSOR_MAX];
    if (!l->o) {
        l->s = s;
        ph_status known = sensor(&l->sight, l->of, x);
        *value = known == PH_OK ? x[l->number] : 0;
        return known;
    }
    ph_function f = l->part == PH_AT_THE_END ? l->o->final : l->o->integral;
    ph_status status = PH_OK;
    *value = 0;
    l->s = s;
    f.sight = &l->sight;
    ph_scene at = ph_scene_of(l->m, s, l->m->states);
    if (f.call && !l->exact)
        status = ph_function_ask(&at, &f, l->m->states, 1, value);
    if (status == PH_OK && l->part == PH_ON_THE_WAY && l->o->data)
        status = add_distance(l, value);
    return status;
}

/* ---- derivatives ---------------------------------------------------------------------------------- */

static void begin_moves(ph_look *l, const ph_state *s)
{
    const ph_mechanism *m = l->m;
    size_t d = sizeof(double);
    memcpy(l->q, s->q, d * (size_t)m->nq);
    memcpy(l->v, s->v, d * (size_t)m->nv);
    memcpy(l->vdot, s->vdot, d * (size_t)m->nv);
    if (m->nl)
        memcpy(l->lambda, s->lambda, d * (size_t)m->nl);
    if (m->nR)
        memcpy(l->R, s->R, sizeof *l->R * (size_t)m->nR);
    l->moved = *s;
    l->moved.q = l->q, l->moved.v = l->v, l->moved.vdot = l->vdot, l->moved.lambda = l->lambda;
    l->moved.R = l->R;
}

/* The number of one kind that moves: node >= 0: coordinate k of the node; else *x. */
typedef struct move {
    int body; /* whose state changes; -1: none */
    int node, k;
    double *x;
} move;

/* By e from where s has it. */
static void set(ph_look *l, const ph_state *s, const move *at, double e, double x0)
{
    if (at->node < 0) {
        *at->x = x0 + e;
        return;
    }
    const ph_node *node = &l->m->node[at->node];
    const ph_group_ops *op = ph_group_get(node->group);
    int dim = ph_group_dim(node->group, node->n), q = s->q_at[at->node];
    if (op->rot < 0) { /* R^n, of any n */
        l->q[q + at->k] = s->q[q + at->k] + e;
        return;
    }
    double y[PH_DIM_MAX + 1] = {0}, exp[PH_DIM_MAX + 2];
    y[at->k] = e;
    op->exp(dim, y, exp);
    op->compose(dim, s->q + q, exp, l->q + q);
    if (op->quat >= 0)
        l->R[s->R_at[at->node]] = ph_qmat(ph_quat_load(l->q + q + op->quat));
}

/* The states that change with the coordinates of a body: its own, and those of its markers. */
static void look_again(ph_look *l, const ph_state *s, int body)
{
    const ph_mechanism *m = l->m;
    if (body < 0)
        return;
    ph_mechanism_body(m, s, body, &m->states[body]);
    for (int b = 0; b < m->model->n_bodies && m->body[body].flex >= 0; b++)
        if (m->body[b].frame == body)
            ph_mechanism_body(m, s, b, &m->states[b]);
}

static ph_status differentiate(ph_look *l, const ph_state *s, const move *at, double *out)
{
    static const int place[] = {-2, -1, 1, 2};
    ph_quotient best = PH_QUOTIENT_NONE;
    double x0 = at->node < 0 ? *at->x : 0, e = PH_DIFFERENCE_FIRST * fmax(1, fabs(x0));
    ph_status status = PH_OK;
    for (int n = 0; n < PH_QUOTIENT_TRIES && status == PH_OK; n++, e /= 8) {
        double f[4];
        for (int k = 0; k < 4 && status == PH_OK; k++) {
            set(l, s, at, place[k] * e, x0);
            look_again(l, &l->moved, at->body);
            status = value_of(l, &l->moved, &f[k]);
        }
        if (status == PH_OK && ph_quotient_try(&best, f, e))
            break;
    }
    set(l, s, at, 0, x0);
    look_again(l, s, at->body);
    *out += best.value;
    return status;
}

/* Where coordinates are the physical ones, depth by depth; elsewhere speeds depend on places. */
static ph_status by_body(ph_look *l, const ph_state *s, int body, int depth, const ph_covector *g)
{
    const ph_body *b = &l->m->body[body];
    ph_status status = PH_OK;
    for (int i = 0; i < b->nodes; i++) {
        int node = b->node[0] + i, at = s->v_at[node];
        int dim = ph_group_dim(l->m->node[node].group, l->m->node[node].n);
        for (int k = 0; k < dim && status == PH_OK; k++) {
            status = differentiate(l, s, &(move){body, node, k, NULL}, g->W + at + k);
            if (status == PH_OK && depth >= PH_SEEN_SPEED)
                status = differentiate(l, s, &(move){body, -1, 0, l->v + at + k}, g->v + at + k);
            if (status == PH_OK && depth >= PH_SEEN_ACCELERATION)
                status = differentiate(l, s, &(move){body, -1, 0, l->vdot + at + k}, g->vdot + at + k);
        }
    }
    return status;
}

/* The marks are made at s itself: what a function looks at elsewhere does not count. */
static ph_status by_state(ph_look *l, const ph_state *s, const ph_covector *g)
{
    const ph_mechanism *m = l->m;
    ph_status status = PH_OK;
    begin_moves(l, s);
    for (int b = 0; b < m->model->n_bodies; b++) /* who looks at a marker looks at the frame */
        see(l, m->body[b].frame, l->sight.body[b]);
    for (int b = 0; b < m->model->n_bodies && status == PH_OK; b++)
        if (l->sight.body[b] && m->body[b].marker < 0)
            status = by_body(l, s, b, l->sight.body[b], g);
    for (int j = 0; j < m->model->n_joints && status == PH_OK; j++) {
        int rows = 0, at = l->joint[j] ? ph_mechanism_lambda(m, j, &rows) : 0;
        for (int k = 0; k < rows && status == PH_OK; k++)
            status = differentiate(l, s, &(move){-1, -1, 0, l->lambda + at + k}, g->lambda + at + k);
    }
    for (int c = 0; c < m->model->n_couplings && status == PH_OK; c++)
        if (l->couple[c]) {
            int at = m->couple[c].l_at;
            status = differentiate(l, s, &(move){-1, -1, 0, l->lambda + at}, g->lambda + at);
        }
    for (int k = 0; k < m->model->n_states; k++) /* efforts and functions may read any */
        for (int i = 0, at = m->own[k].v; i < m->own[k].n && status == PH_OK; i++)
            status = differentiate(l, s, &(move){-1, -1, 0, l->v + at + i}, g->v + at + i);
    return status;
}

static void see_nothing(ph_mechanism *m, ph_look *l)
{
    l->m = m, l->sight.sensor = sensor;
    memset(l->sight.body, 0, (size_t)m->model->n_bodies);
    memset(l->joint, 0, (size_t)m->model->n_joints);
    if (m->model->n_couplings)
        memset(l->couple, 0, (size_t)m->model->n_couplings);
}

ph_status ph_mechanism_sensed(ph_mechanism *m, const ph_state *s, int of, int number, double *value,
                              const ph_covector *g)
{
    const ph_sensor_def *d = &m->model->sensor[of];
    ph_look *l = m->look;
    if (d->f.call && ph_function_exact(m, s, &d->f, d->size, number, value, g))
        return PH_OK;
    see_nothing(m, l);
    l->o = NULL, l->of = of, l->number = number, l->exact = 0;
    for (int b = 0; b < m->model->n_bodies; b++)
        ph_mechanism_body(m, s, b, &m->states[b]);
    ph_status status = value_of(l, s, value);
    return status == PH_OK && g ? by_state(l, s, g) : status;
}

ph_status ph_mechanism_objective(ph_mechanism *m, const ph_state *s, int objective, ph_objective_part part,
                                 double *value, const ph_covector *g)
{
    ph_look *l = m->look;
    *value = 0;
    if (!ph_objective_has(m->model, objective, part))
        return PH_OK;
    see_nothing(m, l);
    l->o = &m->model->objective[objective], l->part = part;
    const ph_function *f = part == PH_AT_THE_END ? &l->o->final : &l->o->integral;
    double own = 0;
    ph_function seeing = *f; /* should it be called */
    seeing.sight = &l->sight, l->s = s;
    l->exact = f->call && ph_function_exact(m, s, &seeing, 1, 0, &own, g);
    *value = own;
    if (l->exact && !(part == PH_ON_THE_WAY && l->o->data))
        return PH_OK;
    for (int b = 0; b < m->model->n_bodies; b++)
        ph_mechanism_body(m, s, b, &m->states[b]);
    ph_status status = value_of(l, s, value);
    if (status == PH_OK && g)
        status = by_state(l, s, g);
    *value += l->exact ? own : 0;
    return status;
}
