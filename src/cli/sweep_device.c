/* sweep --gpu: cases are opened by the workers of the pool, which is where the library checks their values, and step together on a
 * device. What it cannot do, a case whose numbers are no data of the compiled model or one that fails, is left to the processor. */
#include "cli/sweep.h"
#include "polhode/compile.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BATCH_NUMBERS (1 << 26) /* of members that are on the device at once: half a GiB */

/* What a worker hands over: the state of a member, or a row that is final. */
typedef struct opened {
    int ready; /* 1: the state is one */
    long steps;
    double t;
} opened;

typedef struct batch {
    ph_sweep_study *d;
    const struct ph_compiled *c;
    int room, n, numbers, sensors; /* members that there may be, and are; numbers of each */
    int *at;                       /* which case each is */
    long steps;                    /* of all members of a batch */
    double *t, *state, *value, *iterations;
    unsigned char *failed;
    char *row;
    ph_error err;
} batch;

static size_t result_size(const batch *b)
{
    return sizeof(opened) + (size_t)b->numbers * sizeof(double) + ph_sweep_size(b->d);
}

/* ---- in a worker ----------------------------------------------------------------------------------------- */

static void open_case(int k, void *result, void *ctx)
{
    const batch *b = ctx;
    opened *o = result;
    double *state = (double *)(void *)(o + 1);
    ph_sweep_row *row = (ph_sweep_row *)(void *)(state + b->numbers);
    ph_args args = *b->d->args;
    ph_job job = {0};
    ph_error err = {0};
    ph_sweep_clear(b->d, row, PH_E_INPUT);
    ph_complain_into(row->reason, sizeof row->reason);
    int open = ph_sweep_open_case(b->d, k, &args, &job) && ph_job_plan(&job);
    o->ready = open && job.steps > 0 && ph_run_start(job.run, &err) == PH_OK &&
               ph_compiled_load(b->c, job.run, state, &err) == PH_OK;
    o->steps = job.steps, o->t = job.t_end;
    if (o->ready)
        ph_target_close(&job.target);
    else
        ph_sweep_finish(b->d, &job, open, row);
    ph_complain_into(NULL, 0);
}

static void lost(int k, const char *why, void *result, void *ctx)
{
    const batch *b = ctx;
    opened *o = result;
    ph_sweep_lost(k, why, (double *)(void *)(o + 1) + b->numbers, b->d);
}

/* ---- on the device ----------------------------------------------------------------------------------------- */

/* Sensors of the table, out of all that the model has. */
static void copy_sensors(const ph_sweep_study *d, const double *all, double *value)
{
    for (int i = 0; i < d->n_sensors; i++) {
        int size = ph_model_sensor_size(d->model, d->sensor[i]), from = 0;
        for (int k = 0; k < d->sensor[i]; k++)
            from += ph_model_sensor_size(d->model, k);
        memcpy(value, all + from, (size_t)size * sizeof *value);
        value += size;
    }
}

static ph_status add(batch *b, int k, const ph_sweep_row *row)
{
    if (ph_sweep_add(&b->d->rows, k, row))
        return PH_OK;
    b->d->why = errno;
    return PH_E_INPUT;
}

/* Rows of those that have come to the end; the others are left. */
static ph_status flush(batch *b)
{
    ph_sweep_row *row = (ph_sweep_row *)(void *)b->row;
    ph_status s =
        ph_compiled_run(b->c, b->n, b->state, b->steps, b->value, b->iterations, b->failed, &b->err);
    for (int i = 0; i < b->n && s == PH_OK; i++) {
        if (b->failed[i])
            continue;
        memset(row, 0, ph_sweep_size(b->d));
        ph_sweep_clear(b->d, row, PH_OK);
        row->steps = b->steps, row->iterations = (long)b->iterations[i], row->t = b->t[i];
        copy_sensors(b->d, b->value + (size_t)i * (size_t)b->sensors, row->value);
        s = add(b, b->at[i], row);
    }
    b->n = 0;
    return s;
}

static ph_status gather(int k, const void *result, void *ctx)
{
    batch *b = ctx;
    const opened *o = result;
    const double *state = (const double *)(const void *)(o + 1);
    ph_status s = PH_OK;
    if (!o->ready)
        return add(b, k, (const ph_sweep_row *)(const void *)(state + b->numbers));
    if (b->n == b->room || (b->n > 0 && o->steps != b->steps))
        s = flush(b);
    memcpy(b->state + (size_t)b->n * (size_t)b->numbers, state, (size_t)b->numbers * sizeof *state);
    b->steps = o->steps, b->t[b->n] = o->t, b->at[b->n++] = k;
    return s;
}

/* All of it begins at the states: numbers first, then a row, then what is smaller. */
static int make_room(batch *b)
{
    b->numbers = ph_compiled_numbers(b->c), b->sensors = ph_compiled_sensors(b->c);
    b->room = BATCH_NUMBERS / (b->numbers + b->sensors + 1) + 1;
    b->room = b->room < b->d->plan.n ? b->room : b->d->plan.n;
    size_t n = (size_t)b->room, numbers = (size_t)b->numbers, sensors = (size_t)b->sensors;
    b->state = malloc(n * ((numbers + sensors + 2) * sizeof(double) + sizeof(int) + 1) + ph_sweep_size(b->d));
    if (!b->state)
        return 0;
    b->value = b->state + n * numbers, b->t = b->value + n * sensors, b->iterations = b->t + n;
    b->row = (char *)(b->iterations + n);
    b->at = (int *)(void *)(b->row + ph_sweep_size(b->d)), b->failed = (unsigned char *)(b->at + n);
    return 1;
}

/* ---- the study ---------------------------------------------------------------------------------------------- */

/* All cases that are left. */
static ph_status run_cases(batch *b, const char *skip, ph_pool_end *end, ph_error *err)
{
    const ph_args *args = b->d->args;
    ph_pool_def def = ph_pool_default();
    def.n = b->d->plan.n, def.skip = skip, def.jobs = args->jobs, def.size = result_size(b);
    def.key = b->d->key, def.title = args->quiet ? NULL : "sweep";
    def.job = open_case, def.lost = lost, def.done = gather, def.ctx = b;
    ph_status s = ph_pool_run(&def, NULL, end, err);
    return s == PH_OK ? flush(b) : s;
}

static const char *build(ph_sweep_study *d, struct ph_compiled **c, ph_error *err)
{
    ph_args args = *d->args;
    ph_target nominal = {0};
    const char *open[PH_VARY_MAX];
    int code, launched = 0, rank;
    if (ph_pool_launched(&launched, &rank, err) != PH_OK || launched)
        return "one process has the device: leave mpirun out";
    const char *why = ph_sweep_open_names(d, open, err);
    if (why)
        return why;
    int ok = ph_target_open_case(&nominal, &args, &(ph_more){.model = d->model}, &code) &&
             ph_run_start(nominal.run, err) == PH_OK &&
             ph_compiled_create_device(c, nominal.run, open, d->plan.n_vary, err) == PH_OK;
    ph_target_close(&nominal);
    return ok ? NULL : err->text[0] ? err->text : "the model cannot be opened";
}

int ph_sweep_on_device(ph_sweep_study *d, const char *skip, ph_pool_end *end, ph_error *err)
{
    struct ph_compiled *c = NULL;
    const char *why = build(d, &c, err);
    if (why) {
        ph_sweep_instead(d, why);
        return 1;
    }
    batch b = {.d = d, .c = c};
    ph_status s = make_room(&b) ? run_cases(&b, skip, end, err) : PH_E_MEMORY;
    free(b.state);
    ph_compiled_release(c);
    if (s == PH_OK || d->why || end->signal)
        return s == PH_OK;
    ph_sweep_instead(d, b.err.text[0] ? b.err.text : "there is not enough memory for the cases");
    return 1;
}
