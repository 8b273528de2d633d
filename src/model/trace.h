/* Tracing: functions of a model file are called with symbols, and become expressions.
 *
 * A second Lua state reads the same file, with libraries that know symbols from the start. A comparison of a symbol is
 * answered both ways in turn: a function is called once for each way through it, and the ways make a decision tree. */
#ifndef PH_MODEL_TRACE_H
#define PH_MODEL_TRACE_H

#include "expr/expr.h"
#include "mech/argument.h"
#include "model/bytecode.h"

#define PH_TRACE_COMPARISONS  256  /* on one way */
#define PH_TRACE_WAYS         4096 /* of one function */
#define PH_TRACE_INSTRUCTIONS 1e6  /* of one function, on all its ways: about a second */

typedef struct ph_compared {
    ph_relation relation;
    int a, b, answer;
    int node; /* of the tree */
} ph_compared;

typedef struct ph_trace {
    ph_expr_graph *graph; /* of the present function */
    ph_marked marked;
    int symbols;               /* in the registry: node to symbol */
    const char *symbol;        /* the parameter of the file that is a symbol too; NULL: none is */
    double parameter;          /* its value */
    int reading;               /* 1: the file is read; what depends on the parameter has a value */
    ph_expr_graph *base;       /* what the file computes of the parameter, with which every function begins */
    int base_symbols;          /* in the registry: those of the base */
    ph_vector value;           /* double: of nodes of the base */
    int active;                /* 1: a function is called with symbols */
    ph_vector tree, done, out; /* ph_tree_node; unsigned char: all below it is known; int: nodes of results */
    int at;                    /* where in the tree */
    ph_compared way[PH_TRACE_COMPARISONS];
    int n_way, n_leaves;
    double work;
    int sensors; /* it looks at some */
    int refused; /* the function is not traced, else only this way */
    int failed;  /* the function itself says error(...) */
    char reason[160];
    int line; /* of the file; 0: unknown */
} ph_trace;

/* trace.c: all functions of r, once it is read. Fails where memory ends. */
void ph_trace_all(ph_reader *r);
void ph_traced_complete(ph_reader *r, ph_traced *traced); /* what follows from its program */
/* The file is read with a symbol for a parameter: instructions are watched. Then it was, and its elements are known. */
void ph_trace_read(ph_reader *r, lua_State *L);
void ph_trace_was_read(ph_reader *r, lua_State *L);
_Noreturn void ph_trace_refuse(ph_reader *r, lua_State *L,
                               const char *reason);                           /* the function is not traced */
_Noreturn void ph_trace_stop(ph_reader *r, lua_State *L, const char *reason); /* this way is not known */
int ph_trace_decide(ph_reader *r, lua_State *L, ph_relation relation, int a, int b);
void ph_trace_sensor(ph_reader *r, lua_State *L,
                     int sensor); /* trace_sensor.c: pushes the list of its numbers */
int ph_trace_line(const ph_reader *r, int instruction);

/* symbol.c */
void ph_symbol_open(ph_reader *r, lua_State *L);         /* libraries know symbols; clamp, sign, smoothstep */
int ph_symbol_is(ph_reader *r, lua_State *L, int index); /* 1: it is one */
int ph_symbol_node(ph_reader *r, lua_State *L, int index);    /* of a symbol or number; stops at others */
int ph_symbol_constant(ph_reader *r, lua_State *L, double x); /* a node */
void ph_symbol_push(ph_reader *r, lua_State *L, int node);    /* a number where it is constant */
void ph_symbol_forget(ph_reader *r, lua_State *L);            /* before another graph */
double ph_symbol_value(ph_reader *r, int node);               /* while the file is read */
void ph_symbol_settle(ph_reader *r,
                      lua_State *L); /* the same of all that is on the stack, and in its tables */
/* "position" of a body, as {x, y, z} of symbols */
void ph_symbol_vector(ph_reader *r, lua_State *L, int kind, int body, int n);

#endif
