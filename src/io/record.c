/* Tables that grow row by row: what all formats share. */
#include "io/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct row {
    const char *ending;
    const ph_format *op;
    const char *text;
} formats[] = {
#define PH_FORMAT(ending, op, text) {ending, op, text},
#include "io/formats.def"
#undef PH_FORMAT
};

#define N_FORMATS ((int)(sizeof formats / sizeof *formats))

const char *ph_format_ending(int k)
{
    return k < N_FORMATS ? formats[k].ending : NULL;
}

const char *ph_format_text(int k)
{
    const char *missing = formats[k].op->missing ? formats[k].op->missing() : NULL;
    return missing ? missing : formats[k].text;
}

static const struct row *format_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (int k = 0; dot && k < N_FORMATS; k++)
        if (strcmp(dot, formats[k].ending) == 0)
            return &formats[k];
    struct stat st;
    return !strcmp(path, PH_STDOUT) || (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) ? formats : NULL;
}

int ph_record_knows(const char *path)
{
    return format_of(path) != NULL;
}

const char *ph_record_missing(const char *path)
{
    const struct row *f = format_of(path);
    return f && f->op->missing ? f->op->missing() : NULL;
}

/* ---- channels ------------------------------------------------------------------------------------------ */

const char *ph_channel_axis(const ph_channel *c, int k, char text[PH_COLUMN_MAX])
{
    text[0] = 0;
    if (c->axes)
        snprintf(text, PH_COLUMN_MAX, "%s", c->axes[k]);
    else if (c->prefix)
        snprintf(text, PH_COLUMN_MAX, "%s%d", c->prefix, k + 1);
    return text;
}

const char *ph_channel_unit(const ph_channel *c, int k, char text[PH_COLUMN_MAX])
{
    const char *comma = strchr(c->unit, ',');
    if (comma && 2 * k >= c->n)
        snprintf(text, PH_COLUMN_MAX, "%s", comma + 2);
    else
        snprintf(text, PH_COLUMN_MAX, "%.*s", comma ? (int)(comma - c->unit) : (int)strlen(c->unit), c->unit);
    return text;
}

/* ---- tables -------------------------------------------------------------------------------------------- */

static void forget(ph_record *t)
{
    free(t->buffer), free(t->skip);
    *t = (ph_record){.rows = t->rows, .failed = t->failed, .why = t->why};
}

int ph_record_open(ph_record *t, const char *path)
{
    const struct row *f = format_of(path);
    *t = (ph_record){.op = f && !ph_record_missing(path) ? f->op : NULL};
    errno = EINVAL;
    if (!t->op)
        return 0;
    if (!ph_file_open(&t->file, path)) {
        t->op = NULL;
        return 0;
    }
    errno = ESPIPE;
    if ((!t->op->seeks || t->file.temp) && (!t->op->open || t->op->open(t)))
        return 1;
    int why = errno;
    ph_file_discard(&t->file);
    forget(t);
    errno = why;
    return 0;
}

/* errno = 0 goes before the call whose result this takes: formats may fail without setting it. */
static void check(ph_record *t, int ok)
{
    if (!ok)
        t->failed = 1, t->why = errno;
}

void ph_record_text(ph_record *t, const char *name, const char *text)
{
    errno = 0;
    if (!t->failed)
        check(t, t->op->text(t, name, text));
}

void ph_record_number(ph_record *t, const char *name, double x)
{
    errno = 0;
    if (!t->failed)
        check(t, t->op->number(t, name, x));
}

void ph_record_parameter(ph_record *t, const char *name, double x)
{
    errno = 0;
    if (!t->failed)
        check(t, t->op->parameter(t, name, x));
}

void ph_record_choose(ph_record *t, int (*wants)(void *ctx, const ph_channel *c), void *ctx)
{
    t->wants = wants, t->wants_ctx = ctx;
}

/* Note whether the next n numbers are written. */
static void note(ph_record *t, int n, int skip)
{
    if (t->declared + n > t->room) {
        int room = 2 * t->room + n;
        unsigned char *more = realloc(t->skip, (size_t)room);
        check(t, more != NULL);
        if (!more)
            return;
        t->skip = more, t->room = room;
    }
    memset(t->skip + t->declared, skip, (size_t)n);
    t->declared += n;
}

void ph_record_channel(ph_record *t, const ph_channel *c)
{
    int wanted = !t->wants || t->wants(t->wants_ctx, c);
    errno = 0;
    if (t->wants)
        note(t, c->n, !wanted);
    if (!wanted)
        return;
    if (!t->failed)
        check(t, t->op->channel(t, c));
    t->width += c->n;
}

#define BLOCK_ROWS_MIN 16 /* of large models: then memory grows with the model, and never with the run */

void ph_record_begin(ph_record *t, long rows)
{
    size_t row = (size_t)t->width * sizeof(double);
    if (t->op->block) {
        t->block = t->op->block / (long)row;
        if (t->block < BLOCK_ROWS_MIN)
            t->block = BLOCK_ROWS_MIN;
        if (t->block > rows)
            t->block = rows;
    }
    if (t->block < 1)
        t->block = 1;
    errno = 0;
    t->buffer = malloc((size_t)t->block * row);
    check(t, t->buffer != NULL);
    if (!t->failed)
        check(t, t->op->begin(t));
}

static void write_block(ph_record *t, int last)
{
    errno = 0;
    if (!t->failed)
        check(t, t->op->write(t, t->buffer, t->n, last));
    t->n = 0;
}

/* A full block waits for the next row: only then it is known that it was not the last. */
void ph_record_put(ph_record *t, int n, const double *x)
{
    if (t->n == t->block)
        write_block(t, 0);
    if (t->failed)
        return;
    double *row = t->buffer + t->n * t->width;
    if (!t->skip) {
        memcpy(row + t->at, x, (size_t)n * sizeof *x);
        t->at += n;
        return;
    }
    for (int k = 0; k < n; k++)
        if (!t->skip[t->put + k])
            row[t->at++] = x[k];
    t->put += n;
}

void ph_record_end_row(ph_record *t)
{
    t->at = t->put = 0, t->rows++;
    if (++t->n == t->block && !t->op->block)
        write_block(t, 0);
}

int ph_record_commit(ph_record *t)
{
    write_block(t, 1);
    errno = 0;
    if (!t->failed && t->op->close)
        check(t, t->op->close(t));
    if (t->failed) {
        ph_record_discard(t);
        errno = t->why;
        return 0;
    }
    int ok = ph_file_commit(&t->file), why = errno;
    forget(t);
    errno = why;
    return ok;
}

void ph_record_discard(ph_record *t)
{
    if (!t->op)
        return;
    if (t->op->discard)
        t->op->discard(t);
    ph_file_discard(&t->file);
    forget(t);
}
