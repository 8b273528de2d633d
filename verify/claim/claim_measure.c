/* All rows of the table, measured section by section in several processes. Rows of one section share runs. */
#include <math.h>
#include <stdlib.h>

#include "claim/claim.h"
#include "study/pool.h"

#define SECTIONS_MAX 64
#define SECTION_MAX  96 /* rows of a section */

typedef struct result {
    double value[SECTION_MAX][PH_CLAIM_MAX];
} result;

typedef struct plan {
    const ph_claims_def *def;
    int n;
    int first[SECTIONS_MAX + 1]; /* row of each title, and the end of the table */
} plan;

static plan sections_of(const ph_claims_def *def)
{
    plan p = {.def = def};
    for (int k = 0; k < ph_claim_count(); k++)
        if (ph_claim_get(k)->section && p.n < SECTIONS_MAX)
            p.first[p.n++] = k;
    p.first[p.n] = ph_claim_count();
    return p;
}

static void not_measured(result *r)
{
    for (int i = 0; i < SECTION_MAX; i++)
        for (int j = 0; j < PH_CLAIM_MAX; j++)
            r->value[i][j] = NAN;
}

static void measure(int section, void *out, void *ctx)
{
    const plan *p = ctx;
    result *r = out;
    ph_study *study = ph_study_create(p->def->models);
    not_measured(r);
    for (int k = p->first[section] + 1; study && k < p->first[section + 1]; k++) {
        const ph_claim *f = ph_claim_get(k);
        if (f->effort <= p->def->effort && k - p->first[section] < SECTION_MAX)
            ph_claim_measure(study, f, r->value[k - p->first[section]]);
    }
    ph_study_destroy(study);
}

static void lost(int section, const char *why, void *out, void *ctx)
{
    (void)section, (void)why, (void)ctx;
    not_measured(out);
}

ph_status ph_claims_measure(const ph_claims_def *def, double (*value)[PH_CLAIM_MAX], ph_error *err)
{
    plan p = sections_of(def);
    ph_pool_def pool = ph_pool_default();
    ph_pool_end end;
    result *all = calloc((size_t)p.n, sizeof *all);
    if (!all)
        return PH_E_MEMORY;
    pool.n = p.n, pool.size = sizeof *all, pool.jobs = def->jobs, pool.title = def->title;
    pool.job = measure, pool.lost = lost, pool.ctx = &p;
    ph_status s = ph_pool_run(&pool, all, &end, err);
    for (int i = 0; s == PH_OK && i < p.n; i++)
        for (int k = p.first[i]; k < p.first[i + 1]; k++)
            for (int j = 0; j < PH_CLAIM_MAX; j++)
                value[k][j] = k - p.first[i] < SECTION_MAX ? all[i].value[k - p.first[i]][j] : NAN;
    free(all);
    return s;
}
