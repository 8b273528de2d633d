/* Consistent initial values of models, what a mechanism refuses and how it says so, and its memory. */
#include "mech_cases.h"
#include "sim_cases.h"

#include <time.h>

static ph_status initial(const ph_model *m, ph_space_code space, ph_mechanism **mech, const double **q0,
                         const double **v0, ph_error *err)
{
    *err = (ph_error){0};
    ph_status s = ph_mechanism_create(mech, m, space, NULL, err);
    if (s == PH_OK)
        s = ph_mechanism_initial(*mech, m->run.assemble, q0, v0, err);
    return s;
}

static void must(ph_status s, const ph_error *err)
{
    if (s != PH_OK)
        fail_msg("%s", err->text);
}

/* ---- velocities ----------------------------------------------------------------------------------- */

/* A chain of three links, universal and revolute joints, not in a line. */
static void make_arm(kit *k)
{
    uint64_t seed = 3;
    kit_open(k);
    for (int i = 0; i < 3; i++)
        kit_random_body(k, i == 0 ? "upper" : i == 1 ? "lower" : "hand", &seed);
    kit_joint(k, "shoulder", PH_J_SPHERICAL, PH_GROUND, 0, rnd3(&seed), ph_v3(0, 0, 1));
    ph_vec3 axis = unit3(&seed), at = rnd3(&seed);
    kit_joint(k, "elbow", PH_J_REVOLUTE, 0, 1, at, axis);
    ph_joint_def *j = kit_joint(k, "wrist", PH_J_UNIVERSAL, 1, 2, rnd3(&seed), ph_v3(0, 0.6, 0.8));
    j->axis_b = ph_v3(1, 0, 0);
}

/* The least change of kinetic energy: dv with M dv orthogonal to all changes that are allowed, by a dense
 * solve of
 * [M B^T E^T; B 0 0; E 0 0], E the rows of what is given. */
static void least_change(fixture *r, const double *given, const int *is_given, double *out)
{
    int nv = r->nv, nl = r->nl, fixed = 0;
    for (int i = 0; i < nv; i++)
        fixed += is_given[i];
    int n = nv + nl + fixed;
    double *A = calloc((size_t)(n * n + n), sizeof(double)), *b = A + n * n;
    assert_non_null(A);
    for (int i = 0; i < nv; i++) {
        for (int j = 0; j < nv; j++)
            A[i * n + j] = r->M[i * nv + j];
        for (int j = 0; j < nl; j++)
            A[i * n + nv + j] = A[(nv + j) * n + i] = r->B[j * nv + i];
    }
    for (int i = 0, row = nv + nl; i < nv; i++)
        if (is_given[i]) {
            A[row * n + i] = A[i * n + row] = 1;
            b[row++] = given[i];
        }
    solve_dense(n, A, b);
    memcpy(out, b, sizeof(double) * (size_t)nv);
    free(A);
}

static void free_velocities_follow(void **state)
{
    (void)state;
    for (int which = 0; which < 3; which++) {
        kit k;
        fixture r;
        make_arm(&k);
        k.body[which].has_omega = 1, k.body[which].omega = ph_v3(0.3, -0.7, 1.1);
        ph_mechanism *mech;
        ph_error err;
        const double *q0, *v0;
        must(initial(&k.m, PH_SPACE_R3XSO3, &mech, &q0, &v0, &err), &err);
        fixture_open(&r, &k.m, PH_SPACE_R3XSO3);
        memcpy(r.at.q, q0, sizeof(double) * (size_t)r.lay.nq),
            memcpy(r.at.v, v0, sizeof(double) * (size_t)r.nv);
        ph_point_rotations(&r.at, &r.lay);
        ph_state s = fixture_state(&r);
        fixture_residual(&r, &s);
        double given[18] = {0}, want[18];
        int is_given[18] = {0};
        for (int i = 0; i < 3; i++)
            is_given[6 * which + 3 + i] = 1, given[6 * which + 3 + i] = (&k.body[which].omega.x)[i];
        check_le(ph_small_max(r.nl, r.rate), 1e-14); /* round-off */
        least_change(&r, given, is_given, want);
        check_le(max_diff(v0, want, 18), 1e-11); /* round-off, through a matrix of condition 1e3 */
        assert_memory_equal(v0 + 6 * which + 3, given + 6 * which + 3,
                            3 * sizeof(double)); /* exact: what is given stays */
        fixture_close(&r);
        ph_mechanism_destroy(mech);
    }
}

static void given_velocities_stay(void **state)
{
    (void)state;
    kit k;
    ph_mechanism *mech;
    ph_error err;
    const double *q0, *v0;
    make_arm(&k);
    k.body[0].has_omega = 1, k.body[0].omega = ph_v3(0.3, -0.7, 1.1);
    must(initial(&k.m, PH_SPACE_R3XSO3, &mech, &q0, &v0, &err), &err);
    for (int b = 0; b < 3; b++) {
        k.body[b].has_v = k.body[b].has_omega = 1;
        k.body[b].v = ph_load3(v0 + 6 * b), k.body[b].omega = ph_load3(v0 + 6 * b + 3);
    }
    ph_mechanism *again;
    const double *q1, *v1;
    must(initial(&k.m, PH_SPACE_R3XSO3, &again, &q1, &v1, &err), &err);
    check_le(max_diff(v0, v1, 18), 1e-15); /* round-off */
    /* On SE(3) the same bodies move the same way. */
    ph_mechanism *other;
    const double *q2, *v2;
    must(initial(&k.m, PH_SPACE_SE3, &other, &q2, &v2, &err), &err);
    for (int b = 0; b < 3; b++) {
        ph_vec3 v = ph_quat_rotate(ph_quat_load(q2 + 7 * b + 3), ph_load3(v2 + 6 * b));
        check_le(ph_norm(ph_sub(v, ph_load3(v0 + 6 * b))), 1e-14); /* round-off */
    }
    ph_mechanism_destroy(mech), ph_mechanism_destroy(again), ph_mechanism_destroy(other);
}

static void inconsistent_velocities_are_named(void **state)
{
    (void)state;
    kit k;
    ph_mechanism *mech;
    ph_error err;
    const double *q0, *v0;
    make_arm(&k);
    k.m.file = "arm.lua", k.joint[2].origin.line = 17;
    for (int b = 1; b < 3; b++)
        k.body[b].has_v = k.body[b].has_omega = 1, k.body[b].omega = ph_v3(1, 2 * b, 0);
    for (int s = 0; s < 2; s++) {
        assert_int_equal(initial(&k.m, s ? PH_SPACE_SE3 : PH_SPACE_R3XSO3, &mech, &q0, &v0, &err),
                         PH_E_INCONSISTENT);
        assert_non_null(strstr(err.text, "arm.lua:17: joint 'wrist'"));
        assert_non_null(strstr(err.text, "velocities"));
        ph_mechanism_destroy(mech);
    }
    k.m.run.assemble = 1;
    must(initial(&k.m, PH_SPACE_R3XSO3, &mech, &q0, &v0, &err), &err);
    ph_options o = ph_default_options();
    o.h = 1e-3;
    ph_sim_destroy(sim_of(ph_mechanism_system(mech), &o, q0, v0)); /* which accepts them */
    double position, velocity;
    ph_mechanism_projected(mech, &position, &velocity);
    assert_true(position == 0 && velocity > 0.1);
    ph_mechanism_destroy(mech);
}

/* Two welded bodies are given velocities that contradict each other: momentum decides, and a third, which is free,
 * follows without a say. Nothing of it depends on the axes: here they are turned. */
static void contradicting_velocities_change_the_least(void **state)
{
    (void)state;
    const double mass[] = {1, 3, 500};
    const ph_quat turn = {0.5, 0.1, -0.7, 0.5};
    double speed[2];
    for (int turned = 0; turned < 2; turned++) {
        kit k;
        ph_mechanism *mech;
        ph_error err;
        const double *q0, *v0;
        ph_quat Q = turned ? turn : (ph_quat){1, 0, 0, 0};
        ph_vec3 along = ph_quat_rotate(Q, ph_v3(1, 0, 0)), axis = ph_quat_rotate(Q, ph_v3(0, 0, 1));
        kit_open(&k);
        for (int i = 0; i < 3; i++)
            kit_body(&k, "block", mass[i], ph_diag3(1, 2, 2.5), ph_scale(i, along), Q);
        kit_joint(&k, "weld", PH_J_FIXED, 0, 1, along, axis);
        kit_joint(&k, "pin", PH_J_SPHERICAL, 1, 2, ph_scale(2, along), axis);
        for (int i = 0; i < 2; i++)
            k.body[i].has_v = k.body[i].has_omega = 1;
        k.body[0].v = along;
        k.m.run.assemble = 1;
        must(initial(&k.m, PH_SPACE_R3XSO3, &mech, &q0, &v0, &err), &err);
        for (int i = 0; i < 3; i++) /* 500 kg against 4, which count a million times as much */
            check_le(ph_norm(ph_sub(ph_load3(v0 + 6 * i), ph_scale(0.25, along))), 1e-4);
        speed[turned] = ph_dot(along, ph_load3(v0));
        ph_mechanism_destroy(mech);
    }
    check_le(fabs(speed[1] - speed[0]), 1e-14); /* round-off */
}

/* ---- positions ------------------------------------------------------------------------------------ */

static ph_status start_at_one(const ph_function *f, double t, const ph_body_state *bodies, int n, double *out)
{
    (void)f, (void)bodies, (void)n;
    out[0] = 1 + t;
    return PH_OK;
}

static void inconsistent_positions_are_named(void **state)
{
    (void)state;
    for (int driven = 0; driven < 2; driven++) {
        kit k;
        ph_mechanism *mech;
        ph_error err;
        const double *q0, *v0;
        make_arm(&k);
        if (driven) {
            k.joint[1].drive.call = start_at_one;
        } else {
            ph_joint_def *j =
                kit_joint(&k, "rope", PH_J_DISTANCE, PH_GROUND, 2, ph_v3(0, 0, 0), ph_v3(0, 0, 1));
            j->length = 1.1 * ph_norm(k.body[2].x);
        }
        assert_int_equal(initial(&k.m, PH_SPACE_R3XSO3, &mech, &q0, &v0, &err), PH_E_INCONSISTENT);
        assert_non_null(strstr(err.text, driven ? "joint 'elbow'" : "joint 'rope'"));
        assert_non_null(strstr(err.text, "positions"));
        ph_mechanism_destroy(mech);
        k.m.run.assemble = 1;
        must(initial(&k.m, PH_SPACE_R3XSO3, &mech, &q0, &v0, &err), &err);
        ph_options o = ph_default_options();
        o.h = 1e-3;
        ph_sim *sim = sim_of(ph_mechanism_system(mech), &o, q0, v0);
        double Phi, rate;
        assert_int_equal(ph_sim_violation(sim, &Phi, &rate), PH_OK);
        check_le(Phi, 1e-13); /* round-off */
        ph_sim_destroy(sim);
        ph_mechanism_destroy(mech);
    }
}

/* Rows that repeat each other do not stop it: two hinges on one axis. */
static void redundant_rows_do_no_harm(void **state)
{
    (void)state;
    uint64_t seed = 8;
    kit k;
    ph_mechanism *mech;
    ph_error err;
    const double *q0, *v0;
    kit_open(&k);
    kit_random_body(&k, "door", &seed);
    k.body[0].has_omega = 1;
    ph_vec3 axis = unit3(&seed), at = rnd3(&seed);
    k.body[0].omega = ph_quat_rotate(ph_quat_conj(k.body[0].R), ph_scale(2, axis));
    kit_joint(&k, "top hinge", PH_J_REVOLUTE, PH_GROUND, 0, at, axis);
    kit_joint(&k, "bottom hinge", PH_J_REVOLUTE, PH_GROUND, 0, ph_sub(at, axis), axis);
    must(initial(&k.m, PH_SPACE_R3XSO3, &mech, &q0, &v0, &err), &err);
    ph_vec3 want = ph_cross(ph_scale(2, axis), ph_sub(k.body[0].x, at));
    check_le(ph_norm(ph_sub(ph_load3(v0), want)), 1e-13); /* round-off */
    ph_mechanism_destroy(mech);
}

/* ---- size ----------------------------------------------------------------------------------------- */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A long chain with joints of one type; its end is given a velocity. */
static double time_to_build(int n, int type)
{
    ph_body_def *body = calloc((size_t)n, sizeof *body);
    ph_joint_def *joint = calloc((size_t)n, sizeof *joint);
    assert_true(body && joint);
    for (int i = 0; i < n; i++) {
        body[i] = (ph_body_def){
            .name = "link", .mass = 4, .J = ph_diag3(0.1, 0.2, 0.2), .x = {i + 0.5, 0, 0}, .R = {1, 0, 0, 0}};
        joint[i] = (ph_joint_def){
            .name = "pin", .type = type, .body = {i - 1, i}, .at = {i, 0, 0}, .axis = {0, 1, 0}};
    }
    body[n - 1].has_omega = 1, body[n - 1].omega.y = 1;
    ph_model m = {.name = "chain", .n_bodies = n, .n_joints = n, .body = body, .joint = joint};
    ph_mechanism *mech;
    ph_error err;
    const double *q0, *v0;
    double t = seconds();
    must(initial(&m, PH_SPACE_R3XSO3, &mech, &q0, &v0, &err), &err);
    t = seconds() - t;
    ph_mechanism_destroy(mech);
    free(body), free(joint);
    return t;
}

static void building_is_linear(void **state)
{
    (void)state;
    static const int types[] = {PH_J_SPHERICAL, PH_J_REVOLUTE};
    for (int i = 0; i < 2; i++) {
        double small = 1e-4 + fmin(time_to_build(1000, types[i]), time_to_build(1000, types[i]));
        double large = fmin(time_to_build(10000, types[i]), time_to_build(10000, types[i]));
        check_le(large,
                 3); /* ordering: seconds of processor time; 0.1 in a release build, sanitizers are slow */
        check_le(large / small, 60); /* ordering: 10 if linear, 100 if quadratic; noisy machines */
    }
}

/* ---- refusals ------------------------------------------------------------------------------------- */

static void make_good(kit *k)
{
    uint64_t seed = 21;
    kit_open(k);
    kit_random_body(k, "stone", &seed);
    kit_particle(k, "dust", 1, ph_v3(1, 2, 3));
    ph_joint_def *j = kit_joint(k, "hook", PH_J_REVOLUTE, PH_GROUND, 0, ph_v3(0, 0, 0), ph_v3(0, 0, 1));
    j->axis_b = ph_v3(1, 0, 0), j->radius = 1, j->friction_speed = j->friction_radius = 1;
    kit_force(k, "pull", PH_F_FORCE, PH_GROUND, 0);
}

/* One mistake, and a part of the sentence that must name it. */
typedef struct mistake {
    void (*make)(kit *k);
    const char *words;
} mistake;

#define MISTAKE(name, ...)                                                                                   \
    static void name(kit *k)                                                                                 \
    {                                                                                                        \
        ph_joint_def *j = &k->joint[0];                                                                      \
        (void)j;                                                                                             \
        __VA_ARGS__;                                                                                         \
    }

MISTAKE(no_body, j->body[1] = 5)
MISTAKE(itself, j->body[1] = PH_GROUND)
MISTAKE(long_axis, j->axis.z = 2)
MISTAKE(turning_dust, j->body[1] = 1)
MISTAKE(far_dust, j->type = PH_J_SPHERICAL, j->body[1] = 1)
MISTAKE(driven_ball, j->type = PH_J_SPHERICAL, j->drive.call = start_at_one)
MISTAKE(no_lock, j->type = PH_J_GENERIC, j->frame = ph_diag3(1, 1, 1))
MISTAKE(rough_universal, j->type = PH_J_UNIVERSAL, j->friction = 1)
MISTAKE(no_lever, j->friction = 1, j->friction_radius = 0)
MISTAKE(no_length, j->type = PH_J_DISTANCE, j->length = 0)
MISTAKE(no_radius, j->type = PH_J_ROLLING, j->radius = -1)
MISTAKE(flat_disc, j->type = PH_J_ROLLING, j->axis_b = j->axis)
MISTAKE(rolling_ground, j->type = PH_J_ROLLING, j->body[0] = 0, j->body[1] = PH_GROUND)
MISTAKE(parallel_axes, j->type = PH_J_UNIVERSAL, j->axis_b = j->axis)
MISTAKE(no_type, j->type = 99)
MISTAKE(no_mass, k->body[0].mass = 0)
MISTAKE(no_rotation, k->body[0].R.w = 2)
MISTAKE(pulled_ground, k->force[0].body[1] = PH_GROUND)
MISTAKE(twisted_dust, k->force[0].type = PH_F_TORQUE, k->force[0].body[1] = 1)
MISTAKE(pulled_nobody, k->force[0].body[1] = 7)
MISTAKE(nobody, k->m.n_bodies = 0)
MISTAKE(angle_of_ball, j->type = PH_J_SPHERICAL, kit_sensor(k, PH_S_ANGLE, -2, 0))
MISTAKE(reaction_of_nothing, kit_sensor(k, PH_S_REACTION, -2, 3))
MISTAKE(empty_constraint, k->m.n_constraints = 1, k->constraint[0].name = "law")
MISTAKE(uncalled_constraint, k->m.n_constraints = 1, k->constraint[0].name = "law", k->constraint[0].rows = 1)
MISTAKE(infinite_mass, k->body[0].mass = INFINITY)
MISTAKE(no_body_below, j->body[1] = -2)
MISTAKE(negative_type, j->type = -1)
MISTAKE(no_force_type, k->force[0].type = 99)
MISTAKE(nameless_force, k->force[0].type = -1, k->force[0].name = NULL)
MISTAKE(nameless_pull, k->force[0].body[1] = 7, k->force[0].name = NULL)
MISTAKE(no_speed, j->friction = 1, j->friction_speed = 0)
MISTAKE(no_sensor, kit_sensor(k, 99, 0, 0))
MISTAKE(sensor_below, kit_sensor(k, -1, 0, 0))
MISTAKE(place_of_nobody, kit_sensor(k, PH_S_POSITION, 5, 0))
MISTAKE(angle_below, kit_sensor(k, PH_S_ANGLE, -2, -1))
MISTAKE(modes_of_a_stone, kit_sensor(k, PH_S_MODES, 0, 0))
MISTAKE(modes_of_the_ground, kit_sensor(k, PH_S_MODES, PH_GROUND, 0))
MISTAKE(section_of_nothing, k->sensor[kit_sensor(k, PH_S_SECTION_FORCE, 0, 0)].element = -1)
MISTAKE(section_of_too_many, k->sensor[kit_sensor(k, PH_S_SECTION_FORCE, 0, 0)].element = 9)
MISTAKE(section_of_a_pull, k->sensor[kit_sensor(k, PH_S_SECTION_FORCE, 0, 0)].element = 0)
MISTAKE(effort_below, k->sensor[kit_sensor(k, PH_S_EFFORT, 0, 0)].of = -1)
MISTAKE(effort_of_nothing, k->sensor[kit_sensor(k, PH_S_EFFORT, 0, 0)].of = 4)
MISTAKE(custom_without, kit_sensor(k, PH_S_CUSTOM, 0, 0))
MISTAKE(acts_below, kit_actuator(k, "motor", -1, -1))
MISTAKE(acts_on_nothing, kit_actuator(k, "motor", 4, -1))
MISTAKE(no_input, kit_actuator(k, "motor", 0, -1)->input = 2)

static const mistake mistakes[] = {
    {no_body, "joint 'hook': there is no body 5"},
    {itself, "joins a body with itself"},
    {long_axis, "axis has length 2"},
    {turning_dust, "the particle 'dust' cannot turn"},
    {far_dust, "the particle 'dust' is 3.74 m away"},
    {driven_ball, "exactly one free coordinate"},
    {no_lock, "locks nothing"},
    {rough_universal, "friction is for"},
    {no_lever, "positive radius"},
    {no_length, "has no direction"},
    {no_radius, "the radius is -1"},
    {flat_disc, "lies flat"},
    {rolling_ground, "rolls on the ground"},
    {parallel_axes, "not orthogonal"},
    {no_type, "no such type"},
    {no_mass, "body 'stone': its mass is 0"},
    {no_rotation, "not a unit quaternion"},
    {pulled_ground, "force 'pull': acts on nothing"},
    {twisted_dust, "force 'pull': the particle"},
    {pulled_nobody, "no body 7"},
    {nobody, "no bodies"},
    {angle_of_ball, "joint 'hook' has no single coordinate"},
    {reaction_of_nothing, "measures nothing"},
    {empty_constraint, "constraint 'law': has no equation"},
    {uncalled_constraint, "constraint 'law': has no equation"},
    {infinite_mass, "body 'stone': its mass is inf"},
    {no_body_below, "joint 'hook': there is no body -2"},
    {negative_type, "joint 'hook': there is no such type"},
    {no_force_type, "force 'pull': there is no such type"},
    {nameless_force, "force '': there is no such type"},
    {nameless_pull, "force '': "},
    {no_speed, "joint 'hook': friction needs"},
    {no_sensor, "measures nothing"},
    {sensor_below, "measures nothing"},
    {place_of_nobody, "measures nothing"},
    {angle_below, "measures nothing"},
    {modes_of_a_stone, "sensor"},
    {modes_of_the_ground, "sensor"},
    {section_of_nothing, "measures nothing"},
    {section_of_too_many, "measures nothing"},
    {section_of_a_pull, "measures nothing"},
    {effort_below, "measures nothing"},
    {effort_of_nothing, "measures nothing"},
    {custom_without, "measures nothing"},
    {acts_below, "actuator 'motor': there is no joint -1"},
    {acts_on_nothing, "actuator 'motor': there is no joint 4"},
    {no_input, "actuator 'motor': there is no input 2"},
};

static void nonsense_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        kit k;
        ph_mechanism *mech;
        ph_error err = {0};
        make_good(&k);
        assert_int_equal(ph_mechanism_create(&mech, &k.m, PH_SPACE_R3XSO3, NULL, &err), PH_OK);
        ph_mechanism_destroy(mech);
        mistakes[i].make(&k);
        assert_int_equal(ph_mechanism_create(&mech, &k.m, PH_SPACE_R3XSO3, NULL, &err), PH_E_INPUT);
        assert_null(mech);
        if (!strstr(err.text, mistakes[i].words))
            fail_msg("'%s' does not say '%s'", err.text, mistakes[i].words);
    }
}

/* Each allocation fails in turn: out of memory, nothing leaked. */
static void memory_runs_out(void **state)
{
    (void)state;
    kit k;
    make_arm(&k);
    for (int s = 0; s < 2; s++) {
        int done = 0;
        for (long fail_at = 0; !done; fail_at++) {
            counter c;
            ph_mechanism *mech;
            ph_error err = {0};
            const double *q0, *v0;
            counter_open(&c, fail_at);
            k.body[0].has_omega = 1, k.body[0].omega.x = 1;
            ph_status status =
                ph_mechanism_create(&mech, &k.m, s ? PH_SPACE_SE3 : PH_SPACE_R3XSO3, &c.hooks, &err);
            if (status == PH_OK)
                status = ph_mechanism_initial(mech, 0, &q0, &v0, &err);
            done = c.asked <= fail_at;
            assert_int_equal(status, done ? PH_OK : PH_E_MEMORY);
            ph_mechanism_destroy(mech);
            assert_int_equal(c.live, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contradicting_velocities_change_the_least),
        cmocka_unit_test(free_velocities_follow),
        cmocka_unit_test(given_velocities_stay),
        cmocka_unit_test(inconsistent_velocities_are_named),
        cmocka_unit_test(inconsistent_positions_are_named),
        cmocka_unit_test(redundant_rows_do_no_harm),
        cmocka_unit_test(building_is_linear),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
