/* What a study hands over: its table on stdout or as JSON, as CSV, and a picture. */
#ifndef PH_CLI_DELIVER_H
#define PH_CLI_DELIVER_H

#include "cli/target.h"
#include "study/plot.h"
#include "study/table.h"

#define PH_LINES_MAX 256

typedef struct ph_delivery {
    char title[256];                           /* what was studied */
    char settings[320];                        /* and how */
    const ph_target *target;                   /* whose parameters are settings too; NULL: none */
    ph_table *table;                           /* owned */
    int n_lines;                               /* what the rows come to, below the table */
    char line[PH_LINES_MAX][200];              /* */
    const char *summary_name;                  /* of the same in JSON; NULL: none */
    ph_table *summary;                         /* owned */
    void (*more)(ph_json *j, const void *ctx); /* adds to JSON what is no table; NULL: nothing */
    const void *ctx;
} ph_delivery;

/* 0 after one line on stderr: a file cannot be written, or nothing draws. Call it before the study runs. */
int ph_delivery_ready(const ph_args *args);

void ph_delivery_line(ph_delivery *d, const char *format, ...) PH_PRINTF(2, 3); /* one more */

/* Print, write and draw what args ask for; plot is read only with --plot. The exit code. */
int ph_deliver(const ph_delivery *d, const ph_args *args, const ph_plot *plot);
void ph_delivery_end(ph_delivery *d);

/* A method and its own numbers: "genalpha, sigma 1, rho 0.9, index3". */
void ph_method_describe(const ph_options *o, int with_formulation, char *text, size_t size);
const char *ph_sigma_word(double sigma, char text[32]); /* "opt", or the number; returns text */

int ph_status_exit(ph_status s); /* exit code of a study that failed */

#endif
