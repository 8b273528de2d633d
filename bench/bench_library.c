/* Time of a step of the library, in the clock of bench_compile.c, in microseconds and side by side: a step of the simulation alone, one of
 * the run, and one of ph_run_until with all that is watched. The start of the run is not counted.
 *   bench_library MODEL STEPS REPEATS [key=value]... [--set name=value]... */
#include "clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "polhode/run.h"

enum { SIM, STEP, WATCHED, KINDS };

static ph_status advance(int kind, ph_run *run, long steps, ph_error *err)
{
    ph_status s = PH_OK;
    if (kind == WATCHED)
        return ph_run_until(run, (double)steps * ph_run_options(run).h, err);
    for (long k = 0; k < steps && s == PH_OK; k++)
        s = kind == SIM ? ph_sim_step((ph_sim *)ph_run_sim(run), err) : ph_run_step(run, err);
    return s;
}

static int usage(void)
{
    fprintf(stderr, "bench_library MODEL STEPS REPEATS [key=value]... [--set name=value]...\n");
    return 2;
}

int main(int argc, char **argv)
{
    ph_run_config c = ph_run_defaults();
    ph_setting set[8];
    const char *options[16];
    ph_run *run[KINDS] = {0};
    ph_error err = {0};
    double best[KINDS] = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
    ph_status s = PH_OK;
    if (argc < 4)
        return usage();
    long steps = atol(argv[2]), repeats = atol(argv[3]);
    c.parameters = set, c.options = options;
    for (int k = 4; k < argc && c.n_parameters < 8 && c.n_options < 16; k++) {
        char *equals = k + 1 < argc && !strcmp(argv[k], "--set") ? strchr(argv[k + 1], '=') : NULL;
        if (!equals) {
            options[c.n_options++] = argv[k];
            continue;
        }
        *equals = 0;
        set[c.n_parameters++] = (ph_setting){argv[++k], atof(equals + 1)};
    }
    for (int k = 0; k < KINDS && s == PH_OK; k++) {
        c.watch = k == WATCHED ? PH_WATCH_ALL : 0;
        s = ph_run_open(&run[k], argv[1], &c, &err);
    }
    for (long r = 0; r < repeats * KINDS && s == PH_OK; r++) {
        int k = (int)(r % KINDS);
        s = ph_run_reset(run[k], &err);
        if (s == PH_OK)
            s = ph_run_start(run[k], &err);
        double start = cpu_seconds();
        if (s == PH_OK)
            s = advance(k, run[k], steps, &err);
        best[k] = fmin(best[k], cpu_seconds() - start);
    }
    for (int k = 0; k < KINDS; k++) {
        printf("%.4f%c", best[k] / (double)steps * 1e6, k + 1 < KINDS ? ' ' : '\n');
        ph_run_close(run[k]);
    }
    return s == PH_OK ? 0 : (fprintf(stderr, "%s\n", err.text), 1);
}
