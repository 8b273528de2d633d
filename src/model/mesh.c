/* Triangles for pictures: STL, as text or binary; OBJ; lists of numbers in frozen models.
 *
 * Each file is gone through twice, to count and to store, by the same function. */
#include "model/inside.h"

#include <errno.h>
#include <limits.h>
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct pass {
    ph_reader *r;
    const char *file;     /* as the model calls it */
    const char *at, *end; /* what is left of it; a 0 stands at the end */
    int line;             /* of text */
    float *point;         /* NULL: only count */
    int *triangle;        /* the same */
    int n_points, n_triangles;
} pass;

_Noreturn static void fail(const pass *p, const char *sentence)
{
    if (p->line)
        ph_reader_fail(p->r, "mesh '%.200s', line %d: %s", p->file, p->line, sentence);
    ph_reader_fail(p->r, "mesh '%.200s': %s", p->file, sentence);
}

static void add_point(pass *p, const float *x)
{
    for (int i = 0; i < 3; i++)
        if (!(fabs((double)x[i]) <= 1e30))
            fail(p, "a corner is not finite");
    if (p->point)
        memcpy(p->point + 3 * (size_t)p->n_points, x, 3 * sizeof *x);
    if (++p->n_points > PH_MODEL_CORNERS)
        fail(p, "it has more than 200000 triangles, the limit of a page");
}

static void add_triangle(pass *p, int a, int b, int c)
{
    if (p->triangle) {
        int *t = p->triangle + 3 * (size_t)p->n_triangles;
        t[0] = a, t[1] = b, t[2] = c;
    }
    if (++p->n_triangles > PH_MODEL_CORNERS / 3)
        fail(p, "it has more than 200000 triangles, the limit for a page");
}

/* ---- text -------------------------------------------------------------------------------------------- */

static void skip_line(pass *p)
{
    while (p->at < p->end && *p->at != '\n')
        p->at++;
    p->at += p->at < p->end;
    p->line++;
}

/* The next word of this line is this one. */
static int word_is(pass *p, const char *word)
{
    size_t n = strlen(word);
    p->at += strspn(p->at, " \t");
    if (strncasecmp(p->at, word, n) != 0 || !strchr(" \t\r\n", p->at[n]))
        return 0;
    p->at += n;
    return 1;
}

/* strtod goes over ends of lines; numbers of the next one are none of this. */
static float next_number(pass *p)
{
    char *end;
    p->at += strspn(p->at, " \t");
    double x = strchr("\r\n", *p->at) ? 0 : strtod(p->at, &end);
    if (strchr("\r\n", *p->at) || end == p->at)
        fail(p, "three numbers expected");
    p->at = end;
    return (float)x;
}

static void read_corner(pass *p)
{
    float x[3];
    for (int i = 0; i < 3; i++)
        x[i] = next_number(p);
    add_point(p, x);
}

/* facet normal .. outer loop vertex x y z (three times) endloop endfacet */
static void read_stl_text(pass *p)
{
    int corners = 0;
    for (p->line = 1; p->at < p->end; skip_line(p)) {
        if (word_is(p, "vertex")) {
            read_corner(p);
            corners++;
        } else if (word_is(p, "endloop")) {
            if (corners != 3)
                fail(p, "a facet must have three corners");
            add_triangle(p, p->n_points - 3, p->n_points - 2, p->n_points - 1);
            corners = 0;
        }
    }
    if (corners)
        fail(p, "it ends inside of a facet");
    p->line = 0;
}

/* "7", "7/1", "7//3", "-1": a corner from the first, or from the last so far */
static int next_corner(pass *p, int *corner)
{
    char *end;
    p->at += strspn(p->at, " \t");
    if (strchr("\r\n", *p->at)) /* or the end */
        return 0;
    long k = strtol(p->at, &end, 10);
    long place = k < 0 ? p->n_points + k : k - 1;
    if (end == p->at || place < 0 || place > INT_MAX)
        fail(p, "a face has a corner that is not the number of a vertex");
    p->at = end + strcspn(end, " \t\r\n");
    *corner = (int)place;
    return 1;
}

static void read_face(pass *p)
{
    int first, last, next;
    if (!next_corner(p, &first) || !next_corner(p, &last) || !next_corner(p, &next))
        fail(p, "a face needs three corners or more");
    do {
        add_triangle(p, first, last, next);
        last = next;
    } while (next_corner(p, &next));
}

static void read_obj(pass *p)
{
    for (p->line = 1; p->at < p->end; skip_line(p))
        if (word_is(p, "v"))
            read_corner(p);
        else if (word_is(p, "f"))
            read_face(p);
    p->line = 0;
}

/* ---- binary ------------------------------------------------------------------------------------------ */

enum { STL_HEAD = 84, STL_FACET = 50 }; /* bytes */

static uint32_t whole_at(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static int is_binary(const char *bytes, size_t size)
{
    return size >= STL_HEAD && size == STL_HEAD + STL_FACET * (size_t)whole_at(bytes + 80);
}

/* normal, three corners, little-endian floats; two bytes */
static void read_stl_binary(pass *p)
{
    const char *facet = p->at + STL_HEAD;
    for (; facet < p->end; facet += STL_FACET) {
        for (int i = 0; i < 3; i++) {
            float x[3];
            for (int k = 0; k < 3; k++) {
                uint32_t bits = whole_at(facet + 12 + 12 * i + 4 * k);
                memcpy(&x[k], &bits, sizeof bits);
            }
            add_point(p, x);
        }
        add_triangle(p, p->n_points - 3, p->n_points - 2, p->n_points - 1);
    }
}

/* ---- files ------------------------------------------------------------------------------------------- */

static int ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && !strcasecmp(text + n - m, end);
}

static void check_corners(const pass *p)
{
    for (int i = 0; i < 3 * p->n_triangles; i++)
        if (p->triangle[i] >= p->n_points)
            fail(p, "a face refers to a vertex that does not exist");
    if (p->n_triangles == 0)
        fail(p, "it has no triangles");
}

static void go_through(pass p, void (*read)(pass *p), ph_mesh_def *mesh)
{
    pass count = p;
    read(&count);
    p.point = ph_store_room(p.r, 3 * (size_t)count.n_points + 1, sizeof *p.point);
    p.triangle = ph_store_room(p.r, 3 * (size_t)count.n_triangles + 1, sizeof *p.triangle);
    read(&p);
    check_corners(&p);
    *mesh = (ph_mesh_def){p.n_points, p.n_triangles, p.point, p.triangle};
}

void ph_mesh_read(ph_reader *r, const char *file, ph_mesh_def *mesh)
{
    const char *path = ph_store_path(r, "mesh", file), *bytes;
    double since = ph_sandbox_now();
    size_t size;
    ph_error err = {0};
    int obj = ends_with(file, ".obj");
    if (!obj && !ends_with(file, ".stl"))
        ph_reader_fail(r, "mesh '%.200s' must end in .stl or .obj", file);
    ph_status s = ph_files_bytes(&r->files, path, PH_MODEL_MESH, &bytes, &size, &err);
    if (s == PH_E_MEMORY)
        ph_reader_no_memory(r);
    if (s != PH_OK)
        ph_reader_fail(r, "mesh: %s", err.text);
    pass p = {.r = r, .file = file, .at = bytes, .end = bytes + size};
    if (obj)
        go_through(p, read_obj, mesh);
    else if (is_binary(bytes, size))
        go_through(p, read_stl_binary, mesh);
    else if (size >= 5 && !strncasecmp(bytes, "solid", 5))
        go_through(p, read_stl_text, mesh);
    else
        fail(&p,
             "it is not an STL file: it is not text, and its length does not fit its number of triangles");
    ph_sandbox_excuse(r, since);
}

/* ---- lists ------------------------------------------------------------------------------------------- */

static const char *mesh_word(int k)
{
    static const char *const words[] = {"points", "triangles"};
    return k >= 0 && k < 2 ? words[k] : NULL;
}

static int push_list(ph_reader *r, lua_State *L, const char *key, const char *name)
{
    ph_table_push(r, L, key, name);
    int n = lua_istable(L, -1) ? (int)lua_rawlen(L, -1) : 0;
    if (n < 3 || n % 3 || n > 3 * PH_MODEL_CORNERS)
        ph_reader_fail(r, "%s of %s must be a list of numbers, three for each, of at most %d", name, key,
                       PH_MODEL_CORNERS);
    return n;
}

static double number_at(ph_reader *r, lua_State *L, int i, const char *name)
{
    lua_rawgeti(L, -1, i + 1);
    double x = ph_value_number(r, L, name);
    lua_pop(L, 1);
    return x;
}

void ph_mesh_value(ph_reader *r, lua_State *L, const char *key, ph_mesh_def *mesh)
{
    pass p = {.r = r, .file = "points and triangles"};
    ph_table_only(r, L, key, mesh_word);
    int n = push_list(r, L, key, "points");
    p.point = ph_store_room(r, (size_t)n, sizeof *p.point);
    for (int i = 0; i < n; i += 3) {
        float x[3];
        for (int k = 0; k < 3; k++)
            x[k] = (float)number_at(r, L, i + k, "points of mesh");
        add_point(&p, x);
    }
    lua_pop(L, 1);
    n = push_list(r, L, key, "triangles");
    p.triangle = ph_store_room(r, (size_t)n, sizeof *p.triangle);
    for (int i = 0; i < n; i += 3) {
        int t[3];
        for (int k = 0; k < 3; k++) {
            double x = number_at(r, L, i + k, "triangles of mesh");
            if (!(x >= 0 && x < p.n_points) || x != floor(x))
                ph_reader_fail(r, "triangles of mesh have the corner %g; there are points 0 to %d", x,
                               p.n_points - 1);
            t[k] = (int)x;
        }
        add_triangle(&p, t[0], t[1], t[2]);
    }
    lua_pop(L, 1);
    *mesh = (ph_mesh_def){p.n_points, p.n_triangles, p.point, p.triangle};
}
