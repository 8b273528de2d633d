/* Finite elements of files: matrices in Matrix Market format, nodes as CSV. */
#ifndef PH_FE_MARKET_H
#define PH_FE_MARKET_H

#include "fe/spec.h"

/* Sentences name the file, and the line or row. files keep what is read; NULL: nothing is kept. */

/* A symmetric matrix: "coordinate real symmetric", or "general" that is symmetric to round-off. rows < 0:
 * any. */
ph_status ph_market_symmetric(ph_pool *pool, ph_files *files, const char *path, int rows, ph_csc *out,
                              ph_error *err);

/* A dense one, "array real general" or "coordinate real general", column by column, of which it has at most most. */
ph_status ph_market_dense(ph_pool *pool, ph_files *files, const char *path, int rows, int most, int *columns,
                          double **out, ph_error *err);

/* id,x,y,z */
ph_status ph_market_nodes(ph_pool *pool, ph_files *files, const char *path, int *n, int **id, double **X,
                          ph_error *err);

/* Mass, stiffness and nodes of a spec. */
ph_status ph_market_fe(ph_fe *out, const ph_allocator *alloc, const ph_fe_spec *spec, ph_error *err);

#endif
