/* The primitive slide: its rows and derivatives are in slide.h. */
#include "mech/slide.h"

const ph_part ph_part_slide = {
    .couples = PH_COUPLE_TURNS | PH_COUPLE(PH_XB, PH_FA) | PH_COUPLE(PH_FA, PH_XB) | PH_COUPLE(PH_XA, PH_FA) |
               PH_COUPLE(PH_FA, PH_XA),
    .Phi = ph_slide_Phi,
    .B = ph_slide_B,
    .K = ph_slide_K,
    .Z = ph_slide_Z,
    .Phi_t = ph_slide_Phi_t,
    .convective = ph_slide_convective,
};
