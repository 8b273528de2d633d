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
    PH_PLAIN_PART(turn), .couples = PH_COUPLE_TURNS, .Phi_B = ph_turn_Phi_B, .Phi_t = ph_turn_Phi_t,
    .same = same,
};
