/* polhode manual: the language of model files as a page in Markdown, its tables from those of the reader. */
#include "cli/cli.h"
#include "io/file.h"
#include "polhode/language.h"

#include <stdio.h>
#include <string.h>

/* ---- cells -------------------------------------------------------------------------------------------- */

/* What may stand behind the sign of equality: a kind of value, or one of a list of words. */
static void put_value(FILE *to, const ph_language_key *k)
{
    if (!k->words)
        fputs(k->value, to);
    for (int i = 0; k->words && k->words(i); i++)
        fprintf(to, "%s`\"%s\"`", i ? ", " : "", k->words(i));
}

static void put_key(FILE *to, int key, const ph_language_key *k)
{
    char initial[160];
    ph_language_key_default(key, initial, sizeof initial);
    fprintf(to, "| `%s` | ", k->name);
    put_value(to, k);
    fprintf(to, " | %s | %s | %s |\n", k->unit,
            k->required  ? "**required**"
            : initial[0] ? initial
                         : "optional",
            k->text);
}

/* ---- tables ------------------------------------------------------------------------------------------- */

/* Every type of its kind has it. */
static int is_common(int key, int kind)
{
    ph_language_type type;
    for (int t = 0; ph_language_type_get(kind, t, &type); t++)
        if (!ph_language_key_belongs(key, kind, t))
            return 0;
    return 1;
}

typedef enum choice { ALL, COMMON, OWN } choice;

static void put_keys(FILE *to, int kind, int type, choice which)
{
    ph_language_key k;
    int n = 0;
    for (int i = 0; ph_language_key_get(i, &k); i++) {
        if (!ph_language_key_belongs(i, kind, type) ||
            (which != ALL && is_common(i, k.kind) != (which == COMMON)))
            continue;
        if (!n++)
            fputs("| key | value | unit | default | meaning |\n|---|---|---|---|---|\n", to);
        put_key(to, i, &k);
    }
}

/* The keys of one type. */
static void keys(FILE *to, int kind, int type)
{
    put_keys(to, kind, type, ALL);
}

/* Those that all types of a kind have. */
static void common(FILE *to, int kind, int type)
{
    put_keys(to, kind, type, COMMON);
}

/* The others. */
static void own(FILE *to, int kind, int type)
{
    put_keys(to, kind, type, OWN);
}

/* A section for each type with the keys that are its own. */
static void types(FILE *to, int kind, int unused)
{
    ph_language_type t;
    (void)unused;
    for (int type = 0; ph_language_type_get(kind, type, &t); type++) {
        fprintf(to, "%s### `%s`\n\n%c%s.\n\n", type ? "\n" : "", t.name, t.text[0] - 'a' + 'A', t.text + 1);
        own(to, kind, type);
    }
}

static void sensors(FILE *to, int kind, int unused)
{
    ph_language_type t;
    (void)unused;
    fputs("| type | numbers | unit | keys | what it gives |\n|---|---|---|---|---|\n", to);
    for (int type = 0; ph_language_type_get(kind, type, &t); type++) {
        ph_language_key k;
        char size[16];
        snprintf(size, sizeof size, "%d", t.size);
        fprintf(to, "| `%s` | %s | %s |", t.name, t.size ? size : "any", t.unit);
        for (int i = 0, n = 0; ph_language_key_get(i, &k); i++)
            if (ph_language_key_belongs(i, kind, type) && !is_common(i, kind))
                fprintf(to, "%s `%s`", n++ ? "," : "", k.name);
        fprintf(to, " | %s |\n", t.text);
    }
}

static void support(FILE *to, int kind, int unused)
{
    ph_language_type t;
    (void)kind, (void)unused;
    fputs("| element |", to);
    for (int k = 0; ph_language_ability(k); k++)
        fprintf(to, " %s |", ph_language_ability(k));
    fputs("\n|---|---|---|---|---|---|\n", to);
    for (int of = 0; ph_language_kind_word(of); of++)
        for (int type = 0; ph_language_type_get(of, type, &t) && ph_language_can(of, type, 0) >= 0; type++) {
            fprintf(to, "| `%s` |", t.name);
            for (int k = 0; ph_language_ability(k); k++)
                fprintf(to, " %s |", ph_language_can(of, type, k) ? "yes" : "-");
            fputs("\n", to);
        }
}

static void spaces(FILE *to, int kind, int unused)
{
    static const char *const texts[] = {
#define PH_SPACE(code, name, text) text,
#include "polhode/spaces.def"
#undef PH_SPACE
    };
    (void)kind, (void)unused;
    fputs("| space | what it is |\n|---|---|\n", to);
    for (int k = 0; ph_space_word(k); k++)
        fprintf(to, "| `%s` | %s |\n", ph_space_word(k), texts[k]);
}

static void shapes(FILE *to, int kind, int unused)
{
    (void)kind, (void)unused;
    fputs("| shape | sizes |\n|---|---|\n", to);
    for (int k = 0; ph_shape_word(k); k++)
        fprintf(to, "| `%s` | %s |\n", ph_shape_word(k), ph_shape_text(k));
}

#define MB (1024.0 * 1024.0)

static void limits(FILE *to, int kind, int unused)
{
    ph_language_limits l = ph_language_limits_get();
    (void)kind, (void)unused;
    fprintf(to, "| what | limit |\n|---|---|\n");
    fprintf(to, "| work to read the file; of one call of a function | %g; %g operations |\n",
            l.read_operations, l.call_operations);
    fprintf(to, "| processor time, alike, as a second limit | %g s and %g s for each element; %g s |\n",
            l.read_s, l.element_s, l.call_s);
    fprintf(to, "| memory of Lua; one string; the file | %g MB; %g MB; %g MB |\n", l.memory / MB,
            l.string / MB, l.file / MB);
    fprintf(to, "| size of a number; characters of a name | %g; %d |\n", l.number, l.name);
    fprintf(to, "| numbers of a custom sensor or of a constraint | %d |\n", l.results);
}

/* ---- the page ----------------------------------------------------------------------------------------- */

extern const unsigned char ph_manual[]; /* manual.md: Markdown, and lines <!-- table KIND type --> */

static const struct table {
    const char *name;
    void (*put)(FILE *to, int kind, int type);
} tables[] = {{"keys", keys},     {"common", common},   {"own", own},
              {"types", types},   {"sensors", sensors}, {"support", support},
              {"spaces", spaces}, {"shapes", shapes},   {"limits", limits}};

static int find_type(int kind, const char *name)
{
    ph_language_type t;
    int type = 0;
    while (name && ph_language_type_get(kind, type, &t) && strcmp(t.name, name) != 0)
        type++;
    return type;
}

/* KIND as in src/model/keys.def; without a type the first or only one. */
static void put_table(FILE *to, const char *line)
{
    char name[16] = "", kind_name[16] = "", type[32] = "";
    sscanf(line, "<!-- %15s %15s %31[^ -]", name, kind_name, type);
    int kind = ph_language_kind(kind_name);
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
        if (!strcmp(tables[k].name, name))
            tables[k].put(to, kind, find_type(kind, type[0] ? type : NULL));
}

static void write_page(FILE *to)
{
    const char *line = (const char *)ph_manual;
    for (const char *end; *line; line = end) {
        end = strchr(line, '\n') + 1;
        if (!strncmp(line, "<!-- ", 5))
            put_table(to, line);
        else
            fwrite(line, 1, (size_t)(end - line), to);
    }
}

int ph_cmd_manual(const ph_args *args)
{
    ph_file file;
    if (!args->output) {
        write_page(stdout);
        return PH_EXIT_OK;
    }
    if (ph_file_open(&file, args->output)) {
        write_page(file.stream);
        if (ph_file_commit(&file))
            return PH_EXIT_OK;
    }
    return ph_complain_write(args->output);
}
