/* A reader of the program's HDF5 files: prints one as the CSV file of the same run should be, apart from the
 * order of the '#' lines. Usage: h5_to_csv FILE */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/number.h"

#define COLUMNS_MAX 16384

static struct {
    double *x; /* of column k of a dataset: x[row * n + k] */
    int n, k;
    hsize_t rows;
} column[COLUMNS_MAX];
static int columns;

static void need(int ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "h5_to_csv: %s\n", what);
    exit(1);
}

static void print_number(double x, char behind)
{
    char text[PH_NUMBER_MAX + 1];
    int n = ph_number_write(x, text);
    text[n] = behind;
    fwrite(text, 1, (size_t)n + 1, stdout);
}

static int is_text(hid_t attribute)
{
    hid_t type = H5Aget_type(attribute);
    int text = H5Tget_class(type) == H5T_STRING;
    H5Tclose(type);
    return text;
}

/* n strings; H5free_memory ends each of them. */
static void read_text(hid_t attribute, char **text)
{
    hid_t type = H5Aget_type(attribute);
    need(H5Tis_variable_str(type) > 0 && H5Tget_cset(type) == H5T_CSET_UTF8, "a string of another type");
    need(H5Aread(attribute, type, text) >= 0, "an attribute cannot be read");
    H5Tclose(type);
}

static herr_t print_note(hid_t of, const char *name, const H5A_info_t *info, void *parameter)
{
    hid_t a = H5Aopen(of, name, H5P_DEFAULT);
    char *text;
    double x;
    (void)info;
    if (is_text(a)) {
        read_text(a, &text);
        printf("# %s %s\n", name, text);
        H5free_memory(text);
    } else {
        need(H5Aread(a, H5T_NATIVE_DOUBLE, &x) >= 0, "an attribute cannot be read");
        printf(parameter ? "# set %s=" : "# %s = ", name);
        print_number(x, '\n');
    }
    H5Aclose(a);
    return 0;
}

static void print_names(hid_t set, const char *owner, int n, int listed)
{
    char *unit, **axis = calloc((size_t)n, sizeof *axis);
    hid_t a = H5Aopen(set, "units", H5P_DEFAULT);
    need(a >= 0 && axis, "no units");
    read_text(a, &unit);
    H5Aclose(a);
    if (listed) {
        a = H5Aopen(set, "components", H5P_DEFAULT);
        hid_t space = H5Aget_space(a);
        need(H5Sget_simple_extent_npoints(space) == n, "not a name for each component");
        read_text(a, axis);
        H5Sclose(space);
        H5Aclose(a);
    }
    char *second = strstr(unit, ", "); /* of the second half */
    for (int k = 0; k < n; k++) {
        int length = second ? (int)(second - unit) : (int)strlen(unit);
        printf("%s%s%s%s [", columns - n + k ? "," : "", owner, listed ? "." : "", listed ? axis[k] : "");
        if (second && 2 * k >= n)
            printf("%s]", second + 2);
        else
            printf("%.*s]", length, unit);
        H5free_memory(axis[k]);
    }
    H5free_memory(unit);
    free(axis);
}

static void add(hid_t set, const char *owner)
{
    hsize_t size[2] = {0, 1}, most[2];
    hid_t space = H5Dget_space(set), how = H5Dget_create_plist(set);
    int rank = H5Sget_simple_extent_ndims(space);
    H5Sget_simple_extent_dims(space, size, most);
    need(rank <= 2 && (most[0] == H5S_UNLIMITED) == (H5Pget_layout(how) == H5D_CHUNKED),
         "neither one piece nor chunks");
    double *x = malloc((size_t)(size[0] * size[1]) * sizeof *x);
    need(x && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0, "cannot be read");
    for (int k = 0; k < (int)size[1]; k++) {
        need(columns < COLUMNS_MAX, "too many columns");
        column[columns].x = x, column[columns].n = (int)size[1], column[columns].k = k;
        column[columns++].rows = size[0];
    }
    print_names(set, owner, (int)size[1], rank == 2);
    H5Pclose(how);
    H5Sclose(space);
}

/* The third level, bodies/top/position, belongs to the second. */
static herr_t visit(hid_t group, const char *name, const H5L_info_t *info, void *depth)
{
    int level = *(int *)depth + 1;
    (void)info;
    hid_t it = H5Oopen(group, name, H5P_DEFAULT);
    if (H5Iget_type(it) == H5I_GROUP) {
        H5Literate(it, H5_INDEX_CRT_ORDER, H5_ITER_INC, NULL, visit, &level);
    } else {
        char path[256], *of;
        need(H5Iget_name(group, path, sizeof path) > 0, "no path");
        of = strrchr(path, '/') + 1;
        add(it, level == 3 ? of : name);
    }
    H5Oclose(it);
    return 0;
}

int main(int argc, char **argv)
{
    int depth = 0;
    need(argc == 2, "usage: h5_to_csv FILE");
    hid_t file = H5Fopen(argv[1], H5F_ACC_RDONLY, H5P_DEFAULT);
    need(file >= 0, "cannot be opened");
    H5Aiterate2(file, H5_INDEX_NAME, H5_ITER_INC, NULL, print_note, NULL);
    if (H5Lexists(file, "parameters", H5P_DEFAULT) > 0) {
        hid_t group = H5Gopen2(file, "parameters", H5P_DEFAULT);
        H5Aiterate2(group, H5_INDEX_NAME, H5_ITER_INC, NULL, print_note, &depth);
        H5Gclose(group);
    }
    need(H5Literate(file, H5_INDEX_CRT_ORDER, H5_ITER_INC, NULL, visit, &depth) >= 0, "no order of creation");
    need(columns > 0, "empty");
    printf("\n");
    for (hsize_t i = 0; i < column[0].rows; i++)
        for (int k = 0; k < columns; k++) {
            need(column[k].rows == column[0].rows, "datasets of different lengths");
            print_number(column[k].x[i * (hsize_t)column[k].n + (hsize_t)column[k].k],
                         k == columns - 1 ? '\n' : ',');
        }
    for (int k = 0; k < columns; k++)
        if (column[k].k == 0)
            free(column[k].x);
    H5Fclose(file);
    return H5close() < 0;
}
