/* Spherical joints in physical coordinates: the equations of point.c in loops over flat records. */
#include "mech/pin.h"

static inline ph_vec3 end_of(const ph_state *s, int x, int R, const ph_vec3 *arm)
{
    if (x < 0)
        return *arm;
    return R < 0 ? ph_add(ph_load3(s->q + x), *arm) : ph_add(ph_load3(s->q + x), ph_mul(s->R[R], *arm));
}

static inline ph_vec3 gap_of(const ph_state *s, const ph_pin *p)
{
    return ph_sub(end_of(s, p->xa, p->Ra, &p->sa), end_of(s, p->xb, p->Rb, &p->sb));
}

void ph_pins_Phi(const ph_mechanism *m, const ph_state *s, double *out)
{
    for (const ph_pin *p = m->pin, *end = p + m->n_pins; p < end; p++)
        ph_store3(out + p->l_at, gap_of(s, p));
}

/* sign R tilde(a) */
static inline void put_arm(double *out, const ph_mat3 *R, double sign, const ph_vec3 *a)
{
    double x = sign * a->x, y = sign * a->y, z = sign * a->z;
    out[0] = R->xy * z - R->xz * y, out[1] = R->xz * x - R->xx * z, out[2] = R->xx * y - R->xy * x;
    out[3] = R->yy * z - R->yz * y, out[4] = R->yz * x - R->yx * z, out[5] = R->yx * y - R->yy * x;
    out[6] = R->zy * z - R->zz * y, out[7] = R->zz * x - R->zx * z, out[8] = R->zx * y - R->zy * x;
}

void ph_pins_B(const ph_mechanism *m, const ph_state *s, double *out)
{
    for (const ph_pin *p = m->pin, *end = p + m->n_pins; p < end; p++) {
        if (p->xa >= 0) {
            double *o = out + p->B[PH_XA];
            o[0] = o[4] = o[8] = 1;
        }
        if (p->Ra >= 0)
            put_arm(out + p->B[PH_FA], s->R + p->Ra, -1, &p->sa);
        if (p->xb >= 0) {
            double *o = out + p->B[PH_XB];
            o[0] = o[4] = o[8] = -1;
        }
        if (p->Rb >= 0)
            put_arm(out + p->B[PH_FB], s->R + p->Rb, 1, &p->sb);
    }
}

/* v + R (Omega x s) */
static inline ph_vec3 speed_of(const ph_state *s, int v, int R, int w, const ph_vec3 *arm)
{
    if (v < 0)
        return ph_v3(0, 0, 0);
    ph_vec3 u = ph_load3(s->v + v);
    return R < 0 ? u : ph_add(u, ph_mul(s->R[R], ph_cross(ph_load3(s->v + w), *arm)));
}

/* The force f at the end of an arm: f and s x R^T f */
static inline void pull(const ph_state *s, int v, int R, int w, const ph_vec3 *arm, ph_vec3 f, double *r)
{
    if (v < 0)
        return;
    ph_add3(r + v, f);
    if (R >= 0)
        ph_add3(r + w, ph_cross(*arm, ph_tmul(s->R[R], f)));
}

void ph_pins_products(const ph_mechanism *m, const ph_state *s, double *r, double *Phi, double *rate)
{
    for (const ph_pin *p = m->pin, *end = p + m->n_pins; p < end; p++) {
        ph_vec3 lambda = ph_load3(s->lambda + p->l_at);
        if (r)
            pull(s, p->va, p->Ra, p->wa, &p->sa, lambda, r),
                pull(s, p->vb, p->Rb, p->wb, &p->sb, ph_scale(-1, lambda), r);
        if (Phi)
            ph_store3(Phi + p->l_at, gap_of(s, p));
        if (rate)
            ph_add3(rate + p->l_at, ph_sub(speed_of(s, p->va, p->Ra, p->wa, &p->sa),
                                           speed_of(s, p->vb, p->Rb, p->wb, &p->sb)));
    }
}

/* K += tilde(a) tilde(f) = f a^T - (a . f) I */
static inline void add_stiffness(ph_mat3 *K, const ph_vec3 *a, ph_vec3 f)
{
    double x = a->x * f.x, y = a->y * f.y, z = a->z * f.z;
    K->xx -= y + z, K->xy += f.x * a->y, K->xz += f.x * a->z;
    K->yx += f.y * a->x, K->yy -= x + z, K->yz += f.y * a->z;
    K->zx += f.z * a->x, K->zy += f.z * a->y, K->zz -= x + y;
}

void ph_pins_K(const ph_mechanism *m, const ph_state *s, double *out)
{
    const ph_pin_arm *h = m->arm;
    for (const ph_pinned_body *b = m->pinned, *end = b + m->n_pinned; b < end; b++) {
        const ph_mat3 *R = s->R + b->R;
        ph_mat3 K = {0};
        for (const ph_pin_arm *last = m->arm + b->end; h < last; h++)
            add_stiffness(&K, &h->s, ph_tmul(*R, ph_load3(s->lambda + h->l_at)));
        ph_store33(out + b->K, K);
    }
}

void ph_pins_Z(const ph_mechanism *m, const ph_state *s, double *out)
{
    for (const ph_pin *p = m->pin, *end = p + m->n_pins; p < end; p++) {
        if (p->Ra >= 0) {
            ph_vec3 a = ph_cross(ph_load3(s->v + p->wa), p->sa);
            put_arm(out + p->B[PH_FA], s->R + p->Ra, -1, &a);
        }
        if (p->Rb >= 0) {
            ph_vec3 b = ph_cross(ph_load3(s->v + p->wb), p->sb);
            put_arm(out + p->B[PH_FB], s->R + p->Rb, 1, &b);
        }
    }
}

static inline ph_vec3 swing(const ph_state *s, int R, int w, const ph_vec3 *arm)
{
    if (R < 0)
        return ph_v3(0, 0, 0);
    ph_vec3 omega = ph_load3(s->v + w);
    return ph_mul(s->R[R], ph_cross(omega, ph_cross(omega, *arm)));
}

void ph_pins_convective(const ph_mechanism *m, const ph_state *s, double *out)
{
    for (const ph_pin *p = m->pin, *end = p + m->n_pins; p < end; p++)
        ph_store3(out + p->l_at, ph_sub(swing(s, p->Ra, p->wa, &p->sa), swing(s, p->Rb, p->wb, &p->sb)));
}
