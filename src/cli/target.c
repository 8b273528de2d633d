/* What a command simulates: a model file becomes a mechanism; a name is looked up among the built-in
 * problems. */
#include "cli/target.h"
#include "cli/options.h"
#include "base/hash.h"
#include "polhode/compile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- built-in problems -------------------------------------------------------------------------------- */

static const ph_problem_def defaults[] = {
#define PH_PROBLEM(name, build, size, x, text) {size, x},
#include "problem/problems.def"
#undef PH_PROBLEM
};

int ph_target_has_x(const char *problem)
{
    int k = ph_word_find(problem, ph_problem_name);
    return k >= 0 && defaults[k].x != 0;
}

/* "x=16". A row whose x is 0 has no parameter, as one whose size is 0 has no size. */
static int apply_setting(const char *name, const char *text, int has_x, double *to)
{
    char *end = NULL;
    const char *equal = strchr(text, '=');
    int length = equal ? (int)(equal - text) : 0;
    double x = length ? strtod(equal + 1, &end) : 0;
    if (!length)
        ph_complain("--set: '%s' is not of the form P=V", text);
    else if (end == equal + 1 || *end || !isfinite(x))
        ph_complain("--set: '%s' is not a number", equal + 1);
    else if (!has_x)
        ph_complain("--set: the model '%s' has no parameters", name);
    else if (length != 1 || text[0] != 'x')
        ph_complain("--set: the model '%s' has no parameter '%.*s'; there are: x", name, length, text);
    else {
        *to = x;
        return 1;
    }
    return 0;
}

static ph_problem *build(const ph_args *args, const ph_more *more, const char *name, ph_problem_def def,
                         double *x)
{
    if (args->size && !def.size) {
        ph_complain("--size: the model '%s' has no size", name);
        return NULL;
    }
    if (args->size)
        def.size = args->size;
    int has_x = def.x != 0;
    for (int i = 0; i < args->set.n; i++)
        if (!apply_setting(name, args->set.text[i], has_x, &def.x))
            return NULL;
    for (int i = 0; i < more->n_sets; i++)
        def.x = more->set[i].value;
    *x = def.x;
    ph_problem *p = ph_problem_create(name, &def);
    if (!p && args->size)
        ph_complain("--size: the model '%s' cannot have %d bodies, or memory does not suffice", name,
                    args->size);
    else if (!p && (args->set.n || more->n_sets))
        ph_complain("--set: the model '%s' cannot have x = %g", name, def.x);
    else if (!p)
        ph_complain("not enough memory for the model '%s'", name);
    return p;
}

/* ---- runs --------------------------------------------------------------------------------------------- */

/* What a run is told. */
typedef struct sayings {
    int n;
    const char *option[PH_TOLD_MAX + 2]; /* and those of a built-in problem */
} sayings;

static void add_line(sayings *all, const ph_args *args)
{
    for (int i = 0; i < args->told.n; i++)
        all->option[all->n++] = args->told.text[i];
}

static ph_run_config configure(const ph_args *args, const sayings *all)
{
    ph_run_config c = ph_run_defaults();
    unsigned simulates = 1u << PH_CMD_RUN | 1u << PH_CMD_SENS | 1u << PH_CMD_SWEEP | 1u << PH_CMD_VIEW;
    c.options = all->option, c.n_options = all->n;
    c.wait = 1, c.eps = args->eps;
    c.watch = !(simulates & 1u << args->command) ? 0
              : args->keep_going                 ? PH_WATCH_ALL & ~PH_WATCH_BLOWUP
                                                 : PH_WATCH_ALL;
    return c;
}

/* What file and line say together. */
static void complete(ph_args *args, const ph_run_def *said)
{
    args->opt = said->opt, args->t_end = said->t_end, args->assemble = said->assemble;
    args->every = said->every;
    if (args->list.h.n)
        args->opt.tol = 0; /* several --h stand instead of the model's tol too */
}

int ph_target_merge(ph_args *args, const ph_model *model)
{
    sayings all = {0};
    ph_run_def said;
    ph_error err;
    add_line(&all, args);
    if (ph_model_settings(model, all.option, all.n, &said, &err) != PH_OK) {
        ph_complain("%s", err.text);
        return 0;
    }
    complete(args, &said);
    args->space = (int)said.space;
    return 1;
}

/* A step size of its own, where the line says neither h nor tol. */
static int says_steps(const ph_told_options *told)
{
    for (int i = 0; i < told->n; i++)
        if (!strncmp(told->text[i], "h=", 2) || !strncmp(told->text[i], "tol=", 4))
            return 1;
    return 0;
}

static int open_problem(ph_target *s, ph_args *args, const ph_more *more)
{
    const char *name = args->word[0];
    char own[2][PH_TOLD_TEXT];
    ph_error err;
    int k = ph_word_find(name, ph_problem_name);
    if (args->space >= 0 || args->list.space.n) {
        ph_complain("--space: the built-in problem '%s' has its own", name);
        return 0;
    }
    s->p = build(args, more, name, defaults[k], &s->x);
    if (!s->p)
        return 0;
    sayings all = {0};
    snprintf(own[0], sizeof own[0], "t_end=%.17g", s->p->t_end);
    snprintf(own[1], sizeof own[1], "h=%.17g", s->p->h);
    all.option[all.n++] = own[0];
    if (!says_steps(&args->told))
        all.option[all.n++] = own[1];
    add_line(&all, args);
    ph_run_config c = configure(args, &all);
    s->status = ph_run_create_system(&s->run, &s->p->sys, 0, s->p->q0, s->p->v0, &c, &err);
    if (s->status != PH_OK)
        ph_complain("%s", err.text);
    ph_run_def said = s->run ? ph_run_settings(s->run) : (ph_run_def){0};
    if (s->run)
        complete(args, &said);
    return s->status == PH_OK;
}

/* ---- files -------------------------------------------------------------------------------------------- */

int ph_target_is_file(const char *name)
{
    const char *dot = strrchr(name, '.');
    struct stat st;
    return strchr(name, '/') || (dot && (!strcmp(dot, ".lua") || !strcmp(dot, ".json"))) ||
           (ph_word_find(name, ph_problem_name) < 0 && stat(name, &st) == 0);
}

int ph_target_known(const char *name)
{
    if (ph_target_is_file(name) || ph_word_find(name, ph_problem_name) >= 0)
        return 1;
    ph_complain_word("there is no model file and no built-in problem", name, ph_problem_name,
                     "polhode list problems");
    return 0;
}

/* "m=16" */
static int read_setting(const char *text, char *name, size_t size, double *value)
{
    const char *equal = strchr(text, '=');
    char *end = NULL;
    if (!equal || equal == text || (size_t)(equal - text) >= size) {
        ph_complain("--set: '%s' is not of the form P=V", text);
        return 0;
    }
    snprintf(name, size, "%.*s", (int)(equal - text), text);
    *value = strtod(equal + 1, &end);
    if (end == equal + 1 || *end || !isfinite(*value)) {
        ph_complain("--set: '%s' is not a number", equal + 1);
        return 0;
    }
    return 1;
}

int ph_target_given(const ph_args *args, ph_given *out)
{
    out->n = args->set.n;
    for (int i = 0; i < out->n; i++) {
        if (!read_setting(args->set.text[i], out->name[i], sizeof out->name[i], &out->set[i].value))
            return 0;
        out->set[i].name = out->name[i];
    }
    return 1;
}

ph_model *ph_target_read(const ph_args *args)
{
    ph_given given;
    ph_model *model;
    ph_error err;
    if (args->size) {
        ph_complain("--size: a model file has parameters instead: --set N=%d", args->size);
        return NULL;
    }
    if (!ph_target_given(args, &given))
        return NULL;
    if (ph_model_read(&model, args->word[0], given.set, given.n, NULL, &err) == PH_OK)
        return model;
    ph_complain("%s", err.text);
    return NULL;
}

uint64_t ph_target_key(const ph_run *run)
{
    const ph_model *m = ph_run_model(run);
    ph_run_def said = ph_run_settings(run);
    uint64_t key = ph_model_key(m);
    int space = (int)said.space;
    for (int k = 0; k < ph_model_count(m, PH_PARAMETERS); k++) {
        double x = ph_model_parameter(m, k);
        key = ph_hash_bytes(key, &x, sizeof x);
    }
    return ph_hash_bytes(key, &space, sizeof space);
}

/* The same with inputs, and what else makes its equations. */
static uint64_t fingerprint(const ph_run *run, const ph_args *args)
{
    int assemble = ph_run_settings(run).assemble;
    return ph_hash_bytes(ph_inputs_hash(&args->input, ph_target_key(run)), &assemble, sizeof assemble);
}

ph_status ph_target_inputs(ph_run *run, const ph_args *args, ph_error *err)
{
    ph_status s = PH_OK;
    for (int i = 0; i < args->input.n && s == PH_OK; i++)
        s = ph_run_input_text(run, args->input.text[i], err);
    return s;
}

static int refuse_memory(ph_target *s)
{
    s->status = PH_E_MEMORY;
    ph_complain("not enough memory for the model");
    return 0;
}

/* Where functions are not smooth, for the reference solution; those of built-in problems are. */
static int find_corners(ph_target *s)
{
    int n = s->model ? ph_run_corners(s->run, NULL, 0) : 0;
    double *t = n > 0 ? calloc((size_t)n, sizeof *t) : NULL;
    if (n < 0 || (n && (!t || ph_run_corners(s->run, t, n) != n)))
        return free(t), refuse_memory(s);
    free(s->corner);
    s->p->corner = s->corner = t, s->p->n_corners = n;
    return 1;
}

int ph_target_comparable(ph_target *s, const char *option)
{
    if (!ph_run_count(s->run, PH_EVENTS))
        return find_corners(s);
    ph_complain("%s%sthe reference solution knows no events, and the model has the event '%s'%s",
                option ? option : "", option ? ": " : "", ph_run_name(s->run, PH_EVENTS, 0),
                option ? "; converge and work have --reference finest" : "");
    return 0;
}

/* The run as studies of problems see it. */
static ph_problem *problem_of(const ph_run *run, const ph_args *args)
{
    ph_problem *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    ph_run_def own = ph_model_run_def(ph_run_model(run));
    p->name = ph_model_title(ph_run_model(run)), p->sys = *ph_run_system(run);
    p->t_end = own.t_end, p->h = own.opt.h, p->key = fingerprint(run, args);
    ph_run_initial(run, &p->q0, &p->v0);
    return p;
}

static ph_status open_run(ph_target *s, const ph_args *args, const ph_more *more, ph_run_config *c,
                          ph_error *err)
{
    if (more->model)
        return ph_run_create(&s->run, more->model, c, err);
    return ph_run_open(&s->run, args->word[0], c, err);
}

/* 1 if the run writes rows or frames at points of time. A saved state is only read by a run with the same grid, so runs that save or
 * read one have this grid even if they write no rows. */
static int shows_motion(const ph_args *args)
{
    int run = args->command == PH_CMD_RUN,
        rows = run && (args->output || args->plot || args->save || args->state);
    return (run || args->command == PH_CMD_VIEW || args->command == PH_CMD_SWEEP) &&
           (rows || args->view || args->vtk || args->live);
}

#define FRAMES 1000 /* frames in a page, if neither the file nor the line has a grid */

/* Adaptive steps can be so large that straight lines between their ends are not the motion. If the line has a tolerance and no grid, rows
 * and frames are at the grid h of the file, and frames always have one. */
static ph_status choose_grid(const ph_target *s, const ph_args *args, ph_error *err)
{
    ph_run_def said = ph_run_settings(s->run);
    double h = ph_model_run_def(ph_run_model(s->run)).opt.h;
    char text[PH_TOLD_TEXT], tol[PH_TOLD_TEXT];
    if (!(said.opt.tol > 0) || said.opt.h > 0 || !shows_motion(args))
        return PH_OK;
    if (!(h > 0) && (args->view || args->vtk || args->live))
        h = said.t_end / FRAMES;
    snprintf(text, sizeof text, "h=%.17g", h);
    snprintf(tol, sizeof tol, "tol=%.17g", said.opt.tol);
    const char *const options[] = {text, tol}; /* h without tol would replace it */
    return h > 0 ? ph_run_set_options(s->run, options, 2, err) : PH_OK;
}

static int open_file(ph_target *s, ph_args *args, const ph_more *more, int *code)
{
    ph_given given;
    ph_error err;
    char space[PH_TOLD_TEXT];
    s->status = PH_E_INPUT;
    if (args->size) {
        ph_complain("--size: a model file has parameters instead: --set N=%d", args->size);
        return 0;
    }
    if (!ph_target_given(args, &given))
        return 0;
    for (int i = 0; i < more->n_sets && given.n < PH_SETTINGS_MAX; i++)
        given.set[given.n++] = more->set[i];
    if (args->list.space.n) {
        snprintf(space, sizeof space, "space=%s", ph_space_word(args->list.space.k[0]));
        ph_told_add_option(&args->told, space);
    }
    sayings all = {0};
    add_line(&all, args);
    ph_run_config c = configure(args, &all);
    c.parameters = given.set, c.n_parameters = given.n;
    s->status = open_run(s, args, more, &c, &err);
    if (s->status == PH_OK)
        s->status = choose_grid(s, args, &err);
    if (s->status != PH_OK) {
        if (s->status == PH_E_SINGULAR || s->status == PH_E_NEWTON)
            *code = PH_EXIT_FAILED;
        ph_complain("%s", err.text);
        return 0;
    }
    s->status = ph_target_inputs(s->run, args, &err);
    if (s->status != PH_OK) {
        ph_complain("--input: %s", err.text);
        return 0;
    }
    ph_run_def said = ph_run_settings(s->run);
    complete(args, &said);
    args->space = (int)said.space;
    s->model = ph_run_model(s->run);
    s->p = problem_of(s->run, args);
    return s->p || refuse_memory(s);
}

int ph_target_settable(const ph_model *model, const char *file)
{
    int frozen = ph_model_frozen(model);
    if (frozen)
        ph_complain("%s: the parameters of a frozen model cannot be set", file);
    return !frozen;
}

static int root(int *up, int i)
{
    while (up[i] != i)
        i = up[i] = up[up[i]];
    return i;
}

/* The sets of constraints that bodies connect. 0: memory does not suffice. */
static int find_connected(ph_target *s)
{
    const ph_system *sys = &s->p->sys;
    int n = sys->n_constraints, *up = calloc((size_t)(n + sys->n_nodes + 1), sizeof *up); /* sets, as trees */
    for (int i = 0; up && i < n + sys->n_nodes; i++)
        up[i] = i;
    for (int e = 0; up && e < sys->n_links; e++)
        up[root(up, sys->links[e].row)] = root(up, n + sys->links[e].col);
    for (int c = 0; up && c < n; c++)
        up[c] = root(up, c);
    s->connected = up;
    return up != NULL;
}

int ph_target_open_case(ph_target *s, ph_args *args, const ph_more *more, int *code)
{
    *s = (ph_target){0};
    *code = PH_EXIT_USAGE;
    if (!(ph_target_is_file(args->word[0]) ? open_file(s, args, more, code) : open_problem(s, args, more)))
        return 0;
    return find_connected(s) || refuse_memory(s);
}

int ph_target_build(ph_target *s, const char *const *open, int n_open)
{
    ph_error err = {0};
    if (!s->model)
        return ph_complain("--compiled: a built-in problem is no model file; the run goes on without"), 0;
    if (ph_run_start(s->run, &err) != PH_OK)
        return 0; /* the run itself will say why it cannot start */
    if (ph_run_build(s->run, open, n_open, &err) == PH_OK)
        return 1;
    return ph_complain("--compiled: %s; the run goes on without", err.text), 0;
}

int ph_target_open(ph_target *s, ph_args *args, int *code)
{
    return ph_target_open_case(s, args, &(ph_more){0}, code);
}

void ph_target_close(ph_target *s)
{
    ph_run_close(s->run);
    free(s->connected);
    free(s->corner);
    if (s->model)
        free(s->p);
    else
        ph_problem_destroy(s->p);
}

int ph_target_parameter(const ph_target *s, int k, char *name, size_t size, double *value)
{
    if (s->model && k < ph_model_count(s->model, PH_PARAMETERS)) {
        snprintf(name, size, "%s", ph_model_name(s->model, PH_PARAMETERS, k));
        *value = ph_model_parameter(s->model, k);
        return 1;
    }
    snprintf(name, size, "x");
    *value = s->x;
    return !s->model && k == 0 && s->x != 0;
}

void ph_target_parameters(const ph_target *s, char *text, size_t size)
{
    char name[128], one[192];
    double x;
    size_t n = 0;
    text[0] = 0;
    for (int k = 0; ph_target_parameter(s, k, name, sizeof name, &x); k++) {
        size_t more = (size_t)snprintf(one, sizeof one, "%s%s = %.9g", k ? ", " : "parameters ", name, x);
        if (n + more + 6 > size) {
            snprintf(text + n, size - n, ", ...");
            return;
        }
        memcpy(text + n, one, more + 1);
        n += more;
    }
}

void ph_target_json(const ph_target *s, ph_json *j)
{
    char name[128];
    double x;
    cJSON *to = NULL;
    for (int k = 0; ph_target_parameter(s, k, name, sizeof name, &x); k++) {
        to = k ? to : ph_json_object(j, j->root, "parameters");
        ph_json_number(j, to, name, x);
    }
}

void ph_target_add_assembled(const ph_target *s, const ph_args *args, ph_json *j)
{
    double violation[2];
    if (!args->assemble || ph_run_get(s->run, PH_GET_ASSEMBLED, 0, violation) != PH_OK)
        return;
    cJSON *removed = ph_json_object(j, j->root, "assembled");
    ph_json_number(j, removed, "position", violation[0]);
    ph_json_number(j, removed, "velocity", violation[1]);
}

/* Redundant constraints that have a sentence each; each goes through all constraints. */
#define SENTENCES 20

/* The first and the last constraint before c that are connected with it through bodies; -1: none. */
static void connected_before(const ph_target *s, int c, int *first, int *last)
{
    *first = *last = -1;
    for (int k = 0; k < c; k++)
        if (s->connected[k] == s->connected[c])
            *first = *first < 0 ? k : *first, *last = k;
}

/* The sentence of constraint c of a model, some of whose conditions repeat others. */
static void put_redundancy(const ph_target *s, int c, char *text, size_t size)
{
    const ph_constraint *all = s->p->sys.constraints, *k = &all[c];
    int first, last, repeats = ph_run_redundant(s->run, c);
    connected_before(s, c, &first, &last);
    int own = s->p->sys.n_constraints - ph_run_count(s->run, PH_CONSTRAINTS);
    int couples = ph_run_find(s->run, PH_JOINTS, k->name) < 0, alone = 1;
    const char *what = c >= own ? "constraint" : couples ? "coupling" : "joint";
    for (int i = 0; i < s->p->sys.n_constraints; i++)
        alone &= i == c || s->connected[i] != s->connected[c];
    if (alone && repeats == k->rows) {
        snprintf(text, size, "%s '%s': its derivatives are 0 here, so that it holds nothing", what, k->name);
        return;
    }
    int n = snprintf(text, size, "%s '%s': %d of its %d condition%s repeat%s what ", what, k->name, repeats,
                     k->rows, k->rows == 1 ? "" : "s", repeats == 1 ? "s" : "");
    if (first < 0)
        snprintf(text + n, size - (size_t)n, "its others already impose");
    else if (first == last)
        snprintf(text + n, size - (size_t)n, "'%s' already imposes", all[first].name);
    else
        snprintf(text + n, size - (size_t)n, "'%s'...'%s' already impose", all[first].name, all[last].name);
}

int ph_target_redundancy(const ph_target *s, ph_redundancy *at, char *text, size_t size)
{
    int more = 0;
    for (; at->c < s->p->sys.n_constraints; at->c++) {
        if (!ph_run_redundant(s->run, at->c))
            continue;
        if (at->told < SENTENCES) {
            put_redundancy(s, at->c++, text, size);
            at->told++;
            return 1;
        }
        more++;
    }
    snprintf(text, size, "... and %d more %s conditions that repeat others", more,
             ph_plural(more, "has", "have"));
    return more > 0;
}
