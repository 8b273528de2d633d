/* What a command simulates: a model file becomes a mechanism; a name is looked up among the built-in
 * problems. */
#include "cli/model.h"
#include "cli/options.h"
#include "mech/model.h"
#include "base/hash.h"

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

int ph_subject_has_x(const char *problem)
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

static ph_problem *build(const ph_args *args, const char *name, ph_problem_def def, double *x)
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
    *x = def.x;
    ph_problem *p = ph_problem_create(name, &def);
    if (!p && args->size)
        ph_complain("--size: the model '%s' cannot have %d bodies, or memory does not suffice", name,
                    args->size);
    else if (!p && args->set.n)
        ph_complain("--set: the model '%s' cannot have x = %g", name, def.x);
    else if (!p)
        ph_complain("not enough memory for the model '%s'", name);
    return p;
}

static int open_problem(ph_subject *s, const ph_args *args)
{
    const char *name = args->word[0];
    int k = ph_word_find(name, ph_problem_name);
    if (k < 0) {
        ph_complain_word("there is no model file and no built-in problem", name, ph_problem_name,
                         "polhode list problems");
        return 0;
    }
    if (args->space >= 0 || args->list.space.n) {
        ph_complain("--space: the built-in problem '%s' has its own", name);
        return 0;
    }
    s->p = build(args, name, defaults[k], &s->x);
    return s->p != NULL;
}

/* ---- files -------------------------------------------------------------------------------------------- */

int ph_subject_is_file(const char *name)
{
    const char *dot = strrchr(name, '.');
    struct stat st;
    return strchr(name, '/') || (dot && (!strcmp(dot, ".lua") || !strcmp(dot, ".json"))) ||
           (ph_word_find(name, ph_problem_name) < 0 && stat(name, &st) == 0);
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

int ph_subject_given(const ph_args *args, ph_given *out)
{
    out->n = args->set.n;
    for (int i = 0; i < out->n; i++) {
        if (!read_setting(args->set.text[i], out->name[i], sizeof out->name[i], &out->set[i].value))
            return 0;
        out->set[i].name = out->name[i];
    }
    return 1;
}

ph_model *ph_subject_read(const ph_args *args)
{
    ph_given given;
    ph_model *model;
    ph_error err;
    if (args->size) {
        ph_complain("--size: a model file has parameters instead: --set N=%d", args->size);
        return NULL;
    }
    if (!ph_subject_given(args, &given))
        return NULL;
    if (ph_model_read_text(&model, args->word[0], args->source, args->source_size, given.set, given.n, NULL,
                           &err) == PH_OK)
        return model;
    ph_complain("%s", err.text);
    return NULL;
}

/* The line is parsed again, on top of what the model says. */
int ph_subject_merge(ph_args *args, const ph_model *model)
{
    ph_args merged = ph_args_default(args->command);
    ph_run_def run = ph_model_run(model);
    merged.source = args->source, merged.source_size = args->source_size;
    merged.opt = run.opt;
    merged.t_end = run.t_end, merged.space = (int)run.space, merged.assemble = run.assemble;
    if (run.every > 0)
        merged.every = run.every;
    if (args->opt.tol > 0)
        merged.opt.h = 0; /* --tol stands instead of the model's h, */
    else if (args->opt.h > 0 || args->list.h.n)
        merged.opt.tol = 0; /* and --h instead of its tol */
    if (!ph_args_parse(&merged, args->argc, args->argv))
        return 0;
    *args = merged;
    return 1;
}

static double energy(const ph_state *s, const void *ctx)
{
    return ph_mechanism_energy(ctx, s);
}

static uint64_t hash_numbers(uint64_t hash, size_t n, const double *x)
{
    return x ? ph_hash_bytes(hash, x, n * sizeof *x) : hash;
}

uint64_t ph_subject_hash(const ph_model *model, uint64_t hash)
{
    for (int k = 0; model && k < model->n_flexible; k++) {
        const ph_reduced *r = model->flexible[k].body;
        size_t n = (size_t)r->modes, size = 6 + 4 * n;
        hash = hash_numbers(hash, size * size, r->calM);
        hash = hash_numbers(hash, n * n, r->Kf);
        hash = hash_numbers(hash, n * n, r->Df);
        hash = hash_numbers(hash, (PH_KG_MARKERS + 3 * (size_t)r->n_markers) * n * n, r->KG);
        for (int m = 0; m < r->n_markers; m++) {
            hash = ph_hash_bytes(hash, &r->marker[m].X, sizeof r->marker[m].X);
            hash = hash_numbers(hash, 3 * n, r->marker[m].Psi);
            hash = hash_numbers(hash, 3 * n, r->marker[m].Th);
        }
    }
    return hash;
}

/* Of the text of the model and all that changes it; 0 where the text cannot be read again. */
static uint64_t fingerprint(const ph_args *args)
{
    uint64_t key = PH_HASH_START;
    char part[4096];
    FILE *f = args->source ? NULL : fopen(args->word[0], "rb");
    if (args->source)
        key = ph_hash_bytes(key, args->source, args->source_size);
    else if (!f)
        return 0;
    for (size_t n; f && (n = fread(part, 1, sizeof part, f)) > 0;)
        key = ph_hash_bytes(key, part, n);
    if (f)
        fclose(f);
    for (int i = 0; i < args->set.n; i++)
        key = ph_hash_text(key, args->set.text[i]);
    int more[] = {args->space, args->assemble};
    return ph_hash_bytes(key, more, sizeof more);
}

static ph_status build_mechanism(ph_subject *s, const ph_args *args, ph_error *err)
{
    ph_run_def run = ph_model_run(s->model);
    s->space = args->space;
    ph_status status = ph_mechanism_create(&s->mech, s->model, (ph_space_code)args->space, NULL, err);
    if (status != PH_OK)
        return status;
    s->p = calloc(1, sizeof *s->p);
    if (!s->p) {
        snprintf(err->text, sizeof err->text, "not enough memory for the model");
        return PH_E_MEMORY;
    }
    status = ph_mechanism_initial(s->mech, args->assemble, &s->p->q0, &s->p->v0, err);
    if (status == PH_OK)
        status = ph_mechanism_rank(s->mech, err);
    s->p->name = ph_model_title(s->model), s->p->sys = *ph_mechanism_system(s->mech);
    uint64_t key = fingerprint(args);
    s->p->key = key ? ph_subject_hash(s->model, key) : 0;
    s->p->t_end = run.t_end, s->p->h = run.opt.h, s->p->energy = energy;
    return status;
}

static int build_from_file(ph_subject *s, const ph_args *args, int *code)
{
    ph_error err;
    ph_status status = s->status = build_mechanism(s, args, &err);
    if (status == PH_OK)
        return 1;
    if (status == PH_E_SINGULAR || status == PH_E_NEWTON)
        *code = PH_EXIT_FAILED;
    const char *file = args->word[0];
    if (strncmp(err.text, file, strlen(file)) == 0) /* with its line */
        ph_complain("%s", err.text);
    else
        ph_complain("%s: %s", file, err.text);
    return 0;
}

static int open_file(ph_subject *s, ph_args *args, int *code)
{
    s->model = ph_subject_read(args);
    s->status = PH_E_INPUT;
    if (!s->model || !ph_subject_merge(args, s->model))
        return 0;
    if (args->list.space.n)
        args->space = args->list.space.k[0];
    return build_from_file(s, args, code);
}

int ph_subject_open_again(ph_subject *s, const ph_args *args, int space, int *code)
{
    ph_args other = *args;
    other.space = space;
    *s = (ph_subject){0};
    *code = PH_EXIT_USAGE;
    s->model = ph_subject_read(args);
    return s->model && build_from_file(s, &other, code);
}

int ph_subject_settable(const ph_model *model)
{
    if (model->frozen)
        ph_complain("%s: the parameters of a frozen model cannot be set", model->file);
    return !model->frozen;
}

int ph_subject_open(ph_subject *s, ph_args *args, int *code)
{
    *s = (ph_subject){0};
    *code = PH_EXIT_USAGE;
    return ph_subject_is_file(args->word[0]) ? open_file(s, args, code) : open_problem(s, args);
}

void ph_subject_close(ph_subject *s)
{
    if (s->model) {
        free(s->p);
        ph_mechanism_destroy(s->mech);
        ph_model_free(s->model);
    } else {
        ph_problem_destroy(s->p);
    }
}

int ph_subject_parameter(const ph_subject *s, int k, char *name, size_t size, double *value)
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

void ph_subject_parameters(const ph_subject *s, char *text, size_t size)
{
    char name[128], one[192];
    double x;
    size_t n = 0;
    text[0] = 0;
    for (int k = 0; ph_subject_parameter(s, k, name, sizeof name, &x); k++) {
        size_t more = (size_t)snprintf(one, sizeof one, "%s%s = %.9g", k ? ", " : "parameters ", name, x);
        if (n + more + 6 > size) {
            snprintf(text + n, size - n, ", ...");
            return;
        }
        memcpy(text + n, one, more + 1);
        n += more;
    }
}

void ph_subject_json(const ph_subject *s, ph_json *j)
{
    char name[128];
    double x;
    cJSON *to = NULL;
    for (int k = 0; ph_subject_parameter(s, k, name, sizeof name, &x); k++) {
        to = k ? to : ph_json_object(j, j->root, "parameters");
        ph_json_number(j, to, name, x);
    }
}

/* Redundant constraints that have a sentence each; each goes through all links. */
#define SENTENCES 20

static int root(int *up, int i)
{
    while (up[i] != i)
        i = up[i] = up[up[i]];
    return i;
}

/* The first and the last constraint before c that are connected with it through bodies; -1: none. */
static void connected_before(const ph_system *sys, int c, int *first, int *last)
{
    int n = sys->n_nodes, *up = malloc(sizeof(int) * (size_t)(n + sys->n_constraints)); /* sets, as trees */
    *first = *last = -1;
    for (int i = 0; up && i < n + sys->n_constraints; i++)
        up[i] = i;
    for (int e = 0; up && e < sys->n_links; e++)
        up[root(up, n + sys->links[e].row)] = root(up, sys->links[e].col);
    for (int k = 0; up && k < c; k++)
        if (root(up, n + k) == root(up, n + c))
            *first = *first < 0 ? k : *first, *last = k;
    free(up);
}

int ph_subject_redundant(const ph_subject *s, int c)
{
    return s->mech ? ph_mechanism_redundant(s->mech, c) : 0;
}

void ph_subject_add_assembled(const ph_subject *s, const ph_args *args, ph_json *j)
{
    double position, velocity;
    if (!args->assemble || !s->mech)
        return;
    ph_mechanism_projected(s->mech, &position, &velocity);
    cJSON *removed = ph_json_object(j, j->root, "assembled");
    ph_json_number(j, removed, "position", position);
    ph_json_number(j, removed, "velocity", velocity);
}

/* The sentence of constraint c, some of whose conditions repeat others. */
static void put_redundancy(const ph_subject *s, int c, char *text, size_t size)
{
    const ph_constraint *all = s->p->sys.constraints, *k = &all[c];
    int first, last, repeats = ph_subject_redundant(s, c);
    connected_before(&s->p->sys, c, &first, &last);
    int own = s->model ? s->p->sys.n_constraints - s->model->n_constraints : s->p->sys.n_constraints;
    int n = snprintf(text, size, "%s '%s': %d of its %d conditions repeat%s what ",
                     c < own ? "joint" : "constraint", k->name ? k->name : "", repeats, k->rows,
                     repeats == 1 ? "s" : "");
    if (n < 0 || (size_t)n >= size)
        return;
    if (first < 0)
        snprintf(text + n, size - (size_t)n, "its others already impose");
    else if (first == last)
        snprintf(text + n, size - (size_t)n, "'%s' already imposes", all[first].name);
    else
        snprintf(text + n, size - (size_t)n, "'%s'...'%s' already impose", all[first].name, all[last].name);
}

int ph_subject_redundancy(const ph_subject *s, ph_redundancy *at, char *text, size_t size)
{
    int more = 0;
    for (; at->c < s->p->sys.n_constraints; at->c++) {
        if (!ph_subject_redundant(s, at->c))
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
