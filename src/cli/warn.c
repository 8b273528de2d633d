/* Warnings: steps that turn bodies too far, drives that leap within a step, velocities that violate the joints. */
#include "cli/warn.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TWO_PI 6.283185307179586

/* Above this turn in a step, geom1 in index-3 form is unstable and others lose accuracy [rad]. */
#define TURN 0.5

/* Above this, coordinates of rotations (euler, cardan) are unstable or wrong where groups are neither [rad]. */
#define TURN_CHART 0.1

/* A drive may change its rate by this part of the largest in a step: 12 steps in a period of a sine. */
#define LEAP 0.5

/* The rates at the ends of a step may leave this part of the way at the largest rate unexplained: 8 steps in a period. */
#define GAP 0.05

/* Steps that it takes to tell a leap from a smooth start. */
#define STEPS_MIN 10

/* Violations that change what is computed: relative to the largest velocity, and absolute [m/s, rad/s]. */
#define VIOLATION     0.05
#define VIOLATION_MIN 1e-6

/* ---- turns -------------------------------------------------------------------------------------------- */

/* The vector of a body with this name; 0: it has none. */
static ph_vec3 vector_of(int n, const ph_quantity *q, const char *name)
{
    for (int k = 0; k < n; k++)
        if (!strcmp(q[k].name, name) && q[k].n == 3)
            return ph_load3(q[k].value);
    return ph_v3(0, 0, 0);
}

double ph_fastest(const ph_bodies *bodies, const ph_state *s, const char *quantity)
{
    double most = 0;
    for (int i = 0; i < bodies->n; i++) {
        ph_quantity q[PH_QUANTITIES];
        int n = ph_body_motion(bodies, i, s, q);
        most = fmax(most, ph_norm(vector_of(n, q, quantity)));
    }
    return most;
}

const char *ph_warn_turn(const ph_bodies *bodies, double h, double turn, char *text, size_t size)
{
    int chart = bodies->is_file && (bodies->space == PH_SPACE_EULER || bodies->space == PH_SPACE_CARDAN);
    text[0] = 0;
    if (chart && turn > TURN_CHART)
        snprintf(text, size,
                 "with h = %g s a body turns by %.2g rad in a step, too much for the space %s: use R3xSO3 or "
                 "SE3, or a smaller step",
                 h, turn, ph_bodies_space(bodies));
    else if (turn > TURN)
        snprintf(text, size, "with h = %g s a body turns by %.2g rad in a step: use a smaller one", h, turn);
    return text;
}

/* ---- drives ------------------------------------------------------------------------------------------- */

static void see_drive(ph_watched_drive *d, double coordinate, double rate, double t, double h)
{
    double gap = coordinate - d->coordinate - h * (rate + d->rate) / 2;
    double leap = fabs(rate - d->rate);
    gap = fabs(d->is_angle ? remainder(gap, TWO_PI) : gap) / h;
    if (leap > d->leap)
        d->leap = leap, d->leap_t = t;
    if (gap > d->gap)
        d->gap = gap, d->gap_t = t;
    d->most = fmax(d->most, fabs(rate));
    d->coordinate = coordinate, d->rate = rate;
}

/* The driven joints at the start. Without memory there are no warnings of drives, but a run. */
static void list_drives(ph_warner *w, const ph_bodies *bodies, const ph_state *s)
{
    double x[2];
    for (int k = 0; bodies->is_file && k < bodies->n_joints; k++) {
        if (ph_run_get_of(bodies->run, s, PH_GET_DRIVE, k, x) != PH_OK)
            continue;
        ph_watched_drive *more = realloc(w->drive, sizeof *more * (size_t)(w->n + 1));
        if (!more)
            return;
        w->drive = more;
        w->drive[w->n++] = (ph_watched_drive){.joint = k,
                                              .is_angle = ph_run_is(bodies->run, PH_IS_ANGLE, k),
                                              .coordinate = x[0],
                                              .rate = x[1],
                                              .most = fabs(x[1])};
    }
}

static void see_drives(ph_warner *w, const ph_bodies *bodies, const ph_state *s, double h)
{
    double x[2];
    for (ph_watched_drive *d = w->drive, *end = d + w->n; d < end; d++)
        if (ph_run_get_of(bodies->run, s, PH_GET_DRIVE, d->joint, x) == PH_OK)
            see_drive(d, x[0], x[1], s->t, h);
}

/* Return 1 and complete `w` if the drive leaps within a step. */
static int list_drive(const ph_watched_drive *d, const ph_bodies *bodies, double h, ph_warning *w)
{
    const char *name = ph_run_name(bodies->run, PH_JOINTS, d->joint), *unit = d->is_angle ? "rad/s" : "m/s";
    int leaps = d->leap > LEAP * d->most;
    if (!leaps && !(d->gap > GAP * d->most))
        return 0;
    w->what = "drive", w->t = leaps ? d->leap_t : d->gap_t;
    snprintf(w->text, sizeof w->text,
             "joint '%s': its drive has a kink, or is too fast for h = %g s: near t = %.6g its velocity "
             "changes by %.3g %s within a step; forces there depend on h",
             name, h, w->t, leaps ? d->leap : d->gap, unit);
    return 1;
}

/* ---- all ---------------------------------------------------------------------------------------------- */

void ph_warner_see(ph_warner *w, const ph_bodies *bodies, const ph_state *s)
{
    double h = w->steps ? s->t - w->t : 0, most[2]; /* speed, angular velocity */
    if (ph_run_get_of(bodies->run, s, PH_GET_FASTEST, 0, most) != PH_OK)
        most[0] = ph_fastest(bodies, s, "velocity"), most[1] = ph_fastest(bodies, s, "omega");
    w->speed = fmax(w->speed, most[0]);
    w->spin = fmax(w->spin, most[1]);
    w->turn = fmax(w->turn, h * most[1]);
    if (w->steps)
        see_drives(w, bodies, s, h);
    else
        list_drives(w, bodies, s);
    w->t = s->t, w->steps++;
}

int ph_warner_list(const ph_warner *w, const ph_bodies *bodies, double h, double violation,
                   ph_warning to[PH_WARNINGS])
{
    double most = fmax(w->speed, w->spin);
    int n = 0;
    if (ph_warn_turn(bodies, h, w->turn, to[n].text, PH_WARNING_MAX)[0])
        to[n].what = "turn", to[n++].t = NAN;
    if (violation > VIOLATION_MIN && violation > VIOLATION * most) {
        snprintf(
            to[n].text, PH_WARNING_MAX,
            "velocities violate the joints by up to %.3g m/s or rad/s, and the largest velocity is %.3g: use "
            "the formulation ggl, or a smaller step than h = %g s",
            violation, most, h);
        to[n].what = "violation", to[n++].t = NAN;
    }
    for (int k = 0; k < w->n && n < PH_WARNINGS && w->steps > STEPS_MIN; k++)
        n += list_drive(&w->drive[k], bodies, h, &to[n]);
    return n;
}
