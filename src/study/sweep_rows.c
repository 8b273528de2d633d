/* A parameter study: rows, and the journals that keep them. */
#include "study/sweep_rows.h"
#include "io/number.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows -------------------------------------------------------------------------------------------- */

const char *ph_sweep_status_word(int status)
{
    return status == PH_SWEEP_LOST ? "lost" : ph_status_word((ph_status)status);
}

/* A reason may hold anything, but a record is one line. */
static void make_line(char *text)
{
    for (; *text; text++)
        if (*text == '\n' || *text == '\r')
            *text = ' ';
}

int ph_sweep_row_print(const ph_sweep_row *row, int n_values, char *text, size_t size)
{
    const double own[] = {row->t, row->drift, row->position, row->velocity};
    int n = snprintf(text, size, "%d %ld %ld", row->status, row->steps, row->iterations);
    for (int i = 0; i < 4 + n_values && n >= 0; i++) {
        if ((size_t)n + 1 + PH_NUMBER_MAX > size)
            return 0;
        text[n++] = ' ';
        n += ph_number_write(i < 4 ? own[i] : row->value[i - 4], text + n);
    }
    if (n < 0 || (size_t)n >= size)
        return 0;
    n += snprintf(text + n, size - (size_t)n, " |%s", row->reason);
    if ((size_t)n >= size)
        return 0;
    make_line(text);
    return 1;
}

static int read_number(const char **at, double *x)
{
    char *end;
    *x = strtod(*at, &end);
    if (end == *at)
        return 0;
    if (isnan(*x))
        *x = NAN;
    *at = end;
    return 1;
}

int ph_sweep_row_read(ph_sweep_row *row, int n_values, const char *text)
{
    int n = 0;
    double *own[] = {&row->t, &row->drift, &row->position, &row->velocity};
    if (sscanf(text, "%d %ld %ld%n", &row->status, &row->steps, &row->iterations, &n) != 3 ||
        row->status < PH_SWEEP_LOST || row->status >= PH_STATUS_COUNT)
        return 0;
    text += n;
    for (int i = 0; i < 4 + n_values; i++)
        if (!read_number(&text, i < 4 ? own[i] : &row->value[i - 4]))
            return 0;
    if (strncmp(text, " |", 2) != 0 || strlen(text + 2) >= sizeof row->reason)
        return 0;
    strcpy(row->reason, text + 2);
    return 1;
}

ph_sweep_row *ph_sweep_row_at(const ph_sweep *s, int k)
{
    return (ph_sweep_row *)(void *)(s->rows + (size_t)k * s->row_size);
}

int ph_sweep_count(const ph_sweep *s)
{
    int n = 0;
    for (int k = 0; k < s->n; k++)
        n += s->known[k];
    return n;
}

int ph_sweep_mine(const ph_sweep *s, int k)
{
    return !s->shares || k % s->shares == s->share - 1;
}

/* ---- journals ---------------------------------------------------------------------------------------- */

static int take(int k, const char *text, void *ctx)
{
    ph_sweep *s = ctx;
    if (k >= s->n || !ph_sweep_row_read(ph_sweep_row_at(s, k), s->n_values, text))
        return 0;
    s->known[k] = 1;
    return 1;
}

static char *journal_path(const char *path, int share, int shares)
{
    size_t size = strlen(path) + 48;
    char *text = malloc(size);
    if (text && shares)
        snprintf(text, size, "%s.part.%dof%d", path, share, shares);
    else if (text)
        snprintf(text, size, "%s.part", path);
    return text;
}

typedef ph_status (*share_fn)(const char *path, void *ctx, ph_error *err);

/* f for the journal of each share of the study that writes path. */
static ph_status each_share(const char *path, share_fn f, void *ctx, ph_error *err)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(name), folder = (size_t)(name - path);
    char *at = malloc(folder + 2);
    ph_status status = PH_OK;
    if (!at)
        return PH_OK;
    snprintf(at, folder + 2, "%.*s", folder ? (int)folder : 1, folder ? path : ".");
    DIR *dir = opendir(at);
    for (struct dirent *e; dir && status == PH_OK && (e = readdir(dir));) {
        int share, shares, n = 0;
        if (strncmp(e->d_name, name, length) != 0 ||
            sscanf(e->d_name + length, ".part.%dof%d%n", &share, &shares, &n) != 2 ||
            e->d_name[length + (size_t)n])
            continue;
        char *full = journal_path(path, share, shares);
        if (full)
            status = f(full, ctx, err);
        free(full);
    }
    if (dir)
        closedir(dir);
    free(at);
    return status;
}

static ph_status gather(const char *path, void *ctx, ph_error *err)
{
    const ph_sweep *s = ctx;
    return ph_journal_read(path, s->key, take, ctx, err);
}

static ph_status forget(const char *path, void *ctx, ph_error *err)
{
    (void)ctx;
    return ph_journal_remove(path, err);
}

ph_status ph_sweep_forget(const char *path, int share, int shares, ph_error *err)
{
    char *own = journal_path(path, share, shares);
    ph_status status = own ? ph_journal_remove(own, err) : PH_E_MEMORY;
    free(own);
    return status == PH_OK && !shares ? each_share(path, forget, NULL, err) : status;
}

static ph_status no_memory(ph_error *err, int n)
{
    snprintf(err->text, sizeof err->text, "not enough memory for %d cases", n);
    return err->status = PH_E_MEMORY;
}

static ph_status open_journals(ph_sweep *s, ph_error *err)
{
    char *own = journal_path(s->path, s->share, s->shares);
    ph_status status = own ? ph_journal_open(&s->journal, own, s->key, take, s, err) : no_memory(err, s->n);
    free(own);
    return status == PH_OK && !s->shares ? each_share(s->path, gather, s, err) : status;
}

ph_status ph_sweep_open(ph_sweep *s, int n, int n_values, uint64_t key, const char *path, int share,
                        int shares, ph_error *err)
{
    *s = (ph_sweep){.n = n, .n_values = n_values, .share = share, .shares = shares, .key = key};
    s->journal.fd = -1;
    s->row_size = sizeof(ph_sweep_row) + (size_t)n_values * sizeof(double);
    s->text_size = sizeof(((ph_sweep_row *)0)->reason) + (size_t)(n_values + 8) * (PH_NUMBER_MAX + 1);
    s->rows = calloc((size_t)n, s->row_size);
    s->known = calloc((size_t)n, 1), s->text = malloc(s->text_size);
    s->path = path ? strdup(path) : NULL;
    ph_status status = s->rows && s->known && s->text && (s->path || !path) ? PH_OK : no_memory(err, n);
    if (status == PH_OK && path)
        status = open_journals(s, err);
    if (status != PH_OK)
        ph_sweep_close(s, 0);
    return status;
}

int ph_sweep_add(ph_sweep *s, int k, const ph_sweep_row *row)
{
    memcpy(ph_sweep_row_at(s, k), row, s->row_size);
    make_line(ph_sweep_row_at(s, k)->reason); /* as a journal would give it back */
    if (!ph_sweep_row_print(row, s->n_values, s->text, s->text_size)) {
        errno = ENOMEM;
        return 0;
    }
    s->known[k] = 1;
    return !s->path || ph_journal_add(&s->journal, k, s->text);
}

void ph_sweep_close(ph_sweep *s, int finished)
{
    ph_error err;
    ph_journal_close(&s->journal, finished);
    if (finished && s->path && !s->shares)
        each_share(s->path, forget, NULL, &err);
    free(s->rows), free(s->known), free(s->text), free(s->path);
    *s = (ph_sweep){.journal.fd = -1};
}
