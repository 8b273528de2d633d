/* The kinds of forces, and from the words of the model to an element. */
#include "mech/mech.h"

#include "lie/so3.h"

typedef struct kind {
    const ph_force_ops *op;
    int turns; /* acts on rotations: particles have none */
} kind;

static const kind kinds[PH_FORCE_COUNT] = {
    [PH_F_SPRING] = {&ph_force_spring, 0},   [PH_F_BUSHING] = {&ph_force_bushing, 0},
    [PH_F_TORSION] = {&ph_force_torsion, 1}, [PH_F_FORCE] = {&ph_force_point, 0},
    [PH_F_TORQUE] = {&ph_force_torque, 1},   [PH_F_BEAM] = {&ph_force_beam, 1},
};

/* A function looks at the states of bodies, this deep or deeper. */
static int reads(const ph_function *f, int depth)
{
    return f->call && !f->only_time && (ph_function_is_untraced(f) || f->traced->depth >= depth);
}

/* Blocks of a force on one body: what depends on what. */
static unsigned couples_of(const ph_force_def *d)
{
    const unsigned on_x = PH_COUPLE(PH_XB, PH_FB), on_phi = PH_COUPLE(PH_FB, PH_FB);
    const unsigned states_x = PH_COUPLE(PH_XB, PH_XB) | on_x, states_phi = PH_COUPLE(PH_FB, PH_XB) | on_phi;
    int reads_state = reads(&d->f, PH_SEEN_PLACE);
    int arm = d->at_b.x != 0 || d->at_b.y != 0 || d->at_b.z != 0;
    switch (d->type) {
    case PH_F_SPRING:
    case PH_F_BUSHING:
    case PH_F_BEAM:
        return PH_COUPLE_ALL;
    case PH_F_FORCE:
        if (reads_state)
            return states_x | states_phi;
        return d->in_body ? on_x : arm ? on_phi : 0;
    case PH_F_TORQUE:
        return reads_state ? states_phi : on_phi;
    default:
        return on_phi;
    }
}

static int is_zero(ph_vec3 a)
{
    return a.x == 0 && a.y == 0 && a.z == 0;
}

/* It does not depend on velocities. */
static int is_still(const ph_force_def *d)
{
    switch (d->type) {
    case PH_F_BUSHING:
        return is_zero(d->d3) && is_zero(d->dr3);
    case PH_F_BEAM:
        return !d->D6 && !d->M6;
    case PH_F_FORCE:
    case PH_F_TORQUE:
        return !reads(&d->f, PH_SEEN_SPEED);
    default:
        return d->d == 0;
    }
}

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

static int joins_two(int type)
{
    return type == PH_F_SPRING || type == PH_F_BUSHING || type == PH_F_BEAM;
}

static ph_status check(const ph_model *model, const ph_force_def *d, ph_error *err)
{
    int two = joins_two(d->type);
    const char *name = d->name ? d->name : "";
    if (d->type < 0 || d->type >= PH_FORCE_COUNT)
        return ph_mech_fail(err, PH_E_INPUT, model, d->origin, "force '%s': there is no such type", name);
    for (int side = !two; side < 2; side++)
        if (d->body[side] != PH_GROUND && !names_body(model, d->body[side]))
            return ph_mech_fail(err, PH_E_INPUT, model, d->origin, "force '%s': there is no body %d", name,
                                d->body[side]);
    if (two ? d->body[0] == d->body[1] : d->body[1] == PH_GROUND)
        return ph_mech_fail(err, PH_E_INPUT, model, d->origin, "force '%s': acts on nothing that can move",
                            name);
    for (int side = !two; side < 2; side++)
        if (kinds[d->type].turns && d->body[side] >= 0 && model->body[d->body[side]].particle)
            return ph_mech_fail(err, PH_E_INPUT, model, d->origin,
                                "force '%s': the particle '%s' cannot turn", name,
                                model->body[d->body[side]].name);
    for (int side = 0; side < 2 && d->type == PH_F_BEAM && d->M6; side++)
        if (d->body[side] >= 0 && model->body[d->body[side]].marker)
            return ph_mech_fail(
                err, PH_E_INPUT, model, d->origin,
                "force '%s': a beam element with mass cannot end at the marker '%s'; fix a body "
                "to it with a joint",
                name, model->body[d->body[side]].name);
    if (d->type == PH_F_BEAM && !d->K6)
        return ph_mech_fail(err, PH_E_INPUT, model, d->origin, "force '%s': its section has no stiffness",
                            name);
    return PH_OK;
}

/* m, m c and J of [m I, -m tilde(c); m tilde(c), J], times the length. */
static void weigh(const double *M6, ph_force *out)
{
    double L = out->length;
    const double *J = M6 + 21;
    out->mass = L * M6[0];
    out->moment = ph_scale(L, ph_v3(M6[11], M6[15], M6[4]));
    out->J = ph_mscale(L, (ph_mat3){J[0], J[1], J[2], J[6], J[7], J[8], J[12], J[13], J[14]});
}

/* The reference of a beam element; |u| of d0 = (u, w) is the length of its arc. */
static ph_status unstressed(const ph_model *model, const ph_force_def *d, ph_force *out, ph_error *err)
{
    const ph_body_def *end[2];
    for (int side = 0; side < 2; side++)
        end[side] = d->body[side] < 0 ? NULL : &model->body[d->body[side]];
    ph_beam_reference(end[0], end[1], out->d0);
    out->length = isnan(d->length) ? ph_norm(ph_load3(out->d0)) : d->length;
    if (!(out->length > 0))
        return ph_mech_fail(err, PH_E_INPUT, model, d->origin, "force '%s': its ends are the same point",
                            d->name ? d->name : "");
    if (d->M6) {
        weigh(d->M6, out);
        out->op = &ph_force_beam_mass;
    }
    return PH_OK;
}

ph_status ph_force_make(const ph_model *model, int def, ph_force *out, ph_error *err)
{
    const ph_force_def *d = &model->force[def];
    ph_status s = check(model, d, err);
    if (s != PH_OK)
        return s;
    *out = (ph_force){.op = kinds[d->type].op,
                      .def = d,
                      .sa = d->at_a,
                      .sb = d->at_b,
                      .couples = couples_of(d),
                      .still = is_still(d)};
    int two = joins_two(d->type);
    out->body[0] = two ? d->body[0] : PH_GROUND;
    out->body[1] = d->body[1];
    if (d->type == PH_F_BEAM)
        return unstressed(model, d, out, err);
    if (!two)
        return PH_OK;
    ph_vec3 span = ph_sub(point_of(model, out->body[1], out->sb), point_of(model, out->body[0], out->sa));
    out->length = isnan(d->length) ? ph_norm(span) : d->length;
    out->rest = ph_qmul(ph_quat_conj(rotation_of(model, out->body[0])), rotation_of(model, out->body[1]));
    return PH_OK;
}
