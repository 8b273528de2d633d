/* Beam elements with mass, distributed over their length: the text of beam_mass.h with one element at a time. */
#include "mech/beam_mass.h"

#include "lie/groups.h"

static ph_status all(const ph_force_site *s, ph_vec3 *r, double *M, double *C, double *K)
{
    const ph_put to[3] = {{M, ph_local_pairs, 12, 0}, {C, ph_local_pairs, 12, 0}, {K, ph_local_pairs, 12, 0}};
    return ph_beam_put(s, r, M ? &to[0] : NULL, C ? &to[1] : NULL, K ? &to[2] : NULL);
}

static ph_status g(const ph_force_site *s, ph_vec3 r[PH_SLOTS])
{
    return ph_beam_put(s, r, NULL, NULL, NULL);
}

static ph_status M(const ph_force_site *s, const ph_put *p)
{
    return ph_beam_put(s, NULL, p, NULL, NULL);
}

static ph_status C(const ph_force_site *s, const ph_put *p)
{
    return ph_beam_put(s, NULL, NULL, p, NULL);
}

static ph_status K(const ph_force_site *s, const ph_put *p)
{
    return ph_beam_put(s, NULL, NULL, NULL, p);
}

/* ---- energies ------------------------------------------------------------------------------------------ */

static double half_product(ph_twist a, ph_twist b)
{
    return (ph_dot(a.u, b.u) + ph_dot(a.w, b.w)) / 2;
}

static double kinetic(const ph_force_site *s)
{
    ph_beam_at e;
    ph_beam_motion o;
    ph_helix h;
    double T = 0;
    ph_beam_open_motion(s, &o);
    for (int i = 0; i < 2 && !ph_beam_is_helicoidal(s); i++)
        T += half_product(o.v[i], ph_beam_weigh(&o.Ms, ph_beam_weighted(s->f, i, o.v)));
    if (!ph_beam_is_helicoidal(s))
        return T;
    if (!ph_beam_fill(s, &e))
        return NAN;
    ph_beam_helix(&e, &o, 1, &h);
    for (int k = 0; k < PH_HELIX_POINTS; k++) {
        ph_beam_point p;
        ph_beam_point_of(&h, &o, k, 1, &p);
        T += p.weight * half_product(p.n, p.p);
    }
    return T;
}

/* -gravity . (m x + R m c) */
static double height(const ph_force_site *s, ph_vec3 x, ph_mat3 R)
{
    return -ph_dot(s->gravity, ph_add(ph_scale(s->f->mass, x), ph_mul(R, s->f->moment)));
}

static double energy(const ph_force_site *s)
{
    double V = ph_beam_strain_energy(s);
    if (!ph_beam_is_helicoidal(s))
        return V + (height(s, s->a.x, s->a.R) + height(s, s->b.x, s->b.R)) / 2;
    ph_beam_at e;
    if (!ph_beam_fill(s, &e))
        return NAN;
    for (int k = 0; k < PH_HELIX_POINTS; k++) { /* H_a exp(xi d) */
        double d[6], q[7];
        ph_store3(d, ph_scale(ph_helix_xi[k], e.d.u)), ph_store3(d + 3, ph_scale(ph_helix_xi[k], e.d.w));
        ph_se3_ops.exp(0, d, q);
        ph_mat3 R = ph_mmul(s->a.R, ph_qmat(ph_quat_load(q + 3)));
        V += ph_helix_weight[k] * height(s, ph_add(s->a.x, ph_mul(s->a.R, ph_load3(q))), R);
    }
    return V;
}

const ph_force_ops ph_force_beam_mass = {
    .g = g, .C = C, .K = K, .energy = energy, .M = M, .kinetic = kinetic, .all = all, .body_axes = 1};
