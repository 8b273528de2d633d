/* What tests of groups and of charts share. */
#ifndef POLHODE_TEST_LIE_KIT_H
#define POLHODE_TEST_LIE_KIT_H

#include "check.h"
#include "quad.h"

#ifndef PH_NO_QUAD

static const double PI = 3.14159265358979323846;

static inline ph_vec3 direction(uint64_t *seed)
{
    ph_vec3 n = ph_v3(rnd(seed), rnd(seed), rnd(seed));
    return ph_scale(1 / ph_norm(n), n);
}

static inline double quat_error(const double *q, quad_quat ref)
{
    const quad r[4] = {ref.w, ref.v[0], ref.v[1], ref.v[2]};
    return q_error(q, r, 4);
}

#endif

#endif
