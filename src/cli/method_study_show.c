/* Studies over step sizes and variants of a method: names of what was measured, files, pictures. */
#include "cli/method_study.h"
#include "cli/job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *ph_method_study_measure(const ph_method_study *q, int measure)
{
    static const char *const names[] = {"q", "v", "vdot", "lambda"};
    if (measure < PH_OF_SENSOR)
        return names[measure];
    return measure < q->probe->n_measures
               ? ph_run_name(q->target.run, PH_SENSORS, q->sensors[measure - PH_OF_SENSOR])
               : NULL;
}

/* Which of metres and radians the group has. */
static void find_kinds(const ph_probe *p, int *metres, int *radians)
{
    *metres = *radians = 0;
    for (int i = 0; i < p->n_parts; i++) {
        *metres |= p->part[i].group != PH_SO3;
        *radians |= p->part[i].group != PH_RN;
    }
}

const char *ph_method_study_unit(const ph_method_study *q, int measure, char text[PH_UNIT_MAX])
{
    static const char *const per[] = {"", "/s", "/s^2"};
    int metres, radians;
    find_kinds(q->probe, &metres, &radians);
    if (measure >= PH_OF_SENSOR) { /* of several kinds of numbers: "N, N m" */
        const char *unit = ph_model_sensor_unit(q->target.model, q->sensors[measure - PH_OF_SENSOR]);
        const char *comma = strchr(unit, ',');
        if (ph_run_is(q->target.run, PH_IS_QUATERNION, q->sensors[measure - PH_OF_SENSOR]))
            unit = "rad", comma = NULL;
        snprintf(text, PH_UNIT_MAX, "%.*s%s%s", comma ? (int)(comma - unit) : (int)strlen(unit), unit,
                 comma ? " and" : "", comma ? comma + 1 : "");
    } else if (measure == PH_OF_LAMBDA)
        snprintf(text, PH_UNIT_MAX, "SI"); /* depends on how the author of Phi scaled it */
    else
        snprintf(text, PH_UNIT_MAX, "%s%s%s%s%s", metres ? "m" : "", metres ? per[measure] : "",
                 metres && radians ? " and " : "", radians ? "rad" : "", radians ? per[measure] : "");
    return text;
}

const char *ph_method_study_size(const ph_method_study *q, int row, char text[PH_SIZE_MAX])
{
    int by_tol = q->variants[ph_cases_variant(&q->def, row)].by_tol;
    snprintf(text, PH_SIZE_MAX, by_tol ? "tol = %g" : "h = %g s", q->cases[row].h);
    return text;
}

ph_observed ph_method_study_order(const ph_method_study *q, int v, int measure)
{
    return ph_cases_order(ph_cases_count(&q->def, v), q->cases + ph_cases_first(&q->def, v), measure);
}

int ph_method_study_has(const ph_method_study *q, int measure)
{
    if (measure >= q->probe->n_measures || (measure == PH_OF_LAMBDA && !q->probe->nl))
        return 0;
    return q->def.against != PH_AGAINST_TRACK || !(q->track.missing & 1u << measure);
}

int ph_method_study_settings(const ph_method_study *q, char text[PH_METHOD_STUDY_LINES][PH_METHOD_STUDY_LINE])
{
    int n = 0;
    int at = snprintf(text[n], PH_METHOD_STUDY_LINE, "polhode %s, model %s, space %s", ph_version(),
                      q->target.p->name, ph_bodies_space(q->bodies));
    for (int i = 0; i < q->n_more && at < PH_METHOD_STUDY_LINE; i++)
        at += snprintf(text[n] + at, PH_METHOD_STUDY_LINE - (size_t)at, ", %s",
                       ph_space_word(q->more[i].space));
    n++;
    at = snprintf(text[n], PH_METHOD_STUDY_LINE, "errors: largest at %g s <= t <= %g s, against %s",
                  q->def.from, q->until, q->reference);
    if (q->def.extrapolate)
        at += snprintf(text[n] + at, PH_METHOD_STUDY_LINE - (size_t)at,
                       "; states less the errors that runs find");
    if (q->def.random > 1)
        snprintf(text[n] + at, PH_METHOD_STUDY_LINE - (size_t)at,
                 "; steps of random sizes from h/%g to %g h, seed %u; of vdot and lambda root mean squares",
                 q->def.random, q->def.random, q->def.seed);
    n++;
    ph_target_parameters(&q->target, text[n], PH_METHOD_STUDY_LINE);
    return text[n][0] ? n + 1 : n;
}

void ph_method_study_variant(const ph_method_study *q, int v, char *text, size_t size)
{
    const ph_options *o = &q->variants[v].opt;
    ph_report_options(o, text, size);
    size_t n = strlen(text);
    if (ph_options_reads(o) & PH_READS_NEWTON)
        snprintf(text + n, size - n, ", atol %g, rtol %g", o->atol, o->rtol);
}

void ph_method_study_json(const ph_method_study *q, ph_json *j)
{
    char text[PH_METHOD_STUDY_LINE];
    ph_method_study_variant(q, 0, text, sizeof text);
    ph_json_text(j, j->root, "polhode", ph_version());
    ph_json_text(j, j->root, "model", q->target.p->name);
    ph_json_text(j, j->root, "settings", text);
    ph_target_json(&q->target, j);
    ph_json_text(j, j->root, "reference", q->reference);
    ph_json_number(j, j->root, "t_end", q->def.t_end);
    ph_json_number(j, j->root, "from", q->def.from);
}

cJSON *ph_method_study_json_variant(const ph_method_study *q, ph_json *j, cJSON *variants, int v)
{
    char text[PH_METHOD_STUDY_LINE];
    cJSON *one = ph_json_element(j, variants);
    ph_method_study_variant(q, v, text, sizeof text);
    ph_json_text(j, one, "label", q->variants[v].label);
    ph_json_text(j, one, "method", q->variants[v].opt.method);
    ph_json_text(j, one, "settings", text);
    return one;
}

void ph_method_study_head(const ph_method_study *q, ph_table *t, int row)
{
    const ph_variant *v = &q->variants[ph_cases_variant(&q->def, row)];
    double size = q->cases[row].h;
    ph_table_word(t, v->label);
    if (q->def.n_h)
        ph_table_number(t, v->by_tol ? NAN : size);
    if (q->def.n_tol)
        ph_table_number(t, v->by_tol ? size : NAN);
}

/* Above the table: the settings, those of each variant too. */
int ph_method_study_write(const ph_method_study *q, const ph_table *t)
{
    int n = 0, variants = q->def.n_variants, code = PH_EXIT_OK;
    if (!q->args.output)
        return PH_EXIT_OK;
    char(*text)[PH_METHOD_STUDY_LINE] = calloc((size_t)(PH_METHOD_STUDY_LINES + variants), sizeof *text);
    const char **lines = calloc((size_t)(PH_METHOD_STUDY_LINES + variants), sizeof *lines);
    if (text && lines) {
        n = ph_method_study_settings(q, text);
        for (int v = 0; v < variants; v++, n++) {
            int at = snprintf(text[n], sizeof *text, "%s: ", q->variants[v].label);
            ph_method_study_variant(q, v, text[n] + at, sizeof *text - (size_t)at);
        }
        for (int i = 0; i < n; i++)
            lines[i] = text[i];
        if (!ph_table_write(t, q->args.output, n, lines))
            code = ph_complain_write(q->args.output);
    } else
        code = ph_complain("not enough memory for the table");
    free(text), free(lines);
    return code;
}

/* ---- the picture -------------------------------------------------------------------------------------- */

#define PANELS_MAX (PH_ABSCISSAS_MAX * PH_MEASURES)

typedef struct picture {
    int n; /* panels */
    ph_panel panel[PANELS_MAX];
    char label[PANELS_MAX][PH_LABEL_MAX + 32], unit[PANELS_MAX][PH_UNIT_MAX];
    ph_plot_slope slope[PANELS_MAX][3];
    ph_series *series; /* n_variants for each panel */
    double *xy;        /* of one series: its abscissas, then its errors */
} picture;

/* A triangle for each whole order that was observed, three at most. */
static int find_slopes(const ph_method_study *q, int measure, ph_plot_slope slope[3])
{
    int n = 0;
    for (int v = 0; v < q->def.n_variants && n < 3; v++) {
        double p = round(ph_method_study_order(q, v, measure).order);
        int known = !(p >= 1);
        for (int k = 0; k < n; k++)
            known |= slope[k].order == p;
        if (!known)
            slope[n++] = (ph_plot_slope){.order = p};
    }
    return n;
}

static void fill_panel(const ph_method_study *q, picture *pic, int measure, const ph_abscissa *over)
{
    int variants = q->def.n_variants, i = pic->n++, all = ph_cases_first(&q->def, variants);
    ph_series *s = pic->series + i * variants;
    for (int v = 0; v < variants; v++) {
        int first = ph_cases_first(&q->def, v), n = ph_cases_count(&q->def, v);
        double *xs = pic->xy + 2 * (i * all + first), *ys = xs + n;
        for (int k = 0; k < n; k++) {
            const ph_case *c = &q->cases[first + k];
            xs[k] = over->value(c), ys[k] = c->error[measure];
        }
        s[v] = (ph_series){.label = q->variants[v].label, .n = n, .x = xs, .y = ys};
    }
    snprintf(pic->label[i], sizeof pic->label[i], "error of %s", ph_method_study_measure(q, measure));
    ph_method_study_unit(q, measure, pic->unit[i]);
    pic->panel[i] = (ph_panel){.x = over->axis,
                               .y = {.label = pic->label[i], .unit = pic->unit[i], .log = 1},
                               .legend = PH_LEGEND_BELOW,
                               .n_series = variants,
                               .series = s,
                               .n_slopes = over->slopes ? find_slopes(q, measure, pic->slope[i]) : 0,
                               .slopes = pic->slope[i]};
}

/* Explicit methods have no iterations: a row of panels in which nothing stands is left out. */
static int has_values(const ph_method_study *q, const ph_abscissa *over)
{
    for (int k = 0; k < ph_cases_first(&q->def, q->def.n_variants); k++)
        if (over->value(&q->cases[k]) > 0)
            return 1;
    return 0;
}

/* q, v and lambda, and the sensors that were asked for. */
static int draw(const ph_method_study *q, picture *pic, int n, const ph_abscissa *over)
{
    ph_error err;
    int first = 0;
    for (int i = 0; i < n; i++) {
        if (i && !has_values(q, &over[i]))
            continue;
        for (int m = 0; m < q->probe->n_measures; m++)
            if (m != PH_OF_VDOT && ph_method_study_has(q, m))
                fill_panel(q, pic, m, &over[i]);
        first = first ? first : pic->n;
    }
    ph_plot plot = {.title = q->target.p->name, .n_panels = pic->n, .panels = pic->panel};
    if (pic->n > first)
        plot.columns = first;
    if (ph_plot_write(&plot, q->args.plot, &err))
        return PH_EXIT_OK;
    return ph_complain("--plot: %s", err.text);
}

int ph_method_study_plot(const ph_method_study *q, int n, const ph_abscissa *over)
{
    if (!q->args.plot)
        return PH_EXIT_OK;
    size_t panels = (size_t)n * (size_t)q->probe->n_measures, curves = panels * (size_t)q->def.n_variants;
    picture *pic = calloc(1, sizeof *pic);
    int code = PH_EXIT_USAGE;
    if (pic) {
        pic->series = calloc(curves, sizeof *pic->series);
        pic->xy = calloc(2 * panels * (size_t)ph_cases_first(&q->def, q->def.n_variants), sizeof *pic->xy);
    }
    if (pic && pic->series && pic->xy)
        code = draw(q, pic, n, over);
    else
        ph_complain("not enough memory for the picture");
    if (pic)
        free(pic->series), free(pic->xy);
    free(pic);
    return code;
}
