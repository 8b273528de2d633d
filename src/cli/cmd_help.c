/* polhode help, polhode version. */
#include "io/json.h"
#include "cli/options.h"

#include <string.h>

#define LEFT 35 /* letters of the column of names */

const ph_example ph_examples[] = {
#define PH_EXAMPLE(command, arguments, text) {command, arguments, text},
#include "cli/examples.def"
#undef PH_EXAMPLE
    {PH_COMMAND_COUNT, NULL, NULL},
};

static void print_options(ph_command_code code)
{
    ph_option_help o;
    char left[160];
    for (int k = 0; ph_option_name(k); k++) {
        if (!ph_option_describe(k, code, &o))
            continue;
        snprintf(left, sizeof left, "%s %s", o.name, o.value);
        if (strlen(left) > LEFT) /* what is too long for its column has a line of its own */
            printf("  %s\n  %-*s ", left, LEFT, "");
        else
            printf("  %-*s ", LEFT, left);
        printf("%s%s\n", o.text, o.initial);
    }
}

static void print_examples(ph_command_code code)
{
    int width = 0, n;
    for (const ph_example *e = ph_examples; e->arguments; e++)
        if (e->command == code && (n = (int)strlen(e->arguments)) > width)
            width = n;
    if (width > 0)
        printf("\nexamples:\n");
    for (const ph_example *e = ph_examples; e->arguments; e++)
        if (e->command == code)
            printf("  polhode %s %-*s  # %s\n", ph_command_name((int)code), width, e->arguments, e->text);
}

static void print_command(ph_command_code code)
{
    const ph_command *c = ph_command_get(code);
    int any = ph_options_any(code);
    printf("usage: polhode %s%s%s%s\n\n%s\n", c->name, c->usage[0] ? " " : "", c->usage,
           any ? " [options]" : "", c->text);
    if (any) {
        printf("\noptions:\n");
        print_options(code);
    }
    print_examples(code);
}

static void print_all(void)
{
    printf("Polhode %s: time integration of constrained mechanical systems on Lie groups\n\n", ph_version());
    printf("usage: polhode COMMAND [arguments]\n");
    const char *group = "";
    for (int k = 0; k < PH_COMMAND_COUNT; k++) {
        const ph_command *c = ph_command_get((ph_command_code)k);
        char left[64];
        if (strcmp(group, c->group))
            printf("\n%s\n", c->group);
        group = c->group;
        snprintf(left, sizeof left, "%s %s", c->name, c->usage);
        printf("  %-18s %s\n", left, c->text);
    }
    printf("\nfirst steps:\n"
           "  polhode run models/heavy_top.lua               a spinning top: one second of motion\n"
           "  polhode run models/heavy_top.lua -o top.csv    the same, with its trajectory\n"
           "  polhode check models/bricard.lua               freedom and redundancy of a closed loop\n"
           "  polhode manual                                 how to write a model\n"
           "  polhode help run                               all options\n\n"
           "exit codes: 0 done, 1 numerical failure, 2 bad input or usage\n");
}

int ph_cmd_help(const ph_args *args)
{
    int k = args->n_words ? ph_word_find(args->word[0], ph_command_name) : PH_COMMAND_COUNT;
    if (k < 0)
        return ph_complain_command(args->word[0]);
    if (args->completion >= 0)
        ph_help_complete(args->completion, stdout);
    else if (args->man)
        ph_help_man((ph_command_code)k, stdout);
    else if (k == PH_COMMAND_COUNT)
        print_all();
    else
        print_command((ph_command_code)k);
    return PH_EXIT_OK;
}

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "another compiler"
#endif

int ph_cmd_version(const ph_args *args)
{
    if (!args->json) {
        printf("polhode %s\nbuilt with %s\n", ph_version(), COMPILER);
        return PH_EXIT_OK;
    }
    ph_json j = ph_json_create();
    ph_json_text(&j, j.root, "polhode", ph_version());
    ph_json_text(&j, j.root, "compiler", COMPILER);
    return ph_answer(&j) ? PH_EXIT_OK : ph_complain("not enough memory");
}
