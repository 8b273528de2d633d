/* How the frame of a body holds its nodes: T, whose columns are the motions that are left. */
#ifndef PH_FE_CLAMP_H
#define PH_FE_CLAMP_H

#include "fe/patch.h"

/* Each gives 0 where memory ends. */
int ph_clamp_nodes(ph_pool *pool, const ph_fe *fe, int n, const ph_patch *patch,
                   ph_csc *T); /* all of them stand still */

/* a stays at the origin, b on the line from a through b, and a does not turn about it; nodes with
 * rotations. */
int ph_clamp_chord(ph_pool *pool, const ph_fe *fe, int a, int b, ph_csc *T);

#endif
