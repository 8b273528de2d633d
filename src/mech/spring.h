/* Spring and damper from point to point: a tension T = k (|d| - L) + d |d|dot along u = d/|d| (span.h).
 *
 *   F = T u,  dF/dd = T P + u (k u + d P ddot)^T,  dF/d(ddot) = d u u^T,  P = (I - u u^T)/|d|
 *
 * Where the points coincide there is no direction and no force; a spring without length is then k I stiff. */
#ifndef PH_MECH_SPRING_H
#define PH_MECH_SPRING_H

#include "mech/span.h"

PH_FN ph_span ph_spring_span_of(const ph_force_site *s)
{
    return ph_span_of(&s->a, &s->b, s->f->sa, s->f->sb);
}

PH_FN ph_real ph_spring_tension(const ph_force_site *s, const ph_span *c)
{
    return s->f->def->k * (c->length - s->f->length) + s->f->def->d * c->out;
}

PH_FN void ph_spring_g(const ph_force_site *s, ph_vec3 r[PH_SLOTS])
{
    ph_span c = ph_spring_span_of(s);
    ph_span_arms(&s->a, &s->b, s->f->sa, s->f->sb, ph_scale(ph_spring_tension(s, &c), c.u), r);
}

PH_FN void ph_spring_C(const ph_force_site *s, const ph_put *p)
{
    ph_span c = ph_spring_span_of(s);
    ph_span_C(&s->a, &s->b, s->f->sa, s->f->sb, ph_mscale(s->f->def->d, ph_outer(c.u, c.u)), p);
}

PH_FN void ph_spring_K(const ph_force_site *s, const ph_put *p)
{
    ph_span c = ph_spring_span_of(s);
    ph_mat3 P = ph_span_across(&c), S, G = ph_mscale(s->f->def->d, ph_outer(c.u, c.u));
    ph_real T = ph_spring_tension(s, &c), k = s->f->def->k, d = s->f->def->d;
    S = ph_madd(ph_mscale(T, P), ph_outer(c.u, ph_add(ph_scale(k, c.u), ph_scale(d, ph_mul(P, c.rate)))));
    S = ph_mselect((c.length == 0) & (s->f->length == 0), ph_diag3(k, k, k), S);
    ph_span_K(&s->a, &s->b, s->f->sa, s->f->sb, ph_scale(T, c.u), S, G, p);
}

PH_FN ph_real ph_spring_energy(const ph_force_site *s)
{
    ph_real x = ph_spring_span_of(s).length - s->f->length;
    return s->f->def->k * x * x / 2;
}

#endif
