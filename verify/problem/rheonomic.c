/* A point whose position is prescribed: vdot = -lambda, Phi = q - t^3 = 0. No degree of freedom is left.
 * (Arnold, Bruls, Cardona, Numer. Math. 129 (2015), Example 2.) Exact: q = t^3, lambda = -6 t. */
#include "problem/build.h"

static ph_status one(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)ctx;
    out[0] = 1;
    return PH_OK;
}

static ph_status Phi(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    out[0] = s->q[0] - s->t * s->t * s->t;
    return PH_OK;
}

static ph_status Phi_t(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    out[0] = -3 * s->t * s->t;
    return PH_OK;
}

static ph_status convective(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    out[0] = -6 * s->t;
    return PH_OK;
}

static double energy(const ph_state *s, const void *ctx)
{
    (void)ctx;
    return s->v[0] * s->v[0] / 2;
}

/* -lambda B v = lambda Phi_t */
static double power(const ph_state *s, const void *ctx)
{
    (void)ctx;
    return -3 * s->t * s->t * s->lambda[0];
}

static int exact(const ph_problem *p, double t, double *q, double *v, double *vdot, double *lambda)
{
    (void)p;
    q[0] = t * t * t;
    v[0] = 3 * t * t;
    vdot[0] = 6 * t;
    if (lambda)
        lambda[0] = -6 * t;
    return 1;
}

int ph_build_rheonomic(ph_problem *p, const ph_problem_def *def)
{
    static const ph_node nodes[] = {{PH_RN, 1, "point"}};
    static const ph_constraint constraints[] = {{1, 0, "support"}};
    static const double zero[1];
    (void)def;
    p->q0 = p->v0 = zero;
    p->t_end = 1;
    p->h = 0.01;
    p->sys.n_nodes = 1, p->sys.nodes = nodes;
    p->sys.n_constraints = 1, p->sys.constraints = constraints;
    p->sys.flags = PH_MASS_CONSTANT | PH_RHEONOMIC;
    p->sys.M = p->sys.B = one;
    p->sys.g = p->sys.C = p->sys.K = p->sys.Z = ph_callback_zero;
    p->sys.Phi = Phi, p->sys.Phi_t = Phi_t, p->sys.convective = convective;
    p->energy = energy;
    p->power = power;
    p->exact = exact;
    return 1;
}
