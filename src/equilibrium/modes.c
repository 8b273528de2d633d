/* Modes of a linearised system: eigenvalues and shapes.
 *
 *   at rest without damping:  z'' = A z,  A z = nu z,   mu = +-sqrt(nu)
 *   else:                     x' = A x,   A x = mu x,   x = (z, w)                                 (T8)
 *
 * frequency |im mu|, damping ratio -re mu/|mu|. The eigenvalue 0, which is a multiple one wherever something can move
 * freely, is taken out first by (T9); of the others, those below round-off of the largest are 0. Of (z, w), z is scaled so
 * that stiffness and velocity have one size. */
#include <complex.h>
#include <string.h>

#include "base/spectrum.h"
#include "equilibrium/equilibrium_limits.h"
#include "equilibrium/linear.h"
#include "la/small.h"
#include "polhode/equilibrium.h"

struct ph_modes {
    ph_linear lin;
    int count;
    double complex *mu;  /* with im >= 0, by rising modulus */
    double complex *own; /* eigenvalue of A that it comes from */
    double complex *x;   /* n: eigenvector; scratch */
    double size;         /* of the largest eigenvalue of A */
    const ph_allocator *alloc;
    void *block;
};

static void put(ph_modes *m, double complex mu, double complex own)
{
    if (cimag(mu) < 0)
        return;
    if (cimag(mu) == 0)
        mu = creal(mu); /* no -0 */
    int k = m->count++;
    for (; k > 0 && cabs(m->mu[k - 1]) > cabs(mu) * (1 + 1e-14); k--)
        m->mu[k] = m->mu[k - 1], m->own[k] = m->own[k - 1];
    m->mu[k] = mu, m->own[k] = own;
}

/* Both roots of nu; real ones each on its own. */
static void put_square(ph_modes *m, double complex nu)
{
    if (fabs(cimag(nu)) <= 1e-12 * m->size)
        nu = creal(nu);
    if (cabs(nu) <= PH_MODES_ZERO_SQUARE * m->size)
        put(m, 0, 0);
    else
        put(m, csqrt(nu), nu), put(m, -csqrt(nu), nu);
}

/* A real matrix has real eigenvalues and pairs; pairs lose what round-off made of their symmetry. */
static void put_first(ph_modes *m, double complex mu)
{
    double complex clean = mu;
    if (cabs(mu) <= PH_MODES_ZERO * m->size)
        clean = 0;
    else if (fabs(cimag(mu)) <= 1e-12 * m->size)
        clean = creal(mu);
    if (fabs(creal(clean)) <= 1e-13 * m->size)
        clean = I * cimag(clean);
    put(m, clean, mu);
}

/* A = (0 1; -K -D) with s z in the place of z: s = sqrt(max K). What its entries cannot tell from 0 is returned. */
static double scale(const ph_linear *l, double *A)
{
    double most = 0;
    for (int i = l->nz; i < l->n; i++)
        most = fmax(most, ph_small_max(l->nz, A + i * l->n));
    double s = most > 0 ? sqrt(most) : 1;
    for (int i = 0; i < l->n; i++)
        for (int j = 0; j < l->n; j++)
            A[i * l->n + j] *= (i < l->nz ? s : 1) / (j < l->nz ? s : 1);
    return fmax(l->noise[0] / s, l->noise[1]);
}

/* The eigenvalues to m->x: zeros behind the others. */
static ph_status find_values(ph_modes *m)
{
    int n = m->lin.n;
    size_t nn = (size_t)n * (size_t)n;
    double *A = ph_alloc(m->alloc, 2 * nn * sizeof *A);
    if (!A)
        return PH_E_MEMORY;
    memcpy(A, m->lin.A, nn * sizeof *A);
    double least = m->lin.second ? m->lin.noise[0] : scale(&m->lin, A);
    int rest = ph_remove_zeros(n, A, PH_MODES_SINGULAR, least, A + nn);
    ph_status s = rest ? ph_eigenvalues(rest, A, m->x) : PH_OK;
    for (int k = rest; k < n; k++)
        m->x[k] = 0;
    ph_free(m->alloc, A);
    return s;
}

static ph_status find(ph_modes *m, ph_error *err)
{
    int n = m->lin.n;
    if (!n)
        return PH_OK;
    ph_status s = find_values(m);
    if (s == PH_E_MEMORY)
        return ph_fail(err, s, "not enough memory for modes");
    if (s != PH_OK)
        return ph_fail(err, s, "the eigenvalues of the linearised system were not found");
    m->size = cabs(m->x[0]);
    for (int k = 0; k < n; k++)
        if (m->lin.second)
            put_square(m, m->x[k]);
        else
            put_first(m, m->x[k]);
    return PH_OK;
}

static void take(ph_modes *m, ph_arena *a)
{
    size_t n = (size_t)m->lin.n + 1;
    m->mu = ph_arena_take(a, 2 * n, sizeof *m->mu);
    m->own = ph_arena_take(a, 2 * n, sizeof *m->own);
    m->x = ph_arena_take(a, n, sizeof *m->x);
}

ph_status ph_modes_create(ph_modes **out, const ph_system *sys, double t, const double *q, const double *v,
                          const ph_allocator *alloc, ph_error *err)
{
    ph_arena a = {0};
    *out = NULL;
    ph_modes *m = ph_alloc(alloc, sizeof *m);
    if (!m)
        return ph_fail(err, PH_E_MEMORY, "not enough memory for modes");
    *m = (ph_modes){.alloc = alloc};
    ph_status s = ph_linear_create(&m->lin, sys, t, q, v, alloc, err);
    if (s == PH_OK) {
        take(m, &a);
        s = ph_arena_open(&a, alloc) ? PH_OK : ph_fail(err, PH_E_MEMORY, "not enough memory for modes");
    }
    if (s == PH_OK) {
        m->block = a.block;
        take(m, &a);
        s = find(m, err);
    }
    if (s == PH_OK)
        *out = m;
    else
        ph_modes_destroy(m);
    return s;
}

void ph_modes_destroy(ph_modes *m)
{
    if (!m)
        return;
    const ph_allocator *alloc = m->alloc;
    ph_linear_destroy(&m->lin);
    ph_free(alloc, m->block);
    ph_free(alloc, m);
}

ph_modes_info ph_modes_get_info(const ph_modes *m)
{
    const ph_linear *l = &m->lin;
    return (ph_modes_info){.freedom = l->nw,
                           .count = m->count,
                           .undamped = l->second,
                           .turning = l->speed > 0 && !l->stay,
                           .speed = l->speed,
                           .acceleration = l->acceleration};
}

void ph_modes_value(const ph_modes *m, int k, double *re, double *im)
{
    *re = creal(m->mu[k]), *im = cimag(m->mu[k]);
}

/* y^* M y by coordinates, as parts of the sum */
static void energies(const ph_modes *m, const double *re, const double *im, double *share)
{
    const ph_linear *l = &m->lin;
    double sum = 0;
    for (int part = 0; part < 2; part++) {
        const double *y = part ? im : re;
        ph_linear_apply(&l->sim->lay, l->sim->ev.M, y, l->y[0]);
        for (int i = 0; i < l->nv; i++)
            share[i] = (part ? share[i] : 0) + y[i] * l->y[0][i];
    }
    for (int i = 0; i < l->nv; i++)
        sum += share[i];
    for (int i = 0; i < l->nv; i++)
        share[i] /= sum > 0 ? sum : 1;
}

ph_status ph_modes_shape(ph_modes *m, int k, double *re, double *im, double *share)
{
    const ph_linear *l = &m->lin;
    int nv = l->nv;
    double complex most = 0;
    double *own_re = l->y[2], *own_im = l->y[3];
    ph_status s = ph_eigenvector(l->n, l->A, m->own[k], m->size, (unsigned)k + 1, m->x);
    if (s != PH_OK)
        return s;
    memset(own_re, 0, sizeof(double) * (size_t)nv), memset(own_im, 0, sizeof(double) * (size_t)nv);
    for (int j = 0; j < l->nz; j++)
        for (int i = 0; i < nv; i++) {
            own_re[i] += creal(m->x[j]) * l->Nh[j * nv + i];
            own_im[i] += cimag(m->x[j]) * l->Nh[j * nv + i];
        }
    for (int i = 0; i < nv; i++)
        if (hypot(own_re[i], own_im[i]) > cabs(most) * (1 + 1e-9))
            most = own_re[i] + I * own_im[i];
    for (int i = 0; i < nv && cabs(most) > 0; i++) {
        double complex y = (own_re[i] + I * own_im[i]) / most;
        own_re[i] = creal(y), own_im[i] = cimag(y);
    }
    if (re)
        memcpy(re, own_re, sizeof(double) * (size_t)nv);
    if (im)
        memcpy(im, own_im, sizeof(double) * (size_t)nv);
    if (share)
        energies(m, own_re, own_im, share);
    return PH_OK;
}
