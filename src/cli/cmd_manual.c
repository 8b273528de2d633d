/* polhode manual: the language of model files as a page in Markdown, its tables from those of the reader. */
#include "cli/cli.h"
#include "io/file.h"
#include "model/keys.h"
#include "model/limits.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- cells -------------------------------------------------------------------------------------------- */

/* "text; default x" is split; so is "text; default: x". Without a default, the other one is empty. */
static void split_text(const char *text, char *meaning, char *initial, size_t size)
{
    const char *at = strstr(text, "; default");
    snprintf(meaning, size, "%.*s", at ? (int)(at - text) : (int)strlen(text), text);
    at = at ? at + strlen("; default") : "";
    snprintf(initial, size, "%s", at + strspn(at, ": "));
}

/* What may stand behind the sign of equality: a kind of value, or one of a list of words. */
static void put_value(FILE *to, const ph_key *k)
{
    if (!k->words)
        fputs(ph_value_text(k->value), to);
    for (int i = 0; k->words && k->words(i); i++)
        fprintf(to, "%s`\"%s\"`", i ? ", " : "", k->words(i));
}

static void put_key(FILE *to, const ph_key *k)
{
    char meaning[256], initial[256];
    split_text(k->text, meaning, initial, sizeof meaning);
    if (!initial[0])
        ph_key_default(k, initial, sizeof initial);
    fprintf(to, "| `%s` | ", k->name);
    put_value(to, k);
    fprintf(to, " | %s | %s | %s |\n", k->unit,
            k->required  ? "**required**"
            : initial[0] ? initial
                         : "optional",
            meaning);
}

/* ---- tables ------------------------------------------------------------------------------------------- */

/* Every type of its kind has it. */
static int is_common(const ph_key *k)
{
    for (int t = 0; ph_type_get(k->kind, t); t++)
        if (!ph_key_belongs(k, k->kind, t))
            return 0;
    return 1;
}

typedef enum choice { ALL, COMMON, OWN } choice;

static void put_keys(FILE *to, ph_kind kind, int type, choice which)
{
    const ph_key *k;
    int n = 0;
    for (int i = 0; (k = ph_key_get(i)); i++) {
        if (!ph_key_belongs(k, kind, type) || (which != ALL && is_common(k) != (which == COMMON)))
            continue;
        if (!n++)
            fputs("| key | value | unit | default | meaning |\n|---|---|---|---|---|\n", to);
        put_key(to, k);
    }
}

/* The keys of one type. */
static void keys(FILE *to, ph_kind kind, int type)
{
    put_keys(to, kind, type, ALL);
}

/* Those that all types of a kind have. */
static void common(FILE *to, ph_kind kind, int type)
{
    put_keys(to, kind, type, COMMON);
}

/* The others. */
static void own(FILE *to, ph_kind kind, int type)
{
    put_keys(to, kind, type, OWN);
}

/* A section for each type with the keys that are its own. */
static void types(FILE *to, ph_kind kind, int unused)
{
    const ph_type *t;
    (void)unused;
    for (int type = 0; (t = ph_type_get(kind, type)); type++) {
        fprintf(to, "%s### `%s`\n\n%c%s.\n\n", type ? "\n" : "", t->name, t->text[0] - 'a' + 'A',
                t->text + 1);
        own(to, kind, type);
    }
}

static void sensors(FILE *to, ph_kind kind, int unused)
{
    static const struct {
        int size;
        const char *unit;
    } row[] = {
#define PH_SENSOR(code, name, size, keys, unit, text) {size, unit},
#include "mech/sensors.def"
#undef PH_SENSOR
    };
    const ph_type *t;
    (void)unused;
    fputs("| type | numbers | unit | keys | what it gives |\n|---|---|---|---|---|\n", to);
    for (int type = 0; (t = ph_type_get(kind, type)); type++) {
        const ph_key *k;
        char size[16];
        snprintf(size, sizeof size, "%d", row[type].size);
        fprintf(to, "| `%s` | %s | %s |", t->name, row[type].size ? size : "any", row[type].unit);
        for (int i = 0, n = 0; (k = ph_key_get(i)); i++)
            if (ph_key_belongs(k, kind, type) && !is_common(k))
                fprintf(to, "%s `%s`", n++ ? "," : "", k->name);
        fprintf(to, " | %s |\n", t->text);
    }
}

static void spaces(FILE *to, ph_kind kind, int unused)
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

static void shapes(FILE *to, ph_kind kind, int unused)
{
    static const char *const texts[] = {
#define PH_SHAPE(code, name, sizes, section, text) text,
#include "mech/shapes.def"
#undef PH_SHAPE
    };
    (void)kind, (void)unused;
    fputs("| shape | sizes |\n|---|---|\n", to);
    for (int k = 0; ph_shape_word(k); k++)
        fprintf(to, "| `%s` | %s |\n", ph_shape_word(k), texts[k]);
}

static void limits(FILE *to, ph_kind kind, int unused)
{
    (void)kind, (void)unused;
    fprintf(to, "| what | limit |\n|---|---|\n");
    fprintf(to, "| work to read the file; of one call of a function | %g; %g operations |\n",
            PH_MODEL_READ_OPS, PH_MODEL_CALL_OPS);
    fprintf(to, "| processor time, alike, as a second limit | %g s; %g s |\n", PH_MODEL_READ_S,
            PH_MODEL_CALL_S);
    fprintf(to, "| memory of Lua; one string; the file | %g MB; %g MB; %g MB |\n",
            PH_MODEL_MEMORY / PH_MODEL_MB, PH_MODEL_STRING / PH_MODEL_MB, PH_MODEL_FILE / PH_MODEL_MB);
    fprintf(to, "| size of a number; characters of a name | %g; %d |\n", PH_MODEL_NUMBER, PH_MODEL_NAME);
    fprintf(to, "| numbers of a custom sensor or of a constraint | %d |\n", PH_MODEL_RESULTS);
}

/* ---- the page ----------------------------------------------------------------------------------------- */

static const struct item {
    const char *line;
    void (*table)(FILE *to, ph_kind kind, int type);
    ph_kind kind;
    int type;
} page[] = {
#define PH_LINE(text)               {text, NULL, PH_KINDS, 0},
#define PH_TABLE(table, kind, type) {NULL, table, PH_K_##kind, type},
#include "cli/manual.def"
#undef PH_LINE
#undef PH_TABLE
};

static void write_page(FILE *to)
{
    for (size_t i = 0; i < sizeof page / sizeof *page; i++)
        if (page[i].table)
            page[i].table(to, page[i].kind, page[i].type);
        else
            fprintf(to, "%s\n", page[i].line);
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
    return ph_complain("cannot write '%s': %s", args->output, strerror(errno));
}
