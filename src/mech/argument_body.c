/* The time, and the numbers of one body, as arguments of functions. */
#include "mech/argument.h"

const ph_argument_ops ph_argument_none = {0};

static double time_of(ph_scene *at, const ph_argument *a)
{
    (void)a;
    return at->t;
}

const ph_argument_ops ph_argument_time = {.value = time_of};

static int own_body(const ph_model *model, const ph_argument *a, int body[2])
{
    (void)model;
    body[0] = a->index;
    return 1;
}

static double component(const ph_vec3 *v, int k)
{
    return k == 0 ? v->x : k == 1 ? v->y : v->z;
}

/* A vector of the state, whose derivatives are units: component k of half h. */
#define PH_VECTOR(name, member, seen, by, half)                                                              \
    static double value_##name(ph_scene *at, const ph_argument *a)                                           \
    {                                                                                                        \
        return component(&ph_scene_body(at, a->index)->member, a->component);                                \
    }                                                                                                        \
    static void slope_##name(ph_scene *at, const ph_argument *a, int side, int what, double w, double d[6])  \
    {                                                                                                        \
        (void)at, (void)side;                                                                                \
        if (what == (by))                                                                                    \
            d[3 * (half) + a->component] += w;                                                               \
    }                                                                                                        \
    const ph_argument_ops ph_argument_##name = {                                                             \
        .value = value_##name, .bodies = own_body, .depth = (seen), .slope = slope_##name};

PH_VECTOR(position, x, PH_SEEN_PLACE, PH_BY_PLACE, 0)
PH_VECTOR(velocity, v, PH_SEEN_SPEED, PH_BY_SPEED, 0)
PH_VECTOR(omega, omega, PH_SEEN_SPEED, PH_BY_SPEED, 1)
PH_VECTOR(acceleration, a, PH_SEEN_ACCELERATION, PH_BY_ACCELERATION, 0)
PH_VECTOR(omega_dot, omega_dot, PH_SEEN_ACCELERATION, PH_BY_ACCELERATION, 1)

/* ---- rotation: q, w first ---------------------------------------------------------------------------- */

static double part(ph_quat q, int k)
{
    return k == 0 ? q.w : k == 1 ? q.x : k == 2 ? q.y : q.z;
}

static ph_quat half_unit(int k)
{
    return (ph_quat){0, k == 0 ? 0.5 : 0, k == 1 ? 0.5 : 0, k == 2 ? 0.5 : 0};
}

static double value_rotation(ph_scene *at, const ph_argument *a)
{
    return part(ph_scene_body(at, a->index)->q, a->component);
}

/* q o e_i/2 */
static void slope_rotation(ph_scene *at, const ph_argument *a, int side, int what, double w, double d[6])
{
    (void)side;
    if (what != PH_BY_PLACE)
        return;
    ph_quat q = ph_scene_body(at, a->index)->q;
    for (int i = 0; i < 3; i++)
        d[3 + i] += w * part(ph_qmul(q, half_unit(i)), a->component);
}

/* q o e_j/2 o e_i/2 */
static void second_rotation(ph_scene *at, const ph_argument *a, double w, double *H)
{
    ph_quat q = ph_scene_body(at, a->index)->q;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            H[12 * (3 + i) + 3 + j] +=
                w * part(ph_qmul(ph_qmul(q, half_unit(j)), half_unit(i)), a->component);
}

const ph_argument_ops ph_argument_rotation = {.value = value_rotation,
                                              .bodies = own_body,
                                              .depth = PH_SEEN_PLACE,
                                              .slope = slope_rotation,
                                              .second = second_rotation};
