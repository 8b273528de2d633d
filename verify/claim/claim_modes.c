/* Measures of model files: free vibrations about the initial state. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "claim/claim_run.h"

/* Frequencies, rad/s, of the modes whose numbers run->of lists, from 1. */
int ph_measure_model_modes(ph_study *study, const ph_claim_run *run, double *value)
{
    ph_model_runner runner;
    ph_modes *modes = NULL;
    ph_claim_run r = *run;
    r.h = r.to = 1, r.start = PH_PLAIN; /* of a simulation that takes no step: velocities as given */
    if (!ph_model_runner_open(&runner, study, &r))
        return 0;
    ph_error *err = &ph_study_model_results(study)->complaint;
    ph_status status = ph_run_modes(&modes, runner.run, err);
    const char *word = run->of;
    for (int i = 0; status == PH_OK && *word && i < PH_CLAIM_MAX; i++) {
        double re, im;
        ph_modes_value(modes, atoi(word) - 1, &re, &im);
        value[i] = hypot(re, im);
        word += strcspn(word, " ");
        word += strspn(word, " ");
    }
    ph_modes_destroy(modes);
    ph_model_runner_close(&runner);
    return status == PH_OK;
}

/* Their relative differences from run->exact. */
int ph_measure_model_modes_error(ph_study *study, const ph_claim_run *run, double *value)
{
    if (!ph_measure_model_modes(study, run, value))
        return 0;
    for (int i = 0; i < PH_CLAIM_MAX && run->exact[i] > 0; i++)
        value[i] = value[i] / run->exact[i] - 1;
    return 1;
}
