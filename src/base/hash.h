/* Fingerprints of texts: FNV-1a with 64 bits. They tell apart what was mixed up, not what was forged. */
#ifndef PH_BASE_HASH_H
#define PH_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PH_HASH_START 14695981039346656037u

static inline uint64_t ph_hash_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *b = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ b[i]) * 1099511628211u;
    return hash;
}

/* With its end, so that "ab","c" differs from "a","bc". */
static inline uint64_t ph_hash_text(uint64_t hash, const char *text)
{
    return ph_hash_bytes(hash, text, strlen(text) + 1);
}

#endif
