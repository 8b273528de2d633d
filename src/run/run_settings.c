/* What a run is told: parameters and options as texts, by the keys of run{}. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/keys.h"
#include "run/private.h"

/* ---- options ------------------------------------------------------------------------------------------ */

static const char *run_key_word(int k)
{
    int n;
    const ph_key *keys = ph_keys_of(PH_K_RUN, &n);
    return k < n ? keys[k].name : NULL;
}

static const ph_key *find_key(const char *name, size_t length)
{
    int n;
    const ph_key *k = ph_keys_of(PH_K_RUN, &n);
    for (const ph_key *end = k + n; k < end; k++)
        if (strlen(k->name) == length && !strncmp(k->name, name, length))
            return k;
    return NULL;
}

static ph_status no_key(const char *name, int length, ph_error *err)
{
    char word[64];
    ph_near search = {.word = word};
    snprintf(word, sizeof word, "%.*s", length, name);
    for (int k = 0; run_key_word(k); k++)
        ph_near_offer(&search, run_key_word(k));
    if (ph_near_word(&search))
        return ph_fail(err, PH_E_INPUT, "there is no option '%s'; did you mean '%s'?", word,
                       ph_near_word(&search));
    char all[400] = "";
    for (int k = 0; run_key_word(k); k++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", k ? ", " : "", run_key_word(k));
    return ph_fail(err, PH_E_INPUT, "there is no option '%s'; there are: %s", word, all);
}

static ph_status read_number(const ph_key *k, const char *text, double *x, ph_error *err)
{
    char *end;
    *x = strtod(text, &end);
    if (end == text || *end || !isfinite(*x))
        return ph_fail(err, PH_E_INPUT, "option %s: '%.64s' is not a number", k->name, text);
    if (k->value == PH_V_POSITIVE && !(*x > 0))
        return ph_fail(err, PH_E_INPUT, "option %s = %g must be above 0", k->name, *x);
    if (k->value == PH_V_NOT_NEGATIVE && !(*x >= 0))
        return ph_fail(err, PH_E_INPUT, "option %s = %g must not be negative", k->name, *x);
    if (k->value == PH_V_FRACTION && !(*x >= 0 && *x <= 1))
        return ph_fail(err, PH_E_INPUT, "%s = %g is outside [0, 1]", k->name, *x);
    return PH_OK;
}

static ph_status read_count(const ph_key *k, const char *text, int *n, ph_error *err)
{
    char *end;
    errno = 0;
    long x = strtol(text, &end, 10);
    int least = k->value == PH_V_COUNT;
    if (end == text || *end || errno || x < least || x > INT_MAX)
        return ph_fail(err, PH_E_INPUT, "option %s: '%.64s' is not a whole number from %d to %d", k->name,
                       text, least, INT_MAX);
    *n = (int)x;
    return PH_OK;
}

static ph_status read_flag(const ph_key *k, const char *text, int *flag, ph_error *err)
{
    *flag = !strcmp(text, "true") || !strcmp(text, "1");
    if (*flag || !strcmp(text, "false") || !strcmp(text, "0"))
        return PH_OK;
    return ph_fail(err, PH_E_INPUT, "option %s: '%.64s' is neither true nor false", k->name, text);
}

static ph_status read_word(const ph_key *k, const char *text, int *place, ph_error *err)
{
    ph_near search = {.word = text};
    *place = k->value == PH_V_TABLEAU ? ph_tableau_find(text) : ph_word_find(text, k->words);
    if (*place >= 0)
        return PH_OK;
    for (int i = 0; k->words(i); i++)
        ph_near_offer(&search, k->words(i));
    if (ph_near_word(&search))
        return ph_fail(err, PH_E_INPUT, "option %s cannot be '%.64s'; did you mean '%s'?", k->name, text,
                       ph_near_word(&search));
    char all[256] = "";
    size_t n = 0;
    for (int i = 0; k->words(i) && n < sizeof all; i++)
        n += (size_t)snprintf(all + n, sizeof all - n, "%s%s", i ? ", " : "", k->words(i));
    return ph_fail(err, PH_E_INPUT, "option %s cannot be '%.64s'; there are: %s", k->name, text, all);
}

static ph_status store(const ph_key *k, const char *text, void *at, ph_error *err)
{
    double x = PH_SIGMA_OPT;
    int n = 0;
    ph_status s = PH_OK;
    const char *word;
    switch (k->value) {
    case PH_V_SIGMA:
    case PH_V_POSITIVE:
    case PH_V_NOT_NEGATIVE:
    case PH_V_FRACTION:
        if (k->value != PH_V_SIGMA || strcmp(text, "opt") != 0)
            s = read_number(k, text, &x, err);
        if (s == PH_OK)
            memcpy(at, &x, sizeof x);
        return s;
    case PH_V_COUNT:
    case PH_V_WHOLE:
        s = read_count(k, text, &n, err);
        break;
    case PH_V_FLAG:
        s = read_flag(k, text, &n, err);
        break;
    case PH_V_TIMES:
        return ph_fail(err, PH_E_INPUT, "option %s: the file alone gives it", k->name);
    default: /* words */
        s = read_word(k, text, &n, err);
        if (s != PH_OK || k->value == PH_V_WORD)
            break;
        word = k->words(n);
        memcpy(at, &word, sizeof word);
        return PH_OK;
    }
    if (s == PH_OK)
        memcpy(at, &n, sizeof n);
    return s;
}

ph_status ph_run_def_set(ph_run_def *def, const char *text, ph_error *err)
{
    const char *equal = strchr(text, '=');
    if (!equal || equal == text)
        return ph_fail(err, PH_E_INPUT, "option '%.64s' is not of the form key=value", text);
    const ph_key *k = find_key(text, (size_t)(equal - text));
    return k ? store(k, equal + 1, (char *)def + k->at, err) : no_key(text, (int)(equal - text), err);
}

static int is_told(const ph_told *told, const char *key)
{
    size_t n = strlen(key);
    for (int i = 0; i < told->n_options; i++)
        if (!strncmp(told->option[i], key, n) && told->option[i][n] == '=')
            return 1;
    return 0;
}

/* A tolerance that is told stands in place of the file's h, and an h in place of its tolerance. */
ph_status ph_told_resolve(const ph_told *told, ph_run_def *def, ph_error *err)
{
    int h = is_told(told, "h"), tol = is_told(told, "tol");
    ph_times of_file = def->opt.nonsmooth;
    if (told->has_method)
        def->opt = told->method;
    if (told->has_method && told->times_of_file)
        def->opt.nonsmooth = of_file;
    else if (tol && !h)
        def->opt.h = 0;
    else if (h && !tol)
        def->opt.tol = 0;
    for (int i = 0; i < told->n_options; i++) {
        ph_status s = ph_run_def_set(def, told->option[i], err);
        if (s != PH_OK)
            return s;
    }
    return PH_OK;
}

ph_status ph_model_settings(const ph_model *model, const char *const *options, int n, ph_run_def *out,
                            ph_error *err)
{
    if (!model || !out)
        return ph_refuse_null("model, out", err);
    ph_told told = {0};
    ph_status s = ph_told_add(&told, NULL, 0, options, n, NULL, err);
    *out = model->run;
    if (s == PH_OK)
        s = ph_told_resolve(&told, out, err);
    ph_told_free(&told, NULL);
    return s;
}

static int is_of_method(const char *option)
{
    const char *equal = strchr(option, '=');
    const ph_key *k = equal ? find_key(option, (size_t)(equal - option)) : NULL;
    return k && k->at < sizeof(ph_options);
}

_Static_assert(offsetof(ph_run_def, opt) == 0, "options of the method come first");

/* Strings and times that the run or its model own may be freed before the next change: names are replaced by the names in
 * the tables, and times of the model file by a flag. */
void ph_told_set_method(ph_told *told, const ph_options *opt, const ph_model *model,
                        const ph_allocator *alloc)
{
    int n = 0, tableau = opt->tableau ? ph_tableau_find(opt->tableau) : -1;
    for (int i = 0; i < told->n_options; i++)
        if (is_of_method(told->option[i]))
            ph_free(alloc, told->option[i]);
        else
            told->option[n++] = told->option[i];
    told->n_options = n;
    told->has_method = 1, told->method = *opt;
    told->times_of_file = model && opt->nonsmooth.t && opt->nonsmooth.t == model->run.opt.nonsmooth.t;
    if (told->times_of_file)
        told->method.nonsmooth = (ph_times){0};
    int method = opt->method ? ph_word_find(opt->method, ph_method_name) : -1;
    if (method >= 0)
        told->method.method = ph_method_name(method);
    if (tableau >= 0)
        told->method.tableau = ph_tableau_name(tableau);
}

/* ---- lists of one's own ------------------------------------------------------------------------------- */

static char *copy_text(const char *text, const ph_allocator *alloc)
{
    size_t n = strlen(text) + 1;
    char *copy = ph_alloc(alloc, n);
    return copy ? memcpy(copy, text, n) : NULL;
}

/* Room for more; what is there moves. */
static int make_room(ph_told *told, int parameters, int options, const ph_allocator *alloc)
{
    size_t p = (size_t)(told->n_parameters + parameters), o = (size_t)(told->n_options + options);
    ph_setting *parameter = ph_alloc(alloc, (p + 1) * sizeof *parameter);
    char **option = ph_alloc(alloc, (o + 1) * sizeof *option);
    if (!parameter || !option) {
        ph_free(alloc, parameter), ph_free(alloc, option);
        return 0;
    }
    if (told->n_parameters)
        memcpy(parameter, told->parameter, (size_t)told->n_parameters * sizeof *parameter);
    if (told->n_options)
        memcpy(option, told->option, (size_t)told->n_options * sizeof *option);
    ph_free(alloc, told->parameter), ph_free(alloc, told->option);
    told->parameter = parameter, told->option = option;
    return 1;
}

static int add_parameter(ph_told *told, const ph_setting *p, const ph_allocator *alloc)
{
    for (int i = 0; i < told->n_parameters; i++)
        if (!strcmp(told->parameter[i].name, p->name)) {
            told->parameter[i].value = p->value;
            return 1;
        }
    char *name = copy_text(p->name, alloc);
    if (name)
        told->parameter[told->n_parameters++] = (ph_setting){name, p->value};
    return name != NULL;
}

static int add_option(ph_told *told, const char *text, const ph_allocator *alloc)
{
    const char *equal = strchr(text, '=');
    size_t n = equal ? (size_t)(equal - text) + 1 : strlen(text) + 1;
    char *copy = copy_text(text, alloc);
    if (!copy)
        return 0;
    for (int i = 0; i < told->n_options; i++)
        if (!strncmp(told->option[i], text, n)) {
            ph_free(alloc, told->option[i]);
            told->option[i] = copy;
            return 1;
        }
    told->option[told->n_options++] = copy;
    return 1;
}

static ph_status check_options(const char *const *options, int n, ph_error *err)
{
    if (n < 0)
        return ph_fail(err, PH_E_INPUT, "%d options cannot be set", n);
    if (!options && n > 0)
        return ph_fail(err, PH_E_INPUT, "the list of options is NULL");
    for (int i = 0; i < n; i++)
        if (!options[i])
            return ph_fail(err, PH_E_INPUT, "option %d of %d is NULL", i + 1, n);
    return PH_OK;
}

ph_status ph_told_add(ph_told *told, const ph_setting *parameters, int n_parameters,
                      const char *const *options, int n_options, const ph_allocator *alloc, ph_error *err)
{
    ph_status s = ph_sets_check(parameters, n_parameters, err);
    if (s == PH_OK)
        s = check_options(options, n_options, err);
    if (s != PH_OK)
        return s;
    int done = make_room(told, n_parameters, n_options, alloc);
    for (int i = 0; i < n_parameters && done; i++)
        done = add_parameter(told, &parameters[i], alloc);
    for (int i = 0; i < n_options && done; i++)
        done = add_option(told, options[i], alloc);
    return done ? PH_OK : ph_fail(err, PH_E_MEMORY, "not enough memory for the settings of a run");
}

ph_status ph_told_copy(ph_told *to, const ph_told *from, const ph_allocator *alloc, ph_error *err)
{
    *to = (ph_told){
        .has_method = from->has_method, .times_of_file = from->times_of_file, .method = from->method};
    ph_status s = ph_told_add(to, from->parameter, from->n_parameters, (const char *const *)from->option,
                              from->n_options, alloc, err);
    if (s != PH_OK)
        ph_told_free(to, alloc);
    return s;
}

void ph_told_free(ph_told *told, const ph_allocator *alloc)
{
    for (int i = 0; i < told->n_parameters; i++)
        ph_free(alloc, (char *)told->parameter[i].name); /* our copy */
    for (int i = 0; i < told->n_options; i++)
        ph_free(alloc, told->option[i]);
    ph_free(alloc, told->parameter), ph_free(alloc, told->option);
    *told = (ph_told){0};
}
