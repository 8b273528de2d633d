/* A tape: one walk over all that changes in an object counts its bytes, writes them, or reads them back. */
#ifndef PH_BASE_TAPE_H
#define PH_BASE_TAPE_H

#include <string.h>

typedef enum ph_tape_mode { PH_TAPE_COUNT, PH_TAPE_WRITE, PH_TAPE_READ } ph_tape_mode;

/* The walk is the same in all modes, so what is written is what is read. While it counts or writes, the object stays
 * as it is. */
typedef struct ph_tape {
    ph_tape_mode mode;
    unsigned char *at; /* PH_TAPE_COUNT: NULL */
    size_t used;       /* bytes */
    int brief; /* 1: without what changes nothing but round-off, for checkpoints of which there are many; 2: nor what first guesses are made
                  of, for one in every step */
} ph_tape;

static inline void ph_tape_skip(ph_tape *t, size_t n)
{
    if (t->mode == PH_TAPE_WRITE && n)
        memset(t->at + t->used, 0, n);
    t->used += n;
}

static inline void ph_tape_bytes(ph_tape *t, void *p, size_t n)
{
    if (t->mode == PH_TAPE_WRITE && n)
        memcpy(t->at + t->used, p, n);
    else if (t->mode == PH_TAPE_READ && n)
        memcpy(p, t->at + t->used, n);
    t->used += n;
}

static inline void ph_tape_int(ph_tape *t, int *x)
{
    ph_tape_bytes(t, x, sizeof *x);
}

static inline void ph_tape_numbers(ph_tape *t, double *x, int n)
{
    ph_tape_bytes(t, x, sizeof *x * (size_t)n);
}

#endif
