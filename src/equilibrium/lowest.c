/* The lowest modes of a large system at rest, without damping:
 *
 *   K x + B^T m = nu M x,   B x = 0                                                                  (T14)
 *
 * by subspace iteration. With the shift mu, which follows nu of the highest mode that is wanted,
 *
 *   (K + mu M) y_k + B^T m = M x_k,   B y_k = 0,   theta_k = x_k^T M y_k                             (T17)
 *
 * multiplies the part of a mode by 1/(nu + mu). The projected stiffness of the y_k has the next x_k as eigenvectors. The iteration
 * ends when |y_k - theta_k x_k| is round-off of |theta_k| in M for all modes that are wanted. The block is larger than the number of
 * wanted modes, so that modes with one nu are all found.
 * References: Bathe & Wilson (1972). */
#include <float.h>
#include <string.h>

#include "equilibrium/equilibrium_limits.h"
#include "equilibrium/linear.h"
#include "la/small.h"
#include "la/symmetric.h"

typedef struct lowest {
    ph_linear *l;
    ph_newton_matrix nm;
    int nv, second, n, wanted; /* velocities, those of second order, vectors, modes */
    double kappa, scale, mu;
    double *x, *y;    /* n vectors of nv, orthonormal in M; their next ones */
    double *H, *nu;   /* n x n, n */
    double *work, *u; /* 4 n; nv */
    double skew;      /* of H, relative */
    void *block;
} lowest;

static double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static double *row(const lowest *w, double *of, int k)
{
    return of + (size_t)k * (size_t)w->nv;
}

/* Numbers without a pattern, in all coordinates of second order. */
static void scatter(lowest *w)
{
    unsigned seed = 1;
    memset(w->x, 0, sizeof(double) * (size_t)w->n * (size_t)w->nv);
    for (int k = 0; k < w->n; k++)
        for (int i = 0; i < w->second; i++) {
            seed = seed * 1664525u + 1013904223u;
            row(w, w->x, k)[i] = (double)seed / 4294967296.0 - 0.5;
        }
}

static ph_status factor(lowest *w)
{
    const ph_eval *ev = &w->l->sim->ev;
    w->scale = 1 / ph_larger(w->kappa, w->mu);
    ph_status s = ph_newton_factor_stiffness(&w->nm, ev, w->scale, w->mu);
    for (int k = 0; k < 3 && s == PH_E_SINGULAR; k++) /* -mu is a nu */
        s = ph_newton_factor_stiffness(&w->nm, ev, w->scale, w->mu *= 1.1);
    return s;
}

/* (T17). Return the largest residual of wanted modes in *off. */
static ph_status invert(lowest *w, double *off)
{
    const ph_layout *lay = &w->l->sim->lay;
    ph_status s = PH_OK;
    *off = 0;
    for (int k = 0; k < w->n && s == PH_OK; k++) {
        double *x = row(w, w->x, k), *y = row(w, w->y, k), *Mx = w->nm.b, sum = 0;
        memset(Mx, 0, sizeof(double) * (size_t)(lay->nv + lay->nl));
        ph_linear_apply(lay, w->l->sim->ev.M, x, Mx);
        memcpy(w->u, Mx, sizeof(double) * (size_t)w->nv);
        for (int i = 0; i < w->nv; i++)
            Mx[i] *= w->scale;
        ph_redundant_leave_out(&w->nm, w->nm.b + lay->nv);
        s = ph_solver_solve(w->nm.solver, w->nm.b, w->nm.x);
        memcpy(y, w->nm.x, sizeof(double) * (size_t)w->second);
        memset(y + w->second, 0, sizeof(double) * (size_t)(w->nv - w->second));
        double theta = dot(w->nv, w->u, y);
        for (int i = 0; i < w->nv; i++)
            w->nm.x[i] = y[i] - theta * x[i];
        ph_linear_apply(lay, w->l->sim->ev.M, w->nm.x, w->u);
        sum = sqrt(fmax(dot(w->nv, w->nm.x, w->u), 0));
        if (k < w->wanted)
            *off = ph_larger(*off, sum / fabs(theta));
    }
    return s;
}

/* Gram and Schmidt, twice, in the metric of M. Vectors that depend on others are dropped. */
static void orthonormalise(lowest *w)
{
    const ph_layout *lay = &w->l->sim->lay;
    int count = 0;
    for (int k = 0; k < w->n; k++) {
        double *y = row(w, w->y, count), before = 0, size = 0;
        memmove(y, row(w, w->y, k), sizeof(double) * (size_t)w->nv);
        for (int pass = 0; pass < 3; pass++) {
            ph_linear_apply(lay, w->l->sim->ev.M, y, w->u);
            size = sqrt(fmax(dot(w->nv, y, w->u), 0));
            before = pass ? before : size;
            for (int j = 0; j < count && pass < 2; j++) {
                double f = dot(w->nv, row(w, w->y, j), w->u);
                for (int i = 0; i < w->nv; i++)
                    y[i] -= f * row(w, w->y, j)[i];
            }
        }
        if (!(size > PH_LOWEST_DEPENDENT * before))
            continue;
        for (int i = 0; i < w->nv; i++)
            y[i] /= size;
        count++;
    }
    w->n = count, w->wanted = w->wanted < count ? w->wanted : count;
}

/* Eigenvectors of the projected stiffness, from y to x. 0: they were not found. */
static int project(lowest *w)
{
    const ph_layout *lay = &w->l->sim->lay;
    int n = w->n;
    double most = 0;
    for (int j = 0; j < n; j++) {
        ph_linear_apply(lay, w->l->sim->ev.K, row(w, w->y, j), w->u);
        for (int i = 0; i < n; i++)
            w->H[j * n + i] = dot(w->nv, row(w, w->y, i), w->u);
    }
    most = ph_small_max(n * n, w->H), w->skew = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            w->skew = ph_larger(w->skew, fabs(w->H[j * n + i] - w->H[i * n + j]));
            w->H[j * n + i] = (w->H[j * n + i] + w->H[i * n + j]) / 2;
        }
    w->skew /= ph_larger(most, w->mu);
    if (n > 0 && !ph_symmetric_eigen(n, w->H, w->nu, w->work))
        return 0;
    memset(w->x, 0, sizeof(double) * (size_t)n * (size_t)w->nv);
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < w->nv; i++)
                row(w, w->x, k)[i] += w->H[k * n + j] * row(w, w->y, j)[i];
    return 1;
}

static ph_status iterate(lowest *w, ph_error *err)
{
    double off = HUGE_VAL, last;
    int settled = 0;
    w->mu = w->kappa > 0 ? PH_LOWEST_FIRST * w->kappa : 1;
    scatter(w);
    ph_status s = factor(w);
    for (int pass = 0; pass < PH_LOWEST_PASSES && s == PH_OK && !settled; pass++) {
        last = off;
        s = invert(w, &off);
        if (s != PH_OK)
            break;
        orthonormalise(w);
        if (!project(w))
            return ph_fail(err, PH_E_NAN, "the eigenvalues of the linearised system were not found");
        settled = off <= PH_LOWEST_EXACT || (off <= PH_LOWEST_NEAR && off > 0.5 * last);
        double most = w->wanted > 0 ? fmax(fabs(w->nu[0]), fabs(w->nu[w->wanted - 1])) : 0;
        double mu = ph_larger(PH_LOWEST_SHIFT * most, PH_LOWEST_LEAST * w->kappa);
        if (mu > 0 && w->kappa > 0 && mu < w->mu / 2 && !settled)
            w->mu = mu, s = factor(w);
    }
    if (s == PH_E_MEMORY)
        return ph_fail(err, s, "not enough memory to linearise the system");
    if (s != PH_OK)
        return ph_fail(err, s, "the system cannot be linearised: %s", ph_status_text(s));
    if (w->skew > PH_REST_CLEAR)
        return ph_fail(err, PH_E_INPUT,
                       "the lowest modes are not computed with forces that have no potential");
    return settled ? PH_OK : ph_fail(err, PH_E_NEWTON, "the lowest modes were not found");
}

/* Refuse what the search cannot have. */
static ph_status check(const lowest *w, ph_error *err)
{
    const ph_layout *lay = &w->l->sim->lay;
    for (const ph_block *b = lay->link, *end = b + lay->n_links; b < end; b++)
        if (!b->holonomic)
            return ph_fail(err, PH_E_INPUT,
                           "the lowest modes are not computed with non-holonomic constraints");
    if (lay->friction)
        return ph_fail(err, PH_E_INPUT, "the lowest modes are not computed with friction");
    if (w->l->speed > PH_LINEAR_STEADY * sqrt(w->kappa))
        return ph_fail(
            err, PH_E_INPUT,
            "the lowest modes need a state of rest, and the speed is %.3g: --about static finds one",
            w->l->speed);
    return PH_OK;
}

static void take(lowest *w, ph_arena *a)
{
    size_t nv = (size_t)w->nv, n = (size_t)w->n, d = sizeof(double);
    w->x = ph_arena_take(a, n * nv, d), w->y = ph_arena_take(a, n * nv, d);
    w->H = ph_arena_take(a, n * n, d), w->nu = ph_arena_take(a, n, d);
    w->work = ph_arena_take(a, 4 * n, d), w->u = ph_arena_take(a, nv, d);
}

static ph_status open_work(lowest *w, ph_error *err)
{
    ph_arena a = {0};
    ph_sim *sim = w->l->sim;
    take(w, &a);
    if (!ph_arena_open(&a, w->l->alloc))
        return ph_fail(err, PH_E_MEMORY, "not enough memory to linearise the system");
    w->block = a.block;
    take(w, &a);
    ph_status s = ph_newton_create(&w->nm, &sim->lay, 1, PH_INDEX3, sim->opt.solver, w->l->alloc, err);
    if (s != PH_OK)
        return s;
    s = ph_redundant_choose(&w->nm, &sim->ev);
    return s == PH_OK ? s : ph_fail(err, s, "the system cannot be linearised: %s", ph_status_text(s));
}

ph_status ph_linear_find_lowest(ph_linear *l, int second, int wanted, int *found, ph_error *err)
{
    int block = wanted + (wanted > PH_LOWEST_MORE ? wanted : PH_LOWEST_MORE);
    lowest w = {.l = l, .nv = l->nv, .second = second, .wanted = wanted};
    w.n = block < second ? block : second;
    w.wanted = wanted < w.n ? wanted : w.n;
    w.kappa = ph_newton_stiffness(&l->sim->lay, &l->sim->ev);
    ph_status s = check(&w, err);
    if (s == PH_OK)
        s = open_work(&w, err);
    if (s == PH_OK)
        s = iterate(&w, err);
    if (s == PH_OK)
        memcpy(l->Nw, w.x, sizeof(double) * (size_t)w.wanted * (size_t)w.nv);
    *found = w.wanted, l->kappa = w.kappa;
    ph_newton_destroy(&w.nm);
    ph_free(l->alloc, w.block);
    return s;
}
