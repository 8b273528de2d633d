/* The same mechanism elsewhere, turned, on the way, in other units, with bodies in another order or in two pieces; and with less in it. */
#ifndef PH_TEST_GENERATED_CHANGE_H
#define PH_TEST_GENERATED_CHANGE_H

#include "generated_draw.h"

/* How the numbers of a changed mechanism follow from those of the first: x' = Q L x + shift + V t. */
typedef struct change {
    ph_quat Q;
    ph_vec3 shift, V;
    double L, T;
} change;

static const change no_change = {{1, 0, 0, 0}, {0, 0, 0}, {0, 0, 0}, 1, 1};

static inline void scale3(ph_vec3 *x, double f)
{
    *x = ph_scale(f, *x);
}

/* Numbers in units of which L, T, M make up one of the present. */
static inline void use_units(spec *s, double L, double T, double M)
{
    double k = M / (T * T), LL = L * L;
    s->L *= L, s->T *= T, s->M *= M, s->h *= T;
    scale3(&s->gravity, L / (T * T));
    for (int i = 0; i < s->n_bodies; i++) {
        a_body *b = &s->body[i];
        b->m *= M, b->J = ph_mscale(M * LL, b->J);
        scale3(&b->x, L), scale3(&b->v, L / T), scale3(&b->w, 1 / T);
    }
    for (int i = 0; i < s->n_joints; i++) {
        a_joint *j = &s->joint[i];
        char c = coordinate_of(j);
        scale3(&j->at, L), scale3(&j->to, L);
        j->radius *= L, j->mu_radius *= L, j->mu_speed *= (c == 'l' ? L : 1) / T;
        j->amplitude *= c == 'l' ? L : 1, j->freq /= T;
    }
    for (int i = 0; i < s->n_forces; i++) {
        a_force *f = &s->force[i];
        double beam = f->kind == BEAM ? L : 1, turn = f->kind == TORQUE ? LL : f->kind == FORCE ? L : 1;
        scale3(&f->at, L), scale3(&f->to, L), f->length *= L, f->freq /= T;
        scale3(&f->k, k * beam), scale3(&f->d, k * T * beam), scale3(&f->kr, k * LL * beam),
            scale3(&f->dr, k * T * LL * beam);
        scale3(&f->value, f->course != DRAG ? k * turn : k * T * (f->kind == TORQUE ? LL : 1));
    }
    for (int i = 0; i < s->n_actuators; i++) {
        an_actuator *a = &s->actuator[i];
        int length = coordinate_of(&s->joint[a->joint]) == 'l';
        double u = length ? L : 1, e = length ? k : k * LL;
        a->k *= e, a->d *= e * T, a->rest *= u, a->effort *= e * u, a->freq /= T;
        a->lo *= u, a->hi *= u, a->stop_k *= e, a->stop_width *= u;
    }
    for (int i = 0; i < s->n_states; i++)
        s->state[i].size *= coordinate_of(&s->joint[s->state[i].joint]) == 'l' ? L : 1, s->state[i].tau *= T;
}

static inline void rotate3(ph_vec3 *x, ph_quat Q)
{
    *x = ph_quat_rotate(Q, *x);
}

/* What has axes of the world is made equal in all of them, or goes. */
static inline void forget_axes(spec *s)
{
    for (int i = 0; i < s->n_forces; i++) {
        a_force *f = &s->force[i];
        if (f->kind == BUSHING && (!f->in_body || f->a == GROUND))
            f->k = ph_v3(f->k.x, f->k.x, f->k.x), f->d = ph_v3(f->d.x, f->d.x, f->d.x),
            f->kr = ph_v3(f->kr.x, f->kr.x, f->kr.x), f->dr = ph_v3(f->dr.x, f->dr.x, f->dr.x);
        if (f->kind == TORSION)
            f->kr = ph_zero3();
    }
}

static inline change rotate(spec *s, ph_quat Q)
{
    change c = no_change;
    c.Q = Q;
    rotate3(&s->gravity, Q);
    for (int i = 0; i < s->n_bodies; i++) {
        a_body *b = &s->body[i];
        rotate3(&b->x, Q), rotate3(&b->v, Q), b->q = ph_qmul(Q, b->q);
    }
    for (int i = 0; i < s->n_joints; i++) {
        a_joint *j = &s->joint[i];
        rotate3(&j->at, Q), rotate3(&j->to, Q), rotate3(&j->axis, Q), rotate3(&j->other, Q),
            j->frame = ph_qmul(Q, j->frame);
    }
    for (int i = 0; i < s->n_forces; i++) {
        a_force *f = &s->force[i];
        rotate3(&f->at, Q), rotate3(&f->to, Q);
        if ((!f->in_body || s->body[f->a].particle) && f->course != DRAG) /* a particle does not turn */
            rotate3(&f->value, Q);
    }
    return c;
}

static inline change translate(spec *s, ph_vec3 by)
{
    change c = no_change;
    c.shift = by;
    for (int i = 0; i < s->n_bodies; i++)
        s->body[i].x = ph_add(s->body[i].x, by);
    for (int i = 0; i < s->n_joints; i++)
        s->joint[i].at = ph_add(s->joint[i].at, by), s->joint[i].to = ph_add(s->joint[i].to, by);
    for (int i = 0; i < s->n_forces; i++)
        s->force[i].at = ph_add(s->force[i].at, by), s->force[i].to = ph_add(s->force[i].to, by);
    return c;
}

/* An element goes, and what cannot be without it. */
static inline void drop_joint(spec *s, int j)
{
    s->joint[j].there = 0;
    for (int i = 0; i < s->n_actuators; i++)
        if (s->actuator[i].joint == j)
            s->actuator[i].there = 0;
    for (int i = 0; i < s->n_states; i++)
        if (s->state[i].joint == j)
            s->state[i].there = 0;
    for (int i = 0; i < s->n_couplings; i++)
        if (s->coupling[i].a == j || s->coupling[i].b == j)
            s->coupling[i].there = 0;
}

static inline void drop_body(spec *s, int b)
{
    s->body[b].there = 0;
    for (int i = 0; i < s->n_joints; i++)
        if (s->joint[i].a == b || s->joint[i].b == b)
            drop_joint(s, i);
    for (int i = 0; i < s->n_forces; i++)
        if (s->force[i].a == b || s->force[i].b == b)
            s->force[i].there = 0;
}

/* Nothing but the bodies themselves sets a velocity of reference. */
static inline void leave_ground(spec *s)
{
    for (int i = 0; i < s->n_joints; i++)
        if (s->joint[i].a == GROUND || s->joint[i].b == GROUND)
            drop_joint(s, i);
    for (int i = 0; i < s->n_forces; i++) {
        a_force *f = &s->force[i];
        if (f->a == GROUND || f->b == GROUND || (f->course == DRAG && f->kind == FORCE))
            f->there = 0;
    }
}

static inline change boost(spec *s, ph_vec3 V)
{
    change c = no_change;
    c.V = V;
    for (int i = 0; i < s->n_bodies; i++)
        s->body[i].v = ph_add(s->body[i].v, V);
    return c;
}

static inline void relabel(spec *s, uint64_t *r)
{
    for (int i = s->n_bodies - 1; i > 0; i--) {
        int k = one_of(r, i + 1), o = s->order[i];
        s->order[i] = s->order[k], s->order[k] = o;
    }
    s->backwards = 1;
}

/* Body i becomes two, with the same mass, centre and moments together, and a fixed joint between; elements are shared among them. offset:
 * between their centres, as a part of the body's size. */
static inline void split(spec *s, int i, double offset, uint64_t *r)
{
    int n = s->n_bodies++;
    a_body *a = &s->body[i], *b = &s->body[n];
    double part = between(r, 0.3, 0.7);
    ph_vec3 d = ph_scale(offset * sqrt((a->J.xx + a->J.yy + a->J.zz) / (2 * a->m)), direction(r)),
            D = ph_quat_rotate(a->q, d);
    ph_mat3 steiner = ph_msub(ph_mscale(ph_dot(d, d), ph_one33()), ph_outer(d, d));
    ph_mat3 J = ph_msub(a->J, ph_mscale(part * (1 - part) * a->m, steiner));
    ph_vec3 w = ph_quat_rotate(a->q, a->w);
    *b = *a;
    s->order[n] = n;
    a->m *= part, b->m *= 1 - part;
    a->J = ph_mscale(part, J), b->J = ph_mscale(1 - part, J);
    a->x = ph_add(a->x, ph_scale(1 - part, D)), b->x = ph_sub(b->x, ph_scale(part, D));
    a->v = ph_add(a->v, ph_cross(w, ph_scale(1 - part, D))),
    b->v = ph_sub(b->v, ph_cross(w, ph_scale(part, D)));
    for (int k = 0; k < s->n_joints; k++) {
        a_joint *j = &s->joint[k];
        int *end = j->a == i ? &j->a : &j->b;
        if (*end == i && j->kind != ROLLING &&
            chance(r, 0.5)) /* rolling: the centre of the disc is that of the body */
            *end = n;
    }
    for (int k = 0; k < s->n_forces; k++) {
        a_force *f = &s->force[k];
        int *end = f->a == i ? &f->a : &f->b, alone = f->a == f->b;
        if (*end == i && f->kind != BEAM && f->course != DRAG && chance(r, 0.5)) /* these are at centres */
            *end = n;
        if (alone)
            f->b = f->a;
    }
    s->joint[s->n_joints++] = (a_joint){
        .there = 1, .kind = FIXED, .a = i, .b = n, .at = a->x, .axis = {0, 0, 1}, .frame = {1, 0, 0, 0}};
}

/* Neither damping nor anything that depends on time. */
static inline void conserve(spec *s)
{
    for (int i = 0; i < s->n_joints; i++)
        s->joint[i].mu = 0, s->joint[i].driven = 0;
    for (int i = 0; i < s->n_forces; i++) {
        a_force *f = &s->force[i];
        f->d = f->dr = ph_zero3();
        if (f->course == DRAG)
            f->there = 0;
        f->course = CONSTANT;
    }
    for (int i = 0; i < s->n_states; i++)
        s->state[i].there = 0;
    for (int i = 0; i < s->n_actuators; i++)
        s->actuator[i].d = 0, s->actuator[i].freq = 0, s->actuator[i].state = -1;
}

#endif
