/* What elements read of joints and forces, in a compiled model. */
#ifndef PH_COMPILE_MODEL_PARTS_H
#define PH_COMPILE_MODEL_PARTS_H

struct ph_joint {
    ph_vec3 sa, sb; /* joint points, body frames */
    ph_quat Ca, Cb; /* joint frame, as seen from the bodies */
    ph_mat3 Ea, Eb; /* their matrices */
    ph_vec3 ea, eb; /* axes of universal; eb: axle of rolling */
    ph_real length, radius;
    int drive, free;
    unsigned frees;
};

typedef struct ph_force_def {
    ph_real k, d;
    ph_vec3 k3, d3, kr3, dr3;
    ph_vec3 value;
    int in_body;
} ph_force_def;

typedef struct ph_actuator_def {
    ph_real k, d, rest, stop[2], stop_k, stop_d, stop_width;
    int given;
} ph_actuator_def;

struct ph_force {
    const ph_force_def *def;
    const ph_actuator_def *actuator;
    const ph_joint *along, *joint; /* of an actuator; of friction */
    int coordinate;
    ph_real friction, speed;
    ph_vec3 sa, sb;
    ph_real length;
    ph_quat rest;
};

#endif
