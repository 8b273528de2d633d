/* Give a harness every file of the folders and files named: the corpus is replayed by each build. */
#define _POSIX_C_SOURCE 200809L
#include "fuzz.h"

#include <dirent.h>
#include <sys/stat.h>

static long replayed;

static void replay(const char *path)
{
    struct stat st;
    must(!stat(path, &st));
    if (S_ISDIR(st.st_mode)) {
        DIR *d = opendir(path);
        must(d);
        for (struct dirent *e; (e = readdir(d));) {
            char below[4096];
            if (e->d_name[0] == '.')
                continue;
            must(snprintf(below, sizeof below, "%s/%s", path, e->d_name) < (int)sizeof below);
            replay(below);
        }
        closedir(d);
        return;
    }
    size_t size = (size_t)st.st_size;
    uint8_t *data = malloc(size ? size : 1); /* no byte more: what is read beyond is seen */
    FILE *f = fopen(path, "rb");
    must(data && f && fread(data, 1, size, f) == size);
    fclose(f);
    fprintf(stderr, "%s\n", path); /* the last one, if it does not return */
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    replayed++;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        replay(argv[i]);
    printf("%ld inputs\n", replayed);
    return replayed ? 0 : 1;
}
