/* What a model file may say: kinds of elements, their types, and their keys, all from tables. */
#ifndef PH_MODEL_KEYS_H
#define PH_MODEL_KEYS_H

#include <stddef.h>

#include "base/words.h"
#include "mech/model.h"
#include "mech/tables.h"
#include "polhode/language.h"

/* Kinds by the record that they fill. */
typedef enum ph_kind {
    PH_K_BODY,
    PH_K_JOINT,
    PH_K_FORCE,
    PH_K_SENSOR,
    PH_K_CONSTRAINT,
    PH_K_OBJECTIVE,
    PH_K_BEAM,     /* becomes bodies, forces and joints when it is read */
    PH_K_FLEXIBLE, /* the same */
    PH_K_INPUT,
    PH_K_STATE,
    PH_K_ACTUATOR,
    PH_K_COUPLING,
    PH_K_EVENT,
    PH_K_GROUND, /* one at most */
    PH_K_RUN,
    PH_KINDS
} ph_kind;

enum { PH_T_BODY, PH_T_PARTICLE }; /* types of PH_K_BODY */

/* How a value is written, checked and stored. */
typedef enum ph_value {
    PH_V_NAME,          /* const char * */
    PH_V_TYPE,          /* int: row of the table of the kind */
    PH_V_BODY,          /* int: index of a body */
    PH_V_MOVING,        /* the same, and not the ground */
    PH_V_BODIES,        /* int[2] */
    PH_V_JOINT,         /* int: index of a joint */
    PH_V_SENSOR,        /* int: index of a sensor */
    PH_V_FILE,          /* const char *: path beside the model file */
    PH_V_POSITIVE,      /* double > 0; 0: not given */
    PH_V_NOT_NEGATIVE,  /* double >= 0; NaN: not given */
    PH_V_FRACTION,      /* double in [0, 1] */
    PH_V_SIGMA,         /* double, or "opt" */
    PH_V_COUNT,         /* int >= 1 */
    PH_V_WHOLE,         /* int >= 0 */
    PH_V_FLAG,          /* int: true or false */
    PH_V_WORD,          /* int: place in a list */
    PH_V_METHOD,        /* const char *: one of a list */
    PH_V_TABLEAU,       /* const char *: one of the tableaux, by name or alias */
    PH_V_VECTOR,        /* ph_vec3; NaN: not given */
    PH_V_NOT_NEGATIVES, /* ph_vec3, each >= 0 */
    PH_V_UNIT,          /* ph_vec3, normalised; 0: not given */
    PH_V_WORLD,         /* ph_vec3: world point, turned into the frame of its body */
    PH_V_INERTIA,       /* ph_mat3 */
    PH_V_ROTATION,      /* ph_quat */
    PH_V_FRAME,         /* ph_mat3: a rotation; 0: not given */
    PH_V_LOCK,          /* unsigned: list of coordinates */
    PH_V_FUNCTION,      /* ph_function of t and s */
    PH_V_DRIVE,         /* ph_function of t */
    PH_V_FINAL,         /* ph_function of s */
    PH_V_LOAD,          /* ph_vec3, or a function, which goes to ph_force_def.f */
    PH_V_ELEMENT,       /* int: index of a force that is a beam element */
    PH_V_STIFFNESS,     /* const double *: 6 x 6, positive definite; NULL: not given */
    PH_V_DAMPING,       /* const double *: 6 x 6, positive semidefinite; of beams a number too */
    PH_V_SECTION_MASS,  /* const double *: 6 x 6, mass of a section per length; NULL: not given */
    PH_V_SECTION,       /* const double *: 6 x 6 from EA, GA, GJ, EI */
    PH_V_LINE_MASS,     /* mass and J of ph_beam_def */
    PH_V_POINTS,        /* const double *, and n_nodes */
    PH_V_ROTATIONS,     /* const double *, and n_rotations */
    PH_V_ENDS,          /* int[2] */
    PH_V_DOFS,          /* int: 3 or 6 */
    PH_V_NODE,          /* frame_id or frame of ph_fe_spec, and so on below: */
    PH_V_MEMBER,        /* a straight beam: points and member */
    PH_V_MEMBERS,       /* member */
    PH_V_CORNERS,       /* points */
    PH_V_INTERFACES,    /* interface */
    PH_V_MODES,         /* modes, type, n, fixed, keep */
    PH_V_RATIOS,        /* alpha, beta, ratio */
    PH_V_STRESS,        /* stiffen, stress */
    PH_V_REDUCED,       /* body of ph_flexible_def */
    PH_V_NUMBER,        /* double; NaN: not given */
    PH_V_TEXT,          /* const char *; NULL: not given */
    PH_V_COORDINATE,    /* int: 0..5; -1: not given */
    PH_V_COORDINATES,   /* int[2] */
    PH_V_JOINTS,        /* int[2]: indices of joints */
    PH_V_STOPS,         /* double[2]; NaN: not given */
    PH_V_EFFORT,        /* effort, input or f of ph_actuator_def */
    PH_V_START,         /* initial and size of ph_state_def */
    PH_V_OF,            /* of_kind and of of ph_sensor_def */
    PH_V_SHAPES,        /* ph_shape_list */
    PH_V_TIMES,         /* ph_times */
    PH_V_ACTION,        /* action and n_actions of ph_event_def */
    PH_VALUES
} ph_value;

typedef struct ph_key {
    ph_kind kind;
    ph_keys bit; /* PH_KEY_..., which the row of the type must have; 0: every type has it */
    const char *name;
    ph_value value;
    size_t at; /* in the record */
    const char *unit, *text;
    ph_word_fn words; /* of PH_V_WORD, PH_V_METHOD and PH_V_TABLEAU */
    int required;
    const char
        *initial; /* in words, where it is not given; NULL: what the record of run{} has, else nothing */
} ph_key;

typedef struct ph_type {
    const char *name;
    ph_keys keys;
    const char *text;
} ph_type;

/* All keys, for readers and documents; NULL past the end. */
PH_API const ph_key *ph_key_get(int k);
PH_API const ph_key *ph_keys_of(ph_kind kind, int *n); /* those of a kind, which stand together */
PH_API const char *ph_value_text(ph_value v);          /* "3 numbers" */

PH_API const ph_type *ph_type_get(ph_kind kind, int type); /* NULL past the end */
int ph_type_find(ph_kind kind, const char *name);          /* of a type that there is, */
int ph_type_with(ph_kind kind, ph_keys key);               /* the first that has a key */
PH_API const char *ph_kind_word(ph_kind kind);             /* "joint"; "" where the type is the word */
PH_API int ph_key_belongs(const ph_key *k, ph_kind kind, int type);

/* What a key is where it is not given, in words; "": nothing. Returns text. */
PH_API const char *ph_key_default(const ph_key *k, char *text, size_t size);

const char *ph_lock_word(int k);          /* "x" ... "rz" */
PH_API const char *ph_action_word(int k); /* by ph_action_code: "stop" ... "state" */

#endif
