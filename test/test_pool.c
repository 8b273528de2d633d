/* Cases in several processes: the same results for any number of them, and what becomes of those that die. */
#include "study/pool.h"

#include "check.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

typedef struct result {
    double value;
    int k, lost;
    char why[96];
} result;

typedef struct book { /* what the caller saw */
    int calls, order[512];
    int stop_after;
    pid_t caller;
    const char *file; /* marks that cases leave behind */
} book;

static void nap(double s)
{
    struct timespec t = {.tv_sec = (time_t)s, .tv_nsec = (long)((s - floor(s)) * 1e9)};
    nanosleep(&t, NULL);
}

static void compute(int k, void *to, void *ctx)
{
    result *r = to;
    (void)ctx;
    r->k = k;
    for (int i = 0; i < 1000 + 37 * (k % 11); i++)
        r->value = sin(r->value + k);
}

static void lose(int k, const char *why, void *to, void *ctx)
{
    result *r = to;
    (void)ctx;
    r->k = k, r->lost = 1;
    snprintf(r->why, sizeof r->why, "%s", why);
}

static ph_status note(int k, const void *from, void *ctx)
{
    book *b = ctx;
    const result *r = from;
    assert_int_equal(r->k, k);
    assert_int_equal(getpid(), b->caller);
    b->order[b->calls++] = k;
    return b->stop_after && b->calls == b->stop_after ? PH_E_STOPPED : PH_OK;
}

static ph_pool_def study(book *b, int n, int jobs)
{
    ph_pool_def def = ph_pool_default();
    *b = (book){.caller = getpid()};
    def.n = n, def.jobs = jobs, def.size = sizeof(result);
    def.job = compute, def.lost = lose, def.done = note, def.ctx = b;
    return def;
}

static void test_same_for_any_jobs(void **state)
{
    enum { N = 200 };
    static result one[N], more[N];
    book b;
    (void)state;
    ph_pool_def def = study(&b, N, 1);
    ph_pool_end end;
    assert_int_equal(ph_pool_run(&def, one, &end, NULL), PH_OK);
    assert_int_equal(end.done, N);
    for (int k = 0; k < N; k++) { /* the caller's own computation */
        result r = {0};
        compute(k, &r, NULL);
        assert_memory_equal(&r, &one[k], sizeof r); /* exact */
        assert_int_equal(b.order[k], k);            /* one worker answers in order */
    }
    for (int jobs = 2; jobs <= 5; jobs++) {
        def = study(&b, N, jobs);
        memset(more, 1, sizeof more);
        assert_int_equal(ph_pool_run(&def, more, NULL, NULL), PH_OK);
        assert_int_equal(b.calls, N);
        assert_memory_equal(one, more, sizeof one); /* exact */
    }
}

static void test_skip(void **state)
{
    enum { N = 30 };
    char skip[N];
    result all[N];
    book b;
    (void)state;
    memset(all, 0, sizeof all);
    for (int k = 0; k < N; k++)
        skip[k] = k % 3 != 1;
    ph_pool_def def = study(&b, N, 2);
    def.skip = skip;
    assert_int_equal(ph_pool_run(&def, all, NULL, NULL), PH_OK);
    assert_int_equal(b.calls, 10);
    for (int k = 0; k < N; k++)
        assert_int_equal(all[k].value != 0, k % 3 == 1);
    memset(skip, 1, sizeof skip); /* nothing to do */
    ph_pool_end end;
    assert_int_equal(ph_pool_run(&def, all, &end, NULL), PH_OK);
    assert_int_equal(end.done, 0);
    def.n = 0;
    assert_int_equal(ph_pool_run(&def, NULL, NULL, NULL), PH_OK);
}

/* ---- death ------------------------------------------------------------------------------------------- */

static void compute_or_die(int k, void *to, void *ctx)
{
    compute(k, to, ctx);
    if (k % 10 == 3) {
        signal(SIGABRT, SIG_DFL); /* the test library has its own idea */
        abort();
    }
    if (k % 10 == 7)
        _exit(5);
}

static void test_death_is_a_result(void **state)
{
    enum { N = 100 };
    static result one[N], more[N];
    book b;
    ph_pool_end end;
    (void)state;
    ph_pool_def def = study(&b, N, 1);
    def.job = compute_or_die;
    assert_int_equal(ph_pool_run(&def, one, &end, NULL), PH_OK);
    assert_int_equal(end.lost, 20);
    assert_int_equal(end.done, N);
    for (int k = 0; k < N; k++) {
        assert_int_equal(one[k].lost, k % 10 == 3 || k % 10 == 7);
        if (k % 10 == 3)
            assert_non_null(strstr(one[k].why, "killed by signal 6"));
        if (k % 10 == 7)
            assert_string_equal(one[k].why, "ended with exit code 5");
    }
    def = study(&b, N, 3);
    def.job = compute_or_die;
    assert_int_equal(ph_pool_run(&def, more, &end, NULL), PH_OK);
    assert_memory_equal(one, more, sizeof one); /* exact */
}

/* Case 4 is killed at its first attempt, case 6 always. */
static void compute_or_be_killed(int k, void *to, void *ctx)
{
    const book *b = ctx;
    compute(k, to, ctx);
    if (k == 6 || (k == 4 && access(b->file, F_OK) != 0)) {
        FILE *mark = k == 4 ? fopen(b->file, "w") : NULL;
        if (mark)
            fclose(mark);
        raise(SIGKILL);
    }
}

static void test_killed_from_outside(void **state)
{
    enum { N = 12 };
    result all[N];
    book b;
    ph_pool_end end;
    char file[] = "/tmp/ph_test_pool_XXXXXX";
    (void)state;
    int fd = mkstemp(file);
    assert_true(fd >= 0);
    close(fd);
    unlink(file);
    ph_pool_def def = study(&b, N, 2);
    def.job = compute_or_be_killed, b.file = file;
    assert_int_equal(ph_pool_run(&def, all, &end, NULL), PH_OK);
    assert_int_equal(access(file, F_OK), 0);
    unlink(file);
    assert_int_equal(end.lost, 1);
    assert_int_equal(all[4].lost, 0);
    assert_non_null(strstr(all[6].why, "killed by signal 9"));
}

/* ---- ends -------------------------------------------------------------------------------------------- */

static void test_done_ends_it(void **state)
{
    book b;
    ph_pool_end end;
    (void)state;
    ph_pool_def def = study(&b, 500, 3);
    b.stop_after = 20;
    assert_int_equal(ph_pool_run(&def, NULL, &end, NULL), PH_E_STOPPED);
    assert_int_equal(b.calls, 20);
    assert_int_equal(end.signal, 0);
}

static void interrupt_caller(int k, void *to, void *ctx)
{
    const book *b = ctx;
    compute(k, to, ctx);
    if (k == 2)
        kill(b->caller, SIGTERM);
    if (k > 2)
        nap(60); /* the signal must not wait for it */
}

static void test_signal_ends_it(void **state)
{
    book b;
    ph_pool_end end;
    ph_error err;
    sigset_t before, after;
    (void)state;
    ph_pool_def def = study(&b, 50, 2);
    def.job = interrupt_caller;
    time_t begun = time(NULL);
    sigprocmask(SIG_SETMASK, NULL, &before);
    assert_int_equal(ph_pool_run(&def, NULL, &end, &err), PH_E_STOPPED);
    sigprocmask(SIG_SETMASK, NULL, &after);
    assert_int_equal(end.signal, SIGTERM);
    assert_true(end.under_way >= 1);
    assert_true(time(NULL) - begun < 30);
    assert_int_equal(sigismember(&before, SIGTERM), sigismember(&after, SIGTERM));
}

/* Ctrl-C reaches workers too: it neither ends them nor does it wait for a job that asks. */
static void interrupt_self(int k, void *to, void *ctx)
{
    sigset_t set;
    result *r = to;
    compute(k, to, ctx);
    kill(getpid(), SIGINT);
    kill(getpid(), SIGTERM);
    sigpending(&set);
    r->lost = sigismember(&set, SIGINT) || sigismember(&set, SIGTERM);
}

static void test_workers_leave_signals_alone(void **state)
{
    result all[6];
    book b;
    ph_pool_end end;
    (void)state;
    ph_pool_def def = study(&b, 6, 2);
    def.job = interrupt_self;
    assert_int_equal(ph_pool_run(&def, all, &end, NULL), PH_OK);
    for (int k = 0; k < 6; k++)
        assert_int_equal(all[k].lost, 0);
}

/* ---- buffers ----------------------------------------------------------------------------------------- */

/* What waits in a buffer of the caller is written once. */
static void test_buffers(void **state)
{
    book b;
    (void)state;
    FILE *file = tmpfile();
    assert_non_null(file);
    fprintf(file, "once\n");
    ph_pool_def def = study(&b, 20, 4);
    def.job = compute_or_die;
    assert_int_equal(ph_pool_run(&def, NULL, NULL, NULL), PH_OK);
    fflush(file);
    assert_int_equal(ftell(file), 5);
    fclose(file);
}

/* One long case at the front must not hold up those behind it. */
static void sleep_at_first(int k, void *to, void *ctx)
{
    compute(k, to, ctx);
    if (k == 0)
        nap(1);
}

static void test_long_case_holds_up_none(void **state)
{
    enum { N = 40 };
    book b;
    (void)state;
    ph_pool_def def = study(&b, N, 2);
    def.job = sleep_at_first;
    assert_int_equal(ph_pool_run(&def, NULL, NULL, NULL), PH_OK);
    assert_int_equal(b.order[N - 1], 0);
}

/* Results larger than a pipe holds. */
#define LARGE 300000

static void fill(int k, void *to, void *ctx)
{
    (void)ctx;
    memset(to, 'a' + k, LARGE);
}

static void test_large_results(void **state)
{
    (void)state;
    char *all = malloc(5 * LARGE);
    assert_non_null(all);
    ph_pool_def def = {.n = 5, .jobs = 2, .size = LARGE, .job = fill, .lost = lose};
    assert_int_equal(ph_pool_run(&def, all, NULL, NULL), PH_OK);
    for (int i = 0; i < 5 * LARGE; i++)
        if (all[i] != 'a' + i / LARGE)
            fail_msg("byte %d is %d", i, all[i]);
    free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_for_any_jobs),
        cmocka_unit_test(test_skip),
        cmocka_unit_test(test_death_is_a_result),
        cmocka_unit_test(test_killed_from_outside),
        cmocka_unit_test(test_done_ends_it),
        cmocka_unit_test(test_signal_ends_it),
        cmocka_unit_test(test_workers_leave_signals_alone),
        cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_long_case_holds_up_none),
        cmocka_unit_test(test_large_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
