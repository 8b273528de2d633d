/* Block LU on regular mechanisms with closed loops through bodies with many joints, beside KLU, which
 * chooses its pivots freely. */
#include "check.h"
#include "model_cases.h"
#include "polhode/sim.h"

/* Runs so many steps; q at the end goes to q. */
static void run_with(const opened *m, ph_formulation f, ph_solver_kind kind, int steps, const char *name,
                     double *q)
{
    ph_options o = ph_default_options();
    ph_sim *sim;
    ph_error err = {0};
    o.h = 1e-3, o.formulation = f, o.solver = kind;
    if (ph_sim_create(&sim, &m->sys, &o, 0, m->q0, m->v0, &err) != PH_OK ||
        ph_sim_run(sim, steps, NULL, NULL, &err) != PH_OK)
        fail_msg("%s, form %d, solver %d: %s", name, (int)f, (int)kind, err.text);
    memcpy(q, ph_sim_state(sim).q, sizeof(double) * (size_t)(7 * m->sys.n_nodes / 2));
    ph_sim_destroy(sim);
}

/* All bodies are rigid: two nodes, 7 numbers. */
static void compare(const opened *m, int redundant, int steps, const char *name)
{
    enum { MOST = 7 * 64 };
    double block[MOST], klu[MOST];
    assert_true(7 * m->sys.n_nodes / 2 <= MOST);
    assert_int_equal(m->sys.n_redundant, redundant);
    for (int f = PH_INDEX3; f <= PH_GGL; f++) {
        run_with(m, (ph_formulation)f, PH_BLOCK, steps, name, block);
        run_with(m, (ph_formulation)f, PH_KLU, steps, name, klu);
        for (int i = 0; i < 7 * m->sys.n_nodes / 2; i++)
            check_near(block[i], klu[i], 1e-8); /* Newton's tolerance, over the steps */
    }
}

static void suspension_and_platform(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        ph_setting set;
    } row[] = {{"quarter_car", {NULL, 0}}, {"stewart", {"driven", 0}}, {"stewart", {"driven", 1}}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        char path[512];
        opened m;
        snprintf(path, sizeof path, "%s/models/%s.lua", PH_TEST_DIR, row[k].name);
        open_path(&m, path, row[k].set.name ? &row[k].set : NULL, PH_SPACE_R3XSO3);
        compare(&m, 0, 100, row[k].name);
        open_close(&m);
    }
}

/* Legs of two links on one body: open, closed on the body or held by the ground, with joints of all sizes. */
static const char legs[] =
    "model 'legs'\n"
    "local word = {'spherical', 'universal', 'revolute'}\n"
    "local function draw(n) seed = (seed * 16807) % 2147483647; return 1 + seed % n end\n"
    "local function real() return draw(2000) / 1000 - 1 end\n"
    "local function point() return {real(), real(), real()} end\n"
    "local function link(name)\n"
    "  body { name = name, mass = draw(9), inertia = {0.1, 0.12, 0.15}, position = point() }\n"
    "end\n"
    "local function hang(name, first, second, n)\n"
    "  local a = {real(), real(), 1.5}\n"
    "  local t = {name = name, type = word[n], bodies = {first, second}, at = point()}\n"
    "  if n == 2 then t.axis_a, t.axis_b = {a[3], 0, -a[1]}, {0, 1, 0} end\n"
    "  if n == 3 then t.axis = a end\n"
    "  joint(t)\n"
    "end\n"
    "gravity {0, 0, -9.81}\n"
    "link('hub')\n"
    "for i = 1, 5 + draw(6) do\n"
    "  local a, b, close = 'a' .. i, 'b' .. i, draw(3)\n"
    "  link(a)\n"
    "  link(b)\n"
    "  local first = draw(3)\n"
    "  hang('p' .. i, 'hub', a, first)\n"
    "  hang('q' .. i, a, b, 1)\n"
    "  if close > 1 then hang('r' .. i, close == 2 and 'hub' or b, close == 2 and b or 'ground', first == 3 "
    "and 2 or 1) end\n"
    "end\n";

static void loops_of_all_kinds(void **state)
{
    (void)state;
    char text[8192];
    for (int seed = 1; seed <= 12; seed++) {
        opened m;
        snprintf(text, sizeof text, "local seed = %d\n%s", seed * 7919, legs);
        open_text(&m, text);
        compare(&m, 0, 3, "legs");
        open_close(&m);
    }
}

/* A parallelogram whose left bar is driven to where all bars lie in one line at t = 0.5: there the right
 * one can turn about its pivot in (1, 0, 0), its centre along y. Rows of a plane loop repeat each other
 * everywhere: they say nothing. */
static const char parallelogram[] =
    "model 'parallelogram'\n"
    "local c, s = math.cos(0.5), -math.sin(0.5)\n"
    "local J, turn, z = {0.001, 0.02, 0.02}, {axis = {0, 0, 1}, angle = -0.5}, {0, 0, 1}\n"
    "gravity {0, -9.81, 0}\n"
    "body { name = 'left', mass = 1, inertia = J, position = {c / 2, s / 2, 0}, rotation = turn }\n"
    "body { name = 'right', mass = 1, inertia = J, position = {1 + c / 2, s / 2, 0}, rotation = turn }\n"
    "body { name = 'coupler', mass = 1, inertia = J, position = {c + 0.5, s, 0} }\n"
    "joint { name = 'A', type = 'revolute', bodies = {'ground', 'left'}, at = {0, 0, 0}, axis = z,\n"
    "        drive = function(t) return t end }\n"
    "joint { name = 'B', type = 'revolute', bodies = {'left', 'coupler'}, at = {c, s, 0}, axis = z }\n"
    "joint { name = 'C', type = 'revolute', bodies = {'coupler', 'right'}, at = {1 + c, s, 0}, axis = z }\n"
    "joint { name = 'D', type = 'revolute', bodies = {'ground', 'right'}, at = {1, 0, 0}, axis = z }\n";

static void dead_centre(void **state)
{
    (void)state;
    opened m;
    open_text(&m, parallelogram);
    for (int f = PH_INDEX3; f <= PH_GGL; f += PH_GGL - PH_INDEX3) {
        ph_options o = ph_default_options();
        ph_sim *sim;
        ph_error err = {0};
        o.h = 1e-2, o.formulation = (ph_formulation)f;
        assert_int_equal(ph_sim_create(&sim, &m.sys, &o, 0, m.q0, m.v0, &err), PH_OK);
        assert_int_not_equal(ph_sim_run(sim, 60, NULL, NULL, &err), PH_OK);
        assert_string_equal(err.text,
                            "t = 0.5: singular position: body 'right' can move along (0, 1, 0) without "
                            "violating its joints");
        ph_sim_destroy(sim);
    }
    open_close(&m);
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
        o.h = 1e-3, o.formulation = k < 2 ? PH_INDEX3 : PH_GGL;
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
        cmocka_unit_test(suspension_and_platform),
        cmocka_unit_test(loops_of_all_kinds),
        cmocka_unit_test(dead_centre),
        cmocka_unit_test(starts_at_dead_centre),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
