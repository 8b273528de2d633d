/* What is seen of a run on the way: violations, energy, rows of the file, progress, signals. */
#include "cli/run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

#define TICK 0.1 /* s between looks at the terminal and at signals */

double ph_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* NaN must win. */
static void enlarge(double *most, double x)
{
    if (x > *most || isnan(x))
        *most = x;
}

/* E - E0 = int P dt; the trapezoidal rule has the order of the method. */
static void watch_energy(const ph_problem *p, const ph_state *s, int first, ph_watch *w)
{
    double power = p->power ? p->power(s, p->sys.ctx) : 0;
    w->E = p->energy(s, p->sys.ctx);
    if (first)
        w->E0 = w->E;
    else
        w->work += (s->t - w->t) * (power + w->power) / 2;
    w->power = power, w->t = s->t;
    enlarge(&w->drift, fabs(w->E - w->E0 - w->work));
}

static void show_progress(const ph_run *r, const ph_state *s, double elapsed)
{
    ph_stats st = ph_sim_stats(r->sim);
    double n = st.steps ? (double)st.steps : 1;
    fprintf(stderr, "\rt %-10.6g %3.0f %%  h %g  %.2f iterations/step  %.0f s left \033[K", s->t,
            100 * n / (double)r->steps, r->opt.h, (double)st.iterations / n,
            elapsed * ((double)r->steps - n) / n);
    fflush(stderr);
}

/* Signals are blocked while there is a file to clear away. */
static int signal_waits(void)
{
    sigset_t set;
    return sigpending(&set) == 0 && (sigismember(&set, SIGINT) == 1 || sigismember(&set, SIGTERM) == 1 ||
                                     sigismember(&set, SIGHUP) == 1);
}

static void tick(ph_run *r, const ph_state *s, double now)
{
    r->watch.last_tick = now;
    r->watch.interrupted = signal_waits();
    if (r->watch.terminal)
        show_progress(r, s, now - r->watch.begun);
}

ph_status ph_watch_step(const ph_sim *sim, void *ctx)
{
    ph_run *r = ctx;
    ph_watch *w = &r->watch;
    double now = ph_seconds(), position, velocity;
    ph_state s = ph_sim_state(sim);
    long n = ph_sim_stats(sim).steps;
    if (ph_sim_violation(r->sim, &position, &velocity) != PH_OK)
        position = velocity = NAN;
    enlarge(&w->position, position);
    enlarge(&w->velocity, velocity);
    if (r->subject.mech)
        ph_mechanism_track(r->subject.mech, &s);
    if (r->p->energy)
        watch_energy(r->p, &s, n == 0, w);
    if (r->file.stream && (n % r->args->every == 0 || n == r->steps)) {
        errno = 0;
        ph_trajectory_row(r, &s);
        if (ferror(r->file.stream))
            w->unwritten = 1, w->why = errno;
    }
    if (now - w->last_tick > TICK)
        tick(r, &s, now);
    w->own_s += ph_seconds() - now;
    return w->interrupted || w->unwritten ? PH_E_STOPPED : PH_OK;
}
