/* Bodies at one instant, as elements see them. */
#include "mech/carry.h"
#include "mech/coordinate.h"

#include <string.h>

void ph_kin_fill(const ph_mechanism *m, const ph_state *s, int body, ph_kin *k)
{
    const ph_body *b = body < 0 ? NULL : &m->body[body];
    if (b && b->turns) {
        m->space->kin(s, b, k);
        return;
    }
    if (b && b->marker >= 0) {
        ph_flex_kin(m, s, b, k);
        return;
    }
    *k = (ph_kin){.q = {1, 0, 0, 0}, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    if (b)
        k->x = ph_load3(s->q + b->q[0]), k->v = ph_load3(s->v + b->v[0]);
}

ph_kin ph_kin_of(const ph_mechanism *m, const ph_state *s, int body)
{
    ph_kin k;
    ph_kin_fill(m, s, body, &k);
    return k;
}

void ph_states_of(const ph_mechanism *m, const ph_state *s, ph_body_state *out)
{
    for (int b = 0; b < m->model->n_bodies; b++) {
        ph_kin k = ph_kin_of(m, s, b);
        out[b] = (ph_body_state){.x = k.x, .v = k.v, .q = k.q, .omega = k.w};
    }
}

ph_status ph_joint_site(const ph_mechanism *m, const ph_state *s, const ph_joint *j, int level, ph_site *site)
{
    site->j = j;
    ph_kin_fill(m, s, j->body[0], &site->a);
    ph_kin_fill(m, s, j->body[1], &site->b);
    if (j->drive >= 0)
        return ph_drive_of(m, j, s->t, level, site->f);
    site->f[0] = site->f[1] = site->f[2] = 0;
    return PH_OK;
}

static void set_actuator(const ph_mechanism *m, const ph_state *s, const ph_force *f, ph_force_site *site)
{
    const ph_actuator_def *d = f->actuator;
    ph_site at = {.j = f->along, .a = site->a, .b = site->b};
    int k = f->coordinate;
    double u = d->input >= 0 ? ph_mechanism_input(m, d->input, s->t) : d->effort;
    site->status = d->f.call ? ph_effort_value(m, s, &d->f, &u) : PH_OK;
    site->effort = m->load * u, site->turns = 0;
    if (ph_is_angle(k) && ph_actuator_reads_value(d))
        site->turns =
            ph_mechanism_turns(m, f->along, k, ph_coordinate_value(&at, k), ph_coordinate_rate(&at, k), s->t);
}

void ph_force_at(const ph_mechanism *m, const ph_state *s, const ph_force *f, ph_force_site *site)
{
    site->f = f, site->body_axes = 0;
    ph_kin_fill(m, s, f->body[0], &site->a);
    ph_kin_fill(m, s, f->body[1], &site->b);
    site->t = s->t, site->load = m->load;
    site->lambda = f->joint && s->lambda ? s->lambda + f->joint->l_at : NULL;
    site->bodies = m->functions ? m->states : NULL;
    site->m = m, site->s = s;
    if (f->actuator)
        set_actuator(m, s, f, site);
    if (!f->op->M)
        return;
    site->gravity = ph_scale(m->load, m->model->gravity);
    memset(site->acc, 0, sizeof site->acc);
    if (!m->space->plain)
        ph_space_rest(m, s, f->body, site->acc);
}

void ph_force_accelerate(const ph_mechanism *m, const ph_state *s, ph_force_site *site)
{
    for (int side = 0; side < 2; side++)
        if (site->f->body[side] >= 0) /* particles have no such forces */
            m->space->acceleration(s, &m->body[site->f->body[side]], &site->acc[2 * side],
                                   &site->acc[2 * side + 1]);
}
