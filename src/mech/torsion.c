/* The force torsion: its terms and tangents are in torsion.h. */
#include "mech/torsion.h"

static ph_status g(const ph_force_site *s, ph_vec3 r[PH_SLOTS])
{
    ph_torsion_g(s, r);
    return PH_OK;
}

static ph_status C(const ph_force_site *s, const ph_put *p)
{
    ph_torsion_C(s, p);
    return PH_OK;
}

static ph_status K(const ph_force_site *s, const ph_put *p)
{
    ph_torsion_K(s, p);
    return PH_OK;
}

static unsigned couples(const ph_force_def *d)
{
    (void)d;
    return PH_COUPLE(PH_FB, PH_FB);
}

const ph_force_ops ph_force_torsion = {
    .g = g, .C = C, .K = K, .energy = ph_torsion_energy, .turns = 1, .couples = couples};
