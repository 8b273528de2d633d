/* The three kinds of the command stability. */
#ifndef PH_CLI_STABILITY_H
#define PH_CLI_STABILITY_H

#include "cli/deliver.h"
#include "study/pool.h"

/* Each gives the exit code. args is complete: lists hold what they should, ascending. */
int ph_stability_ball(const ph_args *args);
int ph_stability_spin(ph_args *args); /* of the model of args, whose run{} completes it */
int ph_stability_oscillator(const ph_args *args);

/* Where a list was not given, it becomes count numbers from ... to, equidistant or, if log, by ratio. */
void ph_numbers_default(ph_numbers *list, double from, double to, int count, int log);

/* ph_pool_run with --jobs. PH_EXIT_OK, or the exit code after one line on stderr. */
int ph_stability_pool(const ph_args *args, const char *title, int n, size_t size,
                      void (*job)(int, void *, void *), void (*lost)(int, const char *, void *, void *),
                      void *ctx, void *results);

/* Method and numbers of series k: sigma and rho run through their lists, sigma first. */
int ph_series_count(const ph_args *args);
ph_options ph_series_options(const ph_args *args, int k);
void ph_series_label(const ph_args *args, int k, char *text, size_t size); /* what differs between them */

#endif
