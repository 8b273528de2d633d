/* polhode sens --error: the error of objectives, and which part of the run it comes from. */
#include "cli/sens_show.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARTS 10 /* of the time of the run */

typedef struct one {
    int objective;
    double value, error, part[PARTS];
} one;

typedef struct all {
    int n;
    one *of;
} all;

static ph_status simulate(ph_job *r)
{
    const all *a = r->ctx;
    ph_status s = PH_OK;
    ph_run_observe(r->run, ph_watch_step, r);
    for (int i = 0; i < a->n && s == PH_OK; i++) {
        one *o = &a->of[i];
        s = ph_run_objective_error(r->run, o->objective, ph_args_memory(r->args), &o->value, &o->error, PARTS,
                                   o->part, &r->err);
        ph_run_observe(r->run, NULL, NULL);
    }
    ph_run_observe(r->run, NULL, NULL);
    return s;
}

/* Time at which part k ends. */
static double end_of(const ph_job *r, int k)
{
    return r->t_end * (k + 1) / PARTS;
}

static void text(const ph_job *r)
{
    const all *a = r->ctx;
    for (int i = 0; i < a->n; i++) {
        const one *o = &a->of[i];
        double sum = 0;
        for (int k = 0; k < PARTS; k++)
            sum += fabs(o->part[k]);
        printf("\n%s = %.12g, error %.3g (exact less numerical)\n",
               ph_run_name(r->run, PH_OBJECTIVES, o->objective), o->value, o->error);
        for (int k = 0; k < PARTS; k++)
            printf("  %9.4g s to %9.4g s %14.3g  %3.0f %%\n", end_of(r, k - 1), end_of(r, k), o->part[k],
                   sum > 0 ? 100 * fabs(o->part[k]) / sum : 0);
    }
    printf("\nerrors: what steps of each part of the run add; %%: of the sum of their sizes\n");
}

static void json(const ph_job *r, ph_json *j)
{
    const all *a = r->ctx;
    cJSON *objectives = ph_json_object(j, j->root, "objectives");
    for (int i = 0; i < a->n; i++) {
        const one *o = &a->of[i];
        cJSON *to = ph_json_object(j, objectives, ph_run_name(r->run, PH_OBJECTIVES, o->objective));
        ph_json_number(j, to, "value", o->value);
        ph_json_number(j, to, "error", o->error);
        cJSON *parts = ph_json_array(j, to, "parts");
        for (int k = 0; k < PARTS; k++) {
            cJSON *part = ph_json_element(j, parts);
            ph_json_number(j, part, "from", end_of(r, k - 1));
            ph_json_number(j, part, "to", end_of(r, k));
            ph_json_number(j, part, "error", o->part[k]);
        }
    }
}

/* Whether --objective, a list with commas, names it; all where it is not given. */
static int is_asked(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *c = list; c; c = strchr(c, ',') ? strchr(c, ',') + 1 : NULL)
        if (!strncmp(c, name, n) && (c[n] == ',' || !c[n]))
            return 1;
    return !list;
}

static int open_all(all *a, const ph_run *run, const ph_args *args)
{
    int count = ph_run_count(run, PH_OBJECTIVES);
    a->of = calloc((size_t)count + 1, sizeof *a->of);
    for (int k = 0; a->of && k < count; k++)
        if (is_asked(args->objective, ph_run_name(run, PH_OBJECTIVES, k)))
            a->of[a->n++].objective = k;
    if (!a->of)
        ph_complain("not enough memory for objectives");
    else if (!a->n && args->objective)
        ph_complain("%s: --objective: the model has none of '%s'", args->word[0], args->objective);
    else if (!a->n)
        ph_complain("%s: --error is that of objectives, and the model has none: write "
                    "objective{ name = \"J\", final = function(s) ... end }",
                    args->word[0]);
    return a->n > 0;
}

int ph_sens_error(const ph_args *given)
{
    static const ph_extension extension = {simulate, NULL, NULL, text, json};
    ph_args args = *given;
    all a = {0};
    ph_job r = {.args = &args, .extension = &extension, .ctx = &a};
    int code = PH_EXIT_USAGE;
    if (ph_target_open(&r.target, &args, &code))
        code = open_all(&a, r.target.run, &args) ? ph_job_perform(&r) : PH_EXIT_USAGE;
    free(a.of), free(r.bodies);
    ph_target_close(&r.target);
    return code;
}
