/* run --compiled: the model as C, built by the C compiler of the system and loaded. What was built is kept, by its source, the
 * version of this program and the compiler. */
#include "cli/compiled.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cli/cli.h"
#include "cli/workshop.h"
#include "io/file.h"
#include "polhode/compile.h"
#include "study/cache.h"

#define INSTEAD "the run goes on without"

static uint64_t key_of(const ph_workshop *w, uint64_t key)
{
    static const char *const endings[] = {".h", ".c"};
    key = ph_hash_text(key, ph_version());
    key = ph_hash_text(key, ph_workshop_compiler());
    for (int k = 0; k < 2; k++) {
        char path[PH_WORKSHOP_PATH];
        size_t size = 0;
        ph_workshop_path(w, endings[k], path);
        char *bytes = ph_file_read(path, &size);
        key = bytes ? ph_hash_bytes(key, bytes, size) : key;
        free(bytes);
    }
    return key;
}

static int write_sources(const ph_workshop *w, const ph_run *run)
{
    static const char *const endings[] = {".h", ".c"};
    ph_compile_config config = ph_compile_defaults();
    ph_error err = {0};
    FILE *f[2];
    if (!ph_workshop_write(w, 2, endings, f))
        return 0;
    config.name = w->name;
    int ok = ph_run_compile(run, &config, f[0], f[1], &err) == PH_OK;
    if (!ok)
        ph_complain("--compiled: %s; " INSTEAD, err.text);
    return ph_workshop_written(w, 2, f) && ok;
}

/* A library of an earlier run; 0: there is none. */
static int take_kept(const char *name, const char *path)
{
    FILE *in = ph_cache_open(name), *out = in ? fopen(path, "wb") : NULL;
    char block[8192];
    size_t n;
    int ok = out != NULL;
    while (ok && (n = fread(block, 1, sizeof block, in)) > 0)
        ok = fwrite(block, 1, n, out) == n;
    if (in)
        ok = !ferror(in) && ok, fclose(in);
    if (out)
        ok = fclose(out) == 0 && ok;
    return ok;
}

static void keep(const char *name, const char *path)
{
    size_t size;
    char *bytes = ph_file_read(path, &size);
    if (bytes)
        ph_cache_keep(name, 1, &(ph_cache_block){bytes, size});
    free(bytes);
}

static void *load(const ph_workshop *w)
{
    char path[PH_WORKSHOP_PATH], name[64];
    ph_workshop_path(w, ".so", path);
    snprintf(name, sizeof name, "compiled-%016llx.so", (unsigned long long)key_of(w, 0));
    if (!take_kept(name, path)) {
        if (!ph_workshop_build(w, ".c", 0, INSTEAD))
            return NULL;
        keep(name, path);
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        ph_complain("--compiled: %s; " INSTEAD, dlerror());
    return library;
}

void *ph_compiled_open(ph_run *run)
{
    ph_workshop w;
    ph_error err = {0};
    void *library = NULL;
    if (ph_run_start(run, &err) != PH_OK || !ph_workshop_open(&w, "model"))
        return NULL; /* the run itself will say why it cannot start */
    if (write_sources(&w, run))
        library = load(&w);
    ph_workshop_close(&w);
    unsigned (*step)(void *) = NULL;
    if (library)
        *(void **)&step = dlsym(library, "model_step");
    if (step && ph_run_use_compiled(run, step, &err) == PH_OK)
        return library;
    if (step)
        ph_complain("--compiled: %s; " INSTEAD, err.text);
    ph_compiled_close(library);
    return NULL;
}

void ph_compiled_close(void *library)
{
    if (library)
        dlclose(library);
}
