/* Coordinates of joints, as the library calls them: along.h. Angles are found once at each point. */
#include "mech/coordinate.h"

#include <string.h>

int ph_joint_frees(const ph_joint *j)
{
    int n = 0;
    for (int k = 0; k < PH_COORDINATES; k++)
        n += (int)(j->frees >> k & 1);
    return n;
}

int ph_joint_free(const ph_joint *j, int k)
{
    int c = 0;
    while (c < PH_COORDINATES && (!(j->frees >> c & 1) || k-- > 0))
        c++;
    return c < PH_COORDINATES ? c : -1;
}

/* ---- angles that are kept ------------------------------------------------------------------------- */

enum { GAMMA = 1, VALUE = 2, SLOPE = 4 }; /* bits of what is known of one */

static void start(ph_angle *a, const ph_site *s)
{
    int same = !memcmp(&a->qb, &s->b.q, sizeof a->qb) && !memcmp(&a->wb, &s->b.w, sizeof a->wb) &&
               !memcmp(&a->qa, &s->a.q, sizeof a->qa) && !memcmp(&a->wa, &s->a.w, sizeof a->wa);
    if (same && a->known)
        return;
    a->qa = s->a.q, a->wa = s->a.w, a->qb = s->b.q, a->wb = s->b.w;
    a->known = 0;
}

/* It, with what is wanted, for the caller to give back; NULL: it is not kept, or another thread has it. */
static ph_angle *take(const ph_site *s, int k, int wanted)
{
    ph_angle *a = s->j->angle;
    if (!a || !ph_is_angle(k) || ph_along_is_vector(s->j))
        return NULL;
    for (int i = PH_ABOUT; i < k; i++)
        a += s->j->frees >> i & 1;
    if (atomic_flag_test_and_set_explicit(&a->taken, memory_order_acquire))
        return NULL;
    start(a, s);
    if (!(a->known & GAMMA))
        a->c = ph_swing_of(s), a->gamma = ph_along_gamma(s, &a->c, k), a->known |= GAMMA;
    if (wanted & ~a->known & VALUE)
        a->x = ph_along_value(s, k), a->known |= VALUE;
    if (wanted & ~a->known & SLOPE)
        a->G = ph_along_G(s, &a->c, k, a->gamma), a->known |= SLOPE;
    return a;
}

static void give_back(ph_angle *a)
{
    atomic_flag_clear_explicit(&a->taken, memory_order_release);
}

/* ---- coordinates ----------------------------------------------------------------------------------- */

double ph_coordinate_value(const ph_site *s, int k)
{
    ph_angle *a = take(s, k, VALUE);
    if (!a)
        return k < 0 ? NAN : ph_along_value(s, k);
    double x = a->x;
    give_back(a);
    return x;
}

double ph_coordinate_rate(const ph_site *s, int k)
{
    ph_angle *a = take(s, k, GAMMA);
    if (!a)
        return k < 0 ? NAN : ph_along_rate(s, k);
    double rate = ph_dot(a->gamma, a->c.w);
    give_back(a);
    return rate;
}

void ph_coordinate_row(const ph_site *s, int k, ph_vec3 b[PH_SLOTS])
{
    ph_angle *a = take(s, k, GAMMA);
    if (!a) {
        ph_along_row(s, k, b);
        return;
    }
    ph_swing_row(s, &a->c, a->gamma, b);
    give_back(a);
}

void ph_coordinate_z(const ph_site *s, int k, ph_vec3 z[PH_SLOTS])
{
    ph_angle *a = take(s, k, SLOPE);
    if (!a) {
        ph_along_z(s, k, z);
        return;
    }
    ph_swing_z(s, &a->c, a->gamma, a->G, z);
    give_back(a);
}

void ph_coordinate_K(const ph_site *s, int k, double f, const ph_put *p)
{
    ph_angle *a = take(s, k, SLOPE);
    if (!a) {
        ph_along_K(s, k, f, p);
        return;
    }
    ph_swing_K(s, &a->c, ph_mscale(f, a->G), ph_scale(f, a->gamma), p);
    give_back(a);
}
