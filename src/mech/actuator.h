/* Actuators: effort, spring, damper and soft stops along a coordinate x of a joint.
 *
 *   tau = u - k (x - rest) - d xdot - sum over stops of sign (k_s S(p) + d_s S'(p) xdot)               (J9)
 *   g = -tau b^T,  dx = b dq,  xdot = b v                                    (along.h)
 *   C = -tau_v b^T b,  K = -b^T (tau_x b + tau_v z) - tau d(b^T)/dq,  tau_x = dtau/dx, tau_v = dtau/dxdot
 *
 * and, where the effort u is a function, -b^T du (reach.h).
 *
 * p = sign (x - stop) is how deep a stop is pressed, and S rises smoothly over the width w,
 *
 *   S = 0 where p < 0,  p^2/(2 w) where p < w,  p - w/2 beyond                                         (J10)
 *
 * About the rotation vector psi of a joint, in its frame, w the relative angular velocity:
 *
 *   y = k psi + d w is the torque on the second body with minus sign                                   (J11) */
#ifndef PH_MECH_ACTUATOR_H
#define PH_MECH_ACTUATOR_H

#include "mech/along.h"

/* Effort and its derivatives by x and xdot. */
typedef struct ph_law {
    ph_real tau, tau_x, tau_v;
    ph_real stored; /* J, in springs and stops */
} ph_law;

/* What stop number i adds: S, S' and S'' of (J10), and the integral of S. */
PH_FN ph_law ph_actuator_stop(ph_law y, const ph_actuator_def *d, int i, ph_real x, ph_real rate)
{
    double sign = i ? 1 : -1;
    ph_real p = sign * (x - d->stop[i]), w = d->stop_width, none = ph_k(0);
    ph_mask off = p <= 0, bends = p < w;
    ph_real S = ph_select(off, none, ph_select(bends, p * p / (2 * w), p - w / 2));
    ph_real S1 = ph_select(off, none, ph_select(bends, p / w, ph_k(1)));
    ph_real S2 = ph_select(off, none, ph_select(bends, 1 / w, none));
    ph_real energy =
        ph_select(off, none, ph_select(bends, p * p * p / (6 * w), w * w / 6 + (p * p - w * p) / 2));
    y.tau -= sign * d->stop_k * S + d->stop_d * S1 * rate;
    y.tau_x -= d->stop_k * S1 + sign * d->stop_d * S2 * rate;
    y.tau_v -= d->stop_d * S1;
    y.stored += d->stop_k * energy;
    return y;
}

PH_FN ph_law ph_actuator_law_at(const ph_force_site *s, ph_real x, ph_real rate, int stops)
{
    const ph_actuator_def *d = s->f->actuator;
    ph_real r = x - d->rest;
    ph_law y = {s->effort - d->k * r - d->d * rate, -d->k, -d->d, d->k * r * r / 2};
    for (int i = 0; i < 2 && stops; i++)
        y = ph_actuator_stop(y, d, i, x, rate);
    return y;
}

PH_FN ph_law ph_actuator_law(const ph_force_site *s, const ph_site *site, int stops)
{
    ph_real x = ph_along_value(site, s->f->coordinate) + s->turns;
    return ph_actuator_law_at(s, x, ph_along_rate(site, s->f->coordinate), stops);
}

PH_FN ph_site ph_actuator_site(const ph_force_site *s)
{
    ph_site site = {.j = s->f->along, .a = s->a, .b = s->b};
    return site;
}

PH_FN void ph_actuator_g(const ph_force_site *s, int stops, ph_vec3 r[PH_SLOTS])
{
    ph_site site = ph_actuator_site(s);
    ph_vec3 b[PH_SLOTS];
    ph_real tau = ph_actuator_law(s, &site, stops).tau;
    ph_along_row(&site, s->f->coordinate, b);
    for (int k = 0; k < PH_SLOTS; k++)
        r[k] = ph_scale(-tau, b[k]);
}

PH_FN void ph_actuator_add_outer(ph_real f, const ph_vec3 a[PH_SLOTS], const ph_vec3 b[PH_SLOTS],
                                 const ph_put *p)
{
    for (int i = 0; i < PH_SLOTS; i++)
        for (int j = 0; j < PH_SLOTS; j++)
            ph_add_pair(p, i, j, ph_mscale(f, ph_outer(a[i], b[j])));
}

PH_FN void ph_actuator_C(const ph_force_site *s, int stops, const ph_put *p)
{
    ph_site site = ph_actuator_site(s);
    ph_vec3 b[PH_SLOTS];
    ph_along_row(&site, s->f->coordinate, b);
    ph_actuator_add_outer(-ph_actuator_law(s, &site, stops).tau_v, b, b, p);
}

PH_FN void ph_actuator_K(const ph_force_site *s, int stops, const ph_put *p)
{
    ph_site site = ph_actuator_site(s);
    ph_law y = ph_actuator_law(s, &site, stops);
    ph_vec3 b[PH_SLOTS], z[PH_SLOTS];
    ph_along_row(&site, s->f->coordinate, b);
    ph_along_z(&site, s->f->coordinate, z);
    ph_actuator_add_outer(-y.tau_x, b, b, p);
    ph_actuator_add_outer(-y.tau_v, b, z, p);
    ph_along_K(&site, s->f->coordinate, -y.tau, p);
}

PH_FN ph_real ph_actuator_energy(const ph_force_site *s, int stops)
{
    ph_site site = ph_actuator_site(s);
    return ph_actuator_law(s, &site, stops).stored;
}

/* ---- about the rotation vector --------------------------------------------------------------------- */

PH_FN void ph_swing_torque_g(const ph_force_site *s, ph_vec3 r[PH_SLOTS])
{
    const ph_actuator_def *d = s->f->actuator;
    ph_site site = ph_actuator_site(s);
    ph_swing c = ph_swing_of(&site);
    ph_swing_row(&site, &c, ph_add(ph_scale(d->k, ph_so3_log(c.p)), ph_scale(d->d, c.w)), r);
}

PH_FN void ph_swing_torque_C(const ph_force_site *s, const ph_put *p)
{
    ph_real d = s->f->actuator->d;
    ph_site site = ph_actuator_site(s);
    ph_swing c = ph_swing_of(&site);
    ph_swing_K(&site, &c, ph_diag3(d, d, d), ph_zero3(), p);
}

/* dw = delta x u */
PH_FN void ph_swing_torque_K(const ph_force_site *s, const ph_put *p)
{
    const ph_actuator_def *d = s->f->actuator;
    ph_site site = ph_actuator_site(s);
    ph_swing c = ph_swing_of(&site);
    ph_vec3 psi = ph_so3_log(c.p);
    ph_mat3 Y = ph_msub(ph_mscale(d->k, ph_swing_Tinv(psi)), ph_mscale(d->d, ph_tilde(c.u)));
    ph_swing_K(&site, &c, Y, ph_add(ph_scale(d->k, psi), ph_scale(d->d, c.w)), p);
}

PH_FN ph_real ph_swing_torque_energy(const ph_force_site *s)
{
    ph_site site = ph_actuator_site(s);
    ph_vec3 psi = ph_so3_log(ph_along_relative(&site));
    return s->f->actuator->k * ph_dot(psi, psi) / 2;
}

#endif
