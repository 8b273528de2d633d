/* Finite elements that several tests reduce: a square steel bar 1 m long, a rod of a slider-crank, a solid block. */
#ifndef PH_TEST_FE_CASES_H
#define PH_TEST_FE_CASES_H

#include "check.h"

#include "fe/reduce.h"
#include "fe/stiffen.h"

/* 10 mm square steel */
static inline ph_fe_section steel_bar(void)
{
    return (ph_fe_section){
        .EA = 2.1e7, .GJ = 135, .EI = {175, 175}, .rhoA = 0.785, .J = {1.30833333e-5, 0, 0}};
}

/* 6 mm round */
static inline ph_fe_section crank_rod(void)
{
    const double A = 3.14159265358979323846 * 0.006 * 0.006 / 4, I = A * 0.006 * 0.006 / 16, E = 2e11,
                 rho = 7870;
    return (ph_fe_section){
        .EA = E * A, .GJ = 0.77 * E * I, .EI = {E * I, E * I}, .rhoA = rho * A, .J = {2 * rho * I, 0, 0}};
}

/* A straight member along the line to (x, y, z). */
static inline ph_fe straight(ph_fe_section s, int n, double x, double y, double z)
{
    ph_fe fe;
    ph_error err = {0};
    double points[6] = {0, 0, 0, x, y, z};
    ph_fe_member m = {.from = 0, .to = 1, .n = n, .section = s};
    if (ph_fe_frame(&fe, NULL, 2, points, 1, &m, &err) != PH_OK)
        fail_msg("%s", err.text);
    return fe;
}

static inline ph_fe_spec clamped(int n)
{
    return (ph_fe_spec){.frame_id = 0, .type = PH_MODES_CLAMPED, .n = n, .stiffen = 1};
}

static inline ph_reduced *reduce_kind(ph_fe *fe, const ph_fe_spec *spec, ph_factor_kind kind)
{
    ph_reduced *r;
    ph_vec3 origin;
    ph_fe_sound sound;
    ph_error err = {0};
    if (ph_fe_reduce(fe, spec, kind, NULL, &r, &origin, &sound, &err) != PH_OK)
        fail_msg("%s", err.text);
    return r;
}

static inline ph_reduced *reduce(ph_fe *fe, const ph_fe_spec *spec)
{
    return reduce_kind(fe, spec, PH_FACTOR_AUTO);
}

/* The error must contain the words. */
static inline void refuse(ph_fe *fe, const ph_fe_spec *spec, const char *words)
{
    ph_reduced *r;
    ph_vec3 origin;
    ph_fe_sound sound;
    ph_error err = {0};
    assert_int_equal(ph_fe_reduce(fe, spec, PH_FACTOR_AUTO, NULL, &r, &origin, &sound, &err), PH_E_INPUT);
    assert_null(r);
    if (!strstr(err.text, words))
        fail_msg("'%s' does not contain '%s'", err.text, words);
}

#endif
