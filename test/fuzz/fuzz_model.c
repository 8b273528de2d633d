/* Model files: Lua. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size && data[0] != '{')
        fuzz_text("", data, size);
    return 0;
}
