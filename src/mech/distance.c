/* The primitive distance: its rows and derivatives are in distance.h. */
#include "mech/distance.h"

const ph_part ph_part_distance = {
    .couples = PH_COUPLE_ALL,
    .Phi = ph_distance_Phi,
    .B = ph_distance_B,
    .K = ph_distance_K,
    .Z = ph_distance_Z,
    .Phi_t = ph_distance_Phi_t,
    .convective = ph_distance_convective,
};
