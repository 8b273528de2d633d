/* The table of claims, and the study that measures its rows. */
#include "claim/claim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "claim/claim_run.h"

#define COUNT(...) ((int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)))

static const ph_claim rows[] = {
#define PH_SECTION(title, text) {.section = title, .what = text},
/* A run has commas in braces, so it must not pass through a second macro. */
#define HEAD(effort_, id_, what_, source_, kind_, tol_, measure_)                                            \
    .id = id_, .what = what_, .source = source_, .effort = effort_, .kind = kind_, .tol = tol_,              \
    .measure = measure_
#define TAIL(...) .n = COUNT(__VA_ARGS__), .expected = {__VA_ARGS__}
#define PH_CLAIM(id, what, source, kind, tol, measure, run_, ...)                                            \
    {HEAD(PH_QUICK, id, what, source, kind, tol, measure), .run = run_, TAIL(__VA_ARGS__)},
#define PH_LONG_CLAIM(id, what, source, kind, tol, measure, run_, ...)                                       \
    {HEAD(PH_LONG, id, what, source, kind, tol, measure), .run = run_, TAIL(__VA_ARGS__)},
#define PH_SLOW_CLAIM(id, what, source, kind, tol, measure, run_, ...)                                       \
    {HEAD(PH_SLOW, id, what, source, kind, tol, measure), .run = run_, TAIL(__VA_ARGS__)},
#include "claim/claims.def"
};

#define ROWS ((int)(sizeof rows / sizeof *rows))

const ph_claim *ph_claim_get(int k)
{
    return k >= 0 && k < ROWS ? &rows[k] : NULL;
}

int ph_claim_count(void)
{
    return ROWS;
}

const ph_claim *ph_claim_find(const char *id)
{
    for (int k = 0; k < ROWS; k++)
        if (rows[k].id && !strcmp(rows[k].id, id))
            return &rows[k];
    return NULL;
}

void ph_claim_measure(ph_study *study, const ph_claim *f, double *value)
{
    if (!f->measure(study, &f->run, value))
        for (int i = 0; i < f->n; i++)
            value[i] = NAN;
}

double ph_claim_error(const ph_claim *f, int i, double value)
{
    switch (f->kind) {
    case PH_WITHIN:
    case PH_EXACTLY:
        return fabs(value - f->expected[i]);
    case PH_PERCENT:
        return 100 * fabs(value - f->expected[i]) / fabs(f->expected[i]);
    case PH_AT_LEAST:
        return f->expected[i] - value;
    default:
        return value;
    }
}

double ph_claim_bound(const ph_claim *f, int i)
{
    if (f->kind == PH_WITHIN || f->kind == PH_PERCENT)
        return f->tol;
    return f->kind == PH_AT_LEAST || f->kind == PH_EXACTLY ? 0 : f->expected[i];
}
