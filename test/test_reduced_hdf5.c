/* Reduced bodies as HDF5: what is written is read; files that name other files are refused. */
#include "fe_cases.h"
#include "fe/reduced_hdf5.h"

#ifdef PH_HAVE_HDF5

#define PH_HDF5_PLAIN
#include "base/hdf5_calls.h"

#include <fcntl.h>
#include <hdf5.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/test_reduced_hdf5.XXXXXX", body[64], other[64];

static int enter(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(body, sizeof body, "%s/body.h5", folder), snprintf(other, sizeof other, "%s/other", folder);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return 0;
}

static int leave(void **state)
{
    (void)state;
    unlink(body), unlink(other);
    return rmdir(folder);
}

static ph_reduced *bar(void)
{
    ph_fe fe = straight(steel_bar(), 4, 1, 0, 0);
    ph_fe_spec spec = clamped(2);
    ph_reduced *r = reduce(&fe, &spec);
    ph_fe_free(&fe);
    return r;
}

static void write_to(const ph_reduced *r, const char *path)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(ph_reduced_write_hdf5(r, f, NULL), PH_OK);
    assert_int_equal(fclose(f), 0);
}

static ph_status read_back(ph_reduced **back, const char *path, ph_error *err)
{
    ph_files files = {0};
    ph_status s = ph_reduced_read_hdf5(back, &files, path, NULL, err);
    ph_files_drop(&files);
    return s;
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    ph_reduced *r = bar(), *back;
    write_to(r, body);
    assert_int_equal(read_back(&back, body, NULL), PH_OK);
    assert_int_equal(back->modes, 2);
    assert_int_equal(back->n_markers, 5);
    assert_memory_equal(back->calM, r->calM, sizeof(double) * 14 * 14);
    assert_memory_equal(back->KG, r->KG, sizeof(double) * 4 * (PH_KG_MARKERS + 15));
    for (int k = 0; k < 5; k++) {
        assert_string_equal(back->marker[k].name, r->marker[k].name);
        assert_memory_equal(back->marker[k].Psi, r->marker[k].Psi, sizeof(double) * 6);
    }
    ph_reduced_free(NULL, back);
    ph_reduced_free(NULL, r);
}

enum { STORAGE, VIRTUAL, EXTERNAL_LINK, SOFT_LINK, GROUP_LINK, WAYS };

/* Kf of the body, or its markers, come from elsewhere; both names are replaced by what they were, there. */
static void redirect(int way)
{
    const hsize_t size[2] = {2, 2};
    hid_t file = H5Fopen(body, H5F_ACC_RDWR, H5P_DEFAULT), how = H5Pcreate(H5P_DATASET_CREATE),
          space = H5Screate_simple(2, size, NULL), set = -1;
    const char *name = way == GROUP_LINK ? "markers" : "Kf";
    assert_true(file >= 0 && H5Lmove(file, name, file, "old", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    if (way == STORAGE)
        H5Pset_external(how, other, 0, H5F_UNLIMITED);
    else if (way == VIRTUAL)
        H5Pset_virtual(how, space, other, "Kf", space);
    if (way == STORAGE || way == VIRTUAL)
        set = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    else if (way == SOFT_LINK)
        set = H5Lcreate_soft("/old", file, name, H5P_DEFAULT, H5P_DEFAULT);
    else
        set = H5Lcreate_external(other, name, file, name, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0);
    if (way == STORAGE || way == VIRTUAL)
        H5Dclose(set);
    H5Sclose(space), H5Pclose(how);
    assert_true(H5Fclose(file) >= 0);
}

/* A body whose numbers are in another file: those of any file would reach whoever freezes the model. */
static void other_files_are_refused(void **state)
{
    (void)state;
    ph_reduced *r = bar(), *back;
    for (int way = 0; way < WAYS; way++) {
        ph_error err = {0};
        write_to(r, body), write_to(r, other);
        redirect(way);
        assert_int_equal(read_back(&back, body, &err), PH_E_INPUT);
        assert_null(back);
        if (!strstr(err.text, "is in another file"))
            fail_msg("%d: %s", way, err.text);
    }
    ph_reduced_free(NULL, r);
}

/* A pipe that nobody writes to, a folder, a file of nothing. */
static void only_regular_files(void **state)
{
    (void)state;
    ph_reduced *back;
    ph_error err = {0};
    unlink(body);
    assert_int_equal(mkfifo(body, 0600), 0);
    assert_int_equal(read_back(&back, body, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "not a regular file"));
    unlink(body);
    assert_int_equal(read_back(&back, folder, &err), PH_E_INPUT);
    close(open(body, O_CREAT | O_WRONLY, 0600));
    assert_int_equal(read_back(&back, body, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "cannot be read as HDF5"));
}

/* ---- calls of the library that fail ------------------------------------------------------------------- */

static ph_hdf5_calls real;
static long calls, fails; /* so far; the one that fails, from 0 */

/* What is to be closed is closed all the same. */
#define CALLS(X)                                                                                             \
    X(hid_t, H5Dcreate2, (hid_t a, const char *b, hid_t c, hid_t d, hid_t e, hid_t f, hid_t g),              \
      (a, b, c, d, e, f, g), 0)                                                                              \
    X(herr_t, H5Dwrite, (hid_t a, hid_t b, hid_t c, hid_t d, hid_t e, const void *f), (a, b, c, d, e, f), 0) \
    X(herr_t, H5Dclose, (hid_t a), (a), 1)                                                                   \
    X(hid_t, H5Acreate2, (hid_t a, const char *b, hid_t c, hid_t d, hid_t e, hid_t f), (a, b, c, d, e, f),   \
      0)                                                                                                     \
    X(herr_t, H5Awrite, (hid_t a, hid_t b, const void *c), (a, b, c), 0)                                     \
    X(herr_t, H5Aclose, (hid_t a), (a), 1)                                                                   \
    X(hid_t, H5Gcreate2, (hid_t a, const char *b, hid_t c, hid_t d, hid_t e), (a, b, c, d, e), 0)            \
    X(herr_t, H5Gclose, (hid_t a), (a), 1)                                                                   \
    X(hid_t, H5Fcreate, (const char *a, unsigned b, hid_t c, hid_t d), (a, b, c, d), 0)                      \
    X(herr_t, H5Fclose, (hid_t a), (a), 1)                                                                   \
    X(herr_t, H5Lget_info, (hid_t a, const char *b, H5L_info_t *c, hid_t d), (a, b, c, d), 0)                \
    X(hid_t, H5Dget_create_plist, (hid_t a), (a), 0)                                                         \
    X(hid_t, H5Dopen2, (hid_t a, const char *b, hid_t c), (a, b, c), 0)                                      \
    X(hid_t, H5Dget_space, (hid_t a), (a), 0)                                                                \
    X(herr_t, H5Dread, (hid_t a, hid_t b, hid_t c, hid_t d, hid_t e, void *f), (a, b, c, d, e, f), 0)        \
    X(hid_t, H5Aopen, (hid_t a, const char *b, hid_t c), (a, b, c), 0)                                       \
    X(hid_t, H5Aget_space, (hid_t a), (a), 0)                                                                \
    X(herr_t, H5Aread, (hid_t a, hid_t b, void *c), (a, b, c), 0)                                            \
    X(hid_t, H5Gopen2, (hid_t a, const char *b, hid_t c), (a, b, c), 0)                                      \
    X(herr_t, H5Gget_info, (hid_t a, H5G_info_t * b), (a, b), 0)                                             \
    X(herr_t, H5Pset_file_image, (hid_t a, void *b, size_t c), (a, b, c), 0)

#define X(type, name, given, handed, closes)                                                                 \
    static type fail_##name given                                                                            \
    {                                                                                                        \
        int bad = calls++ == fails;                                                                          \
        type answer = bad && !(closes) ? (type)-1 : real.name handed;                                        \
        return bad ? (type)-1 : answer;                                                                      \
    }
CALLS(X)
#undef X

static void take_calls(long which)
{
    real = ph_hdf5, calls = 0, fails = which;
#define X(type, name, given, handed, closes) ph_hdf5.name = fail_##name;
    CALLS(X)
#undef X
}

/* Each of them in turn: nothing is written, nothing is read, and a sentence says so; files that were closed with a complaint are
 * read all the same. */
static void calls_that_fail(void **state)
{
    (void)state;
    ph_reduced *r = bar(), *back;
    for (int reading = 0; reading < 2; reading++) {
        if (reading)
            write_to(r, body);
        long n = 1;
        for (long k = -1; k < n; k++) {
            ph_error err = {0};
            FILE *f = reading ? NULL : fopen(other, "wb");
            take_calls(k);
            ph_status s = reading ? read_back(&back, body, &err) : ph_reduced_write_hdf5(r, f, &err);
            ph_hdf5 = real;
            if (f)
                assert_int_equal(fclose(f), 0);
            if (k < 0) {
                n = calls;
                assert_true(n > 50 && s == PH_OK);
            } else if (s == PH_OK && !reading) {
                fail_msg("call %ld of writing failed, and nobody noticed", k);
            } else if (s != PH_OK) {
                assert_true(err.text[0]);
                assert_int_equal(s, reading ? PH_E_INPUT : PH_E_MEMORY);
            }
            if (reading && s == PH_OK) {
                assert_memory_equal(back->calM, r->calM, sizeof(double) * 14 * 14);
                ph_reduced_free(NULL, back);
            }
        }
    }
    ph_reduced_free(NULL, r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read), cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(only_regular_files), cmocka_unit_test(calls_that_fail)};
    return cmocka_run_group_tests(tests, enter, leave);
}

#else

int main(void)
{
    return !ph_reduced_missing_hdf5();
}

#endif
