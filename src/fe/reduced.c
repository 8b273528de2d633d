/* A flexible body reduced to a few modes: its memory, and what it is as a rigid body. */
#include "fe/reduced.h"

#include <string.h>

#include "base/base.h"
#include "fe/eigen.h"
#include "fe/memory.h"
#include "la/small.h"
#include "la/symmetric.h"

/* One block: the record, its markers, all numbers, all names. */
ph_reduced *ph_reduced_create(const ph_allocator *alloc, int modes, int n_markers, int kg)
{
    size_t n = (size_t)modes, m = (size_t)n_markers, size = 6 + 4 * n;
    size_t numbers = size * size + 2 * n * n + n + 6 * n * m + (kg ? (PH_KG_MARKERS + 3 * m) * n * n : 0);
    size_t bytes = sizeof(ph_reduced) + m * sizeof(ph_marker) + numbers * sizeof(double) + m * PH_MARKER_NAME;
    ph_reduced *r = ph_alloc(alloc, bytes);
    if (!r)
        return NULL;
    memset(r, 0, bytes);
    r->modes = modes, r->n_markers = n_markers;
    r->marker = (ph_marker *)(void *)(r + 1);
    double *x = (double *)(void *)(r->marker + m);
    r->calM = x, x += size * size;
    r->Kf = x, x += n * n;
    r->Df = x, x += n * n;
    r->omega = x, x += n;
    for (size_t k = 0; k < m; k++) {
        r->marker[k].Psi = x, x += 3 * n;
        r->marker[k].Th = x, x += 3 * n;
    }
    if (kg)
        r->KG = x, x += (PH_KG_MARKERS + 3 * m) * n * n;
    for (size_t k = 0; k < m; k++)
        r->marker[k].name = (char *)x + k * PH_MARKER_NAME;
    return r;
}

void ph_reduced_free(const ph_allocator *alloc, ph_reduced *r)
{
    ph_free(alloc, r);
}

double ph_reduced_mass(const ph_reduced *r)
{
    return r->calM[0];
}

/* calM of moves and turns is -m tilde(chi) */
ph_vec3 ph_reduced_centre(const ph_reduced *r)
{
    size_t n = (size_t)(6 + 4 * r->modes);
    const double *A = r->calM;
    return ph_scale(1 / A[0], ph_v3(A[n + 5], A[3 + 2 * n], A[4]));
}

ph_mat3 ph_reduced_inertia(const ph_reduced *r)
{
    size_t n = (size_t)(6 + 4 * r->modes);
    const double *A = r->calM + 3 * n + 3;
    return (ph_mat3){A[0], A[1], A[2], A[n], A[n + 1], A[n + 2], A[2 * n], A[2 * n + 1], A[2 * n + 2]};
}

/* ---- checks ---------------------------------------------------------------------------------------- */

#define SYMMETRY 1e-9 /* relative */
#define MASS     1e-7 /* the same, of masses by direction: what passes checks of finite elements passes here */

/* What the reader of JSON would refuse: a body that was read from HDF5 can be frozen. */
static ph_status refuse_number(const char *name, ph_error *err)
{
    return ph_fail(err, PH_E_INPUT, "%s has a number that is none or larger than %g", name,
                   PH_REDUCED_NUMBER);
}

static ph_status check_matrix(const char *name, int n, const double *A, ph_error *err)
{
    double size = ph_small_max(n * n, A);
    if (!(size <= PH_REDUCED_NUMBER))
        return refuse_number(name, err);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (!(fabs(A[i * n + j] - A[j * n + i]) <= SYMMETRY * size))
                return ph_fail(err, PH_E_INPUT, "%s is not symmetric, in row %d, column %d", name, i + 1,
                               j + 1);
    return PH_OK;
}

/* The part of calM that is the inertia of the undeformed body. */
static ph_status check_inertia(ph_pool *pool, const ph_reduced *r, ph_error *err)
{
    int n = 6 + r->modes, size = 6 + 4 * r->modes;
    double *A = ph_pool_numbers(pool, (size_t)(n * n));
    if (!A)
        return ph_fail(err, PH_E_MEMORY, "not enough memory to check a reduced body");
    for (int i = 0; i < n * n; i++) /* scaled to a diagonal of 1: kg and kg m^2 are not of one size */
        A[i] = r->calM[(i / n) * size + i % n] /
               sqrt(fabs(r->calM[(i / n) * (size + 1)] * r->calM[(i % n) * (size + 1)]));
    int info = ph_cholesky(n, A);
    for (int i = 0; info == 0 && i < n; i++)
        if (!(A[i * n + i] * A[i * n + i] > 1e-14))
            info = i + 1;
    return info ? ph_fail(err, PH_E_INPUT, "calM is not positive definite, which shows in row %d%s", info,
                          info > 6 ? ": a mode that is a rigid motion?" : "")
                : PH_OK;
}

static ph_status check_positive(ph_pool *pool, const char *name, int n, const double *A, ph_error *err)
{
    double *B = ph_pool_numbers(pool, (size_t)(n * n)), *value = ph_pool_numbers(pool, (size_t)n);
    if (!B || !value)
        return ph_fail(err, PH_E_MEMORY, "not enough memory to check a reduced body");
    memcpy(B, A, sizeof(double) * (size_t)(n * n));
    ph_status s = ph_eigen_dense(n, B, NULL, value, pool->alloc, err);
    if (s == PH_OK && !(value[0] >= -1e-9 * fabs(value[n - 1])))
        return ph_fail(err, PH_E_INPUT, "%s has a negative eigenvalue, %g", name, value[0]);
    return s;
}

static ph_status check_markers(const ph_reduced *r, ph_error *err)
{
    for (int k = 0; k < r->n_markers; k++) {
        const ph_marker *m = &r->marker[k];
        double X[3] = {m->X.x, m->X.y, m->X.z};
        if (!(ph_small_max(3, X) <= PH_REDUCED_NUMBER) ||
            !(ph_small_max(3 * r->modes, m->Psi) <= PH_REDUCED_NUMBER) ||
            !(ph_small_max(3 * r->modes, m->Th) <= PH_REDUCED_NUMBER))
            return ph_fail(err, PH_E_INPUT, "marker '%s' has a number that is none or larger than %g",
                           m->name, PH_REDUCED_NUMBER);
    }
    return ph_small_max(r->modes, r->omega) <= PH_REDUCED_NUMBER ? PH_OK : refuse_number("omega", err);
}

/* The mass is the same in every direction, and no rigid motion has moments other than those of a centre. */
static ph_status check_mass(const ph_reduced *r, ph_error *err)
{
    int size = 6 + 4 * r->modes;
    double m = r->calM[0];
    for (int i = 0; i < 9; i++) {
        int a = i / 3, b = i % 3;
        double mass = r->calM[a * size + b] - (a == b ? m : 0),
               moment = r->calM[a * size + 3 + b] + r->calM[b * size + 3 + a];
        if (!(fabs(mass) <= MASS * m && fabs(moment) <= MASS * (m + fabs(r->calM[a * size + 3 + b]))))
            return ph_fail(err, PH_E_INPUT, "calM is not that of a body, in row %d, column %d", a + 1,
                           fabs(mass) <= MASS * m ? b + 4 : b + 1);
    }
    return PH_OK;
}

static ph_status check(ph_pool *pool, const ph_reduced *r, ph_error *err)
{
    int n = r->modes, cases = r->KG ? PH_KG_MARKERS + 3 * r->n_markers : 0;
    ph_status s = check_matrix("calM", 6 + 4 * n, r->calM, err);
    if (s == PH_OK)
        s = check_matrix("Kf", n, r->Kf, err);
    if (s == PH_OK)
        s = check_matrix("Df", n, r->Df, err);
    for (int c = 0; s == PH_OK && c < cases; c++)
        s = check_matrix("KG", n, ph_reduced_KG(r, c), err);
    if (s == PH_OK)
        s = check_markers(r, err);
    if (s == PH_OK)
        s = check_inertia(pool, r, err);
    if (s == PH_OK)
        s = check_mass(r, err);
    if (s == PH_OK)
        s = check_positive(pool, "Kf", n, r->Kf, err);
    if (s == PH_OK)
        s = check_positive(pool, "Df", n, r->Df, err);
    return s;
}

ph_status ph_reduced_check(const ph_reduced *r, const ph_allocator *alloc, ph_error *err)
{
    ph_pool pool = {.alloc = alloc};
    ph_status s = check(&pool, r, err);
    ph_pool_free(&pool);
    return s;
}

/* ---- as text --------------------------------------------------------------------------------------- */

static void put_numbers(FILE *to, const char *separator, const char *name, int n, const double *x)
{
    fprintf(to, "%s\"%s\": ", separator, name);
    for (int i = 0; i < n; i++)
        fprintf(to, "%s%.17g", i ? ", " : "[", x[i]);
    fputs("]", to);
}

void ph_reduced_put(const ph_reduced *r, FILE *to)
{
    int n = r->modes, size = 6 + 4 * n;
    fprintf(to, "{\"modes\": %d,\n", n);
    put_numbers(to, "", "omega", n, r->omega);
    put_numbers(to, ",\n", "calM", size * size, r->calM);
    put_numbers(to, ",\n", "Kf", n * n, r->Kf);
    put_numbers(to, ",\n", "Df", n * n, r->Df);
    for (int c = 0; r->KG && c < PH_KG_MARKERS + 3 * r->n_markers; c++) {
        fputs(c ? ",\n" : ",\n\"KG\": [", to);
        for (int i = 0; i < n * n; i++)
            fprintf(to, "%s%.17g", i ? ", " : "[", ph_reduced_KG(r, c)[i]);
        fputs("]", to);
    }
    fputs(r->KG ? "],\n\"markers\": [" : ",\n\"markers\": [", to);
    for (int k = 0; k < r->n_markers; k++) {
        const ph_marker *m = &r->marker[k];
        fprintf(to, "%s{\"name\": \"%s\", ", k ? ",\n" : "", m->name);
        put_numbers(to, "", "X", 3, (double[]){m->X.x, m->X.y, m->X.z});
        put_numbers(to, ", ", "Psi", 3 * n, m->Psi);
        put_numbers(to, ", ", "Th", 3 * n, m->Th);
        fputs("}", to);
    }
    fputs("]}", to);
}
