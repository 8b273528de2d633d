/* Whether an equilibrium is stable.
 *
 * Small systems: all eigenvalues of (T8), the largest real part. Large systems without states: nu of
 *
 *   K x + B^T m = nu M x,   B x = 0                                                                  (T14)
 *
 * is negative for a mode that grows. By Lanczos' method the values theta = 1/(nu + mu) of the matrix of (T2) with K + mu M
 * are approached from within: a Ritz value below 0 or above 1/mu proves that some nu < 0, for symmetric K. With the shifts
 * mu = kappa, kappa/100, ... one of them is near any nu. Growth with the damping d = x^T C x of a mode with x^T M x = 1:
 *
 *   growth = -d/2 + sqrt(d^2/4 - nu)                                                                 (T15) */
#include <complex.h>
#include <stdio.h>
#include <string.h>

#include "base/spectrum.h"
#include "equilibrium/equilibrium_limits.h"
#include "equilibrium/static.h"
#include "la/small.h"

/* The node with the largest share of the kinetic energy; share: nv. */
static int main_node(const ph_layout *lay, const double *share)
{
    int best = -1;
    double most = 0;
    for (int i = 0; i < lay->N; i++) {
        double sum = 0;
        for (int k = 0; k < lay->slot[i].dim; k++)
            sum += share[lay->v_at[i] + k];
        if (sum > most)
            most = sum, best = i;
    }
    return best;
}

static void undecided(ph_rest *rest, const char *why)
{
    *rest = (ph_rest){.code = PH_REST_UNDECIDED, .node = -1};
    snprintf(rest->why, sizeof rest->why, "%.150s", why);
}

/* ---- all eigenvalues -------------------------------------------------------------------------------- */

/* The code of the largest real part; *which: its mode. Non-holonomic rows leave positions without a velocity: each has an
 * eigenvalue 0 that moves nothing. */
static void judge_values(const ph_modes *m, ph_rest *rest, int *which)
{
    double size = 0, most = 0, re, im;
    int zeros = 0, all = 0;
    for (int k = 0; k < ph_modes_get_info(m).count; k++) {
        ph_modes_value(m, k, &re, &im);
        size = fmax(size, hypot(re, im));
    }
    for (int k = 0; k < ph_modes_get_info(m).count; k++) {
        ph_modes_value(m, k, &re, &im);
        zeros += im == 0 && fabs(re) <= PH_REST_NOISE * size, all += im > 0 ? 2 : 1;
        if (re > PH_REST_NOISE * size && re > most)
            most = re, *which = k;
    }
    if (most > 0)
        *rest = (ph_rest){.code = PH_REST_UNSTABLE, .growth = most, .node = -1};
    else if (zeros > all - 2 * ph_modes_get_info(m).freedom)
        undecided(rest, "a mode has the eigenvalue 0");
    else
        *rest = (ph_rest){.code = PH_REST_STABLE, .node = -1};
}

/* scratch: nv */
static ph_status judge_small(const ph_equilibrium *e, const ph_system *sys, double *shape, double *scratch,
                             const ph_allocator *alloc, ph_rest *rest)
{
    ph_state s = ph_equilibrium_state(e);
    ph_modes *m = NULL;
    ph_error err = {0};
    int which = -1;
    ph_status status = ph_modes_create(&m, sys, s.t, s.q, s.v, alloc, &err);
    if (status == PH_E_MEMORY)
        return status;
    if (status == PH_OK)
        judge_values(m, rest, &which);
    else
        undecided(rest, err.text);
    if (which >= 0 && ph_modes_shape(m, which, shape, NULL, scratch) == PH_OK)
        rest->node = main_node(ph_equilibrium_layout(e), scratch);
    ph_modes_destroy(m);
    return PH_OK;
}

/* ---- the least nu ------------------------------------------------------------------------------------ */

typedef struct lanczos {
    ph_equilibrium *e;
    int nv, n;   /* number of vectors */
    double *v;   /* STEPS + 1 vectors of nv, orthonormal in M */
    double *x;   /* nv: the mode that grows fastest so far */
    double nu;   /* its nu; 0 before one was found */
    double skew; /* largest part of the projected matrix that symmetry would make 0, relative */
    int feeds;   /* C feeds some motion */
    double H[PH_REST_STEPS * PH_REST_STEPS];
} lanczos;

static void begin(lanczos *l)
{
    unsigned seed = 1;
    for (int i = 0; i < l->nv; i++) {
        seed = seed * 1664525u + 1013904223u;
        l->v[i] = (double)seed / 4294967296.0 - 0.5;
    }
}

/* Scale the vector k to length 1 in M. Return 0 if it is 0. */
static int normalise(lanczos *l, int k, double *length)
{
    double *v = l->v + (size_t)k * (size_t)l->nv;
    *length = sqrt(fmax(ph_equilibrium_product(l->e, v, v), 0));
    for (int i = 0; i<l->nv && * length> 0; i++)
        v[i] /= *length;
    return *length > 0;
}

/* The projected matrix H = V^T M (K + mu M)^-1 M V, by full orthogonalisation. */
static ph_status project(lanczos *l)
{
    double length, most = 0;
    memset(l->H, 0, sizeof l->H);
    begin(l);
    ph_status s = ph_equilibrium_invert(l->e, l->v, l->v); /* into the null space of B */
    for (l->n = 0; s == PH_OK && l->n < PH_REST_STEPS; l->n++) {
        double *v = l->v + (size_t)l->n * (size_t)l->nv, *next = v + l->nv;
        if (!normalise(l, l->n, &length) || (l->n > 0 && !(length > 1e-12 * most)))
            break;
        if (l->n > 0)
            l->H[l->n * PH_REST_STEPS + l->n - 1] = length;
        s = ph_equilibrium_invert(l->e, v, next);
        for (int twice = 0; twice < 2; twice++)
            for (int k = 0; k <= l->n; k++) {
                const double *u = l->v + (size_t)k * (size_t)l->nv;
                double h = ph_equilibrium_product(l->e, u, next);
                l->H[k * PH_REST_STEPS + l->n] += h;
                for (int i = 0; i < l->nv; i++)
                    next[i] -= h * u[i];
            }
        most = fmax(most, fabs(l->H[l->n * PH_REST_STEPS + l->n]));
        l->feeds |= ph_equilibrium_damping(l->e, v) < 0;
    }
    for (int i = 0; i < l->n; i++)
        for (int j = i + 2; j < l->n; j++)
            l->skew = fmax(l->skew, most > 0 ? fabs(l->H[i * PH_REST_STEPS + j]) / most : 0);
    return s;
}

/* The Ritz value that proves the most negative nu, with its vector. */
static ph_status look(lanczos *l, double mu)
{
    int n = l->n;
    double H[PH_REST_STEPS * PH_REST_STEPS];
    double complex theta[PH_REST_STEPS], y[PH_REST_STEPS];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            H[i * n + j] = l->H[i * PH_REST_STEPS + j];
    ph_status s = n > 0 ? ph_eigenvalues(n, H, theta) : PH_OK;
    for (int k = 0; k < n && s == PH_OK; k++) {
        double t = creal(theta[k]), nu = 1 / t - mu;
        int proof = t < -PH_REST_CLEAR * cabs(theta[0]) || t * mu > 1 + PH_REST_CLEAR;
        if (!proof || !(nu < l->nu))
            continue;
        l->nu = nu;
        s = ph_eigenvector(n, H, theta[k], cabs(theta[0]), 1, y);
        memset(l->x, 0, sizeof(double) * (size_t)l->nv);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < l->nv; i++)
                l->x[i] += creal(y[j]) * l->v[(size_t)j * (size_t)l->nv + (size_t)i];
    }
    return s;
}

static ph_status scan(lanczos *l)
{
    double kappa;
    ph_status s = ph_equilibrium_evaluate(l->e, &kappa);
    for (double part = 1; part >= PH_REST_LEAST && kappa > 0 && s == PH_OK; part *= PH_REST_SHIFT) {
        double mu = part * kappa;
        s = ph_equilibrium_shift(l->e, mu);
        if (s == PH_E_SINGULAR) /* -mu is a nu */
            s = ph_equilibrium_shift(l->e, mu *= 1.1);
        if (s == PH_OK)
            s = project(l);
        if (s == PH_OK)
            s = look(l, mu);
    }
    return s;
}

/* x to its largest entry 1, and (T15). */
static void grow(lanczos *l, double *shape, ph_rest *rest)
{
    double mass = ph_equilibrium_product(l->e, l->x, l->x), d = ph_equilibrium_damping(l->e, l->x) / mass,
           most = 0;
    *rest = (ph_rest){.code = PH_REST_UNSTABLE, .growth = -d / 2 + sqrt(d * d / 4 - l->nu)};
    for (int i = 0; i < l->nv; i++)
        most = fabs(l->x[i]) > fabs(most) ? l->x[i] : most;
    for (int i = 0; i < l->nv; i++) {
        if (shape)
            shape[i] = l->x[i] / most;
        l->x[i] *= l->x[i]; /* by squares only: masses of one mechanism have one size */
    }
    rest->node = main_node(ph_equilibrium_layout(l->e), l->x);
}

static ph_status judge_large(ph_equilibrium *e, double *shape, lanczos *l, ph_rest *rest)
{
    const ph_layout *lay = ph_equilibrium_layout(e);
    char why[160];
    if (lay->sys->n_first || lay->friction) {
        snprintf(why, sizeof why, "not computed for %d velocities with %s", lay->nv,
                 lay->friction ? "friction" : "states");
        undecided(rest, why);
        return PH_OK;
    }
    ph_status s = scan(l);
    if (s == PH_E_MEMORY)
        return s;
    if (s != PH_OK)
        undecided(rest, "the eigenvalues of the stiffness were not found");
    else if (l->skew > PH_REST_CLEAR || l->feeds) {
        snprintf(why, sizeof why, "not computed for %d velocities with %s", lay->nv,
                 l->feeds ? "forces that feed the motion" : "forces that no potential has");
        undecided(rest, why);
    } else if (l->nu < 0)
        grow(l, shape, rest);
    else
        *rest = (ph_rest){.code = PH_REST_STABLE, .node = -1};
    return PH_OK;
}

ph_status ph_equilibrium_judge(ph_equilibrium *e, const ph_system *sys, double *shape, ph_error *err)
{
    const ph_layout *lay = ph_equilibrium_layout(e);
    const ph_allocator *alloc = ph_equilibrium_alloc(e);
    ph_rest rest = {.node = -1};
    int small = lay->nv <= PH_REST_DENSE;
    size_t nv = (size_t)lay->nv;
    lanczos *l = ph_alloc(alloc, sizeof *l + (small ? 2 : PH_REST_STEPS + 2) * nv * sizeof(double));
    if (!l)
        return ph_fail(err, PH_E_MEMORY, "not enough memory to find out whether the equilibrium is stable");
    *l = (lanczos){.e = e, .nv = lay->nv, .x = (double *)(l + 1)};
    l->v = l->x + nv;
    ph_status s = small ? judge_small(e, sys, shape, l->x, alloc, &rest) : judge_large(e, shape, l, &rest);
    ph_free(alloc, l);
    if (s != PH_OK)
        return ph_fail(err, s, "not enough memory to find out whether the equilibrium is stable");
    ph_equilibrium_set_rest(e, &rest);
    return PH_OK;
}
