/* Shapes of model files: values, triangles of files, and frozen models that hold them. */
#include "model_file.h"
#include "view/view_inside.h"

static const char *const head =
    "ground { shape = {box = {2, 3, 0.5}, at = {0, 0, -1}, color = 'silver'} }\n"
    "body { name = 'a', mass = 1, inertia = {1, 1, 1}, shape = {\n"
    "  {box = {1, 2, 3}, color = '#d55e00'}, {sphere = 0.25, at = {1, 2, 3}},\n"
    "  {cylinder = {0.1, 1}, rotation = {axis = {1, 0, 0}, angle = math.pi}},\n"
    "  {capsule = {0.1, 2}}, {cone = {0.2, 0.3}}, {tube = {0.3, 0.2, 0.1}, color = {1, 0, 0.5}} } }\n"
    "particle { name = 'p', mass = 1, shape = {sphere = 2} }\n"
    "beam { name = 'b', from = {0, 0, 2}, to = {1, 0, 2}, n = 2, mass = {rhoA = 1, J = {1, 1, 1}},\n"
    "  section = {EA = 1e4, GA = 1e4, GJ = 10, EI = 10}, shape = {tube = {0.02, 0.01}} }\n";

static void values(void **state)
{
    (void)state;
    ph_model *m = read_text(head);
    const ph_shape_def *s = m->body[0].shapes.shape;
    assert_int_equal(m->body[0].shapes.n, 6);
    static const int types[] = {PH_SHAPE_BOX,     PH_SHAPE_SPHERE, PH_SHAPE_CYLINDER,
                                PH_SHAPE_CAPSULE, PH_SHAPE_CONE,   PH_SHAPE_TUBE};
    for (int k = 0; k < 6; k++)
        assert_int_equal(s[k].type, types[k]);
    assert_true(s[0].size[0] == 1 && s[0].size[1] == 2 && s[0].size[2] == 3 && s[0].color == 0xd55e00);
    assert_true(s[1].size[0] == 0.25 && s[1].at.z == 3 && s[1].color == -1);
    assert_true(fabs(s[2].R.x - 1) < 1e-15); /* round-off */
    assert_true(s[5].size[1] == 0.2 && s[5].color == 0xff0080);
    assert_true(m->ground && m->ground->shapes.n == 1 && m->ground->shapes.shape->color == 0xb8bec6);
    assert_true(m->body[1].shapes.n == 1 && m->body[1].shapes.shape->size[0] == 2);
    for (int k = 0; k < 2; k++)
        assert_true(m->force[k].shapes.n == 1 && m->force[k].shapes.shape->size[1] == 0.01);
    ph_model_free(m);
}

/* ---- files -------------------------------------------------------------------------------------------- */

static ph_status read_beside(ph_model **out, const char *file, const char *bytes, size_t size, ph_error *err)
{
    char text[256], path[160];
    scratch s = scratch_create("model.lua");
    scratch mesh = s;
    snprintf(text, sizeof text,
             "body { name = 'a', mass = 1, inertia = {1, 1, 1}, shape = {mesh = '%s', scale = 2} }", file);
    scratch_write(&s, text, strlen(text));
    snprintf(path, sizeof path, "%s/%s", s.dir, file);
    snprintf(mesh.path, sizeof mesh.path, "%.120s", path);
    scratch_write(&mesh, bytes, size);
    ph_status status = ph_model_read(out, s.path, NULL, 0, NULL, err);
    unlink(path);
    scratch_remove(&s);
    return status;
}

static ph_model *read_mesh(const char *file, const char *bytes, size_t size)
{
    ph_model *m;
    ph_error err = {0};
    if (read_beside(&m, file, bytes, size, &err) != PH_OK)
        fail_msg("%s", err.text);
    return m;
}

static const float corner[3][3] = {{0.5f, 0, 0}, {1.25f, 0, -3}, {0, 1e-3f, 7}};

static void check_triangle(const ph_model *m)
{
    const ph_shape_def *s = m->body[0].shapes.shape;
    assert_int_equal(s->mesh.n_triangles, 1);
    assert_true(s->size[0] == 2);
    for (int i = 0; i < 3; i++)
        assert_memory_equal(s->mesh.point + 3 * s->mesh.triangle[i], corner[i], sizeof corner[i]);
}

/* One triangle; little-endian machines alone write it like this. */
static size_t binary_stl(char *bytes, unsigned n)
{
    memset(bytes, 'x', 84);
    memcpy(bytes + 80, &n, 4);
    memset(bytes + 84, 0, 50);
    memcpy(bytes + 96, corner, sizeof corner);
    return 134;
}

static void files(void **state)
{
    (void)state;
    static const char stl[] =
        "solid part\r\n facet normal 0 0 1\r\n  outer loop\r\n   vertex 0.5 0 0\r\n   VERTEX 1.25 0e0 -3\r\n"
        "   vertex 0 1e-3 7\r\n  endloop\r\n endfacet\r\nendsolid part\r\n",
                      obj[] = "# a part\nvn 0 0 1\nv 9 9 9\nv 0.5 0 0 1\nv 1.25 0 -3\nv 0 0.001 7\nf 2//1 "
                              "3//1 -1//1\n";
    char bytes[134];
    ph_model *m = read_mesh("a.stl", stl, strlen(stl));
    check_triangle(m);
    ph_model_free(m);
    m = read_mesh("a.OBJ", obj, strlen(obj));
    check_triangle(m);
    ph_model_free(m);
    m = read_mesh("a.stl", bytes, binary_stl(bytes, 1));
    check_triangle(m);
    ph_model_free(m);
}

static void refuse_mesh(const char *file, const char *bytes, size_t size, const char *words)
{
    ph_model *m;
    ph_error err = {0};
    assert_int_equal(read_beside(&m, file, bytes, size, &err), PH_E_INPUT);
    if (!strstr(err.text, words))
        fail_msg("'%s' does not contain '%s'", err.text, words);
}

/* What is broken in other ways is in test/broken. */
static void broken(void **state)
{
    (void)state;
    char bytes[134];
    size_t size = binary_stl(bytes, 2); /* says two, has one */
    refuse_mesh("a.stl", bytes, size, "it is not an STL file");
    size = binary_stl(bytes, 1);
    memset(bytes + 96, 0xff, 4); /* NaN */
    refuse_mesh("a.stl", bytes, size, "a corner is not finite");
    refuse_mesh("a.stl", "", 0, "it is not an STL file");
    static const struct {
        const char *file, *text, *words;
    } text[] = {{"a.stl", "solid x\nvertex 0 0 0\nvertex 1 0 0\n", "it ends inside of a facet"},
                {"a.stl", "solid x\nvertex 0 0 0\nendloop\n", "line 3: a facet must have three corners"},
                {"a.stl", "solid x\nvertex 0 0 zero\n", "line 2: three numbers expected"},
                {"a.stl", "solid x\nvertex 0 0", "line 2: three numbers expected"},
                {"a.obj", "v 0 0 0\nf\n", "line 2: a face needs three corners or more"},
                {"a.obj", "v 0 0 0\nf 1\n", "line 2: a face needs three corners or more"},
                {"a.obj", "v 0 0 0\nf 1 1", "line 2: a face needs three corners or more"},
                {"a.obj", "v 0 0 0\nf 1 1 x\n", "a corner that is not the number of a vertex"},
                {"a.obj", "v 0 0 0\nf 1 1 0\n", "a corner that is not the number of a vertex"},
                {"a.obj", "v 0 0 0\nf 1 1 -2\n", "a corner that is not the number of a vertex"},
                {"a.obj", "v 0 0 0\nf 1 1 3000000000\n", "a corner that is not the number of a vertex"},
                {"stl", "solid x\n", "must end in .stl or .obj"}};
    for (size_t k = 0; k < sizeof text / sizeof *text; k++)
        refuse_mesh(text[k].file, text[k].text, strlen(text[k].text), text[k].words);
    size_t many = 200001, row = strlen("f 1 2 3\n");
    char *large = malloc(3 * many * row + 32);
    assert_non_null(large);
    size = (size_t)sprintf(large, "v 0 0 0\nv 1 0 0\nv 0 1 0\n");
    for (size_t k = 0; k < many; k++, size += row)
        memcpy(large + size, "f 1 2 3\n", row);
    refuse_mesh("a.obj", large, size, "it has more than 200000 triangles");
    for (size = 0; size < 8 * 600001; size += 8) /* corners that no triangle has */
        memcpy(large + size, "v 1 2 3\n", 8);
    refuse_mesh("a.obj", large, size, "it has more than 200000 triangles, the limit of a page");
    free(large);
}

/* ---- the box of an inertia ------------------------------------------------------------------------------ */

/* round-off: the box has the inertia that it is made of, whatever the turn of its axes */
static void boxes(void **state)
{
    (void)state;
    for (int k = 0; k < 4000; k++) {
        double a = 0.7 * k, b = 1.3 * k, c = 0.31 * k, m = 2.5;
        ph_quat q = {cos(a) * cos(b), cos(a) * sin(b), sin(a) * cos(c), sin(a) * sin(c)};
        ph_mat3 R = ph_qmat(q), J = ph_mmul(ph_mmul(R, ph_diag3(0.7, 1.1, 1.3)), ph_transpose(R));
        ph_view_box box = ph_view_box_of(m, J);
        double x = m / 12 * box.edge[0] * box.edge[0], y = m / 12 * box.edge[1] * box.edge[1],
               z = m / 12 * box.edge[2] * box.edge[2];
        ph_mat3 own = ph_qmat(box.R),
                D = ph_msub(ph_mmul(ph_mmul(own, ph_diag3(y + z, z + x, x + y)), ph_transpose(own)), J);
        check_le(max_diff(&D.xx, &(ph_mat3){0}.xx, 9), 1e-13);
    }
}

/* ---- freezing ----------------------------------------------------------------------------------------- */

static void frozen(void **state)
{
    (void)state;
    static const char obj[] = "v 0.1 0.2 0.3\nv 1.25 0 -3\nv 0 0.001 7\nv 4 4 4\nf 1 2 3 4\n";
    ph_model *first[2] = {read_text(head), read_mesh("a.obj", obj, strlen(obj))};
    for (int k = 0; k < 2; k++) {
        char *once, *twice;
        size_t sizes[2];
        ph_model *again;
        ph_error err = {0};
        FILE *f = open_memstream(&once, &sizes[0]);
        assert_int_equal(ph_model_freeze(first[k], f, &err), PH_OK);
        fclose(f);
        assert_int_equal(ph_model_read_text(&again, "m.json", once, sizes[0], NULL, 0, NULL, &err), PH_OK);
        f = open_memstream(&twice, &sizes[1]);
        assert_int_equal(ph_model_freeze(again, f, &err), PH_OK);
        fclose(f);
        assert_string_equal(once, twice); /* exact */
        const ph_shape_list *a = &first[k]->body[0].shapes, *b = &again->body[0].shapes;
        assert_int_equal(a->n, b->n);
        for (int i = 0; i < a->n; i++) {
            const ph_shape_def *s = &a->shape[i], *t = &b->shape[i];
            assert_true(s->type == t->type && s->color == t->color && s->mesh.n_points == t->mesh.n_points);
            assert_memory_equal(s->size, t->size, sizeof s->size);
            assert_memory_equal(&s->at, &t->at, sizeof s->at + sizeof s->R);
            if (s->mesh.n_points)
                assert_memory_equal(s->mesh.point, t->mesh.point, 12 * (size_t)s->mesh.n_points);
        }
        free(once), free(twice);
        ph_model_free(first[k]), ph_model_free(again);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values), cmocka_unit_test(files), cmocka_unit_test(broken),
        cmocka_unit_test(frozen), cmocka_unit_test(boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
