/* Energy that enters and leaves a mechanism.
 *
 *   E - E0 = int P dt - int D dt                                                                       (Y4)
 *   P = sum of lambda Phi_t over drives and functions of time, of -f v over forces and torques of the file, of
 *       effort times rate over actuators, and of what bushings gain on the way (Y6)
 *   D = v (g(v) - g(-v))/2 over springs, bushings, beams, actuators and friction: what is odd in the velocities is
 *       their damping, whatever their law                                                              (Y5) */
#include "mech/carry.h"
#include "mech/coordinate.h"

/* Power of B^T lambda on velocities with B v = -Phi_t, with the sign of the equation of motion. */
static double drive_power(const ph_mechanism *m, const ph_state *s, const ph_joint *j)
{
    ph_site site;
    double Phi_t[PH_ROWS_MAX] = {0}, P = 0;
    if (ph_joint_site(m, s, j, 1, &site) != PH_OK)
        return NAN;
    for (int i = 0; i < j->n_parts; i++) {
        site.pick = j->part[i].pick;
        if (j->part[i].op->Phi_t)
            j->part[i].op->Phi_t(&site, Phi_t + j->part[i].row);
    }
    for (int i = 0; i < j->rows; i++)
        P += s->lambda[j->l_at + i] * Phi_t[i];
    return P;
}

/* g v of a force, in physical coordinates. */
static double power_of(const ph_force_site *x, const ph_force *f, ph_status *status)
{
    ph_vec3 r[PH_SLOTS] = {{0}};
    *status = f->op->g(x, r);
    return ph_dot(r[PH_XA], x->a.v) + ph_dot(r[PH_FA], x->a.w) + ph_dot(r[PH_XB], x->b.v) +
           ph_dot(r[PH_FB], x->b.w);
}

static double actuator_power(const ph_force_site *x)
{
    ph_site site = {.j = x->f->along, .a = x->a, .b = x->b};
    return x->f->coordinate < 0 ? 0 : x->effort * ph_coordinate_rate(&site, x->f->coordinate);
}

/* A force or torque of the file: a source, of which nothing is stored. */
static int is_source(const ph_force *f)
{
    return f->def && !f->op->energy;
}

double ph_mechanism_power(const ph_mechanism *m, const ph_state *s)
{
    double P = 0;
    for (int k = 0; k < m->n_unpinned; k++)
        if (m->joint[m->unpinned[k]].drive >= 0)
            P += drive_power(m, s, &m->joint[m->unpinned[k]]);
    if (m->model->n_constraints)
        P += ph_user_power(m, s);
    if (m->functions)
        ph_states_of(m, s, m->states);
    for (const ph_force *f = m->force, *end = f + m->n_forces; f < end; f++) {
        ph_force_site x;
        ph_status status = PH_OK;
        if (!is_source(f) && !f->actuator && !f->op->gain)
            continue;
        ph_force_at(m, s, f, &x);
        P += f->actuator ? actuator_power(&x) : f->op->gain ? f->op->gain(&x) : -power_of(&x, f, &status);
        if (status != PH_OK)
            return NAN;
    }
    return P;
}

static void reverse(ph_kin *k)
{
    k->v = ph_scale(-1, k->v), k->w = ph_scale(-1, k->w);
}

int ph_mechanism_is_closed(const ph_mechanism *m)
{
    int drives = 0;
    for (int k = 0; k < m->n_unpinned; k++)
        drives += m->joint[m->unpinned[k]].drive >= 0;
    return !drives && !m->n_forces && !m->n_flex && !m->model->n_constraints;
}

/* Springs do not, nor do beams without damping, whose inertia depends on velocities too. */
static int dissipates(const ph_force *f)
{
    int damped = f->def && ph_force_is_beam(f->def) ? f->def->D6 != NULL : !f->still;
    return !is_source(f) && (damped || f->joint);
}

double ph_mechanism_dissipation(const ph_mechanism *m, const ph_state *s)
{
    double D = 0;
    for (const ph_flex *f = m->flex, *end = f + m->n_flex; f < end; f++)
        for (int i = 0, n = f->r->modes; i < n * n && f->r->Df; i++)
            D += s->v[f->v + i / n] * f->r->Df[i] * s->v[f->v + i % n];
    for (const ph_force *f = m->force, *end = f + m->n_forces; f < end; f++) {
        ph_force_site x;
        ph_status there, back;
        if (!dissipates(f))
            continue;
        ph_force_at(m, s, f, &x);
        double forwards = power_of(&x, f, &there);
        reverse(&x.a), reverse(&x.b);
        D += (forwards + power_of(&x, f, &back)) / 2;
        if (there != PH_OK || back != PH_OK)
            return NAN;
    }
    return D;
}
