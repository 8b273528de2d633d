/* Bodies of a compiled model, as elements see them. */
#ifndef PH_COMPILE_BODIES_H
#define PH_COMPILE_BODIES_H

PH_FN ph_quat ph_no_turn(void)
{
    ph_quat q = {ph_k(1), ph_k(0), ph_k(0), ph_k(0)};
    return q;
}

PH_FN ph_kin ph_kin_particle(const ph_real *x, const ph_real *v)
{
    ph_kin k = {ph_load3(x), ph_load3(v), ph_zero3(), ph_no_turn(), ph_one33()};
    return k;
}

PH_FN ph_kin ph_kin_ground(void)
{
    ph_kin k = {ph_zero3(), ph_zero3(), ph_zero3(), ph_no_turn(), ph_one33()};
    return k;
}

PH_FN ph_kin ph_kin_rigid(const ph_real *x, const ph_real *v, const ph_real *q, const ph_real *w)
{
    ph_quat p = ph_quat_load(q);
    ph_kin k = {ph_load3(x), ph_load3(v), ph_load3(w), p, ph_qmat(p)};
    return k;
}

/* The same where the node was moved in this step. */
PH_FN ph_kin ph_kin_moved(const ph_real *x, const ph_real *v, const ph_moved *m)
{
    ph_kin k = {ph_load3(x), ph_load3(v), m->v, m->q, m->R};
    return k;
}

/* Right-hand sides of systems at the start: (-g, -convective); (0, -Phi); (0, -rate); (0, B l) in holonomic rows, in all rows. */
enum { PH_ACCELERATIONS, PH_POSITIONS, PH_VELOCITIES, PH_LIFT, PH_GIVE_BACK };

PH_FN void ph_zeros(ph_real *a, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = ph_k(0);
}

#endif
