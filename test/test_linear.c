/* The linearised system: spinning, rolling and turning systems, and the accelerations that it must give. */
#include "modes_cases.h"

/* N^T M vdot at displaced states is what A says: the reduced matrix against differences of accelerations. (T6), (T7) */
static void agrees_with_accelerations(void **state)
{
    (void)state;
    const char *text =
        "model 'lamp'\n"
        "gravity {1, 0, -9.81}\n"
        "body { name = 'a', mass = 2, inertia = {0.2, 0.3, 0.25}, position = {0.1, 0.2, -0.4} }\n"
        "body { name = 'b', mass = 1, inertia = {0.1, 0.2, 0.15}, position = {0.3, 0.1, -0.9} }\n"
        "joint { name = 'j', type = 'universal', bodies = {'ground', 'a'}, at = {0, 0, 0},\n"
        "        axis_a = {1, 0, 0}, axis_b = {0, 1, 0} }\n"
        "joint { name = 'k', type = 'universal', bodies = {'a', 'b'}, at = {0.2, 0.2, -0.7},\n"
        "        axis_a = {1, 0, 0}, axis_b = {0, 1, 0} }\n"
        "bushing { name = 's', bodies = {'a', 'b'}, at_a = {0.1, 0, -0.3}, at_b = {-0.1, 0.1, 0.2},\n"
        "          k = {20, 30, 10}, kr = {1, 2, 3} }\n";
    for (int space = 0; space < 2; space++) {
        modes s = modes_at_rest(text, resting_spaces[space]);
        const ph_system *sys = ph_mechanism_system(s.h.mech);
        int nv = ph_system_nv(sys);
        assert_int_equal(s.info.count, 4);
        for (int k = 0; k < 4; k++) {
            double re[12], vdot[2][12], q[14], e = 1e-4, worst = 0, size = 0;
            assert_int_equal(ph_modes_shape(s.m, k, re, NULL, NULL), PH_OK);
            for (int side = 0; side < 2; side++) {
                for (int n = 0; n < sys->n_nodes; n++) {
                    const ph_group_ops *op = ph_group_get(sys->nodes[n].group);
                    int dim = ph_group_dim(sys->nodes[n].group, sys->nodes[n].n);
                    double y[6], g[7];
                    for (int i = 0; i < dim; i++)
                        y[i] = (side ? -e : e) * re[s.h.s.v_at[n] + i];
                    op->exp(dim, y, g);
                    op->compose(dim, s.h.s.q + s.h.s.q_at[n], g, q + s.h.s.q_at[n]);
                }
                ph_options o = ph_default_options();
                ph_sim *sim;
                o.h = 1e-3, o.start = PH_PLAIN, o.project = 1;
                assert_int_equal(ph_sim_create(&sim, sys, &o, 0, q, s.h.s.v, &s.h.err), PH_OK);
                memcpy(vdot[side], ph_sim_state(sim).vdot, sizeof(double) * (size_t)nv);
                ph_sim_destroy(sim);
            }
            double w2 = pow(cimag(value_of(&s, k)), 2); /* vdot = -omega^2 y */
            for (int i = 0; i < nv; i++) {
                worst = fmax(worst, fabs((vdot[0][i] - vdot[1][i]) / (2 * e) + w2 * re[i]));
                size = fmax(size, w2 * fabs(re[i]));
            }
            check_le(worst / size, 1e-6); /* derivative: central differences over 1e-4 */
        }
        modes_close(&s);
    }
}

#define ROTOR                                                                                                \
    "model 'rotor'\n"                                                                                        \
    "gravity {0, 0, 0}\n"                                                                                    \
    "body { name = 'rotor', mass = 2, inertia = {0.05, 0.03, 0.03}, velocity = {0, 0, 0}, omega = {%g, 0, "  \
    "0} }\n"                                                                                                 \
    "for i, x in ipairs {-0.2, 0.2} do\n"                                                                    \
    "  bushing { name = 'b' .. i, bodies = {'ground', 'rotor'}, at_a = {x, 0, 0}, at_b = {x, 0, 0},\n"       \
    "            k = {300, 1000, 1000} }\n"                                                                  \
    "end\n"

/* Tilting: Jt w^2 -+ Js Omega w - 2 k a^2 = 0; bounce and axial motion know nothing of the spin. */
static void rotor_splits(void **state)
{
    (void)state;
    for (int k = 0; k < 6; k++) {
        char text[1024];
        double spin = 50.0 * (k / 2), Jt = 0.03, Js = 0.05, stiff = 2 * 1000 * 0.04;
        snprintf(text, sizeof text, ROTOR, spin);
        modes s = modes_moving(text, resting_spaces[k % 2]);
        double root = sqrt(Js * Js * spin * spin + 4 * Jt * stiff);
        double scale = 1e-9 * fmax(1, spin); /* round-off of eigenvalues beside a double one at 0 */
        assert_true(!s.info.turning);
        check_le(miss(&s, I * (root + Js * spin) / (2 * Jt)), scale);
        check_le(miss(&s, I * (root - Js * spin) / (2 * Jt)), scale);
        check_le(miss(&s, I * sqrt(1000)), scale);
        check_le(miss(&s, I * sqrt(300)), scale);
        check_le(miss(&s, 0), 0); /* exact: free to spin faster */
        modes_close(&s);
    }
}

/* (Jt + m l^2) w^2 -+ Js Omega w + m g l = 0 with the sign of the side: fast tops sleep, slow ones fall. */
static void tops(void **state)
{
    (void)state;
    for (int k = 0; k < 6; k++) {
        char text[512];
        double spin = (double[]){40, 300, 20}[k / 2], l = k / 2 == 0 ? -0.3 : 0.3, J = 0.03 + 2 * 0.09,
               Js = 0.05;
        snprintf(text, sizeof text,
                 "model 'top'\ngravity {0, 0, -9.81}\n"
                 "body { name = 'top', mass = 2, inertia = {0.03, 0.03, 0.05}, position = {0, 0, %g},\n"
                 "       omega = {0, 0, %g}, velocity = {0, 0, 0} }\n"
                 "joint { name = 'tip', type = 'spherical', bodies = {'ground', 'top'}, at = {0, 0, 0} }\n",
                 l, spin);
        modes s = modes_moving(text, resting_spaces[k % 2]);
        double complex root = csqrt(Js * Js * spin * spin - 4 * J * 2 * G * l);
        for (int sign = -1; sign <= 1; sign += 2) { /* mu = i w */
            double complex mu = I * (Js * spin + sign * root) / (2 * J);
            check_le(miss(&s, cimag(mu) < 0 ? conj(mu) : mu), 1e-8 * spin); /* round-off of eigenvalues */
        }
        double most = 0;
        for (int j = 0; j < s.info.count; j++)
            most = fmax(most, creal(value_of(&s, j)));
        assert_true((most > 1) == (k / 2 == 2));
        modes_close(&s);
    }
}

/* (T9) */
static void all_turn_together(void **state)
{
    (void)state;
    modes s = modes_moving(whirl, PH_SPACE_SE3);
    double inertia = 0.05 + 2 * 0.16 - 0.02, c = 2 * G * 0.4 / (64 * inertia);
    assert_true(s.info.turning);
    assert_int_equal(s.info.count, 1);
    check_le(cabs(value_of(&s, 0) - I * 8 * sqrt(inertia * (1 - c * c) / (0.06 + 2 * 0.16))),
             1e-8); /* drive */
    modes_close(&s);
}

/* A thin disc that rolls straight on: (A + m r^2) w^2 = C (C + m r^2) Omega^2/A - m g r. */
static void rolling_disc(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[512];
        double spin = k ? 1.5 : 20, A = 0.05, C = 0.1, m = 2, r = 0.3;
        snprintf(text, sizeof text,
                 "model 'disc'\ngravity {0, 0, -9.81}\n"
                 "body { name = 'disc', mass = 2, inertia = {0.05, 0.1, 0.05}, position = {0, 0, 0.3},\n"
                 "       velocity = {%g, 0, 0}, omega = {0, %g, 0} }\n"
                 "joint { name = 'road', type = 'rolling', bodies = {'ground', 'disc'}, radius = 0.3,\n"
                 "        at = {0, 0, 0}, axis = {0, 1, 0}, normal = {0, 0, 1} }\n",
                 0.3 * spin, spin);
        modes s = modes_moving(text, PH_SPACE_R3XSO3);
        double square = (C * (C + m * r * r) * spin * spin / A - m * G * r) / (A + m * r * r);
        double complex mu = I * csqrt(square);
        check_le(miss(&s, cimag(mu) == 0 ? fabs(creal(mu)) : mu), 1e-6); /* derivative: zeros are fivefold */
        modes_close(&s);
    }
}

/* Chaplygin's sleigh: a knife edge, sliding straight on at speed u, its centre of mass a ahead of the edge;
 * (J + m a^2) psi'' + m a u psi' = 0, stable forwards and unstable backwards. */
static ph_status sleigh_M(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)ctx;
    out[0] = out[4] = 3, out[8] = 0.7;
    return PH_OK;
}

static ph_status sleigh_g(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)out, (void)ctx;
    return PH_OK;
}

static ph_status sleigh_A(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    out[0] = -sin(s->q[2]), out[1] = cos(s->q[2]), out[2] = -0.4;
    return PH_OK;
}

static void sleigh(void **state)
{
    (void)state;
    const ph_node node = {PH_RN, 3, "sleigh"};
    const ph_constraint edge = {1, 1, "edge"};
    const ph_system sys = {.n_nodes = 1,
                           .nodes = &node,
                           .n_constraints = 1,
                           .constraints = &edge,
                           .M = sleigh_M,
                           .g = sleigh_g,
                           .B = sleigh_A,
                           .flags = PH_MASS_CONSTANT};
    for (double u = -2; u <= 2; u += 4) {
        modes s = {0};
        const double q[] = {1, 2, 0.5}, v[] = {u * cos(0.5), u * sin(0.5), 0};
        assert_int_equal(ph_modes_create(&s.m, &sys, 0, q, v, NULL, &s.h.err), PH_OK);
        s.info = ph_modes_get_info(s.m);
        assert_int_equal(s.info.count, 5);                         /* 3 positions and 2 velocities */
        check_le(miss(&s, -3 * 0.4 * u / (0.7 + 3 * 0.16)), 1e-8); /* derivative: Z is differenced */
        modes_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_accelerations), cmocka_unit_test(rotor_splits), cmocka_unit_test(tops),
        cmocka_unit_test(all_turn_together),         cmocka_unit_test(rolling_disc), cmocka_unit_test(sleigh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
