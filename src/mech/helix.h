/* Motion along a helix from one frame to another.
 *
 * Frames H(xi) = H_a exp(xi d), d = log(H_a^-1 H_b), 0 <= xi <= 1, have in their own axes the velocity
 *
 *   v(xi) = v_a + X (v_b - v_a),  X = (I - exp(-xi A))(I - exp(-A))^-1 = xi I + f A + g A^2           (B7)
 *
 * with A = hat(d). With p = |w|, d = (u, w), s = p^2 and kappa = 2 xi - 1 the scalars are
 *
 *   f = (cos(kappa p/2) - cos(p/2))/(2 p sin(p/2)),  g = (kappa - sin(kappa p/2)/sin(p/2))/(2 s)      (B8)
 *
 * f and g are meromorphic in s, with poles at s = (2 pi n)^2 and residues that are known:
 *   f = sum_n 2 (1 - (-1)^n cos(kappa n pi))/(4 pi^2 n^2 - s)
 *   g = sum_n (-1)^n sin(kappa n pi)/(n pi)/(4 pi^2 n^2 - s)
 * The poles n = 1, 2 as they are and the rest as a power series have no cancellation and no branch: relative
 * errors of some 1e-16 up to half a turn, also of the derivatives. kappa -> -kappa keeps f and turns the sign
 * of g. */
#ifndef PH_MECH_HELIX_H
#define PH_MECH_HELIX_H

#include "lie/se3.h"
#include "mech/dual.h"

#define PH_HELIX_POINTS 3 /* of Gauss-Legendre integration over xi */

/* 1/2 -+ sqrt(3/20) */
static const double ph_helix_xi[PH_HELIX_POINTS] = {0.11270166537925831, 0.5, 0.88729833462074169};
static const double ph_helix_weight[PH_HELIX_POINTS] = {5 / 18., 4 / 9., 5 / 18.};

enum { PH_HELIX_TERMS = 12 };

typedef struct ph_helix_series {
    double pole[2]; /* residues at (2 pi)^2 and (4 pi)^2 */
    double c[PH_HELIX_TERMS];
} ph_helix_series;

/* f at kappa = 0; f and g at kappa = sqrt(3/5) */
static const ph_helix_series ph_helix_middle = {
    {4, 0},
    {0.023678816357662229, 3.7671102995582869e-5, 9.4074585675898161e-8, 2.555371601932096e-10,
     7.1082981640221025e-13, 1.9925461583792261e-15, 5.5999947948571356e-18, 1.5753066159691346e-20,
     4.4328596896519748e-23, 1.2475369773003997e-25, 3.5110822503691376e-28, 9.8817780676020811e-31}};
static const ph_helix_series ph_helix_outer_f = {
    {0.48083512170054978, 1.6921380725414166},
    {0.027104714558363169, 4.0294101611607428e-5, 8.8838308679407836e-8, 2.2089128940799455e-10,
     5.8238935928263667e-13, 1.5827112874581646e-15, 4.3704950289385848e-18, 1.217265636903768e-20,
     3.4061840688597341e-23, 9.555781778134509e-26, 2.6846165105624792e-28, 7.5481818905988001e-31}};
static const ph_helix_series ph_helix_outer_g = {
    {-0.20703226342539002, -0.15725807163534617},
    {-0.00021493537586302905, -7.146020543112538e-7, -2.0592724220614921e-9, -5.7741433243508187e-12,
     -1.6143569018132403e-14, -4.5208293405713875e-17, -1.2683090837369068e-19, -3.5627824035461749e-22,
     -1.0016168916141928e-24, -2.8172206065831799e-27, -7.9261095043196036e-30, -2.2303242105479203e-32}};

/* (B8) at one point: value, and each again 2 d/ds of the one before */
typedef struct ph_helix_scalars {
    ph_real f[4], g[4];
} ph_helix_scalars;

/* Value and 2^k d^k/ds^k */
PH_OUT_OF_LINE void ph_helix_sum_up(const ph_helix_series *x, ph_real s, ph_real out[4])
{
    ph_real a = ph_k(0), b = a, c = a, d = a; /* value, first, second/2, third/6 */
    for (int k = PH_HELIX_TERMS - 1; k >= 0; k--)
        d = d * s + c, c = c * s + b, b = b * s + a, a = a * s + x->c[k];
    for (int k = 0; k < 2; k++) {
        const double four_pi2 = 39.478417604357434;
        ph_real r = 1 / ((k ? 4 * four_pi2 : four_pi2) - s), p = x->pole[k] * r;
        a += p, p *= r, b += p, p *= r, c += p, p *= r, d += p;
    }
    out[0] = a, out[1] = 2 * b, out[2] = 8 * c, out[3] = 48 * d;
}

PH_FN void ph_helix_scalars_at(ph_real s, ph_helix_scalars out[PH_HELIX_POINTS])
{
    ph_helix_sum_up(&ph_helix_outer_f, s, out[0].f);
    ph_helix_sum_up(&ph_helix_outer_g, s, out[2].g);
    ph_helix_sum_up(&ph_helix_middle, s, out[1].f);
    for (int k = 0; k < 4; k++)
        out[2].f[k] = out[0].f[k], out[0].g[k] = -out[2].g[k], out[1].g[k] = ph_k(0);
}

/* ---- time ------------------------------------------------------------------------------------------- */

/* a + eps b, eps^2 = 0 */
typedef struct ph_helix_scalar {
    ph_real r, e;
} ph_helix_scalar;

PH_FN ph_helix_scalar ph_helix_times(ph_helix_scalar a, ph_helix_scalar b)
{
    return (ph_helix_scalar){a.r * b.r, a.r * b.e + a.e * b.r};
}

PH_FN ph_helix_scalar ph_helix_plus(ph_helix_scalar a, ph_helix_scalar b)
{
    return (ph_helix_scalar){a.r + b.r, a.e + b.e};
}

/* w_a . w_b with w + eps u for w */
PH_FN ph_helix_scalar ph_helix_dot(ph_twist a, ph_twist b)
{
    return (ph_helix_scalar){ph_dot(a.w, b.w), ph_dot(a.u, b.w) + ph_dot(a.w, b.u)};
}

/* hat(a) hat(b) + hat(b) hat(a) = a b^T + b a^T - 2 (a . b) I in dual numbers */
PH_OUT_OF_LINE ph_dual ph_helix_both(ph_twist a, ph_twist b)
{
    ph_helix_scalar k = ph_helix_dot(a, b);
    ph_rows r = ph_rows_add(ph_rows_outer(a.w, b.w), ph_rows_outer(b.w, a.w));
    ph_rows e = ph_rows_add(ph_rows_outer(a.u, b.w), ph_rows_outer(a.w, b.u));
    e = ph_rows_add(e, ph_rows_transpose(e));
    return (ph_dual){ph_rows_sub(r, ph_rows_diag(2 * k.r)), ph_rows_sub(e, ph_rows_diag(2 * k.e))};
}

PH_FN ph_dual ph_helix_scaled(ph_real k, ph_dual A)
{
    return (ph_dual){ph_rows_scale(k, A.r), ph_rows_scale(k, A.e)};
}

/* One element: d and how it moves; what all points share. */
typedef struct ph_helix {
    ph_twist d, d1, d2; /* d, its rate and its acceleration */
    ph_dual S[3];       /* hat(d)^2 and its two derivatives by time */
    ph_helix_scalars at[PH_HELIX_POINTS];
} ph_helix;

/* order: derivatives by time that are wanted, 0 to 2; d1 and d2 beyond it are not read. */
PH_OUT_OF_LINE void ph_helix_fill(ph_helix *h, int order)
{
    ph_helix_scalars_at(ph_dot(h->d.w, h->d.w), h->at);
    h->S[0] = ph_helix_scaled(ph_k(0.5), ph_helix_both(h->d, h->d));
    if (order >= 1)
        h->S[1] = ph_helix_both(h->d, h->d1);
    if (order >= 2)
        h->S[2] = ph_dual_add(ph_helix_both(h->d, h->d2), ph_helix_both(h->d1, h->d1));
}

/* x and its derivatives by time, from its derivatives by s */
PH_FN void ph_helix_along(const ph_helix *h, const ph_real c[4], int order, ph_helix_scalar x[3])
{
    ph_real m = ph_dot(h->d.w, h->d.u);
    ph_helix_scalar by[3] = {{c[0], c[1] * m}, {c[1], c[2] * m}, {c[2], c[3] * m}};
    x[0] = by[0];
    if (order < 1)
        return;
    ph_helix_scalar k = ph_helix_dot(h->d, h->d1); /* half the rate of s */
    x[1] = ph_helix_times(by[1], k);
    if (order >= 2)
        x[2] = ph_helix_plus(
            ph_helix_times(by[2], ph_helix_times(k, k)),
            ph_helix_times(by[1], ph_helix_plus(ph_helix_dot(h->d1, h->d1), ph_helix_dot(h->d, h->d2))));
}

PH_FN ph_twist ph_helix_add_scaled(ph_twist a, ph_helix_scalar k, ph_twist b)
{
    return (ph_twist){ph_add(a.u, ph_add(ph_scale(k.r, b.u), ph_scale(k.e, b.w))),
                      ph_add(a.w, ph_scale(k.r, b.w))};
}

PH_FN void ph_helix_add_symmetric(ph_dual *X, double n, ph_helix_scalar k, const ph_dual *S)
{
    X->r = ph_rows_add(X->r, ph_rows_scale(n * k.r, S->r));
    X->e = ph_rows_add(X->e, ph_rows_add(ph_rows_scale(n * k.r, S->e), ph_rows_scale(n * k.e, S->r)));
}

/* X of a point and its derivatives by time, up to order. */
PH_OUT_OF_LINE void ph_helix_point(const ph_helix *h, int point, int order, ph_dual X[3])
{
    static const double binomial[3][3] = {{1, 0, 0}, {1, 1, 0}, {1, 2, 1}};
    const ph_twist d[3] = {h->d, order >= 1 ? h->d1 : h->d, order >= 2 ? h->d2 : h->d};
    ph_helix_scalar f[3], g[3];
    double xi = ph_helix_xi[point];
    ph_helix_along(h, h->at[point].f, order, f);
    ph_helix_along(h, h->at[point].g, order, g);
    for (int n = 0; n <= order; n++) { /* Leibniz's rule for f A + g A^2 */
        ph_twist a = {0};
        for (int k = 0; k <= n; k++) {
            ph_helix_scalar c = {binomial[n][k] * f[k].r, binomial[n][k] * f[k].e};
            a = ph_helix_add_scaled(a, c, d[n - k]);
        }
        X[n] = ph_dual_hat(a);
        for (int k = 0; k <= n && point != 1; k++)
            ph_helix_add_symmetric(&X[n], binomial[n][k], g[k], &h->S[n - k]);
    }
    X[0].r = ph_rows_add(X[0].r, ph_rows_diag(ph_k(xi)));
}

/* ---- derivatives by d ------------------------------------------------------------------------------- */

/* d(X^T y)/dd */
PH_OUT_OF_LINE void ph_helix_fold_slope(const ph_helix *h, int point, ph_twist y, ph_six *out)
{
    const ph_helix_scalars *c = &h->at[point];
    ph_form F = {.f = -c->f[0], .g = c->g[0], .f1 = -c->f[1], .g1 = c->g[1], .f2 = -c->f[2], .g2 = c->g[2]};
    ph_mat3 J0, J1;
    ph_se3_form_slope(F, h->d.w, h->d.u, y.u, y.w, &J0, &J1);
    *out = (ph_six){.uw = ph_rows_from(J0), .wu = ph_rows_from(J0), .ww = ph_rows_from(J1)};
}

#endif
