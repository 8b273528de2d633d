/* Loads whose functions read other bodies than the one they act on: their tangents have columns of these bodies. */
#include "mech/reach.h"

#include "mech/argument.h"

static int others(const ph_force_def *d, int *body)
{
    int n = 0;
    const ph_traced *t = d->f.traced;
    for (int k = 0; t && t->program && k < t->n_bodies; k++)
        if (t->body[k] != d->body[1]) {
            if (body)
                body[n] = t->body[k];
            n++;
        }
    return n;
}

size_t ph_reach_count(const ph_model *model)
{
    size_t n = 0;
    for (int k = 0; k < model->n_forces; k++)
        n += (size_t)others(&model->force[k], NULL);
    return n;
}

void ph_reach_list(ph_mechanism *m)
{
    const unsigned turns = PH_COUPLE(PH_FB, PH_XA) | PH_COUPLE(PH_FB, PH_FA);
    const unsigned all = turns | PH_COUPLE(PH_XB, PH_XA) | PH_COUPLE(PH_XB, PH_FA);
    for (int k = 0; k < m->model->n_forces; k++) {
        const ph_force_def *d = &m->model->force[k];
        const ph_traced *t = d->f.traced;
        ph_force *f = &m->force[k];
        f->reach = &m->reach[m->n_reach];
        for (int i = 0; t && t->program && i < t->n_bodies; i++)
            if (t->body[i] != d->body[1])
                m->reach[m->n_reach++] = (ph_reach){.body = {t->body[i], d->body[1]},
                                                    .couples = d->type == PH_F_TORQUE ? turns : all};
        f->n_reach = (int)(&m->reach[m->n_reach] - f->reach);
    }
}

static ph_status columns(const ph_force_site *site, const ph_reach *x, int what, const ph_put *p)
{
    return ph_load_by(site, x->body[0], what, PH_XA, p);
}

static int is_direct(const ph_mechanism *m, const ph_reach *x)
{
    return m->space->plain && !x->carried;
}

ph_status ph_reach_C(const ph_mechanism *m, const ph_state *s, const ph_force *f, const ph_force_site *site,
                     double *out)
{
    ph_status status = PH_OK;
    for (const ph_reach *x = f->reach, *end = x + f->n_reach; x < end && status == PH_OK; x++) {
        double local[144] = {0};
        if (is_direct(m, x)) {
            status = columns(site, x, PH_BY_SPEED, &(ph_put){out, x->K, 3, 0});
            continue;
        }
        status = columns(site, x, PH_BY_SPEED, &(ph_put){local, ph_local_pairs, 12, 0});
        if (status == PH_OK && x->carried)
            ph_carried_K(m, s, x->carried, local, NULL, NULL, out);
        else if (status == PH_OK)
            ph_space_C(m, s, x->body, x->K, local, NULL, out);
    }
    return status;
}

ph_status ph_reach_K(const ph_mechanism *m, const ph_state *s, const ph_force *f, const ph_force_site *site,
                     double *out)
{
    ph_status status = PH_OK;
    for (const ph_reach *x = f->reach, *end = x + f->n_reach; x < end && status == PH_OK; x++) {
        double K[144] = {0}, C[144] = {0};
        const ph_vec3 none[PH_SLOTS] = {{0}};
        if (is_direct(m, x)) {
            status = columns(site, x, PH_BY_PLACE, &(ph_put){out, x->K, 3, 0});
            continue;
        }
        status = columns(site, x, PH_BY_PLACE, &(ph_put){K, ph_local_pairs, 12, 0});
        if (status == PH_OK && !f->still)
            status = columns(site, x, PH_BY_SPEED, &(ph_put){C, ph_local_pairs, 12, 0});
        if (status == PH_OK && x->carried)
            ph_carried_K(m, s, x->carried, K, C, none, out);
        else if (status == PH_OK)
            ph_space_K(m, s, x->body, x->K, K, C, NULL, NULL, out);
    }
    return status;
}
