/* A run as C source. */
#include "compile/compile.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "run/private.h"

ph_compile_config ph_compile_defaults(void)
{
    return (ph_compile_config){.size = sizeof(ph_compile_config), .lanes = 1};
}

ph_status ph_compile_name_of(const ph_run *run, const ph_compile_config *config, char *name, size_t size,
                             ph_error *err)
{
    if (config->name)
        snprintf(name, size, "%s", config->name);
    else
        ph_compile_model_name(run->model ? run->model->name : "", name, size);
    return ph_compile_check_model_name(name, err);
}

/* ---- texts ---------------------------------------------------------------------------------------- */

/* A text without the headers that it includes: they come before it. */
static void paste(FILE *out, const ph_text *t)
{
    const char *p = (const char *)t->bytes, *end = p + t->size;
    fprintf(out, "/* ==== %s ==== */\n\n", t->name);
    while (p < end) {
        const char *stop =
            (const char *)memchr(p, '\n', (size_t)(end - p)) + 1; /* the last line has an end too */
        if ((size_t)(stop - p) < 10 || memcmp(p, "#include \"", 10))
            fwrite(p, 1, (size_t)(stop - p), out);
        p = stop;
    }
    fprintf(out, "\n");
}

static void paste_until(FILE *out, int *next, const char *last)
{
    do
        paste(out, &ph_texts[*next]);
    while (strcmp(ph_texts[(*next)++].name, last) != 0);
}

/* The names of texts are the program's own: each is there. */
static void skip(int *next, const char *to)
{
    for (; strcmp(ph_texts[*next].name, to) != 0; ++*next)
        assert(*next + 1 < ph_n_texts);
}

const ph_text *ph_text_find(const char *name)
{
    int k = 0;
    skip(&k, name);
    return &ph_texts[k];
}

/* Frames of gcc -O2, all functions together, are half of this in models from one body to ten: those of a step and of a restart
 * hold the matrix and what elements give, and copies of ph_work. */
long ph_compile_stack(const ph_compiler *c)
{
    const ph_layout *lay = c->lay;
    int eta = c->sim->matrix.n_eta > 0;
    long work = 8 + 5L * lay->nv + lay->nq + lay->nl + c->n + 9L * (c->turns + 1) +
                (eta ? lay->nv + lay->size_links : 0);
    long numbers = 3L * c->n_ids + 8 * work + 2 * (3L * lay->size_pairs + 4L * lay->size_links) + 512;
    if (c->in_loops)
        return (long)PH_STACK_EACH * (c->n / 3 + 16) * c->config->lanes;
    return 8 * numbers * c->config->lanes;
}

/* ---- the header ------------------------------------------------------------------------------------ */

static void print_what(const ph_compiler *c, FILE *out)
{
    const ph_options *o = &c->sim->opt;
    static const char *const form[] = {[PH_INDEX3] = "index3", [PH_INDEX2] = "index2", [PH_GGL] = "ggl"};
    char title[PH_C_COMMENT];
    fprintf(out, "/* The model \"%s\", compiled by Polhode %s: ", ph_c_comment(c->model->name, title),
            ph_version());
    if (ph_multistep_order(c->sim))
        fprintf(out, "bliedf, %s, order %d, correction %s, h %.9g s.\n", form[o->formulation], o->order,
                ph_correction_word((int)o->correction), o->h);
    else
        fprintf(out, "genalpha, %s, sigma %.9g, rho %.9g, h %.9g s.\n", form[o->formulation], o->sigma,
                o->rho, o->h);
    for (int k = 0; k < c->nominal->model->n_params; k++)
        fprintf(out, " * %s = %.17g\n", c->nominal->model->param[k].name, c->nominal->model->param[k].value);
    if (c->open->n)
        fprintf(out, " * open:");
    for (int k = 0; k < c->open->n; k++)
        fprintf(out, "%s %s", k ? "," : "", c->open->name[k]);
    fprintf(out, c->open->n ? "\n */\n" : " */\n");
}

ph_struct_places ph_compile_struct(const ph_run *run, const ph_open *open)
{
    const ph_layout *lay = &run->sim->lay;
    int nl = lay->nl ? lay->nl : 1, inputs = run->model->n_inputs;
    ph_struct_places p = {.steps = 1, .q = 2};
    p.v = p.q + lay->nq, p.vdot = p.v + lay->nv, p.lambda = p.vdot + lay->nv;
    p.a = p.lambda + nl, p.last_vdot = p.a + lay->nv, p.last_lambda = p.last_vdot + lay->nv;
    p.slope = p.last_lambda + nl, p.turns = p.slope + 1,
    p.iterations = p.turns + 3 * (run->mech->n_turns + 1);
    p.input = p.iterations + 1, p.last_input = p.input + inputs;
    p.data = p.last_input + inputs + open->n, p.event = p.data + open->n_data;
    int order = ph_multistep_order(run->sim);
    p.past = p.event + 2 * run->model->n_events;
    p.numbers = p.past + (order ? (2 * order - 1) * lay->nv : 0);
    return p;
}

/* Inputs as fields, by name. */
static void print_inputs(const ph_compiler *c, FILE *h)
{
    const ph_model *m = c->model;
    char name[80], text[PH_C_COMMENT];
    if (!m->n_inputs)
        return;
    fprintf(h, "    struct { /* set them between steps: what they are at the end of the next one */\n");
    for (int k = 0; k < m->n_inputs; k++) {
        const char *unit = m->input[k].unit;
        ph_compile_name(m->input[k].name, name, sizeof name);
        fprintf(h, "        %s_real %s;", c->name, name);
        if (unit && *unit)
            fprintf(h, " /* %s */", ph_c_comment(unit, text));
        fprintf(h, m->input[k].hold == PH_HOLD_STEP ? " /* it jumps at the begin of a step */\n" : "\n");
    }
    fprintf(h, "    } input;\n    %s_real last_input[%d];\n", c->name, m->n_inputs);
}

/* Parameters that are open, and what depends on them. */
static void print_parameters(const ph_compiler *c, FILE *h)
{
    const ph_open *o = c->open;
    char name[80];
    if (o->n)
        fprintf(h, "    struct { /* after other values: %s_%s */\n", c->name,
                o->starts ? "begin" : "restart");
    for (int k = 0; k < o->n; k++) {
        ph_compile_name(o->name[k], name, sizeof name);
        fprintf(h, "        %s_real %s;\n", c->name, name);
    }
    if (o->n)
        fprintf(h, "    } param;\n");
    if (o->n_data)
        fprintf(h, "    %s_real data[%d]; /* numbers of the model that depend on them */\n", c->name,
                o->n_data);
}

/* Flags, and the functions behind them. */
static void print_events(const ph_compiler *c, FILE *h)
{
    static const char *const way[] = {
        [PH_BOTH_WAYS] = "up or down", [PH_UPWARDS] = "up", [PH_DOWNWARDS] = "down"};
    const ph_model *m = c->model;
    char name[80];
    if (!m->n_events)
        return;
    fprintf(h, "    struct { /* 1: in the last step its function has changed its sign; what follows is the "
               "caller's */\n");
    for (int k = 0; k < m->n_events; k++) {
        int stops = 0;
        for (int i = 0; i < m->event[k].n_actions; i++)
            stops |= m->event[k].action[i].what == PH_DO_STOP;
        ph_compile_name(m->event[k].name, name, sizeof name);
        fprintf(h, "        %s_real %s; /* %s%s */\n", c->name, name, way[m->event[k].direction],
                stops ? "; it ends the run" : "");
    }
    fprintf(h, "    } event;\n    %s_real when[%d];\n", c->name, m->n_events);
}

static void print_state(const ph_compiler *c, FILE *h)
{
    const ph_layout *lay = c->lay;
    int nl = lay->nl ? lay->nl : 1;
    if (c->config->lanes > 1)
        fprintf(h,
                "/* %d members at once, each number of the state one of each. Aligned as vectors are. */\n"
                "typedef double %s_real __attribute__((vector_size(%d)));\n\n",
                c->config->lanes, c->name, 8 * c->config->lanes);
    else
        fprintf(h, "typedef double %s_real;\n\n", c->name);
    fprintf(h, "/* The state: SI units; rotations are quaternions, scalar first, body to world. Where bodies "
               "stand in q and v:\n");
    for (int k = 0; k < c->model->n_states; k++)
        fprintf(h, " *   state %s: v[%d], %d number%s\n", c->model->state[k].name, c->mech->own[k].v,
                c->mech->own[k].n, c->mech->own[k].n > 1 ? "s" : "");
    for (int k = 0; k < c->model->n_bodies; k++) {
        const ph_body *b = &c->mech->body[k];
        fprintf(h, " *   %s: position q[%d], velocity v[%d], world", c->model->body[k].name, b->q[0],
                b->v[0]);
        if (!b->particle)
            fprintf(h, "; rotation q[%d], angular velocity v[%d], body", b->q[1], b->v[1]);
        fprintf(h, "\n");
    }
    fprintf(h,
            " */\ntypedef struct %s {\n    %s_real t, steps; /* s; since the start */\n"
            "    %s_real q[%d], v[%d], vdot[%d], lambda[%d];\n"
            "    %s_real a[%d], last_vdot[%d], last_lambda[%d], slope; /* of the method */\n"
            "    %s_real turns[%d][3]; /* of joints that turn: last angle, rate and time */\n"
            "    %s_real iterations; /* of the last step */\n",
            c->name, c->name, c->name, lay->nq, lay->nv, lay->nv, nl, c->name, lay->nv, lay->nv, nl, c->name,
            c->mech->n_turns + 1, c->name);
    print_inputs(c, h);
    print_parameters(c, h);
    print_events(c, h);
    if (ph_multistep_order(c->sim))
        fprintf(h, "    %s_real past[%d]; /* of the method */\n", c->name,
                (2 * ph_multistep_order(c->sim) - 1) * lay->nv);
    fprintf(h, "} %s;\n\n", c->name);
}

static void print_starts(const ph_compiler *c, FILE *h)
{
    const char *n = c->name;
    if (ph_multistep_first(c->sim)) {
        fprintf(h,
                "/* The model after its first %ld steps, which such a method needs to begin. */\nvoid "
                "%s_init(%s *s);\n\n",
                ph_multistep_first(c->sim), n, n);
        return;
    }
    fprintf(h,
            "/* Initial values of the model, consistent, with starting values of the method. */\nvoid "
            "%s_init(%s *s);\n\n",
            n, n);
    fprintf(h,
            "/* Start anew at q and v, which are made consistent%s. Returns 0, or a bit for each member that "
            "failed and is as\n"
            " * before. */\nunsigned %s_restart(%s *s);\n\n",
            c->open->n ? ", with the present parameters" : "", n, n);
    if (c->open->starts)
        fprintf(h,
                "/* The same from the initial values that the model has with the present parameters. */\n"
                "unsigned %s_begin(%s *s);\n\n",
                n, n);
}

static void print_functions(const ph_compiler *c, FILE *h)
{
    const char *n = c->name;
    print_starts(c, h);
    fprintf(h,
            "/* One step of %.9g s, at most %d iterations. Returns 0, or a bit for each member that failed "
            "and is as before. */\n"
            "unsigned %s_step(%s *s);\n\n",
            c->sim->opt.h, c->config->max_iterations ? c->config->max_iterations : c->sim->opt.max_iterations,
            n, n);
    fprintf(h,
            "/* No function allocates or recurses. Compiled with optimisation they need at most %ld bytes of "
            "stack. */\n\n",
            ph_compile_stack(c));
    if (c->model->n_sensors)
        fprintf(h, "/* Sensors. */\n");
}

static void print_guard(const ph_compiler *c, FILE *h, int begin)
{
    char guard[90];
    snprintf(guard, sizeof guard, "%s_H", c->name);
    for (char *p = guard; *p; p++)
        *p = (char)toupper((unsigned char)*p);
    if (begin)
        fprintf(h, "#ifndef %s\n#define %s\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n", guard, guard);
    else
        fprintf(h, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

/* ---- the source ------------------------------------------------------------------------------------- */

static void print_values(ph_compiler *c, const char *name, const double *a, int n)
{
    char text[40];
    fprintf(c->out, "    static const double %s[%d] = {", name, n ? n : 1);
    for (int i = 0; i < n; i++)
        fprintf(c->out, "%s%s", i ? ", " : "", ph_c_number(a[i], text));
    fprintf(c->out, n ? "};\n" : "0};\n");
}

/* The point that a method of several steps begins from: last values, its past and the angles so far. */
static ph_status print_begun(ph_compiler *c)
{
    const ph_run *begun = c->open->begun;
    const ph_sim *sim = begun->sim;
    int nv = c->lay->nv, n = (2 * ph_multistep_order(sim) - 1) * nv;
    double *past = ph_alloc(c->alloc, (size_t)n * sizeof *past);
    char text[3][40];
    if (!past)
        return PH_E_MEMORY;
    ph_multistep_past(sim, past);
    print_values(c, "past", past, n);
    print_values(c, "last_vdot", sim->last.vdot, nv);
    print_values(c, "last_lambda", sim->last.lambda, c->lay->nl);
    ph_free(c->alloc, past);
    fprintf(c->out,
            "    for (int i = 0; i < %d; i++)\n        s->past[i] = ph_k(past[i]);\n"
            "    for (int i = 0; i < PH_NV; i++)\n        s->last_vdot[i] = ph_k(last_vdot[i]);\n"
            "    for (int i = 0; i < PH_NL; i++)\n        s->last_lambda[i] = ph_k(last_lambda[i]);\n"
            "    s->slope = ph_k(1), s->steps = ph_k(%ld), s->t = ph_k(PH_T0 + %ld * PH_H);\n",
            n, ph_multistep_first(sim), ph_multistep_first(sim));
    for (int k = 0; k < begun->mech->n_turns; k++) {
        const ph_counted *t = &begun->mech->turns[k];
        fprintf(c->out,
                "    s->turns[%d][0] = ph_k(%s), s->turns[%d][1] = ph_k(%s), s->turns[%d][2] = ph_k(%s);\n",
                k, ph_c_number(t->angle, text[0]), k, ph_c_number(isnan(t->rate) ? 0 : t->rate, text[1]), k,
                ph_c_number(isnan(t->rate) ? sim->now.t : t->t, text[2]));
    }
    return PH_OK;
}

static ph_status print_init(ph_compiler *c)
{
    const ph_run *from = c->open->begun ? c->open->begun : c->nominal;
    const ph_point *now = &from->sim->now;
    const ph_layout *lay = c->lay;
    ph_status status = PH_OK;
    fprintf(c->out, "PH_EXPORT void %s_init(%s *s)\n{\n", c->name, c->name);
    print_values(c, "q", now->q, lay->nq);
    print_values(c, "v", now->v, lay->nv);
    print_values(c, "vdot", now->vdot, lay->nv);
    print_values(c, "a", now->a, lay->nv);
    print_values(c, "lambda", now->lambda, lay->nl);
    fprintf(
        c->out,
        "    for (int i = 0; i < PH_NQ; i++)\n        s->q[i] = ph_k(q[i]);\n"
        "    for (int i = 0; i < PH_NV; i++) {\n        s->v[i] = ph_k(v[i]), s->a[i] = ph_k(a[i]);\n"
        "        s->vdot[i] = s->last_vdot[i] = ph_k(vdot[i]);\n    }\n"
        "    for (int i = 0; i < PH_NL; i++)\n        s->lambda[i] = s->last_lambda[i] = ph_k(lambda[i]);\n"
        "    s->t = ph_k(PH_T0), s->steps = s->slope = s->iterations = ph_k(0);\n"
        "    for (int i = 0; i < PH_TURNS_COUNTED; i++)\n        s->turns[i][0] = s->turns[i][1] = ph_k(0), "
        "s->turns[i][2] = s->t;\n");
    if (c->open->begun)
        status = print_begun(c);
    for (int k = 0; k < c->model->n_inputs; k++) {
        char field[80], text[40];
        ph_compile_name(c->model->input[k].name, field, sizeof field);
        fprintf(c->out, "    s->input.%s = s->last_input[%d] = ph_k(%s);\n", field, k,
                ph_c_number(ph_input_at(&c->nominal->mech->input[k], c->sim->t0), text));
    }
    for (int k = 0; k < c->open->n; k++) {
        char field[80], text[40];
        ph_compile_name(c->open->name[k], field, sizeof field);
        fprintf(c->out, "    s->param.%s = ph_k(%s);\n", field, ph_c_number(c->open->value[k], text));
    }
    for (int k = 0; k < c->model->n_events; k++) {
        char field[80];
        ph_compile_name(c->model->event[k].name, field, sizeof field);
        fprintf(c->out, "    s->event.%s = s->when[%d] = ph_k(0);\n", field, k);
    }
    fprintf(c->out, "    ph_numbers(s);\n");
    fprintf(c->out, "    ph_track(s, s->t == s->t);\n}\n\n");
    if (!c->open->begun)
        fprintf(c->out, "PH_EXPORT unsigned %s_restart(%s *s)\n{\n    return ph_restart(s);\n}\n\n", c->name,
                c->name);
    if (c->open->starts && !c->open->begun)
        fprintf(c->out, "PH_EXPORT unsigned %s_begin(%s *s)\n{\n    return ph_begin_anew(s);\n}\n\n", c->name,
                c->name);
    fprintf(c->out, "PH_EXPORT unsigned %s_step(%s *s)\n{\n    return ph_step(s);\n}\n\n", c->name, c->name);
    return status;
}

/* What start.h and step.h ask about inputs. */
static void print_input_functions(ph_compiler *c)
{
    const ph_model *m = c->model;
    char name[80];
    fprintf(c->out, "PH_FN ph_real ph_input(const PH_MODEL *s, int k)\n{\n");
    for (int k = 0; k < m->n_inputs; k++) {
        ph_compile_name(m->input[k].name, name, sizeof name);
        fprintf(c->out, "    if (k == %d)\n        return s->input.%s;\n", k, name);
    }
    fprintf(c->out, "    (void)s, (void)k;\n    return ph_k(0);\n}\n\n"
                    "PH_FN ph_mask ph_jumps(const PH_MODEL *s)\n{\n    ph_mask jumps = s->t != s->t;\n");
    for (int k = 0; k < m->n_inputs; k++)
        fprintf(c->out, "    jumps = jumps | ((ph_input(s, %d) != s->last_input[%d])%s);\n", k, k,
                m->input[k].hold == PH_HOLD_STEP ? "" : " & (s->steps == 0)");
    fprintf(c->out, "    return jumps;\n}\n\nPH_FN void ph_keep_inputs(PH_MODEL *s, ph_mask ok)\n{\n");
    for (int k = 0; k < m->n_inputs; k++)
        fprintf(c->out, "    s->last_input[%d] = ph_select(ok, ph_input(s, %d), s->last_input[%d]);\n", k, k,
                k);
    fprintf(c->out, "    (void)s, (void)ok;\n}\n\n");
}

/* Straight-line code that fits into the caches of a processor, and into the patience of a compiler. */
#define STATEMENTS 6000
#define INLINE     300 /* of the elimination, which has numbers in registers then */
#define ELEMENTS   24
#define CELLS      150 /* unknowns */
#define CELLS_MOST 600 /* of models that have no loops: functions, actuators, friction, states */

static int has_controls(const ph_compiler *c)
{
    const ph_model *m = c->model;
    int any = ph_multistep_order(c->sim) || c->open->n_data || m->n_inputs || m->n_states || m->n_actuators ||
              m->n_couplings || c->lay->friction;
    for (int k = 0; k < m->n_joints; k++)
        any |= m->joint[k].drive.call != NULL;
    for (int k = 0; k < m->n_forces; k++)
        any |= m->force[k].f.call != NULL;
    return any;
}

/* The elimination, one by one, to a file of its own; loops are better where it is long. */
static ph_status try_straight(ph_compiler *c, FILE *to)
{
    FILE *out = c->out;
    int only = has_controls(c);
    long begin = ftell(to);
    if (only && c->n > CELLS_MOST)
        return PH_E_INPUT;
    if (!only && (c->n > CELLS || c->model->n_bodies + c->mech->n_joints + c->mech->n_forces > ELEMENTS)) {
        c->in_loops = 1;
        return PH_OK;
    }
    ph_status s = ph_compile_cells(c);
    c->out = to;
    if (s == PH_OK)
        s = ph_compile_elimination(c);
    c->out = out;
    if (only && s == PH_OK && c->statements > STATEMENTS) {
        c->in_tables = 1, c->n_ids = 0;
        ph_free(c->alloc, c->A);
        s = ph_compile_cells(c);
        if (s == PH_OK && (fseek(to, begin, SEEK_SET) != 0 || ftruncate(fileno(to), begin) != 0))
            s = PH_E_MEMORY;
        c->out = to;
        if (s == PH_OK)
            s = ph_compile_elimination(c);
        c->out = out;
    }
    if (only)
        return s;
    c->in_loops = s == PH_E_SINGULAR || c->statements > STATEMENTS;
    return s == PH_E_SINGULAR ? PH_OK : s;
}

static void print_straight(ph_compiler *c, FILE *elimination, int *next)
{
    int ch;
    fprintf(c->out, "#define PH_NA %d /* numbers of the matrix, with fill */\n", c->n_ids + 1);
    fprintf(c->out, "#define PH_ELIMINATE_FN %s\n\n", c->statements < INLINE ? "PH_FN" : "PH_OUT_OF_LINE");
    rewind(elimination);
    while ((ch = fgetc(elimination)) != EOF)
        fputc(ch, c->out);
    if (c->in_tables)
        paste_until(c->out, next, "sparse.h");
    ph_compile_work(c);
    ph_compile_stepping(c);
}

static ph_status print_loops(ph_compiler *c, int *next)
{
    FILE *tables = tmpfile(), *out = c->out;
    int ch;
    if (!tables)
        return PH_E_MEMORY;
    c->out = tables;
    ph_status s = ph_compile_blocks(c);
    c->out = out;
    fprintf(out, "#define PH_BODIES %d\n", c->model->n_bodies);
    ph_compile_work(c);
    paste_until(out, next, "tables.h");
    ph_compile_element_tables(c);
    ph_compile_element_loops(c);
    rewind(tables);
    while ((ch = fgetc(tables)) != EOF)
        fputc(ch, out);
    fclose(tables);
    paste_until(out, next, "loops.h");
    return s;
}

static ph_status print_source(ph_compiler *c)
{
    FILE *out = c->out, *elimination = tmpfile();
    int next = 0;
    if (!elimination)
        return PH_E_MEMORY;
    ph_status s = try_straight(c, elimination);
    print_what(c, out);
    fprintf(out,
            "#include \"%s.h\"\n\n#include <float.h>\n#include <math.h>\n#include <stddef.h>\n\n#define "
            "PH_MODEL %s\n#define "
            "PH_LANES %d\n\n",
            c->name, c->name, c->config->lanes);
    paste_until(out, &next, "real.h");
    ph_compile_constants(c);
    ph_c_members(out, "PH_JOINT_NUMBERS", PH_NUMBERS_JOINT);
    ph_c_members(out, "PH_LAW_NUMBERS", PH_NUMBERS_LAW);
    ph_c_members(out, "PH_FORCE_NUMBERS", PH_NUMBERS_FORCE);
    ph_c_members(out, "PH_FRICTION_NUMBERS", PH_NUMBERS_FRICTION);
    ph_c_members(out, "PH_ACTUATOR_NUMBERS", PH_NUMBERS_ACTUATOR);
    paste_until(out, &next, "functions.h");
    print_input_functions(c);
    ph_compile_numbers(c);
    if (c->open->starts)
        fprintf(out, "#define PH_INITIAL 1 /* initial values follow parameters */\n\n"),
            ph_compile_initial(c);
    if (s == PH_OK)
        s = ph_compile_functions(c);
    ph_compile_data(c);
    if (s == PH_OK && c->in_loops)
        skip(&next, "tables.h"), s = print_loops(c, &next);
    else if (s == PH_OK)
        print_straight(c, elimination, &next);
    fclose(elimination);
    skip(&next, "rates.h");
    if (s == PH_OK)
        s = ph_compile_tracking(c);
    ph_multistep_remember(c);
    paste_until(out, &next, "step.h");
    ph_compile_watch(c);
    return s == PH_OK ? print_init(c) : s;
}

/* ---- all of it ---------------------------------------------------------------------------------------- */

static void take(ph_compiler *c, ph_arena *a)
{
    const ph_layout *lay = c->lay;
    size_t pairs = (size_t)lay->size_pairs, links = (size_t)lay->size_links;
    c->turn = ph_arena_take(a, (size_t)lay->N, sizeof(int));
    c->unknown = ph_arena_take(a, (size_t)(lay->nv + 2 * lay->nl), sizeof(int));
    c->M = ph_arena_take(a, pairs, sizeof(ph_entry));
    c->C = ph_arena_take(a, pairs, sizeof(ph_entry));
    c->K = ph_arena_take(a, pairs, sizeof(ph_entry));
    c->B = ph_arena_take(a, links, sizeof(ph_entry));
    c->Z = ph_arena_take(a, links, sizeof(ph_entry));
    c->Gl = ph_arena_take(a, links, sizeof(ph_entry));
}

static ph_status compile(ph_compiler *c, FILE *header, ph_error *err)
{
    for (int i = 0; i < c->lay->N; i++)
        c->turn[i] = c->lay->slot[i].T_at >= 0 ? c->turns++ : -1;
    ph_status s = ph_compile_structure(c, err);
    if (s != PH_OK)
        return s;
    s = print_source(c);
    print_what(c, header);
    print_guard(c, header, 1);
    print_state(c, header);
    print_functions(c, header);
    ph_compile_sensors(c, header);
    print_guard(c, header, 0);
    if (s == PH_E_SINGULAR)
        return ph_fail(
            err, PH_E_INPUT,
            "the equations of the model cannot be eliminated without pivots that depend on its state");
    if (s == PH_E_INPUT)
        return ph_fail(err, s,
                       "the model has %d unknowns in a step, more than the %d that can be compiled with "
                       "functions, actuators, friction, states or open parameters",
                       c->n, CELLS_MOST);
    return s == PH_OK ? s : ph_fail(err, s, "not enough memory to compile the model");
}

ph_status ph_compiler_open(ph_compiler *c, const ph_open *open, const ph_compile_config *config,
                           char name[80], ph_error *err)
{
    const ph_run *run = open->generic;
    *c = (ph_compiler){.config = config,
                       .open = open,
                       .run = run,
                       .nominal = open->nominal,
                       .model = run->model,
                       .mech = run->mech,
                       .sim = run->sim,
                       .lay = &run->sim->lay,
                       .name = name,
                       .alloc = run->config.alloc};
    if (config->lanes != 1 && config->lanes != 2 && config->lanes != 4 && config->lanes != 8)
        return ph_fail(err, PH_E_INPUT, "%d members at once: it must be 1, 2, 4 or 8", config->lanes);
    ph_status s = ph_compile_name_of(run, config, name, 80, err);
    return s == PH_OK ? ph_compile_scope(c, err) : s;
}

ph_status ph_open_compile(const ph_open *open, const ph_compile_config *config, FILE *header, FILE *source,
                          ph_error *err)
{
    char name[80];
    ph_compiler c;
    ph_arena own = {0};
    ph_status s = ph_compiler_open(&c, open, config, name, err);
    if (s != PH_OK)
        return s;
    c.out = source;
    take(&c, &own);
    if (!ph_arena_open(&own, c.alloc))
        return ph_fail(err, PH_E_MEMORY, "not enough memory to compile the model");
    take(&c, &own);
    s = compile(&c, header, err);
    ph_free(c.alloc, c.A);
    ph_free(c.alloc, c.X);
    ph_free(c.alloc, own.block);
    return s;
}

ph_status ph_run_compile(const ph_run *run, const ph_compile_config *config, FILE *header, FILE *source,
                         ph_error *err)
{
    ph_compile_config c = ph_compile_defaults();
    ph_open *open;
    memcpy(&c, config, config->size < sizeof c ? config->size : sizeof c);
    if (!run->model)
        return ph_fail(err, PH_E_INPUT, "only runs of models can be compiled");
    if ((c.n_open && ph_multistep_refuse(run, "one with open parameters", err) != PH_OK) ||
        (run->model->n_inputs && ph_multistep_refuse(run, "one with inputs", err) != PH_OK))
        return PH_E_INPUT;
    ph_status s = ph_open_create(&open, run, c.open, c.n_open, 1, err);
    if (s != PH_OK)
        return s;
    s = ph_open_compile(open, &c, header, source, err);
    ph_open_destroy(open);
    return s;
}
