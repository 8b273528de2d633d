/* Bodies with many constraints in the stabilised form: one more unknown for each (N6), and a matrix that grows with their number. Pairs
 * that have K alone: M and C are zero there, and the matrix is sparser for knowing it. */
#include "run_cases.h"

/* N bodies about one, on hinges or on joints of all sizes; m is the mass of the first of them. */
static const char star[] =
    "local N, m, mixed = param('N', 11), param('m', 1), param('mixed', 1)\ngravity{0.3, 0, -9.81}\n"
    "body{ name = 'hub', mass = 10, inertia = {2, 2, 3}, omega = {0, 0, 2} }\n"
    "joint{ name = 'axle', type = 'revolute', bodies = {'ground', 'hub'}, at = {0, 0, 0}, axis = {0, 0, 1} "
    "}\n"
    "for i = 1, N do\n"
    "  local c, s = math.cos(2*math.pi*i/N), math.sin(2*math.pi*i/N)\n"
    "  body{ name = 'b' .. i, mass = i == 1 and m or 1, inertia = {0.1, 0.12, 0.14}, position = {1.5*c, "
    "1.5*s, 0},\n"
    "        velocity = {-3*s, 3*c, 0}, omega = {0, 0, 2} }\n"
    "  local word = mixed > 0 and ({'revolute', 'spherical', 'universal'})[1 + i % 3] or 'revolute'\n"
    "  local t = { name = 'j' .. i, type = word, bodies = {'hub', 'b' .. i}, at = {c, s, 0} }\n"
    "  if word == 'revolute' then t.axis = {-s, c, 0} end\n"
    "  if word == 'universal' then t.axis_a, t.axis_b = {-s, c, 0}, {0, 0, 1} end\n"
    "  joint(t)\n"
    "end\n"
    "spring{ bodies = {'b1', 'b3'}, k = 40, d = 0.5, length = 1 }\n"
    "objective{ name = 'J', final = function(s) return s.b1.position.z + s.hub.omega.z^2 end }\n"
    "run{ t_end = 0.05, h = 5e-3, formulation = 'ggl', rtol = 1e-12, atol = 1e-12 }";

static ph_run *star_of(scratch *s, double N, double mixed, const char *const *options, int n)
{
    ph_setting set[] = {{"N", N}, {"mixed", mixed}};
    ph_run *run = run_of(s, star, options, n);
    assert_int_equal(ph_run_set_parameters(run, set, 2, NULL), PH_OK);
    return run;
}

/* With a tolerance of nothing a wrong entry of the matrix would show as a linear rate. */
static void exact_with_hubs(void **state)
{
    (void)state;
    static const struct {
        double sigma;
        ph_ggl_form form;
        const char *space, *method, *solver;
    } row[] = {{0, PH_GGL_INSIDE, "space=R3xSO3", "method=genalpha", "solver=auto"},
               {0.37, PH_GGL_INSIDE, "space=R3xSO3", "method=genalpha", "solver=auto"},
               {1, PH_GGL_INSIDE, "space=SE3", "method=genalpha", "solver=auto"},
               {0, PH_GGL_OUTSIDE, "space=SE3", "method=genalpha", "solver=auto"},
               {0.37, PH_GGL_OUTSIDE, "space=R3xSO3", "method=genalpha", "solver=auto"},
               {1, PH_GGL_OUTSIDE, "space=R3xSO3", "method=genalpha", "solver=block"},
               {1, PH_GGL_OUTSIDE, "space=R3xSO3", "method=genalpha", "solver=klu"},
               {1, PH_GGL_OUTSIDE, "space=R3xSO3", "method=genalpha", "solver=dense"},
               {1, PH_GGL_AUTO, "space=R3xSO3", "method=bliedf", "solver=auto"},
               {1, PH_GGL_AUTO, "space=SE3", "method=bliedf", "solver=auto"}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        const char *const option[] = {row[k].space, row[k].method, row[k].solver};
        scratch s;
        ph_run *run = star_of(&s, 11, 1, option, 3);
        ph_options o = ph_run_options(run);
        o.sigma = row[k].sigma, o.ggl_form = row[k].form, o.newton = PH_FULL;
        assert_int_equal(ph_run_set_method(run, &o, NULL), PH_OK);
        steps_of(run, 6);
        const ph_sim *sim = ph_run_sim(run);
        assert_int_equal(sim->matrix.n_hub, 6);
        assert_true(ph_sim_stats(sim).worst_iterations <= 4); /* ordering: quadratic */
        ph_run_close(run);
        scratch_remove(&s);
    }
}

/* Ten times the joints, ten times the matrix, its factors and its unknowns; few joints make no hub. */
static void grows_linearly(void **state)
{
    (void)state;
    double size[2][3];
    for (int k = 0; k < 3; k++) {
        scratch s;
        ph_run *run = star_of(&s, k == 0 ? 20 : k == 1 ? 200 : 7, 0, NULL, 0);
        assert_int_equal(ph_run_start(run, NULL), PH_OK);
        const ph_newton_matrix *nm = &ph_run_sim(run)->matrix;
        assert_int_equal(nm->n_hub, k < 2 ? 6 : 0);
        if (k < 2)
            size[k][0] = nm->A_size, size[k][1] = (double)ph_solver_get_info(nm->solver).fill,
            size[k][2] = nm->n;
        ph_run_close(run);
        scratch_remove(&s);
    }
    for (int i = 0; i < 3; i++)
        check_le(size[1][i], 10 * size[0][i]); /* ordering: what the hub has of its own does not grow */
}

/* Derivatives, which solve with this matrix and its transpose: the adjoint, direct, and five-point differences. */
static void derivatives_with_hubs(void **state)
{
    (void)state;
    scratch s;
    ph_run *run = star_of(&s, 11, 1, NULL, 0);
    int p = ph_run_find(run, PH_PARAMETERS, "m");
    double J, adjoint, direct, at[4], eps = 0x1p-7;
    ph_error err = {0};
    if (ph_run_gradient(run, 0, &p, 1, 0, &J, &adjoint, &err) != PH_OK)
        fail_msg("%s", err.text);
    if (ph_run_reset(run, &err) != PH_OK || ph_run_follow(run, &p, 1, &err) != PH_OK ||
        ph_run_until(run, 0.05, &err) != PH_OK ||
        ph_run_get_derivative(run, PH_GET_OBJECTIVE, 0, 0, &direct) != PH_OK)
        fail_msg("%s", err.text);
    for (int k = 0; k < 4; k++) {
        static const int place[] = {-2, -1, 1, 2};
        scratch other;
        ph_run *near = star_of(&other, 11, 1, NULL, 0);
        assert_int_equal(ph_run_set_parameters(near, &(ph_setting){"m", 1 + place[k] * eps}, 1, NULL), PH_OK);
        assert_int_equal(ph_run_until(near, 0.05, NULL), PH_OK);
        assert_int_equal(ph_run_get(near, PH_GET_OBJECTIVE, 0, &at[k]), PH_OK);
        ph_run_close(near);
        scratch_remove(&other);
    }
    double D = (8 * (at[2] - at[1]) - (at[3] - at[0])) / (12 * eps);
    check_near(adjoint, D, 1e-8 * fmax(1, fabs(D)));       /* derivative */
    check_near(direct, adjoint, 1e-10 * fmax(1, fabs(D))); /* round-off */
    ph_run_close(run);
    scratch_remove(&s);
}

/* Ten four-bars that one crank drives: 30 redundant rows, those of the crank's joints among them. */
static const char cranks[] =
    "body{ name = 'crank', mass = 5, inertia = {1, 1, 1}, omega = {0, 0, 3} }\n"
    "joint{ name = 'axle', type = 'revolute', bodies = {'ground', 'crank'}, at = {0, 0, 0}, axis = {0, 0, 1} "
    "}\n"
    "for i = 1, 10 do\n"
    "  local a = 2*math.pi*i/10\n"
    "  local function at(r, b) return {r*math.cos(b), r*math.sin(b), 0.1*i} end\n"
    "  local p, q = at(0.5, a), {2, 0.3*i, 0.1*i}\n"
    "  local o = {3 + 0.1*i, -1, 0.1*i}\n"
    "  local function mid(x, y) return {(x[1] + y[1])/2, (x[2] + y[2])/2, (x[3] + y[3])/2} end\n"
    "  body{ name = 'c' .. i, mass = 1, inertia = {0.1, 0.1, 0.2}, position = mid(p, q) }\n"
    "  body{ name = 'r' .. i, mass = 1, inertia = {0.1, 0.1, 0.2}, position = mid(q, o) }\n"
    "  joint{ name = 'p' .. i, type = 'revolute', bodies = {'crank', 'c' .. i}, at = p, axis = {0, 0, 1} }\n"
    "  joint{ name = 'q' .. i, type = 'revolute', bodies = {'c' .. i, 'r' .. i}, at = q, axis = {0, 0, 1} }\n"
    "  joint{ name = 'o' .. i, type = 'revolute', bodies = {'r' .. i, 'ground'}, at = o, axis = {0, 0, 1} }\n"
    "end\n"
    "run{ t_end = 0.1, h = 2e-3, formulation = 'ggl' }";

static void redundant_with_hubs(void **state)
{
    (void)state;
    double angle[2], position, velocity;
    for (int k = 0; k < 2; k++) {
        const char *const option[] = {k ? "solver=klu" : "solver=auto"};
        scratch s;
        ph_run *run = run_of(&s, cranks, option, 1);
        assert_int_equal(ph_run_until(run, 0.1, NULL), PH_OK);
        ph_sim *sim = (ph_sim *)ph_run_sim(run);
        assert_int_equal(sim->lay.sys->n_redundant, 30);
        assert_true(sim->matrix.n_hub == 6);
        assert_int_equal(ph_sim_violation(sim, &position, &velocity), PH_OK);
        check_le(position, 1e-12), check_le(velocity, 1e-10); /* round-off */
        check_le((double)ph_sim_stats(sim).iterations / 50, 3);
        assert_int_equal(ph_run_get(run, PH_GET_JOINT_POSITION, 0, &angle[k]), PH_OK);
        ph_run_close(run);
        scratch_remove(&s);
    }
    check_near(angle[0], angle[1], 1e-10); /* Newton's tolerance */
}

/* Blocks of M and C at pairs without their flag are zero; returns how many have K alone. */
static int pairs_without(const ph_sim *sim)
{
    int alone = 0;
    for (const ph_block *b = sim->lay.pair, *end = b + sim->lay.n_pairs; b < end; b++) {
        alone += !b->has;
        for (int k = 0; k < b->m * b->n; k++) {
            if (!(b->has & PH_HAS_M))
                assert_true(sim->ev.M[b->at + k] == 0); /* exact */
            if (!(b->has & PH_HAS_C))
                assert_true(sim->ev.C[b->at + k] == 0); /* exact */
        }
    }
    return alone;
}

/* Rows of rotations and columns of positions of nodes that are upper: zero in M, C, K and the matrix of the step; returns how many there are. */
static int upper_nodes(const ph_sim *sim)
{
    const double *const of[] = {sim->ev.M, sim->ev.C, sim->ev.K, sim->matrix.A};
    int count = 0;
    for (const ph_block *b = sim->lay.pair, *end = b + sim->lay.n_pairs; b < end; b++) {
        count += (b->has & PH_UPPER) != 0;
        assert_true(!(b->has & PH_UPPER) || (b->row == b->col && b->m == 6));
        for (int k = 0; k < 36 && b->has & PH_UPPER; k++)
            assert_true(of[k / 9][b->at + 18 + 6 * (k % 9 / 3) + k % 3] == 0); /* exact */
    }
    return count;
}

static void flags_tell_the_truth(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        int alone; /* some pairs have K alone */
        int upper; /* nodes that are upper on SE(3) */
    } row[] = {{"chain_revolute.lua", 1, 10}, {"slider_crank.lua", 1, 3},     {"governor.lua", 1, 0},
               {"chain.lua", 0, 10},          {"flying_spaghetti.lua", 1, 0}, {"beam_wheel.lua", 1, 1},
               {"quarter_car.lua", 1, 1}};
    static const char *const space[] = {"space=R3xSO3", "space=SE3", "space=euler"};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        for (int i = 0; i < 3; i++) {
            char path[300];
            snprintf(path, sizeof path, "%s%s", MODELS, row[k].file);
            ph_run *run = open_run(path, &space[i], 1);
            steps_of(run, 3);
            assert_true(pairs_without(ph_run_sim(run)) >= row[k].alone);
            int upper = upper_nodes(ph_run_sim(run));
            assert_int_equal(upper, i == 1 ? row[k].upper : 0);
            ph_run_close(run);
        }
}

/* The same system with and without the flags: the same motion, and a matrix that is larger by the eta that lie beyond. */
static void flags_make_it_sparser(void **state)
{
    (void)state;
    const char *const option[] = {"formulation=ggl", "newton=full"};
    ph_run *run = open_run(MODELS "chain_revolute.lua", option, 2);
    ph_options o = ph_run_options(run);
    ph_system sys = *ph_run_system(run);
    assert_int_equal(ph_run_start(run, NULL), PH_OK);
    ph_sim *sim[2];
    for (int k = 0; k < 2; k++, sys.pair_has = NULL) {
        const ph_point *p = &ph_run_sim(run)->now;
        assert_int_equal(ph_sim_create(&sim[k], &sys, &o, 0, p->q, p->v, NULL), PH_OK);
        assert_int_equal(ph_sim_run(sim[k], 50, NULL, NULL, NULL), PH_OK);
    }
    for (int i = 0; i < sim[0]->lay.nq; i++)
        check_near(sim[0]->now.q[i], sim[1]->now.q[i], 1e-12); /* round-off */
    const ph_newton_matrix *a = &sim[0]->matrix, *b = &sim[1]->matrix;
    assert_true(3 * a->n_X < 2 * b->n_X);
    assert_true(5 * ph_solver_get_info(a->solver).fill < 4 * ph_solver_get_info(b->solver).fill);
    assert_true(ph_solver_get_info(a->initial).fill < ph_solver_get_info(b->initial).fill);
    ph_sim_destroy(sim[0]), ph_sim_destroy(sim[1]);
    ph_run_close(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_with_hubs),       cmocka_unit_test(grows_linearly),
        cmocka_unit_test(derivatives_with_hubs), cmocka_unit_test(redundant_with_hubs),
        cmocka_unit_test(flags_tell_the_truth),  cmocka_unit_test(flags_make_it_sparser),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
