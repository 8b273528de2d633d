/* Lowest frequencies, dense and sparse; the same of a whole reduction, and of a solid of more than 20000
 * rows. */
#include "fe_cases.h"

#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A x = lambda B x of a 2 x 2 problem with a known solution: A = [2 1; 1 2], B = diag(1, 4). */
static void dense_by_hand(void **state)
{
    (void)state;
    double A[4] = {2, 1, 1, 2}, B[4] = {1, 0, 0, 4}, value[2], root = sqrt(25 - 12);
    assert_int_equal(ph_eigen_dense(2, A, B, value, NULL, NULL), PH_OK);
    check_near(value[0], (5 - root) / 4, 1e-15); /* round-off: 4 l^2 - 10 l + 3 = 0 */
    check_near(value[1], (5 + root) / 4, 1e-15);
    check_near(A[0] * A[0] + 4 * A[1] * A[1], 1, 1e-15);
    double C[4] = {1, 0, 0, 1}, D[4] = {1, 2, 2, 1};
    assert_int_equal(ph_eigen_dense(2, C, D, value, NULL, NULL), PH_E_SINGULAR);
}

/* Frequencies and, through its invariants, the whole body: dense and sparse agree. */
static void sparse_is_dense(void **state)
{
    (void)state;
    static const int n[3] = {8, 3, 2};
    static const double L[3] = {1, 0.12, 0.08};
    int root[64], tip[64];
    for (int trial = 0; trial < 2; trial++) {
        ph_reduced *r[2];
        for (int sparse = 0; sparse < 2; sparse++) {
            ph_fe fe = block(n, L, 2.1e11, 0.3, 7850);
            ph_fe_interface faces[2] = {{"root", block_face(&fe, 0, root), root},
                                        {"tip", block_face(&fe, 1, tip), tip}};
            ph_fe_spec spec = {.frame = trial ? NULL : "root",
                               .frame_id = PH_NO_NODE,
                               .n = 8,
                               .fixed = PH_AS_MANY,
                               .n_interfaces = 2,
                               .interface = faces};
            spec.type = trial ? PH_MODES_CRAIG_BAMPTON : PH_MODES_CLAMPED;
            r[sparse] = reduce_kind(&fe, &spec, sparse ? PH_FACTOR_SPARSE : PH_FACTOR_DENSE);
            ph_fe_free(&fe);
        }
        int size = 6 + 4 * 8;
        for (int k = 0; k < 8; k++)
            check_near(r[1]->omega[k] / r[0]->omega[k], 1,
                       1e-11); /* round-off, times the ratio of frequencies squared */
        check_le(max_diff(r[0]->calM, r[1]->calM, size * size) / r[0]->calM[0], 1e-11);
        for (int k = 0; k < 2; k++) {
            check_le(max_diff(r[0]->marker[k].Psi, r[1]->marker[k].Psi, 24), 1e-11);
            check_le(max_diff(r[0]->marker[k].Th, r[1]->marker[k].Th, 24), 1e-11);
        }
        for (int k = 0; k < 2; k++)
            ph_reduced_free(NULL, r[k]);
    }
}

/* (X27): a star of seven equal bars, held where they meet: each frequency of bending is there 14 times, more
 * often than the iteration has starting vectors. */
static void many_of_one_frequency(void **state)
{
    (void)state;
    enum { ARMS = 7, MODES = 45 };
    double points[3 * (ARMS + 1)] = {0}, omega[2][MODES];
    ph_fe_member m[ARMS];
    for (int k = 0; k < ARMS; k++) {
        points[3 * k + 3] = cos(0.9 * k), points[3 * k + 4] = sin(0.9 * k);
        m[k] = (ph_fe_member){.from = 0, .to = k + 1, .n = 12, .section = steel_bar()};
    }
    for (int sparse = 0; sparse < 2; sparse++) {
        ph_fe fe;
        ph_fe_spec spec = clamped(MODES);
        spec.stiffen = 0;
        assert_int_equal(ph_fe_frame(&fe, NULL, ARMS + 1, points, ARMS, m, NULL), PH_OK);
        ph_reduced *r = reduce_kind(&fe, &spec, sparse ? PH_FACTOR_SPARSE : PH_FACTOR_DENSE);
        memcpy(omega[sparse], r->omega, sizeof omega[sparse]);
        ph_reduced_free(NULL, r);
        ph_fe_free(&fe);
    }
    for (int k = 0; k < MODES; k++)
        check_near(omega[1][k] / omega[0][k], 1, 1e-9); /* round-off: conditioning of K */
    check_near(omega[0][13] / omega[0][0], 1, 1e-9);
    assert_true(omega[0][14] > 6 * omega[0][13]);
}

/* Frequencies of a clamped solid bar: bending as of a beam with shear and cross-contraction held at the root,
 * within 2 %. */
static void large_solid(void **state)
{
    (void)state;
    numbers_alone();
    static const int n[3] = {70, 9, 9};
    static const double L[3] = {1, 0.1, 0.1};
    static int root[200], tip[200];
    ph_fe fe = block(n, L, 2.1e11, 0.3, 7850);
    ph_fe_interface faces[2] = {{"root", block_face(&fe, 0, root), root},
                                {"tip", block_face(&fe, 1, tip), tip}};
    ph_fe_spec spec = {
        .frame = "root", .frame_id = PH_NO_NODE, .n = 12, .n_interfaces = 2, .interface = faces};
    assert_true(ph_fe_size(&fe) > 20000);
    double start = now();
    ph_reduced *r = reduce(&fe, &spec);
    double seconds = now() - start;
    double EI = 2.1e11 * 1e-4 / 12, rhoA = 78.5, omega = 3.5160152685 * sqrt(EI / rhoA);
    check_near(r->omega[0] / omega, 1, 0.02);       /* reference: Euler-Bernoulli, of a bar of 1:10 */
    check_near(r->omega[1] / r->omega[0], 1, 1e-9); /* round-off: the section is square */
    check_near(ph_reduced_mass(r), 78.5, 1e-10);
    check_le(seconds, 60); /* of the processor; some are usual */
    if (tol_scale() == 0)
        printf("%d rows in %.2f s\n", ph_fe_size(&fe), seconds);
    ph_reduced_free(NULL, r);
    ph_fe_free(&fe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_by_hand),
        cmocka_unit_test(sparse_is_dense),
        cmocka_unit_test(many_of_one_frequency),
        cmocka_unit_test(large_solid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
