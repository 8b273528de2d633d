/* polhode stability: the ball with a torsional spring over z = h sqrt(k/m), for one or several amplitudes,
 * angles and damping ratios. */
#include "cli/stability_show.h"
#include "study/stability.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 10000 /* a run that doubles its energy in them grows by 3.5e-5 per step */
#define WIDTH 1e-6  /* of the bisection */

#define MAPS 36 /* of one picture, at most */

static const ph_column columns[] = {
    {"method", NULL, PH_WORDS}, {"amplitude", "rad", PH_SHORT}, {"angle", "deg", PH_SHORT},
    {"zeta", NULL, PH_SHORT},   {"z", NULL, PH_SHORT},          {"verdict", NULL, PH_WORDS},
    {"step", NULL, PH_WHOLE},   {"energy", NULL, PH_REAL},      {"growth", NULL, PH_SHORT},
    {"radius", NULL, PH_SHORT}, {"distance", NULL, PH_REAL}};
static const ph_column limits[] = {{"method", NULL, PH_WORDS}, {"amplitude", "rad", PH_SHORT},
                                   {"angle", "deg", PH_SHORT}, {"zeta", NULL, PH_SHORT},
                                   {"z", NULL, PH_SHORT},      {"beyond", NULL, PH_WORDS},
                                   {"linear", NULL, PH_SHORT}};

/* What may have several values besides z and the method, the first fastest. */
enum { AMPLITUDE, ANGLE, ZETA, QUANTITIES };
static const struct {
    const char *name, *unit;
} quantities[QUANTITIES] = {{"amplitude", "rad"}, {"angle of ω to the axis", "deg"}, {"damping ratio", NULL}};

typedef struct cell {
    ph_outcome outcome;
    ph_ball_result r;
} cell;

typedef struct bound {
    ph_outcome outcome;
    double z; /* INFINITY: bounded for all z of the list */
    ph_verdict beyond;
    double linear; /* of the linear oscillator, likewise */
} bound;

/* A row is a variant of the methods with one value of each quantity. */
typedef struct study {
    const ph_args *args;
    const ph_numbers *z, *of[QUANTITIES];
    int n_variants, rows;
    ph_variant *variant;
    cell *cell;   /* rows x z */
    bound *limit; /* rows */
} study;

static double value_of(const study *s, int row, int quantity)
{
    for (int k = 0; k < quantity; k++)
        row /= s->of[k]->n;
    return s->of[quantity]->x[row % s->of[quantity]->n];
}

static const ph_variant *variant_of(const study *s, int row)
{
    return &s->variant[row / (s->rows / s->n_variants)];
}

static ph_ball_case case_of(const study *s, int row)
{
    return (ph_ball_case){.zeta = value_of(s, row, ZETA),
                          .amplitude = value_of(s, row, AMPLITUDE),
                          .angle = value_of(s, row, ANGLE) * acos(-1) / 180,
                          .steps = s->args->steps ? s->args->steps : STEPS};
}

static void run_case(int k, void *result, void *ctx)
{
    const study *s = ctx;
    cell *c = result;
    ph_ball_case at = case_of(s, k / s->z->n);
    at.z = s->z->x[k % s->z->n];
    c->outcome.status = ph_ball_run(&c->r, &variant_of(s, k / s->z->n)->opt, &at, &c->outcome.err);
}

/* Each between the first z that is not bounded and the one before it, or 0. */
static void find_limit(int row, void *result, void *ctx)
{
    const study *s = ctx;
    bound *b = result;
    const cell *c = s->cell + row * s->z->n;
    ph_ball_case at = case_of(s, row);
    const ph_options *opt = &variant_of(s, row)->opt;
    const double *z = s->z->x;
    int n = s->z->n, j = 0, k = 0;
    while (j < n && c[j].outcome.status == PH_OK && c[j].r.verdict == PH_V_BOUNDED)
        j++;
    while (k < n && !(c[k].r.radius > PH_RADIUS_STABLE))
        k++;
    b->z = b->linear = INFINITY;
    if (j < n)
        b->outcome.status = ph_ball_limit(&b->z, opt, &at, j ? z[j - 1] : 0, z[j], WIDTH, &b->outcome.err);
    if (j < n && b->outcome.status == PH_OK) {
        ph_ball_result r;
        at.z = b->z + WIDTH;
        b->outcome.status = ph_ball_run(&r, opt, &at, &b->outcome.err);
        b->beyond = r.verdict;
    }
    if (k < n && b->outcome.status == PH_OK)
        b->outcome.status =
            ph_oscillator_limit(&b->linear, opt, at.zeta, k ? z[k - 1] : 0, z[k], WIDTH, &b->outcome.err);
}

/* ---- the table --------------------------------------------------------------------------------------- */

/* The method, and of each quantity its value. */
static void add_names(const study *s, int row, ph_table *t)
{
    char method[128];
    ph_method_describe(&variant_of(s, row)->opt, 0, method, sizeof method);
    ph_table_word(t, method);
    for (int k = 0; k < QUANTITIES; k++)
        ph_table_number(t, value_of(s, row, k));
}

/* The same in words: the amplitude, and what has several values. */
static void describe(const study *s, int row, char *text, size_t size)
{
    ph_method_describe(&variant_of(s, row)->opt, 0, text, size);
    size_t n = strlen(text);
    n += (size_t)snprintf(text + n, size - n, ", amplitude %g rad", value_of(s, row, AMPLITUDE));
    if (s->of[ANGLE]->n > 1)
        n += (size_t)snprintf(text + n, size - n, ", angle %g degrees", value_of(s, row, ANGLE));
    if (s->of[ZETA]->n > 1)
        snprintf(text + n, size - n, ", damping ratio %g", value_of(s, row, ZETA));
}

static void fill_limits(const study *s, ph_delivery *d)
{
    char text[192], other[64];
    for (int k = 0; k < s->rows; k++) {
        double z = s->limit[k].z, linear = s->limit[k].linear;
        describe(s, k, text, sizeof text);
        add_names(s, k, d->summary);
        ph_table_number(d->summary, isfinite(z) ? z : NAN);
        ph_table_word(d->summary, isfinite(z) ? ph_verdict_word((int)s->limit[k].beyond) : "");
        ph_table_number(d->summary, isfinite(linear) ? linear : NAN);
        if (isfinite(linear))
            snprintf(other, sizeof other, "the linear oscillator up to %.6f", linear);
        else
            snprintf(other, sizeof other, "so is the linear oscillator");
        if (isfinite(z))
            ph_delivery_line(d, "%s: bounded up to z* = %.6f (beyond: %s), %s", text, z,
                             ph_verdict_word((int)s->limit[k].beyond),
                             isfinite(linear) ? other : "the linear oscillator for all z of the list");
        else
            ph_delivery_line(d, "%s: bounded for all z of the list, %s", text, other);
    }
}

static void fill_settings(const study *s, ph_delivery *d)
{
    char zeta[64] = "several damping ratios", angle[64] = "several angles";
    if (s->of[ZETA]->n == 1)
        snprintf(zeta, sizeof zeta, "damping ratio %g", s->of[ZETA]->x[0]);
    if (s->of[ANGLE]->n == 1)
        snprintf(angle, sizeof angle, "%g degrees", s->of[ANGLE]->x[0]);
    snprintf(d->title, sizeof d->title, "ball with torsional spring, z = h sqrt(k/m)");
    snprintf(d->settings, sizeof d->settings, "%s, omega at %s to the axis of rotation, at most %ld steps",
             zeta, angle, case_of(s, 0).steps);
}

static void fill(const study *s, ph_delivery *d)
{
    char text[192];
    int failed = -1, n = s->z->n;
    fill_settings(s, d);
    for (int k = 0; k < s->rows * n; k++) {
        const ph_ball_result *r = &s->cell[k].r;
        add_names(s, k / n, d->table);
        ph_table_number(d->table, s->z->x[k % n]);
        ph_table_word(d->table, ph_verdict_word((int)r->verdict)), ph_table_number(d->table, (double)r->at);
        ph_table_number(d->table, r->energy), ph_table_number(d->table, r->growth);
        ph_table_number(d->table, r->radius), ph_table_number(d->table, r->distance);
        if (failed < 0 && r->verdict == PH_V_FAILED)
            failed = k;
    }
    fill_limits(s, d);
    if (failed < 0)
        return;
    describe(s, failed / n, text, sizeof text);
    ph_delivery_line(d, "the first run that failed, %s, z = %g, at step %ld:", text, s->z->x[failed % n],
                     s->cell[failed].r.at);
    ph_delivery_line(d, "%s", s->cell[failed].r.why);
}

/* ---- the picture ------------------------------------------------------------------------------------- */

/* The quantity with most values, which is the ordinate of maps. -1: none has several */
static int ordinate(const study *s)
{
    int most = AMPLITUDE;
    for (int k = 1; k < QUANTITIES; k++)
        if (s->of[k]->n > s->of[most]->n)
            most = k;
    return s->of[most]->n > 1 ? most : -1;
}

/* The row of value i of the ordinate in map k: those of quantities before it are within, all else without. */
static int row_of(const study *s, int along, int k, int i)
{
    int inner = 1;
    for (int q = 0; q < along; q++)
        inner *= s->of[q]->n;
    return (k / inner * s->of[along]->n + i) * inner + k % inner;
}

/* Growth of a row, from which a run that failed in its first step is left out. 1: there was such a run */
static int collect(const study *s, int row, double *y)
{
    int gaps = 0;
    for (int k = 0; k < s->z->n; k++) {
        const ph_ball_result *r = &s->cell[row * s->z->n + k].r;
        int none = r->verdict == PH_V_FAILED && r->at == 1;
        y[k] = none ? NAN : r->growth;
        gaps |= none;
    }
    return gaps;
}

/* Growth over z, beside that of the linear oscillator. values: room for 2 rows x z */
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
    panel.legend = PH_LEGEND_BELOW;
    panel.n_markers = m == 1 && isfinite(s->limit[0].z) ? 2 : 1;
    const ph_plot plot = {.title = d->title, .n_panels = 1, .panels = &panel};
    return ph_deliver(d, s->args, &plot);
}

/* The method of a map, and what besides its ordinate has several values. */
static void title_map(const study *s, int row, int along, char *text, size_t size)
{
    size_t n = (size_t)snprintf(text, size, "%s", variant_of(s, row)->label);
    for (int k = 0; k < QUANTITIES && n < size; k++)
        if (k != along && s->of[k]->n > 1)
            n += (size_t)snprintf(text + n, size - n, ", %s %g%s", k == ANGLE ? "angle" : quantities[k].name,
                                  value_of(s, row, k), k == ANGLE ? "°" : "");
}

/* Growth over z and the ordinate, with the limit; a panel for all else. values: room for rows x (z + 1) */
static int draw_maps(const study *s, const ph_delivery *d, double *values, ph_series *series)
{
    int nz = s->z->n, along = ordinate(s), na = s->of[along]->n, maps = s->rows / na, code, gaps = 0;
    ph_panel panel[MAPS] = {0};
    char title[MAPS][192], whole[320];
    double *limit = values + s->rows * nz;
    for (int k = 0; k < s->rows; k++) {
        int row = row_of(s, along, k / na, k % na);
        gaps |= collect(s, row, values + k * nz);
        limit[k] = isfinite(s->limit[row].z) ? s->limit[row].z : NAN;
    }
    for (int k = 0; k < maps; k++) {
        title_map(s, row_of(s, along, k, 0), along, title[k], sizeof title[k]);
        series[k] = (ph_series){.label = "z*", .look = 5, .n = na, .x = limit + k * na, .y = s->of[along]->x};
        panel[k] = (ph_panel){.title = title[k], .x = {.label = "z = h√(k/m)"}};
        panel[k].y = (ph_axis){.label = quantities[along].name, .unit = quantities[along].unit};
        panel[k].legend = PH_LEGEND_BELOW, panel[k].n_series = 1, panel[k].series = &series[k];
        panel[k].heat = (ph_heat){.nx = nz, .ny = na, .x = s->z->x, .y = s->of[along]->x};
        panel[k].heat.z = values + k * na * nz;
        panel[k].heat.scale = (ph_axis){.label = "growth per step", .min = 0, .max = 2};
    }
    snprintf(whole, sizeof whole, "%s%s", d->title, gaps ? "; white: no step was possible" : "");
    const ph_plot plot = {.title = whole, .n_panels = maps, .panels = panel};
    code = ph_deliver(d, s->args, &plot);
    return code;
}

static int draw(const study *s, const ph_delivery *d)
{
    double *values = calloc(2 * (size_t)s->rows * (size_t)(s->z->n + 1), sizeof *values);
    ph_series *series = calloc(2 * (size_t)s->rows, sizeof *series);
    int code;
    if (!values || !series)
        code = ph_complain("not enough memory for the picture");
    else if (!s->args->plot)
        code = ph_deliver(d, s->args, NULL);
    else
        code = ordinate(s) < 0 ? draw_curves(s, d, values, series) : draw_maps(s, d, values, series);
    free(values), free(series);
    return code;
}

/* ---- the command ------------------------------------------------------------------------------------- */

/* 0 after one line on stderr. Before anything runs. */
static int check_study(const study *s)
{
    int along = ordinate(s), maps = along < 0 ? 1 : s->rows / s->of[along]->n;
    for (int k = 0; k < s->of[AMPLITUDE]->n; k++)
        if (!(s->of[AMPLITUDE]->x[k] < acos(-1))) {
            ph_complain("--amplitude: %g rad is not below pi, where rotations end", s->of[AMPLITUDE]->x[k]);
            return 0;
        }
    if (s->args->plot && along >= 0 && s->z->n < 2)
        ph_complain("--plot: several values of --%s need several z", along == AMPLITUDE ? "amplitude"
                                                                     : along == ANGLE   ? "angle"
                                                                                        : "zeta");
    else if (s->args->plot && maps > MAPS)
        ph_complain("--plot: %d maps are too many for one picture; the limit is %d", maps, MAPS);
    else
        return 1;
    return 0;
}

int ph_stability_ball(ph_args *args)
{
    int code = PH_EXIT_USAGE;
    ph_numbers_default(&args->z, 0.1, 3, 30, 0);
    ph_numbers_default(&args->amplitude, 0.5, 0.5, 1, 0);
    ph_numbers_default(&args->angle, 90, 90, 1, 0);
    ph_numbers_default(&args->zeta, 0, 0, 1, 0);
    study s = {.args = args, .z = &args->z, .of = {&args->amplitude, &args->angle, &args->zeta}};
    s.variant = ph_stability_variants(args, &s.n_variants);
    s.rows = s.n_variants * s.of[AMPLITUDE]->n * s.of[ANGLE]->n * s.of[ZETA]->n;
    int n = s.rows * s.z->n;
    if (s.variant && check_study(&s))
        s.cell = ph_stability_run(args, "stability", n, sizeof *s.cell, run_case, &s, &code);
    if (s.cell)
        code = ph_stability_check(n, sizeof *s.cell, s.cell);
    if (s.cell && !code)
        s.limit = ph_stability_run(args, "limits", s.rows, sizeof *s.limit, find_limit, &s, &code);
    if (s.limit)
        code = ph_stability_check(s.rows, sizeof *s.limit, s.limit);
    if (s.limit && !code) {
        ph_delivery d = {.table = ph_table_create(sizeof columns / sizeof *columns, columns),
                         .summary_name = "limits",
                         .summary = ph_table_create(sizeof limits / sizeof *limits, limits)};
        fill(&s, &d);
        code = draw(&s, &d);
        ph_delivery_end(&d);
    }
    free(s.variant), free(s.cell), free(s.limit);
    return code;
}
