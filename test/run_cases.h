/* What test_run.c, test_run_analysis.c, test_run_derivative.c, test_run_failure.c, test_run_gradient.c, test_run_numbers.c, test_run_save.c, test_run_step.c, test_run_watch.c share. */
#ifndef PH_TEST_RUN_CASES_H
#define PH_TEST_RUN_CASES_H

#include "scratch.h"
#include "sim_cases.h"
#include <pthread.h>
#include "mech/mech.h"
#include "polhode/polhode.h"
#include "run/private.h"
#include "step/sim.h"

#define MODELS PH_TEST_DIR "/../models/"

static inline ph_run *open_run(const char *path, const char *const *options, int n)
{
    ph_run *run;
    ph_error err = {0};
    ph_run_config c = ph_run_defaults();
    c.options = options, c.n_options = n;
    if (ph_run_open(&run, path, &c, &err) != PH_OK)
        fail_msg("%s: %s", path, err.text);
    return run;
}

static inline void steps_of(ph_run *run, int n)
{
    ph_error err = {0};
    for (int k = 0; k < n; k++)
        if (ph_run_step(run, &err) != PH_OK)
            fail_msg("%s", err.text);
}

static inline snapshot snap_run(const ph_run *run)
{
    return snap((ph_sim *)ph_run_sim(run), ph_run_system(run));
}

static inline void check_same(const ph_run *a, const ph_run *b, const char *what)
{
    snapshot x = snap_run(a), y = snap_run(b);
    if (!same_bits(&x, &y)) /* exact */
        fail_msg("%s: not the same bits", what);
    free(x.x), free(y.x);
}

static inline ph_run *run_of(scratch *s, const char *text, const char *const *options, int n)
{
    *s = scratch_create("run.lua");
    scratch_write(s, text, strlen(text));
    return open_run(s->path, options, n);
}

typedef struct seen {
    int starts, steps, stop_at;
} seen;

static inline ph_status see(ph_run *run, int why, void *ctx)
{
    seen *s = ctx;
    s->starts += why == PH_ON_START, s->steps += why == PH_ON_STEP;
    if (s->steps == s->stop_at)
        ph_run_stop(run);
    return s->steps < 40 ? PH_OK : PH_E_INPUT;
}

#endif
