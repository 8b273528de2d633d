/* Actuators: actuator.h, and from the words of the model to them. */
#include "mech/actuator.h"
#include "mech/coordinate.h"

static int stops(const ph_force_site *s)
{
    return !isnan(s->f->actuator->stop[0]);
}

int ph_actuator_reads_value(const ph_actuator_def *d)
{
    return d->k != 0 || !isnan(d->stop[0]);
}

/* In the neighbours of a parameter a stop goes along its tangent (P8), since they are further apart than it is wide. Its effort
 * depends on x - stop. */
static ph_law move_stops(ph_law y, const ph_actuator_def *d, double x, double rate)
{
    for (int i = 0; i < 2; i++)
        if (d->moved[i] != 0) {
            y.tau -= d->moved[i] * ph_actuator_stop((ph_law){0}, d, i, x, rate).tau_x;
            y.stored += d->moved[i] * ph_actuator_stop((ph_law){0}, d, i, x, 0).tau;
        }
    return y;
}

static ph_law law_of(const ph_force_site *s, const ph_site *site)
{
    int k = s->f->coordinate;
    double x = ph_actuator_reads_value(s->f->actuator) ? ph_coordinate_value(site, k) + s->turns : 0;
    double rate = ph_coordinate_rate(site, k);
    ph_law y = ph_actuator_law_at(s, x, rate, stops(s));
    return stops(s) ? move_stops(y, s->f->actuator, x, rate) : y;
}

double ph_actuator_effort(const ph_force_site *s)
{
    ph_site site = ph_actuator_site(s);
    return law_of(s, &site).tau;
}

static ph_status g(const ph_force_site *s, ph_vec3 r[PH_SLOTS])
{
    ph_site site = ph_actuator_site(s);
    double tau = law_of(s, &site).tau;
    ph_coordinate_row(&site, s->f->coordinate, r);
    for (int k = 0; k < PH_SLOTS; k++)
        r[k] = ph_scale(-tau, r[k]);
    return s->status;
}

static ph_status C(const ph_force_site *s, const ph_put *p)
{
    ph_site site = ph_actuator_site(s);
    ph_vec3 b[PH_SLOTS];
    ph_coordinate_row(&site, s->f->coordinate, b);
    ph_actuator_add_outer(-law_of(s, &site).tau_v, b, b, p);
    return PH_OK;
}

static ph_status K(const ph_force_site *s, const ph_put *p)
{
    ph_site site = ph_actuator_site(s);
    ph_law y = law_of(s, &site);
    ph_vec3 b[PH_SLOTS], z[PH_SLOTS];
    ph_coordinate_row(&site, s->f->coordinate, b);
    if (y.tau_x != 0)
        ph_actuator_add_outer(-y.tau_x, b, b, p);
    if (y.tau_v != 0) {
        ph_coordinate_z(&site, s->f->coordinate, z);
        ph_actuator_add_outer(-y.tau_v, b, z, p);
    }
    ph_coordinate_K(&site, s->f->coordinate, -y.tau, p);
    return s->status;
}

static double energy(const ph_force_site *s)
{
    ph_site site = ph_actuator_site(s);
    return law_of(s, &site).stored;
}

/* Add the side of the stops, 1 or 2 if one is pressed, to that of the effort. */
static uint64_t side(const ph_mechanism *m, const ph_state *s, const ph_force *f)
{
    const ph_actuator_def *d = f->actuator;
    double x = isnan(d->stop[0]) ? NAN : ph_mechanism_coordinate(m, s, d->joint, f->coordinate);
    return ph_function_side(m, s, f, &d->f, 1) + (x < d->stop[0] ? 1 : x > d->stop[1] ? 2 : 0);
}

/* The prescribed effort only; spring, damper and stops are not sources. */
static ph_status pairs(const ph_force_site *s, ph_port *out)
{
    ph_site site = ph_actuator_site(s);
    *out = (ph_port){s->effort, ph_coordinate_rate(&site, s->f->coordinate)};
    return s->status;
}

const ph_force_ops ph_force_actuator = {
    .text = "actuator", .g = g, .C = C, .K = K, .energy = energy, .pairs = pairs, .n_pairs = 1, .side = side};

PH_PLAIN_FORCE(swing_torque)

const ph_force_ops ph_force_swing = {PH_PLAIN_TERMS(swing_torque), .energy = ph_swing_torque_energy};

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
    int driven = d->effort != 0 || d->input >= 0 || d->f.call;
    int swing = d->coordinate < 0 && ph_joint_row_of(&m->model->joint[d->joint])->op->swings && j->frees;
    *out = (ph_force){.actuator = d,
                      .along = j,
                      .coordinate = -1,
                      .op = swing ? &ph_force_swing : &ph_force_actuator,
                      .body = {j->body[0], j->body[1]},
                      .still = d->d == 0 && d->stop_d == 0,
                      .n_pairs = driven ? ph_force_actuator.n_pairs : 0,
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
