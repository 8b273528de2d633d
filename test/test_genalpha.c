/* Generalized-alpha: a step solves (G1)-(G5), written out here with dense matrices; an oscillator is damped as the linear
 * method damps it. */
#include "sim_cases.h"

enum { MAX = 128 }; /* of every dimension below */

/* ---- equations of a step ------------------------------------------------------------------------ */

typedef struct point {
    double q[2 * MAX], v[MAX], vdot[MAX], a[MAX], lambda[MAX], eta[MAX];
    double B[MAX][MAX]; /* rows of constraints, columns of velocities */
} point;

typedef struct places {
    int nv, nl, n_links;
    ph_place link[MAX], pair[MAX];
    int n_pairs, holonomic[MAX];
} places;

static int dim_of(const ph_system *sys, int node)
{
    return ph_group_dim(sys->nodes[node].group, sys->nodes[node].n);
}

static places places_of(const ph_system *sys)
{
    places p = {.nv = ph_system_nv(sys), .nl = ph_system_nl(sys)};
    assert_true(p.nv <= MAX && p.nl <= MAX && ph_system_nq(sys) <= 2 * MAX);
    for (int i = 0; !sys->pairs && i < sys->n_nodes * sys->n_nodes; i++)
        p.pair[p.n_pairs++] = (ph_place){i / sys->n_nodes, i % sys->n_nodes};
    for (; sys->pairs && p.n_pairs < sys->n_pairs; p.n_pairs++)
        p.pair[p.n_pairs] = sys->pairs[p.n_pairs];
    for (int i = 0; !sys->links && i < sys->n_constraints * sys->n_nodes; i++)
        p.link[p.n_links++] = (ph_place){i / sys->n_nodes, i % sys->n_nodes};
    for (; sys->links && p.n_links < sys->n_links; p.n_links++)
        p.link[p.n_links] = sys->links[p.n_links];
    for (int c = 0, row = 0; c < sys->n_constraints; c++)
        for (int i = 0; i < sys->constraints[c].rows; i++)
            p.holonomic[row++] = !sys->constraints[c].nonholonomic;
    return p;
}

static point point_of(const ph_system *sys, const places *p, const ph_state *s)
{
    point x = {0};
    memcpy(x.q, s->q, sizeof(double) * (size_t)ph_system_nq(sys));
    memcpy(x.v, s->v, sizeof(double) * (size_t)p->nv),
        memcpy(x.vdot, s->vdot, sizeof(double) * (size_t)p->nv);
    memcpy(x.a, s->a, sizeof(double) * (size_t)p->nv);
    memcpy(x.lambda, s->lambda, sizeof(double) * (size_t)p->nl);
    if (s->eta)
        memcpy(x.eta, s->eta, sizeof(double) * (size_t)p->nl);
    double blocks[MAX * MAX] = {0}, *at = blocks;
    if (sys->B)
        assert_int_equal(sys->B(s, blocks, sys->ctx), PH_OK);
    for (int k = 0; k < p->n_links; k++) {
        int c = p->link[k].row, node = p->link[k].col, dim = dim_of(sys, node);
        for (int i = 0; i < sys->constraints[c].rows; i++)
            for (int j = 0; j < dim; j++)
                x.B[s->l_at[c] + i][s->v_at[node] + j] = *at++;
    }
    return x;
}

/* (G5): forces relative to their sum of sizes; holonomic rows of Phi; rows of B v + Phi_t */
static void check_balance(const ph_system *sys, const places *p, const ph_state *s, const point *x,
                          double *worst)
{
    double blocks[MAX * MAX] = {0}, g[MAX] = {0}, size[MAX] = {0}, Phi[MAX] = {0}, Phi_t[MAX] = {0},
                        *at = blocks;
    assert_int_equal(sys->M(s, blocks, sys->ctx), PH_OK);
    assert_int_equal(sys->g(s, g, sys->ctx), PH_OK);
    if (sys->Phi)
        assert_int_equal(sys->Phi(s, Phi, sys->ctx), PH_OK);
    if (sys->Phi_t)
        assert_int_equal(sys->Phi_t(s, Phi_t, sys->ctx), PH_OK);
    double scale = 0;
    for (int i = 0; i < p->nv; i++)
        size[i] = fabs(g[i]);
    for (int k = 0; k < p->n_pairs; k++) {
        int r = s->v_at[p->pair[k].row], c = s->v_at[p->pair[k].col];
        for (int i = 0; i < dim_of(sys, p->pair[k].row); i++)
            for (int j = 0; j < dim_of(sys, p->pair[k].col); j++, at++)
                g[r + i] += *at * x->vdot[c + j], size[r + i] += fabs(*at * x->vdot[c + j]);
    }
    for (int k = 0; k < p->nl; k++)
        for (int j = 0; j < p->nv; j++) {
            g[j] += x->B[k][j] * x->lambda[k], size[j] += fabs(x->B[k][j] * x->lambda[k]);
            Phi_t[k] += x->B[k][j] * x->v[j];
        }
    for (int i = 0; i < p->nv; i++)
        scale = fmax(scale, size[i]);
    for (int i = 0; i < p->nv; i++)
        worst[0] = fmax(worst[0], fabs(g[i]) / fmax(1, scale));
    for (int k = 0; k < p->nl; k++) {
        worst[1] = fmax(worst[1], p->holonomic[k] ? fabs(Phi[k]) : 0);
        worst[2] = fmax(worst[2], fabs(Phi_t[k]));
        worst[3] = fmax(worst[3], p->holonomic[k] ? 0 : fabs(Phi_t[k]));
    }
}

/* (G1)-(G4) between two points, relative to |v| and |vdot| */
static void check_update(const ph_system *sys, const ph_options *o, int inside, const ph_state *s,
                         const point *n, const point *x, double *worst)
{
    double gp = o->gamma / (o->h * o->beta), r = o->gamma / o->beta;
    for (int i = 0; i < sys->n_nodes; i++) {
        const ph_group_ops *ops = ph_group_get(sys->nodes[i].group);
        int dim = dim_of(sys, i), free = sys->nodes[i].n, at = s->v_at[i];
        double inv[MAX], step[MAX], theta[MAX], T[MAX * 8], Tw[MAX] = {0}, Pv[MAX] = {0}, Ew[MAX] = {0},
                                                            v = 1, d = 1;
        ops->inverse(free, n->q + s->q_at[i], inv);
        ops->compose(free, inv, x->q + s->q_at[i], step);
        ops->log(free, step, theta);
        ops->T(free, theta, T);
        for (int j = 0; j < dim; j++) {
            double w = (1 - r) * n->v[at + j] + o->h * (1 - r / 2) * n->a[at + j], E = 0;
            for (int k = 0; k < ph_system_nl(sys); k++)
                E += r * n->B[k][at + j] * x->eta[k];
            for (int l = 0; l < dim; l++) {
                Tw[l] += T[dim * l + j] * (w + (inside ? E : 0));
                Pv[l] += (1 - o->sigma) * T[dim * l + j] * x->v[at + j];
            }
            Pv[j] += o->sigma * x->v[at + j];
            Ew[j] += inside ? 0 : E;
            v = fmax(v, fabs(x->v[at + j])), d = fmax(d, fabs(x->vdot[at + j]));
        }
        for (int j = 0; j < dim; j++) {
            int k = at + j;
            double a1 = (x->v[k] - n->v[k]) / (o->h * o->gamma) - (1 - o->gamma) / o->gamma * n->a[k];
            double vdot1 = ((1 - o->alpha_m) * x->a[k] + o->alpha_m * n->a[k] - o->alpha_f * n->vdot[k]) /
                           (1 - o->alpha_f);
            worst[4] = fmax(worst[4], fabs(Pv[j] - gp * theta[j] - Tw[j] - Ew[j]) / v);
            worst[5] = fmax(worst[5], fabs(x->a[k] - a1) / fmax(d, v / o->h));
            worst[6] = fmax(worst[6], fabs(x->vdot[k] - vdot1) / fmax(d, v / o->h));
        }
    }
}

/* Five steps of one problem in one form */
static void check_steps(const ph_problem *p, ph_formulation form, ph_ggl_form ggl, double sigma, double rho)
{
    ph_options o = options_for(p, form);
    o.ggl_form = ggl, o.sigma = sigma, o.rho = rho, o.ggl_length = 1;
    ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
    o = ph_sim_options(sim);
    places at = places_of(&p->sys);
    ph_state s = ph_sim_state(sim);
    point n = point_of(&p->sys, &at, &s);
    double worst[7] = {0};
    for (int step = 0; step < 5; step++) {
        ph_error err = {0};
        if (ph_sim_step(sim, &err) != PH_OK)
            fail_msg("%s: %s", p->name, err.text);
        s = ph_sim_state(sim);
        point x = point_of(&p->sys, &at, &s);
        check_balance(&p->sys, &at, &s, &x, worst);
        check_update(&p->sys, &o, ggl == PH_GGL_INSIDE, &s, &n, &x, worst);
        n = x;
    }
    static const char *const what[] = {"(G5)", "Phi",  "B v + Phi_t", "non-holonomic rows",
                                       "(G2)", "(G3)", "(G4)"};
    /* Newton's tolerance, then round-off of what is differenced over h */
    const double tol[] = {
        1e-8, form == PH_INDEX2 ? HUGE_VAL : 1e-13, form == PH_INDEX3 ? HUGE_VAL : 1e-11, 1e-12, 1e-11, 1e-14,
        1e-14};
    for (int k = 0; k < 7; k++) {
        char text[128];
        snprintf(text, sizeof text, "%s, %s, sigma %g, rho %g: %s", p->name, ph_formulation_word(form),
                 o.sigma, rho, what[k]);
        check_at(worst[k], tol[k], text, __FILE__, __LINE__);
    }
    ph_sim_destroy(sim);
}

/* Every built-in problem, form, place of eta and several sigma and rho (E1), (G7), (G8) */
static void steps_solve_their_equations(void **state)
{
    (void)state;
    const double sigmas[] = {0, 1, PH_SIGMA_OPT, 0.3}, rhos[] = {0.9, 0.6, 0, 1};
    for (int k = 0;; k++) {
        ph_problem *p = small_problem(k);
        if (!p)
            break;
        for (int i = 0; i < 4; i++) {
            check_steps(p, PH_INDEX3, PH_GGL_OUTSIDE, sigmas[i], rhos[i]);
            check_steps(p, PH_INDEX2, PH_GGL_OUTSIDE, sigmas[i], rhos[i]);
            check_steps(p, PH_GGL, PH_GGL_OUTSIDE, sigmas[i], rhos[i]);
            check_steps(p, PH_GGL, PH_GGL_INSIDE, sigmas[i], rhos[i]);
        }
        ph_problem_destroy(p);
    }
}

/* ---- an oscillator ------------------------------------------------------------------------------ */

static ph_status unit_mass(const ph_state *s, double *M, void *ctx)
{
    (void)s, (void)ctx;
    M[0] = 1;
    return PH_OK;
}

static ph_status spring(const ph_state *s, double *g, void *ctx)
{
    const double *kd = ctx;
    g[0] = kd[0] * s->q[0] + kd[1] * s->v[0];
    return PH_OK;
}

/* The step of the linear method, solved for vdot1 by hand */
static void linear_step(const ph_options *o, const double *kd, double *x)
{
    double h = o->h, q = x[0], v = x[1], d = x[2], a = x[3];
    /* a1 = A vdot1 + b; q1 = q + h v + h^2 ((1/2 - beta) a + beta a1); v1 = v + h ((1 - gamma) a + gamma a1) */
    double A = (1 - o->alpha_f) / (1 - o->alpha_m), b = (o->alpha_f * d - o->alpha_m * a) / (1 - o->alpha_m);
    double q0 = q + h * v + h * h * ((0.5 - o->beta) * a + o->beta * b),
           v0 = v + h * ((1 - o->gamma) * a + o->gamma * b);
    double d1 = -(kd[0] * q0 + kd[1] * v0) / (1 + kd[0] * h * h * o->beta * A + kd[1] * h * o->gamma * A);
    double a1 = A * d1 + b;
    x[0] = q0 + h * h * o->beta * A * d1, x[1] = v0 + h * o->gamma * A * d1, x[2] = d1, x[3] = a1;
}

static ph_sim *oscillator(ph_system *sys, double *kd, double h, double rho)
{
    static const ph_node node = {.group = PH_RN, .n = 1, .name = "x"};
    const double q0 = 1, v0 = -0.5;
    ph_options o = ph_default_options();
    o.h = h, o.rho = rho, o.start = PH_PLAIN;
    *sys = (ph_system){.name = "oscillator", .n_nodes = 1, .nodes = &node, .flags = PH_MASS_CONSTANT};
    sys->M = unit_mass, sys->g = spring, sys->ctx = kd;
    return sim_of(sys, &o, &q0, &v0);
}

static void oscillators_are_those_of_the_linear_method(void **state)
{
    (void)state;
    for (int i = 0; i < 12; i++) {
        double kd[2] = {pow(10, i % 4), 0.3 * (i / 4)}, worst = 0;
        ph_system sys;
        ph_sim *sim = oscillator(&sys, kd, 0.05, 0.3 * (i % 4));
        ph_options o = ph_sim_options(sim);
        ph_state s = ph_sim_state(sim);
        double x[4] = {s.q[0], s.v[0], s.vdot[0], s.a[0]};
        for (int n = 0; n < 200; n++) {
            run_sim(sim, 1);
            linear_step(&o, kd, x);
            s = ph_sim_state(sim);
            worst = fmax(worst, fmax(fabs(s.q[0] - x[0]), fabs(s.v[0] - x[1]) / sqrt(kd[0])));
        }
        check_le(worst, 1e-12); /* round-off over 200 steps */
        ph_sim_destroy(sim);
    }
}

/* At infinite frequency all three eigenvalues of a step are -rho: so is the cube root of its determinant. */
static void rho_is_the_spectral_radius(void **state)
{
    (void)state;
    const double rhos[] = {0, 0.2, 0.5, 0.8, 0.9, 1};
    for (int i = 0; i < 6; i++) {
        double kd[2] = {1e12, 0}, A[3][3]; /* of q, h v and h^2 a, with h = 1 */
        ph_system sys;
        ph_sim *sim = oscillator(&sys, kd, 1, rhos[i]);
        ph_options o = ph_sim_options(sim);
        ph_sim_destroy(sim);
        for (int j = 0; j < 3; j++) {
            double x[4] = {j == 0, j == 1, -kd[0] * (j == 0), j == 2};
            linear_step(&o, kd, x);
            A[0][j] = x[0], A[1][j] = x[1], A[2][j] = x[3];
        }
        double det = 0;
        for (int j = 0; j < 3; j++)
            det += A[0][j] * (A[1][(j + 1) % 3] * A[2][(j + 2) % 3] - A[1][(j + 2) % 3] * A[2][(j + 1) % 3]);
        check_near(cbrt(det), -rhos[i], 1e-3); /* 1/(h^2 k), and a cube root next to 0 */
    }
}

static void parameters_are_those_of_the_scheme(void **state)
{
    (void)state;
    ph_problem *p = problem_named("pendulum");
    ph_options o = options_for(p, PH_INDEX3);
    o.rho = 0.8, o.sigma = PH_SIGMA_OPT;
    ph_sim *sim = sim_of(&p->sys, &o, p->q0, p->v0);
    ph_options r = ph_sim_options(sim);
    check_near(r.alpha_m, 0.6 / 1.8, 1e-16); /* round-off, and so all below */
    check_near(r.alpha_f, 0.8 / 1.8, 1e-16);
    check_near(r.gamma, 0.5 + 0.2 / 1.8, 1e-15);
    check_near(r.beta, 0.25 * pow(1 + 0.2 / 1.8, 2), 1e-15);
    check_near(r.sigma, r.gamma / (3 * r.beta), 1e-15);
    ph_sim_destroy(sim);
    o.scheme = PH_HHT, o.hht_alpha = 0.1, o.sigma = 1;
    sim = sim_of(&p->sys, &o, p->q0, p->v0);
    r = ph_sim_options(sim);
    check_near(r.alpha_m, 0, 0); /* exact */
    check_near(r.gamma, 0.6, 1e-16);
    check_near(r.beta, 0.25 * 1.1 * 1.1, 1e-16);
    ph_sim_destroy(sim);
    const ph_options wrong[] = {{.scheme = PH_CHUNG_HULBERT, .rho = 1.1},
                                {.scheme = PH_HHT, .hht_alpha = 0.4},
                                {.scheme = PH_NEWMARK, .beta = 0, .gamma = 0.5},
                                {.scheme = PH_FOUR_NUMBERS, .alpha_m = 1, .beta = 0.25, .gamma = 0.5},
                                {.scheme = PH_NEWMARK, .beta = 0.25, .gamma = 0},
                                {.scheme = PH_NEWMARK, .beta = INFINITY, .gamma = 0.5},
                                {.scheme = PH_NEWMARK, .beta = 0.25, .gamma = INFINITY},
                                {.scheme = PH_FOUR_NUMBERS, .alpha_m = -INFINITY, .beta = 0.25, .gamma = 0.5},
                                {.scheme = PH_FOUR_NUMBERS, .alpha_f = 1, .beta = 0.25, .gamma = 0.5},
                                {.scheme = PH_FOUR_NUMBERS, .alpha_f = -INFINITY, .beta = 0.25, .gamma = 0.5},
                                {.scheme = PH_HHT, .hht_alpha = -0.1}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        ph_error err = {0};
        o.scheme = wrong[k].scheme, o.rho = wrong[k].rho, o.hht_alpha = wrong[k].hht_alpha,
        o.beta = wrong[k].beta;
        o.gamma = wrong[k].gamma, o.alpha_m = wrong[k].alpha_m, o.alpha_f = wrong[k].alpha_f;
        assert_int_equal(ph_sim_create(&sim, &p->sys, &o, 0, p->q0, p->v0, &err), PH_E_INPUT);
        assert_true(strlen(err.text) > 10);
    }
    ph_problem_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_solve_their_equations),
        cmocka_unit_test(oscillators_are_those_of_the_linear_method),
        cmocka_unit_test(rho_is_the_spectral_radius),
        cmocka_unit_test(parameters_are_those_of_the_scheme),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
