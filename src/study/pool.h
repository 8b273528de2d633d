/* Independent cases computed by several processes. A model with Lua functions serves one thread, so processes
 * and not threads; a case that brings its process down is a case lost, not the end of the study.
 *
 * Cases are handed out as workers become free. What is stored does not depend on who computed what and when:
 * results are the same bit for bit for any number of workers. */
#ifndef PH_STUDY_POOL_H
#define PH_STUDY_POOL_H

#include "polhode/base.h"

#include <stdint.h>

#define PH_POOL_JOBS_MAX 1024

typedef struct ph_pool_def {
    int n;            /* cases 0 ... n-1 */
    const char *skip; /* n of them; skip[k] != 0: case k is not computed; NULL: all are */
    size_t size;      /* bytes of a result; no pointers in it, they would be another process's */
    int jobs;         /* worker processes; 0: as many as there are processors */
    int ranks; /* 1: started by mpirun, each rank is a worker, and jobs is not read; 0: this process alone */
    uint64_t key;      /* of the study: ranks that disagree in it must not work together */
    const char *title; /* of the progress line on stderr, if that is a terminal; NULL: none */

    /* In a worker: result holds size bytes of 0. It must leave stdout and files of the caller alone. */
    void (*job)(int k, void *result, void *ctx);
    /* In the caller, where the worker of case k died; why: "killed by signal 11 (...)" */
    void (*lost)(int k, const char *why, void *result, void *ctx);
    /* In the caller, in order of arrival; another status than PH_OK ends the study with it. NULL: none */
    ph_status (*done)(int k, const void *result, void *ctx);
    void *ctx;
} ph_pool_def;

typedef struct ph_pool_end {
    int done, lost; /* cases computed now; of these without a result of their own */
    int signal;     /* that ended the study, which the caller may raise again; 0: none */
    int helper;     /* 1: this process was a rank that computed for the first one, and has nothing to say */
    int under_way;  /* cases that were with workers when the study ended early: some of them ... */
    int at_work[8];
} ph_pool_end;

ph_pool_def ph_pool_default(void);
int ph_pool_cores(void); /* processors there are */

/* Whether mpirun or a relative of it started this process, and as which rank. PH_E_INPUT: as one of several,
 * but MPI is not there. */
ph_status ph_pool_launched(int *launched, int *rank, ph_error *err);

/* results: n of them, each at its case number; NULL: done alone is told. SIGINT, SIGTERM and SIGHUP end all
 * workers and give PH_E_STOPPED. PH_E_MEMORY: no worker could be started. With ranks
 * at most once in a process. */
ph_status ph_pool_run(const ph_pool_def *def, void *results, ph_pool_end *end, ph_error *err);

#endif
