/* Implicit Runge-Kutta stages: the matrix is the derivative of the residuals, orders, stiff springs,
 * redundant, non-holonomic and moving constraints, friction, memory. */
#include "la/small.h"
#include "rk_cases.h"
#include "method/rk_newton.h"

/* ---- tableaux of this test ---------------------------------------------------------------------- */

/* A first stage that is explicit: its row of the matrix has no h in it. */
static const ph_tableau lobatto_3a = {.name = "lobatto IIIA-2",
                                      .kind = PH_STAGES_FULL,
                                      .s = 2,
                                      .order = 2,
                                      .A = {{0, 0}, {0.5, 0.5}},
                                      .b = {0.5, 0.5},
                                      .c = {0, 1}};

/* Stages that differ in nothing but what came before. */
static const ph_tableau diagonal_2 = {
    .name = "diagonal-2",
    .kind = PH_STAGES_DIAGONAL,
    .s = 2,
    .order = 3,
    .A = {{0.78867513459481287}, {-0.57735026918962573, 0.78867513459481287}},
    .b = {0.5, 0.5},
    .c = {0.78867513459481287, 0.21132486540518713}};

/* ---- stages without a stepper around them -------------------------------------------------------- */

typedef struct bench {
    ph_sim *sim;
    ph_rk rk;
    ph_arena arena;
} bench;

static void lay(bench *b)
{
    const ph_layout *l = &b->sim->lay;
    size_t s = (size_t)b->rk.tab.s, nv = (size_t)l->nv, nl = (size_t)l->nl, d = sizeof(double);
    b->rk.k = ph_arena_take(&b->arena, s * nv, d);
    b->rk.A = ph_arena_take(&b->arena, s * nv, d);
    b->rk.V = ph_arena_take(&b->arena, s * nv, d);
    b->rk.Theta = ph_arena_take(&b->arena, s * nv, d);
    b->rk.Lambda = ph_arena_take(&b->arena, s * nl, d);
    ph_point_take(&b->rk.at, l, &b->arena);
}

static bench bench_open(const ph_problem *p, const ph_system *sys, const ph_tableau *tab)
{
    bench b = {0};
    ph_options o = options_for(p, PH_INDEX3);
    ph_error err = {0};
    b.sim = sim_of(sys, &o, p->q0, p->v0);
    b.rk.tab = *tab;
    lay(&b);
    assert_true(ph_arena_open(&b.arena, NULL));
    lay(&b);
    assert_int_equal(ph_rk_implicit_create(&b.rk, b.sim, &err), PH_OK);
    return b;
}

static void bench_close(bench *b)
{
    ph_rk_implicit_destroy(&b->rk);
    ph_free(NULL, b->arena.block);
    ph_sim_destroy(b->sim);
}

/* ---- the matrix ---------------------------------------------------------------------------------- */

/* The residuals of the stages, in the order of the unknowns. */
static void residuals(bench *b, const ph_stages *st, double *out)
{
    ph_rk_newton *nm = b->rk.newton;
    assert_int_equal(ph_rk_newton_kinematics(b->sim, &b->rk, &b->sim->now, st), PH_OK);
    assert_int_equal(ph_rk_newton_evaluate(b->sim, &b->rk, &b->sim->now, st, 0), PH_OK);
    int n = nm->s * (b->sim->lay.nv + b->sim->lay.nl);
    for (int i = 0; i < n; i++)
        out[i] = -nm->b[i];
}

/* Where an unknown stands: the number of stage i, coordinate r among nv + nl, to its place in the
 * solution. */
static int place_of(const ph_layout *l, int s, int i, int r)
{
    for (int k = 0; k < l->N; k++)
        if (r >= l->v_at[k] && r < l->v_at[k] + l->slot[k].dim)
            return s * l->v_at[k] + i * l->slot[k].dim + r - l->v_at[k];
    for (int c = 0, q = r - l->nv; c < l->C; c++)
        if (q >= l->l_at[c] && q < l->l_at[c] + l->rows[c])
            return s * (l->nv + l->l_at[c]) + i * l->rows[c] + q - l->l_at[c];
    fail();
    return 0;
}

/* The matrix of the solver as a dense one. */
static void dense(const bench *b, double *out)
{
    const ph_layout *l = &b->sim->lay;
    const ph_rk_newton *nm = b->rk.newton;
    int s = nm->s, n = s * (l->nv + l->nl);
    const double *A = nm->A, *BT = A + s * s * l->size_pairs, *W = BT + s * s * l->size_links;
    memset(out, 0, sizeof(double) * (size_t)(n * n));
    for (int e = 0; e < l->n_pairs; e++) {
        const ph_block *p = &l->pair[e];
        for (int i = 0; i < s * p->m; i++)
            for (int j = 0; j < s * p->n; j++)
                out[(s * p->row_at + i) * n + s * p->col_at + j] = A[s * s * p->at + i * s * p->n + j];
    }
    for (int e = 0; e < l->n_links; e++) {
        const ph_block *p = &l->link[e];
        for (int i = 0; i < s * p->m; i++)
            for (int j = 0; j < s * p->n; j++) {
                out[(s * (l->nv + p->row_at) + i) * n + s * p->col_at + j] =
                    W[s * s * p->at + i * s * p->n + j];
                out[(s * p->col_at + j) * n + s * (l->nv + p->row_at) + i] =
                    BT[s * s * p->at + j * s * p->m + i];
            }
    }
}

/* The largest difference between the matrix and central differences of the residuals, relative to the
 * largest entry of the row; rough starts, so that no stage is near a solution. */
static double jacobian_error(bench *b, double h, int first)
{
    const ph_layout *l = &b->sim->lay;
    ph_rk *rk = &b->rk;
    int s = rk->newton->s, size = l->nv + l->nl, n = s * size;
    ph_stages st = {&rk->tab, h, first, first + s};
    double *J = calloc((size_t)(n * n + 2 * n), sizeof *J), *plus = J + n * n, *minus = plus + n, worst = 0;
    uint64_t seed = 12345;
    assert_non_null(J);
    for (int i = 0; i < rk->tab.s; i++) {
        for (int r = 0; r < l->nv; r++)
            rk->A[i * l->nv + r] = b->sim->now.vdot[r] + 3 * rnd(&seed);
        for (int r = 0; r < l->nl; r++)
            rk->Lambda[i * l->nl + r] = b->sim->now.lambda[r] + 3 * rnd(&seed);
    }
    for (int i = 0; i < first; i++) /* stages before that are solved already: any slopes */
        for (int r = 0; r < l->nv; r++)
            rk->k[i * l->nv + r] = rk->V[i * l->nv + r] = b->sim->now.v[r] + rnd(&seed);
    assert_int_equal(ph_rk_newton_kinematics(b->sim, rk, &b->sim->now, &st), PH_OK);
    assert_int_equal(ph_rk_newton_evaluate(b->sim, rk, &b->sim->now, &st, 1), PH_OK);
    dense(b, J);
    for (int i = 0; i < s; i++)
        for (int r = 0; r < size; r++) {
            double *x =
                r < l->nv ? &rk->A[(first + i) * l->nv + r] : &rk->Lambda[(first + i) * l->nl + r - l->nv];
            /* a change of A acts on V with h, on Theta with h^2 */
            double kept = *x, step = r < l->nv ? 1e-4 / h : 1e-3 * fmax(1, fabs(kept));
            int col = place_of(l, s, i, r);
            *x = kept + step;
            residuals(b, &st, plus);
            *x = kept - step;
            residuals(b, &st, minus);
            *x = kept;
            for (int k = 0; k < n; k++) {
                double scale = 0;
                for (int j = 0; j < n; j++)
                    scale = fmax(scale, fabs(J[k * n + j]));
                worst = fmax(worst, fabs((plus[k] - minus[k]) / (2 * step) - J[k * n + col]) / scale);
            }
        }
    free(J);
    return worst;
}

/* (K15) */
static void matrix_is_derivative(void **state)
{
    (void)state;
    ph_tableau gauss = tableau("gauss2");
    const ph_tableau *tabs[] = {&gauss, &lobatto_3a, &diagonal_2};
    for (int k = 0; ph_problem_name(k); k++)
        for (int t = 0; t < 3; t++) {
            ph_problem *p = small_problem(k);
            bench b = bench_open(p, &p->sys, tabs[t]);
            run_sim(b.sim, 3); /* away from special initial values */
            double error = jacobian_error(&b, 5 * p->h, tabs[t]->kind == PH_STAGES_DIAGONAL);
            /* derivative: with steps 5 times as large as usual ones, up to 0.75 rad of the top */
            check_le(error, 1e-8);
            bench_close(&b);
            ph_problem_destroy(p);
        }
}

/* ---- runs --------------------------------------------------------------------------------------- */

/* reference: an independent prototype of the same methods, +-5 % */
static void spring_ball(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double error;
    } row[] = {{"gauss2", 9.92e-9}, {"radau3", 2.78e-11}, {"midpoint", 5.83e-4}};
    ph_problem *p = problem_named("spring_ball");
    for (int k = 0; k < 3; k++) {
        ph_options o = rkmk(row[k].name, 0.01);
        ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
        /* reference: Taylor series with 40 digits, t = 2 */
        static const double psi[] = {0.3263579083195356, 0.0245153097816496, 0.0191701445482059};
        static const double omega[] = {-0.0945936481146126, 0.796935430683718, 0.4341689789457257};
        double x[3];
        run_sim(sim, 200);
        ph_state s = ph_sim_state(sim);
        ph_group_get(PH_SO3)->log(0, s.q, x);
        double error = hypot(distance_of(x, psi, 3), distance_of(s.v, omega, 3));
        check_near(error / row[k].error, 1, 0.05);
        ph_sim_destroy(sim);
    }
    ph_options o = rkmk("gauss2", 0.05);
    ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
    static const double psi[] = {3.949237627240e-1, 4.392212175095e-2, 3.434555538099e-2};
    double x[3];
    run_sim(sim, 1);
    ph_group_get(PH_SO3)->log(0, ph_sim_state(sim).q, x);
    check_le(max_diff(x, psi, 3), 6e-14); /* reference: all printed digits */
    ph_sim_destroy(sim);
    ph_problem_destroy(p);
}

/* psi and omega of one axis obey m psi'' + d psi' + k psi = 0: every method is then the classical one,
 * whose stages of a linear system are solved here by elimination. */
static void parallel_is_classical(void **state)
{
    (void)state;
    ph_problem *p = problem_named("spring_ball");
    for (int row = 0; ph_tableau_name(row); row++) {
        ph_tableau t = tableau(ph_tableau_name(row));
        if (t.kind == PH_STAGES_EXPLICIT)
            continue;
        ph_options o = rkmk(t.name, 0.1);
        double n[3] = {2. / 7, 3. / 7, 6. / 7}, q0[4], v0[3], y[2] = {0.5, 1.5},
               F[2][2] = {{0, 1}, {-10, -0.2}};
        for (int i = 0; i < 3; i++)
            v0[i] = n[i] * y[1], q0[1 + i] = n[i] * sin(y[0] / 2);
        q0[0] = cos(y[0] / 2);
        ph_sim *sim = sim_of(&p->sys, &o, q0, v0);
        for (int step = 0; step < 10; step++) {
            double A[26 * 26] = {0}, k[26];
            int s = t.s, size = 2 * s;
            for (int i = 0; i < s; i++)
                for (int r = 0; r < 2; r++) {
                    for (int j = 0; j < s; j++)
                        for (int c = 0; c < 2; c++)
                            A[(2 * i + r) * size + 2 * j + c] =
                                (i == j && r == c) - o.h * t.A[i][j] * F[r][c];
                    k[2 * i + r] = F[r][0] * y[0] + F[r][1] * y[1];
                }
            assert_true(ph_small_solve(size, 1, A, k));
            for (int i = 0; i < s; i++)
                y[0] += o.h * t.b[i] * k[2 * i], y[1] += o.h * t.b[i] * k[2 * i + 1];
            check_about_axis(sim, n, y, step);
        }
        ph_sim_destroy(sim);
    }
    ph_problem_destroy(p);
}

/* q_1 = q_0 o exp(h v_1) */
static void implicit_euler(void **state)
{
    (void)state;
    static const char *const name[] = {"free_body", "spring_ball", "rotor"};
    for (int k = 0; k < 3; k++) {
        ph_problem *p = problem_named(name[k]);
        ph_options o = rkmk("implicit_euler", k == 2 ? 1e-4 : 0.2);
        ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
        double x[6], q[7];
        run_sim(sim, 1);
        ph_state s = ph_sim_state(sim);
        for (int i = 0; i < p->sys.n_nodes; i++) {
            const ph_group_ops *op = ph_group_get(p->sys.nodes[i].group);
            int n = p->sys.nodes[i].n;
            for (int c = 0; c < ph_group_dim(p->sys.nodes[i].group, n); c++)
                x[c] = o.h * s.v[s.v_at[i] + c];
            op->exp(n, x, q);
            op->compose(n, p->q0 + s.q_at[i], q, q);
            check_le(max_diff(q, s.q + s.q_at[i], ph_group_size(p->sys.nodes[i].group, n)),
                     1e-15); /* round-off */
        }
        ph_sim_destroy(sim);
        ph_problem_destroy(p);
    }
}

/* Every implicit tableau, on a body that turns by 6 rad. Steps are so large that round-off is far. */
static void orders_free_body(void **state)
{
    (void)state;
    ph_problem *p = problem_named("free_body");
    for (int row = 0; ph_tableau_name(row); row++) {
        ph_tableau t = tableau(ph_tableau_name(row));
        static const long steps[9] = {0, 400, 100, 50, 40, 20, 20, 0, 5};
        if (t.kind == PH_STAGES_EXPLICIT || t.order > 8)
            continue;
        check_order(p, t.name, 2, steps[t.order], t.order);
    }
    /* of order 10 and 12 the errors reach round-off within one halving: ordering, and round-off */
    ph_options o = rkmk("gauss5", 2. / 8), p6 = rkmk("gauss6", 2. / 16);
    error_of e = errors(p, &o, 8);
    assert_true(e.q < 1e-7);
    o.h /= 2;
    check_near(log2(e.q / errors(p, &o, 16).q), 10, 1);
    check_le(errors(p, &p6, 16).q, 3e-14);
    ph_problem_destroy(p);
}

/* The heavy top in its three descriptions with a constraint: positions, velocities and multipliers. */
static void orders_heavy_top(void **state)
{
    (void)state;
    static const char *const name[] = {"heavy_top", "heavy_top_r3xso3", "heavy_top_se3"};
    for (int k = 0; k < 3; k++) {
        ph_problem *p = problem_named(name[k]);
        check_order(p, "gauss2", 0.1, 100, 4);
        check_order(p, "gauss3", 0.1, 40, 6);
        check_order(p, "radau3", 0.1, 80, 5);
        check_order(p, "sdirk3", 0.1, 400, 3);
        check_order(p, "lobatto3c", 0.1, 100, 4);
        ph_problem_destroy(p);
    }
}

/* A point whose motion is prescribed: q = t^3 is exact as soon as c = 0 holds; a skate; friction that
 * depends on lambda. */
static void orders_constraints(void **state)
{
    (void)state;
    ph_problem *p = problem_named("skate");
    check_order(p, "gauss2", 2, 20, 4);
    check_order(p, "radau3", 2, 10, 5);
    ph_problem_destroy(p);
    p = problem_named("friction");
    check_order(p, "gauss2", p->t_end, 320, 4); /* steps that see the speed at which friction is smooth */
    check_order(p, "radau3", p->t_end, 160, 5);
    ph_problem_destroy(p);
    p = problem_named("rheonomic");
    ph_options o = rkmk("radau2", 0.1);
    error_of e = errors(p, &o, 10);
    check_le(fmax(e.q, fmax(e.v, e.lambda)), 1e-14); /* round-off: cubic */
    ph_problem_destroy(p);
}

/* ---- models ------------------------------------------------------------------------------------- */

static void slider_crank(void **state)
{
    (void)state;
    static const ph_space_code space[] = {PH_SPACE_R3XSO3, PH_SPACE_SE3};
    for (int k = 0; k < 2; k++) {
        opened m;
        open_model(&m, "slider_crank", NULL, space[k]);
        ph_options o = rkmk("gauss6", 5e-3);
        ph_sim *sim = sim_of(&m.sys, &o, m.q0, m.v0);
        double s[3];
        run_sim(sim, 200);
        sensor_of(&m, sim, "s", s);
        check_near(s[0], 0.211721661393443778, 1e-13); /* reference: quadrature in high precision */
        ph_sim_destroy(sim);
        check_model_order(&m, "gauss2", 0.25, 2.5e-3, 4);
        check_model_order(&m, "gauss3", 0.25, 5e-3, 6);
        check_model_order(&m, "radau3", 0.25, 5e-3, 5);
        open_close(&m);
    }
}

/* One row of thirty is implied by the others. */
static void bricard(void **state)
{
    (void)state;
    opened m;
    open_model(&m, "bricard", NULL, PH_SPACE_R3XSO3);
    assert_int_equal(m.sys.n_redundant, 1);
    static const double at[] = {0.9682836791067772, -1.224625159436334, 0.7501466094377669};
    ph_options o = rkmk("gauss6", 0.02);
    ph_sim *sim = sim_of(&m.sys, &o, m.q0, m.v0);
    double x[3];
    run_sim(sim, 25);
    sensor_of(&m, sim, "P3", x);
    check_le(max_diff(x, at, 3), 1e-13); /* reference: independent, in high precision */
    ph_sim_destroy(sim);
    check_model_order(&m, "gauss2", 0.5, 0.02, 4);
    check_model_order(&m, "radau3", 0.5, 0.1, 5);
    open_close(&m);
}

/* Rolling without slip, which wobbles, and a motor whose angle is given. */
static void rolling_and_drive(void **state)
{
    (void)state;
    static const double centre[] = {0.18443161191136003, 1.1260876816195848, 0.2851803876098078};
    opened m;
    open_model(&m, "rolling_disc", &(ph_setting){"push", 0.5}, PH_SPACE_SE3);
    ph_options o = rkmk("gauss4", 0.01);
    ph_sim *sim = sim_of(&m.sys, &o, m.q0, m.v0);
    double x[3];
    run_sim(sim, 100);
    sensor_of(&m, sim, "centre", x);
    check_le(max_diff(x, centre, 3), 1e-13); /* reference: extrapolation with 34 digits */
    ph_sim_destroy(sim);
    check_model_order(&m, "gauss2", 0.5, 0.01, 4);
    check_model_order(&m, "radau3", 0.5, 0.02, 5);
    open_close(&m);
    open_model(&m, "driven_crank", NULL, PH_SPACE_R3XSO3);
    o = rkmk("radau3", 0.05);
    sim = sim_of(&m.sys, &o, m.q0, m.v0);
    run_sim(sim, 5);
    double torque[6];
    sensor_of(&m, sim, "torque", torque);
    /* reference: virtual work; no freedom is left for errors, but phi'' is a difference */
    check_near(torque[5], 2.0179516316870441, 1e-10);
    assert_true(ph_sim_stats(sim).worst_iterations <= 8);
    ph_sim_destroy(sim);
    open_close(&m);
}

/* A plane loop of hinges that rub, with weight across the plane: how the hinges share it, which the plane leaves open,
 * decides how they rub. All methods must find the same share. */
static void friction_in_a_loop(void **state)
{
    (void)state;
    numbers_alone();
    opened m;
    open_text(&m,
              "model 'rough loop'\n"
              "local function rod(name, x, z, upright)\n"
              "    body { name = name, mass = 1, inertia = {0.01, 0.1, 0.1}, position = {x, 0, z},\n"
              "           rotation = {axis = {0, 1, 0}, angle = upright and -math.pi/2 or 0},\n"
              "           omega = {0, upright and 2 or 0, 0} }\n"
              "end\n"
              "local function hinge(name, first, second, x, z)\n"
              "    joint{ name = name, type = 'revolute', bodies = {first, second}, at = {x, 0, z},\n"
              "           axis = {0, 1, 0}, friction = 0.2, friction_radius = 0.05, friction_speed = 0.1 }\n"
              "end\n"
              "gravity {0, 4, -9}\n"
              "rod('crank', 0, 0.5, true) rod('coupler', 0.5, 1) rod('rocker', 1, 0.5, true)\n"
              "hinge('A', 'ground', 'crank', 0, 0) hinge('B', 'crank', 'coupler', 0, 1)\n"
              "hinge('C', 'coupler', 'rocker', 1, 1) hinge('D', 'rocker', 'ground', 1, 0)\n"
              "sensor{ name = 'x', type = 'position', body = 'coupler' }\n"
              "run{ t_end = 0.2, h = 1e-3 }\n");
    assert_int_equal(m.sys.n_redundant, 3);
    static const char *const tableau[] = {"rk4", "gauss2", "radau3"};
    double x[4][3];
    for (int k = 0; k < 4; k++) {
        ph_options o = rkmk(tableau[k % 3], 1e-3);
        if (k == 3)
            o.method = "bliedf", o.order = 4, o.formulation = PH_GGL;
        ph_sim *sim = sim_of(&m.sys, &o, m.q0, m.v0);
        run_sim(sim, 200);
        sensor_of(&m, sim, "x", x[k]);
        ph_sim_destroy(sim);
        check_le(max_diff(x[k], x[0], 3), k < 3 ? 1e-12 : 1e-10); /* truncation: h^4 */
    }
    open_close(&m);
}

/* Which conditions of a loop repeat others changes as its base spins: whatever is left out by whichever solver, and
 * when, the motion is the same. Where more repeat at the start than later, steps say so. */
static void spinning_loop(void **state)
{
    (void)state;
    numbers_alone();
    static const struct {
        const char *tableau;
        ph_solver_kind solver;
    } by[] = {{"gauss2", PH_AUTO}, {"gauss2", PH_BLOCK}, {"gauss2", PH_KLU}, {"gauss2", PH_DENSE},
              {"rk4", PH_AUTO},    {"rk4", PH_BLOCK},    {"rk4", PH_DENSE}};
    char path[512];
    opened m;
    double phi[3], first = 0;
    snprintf(path, sizeof path, "%s/models/spinning_loop.lua", PH_TEST_DIR);
    open_path(&m, path, NULL, PH_SPACE_R3XSO3);
    assert_int_equal(m.sys.n_redundant, 3);
    for (size_t k = 0; k < sizeof by / sizeof *by; k++) {
        ph_options o = rkmk(by[k].tableau, 1e-3);
        o.solver = by[k].solver;
        ph_sim *sim = sim_of(&m.sys, &o, m.q0, m.v0);
        run_sim(sim, 1000);
        sensor_of(&m, sim, "phi", phi);
        first = k ? first : phi[0];
        check_near(phi[0], first,
                   1e-6); /* truncation; poor rows, which KLU and dense LU keep longer, cost digits */
        ph_sim_destroy(sim);
    }
    open_close(&m);
    open_path(&m, path, &(ph_setting){"flat", 1}, PH_SPACE_R3XSO3);
    assert_int_equal(m.sys.n_redundant, 4);
    ph_options o = ph_default_options();
    ph_error err = {0};
    o.h = 1e-3, o.halvings = 0;
    ph_sim *sim = sim_of(&m.sys, &o, m.q0, m.v0);
    assert_int_equal(ph_sim_run(sim, 100, NULL, NULL, &err), PH_E_STEP);
    assert_non_null(strstr(err.text, "no longer are"));
    ph_sim_destroy(sim);
    open_close(&m);
}

/* Two rods whose hinges rub: the force of friction depends on lambda and on the velocity. */
static void joint_friction(void **state)
{
    (void)state;
    static const char text[] =
        "model 'rubbing'\n"
        "gravity {0, 0, -9.81}\n"
        "body { name = 'a', mass = 1, inertia = {0.1, 0.1, 0.02}, position = {0.5, 0, 0}, omega = {0, 2, 0} "
        "}\n"
        "body { name = 'b', mass = 1, inertia = {0.1, 0.1, 0.02}, position = {1.5, 0, 0}, omega = {0, 3, 0} "
        "}\n"
        "joint { name = 'p', type = 'revolute', bodies = {'ground', 'a'}, at = {0, 0, 0}, axis = {0, 1, 0},\n"
        "        friction = 0.3, friction_radius = 0.05, friction_speed = 0.5 }\n"
        "joint { name = 'q', type = 'revolute', bodies = {'a', 'b'}, at = {1, 0, 0}, axis = {0, 1, 0},\n"
        "        friction = 0.2, friction_radius = 0.1, friction_speed = 0.5 }\n"
        "run { t_end = 1, h = 1e-3 }\n";
    opened m;
    open_text(&m, text);
    assert_true(m.sys.g_lambda != NULL);
    check_model_order(&m, "gauss2", 0.4, 0.01, 4);
    check_model_order(&m, "radau3", 0.4, 0.005, 5);
    open_close(&m);
}

/* A rotor on bearings of 4e7 N/m: 8000 rad/s, of which a step of 10 ms sees nothing. The ends of the shaft
 * come to rest where the springs balance the torque, tau l/(k sum l^2), while the rotor turns by 1 rad in
 * each step. */
static void stiff(void **state)
{
    (void)state;
    static const char text[] =
        "model 'stiff rotor'\n"
        "gravity {0, 0, 0}\n"
        "body { name = 'rotor', mass = 1.223, inertia = {0.001541, 0.000812, 0.000812}, position = {0, 0, "
        "0},\n"
        "       velocity = {0, 0, 0}, omega = {100, 0, 0} }\n"
        "bushing { name = 'left', bodies = {'ground', 'rotor'}, at_a = {-0.1, 0, 0}, at_b = {-0.1, 0, 0},\n"
        "          k = {4e7, 4e7, 4e7}, d = {5, 5, 5} }\n"
        "bushing { name = 'right', bodies = {'ground', 'rotor'}, at_a = {0.1, 0, 0}, at_b = {0.1, 0, 0},\n"
        "          k = {0, 4e7, 4e7}, d = {0, 5, 5} }\n"
        "torque { name = 'tilt', body = 'rotor', value = {0, 0, 1} }\n"
        "sensor { name = 'end', type = 'position', body = 'rotor', at = {0.1, 0, 0} }\n"
        "run { t_end = 1, h = 1e-2 }\n";
    static const char *const name[] = {"radau3", "sdirk3", "implicit_euler", "lobatto3c"};
    opened m;
    open_text(&m, text);
    for (int k = 0; k < 4; k++) {
        ph_options o = rkmk(name[k], 0.01);
        ph_sim *sim = sim_of(&m.sys, &o, m.q0, m.v0);
        double x[3];
        run_sim(sim, 100);
        sensor_of(&m, sim, "end", x);
        check_near(x[1] / (0.1 / (4e7 * 0.02)), 1,
                   1e-6); /* reference: balance, and second order in the angle */
        check_le(fabs(x[2]), 1e-13);
        assert_true(ph_sim_stats(sim).worst_iterations <= 6 * tableau(name[k]).s);
        ph_sim_destroy(sim);
    }
    ph_options o = rkmk("rk4", 0.01);
    ph_sim *sim = sim_of(&m.sys, &o, m.q0, m.v0);
    double x[3] = {0};
    ph_error err;
    if (ph_sim_run(sim, 100, NULL, NULL, &err) == PH_OK)
        sensor_of(&m, sim, "end", x);
    assert_true(x[0] == 0 || fabs(x[1]) > 1); /* ordering: explicit stages run away */
    ph_sim_destroy(sim);
    open_close(&m);
}

/* ---- iteration, failures, memory ---------------------------------------------------------------- */

static void kinds_agree(void **state)
{
    (void)state;
    static const char *const name[] = {"gauss2", "sdirk3", "lobatto3c"};
    for (int k = 0; ph_problem_name(k); k++)
        for (int t = 0; t < 3; t++) {
            ph_problem *p = small_problem(k);
            opened m = {.sys = p->sys, .q0 = p->q0, .v0 = p->v0};
            ph_options o = rkmk(name[t], p->h);
            snapshot full = end_of(&m, &o, 20 * p->h);
            o.newton = PH_MODIFIED;
            ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
            run_sim(sim, 20);
            snapshot kept = snap(sim, &p->sys);
            check_le(distance(&kept, &full), 1e-12); /* round-off: both go on until increments are noise */
            ph_stats n = ph_sim_stats(sim);
            assert_true(n.factorizations < n.steps); /* ordering: one serves several steps */
            int at_once = strcmp(name[t], "sdirk3") ? tableau(name[t]).s : 1; /* stages of one iteration */
            assert_int_equal(n.residuals, at_once * n.iterations + n.steps);  /* exact: and one at each end */
            ph_sim_destroy(sim);
            without_tangents(&m.sys);
            o.newton = PH_FULL;
            snapshot bare = end_of(&m, &o, 20 * p->h);
            /* derivative: of the convective term, which stands in the residual */
            check_le(distance(&bare, &full), 1e-8);
            free(full.x), free(kept.x), free(bare.x);
            ph_problem_destroy(p);
        }
}

/* Quadratic convergence to round-off, however rough the first guess. (K16) */
static void iterations(void **state)
{
    (void)state;
    static const char *const name[] = {"gauss2", "radau3", "gauss6", "midpoint"};
    for (int k = 0; ph_problem_name(k); k++)
        for (int t = 0; t < 4; t++)
            for (int large = 0; large < 2; large++) {
                ph_problem *p = small_problem(k);
                ph_options o = rkmk(name[t], p->h * (large ? 5 : 1));
                o.newton = PH_FULL;
                ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
                run_sim(sim, 5);
                /* ordering: 0.1 becomes 1e-2, 1e-4, 1e-8, 1e-16 */
                assert_true(ph_sim_stats(sim).worst_iterations <= (large ? 6 : 4));
                assert_int_equal(ph_sim_stats(sim).factorizations, ph_sim_stats(sim).iterations); /* exact */
                ph_sim_destroy(sim);
                ph_problem_destroy(p);
            }
}

/* A step that is refused leaves the state as it was, and says why. */
static void refused(void **state)
{
    (void)state;
    ph_problem *p = problem_named("rotor");
    ph_options o = rkmk("radau3", 5e-3);
    ph_error err = {0};
    o.halvings = 0; /* the failure is what is looked at */
    ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
    snapshot before = snap(sim, &p->sys);
    assert_int_equal(ph_sim_step(sim, &err), PH_E_STEP);
    assert_non_null(strstr(err.text, "too large for the spin"));
    snapshot after = snap(sim, &p->sys);
    assert_true(same_bits(&before, &after));
    free(before.x), free(after.x);
    ph_sim_destroy(sim);
    ph_problem_destroy(p);
    p = problem_named("heavy_top");
    const struct {
        damage damage;
        callback victim;
        ph_status status;
        const char *words;
    } row[] = {{REFUSE, IN_convective, PH_E_CALLBACK, "convective"},
               {REFUSE, IN_Z, PH_E_CALLBACK, "Z"},
               {NOT_A_NUMBER, IN_g, PH_E_NAN, "callback g"},
               {INFINITE, IN_K, PH_E_NAN, "callback K"},
               {NOT_A_NUMBER, IN_convective, PH_E_NAN, "callback convective"},
               {NOT_A_NUMBER, IN_Z, PH_E_NAN, "callback Z"}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        wrap w;
        wrap_open(&w, &p->sys);
        o = rkmk("gauss2", 1e-3);
        sim = sim_of(&w.sys, &o, p->q0, p->v0);
        run_sim(sim, 2);
        before = snap(sim, &p->sys);
        w.damage = row[k].damage, w.victim = row[k].victim;
        assert_int_equal(ph_sim_step(sim, &err), row[k].status);
        assert_non_null(strstr(err.text, row[k].words));
        after = snap(sim, &p->sys);
        assert_true(same_bits(&before, &after));
        w.damage = NONE;
        run_sim(sim, 1); /* healed, it goes on */
        free(before.x), free(after.x);
        ph_sim_destroy(sim);
        wrap_close(&w);
    }
    o = rkmk("gauss2", 2e-3);
    o.max_iterations = 1;
    sim = sim_of(&p->sys, &o, p->q0, p->v0);
    assert_int_equal(ph_sim_step(sim, &err), PH_E_NEWTON);
    assert_non_null(strstr(err.text, "did not converge in 1 iteration"));
    ph_sim_destroy(sim);
    ph_problem_destroy(p);
}

/* Nothing is allocated in a step, every failed request is survived. */
static void memory(void **state)
{
    (void)state;
    static const char *const name[] = {"gauss2", "sdirk2"};
    for (int k = 0; ph_problem_name(k); k++)
        for (int t = 0; t < 2; t++) {
            ph_problem *p = small_problem(k);
            ph_options o = rkmk(name[t], p->h);
            counter c;
            counter_open(&c, -1);
            o.alloc = &c.hooks;
            ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
            long asked = c.asked;
            run_sim(sim, 3);
            assert_int_equal(c.asked, asked);
            ph_sim_destroy(sim);
            assert_int_equal(c.live, 0);
            for (long fail = 0; fail < asked; fail++) {
                ph_error err = {0};
                counter_open(&c, fail);
                o.alloc = &c.hooks;
                assert_int_equal(ph_sim_create(&sim, &p->sys, &o, 0, p->q0, p->v0, &err), PH_E_MEMORY);
                assert_int_equal(c.live, 0);
            }
            ph_problem_destroy(p);
        }
}

static ph_status one_mass(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)ctx;
    out[0] = out[3] = 1, out[1] = out[2] = 0;
    return PH_OK;
}

/* -64 of the coordinate that ctx says */
static ph_status pushed_away(const ph_state *s, double *out, void *ctx)
{
    int k = *(const int *)ctx;
    out[k] = -64 * s->q[k], out[1 - k] = 0;
    return PH_OK;
}

static ph_status pushed_K(const ph_state *s, double *out, void *ctx)
{
    int k = *(const int *)ctx;
    (void)s;
    memset(out, 0, 4 * sizeof *out);
    out[3 * k] = -64;
    return PH_OK;
}

static ph_status no_C(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)ctx;
    memset(out, 0, 4 * sizeof *out);
    return PH_OK;
}

/* 1 + (h/2)^2 K = 0 of the midpoint rule with h = 1/4: the message names the node, be it the first or not. */
static void singular_stages(void **state)
{
    (void)state;
    static const ph_node nodes[2] = {{PH_RN, 1, "first"}, {PH_RN, 1, "second"}};
    for (int k = 0; k < 2; k++) {
        ph_system sys = {.name = "pushed",
                         .n_nodes = 2,
                         .nodes = nodes,
                         .M = one_mass,
                         .g = pushed_away,
                         .C = no_C,
                         .K = pushed_K};
        ph_options o = ph_default_options();
        ph_sim *sim;
        ph_error err = {0};
        const double q[2] = {1, 1}, v[2] = {0, 0};
        o.method = "rkmk", o.tableau = "midpoint", o.h = 0.25, o.halvings = 0; /* singular at this h only */
        sys.ctx = &k;
        assert_int_equal(ph_sim_create(&sim, &sys, &o, 0, q, v, &err), PH_OK);
        assert_int_equal(ph_sim_step(sim, &err), PH_E_SINGULAR);
        if (!strstr(err.text, "the matrix of the stages is singular at ") || !strstr(err.text, nodes[k].name))
            fail_msg("%s", err.text);
        ph_sim_destroy(sim);
    }
}

static ph_status second_away(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    out[0] = 0, out[1] = -128 * s->q[1];
    return PH_OK;
}

static ph_status second_K(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)ctx;
    memset(out, 0, 4 * sizeof *out);
    out[3] = -128;
    return PH_OK;
}

static ph_status sum_of_both(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    out[0] = s->q[0] + s->q[1];
    return PH_OK;
}

static ph_status ones(const ph_state *s, double *out, void *ctx)
{
    (void)s, (void)ctx;
    out[0] = out[1] = 1;
    return PH_OK;
}

/* M + (h/2)^2 K = diag(1, -1) of the midpoint rule and of the trapezoidal one, with h = 1/4, beside B = (1, 1): the message names the constraint. */
static void singular_at_constraint(void **state)
{
    (void)state;
    static const ph_node nodes[2] = {{PH_RN, 1, "first"}, {PH_RN, 1, "second"}};
    static const ph_constraint sum = {1, 0, "sum"};
    for (int k = 0; k < 2; k++) {
        ph_system sys = {.name = "pushed",
                         .n_nodes = 2,
                         .nodes = nodes,
                         .n_constraints = 1,
                         .constraints = &sum,
                         .M = one_mass,
                         .g = second_away,
                         .C = no_C,
                         .K = second_K,
                         .Phi = sum_of_both,
                         .B = ones};
        ph_options o = ph_default_options();
        ph_sim *sim;
        ph_error err = {0};
        const double q[2] = {1, -1}, v[2] = {0, 0};
        o.formulation = PH_INDEX3, o.h = 0.25, o.halvings = 0; /* singular at this h only */
        if (k == 0)
            o.method = "rkmk", o.tableau = "midpoint";
        else
            o.scheme = PH_NEWMARK, o.beta = 0.25, o.gamma = 0.5;
        assert_int_equal(ph_sim_create(&sim, &sys, &o, 0, q, v, &err), PH_OK);
        assert_int_equal(ph_sim_step(sim, &err), PH_E_SINGULAR);
        if (!strstr(err.text, k ? "the matrix of the step is singular at constraint 'sum'"
                                : "the matrix of the stages is singular at constraint 'sum'"))
            fail_msg("%s", err.text);
        ph_sim_destroy(sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(singular_stages),
        cmocka_unit_test(singular_at_constraint),
        cmocka_unit_test(matrix_is_derivative),
        cmocka_unit_test(spring_ball),
        cmocka_unit_test(parallel_is_classical),
        cmocka_unit_test(implicit_euler),
        cmocka_unit_test(orders_free_body),
        cmocka_unit_test(orders_heavy_top),
        cmocka_unit_test(orders_constraints),
        cmocka_unit_test(slider_crank),
        cmocka_unit_test(bricard),
        cmocka_unit_test(rolling_and_drive),
        cmocka_unit_test(joint_friction),
        cmocka_unit_test(friction_in_a_loop),
        cmocka_unit_test(spinning_loop),
        cmocka_unit_test(stiff),
        cmocka_unit_test(kinds_agree),
        cmocka_unit_test(iterations),
        cmocka_unit_test(refused),
        cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
