/* Reduced bodies as HDF5. Markers keep their order by the attribute "order" of their groups.
 *
 * The library sees no file, only an image of one in memory: it does not survive a file that it cannot write.
 * A file that it reads can name others, by external storage, virtual datasets and links, whose bytes would then
 * be numbers of the body: all these are refused. The library may have been built without regard to threads:
 * one at a time. */
#include "fe/reduced_hdf5.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/hdf5_calls.h"

const char *ph_reduced_missing_hdf5(void)
{
    return ph_hdf5_missing();
}

static ph_status cannot_read(const char *path, ph_error *err)
{
    return ph_fail(err, PH_E_INPUT, "cannot read '%.200s': %s; a .json file works", path, ph_hdf5_missing());
}

#ifdef PH_HDF5_FILE

#include <pthread.h>

#define MARKERS_MOST 10000 /* of a file that is no nonsense */
#define IMAGE_MOST   1e9   /* bytes of such a file */
#define IMAGE_STEP   (1 << 20)
#define NOWHERE      "/dev/null/body" /* the name of such an image: it must be that of no file */

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER; /* the state is the library's */

/* How a file in memory is opened. */
static hid_t in_memory(void)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, IMAGE_STEP, 0);
    return access;
}

/* ---- writing --------------------------------------------------------------------------------------- */

/* How files, groups or datasets are made: without times, so that the same body has the same bytes. */
static hid_t timeless(hid_t kind)
{
    hid_t how = H5Pcreate(kind);
    H5Pset_obj_track_times(how, 0);
    return how;
}

static int put(hid_t to, const char *name, int rank, const hsize_t *size, const double *x)
{
    hid_t space = H5Screate_simple(rank, size, NULL), how = timeless(H5P_DATASET_CREATE);
    hid_t set = H5Dcreate2(to, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Pclose(how);
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

static hid_t make_group(hid_t in, const char *name)
{
    hid_t how = timeless(H5P_GROUP_CREATE), g = H5Gcreate2(in, name, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Pclose(how);
    return g;
}

static int put_marker(hid_t group, const ph_reduced *r, int k)
{
    const ph_marker *m = &r->marker[k];
    const hsize_t three = 3, size[2] = {3, (hsize_t)r->modes};
    hid_t g = make_group(group, m->name);
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
    hid_t group = ok ? make_group(file, "markers") : -1;
    ok = group >= 0;
    for (int k = 0; ok && k < r->n_markers; k++)
        ok = put_marker(group, r, k);
    return (group < 0 || H5Gclose(group) >= 0) && ok;
}

/* Memory of a file, which is ours once the library closes it: only then all of it is there. (H5Fget_file_image
 * changes the first block without its checksum.) */
static void *image_take(size_t size, H5FD_file_image_op_t op, void *image)
{
    (void)op, (void)image;
    return malloc(size);
}

static void *image_resize(void *bytes, size_t size, H5FD_file_image_op_t op, void *image)
{
    (void)op, (void)image;
    return realloc(bytes, size);
}

static herr_t image_free(void *bytes, H5FD_file_image_op_t op, void *image)
{
    if (op == H5FD_FILE_IMAGE_OP_FILE_CLOSE)
        *(unsigned char **)image = bytes;
    else
        free(bytes);
    return 0;
}

static void *image_same(void *image)
{
    return image;
}

static herr_t image_leave(void *image)
{
    (void)image;
    return 0;
}

/* A file with the body; free() ends it. NULL: no memory. */
static unsigned char *make_image(const ph_reduced *r)
{
    unsigned char *image = NULL;
    H5FD_file_image_callbacks_t memory = {.image_malloc = image_take,
                                          .image_realloc = image_resize,
                                          .image_free = image_free,
                                          .udata_copy = image_same,
                                          .udata_free = image_leave,
                                          .udata = &image};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t access = in_memory(), how = timeless(H5P_FILE_CREATE);
    H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST); /* which has checksums of metadata */
    H5Pset_file_image_callbacks(access, &memory);
    hid_t file = H5Fcreate(NOWHERE, H5F_ACC_TRUNC, how, access);
    int ok = file >= 0 && put_body(file, r);
    ok = file >= 0 && H5Fclose(file) >= 0 && ok;
    H5Pclose(how);
    H5Pclose(access);
    if (!ok)
        free(image);
    return ok ? image : NULL;
}

/* Bytes of a file, where its first block, of version 2 or 3, says that it ends. */
static size_t size_of_image(const unsigned char *image)
{
    size_t size = 0;
    for (int i = 7; i >= 0; i--)
        size = size << 8 | image[28 + i];
    return size;
}

ph_status ph_reduced_write_hdf5(const ph_reduced *r, FILE *to, ph_error *err)
{
    if (ph_hdf5_missing())
        return ph_fail(err, PH_E_INPUT, "%s; a name that ends in .json works", ph_hdf5_missing());
    pthread_mutex_lock(&one_at_a_time);
    unsigned char *image = make_image(r);
    pthread_mutex_unlock(&one_at_a_time);
    if (!image)
        return ph_fail(err, PH_E_MEMORY, "not enough memory to write a reduced body as HDF5");
    fwrite(image, 1, size_of_image(image), to); /* the stream knows of a failure */
    free(image);
    return PH_OK;
}

/* ---- reading --------------------------------------------------------------------------------------- */

/* Whether a name is that of something in this file, and not of a place elsewhere. */
static int is_here(hid_t from, const char *name)
{
    H5L_info2_t link;
    return H5Lexists(from, name, H5P_DEFAULT) > 0 && H5Lget_info2(from, name, &link, H5P_DEFAULT) >= 0 &&
           link.type == H5L_TYPE_HARD;
}

/* Whether its numbers are in this file. */
static int has_numbers_here(hid_t set)
{
    hid_t how = H5Dget_create_plist(set);
    int ok = how >= 0 && H5Pget_external_count(how) == 0 && H5Pget_layout(how) != H5D_VIRTUAL;
    if (how >= 0)
        H5Pclose(how);
    return ok;
}

/* -1: it is not there, or elsewhere */
static hid_t open_set(hid_t from, const char *name)
{
    hid_t set = is_here(from, name) ? H5Dopen2(from, name, H5P_DEFAULT) : -1;
    if (set < 0 || has_numbers_here(set))
        return set;
    H5Dclose(set);
    return -1;
}

/* Numbers of a dataset; -1: it is not there, or none. */
static long size_of(hid_t from, const char *name)
{
    hid_t set = open_set(from, name), space = set >= 0 ? H5Dget_space(set) : -1;
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
    hid_t set = open_set(from, name);
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
    hid_t g = is_here(group, name) ? H5Gopen2(group, name, H5P_DEFAULT) : -1;
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
    hid_t group = is_here(file, "markers") ? H5Gopen2(file, "markers", H5P_DEFAULT) : -1;
    int ok = modes >= 1 && modes <= PH_MODES_MAX && group >= 0 && H5Gget_info(group, &info) >= 0 &&
             info.nlinks <= MARKERS_MOST;
    ph_reduced *r =
        ok ? ph_reduced_create(alloc, (int)modes, (int)info.nlinks, H5Lexists(file, "KG", H5P_DEFAULT) > 0)
           : NULL;
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
    return memory
               ? ph_fail(err, PH_E_MEMORY, "not enough memory for '%.200s'", path)
               : ph_fail(err, PH_E_INPUT,
                         "'%.200s' is not a reduced body: a dataset is missing, has the wrong size or is in "
                         "another file",
                         path);
}

static ph_status read_body(const void *image, size_t size, const char *path, const ph_allocator *alloc,
                           ph_reduced **out, ph_error *err)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t access = in_memory();
    hid_t file =
        H5Pset_file_image(access, (void *)image, size) >= 0 ? H5Fopen(NOWHERE, H5F_ACC_RDONLY, access) : -1;
    ph_status s = file >= 0 ? get_body(file, path, alloc, out, err)
                            : ph_fail(err, PH_E_INPUT, "'%.200s' cannot be read as HDF5", path);
    if (file >= 0)
        H5Fclose(file);
    H5Pclose(access);
    return s;
}

ph_status ph_reduced_read_hdf5(ph_reduced **out, ph_files *files, const char *path, const ph_allocator *alloc,
                               ph_error *err)
{
    const char *image;
    size_t size;
    *out = NULL;
    if (ph_hdf5_missing())
        return cannot_read(path, err);
    ph_status s = ph_files_bytes(files, path, IMAGE_MOST, &image, &size, err);
    if (s != PH_OK)
        return s;
    pthread_mutex_lock(&one_at_a_time);
    s = read_body(image, size, path, alloc, out, err);
    pthread_mutex_unlock(&one_at_a_time);
    return s;
}

#else

ph_status ph_reduced_write_hdf5(const ph_reduced *r, FILE *to, ph_error *err)
{
    (void)r, (void)to;
    return ph_fail(err, PH_E_INPUT, "%s; a name that ends in .json works", ph_hdf5_missing());
}

ph_status ph_reduced_read_hdf5(ph_reduced **out, ph_files *files, const char *path, const ph_allocator *alloc,
                               ph_error *err)
{
    (void)files, (void)alloc;
    *out = NULL;
    return cannot_read(path, err);
}

#endif
