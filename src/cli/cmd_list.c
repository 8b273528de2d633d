/* polhode list: the tables of the library and of the program. */
#include "cli/options.h"
#include "io/record.h"
#include "polhode/language.h"
#include "problem/problem.h"

#include <string.h>

/* ---- the model language ------------------------------------------------------------------------------- */

/* NULL past the end */
static const char *type_name(int kind, int type)
{
    ph_language_type t;
    return ph_language_type_get(kind, type, &t) ? t.name : NULL;
}

static const char *type_text(int kind, int type)
{
    ph_language_type t;
    return ph_language_type_get(kind, type, &t) ? t.text : NULL;
}

/* One line below that of a type: its keys, those that may be left out in brackets. */
static void print_keys_of(int kind, int type)
{
    ph_language_key k;
    printf("  %-18s   keys:", "");
    for (int i = 0; ph_language_key_get(i, &k); i++)
        if (ph_language_key_belongs(i, kind, type))
            printf(k.required ? " %s" : " [%s]", k.name);
    printf("\n");
}

#define TYPES(of, KIND)                                                                                      \
    static const char *of##_name(int k)                                                                      \
    {                                                                                                        \
        return type_name(ph_language_kind(KIND), k);                                                         \
    }                                                                                                        \
    static const char *of##_text(int k)                                                                      \
    {                                                                                                        \
        return type_text(ph_language_kind(KIND), k);                                                         \
    }                                                                                                        \
    static void print_##of##_keys(int k)                                                                     \
    {                                                                                                        \
        print_keys_of(ph_language_kind(KIND), k);                                                            \
    }
TYPES(joint, "JOINT")
TYPES(force, "FORCE")
TYPES(sensor, "SENSOR")
#undef TYPES

static const char *space_text(int k)
{
    static const char *const texts[] = {
#define PH_SPACE(code, name, text) text,
#include "polhode/spaces.def"
#undef PH_SPACE
    };
    return texts[k];
}

/* " (revolute, generic)" where not all types of its kind have the key */
static void print_owners(int key, int kind)
{
    int all = 1, n = 0;
    for (int t = 0; type_name(kind, t); t++)
        all = all && ph_language_key_belongs(key, kind, t);
    for (int t = 0; !all && type_name(kind, t); t++)
        if (ph_language_key_belongs(key, kind, t))
            printf("%s%s", n++ ? ", " : " (", type_name(kind, t));
    printf("%s\n", n ? ")" : "");
}

/* Every key of a model file: name, value, unit, meaning. */
static void print_keys(void)
{
    ph_language_key k;
    char initial[160];
    const char *word;
    for (int kind = 0; (word = ph_language_kind_word(kind)); kind++) {
        printf("  %s", word);
        for (int t = 0; !*word && type_name(kind, t); t++)
            printf("%s%s", t ? ", " : "", type_name(kind, t));
        printf(":\n");
        for (int i = 0; ph_language_key_get(i, &k); i++) {
            if (k.kind != kind)
                continue;
            ph_language_key_default(i, initial, sizeof initial);
            printf("    %-16s %-28s %-13s %s%s%s", k.name, k.value, k.unit, k.text,
                   k.required   ? "; required"
                   : initial[0] ? "; default: "
                                : "",
                   initial);
            print_owners(i, kind);
        }
    }
}

/* Print which abilities each type of element has. */
static void print_support(void)
{
    const char *word;
    printf("  %-20s", "");
    for (int k = 0; (word = ph_language_ability(k)); k++)
        printf(" %-9s", word);
    printf("\n");
    for (int kind = 0; ph_language_kind_word(kind); kind++)
        for (int t = 0; type_name(kind, t) && ph_language_can(kind, t, 0) >= 0; t++) {
            printf("  %-20s", type_name(kind, t));
            for (int k = 0; ph_language_ability(k); k++)
                printf(" %-9s", ph_language_can(kind, t, k) ? "yes" : "-");
            printf("\n");
        }
}

/* ---- the library and the program ---------------------------------------------------------------------- */

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

/* Several rows may have one name: which commands have which. */
static void print_commands(int k)
{
    char owners[256];
    ph_option_owners(ph_option_commands(k), ", ", "", owners, sizeof owners);
    printf("%23sof: %s\n", "", owners);
}

static const struct table {
    const char *name, *title;
    ph_word_fn word, text;
    void (*more)(int k); /* below each row; NULL: nothing */
    void (*whole)(void); /* the table, where it does not consist of words and texts */
} tables[] = {
    {"joints", "of model files: joint{ type = ... }", joint_name, joint_text, print_joint_keys, NULL},
    {"forces", "of model files", force_name, force_text, print_force_keys, NULL},
    {"sensors", "of model files: sensor{ type = ... }", sensor_name, sensor_text, print_sensor_keys, NULL},
    {"spaces", "coordinates of bodies, for --space", ph_space_word, space_text, NULL, NULL},
    {"shapes", "of model files: shape = { ... }", ph_shape_word, ph_shape_text, NULL, NULL},
    {"keys", "all that a model file may say; see 'polhode manual'", NULL, NULL, NULL, print_keys},
    {"support", "of elements; a command refuses an element that lacks what it needs", NULL, NULL, NULL,
     print_support},
    {"problems", "built-in problems, for 'polhode run'", ph_problem_name, ph_problem_text, NULL, NULL},
    {"methods", "integrators", ph_method_name, ph_method_text, NULL, NULL},
    {"tableaux", "of Runge-Kutta methods, for --tableau", ph_tableau_name, ph_tableau_text, NULL, NULL},
    {"solvers", "linear solvers", ph_solver_word, solver_text, NULL, NULL},
    {"formats", "of -o of 'polhode run', by the ending of the file name", ph_format_ending, ph_format_text,
     NULL, NULL},
    {"groups", "Lie groups of a node", group_name, group_text, NULL, NULL},
    {"charts", "coordinates of rotations", chart_name, chart_text, NULL, NULL},
    {"commands", "see 'polhode help'", ph_command_name, command_text, NULL, NULL},
    {"options", "see 'polhode help COMMAND'", ph_option_name, ph_option_text, print_commands, NULL},
};

#define N_TABLES ((int)(sizeof tables / sizeof *tables))

static const char *table_name(int k)
{
    return k < N_TABLES ? tables[k].name : NULL;
}

static void print_table(const struct table *t)
{
    if (t->whole)
        t->whole();
    for (int k = 0; t->word && t->word(k); k++) {
        printf("  %-18s %s\n", t->word(k), t->text(k));
        if (t->more)
            t->more(k);
    }
}

int ph_cmd_list(const ph_args *args)
{
    if (args->n_words || args->support) {
        int k = ph_word_find(args->support ? "support" : args->word[0], table_name);
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
