/* The primitive slide: its rows and derivatives are in slide.h. */
#include "mech/slide.h"
#include "mech/numbers.h"

/* It reads the picked components, in the joint frame, of the point of the first body. */
static int same(const ph_joint *a, const ph_joint *b, unsigned pick, double place)
{
    int all = ph_agree(9, 1, &a->Ea.xx, &b->Ea.xx) && ph_agree(3, place, &a->sb.x, &b->sb.x);
    for (int k = 0; k < 3 && all; k++)
        if (ph_picked(pick, k)) {
            double x = ph_dot(ph_column(&a->Ea, k), a->sa), y = ph_dot(ph_column(&b->Ea, k), b->sa);
            all = ph_agree(1, place, &x, &y);
        }
    return all;
}

const ph_part ph_part_slide = {
    PH_PLAIN_PART(slide),
    .couples = PH_COUPLE_TURNS | PH_COUPLE(PH_XB, PH_FA) | PH_COUPLE(PH_FA, PH_XB) | PH_COUPLE(PH_XA, PH_FA) |
               PH_COUPLE(PH_FA, PH_XA),
    .Phi_t = ph_slide_Phi_t,
    .same = same,
};
