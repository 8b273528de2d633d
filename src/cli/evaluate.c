/* The objective of a model at some values of its parameters, and its gradient: one run with its adjoint. */
#include "cli/optimise.h"
#include "cli/options.h"
#include "cli/job.h"
#include "study/goal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD_MAX (PH_DESIGN_NAME + 48)

/* With the neighbours of all parameters at hand. */
static ph_status differentiate(const ph_design *d, ph_job *r, const ph_vary *vary, ph_trial *out)
{
    const ph_subject *s = &r->subject;
    ph_param param[PH_DESIGN_MAX];
    ph_sens *sens;
    ph_goal goal = {.mech = s->mech,
                    .model = s->model,
                    .objective = ph_model_find(s->model, PH_OBJECTIVES, d->args->minimise),
                    .n = d->n,
                    .vary = vary};
    ph_objective o = ph_goal_objective(&goal);
    for (int k = 0; k < d->n; k++)
        param[k] = ph_vary_param(&vary[k]);
    ph_status status = ph_sim_create(&r->sim, &r->p->sys, &r->opt, 0, r->p->q0, r->p->v0, &r->err);
    if (status == PH_OK)
        status = ph_sens_create(&sens, r->sim, d->n, param, &r->err);
    if (status != PH_OK)
        return status;
    status =
        ph_sens_gradient(sens, r->steps, &o, ph_args_memory(r->args), &out->value, out->gradient, &r->err);
    if (goal.refused)
        snprintf(r->err.text, sizeof r->err.text, "t = %.9g: %.400s", goal.t,
                 ph_model_complaint(goal.refused));
    ph_sens_destroy(sens);
    return status;
}

static ph_status simulate(const ph_design *d, ph_job *r, const ph_args *args, ph_trial *out)
{
    ph_vary vary[PH_DESIGN_MAX] = {{0}};
    ph_given given;
    ph_status status = PH_E_INPUT;
    r->p = r->subject.p;
    if (!ph_job_plan(r) || !ph_subject_given(args, &given))
        return status;
    if (ph_model_find(r->subject.model, PH_OBJECTIVES, d->args->minimise) < 0) {
        ph_complain("%s: --minimise: the model has no objective '%s'", args->word[0], d->args->minimise);
        return status;
    }
    ph_vary_base base = {args->word[0],        given.set,        given.n,
                         r->subject.model,     r->subject.space, args->assemble,
                         r->p->sys.n_redundant};
    status = PH_OK;
    for (int k = 0; k < d->n && status == PH_OK; k++) {
        int i = ph_model_find(r->subject.model, PH_PARAMETERS, d->name[k]);
        double p = i < 0 ? 0 : ph_model_parameter(r->subject.model, i);
        status = ph_vary_create(&vary[k], &base, d->name[k], args->eps * (p != 0 ? fabs(p) : 1), &r->err);
    }
    if (status == PH_OK)
        status = differentiate(d, r, vary, out);
    for (int k = 0; k < d->n; k++)
        ph_vary_destroy(&vary[k]);
    return status;
}

/* The command line with the values behind it. */
static ph_status run(const ph_design *d, int argc, char **argv, ph_trial *out, ph_error *err)
{
    ph_args args = ph_args_default(d->args->command);
    ph_job r = {.args = &args};
    ph_status status = PH_E_INPUT;
    int code;
    if (ph_args_parse(&args, argc, argv)) {
        if (ph_subject_open(&r.subject, &args, &code))
            status = simulate(d, &r, &args, out);
        else if (r.subject.status != PH_OK)
            status = r.subject.status;
        ph_sim_destroy(r.sim);
        ph_subject_close(&r.subject);
    }
    if (status != PH_OK && r.err.text[0])
        *err = r.err;
    return status;
}

ph_status ph_design_evaluate(const ph_design *d, const double *x, ph_trial *out, ph_error *err)
{
    char word[PH_DESIGN_MAX][WORD_MAX], complaint[sizeof err->text] = "";
    int n = d->args->argc;
    char **argv = malloc((size_t)(n + d->n) * sizeof *argv);
    *err = (ph_error){0};
    if (!argv)
        return PH_E_MEMORY;
    memcpy(argv, d->args->argv, (size_t)n * sizeof *argv);
    memcpy(out->x, x, (size_t)d->n * sizeof *x);
    for (int k = 0; k < d->n; k++) {
        snprintf(word[k], WORD_MAX, "--set=%s=%.17g", d->name[k], x[k]);
        argv[n++] = word[k];
    }
    ph_complain_into(complaint, sizeof complaint);
    ph_status status = run(d, n, argv, out, err);
    ph_complain_into(NULL, 0);
    if (!err->text[0])
        memcpy(err->text, complaint, sizeof complaint);
    free(argv);
    return status;
}
