/* What model files can call: every function ends in time whatever its arguments are, gives the same in every run, and
 * patterns match as they do in Lua. */
#include "model_file.h"

#include <lauxlib.h>
#include <lualib.h>
#include <time.h>

#include "io/file.h"
#include "model/library.h"

/* ---- time ------------------------------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Operations are a sixth of those of a file, and seconds few, so that all functions can be tried; what one look at the
 * clock may miss is added. */
#define LIMIT_S   (1.0 / 3)
#define LIMIT_OPS (PH_MODEL_READ_OPS / 6)
#define SECONDS   (LIMIT_S + MISSED_S)

/* Sanitizers watch every byte that an instruction copies. */
#if defined(__SANITIZE_ADDRESS__)
#define MISSED_S 4.0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MISSED_S 4.0
#endif
#endif
#ifndef MISSED_S
#define MISSED_S 0.5
#endif

static const char before[] = "big, other = ('a'):rep(1e6), ('a'):rep(999999) .. 'a'\n"
                             "nine, opening = ('9'):rep(1e6), ('('):rep(1e6)\n"
                             "text, half = ('a'):rep(1e5), ('a'):rep(5e4)\n"
                             "list, ones, large = {}, {}, {}\n"
                             "for i = 1, 1e5 do list[i], ones[i] = 'a', 1 end\n"
                             "for i = 1, 1000 do large[i] = 1e308 end\n";

/* The worst that each function can do, as far as we know; it is called without end. */
static const struct {
    const char *function, *call;
} worst[] = {
    {"assert", "assert(true, table.unpack(ones))"},
    {"error", "if nil then error(big) end"},
    {"ipairs", "for i in ipairs(list) do end"},
    {"next", "next(list, 5)"},
    {"pairs", "for k in pairs(list) do end"},
    {"rawequal", "rawequal(big, other)"},
    {"rawget", "rawget(list, big .. 'b')"},
    {"rawlen", "rawlen(list)"},
    {"rawset", "rawset(list, big, 1)"},
    {"select", "select(-1, table.unpack(ones))"},
    {"tonumber", "tonumber(nine)"},
    {"tonumber", "tonumber(nine, 16)"},
    {"tostring", "tostring(1.1)"},
    {"type", "type(1)"},
    {"string.byte", "big:byte(1, 1e5)"},
    {"string.byte", "big:byte(1, -1)"},
    {"string.char", "string.char(table.unpack(ones))"},
    {"string.find", "big:find(text .. 'b', 1, true)"},
    {"string.find", "big:find('[' .. ('b'):rep(1e5) .. ']')"},
    {"string.find", "opening:find('%b()')"},
    {"string.find", "big:find('%f[b]')"},
    {"string.match", "text:match(text .. 'b.')"},
    {"string.match", "text:match(half .. 'b-')"},
    {"string.match", "big:match('(.-)%1b')"},
    {"string.match", "text:match('.-.-.-.-.-b')"},
    {"string.gmatch", "for w in text:gmatch('a-b') do end"},
    {"string.gmatch", "for w in opening:gmatch('%b()%b()') do end"},
    {"string.gsub", "text:gsub(half .. '.b', '')"},
    {"string.gsub", "text:gsub('', 'bbbbbb')"},
    {"string.gsub", "text:gsub('a', function() end)"},
    {"string.gsub", "text:sub(1, 1000):gsub('a', text:sub(1, 1000))"},
    {"string.format", "string.format(('%.99f'):rep(1000), table.unpack(large))"},
    {"string.format", "string.format('%.1s%.1s%.1s%.1s%.1s%.1s', big, big, big, big, big, big)"},
    {"string.format", "string.format('%q', nine)"},
    {"string.len", "big:len()"},
    {"string.lower", "big:lower()"},
    {"string.upper", "big:upper()"},
    {"string.reverse", "big:reverse()"},
    {"string.rep", "(''):rep(1e8)"},
    {"string.rep", "('a'):rep(5e5, 'b')"},
    {"string.sub", "big:sub(2)"},
    {"string.pack", "string.pack('c900000', 'a')"},
    {"string.pack", "string.pack('s', big)"},
    {"string.packsize", "string.packsize(('!16i1i16'):rep(1e5))"},
    {"string.unpack", "string.unpack(('b'):rep(1e5), big)"},
    {"table.concat", "table.concat(list, '', 2, 1e5)"},
    {"table.concat", "table.concat(list, text)"},
    {"table.insert", "table.insert(list, 1, 'a') table.remove(list)"},
    {"table.remove", "table.remove(list, 1) table.insert(list, 'a')"},
    {"table.move", "table.move(list, 1, 1e5, 2)"},
    {"table.move", "table.move({}, 1, 1e7, 2)"},
    {"table.move", "table.move({}, 1, math.maxinteger - 1, 2)"},
    {"table.pack", "table.pack(table.unpack(ones))"},
    {"table.sort", "table.sort(list)"},
    {"table.sort", "table.sort(list, function(a, b) return true end)"},
    {"table.unpack", "table.unpack(list)"},
    {"table.unpack", "table.unpack({}, 1, 1e8)"},
    {"math.max", "math.max(table.unpack(ones))"},
    {"math.min", "math.min(table.unpack(ones))"},
    {"math.fmod", "math.fmod(1e308, 5e-324)"},
    {"math.tan", "math.tan(1e300)"},
    {"math.random", "math.random(1, (1 << 62) + 1)"},
    /* no functions, but what they are made of */
    {"", "local x = big == other"},
    {"", "local x = big < other"},
    {"", "local x = nine + 1"},
    {"", "local x = 1e308 % 5e-324"},
    {"", "local x = big .. ''"},
    {"", "local x = {table.unpack(list)}"},
    {"", "(function(...) while true do math.max(...) end end)(table.unpack(ones))"},
};

/* These take a number or two and have no worse cases than those above. */
static const char *const simple[] = {
    "math.abs",   "math.acos",  "math.acosh", "math.asin",  "math.asinh",     "math.atan", "math.atan2",
    "math.atanh", "math.cbrt",  "math.ceil",  "math.cos",   "math.cosh",      "math.deg",  "math.exp",
    "math.floor", "math.hypot", "math.log",   "math.log10", "math.modf",      "math.rad",  "math.randomseed",
    "math.sin",   "math.sinh",  "math.sqrt",  "math.tanh",  "math.tointeger", "math.type", "math.ult",
    "clamp",      "sign",       "smoothstep"};

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Error of Lua or of the reader; 0: none. */
static int run_lua(ph_reader *r, const char *text)
{
    r->failed = 0;
    r->error.text[0] = 0;
    int status = luaL_loadstring(r->L, text);
    if (status == LUA_OK)
        status = lua_pcall(r->L, 0, 0, 0);
    if (status != LUA_OK)
        ph_reader_translate(r, status);
    lua_settop(r->L, 0);
    return status != LUA_OK;
}

static void every_function_ends(void **state)
{
    (void)state;
    ph_reader r = {.def = {.file = "model.lua"}};
    int good = 0;
    assert_non_null(r.L = lua_newstate(ph_sandbox_alloc, &r));
    ph_sandbox_open(&r, r.L);
    if (run_lua(&r, before))
        fail_msg("%s", r.error.text);
    for (size_t k = 0; k < COUNT(worst); k++) {
        char text[1024];
        snprintf(text, sizeof text, "while true do %s end\n", worst[k].call);
        ph_sandbox_start(&r, LIMIT_S, LIMIT_OPS);
        double start = now();
        int failed = run_lua(&r, text);
        double seconds = now() - start;
        const char *why = r.error.text;
        int ok = failed && seconds < SECONDS &&
                 (strstr(why, "takes more than") || strstr(why, "could take too long") ||
                  strstr(why, "too many values") || strstr(why, "MB"));
        if (!ok)
            print_error("%s: %.1f s, '%s'\n", worst[k].call, seconds, why);
        good += ok;
    }
    assert_int_equal(good, COUNT(worst));
    lua_close(r.L);
}

/* ---- what one call costs ------------------------------------------------------------------------------------ */

static size_t most_memory;

static void *watch_alloc(void *reader, void *p, size_t old_size, size_t size)
{
    void *q = ph_sandbox_alloc(reader, p, old_size, size);
    size_t now_used = ((ph_reader *)reader)->memory;
    most_memory = now_used > most_memory ? now_used : most_memory;
    return q;
}

/* Operations and bytes of one call with the worst arguments, and whether a limit ends it. */
typedef struct cost {
    double work, memory, seconds;
    int refused;
} cost;

#define COST_OPS (PH_MODEL_READ_OPS / 10) /* what costs more is said to cost the limit */

static cost cost_of(ph_reader *r, const char *call)
{
    lua_gc(r->L, LUA_GCCOLLECT);
    ph_sandbox_start(r, PH_MODEL_READ_S, COST_OPS);
    size_t used = most_memory = r->memory;
    double start = now();
    int refused = run_lua(r, call);
    return (cost){r->work, (double)(most_memory - used), now() - start, refused};
}

/* As a row of the table of docs/model.md: the next powers of ten. */
static void put_cost(char *row, size_t size, const char *function, const cost *c)
{
    char work[32] = "the limit";
    if (!c->refused)
        snprintf(work, sizeof work, "%.0e", pow(10, ceil(log10(c->work))));
    snprintf(row, size, "| `%s` | %s | %.0e |\n", function, work, pow(10, ceil(log10(c->memory + 1))));
}

/* The worst call of each function; those below 1e4 operations and 100 kB have no row. Operations tell the time: none takes longer than 100 ns
 * (some 5 ns are usual), with 50 ms for what the collector does. */
static void costs_are_as_documented(void **state)
{
    (void)state;
    ph_reader r = {.def = {.file = "model.lua"}};
    size_t size;
    char *page = ph_file_read(PH_TEST_DIR "/../docs/model.md", &size), row[160];
    int wrong = 0;
    assert_non_null(page);
    assert_non_null(r.L = lua_newstate(watch_alloc, &r));
    ph_sandbox_open(&r, r.L);
    ph_sandbox_start(&r, PH_MODEL_READ_S, PH_MODEL_READ_OPS);
    if (run_lua(&r, before))
        fail_msg("%s", r.error.text);
    for (size_t k = 0, i; k < COUNT(worst); k = i) {
        const char *function = worst[k].function;
        cost most = {0};
        if (!function[0])
            break; /* these have no name to be listed by */
        for (i = k; i < COUNT(worst) && !strcmp(worst[i].function, function); i++) {
            cost c = cost_of(&r, worst[i].call);
            if (c.seconds > 1e-7 * c.work + 0.05)
                print_error("%s: %.3f s for %.2g operations\n", worst[i].call, c.seconds, c.work), wrong++;
            most.work = fmax(most.work, c.work), most.memory = fmax(most.memory, c.memory),
            most.refused |= c.refused;
        }
        int small = most.work <= 1e4 && most.memory <= 1e5;
        put_cost(row, sizeof row, function, &most);
        if (!!strstr(page, row) == small)
            print_error("%s%s", small ? "needs no row: " : "", row), wrong++;
    }
    lua_close(r.L);
    free(page);
    assert_int_equal(wrong, 0);
}

static int is_listed(const char *name)
{
    for (size_t k = 0; k < COUNT(worst); k++)
        if (!strcmp(worst[k].function, name))
            return 1;
    for (size_t k = 0; k < COUNT(simple); k++)
        if (!strcmp(simple[k], name))
            return 1;
    return 0;
}

static int is_element(const char *name)
{
    for (int kind = 0; kind < PH_KINDS; kind++) {
        if (!strcmp(ph_kind_word((ph_kind)kind), name))
            return 1;
        for (int type = 0; ph_type_get((ph_kind)kind, type); type++)
            if (!strcmp(ph_type_get((ph_kind)kind, type)->name, name))
                return 1;
    }
    static const char *const ours[] = {"model", "param", "gravity", "curve", "include"};
    for (size_t k = 0; k < sizeof ours / sizeof *ours; k++)
        if (!strcmp(name, ours[k]))
            return 1;
    return 0;
}

/* The functions that a file finds, as particles of their names, are those of the lists above, or make elements. */
static void every_function_is_listed(void **state)
{
    (void)state;
    ph_model *m = read_text("local found = {}\n"
                            "for _, lib in ipairs{'_G', 'string', 'table', 'math'} do\n"
                            "  for name, f in pairs(_G[lib]) do\n"
                            "    assert(type(f) ~= 'table' or lib == '_G')\n"
                            "    if type(f) == 'function' then\n"
                            "      found[#found + 1] = lib == '_G' and name or lib .. '_' .. name\n"
                            "    end\n"
                            "  end\n"
                            "end\n"
                            "for _, name in ipairs(found) do particle{ name = 'is_' .. name, mass = 1 } end\n"
                            "assert(#found > 60)\n");
    int unknown = 0;
    for (int k = 0; k < m->n_bodies; k++) {
        char name[64];
        const char *plain = m->body[k].name + strlen("is_"); /* no body may be called "ground" */
        snprintf(name, sizeof name, "%s", plain);
        if (strchr(name, '_'))
            *strchr(name, '_') = '.';
        if (!is_element(plain) && !is_listed(name)) {
            print_error("%s has no row\n", name);
            unknown++;
        }
    }
    assert_int_equal(unknown, 0);
    ph_model_free(m);
}

/* In a function of the model, which has half of it. */
static void calls_end(void **state)
{
    (void)state;
    ph_model *m = read_text("body { name = 'a', mass = 1, inertia = {1, 1, 1} }\n"
                            "local text = ('a'):rep(1e5)\n"
                            "force { name = 'f', body = 'a', value = function(t, s)\n"
                            "    if t > 1 then text:match(text .. 'b.') end\n"
                            "    return 0, 0, 0 end }\n");
    double out[3], start = now();
    ph_body_state b = {.q = {1, 0, 0, 0}};
    const ph_function *f = &m->force[0].f;
    assert_int_equal(f->call(f, 2, &b, 3, out), PH_E_CALLBACK);
    assert_true(now() - start < PH_MODEL_CALL_S + MISSED_S);
    assert_non_null(strstr(ph_model_complaint(m), "model.lua:4: force 'f': this takes more than"));
    assert_int_equal(f->call(f, 0, &b, 3, out), PH_OK);
    ph_model_free(m);
}

/* A file of one line, whose parser has quadratic work. */
static void one_line(void **state)
{
    (void)state;
    static const char head[] = "local y = x ", piece[] = "or x ";
    size_t size = 15 << 20, n = strlen(head);
    char *text = malloc(size + 64);
    assert_non_null(text);
    memcpy(text, head, n);
    for (; n + strlen(piece) < size; n += strlen(piece))
        memcpy(text + n, piece, strlen(piece));
    text[n] = 0;
    double start = now();
    refuse_text("model.lua", text, "model.lua:1: the file takes too long to read");
    assert_true(now() - start <
                PH_MODEL_READ_S + MISSED_S + 3); /* and writing and reading 15 MB, on a busy machine too */
    free(text);
}

/* ---- the same in every run ---------------------------------------------------------------------------------- */

static void same_in_every_run(void **state)
{
    (void)state;
    /* sort keeps the order of equals; next and pairs go by keys; nothing shows an address */
    ph_model_free(read_text(
        "particle { name = 'p', mass = 1 }\n"
        "local t = {}\n"
        "for i = 1, 5000 do t[i] = {key = i * 7919 % 10, i = i} end\n"
        "table.sort(t, function(a, b) return a.key < b.key end)\n"
        "for i = 2, #t do\n"
        "  local a, b = t[i - 1], t[i]\n"
        "  assert(a.key < b.key or (a.key == b.key and a.i < b.i))\n"
        "end\n"
        "local u = {}\n"
        "for i = 1, 1000 do u[i] = i * 7919 % 1009 end\n"
        "table.sort(u, function(a, b) return a > b end)\n"
        "for i = 2, #u do assert(u[i - 1] > u[i]) end\n"
        "table.sort(u)\n"
        "for i = 2, #u do assert(u[i - 1] < u[i]) end\n"
        "assert(#u == 1000)\n"
        "local k = {zeta = 1, eta = 2, [true] = 3, [false] = 4, [2] = 5, [1.5] = 6, Zeta = 7, ['zeta\\0'] = "
        "8}\n"
        "local order = ''\n"
        "for key, v in next, k do assert(k[key] == v) order = order .. v end\n"
        "assert(order == '65721843', order)\n"
        "order = ''\n"
        "for _, v in pairs(k) do order = order .. v end\n"
        "assert(order == '65721843', order)\n"
        "assert(next({}) == nil and next({5}) == 1)\n"
        "assert(tostring({}) == 'table' and tostring(type) == 'function' and tostring(nil) == 'nil')\n"
        "assert(tostring(1) == '1' and tostring(1.5) == '1.5' and tostring('x') == 'x')\n"
        "assert(('%s %-9s|%d%% %s'):format({}, type, 5, true) == 'table function |5% true')\n"));
    refuse_text("model.lua", "for k in pairs{[{}] = 1} do end",
                "model.lua:1: a key is a table, and such keys have no order");
    refuse_text("model.lua", "local t = {}\nt[type] = 1\nlocal k = next(t)",
                "model.lua:3: a key is a function, and");
    refuse_text("model.lua", "\nlocal s = ('%p'):format({})", "model.lua:2: %p shows an address");
    refuse_text("model.lua", "table.sort({3, 'x', 2})", "model.lua:1: attempt to compare");
    refuse_text("model.lua", "table.sort({3, 1, 2}, 5)",
                "bad argument #2 to 'sort' (function expected, got number)");
}

/* ---- patterns as in Lua ------------------------------------------------------------------------------------- */

/* stock(name, ...) and ours(name, ...): the results of pcall, as one string. */
static const char compare[] =
    "local function show(...)\n"
    "  local t = {...}\n"
    "  if not t[1] then return 'error' end\n"
    "  for i = 1, select('#', ...) do t[i] = math.type(t[i]) == nil and tostring(t[i]) or 'n' .. t[i] end\n"
    "  return table.concat(t, '|')\n"
    "end\n"
    "local function all(f, s, p)\n"
    "  local out = {}\n"
    "  for a, b, c in f(s, p) do out[#out + 1] = tostring(a) .. ',' .. tostring(b) .. ',' .. tostring(c) "
    "end\n"
    "  return table.concat(out, ';')\n"
    "end\n"
    "local s, p, repl, init = ...\n"
    "local function both(name, ...)\n"
    "  local a, b = show(pcall(stock[name], ...)), show(pcall(ours[name], ...))\n"
    "  if a ~= b then error(name .. '(' .. s .. ', ' .. p .. ', ' .. repl .. ', ' .. init .. '): ' .. a .. ' "
    "~= ' .. b) end\n"
    "end\n"
    "both('find', s, p, init) both('match', s, p, init) both('find', s, p, init, true)\n"
    "both('gsub', s, p, repl) both('gsub', s, p, repl, init) both('gsub', s, p, {a = 'X', ab = false})\n"
    "both('gsub', s, p, function(a, b) return b end)\n"
    "local x, y = show(pcall(all, stock.gmatch, s, p)), show(pcall(all, ours.gmatch, s, p))\n"
    "if x ~= y then error('gmatch(' .. s .. ', ' .. p .. '): ' .. x .. ' ~= ' .. y) end\n"
    "x, y = show(pcall(stock.gmatch(s, '', init))), show(pcall(ours.gmatch(s, '', init)))\n"
    "if x ~= y then error('gmatch from ' .. init) end\n";

static int pick(uint64_t *seed, int n)
{
    return (int)(fabs(rnd(seed)) * (n - 1e-9));
}

static void draw(uint64_t *seed, const char *const *words, size_t n, char *text, int most)
{
    text[0] = 0;
    for (int k = pick(seed, most + 1); k > 0; k--)
        strcat(text, words[pick(seed, (int)n)]);
}

static void patterns_as_in_lua(void **state)
{
    (void)state;
    static const char *const letters[] = {"a", "b", "a", "aa", "ab", "(", ")",
                                          "1", " ", ".", "-",  "x",  "%", "Z"};
    static const char *const pieces[] = {
        "a",   "b",  "a*",   "a-",   "a+",   "a?",     "b*",     "b-",     ".",    ".-",     ".*",  "(",
        ")",   "()", "%1",   "%2",   "[ab]", "[^a]",   "[a-z]*", "[%a%]]", "%b()", "%f[%w]", "%f",  "%d",
        "%w+", "%A", "%s",   "%",    "[",    "]",      "^",      "$",      "%z",   "-",      "[]]", "[^]]",
        "%.",  "%x", "(a*)", "(.-)", "[a-]", "[%a-z]", "%p",     "%u",     "%c*"};
    static const char *const replacements[] = {"", "x", "%0", "%1", "%2", "<%1>", "%%", "%", "%a"};
    ph_reader r = {.work_limit = 1e300, .time_limit = 1e9};
    lua_State *L = lua_newstate(ph_sandbox_alloc, &r);
    assert_non_null(L);
    r.L = L;
    luaL_openlibs(L);
    lua_newtable(L);
    for (int k = 0; k < 4; k++) {
        static const struct {
            const char *name;
            lua_CFunction f;
        } own[] = {{"find", ph_string_find},
                   {"match", ph_string_match},
                   {"gmatch", ph_string_gmatch},
                   {"gsub", ph_string_gsub}};
        lua_pushcfunction(L, own[k].f);
        lua_setfield(L, -2, own[k].name);
    }
    lua_setglobal(L, "ours");
    lua_getglobal(L, "string");
    lua_setglobal(L, "stock");
    assert_int_equal(luaL_loadstring(L, compare), LUA_OK);
    uint64_t seed = 11;
    for (int run = 0; run < 40000; run++) {
        char s[128], p[128];
        draw(&seed, letters, COUNT(letters), s, 10);
        draw(&seed, pieces, COUNT(pieces), p, 6);
        lua_pushvalue(L, -1);
        lua_pushstring(L, s);
        lua_pushstring(L, p);
        lua_pushstring(L, replacements[pick(&seed, COUNT(replacements))]);
        lua_pushinteger(L, pick(&seed, 13) - 5);
        if (lua_pcall(L, 4, 0, 0) != LUA_OK)
            fail_msg("%s", lua_tostring(L, -1));
    }
    assert_true(r.work > 1e6);
    lua_close(L);
    assert_int_equal(r.memory, 0);
}

/* A pattern of any form is no matter of size: the work is that which the text really takes. */
static void long_texts(void **state)
{
    (void)state;
    ph_model_free(read_text(
        "particle { name = 'p', mass = 1 }\n"
        "local text, n, sum = ('1.5, 2.5e3 ; '):rep(20000), 0, 0\n"
        "for a, b in text:gmatch('(%d+%.?%d*)%s*,%s*([%d%.e]+)%s*;') do n, sum = n + 1, sum + a + b end\n"
        "assert(n == 20000 and sum == 20000 * 2501.5)\n"
        "for i = 1, #text do assert(#text:sub(i, i) == 1 and text:byte(i) > 0) end\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_ends),
        cmocka_unit_test(costs_are_as_documented),
        cmocka_unit_test(every_function_is_listed),
        cmocka_unit_test(calls_end),
        cmocka_unit_test(one_line),
        cmocka_unit_test(same_in_every_run),
        cmocka_unit_test(patterns_as_in_lua),
        cmocka_unit_test(long_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
