/* Reduced bodies of model files: from a table, as frozen models have it, or from a file. */
#include "model/inside.h"

#include <lauxlib.h>
#include <string.h>

#include "fe/reduced_hdf5.h"

static const char *body_word(int k)
{
    static const char *const words[] = {"modes", "omega", "calM", "Kf", "Df", "KG", "markers"};
    return k >= 0 && k < 7 ? words[k] : NULL;
}

static const char *marker_word(int k)
{
    static const char *const words[] = {"name", "X", "Psi", "Th"};
    return k >= 0 && k < 4 ? words[k] : NULL;
}

/* n numbers of a member of the table on top. */
static void member(ph_reader *r, lua_State *L, const char *key, const char *name, int n, double *x)
{
    char text[128];
    snprintf(text, sizeof text, "%s of %.64s", name, key);
    ph_table_push(r, L, key, name);
    ph_value_numbers(r, L, text, n, x);
    lua_pop(L, 1);
}

static int size_of(ph_reader *r, lua_State *L, const char *key, const char *name, int most)
{
    char text[128];
    snprintf(text, sizeof text, "%s of %.64s", name, key);
    ph_table_push(r, L, key, name);
    int n = lua_istable(L, -1) ? (int)lua_rawlen(L, -1) : ph_value_count(r, L, text);
    if (n > most)
        ph_reader_fail(r, "%s: there are %d; the limit is %d", text, n, most);
    lua_pop(L, 1);
    return n;
}

static void read_markers(ph_reader *r, lua_State *L, const char *key, ph_reduced *body)
{
    double X[3];
    ph_table_push(r, L, key, "markers");
    for (int k = 0; k < body->n_markers; k++) {
        char text[96];
        ph_marker *m = &body->marker[k];
        snprintf(text, sizeof text, "marker %d of %.64s", k + 1, key);
        lua_rawgeti(L, -1, k + 1);
        ph_table_only(r, L, text, marker_word);
        ph_table_push(r, L, text, "name");
        snprintf(m->name, PH_MARKER_NAME, "%s", ph_value_name(r, L, "the name of a marker"));
        lua_pop(L, 1);
        member(r, L, text, "X", 3, X);
        m->X = ph_load3(X);
        member(r, L, text, "Psi", 3 * body->modes, (double *)m->Psi);
        member(r, L, text, "Th", 3 * body->modes, (double *)m->Th);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static void read_stress(ph_reader *r, lua_State *L, const char *key, ph_reduced *body)
{
    int n = body->modes * body->modes, cases = PH_KG_MARKERS + 3 * body->n_markers;
    if (size_of(r, L, key, "KG", PH_MODEL_ELEMENTS) != cases)
        ph_reader_fail(r, "KG of %.64s must be a list of %d matrices", key, cases);
    ph_table_push(r, L, key, "KG");
    for (int c = 0; c < cases; c++) {
        char text[96];
        snprintf(text, sizeof text, "KG[%d] of %.64s", c + 1, key);
        lua_rawgeti(L, -1, c + 1);
        ph_value_numbers(r, L, text, n, body->KG + (size_t)c * (size_t)n);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static void check_body(ph_reader *r, const char *key, const ph_reduced *body)
{
    ph_error err = {0};
    ph_status s = ph_reduced_check(body, r->alloc, &err);
    if (s == PH_E_MEMORY)
        ph_reader_no_memory(r);
    if (s != PH_OK)
        ph_reader_fail(r, "%.200s: %s", key, err.text);
}

void ph_reduced_value(ph_reader *r, lua_State *L, const char *key, int index)
{
    ph_flexible_def *f = ph_store_at(r, PH_K_FLEXIBLE, index);
    ph_table_only(r, L, key, body_word);
    int n = size_of(r, L, key, "modes", PH_MODES_MAX), size = 6 + 4 * n,
        markers = size_of(r, L, key, "markers", PH_MODEL_FLEXIBLE), kg = ph_table_optional(L, "KG");
    lua_pop(L, kg);
    ph_reduced *body = f->body = ph_reduced_create(r->alloc, n, markers, kg);
    if (!body)
        ph_reader_no_memory(r);
    member(r, L, key, "omega", n, body->omega);
    member(r, L, key, "calM", size * size, body->calM);
    member(r, L, key, "Kf", n * n, body->Kf);
    member(r, L, key, "Df", n * n, body->Df);
    read_markers(r, L, key, body);
    if (kg)
        read_stress(r, L, key, body);
    check_body(r, key, body);
}

/* ---- files ----------------------------------------------------------------------------------------- */

static void refuse_file(ph_reader *r, ph_status s, const ph_error *err)
{
    if (s == PH_E_MEMORY)
        ph_reader_no_memory(r);
    if (s != PH_OK)
        ph_reader_fail(r, "%s", err->text);
}

static void read_json(ph_reader *r, lua_State *L, const char *path, int index)
{
    const char *text;
    size_t size;
    ph_error err = {0};
    refuse_file(r, ph_files_bytes(&r->files, path, PH_MODEL_JSON, &text, &size, &err), &err);
    luaL_checkstack(L, 16, NULL);
    ph_json_push(r, L, path, text, size);
    ph_reduced_value(r, L, path, index);
    lua_pop(L, 1);
}

/* Names of markers become those of bodies, and keep their rules. */
static void check_names(ph_reader *r, lua_State *L, const ph_reduced *body)
{
    for (int k = 0; k < body->n_markers; k++) {
        lua_pushstring(L, body->marker[k].name);
        ph_value_name(r, L, "the name of a marker");
        lua_pop(L, 1);
    }
}

static void read_hdf5(ph_reader *r, lua_State *L, const char *path, int index)
{
    ph_error err = {0};
    ph_flexible_def *f = ph_store_at(r, PH_K_FLEXIBLE, index);
    refuse_file(r, ph_reduced_read_hdf5(&f->body, &r->files, path, r->alloc, &err), &err);
    check_names(r, L, f->body);
    check_body(r, path, f->body);
}

static int ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && !strcmp(text + n - m, end);
}

void ph_reduced_read(ph_reader *r, lua_State *L, const char *file, int index)
{
    const char *path = ph_store_path(r, "file", file);
    double since = ph_sandbox_now();
    if (ends_with(file, ".h5") || ends_with(file, ".hdf5"))
        read_hdf5(r, L, path, index);
    else
        read_json(r, L, path, index);
    ph_sandbox_excuse(r, since);
}
