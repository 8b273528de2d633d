/* What is no failure, and yet a reason not to trust a run: check foresees some of it, run tells what was met. */
#ifndef PH_CLI_WARN_H
#define PH_CLI_WARN_H

#include "cli/body.h"

/* A driven joint: its last coordinate and rate, the largest rate so far; the largest leap of the rate in a step and the
 * largest part of the way that rates do not explain, over h, and when. */
typedef struct ph_watched_drive {
    int joint, is_angle;
    double coordinate, rate, most;
    double leap, leap_t, gap, gap_t;
} ph_watched_drive;

typedef struct ph_warner {
    ph_watched_drive *drive;
    int n;
    long steps;
    double t;           /* of the last step */
    double turn;        /* largest h |Omega| [rad] */
    double speed, spin; /* largest of a body, m/s and rad/s */
} ph_warner;

/* What a step of h that turns a body by so many radians is, in words; "": harmless. */
const char *ph_warn_turn(const ph_bodies *bodies, double h, double turn, char *text, size_t size);

/* After each step, and at first with h = 0. */
void ph_warner_see(ph_warner *w, const ph_bodies *bodies, const ph_state *s);

#define PH_WARNINGS 16 /* at most, of one run */

/* Write the warnings of turns, drives and violations; `violation` is the largest of velocities. Return their number. */
int ph_warner_list(const ph_warner *w, const ph_bodies *bodies, double h, double violation,
                   ph_warning to[PH_WARNINGS]);

/* The largest size of a quantity of bodies: "omega", "omega_dot", "velocity", ... */
double ph_fastest(const ph_bodies *bodies, const ph_state *s, const char *quantity);

#endif
