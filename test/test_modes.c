/* Modes: closed forms at rest, with damping, spinning, turning, rolling; what is refused. */
#include "equilibrium_cases.h"

#include <complex.h>

#include "base/spectrum.h"

#define G 9.81

typedef struct modes {
    resting h;
    ph_modes *m;
    ph_modes_info info;
} modes;

static modes modes_about(resting h, const double *q, const double *v)
{
    modes s = {.h = h};
    if (ph_modes_create(&s.m, ph_mechanism_system(h.mech), 0, q, v, NULL, &s.h.err) != PH_OK)
        fail_msg("%s", s.h.err.text);
    s.info = ph_modes_get_info(s.m);
    return s;
}

static modes modes_at_rest(const char *text, ph_space_code space)
{
    resting h = resting_of(text, space);
    return modes_about(h, h.s.q, h.s.v);
}

static modes modes_moving(const char *text, ph_space_code space)
{
    resting h = resting_open(text, space);
    return modes_about(h, h.q0, h.v0);
}

static void modes_close(modes *s)
{
    ph_modes_destroy(s->m);
    resting_close(&s->h);
}

static double complex value_of(const modes *s, int k)
{
    double re, im;
    assert_true(k < s->info.count);
    ph_modes_value(s->m, k, &re, &im);
    return re + I * im;
}

/* Distance of the nearest eigenvalue. */
static double miss(const modes *s, double complex mu)
{
    double best = HUGE_VAL;
    for (int k = 0; k < s->info.count; k++)
        best = fmin(best, cabs(value_of(s, k) - mu));
    return best;
}

/* ---- at rest -------------------------------------------------------------------------------------- */

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

/* ---- closed loops --------------------------------------------------------------------------------- */

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

/* N^T M vdot at displaced states is what A says: the reduced matrix against differences of accelerations. */
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

/* ---- in motion ------------------------------------------------------------------------------------ */

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

/* A bar on a hinge of a shaft that is driven at constant speed, seen from axes that turn with it:
 * cos a = m g l/(Omega^2 I), omega^2 = Omega^2 I sin^2 a/(J2 + m l^2), I = J1 + m l^2 - J3. */
static const char *const whirl =
    "model 'whirl'\n"
    "gravity {0, 0, -9.81}\n"
    "local W, l = 8, 0.4\n"
    "local a = math.acos(2 * 9.81 * l / (W^2 * (0.05 + 2 * l^2 - 0.02)))\n"
    "local s, c = math.sin(a), math.cos(a)\n"
    "body { name = 'shaft', mass = 1, inertia = {0.1, 0.1, 0.1}, omega = {0, 0, W}, velocity = {0, 0, 0} }\n"
    "body { name = 'bar', mass = 2, inertia = {0.05, 0.06, 0.02}, position = {l * s, 0, -l * c},\n"
    "       velocity = {0, W * l * s, 0}, rotation = {axis = {0, -1, 0}, angle = a},\n"
    "       omega = {W * s, 0, W * c} }\n"
    "joint { name = 'bearing', type = 'revolute', bodies = {'ground', 'shaft'}, at = {0, 0, 0}, axis = {0, "
    "0, 1},\n"
    "        drive = function(t) return W * t end }\n"
    "joint { name = 'hinge', type = 'revolute', bodies = {'shaft', 'bar'}, at = {0, 0, 0}, axis = {0, 1, 0} "
    "}\n";

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

/* A block that slides at speed w, pushed and pressed down the more the faster it is, N = m g + c w:
 * m x'' = F - mu N w/r, r = sqrt(w^2 + ws^2), so that mu_1 = -mu (c w/r + N ws^2/r^3)/m. */
static void sliding_block(void **state)
{
    (void)state;
    double m = 2, c = 5, w = 0.3, ws = 0.2, f = 0.4, N = m * G + c * w, r = hypot(w, ws);
    modes s = modes_moving(
        "model 'block'\n"
        "gravity {0, 0, -9.81}\n"
        "local push = 0.4 * (2 * 9.81 + 5 * 0.3) * 0.3 / math.sqrt(0.3^2 + 0.2^2)\n"
        "body { name = 'block', mass = 2, inertia = {1, 1, 1}, velocity = {0.3, 0, 0} }\n"
        "joint { name = 'rail', type = 'prismatic', bodies = {'ground', 'block'}, at = {0, 0, 0},\n"
        "        axis = {1, 0, 0}, friction = 0.4, friction_speed = 0.2 }\n"
        "force { name = 'push', body = 'block',\n"
        "        value = function(t, s) return {push, 0, -5 * s.block.velocity[1]} end }\n",
        PH_SPACE_R3XSO3);
    assert_int_equal(s.info.count, 2);
    check_le(miss(&s, -f * (c * w / r + N * ws * ws / (r * r * r)) / m),
             1e-8);           /* functions are differenced */
    check_le(miss(&s, 0), 0); /* exact */
    modes_close(&s);
}

/* ---- failures ------------------------------------------------------------------------------------- */

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
    resting h = resting_open("model 'bob'\nparticle { name = 'p', mass = 1 }\n", PH_SPACE_R3XSO3);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulums),
        cmocka_unit_test(double_pendulum),
        cmocka_unit_test(spring_chain),
        cmocka_unit_test(body_on_a_bushing),
        cmocka_unit_test(damped_and_unstable),
        cmocka_unit_test(four_bar_swings),
        cmocka_unit_test(agrees_with_accelerations),
        cmocka_unit_test(rotor_splits),
        cmocka_unit_test(tops),
        cmocka_unit_test(all_turn_together),
        cmocka_unit_test(rolling_disc),
        cmocka_unit_test(sleigh),
        cmocka_unit_test(sliding_block),
        cmocka_unit_test(unsteady_motions_are_refused),
        cmocka_unit_test(middle_axis),
        cmocka_unit_test(memory_is_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
