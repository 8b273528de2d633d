/* run --error-bars and --extrapolate: what they add to a run and to its report. */
#include "cli/bars.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bars {
    ph_seen seen;
    double *error; /* of all that is seen, at the present state */
} bars;

/* That asks for it, first of all. */
static const char *option_of(const ph_job *r)
{
    return r->args->error_bars ? "error-bars" : r->args->extrapolate ? "extrapolate" : "tol-objective";
}

/* Errors are shown. */
static int shows(const ph_job *r)
{
    return r->args->error_bars || r->args->tol_objective;
}

/* Steps of constant size go across times at which functions jump or bend, of which errors know nothing. */
static int crosses_corners(const ph_job *r, double *first)
{
    return !(r->opt.tol > 0) && ph_run_corners(r->run, first, 1) > 0;
}

/* Asymptotically exact in these forms, where motion is smooth, else an estimate. */
static int is_exact(const ph_job *r)
{
    double first;
    return (r->opt.formulation != PH_INDEX3 || !r->p->sys.n_constraints) && !crosses_corners(r, &first);
}

/* "J=1e-4": the objective and its error; 0 after one line on stderr. */
static int parse_aim(const ph_job *r, int *objective, double *wanted)
{
    const char *text = r->args->tol_objective, *sign = strchr(text, '=');
    char name[PH_LABEL_MAX], *end;
    snprintf(name, sizeof name, "%.*s", sign ? (int)(sign - text) : (int)strlen(text), text);
    *objective = ph_run_find(r->target.run, PH_OBJECTIVES, name);
    *wanted = sign ? strtod(sign + 1, &end) : 0;
    if (!sign || end == sign + 1 || *end || !(*wanted > 0) || !isfinite(*wanted))
        ph_complain("--tol-objective: '%s' is not of the form NAME=E with E above 0", text);
    else if (*objective < 0)
        ph_complain("--tol-objective: the model has no objective '%s'", name);
    else
        return 1;
    return 0;
}

/* Options may be others then: those of the report, too. */
static ph_status find_tol(ph_job *r)
{
    int objective;
    double wanted, tol;
    parse_aim(r, &objective, &wanted); /* ph_bars_open has said that it can */
    ph_status s = ph_run_tol_for(r->run, objective, wanted, &tol, &r->err);
    r->sim = ph_run_sim(r->run);
    r->opt.tol = tol;
    return s;
}

static void warn_of_corners(const ph_job *r)
{
    double first;
    if (!r->args->quiet && crosses_corners(r, &first))
        ph_note(
            "functions of time or inputs jump or bend, first at t = %.6g s: errors may be larger than --%s "
            "says; with --tol steps end there",
            first, option_of(r));
}

static ph_status simulate(ph_job *r)
{
    warn_of_corners(r);
    ph_status s = r->args->tol_objective ? find_tol(r) : PH_OK;
    if (s == PH_OK && shows(r)) {
        s = ph_run_test_bars(r->run, ph_run_end(r->run), &r->err);
        r->sim = ph_run_sim(r->run);
    }
    if (s == PH_OK)
        s = ph_run_error_bars(r->run, 1, &r->err);
    if (s == PH_OK && r->args->extrapolate)
        s = ph_run_extrapolate(r->run, 1);
    return s == PH_OK ? ph_job_run(r) : s;
}

static void header(ph_job *r)
{
    const bars *b = r->ctx;
    for (int c = 0; c < b->seen.n && shows(r); c++) {
        char full[PH_TOLD_COLUMN];
        ph_channel q = ph_seen_column(&b->seen, r->run, c, full);
        q.error = 1;
        ph_record_channel(&r->record, &q);
    }
}

static void row(ph_job *r, const ph_state *s)
{
    bars *b = r->ctx;
    (void)s;
    if (!shows(r))
        return;
    ph_seen_error(&b->seen, r->run, b->error);
    ph_record_put(&r->record, b->seen.width, b->error);
}

#define CHANNELS_SHOWN 40

/* The doubts about n numbers of a quantity; 0 each if the run ended before the time that was tested. */
static void find_doubts(const ph_job *r, int what, int index, int out[PH_SENSOR_MAX])
{
    if (ph_run_get_doubt(r->run, what, index, out) != PH_OK)
        memset(out, 0, PH_SENSOR_MAX * sizeof *out);
}

/* With a question mark behind those that are in doubt; returns their number. */
static int print_numbers(const char *of, const char *name, int n, const double *x, const int *doubt)
{
    int count = 0;
    printf("  %-10s %-13s", of, name);
    for (int i = 0; i < n; i++) {
        if (i < 6)
            printf(" %16.3g%c", x[i], doubt[i] ? '?' : ' ');
        count += doubt[i];
    }
    printf("%s\n", n > 6 ? " ..." : "");
    return count;
}

static int over_error(const ph_job *r, int sensor, double out[PH_SENSOR_MAX])
{
    return ph_run_get_error(r->run, PH_GET_OVER, sensor, out) == PH_OK
               ? ph_run_size(r->run, PH_GET_OVER, sensor)
               : 0;
}

static void text(const ph_job *r)
{
    bars *b = r->ctx;
    double x[PH_SENSOR_MAX];
    int doubt[PH_SENSOR_MAX], count = 0;
    if (r->args->extrapolate)
        printf("\nresults less their error%s\n", is_exact(r) ? ", of third order" : ", which is an estimate");
    if (!shows(r))
        return;
    printf("\nerrors, exact less numerical (%s): +-\n",
           is_exact(r) ? "to first order of what they leave out" : "estimates");
    ph_seen_error(&b->seen, r->run, b->error);
    for (int c = 0; c < b->seen.n && c < CHANNELS_SHOWN; c++) {
        const ph_channel *q = &b->seen.channel[c];
        const struct ph_view *v = &b->seen.view[c];
        find_doubts(r, v->what, v->index, doubt);
        count += print_numbers(q->of ? q->of : q->name, ph_seen_quantity(&b->seen, c), q->n,
                               b->error + b->seen.at[c], doubt + v->first);
    }
    if (b->seen.n > CHANNELS_SHOWN)
        printf("  ... %d more quantities: see --json or -o\n", b->seen.n - CHANNELS_SHOWN);
    for (int i = 0; i < ph_run_count(r->run, PH_SENSORS); i++)
        if (over_error(r, i, x)) {
            find_doubts(r, PH_GET_OVER, i, doubt);
            count +=
                print_numbers(ph_run_name(r->run, PH_SENSORS, i), "over time", over_error(r, i, x), x, doubt);
        }
    for (int i = 0; i < ph_run_count(r->run, PH_OBJECTIVES); i++)
        if (ph_run_get_error(r->run, PH_GET_OBJECTIVE, i, x) == PH_OK) {
            find_doubts(r, PH_GET_OBJECTIVE, i, doubt);
            count += print_numbers(ph_run_name(r->run, PH_OBJECTIVES, i), "objective", 1, x, doubt);
        }
    if (count)
        printf("  ? not to be trusted yet: does not shrink with the step as errors do\n");
}

static void as_numbers(int n, const int *from, double *to)
{
    for (int i = 0; i < n; i++)
        to[i] = from[i];
}

/* A sensor with over_time reports the number over time, and so does its error. */
static void add_channel(ph_json *j, cJSON *to, const ph_job *r, const bars *b, int c, int doubts)
{
    const ph_channel *q = &b->seen.channel[c];
    const struct ph_view *v = &b->seen.view[c];
    double x[PH_SENSOR_MAX], y[PH_SENSOR_MAX];
    int n = v->what == PH_GET_SENSOR ? over_error(r, v->index, x) : 0, doubt[PH_SENSOR_MAX];
    if (!doubts) {
        ph_json_numbers(j, to, q->name, n ? n : q->n, n ? x : b->error + b->seen.at[c]);
        return;
    }
    find_doubts(r, n ? PH_GET_OVER : v->what, v->index, doubt);
    as_numbers(n ? n : q->n, doubt + (n ? 0 : v->first), y);
    ph_json_numbers(j, to, q->name, n ? n : q->n, y);
}

/* Errors, or their doubts: 1 for each number whose error is not to be trusted yet. */
static void add_all(const ph_job *r, ph_json *j, cJSON *root, int doubts)
{
    const bars *b = r->ctx;
    cJSON *group = NULL, *of = NULL;
    double x;
    int doubt[PH_SENSOR_MAX];
    for (int c = 0; c < b->seen.n; c++) {
        const ph_channel *q = &b->seen.channel[c];
        if (c == 0 || strcmp(q->group, q[-1].group) != 0)
            of = group = ph_json_object(j, root, q->group);
        if (q->of && (c == 0 || q->group != q[-1].group || strcmp(q->of, q[-1].of) != 0))
            of = ph_json_object(j, group, q->of);
        add_channel(j, of, r, b, c, doubts);
    }
    cJSON *objectives = ph_run_count(r->run, PH_OBJECTIVES) ? ph_json_object(j, root, "objectives") : NULL;
    for (int i = 0; objectives && i < ph_run_count(r->run, PH_OBJECTIVES); i++)
        if (ph_run_get_error(r->run, PH_GET_OBJECTIVE, i, &x) == PH_OK) {
            find_doubts(r, PH_GET_OBJECTIVE, i, doubt);
            ph_json_number(j, objectives, ph_run_name(r->run, PH_OBJECTIVES, i), doubts ? doubt[0] : x);
        }
}

static void json(const ph_job *r, ph_json *j)
{
    bars *b = r->ctx;
    if (r->args->extrapolate)
        ph_json_text(j, j->root, "result", "extrapolated"); /* "states" are those of state{} */
    if (!shows(r))
        return;
    ph_seen_error(&b->seen, r->run, b->error);
    cJSON *root = ph_json_object(j, j->root, "error");
    ph_json_text(j, root, "kind", is_exact(r) ? "asymptotically exact" : "estimate");
    add_all(r, j, root, 0);
    add_all(r, j, ph_json_object(j, j->root, "error_doubt"), 1);
}

int ph_bars_open(ph_job *r)
{
    static const ph_extension extension = {simulate, header, row, text, json};
    int objective;
    double wanted;
    if (!r->args->error_bars && !r->args->extrapolate && !r->args->tol_objective)
        return 1;
    if (!r->target.model) {
        ph_complain("--%s: a built-in problem has no names to report: write a model file", option_of(r));
        return 0;
    }
    if (r->args->save || r->args->state) {
        ph_complain("--%s: errors that follow a run are not in its state file: leave out --%s", option_of(r),
                    r->args->save ? "save" : "from");
        return 0;
    }
    if (r->args->tol_objective && !parse_aim(r, &objective, &wanted))
        return 0;
    if (r->args->error_bars && r->args->compare == 0) {
        ph_complain("--error-bars and --reference both say what the error is: give one of them");
        return 0;
    }
    bars *b = calloc(1, sizeof *b);
    r->ctx = b, r->extension = &extension;
    if (b && ph_seen_create(&b->seen, r->target.run))
        b->error = calloc((size_t)b->seen.width + 1, sizeof *b->error);
    if (b && b->error)
        return 1;
    ph_complain("not enough memory for error bars");
    return 0;
}

void ph_bars_close(ph_job *r)
{
    bars *b = r->extension ? r->ctx : NULL;
    if (!b)
        return;
    ph_seen_destroy(&b->seen);
    free(b->error);
    free(b);
}
