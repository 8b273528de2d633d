/* Energy that enters and leaves a mechanism.
 *
 *   E - E0 = int P dt - int D dt                                                                       (Y4)
 *   P = sum of f v over pairs of an effort f and a rate v: lambda and Phi_t of drives and functions of time, forces of
 *       the file and the velocities of their points, torques and angular velocities, efforts of actuators and the
 *       rates of their coordinates, and what bushings gain (Y6)
 *   D = v (g(v) - g(-v))/2 over springs, bushings, beams, actuators and friction: what is odd in the velocities is
 *       their damping, whatever their law                                                              (Y5)
 *
 * A run needs the pairs, and not only their sum, to find the work that a method sees (RB3). */
#include "mech/carry.h"
#include "mech/coordinate.h"

void ph_flow_add(ph_flow *flow, int n, const ph_port *pair)
{
    for (int i = 0; i < n; i++)
        flow->sum += pair[i].f * pair[i].v;
    for (int i = 0; i < n && flow->at; i++)
        *flow->at++ = pair[i];
}

/* ---- energy that enters ------------------------------------------------------------------------------ */

static int is_driven(const ph_mechanism *m, int k)
{
    return m->joint[m->unpinned[k]].drive >= 0;
}

/* B^T lambda on velocities with B v = -Phi_t, with the sign of the equation of motion. */
static void add_drive(const ph_mechanism *m, const ph_state *s, const ph_joint *j, ph_flow *given)
{
    ph_site site;
    double Phi_t[PH_ROWS_MAX] = {0};
    ph_port pair[PH_ROWS_MAX];
    int fails = ph_joint_site(m, s, j, 1, &site) != PH_OK;
    for (int i = 0; i < j->n_parts && !fails; i++) {
        site.pick = j->part[i].pick;
        if (j->part[i].op->Phi_t)
            j->part[i].op->Phi_t(&site, Phi_t + j->part[i].row);
    }
    for (int i = 0; i < j->rows; i++)
        pair[i] = (ph_port){s->lambda[j->l_at + i], fails ? NAN : Phi_t[i]};
    ph_flow_add(given, j->rows, pair);
}

static void add_source(const ph_force_site *x, const ph_force *f, ph_flow *given)
{
    ph_port pair[PH_PAIRS_MAX];
    if (f->op->pairs(x, pair) != PH_OK)
        pair[0].f = NAN;
    ph_flow_add(given, f->n_pairs, pair);
}

/* ---- energy that leaves ------------------------------------------------------------------------------ */

static void reverse(ph_kin *k)
{
    k->v = ph_scale(-1, k->v), k->w = ph_scale(-1, k->w);
}

/* Springs do not, nor do beams without damping, whose inertia depends on velocities too, nor what has no other source. */
static int dissipates(const ph_force *f)
{
    int damped = f->def && ph_force_is_beam(f->def) ? f->def->D6 != NULL : !f->still;
    int is_load = f->def && !f->op->energy;
    return !is_load && (damped || f->joint);
}

/* (Y5), slot by slot. x is left with reversed velocities. */
static void add_damper(ph_force_site *x, const ph_force *f, ph_flow *lost)
{
    ph_vec3 there[PH_SLOTS] = {{0}}, back[PH_SLOTS] = {{0}};
    const ph_vec3 v[PH_SLOTS] = {x->a.v, x->a.w, x->b.v, x->b.w};
    ph_port pair[3 * PH_SLOTS];
    ph_status s = f->op->g(x, there);
    reverse(&x->a), reverse(&x->b);
    if (s == PH_OK)
        s = f->op->g(x, back);
    for (int k = 0; k < PH_SLOTS; k++)
        ph_put_pairs(ph_scale(0.5, ph_sub(there[k], back[k])), v[k], pair + 3 * k);
    if (s != PH_OK)
        pair[0].f = NAN;
    ph_flow_add(lost, 3 * PH_SLOTS, pair);
}

static void add_modes(const ph_flex *f, const ph_state *s, ph_flow *lost)
{
    for (int i = 0, n = f->r->modes; i < n && f->r->Df; i++) {
        ph_port pair = {0, s->v[f->v + i]};
        for (int k = 0; k < n; k++)
            pair.f += f->r->Df[i * n + k] * s->v[f->v + k];
        ph_flow_add(lost, 1, &pair);
    }
}

/* ---- all --------------------------------------------------------------------------------------------- */

void ph_mechanism_flows(const ph_mechanism *m, const ph_state *s, ph_flow *given, ph_flow *lost)
{
    for (int k = 0; k < m->n_unpinned; k++)
        if (is_driven(m, k))
            add_drive(m, s, &m->joint[m->unpinned[k]], given);
    if (m->model->n_constraints)
        ph_user_flow(m, s, given);
    if (m->functions)
        ph_states_of(m, s, m->states);
    for (const ph_flex *f = m->flex, *end = f + m->n_flex; f < end; f++)
        add_modes(f, s, lost);
    for (const ph_force *f = m->force, *end = f + m->n_forces; f < end; f++) {
        ph_force_site x;
        if (!f->n_pairs && !dissipates(f))
            continue;
        ph_force_at(m, s, f, &x);
        if (f->n_pairs)
            add_source(&x, f, given);
        if (dissipates(f))
            add_damper(&x, f, lost);
    }
}

void ph_mechanism_count_pairs(const ph_mechanism *m, int *given, int *lost)
{
    *given = *lost = 0;
    for (int k = 0; k < m->n_unpinned; k++)
        *given += is_driven(m, k) ? m->joint[m->unpinned[k]].rows : 0;
    for (int k = 0; k < m->model->n_constraints; k++)
        *given += m->model->constraint[k].rows;
    for (int k = 0; k < m->n_flex; k++)
        *lost += m->flex[k].r->Df ? m->flex[k].r->modes : 0;
    for (const ph_force *f = m->force, *end = f + m->n_forces; f < end; f++)
        *given += f->n_pairs, *lost += dissipates(f) ? 3 * PH_SLOTS : 0;
}

double ph_mechanism_power(const ph_mechanism *m, const ph_state *s)
{
    ph_flow given = {0}, lost = {0};
    ph_mechanism_flows(m, s, &given, &lost);
    return given.sum;
}

double ph_mechanism_dissipation(const ph_mechanism *m, const ph_state *s)
{
    ph_flow given = {0}, lost = {0};
    ph_mechanism_flows(m, s, &given, &lost);
    return lost.sum;
}
