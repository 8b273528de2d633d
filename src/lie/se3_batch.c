/* Four nodes of SE(3) at once: the text of se3.h with a node in each lane of a vector. */
#include "lie/se3_batch.h"

#include "lie/batch_lanes.h"
#include "lie/se3.h"

/* The numbers of [A B; 0 A] to each node, row by row */
PH_FN void put_dual(double *p, const int at[4], ph_mat3 A, ph_mat3 B)
{
    ph_real n[36];
    ph_dual_numbers(A, B, n);
    put_numbers(p, at, 36, n);
}

/* A and B of each node */
PH_FN void duals(const double *p, const int at[4], ph_mat3 *A, ph_mat3 *B)
{
    ph_real n[18];
    numbers(p, at, 16, n), n[16] = number(p, at, 16), n[17] = number(p, at, 17);
    *A = (ph_mat3){n[0], n[1], n[2], n[6], n[7], n[8], n[12], n[13], n[14]};
    *B = (ph_mat3){n[3], n[4], n[5], n[9], n[10], n[11], n[15], n[16], n[17]};
}

/* a.x + b.y, in the order of ph_upper_apply_add */
PH_FN ph_real dot6(ph_vec3 a, ph_vec3 b, ph_vec3 x, ph_vec3 y)
{
    return ph_k(0) + ((a.x * x.x + b.x * y.x) + (a.y * x.y + b.y * y.y) + (a.z * x.z + b.z * y.z));
}

/* A x + B y */
PH_FN ph_vec3 mul6(ph_mat3 A, ph_mat3 B, ph_vec3 x, ph_vec3 y)
{
    return ph_v3(dot6(ph_v3(A.xx, A.xy, A.xz), ph_v3(B.xx, B.xy, B.xz), x, y),
                 dot6(ph_v3(A.yx, A.yy, A.yz), ph_v3(B.yx, B.yy, B.yz), x, y),
                 dot6(ph_v3(A.zx, A.zy, A.zz), ph_v3(B.zx, B.zy, B.zz), x, y));
}

void ph_se3_batch_move(const ph_batch *b, const double *q0, const double *x, const double *u, double *q1,
                       double *R, double *T, double *Tinv, double *Tu)
{
    const int turn[4] = {b->q_at[0] + 3, b->q_at[1] + 3, b->q_at[2] + 3, b->q_at[3] + 3};
    ph_vec3 U, w, V, omega;
    twists(x, b->v_at, &U, &w), twists(u, b->v_at, &V, &omega);
    ph_se3_moved m = ph_se3_move(vectors(q0, b->q_at), quaternions(q0, turn), U, w);
    ph_real q[4];
    put_vectors(q1, b->q_at, m.x);
    ph_quat_store(q, m.q);
    put4(q1, turn, 0, q);
    put_matrices(R, b->R_at, ph_qmat(m.q));
    if (T)
        put_dual(T, b->T_at, m.T0, m.T1);
    if (Tinv)
        put_dual(Tinv, b->T_at, m.Tinv0, m.Tinv1);
    put_twists(Tu, b->v_at, mul6(m.T0, m.T1, V, omega), ph_add(ph_zero3(), ph_mul(m.T0, omega)));
}

void ph_se3_batch_dT(const ph_batch *b, const double *x, const double *u, double *D)
{
    static const int each[4] = {0, 36, 72, 108};
    ph_vec3 U, w, V, omega;
    ph_mat3 J0, J1;
    twists(x, b->v_at, &U, &w), twists(u, b->v_at, &V, &omega);
    ph_se3_slope(U, w, V, omega, &J0, &J1);
    put_dual(D, each, J0, J1);
}

void ph_se3_batch_L(const ph_batch *b, const double *x, const double *u, double s, const double *Tinv,
                    double *L)
{
    ph_vec3 U, w, V, omega;
    ph_mat3 J0, J1, T0, T1;
    twists(x, b->v_at, &U, &w), twists(u, b->v_at, &V, &omega);
    ph_se3_slope(U, w, V, omega, &J0, &J1);
    duals(Tinv, b->T_at, &T0, &T1);
    ph_mat3 D0 = one_and(s, J0), D1 = ph_mscale(ph_k(s), J1);
    put_dual(L, b->T_at, ph_mmul(D0, T0), ph_madd(ph_mmul(D0, T1), ph_mmul(D1, T0)));
}
