/* Processor time of this process [s], for the programs of this folder. Before other headers: it asks for POSIX. */
#ifndef PH_BENCH_CLOCK_H
#define PH_BENCH_CLOCK_H

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include <time.h>

static inline double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
