/* A compiled model as an FMU for co-simulation: the list of its variables, as XML and as tables of C.
 *
 * Value references are places in the list: time, inputs, outputs (numbers of sensors), then what can be looked at, elements of q
 * and velocities of bodies, states, and parameters: constants, or those that are open, which may be set. */
#include <stdarg.h>
#include <string.h>

#include "base/hash.h"
#include "compile/compile.h"
#include "mech/argument.h"
#include "mech/coordinate.h"
#include "run/private.h"

typedef enum kind { TIME, INPUT, SENSOR, Q, V, CONSTANT, FIXED, TUNABLE } kind;

typedef struct variable {
    kind kind;
    int index, component;
    char name[200];
    const char *unit;
    double start;
} variable;

typedef struct list {
    variable *v;
    int n, room, failed;
    const ph_allocator *alloc;
} list;

/* ---- the list ---------------------------------------------------------------------------------------------- */

static void add(list *l, variable v, const char *name, ...) PH_PRINTF(3, 4);

static void add(list *l, variable v, const char *name, ...)
{
    va_list ap;
    if (l->n == l->room) {
        int room = l->room ? 2 * l->room : 64;
        variable *more = ph_alloc(l->alloc, (size_t)room * sizeof *more);
        if (more && l->n)
            memcpy(more, l->v, (size_t)l->n * sizeof *more);
        if (!more) {
            l->failed = 1;
            return;
        }
        ph_free(l->alloc, l->v);
        l->v = more, l->room = room;
    }
    va_start(ap, name);
    vsnprintf(v.name, sizeof v.name, name, ap);
    va_end(ap);
    l->v[l->n++] = v;
}

static void add_numbers(list *l, kind of, int at, int n, const char *unit, const char *group,
                        const char *owner, const char *what)
{
    for (int i = 0; i < n; i++)
        add(l, (variable){.kind = of, .index = at + i, .unit = unit}, n > 1 ? "%s.%s%s[%d]" : "%s.%s%s",
            group, owner, what, i + 1);
}

static void list_variables(const ph_compiler *c, list *l)
{
    const ph_model *m = c->model;
    add(l, (variable){.kind = TIME, .unit = "s"}, "time");
    for (int k = 0; k < m->n_inputs; k++)
        add(l,
            (variable){.kind = INPUT,
                       .index = k,
                       .unit = m->input[k].unit,
                       .start = ph_input_at(&c->nominal->mech->input[k], c->sim->t0)},
            "%s", m->input[k].name);
    for (int k = 0; k < m->n_sensors; k++)
        for (int i = 0; i < m->sensor[k].size; i++)
            add(l,
                (variable){.kind = SENSOR,
                           .index = k,
                           .component = i,
                           .unit = ph_run_unit(c->run, PH_GET_SENSOR, k, i)},
                m->sensor[k].size > 1 ? "%s[%d]" : "%s", m->sensor[k].name, i + 1);
    for (int k = 0; k < m->n_bodies; k++) {
        const ph_body *b = &c->mech->body[k];
        add_numbers(l, Q, b->q[0], 3, "m", "bodies", m->body[k].name, ".position");
        add_numbers(l, V, b->v[0], 3, "m/s", "bodies", m->body[k].name, ".velocity");
        if (b->particle)
            continue;
        add_numbers(l, Q, b->q[1], 4, "1", "bodies", m->body[k].name, ".rotation");
        add_numbers(l, V, b->v[1], 3, "rad/s", "bodies", m->body[k].name, ".omega");
    }
    for (int k = 0; k < m->n_states; k++)
        add_numbers(l, V, c->mech->own[k].v, c->mech->own[k].n, m->state[k].unit, "states", m->state[k].name,
                    "");
    for (int k = 0; k < m->n_params; k++) {
        const ph_param_def *p = &c->nominal->model->param[k];
        variable v = {.kind = CONSTANT, .index = k, .unit = "1", .start = p->value};
        for (int i = 0; i < c->open->n; i++)
            if (!strcmp(c->open->name[i], p->name))
                v.kind = c->open->matters[i] ? TUNABLE : FIXED, v.index = i;
        add(l, v, "parameters.%s", p->name);
    }
}

/* Names tell variables apart: those of inputs and of sensors may be the same in a model. */
static const char *twice(const list *l)
{
    for (int i = 0; i < l->n && l->v[i].kind <= SENSOR; i++)
        for (int k = 0; k < i; k++)
            if (!strcmp(l->v[i].name, l->v[k].name))
                return l->v[i].name;
    return NULL;
}

/* ---- XML --------------------------------------------------------------------------------------------------- */

static void put_text(FILE *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc((unsigned char)*text < 32 ? ' ' : *text, out);
        }
}

static void put_attribute(FILE *out, const char *name, const char *text)
{
    fprintf(out, " %s=\"", name);
    put_text(out, text);
    fprintf(out, "\"");
}

/* Units that have a name of their own, by base units. */
static const struct {
    const char *name, *base;
} units[] = {{"s", "s=\"1\""},
             {"m", "m=\"1\""},
             {"m/s", "m=\"1\" s=\"-1\""},
             {"m/s^2", "m=\"1\" s=\"-2\""},
             {"rad", "rad=\"1\""},
             {"rad/s", "rad=\"1\" s=\"-1\""},
             {"rad/s^2", "rad=\"1\" s=\"-2\""},
             {"kg", "kg=\"1\""},
             {"N", "kg=\"1\" m=\"1\" s=\"-2\""},
             {"N m", "kg=\"1\" m=\"2\" s=\"-2\""},
             {"J", "kg=\"1\" m=\"2\" s=\"-2\""},
             {"W", "kg=\"1\" m=\"2\" s=\"-3\""},
             {"A", "A=\"1\""},
             {"V", "kg=\"1\" m=\"2\" s=\"-3\" A=\"-1\""}};

static int has_unit(const variable *v)
{
    return v->unit && *v->unit && strcmp(v->unit, "1") != 0;
}

static void put_units(FILE *out, const list *l)
{
    int any = 0;
    for (int i = 0; i < l->n; i++) {
        int known = !has_unit(&l->v[i]);
        for (int k = 0; k < i && !known; k++)
            known = has_unit(&l->v[k]) && !strcmp(l->v[k].unit, l->v[i].unit);
        if (known)
            continue;
        fprintf(out, any++ ? "" : "  <UnitDefinitions>\n");
        fprintf(out, "    <Unit");
        put_attribute(out, "name", l->v[i].unit);
        const char *base = NULL;
        for (size_t k = 0; k < sizeof units / sizeof *units; k++)
            base = strcmp(units[k].name, l->v[i].unit) ? base : units[k].base;
        fprintf(out, base ? "><BaseUnit %s/></Unit>\n" : "/>\n", base);
    }
    fprintf(out, any ? "  </UnitDefinitions>\n" : "");
}

/* Causality, variability and, where the standard allows one, initial, of each kind. */
static const struct {
    const char *causality, *variability, *initial;
} roles[] = {
    [TIME] = {"independent", "continuous", NULL},      [INPUT] = {"input", "continuous", NULL},
    [SENSOR] = {"output", "continuous", "calculated"}, [Q] = {"local", "continuous", "calculated"},
    [V] = {"local", "continuous", "calculated"},       [CONSTANT] = {"local", "constant", "exact"},
    [FIXED] = {"parameter", "fixed", "exact"},         [TUNABLE] = {"parameter", "tunable", "exact"}};

static void put_variable(FILE *out, int fmi, const variable *v, int reference)
{
    char text[40];
    fprintf(out, fmi == 2 ? "    <ScalarVariable" : "    <Float64");
    put_attribute(out, "name", v->name);
    fprintf(out, " valueReference=\"%d\" causality=\"%s\" variability=\"%s\"", reference,
            roles[v->kind].causality, roles[v->kind].variability);
    if (roles[v->kind].initial)
        fprintf(out, " initial=\"%s\"", roles[v->kind].initial);
    if (fmi == 2)
        fprintf(out, "><Real");
    if (has_unit(v))
        put_attribute(out, "unit", v->unit);
    if (v->kind == INPUT || v->kind >= CONSTANT)
        fprintf(out, " start=\"%s\"", ph_c_number(v->start, text));
    fprintf(out, fmi == 2 ? "/></ScalarVariable>\n" : "/>\n");
}

static void put_structure(FILE *out, int fmi, const list *l)
{
    fprintf(out, "  <ModelStructure>\n");
    for (int pass = 0; pass < 2; pass++) {
        const char *group = pass ? "InitialUnknowns" : "Outputs", *one = pass ? "InitialUnknown" : "Output";
        int any = 0;
        for (int i = 0; i < l->n; i++) {
            if (l->v[i].kind != SENSOR)
                continue;
            if (fmi == 2 && !any++)
                fprintf(out, "    <%s>\n", group);
            if (fmi == 2)
                fprintf(out, "      <Unknown index=\"%d\"/>\n", i + 1);
            else
                fprintf(out, "    <%s valueReference=\"%d\"/>\n", one, i);
        }
        if (any)
            fprintf(out, "    </%s>\n", group);
    }
    fprintf(out, "  </ModelStructure>\n");
}

static void put_description(const ph_compiler *c, FILE *out, int fmi, const list *l, const char *token)
{
    const char *yes = fmi == 2 ? "canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\" "
                                 "providesDirectionalDerivative=\"true\""
                               : "canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\" "
                                 "providesDirectionalDerivatives=\"true\"";
    char h[40], start[40], stop[40];
    fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"%s\"",
            fmi == 2 ? "2.0" : "3.0");
    put_attribute(out, "modelName", c->model->name);
    put_attribute(out, fmi == 2 ? "guid" : "instantiationToken", token);
    fprintf(out, " generationTool=\"Polhode %s\" variableNamingConvention=\"structured\"%s>\n", ph_version(),
            fmi == 2 ? " numberOfEventIndicators=\"0\"" : "");
    fprintf(out, "  <CoSimulation modelIdentifier=\"%s\" canHandleVariableCommunicationStepSize=\"false\" %s",
            c->name, yes);
    ph_c_number(c->sim->opt.h, h);
    if (fmi == 2)
        fprintf(out, ">\n    <SourceFiles><File name=\"%s_fmu.c\"/></SourceFiles>\n  </CoSimulation>\n",
                c->name);
    else
        fprintf(out, " fixedInternalStepSize=\"%s\"/>\n", h);
    put_units(out, l);
    fprintf(out, "  <LogCategories>\n    <Category name=\"logStatusError\"/>\n    <Category "
                 "name=\"logStatusDiscard\"/>\n  </LogCategories>\n");
    fprintf(out, "  <DefaultExperiment startTime=\"%s\" stopTime=\"%s\" stepSize=\"%s\"/>\n",
            ph_c_number(c->sim->t0, start), ph_c_number(c->run->def.t_end, stop), h);
    fprintf(out, "  <ModelVariables>\n");
    for (int i = 0; i < l->n; i++)
        put_variable(out, fmi, &l->v[i], i);
    fprintf(out, "  </ModelVariables>\n");
    put_structure(out, fmi, l);
    fprintf(out, "</fmiModelDescription>\n");
}

/* ---- tables of C -------------------------------------------------------------------------------------------- */

/* d(number of a sensor)/d(input), at the present state: where the sensor itself reads the input. */
static void put_function_slope(ph_compiler *c, const ph_function *f, const char *name, const char *row)
{
    const ph_program *p = f->traced->program;
    ph_compile_call(c, name, f, "s->");
    for (int i = 0; i < p->n_args; i++)
        if (p->arg[i].kind == PH_ARG_INPUT)
            fprintf(c->out, "        if (input == %d)\n            slope += g_%s[%s * %d + %d];\n",
                    p->arg[i].index, name, row, p->n_args, i);
}

static void put_effort_slope(ph_compiler *c, const ph_sensor_def *d)
{
    const ph_actuator_def *a = &c->model->actuator[d->of];
    const ph_force *f = ph_actuator_of(c->mech, d->of);
    char name[32];
    snprintf(name, sizeof name, "effort_%d", d->of);
    ph_compile_bodies_of(c, f->along, &a->f);
    fprintf(c->out, "        {\n");
    if (a->f.call)
        put_function_slope(c, &a->f, name, "0");
    else
        fprintf(c->out, "        slope = input == %d;\n", a->input);
    fprintf(c->out, "        }\n");
    if (ph_sensor_row_of(d)->op->form != PH_FORM_POWER)
        return;
    ph_compile_open_site(c, (int)(f->along - c->mech->joint), "s->");
    fprintf(c->out, "        slope *= ph_along_rate(x, %d);\n        }\n", f->coordinate);
}

static void put_slopes(ph_compiler *c)
{
    const ph_model *m = c->model;
    fprintf(c->out, "static double fmu_slope(const FMU_MODEL *s, int sensor, int component, int input)\n{\n"
                    "    double slope = 0;\n    (void)s, (void)sensor, (void)component, (void)input;\n");
    if (m->n_inputs)
        ph_compile_locals(c);
    for (int k = 0; k < m->n_sensors && m->n_inputs; k++) {
        const ph_sensor_def *d = &m->sensor[k];
        ph_sensor_form form = ph_sensor_row_of(d)->op->form;
        int effort = (form == PH_FORM_EFFORT || form == PH_FORM_POWER) && d->of_kind == PH_OF_ACTUATOR;
        char name[32];
        if (!effort && form != PH_FORM_FUNCTION)
            continue;
        snprintf(name, sizeof name, "sensor_%d", k);
        fprintf(c->out, "    if (sensor == %d) {\n", k);
        if (effort) {
            put_effort_slope(c, d);
        } else {
            ph_compile_function_bodies(c, &d->f, "s->");
            put_function_slope(c, &d->f, name, "component");
        }
        fprintf(c->out, "    }\n");
    }
    fprintf(c->out, "    return slope;\n}\n\n");
}

static void put_access(const ph_compiler *c)
{
    const ph_model *m = c->model;
    char name[80];
    FILE *out = c->out;
    fprintf(
        out,
        "static void fmu_sensor(const FMU_MODEL *s, int sensor, double *out)\n{\n    (void)s, (void)out;\n"
        "    switch (sensor) {\n");
    for (int k = 0; k < m->n_sensors; k++) {
        ph_compile_name(m->sensor[k].name, name, sizeof name);
        fprintf(out, "    case %d:\n        %s_%s(s, out);\n        break;\n", k, c->name, name);
    }
    fprintf(out, "    default:\n        break;\n    }\n}\n\n"
                 "static double *fmu_input(FMU_MODEL *s, int input)\n{\n    switch (input) {\n");
    for (int k = 0; k < m->n_inputs; k++) {
        ph_compile_name(m->input[k].name, name, sizeof name);
        fprintf(out, "    case %d:\n        return &s->input.%s;\n", k, name);
    }
    fprintf(out, "    default:\n        return &s->t; /* there is none */\n    }\n}\n\n"
                 "static double *fmu_parameter(FMU_MODEL *s, int parameter)\n{\n    switch (parameter) {\n");
    for (int k = 0; k < c->open->n; k++) {
        ph_compile_name(c->open->name[k], name, sizeof name);
        fprintf(out, "    case %d:\n        return &s->param.%s;\n", k, name);
    }
    fprintf(out, "    default:\n        return &s->t; /* there is none */\n    }\n}\n\n");
}

static void put_tables(const ph_compiler *c, const list *l, const char *token)
{
    static const char *const kinds[] = {"FMU_TIME", "FMU_INPUT",    "FMU_SENSOR", "FMU_Q",
                                        "FMU_V",    "FMU_CONSTANT", "FMU_FIXED",  "FMU_TUNABLE"};
    char text[40];
    int most = 1;
    FILE *out = c->out;
    for (int k = 0; k < c->model->n_sensors; k++)
        most = c->model->sensor[k].size > most ? c->model->sensor[k].size : most;
    fprintf(
        out,
        "#define FMU_MODEL %s\n#define FMU_TOKEN \"%s\"\n#define FMU_VARIABLES %d\n#define FMU_NUMBERS %d\n",
        c->name, token, l->n, most);
    fprintf(out, "#define FMU_H %s\n", ph_c_number(c->sim->opt.h, text));
    fprintf(out, "#define FMU_T0 %s\n\n", ph_c_number(c->sim->t0, text));
    fprintf(out, "typedef enum fmu_kind { FMU_TIME, FMU_INPUT, FMU_SENSOR, FMU_Q, FMU_V, FMU_CONSTANT,\n    "
                 "FMU_FIXED, FMU_TUNABLE } fmu_kind;\n\n"
                 "typedef struct fmu_place {\n    fmu_kind kind;\n    int index, component;\n} fmu_place;\n\n"
                 "static const fmu_place fmu_variable[FMU_VARIABLES] = {\n");
    for (int i = 0; i < l->n; i++) {
        fprintf(out, "    {%s, %d, %d}, /* ", kinds[l->v[i].kind], l->v[i].index, l->v[i].component);
        fprintf(out, "%s */\n", l->v[i].name);
    }
    fprintf(out, "};\n\nstatic const double fmu_constant[] = {");
    for (int k = 0; k < c->model->n_params; k++)
        fprintf(out, "%s, ", ph_c_number(c->nominal->model->param[k].value, text));
    fprintf(out, "0};\n\n");
    for (const char *const *f = (const char *const[]){"restart", "step", NULL}; *f; f++)
        fprintf(out, "static unsigned fmu_%s(FMU_MODEL *s)\n{\n    return %s_%s(s);\n}\n\n", *f, c->name, *f);
    fprintf(out,
            "static unsigned fmu_begin_with(FMU_MODEL *s)\n{\n    return %s_%s(s);\n}\n\n"
            "static unsigned fmu_change(FMU_MODEL *s)\n{\n    ph_numbers(s);\n"
            "    return ph_bits(ph_begin(s, s->t, 1, s->t == s->t));\n}\n\n",
            c->name, c->open->starts ? "begin" : "restart");
    fprintf(out, "static void fmu_init(FMU_MODEL *s)\n{\n    %s_init(s);\n}\n\n", c->name);
}

static void paste(FILE *out, const char *name)
{
    const ph_text *t = ph_text_find(name);
    fwrite(t->bytes, 1, t->size, out);
    fprintf(out, "\n");
}

static void put_source(ph_compiler *c, const list *l, int fmi, const char *token)
{
    FILE *out = c->out;
    char title[PH_C_COMMENT];
    fprintf(out, "/* The model \"%s\" as an FMU for co-simulation, interface %d.0, made by Polhode %s. */\n",
            ph_c_comment(c->model->name, title), fmi, ph_version());
    fprintf(out,
            "#include \"%s.c\"\n\n#include <float.h>\n#include <stdarg.h>\n#include <stdint.h>\n#include "
            "<stdio.h>\n#include "
            "<stdlib.h>\n"
            "#include <string.h>\n\n#if defined(_WIN32)\n#define FMU_EXPORT __declspec(dllexport)\n"
            "#elif defined(__GNUC__)\n#define FMU_EXPORT __attribute__((visibility(\"default\")))\n#else\n"
            "#define FMU_EXPORT\n#endif\n\n",
            c->name);
    put_tables(c, l, token);
    put_access(c);
    put_slopes(c);
    paste(out, "fmu_core.h");
    paste(out, fmi == 2 ? "fmi2.h" : "fmi3.h");
}

ph_status ph_run_compile_fmu(const ph_run *run, const ph_compile_config *config, int fmi, FILE *description,
                             FILE *source, ph_error *err)
{
    char name[80], token[64];
    ph_compiler c;
    ph_open *open = NULL;
    if (!run->model)
        return ph_fail(err, PH_E_INPUT, "only runs of models can be compiled");
    if (ph_multistep_refuse(run, "an FMU", err) != PH_OK)
        return PH_E_INPUT;
    ph_status s = ph_open_create(&open, run, config->open, config->n_open, 1, err);
    for (int k = 0; s == PH_OK && k < config->n_open; k++)
        if (open->starts_at[k] && !open->starts)
            s = ph_fail(err, PH_E_INPUT,
                        "parameter '%s' cannot stay open in an FMU: an initial value is no polynomial of it",
                        config->open[k]);
    if (s == PH_OK)
        s = ph_compiler_open(&c, open, config, name, err);
    if (s == PH_OK && fmi != 2 && fmi != 3)
        s = ph_fail(err, PH_E_INPUT, "FMUs have the interface 2 or 3, not %d", fmi);
    if (s == PH_OK && run->model->n_events)
        s = ph_mech_fail(err, PH_E_INPUT, run->model, run->model->event[0].origin,
                         "event '%s': what events do cannot be done by an FMU", run->model->event[0].name);
    if (s == PH_OK && config->lanes != 1)
        s = ph_fail(err, PH_E_INPUT, "an instance of an FMU is one member: leave lanes out");
    if (s != PH_OK) {
        ph_open_destroy(open);
        return s;
    }
    list l = {.alloc = run->config.alloc};
    list_variables(&c, &l);
    const char *again = twice(&l);
    if (l.failed)
        s = ph_fail(err, PH_E_MEMORY, "not enough memory to compile the model");
    else if (again)
        s = ph_fail(err, PH_E_INPUT, "two variables of the FMU would be called '%s'", again);
    uint64_t key[2] = {run->key, ph_hash_bytes(run->key, name, strlen(name))};
    snprintf(token, sizeof token, "{%08x-%04x-%04x-%04x-%012llx}", (unsigned)(key[0] >> 32),
             (unsigned)(key[0] >> 16 & 0xffff), (unsigned)(key[0] & 0xffff), (unsigned)(key[1] >> 48),
             (unsigned long long)(key[1] & 0xffffffffffff));
    if (s == PH_OK) {
        c.out = source;
        put_description(&c, description, fmi, &l, token);
        put_source(&c, &l, fmi, token);
    }
    ph_free(l.alloc, l.v);
    ph_open_destroy(open);
    return s;
}
