/* Coordinates of joints and their derivatives.
 *
 * With p = conj(q_a C_a) o (q_b C_b) = (p0, pv), P its matrix, and the relative increment, in the frame of b,
 *
 *   delta = C_b^T dphi_b - P^T C_a^T dphi_a,   w = C_b^T Omega_b - u,   u = P^T C_a^T Omega_a
 *
 * an angle x(p) with dx = gamma . delta, dgamma = G delta has                                         (J6)
 *
 *   b = (0, -C_a P gamma, 0, C_b gamma),   xdot = gamma . w
 *   z = (0, -C_a P zeta, 0, C_b zeta),     zeta = G^T w + u x gamma
 *   d(b^T): C_b G delta on phi_b,  -C_a P (G - tilde(gamma)) delta on phi_a
 *
 * One or two free rotations, about axis e of the joint frame (those of a universal joint are exactly these):
 *
 *   x = 2 atan2(e . pv, p0),   n gamma = p0^2 e + p0 e x pv + (e . pv) pv,   n = p0^2 + (e . pv)^2    (J7)
 *
 * Three free rotations: x = e . psi, exp(psi) = p, and gamma = T^-T(psi) e                             (J8)
 *
 * Displacements and lengths are those of slide.c and distance.c. */
#include "mech/coordinate.h"

#include "lie/so3.h"
#include "mech/span.h"

int ph_joint_frees(const ph_joint *j)
{
    int n = 0;
    for (int k = 0; k < PH_COORDINATES; k++)
        n += (int)(j->frees >> k & 1);
    return n;
}

int ph_joint_free(const ph_joint *j, int k)
{
    int c = 0;
    while (c < PH_COORDINATES && (!(j->frees >> c & 1) || k-- > 0))
        c++;
    return c < PH_COORDINATES ? c : -1;
}

/* ---- rotations ------------------------------------------------------------------------------------ */

static ph_quat relative(const ph_site *s)
{
    return ph_qmul(ph_quat_conj(ph_qmul(s->a.q, s->j->Ca)), ph_qmul(s->b.q, s->j->Cb));
}

static int is_vector(const ph_joint *j)
{
    return (j->frees >> PH_ABOUT & 7) == 7;
}

static ph_vec3 axis_of(int k)
{
    return ph_v3(k == PH_ABOUT, k == PH_ABOUT + 1, k == PH_ABOUT + 2);
}

ph_swing ph_swing_of(const ph_site *s)
{
    ph_quat p = relative(s);
    ph_swing c = {.psi = ph_so3_log(p), .P = ph_qmat(p)};
    c.u = ph_tmul(c.P, ph_tmul(s->j->Ea, s->a.w));
    c.w = ph_sub(ph_tmul(s->j->Eb, s->b.w), c.u);
    c.Tinv = ph_form_mat(ph_form_Tinv(ph_stumpff_of(c.psi)), c.psi);
    return c;
}

void ph_swing_row(const ph_site *s, const ph_swing *c, ph_vec3 y, ph_vec3 r[PH_SLOTS])
{
    r[PH_XA] = r[PH_XB] = ph_v3(0, 0, 0);
    r[PH_FA] = ph_scale(-1, ph_mul(s->j->Ea, ph_mul(c->P, y)));
    r[PH_FB] = ph_mul(s->j->Eb, y);
}

void ph_swing_K(const ph_site *s, const ph_swing *c, ph_mat3 Y, ph_vec3 y, const ph_put *p)
{
    ph_mat3 by_b = ph_transpose(s->j->Eb),
            by_a = ph_mscale(-1, ph_transpose(ph_mmul(s->j->Ea, c->P))); /* delta */
    ph_mat3 on_b = ph_mmul(s->j->Eb, Y),
            on_a = ph_mscale(-1, ph_mmul(ph_mmul(s->j->Ea, c->P), ph_msub(Y, ph_tilde(y))));
    ph_add_pair(p, PH_FA, PH_FA, ph_mmul(on_a, by_a)), ph_add_pair(p, PH_FA, PH_FB, ph_mmul(on_a, by_b));
    ph_add_pair(p, PH_FB, PH_FA, ph_mmul(on_b, by_a)), ph_add_pair(p, PH_FB, PH_FB, ph_mmul(on_b, by_b));
}

/* gamma and G of (J7) */
static ph_vec3 about_axis(ph_quat p, ph_vec3 e, ph_mat3 *G)
{
    ph_vec3 pv = ph_v3(p.x, p.y, p.z);
    double pe = ph_dot(e, pv), n = p.w * p.w + pe * pe;
    ph_vec3 turned = ph_cross(e, pv);
    ph_vec3 gamma =
        ph_scale(1 / n, ph_add(ph_add(ph_scale(p.w * p.w, e), ph_scale(p.w, turned)), ph_scale(pe, pv)));
    ph_mat3 dpv = ph_mscale(0.5, ph_madd(ph_diag3(p.w, p.w, p.w), ph_tilde(pv))); /* by delta */
    ph_vec3 dp0 = ph_scale(-0.5, pv), dpe = ph_tmul(dpv, e);
    ph_vec3 dn = ph_add(ph_scale(2 * p.w, dp0), ph_scale(2 * pe, dpe));
    ph_mat3 top = ph_madd(ph_outer(ph_add(ph_scale(2 * p.w, e), turned), dp0), ph_outer(pv, dpe));
    top = ph_madd(top, ph_mmul(ph_madd(ph_mscale(p.w, ph_tilde(e)), ph_diag3(pe, pe, pe)), dpv));
    *G = ph_mscale(1 / n, ph_msub(top, ph_outer(gamma, dn)));
    return gamma;
}

/* gamma and G of (J8) */
static ph_vec3 of_vector(const ph_swing *c, ph_vec3 e, ph_mat3 *G)
{
    ph_form F = ph_form_transpose(ph_form_Tinv(ph_stumpff_of(c->psi)));
    *G = ph_mmul(ph_form_jac(F, c->psi, e, ph_cross(c->psi, e)), c->Tinv);
    return ph_tmul(c->Tinv, e);
}

static ph_vec3 gamma_of(const ph_site *s, const ph_swing *c, int k, ph_mat3 *G)
{
    return is_vector(s->j) ? of_vector(c, axis_of(k), G) : about_axis(relative(s), axis_of(k), G);
}

static double angle(const ph_site *s, int k)
{
    ph_quat p = relative(s);
    if (is_vector(s->j))
        return ph_dot(axis_of(k), ph_so3_log(p));
    return 2 * atan2(ph_dot(axis_of(k), ph_v3(p.x, p.y, p.z)), p.w);
}

/* ---- all coordinates ------------------------------------------------------------------------------ */

/* The primitive whose rows are those of a displacement or a length. */
static const ph_part *part_of(const ph_site *s, int k, ph_site *own)
{
    *own = *s;
    own->pick = k == PH_LENGTH ? 1 : 1u << k;
    return k == PH_LENGTH ? &ph_part_distance : &ph_part_slide;
}

double ph_coordinate_value(const ph_site *s, int k)
{
    const ph_joint *j = s->j;
    if (k < 0)
        return NAN;
    if (ph_is_angle(k))
        return angle(s, k);
    ph_vec3 d = ph_sub(ph_add(s->b.x, ph_mul(s->b.R, j->sb)), s->a.x);
    if (k == PH_LENGTH)
        return ph_norm(ph_sub(d, ph_mul(s->a.R, j->sa)));
    return ph_dot(ph_column(&j->Ea, k), ph_sub(ph_tmul(s->a.R, d), j->sa));
}

static void unpack(const double *row, ph_vec3 out[PH_SLOTS])
{
    for (int i = 0; i < PH_SLOTS; i++)
        out[i] = ph_load3(row + 3 * i);
}

void ph_coordinate_row(const ph_site *s, int k, ph_vec3 b[PH_SLOTS])
{
    if (ph_is_angle(k)) {
        ph_mat3 G;
        ph_swing c = ph_swing_of(s);
        ph_swing_row(s, &c, gamma_of(s, &c, k, &G), b);
        return;
    }
    double row[12] = {0};
    ph_site own;
    part_of(s, k, &own)->B(&own, &(ph_put){row, ph_local_rows, 12, 0});
    unpack(row, b);
}

double ph_coordinate_rate(const ph_site *s, int k)
{
    ph_vec3 b[PH_SLOTS];
    if (k < 0)
        return NAN;
    ph_coordinate_row(s, k, b);
    return ph_dot(b[PH_XA], s->a.v) + ph_dot(b[PH_FA], s->a.w) + ph_dot(b[PH_XB], s->b.v) +
           ph_dot(b[PH_FB], s->b.w);
}

void ph_coordinate_z(const ph_site *s, int k, ph_vec3 z[PH_SLOTS])
{
    if (ph_is_angle(k)) {
        ph_mat3 G;
        ph_swing c = ph_swing_of(s);
        ph_vec3 gamma = gamma_of(s, &c, k, &G);
        ph_swing_row(s, &c, ph_add(ph_tmul(G, c.w), ph_cross(c.u, gamma)), z);
        return;
    }
    double row[12] = {0};
    ph_site own;
    part_of(s, k, &own)->Z(&own, &(ph_put){row, ph_local_rows, 12, 0});
    unpack(row, z);
}

void ph_coordinate_K(const ph_site *s, int k, double f, const ph_put *p)
{
    ph_site own;
    if (!ph_is_angle(k)) {
        part_of(s, k, &own)->K(&own, &f, p);
        return;
    }
    ph_mat3 G;
    ph_swing c = ph_swing_of(s);
    ph_vec3 gamma = gamma_of(s, &c, k, &G);
    ph_swing_K(s, &c, ph_mscale(f, G), ph_scale(f, gamma), p);
}
