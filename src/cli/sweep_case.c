/* One case of a sweep: a run of the model with its values, and the row that comes of it. */
#include "cli/options.h"
#include "cli/sweep.h"
#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define WORD_MAX (PH_VARY_NAME + 48)

/* "--h=0.001" or "--set=m=15", with 17 digits, which give every double back. */
static void print_word(const ph_sweep_study *d, int i, int k, char text[WORD_MAX])
{
    const char *name = d->plan.vary[i].name;
    double x = ph_plan_value(&d->plan, i, k);
    if (d->option[i])
        snprintf(text, WORD_MAX, "%s=%.17g", d->option[i], x);
    else
        snprintf(text, WORD_MAX, "--set=%s=%.17g", name, x);
}

void ph_sweep_id(const ph_sweep_study *d, int k, char text[32])
{
    char word[WORD_MAX];
    uint64_t hash = d->base;
    for (int i = 0; i < d->plan.n_vary; i++) {
        print_word(d, i, k, word);
        hash = ph_hash_text(hash, word);
    }
    snprintf(text, 32, "%06d-%016" PRIx64, k, hash);
}

/* Without a run of its own: nothing is known. */
void ph_sweep_clear(const ph_sweep_study *d, ph_sweep_row *row, int status)
{
    row->status = status;
    row->t = row->drift = row->position = row->velocity = NAN;
    for (int i = 0; i < d->n_values; i++)
        row->value[i] = NAN;
}

void ph_sweep_lost(int k, const char *why, void *result, void *ctx)
{
    ph_sweep_row *row = result;
    (void)k;
    ph_sweep_clear(ctx, row, PH_SWEEP_LOST);
    snprintf(row->reason, sizeof row->reason, "the process was %s", why);
    if (strncmp(why, "killed", 6) != 0)
        snprintf(row->reason, sizeof row->reason, "the process %s", why);
}

/* Sensors by name: parameters may change how many there are, and which numbers they give. */
static void read_sensors(const ph_sweep_study *d, const ph_job *r, double *value)
{
    ph_state s = ph_sim_state(r->sim);
    double own[PH_SENSOR_MAX];
    for (int i = 0; i < d->n_sensors; i++) {
        int size = ph_model_sensor_size(d->model, d->sensor[i]);
        int j = ph_run_find(r->run, PH_SENSORS, ph_model_name(d->model, PH_SENSORS, d->sensor[i]));
        int n = j < 0 ? 0 : ph_job_result(r, j, &s, own);
        memcpy(value, own, (size_t)(n < size ? n : size) * sizeof *own);
        value += size;
    }
}

static void read_run(const ph_sweep_study *d, const ph_job *r, ph_sweep_row *row)
{
    row->status = (int)r->status;
    if (r->status != PH_OK)
        snprintf(row->reason, sizeof row->reason, "%.*s", (int)sizeof row->reason - 1, r->err.text);
    if (!r->sim)
        return;
    ph_run_summary sum = ph_run_summarise(r->run);
    row->steps = sum.stats.steps, row->iterations = sum.stats.iterations;
    row->t = ph_run_time(r->run);
    row->drift = ph_job_energies(r).drift;
    if (r->p->sys.n_constraints)
        row->position = sum.violation_position, row->velocity = sum.violation_velocity;
    if (r->status == PH_OK && r->target.model)
        read_sensors(d, r, row->value);
}

/* Results over h show the order of the method, which steps that are divided would hide. */
static int varies_h(const ph_sweep_study *d)
{
    for (int i = 0; i < d->plan.n_vary; i++)
        if (d->option[i] && !strcmp(d->option[i], "--h"))
            return 1;
    return 0;
}

int ph_sweep_open_case(const ph_sweep_study *d, int k, ph_args *args, ph_job *r)
{
    char text[32];
    ph_setting set[PH_VARY_MAX];
    ph_more more = {.model = d->model, .set = set};
    int code, ok = 1;
    for (int i = 0; i < d->plan.n_vary && ok; i++) {
        double x = ph_plan_value(&d->plan, i, k);
        snprintf(text, sizeof text, "%.17g", x);
        if (d->option[i])
            ok = ph_args_set(args, d->option[i], text);
        else
            set[more.n_sets++] = (ph_setting){d->plan.vary[i].name, x};
    }
    if (varies_h(d))
        ph_args_keep_size(args);
    ok = ok && ph_target_open_case(&r->target, args, &more, &code);
    r->args = args, r->p = r->target.p, r->run = r->target.run;
    return ok;
}

void ph_sweep_finish(const ph_sweep_study *d, ph_job *r, int open, ph_sweep_row *row)
{
    if (open) {
        ph_job_simulate(r);
        read_run(d, r, row);
    } else if (r->target.status != PH_OK) {
        row->status = (int)r->target.status;
    }
    ph_target_close(&r->target);
}

void ph_sweep_case(int k, void *result, void *ctx)
{
    const ph_sweep_study *d = ctx;
    ph_sweep_row *row = result;
    ph_args args = *d->args;
    ph_job r = {0};
    ph_sweep_clear(d, row, PH_E_INPUT);
    ph_complain_into(row->reason, sizeof row->reason);
    int open = ph_sweep_open_case(d, k, &args, &r) && ph_job_plan(&r);
    ph_sweep_finish(d, &r, open, row);
    ph_complain_into(NULL, 0);
}
