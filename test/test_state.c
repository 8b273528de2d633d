/* States, efforts that are functions, and their arguments: derivatives in every space, orders, equilibria. */
#include "model_file.h"

#include "mech/argument.h"
#include "mech/mech.h"
#include "polhode/polhode.h"
#include "step/eval.h"

/* Everything reads everything: joints of several coordinates, inputs, states, bodies, a curve. */
static const char *const web =
    "gravity {0, 0, -9.81}\n"
    "body { name = 'a', mass = 2, inertia = {1, 1.2, 0.9}, position = {0.1, 0.2, 0.3}, rotation = {axis = "
    "{1, 2, 3}, "
    "angle = 0.2} }\n"
    "body { name = 'b', mass = 1, inertia = {0.5, 0.6, 0.7}, position = {1, 0.1, -0.2}, omega = {0.3, -0.2, "
    "0.5} }\n"
    "particle { name = 'p', mass = 1.5, position = {0.3, 1, 0.2} }\n"
    "joint { name = 'ball', type = 'spherical', bodies = {'ground', 'a'}, at = {0, 0, 0} }\n"
    "joint { name = 'cross', type = 'universal', bodies = {'a', 'b'}, at = {0.5, 0.1, 0}, axis_a = {1, 0, "
    "0}, axis_b "
    "= {0, 1, 0} }\n"
    "joint { name = 'line', type = 'point_on_line', bodies = {'b', 'p'}, at = {0.3, 1, 0.2}, axis = {0, 0, "
    "1} }\n"
    "input { name = 'u', value = 0.7 }\n"
    "local c = curve({-9, -1, 0, 1, 2, 9}, {0.5, 0.3, 1, 0.2, 0.1, 0.7}, {kind = 'cubic', outside = "
    "'linear'})\n"
    "state { name = 'x', initial = {0.2, -0.4}, rate = function(t, s)\n"
    "  local w = s.joints.cross.rate\n"
    "  return s.states.y*w[1] - s.states.x[1] + c(s.joints.ball.position[2]) + s.inputs.u,\n"
    "         math.sin(s.states.x[1])*s.b.velocity[3] + s.p.position.x - 0.3*s.states.x[2]*t end }\n"
    "state { name = 'y', initial = 0.3, rate = function(t, s) %s return -s.states.y + "
    "s.joints.line.position*w end }\n"
    "actuator { name = 'm', joint = 'cross', coordinate = 'ry', d = 0.1, effort = function(t, s)\n"
    "  return s.states.x[1]*s.states.y - 2*s.joints.cross.position[2] + s.inputs.u*s.joints.ball.rate[3]\n"
    "         + s.p.velocity.y*c(s.joints.line.position) end }\n"
    "run { h = 1e-3, t_end = 1 }\n";

static ph_model *web_model(int traced)
{
    static char text[4096];
    snprintf(text, sizeof text, web,
             traced ? "local w = s.states.x[2]" : "local w = s.states.x[2] if w == 17.25 then w = 0 end");
    return read_text(text);
}

/* Off every manifold, with every coordinate, velocity and multiplier of size 1. */
static double worst_of(const ph_model *model, ph_space_code space, uint64_t seed)
{
    ph_mechanism *m;
    ph_error err = {0};
    const double *q0, *v0;
    ph_check worst;
    if (ph_mechanism_create(&m, model, space, NULL, &err) != PH_OK ||
        ph_mechanism_initial(m, 1, &q0, &v0, &err) != PH_OK)
        fail_msg("%s", err.text);
    const ph_system *sys = ph_mechanism_system(m);
    int nv = ph_system_nv(sys), nl = ph_system_nl(sys);
    double *v = calloc((size_t)(2 * nv + nl), sizeof *v), *vdot = v + nv, *lambda = vdot + nv;
    for (int i = 0; i < 2 * nv + nl; i++)
        v[i] = 0.5 * rnd(&seed);
    assert_int_equal(ph_system_check(sys, 0.3, q0, v, vdot, lambda, &worst, &err), PH_OK);
    if (!(worst.error <= 1e-6))
        print_message("space %d: %s (%d, %d) [%d, %d]: %g, %g\n", (int)space, worst.what, worst.row,
                      worst.col, worst.i, worst.j, worst.given, worst.differenced);
    free(v);
    ph_mechanism_destroy(m);
    return worst.error;
}

static void tangents(void **state)
{
    (void)state;
    for (int traced = 1; traced >= 0; traced--) {
        ph_model *model = web_model(traced);
        const ph_traced *y = model->state[1].rate.traced, *x = model->state[0].rate.traced;
        assert_non_null(x->program);
        assert_int_equal(y->program != NULL, traced);
        for (int space = 0; space < PH_SPACE_COUNT; space++)
            check_le(worst_of(model, (ph_space_code)space, 5), 1e-6); /* derivative: central differences */
        ph_model_free(model);
    }
}

static double end_of(const char *text, const char *const *options, int n)
{
    ph_run *run;
    ph_error err = {0};
    ph_run_config c = ph_run_defaults();
    ph_model *model = read_text(text);
    double x[8];
    c.options = options, c.n_options = n;
    if (ph_run_create(&run, model, &c, &err) != PH_OK || ph_run_until(run, ph_run_end(run), &err) != PH_OK)
        fail_msg("%s", err.text);
    assert_int_equal(ph_run_get(run, PH_GET_STATE, 0, x), PH_OK);
    ph_run_close(run);
    ph_model_free(model);
    return x[0];
}

/* x' = -2 x + cos t beside a wheel at rest: exactly known; order of the methods. */
static void orders(void **state)
{
    (void)state;
    static const char *const text =
        "body { name = 'w', mass = 1, inertia = {1, 1, 1} }\n"
        "state { name = 'x', initial = 1, rate = function(t, s) return -2*s.states.x + math.cos(t) end }\n"
        "run { t_end = 1, h = 0.1 }\n";
    static const struct {
        const char *options[3];
        int n, order;
    } cases[] = {{{"method=genalpha"}, 1, 2},
                 {{"method=bliedf", "order=3"}, 2, 3},
                 {{"method=rkmk", "tableau=rk4"}, 2, 4}};
    double exact = 0.6 * exp(-2) + 0.4 * cos(1) + 0.2 * sin(1);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double error[3];
        for (int i = 0; i < 3; i++) {
            char h[32];
            const char *options[3] = {cases[k].options[0], cases[k].options[1], NULL};
            snprintf(h, sizeof h, "h=%.17g", 0.04 / (1 << i));
            options[cases[k].n] = h;
            error[i] = fabs(end_of(text, options, cases[k].n + 1) - exact);
        }
        double p = log2(error[1] / error[2]);
        check_near(p, cases[k].order, 0.15); /* order */
    }
}

/* Numbers of states, and a run that goes on. */
static void numbers(void **state)
{
    (void)state;
    ph_error err = {0};
    ph_model *model = web_model(1);
    ph_run *run;
    double x[3];
    assert_int_equal(ph_run_create(&run, model, NULL, &err), PH_OK);
    assert_int_equal(ph_run_count(run, PH_STATES), 2);
    assert_int_equal(ph_run_find(run, PH_STATES, "y"), 1);
    assert_int_equal(ph_run_size(run, PH_GET_STATE, 0), 2);
    assert_int_equal(ph_run_get(run, PH_GET_STATE, 0, x), PH_OK);
    assert_true(x[0] == 0.2 && x[1] == -0.4);
    assert_int_equal(ph_run_get(run, PH_GET_JOINT_POSITION, 0, x), PH_OK);
    ph_run_close(run);
    ph_model_free(model);
}

/* The equilibrium of a spring whose rest follows a state: x = 3, k (q - x) = weight. */
static void statics(void **state)
{
    (void)state;
    ph_error err = {0};
    ph_model *model =
        read_text("gravity {0, 0, -10}\n"
                  "body { name = 'm', mass = 2, inertia = {1, 1, 1} }\n"
                  "joint { name = 'rail', type = 'prismatic', bodies = {'ground', 'm'}, axis = {0, 0, 1} }\n"
                  "state { name = 'x', initial = 1, rate = function(t, s) return 5*(3 - s.states.x) + "
                  "s.joints.rail.rate end }\n"
                  "actuator { name = 's', joint = 'rail', effort = function(t, s) return 40*(s.states.x - "
                  "s.joints.rail.position) "
                  "end }\n"
                  "run { h = 1e-3, t_end = 1 }\n");
    ph_run *run;
    double x;
    if (ph_run_create(&run, model, NULL, &err) != PH_OK || ph_run_static(run, NULL, NULL, &err) != PH_OK)
        fail_msg("%s", err.text);
    assert_int_equal(ph_run_get(run, PH_GET_STATE, 0, &x), PH_OK);
    check_near(x, 3, 1e-10); /* round-off */
    assert_int_equal(ph_run_get(run, PH_GET_JOINT_POSITION, 0, &x), PH_OK);
    check_near(x, 2.5, 1e-10); /* round-off */
    assert_int_equal(ph_run_until(run, 1, &err), PH_OK);
    assert_int_equal(ph_run_get(run, PH_GET_JOINT_POSITION, 0, &x), PH_OK);
    check_near(x, 2.5, 1e-10); /* it stays there */
    ph_run_close(run);
    ph_model_free(model);
}

/* A motor on a spring with its current: eigenvalues of {{0, 1, 0}, {-25, -2, 15}, {0, -6, -30}}, by NumPy. */
static void modes(void **state)
{
    (void)state;
    static const char *const text = "body { name = 'rotor', mass = 1, inertia = {1, 1, 0.02} }\n"
                                    "joint { name = 'axle', type = 'revolute', bodies = {'ground', 'rotor'}, "
                                    "at = {0, 0, 0}, axis = {0, 0, 1} }\n"
                                    "state { name = 'i', rate = function(t, s) return (-1.5*s.states.i - "
                                    "0.3*s.joints.axle.rate)/0.05 end }\n"
                                    "actuator { name = 'm', joint = 'axle', k = 0.5, d = 0.04, effort = "
                                    "function(t, s) return 0.3*s.states.i end "
                                    "}\n"
                                    "run { h = 1e-3, t_end = 1 }\n";
    static const double known[2][2] = {{-2.771521917978, 4.546053065564}, {-26.456956164045, 0}};
    ph_error err = {0};
    ph_model *model = read_text(text);
    for (int space = 0; space < 2; space++) {
        const char *option = space ? "space=SE3" : "space=R3xSO3";
        ph_run_config c = ph_run_defaults();
        ph_run *run;
        ph_modes *m;
        c.options = &option, c.n_options = 1;
        if (ph_run_create(&run, model, &c, &err) != PH_OK || ph_run_modes(&m, run, &err) != PH_OK)
            fail_msg("%s", err.text);
        assert_int_equal(ph_modes_get_info(m).count, 2);
        for (int k = 0; k < 2; k++) {
            double re, im;
            ph_modes_value(m, k, &re, &im);
            check_near(re, known[k][0], 1e-8); /* reference: its digits */
            check_near(im, known[k][1], 1e-8); /* reference */
        }
        ph_modes_destroy(m);
        ph_run_close(run);
    }
    ph_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tangents), cmocka_unit_test(orders),
                                       cmocka_unit_test(numbers), cmocka_unit_test(statics),
                                       cmocka_unit_test(modes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
