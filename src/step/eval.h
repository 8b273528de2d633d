/* Residuals and tangents of a system at a point: the callbacks, and differences for what is not given. */
#ifndef PH_STEP_EVAL_H
#define PH_STEP_EVAL_H

#include "base/tape.h"
#include "step/layout.h"

/* The arrays behind a ph_state. */
typedef struct ph_point {
    double t;
    double *q, *v, *vdot, *a, *lambda, *eta; /* eta: NULL outside the stabilised form */
    ph_mat3 *R;
} ph_point;

void ph_point_take(ph_point *p, const ph_layout *lay, ph_arena *a);
void ph_point_copy(ph_point *to, const ph_point *from, const ph_layout *lay);
void ph_point_tape(ph_point *p, const ph_layout *lay, ph_tape *t);
void ph_point_rotations(ph_point *p, const ph_layout *lay); /* R from q */
static inline ph_state ph_point_view(const ph_point *p, const ph_layout *lay)
{
    return (ph_state){p->t, p->q, p->v,      p->vdot,   p->lambda, p->R,
                      NULL, NULL, lay->q_at, lay->v_at, lay->l_at, lay->R_at};
}

/* q1 = q0 o exp(s x), node by node, and the rotation matrices of q1. */
void ph_point_shift(const ph_layout *lay, const ph_point *from, double s, const double *x, ph_point *to);

/* Move the point by numbers that are not special, times trial: to see what is the same at any point. shift: nv */
void ph_point_stray(ph_point *p, const ph_layout *lay, int trial, double *shift);

typedef struct ph_eval {
    const ph_layout *lay;
    double *M, *C, *K;   /* size_pairs */
    double *B, *Z, *Gl;  /* size_links; Gl has the shape of B^T */
    double *g, *r;       /* nv; r = M vdot + g + B^T lambda */
    double *Phi, *Phi_t; /* nl */
    double *rate;        /* nl: B v + Phi_t */
    const char *refused; /* name of the callback that failed last */
    int differenced;     /* a tangent that the integrator needs is not given */
    /* Only where something is differenced: */
    int *node_colour, *constraint_colour; /* of one colour: perturbed at once */
    int node_colours, constraint_colours;
    ph_point probe;       /* perturbed point */
    double *M2, *B2;      /* of the probe */
    double *dx;           /* nv + nl: perturbation */
    double *plus, *minus; /* nv + 2 nl: residuals on both sides */
    int *scratch;         /* of the colouring */
} ph_eval;

/* Flags of what to evaluate. */
#define PH_EVAL_PHI  1u /* Phi */
#define PH_EVAL_RATE 2u /* B v + Phi_t, and with tangents Z */
#define PH_EVAL_NEAR 4u /* B may stay that of a point near by, if the system has products */

void ph_eval_take(ph_eval *ev, const ph_layout *lay, ph_arena *a);
void ph_eval_prepare(ph_eval *ev); /* colours; once the arrays are there */

ph_status ph_eval_mass(ph_eval *ev, const ph_state *s);                    /* M, whatever the flags say */
ph_status ph_eval_residual(ph_eval *ev, const ph_state *s, unsigned what); /* M, g, B, r, Phi, rate */
ph_status ph_eval_tangent(ph_eval *ev, const ph_state *s, unsigned what);  /* C, K, Z, Gl at the same point */
ph_status ph_eval_both(ph_eval *ev, const ph_state *s, unsigned what);     /* all of these */
ph_status ph_eval_positions(ph_eval *ev, const ph_state *s);               /* B and Phi */
ph_status ph_eval_violations(ph_eval *ev, const ph_state *s);              /* Phi and rate */
/* r += M vdot + B^T lambda, Phi, rate += B v, each if it is not NULL, from M and B as they are */
ph_status ph_eval_block_products(ph_eval *ev, const ph_state *s, double *r, double *Phi, double *rate);
ph_status ph_eval_rate(ph_eval *ev, const ph_state *s);                    /* B, Phi_t and rate */
ph_status ph_eval_links(ph_eval *ev, const ph_state *s, double *B);        /* B alone, to B */
ph_status ph_eval_linear(ph_eval *ev, const ph_state *s, unsigned what);   /* M, B and tangents, no r */
ph_status ph_eval_stiffness(ph_eval *ev, const ph_state *s, double *K);    /* K alone, to K */
ph_status ph_eval_rate_tangent(ph_eval *ev, const ph_state *s, double *Z); /* Z alone, to Z */
ph_status ph_eval_friction(ph_eval *ev, const ph_state *s);                /* Gl = dg/dlambda */
ph_status ph_eval_convective(ph_eval *ev, const ph_state *s,
                             double *out); /* nl; Phi_t and B must be evaluated */

/* Derivatives by central differences, to out in the layout of the tangent; for the fallback and the checker. */
ph_status ph_eval_difference_q(ph_eval *ev, const ph_state *s, double *K, double *Z, double *B);
ph_status ph_eval_difference_v(ph_eval *ev, const ph_state *s, double *C);
ph_status ph_eval_difference_lambda(ph_eval *ev, const ph_state *s, double *Gl);
ph_status ph_eval_difference_t(ph_eval *ev, const ph_state *s, double *Phi_t);
ph_status ph_eval_difference_motion(ph_eval *ev, const ph_state *s, double *convective);

/* Says which callback gave a number that is not finite at this point; 0 if none does. */
int ph_eval_blame(ph_eval *ev, const ph_state *s, ph_error *err);

#endif
