/* A controller written in C: a pendulum on a hinge, held upright by a torque that follows its angle.
 *
 * The model comes from a file. Its system is taken as it is but for the forces, to which the torque is added; it is
 * constant over a step, as a controller with a clock gives it.
 *
 * cc controller.c $(pkg-config --cflags --libs polhode) -lm */
#include <math.h>
#include <polhode/polhode.h>
#include <stdio.h>

typedef struct plant {
    const ph_system *model;
    int at;        /* where the torque stands among the forces: rotation of the body */
    double torque; /* N m, about the x axis of the body */
} plant;

static ph_status forces(const ph_state *s, double *g, void *ctx)
{
    const plant *p = ctx;
    ph_status status = p->model->g(s, g, p->model->ctx);
    g[p->at] -= p->torque; /* M vdot + g + B^T lambda = 0 */
    return status;
}

/* All else is the model's. */
#define PASS(name)                                                                                           \
    static ph_status pass_##name(const ph_state *s, double *out, void *ctx)                                  \
    {                                                                                                        \
        const ph_system *model = ((const plant *)ctx)->model;                                                \
        return model->name(s, out, model->ctx);                                                              \
    }
PASS(M)
PASS(Phi)
PASS(B) PASS(convective) PASS(C) PASS(K) PASS(Z)

    int main(int argc, char **argv)
{
    ph_run *model, *run;
    ph_error err;
    const char *options[] = {"h=2e-3", "t_end=4"};
    ph_run_config config = ph_run_defaults();
    config.options = options, config.n_options = 2;
    if (ph_run_open(&model, argc > 1 ? argv[1] : "examples/upright.lua", &config, &err))
        return fprintf(stderr, "%s\n", err.text), 1;

    plant p = {.model = ph_run_system(model), .at = 3}; /* one body: x, then its rotation */
    ph_system sys = *p.model;
    ph_state start = ph_sim_state(ph_run_sim(model));
    sys.g = forces, sys.ctx = &p;
    sys.M = pass_M, sys.Phi = pass_Phi, sys.B = pass_B, sys.convective = pass_convective;
    sys.C = pass_C, sys.K = pass_K, sys.Z = pass_Z;
    if (ph_run_create_system(&run, &sys, 0, start.q, start.v, &config, &err))
        return fprintf(stderr, "%s\n", err.text), 1;

    double angle = 0;
    for (int step = 0; ph_run_time(run) < 4 - 1e-9; step++) {
        ph_state s = ph_sim_state(ph_run_sim(run));
        angle = 2 * atan2(s.q[s.q_at[1] + 1], s.q[s.q_at[1]]); /* about x, from the quaternion */
        p.torque = -60 * angle - 12 * ph_state_v(&s, 1, 0).x;
        if (step % 250 == 0)
            printf("t = %.1f s  angle %9.6f rad  torque %9.4f N m\n", s.t, angle, p.torque);
        if (ph_run_step(run, &err))
            return fprintf(stderr, "%s\n", err.text), 1;
    }
    ph_run_close(run), ph_run_close(model);
    return fabs(angle) < 1e-3 ? 0 : 1; /* it stands */
}
