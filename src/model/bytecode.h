/* Functions of Lua whose lines are their instructions, so that a hook knows which instruction is next. */
#ifndef PH_MODEL_BYTECODE_H
#define PH_MODEL_BYTECODE_H

#include "model/inside.h"

/* What a hook has to look at before an instruction. */
typedef enum ph_watch {
    PH_WATCH_NOTHING,
    PH_WATCH_EQUAL,  /* registers a and b are compared, */
    PH_WATCH_NUMBER, /* register a with a number */
    PH_WATCH_KEY     /* register a is the key of a table */
} ph_watch;

typedef struct ph_instruction {
    int line; /* of the file */
    unsigned char watch, a, b;
} ph_instruction;

/* The instructions of all functions that were marked, and memory. */
typedef struct ph_marked {
    ph_vector list; /* ph_instruction */
    ph_vector dumped, changed;
} ph_marked;

/* The function on top of the stack, which was just loaded, gives way to one whose line k is instruction k of the list, which
 * grows by its instructions. */
void ph_bytecode_mark(ph_reader *r, lua_State *L, ph_marked *m);
void ph_bytecode_free(ph_reader *r, ph_marked *m);

#endif
