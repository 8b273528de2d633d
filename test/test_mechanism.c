/* Whole models through the integrator, against published values and values of high precision. */
#include "mech_cases.h"
#include "sim_cases.h"

#define PI 3.14159265358979323846

static const ph_space_code spaces[] = {PH_SPACE_R3XSO3, PH_SPACE_SE3};

/* ---- running a model ------------------------------------------------------------------------------ */

typedef struct run {
    ph_mechanism *mech;
    ph_sim *sim;
} run;

static run run_open(const ph_model *m, ph_space_code space, const ph_options *o)
{
    run r;
    ph_error err = {0};
    const double *q0, *v0;
    if (ph_mechanism_create(&r.mech, m, space, NULL, &err) != PH_OK ||
        ph_mechanism_initial(r.mech, m->run.assemble, &q0, &v0, &err) != PH_OK)
        fail_msg("%s", err.text);
    r.sim = sim_of(ph_mechanism_system(r.mech), o, q0, v0);
    return r;
}

static void run_close(run *r)
{
    ph_sim_destroy(r->sim);
    ph_mechanism_destroy(r->mech);
}

static ph_body_state body_of(const run *r, int body)
{
    ph_state s = ph_sim_state(r->sim);
    ph_body_state b;
    ph_mechanism_body(r->mech, &s, body, &b);
    return b;
}

static double sensor_of(const run *r, int sensor)
{
    ph_state s = ph_sim_state(r->sim);
    double out[8];
    assert_int_equal(ph_mechanism_sensor(r->mech, &s, sensor, out), PH_OK);
    return out[0];
}

static ph_options options(ph_formulation f, double sigma, double rho, double h)
{
    ph_options o = ph_default_options();
    o.formulation = f, o.sigma = sigma, o.rho = rho, o.h = h;
    return o;
}

static double far3(ph_vec3 a, ph_vec3 b)
{
    return ph_norm(ph_sub(a, b));
}

/* ---- heavy top ------------------------------------------------------------------------------------ */

static void make_top(kit *k)
{
    kit_open(k);
    int b =
        kit_body(k, "top", 15, ph_diag3(0.234375, 0.46875, 0.234375), ph_v3(0, 1, 0), (ph_quat){1, 0, 0, 0});
    k->body[b].has_omega = 1, k->body[b].omega = ph_v3(0, 150, -4.61538);
    kit_joint(k, "pivot", PH_J_SPHERICAL, PH_GROUND, b, ph_v3(0, 0, 0), ph_v3(0, 0, 1));
}

static void heavy_top_starts(void **state)
{
    (void)state;
    for (int s = 0; s < 2; s++) {
        kit k;
        make_top(&k);
        ph_options o = options(PH_INDEX3, 1, 0.9, 1e-3);
        o.start = PH_PLAIN;
        run r = run_open(&k.m, spaces[s], &o);
        ph_body_state b = body_of(&r, 0);
        ph_state at = ph_sim_state(r.sim);
        /* reference: ten digits; the velocity that was left out follows from omega */
        check_le(far3(b.v, ph_v3(4.61538, 0, 0)), 1e-13);
        check_le(far3(b.a, ph_v3(0, -21.3017325444, -30.9608307692)), 1e-9);
        check_le(far3(b.omega_dot, ph_v3(661.346169230769, 0, 0)), 1e-9);
        check_le(far3(ph_load3(at.lambda), ph_v3(0, -319.525988166, -317.262461538462)), 1e-8);
        ph_vec3 F, tau;
        ph_mechanism_reaction(r.mech, &at, 0, &F, &tau);
        check_le(far3(F, ph_load3(at.lambda)), 1e-12); /* round-off: lambda is the force on the top */
        check_le(ph_norm(tau), 1e-12);                 /* round-off: none about the pivot */
        run_close(&r);
    }
}

/* Discrete solutions of the closed form, of an independent prototype. */
static void heavy_top_steps(void **state)
{
    (void)state;
    static const struct {
        ph_formulation f;
        double sigma;
        ph_vec3 x, lambda;
    } row[] = {
        {PH_INDEX3,
         0,
         {0.4211028532432, 0.8945951643833, -0.1495723198072},
         {-363.1577427535, -294.83569536, -213.6133712963}},
        {PH_INDEX3,
         1,
         {0.4212214121652, 0.8945817222512, -0.1493186664406},
         {-361.2855015443, -295.407467728, -212.4398268251}},
        {PH_GGL,
         0,
         {0.4205710568901, 0.8949383900719, -0.1490143083127},
         {-360.8085828504, -294.9791459803, -212.5745516238}},
        {PH_GGL,
         1,
         {0.4211019575031, 0.894660262658, -0.1491849717895},
         {-361.2053923366, -295.2604750933, -212.4349063221}},
    };
    for (int i = 0; i < 4; i++) {
        kit k;
        make_top(&k);
        ph_options o = options(row[i].f, row[i].sigma, 0.9, 1e-3);
        o.start = PH_PLAIN;
        run r = run_open(&k.m, PH_SPACE_R3XSO3, &o);
        run_sim(r.sim, 100);
        ph_state at = ph_sim_state(r.sim);
        check_le(far3(body_of(&r, 0).x, row[i].x), 1e-10);        /* reference */
        check_le(far3(ph_load3(at.lambda), row[i].lambda), 2e-5); /* reference */
        run_close(&r);
    }
}

/* On SE(3) the same method converges to the same motion with order 2. */
static void heavy_top_converges_on_SE3(void **state)
{
    (void)state;
    const ph_vec3 x = {0.421296658925402, 0.894571974345593, -0.149164700561900};
    double error[3];
    for (int i = 0; i < 3; i++) {
        kit k;
        make_top(&k);
        ph_options o = options(PH_GGL, 1, 0.9, 5e-4 / (1 << i));
        run r = run_open(&k.m, PH_SPACE_SE3, &o);
        run_sim(r.sim, 200 << i);
        error[i] = far3(body_of(&r, 0).x, x);
        run_close(&r);
    }
    for (int i = 0; i < 2; i++)
        check_near(log2(error[i] / error[i + 1]), 2, 0.15); /* order */
    check_le(error[2], 1e-4);                               /* reference: error of the method at this h */
}

/* ---- slider-crank --------------------------------------------------------------------------------- */

/* Bodies crank, rod, slider; only the crank's speed is given: all else follows. */
static void make_slider_crank(kit *k)
{
    kit_open(k);
    ph_vec3 A = {0, 0.1, 0.12}, B = {0, 0.1, 0.2}, C = {0.2, 0, 0}, ex = {1, 0, 0};
    ph_vec3 d = ph_sub(C, B), x = ph_scale(1 / ph_norm(d), d), y = ph_cross(d, ex), z;
    y = ph_scale(1 / ph_norm(y), y), z = ph_cross(x, y);
    int crank = kit_body(k, "crank", 0.12, ph_diag3(1e-4, 1e-4, 1e-5), ph_scale(0.5, ph_add(A, B)),
                         (ph_quat){1, 0, 0, 0});
    k->body[crank].has_omega = 1, k->body[crank].omega = ph_v3(6, 0, 0);
    /* the rod's frame has columns x y z; turning e_x to x and then about x to y gives its quaternion */
    ph_vec3 axis = ph_cross(ex, x);
    ph_quat q = turn_about(ph_scale(1 / ph_norm(axis), axis), acos(x.x));
    ph_vec3 y1 = ph_quat_rotate(q, ph_v3(0, 1, 0));
    double angle = atan2(ph_dot(x, ph_cross(y1, y)), ph_dot(y1, y));
    q = ph_qmul(turn_about(x, angle), q);
    assert_true(far3(ph_quat_rotate(q, ph_v3(0, 0, 1)), z) < 1e-14);
    int rod = kit_body(k, "rod", 0.5, ph_diag3(4e-4, 4e-3, 4e-3), ph_scale(0.5, ph_add(B, C)), q);
    int slider = kit_body(k, "slider", 2, ph_diag3(1e-4, 1e-4, 1e-4), C, (ph_quat){1, 0, 0, 0});
    kit_joint(k, "A", PH_J_REVOLUTE, PH_GROUND, crank, A, ex);
    kit_joint(k, "B", PH_J_SPHERICAL, crank, rod, B, ex);
    kit_joint(k, "C", PH_J_UNIVERSAL, slider, rod, C, ex)->axis_b = y;
    kit_joint(k, "D", PH_J_PRISMATIC, PH_GROUND, slider, C, ex);
    kit_sensor(k, PH_S_ANGLE, -2, 0);
    kit_sensor(k, PH_S_RATE, -2, 3);
}

static ph_status track(const ph_sim *sim, void *ctx)
{
    ph_state s = ph_sim_state(sim);
    ph_mechanism_track(ctx, &s);
    return PH_OK;
}

static void run_tracked(run *r, long steps)
{
    ph_error err = {0};
    if (ph_sim_run(r->sim, steps, track, r->mech, &err) != PH_OK)
        fail_msg("%s", err.text);
}

static void slider_crank_starts(void **state)
{
    (void)state;
    kit k;
    make_slider_crank(&k);
    ph_options o = options(PH_GGL, 1, 0.875, 1e-3);
    run r = run_open(&k.m, PH_SPACE_R3XSO3, &o);
    ph_body_state rod = body_of(&r, 1), slider = body_of(&r, 2);
    check_le(far3(rod.v, ph_v3(0.12, -0.24, 0)), 1e-14);                               /* round-off */
    check_le(far3(ph_quat_rotate(rod.q, rod.omega), ph_v3(1.92, -0.96, 0.48)), 1e-13); /* round-off */
    check_le(far3(slider.v, ph_v3(0.24, 0, 0)), 1e-14);                                /* round-off */
    assert_int_equal(ph_system_nv(ph_mechanism_system(r.mech)), 18);
    assert_int_equal(ph_system_nl(ph_mechanism_system(r.mech)), 17);
    run_close(&r);
}

/* Errors at h = 1e-3 of an independent prototype. */
static void slider_crank_errors(void **state)
{
    (void)state;
    static const struct {
        ph_formulation f;
        double sigma, error;
    } row[] = {{PH_INDEX3, 0, 2.42e-5}, {PH_INDEX3, 1, 2.07e-5}, {PH_INDEX3, PH_SIGMA_OPT, 2.18e-5},
               {PH_GGL, 0, 1.23e-6},    {PH_GGL, 1, 1.23e-6},    {PH_GGL, PH_SIGMA_OPT, 1.23e-6}};
    for (int i = 0; i < 6; i++) {
        kit k;
        make_slider_crank(&k);
        ph_options o = options(row[i].f, row[i].sigma, 0.875, 1e-3);
        run r = run_open(&k.m, PH_SPACE_R3XSO3, &o);
        run_tracked(&r, 2000);
        double error = fabs(body_of(&r, 2).x.x - 0.289085197067141782), Phi, rate;
        check_near(error / row[i].error, 1, 0.03); /* reference: printed to three digits */
        assert_int_equal(ph_sim_violation(r.sim, &Phi, &rate), PH_OK);
        check_le(row[i].f == PH_GGL ? rate : Phi, 1e-11); /* invariant */
        check_near(sensor_of(&r, 0), 21.0727445227764765,
                   5e-3); /* reference: 3.35 turns, error of the method */
        run_close(&r);
    }
}

static void slider_crank_converges(void **state)
{
    (void)state;
    numbers_alone();
    for (int s = 0; s < 2; s++) {
        kit k;
        make_slider_crank(&k);
        ph_options o = options(PH_GGL, 1, 0.875, 2.5e-5);
        run r = run_open(&k.m, spaces[s], &o);
        run_tracked(&r, 40000);
        check_near(body_of(&r, 2).x.x, 0.211721661393443778,
                   1e-8);                                       /* reference: error of the method at this h */
        check_near(sensor_of(&r, 0), 10.913590729864668, 2e-7); /* reference: likewise */
        check_near(sensor_of(&r, 1), -0.50349186492501, 2e-7);  /* reference: likewise */
        run_tracked(&r, 40000);
        check_near(body_of(&r, 2).x.x, 0.289085197067141782, 1e-8); /* reference: likewise */
        run_close(&r);
    }
}

/* ---- rotor ---------------------------------------------------------------------------------------- */

static void make_rotor(kit *k)
{
    kit_open(k);
    k->m.gravity = ph_v3(0, 0, 0);
    const double m = 1.223;
    int b = kit_body(k, "rotor", m, ph_diag3(0.001541, 0.000812, 0.000812), ph_v3(0, 0, 0),
                     (ph_quat){1, 0, 0, 0});
    k->body[b].has_omega = k->body[b].has_v = 1;
    k->body[b].omega = ph_v3(20943.951023931955, 0, 0);
    const ph_vec3 l[] = {{-0.11, 0, 0}, {0.09, 0, 0}};
    for (int i = 0; i < 2; i++) {
        ph_force_def *f = kit_force(k, "bearing", PH_F_BUSHING, PH_GROUND, b);
        f->at_a = f->at_b = l[i];
        f->k3 = ph_v3(i ? 0 : 4000, 4000, 4000), f->d3 = ph_v3(i ? 0 : 5.165093, 5.165093, 5.165093);
    }
    kit_force(k, "load", PH_F_TORQUE, PH_GROUND, b)->value = ph_v3(0, 0, 0.01 * m * 9.81);
}

static void rotor_errors(void **state)
{
    (void)state;
    static const double sigma[] = {0, 1, PH_SIGMA_OPT}, error[] = {2.104e-6, 8.776e-7, 1.286e-6};
    const ph_vec3 p2 = {8.9999986406217956e-2, 4.6924602221328e-6, 3.6468318458508e-5};
    for (int i = 0; i < 3; i++) {
        kit k;
        make_rotor(&k);
        ph_options o = options(PH_INDEX3, sigma[i], 0.9, 2.5e-5);
        o.start = PH_PLAIN;
        run r = run_open(&k.m, PH_SPACE_R3XSO3, &o);
        run_sim(r.sim, 4000);
        ph_body_state b = body_of(&r, 0);
        ph_vec3 tip = ph_add(b.x, ph_quat_rotate(b.q, ph_v3(0.09, 0, 0)));
        check_near(far3(tip, p2) / error[i], 1, 0.02); /* reference */
        run_close(&r);
    }
}

/* ---- chain ---------------------------------------------------------------------------------------- */

typedef struct chain {
    ph_model m;
    ph_body_def *body;
    ph_joint_def *joint;
} chain;

static chain chain_open(int n, int type)
{
    chain c = {.body = calloc((size_t)n, sizeof *c.body), .joint = calloc((size_t)n, sizeof *c.joint)};
    assert_true(c.body && c.joint);
    c.m = (ph_model){.name = "chain",
                     .gravity = {0, 0, -9.81},
                     .n_bodies = n,
                     .n_joints = n,
                     .body = c.body,
                     .joint = c.joint};
    for (int i = 0; i < n; i++) {
        const double m = 4, l = 0.4, w = 0.1, J1 = m * (w * w + w * w) / 12, J2 = m * (l * l + w * w) / 12;
        c.body[i] = (ph_body_def){.name = "link",
                                  .mass = m,
                                  .J = ph_diag3(J1, J2, J2),
                                  .x = {l * i + l / 2, 0, 0},
                                  .R = {1, 0, 0, 0}};
        c.joint[i] = (ph_joint_def){
            .name = "joint", .type = type, .body = {i - 1, i}, .at = {l * i, 0, 0}, .axis = {0, 1, 0}};
    }
    return c;
}

static void chain_close(chain *c)
{
    free(c->body), free(c->joint);
}

/* As the chain written by hand, in each form. */
static void chain_agrees(void **state)
{
    (void)state;
    chain c = chain_open(20, PH_J_SPHERICAL);
    ph_problem *p = ph_problem_create("chain", &(ph_problem_def){20, 0});
    assert_non_null(p);
    static const ph_formulation forms[] = {PH_INDEX3, PH_INDEX2, PH_GGL};
    for (int f = 0; f < 3; f++) {
        ph_options o = options(forms[f], 1, 0.9, 1e-3);
        run r = run_open(&c.m, PH_SPACE_R3XSO3, &o);
        ph_sim *hand = sim_of(&p->sys, &o, p->q0, p->v0);
        run_sim(r.sim, 100), run_sim(hand, 100);
        ph_state a = ph_sim_state(r.sim), b = ph_sim_state(hand);
        check_le(max_diff(a.q, b.q, 140), 1e-10);         /* round-off, and Newton's tolerance */
        check_le(max_diff(a.lambda, b.lambda, 60), 5e-5); /* likewise, over h^2 */
        assert_true(ph_sim_stats(r.sim).iterations <= 200);
        ph_sim_destroy(hand);
        run_close(&r);
    }
    ph_problem_destroy(p);
    chain_close(&c);
}

/* Spherical and revolute joints, about axes that the plane motion does not see: the same motion in both
 * spaces. */
static void chains_agree_over_joints(void **state)
{
    (void)state;
    ph_vec3 end[2][2];
    for (int type = 0; type < 2; type++)
        for (int s = 0; s < 2; s++) {
            chain c = chain_open(8, type ? PH_J_REVOLUTE : PH_J_SPHERICAL);
            ph_options o = options(PH_GGL, 1, 0.9, 5e-4);
            run r = run_open(&c.m, spaces[s], &o);
            run_sim(r.sim, 400);
            end[type][s] = body_of(&r, 7).x;
            run_close(&r);
            chain_close(&c);
        }
    check_le(far3(end[0][0], end[1][0]), 1e-10); /* round-off, and Newton's tolerance */
    check_le(far3(end[0][1], end[1][1]), 1e-10);
    check_le(far3(end[0][0], end[0][1]), 2e-5); /* reference: two methods of order 2 */
}

/* ---- driven crank --------------------------------------------------------------------------------- */

static ph_status turn_drive(const ph_function *f, double t, const ph_body_state *bodies, int n, double *out)
{
    (void)f, (void)bodies, (void)n;
    out[0] = 2 * PI * t - sin(2 * PI * t);
    return PH_OK;
}

static ph_mat3 bar(double m, double a)
{
    const double w = 0.02;
    return ph_diag3(m * w * w / 6, m * (a * a + w * w) / 12, m * (a * a + w * w) / 12);
}

static void make_driven_crank(kit *k)
{
    const double r = 0.1, l = 0.3;
    const ph_quat one = {1, 0, 0, 0};
    kit_open(k);
    k->m.gravity = ph_v3(0, -9.81, 0);
    int crank = kit_body(k, "crank", 0.5, bar(0.5, r), ph_v3(r / 2, 0, 0), one);
    int rod = kit_body(k, "rod", 1, bar(1, l), ph_v3(r + l / 2, 0, 0), one);
    int slider = kit_body(k, "slider", 2, ph_diag3(1e-3, 1e-3, 1e-3), ph_v3(r + l, 0, 0), one);
    kit_joint(k, "motor", PH_J_REVOLUTE, PH_GROUND, crank, ph_v3(0, 0, 0), ph_v3(0, 0, 1))->drive.call =
        turn_drive;
    kit_joint(k, "crank_pin", PH_J_SPHERICAL, crank, rod, ph_v3(r, 0, 0), ph_v3(0, 0, 1));
    kit_joint(k, "wrist_pin", PH_J_UNIVERSAL, slider, rod, ph_v3(r + l, 0, 0), ph_v3(0, 0, 1))->axis_b =
        ph_v3(0, 1, 0);
    kit_joint(k, "guide", PH_J_PRISMATIC, PH_GROUND, slider, ph_v3(r + l, 0, 0), ph_v3(1, 0, 0));
    kit_sensor(k, PH_S_ANGLE, -2, 0);
}

/* No freedom is left: positions are those of the drive; the torque follows by virtual work (34 digits). */
static void driven_crank_follows(void **state)
{
    (void)state;
    for (int s = 0; s < 2; s++) {
        kit k;
        make_driven_crank(&k);
        ph_options o = options(PH_GGL, 1, 0.9, 1e-3);
        run r = run_open(&k.m, spaces[s], &o);
        ph_vec3 F, tau;
        run_tracked(&r, 250);
        check_near(sensor_of(&r, 0), 0.57079632679489662, 1e-12);    /* reference */
        check_near(body_of(&r, 2).x.x, 0.37924154807741577, 1e-12);  /* reference */
        check_near(body_of(&r, 2).v.x, -0.43628628327269182, 1e-10); /* reference: differences of the drive */
        ph_state at = ph_sim_state(r.sim);
        ph_mechanism_reaction(r.mech, &at, 0, &F, &tau);
        check_near(tau.z, 2.0179516316870441,
                   1e-4); /* reference: accelerations have the error of the method */
        run_tracked(&r, 3250);
        check_near(sensor_of(&r, 0), 7 * PI, 1e-11); /* reference: three turns and a half */
        run_close(&r);
    }
}

/* ---- rolling disc --------------------------------------------------------------------------------- */

static void make_disc(kit *k, double push)
{
    const double r = 0.3, R = 1, lean = 70 * PI / 180, m = 2, g = 9.81, s = sin(lean), c = cos(lean);
    const double w = sqrt(4 * g * c / (s * (6 * R + r * c))), spin = -w * R / r, A = m * r * r / 4;
    kit_open(k);
    /* columns: tangent, ascent, axle; a turn by lean - 90 degrees about y after one by 90 degrees about z */
    ph_quat q = ph_qmul(turn_about(ph_v3(0, 1, 0), PI / 2 - lean), turn_about(ph_v3(0, 0, 1), PI / 2));
    q = ph_qmul(turn_about(ph_v3(0, 1, 0), lean), turn_about(ph_v3(0, 0, 1), PI / 2));
    ph_mat3 want = {0, -c, s, 1, 0, 0, 0, s, c}, got = ph_qmat(q);
    assert_true(max_diff(&want.xx, &got.xx, 9) < 1e-15);
    int b = kit_body(k, "disc", m, ph_diag3(A, A, 2 * A), ph_v3(R, 0, r * s), q);
    k->body[b].has_omega = 1, k->body[b].omega = ph_v3(push, w * s, spin);
    ph_joint_def *j =
        kit_joint(k, "contact", PH_J_ROLLING, PH_GROUND, b, ph_v3(R + r * c, 0, 0), ph_v3(0, 0, 1));
    j->axis_b = ph_v3(s, 0, c), j->radius = r;
}

static void disc_rolls(void **state)
{
    (void)state;
    static const ph_formulation forms[] = {PH_INDEX3, PH_GGL};
    const double w = 1.5298179982737136;
    for (int s = 0; s < 2; s++)
        for (int f = 0; f < 2; f++) {
            kit k;
            make_disc(&k, 0);
            ph_options o = options(forms[f], 1, 0.9, 1e-3);
            run r = run_open(&k.m, spaces[s], &o);
            ph_state at = ph_sim_state(r.sim);
            check_near(ph_mechanism_energy(r.mech, &at), 9.0880433645408555, 1e-13); /* reference */
            run_sim(r.sim, 2000);
            at = ph_sim_state(r.sim);
            check_near(ph_mechanism_energy(r.mech, &at), 9.0880433645408555,
                       1e-5); /* reference: error of the method */
            check_le(far3(body_of(&r, 0).x, ph_v3(cos(2 * w), sin(2 * w), 0.3 * sin(70 * PI / 180))),
                     2e-5); /* likewise */
            int rows;
            assert_int_equal(ph_mechanism_lambda(r.mech, 0, &rows), 0);
            assert_int_equal(rows, 3);
            ph_vec3 F, tau;
            ph_mechanism_reaction(r.mech, &at, 0, &F, &tau);
            check_near(F.z, 2 * 9.81, 1e-2); /* reference: the height stays, to the error of the method */
            check_le(ph_norm(tau), 1e-12);   /* round-off: a contact has no torque */
            run_close(&r);
        }
}

static void disc_wobbles(void **state)
{
    (void)state;
    double error[2];
    for (int i = 0; i < 2; i++) {
        kit k;
        make_disc(&k, 0.5);
        ph_options o = options(PH_GGL, 1, 0.9, 1e-3 / (1 << i));
        run r = run_open(&k.m, PH_SPACE_R3XSO3, &o);
        run_sim(r.sim, 2000 << i);
        error[i] =
            far3(body_of(&r, 0).x, ph_v3(-0.98536937585846452, 0.38373416110446463, 0.28755694437503559));
        run_close(&r);
    }
    check_le(error[1], 1e-5);                       /* reference, 34 digits */
    check_near(log2(error[0] / error[1]), 2, 0.15); /* order */
}

/* ---- double pendulum, friction -------------------------------------------------------------------- */

static void double_pendulum_keeps_energy(void **state)
{
    (void)state;
    for (int s = 0; s < 2; s++) {
        chain c = chain_open(2, PH_J_SPHERICAL);
        c.body[0].has_omega = 1, c.body[0].omega = ph_v3(0, 1, 2);
        ph_options o = options(PH_GGL, 0, 1, 1e-3);
        run r = run_open(&c.m, spaces[s], &o);
        ph_state at = ph_sim_state(r.sim);
        double E0 = ph_mechanism_energy(r.mech, &at), worst = 0;
        for (int k = 0; k < 100; k++) {
            run_sim(r.sim, 50);
            at = ph_sim_state(r.sim);
            worst = fmax(worst, fabs(ph_mechanism_energy(r.mech, &at) - E0));
        }
        check_le(worst, 2e-2); /* invariant: of 30 J exchanged; the method keeps it to its own error */
        run_close(&r);
        chain_close(&c);
    }
}

/* A block slides on a horizontal rail and stops: v' = -mu g v/sqrt(v^2 + vs^2). */
static void friction_stops_a_block(void **state)
{
    (void)state;
    const double mu = 0.3, vs = 1e-3;
    for (int s = 0; s < 2; s++) {
        kit k;
        kit_open(&k);
        int b =
            kit_body(&k, "block", 2, ph_diag3(1, 1, 1), ph_v3(0, 0, 0), turn_about(ph_v3(0.6, 0, 0.8), 1.1));
        k.body[b].has_v = 1, k.body[b].v = ph_v3(1, 0, 0);
        ph_joint_def *j = kit_joint(&k, "rail", PH_J_PRISMATIC, PH_GROUND, b, ph_v3(0, 0, 0), ph_v3(1, 0, 0));
        j->friction = mu, j->friction_speed = vs;
        ph_options o = options(PH_GGL, 1, 0.9, 1e-3);
        run r = run_open(&k.m, spaces[s], &o);
        check_near(body_of(&r, b).a.x, -mu * 9.81 / sqrt(1 + vs * vs), 1e-12); /* reference: closed form */
        ph_vec3 F, tau;
        ph_state at = ph_sim_state(r.sim);
        ph_mechanism_reaction(r.mech, &at, 0, &F, &tau);
        check_le(far3(F, ph_v3(2 * body_of(&r, b).a.x, 0, 2 * 9.81)),
                 1e-11); /* round-off: friction is of the joint */
        run_sim(r.sim, 200);
        check_near(body_of(&r, b).v.x, 1 - mu * 9.81 * 0.2, 1e-5); /* reference: to vs^2 */
        run_sim(r.sim, 400);
        check_le(fabs(body_of(&r, b).v.x),
                 1e-6); /* reference: at rest, to exp(-mu g t/vs) and the damping of the method */
        run_close(&r);
    }
}

/* ---- functions ------------------------------------------------------------------------------------ */

/* |x|^2 = 1 + 0.1 sin(2t), for a particle and for a body. */
static ph_status on_sphere(const ph_function *f, double t, const ph_body_state *bodies, int n, double *out)
{
    assert_int_equal(n, 2);
    ph_vec3 tip = ph_add(bodies[1].x, ph_quat_rotate(bodies[1].q, ph_v3(0.2, 0.3, -0.1)));
    ph_vec3 d = ph_sub(tip, bodies[0].x);
    out[0] = ph_dot(bodies[0].x, bodies[0].x) - 1 - (f->ref ? 0.1 * sin(2 * t) : 0);
    out[1] = ph_dot(d, d) - 1 - (f->ref ? 0.2 * t * d.x : 0);
    return PH_OK;
}

static void make_user(kit *k, int moving)
{
    kit_open(k);
    kit_particle(k, "ball", 2, ph_v3(0.6, 0, -0.8));
    kit_body(k, "stone", 1, ph_diag3(0.2, 0.3, 0.25), ph_v3(0.4, 0.7, -0.7), (ph_quat){1, 0, 0, 0});
    k->constraint[0] =
        (ph_user_constraint_def){.name = "spheres", .rows = 2, .f = {.call = on_sphere, .ref = moving}};
    k->m.n_constraints = 1;
}

static void user_constraints_have_tangents(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int s = 0; s < 2; s++)
        for (int moving = 0; moving < 2; moving++) {
            kit k;
            fixture r;
            make_user(&k, moving);
            fixture_open(&r, &k.m, spaces[s]);
            fixture_scatter(&r, &seed);
            check_le(fixture_worst(&r), 2e-6); /* derivative: second differences */
            fixture_close(&r);
        }
}

/* As the same model with distance joints. */
static void user_constraints_do_as_joints(void **state)
{
    (void)state;
    for (int s = 0; s < 2; s++) {
        ph_vec3 x[2];
        for (int joints = 0; joints < 2; joints++) {
            kit k;
            make_user(&k, 0);
            k.m.run.assemble = 1;
            if (joints) {
                k.m.n_constraints = 0;
                kit_joint(&k, "arm", PH_J_DISTANCE, PH_GROUND, 0, ph_v3(0, 0, 0), ph_v3(0, 0, 1))->length = 1;
                ph_joint_def *j = kit_joint(&k, "rope", PH_J_DISTANCE, 0, 1, ph_v3(0, 0, 0), ph_v3(0, 0, 1));
                j->length = 1, j->at_b = ph_v3(0.2, 0.3, -0.1);
            }
            ph_options o = options(PH_GGL, 1, 0.9, 1e-3);
            run r = run_open(&k.m, spaces[s], &o);
            run_sim(r.sim, 300);
            x[joints] = body_of(&r, 1).x;
            run_close(&r);
        }
        check_le(far3(x[0], x[1]), 1e-8); /* derivative: B and the initial accelerations are differenced */
    }
}

/* ---- views ---------------------------------------------------------------------------------------- */

static ph_status ask_custom(const ph_function *f, double t, const ph_body_state *bodies, int n, double *out)
{
    (void)f;
    for (int i = 0; i < n; i++)
        out[i] = t + i + bodies[0].a.y;
    return PH_OK;
}

static void sensors_read(void **state)
{
    (void)state;
    for (int s = 0; s < 2; s++) {
        kit k;
        make_top(&k);
        const ph_vec3 at = {0.1, -0.2, 0.3};
        for (int type = PH_S_POSITION; type <= PH_S_OMEGA; type++)
            k.sensor[kit_sensor(&k, type, 0, -1)].at = at;
        kit_sensor(&k, PH_S_REACTION, -2, 0);
        kit_sensor(&k, PH_S_ENERGY, -2, -1);
        int custom = kit_sensor(&k, PH_S_CUSTOM, -2, -1);
        k.sensor[custom].size = 3, k.sensor[custom].f.call = ask_custom;
        ph_options o = options(PH_GGL, 1, 0.9, 1e-3);
        run r = run_open(&k.m, spaces[s], &o);
        run_sim(r.sim, 20);
        ph_state now = ph_sim_state(r.sim);
        ph_body_state b = body_of(&r, 0);
        ph_mat3 R = ph_qmat(b.q);
        double out[8][8];
        for (int i = 0; i < k.m.n_sensors; i++)
            assert_int_equal(ph_mechanism_sensor(r.mech, &now, i, out[i]), PH_OK);
        ph_vec3 w = ph_mul(R, b.omega), arm = ph_mul(R, at), v = ph_add(b.v, ph_cross(w, arm));
        ph_vec3 a = ph_add(b.a, ph_add(ph_cross(ph_mul(R, b.omega_dot), arm), ph_cross(w, ph_cross(w, arm))));
        check_le(far3(ph_load3(out[0]), ph_add(b.x, arm)), 1e-15); /* round-off */
        check_le(far3(ph_load3(out[1]), v), 1e-12);                /* round-off, of 60 m/s */
        check_le(far3(ph_load3(out[2]), a), 1e-9);                 /* round-off, of 1e4 m/s^2 */
        assert_true(out[3][0] == b.q.w && out[4][1] == b.omega.y);
        check_le(far3(ph_load3(out[5]), ph_load3(now.lambda)), 1e-12); /* round-off */
        check_near(out[6][0], ph_mechanism_energy(r.mech, &now), 0);   /* exact */
        check_near(out[7][2], now.t + 2 + b.a.y, 0);                   /* exact */
        run_close(&r);
    }
}

/* A wheel with a torque turns by up to 9 rad from one step to the next: the angle counts the turns in between. */
static void angles_count_fast_turns(void **state)
{
    (void)state;
    for (int back = 0; back < 2; back++) {
        kit k;
        kit_open(&k);
        int wheel = kit_body(&k, "wheel", 1, ph_diag3(1, 1, 0.5), ph_v3(0, 0, 0), (ph_quat){1, 0, 0, 0});
        k.body[wheel].has_omega = 1, k.body[wheel].omega = ph_v3(0, 0, 60);
        kit_joint(&k, "hub", PH_J_REVOLUTE, back ? wheel : PH_GROUND, back ? PH_GROUND : wheel,
                  ph_v3(0, 0, 0), ph_v3(0, 0, 1));
        kit_force(&k, "motor", PH_F_TORQUE, PH_GROUND, wheel)->value = ph_v3(0, 0, 7.5);
        kit_sensor(&k, PH_S_ANGLE, -2, 0);
        ph_options o = options(PH_INDEX3, 0, 1, 0.1);
        run r = run_open(&k.m, PH_SPACE_R3XSO3, &o);
        run_tracked(&r, 20);                                   /* 60 t + 15 t^2/2 */
        check_near(sensor_of(&r, 0), back ? -150 : 150, 1e-9); /* round-off: the method is exact here */
        run_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heavy_top_starts),
        cmocka_unit_test(heavy_top_steps),
        cmocka_unit_test(heavy_top_converges_on_SE3),
        cmocka_unit_test(slider_crank_starts),
        cmocka_unit_test(slider_crank_errors),
        cmocka_unit_test(slider_crank_converges),
        cmocka_unit_test(rotor_errors),
        cmocka_unit_test(chain_agrees),
        cmocka_unit_test(chains_agree_over_joints),
        cmocka_unit_test(driven_crank_follows),
        cmocka_unit_test(disc_rolls),
        cmocka_unit_test(disc_wobbles),
        cmocka_unit_test(double_pendulum_keeps_energy),
        cmocka_unit_test(friction_stops_a_block),
        cmocka_unit_test(user_constraints_have_tangents),
        cmocka_unit_test(user_constraints_do_as_joints),
        cmocka_unit_test(sensors_read),
        cmocka_unit_test(angles_count_fast_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
