/* Functions in frozen models: their programs as JSON. */
#ifndef PH_MODEL_FROZEN_H
#define PH_MODEL_FROZEN_H

#include "model/inside.h"

/* Why a function cannot be frozen; NULL: it can. */
const char *ph_frozen_refuses(const ph_function *f);
void ph_frozen_put(const ph_function *f, FILE *to);
/* From the table on top of the stack. */
ph_function ph_frozen_take(ph_reader *r, lua_State *L, const char *key, ph_kind kind, int index);

/* event.c: the same of all functions of an event; its actions */
const char *ph_event_refuses(const ph_event_def *e);
void ph_event_put(const ph_event_def *e, FILE *to);

#endif
