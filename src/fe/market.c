/* Finite elements of files.
 *
 *   %%MatrixMarket matrix coordinate real symmetric
 *   % comments
 *   ROWS COLUMNS ENTRIES
 *   i j x                     from 1; one triangle */
#include "fe/market.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/csv.h"

#define SYMMETRY 1e-9 /* relative: what twelve printed digits leave */

/* A file being read. */
typedef struct reading {
    const char *path;
    ph_source from;
    char *line;
    size_t room;
    long number; /* of the line */
    int array, general;
    int rows, columns, entries;
    ph_status stop; /* why there is no next line; PH_OK: the file ends */
    ph_error *err;
} reading;

static ph_status refuse(const reading *r, const char *sentence)
{
    return ph_fail(r->err, PH_E_INPUT, "%.200s:%ld: %s", r->path, r->number, sentence);
}

static ph_status no_memory(const char *path, ph_error *err)
{
    return ph_fail(err, PH_E_MEMORY, "not enough memory for '%.200s'", path);
}

#define LINE_MAX_BYTES (1 << 20) /* more than 40 000 numbers of an array, or one entry */

/* The next line that is no comment and not empty; 0 at the end, or where it cannot be read: then r->stop tells
 * why. */
static int next_line(reading *r)
{
    long n;
    while ((n = ph_source_line(&r->from, &r->line, &r->room, LINE_MAX_BYTES)) > 0) {
        r->number++;
        if (r->line[0] != '%' && r->line[strspn(r->line, " \t\r\n")])
            return 1;
    }
    r->number += n < 0;
    r->stop = n == -1 ? refuse(r, "the line is too long") : n < 0 ? no_memory(r->path, r->err) : PH_OK;
    return 0;
}

/* ---- head ------------------------------------------------------------------------------------------ */

static ph_status read_banner(reading *r)
{
    char what[64] = "", format[64] = "", field[64] = "", symmetry[64] = "", head[64] = "";
    long n = ph_source_line(&r->from, &r->line, &r->room, LINE_MAX_BYTES);
    if (n == -2)
        return no_memory(r->path, r->err);
    if (n > 0)
        r->number = 1, sscanf(r->line, "%63s %63s %63s %63s %63s", head, what, format, field, symmetry);
    if (strcasecmp(head, "%%MatrixMarket") || strcasecmp(what, "matrix"))
        return refuse(r, "no Matrix Market file: its first line must be '%%MatrixMarket matrix coordinate "
                         "real symmetric'");
    r->array = strcasecmp(format, "array") == 0;
    r->general = strcasecmp(symmetry, "general") == 0;
    if (!r->array && strcasecmp(format, "coordinate"))
        return refuse(r, "the format must be coordinate or array");
    if (strcasecmp(field, "real") && strcasecmp(field, "integer") && strcasecmp(field, "double"))
        return refuse(r, "the entries must be real");
    if (!r->general && strcasecmp(symmetry, "symmetric"))
        return refuse(r, "the matrix must be symmetric or general");
    return PH_OK;
}

static ph_status read_sizes(reading *r)
{
    char rest;
    int ok = next_line(r);
    if (ok && r->array)
        ok = sscanf(r->line, "%9d %9d %c", &r->rows, &r->columns, &rest) == 2;
    else if (ok)
        ok = sscanf(r->line, "%9d %9d %9d %c", &r->rows, &r->columns, &r->entries, &rest) == 3;
    if (r->stop != PH_OK)
        return r->stop;
    if (!ok)
        return refuse(r, r->array ? "ROWS COLUMNS expected" : "ROWS COLUMNS ENTRIES expected");
    if (r->rows < 1 || r->columns < 1 || (!r->array && r->entries < 1))
        return refuse(r, "sizes must be above 0");
    if ((r->array ? (double)r->rows * r->columns : r->entries) >
        (double)r->from.size) /* before memory is taken */
        return refuse(r, "the file is too short for so many entries");
    return PH_OK;
}

static ph_status open_reading(reading *r, ph_files *files, const char *path, ph_error *err)
{
    *r = (reading){.path = path, .err = err};
    ph_status s = ph_source_open(&r->from, files, path, 0, err);
    if (s == PH_OK)
        s = read_banner(r);
    return s == PH_OK ? read_sizes(r) : s;
}

static void close_reading(reading *r)
{
    ph_source_close(&r->from);
    free(r->line);
}

/* ---- entries --------------------------------------------------------------------------------------- */

/* "i j x", i and j from 0 then */
static ph_status read_entry(reading *r, int k, int *i, int *j, double *x)
{
    char *end, *at;
    if (!next_line(r))
        return r->stop != PH_OK ? r->stop
                                : ph_fail(r->err, PH_E_INPUT, "%.200s: ends after %d of %d entries", r->path,
                                          k, r->entries);
    long a = strtol(r->line, &at, 10), b = strtol(at, &end, 10);
    if (end == at || at == r->line)
        return refuse(r, "an entry must be ROW COLUMN VALUE");
    at = end;
    *x = strtod(at, &end);
    if (end == at || end[strspn(end, " \t\r\n")])
        return refuse(r, "an entry must be ROW COLUMN VALUE");
    if (a < 1 || a > r->rows || b < 1 || b > r->columns)
        return ph_fail(r->err, PH_E_INPUT, "%.200s:%ld: entry (%ld, %ld) is outside of a matrix of %d x %d",
                       r->path, r->number, a, b, r->rows, r->columns);
    if (!isfinite(*x))
        return refuse(r, "the value is not finite");
    *i = (int)a - 1, *j = (int)b - 1;
    return PH_OK;
}

static ph_status nothing_follows(reading *r)
{
    return next_line(r) ? refuse(r, "something follows the last entry") : r->stop;
}

/* Some place has two entries: it is in a column of which the matrix has fewer. */
static ph_status refuse_twice(const reading *r, ph_pool *pool, const ph_csc *A, const ph_triplets *t)
{
    int row = -1, column = 0, *n = ph_pool_ints(pool, (size_t)A->columns),
        *seen = ph_pool_ints(pool, (size_t)A->rows);
    if (!n || !seen)
        return no_memory(r->path, r->err);
    for (int k = 0; k < t->n; k++)
        n[t->j[k]]++;
    while (n[column] == A->p[column + 1] - A->p[column])
        column++;
    for (int k = 0; k < t->n && row < 0; k++)
        if (t->j[k] == column && seen[t->i[k]]++)
            row = t->i[k];
    return ph_fail(r->err, PH_E_INPUT, "%.200s: entry (%d, %d) is there twice", r->path, row + 1, column + 1);
}

/* Both triangles are made from one. */
static ph_status read_triplets(reading *r, ph_pool *pool, ph_triplets *t)
{
    int below = 0, above = 0;
    if (r->entries > INT_MAX / 2 || !ph_triplets_open(pool, t, 2 * r->entries))
        return no_memory(r->path, r->err);
    for (int k = 0; k < r->entries; k++) {
        int i, j;
        double x;
        ph_status s = read_entry(r, k, &i, &j, &x);
        if (s != PH_OK)
            return s;
        below |= i > j, above |= i < j;
        ph_triplets_add(t, i, j, x);
        if (!r->general && i != j)
            ph_triplets_add(t, j, i, x);
        if (!r->general && below && above)
            return refuse(r, "a symmetric matrix has entries on one side of its diagonal alone");
    }
    return nothing_follows(r);
}

/* A = (A + A^T)/2, where they differ by round-off alone */
static ph_status make_symmetric(const reading *r, ph_pool *pool, ph_csc *A)
{
    ph_csc B;
    ph_triplets t;
    int n = A->p[A->columns];
    double size = ph_csc_max(A);
    if (!ph_csc_transpose(pool, A, &B) || !ph_triplets_open(pool, &t, 2 * n))
        return no_memory(r->path, r->err);
    for (int j = 0; j < A->columns; j++)
        for (int k = A->p[j], m = B.p[j]; k < A->p[j + 1] || m < B.p[j + 1];) {
            int a = k < A->p[j + 1] ? A->i[k] : INT_MAX, b = m < B.p[j + 1] ? B.i[m] : INT_MAX,
                i = a < b ? a : b;
            double x = a == i ? A->x[k++] : 0, y = b == i ? B.x[m++] : 0;
            if (!(fabs(x - y) <= SYMMETRY * size))
                return ph_fail(r->err, PH_E_INPUT,
                               "%.200s: not symmetric: entry (%d, %d) is %g, entry (%d, %d) is %g", r->path,
                               i + 1, j + 1, x, j + 1, i + 1, y);
            ph_triplets_add(&t, i, j, 0.5 * (x + y));
        }
    return ph_csc_build(pool, A->rows, A->columns, &t, A) ? PH_OK : no_memory(r->path, r->err);
}

static ph_status read_symmetric(reading *r, ph_pool *pool, int rows, ph_csc *out)
{
    ph_triplets t;
    if (r->array)
        return refuse(r, "mass and stiffness must be in coordinate format");
    if (r->rows != r->columns)
        return ph_fail(r->err, PH_E_INPUT, "%.200s:%ld: %d x %d is not square", r->path, r->number, r->rows,
                       r->columns);
    if (rows >= 0 && r->rows != rows)
        return ph_fail(r->err, PH_E_INPUT, "%.200s:%ld: the matrix has %d rows, and %d are expected", r->path,
                       r->number, r->rows, rows);
    ph_status s = read_triplets(r, pool, &t);
    if (s != PH_OK)
        return s;
    if (!ph_csc_build(pool, r->rows, r->columns, &t, out))
        return no_memory(r->path, r->err);
    if (out->p[out->columns] < t.n)
        return refuse_twice(r, pool, out, &t);
    return s == PH_OK && r->general ? make_symmetric(r, pool, out) : s;
}

ph_status ph_market_symmetric(ph_pool *pool, ph_files *files, const char *path, int rows, ph_csc *out,
                              ph_error *err)
{
    reading r;
    ph_status s = open_reading(&r, files, path, err);
    if (s == PH_OK)
        s = read_symmetric(&r, pool, rows, out);
    close_reading(&r);
    return s;
}

/* ---- dense matrices -------------------------------------------------------------------------------- */

static ph_status read_array(reading *r, double *A)
{
    size_t n = (size_t)r->rows * (size_t)r->columns, k = 0;
    while (k < n) {
        if (!next_line(r))
            return r->stop != PH_OK
                       ? r->stop
                       : ph_fail(r->err, PH_E_INPUT, "%.200s: ends after %zu of %zu entries", r->path, k, n);
        for (char *at = r->line, *end;; at = end) {
            double x = strtod(at, &end);
            if (end == at && at[strspn(at, " \t\r\n")])
                return refuse(r, "a number expected");
            if (end == at)
                break;
            if (k == n || !isfinite(x))
                return refuse(r, k == n ? "more numbers than the matrix has" : "the value is not finite");
            A[k++] = x;
        }
    }
    return nothing_follows(r);
}

static ph_status read_dense(reading *r, ph_pool *pool, int rows, int most, double **out)
{
    if (!r->general)
        return refuse(r, "modes must be a general matrix");
    if (r->rows != rows)
        return ph_fail(r->err, PH_E_INPUT, "%.200s:%ld: the matrix has %d rows, and %d are expected", r->path,
                       r->number, r->rows, rows);
    if (!r->array && r->columns > r->entries)
        return refuse(r, "a column is without entries");
    if (r->columns > most) /* before memory is taken: the file need not hold all numbers */
        return ph_fail(r->err, PH_E_INPUT, "%.200s:%ld: the matrix has %d columns; the limit is %d", r->path,
                       r->number, r->columns, most);
    double *A = *out = ph_pool_numbers(pool, (size_t)r->rows * (size_t)r->columns);
    if (!A)
        return no_memory(r->path, r->err);
    if (r->array)
        return read_array(r, A);
    for (int k = 0; k < r->entries; k++) {
        int i, j;
        double x;
        ph_status s = read_entry(r, k, &i, &j, &x);
        if (s != PH_OK)
            return s;
        A[(size_t)j * (size_t)r->rows + (size_t)i] = x;
    }
    return nothing_follows(r);
}

ph_status ph_market_dense(ph_pool *pool, ph_files *files, const char *path, int rows, int most, int *columns,
                          double **out, ph_error *err)
{
    reading r;
    ph_status s = open_reading(&r, files, path, err);
    if (s == PH_OK)
        s = read_dense(&r, pool, rows, most, out);
    *columns = r.columns;
    close_reading(&r);
    return s;
}

/* ---- nodes ----------------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static ph_status refuse_same_id(ph_pool *pool, const char *path, int n, const int *id, ph_error *err)
{
    int *sorted = ph_pool_ints(pool, (size_t)n);
    if (!sorted)
        return no_memory(path, err);
    memcpy(sorted, id, sizeof *id * (size_t)n);
    qsort(sorted, (size_t)n, sizeof *sorted, by_number);
    for (int k = 1; k < n; k++)
        if (sorted[k] == sorted[k - 1])
            return ph_fail(err, PH_E_INPUT, "%.200s: node %d is there twice", path, sorted[k]);
    return PH_OK;
}

static ph_status take_nodes(ph_pool *pool, const ph_csv_data *d, const char *path, int *n, int **id,
                            double **X, ph_error *err)
{
    static const char *const names[4] = {"id", "x", "y", "z"};
    int column[4];
    for (int k = 0; k < 4; k++) {
        column[k] = ph_csv_find(d, names[k]);
        if (column[k] < 0)
            return ph_fail(err, PH_E_INPUT,
                           "%.200s: there is no column '%s'; the first line must be 'id,x,y,z'", path,
                           names[k]);
    }
    if (d->n_rows > INT_MAX / 6)
        return ph_fail(err, PH_E_INPUT, "%.200s: more nodes than can be", path);
    *n = (int)d->n_rows, *id = ph_pool_ints(pool, (size_t)*n), *X = ph_pool_numbers(pool, 3 * (size_t)*n);
    if (!*id || !*X)
        return no_memory(path, err);
    for (int i = 0; i < *n; i++) {
        const double *row = d->x + (size_t)i * (size_t)d->n_columns;
        double number = row[column[0]];
        if (!(number >= 0 && number <= INT_MAX) || number != floor(number))
            return ph_fail(err, PH_E_INPUT, "%.200s: row %d: id %g is not a whole number", path, i + 1,
                           number);
        (*id)[i] = (int)number;
        for (int k = 0; k < 3; k++) {
            (*X)[3 * i + k] = row[column[1 + k]];
            if (!isfinite(row[column[1 + k]]))
                return ph_fail(err, PH_E_INPUT, "%.200s: row %d: %s is not finite", path, i + 1,
                               names[1 + k]);
        }
    }
    return refuse_same_id(pool, path, *n, *id, err);
}

ph_status ph_market_nodes(ph_pool *pool, ph_files *files, const char *path, int *n, int **id, double **X,
                          ph_error *err)
{
    ph_csv_data d;
    char why[400];
    ph_status s = ph_csv_read_kept(&d, files, path, 0, why, sizeof why);
    if (s != PH_OK)
        return ph_fail(err, s, "%s", why);
    s = take_nodes(pool, &d, path, n, id, X, err);
    ph_csv_clear(&d);
    return s;
}

/* ---- the whole ------------------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

ph_status ph_market_fe(ph_fe *out, const ph_allocator *alloc, const ph_fe_spec *spec, ph_error *err)
{
    *out = (ph_fe){.pool = {.alloc = alloc}, .dofs = spec->dofs};
    ph_fe *fe = out;
    ph_status s = ph_market_nodes(&fe->pool, spec->files, spec->nodes, &fe->n_nodes, &fe->id, &fe->X, err);
    if (s == PH_OK)
        s = ph_market_symmetric(&fe->pool, spec->files, spec->mass, ph_fe_size(fe), &fe->M, err);
    if (s == PH_OK)
        s = ph_market_symmetric(&fe->pool, spec->files, spec->stiffness, ph_fe_size(fe), &fe->K, err);
    fe->label[0] = base_name(spec->mass), fe->label[1] = base_name(spec->stiffness);
    if (s != PH_OK)
        ph_fe_free(fe);
    return s;
}
