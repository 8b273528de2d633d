/* Pages of the manual, section 1: polhode(1), and polhode-COMMAND(1) for each command. */
#include "cli/options.h"

#include <ctype.h>
#include <string.h>

/* A backslash is one, and so is a hyphen; no line begins with a control character. */
static void print_text(const char *text, FILE *to)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", to);
    for (; *text; text++)
        if (*text == '\\')
            fputs("\\e", to);
        else if (*text == '-')
            fputs("\\-", to);
        else
            fputc(*text, to);
}

static void print_head(const char *name, const char *text, FILE *to)
{
    fprintf(to, ".TH \"");
    for (const char *c = name; *c; c++)
        fputc(toupper((unsigned char)*c), to);
    fprintf(to, "\" 1 \"\" \"Polhode %s\" \"Polhode\"\n.SH NAME\n", ph_version());
    print_text(name, to), fputs(" \\- ", to), print_text(text, to);
    fputs("\n.SH SYNOPSIS\n.B polhode\n", to);
}

static void print_option(const ph_option_help *o, FILE *to)
{
    fputs(".TP\n.B ", to), print_text(o->name, to);
    if (o->value[0])
        fputs(" \\fI", to), print_text(o->value, to), fputs("\\fR", to);
    fputc('\n', to), print_text(o->text, to), print_text(o->initial, to), fputc('\n', to);
}

static void print_exit_codes(FILE *to)
{
    fputs(".SH EXIT STATUS\n.TP\n.B 0\ndone\n.TP\n.B 1\nnumerical failure\n.TP\n.B 2\nbad input or usage\n",
          to);
}

static void print_examples(ph_command_code code, FILE *to)
{
    const char *head = ".SH EXAMPLES\n";
    for (const ph_example *e = ph_examples; e->arguments; e++) {
        if (e->command != code)
            continue;
        fprintf(to, "%s.TP\n.B polhode %s ", head, ph_command_name((int)code));
        print_text(e->arguments, to), fputc('\n', to), print_text(e->text, to), fputc('\n', to);
        head = "";
    }
}

static void print_command(const ph_command *c, ph_command_code code, FILE *to)
{
    char name[64];
    snprintf(name, sizeof name, "polhode-%s", c->name);
    print_head(name, c->text, to);
    print_text(c->name, to), fputc(' ', to), print_text(c->usage, to);
    fprintf(to, "%s\n", ph_options_any(code) ? " [options]" : "");
    if (ph_options_any(code))
        fputs(".SH OPTIONS\n", to);
    for (int k = 0; ph_option_name(k); k++) {
        ph_option_help o;
        if (ph_option_describe(k, code, &o))
            print_option(&o, to);
    }
    print_examples(code, to);
    print_exit_codes(to);
    fputs(".SH SEE ALSO\n.BR polhode (1)\n", to);
}

static void print_program(FILE *to)
{
    const char *group = "";
    print_head("polhode", "time integration of constrained mechanical systems on Lie groups", to);
    fputs("\\fICOMMAND\\fR [\\fIarguments\\fR]\n.SH COMMANDS\n", to);
    for (int k = 0; k < PH_COMMAND_COUNT; k++) {
        const ph_command *c = ph_command_get((ph_command_code)k);
        if (strcmp(group, c->group))
            fputs(".SS ", to), print_text(c->group, to), fputc('\n', to);
        group = c->group;
        fputs(".TP\n.B ", to), print_text(c->name, to), fputs(" \\fR", to), print_text(c->usage, to);
        fputc('\n', to), print_text(c->text, to), fputc('\n', to);
    }
    print_exit_codes(to);
    fputs(".SH SEE ALSO\n", to);
    for (int k = 0; k < PH_COMMAND_COUNT; k++)
        fprintf(to, ".BR polhode-%s (1)%s\n", ph_command_name(k), k + 1 < PH_COMMAND_COUNT ? "," : "");
}

void ph_help_man(ph_command_code command, FILE *to)
{
    if (command == PH_COMMAND_COUNT)
        print_program(to);
    else
        print_command(ph_command_get(command), command, to);
}
