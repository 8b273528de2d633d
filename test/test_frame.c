/* Elements of beams and frames: energies of known deflections, directions, frames of members. */
#include "fe_cases.h"

/* Energies of deflections that elements have exactly: v = x^2, w = x^3, u = x, twist = x over [0, L] (X3) */
static void energies(void **state)
{
    (void)state;
    const double L = 0.7;
    ph_fe_section s = {.EA = 3, .GJ = 5, .EI = {7, 11}, .rhoA = 13, .J = {17, 19, 23}};
    double K[144], M[144], G[144];
    ph_fe_beam_stiffness(&s, L, K), ph_fe_beam_mass(&s, L, M), ph_fe_beam_stress(29, L, G);
    double v[12] = {[7] = L * L, [11] = 2 * L},       /* along the second axis, slope r3 */
        w[12] = {[8] = L * L * L, [10] = -3 * L * L}, /* along the third, slope -r2 */
        u[12] = {[6] = L}, twist[12] = {[9] = L};
    const struct {
        const double *q;
        double K, M, G;
    } rows[] = {{v, 11 * 4 * L, 13 * pow(L, 5) / 5 + 23 * 4 * pow(L, 3) / 3, 29 * 4 * pow(L, 3) / 3},
                {w, 7 * 12 * pow(L, 3), 13 * pow(L, 7) / 7 + 19 * 9 * pow(L, 5) / 5, 29 * 9 * pow(L, 5) / 5},
                {u, 3 * L, 13 * pow(L, 3) / 3, 0},
                {twist, 5 * L, 17 * pow(L, 3) / 3, 0}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        double e[3] = {0, 0, 0};
        for (int i = 0; i < 144; i++) {
            double qq = rows[k].q[i / 12] * rows[k].q[i % 12];
            e[0] += K[i] * qq, e[1] += M[i] * qq, e[2] += G[i] * qq;
        }
        check_near(e[0], rows[k].K, 1e-13); /* round-off: numbers of 10 to 100 */
        check_near(e[1], rows[k].M, 1e-13);
        check_near(e[2], rows[k].G, 1e-13);
    }
}

/* Frequencies do not depend on the direction of a beam, and EI on its section's axes. */
static void directions(void **state)
{
    (void)state;
    ph_fe_section s = steel_bar();
    s.EI[0] = 100;
    double omega[4] = {0};
    for (int trial = 0; trial < 4; trial++) {
        ph_fe fe = trial == 0   ? straight(s, 6, 1, 0, 0)
                   : trial == 1 ? straight(s, 6, 0, 0, 1)
                   : trial == 2 ? straight(s, 6, 0.6, 0, -0.8)
                                : straight(s, 6, -0.48, 0.64, 0.6);
        ph_fe_spec spec = clamped(4);
        ph_reduced *r = reduce(&fe, &spec);
        for (int k = 0; k < 4; k++)
            if (trial == 0)
                omega[k] = r->omega[k];
            else
                check_near(r->omega[k] / omega[k], 1,
                           1e-8); /* round-off, times the ratio of frequencies squared */
        if (trial == 0) {         /* the second axis is y: EI[0] is about it, and bends along z */
            assert_true(fabs(r->marker[6].Psi[2 * 4]) > 1 && fabs(r->marker[6].Psi[4]) < 1e-6);
            check_near(omega[0] / omega[1], sqrt(100.0 / 175), 1e-9);
        }
        ph_reduced_free(NULL, r);
        ph_fe_free(&fe);
    }
}

/* A right angle of two members: mass, centre, and the same whichever way members run. */
static void right_angle(void **state)
{
    (void)state;
    const double points[9] = {0, 0, 0, 1, 0, 0, 1, 0.5, 0};
    double omega[5] = {0};
    for (int trial = 0; trial < 2; trial++) {
        ph_fe_member m[2] = {{.from = 0, .to = 1, .n = 4, .section = steel_bar()},
                             {.from = trial ? 2 : 1, .to = trial ? 1 : 2, .n = 3, .section = steel_bar()}};
        ph_fe fe;
        ph_fe_spec spec = clamped(5);
        assert_int_equal(ph_fe_frame(&fe, NULL, 3, points, 2, m, NULL), PH_OK);
        assert_int_equal(fe.n_nodes, 3 + 3 + 2);
        ph_reduced *r = reduce(&fe, &spec);
        check_near(ph_reduced_mass(r), 0.785 * 1.5, 1e-14); /* round-off */
        check_near(ph_reduced_centre(r).x, (0.5 + 0.5) / 1.5, 1e-14);
        check_near(ph_reduced_centre(r).y, 0.125 / 1.5, 1e-14);
        for (int k = 0; k < 5; k++)
            if (trial == 0)
                omega[k] = r->omega[k];
            else
                check_near(r->omega[k] / omega[k], 1,
                           1e-9); /* round-off, times the ratio of frequencies squared */
        ph_reduced_free(NULL, r);
        ph_fe_free(&fe);
    }
}

static void refuses_members(void **state)
{
    (void)state;
    ph_fe fe;
    ph_error err = {0};
    const double points[6] = {0, 0, 0, 0, 0, 0}, line[6] = {0, 0, 0, 2, 0, 0};
    ph_fe_member m = {.from = 0, .to = 1, .n = 2, .section = steel_bar(), .axis = {1, 0, 0}};
    assert_int_equal(ph_fe_frame(&fe, NULL, 2, points, 1, &m, &err), PH_E_INPUT);
    assert_string_equal(err.text, "member 1 has length 0");
    assert_int_equal(ph_fe_frame(&fe, NULL, 2, line, 1, &m, &err), PH_E_INPUT);
    assert_string_equal(err.text, "member 1: the second axis of its section is along it");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(energies), cmocka_unit_test(directions),
                                       cmocka_unit_test(right_angle), cmocka_unit_test(refuses_members)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
