/* Coulomb friction in joints, smooth at rest, (J3)-(J5): mu N w/sqrt(w^2 + w_s^2),
 * N = |lambda| of the rows that press.
 *
 *   revolute   a torque about the axis e of the first body, lever r, N the force; n_b = R_b^T R_a e:
 *              w = n_b . Omega_b - e . Omega_a,  T = mu r N w/sqrt(..),  g = (0, -T e, 0, T n_b)
 *              dw/dq = (0, e x R_a^T R_b Omega_b, 0, Omega_b x n_b)
 *              dn_b = tilde(n_b) dphi_b - R_b^T R_a tilde(e) dphi_a
 *   spherical  a torque against the relative angular velocity, world:
 *              w = R_b Omega_b - R_a Omega_a,  tau = mu r N w/sqrt(..),  g = (0, -R_a^T tau, 0, R_b^T tau)
 *   prismatic  a force along the axis, N the force across it: with the row b of a slide along it (slide.c):
 *              w = b v,  T = mu N w/sqrt(..),  g = T b^T,  C = T' b^T b,  K = T d(b^T)/dq + T' b^T z
 *
 * Moments that a bearing carries do not press here. */
#include "mech/mech.h"

/* N and its derivative by the pressing rows: all three of a point, the two across a slide. */
static double pressure(const ph_force_site *s, int i, double *slope)
{
    int n = s->f->op == &ph_friction_prismatic ? 2 : 3;
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += s->lambda[k] * s->lambda[k];
    double N = sqrt(sum);
    *slope = i < n && N > 0 ? s->lambda[i] / N : 0;
    return N;
}

/* w/sqrt(w^2 + w_s^2) and its derivative */
static double law(double w, double ws, double *slope)
{
    double r = sqrt(w * w + ws * ws);
    *slope = ws * ws / (r * r * r);
    return w / r;
}

/* ---- revolute ------------------------------------------------------------------------------------- */

typedef struct bearing {
    ph_vec3 e, nb;
    ph_mat3 A; /* R_a^T R_b */
    double w;
} bearing;

static bearing bearing_of(const ph_force_site *s)
{
    bearing c = {.e = ph_column(&s->f->joint->Ea, 2), .A = ph_mmul(ph_transpose(s->a.R), s->b.R)};
    c.nb = ph_tmul(c.A, c.e);
    c.w = ph_dot(c.nb, s->b.w) - ph_dot(c.e, s->a.w);
    return c;
}

static void revolute_add(const bearing *c, double T, ph_vec3 r[PH_SLOTS])
{
    r[PH_FA] = ph_scale(-T, c->e);
    r[PH_FB] = ph_scale(T, c->nb);
}

static ph_status revolute_g(const ph_force_site *s, ph_vec3 r[PH_SLOTS])
{
    bearing c = bearing_of(s);
    double slope;
    revolute_add(&c, s->f->friction * pressure(s, 0, &slope) * law(c.w, s->f->speed, &slope), r);
    return PH_OK;
}

static void revolute_g_lambda(const ph_force_site *s, int i, ph_vec3 r[PH_SLOTS])
{
    bearing c = bearing_of(s);
    double slope, N_i;
    pressure(s, i, &N_i);
    revolute_add(&c, s->f->friction * N_i * law(c.w, s->f->speed, &slope), r);
}

/* T' (-e, n_b) (wa, wb)^T */
static void revolute_rows(const bearing *c, double dT, ph_vec3 wa, ph_vec3 wb, const ph_put *p)
{
    ph_vec3 e = ph_scale(-dT, c->e), nb = ph_scale(dT, c->nb);
    ph_add_pair(p, PH_FA, PH_FA, ph_outer(e, wa)), ph_add_pair(p, PH_FA, PH_FB, ph_outer(e, wb));
    ph_add_pair(p, PH_FB, PH_FA, ph_outer(nb, wa)), ph_add_pair(p, PH_FB, PH_FB, ph_outer(nb, wb));
}

static ph_status revolute_C(const ph_force_site *s, const ph_put *p)
{
    bearing c = bearing_of(s);
    double slope, N = pressure(s, 0, &slope);
    law(c.w, s->f->speed, &slope);
    revolute_rows(&c, s->f->friction * N * slope, ph_scale(-1, c.e), c.nb, p);
    return PH_OK;
}

static ph_status revolute_K(const ph_force_site *s, const ph_put *p)
{
    bearing c = bearing_of(s);
    double slope, N = pressure(s, 0, &slope), T = s->f->friction * N * law(c.w, s->f->speed, &slope);
    revolute_rows(&c, s->f->friction * N * slope, ph_cross(c.e, ph_mul(c.A, s->b.w)), ph_cross(s->b.w, c.nb),
                  p);
    ph_add_pair(p, PH_FB, PH_FB, ph_mscale(T, ph_tilde(c.nb)));
    ph_add_pair(p, PH_FB, PH_FA, ph_mscale(-T, ph_mtilde(ph_transpose(c.A), c.e)));
    return PH_OK;
}

const ph_force_ops ph_friction_revolute = {
    .g = revolute_g, .C = revolute_C, .K = revolute_K, .g_lambda = revolute_g_lambda};

/* ---- spherical ------------------------------------------------------------------------------------ */

/* tau/(mu r N), and d(tau)/dw/(mu r N) = I/r - w w^T/r^3 */
static ph_vec3 rubbing(const ph_force_site *s, ph_mat3 *S)
{
    ph_vec3 w = ph_sub(ph_mul(s->b.R, s->b.w), ph_mul(s->a.R, s->a.w));
    double r = sqrt(ph_dot(w, w) + s->f->speed * s->f->speed);
    *S = ph_msub(ph_diag3(1 / r, 1 / r, 1 / r), ph_mscale(1 / (r * r * r), ph_outer(w, w)));
    return ph_scale(1 / r, w);
}

static void spherical_add(const ph_force_site *s, ph_vec3 tau, ph_vec3 r[PH_SLOTS])
{
    r[PH_FA] = ph_scale(-1, ph_tmul(s->a.R, tau));
    r[PH_FB] = ph_tmul(s->b.R, tau);
}

static ph_status spherical_g(const ph_force_site *s, ph_vec3 r[PH_SLOTS])
{
    ph_mat3 S;
    double slope, c = s->f->friction * pressure(s, 0, &slope);
    spherical_add(s, ph_scale(c, rubbing(s, &S)), r);
    return PH_OK;
}

static void spherical_g_lambda(const ph_force_site *s, int i, ph_vec3 r[PH_SLOTS])
{
    ph_mat3 S;
    double N_i;
    pressure(s, i, &N_i);
    spherical_add(s, ph_scale(s->f->friction * N_i, rubbing(s, &S)), r);
}

/* -R_a^T and R_b^T times S (A dphi_a + B dphi_b) */
static void spherical_rows(const ph_force_site *s, ph_mat3 S, ph_mat3 A, ph_mat3 B, const ph_put *p)
{
    ph_mat3 Rat = ph_mscale(-1, ph_mmul(ph_transpose(s->a.R), S)), Rbt = ph_mmul(ph_transpose(s->b.R), S);
    ph_add_pair(p, PH_FA, PH_FA, ph_mmul(Rat, A)), ph_add_pair(p, PH_FA, PH_FB, ph_mmul(Rat, B));
    ph_add_pair(p, PH_FB, PH_FA, ph_mmul(Rbt, A)), ph_add_pair(p, PH_FB, PH_FB, ph_mmul(Rbt, B));
}

static ph_status spherical_C(const ph_force_site *s, const ph_put *p)
{
    ph_mat3 S;
    double slope, c = s->f->friction * pressure(s, 0, &slope);
    rubbing(s, &S);
    spherical_rows(s, ph_mscale(c, S), ph_mscale(-1, s->a.R), s->b.R, p);
    return PH_OK;
}

static ph_status spherical_K(const ph_force_site *s, const ph_put *p)
{
    ph_mat3 S;
    double slope, c = s->f->friction * pressure(s, 0, &slope);
    ph_vec3 tau = ph_scale(c, rubbing(s, &S));
    spherical_rows(s, ph_mscale(c, S), ph_mtilde(s->a.R, s->a.w), ph_mscale(-1, ph_mtilde(s->b.R, s->b.w)),
                   p);
    ph_add_pair(p, PH_FA, PH_FA, ph_mscale(-1, ph_tilde(ph_tmul(s->a.R, tau))));
    ph_add_pair(p, PH_FB, PH_FB, ph_tilde(ph_tmul(s->b.R, tau)));
    return PH_OK;
}

const ph_force_ops ph_friction_spherical = {
    .g = spherical_g, .C = spherical_C, .K = spherical_K, .g_lambda = spherical_g_lambda};

/* ---- prismatic ------------------------------------------------------------------------------------ */

/* Rows b and z of a slide along the axis: one row of B and of Z as four 3-vectors. */
typedef struct rail {
    ph_site site;
    ph_vec3 b[PH_SLOTS], z[PH_SLOTS];
    double w; /* b v */
} rail;

static rail rail_of(const ph_force_site *s)
{
    rail c = {.site = {.j = s->f->joint, .a = s->a, .b = s->b, .pick = 4}};
    double b[12], z[12];
    ph_part_slide.B(&c.site, &(ph_put){b, ph_local_rows, 12, 0});
    ph_part_slide.Z(&c.site, &(ph_put){z, ph_local_rows, 12, 0});
    const ph_vec3 v[PH_SLOTS] = {s->a.v, s->a.w, s->b.v, s->b.w};
    for (int k = 0; k < PH_SLOTS; k++) {
        c.b[k] = ph_load3(b + 3 * k), c.z[k] = ph_load3(z + 3 * k);
        c.w += ph_dot(c.b[k], v[k]);
    }
    return c;
}

static ph_status prismatic_g(const ph_force_site *s, ph_vec3 r[PH_SLOTS])
{
    rail c = rail_of(s);
    double slope, T = s->f->friction * pressure(s, 0, &slope) * law(c.w, s->f->speed, &slope);
    for (int k = 0; k < PH_SLOTS; k++)
        r[k] = ph_scale(T, c.b[k]);
    return PH_OK;
}

static void prismatic_g_lambda(const ph_force_site *s, int i, ph_vec3 r[PH_SLOTS])
{
    rail c = rail_of(s);
    double N_i, slope;
    pressure(s, i, &N_i);
    double T = s->f->friction * N_i * law(c.w, s->f->speed, &slope);
    for (int k = 0; k < PH_SLOTS; k++)
        r[k] = ph_scale(T, c.b[k]);
}

static void prismatic_rows(double dT, const ph_vec3 *b, const ph_vec3 *w, const ph_put *p)
{
    for (int i = 0; i < PH_SLOTS; i++)
        for (int j = 0; j < PH_SLOTS; j++)
            ph_add_pair(p, i, j, ph_outer(ph_scale(dT, b[i]), w[j]));
}

static ph_status prismatic_C(const ph_force_site *s, const ph_put *p)
{
    rail c = rail_of(s);
    double slope, N = pressure(s, 0, &slope);
    law(c.w, s->f->speed, &slope);
    prismatic_rows(s->f->friction * N * slope, c.b, c.b, p);
    return PH_OK;
}

static ph_status prismatic_K(const ph_force_site *s, const ph_put *p)
{
    rail c = rail_of(s);
    double slope, N = pressure(s, 0, &slope), T = s->f->friction * N * law(c.w, s->f->speed, &slope);
    prismatic_rows(s->f->friction * N * slope, c.b, c.z, p);
    ph_part_slide.K(&c.site, &T, p);
    return PH_OK;
}

const ph_force_ops ph_friction_prismatic = {
    .g = prismatic_g, .C = prismatic_C, .K = prismatic_K, .g_lambda = prismatic_g_lambda};

/* ---- building ------------------------------------------------------------------------------------- */

ph_status ph_friction_make(const ph_model *model, const ph_joint *j, ph_force *out, ph_error *err)
{
    const ph_joint_def *d = &model->joint[j->def];
    *out = (ph_force){.joint = j, .body = {j->body[0], j->body[1]}, .speed = d->friction_speed};
    const ph_joint_row *row = ph_joint_row_of(d);
    int lever = (row->keys & PH_KEY_FRICTION_RADIUS) != 0;
    out->friction = d->friction * (lever ? d->friction_radius : 1);
    out->couples = lever ? PH_COUPLE_TURNS : PH_COUPLE_ALL;
    out->op = row->op->friction;
    if (!out->op)
        return ph_mech_fail(err, PH_E_INPUT, model, d->origin,
                            "joint '%s': friction is for revolute, spherical and prismatic joints", d->name);
    if (!(d->friction_speed > 0) || (lever && !(d->friction_radius > 0)))
        return ph_mech_fail(err, PH_E_INPUT, model, d->origin,
                            "joint '%s': friction needs a positive speed%s", d->name,
                            lever ? " and a positive radius" : "");
    return PH_OK;
}
