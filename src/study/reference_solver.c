/* Reference solutions of any model: Gauss methods of order 6 to 12, which share nothing with the methods that
 * they judge but the system itself. Where points are dense, few stages do. The run is repeated with half the step until both agree to
 * round-off; then the finer one is the reference. Solutions are kept in files, by the fingerprint of the
 * model. */

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "io/cache.h"
#include "study/reference.h"
#include "study/fail.h"

/* Two runs that differ by less are equal but for round-off. */
#define EQUAL 1e-13

/* Below this, a difference that falls no more is round-off; above, the solution has no such reference. */
#define ROUND_OFF 1e-9
#define FALLS     16 /* by at least this factor, of at least 2^6 */

/* Turns and phases of one step that the first run begins with [rad]. */
#define PHASE 0.5

#define STEPS_MAX 5e7

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

/* The run with a number of steps between points, to states. */
static ph_status run(const session *s, long substeps, double *states, ph_error *err)
{
    ph_options o = gauss(s->tableau, s->t_end / (double)s->points / (double)substeps);
    ph_sim *sim;
    ph_status status = ph_sim_create(&sim, &s->p->sys, &o, 0, s->p->q0, s->p->v0, err);
    for (long k = 0; k <= s->points && status == PH_OK; k++) {
        double *q = states + (size_t)k * s->stride, *v = q + s->nq, *vdot = v + s->nv;
        if (k)
            status = ph_sim_run(sim, substeps, NULL, NULL, err);
        ph_state x = ph_sim_state(sim);
        memcpy(q, x.q, sizeof *q * (size_t)s->nq);
        memcpy(v, x.v, sizeof *v * (size_t)s->nv);
        memcpy(vdot, x.vdot, sizeof *v * (size_t)s->nv);
        memcpy(vdot + s->nv, x.lambda, sizeof *v * (size_t)s->nl);
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

static ph_status compute(session *s, ph_error *err)
{
    double last = HUGE_VAL;
    int has_coarse = 0;
    long n;
    ph_status status = first_substeps(s, &n, err);
    if (status != PH_OK)
        return status;
    for (; (double)n * (double)s->points <= STEPS_MAX; n *= 2) {
        status = run(s, n, s->states, err);
        if (status == PH_E_INPUT || status == PH_E_MEMORY || status == PH_E_CALLBACK)
            return status; /* anything else may be the step's fault */
        double now = status == PH_OK && has_coarse ? difference(s) : HUGE_VAL;
        if (now <= EQUAL || (now <= ROUND_OFF && now > last / FALLS))
            return PH_OK;
        if (status == PH_OK && has_coarse && !(now < last) && now < HUGE_VAL)
            break;
        has_coarse = status == PH_OK;
        double *swap = s->coarse;
        s->coarse = s->states, s->states = swap, last = now;
    }
    return ph_study_fail(err, PH_E_NEWTON,
                         "no reference solution: runs with smaller and smaller steps differ by %.2g", last);
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
    snprintf(h.magic, sizeof h.magic, "polhode states\n");
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
