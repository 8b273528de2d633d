/* What the formulas of operations are made of, as text that compiled models have too. */
#ifndef PH_EXPR_FORMULAS_H
#define PH_EXPR_FORMULAS_H

#include "polhode/vec.h"

#define PH_LOG2_E  1.44269504088896340736
#define PH_LOG10_E 0.43429448190325182765

/* a % b of floats, as Lua has it */
PH_FN double ph_lua_mod(double a, double b)
{
    double m = fmod(a, b);
    return (m > 0 ? b < 0 : m < 0 && b > 0) ? m + b : m;
}

/* Second result of math.modf */
PH_FN double ph_fraction(double a)
{
    double whole = a < 0 ? ceil(a) : floor(a);
    return whole == a ? 0 : a - whole;
}

/* 0, u^2 (3 - 2 u), 1 */
PH_FN double ph_smooth(double u)
{
    return u <= 0 ? 0 : u >= 1 ? 1 : u * u * (3 - 2 * u);
}

/* Powers with whole exponents have derivatives everywhere. */
PH_FN double ph_power_slope(double a, double b)
{
    return b == 0 ? 0 : b == 1 ? 1 : b == 2 ? 2 * a : b * pow(a, b - 1);
}

PH_FN double ph_power_curve(double a, double b)
{
    return b == 0 || b == 1 ? 0 : b == 2 ? 2 : b * (b - 1) * pow(a, b - 2);
}

/* y log(a), y a power of a */
PH_FN double ph_power_log(double a, double y)
{
    return y == 0 ? 0 : y * log(a);
}

#endif
