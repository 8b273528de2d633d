/* A system of one's own, a heavy top: a body with its tip held at the origin. It gives M, g, Phi and B.
 *   m xddot = m gamma + lambda,  J Omegadot + Omega x J Omega = -X x R^T lambda,  Phi = -x + R X = 0
 *
 * cc heavy_top.c $(pkg-config --cflags --libs polhode) */
#include <polhode/polhode.h>
#include <stdio.h>

static const double m = 15, gravity = 9.81;             /* kg, m/s^2 */
static const ph_vec3 J = {0.234375, 0.46875, 0.234375}; /* kg m^2, about the centre of mass */
static const ph_vec3 X = {0, 1, 0};                     /* from the tip to the centre of mass, in the body */

/* A body is two nodes: x of its centre of mass, R of its axes. One constraint holds both. */
static const ph_node nodes[] = {{.group = PH_RN, .n = 3, .name = "x"}, {.group = PH_SO3, .name = "R"}};
static const ph_constraint pivot = {.rows = 3, .name = "pivot"};
static const ph_place blocks_of_M[] = {{0, 0}, {1, 1}}; /* those of B are not listed: all */

/* Matrices are written block by block, each row by row; entries that stay zero need not be set. */
static ph_status mass(const ph_state *s, double *M, void *ctx)
{
    (void)s, (void)ctx;
    ph_store33(M, ph_diag3(m, m, m));
    ph_store33(M + 9, ph_diag3(J.x, J.y, J.z));
    return PH_OK;
}

static ph_status force(const ph_state *s, double *g, void *ctx)
{
    ph_vec3 Omega = ph_state_v(s, 1, 0), L = {J.x * Omega.x, J.y * Omega.y, J.z * Omega.z};
    (void)ctx;
    g[2] = m * gravity; /* on the left-hand side: M vdot + g + B^T lambda = 0 */
    ph_store3(g + 3, ph_cross(Omega, L));
    return PH_OK;
}

static ph_status joint(const ph_state *s, double *Phi, void *ctx)
{
    (void)ctx;
    ph_store3(Phi, ph_sub(ph_mul(ph_state_R(s, 1), X), ph_state_x(s, 0)));
    return PH_OK;
}

/* dPhi = B dq: -I for x and, as d(R X) = R (dtheta x X), -R tilde(X) for R */
static ph_status gradient(const ph_state *s, double *B, void *ctx)
{
    (void)ctx;
    ph_store33(B, ph_diag3(-1, -1, -1));
    ph_store33(B + 9, ph_mscale(-1, ph_mtilde(ph_state_R(s, 1), X)));
    return PH_OK;
}

int main(void)
{
    ph_system top = {.n_nodes = 2, .nodes = nodes, .n_constraints = 1, .constraints = &pivot};
    top.n_pairs = 2, top.pairs = blocks_of_M, top.flags = PH_MASS_CONSTANT;
    top.M = mass, top.g = force, top.Phi = joint, top.B = gradient;
    const double q0[] = {0, 1, 0, 1, 0, 0, 0};             /* x; quaternion of R */
    const double v0[] = {4.61538, 0, 0, 0, 150, -4.61538}; /* xdot; Omega, in the body */
    /* as in the reference below; the defaults are smoother */
    const char *const options[] = {"h=1e-3", "formulation=index3", "start=plain"};
    ph_run_config config = ph_run_defaults();
    ph_error err;
    ph_run *run;
    config.options = options, config.n_options = 3;
    if (ph_run_create_system(&run, &top, 0, q0, v0, &config, &err))
        return fprintf(stderr, "%s\n", err.text), 1;
    for (int step = 0; step <= 100; step++) {
        ph_state s = ph_sim_state(ph_run_sim(run));
        ph_vec3 x = ph_state_x(&s, 0), f = ph_state_lambda(&s, 0);
        if (step % 10 == 0)
            printf("%.2f %9.6f %9.6f %9.6f %9.3f %9.3f %9.3f\n", s.t, x.x, x.y, x.z, f.x, f.y, f.z);
        if (step < 100 && ph_run_step(run, &err))
            return fprintf(stderr, "%s\n", err.text), 1;
    }
    ph_state end = ph_sim_state(ph_run_sim(run));
    double off = ph_norm(ph_sub(ph_state_x(&end, 0), ph_v3(0.42122141217, 0.89458172225, -0.14931866644)));
    ph_run_close(run);
    return off < 1e-7 ? 0 : 1; /* the same steps, computed independently */
}
