/* What a study hands over: its table on stdout or as JSON, as CSV, and a picture. */
#include "cli/deliver.h"
#include "io/file.h"

#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

static int is_csv(const char *path)
{
    const char *dot = strrchr(path, '.');
    struct stat st;
    return (dot && !strcmp(dot, ".csv")) || !strcmp(path, PH_STDOUT) ||
           (stat(path, &st) == 0 && !S_ISREG(st.st_mode));
}

int ph_delivery_ready(const ph_args *args)
{
    ph_error err;
    if (args->plot && !ph_plot_ready(args->plot, &err))
        ph_complain("--plot: %s", err.text);
    else if (args->output && args->output[0] && !is_csv(args->output))
        ph_complain("-o: '%s': the table is written as CSV: give a name that ends in .csv", args->output);
    else if (args->output && !ph_file_possible(args->output))
        ph_complain_write(args->output);
    else
        return 1;
    return 0;
}

void ph_delivery_line(ph_delivery *d, const char *format, ...)
{
    va_list list;
    if (d->n_lines == PH_LINES_MAX) {
        snprintf(d->line[PH_LINES_MAX - 1], sizeof d->line[0], "... and more");
        return;
    }
    va_start(list, format);
    vsnprintf(d->line[d->n_lines++], sizeof d->line[0], format, list);
    va_end(list);
}

static int print_json(const ph_delivery *d)
{
    ph_json j = ph_json_create();
    ph_json_text(&j, j.root, "study", d->title);
    ph_json_text(&j, j.root, "settings", d->settings);
    if (d->target)
        ph_target_json(d->target, &j);
    ph_table_json(d->table, &j, ph_json_array(&j, j.root, "rows"), 0, ph_table_rows(d->table));
    if (d->summary_name)
        ph_table_json(d->summary, &j, ph_json_array(&j, j.root, d->summary_name), 0,
                      ph_table_rows(d->summary));
    if (d->more)
        d->more(&j, d->ctx);
    return ph_answer(&j);
}

static void print_text(const ph_delivery *d)
{
    char text[512] = "";
    if (d->target)
        ph_target_parameters(d->target, text, sizeof text);
    printf("%s\n%s\n%s%s\n", d->title, d->settings, text, text[0] ? "\n" : "");
    ph_table_print(d->table, stdout);
    for (int k = 0; k < d->n_lines; k++)
        printf("%s%s\n", k ? "" : "\n", d->line[k]);
}

static int write_csv(const ph_delivery *d, const char *path)
{
    const char *comment[PH_LINES_MAX + 4] = {"polhode " PH_VERSION, d->title, d->settings};
    int n = 3;
    char text[512] = "";
    if (d->target)
        ph_target_parameters(d->target, text, sizeof text);
    if (text[0])
        comment[n++] = text;
    for (int k = 0; k < d->n_lines; k++)
        comment[n++] = d->line[k];
    if (ph_table_write(d->table, path, n, comment))
        return PH_EXIT_OK;
    return ph_complain_write(path);
}

int ph_deliver(const ph_delivery *d, const ph_args *args, const ph_plot *plot)
{
    ph_error err;
    int code = PH_EXIT_OK;
    if (!ph_table_ok(d->table) || (d->summary_name && !ph_table_ok(d->summary)))
        return ph_complain("not enough memory for the table");
    if (args->output)
        code = write_csv(d, args->output);
    if (code == PH_EXIT_OK && args->plot && !ph_plot_write(plot, args->plot, &err))
        code = ph_complain("%s", err.text);
    if (code != PH_EXIT_OK || (args->output && !strcmp(args->output, PH_STDOUT)))
        return code;
    if (!args->json)
        print_text(d);
    else if (!print_json(d))
        code = ph_complain("not enough memory for the report");
    return code;
}

void ph_delivery_end(ph_delivery *d)
{
    ph_table_destroy(d->table);
    ph_table_destroy(d->summary);
}

const char *ph_sigma_word(double sigma, char text[32])
{
    if (sigma == PH_SIGMA_OPT)
        snprintf(text, 32, "opt");
    else
        snprintf(text, 32, "%g", sigma);
    return text;
}

void ph_method_describe(const ph_options *o, int with_formulation, char *text, size_t size)
{
    unsigned reads = ph_method_reads(o->method);
    char sigma[32] = "", order[64] = "", formulation[32] = "";
    if (reads & PH_READS_SIGMA)
        snprintf(order, sizeof order, ", sigma %s, rho %g", ph_sigma_word(o->sigma, sigma), o->rho);
    else if (reads & PH_READS_ALPHA)
        snprintf(order, sizeof order, ", rho %g", o->rho);
    else if (reads & PH_READS_ORDER)
        snprintf(order, sizeof order, ", order %d, correction %s", o->order,
                 ph_correction_word((int)o->correction));
    else if (reads & PH_READS_TABLEAU)
        snprintf(order, sizeof order, ", %s", o->tableau);
    if (with_formulation && (reads & PH_READS_FORMULATION))
        snprintf(formulation, sizeof formulation, ", %s", ph_formulation_word((int)o->formulation));
    snprintf(text, size, "%s%s%s", o->method, order, formulation);
}

int ph_status_exit(ph_status s)
{
    if (s == PH_OK)
        return PH_EXIT_OK;
    return s == PH_E_INPUT || s == PH_E_INCONSISTENT || s == PH_E_MEMORY ? PH_EXIT_USAGE : PH_EXIT_FAILED;
}
