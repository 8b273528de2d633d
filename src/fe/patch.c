/* Patches of nodes. Without rotations at the nodes, th of a patch is the turn that fits their displacements
 * best:
 *   th = (sum_j |y_j|^2 I - y_j y_j^T)^-1 sum_j y_j x u_j,  y_j = X_j - X                             (X5) */
#include "fe/patch.h"

#define ON_LINE 1e-9 /* relative determinant below which nodes are on a line */

static ph_status find_nodes(ph_pool *pool, const ph_fe *fe, const char *what, int n, const int *id,
                            ph_patch *out, ph_error *err)
{
    int *node = ph_pool_ints(pool, (size_t)n);
    if (!node)
        return ph_fail(err, PH_E_MEMORY, "not enough memory for %d nodes", n);
    out->n = n, out->node = node, out->X = ph_v3(0, 0, 0);
    for (int k = 0; k < n; k++) {
        node[k] = ph_fe_find(fe, id[k]);
        if (node[k] < 0)
            return ph_fail(err, PH_E_INPUT, "%s: there is no node %d", what, id[k]);
        for (int j = 0; j < k; j++)
            if (node[j] == node[k])
                return ph_fail(err, PH_E_INPUT, "%s: node %d is there twice", what, id[k]);
        out->X = ph_add(out->X, ph_scale(1.0 / n, ph_load3(fe->X + 3 * node[k])));
    }
    return PH_OK;
}

ph_status ph_patch_make(ph_pool *pool, const ph_fe *fe, const char *what, const char *name, int n,
                        const int *id, ph_patch *out, ph_error *err)
{
    *out = (ph_patch){.name = name};
    ph_status s = find_nodes(pool, fe, what, n, id, out, err);
    if (s != PH_OK || fe->dofs == 6)
        return s;
    ph_mat3 A = {0};
    for (int k = 0; k < n; k++) {
        ph_vec3 y = ph_sub(ph_load3(fe->X + 3 * out->node[k]), out->X);
        double yy = ph_dot(y, y);
        A = ph_madd(A, ph_msub(ph_diag3(yy, yy, yy), ph_outer(y, y)));
    }
    double size = (A.xx + A.yy + A.zz) / 3;
    double det = ph_dot(ph_v3(A.xx, A.xy, A.xz), ph_cross(ph_v3(A.yx, A.yy, A.yz), ph_v3(A.zx, A.zy, A.zz)));
    if (!(det > ON_LINE * size * size * size))
        return ph_fail(err, PH_E_INPUT,
                       "%s: its nodes have no rotations, and fewer than 3 of them, or all on a line, "
                       "cannot tell one",
                       what);
    out->A = ph_minv(A);
    return PH_OK;
}

void ph_patch_mean(const ph_fe *fe, const ph_patch *p, const double *c, ph_vec3 *u, ph_vec3 *th)
{
    ph_vec3 turn = ph_v3(0, 0, 0);
    *u = ph_v3(0, 0, 0);
    for (int k = 0; k < p->n; k++) {
        const double *at = c + (size_t)p->node[k] * (size_t)fe->dofs;
        ph_vec3 y = ph_sub(ph_load3(fe->X + 3 * p->node[k]), p->X), ui = ph_load3(at);
        *u = ph_add(*u, ph_scale(1.0 / p->n, ui));
        turn = ph_add(turn, fe->dofs == 6 ? ph_scale(1.0 / p->n, ph_load3(at + 3)) : ph_cross(y, ui));
    }
    *th = fe->dofs == 6 ? turn : ph_mul(p->A, turn);
}

void ph_patch_force(const ph_fe *fe, const ph_patch *p, ph_vec3 F, double *f)
{
    for (int k = 0; k < p->n; k++) {
        double *at = f + (size_t)p->node[k] * (size_t)fe->dofs;
        ph_store3(at, ph_add(ph_load3(at), ph_scale(1.0 / p->n, F)));
    }
}
