/* Reduced bodies as HDF5: what is written is read; files that name other files are refused. */
#include "fe_cases.h"
#include "fe/reduced_hdf5.h"

#ifdef PH_HAVE_HDF5

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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_written_is_read),
                                       cmocka_unit_test(other_files_are_refused),
                                       cmocka_unit_test(only_regular_files)};
    return cmocka_run_group_tests(tests, enter, leave);
}

#else

int main(void)
{
    return !ph_reduced_missing_hdf5();
}

#endif
