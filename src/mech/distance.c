/* Two points keep their distance, or follow a drive; lambda is the force that draws them together.
 *
 *   Phi = |d| - L - f(t),  u = d/|d|,  P = (I - u u^T)/|d|
 *   B = u^T D,  d(B^T lambda)/dq: F = lambda u, S = lambda P,  Z = ddot^T P D + u^T E      (span.h)
 *   convective = ddot^T P ddot + u . (what of dddot is quadratic in Omega) - f'' */
#include "mech/span.h"

static ph_span span_of(const ph_site *s)
{
    return ph_span_of(&s->a, &s->b, s->j->sa, s->j->sb);
}

static void put_rows(const ph_put *p, const ph_vec3 r[PH_SLOTS])
{
    for (int k = 0; k < PH_SLOTS; k++)
        ph_put_row(p, k, 0, r[k]);
}

static void Phi(const ph_site *s, double *out)
{
    out[0] = span_of(s).length - s->j->length - s->f[0];
}

static void B(const ph_site *s, const ph_put *p)
{
    ph_vec3 r[PH_SLOTS];
    ph_span_arms(&s->a, &s->b, s->j->sa, s->j->sb, span_of(s).u, r);
    put_rows(p, r);
}

static void K(const ph_site *s, const double *lambda, const ph_put *p)
{
    ph_span c = span_of(s);
    ph_mat3 S = ph_mscale(lambda[0], ph_span_across(&c));
    ph_span_K(&s->a, &s->b, s->j->sa, s->j->sb, ph_scale(lambda[0], c.u), S, (ph_mat3){0}, p);
}

static void Z(const ph_site *s, const ph_put *p)
{
    ph_span c = span_of(s);
    ph_vec3 r[PH_SLOTS], e[PH_SLOTS];
    ph_span_arms(&s->a, &s->b, s->j->sa, s->j->sb, ph_mul(ph_span_across(&c), c.rate), r);
    ph_span_arm_rates(&s->a, &s->b, s->j->sa, s->j->sb, c.u, e);
    for (int k = 0; k < PH_SLOTS; k++)
        r[k] = ph_add(r[k], e[k]);
    put_rows(p, r);
}

static void Phi_t(const ph_site *s, double *out)
{
    out[0] = -s->f[1];
}

static void convective(const ph_site *s, double *out)
{
    ph_span c = span_of(s);
    ph_vec3 swing_a = ph_mul(s->a.R, ph_cross(s->a.w, ph_cross(s->a.w, s->j->sa)));
    ph_vec3 swing_b = ph_mul(s->b.R, ph_cross(s->b.w, ph_cross(s->b.w, s->j->sb)));
    out[0] =
        ph_dot(c.rate, ph_mul(ph_span_across(&c), c.rate)) + ph_dot(c.u, ph_sub(swing_b, swing_a)) - s->f[2];
}

const ph_part ph_part_distance = {
    .couples = PH_COUPLE_ALL,
    .Phi = Phi,
    .B = B,
    .K = K,
    .Z = Z,
    .Phi_t = Phi_t,
    .convective = convective,
};
