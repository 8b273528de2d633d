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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(suspension_and_platform),
        cmocka_unit_test(loops_of_all_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
