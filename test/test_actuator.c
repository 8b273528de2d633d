/* Coordinates of joints, actuators along them and couplings between them: derivatives in every space, power, energy. */
#include "flex_cases.h"

#include "mech/coordinate.h"

static const ph_space_code spaces[] = {PH_SPACE_R3XSO3, PH_SPACE_SE3, PH_SPACE_EULER, PH_SPACE_CARDAN};

#define SPACES 4

/* Ground and body, two bodies, body and ground; and with flexible ones: body and marker, two markers of one, frame and
 * marker of two. */
enum { ROD = 2, ROD_ROOT, ROD_TIP, ARM, ARM_ROOT, ARM_TIP, RIGID_SIDES = 3, SIDES = 6 };
static const int sides[SIDES][2] = {{PH_GROUND, 0},      {0, 1},        {1, PH_GROUND}, {0, ARM_TIP},
                                    {ROD_ROOT, ROD_TIP}, {ROD, ARM_TIP}};

static void make_bodies(kit *k, int side, uint64_t *seed)
{
    static flex rod, arm;
    kit_open(k);
    kit_random_body(k, "one", seed);
    kit_random_body(k, "two", seed);
    for (int i = 0; i < 2; i++) /* angles stay away from half a turn */
        k->body[i].R = rnd_turn(0.2, seed);
    if (side < RIGID_SIDES)
        return;
    kit_random_flexible(k, "rod", &rod, 3, seed);
    kit_random_flexible(k, "arm", &arm, 2, seed);
    for (int i = 0; i < k->m.n_bodies; i++)
        k->body[i].R = rnd_turn(0.1, seed);
}

static ph_joint_def *make_joint(kit *k, int type, const int b[2], uint64_t *seed)
{
    ph_vec3 at = rnd3(seed), axis = unit3(seed);
    ph_joint_def *j = kit_joint(k, "joint", type, b[0], b[1], at, axis);
    j->at_a = rnd3(seed), j->at_b = ph_add(rnd3(seed), ph_v3(3, 0, 0));
    ph_vec3 n = ph_cross(axis, unit3(seed));
    j->axis_b = ph_scale(1 / ph_norm(n), n);
    j->frame = ph_qmat(rnd_turn(2, seed));
    j->lock = 0x16; /* y, z and ry: x, rx and rz are free */
    return j;
}

/* Less of a turn than tests of joints: x and the logarithm are smooth there. */
static void scatter(fixture *r, uint64_t *seed)
{
    for (int b = 0; b < r->mech->model->n_bodies; b++) {
        const ph_body_def *d = &r->mech->model->body[b];
        ph_kin k = {.x = ph_add(d->x, ph_scale(0.3, rnd3(seed)))};
        k.v = rnd3(seed), k.w = rnd3(seed);
        k.q = ph_qmul(d->R, rnd_turn(0.5, seed));
        fixture_set(r, b, k);
    }
    for (int i = 0; i < r->nv; i++)
        r->at.vdot[i] = rnd(seed);
    for (int i = 0; i < r->nl; i++)
        r->at.lambda[i] = rnd(seed);
    for (int f = 0; f < r->mech->n_flex; f++)
        for (int i = 0; i < r->mech->flex[f].r->modes; i++)
            r->at.q[r->mech->flex[f].q + i] = 0.02 * rnd(seed), r->at.v[r->mech->flex[f].v + i] = rnd(seed);
    r->at.t = 0.3;
}

static double worst_of(const kit *k, ph_space_code space, uint64_t *seed)
{
    fixture r;
    fixture_open(&r, &k->m, space);
    scatter(&r, seed);
    double worst = fixture_worst(&r);
    fixture_close(&r);
    return worst;
}

static unsigned frees_of(const kit *k)
{
    ph_joint j[2];
    ph_error err = {0};
    assert_int_equal(ph_joint_make(&k->m, 0, j, &err), PH_OK);
    return j[0].frees;
}

/* An effort, spring, damper and two stops, of which one is pressed: (J6) to (J10). */
static void differentiate_actuators(int from, int to, double tol, uint64_t seed)
{
    for (int type = 0; type < PH_JOINT_COUNT; type++)
        for (int side = from; side < to && type != PH_J_ROLLING; side++)
            for (int s = 0; s < SPACES; s++)
                for (int c = 0; c < PH_LENGTH; c++) {
                    kit k;
                    make_bodies(&k, side, &seed);
                    make_joint(&k, type, sides[side], &seed);
                    if (!(frees_of(&k) >> c & 1))
                        continue;
                    ph_actuator_def *d = kit_actuator(&k, "motor", 0, c);
                    d->effort = 0.7, d->k = 2, d->d = 0.4, d->rest = 0.1;
                    d->stop[0] = -30, d->stop[1] = -20, d->stop_k = 0.3, d->stop_d = 0.2, d->stop_width = 60;
                    double worst = worst_of(&k, spaces[s], &seed);
                    if (!(worst <= tol))
                        print_message("joint %d, coordinate %d, side %d, space %d\n", type, c, side, s);
                    check_le(worst, tol);
                }
}

/* (J7), (J9) */
static void actuators_have_right_tangents(void **state)
{
    (void)state;
    differentiate_actuators(0, RIGID_SIDES, 1e-9, 71); /* derivative: order 8, numbers of size 10 */
}

static void actuators_at_markers_have_right_tangents(void **state)
{
    (void)state;
    numbers_alone();
    differentiate_actuators(RIGID_SIDES, SIDES, 1e-6, 72); /* derivative: as in test_mech */
}

/* Spring and damper about the rotation vector (J11). (J8) */
static void swings_have_right_tangents(void **state)
{
    (void)state;
    static const int types[] = {PH_J_SPHERICAL, PH_J_UNIVERSAL};
    uint64_t seed = 73;
    for (int i = 0; i < 2; i++)
        for (int side = 0; side < SIDES; side++)
            for (int s = 0; s < SPACES; s++) {
                kit k;
                make_bodies(&k, side, &seed);
                make_joint(&k, types[i], sides[side], &seed);
                ph_actuator_def *d = kit_actuator(&k, "bush", 0, -1);
                d->k = 2, d->d = 0.4;
                check_le(worst_of(&k, spaces[s], &seed), side < RIGID_SIDES ? 1e-9 : 1e-6); /* derivative */
            }
}

/* Two joints that may share a body, of all kinds of coordinates (J12). */
static void couplings_have_right_tangents(void **state)
{
    (void)state;
    static const struct {
        int type[2], coordinate[2], side[2];
    } cases[] = {{{PH_J_REVOLUTE, PH_J_REVOLUTE}, {5, 5}, {0, 1}},
                 {{PH_J_REVOLUTE, PH_J_PRISMATIC}, {5, 2}, {1, 2}},
                 {{PH_J_CYLINDRICAL, PH_J_CYLINDRICAL}, {2, 5}, {1, 1}},
                 {{PH_J_UNIVERSAL, PH_J_PLANAR}, {4, 0}, {0, 2}},
                 {{PH_J_SPHERICAL, PH_J_GENERIC}, {3, 5}, {1, 0}},
                 {{PH_J_DISTANCE, PH_J_REVOLUTE}, {-1, 5}, {1, 0}},
                 {{PH_J_REVOLUTE, PH_J_SPHERICAL}, {5, 4}, {3, 5}},
                 {{PH_J_PRISMATIC, PH_J_CYLINDRICAL}, {2, 5}, {4, 0}}};
    uint64_t seed = 74;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int s = 0; s < SPACES; s++) {
            kit k;
            int flexible = cases[i].side[0] >= RIGID_SIDES || cases[i].side[1] >= RIGID_SIDES;
            make_bodies(&k, flexible ? RIGID_SIDES : 0, &seed);
            for (int h = 0; h < 2; h++)
                make_joint(&k, cases[i].type[h], sides[cases[i].side[h]], &seed);
            ph_coupling_def *d = kit_coupling(&k, "gear", 0, 1, -1.7);
            d->coordinate[0] = cases[i].coordinate[0], d->coordinate[1] = cases[i].coordinate[1];
            d->unit = ph_is_angle(d->coordinate[0]) == ph_is_angle(d->coordinate[1]) ? NULL
                      : ph_is_angle(d->coordinate[0])                                ? "m/rad"
                                                                                     : "rad/m";
            double worst = worst_of(&k, spaces[s], &seed);
            if (!(worst <= (flexible ? 1e-6 : 1e-9)))
                print_message("case %zu, space %d\n", i, s);
            check_le(worst, flexible ? 1e-6 : 1e-9); /* derivative */
        }
}

/* Springs and stops keep energy, whatever joint they are on; an effort gives effort times rate, dampers take. */
static void actuators_balance_power(void **state)
{
    (void)state;
    uint64_t seed = 75;
    for (int type = 0; type < PH_JOINT_COUNT; type++)
        for (int c = -1; c < PH_LENGTH && type != PH_J_ROLLING; c++)
            for (int damped = 0; damped < 2; damped++) {
                kit k;
                fixture r;
                make_bodies(&k, 0, &seed);
                make_joint(&k, type, sides[1], &seed);
                int swing = c < 0 && (type == PH_J_SPHERICAL || type == PH_J_UNIVERSAL);
                if (!swing && (c < 0 || !(frees_of(&k) >> c & 1)))
                    continue;
                ph_actuator_def *d = kit_actuator(&k, "motor", 0, c);
                d->k = 2, d->d = damped ? 0.5 : 0;
                if (!swing) {
                    d->effort = 1.3, d->rest = 0.2;
                    d->stop[0] = -30, d->stop[1] = -20, d->stop_k = 0.3, d->stop_width = 60;
                }
                fixture_open(&r, &k.m, PH_SPACE_R3XSO3);
                scatter(&r, &seed);
                fixture_accelerate(&r);
                ph_state s = fixture_state(&r);
                double rate = swing ? 0 : ph_mechanism_rate(r.mech, &s, 0, c), lambda = 0;
                for (int i = 0; i < r.nl; i++) /* off the manifold constraints do work */
                    lambda += r.at.lambda[i] * r.rate[i];
                double power = fixture_power(&r) - d->effort * rate + lambda + d->d * rate * rate;
                if (swing && damped)
                    assert_true(power < -1e-3);
                else
                    check_le(fabs(power), 1e-9); /* derivative: order 8 of energies of 50 J */
                fixture_close(&r);
            }
}

/* (J10): continuous with its slope, and the integral of its force. */
static void stops_are_smooth(void **state)
{
    (void)state;
    uint64_t seed = 76;
    kit k;
    fixture r;
    make_bodies(&k, 0, &seed);
    k.body[0].x = ph_v3(0, 0, 0), k.body[0].R = (ph_quat){1, 0, 0, 0};
    kit_joint(&k, "rail", PH_J_PRISMATIC, PH_GROUND, 0, ph_v3(0, 0, 0), ph_v3(0, 0, 1));
    ph_actuator_def *d = kit_actuator(&k, "stop", 0, 2);
    d->stop[0] = -0.5, d->stop[1] = 0.3, d->stop_k = 100, d->stop_width = 0.1;
    fixture_open(&r, &k.m, PH_SPACE_R3XSO3);
    ph_force_site site;
    for (int i = 0; i <= 100; i++) {
        double x = -1 + 0.02 * i, e = 1e-5, force[3], V[3];
        for (int n = -1; n <= 1; n++) {
            fixture_set(&r, 0, (ph_kin){.x = ph_v3(0, 0, x + n * e), .q = {1, 0, 0, 0}});
            ph_state s = fixture_state(&r);
            ph_force_at(r.mech, &s, ph_actuator_of(r.mech, 0), &site);
            force[n + 1] = ph_actuator_effort(&site), V[n + 1] = ph_force_actuator.energy(&site);
        }
        check_le(fabs((V[2] - V[0]) / (2 * e) + force[1]), 1e-6); /* derivative: V''' of 1000 N/m^2 */
        check_le(fabs(force[2] - force[0]), 2.1 * e * 100);
    }
    /* full stiffness beyond the width */
    fixture_set(&r, 0, (ph_kin){.x = ph_v3(0, 0, 0.5), .q = {1, 0, 0, 0}});
    ph_state s = fixture_state(&r);
    ph_force_at(r.mech, &s, ph_actuator_of(r.mech, 0), &site);
    check_near(ph_actuator_effort(&site), -100 * (0.2 - 0.05), 1e-12); /* round-off */
    fixture_close(&r);
}

/* Angles that are kept from one who asks to the next are those of his point, and of no other. */
static void kept_angles_are_of_their_point(void **state)
{
    (void)state;
    static const int types[] = {PH_J_REVOLUTE, PH_J_UNIVERSAL, PH_J_CYLINDRICAL, PH_J_SPHERICAL};
    uint64_t seed = 77;
    for (int i = 0; i < 4; i++) {
        kit k;
        fixture r;
        make_bodies(&k, 1, &seed);
        make_joint(&k, types[i], sides[1], &seed);
        kit_actuator(&k, "motor", 0, types[i] == PH_J_UNIVERSAL ? PH_ABOUT : PH_ABOUT + 2);
        fixture_open(&r, &k.m, PH_SPACE_R3XSO3);
        const ph_joint *j = &r.mech->joint[0];
        assert_non_null(j->angle);
        ph_site s = {.j = j};
        for (int n = 0; n < 60; n++) { /* one thing changes, or nothing */
            int c = PH_ABOUT + n / 2 % 3, what = n % 7;
            if (n == 0 || what == 1)
                s.a.q = rnd_turn(1, &seed), s.a.R = ph_qmat(s.a.q);
            if (n == 0 || what == 2)
                s.b.q = rnd_turn(1, &seed), s.b.R = ph_qmat(s.b.q);
            if (n == 0 || what == 3)
                s.a.w = rnd3(&seed);
            if (n == 0 || what == 4)
                s.b.w = rnd3(&seed);
            if (!(j->frees >> c & 1))
                continue;
            int busy = what == 5 && atomic_flag_test_and_set(&j->angle[0].taken) == 0; /* by another thread */
            ph_vec3 x[2][PH_SLOTS], z[2][PH_SLOTS];
            double K[2][144] = {{0}};
            assert_true(ph_coordinate_value(&s, c) == ph_along_value(&s, c)); /* exact */
            assert_true(ph_coordinate_rate(&s, c) == ph_along_rate(&s, c));
            ph_coordinate_row(&s, c, x[0]), ph_along_row(&s, c, x[1]);
            ph_coordinate_z(&s, c, z[0]), ph_along_z(&s, c, z[1]);
            ph_coordinate_K(&s, c, 1.3, &(ph_put){K[0], ph_local_pairs, 12, 0});
            ph_along_K(&s, c, 1.3, &(ph_put){K[1], ph_local_pairs, 12, 0});
            assert_memory_equal(x[0], x[1], sizeof x[0]);
            assert_memory_equal(z[0], z[1], sizeof z[0]);
            assert_memory_equal(K[0], K[1], sizeof K[0]);
            check_near(ph_along_rate(&s, c), ph_along_times_v(&s, x[0]), 1e-14); /* round-off */
            if (busy)
                atomic_flag_clear(&j->angle[0].taken);
        }
        fixture_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(actuators_have_right_tangents),
        cmocka_unit_test(actuators_at_markers_have_right_tangents),
        cmocka_unit_test(swings_have_right_tangents),
        cmocka_unit_test(couplings_have_right_tangents),
        cmocka_unit_test(actuators_balance_power),
        cmocka_unit_test(stops_are_smooth),
        cmocka_unit_test(kept_angles_are_of_their_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
