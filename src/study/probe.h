/* What is compared of two states of a system: one row of numbers for each state, and distances of two rows.
 *
 *   q       |log(q_a^-1 q_b)|, 2-norm over the whole product group
 *   v       |v_a - v_b|, and the same of vdot and of lambda
 *   sensors |s_a - s_b| for each; of one that gives a rotation |log(R_a^-1 R_b)|
 *
 * The group of a model file is that of its motion in space, R^3 x SO(3) for each rigid body, R^3 for each
 * particle, whatever coordinates compute it: a row has position (world), rotation, velocity (world) and
 * angular velocity (body), and lambda of joints and user constraints, not of norms of Euler parameters. For a
 * built-in problem it is the group of its system. */
#ifndef PH_STUDY_PROBE_H
#define PH_STUDY_PROBE_H

#include "polhode/run.h"

#define PH_PROBE_SENSORS 16 /* at most */

enum {
    PH_OF_Q,
    PH_OF_V,
    PH_OF_VDOT,
    PH_OF_LAMBDA,
    PH_OF_SENSOR,
    PH_MEASURES = PH_OF_SENSOR + PH_PROBE_SENSORS
};

/* A group element in a row. */
typedef struct ph_probe_part {
    ph_group group;
    int n;    /* of R^n */
    int q, v; /* where it and its velocity stand in q and v */
} ph_probe_part;

typedef struct ph_probe {
    const ph_system *sys;
    ph_run *run;          /* of a model file; NULL: a built-in problem */
    int n_bodies, n_ties; /* of a file; joints and constraint{} */
    int n_parts;
    ph_probe_part *part;
    int nq, nv, nl; /* a row: q, v, vdot, lambda, sensors */
    int size;       /* numbers of a row */
    int n_measures; /* PH_OF_SENSOR and one for each sensor */
    int n_sensors, sensor[PH_PROBE_SENSORS], sensor_at[PH_PROBE_SENSORS], sensor_size[PH_PROBE_SENSORS];
    double *work; /* for a group element and its logarithm */
} ph_probe;

/* run: of a model file; NULL: a built-in problem. sensors: their places in the model, n of them. NULL: no memory, or a
 * sensor that is not there. */
ph_probe *ph_probe_create(const ph_system *sys, ph_run *run, int n, const int *sensors);
void ph_probe_destroy(ph_probe *p); /* accepts NULL */

void ph_probe_rewind(ph_probe *p);                  /* before the states of a further run */
void ph_probe_pass(ph_probe *p, const ph_state *s); /* a state that is not read: its turns count */
void ph_probe_read(ph_probe *p, const ph_state *s, double *row); /* in order of time: turns are counted */

/* All measures; NAN where one of the rows has it. A system without constraints has 0 for lambda. */
void ph_probe_distance(ph_probe *p, const double *a, const double *b, double distance[PH_MEASURES]);

#endif
