/* polhode stability --oscillator: spectral radius, numerical damping and period error over h/T. */
#include "cli/stability_show.h"
#include "study/stability.h"

#include <math.h>
#include <stdlib.h>

#define RADIUS_MAX 1.2 /* of the picture */

static const ph_column columns[] = {{"method", NULL, PH_WORDS}, {"rho", NULL, PH_SHORT},
                                    {"h/T", NULL, PH_SHORT},    {"radius", NULL, PH_SHORT},
                                    {"damping", NULL, PH_REAL}, {"period_error", NULL, PH_REAL}};

typedef struct cell {
    ph_outcome outcome;
    ph_oscillation o;
} cell;

typedef struct study {
    const ph_args *args;
    int n_variants;
    ph_variant *variant;
    cell *cell; /* variants x ht */
} study;

static void run_case(int k, void *result, void *ctx)
{
    const study *s = ctx;
    cell *c = result;
    const ph_options *opt = &s->variant[k / s->args->ht.n].opt;
    double z = 2 * acos(-1) * s->args->ht.x[k % s->args->ht.n];
    c->outcome.status = ph_oscillator_measure(&c->o, opt, z, s->args->zeta.x[0], &c->outcome.err);
}

static void fill(const study *s, ph_delivery *d)
{
    const ph_numbers *ht = &s->args->ht;
    char method[128];
    snprintf(d->title, sizeof d->title, "linear oscillator, T = 2 pi sqrt(m/k)");
    snprintf(d->settings, sizeof d->settings, "damping ratio %g; eigenvalues of the step",
             s->args->zeta.x[0]);
    for (int k = 0; k < s->n_variants * ht->n; k++) {
        const ph_options *o = &s->variant[k / ht->n].opt;
        const cell *c = &s->cell[k];
        int has_rho = (ph_method_reads(o->method) & PH_READS_ALPHA) != 0, ok = c->outcome.status == PH_OK;
        if (has_rho)
            snprintf(method, sizeof method, "%s", o->method);
        else
            ph_method_describe(o, 0, method, sizeof method);
        ph_table_word(d->table, method), ph_table_number(d->table, has_rho ? o->rho : NAN);
        ph_table_number(d->table, ht->x[k % ht->n]), ph_table_number(d->table, ok ? c->o.radius : NAN);
        ph_table_number(d->table, ok ? c->o.damping : NAN), ph_table_number(d->table, ok ? c->o.period : NAN);
        if (!ok && !d->n_lines)
            ph_delivery_line(d, "h/T = %g: %s", ht->x[k % ht->n], c->outcome.err.text);
    }
}

/* Numbers of panel p for variant k. Beyond two steps in a period damping and period say nothing. */
static void collect(const study *s, int p, int k, double *y)
{
    const ph_numbers *ht = &s->args->ht;
    for (int i = 0; i < ht->n; i++) {
        const cell *c = &s->cell[k * ht->n + i];
        y[i] = p == 0 ? c->o.radius : p == 1 ? c->o.damping : c->o.period;
        if (c->outcome.status != PH_OK || (p > 0 && ht->x[i] > 0.5))
            y[i] = NAN;
    }
}

static const char *const names[] = {"spectral radius", "numerical damping ratio", "relative period error"};

/* y: 3 panels x variants x ht */
static int draw_curves(const study *s, const ph_delivery *d, const double *y, ph_series *all)
{
    int n = s->args->ht.n, m = s->n_variants;
    const ph_plot_marker one = {.at = 1};
    ph_panel panel[3];
    for (int p = 0; p < 3; p++) {
        for (int k = 0; k < m; k++) {
            all[p * m + k] = (ph_series){.label = s->variant[k].label, .style = PH_LINES};
            all[p * m + k].look = k + 1, all[p * m + k].n = n;
            all[p * m + k].x = s->args->ht.x, all[p * m + k].y = y + (p * m + k) * n;
        }
        panel[p] = (ph_panel){.x = {.label = "h/T", .log = !p, .max = p ? 0.5 : 0}, .y = {.label = names[p]}};
        panel[p].legend = PH_LEGEND_BELOW;
        if (p == 0) /* what grows leaves the picture */
            panel[p].y.max = RADIUS_MAX, panel[p].n_markers = 1, panel[p].markers = &one;
        panel[p].n_series = m, panel[p].series = all + p * m;
    }
    const ph_plot plot = {.title = d->title, .n_panels = 3, .panels = panel};
    return ph_deliver(d, s->args, &plot);
}

/* Spectral radius and damping over h/T and rho, the latter as far as damping says something. */
static int draw_maps(const study *s, const ph_delivery *d, const double *y, int maps)
{
    const ph_numbers *ht = &s->args->ht;
    ph_maps all;
    int open = ph_maps_open(&all, s->args, maps, 2, s->variant, ht);
    for (int k = 0; k < 2 * maps && open; k++) {
        int p = k % 2, first = k / 2 * s->args->list.rho.n;
        ph_panel *panel = &all.panel[k];
        panel->x = (ph_axis){.label = "h/T", .log = 1};
        panel->heat.z = y + (p * s->n_variants + first) * ht->n;
        panel->heat.scale = (ph_axis){.label = names[p]};
        if (p == 0)
            panel->heat.scale.max = 1;
        for (int i = 1; p && i < ht->n; i++) /* to the edge of the last cell with a number */
            if (ht->x[i - 1] <= 0.5 && ht->x[i] > 0.5)
                panel->x.min = ht->x[0] * sqrt(ht->x[0] / ht->x[1]),
                panel->x.max = sqrt(ht->x[i - 1] * ht->x[i]);
    }
    return ph_maps_deliver(&all, d, s->args, 2);
}

static int draw(const study *s, const ph_delivery *d)
{
    int n = s->args->ht.n, m = s->n_variants, maps = n > 1 ? ph_stability_maps(s->args, m, s->variant) : 0,
        code;
    double *y = calloc(3 * (size_t)(n * m), sizeof *y);
    ph_series *all = calloc(3 * (size_t)m, sizeof *all);
    for (int k = 0; k < 3 * m && y; k++)
        collect(s, k / m, k % m, y + k * n);
    if (y && all)
        code = maps ? draw_maps(s, d, y, maps) : draw_curves(s, d, y, all);
    else
        code = ph_complain("not enough memory for the picture");
    free(y), free(all);
    return code;
}

static int has_alpha(const ph_args *args)
{
    const ph_names *list = &args->list.method;
    for (int k = 0; k < list->n; k++)
        if (ph_method_reads(list->text[k]) & PH_READS_ALPHA)
            return 1;
    return !list->n;
}

int ph_stability_oscillator(ph_args *args)
{
    int code = PH_EXIT_USAGE;
    ph_numbers_default(&args->ht, 0.01, 100, 33, 1);
    if (has_alpha(args))
        ph_numbers_default(&args->list.rho, 0, 1, 6, 0);
    ph_numbers_default(&args->zeta, 0, 0, 1, 0);
    study s = {.args = args};
    s.variant = ph_stability_variants(args, &s.n_variants);
    int n = s.n_variants * args->ht.n;
    if (s.variant)
        s.cell = ph_stability_run(args, "stability", n, sizeof *s.cell, run_case, &s, &code);
    if (s.cell)
        code = ph_stability_check(n, sizeof *s.cell, s.cell);
    if (s.cell && !code) {
        ph_delivery d = {.table = ph_table_create(6, columns)};
        fill(&s, &d);
        code = draw(&s, &d);
        ph_delivery_end(&d);
    }
    free(s.variant), free(s.cell);
    return code;
}
