/* polhode optimise: parameters that make an objective or a sensor of the model least, between bounds. */
#include "cli/deliver.h"
#include "cli/job.h"
#include "cli/target.h"
#include "cli/optimise.h"
#include "cli/options.h"
#include "base/hash.h"
#include "study/minimise.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the command line ------------------------------------------------------------------------------------- */

static int find(const ph_design *d, const char *name, size_t length)
{
    for (int k = 0; k < d->n; k++)
        if (strlen(d->name[k]) == length && !strncmp(d->name[k], name, length))
            return k;
    return -1;
}

/* --vary a,b */
static int read_names(ph_design *d, const char *text)
{
    for (size_t length; *text; text += length + (text[length] == ',')) {
        length = strcspn(text, ",");
        if (length == 0 || length >= PH_DESIGN_NAME)
            return ph_complain("--vary: a name is missing or too long: '%s'", text), 0;
        if (find(d, text, length) >= 0)
            return ph_complain("--vary: '%.*s' is there twice", (int)length, text), 0;
        if (d->n == PH_DESIGN_MAX)
            return ph_complain("--vary: more than %d parameters", PH_DESIGN_MAX), 0;
        memcpy(d->name[d->n], text, length);
        d->lower[d->n] = d->upper[d->n] = NAN;
        d->n++;
    }
    return d->n > 0 || (ph_complain("--vary: a name is missing"), 0);
}

/* --bounds a=0:1,b=2:3 */
static int read_bounds(ph_design *d, const char *text)
{
    for (char *end; *text; text = end + (*end == ',')) {
        const char *equal = strchr(text, '=');
        int k = equal ? find(d, text, (size_t)(equal - text)) : -1;
        if (k < 0)
            return ph_complain("--bounds: '%s' is not P=FROM:TO of a parameter of --vary", text), 0;
        d->lower[k] = strtod(equal + 1, &end);
        if (end == equal + 1 || *end != ':')
            return ph_complain("--bounds: '%s' is not P=FROM:TO", text), 0;
        const char *second = end + 1;
        d->upper[k] = strtod(second, &end);
        if (end == second || (*end && *end != ','))
            return ph_complain("--bounds: '%s' is not P=FROM:TO", text), 0;
        if (!isfinite(d->lower[k]) || !isfinite(d->upper[k]) || !(d->lower[k] < d->upper[k]))
            return ph_complain("--bounds: %s from %g to %g is not a range", d->name[k], d->lower[k],
                               d->upper[k]),
                   0;
    }
    for (int k = 0; k < d->n; k++)
        if (isnan(d->lower[k]))
            return ph_complain("--bounds: those of '%s' are missing: --bounds %s=FROM:TO", d->name[k],
                               d->name[k]),
                   0;
    return 1;
}

static int read_line(ph_design *d, const ph_args *args)
{
    const char *missing = ph_minimise_missing();
    if (missing)
        return ph_complain("optimise needs %s", missing), 0;
    if (!args->param || !args->minimise || !args->bounds)
        return ph_complain("optimise needs --vary P,..., --bounds P=FROM:TO,... and --minimise NAME"), 0;
    if (!ph_target_is_file(args->word[0]))
        return ph_complain("optimise needs a model file, whose parameters it varies"), 0;
    return read_names(d, args->param) && read_bounds(d, args->bounds) && ph_delivery_ready(args);
}

/* ---- the model -------------------------------------------------------------------------------------------- */

/* A hash of all that the log depends on. */
static uint64_t key_of(const ph_design *d, const ph_args *merged, const ph_target *s)
{
    uint64_t key = ph_options_hash(merged, s->p->key);
    key = ph_hash_text(key, d->args->minimise);
    for (int k = 0; k < d->n; k++)
        key = ph_hash_text(key, d->name[k]);
    double eps = d->args->eps;
    return ph_hash_bytes(key, &eps, sizeof eps);
}

static int no_objective(const ph_args *args, const ph_model *model)
{
    static const int kinds[] = {PH_OBJECTIVES, PH_SENSORS};
    char all[256] = "";
    int sensor = ph_model_find(model, PH_SENSORS, args->minimise);
    if (sensor >= 0) {
        ph_complain("%s: --minimise: sensor '%s' has %d numbers; say which one, as in %s.1", args->word[0],
                    args->minimise, ph_model_sensor_size(model, sensor), args->minimise);
        return 0;
    }
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < ph_model_count(model, kinds[k]); i++) {
            size_t n = strlen(all);
            snprintf(all + n, sizeof all - n, "%s%s",
                     n ? ", " : "; there are: ", ph_model_name(model, kinds[k], i));
        }
    ph_complain("%s: --minimise: the model has no objective or sensor '%s'%s", args->word[0], args->minimise,
                all);
    return 0;
}

/* The start is what the model says, or --set. */
static int read_start(ph_design *d, const ph_args *args, const ph_model *model)
{
    ph_least what;
    if (!ph_least_find(d->run, args->minimise, &what))
        return no_objective(args, model);
    for (int k = 0; k < d->n; k++) {
        int i = ph_model_find(model, PH_PARAMETERS, d->name[k]);
        if (i < 0)
            return ph_complain("%s: --vary: the model has no parameter '%s'", args->word[0], d->name[k]), 0;
        if (!ph_target_settable(model, args->word[0]))
            return 0;
        d->start[k] = ph_model_parameter(model, i);
        if (!(d->start[k] >= d->lower[k] && d->start[k] <= d->upper[k]))
            return ph_complain("--bounds: %s begins with %.9g, which is outside of %.9g to %.9g; --set %s=V "
                               "changes that",
                               d->name[k], d->start[k], d->lower[k], d->upper[k], d->name[k]),
                   0;
    }
    snprintf(d->title, sizeof d->title, "%.60s: %.60s", ph_model_title(model), args->minimise);
    return 1;
}

/* ---- the log ---------------------------------------------------------------------------------------------- */

static ph_evaluation *push(ph_evaluation **list, int *n, int *room)
{
    if (*n == *room) {
        int more = *room ? 2 * *room : 64;
        ph_evaluation *bigger = realloc(*list, (size_t)more * sizeof **list);
        if (!bigger)
            return NULL;
        *list = bigger, *room = more;
    }
    return &(*list)[(*n)++];
}

/* "x1,x2,value,g1,g2" */
static int take(int k, const char *text, void *ctx)
{
    ph_design *d = ctx;
    ph_evaluation *t = push(&d->known, &d->n_known, &d->known_room);
    (void)k;
    for (int i = 0; t && i < 2 * d->n + 1; i++) {
        char *end;
        double x = strtod(text, &end);
        if (end == text || *end != (i < 2 * d->n ? ',' : 0)) {
            d->n_known--;
            return 0;
        }
        *(i < d->n ? &t->x[i] : i == d->n ? &t->value : &t->gradient[i - d->n - 1]) = x;
        text = end + 1;
    }
    return t != NULL;
}

static ph_status note(ph_design *d, const ph_evaluation *t)
{
    char text[(2 * PH_DESIGN_MAX + 1) * 26];
    int n = 0;
    if (d->log.fd < 0)
        return PH_OK;
    for (int i = 0; i < 2 * d->n + 1; i++) {
        double x = i < d->n ? t->x[i] : i == d->n ? t->value : t->gradient[i - d->n - 1];
        n += snprintf(text + n, sizeof text - (size_t)n, "%s%.17g", i ? "," : "", x);
    }
    if (ph_journal_add(&d->log, d->n_known + d->runs, text))
        return PH_OK;
    snprintf(d->err.text, sizeof d->err.text, "cannot write '%s': %s", d->args->log, strerror(errno));
    return PH_E_INPUT;
}

/* In the log, or tried before: line searches come back to where they were. */
static const ph_evaluation *known(const ph_design *d, const double *x)
{
    size_t size = (size_t)d->n * sizeof *x;
    for (int i = 0; i < d->n_known; i++)
        if (!memcmp(d->known[i].x, x, size))
            return &d->known[i];
    for (int i = 0; i < d->n_evaluations; i++)
        if (!memcmp(d->evaluation[i].x, x, size))
            return &d->evaluation[i];
    return NULL;
}

/* ---- the search ------------------------------------------------------------------------------------------- */

double ph_design_steepness(const ph_design *d, const ph_evaluation *t)
{
    double sum = 0;
    for (int k = 0; k < d->n; k++)
        sum += pow(t->gradient[k] * (d->upper[k] - d->lower[k]), 2);
    return sqrt(sum);
}

static void show(const ph_design *d, const ph_evaluation *t)
{
    if (isatty(2) && !d->args->quiet)
        fprintf(stderr, "\revaluation %d  %s %.9g  |gradient| %.3g \033[K", d->n_evaluations,
                d->args->minimise, t->value, ph_design_steepness(d, t));
}

static ph_status try(const double *x, double *value, double *gradient, void *ctx)
{
    ph_design *d = ctx;
    const ph_evaluation *old = known(d, x);
    ph_evaluation copy = old ? *old : (ph_evaluation){0},
                  *t = push(&d->evaluation, &d->n_evaluations, &d->room);
    ph_status s = t ? PH_OK : PH_E_MEMORY;
    if (t && old) {
        *t = copy;
    } else if (t) {
        ph_error why;
        d->runs++;
        s = ph_design_evaluate(d, x, t, &why);
        if (s == PH_OK)
            s = note(d, t);
        else {
            int n = snprintf(d->err.text, sizeof d->err.text, "at");
            for (int k = 0; k < d->n && n < (int)sizeof d->err.text / 2; k++)
                n +=
                    snprintf(d->err.text + n, sizeof d->err.text - (size_t)n, " %s = %.9g", d->name[k], x[k]);
            snprintf(d->err.text + n, sizeof d->err.text - (size_t)n, ": %.300s", why.text);
        }
    }
    if (s != PH_OK) {
        d->n_evaluations -= t != NULL;
        return s;
    }
    *value = t->value;
    memcpy(gradient, t->gradient, (size_t)d->n * sizeof *gradient);
    show(d, t);
    return PH_OK;
}

#define X_TOL       1e-6 /* of the ranges of parameters */
#define EVALUATIONS 200

static int search(ph_design *d, const ph_args *args)
{
    double best[PH_DESIGN_MAX], value = NAN;
    const char *why = "";
    ph_minimise_def def = {.n = d->n,
                           .lower = d->lower,
                           .upper = d->upper,
                           .tolerance = args->x_tol > 0 ? args->x_tol : X_TOL,
                           .evaluations = args->evaluations ? args->evaluations : EVALUATIONS,
                           .f = try,
                           .ctx = d};
    memcpy(best, d->start, sizeof best);
    ph_status s = ph_minimise(&def, best, &value, &why);
    if (isatty(2) && !args->quiet)
        fprintf(stderr, "\r\033[K");
    if (s != PH_OK)
        return ph_complain("%s", d->err.text[0] ? d->err.text : why), ph_status_exit(s);
    return ph_design_deliver(d, best, value, why);
}

static int open_log(ph_design *d, const ph_args *merged, const ph_target *target)
{
    ph_error err;
    if (!d->args->log)
        return 1;
    if (ph_journal_open(&d->log, d->args->log, key_of(d, merged, target), take, d, &err) == PH_OK)
        return 1;
    ph_complain("--log: %s", err.text);
    return 0;
}

int ph_cmd_optimise(const ph_args *args)
{
    ph_design d = {.args = args, .log = {.fd = -1}};
    ph_args merged = *args;
    ph_target target = {0};
    int code = PH_EXIT_USAGE;
    if (!read_line(&d, args))
        return code;
    if (ph_target_open(&target, &merged, &code)) {
        ph_job r = {.args = &merged, .run = target.run};
        d.run = target.run;
        int ready = read_start(&d, args, target.model) && ph_job_plan(&r) && open_log(&d, &merged, &target);
        const char *open[PH_DESIGN_MAX];
        for (int k = 0; k < d.n; k++)
            open[k] = d.name[k];
        if (ready && args->compiled)
            ph_target_build(&target, open, d.n);
        code = ready ? search(&d, args) : PH_EXIT_USAGE;
    }
    ph_target_close(&target);
    ph_journal_close(&d.log, 0);
    free(d.evaluation);
    free(d.known);
    return code;
}
