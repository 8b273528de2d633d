/* polhode work: errors over the time that they cost. Runs are timed one after the other. */
#include "cli/method_study.h"

#include <math.h>
#include <stdio.h>

#define FIXED 10 /* columns before the errors, at most */

static double time_of(const ph_case *c)
{
    return c->cpu_s;
}

static double iterations_of(const ph_case *c)
{
    return (double)c->stats.iterations;
}

static double jacobians_of(const ph_case *c)
{
    return (double)c->stats.jacobians;
}

static ph_table *tabulate(const ph_method_study *q)
{
    char names[PH_MEASURES][PH_LABEL_MAX + 32], units[PH_MEASURES][PH_UNIT_MAX];
    static const ph_column costs[] = {{"steps", NULL, PH_WHOLE},       {"cpu_s", "s", PH_REAL},
                                      {"us_per_step", "us", PH_ORDER}, {"iterations", NULL, PH_WHOLE},
                                      {"jacobians", NULL, PH_WHOLE},   {"residuals", NULL, PH_WHOLE},
                                      {"repeats", NULL, PH_WHOLE}};
    ph_column columns[FIXED + PH_MEASURES] = {{"variant", NULL, PH_WORDS}};
    int n = 1;
    if (q->def.n_h)
        columns[n++] = (ph_column){"h", "s", PH_SHORT};
    if (q->def.n_tol)
        columns[n++] = (ph_column){"tol", NULL, PH_SHORT};
    for (size_t k = 0; k < sizeof costs / sizeof *costs; k++)
        columns[n++] = costs[k];
    for (int m = 0; m < q->probe->n_measures; m++)
        if (ph_method_study_has(q, m)) {
            snprintf(names[m], sizeof *names, "error.%s%s", m >= PH_OF_SENSOR ? "sensors." : "",
                     ph_method_study_measure(q, m));
            columns[n++] = (ph_column){names[m], ph_method_study_unit(q, m, units[m]), PH_REAL};
        }
    ph_table *t = ph_table_create(n, columns);
    for (int k = 0; k < ph_cases_first(&q->def, q->def.n_variants); k++) {
        const ph_case *c = &q->cases[k];
        ph_method_study_head(q, t, k);
        ph_table_number(t, (double)c->steps);
        ph_table_number(t, c->cpu_s);
        ph_table_number(t, 1e6 * c->cpu_s / (double)c->steps);
        ph_table_number(t, (double)c->stats.iterations);
        ph_table_number(t, (double)c->stats.jacobians);
        ph_table_number(t, (double)c->stats.residuals);
        ph_table_number(t, (double)c->repeats);
        for (int m = 0; m < q->probe->n_measures; m++)
            if (ph_method_study_has(q, m))
                ph_table_number(t, c->error[m]);
    }
    return t;
}

static void print_text(const ph_method_study *q, const ph_table *t)
{
    char text[PH_METHOD_STUDY_LINES][PH_METHOD_STUDY_LINE];
    int n = ph_method_study_settings(q, text);
    for (int i = 0; i < n; i++)
        printf("%s\n", text[i]);
    printf("CPU time of the integration only, best of the repeats; one run after the other\n\n");
    for (int v = 0; v < q->def.n_variants; v++) {
        ph_method_study_variant(q, v, text[0], sizeof text[0]);
        printf("%s: %s\n", q->variants[v].label, text[0]);
    }
    printf("\n");
    ph_table_print(t, stdout);
}

static int print_json(const ph_method_study *q, const ph_table *t)
{
    ph_json j = ph_json_create();
    ph_method_study_json(q, &j);
    ph_table_json(t, &j, ph_json_array(&j, j.root, "rows"), 0, ph_cases_first(&q->def, 1));
    cJSON *variants = q->def.n_variants > 1 ? ph_json_array(&j, j.root, "variants") : NULL;
    for (int v = 0; variants && v < q->def.n_variants; v++) {
        cJSON *one = ph_method_study_json_variant(q, &j, variants, v);
        ph_table_json(t, &j, ph_json_array(&j, one, "rows"), ph_cases_first(&q->def, v),
                      ph_cases_first(&q->def, v + 1));
    }
    return ph_answer(&j) ? PH_EXIT_OK : ph_complain("not enough memory for the report");
}

/* Errors over what they cost. Where each iteration has its own Jacobian, one axis says both. */
static int plot(const ph_method_study *q)
{
    static const ph_abscissa over[] = {{{.label = "CPU time", .unit = "s", .log = 1}, time_of, 0},
                                       {{.label = "Newton iterations", .log = 1}, iterations_of, 0},
                                       {{.label = "Jacobians", .log = 1}, jacobians_of, 0}};
    static const ph_abscissa both[] = {
        {{.label = "CPU time", .unit = "s", .log = 1}, time_of, 0},
        {{.label = "Newton iterations, as many Jacobians", .log = 1}, iterations_of, 0}};
    for (int k = 0; k < ph_cases_first(&q->def, q->def.n_variants); k++)
        if (q->cases[k].stats.jacobians != q->cases[k].stats.iterations)
            return ph_method_study_plot(q, (int)(sizeof over / sizeof *over), over);
    return ph_method_study_plot(q, (int)(sizeof both / sizeof *both), both);
}

static int report(const ph_method_study *q, int code)
{
    ph_table *t = tabulate(q);
    int written =
        ph_table_ok(t) ? ph_method_study_write(q, t) : ph_complain("not enough memory for the table");
    if (written == PH_EXIT_OK)
        written = plot(q);
    if (written == PH_EXIT_OK && q->args.json)
        written = print_json(q, t);
    else if (written == PH_EXIT_OK && !q->args.quiet)
        print_text(q, t);
    ph_table_destroy(t);
    return written != PH_EXIT_OK ? written : code;
}

int ph_cmd_work(const ph_args *args)
{
    ph_method_study q;
    int code;
    if (ph_method_study_open(&q, args, &code)) {
        q.def.timed = 1;
        if (ph_method_study_run(&q, &code))
            code = report(&q, code);
    }
    ph_method_study_close(&q);
    return code;
}
