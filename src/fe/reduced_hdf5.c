/* Reduced bodies as HDF5. Markers keep their order by the attribute "order" of their groups. */
#include "fe/reduced_hdf5.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/regular.h"

#ifdef PH_HAVE_HDF5

#include <hdf5.h>

#define MARKERS_MOST 10000 /* of a file that is no nonsense */

int ph_reduced_has_hdf5(void)
{
    return 1;
}

/* ---- writing --------------------------------------------------------------------------------------- */

static int put(hid_t to, const char *name, int rank, const hsize_t *size, const double *x)
{
    hid_t space = H5Screate_simple(rank, size, NULL);
    hid_t set = H5Dcreate2(to, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int ok = set >= 0 && H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0;
    ok = (set < 0 || H5Dclose(set) >= 0) && ok;
    H5Sclose(space);
    return ok;
}

static int put_order(hid_t of, int k)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t a = H5Acreate2(of, "order", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT);
    int ok = a >= 0 && H5Awrite(a, H5T_NATIVE_INT, &k) >= 0;
    ok = (a < 0 || H5Aclose(a) >= 0) && ok;
    H5Sclose(space);
    return ok;
}

static int put_marker(hid_t group, const ph_reduced *r, int k)
{
    const ph_marker *m = &r->marker[k];
    const hsize_t three = 3, size[2] = {3, (hsize_t)r->modes};
    hid_t g = H5Gcreate2(group, m->name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (g < 0)
        return 0;
    int ok = put_order(g, k) && put(g, "X", 1, &three, (double[]){m->X.x, m->X.y, m->X.z}) &&
             put(g, "Psi", 2, size, m->Psi) && put(g, "Th", 2, size, m->Th);
    return H5Gclose(g) >= 0 && ok;
}

static int put_body(hid_t file, const ph_reduced *r)
{
    hsize_t n = (hsize_t)r->modes, f[2] = {n, n}, M[2] = {6 + 4 * n, 6 + 4 * n},
            G[3] = {(hsize_t)(PH_KG_MARKERS + 3 * r->n_markers), n, n};
    int ok = put(file, "omega", 1, &n, r->omega) && put(file, "calM", 2, M, r->calM) &&
             put(file, "Kf", 2, f, r->Kf) && put(file, "Df", 2, f, r->Df) &&
             (!r->KG || put(file, "KG", 3, G, r->KG));
    hid_t group = ok ? H5Gcreate2(file, "markers", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : -1;
    ok = group >= 0;
    for (int k = 0; ok && k < r->n_markers; k++)
        ok = put_marker(group, r, k);
    return (group < 0 || H5Gclose(group) >= 0) && ok;
}

ph_status ph_reduced_write_hdf5(const ph_reduced *r, const char *path, ph_error *err)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS); /* the newest form of metadata has checksums */
    H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    int ok = file >= 0 && put_body(file, r) && H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0;
    ok = (file < 0 || H5Fclose(file) >= 0) && ok;
    H5Pclose(access);
    return ok ? PH_OK : ph_fail(err, PH_E_INPUT, "'%.200s' cannot be written as HDF5", path);
}

/* ---- reading --------------------------------------------------------------------------------------- */

/* Numbers of a dataset; -1: it is not there, or none. */
static long size_of(hid_t from, const char *name)
{
    if (H5Lexists(from, name, H5P_DEFAULT) <= 0)
        return -1;
    hid_t set = H5Dopen2(from, name, H5P_DEFAULT), space = set >= 0 ? H5Dget_space(set) : -1;
    long n = space >= 0 ? (long)H5Sget_simple_extent_npoints(space) : -1;
    if (space >= 0)
        H5Sclose(space);
    if (set >= 0)
        H5Dclose(set);
    return n;
}

static int get(hid_t from, const char *name, size_t n, double *x)
{
    if (size_of(from, name) != (long)n)
        return 0;
    hid_t set = H5Dopen2(from, name, H5P_DEFAULT);
    int ok = H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0;
    return H5Dclose(set) >= 0 && ok;
}

static int get_order(hid_t of, int *k)
{
    if (H5Aexists(of, "order") <= 0)
        return 0;
    hid_t a = H5Aopen(of, "order", H5P_DEFAULT), space = a >= 0 ? H5Aget_space(a) : -1;
    int ok = space >= 0 && H5Sget_simple_extent_npoints(space) == 1 && H5Aread(a, H5T_NATIVE_INT, k) >= 0;
    ok = (space < 0 || H5Sclose(space) >= 0) && ok;
    return (a < 0 || H5Aclose(a) >= 0) && ok;
}

/* Member i of the group of markers goes to the place that its order says. */
static int get_marker(hid_t group, hsize_t i, ph_reduced *r)
{
    char name[PH_MARKER_NAME];
    double X[3];
    int k = -1;
    ssize_t length =
        H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT);
    if (length <= 0 || length >= (ssize_t)sizeof name)
        return 0;
    hid_t g = H5Gopen2(group, name, H5P_DEFAULT);
    if (g < 0)
        return 0;
    int ok = get_order(g, &k) && k >= 0 && k < r->n_markers && !r->marker[k].name[0];
    if (ok) {
        ph_marker *m = &r->marker[k];
        ok = get(g, "X", 3, X) && get(g, "Psi", 3 * (size_t)r->modes, (double *)m->Psi) &&
             get(g, "Th", 3 * (size_t)r->modes, (double *)m->Th);
        m->X = ok ? ph_load3(X) : m->X;
        strcpy(m->name, name);
    }
    return H5Gclose(g) >= 0 && ok;
}

static ph_status get_body(hid_t file, const char *path, const ph_allocator *alloc, ph_reduced **out,
                          ph_error *err)
{
    long modes = size_of(file, "omega");
    H5G_info_t info = {0};
    hid_t group = H5Lexists(file, "markers", H5P_DEFAULT) > 0 ? H5Gopen2(file, "markers", H5P_DEFAULT) : -1;
    int ok = modes >= 1 && modes <= PH_MODES_MAX && group >= 0 && H5Gget_info(group, &info) >= 0 &&
             info.nlinks <= MARKERS_MOST;
    ph_reduced *r =
        ok ? ph_reduced_create(alloc, (int)modes, (int)info.nlinks, size_of(file, "KG") >= 0) : NULL;
    int memory = ok && !r;
    if (r) {
        size_t n = (size_t)modes, M = 6 + 4 * n;
        ok = get(file, "omega", n, r->omega) && get(file, "calM", M * M, r->calM) &&
             get(file, "Kf", n * n, r->Kf) && get(file, "Df", n * n, r->Df) &&
             (!r->KG || get(file, "KG", (PH_KG_MARKERS + 3 * (size_t)r->n_markers) * n * n, r->KG));
        for (hsize_t i = 0; ok && i < info.nlinks; i++)
            ok = get_marker(group, i, r);
    }
    if (group >= 0)
        H5Gclose(group);
    if (ok && r) {
        *out = r;
        return PH_OK;
    }
    ph_reduced_free(alloc, r);
    return memory ? ph_fail(err, PH_E_MEMORY, "not enough memory for '%.200s'", path)
                  : ph_fail(err, PH_E_INPUT,
                            "'%.200s' is no reduced body: a dataset is missing or has the wrong size", path);
}

ph_status ph_reduced_read_hdf5(ph_reduced **out, const char *path, const ph_allocator *alloc, ph_error *err)
{
    const char *why;
    size_t size;
    FILE *f = ph_regular_open(path, 0, &size, &why);
    *out = NULL;
    if (!f)
        return ph_fail(err, PH_E_INPUT, "cannot read '%.200s': %s", path, why);
    fclose(f);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0)
        return ph_fail(err, PH_E_INPUT, "'%.200s' cannot be read as HDF5", path);
    ph_status s = get_body(file, path, alloc, out, err);
    H5Fclose(file);
    return s;
}

#else

int ph_reduced_has_hdf5(void)
{
    return 0;
}

ph_status ph_reduced_write_hdf5(const ph_reduced *r, const char *path, ph_error *err)
{
    (void)r;
    return ph_fail(err, PH_E_INPUT,
                   "cannot write '%.200s': built without HDF5; a name that ends in .json works", path);
}

ph_status ph_reduced_read_hdf5(ph_reduced **out, const char *path, const ph_allocator *alloc, ph_error *err)
{
    (void)alloc;
    *out = NULL;
    return ph_fail(err, PH_E_INPUT, "cannot read '%.200s': built without HDF5; a .json file works", path);
}

#endif
