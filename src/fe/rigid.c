/* Rigid motions of finite elements, and what is left without them. */
#include "fe/rigid.h"

#include <string.h>

#include "la/small.h"

int ph_rigid_make(ph_pool *pool, const ph_fe *fe, ph_rigid_moves *out)
{
    size_t rows = (size_t)ph_fe_size(fe);
    *out = (ph_rigid_moves){.rows = (int)rows, .Phi = ph_pool_numbers(pool, 6 * rows)};
    out->MPhi = ph_pool_numbers(pool, 6 * rows);
    if (!out->Phi || !out->MPhi)
        return 0;
    for (int k = 0; k < 6; k++) {
        ph_fe_rigid(fe, ph_v3(0, 0, 0), k, out->Phi + (size_t)k * rows);
        ph_csc_mul(&fe->M, out->Phi + (size_t)k * rows, out->MPhi + (size_t)k * rows);
    }
    for (int i = 0; i < 36; i++)
        out->A[i] =
            ph_inner((int)rows, out->Phi + (size_t)(i / 6) * rows, out->MPhi + (size_t)(i % 6) * rows);
    return 1;
}

/* x -= to A^-1 from^T x */
static int remove_part(const ph_rigid_moves *r, const double *from, const double *to, double *x)
{
    size_t rows = (size_t)r->rows;
    double A[36], b[6];
    memcpy(A, r->A, sizeof A);
    for (int k = 0; k < 6; k++)
        b[k] = ph_inner(r->rows, from + (size_t)k * rows, x);
    if (!ph_small_solve(6, 1, A, b))
        return 0;
    for (int k = 0; k < 6; k++)
        for (size_t i = 0; i < rows; i++)
            x[i] -= b[k] * to[(size_t)k * rows + i];
    return 1;
}

int ph_rigid_strip(const ph_rigid_moves *r, double *c)
{
    return remove_part(r, r->MPhi, r->Phi, c);
}

int ph_rigid_relieve(const ph_rigid_moves *r, double *f)
{
    return remove_part(r, r->Phi, r->MPhi, f);
}
