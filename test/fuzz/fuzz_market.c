/* Matrices in Matrix Market format and tables of nodes; the first byte chooses the reader. */
#include "fe/market.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    const char *path = fuzz_file(".mtx", data + 1, size - 1);
    ph_pool pool = {0};
    ph_error err = {.text = ""};
    ph_csc A;
    int n, *id;
    double *X;
    ph_status s = data[0] % 3 == 0   ? ph_market_symmetric(&pool, NULL, path, -1, &A, &err)
                  : data[0] % 3 == 1 ? ph_market_dense(&pool, NULL, path, 6, 8, &n, &X, &err)
                                     : ph_market_nodes(&pool, NULL, path, &n, &id, &X, &err);
    must(s == PH_OK || err.text[0]);
    ph_pool_free(&pool);
    return 0;
}
