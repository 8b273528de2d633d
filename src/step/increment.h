/* The size of an increment of Newton's method, in units of the tolerances; NaN if any number is. */
#ifndef PH_STEP_INCREMENT_H
#define PH_STEP_INCREMENT_H

#include <float.h>

#include "la/small.h"
#include "step/layout.h"
#include "step/newton.h"

typedef struct ph_increment {
    double moved, turned, far; /* the largest displacement, rotation, and displacement since the step began */
} ph_increment;

/* One node: x its increment, all its displacement since the step began. */
PH_INLINE void ph_increment_add(ph_increment *m, const ph_slot *i, const double *x, const double *all)
{
    int rot = i->rot;
    if (rot > 0) {
        m->moved = PH_BY_SIZE(rot, ph_small_larger, m->moved, x);
        m->far = PH_BY_SIZE(rot, ph_small_larger, m->far, all);
    }
    if (rot < i->dim)
        m->turned = PH_BY_SIZE(i->dim - rot, ph_small_larger, m->turned, x + rot);
}

/* And of what stabilises it. */
PH_INLINE void ph_increment_add_eta(ph_increment *m, const ph_slot *i, const double *dy)
{
    m->moved = PH_BY_SIZE(i->rot, ph_small_larger, m->moved, dy);
    m->turned = PH_BY_SIZE(i->dim - i->rot, ph_small_larger, m->turned, dy + i->rot);
}

/* Where a run starts at rest in the origin, far alone knows the size of positions. */
PH_INLINE double ph_increment_size(const ph_increment *m, ph_tolerance tol)
{
    double moved = m->moved / (tol.x + 4 * DBL_EPSILON * m->far), turned = m->turned / tol.R;
    return moved > turned || isnan(moved) ? moved : turned;
}

#endif
