/* A model file: open it with another value of a parameter, run it, look at it by name.
 *
 * cc model_file.c $(pkg-config --cflags --libs polhode) -lm */
#include <math.h>
#include <polhode/polhode.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    ph_setting mass = {"m", 16}; /* kg; 15 in the file */
    ph_run_config config = ph_run_defaults();
    ph_run *run;
    ph_error err;
    double tip[3], omega[3], reaction[6];
    config.parameters = &mass, config.n_parameters = 1;
    if (ph_run_open(&run, argc > 1 ? argv[1] : "models/heavy_top.lua", &config, &err))
        return fprintf(stderr, "%s\n", err.text), 1;

    int sensor = ph_run_find(run, PH_SENSORS, "tip");
    for (int k = 0; k <= 10; k++) {
        if (ph_run_until(run, k * ph_run_end(run) / 10, &err))
            return fprintf(stderr, "%s\n", err.text), 1;
        if (ph_run_get(run, PH_GET_SENSOR, sensor, tip) == PH_OK)
            printf("t = %.1f s, tip at %9.6f %9.6f %9.6f m\n", ph_run_time(run), tip[0], tip[1], tip[2]);
    }

    ph_run_get(run, PH_GET_OMEGA, ph_run_find(run, PH_BODIES, "top"), omega);
    ph_run_get(run, PH_GET_REACTION, ph_run_find(run, PH_JOINTS, "pivot"), reaction);
    printf("the top spins at %.3f rad/s; its pivot bears %.3f N\n", omega[1],
           hypot(hypot(reaction[0], reaction[1]), reaction[2]));
    ph_run_summary s = ph_run_summarise(run);
    ph_run_close(run);
    return s.residual < 1e-4 * s.energy_initial ? 0 : 1; /* nothing takes or gives energy */
}
