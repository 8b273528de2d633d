/* An order of rows that brings the entries of a sparse symmetric matrix close to its diagonal. */
#ifndef PH_FE_BAND_H
#define PH_FE_BAND_H

#include "fe/sparse.h"

/* place[i]: where row i goes. Returns the half bandwidth then, largest |place[i] - place[j]|; -1: no
 * memory. */
int ph_band_order(ph_pool *pool, const ph_csc *A, int *place);

#endif
