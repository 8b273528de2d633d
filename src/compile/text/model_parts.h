/* Joints and forces of a compiled model. The source defines the macros for their numbers above. */
#ifndef PH_COMPILE_MODEL_PARTS_H
#define PH_COMPILE_MODEL_PARTS_H

struct ph_joint {
    PH_JOINT_NUMBERS
    int drive, free;
    unsigned frees;
};

typedef struct ph_force_def {
    PH_LAW_NUMBERS
    int in_body;
} ph_force_def;

typedef struct ph_actuator_def {
    PH_ACTUATOR_NUMBERS
} ph_actuator_def;

struct ph_force {
    const ph_force_def *def;
    const ph_actuator_def *actuator;
    const ph_joint *along, *joint; /* of an actuator; of friction */
    int coordinate;
    PH_FORCE_NUMBERS
    PH_FRICTION_NUMBERS
};

#endif
