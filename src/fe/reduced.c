/* A flexible body reduced to a few modes: its memory, and what it is as a rigid body. */
#include "fe/reduced.h"

#include <string.h>

#include "base/base.h"

/* One block: the record, its markers, all numbers, all names. */
ph_reduced *ph_reduced_create(const ph_allocator *alloc, int modes, int n_markers, int kg)
{
    size_t n = (size_t)modes, m = (size_t)n_markers, size = 6 + 4 * n;
    size_t numbers = size * size + 2 * n * n + n + 6 * n * m + (kg ? (PH_KG_MARKERS + 3 * m) * n * n : 0);
    size_t bytes = sizeof(ph_reduced) + m * sizeof(ph_marker) + numbers * sizeof(double) + m * PH_MARKER_NAME;
    ph_reduced *r = ph_alloc(alloc, bytes);
    if (!r)
        return NULL;
    memset(r, 0, bytes);
    r->modes = modes, r->n_markers = n_markers;
    r->marker = (ph_marker *)(void *)(r + 1);
    double *x = (double *)(void *)(r->marker + m);
    r->calM = x, x += size * size;
    r->Kf = x, x += n * n;
    r->Df = x, x += n * n;
    r->omega = x, x += n;
    for (size_t k = 0; k < m; k++) {
        r->marker[k].Psi = x, x += 3 * n;
        r->marker[k].Th = x, x += 3 * n;
    }
    if (kg)
        r->KG = x, x += (PH_KG_MARKERS + 3 * m) * n * n;
    for (size_t k = 0; k < m; k++)
        r->marker[k].name = (char *)x + k * PH_MARKER_NAME;
    return r;
}

void ph_reduced_free(const ph_allocator *alloc, ph_reduced *r)
{
    ph_free(alloc, r);
}

double ph_reduced_mass(const ph_reduced *r)
{
    return r->calM[0];
}

/* calM of moves and turns is -m tilde(chi) */
ph_vec3 ph_reduced_centre(const ph_reduced *r)
{
    size_t n = (size_t)(6 + 4 * r->modes);
    const double *A = r->calM;
    return ph_scale(1 / A[0], ph_v3(A[n + 5], A[3 + 2 * n], A[4]));
}

ph_mat3 ph_reduced_inertia(const ph_reduced *r)
{
    size_t n = (size_t)(6 + 4 * r->modes);
    const double *A = r->calM + 3 * n + 3;
    return (ph_mat3){A[0], A[1], A[2], A[n], A[n + 1], A[n + 2], A[2 * n], A[2 * n + 1], A[2 * n + 2]};
}
