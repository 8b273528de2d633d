/* A system as its user sees it: bodies and joints with names; motion in SI units, frames as ph_quantity says.
 * */
#ifndef PH_CLI_BODY_H
#define PH_CLI_BODY_H

#include "cli/target.h"

typedef struct ph_body_nodes {
    int x, R; /* its nodes with a position and with a rotation, perhaps the same; -1: none */
} ph_body_nodes;

typedef struct ph_bodies {
    ph_run *run;
    const ph_system *sys;
    int is_file;          /* its bodies and joints are those of the model; 0: a built-in problem */
    int space;            /* of a file */
    int n;                /* bodies, markers of flexible ones included */
    int n_own;            /* without markers, which move with their bodies */
    int n_joints;         /* joints, or constraints of a built-in problem */
    int n_ties;           /* joints and, after them, constraint{} of a file */
    ph_body_nodes body[]; /* of a built-in problem */
} ph_bodies;

ph_bodies *ph_bodies_create(const ph_target *target); /* NULL: no memory; free() ends it */

#define PH_LABEL_MAX 96

/* The name of the system's author; else b1, b2, ... and j1, j2, ... Returns text. */
const char *ph_body_name(const ph_bodies *all, int body, char text[PH_LABEL_MAX]);
/* of a joint, or of a tie */
const char *ph_joint_name(const ph_bodies *all, int joint, char text[PH_LABEL_MAX]);
const char *ph_constraint_name(const ph_bodies *all, int constraint, char text[PH_LABEL_MAX]);
const char *ph_node_name(const ph_bodies *all, int node, char text[PH_LABEL_MAX]); /* of its body */

/* The multipliers of a joint, or of a tie, to out; how many there are. Which: PH_GET_MULTIPLIERS or PH_GET_ETA. */
#define PH_ROWS 64
int ph_joint_multipliers(const ph_bodies *all, int joint, int which, const ph_state *s, double out[PH_ROWS]);

/* The space in which the bodies move: "R3xSO3", "SE3", ...; "mixed". */
const char *ph_bodies_space(const ph_bodies *all);

#define PH_QUANTITIES 6
#define PH_MOTION_MAX 19 /* numbers of all of them, of a body of a model */

/* One quantity of a body: position, rotation, velocity, omega, acceleration, omega_dot. Positions, velocities
 * and accelerations have world components, omega and omega_dot body components. */
typedef struct ph_quantity {
    const char *name, *unit;
    const char *const *axes; /* names of the components; NULL: prefix and number */
    const char *prefix;
    int n;
    const double *value; /* own, or a view of the state */
    double own[4];
} ph_quantity;

/* Those that the body has, into out; their number. They hold as long as s and out. */
int ph_body_motion(const ph_bodies *all, int body, const ph_state *s, ph_quantity out[PH_QUANTITIES]);

#endif
