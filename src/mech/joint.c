/* From the words of the model to a joint: its rows, from the recipe of its type. */
#include "mech/coordinate.h"

#include <stdarg.h>
#include <stdio.h>

#include "lie/so3.h"

ph_status ph_mech_fail(ph_error *err, ph_status s, const ph_model *model, ph_origin at, const char *format,
                       ...)
{
    char text[400];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    if (model->file && at.line > 0)
        return ph_fail(err, s, "%.100s:%d: %s", at.file ? at.file : model->file, at.line, text);
    return ph_fail(err, s, "%s", text);
}

int ph_joint_count(const ph_joint_def *d)
{
    return ph_joint_row_of(d)->op->recipe.nonholonomic ? 2 : 1;
}

/* ---- geometry ------------------------------------------------------------------------------------- */

static ph_quat rotation_of(const ph_model *model, int body)
{
    return body < 0 ? (ph_quat){1, 0, 0, 0} : model->body[body].R;
}

/* A world point of the initial configuration in the frame of a body. */
static ph_vec3 seen_from(const ph_model *model, int body, ph_vec3 at)
{
    return body < 0 ? at : ph_quat_rotate(ph_quat_conj(model->body[body].R), ph_sub(at, model->body[body].x));
}

static void place(const ph_model *model, const ph_joint_def *d, ph_joint *j)
{
    const ph_joint_row *row = ph_joint_row_of(d);
    ph_quat qa = rotation_of(model, d->body[0]), qb = rotation_of(model, d->body[1]);
    ph_quat F = row->op->frame ? row->op->frame(d) : (ph_quat){1, 0, 0, 0};
    j->sa = seen_from(model, d->body[0], d->at);
    j->sb = seen_from(model, d->body[1], d->at);
    if (row->keys & PH_KEY_AT_A)
        j->sa = d->at_a, j->sb = d->at_b;
    j->Ca = ph_qmul(ph_quat_conj(qa), F), j->Cb = ph_qmul(ph_quat_conj(qb), F);
    j->Ea = ph_qmat(j->Ca), j->Eb = ph_qmat(j->Cb);
    j->ea = ph_quat_rotate(ph_quat_conj(qa), d->axis);
    j->eb = ph_quat_rotate(ph_quat_conj(qb), d->axis_b);
    j->radius = d->radius;
    if (!(row->keys & PH_KEY_LENGTH) || d->drive.call)
        return;
    ph_vec3 pa = d->body[0] < 0 ? j->sa : ph_add(model->body[d->body[0]].x, ph_quat_rotate(qa, j->sa));
    ph_vec3 pb = d->body[1] < 0 ? j->sb : ph_add(model->body[d->body[1]].x, ph_quat_rotate(qb, j->sb));
    j->length = isnan(d->length) ? ph_norm(ph_sub(pb, pa)) : d->length;
}

/* ---- rows ----------------------------------------------------------------------------------------- */

static int bits(unsigned pick)
{
    return (int)((pick & 1) + (pick >> 1 & 1) + (pick >> 2 & 1));
}

static void add_part(ph_joint *j, const ph_part *op, unsigned pick)
{
    if (!op || !pick)
        return;
    int rows = bits(pick);
    j->part[j->n_parts].op = op;
    j->part[j->n_parts].row = j->rows;
    j->part[j->n_parts].rows = rows;
    j->part[j->n_parts++].pick = pick;
    j->rows += rows;
}

static int has_particle(const ph_model *model, const ph_joint_def *d)
{
    return (d->body[0] >= 0 && model->body[d->body[0]].particle) ||
           (d->body[1] >= 0 && model->body[d->body[1]].particle);
}

/* A particle has no rotation: what is about displacements locks those alone. */
static ph_recipe recipe_of(const ph_joint_def *d, int particle)
{
    const ph_joint_ops *op = ph_joint_row_of(d)->op;
    ph_recipe r = op->recipe;
    if (op->adapt)
        op->adapt(d, particle, &r);
    if (particle && op->displacement)
        r.turn = 0;
    if (particle)
        r.frees &= ~PH_FREE_TURNS;
    return r;
}

unsigned ph_joint_def_frees(const ph_joint_def *d, int particle)
{
    return recipe_of(d, particle).frees;
}

static void list_parts(const ph_model *model, const ph_joint_def *d, ph_joint *j)
{
    ph_recipe r = recipe_of(d, has_particle(model, d));
    j->free = r.free, j->frees = r.frees;
    j->drive = d->drive.call ? r.free : PH_NO_COORDINATE;
    j->f = &d->drive;
    if (ph_is_angle(j->drive))
        r.turn |= 1u << (j->drive - PH_ABOUT);
    else if (j->drive >= PH_ALONG && j->drive < PH_ABOUT)
        r.first_pick |= 1u << j->drive;
    add_part(j, r.first, r.first_pick);
    add_part(j, &ph_part_turn, r.turn);
    add_part(j, r.last, PH_X);
}

/* ---- checks --------------------------------------------------------------------------------------- */

static ph_status check_bodies(const ph_model *model, const ph_joint_def *d, ph_error *err)
{
    for (int side = 0; side < 2; side++)
        if (d->body[side] < PH_GROUND || d->body[side] >= model->n_bodies)
            return PH_REFUSE_JOINT("there is no body %d", d->name, d->body[side]);
    if (d->body[0] == d->body[1])
        return PH_REFUSE_JOINT("joins a body with itself", d->name);
    return PH_OK;
}

static ph_status check_axis(const ph_model *model, const ph_joint_def *d, ph_vec3 axis, ph_error *err)
{
    double length = ph_norm(axis); /* 1e-6: what a model file rounds to */
    return fabs(length - 1) <= 1e-6
               ? PH_OK
               : PH_REFUSE_JOINT("an axis has length %.9g instead of 1", d->name, length);
}

static ph_status check_axes(const ph_model *model, const ph_joint_def *d, ph_error *err)
{
    int n = ph_joint_row_of(d)->op->axes;
    ph_status s = n == 0 ? PH_OK : check_axis(model, d, d->axis, err);
    return s == PH_OK && n == 2 ? check_axis(model, d, d->axis_b, err) : s;
}

/* Particles have one point, and joints that turn are not for them. */
static ph_status check_particles(const ph_model *model, const ph_joint_def *d, const ph_joint *j,
                                 ph_error *err)
{
    for (int side = 0; side < 2; side++) {
        int b = d->body[side];
        if (b < 0 || !model->body[b].particle)
            continue;
        for (int k = 0; k < j->n_parts; k++)
            if (j->part[k].op == &ph_part_turn || j->part[k].op == &ph_part_ortho ||
                j->part[k].op == &ph_part_roll)
                return PH_REFUSE_JOINT("the particle '%s' cannot turn", d->name, model->body[b].name);
        double off = ph_norm(side ? j->sb : j->sa);
        if (off > 1e-9 * (ph_norm(model->body[b].x) + ph_norm(d->at)) &&
            !(side == 0 && j->part[0].op == &ph_part_slide))
            return PH_REFUSE_JOINT("the particle '%s' is %.3g m away from it", d->name, model->body[b].name,
                                   off);
    }
    return PH_OK;
}

static ph_status check(const ph_model *model, const ph_joint_def *d, const ph_joint *j, ph_error *err)
{
    ph_status s = check_particles(model, d, j, err);
    if (s != PH_OK)
        return s;
    if (j->rows == 0)
        return PH_REFUSE_JOINT("locks nothing", d->name);
    if (d->drive.call && j->drive == PH_NO_COORDINATE)
        return PH_REFUSE_JOINT("a drive needs a joint with exactly one free coordinate", d->name);
    const ph_joint_ops *op = ph_joint_row_of(d)->op;
    return op->check ? op->check(model, d, j, err) : PH_OK;
}

ph_status ph_joint_make(const ph_model *model, int def, ph_joint *out, ph_error *err)
{
    const ph_joint_def *d = &model->joint[def];
    ph_status s = check_bodies(model, d, err);
    if (s == PH_OK)
        s = check_axes(model, d, err);
    if (s != PH_OK)
        return s;
    *out = (ph_joint){.def = def, .body = {d->body[0], d->body[1]}};
    place(model, d, out);
    list_parts(model, d, out);
    if (ph_joint_count(d) == 2) {
        const ph_recipe *recipe = &ph_joint_row_of(d)->op->recipe;
        out[1] = out[0];
        out[1].n_parts = out[1].rows = 0;
        out[1].nonholonomic = 1;
        add_part(&out[1], recipe->first, recipe->nonholonomic);
    }
    return check(model, d, out, err);
}

int ph_joint_counts_angles(const ph_joint_def *d)
{
    return ph_is_angle(recipe_of(d, 0).free);
}
