/* Modes over a parameter, followed by their shapes.
 *
 * From one value of the parameter to the next, modes are joined with branches by
 *   MAC(a, b) = |a^H b|^2/(a^H a  b^H b),
 * the largest first, with the distance to the frequency that the branch heads for where shapes cannot tell. Where two
 * frequencies meet at a value, shapes are any of their plane: branches then keep the shapes that they had before.
 *
 *   R. J. Allemang, The modal assurance criterion: twenty years of use and abuse. Sound and Vibration, August 2003. */
#include "study/branches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST 0.2  /* MAC below which a mode belongs to no branch that was */
#define NEAR  1e-5 /* relative distance of frequencies whose shapes cannot be told apart */
#define TIE                                                                                                  \
    0.05 /* of a MAC: so much is a frequency worth that is right, beside one that is off by all of it */

double ph_branch_mac(int n, const double *a, const double *b)
{
    double re = 0, im = 0, aa = 0, bb = 0;
    for (int i = 0; i < n; i++) {
        re += a[i] * b[i] + a[n + i] * b[n + i];
        im += a[i] * b[n + i] - a[n + i] * b[i];
        aa += a[i] * a[i] + a[n + i] * a[n + i];
        bb += b[i] * b[i] + b[n + i] * b[n + i];
    }
    return aa > 0 && bb > 0 ? (re * re + im * im) / (aa * bb) : 0;
}

/* A branch: its last frequency and shape, and the frequency before. */
typedef struct trail {
    double now, before;
    int points;
    const double *shape;
} trail;

typedef struct work {
    int modes, n, n_branches, room;
    trail *trail; /* of branches */
    double *fit;  /* branches x modes: how well they go together; < 0: not at all */
} work;

static double frequency(const ph_branch_mode *m)
{
    return hypot(m->re, m->im);
}

static double fit_of(const work *w, const trail *b, const ph_branch_mode *m)
{
    double size = frequency(m), heads = b->points > 1 ? 2 * b->now - b->before : b->now;
    double away = fabs(size - heads) / fmax(fmax(size, fabs(b->now)), 1e-300);
    double mac = b->shape && m->shape ? ph_branch_mac(w->n, b->shape, m->shape) : 1;
    return mac < LEAST ? -1 : mac - TIE * fmin(away, 1);
}

/* Two modes of one value that cannot be told apart. */
static int is_double(const ph_branch_mode *m, int count, int k)
{
    for (int j = 0; j < count; j++)
        if (j != k && hypot(m[j].re - m[k].re, m[j].im - m[k].im) <= NEAR * frequency(&m[k]))
            return 1;
    return 0;
}

static int grow(work *w)
{
    int room = 2 * w->room + w->modes;
    trail *more = realloc(w->trail, (size_t)room * sizeof *more);
    if (more)
        w->trail = more;
    double *fit = more ? realloc(w->fit, (size_t)room * (size_t)w->modes * sizeof *fit) : NULL;
    if (fit)
        w->fit = fit, w->room = room;
    return fit != NULL;
}

static void go_on(trail *b, const ph_branch_mode *m, int keep)
{
    b->before = b->now, b->now = frequency(m);
    b->points++;
    if (!keep || !b->shape)
        b->shape = m->shape;
}

/* The modes of one value: the best pair first, then the best of the others, and so on. */
static int join(work *w, int count, const ph_branch_mode *m, int *branch)
{
    int old = w->n_branches;
    for (int b = 0; b < old; b++)
        for (int k = 0; k < count; k++)
            w->fit[b * w->modes + k] = fit_of(w, &w->trail[b], &m[k]);
    for (;;) {
        int best = -1;
        for (int i = 0; i < old * w->modes; i++)
            if (i % w->modes < count && w->fit[i] >= 0 && (best < 0 || w->fit[i] > w->fit[best]))
                best = i;
        if (best < 0)
            break;
        int b = best / w->modes, k = best % w->modes;
        branch[k] = b + 1;
        go_on(&w->trail[b], &m[k], is_double(m, count, k));
        for (int i = 0; i < count; i++)
            w->fit[b * w->modes + i] = -1;
        for (int i = 0; i < old; i++)
            w->fit[i * w->modes + k] = -1;
    }
    for (int k = 0; k < count; k++) {
        if (branch[k])
            continue;
        if (w->n_branches == w->room && !grow(w))
            return 0;
        w->trail[w->n_branches] = (trail){0};
        go_on(&w->trail[w->n_branches], &m[k], 0);
        branch[k] = ++w->n_branches;
    }
    return 1;
}

int ph_branches_follow(int cases, int modes, int n, const int *count, const ph_branch_mode *mode, int *branch)
{
    work w = {.modes = modes, .n = n};
    int good = grow(&w);
    memset(branch, 0, (size_t)cases * (size_t)modes * sizeof *branch);
    for (int c = 0; good && c < cases; c++)
        good = join(&w, count[c], mode + (size_t)c * (size_t)modes, branch + (size_t)c * (size_t)modes);
    free(w.trail), free(w.fit);
    return good ? w.n_branches : -1;
}
