/* Several runs at once, each in a lane of one struct. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/ftz.h"
#include "compile/native.h"

static int is_under_way(const ph_run *run, double t)
{
    return ph_run_time(run) < t - PH_REACHED * run->def.opt.h && ph_run_ended_by(run) < 0;
}

/* Members that have the code take their places in one struct; others, of -1, go alone. */
static ph_member *gather(ph_run *const *run, int n)
{
    ph_member *first = NULL;
    for (int i = 0; i < n; i++) {
        ph_member *m = (ph_member *)run[i]->native;
        if (!m || !m->of || (first && (m->of != first->of || i >= first->lanes)))
            continue;
        if (!first) {
            first = m;
            ph_member_load(run[i], m); /* in all lanes: those without a run have numbers too */
        }
        m->state = first->own, m->lane = i;
    }
    return first;
}

static void scatter(ph_run *const *run, int n)
{
    for (int i = 0; i < n; i++) {
        ph_member *m = (ph_member *)run[i]->native;
        if (m)
            m->state = m->own, m->lane = -1, m->ahead = 0;
    }
}

/* One step of all runs that are under way; 0: none is. */
static int step_all(ph_run *const *run, int n, double t, const ph_member *first, ph_status *status,
                    ph_error *err)
{
    int any = 0;
    for (int i = 0; i < n; i++) {
        ph_member *m = (ph_member *)run[i]->native;
        if (status[i] != PH_OK || !is_under_way(run[i], t))
            continue;
        any = 1;
        status[i] = ph_run_prepare(run[i], &err[i]);
        if (status[i] == PH_OK && m && m->lane >= 0)
            ph_member_load(run[i], m), m->ahead = 1;
    }
    unsigned failed = any ? ph_member_step(first) : 0;
    for (int i = 0; i < n; i++) {
        ph_member *m = (ph_member *)run[i]->native;
        if (status[i] != PH_OK || !is_under_way(run[i], t))
            continue;
        if (m && m->ahead)
            m->failed = failed & 1u << m->lane;
        status[i] = ph_run_step(run[i], &err[i]);
    }
    return any;
}

/* ---- steps at which the watch alone looks ----------------------------------------------------------------------- */

#define LANES_MAX 8
#define TRACKED   1 /* rad that bodies may turn before angles are counted: they are known to half a turn */

typedef struct fast {
    int active; /* it makes these steps */
    int counts; /* some of its angles are counted over turns */
    long made, iterations, worst;
    double spin;   /* the fastest angular velocity */
    double turned; /* rad at most, of a joint, since angles were counted */
    int blown;
} fast;

/* The numbers of ph_sighting are all that there is to see of a step. */
static int is_unseen(const ph_run *run)
{
    const ph_member *m = (const ph_member *)run->native;
    const ph_sim *sim = run->sim;
    return m && m->lane >= 0 && m->checked == PH_STEPS_CHECKED && sim->stats.steps >= PH_STEPS_CHECKED &&
           !m->past && !run->table.columns && !run->n_inputs && !run->events && !run->n_over &&
           !run->model->n_objectives && !run->bars && !run->following && !sim->guard && !sim->sens &&
           !sim->off && !sim->renew && !sim->depth && !sim->sides;
}

/* How many steps all runs that are under way can make so, the last one of each not among them; 0: some cannot. */
static long plan(ph_run *const *run, int n, double t, const ph_status *status, fast *f)
{
    long steps = LONG_MAX;
    for (int i = 0; i < n; i++) {
        f[i] = (fast){.active = status[i] == PH_OK && is_under_way(run[i], t)};
        if (!f[i].active)
            continue;
        if (!is_unseen(run[i]))
            return 0;
        long left = lround((t - ph_run_time(run[i])) / run[i]->sim->opt.h) - 1;
        steps = left < steps ? left : steps;
        f[i].counts = ph_mechanism_counts(run[i]->mech);
    }
    return steps < LONG_MAX ? steps : 0;
}

static void count_angles(ph_run *run, const ph_member *m, fast *f)
{
    ph_member_fetch(run, m, f->made);
    ph_state s = ph_point_view(&run->sim->next, &run->sim->lay);
    ph_mechanism_track(run->mech, &s);
    f->turned = 0;
}

/* One lane after a step. 0: the others must stop too. */
static int tell(ph_run *run, const ph_member *first, int lane, const double *x, fast *f)
{
    const ph_sim *sim = run->sim;
    int lanes = first->lanes;
    ph_sighting seen = {x[lane], x[lanes + lane], x[2 * lanes + lane], x[3 * lanes + lane],
                        x[4 * lanes + lane]};
    long iterations = (long)first->state[first->at.iterations * lanes + lane];
    f->made++, f->iterations += iterations;
    f->worst = iterations > f->worst ? iterations : f->worst;
    f->blown = !ph_watch_told(run, sim->grid + (double)(sim->passed + sim->n + f->made) * sim->opt.h, &seen);
    if (f->counts) {
        double spin = sqrt(seen.spin);
        f->turned += 2 * sim->opt.h * fmax(spin, f->spin), f->spin = spin;
        if (!(f->turned < TRACKED))
            count_angles(run, (const ph_member *)run->native, f);
    }
    return !f->blown;
}

/* The run as if it had made these steps itself. */
static void catch_up(ph_run *run, fast *f)
{
    ph_member *m = (ph_member *)run->native;
    ph_sim *sim = run->sim;
    ph_stats *st = &sim->stats;
    double last;
    if (!f->made)
        return;
    count_angles(run, m, f);
    ph_member_get(m, m->at.iterations, &last, 1);
    long before = f->iterations - (long)last; /* in all steps but the last, which is accepted as usual */
    sim->n += f->made - 1, st->steps += f->made - 1;
    st->iterations += before, st->jacobians += before, st->factorizations += before, st->residuals += before;
    st->worst_iterations = f->worst > st->worst_iterations ? (int)f->worst : st->worst_iterations;
    ph_member_accept(run, m);
    ph_member_get(m, m->at.last_vdot, sim->last.vdot, sim->lay.nv);
    ph_member_get(m, m->at.last_lambda, sim->last.lambda, sim->lay.nl);
    sim->last.t = sim->now.t - sim->opt.h;
}

/* Steps of all runs, in the struct alone, as long as none fails or blows up. */
static void hurry(ph_run *const *run, int n, double t, const ph_member *first, ph_status *status,
                  ph_error *err)
{
    fast f[LANES_MAX];
    _Alignas(64) double x[LANES_MAX * sizeof(ph_sighting) / sizeof(double)];
    long steps = first->of->seen && n <= first->lanes ? plan(run, n, t, status, f) : 0;
    int go_on = steps > 0;
    if (!go_on)
        return;
    for (int i = 0; i < n; i++)
        if (f[i].active)
            ph_member_load(run[i], (ph_member *)run[i]->native);
    unsigned mode = ph_ftz_begin();
    for (long k = 0; k < steps && go_on; k++) {
        unsigned failed = first->step(first->state);
        first->of->seen(first->state, x);
        for (int i = 0; i < n; i++)
            if (f[i].active && failed & 1u << i)
                go_on = 0;
            else if (f[i].active)
                go_on &= tell(run[i], first, i, x, &f[i]);
    }
    ph_ftz_end(mode);
    for (int i = 0; i < n; i++) {
        if (f[i].active)
            catch_up(run[i], &f[i]);
        if (f[i].active && f[i].blown) {
            ph_state s = ph_sim_state(run[i]->sim);
            status[i] = ph_watch_look(run[i], &s, &err[i]);
        }
    }
}

ph_status ph_runs_until(ph_run *const *run, int n, double t, ph_status *status, ph_error *err)
{
    ph_member *first = gather(run, n), kept;
    for (int i = 0; i < n; i++)
        status[i] = PH_OK;
    if (!first) {
        for (int i = 0; i < n; i++)
            status[i] = ph_run_until(run[i], t, &err[i]);
        return PH_OK;
    }
    kept = *first; /* its run may give it up, and the code with it, and the others go on */
    first->own = NULL, ph_compiled_keep(kept.of);
    while (step_all(run, n, t, &kept, status, err))
        hurry(run, n, t, &kept, status, err);
    for (int i = 0; i < n; i++)
        if ((ph_member *)run[i]->native == first)
            first->own = kept.own, kept.own = NULL;
    scatter(run, n);
    free(kept.own), ph_compiled_release(kept.of);
    return PH_OK;
}
