/* The seam of the pool: how workers are started, get cases and answer. Two backends: child processes
 * (pool_fork.c), and ranks of MPI each of which has one such child (pool_mpi.c). */
#ifndef PH_STUDY_POOL_BACKEND_H
#define PH_STUDY_POOL_BACKEND_H

#include "study/pool.h"

#include <sys/types.h>

typedef enum ph_pool_news { PH_POOL_NOTHING, PH_POOL_ANSWER, PH_POOL_DIED } ph_pool_news;

typedef struct ph_pool_event {
    int worker;
    int k;              /* PH_POOL_ANSWER: case number */
    const void *result; /* likewise; holds until the next call */
    int signal;         /* PH_POOL_DIED: what killed it; 0: it ended itself */
    int replaced;       /* likewise: a new worker stands in its place */
    char why[96];       /* likewise, in words */
} ph_pool_event;

/* Each backend has a record of its own, which only it looks into. */
typedef struct ph_pool_ops {
    int ahead; /* cases a worker should have waiting while it computes short ones */
    /* Start workers; their number. NULL: err says why. A rank that helps does so inside,
     * and comes back with *workers = 0. */
    void *(*open)(const ph_pool_def *def, int *workers, ph_error *err);
    /* A worker answers its orders in their order. Orders to the dead are lost, which an event will tell. */
    void (*order)(void *backend, int worker, int k);
    ph_pool_news (*next)(void *backend, int timeout_ms, ph_pool_event *event);
    void (*close)(void *backend, int early); /* early: without waiting for what is under way */
} ph_pool_ops;

extern const ph_pool_ops ph_pool_fork, ph_pool_mpi;

/* ---- one child --------------------------------------------------------------------------------------- */

typedef struct ph_pool_child {
    pid_t pid;         /* 0: none */
    int to, from;      /* pipes */
    size_t have, size; /* bytes of the answer that is arriving; of an answer */
    char *answer;      /* case number, then the result */
} ph_pool_child;

#define PH_POOL_HEAD sizeof(double) /* of an answer: the case number, aligned for what follows */

/* Start all[i]; the child closes what it inherits of the n others. 0: no. */
int ph_pool_child_start(ph_pool_child *all, int n, int i, const ph_pool_def *def);
void ph_pool_child_order(ph_pool_child *c, int k);
/* Read what there is without waiting for more than it; on death the child is collected. */
ph_pool_news ph_pool_child_read(ph_pool_child *c, ph_pool_event *event);
void ph_pool_child_end(ph_pool_child *c, int early);

#endif
