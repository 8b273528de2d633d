/* Bodies whose rotation has coordinates c of R^n, of one of the charts of lie.h. The functions are those of
 * ph_space, with the chart in front. */
#ifndef PH_MECH_CHART_H
#define PH_MECH_CHART_H

#include "mech/mech.h"

void ph_chart_kin(const ph_chart_ops *op, const ph_state *s, const ph_body *b, ph_kin *k);
void ph_chart_acceleration(const ph_chart_ops *op, const ph_state *s, const ph_body *b, ph_vec3 *a,
                           ph_vec3 *omega_dot);
void ph_chart_chain(const ph_chart_ops *op, const ph_state *s, const ph_body *b, ph_chain_rule *c);
void ph_chart_fold(const ph_chart_ops *op, const ph_chain_rule *c, int half, ph_vec3 r, double *out);
/* second: d(V u)/dc at fixed u, 3 x n; NULL: 0 */
void ph_chart_slope(const ph_chart_ops *op, const ph_state *s, const ph_body *b, const double *second,
                    ph_slope *c);
void ph_chart_M(const ph_chart_ops *op, const ph_body *b, const ph_state *s, double *out);

/* What the equations of one body consist of. */
typedef double ph_wide[3 * PH_HALF_MAX]; /* 3 x n */

typedef struct ph_chart_site {
    const double *c, *u, *a; /* coordinates, velocities, accelerations */
    ph_wide T, V, W;         /* Omega = T u; V = d(T u)/dc; W = Tdot */
    ph_vec3 w, wdot;         /* Omega, Omegadot */
} ph_chart_site;

ph_chart_site ph_chart_at(const ph_chart_ops *op, const ph_state *s, const ph_body *b);

void ph_wide_add(int n, ph_mat3 S, const double *A, double *out);              /* out += S A, 3 x n */
void ph_wide_add_vector(int n, const double *A, ph_vec3 r, double *out);       /* out += A^T r, n */
void ph_wide_add_square(int n, const double *A, const double *B, double *out); /* out += A^T B, n x n */
void ph_chart_add_fold(const ph_chart_ops *op, const double *c, double s, ph_vec3 r,
                       double *out); /* out += s d(T^T r)/dc, n x n */

#endif
