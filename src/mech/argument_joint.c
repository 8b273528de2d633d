/* Coordinates of joints and their rates as arguments of functions. index: the joint; component: the coordinate. */
#include "mech/argument.h"

#include "mech/coordinate.h"

static ph_kin kin_of(ph_scene *at, int body)
{
    static const ph_kin ground = {.q = {1, 0, 0, 0}, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    if (body < 0)
        return ground;
    const ph_body_state *b = ph_scene_body(at, body);
    return (ph_kin){.x = b->x, .v = b->v, .w = b->omega, .q = b->q, .R = ph_qmat(b->q)};
}

static ph_site site_of(ph_scene *at, const ph_argument *a)
{
    const ph_joint *j = &at->m->joint[at->m->joint_of[a->index]];
    return (ph_site){.j = j, .a = kin_of(at, j->body[0]), .b = kin_of(at, j->body[1])};
}

static int bodies(const ph_model *model, const ph_argument *a, int body[2])
{
    body[0] = model->joint[a->index].body[0], body[1] = model->joint[a->index].body[1];
    return 2;
}

static void add(const ph_vec3 r[PH_SLOTS], int side, double w, double d[6])
{
    ph_add3(d, ph_scale(w, r[2 * side]));
    ph_add3(d + 3, ph_scale(w, r[2 * side + 1]));
}

static double position(ph_scene *at, const ph_argument *a)
{
    ph_site s = site_of(at, a);
    double x = ph_coordinate_value(&s, a->component);
    return x + ph_mechanism_turns(at->m, s.j, a->component, x, ph_coordinate_rate(&s, a->component), at->t);
}

static void position_slope(ph_scene *at, const ph_argument *a, int side, int what, double w, double d[6])
{
    ph_vec3 b[PH_SLOTS];
    if (what != PH_BY_PLACE)
        return;
    ph_site s = site_of(at, a);
    ph_coordinate_row(&s, a->component, b);
    add(b, side, w, d);
}

static void position_second(ph_scene *at, const ph_argument *a, double w, double *H)
{
    ph_site s = site_of(at, a);
    ph_coordinate_K(&s, a->component, w, &(ph_put){H, ph_local_pairs, 12, 0});
}

const ph_argument_ops ph_argument_joint_position = {.value = position,
                                                    .bodies = bodies,
                                                    .depth = PH_SEEN_PLACE,
                                                    .slope = position_slope,
                                                    .second = position_second};

static double rate(ph_scene *at, const ph_argument *a)
{
    ph_site s = site_of(at, a);
    return ph_coordinate_rate(&s, a->component);
}

static void rate_slope(ph_scene *at, const ph_argument *a, int side, int what, double w, double d[6])
{
    ph_vec3 r[PH_SLOTS];
    if (what == PH_BY_ACCELERATION)
        return;
    ph_site s = site_of(at, a);
    if (what == PH_BY_PLACE)
        ph_coordinate_z(&s, a->component, r);
    else
        ph_coordinate_row(&s, a->component, r);
    add(r, side, w, d);
}

const ph_argument_ops ph_argument_joint_rate = {
    .value = rate, .bodies = bodies, .depth = PH_SEEN_SPEED, .slope = rate_slope};
