/* What test_rk.c, test_rkmk.c share. */
#ifndef PH_TEST_RKMK_CASES_H
#define PH_TEST_RKMK_CASES_H

#include <float.h>
#include "rk_cases.h"
#include "step/sim.h"

static const char *const explicit_row[] = {"euler", "heun", "rk4", "dopri5", "dopri8"};

#define ROWS 5

#endif
