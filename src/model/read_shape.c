/* Shapes of model files: shape = {box = {1, 2, 3}, at = {..}, rotation = {..}, color = ".."}, or a list of such. */
#include "model/inside.h"

#include <ctype.h>
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    int sizes, section;
} rows[] = {
#define PH_SHAPE(code, name, sizes, section, text) {sizes, section},
#include "mech/shapes.def"
#undef PH_SHAPE
};

/* ---- colours ----------------------------------------------------------------------------------------- */

/* Colours that people with any kind of sight tell apart (Okabe and Ito), and greys. */
static const struct {
    const char *name;
    int rgb;
} colors[] = {{"blue", 0x0072b2},   {"sky", 0x56b4e9},  {"green", 0x009e73}, {"yellow", 0xf0e442},
              {"orange", 0xe69f00}, {"red", 0xd55e00},  {"pink", 0xcc79a7},  {"white", 0xf2f2f2},
              {"silver", 0xb8bec6}, {"grey", 0x7f868f}, {"black", 0x22262b}, {"brown", 0x8c6243}};

#define COLORS ((int)(sizeof colors / sizeof *colors))

static const char *color_word(int k)
{
    return k >= 0 && k < COLORS ? colors[k].name : NULL;
}

static int read_hex(ph_reader *r, const char *text)
{
    int good = strlen(text) == 7;
    for (int i = 1; good && i < 7; i++)
        good = isxdigit((unsigned char)text[i]);
    if (!good)
        ph_reader_fail(r, "color '%.64s' must be \"#\" and six hexadecimal digits, as \"#d55e00\"", text);
    return (int)strtol(text + 1, NULL, 16);
}

static int read_color(ph_reader *r, lua_State *L)
{
    double x[3];
    int rgb = 0;
    if (lua_type(L, -1) == LUA_TSTRING) {
        const char *text = lua_tostring(L, -1);
        if (text[0] == '#')
            return read_hex(r, text);
        int k = ph_word_find(text, color_word);
        if (k < 0)
            ph_fail_word(r, "there is no color", text, color_word);
        return colors[k].rgb;
    }
    if (!lua_istable(L, -1))
        ph_reader_fail(r, "color must be a word, \"#rrggbb\" or {r, g, b}, not a %s", luaL_typename(L, -1));
    ph_value_numbers(r, L, "color", 3, x);
    for (int i = 0; i < 3; i++) {
        if (!(x[i] >= 0 && x[i] <= 1))
            ph_reader_fail(r, "color[%d] is %g; it must be from 0 to 1", i + 1, x[i]);
        rgb = rgb << 8 | (int)lround(255 * x[i]);
    }
    return rgb;
}

/* ---- one shape --------------------------------------------------------------------------------------- */

static const char *member_word(int k)
{
    static const char *const words[] = {"at", "rotation", "color", "scale", "marker"};
    return k < PH_SHAPE_COUNT ? ph_shape_word(k) : k < PH_SHAPE_COUNT + 5 ? words[k - PH_SHAPE_COUNT] : NULL;
}

/* Which of box, sphere, ... is there; its value is left on the stack. */
static int take_type(ph_reader *r, lua_State *L, const char *key)
{
    int type = -1;
    for (int k = 0; k < PH_SHAPE_COUNT; k++) {
        if (!ph_table_optional(L, ph_shape_word(k)))
            continue;
        if (type >= 0)
            ph_reader_fail(r, "%s is a %s and a %s; give a list of two shapes", key, ph_shape_word(type),
                           ph_shape_word(k));
        type = k;
        lua_pop(L, 1);
    }
    if (type < 0)
        ph_reader_fail(r, "%s needs one of box, sphere, cylinder, capsule, cone, tube, mesh", key);
    ph_table_optional(L, ph_shape_word(type));
    return type;
}

static void read_sizes(ph_reader *r, lua_State *L, ph_shape_def *s, int n)
{
    const char *name = ph_shape_word(s->type);
    if (n == 1 && lua_type(L, -1) == LUA_TNUMBER)
        s->size[0] = ph_value_number(r, L, name);
    else
        ph_value_numbers(r, L, name, n, s->size);
    for (int i = 0; i < n; i++)
        if (!(s->size[i] > 0))
            ph_reader_fail(
                r, n == 1 ? "%s is %g; it must be above 0" : "%s has the size %g; all must be above 0", name,
                s->size[i]);
    if (s->type == PH_SHAPE_TUBE && !(s->size[1] < s->size[0]))
        ph_reader_fail(r, "tube has the inner radius %g, which must be below its radius, %g", s->size[1],
                       s->size[0]);
}

static void read_mesh(ph_reader *r, lua_State *L, ph_shape_def *s)
{
    if (lua_istable(L, -1))
        ph_mesh_value(r, L, "mesh", &s->mesh);
    else
        ph_mesh_read(r, ph_value_file(r, L, "mesh"), &s->mesh);
    s->size[0] = 1;
}

static void read_place(ph_reader *r, lua_State *L, const char *key, ph_kind kind, ph_shape_def *s)
{
    static const char *const places[] = {"at", "rotation", "marker"};
    for (int k = 0; k < 3; k++)
        if (ph_table_optional(L, places[k])) {
            if (kind == PH_K_BEAM || kind == PH_K_FORCE)
                ph_reader_fail(r, "%s is the section of a beam, and cannot have %s", key, places[k]);
            if (k == 2 && kind != PH_K_FLEXIBLE)
                ph_reader_fail(r, "%s: only shapes of flexible bodies have a marker", key);
            if (k == 0) {
                double x[3];
                ph_value_numbers(r, L, "at of shape", 3, x);
                s->at = ph_load3(x);
            } else if (k == 1) {
                s->R = ph_value_rotation(r, L, "rotation of shape");
            } else {
                s->marker = ph_value_name(r, L, "marker of shape");
            }
            lua_pop(L, 1);
        }
}

/* The table on top of the stack. */
static ph_shape_def read_shape(ph_reader *r, lua_State *L, const char *key, ph_kind kind)
{
    ph_shape_def s = {.R = {1, 0, 0, 0}, .color = -1};
    int beam = kind == PH_K_BEAM || kind == PH_K_FORCE;
    ph_table_only(r, L, key, member_word);
    s.type = take_type(r, L, key);
    if (beam && !rows[s.type].section)
        ph_reader_fail(r, "%s is the section of a beam: a box, cylinder or tube, not a %s", key,
                       ph_shape_word(s.type));
    if (s.type == PH_SHAPE_MESH)
        read_mesh(r, L, &s);
    else
        read_sizes(r, L, &s, beam ? rows[s.type].section : rows[s.type].sizes);
    lua_pop(L, 1);
    read_place(r, L, key, kind, &s);
    if (ph_table_optional(L, "color")) {
        s.color = read_color(r, L);
        lua_pop(L, 1);
    }
    if (ph_table_optional(L, "scale")) {
        if (s.type != PH_SHAPE_MESH)
            ph_reader_fail(r, "%s: only a mesh has a scale", key);
        lua_pop(L, 1);
        ph_table_positive(r, L, key, "scale", 1, s.size);
    }
    return s;
}

/* ---- one or several ---------------------------------------------------------------------------------- */

void ph_shape_value(ph_reader *r, lua_State *L, const ph_key *k, int index)
{
    if (!lua_istable(L, -1))
        ph_reader_fail(r, "%s must be a shape, as {box = {1, 1, 1}}, or a list of shapes, not a %s", k->name,
                       luaL_typename(L, -1));
    int n = (int)lua_rawlen(L, -1), single = n == 0;
    if (n > PH_MODEL_SHAPES)
        ph_reader_fail(r, "%s is a list of %d; the limit is %d", k->name, n, PH_MODEL_SHAPES);
    if (n > 1 && (k->kind == PH_K_BEAM || k->kind == PH_K_FORCE))
        ph_reader_fail(r, "%s is the section of a beam: one, not a list", k->name);
    ph_shape_list all = {single ? 1 : n, NULL};
    ph_shape_def *shape = ph_store_room(r, (size_t)all.n, sizeof *shape);
    for (int i = 0; i < all.n; i++) {
        char name[64];
        snprintf(name, sizeof name, single ? "%s" : "%s[%d]", k->name, i + 1);
        if (!single)
            lua_rawgeti(L, -1, i + 1);
        shape[i] = read_shape(r, L, name, k->kind);
        if (!single)
            lua_pop(L, 1);
    }
    all.shape = shape;
    memcpy((char *)ph_store_at(r, k->kind, index) + k->at, &all, sizeof all);
}
