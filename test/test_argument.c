/* Functions of model files in a mechanism: tangents of loads and constraints by all bodies that they read, drives,
 * and how often Lua is called. */
#include "check.h"

#include "mech/argument.h"
#include "model/inside.h"
#include "polhode/run.h"

static ph_model *read_text(const char *text)
{
    ph_error err = {0};
    ph_model *m;
    if (ph_model_read_text(&m, "trial.lua", text, strlen(text), NULL, 0, NULL, &err) != PH_OK)
        print_error("%s\n", err.text);
    assert_non_null(m);
    return m;
}

#define BODIES                                                                                               \
    "model 'trial'\n"                                                                                        \
    "gravity {0, 0, -9.81}\n"                                                                                \
    "body { name = 'a', mass = 1.2, inertia = {1, 1.5, 2}, position = {0.3, -0.2, 0.5},\n"                   \
    "       rotation = {axis = {1, 2, 3}, angle = 0.7}, velocity = {1, 2, 3}, omega = {0.1, 0.2, 0.3} }\n"   \
    "body { name = 'b', mass = 0.7, inertia = {1, 1.1, 0.9, 0.1, 0.2, 0}, position = {1, 1, 2},\n"           \
    "       rotation = {axis = {-1, 2, 1}, angle = -1.7}, velocity = {-1, 0.2, 0.3}, omega = {1, -2, 0.7} "  \
    "}\n"                                                                                                    \
    "particle { name = 'c', mass = 2, position = {0.2, 1, 0.1}, velocity = {0.3, 0.1, 0.4} }\n"

static const char loads[] = BODIES
    "local function norm(v) return math.sqrt(v.x^2 + v.y^2 + v.z^2) end\n"
    "force { name = 'f1', body = 'a', at = {0.1, 0.2, -0.3}, value = function(t, s)\n"
    "  local d = {} for i = 1, 3 do d[i] = s.b.position[i] - s.a.position[i] end\n"
    "  local l = math.sqrt(d[1]^2 + d[2]^2 + d[3]^2) local k = 10*(l - 1)/l + s.b.omega.x*s.c.velocity.y\n"
    "  return k*d[1], k*d[2], k*d[3]*s.b.rotation.w end }\n"
    "force { name = 'f2', body = 'b', frame = 'body', at = {0.3, 0.1, 0.2}, value = function(t, s)\n"
    "  local v = norm(s.velocity) return -v*s.velocity.x, -0.3*s.a.velocity.z*s.rotation.x, "
    "math.sin(t)*s.c.position.x end }\n"
    "torque { name = 't1', body = 'b', value = function(t, s)\n"
    "  local q = s.rotation local x = math.atan(2*(q.w*q.x + q.y*q.z), 1 - 2*(q.x^2 + q.y^2))\n"
    "  if s.a.position.x > 100 then return 1, 2, 3 end\n"
    "  return -3*x - 0.2*s.omega.x, s.a.omega.y^2, s.a.rotation.z end }\n"
    "torque { name = 't2', body = 'a', frame = 'body', value = function(t, s) return -s.omega.x^3, "
    "s.b.position.z*t, 0 end }\n"
    "force { name = 'f3', body = 'c', value = function(t, s) return s.a.position.x*s.b.position.y, "
    "-s.c.velocity.y, 0 end }\n";

/* Loads and states that read each other, and joints. */
static const char states[] =
    BODIES "joint { name = 'hinge', type = 'revolute', bodies = {'ground', 'b'}, at = {1, 1, 1}, axis = {1, "
           "0.2, 0} }\n"
           "state { name = 'x', initial = {0.3, -0.2}, rate = function(t, s)\n"
           "  return s.states.x[2]*s.a.velocity.x, -s.states.x[1] + math.sin(s.joints.hinge.position) end }\n"
           "force { name = 'f', body = 'a', frame = 'body', at = {0.1, 0, 0.3}, value = function(t, s)\n"
           "  return s.states.x[1]^2, s.joints.hinge.rate*s.position.x, s.states.x[2]*s.c.velocity.z end }\n";

static const char constraints[] =
    BODIES "constraint { name = 'k1', f = function(t, s)\n"
           "  local p, q = s.a.position, s.b.position\n"
           "  return math.sqrt((p.x - q.x)^2 + (p.y - q.y)^2 + (p.z - q.z)^2) - 2 - 0.1*math.sin(3*t),\n"
           "         s.a.rotation.x*s.b.rotation.w - s.a.rotation.w*s.b.rotation.x + 0.2*t^2 end }\n"
           "constraint { name = 'k2', f = function(t, s)\n"
           "  local r, p = s.a.rotation, s.c.position\n"
           "  return 2*(r.x*r.z + r.w*r.y)*p.x + p.y^2*p.z - math.exp(-t)*s.b.position.x end }\n";

/* Everything against central differences, in every space. */
static void tangents_are_right(const char *text)
{
    ph_model *model = read_text(text);
    assert_false(ph_model_has_functions(model));
    for (int space = 0; space < PH_SPACE_COUNT; space++) {
        ph_mechanism *m;
        ph_error err = {0};
        const double *q, *v;
        assert_int_equal(ph_mechanism_create(&m, model, (ph_space_code)space, NULL, &err), PH_OK);
        assert_int_equal(ph_mechanism_initial(m, 1, &q, &v, &err), PH_OK);
        uint64_t seed = 5;
        double vel[64], vdot[64], lambda[64];
        for (int k = 0; k < m->nv; k++)
            vel[k] = v[k] + 0.1 * rnd(&seed), vdot[k] = rnd(&seed);
        for (int k = 0; k < m->nl; k++)
            lambda[k] = rnd(&seed);
        ph_check worst;
        assert_int_equal(ph_system_check(ph_mechanism_system(m), 0.3, q, vel, vdot, lambda, &worst, &err),
                         PH_OK);
        if (worst.error > 1e-7)
            print_error("space %d: %s, node or constraint %d, %d, entry %d %d: %.9g, differenced %.9g\n",
                        space, worst.what, worst.row, worst.col, worst.i, worst.j, worst.given,
                        worst.differenced);
        check_le(worst.error, 1e-7); /* derivative: central differences of second order */
        ph_mechanism_destroy(m);
    }
    ph_model_free(model);
}

/* (P4), (P7) */
static void loads_have_exact_tangents(void **state)
{
    (void)state;
    tangents_are_right(loads);
}

static void states_have_exact_tangents(void **state)
{
    (void)state;
    tangents_are_right(states);
}

/* (P5), (P6) */
static void constraints_have_exact_tangents(void **state)
{
    (void)state;
    tangents_are_right(constraints);
}

/* A constraint that reads two bodies, one that reads a body and the angle of a joint with the ground, and one whose function
 * is not traced and may read any: links with what they read alone. */
static void constraints_are_linked_with_what_they_read(void **state)
{
    (void)state;
    static const char *const text = BODIES
        "joint { name = 'pin', type = 'revolute', bodies = {'ground', 'b'}, at = {0.4, 0.1, 0}, axis = {0, "
        "1, 0} }\n"
        "constraint { name = 'k1', f = function(t, s) return s.a.position.x*s.b.rotation.y - 0.1*t end }\n"
        "constraint { name = 'k2', f = function(t, s)\n"
        "  return s.joints.pin.position^2 + 0.3*s.c.position.x*s.joints.pin.position end }\n";
    static const char *const untraced =
        "constraint { name = 'k3', f = function(t, s) local x = s.a.position.y if x == 17.25 then x = 0 end "
        "return x - s.b.position.z end }\n";
    char both[4096];
    snprintf(both, sizeof both, "%s%s", text, untraced);
    tangents_are_right(text);
    for (int more = 0; more < 2; more++) {
        ph_model *model = read_text(more ? both : text);
        ph_mechanism *m;
        ph_error err = {0};
        assert_int_equal(ph_mechanism_create(&m, model, PH_SPACE_R3XSO3, NULL, &err), PH_OK);
        const ph_system *sys = ph_mechanism_system(m);
        int links[3] = {0}, first = sys->n_constraints - model->n_constraints;
        for (int k = 0; k < sys->n_links; k++)
            if (sys->links[k].row >= first)
                links[sys->links[k].row - first]++;
        assert_int_equal(links[0], 4); /* both halves of a and b */
        assert_int_equal(links[1], 3); /* b, and c, a particle */
        assert_int_equal(links[2], more ? sys->n_nodes : 0);
        ph_mechanism_destroy(m);
        ph_model_free(model);
    }
}

/* ---- no Lua in a step ------------------------------------------------------------------------------------- */

static void no_lua_in_a_step(void **state)
{
    (void)state;
    static const char *const texts[] = {loads, constraints};
    for (int k = 0; k < 2; k++) {
        ph_model *model = read_text(texts[k]);
        ph_run *run;
        ph_error err = {0};
        ph_run_config c = ph_run_defaults();
        const char *options[] = {"h=0.001", "t_end=0.02", "assemble=true"};
        c.options = options, c.n_options = 3;
        if (ph_run_create(&run, model, &c, &err) != PH_OK)
            print_error("%s\n", err.text);
        assert_non_null(run);
        ((ph_reader *)model)->calls = 0;
        assert_int_equal(ph_run_until(run, 0.02, &err), PH_OK);
        assert_int_equal(((ph_reader *)model)->calls, 0);
        ph_run_close(run), ph_model_free(model);
    }
}

/* A way that was never compared is, when a run comes there first, and once. */
static void first_visits_are_compared(void **state)
{
    (void)state;
    ph_model *model = read_text(
        BODIES
        "force { name = 'f', body = 'a', value = function(t, s)\n"
        "  if s.position.x*1e9 > 1e14 and s.position.x < 1e6 then return 0, 1, 0 end return 0, 0, 0 end }\n");
    ph_mechanism *m;
    const double *q, *v;
    double x[32], zero[32] = {0};
    assert_false(ph_model_has_functions(model));
    assert_int_equal(ph_mechanism_create(&m, model, PH_SPACE_R3XSO3, NULL, NULL), PH_OK);
    assert_int_equal(ph_mechanism_initial(m, 1, &q, &v, NULL), PH_OK);
    memcpy(x, q, sizeof(double) * (size_t)m->nq);
    ph_reader *r = (ph_reader *)model;
    r->calls = 0;
    x[0] = 2e5;
    ph_check worst;
    assert_int_equal(ph_system_check(ph_mechanism_system(m), 0, x, zero, zero, zero, &worst, NULL), PH_OK);
    assert_int_equal(r->calls, 1);
    ph_mechanism_destroy(m), ph_model_free(model);
}

/* ---- drives ----------------------------------------------------------------------------------------------- */

/* Velocity and acceleration of 0.001 sin(w t), up to 1e5 rad/s. */
static void drives_have_exact_derivatives(void **state)
{
    (void)state;
    for (double w = 1; w < 2e5; w *= 10) {
        char text[1000];
        snprintf(text, sizeof text,
                 BODIES
                 "joint { name = 'j', type = 'prismatic', bodies = {'ground', 'a'}, axis = {1, 0, 0},\n"
                 "  drive = function(t) return 0.001*math.sin(%.17g*t) end }\n",
                 w);
        ph_model *model = read_text(text);
        ph_mechanism *m;
        assert_int_equal(ph_mechanism_create(&m, model, PH_SPACE_R3XSO3, NULL, NULL), PH_OK);
        for (int k = 0; k < 50; k++) {
            double t = 0.0137 * k, f[3];
            assert_int_equal(ph_drive_at(m, &model->joint[0].drive, t, 2, f), PH_OK);
            /* exact */
            assert_true(f[0] == 0.001 * sin(w * t));
            /* round-off */
            check_near(f[1], 0.001 * w * cos(w * t), 1e-15 * w);
            check_near(f[2], -0.001 * w * w * sin(w * t), 1e-15 * w * w);
        }
        ph_mechanism_destroy(m), ph_model_free(model);
    }
}

/* The largest error of the velocity of a driven body, relative, over two periods of 1e5 rad/s. */
static double velocity_error(const char *formulation, int steps)
{
    const double w = 1e5, period = 2 * 3.14159265358979323846 / w;
    char text[1000], form[40], h[40], end[40];
    snprintf(text, sizeof text,
             BODIES "joint { name = 'j', type = 'prismatic', bodies = {'ground', 'a'}, axis = {1, 0, 0},\n"
                    "  drive = function(t) return 0.001*math.sin(%.17g*t) end }\nrun{ assemble = true }\n",
             w);
    snprintf(form, sizeof form, "formulation=%s", formulation);
    snprintf(h, sizeof h, "h=%.17g", period / steps), snprintf(end, sizeof end, "t_end=%.17g", 2 * period);
    const char *options[] = {form, h, end};
    ph_run_config c = ph_run_defaults();
    c.options = options, c.n_options = 3;
    ph_model *model = read_text(text);
    ph_run *run;
    ph_error err = {0};
    double worst = 0;
    if (ph_run_create(&run, model, &c, &err) != PH_OK)
        fail_msg("%s", err.text);
    for (int k = 0; k < 2 * steps; k++) {
        double v[3];
        if (ph_run_step(run, &err) != PH_OK)
            fail_msg("%s", err.text);
        ph_run_get(run, PH_GET_VELOCITY, 0, v);
        worst = fmax(worst, fabs(v[0] - 0.001 * w * cos(w * ph_run_time(run))) / (0.001 * w));
    }
    ph_run_close(run), ph_model_free(model);
    return worst;
}

static void fast_drives_have_the_order_of_the_method(void **state)
{
    (void)state;
    check_le(velocity_error("ggl", 40),
             1e-9); /* round-off: the velocity is that of the drive; t has 1e-16 of 6e-5 s */
    double e[3] = {velocity_error("index3", 40), velocity_error("index3", 80), velocity_error("index3", 160)};
    check_near(log2(e[0] / e[1]), 2, 0.15); /* order */
    check_near(log2(e[1] / e[2]), 2, 0.15);
}

static ph_status drive_at(const char *formula, double t, double f[3])
{
    char text[1000];
    snprintf(text, sizeof text,
             BODIES "joint { name = 'j', type = 'prismatic', bodies = {'ground', 'a'}, axis = {1, 0, 0}, "
                    "drive = function(t) "
                    "return %s end }\n",
             formula);
    ph_model *model = read_text(text);
    assert_non_null(model->joint[0].drive.traced->program);
    ph_status s = ph_drive_at(NULL, &model->joint[0].drive, t, 2, f);
    ph_model_free(model);
    return s;
}

/* Near corners samples decide, as of functions that are not traced: a jump and a kink are refused, far from them all is exact. */
static void corners_of_drives(void **state)
{
    (void)state;
    double f[3];
    static const char *const jump = "t < 0.1 and 0 or 1", *const kink = "math.max(0, t - 0.1)",
                             *const smooth = "t < 0.1 and 0 or (t - 0.1)^5";
    assert_int_equal(drive_at(jump, 0.1, f), PH_E_INCONSISTENT);
    assert_int_equal(drive_at(kink, 0.1, f), PH_E_INCONSISTENT);
    assert_int_equal(drive_at(jump, 0.2, f), PH_OK);
    assert_true(f[0] == 1 && f[1] == 0 && f[2] == 0);
    assert_int_equal(drive_at(kink, 0.2, f), PH_OK);
    assert_true(f[1] == 1 && f[2] == 0);
    assert_int_equal(drive_at(smooth, 0.3, f), PH_OK);
    check_near(f[2], 20 * pow(0.2, 3), 1e-15); /* round-off */
    assert_int_equal(drive_at(smooth, 0.1001, f), PH_OK);
    check_near(f[2], 20 * pow(0.0001, 3), 1e-9); /* derivative: samples */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_have_exact_tangents),
        cmocka_unit_test(states_have_exact_tangents),
        cmocka_unit_test(constraints_have_exact_tangents),
        cmocka_unit_test(constraints_are_linked_with_what_they_read),
        cmocka_unit_test(no_lua_in_a_step),
        cmocka_unit_test(first_visits_are_compared),
        cmocka_unit_test(drives_have_exact_derivatives),
        cmocka_unit_test(fast_drives_have_the_order_of_the_method),
        cmocka_unit_test(corners_of_drives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
