/* Sizes of numbers that cancel in the equations: translations and rotations apart, since their units differ. */
#ifndef PH_STEP_SIZE_H
#define PH_STEP_SIZE_H

#include "la/small.h"
#include "step/eval.h"

/* For translations [0] and rotations [1]. */
typedef struct ph_size {
    double of[2];
} ph_size;

/* With velocities that are taken as rest a body moves by no more than this part of its size in one step. */
#define PH_SIZE_REST 1e-3

/* The least mass times this length, or moment of inertia, that a velocity has, as M couples it to those of its node. */
double ph_size_least_inertia(const ph_layout *lay, const double *M, double length);

/* The largest coordinates of q, not less than the size of bodies; rotations have the size 1. */
ph_size ph_size_positions(const ph_layout *lay, const double *q, double body);

/* The size of bodies, from M: the largest radius of gyration that its moments of inertia and masses can have. */
double ph_size_bodies(const ph_layout *lay, const double *M);

/* The largest numbers of a vector, x at the velocities of one node. */
PH_INLINE void ph_size_add_node(ph_size *s, const ph_slot *i, const double *x)
{
    int rot = i->rot, turns = i->dim - rot;
    if (rot > 0)
        s->of[0] = PH_BY_SIZE(rot, ph_small_larger, s->of[0], x);
    if (turns > 0)
        s->of[1] = PH_BY_SIZE(turns, ph_small_larger, s->of[1], x + rot);
}

/* The largest numbers of a vector in the layout of v. */
ph_size ph_size_largest(const ph_layout *lay, const double *x);

/* rows_i = sum_j |B_ij| s_j, of each constraint the largest: nl numbers. */
void ph_size_rows(const ph_layout *lay, const double *B, ph_size s, double *rows);

/* f_i += sum_j |A_ij| s_j with a matrix on the pairs: nv numbers. */
void ph_size_add_pairs(const ph_layout *lay, const double *A, ph_size s, double *f);

/* f += |B|^T |lambda|: nv numbers. */
void ph_size_add_reactions(const ph_layout *lay, const double *B, const double *lambda, double *f);

/* f += what B^T lambda can be once rotations have changed by so much, of torques alone: nv numbers. */
void ph_size_add_turned(const ph_layout *lay, const double *B, const double *lambda, double turn, double *f);

/* max |x_i| / size_i over n numbers; 0/0 is 0. NaN if any number is. */
double ph_size_ratio(int n, const double *x, const double *size);

/* The larger of |x| over size of translations and of rotations; 0/0 is 0. */
double ph_size_over(ph_size x, ph_size size);

#endif
