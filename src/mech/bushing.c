/* The force bushing: its terms and tangents are in bushing.h. */
#include "mech/bushing.h"

PH_PLAIN_FORCE(bushing)

static int still(const ph_force_def *d)
{
    return ph_norm(d->d3) == 0 && ph_norm(d->dr3) == 0;
}

static ph_status pairs(const ph_force_site *s, ph_port *out)
{
    ph_vec3 torque, rate;
    ph_bushing_gain(s, &torque, &rate);
    ph_put_pairs(torque, rate, out);
    return PH_OK;
}

/* If the rotational stiffness is the same about all axes, no energy enters. */
static ph_status make(const ph_model *model, ph_force *f, ph_error *err)
{
    ph_vec3 k = f->def->kr3;
    if (k.x == k.y && k.y == k.z)
        f->n_pairs = 0;
    return ph_force_span(model, f, err);
}

const ph_force_ops ph_force_bushing = {PH_PLAIN_TERMS(bushing), .energy = ph_bushing_energy,
                                       .pairs = pairs,          .n_pairs = 3,
                                       .still = still,          .make = make};
