/* A folder of its own in which sources are written and built by the C compiler of the system, or that of $CC. */
#ifndef PH_IO_WORKSHOP_H
#define PH_IO_WORKSHOP_H

#include <stdio.h>

#include "polhode/base.h"

#define PH_WORKSHOP_PATH 600

typedef struct ph_workshop {
    char folder[PH_WORKSHOP_PATH];
    const char *name; /* files are NAME and an ending */
} ph_workshop;

/* Endings of all files that there may be: what is removed at the end. */
#define PH_WORKSHOP_FILES ".h", ".c", ".cu", "_fmu.c", ".xml", ".so"

/* Where something returns 0, err has a sentence that says why. */
int ph_workshop_open(ph_workshop *w, const char *name, ph_error *err);
void ph_workshop_close(const ph_workshop *w);
void ph_workshop_path(const ph_workshop *w, const char *ending, char path[PH_WORKSHOP_PATH]);

/* FILE *: the file with each of n endings. ph_workshop_written closes them, and says whether all was written. */
int ph_workshop_write(const ph_workshop *w, int n, const char *const *ending, FILE **file, ph_error *err);
int ph_workshop_written(const ph_workshop *w, int n, FILE **file, ph_error *err);

const char *ph_workshop_device_compiler(void);
const char *ph_workshop_compiler(void);
/* Flags of the vectors that this processor has, "-march=x86-64-v3"; NULL: those that every one of its kind has. */
const char *ph_workshop_processor(void);
/* NAME.so of the source with that ending, for this processor or any of its kind. hidden 1: with what it exports alone. */
int ph_workshop_build(const ph_workshop *w, const char *ending, int hidden, const char *processor,
                      ph_error *err);
/* NAME.so of NAME.cu, by nvcc: that of $NVCC, of the path, or where it is usually installed. */
int ph_workshop_build_device(const ph_workshop *w, ph_error *err);

#endif
