/* The primitive roll: its rows and derivatives are in roll.h. */
#include "mech/roll.h"

const ph_part ph_part_roll = {
    .couples = PH_COUPLE(PH_FB, PH_FB),
    .Phi = ph_roll_Phi,
    .B = ph_roll_B,
    .K = ph_roll_K,
    .Z = ph_roll_Z,
    .convective = ph_roll_convective,
};
