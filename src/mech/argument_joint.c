/* Coordinates of joints and their rates as arguments of functions. index: the joint; component: the coordinate. */
#include "mech/argument.h"

#include "mech/coordinate.h"

/* Angles need rotations and angular velocities alone. */
static void fill_kin(ph_scene *at, int body, int k, ph_kin *out)
{
    static const ph_kin ground = {.q = {1, 0, 0, 0}, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const ph_body_state *b = body < 0 ? NULL : ph_scene_body(at, body);
    out->q = b ? b->q : ground.q, out->w = b ? b->omega : ground.w;
    if (ph_is_angle(k))
        return;
    out->x = b ? b->x : ground.x, out->v = b ? b->v : ground.v;
    out->R = b ? ph_qmat(b->q) : ground.R;
}

static void fill_site(ph_scene *at, const ph_argument *a, ph_site *s)
{
    s->j = &at->m->joint[at->m->joint_of[a->index]];
    fill_kin(at, s->j->body[0], a->component, &s->a);
    fill_kin(at, s->j->body[1], a->component, &s->b);
    s->f[0] = s->f[1] = s->f[2] = 0, s->pick = 0;
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

/* Position and rate, as most functions of one read the other too. */
static void look(ph_scene *at, const ph_argument *a)
{
    if (at->joint == a->index + 1 && at->coordinate == a->component && !at->bodies)
        return;
    ph_site s;
    fill_site(at, a, &s);
    double x = ph_coordinate_value(&s, a->component);
    at->joint = a->index + 1, at->coordinate = a->component;
    at->rate = ph_coordinate_rate(&s, a->component);
    at->position = x + ph_mechanism_turns(at->m, s.j, a->component, x, at->rate, at->t);
}

static double position(ph_scene *at, const ph_argument *a)
{
    look(at, a);
    return at->position;
}

static void position_slope(ph_scene *at, const ph_argument *a, int side, int what, double w, double d[6])
{
    ph_vec3 b[PH_SLOTS];
    if (what != PH_BY_PLACE)
        return;
    ph_site s;
    fill_site(at, a, &s);
    ph_coordinate_row(&s, a->component, b);
    add(b, side, w, d);
}

static void position_second(ph_scene *at, const ph_argument *a, double w, double *H)
{
    ph_site s;
    fill_site(at, a, &s);
    ph_coordinate_K(&s, a->component, w, &(ph_put){H, ph_local_pairs, 12, 0});
}

const ph_argument_ops ph_argument_joint_position = {.value = position,
                                                    .bodies = bodies,
                                                    .depth = PH_SEEN_PLACE,
                                                    .slope = position_slope,
                                                    .second = position_second};

static double rate(ph_scene *at, const ph_argument *a)
{
    look(at, a);
    return at->rate;
}

static void rate_slope(ph_scene *at, const ph_argument *a, int side, int what, double w, double d[6])
{
    ph_vec3 r[PH_SLOTS];
    if (what == PH_BY_ACCELERATION)
        return;
    ph_site s;
    fill_site(at, a, &s);
    if (what == PH_BY_PLACE)
        ph_coordinate_z(&s, a->component, r);
    else
        ph_coordinate_row(&s, a->component, r);
    add(r, side, w, d);
}

const ph_argument_ops ph_argument_joint_rate = {
    .value = rate, .bodies = bodies, .depth = PH_SEEN_SPEED, .slope = rate_slope};
