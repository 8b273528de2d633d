/* Elements with a marker: rows and tangents carried to the coordinates of frames, see carry.h. */
#include "mech/carry.h"

#include <string.h>

/* ---- the chain rule of the space ------------------------------------------------------------------ */

void ph_carry_open(const ph_mechanism *m, const ph_state *s, const ph_body *b, int modes, ph_carry *k)
{
    k->plain = m->space->plain, k->space = m->space;
    k->n = 6 + modes, k->N = b->n;
    k->c.n[0] = m->space->n[0], k->c.n[1] = m->space->n[1], k->c.row = 0;
    if (!k->plain)
        m->space->chain(s, b, &k->c);
}

/* out (rows x n, lines ldo apart) += A (rows x 3, lines lda apart) X (3 x n) */
static void add_product(int rows, int n, const double *A, int lda, const double *X, double *out, int ldo)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < n; j++)
            out[i * ldo + j] += A[i * lda] * X[j] + A[i * lda + 1] * X[n + j] + A[i * lda + 2] * X[2 * n + j];
}

void ph_carry_right(const ph_carry *k, int rows, const double *A, double *out)
{
    int n = k->n, N = k->N, first = k->plain ? 0 : 6; /* columns before it are multiplied */
    for (int h = 0; h < 2 && !k->plain; h++)
        add_product(rows, k->c.n[h], A + 3 * h, n, k->c.D[h], out + h * k->c.n[0], N);
    for (int i = 0; i < rows; i++)
        for (int j = first; j < n; j++)
            out[i * N + N - n + j] += A[i * n + j];
}

void ph_carry_slope(const ph_carry *k, int rows, const double *A, const double *X0, const double *X1,
                    int half, double *out)
{
    for (int h = 0; h < 2; h++)
        add_product(rows, k->c.n[half], A + 3 * h, k->n, h ? X1 : X0, out + half * k->c.n[0], k->N);
}

void ph_carry_left(const ph_carry *k, int cols, const double *A, double *out)
{
    int n = k->n, N = k->N, first = k->plain ? 0 : 6;
    for (int h = 0; h < 2 && !k->plain; h++)
        for (int i = 0; i < k->c.n[h]; i++)
            for (int l = 0; l < 3; l++) {
                double d = k->c.D[h][l * k->c.n[h] + i];
                for (int j = 0; j < cols; j++)
                    out[(h * k->c.n[0] + i) * cols + j] += d * A[(3 * h + l) * cols + j];
            }
    for (int i = first; i < n; i++)
        for (int j = 0; j < cols; j++)
            out[(N - n + i) * cols + j] += A[i * cols + j];
}

void ph_carry_fold(const ph_carry *k, const double *r, double *out)
{
    int n0 = k->c.n[0], n1 = k->c.n[1];
    for (int h = 0; h < 2 && !k->plain; h++) {
        double F[PH_HALF_MAX * PH_HALF_MAX];
        k->space->fold(&k->c, h, ph_load3(r + 3 * h), F);
        for (int i = 0; i < k->c.n[h]; i++)
            for (int j = 0; j < n1; j++)
                out[(h * n0 + i) * k->N + n0 + j] += F[i * n1 + j];
    }
}

/* ---- one side ------------------------------------------------------------------------------------- */

/* A side at one instant: D and V of (X30), 6 x n of its coordinates; nodes 0: the ground. */
typedef struct side {
    const ph_body *b;
    int n, node, nodes, v;
    double D[6 * PH_SIDE_MAX], V[6 * PH_SIDE_MAX];
    double D_m[6 * PH_MODAL_MAX];
    ph_carry carry;
    ph_modal_site site; /* of a marker */
} side;

static void open_particle(side *x)
{
    for (int i = 0; i < 3; i++)
        x->D[3 * i + i] = 1;
}

static void open_turning(const ph_mechanism *m, const ph_state *s, side *x)
{
    const ph_body *frame = &m->body[x->b->frame];
    int modes = x->b->flex < 0 ? 0 : m->flex[x->b->flex].r->modes;
    ph_carry *c = &x->carry;
    ph_carry_open(m, s, frame, modes, c);
    if (x->b->marker >= 0) {
        double V_m[6 * PH_MODAL_MAX];
        ph_flex_site(m, s, &m->flex[x->b->flex], 0, &x->site);
        ph_marker_chain(&x->site, x->b->marker, x->D_m, V_m);
        ph_carry_right(c, 6, V_m, x->V);
    } else {
        memset(x->D_m, 0, sizeof(double) * (size_t)(6 * c->n));
        for (int i = 0; i < 6; i++)
            x->D_m[i * c->n + i] = 1;
    }
    ph_carry_right(c, 6, x->D_m, x->D);
    if (!c->plain)
        ph_carry_slope(c, 6, x->D_m, c->c.V[0], c->c.V[1], 1, x->V);
}

static void open_side(const ph_mechanism *m, const ph_state *s, int body, side *x)
{
    x->n = x->nodes = x->v = 0;
    if (body < 0)
        return;
    x->b = &m->body[body];
    x->n = x->b->n, x->nodes = x->b->nodes;
    x->node = m->body[x->b->frame].node[0], x->v = m->body[x->b->frame].v[0];
    size_t size = sizeof(double) * (size_t)(6 * x->n);
    memset(x->D, 0, size), memset(x->V, 0, size);
    if (x->b->particle)
        open_particle(x);
    else
        open_turning(m, s, x);
}

static int node_dim(const ph_mechanism *m, int node)
{
    return ph_group_dim(m->node[node].group, m->node[node].n);
}

/* out (n) += D^T r, r of 6 */
static void add_transposed(int n, const double *D, const double *r, double *out)
{
    for (int k = 0; k < 6; k++)
        for (int j = 0; j < n; j++)
            out[j] += D[k * n + j] * r[k];
}

/* out (m x n) += A (m x 6, lines 12 apart) X (6 x n) */
static void add_six(int m, int n, const double *A, const double *X, double *out)
{
    for (int i = 0; i < m; i++)
        for (int k = 0; k < 6; k++)
            for (int j = 0; j < n; j++)
                out[i * n + j] += A[12 * i + k] * X[k * n + j];
}

/* ---- rows ----------------------------------------------------------------------------------------- */

/* Blocks of all nodes of both sides: 0; the sides may share them. */
static void clear_links(const ph_mechanism *m, const side *x, const int *at, int rows, double *out)
{
    for (int k = 0; k < x->nodes; k++)
        memset(out + at[k], 0, sizeof(double) * (size_t)(rows * node_dim(m, x->node + k)));
}

/* Blocks of the nodes += A, rows x n */
static void add_links(const ph_mechanism *m, const side *x, const int *at, int rows, const double *A,
                      double *out)
{
    for (int k = 0, col = 0; k < x->nodes; k++) {
        int dim = node_dim(m, x->node + k);
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < dim; j++)
                out[at[k] + i * dim + j] += A[i * x->n + col + j];
        col += dim;
    }
}

/* Side i: B D, or Z D + B V */
static void add_rows(const ph_mechanism *m, const side *x, const ph_carried *w, int i, int rows,
                     const double *B, const double *Z, double *out)
{
    double A[PH_ROWS_MAX * PH_SIDE_MAX];
    memset(A, 0, sizeof(double) * (size_t)(rows * x->n));
    add_six(rows, x->n, (Z ? Z : B) + 6 * i, x->D, A);
    if (Z)
        add_six(rows, x->n, B + 6 * i, x->V, A);
    add_links(m, x, w->B + PH_SIDE_NODES * i, rows, A, out);
}

void ph_carried_rows(const ph_mechanism *m, const ph_state *s, const ph_carried *w, int rows, const double *B,
                     const double *Z, double *out)
{
    side x[2];
    for (int i = 0; i < 2; i++) {
        open_side(m, s, w->body[i], &x[i]);
        clear_links(m, &x[i], w->B + PH_SIDE_NODES * i, rows, out);
    }
    for (int i = 0; i < 2; i++)
        add_rows(m, &x[i], w, i, rows, B, Z, out);
}

void ph_carried_add_row(const ph_mechanism *m, const ph_state *s, const ph_carried *w, const double *B,
                        const double *Z, double *out)
{
    side x;
    open_side(m, s, w->body[0], &x);
    add_rows(m, &x, w, 0, 1, B, Z, out);
}

void ph_carried_drift(const ph_mechanism *m, const ph_state *s, const ph_carried *w, int rows,
                      const double *B, double *out)
{
    for (int i = 0; i < 2; i++) {
        side x;
        open_side(m, s, w->body[i], &x);
        for (int k = 0; k < 6; k++) {
            double a = 0;
            for (int j = 0; j < x.n; j++)
                a += x.V[k * x.n + j] * s->v[x.v + j];
            for (int r = 0; r < rows; r++)
                out[r] += B[12 * r + 6 * i + k] * a;
        }
    }
}

/* ---- terms ---------------------------------------------------------------------------------------- */

static void six_of(const ph_vec3 *r, double *out)
{
    ph_store3(out, r[0]), ph_store3(out + 3, r[1]);
}

void ph_carried_vector(const ph_mechanism *m, const ph_state *s, const ph_carried *w, const ph_vec3 *r,
                       double *out)
{
    for (int i = 0; i < 2; i++) {
        side x;
        double f[6];
        open_side(m, s, w->body[i], &x);
        six_of(r + 2 * i, f);
        if (x.nodes)
            add_transposed(x.n, x.D, f, out + x.v);
    }
}

void ph_carried_columns(const ph_mechanism *m, const ph_state *s, const ph_carried *w, int rows,
                        const ph_vec3 *r, double *out)
{
    side x[2];
    for (int i = 0; i < 2; i++) {
        open_side(m, s, w->body[i], &x[i]);
        clear_links(m, &x[i], w->B + PH_SIDE_NODES * i, rows, out);
    }
    for (int i = 0; i < 2; i++)
        for (int l = 0; l < rows; l++) {
            double f[6], y[PH_SIDE_MAX];
            memset(y, 0, sizeof(double) * (size_t)x[i].n);
            six_of(r + PH_SLOTS * l + 2 * i, f);
            add_transposed(x[i].n, x[i].D, f, y);
            for (int k = 0, row = 0; k < x[i].nodes; k++)
                for (int j = 0, dim = node_dim(m, x[i].node + k); j < dim; j++, row++)
                    out[w->B[PH_SIDE_NODES * i + k] + j * rows + l] += y[row];
        }
}

/* ---- tangents ------------------------------------------------------------------------------------- */

/* (X31): out (n x n) += d(D^T f)/dy */
static void add_fold(const side *x, const double *f, double *out)
{
    const ph_carry *c = &x->carry;
    double r[PH_MODAL_MAX];
    if (x->b->particle)
        return;
    if (x->b->marker >= 0) {
        double F[PH_MODAL_MAX * PH_MODAL_MAX], T[PH_MODAL_MAX * PH_SIDE_MAX];
        memset(F, 0, sizeof(double) * (size_t)(c->n * c->n));
        memset(T, 0, sizeof(double) * (size_t)(c->n * c->N));
        ph_marker_fold(&x->site, x->b->marker, f, F);
        ph_carry_right(c, c->n, F, T);
        ph_carry_left(c, c->N, T, out);
    }
    memset(r, 0, sizeof(double) * (size_t)c->n);
    add_transposed(c->n, x->D_m, f, r);
    ph_carry_fold(c, r, out);
}

/* Blocks of pairs += A (n_i x n_j) */
static void add_pairs(const ph_mechanism *m, const side *xi, const side *xj, const int *at, const double *A,
                      double *out)
{
    for (int k = 0, row = 0; k < xi->nodes; k++) {
        int rows = node_dim(m, xi->node + k);
        for (int l = 0, col = 0; l < xj->nodes; l++) {
            int cols = node_dim(m, xj->node + l);
            double *o = out + at[2 * PH_SIDE_NODES * k + l];
            for (int i = 0; i < rows; i++)
                for (int j = 0; j < cols; j++)
                    o[i * cols + j] += A[(row + i) * xj->n + col + j];
            col += cols;
        }
        row += rows;
    }
}

/* D_i^T (K D_j + C V_j), and (X31) where i = j */
static void put_sides(const ph_mechanism *m, const side x[2], int si, int sj, const ph_carried *w,
                      const double *K, const double *C, const ph_vec3 *r, double *out)
{
    const int *at = w->K + PH_SIDE_NODES * (2 * PH_SIDE_NODES * si + sj);
    const side *xi = &x[si], *xj = &x[sj];
    if (!xi->nodes || !xj->nodes || at[0] < 0)
        return;
    double T[6 * PH_SIDE_MAX], A[PH_SIDE_MAX * PH_SIDE_MAX];
    memset(T, 0, sizeof(double) * (size_t)(6 * xj->n));
    memset(A, 0, sizeof(double) * (size_t)(xi->n * xj->n));
    add_six(6, xj->n, K + 72 * si + 6 * sj, xj->D, T);
    if (C)
        add_six(6, xj->n, C + 72 * si + 6 * sj, xj->V, T);
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < xi->n; i++)
            for (int j = 0; j < xj->n; j++)
                A[i * xj->n + j] += xi->D[k * xi->n + i] * T[k * xj->n + j];
    if (r && si == sj) {
        double f[6];
        six_of(r + 2 * si, f);
        add_fold(xi, f, A);
    }
    add_pairs(m, xi, xj, at, A, out);
}

void ph_carried_K(const ph_mechanism *m, const ph_state *s, const ph_carried *w, const double *K,
                  const double *C, const ph_vec3 *r, double *out)
{
    side x[2];
    for (int i = 0; i < 2; i++)
        open_side(m, s, w->body[i], &x[i]);
    for (int si = 0; si < 2; si++)
        for (int sj = 0; sj < 2; sj++)
            put_sides(m, x, si, sj, w, K, C, r, out);
}
