/* Trajectories as text: the names of a record, and its numbers by csv.h. */
#include "io/csv.h"
#include "io/record.h"

static int fine(ph_record *t)
{
    return !ferror(t->file.stream);
}

static int text(ph_record *t, const char *name, const char *text)
{
    fprintf(t->file.stream, "# %s %s\n", name, text);
    return fine(t);
}

/* The n numbers of a row. */
static void put_row(ph_record *t, const double *x, int n)
{
    ph_csv csv = {.to = t->file.stream};
    for (int k = 0; k < n; k++)
        ph_csv_number(&csv, x[k]);
    ph_csv_end_row(&csv);
}

static int number(ph_record *t, const char *name, double x)
{
    fprintf(t->file.stream, "# %s = ", name);
    put_row(t, &x, 1);
    return fine(t);
}

/* As --set takes it. */
static int parameter(ph_record *t, const char *name, double x)
{
    fprintf(t->file.stream, "# set %s=", name);
    put_row(t, &x, 1);
    return fine(t);
}

/* "top.x [m]", "tip.1 [m]", "energy [J]"; "d(top.x)/d(m) [m/1]", since nobody knows the unit of m; "top.x.error [m]" */
static int channel(ph_record *t, const ph_channel *c)
{
    char axis[PH_COLUMN_MAX], unit[PH_COLUMN_MAX];
    for (int k = 0; k < c->n; k++) {
        ph_channel_axis(c, k, axis);
        fprintf(t->file.stream, "%s%s%s%s%s", t->width + k ? "," : "", c->by ? "d(" : "",
                c->of ? c->of : c->name, axis[0] ? "." : "", axis);
        if (c->by)
            fprintf(t->file.stream, ")/d(%s) [%s/1]", c->by, ph_channel_unit(c, k, unit));
        else
            fprintf(t->file.stream, "%s [%s]", c->error ? ".error" : "", ph_channel_unit(c, k, unit));
    }
    return fine(t);
}

static int begin(ph_record *t)
{
    put_row(t, NULL, 0);
    return fine(t);
}

static int write_rows(ph_record *t, const double *rows, long n, int last)
{
    (void)last;
    for (long i = 0; i < n; i++)
        put_row(t, rows + i * t->width, t->width);
    return fine(t);
}

const ph_format ph_format_csv = {.text = text,
                                 .number = number,
                                 .parameter = parameter,
                                 .channel = channel,
                                 .begin = begin,
                                 .write = write_rows};
