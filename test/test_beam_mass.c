/* Beams with mass: inertia against Hamel's equations and against rigid bodies, momentum, frequencies, initial
 * velocities, orders in time, and elements that turn too far. Tangents in every space are in test_mech. */
#include "mech_cases.h"
#include "model_file.h"
#include "polhode/equilibrium.h"

static const ph_space_code spaces[] = {PH_SPACE_R3XSO3, PH_SPACE_SE3, PH_SPACE_EULER, PH_SPACE_CARDAN};
static const char *const masses[] = {"lumped", "linear", "helicoidal"};

/* 2 kg/m, centre of mass at (0.1, 0.2, -0.3) of the section */
static const double offset[36] = {2, 0,  0,  0, -.6, -.4, 0,   2, 0,   .6, 0, .2, 0,   0,  2, .4, -.2, 0,
                                  0, .6, .4, 3, .1,  .2,  -.6, 0, -.2, .1, 2, .3, -.4, .2, 0, .2, .3,  4};
static const double unit6[36] = {1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
                                 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1};

/* One element between bare nodes, anywhere, in motion. */
static void open_element(kit *k, fixture *r, ph_space_code space, int mass, ph_vec3 gravity, uint64_t *seed)
{
    kit_open(k);
    k->m.gravity = gravity;
    kit_random_body(k, "one", seed);
    kit_random_body(k, "two", seed);
    k->body[0].R = rnd_turn(3, seed);
    k->body[1].R = ph_qmul(k->body[0].R, rnd_turn(0.5, seed));
    k->body[0].bare = k->body[1].bare = 1;
    ph_force_def *f = kit_force(k, "element", PH_F_BEAM, 0, 1);
    f->K6 = unit6, f->M6 = offset, f->mass_model = mass;
    fixture_open(r, &k->m, space);
    for (int b = 0; b < 2; b++) {
        ph_kin at = {.x = ph_add(k->body[b].x, rnd3(seed))};
        at.q = ph_qmul(k->body[b].R, rnd_turn(1, seed));
        at.v = rnd3(seed), at.w = rnd3(seed);
        fixture_set(r, b, at);
    }
}

/* ---- inertia ----------------------------------------------------------------------------------------- */

/* v^T M v of a state */
static double twice_kinetic(fixture *r, const ph_state *s, const double *v)
{
    double sum = 0;
    fixture_spread(r, r->sys->M, s, 0, 0, r->M);
    for (int i = 0; i < r->nv; i++)
        for (int j = 0; j < r->nv; j++)
            sum += v[i] * r->M[i * r->nv + j] * v[j];
    return sum;
}

/* g = M' v - hat(v)^T M v - d(v^T M v/2)/dq, from M alone, on SE(3); forces at rest are taken off (B9), (B10) */
static void inertia_is_that_of_hamel(void **state)
{
    (void)state;
    uint64_t seed = 1;
    const ph_group_ops *op = ph_group_get(PH_SE3);
    for (int trial = 0; trial < 12; trial++) {
        kit k;
        fixture r;
        double want[12] = {0}, v[12], p[12] = {0}, still[12];
        open_element(&k, &r, PH_SPACE_SE3, trial % 3, ph_v3(0, 0, 0), &seed);
        memcpy(v, r.at.v, sizeof v);
        for (int n = 0; n < 8; n++) {
            double by = (n / 2 + 1) * (n % 2 ? -1 : 1) * STEP8, w = (n % 2 ? -1 : 1) * weight8[n / 2] / STEP8;
            ph_state s = fixture_shift(&r, VARY_MOTION, 0, by);
            fixture_spread(&r, r.sys->M, &s, 0, 0, r.M);
            for (int i = 0; i < 144; i++)
                want[i / 12] += w * r.M[i] * v[i % 12];
            for (int i = 0; i < 12; i++) {
                s = fixture_shift(&r, VARY_Q, i, by);
                want[i] -= w * twice_kinetic(&r, &s, v) / 2;
            }
        }
        ph_state s = fixture_state(&r);
        fixture_spread(&r, r.sys->M, &s, 0, 0, r.M);
        for (int i = 0; i < 144; i++)
            p[i / 12] += r.M[i] * v[i % 12];
        for (int b = 0; b < 2; b++) {
            double H[36];
            op->hat(0, v + 6 * b, H);
            for (int i = 0; i < 36; i++)
                want[6 * b + i % 6] -= H[i] * p[6 * b + i / 6];
        }
        fixture_residual(&r, &s);
        memcpy(still, r.g, sizeof still);
        memset(r.at.v, 0, sizeof v);
        fixture_residual(&r, &s);
        for (int i = 0; i < 12; i++)
            check_near(still[i] - r.g[i], want[i], 1e-11); /* derivative: order 8, numbers of size 30 */
        fixture_close(&r);
    }
}

/* Lumped: two rigid bodies with their centres of mass off the nodes (B11) */
static void lumped_mass_is_that_of_bodies(void **state)
{
    (void)state;
    uint64_t seed = 2;
    kit k;
    fixture r;
    open_element(&k, &r, PH_SPACE_R3XSO3, PH_LUMPED_MASS, ph_v3(1, 2, -9), &seed);
    ph_state s = fixture_state(&r);
    double L = r.mech->force[0].length, T = 0, V = 0;
    ph_vec3 c = ph_v3(0.1, 0.2, -0.3);
    ph_mat3 J = {3, .1, .2, .1, 2, .3, .2, .3, 4};
    for (int b = 0; b < 2; b++) { /* J about the node = J about the centre + m (c^2 I - c c^T) */
        ph_kin at = ph_kin_of(r.mech, &s, b);
        ph_vec3 v = ph_add(at.v, ph_mul(at.R, ph_cross(at.w, c))), wc = ph_cross(at.w, c);
        T += L / 2 * (ph_dot(v, v) + ph_dot(at.w, ph_mul(J, at.w)) / 2 - ph_dot(wc, wc));
        V -= L * ph_dot(ph_v3(1, 2, -9), ph_add(at.x, ph_mul(at.R, c)));
    }
    check_near(ph_mechanism_kinetic(r.mech, &s), T, 1e-13); /* round-off */
    double elastic = 0, d[6];
    ph_body_def a = k.body[0], b = k.body[1];
    a.x = ph_kin_of(r.mech, &s, 0).x, a.R = ph_kin_of(r.mech, &s, 0).q;
    b.x = ph_kin_of(r.mech, &s, 1).x, b.R = ph_kin_of(r.mech, &s, 1).q;
    ph_beam_reference(&a, &b, d);
    for (int i = 0; i < 6; i++)
        elastic += pow(d[i] - r.mech->force[0].d0[i], 2) / (2 * L);
    check_near(ph_mechanism_energy(r.mech, &s), T + V + elastic, 1e-12); /* round-off: numbers of size 50 */
    fixture_close(&r);
}

/* Weight and its potential: g at rest is the derivative of the energy, in every mass model */
static void weight_has_a_potential(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int trial = 0; trial < 9; trial++) {
        kit k;
        fixture r;
        open_element(&k, &r, PH_SPACE_SE3, trial % 3, ph_v3(1, 2, -9), &seed);
        memset(r.at.v, 0, 12 * sizeof(double));
        for (int i = 0; i < 12; i++) {
            double slope = 0;
            for (int n = 0; n < 8; n++) {
                ph_state s = fixture_shift(&r, VARY_Q, i, (n / 2 + 1) * (n % 2 ? -1 : 1) * STEP8);
                slope += (n % 2 ? -1 : 1) * weight8[n / 2] / STEP8 * ph_mechanism_energy(r.mech, &s);
            }
            ph_state s = fixture_state(&r);
            fixture_residual(&r, &s);
            check_near(r.g[i], slope, 1e-10); /* derivative: order 8, energies of size 50 */
        }
        fixture_close(&r);
    }
}

/* Momentum P and L of a state in physical coordinates, and the rates that forces -g give them. */
static void momentum(fixture *r, const ph_state *s, ph_vec3 *P, ph_vec3 *L)
{
    fixture_spread(r, r->sys->M, s, 0, 0, r->M);
    *P = *L = ph_v3(0, 0, 0);
    for (int b = 0; b < 2; b++) {
        double p[6] = {0};
        ph_kin at = ph_kin_of(r->mech, s, b);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 12; j++)
                p[i] += r->M[12 * (6 * b + i) + j] * s->v[j];
        *P = ph_add(*P, ph_load3(p));
        *L = ph_add(*L, ph_add(ph_mul(at.R, ph_load3(p + 3)), ph_cross(at.x, ph_load3(p))));
    }
}

/* A free element keeps both momenta. */
static void free_elements_keep_momentum(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int trial = 0; trial < 9; trial++) {
        kit k;
        fixture r;
        ph_vec3 dP = ph_v3(0, 0, 0), dL = dP, P, L;
        open_element(&k, &r, PH_SPACE_R3XSO3, trial % 3, ph_v3(0, 0, 0), &seed);
        fixture_accelerate(&r);
        for (int n = 0; n < 8; n++) {
            ph_state s = fixture_shift(&r, VARY_FALL, 0, (n / 2 + 1) * (n % 2 ? -1 : 1) * STEP8);
            double w = (n % 2 ? -1 : 1) * weight8[n / 2] / STEP8;
            momentum(&r, &s, &P, &L);
            dP = ph_add(dP, ph_scale(w, P)), dL = ph_add(dL, ph_scale(w, L));
        }
        check_le(ph_norm(dP) + ph_norm(dL), 1e-11); /* derivative: order 8, numbers of size 10 */
        fixture_close(&r);
    }
}

/* A follower force at a node has no tangent on SE(3); a dead one has. In all spaces: test_mech. */
static void followers_have_no_tangent(void **state)
{
    (void)state;
    uint64_t seed = 6;
    for (int in_body = 0; in_body < 2; in_body++) {
        kit k;
        fixture r;
        kit_open(&k);
        k.m.gravity = ph_v3(0, 0, 0);
        kit_random_body(&k, "one", &seed);
        ph_force_def *f = kit_force(&k, "force", PH_F_FORCE, PH_GROUND, 0);
        f->value = ph_v3(1, 2, 3), f->in_body = in_body;
        fixture_open(&r, &k.m, PH_SPACE_SE3);
        fixture_scatter(&r, &seed);
        memset(r.at.v, 0, 6 * sizeof(double)), memset(r.at.vdot, 0, 6 * sizeof(double));
        ph_state s = fixture_state(&r);
        fixture_tangents(&r, &s);
        if (in_body)
            check_le(ph_small_max(36, r.K), 1e-15); /* round-off: R^T R F */
        else
            assert_true(ph_small_max(36, r.K) > 1); /* tilde(R^T F) */
        fixture_close(&r);
    }
}

/* ---- whole beams ------------------------------------------------------------------------------------- */

/* The frequency nearest to a guess, of a clamped beam. */
static double frequency(int mass, int n, double guess)
{
    fixture r;
    char text[600];
    snprintf(text, sizeof text,
             "beam { name = 'rod', from = {0, 0, 0}, to = {10, 0, 0}, n = %d, ends = {'clamped', 'free'},\n"
             "  section = {EA = 2.8e7, GA = 1e7, GJ = 1.4e4, EI = 1.4e4}, mass_model = '%s',\n"
             "  mass = {rhoA = 1.2, J = {6e-4, 6e-4, 6e-4}} }\n",
             n, masses[mass]);
    ph_model *m = read_text(text);
    fixture_open(&r, m, PH_SPACE_R3XSO3);
    for (int b = 0; b < m->n_bodies; b++)
        fixture_set(&r, b, (ph_kin){.x = m->body[b].x, .q = m->body[b].R});
    double omega = fixture_frequency(&r, guess);
    fixture_close(&r);
    ph_model_free(m);
    return omega;
}

/* reference: the element linearised by hand, a plane beam with shear, with 40 digits */
static void clamped_beams_vibrate(void **state)
{
    (void)state;
    static const double want[3][2][3] = {
        {{3.781821967655, 23.71106639455, 67.45142509858}, {3.793628865147, 23.77052089363, 66.75928709435}},
        {{3.804680288185, 24.72472489611, 74.46197757053}, {3.799366522003, 24.02220604261, 68.45577848728}},
        {{3.809085027408, 24.30633266268, 70.12084121529}, {3.800437477946, 23.91885654059, 67.43966272257}}};
    for (int mass = 0; mass < 3; mass++)
        for (int size = 0; size < 2; size++)
            for (int k = 0; k < 3; k++) {
                double w = want[mass][size][k];
                check_near(frequency(mass, 8 << size, w * 1.001), w,
                           1e-8 * w); /* reference: printed digits */
            }
}

typedef struct flight {
    ph_model *m;
    ph_mechanism *mech;
    ph_sim *sim;
} flight;

static ph_status fly(flight *f, const char *text, ph_space_code space, ph_options opt, long steps,
                     ph_error *err)
{
    const double *q0, *v0;
    *f = (flight){0};
    f->m = read_text(text);
    ph_status s = ph_mechanism_create(&f->mech, f->m, space, NULL, err);
    if (s == PH_OK)
        s = ph_mechanism_initial(f->mech, 0, &q0, &v0, err);
    if (s == PH_OK)
        s = ph_sim_create(&f->sim, ph_mechanism_system(f->mech), &opt, 0, q0, v0, err);
    return s == PH_OK ? ph_sim_run(f->sim, steps, NULL, NULL, err) : s;
}

static void must_fly(flight *f, const char *text, ph_space_code space, ph_options opt, long steps)
{
    ph_error err = {0};
    if (fly(f, text, space, opt, steps, &err) != PH_OK)
        fail_msg("%s", err.text);
}

static void land(flight *f)
{
    ph_sim_destroy(f->sim);
    ph_mechanism_destroy(f->mech);
    ph_model_free(f->m);
}

/* Thrown by a force of 10 N for a second, with forces of its own that cancel: its momentum is 10 N s. */
static void thrown_beams_have_their_momentum(void **state)
{
    (void)state;
    for (int mass = 0; mass < 3; mass += 2) {
        char text[700];
        flight f;
        ph_options o = ph_default_options();
        fixture r = {0};
        o.method = "rkmk", o.tableau = "dopri8", o.h = 1. / 256;
        snprintf(
            text, sizeof text,
            "beam { name = 'rod', from = {6, 0, 0}, to = {0, 8, 0}, n = 6, mass_model = '%s',\n"
            "  section = {EA = 1e3, GA = 1e3, GJ = 500, EI = 500}, mass = {rhoA = 1, J = {10, 10, 10}} }\n"
            "force { name = 'f', body = 'rod.0', value = {10, 0, 0} }\n"
            "force { name = 'g', body = 'rod.3', value = {0, 0, 3}, frame = 'body' }\n"
            "force { name = 'h', body = 'rod.3', value = {0, 0, -3}, frame = 'body' }\n",
            masses[mass]);
        must_fly(&f, text, PH_SPACE_R3XSO3, o, 256);
        ph_state s = ph_sim_state(f.sim);
        fixture_open(&r, f.m, PH_SPACE_R3XSO3);
        fixture_spread(&r, r.sys->M, &s, 0, 0, r.M);
        double P[3] = {0};
        for (int i = 0; i < r.nv; i++)
            for (int j = 0; j < r.nv && i % 6 < 3; j++)
                P[i % 6] += r.M[i * r.nv + j] * s.v[j];
        check_le(max_diff(P, (double[]){10, 0, 0}, 3), 2e-12); /* invariant, to the error of the method */
        fixture_close(&r);
        land(&f);
    }
}

/* A closed structure of beams: points that symmetry makes equal are, and constraints hold. */
static void wheels_stay_round(void **state)
{
    (void)state;
    ph_model *m;
    ph_mechanism *mech;
    ph_sim *sim;
    ph_error err = {0};
    const double *q0, *v0;
    double radius[2], position, velocity;
    if (ph_model_read(&m, PH_TEST_DIR "/../models/beam_wheel.lua", NULL, 0, NULL, &err) != PH_OK)
        fail_msg("%s", err.text);
    ph_options o = ph_model_run_def(m).opt;
    if (ph_mechanism_create(&mech, m, PH_SPACE_R3XSO3, NULL, &err) != PH_OK ||
        ph_mechanism_initial(mech, 0, &q0, &v0, &err) != PH_OK || ph_mechanism_rank(mech, &err) != PH_OK)
        fail_msg("%s", err.text);
    if (ph_sim_create(&sim, ph_mechanism_system(mech), &o, 0, q0, v0, &err) != PH_OK ||
        ph_sim_run(sim, 150, NULL, NULL, &err) != PH_OK)
        fail_msg("%s", err.text);
    ph_state s = ph_sim_state(sim);
    assert_int_equal(ph_mechanism_sensor(mech, &s, 0, radius), PH_OK);
    check_near(radius[0], radius[1], 1e-11); /* invariant, to Newton's tolerance */
    assert_true(fabs(radius[0] - 0.5) > 1e-5);
    assert_int_equal(ph_sim_violation(sim, &position, &velocity), PH_OK);
    check_le(position, 1e-13); /* invariant */
    check_le(velocity, 1e-11); /* invariant */
    ph_sim_destroy(sim), ph_mechanism_destroy(mech), ph_model_free(m);
}

/* ---- initial velocities -------------------------------------------------------------------------------- */

/* Velocities that are not given have the least energy: M v + B^T m = 0, B v = -Phi_t. */
static void initial_velocities_have_least_energy(void **state)
{
    (void)state;
    ph_model *m =
        read_text("beam { name = 'rod', from = {0, 0, 0}, to = {2, 1, 0}, n = 3, mass_model = 'helicoidal',\n"
                  "  section = {EA = 40, GA = {20, 30}, GJ = 4, EI = {5, 6}}, mass = {rhoA = 2, J = {0.3, "
                  "0.2, 0.2}} }\n"
                  "joint { name = 'hinge', type = 'revolute', bodies = {'ground', 'rod.0'}, at = {0, 0, 0}, "
                  "axis = {0, 1, 1},\n"
                  "  drive = function(t) return 3 * t end }\n");
    for (int k = 0; k < 4; k++) {
        ph_mechanism *mech;
        ph_error err = {0};
        const double *q0, *v0;
        fixture r;
        assert_int_equal(ph_mechanism_create(&mech, m, spaces[k], NULL, &err), PH_OK);
        assert_int_equal(ph_mechanism_initial(mech, 0, &q0, &v0, &err), PH_OK);
        fixture_open(&r, m, spaces[k]);
        memcpy(r.at.q, q0, sizeof(double) * (size_t)r.lay.nq),
            memcpy(r.at.v, v0, sizeof(double) * (size_t)r.nv);
        ph_point_rotations(&r.at, &r.lay);
        ph_state s = fixture_state(&r);
        fixture_residual(&r, &s);
        int nv = r.nv, nl = r.nl, N = nv + nl;
        double *A = calloc((size_t)(N * N + N), sizeof(double)), *b = A + N * N;
        assert_non_null(A);
        for (int i = 0; i < nv; i++) {
            memcpy(A + i * N, r.M + i * nv, sizeof(double) * (size_t)nv);
            for (int j = 0; j < nl; j++)
                A[i * N + nv + j] = A[(nv + j) * N + i] = r.B[j * nv + i];
        }
        for (int j = 0; j < nl; j++)
            b[nv + j] = -r.Phi_t[j];
        solve_dense(N, A, b);
        check_le(max_diff(v0, b, nv), 1e-11); /* round-off, and DELTA of the projection */
        free(A);
        fixture_close(&r);
        ph_mechanism_destroy(mech);
    }
    ph_model_free(m);
}

/* Velocities of all nodes are those of one rigid motion. */
static void beams_start_as_rigid_bodies(void **state)
{
    (void)state;
    ph_model *m =
        read_text("beam { name = 'rod', from = {1, 0, 0}, to = {2, 2, 0}, tangent = {1, 0, 0.5}, n = 3, "
                  "mass_model = 'helicoidal',\n"
                  "  section = {EA = 1, GA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, J = {1, 1, 1}},\n"
                  "  velocity = {1, 2, 3}, omega = {0.4, 0.5, 0.6} }\n");
    ph_vec3 w = ph_v3(0.4, 0.5, 0.6);
    for (int i = 0; i < 4; i++) {
        ph_vec3 v = ph_add(ph_v3(1, 2, 3), ph_cross(w, ph_sub(m->body[i].x, ph_v3(1, 0, 0))));
        check_le(ph_norm(ph_sub(m->body[i].v, v)), 1e-15);                                   /* round-off */
        check_le(ph_norm(ph_sub(ph_quat_rotate(m->body[i].R, m->body[i].omega), w)), 1e-15); /* round-off */
        assert_true(m->body[i].has_v && m->body[i].has_omega && m->body[i].bare);
    }
    ph_model_free(m);
}

/* ---- orders -------------------------------------------------------------------------------------------- */

static void swinging(char *text, size_t size, int mass)
{
    snprintf(text, size,
             "gravity {0, 0, -9.81}\n"
             "beam { name = 'rod', from = {0, 0, 0}, to = {1, 0, 0.2}, n = 3, frame = {0, 1, 0}, mass_model "
             "= '%s',\n"
             "  section = {EA = 200, GA = 100, GJ = 3, EI = 4}, mass = {rhoA = 1, J = {0.1, 0.05, 0.05}} }\n"
             "joint { name = 'hinge', type = 'revolute', bodies = {'ground', 'rod.0'}, at = {0, 0, 0},\n"
             "  axis = {0.3, 1, 0} }\n",
             masses[mass]);
}

static double order_of(ph_vec3 a, ph_vec3 b, ph_vec3 c)
{
    return log2(ph_norm(ph_sub(a, b)) / ph_norm(ph_sub(b, c)));
}

/* Tip, its velocity and the force of the hinge with h, h/2, h/4. */
static void check_order(const char *text, ph_space_code space, ph_options o, double order, double tol)
{
    ph_vec3 x[3], v[3], F[3];
    double h = o.h;
    for (int i = 0; i < 3; i++) {
        flight f;
        ph_vec3 torque;
        o.h = ldexp(h, -i);
        must_fly(&f, text, space, o, lround(0.5 / o.h));
        ph_state s = ph_sim_state(f.sim);
        ph_kin tip = ph_kin_of(f.mech, &s, 3);
        x[i] = tip.x, v[i] = tip.v;
        ph_mechanism_reaction(f.mech, &s, 0, &F[i], &torque);
        land(&f);
    }
    check_near(order_of(x[0], x[1], x[2]), order, tol);
    check_near(order_of(v[0], v[1], v[2]), order, tol);
    check_near(order_of(F[0], F[1], F[2]), order, tol);
}

static void hinged_beams_have_order_2(void **state)
{
    (void)state;
    char text[700];
    for (int k = 0; k < 8; k++) {
        ph_options o = ph_default_options();
        o.h = 0.5 / 1024, o.sigma = k % 2, o.rho = 0.9, o.formulation = k / 2 % 2 ? PH_GGL : PH_INDEX3;
        swinging(text, sizeof text, 1 + k / 4);
        check_order(text, spaces[k % 4 == 3 ? 1 : k % 2], o, 2, 0.15); /* order */
    }
}

static void hinged_beams_have_order_3(void **state)
{
    (void)state;
    char text[700];
    ph_options o = ph_default_options();
    o.method = "bliedf", o.order = 3, o.h = 0.5 / 512, o.formulation = PH_GGL;
    swinging(text, sizeof text, 2);
    check_order(text, PH_SPACE_SE3, o, 3, 0.15); /* order */
}

/* ---- elements that turn too far ------------------------------------------------------------------------ */

static const char coil[] =
    "beam { name = 'rod', from = {0, 0, 0}, to = {10, 0, 0}, n = 3, ends = {'clamped', 'free'}, mass_model = "
    "'helicoidal',\n"
    "  section = {EA = 1e4, GA = 1e4, GJ = 500, EI = 500}, mass = {rhoA = 1, J = {1, 1, 1}} }\n"
    "torque { name = 'tip', body = 'rod.3', value = {0, 0, 400} }\n";

static ph_status scale_loads(double factor, void *mech)
{
    ph_mechanism_set_load_factor(mech, factor);
    return PH_OK;
}

/* 400 N m would turn each element by 2.67 rad: a sentence names one, in motion and at rest. */
static void elements_refuse_to_turn_too_far(void **state)
{
    (void)state;
    flight f;
    ph_options o = ph_default_options();
    ph_error err = {0};
    char why[300];
    o.h = 0.01;
    assert_int_equal(fly(&f, coil, PH_SPACE_SE3, o, 1000, &err), PH_E_CALLBACK);
    assert_non_null(strstr(ph_mechanism_complaint(f.mech, why, sizeof why), "beam element 'rod."));
    assert_non_null(strstr(why, "use more elements, or smaller steps"));
    land(&f);

    const double *q0, *v0;
    ph_equilibrium *e;
    ph_static_options so = ph_default_static();
    ph_mechanism *mech;
    ph_model *m = read_text(coil);
    assert_int_equal(ph_mechanism_create(&mech, m, PH_SPACE_R3XSO3, NULL, &err), PH_OK);
    assert_int_equal(ph_mechanism_initial(mech, 0, &q0, &v0, &err), PH_OK);
    so.load = scale_loads, so.ctx = mech, so.steps = 20;
    assert_int_equal(ph_equilibrium_create(&e, ph_mechanism_system(mech), &so, 0, q0, &err), PH_E_CALLBACK);
    assert_non_null(strstr(ph_mechanism_complaint(mech, why, sizeof why), "beam element 'rod."));
    ph_mechanism_destroy(mech);
    ph_model_free(m);
}

/* 3/4 of it in one load step: increments that would turn too far are cut, and the circle is found. */
static void load_steps_are_cut_before_elements_turn_too_far(void **state)
{
    (void)state;
    ph_error err = {0};
    const double *q0, *v0;
    ph_equilibrium *e;
    ph_static_options so = ph_default_static();
    ph_mechanism *mech;
    ph_model *m = read_text(coil);
    m->force[3].value = ph_v3(0, 0, 300);
    assert_int_equal(ph_mechanism_create(&mech, m, PH_SPACE_R3XSO3, NULL, &err), PH_OK);
    assert_int_equal(ph_mechanism_initial(mech, 0, &q0, &v0, &err), PH_OK);
    so.load = scale_loads, so.ctx = mech;
    if (ph_equilibrium_create(&e, ph_mechanism_system(mech), &so, 0, q0, &err) != PH_OK)
        fail_msg("%s", err.text);
    assert_true(ph_equilibrium_stats(e).cuts > 0);
    ph_state s = ph_equilibrium_state(e);
    double a = 300. / 500 * 10, radius = 500. / 300; /* the arc of curvature M/EI */
    check_le(ph_norm(ph_sub(ph_kin_of(mech, &s, 3).x, ph_v3(radius * sin(a), radius * (1 - cos(a)), 0))),
             1e-12); /* round-off */
    ph_equilibrium_destroy(e);
    ph_mechanism_destroy(mech);
    ph_model_free(m);
}

/* exact: the mass of a section in words, as 6 numbers and as a matrix is one and the same model */
static void mass_as_a_matrix(void **state)
{
    (void)state;
    static const char *const ways[] = {
        "mass = {rhoA = 2, J = {0.1, 0.2, 0.3}}",
        "M = {2, 2, 2, 0.1, 0.2, 0.3}",
        ("M = {{2, 0, 0, 0, 0, 0}, {0, 2, 0, 0, 0, 0}, {0, 0, 2, 0, 0, 0}, {0, 0, 0, 0.1, 0, 0},\n"
         "     {0, 0, 0, 0, 0.2, 0}, {0, 0, 0, 0, 0, 0.3}}"),
    };
    for (int mass = 0; mass < 3; mass++) {
        char *frozen[3], text[600];
        for (int k = 0; k < 3; k++) {
            size_t size;
            snprintf(text, sizeof text,
                     "beam { name = 'rod', from = {0, 0, 0}, to = {1, 0, 0}, n = 2, mass_model = '%s',\n"
                     "  section = {EA = 1e4, GA = 1e4, GJ = 10, EI = 10}, %s }",
                     masses[mass], ways[k]);
            ph_model *m = read_text(text);
            FILE *f = open_memstream(&frozen[k], &size);
            assert_int_equal(ph_model_freeze(m, f, NULL), PH_OK);
            fclose(f);
            ph_model_free(m);
        }
        assert_string_equal(frozen[1], frozen[0]);
        assert_string_equal(frozen[2], frozen[0]);
        for (int k = 0; k < 3; k++)
            free(frozen[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inertia_is_that_of_hamel),
        cmocka_unit_test(lumped_mass_is_that_of_bodies),
        cmocka_unit_test(weight_has_a_potential),
        cmocka_unit_test(free_elements_keep_momentum),
        cmocka_unit_test(followers_have_no_tangent),
        cmocka_unit_test(clamped_beams_vibrate),
        cmocka_unit_test(thrown_beams_have_their_momentum),
        cmocka_unit_test(wheels_stay_round),
        cmocka_unit_test(mass_as_a_matrix),
        cmocka_unit_test(initial_velocities_have_least_energy),
        cmocka_unit_test(beams_start_as_rigid_bodies),
        cmocka_unit_test(hinged_beams_have_order_2),
        cmocka_unit_test(hinged_beams_have_order_3),
        cmocka_unit_test(elements_refuse_to_turn_too_far),
        cmocka_unit_test(load_steps_are_cut_before_elements_turn_too_far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
