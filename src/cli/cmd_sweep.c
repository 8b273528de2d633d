/* polhode sweep: one model, many values of its parameters and options, one table. */
#include "cli/options.h"
#include "cli/deliver.h"
#include "cli/sweep.h"
#include "io/file.h"
#include "io/json.h"
#include "base/hash.h"
#include "polhode/compile.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- what is varied ---------------------------------------------------------------------------------- */

static int is_parameter(const ph_sweep_study *d, const char *name)
{
    if (d->model)
        return ph_model_find(d->model, PH_PARAMETERS, name) >= 0;
    return !strcmp(name, "x") && ph_target_has_x(d->args->word[0]);
}

static int unknown_name(const ph_sweep_study *d, const char *name)
{
    char params[256] = "", options[256];
    for (int i = 0; d->model && i < ph_model_count(d->model, PH_PARAMETERS); i++) {
        size_t n = strlen(params);
        snprintf(params + n, sizeof params - n, "%s%s", n ? ", " : "",
                 ph_model_name(d->model, PH_PARAMETERS, i));
    }
    if (!d->model && ph_target_has_x(d->args->word[0]))
        snprintf(params, sizeof params, "x");
    ph_option_numerics(options, sizeof options);
    ph_complain("--vary: '%.64s' is not a parameter of the model (%s%s) or a number of run (%s)", name,
                params[0] ? "there are: " : "it has none", params, options);
    return 0;
}

/* A parameter of the model or a number of run; "--h" is the latter even if the model has a parameter h. */
static int find_name(ph_sweep_study *d, int i)
{
    ph_vary *v = &d->plan.vary[i];
    int forced = !strncmp(v->name, "--", 2);
    if (forced)
        memmove(v->name, v->name + 2, strlen(v->name) - 1);
    if (!forced && is_parameter(d, v->name)) {
        if (d->model && !ph_target_settable(d->model, d->args->word[0]))
            return 0;
        size_t n = strlen(v->name);
        for (int k = 0; k < d->args->set.n; k++)
            if (!strncmp(d->args->set.text[k], v->name, n) && d->args->set.text[k][n] == '=') {
                ph_complain("--vary and --set both give '%s'", v->name);
                return 0;
            }
        return 1;
    }
    d->option[i] = ph_option_numeric(v->name, &v->whole);
    if (!d->option[i])
        return unknown_name(d, v->name);
    if (ph_option_given(d->args, d->option[i])) {
        ph_complain("--vary and %s both give '%s'", d->option[i], v->name);
        return 0;
    }
    return 1;
}

static int make_plan(ph_sweep_study *d)
{
    const ph_args *args = d->args;
    ph_error err = {0};
    if (args->view && !d->model) {
        ph_complain("--view: a page shows a model file, and '%s' is none", args->word[0]);
        return 0;
    }
    if (args->view && !ph_page_name(args->view))
        return 0;
    if (!args->vary.n) {
        ph_complain("sweep needs --vary, such as --vary h=1e-3,1e-4; see 'polhode help sweep'");
        return 0;
    }
    for (int i = 0; i < args->vary.n; i++)
        if (ph_plan_add(&d->plan, args->vary.text[i], &err) != PH_OK) {
            ph_complain("--vary: %s", err.text);
            return 0;
        } else if (!find_name(d, i))
            return 0;
    if (!args->sample && ph_option_given(args, "--seed")) {
        ph_complain("--seed: without --sample nothing is drawn");
        return 0;
    }
    d->plan.samples = args->sample;
    d->plan.seed = (uint64_t)args->seed;
    if (ph_plan_build(&d->plan, &err) == PH_OK)
        return 1;
    ph_complain("--vary: %s", err.text);
    return 0;
}

/* ---- sensors ----------------------------------------------------------------------------------------- */

static int choose_sensor(ph_sweep_study *d, int i)
{
    d->sensor[d->n_sensors++] = i;
    d->n_values += ph_model_sensor_size(d->model, i);
    return 1;
}

static int find_sensor(ph_sweep_study *d, const char *name, int length)
{
    const ph_model *m = d->model;
    char all[256] = "";
    for (int i = 0; i < ph_model_count(m, PH_SENSORS); i++) {
        const char *own = ph_model_name(m, PH_SENSORS, i);
        size_t n = strlen(all);
        if ((int)strlen(own) == length && !strncmp(own, name, (size_t)length)) {
            for (int k = 0; k < d->n_sensors; k++)
                if (d->sensor[k] == i)
                    return 1; /* said twice */
            return choose_sensor(d, i);
        }
        snprintf(all + n, sizeof all - n, "%s%s", n ? ", " : "", own);
    }
    ph_complain("--sensor: the model has no sensor '%.*s'%s%s", length > 64 ? 64 : length, name,
                all[0] ? "; there are: " : "", all);
    return 0;
}

static int choose_sensors(ph_sweep_study *d)
{
    const char *names = d->args->sensors;
    if (!d->model) {
        if (names)
            ph_complain("--sensor: the built-in problem '%s' has no sensors", d->args->word[0]);
        return !names;
    }
    int n = ph_model_count(d->model, PH_SENSORS);
    d->sensor = calloc((size_t)n + 1, sizeof *d->sensor);
    if (!d->sensor) {
        ph_complain("not enough memory for the sensors");
        return 0;
    }
    for (int i = 0; !names && i < n; i++)
        choose_sensor(d, i);
    for (const char *name = names, *end; name; name = end ? end + 1 : NULL) {
        end = strchr(name, ',');
        if (!find_sensor(d, name, end ? (int)(end - name) : (int)strlen(name)))
            return 0;
    }
    return 1;
}

/* ---- the rest of the command line -------------------------------------------------------------------- */

/* "2/4" */
static int read_share(ph_sweep_study *d)
{
    const char *text = d->args->share;
    int n = 0;
    if (!text)
        return 1;
    if (sscanf(text, "%9d/%9d%n", &d->share, &d->shares, &n) != 2 || text[n] || d->share < 1 ||
        d->share > d->shares)
        ph_complain("--case: '%s' is not of the form K/N with K from 1 to N", text);
    else if (!d->args->output)
        ph_complain("--case: a share needs -o, where all shares are collected");
    else if (d->args->json || d->args->plot)
        ph_complain("--case: a share has no table yet; %s is for the run that collects all shares",
                    d->args->json ? "--json" : "--plot");
    else
        return 1;
    return 0;
}

/* The file is read once. What its text says of methods and times must make sense before anything is varied; whether it
 * can be built, its cases tell. */
static int read_model(ph_sweep_study *d)
{
    d->merged = *d->args;
    if (!ph_target_is_file(d->args->word[0])) {
        ph_args args = *d->args;
        ph_target s;
        int code, ok = ph_target_open(&s, &args, &code); /* the words for what is wrong with it */
        ph_target_close(&s);
        return ok;
    }
    d->model = ph_target_read(d->args);
    return d->model && ph_target_merge(&d->merged, d->model);
}

/* What is meant, not what was typed: "1e-3" is "0.001", and --rho 0.9 nothing new where the model says so. */
static void make_keys(ph_sweep_study *d)
{
    uint64_t hash = d->model ? ph_model_key(d->model) : ph_hash_text(PH_HASH_START, d->args->word[0]);
    if (d->args->gpu)
        hash = ph_hash_text(hash, "gpu");
    d->base = ph_options_hash(&d->merged, hash);
    hash = ph_hash_text(d->base, ph_version());
    for (int i = 0; i < d->plan.n_vary; i++) {
        const ph_vary *v = &d->plan.vary[i];
        hash = ph_hash_text(hash, v->name);
        hash = ph_hash_bytes(hash, v->value, (size_t)(d->plan.samples ? d->plan.n : v->n) * sizeof(double));
    }
    for (int i = 0; i < d->n_sensors; i++)
        hash = ph_hash_text(hash, ph_model_name(d->model, PH_SENSORS, d->sensor[i]));
    d->key = hash;
}

/* Only the first of several ranks works with files. */
static int find_rank(ph_sweep_study *d)
{
    ph_error err = {0};
    int launched;
    if (ph_pool_launched(&launched, &d->rank, &err) != PH_OK)
        ph_complain("%s", err.text);
    else if (launched && d->args->jobs)
        ph_complain("--jobs: under mpirun each rank computes one case at a time; give mpirun more ranks");
    else
        return 1;
    return 0;
}

static int prepare(ph_sweep_study *d)
{
    if (!find_rank(d) || !read_share(d) || (!d->rank && !ph_delivery_ready(d->args)) || !read_model(d) ||
        !make_plan(d) || !choose_sensors(d))
        return 0;
    make_keys(d);
    return 1;
}

/* ---- the study --------------------------------------------------------------------------------------- */

/* Beside a device or a pipe nothing can be kept. */
static const char *journal_place(const ph_args *args)
{
    struct stat st;
    return args->output && (stat(args->output, &st) != 0 || S_ISREG(st.st_mode)) ? args->output : NULL;
}

static int open_rows(ph_sweep_study *d)
{
    const char *path = journal_place(d->args);
    ph_error err = {0};
    ph_status status = PH_OK;
    if (d->args->fresh && path)
        status = ph_sweep_forget(path, d->share, d->shares, &err);
    if (status == PH_OK)
        status = ph_sweep_open(&d->rows, d->plan.n, d->n_values, d->key, path, d->share, d->shares, &err);
    if (status != PH_OK)
        ph_complain("%s%s", err.text,
                    strstr(err.text, "another study") ? "; --fresh removes it, another -o leaves it alone"
                                                      : "");
    return status == PH_OK;
}

static int is_left(const ph_sweep_study *d, int k)
{
    return k < d->plan.n && !(d->rows.known && d->rows.known[k]) && ph_sweep_mine(&d->rows, k);
}

/* Rows of a group, but for those that are known. */
static ph_status keep(int g, const void *result, void *ctx)
{
    ph_sweep_study *d = ctx;
    int lanes = ph_sweep_lanes(d);
    for (int i = 0; i < lanes; i++) {
        const void *row = (const char *)result + (size_t)i * ph_sweep_size(d);
        if (is_left(d, g * lanes + i) && !ph_sweep_add(&d->rows, g * lanes + i, row)) {
            d->why = errno;
            return PH_E_INPUT;
        }
    }
    return PH_OK;
}

/* Groups of so many cases; skip[k] 1: all of group k are known. How many are not; -1: there is no memory. */
static int find_left(const ph_sweep_study *d, int lanes, char **skip)
{
    int groups = (d->plan.n + lanes - 1) / lanes, left = 0;
    *skip = malloc((size_t)groups);
    for (int k = 0; *skip && k < groups; k++)
        (*skip)[k] = 1;
    for (int k = 0; *skip && k < d->plan.n; k++)
        if (is_left(d, k))
            (*skip)[k / lanes] = 0, left++;
    return *skip ? left : -1;
}

/* --gpu first: what it leaves, the processor computes. 0: the study ends. */
static int compute_on_device(ph_sweep_study *d, ph_pool_end *end, ph_error *err)
{
    char *skip;
    int ok = find_left(d, 1, &skip) <= 0 || ph_sweep_on_device(d, skip, end, err);
    free(skip);
    return ok;
}

static int stopped(const ph_sweep_study *d)
{
    if (d->why)
        ph_complain("cannot write '%s': %s", d->rows.journal.path, strerror(d->why));
    return 0;
}

static int compute(ph_sweep_study *d, ph_pool_end *end)
{
    ph_error err = {0};
    ph_pool_def def = ph_pool_default();
    char *skip;
    if (d->args->gpu && !compute_on_device(d, end, &err))
        return stopped(d);
    if (d->args->compiled && !d->args->gpu && !d->compiled)
        ph_sweep_build(d);
    int lanes = ph_sweep_lanes(d), groups = (d->plan.n + lanes - 1) / lanes,
        left = find_left(d, lanes, &skip);
    if (left == 0 && d->args->gpu && !d->rank) {
        free(skip);
        return 1;
    }
    def.n = groups, def.skip = skip, def.jobs = d->args->jobs;
    def.size = (size_t)lanes * ph_sweep_size(d);
    def.ranks = 1, def.key = d->key;
    def.title = d->args->quiet ? NULL : "sweep";
    def.job = d->compiled ? ph_sweep_group : ph_sweep_case;
    def.lost = ph_sweep_lost_group, def.done = keep, def.ctx = d;
    ph_status status = skip ? ph_pool_run(&def, NULL, end, &err) : PH_E_MEMORY;
    free(skip);
    for (int i = 0; i < (int)(sizeof end->at_work / sizeof *end->at_work); i++)
        end->at_work[i] *= lanes;
    if (status == PH_OK)
        return 1;
    if (d->why)
        return stopped(d);
    if (status != PH_E_STOPPED)
        ph_complain("%s", skip ? err.text : "not enough memory for the cases");
    return 0;
}

/* ---- what it came to --------------------------------------------------------------------------------- */

static int count_failed(const ph_sweep_study *d)
{
    int n = 0;
    for (int k = 0; k < d->plan.n; k++)
        n += ph_sweep_row_at(&d->rows, k)->status != PH_OK;
    return n;
}

static int print_json(const ph_sweep_study *d, const ph_table *t)
{
    ph_json j = ph_json_create();
    char settings[PH_SWEEP_LINE];
    ph_target target = {.model = d->model};
    ph_sweep_settings(d, settings);
    ph_json_text(&j, j.root, "polhode", ph_version());
    ph_json_text(&j, j.root, "model", d->model ? ph_model_title(d->model) : d->args->word[0]);
    ph_json_text(&j, j.root, "settings", settings);
    ph_target_json(&target, &j);
    ph_json_count(&j, j.root, "cases", d->plan.n);
    ph_json_count(&j, j.root, "failed", count_failed(d));
    ph_table_json(t, &j, ph_json_array(&j, j.root, "rows"), 0, ph_table_rows(t));
    return ph_answer(&j);
}

static void print_summary(const ph_sweep_study *d)
{
    int of[PH_STATUS_COUNT + 1] = {0};
    for (int k = 0; k < d->plan.n; k++)
        of[ph_sweep_row_at(&d->rows, k)->status - PH_SWEEP_LOST]++;
    printf("%d %s", d->plan.n, ph_plural(d->plan.n, "case", "cases"));
    if (d->args->output)
        printf(" in %s", d->args->output);
    for (int s = PH_SWEEP_LOST, n = 0; s < PH_STATUS_COUNT; s++)
        if (of[s - PH_SWEEP_LOST])
            printf("%s %d %s", n++ ? "," : ":", of[s - PH_SWEEP_LOST], ph_sweep_status_word(s));
    printf("\n");
}

/* The table is written first: it is the result, and journals go when it is there. */
static int deliver(ph_sweep_study *d, const ph_table *t)
{
    ph_error err = {0};
    if (!ph_table_ok(t))
        return ph_complain("not enough memory for the table");
    if (d->args->output && !ph_sweep_write(d, t))
        return ph_complain_write(d->args->output);
    if (d->args->plot && !ph_sweep_plot(d, &err))
        return ph_complain("--plot: %s", err.text);
    if (d->args->view && ph_sweep_view(d) != PH_EXIT_OK)
        return PH_EXIT_USAGE;
    if (d->args->json && !print_json(d, t))
        return ph_complain("not enough memory for the report");
    if (!d->args->json && !d->args->quiet) {
        if (!d->args->output)
            ph_table_print(t, stdout);
        print_summary(d);
    }
    return count_failed(d) == d->plan.n ? PH_EXIT_FAILED : PH_EXIT_OK;
}

static int finish(ph_sweep_study *d)
{
    int mine = 0;
    for (int k = 0; k < d->plan.n; k++)
        mine += ph_sweep_mine(&d->rows, k);
    if (d->shares) {
        if (!d->args->quiet)
            printf("share %d/%d: %d of %d %s in %s; when all shares are done, the same without --case "
                   "writes %s\n",
                   d->share, d->shares, mine, d->plan.n, ph_plural(d->plan.n, "case", "cases"),
                   d->rows.journal.path ? d->rows.journal.path : "nothing", d->args->output);
        return PH_EXIT_OK;
    }
    ph_table *t = ph_sweep_table(d);
    int code = deliver(d, t);
    ph_table_destroy(t);
    return code;
}

/* What is there stays, and the signal takes its course. */
static void interrupted(ph_sweep_study *d, const ph_pool_end *end)
{
    int known = ph_sweep_count(&d->rows), room = (int)(sizeof end->at_work / sizeof *end->at_work);
    char where[512] = "", cases[128] = "";
    for (int i = 0; i < end->under_way && i < room; i++)
        snprintf(cases + strlen(cases), sizeof cases - strlen(cases), "%s%d",
                 i ? ", " : " (under way: ", end->at_work[i]);
    if (cases[0])
        snprintf(cases + strlen(cases), sizeof cases - strlen(cases), "%s)",
                 end->under_way > room ? ", ..." : "");
    if (d->rows.journal.path)
        snprintf(where, sizeof where, "; they are in '%.400s', and the same command goes on from there",
                 d->rows.journal.path);
    ph_complain("interrupted after %d of %d %s%s%s", known, d->plan.n, ph_plural(d->plan.n, "case", "cases"),
                cases, where);
    ph_sweep_close(&d->rows, 0);
    signal(end->signal, SIG_DFL);
    raise(end->signal);
}

static int sweep(ph_sweep_study *d)
{
    ph_pool_end end = {0};
    int code = PH_EXIT_USAGE, whole = 0;
    if (d->rank) /* of several: it helps, or says why it cannot */
        return compute(d, &end) ? PH_EXIT_OK : code;
    if (!open_rows(d))
        return code;
    if (compute(d, &end)) {
        code = finish(d);
        whole = code != PH_EXIT_USAGE && !d->shares;
    } else if (end.signal) {
        interrupted(d, &end);
        return PH_EXIT_FAILED;
    }
    ph_sweep_close(&d->rows, whole);
    return code;
}

int ph_cmd_sweep(const ph_args *args)
{
    ph_sweep_study d = {.args = args};
    int code = prepare(&d) ? sweep(&d) : PH_EXIT_USAGE;
    ph_compiled_release(d.compiled);
    ph_plan_clear(&d.plan);
    ph_model_free(d.model);
    free(d.sensor);
    return code;
}
