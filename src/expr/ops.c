/* The table of operations, by name. */
#include "expr/expr.h"

#include <string.h>

static const ph_op_row rows[PH_OPS] = {
#define PH_OP(code, name, operands, kink, value, da, db, daa, dab, dbb) {name, operands, kink},
#include "expr/ops.def"
#undef PH_OP
};

const ph_op_row *ph_op_get(int code)
{
    return code >= 0 && code < PH_OPS ? &rows[code] : NULL;
}

int ph_op_find(const char *name)
{
    for (int k = 0; k < PH_OPS; k++)
        if (!strcmp(rows[k].name, name))
            return k;
    return -1;
}
