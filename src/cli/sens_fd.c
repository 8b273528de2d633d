/* Five-point differences of whole runs, of all that is seen at their ends and of objectives. */
#include "cli/sens_show.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "study/fail.h"

#define SIZES 3 /* of steps */

/* So that differences see the discrete solution and not what Newton's method has left. */
#define TIGHT 1e-13

/* A run of its own, with Newton's method as exact as it can be. */
static ph_status open_near(ph_run **near, const ph_job *r, ph_error *err)
{
    char text[2][PH_TOLD_TEXT];
    const char *option[PH_TOLD_MAX + 2];
    ph_run_config c = ph_run_defaults();
    int n = 0;
    for (; n < r->args->told.n; n++)
        option[n] = r->args->told.text[n];
    snprintf(text[0], sizeof text[0], "atol=%.17g", fmin(r->opt.atol, TIGHT));
    snprintf(text[1], sizeof text[1], "rtol=%.17g", fmin(r->opt.rtol, TIGHT));
    option[n++] = text[0], option[n++] = text[1];
    c.options = option, c.n_options = n, c.watch = 0;
    ph_status s = ph_run_create(near, r->target.model, &c, err);
    return s == PH_OK ? ph_target_inputs(*near, r->args, err) : s;
}

#define NEIGHBOURS 4

/* One run with a value of the parameter; all that is seen at its end and objectives go to out. */
static ph_status run(const ph_job *r, const ph_sens_study *st, ph_run *near, int k, double value, double *out,
                     ph_error *err)
{
    ph_setting set = {st->name[k], value};
    int structure = ph_run_structure(near);
    ph_status s = ph_run_set_parameters(near, &set, 1, err);
    if (s == PH_OK && ph_run_structure(near) != structure)
        s = ph_study_fail(err, PH_E_INPUT, "the model then has other bodies, joints or sensors");
    if (s == PH_OK)
        s = ph_run_until(near, r->t_end, err);
    if (s != PH_OK)
        return s;
    ph_seen_values(&st->seen, near, st->base, out);
    for (int i = 0; i < st->n_results && s == PH_OK; i++)
        s = ph_run_get(near, PH_GET_OBJECTIVE, st->result[i].objective, out + st->seen.width + i);
    if (s != PH_OK)
        snprintf(err->text, sizeof err->text, "%.400s", ph_model_complaint(ph_run_model(near)));
    return s;
}

/* Differences over steps of eps, of all that is seen and of objectives: to out, n numbers. work: 4 n */
static ph_status measure(ph_job *r, const ph_sens_study *st, ph_run *near, int k, double eps, double *work,
                         double *out)
{
    static const int place[NEIGHBOURS] = {-2, -1, 1, 2};
    int n = st->seen.width + st->n_results;
    double *f[NEIGHBOURS];
    for (int j = 0; j < NEIGHBOURS; j++) {
        ph_error why = {0};
        f[j] = work + j * n;
        ph_status s = run(r, st, near, k, st->at[k] + place[j] * eps, f[j], &why);
        if (s != PH_OK)
            return ph_study_fail(&r->err, s, "a run with a value near %s = %.9g: %.400s", st->name[k],
                                 st->at[k], why.text);
    }
    for (int i = 0; i < n; i++)
        out[i] = (8 * (f[2][i] - f[1][i]) - (f[3][i] - f[0][i])) / (12 * eps);
    return PH_OK;
}

/* Vibrations make a function of a parameter wavy: what step is small enough depends on the model. Over steps e, e/8
 * and e/64 errors of order 4 fall and round-off grows: where differences change far less from e/8 to e/64 than from e
 * to e/8, those over e/8 are the better ones. work: 7 (width + n_results). */
static ph_status by_parameter(ph_job *r, ph_sens_study *st, ph_run *near, int k, double *work)
{
    int n = st->seen.width + st->n_results, sizes = r->args->eps > 0 ? 1 : SIZES;
    double *D[SIZES] = {work, work + n, work + 2 * n};
    ph_status s = PH_OK;
    for (int size = 0; size < sizes && s == PH_OK; size++)
        s = measure(r, st, near, k, ldexp(st->eps[k], -3 * size), work + SIZES * n, D[size]);
    for (int i = 0; i < n && s == PH_OK; i++) {
        int wavy = sizes == SIZES && 4 * fabs(D[2][i] - D[1][i]) < fabs(D[1][i] - D[0][i]);
        *(i < st->seen.width ? &st->fd[k * st->seen.width + i] : &st->result[i - st->seen.width].fd[k]) =
            D[wavy][i];
    }
    return s;
}

ph_status ph_sens_differences(ph_job *r, ph_sens_study *st)
{
    ph_run *near = NULL;
    double *work =
        malloc(sizeof(double) * (SIZES + NEIGHBOURS) * (size_t)(st->seen.width + st->n_results + 1));
    ph_status s =
        work ? PH_OK : ph_study_fail(&r->err, PH_E_MEMORY, "not enough memory for differences of runs");
    for (int k = 0; k < st->n && s == PH_OK; k++) {
        s = open_near(&near, r, &r->err); /* with all other parameters as they are */
        if (s == PH_OK)
            s = by_parameter(r, st, near, k, work);
        ph_run_close(near);
    }
    free(work);
    st->checked = s == PH_OK;
    return s;
}
