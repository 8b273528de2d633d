/* The primitive ortho: its rows and derivatives are in ortho.h. */
#include "mech/ortho.h"

const ph_part ph_part_ortho = {
    .couples = PH_COUPLE_TURNS,
    .Phi = ph_ortho_Phi,
    .B = ph_ortho_B,
    .K = ph_ortho_K,
    .Z = ph_ortho_Z,
    .convective = ph_ortho_convective,
};
