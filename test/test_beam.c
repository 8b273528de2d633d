/* Beams: their elements against differences and against each other, what a model file makes of them, large
 * deformations with exact or published solutions, and motions. */
#include "mech_cases.h"
#include "model_file.h"
#include "polhode/equilibrium.h"

#define PI 3.14159265358979323846

static const ph_space_code spaces[] = {PH_SPACE_R3XSO3, PH_SPACE_SE3, PH_SPACE_EULER, PH_SPACE_CARDAN};

/* ---- elements ------------------------------------------------------------------------------------ */

static const double coupled[36] = {9, 1, 0, 0, 1, 0, 1, 4, 0, 1, 0, 0, 0, 0, 3, 0, 0, 1,
                                   0, 1, 0, 2, 0, 0, 1, 0, 0, 0, 5, 1, 0, 0, 1, 0, 1, 6};

/* One element without weight, at rest anywhere. */
static void open_element(kit *k, fixture *r, ph_space_code space, uint64_t *seed)
{
    kit_open(k);
    k->m.gravity = ph_v3(0, 0, 0);
    kit_random_body(k, "one", seed);
    kit_random_body(k, "two", seed);
    k->body[0].R = rnd_turn(3, seed);
    k->body[1].R = ph_qmul(k->body[0].R, rnd_turn(0.5, seed));
    kit_force(k, "element", PH_F_BEAM, 0, 1)->K6 = coupled;
    fixture_open(r, &k->m, space);
    for (int b = 0; b < 2; b++) {
        ph_kin at = {.x = ph_add(k->body[b].x, rnd3(seed))};
        at.q = ph_qmul(k->body[b].R, rnd_turn(1, seed));
        fixture_set(r, b, at);
    }
}

/* T^-1(-d) = T^-1(d) - hat(d) (B2) */
static void one_tangent_operator_serves_both_ends(void **state)
{
    (void)state;
    uint64_t seed = 1;
    const ph_group_ops *op = ph_group_get(PH_SE3);
    for (int trial = 0; trial < 50; trial++) {
        double d[6], minus[6], plus[36], T[36], H[36];
        for (int i = 0; i < 6; i++)
            d[i] = (trial % 5 ? 1.8 : 1e-5) * rnd(&seed), minus[i] = -d[i];
        op->Tinv(0, d, plus), op->Tinv(0, minus, T), op->hat(0, d, H);
        for (int i = 0; i < 36; i++)
            H[i] = plus[i] - H[i];
        check_le(max_diff(T, H, 36), 2e-15); /* round-off: numbers of size 3 */
    }
}

/* g is the derivative of the potential (B3); tangents of the forces of the table are in test_mech. */
static void force_is_derivative_of_energy(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int trial = 0; trial < 10; trial++) {
        kit k;
        fixture r;
        open_element(&k, &r, trial % 2 ? PH_SPACE_SE3 : PH_SPACE_R3XSO3, &seed);
        for (int i = 0; i < r.nv; i++) {
            double slope = 0;
            for (int n = 0; n < 8; n++) {
                int by = (n / 2 + 1) * (n % 2 ? -1 : 1);
                ph_state s = fixture_shift(&r, VARY_Q, i, by * STEP8);
                slope += (n % 2 ? -1 : 1) * weight8[n / 2] / STEP8 * ph_mechanism_energy(r.mech, &s);
            }
            ph_state s = fixture_state(&r);
            fixture_residual(&r, &s);
            check_near(r.g[i], slope, 1e-10); /* derivative: order 8, energies of size 50 */
        }
        fixture_close(&r);
    }
}

/* K - K^T = blockdiag(bk(f_a), bk(f_b)), bk(p) = [0 p_u~; p_u~ p_w~], on SE(3) */
static void tangent_is_as_unsymmetric_as_it_must_be(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int trial = 0; trial < 20; trial++) {
        kit k;
        fixture r;
        double bk[144] = {0}, skew[144];
        open_element(&k, &r, PH_SPACE_SE3, &seed);
        ph_state s = fixture_state(&r);
        fixture_tangents(&r, &s);
        for (int b = 0; b < 2; b++)
            for (int i = 1; i < 4; i++) { /* blocks (u, w), (w, u), (w, w) */
                double p[9];
                ph_store33(p, ph_tilde(ph_load3(r.g + 6 * b + (i == 3 ? 3 : 0))));
                for (int j = 0; j < 9; j++)
                    bk[12 * (6 * b + i / 2 * 3 + j / 3) + 6 * b + i % 2 * 3 + j % 3] = p[j];
            }
        for (int i = 0; i < 144; i++)
            skew[i] = r.K[i] - r.K[i % 12 * 12 + i / 12];
        check_le(max_diff(skew, bk, 144), 1e-13 * ph_small_max(144, r.K)); /* round-off */
        fixture_close(&r);
    }
}

/* Turned and shifted as a whole, forces and tangents on SE(3) stay; the wrench of both ends is balanced. */
static void frames_do_not_matter(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int trial = 0; trial < 20; trial++) {
        kit k;
        fixture r;
        double g[12], K[144];
        open_element(&k, &r, PH_SPACE_SE3, &seed);
        ph_state s = fixture_state(&r);
        ph_kin at[2] = {ph_kin_of(r.mech, &s, 0), ph_kin_of(r.mech, &s, 1)};
        fixture_tangents(&r, &s);
        memcpy(g, r.g, sizeof g), memcpy(K, r.K, sizeof K);
        ph_vec3 F = ph_v3(0, 0, 0), M = F, by = rnd3(&seed);
        ph_quat turn = rnd_turn(3, &seed);
        for (int b = 0; b < 2; b++) {
            ph_vec3 f = ph_mul(at[b].R, ph_load3(g + 6 * b));
            F = ph_add(F, f);
            M = ph_add(M, ph_add(ph_mul(at[b].R, ph_load3(g + 6 * b + 3)), ph_cross(at[b].x, f)));
            fixture_set(
                &r, b, (ph_kin){.x = ph_add(by, ph_quat_rotate(turn, at[b].x)), .q = ph_qmul(turn, at[b].q)});
        }
        fixture_tangents(&r, &s);
        check_le(ph_norm(F) + ph_norm(M), 1e-13 * ph_small_max(12, g) * 10); /* round-off: points of size 3 */
        check_le(max_diff(r.g, g, 12), 1e-13 * ph_small_max(12, g));         /* round-off */
        check_le(max_diff(r.K, K, 144), 1e-13 * ph_small_max(144, K));       /* round-off */
        fixture_close(&r);
    }
}

/* ---- model files --------------------------------------------------------------------------------- */

static void place(fixture *r, const ph_model *m)
{
    for (int b = 0; b < m->n_bodies; b++)
        fixture_set(r, b, (ph_kin){.x = m->body[b].x, .q = m->body[b].R});
}

/* A curved, damped beam on a hinge with a body at its end: every derivative of the whole, in every space. */
static void mechanisms_have_right_tangents(void **state)
{
    (void)state;
    ph_model *m = read_text(
        "gravity {0.3, 0, -9.81}\n"
        "beam { name = 'rod', from = {0, 0, 0}, to = {1, 1.2, 0.3}, tangent = {1, 0, 0.2}, n = 3, frame = "
        "{0, 1, 1},\n"
        "  section = {EA = 40, GA = {20, 30}, GJ = 4, EI = {5, 6}}, damping = {1, 2, 3, 0.1, 0.2, 0.3},\n"
        "  mass = {rhoA = 2, J = {0.3, 0.2, 0.2}} }\n"
        "body { name = 'load', mass = 1, inertia = {1, 1, 1}, position = {1.5, 1, 0} }\n"
        "joint { name = 'hinge', type = 'revolute', bodies = {'ground', 'rod.0'}, at = {0, 0, 0}, axis = {0, "
        "1, 1} }\n"
        "joint { name = 'ball', type = 'spherical', bodies = {'rod.3', 'load'}, at = {1, 1.2, 0.3} }\n"
        "force { name = 'push', body = 'rod.1', value = {1, 2, 3}, frame = 'body' }\n"
        "torque { name = 'turn', body = 'rod.2', value = {1, -2, 3} }\n");
    uint64_t seed = 5;
    for (int k = 0; k < 4; k++) {
        fixture r;
        fixture_open(&r, m, spaces[k]);
        fixture_scatter(&r, &seed);
        for (int b = 0; b < m->n_bodies; b++) { /* less than half a turn from node to node */
            ph_kin at = {.x = ph_add(m->body[b].x, ph_scale(0.2, rnd3(&seed)))};
            at.v = rnd3(&seed), at.w = rnd3(&seed);
            at.q = ph_qmul(m->body[b].R, rnd_turn(0.5, &seed));
            fixture_set(&r, b, at);
        }
        check_le(fixture_worst(&r), 5e-9); /* derivative: order 8, forces of size 100 over lengths of 0.5 */
        ph_check worst;
        ph_error err = {0};
        ph_state s = fixture_state(&r);
        assert_int_equal(ph_system_check(r.sys, s.t, s.q, s.v, s.vdot, s.lambda, &worst, &err), PH_OK);
        check_le(worst.error, 1e-6); /* derivative: central differences */
        fixture_close(&r);
    }
    ph_model_free(m);
}

/* What beam{} becomes: names, positions, frames, masses, supports. */
static void beams_become_bodies(void **state)
{
    (void)state;
    ph_model *m = read_text(
        "beam { name = 'rod', from = {1, 0, 0}, to = {1, 4, 0}, n = 2, ends = {'clamped', 'pinned'},\n"
        "  section = {EA = 10, GA = {20, 30}, GJ = 40, EI = {50, 60}}, damping = 0.5, rbf = true,\n"
        "  mass = {rhoA = 3, J = {0.5, 0.25, 0.25}} }\n"
        "sensor { name = 's', type = 'section_strain', beam_element = 'rod.2' }\n");
    assert_int_equal(m->n_bodies, 3);
    assert_int_equal(m->n_forces, 2);
    assert_int_equal(m->n_joints, 2);
    assert_string_equal(m->body[2].name, "rod.2");
    assert_string_equal(m->force[1].name, "rod.2");
    assert_string_equal(m->joint[0].name, "rod.first");
    assert_string_equal(m->joint[1].name, "rod.last");
    assert_int_equal(m->joint[0].type, PH_J_FIXED);
    assert_int_equal(m->joint[1].type, PH_J_SPHERICAL);
    assert_int_equal(m->sensor[0].element, 1);
    double mass[3] = {m->body[0].mass, m->body[1].mass, m->body[2].mass};
    check_le(max_diff(mass, (double[]){3, 6, 3}, 3), 4e-15);    /* round-off of |u| */
    check_near(m->body[1].J.xx, 1, 1e-15);                      /* the same */
    check_le(ph_norm(ph_sub(m->body[1].x, ph_v3(1, 2, 0))), 0); /* exact */
    ph_mat3 R = ph_qmat(m->body[1].R);                          /* along y; z cross y is -x */
    check_le(max_diff(&R.xx, (double[]){0, -1, 0, 1, 0, 0, 0, 0, 1}, 9), 1e-15); /* round-off */
    const double *K = m->force[0].K6, *D = m->force[0].D6, L = 2;
    double want[6] = {10, 1 / (1. / 20 + L * L / (12 * 60)), 1 / (1. / 30 + L * L / (12 * 50)), 40, 50, 60};
    for (int i = 0; i < 6; i++) {
        check_near(K[7 * i], want[i], 1e-14); /* round-off of (B6) */
        check_near(D[7 * i], want[i] / 2, 1e-14);
    }
    ph_model_free(m);
}

/* An arc of 90 degrees, and the same by nodes with rotations: a section force 0, equal lengths, equal frames. */
static void arcs_are_exact(void **state)
{
    (void)state;
    ph_model *m = read_text(
        "local section, mass = {EA = 1, GA = 1, GJ = 1, EI = 1}, {rhoA = 1, J = {1, 1, 1}}\n"
        "beam { name = 'a', from = {0, 0, 0}, to = {2, 2, 0}, tangent = {1, 0, 0}, n = 3, section = section, "
        "mass = mass }\n"
        "local nodes, rotations = {}, {}\n"
        "for i = 0, 3 do\n"
        "  local p = i * math.pi / 6\n"
        "  nodes[i + 1] = {2 * math.sin(p), 2 * (1 - math.cos(p)), 0}\n"
        "  rotations[i + 1] = {axis = {0, 0, 1}, angle = p}\n"
        "end\n"
        "beam { name = 'b', nodes = nodes, rotations = rotations, section = section, mass = mass }\n");
    for (int i = 0; i < 4; i++) {
        const ph_body_def *a = &m->body[i], *b = &m->body[4 + i];
        check_le(ph_norm(ph_sub(a->x, b->x)), 1e-15);           /* round-off */
        check_le(max_diff(&a->R.w, &b->R.w, 4), 1e-15);         /* round-off */
        check_near(a->mass, (i % 3 ? 1 : 0.5) * PI / 3, 1e-15); /* round-off: the length of the arc */
        check_near(a->mass, b->mass, 2e-15);
    }
    double d[6];
    ph_beam_reference(&m->body[0], &m->body[1], d);
    check_le(max_diff(d, (double[]){PI / 3, 0, 0, 0, 0, PI / 6}, 6), 1e-15); /* round-off: an arc along e1 */
    ph_model_free(m);
}

/* Every allocation fails once: never a crash, never a leak. */
static void memory_ends(void **state)
{
    (void)state;
    const char *text =
        "beam { name = 'rod', nodes = {{0, 0, 0}, {1, 0, 0}, {3, 0, 0}}, rbf = true, damping = 0.1,\n"
        "  section = {EA = 1, GA = 1, GJ = 1, EI = 1}, mass = {rhoA = 1, J = {1, 1, 1}},\n"
        "  ends = {'clamped', 'pinned'} }\n";
    for (long k = 1, done = 0; !done; k++) {
        counter c = {.fail_at = k, .for_good = 1};
        ph_allocator alloc = {counter_alloc, counter_free, &c};
        ph_model *m;
        ph_error err = {0};
        ph_status s = read_named(&m, "model.lua", text, strlen(text), NULL, 0, &alloc, &err);
        done = c.calls < k;
        assert_true(s == PH_OK ? m != NULL : s == PH_E_MEMORY && !m);
        assert_true(done == (s == PH_OK));
        ph_model_free(m);
        assert_int_equal(c.live, 0);
    }
}

/* ---- statics ------------------------------------------------------------------------------------- */

/* Newton's method for g + B^T lambda = 0, Phi = 0 at v = 0, the time being the load. */
static double equilibrate(fixture *r, double load, int iterations)
{
    int nv = r->nv, nl = r->nl, n = nv + nl;
    double *A = calloc((size_t)(n * n + n), sizeof(double)), *b = A + n * n, size = HUGE_VAL;
    assert_non_null(A);
    r->at.t = load;
    for (int k = 0; k < iterations; k++) {
        ph_state s = fixture_state(r);
        fixture_tangents(r, &s);
        memset(A, 0, sizeof(double) * (size_t)(n * n));
        for (int i = 0; i < nv; i++)
            for (int j = 0; j < nv; j++)
                A[i * n + j] = r->K[i * nv + j];
        for (int i = 0; i < nl; i++)
            for (int j = 0; j < nv; j++)
                A[(nv + i) * n + j] = A[j * n + nv + i] = r->B[i * nv + j];
        for (int i = 0; i < n; i++)
            b[i] = i < nv ? -r->r[i] : -r->Phi[i - nv];
        solve_dense(n, A, b);
        size = ph_small_max(nv, b);
        ph_point_shift(&r->lay, &r->at, 1, b, &r->at);
        for (int i = 0; i < nl; i++)
            r->at.lambda[i] += b[nv + i];
    }
    free(A);
    return size;
}

static void open_static(fixture *r, ph_model **m, const char *text, ph_space_code space)
{
    *m = read_text(text);
    fixture_open(r, *m, space);
    place(r, *m);
}

/* A moment at the tip bends the beam to a full circle; nodes are on it however few they are. */
static void beam_rolls_up(void **state)
{
    (void)state;
    static const int sizes[] = {3, 4, 5, 8, 16};
    for (int k = 0; k < 5; k++) {
        int n = sizes[k];
        fixture r;
        ph_model *m;
        char text[600];
        snprintf(
            text, sizeof text,
            "beam { name = 'rod', from = {0, 0, 0}, to = {10, 0, 0}, n = %d, ends = {'clamped', 'free'},\n"
            "  section = {EA = 1e4, GA = 1e4, GJ = 500, EI = 500}, mass = {rhoA = 1, J = {1, 1, 1}} }\n"
            "torque { name = 'tip', body = 'rod.%d', value = function(t) return 0, 0, 100 * math.pi * t end "
            "}\n"
            "sensor { name = 'N', type = 'section_force', beam_element = 'rod.2' }\n"
            "sensor { name = 'e', type = 'section_strain', beam_element = 'rod.2' }\n",
            n, n);
        open_static(&r, &m, text, k % 2 ? PH_SPACE_R3XSO3 : PH_SPACE_SE3);
        for (int step = 1; step <= 20; step++)
            check_le(equilibrate(&r, step / 20., 8), 1e-10); /* Newton's method has converged */
        ph_state s = fixture_state(&r);
        double radius = 10 / (2 * PI), worst = 0, N[6];
        for (int i = 0; i <= n; i++) {
            double a = 2 * PI * i / n;
            ph_vec3 want = ph_v3(radius * sin(a), radius * (1 - cos(a)), 0);
            worst = ph_larger(worst, ph_norm(ph_sub(ph_kin_of(r.mech, &s, i).x, want)));
        }
        check_le(worst, 1e-13); /* round-off: exact for constant strain, length 10 */
        assert_int_equal(ph_mechanism_sensor(r.mech, &s, 0, N), PH_OK);
        check_le(max_diff(N, (double[]){0, 0, 0, 0, 0, 100 * PI}, 6), 1e-10); /* round-off of EA d */
        assert_int_equal(ph_mechanism_sensor(r.mech, &s, 1, N), PH_OK);
        check_near(N[5], 2 * PI / 10, 1e-14); /* round-off */
        fixture_close(&r);
        ph_model_free(m);
    }
}

/* The 45 degree bend under a dead load. reference: an element and a continuum solution (shooting, DOP853)
 * programmed independently. */
static void beam_of_45_degrees_bends(void **state)
{
    (void)state;
    static const double tip[3][3] = {{15.711118800, 47.231848430, 53.333182621},
                                     {15.691372126, 47.170749554, 53.439483254},
                                     {15.686442939, 47.155513802, 53.466017598}};
    static const double continuum[3] = {15.68480053404, 47.15043857363, 53.47485879183};
    double x[3][3], limit[3];
    for (int k = 0; k < 3; k++) {
        int n = 8 << k;
        fixture r;
        ph_model *m;
        char text[600];
        snprintf(
            text, sizeof text,
            "local a = 100 * math.sqrt(0.5)\n"
            "beam { name = 'rod', from = {0, 0, 0}, to = {100 - a, a, 0}, tangent = {0, 1, 0}, n = %d,\n"
            "  ends = {'clamped', 'free'}, section = {EA = 1e7, GA = 5e6, GJ = 5e6 / 6, EI = 1e7 / 12},\n"
            "  mass = {rhoA = 1, J = {1, 1, 1}} }\n"
            "force { name = 'tip', body = 'rod.%d', value = function(t) return 0, 0, 600 * t end }\n",
            n, n);
        open_static(&r, &m, text, PH_SPACE_SE3);
        for (int step = 1; step <= 12; step++)
            check_le(equilibrate(&r, step / 12., 7), 1e-9); /* Newton's method has converged */
        ph_state s = fixture_state(&r);
        ph_vec3 at = ph_kin_of(r.mech, &s, n).x, force, torque;
        ph_store3(x[k], at);
        check_le(max_diff(x[k], tip[k], 3), 1e-7); /* reference: printed digits, conditioning */
        ph_mechanism_reaction(r.mech, &s, 0, &force, &torque);
        check_le(ph_norm(ph_sub(force, ph_v3(0, 0, -600))), 1e-10); /* round-off: EA times that of d */
        check_le(ph_norm(ph_add(torque, ph_v3(600 * at.y, -600 * at.x, 0))), 1e-8); /* the same, lever 70 */
        fixture_close(&r);
        ph_model_free(m);
    }
    for (int i = 0; i < 3; i++)
        limit[i] = x[2][i] + (x[2][i] - x[1][i]) / 3;
    check_le(max_diff(limit, continuum, 3), 2e-5); /* reference: what extrapolation of order 2 leaves */
}

static ph_status set_load(double factor, void *mech)
{
    ph_mechanism_set_load_factor(mech, factor);
    return PH_OK;
}

/* Positions of all nodes of models/NAME.lua in equilibrium. */
static void rest(const char *name, int n, ph_vec3 *x)
{
    char path[512];
    ph_model *m;
    ph_mechanism *mech = NULL;
    ph_equilibrium *e;
    ph_error err = {0};
    ph_static_options o = ph_default_static();
    const double *q0, *v0;
    snprintf(path, sizeof path, "%s/../models/%s.lua", PH_TEST_DIR, name);
    if (ph_model_read(&m, path, &(ph_setting){"n", n}, 1, NULL, &err) != PH_OK ||
        ph_mechanism_create(&mech, m, PH_SPACE_SE3, NULL, &err) != PH_OK ||
        ph_mechanism_initial(mech, 0, &q0, &v0, &err) != PH_OK)
        fail_msg("%s", err.text);
    o.load = set_load, o.ctx = mech;
    if (ph_equilibrium_create(&e, ph_mechanism_system(mech), &o, 0, q0, &err) != PH_OK)
        fail_msg("%s", err.text);
    ph_state s = ph_equilibrium_state(e);
    for (int i = 0; i <= n; i++)
        x[i] = ph_kin_of(mech, &s, i).x;
    ph_equilibrium_destroy(e), ph_mechanism_destroy(mech), ph_model_free(m);
}

/* The models of the folder, with many elements. */
static void models_come_to_rest(void **state)
{
    (void)state;
    static const double tip[3] = {15.685211105, 47.151707225, 53.472648661};
    static const double continuum[3] = {15.68480053404, 47.15043857363, 53.47485879183};
    ph_vec3 x[65];
    double coarse[3], fine[3], limit[3], worst = 0;
    rest("roll_up", 64, x);
    for (int i = 0; i <= 64; i++) {
        double a = PI * i / 32, r = 5 / PI;
        worst = ph_larger(worst, ph_norm(ph_sub(x[i], ph_v3(r * sin(a), r * (1 - cos(a)), 0))));
    }
    check_le(worst, 1e-13); /* round-off: exact for constant strain, length 10 */
    rest("bend45", 32, x), ph_store3(coarse, x[32]);
    rest("bend45", 64, x), ph_store3(fine, x[64]);
    for (int i = 0; i < 3; i++)
        limit[i] = fine[i] + (fine[i] - coarse[i]) / 3;
    check_le(max_diff(fine, tip, 3), 1e-7);        /* reference: printed digits, conditioning */
    check_le(max_diff(limit, continuum, 3), 1e-6); /* reference: what extrapolation of order 2 leaves */
}

/* Tip loads: the error is that of curvature constant in each element, whatever the slenderness; none with
 * rbf. */
static void nothing_locks(void **state)
{
    (void)state;
    static const double ratios[] = {10, 1e5, 1e9};
    for (int k = 0; k < 3; k++)
        for (int n = 1; n <= 16; n *= 2)
            for (int rbf = 0; rbf < 2; rbf++) {
                fixture r;
                ph_model *m;
                char text[600];
                snprintf(text, sizeof text,
                         "beam { name = 'rod', from = {0, 0, 0}, to = {1, 0, 0}, n = %d, rbf = %s,\n"
                         "  ends = {'clamped', 'free'}, section = {EA = %g, GA = %g, GJ = 1, EI = 1},\n"
                         "  mass = {rhoA = 1, J = {1, 1, 1}} }\n"
                         "force { name = 'tip', body = 'rod.%d', value = {0, 1e-7, 0} }\n",
                         n, rbf ? "true" : "false", ratios[k], ratios[k], n);
                open_static(&r, &m, text, PH_SPACE_SE3);
                equilibrate(&r, 1, 4);
                ph_state s = fixture_state(&r);
                double exact = 1e-7 * (1. / 3 + 1 / ratios[k]), lost = rbf ? 0 : 1e-7 / 3 / (4. * n * n);
                double ratio = ph_kin_of(r.mech, &s, n).x.y / exact;
                check_near(ratio, 1 - lost / exact,
                           1e-11); /* round-off: d is nearly along the beam, which is an axis */
                fixture_close(&r);
                ph_model_free(m);
            }
}

/* Lowest frequency of a clamped beam. */
static double lowest_frequency(const char *section, int n)
{
    fixture r;
    ph_model *m;
    char text[600];
    snprintf(
        text, sizeof text,
        "beam { name = 'rod', from = {0, 0, 0}, to = {10, 0, 0}, n = %d, ends = {'clamped', 'free'}, %s }\n",
        n, section);
    open_static(&r, &m, text, PH_SPACE_R3XSO3);
    double omega = fixture_frequency(&r, 0);
    fixture_close(&r);
    ph_model_free(m);
    return omega;
}

/* reference: an independent program with lumped masses; Timoshenko's beam is 3.797562870 and 0.646851820 */
static void clamped_beam_vibrates(void **state)
{
    (void)state;
    static const char slender[] = "section = {EA = 2.8e7, GA = 1e7, GJ = 1.4e4, EI = 1.4e4}, "
                                  "mass = {rhoA = 1.2, J = {6e-4, 6e-4, 6e-4}}",
                      thick[] = "section = {EA = 1e4, GA = 1e4, GJ = 500, EI = 500}, "
                                "mass = {rhoA = 1, J = {10, 10, 10}}";
    check_near(lowest_frequency(slender, 8), 3.781821991, 4e-8); /* 1e-8 relative: printed digits */
    check_near(lowest_frequency(slender, 16), 3.793628849, 4e-8);
    check_near(lowest_frequency(thick, 8), 0.644281697, 6e-9);
    check_near(lowest_frequency(thick, 16), 0.646206972, 6e-9);
}

/* ---- motion -------------------------------------------------------------------------------------- */

typedef struct flight {
    ph_model *m;
    ph_mechanism *mech;
    ph_sim *sim;
} flight;

static void fly(flight *f, const char *text, ph_space_code space, ph_options opt, long steps)
{
    const double *q0, *v0;
    ph_error err = {0};
    f->m = read_text(text);
    if (ph_mechanism_create(&f->mech, f->m, space, NULL, &err) != PH_OK ||
        ph_mechanism_initial(f->mech, 0, &q0, &v0, &err) != PH_OK ||
        ph_sim_create(&f->sim, ph_mechanism_system(f->mech), &opt, 0, q0, v0, &err) != PH_OK ||
        ph_sim_run(f->sim, steps, NULL, NULL, &err) != PH_OK)
        fail_msg("%s", err.text);
}

static void land(flight *f)
{
    ph_sim_destroy(f->sim);
    ph_mechanism_destroy(f->mech);
    ph_model_free(f->m);
}

static ph_vec3 position(const flight *f, int body)
{
    ph_state s = ph_sim_state(f->sim);
    return ph_kin_of(f->mech, &s, body).x;
}

static void spaghetti(char *text, size_t size, int n)
{
    snprintf(text, size,
             "local function m(t) return t < 2.5 and 80 * t or t < 5 and 80 * (5 - t) or 0 end\n"
             "beam { name = 'rod', from = {6, 0, 0}, to = {0, 8, 0}, n = %d,\n"
             "  section = {EA = 1e4, GA = 1e4, GJ = 500, EI = 500}, mass = {rhoA = 1, J = {10, 10, 10}} }\n"
             "force { name = 'f', body = 'rod.0', value = function(t) return m(t) / 10, 0, 0 end }\n"
             "torque { name = 't', body = 'rod.0', value = function(t) return 0, -m(t) / 2, -m(t) end }\n",
             n);
}

static ph_options options(double h, double sigma, ph_formulation formulation)
{
    ph_options o = ph_default_options();
    o.h = h, o.sigma = sigma, o.rho = 0.9, o.formulation = formulation;
    return o;
}

/* reference: two other programs, one of which is that of the literature, agree on all printed digits */
static void spaghetti_flies(void **state)
{
    (void)state;
    char text[700];
    flight f;
    ph_options o = options(1. / 256, 0, PH_INDEX3);
    o.start = PH_PLAIN;
    spaghetti(text, sizeof text, 16);
    fly(&f, text, PH_SPACE_SE3, o, 2560);
    double x[6];
    ph_store3(x, position(&f, 0)), ph_store3(x + 3, position(&f, 16));
    const double want[6] = {44.43329037, 1.88251523, -2.22819162, 36.3675525397, 6.1469209432, 1.8171843694};
    check_le(max_diff(x, want, 6), 1e-7); /* reference */
    ph_state s = ph_sim_state(f.sim);
    check_near(ph_mechanism_energy(f.mech, &s), 881.7019, 1e-4); /* reference: printed digits */
    land(&f);
}

typedef struct onlooker {
    ph_mechanism *mech;
    double least;
} onlooker;

/* Least u2 of models/spin_up.lua, the deflection as seen from the shaft. */
static ph_status see_deflection(const ph_sim *sim, void *ctx)
{
    onlooker *see = ctx;
    double u[2];
    ph_state s = ph_sim_state(sim);
    if (ph_mechanism_sensor(see->mech, &s, 0, u) != PH_OK)
        return PH_E_CALLBACK;
    see->least = fmin(see->least, u[1]);
    return PH_OK;
}

/* reference: the same method, programmed independently, with the first node prescribed instead of driven */
static void shaft_spins_up(void **state)
{
    (void)state;
    onlooker see = {0};
    ph_model *m;
    ph_sim *sim = NULL;
    ph_error err = {0};
    const double *q0, *v0;
    const ph_setting lumped[] = {{"n", 8}, {"mass", 0}};
    if (ph_model_read(&m, PH_TEST_DIR "/../models/spin_up.lua", lumped, 2, NULL, &err) != PH_OK)
        fail_msg("%s", err.text);
    ph_options o = ph_model_run_def(m).opt;
    if (ph_mechanism_create(&see.mech, m, PH_SPACE_SE3, NULL, &err) != PH_OK ||
        ph_mechanism_initial(see.mech, 0, &q0, &v0, &err) != PH_OK ||
        ph_sim_create(&sim, ph_mechanism_system(see.mech), &o, 0, q0, v0, &err) != PH_OK ||
        ph_sim_run(sim, 2800, see_deflection, &see, &err) != PH_OK)
        fail_msg("%s", err.text);
    check_near(see.least, -0.577277723, 1e-7); /* reference */
    ph_sim_destroy(sim), ph_mechanism_destroy(see.mech), ph_model_free(m);
}

/* Order from the differences of three step sizes. */
static double order_of(ph_vec3 a, ph_vec3 b, ph_vec3 c)
{
    return log2(ph_norm(ph_sub(a, b)) / ph_norm(ph_sub(b, c)));
}

static void free_flight_has_order_2(void **state)
{
    (void)state;
    numbers_alone();
    char text[700];
    spaghetti(text, sizeof text, 4);
    for (int k = 0; k < 4; k++) {
        ph_vec3 x[4];
        for (int i = 0; i < 4; i++) {
            flight f;
            fly(&f, text, k / 2 ? PH_SPACE_SE3 : PH_SPACE_R3XSO3, options(1. / (512 << i), k % 2, PH_INDEX3),
                512L << i);
            x[i] = position(&f, 4);
            land(&f);
        }
        check_near(order_of(x[0], x[1], x[2]), 2, 0.15); /* order */
        check_near(order_of(x[1], x[2], x[3]), 2, 0.15);
    }
}

static const char swinging[] =
    "gravity {0, 0, -9.81}\n"
    "beam { name = 'rod', from = {0, 0, 0}, to = {1, 0, 0.2}, n = 4, frame = {0, 1, 0},\n"
    "  section = {EA = 200, GA = 100, GJ = 3, EI = 4}, mass = {rhoA = 1, J = {0.1, 0.05, 0.05}} }\n"
    "joint { name = 'hinge', type = 'revolute', bodies = {'ground', 'rod.0'}, at = {0, 0, 0}, axis = {0.3, "
    "1, 0} }\n";

/* On a hinge: order 2 of the tip, of velocities and of multipliers in both forms; constraints hold. */
static void hinged_beam_has_order_2(void **state)
{
    (void)state;
    numbers_alone();
    for (int k = 0; k < 8; k++) {
        ph_vec3 x[4], v[4], F[4];
        ph_formulation form = k % 2 ? PH_GGL : PH_INDEX3;
        for (int i = 0; i < 4; i++) {
            flight f;
            double position_error, velocity_error;
            int n = 256 << i;
            fly(&f, swinging, k / 4 ? PH_SPACE_SE3 : PH_SPACE_R3XSO3, options(0.5 / n, k / 2 % 2, form), n);
            ph_state s = ph_sim_state(f.sim);
            ph_kin tip = ph_kin_of(f.mech, &s, 4);
            ph_vec3 torque;
            x[i] = tip.x, v[i] = tip.v;
            ph_mechanism_reaction(f.mech, &s, 0, &F[i], &torque);
            assert_int_equal(ph_sim_violation(f.sim, &position_error, &velocity_error), PH_OK);
            check_le(position_error, 1e-12); /* invariant */
            if (form == PH_GGL)
                check_le(velocity_error, 1e-10); /* invariant */
            land(&f);
        }
        for (int i = 0; i < 2; i++) {
            check_near(order_of(x[i], x[i + 1], x[i + 2]), 2, 0.15); /* order */
            check_near(order_of(v[i], v[i + 1], v[i + 2]), 2, 0.15);
            check_near(order_of(F[i], F[i + 1], F[i + 2]), 2, 0.15);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_tangent_operator_serves_both_ends),
        cmocka_unit_test(force_is_derivative_of_energy),
        cmocka_unit_test(tangent_is_as_unsymmetric_as_it_must_be),
        cmocka_unit_test(frames_do_not_matter),
        cmocka_unit_test(mechanisms_have_right_tangents),
        cmocka_unit_test(beams_become_bodies),
        cmocka_unit_test(arcs_are_exact),
        cmocka_unit_test(memory_ends),
        cmocka_unit_test(beam_rolls_up),
        cmocka_unit_test(beam_of_45_degrees_bends),
        cmocka_unit_test(models_come_to_rest),
        cmocka_unit_test(nothing_locks),
        cmocka_unit_test(clamped_beam_vibrates),
        cmocka_unit_test(spaghetti_flies),
        cmocka_unit_test(shaft_spins_up),
        cmocka_unit_test(free_flight_has_order_2),
        cmocka_unit_test(hinged_beam_has_order_2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
