/* The tables of elements: their codes, what a model file may say of them, and what a row carries.
 *
 * A row of joints.def, forces.def or sensors.def names the operations of its type. All that the rest of the program asks
 * about a type is a member of these, or a key that it has: nothing else compares codes. */
#ifndef PH_MECH_TABLES_H
#define PH_MECH_TABLES_H

#include "mech/element.h"
#include "mech/model.h"

struct ph_joint;
struct ph_part;
struct ph_force_ops;

/* ---- keys --------------------------------------------------------------------------------------- */

/* Keys of elements, a bit each; a row of a table has their sum. name, type and bodies (of joints) are always there. Two
 * bits may stand for one word, where it means different things. */
typedef uint64_t ph_keys;

#define PH_KEY_BIT(k)          (UINT64_C(1) << (k))
#define PH_KEY_AT              PH_KEY_BIT(0)
#define PH_KEY_AXIS            PH_KEY_BIT(1)
#define PH_KEY_AXIS_A          PH_KEY_BIT(2)
#define PH_KEY_AXIS_B          PH_KEY_BIT(3)
#define PH_KEY_NORMAL          PH_KEY_BIT(4)
#define PH_KEY_AT_A            PH_KEY_BIT(5)
#define PH_KEY_AT_B            PH_KEY_BIT(6)
#define PH_KEY_LENGTH          PH_KEY_BIT(7)
#define PH_KEY_RADIUS          PH_KEY_BIT(8)
#define PH_KEY_LOCK            PH_KEY_BIT(9)
#define PH_KEY_FRAME           PH_KEY_BIT(10)
#define PH_KEY_BODIES          PH_KEY_BIT(11)
#define PH_KEY_BODY            PH_KEY_BIT(12)
#define PH_KEY_K               PH_KEY_BIT(13)
#define PH_KEY_D               PH_KEY_BIT(14)
#define PH_KEY_K3              PH_KEY_BIT(15)
#define PH_KEY_D3              PH_KEY_BIT(16)
#define PH_KEY_KR3             PH_KEY_BIT(17)
#define PH_KEY_DR3             PH_KEY_BIT(18)
#define PH_KEY_FORCE           PH_KEY_BIT(19)
#define PH_KEY_IN_FRAME        PH_KEY_BIT(20)
#define PH_KEY_JOINT           PH_KEY_BIT(21)
#define PH_KEY_FUNCTION        PH_KEY_BIT(22)
#define PH_KEY_SECTION         PH_KEY_BIT(23)
#define PH_KEY_D6              PH_KEY_BIT(24)
#define PH_KEY_ELEMENT         PH_KEY_BIT(25)
#define PH_KEY_M6              PH_KEY_BIT(26)
#define PH_KEY_MASS_MODEL      PH_KEY_BIT(27)
#define PH_KEY_SHAPE           PH_KEY_BIT(28)
#define PH_KEY_COORDINATE      PH_KEY_BIT(29)
#define PH_KEY_OF              PH_KEY_BIT(30)
#define PH_KEY_DRIVE           PH_KEY_BIT(31)
#define PH_KEY_FRICTION        PH_KEY_BIT(32)
#define PH_KEY_FRICTION_RADIUS PH_KEY_BIT(33)
#define PH_KEY_AT_CENTRE       PH_KEY_BIT(34) /* `at`: the centre of mass if it is not given */
#define PH_KEY_AT_PLANE        PH_KEY_BIT(35) /* `at`: of a plane */
#define PH_KEY_AXIS_Z          PH_KEY_BIT(36) /* `axis`: z of the joint frame, in place of frame */
#define PH_KEY_AXLE            PH_KEY_BIT(37) /* `axis`: of a disc */
#define PH_KEY_NORMAL_UP       PH_KEY_BIT(38) /* `normal`: upwards if it is not given */
#define PH_KEY_TORSION_K       PH_KEY_BIT(39) /* `k`: times an angle */
#define PH_KEY_TORSION_D       PH_KEY_BIT(40) /* `d`: the same */
#define PH_KEY_TORQUE          PH_KEY_BIT(41) /* `value`: N m */
#define PH_KEY_ARC             PH_KEY_BIT(42) /* `length`: of a beam element */
#define PH_KEY_IN_AXES         PH_KEY_BIT(43) /* `frame`: axes of k and d */
#define PH_KEY_FRICTION_SPEED  PH_KEY_BIT(44)
#define PH_KEY_INERTIA         PH_KEY_BIT(45)
#define PH_KEY_BARE            PH_KEY_BIT(46)
#define PH_KEY_ROTATION        PH_KEY_BIT(47)
#define PH_KEY_OMEGA           PH_KEY_BIT(48)
#define PH_KEY_UNIT            PH_KEY_BIT(49)

#define PH_KEY_VALUE (PH_KEY_FORCE | PH_KEY_TORQUE)
#define PH_KEY_STIFFNESS                                                                                     \
    (PH_KEY_K | PH_KEY_TORSION_K | PH_KEY_K3) /* a model must give one of them or of damping */

/* ---- joints ------------------------------------------------------------------------------------- */

typedef enum ph_joint_code {
#define PH_JOINT(code, ops, name, keys, text) code,
#include "mech/joints.def"
#undef PH_JOINT
    PH_JOINT_COUNT
} ph_joint_code;

#define PH_FREE(coordinate) (1u << (coordinate))
#define PH_FREE_TURNS       (7u << PH_ABOUT)

/* The rows of a joint in its frame, whose z is the axis: components of a primitive, of the relative rotation, one more
 * primitive; and what they leave free. */
typedef struct ph_recipe {
    const struct ph_part *first;
    unsigned first_pick;
    unsigned turn;
    const struct ph_part *last;
    int free;              /* its coordinate, which a drive takes: PH_ALONG + k, PH_ABOUT + k, PH_LENGTH */
    unsigned nonholonomic; /* rows of the second constraint: picks of first; 0: there is none */
    unsigned frees;        /* all that it leaves free, and the length of a distance */
} ph_recipe;

/* One type of joint: a record in its file, a row. NULL and 0 where a type has nothing special. */
typedef struct ph_joint_ops {
    ph_recipe recipe;
    void (*adapt)(const ph_joint_def *d, int particle, ph_recipe *r); /* where it depends on keys */
    ph_quat (*frame)(const ph_joint_def *d);                          /* to the world; NULL: its axes */
    int axes;         /* unit vectors that it needs: none, axis, axis and axis_b */
    int displacement; /* of a particle it locks displacements alone; else rows of rotations refuse it */
    int swings;       /* an actuator without a coordinate turns about the rotation vector */
    const struct ph_force_ops *friction; /* lever: friction_radius, where it has that key */
    /* what the file leaves open, x: of its second body, or of the first on the ground; what is wrong, NULL: nothing */
    const char *(*complete)(ph_joint_def *d, ph_vec3 x, int at_given);
    ph_status (*check)(const ph_model *model, const ph_joint_def *d, const struct ph_joint *j, ph_error *err);
} ph_joint_ops;

#define PH_JOINT(code, ops, name, keys, text) extern const ph_joint_ops ops;
#include "mech/joints.def"
#undef PH_JOINT

typedef struct ph_joint_row {
    const ph_joint_ops *op;
    ph_keys keys;
} ph_joint_row;

PH_API const ph_joint_row *ph_joint_row_of(const ph_joint_def *d);

/* ---- forces ------------------------------------------------------------------------------------- */

typedef enum ph_force_code {
#define PH_FORCE(code, ops, name, keys, text) code,
#include "mech/forces.def"
#undef PH_FORCE
    PH_FORCE_COUNT
} ph_force_code;

#define PH_FORCE(code, ops, name, keys, text) extern const struct ph_force_ops ops;
#include "mech/forces.def"
#undef PH_FORCE

typedef struct ph_force_row {
    const struct ph_force_ops *op;
    ph_keys keys;
    const char *name;
} ph_force_row;

PH_API const ph_force_row *ph_force_row_of(const ph_force_def *d);

static inline int ph_force_is_beam(const ph_force_def *d)
{
    return (ph_force_row_of(d)->keys & PH_KEY_SECTION) != 0;
}

/* ---- sensors ------------------------------------------------------------------------------------ */

typedef enum ph_sensor_code {
#define PH_SENSOR(code, ops, name, size, keys, unit, text) code,
#include "mech/sensors.def"
#undef PH_SENSOR
    PH_SENSOR_COUNT
} ph_sensor_code;

/* Numbers of a sensor that its row does not know. */
enum { PH_SIZE_OF_FUNCTION = 0, PH_SIZE_OF_MODES = -1 };

/* How compiled models have it. */
typedef enum ph_sensor_form {
    PH_FORM_NONE, /* not */
    PH_FORM_BODY, /* as text */
    PH_FORM_COORDINATE,
    PH_FORM_RATE,
    PH_FORM_ACCELERATION,
    PH_FORM_REACTION,
    PH_FORM_EFFORT,
    PH_FORM_POWER,
    PH_FORM_ENERGY,
    PH_FORM_FUNCTION
} ph_sensor_form;

/* One type of sensor: a record in its file, a row. What it looks at is what its keys name, all bodies where they name
 * nothing. */
typedef struct ph_sensor_ops {
    ph_status (*value)(ph_mechanism *m, const ph_state *s, const ph_sensor_def *d, double *out);
    /* beyond what its keys name; NULL: nothing */
    ph_status (*check)(const ph_mechanism *m, const ph_sensor_def *d, ph_error *err);
    int depth; /* how deep it looks, PH_SEEN_...; PH_NOT_SEEN: a sum over the run, without derivatives */
    int multipliers; /* it looks at those of its joint */
    int quaternion;
    int argument;        /* as functions see it, PH_ARG_..., at its point; 0: they do not */
    ph_sensor_form form; /* in compiled models, */
    const char *text;    /* C from k, at, and accelerations a and alpha to out */
} ph_sensor_ops;

#define PH_SENSOR(code, ops, name, size, keys, unit, text) extern const ph_sensor_ops ops;
#include "mech/sensors.def"
#undef PH_SENSOR

typedef struct ph_sensor_row {
    const ph_sensor_ops *op;
    int size;
    ph_keys keys;
    const char *unit[3]; /* in words; of angles and of lengths, NULL: it is the same */
} ph_sensor_row;

PH_API const ph_sensor_row *ph_sensor_row_of(const ph_sensor_def *d);

#endif
