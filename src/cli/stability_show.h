/* The three kinds of the command stability. */
#ifndef PH_CLI_STABILITY_SHOW_H
#define PH_CLI_STABILITY_SHOW_H

#include "cli/deliver.h"
#include "study/pool.h"

/* Each gives the exit code. Lists of args are ascending. */
int ph_stability_ball(ph_args *args);
int ph_stability_spin(ph_args *args); /* of the model of args, whose run{} completes it */
int ph_stability_oscillator(ph_args *args);

/* Where a list was not given, it becomes count numbers from ... to, equidistant or, if log, by ratio. */
void ph_numbers_default(ph_numbers *list, double from, double to, int count, int log);

/* Methods with their numbers, all combinations of what args list; free() ends them. NULL after one line on
 * stderr. */
ph_variant *ph_stability_variants(const ph_args *args, int *n);

/* Where rho has more values than curves can be told apart, pictures are maps over rho. The number of maps, each
 * of list.rho.n variants that follow each other; 0: curves. */
int ph_stability_maps(const ph_args *args, int n, const ph_variant *variant);

/* The picture of such maps over x, `each` of every one, whose numbers follow each other: open and give the panels what is
 * special, then deliver; PH_EXIT_... */
typedef struct ph_maps {
    int n; /* panels */
    ph_panel *panel;
    char (*name)[PH_VARIANT_LABEL]; /* of the variants without their rho */
} ph_maps;
int ph_maps_open(ph_maps *m, const ph_args *args, int maps, int each, const ph_variant *variant,
                 const ph_numbers *x); /* 0: no memory; ph_maps_deliver says so */
int ph_maps_deliver(ph_maps *m, const ph_delivery *d, const ph_args *args, int columns);

/* Results of the cases 0 ... n-1, each of size bytes and begun by a ph_outcome; free() ends them. They are
 * computed by --jobs processes. NULL after one line on stderr, *code is then the exit code. */
typedef struct ph_outcome {
    ph_status status;
    ph_error err;
} ph_outcome;

void *ph_stability_run(const ph_args *args, const char *title, int n, size_t size,
                       void (*job)(int, void *, void *), void *ctx, int *code);

/* Complain of the first case that no step can take: bad input, no memory. The exit code; PH_EXIT_OK: none. */
int ph_stability_check(int n, size_t size, const void *results);

#endif
