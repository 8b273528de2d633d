/* What tests of flexible bodies share: bodies of random numbers, a body at a random instant, reductions of
 * dense finite elements that share no line with src/fe, and differences of order 8. */
#ifndef PH_TEST_MODAL_CASES_H
#define PH_TEST_MODAL_CASES_H

#include "mech_cases.h"
#include "mech/modal.h"

enum { FLEX_MODES = 12, FLEX_MARKERS = 2, FLEX_N = 6 + FLEX_MODES, FLEX_CAL = 6 + 4 * FLEX_MODES };

/* A reduced body with room for its numbers. */
typedef struct flex {
    ph_reduced r;
    ph_marker marker[FLEX_MARKERS];
    double calM[FLEX_CAL * FLEX_CAL], Kf[FLEX_MODES * FLEX_MODES], Df[FLEX_MODES * FLEX_MODES];
    double KG[(PH_KG_MARKERS + 3 * FLEX_MARKERS) * FLEX_MODES * FLEX_MODES];
    double Psi[FLEX_MARKERS][3 * FLEX_MODES], Th[FLEX_MARKERS][3 * FLEX_MODES];
} flex;

static inline void flex_open(flex *x, int modes, int markers)
{
    memset(x, 0, sizeof *x);
    x->r = (ph_reduced){.modes = modes, .n_markers = markers, .marker = x->marker};
    x->r.calM = x->calM, x->r.Kf = x->Kf, x->r.Df = x->Df, x->r.KG = x->KG;
    for (int i = 0; i < markers; i++)
        x->marker[i].Psi = x->Psi[i], x->marker[i].Th = x->Th[i];
}

/* A symmetric matrix of entries in [-size, size] plus diagonal. */
static inline void rnd_symmetric(int n, double size, double diagonal, double *A, uint64_t *seed)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            A[i * n + j] = A[j * n + i] = size * rnd(seed) + (i == j ? diagonal : 0);
}

/* Any numbers, but for those of a rigid body: m I, and minus the tilde of its first moment. */
static inline void flex_random(flex *x, int modes, uint64_t *seed)
{
    flex_open(x, modes, FLEX_MARKERS);
    int n = 6 + 4 * modes;
    double m = 9 + rnd(seed), mass[9], moment[9];
    rnd_symmetric(n, 0.3, 8, x->calM, seed);
    ph_store33(mass, ph_diag3(m, m, m));
    ph_store33(moment, ph_tilde(rnd3(seed)));
    for (int i = 0; i < 9; i++) {
        x->calM[i / 3 * n + i % 3] = mass[i];
        x->calM[i / 3 * n + 3 + i % 3] = x->calM[(3 + i % 3) * n + i / 3] = -moment[i];
    }
    rnd_symmetric(modes, 1, 5, x->Kf, seed);
    rnd_symmetric(modes, 0.1, 1, x->Df, seed);
    for (int c = 0; c < PH_KG_MARKERS + 3 * FLEX_MARKERS; c++)
        rnd_symmetric(modes, 0.5, 0.2, x->KG + c * modes * modes, seed);
    for (int k = 0; k < FLEX_MARKERS; k++) {
        x->marker[k].X = rnd3(seed);
        for (int i = 0; i < 3 * modes; i++)
            x->Psi[k][i] = rnd(seed), x->Th[k][i] = rnd(seed);
    }
}

/* ---- a body at one instant ----------------------------------------------------------------------- */

typedef struct instant {
    ph_modal_site s;
    double zeta[FLEX_MODES], zdot[FLEX_MODES], zddot[FLEX_MODES];
} instant;

static inline void instant_link(instant *a)
{
    a->s.zeta = a->zeta, a->s.zdot = a->zdot, a->s.zddot = a->zddot;
    a->s.k.R = ph_qmat(a->s.k.q);
}

static inline void instant_random(instant *a, const ph_reduced *r, uint64_t *seed)
{
    memset(a, 0, sizeof *a);
    a->s.r = r;
    a->s.k.x = rnd3(seed), a->s.k.v = rnd3(seed), a->s.k.w = rnd3(seed), a->s.k.q = rnd_turn(3, seed);
    a->s.a = rnd3(seed), a->s.wdot = rnd3(seed), a->s.gravity = rnd3(seed);
    for (int i = 0; i < r->modes; i++)
        a->zeta[i] = rnd(seed), a->zdot[i] = rnd(seed), a->zddot[i] = rnd(seed);
    instant_link(a);
}

/* Coordinate i shifted by e: x, phi, zeta (VARY_Q) or a velocity (VARY_V); or everything along the motion. */
static inline instant instant_shift(const instant *a, vary what, int i, double e)
{
    instant b = *a;
    double x[6] = {0};
    int f = a->s.r->modes;
    if (what == VARY_FALL) {
        ph_store3(x, ph_scale(e, a->s.k.v)), ph_store3(x + 3, ph_scale(e, a->s.k.w));
        b.s.k.v = ph_add(b.s.k.v, ph_scale(e, a->s.a)), b.s.k.w = ph_add(b.s.k.w, ph_scale(e, a->s.wdot));
        for (int k = 0; k < f; k++)
            b.zeta[k] += e * a->zdot[k], b.zdot[k] += e * a->zddot[k];
    } else if (i >= 6) {
        *(what == VARY_Q ? &b.zeta[i - 6] : &b.zdot[i - 6]) += e;
    } else if (what == VARY_V) {
        double v[6];
        ph_store3(v, b.s.k.v), ph_store3(v + 3, b.s.k.w);
        v[i] += e;
        b.s.k.v = ph_load3(v), b.s.k.w = ph_load3(v + 3);
    } else {
        x[i] = e;
    }
    ph_vec3 turn = ph_load3(x + 3);
    b.s.k.x = ph_add(b.s.k.x, ph_load3(x));
    b.s.k.q = ph_qmul(b.s.k.q, ph_so3_exp(ph_stumpff_of(turn), turn));
    instant_link(&b);
    return b;
}

/* A function of the instant: size numbers. */
typedef void (*instant_fn)(const instant *a, void *ctx, double *out);

/* Its derivative in that direction, of order 8. */
static inline void instant_difference(const instant *a, vary what, int i, instant_fn f, void *ctx, int size,
                                      double *out)
{
    double *one = calloc((size_t)size, sizeof(double));
    assert_non_null(one);
    memset(out, 0, sizeof(double) * (size_t)size);
    for (int k = 0; k < 8; k++) {
        instant b = instant_shift(a, what, i, (k % 2 ? -1 : 1) * (k / 2 + 1) * STEP8);
        instant_link(&b);
        f(&b, ctx, one);
        for (int j = 0; j < size; j++)
            out[j] += (k % 2 ? -1 : 1) * weight8[k / 2] / STEP8 * one[j];
    }
    free(one);
}

/* v = (xdot, Omega, zetadot) and its derivative */
static inline void instant_v(const instant *a, double *v, double *vdot)
{
    ph_store3(v, a->s.k.v), ph_store3(v + 3, a->s.k.w);
    ph_store3(vdot, a->s.a), ph_store3(vdot + 3, a->s.wdot);
    for (int k = 0; k < a->s.r->modes; k++)
        v[6 + k] = a->zdot[k], vdot[6 + k] = a->zddot[k];
}

/* M vdot + g */
static inline void instant_residual(const instant *a, void *ctx, double *r)
{
    (void)ctx;
    int n = 6 + a->s.r->modes;
    double M[FLEX_N * FLEX_N], v[FLEX_N], vdot[FLEX_N];
    ph_modal_M(&a->s, M);
    ph_modal_g(&a->s, r);
    instant_v(a, v, vdot);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            r[i] += M[i * n + j] * vdot[j];
}

#endif
