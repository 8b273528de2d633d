/* Step sizes by error control: which size to try, which steps to accept, for all methods.
 *
 * With err, the estimate of a step in units of what it may be, and k the power of h in it, a step with err <= 1 is
 * accepted, and then
 *
 *   h <- h min(grow, max(1/5, safety err_n^(-0.7/k) err_n-1^(0.4/k)))                                     (K8)
 *   h <- h min(grow, max(1/5, ((1/2)/err_n)^(1/4k) ((1/2)/err_n-1)^(1/4k) (h_n/h_n-1)^(-1/4)))         (VS10)
 *
 * the second for methods whose solution rings when h goes up and down: it does not answer errors that alternate. A step
 * that is rejected, or fails, is tried again with h max(1/5, 0.9 err^(-1/k)).
 *
 * References: K. Gustafsson (PI controller); G. Soederlind, Digital filters in adaptive time-stepping, ACM Transactions
 * on Mathematical Software 29 (2003) (H211b). */
#ifndef PH_METHOD_PACE_H
#define PH_METHOD_PACE_H

#include "step/sim.h"
#include "step/size.h"

typedef struct ph_pace {
    double tol;
    double h_min, h_max;   /* s; 0: no bound */
    double mean, random;   /* random > 1: no control, but sizes from mean/random to mean random */
    uint64_t seed, chance; /* of random numbers, and where their sequence is */
    double h;              /* to try next, without sign; 0: not known */
    double last;           /* error of the last accepted step; 0: there is none */
    double before;         /* s, size of that step; 0: not known */
} ph_pace;

/* What a method tries. */
typedef struct ph_pace_rules {
    double grow;   /* of step sizes, at most, from one step to the next */
    int power;     /* of h in the estimate */
    double safety; /* of (K8); 0: (VS10) */
    double
        aim; /* error near which sizes stay as they are, since all that depends on them is kept; 0: they never do */
    double most; /* no step is larger [s]; HUGE_VAL: no bound but those of the pace */
    double
        cut; /* a step shorter than this part of its size ended at t_max, and the next one may have that size */
    void *method; /* for the functions */
    /* A first size, towards t_max, which may lie before the point */
    double (*first)(ph_sim *sim, const struct ph_pace_rules *rules, const ph_point *from, double t_max);
    /* One step of size h, which may be negative, to to->t, and its error; a status other than PH_OK: none */
    ph_status (*attempt)(ph_sim *sim, const struct ph_pace_rules *rules, const ph_point *from, double h,
                         ph_point *to, double *err);
} ph_pace_rules;

void ph_pace_prepare(ph_pace *p, const ph_options *o);

void ph_pace_begin(ph_pace *p,
                   int after); /* nothing is known of steps before; after 1: but for random numbers */
void ph_pace_tape(ph_pace *p, ph_tape *t);

/* One accepted step from a point, at most to t_max, which may lie before it; to->t says where it ended.
 * Statistics go to sim->stats. */
ph_status ph_pace_step(ph_sim *sim, ph_pace *p, const ph_pace_rules *rules, const ph_point *from,
                       double t_max, ph_point *to);

/* The largest part of an increment of q and one of v, NaN if any is NaN: rotations in rad; positions, velocities and
 * angular velocities relative to their largest size at p, or to 1 if that is more; rest [1/s] above 0: in place of 1
 * the size of bodies, and velocities of this times the size of positions. */
double ph_pace_measure(const ph_sim *sim, double rest, const ph_point *p, const double *dq, const double *dv);

/* The error at which (K8) settles, err^(0.3/k) = safety. */
double ph_pace_aim(double safety, int power);

ph_largest ph_pace_largest(const ph_sim *sim, const ph_point *p);

/* (VS9) of a rate e of the error of q, over the time T; r times it is that of v. Sizes are those of sim->largest. */
double ph_pace_measure_rate(const ph_sim *sim, const ph_pace *p, double T, double r, ph_size e);

#endif
