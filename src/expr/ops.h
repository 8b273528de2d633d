/* Values and derivatives of operations, from their table. */
#ifndef PH_EXPR_OPS_H
#define PH_EXPR_OPS_H

#include <math.h>

#include "expr/expr.h"

#define PH_OP_WHOLE_MAX 0x1p53 /* whole numbers up to here are exact */

#define PH_LOG2_E  1.44269504088896340736
#define PH_LOG10_E 0.43429448190325182765

/* a % b of floats, as Lua has it */
static inline double ph_lua_mod(double a, double b)
{
    double m = fmod(a, b);
    return (m > 0 ? b < 0 : m < 0 && b > 0) ? m + b : m;
}

/* Second result of math.modf */
static inline double ph_fraction(double a)
{
    double whole = a < 0 ? ceil(a) : floor(a);
    return whole == a ? 0 : a - whole;
}

/* 0, u^2 (3 - 2 u), 1 */
static inline double ph_smooth(double u)
{
    return u <= 0 ? 0 : u >= 1 ? 1 : u * u * (3 - 2 * u);
}

/* Powers with whole exponents have derivatives everywhere. */
static inline double ph_power_slope(double a, double b)
{
    return b == 0 ? 0 : b == 1 ? 1 : b == 2 ? 2 * a : b * pow(a, b - 1);
}

static inline double ph_power_curve(double a, double b)
{
    return b == 0 || b == 1 ? 0 : b == 2 ? 2 : b * (b - 1) * pow(a, b - 2);
}

/* y log(a), y a power of a */
static inline double ph_power_log(double a, double y)
{
    return y == 0 ? 0 : y * log(a);
}

static inline double ph_op_value(int code, double a, double b)
{
    switch (code) {
#define PH_OP(code, name, operands, kink, value, da, db, daa, dab, dbb)                                      \
    case code:                                                                                               \
        return value;
#include "expr/ops.def"
#undef PH_OP
    default:
        return NAN;
    }
}

/* d: by a, by b. wants: bits of the operands that matter; 0 for those that do not. */
static inline void ph_op_slopes(int code, int wants, double a, double b, double y, double d[2])
{
    (void)b, (void)y;
    switch (code) {
#define PH_OP(code, name, operands, kink, value, da, db, daa, dab, dbb)                                      \
    case code:                                                                                               \
        d[0] = wants & 1 ? (da) : 0, d[1] = wants & 2 ? (db) : 0;                                            \
        break;
#include "expr/ops.def"
#undef PH_OP
    default:
        d[0] = d[1] = NAN;
    }
}

/* d: by aa, by ab, by bb */
static inline void ph_op_curves(int code, int wants, double a, double b, double y, double d[3])
{
    switch (code) {
#define PH_OP(code, name, operands, kink, value, da, db, daa, dab, dbb)                                      \
    case code:                                                                                               \
        d[0] = wants & 1 ? (daa) : 0, d[1] = wants == 3 ? (dab) : 0, d[2] = wants & 2 ? (dbb) : 0;           \
        break;
#include "expr/ops.def"
#undef PH_OP
    default:
        d[0] = d[1] = d[2] = NAN;
    }
}

#endif
