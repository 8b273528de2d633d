/* Singular positions, in words: where a mechanism can move although its joints say that it cannot. */
#include "check.h"
#include "model_cases.h"
#include "polhode/sim.h"

/* A parallelogram whose left bar is driven to where all bars lie in one line at t = 0.5: there the right
 * one can turn about its pivot in (1, 0, 0), its centre along y; or all of it is turned by a right angle. Rows of a plane loop repeat each other
 * everywhere: they say nothing, nor do those of a joint that is not active. */
static const char parallelogram[] =
    "model 'parallelogram'\n"
    "local function at(x, y) if upright ~= 0 then return {-y, x, 0} end return {x, y, 0} end\n"
    "local c, s = math.cos(0.5), -math.sin(0.5)\n"
    "local J, z = {0.001, 0.02, 0.02}, {0, 0, 1}\n"
    "local turn, flat = {axis = z, angle = upright*math.pi/2 - 0.5}, {axis = z, angle = upright*math.pi/2}\n"
    "gravity(at(0, -9.81))\n"
    "body { name = 'left', mass = 1, inertia = J, position = at(c / 2, s / 2), rotation = turn }\n"
    "body { name = 'right', mass = 1, inertia = J, position = at(1 + c / 2, s / 2), rotation = turn }\n"
    "body { name = 'coupler', mass = 1, inertia = J, position = at(c + 0.5, s), rotation = flat }\n"
    "joint { name = 'A', type = 'revolute', bodies = {'ground', 'left'}, at = {0, 0, 0}, axis = z,\n"
    "        drive = function(t) return t end }\n"
    "joint { name = 'B', type = 'revolute', bodies = {'left', 'coupler'}, at = at(c, s), axis = z }\n"
    "joint { name = 'C', type = 'revolute', bodies = {'coupler', 'right'}, at = at(1 + c, s), axis = z }\n"
    "joint { name = 'D', type = 'revolute', bodies = {'ground', 'right'}, at = at(1, 0), axis = z }\n"
    "joint { name = 'latch', type = 'fixed', bodies = {'left', 'right'}, at = {0, 0, 0}, active = false }\n";

/* (R5) */
static void dead_centre(void **state)
{
    (void)state;
    for (int f = PH_INDEX3; f <= PH_GGL; f += PH_GGL - PH_INDEX3) {
        char text[2048];
        opened m;
        snprintf(text, sizeof text, "local upright = %d\n%s", f == PH_GGL, parallelogram);
        open_text(&m, text);
        ph_options o = ph_default_options();
        ph_sim *sim;
        ph_error err = {0};
        o.h = 1e-2, o.formulation = (ph_formulation)f, o.halvings = 0; /* the message of a whole step */
        assert_int_equal(ph_sim_create(&sim, &m.sys, &o, 0, m.q0, m.v0, &err), PH_OK);
        assert_int_not_equal(ph_sim_run(sim, 60, NULL, NULL, &err), PH_OK);
        snprintf(
            text, sizeof text,
            "t = 0.5: singular position: body 'right' can move along (%s, 0) without violating its joints",
            f == PH_GGL ? "1, 0" : "0, 1");
        assert_string_equal(err.text, text);
        ph_sim_destroy(sim);
        open_close(&m);
    }
}

/* The same with all bars in one line at the start, not driven: the loop has a condition too many there and
 * nowhere else. In motion the first step leaves it; at rest gravity takes some steps to. */
static const char flat[] =
    "local J, z = {0.001, 0.02, 0.02}, {0, 0, 1}\n"
    "gravity {0, -9.81, 0}\n"
    "body { name = 'left', mass = 1, inertia = J, position = {0.5, 0, 0},\n"
    "       velocity = v ~= 0 and {0, v / 2, 0} or nil, omega = v ~= 0 and {0, 0, v} or nil }\n"
    "body { name = 'right', mass = 1, inertia = J, position = {1.5, 0, 0} }\n"
    "body { name = 'coupler', mass = 1, inertia = J, position = {1.5, 0, 0} }\n"
    "joint { name = 'A', type = 'revolute', bodies = {'ground', 'left'}, at = {0, 0, 0}, axis = z }\n"
    "joint { name = 'B', type = 'revolute', bodies = {'left', 'coupler'}, at = {1, 0, 0}, axis = z }\n"
    "joint { name = 'C', type = 'revolute', bodies = {'coupler', 'right'}, at = {2, 0, 0}, axis = z }\n"
    "joint { name = 'D', type = 'revolute', bodies = {'ground', 'right'}, at = {1, 0, 0}, axis = z }\n";

static void starts_at_dead_centre(void **state)
{
    (void)state;
    static const char *const words[] = {
        "constraints that were redundant at the start no longer are: the run starts in a singular position; "
        "start elsewhere",
        "t = 0.001: the run starts in a singular position: body 'left' can move along (0, 1, 0) without "
        "violating its joints; start elsewhere"};
    for (int k = 0; k < 4; k++) {
        char text[2048];
        opened m;
        ph_options o = ph_default_options();
        ph_sim *sim;
        ph_error err = {0};
        snprintf(text, sizeof text, "model 'flat'\nlocal v = %d\n%s", k % 2, flat);
        open_text(&m, text);
        o.h = 1e-3, o.formulation = k < 2 ? PH_INDEX3 : PH_GGL, o.halvings = 0;
        assert_int_equal(ph_sim_create(&sim, &m.sys, &o, 0, m.q0, m.v0, &err), PH_OK);
        assert_int_equal(ph_sim_run(sim, 100, NULL, NULL, &err), PH_E_STEP);
        if (!strstr(err.text, words[k % 2]))
            fail_msg("%s", err.text);
        ph_sim_destroy(sim);
        open_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dead_centre),
        cmocka_unit_test(starts_at_dead_centre),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
