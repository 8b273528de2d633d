/* From the words of the model to a force. */
#include "mech/mech.h"

#include "lie/so3.h"

static int names_body(const ph_model *model, int body)
{
    return body >= 0 && body < model->n_bodies;
}

/* The initial point of a body. */
static ph_vec3 point_of(const ph_model *model, int body, ph_vec3 s)
{
    return body < 0 ? s : ph_add(model->body[body].x, ph_quat_rotate(model->body[body].R, s));
}

static ph_quat rotation_of(const ph_model *model, int body)
{
    return body < 0 ? (ph_quat){1, 0, 0, 0} : model->body[body].R;
}

static ph_status check(const ph_model *model, const ph_force_def *d, ph_error *err)
{
    const char *name = d->name ? d->name : "";
    const ph_force_row *row = ph_force_row_of(d);
    int two = (row->keys & PH_KEY_BODIES) != 0;
    for (int side = !two; side < 2; side++)
        if (d->body[side] != PH_GROUND && !names_body(model, d->body[side]))
            return ph_mech_fail(err, PH_E_INPUT, model, d->origin, "force '%s': there is no body %d", name,
                                d->body[side]);
    if (two ? d->body[0] == d->body[1] : d->body[1] == PH_GROUND)
        return ph_mech_fail(err, PH_E_INPUT, model, d->origin, "force '%s': acts on nothing that can move",
                            name);
    for (int side = !two; side < 2; side++)
        if (row->op->turns && d->body[side] >= 0 && model->body[d->body[side]].particle)
            return ph_mech_fail(err, PH_E_INPUT, model, d->origin,
                                "force '%s': the particle '%s' cannot turn", name,
                                model->body[d->body[side]].name);
    return PH_OK;
}

ph_status ph_force_make(const ph_model *model, int def, ph_force *out, ph_error *err)
{
    const ph_force_def *d = &model->force[def];
    ph_status s = check(model, d, err);
    if (s != PH_OK)
        return s;
    const ph_force_row *row = ph_force_row_of(d);
    *out = (ph_force){.op = row->op,
                      .def = d,
                      .sa = d->at_a,
                      .sb = d->at_b,
                      .n_pairs = row->op->n_pairs,
                      .couples = row->op->couples ? row->op->couples(d) : PH_COUPLE_ALL,
                      .still = row->op->still ? row->op->still(d) : !row->op->C};
    out->body[0] = row->keys & PH_KEY_BODIES ? d->body[0] : PH_GROUND;
    out->body[1] = d->body[1];
    return row->op->make ? row->op->make(model, out, err) : PH_OK;
}

int ph_force_undamped(const ph_force_def *d)
{
    return d->d == 0;
}

ph_status ph_force_span(const ph_model *model, ph_force *out, ph_error *err)
{
    (void)err;
    ph_vec3 span = ph_sub(point_of(model, out->body[1], out->sb), point_of(model, out->body[0], out->sa));
    out->length = isnan(out->def->length) ? ph_norm(span) : out->def->length;
    out->rest = ph_qmul(ph_quat_conj(rotation_of(model, out->body[0])), rotation_of(model, out->body[1]));
    return PH_OK;
}
