/* Reduced bodies: those of src/fe against dense matrices that share no line with them. */
#include "fe_beam.h"
#include "fe_cases.h"

enum { ELEMENTS = 8 };

static fe_beam beam; /* large */
static double Psi[FE_DOF * FLEX_MODES];

/* A bar clamped at its first node; bending in the two planes differs, so that modes are unique but for
 * their signs. */
static ph_reduced *both(int modes, flex *x)
{
    ph_fe_section s = steel_bar();
    unsigned char is_free[FE_DOF];
    double omega[FLEX_MODES];
    s.EI[0] = 100;
    beam = (fe_beam){.L = 1, .EA = s.EA, .EI = s.EI[1], .GJ = s.GJ, .rhoA = s.rhoA, .rhoJ = s.J[0]};
    beam.EI_xz = s.EI[0], beam.slopes = 1;
    fe_build(&beam, ELEMENTS);
    for (int i = 0; i < FE_DOF; i++)
        is_free[i] = i >= 6;
    fe_modes(&beam, is_free, modes, Psi, omega);
    fe_reduce(&beam, Psi, modes, (int[]){0, ELEMENTS}, 2, 1, x);
    ph_fe fe = straight(s, ELEMENTS, 1, 0, 0);
    ph_fe_spec spec = clamped(modes);
    ph_reduced *r = reduce(&fe, &spec);
    ph_fe_free(&fe);
    check_le(max_diff(r->omega, omega, modes), 1e-10 * omega[modes - 1]); /* round-off: conditioning of K */
    return r;
}

/* The sign that takes column i of G of the one to that of the other: those of modes, and those of zeta_k
 * Omega. */
static double sign_of(const double *sign, int f, int i)
{
    return i < 6 ? 1 : i < 6 + f ? sign[i - 6] : sign[(i - 6 - f) / 3];
}

static void worse(double *worst, double a, double b)
{
    *worst = ph_larger(*worst, fabs(a - b));
}

static void reductions_agree(void **state)
{
    (void)state;
    static const char *const name[] = {"0", "8"};
    enum { MODES = 9 }; /* up to bending of order 4, and one of torsion */
    flex x;
    ph_reduced *r = both(MODES, &x);
    int f = MODES, n = 6 + 4 * f, f2 = f * f, tip = -1;
    double sign[MODES], mass = 0, stiffness = 0, stress[2] = {0};
    assert_int_equal(r->modes, f);
    assert_int_equal(r->n_markers, ELEMENTS + 1);
    for (int m = 0; m < r->n_markers; m++)
        tip = strcmp(r->marker[m].name, name[1]) ? tip : m;
    assert_true(tip >= 0);
    for (int k = 0; k < f; k++) { /* of the largest displacement or rotation of the tip */
        double best = 0, to = 0;
        for (int a = 0; a < 6; a++) {
            double here = a < 3 ? x.Psi[1][a * f + k] : x.Th[1][(a - 3) * f + k];
            double there = a < 3 ? r->marker[tip].Psi[a * f + k] : r->marker[tip].Th[(a - 3) * f + k];
            if (fabs(here) > best)
                best = fabs(here), to = here * there;
        }
        sign[k] = to < 0 ? -1 : 1;
    }
    fe_balance(&x);
    for (int i = 0; i < n * n; i++)
        worse(&mass, r->calM[i] * sign_of(sign, f, i / n) * sign_of(sign, f, i % n), x.calM[i]);
    for (int i = 0; i < f2; i++)
        worse(&stiffness, r->Kf[i] * sign[i / f] * sign[i % f], x.Kf[i]);
    for (int i = 0; i < (PH_KG_MARKERS + 3) * f2; i++) { /* up to markers, and the tip */
        int c = i / f2, at = c < PH_KG_MARKERS ? c : PH_KG_MARKERS + 3 * tip + c - PH_KG_MARKERS, e = i % f2;
        int own = c < PH_KG_MARKERS ? c : c + 3;
        worse(&stress[c >= PH_KG_MARKERS], ph_reduced_KG(r, at)[e] * sign[e / f] * sign[e % f],
              ph_reduced_KG(&x.r, own)[e]);
    }
    check_le(mass, 1e-10); /* round-off: numbers of size 1, vectors of stiff modes */
    check_le(stiffness, 1e-10 * x.Kf[f2 - 1]);
    check_le(stress[0], 1e-10 * ph_small_max(PH_KG_MARKERS * f2, x.KG));
    check_le(stress[1], 1e-10 * ph_small_max(3 * f2, x.KG + (PH_KG_MARKERS + 3) * f2));
    ph_reduced_free(NULL, r);
}

/* Numbers that no body has. */
static void checks(void **state)
{
    (void)state;
    enum { CALM, KF, DF, X, PSI, TH, OMEGA };
    static const struct {
        int what, at; /* which number, and what it becomes */
        double x;
        const char *says; /* NULL: it is all right */
    } rows[] = {
        {OMEGA, 0, 1, NULL},
        {OMEGA, 1, NAN, "omega has a number that is none or larger than"},
        {CALM, 0, NAN, "calM has a number that is none or larger than"},
        {CALM, 1, 0.5, "calM is not symmetric, in row 2, column 1"},
        {CALM, 14 + 1, 2, "calM is not that of a body, in row 2, column 2"},
        {CALM, 14 * 3 + 3, 0, "calM is not positive definite"},
        {CALM, 14 * 6 + 6, 0,
         "calM is not positive definite, which shows in row 7: a mode that is a rigid motion?"},
        {KF, 0, INFINITY, "Kf has a number"},
        {KF, 0, -1e6, "Kf has a negative eigenvalue"},
        {KF, 1, 1e9, "Kf is not symmetric, in row 2, column 1"},
        {DF, 0, -1, "Df has a negative eigenvalue, -1"},
        {X, 0, INFINITY, "marker '0' has a number that is none or larger than"},
        {PSI, 3, NAN, "marker '0' has a number that is none or larger than"},
        {TH, 2, 1e200, "marker '0' has a number that is none or larger than"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        ph_fe fe = straight(steel_bar(), 4, 1, 0, 0);
        ph_fe_spec spec = clamped(2);
        ph_reduced *r = reduce(&fe, &spec);
        ph_error err = {0};
        ph_fe_free(&fe);
        double *at[] = {
            r->calM, r->Kf, r->Df, &r->marker[0].X.x, (double *)r->marker[0].Psi, (double *)r->marker[0].Th,
            r->omega};
        at[rows[k].what][rows[k].at] = rows[k].x;
        assert_int_equal(ph_reduced_check(r, NULL, &err), rows[k].says ? PH_E_INPUT : PH_OK);
        if (rows[k].says && !strstr(err.text, rows[k].says))
            fail_msg("row %d: '%s' has no '%s'", (int)k, err.text, rows[k].says);
        ph_reduced_free(NULL, r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checks),
        cmocka_unit_test(reductions_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
