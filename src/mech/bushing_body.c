/* Bushings whose axes turn with the first body: springs and dampers along the six coordinates of a joint that locks nothing,
 * displacements c = R_a^T (p_b - p_a) and the rotation vector psi from the first body to the second, unstressed initially.
 *
 *   tau_i = -(k_i x_i + d_i xdot_i),  g = -sum tau_i b_i^T,  V = sum k_i x_i^2/2                      (J13)
 *
 * which has a potential whatever the stiffnesses are. */
#include "mech/coordinate.h"

#include "lie/so3.h"

static ph_site site_of(const ph_force_site *s)
{
    return (ph_site){.j = s->f->along, .a = s->a, .b = s->b};
}

static double component(ph_vec3 a, int k)
{
    return k == 0 ? a.x : k == 1 ? a.y : a.z;
}

static double stiffness(const ph_force_def *d, int k)
{
    return k < 3 ? component(d->k3, k) : component(d->kr3, k - 3);
}

static double damping(const ph_force_def *d, int k)
{
    return k < 3 ? component(d->d3, k) : component(d->dr3, k - 3);
}

static ph_status g(const ph_force_site *s, ph_vec3 r[PH_SLOTS])
{
    ph_site site = site_of(s);
    for (int k = 0; k < 6; k++) {
        double K = stiffness(s->f->def, k), D = damping(s->f->def, k);
        ph_vec3 b[PH_SLOTS];
        if (K == 0 && D == 0)
            continue;
        ph_coordinate_row(&site, k, b);
        double tau = -K * ph_coordinate_value(&site, k) - (D != 0 ? D * ph_coordinate_rate(&site, k) : 0);
        for (int i = 0; i < PH_SLOTS; i++)
            r[i] = ph_sub(r[i], ph_scale(tau, b[i]));
    }
    return PH_OK;
}

static void add_outer(double f, const ph_vec3 a[PH_SLOTS], const ph_vec3 b[PH_SLOTS], const ph_put *p)
{
    for (int i = 0; i < PH_SLOTS; i++)
        for (int j = 0; j < PH_SLOTS; j++)
            ph_add_pair(p, i, j, ph_mscale(f, ph_outer(a[i], b[j])));
}

static ph_status C(const ph_force_site *s, const ph_put *p)
{
    ph_site site = site_of(s);
    for (int k = 0; k < 6; k++) {
        double D = damping(s->f->def, k);
        ph_vec3 b[PH_SLOTS];
        if (D == 0)
            continue;
        ph_coordinate_row(&site, k, b);
        add_outer(D, b, b, p);
    }
    return PH_OK;
}

static ph_status K(const ph_force_site *s, const ph_put *p)
{
    ph_site site = site_of(s);
    for (int k = 0; k < 6; k++) {
        double K_k = stiffness(s->f->def, k), D = damping(s->f->def, k);
        ph_vec3 b[PH_SLOTS], z[PH_SLOTS];
        if (K_k == 0 && D == 0)
            continue;
        ph_coordinate_row(&site, k, b);
        ph_coordinate_z(&site, k, z);
        add_outer(K_k, b, b, p);
        add_outer(D, b, z, p);
        ph_coordinate_K(&site, k, K_k * ph_coordinate_value(&site, k) + D * ph_coordinate_rate(&site, k), p);
    }
    return PH_OK;
}

static double energy(const ph_force_site *s)
{
    ph_site site = site_of(s);
    double V = 0;
    for (int k = 0; k < 6; k++) {
        double x = ph_coordinate_value(&site, k);
        V += stiffness(s->f->def, k) * x * x / 2;
    }
    return V;
}

const ph_force_ops ph_force_bushing_body = {
    .variant = "axes of a body", .g = g, .C = C, .K = K, .energy = energy};

void ph_bushing_axes(const ph_force *f, ph_joint *out)
{
    *out = (ph_joint){.body = {f->body[0], f->body[1]},
                      .sa = f->sa,
                      .sb = f->sb,
                      .Ca = {1, 0, 0, 0},
                      .Cb = ph_quat_conj(f->rest),
                      .free = -1,
                      .drive = -1,
                      .frees = 0x3f};
    out->Ea = ph_qmat(out->Ca), out->Eb = ph_qmat(out->Cb);
}
