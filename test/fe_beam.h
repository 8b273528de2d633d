/* A straight beam of Euler and Bernoulli along x in dense finite elements, its modes, and its reduction by
 * the definitions of src/fe/reduced.h. Written to share nothing with src/fe. */
#ifndef PH_TEST_FE_BEAM_H
#define PH_TEST_FE_BEAM_H

#include "modal_cases.h"

enum { FE_NODES = 21, FE_DOF = 6 * FE_NODES, FE_FRAME = 6 + 4 * FLEX_MODES };

typedef struct fe_beam {
    int elements, dof;
    double L, l;                         /* of the beam, of an element */
    double EA, EI, GJ, rhoA, rhoJ, rhoI; /* EI: of bending in the plane x y */
    double EI_xz;                        /* and in x z; 0: the same */
    int slopes; /* 1: rotations of Omega x u are its slopes (X26); 0: they are none */
    double M[FE_DOF * FE_DOF], K[FE_DOF * FE_DOF];
} fe_beam;

/* Two nodes in a plane of bending, (v1, v1', v2, v2'). */
static const double fe_bend_mass[16] = {156, 22, 54,  -13, 22,  4,  13,  -3,
                                        54,  13, 156, -22, -13, -3, -22, 4}; /* rhoA l/420, l with each v' */
static const double fe_bend[16] = {12, 6, -12, 6, 6, 4, -6, 2, -12, -6, 12, -6, 6, 2, -6, 4}; /* EI/l^3 */
static const double fe_stress[16] = {
    36,  3,  -36, 3,  3, 4,  -3, -1,
    -36, -3, 36,  -3, 3, -1, -3, 4}; /* N/(30 l); rotational inertia: rhoI for N */

/* Degree of freedom i of a plane of bending, of element e; 0: v and theta_z, 1: w and theta_y = -w'. */
static inline int fe_at(int e, int plane, int i)
{
    static const int at[2][2] = {{1, 5}, {2, 4}};
    return 6 * (e + i / 2) + at[plane][i % 2];
}

/* A += the 4 x 4 matrix a, with l for each slope, times a factor in each plane */
static inline void fe_add_bending(const fe_beam *b, double *A, int e, double xy, double xz, const double *a)
{
    for (int plane = 0; plane < 2; plane++)
        for (int i = 0; i < 16; i++) {
            double sign = plane && (i / 4 + i % 4) % 2 ? -1 : 1;
            double scale = (i / 4 % 2 ? b->l : 1) * (i % 2 ? b->l : 1);
            A[fe_at(e, plane, i / 4) * b->dof + fe_at(e, plane, i % 4)] +=
                sign * scale * (plane ? xz : xy) * a[i];
        }
}

/* [a c; c a] on component i of both nodes */
static inline void fe_add_bar(const fe_beam *b, double *A, int e, int i, double a, double c)
{
    int p = 6 * e + i, q = p + 6, n = b->dof;
    A[p * n + p] += a, A[q * n + q] += a, A[p * n + q] += c, A[q * n + p] += c;
}

/* Section and length are filled in. */
static inline void fe_build(fe_beam *b, int elements)
{
    b->elements = elements, b->dof = 6 * (elements + 1), b->l = b->L / elements;
    memset(b->M, 0, sizeof b->M), memset(b->K, 0, sizeof b->K);
    double l = b->l, m = b->rhoA * l, j = b->rhoJ * l, l3 = l * l * l, turn = b->rhoI / (30 * l);
    for (int e = 0; e < elements; e++) {
        fe_add_bar(b, b->K, e, 0, b->EA / l, -b->EA / l), fe_add_bar(b, b->M, e, 0, m / 3, m / 6);
        fe_add_bar(b, b->K, e, 3, b->GJ / l, -b->GJ / l), fe_add_bar(b, b->M, e, 3, j / 3, j / 6);
        fe_add_bending(b, b->K, e, b->EI / l3, (b->EI_xz > 0 ? b->EI_xz : b->EI) / l3, fe_bend);
        fe_add_bending(b, b->M, e, m / 420, m / 420, fe_bend_mass);
        fe_add_bending(b, b->M, e, turn, turn, fe_stress);
    }
}

/* ---- modes ---------------------------------------------------------------------------------------- */

/* A = L L^T in place, lower triangle */
static inline void fe_cholesky(int n, double *A)
{
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < j; k++)
            for (int i = j; i < n; i++)
                A[i * n + j] -= A[i * n + k] * A[j * n + k];
        assert_true(A[j * n + j] > 0);
        double d = sqrt(A[j * n + j]);
        for (int i = j; i < n; i++)
            A[i * n + j] /= d;
    }
}

/* A = (L^-1 A)^T */
static inline void fe_forward(int n, const double *L, double *A)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < i; k++)
                A[i * n + j] -= L[i * n + k] * A[k * n + j];
            A[i * n + j] /= L[i * n + i];
        }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) {
            double t = A[i * n + k];
            A[i * n + k] = A[k * n + i], A[k * n + i] = t;
        }
}

/* One plane rotation of Jacobi's method: A = J^T A J, V = V J, entry (p, q) becomes 0 */
static inline void fe_rotate(int n, double *A, double *V, int p, int q)
{
    double theta = (A[q * n + q] - A[p * n + p]) / (2 * A[p * n + q]);
    double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(1 + theta * theta)), c = 1 / sqrt(1 + t * t),
           s = t * c;
    for (int k = 0; k < n; k++) {
        double a = A[k * n + p], b = A[k * n + q];
        A[k * n + p] = c * a - s * b, A[k * n + q] = s * a + c * b;
    }
    for (int k = 0; k < n; k++) {
        double a = A[p * n + k], b = A[q * n + k], u = V[k * n + p], v = V[k * n + q];
        A[p * n + k] = c * a - s * b, A[q * n + k] = s * a + c * b;
        V[k * n + p] = c * u - s * v, V[k * n + q] = s * u + c * v;
    }
}

/* Eigenvectors of the symmetric matrix A to the columns of V; the diagonal of A becomes the eigenvalues. */
static inline void fe_jacobi(int n, double *A, double *V)
{
    memset(V, 0, sizeof(double) * (size_t)(n * n));
    for (int i = 0; i < n; i++)
        V[i * n + i] = 1;
    for (int sweep = 0; sweep < 30; sweep++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++)
                if (fabs(A[p * n + q]) > 1e-18 * sqrt(fabs(A[p * n + p] * A[q * n + q])))
                    fe_rotate(n, A, V, p, q);
}

/* The lowest modes of K x = omega^2 M x in the degrees of freedom that are free, of unit mass, to the
 * columns of Psi (dof x modes). */
static inline void fe_modes(const fe_beam *b, const unsigned char *is_free, int modes, double *Psi,
                            double *omega)
{
    static double M[FE_DOF * FE_DOF], A[FE_DOF * FE_DOF], V[FE_DOF * FE_DOF];
    int at[FE_DOF], n = 0;
    for (int i = 0; i < b->dof; i++)
        if (is_free[i])
            at[n++] = i;
    for (int i = 0; i < n * n; i++)
        M[i] = b->M[at[i / n] * b->dof + at[i % n]], A[i] = b->K[at[i / n] * b->dof + at[i % n]];
    fe_cholesky(n, M);
    fe_forward(n, M, A), fe_forward(n, M, A); /* A = L^-1 (L^-1 A)^T */
    fe_jacobi(n, A, V);
    memset(Psi, 0, sizeof(double) * (size_t)(b->dof * modes));
    for (int m = 0; m < modes; m++) {
        int best = -1;
        for (int i = 0; i < n; i++)
            best = A[i * n + i] >= 0 && (best < 0 || A[i * n + i] < A[best * n + best]) ? i : best;
        omega[m] = sqrt(A[best * n + best]);
        A[best * n + best] = -1;
        double x[FE_DOF];
        for (int i = n - 1; i >= 0; i--) { /* x = L^-T y */
            x[i] = V[i * n + best];
            for (int k = i + 1; k < n; k++)
                x[i] -= M[k * n + i] * x[k];
            x[i] /= M[i * n + i];
            Psi[at[i] * modes + m] = x[i];
        }
    }
}

/* ---- reduction ------------------------------------------------------------------------------------ */

/* Column c of G at node i, (X1): translation and rotation */
static inline void fe_column(const fe_beam *b, const double *Psi, int f, int c, int i, double *out)
{
    ph_vec3 X = ph_v3(i * b->l, 0, 0), t = ph_v3(0, 0, 0), r = t;
    int k = c < 6 ? c % 3 : (c - 6 - f) % 3, m = (c - 6 - f) / 3;
    ph_vec3 e = ph_v3(k == 0, k == 1, k == 2);
    if (c < 3) {
        t = e;
    } else if (c < 6) {
        t = ph_cross(e, X), r = e;
    } else if (c < 6 + f) {
        for (int a = 0; a < 6; a++)
            out[a] = Psi[(6 * i + a) * f + c - 6];
        return;
    } else {
        const double *psi = Psi + 6 * i * f + m;
        t = ph_cross(e, ph_v3(psi[0], psi[f], psi[2 * f]));
        if (b->slopes && e.x > 0) /* v' = theta_z, w' = -theta_y of e_x x u = (0, -w, v) */
            r = ph_v3(0, -psi[5 * f], psi[4 * f]);
    }
    ph_store3(out, t), ph_store3(out + 3, r);
}

/* The stress stiffness of forces along x at the nodes, where the first node holds the beam */
static inline void fe_stiffen(const fe_beam *b, const double *Psi, int f, const double *force, double *KG)
{
    double N = 0;
    memset(KG, 0, sizeof(double) * (size_t)(f * f));
    for (int e = b->elements - 1; e >= 0; e--) {
        N += force[e + 1];
        for (int plane = 0; plane < 2; plane++)
            for (int i = 0; i < 16; i++) {
                double sign = plane && (i / 4 + i % 4) % 2 ? -1 : 1;
                double a =
                    sign * N / (30 * b->l) * (i / 4 % 2 ? b->l : 1) * (i % 2 ? b->l : 1) * fe_stress[i];
                const double *u = Psi + fe_at(e, plane, i / 4) * f, *v = Psi + fe_at(e, plane, i % 4) * f;
                for (int k = 0; k < f * f; k++)
                    KG[k] += a * u[k / f] * v[k % f];
            }
    }
}

/* All cases of KG; MG = M G, dof x n */
static inline void fe_cases(const fe_beam *b, const double *Psi, int f, const double *MG, int n,
                            const int *marker, flex *x)
{
    static const int first[] = {0, 1, 2, 1, 2, 0}, other[] = {0, 1, 2, 2, 0, 1};
    double force[FE_NODES];
    for (int c = 0; c < PH_KG_MARKERS + 3 * x->r.n_markers; c++) {
        for (int i = 0; i <= b->elements; i++) {
            const double *p = MG + 6 * i * n + 3;
            if (c < PH_KG_SPINS) {
                force[i] = MG[6 * i * n + c];
            } else if (c < PH_KG_MARKERS) { /* x of -e_a x (M Phi_r0 e_b), and with a and b exchanged */
                int a = first[c - PH_KG_SPINS], d = other[c - PH_KG_SPINS];
                force[i] = -((a == 1) * p[2 * n + d] - (a == 2) * p[n + d]);
                if (a != d)
                    force[i] -= (d == 1) * p[2 * n + a] - (d == 2) * p[n + a];
            } else {
                force[i] = (c - PH_KG_MARKERS) % 3 == 0 && i == marker[(c - PH_KG_MARKERS) / 3];
            }
        }
        fe_stiffen(b, Psi, f, force, x->KG + c * f * f);
    }
}

/* Psi: dof x f; marker: nodes */
static inline void fe_reduce(const fe_beam *b, const double *Psi, int f, const int *marker, int markers,
                             int stiffen, flex *x)
{
    static double G[FE_DOF * FE_FRAME], MG[FE_DOF * FE_FRAME];
    int n = 6 + 4 * f, dof = b->dof;
    double one[6];
    flex_open(x, f, markers);
    for (int i = 0; i <= b->elements; i++)
        for (int c = 0; c < n; c++) {
            fe_column(b, Psi, f, c, i, one);
            for (int a = 0; a < 6; a++)
                G[(6 * i + a) * n + c] = one[a];
        }
    memset(MG, 0, sizeof MG);
    for (int i = 0; i < dof * dof; i++)
        for (int c = 0; c < n && b->M[i] != 0; c++)
            MG[i / dof * n + c] += b->M[i] * G[i % dof * n + c];
    for (int i = 0; i < dof; i++)
        for (int k = 0; k < n * n; k++)
            x->calM[k] += G[i * n + k / n] * MG[i * n + k % n];
    for (int i = 0; i < dof * dof; i++)
        for (int k = 0; k < f * f && b->K[i] != 0; k++)
            x->Kf[k] += Psi[i / dof * f + k / f] * b->K[i] * Psi[i % dof * f + k % f];
    for (int m = 0; m < markers; m++) {
        x->marker[m].X = ph_v3(marker[m] * b->l, 0, 0);
        memcpy(x->Psi[m], Psi + 6 * marker[m] * f, sizeof(double) * (size_t)(3 * f));
        memcpy(x->Th[m], Psi + (6 * marker[m] + 3) * f, sizeof(double) * (size_t)(3 * f));
    }
    if (stiffen)
        fe_cases(b, Psi, f, MG, n, marker, x);
    else
        x->r.KG = NULL;
}

/* What (X9) sets: momentum U of zeta_k Omega is that of a first moment. */
static inline void fe_balance(flex *x)
{
    int f = x->r.modes, n = 6 + 4 * f;
    for (int k = 0; k < f; k++)
        for (int i = 0; i < 3; i++) { /* Omega x S_k */
            int at = 6 + f + 3 * k, j = (i + 1) % 3, l = (i + 2) % 3;
            double S = x->calM[i * n + 6 + k];
            x->calM[i * n + at + i] = x->calM[(at + i) * n + i] = 0;
            x->calM[l * n + at + j] = x->calM[(at + j) * n + l] = -S;
            x->calM[j * n + at + l] = x->calM[(at + l) * n + j] = S;
        }
}

#endif
