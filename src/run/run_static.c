/* Equilibria of a run, and whether they are stable. */
#include <stdio.h>
#include <string.h>

#include "equilibrium/static.h"
#include "mech/lock.h"
#include "mech/support.h"
#include "run/private.h"

/* Unstable equilibria that a search for a stable one leaves, each along its mode that grows, and how far it goes: largest entry of
 * the displacement, m or rad. */
#define LEFT_MOST  12
#define FIRST_STEP 0.1

/* Round-off of the forces that friction holds, relative. */
#define HELD_MORE 1e-9

static ph_status scale_loads(double factor, void *mech)
{
    ph_mechanism_set_load_factor(mech, factor);
    return PH_OK;
}

/* In statics states are the positions of their nodes, and velocities elsewhere. */
static void states_to_positions(const ph_run *run, const ph_state *from, double *q)
{
    const ph_mechanism *m = run->mech;
    for (int k = 0; m && k < m->model->n_states; k++)
        for (int i = 0; i < m->own[k].n; i++)
            q[m->own[k].q + i] = from->v[m->own[k].v + i];
}

/* The equilibrium of sys, the system of the run or the held one, from q, states as positions in it. */
static ph_status search_on(ph_equilibrium **out, ph_run *run, const ph_system *sys,
                           const ph_static_options *o, const double *q, ph_error *err)
{
    if (run->mech)
        run->mech->still = 1;
    ph_status s = ph_equilibrium_create(out, sys, o, ph_sim_state(run->sim).t, q, err);
    if (run->mech)
        run->mech->still = 0;
    if (s == PH_OK)
        ph_equilibrium_release_first(*out);
    return s;
}

/* ---- joints that friction holds ------------------------------------------------------------------------- */

/* Record the joints that are held at s. Release the joints that friction cannot hold and return their number; *worst becomes
 * the one that lacks most. */
static int release(const ph_lock *h, const ph_state *s, const ph_model *model, int n, ph_stuck *list,
                   int *n_list, unsigned char *held, const ph_mechanism *m, ph_stuck *worst)
{
    int released = 0;
    *n_list = 0;
    for (int k = 0; k < n; k++) {
        const ph_joint_def *d = &model->joint[m->friction[k]->joint->def];
        ph_stuck x = {.joint = d->name, .friction = d->friction};
        if (!held[k])
            continue;
        ph_lock_force(h, s, k, &x.force, &x.most);
        x.ratio = x.force > 0 ? x.force / x.most : 0, x.needs = x.ratio * d->friction;
        list[(*n_list)++] = x;
        if (x.ratio <= 1 + HELD_MORE)
            continue;
        held[k] = 0, released++;
        if (!(x.ratio <= worst->ratio))
            *worst = x;
    }
    return released;
}

static ph_status slips(const ph_stuck *worst, ph_error *err)
{
    return isfinite(worst->needs)
               ? ph_fail(err, PH_E_SINGULAR,
                         "joint '%s' slips: it needs a friction of at least %.3g, and has %.3g", worst->joint,
                         worst->needs, worst->friction)
               : ph_fail(err, PH_E_SINGULAR, "joint '%s' slips: nothing presses it together", worst->joint);
}

/* The equilibrium with all rough joints held in their position, except joints that friction cannot hold. */
static ph_status hold(ph_equilibrium **out, ph_run *run, const ph_static_options *o, const double *q,
                      ph_error *err)
{
    const ph_mechanism *m = run->mech;
    int n = m->n_friction, released = 1;
    size_t size = (size_t)n * (sizeof(ph_stuck) + 1);
    ph_stuck worst = {0}, *list = ph_alloc(o->alloc, size);
    if (!list)
        return ph_fail(err, PH_E_MEMORY, "not enough memory for joints that friction holds");
    unsigned char *held = (unsigned char *)(list + n);
    ph_status s = PH_OK;
    for (int k = 0; k < n; k++)
        held[k] = !m->friction[k]->joint->idle;
    while (s == PH_OK && released) {
        ph_lock *h;
        ph_error own = {0};
        s = ph_lock_create(&h, m, held, ph_sim_state(run->sim).t, q, err);
        if (s != PH_OK)
            break;
        s = search_on(out, run, ph_lock_system(h), o, q, &own);
        if (s == PH_OK) {
            ph_state at = ph_equilibrium_state(*out);
            released = release(h, &at, run->model, n, list, &run->n_stuck, held, m, &worst);
            s = released ? PH_OK : ph_equilibrium_judge(*out, ph_lock_system(h), NULL, err);
            if (released)
                ph_equilibrium_destroy(*out), *out = NULL;
        } else
            s = worst.joint ? slips(&worst, err) : ph_fail(err, s, "%s", own.text);
        ph_lock_destroy(h);
    }
    run->stuck = s == PH_OK ? list : NULL, run->n_stuck = s == PH_OK ? run->n_stuck : 0;
    if (s != PH_OK)
        ph_free(o->alloc, list);
    return s;
}

void ph_stuck_free(ph_run *run)
{
    ph_free(run->config.alloc, run->stuck);
    run->stuck = NULL, run->n_stuck = 0;
}

int ph_run_stuck(const ph_run *run, ph_stuck *to, int room)
{
    for (int k = 0; k < run->n_stuck && k < room; k++)
        to[k] = run->stuck[k];
    return run->n_stuck;
}

/* The equilibrium without friction; if the search fails, one that friction holds. */
static ph_status search(ph_equilibrium **out, ph_run *run, const ph_static_options *o, const double *q,
                        ph_error *err)
{
    ph_stuck_free(run);
    ph_status s = search_on(out, run, run->sys, o, q, err);
    if ((s != PH_E_SINGULAR && s != PH_E_NEWTON) || !run->mech || !run->mech->n_friction)
        return s;
    return hold(out, run, o, q, err);
}

/* ---- stability ------------------------------------------------------------------------------------------- */

/* Judge e; what would grow without friction may be held by it. */
static ph_status judge(const ph_run *run, ph_equilibrium *e, double *shape, ph_error *err)
{
    if (run->n_stuck > 0)
        return PH_OK; /* judged while its joints were held */
    ph_status s = ph_equilibrium_judge(e, run->sys, shape, err);
    if (s != PH_OK || !run->mech || !run->mech->n_friction ||
        ph_equilibrium_stats(e).rest.code != PH_REST_UNSTABLE)
        return s;
    ph_rest rest = {.code = PH_REST_UNDECIDED, .node = -1};
    snprintf(rest.why, sizeof rest.why, "friction, as of joint '%.60s', may hold what would grow without it",
             run->model->joint[run->mech->friction[0]->joint->def].name);
    ph_equilibrium_set_rest(e, &rest);
    return PH_OK;
}

/* From an unstable equilibrium *e along its mode that grows, to both sides and ever farther, until one is not unstable. */
static ph_status find_stable(ph_equilibrium **e, ph_run *run, const ph_static_options *o, double *q,
                             double *shape, ph_error *err)
{
    ph_status s = PH_OK;
    double step = FIRST_STEP;
    int left = 0;
    for (; s == PH_OK && ph_equilibrium_stats(*e).rest.code == PH_REST_UNSTABLE; left++) {
        ph_equilibrium *next = NULL;
        if (left == LEFT_MOST)
            return ph_fail(err, PH_E_NEWTON, "no stable equilibrium was found: %d unstable ones were left",
                           LEFT_MOST);
        ph_equilibrium_moved(*e, left % 2 ? -step : step, shape, q);
        step *= left % 2 ? 2 : 1;
        ph_state at = ph_equilibrium_state(*e);
        states_to_positions(run, &at, q);
        s = search(&next, run, o, q, err);
        if (s != PH_OK)
            return s;
        ph_equilibrium_destroy(*e);
        *e = next;
        s = judge(run, *e, shape, err);
    }
    ph_equilibrium_set_left(*e, left);
    return s;
}

ph_status ph_run_equilibrium(ph_equilibrium **out, ph_run *run, const ph_static_options *options,
                             ph_error *err)
{
    if (out)
        *out = NULL;
    if (!run || !out)
        return ph_refuse_null("out, run", err);
    ph_status can = ph_mechanism_can(run->mech, PH_CAN_STATIC, err);
    if (can != PH_OK)
        return can;
    ph_static_options o = options ? *options : ph_default_static();
    ph_state now = ph_sim_state(run->sim);
    size_t nq = (size_t)ph_system_nq(run->sys), nv = (size_t)ph_system_nv(run->sys);
    o.alloc = run->config.alloc;
    if (!options)
        o.solver = run->def.opt.solver;
    o.load = run->mech ? scale_loads : NULL, o.ctx = run->mech;
    double *q = ph_alloc(o.alloc, (nq + nv + 1) * sizeof *q), *shape = q + nq;
    if (!q)
        return ph_fail(err, PH_E_MEMORY, "not enough memory for an equilibrium");
    memcpy(q, now.q, nq * sizeof *q);
    states_to_positions(run, &now, q);
    ph_status s = search(out, run, &o, q, err);
    if (s == PH_OK)
        s = judge(run, *out, shape, err);
    if (s == PH_OK && o.stable)
        s = find_stable(out, run, &o, q, shape, err);
    ph_free(o.alloc, q);
    run->growth = s == PH_OK ? ph_equilibrium_stats(*out).rest.growth : 0;
    if (s == PH_OK)
        return s;
    ph_equilibrium_destroy(*out);
    *out = NULL;
    return ph_run_explain_static(run, s, err);
}

ph_status ph_run_static(ph_run *run, const ph_static_options *options, ph_static_stats *stats, ph_error *err)
{
    if (!run)
        return ph_refuse_null("run", err);
    ph_equilibrium *e;
    ph_status s = ph_run_equilibrium(&e, run, options, err);
    if (s != PH_OK)
        return s;
    ph_state rest = ph_equilibrium_state(e);
    double growth = run->growth;
    if (stats)
        *stats = ph_equilibrium_stats(e);
    s = ph_run_go_on_at(run, rest.t, rest.q, rest.v, ph_equilibrium_memory(e), 1, err);
    run->growth = growth;
    ph_equilibrium_destroy(e);
    return s;
}
