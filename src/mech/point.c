/* The primitive point: its rows and derivatives are in point.h. */
#include "mech/point.h"

const ph_part ph_part_point = {
    .couples = PH_COUPLE(PH_FA, PH_FA) | PH_COUPLE(PH_FB, PH_FB),
    .Phi = ph_point_Phi,
    .B = ph_point_B,
    .K = ph_point_K,
    .Z = ph_point_Z,
    .convective = ph_point_convective,
};
