/* Reference solutions of any model: Gauss methods of order 6 to 12, which share nothing with the methods that
 * they judge but the system itself. Where points are dense, few stages do. The run is repeated with half the step until both agree to
 * round-off; then the finer one is the reference. Solutions are kept in files, by the fingerprint of the
 * model. */

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/sorted.h"
#include "io/cache.h"
#include "study/reference.h"
#include "study/fail.h"
#include "study/follow.h"

/* Two runs that differ by less are equal but for round-off. */
#define EQUAL 1e-13

/* Below this, a difference that falls no more is round-off; above, the solution has no such reference. */
#define ROUND_OFF 1e-9
#define FALLS     16 /* by at least this factor, of at least 2^6 */

/* Turns and phases of one step that the first run begins with [rad]. */
#define PHASE 0.5

#define STEPS_MAX 5e7

#define SAME    1e-11              /* of the time between points: times that are one */
#define INSTANT (16 * DBL_EPSILON) /* of a time: just before it */

/* Halvings over which the fall of differences is looked at, once they are below this: before, steps are too large for the motion. */
#define LOOKS_BACK 3
#define RESOLVED   0.1

typedef struct session {
    const ph_problem *p;
    double t_end;
    long points, next;
    int nq, nv, nl;
    size_t stride, size; /* numbers of a state; of all */
    double *states, *coarse;
    const char *tableau;
} session;

/* ---- runs --------------------------------------------------------------------------------------------- */

static ph_options gauss(const char *tableau, double h)
{
    ph_options o = ph_default_options();
    o.method = "rkmk", o.tableau = tableau, o.h = h;
    o.atol = 1e-14, o.rtol = 1e-15; /* what round-off allows */
    return o;
}

/* Steps, along which turns are counted. */
static ph_status make_steps(const session *s, ph_sim *sim, long steps, ph_error *err)
{
    return ph_sim_run(sim, steps, ph_follow_sim, (void *)&s->p->sys, err);
}

static void copy_state(const session *s, const ph_state *x, double *to)
{
    double *v = to + s->nq, *vdot = v + s->nv;
    memcpy(to, x->q, sizeof *to * (size_t)s->nq);
    memcpy(v, x->v, sizeof *to * (size_t)s->nv);
    memcpy(vdot, x->vdot, sizeof *to * (size_t)s->nv);
    memcpy(vdot + s->nv, x->lambda, sizeof *to * (size_t)s->nl);
}

static double apart(const session *s)
{
    return s->t_end / (double)s->points;
}

/* The first corner between two times, if it is neither but for rounding; otherwise the second of them. */
static double next_stop(const session *s, double from, double to)
{
    double near = SAME * apart(s);
    long k = ph_sorted_up_to(s->p->n_corners, s->p->corner, from + near);
    return k < s->p->n_corners && s->p->corner[k] < to - near ? s->p->corner[k] : to;
}

/* Whether t is a corner but for rounding, and then the least time at which it is. */
static int is_corner(const session *s, double t, double *first)
{
    double near = SAME * apart(s);
    long k = ph_sorted_up_to(s->p->n_corners, s->p->corner, t - near);
    int is = k < s->p->n_corners && s->p->corner[k] <= t + near;
    *first = is ? fmin(t, s->p->corner[k]) : t;
    return is;
}

/* To t in steps of its own, from and to a state. */
static ph_status run_piece(const session *s, double from, double t, long substeps, double *state,
                           ph_error *err)
{
    ph_options o = gauss(s->tableau, (t - from) / (double)substeps);
    ph_sim *sim;
    ph_status status = ph_sim_create(&sim, &s->p->sys, &o, from, state, state + s->nq, err);
    if (status == PH_OK)
        status = make_steps(s, sim, substeps, err);
    if (status == PH_OK) {
        ph_state x = ph_sim_state(sim);
        copy_state(s, &x, state);
    }
    ph_sim_destroy(sim);
    return status;
}

/* From one point to the next, in pieces that end at corners. */
static ph_status run_pieces(const session *s, double from, double to, long substeps, ph_sim *sim,
                            double *state, ph_error *err)
{
    ph_status status = PH_OK;
    ph_state x = ph_sim_state(sim);
    copy_state(s, &x, state);
    for (double t; from < to && status == PH_OK; from = t) {
        t = next_stop(s, from, to);
        status = run_piece(s, from, t, substeps, state, err);
    }
    return status == PH_OK ? ph_sim_reset(sim, to, state, state + s->nq, err) : status;
}

/* Accelerations and multipliers at a corner are those before it, where steps of runs end. */
static ph_status look_before(const session *s, ph_sim *sim, double t, double corner, double *state,
                             ph_error *err)
{
    ph_status status = ph_sim_reset(sim, corner - INSTANT * corner, state, state + s->nq, err);
    ph_state x = ph_sim_state(sim);
    if (status == PH_OK)
        copy_state(s, &x, state);
    return status == PH_OK ? ph_sim_reset(sim, t, state, state + s->nq, err) : status;
}

/* The run with a number of steps between points, to states. */
static ph_status run(const session *s, long substeps, double *states, ph_error *err)
{
    ph_options o = gauss(s->tableau, apart(s) / (double)substeps);
    double corner;
    ph_sim *sim;
    ph_follow_begin(&s->p->sys);
    ph_status status = ph_sim_create(&sim, &s->p->sys, &o, 0, s->p->q0, s->p->v0, err);
    for (long k = 0; k <= s->points && status == PH_OK; k++) {
        double *to = states + (size_t)k * s->stride, t = apart(s) * (double)k, from = t - apart(s);
        if (k && next_stop(s, from, t) < t)
            status = run_pieces(s, from, t, substeps, sim, to, err);
        else if (k)
            status = make_steps(s, sim, substeps, err);
        ph_state x = ph_sim_state(sim);
        copy_state(s, &x, to);
        if (k && status == PH_OK && is_corner(s, t, &corner))
            status = look_before(s, sim, t, corner, to, err);
    }
    ph_sim_destroy(sim);
    return status;
}

/* Largest difference of positions and velocities, relative to their size or 1; quaternions up to their sign. */
static double difference(const session *s)
{
    double most = 0, size = 1;
    for (long k = 0; k <= s->points; k++) {
        const double *a = s->states + (size_t)k * s->stride, *b = s->coarse + (size_t)k * s->stride;
        for (int i = 0; i < s->nq + s->nv; i++)
            size = fmax(size, fabs(a[i]));
        for (int i = 0; i < s->nq + s->nv; i++) {
            double d = fabs(a[i] - b[i]);
            if (i < s->nq)
                d = fmin(d, fabs(a[i] + b[i]));
            if (!(d <= most))
                most = d;
        }
    }
    return most / size;
}

/* The local error of s stages is about (s!)^4/((2s)!^3 (2s + 1)) phase^(2s + 1): phases for which it is 1e-17. */
static const struct {
    const char *tableau;
    double phase;
} stages[] = {{"gauss3", 0.03}, {"gauss4", 0.12}, {"gauss6", PHASE}};

#define N_STAGES (sizeof stages / sizeof *stages)

/* Stages, and steps n between points, for which the first run is worth its while. */
static ph_status first_substeps(session *s, long *n, ph_error *err)
{
    ph_options o = gauss(stages[N_STAGES - 1].tableau, s->t_end / (double)s->points);
    double h = o.h, omega = 0, spin = 0;
    ph_sim *sim;
    s->tableau = o.tableau, *n = 1;
    ph_follow_begin(&s->p->sys);
    ph_status status = ph_sim_create(&sim, &s->p->sys, &o, 0, s->p->q0, s->p->v0, err);
    if (status != PH_OK)
        return status == PH_E_MEMORY ? status : PH_OK; /* anything else may be the step's fault */
    ph_state x = ph_sim_state(sim);
    for (int i = 0; i < s->p->sys.n_nodes; i++) {
        const ph_group_ops *op = ph_group_get(s->p->sys.nodes[i].group);
        if (op->rot >= 0)
            spin = fmax(spin, ph_norm(ph_load3(x.v + x.v_at[i] + op->rot)));
    }
    status = ph_sim_fastest(sim, &omega);
    ph_sim_destroy(sim);
    if (status == PH_E_MEMORY)
        return ph_study_fail(err, status, "not enough memory for the reference solution");
    if (status != PH_OK || !isfinite(omega))
        omega = 0;
    for (size_t k = N_STAGES; k-- > 0;)
        if (h * fmax(spin, omega) <= stages[k].phase)
            s->tableau = stages[k].tableau;
    *n = (long)fmin(fmax(1, ceil(h * fmax(spin, omega) / PHASE)), STEPS_MAX);
    return PH_OK;
}

/* Differences fall with the power of the step by which functions are not smooth: steps that it takes until they are round-off. past:
 * the last LOOKS_BACK + 1 of them, the last one first. */
static double steps_to_go(double steps, const double *past)
{
    double fall = pow(past[LOOKS_BACK] / past[0], 1.0 / LOOKS_BACK);
    return past[LOOKS_BACK] < RESOLVED && past[0] > ROUND_OFF
               ? steps * pow(2, log(past[0] / ROUND_OFF) / log(fmax(fall, 1 + DBL_EPSILON)))
               : steps;
}

static ph_status compute(session *s, ph_error *err)
{
    double past[LOOKS_BACK + 1];
    int has_coarse = 0;
    long n;
    ph_status status = first_substeps(s, &n, err);
    if (status != PH_OK)
        return status;
    for (int i = 0; i <= LOOKS_BACK; i++)
        past[i] = HUGE_VAL;
    for (; steps_to_go((double)n * (double)s->points, past) <= STEPS_MAX; n *= 2) {
        status = run(s, n, s->states, err);
        if (status == PH_E_INPUT || status == PH_E_MEMORY || status == PH_E_CALLBACK)
            return status; /* anything else may be the step's fault */
        double last = past[0], now = status == PH_OK && has_coarse ? difference(s) : HUGE_VAL;
        if (now <= EQUAL || (now <= ROUND_OFF && now > last / FALLS))
            return PH_OK;
        if (status == PH_OK && has_coarse && !(now < last) && now < HUGE_VAL)
            break;
        has_coarse = status == PH_OK;
        double *swap = s->coarse;
        s->coarse = s->states, s->states = swap;
        memmove(past + 1, past, LOOKS_BACK * sizeof *past);
        past[0] = now;
    }
    return ph_study_fail(
        err, PH_E_NEWTON,
        "no reference solution: runs with smaller and smaller steps differ by %.2g, which falls "
        "too slowly, as where functions jump or bend with the motion or are not traced",
        past[0]);
}

/* ---- files -------------------------------------------------------------------------------------------- */

/* What a file begins with; all of it must match. */
typedef struct heading {
    char magic[16], version[16];
    uint64_t key, check; /* of the model; of the states */
    double t_end;
    int64_t points, stride;
} heading;

static heading expected(const session *s)
{
    heading h;
    memset(&h, 0, sizeof h); /* also between the members, for the hash */
    snprintf(h.magic, sizeof h.magic, "polhode states3");
    snprintf(h.version, sizeof h.version, "%s", ph_version());
    h.key = ph_hash_bytes(s->p->key, s->p->q0, sizeof(double) * (size_t)s->nq);
    h.key = ph_hash_bytes(h.key, s->p->v0, sizeof(double) * (size_t)s->nv);
    h.t_end = s->t_end, h.points = s->points, h.stride = (int64_t)s->stride;
    return h;
}

static void file_name(const heading *h, char *name, size_t size)
{
    snprintf(name, size, "%016llx.states", (unsigned long long)ph_hash_bytes(PH_HASH_START, h, sizeof *h));
}

static int read_cache(session *s)
{
    heading want = expected(s), h;
    char name[64];
    file_name(&want, name, sizeof name);
    FILE *f = ph_cache_open(name);
    if (!f)
        return 0;
    int ok = fread(&h, sizeof h, 1, f) == 1 && fread(s->states, sizeof(double), s->size, f) == s->size;
    fclose(f);
    want.check = ok ? ph_hash_bytes(PH_HASH_START, s->states, sizeof(double) * s->size) : 0;
    return ok && !memcmp(&h, &want, sizeof h);
}

/* A solution that cannot be kept is computed again next time. */
static void write_cache(const session *s)
{
    heading h = expected(s);
    char name[64];
    file_name(&h, name, sizeof name);
    h.check = ph_hash_bytes(PH_HASH_START, s->states, sizeof(double) * s->size);
    const ph_cache_block block[] = {{&h, sizeof h}, {s->states, sizeof(double) * s->size}};
    ph_cache_keep(name, 2, block);
}

/* ---- the provider ------------------------------------------------------------------------------------- */

static int knows(const ph_problem *p)
{
    (void)p;
    return 1;
}

static void close_session(void *session_)
{
    session *s = session_;
    if (s) {
        free(s->states);
        free(s->coarse);
        free(s);
    }
}

static ph_status open_session(const ph_problem *p, double t_end, long points, void **out, ph_error *err)
{
    session *s = calloc(1, sizeof *s);
    *out = s;
    if (!s)
        return ph_study_fail(err, PH_E_MEMORY, "not enough memory for the reference solution");
    *s = (session){.p = p, .t_end = t_end, .points = points};
    s->nq = ph_system_nq(&p->sys), s->nv = ph_system_nv(&p->sys), s->nl = ph_system_nl(&p->sys);
    s->stride = (size_t)(s->nq + 2 * s->nv + s->nl);
    s->size = s->stride * (size_t)(points + 1);
    s->states = calloc(s->size, sizeof(double));
    s->coarse = calloc(s->size, sizeof(double));
    if (!s->states || !s->coarse)
        return ph_study_fail(err, PH_E_MEMORY, "not enough memory for the reference solution");
    if (p->key && read_cache(s))
        return PH_OK;
    ph_status status = compute(s, err);
    if (status == PH_OK && p->key)
        write_cache(s);
    return status;
}

static ph_status at(void *session_, double t, double *q, double *v, double *vdot, double *lambda,
                    ph_error *err)
{
    session *s = session_;
    const double *x = s->states + (size_t)s->next++ * s->stride;
    (void)t, (void)err; /* the points are asked for one after the other */
    memcpy(q, x, sizeof *q * (size_t)s->nq);
    memcpy(v, x + s->nq, sizeof *q * (size_t)s->nv);
    memcpy(vdot, x + s->nq + s->nv, sizeof *q * (size_t)s->nv);
    if (lambda)
        memcpy(lambda, x + s->nq + 2 * s->nv, sizeof *q * (size_t)s->nl);
    return PH_OK;
}

const ph_reference_provider ph_reference_solver = {"Gauss method of order 6 to 12", knows, open_session, at,
                                                   close_session};
