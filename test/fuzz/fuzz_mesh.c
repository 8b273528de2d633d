/* Triangles of STL and OBJ files, as shapes of a body; the first byte chooses the ending. */
#include "fuzz.h"
#include "mech/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    const char *path = fuzz_file(data[0] % 2 ? ".obj" : ".stl", data + 1, size - 1),
               *name = strrchr(path, '/') + 1;
    char text[256], model[128];
    snprintf(text, sizeof text, "body { name = 'a', mass = 1, inertia = {1, 1, 1}, shape = {mesh = '%s'} }",
             name);
    snprintf(model, sizeof model, "%.*smodel.lua", (int)(name - path), path);
    ph_model *m;
    ph_error err = {.text = ""};
    ph_status s = ph_model_read_text(&m, model, text, strlen(text), NULL, 0, NULL, &err);
    must(s == PH_OK || err.text[0]);
    if (s != PH_OK)
        return 0;
    const ph_mesh_def *mesh = &m->body[0].shapes.shape[0].mesh;
    must(mesh->n_triangles > 0);
    for (int k = 0; k < 3 * mesh->n_triangles; k++)
        must(mesh->triangle[k] >= 0 && mesh->triangle[k] < mesh->n_points);
    for (int k = 0; k < 3 * mesh->n_points; k++)
        must(isfinite(mesh->point[k]));
    ph_model_free(m);
    return 0;
}
