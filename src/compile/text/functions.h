/* Functions of the model file: their operations, one member after the other, and curves. */
#ifndef PH_COMPILE_FUNCTIONS_H
#define PH_COMPILE_FUNCTIONS_H

#if PH_LANES == 1

#define PH_EACH(name)                                                                                        \
    PH_FN ph_real name(ph_real a, ph_real b, ph_real y)                                                      \
    {                                                                                                        \
        return name##_of(a, b, y);                                                                           \
    }

PH_FN void ph_curve_each(const ph_curve *c, ph_real x, ph_real *out)
{
    ph_curve_value(c, x, out);
}

#else

#define PH_EACH(name)                                                                                        \
    PH_FN ph_real name(ph_real a, ph_real b, ph_real y)                                                      \
    {                                                                                                        \
        for (int i = 0; i < PH_LANES; i++)                                                                   \
            y[i] = name##_of(a[i], b[i], y[i]);                                                              \
        return y;                                                                                            \
    }

PH_FN void ph_curve_each(const ph_curve *c, ph_real x, ph_real *out)
{
    for (int i = 0; i < PH_LANES; i++) {
        double y[3];
        ph_curve_value(c, x[i], y);
        out[0][i] = y[0], out[1][i] = y[1], out[2][i] = y[2];
    }
}

#endif

/* x y, where 0 times anything is 0 */
PH_FN ph_real ph_times(ph_real x, ph_real y)
{
    return ph_select((x == 0) | (y == 0), ph_k(0), x * y);
}

/* A derivative that is not finite, as that of a root at 0, does not enter the matrix. */
PH_FN ph_real ph_finite(ph_real a)
{
    return ph_select(ph_abs(a) < HUGE_VAL, a, ph_k(0));
}

/* out += w row e^T and w row col^T, three rows; at: the block, n: its columns */
PH_FN void ph_add_column(ph_real *out, int n, ph_real w, ph_vec3 row)
{
    out[0] += w * row.x, out[n] += w * row.y, out[2 * n] += w * row.z;
}

PH_FN void ph_add_columns(ph_real *out, ph_real w, ph_vec3 row, ph_vec3 col)
{
    ph_add_column(out, 3, w * col.x, row);
    ph_add_column(out + 1, 3, w * col.y, row);
    ph_add_column(out + 2, 3, w * col.z, row);
}

/* q o e_i/2, i = x y z: how component k of a quaternion turns */
PH_FN ph_vec3 ph_quat_slope(ph_quat q, int k)
{
    ph_vec3 d[4] = {ph_v3(-q.x, -q.y, -q.z), ph_v3(q.w, -q.z, q.y), ph_v3(q.z, q.w, -q.x),
                    ph_v3(-q.y, q.x, q.w)};
    return ph_scale(ph_k(0.5), d[k]);
}

#endif
