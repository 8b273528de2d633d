/* Every shipped model in other units of length, time and mass: the same motion. */
#include "model_file.h"

#include <dirent.h>

#include "mech/tables.h"

/* Units are powers of two, about 1e-6 and 1e6, so that numbers of the model are scaled exactly. */
typedef struct units {
    double L, T, M;
} units;

/* A function of the file, asked in the units of the file. */
typedef struct asked {
    ph_function f;
    const ph_model *m;
    units u;
    double unit; /* of what it returns */
} asked;

static ph_status ask(const ph_function *f, double t, const ph_body_state *bodies, int n, double *out)
{
    const asked *a = f->owner;
    units u = a->u;
    ph_body_state *own = bodies ? malloc(sizeof *own * (size_t)a->m->n_bodies) : NULL;
    for (int i = 0; bodies && i < a->m->n_bodies; i++) {
        own[i] = bodies[i];
        own[i].x = ph_scale(1 / u.L, own[i].x), own[i].v = ph_scale(u.T / u.L, own[i].v);
        own[i].a = ph_scale(u.T * u.T / u.L, own[i].a);
        own[i].omega = ph_scale(u.T, own[i].omega), own[i].omega_dot = ph_scale(u.T * u.T, own[i].omega_dot);
    }
    ph_status s = a->f.call(&a->f, t / u.T, own, n, out);
    for (int i = 0; i < n; i++)
        out[i] *= a->unit;
    free(own);
    return s;
}

/* A model in other units, and what its functions need. */
typedef struct scaled {
    ph_model *m;
    asked *asked;
    int n_asked;
    const double **section; /* that are scaled */
    int n_sections;
} scaled;

static void ask_instead(scaled *s, ph_function *f, units u, double unit)
{
    if (!f->call)
        return;
    asked *a = &s->asked[s->n_asked++];
    *a = (asked){*f, s->m, u, unit};
    f->call = ask, f->owner = a;
    f->traced = NULL, f->enter = NULL, f->leave = NULL, f->look = NULL;
}

static void scale_vector(ph_vec3 *x, double unit)
{
    *x = ph_scale(unit, *x);
}

/* A 6 x 6 matrix of a section, forces before moments, once: elements of a beam share it. */
static void scale_section(scaled *s, const double *K, double unit, double L)
{
    double *k = (double *)K; /* the model's */
    for (int i = 0; i < s->n_sections; i++)
        if (s->section[i] == K)
            return;
    s->section[s->n_sections++] = K;
    for (int i = 0; k && i < 36; i++)
        k[i] *= unit * (i / 6 >= 3 ? L : 1) * (i % 6 >= 3 ? L : 1);
}

static void scale_all(double *x, size_t n, double unit)
{
    for (size_t i = 0; x && i < n; i++)
        x[i] *= unit;
}

/* zeta has the unit of length. */
static void scale_reduced(ph_reduced *r, units u)
{
    size_t n = (size_t)r->modes, nn = n * n, size = 6 + 4 * n;
    for (size_t i = 0; i < size * size; i++) {
        size_t a = i / size, b = i % size;
        r->calM[i] *= u.M * (a >= 3 && a < 6 ? u.L : 1) * (b >= 3 && b < 6 ? u.L : 1);
    }
    scale_all(r->Kf, nn, u.M / (u.T * u.T));
    scale_all(r->Df, nn, u.M / u.T);
    scale_all(r->omega, n, 1 / u.T);
    if (r->KG) {
        scale_all(r->KG, 3 * nn, u.M / u.L);
        scale_all(r->KG + 3 * nn, 9 * nn, u.M);
        scale_all(r->KG + 12 * nn, 3 * (size_t)r->n_markers * nn, 1 / u.L);
    }
    for (int k = 0; k < r->n_markers; k++) {
        scale_vector(&r->marker[k].X, u.L);
        scale_all((double *)r->marker[k].Th, 3 * n, 1 / u.L);
    }
}

static void scale_bodies(ph_model *m, units u)
{
    for (int i = 0; i < m->n_bodies; i++) {
        ph_body_def *b = &m->body[i];
        b->mass *= u.M;
        b->J = ph_mscale(u.M * u.L * u.L, b->J);
        scale_vector(&b->x, u.L), scale_vector(&b->v, u.L / u.T), scale_vector(&b->omega, 1 / u.T);
    }
    for (int i = 0; i < m->n_flexible; i++) {
        ph_flexible_def *f = &m->flexible[i];
        scale_reduced(f->body, u);
        scale_vector(&f->x, u.L), scale_vector(&f->v, u.L / u.T), scale_vector(&f->omega, 1 / u.T);
    }
}

static void scale_joints(scaled *s, units u)
{
    for (int i = 0; i < s->m->n_joints; i++) {
        ph_joint_def *j = &s->m->joint[i];
        scale_vector(&j->at, u.L), scale_vector(&j->at_a, u.L), scale_vector(&j->at_b, u.L);
        j->length *= u.L, j->radius *= u.L, j->friction_radius *= u.L;
        j->friction_speed *= j->type == PH_J_PRISMATIC ? u.L / u.T : 1 / u.T;
        ask_instead(s, &j->drive, u, j->type == PH_J_PRISMATIC || j->type == PH_J_DISTANCE ? u.L : 1);
    }
}

static void scale_forces(scaled *s, units u)
{
    double k = u.M / (u.T * u.T), LL = u.L * u.L;
    for (int i = 0; i < s->m->n_forces; i++) {
        ph_force_def *f = &s->m->force[i];
        double turn = f->type == PH_F_TORSION ? LL : 1;
        scale_vector(&f->at_a, u.L), scale_vector(&f->at_b, u.L);
        f->k *= k * turn, f->d *= k * u.T * turn, f->length *= u.L;
        scale_vector(&f->k3, k), scale_vector(&f->d3, k * u.T);
        scale_vector(&f->kr3, k * LL), scale_vector(&f->dr3, k * u.T * LL);
        double value = k * u.L * (f->type == PH_F_TORQUE ? u.L : 1);
        scale_vector(&f->value, value);
        ask_instead(s, &f->f, u, value);
        scale_section(s, f->K6, k * u.L, u.L);
        scale_section(s, f->D6, k * u.L * u.T, u.L);
        scale_section(s, f->M6, u.M / u.L, u.L);
    }
}

static scaled read_scaled(const char *path, units u)
{
    scaled s = {0};
    ph_error err = {0};
    if (ph_model_read(&s.m, path, NULL, 0, NULL, &err) != PH_OK)
        fail_msg("%s: %s", path, err.text);
    s.asked = malloc(sizeof *s.asked * (size_t)(1 + s.m->n_joints + s.m->n_forces + s.m->n_constraints));
    s.section = malloc(sizeof *s.section * (size_t)(1 + 3 * s.m->n_forces));
    assert_true(s.asked && s.section);
    scale_vector(&s.m->gravity, u.L / (u.T * u.T));
    scale_bodies(s.m, u);
    scale_joints(&s, u);
    scale_forces(&s, u);
    for (int k = 0; k < s.m->n_constraints; k++)
        ask_instead(&s, &s.m->constraint[k].f, u, 1);
    s.m->run.opt.h *= u.T;
    return s;
}

static void release(scaled *s)
{
    ph_model_free(s->m);
    free(s->asked), free(s->section);
}

/* The states of all bodies after some steps, in the units of the file; sizes of x, v, omega over all of them. */
typedef struct motion {
    int n;
    ph_body_state *b;
    ph_vec3 *f; /* what the joints do to each body, which redundant ones share in many ways */
    double x, v, w, F;
    int redundant;
} motion;

static void add_reactions(const ph_model *m, const ph_mechanism *mech, const ph_state *at, units u,
                          motion *to)
{
    memset(to->f, 0, sizeof *to->f * (size_t)to->n);
    for (int j = 0; j < m->n_joints; j++) {
        ph_vec3 force, torque;
        ph_mechanism_reaction(mech, at, j, &force, &torque);
        scale_vector(&force, u.T * u.T / (u.M * u.L));
        to->F = fmax(to->F, ph_norm(force));
        for (int side = 0; side < 2; side++)
            if (m->joint[j].body[side] >= 0) {
                ph_vec3 *f = &to->f[m->joint[j].body[side]];
                *f = ph_add(*f, ph_scale(side ? 1 : -1, force));
            }
    }
}

#define RUN_STEPS 40

/* NULL: it went well. */
static const char *move(const char *path, units u, const char *method, ph_formulation form, motion *to,
                        ph_error *err)
{
    scaled s = read_scaled(path, u);
    ph_mechanism *mech = NULL;
    ph_sim *sim = NULL;
    ph_options o = s.m->run.opt;
    o.formulation = form, o.method = method;
    const char *stage = "mechanism";
    *to = (motion){.n = s.m->n_bodies};
    to->b = malloc(sizeof *to->b * (size_t)to->n), to->f = malloc(sizeof *to->f * (size_t)to->n);
    assert_true(to->b && to->f);
    const double *q0, *v0;
    if (ph_mechanism_create(&mech, s.m, s.m->run.space, NULL, err) != PH_OK)
        goto done;
    stage = "initial values";
    if (ph_mechanism_initial(mech, s.m->run.assemble, &q0, &v0, err) != PH_OK ||
        ph_mechanism_rank(mech, err) != PH_OK)
        goto done;
    to->redundant = ph_mechanism_system(mech)->n_redundant;
    stage = "start";
    if (ph_sim_create(&sim, ph_mechanism_system(mech), &o, 0, q0, v0, err) != PH_OK)
        goto done;
    stage = "run";
    if (ph_sim_run(sim, RUN_STEPS, NULL, NULL, err) != PH_OK)
        goto done;
    stage = NULL;
    ph_state at = ph_sim_state(sim);
    for (int i = 0; i < to->n; i++) {
        ph_body_state *b = &to->b[i];
        ph_mechanism_body(mech, &at, i, b);
        scale_vector(&b->x, 1 / u.L), scale_vector(&b->v, u.T / u.L), scale_vector(&b->omega, u.T);
        to->x = fmax(to->x, ph_norm(b->x)), to->v = fmax(to->v, ph_norm(b->v)),
        to->w = fmax(to->w, ph_norm(b->omega));
    }
    add_reactions(s.m, mech, &at, u, to);
    double t = RUN_STEPS * o.h / u.T; /* what moves by its size in that time is fast */
    to->v = fmax(to->v, to->x / t), to->w = fmax(to->w, 1 / t);
done:
    ph_sim_destroy(sim);
    ph_mechanism_destroy(mech);
    release(&s);
    return stage;
}

static double larger_of(double a, double b)
{
    return b <= a ? a : b; /* NaN if b is */
}

static double part(ph_vec3 a, ph_vec3 b, double size)
{
    double d = ph_norm(ph_sub(a, b));
    return d > 0 ? d / size : 0;
}

static double differ(const motion *a, const motion *b)
{
    double most = 0;
    for (int i = 0; i < a->n; i++) {
        const ph_body_state *p = &a->b[i], *q = &b->b[i];
        most = larger_of(most, part(p->x, q->x, a->x));
        most = larger_of(most, part(p->v, q->v, a->v));
        most = larger_of(most, part(p->omega, q->omega, a->w));
        most = larger_of(most, ph_norm(ph_sub(ph_v3(p->q.x, p->q.y, p->q.z), ph_v3(q->q.x, q->q.y, q->q.z))));
    }
    return most;
}

static int is_model(const struct dirent *e)
{
    size_t n = strlen(e->d_name);
    return n > 4 && !strcmp(e->d_name + n - 4, ".lua");
}

/* Derivatives of a drive are differences over a time that is not the model's. */
static int has_drive(const char *path)
{
    scaled s = read_scaled(path, (units){1, 1, 1});
    int any = 0;
    for (int j = 0; j < s.m->n_joints; j++)
        any |= s.m->joint[j].drive.call != NULL;
    release(&s);
    return any;
}

/* Efforts, rates and curves have units of their own, which nothing here knows. */
static int is_mechatronic(const char *path)
{
    scaled s = read_scaled(path, (units){1, 1, 1});
    int any = s.m->n_inputs + s.m->n_states + s.m->n_actuators + s.m->n_couplings > 0;
    release(&s);
    return any;
}

static const units units_of[] = {{0x1p20, 1, 1},
                                 {0x1p-20, 1, 1},
                                 {1, 1, 0x1p20},
                                 {1, 1, 0x1p-20},
                                 {1, 0x1p20, 1},
                                 {1, 0x1p-20, 1},
                                 {0x1p20, 0x1p-20, 0x1p-20},
                                 {0x1p-20, 0x1p20, 0x1p20}};

#define UNITS           8
#define UNITS_SAME_TIME 4 /* the first */

static void check_units(const char *path, const char *method, ph_formulation form, int n)
{
    motion own, other;
    ph_error err = {0};
    const char *stage = move(path, (units){1, 1, 1}, method, form, &own, &err);
    if (stage)
        fail_msg("%s, %s: %s", path, stage, err.text);
    for (int i = 0; i < n; i++) {
        stage = move(path, units_of[i], method, form, &other, &err);
        if (stage)
            fail_msg("%s, units %d, %s: %s", path, i, stage, err.text);
        assert_int_equal(own.redundant, other.redundant);
        /* round-off, and rows of loops that are left out may be others: what the file rounds to */
        char what[600];
        snprintf(what, sizeof what, "%s, units %d", path, i);
        check_at(differ(&own, &other), own.redundant ? 1e-9 : 1e-10, what, __FILE__, __LINE__);
        for (int b = 0; b < own.n && form == PH_GGL; b++) /* round-off over h */
            check_at(part(own.f[b], other.f[b], own.F), 1e-6, what, __FILE__, __LINE__);
        free(other.b), free(other.f);
    }
    free(own.b), free(own.f);
}

/* Lengths between the powers of 2^20 that (N5) takes: all models run, and index-3 gives the same motion. The stabilised
 * form of the papers adds metres and radians, so its error, of order 2, is another one there. */
static void check_between(const char *path)
{
    static const double lengths[] = {0x1p10, 0x1p-10};
    motion own, other;
    ph_error err = {0};
    assert_null(move(path, (units){1, 1, 1}, "genalpha", PH_INDEX3, &own, &err));
    for (int i = 0; i < 4; i++) {
        ph_formulation form = i < 2 ? PH_INDEX3 : PH_GGL;
        const char *stage = move(path, (units){lengths[i % 2], 1, 1}, "genalpha", form, &other, &err);
        if (stage)
            fail_msg("%s, lengths times %g, %s: %s", path, lengths[i % 2], stage, err.text);
        if (form == PH_INDEX3)
            check_le(differ(&own, &other), own.redundant ? 1e-9 : 1e-10); /* as above */
        free(other.b), free(other.f);
    }
    free(own.b), free(own.f);
}

static void all_models(void **state)
{
    (void)state;
    struct dirent **file;
    int n = scandir(PH_TEST_DIR "/../models", &file, is_model, alphasort);
    assert_true(n > 30);
    for (int k = 0; k < n; k++) {
        char path[512];
        snprintf(path, sizeof path, "%s/../models/%s", PH_TEST_DIR, file[k]->d_name);
        free(file[k]);
        if (is_mechatronic(path))
            continue;
        int count = has_drive(path) ? UNITS_SAME_TIME : UNITS;
        check_units(path, "genalpha", PH_INDEX3, count);
        check_units(path, "genalpha", PH_GGL, count);
        check_between(path);
    }
    free(file);
}

static void multistep(void **state)
{
    (void)state;
    static const char *const name[] = {"double_pendulum", "governor", "four_bar"};
    for (int k = 0; k < 3; k++) {
        char path[512];
        snprintf(path, sizeof path, "%s/../models/%s.lua", PH_TEST_DIR, name[k]);
        check_units(path, "bliedf", PH_INDEX3, UNITS);
        check_units(path, "bliedf", PH_GGL, UNITS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_models), cmocka_unit_test(multistep)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
