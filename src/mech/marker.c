/* Markers of flexible bodies: points with axes, which move as those of bodies do.
 *
 *   p = x + R r,  r = X + Psi zeta + w(zeta),  r' = dr/dzeta = Psi + w',
 *   R_i = R E,  E = exp(th),  th = Th zeta                                                             (X21)
 *   pdot = xdot + R (Omega x r + r' zetadot),  omega = E^T Omega + T(th) Th zetadot                    (X22)
 *   D = [I, -R tilde(r), R r';  0, E^T, T(th) Th],  V = [0, -R tilde(Omega x r + r' zetadot),
 *        R (tilde(Omega) r' + d(r' zetadot)/dzeta);  0, 0, (tilde(E^T Omega) T(th) + d(T(th) thdot)/dth) Th]
 *                                                                                                      (X23)
 *   D^T f = (f, r x fb + E m, r'^T fb + Th^T T(th)^T m),  fb = R^T f, and its derivatives
 *     by phi:   (0, tilde(r) tilde(fb), r'^T tilde(fb))
 *     by zeta:  (0, -tilde(fb) r' - E tilde(m) T(th) Th, sum_a fb_a w_a'' + Th^T d(T(th)^T m)/dth Th) (X24)
 *
 * w'' = -KG of unit forces at the marker: a force that joints or loads put there stiffens or softens the
 * body. */
#include "mech/modal.h"

#include <string.h>

#include "lie/so3.h"

enum { F = PH_MODES_MAX };

typedef struct point {
    const ph_marker *m;
    const double *KG; /* of unit forces along x, y, z; NULL: w = 0 */
    int f, n;
    ph_vec3 r, th, rate; /* of its rotation: thdot */
    ph_vec3 c;           /* Omega x r + r' zetadot */
    ph_mat3 E, T;
    ph_form form;          /* of T */
    double slope[3 * F];   /* r' */
    double turn[3 * F];    /* T Th */
    double bending[3 * F]; /* d(r' zetadot)/dzeta */
} point;

static ph_vec3 times(const double *A, int f, const double *x)
{
    double y[3] = {0};
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < f; k++)
            y[a] += A[a * f + k] * x[k];
    return ph_load3(y);
}

static ph_vec3 column(const double *A, int f, int k)
{
    return ph_v3(A[k], A[f + k], A[2 * f + k]);
}

/* out (3 x f) = w'' z */
static void bend(const point *p, const double *z, double *out)
{
    int f = p->f;
    memset(out, 0, sizeof(double) * (size_t)(3 * f));
    for (int i = 0; i < 3 * f && p->KG; i++)
        for (int l = 0; l < f; l++)
            out[i] -= p->KG[i * f + l] * z[l];
}

static void put_column(double *A, int n, int k, ph_vec3 a)
{
    A[k] = a.x, A[n + k] = a.y, A[2 * n + k] = a.z;
}

static void point_of(const ph_modal_site *s, int marker, point *p)
{
    int f = s->r->modes;
    p->m = &s->r->marker[marker], p->f = f, p->n = 6 + f;
    p->KG = s->r->KG ? ph_reduced_KG(s->r, PH_KG_MARKERS + 3 * marker) : NULL;
    bend(p, s->zeta, p->slope);
    bend(p, s->zdot, p->bending);
    p->r = ph_add(ph_add(p->m->X, times(p->m->Psi, f, s->zeta)), ph_scale(0.5, times(p->slope, f, s->zeta)));
    for (int i = 0; i < 3 * f; i++)
        p->slope[i] += p->m->Psi[i];
    p->th = times(p->m->Th, f, s->zeta), p->rate = times(p->m->Th, f, s->zdot);
    ph_stumpff c = ph_stumpff_of(p->th);
    p->form = ph_form_T(c);
    p->E = ph_qmat(ph_so3_exp(c, p->th)), p->T = ph_form_mat(p->form, p->th);
    for (int k = 0; k < f; k++)
        put_column(p->turn, f, k, ph_mul(p->T, column(p->m->Th, f, k)));
    p->c = ph_add(ph_cross(s->k.w, p->r), times(p->slope, f, s->zdot));
}

void ph_marker_kin(const ph_modal_site *s, int marker, ph_kin *k)
{
    point p;
    point_of(s, marker, &p);
    k->x = ph_add(s->k.x, ph_mul(s->k.R, p.r));
    k->v = ph_add(s->k.v, ph_mul(s->k.R, p.c));
    k->w = ph_add(ph_tmul(p.E, s->k.w), times(p.turn, p.f, s->zdot));
    k->q = ph_qmul(s->k.q, ph_so3_exp(ph_stumpff_of(p.th), p.th));
    k->R = ph_mmul(s->k.R, p.E);
}

/* (tilde(E^T Omega) T + d(T thdot)/dth) Th, column k (X23) */
static ph_vec3 turning(const ph_modal_site *s, const point *p, int k)
{
    ph_mat3 dT = ph_form_jac(p->form, p->th, p->rate, ph_cross(p->th, p->rate));
    return ph_add(ph_cross(ph_tmul(p->E, s->k.w), column(p->turn, p->f, k)),
                  ph_mul(dT, column(p->m->Th, p->f, k)));
}

/* D vdot + V v */
void ph_marker_acceleration(const ph_modal_site *s, int marker, ph_vec3 *a, ph_vec3 *omega_dot)
{
    point p;
    point_of(s, marker, &p);
    ph_vec3 in = ph_add(ph_cross(s->wdot, p.r), ph_cross(s->k.w, p.c));
    in = ph_add(in, ph_cross(s->k.w, times(p.slope, p.f, s->zdot)));
    in = ph_add(in, ph_add(times(p.slope, p.f, s->zddot), times(p.bending, p.f, s->zdot)));
    *a = ph_add(s->a, ph_mul(s->k.R, in));
    *omega_dot = ph_add(ph_tmul(p.E, s->wdot), times(p.turn, p.f, s->zddot));
    for (int k = 0; k < p.f; k++)
        *omega_dot = ph_add(*omega_dot, ph_scale(s->zdot[k], turning(s, &p, k)));
}

static void put3(double *A, int n, ph_mat3 B)
{
    ph_store3(A, ph_v3(B.xx, B.xy, B.xz));
    ph_store3(A + n, ph_v3(B.yx, B.yy, B.yz));
    ph_store3(A + 2 * n, ph_v3(B.zx, B.zy, B.zz));
}

void ph_marker_chain(const ph_modal_site *s, int marker, double *D, double *V)
{
    point p;
    point_of(s, marker, &p);
    int f = p.f, n = p.n;
    ph_mat3 R = s->k.R;
    memset(D, 0, sizeof(double) * (size_t)(6 * n));
    memset(V, 0, sizeof(double) * (size_t)(6 * n));
    put3(D, n, ph_diag3(1, 1, 1));
    put3(D + 3, n, ph_mtilde(R, ph_scale(-1, p.r)));
    put3(D + 3 * n + 3, n, ph_transpose(p.E));
    put3(V + 3, n, ph_mtilde(R, ph_scale(-1, p.c)));
    for (int k = 0; k < f; k++) {
        ph_vec3 slope = column(p.slope, f, k);
        put_column(D + 6, n, k, ph_mul(R, slope));
        put_column(D + 3 * n + 6, n, k, column(p.turn, f, k));
        put_column(V + 6, n, k, ph_mul(R, ph_add(ph_cross(s->k.w, slope), column(p.bending, f, k))));
        put_column(V + 3 * n + 6, n, k, turning(s, &p, k));
    }
}

/* (X24) */
void ph_marker_fold(const ph_modal_site *s, int marker, const double f[6], double *out)
{
    point p;
    point_of(s, marker, &p);
    int nf = p.f, n = p.n;
    ph_vec3 fb = ph_tmul(s->k.R, ph_load3(f)), m = ph_load3(f + 3);
    ph_mat3 turn = ph_tilde2(p.r, fb);
    ph_mat3 dT = ph_form_jac(ph_form_transpose(p.form), p.th, m, ph_cross(p.th, m));
    ph_add3(out + 3 * n + 3, ph_v3(turn.xx, turn.xy, turn.xz));
    ph_add3(out + 4 * n + 3, ph_v3(turn.yx, turn.yy, turn.yz));
    ph_add3(out + 5 * n + 3, ph_v3(turn.zx, turn.zy, turn.zz));
    for (int k = 0; k < nf; k++) {
        ph_vec3 slope = column(p.slope, nf, k), Th = ph_mul(dT, column(p.m->Th, nf, k));
        ph_vec3 by = ph_add(ph_cross(slope, fb), ph_mul(p.E, ph_cross(column(p.turn, nf, k), m)));
        double *o = out + 3 * n + 6 + k;
        o[0] += by.x, o[n] += by.y, o[2 * n] += by.z;
        ph_add3(out + (6 + k) * n + 3, ph_cross(slope, fb));
        for (int i = 0; i < nf; i++) {
            double *at = out + (6 + i) * n + 6 + k;
            *at += ph_dot(column(p.m->Th, nf, i), Th);
            for (int a = 0; a < 3 && p.KG; a++)
                *at -= (a == 0 ? fb.x : a == 1 ? fb.y : fb.z) * p.KG[(a * nf + i) * nf + k];
        }
    }
}
