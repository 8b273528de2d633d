/* The softening of flexible bodies whose stiffness under load is left out (X25). */
#include "fe_beam.h"
#include "flex_cases.h"

static fe_beam beam; /* large */
static double Psi[FE_DOF * FLEX_MODES];

typedef struct hung {
    kit k;
    fixture r;
    flex x;
    double omega[FLEX_MODES];
} hung;

enum { FRAME, ROOT, TIP, LOAD };

/* A bar of length 2 along x in the body, pinned at its root, with a load on a pin at its tip; turned
 * anyhow. */
static void hang(hung *h, ph_quat turn, int stiffen)
{
    unsigned char is_free[FE_DOF];
    const int modes = 4;
    beam = (fe_beam){.L = 2, .EA = 1e5, .EI = 50, .EI_xz = 70, .GJ = 40, .rhoA = 3, .rhoJ = 1e-3};
    fe_build(&beam, 8);
    for (int i = 0; i < FE_DOF; i++)
        is_free[i] = i >= 6;
    fe_modes(&beam, is_free, modes, Psi, h->omega);
    fe_reduce(&beam, Psi, modes, (int[]){0, 8}, 2, stiffen, &h->x);
    h->x.r.omega = h->omega;
    kit_open(&h->k);
    kit_flexible(&h->k, "bar", &h->x, ph_v3(0, 0, 0), turn);
    ph_vec3 tip = ph_quat_rotate(turn, ph_v3(2, 0, 0));
    kit_body(&h->k, "load", 5, ph_diag3(1, 1, 1), tip, turn);
    kit_joint(&h->k, "root", PH_J_SPHERICAL, PH_GROUND, ROOT, ph_v3(0, 0, 0), ph_v3(0, 0, 1));
    kit_joint(&h->k, "tip", PH_J_SPHERICAL, TIP, LOAD, tip, ph_v3(0, 0, 1));
    fixture_open(&h->r, &h->k.m, PH_SPACE_R3XSO3);
    fixture_set(&h->r, FRAME, (ph_kin){.q = turn});
    fixture_set(&h->r, LOAD, (ph_kin){.x = tip, .q = turn});
}

static void softening_of(hung *h, double *spin, double *load)
{
    ph_state s = fixture_state(&h->r);
    assert_int_equal(ph_mechanism_softening(h->r.mech, &s, 0, spin, load), 1);
}

/* Spin across the bar counts, spin about it does not. */
static void spin_counts_across(void **state)
{
    (void)state;
    uint64_t seed = 1;
    hung h;
    double spin, load;
    ph_quat turn = rnd_turn(3, &seed);
    hang(&h, turn, 0);
    ph_vec3 w = ph_v3(11, 3, -4);
    fixture_set(&h.r, FRAME, (ph_kin){.q = turn, .w = w});
    softening_of(&h, &spin, &load);
    check_near(spin, 25 / (h.omega[0] * h.omega[0]), 1e-12); /* round-off */
    fixture_close(&h.r);
}

/* At rest with accelerations and reactions of equilibrium: hanging bars carry their own weight and the
 * load. */
static void weight_counts_along(void **state)
{
    (void)state;
    hung h;
    double spin, load, unit;
    for (int lying = 0; lying < 2; lying++) {
        ph_quat turn = turn_about(ph_v3(0, 1, 0), lying ? 0 : acos(-1) / 2); /* x to -z */
        hang(&h, turn, 0);
        unit = 5 / (6 * 2 * h.omega[0] * h.omega[0]); /* of one newton: mass 6, length 2 */
        fixture_accelerate(&h.r);
        softening_of(&h, &spin, &load);
        check_near(spin, 0, 0);                               /* exact */
        check_near(load, lying ? 0 : 11 * 9.81 * unit, 1e-9); /* round-off of accelerations of stiff modes */
        fixture_close(&h.r);
    }
}

/* No softening where the stiffness is not left out; there is one flexible body. */
static void stiffened_bodies_are_not_softer(void **state)
{
    (void)state;
    hung h;
    double spin = 1, load = 1;
    ph_quat turn = turn_about(ph_v3(0, 1, 0), acos(-1) / 2);
    hang(&h, turn, 1);
    fixture_set(&h.r, FRAME, (ph_kin){.q = turn, .w = ph_v3(1, 2, 3)});
    fixture_accelerate(&h.r);
    softening_of(&h, &spin, &load);
    check_le(spin + load, 0); /* exact */
    ph_state s = fixture_state(&h.r);
    assert_int_equal(ph_mechanism_softening(h.r.mech, &s, 1, &spin, &load), 0);
    assert_int_equal(ph_mechanism_softening(h.r.mech, &s, -1, &spin, &load), 0);
    fixture_close(&h.r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spin_counts_across),
        cmocka_unit_test(weight_counts_along),
        cmocka_unit_test(stiffened_bodies_are_not_softer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
