/* The primitive turn: its rows and derivatives are in turn.h. */
#include "mech/turn.h"
#include "mech/numbers.h"

static int same(const ph_joint *a, const ph_joint *b, unsigned pick, double place)
{
    (void)pick, (void)place;
    return ph_turns_agree(a->Ca, b->Ca) && ph_turns_agree(a->Cb, b->Cb) &&
           ph_agree(9, 1, &a->Ea.xx, &b->Ea.xx) && ph_agree(9, 1, &a->Eb.xx, &b->Eb.xx);
}

const ph_part ph_part_turn = {
    .text = "turn",
    .couples = PH_COUPLE_TURNS,
    .Phi = ph_turn_Phi,
    .B = ph_turn_B,
    .Phi_B = ph_turn_Phi_B,
    .K = ph_turn_K,
    .Z = ph_turn_Z,
    .Phi_t = ph_turn_Phi_t,
    .convective = ph_turn_convective,
    .same = same,
};
