/* Gradient descent: tune the spring and the damper of a vibration absorber. Each step costs one run forwards and one
 * backwards, however many parameters there are.
 *
 * cc descent.c $(pkg-config --cflags --libs polhode) */
#include <polhode/polhode.h>
#include <stdio.h>

enum { N = 2, STEPS = 12 };

int main(int argc, char **argv)
{
    ph_run *run;
    ph_error err;
    ph_run_config config = ph_run_defaults();
    ph_setting p[N] = {{"k", 500}, {"d", 5}}; /* N/m, N s/m */
    int index[N];
    double value, gradient[N], first = 0, last = 0, pace = 0.4;
    config.watch = 0; /* nobody asks for energies here */
    if (ph_run_open(&run, argc > 1 ? argv[1] : "models/absorber.lua", &config, &err))
        return fprintf(stderr, "%s\n", err.text), 1;
    int objective = ph_run_find(run, PH_OBJECTIVES, "vibration");
    for (int i = 0; i < N; i++)
        index[i] = ph_run_find(run, PH_PARAMETERS, p[i].name);

    for (int step = 0; step < STEPS; step++) {
        if (ph_run_set_parameters(run, p, N, &err) ||
            ph_run_gradient(run, objective, index, N, 0, &value, gradient, &err))
            return fprintf(stderr, "%s\n", err.text), 1;
        printf("k = %7.2f N/m, d = %6.3f N s/m: vibration %.6f m^2 s\n", p[0].value, p[1].value, value);
        if (step == 0)
            first = value;
        else if (value > last)
            pace /= 2; /* too far */
        last = value;
        for (int i = 0; i < N;
             i++) { /* in the logarithm of each: parts of its value count, whatever its unit */
            double slope = p[i].value * gradient[i] / value;
            double part = pace * (slope > 1 ? 1 : slope < -1 ? -1 : slope);
            p[i].value *= 1 - part;
        }
    }
    ph_run_close(run);
    return last < 0.8 * first ? 0 : 1;
}
