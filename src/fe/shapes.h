/* Mode shapes of a body in its frame. */
#ifndef PH_FE_SHAPES_H
#define PH_FE_SHAPES_H

#include "fe/eigen.h"
#include "fe/clamp.h"
#include "fe/spec.h"

/* The frame of the body: which nodes are still in it. */
typedef enum ph_frame_kind { PH_FRAME_CLAMPED, PH_FRAME_CHORD, PH_FRAME_MEAN, PH_FRAME_OTHER } ph_frame_kind;

typedef struct ph_shapes {
    ph_frame_kind frame;
    int modes;
    double *Psi;   /* ph_fe_size x modes, column by column */
    double *omega; /* rad/s */
    ph_csc T;      /* motions that the frame leaves; of mean axes those that node 0 leaves; of others none */
    ph_factor *factor; /* of T^T K T; destroy it */
} ph_shapes;

/* frame: the patch that holds it; interface: all named ones. Nodes are about the origin of the frame. */
ph_status ph_shapes_make(ph_pool *pool, const ph_fe *fe, const ph_fe_spec *spec, const ph_patch *frame,
                         int n_interfaces, const ph_patch *interface, ph_factor_kind kind, ph_shapes *out,
                         ph_error *err);

/* Modes from a file; the frame is clamped where they all stand still at its nodes, that of mean axes where
 * they have no momentum, and otherwise neither. */
ph_status ph_shapes_read(ph_pool *pool, const ph_fe *fe, const ph_fe_spec *spec, const ph_patch *frame,
                         ph_shapes *out, ph_error *err);

#endif
