/* NLopt, loaded when something is to be optimised; minimise.c alone includes this. */
#ifndef PH_STUDY_NLOPT_CALLS_H
#define PH_STUDY_NLOPT_CALLS_H

#include <nlopt.h>

#include "base/shared.h"

/* clang-format off */
#define NAMES(X) \
    X(nlopt_create) X(nlopt_destroy) X(nlopt_force_stop) X(nlopt_optimize) X(nlopt_set_ftol_rel) \
    X(nlopt_set_lower_bounds1) X(nlopt_set_maxeval) X(nlopt_set_min_objective) X(nlopt_set_upper_bounds1) \
    X(nlopt_set_xtol_abs1)
/* clang-format on */

static struct {
    NAMES(PH_CALL_MEMBER)
} nlopt; /* constant once it is loaded */

static int load_nlopt(void) /* 0: it is not there */
{
    static const char *const names[] = {NAMES(PH_CALL_NAME) NULL};
    return ph_shared_load(PH_NLOPT_FILE, 0, names, &nlopt) != PH_SHARED_NONE;
}

#define nlopt_create            nlopt.nlopt_create
#define nlopt_destroy           nlopt.nlopt_destroy
#define nlopt_force_stop        nlopt.nlopt_force_stop
#define nlopt_optimize          nlopt.nlopt_optimize
#define nlopt_set_ftol_rel      nlopt.nlopt_set_ftol_rel
#define nlopt_set_lower_bounds1 nlopt.nlopt_set_lower_bounds1
#define nlopt_set_maxeval       nlopt.nlopt_set_maxeval
#define nlopt_set_min_objective nlopt.nlopt_set_min_objective
#define nlopt_set_upper_bounds1 nlopt.nlopt_set_upper_bounds1
#define nlopt_set_xtol_abs1     nlopt.nlopt_set_xtol_abs1

#endif
