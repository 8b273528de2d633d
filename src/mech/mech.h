/* A mechanism from inside: bodies, joints and forces with everything that a loop over them needs.
 *
 * Elements compute in physical coordinates, whatever the space: each joins two bodies a and b, each body
 * has two halves, x (position of the centre of mass, world) and phi (left increment of its rotation, body;
 * velocity Omega). Half h of side s is slot 2s + h. The ground has no slots, a particle only x. A space
 * says how its coordinates give these.
 *
 * A marker of a flexible body has halves as well, and no nodes: it moves as the frame and the modes of its
 * body do, see carry.h. */
#ifndef PH_MECH_MECH_H
#define PH_MECH_MECH_H

#include <stdatomic.h>

#include "base/base.h"
#include "la/small.h"
#include "mech/element.h"
#include "mech/model.h"
#include "mech/tables.h"

/* ---- joints ------------------------------------------------------------------------------------- */

typedef struct ph_carried ph_carried;

/* A primitive: a group of rows that many joints share; one file, with rows and derivatives side by side.
 * Rows of picked components follow each other. lambda: of its rows. */
typedef struct ph_part {
    unsigned couples; /* nonzero blocks of K */
    void (*Phi)(const ph_site *s, double *out);
    void (*B)(const ph_site *s, const ph_put *p);                  /* rows of the tangent */
    void (*Phi_B)(const ph_site *s, double *Phi, const ph_put *p); /* at once; NULL: one after the other */
    void (*K)(const ph_site *s, const double *lambda, const ph_put *p); /* adds d(B^T lambda)/dq */
    void (*Z)(const ph_site *s, const ph_put *p);                       /* rows of d(B v + Phi_t)/dq */
    void (*Phi_t)(const ph_site *s, double *out);                       /* NULL: 0 */
    void (*convective)(const ph_site *s, double *out);                  /* d(B v + Phi_t)/dt at fixed v */
    const char *text; /* compiled models call ph_TEXT_Phi, ph_TEXT_B, ...; NULL: they refuse it */
    /* the numbers that it reads of two joints agree up to round-off; NULL: it reads all; place: the size of positions */
    int (*same)(const ph_joint *a, const ph_joint *b, unsigned pick, double place);
} ph_part;

/* The members of the record of a primitive whose functions are those of a header, which compiled models have too. */
#define PH_PLAIN_PART(name)                                                                                  \
    .text = #name, .Phi = ph_##name##_Phi, .B = ph_##name##_B, .K = ph_##name##_K, .Z = ph_##name##_Z,       \
    .convective = ph_##name##_convective

extern const ph_part ph_part_point, ph_part_slide, ph_part_turn, ph_part_ortho, ph_part_distance,
    ph_part_roll;

#define PH_PARTS    3
#define PH_ROWS_MAX 6 /* of one joint */

struct ph_joint {
    int def; /* of the model */
    int body[2];
    int constraint; /* of the system */
    int l_at, rows; /* multipliers */
    int n_parts;
    struct {
        const ph_part *op;
        int row, rows;
        unsigned pick;
    } part[PH_PARTS];
    ph_vec3 sa, sb; /* joint points, body frames */
    ph_quat Ca, Cb; /* joint frame, as seen from the bodies */
    ph_mat3 Ea, Eb; /* their matrices: columns are the axes of the joint frame */
    ph_vec3 ea, eb; /* axes of universal; eb: axle of rolling */
    double length;  /* of distance without drive */
    double radius;  /* of rolling */
    int free; /* its coordinate: 0..2 along, 3..5 about the axes of the joint frame, 6: distance; -1: none */
    unsigned frees; /* bits: all of these that are free, and the distance */
    int drive;      /* the same, where it is driven; -1: not */
    const ph_function *f;
    int nonholonomic;
    int switched; /* events release or engage it, */
    int idle;     /* and it is released: its rows are zero */
    int turns;    /* where its angles start in the mechanism's turns */
    struct ph_angle
        *angle;      /* one or two angles that are kept, those that are free (coordinate.h); NULL: none are */
    int B[PH_SLOTS]; /* where its slots stand in links */
    int K[16];       /* and its pairs of slots in pairs */
    int v[PH_SLOTS]; /* and its slots in vectors */
    int links, size; /* all its blocks in links, and their numbers */

    int direct;                /* its rows in physical coordinates are those of the system */
    const ph_carried *carried; /* its places, where a side is a marker; NULL: these */
};

/* A joint that is one point and nothing else, in physical coordinates or those of SE(3): the case that must be fast.
 * -1: not there. */
typedef struct ph_pin_end {
    int x, v, R, w; /* in q, v, R, v */
    int Bx, Bw;     /* its columns in links */
    ph_vec3 s;
} ph_pin_end;

typedef struct ph_pin {
    int l_at;
    ph_pin_end a, b;
} ph_pin;

/* All pins of one body: what they add to its blocks of K is stored at once. */
typedef struct ph_pinned_body {
    int R;
    int K_ww, K_xw; /* blocks (phi, phi) and (U, phi); the second is zero in physical coordinates */
    int end;        /* of its arms; they start where those of the body before end */
} ph_pinned_body;

typedef struct ph_pin_arm {
    int l_at;
    double sign; /* of the side, */
    ph_vec3 s;   /* which is in s */
} ph_pin_arm;

/* ---- forces ------------------------------------------------------------------------------------- */

/* A function of the file needs Lua, at least somewhere. */
static inline int ph_function_is_untraced(const ph_function *f)
{
    return f->call && (!f->traced || !f->traced->program || f->traced->untraced);
}

/* Effort and rate: their product is a power [W]. */
typedef struct ph_port {
    double f, v;
} ph_port;

#define PH_PAIRS_MAX 12 /* of one element */

static inline void ph_put_pairs(ph_vec3 f, ph_vec3 v, ph_port out[3])
{
    out[0] = (ph_port){f.x, v.x}, out[1] = (ph_port){f.y, v.y}, out[2] = (ph_port){f.z, v.z};
}

/* One kind of force: a file, a row. Forces with inertia have M; their g adds M acc + g, with the weight of
 * their masses, and their K adds d(M acc + g)/dq: callers put into acc what they want. */
typedef struct ph_force_ops {
    ph_status (*g)(const ph_force_site *s, ph_vec3 r[PH_SLOTS]); /* adds to the terms of g */
    /* adds dg/dv, dg/dq; NULL: runs go without them, and everything that needs tangents refuses the force (support.h) */
    ph_status (*C)(const ph_force_site *s, const ph_put *p);
    ph_status (*K)(const ph_force_site *s, const ph_put *p);
    const char *
        text; /* compiled models call ph_TEXT_g, ph_TEXT_C, ph_TEXT_K, ph_TEXT_energy; NULL: they refuse it */
    const char *variant; /* words for messages, if the row has another record as well; may be NULL */
    /* g and K at once, of forces without inertia; NULL: one after the other */
    ph_status (*g_K)(const ph_force_site *s, ph_vec3 r[PH_SLOTS], const ph_put *p);
    double (*energy)(const ph_force_site *s); /* potential; NULL: none */
    /* n_pairs of the force: by these energy enters that no potential holds; NULL: by none */
    ph_status (*pairs)(const ph_force_site *s, ph_port *out);
    int n_pairs;
    int body_axes;                                           /* it obeys body_axes of its site */
    ph_status (*M)(const ph_force_site *s, const ph_put *p); /* adds a mass matrix, symmetric; NULL: none */
    /* with M: adds terms of g, M, C and K at once, those that are not NULL; 12 x 12, physical coordinates */
    ph_status (*all)(const ph_force_site *s, ph_vec3 *r, double *M, double *C, double *K);
    double (*kinetic)(const ph_force_site *s); /* kinetic energy; there where M is */
    /* friction: dg/dlambda, column by column: r[slot] for row i of the joint */
    void (*g_lambda)(const ph_force_site *s, int i, ph_vec3 r[PH_SLOTS]);
    /* friction: return the sliding velocity over the speed below which the law is smooth; linear in the velocities */
    ph_vec3 (*slip)(const ph_force_site *s);
    int slips, presses; /* components of slip; rows of the joint that press */
    /* a number that changes if the law takes another formula (RB6); NULL: it has one */
    uint64_t (*side)(const struct ph_mechanism *m, const ph_state *s, const ph_force *f);
    /* of rows of forces.def, for building: */
    int turns;                                  /* acts on rotations: particles have none */
    unsigned (*couples)(const ph_force_def *d); /* nonzero blocks of K and C; NULL: all */
    int (*still)(const ph_force_def *d);        /* it does not depend on velocities; NULL: where C is NULL */
    ph_status (*make)(const ph_model *model, ph_force *f, ph_error *err); /* what is its own; NULL: nothing */
} ph_force_ops;

/* Functions NAME_g, NAME_C and NAME_K of a force that cannot fail, from those of a header, which compiled models have too; and the
 * members of its record for them. */
#define PH_PLAIN_FORCE(name)                                                                                 \
    static ph_status name##_g(const ph_force_site *s, ph_vec3 r[PH_SLOTS])                                   \
    {                                                                                                        \
        ph_##name##_g(s, r);                                                                                 \
        return PH_OK;                                                                                        \
    }                                                                                                        \
    static ph_status name##_C(const ph_force_site *s, const ph_put *p)                                       \
    {                                                                                                        \
        ph_##name##_C(s, p);                                                                                 \
        return PH_OK;                                                                                        \
    }                                                                                                        \
    static ph_status name##_K(const ph_force_site *s, const ph_put *p)                                       \
    {                                                                                                        \
        ph_##name##_K(s, p);                                                                                 \
        return PH_OK;                                                                                        \
    }
#define PH_PLAIN_TERMS(name) .text = #name, .g = name##_g, .C = name##_C, .K = name##_K

extern const ph_force_ops ph_force_beam_mass;
extern const ph_force_ops ph_force_bushing_body;             /* axes of the first body */
extern const ph_force_ops ph_force_actuator, ph_force_swing; /* swing: about the rotation vector */

/* load.c: adds dg/dq (K 1) or dg/dv (K 0) of a load whose function reads more than its body */
ph_status ph_load_tangent(const struct ph_mechanism *m, const ph_state *s, const ph_force *f, int K,
                          double *out);

extern const ph_force_ops ph_friction_revolute, ph_friction_spherical, ph_friction_prismatic;

struct ph_force {
    const ph_force_ops *op;
    const ph_force_def *def; /* NULL: friction */
    int body[2];
    unsigned couples;                /* nonzero blocks of K and C */
    int still;                       /* C = 0 */
    int n_pairs;                     /* effort and rate, by which energy enters */
    int sided;                       /* ph_force_has_sides */
    ph_vec3 sa, sb;                  /* points, body frames */
    double length;                   /* unstressed */
    double d0[6];                    /* of beam elements: log of b as seen from a, unstressed */
    double mass;                     /* of beam elements with inertia, all times length: mass, */
    ph_vec3 moment;                  /* first moment, in axes of the section, */
    ph_mat3 J;                       /* and moments of inertia about the line of the nodes */
    ph_quat rest;                    /* of bushing: conj(q_a) q_b when unstressed */
    const ph_joint *joint;           /* of friction */
    const ph_actuator_def *actuator; /* NULL: it is none; */
    const ph_joint *along;           /* its joint; of a bushing with axes of a body what that is along, */
    struct ph_reach
        *reach; /* where tangents of its effort go, if that is a function, or of a load's function; NULL: */
    int coordinate;         /* and its coordinate; -1: the rotation vector */
    double friction, speed; /* of friction: mu times lever, speed below which it is smooth */
    int v[PH_SLOTS];
    int K[16];
    int B[PH_SLOTS]; /* of friction: blocks of g_lambda */

    int direct;                /* its terms in physical coordinates are those of the system */
    int in_lane;               /* a batch of the mechanism has it */
    const ph_carried *carried; /* its places, where a side is a marker; NULL: these */
};

/* ---- inputs and couplings ----------------------------------------------------------------------- */

/* The value of an input over time: from u[0] at t[0] to u[1] at t[1] and constant beyond; or a table. */
typedef struct ph_input {
    double t[2], u[2];
    int step;                 /* a table is no line from point to point, but steps */
    int n;                    /* points of the table; 0: none */
    const double *at, *value; /* its abscissae, rising, and its values */
    double from;              /* of steps: the begin of the present step of time, where a step is taken */
    int own; /* nothing was set: it has the value of the model, of a neighbour that of its own */
} ph_input;

double ph_input_at(const ph_input *u, double t);
double ph_input_jump(const ph_input *u, double t,
                     double before); /* the next time after t and before another at which a table
                                      * steps, neither but for rounding; HUGE_VAL: there is none */
double ph_mechanism_input(const struct ph_mechanism *m, int input, double t);

/* A row between the coordinates of two joints: sum of factor x = offset. Each half has the bodies of its joint, its
 * places of d(B^T lambda)/dq, and its blocks within the row of B. */
/* A state of the model: a node of R^n, whose velocities are its numbers (state.c). */
typedef struct ph_own_state {
    int node, n, q, v;
    int M; /* its block in pairs */
    struct ph_reach *reach;
} ph_own_state;

/* state.c: the numbers of a state; */
const double *ph_state_numbers(const struct ph_mechanism *m, const ph_state *s, int state);
void ph_states_initial(const struct ph_mechanism *m, double *q, double *v);
void ph_states_M(const struct ph_mechanism *m, double *out);
ph_status ph_states_g(const struct ph_mechanism *m, const ph_state *s, double *out);
ph_status ph_states_tangent(const struct ph_mechanism *m, const ph_state *s, int K, double *out);
/* and efforts that are functions */
ph_status ph_effort_value(const struct ph_mechanism *m, const ph_state *s, const ph_function *f, double *out);
ph_status ph_effort_tangent(const struct ph_mechanism *m, const ph_state *s, const ph_force *f,
                            const ph_vec3 b[PH_SLOTS], int K, double *out);

typedef struct ph_couple {
    int def;
    int constraint, l_at;
    int B, size;      /* its blocks in links, one after the other, and their numbers */
    ph_joint half[2]; /* copies of the joints, with places of their own */
    const ph_joint *of[2];
    int coordinate[2];
    double factor[2], offset;
} ph_couple;

ph_status ph_actuator_make(const struct ph_mechanism *m, int def, ph_force *out, ph_error *err);
ph_status ph_couple_make(const struct ph_mechanism *m, int def, ph_couple *out, ph_error *err);
void ph_bushing_axes(const ph_force *f, ph_joint *out); /* bushing_body.c: what it is along and about */
const ph_force *ph_actuator_of(const struct ph_mechanism *m, int def); /* the force that an actuator is */
double ph_actuator_effort(const ph_force_site *s);                     /* with its spring, damper and stops */
int ph_actuator_reads_value(const ph_actuator_def *d); /* its effort depends on its coordinate */

/* ---- spaces ------------------------------------------------------------------------------------- */

/* The constraint that initial values violated most before assembling moved them; 0: nothing had to move. */
typedef struct ph_projected {
    double violation;
    int constraint; /* joints first, then those of the model's functions */
} ph_projected;

/* An angle that counts over many turns, when it was tracked last; rate NAN: never, since the start. */
typedef struct ph_counted {
    double angle, rate, t;
} ph_counted;

typedef struct ph_body {
    int particle;
    int turns;    /* it has a second half of its own: neither a particle nor a marker */
    int node[2];  /* of its halves; -1: none */
    int q[2];     /* position and quaternion in q */
    int v[2];     /* velocities of its halves; its other coordinates follow */
    int R;        /* rotation matrix; -1: none */
    int M[4];     /* blocks (x, x) (x, phi) (phi, x) (phi, phi) in pairs; -1: not there */
    int frame;    /* the body whose coordinates move it: of a marker the frame, else itself */
    int marker;   /* index of the marker; -1: none */
    int flex;     /* index of its flexible body; -1: none */
    int nodes, n; /* nodes, which follow each other, and their coordinates; of a marker those of the frame */
    double m;     /* 0 of flexible bodies, whose inertia is that of their modes */
    ph_mat3 J;
    double scale;   /* kg m^2, of the size of its moments of inertia, also where forces have them */
    ph_vec3 weight; /* m gravity, world, times the factor of loads */
} ph_body;

/* A body with principal axes, in physical coordinates or those of SE(3): the usual case, in little memory. */
typedef struct ph_rigid {
    int q, x, w; /* position; halves in vectors */
    int R,
        C[3]; /* rotation; blocks in pairs: (U, U) and (U, phi), which only body axes have, and (phi, phi) */
    double m;
    ph_vec3 J, d; /* moments of inertia; J_z - J_y, J_x - J_z, J_y - J_x */
} ph_rigid;

/* A flexible body: its frame has the halves of a body, and a node of R^n for zeta. */
typedef struct ph_flex {
    const ph_reduced *r;
    int body;     /* its frame */
    int q, v;     /* zeta and its velocities */
    int M[3 * 3]; /* blocks of its nodes in pairs */
} ph_flex;

#define PH_HALF_MAX 4 /* coordinates of one half */

/* How the coordinates of a space give the physical ones, one body at one instant. n: coordinates of a half.
 * */
typedef struct ph_chain_rule {
    double D[2][3 * PH_HALF_MAX]; /* 3 x n[h]: physical increment of half h by its coordinates */
    double V[2][3 * PH_HALF_MAX]; /* 3 x n[1]: physical velocity of half h by the coordinates of half 1 */
    int n[2];                     /* 3 and 0 of a particle */
    int bent;                     /* the half whose D is not the identity and whose V is not zero */
    int row;          /* coordinates of the node of half h: n[h], or of both where they are one node */
    const double *at; /* coordinates of half 1, where fold needs them */
} ph_chain_rule;

/* How physical accelerations D y'' + V y' of half h depend on the coordinates of a space, beyond y''. */
typedef struct ph_slope {
    double Y[2][3 * PH_HALF_MAX];    /* 3 x n[1]: by the coordinates of half 1 */
    double U[2][2][3 * PH_HALF_MAX]; /* [h][k], 3 x n[k]: by the velocities of half k */
} ph_slope;

/* A space: one file, one row in space.c. Everything beyond the first line is for spaces whose coordinates
 * are not the physical ones. */
typedef struct ph_space {
    int plain;     /* coordinates are physical: x of R^3 and SO(3), two nodes */
    int n[2];      /* coordinates of the halves */
    int joined;    /* one node for both */
    int bent;      /* the half whose coordinates are not physical ones; the other one is as it is */
    int body_axes; /* coordinates are body components: dx = R dU */
    int varies;    /* the mass matrix depends on the coordinates */
    int norm;      /* coordinates of half 1 have |y| = 1: a constraint for each body */
    ph_node node[2];
    void (*kin)(const ph_state *s, const ph_body *b, ph_kin *k);
    void (*acceleration)(const ph_state *s, const ph_body *b, ph_vec3 *a, ph_vec3 *omega_dot);
    void (*set)(const ph_body *b, const ph_kin *k, double *q,
                double *v);                             /* its coordinates from physical ones */
    int (*singular)(const ph_body *b, const double *q); /* its coordinates are of no use there; NULL: never */
    void (*chain)(const ph_state *s, const ph_body *b, ph_chain_rule *c);
    void (*fold)(const ph_chain_rule *c, int half, ph_vec3 r,
                 double *out); /* d(D_h^T r)/d(half 1), n[h] x n[1] */
    void (*slope)(const ph_state *s, const ph_body *b, ph_slope *c);
    /* inertia, gyroscopic terms and weight of one body */
    void (*M)(const ph_body *b, const ph_state *s, double *out);
    void (*g)(const ph_body *b, const ph_state *s, double *out);
    void (*C)(const ph_body *b, const ph_state *s, double *out);
    void (*K)(const ph_body *b, const ph_state *s, double *out); /* adds; NULL: 0 */
} ph_space;

/* f(axes, m, ...), axes a constant: 0: physical coordinates, 1: body axes */
#define PH_IN_AXES(f, m, ...) ((m)->space->body_axes ? f(1, m, __VA_ARGS__) : f(0, m, __VA_ARGS__))

extern const ph_space ph_space_r3xso3, ph_space_se3, ph_space_euler, ph_space_cardan;

const ph_space *ph_space_get(ph_space_code code); /* NULL: not there */

/* |y|^2 = 1 of one body: where y and y' stand, its row, its block of links and its block of pairs. */
typedef struct ph_unit_norm {
    int q, v, l_at, B, K;
} ph_unit_norm;

#define PH_NORM_NAME  "norm of '%s'"
#define PH_MODES_NAME "modes of '%s'"
#define PH_SINGULAR                                                                                          \
    "Cardan angles are singular, at 90 degrees of the second one: use another space, such as R3xSO3"

/* The parameter that traced functions of the model are expressions of, where it was read so. The mechanism of a value p
 * near p0 may have their tangents there instead of them,
 *
 *   f(p0) + (p - p0) df/dp(p0)                                                                        (P8)
 *
 * which have the same derivative by p, and differences over such values that are exact. */
typedef struct ph_parameter {
    double value; /* p */
    double about; /* p0 */
    int tangents; /* 1: (P8) */
} ph_parameter;

/* ---- the mechanism ------------------------------------------------------------------------------ */

struct ph_mechanism {
    const ph_model *model;
    const ph_space *space;
    ph_system sys;
    const ph_allocator *alloc;
    int n_joints, n_pins, n_unpinned,
        n_forces; /* joints: constraints of them; unpinned: joints that are no pins and in no batch */
    int n_rigid, n_general, n_pinned; /* general: bodies that are not rigid ones with principal axes */
    int n_norms;                      /* constraints after those of joints */
    int n_flex, n_carried;            /* carried: elements with a marker */
    int n_beams, n_hinges;            /* batches of beam elements and of joints */
    int n_sections;                   /* that batches of beam elements have */
    ph_body *body;                    /* of the model */
    ph_rigid *rigid;
    int *general;
    ph_joint *joint;
    ph_pin *pin;
    ph_pinned_body *pinned;
    ph_pin_arm *arm;
    ph_unit_norm *norm;
    ph_flex *flex;
    ph_carried *carried;
    struct ph_beam_batch *beam;
    struct ph_beam_sections *sections;
    struct ph_hinge_batch *hinge;
    ph_input *input;        /* of the model */
    ph_couple *couple;      /* of the model's couplings */
    ph_joint *axes;         /* of bushings with axes of a body: no joints, but what coordinates need of one */
    ph_own_state *own;      /* of the model's states */
    ph_parameter parameter; /* that functions are expressions of */
    int still;              /* positions of their nodes are the states, for statics; 0: velocities are */
    struct ph_reach *reach; /* of states, then of efforts that are functions, then of loads */
    double *rows;           /* scratch for derivatives of their functions */
    char *names;            /* of the norms and of nodes of modes */
    int *unpinned;          /* joints that come one by one */
    int *joint_of; /* of the model's joints: the first of its constraints, and their end: n_joints + 1 */
    ph_force *force;
    const ph_force **friction; /* the forces that are friction */
    int n_friction;
    ph_node *node;
    ph_constraint *constraint;
    ph_place *pair, *link;
    unsigned char *pair_has; /* see system.h */
    int nq, nv, nl, nR, size_pairs, size_links;
    struct ph_user *user;  /* of the model's constraints (user.h) */
    int functions;         /* a force or a constraint calls a function of the states that is not traced */
    int inertia;           /* a force has a mass matrix */
    int damped;            /* a force or a state depends on velocities */
    int sided;             /* the law of a force has switches */
    ph_body_state *states; /* of all bodies, for functions */
    double *scratch;       /* of user constraints */
    ph_counted *turns;     /* of all angles that are free: the last one, counted over many turns */
    int n_turns;
    ph_memory memory;       /* of the system: these turns */
    struct ph_angle *angle; /* of joints that have one or two; NULL: nothing reads them in a step */
    double *room;           /* of the largest function that was traced, one at a time; NULL: all are small */
    atomic_flag room_taken;
    struct {
        double work, dissipated; /* J, since the start: the run adds them up */
    } balance;
    double *q0, *v0;
    struct ph_look *look; /* of objectives; NULL: there are none */
    int *dependent;       /* of each constraint: rows that those before it imply */
    double load;          /* factor of gravity and of applied forces and torques; 1 but in static steps */
    atomic_int singular;  /* 1 + the last body whose coordinates were singular; 0: none */
    atomic_int turned;    /* 1 + the last force, a beam element, that turned too far; 0: none */
    atomic_int rough;     /* 1 + the last joint whose drive has no derivative; 0: none */
    ph_projected projected[2]; /* of positions and velocities: what assembling removed */
    void *block;
    struct ph_skeleton *skeleton; /* of the system; NULL: not asked for yet */
};

/* mechanism.c: the layout of the system, the mechanism's, made when it is asked for first */
ph_status ph_mechanism_skeleton(ph_mechanism *m, struct ph_skeleton **out, ph_error *err);

/* kin.c */
void ph_kin_fill(const ph_mechanism *m, const ph_state *s, int body, ph_kin *k);
ph_kin ph_kin_of(const ph_mechanism *m, const ph_state *s, int body);
void ph_states_of(const ph_mechanism *m, const ph_state *s,
                  ph_body_state *out); /* all bodies, without accelerations */
ph_status ph_joint_site(const ph_mechanism *m, const ph_state *s, const ph_joint *j, int level,
                        ph_site *site);
void ph_force_at(const ph_mechanism *m, const ph_state *s, const ph_force *f,
                 ph_force_site *site); /* acc of forces with inertia: what the coordinates give at vdot = 0 */
void ph_force_accelerate(const ph_mechanism *m, const ph_state *s,
                         ph_force_site *site); /* acc: of the state */

/* power.c: energy that enters or leaves, pair by pair. at NULL: only the sum. */
typedef struct ph_flow {
    ph_port *at; /* the next pair goes there */
    double sum;  /* W */
} ph_flow;

/* Add all pairs by which energy enters (given) and leaves (lost) at a state; NAN in the sum of a function that fails. */
void ph_mechanism_flows(const ph_mechanism *m, const ph_state *s, ph_flow *given, ph_flow *lost);
/* The number of these pairs; both 0: the mechanism keeps its energy. */
void ph_mechanism_count_pairs(const ph_mechanism *m, int *given, int *lost);
void ph_flow_add(ph_flow *flow, int n, const ph_port *pair);
/* sides.c: a number that changes if a law takes another formula; ctx: the mechanism */
uint64_t ph_mechanism_sides(const ph_state *s, void *ctx);
uint64_t ph_function_side(const ph_mechanism *m, const ph_state *s, const ph_force *force,
                          const ph_function *f, int n);
enum { PH_SIDES_OF_LAW = 1, PH_SIDES_OF_FUNCTION = 2 };
int ph_force_has_sides(const ph_force *f); /* of these, or 0 */

/* view.c: J */
/* The largest speed and the largest angular velocity of a body. */
void ph_mechanism_fastest(const ph_mechanism *m, const ph_state *s, double *speed, double *spin);
void ph_mechanism_energies(const ph_mechanism *m, const ph_state *s, double *kinetic, double *potential);
int ph_mechanism_counts(const ph_mechanism *m); /* 1: some angles are counted over turns */

/* view.c: a coordinate of a joint (coordinate.h), counted over many turns, and its rate */
double ph_mechanism_coordinate(const ph_mechanism *m, const ph_state *s, int joint, int coordinate);
double ph_mechanism_rate(const ph_mechanism *m, const ph_state *s, int joint, int coordinate);

/* view.c: from now on it counts turns and reads inputs as another one of the same model does, which must outlive it */
void ph_mechanism_share(ph_mechanism *m, const ph_mechanism *other);

/* Coordinate and rate of a driven joint of the model, as the bodies have them, angles in (-2 pi, 2 pi]; 0: it is not driven.
 * s NULL: whether. */
int ph_mechanism_drive(const ph_mechanism *m, const ph_state *s, int joint, double *coordinate, double *rate);

/* drive.c: f, and up to level derivatives; PH_E_INCONSISTENT where it has none. The second makes PH_E_CALLBACK of every failure
 * and keeps for words which joint it was. */
ph_status ph_drive_at(const ph_mechanism *m, const ph_function *f, double t, int level, double out[3]);
ph_status ph_drive_of(const ph_mechanism *m, const ph_joint *j, double t, int level, double out[3]);

/* coupling.c: the rows of couplings; all but K store */
void ph_couples_Phi(const ph_mechanism *m, const ph_state *s, double *out);
void ph_couples_B(const ph_mechanism *m, const ph_state *s, double *out);
void ph_couples_Z(const ph_mechanism *m, const ph_state *s, double *out);
void ph_couples_K(const ph_mechanism *m, const ph_state *s, double *out);
void ph_couples_convective(const ph_mechanism *m, const ph_state *s, double *out);

/* joint.c: from the words of the model to rows. */
int ph_joint_count(const ph_joint_def *d); /* constraints that it becomes: 1 or 2 */
ph_status ph_joint_make(const ph_model *model, int def, ph_joint *out, ph_error *err); /* fills that many */
int ph_joint_counts_angles(const ph_joint_def *d); /* 1: its coordinate is an angle, else a length */
ph_status ph_mech_fail(ph_error *err, ph_status s, const ph_model *model, ph_origin at, const char *format,
                       ...) PH_PRINTF(5, 6); /* "file:line: ..." */
#define PH_REFUSE_JOINT(...) ph_mech_fail(err, PH_E_INPUT, model, d->origin, "joint '%s': " __VA_ARGS__)

/* model.c: the functions that the motion depends on, those that were not given too; NULL past the end */
const ph_function *ph_motion_function(const ph_model *m, int k);

/* force.c */
ph_status ph_force_make(const ph_model *model, int def, ph_force *out, ph_error *err);
int ph_force_undamped(const ph_force_def *d); /* d is 0 */
ph_status ph_force_span(const ph_model *model, ph_force *out,
                        ph_error *err); /* initial length and rotation */
ph_status ph_friction_make(const ph_model *model, const ph_joint *j, ph_force *out,
                           ph_error *err); /* friction.c */

/* beam.c */
void ph_beam_reference(const ph_body_def *a, const ph_body_def *b, double *d0); /* NULL: the ground */
void ph_beam_section(const ph_force_site *s, double *force, double *strain);    /* 6 numbers each */
double ph_beam_energy(const ph_force_site *s);                                  /* potential */
/* Terms of g, M, C and K of an element, with or without mass, added where they are not NULL; K: of the accelerations of s.
 * PH_E_CALLBACK where it turns by more than PH_BEAM_TURN_MAX, or by what is no number. */
ph_status ph_beam_put(const ph_force_site *s, ph_vec3 *r, const ph_put *M, const ph_put *C, const ph_put *K);

/* mechanism.c: whose constraint number c of the system is: "joint", "coupling", "constraint" or "norm" */
const char *ph_mechanism_whose(const ph_mechanism *m, int c, const char **name, ph_origin *origin);

/* mechanism.c: release (0) or engage (1) a joint of the model that can be switched; then the rank is to be found anew */
void ph_mechanism_set_active(ph_mechanism *m, int joint, int active);
int ph_mechanism_active(const ph_mechanism *m, int joint);

/* initial.c: the rank at other values, in the space of the mechanism */
ph_status ph_mechanism_rank_at(ph_mechanism *m, double t, const double *q, ph_error *err);

/* assemble.c */
ph_status ph_mechanism_pattern(ph_mechanism *m, ph_error *err);

/* space.c: elements of a space whose coordinates are not the physical ones. Local arrays have 12 columns. */
void ph_space_rows(const ph_mechanism *m, const ph_state *s, const ph_joint *j, const double *B,
                   const double *Z, double *out);
void ph_space_drift(const ph_mechanism *m, const ph_state *s, const ph_joint *j, const double *B,
                    double *out);
void ph_space_vector(const ph_mechanism *m, const ph_state *s, const int body[2], const int v[PH_SLOTS],
                     const ph_vec3 *r, double *out);
void ph_space_M(const ph_mechanism *m, const ph_state *s, const int body[2], const int at[16],
                const double *M, double *out);
void ph_space_C(const ph_mechanism *m, const ph_state *s, const int body[2], const int at[16],
                const double *C, const double *M, double *out); /* M NULL: none */
void ph_space_K(const ph_mechanism *m, const ph_state *s, const int body[2], const int at[16],
                const double *K, const double *C, const double *M, const ph_vec3 *r, double *out);
/* Adds derivatives by (x, phi) of a body, its velocities and its accelerations, 6 numbers each, as those by coordinates */
void ph_space_covector(const ph_mechanism *m, const ph_state *s, int body, const double *place,
                       const double *speed, const double *acceleration, const ph_covector *g);
void ph_space_rest(const ph_mechanism *m, const ph_state *s, const int body[2],
                   ph_vec3 acc[PH_SLOTS]); /* physical accelerations where vdot = 0 */

/* space_euler.c: the norms, of which other spaces have none. */
void ph_norms_Phi(const ph_mechanism *m, const ph_state *s, double *out);
void ph_norms_B(const ph_mechanism *m, const ph_state *s, double *out);
void ph_norms_Z(const ph_mechanism *m, const ph_state *s, double *out);
void ph_norms_convective(const ph_mechanism *m, const ph_state *s, double *out);
void ph_norms_K(const ph_mechanism *m, const ph_state *s, double *out); /* adds */

extern const int ph_local_rows[PH_SLOTS], ph_local_pairs[16]; /* places in local arrays */

/* batches.c: elements of one kind, four at a time */
size_t ph_beams_needed(const ph_model *model); /* batches at most */
size_t ph_sections_needed(const ph_model *model);
void ph_beams_list(ph_mechanism *m);
/* Adds what is not NULL of g, M, C and K; PH_E_CALLBACK where an element turns too far, and which one */
void ph_beams_energies(const ph_mechanism *m, const ph_state *s, double *kinetic,
                       double *potential); /* adds */
ph_status ph_beams_add(const ph_mechanism *m, const ph_state *s, double *g, double *M, double *C, double *K,
                       const ph_force **which);

/* Takes joints that fit from the list of those that come one by one */
size_t ph_hinges_needed(const ph_model *model); /* batches at most */
void ph_hinges_list(ph_mechanism *m);
void ph_hinges_Phi(const ph_mechanism *m, const ph_state *s, double *out);
void ph_hinges_B(const ph_mechanism *m, const ph_state *s, double *out);
void ph_hinges_positions(const ph_mechanism *m, const ph_state *s, double *Phi, double *B);
void ph_hinges_products(const ph_mechanism *m, const ph_state *s, double *r, double *Phi, double *rate);
void ph_hinges_Z(const ph_mechanism *m, const ph_state *s, double *out);
void ph_hinges_K(const ph_mechanism *m, const ph_state *s, double *out); /* adds */
void ph_hinges_convective(const ph_mechanism *m, const ph_state *s, double *out);

/* callbacks.c */
void ph_mechanism_callbacks(ph_mechanism *m);

/* Its turns are what the system remembers, if it counts any. */
void ph_mechanism_remember(ph_mechanism *m);

/* objective.c: what it needs, taken from the arena for rows of multipliers */
struct ph_look *ph_look_take(size_t bodies, size_t numbers, size_t joints, size_t couplings, size_t rows,
                             ph_arena *a);

/* objective_exact.c: a function that was traced, and where g is not NULL adds its derivatives; 0: they are not known */
int ph_function_exact(const ph_mechanism *m, const ph_state *s, const ph_function *f, int n, int number,
                      double *value, const ph_covector *g); /* one number of its n */

/* objective.c: a number of a sensor and its derivatives, as ph_mechanism_objective has them */
ph_status ph_mechanism_sensed(ph_mechanism *m, const ph_state *s, int sensor, int number, double *value,
                              const ph_covector *g);

/* user.c: rows that a function of the model gives */
void ph_user_take(ph_mechanism *m, ph_arena *a); /* arrays of m->user, and scratch */
void ph_user_fill(ph_mechanism *m, int k);       /* nodes of constraint k, rising, without links and pairs */
ph_status ph_user_Phi(const ph_mechanism *m, const ph_state *s, double *out);
ph_status ph_user_B(const ph_mechanism *m, const ph_state *s, double *out);
ph_status ph_user_K(const ph_mechanism *m, const ph_state *s, double *out);
ph_status ph_user_Z(const ph_mechanism *m, const ph_state *s, double *out);
ph_status ph_user_Phi_t(const ph_mechanism *m, const ph_state *s, double *out);
void ph_user_flow(const ph_mechanism *m, const ph_state *s,
                  ph_flow *given); /* lambda and Phi_t, row by row */
ph_status ph_user_convective(const ph_mechanism *m, const ph_state *s, double *out);

#endif
