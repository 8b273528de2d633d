/* Which cases a parameter study has. */
#include "study/plan.h"
#include "base/hash.h"
#include "study/fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ----------------------------------------------------------------------------------------- */

/* A number that ends at one of the ends, or at the end of the text; at is moved behind it. */
static int read_number(const char **at, const char *ends, double *x)
{
    char *end;
    *x = strtod(*at, &end);
    if (end == *at || !isfinite(*x) || (*end && !strchr(ends, *end)))
        return 0;
    *at = end;
    return 1;
}

static ph_status read_list(ph_vary *v, const char *at, ph_error *err)
{
    const char *text = at;
    int room = 1;
    for (const char *c = at; *c; c++)
        room += *c == ',';
    v->is_list = 1;
    v->value = malloc((size_t)room * sizeof *v->value);
    if (!v->value)
        return ph_study_fail(err, PH_E_INPUT, "%s: not enough memory", v->name);
    for (;;) {
        if (!read_number(&at, ",", &v->value[v->n]))
            return ph_study_fail(
                err, PH_E_INPUT,
                "%s: '%.64s' is not a list of numbers such as 1,2,5 or a range such as 1:5:9", v->name, text);
        for (int i = 0; i < v->n; i++)
            if (v->value[i] == v->value[v->n])
                return ph_study_fail(err, PH_E_INPUT, "%s: %g is there twice", v->name, v->value[i]);
        v->n++;
        if (!*at)
            return PH_OK;
        at++;
    }
}

/* "a:b", "a:b:n", each with ":log" */
static ph_status read_range(ph_vary *v, const char *at, ph_error *err)
{
    const char *text = at;
    double n = 0;
    int ok = read_number(&at, ":", &v->from) && *at++ == ':' && read_number(&at, ":", &v->to);
    if (ok && *at && strcmp(at, ":log") != 0)
        at++, ok = read_number(&at, ":", &n) && n >= 1;
    v->log = ok && !strcmp(at, ":log");
    if (!ok || (*at && !v->log))
        return ph_study_fail(err, PH_E_INPUT, "%s: '%.64s' is not of the form FROM:TO:N or FROM:TO:N:log",
                             v->name, text);
    if (!(n <= PH_PLAN_CASES_MAX) || n != floor(n))
        return ph_study_fail(err, PH_E_INPUT, "%s: %g is not a number of values, from 1 to %d", v->name, n,
                             PH_PLAN_CASES_MAX);
    v->n = (int)n;
    if (v->log && !(v->from > 0 && v->to > 0))
        return ph_study_fail(err, PH_E_INPUT, "%s: equal ratios need a range above 0, not %g to %g", v->name,
                             v->from, v->to);
    if (v->n > 1 && v->from == v->to)
        return ph_study_fail(err, PH_E_INPUT, "%s: from %g to %g there is one value, not %d", v->name,
                             v->from, v->to, v->n);
    if (v->n == 1 && v->from != v->to)
        return ph_study_fail(err, PH_E_INPUT, "%s: one value cannot be both %g and %g", v->name, v->from,
                             v->to);
    return PH_OK;
}

ph_status ph_plan_add(ph_plan *p, const char *text, ph_error *err)
{
    const char *equal = strchr(text, '=');
    size_t length = equal ? (size_t)(equal - text) : 0;
    if (!length || length >= PH_VARY_NAME)
        return ph_study_fail(err, PH_E_INPUT, "'%.64s' is not of the form NAME=VALUES", text);
    if (p->n_vary == PH_VARY_MAX)
        return ph_study_fail(err, PH_E_INPUT, "more than %d quantities", PH_VARY_MAX);
    ph_vary *v = &p->vary[p->n_vary++];
    *v = (ph_vary){0};
    memcpy(v->name, text, length);
    for (int i = 0; i + 1 < p->n_vary; i++)
        if (!strcmp(p->vary[i].name, v->name))
            return ph_study_fail(err, PH_E_INPUT, "%s is there twice", v->name);
    return strchr(equal, ':') ? read_range(v, equal + 1, err) : read_list(v, equal + 1, err);
}

void ph_plan_clear(ph_plan *p)
{
    for (int i = 0; i < p->n_vary; i++)
        free(p->vary[i].value);
    *p = (ph_plan){0};
}

/* ---- the product ------------------------------------------------------------------------------------- */

/* u in [0, 1); the beginning is met exactly. */
static double between(const ph_vary *v, double u)
{
    return v->log ? v->from * pow(v->to / v->from, u) : v->from + u * (v->to - v->from);
}

/* a + i (b - a)/(n - 1), which is exact for whole numbers. */
static double grid_value(const ph_vary *v, int i)
{
    if (v->n == 1 || i == 0 || i == v->n - 1)
        return i ? v->to : v->from;
    return v->log ? between(v, (double)i / (v->n - 1)) : v->from + i * (v->to - v->from) / (v->n - 1);
}

static ph_status fill(ph_vary *v, ph_error *err)
{
    if (v->is_list)
        return PH_OK;
    if (v->n == 0)
        return ph_study_fail(err, PH_E_INPUT,
                             "%s: %g to %g in how many values? Say %s=%g:%g:N, or --sample N", v->name,
                             v->from, v->to, v->name, v->from, v->to);
    v->value = malloc((size_t)v->n * sizeof *v->value);
    if (!v->value)
        return ph_study_fail(err, PH_E_INPUT, "%s: not enough memory for %d values", v->name, v->n);
    for (int i = 0; i < v->n; i++)
        v->value[i] = grid_value(v, i);
    return PH_OK;
}

static ph_status check_whole(const ph_vary *v, int n, const double *value, ph_error *err)
{
    for (int i = 0; v->whole && i < n; i++)
        if (value[i] != floor(value[i]))
            return ph_study_fail(err, PH_E_INPUT, "%s: %g is not a whole number", v->name, value[i]);
    return PH_OK;
}

static ph_status build_product(ph_plan *p, ph_error *err)
{
    double n = 1;
    for (int i = 0; i < p->n_vary; i++) {
        ph_vary *v = &p->vary[i];
        if (fill(v, err) != PH_OK || check_whole(v, v->n, v->value, err) != PH_OK)
            return err->status;
        n *= v->n;
    }
    if (n > PH_PLAN_CASES_MAX)
        return ph_study_fail(err, PH_E_INPUT, "%.3g cases; the limit is %d", n, PH_PLAN_CASES_MAX);
    p->n = (int)n;
    return PH_OK;
}

/* ---- samples ----------------------------------------------------------------------------------------- */

/* SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014). */
static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double draw_unit(uint64_t *state)
{
    return (double)(draw(state) >> 11) * 0x1p-53;
}

/* value = (pi(k) + r_k)/N. Strata keep apart from each other in floating point too: u < (pi + 1)/N. */
static void draw_units(double *u, int n, uint64_t seed)
{
    uint64_t state = seed;
    for (int k = 0; k < n; k++)
        u[k] = k;
    for (int k = n - 1; k > 0; k--) {
        int j = (int)(draw_unit(&state) * (k + 1));
        double other = u[k];
        u[k] = u[j], u[j] = other;
    }
    for (int k = 0; k < n; k++)
        u[k] = (u[k] + draw_unit(&state)) / n;
}

static double sample_value(const ph_vary *v, const double *list, double u)
{
    if (v->is_list)
        return list[(int)fmin(floor(u * v->n), v->n - 1)];
    if (!v->whole)
        return between(v, u);
    double low = fmin(v->from, v->to), high = fmax(v->from, v->to); /* each number alike */
    return fmin(low + floor(u * (high - low + 1)), high);
}

static ph_status sample(ph_vary *v, int n, uint64_t seed, ph_error *err)
{
    double *list = v->value, ends[] = {v->from, v->to};
    if (v->whole && v->log)
        return ph_study_fail(err, PH_E_INPUT, "%s: whole numbers are not sampled by ratios", v->name);
    if (check_whole(v, v->is_list ? v->n : 2, v->is_list ? list : ends, err) != PH_OK)
        return err->status;
    double *u = malloc((size_t)n * sizeof *u);
    if (!u)
        return ph_study_fail(err, PH_E_INPUT, "%s: not enough memory for %d samples", v->name, n);
    draw_units(u, n, seed ^ ph_hash_text(PH_HASH_START, v->name));
    for (int k = 0; k < n; k++)
        u[k] = sample_value(v, list, u[k]);
    free(list);
    v->value = u;
    return PH_OK;
}

ph_status ph_plan_build(ph_plan *p, ph_error *err)
{
    if (!p->n_vary)
        return ph_study_fail(err, PH_E_INPUT, "nothing is varied");
    if (!p->samples)
        return build_product(p, err);
    if (p->samples > PH_PLAN_CASES_MAX)
        return ph_study_fail(err, PH_E_INPUT, "%d cases; the limit is %d", p->samples, PH_PLAN_CASES_MAX);
    for (int i = 0; i < p->n_vary; i++)
        if (sample(&p->vary[i], p->samples, p->seed, err) != PH_OK)
            return err->status;
    p->n = p->samples;
    return PH_OK;
}

double ph_plan_value(const ph_plan *p, int quantity, int k)
{
    if (!p->samples)
        for (int i = p->n_vary - 1; i > quantity; i--)
            k /= p->vary[i].n;
    const ph_vary *v = &p->vary[quantity];
    return v->value[p->samples ? k : k % v->n];
}
