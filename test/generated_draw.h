/* Mechanisms drawn at random from a seed: trees of all joints, loops of a plane and of space, all forces, actuators, couplings, states. */
#ifndef PH_TEST_GENERATED_DRAW_H
#define PH_TEST_GENERATED_DRAW_H

#include "generated_spec.h"

/* The axes of a box of some mass, so that moments are possible ones, turned. */
static inline ph_mat3 inertia_of(uint64_t *s, double m)
{
    double a = decades(s, 0.3, 1), b = decades(s, 0.3, 1), c = decades(s, 0.3, 1), f = m / 3;
    ph_mat3 R = ph_qmat(turn(s));
    ph_mat3 J = ph_diag3(f * (b * b + c * c), f * (c * c + a * a), f * (a * a + b * b));
    return ph_mmul(ph_mmul(R, J), ph_transpose(R));
}

static inline int add_body(spec *s, uint64_t *r, ph_vec3 x)
{
    int i = s->n_bodies++;
    a_body *b = &s->body[i];
    *b = (a_body){.there = 1, .m = decades(r, 0.3, 10), .x = x, .q = turn(r), .moves = 1};
    b->J = inertia_of(r, b->m);
    b->v = vector(r, 0.7), b->w = vector(r, 0.7);
    s->order[i] = i;
    return i;
}

static inline a_joint *add_joint(spec *s, uint64_t *r, joint_kind kind, int a, int b)
{
    a_joint *j = &s->joint[s->n_joints++];
    ph_vec3 from = a == GROUND ? ph_add(s->body[b].x, vector(r, 1)) : s->body[a].x, to = s->body[b].x;
    *j = (a_joint){.there = 1, .kind = kind, .a = a, .b = b, .axis = direction(r), .frame = turn(r)};
    j->at = ph_add(ph_scale(0.5, ph_add(from, to)), vector(r, 0.3));
    j->other = across(r, j->axis);
    if (kind == DISTANCE) {
        j->at = ph_add(from, vector(r, 0.2)), j->to = ph_add(to, vector(r, 0.2));
        if (ph_norm(ph_sub(j->to, j->at)) < 0.4)
            j->to = ph_add(j->at, ph_scale(0.7, direction(r)));
    }
    if (kind == ROLLING) { /* the lowest point of the disc touches the plane */
        ph_vec3 u = j->axis, n = unit(ph_add(j->other, ph_scale(between(r, -0.6, 0.6), u)));
        ph_vec3 down = unit(ph_sub(ph_scale(ph_dot(n, u), u), n));
        j->radius = decades(r, 0.3, 1), j->other = n;
        j->at = ph_add(to, ph_scale(j->radius, down));
    }
    if (kind == GENERIC) {
        int free = 1 + one_of(r, 3);
        j->lock = 63;
        for (int k = 0; k < free; k++)
            j->lock &= ~(1u << one_of(r, 6));
    }
    if ((kind == REVOLUTE || kind == PRISMATIC || kind == SPHERICAL) && chance(r, 0.15))
        j->mu = between(r, 0.05, 0.3), j->mu_radius = between(r, 0.05, 0.2), j->mu_speed = between(r, 0.5, 1);
    return j;
}

/* Degrees of freedom that a joint takes, at most. */
static inline int conditions_of(const a_joint *j)
{
    static const int rows[] = {3, 5, 4, 5, 4, 3, 6, 1, 2, 3, 0};
    return j->kind == GENERIC ? __builtin_popcount(j->lock) : rows[j->kind];
}

static inline int freedom(const spec *s)
{
    int n = 0;
    for (int i = 0; i < s->n_bodies; i++)
        n += s->body[i].particle ? 3 : 6;
    for (int i = 0; i < s->n_joints; i++)
        n -= conditions_of(&s->joint[i]);
    return n - s->n_couplings;
}

static inline void draw_tree(spec *s, uint64_t *r, int n)
{
    for (int i = 0; i < n; i++) {
        int parent = i == 0 || chance(r, 0.2) ? GROUND : chance(r, 0.6) ? i - 1 : one_of(r, i);
        if (parent != GROUND && s->body[parent].particle)
            parent = GROUND; /* a particle cannot turn */
        ph_vec3 near = parent == GROUND ? ph_zero3() : s->body[parent].x;
        int b = add_body(s, r, ph_add(near, ph_scale(between(r, 0.7, 1.5), direction(r))));
        if (chance(r, 0.08))
            continue; /* a body without joints */
        joint_kind kind = chance(r, 0.35) ? REVOLUTE : (joint_kind)one_of(r, JOINT_KINDS);
        add_joint(s, r, kind, kind == ROLLING ? GROUND : parent, b); /* discs roll on the ground */
        if (kind == DISTANCE && chance(r, 0.3))
            s->body[b].particle = 1, s->joint[s->n_joints - 1].to = s->body[b].x;
    }
}

/* A four-bar linkage in a plane: three of its twenty conditions repeat others. */
static inline void draw_plane_loop(spec *s, uint64_t *r)
{
    int base = s->n_bodies && chance(r, 0.5) && !s->body[0].particle ? 0 : GROUND, bar[3];
    ph_vec3 n = direction(r), u = across(r, n), w = ph_cross(n, u),
            o = base == GROUND ? vector(r, 1) : s->body[0].x;
    double x[4] = {0, between(r, -0.2, 0.2), between(r, 1.1, 1.4), 1.2},
           y[4] = {0, between(r, 0.4, 0.6), between(r, 0.8, 1.2), 0};
    ph_vec3 p[4];
    for (int k = 0; k < 4; k++)
        p[k] = ph_add(o, ph_add(ph_scale(x[k], u), ph_scale(y[k], w)));
    for (int k = 0; k < 3; k++)
        bar[k] = add_body(s, r, ph_add(ph_scale(0.5, ph_add(p[k], p[k + 1])), vector(r, 0.1)));
    for (int k = 0; k < 4; k++) {
        int from = k ? bar[k - 1] : base, to = k < 3 ? bar[k] : base;
        a_joint *j = to == GROUND ? add_joint(s, r, REVOLUTE, to, from) : add_joint(s, r, REVOLUTE, from, to);
        j->at = p[k], j->axis = n, j->mu = 0; /* friction of redundant reactions is not unique */
    }
}

static inline void draw_space_loops(spec *s, uint64_t *r)
{
    static const joint_kind kinds[] = {DISTANCE, POINT_ON_LINE, DISTANCE, SPHERICAL};
    for (int k = 1 + one_of(r, 3); k > 0; k--) {
        int a = one_of(r, s->n_bodies + 1) - 1, b = one_of(r, s->n_bodies);
        joint_kind kind = kinds[one_of(r, 4)];
        if (a == b || s->body[b].particle || (a != GROUND && s->body[a].particle) || freedom(s) < 6)
            continue;
        add_joint(s, r, kind, a, b);
    }
    for (int i = 0; i < s->n_joints; i++)
        s->joint[i].mu = 0; /* as above */
}

static inline void draw_force(spec *s, uint64_t *r)
{
    force_kind kind = (force_kind)one_of(r, FORCE_KINDS);
    int a = one_of(r, s->n_bodies), b = one_of(r, s->n_bodies + 1) - 1;
    int both = kind == SPRING || kind == BUSHING || kind == BEAM;
    if ((both && a == b) || (kind != SPRING && kind != FORCE && s->body[a].particle) ||
        (b != GROUND && s->body[b].particle) ||
        (kind == BEAM &&
         (b == GROUND || ph_norm(ph_so3_log(ph_qmul(ph_quat_conj(s->body[a].q), s->body[b].q))) > 1.5)))
        return; /* a beam must not turn by more than 2.5 from end to end */
    a_force *f = &s->force[s->n_forces++];
    *f = (a_force){.there = 1, .kind = kind, .a = a, .b = both ? b : a, .in_body = chance(r, 0.4)};
    double m = both && b != GROUND ? fmin(s->body[a].m, s->body[b].m) : s->body[a].m,
           k = m * decades(r, 1, 30);
    ph_vec3 x = s->body[a].x, y = both && b != GROUND ? s->body[b].x : ph_add(x, ph_scale(1.2, direction(r)));
    int is_point = s->body[a].particle;
    f->at = is_point ? x : ph_add(x, vector(r, 0.2)), f->to = ph_add(y, vector(r, 0.2));
    f->length = ph_norm(ph_sub(f->to, f->at)) * between(r, 0.6, 1.1);
    f->k = ph_v3(k, k * between(r, 0.3, 1), k * between(r, 0.3, 1)), f->kr = ph_scale(0.1, f->k);
    f->d = ph_scale(chance(r, 0.5) ? between(r, 0, 0.1) : 0, f->k), f->dr = ph_scale(0.1, f->d);
    f->value = vector(r, kind == FORCE ? 5 * m : m), f->freq = between(r, 1, 6);
    f->course = kind == FORCE || kind == TORQUE ? (course)one_of(r, 3) : CONSTANT;
    if (f->course == DRAG)
        f->value.x = m * between(r, 0.1, 1), f->in_body = kind == TORQUE; /* omega is in the body */
    if (kind == BUSHING && chance(r, 0.7))
        f->to = f->at;
}

static inline void draw_controls(spec *s, uint64_t *r, int with_couplings)
{
    int last[2] = {-1, -1};
    for (int i = 0; i < s->n_joints; i++) {
        a_joint *j = &s->joint[i];
        char c = coordinate_of(j);
        if (!c)
            continue;
        if (chance(r, 0.3) && s->n_actuators < MOST_ACTUATORS) {
            double m = s->body[j->b].m * (c == 'r' ? 0.1 : 1);
            an_actuator *a = &s->actuator[s->n_actuators++];
            *a = (an_actuator){.there = 1,
                               .joint = i,
                               .state = -1,
                               .k = m * between(r, 0, 20),
                               .rest = between(r, -0.2, 0.2)};
            a->d = chance(r, 0.5) ? m * draw(r) : 0, a->effort = m * between(r, -3, 3);
            a->freq = chance(r, 0.5) ? between(r, 1, 6) : 0;
            if (chance(r, 0.3))
                a->lo = -between(r, 0.02, 0.1), a->hi = between(r, 0.02, 0.1), a->stop_k = m * 30,
                a->stop_width = 0.5;
            if (chance(r, 0.4) && s->n_states < MOST_STATES) {
                a->state = s->n_states;
                s->state[s->n_states++] =
                    (a_state){.there = 1, .joint = i, .size = between(r, 0.3, 1), .tau = between(r, 0.1, 1)};
            }
        }
        int of = c == 'r';
        if (with_couplings && last[of] >= 0 && chance(r, 0.3) && s->n_couplings < MOST_COUPLINGS &&
            freedom(s) > 2) {
            s->coupling[s->n_couplings++] =
                (a_coupling){1, last[of], i, between(r, 0.5, 2) * (chance(r, 0.5) ? 1 : -1)};
            last[of] = -1;
        } else
            last[of] = i;
    }
}

/* Drives, in trees alone: a loop may not let them move. */
static inline void draw_drives(spec *s, uint64_t *r)
{
    for (int i = 0; i < s->n_joints; i++) {
        a_joint *j = &s->joint[i];
        int used = 0;
        for (int k = 0; k < s->n_actuators; k++)
            used |= s->actuator[k].joint == i;
        if (!used && coordinate_of(j) && chance(r, 0.15))
            j->driven = 1, j->amplitude = between(r, 0.05, 0.3), j->freq = between(r, 1, 6);
    }
}

static inline void use_units(spec *s, double L, double T, double M);

static inline void draw_spec(spec *s, uint64_t seed)
{
    uint64_t state = seed, *r = &state;
    *s = (spec){.seed = seed, .parameter = GROUND, .L = 1, .T = 1, .M = 1, .h = 0.02};
    draw(r);
    if (chance(r, 0.8))
        s->gravity = vector(r, 8);
    int n = chance(r, 0.03) ? 20 + one_of(r, 36) : 2 + (int)(9 * draw(r) * draw(r)), loops = chance(r, 0.4),
        plane = chance(r, 0.2);
    draw_tree(s, r, n);
    for (int i = 0; i < s->n_joints; i++)
        if (s->joint[i].kind == ROLLING)
            loops = 0; /* they may not let it roll */
    s->loops = loops || plane;
    if (plane)
        draw_plane_loop(s, r);
    if (loops)
        draw_space_loops(s, r);
    for (int k = 1 + one_of(r, n + 2); k > 0; k--)
        draw_force(s, r);
    draw_controls(s, r, !plane);
    if (!loops && !plane && !s->n_couplings && chance(r, 0.3))
        draw_drives(s, r);
    if (chance(r, 0.5))
        use_units(s, decades(r, 0.01, 100), decades(r, 0.01, 100), decades(r, 0.01, 100));
}

#endif
