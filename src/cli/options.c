/* The options of all commands: parsing, help, and the words of their values, all from one table. */
#include "cli/options.h"
#include "polhode/model.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum kind {
    NUMBER,   /* double, any finite one */
    POSITIVE, /* double above 0 */
    SIGMA,    /* double, or "opt" */
    COUNT,    /* int from 1 */
    WORD,     /* enumeration: the place of the word in its list */
    NAME,     /* const char *: one of a list */
    PATH,     /* const char * */
    LIST,     /* ph_settings: one more */
    FLAG      /* int */
} kind;

typedef struct option {
    const char *name, *value;
    kind kind;
    size_t at; /* in ph_args */
    ph_word_fn words;
    unsigned commands; /* bits, by ph_command_code */
    const char *text;
} option;

#define FOR(command) (1u << PH_CMD_##command)

static const option options[] = {
#define PH_OPTION(name, value, kind, member, words, commands, text)                                          \
    {name, value, kind, offsetof(ph_args, member), words, commands, text},
#include "cli/options.def"
#undef PH_OPTION
};

#define N_OPTIONS ((int)(sizeof options / sizeof *options))

ph_args ph_args_default(ph_command_code command)
{
    return (ph_args){.command = command, .opt = ph_default_options(), .every = 1, .space = -1};
}

const char *ph_option_name(int k)
{
    return k >= 0 && k < N_OPTIONS ? options[k].name : NULL;
}

const char *ph_option_text(int k)
{
    return k >= 0 && k < N_OPTIONS ? options[k].text : NULL;
}

/* ---- values ---------------------------------------------------------------------------------------- */

static int read_number(const option *o, const char *text, double *x)
{
    char *end;
    *x = strtod(text, &end);
    if (end == text || *end || !isfinite(*x))
        ph_complain("%s: '%s' is not a number", o->name, text);
    else if (o->kind == POSITIVE && !(*x > 0))
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
    else if (errno || x < 1 || x > INT_MAX)
        ph_complain("%s: '%s' is outside 1 to %d", o->name, text, INT_MAX);
    else {
        *n = (int)x;
        return 1;
    }
    return 0;
}

static int read_word(const option *o, const char *text, int *k)
{
    char what[64];
    *k = ph_word_find(text, o->words);
    if (*k >= 0)
        return 1;
    snprintf(what, sizeof what, "%s has no choice", o->name);
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

static int read_value(ph_args *args, const option *o, const char *text)
{
    void *to = (char *)args + o->at;
    double x = PH_SIGMA_OPT;
    int k = 1;
    const char *word = text;
    switch (o->kind) {
    case NUMBER:
    case POSITIVE:
    case SIGMA:
        if ((o->kind != SIGMA || strcmp(text, "opt") != 0) && !read_number(o, text, &x))
            return 0;
        memcpy(to, &x, sizeof x);
        return 1;
    case COUNT:
        if (!read_count(o, text, &k))
            return 0;
        memcpy(to, &k, sizeof k);
        return 1;
    case WORD:
    case NAME:
        if (!read_word(o, text, &k))
            return 0;
        word = o->words(k);
        memcpy(to, o->kind == WORD ? (void *)&k : (void *)&word, o->kind == WORD ? sizeof k : sizeof word);
        return 1;
    case PATH:
        if (!text[0]) {
            ph_complain("%s: the name of the file is empty", o->name);
            return 0;
        }
        memcpy(to, &word, sizeof word);
        return 1;
    case LIST:
        return add_setting(o, text, to);
    case FLAG:
        memcpy(to, &k, sizeof k);
        return 1;
    }
    return 0;
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

/* An option that this command does not have: say whose it is, or which name is near. */
static void refuse(const ph_args *args, const char *name)
{
    char what[64], help[64];
    const char *command = ph_command_name((int)args->command);
    int k = ph_word_find(name, ph_option_name);
    if (k >= 0) {
        int owner = 0;
        while (!(options[k].commands & 1u << owner))
            owner++;
        ph_complain("%s has no option '%s'; it belongs to '%s'", command, name, ph_command_name(owner));
    } else if (ph_options_any(args->command)) {
        snprintf(what, sizeof what, "%s has no option", command);
        snprintf(help, sizeof help, "polhode help %s", command);
        ph_complain_word(what, name, ph_option_name, help);
    } else {
        ph_complain("%s has no options, and so no '%s'", command, name);
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
    if (argc < 2) {
        ph_complain("%s: its value is missing", name);
        return 0;
    }
    return read_value(args, o, argv[1]) ? 2 : 0;
}

static int check_words(const ph_args *args)
{
    const ph_command *c = ph_command_get(args->command);
    if (args->n_words >= c->min)
        return 1;
    ph_complain("%s needs %s; 'polhode help %s' tells more", c->name, c->usage, c->name);
    return 0;
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
    return check_words(args);
}

/* ---- help ------------------------------------------------------------------------------------------ */

static void print_value(const option *o, char *text, size_t size)
{
    snprintf(text, size, "%s", o->value ? o->value : "");
    for (int k = 0; !o->value && o->words && o->words(k); k++)
        snprintf(text + strlen(text), size - strlen(text), "%s%s", k ? "|" : "", o->words(k));
}

static void print_default(const option *o, char *text, size_t size)
{
    ph_args args = ph_args_default(PH_CMD_HELP);
    const void *at = (const char *)&args + o->at;
    double x;
    int k;
    const char *word;
    text[0] = 0;
    if (o->kind == NUMBER || o->kind == SIGMA) {
        memcpy(&x, at, sizeof x);
        snprintf(text, size, "; default %g", x);
    } else if (o->kind == WORD || o->kind == COUNT) {
        memcpy(&k, at, sizeof k);
        if (o->kind == WORD)
            snprintf(text, size, "; default %s", o->words(k));
        else if (k)
            snprintf(text, size, "; default %d", k);
    } else if (o->kind == NAME) {
        memcpy(&word, at, sizeof word);
        snprintf(text, size, "; default %s", word);
    }
}

int ph_options_any(ph_command_code command)
{
    for (int k = 0; k < N_OPTIONS; k++)
        if (options[k].commands & 1u << command)
            return 1;
    return 0;
}

void ph_options_print(ph_command_code command, FILE *to)
{
    char value[96], left[128], initial[64];
    for (int k = 0; k < N_OPTIONS; k++) {
        const option *o = &options[k];
        if (!(o->commands & 1u << command))
            continue;
        print_value(o, value, sizeof value);
        print_default(o, initial, sizeof initial);
        snprintf(left, sizeof left, "%s %s", o->name, value);
        fprintf(to, "  %-35s %s%s\n", left, o->text, initial);
    }
}
