/* NAME.cu: a compiled model as an ensemble, on a device or as plain C: what is particular to the model between two texts. */
#include <string.h>

#include "compile/compile.h"
#include "run/private.h"

/* A text with the name of the model in place of MODEL. */
static void paste(FILE *out, const char *text, const char *name)
{
    static const char token[] = "MODEL";
    const size_t length = sizeof token - 1;
    const ph_text *t = ph_text_find(text);
    const char *p = (const char *)t->bytes, *end = p + t->size;
    while (p < end)
        if ((size_t)(end - p) >= length && !memcmp(p, token, length))
            fprintf(out, "%s", name), p += length;
        else
            fputc(*p++, out);
}

/* All sensors in a row, and what their numbers are called. */
static void print_sensors(FILE *out, const ph_model *m, const char *model)
{
    char name[80];
    int at = 0;
    fprintf(out, "DEVICE void sensors_of(const member *s, double *out)\n{\n    (void)s, (void)out;\n");
    for (int k = 0; k < m->n_sensors; at += m->sensor[k++].size) {
        ph_compile_name(m->sensor[k].name, name, sizeof name);
        fprintf(out, "    ON_DEVICE(%s_%s)(s, out + %d);\n", model, name, at);
    }
    fprintf(out,
            "}\n\n#define SENSORS %d\n\n#ifndef PH_LIBRARY\n"
            "static const char *const sensor_name[SENSORS + 1] = {",
            at);
    for (int k = 0; k < m->n_sensors; k++)
        for (int i = 0; i < m->sensor[k].size; i++) {
            ph_compile_name(m->sensor[k].name, name, sizeof name);
            fprintf(out, m->sensor[k].size > 1 ? "\"%s[%d]\", " : "\"%s\", ", name, i + 1);
        }
    fprintf(out, "NULL};\n\n");
}

/* Parameters that are open, which stand last in the struct, and inputs. */
static void print_settables(FILE *out, const ph_model *m, const ph_compile_config *config, const char *model,
                            int starts)
{
    char name[80];
    fprintf(out, "static const settable settables[] = {\n");
    for (int k = 0; k < config->n_open; k++) {
        ph_compile_name(config->open[k], name, sizeof name);
        fprintf(out, "    {\"%s\", PLACE_OF(param.%s)},\n", name, name);
    }
    for (int k = 0; k < m->n_inputs; k++) {
        ph_compile_name(m->input[k].name, name, sizeof name);
        fprintf(out, "    {\"%s\", PLACE_OF(input.%s)},\n", name, name);
    }
    fprintf(out, "    {NULL, 0},\n};\n#define FIRST_PARAMETER %s\n#define %s_BEGIN %s_%s\n#endif\n",
            config->n_open ? "PLACE_OF(param)" : "(1 << 30)", model, model, starts ? "begin" : "restart");
}

ph_status ph_open_compile_cuda(const ph_open *open, const ph_compile_config *config, FILE *driver,
                               ph_error *err)
{
    char name[80];
    ph_status s = ph_compile_name_of(open->nominal, config, name, sizeof name, err);
    if (s != PH_OK)
        return s;
    if (config->lanes != 1)
        return ph_fail(err, PH_E_INPUT, "on a device each thread has one member: leave lanes out");
    paste(driver, "driver.cu", name);
    print_sensors(driver, open->nominal->model, name);
    print_settables(driver, open->nominal->model, config, name, open->starts);
    paste(driver, "ensemble.cu", name);
    return PH_OK;
}

ph_status ph_run_compile_cuda(const ph_run *run, const ph_compile_config *config, FILE *driver, ph_error *err)
{
    ph_compile_config c = ph_compile_defaults();
    ph_open *open;
    memcpy(&c, config, config->size < sizeof c ? config->size : sizeof c);
    if (!run->model)
        return ph_fail(err, PH_E_INPUT, "only runs of models can be compiled");
    if (ph_multistep_refuse(run, "members of an ensemble", err) != PH_OK)
        return PH_E_INPUT;
    ph_status s = ph_open_create(&open, run, c.open, c.n_open, 1, err);
    if (s != PH_OK)
        return s;
    s = ph_open_compile_cuda(open, &c, driver, err);
    ph_open_destroy(open);
    return s;
}
