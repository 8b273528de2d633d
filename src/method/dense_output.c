/* States between the ends of a step: Hermite interpolation on the group (K9), by divided differences with
 * triple nodes. */
#include "method/dense_output.h"

#include "la/small.h"

void ph_dense_take(ph_dense *d, const ph_layout *lay, ph_arena *a)
{
    size_t nv = (size_t)lay->nv;
    d->c = ph_arena_take(a, 3 * PH_DENSE_POINTS * nv, sizeof(double));
    d->slope = ph_arena_take(a, PH_DENSE_POINTS * nv, sizeof(double));
    d->bend = ph_arena_take(a, PH_DENSE_POINTS * nv, sizeof(double));
}

void ph_dense_tape(ph_dense *d, const ph_layout *lay, ph_tape *t)
{
    int most = 3 * PH_DENSE_POINTS;
    ph_tape_int(t, &d->n);
    ph_tape_numbers(t, &d->t, 1);
    ph_tape_numbers(t, &d->h, 1);
    ph_tape_numbers(t, d->z, most);
    ph_tape_numbers(t, d->c, most * lay->nv);
    if (d->n < 0 || d->n > most) /* no number of ours */
        d->n = 0;
}

/* Theta, h Theta' and h^2/2 Theta'' of one node (K9) */
static void chart(const ph_slot *i, double h, const ph_point *from, const ph_point *p, double *Theta,
                  double *slope, double *bend)
{
    const double *q0 = from->q + i->q_at, *q1 = p->q + i->q_at, *v = p->v + i->v_at,
                 *vdot = p->vdot + i->v_at;
    int n = i->dim;
    if (i->T_at < 0) {
        for (int k = 0; k < n; k++)
            Theta[k] = q1[k] - q0[k], slope[k] = h * v[k], bend[k] = 0.5 * h * h * vdot[k];
        return;
    }
    double inv[PH_DIM_MAX + 1], e[PH_DIM_MAX + 1], Tinv[PH_DIM_MAX * PH_DIM_MAX], D[PH_DIM_MAX * PH_DIM_MAX];
    i->op->inverse(n, q0, inv);
    i->op->compose(n, inv, q1, e);
    i->op->log(n, e, Theta);
    i->op->Tinv(n, Theta, Tinv);
    i->op->dTinv(n, Theta, v, D);
    ph_small_mul(n, Tinv, v, slope);
    ph_small_mul(n, Tinv, vdot, bend);
    ph_small_mul_add(n, n, D, slope, bend);
    for (int k = 0; k < n; k++)
        slope[k] *= h, bend[k] *= 0.5 * h * h;
}

void ph_dense_fit(ph_dense *d, const ph_layout *lay, int m, const ph_point *const *p)
{
    int nv = lay->nv;
    d->n = 3 * m, d->t = p[0]->t, d->h = p[m - 1]->t - p[0]->t;
    for (int j = 0; j < m; j++) {
        double *c = d->c + 3 * j * nv;
        for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++)
            chart(i, d->h, p[0], p[j], c + i->v_at, d->slope + j * nv + i->v_at, d->bend + j * nv + i->v_at);
        for (int k = 0; k < 3; k++)
            d->z[3 * j + k] = (p[j]->t - d->t) / d->h;
        for (int k = 0; k < nv; k++)
            c[nv + k] = c[2 * nv + k] = c[k];
    }
    for (int level = 1; level < d->n; level++)
        for (int i = d->n - 1; i >= level; i--) {
            double *c = d->c + i * nv, gap = d->z[i] - d->z[i - level];
            const double *given = (level == 1 ? d->slope : d->bend) + i / 3 * nv;
            for (int k = 0; k < nv; k++)
                c[k] = gap == 0 ? given[k] : (c[k] - c[k - nv]) / gap;
        }
}

void ph_dense_at(const ph_dense *d, const ph_layout *lay, const ph_point *from, ph_point *to)
{
    double s = (to->t - d->t) / d->h, T[PH_DIM_MAX * PH_DIM_MAX];
    for (const ph_slot *i = lay->slot, *end = i + lay->N; i < end; i++) {
        double x[PH_DIM_MAX], slope[PH_DIM_MAX], *q = to->q + i->q_at, *v = to->v + i->v_at;
        for (int k = 0; k < i->dim; k++) {
            const double *c = d->c + (d->n - 1) * lay->nv + i->v_at + k;
            double f = *c, df = 0;
            for (int j = d->n - 2; j >= 0; j--) {
                c -= lay->nv;
                df = df * (s - d->z[j]) + f;
                f = f * (s - d->z[j]) + *c;
            }
            if (i->T_at < 0)
                q[k] = from->q[i->q_at + k] + f, v[k] = df / d->h;
            else
                x[k] = f, slope[k] = df / d->h;
        }
        if (i->T_at < 0)
            continue;
        i->op->move(i->dim, from->q + i->q_at, x, q, T, NULL);
        ph_small_mul(i->dim, T, slope, v);
    }
    ph_point_rotations(to, lay);
}
