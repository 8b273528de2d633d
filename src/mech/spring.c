/* Spring and damper from point to point: a tension T = k (|d| - L) + d |d|dot along u = d/|d| (span.h).
 *
 *   F = T u,  dF/dd = T P + u (k u + d P ddot)^T,  dF/d(ddot) = d u u^T,  P = (I - u u^T)/|d|
 *
 * Where the points coincide there is no direction and no force; a spring without length is then k I stiff. */
#include "mech/span.h"

static ph_span span_of(const ph_force_site *s)
{
    return ph_span_of(&s->a, &s->b, s->f->sa, s->f->sb);
}

static double tension(const ph_force_site *s, const ph_span *c)
{
    return s->f->def->k * (c->length - s->f->length) + s->f->def->d * c->out;
}

static ph_status g(const ph_force_site *s, ph_vec3 r[PH_SLOTS])
{
    ph_span c = span_of(s);
    ph_span_arms(&s->a, &s->b, s->f->sa, s->f->sb, ph_scale(tension(s, &c), c.u), r);
    return PH_OK;
}

static ph_status C(const ph_force_site *s, const ph_put *p)
{
    ph_span c = span_of(s);
    ph_span_C(&s->a, &s->b, s->f->sa, s->f->sb, ph_mscale(s->f->def->d, ph_outer(c.u, c.u)), p);
    return PH_OK;
}

static ph_status K(const ph_force_site *s, const ph_put *p)
{
    ph_span c = span_of(s);
    ph_mat3 P = ph_span_across(&c), S, G = ph_mscale(s->f->def->d, ph_outer(c.u, c.u));
    double T = tension(s, &c), k = s->f->def->k, d = s->f->def->d;
    S = ph_madd(ph_mscale(T, P), ph_outer(c.u, ph_add(ph_scale(k, c.u), ph_scale(d, ph_mul(P, c.rate)))));
    if (c.length == 0 && s->f->length == 0)
        S = ph_diag3(k, k, k);
    ph_span_K(&s->a, &s->b, s->f->sa, s->f->sb, ph_scale(T, c.u), S, G, p);
    return PH_OK;
}

static double energy(const ph_force_site *s)
{
    double x = span_of(s).length - s->f->length;
    return s->f->def->k * x * x / 2;
}

const ph_force_ops ph_force_spring = {.g = g, .C = C, .K = K, .energy = energy};
