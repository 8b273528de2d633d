/* Flexible bodies in a mechanism: their equations carried to the coordinates of a space.
 *
 * modal.c has them in the physical coordinates of the frame and zeta, r = M a + g, with a = D y'' + V y':
 *
 *   M_y = D^T M D,  g_y = D^T (g + M V y'),  C_y = D^T (C D + M U)                                    (X32)
 *   K_y = D^T (K D + C V + M Y) + d(D^T r)/dy                                                         (X33)
 *
 * with Y and U of ph_slope. Euler parameters p get mu p (p . p'' + p' . p') as those of rigid bodies do, see
 * space_euler.c, with the moments of inertia of the undeformed body. */
#include "mech/carry.h"

#include <string.h>

#include "lie/so3.h"

/* ---- one body at one instant ---------------------------------------------------------------------- */

void ph_flex_site(const ph_mechanism *m, const ph_state *s, const ph_flex *f, int moving, ph_modal_site *out)
{
    const ph_body *b = &m->body[f->body];
    *out = (ph_modal_site){.r = f->r, .zeta = s->q + f->q, .zdot = s->v + f->v};
    out->gravity = ph_scale(m->load, m->model->gravity);
    m->space->kin(s, b, &out->k);
    if (!moving)
        return;
    m->space->acceleration(s, b, &out->a, &out->wdot);
    out->zddot = s->vdot + f->v;
}

void ph_flex_kin(const ph_mechanism *m, const ph_state *s, const ph_body *marker, ph_kin *k)
{
    ph_modal_site site;
    ph_flex_site(m, s, &m->flex[marker->flex], 0, &site);
    ph_marker_kin(&site, marker->marker, k);
}

void ph_flex_acceleration(const ph_mechanism *m, const ph_state *s, const ph_body *marker, ph_vec3 *a,
                          ph_vec3 *omega_dot)
{
    ph_modal_site site;
    ph_flex_site(m, s, &m->flex[marker->flex], 1, &site);
    ph_marker_acceleration(&site, marker->marker, a, omega_dot);
}

/* ---- blocks --------------------------------------------------------------------------------------- */

typedef double square[PH_SIDE_MAX * PH_SIDE_MAX];

static void clear(int n, double *A)
{
    memset(A, 0, sizeof(double) * (size_t)n);
}

/* Blocks of the nodes = A (N x N), or += */
static void put(const ph_mechanism *m, const ph_flex *f, const double *A, int add, double *out)
{
    const ph_body *b = &m->body[f->body];
    for (int k = 0, row = 0; k < b->nodes; k++) {
        const ph_node *nk = &m->node[b->node[0] + k];
        int rows = ph_group_dim(nk->group, nk->n);
        for (int l = 0, col = 0; l < b->nodes; l++) {
            const ph_node *nl = &m->node[b->node[0] + l];
            int cols = ph_group_dim(nl->group, nl->n);
            double *o = out + f->M[3 * k + l];
            for (int i = 0; i < rows; i++)
                for (int j = 0; j < cols; j++)
                    o[i * cols + j] = (add ? o[i * cols + j] : 0) + A[(row + i) * b->n + col + j];
            col += cols;
        }
        row += rows;
    }
}

/* ---- along Euler parameters ----------------------------------------------------------------------- */

static double mu(const ph_mechanism *m, const ph_flex *f)
{
    int n = 6 + 4 * f->r->modes;
    const double *J = f->r->calM;
    return m->space->norm ? J[3 * n + 3] + J[4 * n + 4] + J[5 * n + 5] : 0;
}

/* Block of the second half += c a b^T + d I */
static void add_outer(const ph_mechanism *m, const ph_flex *f, double c, const double *a, const double *b,
                      double d, double *A)
{
    int N = m->body[f->body].n, n0 = m->space->n[0], n1 = m->space->n[1];
    for (int i = 0; i < n1; i++)
        for (int j = 0; j < n1; j++)
            A[(n0 + i) * N + n0 + j] += c * a[i] * b[j] + (i == j ? d : 0);
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* ---- the equations -------------------------------------------------------------------------------- */

static void body_M(const ph_mechanism *m, const ph_state *s, const ph_flex *f, double *out)
{
    const ph_body *b = &m->body[f->body];
    const double *p = s->q + b->q[1];
    ph_modal_site site;
    ph_carry c;
    square M, T, A;
    ph_flex_site(m, s, f, 0, &site);
    ph_modal_M(&site, M);
    ph_carry_open(m, s, b, f->r->modes, &c);
    if (c.plain) {
        put(m, f, M, 0, out);
        return;
    }
    clear(c.n * c.N, T), clear(c.N * c.N, A);
    ph_carry_right(&c, c.n, M, T);
    ph_carry_left(&c, c.N, T, A);
    if (m->space->norm)
        add_outer(m, f, mu(m, f), p, p, 0, A);
    put(m, f, A, 0, out);
}

/* out (n) = V y' */
static void drift(const ph_carry *c, const double *y, double *out)
{
    int n1 = c->c.n[1];
    clear(c->n, out);
    for (int h = 0; h < 2; h++)
        for (int i = 0; i < 3; i++)
            out[3 * h + i] = dot(n1, c->c.V[h] + n1 * i, y);
}

/* out (n) += A x */
static void add_mul(int n, const double *A, const double *x, double *out)
{
    for (int i = 0; i < n; i++)
        out[i] += dot(n, A + n * i, x);
}

static void body_g(const ph_mechanism *m, const ph_state *s, const ph_flex *f, double *out)
{
    const ph_body *b = &m->body[f->body];
    const double *p = s->q + b->q[1], *u = s->v + b->v[1];
    double g[PH_MODAL_MAX], *o = out + b->v[0];
    ph_modal_site site;
    ph_carry c;
    ph_flex_site(m, s, f, 0, &site);
    ph_modal_g(&site, g);
    ph_carry_open(m, s, b, f->r->modes, &c);
    if (!c.plain) {
        square M;
        double Vy[PH_MODAL_MAX];
        ph_modal_M(&site, M);
        drift(&c, u, Vy);
        add_mul(c.n, M, Vy, g);
    }
    clear(c.N, o);
    ph_carry_left(&c, 1, g, o);
    for (int i = 0; m->space->norm && i < m->space->n[1]; i++)
        out[b->v[1] + i] += mu(m, f) * dot(m->space->n[1], u, u) * p[i];
}

static void body_C(const ph_mechanism *m, const ph_state *s, const ph_flex *f, double *out)
{
    const ph_body *b = &m->body[f->body];
    ph_modal_site site;
    ph_carry c;
    ph_slope slope;
    square C, M, T, A;
    ph_flex_site(m, s, f, 0, &site);
    ph_modal_C(&site, C);
    ph_carry_open(m, s, b, f->r->modes, &c);
    if (c.plain) {
        put(m, f, C, 0, out);
        return;
    }
    clear(c.n * c.N, T), clear(c.N * c.N, A);
    ph_modal_M(&site, M);
    m->space->slope(s, b, &slope);
    ph_carry_right(&c, c.n, C, T);
    for (int k = 0; k < 2; k++)
        ph_carry_slope(&c, c.n, M, slope.U[0][k], slope.U[1][k], k, T);
    ph_carry_left(&c, c.N, T, A);
    if (m->space->norm)
        add_outer(m, f, 2 * mu(m, f), s->q + b->q[1], s->v + b->v[1], 0, A);
    put(m, f, A, 0, out);
}

/* What (X33) has beyond D^T K D; T = K D already. */
static void add_slopes(const ph_mechanism *m, const ph_state *s, const ph_flex *f, const ph_modal_site *site,
                       const ph_carry *c, double *T, double *A)
{
    const ph_body *b = &m->body[f->body];
    square M, C;
    double r[PH_MODAL_MAX], a[PH_MODAL_MAX];
    ph_slope slope;
    ph_modal_M(site, M);
    ph_modal_C(site, C);
    ph_modal_g(site, r);
    ph_store3(a, site->a), ph_store3(a + 3, site->wdot);
    memcpy(a + 6, site->zddot, sizeof(double) * (size_t)f->r->modes);
    add_mul(c->n, M, a, r);
    m->space->slope(s, b, &slope);
    ph_carry_slope(c, c->n, C, c->c.V[0], c->c.V[1], 1, T);
    ph_carry_slope(c, c->n, M, slope.Y[0], slope.Y[1], 1, T);
    ph_carry_fold(c, r, A);
}

static void body_K(const ph_mechanism *m, const ph_state *s, const ph_flex *f, double *out)
{
    const ph_body *b = &m->body[f->body];
    const double *p = s->q + b->q[1], *u = s->v + b->v[1], *up = s->vdot + b->v[1];
    int n1 = m->space->n[1];
    ph_modal_site site;
    ph_carry c;
    square K, T, A;
    ph_flex_site(m, s, f, 1, &site);
    ph_modal_K(&site, K);
    ph_carry_open(m, s, b, f->r->modes, &c);
    if (c.plain) {
        put(m, f, K, 1, out);
        return;
    }
    clear(c.n * c.N, T), clear(c.N * c.N, A);
    ph_carry_right(&c, c.n, K, T);
    add_slopes(m, s, f, &site, &c, T, A);
    ph_carry_left(&c, c.N, T, A);
    if (m->space->norm)
        add_outer(m, f, mu(m, f), p, up, mu(m, f) * (dot(n1, p, up) + dot(n1, u, u)), A);
    put(m, f, A, 1, out);
}

/* ---- all of them ---------------------------------------------------------------------------------- */

#define EACH_FLEX(m, f) for (const ph_flex *f = (m)->flex, *end = f + (m)->n_flex; f < end; f++)

void ph_flex_M(const ph_mechanism *m, const ph_state *s, double *out)
{
    EACH_FLEX(m, f)
    body_M(m, s, f, out);
}

void ph_flex_g(const ph_mechanism *m, const ph_state *s, double *out)
{
    EACH_FLEX(m, f)
    body_g(m, s, f, out);
}

void ph_flex_C(const ph_mechanism *m, const ph_state *s, double *out)
{
    EACH_FLEX(m, f)
    body_C(m, s, f, out);
}

void ph_flex_K(const ph_mechanism *m, const ph_state *s, double *out)
{
    EACH_FLEX(m, f)
    body_K(m, s, f, out);
}

double ph_flex_kinetic(const ph_mechanism *m, const ph_state *s)
{
    double T = 0;
    EACH_FLEX(m, f)
    {
        ph_modal_site site;
        ph_flex_site(m, s, f, 0, &site);
        T += ph_modal_kinetic(&site);
    }
    return T;
}

double ph_flex_potential(const ph_mechanism *m, const ph_state *s)
{
    double U = 0;
    EACH_FLEX(m, f)
    {
        ph_modal_site site;
        ph_flex_site(m, s, f, 0, &site);
        U += ph_modal_potential(&site);
    }
    return U;
}
