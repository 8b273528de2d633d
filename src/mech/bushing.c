/* The force bushing: its terms and tangents are in bushing.h. */
#include "mech/bushing.h"

PH_PLAIN_FORCE(bushing)

static int still(const ph_force_def *d)
{
    return ph_norm(d->d3) == 0 && ph_norm(d->dr3) == 0;
}

const ph_force_ops ph_force_bushing = {.g = g,
                                       .C = C,
                                       .K = K,
                                       .energy = ph_bushing_energy,
                                       .gain = ph_bushing_gain,
                                       .still = still,
                                       .make = ph_force_span};
