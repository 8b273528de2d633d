/* Derivatives of drives against those of their formulas: at any speed, near kinks, and where there are none. */
#include "check.h"

#include "mech/mech.h"

#include <string.h>

typedef struct wave {
    double w;    /* rad/s */
    double from; /* of ramps: where the function has its corner */
    int calls;
} wave;

static ph_status sine(const ph_function *f, double t, const ph_body_state *bodies, int n, double *out)
{
    wave *a = f->owner;
    (void)bodies, (void)n;
    a->calls++;
    *out = sin(a->w * t + 0.3);
    return PH_OK;
}

/* order 0: a jump; 1: a kink; 2: a jump of the acceleration */
static ph_status ramp(const ph_function *f, double t, const ph_body_state *bodies, int n, double *out)
{
    const wave *a = f->owner;
    (void)bodies, (void)n;
    *out = t < a->from ? 0 : pow(t - a->from, f->ref);
    return PH_OK;
}

static ph_status noise(const ph_function *f, double t, const ph_body_state *bodies, int n, double *out)
{
    unsigned char byte[sizeof t];
    unsigned long sum = 14695981039346656037UL;
    (void)f, (void)bodies, (void)n;
    memcpy(byte, &t, sizeof t);
    for (size_t k = 0; k < sizeof t; k++)
        sum = (sum ^ byte[k]) * 1099511628211UL;
    *out = (double)(sum >> 40) / (1 << 24);
    return PH_OK;
}

/* (J1), (J2) */
static void any_speed(void **state)
{
    (void)state;
    static const double w[] = {0.1, 1, 37, 100, 600, 3000, 1e4, 1.3e5, 1e6};
    for (size_t k = 0; k < sizeof w / sizeof *w; k++)
        for (int i = 0; i < 20; i++) {
            wave a = {.w = w[k]};
            ph_function f = {.call = sine, .owner = &a};
            double t = i * 0.37 / w[k], y = w[k] * t + 0.3, out[3];
            assert_int_equal(ph_drive_at(NULL, &f, t, 2, out), PH_OK);
            check_le(fabs(out[0] - sin(y)), 1e-15);
            check_le(fabs(out[1] / w[k] - cos(y)), fmax(1e-11, 4e-12 / w[k]));              /* derivative */
            check_le(fabs(out[2] / w[k] / w[k] + sin(y)), fmax(1e-10, 2e-8 / w[k] / w[k])); /* derivative */
            a.calls = 0;
            assert_int_equal(ph_drive_at(NULL, &f, t, 1, out), PH_OK);
            if (w[k] <= 100)
                assert_int_equal(a.calls, 9); /* slow ones cost one stencil */
        }
}

/* Where the corner is not reached, derivatives are those of its side. */
static void near_corners(void **state)
{
    (void)state;
    static const double away[] = {1.5e-3, 3e-4, 1e-5, 2e-7};
    for (int order = 0; order <= 2; order++)
        for (size_t k = 0; k < sizeof away / sizeof *away; k++)
            for (int side = -1; side <= 1; side += 2) {
                wave a = {.from = 0.1};
                ph_function f = {.call = ramp, .owner = &a, .ref = order};
                double x = side * away[k], out[3];
                assert_int_equal(ph_drive_at(NULL, &f, 0.1 + x, 2, out), PH_OK);
                double slope = side < 0 || order == 0 ? 0 : order * pow(x, order - 1);
                check_le(fabs(out[1] - slope), 1e-7); /* derivative */
                check_le(fabs(out[2] - (side > 0 && order == 2 ? 2 : 0)),
                         1e-3 + 1e-16 / x / x); /* derivative */
            }
}

/* A start from rest in which large terms cancel: 34 rad of them, and 1e-12 rad of motion. */
static ph_status gentle(const ph_function *f, double t, const ph_body_state *bodies, int n, double *out)
{
    double w = 6, T = 15, k = T / 6.283185307179586;
    (void)f, (void)bodies, (void)n;
    *out = w / T * (t * t / 2 + k * k * (cos(t / k) - 1));
    return PH_OK;
}

static void starts_from_rest(void **state)
{
    (void)state;
    ph_function f = {.call = gentle};
    for (int i = 0; i < 50; i++) {
        double t = 1e-3 * i * i, out[3];
        assert_int_equal(ph_drive_at(NULL, &f, t, 2, out), PH_OK);
        check_near(out[1], 6. / 15 * (t - 15 / 6.283185307179586 * sin(t * 6.283185307179586 / 15)),
                   1e-10); /* derivative */
    }
}

static void none_to_be_found(void **state)
{
    (void)state;
    static const double t[] = {0, 0.1, 3.7, 100};
    for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
        wave a = {.from = t[k]};
        ph_function f = {.call = ramp, .owner = &a};
        double out[3];
        assert_int_equal(ph_drive_at(NULL, &f, t[k], 0, out), PH_OK);
        assert_int_equal(ph_drive_at(NULL, &f, t[k], 1, out), PH_E_INCONSISTENT); /* a jump */
        f.ref = 1;
        assert_int_equal(ph_drive_at(NULL, &f, t[k], 1, out), PH_OK); /* a kink: between both slopes */
        check_near(out[1], 0.5, 1e-6);                                /* derivative */
        assert_int_equal(ph_drive_at(NULL, &f, t[k], 2, out), PH_E_INCONSISTENT);
        f.ref = 2;
        assert_int_equal(ph_drive_at(NULL, &f, t[k], 2, out), PH_OK);
        check_near(out[2], 1, 1e-4); /* derivative: the mean */
        f.call = noise;
        assert_int_equal(ph_drive_at(NULL, &f, t[k], 1, out), PH_E_INCONSISTENT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_speed),
        cmocka_unit_test(near_corners),
        cmocka_unit_test(starts_from_rest),
        cmocka_unit_test(none_to_be_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
