/* Sensitivities from inside: what methods add to them, and what the direct and the adjoint way share. */
#ifndef PH_SENS_SENS_H
#define PH_SENS_SENS_H

#include "step/sim.h"

struct ph_sens {
    ph_sim *sim;
    int n;
    ph_simplification simplified;
    int of_error;      /* the one variation is the global error, without a parameter */
    double from, to;   /* s, ends of the last step that was followed */
    double *l_q, *l_v; /* nv: local errors (VS11); with of_error */
    ph_follower *d;
    double *r_p, *Phi_p, *rate_p; /* pseudo-loads */
    double *y;                    /* nv: (W5) */
    double *z;                    /* nv: B_n^T x_eta */
    double *lift, *Z_lift, *B_p;  /* redundant rows: z of (W6), nv; d(B z)/dq, links; B_p z, nl */
    double *K_eta;                /* pairs; stabilised form: d(B^T eta)/dq at q_n */
    double *zero;                 /* nv or nl, the larger */
    double *onwards;              /* nv: vdot' as it goes on */
    double lambda_scale;          /* of increments of s lambda', to compare them with those of W */
    double first, second;         /* the largest first and second corrections of the step */
    double increment[2];          /* Newton's last one in this step: of q, of s lambda */
    double left;                  /* of an error by a correction, as measured; 0: never */
    double per[2];                /* over the increments of that step */
    long measured;                /* when */
    double *B;                    /* links of a neighbour */
    ph_point moved;
    void *block;
};

/* r_p, Phi_p and rate_p at a point. */
ph_status ph_sens_loads(ph_sens *sens, ph_follower *d, const ph_state *s);

/* Stabilised form: y = B_p(q_n)^T eta; K_eta as a difference of K with multipliers eta and 0, at rest, where
 * forces do not depend on them. */
ph_status ph_sens_eta_loads(ph_sens *sens, ph_follower *d);
ph_status ph_sens_eta_stiffness(ph_sens *sens);

/* Starting values of steps without memory (vdot', lambda', a' of all parameters), for a step from a point that sim has just made. */
ph_status ph_sens_restart(ph_sens *sens, const ph_point *from);

/* Local errors of the step from sim->now to sim->next whose matrix is factored, projected, to l_q and l_v; before: size of the step
 * before it, as the second function has it right after a step. */
ph_status ph_sens_local(ph_sens *sens, double before);
double ph_sens_before(ph_sim *sim);

/* sens_null.c, with redundant rows: z and d(B z)/dq of (W6) at sim->next, which leaves another point evaluated there;
 * B_p z of a parameter; the part of x->lambda in the null space; W_bar += f (d(B z)/dq)^T w. */
ph_status ph_sens_null_begin(ph_sens *sens);
ph_status ph_sens_null_loads(ph_sens *sens, const ph_follower *d);
ph_status ph_sens_null_set(ph_sens *sens, ph_variation *x);
void ph_sens_null_back(const ph_sens *sens, double f, const double *w, double *W_bar);

/* sens_solve.c. Increments below this part of the whole are round-off. */
#define PH_SENS_ROUND_OFF 1e-14

/* vdot' and lambda' as they go on from the last step, whose start is in next: to onwards and to next. */
void ph_sens_look_onwards(ph_sens *sens, const ph_variation *now, ph_variation *next);

/* From what is predicted for dq = 0 to what (W3) makes of vdot' as it goes on. */
void ph_sens_guess(const ph_sens *sens, const ph_step_ops *o, ph_variation *x);

/* Correct x until (W1)-(W3) hold; rate: how much of an error a correction leaves, 1: unknown. */
ph_status ph_sens_solve(ph_sens *sens, const ph_step_ops *o, double rate, ph_variation *x);

/* Vectors that the method remembers, and steps of its start that are differentiated by differences. */
int ph_sens_memory(const ph_sim *sim);
int ph_sens_start_steps(const ph_sim *sim);

void ph_variation_take(ph_variation *x, const ph_layout *lay, int memory, ph_arena *a);
void ph_variation_clear(ph_variation *x, const ph_layout *lay, int memory);

#endif
