/* The lowest modes of large systems: a hanging chain, its damped form, and what has no such modes. */
#include "model_file.h"

#include "polhode/polhode.h"

#define CHAIN PH_TEST_DIR "/models/hanging_chain.lua"

typedef struct lin {
    int n, m, p;
    double *A, *B, *C, *D, *re, *im;
} lin;

static ph_run *chain_of(double n, double d)
{
    ph_error err = {0};
    ph_model *model = NULL;
    ph_run *run = NULL;
    const ph_setting sets[] = {{"n", n}, {"d", d}};
    if (ph_model_read(&model, CHAIN, sets, 2, NULL, &err) != PH_OK ||
        ph_run_create(&run, model, NULL, &err) != PH_OK)
        fail_msg("%s", err.text);
    ph_model_free(model);
    return run;
}

static lin lin_of(ph_run *run, int modes)
{
    lin l = {0};
    ph_error err = {0};
    if (ph_run_linear_modes(run, modes, &err) != PH_OK ||
        ph_run_linear_sizes(run, &l.n, &l.m, &l.p, &err) != PH_OK)
        fail_msg("%s", err.text);
    l.A = calloc((size_t)(l.n + l.p) * (size_t)(l.n + l.m) + 2 * (size_t)l.n + 1, sizeof *l.A);
    l.B = l.A + l.n * l.n, l.C = l.B + l.n * l.m, l.D = l.C + l.p * l.n, l.re = l.D + l.p * l.m;
    l.im = l.re + l.n;
    if (ph_run_linearise(run, l.A, l.B, l.C, l.D, &err) != PH_OK ||
        ph_linear_eigenvalues(l.n, l.A, l.re, l.im, &err) != PH_OK)
        fail_msg("%s", err.text);
    return l;
}

/* The distance of a value to the nearest eigenvalue. */
static double distance(const lin *l, double re, double im)
{
    double nearest = HUGE_VAL;
    for (int k = 0; k < l->n; k++)
        nearest = fmin(nearest, hypot(l->re[k] - re, l->im[k] - im));
    return nearest;
}

/* 3600 velocities. A continuous chain of length 1 has omega = j_k sqrt(g)/2 with the zeros j_k of the Bessel function J_0, in two
 * planes; 600 rods have an error of 1e-5. */
static void many_bodies(void **state)
{
    (void)state;
    static const double zero[] = {2.404825557695773, 5.520078110286311, 8.653727912911013, 11.79153443901428,
                                  14.93091770848779};
    ph_run *run = chain_of(600, 0);
    lin l = lin_of(run, 10);
    assert_int_equal(l.n, 20);
    assert_string_equal(ph_run_linear_name(run, 0), "mode1");
    assert_string_equal(ph_run_linear_name(run, 19), "mode10.rate");
    for (int k = 0; k < 10; k++) {
        double omega = zero[k / 2] * sqrt(9.81) / 2;
        check_le(fabs(sqrt(-l.A[(10 + k) * 20 + k]) / omega - 1), 1e-4);
        check_le(fabs(l.B[10 + k] - l.C[k]), 1e-9); /* the force pushes what the sensor measures */
    }
    free(l.A);
    ph_run_close(run);
}

/* The same eigenvalues as modes, which has all of them. */
static void as_modes(void **state)
{
    (void)state;
    ph_run *run = chain_of(40, 0);
    ph_modes *m;
    ph_error err = {0};
    lin l = lin_of(run, 12);
    assert_int_equal(ph_run_modes(&m, run, &err), PH_OK);
    for (int k = 0; k < 12; k++) {
        double re, im;
        ph_modes_value(m, k, &re, &im);
        check_le(distance(&l, re, im) / im, 1e-9);
    }
    ph_modes_destroy(m);
    free(l.A);
    ph_run_close(run);
}

/* All modes, with damping that mixes them, and more than all: the eigenvalues of A in other coordinates. */
static void all_modes(void **state)
{
    (void)state;
    ph_run *run = chain_of(6, 1e-3);
    lin all = lin_of(run, 0), l = lin_of(run, 1000);
    double size = 0;
    assert_int_equal(all.n, 36);
    assert_int_equal(l.n, 36);
    for (int k = 0; k < 36; k++)
        size = fmax(size, hypot(all.re[k], all.im[k]));
    for (int k = 0; k < 36; k++)
        check_le(distance(&l, all.re[k], all.im[k]) / size, 1e-9);
    free(all.A), free(l.A);
    ph_run_close(run);
}

/* States keep their names behind the modes. */
static void states(void **state)
{
    (void)state;
    ph_error err = {0};
    ph_model *model = read_text(
        "body{name='b', mass=2, inertia={1, 1, 1}} joint{name='j', type='prismatic', bodies={'ground', 'b'}, "
        "at={0, 0, 0}, axis={1, 0, 0}} spring{name='k', bodies={'ground', 'b'}, at_a={-1, 0, 0}, "
        "at_b={0, 0, 0}, k=8, length=1}\n"
        "state{name='i', initial=0, rate=function(t, s) return s.joints.j.position - 3*s.states.i end}\n"
        "force{name='f', body='b', value=function(t, s) return -4*s.states.i, 0, 0 end} run{t_end=1, "
        "h=0.01}");
    ph_run *run;
    assert_int_equal(ph_run_create(&run, model, NULL, &err), PH_OK);
    ph_model_free(model);
    lin all = lin_of(run, 0), l = lin_of(run, 1);
    assert_int_equal(l.n, 3);
    assert_string_equal(ph_run_linear_name(run, 2), "i");
    for (int k = 0; k < 3; k++)
        check_le(distance(&l, all.re[k], all.im[k]), 1e-9);
    free(all.A), free(l.A);
    ph_run_close(run);
}

/* Without any stiffness all modes are free, and A has zeros. */
static void no_stiffness(void **state)
{
    (void)state;
    ph_error err = {0};
    ph_run *run;
    ph_model *model =
        read_text("gravity{0, 0, 0} body{name='b', mass=2, inertia={1, 1, 1}} run{t_end=1, h=0.01}");
    assert_int_equal(ph_run_create(&run, model, NULL, &err), PH_OK);
    ph_model_free(model);
    lin l = lin_of(run, 9);
    assert_int_equal(l.n, 12);
    for (int k = 0; k < 12; k++)
        check_le(hypot(l.re[k], l.im[k]), 0);
    free(l.A);
    ph_run_close(run);
}

static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *file, *words;
    } all[] = {{"bicycle.lua", "not computed with non-holonomic constraints"},
               {"heavy_top.lua", "need a state of rest, and the speed is 150"}};
    for (int k = 0; k < 2; k++) {
        char path[256];
        ph_error err = {0};
        ph_model *model = NULL;
        ph_run *run = NULL;
        snprintf(path, sizeof path, "%s/../models/%s", PH_TEST_DIR, all[k].file);
        assert_int_equal(ph_model_read(&model, path, NULL, 0, NULL, &err), PH_OK);
        assert_int_equal(ph_run_create(&run, model, NULL, &err), PH_OK);
        ph_model_free(model);
        assert_int_equal(ph_run_linear_modes(run, 3, &err), PH_OK);
        assert_int_equal(ph_run_linear_sizes(run, NULL, NULL, NULL, &err), PH_E_INPUT);
        assert_non_null(strstr(err.text, all[k].words));
        assert_int_equal(ph_run_linear_modes(run, -1, &err), PH_E_INPUT);
        ph_run_close(run);
    }
    assert_int_equal(ph_run_linear_modes(NULL, 1, NULL), PH_E_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(many_bodies),  cmocka_unit_test(as_modes),
                                       cmocka_unit_test(all_modes),    cmocka_unit_test(states),
                                       cmocka_unit_test(no_stiffness), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
