/* A user's program: public headers, the library, an inline function that needs libm, and a model file.
 * Usage: consumer MODEL, where MODEL has a parameter m, a body "top" and a sensor "tip" */
#include <polhode/base.h>
#include <polhode/lie.h>
#include <polhode/model.h>

#include <stdio.h>
#include <string.h>

/* Where the tip is after ten steps with m = 16: the same by the sensor and by the body. */
static int look(const char *path)
{
    ph_model *model;
    ph_mechanism *mech;
    ph_sim *sim;
    ph_error err;
    ph_setting set = {"m", 16};
    ph_body_state top;
    const double *q0, *v0;
    double tip[PH_SENSOR_MAX];
    if (ph_model_read(&model, path, &set, 1, NULL, &err))
        return fprintf(stderr, "%s\n", err.text), 1;
    ph_run_def run = ph_model_run_def(model);
    if (ph_mechanism_create(&mech, model, run.space, NULL, &err) ||
        ph_mechanism_initial(mech, run.assemble, &q0, &v0, &err) || ph_mechanism_rank(mech, &err) ||
        ph_sim_create(&sim, ph_mechanism_system(mech), &run.opt, 0, q0, v0, &err) ||
        ph_sim_run(sim, 10, NULL, NULL, &err))
        return fprintf(stderr, "%s\n", err.text), 1;
    ph_state s = ph_sim_state(sim);
    int sensor = ph_model_find(model, PH_SENSORS, "tip");
    ph_mechanism_body(mech, &s, ph_model_find(model, PH_BODIES, "top"), &top);
    int ok = sensor >= 0 && ph_model_sensor_size(model, sensor) == 3 &&
             ph_mechanism_sensor(mech, &s, sensor, tip) == PH_OK &&
             ph_model_parameter(model, ph_model_find(model, PH_PARAMETERS, "m")) == 16;
    /* round-off: the tip of the file is at {0, 1, 0} in the body */
    ph_vec3 expected = ph_add(top.x, ph_mul(ph_qmat(top.q), ph_v3(0, 1, 0)));
    ok = ok && ph_norm(ph_sub(ph_load3(tip), expected)) < 1e-13;
    ph_sim_destroy(sim), ph_mechanism_destroy(mech), ph_model_free(model);
    return !ok;
}

int main(int argc, char **argv)
{
    if (strcmp(ph_version(), PH_VERSION) != 0 || ph_group_dim(PH_SE3, 0) != 6)
        return 1;
    if (!(ph_norm(ph_v3(3 * argc, 4 * argc, 0)) == 5 * argc)) /* exact */
        return 1;
    if (argc != 2 || look(argv[1]))
        return 1;
    printf("%s\n", ph_version());
    return 0;
}
