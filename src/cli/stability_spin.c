/* polhode stability MODEL --about-spin: eigenvalues of the step about the steady spin of a model over h |Omega|. */
#include "cli/model.h"
#include "cli/stability.h"
#include "study/stability.h"

#include <math.h>
#include <stdlib.h>

#define STABLE                                                                                               \
    1.001 /* a larger radius is called unstable; differences find a double eigenvalue 1 to some 1e-5 */

static const ph_column columns[] = {{"method", NULL, PH_WORDS}, {"sigma", NULL, PH_WORDS},
                                    {"rho", NULL, PH_SHORT},    {"h|Omega|", "rad", PH_SHORT},
                                    {"h", "s", PH_SHORT},       {"radius", NULL, PH_SHORT},
                                    {"excess", NULL, PH_REAL},  {"verdict", NULL, PH_WORDS}};

typedef struct outcome {
    ph_status status;
    double radius;
    ph_error err;
} outcome;

typedef struct study {
    const ph_args *args;
    const ph_problem *p;
    const ph_numbers *hw;
    double spin; /* |Omega| of the fastest body [rad/s] */
    int series;
    outcome *cell; /* series x hw */
} study;

static void run_case(int k, void *result, void *ctx)
{
    const study *s = ctx;
    outcome *o = result;
    ph_spectrum all;
    ph_options opt = ph_series_options(s->args, k / s->hw->n);
    opt.h = s->hw->x[k % s->hw->n] / s->spin;
    o->status = ph_spectrum_create(&all, &s->p->sys, &opt, s->p->q0, s->p->v0, &o->err);
    o->radius = o->status != PH_OK ? NAN : all.n > 0 ? cabs(all.value[0]) : 0;
    ph_spectrum_destroy(&all);
}

static void lose(int k, const char *why, void *result, void *ctx)
{
    outcome *o = result;
    (void)k, (void)ctx;
    o->status = PH_E_STEP, o->radius = NAN;
    snprintf(o->err.text, sizeof o->err.text, "a case was lost: its process was %s", why);
}

/* Input that no step can take ends the study; a step that fails leaves its row empty. */
static int check(const study *s, ph_delivery *d)
{
    for (int k = 0; k < s->series * s->hw->n; k++) {
        const outcome *o = &s->cell[k];
        if (o->status != PH_OK && ph_status_exit(o->status) == PH_EXIT_USAGE)
            return ph_complain("%s: %s", s->p->name, o->err.text);
        if (o->status != PH_OK && !d->n_lines)
            ph_delivery_line(d, "h|Omega| = %g: %s", s->hw->x[k % s->hw->n], o->err.text);
    }
    return PH_EXIT_OK;
}

static void fill(const study *s, ph_delivery *d)
{
    char sigma[32];
    const ph_options *o = &s->args->opt;
    int has_alpha = (ph_method_reads(o->method) & PH_READS_ALPHA) != 0, n = s->hw->n;
    int has_form = (ph_method_reads(o->method) & PH_READS_FORMULATION) != 0;
    snprintf(d->title, sizeof d->title, "%s about steady spin, |Omega| = %g rad/s", s->p->name, s->spin);
    snprintf(d->settings, sizeof d->settings, "%s, %s; eigenvalues of the step", o->method,
             has_form ? ph_formulation_word((int)o->formulation) : "index1");
    for (int k = 0; k < s->series * n; k++) {
        ph_options opt = ph_series_options(s->args, k / n);
        double r = s->cell[k].radius;
        ph_table_word(d->table, opt.method),
            ph_table_word(d->table, has_alpha ? ph_sigma_word(opt.sigma, sigma) : "");
        ph_table_number(d->table, has_alpha ? opt.rho : NAN), ph_table_number(d->table, s->hw->x[k % n]);
        ph_table_number(d->table, s->hw->x[k % n] / s->spin), ph_table_number(d->table, r);
        ph_table_number(d->table, r - 1);
        ph_table_word(d->table, isnan(r) ? "no step" : r <= STABLE ? "stable" : "unstable");
    }
}

static int draw(const study *s, const ph_delivery *d)
{
    int n = s->hw->n;
    double *y = calloc((size_t)(n * s->series), sizeof *y);
    ph_series *all = calloc((size_t)s->series, sizeof *all);
    char(*label)[128] = calloc((size_t)s->series, sizeof *label);
    int code;
    if (y && all && label) {
        for (int k = 0; k < s->series; k++) {
            for (int i = 0; i < n; i++)
                y[k * n + i] = s->cell[k * n + i].radius;
            ph_series_label(s->args, k, label[k], sizeof label[k]);
            all[k] = (ph_series){.label = label[k], .n = n, .x = s->hw->x, .y = y + k * n};
        }
        const ph_marker one = {.at = 1};
        const ph_panel panel = {.x = {.label = "h|Ω|", .unit = "rad"},
                                .y = {.label = "spectral radius"},
                                .n_series = s->series,
                                .series = all,
                                .n_markers = 1,
                                .markers = &one};
        const ph_plot plot = {.title = d->title, .n_panels = 1, .panels = &panel};
        code = ph_deliver(d, s->args, &plot);
    } else
        code = ph_complain("not enough memory for the picture");
    free(y), free(all), free(label);
    return code;
}

static int run(ph_args *args, const ph_subject *subject)
{
    study s = {.args = args, .p = subject->p, .hw = &args->list.hw, .series = ph_series_count(args)};
    s.spin = ph_system_spin(&s.p->sys, s.p->v0, NULL);
    if (!(s.spin > 0))
        return ph_complain("%s: no body spins, so that there is no h |Omega|", s.p->name);
    int n = s.series * s.hw->n;
    ph_delivery d = {.table = ph_table_create(8, columns)};
    s.cell = calloc((size_t)n, sizeof *s.cell);
    int code = s.cell ? ph_stability_pool(args, "stability", n, sizeof *s.cell, run_case, lose, &s, s.cell)
                      : ph_complain("not enough memory for the study");
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

int ph_stability_spin(ph_args *args)
{
    ph_subject s = {0};
    int code;
    ph_numbers hw = args->list.hw; /* ascending; the command line is parsed again */
    if (ph_subject_open(&s, args, &code)) {
        args->list.hw = hw;
        ph_numbers_default(&args->list.hw, 0.1, 1.5, 15, 0);
        code = run(args, &s);
    }
    ph_subject_close(&s);
    return code;
}
