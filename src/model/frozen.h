/* Functions in frozen models: their programs as JSON. */
#ifndef PH_MODEL_FROZEN_H
#define PH_MODEL_FROZEN_H

#include "model/inside.h"

/* Refuses a function that was not traced, or that asks Lua somewhere. */
ph_status ph_frozen_check(const ph_model *m, ph_error *err);
void ph_frozen_put(const ph_function *f, FILE *to);
/* From the table on top of the stack. */
ph_function ph_frozen_take(ph_reader *r, lua_State *L, const char *key, ph_kind kind, int index);

/* event.c: actions */
void ph_event_put(const ph_event_def *e, FILE *to);

#endif
