/* A model file: read it, set a parameter, run it, look at it by name.
 *
 * cc model_file.c $(pkg-config --cflags --libs polhode) */
#include <math.h>
#include <polhode/model.h>
#include <stdio.h>

typedef struct watch {
    ph_mechanism *mech;
    int tip; /* sensor */
} watch;

static ph_status print(const ph_sim *sim, void *ctx)
{
    const watch *w = ctx;
    double at[PH_SENSOR_MAX];
    ph_state s = ph_sim_state(sim);
    if (ph_sim_stats(sim).steps % 100 == 0 && ph_mechanism_sensor(w->mech, &s, w->tip, at) == PH_OK)
        printf("t = %.1f s, tip at %9.6f %9.6f %9.6f m\n", s.t, at[0], at[1], at[2]);
    return PH_OK;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "models/heavy_top.lua";
    ph_setting mass = {"m", 16}; /* kg; 15 in the file */
    ph_model *model = NULL;
    ph_mechanism *mech = NULL;
    ph_sim *sim = NULL;
    ph_error err;
    const double *q0, *v0;
    if (ph_model_read(&model, path, &mass, 1, NULL, &err))
        return fprintf(stderr, "%s\n", err.text), 1;
    ph_run_def run = ph_model_run(model); /* what the file says; change it here */
    if (ph_mechanism_create(&mech, model, run.space, NULL, &err) ||
        ph_mechanism_initial(mech, run.assemble, &q0, &v0, &err) || ph_mechanism_rank(mech, &err) ||
        ph_sim_create(&sim, ph_mechanism_system(mech), &run.opt, 0, q0, v0, &err))
        return fprintf(stderr, "%s\n", err.text), 1;
    watch w = {mech, ph_model_find(model, PH_SENSORS, "tip")};
    ph_state s = ph_sim_state(sim);
    double before = ph_mechanism_energy(mech, &s);
    if (w.tip < 0 || ph_sim_run(sim, lround(run.t_end / run.opt.h), print, &w, &err))
        return fprintf(stderr, "%s\n", w.tip < 0 ? "no sensor 'tip'" : err.text), 1;
    s = ph_sim_state(sim);
    ph_body_state top;
    ph_vec3 force, torque;
    ph_mechanism_body(mech, &s, ph_model_find(model, PH_BODIES, "top"), &top);
    ph_mechanism_reaction(mech, &s, ph_model_find(model, PH_JOINTS, "pivot"), &force, &torque);
    printf("the top spins at %.3f rad/s; its pivot bears %.3f N\n", top.omega.y, ph_norm(force));
    double drift = fabs(ph_mechanism_energy(mech, &s) / before - 1);
    ph_sim_destroy(sim), ph_mechanism_destroy(mech), ph_model_free(model);
    return drift < 1e-4 ? 0 : 1; /* nothing takes or gives energy */
}
