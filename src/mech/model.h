/* A model from inside, as data: what a model file says, after every check. */
#ifndef PH_MECH_MODEL_H
#define PH_MECH_MODEL_H

#include <stdatomic.h>
#include <stdint.h>

#include "fe/reduced.h"
#include "fe/sound.h"
#include "fe/spec.h"
#include "mech/element.h"
#include "polhode/model.h"

#define PH_GROUND (-1) /* index of the body that does not move */

/* A function of the model file, of the time and, where bodies is not NULL, of the states of all bodies.
 * Writes n numbers. The reader of the model owns what is behind it. Not thread safe: its model serves one
 * thread while it is called. */
/* How deep a function looked into a body: each level has those before it. */
enum { PH_NOT_SEEN, PH_SEEN_PLACE, PH_SEEN_SPEED, PH_SEEN_ACCELERATION };

struct ph_program;
struct ph_scene;

/* A function that was traced: its expression, and whether it can be trusted. It belongs to the model, which is constant but
 * for what was compared. */
typedef struct ph_traced {
    struct ph_program *program; /* NULL: it could not be traced, */
    int untraced;               /* there are ways through it that are not known */
    const char *reason;         /* for this reason, */
    int line;                   /* which is found there */
    int n_bodies, depth;        /* bodies that it depends on, and how deep it looks into them, PH_SEEN_... */
    int *body;
    int sensors;        /* it looks at sensors, whose numbers are the same up to round-off */
    atomic_uchar *seen; /* of each leaf: it was compared with a direct call, and is the same */
    atomic_int wrong;   /* 1: one was not, and the function is called from then on */
} ph_traced;

typedef struct ph_function {
    ph_status (*call)(const struct ph_function *f, double t, const ph_body_state *bodies, int n, double *out);
    void *owner;
    int ref;
    struct ph_sight *sight; /* of objectives: what else they see, and have looked at; NULL: nothing */
    int only_time;          /* it does not take the state */
    ph_traced *traced;      /* NULL: nobody tried */
    int (*enter)(const struct ph_function
                     *f); /* 0: another thread is inside; else calls of this one are not refused until */
    void (*leave)(const struct ph_function *f, int entered); /* it leaves; NULL: nobody has to */
    /* before a call, where it finds joints, inputs and states, and after it where it did before, which the first returns: a
     * function may be called within another; NULL: it looks at none */
    struct ph_scene *(*look)(const struct ph_function *f, struct ph_scene *at);
} ph_function; /* call == NULL: not given */

typedef struct ph_sight {
    ph_status (*sensor)(struct ph_sight *sight, int sensor, double *out); /* its numbers */
    unsigned char *body;                                                  /* of all bodies: how deep */
} ph_sight;

/* Where something was said, for messages. */
typedef struct ph_origin {
    int line;         /* 0: not from a file */
    const char *file; /* that the model file includes; NULL: the model file */
} ph_origin;

/* What pictures show; no number of a run depends on it. */
typedef enum ph_shape_code {
#define PH_SHAPE(code, name, sizes, section, text) code,
#include "mech/shapes.def"
#undef PH_SHAPE
    PH_SHAPE_COUNT
} ph_shape_code;

/* Triangles of a file, in the order of their corners seen from outside: counter-clockwise. */
typedef struct ph_mesh_def {
    int n_points, n_triangles;
    const float *point;  /* n_points x 3 */
    const int *triangle; /* n_triangles x 3, places in point */
} ph_mesh_def;

typedef struct ph_shape_def {
    int type;           /* row of shapes.def */
    double size[3];     /* m, as the row says; of a mesh: size[0] times its numbers */
    ph_mesh_def mesh;   /* of PH_SHAPE_MESH */
    ph_vec3 at;         /* m, in the frame of the body; of its centre */
    ph_quat R;          /* to the frame of the body */
    int color;          /* 0xRRGGBB; -1: not given */
    const char *marker; /* of flexible bodies: it stands there; NULL: in the frame */
} ph_shape_def;

typedef struct ph_shape_list {
    int n;
    const ph_shape_def *shape; /* the model's */
} ph_shape_list;

/* ground{} of the file, at most one. */
typedef struct ph_ground_def {
    const char *name; /* NULL */
    ph_shape_list shapes;
    ph_origin origin;
} ph_ground_def;

/* flexible{} of the file. Its frame and its markers are bodies of the model, the frame first. */
typedef struct ph_flexible_def {
    const char *name;
    ph_reduced *body;  /* the model's */
    const char *file;  /* of the body as it was given; NULL: none */
    ph_fe_spec spec;   /* finite elements, and how they were reduced */
    ph_vec3 node;      /* m, where the origin of its frame is among the points of spec */
    ph_fe_sound sound; /* what checks of them gave; nodes 0: there were none */
    ph_vec3 x;         /* m, of the origin of its frame, world */
    ph_quat R;         /* body to world */
    ph_vec3 v, omega;  /* of the frame, m/s and rad/s, world and body components; NaN: not given */
    ph_shape_list shapes;
    ph_origin origin;
} ph_flexible_def;

typedef struct ph_body_def {
    const char *name;
    int particle;         /* 1: a point in R^3 without rotation */
    int flexible;         /* 1 + index of the flexible body whose frame or marker this is; 0: a rigid body */
    int marker;           /* 1 + index of the marker; 0: the frame, whose x is its origin */
    double mass;          /* kg */
    ph_mat3 J;            /* kg m^2, about the centre of mass, body axes */
    int bare;             /* 1: beam elements that end here have its inertia; mass and J are scales */
    ph_vec3 x;            /* m, of the centre of mass, world */
    ph_quat R;            /* body to world */
    ph_vec3 v;            /* m/s, world */
    ph_vec3 omega;        /* rad/s, body components */
    int has_v, has_omega; /* given; what is not given is free when initial velocities are made consistent */
    ph_shape_list shapes; /* n = 0: none given */
    ph_origin origin;
} ph_body_def;

/* One joint. Points and axes are as the file gives them: in the world, at the initial configuration; the
 * mechanism turns them into body components. Which of them a type uses, its row in joints.def says. */
typedef struct ph_joint_def {
    const char *name;
    int type;    /* row of joints.def */
    int body[2]; /* PH_GROUND or index */
    ph_vec3 at;  /* m; of rolling: a point of the plane. The disc's centre is the centre of mass of body[1] */
    ph_vec3 at_a, at_b; /* m, in the frames of the bodies; of distance */
    ph_vec3
        axis; /* unit; direction of revolute, prismatic, cylindrical, point_on_line; normal of planar and of
                         the ground of rolling; axis fixed in the first body of universal */
    ph_vec3 axis_b;         /* unit; axis fixed in the second body of universal; axle of rolling */
    double length;          /* m; of distance; NaN: as it is initially */
    double radius;          /* m; of rolling */
    unsigned lock;          /* of generic: bits 0..5 are x y z rx ry rz of the joint frame */
    ph_mat3 frame;          /* of generic: columns are the axes of the joint frame in the world */
    double friction;        /* coefficient of Coulomb friction in the joint; 0: none */
    double friction_radius; /* m, lever of friction of a revolute joint */
    double friction_speed;  /* m/s or rad/s, below which friction is smooth */
    int active;             /* at the start; 0: until an event engages it */
    int switched;           /* 1: it is not active at the start, or an event releases or engages it */
    ph_function
        drive; /* of revolute (angle), prismatic, distance (length), generic (its one driven coordinate) */
    ph_origin origin;
} ph_joint_def;

/* One force element; which members a type uses, its row in forces.def says. */
typedef struct ph_force_def {
    const char *name;
    int type;            /* row of forces.def */
    int body[2];         /* PH_GROUND or index; one body: body[1], and its point is at_b */
    ph_vec3 at_a, at_b;  /* m, points in body frames (ground: world) */
    double k, d, length; /* N/m, N s/m, m; length NaN: as it is initially */
    ph_vec3 k3, d3;      /* of bushing, along world axes; no force where the two points meet */
    ph_vec3 kr3, dr3;    /* of bushing, about world axes; no torque at the initial relative rotation */
    ph_vec3 value;       /* N or N m */
    int in_body;         /* frame of value: 1 body, 0 world */
    ph_function f;       /* value as a function of time and state */
    const double
        *K6; /* of beam_element: 6 x 6, stiffness of the section, order (force, moment), axis first */
    const double *D6;     /* damping of the section, 6 x 6; NULL: none */
    const double *M6;     /* mass of the section per length, [m I, -m tilde(c); m tilde(c), J]; NULL: none */
    int mass_model;       /* ph_mass_code */
    ph_shape_list shapes; /* of beam_element: outline of its section; n = 0: none given */
    ph_origin origin;
} ph_force_def;

/* beam{} of the file: n elements in a row, which become n + 1 bodies and n forces of the model. */
typedef struct ph_beam_def {
    const char *name;
    ph_vec3 from, to;         /* m; NaN: not given */
    int n;                    /* elements; 0: not given */
    ph_vec3 tangent;          /* unit; direction at from, of an arc; 0: straight */
    int n_nodes, n_rotations; /* of the lists; 0: not given */
    const double *nodes;      /* n_nodes x 3, m */
    const double *rotations;  /* n_rotations x 4, of the sections, to world */
    ph_vec3 frame;            /* unit; direction of the second axis of the sections; 0: not given */
    const double *K6, *D6;    /* 6 x 6 */
    double relaxation;        /* s; D = relaxation K, where it is above 0 */
    double mass;              /* kg/m */
    ph_mat3 J;                /* kg m, moments of inertia per length */
    const double *M6;         /* mass per length as a matrix; NULL: mass and J say it */
    int mass_model;           /* ph_mass_code */
    int end[2];               /* ph_end_code */
    ph_vec3 v, omega;         /* m/s, of the first node; rad/s, world; NaN: not given */
    int rbf;                  /* residual bending flexibility */
    ph_shape_list shapes;     /* outline of the section; n = 0: none given */
    ph_origin origin;
} ph_beam_def;

/* How the mass of a beam is distributed: half to each node; velocities linear from node to node; exactly. */
typedef enum ph_end_code { PH_END_FREE, PH_END_CLAMPED, PH_END_PINNED } ph_end_code;

typedef enum ph_of_code { PH_OF_ACTUATOR, PH_OF_COUPLING, PH_OF_JOINT } ph_of_code;

typedef enum ph_over_code {
    PH_OVER_NOTHING,
    PH_OVER_MAX,
    PH_OVER_MIN,
    PH_OVER_MAX_ABS,
    PH_OVER_RMS,
    PH_OVER_MEAN,
    PH_OVER_INTEGRAL
} ph_over_code;

typedef struct ph_sensor_def {
    const char *name;
    int type;         /* row of sensors.def */
    int body;         /* PH_GROUND or index; -2: none */
    int joint;        /* index; -1: none */
    int element;      /* index of a force that is a beam element; -1: none */
    int coordinate;   /* of the joint, as of actuators; -1: its only one */
    int of_kind;      /* of effort and power: ph_of_code, */
    int of;           /* and its index; -1: none */
    int over;         /* ph_over_code: what is told of its values over the run */
    ph_vec3 at;       /* m, in the body frame */
    int size;         /* numbers it gives */
    ph_function f;    /* of custom */
    const char *unit; /* custom only */
    ph_origin origin;
} ph_sensor_def;

/* input{} of the file: a number from outside. */
typedef struct ph_input_def {
    const char *name;
    double value; /* until it is set */
    const char *unit;
    int hold; /* ph_hold_code */
    ph_origin origin;
} ph_input_def;

typedef enum ph_hold_code { PH_HOLD_LINEAR, PH_HOLD_STEP } ph_hold_code;

/* state{} of the file: numbers with a differential equation of their own. */
typedef struct ph_state_def {
    const char *name;
    int size;
    const double *initial; /* size numbers, the model's */
    ph_function rate;      /* their derivatives by time */
    const char *unit;
    ph_origin origin;
} ph_state_def;

/* actuator{} of the file: acts along a free coordinate of a joint. */
typedef struct ph_actuator_def {
    const char *name;
    int joint;
    int coordinate; /* 0..5: x y z rx ry rz of the joint frame; -1: the only free one, or the rotation vector */
    double effort;     /* N or N m, in the direction in which the coordinate grows; NaN: not given */
    int input;         /* whose value it is; -1: none */
    ph_function f;     /* or what it gives */
    double k, d, rest; /* N/m or N m/rad, N s/m or N m s/rad, m or rad; NaN: not given */
    double stop[2];    /* m or rad; NaN: none */
    double moved
        [2]; /* what stops are to first order further on, in the neighbours of a parameter (P8); 0 elsewhere */
    double stop_k, stop_d, stop_width; /* as k, d, rest; stiffness and damping begin within the width */
    ph_origin origin;
} ph_actuator_def;

/* coupling{} of the file: x_b = ratio x_a + offset, of coordinates of two joints. */
typedef struct ph_coupling_def {
    const char *name;
    int joint[2];
    int coordinate[2]; /* as of actuators */
    const char *unit;  /* of the ratio; NULL: not said */
    double ratio;
    double offset; /* NaN: as it is initially */
    ph_origin origin;
} ph_coupling_def;

/* constraint{ f = function(t, s) } of the file: rows functions of time and state, differentiated by the
 * library. */
typedef struct ph_user_constraint_def {
    const char *name;
    int rows;
    ph_function f;
    ph_origin origin;
} ph_user_constraint_def;

/* objective{ final = function(s), integral = function(t, s) }, or the squared distance of a sensor from data. */
typedef struct ph_objective_def {
    const char *name;
    ph_function final, integral;
    const char *data; /* file as it was given; NULL: none */
    int sensor;       /* that follows the data; -1: none */
    int rows, size;   /* of the data, whose times ascend */
    double *t, *x;    /* the model's; x: size numbers in each row */
    ph_origin origin;
} ph_objective_def;

typedef enum ph_action_code {
    PH_DO_STOP,    /* the run ends */
    PH_DO_RELEASE, /* a joint is no longer there */
    PH_DO_ENGAGE,  /* it is there again */
    PH_DO_SET,     /* an input has another value, at once */
    PH_DO_STATE    /* a state{} has other numbers */
} ph_action_code;

typedef struct ph_action_def {
    int what;            /* ph_action_code */
    int index;           /* of its joint, input or state; -1: of none */
    const char *name;    /* of that; NULL: of none */
    int size;            /* numbers that are set */
    const double *value; /* they, the model's; NULL: */
    ph_function f;       /* a function gives them */
} ph_action_def;

typedef enum ph_direction_code { PH_BOTH_WAYS, PH_UPWARDS, PH_DOWNWARDS } ph_direction_code;

/* event{} of the file: something is done where a function changes its sign. */
typedef struct ph_event_def {
    const char *name;
    ph_function when;
    int direction; /* ph_direction_code */
    int n_actions;
    ph_action_def *action; /* in their order, the model's */
    ph_origin origin;
} ph_event_def;

typedef struct ph_param_def {
    const char *name;
    double value;
    ph_origin origin;
} ph_param_def;

struct ph_model {
    const char *name;
    const char *file;
    uint64_t key;         /* of its text and the files it reads */
    const char *changing; /* whose function keeps values between its calls, "joint 'a'"; NULL: none does */
    int frozen;           /* from JSON: parameters are what they were, and cannot be set */
    size_t room; /* doubles that the largest of the traced functions needs beyond small ones; 0: none does */
    ph_vec3 gravity; /* m/s^2 */
    int n_bodies, n_joints, n_forces, n_sensors, n_constraints, n_params, n_objectives, n_flexible;
    int n_inputs, n_states, n_actuators, n_couplings, n_events;
    ph_body_def *body;
    ph_joint_def *joint;
    ph_force_def *force;
    ph_sensor_def *sensor;
    ph_user_constraint_def *constraint;
    ph_param_def *param;
    ph_objective_def *objective;
    ph_flexible_def *flexible;
    ph_input_def *input;
    ph_state_def *state;
    ph_actuator_def *actuator;
    ph_coupling_def *coupling;
    ph_event_def *event;
    const ph_ground_def *ground; /* NULL: not given */
    ph_run_def run;
    int symbol; /* 1 + the parameter that traced functions are expressions of; 0: none */
    const char
        *no_symbol; /* why the one that was asked for is not, and on which line; NULL: it is, or none was */
    int no_symbol_line; /* 0: unknown */
};

/* reader.c: whether a list of parameters from outside is one. PH_E_INPUT: it, or a name, is NULL, or n is negative. */
ph_status ph_sets_check(const ph_setting *sets, int n, ph_error *err);

/* reader.c: one more reference to a model; whether it has functions, which serve one thread; and the model of the same
 * text with other values of parameters, those that are not named as they were set before. No file is opened: bytes of
 * those that the text names are kept, and shared, so that the allocator of the first model must outlive the last. */
ph_model *ph_model_keep(const ph_model *model);
int ph_model_has_functions(const ph_model *model);
ph_status ph_model_again(ph_model **out, const ph_model *model, const ph_setting *sets, int n_sets,
                         const ph_allocator *alloc, ph_error *err);
/* The same, with functions that are expressions of the parameter symbol too, where the file allows it (ph_model.symbol). */
ph_status ph_model_near(ph_model **out, const ph_model *model, const ph_setting *sets, int n_sets,
                        const char *symbol, const ph_allocator *alloc, ph_error *err);

#endif
