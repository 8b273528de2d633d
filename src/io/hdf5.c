/* Tables as HDF5: a dataset GROUP/OF/NAME for each channel, rows along its first dimension, with the
 * attributes units and components; notes are attributes of the root, parameters those of the group
 * "parameters". Groups keep the order of creation; those on the way to a dataset take this from the root.
 *
 * The library does not survive the closing of a file that it could not write: it crashes. So after the first
 * failure nothing is called any more, and what it holds goes with the process, at the end of which it does not
 * clean up either (base/hdf5_calls.c). Closing what could not be opened, however, is an error without consequence.
 *
 * No times are kept: two runs write the same bytes.
 *
 * A model has thousands of datasets, and each call of the library takes microseconds: a group stays open for all
 * datasets in it, and those that are whole have their place from the library and their numbers from here, many at once,
 * as the machine has them. */
#include "io/record.h"

#include "base/hdf5_calls.h"
#include "io/retry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef PH_HDF5_FILE

#define BLOCK                                                                                                \
    (64L << 20) /* bytes of rows: most tables are one, and then each dataset is a piece of the file */
#define PIECE   (1L << 20) /* bytes of numbers that are written at once */
#define MEMBERS (1L << 14) /* bytes of descriptions that stand together, the last few of them mostly empty */
#define CACHE   (1L << 19) /* bytes of descriptions in memory: nobody comes back to one */

#define CHUNKS 8  /* of a block, in longer tables: the last one may have empty chunks */
#define CHUNK  64 /* rows, at least, unless a block has less */

typedef struct dataset {
    char *group, *unit;
    const char *name;            /* in the group; stands behind it */
    char (*axis)[PH_COLUMN_MAX]; /* names of the components; NULL: it is one number */
    int n, at;                   /* numbers; where they start in a row */
} dataset;

typedef struct hdf5 {
    hid_t file;
    hid_t string; /* type: UTF-8 of any length */
    hid_t order;  /* how groups are made: they keep the order of their members */
    hid_t how;    /* how datasets are made */
    hid_t one;    /* space of an attribute that is no list */
    hid_t groups; /* how links are made: with the groups on the way */
    hid_t access; /* of datasets: chunks are written whole, so that none need be kept */
    hid_t group;  /* the open one; of: its name, NULL: none is */
    const char *of;
    long rows;   /* in the file */
    char *piece; /* numbers that wait for their place in the file; room for a block of the widest dataset */
    size_t room, filled; /* bytes */
    haddr_t place;
    int n;
    dataset *set;
} hdf5;

static void release(ph_record *t)
{
    hdf5 *h = t->own;
    for (int i = 0; i < h->n; i++) {
        free(h->set[i].group);
        free(h->set[i].unit);
        free(h->set[i].axis);
    }
    free(h->set);
    free(h->piece);
    free(h);
    t->own = NULL;
}

/* ---- the file ------------------------------------------------------------------------------------------ */

/* How the file is accessed: by few calls of the system. */
static hid_t access_of_file(void)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5AC_cache_config_t cache = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
    H5Pset_meta_block_size(access, MEMBERS);
    H5Pget_mdc_config(access, &cache);
    cache.set_initial_size = 1, cache.initial_size = cache.min_size = cache.max_size = CACHE;
    cache.incr_mode = H5C_incr__off, cache.flash_incr_mode = H5C_flash_incr__off;
    cache.decr_mode = H5C_decr__off;
    H5Pset_mdc_config(access, &cache);
    return access;
}

static int open_hdf5(ph_record *t)
{
    hdf5 *h = calloc(1, sizeof *h);
    if (!h)
        return 0;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t root = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_link_creation_order(root, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    H5Pset_obj_track_times(root, 0);
    h->order = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_link_creation_order(h->order, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    H5Pset_obj_track_times(h->order, 0);
    h->string = H5Tcopy(H5T_C_S1);
    H5Tset_size(h->string, H5T_VARIABLE);
    H5Tset_cset(h->string, H5T_CSET_UTF8);
    h->groups = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(h->groups, 1);
    h->how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(h->how, 0);
    h->one = H5Screate(H5S_SCALAR);
    h->access = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk_cache(h->access, 1, 0, 1);
    hid_t access = access_of_file();
    errno = 0;
    h->file = H5Fcreate(t->file.temp, H5F_ACC_TRUNC, root, access);
    int why = errno;
    H5Pclose(root);
    H5Pclose(access);
    t->own = h;
    if (h->file < 0)
        release(t);
    errno = why;
    return t->own != NULL;
}

static int close_hdf5(ph_record *t)
{
    hdf5 *h = t->own;
    if (H5Fflush(h->file, H5F_SCOPE_GLOBAL) < 0) /* what may fail: closing has nothing left to write */
        return 0;
    H5Tclose(h->string);
    H5Pclose(h->order);
    H5Pclose(h->how);
    H5Sclose(h->one);
    H5Pclose(h->groups);
    H5Pclose(h->access);
    int ok = H5Fclose(h->file) >= 0;
    release(t);
    ok &= H5close() >= 0;
    return ok;
}

static void discard(ph_record *t)
{
    if (t->own && !t->failed)
        close_hdf5(t);
    if (t->own)
        release(t);
}

/* ---- attributes ---------------------------------------------------------------------------------------- */

/* n == 0: one value and no list of one. */
static int attribute(const hdf5 *h, hid_t of, const char *name, hid_t type, int n, const void *value)
{
    hsize_t size = (hsize_t)n;
    hid_t space = n ? H5Screate_simple(1, &size, NULL) : h->one;
    hid_t a = H5Acreate2(of, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    int ok = H5Awrite(a, type, value) >= 0;
    ok &= H5Aclose(a) >= 0;
    if (n)
        H5Sclose(space);
    return ok;
}

static int text(ph_record *t, const char *name, const char *text)
{
    const hdf5 *h = t->own;
    return attribute(h, h->file, name, h->string, 0, &text);
}

static int number(ph_record *t, const char *name, double x)
{
    const hdf5 *h = t->own;
    return attribute(h, h->file, name, H5T_NATIVE_DOUBLE, 0, &x);
}

static int parameter(ph_record *t, const char *name, double x)
{
    static const char group[] = "parameters";
    const hdf5 *h = t->own;
    hid_t of = H5Lexists(h->file, group, H5P_DEFAULT) > 0
                   ? H5Gopen2(h->file, group, H5P_DEFAULT)
                   : H5Gcreate2(h->file, group, H5P_DEFAULT, h->order, H5P_DEFAULT);
    int ok = attribute(h, of, name, H5T_NATIVE_DOUBLE, 0, &x);
    ok &= H5Gclose(of) >= 0;
    return ok;
}

/* ---- datasets ------------------------------------------------------------------------------------------ */

/* "/bodies/top" and, behind its end, "position", which is *name; "" is the root. */
static char *group_of(const ph_channel *c, const char **name)
{
    static const char derivatives[] = "/sensitivities/", errors[] = "/error";
    const char *group = c->group ? c->group : "", *of = c->of ? c->of : "", *by = c->by ? c->by : "";
    size_t size = sizeof derivatives + strlen(by) + strlen(group) + strlen(of) + strlen(c->name) + 4;
    char *path = malloc(size);
    if (!path)
        return NULL;
    snprintf(path, size, "%s%s/%s%s%s%s%s",
             *by        ? derivatives
             : c->error ? errors
                        : "",
             by, group, *group ? "/" : "", of, *of ? "/" : "", c->name);
    char *slash = strrchr(path, '/');
    *slash = 0, *name = slash + 1;
    return path;
}

/* Kept until begin: only then it is known how many rows make a chunk. */
static int channel(ph_record *t, const ph_channel *c)
{
    hdf5 *h = t->own;
    int listed = c->axes || c->prefix;
    if ((h->n & (h->n - 1)) == 0) { /* full: its size is a power of two */
        dataset *more = realloc(h->set, (h->n ? 2 * (size_t)h->n : 1) * sizeof *more);
        if (!more)
            return 0;
        h->set = more;
    }
    dataset d = {.unit = strdup(c->unit), .n = c->n, .at = t->width};
    d.group = group_of(c, &d.name);
    d.axis = listed ? malloc((size_t)c->n * sizeof *d.axis) : NULL;
    h->set[h->n++] = d;
    for (int k = 0; d.axis && k < c->n; k++)
        ph_channel_axis(c, k, d.axis[k]);
    return d.group && d.unit && (!listed || d.axis);
}

static int describe(const hdf5 *h, hid_t to, const dataset *d)
{
    if (!attribute(h, to, "units", h->string, 0, &d->unit))
        return 0;
    if (!d->axis)
        return 1;
    const char **names = malloc((size_t)d->n * sizeof *names);
    for (int k = 0; names && k < d->n; k++)
        names[k] = d->axis[k];
    int ok = names && attribute(h, to, "components", h->string, d->n, names);
    free(names);
    return ok;
}

static int leave(hdf5 *h)
{
    int ok = !h->of || H5Gclose(h->group) >= 0;
    h->of = NULL;
    return ok;
}

/* Open the group of a dataset, unless it is open. In the first block most are new; one that cannot be made is there, as the
 * root is. */
static int enter(hdf5 *h, const dataset *d)
{
    const char *path = d->group[0] ? d->group : "/";
    if (h->of && !strcmp(h->of, d->group))
        return 1;
    if (!leave(h))
        return 0;
    h->group = h->rows ? -1 : H5Gcreate2(h->file, path, h->groups, h->order, H5P_DEFAULT);
    if (h->group < 0)
        h->group = H5Gopen2(h->file, path, H5P_DEFAULT);
    h->of = h->group < 0 ? NULL : d->group;
    return h->of != NULL;
}

/* For n rows now; last: and no more. Otherwise rows come in chunks. */
static hid_t create(const ph_record *t, const dataset *d, long n, int last)
{
    const hdf5 *h = t->own;
    int rank = d->axis ? 2 : 1;
    long rows = t->block / CHUNKS > CHUNK ? t->block / CHUNKS : CHUNK;
    hsize_t size[] = {(hsize_t)n, (hsize_t)d->n}, most[] = {H5S_UNLIMITED, (hsize_t)d->n},
            chunk[] = {(hsize_t)(rows < t->block ? rows : t->block), (hsize_t)d->n};
    hid_t space = H5Screate_simple(rank, size, last ? NULL : most);
    if (!last)
        H5Pset_chunk(h->how, rank, chunk);
    hid_t to = H5Dcreate2(h->group, d->name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, h->how,
                          last ? H5P_DEFAULT : h->access); /* of which each dataset keeps a copy */
    H5Sclose(space);
    return describe(h, to, d) ? to : -1;
}

static int begin(ph_record *t)
{
    hdf5 *h = t->own;
    int widest = 1;
    for (int i = 0; i < h->n; i++)
        widest = h->set[i].n > widest ? h->set[i].n : widest;
    h->room = (size_t)t->block * (size_t)widest * sizeof(double);
    if (h->room < PIECE)
        h->room = PIECE;
    h->piece = malloc(h->room);
    return h->piece != NULL;
}

/* The numbers of one dataset stand in rows of all; the file has them in one piece. */
static void gather(void *part, const dataset *d, int width, const double *rows, long n)
{
    double *to = part;
    for (const double *x = rows + d->at; n > 0; n--, x += width, to += d->n)
        for (int k = 0; k < d->n; k++)
            to[k] = x[k];
}

static int write_piece(ph_record *t)
{
    hdf5 *h = t->own;
    int fd = fileno(t->file.stream);
    size_t size = h->filled;
    h->filled = 0;
    return size == 0 || (lseek(fd, (off_t)h->place, SEEK_SET) >= 0 && ph_retry_write(fd, h->piece, size));
}

/* Numbers of datasets that have all their rows wait for those of others, whose place is mostly behind theirs. */
static int write_whole(ph_record *t, hid_t to, const dataset *d, const double *rows, long n)
{
    hdf5 *h = t->own;
    size_t size = (size_t)n * (size_t)d->n * sizeof(double);
    haddr_t place = H5Dget_offset(to);
    if ((place != h->place + h->filled || h->filled + size > h->room) && !write_piece(t))
        return 0;
    if (h->filled == 0)
        h->place = place;
    gather(h->piece + h->filled, d, t->width, rows, n);
    h->filled += size;
    return place != HADDR_UNDEF;
}

/* Behind the rows that are there. */
static int append(ph_record *t, hid_t to, const dataset *d, const double *rows, long n)
{
    const hdf5 *h = t->own;
    hsize_t all[] = {(hsize_t)(h->rows + n), (hsize_t)d->n}, from[] = {(hsize_t)h->rows, 0};
    hsize_t part[] = {(hsize_t)n, (hsize_t)d->n};
    if (h->rows && H5Dset_extent(to, all) < 0)
        return 0;
    gather(h->piece, d, t->width, rows, n);
    hid_t there = H5Dget_space(to), here = H5Screate_simple(d->axis ? 2 : 1, part, NULL);
    H5Sselect_hyperslab(there, H5S_SELECT_SET, from, NULL, part, NULL);
    int ok = H5Dwrite(to, H5T_NATIVE_DOUBLE, here, there, H5P_DEFAULT, h->piece) >= 0;
    H5Sclose(there);
    H5Sclose(here);
    return ok;
}

/* Datasets are opened for each block: an open one holds tens of kilobytes, and a model may have many. */
static int write_rows(ph_record *t, const double *rows, long n, int last)
{
    hdf5 *h = t->own;
    int whole = last && h->rows == 0;
    if (whole) /* so that they have a place when they are made, and nothing is written there before */
        H5Pset_alloc_time(h->how, H5D_ALLOC_TIME_EARLY), H5Pset_fill_time(h->how, H5D_FILL_TIME_NEVER);
    for (int i = 0; i < h->n; i++) {
        const dataset *d = &h->set[i];
        if (!enter(h, d))
            return 0;
        hid_t to = h->rows ? H5Dopen2(h->group, d->name, h->access) : create(t, d, n, last);
        if (to < 0)
            return 0;
        int ok = n == 0 || (whole ? write_whole : append)(t, to, d, rows, n);
        ok &= H5Dclose(to) >= 0;
        if (!ok)
            return 0;
    }
    h->rows += n;
    return leave(h) && write_piece(t);
}

const ph_format ph_format_hdf5 = {.seeks = 1,
                                  .block = BLOCK,
                                  .missing = ph_hdf5_missing,
                                  .open = open_hdf5,
                                  .text = text,
                                  .number = number,
                                  .parameter = parameter,
                                  .channel = channel,
                                  .begin = begin,
                                  .write = write_rows,
                                  .close = close_hdf5,
                                  .discard = discard};

#else

const ph_format ph_format_hdf5 = {.missing = ph_hdf5_missing};

#endif
