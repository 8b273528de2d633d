/* polhode plot: a picture of columns of a table that exists, over its first column. */
#include "cli/options.h"
#include "io/csv.h"
#include "study/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PANELS_MAX 12   /* on one page */
#define SERIES_MAX 6    /* in one panel */
#define POINTS     4000 /* of a curve; more than there are dots across the paper */

/* Columns side by side whose names differ in what follows the last dot: "tip.1", "tip.2", "tip.3". */
typedef struct group {
    int first, n;
    char label[64];
} group;

typedef struct picture {
    ph_csv_data table;
    double *x; /* column by column, rows of them */
    int rows;
    int n_groups, hidden; /* hidden: groups that have no room on the page */
    group group[PANELS_MAX];
} picture;

/* Length of "tip" in "tip.1"; a name without a dot is whole. */
static size_t stem(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? (size_t)(dot - name) : strlen(name);
}

/* Whether the list has the name, or what stands before one of its dots. */
static int is_listed(const char *list, const char *name)
{
    for (size_t n; list; list = list[n] ? list + n + 1 : NULL) {
        n = strcspn(list, ",");
        if (!strncmp(list, name, n) && (name[n] == 0 || name[n] == '.'))
            return 1;
    }
    return 0;
}

static int belongs(const ph_csv_data *d, const group *g, int column)
{
    const char *own = d->names[g->first], *name = d->names[column];
    return g->first + g->n == column && g->n < SERIES_MAX && strchr(own, '.') && stem(own) == stem(name) &&
           !strncmp(own, name, stem(own)) && !strcmp(d->units[g->first], d->units[column]);
}

static void add_column(picture *p, int column)
{
    const char *name = p->table.names[column];
    group *last = p->n_groups ? &p->group[p->n_groups - 1] : NULL;
    if (last && belongs(&p->table, last, column)) {
        last->n++;
        snprintf(last->label, sizeof last->label, "%.*s", (int)stem(name), name);
    } else if (p->n_groups == PANELS_MAX) {
        p->hidden++;
    } else {
        group *g = &p->group[p->n_groups++];
        *g = (group){.first = column, .n = 1};
        snprintf(g->label, sizeof g->label, "%.63s", name);
    }
}

/* 1: each name of the list is that of a column. */
static int check_list(const ph_csv_data *d, const char *list)
{
    for (size_t n; list; list = list[n] ? list + n + 1 : NULL) {
        char name[128];
        int found = 0;
        n = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", (int)n, list);
        for (int k = 1; k < d->n_columns; k++)
            found |= is_listed(name, d->names[k]);
        if (!found)
            return ph_complain("--columns: the table has no column '%s'", name), 0;
    }
    return 1;
}

/* Columns as arrays, of at most POINTS rows. */
static int arrange(picture *p)
{
    const ph_csv_data *d = &p->table;
    long stride = (d->n_rows + POINTS - 1) / POINTS;
    p->x = malloc((size_t)(POINTS * (long)d->n_columns) * sizeof *p->x);
    for (long row = 0; p->x && row < d->n_rows; row += stride, p->rows++)
        for (int k = 0; k < d->n_columns; k++)
            p->x[(long)k * POINTS + p->rows] = d->x[row * d->n_columns + k];
    return p->x != NULL;
}

static void range_of(int n, const double *x, double *lo, double *hi)
{
    for (int k = 0; k < n; k++)
        if (isfinite(x[k]))
            *lo = fmin(*lo, x[k]), *hi = fmax(*hi, x[k]);
}

/* The corner of a panel with the fewest points in its third of the width and of the height. */
static ph_legend emptiest_corner(int n_series, const ph_series *s)
{
    static const ph_legend corners[] = {PH_LEGEND_BOTTOM_LEFT, PH_LEGEND_BOTTOM_RIGHT, PH_LEGEND_TOP_LEFT,
                                        PH_LEGEND_TOP_RIGHT};
    double x0 = HUGE_VAL, x1 = -HUGE_VAL, y0 = HUGE_VAL, y1 = -HUGE_VAL;
    int points[4] = {0}, best = 3;
    range_of(s->n, s->x, &x0, &x1);
    for (int i = 0; i < n_series; i++)
        range_of(s[i].n, s[i].y, &y0, &y1);
    for (int i = 0; i < n_series; i++)
        for (int k = 0; k < s[i].n; k++) {
            double x = (s[i].x[k] - x0) / (x1 - x0), y = (s[i].y[k] - y0) / (y1 - y0);
            if (fabs(x - 0.5) > 1.0 / 6 && fabs(y - 0.5) > 1.0 / 6)
                points[(x > 0.5) + 2 * (y > 0.5)]++;
        }
    for (int c = 0; c < 4; c++)
        best = points[c] < points[best] ? c : best;
    return corners[best];
}

static int draw(const picture *p, const char *title, const char *path)
{
    const ph_csv_data *d = &p->table;
    ph_panel panel[PANELS_MAX] = {0};
    ph_series series[PANELS_MAX][SERIES_MAX] = {0};
    ph_error err = {0};
    for (int i = 0; i < p->n_groups; i++) {
        const group *g = &p->group[i];
        for (int k = 0; k < g->n; k++) {
            const char *name = d->names[g->first + k];
            series[i][k] = (ph_series){.label = g->n > 1 ? name + stem(name) + 1 : NULL,
                                       .style = PH_LINES,
                                       .look = k + 1,
                                       .n = p->rows,
                                       .x = p->x,
                                       .y = p->x + (long)(g->first + k) * POINTS};
        }
        panel[i] = (ph_panel){.x = {.label = d->names[0], .unit = d->units[0]},
                              .y = {.label = g->label, .unit = d->units[g->first]},
                              .legend = g->n > 1 ? emptiest_corner(g->n, series[i]) : PH_LEGEND_NONE,
                              .n_series = g->n,
                              .series = series[i]};
    }
    ph_plot plot = {.title = title, .n_panels = p->n_groups, .panels = panel};
    if (!ph_plot_write(&plot, path, &err))
        return ph_complain("-o: %s", err.text);
    if (p->hidden)
        fprintf(stderr, "polhode: %d more columns have no room on the page: choose with --columns\n",
                p->hidden);
    return PH_EXIT_OK;
}

static int plot_table(picture *p, const ph_args *args)
{
    const char *columns = args->columns;
    if (p->table.n_columns < 2)
        return ph_complain("'%s' has one column, and nothing to draw over it", args->word[0]);
    if (!check_list(&p->table, columns))
        return PH_EXIT_USAGE;
    for (int k = 1; k < p->table.n_columns; k++)
        if (!columns || is_listed(columns, p->table.names[k]))
            add_column(p, k);
    if (!arrange(p))
        return ph_complain("not enough memory for '%s'", args->word[0]);
    const char *slash = strrchr(args->word[0], '/');
    return draw(p, slash ? slash + 1 : args->word[0], args->output);
}

int ph_cmd_plot(const ph_args *args)
{
    picture p = {0};
    char why[512];
    ph_error err = {0};
    if (!args->output)
        return ph_complain("plot needs -o FILE.svg or FILE.png");
    if (!ph_plot_ready(args->output, &err))
        return ph_complain("-o: %s", err.text);
    if (!ph_csv_read(&p.table, args->word[0], why, sizeof why))
        return ph_complain("%s", why);
    int code = plot_table(&p, args);
    free(p.x);
    ph_csv_clear(&p.table);
    return code;
}
