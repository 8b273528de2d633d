/* Linked where coverage is counted: workers that end by _exit, and programs that end by a signal of their own, write their counts
 * first. Calls that fail on purpose no longer fail then. Programs that may write little, as some tests want it, write their counts where nobody
 * looks: they would destroy what others have counted. */
#define _XOPEN_SOURCE 700
#include <stdlib.h>
#include <sys/resource.h>

void __gcov_dump(void);
_Noreturn void __real__exit(int code);
_Noreturn void __wrap__exit(int code);
int __real_raise(int number);
int __wrap_raise(int number);

__attribute__((destructor)) static void calm(void) /* before gcov's own */
{
    unsetenv("PH_FAIL_FILE");
}

__attribute__((weak)) void __wrap__exit(int code) /* a program may have its own */
{
    calm();
    __gcov_dump();
    __real__exit(code);
}

int __wrap_raise(int number)
{
    calm();
    __gcov_dump();
    return __real_raise(number);
}

__attribute__((constructor)) static void begin(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return;
    setenv("GCOV_PREFIX", PH_UNCOUNTED, 1);
    setenv("GCOV_ERROR_FILE", "/dev/null", 1);
}
