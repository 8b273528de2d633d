/* Elements in lanes: what they see of bodies, and how they write blocks. ph_joint and ph_force are defined by who includes this, before
 * it, with what the text reads of four of them. */
#ifndef PH_MECH_ELEMENT_LANES_H
#define PH_MECH_ELEMENT_LANES_H

#include "mech/element.h"

/* Numbers that stand in lanes already. */
PH_FN void load_numbers(ph_real *out, int n, const double p[][4])
{
    for (int k = 0; k < n; k++)
        out[k] = load4(p[k]);
}

PH_OUT_OF_LINE ph_mat3 matrices(const double *p, const int at[4])
{
    return nines(p, at);
}

/* A body of each element; without velocities */
PH_FN ph_kin end_at(const ph_ends *e, const ph_ends_state *s, int side)
{
    return (ph_kin){
        .x = vectors(s->q, e->x[side]), .q = quaternions(s->q, e->q[side]), .R = matrices(s->R, e->R[side])};
}

/* p += numbers k to k + 3 of n elements */
PH_FN void add4(double *p, const int *at, int n, int k, ph_real a, ph_real b, ph_real c, ph_real d)
{
    ph_real r[4] = {a, b, c, d};
    transpose(r);
    for (int i = 0; i < n; i++)
        store4(p + at[i] + k, load4(p + at[i] + k) + r[i]);
}

PH_OUT_OF_LINE void add_matrices(double *p, const int *at, int n, ph_mat3 A)
{
    add4(p, at, n, 0, A.xx, A.xy, A.xz, A.yx);
    add4(p, at, n, 4, A.yy, A.yz, A.zx, A.zy);
    for (int i = 0; i < n; i++)
        p[at[i] + 8] += A.zz[i];
}

#endif
