/* Curves of model files: values of Lua that can be called. */
#ifndef PH_MODEL_CURVE_H
#define PH_MODEL_CURVE_H

#include "base/curve.h"
#include "model/inside.h"

void ph_curve_open(ph_reader *r, lua_State *L); /* curve(...) becomes global */
const ph_curve *ph_curve_of(lua_State *L,
                            int index); /* of the value there, the model's; NULL: it is no curve */
int ph_curve_call(lua_State *L);        /* curve(x) with a number; fails where it has no value */

#endif
