/* polhode sweep: what its files share. */
#ifndef PH_CLI_SWEEP_H
#define PH_CLI_SWEEP_H

#include "cli/job.h"
#include "study/plan.h"
#include "study/plot.h"
#include "study/pool.h"
#include "study/sweep_rows.h"
#include "study/table.h"

typedef struct ph_sweep_study {
    const ph_args *args;
    ph_args merged; /* with what the model's run{} says */
    ph_plan plan;
    const char *option[PH_VARY_MAX]; /* of each quantity: "--h"; NULL: a parameter of the model */
    ph_model *model;                 /* of a file, read once, with no quantity varied: its sensors are the
                                        columns; NULL: a built-in problem */
    int n_sensors;
    int *sensor;       /* of the table: indices in model */
    int n_values;      /* numbers that they give */
    uint64_t base;     /* fingerprint of model and options, without what is varied */
    uint64_t key;      /* of the whole study */
    int rank;          /* of MPI; 0: the first or only one */
    int share, shares; /* shares = 0: all cases */
    ph_sweep rows;
    struct ph_compiled *compiled; /* of all cases; NULL: none */
    int why;                      /* errno, where the journal could not be written */
} ph_sweep_study;

/* sweep_case.c: one run. Callbacks of the pool; ctx is the ph_sweep_study. */
void ph_sweep_case(int k, void *result, void *ctx);
int ph_sweep_open_case(const ph_sweep_study *d, int k, ph_args *args,
                       ph_job *r); /* 0 after one line on stderr; the target is to be closed in any case */
void ph_sweep_lost(int k, const char *why, void *result, void *ctx);
void ph_sweep_clear(const ph_sweep_study *d, ph_sweep_row *row, int status);
void ph_sweep_finish(const ph_sweep_study *d, ph_job *r, int open,
                     ph_sweep_row *row);                         /* its run; closes it */
void ph_sweep_id(const ph_sweep_study *d, int k, char text[32]); /* "000012-9f86d081884c7d65" */

/* sweep_lanes.c: --compiled. Build the model; 0: one line on stderr says that there is none. Cases of a group, which are as many as the
 * model has lanes; bytes of a row. */
int ph_sweep_build(ph_sweep_study *d);
const char *ph_sweep_open_names(const ph_sweep_study *d, const char *open[PH_VARY_MAX],
                                ph_error *err); /* what is varied; NULL, or why it cannot stay open */
void ph_sweep_instead(ph_sweep_study *d,
                      const char *what); /* build it, and say why: this is missing for --gpu */
int ph_sweep_lanes(const ph_sweep_study *d);
size_t ph_sweep_size(const ph_sweep_study *d);
void ph_sweep_group(int g, void *result, void *ctx);
void ph_sweep_lost_group(int g, const char *why, void *result, void *ctx);

/* sweep_device.c: --gpu. Cases that are not skipped, as far as a device can compute them; 0: the study ends, by a signal or because the
 * journal cannot be written. One line on stderr says where there is none, and others are left to the processor. */
int ph_sweep_on_device(ph_sweep_study *d, const char *skip, ph_pool_end *end, ph_error *err);

/* sweep_table.c: all cases in one table. */
ph_table *ph_sweep_table(const ph_sweep_study *d);
int ph_sweep_write(const ph_sweep_study *d, const ph_table *t); /* 0: errno says why */
#define PH_SWEEP_NAME 128
const char *ph_sweep_unit(const ph_sweep_study *d, int quantity); /* NULL: not known */
void ph_sweep_value_name(const ph_sweep_study *d, int at, char name[PH_SWEEP_NAME],
                         char unit[32]); /* of value[at] */

/* sweep_view.c: some of the runs once more, in the page of --view. The exit code. */
int ph_sweep_view(const ph_sweep_study *d);

/* sweep_plot.c: in the file of --plot. */
int ph_sweep_plot(const ph_sweep_study *d, ph_error *err);

/* What all cases have in common, but for what is varied. */
#define PH_SWEEP_LINE 512
void ph_sweep_settings(const ph_sweep_study *d, char line[PH_SWEEP_LINE]);

#endif
