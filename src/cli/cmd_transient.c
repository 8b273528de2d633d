/* polhode transient: errors of multipliers in the first steps, with plain and with perturbed starting values.
 * */
#include "cli/deliver.h"
#include "cli/target.h"
#include "study/fail.h"
#include "study/reference.h"
#include "study/transient.h"

#include <math.h>
#include <stdlib.h>

#define STEPS     50      /* the transient of rho = 0.9 has its peak at 14 */
#define MARKED    200     /* steps whose points have marks */
#define STEPS_MAX 1000000 /* a reference solution for all of them is kept */

static const ph_column columns[] = {
    {"step", NULL, PH_WHOLE},     {"t", "s", PH_SHORT},
    {"plain", NULL, PH_REAL},     {"perturbed", NULL, PH_REAL},
    {"predicted", NULL, PH_REAL}, {"eta", NULL, PH_REAL}, /* of the stabilised form */
    {"eta_half", NULL, PH_REAL}};

/* The largest of a column, and where. */
static int peak(int n, const ph_transient_row *row, const double *first)
{
    size_t stride = sizeof *row / sizeof *first;
    int at = 0;
    for (int k = 1; k < n; k++)
        if (first[(size_t)k * stride] > first[(size_t)at * stride])
            at = k;
    return at;
}

static void tell(ph_delivery *d, int steps, const ph_transient_row *row)
{
    int a = peak(steps + 1, row, &row->plain), b = peak(steps + 1, row, &row->perturbed);
    int c = peak(steps + 1, row, &row->predicted);
    static const ph_column peaks[] = {
        {"error", NULL, PH_WORDS}, {"largest", NULL, PH_REAL}, {"step", NULL, PH_WHOLE}};
    const struct {
        const char *name;
        double value;
        int at;
    } all[] = {
        {"plain", row[a].plain, a}, {"perturbed", row[b].perturbed, b}, {"predicted", row[c].predicted, c}};
    d->summary_name = "peaks", d->summary = ph_table_create(3, peaks);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        ph_table_word(d->summary, all[k].name), ph_table_number(d->summary, all[k].value);
        ph_table_number(d->summary, all[k].at);
    }
    ph_delivery_line(d,
                     "largest |lambda error|: plain start %.6g at step %d, perturbed start %.6g at step %d",
                     row[a].plain, a, row[b].perturbed, b);
    if (!isnan(row[c].predicted))
        ph_delivery_line(d, "predicted amplification |(T_+^-1 T_0)^n|_2: largest %.8g at n = %d",
                         row[c].predicted, c);
    else
        ph_delivery_line(d,
                         "no amplification is predicted: the recursion is that of genalpha in index-3 form");
}

static void tell_eta(ph_delivery *d, int steps, const ph_transient_row *row)
{
    int a = peak(steps + 1, row, &row->eta), b = peak(steps + 1, row, &row->eta_half);
    char ratio[64] = "";
    if (isnan(row[0].eta))
        return;
    if (row[b].eta_half > 0)
        snprintf(ratio, sizeof ratio, ", %.4g times as much", row[a].eta / row[b].eta_half);
    ph_delivery_line(d, "largest |eta|: %.6g with h, %.6g with h/2%s", row[a].eta, row[b].eta_half, ratio);
}

/* Steps 1, 2, ...: at t = 0 multipliers are exact. */
static int draw(const ph_delivery *d, const ph_args *args, int n, const ph_transient_row *row)
{
    int has = !isnan(row[1].predicted), stabilised = !isnan(row[1].eta);
    double *x = calloc(6 * (size_t)n, sizeof *x), *y = x + n;
    if (!x)
        return ph_complain("not enough memory for the picture");
    for (int k = 0; k < n; k++) {
        x[k] = k + 1, y[k] = row[k + 1].plain, y[n + k] = row[k + 1].perturbed;
        y[2 * n + k] = row[k + 1].predicted;
        y[3 * n + k] = row[k + 1].eta, y[4 * n + k] = row[k + 1].eta_half;
    }
    ph_style style = n > MARKED ? PH_LINES : PH_LINES_POINTS;
    const ph_series error[] = {{.label = "plain start", .n = n, .x = x, .y = y, .style = style},
                               {.label = "perturbed start", .n = n, .x = x, .y = y + n, .style = style}};
    const ph_series power[] = {{.n = n, .x = x, .y = y + 2 * n, .look = 3, .style = style}};
    const ph_series eta[] = {{.label = "h", .n = n, .x = x, .y = y + 3 * n, .look = 4, .style = style},
                             {.label = "h/2", .n = n, .x = x, .y = y + 4 * n, .look = 5, .style = style}};
    ph_panel panel[] = {{.x = {.label = "step n"}, .y = {.label = "|λ error|", .unit = "SI", .log = 1}},
                        {.x = {.label = "step n"}, .y = {.label = "amplification |(T₊⁻¹T₀)ⁿ|₂", .log = 1}}};
    panel[0].n_series = 2, panel[0].series = error, panel[0].legend = PH_LEGEND_BELOW;
    panel[1].n_series = 1, panel[1].series = power, panel[1].legend = PH_LEGEND_NONE;
    if (stabilised)
        panel[1] = (ph_panel){.x = {.label = "step n"},
                              .y = {.label = "|η|", .unit = "SI"},
                              .n_series = 2,
                              .series = eta,
                              .legend = PH_LEGEND_TOP_RIGHT};
    const ph_plot plot = {.title = d->title, .n_panels = has || stabilised ? 2 : 1, .panels = panel};
    int code = ph_deliver(d, args, &plot);
    free(x);
    return code;
}

static int study(ph_args *args, const ph_target *s)
{
    int steps = args->steps ? args->steps : STEPS, code = PH_EXIT_FAILED;
    ph_options o = args->opt;
    ph_error err = {0};
    if (steps > STEPS_MAX)
        return ph_complain("--steps: '%d' is outside 1 to %d", steps, STEPS_MAX);
    if (!(o.h > 0))
        o.h = s->p->h;
    if (!(o.h > 0))
        return ph_complain("the model says no h: give --h");
    ph_transient_row *row = calloc((size_t)steps + 1, sizeof *row);
    if (!row)
        return ph_complain("not enough memory for %d steps", steps);
    ph_status status = ph_transient_run(row, s->p, &o, steps, &err);
    if (status != PH_OK) {
        ph_study_explain(s->model ? s->run : NULL, status, &err);
        ph_complain("%s", err.text[0] ? err.text : "not enough memory for the study");
        code = ph_status_exit(status);
    } else {
        int n = isnan(row[0].eta) ? 5 : 7;
        ph_delivery d = {.table = ph_table_create(n, columns)};
        char method[128];
        ph_method_describe(&o, 1, method, sizeof method);
        snprintf(d.title, sizeof d.title, "%s: |lambda error| in the first %d %s", s->p->name, steps,
                 ph_plural(steps, "step", "steps"));
        snprintf(d.settings, sizeof d.settings, "%s, h = %g s; against: %s", method, o.h,
                 ph_reference_provider_of(s->p)->name);
        d.target = s;
        for (int k = 0; k <= steps; k++) {
            const double x[] = {k,          row[k].t,       row[k].plain, row[k].perturbed, row[k].predicted,
                                row[k].eta, row[k].eta_half};
            for (int i = 0; i < n; i++)
                ph_table_number(d.table, x[i]);
        }
        tell(&d, steps, row);
        tell_eta(&d, steps, row);
        code = draw(&d, args, steps, row);
        ph_delivery_end(&d);
    }
    free(row);
    return code;
}

int ph_cmd_transient(const ph_args *given)
{
    ph_args args = *given;
    ph_target s = {0};
    int code = PH_EXIT_USAGE;
    if (ph_delivery_ready(&args) && ph_target_open(&s, &args, &code))
        code = ph_target_comparable(&s, NULL) ? study(&args, &s) : PH_EXIT_USAGE;
    ph_target_close(&s);
    return code;
}
