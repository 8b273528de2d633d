/* All cases of a sweep in one table, and its comments. */
#include "cli/sweep.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns that every sweep has, around those of what is varied and of sensors. */
static const ph_column first[] = {{"case", NULL, PH_WHOLE}, {"id", NULL, PH_WORDS}};
static const ph_column last[] = {{"status", NULL, PH_WORDS},
                                 {"t", "s", PH_SHORT},
                                 {"drift", "J", PH_REAL},
                                 {"violation.position", NULL, PH_REAL},
                                 {"violation.velocity", NULL, PH_REAL},
                                 {"steps", NULL, PH_WHOLE},
                                 {"iterations", NULL, PH_WHOLE}};
static const ph_column reason = {"reason", NULL, PH_WORDS};

#define N_FIRST ((int)(sizeof first / sizeof *first))
#define N_LAST  ((int)(sizeof last / sizeof *last))

const char *ph_sweep_unit(const ph_sweep_study *d, int quantity)
{
    const char *o = d->option[quantity];
    return o && (!strcmp(o, "--h") || !strcmp(o, "--t-end")) ? "s" : NULL;
}

/* A name that a column of every sweep has, as a whole or as the first of its parts. */
static int is_own(const char *name)
{
    static const char *const own[] = {"case",      "id",    "status",     "t",     "drift",
                                      "violation", "steps", "iterations", "reason"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!strcmp(own[i], name))
            return 1;
    return 0;
}

/* And what is varied. */
static int is_taken(const ph_sweep_study *d, const char *name)
{
    for (int i = 0; i < d->plan.n_vary; i++)
        if (!strcmp(d->plan.vary[i].name, name))
            return 1;
    return is_own(name);
}

void ph_sweep_value_name(const ph_sweep_study *d, int at, char name[PH_SWEEP_NAME], char unit[32])
{
    int i = 0;
    while (at >= ph_model_sensor_size(d->model, d->sensor[i]))
        at -= ph_model_sensor_size(d->model, d->sensor[i++]);
    const char *own = ph_model_name(d->model, PH_SENSORS, d->sensor[i]);
    int size = ph_model_sensor_size(d->model, d->sensor[i]);
    int n = snprintf(name, PH_SWEEP_NAME, "%s%.96s", is_taken(d, own) ? "sensor." : "", own);
    if (size > 1)
        snprintf(name + n, PH_SWEEP_NAME - (size_t)n, ".%d", at + 1);
    char text[PH_COLUMN_MAX];
    ph_channel c = {.unit = ph_model_sensor_unit(d->model, d->sensor[i]), .n = size};
    snprintf(unit, 32, "%s", ph_channel_unit(&c, at, text));
}

static int name_columns(const ph_sweep_study *d, ph_column *c, char (*text)[2][PH_SWEEP_NAME])
{
    int n = 0;
    for (int i = 0; i < N_FIRST; i++)
        c[n++] = first[i];
    for (int i = 0; i < d->plan.n_vary; i++) {
        const char *name = d->plan.vary[i].name;
        char *own = text[d->n_values + i][0];
        snprintf(own, PH_SWEEP_NAME, "%s%.96s", is_own(name) ? "param." : "", name);
        c[n++] = (ph_column){own, ph_sweep_unit(d, i), PH_SHORT};
    }
    c[n++] = last[0];
    for (int i = 0; i < d->n_values; i++) {
        ph_sweep_value_name(d, i, text[i][0], text[i][1]);
        c[n++] = (ph_column){text[i][0], text[i][1], PH_REAL};
    }
    for (int i = 1; i < N_LAST; i++)
        c[n++] = last[i];
    c[n++] = reason;
    return n;
}

static void add_row(const ph_sweep_study *d, ph_table *t, int k)
{
    const ph_sweep_row *row = ph_sweep_row_at(&d->rows, k);
    char id[32];
    ph_sweep_id(d, k, id);
    ph_table_number(t, k);
    ph_table_word(t, id);
    for (int i = 0; i < d->plan.n_vary; i++)
        ph_table_number(t, ph_plan_value(&d->plan, i, k));
    ph_table_word(t, ph_sweep_status_word(row->status));
    for (int i = 0; i < d->n_values; i++)
        ph_table_number(t, row->value[i]);
    ph_table_number(t, row->t);
    ph_table_number(t, row->drift);
    ph_table_number(t, row->position);
    ph_table_number(t, row->velocity);
    ph_table_number(t, (double)row->steps);
    ph_table_number(t, (double)row->iterations);
    ph_table_word(t, row->reason);
}

ph_table *ph_sweep_table(const ph_sweep_study *d)
{
    int room = N_FIRST + d->plan.n_vary + N_LAST + d->n_values + 1;
    ph_column *c = calloc((size_t)room, sizeof *c);
    char(*text)[2][PH_SWEEP_NAME] = calloc((size_t)(d->n_values + d->plan.n_vary), sizeof *text);
    ph_table *t = c && text ? ph_table_create(name_columns(d, c, text), c) : NULL;
    free(c), free(text);
    for (int k = 0; k < d->plan.n; k++)
        add_row(d, t, k);
    return t;
}

/* ---- the file ---------------------------------------------------------------------------------------- */

static void append(char line[PH_SWEEP_LINE], const char *format, ...)
{
    size_t n = strlen(line);
    va_list list;
    va_start(list, format);
    vsnprintf(line + n, PH_SWEEP_LINE - n, format, list);
    va_end(list);
}

static void list_words(char line[PH_SWEEP_LINE], const char *title, const ph_settings *words)
{
    snprintf(line, PH_SWEEP_LINE, "%s", title);
    for (int i = 0; i < words->n; i++)
        append(line, " %s", words->text[i]);
}

/* All that is the same in every case. */
void ph_sweep_settings(const ph_sweep_study *d, char line[PH_SWEEP_LINE])
{
    const ph_args *a = &d->merged;
    ph_report_options(&a->opt, line, PH_SWEEP_LINE);
    if (a->opt.h > 0)
        append(line, ", h = %.9g", a->opt.h);
    if (a->t_end > 0)
        append(line, ", t_end = %.9g", a->t_end);
    if (a->size)
        append(line, ", size %d", a->size);
    if (a->space >= 0)
        append(line, ", space %s", ph_space_word(a->space));
}

int ph_sweep_write(const ph_sweep_study *d, const ph_table *t)
{
    char text[7][PH_SWEEP_LINE], parameters[PH_SWEEP_LINE - 32], settings[PH_SWEEP_LINE];
    const char *lines[7];
    ph_target target = {.model = d->model};
    int n = 0;
    snprintf(text[n++], PH_SWEEP_LINE, "polhode %s, model %.128s", ph_version(),
             d->model ? ph_model_title(d->model) : d->args->word[0]);
    snprintf(text[n++], PH_SWEEP_LINE, "sweep %016" PRIx64 ", %d %s", d->key, d->plan.n,
             ph_plural(d->plan.n, "case", "cases"));
    list_words(text[n++], "vary", &d->args->vary);
    if (d->plan.samples)
        snprintf(text[n++], PH_SWEEP_LINE, "Latin hypercube, seed %d", d->args->seed);
    ph_sweep_settings(d, settings);
    snprintf(text[n++], PH_SWEEP_LINE, "settings, unless varied: %.480s", settings);
    ph_target_parameters(&target, parameters, sizeof parameters);
    if (parameters[0])
        snprintf(text[n++], PH_SWEEP_LINE, "parameters, unless varied: %s",
                 parameters + strlen("parameters "));
    for (int i = 0; i < n; i++)
        lines[i] = text[i];
    return ph_table_write(t, d->args->output, n, lines);
}
