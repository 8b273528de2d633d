/* Warnings of a run: reasons to doubt a result although no step failed.
 *
 * Each row of the table computes one kind of warning from what the run has recorded. A new kind is a function and a row. */
#include <stdio.h>

#include "run/private.h"

/* A balance of energy that is off by more than this part of the largest kinetic energy is no rounding of the result. */
#define RESIDUAL 1e-2

/* Each returns 1 and completes `w` if there is something to warn of; w->what is set. */
static int warn_energy(const ph_run *run, ph_warning *w)
{
    const ph_watched *seen = &run->watched;
    if (!run->mech || !(seen->most_residual > RESIDUAL * (seen->most_kinetic + run->floor)))
        return 0;
    w->t = run->watched.t;
    snprintf(w->text, sizeof w->text,
             "the balance of energy is off by up to %.3g J, and the largest kinetic energy is %.3g J: use a "
             "smaller %s than %g",
             seen->most_residual, seen->most_kinetic, run->def.opt.tol > 0 ? "tol" : "h",
             run->def.opt.tol > 0 ? run->def.opt.tol : run->def.opt.h);
    return 1;
}

static int warn_bars(const ph_run *run, ph_warning *w)
{
    int n = ph_doubt_count(run), paced = run->def.opt.tol > 0;
    const char *what = paced ? "tol" : "h";
    w->t = ph_run_time(run);
    if (n < 0)
        snprintf(w->text, sizeof w->text,
                 "error bars are not to be trusted yet: a run with a larger %s fails; use a smaller one",
                 what);
    else
        snprintf(w->text, sizeof w->text,
                 "%d of the error bars are not to be trusted yet: they do not shrink with the step as errors "
                 "do; use a "
                 "smaller %s than %g",
                 n, what, paced ? run->def.opt.tol : run->def.opt.h);
    return n != 0;
}

static int warn_unstable(const ph_run *run, ph_warning *w)
{
    if (!(run->growth > 0))
        return 0;
    snprintf(w->text, sizeof w->text,
             "the equilibrium is unstable: displacements grow at %.3g 1/s; --stable looks for a stable one",
             run->growth);
    return 1;
}

static const struct {
    const char *what;
    int (*warn)(const ph_run *run, ph_warning *w);
} kinds[] = {
    {"energy", warn_energy},
    {"unstable", warn_unstable},
    {"error bars", warn_bars},
};

int ph_run_warnings(const ph_run *run, ph_warning *to, int room)
{
    int n = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        ph_warning w = {.what = kinds[k].what, .t = NAN};
        if (!kinds[k].warn(run, &w))
            continue;
        if (n < room)
            to[n] = w;
        n++;
    }
    return n;
}
