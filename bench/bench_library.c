/* Time of a step of the library, in the clock of bench_compile.c: bench_library MODEL STEPS REPEATS [key=value]... [N=bodies] */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "polhode/run.h"

static double clock_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    ph_run_config c = ph_run_defaults();
    ph_setting set = {"N", 0};
    ph_run *run;
    ph_error err;
    double best = 1e9;
    if (argc < 4)
        return fprintf(stderr, "bench_library MODEL STEPS REPEATS [key=value]... [N=bodies]\n"), 2;
    if (!strncmp(argv[argc - 1], "N=", 2))
        set.value = atof(argv[--argc] + 2), c.parameters = &set, c.n_parameters = 1;
    c.options = (const char *const *)argv + 4, c.n_options = argc - 4, c.watch = 0;
    if (ph_run_open(&run, argv[1], &c, &err) != PH_OK)
        return fprintf(stderr, "%s\n", err.text), 2;
    for (int r = 0; r < atoi(argv[3]); r++) {
        if (ph_run_reset(run, &err) != PH_OK)
            return 1;
        double start = clock_s();
        for (int k = 0; k < atoi(argv[2]); k++)
            if (ph_run_step(run, &err) != PH_OK)
                return fprintf(stderr, "%s\n", err.text), 1;
        double took = clock_s() - start;
        best = took < best ? took : best;
    }
    printf("%.4f\n", best / atoi(argv[2]) * 1e6);
    ph_run_close(run);
    return 0;
}
