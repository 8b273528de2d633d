/* Values of flexible{}: finite elements, interfaces, modes, damping, stress stiffness. */
#include "model/inside.h"

#include <lauxlib.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define MODES_WANTED 1000 /* of which some may be kept */

static ph_fe_spec *spec_of(ph_reader *r, int index)
{
    return &((ph_flexible_def *)ph_store_at(r, PH_K_FLEXIBLE, index))->spec;
}

/* A whole number >= 0, such as that of a node. */
static int whole(ph_reader *r, lua_State *L, const char *key)
{
    double x = ph_value_number(r, L, key);
    if (!(x >= 0 && x <= INT_MAX) || x != floor(x))
        ph_reader_fail(r, "%s is %g; it must be a whole number, not negative", key, x);
    return (int)x;
}

/* A list of them; one alone needs no braces. */
static const int *wholes(ph_reader *r, lua_State *L, const char *key, int *count)
{
    int single = lua_type(L, -1) == LUA_TNUMBER, n = single               ? 1
                                                     : lua_istable(L, -1) ? (int)lua_rawlen(L, -1)
                                                                          : 0;
    if (n < 1 || n > PH_MODEL_ELEMENTS)
        ph_reader_fail(r, "%s must be a whole number or a list of such", key);
    int *all = ph_store_room(r, (size_t)n, sizeof *all);
    for (int i = 0; i < n; i++) {
        char name[96];
        if (!single)
            lua_rawgeti(L, -1, i + 1);
        snprintf(name, sizeof name, "%.64s[%d]", key, i + 1);
        all[i] = whole(r, L, single ? key : name);
        if (!single)
            lua_pop(L, 1);
    }
    *count = n;
    return all;
}

/* ---- beams ----------------------------------------------------------------------------------------- */

static const char *section_word(int k)
{
    static const char *const words[] = {"EA", "GJ", "EI"};
    return k >= 0 && k < 3 ? words[k] : NULL;
}

static const char *mass_word(int k)
{
    static const char *const words[] = {"rhoA", "rhoJ", "J"};
    return k >= 0 && k < 3 ? words[k] : NULL;
}

/* rhoJ: about the axis alone; J: also rotary inertia of bending */
static void read_mass(ph_reader *r, lua_State *L, const char *key, ph_fe_section *s)
{
    ph_table_push(r, L, key, "mass");
    ph_table_only(r, L, "mass", mass_word);
    ph_table_positive(r, L, "mass", "rhoA", 1, &s->rhoA);
    if (ph_table_optional(L, "J")) {
        ph_mat3 J = ph_value_inertia(r, L, "J of mass");
        lua_pop(L, 1);
        if (J.xy != 0 || J.xz != 0 || J.yz != 0)
            ph_reader_fail(r, "J of mass must be about the axes of the section: 3 numbers");
        s->J[0] = J.xx, s->J[1] = J.yy, s->J[2] = J.zz;
        if (ph_table_optional(L, "rhoJ"))
            ph_reader_fail(r, "mass has rhoJ and J; give one of them");
    } else {
        ph_table_positive(r, L, "mass", "rhoJ", 1, &s->J[0]);
    }
    lua_pop(L, 1);
}

/* What members and beam have in common. */
static void read_member(ph_reader *r, lua_State *L, const char *key, ph_fe_member *m)
{
    char name[96];
    ph_table_push(r, L, key, "n");
    snprintf(name, sizeof name, "n of %.64s", key);
    m->n = ph_value_count(r, L, name);
    lua_pop(L, 1);
    ph_table_push(r, L, key, "section");
    ph_table_only(r, L, "section", section_word);
    ph_table_positive(r, L, "section", "EA", 1, &m->section.EA);
    ph_table_positive(r, L, "section", "GJ", 1, &m->section.GJ);
    ph_table_positive(r, L, "section", "EI", 2, m->section.EI);
    lua_pop(L, 1);
    read_mass(r, L, key, &m->section);
    if (ph_table_optional(L, "frame")) {
        snprintf(name, sizeof name, "frame of %.64s", key);
        m->axis = ph_value_unit(r, L, name);
        lua_pop(L, 1);
    }
}

static const char *beam_word(int k)
{
    static const char *const words[] = {"from", "to", "n", "section", "mass", "frame"};
    return k >= 0 && k < 6 ? words[k] : NULL;
}

static void read_beam(ph_reader *r, lua_State *L, const char *key, ph_fe_spec *spec)
{
    double *points = ph_store_numbers(r, NULL, 6);
    ph_fe_member *m = ph_store_room(r, 1, sizeof *m);
    ph_table_only(r, L, key, beam_word);
    ph_table_push(r, L, key, "from");
    ph_value_numbers(r, L, "from of beam", 3, points);
    lua_pop(L, 1);
    ph_table_push(r, L, key, "to");
    ph_value_numbers(r, L, "to of beam", 3, points + 3);
    lua_pop(L, 1);
    read_member(r, L, key, m);
    m->to = 1;
    spec->points = points, spec->n_points = 2;
    spec->member = m, spec->n_members = 1;
}

static const char *member_word(int k)
{
    static const char *const words[] = {"nodes", "n", "section", "mass", "frame"};
    return k >= 0 && k < 5 ? words[k] : NULL;
}

static int list_size(ph_reader *r, lua_State *L, const char *key, int least)
{
    int n = lua_istable(L, -1) ? (int)lua_rawlen(L, -1) : 0;
    if (n < least || n > PH_MODEL_ELEMENTS)
        ph_reader_fail(r, "%s must be a list, of %d or more", key, least);
    return n;
}

static void read_members(ph_reader *r, lua_State *L, const char *key, ph_fe_spec *spec)
{
    int n = list_size(r, L, key, 1);
    ph_fe_member *all = ph_store_room(r, (size_t)n, sizeof *all);
    for (int i = 0; i < n; i++) {
        char name[64], which[80];
        int count;
        snprintf(name, sizeof name, "%.40s[%d]", key, i + 1);
        snprintf(which, sizeof which, "nodes of %s", name);
        lua_rawgeti(L, -1, i + 1);
        ph_table_only(r, L, name, member_word);
        ph_table_push(r, L, name, "nodes");
        const int *end = wholes(r, L, which, &count);
        if (count != 2 || end[0] == end[1])
            ph_reader_fail(r, "%s must be two points", which);
        lua_pop(L, 1);
        read_member(r, L, name, &all[i]);
        all[i].from = end[0], all[i].to = end[1];
        lua_pop(L, 1);
    }
    spec->member = all, spec->n_members = n;
}

static void read_points(ph_reader *r, lua_State *L, const char *key, ph_fe_spec *spec)
{
    int n = list_size(r, L, key, 2);
    double *all = ph_store_numbers(r, NULL, 3 * n);
    for (int i = 0; i < n; i++) {
        char name[64];
        snprintf(name, sizeof name, "%.40s[%d]", key, i + 1);
        lua_rawgeti(L, -1, i + 1);
        ph_value_numbers(r, L, name, 3, all + 3 * i);
        lua_pop(L, 1);
    }
    spec->points = all, spec->n_points = n;
}

/* ---- nodes ----------------------------------------------------------------------------------------- */

static void read_node(ph_reader *r, lua_State *L, const char *key, ph_fe_spec *spec)
{
    if (lua_type(L, -1) == LUA_TSTRING)
        spec->frame = ph_value_name(r, L, key);
    else
        spec->frame_id = whole(r, L, key);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const ph_fe_interface *)a)->name, ((const ph_fe_interface *)b)->name);
}

/* In the order of their names: that of a table is random. */
static void read_interfaces(ph_reader *r, lua_State *L, const char *key, ph_fe_spec *spec)
{
    int n = 0;
    if (!lua_istable(L, -1))
        ph_reader_fail(r, "%s must be a table of names with nodes, not a %s", key, luaL_typename(L, -1));
    luaL_checkstack(L, 6, NULL);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING)
            ph_reader_fail(r, "%s has nodes without a name; write name = {nodes}", key);
        n++;
    }
    if (n > PH_MODEL_FLEXIBLE)
        ph_reader_fail(r, "%s are more than %d", key, PH_MODEL_FLEXIBLE);
    ph_fe_interface *all = ph_store_room(r, (size_t)n + 1, sizeof *all);
    int k = 0;
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1), k++) {
        char name[96];
        lua_pushvalue(L, -2);
        all[k].name = ph_value_name(r, L, "the name of an interface");
        lua_pop(L, 1);
        snprintf(name, sizeof name, "interface '%s'", all[k].name);
        all[k].id = wholes(r, L, name, &all[k].n);
    }
    qsort(all, (size_t)n, sizeof *all, by_name);
    spec->interface = all, spec->n_interfaces = n;
}

/* ---- modes ----------------------------------------------------------------------------------------- */

static const char *modes_word(int k)
{
    static const char *const words[] = {"type", "n", "fixed", "keep"};
    return k >= 0 && k < 4 ? words[k] : NULL;
}

static const char *type_word(int k)
{
    static const char *const words[] = {"clamped", "craig-bampton", "pinned"};
    return k >= 0 && k < 3 ? words[k] : NULL;
}

static void read_type(ph_reader *r, lua_State *L, ph_fe_spec *spec)
{
    if (!ph_table_optional(L, "type"))
        return;
    if (lua_type(L, -1) != LUA_TSTRING)
        ph_reader_fail(r, "type of modes must be a string, not a %s", luaL_typename(L, -1));
    spec->type = ph_word_find(lua_tostring(L, -1), type_word);
    if (spec->type < 0)
        ph_fail_word(r, "modes have no type", lua_tostring(L, -1), type_word);
    lua_pop(L, 1);
}

static void limit_modes(ph_reader *r, const char *what, int n)
{
    if (n > MODES_WANTED)
        ph_reader_fail(r, "%s of modes is %d; the limit is %d", what, n, MODES_WANTED);
}

static void read_modes(ph_reader *r, lua_State *L, const char *key, ph_fe_spec *spec)
{
    if (lua_type(L, -1) == LUA_TSTRING) {
        spec->modes = ph_store_path(r, key, ph_value_file(r, L, key));
        return;
    }
    ph_table_only(r, L, key, modes_word);
    read_type(r, L, spec);
    if (ph_table_optional(L, "n")) {
        spec->n = ph_value_count(r, L, "n of modes");
        lua_pop(L, 1);
    }
    if (ph_table_optional(L, "fixed")) {
        if (spec->type != PH_MODES_CRAIG_BAMPTON)
            ph_reader_fail(r, "modes: fixed is for craig-bampton alone");
        spec->fixed = whole(r, L, "fixed of modes");
        lua_pop(L, 1);
    }
    if (ph_table_optional(L, "keep")) {
        spec->keep = wholes(r, L, "keep of modes", &spec->n_keep);
        if (!spec->n)
            spec->n = spec->keep[spec->n_keep - 1];
        lua_pop(L, 1);
    }
    limit_modes(r, "n", spec->n);
    limit_modes(r, "fixed", spec->fixed);
    if (!spec->n && (spec->type != PH_MODES_CRAIG_BAMPTON || spec->fixed == PH_AS_MANY))
        ph_reader_fail(r, "modes: n, the number of modes, is missing");
}

/* ---- damping --------------------------------------------------------------------------------------- */

static const char *damping_word(int k)
{
    static const char *const words[] = {"ratio", "alpha", "beta"};
    return k >= 0 && k < 3 ? words[k] : NULL;
}

static double not_negative(ph_reader *r, lua_State *L, const char *key)
{
    double x = ph_value_number(r, L, key);
    if (!(x >= 0))
        ph_reader_fail(r, "%s is %g; it must not be negative", key, x);
    return x;
}

static void read_ratios(ph_reader *r, lua_State *L, ph_fe_spec *spec)
{
    int single = lua_type(L, -1) == LUA_TNUMBER, n = single ? 1 : list_size(r, L, "ratio of damping", 1);
    if (n > PH_MODES_MAX)
        ph_reader_fail(r, "ratio of damping: the limit is %d modes", PH_MODES_MAX);
    double *all = ph_store_numbers(r, NULL, n);
    if (single)
        all[0] = not_negative(r, L, "ratio of damping");
    for (int i = 0; !single && i < n; i++) {
        char name[64];
        snprintf(name, sizeof name, "ratio of damping[%d]", i + 1);
        lua_rawgeti(L, -1, i + 1);
        all[i] = not_negative(r, L, name);
        lua_pop(L, 1);
    }
    spec->ratio = all, spec->n_ratios = n;
}

static void read_damping(ph_reader *r, lua_State *L, const char *key, ph_fe_spec *spec)
{
    ph_table_only(r, L, key, damping_word);
    if (ph_table_optional(L, "ratio")) {
        read_ratios(r, L, spec);
        lua_pop(L, 1);
    }
    if (ph_table_optional(L, "alpha")) {
        spec->alpha = not_negative(r, L, "alpha of damping");
        lua_pop(L, 1);
    }
    if (ph_table_optional(L, "beta")) {
        spec->beta = not_negative(r, L, "beta of damping");
        lua_pop(L, 1);
    }
}

/* ---- stress stiffness ------------------------------------------------------------------------------ */

static int by_case(const void *a, const void *b)
{
    return strcmp(((const ph_fe_stress *)a)->name, ((const ph_fe_stress *)b)->name);
}

static void read_stress(ph_reader *r, lua_State *L, const char *key, ph_fe_spec *spec)
{
    int n = 0;
    if (lua_isboolean(L, -1)) {
        spec->stiffen = lua_toboolean(L, -1);
        return;
    }
    spec->stiffen = 0;
    if (lua_type(L, -1) == LUA_TSTRING) {
        ph_fe_stress *one = ph_store_room(r, 1, sizeof *one);
        one->path = ph_store_path(r, key, ph_value_file(r, L, key));
        spec->stress = one, spec->n_stress = 1;
        return;
    }
    if (!lua_istable(L, -1))
        ph_reader_fail(r, "%s must be true, false, a file or a table of files", key);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1), n++)
        if (lua_type(L, -2) != LUA_TSTRING || n >= PH_MODEL_FLEXIBLE)
            ph_reader_fail(r, "%s must be a table of load cases with files, as {omega_zz = \"KG.mtx\"}", key);
    ph_fe_stress *all = ph_store_room(r, (size_t)n + 1, sizeof *all);
    int k = 0;
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1), k++) {
        const char *name = lua_tostring(L, -2);
        all[k].name = ph_store_text(r, name, strlen(name));
        all[k].path = ph_store_path(r, key, ph_value_file(r, L, key));
    }
    qsort(all, (size_t)n, sizeof *all, by_case);
    spec->stress = all, spec->n_stress = n;
}

static void read_dofs(ph_reader *r, lua_State *L, const char *key, ph_fe_spec *spec)
{
    spec->dofs = whole(r, L, key);
    if (spec->dofs != 3 && spec->dofs != 6)
        ph_reader_fail(r, "%s is %d; it must be 3 or 6", key, spec->dofs);
}

void ph_flexible_value(ph_reader *r, lua_State *L, const ph_key *k, int index)
{
    ph_fe_spec *spec = spec_of(r, index);
    switch (k->value) {
    case PH_V_DOFS:
        read_dofs(r, L, k->name, spec);
        break;
    case PH_V_NODE:
        read_node(r, L, k->name, spec);
        break;
    case PH_V_MEMBER:
        read_beam(r, L, k->name, spec);
        break;
    case PH_V_MEMBERS:
        read_members(r, L, k->name, spec);
        break;
    case PH_V_CORNERS:
        read_points(r, L, k->name, spec);
        break;
    case PH_V_INTERFACES:
        read_interfaces(r, L, k->name, spec);
        break;
    case PH_V_MODES:
        read_modes(r, L, k->name, spec);
        break;
    case PH_V_RATIOS:
        read_damping(r, L, k->name, spec);
        break;
    case PH_V_STRESS:
        read_stress(r, L, k->name, spec);
        break;
    default:
        ph_reduced_value(r, L, k->name, index);
    }
}
