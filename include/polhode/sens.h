/* Sensitivities: derivatives of a simulation by parameters, exact for the discrete solution.
 *
 *   ph_sens *sens;
 *   ph_sens_create(&sens, sim, 1, &parameter, &err);   a simulation that has not made a step yet
 *   ph_sim_run(sim, 1000, output, ctx, &err);          carries the derivatives along
 *   ph_derivative d = ph_sens_get(sens, 0);            of the present state
 *   ph_sens_destroy(sens);                             before the simulation
 *
 * Each step is differentiated as it was solved: one linear system for each parameter, with the factorisation
 * of the step (docs/theory.md, W1-W8). How the equations depend on a parameter is told by systems built for
 * neighbouring values. */
#ifndef POLHODE_SENS_H
#define POLHODE_SENS_H

#include "polhode/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PH_NEIGHBOURS 4 /* at p - 2 eps, p - eps, p + eps, p + 2 eps */

/* One parameter p: the same system with the same layout at neighbouring values, and its initial values there.
 * All of it must outlive the sensitivities. */
typedef struct ph_param {
    const char *name; /* for messages */
    double eps;       /* above 0 */
    struct {
        const ph_system *sys;
        const double *q0, *v0;
    } at[PH_NEIGHBOURS];
} ph_param;

/* Derivatives by one parameter, in the layout of the state. */
typedef struct ph_derivative {
    const double *W; /* nv: q(p + dp) = q o exp(dp W), a body-fixed vector for rotations */
    const double *v, *vdot;
    const double *lambda;
    const double *eta; /* NULL outside the stabilised form */
} ph_derivative;

typedef struct ph_sens ph_sens;

/* params are copied, what they point to is not. PH_E_INPUT for a method without sensitivities, or for
 * neighbours whose layout differs. */
PH_API ph_status ph_sens_create(ph_sens **out, ph_sim *sim, int n, const ph_param *params, ph_error *err);
PH_API void ph_sens_destroy(ph_sens *sens); /* accepts NULL */

/* A view; it holds until the next step. */
PH_API ph_derivative ph_sens_get(const ph_sens *sens, int param);

/* The state moved by dp along the derivative, to first order: with the system of p + dp, what anything that
 * depends on state and parameter is there. The arrays belong to sens and hold until the next call. */
PH_API ph_state ph_sens_move(ph_sens *sens, int param, double dp);

#ifdef __cplusplus
}
#endif

#endif
