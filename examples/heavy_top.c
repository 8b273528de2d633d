/* A heavy top: one rigid body with its tip held at the origin, and only what a system must give: M, g, Phi,
 * B.
 *   m xddot = m gamma + lambda,  J Omegadot + Omega x J Omega = -X x R^T lambda,  Phi = -x + R X = 0
 *
 * cc heavy_top.c $(pkg-config --cflags --libs polhode) */
#include <polhode/sim.h>
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

static ph_status print(const ph_sim *sim, void *ctx)
{
    ph_state s = ph_sim_state(sim);
    ph_vec3 x = ph_state_x(&s, 0), f = ph_state_lambda(&s, 0);
    if (ph_sim_stats(sim).steps % 10 == 0)
        fprintf(ctx, "%.2f %9.6f %9.6f %9.6f %9.3f %9.3f %9.3f\n", s.t, x.x, x.y, x.z, f.x, f.y, f.z);
    return PH_OK;
}

int main(void)
{
    ph_system top = {.n_nodes = 2, .nodes = nodes, .n_constraints = 1, .constraints = &pivot};
    top.n_pairs = 2, top.pairs = blocks_of_M, top.flags = PH_MASS_CONSTANT;
    top.M = mass, top.g = force, top.Phi = joint, top.B = gradient;
    const double q0[] = {0, 1, 0, 1, 0, 0, 0};             /* x; quaternion of R */
    const double v0[] = {4.61538, 0, 0, 0, 150, -4.61538}; /* xdot; Omega, in the body */
    ph_options opt = ph_default_options();
    ph_error err;
    ph_sim *sim;
    opt.h = 1e-3;
    opt.formulation = PH_INDEX3, opt.start = PH_PLAIN; /* as in the reference below; the defaults are smoother */
    if (ph_sim_create(&sim, &top, &opt, 0, q0, v0, &err) || ph_sim_run(sim, 100, print, stdout, &err))
        return fprintf(stderr, "%s\n", err.text), 1;
    ph_state end = ph_sim_state(sim);
    ph_stats n = ph_sim_stats(sim);
    printf("%ld steps, %.2f iterations each\n", n.steps, (double)n.iterations / (double)n.steps);
    double off = ph_norm(ph_sub(ph_state_x(&end, 0), ph_v3(0.42122141217, 0.89458172225, -0.14931866644)));
    ph_sim_destroy(sim);
    return off < 1e-7 ? 0 : 1; /* the same steps, computed independently */
}
