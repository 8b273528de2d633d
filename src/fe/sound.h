/* Whether finite elements make sense: those of a body that nothing holds. */
#ifndef PH_FE_SOUND_H
#define PH_FE_SOUND_H

#include "fe/factor.h"
#include "fe/fe.h"

#define PH_FE_RIGID                                                                                          \
    1e-8 /* relative: how much a rigid motion may strain the body, and masses differ by direction */

/* What was found, for people. */
typedef struct ph_fe_sound {
    int nodes, rows; /* 0: not checked */
    double mass;
    double strain;   /* of rigid motions: largest |K Phi| / |K| */
    double isotropy; /* |Phi_t^T M Phi_t - m I| / m */
} ph_fe_sound;

/* K Phi = 0, Phi_t^T M Phi_t = m I, M positive definite. */
ph_status ph_fe_sound_check(const ph_fe *fe, ph_factor_kind kind, ph_fe_sound *out, ph_error *err);

/* Modes and rigid motions are independent, in the sense of M: none of them is a rigid motion. */
ph_status ph_fe_sound_modes(const ph_fe *fe, int n, const double *Psi, const char *label, ph_error *err);

#endif
