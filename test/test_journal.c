/* Journals of studies: whole lines count, torn ones do not, wherever the pen was taken away. */
#include "study/journal.h"

#include "check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEY   0x9f86d081884c7d65u
#define CASES 20

typedef struct seen {
    int n, times[CASES];
    char text[CASES][64];
} seen;

static int take(int k, const char *text, void *ctx)
{
    seen *s = ctx;
    if (k >= CASES)
        return 0;
    s->n++, s->times[k]++;
    snprintf(s->text[k], sizeof s->text[k], "%s", text);
    return 1;
}

static const char *text_of(int k, char text[64])
{
    snprintf(text, 64, "%d %.17g a word", k * 7, sin(k));
    return text;
}

static char path[] = "/tmp/ph_test_journal_XXXXXX";

static int set_up(void **state)
{
    (void)state;
    strcpy(path + strlen(path) - 6, "XXXXXX");
    int fd = mkstemp(path);
    close(fd);
    return unlink(path);
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

static void write_cases(int from, int to)
{
    ph_journal j;
    ph_error err;
    seen s = {0};
    char text[64];
    assert_int_equal(ph_journal_open(&j, path, KEY, take, &s, &err), PH_OK);
    for (int k = from; k < to; k++)
        assert_true(ph_journal_add(&j, k, text_of(k, text)));
    ph_journal_close(&j, 0);
}

static long size_of(const char *file)
{
    struct stat st;
    return stat(file, &st) == 0 ? (long)st.st_size : -1;
}

static void test_there_and_back(void **state)
{
    seen s = {0};
    ph_error err;
    char text[64];
    (void)state;
    write_cases(0, 5);
    write_cases(5, CASES);
    assert_int_equal(ph_journal_read(path, KEY, take, &s, &err), PH_OK);
    assert_int_equal(s.n, CASES);
    for (int k = 0; k < CASES; k++)
        assert_string_equal(s.text[k], text_of(k, text));
    ph_journal j;
    assert_int_equal(ph_journal_open(&j, path, KEY, take, &s, &err), PH_OK);
    ph_journal_close(&j, 1);
    assert_int_equal(size_of(path), -1);
    ph_journal_close(&j, 1); /* accepted */
}

/* Cut at every byte: the lines before it are there, and the journal goes on from there. */
static void test_torn_anywhere(void **state)
{
    ph_error err;
    char text[64];
    (void)state;
    write_cases(0, 4);
    long whole = size_of(path);
    assert_true(whole > 100);
    for (long cut = 0; cut < whole; cut++) {
        seen before = {0}, after = {0};
        unlink(path);
        write_cases(0, 4);
        assert_int_equal(truncate(path, cut), 0);
        assert_int_equal(ph_journal_read(path, KEY, take, &before, &err), PH_OK);
        assert_true(before.n < 4);
        for (int k = 0; k < before.n; k++)
            assert_string_equal(before.text[k], text_of(k, text));
        write_cases(before.n, CASES);
        assert_int_equal(ph_journal_read(path, KEY, take, &after, &err), PH_OK);
        assert_int_equal(after.n, CASES);
    }
}

/* One byte changed: its line is lost and no other. */
static void test_spoilt_anywhere(void **state)
{
    ph_error err;
    (void)state;
    write_cases(0, CASES);
    FILE *f = fopen(path, "r+b");
    assert_non_null(f);
    long whole = size_of(path), head = 0;
    while (fgetc(f) != '\n')
        head++;
    for (long at = head + 1; at < whole; at += 3) {
        seen s = {0};
        fseek(f, at, SEEK_SET);
        int c = fgetc(f);
        fseek(f, at, SEEK_SET);
        fputc(c ^ 1, f);
        fflush(f);
        assert_int_equal(ph_journal_read(path, KEY, take, &s, &err), PH_OK);
        assert_true(s.n >= CASES - 2 && s.n < CASES); /* two: an end of line joins them */
        fseek(f, at, SEEK_SET);
        fputc(c, f);
        fflush(f);
    }
    fclose(f);
}

static void test_refused(void **state)
{
    ph_journal j;
    ph_error err;
    seen s = {0};
    (void)state;
    write_cases(0, 3);
    long size = size_of(path);
    assert_int_equal(ph_journal_open(&j, path, KEY + 1, take, &s, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "another study"));
    assert_int_equal(ph_journal_read(path, KEY + 1, take, &s, &err), PH_E_INPUT);
    assert_int_equal(s.n, 0);
    assert_int_equal(size_of(path), size);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "t,x\n1,2\n");
    fclose(f);
    assert_int_equal(ph_journal_open(&j, path, KEY, take, &s, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "no journal"));
    assert_int_equal(size_of(path), 8); /* someone's file stays as it is */
    assert_int_equal(ph_journal_open(&j, "/nowhere/x", KEY, take, &s, &err), PH_E_INPUT);
    assert_non_null(strstr(err.text, "/nowhere/x"));
    assert_int_equal(ph_journal_read("/nowhere/x", KEY, take, &s, &err), PH_E_INPUT);
    assert_string_equal(err.text, "cannot read '/nowhere/x': No such file or directory");
    assert_int_equal(ph_journal_remove("/", &err), PH_E_INPUT);
    assert_string_equal(err.text, "cannot remove '/': Is a directory");
}

/* Lines that are whole, of cases that no study has, and lines of others. */
static void test_strange_cases(void **state)
{
    ph_journal j;
    ph_error err;
    seen s = {0};
    (void)state;
    assert_int_equal(ph_journal_open(&j, path, KEY, take, &s, &err), PH_OK);
    assert_true(ph_journal_add(&j, -3, "before all") && ph_journal_add(&j, 2000000000, "after all"));
    assert_true(ph_journal_add(&j, 7, "there"));
    ph_journal_close(&j, 0);
    FILE *f = fopen(path, "a");
    assert_non_null(f);
    fprintf(f, "word\nanother short\n");
    fclose(f);
    assert_int_equal(ph_journal_read(path, KEY, take, &s, &err), PH_OK);
    assert_int_equal(s.n, 1);
    assert_string_equal(s.text[7], "there");
}

/* Locks are between processes. */
static void test_one_at_a_time(void **state)
{
    ph_journal j;
    ph_error err;
    seen s = {0};
    int how;
    (void)state;
    assert_int_equal(ph_journal_open(&j, path, KEY, take, &s, &err), PH_OK);
    pid_t pid = fork();
    if (pid == 0) {
        ph_journal other;
        int refused = ph_journal_open(&other, path, KEY, take, &s, &err) == PH_E_INPUT &&
                      strstr(err.text, "another process") &&
                      ph_journal_read(path, KEY, take, &s, &err) == PH_E_INPUT &&
                      ph_journal_remove(path, &err) == PH_E_INPUT;
        _exit(refused ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &how, 0), pid);
    assert_int_equal(how, 0);
    ph_journal_close(&j, 0);
    write_cases(0, 2); /* free again */
    assert_int_equal(ph_journal_remove(path, &err), PH_OK);
    assert_int_equal(size_of(path), -1);
    assert_int_equal(ph_journal_remove(path, &err), PH_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_there_and_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_torn_anywhere, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_spoilt_anywhere, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_strange_cases, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_one_at_a_time, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
