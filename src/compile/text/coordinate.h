/* Angles of joints over many turns, second derivatives of coordinates, and reactions. */
#ifndef PH_COMPILE_COORDINATE_H
#define PH_COMPILE_COORDINATE_H

/* The angle nearest to where the last one tracked has come since; last: angle, rate, t */
PH_FN ph_real ph_unwound(ph_real angle, ph_real rate, ph_real t, const ph_real *last)
{
    const double turn = 6.28318530717958647693;
    ph_real since = (t - last[2]) * (last[1] + rate) / 2;
    return angle + turn * ph_round((last[0] + since - angle) / turn);
}

PH_FN void ph_count_turns(const ph_site *s, int k, ph_real t, ph_mask ok, ph_real *last)
{
    ph_real rate = ph_along_rate(s, k), angle = ph_unwound(ph_along_value(s, k), rate, t, last);
    last[0] = ph_select(ok, angle, last[0]);
    last[1] = ph_select(ok, rate, last[1]);
    last[2] = ph_select(ok, t, last[2]);
}

/* xddot = b vdot + z v */
PH_FN ph_real ph_along_acceleration(const ph_site *s, int k, const ph_vec3 vdot[PH_SLOTS])
{
    ph_vec3 b[PH_SLOTS], z[PH_SLOTS];
    ph_along_row(s, k, b);
    ph_along_z(s, k, z);
    return ph_dot(b[PH_XA], vdot[PH_XA]) + ph_dot(b[PH_FA], vdot[PH_FA]) + ph_dot(b[PH_XB], vdot[PH_XB]) +
           ph_dot(b[PH_FB], vdot[PH_FB]) + ph_along_times_v(s, z);
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
