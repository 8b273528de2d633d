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

/* ---- what the run is told ----------------------------------------------------------------------------- */

#define TOLD_MAX 64

/* Options of the command line as keys of run{}: "--t-end 2" is "t_end=2". */
typedef struct told {
    int n_options, n_settings;
    const char *option[TOLD_MAX];
    char text[TOLD_MAX][96];
    ph_setting setting[PH_SETTINGS_MAX];
    char name[PH_SETTINGS_MAX][80];
} told;

static int is_key_of_run(const char *name, size_t n)
{
    static const char *const keys[] = {"h",    "tol",   "t-end",  "method",     "formulation", "sigma",
                                       "rho",  "start", "order",  "correction", "tableau",     "newton",
                                       "atol", "rtol",  "solver", "space"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (strlen(keys[k]) == n && !strncmp(keys[k], name, n))
            return 1;
    return 0;
}

static void tell(told *t, const char *name, size_t n, const char *value)
{
    char *text = t->text[t->n_options];
    snprintf(text, sizeof t->text[0], "%.*s=%s", (int)n, name, value);
    for (char *c = text; *c && *c != '='; c++)
        *c = *c == '-' ? '_' : *c;
    t->option[t->n_options++] = text;
}

/* All of it was checked when the command line was parsed. */
static void gather(told *t, const ph_args *args)
{
    for (int i = 0; i < args->argc && t->n_options < TOLD_MAX; i++) {
        const char *word = args->argv[i], *equal = strchr(word, '=');
        size_t n = equal ? (size_t)(equal - word) : strlen(word);
        if (n > 2 && !strncmp(word, "--", 2) && is_key_of_run(word + 2, n - 2) &&
            (equal || i + 1 < args->argc))
            tell(t, word + 2, n - 2, equal ? equal + 1 : args->argv[++i]);
    }
    if (args->assemble && t->n_options < TOLD_MAX)
        tell(t, "assemble", 8, "true");
}

/* "m=16" */
static int read_settings(told *t, const ph_settings *set)
{
    for (int k = 0; k < set->n; k++) {
        const char *text = set->text[k], *equal = strchr(text, '=');
        char *end;
        double value = equal ? strtod(equal + 1, &end) : 0;
        if (!equal || equal == text || end == equal + 1 || *end)
            return ph_complain("--set: '%s' is not of the form P=V with a number V", text), 0;
        snprintf(t->name[k], sizeof t->name[k], "%.*s", (int)(equal - text), text);
        t->setting[k] = (ph_setting){t->name[k], value};
        t->n_settings++;
    }
    return 1;
}

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
    if (!(ph_run_end(run) > 0))
        return ph_complain("the model says no t_end: give --t-end");
    if (ph_view_create(&view, run, &err) != PH_OK)
        return ph_complain("%s", err.text);
    ph_status s = simulate(run, view, &err);
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

int ph_view_model(const ph_args *args, const char *path)
{
    told t = {0};
    ph_run *run;
    ph_error err = {0};
    ph_run_config c = ph_run_defaults();
    gather(&t, args);
    if (!read_settings(&t, &args->set))
        return PH_EXIT_USAGE;
    c.options = t.option, c.n_options = t.n_options;
    c.parameters = t.setting, c.n_parameters = t.n_settings;
    c.watch = args->keep_going ? PH_WATCH_ALL & ~PH_WATCH_BLOWUP : PH_WATCH_ALL;
    ph_status s = ph_run_open(&run, args->word[0], &c, &err);
    if (s != PH_OK) {
        ph_complain("%s", err.text);
        return ph_job_is_numerical(s) ? PH_EXIT_FAILED : PH_EXIT_USAGE;
    }
    int code = show(run, args, path);
    ph_run_close(run);
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
