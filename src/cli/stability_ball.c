/* polhode stability: the ball with a torsional spring over z = h sqrt(k/m), for one or several amplitudes. */
#include "cli/stability.h"
#include "study/stability.h"

#include <math.h>
#include <stdlib.h>

#define STEPS 10000 /* a run that doubles its energy in them grows by 3.5e-5 per step */
#define WIDTH 1e-6  /* of the bisection */

static const ph_column columns[] = {
    {"method", NULL, PH_WORDS},  {"amplitude", "rad", PH_SHORT}, {"z", NULL, PH_SHORT},
    {"verdict", NULL, PH_WORDS}, {"step", NULL, PH_WHOLE},       {"energy", NULL, PH_REAL},
    {"growth", NULL, PH_SHORT},  {"radius", NULL, PH_SHORT},     {"distance", NULL, PH_REAL}};
static const ph_column limits[] = {
    {"method", NULL, PH_WORDS}, {"amplitude", "rad", PH_SHORT}, {"z", NULL, PH_SHORT}};

typedef struct cell {
    ph_outcome outcome;
    ph_ball_result r;
} cell;

typedef struct bound {
    ph_outcome outcome;
    double z; /* INFINITY: bounded for all z of the list */
} bound;

/* A row is a variant of the methods with one amplitude. */
typedef struct study {
    const ph_args *args;
    const ph_numbers *z, *amplitude;
    int n_variants, rows;
    ph_variant *variant;
    cell *cell;   /* rows x z */
    bound *limit; /* rows */
} study;

static const ph_options *method_of(const study *s, int row)
{
    return &s->variant[row / s->amplitude->n].opt;
}

static double amplitude_of(const study *s, int row)
{
    return s->amplitude->x[row % s->amplitude->n];
}

static ph_ball_case case_of(const study *s, int row)
{
    return (ph_ball_case){.zeta = s->args->zeta,
                          .amplitude = amplitude_of(s, row),
                          .angle = s->args->angle * acos(-1) / 180,
                          .steps = s->args->steps ? s->args->steps : STEPS};
}

static void run_case(int k, void *result, void *ctx)
{
    const study *s = ctx;
    cell *c = result;
    ph_ball_case at = case_of(s, k / s->z->n);
    at.z = s->z->x[k % s->z->n];
    c->outcome.status = ph_ball_run(&c->r, method_of(s, k / s->z->n), &at, &c->outcome.err);
}

/* Between the first z that is not bounded and the one before it, or 0. */
static void find_limit(int row, void *result, void *ctx)
{
    const study *s = ctx;
    bound *b = result;
    const cell *c = s->cell + row * s->z->n;
    ph_ball_case at = case_of(s, row);
    int j = 0;
    while (j < s->z->n && c[j].outcome.status == PH_OK && c[j].r.verdict == PH_V_BOUNDED)
        j++;
    b->z = INFINITY;
    if (j < s->z->n)
        b->outcome.status = ph_ball_limit(&b->z, method_of(s, row), &at, j ? s->z->x[j - 1] : 0, s->z->x[j],
                                          WIDTH, &b->outcome.err);
}

/* ---- the table --------------------------------------------------------------------------------------- */

static void fill_limits(const study *s, ph_delivery *d)
{
    char method[128];
    for (int k = 0; k < s->rows; k++) {
        double z = s->limit[k].z, a = amplitude_of(s, k);
        ph_method_describe(method_of(s, k), 0, method, sizeof method);
        ph_table_word(d->summary, method), ph_table_number(d->summary, a);
        ph_table_number(d->summary, isfinite(z) ? z : NAN);
        if (isfinite(z))
            ph_delivery_line(d, "%s, amplitude %g rad: bounded up to z* = %.6f", method, a, z);
        else
            ph_delivery_line(d, "%s, amplitude %g rad: bounded for all z of the list", method, a);
    }
}

static void fill(const study *s, ph_delivery *d)
{
    char method[128];
    const cell *failed = NULL;
    snprintf(d->title, sizeof d->title, "ball with torsional spring, z = h sqrt(k/m)");
    snprintf(d->settings, sizeof d->settings,
             "damping ratio %g, omega at %g degrees to the axis of rotation, at most %ld steps",
             s->args->zeta, s->args->angle, case_of(s, 0).steps);
    for (int k = 0; k < s->rows * s->z->n; k++) {
        const ph_ball_result *r = &s->cell[k].r;
        int row = k / s->z->n;
        ph_method_describe(method_of(s, row), 0, method, sizeof method);
        ph_table_word(d->table, method), ph_table_number(d->table, amplitude_of(s, row));
        ph_table_number(d->table, s->z->x[k % s->z->n]);
        ph_table_word(d->table, ph_verdict_word((int)r->verdict)), ph_table_number(d->table, (double)r->at);
        ph_table_number(d->table, r->energy), ph_table_number(d->table, r->growth);
        ph_table_number(d->table, r->radius), ph_table_number(d->table, r->distance);
        if (!failed && r->verdict == PH_V_FAILED)
            failed = &s->cell[k];
    }
    fill_limits(s, d);
    if (failed)
        ph_delivery_line(d, "step %ld of the first run that failed: %s", failed->r.at, failed->r.why);
}

/* ---- the picture ------------------------------------------------------------------------------------- */

/* Growth of a row, from which a run that failed in its first step is left out. */
static void collect(const study *s, int row, double *y)
{
    for (int k = 0; k < s->z->n; k++) {
        const ph_ball_result *r = &s->cell[row * s->z->n + k].r;
        y[k] = r->verdict == PH_V_FAILED && r->at == 1 ? NAN : r->growth;
    }
}

/* One amplitude: growth over z, beside that of the linear oscillator. values: room for 2 rows x z */
static int draw_curves(const study *s, const ph_delivery *d, double *values, ph_series *series)
{
    int n = s->z->n, m = s->rows;
    char label[PH_VARIANTS_MAX][PH_VARIANT_LABEL + 16];
    for (int k = 0; k < m; k++) {
        double *y = values + 2 * k * n;
        collect(s, k, y);
        for (int i = 0; i < n; i++)
            y[n + i] = s->cell[k * n + i].r.radius;
        snprintf(label[k], sizeof label[k], "%s, linear", s->variant[k].label);
        series[2 * k] =
            (ph_series){.label = s->variant[k].label, .look = k + 1, .n = n, .x = s->z->x, .y = y};
        series[2 * k + 1] =
            (ph_series){.label = label[k], .look = m + k + 1, .n = n, .x = s->z->x, .y = y + n};
        series[2 * k + 1].style = PH_LINES;
    }
    const ph_plot_marker marker[] = {{.at = 1}, {.vertical = 1, .at = s->limit[0].z, .label = "z*"}};
    ph_panel panel = {.x = {.label = "z = h√(k/m)"}, .y = {.label = "growth per step", .min = 0, .max = 2}};
    panel.n_series = 2 * m, panel.series = series, panel.markers = marker;
    panel.n_markers = m == 1 && isfinite(s->limit[0].z) ? 2 : 1;
    const ph_plot plot = {.title = d->title, .n_panels = 1, .panels = &panel};
    return ph_deliver(d, s->args, &plot);
}

/* Several: growth over z and amplitude, with the limit; a panel for each method. values: room for rows x (z +
 * 1) */
static int draw_maps(const study *s, const ph_delivery *d, double *values, ph_series *series)
{
    int nz = s->z->n, na = s->amplitude->n, code;
    ph_panel *panel = calloc((size_t)s->n_variants, sizeof *panel);
    double *limit = values + s->rows * nz;
    if (!panel)
        return ph_complain("not enough memory for the picture");
    for (int k = 0; k < s->rows; k++) {
        collect(s, k, values + k * nz);
        limit[k] = isfinite(s->limit[k].z) ? s->limit[k].z : NAN;
    }
    for (int k = 0; k < s->n_variants; k++) {
        series[k] = (ph_series){.label = "z*", .look = 5, .n = na, .x = limit + k * na, .y = s->amplitude->x};
        panel[k] = (ph_panel){.title = s->variant[k].label, .x = {.label = "z = h√(k/m)"}};
        panel[k].y = (ph_axis){.label = "amplitude", .unit = "rad"};
        panel[k].legend = PH_LEGEND_TOP_RIGHT, panel[k].n_series = 1, panel[k].series = &series[k];
        panel[k].heat = (ph_heat){.nx = nz, .ny = na, .x = s->z->x, .y = s->amplitude->x};
        panel[k].heat.z = values + k * na * nz;
        panel[k].heat.scale = (ph_axis){.label = "growth per step", .min = 0, .max = 2};
    }
    const ph_plot plot = {.title = d->title, .n_panels = s->n_variants, .panels = panel};
    code = ph_deliver(d, s->args, &plot);
    free(panel);
    return code;
}

static int draw(const study *s, const ph_delivery *d)
{
    double *values = calloc(2 * (size_t)s->rows * (size_t)(s->z->n + 1), sizeof *values);
    ph_series *series = calloc(2 * (size_t)s->rows, sizeof *series);
    int code, is_map = s->amplitude->n > 1 && s->z->n > 1;
    if (!values || !series)
        code = ph_complain("not enough memory for the picture");
    else if (s->args->plot && s->amplitude->n > 1 && !is_map)
        code = ph_complain("--plot: several amplitudes need several z");
    else
        code = is_map ? draw_maps(s, d, values, series) : draw_curves(s, d, values, series);
    free(values), free(series);
    return code;
}

int ph_stability_ball(ph_args *args)
{
    int code = PH_EXIT_USAGE;
    ph_numbers_default(&args->z, 0.1, 3, 30, 0);
    ph_numbers_default(&args->amplitude, 0.5, 0.5, 1, 0);
    study s = {.args = args, .z = &args->z, .amplitude = &args->amplitude};
    s.variant = ph_stability_variants(args, &s.n_variants);
    s.rows = s.n_variants * s.amplitude->n;
    int n = s.rows * s.z->n;
    if (s.variant)
        s.cell = ph_stability_run(args, "stability", n, sizeof *s.cell, run_case, &s, &code);
    if (s.cell)
        code = ph_stability_check(n, sizeof *s.cell, s.cell);
    if (s.cell && !code)
        s.limit = ph_stability_run(args, "limits", s.rows, sizeof *s.limit, find_limit, &s, &code);
    if (s.limit)
        code = ph_stability_check(s.rows, sizeof *s.limit, s.limit);
    if (s.limit && !code) {
        ph_delivery d = {.table = ph_table_create(9, columns),
                         .summary_name = "limits",
                         .summary = ph_table_create(3, limits)};
        fill(&s, &d);
        code = draw(&s, &d);
        ph_delivery_end(&d);
    }
    free(s.variant), free(s.cell), free(s.limit);
    return code;
}
