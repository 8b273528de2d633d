/* Flexible bodies in mechanisms: energy and momentum, markers as bodies, what users see, initial values, and
 * motions. That all derivatives are right is in test_mech.c. */
#include "flex_cases.h"

#include "polhode/equilibrium.h"

static const ph_space_code spaces[] = {PH_SPACE_R3XSO3, PH_SPACE_SE3, PH_SPACE_EULER, PH_SPACE_CARDAN};

#define SPACES ((int)(sizeof spaces / sizeof *spaces))

/* ---- one body ------------------------------------------------------------------------------------- */

/* Any motion of a cloud that nothing holds, in the coordinates of a space. */
static void open_cloud(kit *k, rig *r, cloud *c, int space, double damping, ph_vec3 gravity, uint64_t *seed)
{
    cloud_open(c, 3, 4, damping, seed);
    kit_open(k);
    k->m.gravity = gravity;
    ph_vec3 at = rnd3(seed);
    kit_flexible(k, "rod", &c->x, at, rnd_turn(0.5, seed));
    rig_open(r, &k->m, spaces[space]);
    rig_scatter(r, seed);
    rig_project_v(r); /* of Euler parameters: p . p' = 0 */
    rig_accelerate(r);
}

/* Linear and angular momentum, and energy without that of modes, of the nodes. */
static void sum_nodes(const rig *r, const cloud *c, const ph_state *s, double *out)
{
    ph_vec3 P = {0}, L = {0};
    double E = 0;
    for (int i = 0; i < CLOUD; i++) {
        ph_vec3 x, v;
        cloud_node(c, r->mech, s, 0, i, &x, &v);
        P = ph_add(P, ph_scale(c->m[i], v)), L = ph_add(L, ph_scale(c->m[i], ph_cross(x, v)));
        E += c->m[i] * (ph_dot(v, v) / 2 - ph_dot(r->mech->model->gravity, x));
    }
    ph_store3(out, P), ph_store3(out + 3, L), out[6] = E;
}

static void energy_is_that_of_the_nodes(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int s = 0; s < SPACES; s++) {
        kit k;
        rig r;
        cloud c;
        double sum[7], elastic = 0;
        open_cloud(&k, &r, &c, s, 0, ph_v3(1, 2, -9), &seed);
        ph_state at = rig_state(&r);
        sum_nodes(&r, &c, &at, sum);
        for (int i = 0; i < 3; i++)
            elastic += 4 * (1 + i) * at.q[r.mech->flex[0].q + i] * at.q[r.mech->flex[0].q + i] / 2;
        check_near(ph_mechanism_energy(r.mech, &at), sum[6] + elastic, 1e-12); /* round-off: energies of 30 J */
        k.m.gravity = ph_v3(0, 0, 0);
        sum_nodes(&r, &c, &at, sum);
        check_near(ph_mechanism_kinetic(r.mech, &at), sum[6], 1e-12); /* round-off */
        rig_close(&r);
    }
}

/* The rate of what the nodes have, along the motion. */
static void node_rates(rig *r, const cloud *c, double *rate)
{
    memset(rate, 0, 7 * sizeof *rate);
    for (int k = 0; k < 8; k++) {
        double sum[7], side = k % 2 ? -1 : 1;
        ph_state s = rig_shift(r, VARY_FALL, 0, side * (k / 2 + 1) * STEP8);
        sum_nodes(r, c, &s, sum);
        for (int i = 0; i < 7; i++)
            rate[i] += side * weight8[k / 2] / STEP8 * sum[i];
    }
}

static void free_bodies_keep_energy_and_momentum(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int s = 0; s < SPACES; s++)
        for (int damped = 0; damped < 2; damped++) {
            kit k;
            rig r;
            cloud c;
            double rate[7];
            open_cloud(&k, &r, &c, s, damped ? 0.5 : 0, ph_v3(0, 0, 0), &seed);
            node_rates(&r, &c, rate);
            /* derivative: order 8; Euler parameters leave the unit sphere along q + e v */
            check_le(ph_small_max(6, rate), spaces[s] == PH_SPACE_EULER ? 1e-8 : 1e-10);
            if (damped)
                assert_true(rig_power(&r) < -1e-3);
            else
                check_le(fabs(rig_power(&r)), spaces[s] == PH_SPACE_EULER ? 1e-8 : 1e-10);
            rig_close(&r);
        }
}

/* Gravity pulls all nodes alike, whatever the body does; the factor of loads multiplies it. */
static void weight_is_that_of_the_nodes(void **state)
{
    (void)state;
    uint64_t seed = 3;
    kit k;
    rig r;
    cloud c;
    double rate[7], m = 0;
    open_cloud(&k, &r, &c, 1, 0, ph_v3(1, 2, -9), &seed);
    for (int i = 0; i < CLOUD; i++)
        m += c.m[i];
    for (int load = 1; load >= 0; load--) {
        double want[3] = {load * m, load * 2 * m, load * -9 * m};
        ph_mechanism_load(r.mech, load);
        rig_accelerate(&r);
        node_rates(&r, &c, rate);
        check_le(max_diff(rate, want, 3), 1e-10); /* derivative: order 8 */
    }
    rig_close(&r);
}

/* ---- markers -------------------------------------------------------------------------------------- */

/* A rod on the ground at its root, a body at its tip, a second rod, springs. */
static void make_chain(kit *k, cloud c[2], uint64_t *seed)
{
    enum { ROD, ROOT, TIP, BODY, ARM, ARM_ROOT, ARM_TIP };
    kit_open(k);
    for (int i = 0; i < 2; i++) {
        cloud_open(&c[i], 3 - i, 5, 0, seed);
        ph_vec3 at = rnd3(seed);
        kit_flexible(k, i ? "arm" : "rod", &c[i].x, at, rnd_turn(0.5, seed));
        if (i == 0)
            kit_random_body(k, "body", seed);
    }
    kit_joint(k, "foot", PH_J_SPHERICAL, PH_GROUND, ROOT, k->body[ROOT].x, ph_v3(0, 0, 1));
    kit_joint(k, "hinge", PH_J_REVOLUTE, TIP, BODY, k->body[TIP].x, unit3(seed));
    kit_joint(k, "clamp", PH_J_FIXED, BODY, ARM_ROOT, k->body[ARM_ROOT].x, ph_v3(0, 0, 1));
    ph_force_def *f = kit_force(k, "spring", PH_F_SPRING, ROD, ARM_TIP);
    f->k = 3, f->at_a = rnd3(seed), f->at_b = rnd3(seed), f->length = 0.5;
    f = kit_force(k, "bushing", PH_F_BUSHING, PH_GROUND, TIP);
    f->k3 = ph_v3(1, 2, 3), f->kr3 = ph_v3(1, 1, 2), f->at_b = rnd3(seed);
}

/* On the manifold where zeta = 0, in any motion that the joints allow. */
static void put_in_motion(rig *r, const kit *k, uint64_t *seed)
{
    for (int b = 0; b < k->m.n_bodies; b++) {
        ph_kin kin = {.x = k->body[b].x, .q = k->body[b].R};
        kin.v = rnd3(seed), kin.w = rnd3(seed);
        rig_set(r, b, kin);
    }
    for (const ph_flex *f = r->mech->flex, *end = f + r->mech->n_flex; f < end; f++)
        for (int i = 0; i < f->r->modes; i++)
            r->at.v[f->v + i] = rnd(seed);
}

/* What all spaces must have in common. */
static void spaces_agree(void **state)
{
    (void)state;
    uint64_t seed = 4;
    kit k;
    cloud c[2];
    ph_body_state want[8];
    ph_vec3 force[3], torque[3];
    double speed[64] = {0};
    make_chain(&k, c, &seed);
    for (int s = 0; s < SPACES; s++) {
        rig r;
        uint64_t again = 5;
        rig_open(&r, &k.m, spaces[s]);
        put_in_motion(&r, &k, &again);
        if (s == 0) { /* velocities that joints allow, by the modes and bodies of the first space */
            rig_project_v(&r);
            memcpy(speed, r.at.v, sizeof(double) * (size_t)r.nv);
        }
        for (int b = 0; b < k.m.n_bodies && s; b++) {
            const ph_body *body = &r.mech->body[b];
            if (body->turns)
                rig_set(&r, b, (ph_kin){.x = want[b].x, .v = want[b].v, .w = want[b].omega, .q = want[b].q});
        }
        rig plain;
        rig_open(&plain, &k.m, spaces[0]);
        for (int f = 0; f < 2; f++)
            memcpy(r.at.v + r.mech->flex[f].v, speed + plain.mech->flex[f].v,
                   sizeof(double) * (size_t)r.mech->flex[f].r->modes);
        rig_close(&plain);
        rig_accelerate(&r);
        ph_state at = rig_state(&r);
        rig_residual(&r, &at);
        check_le(ph_small_max(r.nl, r.rate), 1e-13); /* round-off */
        for (int b = 0; b < k.m.n_bodies; b++) {
            ph_body_state got;
            ph_mechanism_body(r.mech, &at, b, &got);
            if (s == 0)
                want[b] = got;
            /* round-off: forces of 50 N through a matrix of condition 1e3 */
            check_le(max_diff(&got.a.x, &want[b].a.x, 3), 1e-10);
            check_le(max_diff(&got.omega_dot.x, &want[b].omega_dot.x, 3), 1e-10);
        }
        for (int j = 0; j < 3; j++) {
            ph_vec3 f, t;
            ph_mechanism_reaction(r.mech, &at, j, &f, &t);
            if (s == 0)
                force[j] = f, torque[j] = t;
            check_le(fmax(max_diff(&f.x, &force[j].x, 3), max_diff(&t.x, &torque[j].x, 3)), 1e-9);
        }
        check_le(fabs(rig_power(&r)), spaces[s] == PH_SPACE_EULER ? 1e-7 : 1e-9); /* derivative: order 8 */
        rig_close(&r);
    }
}

/* The motion of a marker, and what sensors say of it. */
static void markers_move_as_bodies(void **state)
{
    (void)state;
    uint64_t seed = 6;
    for (int s = 0; s < SPACES; s++) {
        kit k;
        rig r;
        flex x;
        double v[3] = {0}, w[3] = {0}, a[3] = {0}, at[3] = {0.3, -0.2, 0.4}, got[3], sensed[3];
        kit_open(&k);
        int tip = kit_random_flexible(&k, "rod", &x, 3, &seed) + 2;
        int position = kit_sensor(&k, PH_S_POSITION, tip, -1), velocity = kit_sensor(&k, PH_S_VELOCITY, tip, -1);
        int acceleration = kit_sensor(&k, PH_S_ACCELERATION, tip, -1);
        for (int i = 0; i < 3; i++)
            k.sensor[i].at = ph_load3(at), k.sensor[i].size = 3;
        rig_open(&r, &k.m, spaces[s]);
        rig_scatter(&r, &seed);
        rig_project_v(&r);
        ph_body_state b;
        for (int i = 0; i < 8; i++) {
            double c = (i % 2 ? -1 : 1) * weight8[i / 2] / STEP8;
            ph_state moved = rig_shift(&r, VARY_FALL, 0, (i % 2 ? -1 : 1) * (i / 2 + 1) * STEP8);
            ph_mechanism_body(r.mech, &moved, tip, &b);
            w[0] += c * b.omega.x, w[1] += c * b.omega.y, w[2] += c * b.omega.z;
            ph_mechanism_sensor(r.mech, &moved, position, got);
            ph_mechanism_sensor(r.mech, &moved, velocity, sensed);
            for (int j = 0; j < 3; j++)
                v[j] += c * got[j], a[j] += c * sensed[j];
        }
        ph_state here = rig_state(&r);
        double tol = spaces[s] == PH_SPACE_EULER ? 1e-7 : 1e-9; /* derivative: order 8, numbers of size 10 */
        ph_mechanism_body(r.mech, &here, tip, &b);
        ph_store3(got, b.omega_dot);
        check_le(max_diff(w, got, 3), tol);
        ph_mechanism_sensor(r.mech, &here, velocity, got);
        check_le(max_diff(v, got, 3), tol);
        ph_mechanism_sensor(r.mech, &here, acceleration, got);
        check_le(max_diff(a, got, 3), tol);
        rig_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_is_that_of_the_nodes),
        cmocka_unit_test(free_bodies_keep_energy_and_momentum),
        cmocka_unit_test(weight_is_that_of_the_nodes),
        cmocka_unit_test(spaces_agree),
        cmocka_unit_test(markers_move_as_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
