/* Modes: closed forms at rest, with damping, spinning, turning, rolling; what is refused. */
#include "modes_cases.h"
#include "problem/problem.h"

static void pendulums(void **state)
{
    (void)state;
    const char *bob =
        "model 'bob'\n"
        "gravity {0, -9.81, 0}\n"
        "particle { name = 'bob', mass = 3, position = {0.3, -0.4, 0} }\n"
        "joint { name = 'rod', type = 'distance', bodies = {'ground', 'bob'}, length = 0.5 }\n"
        "joint { name = 'plane', type = 'generic', bodies = {'ground', 'bob'}, at = {0.3, -0.4, 0},\n"
        "        lock = {'z'} }\n";
    modes s = modes_at_rest(bob, PH_SPACE_R3XSO3);
    assert_int_equal(s.info.count, 1);
    assert_true(s.info.undamped && s.info.freedom == 1 && s.info.speed == 0);
    check_le(cabs(value_of(&s, 0) - I * sqrt(G / 0.5)), 1e-12); /* round-off */
    modes_close(&s);
    const char *bar =
        "model 'bar'\n"
        "gravity {0, 0, -9.81}\n"
        "body { name = 'bar', mass = 2, inertia = {0.2, 0.3, 0.25}, position = {0.1, 0, -0.4} }\n"
        "joint { name = 'pivot', type = 'revolute', bodies = {'ground', 'bar'},\n"
        "        at = {0, 0, 0}, axis = {0, 1, 0} }\n";
    double l2 = 0.17, l = sqrt(l2);
    for (size_t k = 0; k < sizeof resting_spaces / sizeof *resting_spaces; k++) {
        s = modes_at_rest(bar, resting_spaces[k]);
        assert_int_equal(s.info.count, 1);
        check_le(cabs(value_of(&s, 0) - I * sqrt(2 * G * l / (0.3 + 2 * l2))), 1e-11); /* round-off */
        modes_close(&s);
    }
}

/* Two rods: [ (m1/3 + m2) l^2, m2 l^2/2; ., m2 l^2/3 ], (m1/2 + m2) g l and m2 g l/2; w: section. */
static void double_pendulum(void **state)
{
    (void)state;
    const char *text = "model 'double'\n"
                       "gravity {0, 0, -9.81}\n"
                       "for i = 1, 2 do\n"
                       "  body { name = 'rod' .. i, mass = 3 - i, position = {0, 0, 0.5 - i},\n"
                       "         inertia = {(3 - i) * 1.01 / 12, (3 - i) * 1.01 / 12, 0.02} }\n"
                       "  joint { name = 'j' .. i, type = 'revolute', axis = {0, 1, 0}, at = {0, 0, 1 - i},\n"
                       "          bodies = {i > 1 and 'rod1' or 'ground', 'rod' .. i} }\n"
                       "end\n";
    double m1 = 2, m2 = 1, a = m1 * 1.01 / 12 + m1 / 4 + m2, b = m2 / 2, c = m2 * 1.01 / 12 + m2 / 4;
    double k1 = (m1 / 2 + m2) * G, k2 = m2 / 2 * G; /* (a c - b^2) x^2 - (a k2 + c k1) x + k1 k2 = 0 */
    double A = a * c - b * b, B = a * k2 + c * k1, root = sqrt(B * B - 4 * A * k1 * k2);
    for (int k = 0; k < 4; k++) {
        modes s = modes_at_rest(text, resting_spaces[k]);
        assert_int_equal(s.info.count, 2);
        check_le(cabs(value_of(&s, 0) - I * sqrt((B - root) / (2 * A))), 1e-11); /* round-off */
        check_le(cabs(value_of(&s, 1) - I * sqrt((B + root) / (2 * A))), 1e-11);
        modes_close(&s);
    }
}

/* omega_j = 2 sqrt(k/m) sin(j pi/(2 (n + 1))); the shape of the first is sin(pi i/(n + 1)). */
static void spring_chain(void **state)
{
    (void)state;
    modes s =
        modes_at_rest("model 'chain'\n"
                      "gravity {0, 0, 0}\n"
                      "for i = 1, 8 do\n"
                      "  local x = {i, 0, 0}\n"
                      "  particle { name = 'p' .. i, mass = 2, position = x }\n"
                      "  joint { name = 'g' .. i, type = 'generic', bodies = {'ground', 'p' .. i}, at = x,\n"
                      "          lock = {'y', 'z'} }\n"
                      "  spring { name = 's' .. i, bodies = {i > 1 and 'p' .. i - 1 or 'ground', 'p' .. i},\n"
                      "           k = 50 }\n"
                      "end\n"
                      "spring { name = 'end', bodies = {'p8', 'ground'}, at_b = {9, 0, 0}, k = 50 }\n",
                      PH_SPACE_R3XSO3);
    double re[24], im[24], share[24], sum = 0;
    assert_int_equal(s.info.count, 8);
    for (int j = 1; j <= 8; j++)
        check_le(cabs(value_of(&s, j - 1) - I * 10 * sin(j * acos(-1) / 18)), 1e-12); /* round-off */
    assert_int_equal(ph_modes_shape(s.m, 0, re, im, share), PH_OK);
    for (int i = 0; i < 8; i++) {
        check_near(re[3 * i], sin(acos(-1) * (i + 1) / 9) / sin(acos(-1) * 4 / 9), 1e-10); /* eigenvector */
        check_le(fabs(im[3 * i]) + fabs(re[3 * i + 1]) + fabs(re[3 * i + 2]), 1e-12);
        sum += share[3 * i];
    }
    check_near(sum, 1, 1e-12);
    modes_close(&s);
}

/* One bushing off the centre: K = [k, -k p~; p~ k, k_r - p~ k p~] beside M = (m, J), by hand. */
static void body_on_a_bushing(void **state)
{
    (void)state;
    const char *text = "model 'mount'\n"
                       "gravity {0, 0, 0}\n"
                       "body { name = 'engine', mass = 4, inertia = {0.3, 0.4, 0.5} }\n"
                       "bushing { name = 'mount', bodies = {'ground', 'engine'}, at_a = {0.2, -0.1, 0.3},\n"
                       "          at_b = {0.2, -0.1, 0.3}, k = {900, 400, 700}, kr = {30, 20, 10} }\n";
    double k[] = {900, 400, 700}, kr[] = {30, 20, 10}, m[] = {4, 4, 4, 0.3, 0.4, 0.5}, A[36] = {0};
    ph_mat3 p = ph_tilde(ph_v3(0.2, -0.1, 0.3));
    double P[9];
    ph_store33(P, p);
    for (int i = 0; i < 3; i++) /* spring i is stretched by (e_i, -P_i) . (u, theta) */
        for (int a = 0; a < 6; a++)
            for (int b = 0; b < 6; b++) {
                double ra = a < 3 ? a == i : -P[3 * i + a - 3], rb = b < 3 ? b == i : -P[3 * i + b - 3];
                A[6 * a + b] += k[i] * ra * rb / m[a] + (a == b && a == i + 3 ? kr[i] / m[a] : 0);
            }
    double complex nu[6];
    assert_int_equal(ph_eigenvalues(6, A, nu), PH_OK);
    for (int space = 0; space < 4; space++) {
        modes s = modes_at_rest(text, resting_spaces[space]);
        assert_int_equal(s.info.count, 6);
        for (int j = 0; j < 6; j++)
            check_le(cabs(value_of(&s, j) - I * csqrt(nu[5 - j])), 1e-10); /* round-off of eigenvalues */
        modes_close(&s);
    }
}

/* (T8) */
static void damped_and_unstable(void **state)
{
    (void)state;
    modes s =
        modes_at_rest("model 'damped'\n"
                      "gravity {0, 0, 0}\n"
                      "particle { name = 'p', mass = 2 }\n"
                      "bushing { name = 'b', bodies = {'ground', 'p'}, k = {8, 18, 2}, d = {0.8, 0, 10} }\n",
                      PH_SPACE_R3XSO3);
    assert_true(!s.info.undamped);
    assert_int_equal(s.info.count, 4);                    /* two pairs and two real ones */
    check_le(miss(&s, -0.2 + I * sqrt(4 - 0.04)), 1e-12); /* round-off: zeta = 0.1 */
    check_le(miss(&s, 3 * I), 1e-12);
    check_le(miss(&s, -2.5 + sqrt(6.25 - 1)), 1e-12); /* overdamped */
    check_le(miss(&s, -2.5 - sqrt(6.25 - 1)), 1e-12);
    modes_close(&s);
    s = modes_moving("model 'flutter'\n"
                     "gravity {0, 0, 0}\n"
                     "particle { name = 'p', mass = 1 }\n"
                     "force { name = 'f', body = 'p', value = function(t, b)\n"
                     "  local x = b.p.position\n"
                     "  return {-9 * x[1] + 4 * x[2], -4 * x[1] - 9 * x[2], 16 * x[3]} end }\n",
                     PH_SPACE_R3XSO3);
    check_le(miss(&s, csqrt(-9 + 4 * I)), 1e-8); /* derivative: functions are differenced */
    check_le(miss(&s, -conj(csqrt(-9 + 4 * I))), 1e-8);
    check_le(miss(&s, 4), 1e-8);
    check_le(miss(&s, -4), 1e-8);
    modes_close(&s);
}

/* Centres and angles of the bars of models/four_bar.lua by the angle of the crank. */
static void four_bar(double phi, double x[3][3])
{
    double a = 0.2, b = 0.5, c = 0.4, d = 0.6, Bx = a * cos(phi), By = a * sin(phi), X = d - Bx, Y = -By;
    double e = (X * X + Y * Y + b * b - c * c) / 2 / (X * X + Y * Y);
    double w = sqrt(b * b / (X * X + Y * Y) - e * e), Cx = Bx + e * X - w * Y, Cy = By + e * Y + w * X;
    double all[3][3] = {{Bx / 2, By / 2, phi},
                        {(Bx + Cx) / 2, (By + Cy) / 2, atan2(Cy - By, Cx - Bx)},
                        {(d + Cx) / 2, Cy / 2, atan2(Cy, Cx - d)}};
    memcpy(x, all, sizeof all);
}

static double four_bar_energy(double phi)
{
    double x[3][3], length[] = {0.2, 0.5, 0.4}, V = 0;
    four_bar(phi, x);
    for (int k = 0; k < 3; k++)
        V += 2 * length[k] * G * x[k][1];
    return V;
}

static void four_bar_swings(void **state)
{
    (void)state;
    resting h = {0};
    const ph_setting set = {"speed", 0};
    for (int space = 0; space < 2; space++) {
        ph_space_code code = resting_spaces[space];
        assert_int_equal(
            ph_model_read(&h.model, PH_TEST_DIR "/../models/four_bar.lua", &set, 1, NULL, &h.err), PH_OK);
        assert_int_equal(ph_mechanism_create(&h.mech, h.model, code, NULL, &h.err), PH_OK);
        assert_int_equal(ph_mechanism_initial(h.mech, 0, &h.q0, &h.v0, &h.err), PH_OK);
        assert_int_equal(ph_mechanism_rank(h.mech, &h.err), PH_OK);
        resting_settle(&h, 1);
        modes s = modes_about(h, h.s.q, h.s.v);
        ph_quat q = resting_body(&h, "crank").q;
        double phi = 2 * atan2(q.z, q.w), e = 1e-3, T = 0, length[] = {0.2, 0.5, 0.4}, x[4][3][3];
        for (int k = 0; k < 4; k++)
            four_bar(phi + (k < 2 ? k - 2 : k - 1) * e, x[k]);
        for (int k = 0; k < 3;
             k++) { /* mass and inertia of a bar, and five-point differences of its motion */
            double m = 2 * length[k], J = m * (length[k] * length[k] + 0.02 * 0.02) / 12, d[3];
            for (int i = 0; i < 3; i++)
                d[i] = (8 * (x[2][k][i] - x[1][k][i]) - (x[3][k][i] - x[0][k][i])) / (12 * e);
            T += m * (d[0] * d[0] + d[1] * d[1]) + J * d[2] * d[2];
        }
        double V = 0, weight[] = {-1, 16, -30, 16, -1};
        for (int k = 0; k < 5; k++)
            V += weight[k] * four_bar_energy(phi + (k - 2) * e) / (12 * e * e);
        assert_int_equal(s.info.count, 1);
        check_le(fabs(cimag(value_of(&s, 0)) - sqrt(V / T)), 1e-7); /* derivative: differences of V */
        modes_close(&s);
    }
}

static const char block[] =
    "model 'block'\n"
    "gravity {0, 0, -9.81}\n"
    "local push = 0.4 * (2 * 9.81 + 5 * 0.3) * 0.3 / math.sqrt(0.3^2 + 0.2^2)\n"
    "body { name = 'block', mass = 2, inertia = {1, 1, 1}, velocity = {0.3, 0, 0} }\n"
    "joint { name = 'rail', type = 'prismatic', bodies = {'ground', 'block'}, at = {0, 0, 0},\n"
    "        axis = {1, 0, 0}, friction = 0.4, friction_speed = 0.2 }\n"
    "force { name = 'push', body = 'block',\n"
    "        value = function(t, s) return {push, 0, -5 * s.block.velocity[1]} end }\n";

/* A block that slides at speed w, pushed and pressed down the more the faster it is, N = m g + c w:
 * m x'' = F - mu N w/r, r = sqrt(w^2 + ws^2), so that mu_1 = -mu (c w/r + N ws^2/r^3)/m. */
static void sliding_block(void **state)
{
    (void)state;
    double m = 2, c = 5, w = 0.3, ws = 0.2, f = 0.4, N = m * G + c * w, r = hypot(w, ws);
    modes s = modes_moving(block, PH_SPACE_R3XSO3);
    assert_int_equal(s.info.count, 2);
    check_le(miss(&s, -f * (c * w / r + N * ws * ws / (r * r * r)) / m),
             1e-8);           /* functions are differenced */
    check_le(miss(&s, 0), 0); /* exact */
    modes_close(&s);
}

static void refuse_modes(const char *text, ph_space_code space, const char *words)
{
    resting h = resting_open(text, space);
    ph_modes *m;
    assert_int_equal(ph_modes_create(&m, ph_mechanism_system(h.mech), 0, h.q0, h.v0, NULL, &h.err),
                     PH_E_INPUT);
    assert_null(m);
    if (!strstr(h.err.text, words))
        fail_msg("'%s' does not contain '%s'", h.err.text, words);
    resting_close(&h);
}

static void unsteady_motions_are_refused(void **state)
{
    (void)state;
    refuse_modes(whirl, PH_SPACE_R3XSO3, "not steady");
    refuse_modes("model 'swing'\ngravity {0, 0, -9.81}\n"
                 "body { name = 'bar', mass = 2, inertia = {0.2, 0.3, 0.25}, position = {0, 0, -0.4},\n"
                 "       omega = {0, 1, 0} }\n"
                 "joint { name = 'pivot', type = 'revolute', bodies = {'ground', 'bar'}, at = {0, 0, 0},\n"
                 "        axis = {0, 1, 0} }\n",
                 PH_SPACE_SE3, "not steady");
    refuse_modes("model 'tumble'\ngravity {0, 0, 0}\n"
                 "body { name = 'b', mass = 2, inertia = {0.2, 0.3, 0.25}, omega = {1, 2, 3} }\n",
                 PH_SPACE_R3XSO3, "not steady");
}

/* A free body that spins about its middle axis is steady in its own axes alone, and unstable. */
static void middle_axis(void **state)
{
    (void)state;
    modes s = modes_moving("model 'tumble'\ngravity {0, 0, 0}\n"
                           "body { name = 'b', mass = 2, inertia = {0.2, 0.3, 0.25}, omega = {0, 0, 5} }\n",
                           PH_SPACE_R3XSO3);
    assert_true(s.info.turning);
    check_le(miss(&s, 5 * sqrt(0.05 * 0.05 / (0.2 * 0.3))), 1e-7); /* round-off beside zeros */
    modes_close(&s);
}

static void memory_is_short(void **state)
{
    (void)state;
    resting h = resting_open(block, PH_SPACE_R3XSO3);
    for (long k = 1;; k++) {
        counter c = {.fail_at = k};
        ph_allocator alloc = {counter_alloc, counter_free, &c};
        ph_modes *m;
        ph_status s = ph_modes_create(&m, ph_mechanism_system(h.mech), 0, h.q0, h.v0, &alloc, &h.err);
        ph_modes_destroy(m);
        assert_int_equal(c.live, 0);
        if (s == PH_OK)
            break;
        assert_int_equal(s, PH_E_MEMORY);
        assert_true(k < 50);
    }
    ph_modes_destroy(NULL);
    resting_close(&h);
}

/* Calls that fail one by one, at rest and in motion: the same modes, or none, and a sentence. */
static void calls_that_fail(void **state)
{
    (void)state;
    const char *const text[] = {
        "model 'bob'\ngravity {0, 0, -9.81}\n"
        "body { name = 'bar', mass = 2, inertia = {0.2, 0.3, 0.25}, position = {0, 0, -0.4} }\n"
        "joint { name = 'pivot', type = 'revolute', bodies = {'ground', 'bar'}, at = {0, 0, 0},\n"
        "        axis = {0, 1, 0} }\n",
        whirl};
    for (int k = 0; k < 2; k++) {
        modes whole = modes_moving(text[k], k ? PH_SPACE_SE3 : PH_SPACE_R3XSO3);
        for (int with_nan = 0; with_nan < 2; with_nan++) {
            int failures = 0;
            for (long n = 0, last = 1; n < last; n++) {
                refusing r;
                refusing_make(&r, ph_mechanism_system(whole.h.mech));
                r.fail_at = n, r.with_nan = with_nan;
                ph_modes *m;
                ph_error err = {0};
                ph_status s = ph_modes_create(&m, &r.sys, 0, whole.h.q0, whole.h.v0, NULL, &err);
                assert_true((s == PH_OK) == (m != NULL) && (s == PH_OK) == !err.text[0]);
                for (int i = 0; s == PH_OK && i < ph_modes_get_info(m).count; i++) {
                    double re, im;
                    ph_modes_value(m, i, &re, &im);
                    assert_true(isfinite(re) && isfinite(im));
                    check_le(miss(&whole, re + I * im), 1e-6); /* differences of other calls */
                }
                failures += s != PH_OK;
                last = n ? last : r.calls + 1; /* the first has no failure */
                ph_modes_destroy(m);
            }
            assert_true(failures > 3);
        }
        modes_close(&whole);
    }
}

/* Modes of a system that is too large for dense matrices are refused before these are made. */
static void too_large(void **state)
{
    (void)state;
    ph_problem *p = ph_problem_create("chain", &(ph_problem_def){260, 0});
    ph_modes *m;
    ph_error err = {0};
    assert_non_null(p);
    assert_int_equal(ph_modes_create(&m, &p->sys, 0, p->q0, p->v0, NULL, &err), PH_E_INPUT);
    assert_string_equal(err.text, "modes are found for at most 1500 velocities; this system has 1560");
    assert_null(m);
    ph_problem_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_large),
        cmocka_unit_test(pendulums),
        cmocka_unit_test(double_pendulum),
        cmocka_unit_test(spring_chain),
        cmocka_unit_test(body_on_a_bushing),
        cmocka_unit_test(damped_and_unstable),
        cmocka_unit_test(four_bar_swings),
        cmocka_unit_test(sliding_block),
        cmocka_unit_test(unsteady_motions_are_refused),
        cmocka_unit_test(middle_axis),
        cmocka_unit_test(calls_that_fail),
        cmocka_unit_test(memory_is_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
