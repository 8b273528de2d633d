/* What sens adds to the report of a run: derivatives in words, as JSON, as columns of the trajectory. */
#include "cli/sens_show.h"

#include <stdio.h>
#include <string.h>

static const double *derivatives(const ph_job *r, const ph_sens_study *st, int k)
{
    return (r->args->mode == PH_FD ? st->fd : st->d) + k * st->seen.width;
}

static const double *gradient(const ph_job *r, const ph_objective_result *result)
{
    return r->args->mode == PH_FD ? result->fd : result->gradient;
}

/* In adjoint mode there are those of objectives alone. */
static int has_states(const ph_job *r)
{
    return r->args->mode != PH_ADJOINT;
}

/* ---- agreement -------------------------------------------------------------------------------------------- */

#define DIGITS_MAX 16 /* equal */

/* Round-off of runs, of numbers near 1: over the step it is all that differences have of a zero. */
#define NOISE 1e-15

/* Digits in which n numbers agree with differences of runs, relative to the larger of the largest derivative and
 * value/parameter, which is what a derivative would be if the value was proportional to its parameter; size: or
 * this. */
static double digits(const ph_sens_study *st, int k, int n, const double *a, const double *b,
                     const double *value, double size)
{
    double diff = 0, most = 0, p = st->at[k] != 0 ? fabs(st->at[k]) : 1;
    double largest = 0;
    for (int i = 0; i < n; i++) {
        diff = fmax(diff, fabs(a[i] - b[i])), size = fmax(size, fabs(b[i])),
        most = fmax(most, fabs(value[i]));
        largest = fmax(largest, fmax(fabs(a[i]), fabs(b[i])));
        if (isnan(a[i] - b[i]))
            return 0;
    }
    if (diff == 0 || largest <= NOISE * (1 + most) / st->eps[k])
        return DIGITS_MAX;
    return fmin(DIGITS_MAX, fmax(0, -log10(diff / fmax(size, most / p))));
}

static double channel_digits(const ph_sens_study *st, int k, int c)
{
    const ph_channel *q = &st->seen.channel[c];
    int at = st->seen.at[c], i = k * st->seen.width + at;
    double force = 0; /* of torques: that of the forces on a lever of 1 m, since many are 0 */
    for (int f = 1; f <= 3 && !strcmp(q->name, "torque"); f++)
        force = fmax(force, fabs(st->fd[i - f]));
    return digits(st, k, q->n, st->d + i, st->fd + i, st->value + at, force);
}

static double result_digits(const ph_sens_study *st, int k, const ph_objective_result *result)
{
    return digits(st, k, 1, &result->gradient[k], &result->fd[k], &result->value, 0);
}

static int compares(const ph_job *r, const ph_sens_study *st)
{
    return r->args->mode != PH_FD && st->checked;
}

/* ---- words ------------------------------------------------------------------------------------------------ */

#define CHANNELS_SHOWN 40

static void print_channel(const ph_job *r, const ph_sens_study *st, int k, int c)
{
    const ph_channel *q = &st->seen.channel[c];
    const double *x = derivatives(r, st, k) + st->seen.at[c];
    printf("  %-10s %-13s", q->of ? q->of : q->name, ph_seen_quantity(&st->seen, c));
    for (int i = 0; i < q->n && i < 6; i++)
        printf(" %17.10g", x[i]);
    printf("%s", q->n > 6 ? " ..." : "");
    if (compares(r, st))
        printf("  (%.1f digits)", channel_digits(st, k, c));
    printf("\n");
}

static const char *result_name(const ph_job *r, const ph_objective_result *result)
{
    return ph_run_name(r->run, PH_OBJECTIVES, result->objective);
}

static void print_result(const ph_job *r, const ph_sens_study *st, const ph_objective_result *result)
{
    printf("\n%s = %.12g\n", result_name(r, result), result->value);
    for (int k = 0; k < st->n; k++) {
        printf("  d/d(%s) %*s %17.10g", st->name[k], (int)(12 - strlen(st->name[k])), "",
               gradient(r, result)[k]);
        if (compares(r, st))
            printf("  (%.1f digits)", result_digits(st, k, result));
        printf("\n");
    }
}

void ph_sens_text(const ph_job *r)
{
    static const char *const how[] = {"of the steps as they were solved", "backwards from the end",
                                      "differences of runs"};
    const ph_sens_study *st = r->ctx;
    for (int k = 0; k < st->n && has_states(r); k++) {
        printf("\nderivatives by %s = %.9g (%s%s%s)\n", st->name[k], st->at[k], how[r->args->mode],
               r->args->simplify ? ", simplified: " : "",
               r->args->simplify ? ph_simplification_word(r->args->simplify) : "");
        for (int c = 0; c < st->seen.n && c < CHANNELS_SHOWN; c++)
            print_channel(r, st, k, c);
        if (st->seen.n > CHANNELS_SHOWN)
            printf("  ... %d more quantities: see --json or -o\n", st->seen.n - CHANNELS_SHOWN);
    }
    for (int i = 0; i < st->n_results; i++)
        print_result(r, st, &st->result[i]);
    if (compares(r, st))
        printf("\ndigits: agreement with five-point differences of runs\n");
}

/* ---- JSON ------------------------------------------------------------------------------------------------- */

/* The tree of names that run has: group, name of the body or joint, quantity. agree: digits and no numbers. */
static void add_tree(ph_json *j, cJSON *to, const ph_job *r, const ph_sens_study *st, int k, int agree)
{
    const ph_seen *seen = &st->seen;
    cJSON *group = NULL, *of = NULL;
    for (int c = 0; c < seen->n; c++) {
        const ph_channel *q = &seen->channel[c];
        if (c == 0 || strcmp(q->group, q[-1].group) != 0)
            of = group = ph_json_object(j, to, q->group);
        if (q->of && (c == 0 || q->group != q[-1].group || strcmp(q->of, q[-1].of) != 0))
            of = ph_json_object(j, group, q->of);
        if (agree)
            ph_json_number(j, of, q->name, channel_digits(st, k, c));
        else
            ph_json_numbers(j, of, q->name, q->n, derivatives(r, st, k) + seen->at[c]);
    }
}

static void add_results(ph_json *j, const ph_job *r, const ph_sens_study *st)
{
    cJSON *all = ph_json_object(j, j->root, "objectives");
    for (int i = 0; i < st->n_results; i++) {
        const ph_objective_result *result = &st->result[i];
        cJSON *o = ph_json_object(j, all, result_name(r, result));
        ph_json_number(j, o, "value", result->value);
        cJSON *g = ph_json_object(j, o, "gradient");
        for (int k = 0; k < st->n; k++)
            ph_json_number(j, g, st->name[k], gradient(r, result)[k]);
    }
}

static void add_check(ph_json *j, const ph_job *r, const ph_sens_study *st)
{
    double least = DIGITS_MAX;
    cJSON *check = ph_json_object(j, j->root, "check");
    cJSON *eps = ph_json_object(j, check, "eps");
    for (int k = 0; k < st->n; k++)
        ph_json_number(j, eps, st->name[k], st->eps[k]);
    cJSON *all = ph_json_object(j, check, "digits");
    for (int k = 0; k < st->n && has_states(r); k++) {
        add_tree(j, ph_json_object(j, all, st->name[k]), r, st, k, 1);
        for (int c = 0; c < st->seen.n; c++)
            least = fmin(least, channel_digits(st, k, c));
    }
    cJSON *results = ph_json_object(j, check, "objectives");
    for (int i = 0; i < st->n_results; i++) {
        cJSON *o = ph_json_object(j, results, result_name(r, &st->result[i]));
        for (int k = 0; k < st->n; k++) {
            ph_json_number(j, o, st->name[k], result_digits(st, k, &st->result[i]));
            least = fmin(least, result_digits(st, k, &st->result[i]));
        }
    }
    ph_json_number(j, check, "least", least);
}

void ph_sens_json(const ph_job *r, ph_json *j)
{
    static const char *const mode[] = {"direct", "adjoint", "fd"};
    const ph_sens_study *st = r->ctx;
    ph_json_text(j, j->root, "mode", mode[r->args->mode]);
    if (r->args->simplify)
        ph_json_text(j, j->root, "simplified", ph_simplification_word(r->args->simplify));
    cJSON *all = has_states(r) ? ph_json_object(j, j->root, "sensitivities") : NULL;
    for (int k = 0; k < st->n && has_states(r); k++)
        add_tree(j, ph_json_object(j, all, st->name[k]), r, st, k, 0);
    if (st->n_results)
        add_results(j, r, st);
    if (compares(r, st))
        add_check(j, r, st);
}

/* ---- the trajectory --------------------------------------------------------------------------------------- */

void ph_sens_header(ph_job *r)
{
    const ph_sens_study *st = r->ctx;
    for (int k = 0; k < st->n && r->args->mode == PH_DIRECT; k++)
        for (int c = 0; c < st->seen.n; c++) {
            char full[PH_TOLD_COLUMN];
            ph_channel q = ph_seen_column(&st->seen, r->run, c, full);
            q.by = st->name[k];
            ph_record_channel(&r->record, &q);
        }
}

void ph_sens_row(ph_job *r, const ph_state *s)
{
    ph_sens_study *st = r->ctx;
    (void)s;
    for (int k = 0; k < st->n && r->args->mode == PH_DIRECT; k++) {
        double *d = st->d + k * st->seen.width;
        ph_seen_derive(&st->seen, r->run, k, 0, d);
        ph_record_put(&r->record, st->seen.width, d);
    }
}
