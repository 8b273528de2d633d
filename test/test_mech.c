/* Every joint and every force of the tables: derivatives, rank, power, reactions; and that all spaces say
 * the same. */
#include "flex_cases.h"
#include "mech/numbers.h"

static const ph_space_code spaces[] = {PH_SPACE_R3XSO3, PH_SPACE_SE3, PH_SPACE_EULER, PH_SPACE_CARDAN};

#define SPACES ((int)(sizeof spaces / sizeof *spaces))

#define PI 3.14159265358979323846

static const char *joint_name(int type)
{
    static const char *const names[] = {
#define PH_JOINT(code, ops, name, keys, text) name,
#include "mech/joints.def"
#undef PH_JOINT
    };
    return names[type];
}

static int can_be_driven(int type)
{
    return (ph_joint_row_of(&(ph_joint_def){.type = type})->keys & PH_KEY_DRIVE) != 0;
}

/* ---- models of one joint ------------------------------------------------------------------------- */

static ph_status swing(const ph_function *f, double t, const ph_body_state *bodies, int n, double *out)
{
    (void)f, (void)bodies;
    assert_int_equal(n, 1);
    out[0] = 0.4 + sin(1.3 * t) + 0.5 * t;
    return PH_OK;
}

/* Sides of a joint: ground and body, two bodies, body and ground; and with flexible bodies: ground and
 * marker, marker and body, body and marker, two markers of one body, markers of two, frame and marker of one
 * body, of two, body and frame. */
enum { ROD = 2, ROD_ROOT, ROD_TIP, ARM, ARM_ROOT, ARM_TIP, RIGID_SIDES = 3, SIDES = 11 };
static const int sides[SIDES][2] = {{PH_GROUND, 0},
                                    {0, 1},
                                    {1, PH_GROUND},
                                    {PH_GROUND, ROD_TIP},
                                    {ROD_ROOT, 0},
                                    {1, ARM_TIP},
                                    {ROD_ROOT, ROD_TIP},
                                    {ROD_TIP, ARM_ROOT},
                                    {ROD, ROD_TIP},
                                    {ARM_ROOT, ROD},
                                    {0, ARM}};

/* Two bodies, and two flexible ones where a side needs them. */
static void make_bodies(kit *k, int side, uint64_t *seed)
{
    static flex rod, arm;
    kit_open(k);
    kit_random_body(k, "one", seed);
    kit_random_body(k, "two", seed);
    if (side < RIGID_SIDES)
        return;
    kit_random_flexible(k, "rod", &rod, 3, seed);
    kit_random_flexible(k, "arm", &arm, 2, seed);
}

static void make_joint(kit *k, int type, int side, int driven, double friction, uint64_t *seed)
{
    make_bodies(k, side, seed);
    const int *b = sides[side];
    ph_vec3 at = rnd3(seed), axis = unit3(seed);
    ph_joint_def *j = kit_joint(k, joint_name(type), type, b[0], b[1], at, axis);
    j->at_a = rnd3(seed), j->at_b = rnd3(seed);
    j->axis_b = unit3(seed);
    if (type == PH_J_UNIVERSAL) {
        ph_vec3 n = ph_cross(axis, j->axis_b);
        j->axis_b = ph_scale(1 / ph_norm(n), n);
    }
    j->radius = 0.7;
    j->frame = ph_qmat(rnd_turn(2, seed));
    j->lock = driven ? 0x1f << side % 3 & 0x3f : 0x16; /* one free coordinate; y, z and ry */
    if (driven == 2)
        j->lock = 0x37; /* one rotation */
    if (driven)
        j->drive.call = swing;
    j->friction = friction, j->friction_radius = 0.3, j->friction_speed = 1;
}

static int makes_sense(int type, int side)
{
    return type != PH_J_ROLLING || sides[side][0] == PH_GROUND;
}

/* ---- derivatives --------------------------------------------------------------------------------- */

/* Cardan angles of size 1: the second one is 30 degrees or more away from where they are singular. And ends
 * of beam elements that are not turned too far against each other. */
static int well_turned(const fixture *r, ph_space_code space)
{
    ph_state s = fixture_state(r);
    for (int b = 0; b < r->mech->model->n_bodies && space == PH_SPACE_CARDAN; b++)
        if (r->mech->body[b].turns && fabs(ph_kin_of(r->mech, &s, b).R.xz) > 0.87)
            return 0;
    for (int k = 0; k < r->mech->model->n_forces; k++) {
        const ph_force *f = &r->mech->force[k];
        ph_quat a = ph_kin_of(r->mech, &s, f->body[0]).q, b = ph_kin_of(r->mech, &s, f->body[1]).q;
        if (f->def->type == PH_F_BEAM && fabs(ph_qmul(ph_quat_conj(a), b).w) < cos(1)) /* 2 rad */
            return 0;
    }
    return 1;
}

static double worst_of(const kit *k, ph_space_code space, uint64_t *seed)
{
    fixture r;
    fixture_open(&r, &k->m, space);
    do
        fixture_scatter(&r, seed);
    while (k->m.n_flexible && !well_turned(&r, space));
    for (int i = 0; i < r.nl && (r.sys->flags & PH_FORCE_LAMBDA); i++)
        r.at.lambda[i] += 2; /* |lambda| is smooth over steps that are small against it */
    double worst = fixture_worst(&r);
    fixture_close(&r);
    return worst;
}

/* Sides of elements that a test goes through, how often, and how near derivatives must be. */
typedef struct range {
    int from, to, trials;
    double tol;
} range;

static void differentiate_joints(range a, uint64_t seed)
{
    for (int type = 0; type < PH_JOINT_COUNT; type++)
        for (int side = a.from; side < a.to; side++)
            for (int s = 0; s < SPACES && makes_sense(type, side); s++)
                for (int trial = 0; trial < a.trials; trial++) {
                    kit k;
                    make_joint(&k, type, side, 0, 0, &seed);
                    double worst = worst_of(&k, spaces[s], &seed);
                    if (!(worst <= a.tol))
                        print_message("%s, side %d, space %d\n", joint_name(type), side, s);
                    check_le(worst, a.tol);
                }
}

static void differentiate_drives(range a, uint64_t seed)
{
    for (int type = 0; type < PH_JOINT_COUNT; type++)
        for (int side = a.from; side < a.to && can_be_driven(type); side++)
            for (int s = 0; s < SPACES; s++)
                for (int driven = 1; driven < (type == PH_J_GENERIC ? 3 : 2); driven++) {
                    kit k;
                    make_joint(&k, type, side, driven, 0, &seed);
                    if (type == PH_J_GENERIC && driven == 1)
                        k.joint[0].lock = 0x3f & ~(1u << side % 3);
                    double worst = worst_of(&k, spaces[s], &seed);
                    if (!(worst <= a.tol))
                        print_message("driven %s, side %d, space %d\n", joint_name(type), side, s);
                    check_le(worst, a.tol);
                }
}

static void differentiate_friction(range a, uint64_t seed)
{
    static const int types[] = {PH_J_REVOLUTE, PH_J_SPHERICAL, PH_J_PRISMATIC};
    for (int i = 0; i < 3; i++)
        for (int side = a.from; side < a.to; side++)
            for (int s = 0; s < SPACES; s++)
                for (int trial = 0; trial < a.trials; trial++) {
                    kit k;
                    make_joint(&k, types[i], side, 0, 0.4, &seed);
                    double worst = worst_of(&k, spaces[s], &seed);
                    if (!(worst <= a.tol))
                        print_message("friction %s, side %d, space %d\n", joint_name(types[i]), side, s);
                    check_le(worst, a.tol);
                }
}

static void joints_have_right_tangents(void **state)
{
    (void)state;
    differentiate_joints((range){0, RIGID_SIDES, 4, 1e-10},
                         411); /* derivative: order 8, numbers of size 10 */
}

static void drives_have_right_tangents(void **state)
{
    (void)state;
    /* derivative: round-off of f'' in the convective term */
    differentiate_drives((range){0, RIGID_SIDES, 1, 2e-8}, 12);
}

/* (J3), (J4), (J5) */
static void friction_has_right_tangents(void **state)
{
    (void)state;
    /* derivative: w/sqrt(w^2 + w_s^2) varies over w_s, of which the step is a 128th */
    differentiate_friction((range){0, RIGID_SIDES, 4, 1e-7}, 413);
}

/* (X30) to (X33). Numbers of size 100, and points that are 0.1 m from each other: derivatives, of order 8. */
#define WITH_MARKERS ((range){RIGID_SIDES, SIDES, 1, 1e-6})

static void joints_at_markers_have_right_tangents(void **state)
{
    (void)state;
    numbers_alone();
    differentiate_joints(WITH_MARKERS, 421);
    differentiate_drives(WITH_MARKERS, 422);
    differentiate_friction(WITH_MARKERS, 423);
}

/* ---- forces -------------------------------------------------------------------------------------- */

/* A force that reads all of its own body. */
static ph_status pull(const ph_function *f, double t, const ph_body_state *bodies, int n, double *out)
{
    const ph_body_state *b = &bodies[f->ref];
    assert_int_equal(n, 3);
    ph_vec3 z = ph_quat_rotate(b->q, ph_v3(0, 0, 1));
    out[0] = sin(t) - b->x.x * b->x.y + z.x;
    out[1] = b->v.y * b->omega.z - z.y * z.z;
    out[2] = cos(b->x.z) + b->omega.x * b->v.x;
    return PH_OK;
}

static void make_force(kit *k, int type, int side, int variant, double damping, uint64_t *seed)
{
    make_bodies(k, side, seed);
    static const double K6[36] = {9, 1, 0, 0, 1, 0, 1, 4, 0, 1, 0, 0, 0, 0, 3, 0, 0, 1,
                                  0, 1, 0, 2, 0, 0, 1, 0, 0, 0, 5, 1, 0, 0, 1, 0, 1, 6};
    static const double D6[36] = {.9, .1, 0, 0,  0, 0, .1, .4, 0, 0, 0,  0, 0, 0, .3, 0, 0, .1,
                                  0,  0,  0, .2, 0, 0, 0,  0,  0, 0, .5, 0, 0, 0, .1, 0, 0, .6};
    static const double M6[36] = {2, 0,  0,  0, -.6, -.4, 0,   2, 0,   .6, 0, .2, 0,   0,  2, .4, -.2, 0,
                                  0, .6, .4, 3, .1,  .2,  -.6, 0, -.2, .1, 2, .3, -.4, .2, 0, .2, .3,  4};
    int two = (ph_force_row_of(&(ph_force_def){.type = type})->keys & PH_KEY_BODIES) != 0;
    ph_force_def *f = kit_force(k, "force", type, two ? sides[side][0] : PH_GROUND,
                                two || side >= RIGID_SIDES ? sides[side][1] : side % 2);
    uint64_t own = 7;
    PH_EACH_NUMBER (row, PH_NUMBERS_LAW)
        for (int i = 0; i < row->n && row->type != PH_NUMBER_POINTER; i++)
            ph_number_at(row, f)[i] = 1.5 + rnd(&own);
    f->at_a = rnd3(seed), f->at_b = rnd3(seed), f->value = rnd3(seed);
    f->d *= damping, f->d3 = ph_scale(damping / 9, f->d3), f->dr3 = ph_scale(damping / 9, f->dr3);
    f->length = variant ? 0.8 : NAN;
    if (variant)
        f->kr3 = ph_v3(2, 2, 2);
    f->in_body = type == PH_F_BUSHING ? variant == 3 : variant % 2;
    f->K6 = K6, f->D6 = damping > 0 ? D6 : NULL;
    if (type == PH_F_BEAM && variant &&
        side < RIGID_SIDES) /* 2 kg/m, centre of mass at (0.1, 0.2, -0.3) of the section */
        f->M6 = M6, f->mass_model = variant - 1;
    int smooth = type == PH_F_BEAM || (type == PH_F_TORSION && side >= RIGID_SIDES); /* below half a turn */
    for (int i = 0; i < k->m.n_bodies && smooth; i++)
        k->body[i].R = rnd_turn(0.3, seed);
    if (variant >= 2)
        f->f = (ph_function){.call = pull, .ref = f->body[1]};
}

static void differentiate_forces(range a, uint64_t seed)
{
    for (int type = 0; type < PH_FORCE_COUNT; type++)
        for (int side = a.from; side < a.to; side++)
            for (int variant = 0; variant < 4; variant++)
                for (int s = 0; s < SPACES; s++) {
                    kit k;
                    make_force(&k, type, side, variant, 0.5, &seed);
                    double worst = worst_of(&k, spaces[s], &seed);
                    double tol = variant < 2 || type < PH_F_FORCE ? a.tol : 10 * a.tol;
                    if (!(worst <= tol))
                        print_message("force %d, side %d, variant %d, space %d\n", type, side, variant, s);
                    check_le(worst, tol);
                }
}

/* (J13) */
static void forces_have_right_tangents(void **state)
{
    (void)state;
    /* derivative: order 8, springs of length 1; central where a function is called */
    differentiate_forces((range){0, RIGID_SIDES, 1, 1e-9}, 414);
}

static void forces_at_markers_have_right_tangents(void **state)
{
    (void)state;
    numbers_alone();
    differentiate_forces(WITH_MARKERS, 424);
}

/* A constant force at the centre has no tangent in physical coordinates, and one in all others. */
static void plain_forces_have_right_tangents(void **state)
{
    (void)state;
    uint64_t seed = 416;
    for (int s = 0; s < SPACES; s++) {
        kit k;
        make_force(&k, PH_F_FORCE, 0, 0, 0, &seed);
        k.force[0].at_b = ph_v3(0, 0, 0);
        check_le(worst_of(&k, spaces[s], &seed), 1e-10); /* derivative: order 8 */
    }
}

/* Without damping energy is kept; with it, it is lost. */
static void forces_balance_power(void **state)
{
    (void)state;
    static const int types[] = {PH_F_SPRING, PH_F_BUSHING, PH_F_TORSION, PH_F_BEAM};
    uint64_t seed = 415;
    for (int i = 0; i < 4; i++)
        for (int side = 0; side < 3; side++)
            for (int s = 0; s < SPACES; s++)
                for (int damped = 0; damped < 2; damped++) {
                    kit k;
                    fixture r;
                    make_force(&k, types[i], side, 1 + side, damped, &seed);
                    fixture_open(&r, &k.m, spaces[s]);
                    fixture_scatter(&r, &seed);
                    fixture_accelerate(&r);
                    double power = fixture_power(&r);
                    if (damped)
                        assert_true(power < -1e-4);
                    else
                        check_le(fabs(power), 1e-10); /* derivative: order 8 of energies of 50 J */
                    fixture_close(&r);
                }
}

/* ---- rank ---------------------------------------------------------------------------------------- */

/* Turn a body about an axis through a point of the world. */
static void revolve(ph_kin *k, ph_vec3 at, ph_vec3 axis, double angle)
{
    ph_quat by = turn_about(axis, angle);
    k->x = ph_add(at, ph_quat_rotate(by, ph_sub(k->x, at)));
    k->q = ph_qmul(by, k->q);
}

static ph_kin placed(const ph_body_def *d)
{
    return (ph_kin){.x = d->x, .q = d->R};
}

/* Move the second body of a joint along its free coordinates. */
static void unfold(const ph_joint_def *j, ph_kin *b, double angle, double along)
{
    int t = j->type;
    if (t == PH_J_REVOLUTE || t == PH_J_CYLINDRICAL || t == PH_J_PLANAR || t == PH_J_UNIVERSAL)
        revolve(b, j->at, t == PH_J_UNIVERSAL ? j->axis_b : j->axis, angle);
    if (t == PH_J_UNIVERSAL)
        revolve(b, j->at, j->axis, angle / 3 + along);
    if (t == PH_J_SPHERICAL || t == PH_J_POINT_ON_LINE)
        revolve(b, j->at, ph_v3(0.6, 0, 0.8), angle);
    if (t == PH_J_PRISMATIC || t == PH_J_CYLINDRICAL || t == PH_J_POINT_ON_LINE)
        b->x = ph_add(b->x, ph_scale(along, j->axis));
    if (t == PH_J_PLANAR) {
        ph_vec3 in = ph_cross(j->axis, ph_v3(0.36, 0.48, 0.8));
        b->x = ph_add(b->x, ph_scale(along, in));
    }
}

/* The smallest length that a row of B keeps when those before it are taken out. */
static double smallest_pivot(const fixture *r)
{
    int nv = r->nv;
    double least = HUGE_VAL;
    for (int i = 0; i < r->nl; i++) {
        double *a = r->B + i * nv;
        for (int j = 0; j < i; j++) {
            const double *b = r->B + j * nv;
            double ab = 0;
            for (int k = 0; k < nv; k++)
                ab += a[k] * b[k];
            for (int k = 0; k < nv; k++)
                a[k] -= ab * b[k];
        }
        double size = norm2(a, nv);
        least = fmin(least, size);
        for (int k = 0; k < nv; k++)
            a[k] /= size;
    }
    return least;
}

static void joints_keep_rank(void **state)
{
    (void)state;
    static const double angles[] = {0, PI / 2, PI, 3 * PI / 2, 2 * PI, 2.3, -5.1};
    uint64_t seed = 16;
    for (int type = 0; type < PH_JOINT_COUNT; type++) {
        if (type == PH_J_DISTANCE || type == PH_J_ROLLING || type == PH_J_GENERIC)
            continue; /* rank is that of one row, or of parts tested here */
        for (int i = 0; i < 7; i++) {
            kit k;
            fixture r;
            make_joint(&k, type, 1, 0, 0, &seed);
            ph_kin a = placed(&k.body[0]), b = placed(&k.body[1]);
            unfold(&k.joint[0], &b, angles[i], 0.4);
            ph_vec3 axis = unit3(&seed), about = rnd3(&seed);
            revolve(&a, about, axis, 1.9), revolve(&b, about, axis, 1.9); /* both, anywhere */
            fixture_open(&r, &k.m, PH_SPACE_R3XSO3);
            fixture_set(&r, 0, a), fixture_set(&r, 1, b);
            ph_state s = fixture_state(&r);
            fixture_residual(&r, &s);
            check_le(ph_small_max(r.nl, r.Phi), 2e-15 * 10); /* round-off: positions of size 3 */
            check_le(0.3, smallest_pivot(&r));               /* ordering: full rank, far from losing it */
            fixture_close(&r);
        }
    }
}

/* Turned by half a turn about an axis that it locks, no joint is satisfied. */
static void joints_have_no_spurious_zeros(void **state)
{
    (void)state;
    static const int types[] = {PH_J_REVOLUTE, PH_J_PRISMATIC, PH_J_CYLINDRICAL, PH_J_PLANAR, PH_J_FIXED};
    uint64_t seed = 17;
    for (int i = 0; i < 5; i++)
        for (int trial = 0; trial < 5; trial++) {
            kit k;
            fixture r;
            make_joint(&k, types[i], 1, 0, 0, &seed);
            ph_kin a = placed(&k.body[0]), b = placed(&k.body[1]);
            ph_vec3 across = ph_cross(k.joint[0].axis, unit3(&seed));
            revolve(&b, k.joint[0].at, ph_scale(1 / ph_norm(across), across), PI);
            fixture_open(&r, &k.m, PH_SPACE_R3XSO3);
            fixture_set(&r, 0, a), fixture_set(&r, 1, b);
            ph_state s = fixture_state(&r);
            fixture_residual(&r, &s);
            check_le(0.5, ph_small_max(r.nl, r.Phi)); /* ordering */
            fixture_close(&r);
        }
}

/* ---- mechanics ----------------------------------------------------------------------------------- */

/* Two bodies, one joint to the ground and one between, springs and a torque: on the manifold, with
 * velocities. */
static void make_pair(kit *k, int type, uint64_t *seed)
{
    make_joint(k, type, 1, 0, 0, seed);
    kit_joint(k, "foot", PH_J_SPHERICAL, PH_GROUND, 0, rnd3(seed), ph_v3(0, 0, 1));
    ph_force_def *f = kit_force(k, "spring", PH_F_SPRING, 0, 1);
    f->k = 3, f->d = 0.2, f->at_a = rnd3(seed), f->at_b = rnd3(seed), f->length = 0.5;
    f = kit_force(k, "twist", PH_F_TORQUE, PH_GROUND, 1);
    f->value = rnd3(seed);
}

static void put_in_motion(fixture *r, const kit *k, uint64_t *seed)
{
    for (int b = 0; b < k->m.n_bodies; b++) {
        ph_kin kin = placed(&k->body[b]);
        kin.v = rnd3(seed), kin.w = rnd3(seed);
        fixture_set(r, b, kin);
    }
}

/* m a and J omegadot + omega x J omega of a body, less weight and the forces of the model; world, about its
 * centre. */
static void needed_load(const fixture *r, int body, ph_vec3 *F, ph_vec3 *tau)
{
    ph_state s = fixture_state(r);
    const ph_body_def *d = &r->mech->model->body[body];
    ph_body_state b;
    ph_mechanism_body(r->mech, &s, body, &b);
    ph_mat3 R = ph_qmat(b.q);
    *F = ph_scale(d->mass, ph_sub(b.a, r->mech->model->gravity));
    *tau = ph_mul(R, ph_add(ph_mul(d->J, b.omega_dot), ph_cross(b.omega, ph_mul(d->J, b.omega))));
    for (int k = 0; k < r->mech->n_forces; k++) {
        ph_force_site site;
        ph_vec3 g[PH_SLOTS] = {{0}};
        ph_force_at(r->mech, &s, &r->mech->force[k], &site);
        r->mech->force[k].op->g(&site, g);
        for (int side = 0; side < 2; side++)
            if (r->mech->force[k].body[side] == body) {
                *F = ph_add(*F, g[2 * side]);
                *tau = ph_add(*tau, ph_mul(R, g[2 * side + 1]));
            }
    }
}

static ph_vec3 joint_point(const fixture *r, int joint)
{
    ph_state s = fixture_state(r);
    ph_site site;
    assert_int_equal(ph_joint_site(r->mech, &s, &r->mech->joint[r->mech->joint_of[joint]], 0, &site), PH_OK);
    return ph_add(site.b.x, ph_mul(site.b.R, site.j->sb));
}

/* Newton's and Euler's equations of each body with the reactions as they are reported. */
static double imbalance(const fixture *r)
{
    ph_state s = fixture_state(r);
    double worst = 0;
    for (int b = 0; b < r->mech->model->n_bodies; b++) {
        ph_vec3 F, tau;
        ph_body_state state;
        needed_load(r, b, &F, &tau);
        ph_mechanism_body(r->mech, &s, b, &state);
        for (int j = 0; j < r->mech->model->n_joints; j++) {
            const int *body = r->mech->model->joint[j].body;
            ph_vec3 f, t;
            if (body[0] != b && body[1] != b)
                continue;
            ph_mechanism_reaction(r->mech, &s, j, &f, &t);
            double sign = body[1] == b ? -1 : 1;
            F = ph_add(F, ph_scale(sign, f));
            tau = ph_add(tau, ph_scale(sign, ph_add(t, ph_cross(ph_sub(joint_point(r, j), state.x), f))));
        }
        worst = fmax(worst, fmax(ph_norm(F), ph_norm(tau)));
        if (isnan(F.x + tau.x))
            return NAN;
    }
    return worst;
}

/* All spaces give the same accelerations and reactions, and these balance. */
static void spaces_agree(void **state)
{
    (void)state;
    uint64_t seed = 18;
    for (int type = 0; type < PH_JOINT_COUNT; type++) {
        if (type == PH_J_ROLLING)
            continue; /* ground only, and its point moves: test_mechanism.c */
        kit k;
        make_pair(&k, type, &seed);
        ph_body_state want[2];
        ph_vec3 force, torque;
        for (int s = 0; s < SPACES; s++) {
            fixture r;
            uint64_t again = 77;
            fixture_open(&r, &k.m, spaces[s]);
            put_in_motion(&r, &k, &again);
            fixture_accelerate(&r);
            /* round-off: forces of 50 N through a matrix of condition 1e2 */
            check_le(imbalance(&r), 1e-11);
            ph_state at = fixture_state(&r);
            for (int b = 0; b < 2; b++) {
                ph_body_state got;
                ph_vec3 f, t;
                ph_mechanism_body(r.mech, &at, b, &got);
                ph_mechanism_reaction(r.mech, &at, b, &f, &t);
                if (s == 0)
                    want[b] = got;
                check_le(max_diff(&got.a.x, &want[b].a.x, 3), 1e-11);                 /* round-off */
                check_le(max_diff(&got.omega_dot.x, &want[b].omega_dot.x, 3), 1e-11); /* round-off */
                if (b == 0 && s == 0)
                    force = f, torque = t;
                if (b == 0)
                    check_le(fmax(max_diff(&f.x, &force.x, 3), max_diff(&t.x, &torque.x, 3)),
                             1e-10); /* round-off */
            }
            fixture_close(&r);
        }
    }
}

/* Reactions of a joint do no work on velocities that it allows. */
static void joints_do_no_work(void **state)
{
    (void)state;
    uint64_t seed = 19;
    for (int type = 0; type < PH_JOINT_COUNT; type++)
        for (int s = 0; s < SPACES && type != PH_J_ROLLING; s++) {
            kit k;
            fixture r;
            make_joint(&k, type, 1, 0, 0, &seed);
            fixture_open(&r, &k.m, spaces[s]);
            put_in_motion(&r, &k, &seed);
            fixture_project_v(&r);
            for (int i = 0; i < r.nl; i++)
                r.at.lambda[i] = rnd(&seed);
            ph_state at = fixture_state(&r);
            ph_vec3 F, tau, P = joint_point(&r, 0);
            ph_body_state b[2];
            ph_mechanism_reaction(r.mech, &at, 0, &F, &tau);
            ph_mechanism_body(r.mech, &at, 0, &b[0]), ph_mechanism_body(r.mech, &at, 1, &b[1]);
            ph_vec3 w[2], v[2];
            for (int i = 0; i < 2; i++) {
                w[i] = ph_quat_rotate(b[i].q, b[i].omega);
                v[i] = ph_add(b[i].v, ph_cross(w[i], ph_sub(P, b[i].x)));
            }
            double power = ph_dot(F, ph_sub(v[1], v[0])) + ph_dot(tau, ph_sub(w[1], w[0]));
            check_le(fabs(power), 1e-13); /* round-off */
            fixture_close(&r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_have_right_tangents),
        cmocka_unit_test(drives_have_right_tangents),
        cmocka_unit_test(friction_has_right_tangents),
        cmocka_unit_test(joints_at_markers_have_right_tangents),
        cmocka_unit_test(forces_have_right_tangents),
        cmocka_unit_test(forces_at_markers_have_right_tangents),
        cmocka_unit_test(plain_forces_have_right_tangents),
        cmocka_unit_test(forces_balance_power),
        cmocka_unit_test(joints_keep_rank),
        cmocka_unit_test(joints_have_no_spurious_zeros),
        cmocka_unit_test(spaces_agree),
        cmocka_unit_test(joints_do_no_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
