/* Finite elements of beams and frames.
 *
 * Cubic bending v(x), linear displacement along the axis and linear twist, consistent mass. With the ends'
 * deflections and slopes (v_a, v_a', v_b, v_b'), per plane of bending:
 *   K: EI/L^3 [12 6L -12 6L; 6L 4L^2 -6L 2L^2; ...]           from EI v''^2
 *   M: rhoA L/420 [156 22L 54 -13L; 22L 4L^2 13L -3L^2; ...]   from rhoA v^2
 *   G: N/(30 L) [36 3L -36 3L; 3L 4L^2 -3L -L^2; ...]          from N v'^2, or J v'^2: rotary inertia  (X3)
 * Slopes are rotations: v' = r3 of deflections along the second axis, w' = -r2 of those along the third. */
#include "fe/frame.h"

#include <string.h>

enum { N12 = 12 };

/* A += scale B, of the rows and columns (v_a, v_a', v_b, v_b') of a plane: 0 with v, r3; 1 with w, r2 */
static void add_plane(double *A, int plane, double scale, const double *B)
{
    static const int rows[2][4] = {{1, 5, 7, 11}, {2, 4, 8, 10}};
    const double sign[4] = {1, plane ? -1 : 1, 1, plane ? -1 : 1};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            A[N12 * rows[plane][i] + rows[plane][j]] += scale * sign[i] * sign[j] * B[4 * i + j];
}

/* A += scale [a b; b a] of the displacement along the axis (row 0) or the twist (row 3) */
static void add_line(double *A, int row, double scale, double a, double b)
{
    A[N12 * row + row] += scale * a, A[N12 * (row + 6) + row + 6] += scale * a;
    A[N12 * row + row + 6] += scale * b, A[N12 * (row + 6) + row] += scale * b;
}

static void add_slopes(double *A, int plane, double c, double L)
{
    const double B[16] = {36,  3 * L,  -36, 3 * L,  3 * L, 4 * L * L, -3 * L, -L * L,
                          -36, -3 * L, 36,  -3 * L, 3 * L, -L * L,    -3 * L, 4 * L * L};
    add_plane(A, plane, c / (30 * L), B);
}

void ph_fe_beam_mass(const ph_fe_section *s, double L, double *M)
{
    const double B[16] = {156, 22 * L, 54,  -13 * L, 22 * L,  4 * L * L,  13 * L,  -3 * L * L,
                          54,  13 * L, 156, -22 * L, -13 * L, -3 * L * L, -22 * L, 4 * L * L};
    memset(M, 0, sizeof(double) * N12 * N12);
    add_line(M, 0, s->rhoA * L / 6, 2, 1);
    add_line(M, 3, s->J[0] * L / 6, 2, 1);
    for (int plane = 0; plane < 2; plane++) {
        add_plane(M, plane, s->rhoA * L / 420, B);
        add_slopes(M, plane, s->J[2 - plane], L);
    }
}

void ph_fe_beam_stiffness(const ph_fe_section *s, double L, double *K)
{
    const double B[16] = {12,  6 * L,  -12, 6 * L,  6 * L, 4 * L * L, -6 * L, 2 * L * L,
                          -12, -6 * L, 12,  -6 * L, 6 * L, 2 * L * L, -6 * L, 4 * L * L};
    memset(K, 0, sizeof(double) * N12 * N12);
    add_line(K, 0, s->EA / L, 1, -1);
    add_line(K, 3, s->GJ / L, 1, -1);
    for (int plane = 0; plane < 2; plane++)
        add_plane(K, plane, s->EI[1 - plane] / (L * L * L), B);
}

void ph_fe_beam_stress(double N, double L, double *G)
{
    memset(G, 0, sizeof(double) * N12 * N12);
    add_slopes(G, 0, N, L);
    add_slopes(G, 1, N, L);
}

/* diag(R, R, R, R) A diag(R, R, R, R)^T */
void ph_fe_beam_turn(const ph_mat3 *R, double *A)
{
    ph_mat3 Rt = ph_transpose(*R);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            double B[9];
            for (int k = 0; k < 9; k++)
                B[k] = A[N12 * (3 * i + k / 3) + 3 * j + k % 3];
            ph_store33(B, ph_mmul(ph_mmul(*R, ph_load33(B)), Rt));
            for (int k = 0; k < 9; k++)
                A[N12 * (3 * i + k / 3) + 3 * j + k % 3] = B[k];
        }
}

int ph_fe_axes(ph_vec3 e, ph_vec3 axis, ph_mat3 *R)
{
    int given = ph_norm(axis) > 0;
    ph_vec3 a = given ? axis : ph_cross(ph_v3(0, 0, 1), e);
    if (!given && !(ph_norm(a) > 1e-6))
        a = ph_v3(0, 1, 0); /* upright */
    ph_vec3 e2 = ph_sub(a, ph_scale(ph_dot(a, e), e));
    double size = ph_norm(e2);
    if (!(size > 1e-6))
        return 0;
    e2 = ph_scale(1 / size, e2);
    ph_vec3 e3 = ph_cross(e, e2);
    *R = (ph_mat3){e.x, e2.x, e3.x, e.y, e2.y, e3.y, e.z, e2.z, e3.z};
    return 1;
}

/* ---- the frame ------------------------------------------------------------------------------------- */

typedef struct builder {
    ph_fe *fe;
    const ph_fe_member *member;
    int n_members, n_points;
    int next; /* node inside a member that comes next */
    ph_triplets M, K;
} builder;

static void add_element(ph_triplets *to, const double *A, const int *node)
{
    for (int i = 0; i < N12; i++)
        for (int j = 0; j < N12; j++)
            if (A[N12 * i + j] != 0)
                ph_triplets_add(to, 6 * node[i / 6] + i % 6, 6 * node[j / 6] + j % 6, A[N12 * i + j]);
}

static void put_node(ph_fe *fe, int k, ph_vec3 x)
{
    ph_store3(fe->X + 3 * k, x);
    fe->id[k] = k;
}

/* The index of node k of a member, k = 0 ... n: one member alone is numbered along it. */
static int node_of(const builder *b, const ph_fe_member *m, int k)
{
    if (b->n_members == 1 && b->n_points == 2)
        return k;
    return k == 0 ? m->from : k == m->n ? m->to : b->next + k - 1;
}

static ph_status add_member(builder *b, int index, const double *points, ph_error *err)
{
    const ph_fe_member *m = &b->member[index];
    ph_vec3 a = ph_load3(points + 3 * m->from), c = ph_sub(ph_load3(points + 3 * m->to), a);
    double length = ph_norm(c), L = length / m->n, A[N12 * N12];
    ph_mat3 R;
    if (!(length > 0))
        return ph_fail(err, PH_E_INPUT, "member %d has length 0", index + 1);
    if (!ph_fe_axes(ph_scale(1 / length, c), m->axis, &R))
        return ph_fail(err, PH_E_INPUT, "member %d: the second axis of its section is along it", index + 1);
    for (int k = 0; k <= m->n; k++)
        put_node(b->fe, node_of(b, m, k),
                 k == m->n ? ph_load3(points + 3 * m->to) : ph_add(a, ph_scale((double)k / m->n, c)));
    for (int k = 0; k < m->n; k++) {
        int node[2] = {node_of(b, m, k), node_of(b, m, k + 1)};
        b->fe->beam[b->fe->n_beams++] = (ph_fe_beam){{node[0], node[1]}, R, L, m->section.EA};
        ph_fe_beam_mass(&m->section, L, A);
        ph_fe_beam_turn(&R, A);
        add_element(&b->M, A, node);
        ph_fe_beam_stiffness(&m->section, L, A);
        ph_fe_beam_turn(&R, A);
        add_element(&b->K, A, node);
    }
    b->next += m->n - 1;
    return PH_OK;
}

static ph_status build(builder *b, const double *points, ph_error *err)
{
    ph_fe *fe = b->fe;
    int elements = 0;
    for (int k = 0; k < b->n_members; k++)
        elements += b->member[k].n;
    fe->dofs = 6, fe->n_nodes = b->n_points + elements - b->n_members, fe->label[0] = fe->label[1] = "beam";
    fe->id = ph_pool_ints(&fe->pool, (size_t)fe->n_nodes);
    fe->X = ph_pool_numbers(&fe->pool, 3 * (size_t)fe->n_nodes);
    fe->beam = ph_pool_take(&fe->pool, (size_t)elements, sizeof *fe->beam);
    int ok = fe->id && fe->X && fe->beam && ph_triplets_open(&fe->pool, &b->M, N12 * N12 * elements) &&
             ph_triplets_open(&fe->pool, &b->K, N12 * N12 * elements);
    b->next = b->n_points;
    for (int k = 0; ok && k < b->n_points; k++)
        put_node(fe, k, ph_load3(points + 3 * k));
    for (int k = 0; ok && k < b->n_members; k++) {
        ph_status s = add_member(b, k, points, err);
        if (s != PH_OK)
            return s;
    }
    int n = ph_fe_size(fe);
    if (ok && ph_csc_build(&fe->pool, n, n, &b->M, &fe->M) && ph_csc_build(&fe->pool, n, n, &b->K, &fe->K))
        return PH_OK;
    return ph_fail(err, PH_E_MEMORY, "not enough memory for %d elements", elements);
}

ph_status ph_fe_frame(ph_fe *out, const ph_allocator *alloc, int n_points, const double *points,
                      int n_members, const ph_fe_member *member, ph_error *err)
{
    *out = (ph_fe){.pool = {.alloc = alloc}};
    builder b = {.fe = out, .member = member, .n_members = n_members, .n_points = n_points};
    ph_status s = build(&b, points, err);
    if (s != PH_OK)
        ph_fe_free(out);
    return s;
}
