/* A drive f(t) and its derivatives: those of its expression (P1, P3), where it was traced and has no corner within 2 ms;
 * else from samples f_k = f(t + k s), k = -4 ... 4:
 *
 *   f'  = (672 (f1 - f-1) - 168 (f2 - f-2) + 32 (f3 - f-3) - 3 (f4 - f-4))/(840 s)                    (J1)
 *   f'' = (8064 (f1 + f-1) - 1008 (f2 + f-2) + 128 (f3 + f-3) - 9 (f4 + f-4) - 14350 f0)/(5040 s^2)
 *
 * Both have order 8. The same samples give derivatives of order 6,
 *
 *   f'  = (45 (f1 - f-1) - 9 (f2 - f-2) + (f3 - f-3))/(60 s)                                          (J2)
 *   f'' = (270 (f1 + f-1) - 27 (f2 + f-2) + 2 (f3 + f-3) - 490 f0)/(180 s^2)
 *
 * and the two differ by (ws)^6/140 and (ws)^6/560 of a drive sin(wt). s starts at 2^-11, where round-off is 1e-12 |f| in f'
 * and 4e-9 |f| in f'', and is divided by 4 until they agree to 1e-9: then (J1) is right to 1e-12. So a fast
 * drive gets a narrow stencil, and one near a kink a stencil that does not reach it. Powers of two are added to
 * t without rounding. Where no stencil of these agrees with its neighbour, there is no derivative to be found:
 * a jump, a kink in f' for f'', noise, or more than about 1e7 rad/s.
 *
 * f'' enters the accelerations at the start of a run, f' every step of stabilised forms. The function is asked
 * up to 2 ms before and after t. */
#include "mech/argument.h"

#include <float.h>
#include <string.h>

#define WIDEST   0x1p-11 /* s */
#define NARROWER 0.25
#define WIDTHS   9     /* the last one is 2^-27 s */
#define AGREE    1e-9  /* of the size of the derivative */
#define APART    1e-4  /* likewise: no derivative is found; a kink leaves 3e-2 in f'' */
#define TINY     1e-12 /* m, rad: what cancels in a function may leave so much, and no jump of it is one */
#define SIDE     4     /* samples on either side */

/* A derivative by (J1), its distance from (J2), what that is measured by, and what of it is round-off. */
typedef struct estimate {
    double value, off, size, noise, unit; /* s or s^2 */
} estimate;

/* A drive, and the mechanism whose memory it may use. */
typedef struct drive {
    const ph_mechanism *m;
    const ph_function *f;
} drive;

static ph_status ask(const drive *d, double t, double *out)
{
    ph_status s = ph_function_values(&(ph_scene){.m = d->m, .t = t}, d->f, 1, out);
    return s == PH_OK && !isfinite(*out) ? PH_E_NAN : s;
}

static ph_status sample(const drive *f, double t, double s, double f0, estimate e[2])
{
    static const double fine[2][SIDE] = {{672. / 840, -168. / 840, 32. / 840, -3. / 840},
                                         {8064. / 5040, -1008. / 5040, 128. / 5040, -9. / 5040}};
    static const double coarse[2][SIDE] = {{45. / 60, -9. / 60, 1. / 60, 0},
                                           {270. / 180, -27. / 180, 2. / 180, 0}};
    double sum[2][2] = {{0}}, way = 0, most = fabs(f0);
    for (int k = 0; k < SIDE; k++) {
        double plus, minus;
        ph_status status = ask(f, t + (k + 1) * s, &plus);
        if (status == PH_OK)
            status = ask(f, t - (k + 1) * s, &minus);
        if (status != PH_OK)
            return status;
        const double part[2] = {plus - minus, (plus - f0) + (minus - f0)};
        for (int d = 0; d < 2; d++)
            sum[d][0] += fine[d][k] * part[d], sum[d][1] += coarse[d][k] * part[d];
        way = fmax(way, fmax(fabs(plus - f0), fabs(minus - f0)));
        most = fmax(most, fmax(fabs(plus), fabs(minus)));
    }
    for (int d = 0; d < 2; d++) {
        double unit = d ? s * s : s;
        e[d] = (estimate){sum[d][0] / unit, fabs(sum[d][0] - sum[d][1]) / unit,
                          fmax(fabs(sum[d][0]), way / (d ? SIDE * SIDE : SIDE)) / unit,
                          8 * DBL_EPSILON * most / unit, unit};
    }
    return PH_OK;
}

#define SWITCHES 32 /* more of them in one drive: samples */

/* The way through the drive and the sides of its kinks, as signs; -1: unknown. */
static int sides_at(const drive *d, double t, int *leaf, signed char *side)
{
    ph_formula k;
    ph_scene at = {.m = d->m, .t = t};
    double y, x[SWITCHES];
    int n = -1;
    if (ph_formula_open(&k, &at, d->f, 1, &y)) {
        n = ph_program_switches(k.p, k.room, x, SWITCHES);
        *leaf = ph_program_leaf(k.p, k.room);
        for (int i = 0; i < n && i < SWITCHES; i++)
            side[i] = (signed char)((x[i] > 0) - (x[i] < 0));
    }
    ph_formula_close(&k);
    return n;
}

/* No corner is as near as samples reach: there they tell a jump from a kink, and one that matters from one that does not. */
static int is_smooth(const drive *d, double t)
{
    signed char side[3][SWITCHES];
    int leaf[3], n[3];
    for (int i = 0; i < 3; i++) {
        n[i] = sides_at(d, t + (i - 1) * SIDE * WIDEST, &leaf[i], side[i]);
        if (n[i] < 0 || n[i] > SWITCHES || (i && (n[i] != n[0] || leaf[i] != leaf[0])) ||
            (i && memcmp(side[i], side[0], (size_t)n[0]) != 0))
            return 0;
    }
    return 1;
}

static int has_corners(const ph_program *p)
{
    int any = p->n_stretches > 1;
    for (int i = 0; i < p->n_ops && !any; i++)
        any = ph_op_get(p->op[i].code)->kink;
    return any;
}

static int time_of(const ph_program *p)
{
    for (int i = 0; i < p->n_args; i++)
        if (p->arg[i].kind == PH_ARG_TIME)
            return i;
    return -1;
}

/* 0: it was not traced, or a derivative is not finite here, or a corner is near. */
static int exact(const drive *d, double t, int level, double out[3])
{
    ph_formula k;
    ph_scene at = {.m = d->m, .t = t, .whole = level > 1};
    int known = ph_formula_open(&k, &at, d->f, 1, out), time = known ? time_of(k.p) : -1, varies = time >= 0;
    if (varies && level > 0 && has_corners(k.p))
        known = is_smooth(d, t);
    out[1] = out[2] = 0;
    if (known && varies && level > 0) {
        ph_formula_partials(&k, level);
        known = ph_formula_gradient(&k, 0);
        out[1] = k.g[time];
        if (known && level > 1) {
            memset(k.unit, 0, sizeof(double) * (size_t)k.p->n_args);
            k.unit[time] = 1;
            known = ph_program_curvature(k.p, k.room, &(double){1}, k.unit, NULL, k.cross);
            out[2] = k.cross[time];
        }
    }
    ph_formula_close(&k);
    return known;
}

/* From samples. */
static ph_status difference(const drive *f, double t, int level, double out[3])
{
    estimate best[2] = {{.off = HUGE_VAL}, {.off = HUGE_VAL}};
    double s = WIDEST, size[2] = {0};
    int found[2] = {level < 1, level < 2};
    out[1] = out[2] = 0;
    ph_status status = ask(f, t, &out[0]);
    for (int k = 0; k < WIDTHS && status == PH_OK && !(found[0] && found[1]); k++, s *= NARROWER) {
        estimate e[2];
        status = sample(f, t, s, out[0], e);
        for (int d = 0; d < 2 && status == PH_OK; d++) {
            if (!found[d] && e[d].off < best[d].off)
                best[d] = e[d];
            size[d] =
                k ? size[d] : e[d].size; /* where f' is 0, as after a halt, it is no measure of itself */
            found[d] |= e[d].off <= AGREE * e[d].size + e[d].noise;
        }
    }
    for (int d = 0; d < level && status == PH_OK; d++) {
        out[d + 1] = best[d].value;
        if (!(best[d].off <= APART * fmax(best[d].size, size[d]) + best[d].noise + TINY / best[d].unit))
            status = PH_E_INCONSISTENT;
    }
    return status;
}

ph_status ph_drive_at(const ph_mechanism *m, const ph_function *f, double t, int level, double out[3])
{
    const drive d = {m, f};
    return exact(&d, t, level, out) ? PH_OK : difference(&d, t, level, out);
}

ph_status ph_drive_of(const ph_mechanism *m, const ph_joint *j, double t, int level, double out[3])
{
    ph_status status = ph_drive_at(m, j->f, t, level, out);
    atomic_int *rough = (atomic_int *)&m->rough; /* for words alone: all else of m is only read */
    if (status == PH_OK)
        return status;
    atomic_store(rough, status == PH_E_INCONSISTENT ? (int)(j - m->joint) + 1 : 0);
    return PH_E_CALLBACK;
}
