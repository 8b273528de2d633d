/* Stress stiffness of load cases, from linear statics in the frame of the body.
 *
 * Under the forces f_c elements pull with N_e = EA/L (elongation), and
 *   KG_c = sum_e N_e Psi_e^T G_e Psi_e,  G_e of (X3) in both planes of bending                        (X6)
 * In mean axes second-order displacements have no rigid part, and so f_c stands for
 *   f_c - M Phi (Phi^T M Phi)^-1 Phi^T f_c                                                            (X7)
 * which is in balance: forces of accelerations are nothing there. */
#include "fe/stiffen.h"

#include <stdio.h>
#include <string.h>

#include "fe/frame.h"
#include "fe/rigid.h"

static ph_vec3 unit(int k)
{
    return ph_v3(k == 0, k == 1, k == 2);
}

/* f -= a x (M Phi_r0 b), node by node, forces and moments */
static void add_spin(const ph_fe *fe, int a, int b, double *work, double *f)
{
    int rows = ph_fe_size(fe);
    ph_fe_rigid(fe, ph_v3(0, 0, 0), 3 + b, work);
    ph_csc_mul(&fe->M, work, work + rows);
    for (int i = 0; i < rows; i += 3)
        ph_store3(f + i, ph_sub(ph_load3(f + i), ph_cross(unit(a), ph_load3(work + rows + i))));
}

void ph_stiffen_load(const ph_fe *fe, const ph_patch *marker, int c, double *work, double *f)
{
    int rows = ph_fe_size(fe), k = c - PH_KG_SPINS;
    if (c < PH_KG_SPINS) {
        ph_fe_rigid(fe, ph_v3(0, 0, 0), c, work);
        ph_csc_mul(&fe->M, work, f);
        return;
    }
    memset(f, 0, sizeof(double) * (size_t)rows);
    if (c >= PH_KG_MARKERS) {
        k = c - PH_KG_MARKERS;
        ph_patch_force(fe, &marker[k / 3], unit(k % 3), f);
    } else if (k < 3) {
        add_spin(fe, k, k, work, f);
    } else {
        add_spin(fe, (k + 1) % 3, (k + 2) % 3, work, f);
        add_spin(fe, (k + 2) % 3, (k + 1) % 3, work, f);
    }
}

const char *ph_stiffen_word(int c)
{
    static const char *const words[PH_KG_MARKERS] = {"ax",       "ay",       "az",       "alpha_x",
                                                     "alpha_y",  "alpha_z",  "omega_xx", "omega_yy",
                                                     "omega_zz", "omega_yz", "omega_zx", "omega_xy"};
    return c >= 0 && c < PH_KG_MARKERS ? words[c] : NULL;
}

int ph_stiffen_find(const ph_reduced *r, const char *name)
{
    for (int c = 0; c < PH_KG_MARKERS; c++)
        if (!strcmp(name, ph_stiffen_word(c)))
            return c;
    for (int c = 0; c < 3 * r->n_markers; c++) {
        char word[PH_MARKER_NAME + 4];
        snprintf(word, sizeof word, "%s.f%c", r->marker[c / 3].name, "xyz"[c % 3]);
        if (!strcmp(name, word))
            return PH_KG_MARKERS + c;
    }
    return -1;
}

/* ---- statics --------------------------------------------------------------------------------------- */

typedef struct statics {
    const ph_fe *fe;
    const ph_shapes *shapes;
    double *f, *u, *q, *work; /* rows, rows, columns of T, 2 rows */
    ph_rigid_moves rigid;
} statics;

static int open_statics(ph_pool *pool, const ph_fe *fe, const ph_shapes *shapes, statics *s)
{
    size_t rows = (size_t)ph_fe_size(fe);
    *s = (statics){.fe = fe, .shapes = shapes};
    s->f = ph_pool_numbers(pool, rows), s->u = ph_pool_numbers(pool, rows);
    s->work = ph_pool_numbers(pool, 2 * rows), s->q = ph_pool_numbers(pool, (size_t)shapes->T.columns);
    return s->f && s->u && s->work && s->q && ph_rigid_make(pool, fe, &s->rigid);
}

/* Axial forces of all beams under a load case. */
static int pull(statics *s, const ph_patch *marker, int c, double *N)
{
    const ph_fe *fe = s->fe;
    const ph_csc *T = &s->shapes->T;
    ph_stiffen_load(fe, marker, c, s->work, s->f);
    if (s->shapes->frame == PH_FRAME_MEAN && !ph_rigid_relieve(&s->rigid, s->f))
        return 0;
    ph_csc_tmul(T, s->f, s->q);
    ph_factor_solve(s->shapes->factor, s->q);
    ph_csc_mul(T, s->q, s->u);
    for (int e = 0; e < fe->n_beams; e++) {
        const ph_fe_beam *b = &fe->beam[e];
        ph_vec3 d = ph_sub(ph_load3(s->u + 6 * b->node[1]), ph_load3(s->u + 6 * b->node[0]));
        N[e] = b->EA / b->length * ph_dot(ph_v3(b->R.xx, b->R.yx, b->R.zx), d);
    }
    return 1;
}

/* ---- matrices -------------------------------------------------------------------------------------- */

/* A = Psi_e^T G_e Psi_e of a unit force; Y: 12 x modes */
static void element_matrix(const ph_fe *fe, const ph_shapes *shapes, const ph_fe_beam *b, double *Y,
                           double *A)
{
    int n = shapes->modes, rows = ph_fe_size(fe);
    double G[144], P[12];
    ph_fe_beam_stress(1, b->length, G);
    ph_fe_beam_turn(&b->R, G);
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < n; k++) {
            const double *psi = shapes->Psi + (size_t)k * (size_t)rows;
            for (int i = 0; i < 12; i++)
                P[i] = psi[6 * b->node[i / 6] + i % 6];
            for (int i = 0; pass == 0 && i < 12; i++)
                Y[12 * k + i] = ph_inner(12, G + 12 * i, P);
            for (int j = 0; pass == 1 && j < n; j++)
                A[k * n + j] = ph_inner(12, P, Y + 12 * j);
        }
}

static void make_symmetric(int n, double *A)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            A[i * n + j] = A[j * n + i] = 0.5 * (A[i * n + j] + A[j * n + i]);
}

ph_status ph_stiffen(ph_pool *pool, const ph_fe *fe, const ph_shapes *shapes, const ph_patch *marker,
                     ph_reduced *r, ph_error *err)
{
    int n = r->modes, cases = PH_KG_MARKERS + 3 * r->n_markers;
    statics s;
    double *N = ph_pool_numbers(pool, (size_t)cases * (size_t)fe->n_beams),
           *A = ph_pool_numbers(pool, (size_t)(n * n)), *Y = ph_pool_numbers(pool, (size_t)(12 * n));
    int ok = N && A && Y && open_statics(pool, fe, shapes, &s);
    for (int c = 0; ok && c < cases; c++)
        ok = pull(&s, marker, c, N + (size_t)c * (size_t)fe->n_beams);
    if (!ok)
        return ph_fail(err, PH_E_MEMORY, "not enough memory for stress stiffness");
    for (int e = 0; e < fe->n_beams; e++) {
        element_matrix(fe, shapes, &fe->beam[e], Y, A);
        for (int c = 0; c < cases; c++)
            for (int i = 0; i < n * n; i++)
                r->KG[(size_t)c * (size_t)(n * n) + (size_t)i] +=
                    N[(size_t)c * (size_t)fe->n_beams + (size_t)e] * A[i];
    }
    for (int c = 0; c < cases; c++)
        make_symmetric(n, r->KG + (size_t)c * (size_t)(n * n));
    return PH_OK;
}
