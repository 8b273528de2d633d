/* polhode check: read and assemble a model, say what it is; run it only to propose a method. */
#include "cli/deliver.h"
#include "cli/options.h"
#include "cli/warn.h"
#include "io/json.h"
#include "study/fail.h"
#include "study/propose.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TWO_PI 6.283185307179586

/* Steps of a sensible h in a period of the fastest vibration and in a turn of the fastest body. A pendulum that falls
 * from upright comes to twice its frequency: it then turns by 0.42 rad in a step. */
#define STEPS_PER_PERIOD 30
#define STEPS_PER_TURN   60

/* Slower ones are round-off of a system that nothing restores [rad/s]. */
#define VIBRATION_MIN 1e-6

/* Parameters that are shown; each is a reading of the file. */
#define SHOWN 100

typedef struct check {
    const ph_args *args;
    ph_target target;
    ph_bodies *bodies;
    int nv, nl, redundant;
    double h;                  /* planned; 0: the model says none */
    double position, velocity; /* violations of the initial values */
    double fastest, spin;      /* rad/s: of the linearised system with its states; of the fastest body */
    double swing;              /* rad/s^2: of the body that gathers spin fastest */
    double bending;            /* largest initial velocity of a mode */
    double sensible;           /* step size; 0: nothing sets one */
    ph_proposal proposal;      /* work 0 without --accuracy */
    int n_symbols;             /* of the parameters, in their order */
    ph_symbol_info symbol[SHOWN];
} check;

static double fastest_mode(const ph_system *sys, const ph_state *s)
{
    double most = 0;
    for (int i = 0; i < sys->n_nodes; i++)
        for (int k = 0;
             sys->nodes[i].name && !strncmp(sys->nodes[i].name, "modes of ", 9) && k < sys->nodes[i].n; k++)
            most = fmax(most, fabs(s->v[s->v_at[i] + k]));
    return most;
}

static ph_status examine(check *c, ph_error *err)
{
    const ph_problem *p = c->target.p;
    ph_run *run = c->target.run;
    double violation[2] = {0};
    c->nv = ph_system_nv(&p->sys), c->nl = ph_system_nl(&p->sys), c->redundant = p->sys.n_redundant;
    c->h = c->args->opt.h;
    const char *plain = "start=plain"; /* velocities as they are given; with tol they are, until a step */
    ph_status s = ph_run_options(run).tol > 0 ? PH_OK : ph_run_set_options(run, &plain, 1, err);
    if (s == PH_OK)
        s = ph_run_start(run, err);
    if (s != PH_OK)
        return s;
    ph_state state = ph_sim_state(ph_run_sim(run));
    c->spin = ph_fastest(c->bodies, &state, "omega");
    c->swing = ph_fastest(c->bodies, &state, "omega_dot");
    c->bending = fastest_mode(&p->sys, &state);
    s = ph_run_get(run, PH_GET_VIOLATION, 0, violation);
    c->position = violation[0], c->velocity = violation[1];
    if (s == PH_OK)
        s = ph_run_fastest(run, &c->fastest);
    if (c->fastest < VIBRATION_MIN || c->nv - c->nl + c->redundant == 0) /* driven: nothing can vibrate */
        c->fastest = 0;
    double soon =
        sqrt(c->spin * c->spin +
             2 * c->swing); /* after a turn by 1 rad: what a pendulum reaches that falls from the side */
    double rate = fmax(c->fastest * STEPS_PER_PERIOD, soon > VIBRATION_MIN ? soon * STEPS_PER_TURN : 0);
    c->sensible = rate > 0 ? TWO_PI / rate : 0;
    if (s != PH_OK)
        snprintf(err->text, sizeof err->text, "the model cannot be linearised: %s",
                 s == PH_E_CALLBACK && c->target.model ? ph_model_complaint(c->target.model)
                                                       : ph_status_text(s));
    return s;
}

/* Whether functions can be expressions of parameters. A reading that fails shows nothing, but for memory. */
static ph_status find_symbols(check *c, ph_error *err)
{
    const ph_model *model = c->target.model;
    int n = model ? ph_model_count(model, PH_PARAMETERS) : 0;
    for (; c->n_symbols < n && c->n_symbols < SHOWN; c->n_symbols++) {
        ph_symbol_info *f = &c->symbol[c->n_symbols];
        ph_status s = ph_model_symbol(model, c->n_symbols, f, err);
        if (s == PH_E_MEMORY)
            return s;
        if (s != PH_OK)
            f->exact = 1;
    }
    return PH_OK;
}

/* With --accuracy; last, since the run is then elsewhere. */
static ph_status propose(check *c, ph_error *err)
{
    ph_run *run = c->target.run;
    double t_end = ph_run_end(run);
    if (!(c->args->accuracy > 0))
        return PH_OK;
    if (!(t_end > 0))
        return ph_study_fail(err, PH_E_INPUT,
                             "--accuracy: the model says no t_end, up to which methods could be tried");
    ph_probe *probe = ph_probe_create(&c->target.p->sys, c->target.model ? run : NULL, 0, NULL);
    ph_status s = probe ? ph_propose(run, probe, c->args->accuracy, t_end, &c->proposal, err)
                        : ph_study_fail(err, PH_E_MEMORY, "not enough memory for the model");
    ph_probe_destroy(probe);
    return s;
}

static void print_flexible(const ph_model *model)
{
    ph_flexible_info f;
    for (int k = 0; model && ph_model_flexible(model, k, &f); k++) {
        printf("  flexible     '%s', %d %s", f.name, f.modes, ph_plural(f.modes, "mode", "modes"));
        if (f.omega)
            printf(" of %.4g to %.4g rad/s", f.omega[0], f.omega[f.modes - 1]);
        printf(", %d %s\n", f.markers, ph_plural(f.markers, "marker", "markers"));
    }
}

/* Those that are not traced, and why. */
static void print_functions(const ph_model *model)
{
    ph_function_info f;
    int n = 0, called = 0;
    for (; model && ph_model_function(model, n, &f); n++)
        called += f.reason != NULL;
    if (n)
        printf("  functions    %d, %d traced\n", n, n - called);
    for (int k = 0; called && ph_model_function(model, k, &f); k++)
        if (f.reason)
            printf("  not traced   line %d, %s: %s; it is called and differenced%s\n", f.line, f.element,
                   f.reason, f.somewhere ? " there" : "");
}

/* Those that functions cannot be expressions of. */
static void print_parameters(const check *c)
{
    for (int k = 0; k < c->n_symbols; k++)
        if (!c->symbol[k].exact)
            printf("  parameter    '%s', line %d: %s; functions are differenced by it\n",
                   ph_model_name(c->target.model, PH_PARAMETERS, k), c->symbol[k].line, c->symbol[k].reason);
}

static void print_proposal(const check *c)
{
    char text[256];
    const ph_proposal *p = &c->proposal;
    if (!(p->work > 0))
        return;
    printf("  method       for %g here: %s, %.2g ms (error %.1e)\n", c->args->accuracy,
           ph_proposal_words(p, text, sizeof text), 1e3 * p->cpu_s, p->error);
    if (isnan(p->ratio))
        printf("               not sure: a run with %s fails\n",
               p->opt.tol > 0 ? "four times the tol" : "twice the h");
    else
        printf("               %s: with %s the error is %.2g times as large, and %.2g by the order\n",
               p->sure ? "sure" : "not sure", p->opt.tol > 0 ? "four times the tol" : "twice the h", p->ratio,
               p->promised);
}

static void print_text(const check *c)
{
    char text[256];
    const ph_problem *p = c->target.p;
    int n = c->bodies->n_own, joints = c->bodies->n_joints;
    printf("%s: %d %s, %d %s, space %s\n", p->name, n, ph_plural(n, "body", "bodies"), joints,
           ph_plural(joints, "joint", "joints"), ph_bodies_space(c->bodies));
    printf("  coordinates  %d, constraints %d", c->nv, c->nl);
    if (c->redundant)
        printf(" of rank %d", c->nl - c->redundant);
    printf(", degrees of freedom %d\n", c->nv - c->nl + c->redundant);
    print_flexible(c->target.model);
    print_functions(c->target.model);
    print_parameters(c);
    for (ph_redundancy at = {0}; ph_target_redundancy(&c->target, &at, text, sizeof text);)
        printf("  redundancy   %s\n", text);
    for (int what = 0; what < 2; what++)
        if (ph_run_assembled(c->target.run, what, text, sizeof text)[0])
            printf("  assembled    %s\n", text);
    printf("  consistency  positions to %.2g, velocities to %.2g\n", c->position, c->velocity);
    if (c->bending > 0)
        printf("  modes        move from the start, by up to %.3g/s: joints need it\n", c->bending);
    if (c->fastest > 0)
        printf("  vibration    fastest about %.4g rad/s (%.4g Hz)%s\n", c->fastest, c->fastest / TWO_PI,
               p->sys.n_first ? ", states included" : "");
    if (c->spin > 0)
        printf("  spin         fastest %.4g rad/s\n", c->spin);
    if (p->sys.cut)
        printf("  friction     needs no smaller step where it holds a joint at rest\n");
    if (c->sensible > 0)
        printf("  step size    h = %.1e s would be sensible%s\n", c->sensible,
               c->h > 0 ? "" : "; the model says none");
    print_proposal(c);
    if (ph_warn_turn(c->bodies, c->h, c->h * c->spin, text, sizeof text)[0])
        printf("  warning      %s\n", text);
}

static void add_parameters(ph_json *j, const check *c)
{
    const ph_model *model = c->target.model;
    cJSON *list = model ? ph_json_array(j, j->root, "differenced") : NULL;
    for (int k = 0; k < c->n_symbols; k++) {
        const ph_symbol_info *f = &c->symbol[k];
        if (f->exact)
            continue;
        cJSON *row = ph_json_element(j, list);
        ph_json_text(j, row, "parameter", ph_model_name(model, PH_PARAMETERS, k));
        ph_json_count(j, row, "line", f->line);
        ph_json_text(j, row, "reason", f->reason);
    }
}

static void add_functions(ph_json *j, const ph_model *model)
{
    ph_function_info f;
    cJSON *list = model ? ph_json_array(j, j->root, "not_traced") : NULL;
    for (int k = 0; model && ph_model_function(model, k, &f); k++) {
        cJSON *row = f.reason ? ph_json_element(j, list) : NULL;
        if (!row)
            continue;
        ph_json_text(j, row, "element", f.element);
        ph_json_count(j, row, "line", f.line);
        ph_json_text(j, row, "reason", f.reason);
    }
}

static int print_json(const check *c)
{
    ph_json j = ph_json_create();
    const ph_problem *p = c->target.p;
    char text[256];
    ph_json_text(&j, j.root, "polhode", ph_version());
    ph_json_text(&j, j.root, "model", p->name);
    ph_json_text(&j, j.root, "status", "ok");
    ph_json_text(&j, j.root, "space", ph_bodies_space(c->bodies));
    ph_json_count(&j, j.root, "bodies", c->bodies->n_own);
    if (c->target.model)
        ph_json_count(&j, j.root, "flexible", ph_run_count(c->target.run, PH_FLEXIBLE));
    ph_json_count(&j, j.root, "joints", c->bodies->n_joints);
    ph_json_count(&j, j.root, "coordinates", c->nv);
    ph_json_count(&j, j.root, "constraints", c->nl);
    ph_json_count(&j, j.root, "rank", c->nl - c->redundant);
    ph_json_count(&j, j.root, "dof", c->nv - c->nl + c->redundant);
    add_functions(&j, c->target.model);
    add_parameters(&j, c);
    cJSON *redundant = ph_json_array(&j, j.root, "redundant");
    for (int k = 0; k < p->sys.n_constraints; k++)
        if (ph_run_redundant(c->target.run, k)) {
            cJSON *row = ph_json_element(&j, redundant);
            ph_json_text(&j, row, "joint", ph_constraint_name(c->bodies, k, text));
            ph_json_count(&j, row, "rows", ph_run_redundant(c->target.run, k));
        }
    cJSON *violation = ph_json_object(&j, j.root, "violation");
    ph_json_number(&j, violation, "position", c->position);
    ph_json_number(&j, violation, "velocity", c->velocity);
    ph_target_add_assembled(&c->target, c->args, &j);
    ph_json_number(&j, j.root, "fastest", c->fastest);
    ph_json_number(&j, j.root, "spin", c->spin);
    ph_json_count(&j, j.root, "friction", p->sys.cut != NULL);
    ph_json_number(&j, j.root, "h", c->sensible);
    if (c->proposal.work > 0) {
        cJSON *row = ph_json_object(&j, j.root, "proposal");
        ph_json_text(&j, row, "options", ph_proposal_words(&c->proposal, text, sizeof text));
        int constant = !(c->proposal.opt.tol > 0);
        ph_json_number(&j, row, constant ? "h" : "tol", constant ? c->proposal.opt.h : c->proposal.opt.tol);
        ph_json_number(&j, row, "work", c->proposal.work);
        ph_json_number(&j, row, "cpu_s", c->proposal.cpu_s);
        ph_json_number(&j, row, "error", c->proposal.error);
        ph_json_number(&j, row, "ratio", c->proposal.ratio);
        ph_json_count(&j, row, "sure", c->proposal.sure);
    }
    return ph_answer(&j);
}

int ph_cmd_check(const ph_args *given)
{
    ph_args args = *given;
    check c = {.args = &args};
    ph_error err;
    int code;
    if (ph_target_open(&c.target, &args, &code)) {
        c.bodies = ph_bodies_create(&c.target);
        ph_status s = c.bodies ? examine(&c, &err) : PH_E_MEMORY;
        if (s == PH_OK)
            s = find_symbols(&c, &err);
        if (s == PH_OK)
            s = propose(&c, &err);
        code = PH_EXIT_OK;
        if (!c.bodies)
            code = ph_complain("not enough memory for the model");
        else if (s != PH_OK) {
            ph_complain("%s", err.text);
            code = ph_status_exit(s);
        } else if (!args.json)
            print_text(&c);
        else if (!print_json(&c))
            code = ph_complain("not enough memory for the report");
    }
    free(c.bodies);
    ph_target_close(&c.target);
    return code;
}
