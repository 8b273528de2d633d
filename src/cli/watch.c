/* What is seen of a run on the way: violations, energy, rows of the file, progress, signals. */
#include "cli/history.h"
#include "cli/signals.h"
#include "view/view.h"

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

/* E - E0 = int P dt of a built-in problem; the trapezoidal rule has the order of the method. */
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

/* ---- flexible bodies ---------------------------------------------------------------------------------- */

#define SOFTENING                                                                                            \
    0.05 /* of the stiffness of the lowest mode: by so much frequencies and deflections are wrong */

static void enlarge_softening(ph_softening *softening, double x, double t, int body)
{
    if (x > SOFTENING && !(softening->most > SOFTENING))
        softening->since = t;
    if (x > softening->most)
        softening->most = x, softening->body = body;
}

static void watch_softening(ph_job *r, const ph_state *s)
{
    double softening[2];
    for (int k = 0; ph_run_get(r->run, PH_GET_SOFTENING, k, softening) == PH_OK; k++) {
        enlarge_softening(&r->watch.softening[0], softening[0], s->t, k);
        enlarge_softening(&r->watch.softening[1], softening[1], s->t, k);
    }
}

void ph_watch_softening(const ph_job *r, char *text, size_t size)
{
    const ph_softening *softening = r->watch.softening;
    int k = !(softening[0].most > SOFTENING); /* spin first: where it does harm, loads follow */
    char of[96];
    text[0] = 0;
    if (!(softening[k].most > SOFTENING))
        return;
    if (k)
        snprintf(of, sizeof of, "its axial load is %.2g times its buckling load", softening[k].most);
    else
        snprintf(of, sizeof of, "Omega^2 is %.2g times the square of its lowest frequency",
                 softening[k].most);
    snprintf(text, size,
             "flexible body '%s': %s, above %g since t = %.4g, and the body has no stiffness under load: "
             "deflections "
             "are wrong by about this part, or grow without bound; set geometric_stiffness",
             ph_run_name(r->run, PH_FLEXIBLE, softening[k].body), of, SOFTENING, softening[k].since);
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

static void tick(ph_job *r, const ph_state *s, double now)
{
    r->watch.last_tick = now;
    r->watch.interrupted = ph_signals_waiting();
    if (r->watch.terminal)
        show_progress(r, s, fmax(0, now - r->watch.begun));
}

/* Reading the clock costs as much as a part of a small step: some of them can pass before. */
#define GLANCE (TICK / 8)

static void glance(ph_job *r, const ph_state *s, long n)
{
    ph_watch *w = &r->watch;
    double now = ph_seconds(), each = n > 0 ? (now - w->begun) / (double)n : GLANCE;
    w->next_look = n + (long)fmin(fmax(GLANCE / fmax(each, 1e-9), 1), 1e4);
    if (fabs(now - w->last_tick) > TICK) /* back, where a clock was set back */
        tick(r, s, now);
}

static int is_last(const ph_job *r, long n, double t)
{
    return ph_run_ended_by(r->run) >= 0 || (r->steps ? n == r->steps : t >= r->t_end);
}

void ph_watch_sensors(ph_job *r, const ph_state *s)
{
    double value[PH_SENSOR_MAX];
    for (int i = 0; i < ph_run_count(r->run, PH_SENSORS); i++)
        ph_job_watch_sensor(r, i, s, value);
}

#define EVENTS_SHOWN 20 /* lines for events on the way */

static void show_events(ph_job *r)
{
    int n;
    const ph_run_event *e = ph_run_events(r->run, &n);
    char action[160];
    for (; r->watch.events < n && !r->args->quiet && r->watch.events <= EVENTS_SHOWN; r->watch.events++) {
        const ph_run_event *k = &e[r->watch.events];
        if (r->watch.events == EVENTS_SHOWN)
            ph_note("there are more events: see the report");
        else
            ph_note("t = %.9g: event '%s': %s", k->t, ph_run_name(r->run, PH_EVENTS, k->event),
                    ph_run_event_action(r->run, k->event, action, sizeof action));
    }
}

ph_status ph_watch_step(ph_run *run, int why, void *ctx)
{
    ph_job *r = ctx;
    ph_watch *w = &r->watch;
    ph_state s = ph_run_state(r->run);
    long n = ph_sim_stats(r->sim).steps;
    if (why == PH_ON_EVENT)
        show_events(r);
    if (why == PH_ON_EVENT && ph_run_ended_by(run) < 0) { /* rows are those of the grid */
        if (n >= w->next_look)
            glance(r, &s, n);
        return w->interrupted ? PH_E_STOPPED : PH_OK;
    }
    watch_softening(r, &s);
    if (r->warner)
        ph_warner_see(r->warner, r->bodies, &s);
    if (r->p->energy)
        watch_energy(r->p, &s, why == PH_ON_START, w);
    int known = why == PH_ON_START && r->args->state; /* a row of the run that it goes on from */
    if (r->record.op && !known && (n % r->args->every == 0 || is_last(r, n, s.t)))
        ph_trajectory_row(r, &s);
    else if (is_last(r, n, s.t))
        ph_watch_sensors(r, &s); /* at the end, with a file or without */
    if (r->history)
        ph_history_see(r->history, r, &s, is_last(r, n, s.t));
    if (r->view && ph_view_frame(r->view, run) == PH_E_CALLBACK)
        ph_watch_sensors(r, &s); /* says which one has no number */
    if (n >= w->next_look)
        glance(r, &s, n);
    return w->interrupted || r->record.failed || w->blind[0] ? PH_E_STOPPED : PH_OK;
}
