/* Coefficients of the local error, measured by one step of the integrator itself.
 *
 *   l = theta(t_n + h) - theta_{n+1} = C_q h^3 vddot + c h^3 [v, vdot] + O(h^4),
 *   C_q = (1 - 6 beta - 3 (alpha_m - alpha_f))/6,  c = (1/3 - sigma beta/gamma)/4
 *
 * (Holzinger, Arnold, Gerstmayr, eqs. (40), (41)). l is what remains when the exact solution is put into the
 * formulas of a step. One node moves with M = I under a prescribed force, so that v(t) = c0 + c1 t + c2 t^2/2
 * exactly, whatever q is. Then a step from q_n, v_n, vdot_n and a_n = vdot(t_n + (alpha_m - alpha_f) h)
 * yields v_{n+1} and a_{n+1} exact to round-off, and theta_{n+1} is that of the formula. C_q and c follow by
 * least squares, and h -> 0 by extrapolation. theta(t): thetadot = T(theta)^-1 v, by Runge's method in small
 * steps. */
#include <math.h>
#include <string.h>

#include "claim/claim_run.h"

#define N PH_DIM_MAX

typedef struct forced {
    ph_group group;
    int n;
    double c[3][N];
} forced;

/* Numbers of high entropy; c1 and c2 are not parallel to c0. */
static const double motion[3][N] = {{0.731, -0.412, 0.958, 0.643, 1.187, -0.521},
                                    {-0.864, 0.577, 1.234, 1.043, -0.389, 0.716},
                                    {0.298, 1.319, -0.645, -0.771, 0.862, 1.108}};

static void velocity(const forced *f, double t, double *v, double *vdot)
{
    for (int i = 0; i < f->n; i++) {
        v[i] = f->c[0][i] + t * (f->c[1][i] + t / 2 * f->c[2][i]);
        vdot[i] = f->c[1][i] + t * f->c[2][i];
    }
}

static ph_status M(const ph_state *s, double *out, void *ctx)
{
    const forced *f = ctx;
    (void)s;
    for (int i = 0; i < f->n; i++)
        out[i * f->n + i] = 1;
    return PH_OK;
}

static ph_status g(const ph_state *s, double *out, void *ctx)
{
    const forced *f = ctx;
    double v[N];
    velocity(f, s->t, v, out);
    for (int i = 0; i < f->n; i++)
        out[i] = -out[i];
    return PH_OK;
}

static ph_status zero(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)out, (void)ctx;
    return PH_OK;
}

/* ---- theta -------------------------------------------------------------------------------------- */

static void mul(int n, const double *A, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int j = 0; j < n; j++)
            y[i] += A[i * n + j] * x[j];
    }
}

/* d = T(theta + s k)^-1 v(t) */
static void slope(const forced *f, double t, const double *theta, double s, const double *k, double *d)
{
    double x[N], v[N], vdot[N], Tinv[N * N];
    for (int i = 0; i < f->n; i++)
        x[i] = theta[i] + s * k[i];
    velocity(f, t, v, vdot);
    ph_group_get(f->group)->Tinv(f->n, x, Tinv);
    mul(f->n, Tinv, v, d);
}

static void exact_theta(const forced *f, double h, double *theta)
{
    enum { STEPS = 64 };
    double s = h / STEPS, k[4][N];
    memset(theta, 0, N * sizeof(double));
    for (int m = 0; m < STEPS; m++) {
        slope(f, m * s, theta, 0, theta, k[0]);
        slope(f, (m + 0.5) * s, theta, s / 2, k[0], k[1]);
        slope(f, (m + 0.5) * s, theta, s / 2, k[1], k[2]);
        slope(f, (m + 1) * s, theta, s, k[2], k[3]);
        for (int i = 0; i < f->n; i++)
            theta[i] += s / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
}

/* theta of one step from exact values at t = 0; 0: it failed */
static int step_theta(forced *f, const ph_claim_run *run, double *theta)
{
    const ph_group_ops *op = ph_group_get(f->group);
    const ph_node node = {f->group, 0, "body"};
    const ph_system sys = {.n_nodes = 1, .nodes = &node, .M = M, .g = g, .C = zero, .K = zero, .ctx = f};
    ph_claim_alpha p = ph_claim_numbers(run);
    ph_options o = ph_claim_options(run);
    double q[N + 1], v[N], vdot[N], a[N], none[1] = {0};
    op->identity(0, q);
    velocity(f, (p.alpha_m - p.alpha_f) * run->h, v, a);
    velocity(f, 0, v, vdot);
    ph_sim *sim;
    if (ph_sim_create(&sim, &sys, &o, 0, q, v, NULL) != PH_OK)
        return 0;
    ph_state s = {.t = 0, .q = q, .v = v, .vdot = vdot, .a = a, .lambda = none};
    int ok = ph_sim_load(sim, &s, NULL) == PH_OK && ph_sim_step(sim, NULL) == PH_OK;
    if (ok)
        op->log(0, ph_sim_state(sim).q, theta);
    ph_sim_destroy(sim);
    return ok;
}

/* ---- the fit ------------------------------------------------------------------------------------ */

static double dot(int n, const double *a, const double *b)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}

/* Least squares: l/h^3 = x[0] [v, vdot] + x[1] vddot */
static int fit(forced *f, const ph_claim_run *run, double *x)
{
    double exact[N], theta[N], l[N], H[N * N], lie[N], h3 = run->h * run->h * run->h;
    int n = f->n;
    if (!step_theta(f, run, theta))
        return 0;
    exact_theta(f, run->h, exact);
    for (int i = 0; i < n; i++)
        l[i] = (exact[i] - theta[i]) / h3;
    ph_group_get(f->group)->hat(n, f->c[0], H);
    mul(n, H, f->c[1], lie);
    const double *jerk = f->c[2];
    double A = dot(n, lie, lie), B = dot(n, lie, jerk), D = dot(n, jerk, jerk), det = A * D - B * B;
    double r0 = dot(n, lie, l), r1 = dot(n, jerk, l);
    x[0] = (D * r0 - B * r1) / det;
    x[1] = (A * r1 - B * r0) / det;
    return 1;
}

int ph_measure_local(ph_study *study, const ph_claim_run *run, double *value)
{
    enum { LEVELS = 5 };
    double x[LEVELS][2];
    forced f = {.group = strcmp(run->problem, "SE3") ? PH_SO3 : PH_SE3};
    (void)study;
    f.n = ph_group_dim(f.group, 0);
    memcpy(f.c, motion, sizeof f.c);
    for (int k = 0; k < LEVELS; k++) {
        ph_claim_run r = *run;
        r.h = ldexp(run->h, -k);
        if (!fit(&f, &r, x[k]))
            return 0;
    }
    for (int m = 1; m < LEVELS; m++) /* c(h) = c + c1 h + c2 h^2 + ... */
        for (int k = 0; k + m < LEVELS; k++)
            for (int i = 0; i < 2; i++)
                x[k][i] = x[k + 1][i] + (x[k + 1][i] - x[k][i]) / (ldexp(1, m) - 1);
    value[0] = x[0][0], value[1] = x[0][1];
    return 1;
}

/* How far the Lie part is from (1/3 - sigma beta/gamma)/4. */
int ph_measure_local_gap(ph_study *study, const ph_claim_run *run, double *value)
{
    ph_claim_alpha p = ph_claim_numbers(run);
    double c[2];
    if (!ph_measure_local(study, run, c))
        return 0;
    value[0] = fabs(c[0] - (1.0 / 3 - p.sigma * p.beta / p.gamma) / 4);
    return 1;
}
