/* The first of the solvers that auto tries on meshes: one that does not serve every matrix, and so is no choice of its own. */
#ifndef PH_LA_SPLIT_H
#define PH_LA_SPLIT_H

#include "la/backend.h"
#include "la/order.h"

extern const ph_solver_ops ph_split_ops;

/* The graph of the part that it factors. */
ph_graph ph_split_graph(const ph_analysis *a);

/* Whether its factors are much less work than those of the graph in this order. */
int ph_split_gains(const ph_graph *g, const ph_structure *order, const ph_allocator *alloc);

#endif
