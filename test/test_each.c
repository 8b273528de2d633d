/* Operations of groups on many elements: those of one, one after the other. */
#include "check.h"
#include "polhode/lie.h"

enum { MANY = 7, ROOM = 7 * 36 };

/* Every operation of every group, against its entry in the table of the group. */
static void as_one_by_one(void **state)
{
    (void)state;
    uint64_t seed = 18;
    for (int g = 0; g < PH_GROUP_COUNT; g++) {
        const ph_group_ops *ops = ph_group_get((ph_group)g);
        double x[ROOM], u[ROOM], q[ROOM], p[ROOM], out[ROOM], one[36];
        int n = 5, dim = ph_group_dim((ph_group)g, n), size = ph_group_size((ph_group)g, n);
        for (int k = 0; k < MANY * dim; k++)
            x[k] = rnd(&seed), u[k] = rnd(&seed);
        assert_int_equal(ph_group_each((ph_group)g, n, PH_EACH_EXP, MANY, x, NULL, q), PH_OK);
        assert_int_equal(ph_group_each((ph_group)g, n, PH_EACH_EXP, MANY, u, NULL, p), PH_OK);
        struct {
            ph_group_op op;
            void (*one)(int, const double *, double *);
            void (*two)(int, const double *, const double *, double *);
        } all[] = {{PH_EACH_COMPOSE, NULL, ops->compose},
                   {PH_EACH_INVERSE, ops->inverse, NULL},
                   {PH_EACH_EXP, ops->exp, NULL},
                   {PH_EACH_LOG, ops->log, NULL},
                   {PH_EACH_T, ops->T, NULL},
                   {PH_EACH_TINV, ops->Tinv, NULL},
                   {PH_EACH_DT, NULL, ops->dT},
                   {PH_EACH_DTINV, NULL, ops->dTinv},
                   {PH_EACH_DTT, NULL, ops->dTt},
                   {PH_EACH_DTINVT, NULL, ops->dTinvt},
                   {PH_EACH_HAT, ops->hat, NULL},
                   {PH_EACH_AD, ops->Ad, NULL}};
        assert_true(sizeof all / sizeof *all == PH_EACH_COUNT);
        for (int i = 0; i < PH_EACH_COUNT; i++) {
            int first, second, result;
            assert_int_equal(ph_group_sizes((ph_group)g, n, all[i].op, &first, &second, &result), PH_OK);
            const double *a = first == size && (first != dim || all[i].op < PH_EACH_EXP) ? q : x;
            a = all[i].op == PH_EACH_LOG || all[i].op == PH_EACH_AD ? q : a;
            const double *b = all[i].op == PH_EACH_COMPOSE ? p : second ? u : NULL;
            assert_int_equal(ph_group_each((ph_group)g, n, all[i].op, MANY, a, b, out), PH_OK);
            for (int k = 0; k < MANY; k++) {
                if (b)
                    all[i].two(n, a + k * first, b + k * second, one);
                else
                    all[i].one(n, a + k * first, one);
                assert_memory_equal(one, out + k * result, (size_t)result * sizeof *one); /* exact */
            }
        }
    }
}

static void refusals(void **state)
{
    (void)state;
    double x[3] = {0}, q[4];
    int a, b, c;
    assert_int_equal(ph_group_sizes(PH_GROUP_COUNT, 3, PH_EACH_EXP, &a, &b, &c), PH_E_INPUT);
    assert_int_equal(ph_group_sizes(PH_RN, 0, PH_EACH_EXP, &a, &b, &c), PH_E_INPUT);
    assert_int_equal(ph_group_sizes(PH_SO3, 0, PH_EACH_COUNT, &a, &b, &c), PH_E_INPUT);
    assert_int_equal(ph_group_each(PH_SO3, 0, PH_EACH_COMPOSE, 1, x, NULL, q), PH_E_INPUT);
    assert_int_equal(ph_group_each(PH_SO3, 0, PH_EACH_EXP, 1, x, x, q), PH_E_INPUT);
    assert_int_equal(ph_group_each(PH_SO3, 0, PH_EACH_EXP, 0, x, NULL, q), PH_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_one_by_one), cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
