/* An objective of a model file as one of ph_sens_gradient: its derivatives by the state, and by parameters from
 * neighbouring models. */
#ifndef PH_STUDY_GOAL_H
#define PH_STUDY_GOAL_H

#include "study/vary.h"

/* Weights of the neighbours in a derivative, times 1/eps. */
extern const double ph_vary_weight[PH_NEIGHBOURS];

typedef struct ph_goal {
    ph_mechanism *mech;
    const ph_model *model;
    int objective;
    int n; /* parameters */
    const ph_vary *vary;
    ph_output_fn watch; /* of the way forwards; may be NULL */
    void *ctx;
    const ph_model *refused; /* whose function failed, at time t; NULL: none did */
    double t;
} ph_goal;

/* goal must stay where it is. */
ph_objective ph_goal_objective(ph_goal *goal);

/* Explicit dependence on parameter k: the objective at the same state, differenced over the neighbours. */
ph_status ph_goal_by_parameter(ph_goal *goal, const ph_state *s, ph_objective_part part, int k, double *out);

#endif
