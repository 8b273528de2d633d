/* What optimise has found: words, JSON, the table of all evaluations, a picture of them. */
#include "cli/deliver.h"
#include "cli/optimise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table -------------------------------------------------------------------------------------------- */

static ph_table *table_of(const ph_design *d)
{
    ph_column column[PH_DESIGN_MAX + 3] = {{"evaluation", NULL, PH_WHOLE}};
    for (int k = 0; k < d->n; k++)
        column[k + 1] = (ph_column){d->name[k], NULL, PH_SHORT};
    column[d->n + 1] = (ph_column){d->args->minimise, NULL, PH_SHORT};
    column[d->n + 2] = (ph_column){"gradient", NULL, PH_REAL};
    ph_table *table = ph_table_create(d->n + 3, column);
    for (int i = 0; i < d->n_evaluations; i++) {
        ph_table_number(table, i + 1);
        for (int k = 0; k < d->n; k++)
            ph_table_number(table, d->evaluation[i].x[k]);
        ph_table_number(table, d->evaluation[i].value);
        ph_table_number(table, ph_design_steepness(d, &d->evaluation[i]));
    }
    return table;
}

#define SAME 1e-9 /* of the range */

static int at_bound(const ph_design *d, int k, double x)
{
    return fmin(fabs(x - d->lower[k]), fabs(x - d->upper[k])) <= SAME * (d->upper[k] - d->lower[k]);
}

static const ph_evaluation *evaluation_at(const ph_design *d, const double *best)
{
    for (int i = 0; i < d->n_evaluations; i++)
        if (!memcmp(d->evaluation[i].x, best, (size_t)d->n * sizeof *best))
            return &d->evaluation[i];
    return &d->evaluation[0];
}

/* ---- words and JSON --------------------------------------------------------------------------------------- */

static void print_text(const ph_design *d, const ph_table *table, const double *best, double value,
                       const char *why)
{
    printf("%s\n\n", d->title);
    ph_table_print(table, stdout);
    printf("\n%s after %d %s", why, d->n_evaluations,
           ph_plural(d->n_evaluations, "evaluation", "evaluations"));
    printf(" and %d %s", d->runs, ph_plural(d->runs, "run", "runs"));
    printf("\n  %s = %.12g, at first %.12g\n", d->args->minimise, value, d->evaluation[0].value);
    for (int k = 0; k < d->n; k++)
        printf("  %s = %.12g%s\n", d->name[k], best[k], at_bound(d, k, best[k]) ? " (at its bound)" : "");
}

static void add_point(ph_json *j, const ph_design *d, const char *name, const double *x)
{
    cJSON *o = ph_json_object(j, j->root, name);
    for (int k = 0; k < d->n; k++)
        ph_json_number(j, o, d->name[k], x[k]);
}

static int print_json(const ph_design *d, const ph_table *table, const double *best, double value,
                      const char *why)
{
    ph_json j = ph_json_create();
    const ph_evaluation *t = evaluation_at(d, best);
    ph_json_text(&j, j.root, "study", d->title);
    ph_json_text(&j, j.root, "objective", d->args->minimise);
    ph_json_text(&j, j.root, "reason", why);
    ph_json_count(&j, j.root, "evaluations", d->n_evaluations);
    ph_json_count(&j, j.root, "runs", d->runs);
    ph_json_number(&j, j.root, "value", value);
    ph_json_number(&j, j.root, "first", d->evaluation[0].value);
    add_point(&j, d, "start", d->evaluation[0].x);
    add_point(&j, d, "optimum", best);
    add_point(&j, d, "gradient", t->gradient);
    ph_table_json(table, &j, ph_json_array(&j, j.root, "rows"), 0, ph_table_rows(table));
    return ph_answer(&j);
}

/* ---- the picture ------------------------------------------------------------------------------------------ */

#define PANELS_MAX 9

/* The objective, the gradient, and the first parameters over the evaluations. */
static int draw(const ph_design *d)
{
    int n = d->n_evaluations, panels = d->n + 2 < PANELS_MAX ? d->n + 2 : PANELS_MAX, positive = 1;
    ph_panel panel[PANELS_MAX] = {{0}};
    ph_series series[PANELS_MAX] = {{0}};
    ph_error err;
    double *x = calloc((size_t)(n * (panels + 1)), sizeof *x);
    if (!x)
        return ph_complain("not enough memory for the picture");
    for (int i = 0; i < n; i++) {
        const ph_evaluation *t = &d->evaluation[i];
        x[i] = i + 1, x[n + i] = t->value, x[2 * n + i] = ph_design_steepness(d, t);
        positive = positive && t->value > 0;
        for (int k = 0; k + 2 < panels; k++)
            x[(k + 3) * n + i] = t->x[k];
    }
    for (int k = 0; k < panels; k++) {
        series[k] = (ph_series){.n = n, .x = x, .y = x + (k + 1) * n};
        panel[k] = (ph_panel){.x = {.label = "evaluation"},
                              .y = {.label = k == 0   ? d->args->minimise
                                             : k == 1 ? "|gradient|"
                                                      : d->name[k - 2],
                                    .log = k == 0 ? positive : k == 1},
                              .legend = PH_LEGEND_NONE,
                              .n_series = 1,
                              .series = &series[k]};
    }
    ph_plot plot = {.title = d->title, .n_panels = panels, .panels = panel};
    int ok = ph_plot_write(&plot, d->args->plot, &err);
    free(x);
    return ok ? PH_EXIT_OK : ph_complain("%s", err.text);
}

/* ---- all -------------------------------------------------------------------------------------------------- */

int ph_design_deliver(const ph_design *d, const double *best, double value, const char *why)
{
    const ph_args *args = d->args;
    const char *comment[] = {"polhode " PH_VERSION, d->title, why};
    ph_table *table = table_of(d);
    int code = PH_EXIT_OK;
    if (!ph_table_ok(table)) {
        ph_table_destroy(table);
        return ph_complain("not enough memory for the table");
    }
    if (args->output && !ph_table_write(table, args->output, 3, comment))
        code = ph_complain_write(args->output);
    if (code == PH_EXIT_OK && args->plot)
        code = draw(d);
    if (code == PH_EXIT_OK && args->json && !print_json(d, table, best, value, why))
        code = ph_complain("not enough memory for the report");
    else if (code == PH_EXIT_OK && !args->json && !args->quiet)
        print_text(d, table, best, value, why);
    ph_table_destroy(table);
    return code;
}
