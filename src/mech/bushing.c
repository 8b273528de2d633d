/* The force bushing: its terms and tangents are in bushing.h. */
#include "mech/bushing.h"

static ph_status g(const ph_force_site *s, ph_vec3 r[PH_SLOTS])
{
    ph_bushing_g(s, r);
    return PH_OK;
}

static ph_status C(const ph_force_site *s, const ph_put *p)
{
    ph_bushing_C(s, p);
    return PH_OK;
}

static ph_status K(const ph_force_site *s, const ph_put *p)
{
    ph_bushing_K(s, p);
    return PH_OK;
}

static int still(const ph_force_def *d)
{
    return ph_norm(d->d3) == 0 && ph_norm(d->dr3) == 0;
}

const ph_force_ops ph_force_bushing = {
    .g = g, .C = C, .K = K, .energy = ph_bushing_energy, .still = still, .make = ph_force_span};
