/* polhode view: simulate a model and write a page that shows it. */
#include "cli/job.h"
#include "cli/options.h"
#include "io/file.h"
#include "polhode/run.h"
#include "view/view.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the run ------------------------------------------------------------------------------------------ */

static ph_run *volatile under_way; /* for the handler of signals */

static void stop(int signal_number)
{
    (void)signal_number;
    if (under_way)
        ph_run_stop(under_way);
}

static ph_status observe(ph_run *run, int why, void *ctx)
{
    (void)why;
    return ph_view_frame(ctx, run);
}

/* Ctrl-C ends the run and keeps what it has. */
static ph_status simulate(ph_run *run, ph_view *view, ph_error *err)
{
    struct sigaction now = {.sa_handler = stop}, before;
    under_way = run;
    sigaction(SIGINT, &now, &before);
    ph_run_observe(run, observe, view);
    ph_status s = ph_run_until(run, ph_run_end(run), err);
    ph_run_observe(run, NULL, NULL);
    sigaction(SIGINT, &before, NULL);
    under_way = NULL;
    if (s == PH_E_STOPPED)
        snprintf(err->text, sizeof err->text, "interrupted at t = %g s", ph_run_time(run));
    ph_view_end(view, run);
    return s;
}

static int write_page(const ph_view *view, const ph_view_words *words, const char *path)
{
    ph_file file;
    if (ph_file_open(&file, path)) {
        if (!ph_view_page(view, words, file.stream)) {
            ph_file_discard(&file);
            return ph_complain("not enough memory for the page");
        }
        if (ph_file_commit(&file))
            return PH_EXIT_OK;
    }
    return ph_complain("cannot write '%s': %s", path, strerror(errno));
}

/* "models/top.lua" -> "top.html", in the folder where one is */
static void default_path(const char *model, char *path, size_t size)
{
    const char *name = strrchr(model, '/') ? strrchr(model, '/') + 1 : model, *dot = strrchr(name, '.');
    snprintf(path, size, "%.*s.html", (int)(dot && dot > name ? dot - name : (long)strlen(name)), name);
}

static int show(ph_run *run, const ph_args *args, const char *path)
{
    ph_view *view;
    ph_error err = {0};
    ph_job r = {.args = args, .run = run};
    if (!ph_job_plan(&r))
        return PH_EXIT_USAGE;
    ph_status s = ph_run_start(run, &err);
    if (s != PH_OK) {
        ph_complain("%s", err.text);
        return ph_job_is_numerical(s) ? PH_EXIT_FAILED : PH_EXIT_USAGE;
    }
    if (ph_view_create(&view, run, &err) != PH_OK)
        return ph_complain("%s", err.text);
    s = simulate(run, view, &err);
    ph_options opt = ph_run_options(run);
    char settings[256];
    ph_report_options(&opt, settings, sizeof settings);
    ph_view_words words = {args->word[0], settings, ph_status_word(s), s == PH_OK ? "" : err.text};
    int code = PH_EXIT_OK;
    if (s == PH_OK || ph_job_is_numerical(s) || ph_view_frames(view) > 1)
        code = write_page(view, &words, path);
    if (s != PH_OK)
        ph_complain("%s", err.text);
    if (code == PH_EXIT_OK && s != PH_OK)
        code = ph_job_is_numerical(s) ? PH_EXIT_FAILED : PH_EXIT_USAGE;
    if (code != PH_EXIT_USAGE && !args->quiet)
        printf("%s\n", path);
    ph_view_destroy(view);
    return code;
}

int ph_view_name(const char *path)
{
    size_t n = strlen(path);
    if (n > 5 && !strcmp(path + n - 5, ".html"))
        return 1;
    ph_complain("'%s': a page is a file whose name ends in .html", path);
    return 0;
}

int ph_view_model(const ph_args *given, const char *path)
{
    ph_args args = *given;
    ph_subject s;
    int code;
    if (!ph_subject_is_file(args.word[0]))
        return ph_complain("a page shows a model file, and '%s' is none", args.word[0]);
    if (ph_subject_open(&s, &args, &code))
        code = show(s.run, &args, path);
    ph_subject_close(&s);
    return code;
}

int ph_cmd_view(const ph_args *args)
{
    char path[300];
    default_path(args->word[0], path, sizeof path);
    if (args->output && !ph_view_name(args->output))
        return PH_EXIT_USAGE;
    return ph_view_model(args, args->output ? args->output : path);
}
