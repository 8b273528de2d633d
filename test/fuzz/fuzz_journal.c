/* Journals of studies. */
#include "fuzz.h"
#include "study/journal.h"

static int take(int k, const char *text, void *ctx)
{
    *(long *)ctx += k + (long)strlen(text);
    return strchr(text, 'x') == NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    long sum = 0;
    ph_error err = {.text = ""};
    ph_journal j;
    const char *path = fuzz_file(".journal", data, size);
    if (ph_journal_read(path, 0x9f86d081884c7d65u, take, &sum, &err) != PH_OK)
        must(err.text[0]);
    if (ph_journal_open(&j, path, 0x9f86d081884c7d65u, take, &sum, &err) == PH_OK) {
        must(ph_journal_add(&j, 7, "seven"));
        ph_journal_close(&j, 0);
        must(ph_journal_read(path, 0x9f86d081884c7d65u, take, &sum, &err) == PH_OK);
    } else {
        must(err.text[0]);
    }
    return 0;
}
