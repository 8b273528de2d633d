/* The one free coordinate of a joint, its rate, and reactions. */
#ifndef PH_COMPILE_COORDINATE_H
#define PH_COMPILE_COORDINATE_H

/* Displacement, angle in (-2 pi, 2 pi] or distance; free: 0..2 along, 3..5 about the axes of the joint frame, 6 distance */
PH_FN ph_real ph_coordinate(const ph_site *s)
{
    const ph_joint *j = s->j;
    ph_vec3 d = ph_sub(ph_add(s->b.x, ph_mul(s->b.R, j->sb)), s->a.x);
    if (j->free == 6)
        return ph_norm(ph_sub(d, ph_mul(s->a.R, j->sa)));
    if (j->free >= 3) {
        ph_quat p = ph_qmul(ph_quat_conj(ph_qmul(s->a.q, j->Ca)), ph_qmul(s->b.q, j->Cb));
        return 2 * ph_atan2(j->free == 3 ? p.x : j->free == 4 ? p.y : p.z, p.w);
    }
    return ph_dot(ph_column(&j->Ea, j->free), ph_sub(ph_tmul(s->a.R, d), j->sa));
}

PH_FN ph_real ph_coordinate_rate(const ph_site *s)
{
    const ph_joint *j = s->j;
    ph_vec3 d = ph_sub(ph_add(s->b.x, ph_mul(s->b.R, j->sb)), s->a.x);
    ph_vec3 u = ph_sub(ph_add(s->b.v, ph_mul(s->b.R, ph_cross(s->b.w, j->sb))), s->a.v);
    if (j->free == 6) {
        d = ph_sub(d, ph_mul(s->a.R, j->sa));
        u = ph_sub(u, ph_mul(s->a.R, ph_cross(s->a.w, j->sa)));
        return ph_dot(d, u) / ph_norm(d);
    }
    if (j->free >= 3)
        return ph_dot(ph_column(&j->Eb, j->free - 3), s->b.w) -
               ph_dot(ph_column(&j->Ea, j->free - 3), s->a.w);
    ph_vec3 e = ph_column(&j->Ea, j->free);
    return ph_dot(e, ph_tmul(s->a.R, u)) + ph_dot(ph_cross(s->a.w, e), ph_tmul(s->a.R, d));
}

/* The angle nearest to where the last one tracked has come since; last: angle, rate, t */
PH_FN ph_real ph_unwound(ph_real angle, ph_real rate, ph_real t, const ph_real *last)
{
    const double turn = 6.28318530717958647693;
    ph_real since = (t - last[2]) * (last[1] + rate) / 2;
    return angle + turn * ph_round((last[0] + since - angle) / turn);
}

PH_FN void ph_count_turns(const ph_site *s, ph_real t, ph_mask ok, ph_real *last)
{
    ph_real rate = ph_coordinate_rate(s), angle = ph_unwound(ph_coordinate(s), rate, t, last);
    last[0] = ph_select(ok, angle, last[0]);
    last[1] = ph_select(ok, rate, last[1]);
    last[2] = ph_select(ok, t, last[2]);
}

/* r += B^T lambda, slot by slot; rows of B are 12 long */
PH_FN void ph_add_pull(const ph_real *B, const ph_real *lambda, int rows, ph_vec3 r[PH_SLOTS])
{
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < PH_SLOTS; k++)
            r[k] = ph_add(r[k], ph_scale(lambda[i], ph_load3(B + 12 * i + 3 * k)));
}

/* Force and torque on the second body, world, about the joint point, which is arm away from the body of that side. */
PH_FN void ph_reaction(const ph_site *s, int second, const ph_vec3 r[PH_SLOTS], ph_vec3 arm, ph_real *out)
{
    ph_vec3 F = second ? ph_neg(r[PH_XB]) : r[PH_XA];
    ph_vec3 tau = second ? ph_neg(ph_mul(s->b.R, r[PH_FB])) : ph_mul(s->a.R, r[PH_FA]);
    ph_store3(out, F);
    ph_store3(out + 3, ph_sub(tau, ph_cross(arm, F)));
}

#endif
