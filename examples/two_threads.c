/* Two runs of one model in two threads: the model is read once and stays as it is, each run has its own state.
 *
 * cc two_threads.c $(pkg-config --cflags --libs polhode) -lpthread */
#include <polhode/polhode.h>
#include <pthread.h>
#include <stdio.h>

typedef struct job {
    const ph_model *model;
    const char *h; /* "h=0.002" */
    double x[3];   /* where the first body is at the end */
    ph_error err;
    ph_status status;
} job;

static void *simulate(void *ctx)
{
    job *j = ctx;
    ph_run *run;
    ph_run_config config = ph_run_defaults();
    config.options = &j->h, config.n_options = 1;
    j->status = ph_run_create(&run, j->model, &config, &j->err);
    if (j->status == PH_OK)
        j->status = ph_run_until(run, ph_run_end(run), &j->err);
    if (j->status == PH_OK)
        j->status = ph_run_get(run, PH_GET_POSITION, 0, j->x);
    ph_run_close(run);
    return NULL;
}

int main(int argc, char **argv)
{
    ph_model *model;
    ph_error err;
    pthread_t thread[2];
    /* its force is a function of the file: each run calls it in a Lua state of its own */
    if (ph_model_read(&model, argc > 1 ? argv[1] : "models/absorber.lua", NULL, 0, NULL, &err))
        return fprintf(stderr, "%s\n", err.text), 1;
    job jobs[2] = {{.model = model, .h = "h=0.002"}, {.model = model, .h = "h=0.001"}};
    for (int k = 0; k < 2; k++)
        if (pthread_create(&thread[k], NULL, simulate, &jobs[k]))
            return 1;
    for (int k = 0; k < 2; k++)
        pthread_join(thread[k], NULL);
    ph_model_free(model);
    for (int k = 0; k < 2; k++) {
        if (jobs[k].status)
            return fprintf(stderr, "%s\n", jobs[k].err.text), 1;
        printf("%-7s the machine is at x = %.9f m\n", jobs[k].h, jobs[k].x[0]);
    }
    double change = jobs[0].x[0] - jobs[1].x[0];
    return change < 1e-3 && change > -1e-3 ? 0 : 1; /* two step sizes, one motion */
}
