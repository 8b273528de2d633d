/* A harness takes bytes and gives them to one reader of the library. libFuzzer calls it with inputs that it makes up, replay.c
 * with those of the corpus. What must not happen: a crash, a leak, undefined behaviour, more than 10 s, a number that is none. */
#ifndef POLHODE_TEST_FUZZ_H
#define POLHODE_TEST_FUZZ_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A condition that every input must fulfil. */
#define must(condition)                                                                                      \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                    \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

/* Bytes one by one, by which a harness chooses; 0 where there are no more. */
typedef struct fuzz_bytes {
    const uint8_t *data;
    size_t size, at;
} fuzz_bytes;

static inline int fuzz_byte(fuzz_bytes *b)
{
    return b->at < b->size ? b->data[b->at++] : 0;
}

/* The bytes as a file; its path, which holds until the next call. */
const char *fuzz_file(const char *ending, const uint8_t *data, size_t size);

/* Read a model of the text, whose file would be in that folder ("": this one), run it for a few steps by a method that the text chooses, save, freeze and read it again. */
void fuzz_text(const char *folder, const uint8_t *data, size_t size);

#endif
