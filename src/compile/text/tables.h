/* Rows of the tables of a large model. Places that are not there are -1. */
#ifndef PH_COMPILE_TABLES_H
#define PH_COMPILE_TABLES_H

typedef struct ph_body_entry {
    int q[2], v[2]; /* position and rotation; v[1] -1: a particle */
    int turn, C;    /* number among rotations; block (phi, phi) of pairs */
    double m, J[9], weight[3];
} ph_body_entry;

typedef struct ph_joint_entry {
    ph_joint j;
    int body[2], B[4], K[16]; /* bodies, 0: the ground; places */
    int l;                    /* first multiplier */
} ph_joint_entry;

typedef struct ph_force_entry {
    ph_force f;
    ph_force_def def;
    int body[2], v[4], K[16];
} ph_force_entry;

typedef struct ph_pair_entry {
    int to, at, turn; /* block of A; of C and K; of the column */
    double M[9];
} ph_pair_entry;

/* Three rows of a constraint, or less. */
typedef struct ph_group_entry {
    int unknown, diagonal, l; /* l: first multiplier */
    int there, keep;          /* bits of rows that exist, and that are not left out */
    int by_rate, is_eta;
} ph_group_entry;

/* A group and a node. */
typedef struct ph_link_entry {
    int at, l, v, turn; /* rows of B; first multiplier; of the node */
    int there, keep, by_rate, holonomic;
    int column, row, eta_row, eta; /* blocks of A; unknown of eta */
} ph_link_entry;

/* A block of the columns of eta: (G or B) F B_n^T */
typedef struct ph_product_entry {
    int to, pair, at, keep, link;
    double M[9];
} ph_product_entry;

typedef struct ph_pivot_entry {
    int unknown, diagonal, rows, cols, at; /* at: in the list of places */
} ph_pivot_entry;

/* Values of all elements at one point. */
typedef struct ph_values {
    ph_real r[PH_NV], B[PH_NB + 1], Z[PH_NB + 1], C[PH_NP], K[PH_NP];
    ph_real Phi[PH_NL + 1], rate[PH_NL + 1], convective[PH_NL + 1];
    ph_kin body[PH_BODIES + 1]; /* the ground first */
} ph_values;

PH_FN ph_kin ph_body_kin(const ph_body_entry *b, const ph_real *q, const ph_real *v)
{
    return b->v[1] < 0 ? ph_kin_particle(q + b->q[0], v + b->v[0])
                       : ph_kin_rigid(q + b->q[0], v + b->v[0], q + b->q[1], v + b->v[1]);
}

#endif
