/* sweep --compiled: one compiled model for all cases, and several cases at once.
 *
 * Groups of cases that follow each other are the jobs of the pool. A case whose numbers the compiled model cannot have is run as
 * without, and so is one that fails where the others go on. */
#include "cli/sweep.h"
#include "polhode/compile.h"

#include <stdlib.h>

#define LANES_MAX 8

/* What is varied, as parameters that stay open; NULL, or why they cannot. */
const char *ph_sweep_open_names(const ph_sweep_study *d, const char *open[PH_VARY_MAX], ph_error *err)
{
    if (!d->model)
        return "a built-in problem is no model file";
    for (int i = 0; i < d->plan.n_vary; i++) {
        open[i] = d->plan.vary[i].name;
        snprintf(err->text, sizeof err->text, "%s is varied, and each of its values would be compiled anew",
                 open[i]);
        if (d->option[i])
            return err->text;
    }
    err->text[0] = 0;
    return NULL;
}

/* NULL: the model was built. */
static const char *build(ph_sweep_study *d, ph_error *err)
{
    ph_args args = *d->args;
    ph_target nominal = {0};
    const char *open[PH_VARY_MAX], *why = ph_sweep_open_names(d, open, err);
    int code;
    if (why)
        return why;
    int ok = ph_target_open_case(&nominal, &args, &(ph_more){.model = d->model}, &code) &&
             ph_run_start(nominal.run, err) == PH_OK &&
             ph_compiled_create(&d->compiled, nominal.run, open, d->plan.n_vary, 0, err) == PH_OK;
    ph_target_close(&nominal);
    return ok ? NULL : err->text;
}

int ph_sweep_build(ph_sweep_study *d)
{
    ph_error err = {0};
    const char *why = build(d, &err);
    if (why && *why)
        ph_complain("--compiled: %s; the sweep goes on without", why);
    return !why;
}

void ph_sweep_instead(ph_sweep_study *d, const char *what)
{
    ph_error err = {0};
    ph_complain("--gpu: %s; the sweep goes on %s", what,
                build(d, &err) ? "without" : "compiled, on the processor");
}

size_t ph_sweep_size(const ph_sweep_study *d)
{
    return sizeof(ph_sweep_row) + (size_t)d->n_values * sizeof(double);
}

int ph_sweep_lanes(const ph_sweep_study *d)
{
    return d->compiled ? ph_compiled_lanes(d->compiled) : 1;
}

/* ---- a group ---------------------------------------------------------------------------------------------- */

typedef struct member {
    ph_args args;
    ph_job job;
    int open;
    ph_status status;
    ph_error err;
    ph_sweep_row *row;
} member;

/* Its run has gone as far as those of the group do, or has failed. */
static ph_status finish(ph_job *r)
{
    const member *m = r->ctx;
    if (m->status == PH_OK)
        return ph_job_run(r);
    r->err = m->err;
    return m->status;
}

static const ph_extension extension = {.simulate = finish};

static void open_member(const ph_sweep_study *d, int k, member *m)
{
    ph_error err = {0};
    m->args = *d->args;
    ph_complain_into(m->row->reason, sizeof m->row->reason);
    m->open = ph_sweep_open_case(d, k, &m->args, &m->job) && ph_job_plan(&m->job);
    if (m->open && ph_run_start(m->job.run, &err) == PH_OK)
        ph_run_use(m->job.run, d->compiled, &err); /* if not, its steps are its own */
    ph_complain_into(NULL, 0);
}

/* All of them together, as far as the one that ends first. */
static void run_together(member *m, int n)
{
    ph_run *run[LANES_MAX];
    ph_status status[LANES_MAX];
    ph_error *err = calloc((size_t)n, sizeof *err);
    double t = HUGE_VAL;
    int at[LANES_MAX], count = 0;
    for (int i = 0; i < n; i++)
        if (m[i].open && ph_run_is_compiled(m[i].job.run)) {
            at[count] = i, run[count++] = m[i].job.run;
            t = fmin(t, m[i].job.t_end);
        }
    if (err && count > 0)
        ph_runs_until(run, count, t, status, err);
    for (int i = 0; err && i < count; i++)
        m[at[i]].status = status[i], m[at[i]].err = err[i];
    free(err);
}

void ph_sweep_group(int g, void *result, void *ctx)
{
    const ph_sweep_study *d = ctx;
    int lanes = ph_sweep_lanes(d), first = g * lanes,
        n = d->plan.n - first < lanes ? d->plan.n - first : lanes;
    member *m = calloc((size_t)n, sizeof *m);
    for (int i = 0; i < n; i++) {
        ph_sweep_row *row = (ph_sweep_row *)(void *)((char *)result + (size_t)i * ph_sweep_size(d));
        ph_sweep_clear(d, row, m ? PH_E_INPUT : PH_E_MEMORY);
        if (m)
            m[i].row = row, open_member(d, first + i, &m[i]);
    }
    if (m)
        run_together(m, n);
    for (int i = 0; m && i < n; i++) {
        m[i].job.extension = &extension, m[i].job.ctx = &m[i];
        if (m[i].open) /* else it has its reason */
            ph_complain_into(m[i].row->reason, sizeof m[i].row->reason);
        ph_sweep_finish(d, &m[i].job, m[i].open, m[i].row);
        ph_complain_into(NULL, 0);
    }
    free(m);
}

void ph_sweep_lost_group(int g, const char *why, void *result, void *ctx)
{
    const ph_sweep_study *d = ctx;
    int lanes = ph_sweep_lanes(d);
    for (int i = 0; i < lanes; i++)
        ph_sweep_lost(g * lanes + i, why, (char *)result + (size_t)i * ph_sweep_size(d), ctx);
}
