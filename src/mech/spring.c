/* The force spring: its terms and tangents are in spring.h. */
#include "mech/spring.h"

static ph_status g(const ph_force_site *s, ph_vec3 r[PH_SLOTS])
{
    ph_spring_g(s, r);
    return PH_OK;
}

static ph_status C(const ph_force_site *s, const ph_put *p)
{
    ph_spring_C(s, p);
    return PH_OK;
}

static ph_status K(const ph_force_site *s, const ph_put *p)
{
    ph_spring_K(s, p);
    return PH_OK;
}

const ph_force_ops ph_force_spring = {
    .g = g, .C = C, .K = K, .energy = ph_spring_energy, .make = ph_force_span};
