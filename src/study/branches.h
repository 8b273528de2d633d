/* Modes over a parameter, followed by their shapes. */
#ifndef PH_STUDY_BRANCHES_H
#define PH_STUDY_BRANCHES_H

typedef struct ph_branch_mode {
    double re, im;       /* eigenvalue; im >= 0 */
    const double *shape; /* real parts of all coordinates, then imaginary parts; NULL: not known */
} ph_branch_mode;

/* The modal assurance criterion of two shapes with n coordinates: 1 where one is a multiple of the other, 0 where they
 * are orthogonal. */
double ph_branch_mac(int n, const double *a, const double *b);

/* mode[c*modes + k]: mode k of count[c] <= modes at value c of the parameter, in the order of the values. branch, of the
 * same layout: the branch that each belongs to, from 1 on, by the values at the first value of the parameter where it is there; 0: no mode.
 * Returns the number of branches; 0: there is no mode; -1: not enough memory. */
int ph_branches_follow(int cases, int modes, int n, const int *count, const ph_branch_mode *mode,
                       int *branch);

#endif
