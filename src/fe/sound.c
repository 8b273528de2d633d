/* Whether finite elements make sense. */
#include "fe/sound.h"

#include <string.h>

#include "fe/eigen.h"
#include "fe/rigid.h"
#include "la/small.h"

#define DEPENDENT 1e-10 /* squared sine of the angle between a mode and the others, in the sense of M */

static ph_status no_memory(ph_error *err)
{
    return ph_fail(err, PH_E_MEMORY, "not enough memory to check finite elements");
}

/* Rigid motions about the first node, so that round-off does not grow with the distance of the origin. */
static ph_status check_stiffness(ph_pool *pool, const ph_fe *fe, ph_fe_sound *out, ph_error *err)
{
    static const char *const words[6] = {"moving it along x",  "moving it along y",  "moving it along z",
                                         "turning it about x", "turning it about y", "turning it about z"};
    int rows = ph_fe_size(fe);
    double *c = ph_pool_numbers(pool, (size_t)rows), *y = ph_pool_numbers(pool, (size_t)rows),
           size = ph_csc_max(&fe->K);
    if (!c || !y)
        return no_memory(err);
    if (!(size > 0) || !isfinite(size))
        return ph_fail(err, PH_E_INPUT, "%s: the stiffness is zero or not finite", fe->label[1]);
    for (int k = 0; k < 6; k++) {
        int worst = 0;
        ph_fe_rigid(fe, ph_load3(fe->X), k, c);
        ph_csc_mul(&fe->K, c, y);
        for (int i = 0; i < rows; i++)
            worst = !(fabs(y[i]) <= fabs(y[worst])) ? i : worst;
        double strain = fabs(y[worst]) / (size * ph_small_max(rows, c));
        out->strain = ph_larger(out->strain, strain);
        if (!(strain <= PH_FE_RIGID))
            return ph_fail(err, PH_E_INPUT,
                           "%s: the stiffness is not that of a body that nothing holds: %s gives forces "
                           "(relative %.1e, most "
                           "at node %d, component %d)",
                           fe->label[1], words[k], strain, fe->id[worst / fe->dofs], worst % fe->dofs + 1);
    }
    return PH_OK;
}

static ph_status check_isotropy(ph_pool *pool, const ph_fe *fe, ph_fe_sound *out, ph_error *err)
{
    int rows = ph_fe_size(fe);
    size_t N = (size_t)rows;
    double *Phi = ph_pool_numbers(pool, 4 * N), A[9];
    if (!Phi)
        return no_memory(err);
    for (int k = 0; k < 3; k++)
        ph_fe_rigid(fe, ph_v3(0, 0, 0), k, Phi + (size_t)k * N);
    for (int b = 0; b < 3; b++) {
        ph_csc_mul(&fe->M, Phi + (size_t)b * N, Phi + 3 * N);
        for (int a = 0; a < 3; a++)
            A[3 * a + b] = ph_inner(rows, Phi + (size_t)a * N, Phi + 3 * N);
    }
    double m = out->mass = (A[0] + A[4] + A[8]) / 3;
    if (!(m > 0))
        return ph_fail(err, PH_E_INPUT, "%s: the mass is %g kg", fe->label[0], m);
    for (int i = 0; i < 9; i++)
        out->isotropy = ph_larger(out->isotropy, fabs(A[i] - (i % 4 == 0 ? m : 0)) / m);
    if (!(out->isotropy <= PH_FE_RIGID))
        return ph_fail(err, PH_E_INPUT,
                       "%s: the mass depends on the direction: %g, %g, %g kg along x, y, z (are rows and "
                       "nodes in the same "
                       "order?)",
                       fe->label[0], A[0], A[4], A[8]);
    return PH_OK;
}

static ph_status check_definite(const ph_fe *fe, ph_factor_kind kind, ph_error *err)
{
    ph_factor *f;
    int row;
    ph_status s = ph_factor_create(&f, &fe->M, kind, fe->pool.alloc, &row, err);
    ph_factor_destroy(f);
    if (s != PH_E_SINGULAR)
        return s;
    return ph_fail(err, PH_E_INPUT,
                   "%s: the mass matrix is not positive definite: it shows at node %d, component %d%s",
                   fe->label[0], fe->id[row / fe->dofs], row % fe->dofs + 1,
                   row % fe->dofs >= 3 ? " (a node without rotary inertia?)" : "");
}

ph_status ph_fe_sound_check(const ph_fe *fe, ph_factor_kind kind, ph_fe_sound *out, ph_error *err)
{
    ph_pool pool = {.alloc = fe->pool.alloc};
    *out = (ph_fe_sound){.nodes = fe->n_nodes, .rows = ph_fe_size(fe)};
    ph_status s = check_stiffness(&pool, fe, out, err);
    if (s == PH_OK)
        s = check_isotropy(&pool, fe, out, err);
    if (s == PH_OK)
        s = check_definite(fe, kind, err);
    ph_pool_free(&pool);
    return s;
}

/* ---- modes ----------------------------------------------------------------------------------------- */

/* What is left of each mode without its rigid motion. */
static ph_status check_rigid(ph_pool *pool, const ph_fe *fe, int n, const double *Psi, double *left,
                             const char *label, ph_error *err)
{
    int rows = ph_fe_size(fe);
    size_t N = (size_t)rows;
    ph_rigid_moves rigid;
    double *y = ph_pool_numbers(pool, N);
    if (!y)
        return no_memory(err);
    memcpy(left, Psi, sizeof(double) * N * (size_t)n);
    if (!ph_rigid_make(pool, fe, &rigid))
        return no_memory(err);
    for (int k = 0; k < n; k++) {
        const double *psi = Psi + (size_t)k * N;
        double *l = left + (size_t)k * N;
        ph_csc_mul(&fe->M, psi, y);
        double all = ph_inner(rows, psi, y);
        if (!ph_rigid_strip(&rigid, l))
            return ph_fail(err, PH_E_INPUT, "%s: all nodes are on a line without rotary inertia",
                           fe->label[0]);
        ph_csc_mul(&fe->M, l, y);
        double rest = ph_inner(rows, l, y);
        if (!(all > 0) || !(rest > DEPENDENT * all))
            return ph_fail(err, PH_E_INPUT, "%s: mode %d is %s", label, k + 1,
                           all > 0 ? "a rigid motion, which the frame of the body has already" : "zero");
        for (size_t i = 0; i < N; i++)
            l[i] /= sqrt(rest);
    }
    return PH_OK;
}

ph_status ph_fe_sound_modes(const ph_fe *fe, int n, const double *Psi, const char *label, ph_error *err)
{
    ph_pool pool = {.alloc = fe->pool.alloc};
    int rows = ph_fe_size(fe);
    size_t N = (size_t)rows;
    double *left = ph_pool_numbers(&pool, N * (size_t)n), *A = ph_pool_numbers(&pool, (size_t)(n * n)),
           *value = ph_pool_numbers(&pool, (size_t)n), *y = ph_pool_numbers(&pool, N);
    ph_status s = left && A && value && y ? check_rigid(&pool, fe, n, Psi, left, label, err) : no_memory(err);
    if (s == PH_OK)
        ph_csc_project(&fe->M, n, left, y, A);
    if (s == PH_OK)
        s = ph_eigen_dense(n, A, NULL, value, pool.alloc, err);
    if (s == PH_OK && !(value[0] > DEPENDENT)) {
        int worst = 0; /* which the dependency is most about */
        for (int k = 0; k < n; k++)
            worst = fabs(A[k]) > fabs(A[worst]) ? k : worst;
        s = ph_fail(err, PH_E_INPUT, "%s: mode %d is a combination of the others and rigid motions", label,
                    worst + 1);
    }
    ph_pool_free(&pool);
    return s;
}
