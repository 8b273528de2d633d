/* Four nodes of SO(3) at once: the text of so3.h with a node in each lane of a vector. */
#include "lie/so3_batch.h"

#include "lie/batch_lanes.h"

void ph_so3_batch_move(const ph_batch *b, const double *q0, const double *x, const double *u, double *q1,
                       double *R, double *T, double *Tinv, double *Tu)
{
    ph_so3_moved m = ph_so3_move(quaternions(q0, b->q_at), vectors(x, b->v_at));
    ph_real q[4];
    ph_vec3 Tw = ph_mul(m.T, vectors(u, b->v_at));
    ph_quat_store(q, m.q);
    put4(q1, b->q_at, 0, q);
    put_matrices(R, b->R_at, ph_qmat(m.q));
    if (T)
        put_matrices(T, b->T_at, m.T);
    if (Tinv)
        put_matrices(Tinv, b->T_at, m.Tinv);
    put_vectors(Tu, b->v_at, Tw);
}

void ph_so3_batch_dT(const ph_batch *b, const double *x, const double *u, double *D)
{
    static const int each[4] = {0, 9, 18, 27};
    put_matrices(D, each, ph_so3_dT(vectors(x, b->v_at), vectors(u, b->v_at)));
}

void ph_so3_batch_L(const ph_batch *b, const double *x, const double *u, double s, const double *Tinv,
                    double *L)
{
    ph_mat3 D = ph_so3_dT(vectors(x, b->v_at), vectors(u, b->v_at));
    put_matrices(L, b->T_at, ph_mmul(one_and(s, D), nines(Tinv, b->T_at)));
}
