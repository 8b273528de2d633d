/* The table of methods: every row steps, goes on, and is first order where it says so. */
#include "sim_life.h"

/* Every row of the table of methods lives by the same rules. */
static void every_method(void **state)
{
    (void)state;
    for (int k = 0; ph_method_name(k); k++)
        for (int f = 0; f < FORMS; f += 2) { /* index-3 and stabilised: what nearly all have */
            ph_problem *p = problem_named("heavy_top");
            ph_options o = options_for(p, forms[f]);
            counter c;
            counter_open(&c, -1);
            o.method = ph_method_name(k), o.alloc = &c.hooks;
            if (f && (!strcmp(o.method, "linear-alpha") || !strcmp(o.method, "residual-alpha"))) {
                ph_problem_destroy(p);
                continue;
            }
            ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
            long asked = c.asked;
            run_sim(sim, 10);
            snapshot x = snap(sim, &p->sys);
            assert_int_equal(ph_sim_reset(sim, 0, p->q0, p->v0, NULL), PH_OK);
            run_sim(sim, 10);
            snapshot y = snap(sim, &p->sys);
            assert_true(same_bits(&x, &y)); /* exact */
            assert_int_equal(c.asked, asked);
            double q[7], v[6], vdot[6], lambda[3];
            assert_true(p->exact(p, 0.01, q, v, vdot, lambda));
            check_le(max_diff(q, snap_q(&x), 7), 1e-3); /* order: C h^2 t, of residual-alpha C h t */
            ph_sim_destroy(sim);
            assert_int_equal(c.live, 0);
            free(x.x), free(y.x);
            ph_problem_destroy(p);
        }
}

/* What is read of Newton's method depends on the tableau, by whatever name. */
static void options_that_are_read(void **state)
{
    (void)state;
    ph_options o = ph_default_options();
    assert_int_equal(ph_options_reads(&o), ph_method_reads(o.method));
    o.tableau = "rk4"; /* of no use to genalpha */
    assert_int_equal(ph_options_reads(&o), ph_method_reads(o.method));
    o.method = "rkmk";
    assert_int_equal(ph_options_reads(&o), PH_READS_TABLEAU | PH_READS_TOL);
    o.tableau = "Forward Euler";
    assert_int_equal(ph_options_reads(&o), PH_READS_TABLEAU | PH_READS_TOL);
    o.tableau = "sdirk2";
    assert_int_equal(ph_options_reads(&o), PH_READS_TABLEAU | PH_READS_TOL | PH_READS_NEWTON);
    o.method = "none";
    assert_int_equal(ph_options_reads(&o), 0);
}

/* The same four numbers by different names give the same motion. */
static void schemes_agree(void **state)
{
    (void)state;
    ph_problem *p = problem_named("heavy_top");
    ph_options o = options_for(p, PH_INDEX3);
    o.start = PH_PLAIN;
    o.rho = 0.8;
    snapshot x = end_of(p, &o, 50, NULL);
    o.scheme = PH_FOUR_NUMBERS;
    o.alpha_m = (2 * 0.8 - 1) / 1.8, o.alpha_f = 0.8 / 1.8;
    o.gamma = 0.5 + o.alpha_f - o.alpha_m, o.beta = 0.25 * (o.gamma + 0.5) * (o.gamma + 0.5);
    snapshot y = end_of(p, &o, 50, NULL);
    assert_true(same_bits(&x, &y)); /* exact */
    free(x.x), free(y.x);

    o.scheme = PH_HHT, o.hht_alpha = 0.1;
    x = end_of(p, &o, 50, NULL);
    o.scheme = PH_FOUR_NUMBERS;
    o.alpha_m = 0, o.alpha_f = 0.1, o.gamma = 0.6, o.beta = 0.3025;
    y = end_of(p, &o, 50, NULL);
    check_le(distance(&x, &y), 1e-9); /* round-off: 1/4 (1 + 0.1)^2 is not 0.3025 to the bit */
    free(x.x), free(y.x);

    o.scheme = PH_HHT, o.hht_alpha = 0;
    x = end_of(p, &o, 50, NULL);
    o.scheme = PH_NEWMARK, o.beta = 0.25, o.gamma = 0.5;
    y = end_of(p, &o, 50, NULL);
    assert_true(same_bits(&x, &y)); /* exact */
    free(y.x);
    /* rho = 1: a_n + a_n+1 = vdot_n + vdot_n+1, so a = vdot and the trapezoidal rule, but for round-off that
     * alternates */
    o.scheme = PH_CHUNG_HULBERT, o.rho = 1;
    y = end_of(p, &o, 50, NULL);
    check_le(distance(&x, &y), 1e-7); /* round-off */
    free(x.x), free(y.x);
    ph_problem_destroy(p);
}

static void take_log(const char *text, void *ctx)
{
    char *all = ctx;
    snprintf(all + strlen(all), 2000 - strlen(all), "%s\n", text);
}

static void first_order_is_said(void **state)
{
    (void)state;
    ph_problem *p = problem_named("pendulum");
    ph_options o = options_for(p, PH_INDEX3);
    char log[2000] = "";
    o.scheme = PH_NEWMARK, o.beta = 0.3, o.gamma = 0.6;
    o.log = take_log, o.log_ctx = log;
    ph_sim_destroy(sim_of(&p->sys, &o, p->q0, p->v0));
    assert_non_null(strstr(log, "first order"));
    log[0] = 0;
    o.scheme = PH_CHUNG_HULBERT;
    ph_sim_destroy(sim_of(&p->sys, &o, p->q0, p->v0));
    assert_string_equal(log, "");
    ph_problem_destroy(p);
}

/* ---- a system twice in one -------------------------------------------------------------------------------- */

#define MOST 8

typedef struct twin {
    const ph_system *one;
    ph_system sys;
    ph_node nodes[2 * MOST];
    ph_constraint constraints[2 * MOST];
    ph_place pairs[2 * MOST * MOST], links[2 * MOST * MOST];
    int nq, nv, nl, nR, size_pairs, size_links;
} twin;

static ph_status both(ph_callback f, const twin *w, const ph_state *s, double *out, int n)
{
    ph_state other = *s;
    other.q += w->nq, other.v += w->nv, other.R += w->nR;
    other.vdot = s->vdot ? s->vdot + w->nv : NULL, other.lambda = s->lambda ? s->lambda + w->nl : NULL;
    ph_status status = f(s, out, w->one->ctx);
    return status == PH_OK ? f(&other, out + n, w->one->ctx) : status;
}

#define TWIN(name, n)                                                                                        \
    static ph_status twin_##name(const ph_state *s, double *out, void *ctx)                                  \
    {                                                                                                        \
        const twin *w = ctx;                                                                                 \
        return both(w->one->name, w, s, out, w->n);                                                          \
    }
TWIN(M, size_pairs)
TWIN(C, size_pairs)
TWIN(K, size_pairs)
TWIN(g, nv)
TWIN(Phi, nl)
TWIN(Phi_t, nl)
TWIN(convective, nl)
TWIN(B, size_links)
TWIN(Z, size_links)
TWIN(g_lambda, size_links)

static int dim_of(const ph_node *n)
{
    return ph_group_dim(n->group, n->n);
}

static void twin_open(twin *w, const ph_system *one)
{
    int N = one->n_nodes, C = one->n_constraints, P = one->pairs ? one->n_pairs : N * N,
        L = one->links ? one->n_links : C * N;
    assert_true(N <= MOST && C <= MOST);
    *w = (twin){
        .one = one, .sys = *one, .nq = ph_system_nq(one), .nv = ph_system_nv(one), .nl = ph_system_nl(one)};
    for (int i = 0; i < 2 * N; i++)
        w->nodes[i] = one->nodes[i % N], w->nR += i < N && ph_group_get(w->nodes[i].group)->rot >= 0;
    for (int i = 0; i < 2 * C; i++)
        w->constraints[i] = one->constraints[i % C];
    for (int e = 0; e < 2 * P; e++) {
        ph_place at = one->pairs ? one->pairs[e % P] : (ph_place){e % P / N, e % P % N};
        w->size_pairs += e < P ? dim_of(&one->nodes[at.row]) * dim_of(&one->nodes[at.col]) : 0;
        w->pairs[e] = (ph_place){at.row + e / P * N, at.col + e / P * N};
    }
    for (int e = 0; e < 2 * L; e++) {
        ph_place at = one->links ? one->links[e % L] : (ph_place){e % L / N, e % L % N};
        w->size_links += e < L ? one->constraints[at.row].rows * dim_of(&one->nodes[at.col]) : 0;
        w->links[e] = (ph_place){at.row + e / L * C, at.col + e / L * N};
    }
    ph_system *sys = &w->sys;
    sys->ctx = w, sys->products = NULL, sys->pair_has = NULL;
    sys->n_nodes = 2 * N, sys->nodes = w->nodes, sys->n_constraints = 2 * C,
    sys->constraints = w->constraints;
    sys->n_pairs = 2 * P, sys->pairs = w->pairs, sys->n_links = 2 * L, sys->links = w->links;
    sys->M = twin_M, sys->g = twin_g;
    sys->C = one->C ? twin_C : NULL, sys->K = one->K ? twin_K : NULL, sys->Z = one->Z ? twin_Z : NULL;
    sys->Phi = one->Phi ? twin_Phi : NULL, sys->B = one->B ? twin_B : NULL;
    sys->Phi_t = one->Phi_t ? twin_Phi_t : NULL, sys->convective = one->convective ? twin_convective : NULL;
    sys->g_lambda = one->g_lambda ? twin_g_lambda : NULL;
}

/* Two systems in one that know nothing of each other: the second moves as it does alone, in every method and form. */
static void nodes_are_alike(void **state)
{
    (void)state;
    int count = 0;
    static const char *const names[] = {"heavy_top", "heavy_top_r3xso3", "heavy_top_se3", "friction",
                                        "spring_ball"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        for (int k = 0; ph_method_name(k); k++)
            for (int f = 0; f < FORMS; f++) {
                ph_problem *p = problem_named(names[n]);
                ph_options o = options_for(p, forms[f]);
                ph_sim *early, *late;
                ph_error err = {0};
                twin w;
                o.method = ph_method_name(k), o.newton = PH_FULL, o.rtol = 1e-12, o.sigma = 0.75;
                ph_sim *first = sim_of(
                    &p->sys,
                    &(ph_options){
                        .method = "rkmk", .tableau = "rk4", .h = p->h, .max_iterations = 20, .rtol = 1e-8},
                    p->q0, p->v0);
                run_sim(first, 40); /* another state, for the first of the two */
                ph_state x = ph_sim_state(first);
                twin_open(&w, &p->sys);
                double *q = calloc((size_t)(2 * w.nq + 2 * w.nv), sizeof *q), *v = q + 2 * w.nq;
                memcpy(q, x.q, sizeof *q * (size_t)w.nq), memcpy(q + w.nq, p->q0, sizeof *q * (size_t)w.nq);
                memcpy(v, x.v, sizeof *q * (size_t)w.nv), memcpy(v + w.nv, p->v0, sizeof *q * (size_t)w.nv);
                ph_sim_destroy(first);
                if (ph_sim_create(&early, &p->sys, &o, 0, p->q0, p->v0, &err) ==
                    PH_OK) { /* else there is no such form */
                    if (ph_sim_create(&late, &w.sys, &o, 0, q, v, &err) != PH_OK)
                        fail_msg("%s of %s: %s", o.method, names[n], err.text);
                    run_sim(early, 6), run_sim(late, 6);
                    ph_state a = ph_sim_state(early), b = ph_sim_state(late);
                    double apart =
                        fmax(max_diff(b.q + w.nq, a.q, w.nq), max_diff(b.v + w.nv, a.v, w.nv) / 100);
                    if (!(apart <= 1e-9)) /* Newton's tolerance */
                        fail_msg("%s of %s, form %d: %g", o.method, names[n], f, apart);
                    ph_sim_destroy(late);
                    count++;
                }
                ph_sim_destroy(early);
                free(q);
                ph_problem_destroy(p);
            }
    assert_true(count >= 60); /* forms that there are */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method),    cmocka_unit_test(first_order_is_said),
        cmocka_unit_test(schemes_agree),   cmocka_unit_test(options_that_are_read),
        cmocka_unit_test(nodes_are_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
