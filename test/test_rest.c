/* Whether equilibria are stable: closed forms, and many bodies against all eigenvalues. */
#include "equilibrium_cases.h"
#include "mech/mech.h"

#include <stdlib.h>

#define BAR                                                                                                  \
    "model 'upright' gravity {0, 0, -9.81}\n"                                                                \
    "body { name = 'bar', mass = 2, inertia = {0.2, 0.3, 0.25}, position = {0, 0, 0.4} }\n"                  \
    "joint { name = 'pivot', type = 'revolute', bodies = {'ground', 'bar'}, at = {0, 0, 0}, axis = {0, 1, "  \
    "0} }\n"
#define J (0.3 + 2 * 0.16)
#define W (2 * 9.81 * 0.4)

static ph_rest judged(resting *h, double *shape)
{
    ph_error err = {0};
    if (ph_equilibrium_judge(h->e, ph_mechanism_system(h->mech), shape, &err) != PH_OK)
        fail_msg("%s", err.text);
    return ph_equilibrium_stats(h->e).rest;
}

static ph_rest rest_of(const char *text, double *shape)
{
    resting h = resting_of(text, PH_SPACE_R3XSO3);
    ph_rest r = judged(&h, shape);
    resting_close(&h);
    return r;
}

/* An upright bar on a spring k with a damper d: J y'' + d y' + (k - W) y = 0. (T8) */
static void an_upright_bar(void **state)
{
    (void)state;
    double shape[6];
    ph_rest r = rest_of(BAR, shape);
    assert_int_equal(r.code, PH_REST_UNSTABLE);
    check_near(r.growth / sqrt(W / J), 1, 1e-12); /* reference: closed form */
    check_near(fabs(shape[4]), 1, 1e-12);         /* 0.4 m aside for 1 rad */
    check_near(fabs(shape[0]), 0.4, 1e-12);
    assert_true(r.node >= 0);
    r = rest_of(BAR "actuator { name = 's', joint = 'pivot', k = 5, d = 1.5 }\n", NULL);
    assert_int_equal(r.code, PH_REST_UNSTABLE);
    check_near(r.growth, (-1.5 + sqrt(1.5 * 1.5 + 4 * J * (W - 5))) / (2 * J), 1e-9);
    r = rest_of(BAR "actuator { name = 's', joint = 'pivot', k = 9, d = 1.5 }\n", NULL);
    assert_int_equal(r.code, PH_REST_STABLE);
    r = rest_of(BAR "actuator { name = 's', joint = 'pivot', k = 9 }\n", NULL);
    assert_int_equal(r.code, PH_REST_STABLE);
    assert_true(r.growth == 0 && r.node == -1 && !r.why[0]);
    r = rest_of(
        BAR
        "actuator { name = 's', joint = 'pivot', k = 9 }\n"
        "torque { name = 'fed', body = 'bar', value = function(t, s) return 0, 0.01*s.bar.omega.y, 0 end }\n",
        NULL); /* fed */
    assert_int_equal(r.code, PH_REST_UNSTABLE);
}

/* N upright links with springs k between them, from the ground on. */
static const char *tower(int links, double k, double d)
{
    static char text[1200];
    snprintf(
        text, sizeof text,
        "model 'tower' gravity {0, 0, -9.81}\nlocal before = 'ground'\nfor i = 1, %d do local name = 'link' "
        ".. i\n"
        "body { name = name, mass = 1 + 0.01*i, inertia = {0.02, 0.03, 0.01}, position = {0, 0, 0.2*i - 0.1} "
        "}\n"
        "joint { name = 'pin' .. i, type = 'revolute', bodies = {before, name}, at = {0, 0, 0.2*(i - 1)}, "
        "axis = {0, 1, 0} }\n"
        "actuator { name = 'spring' .. i, joint = 'pin' .. i, k = %.17g, d = %.17g }\nbefore = name\nend\n",
        links, k, d);
    return text;
}

/* The largest real part of all eigenvalues. */
static double largest(const resting *h)
{
    ph_modes *m;
    ph_error err = {0};
    double most = -HUGE_VAL, re, im;
    if (ph_modes_create(&m, ph_mechanism_system(h->mech), 0, h->s.q, h->s.v, NULL, &err) != PH_OK)
        fail_msg("%s", err.text);
    for (int k = 0; k < ph_modes_get_info(m).count; k++) {
        ph_modes_value(m, k, &re, &im);
        most = fmax(most, re);
    }
    ph_modes_destroy(m);
    return most;
}

/* Above 150 velocities the least nu tells: as all eigenvalues do. (T14), (T15) */
static void many_bodies(void **state)
{
    static const struct {
        double k, d;
        int code;
    } x[] = {{10, 0, PH_REST_UNSTABLE},   {3000, 0, PH_REST_UNSTABLE}, {2e4, 0, PH_REST_STABLE},
             {3000, 3, PH_REST_UNSTABLE}, {2e4, 3, PH_REST_STABLE},    {1e6, 0, PH_REST_STABLE}};
    (void)state;
    for (size_t k = 0; k < sizeof x / sizeof *x; k++) {
        resting h = resting_of(tower(30, x[k].k, x[k].d), PH_SPACE_R3XSO3);
        ph_rest r = judged(&h, NULL);
        double all = largest(&h);
        assert_int_equal(r.code, x[k].code);
        assert_int_equal(all > 1e-6, x[k].code == PH_REST_UNSTABLE);
        if (r.code == PH_REST_UNSTABLE)
            check_near(r.growth / all, 1,
                       x[k].d > 0 ? 1e-2 : 1e-6); /* one mode by itself has no other modes' damping */
        resting_close(&h);
    }
}

/* Many bodies whose friction or forces without a potential would need all eigenvalues. */
static void undecided(void **state)
{
    char text[2000];
    (void)state;
    snprintf(text, sizeof text,
             "%sbody { name = 'rough', mass = 1, inertia = {1, 1, 1} }\n"
             "joint { name = 'rail', type = 'prismatic', bodies = {'ground', 'rough'}, axis = {1, 0, 0}, "
             "friction = 0.1 }\n"
             "actuator { name = 'hold', joint = 'rail', k = 10 }\n",
             tower(30, 2e4, 0));
    ph_rest r = rest_of(text, NULL);
    assert_int_equal(r.code, PH_REST_UNDECIDED);
    assert_non_null(strstr(r.why, "friction"));
    snprintf(
        text, sizeof text,
        "%sforce { name = 'f', body = 'link30', value = {0, 0, -300}, frame = 'body', at = {0, 0, 0.1} }\n",
        tower(30, 2e4, 0));
    r = rest_of(text, NULL);
    assert_int_equal(r.code, PH_REST_UNDECIDED);
    assert_non_null(strstr(r.why, "no potential"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_upright_bar), cmocka_unit_test(many_bodies),
                                       cmocka_unit_test(undecided)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
