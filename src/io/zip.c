/* ZIP archives: each file behind its header, then a directory of them. Numbers are little-endian; all files have the first day
 * that the format knows, so that equal contents are equal archives. */
#include "io/zip.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#define DAY 0x21 /* 1980-01-01 */

uint32_t ph_zip_crc(const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < size; i++) {
        crc ^= p[i];
        for (int k = 0; k < 8; k++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    return ~crc;
}

static void put(ph_zip *z, const void *bytes, size_t size)
{
    z->failed |= fwrite(bytes, 1, size, z->out) != size;
    z->at += (uint32_t)size;
}

/* n bytes of a number */
static void put_number(ph_zip *z, uint32_t x, int n)
{
    unsigned char byte[4] = {(unsigned char)x, (unsigned char)(x >> 8), (unsigned char)(x >> 16),
                             (unsigned char)(x >> 24)};
    put(z, byte, (size_t)n);
}

/* What the header of a file and its entry in the directory share. */
static void put_entry(ph_zip *z, int k)
{
    put_number(z, 10, 2), put_number(z, 0, 2), put_number(z, 0, 2); /* version, no flags, stored */
    put_number(z, 0, 2), put_number(z, DAY, 2);
    put_number(z, z->file[k].crc, 4);
    put_number(z, z->file[k].size, 4), put_number(z, z->file[k].size, 4);
    put_number(z, (uint32_t)strlen(z->file[k].name), 2), put_number(z, 0, 2);
}

void ph_zip_open(ph_zip *z, FILE *out)
{
    memset(z, 0, sizeof *z);
    z->out = out;
}

void ph_zip_add(ph_zip *z, const char *name, const void *bytes, size_t size)
{
    int k = z->n;
    assert(k < PH_ZIP_FILES && strlen(name) < PH_ZIP_NAME);
    if (size + z->at > UINT32_MAX / 2) {
        errno = EFBIG, z->failed = 1;
        return;
    }
    strcpy(z->file[k].name, name);
    z->file[k].crc = ph_zip_crc(bytes, size), z->file[k].size = (uint32_t)size, z->file[k].at = z->at;
    z->n++;
    put_number(z, 0x04034b50u, 4);
    put_entry(z, k);
    put(z, name, strlen(name));
    put(z, bytes, size);
}

int ph_zip_close(ph_zip *z)
{
    uint32_t at = z->at;
    for (int k = 0; k < z->n; k++) {
        put_number(z, 0x02014b50u, 4), put_number(z, 10, 2);
        put_entry(z, k);
        put_number(z, 0, 2), put_number(z, 0, 2), put_number(z, 0, 2); /* no comment, disk 0, bytes */
        put_number(z, 0, 4), put_number(z, z->file[k].at, 4);
        put(z, z->file[k].name, strlen(z->file[k].name));
    }
    uint32_t size = z->at - at;
    put_number(z, 0x06054b50u, 4), put_number(z, 0, 2), put_number(z, 0, 2);
    put_number(z, (uint32_t)z->n, 2), put_number(z, (uint32_t)z->n, 2);
    put_number(z, size, 4), put_number(z, at, 4), put_number(z, 0, 2);
    return !z->failed;
}
