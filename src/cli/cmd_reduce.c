/* polhode reduce: the modes of a flexible body, and the file that holds what a run needs of it. */
#include "cli/target.h"
#include "io/file.h"
#include "io/json.h"

#include <stdio.h>
#include <string.h>

#define TWO_PI 6.283185307179586

/* ---- which one ------------------------------------------------------------------------------------- */

/* The flexible body that is meant; -1 after one line on stderr. */
static int find(const ph_model *m, const ph_args *args)
{
    ph_near near = {.word = args->body};
    ph_flexible_info f;
    int n = 0;
    for (; ph_model_flexible(m, n, &f); n++) {
        if (!args->body)
            continue;
        if (!strcmp(f.name, args->body))
            return n;
        ph_near_offer(&near, f.name);
    }
    if (n == 0)
        ph_complain("%s: there is no flexible body", args->word[0]);
    else if (args->body && ph_near_word(&near))
        ph_complain("%s: there is no flexible body '%s'; did you mean '%s'?", args->word[0], args->body,
                    ph_near_word(&near));
    else if (args->body)
        ph_complain("%s: there is no flexible body '%s'", args->word[0], args->body);
    else if (n > 1)
        ph_complain("%s: there are %d flexible bodies; --body says which", args->word[0], n);
    else
        return 0;
    return -1;
}

/* ---- files ----------------------------------------------------------------------------------------- */

static int is_hdf5(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (!strcmp(dot, ".h5") || !strcmp(dot, ".hdf5"));
}

static int write_body(const ph_model *m, int k, const char *path)
{
    ph_file file = {0};
    ph_error err = {0};
    int code = PH_EXIT_OK, hdf5 = is_hdf5(path);
    if (hdf5 && ph_model_missing_hdf5())
        return ph_complain("cannot write '%s': %s; a name that ends in .json works", path,
                           ph_model_missing_hdf5());
    if (!ph_file_open(&file, path))
        return ph_complain_write(path);
    if (ph_model_write_flexible(m, k, hdf5, file.stream, &err) != PH_OK)
        code = ph_complain("%s", err.text);
    else if (!ph_file_commit(&file))
        code = ph_complain_write(path);
    ph_file_discard(&file);
    return code;
}

/* ---- words ----------------------------------------------------------------------------------------- */

static void print_text(const ph_model *model, int body, const ph_args *args)
{
    ph_flexible_info f;
    ph_vec3 at;
    ph_model_flexible(model, body, &f);
    printf("%s: %d %s", f.name, f.modes, ph_plural(f.modes, "mode", "modes"));
    if (f.nodes)
        printf(" of %d nodes, %d degrees of freedom", f.nodes, f.rows);
    printf("\n  mass     %.9g kg\n  centre   %.9g %.9g %.9g m from the origin of the frame\n", f.mass,
           f.centre.x, f.centre.y, f.centre.z);
    printf("  inertia  %.6g %.6g %.6g, xy %.3g, xz %.3g, yz %.3g kg m^2 about it\n", f.inertia.xx,
           f.inertia.yy, f.inertia.zz, f.inertia.xy, f.inertia.xz, f.inertia.yz);
    if (f.nodes)
        printf("  checks   rigid motions strain it by %.1e, the mass depends on the direction by %.1e "
               "(relative)\n",
               f.strain, f.anisotropy);
    printf("  mode       rad/s          Hz\n");
    for (int k = 0; k < f.modes; k++)
        printf("  %4d %11.6g %11.6g\n", k + 1, f.omega[k], f.omega[k] / TWO_PI);
    printf("  markers ");
    for (int k = 0; k < f.markers; k++)
        printf(" %s", ph_model_marker(model, body, k, &at));
    printf("\n  stress stiffness %s\n",
           f.load_cases ? "of all load cases" : "none: fast spin and large loads along the body are wrong");
    if (args->output)
        printf("wrote %s\n", args->output);
}

static int print_json(const ph_model *model, int body, const ph_args *args)
{
    ph_json j = ph_json_create();
    ph_flexible_info f;
    double J[9];
    ph_model_flexible(model, body, &f);
    ph_store33(J, f.inertia);
    ph_json_text(&j, j.root, "body", f.name);
    ph_json_number(&j, j.root, "mass", f.mass);
    ph_json_numbers(&j, j.root, "centre", 3, (double[]){f.centre.x, f.centre.y, f.centre.z});
    ph_json_numbers(&j, j.root, "inertia", 9, J);
    ph_json_numbers(&j, j.root, "omega", f.modes, f.omega);
    ph_json_count(&j, j.root, "load_cases", f.load_cases);
    cJSON *markers = ph_json_array(&j, j.root, "markers");
    for (int k = 0; k < f.markers; k++) {
        cJSON *m = ph_json_element(&j, markers);
        ph_vec3 at;
        ph_json_text(&j, m, "name", ph_model_marker(model, body, k, &at));
        ph_json_numbers(&j, m, "position", 3, (double[]){at.x, at.y, at.z});
    }
    if (f.nodes) {
        ph_json_count(&j, j.root, "nodes", f.nodes);
        ph_json_count(&j, j.root, "rows", f.rows);
        ph_json_number(&j, j.root, "strain_of_rigid_motions", f.strain);
        ph_json_number(&j, j.root, "anisotropy_of_mass", f.anisotropy);
    }
    if (args->output)
        ph_json_text(&j, j.root, "file", args->output);
    return ph_answer(&j) ? PH_EXIT_OK : ph_complain("not enough memory");
}

int ph_cmd_reduce(const ph_args *args)
{
    ph_model *model = ph_target_read(args);
    int body = model ? find(model, args) : -1, code = body < 0 ? PH_EXIT_USAGE : PH_EXIT_OK;
    if (body >= 0 && args->output)
        code = write_body(model, body, args->output);
    if (body >= 0 && code == PH_EXIT_OK && args->json)
        code = print_json(model, body, args);
    else if (body >= 0 && code == PH_EXIT_OK)
        print_text(model, body, args);
    ph_model_free(model);
    return code;
}
