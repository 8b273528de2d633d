/* Which method reaches an accuracy soonest, found by trying: each with a tolerance of the accuracy, and smaller ones until it is reached. */
#include "study/propose.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/fail.h"

/* Candidates, the one first that is best for most: what comes after it is given up when it takes longer. */
static const struct {
    const char *method, *tableau;
    int order;
    int refers; /* of high order: the run that others are compared with is made by it, or by the next one such if it is too slow */
} candidates[] = {{"rkmk", "dopri8", 0, 1},
                  {"rkmk", "dopri5", 0, 0},
                  {"bliedf", NULL, 3, 0},
                  {"rkmk", "radau3", 0, 1},
                  {"genalpha", NULL, 0, 0}};
#define CANDIDATES ((int)(sizeof candidates / sizeof *candidates))

#define POINTS  4    /* times up to the end at which states are compared */
#define SLICE   0.02 /* s of wall time after which the processor's clock is read */
#define LIMIT   3.0  /* s of processor time of a run */
#define REPEATS 3    /* runs that take less than */
#define SHORT   0.05 /* s: the best of them counts */
#define TRIES   4    /* tolerances of one method */
#define SAFE                                                                                                 \
    0.5 /* of the tolerance at which the accuracy would just be reached, if errors were proportional to it */
#define FINER  1e-3  /* tolerance of the run that is compared with, relative to the accuracy, */
#define FINEST 1e-13 /* and at least */

typedef struct trial {
    ph_run *run;
    ph_probe *probe;
    double t_end;
    double *rows; /* POINTS of the present run, then those of the one to compare with */
    int starved;  /* memory has ended: nothing more is tried */
} trial;

static ph_options options_of(const trial *t, int k, double tol)
{
    ph_options o = ph_run_options(t->run), d = ph_default_options();
    o.method = candidates[k].method, o.h = 0, o.tol = tol, o.start = d.start;
    o.tableau = candidates[k].tableau ? candidates[k].tableau : d.tableau;
    o.order = candidates[k].order ? candidates[k].order : d.order;
    if (candidates[k].order &&
        o.formulation == PH_INDEX3) /* where multistep methods have no changing steps */
        o.formulation = PH_GGL;
    return o;
}

static double cpu_of(const trial *t)
{
    return ph_run_summarise(t->run).stats.cpu_s;
}

/* Up to the end, in at most so many seconds; 0: not there. */
static int go(trial *t, const ph_options *o, double limit, double *rows)
{
    ph_status s = ph_run_set_method(t->run, o, NULL);
    int there = s == PH_OK;
    ph_probe_rewind(t->probe);
    for (int k = 1; k <= POINTS && there; k++) {
        there = 0;
        while (s == PH_OK && !there && cpu_of(t) < limit)
            s = ph_run_until_or(t->run, t->t_end * k / POINTS, SLICE, &there, NULL);
        if (!there)
            break;
        ph_state now = ph_sim_state(ph_run_sim(t->run));
        ph_probe_read(t->probe, &now, rows + (k - 1) * t->probe->size);
    }
    t->starved |= s == PH_E_MEMORY;
    return there;
}

/* The rows to compare with: by an explicit method, or by an implicit one. */
static int refer(trial *t, double accuracy)
{
    double *rows = t->rows + POINTS * t->probe->size;
    for (int k = 0; k < CANDIDATES && !t->starved; k++) {
        ph_options o = options_of(t, k, fmax(FINER * accuracy, FINEST));
        if (candidates[k].refers && go(t, &o, LIMIT, rows))
            return 1;
    }
    return 0;
}

static double error_of(const trial *t)
{
    double most = 0, d[PH_MEASURES];
    const double *row = t->rows, *exact = row + POINTS * t->probe->size;
    for (int k = 0; k < POINTS; k++) {
        ph_probe_distance(t->probe, row + k * t->probe->size, exact + k * t->probe->size, d);
        most = d[PH_OF_Q] > most || isnan(d[PH_OF_Q]) ? d[PH_OF_Q] : most;
    }
    return most;
}

/* One method with smaller and smaller tolerances, while it is faster than the best so far. */
static void try_method(trial *t, int k, double accuracy, ph_proposal *best)
{
    double tol = accuracy;
    for (int i = 0; i < TRIES && tol > FINEST; i++) {
        ph_options o = options_of(t, k, tol);
        double limit = fmin(LIMIT, best->cpu_s), cpu = HUGE_VAL;
        for (int r = 0; r < REPEATS && (r == 0 || cpu < SHORT); r++) {
            if (!go(t, &o, limit, t->rows))
                return;
            cpu = fmin(cpu, cpu_of(t));
        }
        double error = error_of(t);
        if (error <= accuracy) {
            if (cpu < best->cpu_s)
                *best = (ph_proposal){o, cpu, error};
            return;
        }
        tol *= isfinite(error) ? SAFE * accuracy / error : 0.1;
    }
}

ph_status ph_propose(ph_run *run, ph_probe *probe, double accuracy, double t_end, ph_proposal *out,
                     ph_error *err)
{
    trial t = {run, probe, t_end, malloc(2 * POINTS * (size_t)probe->size * sizeof(double)), 0};
    *out = (ph_proposal){.cpu_s = HUGE_VAL};
    if (!t.rows)
        return ph_study_fail(err, PH_E_MEMORY, "not enough memory for the states of a run");
    int known = refer(&t, accuracy);
    for (int k = 0; k < CANDIDATES && known && !t.starved; k++)
        try_method(&t, k, accuracy, out);
    free(t.rows);
    if (t.starved)
        return ph_study_fail(err, PH_E_MEMORY, "not enough memory to try methods");
    return out->cpu_s < HUGE_VAL
               ? PH_OK
               : ph_study_fail(err, PH_E_STEP,
                               "no method was found to have an accuracy of %g at t = %g within %g s",
                               accuracy, t_end, LIMIT);
}

const char *ph_proposal_words(const ph_proposal *p, char *text, size_t size)
{
    const ph_options *o = &p->opt;
    char how[64];
    if (!strcmp(o->method, "rkmk"))
        snprintf(how, sizeof how, "tableau %s", o->tableau);
    else if (!strcmp(o->method, "bliedf"))
        snprintf(how, sizeof how, "order %d --formulation %s", o->order,
                 ph_formulation_word((int)o->formulation));
    else
        snprintf(how, sizeof how, "formulation %s", ph_formulation_word((int)o->formulation));
    snprintf(text, size, "--method %s --%s --tol %.2g", o->method, how, o->tol);
    return text;
}
