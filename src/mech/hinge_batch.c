/* Four joints at once: the text of point.h and turn.h with a joint in each lane of a vector. */
#include "mech/hinge_batch.h"

#define PH_ELEMENT_LANES
#include "lie/batch_lanes.h"

/* What the text reads of a joint. */
typedef struct joints {
    ph_vec3 sa, sb;
    ph_quat Ca, Cb;
    ph_mat3 Ea, Eb;
    int drive; /* none */
} ph_joint;

typedef struct ph_force ph_force; /* there are none */

#include "mech/element_lanes.h"
#include "mech/point.h"
#include "mech/turn.h"

enum { ROWS = 6, BLOCK = 3 * ROWS }; /* at most */

/* f with what hinges lock, and their rows, as constants */
#define BY_PICK(b, f, ...)                                                                                   \
    ((b)->pick == (PH_X | PH_Y) ? f(PH_X | PH_Y, 5, b, __VA_ARGS__) : f((b)->pick, (b)->rows, b, __VA_ARGS__))

/* The joints and their sites; pick: of turns */
PH_FN void open_site(int pick, const ph_hinge_batch *b, const ph_ends_state *s, int moves, ph_joint *j,
                     ph_site *site)
{
#define PH_HINGE_NUMBER(list, record, member, n, ...) load_numbers((ph_real *)&j->member, n, b->member);
#include "mech/numbers.def"
    j->drive = -1;
    *site = (ph_site){.j = j, .a = end_at(&b->at, s, 0), .b = end_at(&b->at, s, 1), .pick = (unsigned)pick};
    if (moves)
        site->a.w = vectors(s->v, b->at.w[0]), site->b.w = vectors(s->v, b->at.w[1]);
}

/* ---- out -------------------------------------------------------------------------------------------- */

/* Rows of vectors */
PH_FN void put_rows(int rows, double *p, const ph_hinge_batch *b, const ph_real *a)
{
    for (int i = 0; i < b->n; i++)
        for (int k = 0; k < rows; k++)
            p[b->l_at[i] + k] = a[k][i];
}

/* The blocks of a slot: n numbers of each joint */
PH_FN void put_block(double *p, const int *at, int n, int count, ph_real *a)
{
    int k = 0;
    for (; k + 4 <= n; k += 4) {
        transpose(a + k);
        for (int i = 0; i < count; i++)
            store4(p + at[i] + k, a[k + i]);
    }
    for (; k < n; k++)
        for (int i = 0; i < count; i++)
            p[at[i] + k] = a[k][i];
}

static const int turns_only[PH_SLOTS] = {-1, 0, -1, BLOCK};

PH_FN void put_turns(int rows, double *out, const ph_hinge_batch *b, ph_real *blocks)
{
    put_block(out, b->B[PH_FA], 3 * rows, b->n, blocks);
    put_block(out, b->B[PH_FB], 3 * rows, b->n, blocks + BLOCK);
}

/* Columns of positions: 1 and -1 in the rows of the point */
PH_FN void put_places(double *out, const ph_hinge_batch *b)
{
    for (int i = 0; i < b->n; i++) {
        double *a = out + b->B[PH_XA][i], *c = out + b->B[PH_XB][i];
        a[0] = a[4] = a[8] = 1, c[0] = c[4] = c[8] = -1;
    }
}

/* ---- callbacks -------------------------------------------------------------------------------------- */

PH_FN void Phi_of(int pick, int rows, const ph_hinge_batch *b, const ph_ends_state *s, double *out)
{
    ph_joint j;
    ph_site site;
    ph_real Phi[ROWS];
    open_site(pick, b, s, 0, &j, &site);
    ph_point_Phi(&site, Phi);
    ph_turn_Phi(&site, Phi + 3);
    put_rows(rows, out, b, Phi);
}

void ph_hinge_batch_Phi(const ph_hinge_batch *b, const ph_ends_state *s, double *out)
{
    BY_PICK(b, Phi_of, s, out);
}

PH_FN void B_of(int pick, int rows, const ph_hinge_batch *b, const ph_ends_state *s, double *out)
{
    ph_joint j;
    ph_site site;
    ph_real blocks[2 * BLOCK];
    open_site(pick, b, s, 0, &j, &site);
    ph_point_B(&site, &(ph_put){blocks, turns_only, 3, 0});
    ph_turn_B(&site, &(ph_put){blocks, turns_only, 3, 3});
    put_places(out, b), put_turns(rows, out, b, blocks);
}

void ph_hinge_batch_B(const ph_hinge_batch *b, const ph_ends_state *s, double *out)
{
    BY_PICK(b, B_of, s, out);
}

PH_FN void positions_of(int pick, int rows, const ph_hinge_batch *b, const ph_ends_state *s, double *Phi_out,
                        double *B_out)
{
    ph_joint j;
    ph_site site;
    ph_real Phi[ROWS], blocks[2 * BLOCK];
    open_site(pick, b, s, 0, &j, &site);
    ph_point_Phi(&site, Phi);
    ph_point_B(&site, &(ph_put){blocks, turns_only, 3, 0});
    ph_turn_Phi_B(&site, Phi + 3, &(ph_put){blocks, turns_only, 3, 3});
    put_rows(rows, Phi_out, b, Phi);
    put_places(B_out, b), put_turns(rows, B_out, b, blocks);
}

void ph_hinge_batch_positions(const ph_hinge_batch *b, const ph_ends_state *s, double *Phi_out, double *B_out)
{
    BY_PICK(b, positions_of, s, Phi_out, B_out);
}

/* p += vectors */
PH_FN void add_vectors(double *p, const int *at, int n, ph_vec3 a)
{
    for (int i = 0; i < n; i++)
        p[at[i]] += a.x[i], p[at[i] + 1] += a.y[i], p[at[i] + 2] += a.z[i];
}

/* B^T lambda, of the columns of turns */
PH_FN ph_vec3 fold(int rows, const ph_real *block, const ph_real *lambda)
{
    ph_vec3 f = ph_scale(lambda[0], ph_load3(block));
    for (int k = 1; k < rows; k++)
        f = ph_add(f, ph_scale(lambda[k], ph_load3(block + 3 * k)));
    return f;
}

PH_FN void add_forces(int rows, const ph_hinge_batch *b, const ph_ends_state *s, const ph_real *blocks,
                      double *r)
{
    ph_real lambda[ROWS];
    for (int k = 0; k < rows; k++)
        lambda[k] = number(s->lambda, b->l_at, k);
    add_vectors(r, b->at.v[0], b->n, ph_load3(lambda));
    add_vectors(r, b->at.w[0], b->n, fold(rows, blocks, lambda));
    add_vectors(r, b->at.v[1], b->n, ph_scale(ph_k(-1), ph_load3(lambda)));
    add_vectors(r, b->at.w[1], b->n, fold(rows, blocks + BLOCK, lambda));
}

PH_FN void add_rates(int rows, const ph_hinge_batch *b, const ph_ends_state *s, const ph_site *site,
                     const ph_real *blocks, double *rate)
{
    ph_vec3 v = ph_sub(vectors(s->v, b->at.v[0]), vectors(s->v, b->at.v[1]));
    const ph_real place[3] = {v.x, v.y, v.z};
    for (int k = 0; k < rows; k++) {
        ph_real x =
            ph_dot(ph_load3(blocks + 3 * k), site->a.w) + ph_dot(ph_load3(blocks + BLOCK + 3 * k), site->b.w);
        x = k < 3 ? place[k] + x : x;
        for (int i = 0; i < b->n; i++)
            rate[b->l_at[i] + k] += x[i];
    }
}

PH_FN void products_of(int pick, int rows, const ph_hinge_batch *b, const ph_ends_state *s, double *r,
                       double *Phi_out, double *rate)
{
    ph_joint j;
    ph_site site;
    ph_real Phi[ROWS], blocks[2 * BLOCK];
    open_site(pick, b, s, rate != NULL, &j, &site);
    ph_point_Phi(&site, Phi);
    ph_point_B(&site, &(ph_put){blocks, turns_only, 3, 0});
    ph_turn_Phi_B(&site, Phi + 3, &(ph_put){blocks, turns_only, 3, 3});
    if (r)
        add_forces(rows, b, s, blocks, r);
    if (Phi_out)
        put_rows(rows, Phi_out, b, Phi);
    if (rate)
        add_rates(rows, b, s, &site, blocks, rate);
}

void ph_hinge_batch_products(const ph_hinge_batch *b, const ph_ends_state *s, double *r, double *Phi,
                             double *rate)
{
    BY_PICK(b, products_of, s, r, Phi, rate);
}

PH_FN void Z_of(int pick, int rows, const ph_hinge_batch *b, const ph_ends_state *s, double *out)
{
    ph_joint j;
    ph_site site;
    ph_real blocks[2 * BLOCK];
    open_site(pick, b, s, 1, &j, &site);
    ph_point_Z(&site, &(ph_put){blocks, turns_only, 3, 0});
    ph_turn_Z(&site, &(ph_put){blocks, turns_only, 3, 3});
    put_turns(rows, out, b, blocks);
}

void ph_hinge_batch_Z(const ph_hinge_batch *b, const ph_ends_state *s, double *out)
{
    BY_PICK(b, Z_of, s, out);
}

PH_FN void K_of(int pick, int rows, const ph_hinge_batch *b, const ph_ends_state *s, double *out)
{
    static const int pairs[16] = {-1, -1, -1, -1, -1, 0, -1, 9, -1, -1, -1, -1, -1, 18, -1, 27};
    ph_joint j;
    ph_site site;
    ph_real lambda[ROWS], K[36];
    open_site(pick, b, s, 0, &j, &site);
    for (int k = 0; k < rows; k++)
        lambda[k] = number(s->lambda, b->l_at, k);
    for (int k = 0; k < 36; k++)
        K[k] = ph_k(0);
    ph_point_K(&site, lambda, &(ph_put){K, pairs, 3, 0});
    ph_turn_K(&site, lambda + 3, &(ph_put){K, pairs, 3, 0});
    for (int k = 3; k >= 0; k--) { /* the second body of a joint before the first one of the next */
        int row = k / 2 ? PH_FB : PH_FA, col = k % 2 ? PH_FB : PH_FA;
        add_matrices(out, b->K[4 * row + col], b->n, ph_load33(K + 9 * k));
    }
}

void ph_hinge_batch_K(const ph_hinge_batch *b, const ph_ends_state *s, double *out)
{
    BY_PICK(b, K_of, s, out);
}

PH_FN void convective_of(int pick, int rows, const ph_hinge_batch *b, const ph_ends_state *s, double *out)
{
    ph_joint j;
    ph_site site;
    ph_real drift[ROWS];
    open_site(pick, b, s, 1, &j, &site);
    ph_point_convective(&site, drift);
    ph_turn_convective(&site, drift + 3);
    put_rows(rows, out, b, drift);
}

void ph_hinge_batch_convective(const ph_hinge_batch *b, const ph_ends_state *s, double *out)
{
    BY_PICK(b, convective_of, s, out);
}
