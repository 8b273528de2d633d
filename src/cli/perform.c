/* One run with all that belongs to it: its file, signals, progress, the report. */
#include "cli/history.h"
#include "cli/signals.h"
#include "cli/state_file.h"
#include "study/plot.h"
#include "view/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the file ----------------------------------------------------------------------------------------- */

static int cannot_write(const ph_job *r, int why)
{
    errno = why;
    return ph_complain_write(r->args->output);
}

static int open_file(ph_job *r)
{
    const char *path = r->args->output, *missing = ph_record_missing(path);
    if (path[0] && !ph_record_knows(path))
        ph_complain("-o: '%s': no format has this ending; there are .csv, .h5 and .hdf5", path);
    else if (missing)
        ph_complain("-o: '%s': %s; a name that ends in .csv works", path, missing);
    else if (!ph_record_open(&r->record, path)) /* may wait, for the reader of a pipe */
        cannot_write(r, errno);
    return r->record.op != NULL;
}

/* A run that failed or was interrupted keeps what it has, one that was refused leaves nothing. A signal has then done its work. */
static int close_file(ph_job *r)
{
    int code = PH_EXIT_OK;
    if (!r->record.op)
        return code;
    if (r->sim && (r->status == PH_OK || ph_job_is_numerical(r->status))) {
        if (r->status != PH_OK)
            ph_record_text(&r->record, "failure", r->err.text);
        if (!ph_record_commit(&r->record))
            code = cannot_write(r, errno);
    } else if (r->record.failed)
        code = cannot_write(r, r->record.why);
    ph_record_discard(&r->record);
    return code;
}

/* At the end, or where a signal ended it. */
static int save_state(const ph_job *r)
{
    int ended = r->status == PH_OK || (r->status == PH_E_STOPPED && r->watch.interrupted);
    return !r->args->save || !r->sim || !ended || ph_state_write(r) ? PH_EXIT_OK : PH_EXIT_USAGE;
}

/* ---- the run ------------------------------------------------------------------------------------------ */

static int report(const ph_job *r, int code)
{
    if (r->status != PH_OK && !r->said)
        ph_complain("%s", r->err.text);
    if (r->sim && r->status != PH_OK && !ph_job_is_numerical(r->status)) /* refused before the first step */
        return PH_EXIT_USAGE;
    if (r->args->json && (r->sim || ph_job_is_numerical(r->status))) {
        if (!ph_report_json(r))
            code = ph_complain("not enough memory for the report");
    } else if (r->args->command == PH_CMD_VIEW) {
        if (!r->args->quiet && r->view && code == PH_EXIT_OK)
            printf("%s\n", r->args->view);
    } else if (!r->args->quiet && r->sim) {
        ph_report_text(r);
        if (r->args->output && code == PH_EXIT_OK)
            printf("\n%ld %s in %s\n", r->record.rows, ph_plural(r->record.rows, "row", "rows"),
                   r->args->output);
        if (r->args->view && code == PH_EXIT_OK)
            printf("\nits motion in %s\n", r->args->view);
    }
    if (code == PH_EXIT_OK && r->status != PH_OK)
        code = ph_job_is_numerical(r->status) ? PH_EXIT_FAILED : PH_EXIT_USAGE;
    return code;
}

static void note_softening(const ph_job *r)
{
    char text[400];
    ph_watch_softening(r, text, sizeof text);
    if (text[0] && !r->args->quiet)
        ph_note("%s", text);
}

/* A run that failed is drawn as far as it went. */
static int draw(const ph_job *r)
{
    ph_error err = {0};
    if (!r->history || ph_history_draw(r->history, r, &err))
        return PH_EXIT_OK;
    return ph_complain("--plot: %s", err.text);
}

int ph_job_warnings(const ph_job *r, ph_warning to[PH_WARNINGS])
{
    double violation = ph_run_summarise(r->run).violation_velocity;
    int n =
        r->warner && !(r->opt.tol > 0) ? ph_warner_list(r->warner, r->bodies, r->opt.h, violation, to) : 0;
    int more = ph_run_warnings(r->run, to + n, PH_WARNINGS - n);
    return n + more < PH_WARNINGS ? n + more : PH_WARNINGS;
}

/* A run that was refused has nothing to note. */
static void note_warnings(const ph_job *r)
{
    ph_warning w[PH_WARNINGS];
    int ran = r->sim && (r->status == PH_OK || ph_job_is_numerical(r->status));
    int n = ran && !r->args->quiet ? ph_job_warnings(r, w) : 0;
    for (int k = 0; k < n; k++)
        ph_note("%s", w[k].text);
}

/* Where a solution is known, or asked for: the error of the report. Only memory ends it. */
static int compare(ph_job *r)
{
    int solve = r->args->compare == 0;
    ph_error err = {0};
    if (!r->sim || r->args->command == PH_CMD_VIEW || (r->args->quiet && !r->args->json))
        return PH_EXIT_OK;
    ph_state s = ph_run_state(r->run);
    ph_status status = ph_exact_compare(r->p, &s, solve, &r->error, &err);
    if (status == PH_E_MEMORY)
        return ph_complain("%s", err.text);
    if (status != PH_OK && solve)
        ph_complain("--reference: %s", err.text);
    return PH_EXIT_OK;
}

static int integrate(ph_job *r)
{
    ph_watch *w = &r->watch;
    w->terminal = isatty(2) && !r->args->quiet;
    ph_job_simulate(r);
    if (w->terminal && w->last_tick > w->begun)
        fprintf(stderr, "\r\033[K");
    note_softening(r);
    note_warnings(r);
    int saved = save_state(r), code = close_file(r);
    if (r->args->output || r->args->save) {
        if (w->interrupted)
            ph_signals_drop();
        ph_signals_release();
    }
    code = code ? code : saved;
    if (r->record.failed)
        return code ? code : PH_EXIT_FAILED;
    if (code == PH_EXIT_OK)
        code = draw(r);
    if (code == PH_EXIT_OK && r->view) {
        ph_view_end(r->view, r->run);
        code = ph_page_write(r);
    }
    int compared = compare(r);
    if (compared != PH_EXIT_OK)
        return compared;
    code = report(r, code);
    return w->interrupted && code == PH_EXIT_FAILED ? PH_EXIT_SIGNAL + w->interrupted : code;
}

static void note_redundancy(const ph_job *r)
{
    char text[256];
    for (ph_redundancy at = {0}; !r->args->quiet && ph_target_redundancy(&r->target, &at, text, sizeof text);)
        ph_note("%s; multipliers of least norm are used", text);
}

static void note_assembling(const ph_job *r)
{
    char text[256];
    for (int what = 0; what < 2 && !r->args->quiet; what++)
        if (ph_run_assembled(r->run, what, text, sizeof text)[0])
            fprintf(stderr, "polhode: note: %s\n", text);
}

int ph_job_perform(ph_job *r)
{
    ph_warner warner = {0};
    r->p = r->target.p, r->run = r->target.run;
    r->bodies = ph_bodies_create(&r->target);
    if (!r->bodies)
        return ph_complain("not enough memory for the model '%s'", r->p->name);
    ph_error err = {0};
    if (r->plot && !ph_plot_ready(r->plot, &err))
        return ph_complain("--plot: %s", err.text);
    if (r->args->command == PH_CMD_RUN && !ph_history_possible(r, &err))
        return ph_complain("%s", err.text);
    if (r->args->compare == 0 && !ph_target_comparable(&r->target, "--reference exact"))
        return PH_EXIT_USAGE;
    if (r->args->columns && !r->args->output)
        return ph_complain("--columns needs -o FILE, the table that it chooses columns of");
    if (!ph_job_plan(r) || (r->args->output && !open_file(r)))
        return PH_EXIT_USAGE;
    if (r->args->output || r->args->save)
        ph_signals_hold(); /* until a step is done: nothing half-written stays behind */
    note_assembling(r);
    note_redundancy(r);
    r->warner = &warner;
    int code = integrate(r);
    r->warner = NULL;
    free(warner.drive);
    return code;
}
