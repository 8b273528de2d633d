/* Warnings of a run: reasons to doubt a result although no step failed.
 *
 * Each row of the table computes one kind of warning from what the run has recorded. A new kind is a function and a row.
 *
 * Whether the energy balances and can be explained is found in each step, by run_watch.c. */
#include <stdio.h>
#include <string.h>

#include "run/private.h"
#include "run/run_limits.h"
#include "step/sim.h"

/* Say what to change. Returns text. */
static const char *advice(const ph_run *run, char *text, size_t size)
{
    const ph_options *o = &run->def.opt;
    int bdf = strcmp(o->method, "bliedf") == 0, alpha = !bdf && strcmp(o->method, "rkmk") != 0;
    snprintf(text, size, "use a smaller %s than %g%s", o->tol > 0 ? "tol" : "h", o->tol > 0 ? o->tol : o->h,
             bdf                   ? ", or genalpha"
             : alpha && o->rho < 1 ? ", or a larger rho"
                                   : "");
    return text;
}

/* Each returns 1 and completes `w` if there is something to warn of; w->what is set. The failure of a run that exploded says more. */
static int warn_energy(const ph_run *run, ph_warning *w)
{
    const ph_watched *seen = &run->watched;
    char text[96];
    if (!run->mech || seen->blown || !seen->unbalanced)
        return 0;
    w->t = seen->unbalanced_from;
    snprintf(w->text, sizeof w->text,
             "the balance of energy is off by up to %.3g J, and the largest kinetic energy is %.3g J: %s",
             seen->most_residual, seen->most_kinetic, advice(run, text, sizeof text));
    return 1;
}

static int warn_explosion(const ph_run *run, ph_warning *w)
{
    const ph_watched *seen = &run->watched;
    char text[96];
    if (!seen->strikes || seen->blown)
        return 0;
    w->t = seen->struck_from;
    snprintf(
        w->text, sizeof w->text,
        "the solution may have begun to explode: its kinetic energy is %.3g J, and at most %.3g J can be "
        "explained: %s",
        seen->kinetic, seen->explained, advice(run, text, sizeof text));
    return 1;
}

static int warn_bars(const ph_run *run, ph_warning *w)
{
    int n = ph_doubt_count(run), paced = run->def.opt.tol > 0;
    const char *what = paced ? "tol" : "h";
    w->t = ph_run_time(run);
    if (n < 0)
        snprintf(w->text, sizeof w->text,
                 "error bars are not to be trusted: the run with a larger %s that should confirm them fails",
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

static int warn_divided(const ph_run *run, ph_warning *w)
{
    ph_stats st = ph_sim_stats(run->sim);
    if (st.divided < 2 || !((double)st.divided > PH_WARN_DIVIDED * (double)st.steps))
        return 0;
    w->t = st.first_divided;
    snprintf(w->text, sizeof w->text, "%ld of %ld steps were divided: h = %g s is too large", st.divided,
             st.steps, run->def.opt.h);
    return 1;
}

static const struct {
    const char *what;
    int (*warn)(const ph_run *run, ph_warning *w);
} kinds[] = {
    {"energy", warn_energy},   {"divided", warn_divided},     {"unstable", warn_unstable},
    {"error bars", warn_bars}, {"explosion", warn_explosion},
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
