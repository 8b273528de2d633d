/* polhode reduce: the modes of a flexible body, and the file that holds what a run needs of it. */
#include "cli/model.h"
#include "fe/reduced_hdf5.h"
#include "io/file.h"
#include "io/json.h"
#include "mech/model.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define TWO_PI 6.283185307179586

/* ---- which one ------------------------------------------------------------------------------------- */

static const ph_flexible_def *find(const ph_model *m, const ph_args *args)
{
    ph_near near = {.word = args->body};
    if (m->n_flexible == 0) {
        ph_complain("%s: there is no flexible body", args->word[0]);
        return NULL;
    }
    for (int k = 0; args->body && k < m->n_flexible; k++) {
        if (!strcmp(m->flexible[k].name, args->body))
            return &m->flexible[k];
        ph_near_offer(&near, m->flexible[k].name);
    }
    if (args->body && ph_near_word(&near))
        ph_complain("%s: there is no flexible body '%s'; did you mean '%s'?", args->word[0], args->body,
                    ph_near_word(&near));
    else if (args->body)
        ph_complain("%s: there is no flexible body '%s'", args->word[0], args->body);
    else if (m->n_flexible > 1)
        ph_complain("%s: there are %d flexible bodies; --body says which", args->word[0], m->n_flexible);
    else
        return &m->flexible[0];
    return NULL;
}

/* ---- files ----------------------------------------------------------------------------------------- */

static int is_hdf5(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (!strcmp(dot, ".h5") || !strcmp(dot, ".hdf5"));
}

static int write_body(const ph_reduced *r, const char *path)
{
    ph_file file = {0};
    ph_error err = {0};
    int code = PH_EXIT_OK, hdf5 = is_hdf5(path);
    if (hdf5 && ph_reduced_lacks_hdf5())
        return ph_complain("cannot write '%s': %s; a name that ends in .json works", path,
                           ph_reduced_lacks_hdf5());
    if (!ph_file_open(&file, path))
        return ph_complain("cannot write '%s': %s", path, strerror(errno));
    if (hdf5 && ph_reduced_write_hdf5(r, file.stream, &err) != PH_OK)
        code = ph_complain("%s", err.text);
    else if (!hdf5)
        ph_reduced_put(r, file.stream), fputc('\n', file.stream);
    if (code == PH_EXIT_OK && !ph_file_commit(&file))
        code = ph_complain("cannot write '%s': %s", path, strerror(errno));
    ph_file_discard(&file);
    return code;
}

/* ---- words ----------------------------------------------------------------------------------------- */

static void print_text(const ph_flexible_def *f, const ph_args *args)
{
    const ph_reduced *r = f->body;
    ph_vec3 c = ph_reduced_centre(r);
    ph_mat3 J = ph_reduced_inertia(r);
    printf("%s: %d %s", f->name, r->modes, ph_plural(r->modes, "mode", "modes"));
    if (f->sound.nodes)
        printf(" of %d nodes, %d degrees of freedom", f->sound.nodes, f->sound.rows);
    printf("\n  mass     %.9g kg\n  centre   %.9g %.9g %.9g m from the origin of the frame\n",
           ph_reduced_mass(r), c.x, c.y, c.z);
    printf("  inertia  %.6g %.6g %.6g, xy %.3g, xz %.3g, yz %.3g kg m^2 about it\n", J.xx, J.yy, J.zz, J.xy,
           J.xz, J.yz);
    if (f->sound.nodes)
        printf("  checks   rigid motions strain it by %.1e, the mass depends on the direction by %.1e "
               "(relative)\n",
               f->sound.strain, f->sound.isotropy);
    printf("  mode       rad/s          Hz\n");
    for (int k = 0; k < r->modes; k++)
        printf("  %4d %11.6g %11.6g\n", k + 1, r->omega[k], r->omega[k] / TWO_PI);
    printf("  markers ");
    for (int k = 0; k < r->n_markers; k++)
        printf(" %s", r->marker[k].name);
    printf("\n  stress stiffness %s\n",
           r->KG ? "of all load cases" : "none: fast spin and large loads along the body are wrong");
    if (args->output)
        printf("wrote %s\n", args->output);
}

static int print_json(const ph_flexible_def *f, const ph_args *args)
{
    const ph_reduced *r = f->body;
    ph_json j = ph_json_create();
    ph_vec3 c = ph_reduced_centre(r);
    double J[9];
    ph_store33(J, ph_reduced_inertia(r));
    ph_json_text(&j, j.root, "body", f->name);
    ph_json_number(&j, j.root, "mass", ph_reduced_mass(r));
    ph_json_numbers(&j, j.root, "centre", 3, (double[]){c.x, c.y, c.z});
    ph_json_numbers(&j, j.root, "inertia", 9, J);
    ph_json_numbers(&j, j.root, "omega", r->modes, r->omega);
    ph_json_count(&j, j.root, "load_cases", r->KG ? PH_KG_MARKERS + 3 * r->n_markers : 0);
    cJSON *markers = ph_json_array(&j, j.root, "markers");
    for (int k = 0; k < r->n_markers; k++) {
        cJSON *m = ph_json_element(&j, markers);
        ph_json_text(&j, m, "name", r->marker[k].name);
        ph_json_numbers(&j, m, "position", 3,
                        (double[]){r->marker[k].X.x, r->marker[k].X.y, r->marker[k].X.z});
    }
    if (f->sound.nodes) {
        ph_json_count(&j, j.root, "nodes", f->sound.nodes);
        ph_json_count(&j, j.root, "rows", f->sound.rows);
        ph_json_number(&j, j.root, "strain_of_rigid_motions", f->sound.strain);
        ph_json_number(&j, j.root, "anisotropy_of_mass", f->sound.isotropy);
    }
    if (args->output)
        ph_json_text(&j, j.root, "file", args->output);
    return ph_answer(&j) ? PH_EXIT_OK : ph_complain("not enough memory");
}

int ph_cmd_reduce(const ph_args *args)
{
    ph_model *model = ph_subject_read(args);
    const ph_flexible_def *f = model ? find(model, args) : NULL;
    int code = f ? PH_EXIT_OK : PH_EXIT_USAGE;
    if (f && args->output)
        code = write_body(f->body, args->output);
    if (f && code == PH_EXIT_OK && args->json)
        code = print_json(f, args);
    else if (f && code == PH_EXIT_OK)
        print_text(f, args);
    ph_model_free(model);
    return code;
}
