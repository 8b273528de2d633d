/* A folder of its own in which sources are written and built by the C compiler of the system, or that of $CC. */
#ifndef PH_CLI_WORKSHOP_H
#define PH_CLI_WORKSHOP_H

#include <stdio.h>

#define PH_WORKSHOP_PATH 600

typedef struct ph_workshop {
    char folder[PH_WORKSHOP_PATH];
    const char *name; /* files are NAME and an ending */
} ph_workshop;

/* Endings of all files that there may be: what is removed at the end. */
#define PH_WORKSHOP_FILES ".h", ".c", "_fmu.c", ".xml", ".so"

int ph_workshop_open(ph_workshop *w, const char *name); /* 0: a sentence says why */
void ph_workshop_close(const ph_workshop *w);
void ph_workshop_path(const ph_workshop *w, const char *ending, char path[PH_WORKSHOP_PATH]);

/* FILE *: the file with each of n endings; 0: a sentence says why. Close says whether all was written. */
int ph_workshop_write(const ph_workshop *w, int n, const char *const *ending, FILE **file);
int ph_workshop_written(const ph_workshop *w, int n, FILE **file);

const char *ph_workshop_compiler(void);
/* NAME.so of the source with that ending; hidden 1: with what it exports alone. 0: it fails; else: a sentence that says what comes of it. */
int ph_workshop_build(const ph_workshop *w, const char *ending, int hidden, const char *without);

#endif
