/* Stability of the methods: spectra of the step about a steady motion, the linear oscillator, the ball with a
 * torsional spring. */
#ifndef PH_STUDY_STABILITY_H
#define PH_STUDY_STABILITY_H

#include <complex.h>

#include "polhode/sim.h"

/* ---- the step about a steady motion, stability_map.c -------------------------------------------------- */

#define PH_SPECTRUM_MAX 60 /* largest dimension of v */

typedef struct ph_spectrum {
    int n;
    double complex *value; /* eigenvalues of the step, by falling modulus */
} ph_spectrum;

/* Eigenvalues of one step about the state (q0, v0) at t = 0, with a_0 = vdot_0. The motion from there must be
 * an equilibrium or a steady spin: the step looks the same after the next one, in axes that turn with the
 * fastest body or in axes that stay. PH_E_INPUT: it does not, or the system is too large, or the method
 * adapts its steps. */
ph_status ph_spectrum_create(ph_spectrum *out, const ph_system *sys, const ph_options *opt, const double *q0,
                             const double *v0, ph_error *err);
void ph_spectrum_destroy(ph_spectrum *s); /* accepts one that was not created */

/* The same for a method whose state holds that many steps, by (V2), or, if 0, none, by (V1). noise: error of
 * differences relative to the largest singular value. ph_spectrum_create calls it. */
ph_status ph_spectrum_observe(ph_spectrum *out, const ph_system *sys, const ph_options *opt, const double *q0,
                              const double *v0, int history, double noise, ph_error *err);
int ph_step_history(const ph_options *opt); /* of the method */

/* Largest |Omega| of a node with a rotation [rad/s]; *node, unless NULL, is that node, -1: none turns. */
double ph_system_spin(const ph_system *sys, const double *v, int *node);

/* ---- linear oscillator, stability_oscillator.c -------------------------------------------------------- */

/* q'' + 2 zeta omega q' + omega^2 q = 0 in R^1. */
typedef struct ph_oscillator {
    double zeta, omega;
} ph_oscillator;

ph_system ph_oscillator_system(ph_oscillator *c); /* c must outlive it */

/* z = omega h. opt->h is not read. */
ph_status ph_oscillator_spectrum(ph_spectrum *out, const ph_options *opt, double z, double zeta,
                                 ph_error *err);

#define PH_RADIUS_STABLE (1 + 1e-6) /* largest radius of a stable step; a double one is found to 3e-7 */

/* The spectral radius; NAN where the step cannot be taken or has no spectrum. Any status but PH_OK: no memory. */
ph_status ph_oscillator_radius(double *radius, const ph_options *opt, double z, double zeta, ph_error *err);

/* The z between lo, where the step is stable, and hi, where it is not, at which it ceases to be, to width. */
ph_status ph_oscillator_limit(double *z, const ph_options *opt, double zeta, double lo, double hi,
                              double width, ph_error *err);

typedef struct ph_oscillation {
    double radius;  /* spectral radius */
    double damping; /* -ln|mu|/arg mu of the principal eigenvalue mu; NAN where it does not oscillate */
    double period;  /* relative error of the period, arg(exact)/arg(mu) - 1; NAN likewise */
} ph_oscillation;

ph_status ph_oscillator_measure(ph_oscillation *out, const ph_options *opt, double z, double zeta,
                                ph_error *err);

/* ---- ball with torsional spring, stability_ball.c ----------------------------------------------------- */

typedef struct ph_ball_case {
    double z;         /* h sqrt(k/m) */
    double zeta;      /* d/(2 sqrt(k m)) */
    double amplitude; /* |psi_0| [rad]; |omega_0| = amplitude sqrt(k/m) */
    double angle;     /* between omega_0 and psi_0 [rad] */
    long steps;
} ph_ball_case;

typedef enum ph_verdict { PH_V_BOUNDED, PH_V_GROWS, PH_V_WRAPPED, PH_V_FAILED } ph_verdict;

const char *ph_verdict_word(int k); /* NULL past the end */

typedef struct ph_ball_result {
    ph_verdict verdict;
    long at;       /* step of the verdict; of a bounded run the last one */
    double energy; /* largest E/E_0 */
    double
        growth; /* of the amplitude per step: (E/E_0)^(1/(2 n)) after n steps, while E/E_0 is above 1e-20 */
    double radius;   /* of the same method on the linear oscillator; NAN: not to be had */
    double distance; /* largest distance of two neighbouring solutions, over that at first */
    char why[160];   /* a step that failed: the words of the library */
} ph_ball_result;

/* opt->h is not read. Any status but PH_OK: the run could not be started. */
ph_status ph_ball_run(ph_ball_result *out, const ph_options *opt, const ph_ball_case *c, ph_error *err);

/* The limit of bounded motion between lo, where it is, and hi, where it is not, to width. c->z is not read.
 * */
ph_status ph_ball_limit(double *z, const ph_options *opt, const ph_ball_case *c, double lo, double hi,
                        double width, ph_error *err);

#endif
