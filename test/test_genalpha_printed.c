/* The algorithms as printed: in vector spaces they are generalized-alpha, on groups they are of second order with another
 * error. */
#include "forms.h"
#include "sim_life.h"

#include "polhode/lie.h"
#include "step/sim.h"

static ph_options printed(ph_formulation f, double sigma, double h)
{
    ph_options o = ph_default_options();
    o.method = "genalpha-printed", o.formulation = f, o.sigma = sigma, o.h = h, o.newton = PH_FULL;
    o.atol = 1e-13, o.rtol = 1e-12;
    return o;
}

/* hat is 0 in R^n: what is missing in the printed equations is 0 too. */
static void vector_spaces(void **state)
{
    (void)state;
    ph_problem *p = problem_named("pendulum");
    for (int f = 0; f < FORMS; f++) {
        if (forms[f] == PH_INDEX2)
            continue; /* none is printed */
        ph_options o = printed(forms[f], 1, 0.01);
        snapshot a = end_of(p, &o, 50, NULL);
        o.method = "genalpha";
        snapshot b = end_of(p, &o, 50, NULL);
        check_le(distance(&a, &b), 1e-9); /* round-off, and Newton's tolerance over h^2 in multipliers */
        free(a.x), free(b.x);
    }
    ph_problem_destroy(p);
}

static double error_of(const ph_problem *p, const char *method, double sigma, double h)
{
    ph_options o = printed(PH_INDEX3, sigma, h);
    double q[8], v[6], vdot[6];
    o.method = method;
    snapshot x = end_of(p, &o, lround(0.2 / h), NULL);
    assert_true(p->exact(p, 0.2, q, v, vdot, NULL));
    double e = max_diff(snap_q(&x), q, 7);
    free(x.x);
    return e;
}

/* sigma of (Q0), whose error the printed algorithms have; Chung and Hulbert's numbers for rho */
static double sigma_printed(double sigma, double rho)
{
    double alpha_m = (2 * rho - 1) / (rho + 1), alpha_f = rho / (rho + 1), gamma = 0.5 + alpha_f - alpha_m;
    double beta = (gamma + 0.5) * (gamma + 0.5) / 4;
    return sigma * (2 + (4 * beta - 2 * gamma) * (1 - alpha_f) / (1 - alpha_m));
}

/* On R^3 x SO(3) of second order, with the error of another sigma (Q0). */
static void groups(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top_r3xso3");
    double e[3];
    for (int k = 0; k < 3; k++)
        e[k] = error_of(p, "genalpha-printed", 1, 1e-3 / (1 << k));
    for (int k = 0; k < 2; k++)
        check_near(log2(e[k] / e[k + 1]), 2, 0.15); /* order */
    double other = sigma_printed(1, ph_default_options().rho);
    double same = error_of(p, "genalpha", 1, 2.5e-4), effective = error_of(p, "genalpha", other, 2.5e-4);
    check_near(e[2] / effective, 1, 0.05); /* ordering: terms of higher order */
    assert_true(fabs(e[2] / same - 1) > 0.2);
    ph_problem_destroy(p);
}

/* ---- a step, equation by equation ------------------------------------------------------------------------ */

/* Two bodies that turn under constant moments, without gyroscopic terms: M vdot + g = 0 with both constant. */
static const double inertia[2][3] = {{1, 2, 3}, {4, 2, 5}}, moment[2][3] = {{40, -30, 20}, {-10, 50, 30}};

static ph_status two_M(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)ctx;
    memset(out, 0, sizeof(double) * 18);
    for (int b = 0; b < 2; b++)
        for (int k = 0; k < 3; k++)
            out[9 * b + 4 * k] = inertia[b][k];
    return PH_OK;
}

static ph_status two_g(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)ctx;
    for (int b = 0; b < 2; b++)
        for (int k = 0; k < 3; k++)
            out[3 * b + k] = -moment[b][k];
    return PH_OK;
}

/* P^-1 of (Q5) */
static void inverse_of(double sigma, const double *theta, double *P)
{
    double c = 1 - sigma, H[9] = {0, -theta[2], theta[1], theta[2], 0, -theta[0], -theta[1], theta[0], 0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double H2 = 0;
            for (int k = 0; k < 3; k++)
                H2 += H[3 * i + k] * H[3 * k + j];
            P[3 * i + j] = (i == j) + c / 2 * (H[3 * i + j] - (2 - 3 * c) / 6 * H2);
        }
}

/* (Q1) to (Q5) for one of the bodies, from the state of sim at v_at = 3 b; theta and v at the end. */
static void by_hand(const ph_sim *sim, const ph_options *o, int b, double *theta, double *v)
{
    double rho = o->rho, alpha_m = (2 * rho - 1) / (rho + 1), alpha_f = rho / (rho + 1);
    double gamma = 0.5 + alpha_f - alpha_m, beta = (gamma + 0.5) * (gamma + 0.5) / 4, h = o->h;
    double gp = gamma / (h * beta), eps = (1 - alpha_m) / (h * gamma * (1 - alpha_f));
    double vdot[3] = {0}, x[3], P[9], Tinv[9];
    for (int k = 0; k < 3; k++) {
        int at = 3 * b + k;
        double a0 = sim->now.a[at], a1 = (alpha_f * sim->now.vdot[at] - alpha_m * a0) / (1 - alpha_m);
        v[k] = sim->now.v[at] + h * (1 - gamma) * a0 + h * gamma * a1;
        x[k] = h * sim->now.v[at] + h * h * ((0.5 - beta) * a0 + beta * a1);
    }
    double u = -o->sigma * h * beta / gamma;
    ph_vec3 turned = ph_cross(ph_scale(u, ph_load3(v)), ph_load3(x));
    theta[0] = x[0] + turned.x, theta[1] = x[1] + turned.y, theta[2] = x[2] + turned.z;
    inverse_of(o->sigma, theta, P);
    for (int n = 0; n < 30; n++) { /* M gp eps P^-1 D = -(M vdot + g) */
        double D[3], r[3];
        for (int k = 0; k < 3; k++)
            r[k] = (moment[b][k] / inertia[b][k] - vdot[k]) / (gp * eps);
        ph_mat3 inverse = ph_minv((ph_mat3){P[0], P[1], P[2], P[3], P[4], P[5], P[6], P[7], P[8]});
        ph_vec3 d = ph_mul(inverse, ph_load3(r));
        D[0] = d.x, D[1] = d.y, D[2] = d.z;
        ph_group_get(PH_SO3)->Tinv(3, theta, Tinv);
        for (int k = 0; k < 3; k++)
            x[k] = Tinv[3 * k] * D[0] + Tinv[3 * k + 1] * D[1] + Tinv[3 * k + 2] * D[2];
        for (int k = 0; k < 3; k++)
            theta[k] += x[k];
        inverse_of(o->sigma, theta, P);
        for (int k = 0; k < 3; k++) {
            double moved = P[3 * k] * D[0] + P[3 * k + 1] * D[1] + P[3 * k + 2] * D[2];
            v[k] += gp * moved, vdot[k] += gp * eps * moved;
        }
    }
}

static void a_step_is_as_printed(void **state)
{
    (void)state;
    const ph_node nodes[] = {{PH_SO3, 0, "a"}, {PH_SO3, 0, "b"}};
    const ph_place pairs[] = {{0, 0}, {1, 1}};
    ph_system sys = {
        .name = "two", .n_nodes = 2, .nodes = nodes, .n_pairs = 2, .pairs = pairs, .M = two_M, .g = two_g};
    const double q0[] = {1, 0, 0, 0, 0.5, 0.5, -0.5, 0.5}, v0[] = {3, -2, 5, 4, 6, -1};
    static const double sigmas[] = {0.5, 0.25, 2};
    for (int k = 0; k < 3; k++) {
        ph_options o = printed(PH_INDEX3, sigmas[k], 0.1);
        ph_sim *sim = sim_of(&sys, &o, q0, v0);
        double theta[2][3], v[2][3], e[4], q[4];
        run_sim(sim, 2); /* a is no longer vdot */
        for (int b = 0; b < 2; b++)
            by_hand(sim, &o, b, theta[b], v[b]);
        memcpy(q, ph_sim_state(sim).q + 4, sizeof q);
        run_sim(sim, 1);
        ph_state x = ph_sim_state(sim);
        check_le(max_diff(x.v, v[0], 6), 1e-12); /* round-off */
        ph_group_get(PH_SO3)->exp(3, theta[1], e);
        ph_group_get(PH_SO3)->compose(3, q, e, q);
        check_le(max_diff(x.q + 4, q, 4), 1e-12); /* round-off */
        ph_sim_destroy(sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(vector_spaces), cmocka_unit_test(groups),
                                       cmocka_unit_test(a_step_is_as_printed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
