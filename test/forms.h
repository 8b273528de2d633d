/* Every formulation, for tests that go through them. */
#ifndef PH_TEST_FORMS_H
#define PH_TEST_FORMS_H

#include "polhode/sim.h"

static const ph_formulation forms[] = {PH_INDEX3, PH_INDEX2, PH_GGL};

#define FORMS 3

#endif
