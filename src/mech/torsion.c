/* The force torsion: its terms and tangents are in torsion.h. */
#include "mech/torsion.h"

PH_PLAIN_FORCE(torsion)

static unsigned couples(const ph_force_def *d)
{
    (void)d;
    return PH_COUPLE(PH_FB, PH_FB);
}

const ph_force_ops ph_force_torsion = {PH_PLAIN_TERMS(torsion), .energy = ph_torsion_energy, .turns = 1,
                                       .couples = couples, .still = ph_force_undamped};
