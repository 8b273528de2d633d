/* What a user sees of a state: bodies, reactions, energy, sensors. */
#include "mech/carry.h"
#include "mech/coordinate.h"

#include <string.h>

void ph_mechanism_body(const ph_mechanism *m, const ph_state *s, int body, ph_body_state *out)
{
    ph_kin k = ph_kin_of(m, s, body);
    *out = (ph_body_state){.x = k.x, .v = k.v, .q = k.q, .omega = k.w};
    if (body < 0 || !s->vdot)
        return;
    const ph_body *b = &m->body[body];
    if (b->particle)
        out->a = ph_load3(s->vdot + b->v[0]);
    else if (b->turns)
        m->space->acceleration(s, b, &out->a, &out->omega_dot);
    else
        ph_flex_acceleration(m, s, b, &out->a, &out->omega_dot);
}

int ph_mechanism_lambda(const ph_mechanism *m, int joint, int *rows)
{
    const ph_joint *first = &m->joint[m->joint_of[joint]], *last = &m->joint[m->joint_of[joint + 1] - 1];
    *rows = last->l_at + last->rows - first->l_at;
    return first->l_at;
}

/* ---- reactions ------------------------------------------------------------------------------------ */

/* r += B^T lambda, slot by slot */
static void add_pull(ph_site *site, const double *lambda, ph_vec3 r[PH_SLOTS])
{
    const ph_joint *j = site->j;
    double B[12 * PH_ROWS_MAX] = {0};
    for (int i = 0; i < j->n_parts; i++) {
        site->pick = j->part[i].pick;
        j->part[i].op->B(site, &(ph_put){B, ph_local_rows, 12, j->part[i].row});
    }
    for (int i = 0; i < j->rows; i++)
        for (int k = 0; k < PH_SLOTS; k++)
            r[k] = ph_add(r[k], ph_scale(lambda[i], ph_load3(B + 12 * i + 3 * k)));
}

static void add_friction(const ph_mechanism *m, const ph_state *s, const ph_joint *j, ph_vec3 r[PH_SLOTS])
{
    if (m->model->joint[j->def].friction == 0)
        return;
    for (const ph_force *f = m->force + m->model->n_forces, *end = m->force + m->n_forces; f < end; f++) {
        ph_force_site site;
        ph_vec3 more[PH_SLOTS] = {{0}};
        if (f->joint != j)
            continue;
        ph_force_at(m, s, f, &site);
        f->op->g(&site, more);
        for (int k = 0; k < PH_SLOTS; k++)
            r[k] = ph_add(r[k], more[k]);
    }
}

/* From the centre of mass of a side to the joint point, world. */
static ph_vec3 arm_of(const ph_site *site, int side)
{
    const ph_joint *j = site->j;
    if (j->part[0].op == &ph_part_roll) { /* the contact: r down the disc */
        ph_vec3 n = ph_column(&j->Ea, 2), k = ph_mul(site->b.R, j->eb),
                w = ph_sub(n, ph_scale(ph_dot(n, k), k));
        return ph_scale(-j->radius / ph_norm(w), w);
    }
    return side ? ph_mul(site->b.R, j->sb) : ph_mul(site->a.R, j->sa);
}

void ph_mechanism_reaction(const ph_mechanism *m, const ph_state *s, int joint, ph_vec3 *force,
                           ph_vec3 *torque)
{
    ph_vec3 r[PH_SLOTS] = {{0}};
    ph_site site;
    for (int k = m->joint_of[joint]; k < m->joint_of[joint + 1]; k++) {
        const ph_joint *j = &m->joint[k];
        if (ph_joint_site(m, s, j, 0, &site) != PH_OK) {
            *force = *torque = ph_v3(NAN, NAN, NAN);
            return;
        }
        add_pull(&site, s->lambda + j->l_at, r);
        add_friction(m, s, j, r);
    }
    int side = site.j->body[1] >= 0; /* of the ground: what it gets is minus what the first body gets */
    double sign = side ? -1 : 1;
    ph_vec3 F = ph_scale(sign, r[2 * side]),
            tau = ph_scale(sign, ph_mul(side ? site.b.R : site.a.R, r[2 * side + 1]));
    *force = F;
    *torque = ph_sub(tau, ph_cross(arm_of(&site, side), F));
}

/* ---- energy --------------------------------------------------------------------------------------- */

/* Position, and velocities up to a rotation: those in body axes have the size of the physical ones, and no more is read of a state that
 * has these or those. */
static void fill_sizes(const ph_mechanism *m, const ph_state *s, int body, ph_kin *k)
{
    const ph_body *b = &m->body[body];
    if ((m->space->plain || m->space->body_axes) && b->marker < 0) {
        k->x = ph_load3(s->q + b->q[0]), k->v = ph_load3(s->v + b->v[0]);
        k->w = b->particle ? ph_v3(0, 0, 0) : ph_load3(s->v + b->v[1]);
    } else
        ph_kin_fill(m, s, body, k);
}

/* Kinetic energy, and potential of the weight. */
static void add_body(const ph_mechanism *m, const ph_state *s, int body, double *T, double *V)
{
    const ph_body *b = &m->body[body];
    ph_kin k;
    fill_sizes(m, s, body, &k);
    *T += b->m * ph_dot(k.v, k.v) / 2 + (b->particle ? 0 : ph_dot(k.w, ph_mul(b->J, k.w)) / 2);
    *V -= ph_dot(b->weight, k.x);
}

/* The same in principal axes. */
static inline void add_rigid(const ph_rigid *b, const ph_state *s, ph_vec3 gravity, double *T, double *V)
{
    ph_vec3 v = ph_load3(s->v + b->x), w = ph_load3(s->v + b->w);
    ph_vec3 Jw = ph_v3(b->J.x * w.x, b->J.y * w.y, b->J.z * w.z);
    *T += b->m * ph_dot(v, v) / 2 + ph_dot(w, Jw) / 2;
    *V -= ph_dot(ph_scale(b->m, gravity), ph_load3(s->q + b->q));
}

void ph_mechanism_energies(const ph_mechanism *m, const ph_state *s, double *kinetic, double *potential)
{
    double T = m->n_flex ? ph_flex_kinetic(m, s) : 0, V = m->n_flex ? ph_flex_potential(m, s) : 0;
    for (const ph_rigid *b = m->rigid, *end = b + m->n_rigid; b < end; b++)
        add_rigid(b, s, m->model->gravity, &T, &V);
    for (int k = 0; k < m->n_general; k++)
        add_body(m, s, m->general[k], &T, &V);
    if (m->n_beams)
        ph_beams_energies(m, s, &T, &V);
    for (int k = 0; k < m->n_forces; k++) {
        const ph_force_ops *op = m->force[k].op;
        ph_force_site site;
        if (!op->energy || m->force[k].in_lane)
            continue;
        ph_force_at(m, s, &m->force[k], &site);
        V += op->energy(&site);
        T += op->kinetic ? op->kinetic(&site) : 0;
    }
    *kinetic = T, *potential = V;
}

static inline void enlarge(double *most, double x)
{
    *most = x > *most ? x : *most;
}

void ph_mechanism_fastest(const ph_mechanism *m, const ph_state *s, double *speed, double *spin)
{
    double v2 = 0, w2 = 0;
    for (const ph_rigid *b = m->rigid, *end = b + m->n_rigid; b < end; b++) {
        ph_vec3 v = ph_load3(s->v + b->x), w = ph_load3(s->v + b->w);
        enlarge(&v2, ph_dot(v, v)), enlarge(&w2, ph_dot(w, w));
    }
    for (int i = 0; i < m->model->n_bodies && m->n_rigid < m->model->n_bodies; i++) {
        ph_kin k;
        fill_sizes(m, s, i, &k);
        enlarge(&v2, ph_dot(k.v, k.v)), enlarge(&w2, ph_dot(k.w, k.w));
    }
    *speed = sqrt(v2), *spin = sqrt(w2);
}

double ph_mechanism_kinetic(const ph_mechanism *m, const ph_state *s)
{
    double T, V;
    ph_mechanism_energies(m, s, &T, &V);
    return T;
}

double ph_mechanism_energy(const ph_mechanism *m, const ph_state *s)
{
    double T, V;
    ph_mechanism_energies(m, s, &T, &V);
    return T + V;
}

static void read_drive(const ph_mechanism *m, const ph_state *s, const ph_joint *j, double *coordinate,
                       double *rate)
{
    ph_site site = {.j = j};
    ph_kin_fill(m, s, j->body[0], &site.a);
    ph_kin_fill(m, s, j->body[1], &site.b);
    *coordinate = ph_coordinate_value(&site, j->free), *rate = ph_coordinate_rate(&site, j->free);
}

int ph_mechanism_drive(const ph_mechanism *m, const ph_state *s, int joint, double *coordinate, double *rate)
{
    for (int i = m->joint_of[joint]; i < m->joint_of[joint + 1]; i++)
        if (m->joint[i].drive >= 0) {
            if (s)
                read_drive(m, s, &m->joint[i], coordinate, rate);
            return 1;
        }
    return 0;
}

/* ---- coordinates over turns ----------------------------------------------------------------------- */

/* Angles are known up to full turns: the one nearest to where the last one tracked has come since, by the
 * mean of the rates then and now, so that more than half a turn may pass in between. */
static double unwound(double angle, double rate, double t, const ph_counted *last)
{
    const double turn = 2 * 3.14159265358979323846;
    double since = isnan(last->rate) ? 0 : (t - last->t) * (last->rate + rate) / 2;
    return angle + turn * round((last->angle + since - angle) / turn);
}

/* Angles are counted over turns; components of a rotation vector, where three rotations are free, are none. */
static int is_counted(const ph_joint *j, int k)
{
    return ph_is_angle(k) && j->frees >> k & 1 && (j->frees >> PH_ABOUT & 7) != 7;
}

int ph_mechanism_counts(const ph_mechanism *m)
{
    for (int i = 0; i < m->model->n_joints; i++)
        for (int k = PH_ABOUT; k < PH_LENGTH; k++)
            if (is_counted(&m->joint[m->joint_of[i]], k))
                return 1;
    return 0;
}

/* Where an angle of a joint is counted. */
static ph_counted *counter_of(const ph_mechanism *m, const ph_joint *j, int k)
{
    int at = j->turns;
    for (int i = PH_ABOUT; i < k; i++)
        at += (int)(j->frees >> i & 1);
    return &m->turns[at];
}

double ph_mechanism_turns(const ph_mechanism *m, const ph_joint *j, int k, double value, double rate,
                          double t)
{
    if (!is_counted(j, k))
        return 0;
    return unwound(value, rate, t, counter_of(m, j, k)) - value;
}

static ph_site site_of(const ph_mechanism *m, const ph_state *s, int joint)
{
    const ph_joint *j = &m->joint[m->joint_of[joint]];
    return (ph_site){.j = j, .a = ph_kin_of(m, s, j->body[0]), .b = ph_kin_of(m, s, j->body[1])};
}

static ph_counted coordinate_at(const ph_mechanism *m, const ph_site *site, int k, double t)
{
    ph_counted c = {ph_coordinate_value(site, k), ph_coordinate_rate(site, k), t};
    if (is_counted(site->j, k))
        c.angle = unwound(c.angle, c.rate, t, counter_of(m, site->j, k));
    return c;
}

static ph_counted coordinate(const ph_mechanism *m, const ph_state *s, int joint, int k)
{
    ph_site site = site_of(m, s, joint);
    return coordinate_at(m, &site, k, s->t);
}

double ph_mechanism_coordinate(const ph_mechanism *m, const ph_state *s, int joint, int k)
{
    return coordinate(m, s, joint, k).angle;
}

double ph_mechanism_rate(const ph_mechanism *m, const ph_state *s, int joint, int k)
{
    return coordinate(m, s, joint, k).rate;
}

/* Rotation [rad] since an angle was tracked, as the fastest of the rates then and now gives it, up to which it need not be tracked: in a
 * million steps of which each is within, it turns by 14 times as much at most, which is less than half a turn. */
#define TRACKED 0.1

/* About one axis, relative to each other, bodies turn no faster than the sum of their angular velocities. */
static int is_near(const ph_mechanism *m, const ph_state *s, const ph_joint *j)
{
    const ph_counted *last = &m->turns[j->turns];
    double rate = 0;
    for (int side = 0; side < 2; side++) {
        const ph_body *b = j->body[side] < 0 ? NULL : &m->body[j->body[side]];
        if (b && (!m->space->plain || !b->turns))
            return 0;
        rate += b ? ph_norm(ph_load3(s->v + b->v[1])) : 0;
    }
    return fabs(s->t - last->t) * fmax(rate, fabs(last->rate)) <= TRACKED && !isnan(last->rate);
}

/* often: s is one of many states in the order of time, and angles that hardly moved can wait for the next one. */
static void count(ph_mechanism *m, const ph_state *s, int often)
{
    for (int i = 0; i < m->model->n_joints; i++) {
        const ph_joint *j = &m->joint[m->joint_of[i]];
        unsigned free = j->frees >> PH_ABOUT & 7;
        if (free == 0 || free == 7 || (often && !(free & (free - 1)) && is_near(m, s, j)))
            continue;
        ph_site site = site_of(m, s, i);
        for (int k = PH_ABOUT; k < PH_LENGTH; k++)
            if (is_counted(j, k))
                *counter_of(m, j, k) = coordinate_at(m, &site, k, s->t);
    }
}

void ph_mechanism_track(ph_mechanism *m, const ph_state *s)
{
    count(m, s, 1);
}

void ph_mechanism_rewind(ph_mechanism *m)
{
    for (int k = 0; k < m->n_turns; k++)
        m->turns[k] = (ph_counted){.rate = NAN};
}

/* Points of an equilibrium are all of one time. */
static void follow(const ph_state *s, void *mech)
{
    if (s)
        count(mech, s, 0);
    else
        ph_mechanism_rewind(mech);
}

static void keep(void *to, void *mech)
{
    const ph_mechanism *m = mech;
    memcpy(to, m->turns, m->memory.size);
}

static void take_back(const void *from, void *mech)
{
    ph_mechanism *m = mech;
    memcpy(m->turns, from, m->memory.size);
}

void ph_mechanism_remember(ph_mechanism *m)
{
    m->memory = (ph_memory){.size = (size_t)m->n_turns * sizeof *m->turns,
                            .follow = follow,
                            .keep = keep,
                            .take_back = take_back,
                            .ctx = m};
    m->sys.memory = ph_mechanism_counts(m) ? &m->memory : NULL;
}

void ph_mechanism_share(ph_mechanism *m, const ph_mechanism *other)
{
    if (m->n_turns == other->n_turns)
        m->turns = other->turns;
    if (m->model->n_inputs == other->model->n_inputs)
        m->input = other->input;
}

void ph_mechanism_copy_turns(ph_mechanism *m, const ph_mechanism *other)
{
    for (int k = 0; k < m->n_turns; k++)
        m->turns[k] = other->turns[k];
}

/* xddot = b vdot + z v */
double ph_joint_acceleration(const ph_mechanism *m, const ph_state *s, const ph_joint *j, int k)
{
    ph_body_state a = {.q = {1, 0, 0, 0}}, b = a;
    ph_site site = {.j = j, .a = ph_kin_of(m, s, j->body[0]), .b = ph_kin_of(m, s, j->body[1])};
    ph_vec3 row[PH_SLOTS], z[PH_SLOTS];
    if (j->body[0] >= 0)
        ph_mechanism_body(m, s, j->body[0], &a);
    if (j->body[1] >= 0)
        ph_mechanism_body(m, s, j->body[1], &b);
    ph_coordinate_row(&site, k, row);
    ph_coordinate_z(&site, k, z);
    return ph_dot(row[PH_XA], a.a) + ph_dot(row[PH_FA], a.omega_dot) + ph_dot(row[PH_XB], b.a) +
           ph_dot(row[PH_FB], b.omega_dot) + ph_dot(z[PH_XA], site.a.v) + ph_dot(z[PH_FA], site.a.w) +
           ph_dot(z[PH_XB], site.b.v) + ph_dot(z[PH_FB], site.b.w);
}

/* ---- sensors -------------------------------------------------------------------------------------- */

ph_status ph_mechanism_sensor(ph_mechanism *m, const ph_state *s, int sensor, double *out)
{
    const ph_sensor_def *d = &m->model->sensor[sensor];
    return ph_sensor_row_of(d)->op->value(m, s, d, out);
}
