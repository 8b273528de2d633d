/* Sensors that functions look at, as expressions of the arguments of these functions. */
#include "model/outlook.h"
#include "model/trace.h"

#include <lauxlib.h>

/* ---- vectors of nodes -------------------------------------------------------------------------------- */

typedef struct vec {
    int x[3];
} vec;

static int op(ph_reader *r, ph_op_code code, int a, int b)
{
    return ph_expr_graph_op(r->trace->graph, code, a,
                            b); /* what is below 0 goes on, and ends at ph_symbol_push */
}

static int number(ph_reader *r, double x)
{
    return ph_expr_graph_constant(r->trace->graph, x, PH_FLOAT);
}

static int argument(ph_reader *r, int kind, int index, int component)
{
    return ph_expr_graph_argument(r->trace->graph, (ph_argument){kind, index, component});
}

static vec of_body(ph_reader *r, int kind, int body)
{
    vec v;
    for (int i = 0; i < 3; i++)
        v.x[i] = body == PH_GROUND ? number(r, 0) : argument(r, kind, body, i);
    return v;
}

static vec add(ph_reader *r, vec a, vec b)
{
    for (int i = 0; i < 3; i++)
        a.x[i] = op(r, PH_OP_ADD, a.x[i], b.x[i]);
    return a;
}

static vec cross(ph_reader *r, vec a, vec b)
{
    vec c;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        c.x[i] = op(r, PH_OP_SUB, op(r, PH_OP_MUL, a.x[j], b.x[k]), op(r, PH_OP_MUL, a.x[k], b.x[j]));
    }
    return c;
}

/* R a = a + 2 q x (q x a + w a), q the vector of the quaternion */
static vec turn(ph_reader *r, int body, vec a)
{
    vec q, inner;
    int w = argument(r, PH_ARG_ROTATION, body, 0);
    for (int i = 0; i < 3; i++)
        q.x[i] = argument(r, PH_ARG_ROTATION, body, i + 1);
    inner = cross(r, q, a);
    for (int i = 0; i < 3; i++)
        inner.x[i] = op(r, PH_OP_ADD, inner.x[i], op(r, PH_OP_MUL, w, a.x[i]));
    inner = cross(r, q, inner);
    for (int i = 0; i < 3; i++)
        inner.x[i] = op(r, PH_OP_MUL, number(r, 2), inner.x[i]);
    return add(r, a, inner);
}

/* ---- sensors ------------------------------------------------------------------------------------------ */

/* x + R s, v + R (omega x s), a + R (omega_dot x s + omega x (omega x s)) */
static vec of_point(ph_reader *r, const ph_sensor_def *d)
{
    vec s = {{number(r, d->at.x), number(r, d->at.y), number(r, d->at.z)}};
    int far = d->at.x != 0 || d->at.y != 0 || d->at.z != 0;
    const ph_body_def *b = d->body == PH_GROUND ? NULL : ph_store_at(r, PH_K_BODY, d->body);
    int kind = ph_sensor_row_of(d)->op->argument;
    vec x = of_body(r, kind, d->body);
    if (!far || !b || b->particle)
        return kind == PH_ARG_POSITION ? add(r, x, s) : x;
    vec ws = cross(r, of_body(r, PH_ARG_OMEGA, d->body), s);
    if (kind == PH_ARG_VELOCITY)
        s = ws;
    if (kind == PH_ARG_ACCELERATION)
        s = add(r, cross(r, of_body(r, PH_ARG_OMEGA_DOT, d->body), s),
                cross(r, of_body(r, PH_ARG_OMEGA, d->body), ws));
    return add(r, x, turn(r, d->body, s));
}

/* What the function of a custom sensor gives, on top of the stack; how many. */
static int call(ph_reader *r, lua_State *L, const ph_sensor_def *d)
{
    int top = lua_gettop(L);
    lua_rawgeti(L, LUA_REGISTRYINDEX, ((const ph_fn *)r->fns.data)[d->f.ref].ref);
    ph_symbol_push(r, L, argument(r, PH_ARG_TIME, 0, 0));
    lua_rawgeti(L, LUA_REGISTRYINDEX, r->at.state);
    lua_call(L, 2, LUA_MULTRET);
    return lua_gettop(L) - top;
}

static void push_list(ph_reader *r, lua_State *L, const int *node, int n)
{
    lua_createtable(L, n, 0);
    for (int i = 0; i < n; i++) {
        ph_symbol_push(r, L, node[i]);
        lua_rawseti(L, -2, i + 1);
    }
}

static void push_function(ph_reader *r, lua_State *L, const ph_sensor_def *d)
{
    int n = call(r, L, d);
    if (n == 1 && lua_istable(L, -1))
        return;
    lua_createtable(L, n, 0);
    for (int i = 1; i <= n; i++) {
        lua_pushvalue(L, i - n - 2);
        lua_rawseti(L, -2, i);
    }
}

void ph_trace_sensor(ph_reader *r, lua_State *L, int sensor)
{
    const ph_sensor_def *d = ph_store_at(r, PH_K_SENSOR, sensor);
    const ph_body_def *b = d->body >= 0 ? ph_store_at(r, PH_K_BODY, d->body) : NULL;
    const ph_sensor_row *row = ph_sensor_row_of(d);
    int node[4], kind = row->op->argument;
    r->trace->sensors = 1;
    if (row->keys & PH_KEY_FUNCTION) {
        push_function(r, L, d);
    } else if (kind && row->keys & PH_KEY_AT) {
        push_list(r, L, of_point(r, d).x, 3);
    } else if (kind && row->keys & PH_KEY_BODY) {
        for (int i = 0; i < d->size; i++)
            node[i] =
                b && !b->particle ? argument(r, kind, d->body, i) : number(r, row->op->quaternion && i == 0);
        push_list(r, L, node, d->size);
    } else if (kind && row->keys & PH_KEY_JOINT) {
        lua_createtable(L, 1, 0);
        ph_outlook_sensor(r, L, sensor);
        lua_rawseti(L, -2, 1);
    } else {
        ph_trace_stop(r, L, "it looks at a sensor of this type");
    }
}
