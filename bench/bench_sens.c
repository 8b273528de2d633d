/* What sensitivities cost, relative to the run without them:
 *   bench_sens MODEL METHOD FORM STEPS MODE [PARAMETER...]
 * MODE plain, direct or adjoint makes one run, for a profiler; MODE compare makes them in turn and prints the best
 * processor times. Without parameters: all that the model has. METHOD may end in an order: bliedf4. */
#include "clock.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/neighbours.h"

typedef struct setup {
    ph_neighbour self;
    ph_run *run; /* of the same model: its neighbours follow it */
    ph_neighbours *near;
    ph_param *param;
    int n;
    long steps;
    ph_options opt;
} setup;

static void must(ph_status s, const ph_error *err)
{
    if (s == PH_OK)
        return;
    fprintf(stderr, "bench_sens: %s\n", err->text);
    exit(1);
}

/* |v|^2/2 at the end */
static ph_status energy(const ph_state *s, double *value, const ph_covector *g, void *ctx)
{
    int nv = *(const int *)ctx;
    *value = 0;
    for (int i = 0; i < nv; i++) {
        *value += 0.5 * s->v[i] * s->v[i];
        if (g)
            g->v[i] = s->v[i];
    }
    return PH_OK;
}

/* Seconds of the run alone; what is created before does not count. */
static double run(const setup *x, const char *mode)
{
    ph_error err = {0};
    ph_sim *sim;
    ph_sens *sens = NULL;
    int nv = ph_system_nv(&x->self.sys);
    must(ph_sim_create(&sim, &x->self.sys, &x->opt, 0, x->self.q0, x->self.v0, &err), &err);
    if (strcmp(mode, "plain") != 0)
        must(ph_sens_create(&sens, sim, x->n, x->param, &err), &err);
    double begin = cpu_seconds();
    if (strcmp(mode, "adjoint") == 0) {
        ph_objective objective = {.final = energy, .ctx = &nv};
        double value, *gradient = calloc((size_t)x->n, sizeof *gradient);
        must(ph_sens_gradient(sens, x->steps, &objective, 0, &value, gradient, &err), &err);
        free(gradient);
    } else
        must(ph_sim_run(sim, x->steps, NULL, NULL, &err), &err);
    double seconds = cpu_seconds() - begin;
    ph_sens_destroy(sens);
    ph_sim_destroy(sim);
    return seconds;
}

static void prepare(setup *x, char **args, int n, char **names)
{
    ph_error err = {0};
    char *method = args[2];
    size_t end = strlen(method);
    x->opt = ph_default_options();
    if (end && isdigit((unsigned char)method[end - 1]))
        x->opt.order = method[end - 1] - '0', method[end - 1] = 0;
    x->opt.method = method, x->opt.h = 1e-3;
    while (ph_formulation_word((int)x->opt.formulation) &&
           strcmp(args[3], ph_formulation_word((int)x->opt.formulation)) != 0)
        x->opt.formulation++;
    x->steps = atol(args[4]);
    must(ph_model_read(&x->self.model, args[1], NULL, 0, NULL, &err), &err);
    must(ph_mechanism_create(&x->self.mech, x->self.model, 0, NULL, &err), &err);
    must(ph_mechanism_initial(x->self.mech, 0, &x->self.q0, &x->self.v0, &err), &err);
    x->self.sys = *ph_mechanism_system(x->self.mech);
    x->n = n ? n : ph_model_count(x->self.model, PH_PARAMETERS);
    x->near = calloc((size_t)x->n + 1, sizeof *x->near),
    x->param = calloc((size_t)x->n + 1, sizeof *x->param);
    ph_run_config c = ph_run_defaults();
    c.wait = 1;
    must(ph_run_create(&x->run, x->self.model, &c, &err), &err);
    for (int k = 0; k < x->n; k++) {
        const char *name = n ? names[k] : ph_model_name(x->self.model, PH_PARAMETERS, k);
        int parameter = ph_model_find(x->self.model, PH_PARAMETERS, name);
        must(ph_neighbours_create(&x->near[k], x->run, parameter, 0, &err), &err);
        x->param[k] = ph_neighbours_param(&x->near[k]);
    }
}

int main(int argc, char **argv)
{
    static const char *const modes[] = {"plain", "direct", "adjoint"};
    if (argc < 6) {
        fprintf(stderr,
                "usage: bench_sens MODEL METHOD FORM STEPS plain|direct|adjoint|compare [PARAMETER...]\n");
        return 2;
    }
    setup x = {0};
    prepare(&x, argv, argc - 6, argv + 6);
    if (strcmp(argv[5], "compare") != 0)
        run(&x, argv[5]);
    else {
        double best[3] = {INFINITY, INFINITY, INFINITY};
        for (int k = 0; k < 60; k++)
            best[k % 3] = fmin(best[k % 3], run(&x, modes[k % 3]));
        printf("%s %s%d %s, %d parameters: plain %.3g us/step, direct %.3f, adjoint %.3f times that\n",
               argv[1], x.opt.method, x.opt.order, argv[3], x.n, 1e6 * best[0] / (double)x.steps,
               best[1] / best[0], best[2] / best[0]);
    }
    for (int k = 0; k < x.n; k++)
        ph_neighbours_destroy(&x.near[k]);
    free(x.near), free(x.param);
    ph_run_close(x.run);
    ph_mechanism_destroy(x.self.mech);
    ph_model_free(x.self.model);
    return 0;
}
