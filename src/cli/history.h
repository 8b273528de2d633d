/* Time histories of a run, for --plot. */
#ifndef PH_CLI_HISTORY_H
#define PH_CLI_HISTORY_H

#include "cli/job.h"

typedef struct ph_history ph_history;

/* 0 with a sentence in err: the model does not have what --sensor and --plot-xy name. Call it before the run. */
int ph_history_possible(const ph_job *r, ph_error *err);

/* What there is to see in the states of a run whose simulation exists. NULL: not enough memory. */
ph_history *ph_history_create(const ph_job *r, const ph_state *s);
void ph_history_destroy(ph_history *h); /* accepts NULL */

void ph_history_see(ph_history *h, const ph_job *r, const ph_state *s, int last); /* every state, in order */

/* Draw what was seen, in the file of --plot. 0 with a sentence in err. */
int ph_history_draw(ph_history *h, const ph_job *r, ph_error *err);

#endif
