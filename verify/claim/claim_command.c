/* The command that shows a claim: what a user types to see the same number, or numbers it comes from. Rows
 * that no other command shows are measured one by one with 'polhode-verify --row ID'. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "claim/claim_run.h"

/* How a measure is seen. */
typedef enum way {
    BY_ROW,     /* polhode-verify --row */
    RUN,        /* run: summary, JSON */
    RUN_FILE,   /* run -o: the course of the run */
    CONVERGE,   /* errors with h over [from, to] */
    CONVERGE_2, /* with h, h/2 */
    CONVERGE_3, /* with h, h/2, h/4 */
    CONVERGE_4, /* with h, h/2, h/4, h/8 */
    AT_END,     /* errors at the end with h */
    AT_END_3,   /* with h, h/2, h/4 */
    SWEEP_3,    /* values at the end with h, h/2, h/4 */
    WORK,       /* iterations */
    CHECK,      /* freedom and redundancy */
    MODES,      /* frequencies */
    SENS,       /* derivatives beside differences */
    BALL,       /* stability of the ball */
    SPIN        /* stability about steady spin */
} way;

enum { THREE_SIGMAS = 1 }; /* sigma = 0, 1, opt */

static const struct {
    ph_measure *measure;
    way way;
    int sigmas;
} ways[] = {{ph_measure_x, RUN, 0},
            {ph_measure_Omega, RUN, 0},
            {ph_measure_lambda, RUN, 0},
            {ph_measure_eta, RUN_FILE, 0},
            {ph_measure_max_eta, RUN_FILE, 0},
            {ph_measure_errors, CONVERGE, 0},
            {ph_measure_order, CONVERGE_3, 0},
            {ph_measure_attitude, CONVERGE_4, 0},
            {ph_measure_lambda_error, CONVERGE_2, 0},
            {ph_measure_transient, CONVERGE, THREE_SIGMAS},
            {ph_measure_iterations, WORK, THREE_SIGMAS},
            {ph_measure_psi, RUN, 0},
            {ph_measure_ball_error, AT_END, 0},
            {ph_measure_radius, SPIN, 0},
            {ph_measure_ball_limit, BALL, 0},
            {ph_measure_model, RUN, 0},
            {ph_measure_model_limit, SWEEP_3, 0},
            {ph_measure_model_order, AT_END_3, 0},
            {ph_measure_model_orders, AT_END_3, 0},
            {ph_measure_model_distance, AT_END, 0},
            {ph_measure_model_error, AT_END, THREE_SIGMAS},
            {ph_measure_model_violation, RUN, 0},
            {ph_measure_model_drift, RUN, 0},
            {ph_measure_model_rank, CHECK, 0},
            {ph_measure_model_extremes, RUN_FILE, 0},
            {ph_measure_model_iterations, WORK, THREE_SIGMAS},
            {ph_measure_model_newton, WORK, 0},
            {ph_measure_model_modes, MODES, 0},
            {ph_measure_model_modes_error, MODES, 0},
            {ph_measure_sens_W, SENS, 0},
            {ph_measure_sens_difference, SENS, 0}};

/* ---- words -------------------------------------------------------------------------------------------- */

typedef struct line {
    char *text;
    size_t size, n;
} line;

static void say(line *to, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(to->text + to->n, to->size - to->n, format, args);
    va_end(args);
    to->n = n > 0 && to->n + (size_t)n < to->size ? to->n + (size_t)n : to->size - 1;
}

/* As few digits as give the number back, as people write them: 2.5e-5, not 2.5e-05, and 10, not 1e+01. */
static void say_number(line *to, const char *option, double x)
{
    char text[32];
    int digits = 1;
    do
        snprintf(text, sizeof text, "%.*g", digits, x);
    while ((strtod(text, NULL) != x || strstr(text, "e+0")) && ++digits <= 17);
    char *e = strstr(text, "e-0");
    if (e)
        memmove(e + 2, e + 3, strlen(e + 3) + 1);
    say(to, " %s %s", option, text);
}

static void say_model(line *to, const ph_claim_run *r)
{
    if (r->model)
        say(to, " models/%s.lua", r->model);
    else
        say(to, " %s", r->problem ? r->problem : "heavy_top_r3xso3");
    if (r->model ? r->set != NULL : !isnan(r->x))
        say(to, " --set %s=%.10g", r->model ? r->set : "x", r->x);
    if (r->model && r->space != PH_SPACE_R3XSO3)
        say(to, " --space %s", ph_space_word(r->space));
}

static void say_sigma(line *to, double sigma, int sigmas)
{
    if (sigmas)
        say(to, " --sigma 0,1,opt");
    else if (sigma == PH_SIGMA_OPT)
        say(to, " --sigma opt");
    else
        say_number(to, "--sigma", sigma);
}

/* All options of the method, none of them left to a default that may change. */
static void say_method(line *to, const ph_claim_run *r, int sigmas)
{
    const ph_options o = ph_claim_options(r), usual = ph_default_options();
    unsigned reads = ph_method_reads(o.method);
    int chart = r->space == PH_SPACE_EULER || r->space == PH_SPACE_CARDAN;
    if (strcmp(o.method, "genalpha") != 0)
        say(to, " --method %s", o.method);
    if (reads & PH_READS_TABLEAU)
        say(to, " --tableau %s", o.tableau);
    if (reads & PH_READS_ORDER)
        say(to, " --order %d --correction %s", o.order, ph_correction_word((int)o.correction));
    if (reads & PH_READS_FORMULATION)
        say(to, " --formulation %s", ph_formulation_word((int)o.formulation));
    if (reads & PH_READS_SIGMA && !chart)
        say_sigma(to, o.sigma, sigmas);
    if (reads & PH_READS_ALPHA)
        say_number(to, "--rho", o.rho);
    if (reads & PH_READS_START)
        say(to, " --start %s", ph_start_word((int)o.start));
    if (reads & PH_READS_NEWTON && o.newton != usual.newton)
        say(to, " --newton %s", ph_newton_word((int)o.newton));
    if (o.atol != usual.atol)
        say_number(to, "--atol", o.atol);
    if (o.rtol != usual.rtol)
        say_number(to, "--rtol", o.rtol);
}

static void say_steps(line *to, const char *option, double h, int n)
{
    say_number(to, option, h);
    for (int k = 1; k < n; k++) {
        size_t at = to->n;
        say_number(to, "", ldexp(h, -k)); /* "  5e-4" becomes ",5e-4" */
        memmove(to->text + at + 1, to->text + at + 2, to->n - at - 1);
        to->text[at] = ',', to->n--;
    }
}

/* Sensors among the words of run->of, without the number behind a colon; what a body or joint has is in q, v
 * and lambda. */
static void say_sensors(line *to, const ph_claim_run *r)
{
    char name[64] = "", last[64] = "";
    for (const char *w = r->model && r->of ? r->of : ""; *w; w += strcspn(w, " "), w += *w == ' ') {
        size_t n = strcspn(w, " :");
        if (n >= sizeof name || memchr(w, '.', n))
            continue;
        memcpy(name, w, n), name[n] = 0;
        if (strcmp(name, last) != 0)
            say(to, "%s%s", last[0] ? "," : " --sensor ", name);
        memcpy(last, name, sizeof last);
    }
}

/* Whether run->of names sensors alone: a table of sensors then has it. */
static int has_sensors_alone(const ph_claim_run *r)
{
    return r->model && r->of && r->of[0] && !strchr(r->of, '.');
}

/* ---- commands ----------------------------------------------------------------------------------------- */

static void say_run(line *to, const ph_claim_run *r)
{
    say(to, "run");
    say_model(to, r);
    if (r->h > 0) {
        say_method(to, r, 0);
        say_steps(to, "--h", r->h, 1);
        say_number(to, "--t-end", r->to);
    } else
        say(to, " --formulation %s", ph_formulation_word((int)r->formulation));
}

static void say_study(line *to, const char *command, const ph_claim_run *r, int sigmas, int n, double from)
{
    say(to, "%s", command);
    say_model(to, r);
    say_method(to, r, sigmas);
    say_steps(to, "--h", r->h, n);
    if (from > 0)
        say_number(to, "--from", from);
    say_number(to, "--t-end", r->to);
}

/* The values that a limit is extrapolated from. */
static void say_sweep(line *to, const ph_claim_run *r)
{
    say(to, "sweep");
    say_model(to, r);
    say_method(to, r, 0);
    say(to, " --vary h=");
    size_t at = to->n;
    say_steps(to, "", r->h, 3); /* "  1e-3,5e-4" */
    memmove(to->text + at, to->text + at + 2, to->n - at - 1);
    to->n -= 2;
    say_number(to, "--t-end", r->to);
    say_sensors(to, r);
    say(to, " --json");
}

static void say_modes(line *to, const ph_claim_run *r)
{
    const char *last = strrchr(r->of, ' ');
    say(to, "modes");
    say_model(to, r);
    say(to, " -n %s", last ? last + 1 : r->of);
}

/* Where eta of the stabilised form stands is no option of the program: (G7) for sigma = 0, (G8) else. */
static int is_usual(const ph_claim_run *r)
{
    return r->ggl == PH_GGL_AUTO || (r->ggl == PH_GGL_INSIDE) == (r->sigma == 0);
}

static void say_way(line *to, const ph_claim *f, way w, int sigmas)
{
    const ph_claim_run *r = &f->run;
    switch (w) {
    case RUN:
        say_run(to, r);
        break;
    case RUN_FILE:
        say_run(to, r);
        say(to, " -o run.csv");
        break;
    case CONVERGE:
    case CONVERGE_2:
    case CONVERGE_3:
    case CONVERGE_4:
        say_study(to, "converge", r, sigmas, 1 + (int)(w - CONVERGE), r->from);
        break;
    case SWEEP_3:
        if (has_sensors_alone(r)) {
            say_sweep(to, r);
            break;
        }
        /* fall through */
    case AT_END:
    case AT_END_3:
        say_study(to, "converge", r, sigmas, w == AT_END ? 1 : 3, r->to);
        say_sensors(to, r);
        break;
    case WORK:
        say_study(to, "work", r, sigmas, 1, 0);
        say(to, " --repeats 1");
        break;
    case CHECK:
        say(to, "check");
        say_model(to, r);
        break;
    case MODES:
        say_modes(to, r);
        break;
    case SENS:
        say(to, "sens");
        say_model(to, r);
        say(to, " --param %s", r->of);
        say_method(to, r, 0);
        say_steps(to, "--h", r->h, 1);
        say_number(to, "--t-end", r->to);
        say(to, " --check");
        break;
    case BALL:
        say(to, "stability --method rkmk --tableau %s", r->tableau);
        say_number(to, "--zeta", r->x);
        say_number(to, "--amplitude", r->from);
        say(to, " --angle %.4g --steps 20000", r->to * 45 / atan(1));
        break;
    case SPIN:
        say(to, "stability models/hanging_top.lua --about-spin --formulation index3");
        say_sigma(to, r->sigma, 0);
        say_number(to, "--rho", r->rho);
        say(to, " --hw %.6g", 150 * r->h);
        break;
    case BY_ROW:
        break;
    }
}

int ph_claim_command(const ph_claim *f, char *text, size_t size)
{
    line to = {text, size, 0};
    way w = BY_ROW;
    int sigmas = 0;
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
        if (ways[k].measure == f->measure)
            w = ways[k].way, sigmas = ways[k].sigmas;
    int begins = f->run.h > 0 && !(f->run.to > 0); /* no step is taken */
    if ((begins && w != SPIN) || !is_usual(&f->run))
        w = BY_ROW;
    text[0] = 0;
    if (w == BY_ROW)
        say(&to, "polhode-verify --row %s", f->id);
    else
        say(&to, "polhode "), say_way(&to, f, w, sigmas);
    return w != BY_ROW;
}
