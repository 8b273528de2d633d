/* One run of a model, as run and the studies need it: step size, integration, words for what went wrong. */
#include "cli/history.h"
#include "cli/state_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int ph_job_plan(ph_job *r)
{
    double h = ph_run_options(r->run).h, t_end = ph_run_end(r->run);
    r->opt = r->args->opt, r->opt.h = h, r->t_end = t_end;
    if ((!(h > 0) && !(r->opt.tol > 0)) || !(t_end > 0)) {
        ph_complain("the model says no %s: give --%s", t_end > 0 ? "h" : "t_end", t_end > 0 ? "h" : "t-end");
        return 0;
    }
    r->steps = h > 0 ? lround(t_end / h) : 0;
    return 1;
}

int ph_job_is_numerical(ph_status s)
{
    return s != PH_OK && s != PH_E_INPUT && s != PH_E_INCONSISTENT && s != PH_E_MEMORY;
}

ph_energies ph_job_energies(const ph_job *r)
{
    const ph_watch *w = &r->watch;
    ph_run_summary sum = ph_run_summarise(r->run);
    if (r->target.model)
        return (ph_energies){sum.energy_initial, sum.energy, sum.work, sum.dissipated, sum.residual};
    return (ph_energies){w->E0, w->E, w->work, 0, w->drift};
}

/* The program has a way to go on, which the library does not know. */
static void offer_to_go_on(char *text, size_t size)
{
    static const char here[] = "another space";
    char rest[sizeof((ph_error *)0)->text];
    char *at = strstr(text, here);
    if (!at)
        return;
    at += sizeof here - 1;
    memcpy(rest, at, strlen(at) + 1);
    snprintf(at, size - (size_t)(at - text), ", or --keep-going%s", rest);
}

/* What the run cannot know: signals, sensors that the program asks, its options. */
static void explain(ph_job *r)
{
    double t = ph_run_time(r->run);
    if (r->watch.interrupted && r->status == PH_E_STOPPED && r->args->save) {
        snprintf(
            r->err.text, sizeof r->err.text,
            "interrupted at t = %.9g of %.9g; the same command with --from '%.200s'%s goes on from there", t,
            r->t_end, r->args->save, r->args->output ? " and another -o" : "");
    } else if (r->watch.interrupted && r->status == PH_E_STOPPED) {
        snprintf(
            r->err.text, sizeof r->err.text,
            "interrupted at t = %.9g of %.9g; the %ld rows so far are in '%.200s'; the same command runs it "
            "anew, with --t-end %.9g only so far",
            t, r->t_end, r->record.rows, r->args->output ? r->args->output : "", t);
    } else if (r->status == PH_E_STEP && ph_run_failure(r->run).explodes) {
        r->status = PH_E_STOPPED;
        offer_to_go_on(r->err.text, sizeof r->err.text);
    } else if (r->watch.blind[0]) {
        r->status = PH_E_CALLBACK;
        snprintf(r->err.text, sizeof r->err.text, "t = %.9g: %s", t, r->watch.blind);
    }
}

/* The run itself sees all that one case among many reports of a model, but for its sensors in the end. */
static ph_status run_unseen(ph_job *r)
{
    ph_status s = ph_run_until(r->run, r->t_end, &r->err);
    if (s != PH_OK)
        return s;
    ph_state end = ph_run_state(r->run);
    ph_watch_sensors(r, &end);
    return r->watch.blind[0] ? PH_E_STOPPED : s;
}

ph_status ph_job_run(ph_job *r)
{
    if (r->args->command == PH_CMD_SWEEP && r->target.model)
        return run_unseen(r);
    ph_run_observe(r->run, ph_watch_step, r);
    ph_status s = ph_run_until(r->run, r->t_end, &r->err);
    ph_run_observe(r->run, NULL, NULL);
    return s;
}

void ph_job_simulate(ph_job *r)
{
    ph_watch *w = &r->watch;
    r->status = ph_run_start(r->run, &r->err);
    if (r->status == PH_OK && r->args->state)
        r->status = ph_state_read(r);
    if (r->status == PH_OK && r->args->save && !ph_state_possible(r))
        r->status = PH_E_INPUT, r->said = 1;
    if (r->status == PH_OK) {
        r->sim = ph_run_sim(r->run);
        ph_state s = ph_run_state(r->run);
        if (r->plot && !(r->history = ph_history_create(r, &s))) {
            r->status = PH_E_MEMORY;
            snprintf(r->err.text, sizeof r->err.text, "not enough memory for the picture");
            return;
        }
        r->status = ph_page_open(r);
        if (r->status != PH_OK)
            return;
        if (r->record.op && (r->status = ph_trajectory_header(r)) != PH_OK)
            return;
        w->begun = w->last_tick = ph_seconds();
        r->status = r->extension ? r->extension->simulate(r) : ph_job_run(r);
    }
    explain(r);
}
