/* Parameters that stay variable: which numbers of the model depend on them, and how.
 *
 * The model is built at many values of the parameters. A number that is the same everywhere stays a constant; each of the others
 * is found as a sum of products of powers,
 *
 *   x = sum_k c_k p_1^e_k1 p_2^e_k2 ...,   e from -2 to 4,
 *
 * with the fewest terms that give its values to round-off: exponents first, of each parameter on a line through all of them, then
 * the factors from points anywhere, which must all be met. What is no such sum is refused, and so is what else than numbers
 * changes. Initial values, where all are such sums, are found as well. The source is written for a run at values without special ones, where no damper or ratio happens to be 0 or 1. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "mech/support.h"
#include "run/private.h"

#define LINE   9  /* points along one parameter */
#define POINTS 36 /* anywhere */
#define TERMS  27 /* three parameters, three exponents each */
#define DEPEND 3  /* parameters that one number depends on */

static const double along[LINE] = {0.55, 0.68, 0.79, 0.9, 1, 1.1, 1.24, 1.37, 1.45};
static const int exponent[] = {0, 1, 2, -1, 3, -2, 4};
#define EXPONENTS ((int)(sizeof exponent / sizeof *exponent))

#define MET   1e-13 /* of a number's size: what its sum may leave */
#define START 1e-12 /* the same of initial values, which were made consistent */

/* ---- runs at other values ------------------------------------------------------------------------------------ */

/* How far values are from those of the file: the widest of these at which the model can be built. */
static const double widths[] = {1, 0.25, 0.05};
#define WIDTHS ((int)(sizeof widths / sizeof *widths))

/* Not 0 and not 1, whatever the parameter is. */
static double generic_of(double nominal, double width, int k)
{
    return (nominal != 0 ? nominal : 0.03) * (1 + width * (0.0617 + 0.0113 * k));
}

static ph_status build(ph_open *o, const double *value, int wait, ph_run **out, ph_error *err)
{
    const ph_run *run = o->nominal;
    ph_run_config c = run->config;
    ph_setting set[PH_OPEN_MAX];
    ph_error why = {0};
    for (int k = 0; k < o->n; k++)
        set[k] = (ph_setting){.name = o->name[k], .value = value[k]};
    c.parameters = set, c.n_parameters = o->n, c.options = (const char *const *)run->told.option;
    c.n_options = run->told.n_options, c.watch = 0, c.log = NULL, c.wait = wait, c.compiled = 0;
    ph_status s = ph_run_create(out, run->model, &c, &why);
    if (s == PH_OK && run->told.has_method)
        s = ph_run_set_method(*out, &run->said.opt, &why); /* and options that came after it */
    if (s == PH_OK)
        return s;
    ph_run_close(*out);
    *out = NULL, o->unbuilt = s != PH_E_MEMORY;
    char at[256] = "";
    for (int k = 0; k < o->n; k++)
        snprintf(at + strlen(at), sizeof at - strlen(at), "%s%.60s = %.6g", k ? ", " : "", o->name[k],
                 value[k]);
    return ph_fail(err, s == PH_E_MEMORY ? s : PH_E_INPUT, "a parameter cannot stay open: at %s: %.300s", at,
                   why.text);
}

/* q and v at the initial time. */
static void copy_start(const ph_run *run, double *out)
{
    const ph_layout *lay = &run->sim->lay;
    memcpy(out, run->q0, sizeof *out * (size_t)lay->nq);
    memcpy(out + lay->nq, run->v0, sizeof *out * (size_t)lay->nv);
}

/* The numbers of the model at other values, then its initial values; parameter: the one that is another, -1: all are. */
static ph_status look(ph_open *o, const double *value, int parameter, ph_run **keep, double *out,
                      ph_error *err)
{
    ph_run *run;
    ph_constants x;
    ph_status s = build(o, value, 1, &run, err);
    if (s != PH_OK)
        return s;
    s = ph_constants_create(&x, run, run->config.alloc);
    if (s != PH_OK)
        ph_fail(err, s, "not enough memory to compile the model");
    else if (x.shape != o->constants.shape || x.n != o->constants.n)
        s = ph_fail(err, PH_E_INPUT,
                    "parameter '%s' cannot stay open: it changes more than numbers of the model",
                    o->name[parameter < 0 ? 0 : parameter]);
    else
        memcpy(out, x.value, sizeof *out * (size_t)x.n);
    if (s == PH_OK && o->n_start)
        copy_start(run, out + x.n);
    ph_constants_destroy(&x);
    if (s == PH_OK && keep)
        *keep = run;
    else
        ph_run_close(run);
    return s;
}

/* In (-1, 1), without special values (splitmix64). */
static double any_number(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) / (double)(1ull << 52) - 1;
}

/* ---- sums -------------------------------------------------------------------------------------------------- */

/* Least squares of A c = y, m x n, by Householder's reflections; A and y are lost. The largest residual. */
static void solve(int m, int n, double (*A)[TERMS], double *y, double *c)
{
    for (int k = 0; k < n; k++) {
        double norm = 0, dot;
        for (int i = k; i < m; i++)
            norm = hypot(norm, A[i][k]);
        double alpha = A[k][k] > 0 ? -norm : norm, v0 = A[k][k] - alpha, beta = -1 / (alpha * v0);
        if (norm == 0)
            beta = 0;
        A[k][k] = v0;
        for (int j = k + 1; j <= n; j++) {
            dot = 0;
            for (int i = k; i < m; i++)
                dot += A[i][k] * (j < n ? A[i][j] : y[i]);
            for (int i = k; i < m; i++)
                *(j < n ? &A[i][j] : &y[i]) -= beta * dot * A[i][k];
        }
        A[k][k] = alpha;
    }
    for (int k = n - 1; k >= 0; k--) {
        c[k] = y[k];
        for (int j = k + 1; j < n; j++)
            c[k] -= A[k][j] * c[j];
        c[k] = A[k][k] != 0 ? c[k] / A[k][k] : 0;
    }
}

static double power(double x, int e)
{
    double y = 1;
    for (int k = 0; k < abs(e); k++)
        y *= x;
    return e < 0 ? 1 / y : y;
}

static double product(const ph_open *o, const ph_open_term *t, const double *p)
{
    double y = 1;
    for (int k = 0; k < o->n; k++)
        y *= power(p[k], t->e[k]);
    return y;
}

static double sum_at(const ph_open *o, const ph_open_sum *s, const double *p)
{
    double y = 0;
    for (int k = 0; k < s->n; k++)
        y += s->term[k].c * product(o, &s->term[k], p);
    return y;
}

static double missed(const ph_open *o, const ph_open_sum *s, int points, const double (*p)[PH_OPEN_MAX],
                     const double *y)
{
    double most = 0;
    for (int i = 0; i < points; i++)
        most = fmax(most, fabs(sum_at(o, s, p[i]) - y[i]));
    return most;
}

/* The factors of the terms that best meet y at the points. */
static void fit(const ph_open *o, ph_open_sum *s, int points, const double (*p)[PH_OPEN_MAX], const double *y)
{
    double A[POINTS][TERMS], b[POINTS], c[TERMS], one[PH_OPEN_MAX];
    for (int k = 0; k < o->n; k++)
        one[k] = o->generic_value[k];
    for (int i = 0; i < points; i++) {
        b[i] = y[i];
        for (int k = 0; k < s->n; k++) /* of the size of 1 */
            A[i][k] = product(o, &s->term[k], p[i]) / product(o, &s->term[k], one);
    }
    solve(points, s->n, A, b, c);
    for (int k = 0; k < s->n; k++)
        s->term[k].c = c[k] / product(o, &s->term[k], one);
}

/* The fewest exponents of one parameter that give the values on its line; 0: there are none. */
static int find_exponents(const ph_open *o, int parameter, const double (*p)[PH_OPEN_MAX], const double *y,
                          double least, int out[3])
{
    int last = EXPONENTS;
    for (int n = 1; n <= 3; n++)
        for (int a = 0; a < last; a++)
            for (int b = n > 1 ? a + 1 : last - 1; b < last; b++)
                for (int c = n > 2 ? b + 1 : last - 1; c < last; c++) {
                    const int chosen[] = {exponent[a], exponent[b], exponent[c]};
                    ph_open_term term[3] = {{0}};
                    ph_open_sum s = {n, term};
                    int ok = 1;
                    for (int k = 0; k < n; k++) {
                        term[k].e[parameter] = (signed char)chosen[k];
                        ok &= chosen[k] >= 0 || o->value[parameter] != 0;
                    }
                    if (!ok)
                        continue;
                    fit(o, &s, LINE, p, y);
                    if (missed(o, &s, LINE, p, y) > least)
                        continue;
                    memcpy(out, chosen, sizeof chosen);
                    return n;
                }
    return 0;
}

/* Terms that add nothing go; factors of few digits are those that were meant. */
static void tidy(const ph_open *o, ph_open_sum *s, const double (*p)[PH_OPEN_MAX], const double *y,
                 double size, double met)
{
    int n = 0;
    for (int k = 0; k < s->n; k++)
        if (fabs(s->term[k].c * product(o, &s->term[k], o->generic_value)) > 10 * met * size)
            s->term[n++] = s->term[k];
    if (n < s->n)
        s->n = n, fit(o, s, POINTS, p, y);
    for (int k = 0; k < s->n; k++) {
        double c = s->term[k].c, before = missed(o, s, POINTS, p, y);
        char text[32];
        snprintf(text, sizeof text, "%.13g", c);
        s->term[k].c = strtod(text, NULL);
        if (missed(o, s, POINTS, p, y) > fmax(before, 4e-16 * size))
            s->term[k].c = c;
    }
}

/* ---- all numbers ---------------------------------------------------------------------------------------------- */

typedef struct samples {
    double (*line)[LINE][PH_OPEN_MAX]; /* of each parameter */
    double (*point)[PH_OPEN_MAX];
    double *on_line, *at_point; /* n x LINE x numbers; POINTS x numbers */
    double *own, *size;         /* numbers: of the generic run; of the field that it stands in */
    int numbers;                /* constants, then initial values */
} samples;

static int is_start(const ph_open *o, int number)
{
    return number >= o->constants.n;
}

/* What round-off may make of a number, of its size. */
static double noise(const ph_open *o, int number)
{
    return is_start(o, number) ? START : 2e-15;
}

static ph_status take_samples(ph_open *o, samples *t, ph_error *err)
{
    int n = t->numbers;
    uint64_t seed = 2025;
    ph_status s = PH_OK;
    for (int k = 0; k < o->n && s == PH_OK; k++)
        for (int i = 0; i < LINE && s == PH_OK; i++) {
            memcpy(t->line[k][i], o->generic_value, sizeof t->line[k][i]);
            t->line[k][i][k] *= 1 + o->width * (along[i] - 1);
            s = look(o, t->line[k][i], k, NULL, t->on_line + (size_t)(k * LINE + i) * (size_t)n, err);
        }
    for (int i = 0; i < POINTS && s == PH_OK; i++) {
        for (int k = 0; k < o->n; k++)
            t->point[i][k] = o->generic_value[k] * (1 + o->width * 0.45 * any_number(&seed));
        s = look(o, t->point[i], -1, i < PH_OPEN_SAMPLES ? &o->sample[i] : NULL,
                 t->at_point + (size_t)i * (size_t)n, err);
    }
    return s;
}

/* 1: the numbers of a row, stride apart, are not all alike. */
static int varies(const double *a, int stride, int n, double own, double least)
{
    for (int i = 0; i < n; i++)
        if (!(fabs(a[(size_t)i * (size_t)stride] - own) <= least))
            return 1;
    return 0;
}

static double least_of(const ph_open *o, const samples *t, int number)
{
    return noise(o, number) * fmax(t->size[number], fabs(t->own[number]));
}

static int varies_on_line(const ph_open *o, const samples *t, int number, int k)
{
    return varies(t->on_line + (size_t)k * LINE * (size_t)t->numbers + number, t->numbers, LINE,
                  t->own[number], least_of(o, t, number));
}

static int varies_at_all(const ph_open *o, const samples *t, int number)
{
    return varies(t->at_point + number, t->numbers, POINTS, t->own[number], least_of(o, t, number));
}

static void copy_row(const double *a, int stride, int n, double *out)
{
    for (int i = 0; i < n; i++)
        out[i] = a[(size_t)i * (size_t)stride];
}

/* The sum that a number is. 0: it is none; -1: not enough memory. */
static int find_sum(ph_open *o, const samples *t, int number, ph_open_sum *s, int *culprit)
{
    int n = t->numbers, count[PH_OPEN_MAX] = {0}, e[PH_OPEN_MAX][3], depends = 0, terms = 1;
    double y[POINTS], size = t->size[number], met = is_start(o, number) ? START : MET;
    for (int k = 0; k < o->n; k++) {
        const double *row = t->on_line + (size_t)k * LINE * (size_t)n + number;
        if (!varies_on_line(o, t, number, k))
            continue;
        copy_row(row, n, LINE, y);
        for (int i = 0; i < LINE; i++)
            size = fmax(size, fabs(y[i]));
        *culprit = k;
        count[k] = find_exponents(o, k, (const double(*)[PH_OPEN_MAX])t->line[k], y, met * size, e[k]);
        if (!count[k] || ++depends > DEPEND)
            return 0;
        terms *= count[k];
    }
    s->term = ph_alloc(o->nominal->config.alloc, sizeof *s->term * (size_t)terms);
    if (!s->term)
        return -1;
    memset(s->term, 0, sizeof *s->term * (size_t)terms);
    s->n = terms;
    for (int i = 0; i < terms; i++)
        for (int k = 0, rest = i; k < o->n; k++)
            if (count[k])
                s->term[i].e[k] = (signed char)e[k][rest % count[k]], rest /= count[k];
    copy_row(t->at_point + number, n, POINTS, y);
    for (int i = 0; i < POINTS; i++)
        size = fmax(size, fabs(y[i]));
    fit(o, s, POINTS, (const double(*)[PH_OPEN_MAX])t->point, y);
    tidy(o, s, (const double(*)[PH_OPEN_MAX])t->point, y, size, met);
    return missed(o, s, POINTS, (const double(*)[PH_OPEN_MAX])t->point, y) <= 10 * met * size;
}

/* Whose number it is, in words. */
static void print_owner(const ph_open *o, int number, char *text, size_t size)
{
    const ph_constants *x = &o->constants;
    const ph_model *m = o->generic->model;
    const ph_mechanism *mech = o->generic->mech;
    int e = x->elements - 1, kind = PH_CONSTANT_FUNCTION;
    while (e > 0 && x->first[e] > number)
        e--;
    while (kind > 0 && x->kind[kind] > e)
        kind--;
    int k = e - x->kind[kind];
    const ph_force *f = kind == PH_CONSTANT_FORCE ? &mech->force[k] : NULL;
    if (kind == PH_CONSTANT_BODY)
        snprintf(text, size, "body '%s'", m->body[k].name);
    else if (kind == PH_CONSTANT_JOINT)
        snprintf(text, size, "joint '%s'", m->joint[mech->joint[k].def].name);
    else if (kind == PH_CONSTANT_FORCE)
        snprintf(text, size, "'%s'",
                 f->def        ? f->def->name
                 : f->actuator ? f->actuator->name
                               : m->joint[f->joint->def].name);
    else if (kind == PH_CONSTANT_COUPLE)
        snprintf(text, size, "coupling '%s'", m->coupling[mech->couple[k].def].name);
    else if (kind == PH_CONSTANT_SENSOR)
        snprintf(text, size, "sensor '%s'", m->sensor[k].name);
    else
        snprintf(text, size, "a function of the model");
}

static ph_status no_memory(ph_error *err)
{
    return ph_fail(err, PH_E_MEMORY, "not enough memory to compile the model");
}

/* Initial values as sums; where one is none, there are none of the others either. */
static ph_status find_start(ph_open *o, const samples *t, ph_error *err)
{
    int first = o->constants.n, culprit;
    o->start = ph_alloc(o->nominal->config.alloc, sizeof *o->start * ((size_t)o->n_start + 1));
    if (!o->start)
        return no_memory(err);
    memset(o->start, 0, sizeof *o->start * ((size_t)o->n_start + 1));
    o->starts = 1;
    for (int i = 0; i < o->n_start && o->starts; i++)
        if (varies_at_all(o, t, first + i)) {
            o->starts = find_sum(o, t, first + i, &o->start[i], &culprit);
            if (o->starts < 0)
                return no_memory(err);
        }
    for (int i = 0; i < o->n_start; i++)
        for (int k = 0; k < o->n; k++)
            o->starts_at[k] |= varies_on_line(o, t, first + i, k);
    return PH_OK;
}

static ph_status check_matters(const ph_open *o, ph_error *err)
{
    for (int k = 0; k < o->n; k++)
        if (!o->matters[k] && !(o->starts && o->starts_at[k]))
            return ph_fail(err, PH_E_INPUT,
                           o->starts_at[k]
                               ? "parameter '%s' cannot stay open: no number of the equations depends on it, "
                                 "and an initial value that does is no polynomial of it"
                               : "parameter '%s' cannot stay open: nothing in the model depends on it",
                           o->name[k]);
    return PH_OK;
}

static ph_status find_data(ph_open *o, const samples *t, int sums, ph_error *err)
{
    int n = o->constants.n;
    const ph_allocator *alloc = o->nominal->config.alloc;
    o->number = ph_alloc(alloc, sizeof *o->number * ((size_t)n + 1));
    o->sum = ph_alloc(alloc, sizeof *o->sum * ((size_t)n + 1));
    if (!o->number || !o->sum)
        return no_memory(err);
    memset(o->sum, 0, sizeof *o->sum * ((size_t)n + 1));
    for (int i = 0; i < n; i++) {
        int culprit = 0;
        if (!varies_at_all(o, t, i))
            continue;
        for (int k = 0; k < o->n; k++)
            o->matters[k] |= varies_on_line(o, t, i, k);
        o->datum[i] = o->n_data;
        o->number[o->n_data++] = i;
        int found = sums ? find_sum(o, t, i, &o->sum[o->n_data - 1], &culprit) : 1;
        if (found < 0)
            return no_memory(err);
        if (found)
            continue;
        char owner[160];
        print_owner(o, i, owner, sizeof owner);
        return ph_fail(err, PH_E_INPUT,
                       "parameter '%s' cannot stay open: a number of %s is no polynomial of it",
                       o->name[culprit], owner);
    }
    if (!sums)
        return PH_OK;
    ph_status s = find_start(o, t, err);
    return s == PH_OK ? check_matters(o, err) : s;
}

/* ---- open and close --------------------------------------------------------------------------------------------- */

static ph_status check_names(ph_open *o, ph_error *err)
{
    const ph_model *m = o->nominal->model;
    char c[2][80];
    if (o->n > PH_OPEN_MAX)
        return ph_fail(err, PH_E_INPUT, "%d parameters are open, more than %d", o->n, PH_OPEN_MAX);
    if (o->n > 0 && m->frozen)
        return ph_fail(err, PH_E_INPUT, "a frozen model has no parameters that could stay open");
    for (int k = 0; k < o->n; k++) {
        int at = ph_run_find(o->nominal, PH_PARAMETERS, o->name[k]);
        if (at < 0)
            return ph_fail(err, PH_E_INPUT, "the model has no parameter '%s' that could stay open",
                           o->name[k]);
        o->value[k] = m->param[at].value;
        ph_compile_name(o->name[k], c[0], sizeof c[0]);
        if (ph_compile_check_name(c[0], err) != PH_OK)
            return ph_fail(err, PH_E_INPUT, "parameter '%s': its name is none in C", o->name[k]);
        for (int i = 0; i < k; i++) {
            ph_compile_name(o->name[i], c[1], sizeof c[1]);
            if (!strcmp(c[0], c[1]))
                return ph_fail(err, PH_E_INPUT, "open parameters '%s' and '%s' have the same name in C",
                               o->name[i], o->name[k]);
        }
    }
    return PH_OK;
}

/* Those of the generic run, with the sizes of positions and of velocities. */
static void copy_own(const ph_open *o, samples *t)
{
    const ph_layout *lay = &o->generic->sim->lay;
    int n = o->constants.n;
    memcpy(t->own, o->constants.value, sizeof *t->own * (size_t)n);
    memcpy(t->size, o->constants.size, sizeof *t->size * (size_t)n);
    if (!o->n_start)
        return;
    copy_start(o->generic, t->own + n);
    double q = 1, v = 0;
    for (int i = 0; i < lay->nq; i++)
        q = fmax(q, fabs(t->own[n + i]));
    for (int i = lay->nq; i < o->n_start; i++)
        v = fmax(v, fabs(t->own[n + i]));
    for (int i = 0; i < o->n_start; i++)
        t->size[n + i] = i < lay->nq ? q : v;
}

static ph_status explore(ph_open *o, int sums, ph_error *err)
{
    const ph_layout *lay = &o->generic->sim->lay;
    o->n_start = sums ? lay->nq + lay->nv : 0;
    size_t n = (size_t)(o->constants.n + o->n_start) + 1;
    samples t = {.line = calloc((size_t)o->n, sizeof *t.line),
                 .point = calloc(POINTS, sizeof *t.point),
                 .on_line = calloc((size_t)o->n * LINE * n, sizeof(double)),
                 .at_point = calloc(POINTS * n, sizeof(double)),
                 .own = calloc(2 * n, sizeof(double)),
                 .numbers = (int)n - 1};
    int ok = t.line && t.point && t.on_line && t.at_point && t.own;
    if (ok)
        t.size = t.own + n, copy_own(o, &t);
    ph_status s = ok ? take_samples(o, &t, err) : no_memory(err);
    if (s == PH_OK)
        s = find_data(o, &t, sums, err);
    free(t.line), free(t.point), free(t.on_line), free(t.at_point), free(t.own);
    return s;
}

/* All that depends on how far values are from those of the file. */
static void clear(ph_open *o)
{
    const ph_allocator *alloc = o->nominal->config.alloc;
    for (int k = 0; k < PH_OPEN_SAMPLES; k++)
        ph_run_close(o->sample[k]), o->sample[k] = NULL;
    for (int k = 0; o->sum && k < o->n_data; k++)
        ph_free(alloc, o->sum[k].term);
    for (int k = 0; o->start && k < o->n_start; k++)
        ph_free(alloc, o->start[k].term);
    ph_constants_destroy(&o->constants);
    if (o->generic != o->nominal)
        ph_run_close((ph_run *)o->generic);
    ph_free(alloc, o->datum), ph_free(alloc, o->number), ph_free(alloc, o->sum);
    ph_free(alloc, o->start);
    o->generic = o->nominal, o->datum = o->number = NULL, o->sum = o->start = NULL;
    o->n_data = o->n_start = o->starts = o->unbuilt = 0;
}

static ph_status open_with(ph_open *o, double width, int sums, ph_error *err)
{
    const ph_allocator *alloc = o->nominal->config.alloc;
    ph_run *generic;
    ph_status s = PH_OK;
    o->width = width;
    for (int k = 0; k < o->n; k++)
        o->generic_value[k] = generic_of(o->value[k], width, k), o->matters[k] = o->starts_at[k] = 0;
    if (o->n > 0 && (s = build(o, o->generic_value, 0, &generic, err)) == PH_OK)
        o->generic = generic;
    if (s == PH_OK && ph_constants_create(&o->constants, o->generic, alloc) != PH_OK)
        s = no_memory(err);
    if (s != PH_OK)
        return s;
    o->datum = ph_alloc(alloc, sizeof *o->datum * ((size_t)o->constants.n + 1));
    if (!o->datum)
        return no_memory(err);
    for (int i = 0; i < o->constants.n; i++)
        o->datum[i] = -1;
    return o->n > 0 ? explore(o, sums, err) : PH_OK;
}

/* The first steps of the nominal run. */
static ph_status begin(ph_open *o, ph_error *err)
{
    ph_status s = build(o, o->value, 0, &o->begun, err);
    for (long k = 0; k < ph_multistep_first(o->nominal->sim) && s == PH_OK; k++)
        s = ph_run_step(o->begun, err);
    return s;
}

ph_status ph_open_create(ph_open **out, const ph_run *run, const char *const *name, int n, int sums,
                         ph_error *err)
{
    *out = NULL;
    ph_status s = ph_mechanism_can(run->mech, PH_CAN_COMPILE, err);
    if (s != PH_OK)
        return s;
    ph_open *o = *out = ph_alloc(run->config.alloc, sizeof *o);
    if (!o)
        return no_memory(err);
    *o = (ph_open){.n = n, .name = name, .nominal = run, .generic = run};
    s = check_names(o, err);
    if (s == PH_OK)
        s = open_with(o, widths[0], sums, err);
    for (int k = 1; k < WIDTHS && s != PH_OK && o->unbuilt; k++)
        clear(o), s = open_with(o, widths[k], sums, err);
    if (s == PH_OK && ph_multistep_first(run->sim) > 0)
        s = begin(o, err);
    if (s != PH_OK)
        ph_open_destroy(o), *out = NULL;
    return s;
}

void ph_open_destroy(ph_open *o)
{
    if (!o)
        return;
    clear(o);
    ph_run_close(o->begun);
    ph_free(o->nominal->config.alloc, o);
}
