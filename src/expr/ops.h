/* Values and derivatives of operations, from their table. */
#ifndef PH_EXPR_OPS_H
#define PH_EXPR_OPS_H

#include <math.h>

#include "expr/expr.h"
#include "expr/formulas.h"

#define PH_OP_WHOLE_MAX 0x1p53 /* whole numbers up to here are exact */

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

/* d: by a, by b. wants: bits of the operands that matter; 0 for those that do not. The one operand of an operation does: with a
 * constant it would be a constant. */
static inline void ph_op_slopes(int code, int wants, double a, double b, double y, double d[2])
{
    (void)b, (void)y;
    switch (code) {
#define PH_OP(code, name, operands, kink, value, da, db, daa, dab, dbb)                                      \
    case code:                                                                                               \
        d[0] = operands == 1 || wants & 1 ? (da) : 0, d[1] = operands == 2 && wants & 2 ? (db) : 0;          \
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
        d[0] = operands == 1 || wants & 1 ? (daa) : 0;                                                       \
        d[1] = operands == 2 && wants == 3 ? (dab) : 0, d[2] = operands == 2 && wants & 2 ? (dbb) : 0;       \
        break;
#include "expr/ops.def"
#undef PH_OP
    default:
        d[0] = d[1] = d[2] = NAN;
    }
}

#endif
