/* What the sandbox offers of Lua's libraries. */
#ifndef PH_MODEL_LIBRARY_H
#define PH_MODEL_LIBRARY_H

#include "model/inside.h"

/* library.c: the functions of its table take the place of those of the libraries; all others are removed. */
void ph_library_open(lua_State *L);

/* pattern.c: as Lua has them; each step is charged. */
int ph_string_find(lua_State *L);
int ph_string_match(lua_State *L);
int ph_string_gmatch(lua_State *L);
int ph_string_gsub(lua_State *L);

/* order.c: what has an order in every run. */
int ph_table_sort(lua_State *L); /* stable */
int ph_ordered_pairs(lua_State *L);
int ph_ordered_next(lua_State *L);

#endif
