/* The joints as data: which rows each type has; and from the words of the model to an element. */
#include "mech/coordinate.h"

#include <stdarg.h>
#include <stdio.h>

#include "lie/so3.h"

enum { X = 1, Y = 2, Z = 4 };
enum { NONE = -1, ALONG = PH_ALONG, ABOUT = PH_ABOUT, LENGTH = PH_LENGTH };
#define BIT(k) (1u << (k))
#define TURNS  (7u << ABOUT)

/* Rows of a type in its joint frame, whose z is the axis. free: its coordinate, which a drive takes; frees: all that it
 * leaves free, and the length of a distance. */
typedef struct recipe {
    const ph_part *first;
    unsigned first_pick;
    unsigned turn;
    const ph_part *last;
    int free;
    int nonholonomic; /* rows of the second constraint: picks of first */
    unsigned frees;
} recipe;

static const recipe recipes[PH_JOINT_COUNT] = {
    [PH_J_SPHERICAL] = {&ph_part_point, X | Y | Z, 0, NULL, NONE, 0, TURNS},
    [PH_J_REVOLUTE] = {&ph_part_point, X | Y | Z, X | Y, NULL, ABOUT + 2, 0, BIT(ABOUT + 2)},
    [PH_J_UNIVERSAL] = {&ph_part_point, X | Y | Z, 0, &ph_part_ortho, NONE, 0, BIT(ABOUT) | BIT(ABOUT + 1)},
    [PH_J_PRISMATIC] = {&ph_part_slide, X | Y, X | Y | Z, NULL, ALONG + 2, 0, BIT(ALONG + 2)},
    [PH_J_CYLINDRICAL] = {&ph_part_slide, X | Y, X | Y, NULL, ABOUT + 2, 0, BIT(ALONG + 2) | BIT(ABOUT + 2)},
    [PH_J_PLANAR] = {&ph_part_slide, Z, X | Y, NULL, NONE, 0, BIT(ALONG) | BIT(ALONG + 1) | BIT(ABOUT + 2)},
    [PH_J_FIXED] = {&ph_part_point, X | Y | Z, X | Y | Z, NULL, NONE, 0, 0},
    [PH_J_DISTANCE] = {&ph_part_distance, X, 0, NULL, LENGTH, 0, BIT(LENGTH)},
    [PH_J_POINT_ON_LINE] = {&ph_part_slide, X | Y, 0, NULL, ALONG + 2, 0, BIT(ALONG + 2) | TURNS},
    [PH_J_ROLLING] = {&ph_part_roll, Z, 0, NULL, NONE, X | Y, 0},
    [PH_J_GENERIC] = {&ph_part_slide, 0, 0, NULL, NONE, 0, 0}, /* from lock */
};

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
    return d->type == PH_J_ROLLING ? 2 : 1;
}

/* ---- geometry ------------------------------------------------------------------------------------- */

/* Quaternion of a rotation matrix: the largest of its four numbers is found first (Shepperd). */
static ph_quat quat_of(ph_mat3 A)
{
    double w = A.xx + A.yy + A.zz, m = fmax(fmax(A.xx, A.yy), fmax(A.zz, w));
    ph_quat q;
    if (m == w)
        q = (ph_quat){1 + w, A.zy - A.yz, A.xz - A.zx, A.yx - A.xy};
    else if (m == A.xx)
        q = (ph_quat){A.zy - A.yz, 1 + A.xx - A.yy - A.zz, A.xy + A.yx, A.xz + A.zx};
    else if (m == A.yy)
        q = (ph_quat){A.xz - A.zx, A.xy + A.yx, 1 + A.yy - A.zz - A.xx, A.yz + A.zy};
    else
        q = (ph_quat){A.yx - A.xy, A.xz + A.zx, A.yz + A.zy, 1 + A.zz - A.xx - A.yy};
    double s = 1 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (ph_quat){s * q.w, s * q.x, s * q.y, s * q.z};
}

/* The shortest turn from z to a unit vector. */
static ph_quat z_to(ph_vec3 n)
{
    ph_quat q = n.z > -0.5 ? (ph_quat){1 + n.z, -n.y, n.x, 0} : (ph_quat){n.x, 0, 1 - n.z, n.y};
    double s = 1 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (ph_quat){s * q.w, s * q.x, s * q.y, s * q.z};
}

/* Columns x, y made square to it, and their product. */
static ph_mat3 frame_xy(ph_vec3 x, ph_vec3 y)
{
    y = ph_sub(y, ph_scale(ph_dot(x, y), x));
    double n = ph_norm(y);
    y = n > 0 ? ph_scale(1 / n, y) : y; /* else refused later */
    ph_vec3 z = ph_cross(x, y);
    return (ph_mat3){x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
}

/* The joint frame in the world: z is the axis; of universal joints x is the axis of the first body, y that of the
 * second. */
static ph_quat frame_of(const ph_joint_def *d)
{
    switch (d->type) {
    case PH_J_REVOLUTE:
    case PH_J_PRISMATIC:
    case PH_J_CYLINDRICAL:
    case PH_J_PLANAR:
    case PH_J_POINT_ON_LINE:
    case PH_J_ROLLING:
        return z_to(d->axis);
    case PH_J_GENERIC:
        return quat_of(d->frame);
    case PH_J_UNIVERSAL:
        return quat_of(frame_xy(d->axis, d->axis_b));
    default:
        return (ph_quat){1, 0, 0, 0};
    }
}

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
    ph_quat qa = rotation_of(model, d->body[0]), qb = rotation_of(model, d->body[1]), F = frame_of(d);
    j->sa = seen_from(model, d->body[0], d->at);
    j->sb = seen_from(model, d->body[1], d->at);
    if (d->type == PH_J_DISTANCE)
        j->sa = d->at_a, j->sb = d->at_b;
    j->Ca = ph_qmul(ph_quat_conj(qa), F), j->Cb = ph_qmul(ph_quat_conj(qb), F);
    j->Ea = ph_qmat(j->Ca), j->Eb = ph_qmat(j->Cb);
    j->ea = ph_quat_rotate(ph_quat_conj(qa), d->axis);
    j->eb = ph_quat_rotate(ph_quat_conj(qb), d->axis_b);
    j->radius = d->radius;
    if (d->type != PH_J_DISTANCE || d->drive.call)
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

/* Of generic: the coordinate that is left, or NONE where there are several. */
static int only_free(unsigned lock)
{
    int found = NONE;
    for (int k = 0; k < 6; k++)
        if (!(lock >> k & 1)) {
            if (found != NONE)
                return NONE;
            found = k;
        }
    return found;
}

static int has_particle(const ph_model *model, const ph_joint_def *d)
{
    return (d->body[0] >= 0 && model->body[d->body[0]].particle) ||
           (d->body[1] >= 0 && model->body[d->body[1]].particle);
}

/* A particle has no rotation: what is about displacements locks those alone. */
static int is_about_displacements(int type)
{
    return type == PH_J_PRISMATIC || type == PH_J_PLANAR || type == PH_J_FIXED || type == PH_J_GENERIC;
}

unsigned ph_joint_def_frees(const ph_joint_def *d, int particle)
{
    unsigned frees = d->type == PH_J_GENERIC ? ~d->lock & 0x3f : recipes[d->type].frees;
    return particle ? frees & ~TURNS : frees;
}

static void list_parts(const ph_model *model, const ph_joint_def *d, ph_joint *j)
{
    recipe r = recipes[d->type];
    int still = has_particle(model, d) && is_about_displacements(d->type);
    if (d->type == PH_J_GENERIC) {
        r.first_pick = d->lock & 7;
        r.turn = d->lock >> 3 & 7;
        r.free = only_free(still ? d->lock | 7u << 3 : d->lock);
    }
    if (still)
        r.turn = 0;
    j->free = r.free, j->frees = ph_joint_def_frees(d, has_particle(model, d));
    j->drive = d->drive.call ? r.free : NONE;
    j->f = &d->drive;
    if (j->drive >= ABOUT && j->drive < LENGTH)
        r.turn |= 1u << (j->drive - ABOUT);
    else if (j->drive >= ALONG && j->drive < ABOUT)
        r.first_pick |= 1u << j->drive;
    add_part(j, r.first, r.first_pick);
    add_part(j, &ph_part_turn, r.turn);
    add_part(j, r.last, X);
}

/* ---- checks --------------------------------------------------------------------------------------- */

#define REFUSE(...) ph_mech_fail(err, PH_E_INPUT, model, d->origin, "joint '%s': " __VA_ARGS__)

static ph_status check_bodies(const ph_model *model, const ph_joint_def *d, ph_error *err)
{
    for (int side = 0; side < 2; side++)
        if (d->body[side] < PH_GROUND || d->body[side] >= model->n_bodies)
            return REFUSE("there is no body %d", d->name, d->body[side]);
    if (d->body[0] == d->body[1])
        return REFUSE("joins a body with itself", d->name);
    if (d->type == PH_J_ROLLING && d->body[0] != PH_GROUND)
        return REFUSE("a disc rolls on the ground, which must be the first body", d->name);
    return PH_OK;
}

static ph_status check_axis(const ph_model *model, const ph_joint_def *d, ph_vec3 axis, ph_error *err)
{
    double length = ph_norm(axis); /* 1e-6: what a model file rounds to */
    return fabs(length - 1) <= 1e-6 ? PH_OK : REFUSE("an axis has length %.9g instead of 1", d->name, length);
}

static ph_status check_axes(const ph_model *model, const ph_joint_def *d, ph_error *err)
{
    int two = d->type == PH_J_UNIVERSAL || d->type == PH_J_ROLLING;
    int none = d->type == PH_J_SPHERICAL || d->type == PH_J_FIXED || d->type == PH_J_DISTANCE ||
               d->type == PH_J_GENERIC;
    ph_status s = none ? PH_OK : check_axis(model, d, d->axis, err);
    return s == PH_OK && two ? check_axis(model, d, d->axis_b, err) : s;
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
                return REFUSE("the particle '%s' cannot turn", d->name, model->body[b].name);
        double off = ph_norm(side ? j->sb : j->sa);
        if (off > 1e-9 * (ph_norm(model->body[b].x) + ph_norm(d->at)) &&
            !(side == 0 && j->part[0].op == &ph_part_slide))
            return REFUSE("the particle '%s' is %.3g m away from it", d->name, model->body[b].name, off);
    }
    return PH_OK;
}

static ph_status check(const ph_model *model, const ph_joint_def *d, const ph_joint *j, ph_error *err)
{
    ph_status s = check_particles(model, d, j, err);
    if (s != PH_OK)
        return s;
    if (j->rows == 0)
        return REFUSE("locks nothing", d->name);
    if (d->drive.call && j->drive == NONE)
        return REFUSE("a drive needs a joint with exactly one free coordinate", d->name);
    if (d->type == PH_J_DISTANCE && !d->drive.call && !(j->length > 0))
        return REFUSE("a distance of %.9g m has no direction", d->name, j->length);
    if (d->type == PH_J_ROLLING && !(d->radius > 0))
        return REFUSE("the radius is %.9g m", d->name, d->radius);
    if (d->type == PH_J_ROLLING && fabs(ph_dot(d->axis, d->axis_b)) > 1 - 1e-9)
        return REFUSE("the disc lies flat on the plane", d->name);
    if (d->type == PH_J_UNIVERSAL && fabs(ph_dot(d->axis, d->axis_b)) > 1e-6)
        return REFUSE("its axes are not orthogonal: their product is %.9g", d->name,
                      ph_dot(d->axis, d->axis_b));
    return PH_OK;
}

ph_status ph_joint_make(const ph_model *model, int def, ph_joint *out, ph_error *err)
{
    const ph_joint_def *d = &model->joint[def];
    if (d->type < 0 || d->type >= PH_JOINT_COUNT)
        return REFUSE("there is no such type", d->name);
    ph_status s = check_bodies(model, d, err);
    if (s == PH_OK)
        s = check_axes(model, d, err);
    if (s != PH_OK)
        return s;
    *out = (ph_joint){.def = def, .body = {d->body[0], d->body[1]}};
    place(model, d, out);
    list_parts(model, d, out);
    if (ph_joint_count(d) == 2) {
        out[1] = out[0];
        out[1].n_parts = out[1].rows = 0;
        out[1].nonholonomic = 1;
        add_part(&out[1], recipes[d->type].first, (unsigned)recipes[d->type].nonholonomic);
    }
    return check(model, d, out, err);
}

int ph_joint_counts_angles(const ph_joint_def *d)
{
    int free = d->type == PH_J_GENERIC ? only_free(d->lock) : recipes[d->type].free;
    return free >= ABOUT && free < LENGTH;
}
