/* Spaces, and elements in spaces whose coordinates y are not the physical ones q.
 *
 * Body by body, dq = D dy, q' = D y', V = d(D y')/dy. An element with terms r of g, tangents B, Z, C, K in
 * physical coordinates has in those of the space
 *
 *   r_y = D^T r,  B_y = B D,  Z_y = Z D + B V,  convective_y = convective + B V y'
 *   C_y = D^T C D,  K_y = D^T (K D + C V) + d(D^T r)/dy
 *
 * With inertia, and q'' = D y'' + V y', U = dq''/dy', Y = dq''/dy at fixed y'', r = M q'' + g,
 *
 *   M_y = D^T M D,  g_y = D^T (g + M V y'),  C_y = D^T (C D + M U)
 *   K_y = D^T (K D + C V + M Y) + d(D^T r)/dy                                                         (B12)
 *
 * D is block diagonal, half by half, and D and V depend on the second half of their body alone. One half of a space is bent: D of the
 * other one is the identity, and its V is zero. */
#include "mech/mech.h"

const ph_space *ph_space_get(ph_space_code code)
{
    static const ph_space *const table[PH_SPACE_COUNT] = {
        [PH_SPACE_R3XSO3] = &ph_space_r3xso3,
        [PH_SPACE_SE3] = &ph_space_se3,
        [PH_SPACE_EULER] = &ph_space_euler,
        [PH_SPACE_CARDAN] = &ph_space_cardan,
    };
    return (unsigned)code < PH_SPACE_COUNT ? table[code] : NULL;
}

const int ph_local_rows[PH_SLOTS] = {0, 3, 6, 9};
const int ph_local_pairs[16] = {0, 3, 6, 9, 36, 39, 42, 45, 72, 75, 78, 81, 108, 111, 114, 117};

/* The rule of a body; 0 for the ground. */
static int rule_of(const ph_mechanism *m, const ph_state *s, int body, ph_chain_rule *c)
{
    if (body < 0)
        return 0;
    const ph_body *b = &m->body[body];
    c->n[0] = m->space->n[0], c->n[1] = m->space->n[1], c->bent = m->space->bent;
    c->row = m->space->joined ? c->n[0] + c->n[1] : 0;
    if (!b->particle) {
        m->space->chain(s, b, c);
        return 1;
    }
    *c = (ph_chain_rule){.n = {3, 0}, .row = 3, .bent = 1};
    return 1;
}

static int stride(const ph_chain_rule *c, int half)
{
    return c->row ? c->row : c->n[half];
}

/* out (m x n, rows stride apart) += a (m x 3, rows lda apart) times D (3 x n) */
PH_INLINE void add_product(int n, int rows, const double *a, int lda, const double *D, double *out, int ldo)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < n; j++)
            out[i * ldo + j] += a[i * lda] * D[j] + a[i * lda + 1] * D[n + j] + a[i * lda + 2] * D[2 * n + j];
}

/* out += a D_h; of a half that is not bent D is the identity */
PH_INLINE void add_chained(int n, const ph_chain_rule *c, int h, int rows, const double *a, int lda,
                           double *out, int ldo)
{
    if (h == c->bent)
        add_product(n, rows, a, lda, c->D[h], out, ldo);
    else
        for (int i = 0; i < rows; i++)
            ph_add3(out + i * ldo, ph_load3(a + i * lda));
}

/* The rows of one half of a body: B D, or Z D + B V; B and Z have its columns first. */
PH_INLINE void put_half(int n, const ph_chain_rule *c, int h, int rows, const double *B, const double *Z,
                        double *out)
{
    int ld = stride(c, h);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < n; k++)
            out[i * ld + k] = 0;
    add_chained(n, c, h, rows, (Z ? Z : B) + 3 * h, 12, out, ld);
    if (Z && h == 1)
        add_product(n, rows, B + 3 * c->bent, 12, c->V[c->bent], out, ld);
}

void ph_space_rows(const ph_mechanism *m, const ph_state *s, const ph_joint *j, const double *B,
                   const double *Z, double *out)
{
    for (int side = 0; side < 2; side++) {
        ph_chain_rule c;
        if (!rule_of(m, s, j->body[side], &c))
            continue;
        for (int h = 0; h < 2 && c.n[h]; h++)
            PH_BY_SIZE(c.n[h], put_half, &c, h, j->rows, B + 6 * side, Z ? Z + 6 * side : NULL,
                       out + j->B[2 * side + h]);
    }
}

void ph_space_drift(const ph_mechanism *m, const ph_state *s, const ph_joint *j, const double *B, double *out)
{
    for (int side = 0; side < 2; side++) {
        ph_chain_rule c;
        if (!rule_of(m, s, j->body[side], &c) || !c.n[1])
            continue;
        const double *y = s->v + m->body[j->body[side]].v[1];
        for (int i = 0; i < j->rows; i++)
            for (int k = 0; k < 3; k++)
                for (int l = 0; l < c.n[1]; l++)
                    out[i] += B[12 * i + 3 * (2 * side + c.bent) + k] * c.V[c.bent][c.n[1] * k + l] * y[l];
    }
}

/* out (n) += D^T r */
PH_INLINE void add_fold(int n, const double *D, ph_vec3 r, double *out)
{
    for (int j = 0; j < n; j++)
        out[j] += D[j] * r.x + D[n + j] * r.y + D[2 * n + j] * r.z;
}

void ph_space_vector(const ph_mechanism *m, const ph_state *s, const int body[2], const int v[PH_SLOTS],
                     const ph_vec3 *r, double *out)
{
    for (int side = 0; side < 2; side++) {
        ph_chain_rule c;
        if (!rule_of(m, s, body[side], &c))
            continue;
        for (int h = 0; h < 2 && c.n[h]; h++)
            if (h == c.bent)
                add_fold(c.n[h], c.D[h], r[2 * side + h], out + v[2 * side + h]);
            else
                ph_add3(out + v[2 * side + h], r[2 * side + h]);
    }
}

/* out (n_i x n_j) += D_i^T a, a 3 x n_j */
PH_INLINE void add_folded(int ni, const ph_chain_rule *ci, int hi, int n, const double *a, double *out,
                          int ldo)
{
    if (hi != ci->bent) {
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < n; j++)
                out[i * ldo + j] += a[i * n + j];
        return;
    }
    for (int i = 0; i < ni; i++)
        for (int j = 0; j < n; j++)
            out[i * ldo + j] +=
                ci->D[hi][i] * a[j] + ci->D[hi][ni + i] * a[n + j] + ci->D[hi][2 * ni + i] * a[2 * n + j];
}

/* What a pair of sides takes; C, M, r NULL: without. by_q: M goes with Y, else with U. */
typedef struct terms {
    const double *K, *C, *M;
    const ph_vec3 *r;
    int by_q;
} terms;

/* a (3 x n) += M Y, or M U: the columns of half hj of side sj */
PH_INLINE void add_inertia(int n, const terms *x, int bent, const ph_slope *slope, int row, int sj, int hj,
                           double *a)
{
    const double *M = x->M + ph_local_pairs[4 * row + 2 * sj + bent];
    if (!x->by_q)
        add_product(n, 3, M, 12, slope->U[bent][hj], a, n);
    else if (hj == 1)
        add_product(n, 3, M, 12, slope->Y[bent], a, n);
}

/* The block of two slots, n columns. */
PH_INLINE void put_slots(int n, const ph_mechanism *m, const ph_chain_rule c[2], const ph_slope *slope,
                         int row, int col, const terms *x, double *o)
{
    int si = row / 2, hi = row % 2, sj = col / 2, hj = col % 2, ld = stride(&c[sj], hj);
    double a[3 * PH_HALF_MAX] = {0}, f[PH_HALF_MAX * PH_HALF_MAX];
    add_chained(n, &c[sj], hj, 3, x->K + ph_local_pairs[4 * row + col], 12, a, n);
    if (x->C && hj == 1)
        add_product(n, 3, x->C + ph_local_pairs[4 * row + 2 * sj + c[sj].bent], 12, c[sj].V[c[sj].bent], a,
                    n);
    if (x->M)
        add_inertia(n, x, c[sj].bent, &slope[sj], row, sj, hj, a);
    PH_BY_SIZE(c[si].n[hi], add_folded, &c[si], hi, n, a, o, ld);
    if (!x->r || si != sj || hj == 0 || hi != c[si].bent)
        return;
    m->space->fold(&c[si], hi, x->r[row], f);
    for (int i = 0; i < c[si].n[hi]; i++)
        for (int k = 0; k < n; k++)
            o[i * ld + k] += f[i * n + k];
}

static void put_sides(const ph_mechanism *m, const ph_chain_rule c[2], const ph_slope *slope, int si, int sj,
                      const int at[16], const terms *x, double *out)
{
    for (int row = 2 * si; row < 2 * si + 2 && c[si].n[row % 2]; row++)
        for (int col = 2 * sj; col < 2 * sj + 2 && c[sj].n[col % 2]; col++)
            if (at[4 * row + col] >= 0)
                PH_BY_SIZE(c[sj].n[col % 2], put_slots, m, c, slope, row, col, x, out + at[4 * row + col]);
}

static void put_terms(const ph_mechanism *m, const ph_state *s, const int body[2], const int at[16],
                      const terms *x, double *out)
{
    ph_chain_rule c[2];
    ph_slope slope[2];
    int there[2] = {rule_of(m, s, body[0], &c[0]), rule_of(m, s, body[1], &c[1])};
    for (int side = 0; side < 2 && x->M; side++)
        if (there[side])
            m->space->slope(s, &m->body[body[side]], &slope[side]);
    for (int si = 0; si < 2; si++)
        for (int sj = 0; sj < 2; sj++)
            if (there[si] && there[sj])
                put_sides(m, c, slope, si, sj, at, x, out);
}

void ph_space_M(const ph_mechanism *m, const ph_state *s, const int body[2], const int at[16],
                const double *M, double *out)
{
    put_terms(m, s, body, at, &(terms){.K = M}, out);
}

void ph_space_C(const ph_mechanism *m, const ph_state *s, const int body[2], const int at[16],
                const double *C, const double *M, double *out)
{
    put_terms(m, s, body, at, &(terms){.K = C, .M = M}, out);
}

void ph_space_K(const ph_mechanism *m, const ph_state *s, const int body[2], const int at[16],
                const double *K, const double *C, const double *M, const ph_vec3 *r, double *out)
{
    put_terms(m, s, body, at, &(terms){K, C, M, r, 1}, out);
}

void ph_space_covector(const ph_mechanism *m, const ph_state *s, int body, const double *place,
                       const double *speed, const double *acceleration, const ph_covector *g)
{
    const ph_body *b = &m->body[body];
    ph_chain_rule c;
    ph_slope slope;
    int halves = b->particle ? 1 : 2;
    for (int i = 0; i < 3 * halves && (m->space->plain || b->particle); i++) {
        int at = b->v[i / 3] + i % 3;
        g->W[at] += place[i], g->v[at] += speed[i], g->vdot[at] += acceleration[i];
    }
    if (m->space->plain || b->particle)
        return;
    rule_of(m, s, body, &c);
    m->space->slope(s, b, &slope);
    for (int h = 0; h < 2; h++) {
        ph_vec3 x = ph_load3(place + 3 * h), v = ph_load3(speed + 3 * h), a = ph_load3(acceleration + 3 * h);
        add_fold(c.n[h], c.D[h], x, g->W + b->v[h]);
        add_fold(c.n[h], c.D[h], v, g->v + b->v[h]);
        add_fold(c.n[h], c.D[h], a, g->vdot + b->v[h]);
        add_fold(c.n[1], c.V[h], v, g->W + b->v[1]);
        add_fold(c.n[1], slope.Y[h], a, g->W + b->v[1]);
        for (int k = 0; k < 2; k++)
            add_fold(c.n[k], slope.U[h][k], a, g->v + b->v[k]);
    }
}

void ph_space_rest(const ph_mechanism *m, const ph_state *s, const int body[2], ph_vec3 acc[PH_SLOTS])
{
    for (int side = 0; side < 2; side++) {
        ph_chain_rule c;
        if (!rule_of(m, s, body[side], &c) || !c.n[1])
            continue;
        const double *y = s->v + m->body[body[side]].v[1];
        for (int h = 0; h < 2; h++) {
            double a[3] = {0};
            for (int k = 0; k < 3 * c.n[1]; k++)
                a[k / c.n[1]] += c.V[h][k] * y[k % c.n[1]];
            acc[2 * side + h] = ph_load3(a);
        }
    }
}
