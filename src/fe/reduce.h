/* From finite elements to what a run needs of them. */
#ifndef PH_FE_REDUCE_H
#define PH_FE_REDUCE_H

#include "fe/reduced.h"
#include "fe/shapes.h"
#include "fe/sound.h"

#define PH_MARKED_NODES 64 /* members with up to so many nodes have a marker at each */

/* Reduce as spec says; nodes of fe are moved to be about the origin of the frame, which *origin tells in the
 * axes of the finite elements. */
ph_status ph_fe_reduce(ph_fe *fe, const ph_fe_spec *spec, ph_factor_kind kind, const ph_allocator *alloc,
                       ph_reduced **out, ph_vec3 *origin, ph_fe_sound *sound, ph_error *err);

#endif
