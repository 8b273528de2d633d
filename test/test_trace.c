/* Tracing of functions of model files: the same bits as Lua gives, exact derivatives, and what is refused. */
#include "check.h"

#include "model/trace.h"
#include "model_file.h"
#include "polhode/polhode.h"

/* ---- models of one function ------------------------------------------------------------------------------ */

static const char head[] =
    "model 'trial'\n"
    "local p = param('p', 1.5)\n"
    "local sin, cos = math.sin, math.cos\n"
    "local table_of, on, deep = {2, 3, 5, 7}, true, {} for i = 1, 150 do deep = {deep} end\n"
    "local memory, count = {0}, 0 local narrow = curve({-1, 1}, {0, 1}, {outside = 'error'})\n"
    "local function norm(v) return math.sqrt(v.x^2 + v.y^2 + v.z^2) end\n"
    "body { name = 'a', mass = 1, inertia = {1, 1, 1}, position = {0.3, -0.2, 0.5},\n"
    "       rotation = {axis = {1, 2, 3}, angle = 0.7}, velocity = {1, 2, 3}, omega = {0.1, 0.2, 0.3} }\n"
    "body { name = 'b', mass = 1, inertia = {1, 1, 1}, position = {1, 1, 2} }\n"
    "particle { name = 'c', mass = 2, position = {0, 1, 0} }\n"
    "sensor { name = 'f', custom = function(t, s)\n"; /* line 11; the function is on line 12 */

static ph_model *read_function(const char *body)
{
    static char text[40000];
    ph_error err = {0};
    ph_model *m;
    int n = snprintf(text, sizeof text, "%s%s\nend }\n", head, body);
    ph_status s = ph_model_read_text(&m, "trial.lua", text, (size_t)n, NULL, 0, NULL, &err);
    if (s != PH_OK)
        print_error("%s: %s\n", body, err.text);
    assert_int_equal(s, PH_OK);
    return m;
}

static const ph_traced *traced_of(const ph_model *m)
{
    return m->sensor[0].f.traced;
}

/* ---- the same bits ---------------------------------------------------------------------------------------- */

static const char *const functions[] = {
    "return 1",
    "return t",
    "return 2*t + 1",
    "return t^2, t^3, t^0.5, 2^t, (0.01*t)^t",
    "return -t, t - 1, 1 - t, t/3, 3/(t - 0.3)",
    "return t % 3, t % -0.7, -7 % (t - 0.3), t // 1, t // -0.3, 7 // (t - 0.3)",
    "return math.sin(t), math.cos(t), math.tan(t)",
    "return sin(t)*cos(t)",
    "return math.exp(-t^2), math.log(math.abs(t) + 1), math.log(t^2 + 1, 2), math.log(t^2 + 1, 10), "
    "math.log(t^2 + 1, 3)",
    "return math.asin(math.sin(t)), math.acos(math.cos(t)*0.9)",
    "return math.atan(t), math.atan(t, 2), math.atan(2, t), math.atan(t, -t)",
    "return math.sqrt(t^2 + 1), math.abs(t), math.abs(-3)",
    "return math.floor(t), math.ceil(t), math.floor(t*10)/10",
    "return math.floor(t) % 3, math.floor(t) // 2, math.floor(t)*3 - 1, -math.ceil(t)",
    "return math.floor(t) % 3.0, math.floor(t) // 2.0, math.floor(t)/3, math.floor(t)^2",
    "return math.fmod(t, 3), math.fmod(t, -0.3), math.fmod(-7, t + 100)",
    "return math.max(t, 0), math.min(t, 0), math.max(1, t, -t, 0.5), math.min(3, t, t^2)",
    "return math.max(0, t)^1.5, math.max(0, -t)^1.5",
    "local a, b = math.modf(t) return a, b, math.modf(-t)",
    "return math.deg(t), math.rad(t), math.pi*t",
    "return math.sinh(0.1*t), math.cosh(0.1*t), math.tanh(t), math.tanh(100*t)",
    "return math.asinh(t), math.acosh(1 + t^2), math.atanh(0.9*math.sin(t))",
    "return math.atan2(t, -2), math.atan2(s.a.position.x, t), math.hypot(t, 3), math.hypot(t, t - 1)",
    "return math.log10(t^2 + 1), math.cbrt(t), math.cbrt(-8), math.log10(1000), math.hypot(3, 4)",
    "return clamp(t, -0.5, 0.5), sign(t), smoothstep(-1, 1, t), smoothstep(1, -1, t), clamp(3, 0, 1), "
    "sign(-2), sign(0)",
    "return s.a.position.x, s.a.position[2], s.a.position.z",
    "return s.a.rotation.w, s.a.rotation[2]",
    "return s.a.velocity",
    "return s.a.position",
    "return {s.a.omega.x, s.b.omega.y}",
    "return norm(s.a.position), norm(s.b.velocity)",
    "return s.ground.position.x + t, s.c.rotation.w*t, s.c.position.x",
    "return s.t*2 + t",
    "local d = norm({x = s.a.position.x - s.b.position.x, y = s.a.position.y - s.b.position.y, z = 0.1}) "
    "return 100*(d - 1)/d",
    "if t < 0.1 then return 0 end return (t - 0.1)^2",
    "if t < 0.1 then return 0 elseif t < 0.5 then return (t - 0.1)^2 else return 0.16 end",
    "return t > 0 and t^2 or -t",
    "return t >= 0 and 1 or 2, t <= 0.5 and 3 or t",
    "local x = s.a.position.x if x > 0 and t > 0 then return x*t elseif x > 0 or t > 1 then return x end "
    "return 0",
    "if not (t > 0) then return 1 end return 2",
    "local sum = 0 for i = 1, 10 do sum = sum + t^i/i end return sum",
    "local sum = 0 for i, v in ipairs(table_of) do sum = sum + v*t^i end return sum",
    "local q = {} for i = 1, 3 do q[i] = s.a.position[i]*i end return q",
    "local q = {} for i = 1, 3 do q[#q + 1] = t*i end return table.unpack(q)",
    "local function f(x) if x < 0 then return -x end return x end return f(t) + f(t - 1) + f(t + 1)",
    "local function rec(n, x) if n == 0 then return x end return rec(n - 1, x*x + 0.1) end return rec(5, "
    "0.3*t)",
    "return type(t) == 'number' and t or 0, math.type(t) == 'float' and 1 or 0",
    "return tonumber(t) + 1",
    "return rawequal(t, t) and t or 0",
    "local u = t - 0.3 return u == u and u or 0",
    "local mode = 'sport' return mode == 'sport' and 2*t or t",
    "local n = 2 if n == 2 then return t end return 0",
    "return t ~= nil and t or 0",
    "local list = {3, 1, 2} table.sort(list) return list[1]*t, list[3]",
    "local list = {t, -t, 0.5} table.sort(list) return list",
    "return select('#', t, t)*t, (select(2, t, 5*t))",
    "if t < -5 then error('t is ' .. t) end return t",
    "assert(t > -1e6, 'far away') return t*2",
    "local k, d, x0 = 1e5, 200, 0.3 local z, v = s.a.position.z, s.a.velocity.z local x = math.max(0, x0 - "
    "z) return x > 0 and math.max(0, k*x^1.5 - d*v) or 0",
    "local r = s.a.rotation local w, x, y, z = r.w, r.x, r.y, r.z return 1 - 2*(y*y + z*z), 2*(x*y - w*z), "
    "math.atan(2*(w*x + y*z), 1 - 2*(x*x + y*y))",
    "local slip = (s.a.velocity.x - 0.3*s.a.omega.y)/math.max(math.abs(s.a.velocity.x), 0.1) return "
    "3000*math.sin(1.4*math.atan(10*slip - 0.3*(10*slip - math.atan(10*slip))))",
    "local v = norm(s.a.velocity) return -0.5*1.2*0.3*v*s.a.velocity.x, -0.5*1.2*0.3*v*s.a.velocity.y, 0",
    "return p*t, p > 1 and t or -t",
    "return t*0, 0*t, t + 0, t*1, t^1, t^0, (t - 0.3)^-1",
    "return 3.0 // 2*t, 7 % 4 + t, (2^53 + 1)*t, 1e300*t*1e-300",
    "return 49121577053252384*t, 9007199254740993 - t, t + math.tointeger(2^53)*4, "
    "math.floor(t)/9007199254740993",
    "return string.len('abc')*t, #'ab' + t, ('x'):rep(3) == 'xxx' and t or 0",
    "return -math.max(0, t), 5*math.max(0, t), math.max(0, t) % 3.5, math.max(1, t) // 2.5",
    "return ((t + 1)*(t - 1) - t^2)*1e8, (1e16 + t) - 1e16",
    "return narrow(t/50)",
    "local not_needed = narrow(t/50) return t", /* where it fails, the function does */
    "local not_needed = 7 % math.floor(t + 1) return t",
    "local mode = 'x' return (mode == t or t == mode) and 1 or t, rawequal(t, 'x') and 1 or 2",
    "return on and #deep*t or 0",
    "return rawequal(t, t + 0.5) and 1 or t, rawequal(t*2, 2*t) and 3 or 4",
    "local n = math.floor(t) return math.tointeger(n), math.type(n) == 'integer' and t or 0",
    "local x = t for i = 1, 300 do x = 0.9*x + 0.1*math.sin(x) end return x",
    "return t < 0.2 and 1 or 2, t <= 0.2 and 3 or 4, t < s.a.position.x and 5 or 6, 0.2 < t and 7 or 8",
    "return t[1], s.a.position.x[1]*2, s.a.position.x*0 < 0.5 and 1 or 2",
};

#define FUNCTIONS ((int)(sizeof functions / sizeof *functions))
#define POINTS    3000

static void set_arguments(const ph_program *p, ph_body_state *bodies, double *t, const double *x)
{
    for (int i = 0; i < p->n_args; i++) {
        size_t at = ph_function_offset(p->arg[i].kind);
        if (p->arg[i].kind == PH_ARG_TIME)
            *t = x[i];
        else
            memcpy((char *)&bodies[p->arg[i].index] + at + sizeof(double) * (size_t)p->arg[i].component,
                   &x[i], sizeof(double));
    }
}

static void gives_the_bits_of_lua(const char *body)
{
    ph_model *m = read_function(body);
    ph_reader *r = (ph_reader *)m;
    const ph_program *p = traced_of(m)->program;
    if (!p)
        print_error("%s: %s\n", body, traced_of(m)->reason);
    assert_non_null(p);
    static double room[100000];
    ph_body_state bodies[3] = {{.q = {1, 0, 0, 0}}, {.q = {1, 0, 0, 0}}, {.q = {1, 0, 0, 0}}};
    uint64_t seed = 3;
    int known = 0;
    for (int k = 0; k < POINTS; k++) {
        double x[32], t = 0, own[32], direct[32];
        int n = p->n_out;
        for (int i = 0; i < p->n_args; i++)
            x[i] = (k % 3 ? 2 : 100) * rnd(&seed);
        set_arguments(p, bodies, &t, x);
        ph_sandbox_start(r, 1, 1e8);
        int done = ph_function_evaluate(r, 0, t, bodies, &n, direct);
        if (ph_program_values(p, x, room, own) != PH_KNOWN)
            continue;
        known++;
        if (!done)
            print_error("%s: %s\n", body, r->error.text);
        assert_true(done);
        for (int i = 0; i < n; i++)
            if (!(own[i] == direct[i])) { /* exact */
                print_error("%s: result %d at %.17g: %.17g instead of %.17g\n", body, i, x[0], own[i],
                            direct[i]);
                fail();
            }
    }
    assert_true(known > POINTS / 3);
    ph_model_free(m);
}

static void programs_give_the_bits_of_lua(void **state)
{
    (void)state;
    assert_true(FUNCTIONS >= 60);
    for (int k = 0; k < FUNCTIONS; k++)
        gives_the_bits_of_lua(functions[k]);
}

/* ---- what is not traced ----------------------------------------------------------------------------------- */

static const struct {
    const char *body, *reason;
    int line;
} refused[] = {
    {"if t == 0 then return 1 end return 2", "it compares for equality with a number", 12},
    {"local r = norm(s.a.position)\nif r == 0 then return 0 end\nreturn 1/r",
     "it compares for equality with a number", 13},
    {"return t ~= 0.5 and t or 1", "it compares for equality with a number", 12},
    {"local one = 1 return one == t and t or 1", "it compares for equality with a number", 12},
    {"return rawequal(t, 1) and 1 or t", "it compares for equality with a number", 12},
    {"local q = {} q[t] = 1 return t", "a number that is not constant is the key of a table", 12},
    {"return table_of[t] or 1", "a number that is not constant is the key of a table", 12},
    {"return rawget(table_of, t) or t", "a number that is not constant is the key of a table", 12},
    {"return table_of[math.floor(t)] or t", "a number that is not constant is the key of a table", 12},
    {"memory[1] = memory[1] + t return t", "it reads or keeps values that change from call to call", 0},
    {"count = count + 1 return t + 0*count", "it reads or keeps values that change from call to call", 0},
    {"return t + 0*math.random()", "it calls math.random", 12},
    {"local n = 0 for i = 1, t do n = n + 1 end return n", "a loop counts with a number that is not constant",
     12},
    {"local x = t while x < 100 do x = x + 1 end return x",
     "it compares more than 256 times; is there a loop on a number that is not constant?", 12},
    {"return #tostring(t)", "it works with the text of a number", 12},
    {"local x = 0 for i = 1, 13 do if math.sin(i*t) > 0.3 then x = x + 1 end end return x",
     "there are more than 4096 ways through it", 0},
    {"local x = 0 for i = 1, 10000000 do x = x + 1 end return t + x", "it takes more than 1e6 instructions",
     12},
    {"local x = t for i = 1, 200000 do x = math.sin(x) end return x", "it has more than 100000 operations",
     12},
    {"return math.log(2, t)", "the base of a logarithm is not constant", 12},
    {"return math.tointeger(t) or t", "math.tointeger depends on the value of a number", 12},
    {"return t & 1", "it computes with the bits of a number", 12},
    {"count = count + 1 if count % 2 == 0 then return t < 1 and 1 or 2 end return t < 2 and 1 or 2",
     "it keeps values between its calls", 12},
    {"count = count + 1 if count % 2 == 0 then return t <= 1 and 1 or 2 end return t < 1 and 1 or 2",
     "it keeps values between its calls", 12},
    {"count = count + 1 local x = s.a.position.x if count % 2 == 0 then return x < 1 and 1 or 2 end\n"
     "return t < 1 and 1 or 2",
     "it keeps values between its calls", 12},
    {"return math.ult(math.floor(t), 1) and 1 or t", "it looks at the bits of a number", 12},
    {"return rawequal(0.5, t) and 1 or t", "it compares for equality with a number", 12},
    {"return math.type(math.max(1, t)) == 'float' and 1 or 2", "math.type depends on the value of a number",
     12},
    {"return math.floor(t) + math.tointeger(2^53) * 4", "it computes with an integer beyond 2^53", 12},
    {"return t + '2'", "it computes with something that is not a number", 12},
    {"local n = 7 + 0*math.floor(t) return tonumber('10', n) + 0, tonumber('11', n) + 0",
     "a direct call gives something else", 0},
    {"if t > 3 then return 1, 2 end return t", "it does not always give the same number of values", 0},
    {"local x = 0 for i = 1, 11 do if sin(i*t) > 0.3 then x = x + 1 end end\n"
     "for i = 1, 60 do x = x*t end return x",
     "its ways have more than 100000 operations", 0},
};

static void what_cannot_be_traced_is_named(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        ph_model *m = read_function(refused[k].body);
        const ph_traced *t = traced_of(m);
        if (t->program || !t->reason || strcmp(t->reason, refused[k].reason) != 0 ||
            t->line != refused[k].line)
            print_error("%s: %s (%d)\n", refused[k].body, t->reason ? t->reason : "traced", t->line);
        assert_null(t->program);
        assert_non_null(t->reason);
        assert_string_equal(t->reason, refused[k].reason);
        assert_int_equal(t->line, refused[k].line);
        ph_function_info info;
        assert_true(ph_model_function(m, 0, &info) && !ph_model_function(m, 1, &info));
        assert_true(ph_model_function(m, 0, &info) && info.reason == t->reason && !info.somewhere);
        assert_string_equal(info.element, "sensor 'f'");
        assert_int_equal(info.line, refused[k].line ? refused[k].line : 11);
        assert_true(ph_model_has_functions(m));
        ph_model_free(m);
    }
}

/* A way that only tracing cannot go asks Lua; one that the function ends with error(...) needs nobody. */
static void ways_that_are_not_known_ask(void **state)
{
    (void)state;
    static const struct {
        const char *value, *reason;
    } ways[] = {{"#('x' .. t)", "it works with the text of a number"},
                {"t[2]", "it indexes a number"},
                {"t.x", "it indexes a number"},
                {"t + '2'", "it computes with something that is not a number"},
                {"t + {}", "it computes with something that is not a number"},
                {"#t", "it takes the length of a number"},
                {"t()", "it calls a number"}};
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        char body[200];
        snprintf(body, sizeof body, "if t < 0 then return %s end return 2*t", ways[k].value);
        ph_model *m = read_function(body);
        const ph_traced *t = traced_of(m);
        static double room[1000];
        double y;
        assert_non_null(t->program);
        assert_int_equal(t->program->untraced, 1);
        assert_string_equal(t->reason, ways[k].reason);
        assert_int_equal(ph_program_values(t->program, &(double){-1}, room, &y), PH_UNTRACED);
        assert_int_equal(ph_program_values(t->program, &(double){1}, room, &y), PH_KNOWN);
        assert_true(y == 2); /* exact */
        ph_function_info info;
        assert_true(ph_model_function(m, 0, &info) && info.somewhere && info.reason == t->reason);
        assert_false(ph_model_function(m, -1, &info));
        assert_true(ph_model_has_functions(m));
        ph_model_free(m);
    }
    ph_model *m = read_function("if t < -3 then error('before the beginning: ' .. t) end return 2*t");
    assert_non_null(traced_of(m)->program);
    assert_int_equal(traced_of(m)->program->untraced, 0);
    assert_false(ph_model_has_functions(m));
    ph_model_free(m);
}

/* Lua lets functions be nested 200 deep, and an instruction name 256 constants; what is large is no reason either. */
static void large_functions_are_traced(void **state)
{
    (void)state;
    static char body[20000];
    size_t n = 0;
    for (int k = 0; k < 150; k++)
        n += (size_t)snprintf(body + n, sizeof body - n, "local function f()\n");
    n += (size_t)snprintf(body + n, sizeof body - n, "return t + 1 ");
    for (int k = 0; k < 150; k++)
        n += (size_t)snprintf(body + n, sizeof body - n, "end return f() ");
    gives_the_bits_of_lua(body);
    n = (size_t)snprintf(body, sizeof body, "local x = t == 'x' and 2 or t\n");
    for (int k = 0; k < 300; k++)
        n += (size_t)snprintf(body + n, sizeof body - n, "x = x*%d.25\n", k % 2 ? k : 0);
    snprintf(body + n, sizeof body - n, "return x == 'y' and 3 or t");
    gives_the_bits_of_lua(body);
    gives_the_bits_of_lua("return t end } string = 1\nsensor { name = 'g', custom = function(t) return 2*t");
    gives_the_bits_of_lua("local x = t for i = 1, 300 do x = 0.9*x + 0.1*sin(x) end return x end }\n"
                          "sensor { name = 'g', custom = function(t) local x = t for i = 1, 250 do x = 0.9*x "
                          "+ 0.1*cos(x) end return x");
    gives_the_bits_of_lua("return big[3]*t end } big = {} for i = 1, 1100000 do big[i] = i end\n"
                          "sensor { name = 'g', custom = function(t) return big[4]*t");
}

/* Two functions that share what one of them changes. */
static void neighbours_that_change_are_seen(void **state)
{
    (void)state;
    ph_model *m = read_function(
        "return t + count end }\nsensor { name = 'g', custom = function(t, s) count = count + t return t");
    assert_null(m->sensor[0].f.traced->program);
    assert_null(m->sensor[1].f.traced->program);
    ph_model_free(m);
}

/* ---- sensors that functions read --------------------------------------------------------------------------- */

/* Sensors of every type that functions may read, and functions that return what these give: once traced, once in Lua. */
static const char seeing[] =
    "gravity {0, 0, -9.81}\n"
    "body { name = 'a', mass = 1, inertia = {0.1, 0.2, 0.3}, position = {0.3, -0.2, 0.5},\n"
    "       rotation = {axis = {1, 2, 3}, angle = 0.7}, velocity = {1, 2, 3}, omega = {4, -5, 6} }\n"
    "body { name = 'b', mass = 2, inertia = {0.2, 0.1, 0.2}, position = {1, 0, 0} }\n"
    "particle { name = 'c', mass = 2, position = {0, 1, 0} }\n"
    "joint { name = 'pin', type = 'revolute', bodies = {'ground', 'b'}, at = {0, 0, 0}, axis = {0, 1, 0} }\n"
    "joint { name = 'rope', type = 'distance', bodies = {'ground', 'c'}, at_a = {0, 0, 0}, at_b = {0, 0, "
    "0},\n"
    "        drive = function(t) return 1 + 0.1*t^2 end }\n"
    "joint { name = 'sleeve', type = 'cylindrical', bodies = {'ground', 'a'}, at = {0.3, -0.2, 0.5},\n"
    "        axis = {0, 0, 1}, active = false }\n"
    "sensor { name = 'x', type = 'position', body = 'a', at = {0.1, 0.2, -0.3} }\n"
    "sensor { name = 'v', type = 'velocity', body = 'a', at = {0.1, 0.2, -0.3} }\n"
    "sensor { name = 'w', type = 'omega', body = 'a' }\n"
    "sensor { name = 'r', type = 'rotation', body = 'a' }\n"
    "sensor { name = 'angle', type = 'angle', joint = 'pin' }\n"
    "sensor { name = 'rate', type = 'rate', joint = 'pin' }\n"
    "sensor { name = 'length', type = 'joint_position', joint = 'rope' }\n"
    "sensor { name = 'slide', type = 'joint_position', joint = 'sleeve', coordinate = 'z' }\n"
    "sensor { name = 'spin', type = 'joint_rate', joint = 'sleeve', coordinate = 'rz' }\n"
    "sensor { name = 'same', custom = function(t, s) local j = s.joints return 1/(1/j.rope.position + "
    "1/s.sensors.length),\n"
    "         j.sleeve.position[1], j.sleeve.rate[2], j.pin.rate end }\n" /* a length is not 0 when it is tried */
    "sensor { name = 'pair', custom = function(t, s) return t + s.c.position.y, 2 end }\n"
    "sensor { name = 'list', custom = function(t, s) return {s.sensors.pair[1], 3*s.sensors.angle} end }\n"
    "sensor { name = 'one', custom = function(t, s) return s.sensors.list[2] end }\n"
    "local function all(n)\n"
    "    return function(t, s)\n"
    "        local z, out = s.sensors, {}\n"
    "        if n == 1 then out = {#tostring(t)} out[1] = nil end\n" /* not to be traced */
    "        for _, name in ipairs {'x', 'v', 'w', 'r', 'pair', 'list'} do\n"
    "            for i = 1, #z[name] do out[#out + 1] = z[name][i] end\n"
    "        end\n"
    "        for _, name in ipairs {'angle', 'rate', 'one', 'length', 'slide', 'spin'} do out[#out + 1] = "
    "z[name] end\n"
    "        out[#out + 1] = z.angle[1]\n"
    "        return out\n"
    "    end\n"
    "end\n"
    "sensor { name = 'traced', custom = all(0) }\n"
    "sensor { name = 'direct', custom = all(1) }\n"
    "run { t_end = 0.1, h = 1e-2 }\n";

static void functions_see_what_sensors_give(void **state)
{
    (void)state;
    static const char *const names[] = {"x",    "v",   "w",      "r",     "pair", "list", "angle",
                                        "rate", "one", "length", "slide", "spin", "angle"};
    ph_model *m = read_text(seeing);
    ph_run *run;
    ph_error err = {0};
    if (ph_run_create(&run, m, NULL, &err) != PH_OK || ph_run_until(run, 0.1, &err) != PH_OK)
        fail_msg("%s", err.text);
    int traced = ph_run_find(run, PH_SENSORS, "traced"), direct = ph_run_find(run, PH_SENSORS, "direct");
    assert_non_null(m->sensor[traced].f.traced->program);
    assert_null(m->sensor[direct].f.traced->program);
    double want[64], got[2][64], same[4];
    int n = 0;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        int sensor = ph_run_find(run, PH_SENSORS, names[k]);
        assert_int_equal(ph_run_get(run, PH_GET_SENSOR, sensor, want + n), PH_OK);
        n += m->sensor[sensor].size;
    }
    assert_int_equal(n, 24);
    assert_int_equal(ph_run_get(run, PH_GET_SENSOR, ph_run_find(run, PH_SENSORS, "same"), same), PH_OK);
    double by_joints[] = {want[n - 4] / 2, want[n - 3], want[n - 2], want[n - 6]};
    check_le(max_diff(same, by_joints, 4), 1e-15); /* round-off */
    assert_int_equal(m->sensor[traced].size, n);
    assert_int_equal(ph_run_get(run, PH_GET_SENSOR, traced, got[0]), PH_OK);
    assert_int_equal(ph_run_get(run, PH_GET_SENSOR, direct, got[1]), PH_OK);
    check_le(max_diff(got[0], want, n), 1e-14); /* round-off */
    check_le(max_diff(got[1], got[0], n), 0);   /* exact */
    ph_run_close(run);
    ph_model_free(m);
}

static const struct {
    const char *body, *words;
} not_seen[] = {
    {"return s.sensors.g", "sensor 'f' depends on itself"},
    {"return s.sensors.f", "sensor 'f' depends on itself"},
    {"return s.sensors.energy", "sensor 'energy': functions cannot read the type energy"},
    {"return s.sensors.a[1]", "sensor 'a': acceleration is not known before accelerations are"},
    {"return s.sensors.hinge", "sensor 'hinge': reaction is not known before accelerations are"},
    {"return s.sensors.tip", "there is no sensor 'tip'; did you mean 'top'?"},
    {"return s.sensors.angle[2]", "attempt to index a number value"},
    {"return s.tie.rate", "there is no body 'tie'; 'tie' is a joint: s.joints.tie"},
    {"return s.angle", "there is no body 'angle'; 'angle' is a sensor: s.sensors.angle"},
    {"return s['the-tie'].rate", "there is no body 'the-tie'; 'the-tie' is a joint: s.joints['the-tie']"},
    {"return s.joints.hing.rate", "there is no joint 'hing'; did you mean 'hinge'?"},
    {"return s.joints.hinge.speed", "a joint has no 'speed'"},
    {"return s.joints.hinge[1]", "a joint has no ''"},
    {"return s.sensors.angle.x", "attempt to index a number value"},
    {"return s.joints.weld.rate", "joint 'weld' has no free coordinate"},
    {"return s.inputs.force", "there is no input 'force'"},
    {"return s.states[1]", "there is no state ''"},
    {"s.joints.hinge = 1 return 1", "a function cannot change the state"},
};

static void what_functions_cannot_see_is_said(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof not_seen / sizeof *not_seen; k++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "body { name = 'a', mass = 1, inertia = {1, 1, 1} }\n"
                 "body { name = 'b', mass = 1, inertia = {1, 1, 1} }\n"
                 "joint { name = 'hinge', type = 'revolute', bodies = {'ground', 'a'}, at = {0, 0, 0}, axis "
                 "= {0, 0, 1} }\n"
                 "joint { name = 'weld', type = 'fixed', bodies = {'a', 'b'}, at = {0, 0, 0} }\n"
                 "body { name = 'c', mass = 1, inertia = {1, 1, 1} }\n"
                 "joint { name = 'tie', type = 'fixed', bodies = {'b', 'c'}, at = {0, 0, 0} }\n"
                 "body { name = 'd', mass = 1, inertia = {1, 1, 1} }\n"
                 "joint { name = 'the-tie', type = 'fixed', bodies = {'c', 'd'}, at = {0, 0, 0} }\n"
                 "sensor { name = 'energy', type = 'energy' }\n"
                 "sensor { name = 'a', type = 'acceleration', body = 'a' }\n"
                 "sensor { name = 'hinge', type = 'reaction', joint = 'hinge' }\n"
                 "sensor { name = 'angle', type = 'angle', joint = 'hinge' }\n"
                 "sensor { name = 'top', type = 'position', body = 'a' }\n"
                 "sensor { name = 'f', custom = function(t, s) %s end }\n"
                 "sensor { name = 'g', custom = function(t, s) return s.sensors.f end }\n",
                 not_seen[k].body);
        refuse_text("seen.lua", text, not_seen[k].words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_give_the_bits_of_lua),
        cmocka_unit_test(what_cannot_be_traced_is_named),
        cmocka_unit_test(ways_that_are_not_known_ask),
        cmocka_unit_test(large_functions_are_traced),
        cmocka_unit_test(neighbours_that_change_are_seen),
        cmocka_unit_test(functions_see_what_sensors_give),
        cmocka_unit_test(what_functions_cannot_see_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
