/* Linearisation of runs: systems whose matrices are known, a published bicycle, and short runs. */
#include "model_file.h"

#include <complex.h>

#include "base/spectrum.h"
#include "la/small.h"
#include "polhode/polhode.h"

typedef struct lin {
    ph_run *run;
    int n, m, p;
    double *A, *B, *C, *D;
} lin;

static lin lin_of(ph_run *run)
{
    lin l = {.run = run};
    ph_error err = {0};
    if (ph_run_linear_sizes(run, &l.n, &l.m, &l.p, &err) != PH_OK)
        fail_msg("%s", err.text);
    l.A = calloc((size_t)(l.n + l.p) * (size_t)(l.n + l.m) + 1, sizeof *l.A);
    l.B = l.A + l.n * l.n, l.C = l.B + l.n * l.m, l.D = l.C + l.p * l.n;
    if (ph_run_linearise(run, l.A, l.B, l.C, l.D, &err) != PH_OK)
        fail_msg("%s", err.text);
    return l;
}

static ph_run *run_of(const char *text)
{
    ph_error err = {0};
    ph_model *model = read_text(text);
    ph_run *run;
    if (ph_run_create(&run, model, NULL, &err) != PH_OK)
        fail_msg("%s", err.text);
    ph_model_free(model);
    return run;
}

static void lin_close(lin *l)
{
    free(l->A);
    ph_run_close(l->run);
}

static int place_of(const lin *l, const char *name)
{
    for (int i = 0; i < l->n; i++)
        if (!strcmp(ph_run_linear_name(l->run, i), name))
            return i;
    fail_msg("no coordinate '%s'", name);
    return -1;
}

/* Cart and pendulum, upright: with M, m, l (to the centre of mass), J about it and a force u on the cart,
 * (M + m) x'' + m l f'' = u, (J + m l^2) f'' + m l x'' = m g l f, f the angle from upright. (T10) */
static void cart(void **state)
{
    (void)state;
    lin l = lin_of(
        run_of("gravity {0, 0, -9.81}\n"
               "body { name = 'cart', mass = 2, inertia = {1, 1, 1} }\n"
               "body { name = 'pole', mass = 0.5, inertia = {0.02, 0.03, 0.01}, position = {0, 0, 0.4} }\n"
               "joint { name = 'rail', type = 'prismatic', bodies = {'ground', 'cart'}, axis = {1, 0, 0} }\n"
               "joint { name = 'pivot', type = 'revolute', bodies = {'cart', 'pole'}, at = {0, 0, 0}, axis = "
               "{0, 1, 0} }\n"
               "input { name = 'u' }\n"
               "actuator { name = 'motor', joint = 'rail', effort = 'u' }\n"
               "sensor { name = 'x', type = 'joint_position', joint = 'rail' }\n"
               "sensor { name = 'a', type = 'joint_acceleration', joint = 'pivot' }\n"
               "run { h = 1e-3, t_end = 1 }\n"));
    assert_int_equal(l.n, 4);
    assert_int_equal(l.m, 1);
    assert_int_equal(l.p, 2);
    int x = place_of(&l, "rail"), f = place_of(&l, "pivot"), vx = place_of(&l, "rail.rate"),
        vf = place_of(&l, "pivot.rate");
    double M = 2.5, ml = 0.2, J = 0.03 + 0.5 * 0.16, g = 9.81 * ml, det = M * J - ml * ml;
    check_near(l.A[x * 4 + vx], 1, 1e-10);            /* derivative */
    check_near(l.A[f * 4 + vf], 1, 1e-10);            /* derivative */
    check_near(l.A[vf * 4 + f], M * g / det, 1e-8);   /* derivative: order 4 */
    check_near(l.A[vx * 4 + f], -ml * g / det, 1e-8); /* derivative */
    check_near(l.B[vx], J / det, 1e-9);               /* derivative */
    check_near(l.B[vf], -ml / det, 1e-9);             /* derivative */
    check_near(l.C[x], 1, 1e-10);                     /* derivative */
    check_near(l.C[4 + f], M * g / det, 1e-8);        /* derivative */
    check_near(l.D[1], -ml / det, 1e-9);              /* derivative */
    check_le(fabs(l.A[vx * 4 + x]) + fabs(l.A[vx * 4 + vx]) + fabs(l.D[0]), 1e-10);
    lin_close(&l);
}

/* A motor with an electrical state: two equations, x = (rate, i); the angle is a coordinate too. */
static void motor(void **state)
{
    (void)state;
    lin l = lin_of(
        run_of("body { name = 'rotor', mass = 1, inertia = {1, 1, 0.02}, omega = {0, 0, 3} }\n"
               "joint { name = 'axle', type = 'revolute', bodies = {'ground', 'rotor'}, at = {0, 0, 0}, axis "
               "= {0, 0, 1} }\n"
               "input { name = 'u', value = 0.7 }\n"
               "state { name = 'i', initial = 2, rate = function(t, s) return (s.inputs.u - 1.5*s.states.i - "
               "0.3*s.joints.axle.rate)/0.05 end }\n"
               "actuator { name = 'm', joint = 'axle', d = 0.04, effort = function(t, s) return "
               "0.3*s.states.i end }\n"
               "sensor { name = 'e', type = 'effort', of = 'm' }\n"
               "run { h = 1e-3, t_end = 1 }\n"));
    int w = place_of(&l, "axle.rate"), i = place_of(&l, "i"), n = l.n;
    assert_int_equal(n, 3);
    check_near(l.A[w * n + w], -2, 1e-9);  /* derivative: -d/J */
    check_near(l.A[w * n + i], 15, 1e-9);  /* K/J */
    check_near(l.A[i * n + i], -30, 1e-9); /* -R/L */
    check_near(l.A[i * n + w], -6, 1e-9);  /* -K/L */
    check_near(l.B[i], 20, 1e-9);          /* 1/L */
    check_near(l.C[i], 0.3, 1e-10);        /* the effort, with its damper */
    check_near(l.C[w], -0.04, 1e-10);      /* likewise */
    lin_close(&l);
}

static double nearest(int n, const double complex *mu, double complex to)
{
    double best = HUGE_VAL;
    for (int k = 0; k < n; k++)
        best = fmin(best, cabs(mu[k] - to));
    return best;
}

/* Published eigenvalues of Whipple's benchmark bicycle at 5 m/s, to their four digits; x is not unique, mu are. */
static void bicycle(void **state)
{
    (void)state;
    static const double complex published[] = {-0.7753 + 4.4649 * I, -0.7753 - 4.4649 * I, -0.3229, -14.0784};
    static const char *const spaces[] = {"space=R3xSO3", "space=SE3"};
    for (int k = 0; k < 2; k++) {
        ph_run *run;
        ph_error err = {0};
        ph_run_config c = ph_run_defaults();
        c.options = &spaces[k], c.n_options = 1;
        if (ph_run_open(&run, PH_TEST_DIR "/../models/bicycle.lua", &c, &err) != PH_OK)
            fail_msg("%s", err.text);
        lin l = lin_of(run);
        double complex *mu = calloc((size_t)l.n, sizeof *mu);
        double *room = calloc((size_t)(l.n * l.n), sizeof *room);
        int rest = ph_remove_zeros(l.n, l.A, 1e-9, 1e-9, room);
        assert_int_equal(ph_eigenvalues(rest, l.A, mu), PH_OK);
        for (int i = 0; i < 4; i++)
            check_le(nearest(rest, mu, published[i]), 6e-5); /* reference: four digits */
        free(mu), free(room);
        lin_close(&l);
    }
}

/* Eigenvalues of A about an equilibrium against those of modes: a four-bar nearly straight, and a slider pressed to its rail,
 * whose friction depends on multipliers. (T11) */
static void rest(void **state)
{
    (void)state;
    static const char *const text[] = {
        "gravity {0, 0, -9.81}\n"
        "body { name = 'a', mass = 1, inertia = {0.01, 0.1, 0.1}, position = {0.5, 0, 0} }\n"
        "body { name = 'b', mass = 1, inertia = {0.01, 0.1, 0.1}, position = {1.5, 0, 0} }\n"
        "joint { name = 'ja', type = 'revolute', bodies = {'ground', 'a'}, at = {0, 0, 0}, axis = {0, 1, 0} "
        "}\n"
        "joint { name = 'jb', type = 'revolute', bodies = {'a', 'b'}, at = {1, 0, 0}, axis = {0, 1, 0} }\n"
        "joint { name = 'rod', type = 'distance', bodies = {'ground', 'b'}, at_a = {5, 0, 0.006}, at_b = "
        "{0.5, 0, 0} "
        "}\n"
        "actuator { name = 'ka', joint = 'ja', k = 100, d = 1 }\n"
        "actuator { name = 'kb', joint = 'jb', k = 100, d = 1 }\n"
        "run { h = 1e-3, t_end = 1 }\n",
        "gravity {0, 0, -9.81}\n"
        "body { name = 'cart', mass = 2, inertia = {1, 1, 1} }\n"
        "body { name = 'pole', mass = 0.5, inertia = {0.02, 0.03, 0.01}, position = {0.1, 0, -0.4} }\n"
        "joint { name = 'rail', type = 'prismatic', bodies = {'ground', 'cart'}, axis = {1, 0, 0}, "
        "friction = 0.3, friction_speed = 1e-2 }\n"
        "joint { name = 'pivot', type = 'revolute', bodies = {'cart', 'pole'}, at = {0, 0, 0}, axis = {0, 1, "
        "0} }\n"
        "actuator { name = 'k', joint = 'rail', k = 50, rest = 0.2 }\n"
        "run { h = 1e-3, t_end = 1 }\n"};
    for (int which = 0; which < 2; which++) {
        ph_run *run = run_of(text[which]);
        ph_modes *m;
        ph_error err = {0};
        double re[8], im[8];
        if (ph_run_static(run, NULL, NULL, &err) != PH_OK || ph_run_modes(&m, run, &err) != PH_OK)
            fail_msg("%s", err.text);
        lin l = lin_of(run);
        assert_int_equal(ph_linear_eigenvalues(l.n, l.A, re, im, &err), PH_OK);
        for (int k = 0; k < ph_modes_get_info(m).count; k++) {
            double x, y, nearest = HUGE_VAL;
            ph_modes_value(m, k, &x, &y);
            for (int i = 0; i < l.n; i++)
                nearest = fmin(nearest, hypot(re[i] - x, im[i] - y));
            check_le(nearest, 1e-9 * hypot(x, y)); /* round-off */
        }
        ph_modes_destroy(m);
        lin_close(&l);
    }
}

/* A of a motion is the same in all spaces, whose coordinates differ: what velocities do in it is differenced. (T11) */
static void motion(void **state)
{
    (void)state;
    static const char *const spaces[] = {"space=R3xSO3", "space=SE3", "space=euler"};
    double *A[3];
    int n = 0;
    for (int k = 0; k < 3; k++) {
        ph_run *run;
        ph_error err = {0};
        ph_run_config c = ph_run_defaults();
        const char *options[] = {spaces[k], "tol=1e-10"};
        c.options = options, c.n_options = 2;
        if (ph_run_open(&run, PH_TEST_DIR "/../models/heavy_top.lua", &c, &err) != PH_OK)
            fail_msg("%s", err.text);
        lin l = lin_of(run);
        n = l.n, A[k] = calloc((size_t)(n * n), sizeof(double));
        memcpy(A[k], l.A, sizeof(double) * (size_t)(n * n));
        lin_close(&l);
    }
    for (int k = 1; k < 3; k++)
        check_le(max_diff(A[0], A[k], n * n), 1e-10 * ph_small_max(n * n, A[0])); /* derivative: order 4 */
    for (int k = 0; k < 3; k++)
        free(A[k]);
}

/* exp(A t) of a short run that starts a little off, and the response to an input that jumps: a motion that is not steady,
 * of a chain of joints with several coordinates. */
static void short_runs(void **state)
{
    (void)state;
    static const char *const text =
        "gravity {0, 0, -9.81}\n"
        "body { name = 'a', mass = 2, inertia = {0.3, 0.4, 0.2}, position = {0.5, 0, 0}%s }\n"
        "body { name = 'b', mass = 1, inertia = {0.1, 0.2, 0.15}, position = {1.2, 0, -0.1} }\n"
        "joint { name = 'ball', type = 'spherical', bodies = {'ground', 'a'}, at = {0, 0, 0} }\n"
        "joint { name = 'knee', type = 'revolute', bodies = {'a', 'b'}, at = {1, 0, 0}, axis = {0, 1, 0.2} "
        "}\n"
        "input { name = 'u', value = 0.2, hold = 'step' }\n"
        "actuator { name = 'm', joint = 'knee', k = 3, d = 0.2, effort = 'u' }\n"
        "actuator { name = 'n', joint = 'ball', k = 5, d = 0.3 }\n"
        "run { h = 5e-5, t_end = 5e-4, method = 'rkmk', tableau = 'rk4', assemble = true }\n";
    char own[2048];
    snprintf(own, sizeof own, text, ", omega = {0, 0.4, -0.7}");
    lin l = lin_of(run_of(own));
    int n = l.n, r = place_of(&l, "knee.rate");
    assert_int_equal(n, 8);
    /* x'(0) by the input: two runs with inputs u +- e differ by 2 e t B to first order in t, exactly by the integral */
    double rate[2], e = 1e-3, t = 5e-4;
    for (int side = 0; side < 2; side++) {
        ph_run *run = run_of(own);
        ph_error err = {0};
        ph_run_set_input(run, 0, 0.2 + (side ? e : -e));
        assert_int_equal(ph_run_until(run, t, &err), PH_OK);
        ph_run_get(run, PH_GET_JOINT_RATE, 1, &rate[side]);
        ph_run_close(run);
    }
    double sum = l.B[r] * t, term[8], next[8] = {0};
    for (int i = 0; i < n; i++)
        term[i] = l.B[i] * t;
    for (int k = 2; k < 6; k++) { /* t + A t^2/2 + ..., times B */
        for (int i = 0; i < n; i++) {
            next[i] = 0;
            for (int j = 0; j < n; j++)
                next[i] += l.A[i * n + j] * term[j] * t / k;
        }
        memcpy(term, next, sizeof next);
        sum += term[r];
    }
    /* derivative: the motion changes A by a part of t over t, and its effect is t^2 of B t */
    check_near((rate[1] - rate[0]) / (2 * e), sum, 1e-7);
    lin_close(&l);
}

/* Exact: what is not asked for is not evaluated, and changes nothing of the rest; a sensor that has no value is an error where it
 * is asked for, which names it. */
static void only_what_is_asked_for(void **state)
{
    (void)state;
    ph_run *run = run_of(
        "body { name = 'b', mass = 2, inertia = {0.3, 0.4, 0.2} }\n"
        "joint { name = 'j', type = 'revolute', bodies = {'ground', 'b'}, at = {0.1, 0, 0.2}, axis = {0, 1, "
        "0} }\n"
        "input { name = 'u' }\n"
        "actuator { name = 'm', joint = 'j', k = 3, d = 0.2, effort = 'u' }\n"
        "sensor { name = 'x', type = 'joint_position', joint = 'j' }\n"
        "sensor { name = 'bad', custom = function(t, s) return math.sqrt(0.05 - t) end }\n"
        "run { h = 1e-2, t_end = 1 }\n");
    ph_error err = {0};
    double A[4], B[2], C[4], D[2], alone[4];
    assert_int_equal(ph_run_linearise(run, A, B, C, D, &err), PH_OK);
    for (int k = 0; k < 4; k++) {
        memset(alone, 0, sizeof alone);
        assert_int_equal(ph_run_linearise(run, k == 0 ? alone : NULL, k == 1 ? alone : NULL,
                                          k == 2 ? alone : NULL, k == 3 ? alone : NULL, &err),
                         PH_OK);
        check_le(max_diff(alone, k == 0 ? A : k == 1 ? B : k == 2 ? C : D, k % 2 ? 2 : 4), 0);
    }
    assert_int_equal(ph_run_until(run, 0.1, &err), PH_OK);
    assert_int_equal(ph_run_linearise(run, NULL, NULL, NULL, NULL, &err), PH_OK);
    assert_string_equal(ph_run_linear_name(run, 1), "j.rate");
    assert_int_equal(ph_run_linearise(run, A, B, NULL, NULL, &err), PH_OK);
    for (int k = 0; k < 2; k++) {
        err = (ph_error){0};
        assert_int_equal(ph_run_linearise(run, A, B, k ? NULL : C, k ? D : NULL, &err), PH_E_CALLBACK);
        assert_non_null(strstr(err.text, "sensor 'bad': what the function returns is not a number"));
    }
    ph_run_close(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cart),
                                       cmocka_unit_test(motor),
                                       cmocka_unit_test(bicycle),
                                       cmocka_unit_test(rest),
                                       cmocka_unit_test(motion),
                                       cmocka_unit_test(short_runs),
                                       cmocka_unit_test(only_what_is_asked_for)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
