/* polhode sweep --view: some of the runs once more, laid over each other. */
#include "cli/overlay.h"
#include "cli/sweep.h"

#include <string.h>

/* "m = 12, h = 0.001" */
static void label_of(const ph_sweep_study *d, int k, char *text, size_t size)
{
    text[0] = 0;
    for (int i = 0; i < d->plan.n_vary; i++) {
        size_t n = strlen(text);
        snprintf(text + n, size - n, "%s%s = %.6g", n ? ", " : "", d->plan.vary[i].name,
                 ph_plan_value(&d->plan, i, k));
    }
}

static ph_status frame(ph_run *run, int why, void *ctx)
{
    (void)why;
    return ph_view_frame(ctx, run);
}

/* One run; the job stays open. 0 after one line on stderr. */
static int show_case(const ph_sweep_study *d, int k, ph_overlay *o, ph_args *args, ph_job *r)
{
    char label[96];
    label_of(d, k, label, sizeof label);
    if (!ph_sweep_open_case(d, k, args, r) || !ph_job_plan(r))
        return 0;
    r->status = ph_run_start(r->run, &r->err);
    ph_view *view = r->status == PH_OK ? ph_overlay_add(o, r->run, label, &r->err) : NULL;
    if (!view) {
        ph_complain("--view: %s: %s", label, r->err.text);
        return 0;
    }
    ph_run_observe(r->run, frame, view);
    r->status = ph_run_until(r->run, r->t_end, &r->err);
    ph_run_observe(r->run, NULL, NULL);
    ph_view_end(view, r->run);
    if (r->status != PH_OK)
        ph_overlay_failed(o, r->err.text);
    return 1;
}

int ph_sweep_view(const ph_sweep_study *d)
{
    ph_overlay o = {.runs = ph_overlay_runs(d->plan.n)};
    char settings[PH_SWEEP_LINE];
    ph_args args[2];
    ph_job r[2] = {0};
    int code = PH_EXIT_OK;
    for (int k = 0; k < o.runs && code == PH_EXIT_OK; k++) {
        int last = k == o.runs - 1; /* whose run the page needs */
        args[last] = *d->args;
        if (!show_case(d, ph_overlay_case(k, d->plan.n), &o, &args[last], &r[last]))
            code = PH_EXIT_USAGE;
        if (!last) {
            ph_target_close(&r[0].target);
            r[0] = (ph_job){0};
        }
    }
    ph_sweep_settings(d, settings);
    if (code == PH_EXIT_OK)
        code = ph_overlay_write(&o, d->args, settings);
    ph_overlay_clear(&o);
    ph_target_close(&r[1].target);
    return code;
}
