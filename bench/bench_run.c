/* The CPU time of 10^6 steps of a model with a sensor recorded: what bench_python.py compares runs from Python with.
 * Usage: bench_run MODEL SENSOR STEPS */
#include "clock.h"

#include <stdio.h>
#include <stdlib.h>

#include "polhode/polhode.h"

int main(int argc, char **argv)
{
    if (argc != 4)
        return fputs("usage: bench_run MODEL SENSOR STEPS\n", stderr), 2;
    ph_run *run;
    ph_error err = {0};
    if (ph_run_open(&run, argv[1], NULL, &err) != PH_OK)
        return fprintf(stderr, "%s\n", err.text), 2;
    char t_end[64];
    const char *const option = t_end;
    snprintf(t_end, sizeof t_end, "t_end=%.17g", ph_run_options(run).h * atof(argv[3]));
    ph_status s = ph_run_set_options(run, &option, 1, &err);
    if (s == PH_OK)
        s = ph_run_record(run, PH_GET_SENSOR, ph_run_find(run, PH_SENSORS, argv[2]), NULL, &err);
    double begun = cpu_seconds();
    if (s == PH_OK)
        s = ph_run_until(run, ph_run_end(run), &err);
    printf("%.6f\n", cpu_seconds() - begun);
    ph_run_close(run);
    return s == PH_OK ? 0 : (fprintf(stderr, "%s\n", err.text), 1);
}
