/* polhode list: the tables of the library and of the program. */
#include "cli/options.h"
#include "problem/problem.h"

#include <string.h>

static const char *group_name(int k)
{
    return k < PH_GROUP_COUNT ? ph_group_get((ph_group)k)->name : NULL;
}

static const char *group_text(int k)
{
    static const char *const texts[] = {
#define PH_GROUP(code, ops, text) text,
#include "polhode/groups.def"
#undef PH_GROUP
    };
    return texts[k];
}

static const char *chart_name(int k)
{
    return k < PH_CHART_COUNT ? ph_chart_get((ph_chart)k)->name : NULL;
}

static const char *chart_text(int k)
{
    static const char *const texts[] = {
#define PH_CHART(code, ops, text) text,
#include "polhode/charts.def"
#undef PH_CHART
    };
    return texts[k];
}

static const char *solver_text(int k)
{
    static const char *const texts[] = {
#define PH_SOLVER(code, ops, name, text) text,
#include "polhode/solvers.def"
#undef PH_SOLVER
    };
    return texts[k];
}

static const char *command_text(int k)
{
    return ph_command_get((ph_command_code)k)->text;
}

static const struct table {
    const char *name, *title;
    ph_word_fn word, text;
} tables[] = {
    {"problems", "built-in problems, for 'polhode run'", ph_problem_name, ph_problem_text},
    {"methods", "integrators", ph_method_name, ph_method_text},
    {"solvers", "linear solvers", ph_solver_word, solver_text},
    {"groups", "Lie groups of a node", group_name, group_text},
    {"charts", "coordinates of rotations", chart_name, chart_text},
    {"commands", "see 'polhode help'", ph_command_name, command_text},
    {"options", "see 'polhode help COMMAND'", ph_option_name, ph_option_text},
};

#define N_TABLES ((int)(sizeof tables / sizeof *tables))

static const char *table_name(int k)
{
    return k < N_TABLES ? tables[k].name : NULL;
}

static void print_table(const struct table *t)
{
    for (int k = 0; t->word(k); k++)
        printf("  %-18s %s\n", t->word(k), t->text(k));
}

int ph_cmd_list(const ph_args *args)
{
    if (args->n_words) {
        int k = ph_word_find(args->word[0], table_name);
        if (k < 0)
            return ph_complain_word("there is no table", args->word[0], table_name, NULL);
        print_table(&tables[k]);
        return PH_EXIT_OK;
    }
    for (int k = 0; k < N_TABLES; k++) {
        printf("%s%s (%s)\n", k ? "\n" : "", tables[k].name, tables[k].title);
        print_table(&tables[k]);
    }
    return PH_EXIT_OK;
}
