/* Actuators: effort, spring, damper and soft stops along a coordinate x of a joint.
 *
 *   tau = u - k (x - rest) - d xdot - sum over stops of sign (k_s S(p) + d_s S'(p) xdot)               (J9)
 *   g = -tau b^T,  dx = b dq,  xdot = b v                                    (coordinate.h)
 *   C = -tau_v b^T b,  K = -b^T (tau_x b + tau_v z) - tau d(b^T)/dq,  tau_x = dtau/dx, tau_v = dtau/dxdot
 *
 * and, where the effort u is a function, -b^T du (reach.h).
 *
 * p = sign (x - stop) is how deep a stop is pressed, and S rises smoothly over the width w,
 *
 *   S = 0 where p < 0,  p^2/(2 w) where p < w,  p - w/2 beyond                                         (J10)
 *
 * About the rotation vector psi of a joint, in its frame, w the relative angular velocity:
 *
 *   y = k psi + d w is the torque on the second body with minus sign                                   (J11) */
#include "mech/coordinate.h"

#include "lie/so3.h"

/* S, S' and S'' of (J10) */
typedef struct press {
    double S, S1, S2;
} press;

static press press_of(double p, double w)
{
    if (p <= 0)
        return (press){0, 0, 0};
    return p < w ? (press){p * p / (2 * w), p / w, 1 / w} : (press){p - w / 2, 1, 0};
}

static double pressed_energy(double p, double w)
{
    if (p <= 0)
        return 0;
    return p < w ? p * p * p / (6 * w) : w * w / 6 + (p * p - w * p) / 2;
}

/* Effort and its derivatives by x and xdot. */
typedef struct law {
    double tau, tau_x, tau_v;
    double stored; /* J, in springs and stops */
} law;

static law law_of(const ph_actuator_def *d, double u, double x, double rate)
{
    double r = x - d->rest;
    law y = {u - d->k * r - d->d * rate, -d->k, -d->d, d->k * r * r / 2};
    for (int i = 0; i < 2 && !isnan(d->stop[0]); i++) {
        double sign = i ? 1 : -1, p = sign * (x - d->stop[i]);
        press s = press_of(p, d->stop_width);
        y.tau -= sign * d->stop_k * s.S + d->stop_d * s.S1 * rate;
        y.tau_x -= d->stop_k * s.S1 + sign * d->stop_d * s.S2 * rate;
        y.tau_v -= d->stop_d * s.S1;
        y.stored += d->stop_k * pressed_energy(p, d->stop_width);
    }
    return y;
}

static ph_site site_of(const ph_force_site *s)
{
    return (ph_site){.j = s->f->along, .a = s->a, .b = s->b};
}

static law law_at(const ph_force_site *s, const ph_site *site)
{
    int k = s->f->coordinate;
    double x = ph_coordinate_value(site, k) + s->turns;
    return law_of(s->f->actuator, s->effort, x, ph_coordinate_rate(site, k));
}

double ph_actuator_effort(const ph_force_site *s)
{
    ph_site site = site_of(s);
    return law_at(s, &site).tau;
}

static ph_status g(const ph_force_site *s, ph_vec3 r[PH_SLOTS])
{
    ph_site site = site_of(s);
    ph_vec3 b[PH_SLOTS];
    double tau = law_at(s, &site).tau;
    ph_coordinate_row(&site, s->f->coordinate, b);
    for (int k = 0; k < PH_SLOTS; k++)
        r[k] = ph_scale(-tau, b[k]);
    return s->status;
}

static void add_outer(double f, const ph_vec3 a[PH_SLOTS], const ph_vec3 b[PH_SLOTS], const ph_put *p)
{
    for (int i = 0; i < PH_SLOTS; i++)
        for (int j = 0; j < PH_SLOTS; j++)
            ph_add_pair(p, i, j, ph_mscale(f, ph_outer(a[i], b[j])));
}

static ph_status C(const ph_force_site *s, const ph_put *p)
{
    ph_site site = site_of(s);
    ph_vec3 b[PH_SLOTS];
    ph_coordinate_row(&site, s->f->coordinate, b);
    add_outer(-law_at(s, &site).tau_v, b, b, p);
    return PH_OK;
}

static ph_status K(const ph_force_site *s, const ph_put *p)
{
    ph_site site = site_of(s);
    law y = law_at(s, &site);
    ph_vec3 b[PH_SLOTS], z[PH_SLOTS];
    ph_coordinate_row(&site, s->f->coordinate, b);
    ph_coordinate_z(&site, s->f->coordinate, z);
    add_outer(-y.tau_x, b, b, p);
    add_outer(-y.tau_v, b, z, p);
    ph_coordinate_K(&site, s->f->coordinate, -y.tau, p);
    return s->status;
}

static double energy(const ph_force_site *s)
{
    ph_site site = site_of(s);
    return law_at(s, &site).stored;
}

const ph_force_ops ph_force_actuator = {.g = g, .C = C, .K = K, .energy = energy};

/* ---- about the rotation vector --------------------------------------------------------------------- */

static ph_status swing_g(const ph_force_site *s, ph_vec3 r[PH_SLOTS])
{
    const ph_actuator_def *d = s->f->actuator;
    ph_site site = site_of(s);
    ph_swing c = ph_swing_of(&site);
    ph_swing_row(&site, &c, ph_add(ph_scale(d->k, c.psi), ph_scale(d->d, c.w)), r);
    return PH_OK;
}

static ph_status swing_C(const ph_force_site *s, const ph_put *p)
{
    double d = s->f->actuator->d;
    ph_site site = site_of(s);
    ph_swing c = ph_swing_of(&site);
    ph_swing_K(&site, &c, ph_diag3(d, d, d), ph_v3(0, 0, 0), p);
    return PH_OK;
}

/* dw = delta x u */
static ph_status swing_K(const ph_force_site *s, const ph_put *p)
{
    const ph_actuator_def *d = s->f->actuator;
    ph_site site = site_of(s);
    ph_swing c = ph_swing_of(&site);
    ph_mat3 Y = ph_msub(ph_mscale(d->k, c.Tinv), ph_mscale(d->d, ph_tilde(c.u)));
    ph_swing_K(&site, &c, Y, ph_add(ph_scale(d->k, c.psi), ph_scale(d->d, c.w)), p);
    return PH_OK;
}

static double swing_energy(const ph_force_site *s)
{
    ph_site site = site_of(s);
    ph_vec3 psi = ph_swing_of(&site).psi;
    return s->f->actuator->k * ph_dot(psi, psi) / 2;
}

const ph_force_ops ph_force_swing = {.g = swing_g, .C = swing_C, .K = swing_K, .energy = swing_energy};

/* ---- from the words of the model ------------------------------------------------------------------- */

#define REFUSE(...) ph_mech_fail(err, PH_E_INPUT, m->model, d->origin, "actuator '%s': " __VA_ARGS__)

static ph_status check_swing(const ph_mechanism *m, const ph_actuator_def *d, ph_error *err)
{
    if (d->effort != 0 || d->input >= 0 || d->f.call || !isnan(d->stop[0]) || d->rest != 0)
        return REFUSE("effort, rest and stops need a coordinate, rx, ry or rz", d->name);
    return PH_OK;
}

ph_status ph_coordinate_choose(const ph_mechanism *m, int joint, int asked, ph_origin at, const char *who,
                               int *out, ph_error *err)
{
    static const char *const names[] = {"x", "y", "z", "rx", "ry", "rz", "the length"};
    const ph_joint *j = &m->joint[m->joint_of[joint]];
    const char *name = m->model->joint[joint].name;
    char all[64] = "";
    for (int k = 0, n = 0; k < PH_LENGTH; k++)
        if (j->frees >> k & 1)
            n += snprintf(all + n, sizeof all - (size_t)n, "%s%s", n ? ", " : "", names[k]);
    *out = asked;
    if (asked >= 0 && (j->frees >> asked & 1))
        return PH_OK;
    if (asked >= 0)
        return ph_mech_fail(err, PH_E_INPUT, m->model, at, "%s: joint '%s' locks its coordinate %s; %s%s",
                            who, name, names[asked], all[0] ? "free: " : "nothing is free", all);
    *out = ph_joint_free(j, 0);
    if (*out < 0)
        return ph_mech_fail(err, PH_E_INPUT, m->model, at, "%s: joint '%s' has no free coordinate", who,
                            name);
    if (ph_joint_frees(j) > 1)
        return ph_mech_fail(err, PH_E_INPUT, m->model, at,
                            "%s: joint '%s' has several free coordinates, %s: say which one", who, name, all);
    return PH_OK;
}

ph_status ph_actuator_make(const ph_mechanism *m, int def, ph_force *out, ph_error *err)
{
    const ph_actuator_def *d = &m->model->actuator[def];
    char who[96];
    snprintf(who, sizeof who, "actuator '%.63s'", d->name);
    if (d->joint < 0 || d->joint >= m->model->n_joints)
        return REFUSE("there is no joint %d", d->name, d->joint);
    if (d->input >= m->model->n_inputs)
        return REFUSE("there is no input %d", d->name, d->input);
    const ph_joint *j = &m->joint[m->joint_of[d->joint]];
    int swing = d->coordinate < 0 && ph_joint_row_of(&m->model->joint[d->joint])->op->swings && j->frees;
    *out = (ph_force){.actuator = d,
                      .along = j,
                      .coordinate = -1,
                      .op = swing ? &ph_force_swing : &ph_force_actuator,
                      .body = {j->body[0], j->body[1]},
                      .still = d->d == 0 && d->stop_d == 0,
                      .couples = swing ? PH_COUPLE_TURNS : PH_COUPLE_ALL};
    if (swing)
        return check_swing(m, d, err);
    ph_status s = ph_coordinate_choose(m, d->joint, d->coordinate, d->origin, who, &out->coordinate, err);
    if (s == PH_OK && out->coordinate == PH_LENGTH)
        return REFUSE("joint '%s' locks the length of the distance", d->name, m->model->joint[d->joint].name);
    if (s == PH_OK && ph_is_angle(out->coordinate))
        out->couples = PH_COUPLE_TURNS;
    return s;
}

const ph_force *ph_actuator_of(const ph_mechanism *m, int def)
{
    return &m->force[m->n_forces - m->model->n_actuators + def]; /* they are the last ones */
}
