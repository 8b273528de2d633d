/* Flexible bodies whose stiffness under load is left out: how much softer they are.
 *
 *   spin = |Omega x e|^2/omega_1^2,   load = N/N_c,   N_c = m L omega_1^2/5                            (X25)
 *
 * e is the axis of least moment of inertia, L the length of a uniform bar with the other two, and N the
 * largest force along e that a joint, or inertia and weight, put on the body. N_c buckles a bar clamped at
 * one end whose lowest frequency is omega_1; one on two supports takes half of it. */
#include "mech/carry.h"

#define BUCKLING 5 /* 3.5160^2/(pi/2)^2 = 5.0103 */

/* The undeformed body as a bar. */
typedef struct bar {
    double m, length;
    ph_vec3 e; /* unit, body */
} bar;

/* The axis of the largest eigenvalue of tr(J) I - J by powers of it, each the square of the one before. */
static ph_vec3 long_axis(ph_mat3 J)
{
    double trace = J.xx + J.yy + J.zz;
    ph_mat3 A = ph_msub(ph_diag3(trace, trace, trace), J);
    for (int i = 0; i < 6; i++)
        A = ph_mscale(1 / (A.xx + A.yy + A.zz), A), A = ph_mmul(A, A);
    ph_vec3 best = ph_column(&A, 0);
    for (int k = 1; k < 3; k++)
        best = ph_norm(ph_column(&A, k)) > ph_norm(best) ? ph_column(&A, k) : best;
    return ph_scale(1 / ph_norm(best), best);
}

static bar bar_of(const ph_reduced *r)
{
    ph_vec3 c = ph_reduced_centre(r);
    double m = ph_reduced_mass(r);
    ph_mat3 J = ph_madd(ph_reduced_inertia(r), ph_mscale(m, ph_tilde2(c, c))); /* about the centre */
    bar b = {.m = m, .e = long_axis(J)};
    double across = (J.xx + J.yy + J.zz - ph_dot(b.e, ph_mul(J, b.e))) / 2;
    b.length = sqrt(12 * across / m);
    return b;
}

static int is_on(const ph_mechanism *m, int body, int flexible)
{
    return body >= 0 && m->body[body].flex == flexible;
}

/* The largest force along e, in the world, of a joint of the body */
static double pull_of_joints(const ph_mechanism *m, const ph_state *s, int flexible, ph_vec3 e)
{
    double most = 0;
    for (int k = 0; k < m->model->n_joints; k++) {
        const ph_joint_def *d = &m->model->joint[k];
        ph_vec3 force, torque;
        if (!is_on(m, d->body[0], flexible) && !is_on(m, d->body[1], flexible))
            continue;
        ph_mechanism_reaction(m, s, k, &force, &torque);
        most = fmax(most, fabs(ph_dot(force, e)));
    }
    return most;
}

int ph_mechanism_softening(const ph_mechanism *m, const ph_state *s, int flexible, double *spin, double *load)
{
    *spin = *load = 0;
    if (flexible < 0 || flexible >= m->n_flex)
        return 0;
    const ph_reduced *r = m->flex[flexible].r;
    if (r->KG || !r->omega || !(r->omega[0] > 0))
        return 1;
    bar b = bar_of(r);
    ph_modal_site site;
    ph_flex_site(m, s, &m->flex[flexible], 1, &site);
    ph_vec3 e = ph_mul(site.k.R, b.e), turn = ph_cross(site.k.w, b.e);
    double own = b.m * fabs(ph_dot(ph_sub(site.a, site.gravity), e)), omega2 = r->omega[0] * r->omega[0];
    *spin = ph_dot(turn, turn) / omega2;
    *load = fmax(own, pull_of_joints(m, s, flexible, e)) * BUCKLING / (b.m * b.length * omega2);
    return 1;
}
