/* Tables that grow row by row, whole on the disk or not at all; the ending of the file's name chooses the
 * format.
 *
 *   open, then notes and channels, then begin; put and end_row for each row; notes; commit or discard
 *
 * An error stays: what follows does nothing, and commit fails. Only a block of rows is kept in memory. */
#ifndef PH_IO_RECORD_H
#define PH_IO_RECORD_H

#include "io/file.h"

/* One quantity: n numbers of each row. */
typedef struct ph_channel {
    const char *group;       /* "bodies", "joints", "sensors"; NULL: it stands by itself */
    const char *of;          /* name of the body or joint; NULL: the quantity is all there is */
    const char *name;        /* "position" */
    const char *unit;        /* "m"; "N, N m": of the first half and of the second */
    const char *const *axes; /* names of the components; NULL: prefix and number */
    const char *prefix;      /* of the number; NULL: it is one number and needs none */
    int n;
    const char *by; /* it is a derivative by this parameter; NULL: it is none */
    int error;      /* it is the error of the quantity */
} ph_channel;

#define PH_COLUMN_MAX 32

/* Component k: its name, "x", "lambda2", "" where it needs none; its unit. Return text. */
const char *ph_channel_axis(const ph_channel *c, int k, char text[PH_COLUMN_MAX]);
const char *ph_channel_unit(const ph_channel *c, int k, char text[PH_COLUMN_MAX]);

typedef struct ph_record ph_record;

/* One format: a file, and a row in formats.def. Each function returns 0 on failure, errno says why.
 * open, close and discard may be NULL. */
typedef struct ph_format {
    int seeks;                    /* 1: needs a regular file, no pipe or device */
    long block;                   /* bytes of rows that it takes at once; 0: each row when it is whole */
    const char *(*missing)(void); /* loads what it needs; else says what is missing. NULL: nothing ever is */
    int (*open)(ph_record *t);    /* the file is open */
    int (*text)(ph_record *t, const char *name, const char *text);
    int (*number)(ph_record *t, const char *name, double x);
    int (*parameter)(ph_record *t, const char *name, double x);
    int (*channel)(ph_record *t, const ph_channel *c); /* its numbers start at t->width of a row */
    int (*begin)(ph_record *t);                        /* t->block is known */
    int (*write)(ph_record *t, const double *rows, long n, int last); /* the next n, each of t->width numbers;
                                                                       * last: no more will come, n may be 0 */
    int (*close)(ph_record *t);    /* all of it to the file; frees t->own */
    void (*discard)(ph_record *t); /* frees t->own of a file that nobody wants */
} ph_format;

struct ph_record {
    const ph_format *op; /* NULL: not open */
    ph_file file;
    int (*wants)(void *ctx, const ph_channel *c); /* whether a channel is written; NULL: each is */
    void *wants_ctx;
    unsigned char *skip; /* of each number that is put: 1 if it is not written; NULL: all are */
    int declared, room;  /* numbers that are put in a row; of skip */
    int width;           /* numbers of a row of the file */
    long rows;           /* complete ones */
    long block, n;       /* rows that are written at once; those that wait in buffer */
    double *buffer;
    int at;     /* in the row at work, in the file */
    int put;    /* numbers of it that were put */
    int failed; /* and why: errno, 0 where that says nothing */
    int why;
    void *own; /* of the format */
};

/* 1: its ending is that of a format, or it is standard output, a pipe or a device, which take the first. */
int ph_record_knows(const char *path);

/* NULL: the format that path asks for can be written. Else what is missing, as half a sentence. */
const char *ph_record_missing(const char *path);

int ph_record_open(ph_record *t, const char *path); /* 0: failed, errno says why; nothing is left behind */

void ph_record_text(ph_record *t, const char *name, const char *text);
void ph_record_number(ph_record *t, const char *name, double x);
void ph_record_parameter(ph_record *t, const char *name, double x); /* of the model */
void ph_record_choose(ph_record *t, int (*wants)(void *ctx, const ph_channel *c),
                      void *ctx); /* before the channels */
void ph_record_channel(ph_record *t, const ph_channel *c);
void ph_record_begin(ph_record *t, long rows); /* rows: how many are planned */
void ph_record_put(ph_record *t, int n, const double *x);
void ph_record_end_row(ph_record *t);

int ph_record_commit(ph_record *t);   /* 0: failed, errno says why; the file is then not there */
void ph_record_discard(ph_record *t); /* no trace; accepts a table that is not open */

/* Row k of the table of formats; NULL past the end. */
const char *ph_format_ending(int k);
const char *ph_format_text(int k);

extern const ph_format ph_format_csv, ph_format_hdf5;

#endif
