/* Finite elements that make no sense are refused with a sentence that says where. */
#include "fe_cases.h"

static double *entry(ph_csc *A, int i, int j)
{
    for (int k = A->p[j]; k < A->p[j + 1]; k++)
        if (A->i[k] == i)
            return &A->x[k];
    fail();
    return NULL;
}

static void sound_bar(void **state)
{
    (void)state;
    ph_fe fe = straight(steel_bar(), 10, 0.6, 0.8, 0);
    ph_fe_sound sound;
    assert_int_equal(ph_fe_sound_check(&fe, PH_FACTOR_AUTO, &sound, NULL), PH_OK);
    check_near(sound.mass, 0.785, 1e-15); /* round-off */
    check_le(sound.strain, 1e-15);
    check_le(sound.isotropy, 1e-14);
    assert_int_equal(sound.rows, 66);
    ph_fe_free(&fe);
}

static void refuses(void **state)
{
    (void)state;
    ph_fe_spec spec = clamped(2);
    ph_fe_section s = steel_bar();
    ph_fe fe = straight(s, 10, 1, 0, 0);
    *entry(&fe.K, 13, 13) *= 1.001; /* a spring to the ground, at node 2 along y */
    refuse(&fe, &spec,
           "beam: the stiffness is not that of a body that nothing holds: moving it along y gives forces");
    refuse(&fe, &spec, "most at node 2, component 2");
    ph_fe_free(&fe);

    fe = straight(s, 10, 1, 0, 0);
    *entry(&fe.K, 13, 13) = NAN;
    refuse(&fe, &spec, "the stiffness is zero or not finite");
    ph_fe_free(&fe);

    fe = straight(s, 10, 1, 0, 0);
    *entry(&fe.M, 13, 13) *= 1.1;
    refuse(&fe, &spec, "the mass depends on the direction");
    ph_fe_free(&fe);

    s.J[0] = 0;
    fe = straight(s, 10, 1, 0, 0);
    refuse(&fe, &spec,
           "the mass matrix is not positive definite: it shows at node 0, component 4 (a node without rotary "
           "inertia?)");
    ph_fe_free(&fe);

    fe = straight(steel_bar(), 10, 1, 0, 0); /* torsion of the last element pushes */
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++)
            *entry(&fe.K, 6 * (9 + a) + 3, 6 * (9 + b) + 3) -= (a == b ? 2 : -2) * 1350;
    refuse(&fe, &spec, "with the frame held, the stiffness is not positive definite; it shows at node");
    ph_fe_free(&fe);
}

static void refuses_modes(void **state)
{
    (void)state;
    ph_fe fe = straight(steel_bar(), 4, 1, 0, 0);
    double Psi[3 * 30] = {0};
    ph_error err = {0};
    for (int i = 0; i < 5; i++) {
        double x = 0.25 * i;
        Psi[6 * i + 1] = x * x, Psi[6 * i + 5] = 2 * x;
        Psi[30 + 6 * i + 1] = x * x - 3 * x + 7,
                         Psi[30 + 6 * i + 5] = 2 * x - 3; /* the same and a rigid motion */
        Psi[60 + 6 * i + 1] = x, Psi[60 + 6 * i + 5] = 1;
    }
    assert_int_equal(ph_fe_sound_modes(&fe, 1, Psi, "Psi.mtx", &err), PH_OK);
    assert_int_equal(ph_fe_sound_modes(&fe, 2, Psi, "Psi.mtx", &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "is a combination of the others and rigid motions"));
    assert_int_equal(ph_fe_sound_modes(&fe, 1, Psi + 60, "Psi.mtx", &err), PH_E_INPUT);
    assert_string_equal(err.text,
                        "Psi.mtx: mode 1 is a rigid motion, which the frame of the body has already");
    memset(Psi, 0, sizeof Psi);
    assert_int_equal(ph_fe_sound_modes(&fe, 1, Psi, "Psi.mtx", &err), PH_E_INPUT);
    assert_string_equal(err.text, "Psi.mtx: mode 1 is zero");
    ph_fe_free(&fe);
}

/* No mass, no stiffness; nodes on a line without rotary inertia. */
static void nothing_there(void **state)
{
    (void)state;
    ph_fe_spec spec = clamped(2);
    for (int mass = 0; mass < 2; mass++) {
        ph_fe fe = straight(steel_bar(), 4, 1, 0, 0);
        ph_csc *A = mass ? &fe.M : &fe.K;
        for (int k = 0; k < A->p[A->columns]; k++)
            A->x[k] = 0;
        refuse(&fe, &spec, mass ? "the mass is 0 kg" : "the stiffness is zero or not finite");
        ph_fe_free(&fe);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_there), cmocka_unit_test(sound_bar),
                                       cmocka_unit_test(refuses), cmocka_unit_test(refuses_modes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
