/* Names and numbers of a run, by index: what a user sees of the present state. */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "mech/coordinate.h"
#include "run/private.h"
#include "step/sim.h"

/* ---- lists -------------------------------------------------------------------------------------------- */

int ph_run_count(const ph_run *run, int list)
{
    const ph_model *m = run->model;
    if (list == PH_NODES)
        return m ? 0 : run->sys->n_nodes;
    if (list == PH_CONSTRAINTS)
        return m ? m->n_constraints : run->sys->n_constraints;
    if (list == PH_FLEXIBLE)
        return m ? m->n_flexible : 0;
    if (list == PH_INPUTS)
        return m ? m->n_inputs : 0;
    if (list == PH_ACTUATORS)
        return m ? m->n_actuators : 0;
    if (list == PH_STATES)
        return m ? m->n_states : 0;
    if (list == PH_EVENTS)
        return m ? m->n_events : 0;
    return m && list >= PH_BODIES && list <= PH_OBJECTIVES ? ph_model_count(m, (ph_list)list) : 0;
}

const char *ph_run_name(const ph_run *run, int list, int k)
{
    const ph_model *m = run->model;
    const char *name;
    if (k < 0 || k >= ph_run_count(run, list))
        return NULL;
    if (list == PH_NODES)
        name = run->sys->nodes[k].name;
    else if (list == PH_CONSTRAINTS)
        name = m ? m->constraint[k].name : run->sys->constraints[k].name;
    else if (list == PH_FLEXIBLE)
        name = m->flexible[k].name;
    else if (list == PH_INPUTS)
        name = m->input[k].name;
    else if (list == PH_ACTUATORS)
        name = m->actuator[k].name;
    else if (list == PH_STATES)
        name = m->state[k].name;
    else if (list == PH_EVENTS)
        name = m->event[k].name;
    else
        name = ph_model_name(m, (ph_list)list, k);
    return name ? name : "";
}

int ph_run_find(const ph_run *run, int list, const char *name)
{
    int n = ph_run_count(run, list);
    for (int k = 0; k < n && name; k++)
        if (!strcmp(name, ph_run_name(run, list, k)))
            return k;
    return -1;
}

/* ---- what there is -------------------------------------------------------------------------------------- */

static const char *const xyz[] = {"x", "y", "z"}, *const quaternion[] = {"qw", "qx", "qy", "qz"},
                         *const speed[] = {"vx", "vy", "vz"}, *const spin[] = {"wx", "wy", "wz"},
                         *const acceleration[] = {"ax", "ay", "az"},
                         *const spin_dot[] = {"wdotx", "wdoty", "wdotz"}, *const reaction[] = {"fx", "fy",
                                                                                               "fz", "tx",
                                                                                               "ty", "tz"},
                         *const energy[] = {"kinetic", "potential", "work", "dissipated", "residual"},
                         *const coordinate[] = {"x", "y", "z", "rx", "ry", "rz", "length"},
                         *const violation[] = {"position", "velocity"}, *const step[] = {"h", "iterations"},
                         *const fastest[] = {"speed", "spin"}, *const drive[] = {"position", "rate"},
                         *const softening[] = {"spin", "load"};

/* PH_GET_MOTION: quantities in their order. */
static const int motion[] = {PH_GET_POSITION, PH_GET_ROTATION,     PH_GET_VELOCITY,
                             PH_GET_OMEGA,    PH_GET_ACCELERATION, PH_GET_OMEGA_DOT};

#define N_MOTION ((int)(sizeof motion / sizeof *motion))

/* What is read of which list, how many numbers, their labels (NULL: counted) and units. */
static const struct quantity {
    int list; /* -1: of the run */
    int size; /* 0: it depends */
    const char *const *label;
    const char *unit;
} quantities[] = {
    [PH_GET_POSITION] = {PH_BODIES, 3, xyz, "m"},
    [PH_GET_ROTATION] = {PH_BODIES, 4, quaternion, "1"},
    [PH_GET_VELOCITY] = {PH_BODIES, 3, speed, "m/s"},
    [PH_GET_OMEGA] = {PH_BODIES, 3, spin, "rad/s"},
    [PH_GET_ACCELERATION] = {PH_BODIES, 3, acceleration, "m/s^2"},
    [PH_GET_OMEGA_DOT] = {PH_BODIES, 3, spin_dot, "rad/s^2"},
    [PH_GET_JOINT_POSITION] = {PH_JOINTS, 0, NULL, NULL},
    [PH_GET_JOINT_RATE] = {PH_JOINTS, 0, NULL, NULL},
    [PH_GET_REACTION] = {PH_JOINTS, 6, reaction, NULL},
    [PH_GET_MULTIPLIERS] = {PH_JOINTS, 0, NULL, "SI"},
    [PH_GET_SENSOR] = {PH_SENSORS, 0, NULL, NULL},
    [PH_GET_INPUT] = {PH_INPUTS, 1, NULL, NULL},
    [PH_GET_STATE] = {PH_STATES, 0, NULL, NULL},
    [PH_GET_EFFORT] = {PH_ACTUATORS, 1, NULL, NULL},
    [PH_GET_PARAMETER] = {PH_PARAMETERS, 1, NULL, ""},
    [PH_GET_OBJECTIVE] = {PH_OBJECTIVES, 1, NULL, ""},
    [PH_GET_ENERGY] = {-1, 5, energy, "J"},
    [PH_GET_VIOLATION] = {-1, 2, violation, "SI"},
    [PH_GET_STEP] = {-1, 2, step, NULL},
    [PH_GET_OVER] = {PH_SENSORS, 0, NULL, "SI"},
    [PH_GET_NODE] = {PH_NODES, 0, NULL, "SI"},
    [PH_GET_NODE_VELOCITY] = {PH_NODES, 0, NULL, "SI"},
    [PH_GET_NODE_ACCELERATION] = {PH_NODES, 0, NULL, "SI"},
    [PH_GET_MOTION] = {PH_BODIES, 0, NULL, NULL},
    [PH_GET_ETA] = {PH_JOINTS, 0, NULL, "SI"},
    [PH_GET_DRIVE] = {PH_JOINTS, 2, drive, NULL},
    [PH_GET_SOFTENING] = {PH_FLEXIBLE, 2, softening, ""},
    [PH_GET_ASSEMBLED] = {-1, 2, violation, "SI"},
    [PH_GET_FASTEST] = {-1, 2, fastest, NULL},
};

#define N_QUANTITIES ((int)(sizeof quantities / sizeof *quantities))

/* The constraint of the system that index counts: joints, which may have two, then constraint{}. -1: none. */
static int rows_of(const ph_run *run, const ph_mechanism *mech, int index, int *at)
{
    const ph_model *m = run->model;
    const ph_system *sys = run->sys;
    int rows = 0;
    if (m && index >= 0 && index < m->n_joints) {
        *at = ph_mechanism_lambda(mech, index, &rows);
        return rows;
    }
    int k = m ? index - m->n_joints + sys->n_constraints - m->n_constraints : index;
    int first = m ? sys->n_constraints - m->n_constraints : 0;
    if (index < 0 || k < first || k >= sys->n_constraints)
        return 0;
    *at = ph_sim_state(run->sim).l_at[k];
    return sys->constraints[k].rows;
}

static const ph_joint *joint_of(const ph_run *run, int index)
{
    return &run->mech->joint[run->mech->joint_of[index]];
}

/* Size of a node of a system of one's own; 0: there is none. */
static int node_size(const ph_run *run, int what, int index)
{
    if (index >= ph_run_count(run, PH_NODES))
        return 0;
    const ph_node *node = &run->sys->nodes[index];
    return what == PH_GET_NODE ? ph_group_size(node->group, node->n) : ph_group_dim(node->group, node->n);
}

static void put_node(const ph_state *s, int what, int index, int n, double *out)
{
    const double *from = what == PH_GET_NODE            ? s->q + s->q_at[index]
                         : what == PH_GET_NODE_VELOCITY ? s->v + s->v_at[index]
                                                        : s->vdot + s->v_at[index];
    memcpy(out, from, (size_t)n * sizeof *out);
}

/* Particles do not turn. */
static int body_size(const ph_body_def *b, int what)
{
    int turns = what == PH_GET_ROTATION || what == PH_GET_OMEGA || what == PH_GET_OMEGA_DOT;
    return turns && b->particle ? 0 : quantities[what].size;
}

static int motion_size(const ph_body_def *b)
{
    int n = 0;
    for (int i = 0; i < N_MOTION; i++)
        n += body_size(b, motion[i]);
    return n;
}

int ph_run_size(const ph_run *run, int what, int index)
{
    const ph_model *m = run->model;
    int at;
    if (what < 0 || what >= N_QUANTITIES || index < 0)
        return 0;
    const struct quantity *q = &quantities[what];
    if (what == PH_GET_MULTIPLIERS || (what == PH_GET_ETA && ph_sim_state(run->sim).eta))
        return rows_of(run, run->mech, index, &at);
    if (q->list == PH_NODES)
        return node_size(run, what, index);
    if (q->list == -1)
        return index == 0 && (m || what == PH_GET_VIOLATION || what == PH_GET_STEP) ? q->size : 0;
    if (q->list < 0 || !m || index >= ph_run_count(run, q->list))
        return 0;
    if (what == PH_GET_SENSOR || (what == PH_GET_OVER && m->sensor[index].over))
        return m->sensor[index].size;
    if (what == PH_GET_JOINT_POSITION || what == PH_GET_JOINT_RATE)
        return ph_joint_frees(joint_of(run, index));
    if (what == PH_GET_STATE)
        return m->state[index].size;
    if (what == PH_GET_EFFORT)
        return ph_actuator_of(run->mech, index)->coordinate >= 0;
    if (what == PH_GET_DRIVE)
        return ph_run_is(run, PH_IS_DRIVEN, index) ? q->size : 0;
    if (what == PH_GET_MOTION)
        return motion_size(&m->body[index]);
    return q->list == PH_BODIES ? body_size(&m->body[index], what) : q->size;
}

uint64_t ph_run_shape(const ph_run *run)
{
    uint64_t sum = PH_HASH_START;
    int most = 1;
    for (int list = 0; list <= PH_CONSTRAINTS; list++) {
        int n = ph_run_count(run, list);
        sum = ph_hash_bytes(sum, &n, sizeof n);
        for (int k = 0; k < n; k++)
            sum = ph_hash_text(sum, ph_run_name(run, list, k));
        most += n;
    }
    for (int what = 0; what < N_QUANTITIES; what++)
        for (int k = 0; k < most; k++) {
            int n = ph_run_size(run, what, k);
            sum = ph_hash_bytes(sum, &n, sizeof n);
        }
    return sum;
}

/* The quantity that number k of a motion belongs to; k becomes its place there. */
static int part_of_motion(const ph_run *run, int body, int *k)
{
    int i = 0;
    for (int n; i < N_MOTION - 1 && *k >= (n = ph_run_size(run, motion[i], body)); i++)
        *k -= n;
    return motion[i];
}

const char *ph_run_label(const ph_run *run, int what, int index, int k)
{
    static const char counted[PH_SENSOR_MAX][3] = {
        "1",  "2",  "3",  "4",  "5",  "6",  "7",  "8",  "9",  "10", "11", "12", "13", "14", "15", "16",
        "17", "18", "19", "20", "21", "22", "23", "24", "25", "26", "27", "28", "29", "30", "31", "32",
        "33", "34", "35", "36", "37", "38", "39", "40", "41", "42", "43", "44", "45", "46", "47", "48",
        "49", "50", "51", "52", "53", "54", "55", "56", "57", "58", "59", "60", "61", "62", "63", "64"};
    int n = ph_run_size(run, what, index);
    if (k < 0 || k >= n)
        return NULL;
    if (what == PH_GET_MOTION) {
        int part = part_of_motion(run, index, &k);
        return ph_run_label(run, part, index, k);
    }
    if (quantities[what].label)
        return quantities[what].label[k];
    if (n > 1 && (what == PH_GET_JOINT_POSITION || what == PH_GET_JOINT_RATE))
        return coordinate[ph_joint_free(joint_of(run, index), k)];
    return n == 1 ? "" : k < PH_SENSOR_MAX ? counted[k] : "";
}

/* A text such as "N, N m": each half. */
static const char *half(const char *unit, int n, int k)
{
    static const struct {
        const char *both, *first, *second;
    } halves[] = {{"N, N m", "N", "N m"}, {"1, 1/m", "1", "1/m"}};
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++)
        if (!strcmp(unit, halves[i].both))
            return 2 * k < n ? halves[i].first : halves[i].second;
    return unit;
}

const char *ph_run_unit(const ph_run *run, int what, int index, int k)
{
    int n = ph_run_size(run, what, index);
    if (k < 0 || k >= n)
        return NULL;
    if (what == PH_GET_MOTION) {
        int part = part_of_motion(run, index, &k);
        return ph_run_unit(run, part, index, k);
    }
    if (quantities[what].unit)
        return quantities[what].unit;
    if (what == PH_GET_SENSOR)
        return half(ph_model_sensor_unit(run->model, index), n, k);
    if (what == PH_GET_REACTION)
        return half("N, N m", n, k);
    if (what == PH_GET_STEP)
        return k ? "" : "s";
    if (what == PH_GET_FASTEST)
        return k ? "rad/s" : "m/s";
    if (what == PH_GET_INPUT)
        return run->model->input[index].unit;
    if (what == PH_GET_STATE)
        return run->model->state[index].unit;
    if (what == PH_GET_EFFORT)
        return ph_is_angle(ph_actuator_of(run->mech, index)->coordinate) ? "N m" : "N";
    int angle = what == PH_GET_DRIVE ? ph_run_is(run, PH_IS_ANGLE, index)
                                     : ph_is_angle(ph_joint_free(joint_of(run, index), k));
    int rate = what == PH_GET_JOINT_RATE || (what == PH_GET_DRIVE && k == 1);
    return angle ? (rate ? "rad/s" : "rad") : rate ? "m/s" : "m";
}

/* ---- yes or no ------------------------------------------------------------------------------------------ */

static int is_body(const ph_model *m, int flag, int k)
{
    return k < m->n_bodies && (flag == PH_IS_PARTICLE ? m->body[k].particle != 0 : m->body[k].marker != 0);
}

static int is_joint(const ph_mechanism *mech, int flag, int k)
{
    if (k >= mech->model->n_joints)
        return 0;
    if (flag == PH_IS_ANGLE)
        return ph_joint_counts_angles(&mech->model->joint[k]);
    return ph_mechanism_drive(mech, NULL, k, NULL, NULL);
}

static int is_sensor(const ph_model *m, int flag, int k)
{
    if (k >= m->n_sensors)
        return 0;
    const ph_sensor_def *s = &m->sensor[k];
    if (flag == PH_IS_QUATERNION)
        return ph_sensor_row_of(s)->op->quaternion;
    if (flag == PH_IS_OF_FUNCTION)
        return s->f.call != NULL;
    int size = ph_sensor_row_of(s)->size;
    return size > 0 && size % 3 == 0;
}

int ph_run_is(const ph_run *run, int flag, int index)
{
    if (!run->model || index < 0)
        return 0;
    switch (flag) {
    case PH_IS_PARTICLE:
    case PH_IS_MARKER:
        return is_body(run->model, flag, index);
    case PH_IS_DRIVEN:
    case PH_IS_ANGLE:
        return is_joint(run->mech, flag, index);
    case PH_IS_INTEGRAL:
        return index < run->model->n_objectives && ph_objective_has(run->model, index, PH_ON_THE_WAY);
    default:
        return is_sensor(run->model, flag, index);
    }
}

int ph_run_redundant(const ph_run *run, int constraint)
{
    return run->mech && constraint >= 0 && constraint < run->sys->n_constraints
               ? ph_mechanism_redundant(run->mech, constraint)
               : 0;
}

const char *ph_run_assembled(const ph_run *run, int velocities, char *text, size_t size)
{
    text[0] = 0;
    return run->mech ? ph_mechanism_assembled(run->mech, velocities != 0, text, size) : text;
}

/* ---- numbers -------------------------------------------------------------------------------------------- */

static void put_body(ph_mechanism *mech, const ph_state *s, int what, int body, double *out)
{
    ph_body_state b;
    ph_mechanism_body(mech, s, body, &b);
    const ph_vec3 *const vector[] = {[PH_GET_POSITION] = &b.x,
                                     [PH_GET_VELOCITY] = &b.v,
                                     [PH_GET_OMEGA] = &b.omega,
                                     [PH_GET_ACCELERATION] = &b.a,
                                     [PH_GET_OMEGA_DOT] = &b.omega_dot};
    if (what == PH_GET_ROTATION)
        out[0] = b.q.w, out[1] = b.q.x, out[2] = b.q.y, out[3] = b.q.z;
    else
        ph_store3(out, *vector[what]);
}

static void put_motion(ph_mechanism *mech, const ph_state *s, int body, double *out)
{
    ph_body_state b;
    int turns = !mech->model->body[body].particle;
    ph_mechanism_body(mech, s, body, &b);
    ph_store3(out, b.x), out += 3;
    if (turns)
        out[0] = b.q.w, out[1] = b.q.x, out[2] = b.q.y, out[3] = b.q.z, out += 4;
    ph_store3(out, b.v), out += 3;
    if (turns)
        ph_store3(out, b.omega), out += 3;
    ph_store3(out, b.a), out += 3;
    if (turns)
        ph_store3(out, b.omega_dot);
}

ph_status ph_numbers_of(const ph_run *run, ph_mechanism *mech, const ph_state *s, int what, int index,
                        double *out)
{
    ph_vec3 force, torque;
    ph_force_site site;
    int at = 0, rows;
    switch (what) {
    case PH_GET_INPUT:
        *out = ph_mechanism_input(mech, index, s->t);
        return PH_OK;
    case PH_GET_STATE:
        memcpy(out, ph_state_numbers(mech, s, index), (size_t)mech->own[index].n * sizeof *out);
        return PH_OK;
    case PH_GET_EFFORT:
        ph_force_at(mech, s, ph_actuator_of(mech, index), &site);
        *out = ph_actuator_effort(&site);
        return PH_OK;
    case PH_GET_JOINT_POSITION:
    case PH_GET_JOINT_RATE:
        for (int k = 0, n = ph_joint_frees(joint_of(run, index)); k < n; k++) {
            int c = ph_joint_free(joint_of(run, index), k);
            out[k] = what == PH_GET_JOINT_RATE ? ph_mechanism_rate(mech, s, index, c)
                                               : ph_mechanism_coordinate(mech, s, index, c);
        }
        return PH_OK;
    case PH_GET_REACTION:
        ph_mechanism_reaction(mech, s, index, &force, &torque);
        ph_store3(out, force), ph_store3(out + 3, torque);
        return PH_OK;
    case PH_GET_MULTIPLIERS:
        rows = rows_of(run, mech, index, &at);
        memcpy(out, s->lambda + at, (size_t)rows * sizeof *out);
        return PH_OK;
    case PH_GET_ETA:
        rows = rows_of(run, mech, index, &at);
        memcpy(out, s->eta + at, (size_t)rows * sizeof *out);
        return PH_OK;
    case PH_GET_SENSOR:
        return ph_mechanism_sensor(mech, s, index, out);
    case PH_GET_MOTION:
        put_motion(mech, s, index, out);
        return PH_OK;
    case PH_GET_DRIVE:
        ph_mechanism_drive(mech, s, index, &out[0], &out[1]);
        return PH_OK;
    case PH_GET_FASTEST:
        ph_mechanism_fastest(mech, s, &out[0], &out[1]);
        return PH_OK;
    case PH_GET_SOFTENING:
        ph_mechanism_softening(mech, s, index, &out[0], &out[1]);
        return PH_OK;
    default:
        put_body(mech, s, what, index, out);
        return PH_OK;
    }
}

ph_status ph_objective_value(ph_run *run, const ph_so_far *so_far, const ph_state *s, int k, double *out)
{
    double final = 0;
    ph_status status = PH_OK;
    if (ph_objective_has(run->model, k, PH_AT_THE_END))
        status = ph_mechanism_objective(run->mech, s, k, PH_AT_THE_END, &final, NULL);
    *out = so_far[k].sum + final;
    return status != PH_OK || isnan(*out) ? PH_E_CALLBACK : PH_OK;
}

static void energies(ph_run *run, const ph_state *s, double *out)
{
    ph_watched *w = &run->watched;
    if (!(run->config.watch & (PH_WATCH_ENERGY | PH_WATCH_BLOWUP)))
        ph_mechanism_energies(run->mech, s, &w->kinetic, &w->potential);
    out[0] = w->kinetic, out[1] = w->potential, out[4] = w->residual;
    out[2] = ph_integral_value(&w->work), out[3] = ph_integral_value(&w->dissipated);
}

ph_status ph_run_get(ph_run *run, int what, int index, double *out)
{
    if (!run || !out)
        return ph_refuse_null("run, out", NULL);
    ph_state s = ph_run_state(run);
    int n = ph_run_size(run, what, index);
    if (n == 0)
        return PH_E_INPUT;
    switch (what) {
    case PH_GET_NODE:
    case PH_GET_NODE_VELOCITY:
    case PH_GET_NODE_ACCELERATION:
        put_node(&s, what, index, n, out);
        return PH_OK;
    case PH_GET_PARAMETER:
        *out = run->model->param[index].value;
        return PH_OK;
    case PH_GET_OVER:
        return ph_over_numbers(run, ph_bars_over(run), index, out) ? PH_OK : PH_E_INPUT;
    case PH_GET_OBJECTIVE:
        return ph_objective_value(run, ph_bars_so_far(run), &s, index, out);
    case PH_GET_ENERGY:
        energies(run, &s, out);
        return PH_OK;
    case PH_GET_VIOLATION:
        if (run->config.watch & PH_WATCH_VIOLATION) {
            out[0] = run->watched.position, out[1] = run->watched.velocity;
            return PH_OK;
        }
        return ph_sim_violation(run->sim, &out[0], &out[1]);
    case PH_GET_STEP:
        out[0] = run->sim->n_past ? run->sim->now.t - run->sim->last.t : 0;
        out[1] = run->sim->step_iterations;
        return PH_OK;
    case PH_GET_ASSEMBLED:
        ph_mechanism_projected(run->mech, &out[0], &out[1]);
        return PH_OK;
    default:
        return ph_numbers_of(run, run->mech, &s, what, index, out);
    }
}

static int is_of_state(int what)
{
    return what <= PH_GET_EFFORT || (what >= PH_GET_MOTION && what <= PH_GET_SOFTENING) ||
           what == PH_GET_FASTEST;
}

ph_status ph_run_get_of(ph_run *run, const ph_state *s, int what, int index, double *out)
{
    if (!run || !s || !out)
        return ph_refuse_null("run, s, out", NULL);
    if (!is_of_state(what) || ph_run_size(run, what, index) == 0 || (what == PH_GET_ETA && !s->eta))
        return PH_E_INPUT;
    return ph_numbers_of(run, run->mech, s, what, index, out);
}

void ph_run_count_turns(ph_run *run, const ph_state *s)
{
    if (run->mech && s)
        ph_mechanism_track(run->mech, s);
    else if (run->mech)
        ph_mechanism_rewind(run->mech);
}
