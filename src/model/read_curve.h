/* Curves of model files: values of Lua that can be called. */
#ifndef PH_MODEL_READ_CURVE_H
#define PH_MODEL_READ_CURVE_H

#include "base/curve.h"
#include "model/inside.h"

void ph_curve_open(ph_reader *r, lua_State *L);                           /* curve(...) becomes global */
int ph_curve_node(const void *curve, double x, int level, double out[3]); /* of a ph_curve_ref */
double ph_curve_piece_of(const void *curve, double x);                    /* the same */

#endif
