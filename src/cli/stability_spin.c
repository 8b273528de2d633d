/* polhode stability MODEL --about-spin: eigenvalues of the step about the steady spin of a model over h
 * |Omega|. */
#include "cli/target.h"
#include "cli/stability_show.h"
#include "study/stability.h"

#include <math.h>
#include <stdlib.h>

/* A larger radius is called unstable; differences find a double eigenvalue 1 to some 1e-5. */
#define STABLE 1.001

#define RADIUS_MAX 1.2 /* of maps */

static const ph_column columns[] = {{"method", NULL, PH_WORDS},  {"h|Omega|", "rad", PH_SHORT},
                                    {"h", "s", PH_SHORT},        {"radius", NULL, PH_SHORT},
                                    {"radius-1", NULL, PH_REAL}, {"verdict", NULL, PH_WORDS}};

typedef struct cell {
    ph_outcome outcome;
    double radius;
} cell;

typedef struct study {
    const ph_args *args;
    const ph_problem *p;
    double spin; /* |Omega| of the fastest body [rad/s] */
    int n_variants;
    ph_variant *variant;
    cell *cell; /* variants x hw */
} study;

static void run_case(int k, void *result, void *ctx)
{
    const study *s = ctx;
    cell *c = result;
    ph_spectrum all;
    ph_options opt = s->variant[k / s->args->hw.n].opt;
    opt.h = s->args->hw.x[k % s->args->hw.n] / s->spin;
    c->outcome.status = ph_spectrum_create(&all, &s->p->sys, &opt, s->p->q0, s->p->v0, &c->outcome.err);
    c->radius = all.n > 0 ? cabs(all.value[0]) : 0;
    ph_spectrum_destroy(&all);
}

static double radius(const cell *c)
{
    return c->outcome.status == PH_OK ? c->radius : NAN;
}

static void fill(const study *s, ph_delivery *d)
{
    const ph_numbers *hw = &s->args->hw;
    char method[128];
    snprintf(d->title, sizeof d->title, "%s about steady spin, |Omega| = %g rad/s", s->p->name, s->spin);
    snprintf(d->settings, sizeof d->settings, "eigenvalues of the step");
    for (int k = 0; k < s->n_variants * hw->n; k++) {
        double r = radius(&s->cell[k]);
        ph_method_describe(&s->variant[k / hw->n].opt, 1, method, sizeof method);
        ph_table_word(d->table, method), ph_table_number(d->table, hw->x[k % hw->n]);
        ph_table_number(d->table, hw->x[k % hw->n] / s->spin), ph_table_number(d->table, r);
        ph_table_number(d->table, r - 1);
        ph_table_word(d->table, isnan(r) ? "no step" : r <= STABLE ? "stable" : "unstable");
        if (isnan(r) && !d->n_lines)
            ph_delivery_line(d, "h|Omega| = %g: %s", hw->x[k % hw->n], s->cell[k].outcome.err.text);
    }
}

/* The radius over h|Omega|, a curve for each variant. y: variants x hw */
static int draw_curves(const study *s, const ph_delivery *d, const double *y, ph_series *all)
{
    int n = s->args->hw.n, m = s->n_variants;
    for (int k = 0; k < m; k++)
        all[k] = (ph_series){.label = s->variant[k].label, .n = n, .x = s->args->hw.x, .y = y + k * n};
    const ph_plot_marker one = {.at = 1};
    ph_panel panel = {.x = {.label = "h|Ω|", .unit = "rad"}, .y = {.label = "spectral radius"}};
    panel.n_series = m, panel.series = all, panel.n_markers = 1, panel.markers = &one;
    panel.legend = PH_LEGEND_BELOW;
    const ph_plot plot = {.title = d->title, .n_panels = 1, .panels = &panel};
    return ph_deliver(d, s->args, &plot);
}

/* The radius over h|Omega| and rho, with a line where it leaves what is called stable. */
static int draw_maps(const study *s, const ph_delivery *d, const double *y, int maps)
{
    static const double limit = STABLE;
    const ph_numbers *hw = &s->args->hw;
    ph_maps all;
    int open = ph_maps_open(&all, s->args, maps, 1, s->variant, hw);
    for (int k = 0; k < maps && open; k++) {
        ph_panel *panel = &all.panel[k];
        panel->x = (ph_axis){.label = "h|Ω|", .unit = "rad"};
        panel->heat.z = y + k * s->args->list.rho.n * hw->n;
        panel->heat.scale = (ph_axis){.label = "spectral radius", .min = 1, .max = RADIUS_MAX};
        panel->heat.n_levels = 1, panel->heat.levels = &limit;
    }
    return ph_maps_deliver(&all, d, s->args, 0);
}

static int draw(const study *s, const ph_delivery *d)
{
    int n = s->args->hw.n, m = s->n_variants, maps = n > 1 ? ph_stability_maps(s->args, m, s->variant) : 0,
        code;
    double *y = calloc((size_t)(n * m), sizeof *y);
    ph_series *all = calloc((size_t)m, sizeof *all);
    for (int k = 0; k < n * m && y; k++)
        y[k] = radius(&s->cell[k]);
    if (y && all)
        code = maps ? draw_maps(s, d, y, maps) : draw_curves(s, d, y, all);
    else
        code = ph_complain("not enough memory for the picture");
    free(y), free(all);
    return code;
}

static int run(ph_args *args, const ph_target *target)
{
    study s = {.args = args, .p = target->p};
    int code = PH_EXIT_USAGE;
    s.spin = ph_system_spin(&s.p->sys, s.p->v0, NULL);
    int space = args->space;
    if (target->model && (space == PH_SPACE_EULER || space == PH_SPACE_CARDAN))
        return ph_complain(
            "--about-spin: coordinates of the space %s have no axes that turn with a body; use R3xSO3 or "
            "SE3",
            ph_space_word(space));
    if (!(s.spin > 0))
        return ph_complain("%s: no body spins, so that there is no h |Omega|", s.p->name);
    s.variant = ph_stability_variants(args, &s.n_variants);
    int n = s.n_variants * args->hw.n;
    if (s.variant)
        s.cell = ph_stability_run(args, "stability", n, sizeof *s.cell, run_case, &s, &code);
    if (s.cell)
        code = ph_stability_check(n, sizeof *s.cell, s.cell);
    if (s.cell && !code) {
        ph_delivery d = {.table = ph_table_create(6, columns), .target = target};
        fill(&s, &d);
        code = draw(&s, &d);
        ph_delivery_end(&d);
    }
    free(s.variant), free(s.cell);
    return code;
}

int ph_stability_spin(ph_args *args)
{
    ph_target s = {0};
    int code;
    if (ph_target_open(&s, args, &code)) {
        ph_numbers_default(&args->hw, 0.1, 1.5, 15, 0);
        code = run(args, &s);
    }
    ph_target_close(&s);
    return code;
}
