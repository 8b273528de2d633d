/* The force spring: its terms and tangents are in spring.h. */
#include "mech/spring.h"

PH_PLAIN_FORCE(spring)

const ph_force_ops ph_force_spring = {PH_PLAIN_TERMS(spring), .energy = ph_spring_energy,
                                      .still = ph_force_undamped, .make = ph_force_span};
