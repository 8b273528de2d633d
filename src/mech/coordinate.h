/* Coordinates of joints: x, y, z of a point of the second body along the axes of the joint frame of the first, rx, ry, rz of
 * the rotation from one joint frame to the other, and the length of a distance. Each is a function of the two bodies,
 *
 *   dx = b dq,  xdot = b v,  z = d(b v)/dq
 *
 * Which of them a joint leaves free, its recipe says (tables.h). */
#ifndef PH_MECH_COORDINATE_H
#define PH_MECH_COORDINATE_H

#include <stdatomic.h>

#include "mech/along.h"

/* Free coordinates of a joint: how many; the k-th. */
int ph_joint_frees(const ph_joint *j);
int ph_joint_free(const ph_joint *j, int k);

unsigned ph_joint_def_frees(const ph_joint_def *d,
                            int particle); /* the same, as bits; particle: one of its bodies is */

/* Sites need no more than the joint and its bodies. Angles are in (-2 pi, 2 pi], components of a rotation vector
 * where three rotations are free. */
double ph_coordinate_value(const ph_site *s, int k);
double ph_coordinate_rate(const ph_site *s, int k);
void ph_coordinate_row(const ph_site *s, int k, ph_vec3 b[PH_SLOTS]);
void ph_coordinate_z(const ph_site *s, int k, ph_vec3 z[PH_SLOTS]);
void ph_coordinate_K(const ph_site *s, int k, double f, const ph_put *p); /* adds f d(b^T)/dq */

#define PH_ANGLES_MAX 2 /* of a joint; three free rotations are components of a vector */

/* A free angle at the rotations and angular velocities at which it was asked for last: all who ask at one point share it. One
 * thread at a time has it; others compute. */
typedef struct ph_angle {
    atomic_flag taken;
    int known;
    ph_quat qa, qb;
    ph_vec3 wa, wb;
    double x;
    ph_swing c;
    ph_vec3 gamma;
    ph_mat3 G;
} ph_angle;

/* actuator.c: the coordinate of a joint that an element of the model asks for, -1: the only free one; who: its words */
ph_status ph_coordinate_choose(const ph_mechanism *m, int joint, int asked, ph_origin at, const char *who,
                               int *out, ph_error *err);

/* view.c: the second derivative of a coordinate */
double ph_joint_acceleration(const ph_mechanism *m, const ph_state *s, const ph_joint *j, int k);

/* view.c: turns of an angle so far, as 2 pi times a whole number, which is added to its value */
double ph_mechanism_turns(const ph_mechanism *m, const ph_joint *j, int k, double value, double rate,
                          double t);

#endif
