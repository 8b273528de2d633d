/* polhode stability --oscillator: spectral radius, numerical damping and period error over h/T. */
#include "cli/stability.h"
#include "study/stability.h"

#include <math.h>
#include <stdlib.h>

static const ph_column columns[] = {{"method", NULL, PH_WORDS}, {"rho", NULL, PH_SHORT},
                                    {"h/T", NULL, PH_SHORT},    {"radius", NULL, PH_SHORT},
                                    {"damping", NULL, PH_REAL}, {"period_error", NULL, PH_REAL}};

typedef struct outcome {
    ph_status status;
    ph_oscillation o;
    ph_error err;
} outcome;

typedef struct study {
    const ph_args *args;
    const ph_numbers *ht;
    int series;
    outcome *cell; /* series x ht */
} study;

static void run_case(int k, void *result, void *ctx)
{
    const study *s = ctx;
    outcome *o = result;
    ph_options opt = ph_series_options(s->args, k / s->ht->n);
    double z = 2 * acos(-1) * s->ht->x[k % s->ht->n];
    o->status = ph_oscillator_measure(&o->o, &opt, z, s->args->zeta, &o->err);
}

static void lose(int k, const char *why, void *result, void *ctx)
{
    outcome *o = result;
    (void)k, (void)ctx;
    o->status = PH_E_STEP, o->o = (ph_oscillation){NAN, NAN, NAN};
    snprintf(o->err.text, sizeof o->err.text, "a case was lost: its process was %s", why);
}

/* Input that no step can take ends the study; a step that fails leaves its row empty. */
static int check(const study *s, ph_delivery *d)
{
    for (int k = 0; k < s->series * s->ht->n; k++) {
        const outcome *o = &s->cell[k];
        if (o->status != PH_OK && ph_status_exit(o->status) == PH_EXIT_USAGE)
            return ph_complain("%s", o->err.text[0] ? o->err.text : "not enough memory for the study");
        if (o->status != PH_OK && !d->n_lines)
            ph_delivery_line(d, "h/T = %g: %s", s->ht->x[k % s->ht->n], o->err.text);
    }
    return PH_EXIT_OK;
}

static void fill(const study *s, ph_delivery *d)
{
    char method[128];
    ph_options first = ph_series_options(s->args, 0);
    int reads_rho = (ph_method_reads(first.method) & PH_READS_ALPHA) != 0;
    snprintf(d->title, sizeof d->title, "linear oscillator, T = 2 pi sqrt(m/k): %s", first.method);
    snprintf(d->settings, sizeof d->settings, "damping ratio %g; eigenvalues of the step", s->args->zeta);
    for (int k = 0; k < s->series * s->ht->n; k++) {
        const ph_oscillation *o = &s->cell[k].o;
        ph_options opt = ph_series_options(s->args, k / s->ht->n);
        if (reads_rho)
            snprintf(method, sizeof method, "%s", opt.method);
        else
            ph_method_describe(&opt, 0, method, sizeof method);
        ph_table_word(d->table, method), ph_table_number(d->table, reads_rho ? opt.rho : NAN);
        ph_table_number(d->table, s->ht->x[k % s->ht->n]), ph_table_number(d->table, o->radius);
        ph_table_number(d->table, o->damping), ph_table_number(d->table, o->period);
    }
}

static int draw(const study *s, const ph_delivery *d)
{
    static const char *const titles[] = {"spectral radius", "numerical damping ratio",
                                         "relative period error"};
    int n = s->ht->n;
    double *y = calloc(3 * (size_t)(n * s->series), sizeof *y);
    ph_series *all = calloc(3 * (size_t)s->series, sizeof *all);
    char(*label)[128] = calloc((size_t)s->series, sizeof *label);
    ph_panel panel[3];
    int code = PH_EXIT_USAGE;
    for (int p = 0; p < 3 && y && all && label; p++) {
        for (int k = 0; k < s->series; k++) {
            double *at = y + (p * s->series + k) * n;
            for (int i = 0; i < n; i++) {
                const ph_oscillation *o = &s->cell[k * n + i].o;
                at[i] = p == 0 ? o->radius : p == 1 ? o->damping : o->period;
                if (p > 0 && s->ht->x[i] > 0.5) /* beyond two steps in a period they say nothing */
                    at[i] = NAN;
            }
            ph_series_label(s->args, k, label[k], sizeof label[k]);
            all[p * s->series + k] = (ph_series){.label = p ? NULL : label[k],
                                                 .style = PH_LINES,
                                                 .look = k + 1,
                                                 .n = n,
                                                 .x = s->ht->x,
                                                 .y = at};
        }
        panel[p] = (ph_panel){.x = {.label = "h/T", .log = !p, .max = p ? 0.5 : 0},
                              .y = {.label = titles[p]},
                              .n_series = s->series,
                              .series = all + p * s->series,
                              .legend = p ? PH_LEGEND_NONE : PH_LEGEND_BOTTOM_LEFT};
    }
    const ph_plot plot = {.title = d->title, .n_panels = 3, .panels = panel};
    if (y && all && label)
        code = ph_deliver(d, s->args, &plot);
    else
        ph_complain("not enough memory for the picture");
    free(y), free(all), free(label);
    return code;
}

int ph_stability_oscillator(const ph_args *given)
{
    ph_args args = *given;
    ph_numbers_default(&args.list.ht, 0.01, 100, 33, 1);
    if (ph_method_reads(args.opt.method) & PH_READS_ALPHA)
        ph_numbers_default(&args.list.rho, 0, 1, 6, 0);
    if (args.list.sigma.n)
        return ph_complain("--sigma: the oscillator moves in R^1, which has no curvature for it to see");
    study s = {.args = &args, .ht = &args.list.ht, .series = ph_series_count(&args)};
    int n = s.series * s.ht->n, code;
    ph_delivery d = {.table = ph_table_create(6, columns)};
    s.cell = calloc((size_t)n, sizeof *s.cell);
    if (!s.cell)
        code = ph_complain("not enough memory for the study");
    else
        code = ph_stability_pool(&args, "stability", n, sizeof *s.cell, run_case, lose, &s, s.cell);
    if (!code)
        code = check(&s, &d);
    if (!code) {
        fill(&s, &d);
        code = draw(&s, &d);
    }
    ph_delivery_end(&d);
    free(s.cell);
    return code;
}
