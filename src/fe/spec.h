/* What to reduce, and how, as a model file says it. */
#ifndef PH_FE_SPEC_H
#define PH_FE_SPEC_H

#include "base/files.h"
#include "fe/frame.h"

#define PH_NO_NODE (-1)
#define PH_AS_MANY (-1)

/* Nodes that users give a name. */
typedef struct ph_fe_interface {
    const char *name;
    int n;
    const int *id; /* of its nodes */
} ph_fe_interface;

typedef enum ph_modes_type { PH_MODES_CLAMPED, PH_MODES_CRAIG_BAMPTON, PH_MODES_PINNED } ph_modes_type;

/* A stress stiffness from a file. */
typedef struct ph_fe_stress {
    const char *name; /* of the load case; NULL: a body along x that spins, omega_yy and omega_zz */
    const char *path;
} ph_fe_stress;

typedef struct ph_fe_spec {
    /* finite elements: members between points, */
    int n_points, n_members;
    const double *points; /* n_points x 3 */
    const ph_fe_member *member;
    /* or files */
    const char *mass, *stiffness, *nodes; /* paths; NULL: members */
    int dofs;                             /* of a node */
    ph_files *files;                      /* that keep all that is read; NULL: nothing is kept */

    /* the frame of the body, and markers */
    const char *frame; /* name of an interface; NULL: frame_id */
    int frame_id;      /* node; PH_NO_NODE: not given */
    int n_interfaces;
    const ph_fe_interface *interface;

    /* modes */
    int type;          /* ph_modes_type */
    const char *modes; /* path of Psi; NULL: type */
    int n;             /* modes, lowest first; 0: not given */
    int fixed;         /* of Craig-Bampton: modes with fixed interfaces; PH_AS_MANY: as n */
    int n_keep;
    const int *keep; /* which of the n, from 1; NULL: all */

    /* damping */
    double alpha, beta; /* 1/s, s: D = alpha M + beta K */
    int n_ratios;       /* 0: none; 1: of all modes */
    const double *ratio;

    /* stress stiffness */
    int stiffen; /* all load cases, of members */
    int n_stress;
    const ph_fe_stress *stress;
} ph_fe_spec;

#endif
