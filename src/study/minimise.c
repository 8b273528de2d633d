/* The least value of a function with a gradient between bounds.
 *
 * SLSQP (Kraft) builds a quadratic model from gradients, as quasi-Newton methods do, and keeps to the bounds. It works
 * with u = (x - lower)/(upper - lower) and f/|f(x_0)|, so that its steps and tolerances have the size of 1. */
#include "study/minimise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef PH_NLOPT_FILE
#include "study/nlopt_calls.h"

typedef struct search {
    const ph_minimise_def *def;
    nlopt_opt opt;
    double *x, *g, *best; /* n */
    double scale, least;
    ph_status status;
} search;

static double value_at(unsigned n, const double *u, double *gradient, void *ctx)
{
    search *s = ctx;
    const ph_minimise_def *d = s->def;
    double f;
    for (unsigned i = 0; i < n; i++)
        s->x[i] = u[i] >= 1 ? d->upper[i] : d->lower[i] + fmax(u[i], 0) * (d->upper[i] - d->lower[i]);
    s->status = d->f(s->x, &f, s->g, d->ctx);
    if (s->status != PH_OK) {
        nlopt_force_stop(s->opt);
        return HUGE_VAL;
    }
    if (!(s->scale > 0))
        s->scale = f != 0 ? fabs(f) : 1;
    if (f < s->least) {
        s->least = f;
        memcpy(s->best, s->x, n * sizeof *s->best);
    }
    for (unsigned i = 0; i < n && gradient; i++)
        gradient[i] = s->g[i] * (d->upper[i] - d->lower[i]) / s->scale;
    return f / s->scale;
}

static const char *reason(nlopt_result r)
{
    switch (r) {
    case NLOPT_FTOL_REACHED:
        return "converged: the objective changes no more";
    case NLOPT_XTOL_REACHED:
    case NLOPT_SUCCESS:
        return "converged: the parameters change no more";
    case NLOPT_STOPVAL_REACHED:
        return "converged: the objective is 0";
    case NLOPT_MAXEVAL_REACHED:
        return "all evaluations are used up";
    case NLOPT_ROUNDOFF_LIMITED:
        return "converged as far as round-off allows";
    default:
        return "the search found no better point";
    }
}

const char *ph_minimise_missing(void)
{
    return load_nlopt() ? NULL : "NLopt (" PH_NLOPT_FILE "), which is not on this machine";
}

static ph_status run(search *s, double *u, double *value, const char **why)
{
    const ph_minimise_def *d = s->def;
    double f;
    nlopt_set_lower_bounds1(s->opt, 0);
    nlopt_set_upper_bounds1(s->opt, 1);
    nlopt_set_min_objective(s->opt, value_at, s);
    nlopt_set_xtol_abs1(s->opt, d->tolerance);
    nlopt_set_ftol_rel(s->opt, d->tolerance * d->tolerance);
    nlopt_set_maxeval(s->opt, d->evaluations);
    *why = reason(nlopt_optimize(s->opt, u, &f));
    *value = s->least;
    return s->status;
}

ph_status ph_minimise(const ph_minimise_def *def, double *x, double *value, const char **why)
{
    size_t n = (size_t)def->n;
    search s = {.def = def, .least = HUGE_VAL, .opt = nlopt_create(NLOPT_LD_SLSQP, (unsigned)def->n)};
    double *mem = calloc(4 * n, sizeof *mem), *u = mem;
    ph_status status = PH_E_MEMORY;
    *why = "not enough memory";
    if (mem && s.opt) {
        s.x = mem + n, s.g = mem + 2 * n, s.best = mem + 3 * n;
        for (size_t i = 0; i < n; i++) {
            u[i] = fmin(1, fmax(0, (x[i] - def->lower[i]) / (def->upper[i] - def->lower[i])));
            s.best[i] = x[i];
        }
        status = run(&s, u, value, why);
        memcpy(x, s.best, n * sizeof *x);
    }
    nlopt_destroy(s.opt);
    free(mem);
    return status;
}

#else

const char *ph_minimise_missing(void)
{
    return "NLopt (libnlopt-dev), without which this program was built";
}

ph_status ph_minimise(const ph_minimise_def *def, double *x, double *value, const char **why)
{
    (void)def, (void)x, (void)value;
    *why = "this program was built without NLopt";
    return PH_E_INPUT;
}

#endif
