/* Flexible bodies in mechanisms: energy and momentum, markers as bodies, what users see, initial values, and
 * motions. That all derivatives are right is in test_mech.c. */
#include "flex_cases.h"

#include "polhode/equilibrium.h"

static const ph_space_code spaces[] = {PH_SPACE_R3XSO3, PH_SPACE_SE3, PH_SPACE_EULER, PH_SPACE_CARDAN};

#define SPACES ((int)(sizeof spaces / sizeof *spaces))

/* ---- one body ------------------------------------------------------------------------------------- */

/* Any motion of a cloud that nothing holds, in the coordinates of a space. */
static void open_cloud(kit *k, fixture *r, cloud *c, int space, double damping, ph_vec3 gravity,
                       uint64_t *seed)
{
    cloud_open(c, 3, 4, damping, seed);
    kit_open(k);
    k->m.gravity = gravity;
    ph_vec3 at = rnd3(seed);
    kit_flexible(k, "rod", &c->x, at, rnd_turn(0.5, seed));
    fixture_open(r, &k->m, spaces[space]);
    fixture_scatter(r, seed);
    fixture_project_v(r); /* of Euler parameters: p . p' = 0 */
    fixture_accelerate(r);
}

/* Linear and angular momentum, and energy without that of modes, of the nodes. */
static void sum_nodes(const fixture *r, const cloud *c, const ph_state *s, double *out)
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
        fixture r;
        cloud c;
        double sum[7], elastic = 0;
        open_cloud(&k, &r, &c, s, 0, ph_v3(1, 2, -9), &seed);
        ph_state at = fixture_state(&r);
        sum_nodes(&r, &c, &at, sum);
        for (int i = 0; i < 3; i++)
            elastic += 4 * (1 + i) * at.q[r.mech->flex[0].q + i] * at.q[r.mech->flex[0].q + i] / 2;
        check_near(ph_mechanism_energy(r.mech, &at), sum[6] + elastic,
                   1e-12); /* round-off: energies of 30 J */
        k.m.gravity = ph_v3(0, 0, 0);
        sum_nodes(&r, &c, &at, sum);
        check_near(ph_mechanism_kinetic(r.mech, &at), sum[6], 1e-12); /* round-off */
        fixture_close(&r);
    }
}

/* The rate of what the nodes have, along the motion. */
static void node_rates(fixture *r, const cloud *c, double *rate)
{
    memset(rate, 0, 7 * sizeof *rate);
    for (int k = 0; k < 8; k++) {
        double sum[7], side = k % 2 ? -1 : 1;
        ph_state s = fixture_shift(r, VARY_FALL, 0, side * (k / 2 + 1) * STEP8);
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
            fixture r;
            cloud c;
            double rate[7];
            open_cloud(&k, &r, &c, s, damped ? 0.5 : 0, ph_v3(0, 0, 0), &seed);
            node_rates(&r, &c, rate);
            check_le(ph_small_max(6, rate), 1e-10); /* derivative: order 8 */
            if (damped)
                assert_true(fixture_power(&r) < -1e-3);
            else
                check_le(fabs(fixture_power(&r)), 1e-10); /* derivative: order 8 */
            fixture_close(&r);
        }
}

/* Gravity pulls all nodes alike, whatever the body does; the factor of loads multiplies it. */
static void weight_is_that_of_the_nodes(void **state)
{
    (void)state;
    uint64_t seed = 3;
    kit k;
    fixture r;
    cloud c;
    double rate[7], m = 0;
    open_cloud(&k, &r, &c, 1, 0, ph_v3(1, 2, -9), &seed);
    for (int i = 0; i < CLOUD; i++)
        m += c.m[i];
    for (int load = 1; load >= 0; load--) {
        double want[3] = {load * m, load * 2 * m, load * -9 * m};
        ph_mechanism_set_load_factor(r.mech, load);
        fixture_accelerate(&r);
        node_rates(&r, &c, rate);
        check_le(max_diff(rate, want, 3), 1e-10); /* derivative: order 8 */
    }
    fixture_close(&r);
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
    f->k3 = ph_v3(1, 2, 3), f->kr3 = ph_v3(1, 1, 1), f->at_b = rnd3(seed); /* conservative */
}

/* On the manifold where zeta = 0, in any motion that the joints allow. */
static void put_in_motion(fixture *r, const kit *k, uint64_t *seed)
{
    for (int b = 0; b < k->m.n_bodies; b++) {
        ph_kin kin = {.x = k->body[b].x, .q = k->body[b].R};
        kin.v = rnd3(seed), kin.w = rnd3(seed);
        fixture_set(r, b, kin);
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
        fixture r;
        uint64_t again = 5;
        fixture_open(&r, &k.m, spaces[s]);
        put_in_motion(&r, &k, &again);
        if (s == 0) { /* velocities that joints allow, by the modes and bodies of the first space */
            fixture_project_v(&r);
            memcpy(speed, r.at.v, sizeof(double) * (size_t)r.nv);
        }
        for (int b = 0; b < k.m.n_bodies && s; b++) {
            const ph_body *body = &r.mech->body[b];
            if (body->turns)
                fixture_set(&r, b,
                            (ph_kin){.x = want[b].x, .v = want[b].v, .w = want[b].omega, .q = want[b].q});
        }
        fixture plain;
        fixture_open(&plain, &k.m, spaces[0]);
        for (int f = 0; f < 2; f++)
            memcpy(r.at.v + r.mech->flex[f].v, speed + plain.mech->flex[f].v,
                   sizeof(double) * (size_t)r.mech->flex[f].r->modes);
        fixture_close(&plain);
        fixture_accelerate(&r);
        ph_state at = fixture_state(&r);
        fixture_residual(&r, &at);
        check_le(ph_small_max(r.nl, r.rate), 1e-13); /* round-off */
        for (int b = 0; b < k.m.n_bodies; b++) {
            ph_body_state got;
            ph_mechanism_body(r.mech, &at, b, &got);
            if (s == 0)
                want[b] = got;
            /* round-off: forces of 50 N through a matrix of condition 1e2 */
            check_le(max_diff(&got.a.x, &want[b].a.x, 3), 1e-11);
            check_le(max_diff(&got.omega_dot.x, &want[b].omega_dot.x, 3), 1e-11);
        }
        for (int j = 0; j < 3; j++) {
            ph_vec3 f, t;
            ph_mechanism_reaction(r.mech, &at, j, &f, &t);
            if (s == 0)
                force[j] = f, torque[j] = t;
            check_le(fmax(max_diff(&f.x, &force[j].x, 3), max_diff(&t.x, &torque[j].x, 3)),
                     1e-11); /* round-off */
        }
        check_le(fabs(fixture_power(&r)), 1e-10); /* derivative: order 8 */
        fixture_close(&r);
    }
}

/* The motion of a marker, and what sensors say of it. */
static void markers_move_as_bodies(void **state)
{
    (void)state;
    uint64_t seed = 6;
    for (int s = 0; s < SPACES; s++) {
        kit k;
        fixture r;
        flex x;
        double v[3] = {0}, w[3] = {0}, a[3] = {0}, at[3] = {0.3, -0.2, 0.4}, got[3], sensed[3];
        kit_open(&k);
        int tip = kit_random_flexible(&k, "rod", &x, 3, &seed) + 2;
        int position = kit_sensor(&k, PH_S_POSITION, tip, -1),
            velocity = kit_sensor(&k, PH_S_VELOCITY, tip, -1);
        int acceleration = kit_sensor(&k, PH_S_ACCELERATION, tip, -1);
        for (int i = 0; i < 3; i++)
            k.sensor[i].at = ph_load3(at), k.sensor[i].size = 3;
        fixture_open(&r, &k.m, spaces[s]);
        fixture_scatter(&r, &seed);
        fixture_project_v(&r);
        ph_body_state b;
        for (int i = 0; i < 8; i++) {
            double c = (i % 2 ? -1 : 1) * weight8[i / 2] / STEP8;
            ph_state moved = fixture_shift(&r, VARY_FALL, 0, (i % 2 ? -1 : 1) * (i / 2 + 1) * STEP8);
            ph_mechanism_body(r.mech, &moved, tip, &b);
            w[0] += c * b.omega.x, w[1] += c * b.omega.y, w[2] += c * b.omega.z;
            ph_mechanism_sensor(r.mech, &moved, position, got);
            ph_mechanism_sensor(r.mech, &moved, velocity, sensed);
            for (int j = 0; j < 3; j++)
                v[j] += c * got[j], a[j] += c * sensed[j];
        }
        ph_state here = fixture_state(&r);
        double tol = 1e-10; /* derivative: order 8, numbers of size 10 */
        ph_mechanism_body(r.mech, &here, tip, &b);
        ph_store3(got, b.omega_dot);
        check_le(max_diff(w, got, 3), tol);
        ph_mechanism_sensor(r.mech, &here, velocity, got);
        check_le(max_diff(v, got, 3), tol);
        ph_mechanism_sensor(r.mech, &here, acceleration, got);
        check_le(max_diff(a, got, 3), tol);
        fixture_close(&r);
    }
}

static ph_status swing(const ph_function *f, double t, const ph_body_state *bodies, int n, double *out)
{
    (void)f, (void)bodies, (void)n;
    out[0] = 0.4 + sin(1.3 * t) + 0.5 * t;
    return PH_OK;
}

/* Drives and forces give what the energy gains, whatever they hold on to. */
static void drives_and_forces_give_power(void **state)
{
    (void)state;
    static const int types[] = {PH_J_REVOLUTE, PH_J_PRISMATIC, PH_J_DISTANCE};
    uint64_t seed = 18;
    for (int i = 0; i < 3; i++)
        for (int s = 0; s < SPACES; s++) {
            kit k;
            fixture r;
            cloud c[2];
            make_chain(&k, c, &seed);
            ph_joint_def *j =
                kit_joint(&k, "drive", types[i], i ? 2 : PH_GROUND, 6, rnd3(&seed), unit3(&seed));
            j->drive.call = swing, j->at_a = rnd3(&seed);
            ph_force_def *f = kit_force(&k, "push", PH_F_FORCE, PH_GROUND, 5);
            f->value = rnd3(&seed), f->at_b = rnd3(&seed), f->in_body = 1;
            kit_force(&k, "twist", PH_F_TORQUE, PH_GROUND, 6)->value = rnd3(&seed);
            k.joint[1] = k.joint[3], k.m.n_joints = 2; /* the foot and the drive */
            fixture_open(&r, &k.m, spaces[s]);
            fixture_scatter(&r, &seed);
            fixture_project_v(&r);
            fixture_accelerate(&r);
            ph_state at = fixture_state(&r);
            double power = ph_mechanism_power(r.mech, &at);
            check_le(0.01, fabs(power));                /* ordering */
            check_near(fixture_power(&r), power, 1e-9); /* derivative: order 8 of energies of 100 J */
            fixture_close(&r);
        }
}

/* ---- functions of the model ----------------------------------------------------------------------- */

/* |tip - root of the other|^2 and a product of a frame, a marker and a body. */
static ph_status rule(const ph_function *f, double t, const ph_body_state *b, int n, double *out)
{
    (void)f;
    assert_int_equal(n, 2);
    ph_vec3 tip = ph_add(b[2].x, ph_quat_rotate(b[2].q, ph_v3(0.2, 0.3, -0.1)));
    ph_vec3 d = ph_sub(tip, b[5].x), e = ph_quat_rotate(b[6].q, ph_v3(0, 0, 1));
    out[0] = ph_dot(d, d) - 1 - 0.2 * t * d.x;
    out[1] = ph_dot(e, b[0].x) + b[3].x.x * b[1].x.y - 0.1 * sin(2 * t);
    return PH_OK;
}

static void user_constraints_have_tangents(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int s = 0; s < SPACES; s++) {
        kit k;
        fixture r;
        cloud c[2];
        make_chain(&k, c, &seed);
        k.constraint[0] = (ph_user_constraint_def){.name = "rule", .rows = 2, .f = {.call = rule}};
        k.m.n_constraints = 1;
        fixture_open(&r, &k.m, spaces[s]);
        fixture_scatter(&r, &seed);
        check_le(fixture_worst(&r), 1e-5); /* derivative: second differences */
        fixture_close(&r);
    }
}

/* Looks at a frame, at a marker, and at sensors of both. */
static ph_status target(const ph_function *f, double t, const ph_body_state *b, int n, double *out)
{
    double modes[3], reaction[6];
    (void)t;
    assert_int_equal(n, 1);
    f->sight->body[1] = PH_SEEN_PLACE, f->sight->body[6] = PH_SEEN_ACCELERATION;
    f->sight->sensor(f->sight, 0, modes), f->sight->sensor(f->sight, 1, reaction);
    out[0] = b[1].x.x * b[1].x.y + b[6].a.z * b[6].omega.x + modes[1] * modes[2] +
             1e-2 * reaction[0] * reaction[4];
    return PH_OK;
}

static void objectives_have_derivatives(void **state)
{
    (void)state;
    uint64_t seed = 8;
    for (int s = 0; s < SPACES; s++) {
        kit k;
        fixture r;
        cloud c[2];
        ph_objective_def o = {.name = "target", .sensor = -1, .final = {.call = target}};
        make_chain(&k, c, &seed);
        k.sensor[kit_sensor(&k, PH_S_MODES, 0, -1)].size = 3;
        k.sensor[kit_sensor(&k, PH_S_REACTION, -1, 1)].size = 6;
        k.m.objective = &o, k.m.n_objectives = 1;
        fixture_open(&r, &k.m, spaces[s]);
        fixture_scatter(&r, &seed);
        int nv = r.nv, nl = r.nl, size = 3 * nv + nl;
        double *got = calloc((size_t)(2 * size), sizeof(double)), *x = got + size, value, by_p = 0;
        ph_covector g = {got, got + nv, got + 2 * nv, got + 3 * nv, &by_p};
        ph_state at = fixture_state(&r);
        assert_int_equal(ph_mechanism_objective(r.mech, &at, 0, PH_AT_THE_END, &value, &g), PH_OK);
        double product = 0, differenced = 0;
        for (int i = 0; i < size; i++)
            x[i] = rnd(&seed), product += got[i] * x[i];
        for (int i = 0; i < 8; i++) {
            double e = (i % 2 ? -1 : 1) * (i / 2 + 1) * STEP8;
            ph_point_copy(&r.probe, &r.at, &r.lay);
            ph_point_shift(&r.lay, &r.at, e, x, &r.probe);
            for (int j = 0; j < nv; j++)
                r.probe.v[j] += e * x[nv + j], r.probe.vdot[j] += e * x[2 * nv + j];
            for (int j = 0; j < nl; j++)
                r.probe.lambda[j] += e * x[3 * nv + j];
            ph_state moved = ph_point_view(&r.probe, &r.lay);
            assert_int_equal(ph_mechanism_objective(r.mech, &moved, 0, PH_AT_THE_END, &value, NULL), PH_OK);
            differenced += (i % 2 ? -1 : 1) * weight8[i / 2] / STEP8 * value;
        }
        check_near(product, differenced, 1e-8); /* derivative: nine digits of numbers of size 100 */
        free(got);
        fixture_close(&r);
    }
}

/* ---- initial values ------------------------------------------------------------------------------- */

static ph_status start(ph_mechanism **m, const kit *k, int space, int assemble, const double **q,
                       const double **v)
{
    ph_error err = {0};
    if (ph_mechanism_create(m, &k->m, spaces[space], NULL, &err) != PH_OK)
        fail_msg("%s", err.text);
    return ph_mechanism_initial(*m, assemble, q, v, &err);
}

/* The root on the ground, a body that moves at the tip: the rod follows as a rigid one if it can. */
static void flexible_bodies_start_undeformed(void **state)
{
    (void)state;
    uint64_t seed = 9;
    for (int s = 0; s < SPACES; s++) {
        kit k;
        cloud c[2];
        ph_mechanism *m;
        const double *q, *v;
        make_chain(&k, c, &seed);
        k.body[0].omega = rnd3(&seed), k.body[0].has_omega = 1;
        assert_int_equal(start(&m, &k, s, 0, &q, &v), PH_OK);
        for (int f = 0; f < 2; f++)
            for (int i = 0; i < m->flex[f].r->modes; i++)
                assert_true(q[m->flex[f].q + i] == 0 && v[m->flex[f].v + i] == 0); /* exact */
        ph_mechanism_destroy(m);
    }
}

/* The frame stands still and the tip is driven: only the modes can follow. */
static void modes_move_where_they_must(void **state)
{
    (void)state;
    uint64_t seed = 10;
    kit k;
    cloud c;
    ph_mechanism *m;
    const double *q, *v;
    cloud_open(&c, 3, 5, 0, &seed);
    kit_open(&k);
    kit_flexible(&k, "rod", &c.x, ph_v3(0, 0, 0), (ph_quat){1, 0, 0, 0});
    kit_body(&k, "sled", 2, ph_diag3(1, 1, 1), k.body[2].x, (ph_quat){1, 0, 0, 0});
    kit_joint(&k, "wall", PH_J_FIXED, PH_GROUND, 0, ph_v3(0, 0, 0), ph_v3(0, 0, 1));
    kit_joint(&k, "grip", PH_J_SPHERICAL, 3, 2, k.body[2].x, ph_v3(0, 0, 1));
    k.body[3].v = ph_v3(0.3, -0.2, 0.5), k.body[3].has_v = 1;
    assert_int_equal(start(&m, &k, 0, 0, &q, &v), PH_OK);
    for (int l = 0; l < 3; l++) {
        double speed = 0;
        for (int i = 0; i < 3; i++)
            speed += c.x.Psi[1][3 * l + i] * v[m->flex[0].v + i];
        check_near(speed, v[m->body[3].v[0] + l], 1e-12); /* round-off */
    }
    assert_true(v[m->body[3].v[0]] == 0.3); /* exact: given */
    ph_mechanism_destroy(m);
    k.body[0].has_omega = 1; /* 0: it starts as a rigid body, and cannot */
    assert_int_equal(start(&m, &k, 0, 0, &q, &v), PH_E_INCONSISTENT);
    ph_mechanism_destroy(m);
}

/* What does not fit together is moved as a rigid body. */
static void assembling_does_not_deform(void **state)
{
    (void)state;
    uint64_t seed = 11;
    kit k;
    cloud c;
    ph_mechanism *m;
    const double *q, *v;
    cloud_open(&c, 3, 5, 0, &seed);
    kit_open(&k);
    kit_flexible(&k, "rod", &c.x, ph_v3(0, 0, 0), (ph_quat){1, 0, 0, 0});
    kit_joint(&k, "rope", PH_J_DISTANCE, PH_GROUND, 2, ph_v3(0, 0, 0), ph_v3(0, 0, 1))->length = 0.1;
    k.joint[0].at_a = ph_v3(3, 0, 0);
    assert_int_equal(start(&m, &k, 0, 0, &q, &v), PH_E_INCONSISTENT);
    ph_mechanism_destroy(m);
    assert_int_equal(start(&m, &k, 0, 1, &q, &v), PH_OK);
    for (int i = 0; i < 3; i++)
        check_le(fabs(q[m->flex[0].q + i]), 1e-4); /* ordering: weights are 1e6, the body moves by 2 m */
    check_le(0.5, fabs(q[0]));                     /* ordering */
    ph_mechanism_destroy(m);
}

/* ---- what else is made of them -------------------------------------------------------------------- */

/* The frame clamped, a force at the tip: zeta = Kf^-1 Psi^T F, and the reaction of the wall. */
static void equilibria(void **state)
{
    (void)state;
    uint64_t seed = 12;
    for (int s = 0; s < SPACES; s++) {
        kit k;
        cloud c;
        ph_mechanism *m;
        ph_equilibrium *e;
        ph_error err = {0};
        const double *q, *v;
        cloud_open(&c, 3, 50, 0, &seed);
        kit_open(&k);
        k.m.gravity = ph_v3(0, 0, 0);
        kit_flexible(&k, "rod", &c.x, ph_v3(0, 0, 0), (ph_quat){1, 0, 0, 0});
        kit_joint(&k, "wall", PH_J_FIXED, PH_GROUND, 0, ph_v3(0, 0, 0), ph_v3(0, 0, 1));
        ph_vec3 F = rnd3(&seed), force, torque;
        kit_force(&k, "pull", PH_F_FORCE, PH_GROUND, 2)->value = F;
        assert_int_equal(start(&m, &k, s, 0, &q, &v), PH_OK);
        ph_static_options o = ph_default_static();
        if (ph_equilibrium_create(&e, ph_mechanism_system(m), &o, 0, q, &err) != PH_OK)
            fail_msg("%s", err.text);
        ph_state at = ph_equilibrium_state(e);
        const double *Psi = c.x.Psi[1], x[3] = {F.x, F.y, F.z};
        for (int i = 0; i < 3; i++) {
            double f = 0;
            for (int l = 0; l < 3; l++)
                f += Psi[3 * l + i] * x[l];
            check_near(at.q[m->flex[0].q + i], f / (50 * (1 + i)),
                       1e-12); /* round-off: tolerance of the method */
        }
        ph_mechanism_reaction(m, &at, 0, &force, &torque);
        check_le(ph_norm(ph_add(force, F)), 1e-11); /* round-off */
        ph_equilibrium_destroy(e);
        ph_mechanism_destroy(m);
    }
}

/* The frame clamped: det(Kf - omega^2 Mf) = 0 for two modes. */
static void vibrations(void **state)
{
    (void)state;
    uint64_t seed = 13;
    for (int s = 0; s < SPACES; s++) {
        kit k;
        cloud c;
        ph_mechanism *m;
        ph_modes *modes;
        ph_error err = {0};
        const double *q, *v;
        double share[16], re, im;
        cloud_open(&c, 2, 50, 0, &seed);
        kit_open(&k);
        k.m.gravity = ph_v3(0, 0, 0);
        kit_flexible(&k, "rod", &c.x, ph_v3(0, 0, 0), (ph_quat){1, 0, 0, 0});
        kit_joint(&k, "wall", PH_J_FIXED, PH_GROUND, 0, ph_v3(0, 0, 0), ph_v3(0, 0, 1));
        assert_int_equal(start(&m, &k, s, 0, &q, &v), PH_OK);
        if (ph_modes_create(&modes, ph_mechanism_system(m), 0, q, v, NULL, &err) != PH_OK)
            fail_msg("%s", err.text);
        assert_int_equal(ph_modes_get_info(modes).freedom, 2);
        const double *M = c.x.calM + 6 * 14 + 6; /* lines of 14 */
        for (int i = 0; i < 2; i++) {
            ph_modes_value(modes, i, &re, &im);
            double w2 = im * im, a = 50 - w2 * M[0], b = -w2 * M[1], d = 100 - w2 * M[15];
            check_le(fabs(a * d - b * b), 1e-8); /* round-off: products of size 1e4 */
            assert_int_equal(ph_modes_shape(modes, i, NULL, NULL, share), PH_OK);
            check_near(share[m->flex[0].v] + share[m->flex[0].v + 1], 1, 1e-10); /* round-off */
        }
        ph_modes_destroy(modes);
        ph_mechanism_destroy(m);
    }
}

/* Clamped at both markers, 12 rows for 9 velocities. */
static void redundant_rows_are_found(void **state)
{
    (void)state;
    uint64_t seed = 14;
    for (int s = 0; s < 2; s++) {
        kit k;
        cloud c;
        ph_mechanism *m;
        ph_error err = {0};
        const double *q, *v;
        cloud_open(&c, 3, 50, 0, &seed);
        kit_open(&k);
        kit_flexible(&k, "rod", &c.x, ph_v3(0, 0, 0), (ph_quat){1, 0, 0, 0});
        for (int i = 1; i < 3; i++)
            kit_joint(&k, "clamp", PH_J_FIXED, PH_GROUND, i, k.body[i].x, ph_v3(0, 0, 1));
        assert_int_equal(start(&m, &k, s, 0, &q, &v), PH_OK);
        assert_int_equal(ph_mechanism_rank(m, &err), PH_OK);
        assert_int_equal(ph_mechanism_system(m)->n_redundant, 3);
        assert_int_equal(ph_mechanism_redundant(m, 0), 0);
        ph_mechanism_destroy(m);
    }
}

static void nodes_have_names(void **state)
{
    (void)state;
    static const int last[] = {2, 1, 2, 2};
    uint64_t seed = 15;
    for (int s = 0; s < SPACES; s++) {
        kit k;
        fixture r;
        cloud c;
        cloud_open(&c, 3, 50, 0, &seed);
        kit_open(&k);
        kit_flexible(&k, "rod", &c.x, ph_v3(0, 0, 0), (ph_quat){1, 0, 0, 0});
        fixture_open(&r, &k.m, spaces[s]);
        assert_int_equal(r.sys->n_nodes, last[s] + 1);
        assert_string_equal(r.sys->nodes[0].name, "rod");
        assert_string_equal(r.sys->nodes[last[s]].name, "modes of 'rod'");
        assert_int_equal(r.sys->nodes[last[s]].n, 3);
        if (spaces[s] == PH_SPACE_EULER)
            assert_string_equal(r.sys->constraints[0].name, "norm of 'rod'");
        fixture_close(&r);
    }
}

static void wrong_bodies_are_refused(void **state)
{
    (void)state;
    static const char *const want[] = {"flexible bodies have 1 to 60 modes",
                                       "flexible bodies have 1 to 60 modes",
                                       "there is no such marker",
                                       "its body has 0 modes",
                                       "its body has 3 modes",
                                       "a beam element with mass cannot end at the marker 'root'"};
    static const double unit[36] = {1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
                                    0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1};
    uint64_t seed = 16;
    for (int i = 0; i < 6; i++) {
        kit k;
        cloud c;
        ph_mechanism *m;
        ph_error err = {0};
        cloud_open(&c, 3, 50, 0, &seed);
        kit_open(&k);
        kit_flexible(&k, "rod", &c.x, ph_v3(0, 0, 0), (ph_quat){1, 0, 0, 0});
        int body = kit_random_body(&k, "body", &seed);
        if (i == 0)
            c.x.r.modes = 0;
        else if (i == 1)
            c.x.r.modes = PH_MODES_MAX + 1;
        else if (i == 2)
            k.body[2].marker = 3;
        else if (i == 5)
            kit_force(&k, "beam", PH_F_BEAM, body, 1)->M6 = unit, k.force[0].K6 = unit;
        else
            k.sensor[kit_sensor(&k, PH_S_MODES, i == 3 ? body : 1, -1)].size = 2;
        assert_int_equal(ph_mechanism_create(&m, &k.m, PH_SPACE_R3XSO3, NULL, &err), PH_E_INPUT);
        assert_non_null(strstr(err.text, want[i]));
    }
}

/* ---- motions -------------------------------------------------------------------------------------- */

/* Where the tip is and what the foot does, after a run from rest. */
typedef struct outcome {
    double x[3], force[3], zeta[3], drift; /* of the energy, relative */
} outcome;

static ph_mechanism *run(const kit *k, ph_space_code space, int tip, double h, double t_end, outcome *out)
{
    ph_mechanism *m;
    ph_sim *sim = NULL;
    ph_error err = {0};
    const double *q, *v;
    ph_options o = ph_default_options();
    ph_body_state b;
    ph_vec3 force, torque;
    o.h = h, o.rho = 0.9, o.sigma = 1, o.formulation = PH_GGL;
    if (ph_mechanism_create(&m, &k->m, space, NULL, &err) != PH_OK ||
        ph_mechanism_initial(m, 0, &q, &v, &err) != PH_OK ||
        ph_sim_create(&sim, ph_mechanism_system(m), &o, 0, q, v, &err) != PH_OK)
        fail_msg("%s", err.text);
    ph_state s = ph_sim_state(sim);
    double E0 = ph_mechanism_energy(m, &s);
    if (ph_sim_run(sim, lround(t_end / h), NULL, NULL, &err) != PH_OK)
        fail_msg("%s", err.text);
    s = ph_sim_state(sim);
    *out = (outcome){.drift = fabs(ph_mechanism_energy(m, &s) - E0)};
    ph_mechanism_body(m, &s, tip, &b);
    ph_mechanism_reaction(m, &s, 0, &force, &torque);
    ph_store3(out->x, b.x), ph_store3(out->force, force);
    for (int i = 0; m->n_flex && i < m->flex[0].r->modes; i++)
        out->zeta[i] = s.q[m->flex[0].q + i];
    ph_sim_destroy(sim);
    return m;
}

/* The root is held by a ball, the tip moves along a line: one way to move is left. */
static void make_slider(kit *k, cloud *c, double stiffness, double damping)
{
    uint64_t seed = 17;
    cloud_open(c, 2, stiffness, damping, &seed);
    kit_open(k);
    kit_flexible(k, "rod", &c->x, ph_v3(0.1, 0.2, 0.3), turn_about(ph_v3(0.6, 0, 0.8), 0.4));
}

static void hold_slider(kit *k, int root, int tip, ph_vec3 at_root, ph_vec3 at_tip)
{
    kit_joint(k, "ball", PH_J_SPHERICAL, PH_GROUND, root, at_root, ph_v3(0, 0, 1));
    kit_joint(k, "rail", PH_J_POINT_ON_LINE, PH_GROUND, tip, at_tip, ph_v3(0.48, 0.64, -0.6));
}

/* In every space the same motion, of order 2. */
static void motions_converge(void **state)
{
    (void)state;
    const double h = 1e-2, t_end = 0.4;
    kit k;
    cloud c;
    outcome exact, coarse, got[3];
    make_slider(&k, &c, 30, 0);
    hold_slider(&k, 1, 2, k.body[1].x, k.body[2].x);
    ph_mechanism_destroy(run(&k, PH_SPACE_R3XSO3, 2, h / 16, t_end, &coarse));
    ph_mechanism_destroy(run(&k, PH_SPACE_R3XSO3, 2, h / 32, t_end, &exact));
    for (int i = 0; i < 3; i++) {
        exact.x[i] += (exact.x[i] - coarse.x[i]) / 3,
            exact.force[i] += (exact.force[i] - coarse.force[i]) / 3;
        exact.zeta[i] += (exact.zeta[i] - coarse.zeta[i]) / 3;
    }
    check_le(1e-2, norm2(exact.zeta, 2)); /* ordering: it bends */
    for (int s = 0; s < SPACES; s++) {
        for (int i = 0; i < 3; i++)
            ph_mechanism_destroy(run(&k, spaces[s], 2, h / (1 << i), t_end, &got[i]));
        for (int i = 0; i < 2; i++) {
            const outcome *a = &got[i], *b = &got[i + 1];
            check_near(log2(max_diff(a->x, exact.x, 3) / max_diff(b->x, exact.x, 3)), 2, 0.15); /* order */
            check_near(log2(max_diff(a->zeta, exact.zeta, 2) / max_diff(b->zeta, exact.zeta, 2)), 2, 0.15);
            check_near(log2(max_diff(a->force, exact.force, 3) / max_diff(b->force, exact.force, 3)), 2,
                       0.15);
        }
        check_le(got[2].drift, 1e-3); /* ordering: dissipation of the method, of 10 J */
    }
}

/* A stiff body is a rigid one: what is between them goes with 1/stiffness. */
static void stiff_bodies_are_rigid(void **state)
{
    (void)state;
    const double h = 1e-3, t_end = 0.4;
    kit k;
    cloud c;
    outcome rigid, stiff, stiffer;
    ph_vec3 centre;
    ph_mat3 J;
    make_slider(&k, &c, 1, 0);
    double m = cloud_rigid(&c, &centre, &J);
    const ph_body_def frame = k.body[0], root = k.body[1], tip = k.body[2];
    kit_open(&k);
    kit_body(&k, "rod", m, J, ph_add(frame.x, ph_quat_rotate(frame.R, centre)), frame.R);
    kit_particle(&k, "bead", 1e-9, tip.x); /* shows the tip */
    kit_joint(&k, "ball", PH_J_SPHERICAL, PH_GROUND, 0, root.x, ph_v3(0, 0, 1));
    kit_joint(&k, "rail", PH_J_POINT_ON_LINE, PH_GROUND, 0, tip.x, ph_v3(0.48, 0.64, -0.6));
    kit_joint(&k, "eye", PH_J_SPHERICAL, 0, 1, tip.x, ph_v3(0, 0, 1));
    ph_mechanism_destroy(run(&k, PH_SPACE_R3XSO3, 1, h, t_end, &rigid));
    for (int i = 0; i < 2; i++) {
        make_slider(&k, &c, i ? 1e6 : 1e4, i ? 1e3 : 1e2);
        hold_slider(&k, 1, 2, k.body[1].x, k.body[2].x);
        ph_mechanism_destroy(run(&k, PH_SPACE_R3XSO3, 2, h, t_end, i ? &stiffer : &stiff));
    }
    double far = max_diff(stiff.x, rigid.x, 3), near = max_diff(stiffer.x, rigid.x, 3);
    check_le(far, 1e-2);
    check_le(near, 1e-4); /* ordering: displacements of 10 N over 1e6 N/m, and how they turn the body */
    check_le(max_diff(stiffer.force, rigid.force, 3), 0.1); /* ordering: of a force of 50 N */
    assert_true(near < far / 50);                           /* 100 but for what damping takes on the way */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_is_that_of_the_nodes),
        cmocka_unit_test(free_bodies_keep_energy_and_momentum),
        cmocka_unit_test(weight_is_that_of_the_nodes),
        cmocka_unit_test(spaces_agree),
        cmocka_unit_test(markers_move_as_bodies),
        cmocka_unit_test(drives_and_forces_give_power),
        cmocka_unit_test(user_constraints_have_tangents),
        cmocka_unit_test(objectives_have_derivatives),
        cmocka_unit_test(flexible_bodies_start_undeformed),
        cmocka_unit_test(modes_move_where_they_must),
        cmocka_unit_test(assembling_does_not_deform),
        cmocka_unit_test(equilibria),
        cmocka_unit_test(vibrations),
        cmocka_unit_test(redundant_rows_are_found),
        cmocka_unit_test(nodes_have_names),
        cmocka_unit_test(wrong_bodies_are_refused),
        cmocka_unit_test(motions_converge),
        cmocka_unit_test(stiff_bodies_are_rigid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
