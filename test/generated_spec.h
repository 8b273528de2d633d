/* A generated mechanism as data, from which its model file is written. All points and axes are in the world, in the initial configuration,
 * so that joints fit wherever bodies are; an element that is not there is not written. */
#ifndef PH_TEST_GENERATED_SPEC_H
#define PH_TEST_GENERATED_SPEC_H

#include "check.h"

#include "lie/so3.h"
#include "polhode/polhode.h"

enum { MOST_BODIES = 72, MOST_JOINTS = 160, MOST_FORCES = 120 };
enum { MOST_ACTUATORS = 48, MOST_COUPLINGS = 16, MOST_STATES = 16 };
enum { GROUND = -1 };

typedef enum joint_kind {
    SPHERICAL,
    REVOLUTE,
    UNIVERSAL,
    PRISMATIC,
    CYLINDRICAL,
    PLANAR,
    FIXED,
    DISTANCE,
    POINT_ON_LINE,
    ROLLING,
    GENERIC,
    JOINT_KINDS
} joint_kind;
typedef enum force_kind { SPRING, BUSHING, TORSION, FORCE, TORQUE, BEAM, FORCE_KINDS } force_kind;
typedef enum course {
    CONSTANT,
    WAVE,
    DRAG
} course; /* of a load: as it is, times sin(freq t), less value times velocity */

typedef struct a_body {
    int there, particle, moves; /* moves: velocities are given */
    double m;
    ph_mat3 J; /* body axes */
    ph_vec3 x, v, w;
    ph_quat q;
} a_body;

typedef struct a_joint {
    int there;
    joint_kind kind;
    int a, b;
    ph_vec3 at, to, axis,
        other;     /* to: second point of a distance; other: second axis, or normal of a plane */
    ph_quat frame; /* of generic */
    unsigned lock; /* of generic: x y z rx ry rz */
    double radius, mu, mu_radius, mu_speed;
    int driven;
    double amplitude, freq;
} a_joint;

typedef struct a_force {
    int there;
    force_kind kind;
    int a, b;
    ph_vec3 at, to, value, k, d, kr,
        dr; /* spring: k.x, d.x; torsion: kr.x, dr.x; beam: k, kr are EA GA GA, GJ EI EI */
    double length, freq;
    int in_body;
    course course;
} a_force;

typedef struct an_actuator {
    int there, joint, state; /* state: that gives its effort; -1: none */
    double k, d, rest, effort, freq, lo, hi, stop_k, stop_width;
} an_actuator;

typedef struct a_coupling {
    int there, a, b;
    double ratio;
} a_coupling;

typedef struct a_state {
    int there, joint;
    double size, tau; /* it follows coordinate/size, behind by tau */
} a_state;

typedef struct spec {
    uint64_t seed;
    double L, T, M; /* sizes of its numbers */
    ph_vec3 gravity;
    double h;
    int halved;    /* how often h was: a run takes more steps then */
    int loops;     /* 1: some conditions may repeat others */
    int parameter; /* the body whose inertia is p times what it says; GROUND: none */
    a_body body[MOST_BODIES];
    a_joint joint[MOST_JOINTS];
    a_force force[MOST_FORCES];
    an_actuator actuator[MOST_ACTUATORS];
    a_coupling coupling[MOST_COUPLINGS];
    a_state state[MOST_STATES];
    int n_bodies, n_joints, n_forces, n_actuators, n_couplings, n_states;
    int order[MOST_BODIES]; /* in which bodies are written; joints and forces backwards where backwards */
    int backwards;
} spec;

/* Uniform in [0, 1), one of n, and so on, of the generator splitmix64. */
static inline double draw(uint64_t *s)
{
    uint64_t z = *s += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u, z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static inline double between(uint64_t *s, double lo, double hi)
{
    return lo + (hi - lo) * draw(s);
}

static inline double decades(uint64_t *s, double lo, double hi) /* between two numbers, by their logarithms */
{
    return lo * pow(hi / lo, draw(s));
}

static inline int one_of(uint64_t *s, int n)
{
    return (int)(n * draw(s));
}

static inline int chance(uint64_t *s, double p)
{
    return draw(s) < p;
}

static inline ph_vec3 vector(uint64_t *s, double size)
{
    ph_vec3 x = {between(s, -1, 1), between(s, -1, 1), between(s, -1, 1)};
    return ph_scale(size, x);
}

static inline ph_vec3 unit(ph_vec3 x)
{
    return ph_scale(1 / ph_norm(x), x);
}

static inline ph_vec3 direction(uint64_t *s)
{
    for (;;) {
        ph_vec3 x = vector(s, 1);
        if (ph_norm(x) > 0.2 && ph_norm(x) < 1)
            return unit(x);
    }
}

static inline ph_vec3 across(uint64_t *s, ph_vec3 axis) /* a direction across another */
{
    for (;;) {
        ph_vec3 x = ph_cross(axis, direction(s));
        if (ph_norm(x) > 0.3)
            return unit(x);
    }
}

static inline ph_quat turn(uint64_t *s)
{
    double angle = between(s, 0, 3.1);
    ph_vec3 a = ph_scale(sin(angle / 2), direction(s));
    return (ph_quat){cos(angle / 2), a.x, a.y, a.z};
}

/* A joint has one free coordinate: 'r' an angle, 'l' a length, 0: it has not. */
static inline char coordinate_of(const a_joint *j)
{
    switch (j->kind) {
    case REVOLUTE:
        return 'r';
    case PRISMATIC:
        return 'l';
    case GENERIC:
        for (int k = 0; k < 6; k++)
            if (j->lock == (63u & ~(1u << k)))
                return k < 3 ? 'l' : 'r';
        return 0;
    default:
        return 0;
    }
}

/* ---- text -------------------------------------------------------------------------------------------------- */

static inline void put_vector(FILE *to, const char *key, ph_vec3 x)
{
    fprintf(to, ", %s = {%.17g, %.17g, %.17g}", key, x.x, x.y, x.z);
}

static inline void put_number(FILE *to, const char *key, double x)
{
    fprintf(to, ", %s = %.17g", key, x);
}

static inline void put_number_if(FILE *to, const char *key, double x)
{
    if (x != 0)
        put_number(to, key, x);
}

static inline void put_pair(FILE *to, int a, int b)
{
    char name[2][16] = {"ground", "ground"};
    if (a != GROUND)
        snprintf(name[0], sizeof name[0], "b%d", a);
    if (b != GROUND)
        snprintf(name[1], sizeof name[1], "b%d", b);
    fprintf(to, ", bodies = {'%s', '%s'}", name[0], name[1]);
}

static inline void put_body(FILE *to, const spec *s, int i)
{
    const a_body *b = &s->body[i];
    const char *p = s->parameter == i ? "p*" : "";
    fprintf(to, "%s { name = 'b%d', mass = %s%.17g", b->particle ? "particle" : "body", i, p, b->m);
    put_vector(to, "position", b->x);
    if (b->moves)
        put_vector(to, "velocity", b->v);
    if (!b->particle) {
        fprintf(to, ", inertia = {%s%.17g, %s%.17g, %s%.17g, %s%.17g, %s%.17g, %s%.17g}", p, b->J.xx, p,
                b->J.yy, p, b->J.zz, p, b->J.xy, p, b->J.xz, p, b->J.yz);
        fprintf(to, ", rotation = {%.17g, %.17g, %.17g, %.17g}", b->q.w, b->q.x, b->q.y, b->q.z);
        if (b->moves)
            put_vector(to, "omega", b->w);
    }
    fprintf(to, " }\n");
}

static inline void put_lock(FILE *to, unsigned lock)
{
    static const char *const name[] = {"x", "y", "z", "rx", "ry", "rz"};
    const char *comma = "";
    fprintf(to, ", lock = {");
    for (int k = 0; k < 6; k++)
        if (lock & 1u << k)
            fprintf(to, "%s'%s'", comma, name[k]), comma = ", ";
    fprintf(to, "}");
}

static inline void put_joint(FILE *to, const spec *s, int i)
{
    static const char *const word[] = {"spherical",     "revolute", "universal", "prismatic",
                                       "cylindrical",   "planar",   "fixed",     "distance",
                                       "point_on_line", "rolling",  "generic"};
    const a_joint *j = &s->joint[i];
    joint_kind k = j->kind;
    fprintf(to, "joint { name = 'j%d', type = '%s'", i, word[k]);
    put_pair(to, j->a, j->b);
    put_vector(to, k == DISTANCE ? "at_a_world" : "at", j->at);
    if (k == DISTANCE)
        put_vector(to, "at_b_world", j->to);
    if (k == REVOLUTE || k == PRISMATIC || k == CYLINDRICAL || k == POINT_ON_LINE || k == ROLLING ||
        k == UNIVERSAL)
        put_vector(to, k == UNIVERSAL ? "axis_a" : "axis", j->axis);
    if (k == UNIVERSAL)
        put_vector(to, "axis_b", j->other);
    if (k == PLANAR || k == ROLLING)
        put_vector(to, "normal", k == PLANAR ? j->axis : j->other);
    if (k == ROLLING)
        put_number(to, "radius", j->radius);
    if (k == GENERIC) {
        put_lock(to, j->lock);
        fprintf(to, ", frame = {%.17g, %.17g, %.17g, %.17g}", j->frame.w, j->frame.x, j->frame.y, j->frame.z);
    }
    if (j->mu > 0) {
        put_number(to, "friction", j->mu), put_number(to, "friction_speed", j->mu_speed);
        if (k != PRISMATIC)
            put_number(to, "friction_radius", j->mu_radius);
    }
    if (j->driven)
        fprintf(to, ", drive = function(t) return %.17g*(1 - math.cos(%.17g*t)) end", j->amplitude, j->freq);
    fprintf(to, " }\n");
}

static inline void put_load(FILE *to, const a_force *f)
{
    ph_vec3 v = f->value;
    if (f->course == CONSTANT)
        put_vector(to, "value", v);
    else if (f->course == WAVE)
        fprintf(to,
                ", value = function(t, s) local c = math.sin(%.17g*t); return %.17g*c, %.17g*c, %.17g*c end",
                f->freq, v.x, v.y, v.z);
    else
        fprintf(to, ", value = function(t, s) local v = s.%s; return -%.17g*v.x, -%.17g*v.y, -%.17g*v.z end",
                f->kind == FORCE ? "velocity" : "omega", v.x, v.x, v.x);
    if (f->in_body)
        fprintf(to, ", frame = 'body'");
}

static inline void put_force(FILE *to, const spec *s, int i)
{
    static const char *const word[] = {"spring", "bushing", "torsion", "force", "torque", "beam_element"};
    const a_force *f = &s->force[i];
    force_kind k = f->kind;
    fprintf(to, "%s { name = 'f%d'", word[k], i);
    if (k == SPRING || k == BUSHING || k == BEAM)
        put_pair(to, f->a, f->b);
    else
        fprintf(to, ", body = 'b%d'", f->a);
    if (k == SPRING || k == BUSHING)
        put_vector(to, "at_a_world", f->at), put_vector(to, "at_b_world", f->to);
    if (k == FORCE)
        put_vector(to, "at_world", f->at);
    if (k == SPRING)
        put_number(to, "k", f->k.x), put_number(to, "d", f->d.x), put_number(to, "length", f->length);
    if (k == BUSHING) {
        put_vector(to, "k", f->k), put_vector(to, "d", f->d), put_vector(to, "kr", f->kr),
            put_vector(to, "dr", f->dr);
        fprintf(to, ", frame = '%s'", f->in_body ? "body" : "world");
    }
    if (k == TORSION)
        put_number(to, "k", f->kr.x), put_number(to, "d", f->dr.x);
    if (k == FORCE || k == TORQUE)
        put_load(to, f);
    if (k == BEAM) {
        fprintf(to, ", K = {%.17g, %.17g, %.17g, %.17g, %.17g, %.17g}", f->k.x, f->k.y, f->k.z, f->kr.x,
                f->kr.y, f->kr.z);
        fprintf(to, ", D = {%.17g, %.17g, %.17g, %.17g, %.17g, %.17g}", f->d.x, f->d.y, f->d.z, f->dr.x,
                f->dr.y, f->dr.z);
        put_number(to, "length", f->length);
    }
    fprintf(to, " }\n");
}

static inline void put_actuator(FILE *to, const spec *s, int i)
{
    const an_actuator *a = &s->actuator[i];
    fprintf(to, "actuator { name = 'a%d', joint = 'j%d'", i, a->joint);
    put_number_if(to, "k", a->k), put_number_if(to, "d", a->d), put_number_if(to, "rest", a->rest);
    if (a->state >= 0 && s->state[a->state].there)
        fprintf(to, ", effort = function(t, s) return %.17g*s.states.s%d end", a->effort, a->state);
    else if (a->freq > 0)
        fprintf(to, ", effort = function(t, s) return %.17g*math.cos(%.17g*t) end", a->effort, a->freq);
    else
        put_number_if(to, "effort", a->effort);
    if (a->stop_k > 0) {
        fprintf(to, ", stops = {%.17g, %.17g}", a->lo, a->hi);
        put_number(to, "stop_k", a->stop_k), put_number(to, "stop_width", a->stop_width);
    }
    fprintf(to, " }\n");
}

/* The model file, which the caller frees. */
static inline char *write_spec(const spec *s)
{
    char *text;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    assert_non_null(to);
    if (s->parameter != GROUND)
        fprintf(to, "local p = param('p', 1)\n");
    fprintf(to, "gravity {%.17g, %.17g, %.17g}\n", s->gravity.x, s->gravity.y, s->gravity.z);
    for (int k = 0; k < s->n_bodies; k++)
        if (s->body[s->order[k]].there)
            put_body(to, s, s->order[k]);
    for (int k = 0; k < s->n_joints; k++) {
        int i = s->backwards ? s->n_joints - 1 - k : k;
        if (s->joint[i].there)
            put_joint(to, s, i);
    }
    for (int k = 0; k < s->n_forces; k++) {
        int i = s->backwards ? s->n_forces - 1 - k : k;
        if (s->force[i].there)
            put_force(to, s, i);
    }
    for (int i = 0; i < s->n_states; i++)
        if (s->state[i].there)
            fprintf(to,
                    "state { name = 's%d', rate = function(t, s) return (s.joints.j%d.position/%.17g - "
                    "s.states.s%d)/%.17g end }\n",
                    i, s->state[i].joint, s->state[i].size, i, s->state[i].tau);
    for (int i = 0; i < s->n_actuators; i++)
        if (s->actuator[i].there)
            put_actuator(to, s, i);
    for (int i = 0; i < s->n_couplings; i++) {
        const a_coupling *c = &s->coupling[i];
        if (c->there)
            fprintf(to, "coupling { name = 'c%d', joints = {'j%d', 'j%d'}, ratio = %.17g%s }\n", i, c->a,
                    c->b, c->ratio,
                    coordinate_of(&s->joint[c->a]) == coordinate_of(&s->joint[c->b]) ? ""
                    : coordinate_of(&s->joint[c->a]) == 'r'                          ? ", unit = 'm/rad'"
                                                                                     : ", unit = 'rad/m'");
    }
    fprintf(to, "run { h = %.17g, t_end = %.17g, assemble = true }\n", s->h, 64 * s->h);
    assert_int_equal(fclose(to), 0);
    return text;
}

#endif
