/* Reads, writes and waits that signals interrupt every millisecond, and pipes that take a part at a time. */
#define _XOPEN_SOURCE 700

#include "io/retry.h"

#include "check.h"

#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BYTES 300000 /* several pipes full */

static volatile sig_atomic_t alarms;

static void count(int signal)
{
    (void)signal;
    alarms = alarms + 1;
}

static void ring(int microseconds)
{
    struct sigaction act = {.sa_handler = count}; /* no SA_RESTART: calls end with EINTR */
    struct itimerval every = {{0, microseconds}, {0, microseconds}};
    sigemptyset(&act.sa_mask);
    alarms = 0;
    assert_int_equal(sigaction(SIGALRM, &act, NULL), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &every, NULL), 0);
}

static void nap(void)
{
    nanosleep(&(struct timespec){0, 3000000}, NULL);
}

/* The other end of the pipe is slow. */
static void test_pipes(void **state)
{
    (void)state;
    static char bytes[BYTES], other[BYTES];
    for (int back = 0; back < 2; back++) {
        int fd[2];
        for (int i = 0; i < BYTES; i++)
            bytes[i] = (char)(i * 7 + back);
        assert_int_equal(pipe(fd), 0);
        pid_t pid = fork();
        if (pid == 0) {
            int good = 1;
            close(fd[back]);
            for (int i = 0; i < BYTES; i += BYTES / 20, nap())
                good &= back ? read(fd[0], other, BYTES / 20) > 0 : write(fd[1], bytes + i, BYTES / 20) > 0;
            while (back && read(fd[0], other, sizeof other) > 0)
                ;
            _exit(good ? 7 : 1);
        }
        close(fd[!back]);
        ring(1000);
        if (back)
            assert_true(ph_retry_write(fd[1], bytes, BYTES));
        else
            assert_true(ph_retry_read(fd[0], other, BYTES));
        close(fd[back]);
        int how = ph_retry_wait(pid);
        ring(0);
        assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 7);
        if (!back)
            assert_memory_equal(other, bytes, BYTES);
    }
}

static void test_wait(void **state)
{
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        for (int i = 0; i < 10; i++)
            nap();
        _exit(5);
    }
    ring(1000);
    int how = ph_retry_wait(pid);
    int heard = alarms;
    ring(0);
    assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 5 && heard > 3);
    assert_int_equal(ph_retry_wait(pid), -1); /* it has gone */
}

static void test_failures(void **state)
{
    (void)state;
    int fd[2];
    char byte[8] = "abc";
    assert_int_equal(pipe(fd), 0);
    assert_true(ph_retry_write(fd[1], byte, 3));
    close(fd[1]);
    assert_false(ph_retry_read(fd[0], byte, 8)); /* it ends before */
    close(fd[0]);
    assert_false(ph_retry_read(fd[0], byte, 8));
    assert_int_equal(errno, EBADF);
    assert_false(ph_retry_write(fd[0], byte, 8));
    assert_int_equal(errno, EBADF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pipes),
        cmocka_unit_test(test_wait),
        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
