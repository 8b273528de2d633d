/* The fourth-order part of the Magnus series of a step, for multistep methods of order 5 and 6.
 *
 * With V_d = h^d v^(d), at the middle of a step (c = 1/120) or as a density along it (c = -1/180):
 *
 *   E = c [V1,V2] - [V0,V3]/720 + h ([V0,[V0,V2]]/720 - [V1,[V0,V1]]/240)
 *       - h^2 [V0,[V0,[V0,V1]]]/720                                                            (D7) */
#ifndef PH_METHOD_MAGNUS_H
#define PH_METHOD_MAGNUS_H

#include "polhode/lie.h"

#define PH_MAGNUS_MIDDLE  (1.0 / 120)
#define PH_MAGNUS_DENSITY (-1.0 / 180)

/* E of one node and, unless dE is NULL, its derivative by v1 where dV_d = w_d dv1. */
void ph_magnus_fourth(int n, const ph_group_ops *op, double h, double c, double V[4][PH_DIM_MAX],
                      const double w[4], double *E, double *dE);

#endif
