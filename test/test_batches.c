/* Elements in lanes give what each gives alone, bit for bit. */
#include "mech_cases.h"

static const ph_space_code spaces[] = {PH_SPACE_R3XSO3, PH_SPACE_SE3};

/* Numbers without structure, symmetric and positive. */
static void section(double A[36], uint64_t *seed)
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j <= i; j++)
            A[6 * i + j] = A[6 * j + i] = (i == j ? 3 : 0) + rnd(seed) / 2;
}

/* [m I, -m tilde(c); m tilde(c), J] */
static void heavy_section(double A[36], int centred, uint64_t *seed)
{
    double m = 2 + rnd(seed);
    ph_vec3 c = ph_scale(centred ? 0 : m / 5, rnd3(seed));
    ph_mat3 blocks[4] = {ph_diag3(m, m, m), ph_tilde(ph_scale(-1, c)), ph_tilde(c), rnd_inertia(seed)};
    for (int k = 0; k < 36; k++) {
        double b[9];
        ph_store33(b, blocks[2 * (k / 18) + k % 6 / 3]);
        A[k] = b[3 * (k / 6 % 3) + k % 3];
    }
}

typedef struct rod {
    kit k;
    double K6[8][36], D6[8][36], M6[8][36];
} rod;

/* Seven nodes, six elements between them, each with numbers of its own, and one from the last to the ground. mass: 0 none, else a model. */
static void make_rod(rod *o, int damped, int mass, uint64_t *seed)
{
    kit_open(&o->k);
    for (int i = 0; i < 7; i++) {
        kit_random_body(&o->k, "node", seed);
        o->k.body[i].bare = mass > 0;
        o->k.body[i].R = ph_qmul(i ? o->k.body[i - 1].R : (ph_quat){1, 0, 0, 0}, rnd_turn(0.6, seed));
    }
    for (int i = 0; i < 7; i++) {
        ph_force_def *f = kit_force(&o->k, "element", PH_F_BEAM, i, i < 6 ? i + 1 : PH_GROUND);
        section(o->K6[i], seed), section(o->D6[i], seed), heavy_section(o->M6[i], mass == 3, seed);
        f->K6 = o->K6[i], f->D6 = damped ? o->D6[i] : NULL;
        f->M6 = mass ? o->M6[i] : NULL, f->mass_model = mass ? mass - 1 : 0;
    }
}

/* Anywhere near, in motion. */
static void stray(fixture *r, const kit *k, uint64_t *seed)
{
    for (int b = 0; b < k->m.n_bodies; b++) {
        ph_kin at = {.x = ph_add(k->body[b].x, ph_scale(0.3, rnd3(seed)))};
        at.q = ph_qmul(k->body[b].R, rnd_turn(0.6, seed));
        at.v = rnd3(seed), at.w = rnd3(seed);
        fixture_set(r, b, at);
    }
    for (int i = 0; i < r->nv; i++)
        r->at.vdot[i] = rnd(seed);
    for (int i = 0; i < r->nl; i++)
        r->at.lambda[i] = rnd(seed);
}

/* Each element alone from now on. */
static void leave_lanes(ph_mechanism *m)
{
    m->n_beams = m->n_hinges = 0;
    m->n_unpinned = m->n_joints;
    for (int k = 0; k < m->n_joints; k++)
        m->unpinned[k] = k;
    for (int k = 0; k < m->n_forces; k++)
        m->force[k].in_lane = 0;
}

static void same(int n, const double *a, const double *b, double tol)
{
    for (int i = 0; i < n; i++)
        check_near(a[i], b[i], tol);
}

/* What comes at once is what comes alone. */
static void compare_tangents(fixture *r)
{
    ph_state s = fixture_state(r);
    int n = r->lay.size_pairs, nv = r->nv;
    double *x = calloc((size_t)(4 * n + 2 * nv), sizeof(double)), *C = x, *K = x + n, *g = x + 4 * n;
    assert_non_null(x);
    if (r->sys->tangents) {
        assert_int_equal(r->sys->tangents(&s, g, C, K, r->sys->ctx), PH_OK);
        fixture_call(r, r->sys->g, &s, g + nv);
        fixture_call(r, r->sys->C, &s, C + 2 * n);
        fixture_call(r, r->sys->K, &s, K + 2 * n);
        same(nv, g, g + nv, 0), same(2 * n, x, x + 2 * n, 0); /* exact */
    }
    free(x);
}

static void compare(fixture *a, fixture *b, double tol, double tol_K)
{
    compare_tangents(a), compare_tangents(b);
    ph_state sa = fixture_state(a), sb = fixture_state(b);
    int nv = a->nv, nl = a->nl;
    fixture_tangents(a, &sa), fixture_tangents(b, &sb);
    same(nv, a->g, b->g, tol), same(nv * nv, a->M, b->M, tol), same(nv * nv, a->C, b->C, tol),
        same(nv * nv, a->K, b->K, tol_K);
    same(nl, a->Phi, b->Phi, tol), same(nl * nv, a->B, b->B, tol), same(nl * nv, a->Z, b->Z, tol);
    same(nl, a->convective, b->convective, tol);
    double A[2], B[2];
    ph_mechanism_energies(a->mech, &sa, &A[0], &A[1]), ph_mechanism_energies(b->mech, &sb, &B[0], &B[1]);
    same(2, A, B, 1e-13 * (fabs(B[0]) + fabs(B[1]))); /* round-off: the last element comes after the others */
}

static void beams_are_those_of_one_element(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int trial = 0; trial < 32; trial++) {
        static rod o;
        fixture lanes, alone;
        ph_space_code space = spaces[trial % 2];
        make_rod(&o, trial / 2 % 2, trial / 4 % 4, &seed);
        fixture_open(&lanes, &o.k.m, space), fixture_open(&alone, &o.k.m, space);
        assert_int_equal(lanes.mech->n_beams, 2);
        leave_lanes(alone.mech);
        uint64_t again = seed;
        stray(&lanes, &o.k, &seed), stray(&alone, &o.k, &again);
        /* exact; round-off where R (Omega x U) comes by other ways */
        double tol = space == PH_SPACE_SE3 && o.k.force[0].M6 ? 1e-13 : 0;
        compare(&lanes, &alone, tol, tol);
        fixture_close(&lanes), fixture_close(&alone);
    }
}

/* The element that turns too far is named, wherever it stands. */
static void a_lane_that_turns_too_far_is_found(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int bent = 0; bent < 6; bent++) {
        static rod o;
        fixture r;
        make_rod(&o, 0, bent % 4, &seed);
        fixture_open(&r, &o.k.m, spaces[bent % 2]);
        for (int b = 0; b < 7; b++) {
            ph_kin at = {.x = o.k.body[b].x};
            at.q = b > bent ? turn_about(ph_v3(0, 0, 1), 3) : (ph_quat){1, 0, 0, 0};
            fixture_set(&r, b, at);
        }
        ph_state s = fixture_state(&r);
        assert_int_equal(r.sys->g(&s, r.g, r.sys->ctx), PH_E_CALLBACK);
        assert_int_equal(r.mech->turned, bent + 1);
        double T, V;
        ph_mechanism_energies(r.mech, &s, &T, &V);
        int helicoidal = bent % 4 == 3; /* has no energies then */
        assert_true(helicoidal ? isnan(T) && isnan(V) : isfinite(T) && isfinite(V));
        fixture_close(&r);
    }
}

/* A chain of nine bodies from the ground: seven joints of one kind between bodies, and one of another. */
static void joints_are_those_of_one(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int trial = 0; trial < 8; trial++) {
        static kit k;
        fixture lanes, alone;
        int type = trial % 2 ? PH_J_FIXED : PH_J_REVOLUTE;
        kit_open(&k);
        for (int i = 0; i < 9; i++) {
            kit_random_body(&k, "link", &seed);
            ph_vec3 at = rnd3(&seed);
            kit_joint(&k, "joint", i == 4 ? PH_J_PRISMATIC : type, i - 1, i, at, unit3(&seed));
        }
        fixture_open(&lanes, &k.m, PH_SPACE_R3XSO3), fixture_open(&alone, &k.m, PH_SPACE_R3XSO3);
        assert_int_equal(lanes.mech->n_hinges, 2);
        assert_int_equal(lanes.mech->n_unpinned, 2);
        leave_lanes(alone.mech);
        uint64_t again = seed;
        stray(&lanes, &k, &seed), stray(&alone, &k, &again);
        compare(&lanes, &alone, 0, 1e-14); /* exact; K round-off: sums of two parts have another order */
        fixture_close(&lanes), fixture_close(&alone);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_are_those_of_one),
        cmocka_unit_test(beams_are_those_of_one_element),
        cmocka_unit_test(a_lane_that_turns_too_far_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
