/* Flexible bodies in motion: what is kept, spin-up, pendulum and slider-crank against an independent
 * program, and the order of methods where markers carry joints. */
#include "fe_beam.h"
#include "polhode/sim.h"

static fe_beam beam; /* large */
static double Psi[FE_DOF * FLEX_MODES];

enum { BEND_Y = 1, SUPPORTED = 2 }; /* what modes are made of: bending in the plane x y; held at both ends */

/* Modes of the beam as it is filled in, clamped at the first node or supported at both. */
static void open_body(flex *x, int elements, int modes, int kind, int tip, int stiffen)
{
    unsigned char is_free[FE_DOF] = {0};
    double omega[FLEX_MODES];
    fe_build(&beam, elements);
    for (int i = 0; i < beam.dof; i++) {
        int node = i / 6, a = i % 6, end = node == 0 || node == elements;
        is_free[i] = kind & SUPPORTED ? !end || a == 5 : node > 0;
        if (kind && a != 1 && a != 5)
            is_free[i] = 0;
    }
    fe_modes(&beam, is_free, modes, Psi, omega);
    fe_reduce(&beam, Psi, modes, (int[]){0, tip}, 2, stiffen, x);
}

/* A steel bar of 10 mm, 1 m long. */
static void bar(double rhoI)
{
    beam = (fe_beam){.L = 1, .EA = 2.1e7, .EI = 175, .GJ = 135, .rhoA = 0.785};
    beam.rhoJ = 1.30833333e-5, beam.rhoI = rhoI;
}

/* ---- a system of one body, markers of which may be pinned to the ground --------------------------- */

typedef struct supported_body {
    ph_system sys;
    flex x;
    ph_node node[3];
    ph_constraint constraint;
    ph_vec3 gravity, at;
    int marker; /* which is pinned */
} supported_body;

static void site_of(const supported_body *h, const ph_state *s, ph_modal_site *m)
{
    *m = (ph_modal_site){
        .r = &h->x.r, .gravity = h->gravity, .a = ph_state_vdot(s, 0, 0), .wdot = ph_state_vdot(s, 1, 0)};
    m->k = (ph_kin){.x = ph_state_x(s, 0), .v = ph_state_v(s, 0, 0), .w = ph_state_v(s, 1, 0)};
    m->k.q = ph_quat_load(s->q + s->q_at[1]), m->k.R = ph_state_R(s, 1);
    m->zeta = s->q + s->q_at[2], m->zdot = s->v + s->v_at[2], m->zddot = s->vdot + s->v_at[2];
}

/* A dense matrix, rows x n, in blocks of the nodes. */
static void to_blocks(const double *A, int rows, int n, int split, double *out)
{
    const int at[4] = {0, 3, 6, n};
    for (int i = 0; i < (split ? 3 : 1); i++)
        for (int j = 0; j < 3; j++)
            for (int a = split ? at[i] : 0; a < (split ? at[i + 1] : rows); a++)
                for (int c = at[j]; c < at[j + 1]; c++)
                    *out++ = A[a * n + c];
}

typedef void (*matrix_fn)(const ph_modal_site *, double *);

static ph_status square(const ph_state *s, double *out, void *ctx, matrix_fn f, int fold)
{
    const supported_body *h = ctx;
    ph_modal_site m;
    double A[FLEX_N * FLEX_N], force[6] = {0};
    site_of(h, s, &m);
    f(&m, A);
    if (fold && h->sys.n_constraints) {
        ph_store3(force, ph_state_lambda(s, 0));
        ph_marker_fold(&m, h->marker, force, A);
    }
    to_blocks(A, 0, 6 + h->x.r.modes, 1, out);
    return PH_OK;
}

static ph_status body_M(const ph_state *s, double *out, void *ctx)
{
    return square(s, out, ctx, ph_modal_M, 0);
}

static ph_status body_C(const ph_state *s, double *out, void *ctx)
{
    return square(s, out, ctx, ph_modal_C, 0);
}

static ph_status body_K(const ph_state *s, double *out, void *ctx)
{
    return square(s, out, ctx, ph_modal_K, 1);
}

static ph_status body_g(const ph_state *s, double *out, void *ctx)
{
    ph_modal_site m;
    site_of(ctx, s, &m);
    ph_modal_g(&m, out);
    return PH_OK;
}

static ph_status pin_Phi(const ph_state *s, double *out, void *ctx)
{
    const supported_body *h = ctx;
    ph_modal_site m;
    ph_kin k;
    site_of(h, s, &m);
    ph_marker_kin(&m, h->marker, &k);
    ph_store3(out, ph_sub(k.x, h->at));
    return PH_OK;
}

static void pin_rows(const ph_state *s, double *out, void *ctx, int rate)
{
    const supported_body *h = ctx;
    ph_modal_site m;
    double D[6 * FLEX_N], V[6 * FLEX_N];
    site_of(h, s, &m);
    ph_marker_chain(&m, h->marker, D, V);
    to_blocks(rate ? V : D, 3, 6 + h->x.r.modes, 0, out);
}

static ph_status pin_B(const ph_state *s, double *out, void *ctx)
{
    pin_rows(s, out, ctx, 0);
    return PH_OK;
}

static ph_status pin_Z(const ph_state *s, double *out, void *ctx)
{
    pin_rows(s, out, ctx, 1);
    return PH_OK;
}

static ph_status pin_convective(const ph_state *s, double *out, void *ctx)
{
    const supported_body *h = ctx;
    const double none[FLEX_MODES] = {0};
    ph_modal_site m;
    ph_vec3 a, omega_dot;
    site_of(h, s, &m);
    m.a = m.wdot = ph_v3(0, 0, 0), m.zddot = none;
    ph_marker_acceleration(&m, h->marker, &a, &omega_dot);
    ph_store3(out, a);
    return PH_OK;
}

/* pinned: the marker that is, at a place; -1: none */
static void support(supported_body *h, int pinned, ph_vec3 at)
{
    h->node[0] = (ph_node){PH_RN, 3, "x"}, h->node[1] = (ph_node){PH_SO3, 0, "R"};
    h->node[2] = (ph_node){PH_RN, h->x.r.modes, "zeta"};
    h->constraint = (ph_constraint){3, 0, "pin"};
    h->marker = pinned, h->at = at;
    h->sys = (ph_system){
        .n_nodes = 3, .nodes = h->node, .M = body_M, .g = body_g, .C = body_C, .K = body_K, .ctx = h};
    if (pinned < 0)
        return;
    h->sys.n_constraints = 1, h->sys.constraints = &h->constraint;
    h->sys.Phi = pin_Phi, h->sys.B = pin_B, h->sys.Z = pin_Z, h->sys.convective = pin_convective;
}

enum { FLEX_Q = 7 + FLEX_MODES };

/* Integrate from q, v; the state at the end replaces them. lambda: 3, or NULL */
static void integrate(const supported_body *h, const ph_options *opt, long steps, double *q, double *v,
                      double *lambda)
{
    ph_sim *sim;
    ph_error err = {0};
    if (ph_sim_create(&sim, &h->sys, opt, 0, q, v, &err) != PH_OK ||
        ph_sim_run(sim, steps, NULL, NULL, &err) != PH_OK)
        fail_msg("%s", err.text);
    ph_state s = ph_sim_state(sim);
    memcpy(q, s.q, sizeof(double) * (size_t)(7 + h->x.r.modes));
    memcpy(v, s.v, sizeof(double) * (size_t)(6 + h->x.r.modes));
    if (lambda)
        memcpy(lambda, s.lambda, sizeof(double) * 3);
    ph_sim_destroy(sim);
}

static void instant_from(instant *a, const supported_body *h, const double *q, const double *v)
{
    int f = h->x.r.modes;
    memset(a, 0, sizeof *a);
    a->s.r = &h->x.r, a->s.gravity = h->gravity;
    a->s.k.x = ph_load3(q), a->s.k.q = ph_quat_load(q + 3), a->s.k.v = ph_load3(v),
    a->s.k.w = ph_load3(v + 3);
    memcpy(a->zeta, q + 7, sizeof(double) * (size_t)f), memcpy(a->zdot, v + 6, sizeof(double) * (size_t)f);
    instant_link(a);
}

/* ---- free flight ---------------------------------------------------------------------------------- */

/* Energy, momentum, angular momentum about the origin of the world. */
static void kept(const instant *a, double *out)
{
    int n = 6 + a->s.r->modes;
    double M[FLEX_N * FLEX_N], v[FLEX_N], vdot[FLEX_N], p[6] = {0};
    ph_modal_M(&a->s, M);
    instant_v(a, v, vdot);
    for (int i = 0; i < 6 * n; i++)
        p[i / n] += M[i] * v[i % n];
    out[0] = ph_modal_kinetic(&a->s) + ph_modal_potential(&a->s);
    ph_store3(out + 1, ph_load3(p));
    ph_store3(out + 4, ph_add(ph_mul(a->s.k.R, ph_load3(p + 3)), ph_cross(a->s.k.x, ph_load3(p))));
}

static ph_options runge_kutta(const char *tableau, double h)
{
    ph_options o = ph_default_options();
    o.method = "rkmk", o.tableau = tableau, o.h = h;
    return o;
}

static const double flight_v[6] = {.5, .2, -.3, 3, 5, 8};

/* A bar that tumbles: energy and both momenta stay, with the stiffness of tension and without. reference:
 * energy and momenta at the start. */
static void free_body_keeps_energy_and_momentum(void **state)
{
    (void)state;
    const double want[7] = {13.010125541667, 0.3925, 3.297, -2.198, 3.925e-5, 1.42608333, 2.17183333};
    for (int stiffen = 0; stiffen < 2; stiffen++) {
        supported_body h = {0};
        instant a;
        double q[2][FLEX_Q] = {{0}}, v[2][FLEX_N] = {{0}}, start[7], end[7];
        bar(0);
        open_body(&h.x, 10, 4, 0, 10, stiffen);
        support(&h, -1, ph_v3(0, 0, 0));
        for (int k = 0; k < 2; k++) {
            q[k][3] = 1;
            memcpy(v[k], flight_v, sizeof flight_v);
            instant_from(&a, &h, q[k], v[k]);
            kept(&a, start);
            check_le(max_diff(start, want, 7), 1e-8); /* reference: printed digits */
            ph_options o = runge_kutta(k ? "gauss4" : "dopri8", k ? 1. / 1000 : 1. / 2000);
            integrate(&h, &o, k ? 500 : 1000, q[k], v[k], NULL);
            instant_from(&a, &h, q[k], v[k]);
            kept(&a, end);
            check_le(max_diff(start, end, 7), 1e-10); /* invariant */
        }
        check_le(max_diff(q[0], q[1], 7 + h.x.r.modes), 1e-7); /* two methods */
    }
}

/* reference: an independent program, six modes, 0.2 s */
static void free_body_flies(void **state)
{
    (void)state;
    supported_body h = {0};
    instant a;
    ph_kin tip;
    double q[FLEX_Q] = {0, 0, 0, 1}, v[FLEX_N] = {0};
    bar(0);
    open_body(&h.x, 10, 6, 0, 10, 0);
    support(&h, -1, ph_v3(0, 0, 0));
    memcpy(v, flight_v, sizeof flight_v);
    ph_options o = runge_kutta("dopri8", 1. / 4000);
    integrate(&h, &o, 800, q, v, NULL);
    instant_from(&a, &h, q, v);
    ph_marker_kin(&a.s, 1, &tip);
    check_le(ph_norm(ph_sub(tip.x, ph_v3(0.44463011, 1.24302927, -0.81184811))),
             2e-8); /* reference: printed digits */
}

/* The spin of a rod about its own axis is not changed by its bending, since the moments of inertia about the
 * other two are the same, and nothing twists it. reference: an independent program, 10 elements, whose
 * numbers change by 2e-10 with 20 elements */
static void tumbling_rod_keeps_its_spin(void **state)
{
    (void)state;
    supported_body h = {0};
    double q[FLEX_Q] = {0, 0, 0, 1}, v[FLEX_N] = {0};
    bar(0);
    beam.slopes = 1;
    open_body(&h.x, 10, 4, 0, 10, 0);
    fe_balance(&h.x);
    support(&h, -1, ph_v3(0, 0, 0));
    memcpy(v, flight_v, sizeof flight_v);
    ph_options o = runge_kutta("dopri8", 1. / 4000);
    integrate(&h, &o, 2000, q, v, NULL);
    check_le(max_diff(q, (double[]){0.7476992096, 2.5239777809, -1.6650236738}, 3),
             2e-10); /* printed digits */
    check_near(v[3], 3, 1e-10);
}

/* A constant velocity changes nothing that is seen from a point which has it too. */
static void speed_does_not_matter(void **state)
{
    (void)state;
    for (int stiffen = 0; stiffen < 2; stiffen++) {
        flex x;
        instant a;
        double g[FLEX_N], fast[FLEX_N];
        uint64_t seed = 8;
        bar(0);
        open_body(&x, 10, 6, 0, 10, stiffen);
        fe_balance(&x);
        instant_random(&a, &x.r, &seed);
        ph_modal_g(&a.s, g);
        a.s.k.v = ph_add(a.s.k.v, ph_v3(100, -200, 300));
        ph_modal_g(&a.s, fast);
        check_le(max_diff(g, fast, 12), 1e-11); /* round-off: products of size 1000 */
    }
}

/* ---- frames that are driven ----------------------------------------------------------------------- */

/* Motion of the frame, and the force on the second marker, in the world. */
typedef struct drive {
    void (*frame)(double t, ph_modal_site *s, ph_vec3 *force);
    flex *x;
} drive;

/* zetaddot of M vdot + g = D^T F, where the frame moves as it is driven; state: zeta, zetadot */
static void rate_of(const drive *d, double t, const double *y, double *rate)
{
    int f = d->x->r.modes, n = 6 + f;
    double M[FLEX_N * FLEX_N], g[FLEX_N], A[FLEX_MODES * FLEX_MODES], D[6 * FLEX_N], V[6 * FLEX_N], acc[6],
        F[3];
    ph_modal_site s = {.r = &d->x->r, .zeta = y, .zdot = y + f};
    ph_vec3 force = ph_v3(0, 0, 0);
    d->frame(t, &s, &force);
    s.k.R = ph_qmat(s.k.q);
    ph_store3(acc, s.a), ph_store3(acc + 3, s.wdot), ph_store3(F, force);
    ph_modal_M(&s, M);
    ph_modal_g(&s, g);
    ph_marker_chain(&s, 1, D, V);
    for (int i = 0; i < f; i++) {
        rate[i] = y[f + i], rate[f + i] = -g[6 + i];
        for (int j = 0; j < 6; j++)
            rate[f + i] -= M[(6 + i) * n + j] * acc[j];
        for (int j = 0; j < 3; j++)
            rate[f + i] += D[j * n + 6 + i] * F[j];
        for (int j = 0; j < f; j++)
            A[i * f + j] = M[(6 + i) * n + 6 + j];
    }
    assert_true(ph_small_solve(f, 1, A, rate + f));
}

/* One step of the classical Runge-Kutta method. */
static void driven_step(const drive *d, double t, double h, double *y)
{
    static const double c[] = {0, 0.5, 0.5, 1}, weight[] = {1 / 6., 1 / 3., 1 / 3., 1 / 6.};
    int n = 2 * d->x->r.modes;
    double k[2 * FLEX_MODES] = {0}, at[2 * FLEX_MODES], sum[2 * FLEX_MODES] = {0};
    for (int stage = 0; stage < 4; stage++) {
        for (int i = 0; i < n; i++)
            at[i] = y[i] + c[stage] * h * k[i];
        rate_of(d, t + c[stage] * h, at, k);
        for (int i = 0; i < n; i++)
            sum[i] += weight[stage] * k[i];
    }
    for (int i = 0; i < n; i++)
        y[i] += h * sum[i];
}

/* Deflection y of a node of the beam */
static double deflection(const flex *x, int node, const double *zeta)
{
    double u = 0;
    for (int k = 0; k < x->r.modes; k++)
        u += Psi[(6 * node + 1) * x->r.modes + k] * zeta[k];
    return u;
}

/* 6 rad/s in 15 s, about z */
static void spin_up(double t, ph_modal_site *s, ph_vec3 *force)
{
    double w = 2 * acos(-1) / 15, psi = 0.4 * (t * t / 2 + (cos(w * t) - 1) / (w * w));
    (void)force;
    s->k.q = turn_about(ph_v3(0, 0, 1), psi);
    s->k.w = ph_v3(0, 0, 0.4 * (t - sin(w * t) / w)), s->wdot = ph_v3(0, 0, 0.4 * (1 - cos(w * t)));
}

static void open_spin_up(flex *x, int elements, int modes, int stiffen)
{
    beam = (fe_beam){.L = 10, .EA = 2.8e7, .EI = 1.4e4, .GJ = 1.4e4, .rhoA = 1.2, .rhoJ = 1.2e-3};
    open_body(x, elements, modes, BEND_Y, elements, stiffen);
}

/* Least deflection of the tip. */
static double spin_up_least(const flex *x)
{
    double y[2 * FLEX_MODES] = {0}, least = 0, h = 1e-3;
    const drive d = {spin_up, (flex *)x};
    for (int i = 0; i < 7000; i++) {
        driven_step(&d, i * h, h, y);
        least = fmin(least, deflection(x, beam.elements, y));
    }
    return least;
}

/* Stress stiffness of the tension of the continuum, rhoA/2 (L^2 - x^2), instead of its means: Gauss, four
 * points */
static void tension_of_continuum(flex *x)
{
    static const double at[] = {0.069431844202973712, 0.33000947820757187, 0.66999052179242813,
                                0.93056815579702629},
                        weight[] = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307,
                                    0.17392742256872693};
    int f = x->r.modes;
    double l = beam.l, *KG = x->KG + (PH_KG_SPINS + 2) * f * f;
    memset(KG, 0, sizeof(double) * (size_t)(f * f));
    for (int e = 0; e < beam.elements; e++)
        for (int p = 0; p < 4; p++) {
            double s = at[p], X = (e + s) * l, N = beam.rhoA / 2 * (beam.L * beam.L - X * X),
                   v[FLEX_MODES] = {0};
            const double slope[4] = {6 * (s * s - s) / l, 1 - 4 * s + 3 * s * s, 6 * (s - s * s) / l,
                                     3 * s * s - 2 * s};
            for (int i = 0; i < 4 * f; i++)
                v[i % f] += slope[i / f] * Psi[fe_at(e, 0, i / f) * f + i % f];
            for (int i = 0; i < f * f; i++)
                KG[i] += weight[p] * l * N * v[i / f] * v[i % f];
        }
}

/* The tip lags behind; with the stiffness of tension it comes back. reference: an independent program,
 * whose stiffness is Omega^2 KG. The momentum of the body on average (X11), and not that of its frame, is
 * there too: at a deflection of 6 % that is 6.6e-4, whatever elements and modes. The geometrically exact
 * beam has -0.573835. */
static void centrifugal_forces_stiffen(void **state)
{
    (void)state;
    numbers_alone();
    static const struct {
        int elements, modes;
        double least;
    } want[] = {{10, 2, -0.573880},
                {10, 4, -0.574701},
                {10, 8, -0.574744},
                {10, 5, -0.57474917},
                {20, 5, -0.57447120}};
    flex x;
    double own[2];
    for (int n = 0; n < 5; n++) {
        open_spin_up(&x, want[n].elements, want[n].modes, 1);
        if (n >= 3)
            own[n - 3] = spin_up_least(&x);
        tension_of_continuum(&x);
        check_near(spin_up_least(&x), want[n].least - 6.57e-4,
                   1e-5); /* reference, less a constant of third order */
    }
    check_near((4 * own[1] - own[0]) / 3, -0.573835, 1.3e-3); /* reference: the exact beam; 0.2 % */
}

/* Without it the beam bends away without limit once the spin is above the first frequency: the same
 * program */
static void without_stiffening_the_beam_bends_away(void **state)
{
    (void)state;
    static const double t[] = {5, 7.5, 10, 15}, want[] = {-0.521913, -1.467, -72.9, -8.4e10},
                        tol[] = {5e-7, 5e-4, 0.05, 5e8};
    flex x;
    double y[2 * FLEX_MODES] = {0}, h = 1e-3;
    open_spin_up(&x, 10, 8, 0);
    const drive d = {spin_up, &x};
    for (int i = 0, k = 0; i < 15000; i++) {
        driven_step(&d, i * h, h, y);
        if (fabs((i + 1) * h - t[k]) < h / 2)
            check_near(deflection(&x, 10, y), want[k], tol[k]), k++; /* reference: printed digits */
    }
}

/* Crank of 0.15 m at 150 rad/s, rod of 0.3 m; frame at the crank pin, along the rod. The force at the
 * slider pin is that of a rigid rod of mass m with a slider. */
static void slider_crank(double t, ph_modal_site *s, ph_vec3 *force)
{
    const double r = 0.15, l = 0.3, w = 150, m = 0.222519008 * l, slider = 0.033;
    double phi = w * t, sb = -r / l * sin(phi), cb = sqrt(1 - sb * sb);
    double b1 = -r / l * w * cos(phi) / cb, b2 = (r / l * w * w * sin(phi) + sb * b1 * b1) / cb;
    s->k.x = ph_v3(r * cos(phi), r * sin(phi), 0), s->k.v = ph_v3(-r * w * sin(phi), r * w * cos(phi), 0);
    s->a = ph_scale(-w * w, s->k.x);
    s->k.q = turn_about(ph_v3(0, 0, 1), atan2(sb, cb));
    s->k.w = ph_v3(0, 0, b1), s->wdot = ph_v3(0, 0, b2);
    double end = s->a.x - l * (b2 * sb + b1 * b1 * cb); /* acceleration of the slider */
    double moment = m * l * l / 3 * b2 + m * l / 2 * (cb * s->a.y - sb * s->a.x);
    *force = ph_v3(-slider * end, (moment / l - sb * slider * end) / cb, 0);
}

static void open_rod(flex *x, int elements, int modes, int stiffen)
{
    beam =
        (fe_beam){.L = 0.3, .EA = 5654866.78, .EI = 12.7234502, .GJ = 9.8, .rhoA = 0.222519008, .rhoJ = 1e-6};
    open_body(x, elements, modes, BEND_Y | SUPPORTED, elements, stiffen);
}

/* Deflection in the middle over the length after each eighth of a turn; the largest, and where, of a turn. */
static void turn_crank(const flex *x, int steps, double *eighth, double *peak, double *at)
{
    double y[2 * FLEX_MODES] = {0}, h = 2 * acos(-1) / 150 / steps;
    const drive d = {slider_crank, (flex *)x};
    *peak = 0;
    for (int i = 0; i < steps; i++) {
        driven_step(&d, i * h, h, y);
        double u = deflection(x, beam.elements / 2, y) / 0.3;
        if ((i + 1) % (steps / 8) == 0)
            eighth[(i + 1) / (steps / 8) - 1] = u;
        if (fabs(u) > fabs(*peak))
            *peak = u, *at = (i + 1.) / steps;
    }
}

static void slider_crank_turns(void **state)
{
    (void)state;
    numbers_alone();
    static const double ten[] = {1.85005572e-2,  1.81408636e-3,  1.83119726e-4,  4.60507457e-3,
                                 -3.64560149e-3, -8.47687670e-3, -1.01590827e-2, 4.69999596e-4},
                        twenty[] = {1.84315399e-2,  1.83066812e-3,  2.13864310e-4,  4.58598053e-3,
                                    -3.66394220e-3, -8.46380576e-3, -1.01229629e-2, 4.62697205e-4};
    static const double sines[] = {1.84085375e-2,  1.83624454e-3,  2.23981441e-4,  4.57964392e-3,
                                   -3.66982512e-3, -8.45964918e-3, -1.01110991e-2, 4.60580326e-4};
    flex x;
    double u[8], peak, at;
    open_rod(&x, 10, 5, 0);
    turn_crank(&x, 16000, u, &peak, &at);
    check_le(max_diff(u, ten, 8), 1e-6 * peak); /* reference: an independent program */
    check_near(peak, 1.8856e-2, 5e-7);
    check_near(at, 0.1345, 2e-4); /* read from a table of coarse steps */
    open_rod(&x, 20, 5, 0);
    turn_crank(&x, 16000, u, &peak, &at);
    check_le(max_diff(u, twenty, 8), 1e-6 * peak);
    open_rod(&x, 10, 5, 0);
    fe_balance(&x);
    turn_crank(&x, 16000, u, &peak, &at);
    check_le(max_diff(u, sines, 8), 4e-4 * peak); /* reference: sine modes; 5e-3 without (X9) */
    open_rod(&x, 10, 5, 1);
    turn_crank(&x, 16000, u, &peak, &at);
    check_near(peak, 1.5495e-2, 5e-6); /* reference; a geometrically exact beam has 1.5422e-2 */
    check_near(at, 0.1295, 3e-4);
}

/* ---- pendulums ------------------------------------------------------------------------------------ */

/* A bar on a pin at the origin, let go from the horizontal: tip and angle of the frame. */
static void swing(int modes, double rhoI, int stiffen, double t, double *tip, double *angle)
{
    supported_body h = {.gravity = {0, -9.81, 0}};
    instant a;
    ph_kin k;
    double q[FLEX_Q] = {0, 0, 0, 1}, v[FLEX_N] = {0};
    bar(rhoI);
    open_body(&h.x, 10, modes, BEND_Y, 10, stiffen);
    support(&h, 0, ph_v3(0, 0, 0));
    int steps = (int)lround(t * 8000);
    ph_options o = runge_kutta("dopri8", t / steps);
    integrate(&h, &o, steps, q, v, NULL);
    instant_from(&a, &h, q, v);
    ph_marker_kin(&a.s, 1, &k);
    tip[0] = k.x.x, tip[1] = k.x.y;
    *angle = 2 * atan2(q[6], q[3]);
}

static void pendulum_swings(void **state)
{
    (void)state;
    numbers_alone();
    static const struct {
        int modes;
        double t, tip[2], angle;
    } want[] = {{6, 0.25, {0.8975576337, -0.4408971983}, -0.4568106846},
                {6, 0.50, {-0.0901995115, -0.9959237186}, -1.6611907340},
                {2, 0.50, {-0.0901771924, -0.9959257425}, NAN},
                {2, 1.00, {-0.9999668911, -0.0081386673}, NAN},
                {4, 1.00, {-0.9999667053, -0.0081607884}, NAN}};
    double tip[2], angle;
    for (int n = 0; n < 5; n++) {
        swing(want[n].modes, 0, 0, want[n].t, tip, &angle);
        check_le(max_diff(tip, want[n].tip, 2), 1e-9); /* reference: an independent program */
        if (!isnan(want[n].angle))
            check_near(angle, want[n].angle, 1e-9);
    }
    static const double beam_tip[][3] = {{0.2, 0.9573075562, -0.2890715218},
                                         {0.25, 0.8975642548, -0.4408842025},
                                         {0.5, -0.0901225766, -0.9959312190}};
    for (int n = 0; n < 3; n++) {
        swing(6, 6.541667e-6, 1, beam_tip[n][0], tip, &angle);
        check_le(max_diff(tip, beam_tip[n] + 1, 2),
                 3e-6); /* reference: a geometrically exact beam, good to 3e-6 */
    }
}

/* The mass matrix stays positive definite, however many clamped modes there are: they nearly move as the
 * frame does, so that its smallest eigenvalues are small, and displacements of second order must not take
 * them below 0. */
static void mass_is_positive(void **state)
{
    (void)state;
    for (int modes = 4; modes <= 12; modes += 4)
        for (int k = 1; k <= 3; k++) {
            flex x;
            instant a = {.s.k.q = {1, 0, 0, 0}};
            double M[FLEX_N * FLEX_N];
            bar(6.54e-6);
            open_body(&x, 10, modes, 0, 10, 1);
            fe_balance(&x);
            a.s.r = &x.r;
            for (int i = 0; i < modes; i++)
                a.zeta[i] = 0.007 * k / ((1 + i) * (1 + i)); /* tip: up to 0.05 of the length */
            instant_link(&a);
            ph_modal_M(&a.s, M);
            fe_cholesky(6 + modes, M); /* it fails where a pivot is not above 0 */
        }
}

/* A soft beam that hangs on its tip, with the stiffness of tension, and turns about all axes. */
static void open_hanging(supported_body *h, double *q, double *v)
{
    const ph_vec3 tip = ph_v3(1, 0, 0), w = ph_v3(1, 2, -1.5);
    *h = (supported_body){.gravity = {0.3, -9.81, 2}};
    beam = (fe_beam){.L = 1, .EA = 300, .EI = 4, .GJ = 3, .rhoA = 1, .rhoJ = 0.05};
    open_body(&h->x, 6, 4, 0, 6, 1);
    support(h, 1, tip);
    memset(q, 0, sizeof(double) * FLEX_Q), memset(v, 0, sizeof(double) * FLEX_N);
    q[3] = 1;
    ph_store3(v, ph_cross(tip, w)), ph_store3(v + 3, w);
}

static void callbacks_have_right_tangents(void **state)
{
    (void)state;
    supported_body h;
    double q[FLEX_Q], v[FLEX_N], vdot[FLEX_N], lambda[3] = {1, -2, 3};
    uint64_t seed = 7;
    ph_check worst;
    ph_error err = {0};
    open_hanging(&h, q, v);
    ph_quat_store(q + 3, rnd_turn(3, &seed));
    for (int i = 0; i < h.x.r.modes; i++)
        q[7 + i] = 0.05 * rnd(&seed), v[6 + i] = 0.1 * rnd(&seed);
    for (int i = 0; i < 6 + h.x.r.modes; i++)
        vdot[i] = rnd(&seed);
    assert_int_equal(ph_system_check(&h.sys, 0, q, v, vdot, lambda, &worst, &err), PH_OK);
    check_le(worst.error, 1e-6); /* derivative: central differences */
}

/* Order from the differences of three step sizes. */
static double order_of(const double *a, const double *b, const double *c, int n)
{
    double ab = 0, bc = 0;
    for (int i = 0; i < n; i++)
        ab += (a[i] - b[i]) * (a[i] - b[i]), bc += (b[i] - c[i]) * (b[i] - c[i]);
    return log2(sqrt(ab / bc));
}

/* Order 2 of coordinates, velocities and multipliers, index-3 and stabilised, sigma 0 and 1. */
static void markers_carry_joints(void **state)
{
    (void)state;
    numbers_alone();
    for (int k = 0; k < 4; k++) {
        double q[4][FLEX_Q], v[4][FLEX_N], lambda[4][3];
        supported_body h;
        for (int i = 0; i < 4; i++) {
            ph_options o = ph_default_options();
            int steps = 1024 << i;
            o.h = 0.5 / steps, o.rho = 0.8, o.sigma = k % 2, o.formulation = k / 2 ? PH_GGL : PH_INDEX3;
            open_hanging(&h, q[i], v[i]);
            integrate(&h, &o, steps, q[i], v[i], lambda[i]);
        }
        for (int i = 0; i < 2; i++) {
            int n = h.x.r.modes;
            check_near(order_of(q[i], q[i + 1], q[i + 2], 7 + n), 2, 0.15); /* order */
            check_near(order_of(v[i], v[i + 1], v[i + 2], 6 + n), 2, 0.15);
            check_near(order_of(lambda[i], lambda[i + 1], lambda[i + 2], 3), 2, 0.15);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_body_keeps_energy_and_momentum),
        cmocka_unit_test(free_body_flies),
        cmocka_unit_test(tumbling_rod_keeps_its_spin),
        cmocka_unit_test(speed_does_not_matter),
        cmocka_unit_test(centrifugal_forces_stiffen),
        cmocka_unit_test(without_stiffening_the_beam_bends_away),
        cmocka_unit_test(slider_crank_turns),
        cmocka_unit_test(pendulum_swings),
        cmocka_unit_test(mass_is_positive),
        cmocka_unit_test(callbacks_have_right_tangents),
        cmocka_unit_test(markers_carry_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
