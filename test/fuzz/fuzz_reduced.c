/* Reduced bodies, JSON or HDF5 by their first bytes, as the body of a model that runs. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[512], folder[96];
    const char *path = fuzz_file(size > 4 && !memcmp(data, "\x89HDF", 4) ? ".h5" : ".json", data, size);
    int n =
        snprintf(text, sizeof text,
                 "gravity {0, 0, -9.81}\nflexible { name = 'f', file = '%s' }\nrun { h = 1e-3, t_end = 1 }\n",
                 strrchr(path, '/') + 1);
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') + 1 - path), path);
    fuzz_text(folder, (const uint8_t *)text, (size_t)n);
    return 0;
}
