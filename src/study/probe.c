/* What is compared of two states of a system. */
#include "study/probe.h"
#include "mech/model.h"
#include "mech/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int add_part(ph_probe *p, ph_group group, int n)
{
    int dim = ph_group_dim(group, n), size = ph_group_size(group, n);
    p->part[p->n_parts++] = (ph_part){group, n, p->nq, p->nv};
    p->nq += size, p->nv += dim;
    return size + dim;
}

/* R^3 x SO(3) as two elements: log of the product is (x_b - x_a, log(R_a^-1 R_b)). */
static int add_parts(ph_probe *p)
{
    int largest = 8, n; /* a quaternion and its logarithm, for sensors */
    for (int i = 0; p->model && i < p->model->n_bodies; i++) {
        add_part(p, PH_RN, 3);
        if (!p->model->body[i].particle)
            add_part(p, PH_SO3, 0);
    }
    for (int i = 0; !p->model && i < p->sys->n_nodes; i++) {
        n = add_part(p, p->sys->nodes[i].group, p->sys->nodes[i].n);
        largest = n > largest ? n : largest;
    }
    return largest;
}

/* Rows of joints and user constraints: the latter are the last ones of the system. */
static int count_lambda(const ph_probe *p)
{
    int nl = 0, rows;
    if (!p->model)
        return ph_system_nl(p->sys);
    for (int k = 0; k < p->model->n_joints; k++) {
        ph_mechanism_lambda(p->mech, k, &rows);
        nl += rows;
    }
    for (int k = 0; k < p->model->n_constraints; k++)
        nl += p->model->constraint[k].rows;
    return nl;
}

ph_probe *ph_probe_create(const ph_system *sys, const ph_model *model, ph_mechanism *mech, int n,
                          const int *sensors)
{
    if (n > PH_PROBE_SENSORS || (n && !model))
        return NULL;
    ph_probe *p = calloc(1, sizeof *p);
    size_t parts = model ? 2 * (size_t)model->n_bodies : (size_t)sys->n_nodes;
    if (!p)
        return NULL;
    *p = (ph_probe){.sys = sys, .model = model, .mech = mech, .n_sensors = n, .n_measures = PH_OF_SENSOR + n};
    p->part = calloc(parts, sizeof *p->part);
    if (p->part)
        p->work = calloc((size_t)add_parts(p), sizeof *p->work);
    if (!p->work) {
        ph_probe_destroy(p);
        return NULL;
    }
    p->nl = count_lambda(p);
    p->size = p->nq + 2 * p->nv + p->nl;
    for (int k = 0; k < n; k++) {
        p->sensor[k] = sensors[k];
        p->sensor_at[k] = p->size;
        p->sensor_size[k] = model->sensor[sensors[k]].size;
        p->size += p->sensor_size[k];
    }
    return p;
}

void ph_probe_destroy(ph_probe *p)
{
    if (!p)
        return;
    free(p->part);
    free(p->work);
    free(p);
}

void ph_probe_rewind(ph_probe *p)
{
    if (p->mech)
        ph_mechanism_rewind(p->mech);
}

void ph_probe_pass(ph_probe *p, const ph_state *s)
{
    if (p->mech)
        ph_mechanism_track(p->mech, s);
}

/* ---- rows --------------------------------------------------------------------------------------------- */

static void put_quat(double *to, ph_quat q)
{
    to[0] = q.w, to[1] = q.x, to[2] = q.y, to[3] = q.z;
}

static void read_bodies(ph_probe *p, const ph_state *s, double *row)
{
    double *v = row + p->nq, *vdot = v + p->nv;
    const ph_part *part = p->part;
    for (int i = 0; i < p->model->n_bodies; i++) {
        ph_body_state b;
        ph_mechanism_body(p->mech, s, i, &b);
        ph_store3(row + part->q, b.x);
        ph_store3(v + part->v, b.v);
        ph_store3(vdot + part->v, b.a);
        part++;
        if (p->model->body[i].particle)
            continue;
        put_quat(row + part->q, b.q);
        ph_store3(v + part->v, b.omega);
        ph_store3(vdot + part->v, b.omega_dot);
        part++;
    }
}

static void read_lambda(ph_probe *p, const ph_state *s, double *to)
{
    int rows, first = p->sys->n_constraints - p->model->n_constraints;
    for (int k = 0; k < p->model->n_joints; k++, to += rows) {
        int at = ph_mechanism_lambda(p->mech, k, &rows);
        memcpy(to, s->lambda + at, (size_t)rows * sizeof *to);
    }
    for (int k = 0; k < p->model->n_constraints; k++, to += rows) {
        rows = p->model->constraint[k].rows;
        memcpy(to, s->lambda + s->l_at[first + k], (size_t)rows * sizeof *to);
    }
}

static void read_sensors(ph_probe *p, const ph_state *s, double *row)
{
    for (int k = 0; k < p->n_sensors; k++)
        if (ph_mechanism_sensor(p->mech, s, p->sensor[k], row + p->sensor_at[k]) != PH_OK)
            for (int i = 0; i < p->sensor_size[k]; i++)
                row[p->sensor_at[k] + i] = NAN;
}

void ph_probe_read(ph_probe *p, const ph_state *s, double *row)
{
    double *v = row + p->nq, *vdot = v + p->nv, *lambda = vdot + p->nv;
    ph_probe_pass(p, s);
    if (p->model) {
        read_bodies(p, s, row);
        read_lambda(p, s, lambda);
        read_sensors(p, s, row);
        return;
    }
    memcpy(row, s->q, (size_t)p->nq * sizeof *row);
    memcpy(v, s->v, (size_t)p->nv * sizeof *v);
    memcpy(vdot, s->vdot, (size_t)p->nv * sizeof *vdot);
    if (p->nl)
        memcpy(lambda, s->lambda, (size_t)p->nl * sizeof *lambda);
}

/* ---- distances ---------------------------------------------------------------------------------------- */

static double difference2(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

/* |log(a^-1 b)|^2 */
static double group_distance2(ph_group group, int n, const double *a, const double *b, double *work)
{
    const ph_group_ops *op = ph_group_get(group);
    double *x = work + ph_group_size(group, n), sum = 0;
    op->inverse(n, a, work);
    op->compose(n, work, b, work);
    op->log(n, work, x);
    for (int k = 0; k < ph_group_dim(group, n); k++)
        sum += x[k] * x[k];
    return sum;
}

void ph_probe_distance(ph_probe *p, const double *a, const double *b, double distance[PH_MEASURES])
{
    int v = p->nq, vdot = v + p->nv, lambda = vdot + p->nv;
    double sum = 0;
    for (int i = 0; i < p->n_parts; i++) {
        const ph_part *t = &p->part[i];
        sum += group_distance2(t->group, t->n, a + t->q, b + t->q, p->work);
    }
    distance[PH_OF_Q] = sqrt(sum);
    distance[PH_OF_V] = sqrt(difference2(p->nv, a + v, b + v));
    distance[PH_OF_VDOT] = sqrt(difference2(p->nv, a + vdot, b + vdot));
    distance[PH_OF_LAMBDA] = sqrt(difference2(p->nl, a + lambda, b + lambda));
    for (int k = 0; k < p->n_sensors; k++) {
        int at = p->sensor_at[k], turn = p->model->sensor[p->sensor[k]].type == PH_S_ROTATION;
        distance[PH_OF_SENSOR + k] = sqrt(turn ? group_distance2(PH_SO3, 0, a + at, b + at, p->work)
                                               : difference2(p->sensor_size[k], a + at, b + at));
    }
}
