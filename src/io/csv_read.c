/* Tables of numbers, read back. */
#include "io/csv.h"

#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES (64 << 20) /* a row of all that 100 000 bodies have */

#define HAS_NUL (-3) /* ph_source_line has -1 and -2 */

/* The next line that is no comment; 0 at the end, below where it cannot be read. Tools of spreadsheets begin a file with the mark
 * of UTF-8, which is skipped. */
static int next_line(ph_source *f, char **line, size_t *room, long *number)
{
    static const char mark[] = "\xEF\xBB\xBF";
    long n;
    while ((n = ph_source_line(f, line, room, LINE_MAX_BYTES)) > 0) {
        (*number)++;
        while (n > 0 && ((*line)[n - 1] == '\n' || (*line)[n - 1] == '\r'))
            (*line)[--n] = 0;
        if (*number == 1 && !strncmp(*line, mark, 3))
            n -= 3, memmove(*line, *line + 3, (size_t)n + 1);
        if (n > 0 && (*line)[0] != '#')
            return strlen(*line) == (size_t)n ? 1 : HAS_NUL;
    }
    *number += n < 0;
    return (int)n;
}

/* "top.x [m]" -> "top.x"; returns "m". */
static char *cut_unit(char *name)
{
    size_t n = strlen(name);
    char *open = strrchr(name, '[');
    if (!n || name[n - 1] != ']' || open <= name + 1 || open[-1] != ' ')
        return name + n;
    name[n - 1] = open[-1] = 0;
    return open + 1;
}

static int read_header(ph_csv_data *d, const char *line)
{
    int n = 1;
    d->header = malloc(strlen(line) + 1);
    for (const char *c = line; *c; c++)
        n += *c == ',';
    d->names = calloc((size_t)n, sizeof *d->names);
    d->units = calloc((size_t)n, sizeof *d->units);
    if (!d->header || !d->names || !d->units)
        return 0;
    strcpy(d->header, line);
    for (char *c = d->header, *end; c; c = end) {
        end = strchr(c, ',');
        if (end)
            *end++ = 0;
        d->units[d->n_columns] = cut_unit(c);
        d->names[d->n_columns++] = c;
    }
    return 1;
}

/* One row at the end of x. 0: not as many numbers as there are columns. */
static int read_row(const ph_csv_data *d, const char *line, double *x)
{
    char *end;
    for (int c = 0; c < d->n_columns; c++) {
        x[c] = strtod(line, &end);
        if (end == line || *end != (c + 1 < d->n_columns ? ',' : 0))
            return 0;
        line = end + 1;
    }
    return 1;
}

/* Room for one more row: as much as the rows so far, so that memory follows what the file really holds. */
static int make_room(ph_csv_data *d, long *rows)
{
    if (d->n_rows < *rows)
        return 1;
    long twice = *rows ? 2 * *rows : 1 + 1024 / d->n_columns;
    double *more = realloc(d->x, (size_t)twice * (size_t)d->n_columns * sizeof *more);
    if (more)
        d->x = more, *rows = twice;
    return more != NULL;
}

static ph_status no_memory(const char *path, char *why, size_t size)
{
    snprintf(why, size, "not enough memory for '%s'", path);
    return PH_E_MEMORY;
}

/* PH_E_INPUT or PH_E_MEMORY, with a sentence in why. */
static ph_status read_rows(ph_csv_data *d, ph_source *f, const char *path, char *why, size_t size)
{
    char *line = NULL;
    size_t room = 0;
    long number = 0, rows_room = 0;
    int next = next_line(f, &line, &room, &number);
    ph_status s = next > 0 ? PH_OK : PH_E_INPUT;
    if (next == 0)
        snprintf(why, size, "'%s' holds no table", path);
    else if (next > 0 && !read_header(d, line))
        s = no_memory(path, why, size);
    while (s == PH_OK && (next = next_line(f, &line, &room, &number)) > 0) {
        if (!make_room(d, &rows_room)) {
            s = no_memory(path, why, size);
        } else if (!read_row(d, line, d->x + d->n_rows++ * d->n_columns)) {
            s = PH_E_INPUT;
            snprintf(why, size,
                     d->n_columns == 1 ? "%s:%ld: a row wants %d number"
                                       : "%s:%ld: a row wants %d numbers with commas between them",
                     path, number, d->n_columns);
        }
    }
    if (next == -1 || next == HAS_NUL) {
        s = PH_E_INPUT;
        snprintf(why, size,
                 next == -1 ? "%s:%ld: the line is too long" : "%s:%ld: a byte of 0 stands in the line", path,
                 number);
    } else if (next < 0) {
        s = no_memory(path, why, size);
    } else if (s == PH_OK && d->n_rows == 0) {
        s = PH_E_INPUT;
        snprintf(why, size, "'%s' holds no rows", path);
    }
    free(line);
    return s;
}

ph_status ph_csv_read_kept(ph_csv_data *d, ph_files *files, const char *path, double limit, char *why,
                           size_t size)
{
    *d = (ph_csv_data){0};
    ph_source f;
    ph_error err = {0};
    ph_status s = ph_source_open(&f, files, path, limit, &err);
    if (s == PH_OK)
        s = read_rows(d, &f, path, why, size);
    else
        snprintf(why, size, "%s", err.text);
    ph_source_close(&f);
    if (s != PH_OK)
        ph_csv_clear(d);
    return s;
}

int ph_csv_read(ph_csv_data *d, const char *path, char *why, size_t size)
{
    return ph_csv_read_kept(d, NULL, path, 0, why, size) == PH_OK;
}

int ph_csv_find(const ph_csv_data *d, const char *name)
{
    for (int c = 0; c < d->n_columns; c++)
        if (!strcmp(d->names[c], name))
            return c;
    return -1;
}

int ph_csv_twice(const ph_csv_data *d, int column)
{
    int n = 0;
    for (int c = 0; c < d->n_columns; c++)
        n += !strcmp(d->names[c], d->names[column]);
    return n > 1;
}

void ph_csv_clear(ph_csv_data *d)
{
    free(d->names), free(d->units);
    free(d->x);
    free(d->header);
    *d = (ph_csv_data){0};
}
