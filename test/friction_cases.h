/* What test_friction.c and slow_friction.c share: runs of a chain whose rough joints come to rest repeatedly. */
#ifndef PH_TEST_FRICTION_CASES_H
#define PH_TEST_FRICTION_CASES_H

#include "run_cases.h"

#define ROUGH PH_TEST_DIR "/models/"

static inline ph_run *open_rough(const char *file, double h, const char *const *options, int n, int compiled)
{
    const char *all[8];
    char size[40];
    ph_run *run;
    ph_error err = {0};
    ph_run_config c = ph_run_defaults();
    snprintf(size, sizeof size, "h=%.17g", h);
    for (int k = 0; k < n; k++)
        all[k] = options[k];
    all[n] = size, c.options = all, c.n_options = n + 1, c.compiled = compiled, c.watch = PH_WATCH_ALL;
    if (ph_run_open(&run, file, &c, &err) != PH_OK)
        fail_msg("%s", err.text);
    return run;
}

static inline void set_to(ph_run *run, const char *name, double x)
{
    ph_error err = {0};
    if (ph_run_set_parameters(run, &(ph_setting){name, x}, 1, &err) != PH_OK)
        fail_msg("%s", err.text);
}

/* Chains of hinges and of balls with these speeds and step sizes; the number of runs that fail. */
static inline int failed_chains(const double *ws, int n_ws, const double *h, int n_h, double t_end)
{
    int failed = 0;
    for (int ball = 0; ball < 2; ball++)
        for (int i = 0; i < n_ws * n_h; i++) {
            ph_run *run = open_rough(ROUGH "rough_chain.lua", h[i % n_h], NULL, 0, 0);
            ph_error err = {0};
            set_to(run, "ball", ball), set_to(run, "ws", ws[i / n_h]);
            if (ph_run_until(run, t_end, &err) != PH_OK) {
                print_message("ball %d, ws %g, h %g: %s\n", ball, ws[i / n_h], h[i % n_h], err.text);
                failed++;
            }
            ph_run_close(run);
        }
    return failed;
}

#endif
