/* The primitive point: its rows and derivatives are in point.h. */
#include "mech/point.h"
#include "mech/numbers.h"

static int same(const ph_joint *a, const ph_joint *b, unsigned pick, double place)
{
    (void)pick;
    return ph_agree(3, place, &a->sa.x, &b->sa.x) && ph_agree(3, place, &a->sb.x, &b->sb.x);
}

const ph_part ph_part_point = {
    PH_PLAIN_PART(point),
    .couples = PH_COUPLE(PH_FA, PH_FA) | PH_COUPLE(PH_FB, PH_FB),
    .same = same,
};
