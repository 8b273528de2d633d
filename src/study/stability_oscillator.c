/* Methods on the linear oscillator q'' + 2 zeta omega q' + omega^2 q = 0, by the eigenvalues of their step.
 *
 *   h = 1, omega = z: the step is the same for all h with the same z = omega h
 *   exact: mu = exp(z (-zeta + i sqrt(1 - zeta^2)))
 *   numerical damping ratio -ln|mu|/arg mu, relative period error arg(exact)/arg(mu) - 1               (V3)
 *
 * for the principal eigenvalue mu, the one that tends to the exact one as z -> 0: it is followed from there.
 * (Hughes, The Finite Element Method, 9.1.3.) */
#include <math.h>

#include "study/stability.h"

#define FIRST  0.02  /* z where the principal eigenvalue is sure to be the nearest to the exact one */
#define FACTOR 1.04  /* between the points at which it is followed */
#define EXACT  1e-13 /* relative error of differences: the system is linear, and its state 0 */
#define REAL   1e-6  /* |Im mu|/|mu| below it: no oscillation; a double eigenvalue is split by round-off */

static ph_status M(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)ctx;
    out[0] = 1;
    return PH_OK;
}

static ph_status g(const ph_state *s, double *out, void *ctx)
{
    const ph_oscillator *c = ctx;
    out[0] = c->omega * (2 * c->zeta * s->v[0] + c->omega * s->q[0]);
    return PH_OK;
}

static ph_status C(const ph_state *s, double *out, void *ctx)
{
    const ph_oscillator *c = ctx;
    (void)s;
    out[0] = 2 * c->zeta * c->omega;
    return PH_OK;
}

static ph_status K(const ph_state *s, double *out, void *ctx)
{
    const ph_oscillator *c = ctx;
    (void)s;
    out[0] = c->omega * c->omega;
    return PH_OK;
}

ph_system ph_oscillator_system(ph_oscillator *c)
{
    static const ph_node node = {PH_RN, 1, "mass"};
    ph_system sys = {.name = "oscillator", .n_nodes = 1, .nodes = &node, .flags = PH_MASS_CONSTANT};
    sys.M = M, sys.g = g, sys.C = C, sys.K = K, sys.ctx = c;
    return sys;
}

ph_status ph_oscillator_spectrum(ph_spectrum *out, const ph_options *opt, double z, double zeta,
                                 ph_error *err)
{
    const double zero[1] = {0};
    ph_oscillator c = {.zeta = zeta, .omega = z};
    ph_system sys = ph_oscillator_system(&c);
    ph_options o = *opt;
    o.h = 1;
    return ph_spectrum_observe(out, &sys, &o, zero, zero, ph_step_history(opt), EXACT, err);
}

ph_status ph_oscillator_radius(double *radius, const ph_options *opt, double z, double zeta, ph_error *err)
{
    ph_spectrum linear;
    ph_status s = ph_oscillator_spectrum(&linear, opt, z, zeta, err);
    *radius = s != PH_OK ? NAN : linear.n > 0 ? cabs(linear.value[0]) : 0;
    ph_spectrum_destroy(&linear);
    return s == PH_E_MEMORY ? s : PH_OK;
}

ph_status ph_oscillator_limit(double *z, const ph_options *opt, double zeta, double lo, double hi,
                              double width, ph_error *err)
{
    while (hi - lo > width) {
        double radius;
        ph_status s = ph_oscillator_radius(&radius, opt, (lo + hi) / 2, zeta, err);
        if (s != PH_OK)
            return s;
        *(radius <= PH_RADIUS_STABLE ? &lo : &hi) = (lo + hi) / 2;
    }
    *z = (lo + hi) / 2;
    return PH_OK;
}

/* The eigenvalue nearest to guess. */
static double complex nearest(const ph_spectrum *s, double complex guess)
{
    double complex best = NAN;
    for (int k = 0; k < s->n; k++)
        if (k == 0 || cabs(s->value[k] - guess) < cabs(best - guess))
            best = s->value[k];
    return best;
}

ph_status ph_oscillator_measure(ph_oscillation *out, const ph_options *opt, double z, double zeta,
                                ph_error *err)
{
    double complex exact = -zeta + csqrt(zeta * zeta - 1), mu = cexp(fmin(z, FIRST) * exact), before = mu;
    ph_spectrum s;
    *out = (ph_oscillation){NAN, NAN, NAN};
    for (double at = fmin(z, FIRST);; at = fmin(z, at * FACTOR)) {
        ph_status status = ph_oscillator_spectrum(&s, opt, at, zeta, err);
        if (status != PH_OK)
            return status;
        double complex next = nearest(&s, 2 * mu - before);
        before = mu, mu = next;
        out->radius = s.n > 0 ? cabs(s.value[0]) : 0;
        ph_spectrum_destroy(&s);
        if (!(at < z))
            break;
    }
    if (zeta < 1 && fabs(cimag(mu)) > REAL * cabs(mu)) {
        out->damping = -log(cabs(mu)) / fabs(carg(mu));
        out->period = z * cimag(exact) / fabs(carg(mu)) - 1;
    }
    return PH_OK;
}
