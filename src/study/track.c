/* A solution to compare with. */
#include "study/track.h"

#include <math.h>
#include <stdlib.h>

int ph_track_create(ph_track *t, long n, int size)
{
    *t = (ph_track){.n = n, .size = size};
    t->t = calloc((size_t)n * (size_t)(size + 1), sizeof *t->t);
    t->row = t->t ? t->t + n : NULL;
    return t->t != NULL;
}

void ph_track_clear(ph_track *t)
{
    free(t->t);
    *t = (ph_track){0};
}

int ph_track_of_reference(ph_track *t, ph_probe *probe, ph_reference *r)
{
    if (!ph_track_create(t, ph_reference_points(r) + 1, probe->size))
        return 0;
    ph_probe_rewind(probe);
    for (long k = 0; k < t->n; k++) {
        ph_state s = ph_reference_state(r, k);
        t->t[k] = s.t;
        ph_probe_read(probe, &s, t->row + k * t->size);
    }
    return 1;
}

int ph_comparison_begin(ph_comparison *c, ph_probe *probe, const ph_track *track, double from, double tol)
{
    *c = (ph_comparison){.probe = probe, .track = track, .from = from, .tol = tol};
    c->row = calloc((size_t)probe->size, sizeof *c->row);
    ph_probe_rewind(probe);
    return c->row != NULL;
}

/* *max = the larger of both; NAN stays */
static void enlarge(double *max, double x)
{
    if (!(x <= *max) && !isnan(*max))
        *max = x;
}

/* The row of the probe against another. */
static void compare(ph_comparison *c, const double *row, unsigned missing)
{
    double distance[PH_MEASURES];
    ph_probe_distance(c->probe, c->row, row, distance);
    c->times++;
    for (int m = 0; m < c->probe->n_measures; m++)
        if (c->mean & 1u << m) {
            c->sum[m] += distance[m] * distance[m];
            c->error[m] = sqrt(c->sum[m] / (double)c->times);
        } else
            enlarge(&c->error[m], missing & 1u << m ? NAN : distance[m]);
}

void ph_comparison_meet(ph_comparison *c, const ph_state *s, const double *row)
{
    ph_probe_read(c->probe, s, c->row);
    if (s->t >= c->from - c->tol)
        compare(c, row, 0);
}

void ph_comparison_see(ph_comparison *c, const ph_state *s)
{
    const ph_track *t = c->track;
    ph_probe_read(c->probe, s, c->row); /* each state: turns are counted */
    while (c->next < t->n && t->t[c->next] < s->t - c->tol)
        c->next++;
    if (s->t < c->from - c->tol || c->next == t->n || !(fabs(t->t[c->next] - s->t) <= c->tol))
        return;
    compare(c, t->row + c->next * t->size, t->missing);
}

void ph_comparison_end(ph_comparison *c)
{
    free(c->row);
    c->row = NULL;
}
