/* Functions of a model file, which the bytes spell: the traced program against direct calls of Lua, bit by bit, and its
 * gradients against differences. The bytes choose patterns of a small grammar, so that nearly all of them are functions. */
#include "fuzz.h"

#include <float.h>

#include "expr/ops.h"
#include "mech/argument.h"
#include "model/outlook.h"
#include "model/trace.h"

/* ---- bytes to Lua --------------------------------------------------------------------------------------- */

enum { TEXT = 8000, FUEL = 48, RESULTS = 3, POINTS = 6, ARGUMENTS = 32 };

typedef struct writer {
    const uint8_t *data;
    size_t size, at;
    char text[TEXT];
    int n, fuel;
} writer;

static int byte(writer *w)
{
    return w->at < w->size ? w->data[w->at++] : 0;
}

/* In patterns $ is an expression ? a condition, ! the results. What ends first stands first: it is what is left without fuel. */
enum { LEAVES = 46, COMPARISONS = 8 };
static const char *const expressions[] = {
    "t",
    "s.t",
    "s.a.position.x",
    "s.a.position[2]",
    "s.a.rotation.w",
    "s.a.rotation[3]",
    "s.a.velocity.z",
    "s.a.omega[1]",
    "s.b.position.z",
    "s.b.omega.y",
    "s.c.velocity.x",
    "s.c.rotation.w",
    "s.ground.position.x",
    "s.inputs.u",
    "s.inputs.v",
    "x",
    "y",
    "x",
    "y",
    "p",
    "math.pi",
    "list[2]",
    "#list",
    "0",
    "1",
    "2",
    "3",
    "0.5",
    "-1",
    "0.1",
    "-0.7",
    "10",
    "1.5",
    "1e3",
    "1e-3",
    "-2",
    "7",
    "0.0",
    "1e6",
    "-0.0",
    "1e16",
    "1e-9",
    "2^53",
    "1e90",
    "1/3",
    "4",
    "-$",
    "math.sin($)",
    "math.cos($)",
    "math.tan($)",
    "math.exp($)",
    "math.log($)",
    "math.sqrt($)",
    "math.abs($)",
    "math.floor($)",
    "math.ceil($)",
    "math.asin($)",
    "math.acos($)",
    "math.sinh($)",
    "math.cosh($)",
    "math.tanh($)",
    "math.asinh($)",
    "math.acosh($)",
    "math.atanh($)",
    "math.log10($)",
    "math.cbrt($)",
    "math.atan($)",
    "sign($)",
    "math.deg($)",
    "math.rad($)",
    "linear($)",
    "cubic($)",
    "monotone($)",
    "around($)",
    "square($)",
    "tonumber($)",
    "(math.modf($))",
    "(select(2, math.modf($)))",
    "math.log($, 2)",
    "math.log($, 10)",
    "math.log($, 3)",
    "($ + $)",
    "($ - $)",
    "($*$)",
    "($/$)",
    "($^$)",
    "($ % $)",
    "($ // $)",
    "$^2",
    "$^0.5",
    "math.max($, $)",
    "math.min($, $)",
    "math.fmod($, $)",
    "math.atan($, $)",
    "math.atan2($, $)",
    "math.hypot($, $)",
    "norm($, $)",
    "({$, $})[2]",
    "select(2, $, $)",
    "clamp($, $, $)",
    "smoothstep($, $, $)",
    "math.max($, $, $)",
    "(? and $ or $)",
    "(function(x) return $ end)($)",
};
static const char *const conditions[] = {
    "$ < $",  "$ <= $", "$ > $",   "$ >= $",    "$ < 1",    "$ > 0",
    "$ == $", "$ ~= $", "not (?)", "(? and ?)", "(? or ?)",
};
static const char *const statements[] = {
    "x = $",
    "y = $",
    "x, y = y, $",
    "if ? then x = $ end",
    "if ? then x = $ else y = $ end",
    "for i = 1, 3 do x = x + $*i end",
    "for _, v in ipairs(list) do y = y*v + $ end",
    "if ? then return ! end",
    "local x = $",
    "while y < 0 do y = y + 1 + y*y end",
    "local q = {$, $} table.sort(q) x = q[1]",
    "if ? then error('no') end",
};

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

static void put(writer *w, const char *pattern, int results);

static void choose(writer *w, const char *const *list, int n, int small, int results)
{
    put(w, list[byte(w) % (--w->fuel > 0 ? n : small)], results);
}

static void put(writer *w, const char *pattern, int results)
{
    for (const char *c = pattern; *c; c++)
        if (*c == '$')
            choose(w, expressions, COUNT(expressions), LEAVES, results);
        else if (*c == '?')
            choose(w, conditions, COUNT(conditions), COMPARISONS, results);
        else if (*c == '!')
            put(w, &"$, $, $"[3 * (RESULTS - results)], results);
        else if (w->n < TEXT - 1)
            w->text[w->n++] = *c;
}

static const char head[] =
    "local p, list = 1.5, {2, 3, 5}\n"
    "local linear = curve({-1, 0, 2}, {0.5, 0.1, 4})\n"
    "local cubic = curve({-1, 0, 2, 3}, {0.5, 0.1, 4, -1}, {kind = 'cubic', outside = 'linear'})\n"
    "local monotone = curve({-3, 0, 2, 3}, {0.5, 0.1, 4, 7}, {kind = 'monotone', outside = 'error'})\n"
    "local around = curve({0, 0.5, 1}, {1, 2, 1}, {kind = 'cubic', outside = 'periodic'})\n"
    "local function square(x) return x*x end\n"
    "local function norm(x, y) return math.sqrt(x^2 + y^2) end\n"
    "body { name = 'a', mass = 1, inertia = {1, 1, 1}, position = {0.3, -0.2, 0.5} }\n"
    "body { name = 'b', mass = 1, inertia = {1, 1, 1}, position = {1, 1, 2}, omega = {1, 2, 3} }\n"
    "particle { name = 'c', mass = 2, position = {0, 1, 0}, velocity = {1, 2, 3} }\n"
    "input { name = 'u', value = 0.7 }\n"
    "input { name = 'v', value = -2 }\n"
    "sensor { name = 'f', custom = function(t, s)\nlocal x, y = 0.5, t\n";

static void write_model(writer *w, const uint8_t *data, size_t size)
{
    w->data = data, w->size = size, w->at = 0, w->n = 0, w->fuel = FUEL;
    put(w, head, 0);
    int results = 1 + byte(w) % RESULTS;
    for (int k = byte(w) % 4; k > 0; k--) {
        choose(w, statements, COUNT(statements), COUNT(statements), results);
        put(w, "\n", 0);
    }
    put(w, "return !\nend }\n", results);
    w->text[w->n] = 0;
}

/* ---- both at one point ---------------------------------------------------------------------------------- */

typedef struct both {
    ph_reader *r;
    const ph_program *p;
    ph_mechanism *m; /* which has inputs and nothing else */
    ph_body_state body[3];
    double *room, *dot, *noise, *number;
} both;

static ph_answer program_at(const both *b, const double *x, double *out)
{
    return ph_program_values(b->p, x, b->room, out);
}

/* The function itself; 0: it fails. */
static int lua_at(both *b, const double *x, double *out)
{
    const ph_program *p = b->p;
    double t = 0;
    int n = p->n_out;
    for (int i = 0; i < p->n_args; i++) {
        const ph_argument *a = &p->arg[i];
        size_t at = ph_function_offset(a->kind);
        if (a->kind == PH_ARG_TIME)
            t = x[i];
        else if (a->kind == PH_ARG_INPUT)
            b->m->input[a->index].u[1] = x[i];
        else
            memcpy((char *)&b->body[a->index] + at + sizeof(double) * (size_t)a->component, &x[i],
                   sizeof(double));
    }
    ph_scene scene = {.m = b->m, .t = t, .bodies = b->body};
    b->r->scene = &scene;
    ph_sandbox_start(b->r, PH_MODEL_CALL_S, PH_MODEL_CALL_OPS);
    int done = ph_function_evaluate(b->r, 0, t, b->body, &n, out);
    b->r->scene = NULL, b->r->failed = 0, b->r->error = (ph_error){0};
    return done;
}

/* What is known has the bits of Lua, and what has no value has none there; a number too large is an error of Lua alone. */
static int compare(both *b, const double *x)
{
    double own[RESULTS], direct[RESULTS];
    ph_answer answer = program_at(b, x, own);
    int done = lua_at(b, x, direct), large = 0;
    if (answer == PH_UNTRACED)
        return 0;
    if (answer == PH_NOWHERE) {
        must(!done);
        return 0;
    }
    for (int i = 0; i < b->p->n_out; i++)
        large |= fabs(own[i]) > PH_MODEL_NUMBER;
    must(done == !large);
    must(!done || !memcmp(own, direct, sizeof(double) * (size_t)b->p->n_out));
    return done;
}

/* ---- derivatives ---------------------------------------------------------------------------------------- */

enum { SWITCHES = 64 };

/* Near a point, along one argument. */
typedef struct slope {
    double value[RESULTS], dot[RESULTS], noise[RESULTS]; /* noise: what rounding makes of a value */
    double rate; /* the fastest number on the way, by itself or by its size: until one is another one */
    double side[SWITCHES];
    int leaf, switches;
} slope;

static const ph_stretch *child(const ph_program *p, const ph_stretch *s, const double *y)
{
    int yes = s->relation == PH_LESS    ? y[s->a] < y[s->b]
              : s->relation == PH_EQUAL ? y[s->a] == y[s->b]
                                        : y[s->a] <= y[s->b];
    return p->stretch + (yes ? s->yes : s->no);
}

static void forward_op(both *b, const ph_op *o, slope *s)
{
    double *y = b->number, by[3];
    if (o->code == PH_OP_CURVE)
        b->p->curve[o->curve].at(b->p->curve[o->curve].curve, y[o->a], 1, by), y[o->y] = by[0], by[0] = by[1],
                                                                               by[1] = 0;
    else
        y[o->y] = ph_op_value(o->code, y[o->a], y[o->b]),
        ph_op_slopes(o->code, o->wants, y[o->a], y[o->b], y[o->y], by);
    double dot = 0, noise = DBL_EPSILON * fabs(y[o->y]) + DBL_MIN;
    if (o->wants & 1 && by[0] != 0)
        dot += by[0] * b->dot[o->a], noise += fabs(by[0]) * b->noise[o->a];
    if (o->wants & 2 && by[1] != 0)
        dot += by[1] * b->dot[o->b], noise += fabs(by[1]) * b->noise[o->b];
    b->dot[o->y] = dot, b->noise[o->y] = noise;
    s->rate = fmax(s->rate, dot != 0 ? fabs(dot) * fmax(1, 10 / fabs(y[o->y])) : 0);
}

/* Forwards (P2) along argument i, from the tables of operations alone. */
static int slope_at(both *b, const double *x, int i, slope *s)
{
    const ph_program *p = b->p;
    *s = (slope){.rate = fmax(1, 10 / fabs(x[i]))};
    if (!compare(b, x))
        return 0;
    program_at(b, x, s->value);
    s->leaf = ph_program_leaf(p, b->room), s->switches = ph_program_switches(p, b->room, s->side, SWITCHES);
    for (int k = 0; k < p->n_args + p->n_constants; k++) {
        b->number[k] = k < p->n_args ? x[k] : p->constant[k - p->n_args];
        b->dot[k] = k == i, b->noise[k] = 0;
    }
    const ph_stretch *at = p->stretch;
    for (;; at = child(p, at, b->number)) {
        for (int k = at->first; k < at->end; k++)
            forward_op(b, &p->op[k], s);
        if (at->kind != PH_TREE_BRANCH)
            break;
    }
    for (int k = 0; k < p->n_out; k++)
        s->dot[k] = b->dot[p->result[at->out + k]], s->noise[k] = b->noise[p->result[at->out + k]];
    return s->switches <= SWITCHES;
}

static int same_formula(const slope *a, const slope *b)
{
    int same = a->leaf == b->leaf && a->switches == b->switches;
    for (int k = 0; k < a->switches && same; k++)
        same = a->side[k] * b->side[k] > 0 || (a->side[k] == 0 && b->side[k] == 0);
    return same;
}

/* A difference over an interval is a slope within it. */
static void differentiate(both *b, double *x, int i)
{
    const ph_program *p = b->p;
    slope at, end[2];
    double g[RESULTS][ARGUMENTS], here = x[i];
    int known = 1, finite[RESULTS];
    if (!slope_at(b, x, i, &at))
        return;
    ph_program_partials(p, b->room, 1);
    for (int k = 0; k < p->n_out; k++)
        finite[k] = ph_program_gradient(p, b->room, k, g[k]);
    double h = 1e-4 / at.rate, width;
    for (int k = 0; k < 2 && known; k++) {
        x[i] = k ? here + h : here - h;
        known = slope_at(b, x, i, &end[k]) && same_formula(&at, &end[k]);
    }
    x[i] = here;
    width = (here + h) - (here - h);
    for (int k = 0; k < p->n_out && known && width > 0; k++) {
        double d = (end[1].value[k] - end[0].value[k]) / width;
        double range = fmax(fmax(at.dot[k], end[0].dot[k]), end[1].dot[k]) -
                       fmin(fmin(at.dot[k], end[0].dot[k]), end[1].dot[k]);
        double noise = fmax(at.noise[k], fmax(end[0].noise[k], end[1].noise[k])) / width;
        if (finite[k] && isfinite(d) && isfinite(range) && isfinite(noise))
            must(fabs(d - g[k][i]) <= 4 * range + 100 * noise);
    }
}

/* ---- all ------------------------------------------------------------------------------------------------ */

/* Where the bytes end, numbers go on. */
static int byte_or_more(writer *w)
{
    return w->at < w->size ? byte(w) : (int)((uint32_t)(++w->at) * 2654435761u >> 24);
}

/* Whole, large, small, and any. */
static double number(writer *w)
{
    static const double few[] = {0,    1,   -1,   0.5,  2,   -0.0, 1e-3, 3.7,
                                 -2.3, 100, 1e-9, -1e4, 1e9, 0.1,  -0.3, 0.7};
    int k = byte_or_more(w), more = byte_or_more(w);
    return k < 32   ? few[k % 16]
           : k < 64 ? ldexp(k - 48 + 0.37, more % 40 - 20)
                    : (k - 160) / 32.0 + more / 8192.0;
}

static void try_points(both *b, writer *w)
{
    double x[ARGUMENTS];
    for (int k = 0; k < POINTS; k++) {
        for (int i = 0; i < b->p->n_args; i++)
            x[i] = number(w);
        if (compare(b, x) && b->p->n_args)
            differentiate(b, x, k % b->p->n_args);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static writer w;
    static ph_mechanism m;
    ph_input input[2] = {{.t = {0, -INFINITY}}, {.t = {0, -INFINITY}}};
    ph_model *model;
    ph_error err = {.text = ""};
    write_model(&w, data, size);
    if (getenv("PH_FUZZ_SHOW"))
        fputs(strstr(w.text, "sensor {"), stderr);
    if (ph_model_read_text(&model, "traced.lua", w.text, (size_t)w.n, NULL, 0, NULL, &err) != PH_OK) {
        must(err.text[0]);
        return 0;
    }
    const ph_traced *t = model->sensor[0].f.traced;
    must(t->program || t->reason);
    /* what only values that are kept between calls would explain; with NaN, sorting has no order to find */
    must(!t->reason || strstr(w.text, "table.sort") ||
         (!strstr(t->reason, "gives something else") && !strstr(t->reason, "from call to call")));
    if (t->program && t->program->n_args <= ARGUMENTS) {
        size_t n = (size_t)t->program->n_numbers, room = ph_program_room(t->program);
        both b = {(ph_reader *)model,
                  t->program,
                  &m,
                  {{.q = {1, 0, 0, 0}}, {.q = {1, 0, 0, 0}}, {.q = {1, 0, 0, 0}}},
                  calloc(room + 3 * n, sizeof(double)),
                  NULL,
                  NULL,
                  NULL};
        must(b.room);
        b.dot = b.room + room, b.noise = b.dot + n, b.number = b.noise + n;
        m.model = model, m.input = input;
        try_points(&b, &w);
        free(b.room);
    }
    ph_model_free(model);
    return 0;
}
