/* Tables as text: lines of comment, one row of names with units, rows of numbers. */
#include "io/number.h"
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

/* A number and what stands behind it. */
static void put(ph_record *t, double x, char behind)
{
    char text[PH_NUMBER_MAX + 1];
    int n = ph_number_write(x, text);
    text[n] = behind;
    fwrite(text, 1, (size_t)n + 1, t->file.stream);
}

static int end_with(ph_record *t, double x)
{
    put(t, x, '\n');
    return fine(t);
}

static int number(ph_record *t, const char *name, double x)
{
    fprintf(t->file.stream, "# %s = ", name);
    return end_with(t, x);
}

/* As --set takes it. */
static int parameter(ph_record *t, const char *name, double x)
{
    fprintf(t->file.stream, "# set %s=", name);
    return end_with(t, x);
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
    fputc('\n', t->file.stream);
    return fine(t);
}

static int write_rows(ph_record *t, const double *rows, long n, int last)
{
    (void)last;
    for (long i = 0; i < n; i++, rows += t->width)
        for (int k = 0; k < t->width; k++)
            put(t, rows[k], k == t->width - 1 ? '\n' : ',');
    return fine(t);
}

const ph_format ph_format_csv = {.text = text,
                                 .number = number,
                                 .parameter = parameter,
                                 .channel = channel,
                                 .begin = begin,
                                 .write = write_rows};
