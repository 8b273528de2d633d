/* Two points keep their distance, or follow a drive; lambda is the force that draws them together.
 *
 *   Phi = |d| - L - f(t),  u = d/|d|,  P = (I - u u^T)/|d|
 *   B = u^T D,  d(B^T lambda)/dq: F = lambda u, S = lambda P,  Z = ddot^T P D + u^T E      (span.h)
 *   convective = ddot^T P ddot + u . (what of dddot is quadratic in Omega) - f'' */
#ifndef PH_MECH_DISTANCE_H
#define PH_MECH_DISTANCE_H

#include "mech/span.h"

PH_FN ph_span ph_distance_span_of(const ph_site *s)
{
    return ph_span_of(&s->a, &s->b, s->j->sa, s->j->sb);
}

PH_FN void ph_distance_put_rows(const ph_put *p, const ph_vec3 r[PH_SLOTS])
{
    for (int k = 0; k < PH_SLOTS; k++)
        ph_put_row(p, k, 0, r[k]);
}

PH_FN void ph_distance_Phi(const ph_site *s, ph_real *out)
{
    out[0] = ph_distance_span_of(s).length - s->j->length - s->f[0];
}

PH_FN void ph_distance_B(const ph_site *s, const ph_put *p)
{
    ph_vec3 r[PH_SLOTS];
    ph_span_arms(&s->a, &s->b, s->j->sa, s->j->sb, ph_distance_span_of(s).u, r);
    ph_distance_put_rows(p, r);
}

PH_FN void ph_distance_K(const ph_site *s, const ph_real *lambda, const ph_put *p)
{
    ph_span c = ph_distance_span_of(s);
    ph_mat3 S = ph_mscale(lambda[0], ph_span_across(&c));
    ph_span_K(&s->a, &s->b, s->j->sa, s->j->sb, ph_scale(lambda[0], c.u), S, ph_zero33(), p);
}

PH_FN void ph_distance_Z(const ph_site *s, const ph_put *p)
{
    ph_span c = ph_distance_span_of(s);
    ph_vec3 r[PH_SLOTS], e[PH_SLOTS];
    ph_span_arms(&s->a, &s->b, s->j->sa, s->j->sb, ph_mul(ph_span_across(&c), c.rate), r);
    ph_span_arm_rates(&s->a, &s->b, s->j->sa, s->j->sb, c.u, e);
    for (int k = 0; k < PH_SLOTS; k++)
        r[k] = ph_add(r[k], e[k]);
    ph_distance_put_rows(p, r);
}

PH_FN void ph_distance_Phi_t(const ph_site *s, ph_real *out)
{
    out[0] = -s->f[1];
}

PH_FN void ph_distance_convective(const ph_site *s, ph_real *out)
{
    ph_span c = ph_distance_span_of(s);
    ph_vec3 swing_a = ph_mul(s->a.R, ph_cross(s->a.w, ph_cross(s->a.w, s->j->sa)));
    ph_vec3 swing_b = ph_mul(s->b.R, ph_cross(s->b.w, ph_cross(s->b.w, s->j->sb)));
    out[0] =
        ph_dot(c.rate, ph_mul(ph_span_across(&c), c.rate)) + ph_dot(c.u, ph_sub(swing_b, swing_a)) - s->f[2];
}

#endif
