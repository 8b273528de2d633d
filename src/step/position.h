/* Singular positions in words. */
#ifndef PH_STEP_POSITION_H
#define PH_STEP_POSITION_H

#include "step/sim.h"

/* "singular position: body 'coupler' can turn about (0, 0, 1) without violating its joints", where more rows of
 * B depend on others at this point of a simulation than elsewhere; nothing where no more do. Writes to text
 * and returns it. usual: how many rows do elsewhere. */
const char *ph_position_words(ph_sim *sim, const ph_point *p, int usual, char *text, size_t size);

#endif
