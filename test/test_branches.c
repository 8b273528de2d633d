/* Modes followed by their shapes. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "study/branches.h"

/* exact: multiples have MAC 1, orthogonal shapes 0; against a value by hand */
static void criterion(void **state)
{
    (void)state;
    double a[] = {1, 2, 0, 0.5, 0, -1}, b[6], c[] = {0, 0, 3, 0, 0, 2}, i[] = {1, 0, 0, 1},
           j[] = {1, 0, 0, -1};
    for (int k = 0; k < 3; k++) /* times 2 - 3i */
        b[k] = 2 * a[k] + 3 * a[3 + k], b[3 + k] = 2 * a[3 + k] - 3 * a[k];
    check_near(ph_branch_mac(3, a, b), 1, 1e-15);
    check_near(ph_branch_mac(3, a, (double[]){0, 0, 0, 0, 0, 0}), 0, 0);
    /* |a^H c|^2 = |i (3 + 2i)|^2 = 13 over 6.25 * 13 */
    check_near(ph_branch_mac(3, a, c), 1 / 6.25, 1e-15);
    check_near(ph_branch_mac(2, i, j), 0, 0); /* forward and backward whirl */
}

#define CASES 21
#define MODES 3

typedef struct diagram {
    double shape[CASES * MODES][6];
    ph_branch_mode mode[CASES * MODES];
    int count[CASES], branch[CASES * MODES], of[CASES * MODES]; /* which one it really is */
} diagram;

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Frequencies 1 + x, 3 - x, which cross at x = 1, and 2.5, which the first crosses at 1.5; shapes turn slowly. */
static void make(diagram *d, int sorted, double shift)
{
    for (int c = 0; c < CASES; c++) {
        double x = 0.1 * c, e = 0.3 * x, w[MODES][2] = {{1 + x, 0}, {3 + shift - x, 1}, {2.5 + 2 * shift, 2}};
        const double form[MODES][6] = {
            {cos(e), sin(e), 0, 0, 0, 0}, {-sin(e), cos(e), 0, 0, 0.1 * x, 0}, {0, 0, 1 + x, 0.1, 0, 0.5}};
        if (sorted)
            qsort(w, MODES, sizeof *w, by_value);
        d->count[c] = MODES;
        for (int k = 0; k < MODES; k++) {
            int at = c * MODES + k, which = (int)w[k][1];
            d->of[at] = which;
            memcpy(d->shape[at], form[which], sizeof form[which]);
            d->mode[at] = (ph_branch_mode){-0.01, w[k][0], d->shape[at]};
        }
    }
}

static void check_same(const diagram *d, int n)
{
    int branch_of[MODES] = {0};
    assert_int_equal(n, MODES);
    for (int i = 0; i < CASES * MODES; i++) {
        int *b = &branch_of[d->of[i]];
        *b = *b ? *b : d->branch[i];
        if (d->branch[i] != *b)
            fail_msg("value %d, mode %d: branch %d instead of %d", i / MODES, i % MODES, d->branch[i], *b);
    }
}

static void crossings(void **state)
{
    static diagram d;
    (void)state;
    make(&d, 1, 0);
    assert_true(d.of[CASES * MODES - 1] != d.of[MODES - 1]); /* sorted, they change places */
    check_same(&d, ph_branches_follow(CASES, MODES, 3, d.count, d.mode, d.branch));
    /* at the crossing itself the shapes are any of their plane */
    for (int k = 0; k < MODES; k++) {
        double *s = d.shape[10 * MODES + k];
        if (d.of[10 * MODES + k] < 2)
            s[0] = s[1] = sqrt(0.5), s[1] *= d.of[10 * MODES + k] ? 1 : -1;
    }
    int n = ph_branches_follow(CASES, MODES, 3, d.count, d.mode, d.branch);
    for (int k = 0; k < MODES; k++) /* there any of the two is right */
        d.branch[10 * MODES + k] = 0;
    assert_int_equal(n, MODES);
    int first[MODES];
    for (int k = 0; k < MODES; k++)
        first[d.of[k]] = d.branch[k];
    for (int i = 11 * MODES; i < CASES * MODES; i++)
        assert_int_equal(d.branch[i], first[d.of[i]]);
    /* without shapes the frequencies alone lead, straight on; between two values they cross */
    make(&d, 1, 0.03);
    for (int i = 0; i < CASES * MODES; i++)
        d.mode[i].shape = NULL;
    check_same(&d, ph_branches_follow(CASES, MODES, 3, d.count, d.mode, d.branch));
}

/* Branches end and begin: fewer modes, and none at all. */
static void gaps(void **state)
{
    static diagram d;
    (void)state;
    make(&d, 0, 0);
    d.count[3] = 0, d.count[4] = 2, d.count[5] = 1;
    assert_int_equal(ph_branches_follow(CASES, MODES, 3, d.count, d.mode, d.branch), MODES);
    assert_int_equal(d.branch[3 * MODES], 0);
    assert_int_equal(d.branch[4 * MODES + 2], 0);
    for (int k = 0; k < MODES; k++)
        assert_int_equal(d.branch[8 * MODES + k], d.branch[k]);
    double strange[] = {0, 0, 0, 1}, one[] = {1, 0, 0, 0};
    ph_branch_mode two[] = {{0, 1, one}, {0, 1.1, strange}};
    int branch[2], count[] = {1, 1};
    assert_int_equal(ph_branches_follow(2, 1, 2, count, two, branch), 2); /* nothing in common */
    assert_int_equal(branch[1], 2);
    assert_int_equal(ph_branches_follow(2, 1, 2, (int[]){0, 0}, two, branch), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(criterion), cmocka_unit_test(crossings),
                                       cmocka_unit_test(gaps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
