/* Conformal rotation vector c = 4 tan(angle/4) n, with c0 = 2 - |c|^2/8 (L18):
 *   q = (c0, c)/(4 - c0),   T(c) = 2/(4 - c0)^2 (c0 I + c c^T/4 - tilde(c))
 * Bruls, Eberhard: Sensitivity analysis for dynamic mechanical systems with finite rotations, (37), (38),
 * (119). The minus sign of c0 is lost in some copies of that paper; |q| = 1 asks for it. */
#include "lie/conformal.h"

#include "lie/groups.h"
#include "lie/so3.h"

/* c = 4 v/(1 + q0); q and -q are one rotation, the one with q0 >= 0 has |c| <= 4 */
static int conformal_from_quat(const double *q, double *c)
{
    double k = q[0] < 0 ? -4 / (1 - q[0]) : 4 / (1 + q[0]);
    ph_store3(c, ph_v3(k * q[1], k * q[2], k * q[3]));
    return 1;
}

static void conformal_to_quat(const double *c, double *q)
{
    ph_vec3 v = ph_load3(c);
    double t = ph_dot(v, v) / 8, k = 1 / (2 + t);
    ph_quat_store(q, (ph_quat){k * (2 - t), k * v.x, k * v.y, k * v.z});
}

static void conformal_T(const double *c, double *T)
{
    ph_vec3 v = ph_load3(c);
    double t = ph_dot(v, v) / 8, k = 1 / (2 + t), a = 2 * (k * k);
    ph_store33(T, ph_form_mat((ph_form){.e = a * (2 - t), .f = -a, .g = a / 4}, v));
}

/* d(T u)/dc = 2 k^2 (((c.u) I + c u^T - u c^T)/4 + tilde(u)) - k^3 (c0 u + (c.u) c/4 - c x u) c^T,
 * k = 1/(4 - c0) */
static void conformal_dT(const double *c, const double *u, double *D)
{
    ph_vec3 v = ph_load3(c), b = ph_load3(u), vb = ph_cross(v, b);
    double t = ph_dot(v, v) / 8, k = 1 / (2 + t), a = 2 * (k * k), k3 = k * (k * k), m = ph_dot(v, b) / 4;
    double eb = -a / 4 - k3 * (2 - t), ev = -k3 * m;
    ph_vec3 r = {eb * b.x + ev * v.x + k3 * vb.x, eb * b.y + ev * v.y + k3 * vb.y,
                 eb * b.z + ev * v.z + k3 * vb.z};
    ph_store33(D, ph_form_sum(-a, b, a * m, ph_scale(a / 4, v), b, r, v));
}

/* With m = c.u and N = c0 u + (c.u) c/4 - c x u = T u/(2 k^2), all by the product rule from
 *   S = -k^3 m N + k^2 |u|^2 c/2                                                                      (L21) */
void ph_conformal_bend(ph_vec3 c, ph_vec3 u, ph_vec3 *S, ph_mat3 *S_c, ph_mat3 *S_u)
{
    double t = ph_dot(c, c) / 8, k = 1 / (2 + t), c0 = 2 - t, m = ph_dot(c, u), n = ph_dot(u, u);
    double k2 = k * k, k3 = k2 * k;
    ph_vec3 N = ph_sub(ph_add(ph_scale(c0, u), ph_scale(m / 4, c)), ph_cross(c, u));
    ph_mat3 I = ph_diag3(1, 1, 1), cN = ph_outer(N, c), cu = ph_outer(c, u);
    *S = ph_add(ph_scale(-k3 * m, N), ph_scale(k2 * n / 2, c));
    ph_mat3 dN = ph_madd(ph_mscale(0.25, ph_msub(ph_madd(cu, ph_mscale(m, I)), ph_outer(u, c))), ph_tilde(u));
    ph_mat3 N_u = ph_msub(ph_madd(ph_mscale(c0, I), ph_mscale(0.25, ph_outer(c, c))), ph_tilde(c));
    *S_u = ph_madd(ph_mscale(-k3, ph_madd(cN, ph_mscale(m, N_u))), ph_mscale(k2, cu));
    ph_mat3 by_k = ph_madd(ph_mscale(0.75 * k3 * k * m, cN), ph_mscale(-k3 * n / 4, ph_outer(c, c)));
    *S_c = ph_madd(ph_madd(by_k, ph_mscale(k2 * n / 2, I)),
                   ph_mscale(-k3, ph_madd(ph_outer(N, u), ph_mscale(m, dN))));
}

/* T^-T = T/(4 k^2) = (c0 I + c c^T/4 - tilde(c))/2                                                    (L22) */
void ph_conformal_covector(ph_vec3 c, ph_vec3 G, ph_vec3 *P, ph_mat3 *P_c)
{
    double c0 = 2 - ph_dot(c, c) / 8, m = ph_dot(c, G);
    ph_mat3 D = ph_msub(ph_madd(ph_outer(c, G), ph_diag3(m, m, m)), ph_outer(G, c));
    *P = ph_scale(0.5, ph_sub(ph_add(ph_scale(c0, G), ph_scale(m / 4, c)), ph_cross(c, G)));
    *P_c = ph_mscale(0.5, ph_madd(ph_mscale(0.25, D), ph_tilde(G)));
}

const ph_chart_ops ph_conformal_ops = {
    .name = "conformal",
    .dim = 3,
    .from_quat = conformal_from_quat,
    .to_quat = conformal_to_quat,
    .T = conformal_T,
    .dT = conformal_dT,
};
