/* Spherical joints, all at once: the equations of point.h in loops over flat records, in physical coordinates or in
 * those of SE(3), where dx = R dU, xdot = R U. With u = Omega x s, and U + Omega x s in body axes,
 *
 *   B = (1, -R tilde(s)) of the first body, or (R, -R tilde(s));  Z = (0, -R tilde(u));  convective = R (Omega x u)
 *   d(B^T lambda)/dq: tilde(s) tilde(R^T lambda) on (phi, phi), in body axes tilde(R^T lambda) on (U, phi) too
 *
 * and the same with minus of the second body. axes: see mech.h. */
#include "mech/pin.h"

#define EACH_PIN(m, p) for (const ph_pin *p = (m)->pin, *end = p + (m)->n_pins; p < end; p++)

static inline ph_vec3 point_of(const ph_state *s, const ph_pin_end *e)
{
    if (e->x < 0)
        return e->s;
    ph_vec3 x = ph_load3(s->q + e->x);
    return e->R < 0 ? ph_add(x, e->s) : ph_add(x, ph_mul(s->R[e->R], e->s));
}

static inline ph_vec3 gap_of(const ph_state *s, const ph_pin *p)
{
    return ph_sub(point_of(s, &p->a), point_of(s, &p->b));
}

void ph_pins_Phi(const ph_mechanism *m, const ph_state *s, double *out)
{
    EACH_PIN(m, p)
    ph_store3(out + p->l_at, gap_of(s, p));
}

/* R tilde(a), rows stride apart */
static inline void put_arm(double *out, int stride, const ph_mat3 *R, ph_vec3 a)
{
    ph_store3(out, ph_v3(R->xy * a.z - R->xz * a.y, R->xz * a.x - R->xx * a.z, R->xx * a.y - R->xy * a.x));
    ph_store3(out + stride,
              ph_v3(R->yy * a.z - R->yz * a.y, R->yz * a.x - R->yx * a.z, R->yx * a.y - R->yy * a.x));
    ph_store3(out + 2 * stride,
              ph_v3(R->zy * a.z - R->zz * a.y, R->zz * a.x - R->zx * a.z, R->zx * a.y - R->zy * a.x));
}

/* The columns of x, or of U. */
static inline void put_place(int axes, const ph_state *s, const ph_pin_end *e, double sign, double *out)
{
    if (e->x < 0)
        return;
    if (!axes || e->R < 0) {
        out[e->Bx] = out[e->Bx + 4] = out[e->Bx + 8] = sign;
        return;
    }
    const ph_mat3 *R = s->R + e->R;
    ph_store3(out + e->Bx, ph_scale(sign, ph_v3(R->xx, R->xy, R->xz)));
    ph_store3(out + e->Bx + 6, ph_scale(sign, ph_v3(R->yx, R->yy, R->yz)));
    ph_store3(out + e->Bx + 12, ph_scale(sign, ph_v3(R->zx, R->zy, R->zz)));
}

PH_INLINE void pins_B(int axes, const ph_mechanism *m, const ph_state *s, double *out)
{
    EACH_PIN(m, p)
    {
        put_place(axes, s, &p->a, 1, out);
        if (p->a.R >= 0)
            put_arm(out + p->a.Bw, axes ? 6 : 3, s->R + p->a.R, ph_scale(-1, p->a.s));
        put_place(axes, s, &p->b, -1, out);
        if (p->b.R >= 0)
            put_arm(out + p->b.Bw, axes ? 6 : 3, s->R + p->b.R, p->b.s);
    }
}

void ph_pins_B(const ph_mechanism *m, const ph_state *s, double *out)
{
    PH_IN_AXES(pins_B, m, s, out);
}

/* u of an end that turns */
static inline ph_vec3 swing(int axes, const ph_state *s, const ph_pin_end *e)
{
    ph_vec3 u = ph_cross(ph_load3(s->v + e->w), e->s);
    return axes ? ph_add(ph_load3(s->v + e->v), u) : u;
}

/* xdot + R (Omega x s) */
static inline ph_vec3 speed_of(int axes, const ph_state *s, const ph_pin_end *e)
{
    if (e->v < 0)
        return ph_v3(0, 0, 0);
    if (e->R < 0)
        return ph_load3(s->v + e->v);
    ph_vec3 Ru = ph_mul(s->R[e->R], swing(axes, s, e));
    return axes ? Ru : ph_add(ph_load3(s->v + e->v), Ru);
}

/* The force f at the end of an arm: f, in body axes R^T f, and s x R^T f */
static inline void pull(int axes, const ph_state *s, const ph_pin_end *e, ph_vec3 f, double *r)
{
    if (e->v < 0)
        return;
    ph_vec3 F = e->R < 0 ? f : ph_tmul(s->R[e->R], f);
    ph_add3(r + e->v, axes ? F : f);
    if (e->R >= 0)
        ph_add3(r + e->w, ph_cross(e->s, F));
}

PH_INLINE void pins_products(int axes, const ph_mechanism *m, const ph_state *s, double *r, double *Phi,
                             double *rate)
{
    EACH_PIN(m, p)
    {
        ph_vec3 lambda = ph_load3(s->lambda + p->l_at);
        if (r)
            pull(axes, s, &p->a, lambda, r), pull(axes, s, &p->b, ph_scale(-1, lambda), r);
        if (Phi)
            ph_store3(Phi + p->l_at, gap_of(s, p));
        if (rate)
            ph_add3(rate + p->l_at, ph_sub(speed_of(axes, s, &p->a), speed_of(axes, s, &p->b)));
    }
}

void ph_pins_products(const ph_mechanism *m, const ph_state *s, double *r, double *Phi, double *rate)
{
    PH_IN_AXES(pins_products, m, s, r, Phi, rate);
}

/* K += tilde(a) tilde(f) = f a^T - (a . f) I */
static inline void add_stiffness(ph_mat3 *K, const ph_vec3 *a, ph_vec3 f)
{
    double x = a->x * f.x, y = a->y * f.y, z = a->z * f.z;
    K->xx -= y + z, K->xy += f.x * a->y, K->xz += f.x * a->z;
    K->yx += f.y * a->x, K->yy -= x + z, K->yz += f.y * a->z;
    K->zx += f.z * a->x, K->zy += f.z * a->y, K->zz -= x + y;
}

PH_INLINE void pins_K(int axes, const ph_mechanism *m, const ph_state *s, double *out)
{
    const ph_pin_arm *h = m->arm;
    for (const ph_pinned_body *b = m->pinned, *end = b + m->n_pinned; b < end; b++) {
        const ph_mat3 *R = s->R + b->R;
        ph_mat3 K = {0};
        ph_vec3 F = {0};
        for (const ph_pin_arm *last = m->arm + b->end; h < last; h++) {
            ph_vec3 f = ph_tmul(*R, ph_load3(s->lambda + h->l_at));
            add_stiffness(&K, &h->s, f);
            if (axes)
                F = ph_add(F, ph_scale(h->sign, f));
        }
        ph_put_block(out + b->K_ww, axes ? 6 : 3, K);
        if (axes)
            ph_put_block(out + b->K_xw, 6, ph_tilde(F));
    }
}

void ph_pins_K(const ph_mechanism *m, const ph_state *s, double *out)
{
    PH_IN_AXES(pins_K, m, s, out);
}

PH_INLINE void pins_Z(int axes, const ph_mechanism *m, const ph_state *s, double *out)
{
    EACH_PIN(m, p)
    {
        if (p->a.R >= 0)
            put_arm(out + p->a.Bw, axes ? 6 : 3, s->R + p->a.R, ph_scale(-1, swing(axes, s, &p->a)));
        if (p->b.R >= 0)
            put_arm(out + p->b.Bw, axes ? 6 : 3, s->R + p->b.R, swing(axes, s, &p->b));
    }
}

void ph_pins_Z(const ph_mechanism *m, const ph_state *s, double *out)
{
    PH_IN_AXES(pins_Z, m, s, out);
}

/* R (Omega x u) */
static inline ph_vec3 drift_of(int axes, const ph_state *s, const ph_pin_end *e)
{
    if (e->R < 0)
        return ph_v3(0, 0, 0);
    return ph_mul(s->R[e->R], ph_cross(ph_load3(s->v + e->w), swing(axes, s, e)));
}

PH_INLINE void pins_convective(int axes, const ph_mechanism *m, const ph_state *s, double *out)
{
    EACH_PIN(m, p)
    ph_store3(out + p->l_at, ph_sub(drift_of(axes, s, &p->a), drift_of(axes, s, &p->b)));
}

void ph_pins_convective(const ph_mechanism *m, const ph_state *s, double *out)
{
    PH_IN_AXES(pins_convective, m, s, out);
}
