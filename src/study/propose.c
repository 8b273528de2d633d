/* Which method reaches an accuracy with the least work, found by trying: with tolerances and with constant steps, smaller ones until
 * it is reached.
 *
 * Work is counted (RB15), so that a model has one answer, however busy the machine is. The processor's clock only ends runs that take
 * very long. A coarser run says how sure the answer is: if it keeps the accuracy, too, or if its error is as much larger as the order of the
 * method promises, with tolerances in proportion. */
#include "study/propose.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/fail.h"

/* Candidates, the one first that is best for most: a later one is given up when it takes more work. */
static const struct {
    const char *method, *tableau;
    int order; /* option of the method; 0: it has none */
    int refers; /* 1: high order, makes the run that others are compared with, or the next one if it is too slow */
    int constant; /* order of errors with constant steps; 0: adaptive steps */
} candidates[] = {{"rkmk", "dopri8", 0, 1, 0}, {"rkmk", "dopri5", 0, 0, 0}, {"bliedf", NULL, 3, 0, 0},
                  {"rkmk", "radau3", 0, 1, 0}, {"genalpha", NULL, 0, 0, 0}, {"genalpha", NULL, 0, 0, 2},
                  {"rkmk", "dopri8", 0, 0, 8}};
#define CANDIDATES ((int)(sizeof candidates / sizeof *candidates))
#define CONSTANT   5 /* the candidate of second order with constant steps */

#define POINTS  4    /* times up to the end at which states are compared */
#define SLICE   0.02 /* s of wall time after which counters and the processor's clock are read */
#define LIMIT   3.0  /* s of processor time of a run */
#define TRIES   5    /* tolerances, or step sizes, of one method */
#define COARSE  4    /* a run more with a tolerance so many times as large, */
#define COARSER 2    /* or with steps so many times as large, says how sure the answer is */
#define SPREAD  2.5  /* between that and what the method promises: tolerances change steps by leaps */
#define STEPS   200  /* steps of the first run with constant steps, if the model says no h */
#define SAFE                                                                                                 \
    0.5 /* of the tolerance at which the accuracy would just be reached, if errors were proportional to it */
#define HALVINGS 8 /* halvings of constant steps at most, to compare with */
#define CHANGE                                                                                               \
    0.1 /* part of the accuracy by which the last halving may change states: a third of it is left */
#define FINER  1e-3  /* tolerance of the run that is compared with, relative to the accuracy, */
#define FINEST 1e-13 /* and at least */

typedef struct trial {
    ph_run *run;
    ph_probe *probe;
    double t_end;
    double *rows; /* POINTS of the present run, then those of the one to compare with */
    double h;     /* s, of the model, or the one to begin with */
    int starved;  /* memory has ended: nothing more is tried */
} trial;

/* Steps end at all POINTS. */
static double step_near(const trial *t, double h)
{
    return t->t_end / (POINTS * fmax(1, ceil(t->t_end / (POINTS * h) - 1e-9)));
}

/* size: the tolerance, or the step size of a candidate with constant steps. */
static ph_options options_of(const trial *t, int k, double size)
{
    ph_options o = ph_run_options(t->run), d = ph_default_options();
    int constant = candidates[k].constant > 0;
    o.method = candidates[k].method, o.start = d.start;
    o.h = constant ? step_near(t, size) : 0, o.tol = constant ? 0 : size;
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

/* Run to the end with at most so much work; 0: not there. */
static int go(trial *t, const ph_options *o, double most, double *rows)
{
    ph_status s = ph_run_set_method(t->run, o, NULL);
    int there = s == PH_OK;
    ph_probe_rewind(t->probe);
    for (int i = 1; i <= POINTS && there; i++) {
        there = 0;
        while (s == PH_OK && !there && cpu_of(t) < LIMIT && ph_run_work(t->run) <= most)
            s = ph_run_until_or(t->run, t->t_end * i / POINTS, SLICE, &there, NULL);
        if (!there)
            break;
        ph_state now = ph_sim_state(ph_run_sim(t->run));
        ph_probe_read(t->probe, &now, rows + (i - 1) * t->probe->size);
    }
    t->starved |= s == PH_E_MEMORY;
    return there && ph_run_work(t->run) <= most;
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

/* The rows to compare with where no method of high order comes to the end in time, as with stiff flexible bodies: constant steps,
 * halved until that changes them by a small part of the accuracy. */
static int refer_by_steps(trial *t, double accuracy)
{
    size_t n = POINTS * (size_t)t->probe->size;
    double h = t->h;
    for (int i = 0; i < HALVINGS && !t->starved; i++, h /= 2) {
        ph_options o = options_of(t, CONSTANT, h);
        if (!go(t, &o, HUGE_VAL, t->rows))
            return 0;
        int close = i && error_of(t) <= CHANGE * accuracy;
        memcpy(t->rows + n, t->rows, n * sizeof *t->rows);
        if (close)
            return 1;
    }
    return 0;
}

/* The rows to compare with: by an explicit method, or by an implicit one. */
static int refer(trial *t, double accuracy)
{
    double *rows = t->rows + POINTS * t->probe->size;
    for (int k = 0; k < CANDIDATES && !t->starved; k++) {
        ph_options o = options_of(t, k, fmax(FINER * accuracy, FINEST));
        if (candidates[k].refers && go(t, &o, HUGE_VAL, rows))
            return 1;
    }
    return t->starved ? 0 : refer_by_steps(t, accuracy);
}

/* The size at which the error would be SAFE of the accuracy. */
static double next_size(int k, double size, double accuracy, double error)
{
    int p = candidates[k].constant;
    if (!isfinite(error))
        return size * (p ? 0.25 : 0.1);
    return p ? size * fmin(4, fmax(1.0 / 32, pow(SAFE * accuracy / error, 1.0 / p)))
             : size * SAFE * accuracy / error;
}

/* The error of a coarser run over that of the best, and whether it is what the method promises. */
static void find_certainty(trial *t, int k, double accuracy, ph_proposal *best)
{
    int p = candidates[k].constant;
    ph_options o = options_of(t, k, p ? COARSER * best->opt.h : COARSE * best->opt.tol);
    best->ratio = NAN, best->sure = 0;
    if (!go(t, &o, HUGE_VAL, t->rows))
        return;
    best->ratio = error_of(t) / best->error;
    best->promised = p ? pow(o.h / best->opt.h, p) : COARSE;
    double coarse = best->ratio * best->error; /* a coarser run that keeps the accuracy is more than enough */
    best->sure = best->promised > 1 && (coarse <= accuracy || (best->ratio > best->promised / SPREAD &&
                                                               best->ratio < best->promised * SPREAD));
}

/* One method with smaller and smaller tolerances or steps, while it takes less work than the best so far. With constant steps the
 * search continues with larger ones, too, since h is not known beforehand. Returns 1 if it is the best. */
static int try_method(trial *t, int k, double accuracy, ph_proposal *best)
{
    double size = candidates[k].constant ? t->h : accuracy;
    int better = 0;
    for (int i = 0; i < TRIES && size > FINEST; i++) {
        ph_options o = options_of(t, k, size);
        if (!go(t, &o, best->work, t->rows))
            return better;
        double error = error_of(t), work = ph_run_work(t->run);
        if (error <= accuracy && work < best->work)
            *best = (ph_proposal){.opt = o, .cpu_s = cpu_of(t), .error = error, .work = work}, better = 1;
        if (error <= accuracy && (!candidates[k].constant || error > 0.1 * accuracy))
            return better;
        size = next_size(k, candidates[k].constant ? o.h : size, accuracy, error);
    }
    return better;
}

ph_status ph_propose(ph_run *run, ph_probe *probe, double accuracy, double t_end, ph_proposal *out,
                     ph_error *err)
{
    double h = ph_run_settings(run).opt.h;
    trial t = {.run = run,
               .probe = probe,
               .t_end = t_end,
               .rows = malloc(2 * POINTS * (size_t)probe->size * sizeof(double)),
               .h = h > 0 && h < t_end ? h : t_end / STEPS};
    *out = (ph_proposal){.work = HUGE_VAL};
    if (!t.rows)
        return ph_study_fail(err, PH_E_MEMORY, "not enough memory for the states of a run");
    int known = refer(&t, accuracy), best = -1;
    for (int k = 0; k < CANDIDATES && known && !t.starved; k++)
        best = try_method(&t, k, accuracy, out) ? k : best;
    if (best >= 0 && !t.starved)
        find_certainty(&t, best, accuracy, out);
    free(t.rows);
    if (t.starved)
        return ph_study_fail(err, PH_E_MEMORY, "not enough memory to try methods");
    return best >= 0 ? PH_OK
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
    snprintf(text, size, "--method %s --%s --%s %.3g", o->method, how, o->tol > 0 ? "tol" : "h",
             o->tol > 0 ? o->tol : o->h);
    return text;
}
