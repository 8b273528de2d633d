/* Model files: values arrive, functions can be called, a frozen model is the same, memory may end. */
#include "model_file.h"

#include <time.h>

#include "mech/tables.h"

#define BODIES                                                                                               \
    "body { name = 'a', mass = 2, inertia = {1, 2, 2.5}, position = {1, 2, 3}, rotation = {axis = {0, 0, "   \
    "1}, "                                                                                                   \
    "angle = math.pi / 2} }\n"                                                                               \
    "body { name = 'b', mass = 3, inertia = {2, 2, 2}, velocity = {1, 0, 0}, omega = {0, 0, 4} }\n"

static void check_vec(ph_vec3 a, double x, double y, double z, double tol)
{
    check_le(max_diff((double[]){a.x, a.y, a.z}, (double[]){x, y, z}, 3), tol);
}

/* The example of docs/model.md, number by number. */
static void values(void **state)
{
    (void)state;
    ph_model *m = read_text(
        "model 'heavy top'\n"
        "local m = param('m', 15.0)\n"
        "gravity {0, 0, -9.81}\n"
        "body  { name = 'top', mass = m, inertia = {0.234375, 0.46875, 0.234375},\n"
        "        position = {0, 1, 0}, omega = {0, 150, -4.61538} }\n"
        "joint { name = 'pivot', type = 'spherical', bodies = {'ground', 'top'}, at = {0, 0, 0} }\n"
        "sensor{ name = 'tip', type = 'position', body = 'top', at = {0, 1, 0} }\n"
        "run   { t_end = 1.0, h = 1e-3, method = 'genalpha', sigma = 'opt', rho = 0.8,\n"
        "        formulation = 'ggl', newton = 'modified', start = 'plain', atol = 1e-9, rtol = 0,\n"
        "        space = 'SE3', assemble = true, every = 7, max_iterations = 9, solver = 'klu' }\n");
    assert_string_equal(m->name, "heavy top");
    assert_int_equal(m->n_bodies, 1);
    check_vec(m->gravity, 0, 0, -9.81, 0); /* exact */
    const ph_body_def *b = &m->body[0];
    assert_string_equal(b->name, "top");
    assert_true(b->mass == 15 && b->J.xx == 0.234375 && b->J.yy == 0.46875 && b->J.xy == 0 && b->R.w == 1);
    assert_true(!b->particle && !b->has_v && b->has_omega);
    check_vec(b->v, 0, 0, 0, 0);              /* exact */
    check_vec(b->omega, 0, 150, -4.61538, 0); /* exact */
    assert_int_equal(b->origin.line, 4);
    const ph_joint_def *j = &m->joint[0];
    assert_true(j->type == PH_J_SPHERICAL && j->body[0] == PH_GROUND && j->body[1] == 0 && !j->drive.call);
    assert_int_equal(j->origin.line, 6);
    assert_true(m->sensor[0].type == PH_S_POSITION && m->sensor[0].body == 0 && m->sensor[0].size == 3);
    const ph_options *o = &m->run.opt;
    assert_true(m->run.t_end == 1 && o->h == 1e-3 && o->sigma == PH_SIGMA_OPT && o->rho == 0.8 &&
                o->atol == 1e-9 && o->rtol == 0);
    assert_true(o->formulation == PH_GGL && o->newton == PH_MODIFIED && o->start == PH_PLAIN);
    assert_true(m->run.space == PH_SPACE_SE3 && m->run.assemble == 1 && m->run.every == 7 &&
                o->max_iterations == 9);
    assert_string_equal(o->method, "genalpha");
    assert_string_equal(ph_solver_word((int)o->solver), "klu");
    assert_true(m->n_params == 1 && m->param[0].value == 15);
    ph_model_free(m);
    ph_model_free(NULL);
}

/* What a file does not say, and names that come before what they name. */
static void defaults(void **state)
{
    (void)state;
    ph_options o = ph_default_options();
    ph_model *m = read_text(
        "sensor { name = 's', type = 'angle', joint = 'j' }\n"
        "joint { name = 'j', type = 'revolute', bodies = {'b', 'p'}, at = {0, 0, 0}, axis = {0, 3, 4} }\n"
        "particle { name = 'p', mass = 1 } " BODIES);
    assert_string_equal(m->name, "model"); /* that of the file */
    assert_true(m->run.opt.h == 0 && m->run.t_end == 0 && m->run.opt.rho == o.rho && m->run.every == 1 &&
                !m->run.assemble);
    check_vec(m->gravity, 0, 0, 0, 0); /* exact */
    assert_true(m->body[0].particle && !m->body[0].has_v && !m->body[0].has_omega && m->body[2].has_v);
    assert_true(m->joint[0].body[0] == 2 && m->joint[0].body[1] == 0 && m->sensor[0].joint == 0 &&
                m->sensor[0].size == 1);
    check_vec(m->joint[0].axis, 0, 0.6, 0.8, 2e-16); /* round-off */
    ph_model_free(m);
}

/* A force without a name gets one that is free. An upright beam, and one whose tangent is along it, have axes of their own. */
static void names_and_axes(void **state)
{
    (void)state;
    ph_model *m = read_text(BODIES "force { name = 'force2', body = 'a', value = {1, 0, 0} }\n"
                                   "force { body = 'b', value = {0, 1, 0} }\n");
    assert_string_equal(m->force[0].name, "force2");
    assert_string_equal(m->force[1].name, "force3");
    ph_model_free(m);
    m = read_text(
        "local section, mass = {EA = 1, GA = 1, GJ = 1, EI = 1}, {rhoA = 1, J = {2, 1, 1}}\n"
        "beam { name = 'u', from = {0, 0, 0}, to = {0, 0, 2}, n = 2, section = section, mass = mass }\n"
        "beam { name = 'v', from = {0, 0, 0}, to = {2, 0, 0}, n = 2, section = section, mass = mass,\n"
        "       tangent = {3, 0, 0} }\n");
    ph_mat3 R = ph_qmat(m->body[1].R);
    check_vec(m->body[1].x, 0, 0, 1, 0);                  /* exact */
    check_vec(ph_mul(R, ph_v3(1, 0, 0)), 0, 0, 1, 1e-15); /* round-off */
    check_vec(ph_mul(R, ph_v3(0, 1, 0)), 0, 1, 0, 1e-15);
    check_vec(m->body[4].x, 1, 0, 0, 1e-15);
    check_vec(ph_mul(ph_qmat(m->body[4].R), ph_v3(1, 0, 0)), 1, 0, 0, 1e-15);
    ph_model_free(m);
}

/* ---- geometry ---------------------------------------------------------------------------------------- */

static ph_quat rotation(const char *text)
{
    char file[512];
    snprintf(file, sizeof file, "body { name = 'a', mass = 1, inertia = {1, 1, 1}, rotation = %s }", text);
    ph_model *m = read_text(file);
    ph_quat q = m->body[0].R;
    ph_model_free(m);
    return q;
}

static void check_rotation(const char *text, ph_quat want)
{
    ph_quat q = rotation(text);
    double sign = q.w * want.w + q.x * want.x + q.y * want.y + q.z * want.z < 0
                      ? -1
                      : 1; /* q and -q are one rotation */
    /* round-off: the digits of the text */
    check_le(max_diff((double[]){q.w, q.x, q.y, q.z},
                      (double[]){sign * want.w, sign * want.x, sign * want.y, sign * want.z}, 4),
             4e-16);
    check_near(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1, 1e-15); /* round-off */
}

/* One rotation in all four forms, by 1.3 rad about (2, -1, 2)/3; half turns, where each component of the
 * quaternion is the largest in turn. */
static void rotations(void **state)
{
    (void)state;
    double n[3] = {2.0 / 3, -1.0 / 3, 2.0 / 3}, a = 1.3, s = sin(a / 2);
    ph_quat q = {cos(a / 2), s * n[0], s * n[1], s * n[2]};
    ph_mat3 R = ph_qmat(q);
    char text[400];
    check_rotation("{axis = {2, -1, 2}, angle = 1.3}", q);
    check_rotation("{vector = {2.6/3, -1.3/3, 2.6/3}}", q);
    snprintf(text, sizeof text, "{%.17g, %.17g, %.17g, %.17g}", q.w, q.x, q.y, q.z);
    check_rotation(text, q);
    snprintf(text, sizeof text, "{%.7f, %.7f, %.7f, %.7f}", q.w, q.x, q.y,
             q.z); /* seven printed digits are enough */
    ph_quat rough = rotation(text);
    check_near(rough.w * rough.w + rough.x * rough.x + rough.y * rough.y + rough.z * rough.z, 1,
               1e-15); /* round-off */
    snprintf(text, sizeof text,
             "{matrix = {{%.17g, %.17g, %.17g}, {%.17g, %.17g, %.17g}, {%.17g, %.17g, %.17g}}}", R.xx, R.xy,
             R.xz, R.yx, R.yy, R.yz, R.zx, R.zy, R.zz);
    check_rotation(text, q);
    check_rotation("{matrix = {{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}}", (ph_quat){0, 1, 0, 0});
    check_rotation("{matrix = {{-1, 0, 0}, {0, 1, 0}, {0, 0, -1}}}", (ph_quat){0, 0, 1, 0});
    check_rotation("{matrix = {{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}}}", (ph_quat){0, 0, 0, 1});
    check_rotation("{vector = {0, 0, 0}}", (ph_quat){1, 0, 0, 0});
    check_rotation("{axis = {1e-50, 0, 0}, angle = math.pi}", (ph_quat){6.123233995736766e-17, 1, 0, 0});
}

static void inertias(void **state)
{
    (void)state;
    ph_model *m = read_text(
        "body { name = 'p', mass = 1, inertia = {1, 2, 3} }\n" /* flat: 1 + 2 = 3 */
        "body { name = 's', mass = 1, inertia = {2, 3, 4, 0.5, -0.25, 0.125} }\n"
        "body { name = 'm', mass = 1, inertia = {{2, 0.5, -0.25}, {0.5, 3, 0.125}, {-0.25, 0.125, 4}} }\n"
        "body { name = 't', mass = 1, inertia = {1e-12, 1e-12, 1e-12} }\n");
    ph_mat3 want = {2, 0.5, -0.25, 0.5, 3, 0.125, -0.25, 0.125, 4};
    assert_true(m->body[0].J.xx == 1 && m->body[0].J.yy == 2 && m->body[0].J.zz == 3 && m->body[0].J.yz == 0);
    assert_memory_equal(&m->body[1].J, &want, sizeof want);
    assert_memory_equal(&m->body[2].J, &want, sizeof want);
    ph_model_free(m);
}

/* ---- elements ---------------------------------------------------------------------------------------- */

#define JOINT(rest) "joint { bodies = {'ground', 'a'}, " rest " }\n"

static const char joints[] =
    BODIES JOINT("name = 'j1', type = 'universal', at = {1, 1, 1}, axis_a = {2, 0, 0}, axis_b = {0, 0, -3}")
        JOINT("name = 'j2', type = 'prismatic', axis = {0, 1, 0}, friction = 0.25, friction_speed = 0.5")
            JOINT("name = 'j3', type = 'planar', at = {0, 0, 1}, normal = {0, 0, 2}") JOINT(
                "name = 'j4', type = 'distance', at_a = {1, 0, 0}, at_b_world = {1, 2, 5}, length = 2")
                JOINT("name = 'j5', type = 'distance'") JOINT(
                    "name = 'j6', type = 'rolling', axis = {0, 2, 0}, radius = 0.5")
                    JOINT("name = 'j7', type = 'generic', at = {0, 0, 0}, lock = {'rz', 'x'}") JOINT(
                        "name = 'j8', type = 'generic', at = {0, 0, 0}, lock = {'y'}, axis = {1, 2, 2}")
                        JOINT("name = 'j9', type = 'generic', at = {0, 0, 0}, lock = {'y'}, frame = {axis = "
                              "{0, 0, 1}, angle = 0.3}") JOINT("name = 'k1', type = 'fixed'")
                            JOINT("name = 'k2', type = 'cylindrical', at = {4, 5, 6}, axis = {1, 0, 0}")
                                JOINT("name = 'k3', type = 'point_on_line', at = {7, 8, 9}, axis = {1, 0, 0}")
                                    JOINT("name = 'k4', type = 'revolute', at = {7, 8, 9}, axis = {1, 0, 0}, "
                                          "friction = 0.1, friction_radius = 0.02");

static void every_joint(void **state)
{
    (void)state;
    ph_model *m = read_text(joints);
    const ph_joint_def *j = m->joint;
    check_vec(j[0].axis, 1, 0, 0, 0);    /* exact */
    check_vec(j[0].axis_b, 0, 0, -1, 0); /* exact */
    check_vec(j[1].at, 1, 2, 3, 0);      /* exact: where the body is */
    assert_true(j[1].friction == 0.25 && j[1].friction_speed == 0.5);
    check_vec(j[2].axis, 0, 0, 1, 0);     /* exact */
    check_vec(j[3].at_a, 1, 0, 0, 0);     /* exact */
    check_vec(j[3].at_b, 0, 0, 2, 1e-15); /* round-off: R^T (p - x) */
    assert_true(j[3].length == 2 && isnan(j[4].length));
    check_vec(j[5].axis, 0, 0, 1, 0);     /* exact: normal */
    check_vec(j[5].axis_b, 0, 1, 0, 0);   /* exact: axle */
    check_vec(j[5].at, 1, 2, 2.5, 1e-15); /* round-off: below the disc */
    assert_true(j[6].lock == (1u << 5 | 1u << 0) && j[6].frame.xx == 1 && j[6].frame.xy == 0);
    const ph_mat3 *F = &j[7].frame;
    check_vec(ph_v3(F->xz, F->yz, F->zz), 1.0 / 3, 2.0 / 3, 2.0 / 3, 2e-16); /* round-off */
    ph_mat3 E = ph_mmul(ph_transpose(*F), *F);
    check_le(max_diff((double *)&E, (double[]){1, 0, 0, 0, 1, 0, 0, 0, 1}, 9), 5e-16); /* round-off */
    check_near(j[8].frame.yx, sin(0.3), 2e-16);                                        /* round-off */
    check_vec(j[9].at, 1, 2, 3, 0);                                                    /* exact */
    assert_true(j[12].friction_radius == 0.02 && j[12].origin.line == 15);
    ph_model_free(m);
}

static const char forces[] =
    BODIES "spring { name = 'named', bodies = {'a', 'b'}, at_a = {1, 0, 0}, at_b_world = {1, 1, 1}, k = 5 }\n"
           "spring { bodies = {'a', 'b'}, d = 5, length = 0 }\n"
           "bushing { bodies = {'ground', 'b'}, k = {1, 2, 3}, dr = {4, 5, 6} }\n"
           "torsion { body = 'b', k = 1, d = 2 }\n"
           "force { body = 'a', at_world = {1, 2, 4}, value = {7, 8, 9}, frame = 'body' }\n"
           "torque { body = 'a', value = {7, 8, 9} }\n"
           "sensor { name = 'v', type = 'velocity', body = 'a', at_world = {1, 3, 3} }\n"
           "sensor { name = 'q', type = 'rotation', body = 'ground' }\n"
           "sensor { name = 'E', type = 'energy' }\n";

static void every_force(void **state)
{
    (void)state;
    ph_model *m = read_text(forces);
    const ph_force_def *f = m->force;
    assert_string_equal(f[0].name, "named");
    assert_string_equal(f[1].name, "spring2");
    assert_string_equal(f[3].name, "torsion4");
    assert_true(f[0].k == 5 && f[0].d == 0 && isnan(f[0].length) && f[1].k == 0 && f[1].length == 0);
    assert_true(f[0].body[0] == 0 && f[0].body[1] == 1);
    check_vec(f[0].at_b, 1, 1, 1, 0); /* exact: 'b' is not turned */
    check_vec(f[2].k3, 1, 2, 3, 0);   /* exact */
    check_vec(f[2].d3, 0, 0, 0, 0);   /* exact */
    check_vec(f[2].dr3, 4, 5, 6, 0);  /* exact */
    assert_true(f[2].body[0] == PH_GROUND && f[3].body[1] == 1 && f[4].in_body && !f[5].in_body);
    check_vec(f[4].at_b, 0, 0, 1, 1e-15);       /* round-off */
    check_vec(f[4].value, 7, 8, 9, 0);          /* exact */
    check_vec(m->sensor[0].at, 1, 0, 0, 1e-15); /* round-off: R^T e_y = e_x */
    assert_true(m->sensor[1].body == PH_GROUND && m->sensor[1].size == 4 && m->sensor[2].size == 1);
    ph_model_free(m);
}

static void parameters(void **state)
{
    (void)state;
    const char *text = "local m, k = param('m', 15), param('k', 2)\n"
                       "body { name = 'a', mass = m * k, inertia = {1, 1, 1} }";
    ph_setting sets[] = {{"m", 4}, {"m", 5}};
    ph_model *m;
    ph_error err;
    assert_int_equal(read_named(&m, "p.lua", text, strlen(text), sets, 2, NULL, &err), PH_OK);
    assert_true(m->n_params == 2 && m->param[0].value == 5 && m->param[1].value == 2 &&
                m->body[0].mass == 10);
    assert_string_equal(m->param[1].name, "k");
    assert_string_equal(m->name, "p");
    ph_model_free(m);
}

/* A count is a whole number in Lua, by default and set; other values and quantities are not. */
static void counts(void **state)
{
    (void)state;
    static const char text[] =
        "local n, k, E = param('n', 3), param('k', 2.0), param('E', 210000000000)\n"
        "local half = n // 2\n"
        "for i = 1, n do particle { name = 'p' .. i, mass = 1 } end\n"
        "particle { name = math.type(n) .. '-' .. math.type(k) .. '-' .. math.type(E), mass = 1 + half }\n";
    static const struct {
        double n;
        int bodies;
        const char *kinds;
    } row[] = {{0, 4, "integer-float-float"}, {16, 17, "integer-float-float"}, {2.5, 3, "float-float-float"}};
    for (int k = 0; k < 3; k++) {
        ph_setting set = {"n", row[k].n};
        ph_model *m;
        ph_error err;
        assert_int_equal(read_named(&m, "p.lua", text, strlen(text), &set, k > 0, NULL, &err), PH_OK);
        assert_int_equal(m->n_bodies, row[k].bodies);
        assert_string_equal(m->body[m->n_bodies - 1].name, row[k].kinds);
        ph_model_free(m);
    }
}

/* ---- functions --------------------------------------------------------------------------------------- */

#define FUNCTIONS(late)                                                                                      \
    BODIES                                                                                                   \
    "local calls = 0\n"                                                                                      \
    "joint { name = 'j', type = 'revolute', bodies = {'ground', 'a'}, at = {0, 0, 0}, axis = {0, 0, 1},\n"   \
    "        drive = function(t) return 0.5 * t^2 end }\n"                                                   \
    "force { name = 'f', body = 'a', value = function(t, s)\n"                                               \
    "    if t > 5 then " late " end\n"                                                                       \
    "    if t > 4 then return 1, 2 end\n"                                                                    \
    "    if t > 3 then return 0, 0/0, 0 end\n"                                                               \
    "    if t > 2 then return s.c.position end\n"                                                            \
    "    return s.b.position.x + t, s['b'].velocity[2], s.a.rotation.w + s.ground.position.z + s.t end }\n"  \
    "sensor { name = 's', custom = function(t, s) return {s.b.omega.z, s.a.rotation[1], t, 1, 2} end }\n"    \
    "constraint { name = 'c', f = function(t, s) return s.a.position.x - 1, s.a.position.z - 3 end }\n"

static const char functions[] = FUNCTIONS("while true do end");

static void check_complaint(const ph_model *m, double t, const ph_body_state *b, const char *words)
{
    double out[3] = {-1, -1, -1};
    const ph_function *f = &m->force[0].f;
    assert_int_equal(f->call(f, t, b, 3, out), PH_E_CALLBACK);
    if (!strstr(ph_model_complaint(m), words))
        fail_msg("'%s' does not contain '%s'", ph_model_complaint(m), words);
    assert_true(out[0] == -1 && out[1] == -1 && out[2] == -1);
}

static void calls(void **state)
{
    (void)state;
    ph_model *m = read_text(functions);
    double out[5];
    ph_body_state b[2] = {{.q = {0.25, 0, 0, 0}},
                          {.x = {1.5, 0, 0}, .v = {0, 2.5, 0}, .q = {1, 0, 0, 0}, .omega = {0, 0, 3.5}}};
    const ph_function *drive = &m->joint[0].drive, *f = &m->force[0].f, *s = &m->sensor[0].f;
    assert_true(m->sensor[0].size == 5 && m->constraint[0].rows == 2);
    assert_string_equal(ph_model_complaint(m), "");
    assert_int_equal(drive->call(drive, 3, NULL, 1, out), PH_OK);
    assert_true(out[0] == 4.5);
    assert_int_equal(f->call(f, 1, b, 3, out), PH_OK);
    assert_true(out[0] == 2.5 && out[1] == 2.5 && out[2] == 1.25);
    assert_int_equal(s->call(s, 7, b, 5, out), PH_OK);
    assert_true(out[0] == 3.5 && out[1] == 0.25 && out[2] == 7 && out[4] == 2);
    check_complaint(m, 2.5, b, "model.lua:10: force 'f': there is no body 'c'");
    check_complaint(m, 3.5, b, "model.lua:6: force 'f': what the function returns is not a number");
    check_complaint(m, 4.5, b, "model.lua:6: force 'f': the function returns 2 values instead of 3");
    check_complaint(m, 5.5, b, "model.lua:7: force 'f': this takes more than 1e+08 operations");
    assert_int_equal(f->call(f, 1, b, 3, out), PH_OK); /* as before */
    assert_true(out[0] == 2.5 && out[1] == 2.5 && out[2] == 1.25);
    ph_model_free(m);
}

/* A force sees the body that it acts on without its name; a body of such a name comes first. */
static void forces_see_their_own_body(void **state)
{
    (void)state;
    static const char text[] = BODIES
        "torque { name = 'f', body = 'b', value = function(t, s) return s.velocity.y, s.omega[3], "
        "s.rotation.w + s.position.x end }\n"
        "force { name = 'g', body = 'a', value = function(t, s) return s.velocity.y, s.position.z, 0 end }\n";
    ph_body_state b[3] = {{.q = {0.25, 0, 0, 0}, .v = {0, 0.5, 0}, .x = {0, 0, 0.75}},
                          {.x = {1.5, 0, 0}, .v = {0, 2.5, 0}, .q = {1, 0, 0, 0}, .omega = {0, 0, 3.5}}};
    double out[3];
    ph_model *m = read_text(text);
    const ph_function *f = &m->force[0].f, *g = &m->force[1].f;
    assert_int_equal(f->call(f, 1, b, 3, out), PH_OK);
    assert_true(out[0] == 2.5 && out[1] == 3.5 && out[2] == 2.5);
    assert_int_equal(g->call(g, 1, b, 3, out), PH_OK);
    assert_true(out[0] == 0.5 && out[1] == 0.75 && out[2] == 0);
    ph_model_free(m);
    m = read_text(
        "particle { name = 'p', mass = 1 } particle { name = 'velocity', mass = 1 }\n"
        "force { body = 'p', value = function(t, s) return s.velocity.position.x, s.position.x, 0 end }\n");
    b[1].x.x = 4;
    assert_int_equal(m->force[0].f.call(&m->force[0].f, 1, b, 3, out), PH_OK);
    assert_true(out[0] == 4 && out[1] == 0);
    ph_model_free(m);
    static const char sensor[] =
        BODIES "sensor { name = 's', custom = function(t, s) return s.velocity.x end }";
    ph_error err;
    assert_int_equal(read_named(&m, "s.lua", sensor, strlen(sensor), NULL, 0, NULL, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "there is no body 'velocity'"));
}

/* What takes the time alone has no slopes, and sees no state; whatever may take more has. */
static void functions_of_time_alone(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        int only_time;
    } row[] = {{"function(t) return t, 0, 1 end", 1},
               {"function() return 1, 2, 3 end", 1},
               {"function(t, s) return t, 0, 1 end", 0},
               {"function(...) return 0, 0, 1 end", 0}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char text[600];
        ph_model *m;
        ph_error err;
        double out[3];
        snprintf(text, sizeof text, "%sforce { name = 'f', body = 'a', value = %s }\n", BODIES, row[i].value);
        assert_int_equal(read_named(&m, "model.lua", text, strlen(text), NULL, 0, NULL, &err), PH_OK);
        assert_int_equal(m->force[0].f.only_time, row[i].only_time);
        if (row[i].only_time)
            assert_int_equal(m->force[0].f.call(&m->force[0].f, 1, NULL, 3, out), PH_OK);
        ph_model_free(m);
    }
}

/* Many calls leave nothing behind: the Lua state neither fills up nor slows down. */
static void many_calls(void **state)
{
    (void)state;
    counter c = {0};
    ph_allocator alloc = {counter_alloc, counter_free, &c};
    ph_model *m;
    ph_error err;
    assert_int_equal(read_named(&m, "model.lua", functions, strlen(functions), NULL, 0, &alloc, &err), PH_OK);
    ph_body_state b[2] = {0};
    double out[3];
    long live = c.live;
    for (int i = 0; i < 100000; i++)
        assert_int_equal(m->force[0].f.call(&m->force[0].f, 1, b, 3, out), PH_OK);
    assert_true(c.live < live + 2000); /* garbage that waits for its collector */
    ph_model_free(m);
    assert_int_equal(c.live, 0);
}

/* The same model in every run, whatever the order inside of Lua's tables and its random numbers. */
static void reproducible(void **state)
{
    (void)state;
    const char *text = "local t = {zeta = 1, eta = 2, theta = 3, iota = 4, kappa = 5, [2] = 6, [1.5] = 7}\n"
                       "for k, v in pairs(t) do particle { name = 'p' .. v, mass = v + math.random() } end\n";
    ph_model *a = read_text(text), *b = read_text(text);
    static const char *const names[] = {"p7", "p6", "p2", "p4", "p5", "p3", "p1"};
    for (int i = 0; i < 7; i++) {
        assert_string_equal(a->body[i].name, names[i]);
        assert_true(a->body[i].mass == b->body[i].mass);
    }
    ph_model_free(a);
    ph_model_free(b);
}

/* ---- freezing ---------------------------------------------------------------------------------------- */

static ph_model *thaw(const ph_model *m, const char *name)
{
    ph_model *again;
    ph_error err = {0};
    scratch s = scratch_create(name);
    FILE *f = fopen(s.path, "w");
    assert_non_null(f);
    assert_int_equal(ph_model_freeze(m, f, &err), PH_OK);
    assert_int_equal(fclose(f), 0);
    if (ph_model_read(&again, s.path, NULL, 0, NULL, &err) != PH_OK)
        fail_msg("%s", err.text);
    scratch_remove(&s);
    return again;
}

#define SAME(member) assert_memory_equal(&a->member, &b->member, sizeof a->member)

static void same_joint(const ph_joint_def *a, const ph_joint_def *b)
{
    assert_string_equal(a->name, b->name);
    SAME(type), SAME(body), SAME(at), SAME(at_a), SAME(at_b), SAME(axis), SAME(axis_b), SAME(radius),
        SAME(lock);
    SAME(frame), SAME(friction), SAME(friction_radius), SAME(friction_speed);
    assert_true(a->length == b->length || (isnan(a->length) && isnan(b->length)));
}

static void same_force(const ph_force_def *a, const ph_force_def *b)
{
    assert_string_equal(a->name, b->name);
    SAME(type), SAME(body), SAME(at_a), SAME(at_b), SAME(k), SAME(d), SAME(k3), SAME(d3), SAME(kr3),
        SAME(dr3);
    SAME(value), SAME(in_body);
    assert_true(a->length == b->length || (isnan(a->length) && isnan(b->length)));
    SAME(mass_model);
    assert_true(!a->K6 == !b->K6 && !a->D6 == !b->D6 && !a->M6 == !b->M6);
    if (a->M6)
        assert_memory_equal(a->M6, b->M6, 36 * sizeof(double));
    if (a->K6)
        assert_memory_equal(a->K6, b->K6, 36 * sizeof(double));
    if (a->D6)
        assert_memory_equal(a->D6, b->D6, 36 * sizeof(double));
}

static void same_body(const ph_body_def *a, const ph_body_def *b)
{
    assert_string_equal(a->name, b->name);
    SAME(particle), SAME(bare), SAME(mass), SAME(J), SAME(x), SAME(R), SAME(v), SAME(omega), SAME(has_v),
        SAME(has_omega);
}

static void same_options(const ph_run_def *a, const ph_run_def *b)
{
    assert_string_equal(a->opt.method, b->opt.method);
    SAME(opt.h), SAME(opt.sigma), SAME(opt.rho), SAME(opt.formulation), SAME(opt.newton), SAME(opt.start),
        SAME(opt.atol);
    SAME(opt.rtol), SAME(opt.max_iterations), SAME(opt.solver), SAME(t_end), SAME(assemble), SAME(space),
        SAME(every);
}

/* Bit for bit, except for the file and its lines. */
static void same_model(const ph_model *a, const ph_model *b)
{
    assert_string_equal(a->name, b->name);
    SAME(n_bodies), SAME(n_joints), SAME(n_forces), SAME(n_sensors), SAME(n_params), SAME(gravity);
    for (int i = 0; i < a->n_bodies; i++)
        same_body(&a->body[i], &b->body[i]);
    for (int i = 0; i < a->n_joints; i++)
        same_joint(&a->joint[i], &b->joint[i]);
    for (int i = 0; i < a->n_forces; i++)
        same_force(&a->force[i], &b->force[i]);
    for (int i = 0; i < a->n_sensors; i++) {
        const ph_sensor_def *s = &a->sensor[i], *t = &b->sensor[i];
        assert_string_equal(s->name, t->name);
        assert_true(s->type == t->type && s->body == t->body && s->joint == t->joint && s->size == t->size &&
                    s->element == t->element);
        assert_memory_equal(&s->at, &t->at, sizeof s->at);
    }
    for (int i = 0; i < a->n_params; i++) {
        assert_string_equal(a->param[i].name, b->param[i].name);
        assert_true(a->param[i].value == b->param[i].value);
    }
    same_options(&a->run, &b->run);
}

static void freezing(void **state)
{
    (void)state;
    const char *rest =
        "model 'a \"quoted\" \\\\ name, \xc3\xa9t\xc3\xa9'\n"
        "local p = param('p', 1/3)\n"
        "gravity {0, 1/7, -9.81}\n"
        "for i = 1, 50 do\n"
        "    local function r() return math.random() - 0.5 end\n"
        "    body { name = 'r' .. i, mass = math.random(), inertia = {2 + r(), 2 + r(), 2 + r(), r()/3, "
        "r()/3, r()/3},\n"
        "           position = {r(), r(), 1e6 * r()}, rotation = {vector = {9 * r(), 9 * r(), 9 * r()}} }\n"
        "    joint { name = 'x' .. i, type = 'universal', bodies = {'b', 'r' .. i}, at = {r(), r(), r()},\n"
        "            axis_a = {r(), r(), r()}, axis_b = {r(), 1e-9 * r(), r()} }\n"
        "    joint { name = 'y' .. i, type = 'generic', bodies = {'r' .. i, 'ground'}, at = {r(), r(), "
        "r()},\n"
        "            lock = {'rx'}, axis = {r(), r(), r()} }\n"
        "    joint { name = 'z' .. i, type = 'generic', bodies = {'r' .. i, 'ground'}, at = {r(), r(), "
        "r()},\n"
        "            lock = {'x', 'z'}, frame = {vector = {r(), 4 * r(), r()}} }\n"
        "end\n"
        "particle { name = 'point', mass = 1e-30, velocity = {0, -0.0, 1} }\n"
        "beam { name = 'arc', from = {0, 1/3, 0}, to = {1, 2, 1/7}, tangent = {1, 0, 0.1}, n = 3, rbf = "
        "true,\n"
        "       section = {EA = 1/3, GA = {1/7, 1/9}, GJ = 2/3, EI = 1/11}, damping = 1/13, ends = "
        "{'pinned', 'clamped'},\n"
        "       mass = {rhoA = 1/3, J = {1/7, 1/7, 1/9, 1/99, 0, 0}} }\n"
        "sensor { name = 'section', type = 'section_force', beam_element = 'arc.2' }\n"
        "run { t_end = 2/3, h = 1/1024/3, sigma = 'opt', space = 'euler', assemble = true,\n"
        "      tol = 1/7, h_max = 1/11, h_min = 1e-7/3, nonsmooth = {0.1, 1/3} }\n";
    char *text = malloc(sizeof joints + sizeof forces + strlen(rest));
    assert_non_null(text);
    strcpy(text, joints);
    strcat(text, forces + strlen(BODIES));
    strcat(text, rest);
    ph_model *m = read_text(text), *by_name = thaw(m, "model.json"), *by_brace = thaw(m, "frozen");
    same_model(m, by_name);
    same_model(m, by_brace);
    assert_int_equal(by_name->body[0].origin.line, 6); /* of the JSON */
    ph_model_free(m);
    ph_model_free(by_name);
    ph_model_free(by_brace);
    free(text);
}

static void freezing_functions(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } row[] = {
        {BODIES "torque { name = 'f', body = 'a', value = function(t) return t == 0 and 1 or 0, 0, 0 end }",
         "torque 'f': a function of the file cannot be frozen: it compares for equality with a number"},
        {BODIES "sensor { name = 's', custom = function(t) return ({1})[t] or 0 end }",
         "model.lua:3: sensor 's': a function"},
        {BODIES "constraint { name = 'c', f = function() return math.random() end }",
         "constraint 'c': a function"},
        {BODIES "joint { name = 'd', type = 'distance', bodies = {'a', 'b'}, drive = function(t) return "
                "#tostring(t) end }",
         "joint 'd': a function"}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        ph_model *m = read_text(row[i].text);
        ph_error err = {0};
        FILE *f = tmpfile();
        assert_non_null(f);
        assert_int_equal(ph_model_freeze(m, f, &err), PH_E_INPUT);
        assert_int_equal(ftell(f), 0); /* nothing is written */
        if (!strstr(err.text, row[i].words))
            fail_msg("'%s' does not contain '%s'", err.text, row[i].words);
        fclose(f);
        ph_model_free(m);
    }
}

/* ---- size and memory --------------------------------------------------------------------------------- */

/* A model in parts: what an included file returns, its curve from a table, and the parts of its own. */
static void parts(void **state)
{
    (void)state;
    ph_model *m;
    ph_error err = {0};
    if (ph_model_read(&m, PH_TEST_DIR "/models/parts.lua", NULL, 0, NULL, &err) != PH_OK)
        fail_msg("%s", err.text);
    assert_int_equal(ph_model_count(m, PH_BODIES), 2);
    assert_true(m->body[0].mass == 2.5); /* exact: halfway in the table */
    assert_true(m->body[1].mass == 4);   /* exact: of the other column */
    assert_non_null(strstr(m->body[1].origin.file, "part.lua"));
    ph_model_free(m);
}

/* Letters of JSON that are written as numbers: one, two, three and four bytes. */
static void letters(void **state)
{
    (void)state;
    ph_model *m;
    ph_error err = {0};
    scratch s = scratch_create("model.json");
    ph_model *plain = read_text("model 'LETTERS'\nbody{ name = 'a', mass = 1, inertia = {1, 1, 1} }");
    FILE *f = fopen(s.path, "wb");
    char text[20000], now[20100];
    assert_non_null(f);
    assert_int_equal(ph_model_freeze(plain, f, &err), PH_OK);
    fclose(f);
    f = fopen(s.path, "rb");
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    char *at = strstr(text, "LETTERS");
    assert_non_null(at);
    snprintf(now, sizeof now, "%.*s\\u0041\\u00e9\\u20ac\\ud83d\\ude00%s", (int)(at - text), text, at + 7);
    scratch_write(&s, now, strlen(now));
    if (ph_model_read(&m, s.path, NULL, 0, NULL, &err) != PH_OK)
        fail_msg("%s", err.text);
    assert_string_equal(ph_model_title(m), "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    ph_model_free(m), ph_model_free(plain);
    snprintf(now, sizeof now, "%.*s\\ud83dA%s", (int)(at - text), text, at + 7);
    scratch_write(&s, now, strlen(now));
    assert_int_equal(ph_model_read(&m, s.path, NULL, 0, NULL, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "surrogate"));
    scratch_remove(&s);
}

static void large_model(void **state)
{
    (void)state;
    clock_t start = clock();
    ph_model *m =
        read_text("for i = 1, 10000 do\n"
                  "  body { name = 'b' .. i, mass = 4, inertia = {1, 1, 1}, position = {i, 0, 0} }\n"
                  "  joint { name = 'j' .. i, type = 'revolute', bodies = {i == 1 and 'ground' or 'b' .. i - "
                  "1, 'b' .. i},\n"
                  "          at = {i - 0.5, 0, 0}, axis = {0, 1, 0} }\n"
                  "end\n");
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    assert_true(m->n_bodies == 10000 && m->n_joints == 10000 && m->joint[9999].body[0] == 9998);
    check_le(seconds, 1); /* ordering: 0.1 s without sanitizers */
    ph_model_free(m);
}

/* Every allocation fails once, alone or with all that follow: never a crash, never a leak. A loop without end would allocate
 * nothing, and each reading would wait for its limit. */
static void memory_ends(void **state)
{
    (void)state;
    static const char text[] = FUNCTIONS("error('late')");
    const char *claims = getenv("PH_CLAIMS");
    long stride =
        claims && !strcmp(claims, "quick") ? 7 : 1; /* where every access is watched: each seventh */
    for (int for_good = 0; for_good < 2; for_good++) {
        long failures = 0;
        for (long k = 1;; k += stride) {
            counter c = {.fail_at = k, .for_good = for_good};
            ph_allocator alloc = {counter_alloc, counter_free, &c};
            ph_model *m;
            ph_error err = {0};
            ph_status s = read_named(&m, "model.lua", text, strlen(text), NULL, 0, &alloc, &err);
            failures += s == PH_E_MEMORY;
            assert_true(s == PH_OK ? m != NULL
                                   : s == PH_E_MEMORY && !m && strstr(err.text, "not enough memory"));
            assert_true(s == PH_E_MEMORY || !for_good || c.calls < k); /* Lua tries twice, but not in vain */
            ph_model_free(m);
            assert_int_equal(c.live, 0);
            if (c.calls < k)
                break;
        }
        assert_true(failures > 100 || !for_good);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(names_and_axes),
        cmocka_unit_test(defaults),
        cmocka_unit_test(rotations),
        cmocka_unit_test(inertias),
        cmocka_unit_test(every_joint),
        cmocka_unit_test(every_force),
        cmocka_unit_test(parameters),
        cmocka_unit_test(counts),
        cmocka_unit_test(calls),
        cmocka_unit_test(forces_see_their_own_body),
        cmocka_unit_test(functions_of_time_alone),
        cmocka_unit_test(many_calls),
        cmocka_unit_test(reproducible),
        cmocka_unit_test(freezing),
        cmocka_unit_test(parts),
        cmocka_unit_test(letters),
        cmocka_unit_test(freezing_functions),
        cmocka_unit_test(large_model),
        cmocka_unit_test(memory_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
