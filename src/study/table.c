/* Tables of a study: one growing array of entries, three ways to write it. */
#include "study/table.h"
#include "io/csv.h"
#include "io/file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 96

typedef struct entry {
    double x;
    char *word; /* own; NULL: a number */
} entry;

struct ph_table {
    int n_columns, n, room; /* entries there are, and room for */
    int failed;
    ph_column *columns; /* names and units are own */
    entry *entries;     /* row by row */
    int *width;         /* of each column, where it is printed: what is whole can be printed without memory */
};

static char *copy(ph_table *t, const char *text)
{
    char *own = text ? malloc(strlen(text) + 1) : NULL;
    if (own)
        strcpy(own, text);
    else if (text)
        t->failed = 1;
    return own;
}

ph_table *ph_table_create(int n_columns, const ph_column *columns)
{
    ph_table *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->columns = calloc((size_t)n_columns, sizeof *t->columns);
    t->width = calloc((size_t)n_columns, sizeof *t->width);
    if (!t->columns || !t->width) {
        ph_table_destroy(t);
        return NULL;
    }
    t->n_columns = n_columns;
    for (int i = 0; i < n_columns; i++)
        t->columns[i] = (ph_column){copy(t, columns[i].name), copy(t, columns[i].unit), columns[i].kind};
    return t;
}

void ph_table_destroy(ph_table *t)
{
    if (!t)
        return;
    for (int i = 0; i < t->n; i++)
        free(t->entries[i].word);
    for (int i = 0; i < t->n_columns; i++)
        free((char *)t->columns[i].name), free((char *)t->columns[i].unit);
    free(t->entries);
    free(t->columns);
    free(t->width);
    free(t);
}

static entry *add(ph_table *t)
{
    if (!t || t->failed)
        return NULL;
    if (t->n == t->room) {
        int room = t->room ? 2 * t->room : 16 * t->n_columns;
        entry *more = realloc(t->entries, (size_t)room * sizeof *more);
        if (!more) {
            t->failed = 1;
            return NULL;
        }
        t->entries = more, t->room = room;
    }
    t->entries[t->n] = (entry){NAN, NULL};
    return &t->entries[t->n++];
}

void ph_table_number(ph_table *t, double x)
{
    entry *e = add(t);
    if (e)
        e->x = x;
}

void ph_table_word(ph_table *t, const char *word)
{
    entry *e = add(t);
    if (e)
        e->word = copy(t, word);
}

int ph_table_ok(const ph_table *t)
{
    return t && !t->failed;
}

int ph_table_rows(const ph_table *t)
{
    return t ? t->n / t->n_columns : 0;
}

/* ---- text --------------------------------------------------------------------------------------------- */

static const char *entry_text(const ph_table *t, int row, int column, char text[TEXT_MAX])
{
    const entry *e = &t->entries[row * t->n_columns + column];
    static const char *const formats[] = {"", "%.0f", "%.6g", "%.3f", "%.3e"};
    if (e->word)
        snprintf(text, TEXT_MAX, "%s", e->word);
    else if (isnan(e->x))
        text[0] = 0;
    else
        snprintf(text, TEXT_MAX, formats[t->columns[column].kind], e->x);
    return text;
}

static const char *unit_text(const ph_table *t, int column, char text[TEXT_MAX])
{
    const char *unit = t->columns[column].unit;
    text[0] = 0;
    if (unit && unit[0])
        snprintf(text, TEXT_MAX, "[%s]", unit);
    return text;
}

/* Letters on paper: bytes of UTF-8 that continue a letter do not count. */
static int width_of(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static int column_width(const ph_table *t, int column, int from, int end)
{
    char text[TEXT_MAX];
    int width = width_of(t->columns[column].name), n = width_of(unit_text(t, column, text));
    width = n > width ? n : width;
    for (int row = from; row < end; row++) {
        n = width_of(entry_text(t, row, column, text));
        width = n > width ? n : width;
    }
    return width;
}

/* Words to the left, numbers to the right. */
static void put(FILE *to, const char *text, int width, int left, int last)
{
    int blanks = width - width_of(text);
    if (!left)
        fprintf(to, "%*s", blanks, "");
    fputs(text, to);
    if (left && !last)
        fprintf(to, "%*s", blanks, "");
    fputs(last ? "\n" : "  ", to);
}

void ph_table_print_some(const ph_table *t, FILE *to, int from, int end, int first)
{
    char text[TEXT_MAX];
    int units = 0;
    for (int c = first; c < t->n_columns; c++) {
        t->width[c] = column_width(t, c, from, end);
        units |= t->columns[c].unit != NULL && t->columns[c].unit[0];
    }
    for (int row = from - 1 - units; row < end; row++)
        for (int c = first; c < t->n_columns; c++) {
            const char *word = row >= from                ? entry_text(t, row, c, text)
                               : row == from - 1 && units ? unit_text(t, c, text)
                                                          : t->columns[c].name;
            put(to, word, t->width[c], t->columns[c].kind == PH_WORDS, c == t->n_columns - 1);
        }
}

void ph_table_print(const ph_table *t, FILE *to)
{
    ph_table_print_some(t, to, 0, ph_table_rows(t), 0);
}

/* ---- CSV ---------------------------------------------------------------------------------------------- */

int ph_table_write(const ph_table *t, const char *path, int n_comments, const char *const *comments)
{
    ph_file file;
    if (!ph_table_ok(t)) {
        errno = ENOMEM;
        return 0;
    }
    if (!ph_file_open(&file, path))
        return 0;
    ph_csv csv = {.to = file.stream};
    for (int i = 0; i < n_comments; i++)
        ph_csv_comment(&csv, comments[i]);
    for (int c = 0; c < t->n_columns; c++)
        ph_csv_name(&csv, NULL, t->columns[c].name, t->columns[c].unit);
    ph_csv_end_header(&csv);
    for (int i = 0; i < ph_table_rows(t) * t->n_columns; i++) {
        if (t->entries[i].word)
            ph_csv_word(&csv, t->entries[i].word);
        else
            ph_csv_number(&csv, t->entries[i].x);
        if ((i + 1) % t->n_columns == 0)
            ph_csv_end_row(&csv);
    }
    return ph_file_commit(&file);
}

/* ---- JSON --------------------------------------------------------------------------------------------- */

/* The object for a name such as "error.q", and what is left of the name. */
static cJSON *descend(ph_json *j, cJSON *object, const char **name)
{
    char part[TEXT_MAX];
    for (const char *dot; (dot = strchr(*name, '.')) && object; *name = dot + 1) {
        snprintf(part, sizeof part, "%.*s", (int)(dot - *name), *name);
        cJSON *inside = cJSON_GetObjectItemCaseSensitive(object, part);
        object = inside ? inside : ph_json_object(j, object, part);
    }
    return object;
}

void ph_table_json(const ph_table *t, ph_json *j, cJSON *array, int from, int end)
{
    if (!ph_table_ok(t))
        j->failed = 1;
    for (int row = from; row < end && !j->failed; row++) {
        cJSON *object = ph_json_element(j, array);
        for (int c = 0; c < t->n_columns; c++) {
            const entry *e = &t->entries[row * t->n_columns + c];
            const char *name = t->columns[c].name;
            cJSON *to = descend(j, object, &name);
            if (e->word)
                ph_json_text(j, to, name, e->word);
            else if (t->columns[c].kind == PH_WHOLE && isfinite(e->x))
                ph_json_count(j, to, name, (long)e->x);
            else
                ph_json_number(j, to, name, e->x);
        }
    }
}
