/* The step of BLieDF of one node, (D1)-(D8) and (D12) of docs/theory.md, with the increment x of q = q_n o exp(x) as unknown:
 *
 *   v1 = J^-1 (gp x + w + y - e E(v1)),   w = S,   J = I + gp dp/dv1 + dc/dv1 without E
 *
 * PH_BDF: the order; PH_BDF_LIE: 0 no Lie term or an explicit one, 1 (D3), 2 (D4); PH_BDF_FOURTH: with E. The past stands in s->past:
 * v_{n-1} ... v_{n-k}, then D_{n-1} ... D_{n-k+1}. */
#ifndef PH_COMPILE_BDF_H
#define PH_COMPILE_BDF_H
#ifdef PH_BDF

#define PH_PAST_V(j) (s->past + ((j)-1) * PH_NV)
#define PH_PAST_D(j) (s->past + (PH_BDF + (j)-1) * PH_NV)

/* w, c and, to theta, v1 as it goes on, of n numbers from at on. */
PH_FN void ph_bdf_predict(const PH_MODEL *s, int at, int n, ph_real *w, ph_real *c, ph_real *theta)
{
    for (int e = at; e < at + n; e++) {
        ph_real sum = ph_k(0), S = ph_k(0), guess = ph_bdf_guess[0] * s->v[e], younger = s->v[e];
        for (int j = 1; j < PH_BDF; j++) {
            sum += ph_bdf_gamma[j + 1] * (younger - PH_PAST_V(j)[e]);
            S += ph_bdf_gamma[j + 1] * PH_PAST_D(j)[e];
            younger = PH_PAST_V(j)[e];
        }
        for (int j = 1; j <= PH_BDF; j++)
            guess += ph_bdf_guess[j] * PH_PAST_V(j)[e];
        w[e] = S, c[e] = (1 / PH_H) * sum - PH_GP * s->v[e], theta[e] = guess;
    }
}

/* x of v1, of a vector. */
PH_FN void ph_bdf_flat(int n, const ph_real *w, ph_real *theta)
{
    for (int e = 0; e < n; e++)
        theta[e] = PH_INV_GP * (theta[e] - w[e]);
}

/* The same of a rotation, with the Lie term as far as it does not depend on v1; J^-1. */
PH_FN ph_mat3 ph_bdf_lie(const PH_MODEL *s, int at, ph_real *w, const ph_real *c, ph_real *theta, ph_real *G)
{
    ph_mat3 J = ph_one33(), Jinv = J;
    ph_vec3 v = ph_load3(s->v + at), v1 = ph_load3(theta);
#if PH_BDF_EXPLICIT
    {
        ph_vec3 a = ph_scale(ph_k(ph_bdf_a[0]), v), b = ph_scale(ph_k(ph_bdf_b[0]), v);
        for (int j = 1; j < 3; j++) {
            a = ph_add(a, ph_scale(ph_k(ph_bdf_a[j]), ph_load3(PH_PAST_V(j) + at)));
            b = ph_add(b, ph_scale(ph_k(ph_bdf_b[j]), ph_load3(PH_PAST_V(j) + at)));
        }
        ph_store3(w, ph_sub(ph_load3(w), ph_scale(ph_k(PH_H / 24), ph_cross(b, a))));
    }
#endif
#if PH_BDF_LIE
    J = ph_madd(J, ph_tilde(PH_BDF_LIE == 1 ? ph_scale(ph_k(PH_GP * PH_H * PH_H / 12), v)
                                            : ph_scale(ph_k(-PH_H * PH_H / 12), ph_load3(c))));
    Jinv = ph_minv(J);
#endif
#if PH_BDF_FOURTH
    for (int d = 0; d < 4; d++) {
        ph_vec3 sum = ph_scale(ph_k(ph_bdf_w[d][1]), v);
        for (int j = 2; j < PH_BDF; j++)
            sum = ph_add(sum, ph_scale(ph_k(ph_bdf_w[d][j]), ph_load3(PH_PAST_V(j - 1) + at)));
        ph_store3(G + d * PH_NV, sum);
    }
#endif
    (void)c, (void)G, (void)v;
    ph_store3(theta, ph_scale(ph_k(PH_INV_GP), ph_sub(ph_mul(J, v1), ph_load3(w))));
    return Jinv;
}

#if PH_BDF_FOURTH
/* E of (D7), of rotations. */
PH_FN ph_vec3 ph_bdf_fourth(ph_vec3 v1, const ph_real *G)
{
    ph_vec3 V[4];
    for (int d = 0; d < 4; d++)
        V[d] = ph_add(ph_scale(ph_k(ph_bdf_w[d][0]), v1), ph_load3(G + d * PH_NV));
    ph_vec3 P = ph_cross(V[0], V[1]), Q = ph_cross(V[0], V[2]), R = ph_cross(V[0], P);
    ph_vec3 S = ph_add(ph_scale(ph_k(-1.0 / 720), V[3]),
                       ph_add(ph_scale(ph_k(PH_H / 720), Q), ph_scale(ph_k(-PH_H * PH_H / 720), R)));
    ph_vec3 U = ph_add(ph_scale(ph_k(PH_BDF_LIE == 1 ? 1.0 / 120 : -1.0 / 180), V[2]),
                       ph_scale(ph_k(-PH_H / 240), P));
    return ph_add(ph_cross(V[0], S), ph_cross(V[1], U));
}
#endif

/* E is small: v1 is found by iterations that gain h^2 each. */
#define PH_BDF_INNER 8

PH_FN ph_moved ph_bdf_turn(const ph_real *q0, const ph_real *theta, const ph_real *w, const ph_real *c,
                           ph_vec3 y, ph_mat3 Jinv, const ph_real *G)
{
    ph_moved m;
    ph_vec3 x = ph_load3(theta), u = ph_add(ph_scale(ph_k(PH_GP), x), ph_add(ph_load3(w), y));
    ph_stumpff r = ph_stumpff_of(x);
    m.q = ph_quat_fix(ph_qmul(ph_quat_load(q0), ph_so3_exp(r, x)));
    m.R = ph_qmat(m.q);
    m.Tinv = ph_form_mat(ph_form_Tinv(r), x);
    m.v = PH_BDF_LIE ? ph_mul(Jinv, u) : u;
#if PH_BDF_FOURTH
    for (int i = 0; i < PH_BDF_INNER; i++)
        m.v = ph_mul(Jinv, ph_sub(u, ph_scale(ph_k(PH_BDF_LIE == 1 ? PH_GP * PH_H * PH_H : PH_H),
                                              ph_bdf_fourth(m.v, G))));
#endif
    (void)G;
    m.vdot = ph_alpha_vdot(m.v, c);
    m.L = PH_BDF_LIE ? ph_mmul(Jinv, m.Tinv) : m.Tinv;
    m.F = Jinv;
    return m;
}

/* What the next steps need of this one, before s becomes its end; D = (v1 - w - y)/(gp h) with (D3), else x/h. */
PH_FN void ph_bdf_remember(PH_MODEL *s, const ph_real *v, const ph_real *theta, const ph_real *w,
                           const ph_real *y, ph_mask failed)
{
    for (int j = PH_BDF; j > 1; j--)
        for (int e = 0; e < PH_NV; e++)
            PH_PAST_V(j)[e] = ph_select(failed, PH_PAST_V(j)[e], PH_PAST_V(j - 1)[e]);
    for (int j = PH_BDF - 1; j > 1; j--)
        for (int e = 0; e < PH_NV; e++)
            PH_PAST_D(j)[e] = ph_select(failed, PH_PAST_D(j)[e], PH_PAST_D(j - 1)[e]);
    for (int e = 0; e < PH_NV; e++) {
        ph_real D = theta[e] * (1 / PH_H);
        if (PH_BDF_LIE == 1)
            D = (v[e] - w[e] - (y ? y[e] : ph_k(0))) * (PH_INV_GP / PH_H);
        PH_PAST_V(1)[e] = ph_select(failed, PH_PAST_V(1)[e], s->v[e]);
        if (PH_BDF > 1)
            PH_PAST_D(1)[e] = ph_select(failed, PH_PAST_D(1)[e], D);
    }
}

#endif
#endif
