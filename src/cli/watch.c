/* What is seen of a run on the way: violations, energy, rows of the file, progress, signals. */
#include "cli/history.h"
#include "mech/model.h"

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

/* ---- explosions --------------------------------------------------------------------------------------- */

/* Kinetic energy is at most what there was at first, what the potential has given or springs can give, and what
 * drives and forces have done. A run that has become unstable is soon far above it; errors of a sound one are a few
 * percent, those of a method that feeds vibrations, as explicit Euler does, grow slowly. */
#define TOO_MUCH 2

/* Round-off of a system at rest must not count: energy of all its bodies at this speed [m/s, rad/s]. */
#define SLOW 1e-6

static double floor_of(const ph_model *m)
{
    double sum = 0;
    for (int i = 0; i < m->n_bodies; i++)
        if (!m->body[i].flexible)
            sum += m->body[i].mass + m->body[i].J.xx + m->body[i].J.yy + m->body[i].J.zz;
    for (int i = 0; i < m->n_flexible; i++) { /* mass and moments of inertia of the undeformed body */
        int n = 6 + 4 * m->flexible[i].body->modes;
        for (int k = 2; k < 6; k++)
            sum += m->flexible[i].body->calM[k * (n + 1)];
    }
    return sum * SLOW * SLOW;
}

/* What springs hold at first; 0 where flexible bodies make the potential of gravity another. */
static double stored(const ph_job *r, const ph_state *s, double potential)
{
    const ph_model *m = r->subject.model;
    for (int i = 0; i < m->n_bodies && !m->n_flexible; i++) {
        ph_body_state b;
        ph_mechanism_body(r->subject.mech, s, i, &b);
        potential += m->body[i].mass * ph_dot(m->gravity, b.x);
    }
    return m->n_flexible ? 0 : fmax(potential, 0);
}

/* Before watch_energy, whose t is that of the last step. User constraints may do work of which nothing is
 * known. */
static void watch_explosion(ph_job *r, const ph_state *s, int first)
{
    ph_watch *w = &r->watch;
    const ph_model *m = r->subject.model;
    if (!m || m->n_constraints)
        return;
    double E = ph_mechanism_energy(r->subject.mech, s), power = ph_mechanism_power(r->subject.mech, s);
    double supply = power > 0 ? power : 0;
    w->T = ph_mechanism_kinetic(r->subject.mech, s);
    if (first)
        w->T0 = w->T, w->floor = floor_of(m), w->fallen = stored(r, s, E - w->T);
    else
        w->given += (s->t - w->t) * fmax(supply, w->supply);
    w->supply = supply;
    double fallen = first ? 0 : (w->E0 - w->T0) - (E - w->T);
    w->fallen = fmax(w->fallen, fallen);
    w->explained = w->floor + w->T0 + w->given + w->fallen;
    w->exploded = !r->args->keep_going && !(w->T <= TOO_MUCH * w->explained);
}

void ph_watch_explain(const ph_job *r, char *text, size_t size)
{
    const ph_watch *w = &r->watch;
    ph_state s = ph_sim_state(r->sim);
    ph_vec3 most = {0};
    int fastest = 0;
    for (int i = 0; i < r->subject.model->n_bodies; i++) {
        ph_body_state b;
        ph_mechanism_body(r->subject.mech, &s, i, &b);
        if (ph_norm(b.omega) > ph_norm(most))
            most = b.omega, fastest = i;
    }
    int n = snprintf(text, size,
                     "t = %.9g: the solution explodes: its kinetic energy is %.3g J, and at most %.3g J "
                     "can be explained; use a smaller step than h = %g or another space, or --keep-going",
                     s.t, w->T, w->explained, r->opt.h);
    if (ph_norm(most) > 0 && n > 0 && (size_t)n < size)
        snprintf(text + n, size - (size_t)n, "; fastest: body '%s' turns at %.3g rad/s",
                 r->subject.model->body[fastest].name, ph_norm(most));
}

/* ---- flexible bodies ---------------------------------------------------------------------------------- */

#define LACK 0.05 /* of the stiffness of the lowest mode: by so much frequencies and deflections are wrong */

static void enlarge_lack(ph_lack *lack, double x, double t, int body)
{
    if (x > LACK && !(lack->most > LACK))
        lack->since = t;
    if (x > lack->most)
        lack->most = x, lack->body = body;
}

static void watch_lack(ph_job *r, const ph_state *s)
{
    double spin, load;
    for (int k = 0; r->subject.mech && ph_mechanism_lack(r->subject.mech, s, k, &spin, &load); k++) {
        enlarge_lack(&r->watch.lack[0], spin, s->t, k);
        enlarge_lack(&r->watch.lack[1], load, s->t, k);
    }
}

void ph_watch_lack(const ph_job *r, char *text, size_t size)
{
    const ph_lack *lack = r->watch.lack;
    int k = !(lack[0].most > LACK); /* spin first: where it does harm, loads follow */
    char of[96];
    text[0] = 0;
    if (!(lack[k].most > LACK))
        return;
    if (k)
        snprintf(of, sizeof of, "its axial load comes to %.2g times one that buckles it", lack[k].most);
    else
        snprintf(of, sizeof of, "Omega^2 comes to %.2g times the square of its lowest frequency",
                 lack[k].most);
    snprintf(
        text, size,
        "flexible body '%s': %s, above %g since t = %.4g, and it has no stiffness from that: deflections are "
        "wrong by such a share, or without bound; give it geometric_stiffness",
        r->subject.model->flexible[lack[k].body].name, of, LACK, lack[k].since);
}

/* ---- each step ---------------------------------------------------------------------------------------- */

static void show_progress(const ph_job *r, const ph_state *s, double elapsed)
{
    ph_stats st = ph_sim_stats(r->sim);
    double n = st.steps ? (double)st.steps : 1, part = s->t / r->t_end;
    fprintf(stderr, "\rt %-10.6g %3.0f %%  h %.3g  %.2f iterations/step  %.0f s left \033[K", s->t,
            100 * part, s->t / n, (double)st.iterations / n, part > 0 ? elapsed * (1 - part) / part : 0);
    fflush(stderr);
}

/* Signals are blocked while there is a file to finish. 0: none waits. */
static int signal_waits(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t set;
    for (size_t k = 0; k < sizeof ends / sizeof *ends && sigpending(&set) == 0; k++)
        if (sigismember(&set, ends[k]) == 1)
            return ends[k];
    return 0;
}

static void tick(ph_job *r, const ph_state *s, double now)
{
    r->watch.last_tick = now;
    r->watch.interrupted = signal_waits();
    if (r->watch.terminal)
        show_progress(r, s, now - r->watch.begun);
}

static int is_last(const ph_job *r, long n, double t)
{
    return r->steps ? n == r->steps : t >= r->t_end;
}

void ph_watch_sensors(ph_job *r, const ph_state *s)
{
    double value[PH_SENSOR_MAX];
    for (int i = 0; r->subject.model && i < ph_model_count(r->subject.model, PH_SENSORS); i++)
        ph_job_watch_sensor(r, i, s, value);
}

ph_status ph_watch_step(const ph_sim *sim, void *ctx)
{
    ph_job *r = ctx;
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
    watch_lack(r, &s);
    watch_explosion(r, &s, n == 0);
    if (r->warner)
        ph_warner_see(r->warner, r->bodies, &s);
    if (r->p->energy)
        watch_energy(r->p, &s, n == 0, w);
    if (r->record.op && (n % r->args->every == 0 || is_last(r, n, s.t)))
        ph_trajectory_row(r, &s);
    else if (is_last(r, n, s.t))
        ph_watch_sensors(r, &s); /* at the end, with a file or without */
    if (r->history)
        ph_history_see(r->history, r, &s, is_last(r, n, s.t));
    if (now - w->last_tick > TICK)
        tick(r, &s, now);
    w->own_s += ph_seconds() - now;
    return w->interrupted || r->record.failed || w->exploded || w->blind[0] ? PH_E_STOPPED : PH_OK;
}
