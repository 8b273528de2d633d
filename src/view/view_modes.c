/* Frames of states that no run has passed, and shapes of vibrations.
 *
 * A mode Y of the linearised system moves the nodes to q exp(e Y). Seen by a body, with small e,
 *   dx = (x(q exp(e Y)) - x(q))/e,   dtheta = 2 vec(p(q)^-1 p(q exp(e Y)))/e
 * of its position x and quaternion p: the page adds up x + A Re((dx_re + i dx_im) exp(i phi)), and alike for rotations. */
#include "view/view_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SMALL 1e-6 /* e: both its square and round-off over it are far below a pixel */

ph_status ph_view_state(ph_view *v, ph_run *run, const ph_state *s, double t)
{
    if (v->n >= v->capacity)
        return PH_E_INPUT;
    float *f = v->data + (size_t)v->n * v->size;
    double *x = v->row;
    for (int b = 0; b < v->n_bodies; b++, f += v->per_body) {
        ph_view_place(v, run, s, b, x);
        for (int k = 0; k < v->per_body; k++)
            f[k] = (float)x[k];
    }
    f[0] = (float)t;
    for (int c = 0; c < v->n_channels; c++) {
        const ph_view_channel *at = &v->channel[c];
        int known = ph_run_get_of(run, s, at->what, at->index, x) == PH_OK;
        for (int k = 0; k < at->n; k++)
            f[at->first + k] = known ? (float)x[k] : 0;
    }
    v->n++;
    v->kind = v->kind == PH_VIEW_RUN ? PH_VIEW_STATIC : v->kind;
    return PH_OK;
}

/* ---- shapes ------------------------------------------------------------------------------------------- */

/* A state whose nodes can be moved. */
typedef struct moved {
    const ph_system *sys;
    const ph_state *from;
    ph_state s;
    double *q;
    ph_mat3 *R;
} moved;

static void move(moved *m, const double *Y)
{
    double step[64];
    for (int i = 0; i < m->sys->n_nodes; i++) {
        const ph_node *node = &m->sys->nodes[i];
        const ph_group_ops *op = ph_group_get(node->group);
        int dim = ph_group_dim(node->group, node->n), at = m->from->q_at[i];
        for (int k = 0; k < dim; k++)
            step[k] = SMALL * Y[m->from->v_at[i] + k];
        op->move(node->n, m->from->q + at, step, m->q + at, NULL, NULL);
        if (op->quat >= 0) {
            const double *p = m->q + at + op->quat;
            m->R[m->from->R_at[i]] = ph_qmat((ph_quat){p[0], p[1], p[2], p[3]});
        }
    }
}

/* Six numbers for each body, at every twelfth. */
static void see(const ph_view *v, ph_run *run, const moved *m, float *out)
{
    double a[7], b[7];
    for (int body = 0; body < v->n_bodies; body++, out += 12) {
        ph_view_place(v, run, m->from, body, a);
        ph_view_place(v, run, &m->s, body, b);
        ph_quat d = ph_qmul((ph_quat){a[3], -a[4], -a[5], -a[6]}, (ph_quat){b[3], b[4], b[5], b[6]});
        double sign = d.w < 0 ? -2 : 2;
        for (int k = 0; k < 3; k++)
            out[k] = (float)((b[k] - a[k]) / SMALL);
        out[3] = (float)(sign * d.x / SMALL), out[4] = (float)(sign * d.y / SMALL);
        out[5] = (float)(sign * d.z / SMALL);
    }
}

static int all_small(const ph_system *sys)
{
    for (int i = 0; i < sys->n_nodes; i++)
        if (ph_group_dim(sys->nodes[i].group, sys->nodes[i].n) > 64)
            return 0;
    return 1;
}

ph_status ph_view_modes(ph_view *v, ph_run *run, const ph_state *s, ph_modes *modes, int n)
{
    const ph_system *sys = ph_run_system(run);
    size_t nv = (size_t)ph_system_nv(sys), nq = (size_t)ph_system_nq(sys), bodies = (size_t)v->n_bodies;
    int count = ph_modes_get_info(modes).count;
    n = n < count ? n : count;
    double *Y = malloc((2 * nv + 1) * sizeof *Y);
    moved m = {sys, s, *s, malloc((nq + 1) * sizeof *m.q), malloc(((size_t)sys->n_nodes + 1) * sizeof *m.R)};
    v->value = malloc((2 * (size_t)n + 1) * sizeof *v->value);
    v->shape = calloc((size_t)n * 12 * bodies + 1, sizeof *v->shape);
    ph_status status = Y && m.q && m.R && v->value && v->shape ? PH_OK : PH_E_MEMORY;
    if (status == PH_OK && !all_small(sys))
        status = PH_E_INPUT;
    m.s.q = m.q, m.s.R = m.R;
    for (int k = 0; k < n && status == PH_OK; k++) {
        ph_modes_value(modes, k, &v->value[2 * k], &v->value[2 * k + 1]);
        v->n_modes = k + 1;
        ph_status known = ph_modes_shape(modes, k, Y, Y + nv, NULL);
        if (known == PH_E_MEMORY)
            status = known;
        if (known != PH_OK)
            continue; /* a mode without a shape has its frequency */
        for (int part = 0; part < 2; part++) {
            move(&m, Y + (size_t)part * nv);
            see(v, run, &m, v->shape + (size_t)k * 12 * bodies + 6 * part);
        }
    }
    free(Y), free(m.q), free(m.R);
    v->kind = PH_VIEW_MODES;
    for (int k = 0; k < 2 && status == PH_OK; k++)
        status = ph_view_state(v, run, s, k);
    return status;
}
