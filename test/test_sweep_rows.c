/* Rows of a sweep: one line and back to the bit; shares, gathered. */
#include "study/sweep_rows.h"

#include "check.h"

#include <sys/stat.h>
#include <unistd.h>

#define VALUES 5
#define CASES  23
#define KEY    0x1234567890abcdefu

typedef union room {
    ph_sweep_row row;
    char
        bytes[sizeof(ph_sweep_row) + (VALUES + 1) * sizeof(double)]; /* one more, for a row that is refused */
} room;

static room row_of(int k)
{
    room r = {0};
    uint64_t seed = (uint64_t)k + 99;
    r.row.status = k % 5 == 4 ? PH_SWEEP_LOST : k % 3 == 2 ? PH_E_NEWTON : PH_OK;
    r.row.steps = 1000L * k, r.row.iterations = 3000000000L + k;
    r.row.t = 1.0 / (k + 3);
    r.row.drift = k % 2 ? NAN : rnd(&seed) * 1e-12;
    r.row.position = rnd(&seed), r.row.velocity = k == 7 ? HUGE_VAL : 5e-324;
    for (int i = 0; i < VALUES; i++)
        r.row.value[i] = i == 3 ? -0.0 : rnd(&seed) * pow(10, i - k);
    if (r.row.status != PH_OK)
        snprintf(r.row.reason, sizeof r.row.reason, "t = %g: joint 'a, \"b\"' | %%d \xc3\xa4", r.row.t);
    return r;
}

static void same_row(const ph_sweep_row *a, const ph_sweep_row *b)
{
    assert_int_equal(a->status, b->status);
    assert_true(a->steps == b->steps && a->iterations == b->iterations);
    assert_string_equal(a->reason, b->reason);
    const double x[] = {a->t, a->drift, a->position, a->velocity},
                 y[] = {b->t, b->drift, b->position, b->velocity};
    assert_memory_equal(x, y, sizeof x); /* exact, NAN and the sign of 0 too */
    assert_memory_equal(a->value, b->value, VALUES * sizeof(double));
}

static void test_row_and_back(void **state)
{
    char text[1024];
    (void)state;
    for (int k = 0; k < 50; k++) {
        room r = row_of(k), back = {0};
        assert_true(ph_sweep_row_print(&r.row, VALUES, text, sizeof text));
        assert_true(ph_sweep_row_read(&back.row, VALUES, text));
        same_row(&r.row, &back.row);
        assert_false(ph_sweep_row_read(&back.row, VALUES + 1, text));
        assert_false(ph_sweep_row_read(&back.row, VALUES - 1, text));
        for (size_t size = 1; size < strlen(text); size += 13)
            assert_false(ph_sweep_row_print(&r.row, VALUES, (char[1024]){0}, size));
    }
    assert_false(ph_sweep_row_read(&(room){0}.row, VALUES, "77 1 1 0 0 0 0 1 2 3 4 5 |"));
    assert_false(ph_sweep_row_read(&(room){0}.row, VALUES, ""));
}

/* A NAN with its sign set, as 0/0 gives it, and a reason of two lines. */
static void test_row_is_tame(void **state)
{
    char text[1024];
    room r = row_of(0), back = {0};
    (void)state;
    r.row.value[0] = -NAN;
    strcpy(r.row.reason, "two\nlines");
    assert_true(ph_sweep_row_print(&r.row, VALUES, text, sizeof text));
    assert_null(strchr(text, '\n'));
    assert_null(strstr(text, "-nan"));
    assert_true(ph_sweep_row_read(&back.row, VALUES, text));
    assert_string_equal(back.row.reason, "two lines");
}

/* ---- shares ------------------------------------------------------------------------------------------ */

static char folder[] = "/tmp/ph_test_sweep_XXXXXX", path[64];

static int set_up(void **state)
{
    (void)state;
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof path, "%s/out.csv", folder);
    return 0;
}

static int tear_down(void **state)
{
    ph_error err;
    (void)state;
    ph_sweep_forget(path, 0, 0, &err);
    return rmdir(folder); /* fails if something was left behind */
}

static void compute_share(int share, int shares, int stop_at)
{
    ph_sweep s;
    ph_error err;
    assert_int_equal(ph_sweep_open(&s, CASES, VALUES, KEY, path, share, shares, &err), PH_OK);
    for (int k = 0; k < CASES && k < stop_at; k++)
        if (ph_sweep_mine(&s, k) && !s.known[k]) {
            room r = row_of(k);
            assert_true(ph_sweep_add(&s, k, &r.row));
        }
    ph_sweep_close(&s, 0);
}

static void test_shares(void **state)
{
    ph_sweep s;
    ph_error err;
    (void)state;
    compute_share(1, 3, CASES);
    compute_share(2, 3, 10); /* not to its end */
    compute_share(3, 3, CASES);
    assert_int_equal(ph_sweep_open(&s, CASES, VALUES, KEY, path, 0, 0, &err), PH_OK);
    for (int k = 0; k < CASES; k++) {
        assert_int_equal(s.known[k], k % 3 != 1 || k < 10);
        room r = row_of(k);
        if (s.known[k])
            same_row(ph_sweep_row_at(&s, k), &r.row);
        else
            assert_true(ph_sweep_add(&s, k, &r.row));
    }
    assert_int_equal(ph_sweep_count(&s), CASES);
    ph_sweep_close(&s, 1); /* all journals go: see tear_down */
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(mkdir(folder, 0700), 0);
}

static void test_other_sweep(void **state)
{
    ph_sweep s;
    ph_error err;
    (void)state;
    compute_share(1, 2, CASES);
    assert_int_equal(ph_sweep_open(&s, CASES, VALUES, KEY + 1, path, 0, 0, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "out.csv.part.1of2"));
    assert_int_equal(ph_sweep_open(&s, CASES, VALUES, KEY + 1, path, 1, 2, &err), PH_E_INPUT);
    assert_int_equal(ph_sweep_forget(path, 1, 2, &err), PH_OK);
    assert_int_equal(ph_sweep_open(&s, CASES, VALUES, KEY + 1, path, 1, 2, &err), PH_OK);
    ph_sweep_close(&s, 0);
}

static void test_no_journal(void **state)
{
    ph_sweep s;
    ph_error err;
    room r = row_of(2);
    (void)state;
    assert_int_equal(ph_sweep_open(&s, CASES, VALUES, KEY, NULL, 0, 0, &err), PH_OK);
    assert_true(ph_sweep_add(&s, 2, &r.row));
    same_row(ph_sweep_row_at(&s, 2), &r.row);
    assert_int_equal(ph_sweep_count(&s), 1);
    ph_sweep_close(&s, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_row_and_back),
        cmocka_unit_test(test_row_is_tame),
        cmocka_unit_test_setup_teardown(test_shares, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_other_sweep, set_up, tear_down),
        cmocka_unit_test(test_no_journal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
