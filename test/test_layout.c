/* From the lists of a system to offsets: nodes of odd sizes, one node or two. */
#include "forms.h"
#include "polhode/run.h"
#include "sim_cases.h"
#include "step/layout.h"

#define DOF 10

/* Ten coupled oscillators, q and the rows of one linear constraint cut into nodes and constraints at will. */
typedef struct cut {
    ph_system sys;
    ph_node nodes[3];
    ph_constraint constraints[5];
    double M[DOF][DOF], D[DOF][DOF], S[DOF][DOF], B[5][DOF];
} cut;

static ph_status cut_matrix(const ph_state *s, const cut *c, double (*A)[DOF], double *out)
{
    for (int i = 0; i < c->sys.n_nodes; i++)
        for (int j = 0; j < c->sys.n_nodes; j++)
            for (int k = 0; k < c->nodes[i].n; k++)
                for (int l = 0; l < c->nodes[j].n; l++)
                    *out++ = A[s->v_at[i] + k][s->v_at[j] + l];
    return PH_OK;
}

static ph_status cut_M(const ph_state *s, double *out, void *ctx)
{
    cut *c = ctx;
    return cut_matrix(s, c, c->M, out);
}

static ph_status cut_C(const ph_state *s, double *out, void *ctx)
{
    cut *c = ctx;
    return cut_matrix(s, c, c->D, out);
}

static ph_status cut_K(const ph_state *s, double *out, void *ctx)
{
    cut *c = ctx;
    return cut_matrix(s, c, c->S, out);
}

static ph_status cut_g(const ph_state *s, double *out, void *ctx)
{
    const cut *c = ctx;
    for (int i = 0; i < DOF; i++) {
        out[i] = 0;
        for (int j = 0; j < DOF; j++)
            out[i] += c->D[i][j] * s->v[j] + c->S[i][j] * s->q[j];
    }
    return PH_OK;
}

static ph_status cut_Phi(const ph_state *s, double *out, void *ctx)
{
    const cut *c = ctx;
    for (int i = 0; i < 5; i++) {
        out[i] = 0;
        for (int j = 0; j < DOF; j++)
            out[i] += c->B[i][j] * s->q[j];
    }
    return PH_OK;
}

static ph_status cut_B(const ph_state *s, double *out, void *ctx)
{
    const cut *c = ctx;
    for (int r = 0; r < c->sys.n_constraints; r++)
        for (int i = 0; i < c->sys.n_nodes; i++)
            for (int k = 0; k < c->constraints[r].rows; k++)
                for (int l = 0; l < c->nodes[i].n; l++)
                    *out++ = c->B[s->l_at[r] + k][s->v_at[i] + l];
    return PH_OK;
}

/* nodes and constraints: sizes, 0 at the end */
static void cut_open(cut *c, const int *nodes, const int *constraints)
{
    uint64_t seed = 5;
    *c = (cut){.sys = {.name = "oscillators", .flags = PH_MASS_CONSTANT, .ctx = c}};
    for (int i = 0; i < DOF; i++)
        for (int j = 0; j <= i; j++) {
            c->M[i][j] = c->M[j][i] = i == j ? 2 : 0.1 * rnd(&seed);
            c->S[i][j] = c->S[j][i] = i == j ? 50 : 5 * rnd(&seed);
            c->D[i][j] = 0.3 * rnd(&seed);
        }
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < DOF; j++)
            c->B[i][j] = rnd(&seed);
    for (; nodes[c->sys.n_nodes]; c->sys.n_nodes++)
        c->nodes[c->sys.n_nodes] = (ph_node){PH_RN, nodes[c->sys.n_nodes], NULL};
    for (; constraints[c->sys.n_constraints]; c->sys.n_constraints++)
        c->constraints[c->sys.n_constraints] = (ph_constraint){constraints[c->sys.n_constraints], 0, NULL};
    c->sys.nodes = c->nodes, c->sys.constraints = c->constraints;
    c->sys.M = cut_M, c->sys.g = cut_g, c->sys.C = cut_C, c->sys.K = cut_K, c->sys.B = cut_B,
    c->sys.Phi = cut_Phi;
}

/* Nodes of 1, 2 and 7 coordinates and one of 10; one constraint of five rows and five of one. */
static void odd_sizes_agree(void **state)
{
    (void)state;
    static const int nodes[][4] = {{10, 0}, {1, 2, 7, 0}, {7, 1, 2, 0}},
                     rows[][6] = {{5, 0}, {1, 1, 1, 1, 1, 0}, {2, 3, 0}};
    for (int f = 0; f < FORMS; f++)
        for (int differenced = 0; differenced < 2; differenced++) {
            ph_options o = ph_default_options();
            double q0[DOF] = {0}, v0[DOF] = {0};
            snapshot first = {0};
            v0[0] = 1, v0[3] = -2, v0[8] = 0.5;
            o.h = 0.01, o.formulation = forms[f], o.project = 1;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    cut c;
                    cut_open(&c, nodes[i], rows[j]);
                    if (differenced)
                        c.sys.C = c.sys.K = NULL;
                    ph_sim *sim = sim_of(&c.sys, &o, q0, v0);
                    run_sim(sim, 50);
                    snapshot x = snap(sim, &c.sys);
                    if (i || j) {
                        check_le(distance(&x, &first), differenced ? 1e-8 : 1e-9); /* derivative, round-off */
                        free(x.x);
                    } else
                        first = x;
                    ph_sim_destroy(sim);
                }
            free(first.x);
        }
}

/* One node R^3 x SO(3) and two nodes R^3, SO(3) are the same group, so the same steps. */
static void one_node_or_two(void **state)
{
    (void)state;
    static const double sigma[] = {0, 1, PH_SIGMA_OPT, 0.4};
    for (int i = 0; i < 4; i++)
        for (int f = 0; f < FORMS; f++) {
            ph_problem *p = problem_named("heavy_top"), *p1 = problem_named("heavy_top_r3xso3");
            ph_options o = options_for(p, forms[f]);
            o.sigma = sigma[i];
            ph_sim *a = sim_of(&p->sys, &o, p->q0, p->v0), *b = sim_of(&p1->sys, &o, p1->q0, p1->v0);
            run_sim(a, 50), run_sim(b, 50);
            snapshot x = snap(a, &p->sys), y = snap(b, &p1->sys);
            /* round-off: lambda of index-3 as in test_newton, over |lambda| = 500 */
            check_le(max_diff(snap_q(&x), snap_q(&y), 7), 1e-12);
            check_le(max_diff(snap_v(&x), snap_v(&y), 6), 1e-9);
            check_le(distance(&x, &y), 1e-8);
            free(x.x), free(y.x);
            ph_sim_destroy(a), ph_sim_destroy(b);
            ph_problem_destroy(p), ph_problem_destroy(p1);
        }
}

/* Nodes of SO(3) go four by four, in their order and with the places that their slots have; one is left over here. */
static void nodes_in_batches(void **state)
{
    (void)state;
    static const ph_group groups[] = {PH_SO3, PH_RN,  PH_SO3, PH_SE3, PH_SO3, PH_R3XSO3, PH_SO3,
                                      PH_SE3, PH_SE3, PH_RN,  PH_SO3, PH_SE3, PH_SE3};
    enum { N = sizeof groups / sizeof *groups };
    static const struct {
        ph_group group;
        int end; /* of the nodes that are in batches; the last one is left over */
    } kind[PH_BATCHES] = {{PH_SO3, 10}, {PH_SE3, 12}};
    ph_node nodes[N];
    ph_system sys = {.n_nodes = N, .nodes = nodes, .M = cut_M, .g = cut_M};
    ph_skeleton *k = NULL;
    ph_error err = {0};
    for (int i = 0; i < N; i++)
        nodes[i] = (ph_node){.group = groups[i], .n = 2};
    assert_int_equal(ph_skeleton_create(&k, &sys, NULL, &err), PH_OK);
    for (int i = 0, n[PH_BATCHES] = {0}; i < N; i++) {
        const ph_slot *s = &k->lay.slot[i];
        int in = 0;
        for (int l = 0; l < PH_BATCHES; l++) {
            const ph_batch *b = k->lay.batch[l];
            assert_int_equal(k->lay.n_batches[l], 1);
            if (groups[i] != kind[l].group || i >= kind[l].end)
                continue;
            assert_int_equal(b->q_at[n[l]], s->q_at), assert_int_equal(b->v_at[n[l]], s->v_at);
            assert_int_equal(b->R_at[n[l]], 9 * s->R_at), assert_int_equal(b->T_at[n[l]], s->T_at);
            n[l]++, in = 1;
        }
        assert_int_equal(s->batched, in);
    }
    ph_skeleton_release(k);
}

/* The links of each node, in the order of the list. */
static void links_of_nodes(void **state)
{
    (void)state;
    static const ph_place links[] = {{0, 2}, {0, 0}, {1, 2}, {2, 0}, {2, 3}, {1, 0}};
    static const int end[] = {3, 3, 5, 6}, of[] = {1, 3, 5, 0, 2, 4};
    const ph_constraint constraints[] = {{.rows = 1}, {.rows = 2}, {.rows = 4}};
    const ph_node node = {.group = PH_RN, .n = 2}, nodes[] = {node, node, node, node};
    ph_system sys = {.n_nodes = 4,
                     .nodes = nodes,
                     .n_constraints = 3,
                     .constraints = constraints,
                     .n_links = 6,
                     .links = links,
                     .M = cut_M,
                     .g = cut_M,
                     .B = cut_M,
                     .Phi = cut_M};
    ph_skeleton *k = NULL;
    ph_error err = {0};
    assert_int_equal(ph_skeleton_create(&k, &sys, NULL, &err), PH_OK);
    assert_memory_equal(k->lay.link_end, end, sizeof end);
    assert_memory_equal(k->lay.link_of, of, sizeof of);
    assert_int_equal(k->lay.most_rows, 1 + 4 + 2); /* of node 0 */
    ph_skeleton_release(k);
}

/* The system of a model with one of its callbacks replaced, in a copy, as a program does that adds a force. */
static const ph_system *model;

static ph_status pushed(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    ph_status status = model->g(s, out, model->ctx);
    out[0] -= 1;
    return status;
}

static ph_status same_B(const ph_state *s, double *out, void *ctx)
{
    (void)ctx;
    return model->B(s, out, model->ctx);
}

/* It has nothing of the model's callbacks at once, and moves as without them; a mere copy has them all. */
static void callbacks_that_are_replaced(void **state)
{
    (void)state;
    static const char *const files[] = {"heavy_top.lua", "driven_crank.lua", "spring_ball.lua"};
    int at_once = 0;
    for (int k = 0; k < 3; k++)
        for (int what = 0; what < 3; what++) {
            char path[300];
            ph_run *of, *run[2];
            ph_error err = {0};
            snprintf(path, sizeof path, PH_TEST_DIR "/../models/%s", files[k]);
            assert_int_equal(ph_run_open(&of, path, NULL, &err), PH_OK);
            model = ph_run_system(of);
            ph_state start = ph_sim_state(ph_run_sim(of));
            ph_system copy = *model, bare;
            if (what == 1)
                copy.g = pushed;
            if (what == 2)
                copy.B = same_B;
            bare = copy;
            bare.products = NULL, bare.tangents = NULL, bare.positions = NULL;
            ph_skeleton *skeleton = NULL;
            assert_int_equal(ph_skeleton_create(&skeleton, &copy, NULL, &err), PH_OK);
            const ph_layout *lay = &skeleton->lay;
            int has = lay->products || lay->tangents || lay->positions;
            assert_int_equal(has, what == 0 && (model->products || model->tangents || model->positions));
            at_once += has;
            ph_skeleton_release(skeleton);
            ph_run_config c = ph_run_defaults();
            c.options = (const char *const[]){"h=1e-3", "t_end=0.02"}, c.n_options = 2;
            for (int i = 0; i < 2; i++) {
                assert_int_equal(
                    ph_run_create_system(&run[i], i ? &bare : &copy, 0, start.q, start.v, &c, &err), PH_OK);
                assert_int_equal(ph_run_until(run[i], 0.02, &err), PH_OK);
            }
            ph_state a = ph_sim_state(ph_run_sim(run[0])), b = ph_sim_state(ph_run_sim(run[1]));
            for (int i = 0; i < 3; i++)
                check_near(a.v[i], b.v[i], what ? 0 : 1e-9); /* exact where neither has them */
            ph_run_close(run[0]), ph_run_close(run[1]), ph_run_close(of);
        }
    assert_int_equal(at_once, 3);
}

/* Lists that make no sense, or are too long. */
static void lists_refused(void **state)
{
    (void)state;
    enum { HUGE_N = 2000000000 };
    ph_problem *p = problem_named("heavy_top"); /* two nodes, one constraint */
    static const ph_node large[2] = {{PH_RN, HUGE_N, "a"}, {PH_RN, HUGE_N, "b"}},
                         wide[2] = {{PH_RN, 40000, "a"}, {PH_RN, 40000, "b"}};
    static const ph_constraint many[2] = {{HUGE_N, 0, "a"}, {HUGE_N, 0, "b"}}, tall[1] = {{60000, 0, "a"}};
    static const ph_place below = {-1, 0}, left = {0, -1}, beyond = {2, 0}, right = {0, 2}, first = {0, 0};
    for (int k = 0; k < 16; k++) {
        ph_system sys = p->sys;
        ph_layout lay;
        ph_error err = {0};
        const char *says = NULL;
        if (k < 4)
            sys.pairs = k == 0   ? &below
                        : k == 1 ? &left
                        : k == 2 ? &beyond
                                 : &right,
            sys.n_pairs = 1, says = "pair 0 names node";
        else if (k < 8)
            sys.links = k == 4   ? &below
                        : k == 5 ? &left
                        : k == 6 ? &beyond
                                 : &right,
            sys.n_links = 1, says = "link 0 names constraint";
        else if (k == 8)
            sys.nodes = large, says = "the system has more than 2147483647 coordinates";
        else if (k == 9)
            sys.nodes = wide, says = "the listed pairs have more than 2147483647 entries";
        else if (k == 10)
            sys.constraints = many, sys.n_constraints = 2,
            says = "the system has more than 2147483647 constraint rows";
        else if (k == 11)
            sys.pairs = &first, sys.n_pairs = 1, sys.nodes = wide, sys.constraints = tall,
            says = "the listed links have more";
        else if (k == 12)
            sys.n_redundant = -1, says = "the system announces -1 redundant rows of 3";
        else if (k == 13)
            sys.n_redundant = 4, says = "the system announces 4 redundant rows of 3";
        else if (k == 14)
            sys.pairs = &first, sys.n_pairs = -1, says = "-1 pairs and";
        else
            sys.links = &first, sys.n_links = -1, says = "and -1 links: list only";
        assert_int_equal(ph_layout_measure(&lay, &sys, &err), PH_E_INPUT);
        if (!strstr(err.text, says))
            fail_msg("%d: '%s' has no '%s'", k, err.text, says);
    }
    ph_problem_destroy(p);
}

/* What comes at once is that of the callbacks alone: with another one of these it is not used. */
static void at_once_is_of_its_own(void **state)
{
    (void)state;
    ph_problem *p = problem_named("pendulum");
    wrap w;
    wrap_open(&w, &p->sys);
    ph_system origin = w.sys;
    origin.products = wrap_products;
    for (int k = -1; k < 8; k++) {
        ph_system sys = origin;
        ph_layout lay;
        ph_callback *one[] = {&sys.M, &sys.g, &sys.Phi, &sys.B, &sys.Phi_t, &sys.C, &sys.K};
        sys.origin = &origin;
        if (k >= 0 && k < 7)
            *one[k] = *one[k] == wrap_Z ? wrap_convective : wrap_Z;
        if (k == 7)
            sys.ctx = &lay;
        assert_int_equal(ph_layout_measure(&lay, &sys, NULL), PH_OK);
        assert_true((lay.products != NULL) == (k < 0));
    }
    wrap_close(&w);
    ph_problem_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_refused),
        cmocka_unit_test(at_once_is_of_its_own),
        cmocka_unit_test(odd_sizes_agree),
        cmocka_unit_test(one_node_or_two),
        cmocka_unit_test(nodes_in_batches),
        cmocka_unit_test(links_of_nodes),
        cmocka_unit_test(callbacks_that_are_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
