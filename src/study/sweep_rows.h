/* A parameter study: what is known of each case, and where it is kept until all are there.
 *
 * FILE.part       journal of the study that writes FILE
 * FILE.part.2of4  journal of the second of four shares, which one more run without shares gathers */
#ifndef PH_STUDY_SWEEP_ROWS_H
#define PH_STUDY_SWEEP_ROWS_H

#include "study/journal.h"
#include "study/plan.h"

#define PH_SWEEP_LOST (-1) /* status of a case whose process died */

/* One case. No time of its computation: tables are the same whoever computed them. */
typedef struct ph_sweep_row {
    int status; /* a ph_status, or PH_SWEEP_LOST */
    char reason[256];
    long steps, iterations;
    double t;                  /* reached [s] */
    double drift;              /* of the energy, largest [J]; NAN, as all that follows: not known */
    double position, velocity; /* violation of the constraints, largest */
    double value[];            /* of the sensors, at the end */
} ph_sweep_row;

typedef struct ph_sweep {
    int n, n_values;   /* cases; numbers in value[] */
    int share, shares; /* this process computes cases share-1, share-1+shares, ...; shares = 0: all */
    uint64_t key;
    size_t row_size;
    char *rows;  /* n of row_size */
    char *known; /* n; 1: the row is there */
    char *text;  /* of one record */
    size_t text_size;
    ph_journal journal;
    char *path; /* of the output; NULL: nothing is kept */
} ph_sweep;

/* Take up what journals know; without shares those of all shares too. path NULL: nothing is kept. */
ph_status ph_sweep_open(ph_sweep *s, int n, int n_values, uint64_t key, const char *path, int share,
                        int shares, ph_error *err);

/* Remove the journal that ph_sweep_open would take up; without shares those of all shares too. */
ph_status ph_sweep_forget(const char *path, int share, int shares, ph_error *err);

ph_sweep_row *ph_sweep_row_at(const ph_sweep *s, int k);
int ph_sweep_count(const ph_sweep *s); /* rows that are known */
int ph_sweep_mine(const ph_sweep *s, int k);

/* Store the row of a case and write it to the journal. 0: errno says why it is not there. */
int ph_sweep_add(ph_sweep *s, int k, const ph_sweep_row *row);

/* finished: the output is written, and journals are no longer needed. */
void ph_sweep_close(ph_sweep *s, int finished);

/* A row as one line and back. 0: there is not enough room; this is no row. */
int ph_sweep_row_print(const ph_sweep_row *row, int n_values, char *text, size_t size);
int ph_sweep_row_read(ph_sweep_row *row, int n_values, const char *text);

const char *ph_sweep_status_word(int status); /* "ok", "newton_failed", ..., "lost" */

#endif
