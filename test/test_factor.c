/* Factors of definite matrices, dense and in a band; indefinite ones are refused with their row. */
#include "fe_cases.h"

static const ph_factor_kind kinds[2] = {PH_FACTOR_DENSE, PH_FACTOR_SPARSE};

static void solves(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        uint64_t seed = 2;
        ph_fe fe = straight(steel_bar(), 10, 1, 0.2, 0.1);
        ph_factor *f;
        double x[2 * 66], y[66], b[2 * 66], size[66] = {0};
        int row;
        for (int i = 0; i < 132; i++)
            b[i] = x[i] = rnd(&seed);
        assert_int_equal(ph_factor_create(&f, &fe.M, kinds[k], NULL, &row, NULL), PH_OK);
        for (int c = 0; c < 2; c++)
            ph_factor_solve(f, x + 66 * c);
        for (int c = 0; c < 2; c++) {
            ph_csc_mul(&fe.M, x + 66 * c, y);
            for (int j = 0; j < 66; j++) /* sum of |M| |x|: what round-off is relative to, row by row */
                for (int i = fe.M.p[j]; i < fe.M.p[j + 1]; i++)
                    size[fe.M.i[i]] += fabs(fe.M.x[i] * x[66 * c + j]);
            for (int i = 0; i < 66; i++, size[i - 1] = 0)
                check_le(fabs(y[i] - b[66 * c + i]) / size[i],
                         1e-15); /* residuals do not see the condition */
        }
        ph_factor_destroy(f);
        ph_fe_free(&fe);
    }
}

/* The stiffness of a body that nothing holds is singular; a negative diagonal is found where it is. */
static void refuses(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        ph_fe fe = straight(steel_bar(), 3, 1, 0, 0);
        ph_factor *f;
        int row = -1;
        for (int i = fe.M.p[8]; i < fe.M.p[9]; i++)
            if (fe.M.i[i] == 8)
                fe.M.x[i] = -1;
        assert_int_equal(ph_factor_create(&f, &fe.M, kinds[k], NULL, &row, NULL), PH_E_SINGULAR);
        assert_null(f);
        assert_true(row >= 0 && row < 24);
        assert_int_equal(row, 8);
        assert_int_equal(ph_factor_create(&f, &fe.K, kinds[k], NULL, &row, NULL), PH_E_SINGULAR);
        ph_fe_free(&fe);
    }
}

/* [1 1; 1 1] but for round-off is no definite matrix. */
static void refuses_round_off(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        ph_pool pool = {0};
        ph_triplets t;
        ph_csc A;
        ph_factor *f;
        int row;
        assert_true(ph_triplets_open(&pool, &t, 4));
        for (int i = 0; i < 4; i++)
            ph_triplets_add(&t, i / 2, i % 2, i == 3 ? 1 + 1e-15 : 1);
        assert_true(ph_csc_build(&pool, 2, 2, &t, &A));
        assert_int_equal(ph_factor_create(&f, &A, kinds[k], NULL, &row, NULL), PH_E_SINGULAR);
        ph_pool_free(&pool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(solves), cmocka_unit_test(refuses),
                                       cmocka_unit_test(refuses_round_off)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
