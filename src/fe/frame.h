/* Finite elements of beams and frames: straight members of Euler-Bernoulli elements. */
#ifndef PH_FE_FRAME_H
#define PH_FE_FRAME_H

#include "fe/fe.h"

/* What a member is made of; axes of the section are second and third. */
typedef struct ph_fe_section {
    double EA, GJ, EI[2]; /* N, N m^2; EI: about the second and the third axis */
    double rhoA;          /* kg/m */
    double
        J[3]; /* kg m: moments of inertia per length; J[1], J[2] may be 0: bending without rotary inertia */
} ph_fe_section;

typedef struct ph_fe_member {
    int from, to; /* joints of the frame, from 0 */
    int n;        /* elements */
    ph_vec3 axis; /* unit; direction of the second axis of the section; 0: ph_fe_axes chooses */
    ph_fe_section section;
} ph_fe_member;

/* Members between points. Nodes have the ids 0, 1, ...: of one member between two points along it; otherwise
 * the points first, then the nodes inside each member. */
ph_status ph_fe_frame(ph_fe *out, const ph_allocator *alloc, int n_points, const double *points,
                      int n_members, const ph_fe_member *member, ph_error *err);

/* Axes of a section, as columns: along e, the part of axis that is square to e (horizontal, z cross e, where
 * axis is 0; of a beam along z the y axis). 0: axis is along e. */
int ph_fe_axes(ph_vec3 e, ph_vec3 axis, ph_mat3 *R);

/* Matrices of one element of length L in its own axes, 12 x 12, row by row. */
void ph_fe_beam_mass(const ph_fe_section *s, double L, double *M);
void ph_fe_beam_stiffness(const ph_fe_section *s, double L, double *K);
void ph_fe_beam_stress(double N, double L, double *G); /* stress stiffness under the axial force N */
void ph_fe_beam_turn(const ph_mat3 *R, double *A);     /* to the axes of the body */

#endif
