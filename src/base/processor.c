/* Whether this processor has the instructions that the other files were compiled for (-march=native). This file and those
 * with main are compiled without them, so that they can say what is missing where the others would be killed. */
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
