/* The generalized-alpha step of one node, (G1)-(G6) of docs/theory.md: a vector of R^3 or a rotation.
 *
 * Constants of the method are macros: PH_SIGMA, PH_GP, PH_EPS, PH_INV_GP, PH_INSIDE (form (G7)), and those of the first
 * guess. */
#ifndef PH_COMPILE_ALPHA_H
#define PH_COMPILE_ALPHA_H

/* One node at the new point. y is gamma/beta B_n^T eta, 0 outside the stabilised form. */
typedef struct ph_moved {
    ph_vec3 v, vdot;
    ph_quat q;
    ph_mat3 R, Tinv;
    ph_mat3 L; /* dv = gp (L dq + F B_n^T x_eta) */
    ph_mat3 F;
} ph_moved;

/* w, c and the first guess of theta from the last two points; slope 1: vdot goes on as in the last step. */
PH_FN void ph_alpha_predict(int turns, const ph_real *v, const ph_real *a, const ph_real *vdot,
                            const ph_real *last, ph_real slope, ph_real *w, ph_real *c, ph_real *theta)
{
    ph_vec3 v0 = ph_load3(v), a0 = ph_load3(a), d0 = ph_load3(vdot);
    ph_vec3 d1 = ph_add(d0, ph_scale(slope, ph_sub(d0, ph_load3(last))));
    ph_vec3 x, u;
#define PH_OF(m)                                                                                             \
    x.m = PH_THETA_V * v0.m + PH_THETA_A * a0.m + PH_THETA_0 * d0.m + PH_THETA_1 * d1.m;                     \
    u.m = PH_LIE * (v0.m + PH_V_A * a0.m + PH_V_0 * d0.m + PH_V_1 * d1.m)
    PH_OF(x);
    PH_OF(y);
    PH_OF(z);
#undef PH_OF
    if (turns && PH_LIE != 0)
        x = ph_add(x, ph_cross(u, x));
    ph_store3(theta, x);
    ph_store3(w, ph_v3(PH_W_V * v0.x + PH_W_A * a0.x, PH_W_V * v0.y + PH_W_A * a0.y,
                       PH_W_V * v0.z + PH_W_A * a0.z));
    ph_store3(c, ph_v3(PH_C_A * a0.x + PH_C_D * d0.x - PH_EPS * v0.x,
                       PH_C_A * a0.y + PH_C_D * d0.y - PH_EPS * v0.y,
                       PH_C_A * a0.z + PH_C_D * d0.z - PH_EPS * v0.z));
}

/* The same of n numbers of a vector space. */
PH_FN void ph_alpha_predict_numbers(int n, const ph_real *v, const ph_real *a, const ph_real *vdot,
                                    const ph_real *last, ph_real slope, ph_real *w, ph_real *c,
                                    ph_real *theta)
{
    for (int i = 0; i < n; i++) {
        ph_real d1 = vdot[i] + slope * (vdot[i] - last[i]);
        theta[i] = PH_THETA_V * v[i] + PH_THETA_A * a[i] + PH_THETA_0 * vdot[i] + PH_THETA_1 * d1;
        w[i] = PH_W_V * v[i] + PH_W_A * a[i];
        c[i] = PH_C_A * a[i] + PH_C_D * vdot[i] - PH_EPS * v[i];
    }
}

PH_FN void ph_alpha_numbers(int n, const ph_real *q0, const ph_real *theta, const ph_real *w,
                            const ph_real *c, ph_real *q, ph_real *v, ph_real *vdot)
{
    for (int i = 0; i < n; i++) {
        q[i] = q0[i] + theta[i];
        v[i] = PH_GP * theta[i] + w[i];
        vdot[i] = PH_EPS * v[i] + c[i];
    }
}

/* eps v + c */
PH_FN ph_vec3 ph_alpha_vdot(ph_vec3 v, const ph_real *c)
{
    return ph_add(ph_scale(ph_k(PH_EPS), v), ph_load3(c));
}

/* (G1)-(G4) of a vector */
PH_FN void ph_alpha_flat(const ph_real *q0, const ph_real *theta, const ph_real *w, const ph_real *c,
                         ph_vec3 y, ph_real *q, ph_real *v, ph_real *vdot)
{
    ph_vec3 x = ph_load3(theta), u = ph_add(ph_add(ph_scale(ph_k(PH_GP), x), ph_load3(w)), y);
    ph_store3(q, ph_add(ph_load3(q0), x));
    ph_store3(v, u);
    ph_store3(vdot, ph_alpha_vdot(u, c));
}

PH_FN ph_mat3 ph_alpha_plus_one(ph_mat3 D)
{
    D.xx = D.xx * PH_INV_GP + 1, D.xy = D.xy * PH_INV_GP, D.xz = D.xz * PH_INV_GP;
    D.yx = D.yx * PH_INV_GP, D.yy = D.yy * PH_INV_GP + 1, D.yz = D.yz * PH_INV_GP;
    D.zx = D.zx * PH_INV_GP, D.zy = D.zy * PH_INV_GP, D.zz = D.zz * PH_INV_GP + 1;
    return D;
}

/* F(w) u of a form (L7), given wu = w x u */
PH_FN ph_vec3 ph_alpha_form(ph_form F, ph_vec3 w, ph_vec3 u, ph_vec3 wu)
{
    ph_real g = F.g * ph_dot(w, u);
    return ph_v3(F.e * u.x + F.f * wu.x + g * w.x, F.e * u.y + F.f * wu.y + g * w.y,
                 F.e * u.z + F.f * wu.z + g * w.z);
}

/* (G1)-(G6) of a rotation */
PH_FN ph_moved ph_alpha_turn(const ph_real *q0, const ph_real *theta, const ph_real *w, const ph_real *c,
                             ph_vec3 y)
{
    ph_moved m;
    ph_vec3 x = ph_load3(theta), u = ph_load3(w), gx = ph_scale(ph_k(PH_GP), x);
    ph_stumpff r = ph_stumpff_of(x);
    ph_mat3 T = ph_form_mat(ph_form_T(r), x), Pinv = ph_one33();
    m.q = ph_quat_fix(ph_qmul(ph_quat_load(q0), ph_so3_exp(r, x)));
    m.R = ph_qmat(m.q);
    m.Tinv = ph_form_mat(ph_form_Tinv(r), x);
    if (PH_INSIDE)
        u = ph_add(u, y), y = ph_zero3();
    if (PH_SIGMA == 0) {
        m.v = ph_add(ph_add(gx, u), ph_mul(m.Tinv, y));
    } else {
        m.v = ph_add(ph_add(gx, ph_alpha_form(ph_form_T(r), x, u, ph_cross(x, u))), y);
        if (PH_SIGMA != 1) {
            Pinv = ph_minv(ph_madd(ph_diag3(ph_k(PH_SIGMA), ph_k(PH_SIGMA), ph_k(PH_SIGMA)),
                                   ph_mscale(ph_k(1 - PH_SIGMA), T)));
            m.v = ph_mul(Pinv, m.v);
            u = ph_sub(u, ph_scale(ph_k(1 - PH_SIGMA), m.v));
        }
    }
    m.vdot = ph_alpha_vdot(m.v, c);
    if (PH_SIGMA == 0) {
        m.L = m.Tinv;
        m.F = m.Tinv; /* of the form (G8); it is the identity in (G7) */
    } else {
        ph_mat3 D = ph_alpha_plus_one(ph_form_jac(ph_form_T(r), x, u, ph_cross(x, u)));
        m.L = ph_mmul(PH_SIGMA == 1 ? D : ph_mmul(Pinv, D), m.Tinv);
        m.F = PH_INSIDE ? ph_mmul(Pinv, T) : Pinv;
    }
    return m;
}

/* The larger of `most` and of (tr X)^2, |tr X^2|, X = M^-1 A, n x n                                     (RB8) */
PH_FN ph_real ph_alpha_stiffness(ph_real most, int n, int turns, const ph_real *M, ph_real *A)
{
    ph_real once = ph_k(0), twice = ph_k(0);
    if (turns)
        ph_store33(A, ph_mmul(ph_minv(ph_load33(M)), ph_load33(A)));
    for (int i = 0; i < n && !turns; i++)
        for (int j = 0; j < n; j++)
            A[i * n + j] = A[i * n + j] / M[i * (n + 1)];
    for (int i = 0; i < n; i++) {
        once += A[i * (n + 1)];
        for (int j = 0; j < n; j++)
            twice += A[i * n + j] * A[j * n + i];
    }
    return ph_larger(ph_larger(most, once * once), ph_abs(twice));
}

/* The largest |component| so far; NaN if any is not finite, by a product with 0 in place of comparisons */
PH_FN ph_real ph_alpha_most(ph_real most, const ph_real *a)
{
    ph_real sum = (a[0] + a[1]) + (a[2] + most), x = ph_abs(a[0]), y = ph_abs(a[1]), z = ph_abs(a[2]);
    x = ph_select(x > y, x, y), z = ph_select(z > most, z, most);
    return ph_select(x > z, x, z) + 0 * sum;
}

/* The largest |a|; NaN: as comparisons have it. */
PH_FN ph_real ph_max_abs(ph_real most, ph_real a)
{
    a = ph_abs(a);
    return ph_select(a > most, a, most);
}

PH_FN ph_real ph_most(ph_real most, const ph_real *a, int n)
{
    for (int i = 0; i < n; i++)
        most = ph_larger(most, ph_abs(a[i]));
    return most;
}

#endif
