/* The finite elements of a body that nothing holds. */
#include "fe/fe.h"

int ph_fe_size(const ph_fe *fe)
{
    return fe->dofs * fe->n_nodes;
}

int ph_fe_find(const ph_fe *fe, int id)
{
    for (int i = 0; i < fe->n_nodes; i++)
        if (fe->id[i] == id)
            return i;
    return -1;
}

void ph_fe_rigid(const ph_fe *fe, ph_vec3 o, int k, double *c)
{
    ph_vec3 e = ph_v3(k % 3 == 0, k % 3 == 1, k % 3 == 2), zero = ph_v3(0, 0, 0);
    for (int i = 0; i < fe->n_nodes; i++) {
        double *at = c + (size_t)i * (size_t)fe->dofs;
        ph_store3(at, k < 3 ? e : ph_cross(e, ph_sub(ph_load3(fe->X + 3 * i), o)));
        if (fe->dofs == 6)
            ph_store3(at + 3, k < 3 ? zero : e);
    }
}

void ph_fe_free(ph_fe *fe)
{
    ph_pool_free(&fe->pool);
    *fe = (ph_fe){0};
}
