/* What is compared of two states of a system. */
#include "study/probe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int add_part(ph_probe *p, ph_group group, int n)
{
    int dim = ph_group_dim(group, n), size = ph_group_size(group, n);
    p->part[p->n_parts++] = (ph_probe_part){group, n, p->nq, p->nv};
    p->nq += size, p->nv += dim;
    return size + dim;
}

/* R^3 x SO(3) as two elements: log of the product is (x_b - x_a, log(R_a^-1 R_b)). */
static int add_parts(ph_probe *p)
{
    int largest = 8, n; /* a quaternion and its logarithm, for sensors */
    for (int i = 0; i < p->n_bodies; i++) {
        add_part(p, PH_RN, 3);
        if (!ph_run_is(p->run, PH_IS_PARTICLE, i))
            add_part(p, PH_SO3, 0);
    }
    for (int i = 0; !p->run && i < p->sys->n_nodes; i++) {
        n = add_part(p, p->sys->nodes[i].group, p->sys->nodes[i].n);
        largest = n > largest ? n : largest;
    }
    return largest;
}

/* Rows of joints and user constraints. */
static int count_lambda(const ph_probe *p)
{
    int nl = 0;
    if (!p->run)
        return ph_system_nl(p->sys);
    for (int k = 0; k < p->n_ties; k++)
        nl += ph_run_size(p->run, PH_GET_MULTIPLIERS, k);
    return nl;
}

ph_probe *ph_probe_create(const ph_system *sys, ph_run *run, int n, const int *sensors)
{
    if (n > PH_PROBE_SENSORS || (n && !run))
        return NULL;
    ph_probe *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    *p = (ph_probe){.sys = sys, .run = run, .n_sensors = n, .n_measures = PH_OF_SENSOR + n};
    if (run)
        p->n_bodies = ph_run_count(run, PH_BODIES),
        p->n_ties = ph_run_count(run, PH_JOINTS) + ph_run_count(run, PH_CONSTRAINTS);
    size_t parts = run ? 2 * (size_t)p->n_bodies : (size_t)sys->n_nodes;
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
        p->sensor_size[k] = ph_run_size(run, PH_GET_SENSOR, sensors[k]);
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
    if (p->run)
        ph_run_count_turns(p->run, NULL);
}

void ph_probe_pass(ph_probe *p, const ph_state *s)
{
    if (p->run)
        ph_run_count_turns(p->run, s);
}

/* ---- rows --------------------------------------------------------------------------------------------- */

static void put(double *to, const double **from, int n)
{
    memcpy(to, *from, (size_t)n * sizeof *to);
    *from += n;
}

static void read_bodies(ph_probe *p, const ph_state *s, double *row)
{
    double *v = row + p->nq, *vdot = v + p->nv, motion[19];
    const ph_probe_part *x = p->part;
    for (int i = 0; i < p->n_bodies; i++) {
        const double *at = motion;
        const ph_probe_part *R = ph_run_is(p->run, PH_IS_PARTICLE, i) ? NULL : x + 1;
        ph_run_get_of(p->run, s, PH_GET_MOTION, i, motion);
        put(row + x->q, &at, 3);
        if (R)
            put(row + R->q, &at, 4);
        put(v + x->v, &at, 3);
        if (R)
            put(v + R->v, &at, 3);
        put(vdot + x->v, &at, 3);
        if (R)
            put(vdot + R->v, &at, 3);
        x += R ? 2 : 1;
    }
}

static void read_lambda(ph_probe *p, const ph_state *s, double *to)
{
    for (int k = 0; k < p->n_ties; k++) {
        ph_run_get_of(p->run, s, PH_GET_MULTIPLIERS, k, to);
        to += ph_run_size(p->run, PH_GET_MULTIPLIERS, k);
    }
}

static void read_sensors(ph_probe *p, const ph_state *s, double *row)
{
    for (int k = 0; k < p->n_sensors; k++)
        if (ph_run_get_of(p->run, s, PH_GET_SENSOR, p->sensor[k], row + p->sensor_at[k]) != PH_OK)
            for (int i = 0; i < p->sensor_size[k]; i++)
                row[p->sensor_at[k] + i] = NAN;
}

void ph_probe_read(ph_probe *p, const ph_state *s, double *row)
{
    double *v = row + p->nq, *vdot = v + p->nv, *lambda = vdot + p->nv;
    ph_probe_pass(p, s);
    if (p->run) {
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
        const ph_probe_part *t = &p->part[i];
        sum += group_distance2(t->group, t->n, a + t->q, b + t->q, p->work);
    }
    distance[PH_OF_Q] = sqrt(sum);
    distance[PH_OF_V] = sqrt(difference2(p->nv, a + v, b + v));
    distance[PH_OF_VDOT] = sqrt(difference2(p->nv, a + vdot, b + vdot));
    distance[PH_OF_LAMBDA] = sqrt(difference2(p->nl, a + lambda, b + lambda));
    for (int k = 0; k < p->n_sensors; k++) {
        int at = p->sensor_at[k], turn = ph_run_is(p->run, PH_IS_QUATERNION, p->sensor[k]);
        distance[PH_OF_SENSOR + k] = sqrt(turn ? group_distance2(PH_SO3, 0, a + at, b + at, p->work)
                                               : difference2(p->sensor_size[k], a + at, b + at));
    }
}
