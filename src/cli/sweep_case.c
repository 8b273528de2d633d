/* One case of a sweep: the command line with its values behind it makes a run, and the run a row. */
#include "cli/options.h"
#include "mech/model.h"
#include "cli/sweep.h"
#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
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
static void clear(const ph_sweep_study *d, ph_sweep_row *row, int status)
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
    clear(ctx, row, PH_SWEEP_LOST);
    snprintf(row->reason, sizeof row->reason, "the process was %s", why);
    if (strncmp(why, "killed", 6) != 0)
        snprintf(row->reason, sizeof row->reason, "the process %s", why);
}

/* Sensors by name: parameters may change how many there are, and which numbers they give. */
static void read_sensors(const ph_sweep_study *d, const ph_job *r, double *value)
{
    const ph_model *m = r->subject.model;
    ph_state s = ph_sim_state(r->sim);
    double own[PH_SENSOR_MAX];
    for (int i = 0, at = 0; i < d->n_sensors; at += d->model->sensor[d->sensor[i]].size, i++) {
        const ph_sensor_def *want = &d->model->sensor[d->sensor[i]];
        for (int j = 0; j < m->n_sensors; j++)
            if (!strcmp(m->sensor[j].name, want->name)) {
                int n = ph_job_sensor(r, j, &s, own);
                memcpy(value + at, own, (size_t)(n < want->size ? n : want->size) * sizeof *own);
            }
    }
}

static void read_run(const ph_sweep_study *d, const ph_job *r, ph_sweep_row *row)
{
    row->status = (int)r->status;
    if (r->status != PH_OK)
        snprintf(row->reason, sizeof row->reason, "%.*s", (int)sizeof row->reason - 1, r->err.text);
    if (!r->sim)
        return;
    ph_stats st = ph_sim_stats(r->sim);
    row->steps = st.steps, row->iterations = st.iterations;
    row->t = ph_sim_state(r->sim).t;
    if (r->p->energy)
        row->drift = r->watch.drift;
    if (r->p->sys.n_constraints)
        row->position = r->watch.position, row->velocity = r->watch.velocity;
    if (r->status == PH_OK && r->subject.model)
        read_sensors(d, r, row->value);
}

static void simulate(const ph_sweep_study *d, ph_args *args, ph_sweep_row *row)
{
    ph_job r = {.args = args};
    int code;
    args->source = d->source, args->source_size = d->source_size;
    if (ph_subject_open(&r.subject, args, &code)) {
        r.p = r.subject.p;
        row->status = PH_E_INPUT;
        if (ph_job_plan(&r)) {
            ph_job_simulate(&r);
            read_run(d, &r, row);
        }
    } else if (r.subject.status != PH_OK) {
        row->status = (int)r.subject.status;
    }
    ph_sim_destroy(r.sim);
    ph_subject_close(&r.subject);
}

void ph_sweep_case(int k, void *result, void *ctx)
{
    const ph_sweep_study *d = ctx;
    ph_sweep_row *row = result;
    ph_args args = ph_args_default(d->args->command);
    int n = d->args->argc;
    char word[PH_VARY_MAX][WORD_MAX];
    char **argv = malloc((size_t)(n + PH_VARY_MAX) * sizeof *argv);
    clear(d, row, argv ? PH_E_INPUT : PH_E_MEMORY);
    if (!argv)
        return;
    memcpy(argv, d->args->argv, (size_t)n * sizeof *argv);
    for (int i = 0; i < d->plan.n_vary; i++) {
        print_word(d, i, k, word[i]);
        argv[n++] = word[i];
    }
    ph_complain_into(row->reason, sizeof row->reason);
    if (ph_args_parse(&args, n, argv))
        simulate(d, &args, row);
    ph_complain_into(NULL, 0);
    free(argv);
}
