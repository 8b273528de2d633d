/* Scripts that complete command lines: commands, their options, and the words that an option takes. */
#include "cli/options.h"

/* "COMMAND) words..." for each command. */
static void print_options(FILE *to)
{
    for (int c = 0; c < PH_COMMAND_COUNT; c++) {
        ph_option_help o;
        fprintf(to, "        %s) options=\"", ph_command_name(c));
        for (int k = 0, n = 0; ph_option_name(k); k++)
            if (ph_option_describe(k, (ph_command_code)c, &o))
                fprintf(to, "%s%s", n++ ? " " : "", o.name);
        fprintf(to, "\" ;;\n");
    }
}

/* "COMMAND:OPTION) words..." where all words are known. */
static void print_words(FILE *to)
{
    for (int c = 0; c < PH_COMMAND_COUNT; c++)
        for (int k = 0; ph_option_name(k); k++) {
            ph_option_help o;
            if (!ph_option_describe(k, (ph_command_code)c, &o) || !o.words)
                continue;
            fprintf(to, "        %s:%s) values=\"", ph_command_name(c), o.name);
            for (int w = 0; o.words(w); w++)
                fprintf(to, "%s%s", w ? " " : "", o.words(w));
            fprintf(to, "\" ;;\n");
        }
}

static void print_commands(FILE *to)
{
    for (int c = 0; c < PH_COMMAND_COUNT; c++)
        fprintf(to, "%s%s", c ? " " : "", ph_command_name(c));
}

static void print_bash(FILE *to)
{
    fputs(
        "# Completion of polhode for bash.\n_polhode() {\n"
        "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options='' values=''\n"
        "    COMPREPLY=()\n    if ((COMP_CWORD == 1)); then\n        mapfile -t COMPREPLY < <(compgen -W \"",
        to);
    print_commands(to);
    fputs("\" -- \"$word\")\n        return\n    fi\n    case ${COMP_WORDS[1]}:$before in\n", to);
    print_words(to);
    fputs("    esac\n    case ${COMP_WORDS[1]} in\n", to);
    print_options(to);
    fputs("    esac\n"
          "    if [[ -n $values ]]; then\n        mapfile -t COMPREPLY < <(compgen -W \"$values\" -- "
          "\"$word\")\n"
          "    elif [[ $word == -* ]]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
          "    elif [[ ${COMP_WORDS[1]} == help ]]; then\n        mapfile -t COMPREPLY < <(compgen -W \"",
          to);
    print_commands(to);
    fputs("\" -- \"$word\")\n    fi\n}\ncomplete -o default -F _polhode polhode\n", to);
}

static void print_zsh(FILE *to)
{
    fputs("#compdef polhode\n# Completion of polhode for zsh.\n_polhode() {\n    local options='' values=''\n"
          "    if ((CURRENT == 2)); then\n        compadd -- ",
          to);
    print_commands(to);
    fputs("\n        return\n    fi\n    case ${words[2]}:${words[CURRENT-1]} in\n", to);
    print_words(to);
    fputs("    esac\n    case ${words[2]} in\n", to);
    print_options(to);
    fputs("    esac\n    if [[ -n $values ]]; then\n        compadd -- ${=values}\n"
          "    elif [[ ${words[CURRENT]} == -* ]]; then\n        compadd -- ${=options}\n"
          "    elif [[ ${words[2]} == help ]]; then\n        compadd -- ",
          to);
    print_commands(to);
    fputs("\n    else\n        _files\n    fi\n}\n_polhode \"$@\"\n", to);
}

static const struct {
    const char *name;
    void (*print)(FILE *to);
} shells[] = {{"bash", print_bash}, {"zsh", print_zsh}};

const char *ph_shell_word(int k)
{
    return k >= 0 && k < (int)(sizeof shells / sizeof *shells) ? shells[k].name : NULL;
}

void ph_help_complete(int shell, FILE *to)
{
    shells[shell].print(to);
}
