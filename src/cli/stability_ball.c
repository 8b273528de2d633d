/* polhode stability: the ball with a torsional spring over z = h sqrt(k/m), for one or several amplitudes. */
#include "cli/stability.h"
#include "study/stability.h"

#include <math.h>
#include <stdlib.h>

#define STEPS 10000 /* a run that doubles its energy in them grows by 3.5e-5 per step */
#define WIDTH 1e-6  /* of the bisection */

static const ph_column columns[] = {{"amplitude", "rad", PH_SHORT}, {"z", NULL, PH_SHORT},
                                    {"verdict", NULL, PH_WORDS},    {"step", NULL, PH_WHOLE},
                                    {"energy", NULL, PH_REAL},      {"growth", NULL, PH_SHORT},
                                    {"radius", NULL, PH_SHORT},     {"distance", NULL, PH_REAL}};
static const ph_column limits[] = {{"amplitude", "rad", PH_SHORT}, {"z", NULL, PH_SHORT}};

/* What one case of the pool gives. */
typedef struct outcome {
    ph_status status;
    ph_ball_result r;
    double limit;
    ph_error err;
} outcome;

typedef struct study {
    const ph_args *args;
    const ph_numbers *z, *amplitude;
    outcome *cell;  /* amplitudes x z */
    outcome *limit; /* one for each amplitude */
} study;

static ph_ball_case case_of(const study *s, int amplitude)
{
    return (ph_ball_case){.zeta = s->args->zeta,
                          .amplitude = s->amplitude->x[amplitude],
                          .angle = s->args->angle * acos(-1) / 180,
                          .steps = s->args->steps ? s->args->steps : STEPS};
}

static void run_case(int k, void *result, void *ctx)
{
    const study *s = ctx;
    outcome *o = result;
    ph_ball_case c = case_of(s, k / s->z->n);
    c.z = s->z->x[k % s->z->n];
    o->status = ph_ball_run(&o->r, &s->args->opt, &c, &o->err);
}

static void lose(int k, const char *why, void *result, void *ctx)
{
    outcome *o = result;
    (void)k, (void)ctx;
    o->status = PH_E_STEP;
    snprintf(o->err.text, sizeof o->err.text, "a case was lost: its process was %s", why);
}

/* Between the first z that is not bounded and the one before it, or 0. */
static void find_limit(int k, void *result, void *ctx)
{
    const study *s = ctx;
    outcome *o = result;
    const outcome *row = s->cell + k * s->z->n;
    ph_ball_case c = case_of(s, k);
    int j = 0;
    while (j < s->z->n && row[j].r.verdict == PH_V_BOUNDED)
        j++;
    o->limit = INFINITY;
    if (j < s->z->n)
        o->status =
            ph_ball_limit(&o->limit, &s->args->opt, &c, j ? s->z->x[j - 1] : 0, s->z->x[j], WIDTH, &o->err);
}

static int all_well(int n, const outcome *o)
{
    for (int k = 0; k < n; k++)
        if (o[k].status != PH_OK) {
            ph_complain("%s", o[k].err.text[0] ? o[k].err.text : "not enough memory for the study");
            return ph_status_exit(o[k].status);
        }
    return PH_EXIT_OK;
}

static void fill(const study *s, ph_delivery *d)
{
    char method[128];
    ph_ball_case c = case_of(s, 0);
    ph_method_describe(&s->args->opt, 0, method, sizeof method);
    snprintf(d->title, sizeof d->title, "ball with torsional spring, z = h sqrt(k/m): %s", method);
    snprintf(d->settings, sizeof d->settings,
             "damping ratio %g, omega at %g degrees to the axis of rotation, at most %ld steps",
             s->args->zeta, s->args->angle, c.steps);
    for (int k = 0; k < s->amplitude->n * s->z->n; k++) {
        const ph_ball_result *r = &s->cell[k].r;
        ph_table_number(d->table, s->amplitude->x[k / s->z->n]),
            ph_table_number(d->table, s->z->x[k % s->z->n]);
        ph_table_word(d->table, ph_verdict_word((int)r->verdict)), ph_table_number(d->table, (double)r->at);
        ph_table_number(d->table, r->energy), ph_table_number(d->table, r->growth);
        ph_table_number(d->table, r->radius), ph_table_number(d->table, r->distance);
    }
    for (int k = 0; k < s->amplitude->n; k++) {
        double z = s->limit[k].limit;
        ph_table_number(d->summary, s->amplitude->x[k]);
        ph_table_number(d->summary, isfinite(z) ? z : NAN);
        if (isfinite(z))
            ph_delivery_line(d, "amplitude %g rad: bounded up to z* = %.6f", s->amplitude->x[k], z);
        else
            ph_delivery_line(d, "amplitude %g rad: bounded for all z of the list", s->amplitude->x[k]);
    }
    for (int k = 0; k < s->amplitude->n * s->z->n; k++)
        if (s->cell[k].r.why[0]) {
            ph_delivery_line(d, "z = %g, step %ld: %s", s->z->x[k % s->z->n], s->cell[k].r.at,
                             s->cell[k].r.why);
            break;
        }
}

/* One amplitude: growth over z beside the linear oscillator. values: room for 2 n numbers */
static int draw_curve(const study *s, const ph_delivery *d, double *values)
{
    int n = s->z->n;
    for (int k = 0; k < n; k++) {
        const ph_ball_result *r = &s->cell[k].r;
        values[k] = r->verdict == PH_V_FAILED && r->at == 1 ? NAN : r->growth;
        values[n + k] = r->radius;
    }
    const ph_series series[] = {{.label = "ball on SO(3)", .n = n, .x = s->z->x, .y = values},
                                {.label = "linear oscillator", .n = n, .x = s->z->x, .y = values + n}};
    const ph_marker marker[] = {{.at = 1}, {.vertical = 1, .at = s->limit[0].limit, .label = "z*"}};
    const ph_panel panel = {.x = {.label = "z = h√(k/m)"},
                            .y = {.label = "growth per step"},
                            .n_series = 2,
                            .series = series,
                            .n_markers = isfinite(s->limit[0].limit) ? 2 : 1,
                            .markers = marker,
                            .legend = PH_LEGEND_TOP_LEFT};
    const ph_plot plot = {.title = d->title, .n_panels = 1, .panels = &panel};
    return ph_deliver(d, s->args, &plot);
}

/* Several: growth over z and amplitude, and the limit. values: room for all cells and two columns */
static int draw_map(const study *s, const ph_delivery *d, double *values)
{
    int nz = s->z->n, na = s->amplitude->n;
    double *limit = values + nz * na;
    for (int k = 0; k < nz * na; k++) {
        const ph_ball_result *r = &s->cell[k].r;
        values[k] = r->verdict == PH_V_FAILED && r->at == 1 ? NAN : r->growth;
    }
    for (int k = 0; k < na; k++)
        limit[k] = isfinite(s->limit[k].limit) ? s->limit[k].limit : NAN;
    const ph_series series = {.label = "z*", .look = 5, .n = na, .x = limit, .y = s->amplitude->x};
    const ph_panel panel = {.x = {.label = "z = h√(k/m)"},
                            .y = {.label = "amplitude", .unit = "rad"},
                            .n_series = 1,
                            .series = &series,
                            .legend = PH_LEGEND_TOP_RIGHT,
                            .heat = {.nx = nz,
                                     .ny = na,
                                     .x = s->z->x,
                                     .y = s->amplitude->x,
                                     .z = values,
                                     .scale = {.label = "growth per step", .min = 0, .max = 2}}};
    const ph_plot plot = {.title = d->title, .n_panels = 1, .panels = &panel};
    return ph_deliver(d, s->args, &plot);
}

int ph_stability_ball(const ph_args *given)
{
    ph_args args = *given;
    ph_numbers_default(&args.list.z, 0.1, 3, 30, 0);
    ph_numbers_default(&args.list.amplitude, 0.5, 0.5, 1, 0);
    if (args.list.rho.n > 1 || args.list.sigma.n > 1)
        return ph_complain("--%s: the ball takes one value", args.list.rho.n > 1 ? "rho" : "sigma");
    args.opt = ph_series_options(&args, 0);
    study s = {.args = &args, .z = &args.list.z, .amplitude = &args.list.amplitude};
    int na = s.amplitude->n, n = na * s.z->n, code;
    s.cell = calloc((size_t)(n + na), sizeof *s.cell);
    double *values = calloc((size_t)(n + 2 * na + 2 * s.z->n), sizeof *values);
    ph_delivery d = {.table = ph_table_create(8, columns),
                     .summary_name = "limits",
                     .summary = ph_table_create(2, limits)};
    if (!s.cell || !values)
        code = ph_complain("not enough memory for the study");
    else {
        s.limit = s.cell + n;
        code = ph_stability_pool(&args, "stability", n, sizeof *s.cell, run_case, lose, &s, s.cell);
        if (!code)
            code = all_well(n, s.cell);
        if (!code)
            code = ph_stability_pool(&args, "limits", na, sizeof *s.cell, find_limit, lose, &s, s.limit);
        if (!code)
            code = all_well(na, s.limit);
        if (!code) {
            fill(&s, &d);
            code = na > 1 && s.z->n > 1 ? draw_map(&s, &d, values) : draw_curve(&s, &d, values);
        }
    }
    ph_delivery_end(&d);
    free(values);
    free(s.cell);
    return code;
}
