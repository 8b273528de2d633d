/* What tests of flexible bodies in mechanisms share: models with them. */
#ifndef PH_TEST_FLEX_CASES_H
#define PH_TEST_FLEX_CASES_H

#include "modal_cases.h"

/* The frame and the markers of a flexible body; returns the index of the frame, the markers follow. */
static inline int kit_flexible(kit *k, const char *name, flex *x, ph_vec3 at, ph_quat R)
{
    static const char *const names[FLEX_MARKERS] = {"root", "tip"};
    int frame = k->m.n_bodies, index = ++k->m.n_flexible;
    k->flexible[index - 1] = (ph_flexible_def){.name = name, .body = &x->r};
    k->body[k->m.n_bodies++] = (ph_body_def){.name = name, .flexible = index, .x = at, .R = R};
    for (int i = 0; i < x->r.n_markers; i++)
        k->body[k->m.n_bodies++] = (ph_body_def){.name = names[i],
                                                 .flexible = index,
                                                 .marker = 1 + i,
                                                 .x = ph_add(at, ph_quat_rotate(R, x->marker[i].X)),
                                                 .R = R};
    return frame;
}

static inline int kit_random_flexible(kit *k, const char *name, flex *x, int modes, uint64_t *seed)
{
    flex_random(x, modes, seed);
    ph_vec3 at = rnd3(seed);
    return kit_flexible(k, name, x, at, rnd_turn(0.5, seed)); /* torsions are smooth below half a turn */
}

#endif
