/* The options of all commands: parsing, help, and the words of their values, all from one table. */
#include "cli/options.h"
#include "io/file.h"
#include "polhode/model.h"
#include "base/hash.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum kind {
    NUMBER,     /* double, any finite one */
    POSITIVE,   /* double above 0 */
    SIGMA,      /* double, or "opt" */
    COUNT,      /* int from 1 */
    WHOLE,      /* int from 0 */
    WORD,       /* enumeration: the place of the word in its list */
    NAME,       /* const char *: one of a list */
    TABLEAU,    /* const char *: one of the tableaux, by name or alias */
    PATH,       /* const char * */
    LIST,       /* ph_settings: one more */
    TEXT,       /* const char *, any */
    FLAG,       /* int */
    LISTED = 16 /* bit of SEVERAL */
} kind;

/* Several values of that kind with commas between them: ph_numbers of NUMBER, POSITIVE, SIGMA; ph_counts of
 * COUNT, WORD; ph_names of NAME, TABLEAU. Among numbers FROM:TO:COUNT is a range. */
#define SEVERAL(of) (LISTED | (of))

typedef struct option {
    const char *name, *value;
    unsigned kind;
    size_t at;         /* in ph_args */
    unsigned commands; /* bits, by ph_command_code */
    const char *text;
    ph_word_fn words;
    const char *initial; /* in words; NULL: what ph_args_default has */
} option;

/* For run, which needs no file and no run with smaller steps. */
static const char *exact_word(int k)
{
    return k == 0 ? "exact" : NULL;
}

static const char *sens_word(int k)
{
    static const char *const words[] = {"direct", "adjoint", "fd"};
    return k >= 0 && k < 3 ? words[k] : NULL;
}

/* What modes linearises about. */
static const char *about_word(int k)
{
    static const char *const words[] = {"initial", "static"};
    return k >= 0 && k < 2 ? words[k] : NULL;
}

#define FOR(command) (1u << PH_CMD_##command)
#define SIMULATES    (FOR(RUN) | FOR(SWEEP) | FOR(SENS) | FOR(OPTIMISE) | FOR(VIEW))
#define RUNS         (SIMULATES | FOR(TRANSIENT) | FOR(COMPILE) | FOR(LINEARISE))
#define TRIES        (FOR(CONVERGE) | FOR(WORK) | FOR(STABILITY))
#define COMPARES     (FOR(CONVERGE) | FOR(WORK))
#define HOLDS        (FOR(STATIC) | FOR(MODES))
#define OPENS        (RUNS | TRIES)

static const option options[] = {
#define WORDS(list)   .words = list
#define DEFAULT(text) .initial = text
#define PH_OPTION(n, v, k, member, c, ...)                                                                   \
    {.name = n, .value = v, .kind = k, .at = offsetof(ph_args, member), .commands = c, .text = __VA_ARGS__},
#include "cli/options.def"
#undef PH_OPTION
};

static kind base(const option *o)
{
    return (kind)(o->kind & ~(unsigned)LISTED);
}

#define N_OPTIONS ((int)(sizeof options / sizeof *options))

ph_args ph_args_default(ph_command_code command)
{
    return (ph_args){.command = command,
                     .opt = ph_default_options(),
                     .every = 1,
                     .seed = 1,
                     .space = -1,
                     .compare = -1,
                     .completion = -1,
                     .at = NAN};
}

size_t ph_args_memory(const ph_args *args)
{
    const double most = (double)(SIZE_MAX / 4);
    return args->memory > 0 ? (size_t)fmin(fmax(args->memory, 1), most) : 0;
}

const char *ph_option_name(int k)
{
    return k >= 0 && k < N_OPTIONS ? options[k].name : NULL;
}

const char *ph_option_text(int k)
{
    return options[k].text;
}

unsigned ph_option_commands(int k)
{
    return options[k].commands;
}

void ph_option_owners(unsigned commands, const char *between, const char *around, char *text, size_t size)
{
    text[0] = 0;
    for (int c = 0; c < PH_COMMAND_COUNT; c++)
        if (commands & 1u << c)
            snprintf(text + strlen(text), size - strlen(text), "%s%s%s%s", text[0] ? between : "", around,
                     ph_command_name(c), around);
}

/* ---- values ---------------------------------------------------------------------------------------- */

static int read_number(const option *o, const char *text, double *x)
{
    char *end;
    *x = strtod(text, &end);
    if (end == text || *end || !isfinite(*x))
        ph_complain("%s: '%s' is not a number", o->name, text);
    else if (base(o) == POSITIVE && !(*x > 0))
        ph_complain("%s: '%s' is not above 0", o->name, text);
    else
        return 1;
    return 0;
}

static int read_count(const option *o, const char *text, int *n)
{
    char *end;
    errno = 0;
    long x = strtol(text, &end, 10);
    if (end == text || *end)
        ph_complain("%s: '%s' is not a whole number", o->name, text);
    else if (errno || x < (base(o) == COUNT) || x > INT_MAX)
        ph_complain("%s: '%s' is outside %d to %d", o->name, text, base(o) == COUNT, INT_MAX);
    else {
        *n = (int)x;
        return 1;
    }
    return 0;
}

static int read_word(const option *o, const char *text, int *k)
{
    char what[64];
    *k = base(o) == TABLEAU ? ph_tableau_find(text) : ph_word_find(text, o->words);
    if (*k >= 0)
        return 1;
    snprintf(what, sizeof what, "%s cannot be", o->name);
    ph_complain_word(what, text, o->words, NULL);
    return 0;
}

static int add_setting(const option *o, const char *text, ph_settings *to)
{
    if (to->n < PH_SETTINGS_MAX) {
        to->text[to->n++] = text;
        return 1;
    }
    ph_complain("%s: more than %d of them", o->name, PH_SETTINGS_MAX);
    return 0;
}

/* One value, to an object of its kind. */
static int read_one(const option *o, const char *text, void *to)
{
    double x = PH_SIGMA_OPT;
    int k = 1;
    const char *word = text;
    switch ((int)base(o)) {
    case NUMBER:
    case POSITIVE:
    case SIGMA:
        if ((base(o) != SIGMA || strcmp(text, "opt") != 0) && !read_number(o, text, &x))
            return 0;
        memcpy(to, &x, sizeof x);
        return 1;
    case COUNT:
    case WHOLE:
        if (!read_count(o, text, &k))
            return 0;
        memcpy(to, &k, sizeof k);
        return 1;
    case WORD:
    case NAME:
    case TABLEAU:
        if (!read_word(o, text, &k))
            return 0;
        word = o->words(k);
        if (base(o) == WORD)
            memcpy(to, &k, sizeof k);
        else
            memcpy(to, &word, sizeof word);
        return 1;
    case PATH:
        if (!text[0]) {
            ph_complain("%s: the name of the file is empty", o->name);
            return 0;
        }
        memcpy(to, &word, sizeof word);
        return 1;
    case TEXT:
        memcpy(to, &word, sizeof word);
        return 1;
    case LIST:
        return add_setting(o, text, to);
    default: /* FLAG */
        memcpy(to, &k, sizeof k);
        return 1;
    }
}

/* Where element k of a list stands, and its size. */
static char *element_at(const option *o, void *list, int k, size_t *size)
{
    switch (base(o)) {
    case COUNT:
    case WORD:
        *size = sizeof(int);
        return (char *)&((ph_counts *)list)->k[k];
    case NAME:
    case TABLEAU:
        *size = sizeof(char *);
        return (char *)&((ph_names *)list)->text[k];
    default:
        *size = sizeof(double);
        return (char *)&((ph_numbers *)list)->x[k];
    }
}

_Static_assert(offsetof(ph_numbers, n) == 0 && offsetof(ph_counts, n) == 0 && offsetof(ph_names, n) == 0,
               "lists begin with their length");

static int add_element(const option *o, const char *text, void *list)
{
    int n = *(int *)list;
    size_t size;
    if (!text[0])
        ph_complain("%s: a value is missing: two commas, or one at an end", o->name);
    else if (n == PH_LIST_MAX)
        ph_complain("%s: more than %d values", o->name, PH_LIST_MAX);
    else if (read_one(o, text, element_at(o, list, n, &size))) {
        const char *now = element_at(o, list, n, &size);
        for (int k = 0; k < n; k++)
            if (!memcmp(element_at(o, list, k, &size), now, size)) {
                ph_complain("%s: '%s' is there twice", o->name, text);
                return 0;
            }
        *(int *)list = n + 1;
        return 1;
    }
    return 0;
}

/* "0:1:11": eleven numbers from 0 to 1 */
static int add_range(const option *o, const char *text, void *list)
{
    double from, to;
    char part[64], *end;
    int n;
    for (int k = 0; k < 2; k++, text = end + 1) {
        end = strchr(text, ':');
        snprintf(part, sizeof part, "%.*s", end ? (int)(end - text) : 0, text);
        if (!end) {
            ph_complain("%s: a range is FROM:TO:COUNT", o->name);
            return 0;
        }
        if (!read_number(o, part, k ? &to : &from))
            return 0;
    }
    if (!read_count(o, text, &n))
        return 0;
    for (int k = 0; k < n; k++) {
        snprintf(part, sizeof part, "%.17g", n > 1 ? from + (to - from) * k / (n - 1) : from);
        if (!add_element(o, part, list))
            return 0;
    }
    return 1;
}

static int is_range(const option *o, const char *text)
{
    return (base(o) == NUMBER || base(o) == POSITIVE || base(o) == SIGMA) && strchr(text, ':');
}

/* "1e-3,5e-4". Given again, an option of studies starts its list anew. */
static int read_several(const option *o, const char *text, void *list)
{
    char part[128];
    *(int *)list = 0;
    for (const char *end; text; text = end ? end + 1 : NULL) {
        end = strchr(text, ',');
        size_t length = end ? (size_t)(end - text) : strlen(text);
        if (length >= sizeof part) {
            ph_complain("%s: '%.40s...' is not a value", o->name, text);
            return 0;
        }
        memcpy(part, text, length), part[length] = 0;
        if (!(is_range(o, part) ? add_range(o, part, list) : add_element(o, part, list)))
            return 0;
    }
    return 1;
}

/* Rows that are keys of run{}, by where their values go. */
static int is_of_run(const option *o)
{
    size_t opt = offsetof(ph_args, opt);
    return !(o->kind & LISTED) && ((o->at >= opt && o->at < opt + sizeof(ph_options)) ||
                                   o->at == offsetof(ph_args, t_end) || o->at == offsetof(ph_args, space) ||
                                   o->at == offsetof(ph_args, assemble) || o->at == offsetof(ph_args, every));
}

/* "t_end=0.5" of --t-end 0.5: numbers with 17 digits, which give every double back. */
static void print_told(const option *o, const void *at, char text[PH_TOLD_TEXT])
{
    double x;
    int k, n = snprintf(text, PH_TOLD_TEXT, "%s=", o->name + 2);
    const char *word;
    for (char *c = text; *c; c++)
        *c = *c == '-' ? '_' : *c;
    char *to = text + n;
    size_t size = PH_TOLD_TEXT - (size_t)n;
    switch (base(o)) {
    case NUMBER:
    case POSITIVE:
    case SIGMA:
        memcpy(&x, at, sizeof x);
        if (x == PH_SIGMA_OPT)
            snprintf(to, size, "opt");
        else
            snprintf(to, size, "%.17g", x);
        return;
    case COUNT:
    case WHOLE:
    case FLAG:
        memcpy(&k, at, sizeof k);
        snprintf(to, size, "%d", k);
        return;
    case WORD:
        memcpy(&k, at, sizeof k);
        snprintf(to, size, "%s", o->words(k));
        return;
    default:
        memcpy(&word, at, sizeof word);
        snprintf(to, size, "%s", word);
    }
}

void ph_told_add_option(ph_told_options *told, const char *text)
{
    size_t key = strcspn(text, "=") + 1;
    int k = 0;
    while (k < told->n && strncmp(told->text[k], text, key) != 0)
        k++;
    assert(k < PH_TOLD_MAX); /* there are not so many keys */
    snprintf(told->text[k], PH_TOLD_TEXT, "%s", text);
    told->n += k == told->n;
}

static int read_value(ph_args *args, const option *o, const char *text)
{
    void *to = (char *)args + o->at;
    char told[PH_TOLD_TEXT];
    if (o->kind & LISTED)
        return read_several(o, text, to);
    if (!read_one(o, text, to))
        return 0;
    if (is_of_run(o)) {
        print_told(o, to, told);
        ph_told_add_option(&args->told, told);
    }
    return 1;
}

_Static_assert(sizeof(ph_formulation) == sizeof(int) && sizeof(ph_newton) == sizeof(int) &&
                   sizeof(ph_start) == sizeof(int) && sizeof(ph_solver_kind) == sizeof(int),
               "WORD stores an int");

/* ---- the command line -------------------------------------------------------------------------------- */

static const option *find(ph_command_code command, const char *name)
{
    for (int k = 0; k < N_OPTIONS; k++)
        if ((options[k].commands & 1u << command) && !strcmp(options[k].name, name))
            return &options[k];
    return NULL;
}

int ph_args_set(ph_args *args, const char *name, const char *value)
{
    return read_value(args, find(args->command, name), value);
}

/* An option that this command does not have: say whose it is, or which name is near. */
static void refuse(const ph_args *args, const char *name)
{
    const char *command = ph_command_name((int)args->command), *now = ph_word_renamed(name), *near;
    ph_near search = {.word = name};
    int k = ph_word_find(name, ph_option_name);
    if (now && find(args->command, now)) {
        ph_complain("%s: '%s' is now called '%s'", command, name, now);
    } else if (k >= 0) {
        char owners[256] = "";
        unsigned commands = 0;
        for (int i = k; i < N_OPTIONS; i++)
            commands |= strcmp(options[i].name, name) ? 0 : options[i].commands;
        ph_option_owners(commands, ", ", "'", owners, sizeof owners);
        ph_complain("%s has no option '%s'; it belongs to %s", command, name, owners);
    } else {
        for (int i = 0; i < N_OPTIONS; i++)
            if (options[i].commands & 1u << args->command)
                ph_near_offer(&search, options[i].name);
        near = ph_near_word(&search);
        if (near)
            ph_complain("%s has no option '%s'; did you mean '%s'?", command, name, near);
        else
            ph_complain("%s has no option '%s'; see 'polhode help %s'", command, name, command);
    }
}

/* One option and its value, "--h 1", "--h=1" or "-o FILE". The number of arguments it takes; 0: error. */
static int parse_option(ph_args *args, int argc, char **argv)
{
    char name[64];
    const char *equal = strncmp(argv[0], "--", 2) == 0 ? strchr(argv[0], '=') : NULL;
    snprintf(name, sizeof name, "%.*s", equal ? (int)(equal - argv[0]) : (int)sizeof name - 1, argv[0]);
    const option *o = find(args->command, name);
    if (!o) {
        refuse(args, name);
        return 0;
    }
    if (o->kind == FLAG && equal) {
        ph_complain("%s takes no value", name);
        return 0;
    }
    if (o->kind == FLAG || equal)
        return read_value(args, o, equal ? equal + 1 : "");
    if (argc < 2)
        ph_complain("%s: its value is missing", name);
    else if (ph_word_find(argv[1], ph_option_name) >= 0) /* a file of such a name is ./--json */
        ph_complain("%s: its value is missing; '%s' is an option", name, argv[1]);
    else
        return read_value(args, o, argv[1]) ? 2 : 0;
    return 0;
}

static int check_words(const ph_args *args)
{
    const ph_command *c = ph_command_get(args->command);
    if (args->n_words >= c->min)
        return 1;
    ph_complain("%s needs %s; see 'polhode help %s'", c->name, c->usage, c->name);
    return 0;
}

void ph_args_keep_size(ph_args *args)
{
    if (!ph_option_given(args, "--halvings"))
        ph_told_add_option(&args->told, "halvings=0");
}

/* Errors by powers of h need steps of one size. */
static int needs_one_size(const ph_args *args)
{
    const unsigned studies = COMPARES | FOR(STABILITY) | FOR(TRANSIENT);
    return (studies & 1u << args->command) || args->error_bars || args->extrapolate || args->error;
}

int ph_args_parse(ph_args *args, int argc, char **argv)
{
    const ph_command *c = ph_command_get(args->command);
    args->argc = argc, args->argv = argv;
    for (int i = 0, taken; i < argc; i += taken) {
        taken = 1;
        if (argv[i][0] == '-' && argv[i][1]) {
            taken = parse_option(args, argc - i, argv + i);
            if (!taken)
                return 0;
        } else if (args->n_words == c->max) {
            ph_complain("%s: '%s' is one argument too many", c->name, argv[i]);
            return 0;
        } else {
            args->word[args->n_words++] = argv[i];
        }
    }
    if (args->output && !strcmp(args->output, "-"))
        args->output = PH_STDOUT;
    if (args->output && !strcmp(args->output, PH_STDOUT)) {
        args->quiet = 1; /* standard output has one thing at a time */
        if (args->json) {
            ph_complain("-o: '-' and --json are both for standard output: give a file");
            return 0;
        }
    }
    if (needs_one_size(args))
        ph_args_keep_size(args);
    return check_words(args);
}

/* ---- for sweep ----------------------------------------------------------------------------------------- */

/* Options that make the result of a run what it is: those that sweep has in common with it. */
static int shapes_runs(const option *o)
{
    return (o->commands & FOR(RUN)) && (o->commands & FOR(SWEEP));
}

static int is_numeric(const option *o)
{
    return shapes_runs(o) && (o->kind == NUMBER || o->kind == POSITIVE || o->kind == SIGMA ||
                              o->kind == COUNT || o->kind == WHOLE);
}

/* "t_end" is --t-end. */
static int is_same_name(const option *o, const char *name)
{
    const char *a = o->name + 2;
    while (*a && (*a == *name || (*a == '-' && *name == '_')))
        a++, name++;
    return !*a && !*name;
}

const char *ph_option_numeric(const char *name, int *whole)
{
    for (int k = 0; k < N_OPTIONS; k++)
        if (is_numeric(&options[k]) && is_same_name(&options[k], name)) {
            *whole = options[k].kind == COUNT || options[k].kind == WHOLE;
            return options[k].name;
        }
    return NULL;
}

void ph_option_numerics(char *text, size_t size)
{
    text[0] = 0;
    for (int k = 0; k < N_OPTIONS; k++)
        if (is_numeric(&options[k])) {
            size_t n = strlen(text);
            snprintf(text + n, size - n, "%s%s", n ? ", " : "", options[k].name + 2);
            for (char *c = text + n; *c; c++)
                *c = *c == '-' ? '_' : *c;
        }
}

int ph_option_given(const ph_args *args, const char *name)
{
    size_t n = strlen(name);
    for (int i = 0; i < args->argc; i++)
        if (!strncmp(args->argv[i], name, n) && (!args->argv[i][n] || args->argv[i][n] == '='))
            return 1;
    return 0;
}

uint64_t ph_inputs_hash(const ph_settings *input, uint64_t hash)
{
    for (int i = 0; i < input->n; i++) {
        const char *is = strchr(input->text[i], '=');
        char *end = NULL, *table = NULL;
        size_t size;
        if (is && (strtod(is + 1, &end), *end))
            table = ph_file_read(is + 1, &size);
        hash = table ? ph_hash_bytes(hash, input->text[i], (size_t)(is - input->text[i]) + 1)
                     : ph_hash_text(hash, input->text[i]);
        hash = table ? ph_hash_bytes(hash, table, size + 1) : hash;
        free(table);
    }
    return hash;
}

static uint64_t hash_value(uint64_t hash, const option *o, const void *at)
{
    const ph_settings *list = at;
    const char *word;
    int k;
    switch (o->kind) {
    case NUMBER:
    case POSITIVE:
    case SIGMA:
        return ph_hash_bytes(hash, at, sizeof(double));
    case COUNT:
    case WHOLE:
    case FLAG:
    case WORD:
        memcpy(&k, at, sizeof k);
        if (o->kind == WORD && k >= 0)
            return ph_hash_text(hash, o->words(k));
        return ph_hash_bytes(hash, &k, sizeof k);
    case LIST:
        if (o->at == offsetof(ph_args, input))
            return ph_inputs_hash(list, hash);
        for (int i = 0; i < list->n; i++)
            hash = ph_hash_text(hash, list->text[i]);
        return hash;
    default:
        memcpy(&word, at, sizeof word);
        return word ? ph_hash_text(hash, word) : hash;
    }
}

uint64_t ph_options_hash(const ph_args *args, uint64_t hash)
{
    for (int k = 0; k < N_OPTIONS; k++)
        if (shapes_runs(&options[k])) {
            hash = ph_hash_text(hash, options[k].name);
            hash = hash_value(hash, &options[k], (const char *)args + options[k].at);
        }
    return hash;
}

/* ---- help ------------------------------------------------------------------------------------------ */

static void print_value(const option *o, char *text, size_t size)
{
    snprintf(text, size, "%s", o->value ? o->value : "");
    for (int k = 0; !o->value && o->words && o->words(k); k++)
        snprintf(text + strlen(text), size - strlen(text), "%s%s", k ? "|" : "", o->words(k));
    if (!o->value && (o->kind & LISTED))
        snprintf(text + strlen(text), size - strlen(text), ",...");
}

static void print_default(const option *o, char *text, size_t size)
{
    ph_args args = ph_args_default(PH_CMD_HELP);
    const void *at = (const char *)&args + o->at;
    double x;
    int k;
    const char *word;
    text[0] = 0;
    if (o->initial) {
        snprintf(text, size, "; default: %s", o->initial);
    } else if (o->kind == NUMBER || o->kind == SIGMA) {
        memcpy(&x, at, sizeof x);
        snprintf(text, size, "; default: %g", x);
    } else if (o->kind == WORD || o->kind == COUNT || o->kind == WHOLE) {
        memcpy(&k, at, sizeof k);
        if (o->kind == WORD && k >= 0)
            snprintf(text, size, "; default: %s", o->words(k));
        else if (o->kind == WHOLE || (o->kind == COUNT && k))
            snprintf(text, size, "; default: %d", k);
    } else if (o->kind == NAME || o->kind == TABLEAU) {
        memcpy(&word, at, sizeof word);
        snprintf(text, size, "; default: %s", word);
    }
}

int ph_options_any(ph_command_code command)
{
    for (int k = 0; k < N_OPTIONS; k++)
        if (options[k].commands & 1u << command)
            return 1;
    return 0;
}

int ph_option_describe(int k, ph_command_code command, ph_option_help *out)
{
    const option *o = &options[k];
    if (!(o->commands & 1u << command))
        return 0;
    out->name = o->name, out->text = o->text, out->words = o->value ? NULL : o->words;
    out->takes_value = o->kind != FLAG;
    print_value(o, out->value, sizeof out->value);
    print_default(o, out->initial, sizeof out->initial);
    return 1;
}
