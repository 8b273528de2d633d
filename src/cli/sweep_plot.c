/* What is drawn of a sweep: a panel for each number of a sensor.
 *
 *   few combinations of the other quantities   a line for each of them over the first quantity
 *   two quantities of many values              a map of colours
 *   otherwise, and of samples                  points over each quantity */
#include "cli/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES_MAX  8  /* more cannot be told apart */
#define PANELS_MAX 12 /* on one page */

/* Memory of one plot, and how much of it is used. */
typedef struct canvas {
    const ph_sweep_study *d;
    ph_panel panel[PANELS_MAX];
    int n_panels;
    ph_series *series; /* LINES_MAX for each panel */
    double *number;    /* 2 n + n_x + n_y for each panel */
    char (*label)[96]; /* LINES_MAX + 2 for each panel */
} canvas;

static int n_numbers(const ph_sweep_study *d)
{
    return d->n_values ? d->n_values : 1; /* without sensors the drift of the energy */
}

static double number_of(const ph_sweep_study *d, int at, int k)
{
    const ph_sweep_row *row = ph_sweep_row_at(&d->rows, k);
    return row->status != PH_OK ? NAN : d->n_values ? row->value[at] : row->drift;
}

static int n_others(const ph_sweep_study *d)
{
    return d->plan.n / d->plan.vary[0].n;
}

static ph_axis axis_of(const ph_sweep_study *d, int quantity)
{
    const ph_vary *v = &d->plan.vary[quantity];
    return (ph_axis){.label = v->name, .unit = ph_sweep_unit(d, quantity), .log = v->log};
}

static double *numbers_of(canvas *c, int panel)
{
    return c->number + (size_t)panel * 4 * (size_t)c->d->plan.n;
}

/* "rho = 0.9, k = 3" of all but the first quantity */
static void print_others(const ph_sweep_study *d, int k, char *text, size_t size)
{
    text[0] = 0;
    for (int i = 1; i < d->plan.n_vary; i++) {
        size_t n = strlen(text);
        snprintf(text + n, size - n, "%s%s = %.6g", n ? ", " : "", d->plan.vary[i].name,
                 ph_plan_value(&d->plan, i, k));
    }
}

static ph_panel *begin_panel(canvas *c, int at, ph_axis *value)
{
    int p = c->n_panels++;
    char(*label)[96] = c->label + (size_t)p * (LINES_MAX + 2), name[PH_SWEEP_NAME] = "energy drift",
    unit[32] = "J";
    if (c->d->n_values)
        ph_sweep_value_name(c->d, at, name, unit);
    snprintf(label[0], sizeof *label, "%.95s", name);
    snprintf(label[1], sizeof *label, "%s", unit);
    *value = (ph_axis){.label = label[0], .unit = label[1]};
    c->panel[p] = (ph_panel){.series = c->series + (size_t)p * LINES_MAX};
    return &c->panel[p];
}

/* Points of a line by ascending abscissa, in whatever order the values were given. */
static void sort_points(int n, double *x, double *y)
{
    for (int i = 1; i < n; i++) {
        double a = x[i], b = y[i];
        int j = i;
        for (; j > 0 && x[j - 1] > a; j--)
            x[j] = x[j - 1], y[j] = y[j - 1];
        x[j] = a, y[j] = b;
    }
}

static void draw_lines(canvas *c, int at)
{
    const ph_sweep_study *d = c->d;
    int p = c->n_panels, others = n_others(d), n = d->plan.vary[0].n;
    ph_axis value;
    ph_panel *panel = begin_panel(c, at, &value);
    double *x = numbers_of(c, p), *y = x + d->plan.n;
    panel->x = axis_of(d, 0), panel->y = value;
    panel->n_series = others;
    panel->legend = others > 1 ? PH_LEGEND_BELOW : PH_LEGEND_NONE;
    for (int j = 0; j < others; j++, x += n, y += n) {
        char *label = c->label[(size_t)p * (LINES_MAX + 2) + 2 + (size_t)j];
        print_others(d, j, label, sizeof *c->label);
        for (int i = 0; i < n; i++) {
            x[i] = ph_plan_value(&d->plan, 0, i * others + j);
            y[i] = number_of(d, at, i * others + j);
        }
        sort_points(n, x, y);
        c->series[(size_t)p * LINES_MAX + (size_t)j] =
            (ph_series){.label = others > 1 ? label : NULL, .n = n, .x = x, .y = y};
    }
}

/* Places of values in ascending order. */
static void sort(int n, const double *value, double *sorted, double *place)
{
    for (int i = 0; i < n; i++) {
        int j = i;
        for (; j > 0 && sorted[j - 1] > value[i]; j--)
            sorted[j] = sorted[j - 1], place[j] = place[j - 1];
        sorted[j] = value[i], place[j] = i;
    }
}

static void draw_map(canvas *c, int at)
{
    const ph_sweep_study *d = c->d;
    const ph_vary *a = &d->plan.vary[0], *b = &d->plan.vary[1];
    ph_axis value;
    double *z = numbers_of(c, c->n_panels), *x = z + d->plan.n, *y = x + a->n, *at_x = y + b->n,
           *at_y = at_x + a->n;
    ph_panel *panel = begin_panel(c, at, &value);
    sort(a->n, a->value, x, at_x), sort(b->n, b->value, y, at_y);
    for (int j = 0; j < b->n; j++)
        for (int i = 0; i < a->n; i++)
            z[j * a->n + i] = number_of(d, at, (int)at_x[i] * b->n + (int)at_y[j]);
    panel->x = axis_of(d, 0), panel->y = axis_of(d, 1);
    panel->legend = PH_LEGEND_NONE;
    panel->heat = (ph_heat){.nx = a->n, .ny = b->n, .x = x, .y = y, .z = z, .scale = value};
}

static void draw_points(canvas *c, int at, int quantity)
{
    const ph_sweep_study *d = c->d;
    int p = c->n_panels;
    ph_axis value;
    ph_panel *panel = begin_panel(c, at, &value);
    double *x = numbers_of(c, p), *y = x + d->plan.n;
    for (int k = 0; k < d->plan.n; k++) {
        x[k] = ph_plan_value(&d->plan, quantity, k);
        y[k] = number_of(d, at, k);
    }
    panel->x = axis_of(d, quantity), panel->y = value;
    panel->legend = PH_LEGEND_NONE;
    panel->n_series = 1;
    c->series[(size_t)p * LINES_MAX] =
        (ph_series){.style = PH_POINTS, .look = 1, .n = d->plan.n, .x = x, .y = y};
}

static int is_lines(const ph_sweep_study *d)
{
    return !d->plan.samples && n_others(d) <= LINES_MAX;
}

static int is_points(const ph_sweep_study *d)
{
    const ph_plan *p = &d->plan;
    return p->samples || (!is_lines(d) && !(p->n_vary == 2 && p->vary[0].n > 1));
}

static void draw(canvas *c)
{
    const ph_plan *p = &c->d->plan;
    int lines = is_lines(c->d), points = is_points(c->d);
    for (int at = 0; at < n_numbers(c->d) && c->n_panels < PANELS_MAX; at++) {
        if (lines)
            draw_lines(c, at);
        else if (!points)
            draw_map(c, at);
        for (int i = 0; points && i < p->n_vary && c->n_panels < PANELS_MAX; i++)
            draw_points(c, at, i);
    }
}

int ph_sweep_plot(const ph_sweep_study *d, ph_error *err)
{
    canvas c = {.d = d};
    c.series = calloc((size_t)PANELS_MAX * LINES_MAX, sizeof *c.series);
    c.number = calloc((size_t)PANELS_MAX * 4 * (size_t)d->plan.n + 8, sizeof *c.number);
    c.label = calloc((size_t)PANELS_MAX * (LINES_MAX + 2), sizeof *c.label);
    int ok = c.series && c.number && c.label;
    if (ok) {
        draw(&c);
        int all = n_numbers(d) * (is_points(d) ? d->plan.n_vary : 1);
        if (all > c.n_panels)
            ph_note("the picture shows the first %d of %d panels: --sensor chooses others", c.n_panels, all);
        ph_plot plot = {.title = d->model ? ph_model_title(d->model) : d->args->word[0],
                        .n_panels = c.n_panels,
                        .panels = c.panel};
        if (is_points(d)) /* a row for each number */
            plot.columns = d->plan.n_vary < 4 ? d->plan.n_vary : 4;
        ok = ph_plot_write(&plot, d->args->plot, err);
    } else {
        snprintf(err->text, sizeof err->text, "not enough memory for the plot");
    }
    free(c.series), free(c.number), free(c.label);
    return ok;
}
