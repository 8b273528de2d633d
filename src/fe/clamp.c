/* How the frame of a body holds its nodes. */
#include "fe/clamp.h"

#include "fe/frame.h"

int ph_clamp_nodes(ph_pool *pool, const ph_fe *fe, int n, const ph_patch *patch, ph_csc *T)
{
    int rows = ph_fe_size(fe), columns = 0, *clamped = ph_pool_ints(pool, (size_t)fe->n_nodes);
    ph_triplets t;
    if (!clamped || !ph_triplets_open(pool, &t, rows))
        return 0;
    for (int k = 0; k < n; k++)
        for (int j = 0; j < patch[k].n; j++)
            clamped[patch[k].node[j]] = 1;
    for (int i = 0; i < rows; i++)
        if (!clamped[i / fe->dofs])
            ph_triplets_add(&t, i, columns++, 1);
    return ph_csc_build(pool, rows, columns, &t, T);
}

int ph_clamp_chord(ph_pool *pool, const ph_fe *fe, int a, int b, ph_csc *T)
{
    int rows = ph_fe_size(fe), columns = 0;
    ph_triplets t;
    ph_vec3 e = ph_sub(ph_load3(fe->X + 3 * b), ph_load3(fe->X + 3 * a));
    ph_mat3 R;
    if (!ph_triplets_open(pool, &t, rows + 9) || !ph_fe_axes(ph_scale(1 / ph_norm(e), e), ph_v3(0, 0, 0), &R))
        return 0;
    double axes[9];
    ph_store33(axes, R);
    for (int i = 0; i < rows; i++)
        if (i / 6 != a && !(i / 6 == b && i % 6 < 3))
            ph_triplets_add(&t, i, columns++, 1);
    for (int k = 0; k < 3; k++, columns++) /* b along the line, a about the two axes square to it */
        for (int i = 0; i < 3; i++)
            ph_triplets_add(&t, k == 0 ? 6 * b + i : 6 * a + 3 + i, columns, axes[3 * i + k]);
    return ph_csc_build(pool, rows, columns, &t, T);
}
