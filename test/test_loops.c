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

/* Hinges in a row, each with a damper and with couplings to masses on rails: a damper adds columns to the rows of two
 * bodies, which says nothing about the rows that they have. */
static const char coupled[] =
    "model 'coupled'\n"
    "gravity {0, 0, -9.81}\n"
    "local function arm(name, parent, x, y, axis)\n"
    "  body { name = name, mass = 1, inertia = {.01, .02, .03}, position = {x + .5, y, 0} }\n"
    "  joint { name = 'j' .. name, type = 'revolute', bodies = {parent, name}, at = {x, y, 0}, axis = axis "
    "}\n"
    "  actuator { name = 'd' .. name, joint = 'j' .. name, d = 1 }\n"
    "  for k = 1, couplings do\n"
    "    local a = name .. 'a' .. k\n"
    "    particle { name = a, mass = .1 * k }\n"
    "    joint { name = 'g' .. a, type = 'generic', bodies = {'ground', a}, at = {0, 0, 0}, lock = {'y', "
    "'z'} }\n"
    "    coupling { name = 'c' .. a, joints = {'j' .. name, 'g' .. a}, coordinates = {'rz', 'x'}, ratio = k "
    "}\n"
    "  end\n"
    "end\n"
    "local parent = 'ground'\n"
    "for i = 1, chain do\n"
    "  arm('b' .. i, parent, i - 1, 0, i % 2 == 1 and {0, 1, 0} or {0, .6, .8})\n"
    "  parent = 'b' .. i\n"
    "end\n"
    "for i = 1, star do arm('s' .. i, parent, chain, i, {0, 1, 0}) end\n";

static void check_coupled(int chain, int star, int couplings)
{
    static const ph_solver_kind kind[] = {PH_BLOCK, PH_FRONT, PH_KLU};
    char text[4096], name[64];
    double *q[3];
    opened m;
    snprintf(name, sizeof name, "chain %d, star %d, couplings %d", chain, star, couplings);
    snprintf(text, sizeof text, "local chain, star, couplings = %d, %d, %d\n%s", chain, star, couplings,
             coupled);
    open_text(&m, text);
    int nq = ph_system_nq(&m.sys);
    for (int k = 0; k < 3; k++) {
        q[k] = calloc((size_t)nq, sizeof(double));
        ph_options o = ph_default_options();
        ph_sim *sim;
        ph_error err = {0};
        o.h = 1e-3, o.solver = kind[k];
        if (ph_sim_create(&sim, &m.sys, &o, 0, m.q0, m.v0, &err) != PH_OK ||
            ph_sim_run(sim, 3, NULL, NULL, &err) != PH_OK)
            fail_msg("%s, solver %d: %s", name, (int)kind[k], err.text);
        memcpy(q[k], ph_sim_state(sim).q, sizeof(double) * (size_t)nq);
        ph_sim_destroy(sim);
    }
    check_le(max_diff(q[0], q[2], nq), 1e-9); /* Newton's tolerance */
    check_le(max_diff(q[1], q[2], nq), 1e-9);
    for (int k = 0; k < 3; k++)
        free(q[k]);
    open_close(&m);
}

static void couplings_and_dampers(void **state)
{
    (void)state;
    for (int chain = 2; chain <= 20; chain++)
        check_coupled(chain, 0, 1);
    for (int couplings = 2; couplings <= 6; couplings++)
        check_coupled(5, 0, couplings);
    for (int star = 3; star <= 40; star += star < 12 ? 1 : 7)
        check_coupled(1, star, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(suspension_and_platform),
        cmocka_unit_test(loops_of_all_kinds),
        cmocka_unit_test(couplings_and_dampers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
