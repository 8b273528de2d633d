/* Input that makes no sense: each a status and a sentence that names the culprit; nothing is lost. */
#include "forms.h"
#include "sim_cases.h"

#include "polhode/equilibrium.h"

/* A system made of constants, to spoil one of them at a time. */
typedef struct bad {
    ph_system sys;
    ph_node nodes[2];
    ph_constraint constraints[2];
    ph_place pairs[4], links[4];
    ph_options o;
    double M[36], g[6], Phi[3], B[18];
    double t0, q0[7], v0[6];
} bad;

static ph_status constant_M(const ph_state *s, double *out, void *ctx)
{
    const bad *b = ctx;
    (void)s;
    memcpy(out, b->M, sizeof(double) * (size_t)(9 * b->sys.n_pairs));
    return PH_OK;
}

static ph_status constant_g(const ph_state *s, double *out, void *ctx)
{
    const bad *b = ctx;
    (void)s;
    memcpy(out, b->g, sizeof b->g);
    return PH_OK;
}

static ph_status constant_Phi(const ph_state *s, double *out, void *ctx)
{
    const bad *b = ctx;
    (void)s;
    memcpy(out, b->Phi, sizeof b->Phi);
    return PH_OK;
}

static ph_status constant_B(const ph_state *s, double *out, void *ctx)
{
    const bad *b = ctx;
    int n = 0;
    (void)s;
    for (int e = 0; e < b->sys.n_links; e++) /* those that are listed */
        n += 3 * b->constraints[b->links[e].row].rows;
    memcpy(out, b->B, sizeof *b->B * (size_t)n);
    return PH_OK;
}

static void good(bad *b)
{
    *b = (bad){
        .nodes = {{PH_RN, 3, "slider"}, {PH_SO3, 0, "wheel"}},
        .constraints = {{2, 0, "guide"}, {1, 0, "gear"}},
        .pairs = {{0, 0}, {1, 1}, {0, 1}},
        .links = {{0, 0}, {0, 1}, {1, 0}, {1, 1}},
        .o = ph_default_options(),
        .M = {[0] = 2, [4] = 2, [8] = 2, [9] = 1, [13] = 2, [17] = 3},
        .B = {[0] = 1, [4] = 1, [10] = 1, [12] = 1, [14] = 1, [15] = 1},
        .q0 = {0, 0, 0, 1, 0, 0, 0},
    };
    b->o.h = 0.01;
    b->sys =
        (ph_system){.name = "bad", .n_nodes = 2, .n_constraints = 2, .n_pairs = 2, .n_links = 4, .ctx = b};
    b->sys.nodes = b->nodes, b->sys.constraints = b->constraints;
    b->sys.pairs = b->pairs, b->sys.links = b->links;
    b->sys.M = constant_M, b->sys.g = constant_g, b->sys.Phi = constant_Phi, b->sys.B = constant_B;
}

/* Rows: name, what is spoilt, status, words of the sentence. B: 2 x 3, 2 x 3, 1 x 3, 1 x 3. */
#define SPOILT(X)                                                                                            \
    X(zero_mass, b->M[0] = 0, PH_E_INPUT, "node 'slider'")                                                   \
    X(negative_mass, b->M[4] = -2, PH_E_INPUT, "node 'slider'")                                              \
    X(indefinite_inertia, b->M[10] = b->M[12] = 1.5, PH_E_INPUT, "node 'wheel'")                             \
    X(unsymmetric_inertia, b->M[10] = 0.1, PH_E_INPUT, "node 'wheel'")                                       \
    X(nan_mass, b->M[8] = NAN, PH_E_NAN, "the callback M")                                                   \
    X(infinite_mass, b->M[8] = HUGE_VAL, PH_E_NAN, "the callback M")                                         \
    X(zero_rows, b->B[12] = b->B[14] = b->B[15] = 0, PH_E_SINGULAR, "constraint")                            \
    X(equal_rows, memcpy(b->B + 3, b->B, 24); memcpy(b->B + 9, b->B + 6, 24), PH_E_SINGULAR, "constraint")   \
    X(dependent_rows, b->B[12] = b->B[0]; b->B[14] = b->B[15] = 0, PH_E_SINGULAR, "constraint")              \
    X(no_link, b->sys.n_links = 2, PH_E_SINGULAR, "constraint 'gear'")                                       \
    X(violated, b->Phi[2] = 0.25, PH_E_INCONSISTENT, "constraint 'gear'")                                    \
    X(violated_size, b->Phi[2] = 0.25, PH_E_INCONSISTENT, "0.25")                                            \
    X(violated_velocity, b->v0[0] = 0.5, PH_E_INCONSISTENT, "velocities")                                    \
    X(h_zero, b->o.h = 0, PH_E_INPUT, "h = 0 ")                                                              \
    X(h_negative, b->o.h = -0.1, PH_E_INPUT, "h = -0.1 ")                                                    \
    X(h_nan, b->o.h = NAN, PH_E_INPUT, "h = nan ")                                                           \
    X(h_infinite, b->o.h = HUGE_VAL, PH_E_INPUT, "h = inf ")                                                 \
    X(rho_negative, b->o.rho = -0.01, PH_E_INPUT, "rho = -0.01 ")                                            \
    X(rho_large, b->o.rho = 1.01, PH_E_INPUT, "rho = 1.01 ")                                                 \
    X(rho_nan, b->o.rho = NAN, PH_E_INPUT, "rho = nan ")                                                     \
    X(hht, b->o.scheme = PH_HHT; b->o.hht_alpha = 0.34, PH_E_INPUT, "0.34 ")                                 \
    X(newmark, b->o.scheme = PH_NEWMARK; b->o.gamma = 0.5, PH_E_INPUT, "beta = 0 ")                          \
    X(alpha_f, b->o.scheme = PH_FOUR_NUMBERS; b->o.beta = b->o.gamma = 0.5;                                  \
      b->o.alpha_f = 1, PH_E_INPUT, "alpha_f = 1")                                                           \
    X(sigma_nan, b->o.sigma = NAN, PH_E_INPUT, "sigma = nan ")                                               \
    X(sigma_minus, b->o.sigma = -HUGE_VAL, PH_E_INPUT, "sigma = -inf ")                                      \
    X(method, b->o.method = "alpha", PH_E_INPUT, "'alpha'; there are: genalpha, genalpha-printed")           \
    X(method_null, b->o.method = NULL, PH_E_INPUT, "there are: genalpha")                                    \
    X(atol, b->o.atol = -1e-3, PH_E_INPUT, "atol = -0.001 ")                                                 \
    X(rtol, b->o.rtol = -1e-3, PH_E_INPUT, "rtol = -0.001:")                                                 \
    X(rtol_nan, b->o.rtol = NAN, PH_E_INPUT, "rtol = nan:")                                                  \
    X(iterations, b->o.max_iterations = 0, PH_E_INPUT, "max_iterations = 0 ")                                \
    X(formulation, b->o.formulation = (ph_formulation)3, PH_E_INPUT, "formulation = 3")                      \
    X(newton, b->o.newton = (ph_newton)7, PH_E_INPUT, "newton = 7")                                          \
    X(start, b->o.start = (ph_start)2, PH_E_INPUT, "start = 2")                                              \
    X(ggl_form, b->o.ggl_form = (ph_ggl_form)5, PH_E_INPUT, "ggl_form = 5")                                  \
    X(solver, b->o.solver = (ph_solver_kind)9, PH_E_INPUT, "solver = 9")                                     \
    X(scheme, b->o.scheme = (ph_scheme)4, PH_E_INPUT, "4")                                                   \
    X(printed_index2, b->o.method = "genalpha-printed"; b->o.formulation = PH_INDEX2, PH_E_INPUT, "index-2") \
    X(printed_sigma0, b->o.method = "genalpha-printed"; b->o.sigma = 0;                                      \
      b->o.formulation = PH_INDEX3, PH_E_INPUT, "sigma")                                                     \
    X(quaternion, b->q0[3] = 0.9, PH_E_INPUT, "node 'wheel': its quaternion has length 0.9 ")                \
    X(quaternion_zero, b->q0[3] = 0, PH_E_INPUT, "length 0 ")                                                \
    X(nan_q, b->q0[1] = NAN, PH_E_INPUT, "node 'slider'")                                                    \
    X(nan_quaternion, b->q0[5] = NAN, PH_E_INPUT, "node 'wheel'")                                            \
    X(infinite_v, b->v0[4] = HUGE_VAL, PH_E_INPUT, "node 'wheel'")                                           \
    X(lost_h, b->t0 = 1e18, PH_E_INPUT, "time 1e+18 is so large that steps of h = 0.01 ")                    \
    X(nan_t, b->t0 = NAN, PH_E_INPUT, "time nan")                                                            \
    X(no_nodes, b->sys.n_nodes = 0, PH_E_INPUT, "no nodes")                                                  \
    X(null_nodes, b->sys.nodes = NULL, PH_E_INPUT, "no nodes")                                               \
    X(null_constraints, b->sys.constraints = NULL, PH_E_INPUT, "2 constraints")                              \
    X(minus_constraints, b->sys.n_constraints = -1, PH_E_INPUT, "-1 constraints")                            \
    X(no_M, b->sys.M = NULL, PH_E_INPUT, "M and g")                                                          \
    X(no_g, b->sys.g = NULL, PH_E_INPUT, "M and g")                                                          \
    X(no_B, b->sys.B = NULL, PH_E_INPUT, "B and Phi")                                                        \
    X(no_Phi, b->sys.Phi = NULL, PH_E_INPUT, "B and Phi")                                                    \
    X(pair_row, b->pairs[1].row = 2, PH_E_INPUT, "pair 1 names node 2 ")                                     \
    X(pair_col, b->pairs[1].col = -1, PH_E_INPUT, "-1")                                                      \
    X(link_row, b->links[2].row = 2, PH_E_INPUT, "link 2 names constraint 2 ")                               \
    X(link_col, b->links[3].col = 2, PH_E_INPUT, "link 3 ")                                                  \
    X(minus_pairs, b->sys.n_pairs = -1, PH_E_INPUT, "-1 pairs")                                              \
    X(minus_links, b->sys.n_links = -4, PH_E_INPUT, "-4 links")                                              \
    X(diagonal, b->sys.n_pairs = 1, PH_E_INPUT, "node 'wheel': its diagonal place")                          \
    X(pair_later, b->sys.n_pairs = 4; b->pairs[3] = b->pairs[1], PH_E_INPUT, "(1, 1)")                       \
    X(pair_twice, b->sys.n_pairs = 3; b->pairs[2] = b->pairs[1], PH_E_INPUT, "(1, 1)")                       \
    X(link_twice, b->links[3] = b->links[1], PH_E_INPUT, "(0, 1)")                                           \
    X(rn_zero, b->nodes[0].n = 0, PH_E_INPUT, "node 'slider': R^n with n = 0")                               \
    X(rn_huge, b->nodes[0].n = 2000000000, PH_E_INPUT, "more than")                                          \
    X(group, b->nodes[1].group = (ph_group)17, PH_E_INPUT, "node 'wheel': no group has the code 17")         \
    X(nameless, b->nodes[1].group = (ph_group)17; b->nodes[1].name = NULL, PH_E_INPUT, "node 1:")            \
    X(rows_zero, b->constraints[1].rows = 0, PH_E_INPUT, "constraint 'gear': 0 rows")                        \
    X(rows_nameless, b->constraints[1].rows = -2;                                                            \
      b->constraints[1].name = NULL, PH_E_INPUT, "constraint 1: -2 rows")

#define ROW(name, code, status, text)                                                                        \
    static void spoil_##name(bad *b)                                                                         \
    {                                                                                                        \
        code;                                                                                                \
    }
SPOILT(ROW)
#undef ROW

static const struct spoilt {
    const char *name;
    void (*spoil)(bad *b);
    ph_status status;
    const char *text;
} spoilt[] = {
#define ROW(name, code, status, text) {#name, spoil_##name, status, text},
    SPOILT(ROW)
#undef ROW
};

static void bad_input(void **state)
{
    (void)state;
    for (int f = 0; f < FORMS; f++)
        for (size_t k = 0; k < sizeof spoilt / sizeof *spoilt; k++) {
            const struct spoilt *row = &spoilt[k];
            bad b;
            counter c;
            ph_error err = {0};
            ph_sim *sim = (ph_sim *)&b;
            counter_open(&c, -1);
            good(&b);
            b.o.alloc = &c.hooks, b.o.formulation = forms[f];
            row->spoil(&b);
            ph_status s = ph_sim_create(&sim, &b.sys, &b.o, b.t0, b.q0, b.v0, &err);
            if (s != row->status || err.status != s || !strstr(err.text, row->text))
                fail_msg("%s: %s, '%s' without '%s'", row->name, ph_status_word(s), err.text, row->text);
            assert_null(sim);
            assert_int_equal(c.live, 0);
            s = ph_sim_create(&sim, &b.sys, &b.o, b.t0, b.q0, b.v0, NULL); /* nobody listens */
            assert_int_equal(s, row->status);
        }
}

/* What the table spoils is good to begin with. */
static void good_input(void **state)
{
    (void)state;
    for (int f = 0; f < FORMS; f++) {
        bad b;
        good(&b);
        b.o.formulation = forms[f];
        ph_sim *sim = sim_of(&b.sys, &b.o, b.q0, b.v0);
        run_sim(sim, 3);
        ph_sim_destroy(sim);
    }
    bad b;
    good(&b);
    assert_int_equal(ph_system_nq(&b.sys), 7);
    assert_int_equal(ph_system_nv(&b.sys), 6);
    assert_int_equal(ph_system_nl(&b.sys), 3);
    b.sys.n_nodes = 0;
    assert_int_equal(ph_system_nq(&b.sys), -1);
    assert_int_equal(ph_system_nv(NULL), -1);
    assert_int_equal(ph_system_nl(&b.sys), -1);
}

/* The same initial values are refused by whatever begins at them. */
static void bad_configurations(void **state)
{
    (void)state;
    static const struct {
        int at; /* in q0; -1: there is none */
        double value, t;
        const char *text;
    } row[] = {{-1, 0, 0, "initial values must be given"},
               {1, NAN, 0, "node 'slider': an initial value is not finite"},
               {5, HUGE_VAL, 0, "node 'wheel': an initial value is not finite"},
               {3, 0.9, 0, "node 'wheel': its quaternion has length 0.9 "},
               {0, 0, NAN, "the initial time nan "}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        bad b;
        ph_error err[3] = {{0}};
        ph_equilibrium *e;
        ph_check worst;
        ph_static_options o = ph_default_static();
        int dependent[2];
        double zero[6] = {0};
        good(&b);
        const double *q = row[k].at < 0 ? NULL : b.q0;
        if (q)
            b.q0[row[k].at] = row[k].value;
        assert_int_equal(ph_equilibrium_create(&e, &b.sys, &o, row[k].t, q, &err[0]), PH_E_INPUT);
        assert_null(e);
        assert_int_equal(ph_system_rank(&b.sys, row[k].t, q, dependent, &err[1]), PH_E_INPUT);
        assert_int_equal(ph_system_check(&b.sys, row[k].t, q, zero, zero, zero, &worst, &err[2]), PH_E_INPUT);
        for (int i = 0; i < 3; i++)
            if (!strstr(err[i].text, row[k].text))
                fail_msg("'%s' does not contain '%s'", err[i].text, row[k].text);
    }
}

/* A singular start asks for the second solver; every allocation on that way fails cleanly too. */
static void singular_allocation_failures(void **state)
{
    (void)state;
    for (int solver = 0; solver < PH_SOLVER_COUNT; solver++)
        for (long fail_at = 0, done = 0; !done; fail_at++) {
            bad b;
            counter c;
            ph_error err = {0};
            ph_sim *sim;
            good(&b);
            spoil_equal_rows(&b);
            counter_open(&c, fail_at);
            b.o.alloc = &c.hooks, b.o.solver = (ph_solver_kind)solver;
            ph_status s = ph_sim_create(&sim, &b.sys, &b.o, 0, b.q0, b.v0, &err);
            done = s == PH_E_SINGULAR;
            assert_true(done || s == PH_E_MEMORY);
            assert_int_equal(err.status, s);
            assert_true(strlen(err.text) > 10);
            assert_int_equal(c.live, 0);
        }
}

/* Equilibria of systems that have none: what was met is said. */
static void no_equilibria(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int at; /* of M, g, B and n_redundant: 0 ... 3 */
        int k;
        double x;
        ph_status status;
        const char *words;
    } row[] = {
        {"nan_force", 1, 2, NAN, PH_E_NAN, "the callback g"},
        {"nan_row", 2, 4, NAN, PH_E_NAN, "the callback B"},
        {"nan_mass", 0, 8, NAN, PH_E_NAN, "the callback M"},
        {"dependent", 2, 0, 0, PH_E_SINGULAR, "the constraints depend on each other"},
        {"pushed", 1, 2, 5, PH_E_SINGULAR, "nothing keeps bodies 'slider', 'wheel' from moving"},
        {"redundant", 3, 0, 1, PH_E_INPUT, "1 redundant rows are expected of the constraints"},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        bad b;
        ph_equilibrium *e;
        ph_error err = {0};
        ph_static_options o = ph_default_static();
        good(&b);
        if (row[k].at == 3)
            b.sys.n_redundant = (int)row[k].x;
        else
            (row[k].at == 0 ? b.M : row[k].at == 1 ? b.g : b.B)[row[k].k] = row[k].x;
        ph_status s = ph_equilibrium_create(&e, &b.sys, &o, 0, b.q0, &err);
        if (s != row[k].status || err.status != s || e || !strstr(err.text, row[k].words))
            fail_msg("%s: %s: %s", row[k].name, ph_status_word(s), err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_input),
        cmocka_unit_test(bad_input),
        cmocka_unit_test(bad_configurations),
        cmocka_unit_test(no_equilibria),
        cmocka_unit_test(singular_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
