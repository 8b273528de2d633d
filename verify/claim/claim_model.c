/* One run of a model file and what is kept of it: violations, energy, and what is seen in the end.
 *
 * Things to look at, and their numbers:
 *   SENSOR                                                     as the file has it
 *   BODY.position, BODY.velocity, BODY.omega                   world, world, body components
 *   BODY.psi                                                   rotation vector, log R
 *   JOINT.lambda, JOINT.eta, JOINT.force, JOINT.torque         multipliers; the others in the world
 * NAME:K is number K of it, from 1. */
#include "claim/claim_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a model file, ready to step ---------------------------------------------------------------- */

static ph_status start(ph_model_runner *runner, const ph_claim_run *run, ph_error *err)
{
    ph_options o = run->h > 0 ? ph_claim_options(run) : ph_run_settings(runner->run).opt;
    o.formulation = run->formulation;
    ph_status s = ph_run_set_method(runner->run, &o, err);
    if (s == PH_OK)
        s = ph_run_start(runner->run, err);
    runner->sim = ph_run_sim(runner->run);
    runner->steps = lrint(ph_run_end(runner->run) / o.h);
    return s;
}

int ph_model_runner_open(ph_model_runner *runner, ph_study *study, const ph_claim_run *run)
{
    ph_model_results *results = ph_study_model_results(study);
    ph_error *err = &results->complaint;
    ph_setting set = {run->set, run->x};
    char path[512], space[64], end[64];
    const char *const option[] = {space, end};
    ph_run_config c = ph_run_defaults();
    *runner = (ph_model_runner){0};
    snprintf(path, sizeof path, "%s/%s.lua", results->folder, run->model);
    snprintf(space, sizeof space, "space=%s", ph_space_word(run->space));
    snprintf(end, sizeof end, "t_end=%.17g", run->to);
    c.parameters = &set, c.n_parameters = run->set != NULL;
    c.options = option, c.n_options = run->to > 0 ? 2 : 1;
    c.watch = 0, c.wait = 1;
    ph_status status = ph_run_open(&runner->run, path, &c, err);
    if (status == PH_OK)
        status = start(runner, run, err);
    if (status != PH_OK)
        ph_model_runner_close(runner);
    return status == PH_OK;
}

void ph_model_runner_close(ph_model_runner *runner)
{
    ph_run_close(runner->run);
    *runner = (ph_model_runner){0};
}

int ph_model_runner_step(ph_model_runner *runner, ph_error *err)
{
    return ph_run_step(runner->run, err) == PH_OK;
}

/* ---- things to look at -------------------------------------------------------------------------- */

static ph_named *add(ph_model_result *y, const char *owner, const char *what, int n)
{
    ph_named *d = &y->named[y->n++];
    snprintf(d->name, sizeof d->name, "%s%s%s", owner, what ? "." : "", what ? what : "");
    d->n = n;
    return d;
}

static void look_at_body(ph_model_runner *runner, const ph_state *now, int body, ph_model_result *y)
{
    static const struct {
        const char *name;
        int what;
    } all[] = {{"position", PH_GET_POSITION}, {"velocity", PH_GET_VELOCITY}, {"omega", PH_GET_OMEGA}};
    const char *name = ph_run_name(runner->run, PH_BODIES, body);
    double q[4] = {1, 0, 0, 0}; /* a particle does not turn */
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        ph_run_get_of(runner->run, now, all[k].what, body, add(y, name, all[k].name, 3)->value);
    ph_run_get_of(runner->run, now, PH_GET_ROTATION, body, q);
    ph_group_get(PH_SO3)->log(0, q, add(y, name, "psi", 3)->value);
}

static void look_at_joint(ph_model_runner *runner, const ph_state *now, int joint, ph_model_result *y)
{
    const char *name = ph_run_name(runner->run, PH_JOINTS, joint);
    int rows = ph_run_size(runner->run, PH_GET_MULTIPLIERS, joint);
    double reaction[6];
    ph_run_get_of(runner->run, now, PH_GET_REACTION, joint, reaction);
    memcpy(add(y, name, "force", 3)->value, reaction, 3 * sizeof *reaction);
    memcpy(add(y, name, "torque", 3)->value, reaction + 3, 3 * sizeof *reaction);
    if (rows > PH_NAMED_MAX)
        return;
    ph_run_get_of(runner->run, now, PH_GET_MULTIPLIERS, joint, add(y, name, "lambda", rows)->value);
    if (now->eta)
        ph_run_get_of(runner->run, now, PH_GET_ETA, joint, add(y, name, "eta", rows)->value);
}

static int look_at(ph_model_runner *runner, const ph_state *now, ph_model_result *y)
{
    ph_run *r = runner->run;
    int sensors = ph_run_count(r, PH_SENSORS), bodies = ph_run_count(r, PH_BODIES),
        joints = ph_run_count(r, PH_JOINTS);
    y->named = calloc((size_t)(sensors + 4 * bodies + 4 * joints) + 1, sizeof *y->named);
    if (!y->named)
        return 0;
    for (int i = 0; i < sensors; i++) {
        int n = ph_run_size(r, PH_GET_SENSOR, i);
        if (n <= PH_NAMED_MAX &&
            ph_run_get_of(r, now, PH_GET_SENSOR, i, add(y, ph_run_name(r, PH_SENSORS, i), NULL, n)->value) !=
                PH_OK)
            return 0;
    }
    for (int i = 0; i < bodies; i++)
        look_at_body(runner, now, i, y);
    for (int i = 0; i < joints; i++)
        look_at_joint(runner, now, i, y);
    return 1;
}

/* ---- the run ------------------------------------------------------------------------------------ */

static void watch(ph_model_runner *runner, long k, double *E0, ph_model_result *y)
{
    double violation[2], energy[5];
    if (ph_run_get(runner->run, PH_GET_VIOLATION, 0, violation) != PH_OK)
        violation[0] = violation[1] = NAN;
    ph_run_get(runner->run, PH_GET_ENERGY, 0, energy);
    double E = energy[0] + energy[1];
    ph_raise(&y->position, violation[0]), ph_raise(&y->velocity, violation[1]);
    if (k == 0)
        *E0 = E;
    ph_raise(&y->drift, fabs(E - *E0));
    if (10 * k <= runner->steps)
        ph_raise(&y->drift_first, fabs(E - *E0));
    if (10 * k >= 9 * runner->steps)
        ph_raise(&y->drift_last, fabs(E - *E0));
}

static void make_trial(ph_study *study, ph_model_result *y)
{
    ph_model_runner runner;
    double E0 = 0;
    if (!ph_model_runner_open(&runner, study, &y->run))
        return;
    y->ok = 1;
    for (long k = 0; k <= runner.steps && y->ok; k++) {
        y->ok = k == 0 || ph_model_runner_step(&runner, &ph_study_model_results(study)->complaint);
        watch(&runner, k, &E0, y);
    }
    ph_stats stats = ph_sim_stats(runner.sim);
    y->iterations = (double)stats.iterations / (double)stats.steps, y->jacobians = (double)stats.jacobians;
    ph_state end = ph_sim_state(runner.sim);
    y->ok = y->ok && look_at(&runner, &end, y);
    ph_model_runner_close(&runner);
}

static int same_word(const char *a, const char *b)
{
    return !strcmp(a ? a : "", b ? b : "");
}

/* But for what is looked at. */
static int same_run(const ph_claim_run *a, const ph_claim_run *b)
{
    return same_word(a->model, b->model) && same_word(a->set, b->set) && (!a->set || a->x == b->x) &&
           ph_same_method(a, b) && a->space == b->space && a->formulation == b->formulation &&
           a->ggl == b->ggl && a->start == b->start && a->sigma == b->sigma && a->rho == b->rho &&
           a->h == b->h && a->to == b->to;
}

const ph_model_result *ph_study_model_result(ph_study *study, const ph_claim_run *run)
{
    ph_model_results *results = ph_study_model_results(study);
    for (const ph_model_result *y = results->first; y; y = y->next)
        if (same_run(&y->run, run))
            return y->ok ? y : NULL;
    ph_model_result *y = calloc(1, sizeof *y);
    if (!y)
        return NULL;
    y->run = *run;
    y->next = results->first, results->first = y;
    make_trial(study, y);
    return y->ok ? y : NULL;
}

void ph_model_results_clear(ph_model_results *results)
{
    while (results->first) {
        ph_model_result *y = results->first;
        results->first = y->next;
        free(y->named);
        free(y);
    }
}

/* ---- words -------------------------------------------------------------------------------------- */

/* The numbers of one word, at most room of them, to value; how many: 0 if it is not there. */
static int look(const ph_model_result *y, const char *word, size_t length, int room, double *value)
{
    const char *colon = memchr(word, ':', length);
    size_t name = colon ? (size_t)(colon - word) : length;
    for (int i = 0; i < y->n; i++) {
        const ph_named *d = &y->named[i];
        if (strlen(d->name) != name || memcmp(d->name, word, name) != 0)
            continue;
        int first = colon ? atoi(colon + 1) - 1 : 0, n = colon ? 1 : d->n;
        if (first < 0 || first + n > d->n || n > room)
            return 0;
        memcpy(value, d->value + first, sizeof(double) * (size_t)n);
        return n;
    }
    return 0;
}

static int look_all(const ph_model_result *y, const char *of, double value[PH_CLAIM_MAX], int n[PH_CLAIM_MAX])
{
    int words = 0, total = 0;
    for (const char *word = of; *word; words++) {
        size_t length = strcspn(word, " ");
        n[words] = look(y, word, length, PH_CLAIM_MAX - total, value + total);
        if (n[words] == 0)
            return 0;
        total += n[words];
        word += length + strspn(word + length, " ");
    }
    return words;
}

int ph_model_result_look(ph_study *study, const ph_claim_run *run, double value[PH_CLAIM_MAX],
                         int n[PH_CLAIM_MAX])
{
    const ph_model_result *y = ph_study_model_result(study, run);
    return y ? look_all(y, run->of, value, n) : 0;
}

int ph_model_runner_look(ph_model_runner *runner, const ph_state *now, const char *of,
                         double value[PH_CLAIM_MAX])
{
    ph_model_result y = {0};
    int n[PH_CLAIM_MAX], words = look_at(runner, now, &y) ? look_all(&y, of, value, n) : 0;
    free(y.named);
    return words;
}
