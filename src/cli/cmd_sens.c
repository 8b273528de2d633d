/* polhode sens: derivatives of all that run reports, and of objectives, by parameters of the model. */
#include "cli/sens_show.h"

#include <stdlib.h>
#include <string.h>

/* ---- names ------------------------------------------------------------------------------------------------ */

/* Parts between commas, each once. Their number; 0 after one line on stderr. */
static int split(const char *option, const char *text, char (**out)[64])
{
    int n = 1;
    for (const char *c = text; *c; c++)
        n += *c == ',';
    char(*name)[64] = *out = calloc((size_t)n, sizeof *name);
    if (!name)
        return ph_complain("not enough memory"), 0;
    for (int i = 0; i < n; i++) {
        size_t length = strcspn(text, ",");
        if (length == 0 || length >= sizeof *name)
            return ph_complain("%s: a name is missing or too long: '%s'", option, text), 0;
        memcpy(name[i], text, length);
        for (int k = 0; k < i; k++)
            if (!strcmp(name[k], name[i]))
                return ph_complain("%s: '%s' is there twice", option, name[i]), 0;
        text += length + 1;
    }
    return n;
}

/* ---- parameters ------------------------------------------------------------------------------------------- */

static int no_parameter(const ph_args *args, const ph_run *run, const char *name)
{
    char all[256] = "";
    int n = ph_run_count(run, PH_PARAMETERS);
    for (int i = 0; i < n; i++) {
        size_t at = strlen(all);
        snprintf(all + at, sizeof all - at, "%s%s", i ? ", " : "", ph_run_name(run, PH_PARAMETERS, i));
    }
    ph_complain("%s: --param: there is no parameter '%s'; the model has%s%s", args->word[0], name,
                n ? ": " : " none", all);
    return 0;
}

static int open_parameters(ph_sens_study *st, ph_run *run, const ph_args *args)
{
    st->n = split("--param", args->param, &st->name);
    if (!st->n)
        return 0;
    st->param = calloc((size_t)st->n, sizeof *st->param);
    st->at = calloc(2 * (size_t)st->n, sizeof *st->at);
    if (!st->param || !st->at)
        return ph_complain("not enough memory for parameters"), 0;
    st->eps = st->at + st->n;
    for (int k = 0; k < st->n; k++) {
        st->param[k] = ph_run_find(run, PH_PARAMETERS, st->name[k]);
        if (st->param[k] < 0)
            return no_parameter(args, run, st->name[k]);
        ph_run_get(run, PH_GET_PARAMETER, st->param[k], &st->at[k]);
        st->eps[k] = ph_run_eps(run, st->param[k]);
    }
    return 1;
}

/* ---- objectives ------------------------------------------------------------------------------------------- */

static int add_result(ph_sens_study *st, int objective)
{
    ph_objective_result *result = &st->result[st->n_results++];
    *result = (ph_objective_result){.objective = objective,
                                    .gradient = calloc(2 * (size_t)st->n, sizeof *result->gradient)};
    result->fd = result->gradient + st->n;
    return result->gradient != NULL;
}

/* Those of --objective, or all. */
static int open_results(ph_sens_study *st, const ph_run *run, const ph_args *args)
{
    char(*name)[64] = NULL;
    int all = ph_run_count(run, PH_OBJECTIVES);
    int n = args->objective ? split("--objective", args->objective, &name) : all, ok = 1;
    st->result = calloc((size_t)n + 1, sizeof *st->result);
    if (!st->result || (args->objective && !n))
        ok = st->result ? 0 : (ph_complain("not enough memory for objectives"), 0);
    for (int i = 0; i < n && ok; i++) {
        int k = args->objective ? ph_run_find(run, PH_OBJECTIVES, name[i]) : i;
        if (k < 0)
            ok = (ph_complain("%s: --objective: the model has no objective '%s'%s", args->word[0], name[i],
                              all ? "" : ", and no other"),
                  0);
        else if (!add_result(st, k))
            ok = (ph_complain("not enough memory for objectives"), 0);
    }
    if (ok && args->mode == PH_ADJOINT && !n)
        ok = (ph_complain("%s: --mode adjoint differentiates objectives, and the model has none: write "
                          "objective{ name = \"J\", final = function(s) ... end }",
                          args->word[0]),
              0);
    free(name);
    return ok;
}

/* ---- the study -------------------------------------------------------------------------------------------- */

static int open_study(ph_sens_study *st, ph_run *run, const ph_args *args)
{
    if (!open_parameters(st, run, args) || !open_results(st, run, args))
        return 0;
    if (!ph_seen_create(&st->seen, run))
        return ph_complain("not enough memory for derivatives"), 0;
    size_t width = (size_t)st->seen.width, n = (size_t)st->n;
    st->base = calloc(4 * (size_t)ph_run_count(run, PH_BODIES) + 1, sizeof *st->base);
    st->block = calloc(width * (2 * n + 1) + 1, sizeof *st->block);
    if (!st->base || !st->block)
        return ph_complain("not enough memory for derivatives"), 0;
    st->value = st->block, st->d = st->value + width, st->fd = st->d + n * width;
    return 1;
}

static void close_study(ph_sens_study *st)
{
    for (int i = 0; i < st->n_results; i++)
        free(st->result[i].gradient);
    ph_seen_destroy(&st->seen);
    free(st->param), free(st->at), free(st->name), free(st->result), free(st->base), free(st->block);
}

int ph_cmd_sens(const ph_args *given)
{
    static const ph_extension extension = {ph_sens_simulate, ph_sens_header, ph_sens_row, ph_sens_text,
                                           ph_sens_json};
    ph_args args = *given;
    ph_sens_study st = {0};
    ph_job r = {.args = &args, .extension = &extension, .ctx = &st};
    int code = PH_EXIT_USAGE;
    if (args.error && (args.param || args.check))
        return ph_complain("--error is in place of derivatives: leave out --%s",
                           args.param ? "param" : "check");
    if (!args.param && !args.error)
        return ph_complain("sens needs --param P,...: the parameters to differentiate by");
    if (args.simplify && args.mode != PH_DIRECT)
        return ph_complain("--simplify is for --mode direct, whose derivatives follow the steps");
    if (!ph_target_is_file(args.word[0]))
        return ph_complain("sens needs a model file, whose parameters it varies; '%s' is a built-in problem",
                           args.word[0]);
    if (args.error)
        return ph_sens_error(given);
    if (ph_target_open(&r.target, &args, &code)) {
        code = PH_EXIT_USAGE;
        if (open_study(&st, r.target.run, &args))
            code = ph_job_perform(&r);
    }
    close_study(&st);
    free(r.bodies);
    ph_target_close(&r.target);
    return code;
}
