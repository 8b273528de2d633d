/* Forces on points of bodies, and torques: constant or functions of time and state, in world or body axes: load.h.
 *
 * Each is multiplied by the factor of loads, which is 1 but for static steps. Functions that were traced have exact
 * derivatives by all bodies that they read (P4). What others return is differenced by the state of its own body only,
 * centrally: exact to about 1e-10 where it reads no other body, and a Newton matrix that is good enough where it does. */
#include "mech/load.h"
#include "mech/carry.h"
#include "mech/reach.h"

#include "base/difference.h"
#include "lie/so3.h"
#include "mech/argument.h"

static ph_scene scene_of(const ph_force_site *s)
{
    ph_scene at = {.m = s->m, .s = s->s, .t = s->t, .bodies = s->bodies};
    return at;
}

static ph_status value_of(const ph_force_site *s, ph_vec3 *out)
{
    const ph_force_def *d = s->f->def;
    *out = ph_scale(s->load, d->value);
    if (!d->f.call)
        return PH_OK;
    double F[3];
    ph_scene at = scene_of(s);
    ph_status status = ph_function_values(&at, &d->f, 3, F);
    *out = ph_scale(s->load, ph_load3(F));
    return status;
}

/* ---- derivatives of the value ------------------------------------------------------------------------ */

/* By both halves of a body (P4); 0: it is not known here, or not finite. */
static int exact(const ph_force_site *s, int body, int what, ph_mat3 *by_x, ph_mat3 *by_phi)
{
    ph_formula k;
    ph_scene at = scene_of(s);
    double F[3], d[3][6] = {{0}};
    int known = ph_formula_open(&k, &at, &s->f->def->f, 3, F) && ph_formula_partials(&k, 1);
    for (int i = 0; i < 3 && known; i++) {
        known = ph_formula_gradient(&k, i);
        if (known)
            ph_formula_by_body(&k, k.g, body, what, d[i]);
    }
    ph_formula_close(&k);
    const double f = s->load;
    *by_x = ph_mscale(
        f, (ph_mat3){d[0][0], d[0][1], d[0][2], d[1][0], d[1][1], d[1][2], d[2][0], d[2][1], d[2][2]});
    *by_phi = ph_mscale(
        f, (ph_mat3){d[0][3], d[0][4], d[0][5], d[1][3], d[1][4], d[1][5], d[2][3], d[2][4], d[2][5]});
    return known;
}

/* The parts of the state of a body that a value is differenced by. */
typedef enum half { POSITION, ROTATION, VELOCITY, OMEGA } half;

static double component(ph_vec3 a, int k)
{
    return k == 0 ? a.x : k == 1 ? a.y : a.z;
}

static void perturb(ph_body_state *b, half w, int k, double by)
{
    ph_vec3 e = ph_v3(k == 0 ? by : 0, k == 1 ? by : 0, k == 2 ? by : 0);
    if (w == POSITION)
        b->x = ph_add(b->x, e);
    else if (w == VELOCITY)
        b->v = ph_add(b->v, e);
    else if (w == OMEGA)
        b->omega = ph_add(b->omega, e);
    else
        b->q = ph_qmul(b->q, ph_so3_exp(ph_stumpff_of(e), e));
}

/* dF/d(what), 3 x 3 */
static ph_status slope(const ph_force_site *s, half w, ph_mat3 *out)
{
    ph_body_state *b = &s->bodies[s->f->body[1]], kept = *b;
    double col[9];
    for (int k = 0; k < 3; k++) {
        ph_vec3 size = w == POSITION   ? b->x
                       : w == VELOCITY ? b->v
                       : w == OMEGA    ? b->omega
                                       : ph_v3(0, 0, 0),
                plus, minus;
        double step = PH_DIFFERENCE * fmax(1, fabs(component(size, k)));
        perturb(b, w, k, step);
        ph_status status = value_of(s, &plus);
        *b = kept;
        perturb(b, w, k, -step);
        status = status == PH_OK ? value_of(s, &minus) : status;
        *b = kept;
        if (status != PH_OK)
            return status;
        ph_store3(col + 3 * k, ph_scale(1 / (2 * step), ph_sub(plus, minus)));
    }
    *out = ph_transpose(ph_load33(col));
    return PH_OK;
}

/* ---- columns of tangents ------------------------------------------------------------------------------ */

/* Columns of slot j from dF, of the value as given. */
static void force_columns(const ph_force_site *s, int j, ph_mat3 dF, const ph_put *p)
{
    ph_mat3 world = s->f->def->in_body ? ph_mmul(s->b.R, dF) : dF;
    ph_mat3 own = s->f->def->in_body ? dF : ph_mmul(ph_transpose(s->b.R), dF);
    ph_add_pair(p, PH_XB, j, ph_mscale(-1, world));
    ph_add_pair(p, PH_FB, j, ph_mscale(-1, ph_mmul(ph_tilde(s->f->sb), own)));
}

static void torque_columns(const ph_force_site *s, int j, ph_mat3 dtau, const ph_put *p)
{
    ph_add_pair(p, PH_FB, j, ph_mscale(-1, s->f->def->in_body ? dtau : ph_mmul(ph_transpose(s->b.R), dtau)));
}

/* Columns of one half of its body, of either kind of load. */
static void columns(const ph_force_site *s, int slot, ph_mat3 dF, const ph_put *p)
{
    if (s->f->op == &ph_force_torque)
        torque_columns(s, slot, dF, p);
    else
        force_columns(s, slot, dF, p);
}

static ph_status by_body(const ph_force_site *s, int what, const ph_put *p)
{
    ph_mat3 by_x, by_phi;
    ph_status status = PH_OK;
    if (!exact(s, s->f->body[1], what, &by_x, &by_phi)) {
        ph_force_site all = *s;
        if (!all.bodies) {
            all.bodies = s->m->states;
            ph_states_of(s->m, s->s, all.bodies);
        }
        status = slope(&all, what == PH_BY_PLACE ? POSITION : VELOCITY, &by_x);
        if (status == PH_OK)
            status = slope(&all, what == PH_BY_PLACE ? ROTATION : OMEGA, &by_phi);
    }
    if (status != PH_OK)
        return status;
    columns(s, PH_XB, by_x, p);
    columns(s, PH_FB, by_phi, p);
    return PH_OK;
}

/* Where the function looks at the state of its body and of nothing else. */
static ph_status by_state(const ph_force_site *s, int what, const ph_put *p)
{
    const ph_function *f = &s->f->def->f;
    int depth = what == PH_BY_PLACE ? PH_SEEN_PLACE : PH_SEEN_SPEED;
    if (!f->call || f->only_time || s->f->reach || (!ph_function_is_untraced(f) && f->traced->depth < depth))
        return PH_OK;
    return by_body(s, what, p);
}

static ph_status load_C(const ph_force_site *s, const ph_put *p)
{
    return by_state(s, PH_BY_SPEED, p);
}

/* g is linear in the value: sum over its components of dg/dF_i dF_i/d(q or v). */
ph_status ph_load_tangent(const ph_mechanism *m, const ph_state *s, const ph_force *f, int K, double *out)
{
    const ph_reach *x = f->reach;
    ph_force_site site;
    ph_force_at(m, s, f, &site);
    ph_status status = ph_reach_rows(m, s, x, &f->def->f, 3, K, m->rows);
    for (int i = 0; i < 3 && status == PH_OK; i++) {
        ph_vec3 r[PH_SLOTS] = {{0}}, unit = ph_v3(i == 0, i == 1, i == 2);
        double row[PH_SIDE_MAX] = {0}, six[6];
        if (f->op == &ph_force_torque)
            ph_load_torque_g(&site, unit, r);
        else
            ph_load_force_g(&site, unit, r);
        ph_store3(six, r[PH_XB]), ph_store3(six + 3, r[PH_FB]);
        ph_nodes_add(m, s, &x->rows, f->body[1], six, NULL, row);
        ph_reach_put(m, x, m->load, row, m->rows + i * x->cols.size, out);
    }
    return status;
}

/* ---- building ------------------------------------------------------------------------------------- */

/* A function looks at the states of bodies, this deep or deeper. */
static int reads(const ph_function *f, int depth)
{
    return f->call && !f->only_time && (ph_function_is_untraced(f) || f->traced->depth >= depth);
}

static int still(const ph_force_def *d)
{
    return !reads(&d->f, PH_SEEN_SPEED);
}

/* ---- forces --------------------------------------------------------------------------------------- */

static ph_status force_g(const ph_force_site *s, ph_vec3 r[PH_SLOTS])
{
    ph_vec3 F;
    ph_status status = value_of(s, &F);
    ph_load_force_g(s, F, r);
    return status;
}

static ph_status force_K(const ph_force_site *s, const ph_put *p)
{
    ph_vec3 F;
    ph_status status = value_of(s, &F);
    ph_load_force_K(s, F, p);
    return status == PH_OK ? by_state(s, PH_BY_PLACE, p) : status;
}

/* The force and the velocity of its point, in the axes that the force is given in. */
static ph_status force_pairs(const ph_force_site *s, ph_port *out)
{
    ph_vec3 F, swing = ph_cross(s->b.w, s->f->sb);
    ph_status status = value_of(s, &F);
    ph_put_pairs(F,
                 s->f->def->in_body ? ph_add(ph_tmul(s->b.R, s->b.v), swing)
                                    : ph_add(s->b.v, ph_mul(s->b.R, swing)),
                 out);
    return status;
}

static unsigned force_couples(const ph_force_def *d)
{
    int arm = d->at_b.x != 0 || d->at_b.y != 0 || d->at_b.z != 0;
    if (reads(&d->f, PH_SEEN_PLACE))
        return PH_COUPLE(PH_XB, PH_XB) | PH_COUPLE(PH_XB, PH_FB) | PH_COUPLE(PH_FB, PH_XB) |
               PH_COUPLE(PH_FB, PH_FB);
    return d->in_body ? PH_COUPLE(PH_XB, PH_FB) : arm ? PH_COUPLE(PH_FB, PH_FB) : 0;
}

static uint64_t load_side(const ph_mechanism *m, const ph_state *s, const ph_force *f)
{
    return ph_function_side(m, s, f, &f->def->f, 3);
}

const ph_force_ops ph_force_point = {.text = "load_force",
                                     .g = force_g,
                                     .C = load_C,
                                     .K = force_K,
                                     .side = load_side,
                                     .pairs = force_pairs,
                                     .n_pairs = 3,
                                     .couples = force_couples,
                                     .still = still};

/* ---- torques -------------------------------------------------------------------------------------- */

static ph_status torque_g(const ph_force_site *s, ph_vec3 r[PH_SLOTS])
{
    ph_vec3 tau;
    ph_status status = value_of(s, &tau);
    ph_load_torque_g(s, tau, r);
    return status;
}

static ph_status torque_K(const ph_force_site *s, const ph_put *p)
{
    ph_vec3 tau;
    ph_status status = value_of(s, &tau);
    ph_load_torque_K(s, tau, p);
    return status == PH_OK ? by_state(s, PH_BY_PLACE, p) : status;
}

static ph_status torque_pairs(const ph_force_site *s, ph_port *out)
{
    ph_vec3 tau;
    ph_status status = value_of(s, &tau);
    ph_put_pairs(tau, s->f->def->in_body ? s->b.w : ph_mul(s->b.R, s->b.w), out);
    return status;
}

static unsigned torque_couples(const ph_force_def *d)
{
    unsigned turns = PH_COUPLE(PH_FB, PH_FB);
    return reads(&d->f, PH_SEEN_PLACE) ? PH_COUPLE(PH_FB, PH_XB) | turns : turns;
}

const ph_force_ops ph_force_torque = {.text = "load_torque",
                                      .g = torque_g,
                                      .C = load_C,
                                      .K = torque_K,
                                      .pairs = torque_pairs,
                                      .n_pairs = 3,
                                      .side = load_side,
                                      .turns = 1,
                                      .couples = torque_couples,
                                      .still = still};
