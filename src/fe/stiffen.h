/* Stress stiffness of load cases. */
#ifndef PH_FE_STIFFEN_H
#define PH_FE_STIFFEN_H

#include "fe/reduced.h"
#include "fe/shapes.h"

/* Nodal forces of a load case, in the order of reduced.h; marker: patches of the markers. */
void ph_stiffen_load(const ph_fe *fe, const ph_patch *marker, int c, double *work, double *f);

/* KG of all load cases, from the axial forces of beam elements. */
ph_status ph_stiffen(ph_pool *pool, const ph_fe *fe, const ph_shapes *shapes, const ph_patch *marker,
                     ph_reduced *r, ph_error *err);

/* Place of a case by its name: ax, alpha_x, omega_xx, omega_yz, tip.fx; -1: there is none. */
int ph_stiffen_find(const ph_reduced *r, const char *name);
const char *ph_stiffen_word(int c); /* of those that are no markers'; NULL past the end */

#endif
