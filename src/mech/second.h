/* Displacements of second order of flexible bodies: what they add to the mass matrix, and its derivatives.
 *
 * n: 6 + modes coordinates. Each function adds to its matrix. */
#ifndef PH_MECH_SECOND_H
#define PH_MECH_SECOND_H

#include "mech/modal.h"

/* A body at one instant. */
typedef struct ph_second {
    const ph_reduced *r;
    int f, n;
    const double *z, *zdot;
    double Nt[3 * PH_MODES_MAX], Nr[3 * PH_MODES_MAX]; /* slopes of N_t and N_r */
    double Sk[6 * PH_MODES_MAX];                       /* and of the six numbers of S */
    double J[36], Ji[36];                              /* inertia of the undeformed body, and its inverse */
    double Q[6 * PH_MODAL_MAX], D[6 * PH_MODAL_MAX];   /* E + J^-1 H, J^-1 H */
} ph_second;

/* r has KG. M += M_2 (X12) */
void ph_second_open(ph_second *b, const ph_reduced *r, const double *z, const double *zdot, double *M);
void ph_second_slope(const ph_second *b, const double *y, double *W);     /* n x f: d(M_2 y)/dz (X14) */
void ph_second_rate(const ph_second *b, double *Mdot);                    /* of M_2 along zetadot */
void ph_second_stiffness(const ph_second *b, const double *v, double *K); /* n x f: of (X19) */

/* out (f x f) += sum_c x_c KG_c, of cases from first on */
void ph_second_add_KG(const ph_reduced *r, int first, int cases, const double *x, double *out);

/* ---- numbers of calM, and matrices of some rows ---------------------------------------------------- */

static inline const double *ph_calM(const ph_reduced *r, int row, int col)
{
    return r->calM + (size_t)row * (size_t)(6 + 4 * r->modes) + (size_t)col;
}

/* Where the columns of zeta_k Omega start. */
static inline int ph_calM_at(const ph_reduced *r, int k)
{
    return 6 + r->modes + 3 * k;
}

static inline ph_mat3 ph_calM3(const ph_reduced *r, int row, int col)
{
    const double *a = ph_calM(r, row, col), *b = ph_calM(r, row + 1, col), *c = ph_calM(r, row + 2, col);
    return (ph_mat3){a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]};
}

static inline ph_vec3 ph_column_of(const double *a, int f, int k)
{
    return ph_v3(a[k], a[f + k], a[2 * f + k]);
}

static inline void ph_put33(double *M, int n, int row, int col, ph_mat3 A)
{
    ph_store3(M + row * n + col, ph_v3(A.xx, A.xy, A.xz));
    ph_store3(M + (row + 1) * n + col, ph_v3(A.yx, A.yy, A.yz));
    ph_store3(M + (row + 2) * n + col, ph_v3(A.zx, A.zy, A.zz));
}

static inline void ph_put_column(double *W, int f, int row, int k, ph_vec3 a)
{
    W[row * f + k] = a.x, W[(row + 1) * f + k] = a.y, W[(row + 2) * f + k] = a.z;
}

#endif
