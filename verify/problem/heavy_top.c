/* The heavy top on R^3 and SO(3), two nodes: x of the centre of mass, R of the body; tip at the origin.
 *
 *   m xddot = m gamma + lambda,  gamma = (0, 0, -9.81)
 *   J Omegadot + Omega x J Omega = -X x R^T lambda
 *   Phi = -x + R X = 0,  B = (-I, -R tilde(X)):  lambda is the force of the joint on the top
 *
 * Reference, by Euler's equations about the tip:
 *
 *   pdot = p o Omega / 2,  Jp Omegadot + Omega x Jp Omega = m X x R^T gamma
 *   x = R X,  lambda = m (xddot - gamma)
 *
 * Data: Arnold, Bruls, Cardona, Numer. Math. 129 (2015), section 5, after Bruls, Cardona, J. Comput.
 * Nonlinear Dynam. 5 (2010). */
#include "problem/heavy_top.h"
#include "problem/rotate.h"

#include <stdlib.h>
#include <string.h>

/* ---- system ----------------------------------------------------------------------------------- */

static ph_status M(const ph_state *s, double *out, void *ctx)
{
    const ph_top *c = ctx;
    (void)s;
    ph_store33(out, ph_diag3(c->m, c->m, c->m));
    ph_store33(out + 9, ph_diag3(c->J.x, c->J.y, c->J.z));
    return PH_OK;
}

ph_status ph_top_g(const ph_state *s, double *out, void *ctx)
{
    const ph_top *c = ctx;
    out[2] = c->m * c->gravity;
    ph_store3(out + 3, ph_gyro(c->J, ph_load3(s->v + 3)));
    return PH_OK;
}

static ph_status C(const ph_state *s, double *out, void *ctx)
{
    const ph_top *c = ctx;
    ph_store33(out + 9, ph_gyro_tangent(c->J, ph_load3(s->v + 3)));
    return PH_OK;
}

static ph_status K(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    ph_store33(out + 9, ph_top_stiffness(ph_tmul(s->R[0], ph_load3(s->lambda))));
    return PH_OK;
}

ph_status ph_top_Phi(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    ph_store3(out, ph_sub(ph_top_arm(s->R[0]), ph_load3(s->q)));
    return PH_OK;
}

static ph_status B(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    out[0] = out[4] = out[8] = -1;
    ph_store33(out + 9, ph_top_B(s->R[0]));
    return PH_OK;
}

/* B v = -xdot + R (Omega x X); d(R a) = -R tilde(a) dq */
static ph_status Z(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    ph_vec3 a = ph_top_arm_rate(ph_load3(s->v + 3));
    ph_store33(out + 9, ph_mtilde(s->R[0], ph_scale(-1, a)));
    return PH_OK;
}

ph_status ph_top_convective(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    ph_vec3 w = ph_load3(s->v + 3);
    ph_store3(out, ph_mul(s->R[0], ph_cross(w, ph_top_arm_rate(w))));
    return PH_OK;
}

double ph_top_energy(const ph_state *s, const void *ctx)
{
    const ph_top *c = ctx;
    ph_vec3 u = ph_load3(s->v), w = ph_load3(s->v + 3);
    return (c->m * ph_dot(u, u) + c->J.x * w.x * w.x + c->J.y * w.y * w.y + c->J.z * w.z * w.z) / 2 +
           c->m * c->gravity * s->q[2];
}

/* ---- reference -------------------------------------------------------------------------------- */

static void euler(long double t, const long double *y, long double *dy, const void *ctx)
{
    const ph_top *c = ctx;
    const long double *p = y, *w = y + 4, gamma[3] = {0, 0, -(long double)c->gravity};
    long double f[3], Jx = c->Jp.x, Jy = c->Jp.y, Jz = c->Jp.z;
    (void)t;
    ph_quat_ratel(p, w, dy);
    ph_rotatel(p, -1, gamma, f);
    dy[4] = ((Jy - Jz) * w[1] * w[2] + c->m * f[2]) / Jx;
    dy[5] = (Jz - Jx) * w[2] * w[0] / Jy;
    dy[6] = ((Jx - Jy) * w[0] * w[1] - c->m * f[0]) / Jz;
}

static ph_vec3 to_vec3(const long double *a)
{
    return ph_v3((double)a[0], (double)a[1], (double)a[2]);
}

int ph_top_exact(const ph_problem *p, double t, ph_top_motion *out)
{
    ph_top *c = p->data;
    if (!ph_ode_move(&c->ode, t))
        return 0;
    const long double *y = c->ode.y, *w = y + 4, X[3] = {0, 1, 0};
    long double dy[PH_ODE_MAX], wX[3], wwX[3], a[3], x[3], u[3], acc[3], lambda[3];
    euler(t, y, dy, c);
    ph_crossl(w, X, wX);
    ph_crossl(w, wX, wwX);
    ph_crossl(dy + 4, X, a);
    for (int i = 0; i < 3; i++)
        a[i] += wwX[i];
    ph_rotatel(y, 1, X, x);
    ph_rotatel(y, 1, wX, u);
    ph_rotatel(y, 1, a, acc);
    for (int i = 0; i < 3; i++)
        lambda[i] = c->m * (acc[i] + (i == 2 ? (long double)c->gravity : 0));
    ph_quat_store(y, out->p);
    out->Omega = to_vec3(w);
    out->Omegadot = to_vec3(dy + 4);
    out->x = to_vec3(x);
    out->xdot = to_vec3(u);
    out->xddot = to_vec3(acc);
    out->lambda = to_vec3(lambda);
    return 1;
}

int ph_top_exact_r3xso3(const ph_problem *p, double t, double *q, double *v, double *vdot, double *lambda)
{
    ph_top_motion r;
    if (!ph_top_exact(p, t, &r))
        return 0;
    ph_store3(q, r.x);
    memcpy(q + 3, r.p, sizeof r.p);
    ph_store3(v, r.xdot);
    ph_store3(v + 3, r.Omega);
    ph_store3(vdot, r.xddot);
    ph_store3(vdot + 3, r.Omegadot);
    if (lambda)
        ph_store3(lambda, r.lambda);
    return 1;
}

/* ---- building --------------------------------------------------------------------------------- */

const double ph_top_q0[7] = {0, 1, 0, 1, 0, 0, 0};
const double ph_top_v0[6] = {4.61538, 0, 0, 0, 150, -4.61538}; /* xdot = Omega x X */

ph_top *ph_top_create(ph_problem *p, const ph_problem_def *def)
{
    if (!(def->x > 0) || !isfinite(def->x))
        return NULL;
    ph_top *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->m = def->x;
    c->gravity = 9.81;
    c->J = ph_v3(0.234375, 0.46875, 0.234375);
    c->Jp = ph_v3(c->J.x + c->m, c->J.y, c->J.z + c->m);
    c->ode = (ph_ode){.n = 7, .f = euler, .ctx = c};
    for (int i = 0; i < 7; i++) {
        c->ode.y0[i] = i < 4 ? ph_top_q0[3 + i] : ph_top_v0[i - 1];
        c->ode.size[i] = 1;
    }
    ph_ode_start(&c->ode, 0.01L);
    p->data = p->sys.ctx = c;
    p->q0 = c->q0;
    p->v0 = c->v0;
    p->t_end = 1;
    p->h = 1e-3;
    p->sys.flags = PH_MASS_CONSTANT | PH_SMOOTH;
    return c;
}

int ph_build_heavy_top(ph_problem *p, const ph_problem_def *def)
{
    static const ph_node nodes[] = {{PH_RN, 3, "top position"}, {PH_SO3, 0, "top attitude"}};
    static const ph_constraint constraints[] = {{3, 0, "pivot"}};
    static const ph_place pairs[] = {{0, 0}, {1, 1}}, links[] = {{0, 0}, {0, 1}};
    ph_top *c = ph_top_create(p, def);
    if (!c)
        return 0;
    p->sys.n_nodes = 2, p->sys.nodes = nodes;
    p->sys.n_constraints = 1, p->sys.constraints = constraints;
    p->sys.n_pairs = 2, p->sys.pairs = pairs;
    p->sys.n_links = 2, p->sys.links = links;
    p->sys.M = M, p->sys.g = ph_top_g, p->sys.Phi = ph_top_Phi, p->sys.B = B;
    p->sys.C = C, p->sys.K = K, p->sys.Z = Z, p->sys.convective = ph_top_convective;
    p->energy = ph_top_energy;
    p->exact = ph_top_exact_r3xso3;
    memcpy(c->q0, ph_top_q0, sizeof ph_top_q0);
    memcpy(c->v0, ph_top_v0, sizeof ph_top_v0);
    return 1;
}

ph_status ph_top_M6(const ph_state *s, double *out, void *ctx)
{
    const ph_top *c = ctx;
    (void)s;
    ph_put33(out, 6, 0, 0, ph_diag3(c->m, c->m, c->m));
    ph_put33(out, 6, 1, 1, ph_diag3(c->J.x, c->J.y, c->J.z));
    return PH_OK;
}

ph_top *ph_top_create6(ph_problem *p, const ph_problem_def *def, const ph_node *node)
{
    static const ph_constraint constraints[] = {{3, 0, "pivot"}};
    static const ph_place pair = {0, 0};
    static const unsigned char has = PH_HAS_M | PH_HAS_C | PH_UPPER; /* torques do not depend on x */
    ph_top *c = ph_top_create(p, def);
    if (!c)
        return NULL;
    p->sys.n_nodes = 1, p->sys.nodes = node;
    p->sys.n_pairs = 1, p->sys.pairs = &pair, p->sys.pair_has = &has;
    p->sys.n_constraints = 1, p->sys.constraints = constraints;
    p->sys.M = ph_top_M6, p->sys.Phi = ph_top_Phi;
    p->energy = ph_top_energy;
    memcpy(c->q0, ph_top_q0, sizeof ph_top_q0);
    memcpy(c->v0, ph_top_v0, sizeof ph_top_v0);
    return c;
}
