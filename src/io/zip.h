/* Archives of files as they are: ZIP without compression, which every reader of it knows. */
#ifndef PH_IO_ZIP_H
#define PH_IO_ZIP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PH_ZIP_FILES 16
#define PH_ZIP_NAME  160

typedef struct ph_zip {
    FILE *out;
    int n;
    struct {
        char name[PH_ZIP_NAME];
        uint32_t crc, size, at;
    } file[PH_ZIP_FILES];
    uint32_t at; /* bytes so far */
    int failed;
} ph_zip;

void ph_zip_open(ph_zip *z, FILE *out);
/* Names have / between folders. A file of more than 4 GiB, or one too many, fails. */
void ph_zip_add(ph_zip *z, const char *name, const void *bytes, size_t size);
int ph_zip_close(
    ph_zip *z); /* the directory; 0: something failed, and errno says why. The stream stays open. */

uint32_t ph_zip_crc(const void *bytes, size_t size); /* of a file */

#endif
