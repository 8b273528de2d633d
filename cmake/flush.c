/* Linked where coverage is counted: workers that end by _exit write their counts first. Programs that may write little, or whose
 * calls to write fail, as some tests want it, write them where nobody looks: they would destroy what others have counted. */
#define _XOPEN_SOURCE 700
#include <stdlib.h>
#include <sys/resource.h>

void __gcov_dump(void);
_Noreturn void __real__exit(int code);
_Noreturn void __wrap__exit(int code);

void __wrap__exit(int code)
{
    __gcov_dump();
    __real__exit(code);
}

__attribute__((constructor)) static void begin(void)
{
    struct rlimit limit;
    int little = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    if (!little && !getenv("PH_FAIL_FILE"))
        return;
    setenv("GCOV_PREFIX", PH_UNCOUNTED, 1);
    setenv("GCOV_ERROR_FILE", "/dev/null", 1);
}
