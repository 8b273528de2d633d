/* The ball with a torsional spring on SO(3), m omegadot + d omega + k log R = 0, as a test of stability.
 *
 *   psi_0 = amplitude e_x,  omega_0 = amplitude sqrt(k/m) (cos angle, sin angle, 0)                     (V4)
 *
 * With omega parallel to psi the motion stays on one axis and a Runge-Kutta-Munthe-Kaas step is that of the
 * classical method on the linear oscillator. Otherwise T^-1(theta) omega turns with the step, and the limit
 * of stability depends on the amplitude. |log R| <= pi, so that an unstable run does not overflow: it is
 * judged by its energy, and by whether the ball passes a rotation of pi, where the spring jumps. Powers of a
 * step X may grow before they decay where damping is strong, so that the energy is compared with that of the same
 * method on the linear oscillator (psi, omega) from the same start, apart from its spectral radius r:
 *
 *   grows:  E_n/E_0 > 2 max_{m <= n} e_m/(e_0 max(1, r)^(2 m))                                          (V6)
 *
 *   distance^2 = |log(R_a^T R_b)|^2 + (m/k) |omega_a - omega_b|^2
 *
 * (M. Arnold, test problem for the stability of Lie group integrators; there R = exp(theta) R_r, which
 * contradicts Rdot = R tilde(omega) unless omega and psi are parallel: here R = R_r exp(theta).) */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "problem/problem.h"
#include "study/stability.h"

#define GROWN  2.0   /* E/E_0 of a run that is not bounded, over that of the linear oscillator */
#define GONE   1e-20 /* E/E_0 of a run that has come to rest: what is left is round-off */
#define APART  1e-6  /* distance of two neighbouring solutions at first */
#define PIECES 8     /* of the path of a step, to see a jump of the logarithm */

static const char *const words[] = {"bounded", "grows", "wrapped", "failed"};

const char *ph_verdict_word(int k)
{
    return k >= 0 && k <= PH_V_FAILED ? words[k] : NULL;
}

typedef struct ball {
    ph_problem *p;
    double m, k;
    const ph_group_ops *so3;
    ph_sim *sim[2]; /* neighbours */
    double q[4];    /* of the first, before the step */
    double E0, apart;
    ph_oscillator linear;
    ph_system line;     /* on which the linear oscillator moves ... */
    ph_sim *along[2];   /* ... in the direction of psi_0, and across */
    double e0, decay;   /* its energy at first; max(1, r)^(-2 m) */
    double rise, scale; /* the maximum of (V6); max(1, r)^-2 */
} ball;

static double energy(const ball *b, const double *psi, const double *v)
{
    double q[4];
    b->so3->exp(0, psi, q);
    ph_state s = {.q = q, .v = v};
    return b->p->energy(&s, b->p->sys.ctx);
}

/* 1: the logarithm jumps on the way q exp(s theta), 0 <= s <= 1, to q1 */
static int passes_pi(const ball *b, const double *q, const double *q1)
{
    double theta[3], part[3], last[3], psi[3], d[4];
    b->so3->inverse(0, q, d);
    b->so3->compose(0, d, q1, d);
    b->so3->log(0, d, theta);
    b->so3->log(0, q, last);
    for (int k = 1; k <= PIECES; k++) {
        for (int i = 0; i < 3; i++)
            part[i] = theta[i] * k / PIECES;
        b->so3->exp(0, part, d);
        b->so3->compose(0, q, d, d);
        b->so3->log(0, d, psi);
        if (ph_norm(ph_sub(ph_load3(psi), ph_load3(last))) > acos(-1))
            return 1;
        memcpy(last, psi, sizeof last);
    }
    return 0;
}

static double distance(const ball *b)
{
    ph_state x = ph_sim_state(b->sim[0]), y = ph_sim_state(b->sim[1]);
    double d[4], psi[3];
    b->so3->inverse(0, x.q, d);
    b->so3->compose(0, d, y.q, d);
    b->so3->log(0, d, psi);
    double w = ph_norm(ph_sub(ph_load3(x.v), ph_load3(y.v)));
    return hypot(ph_norm(ph_load3(psi)), sqrt(b->m / b->k) * w);
}

/* ---- the linear oscillator beside it ------------------------------------------------------------------ */

static double linear_energy(const ball *b)
{
    double e = 0;
    for (int j = 0; j < 2; j++) {
        ph_state s = ph_sim_state(b->along[j]);
        e += s.v[0] * s.v[0] + b->linear.omega * b->linear.omega * s.q[0] * s.q[0];
    }
    return e;
}

/* radius: of its step; NAN: without one there is nothing to compare with, and the maximum stays 1. h = 1. */
static ph_status open_linear(ball *b, const ph_options *opt, const ph_ball_case *c, double radius,
                             ph_error *err)
{
    ph_options o = *opt;
    const double q[2] = {1, 0}, v[2] = {c->z * cos(c->angle), c->z * sin(c->angle)};
    ph_status s = PH_OK;
    b->rise = b->decay = 1, b->scale = pow(fmax(1, radius), -2);
    if (isnan(radius))
        return PH_OK;
    o.h = 1;
    b->linear = (ph_oscillator){.zeta = c->zeta, .omega = c->z};
    b->line = ph_oscillator_system(&b->linear);
    for (int j = 0; j < 2 && s == PH_OK; j++)
        s = ph_sim_create(&b->along[j], &b->line, &o, 0, &q[j], &v[j], err);
    b->e0 = s == PH_OK ? linear_energy(b) : 1;
    return s;
}

static void advance_linear(ball *b)
{
    for (int j = 0; j < 2; j++)
        if (!b->along[j] || ph_sim_step(b->along[j], NULL) != PH_OK)
            return;
    b->decay *= b->scale;
    b->rise = fmax(b->rise, b->decay * linear_energy(b) / b->e0);
}

/* ---- a run ------------------------------------------------------------------------------------------- */

static ph_status open(ball *b, const ph_options *opt, const ph_ball_case *c, double radius, ph_error *err)
{
    const double zero[3] = {0}, unit[3] = {1, 0, 0};
    *b = (ball){.so3 = ph_group_get(PH_SO3), .p = ph_problem_create("spring_ball", NULL)};
    if (!b->p)
        return PH_E_MEMORY;
    b->m = 2 * energy(b, zero, unit), b->k = 2 * energy(b, unit, zero);
    ph_problem_def def = {.x = 2 * c->zeta * sqrt(b->k * b->m)};
    ph_problem_destroy(b->p);
    b->p = ph_problem_create("spring_ball", &def);
    if (!b->p)
        return PH_E_MEMORY;
    ph_options o = *opt;
    double w = c->amplitude * sqrt(b->k / b->m);
    o.h = c->z * sqrt(b->m / b->k);
    for (int j = 0; j < 2; j++) {
        double far = j * APART / sqrt(3), psi[3] = {c->amplitude + far, far, far}, q[4];
        double v[3] = {w * cos(c->angle), w * sin(c->angle), 0};
        b->so3->exp(0, psi, q);
        ph_status s = ph_sim_create(&b->sim[j], &b->p->sys, &o, 0, q, v, err);
        if (s != PH_OK)
            return s;
        if (j == 0)
            b->E0 = energy(b, psi, v);
    }
    b->apart = distance(b);
    return open_linear(b, opt, c, radius, err);
}

static void finish(ball *b)
{
    for (int j = 0; j < 2; j++)
        ph_sim_destroy(b->sim[j]), ph_sim_destroy(b->along[j]);
    ph_problem_destroy(b->p);
}

/* One step of both; the verdict on the first. A neighbour that fails has no distance. */
static void advance(ball *b, ph_ball_result *r)
{
    ph_error err = {0};
    memcpy(b->q, ph_sim_state(b->sim[0]).q, sizeof b->q);
    r->at++;
    if (ph_sim_step(b->sim[0], &err) != PH_OK) {
        r->verdict = PH_V_FAILED;
        snprintf(r->why, sizeof r->why, "%.*s", (int)sizeof r->why - 1, err.text);
        return;
    }
    ph_state s = ph_sim_state(b->sim[0]);
    double E = b->p->energy(&s, b->p->sys.ctx) / b->E0;
    if (!(E <= GONE))
        r->growth = pow(E, 1 / (2 * (double)r->at));
    if (!(E <= r->energy))
        r->energy = E;
    double d = ph_sim_step(b->sim[1], NULL) == PH_OK ? distance(b) / b->apart : NAN;
    if (!(d <= r->distance) && !isnan(r->distance))
        r->distance = d;
    advance_linear(b);
    if (passes_pi(b, b->q, s.q))
        r->verdict = PH_V_WRAPPED;
    else if (!(E <= GROWN * b->rise))
        r->verdict = PH_V_GROWS;
}

ph_status ph_ball_run(ph_ball_result *out, const ph_options *opt, const ph_ball_case *c, ph_error *err)
{
    ball b = {0};
    *out = (ph_ball_result){.energy = 1, .growth = 1, .distance = 1, .radius = NAN};
    ph_status s = ph_oscillator_radius(&out->radius, opt, c->z, c->zeta, err);
    if (s == PH_OK)
        s = open(&b, opt, c, out->radius, err);
    while (s == PH_OK && out->at < c->steps && out->verdict == PH_V_BOUNDED)
        advance(&b, out);
    finish(&b);
    return s;
}

ph_status ph_ball_limit(double *z, const ph_options *opt, const ph_ball_case *c, double lo, double hi,
                        double width, ph_error *err)
{
    ph_ball_case at = *c;
    ph_ball_result r;
    while (hi - lo > width) {
        at.z = (lo + hi) / 2;
        ph_status s = ph_ball_run(&r, opt, &at, err);
        if (s != PH_OK)
            return s;
        if (r.verdict == PH_V_BOUNDED)
            lo = at.z;
        else
            hi = at.z;
    }
    *z = (lo + hi) / 2;
    return PH_OK;
}
