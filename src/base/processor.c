/* Check that the processor has the instructions of -march=native. This file and the files with main are compiled without that
 * option: they run on any processor of the architecture. */
#include "polhode/base.h"

#include <stddef.h>

/* CMakeLists.txt sets the list: NEEDS("avx2") NEEDS("fma") ... */
#ifndef PH_PROCESSOR_NEEDS
#define PH_PROCESSOR_NEEDS
#endif

#define NEEDS(name)                                                                                          \
    if (!__builtin_cpu_supports(name))                                                                       \
        return name;

const char *ph_processor_lacks(void)
{
    PH_PROCESSOR_NEEDS
    return NULL;
}
