/* Tables of numbers: lines of comment, one header row with names and units, rows. */
#ifndef PH_IO_CSV_H
#define PH_IO_CSV_H

#include <stdio.h>

#include "base/files.h"
#include "polhode/base.h"

typedef struct ph_csv {
    FILE *to;
    int column; /* of the row at work */
    long rows;  /* complete ones, without the header */
} ph_csv;

void ph_csv_comment(ph_csv *csv, const char *text);
void ph_csv_name(ph_csv *csv, const char *of, const char *name,
                 const char *unit); /* "of.name [unit]"; of and unit may be NULL */
void ph_csv_word(ph_csv *csv,
                 const char *word); /* in quotes where it holds a comma, a quote or an end of line */
void ph_csv_number(ph_csv *csv, double x);
void ph_csv_end_header(ph_csv *csv);
void ph_csv_end_row(ph_csv *csv);

/* A table that was read: all of its rows are numbers. */
typedef struct ph_csv_data {
    int n_columns;
    long n_rows;
    char **names; /* without units */
    char **units; /* "m"; "" if there is none */
    double *x;    /* row by row */
    char *header; /* holds the names and units */
} ph_csv_data;

/* For the library, whose models read data: lines that begin with # and empty ones are skipped. 0 with a sentence
 * in why; nothing is left behind. */
PH_API int ph_csv_read(ph_csv_data *d, const char *path, char *why, size_t size);
/* The same of at most limit bytes, which files keep; both may be 0. */
ph_status ph_csv_read_kept(ph_csv_data *d, ph_files *files, const char *path, double limit, char *why,
                           size_t size);
PH_API int ph_csv_find(const ph_csv_data *d, const char *name); /* column; -1: not there */
/* Whether another column has the name of this one, without units: which of them is meant is not known. */
PH_API int ph_csv_twice(const ph_csv_data *d, int column);
PH_API void ph_csv_clear(ph_csv_data *d);

#endif
