/* The primitive turn: its rows and derivatives are in turn.h. */
#include "mech/turn.h"

const ph_part ph_part_turn = {
    .couples = PH_COUPLE_TURNS,
    .Phi = ph_turn_Phi,
    .B = ph_turn_B,
    .Phi_B = ph_turn_Phi_B,
    .K = ph_turn_K,
    .Z = ph_turn_Z,
    .Phi_t = ph_turn_Phi_t,
    .convective = ph_turn_convective,
};
