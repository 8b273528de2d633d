/* What test_linear.c, test_modes.c share. */
#ifndef PH_TEST_MODES_CASES_H
#define PH_TEST_MODES_CASES_H

#include "equilibrium_cases.h"
#include <complex.h>
#include "base/spectrum.h"

#define G 9.81

typedef struct modes {
    resting h;
    ph_modes *m;
    ph_modes_info info;
} modes;

static inline modes modes_about(resting h, const double *q, const double *v)
{
    modes s = {.h = h};
    if (ph_modes_create(&s.m, ph_mechanism_system(h.mech), 0, q, v, NULL, &s.h.err) != PH_OK)
        fail_msg("%s", s.h.err.text);
    s.info = ph_modes_get_info(s.m);
    return s;
}

static inline modes modes_at_rest(const char *text, ph_space_code space)
{
    resting h = resting_of(text, space);
    return modes_about(h, h.s.q, h.s.v);
}

static inline modes modes_moving(const char *text, ph_space_code space)
{
    resting h = resting_open(text, space);
    return modes_about(h, h.q0, h.v0);
}

static inline void modes_close(modes *s)
{
    ph_modes_destroy(s->m);
    resting_close(&s->h);
}

static inline double complex value_of(const modes *s, int k)
{
    double re, im;
    assert_true(k < s->info.count);
    ph_modes_value(s->m, k, &re, &im);
    return re + I * im;
}

/* Distance of the nearest eigenvalue. */
static inline double miss(const modes *s, double complex mu)
{
    double best = HUGE_VAL;
    for (int k = 0; k < s->info.count; k++)
        best = fmin(best, cabs(value_of(s, k) - mu));
    return best;
}

/* A bar on a hinge of a shaft that is driven at constant speed, seen from axes that turn with it:
 * cos a = m g l/(Omega^2 I), omega^2 = Omega^2 I sin^2 a/(J2 + m l^2), I = J1 + m l^2 - J3. */
static const char *const whirl =
    "model 'whirl'\n"
    "gravity {0, 0, -9.81}\n"
    "local W, l = 8, 0.4\n"
    "local a = math.acos(2 * 9.81 * l / (W^2 * (0.05 + 2 * l^2 - 0.02)))\n"
    "local s, c = math.sin(a), math.cos(a)\n"
    "body { name = 'shaft', mass = 1, inertia = {0.1, 0.1, 0.1}, omega = {0, 0, W}, velocity = {0, 0, 0} }\n"
    "body { name = 'bar', mass = 2, inertia = {0.05, 0.06, 0.02}, position = {l * s, 0, -l * c},\n"
    "       velocity = {0, W * l * s, 0}, rotation = {axis = {0, -1, 0}, angle = a},\n"
    "       omega = {W * s, 0, W * c} }\n"
    "joint { name = 'bearing', type = 'revolute', bodies = {'ground', 'shaft'}, at = {0, 0, 0}, axis = {0, "
    "0, 1},\n"
    "        drive = function(t) return W * t end }\n"
    "joint { name = 'hinge', type = 'revolute', bodies = {'shaft', 'bar'}, at = {0, 0, 0}, axis = {0, 1, 0} "
    "}\n";

#endif
