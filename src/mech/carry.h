/* Flexible bodies in a mechanism: their frames, and elements with a marker.
 *
 * Joints and forces see a marker as a body, with halves p and phi. It has no coordinates of its own: with
 * the physical coordinates q_f = (x, phi, zeta) of its frame, (pdot, omega) = D_m v_f, and with those of the
 * space, of which zeta is zeta itself, q_f' = D_s y',
 *
 *   D = D_m D_s,  V = d(D y')/dy = V_m D_s + D_m V_s                                                  (X30)
 *   d(D^T f)/dy = D_s^T (d(D_m^T f)/dq_f) D_s + d(D_s^T r)/dy at fixed r = D_m^T f                    (X31)
 *
 * and then the rules of space.c hold with D and V of 6 rows, side by side. */
#ifndef PH_MECH_CARRY_H
#define PH_MECH_CARRY_H

#include "mech/modal.h"

#define PH_SIDE_NODES 3                                /* of one side: halves and zeta */
#define PH_SIDE_MAX   (2 * PH_HALF_MAX + PH_MODES_MAX) /* coordinates of one side, in any space */

/* Places of an element, node by node: those of the first side, those of the second; -1: not there. */
struct ph_carried {
    int body[2];
    int B[2 * PH_SIDE_NODES];
    int K[4 * PH_SIDE_NODES * PH_SIDE_NODES];
};

/* ---- elements with a marker ----------------------------------------------------------------------- */

/* Local arrays have 12 columns, as those of space.c. B and Z: rows of them; Z NULL: rows of B are stored. */
void ph_carried_rows(const ph_mechanism *m, const ph_state *s, const ph_carried *w, int rows, const double *B,
                     const double *Z, double *out);
void ph_carried_add_row(const ph_mechanism *m, const ph_state *s, const ph_carried *w, const double *B,
                        const double *Z, double *out); /* one row, added, of the first side alone */
void ph_carried_drift(const ph_mechanism *m, const ph_state *s, const ph_carried *w, int rows,
                      const double *B, double *out); /* out += B V y' */
void ph_carried_vector(const ph_mechanism *m, const ph_state *s, const ph_carried *w, const ph_vec3 *r,
                       double *out);
/* Columns r[PH_SLOTS i ...] of dg/dlambda, stored. */
void ph_carried_columns(const ph_mechanism *m, const ph_state *s, const ph_carried *w, int rows,
                        const ph_vec3 *r, double *out);
/* Adds; C NULL, r NULL: of C alone, which stands in K then. */
void ph_carried_K(const ph_mechanism *m, const ph_state *s, const ph_carried *w, const double *K,
                  const double *C, const ph_vec3 *r, double *out);

/* ---- flexible bodies (flex.c) --------------------------------------------------------------------- */

/* moving: with accelerations */
void ph_flex_site(const ph_mechanism *m, const ph_state *s, const ph_flex *f, int moving, ph_modal_site *out);
void ph_flex_kin(const ph_mechanism *m, const ph_state *s, const ph_body *marker, ph_kin *k);
void ph_flex_acceleration(const ph_mechanism *m, const ph_state *s, const ph_body *marker, ph_vec3 *a,
                          ph_vec3 *omega_dot);

/* Over all flexible bodies; the first three store, K adds. */
void ph_flex_M(const ph_mechanism *m, const ph_state *s, double *out);
void ph_flex_g(const ph_mechanism *m, const ph_state *s, double *out);
void ph_flex_C(const ph_mechanism *m, const ph_state *s, double *out);
void ph_flex_K(const ph_mechanism *m, const ph_state *s, double *out);
double ph_flex_kinetic(const ph_mechanism *m, const ph_state *s);
double ph_flex_potential(const ph_mechanism *m, const ph_state *s);

/* ---- the chain rule of the space, for a body with zeta -------------------------------------------- */

/* n: physical coordinates, 6 and modes; N: those of the space; c: of the halves, where plain is 0. */
typedef struct ph_carry {
    int plain, n, N;
    const ph_space *space;
    ph_chain_rule c;
} ph_carry;

void ph_carry_open(const ph_mechanism *m, const ph_state *s, const ph_body *b, int modes, ph_carry *k);
/* out (rows x N) += A D, A rows x n */
void ph_carry_right(const ph_carry *k, int rows, const double *A, double *out);
/* out (rows x N) += A [X0; X1], 3 x n[half] each, columns of one half: V, and Y and U of ph_slope, are made of
 * these */
void ph_carry_slope(const ph_carry *k, int rows, const double *A, const double *X0, const double *X1,
                    int half, double *out);
/* out (N x cols) += D^T A, A n x cols */
void ph_carry_left(const ph_carry *k, int cols, const double *A, double *out);
/* out (N x N) += d(D^T r)/dy */
void ph_carry_fold(const ph_carry *k, const double *r, double *out);

#endif
