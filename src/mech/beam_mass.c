/* Beam elements with mass, distributed over their length: the text of beam_mass.h with one element at a time. */
#include "mech/beam_mass.h"

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

static double kinetic(const ph_force_site *s)
{
    ph_stumpff r;
    return ph_beam_kinetic(s, ph_beam_relative(&s->a, &s->b, &r));
}

const ph_force_ops ph_force_beam_mass = {
    .g = g, .C = C, .K = K, .energy = ph_beam_energy, .M = M, .kinetic = kinetic, .all = all, .body_axes = 1};
