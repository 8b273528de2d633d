/* Pages of several runs: one is shown, the others are its ghosts. */
#ifndef PH_CLI_OVERLAY_H
#define PH_CLI_OVERLAY_H

#include "cli/job.h"
#include "view/view.h"

#define PH_OVERLAY_MAX 8 /* more cannot be told apart */

typedef struct ph_overlay {
    int runs; /* that there will be */
    int n;    /* that there are */
    ph_view *view[PH_OVERLAY_MAX];
    char label[PH_OVERLAY_MAX][96];
    char reason[PH_OVERLAY_MAX][256]; /* why it ended early; "": it did not */
} ph_overlay;

/* How many of n cases a page shows, and the k-th of these: the first, the last and some between. */
int ph_overlay_runs(int n);
int ph_overlay_case(int k, int n);

/* The frames of one more run, at its start; the caller adds them to it. NULL: r->err says why. */
ph_view *ph_overlay_add(ph_overlay *o, ph_run *run, const char *label, ph_error *err);
void ph_overlay_failed(ph_overlay *o, const char *reason); /* of the last one */

/* The page; the last run is the one that is shown, and must be open. The exit code. */
int ph_overlay_write(const ph_overlay *o, const ph_args *args, const char *settings);
void ph_overlay_clear(ph_overlay *o);

#endif
