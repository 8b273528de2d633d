/* Tolerances of the watch of a run. */
#ifndef PH_RUN_LIMITS_H
#define PH_RUN_LIMITS_H

#include <float.h>

/* Times the kinetic energy that can be explained. Errors of a sound run are a few percent of it. */
#define PH_WATCH_TOO_MUCH 2

/* Accepted points in a row with too much of it end a run. A quadrature of forces that the steps do not resolve is off for
 * a few steps; an unstable run grows in each one. Of 1872 random tables finer than the steps none end too early under
 * genalpha, 7 under bliedf, 17 under rkmk with dopri5. */
#define PH_WATCH_STRIKES 10

/* Speed of all bodies [m/s, rad/s] whose energy is round-off of a system at rest. */
#define PH_WATCH_SLOW 1e-6

/* Residual of the balance, as a part of the energy that moved, which is a warning: all models of the project are below 1e-3. */
#define PH_WATCH_RESIDUAL 1e-2

/* The same over tol, with error control: all models and methods are below 7. */
#define PH_WATCH_RESIDUAL_TOL 100

/* Round-off of the balance over a long run, as a part of the potential at the start. */
#define PH_WATCH_ROUND 1e-10

/* Relative difference of two times that are the same start of a step: breakpoints are passed 16 units in the last place later. */
#define PH_WATCH_INSTANT (32 * DBL_EPSILON)

/* ---- run_warnings.c */
/* Above this part of steps that were divided, the step size is too large for the whole run. */
#define PH_WARN_DIVIDED 0.1

#endif
