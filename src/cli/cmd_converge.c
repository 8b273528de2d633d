/* polhode converge: errors over step sizes, observed orders, error constants. */
#include "cli/method_study.h"
#include "cli/overlay.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FIXED       5 /* columns before the errors, at most */
#define COLUMNS_MAX (FIXED + 2 * PH_MEASURES)

static double step_of(const ph_case *c)
{
    return c->h;
}

/* ---- the table ---------------------------------------------------------------------------------------- */

/* variant, h or tol, steps, times, and error and order of each measure; of several variants each has its rows. */
static ph_table *tabulate(const ph_method_study *q)
{
    char names[2 * PH_MEASURES][PH_LABEL_MAX + 32], units[PH_MEASURES][PH_UNIT_MAX];
    ph_column columns[COLUMNS_MAX] = {{"variant", NULL, PH_WORDS}};
    int n = 1;
    if (q->def.n_h)
        columns[n++] = (ph_column){"h", "s", PH_SHORT};
    if (q->def.n_tol)
        columns[n++] = (ph_column){"tol", NULL, PH_SHORT};
    columns[n++] = (ph_column){"steps", NULL, PH_WHOLE};
    columns[n++] = (ph_column){"times", NULL, PH_WHOLE};
    for (int m = 0; m < q->probe->n_measures; m++) {
        const char *of = m >= PH_OF_SENSOR ? "sensors." : "";
        if (!ph_method_study_has(q, m))
            continue;
        snprintf(names[2 * m], sizeof *names, "error.%s%s", of, ph_method_study_measure(q, m));
        snprintf(names[2 * m + 1], sizeof *names, "order.%s%s", of, ph_method_study_measure(q, m));
        columns[n++] = (ph_column){names[2 * m], ph_method_study_unit(q, m, units[m]), PH_REAL};
        columns[n++] = (ph_column){names[2 * m + 1], NULL, PH_ORDER};
    }
    ph_table *t = ph_table_create(n, columns);
    for (int k = 0; k < ph_cases_first(&q->def, q->def.n_variants); k++) {
        const ph_case *c = &q->cases[k];
        int v = ph_cases_variant(&q->def, k);
        ph_method_study_head(q, t, k);
        ph_table_number(t, (double)c->steps);
        ph_table_number(t, (double)c->times);
        for (int m = 0; m < q->probe->n_measures; m++)
            if (ph_method_study_has(q, m)) {
                ph_table_number(t, c->error[m]);
                ph_table_number(t, k > ph_cases_first(&q->def, v) ? ph_cases_local_order(c - 1, c, m) : NAN);
            }
    }
    return t;
}

/* ---- text --------------------------------------------------------------------------------------------- */

/* Orders and error constants of each measure; of several variants each has its rows. */
static ph_table *tabulate_orders(const ph_method_study *q)
{
    static const ph_column columns[] = {{"", NULL, PH_WORDS},
                                        {"order (last two)", NULL, PH_ORDER},
                                        {"order (least squares)", NULL, PH_ORDER},
                                        {"error constant", NULL, PH_REAL}};
    ph_table *t = ph_table_create(4, columns);
    for (int v = 0; v < q->def.n_variants; v++)
        for (int m = 0; m < q->probe->n_measures; m++) {
            ph_observed o = ph_method_study_order(q, v, m);
            if (!ph_method_study_has(q, m))
                continue;
            ph_table_word(t, ph_method_study_measure(q, m));
            ph_table_number(t, o.order);
            ph_table_number(t, o.fit);
            ph_table_number(t, o.constant);
        }
    return t;
}

static void print_variant(const ph_method_study *q, const ph_table *t, const ph_table *orders, int v)
{
    int n = ph_table_rows(orders) / q->def.n_variants;
    char text[PH_METHOD_STUDY_LINE];
    ph_method_study_variant(q, v, text, sizeof text);
    printf("\n%s\n  %s\n\n", q->variants[v].label, text);
    ph_table_print_some(t, stdout, ph_cases_first(&q->def, v), ph_cases_first(&q->def, v + 1), 1);
    if (ph_cases_count(&q->def, v) < 2)
        return;
    printf("\n");
    ph_table_print_some(orders, stdout, v * n, (v + 1) * n, 0);
}

static int print_text(const ph_method_study *q, const ph_table *t)
{
    char text[PH_METHOD_STUDY_LINES][PH_METHOD_STUDY_LINE];
    ph_table *orders = tabulate_orders(q);
    int whole = ph_table_ok(orders), n = ph_method_study_settings(q, text);
    for (int i = 0; i < n && whole; i++)
        printf("%s\n", text[i]);
    for (int v = 0; v < q->def.n_variants && whole; v++)
        print_variant(q, t, orders, v);
    ph_table_destroy(orders);
    return whole;
}

/* ---- JSON --------------------------------------------------------------------------------------------- */

static double part_of(const ph_observed *o, int part)
{
    return part == 0 ? o->order : part == 1 ? o->fit : o->constant;
}

/* "order", "fit" and "constant", each with its measures; those of sensors inside "sensors" */
static void add_orders(ph_json *j, cJSON *to, const ph_method_study *q, int v)
{
    static const char *const names[] = {"order", "fit", "constant"};
    for (int part = 0; part < 3; part++) {
        cJSON *object = ph_json_object(j, to, names[part]), *sensors = NULL;
        for (int m = 0; m < q->probe->n_measures; m++) {
            ph_observed o = ph_method_study_order(q, v, m);
            if (!ph_method_study_has(q, m))
                continue;
            if (m >= PH_OF_SENSOR && !sensors)
                sensors = ph_json_object(j, object, "sensors");
            ph_json_number(j, m >= PH_OF_SENSOR ? sensors : object, ph_method_study_measure(q, m),
                           part_of(&o, part));
        }
    }
}

static void add_variant(ph_json *j, cJSON *to, const ph_method_study *q, const ph_table *t, int v)
{
    cJSON *rows = ph_json_array(j, to, "rows");
    ph_table_json(t, j, rows, ph_cases_first(&q->def, v), ph_cases_first(&q->def, v + 1));
    add_orders(j, to, q, v);
}

static int print_json(const ph_method_study *q, const ph_table *t)
{
    ph_json j = ph_json_create();
    ph_method_study_json(q, &j);
    add_variant(&j, j.root, q, t, 0);
    cJSON *variants = q->def.n_variants > 1 ? ph_json_array(&j, j.root, "variants") : NULL;
    for (int v = 0; variants && v < q->def.n_variants; v++) {
        cJSON *one = ph_method_study_json_variant(q, &j, variants, v);
        add_variant(&j, one, q, t, v);
    }
    return ph_answer(&j);
}

/* ---- the command -------------------------------------------------------------------------------------- */

/* Orders of q, v and lambda within 0.15 of --expect, of random steps by least squares; a line for each that is not. */
static int check_orders(const ph_method_study *q)
{
    static const int measures[] = {PH_OF_Q, PH_OF_V, PH_OF_LAMBDA};
    int code = PH_EXIT_OK;
    for (int v = 0; v < q->def.n_variants && q->args.expect > 0; v++)
        for (int i = 0; i < 3; i++) {
            ph_observed o = ph_method_study_order(q, v, measures[i]);
            double p = q->def.random > 1 ? o.fit : o.order;
            if (!ph_method_study_has(q, measures[i]) || !ph_order_missed(p, q->args.expect))
                continue;
            if (isfinite(p))
                ph_complain("%s: the order of %s is %.3g, not %g", q->variants[v].label,
                            ph_method_study_measure(q, measures[i]), p, q->args.expect);
            else
                ph_complain("%s: %s shows no order, as there is no error or no run; %g was expected",
                            q->variants[v].label, ph_method_study_measure(q, measures[i]), q->args.expect);
            code = PH_EXIT_FAILED;
        }
    return code;
}

/* Some of the runs once more, laid over each other; the finest of the last variant is the one that is shown. */
static ph_status frame(ph_run *run, int why, void *ctx)
{
    (void)why;
    return ph_view_frame(ctx, run);
}

static ph_status show_case(const ph_method_study *q, int k, ph_overlay *o, ph_error *err)
{
    const ph_variant *v = &q->variants[k / q->def.n_h];
    ph_run *run = q->def.sites ? q->def.sites[k / q->def.n_h].run : q->def.run;
    ph_options opt = v->opt;
    char label[PH_VARIANT_LABEL + 32];
    opt.h = q->def.t_end / (double)q->def.steps[k % q->def.n_h];
    snprintf(label, sizeof label, "h = %.4g s%s%s", opt.h, q->def.n_variants > 1 ? ", " : "",
             q->def.n_variants > 1 ? v->label : "");
    ph_status s = ph_run_set_method(run, &opt, err);
    ph_view *view = s == PH_OK ? ph_overlay_add(o, run, label, err) : NULL;
    if (!view)
        return s == PH_OK ? PH_E_INPUT : s;
    ph_run_observe(run, frame, view);
    s = ph_run_until(run, q->def.t_end, err);
    ph_run_observe(run, NULL, NULL);
    ph_view_end(view, run);
    if (s != PH_OK)
        ph_overlay_failed(o, err->text);
    return PH_OK;
}

static int show(const ph_method_study *q)
{
    int n = q->def.n_variants * q->def.n_h;
    ph_overlay o = {.runs = ph_overlay_runs(n)};
    char text[PH_METHOD_STUDY_LINES][PH_METHOD_STUDY_LINE];
    ph_error err = {0};
    ph_status s = PH_OK;
    int lines = ph_method_study_settings(q, text);
    for (int k = 0; k < o.runs && s == PH_OK; k++)
        s = show_case(q, ph_overlay_case(k, n), &o, &err);
    int code =
        s == PH_OK ? ph_overlay_write(&o, &q->args, text[lines > 1]) : ph_complain("--view: %s", err.text);
    ph_overlay_clear(&o);
    return code;
}

static int report(const ph_method_study *q, int code)
{
    ph_table *t = tabulate(q);
    if (!ph_table_ok(t)) {
        ph_table_destroy(t);
        return ph_complain("not enough memory for the table");
    }
    const ph_abscissa over = {{.label = !q->def.n_tol ? "h"
                                        : q->def.n_h  ? "h [s], tol"
                                                      : "tol",
                               .unit = q->def.n_tol ? NULL : "s",
                               .log = 1},
                              step_of,
                              1};
    int written = ph_method_study_write(q, t);
    if (written == PH_EXIT_OK)
        written = ph_method_study_plot(q, 1, &over);
    if (written == PH_EXIT_OK && q->args.view)
        written = show(q);
    if (written == PH_EXIT_OK && !(q->args.json ? print_json(q, t) : q->args.quiet || print_text(q, t)))
        written = ph_complain("not enough memory for the report");
    ph_table_destroy(t);
    if (written != PH_EXIT_OK)
        return written;
    return code != PH_EXIT_OK ? code : check_orders(q);
}

int ph_cmd_converge(const ph_args *args)
{
    ph_method_study q;
    int code;
    if (args->view && !ph_target_is_file(args->word[0]))
        return ph_complain("--view: a page shows a model file, and '%s' is none", args->word[0]);
    if (args->view && !ph_page_name(args->view))
        return PH_EXIT_USAGE;
    if (args->expect > 0 && (args->list.h.n == 1 || args->list.tol.n == 1))
        return ph_complain("--expect: an order needs two step sizes at least, or two tolerances");
    if (ph_method_study_open(&q, args, &code)) {
        if (ph_method_study_run(&q, &code))
            code = report(&q, code);
    }
    ph_method_study_close(&q);
    return code;
}
