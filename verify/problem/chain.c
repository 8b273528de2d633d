/* Chains of cuboids with spherical joints, open or closed to a ring. Body b is nodes 2b (x) and 2b+1 (R).
 *
 * Body b runs from x_b - R_b a to x_b + R_b a, a = (l, 0, 0). Joint j holds the far end of the body before it
 * and the near end of body j together; joint 0 holds body 0 to the origin; a ring has joint N, where body 0
 * follows N-1:
 *
 *   Phi_0 = -x_0 + R_0 a
 *   Phi_j = x_{j-1} + R_{j-1} a - x_j + R_j a
 *   B_j = (I, -R_{j-1} tilde(a), -I, -R_j tilde(a)):  lambda_j is the force on body j
 *   m xddot = m gamma - (B^T lambda)_x
 *   J Omegadot + Omega x J Omega = -a x R^T (sum of lambda of the joints of the body),  J = (J_1, J_2, J_2)
 *
 * The ring's constraints are independent as long as it is not folded to a line. State and matrices are flat:
 * q of body b at 7b, v at 6b, R at b, blocks of M, C, K at 18b, blocks of B, Z at 0 for joint 0 and at
 * 36j - 18 for joint j. */
#include "problem/build.h"

#include <math.h>
#include <stdlib.h>

typedef struct chain {
    int n, closed;
    double m, J1, J2, l, mg;
} chain;

/* -R tilde(a), without its zero first column */
static inline void put_arm(double l, const ph_mat3 *R, double *out)
{
    out[1] = -l * R->xz, out[2] = l * R->xy;
    out[4] = -l * R->yz, out[5] = l * R->yy;
    out[7] = -l * R->zz, out[8] = l * R->zy;
}

/* -R tilde(b), b = Omega x a = l (0, w_z, -w_y) */
static inline void put_arm_rate(double l, const ph_mat3 *R, const double *w, double *out)
{
    double y = l * w[2], z = -l * w[1];
    out[0] = y * R->xz - z * R->xy, out[1] = z * R->xx, out[2] = -y * R->xx;
    out[3] = y * R->yz - z * R->yy, out[4] = z * R->yx, out[5] = -y * R->yx;
    out[6] = y * R->zz - z * R->zy, out[7] = z * R->zx, out[8] = -y * R->zx;
}

/* tilde(a) tilde(f) = f a^T - (a . f) I,  f = R^T L, without its zeros */
static inline void put_stiffness(double l, const ph_mat3 *R, double Lx, double Ly, double Lz, double *out)
{
    double x = l * (R->xx * Lx + R->yx * Ly + R->zx * Lz);
    out[3] = l * (R->xy * Lx + R->yy * Ly + R->zy * Lz), out[4] = -x;
    out[6] = l * (R->xz * Lx + R->yz * Ly + R->zz * Lz), out[8] = -x;
}

/* R a */
static inline ph_vec3 arm(double l, const ph_mat3 *R)
{
    return ph_v3(l * R->xx, l * R->yx, l * R->zx);
}

/* R (Omega x (Omega x a)) */
static inline ph_vec3 arm_swing(double l, const ph_mat3 *R, const double *w)
{
    return ph_mul(*R, ph_v3(-l * (w[1] * w[1] + w[2] * w[2]), l * w[0] * w[1], l * w[0] * w[2]));
}

static ph_status M(const ph_state *s, double *out, void *ctx)
{
    const chain *c = ctx;
    (void)s;
    for (int b = 0; b < c->n; b++, out += 18) {
        out[0] = out[4] = out[8] = c->m;
        out[9] = c->J1, out[13] = out[17] = c->J2;
    }
    return PH_OK;
}

static ph_status g(const ph_state *s, double *out, void *ctx)
{
    const chain *c = ctx;
    const double d = c->J1 - c->J2, mg = c->mg;
    const double *v = s->v;
    for (int b = 0; b < c->n; b++, v += 6, out += 6) {
        out[2] = mg;
        out[4] = d * v[5] * v[3];
        out[5] = -d * v[3] * v[4];
    }
    return PH_OK;
}

static ph_status C(const ph_state *s, double *out, void *ctx)
{
    const chain *c = ctx;
    const double d = c->J1 - c->J2;
    const double *v = s->v;
    for (int b = 0; b < c->n; b++, v += 6, out += 18) {
        double x = d * v[3], y = d * v[4], z = d * v[5];
        out[12] = z, out[14] = x;
        out[15] = -y, out[16] = -x;
    }
    return PH_OK;
}

static ph_status K(const ph_state *s, double *out, void *ctx)
{
    const chain *c = ctx;
    const int last = c->n - 1;
    const double *L = s->lambda, *E = L + 3 * c->n; /* E: of the joint that closes the ring */
    for (int b = 0; b < last; b++, L += 3, out += 18)
        put_stiffness(c->l, s->R + b, L[0] + L[3], L[1] + L[4], L[2] + L[5], out + 9);
    if (!c->closed) {
        put_stiffness(c->l, s->R + last, L[0], L[1], L[2], out + 9);
        return PH_OK;
    }
    put_stiffness(c->l, s->R + last, L[0] + E[0], L[1] + E[1], L[2] + E[2], out + 9);
    L = s->lambda;
    put_stiffness(c->l, s->R, L[0] + L[3] + E[0], L[1] + L[4] + E[1], L[2] + L[5] + E[2],
                  out - 18 * last + 9);
    return PH_OK;
}

static ph_status Phi(const ph_state *s, double *out, void *ctx)
{
    const chain *c = ctx;
    const double *x = s->q;
    ph_vec3 end = {0, 0, 0};
    for (int b = 0; b < c->n; b++, x += 7, out += 3) {
        ph_vec3 Ra = arm(c->l, s->R + b);
        out[0] = end.x - x[0] + Ra.x;
        out[1] = end.y - x[1] + Ra.y;
        out[2] = end.z - x[2] + Ra.z;
        end = ph_v3(x[0] + Ra.x, x[1] + Ra.y, x[2] + Ra.z);
    }
    if (c->closed)
        ph_store3(out, ph_add(ph_sub(end, ph_load3(s->q)), arm(c->l, s->R)));
    return PH_OK;
}

static ph_status B(const ph_state *s, double *out, void *ctx)
{
    const chain *c = ctx;
    out[0] = out[4] = out[8] = -1;
    put_arm(c->l, s->R, out + 9);
    out += 18;
    for (int j = 1; j < c->n + c->closed; j++, out += 36) {
        out[0] = out[4] = out[8] = 1;
        put_arm(c->l, s->R + j - 1, out + 9);
        out[18] = out[22] = out[26] = -1;
        put_arm(c->l, j < c->n ? s->R + j : s->R, out + 27);
    }
    return PH_OK;
}

static ph_status Z(const ph_state *s, double *out, void *ctx)
{
    const chain *c = ctx;
    const double *w = s->v + 3;
    put_arm_rate(c->l, s->R, w, out + 9);
    out += 18;
    for (int j = 1; j < c->n + c->closed; j++, out += 36) {
        put_arm_rate(c->l, s->R + j - 1, w + 6 * (j - 1), out + 9);
        int next = j < c->n ? j : 0;
        put_arm_rate(c->l, s->R + next, w + 6 * next, out + 27);
    }
    return PH_OK;
}

static ph_status convective(const ph_state *s, double *out, void *ctx)
{
    const chain *c = ctx;
    const double *w = s->v + 3;
    ph_vec3 end = {0, 0, 0};
    for (int b = 0; b < c->n; b++, w += 6, out += 3) {
        ph_vec3 a = arm_swing(c->l, s->R + b, w);
        ph_store3(out, ph_add(end, a));
        end = a;
    }
    if (c->closed)
        ph_store3(out, ph_add(end, arm_swing(c->l, s->R, s->v + 3)));
    return PH_OK;
}

static double energy(const ph_state *s, const void *ctx)
{
    const chain *c = ctx;
    double E = 0;
    for (int b = 0; b < c->n; b++) {
        const double *v = s->v + 6 * b;
        E += c->m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + c->J1 * v[3] * v[3] +
             c->J2 * (v[4] * v[4] + v[5] * v[5]) + 2 * c->mg * s->q[7 * b + 2];
    }
    return E / 2;
}

/* ---- building --------------------------------------------------------------------------------- */

/* Everything of one problem in one block; the largest alignment first. */
typedef struct layout {
    chain c;
    ph_node nodes[];
} layout;

/* Bodies along x; or a regular polygon in the horizontal plane: with a = pi/N, body b of the ring is turned
 * by 2ab about z, and its near end is at
 *
 *   2l sum_{k<b} (cos 2ak, sin 2ak) = 2l (sin ab / sin a) (cos a(b-1), sin a(b-1)) */
static void place_body(const chain *c, int b, double *q)
{
    if (!c->closed) {
        q[0] = c->l * (2 * b + 1);
        q[3] = 1;
        return;
    }
    double a = acos(-1) / c->n, r = 2 * c->l * sin(a * b) / sin(a);
    q[0] = r * cos(a * (b - 1)) + c->l * cos(2 * a * b);
    q[1] = r * sin(a * (b - 1)) + c->l * sin(2 * a * b);
    q[3] = cos(a * b), q[6] = sin(a * b);
}

static int build(ph_problem *p, int n, int closed)
{
    if (n < (closed ? 3 : 1) || n > 10000000)
        return 0;
    size_t N = (size_t)n, joints = N + (size_t)closed, links = 4 * joints - 2;
    layout *all = calloc(1, sizeof *all + 2 * N * sizeof(ph_node) + joints * sizeof(ph_constraint) +
                                13 * N * sizeof(double) + (2 * N + links) * sizeof(ph_place));
    if (!all)
        return 0;
    ph_constraint *constraint = (ph_constraint *)(all->nodes + 2 * N);
    double *q = (double *)(constraint + joints), *v = q + 7 * N;
    ph_place *pair = (ph_place *)(v + 6 * N), *link = pair + 2 * N;

    /* density 1000 kg/m^3, 0.4 m x 0.1 m x 0.1 m */
    const double m = 4, length = 0.4, width = 0.1, gravity = 9.81;
    all->c = (chain){.n = n,
                     .closed = closed,
                     .m = m,
                     .J1 = m * (width * width + width * width) / 12,
                     .J2 = m * (length * length + width * width) / 12,
                     .l = length / 2,
                     .mg = m * gravity};

    p->data = all;
    p->q0 = q;
    p->v0 = v;
    p->t_end = 0.2;
    p->h = 1e-3;
    p->sys.ctx = &all->c;
    p->sys.n_nodes = 2 * n, p->sys.nodes = all->nodes;
    p->sys.n_constraints = (int)joints, p->sys.constraints = constraint;
    p->sys.n_pairs = 2 * n, p->sys.pairs = pair;
    p->sys.n_links = (int)links, p->sys.links = link;
    p->sys.flags = PH_MASS_CONSTANT | PH_SMOOTH;
    p->sys.M = M, p->sys.g = g, p->sys.Phi = Phi, p->sys.B = B;
    p->sys.C = C, p->sys.K = K, p->sys.Z = Z, p->sys.convective = convective;
    p->energy = energy;

    for (int b = 0; b < n; b++) {
        all->nodes[2 * b] = (ph_node){PH_RN, 3, NULL};
        all->nodes[2 * b + 1] = (ph_node){PH_SO3, 0, NULL};
        pair[2 * b] = (ph_place){2 * b, 2 * b};
        pair[2 * b + 1] = (ph_place){2 * b + 1, 2 * b + 1};
        place_body(&all->c, b, q + 7 * b);
    }
    for (int j = 0; j < (int)joints; j++) {
        constraint[j] = (ph_constraint){3, 0, NULL};
        int next = j < n ? j : 0;
        for (int k = 0; j > 0 && k < 2; k++)
            *link++ = (ph_place){j, 2 * (j - 1) + k};
        for (int k = 0; k < 2; k++)
            *link++ = (ph_place){j, 2 * next + k};
    }
    return 1;
}

int ph_build_chain(ph_problem *p, const ph_problem_def *def)
{
    return build(p, def->size, 0);
}

int ph_build_ring(ph_problem *p, const ph_problem_def *def)
{
    return build(p, def->size, 1);
}
