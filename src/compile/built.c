/* Compiled models as shared libraries: written, built by the C compiler of the system, kept, loaded. */
#include "compile/built.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "io/cache.h"
#include "io/file.h"
#include "io/workshop.h"
#include "run/private.h"

static const char *const endings[] = {".h", ".c", ".cu"};

/* ---- the library ---------------------------------------------------------------------------------------- */

/* What is kept of an earlier run has this name. */
static void name_of(const ph_compiled *c, const ph_workshop *w, char name[64])
{
    const char *processor = ph_workshop_processor();
    uint64_t key = ph_hash_text(PH_HASH_START, ph_version());
    key = ph_hash_text(key, c->device ? ph_workshop_device_compiler() : ph_workshop_compiler());
    key = ph_hash_text(key, processor ? processor : "");
    for (int k = 0; k < (c->device ? 3 : 2); k++) {
        char path[PH_WORKSHOP_PATH];
        size_t size = 0;
        ph_workshop_path(w, endings[k], path);
        char *bytes = ph_file_read(path, &size);
        key = bytes ? ph_hash_bytes(key, bytes, size) : key;
        free(bytes);
    }
    snprintf(name, 64, "compiled-%016llx.so", (unsigned long long)key);
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

static ph_status open_library(ph_compiled *c, const char *path, const char *function, void **out,
                              ph_error *err)
{
    c->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!c->library)
        return ph_fail(err, PH_E_INPUT, "%s", dlerror());
    *out = dlsym(c->library, function);
    return *out ? PH_OK : ph_fail(err, PH_E_INPUT, "the compiled model has no %s", function);
}

static int build(const ph_compiled *c, const ph_workshop *w, ph_error *err)
{
    return c->device ? ph_workshop_build_device(w, err)
                     : ph_workshop_build(w, ".c", 0, ph_workshop_processor(), err);
}

static ph_status load(ph_compiled *c, const ph_workshop *w, int anew, ph_error *err)
{
    char path[PH_WORKSHOP_PATH], name[64];
    ph_workshop_path(w, ".so", path);
    name_of(c, w, name);
    c->from_cache = !anew && take_kept(name, path);
    if (!c->from_cache) {
        if (!build(c, w, err))
            return PH_E_INPUT;
        keep(name, path);
    }
    if (c->device)
        return open_library(c, path, "ph_ensemble_run", (void **)&c->ensemble, err);
    ph_status s = open_library(c, path, "model_step", (void **)&c->step, err);
    if (s == PH_OK)
        *(void **)&c->seen = dlsym(c->library, "ph_seen");
    return s;
}

static ph_status write_and_load(ph_compiled *c, const ph_open *open, int anew, ph_error *err)
{
    ph_compile_config config = ph_compile_defaults();
    ph_workshop w;
    FILE *f[3];
    int n = c->device ? 3 : 2;
    if (!ph_workshop_open(&w, "model", err))
        return PH_E_INPUT;
    ph_status s = ph_workshop_write(&w, n, endings, f, err) ? PH_OK : PH_E_INPUT;
    config.name = w.name, config.lanes = c->lanes;
    if (s == PH_OK) {
        s = ph_open_compile(open, &config, f[0], f[1], err);
        if (s == PH_OK && c->device)
            s = ph_open_compile_cuda(open, &config, f[2], err);
        if (!ph_workshop_written(&w, n, f, s == PH_OK ? err : &(ph_error){0}) && s == PH_OK)
            s = PH_E_INPUT;
    }
    if (s == PH_OK)
        s = load(c, &w, anew, err);
    ph_workshop_close(&w);
    return s;
}

/* ---- the object -------------------------------------------------------------------------------------------- */

static ph_status no_memory(ph_error *err)
{
    return ph_fail(err, PH_E_MEMORY, "not enough memory for a compiled model");
}

static ph_status describe(ph_compiled *c, const ph_open *open, ph_error *err)
{
    size_t n = (size_t)open->constants.n + 1;
    c->datum = malloc(n * sizeof *c->datum);
    c->open = calloc((size_t)open->n + 1, sizeof *c->open);
    if (!c->datum || !c->open || ph_constants_create(&c->constants, open->generic, NULL) != PH_OK)
        return no_memory(err);
    memcpy(c->datum, open->datum, (n - 1) * sizeof *c->datum);
    c->n_data = open->n_data, c->n_open = open->n;
    c->at = ph_compile_struct(open->generic, open);
    for (int k = 0; k < open->generic->model->n_sensors; k++)
        c->n_sensors += open->generic->model->sensor[k].size;
    for (int k = 0; k < open->n; k++)
        snprintf(c->open[k], sizeof c->open[k], "%s", open->name[k]);
    return PH_OK;
}

static int widest(void)
{
    return ph_workshop_processor() ? 4 : 2;
}

ph_status ph_compiled_open(ph_compiled **out, ph_run *run, const char *const *open, int n_open, int lanes,
                           int device, int anew, ph_error *err)
{
    ph_compiled *c = *out = calloc(1, sizeof *c);
    ph_open *o = NULL;
    if (!c)
        return no_memory(err);
    atomic_init(&c->users, 1);
    c->lanes = lanes ? lanes : widest(), c->device = device;
    ph_status s =
        run->model ? ph_run_start(run, err) : ph_fail(err, PH_E_INPUT, "only runs of models can be compiled");
    if (s == PH_OK)
        s = ph_open_create(&o, run, open, n_open, 0, err);
    if (s == PH_OK) {
        o->watched = !device;
        s = write_and_load(c, o, anew, err);
    }
    if (s == PH_OK)
        s = describe(c, o, err);
    ph_open_destroy(o);
    if (s != PH_OK)
        ph_compiled_release(c), *out = NULL;
    return s;
}

ph_status ph_compiled_create(ph_compiled **out, ph_run *run, const char *const *open, int n_open, int lanes,
                             ph_error *err)
{
    return ph_compiled_open(out, run, open, n_open, lanes, 0, 0, err);
}

ph_compiled *ph_compiled_keep(ph_compiled *c)
{
    atomic_fetch_add(&c->users, 1);
    return c;
}

void ph_compiled_release(ph_compiled *c)
{
    if (!c || atomic_fetch_sub(&c->users, 1) > 1)
        return;
    if (c->library)
        dlclose(c->library);
    ph_constants_destroy(&c->constants);
    free(c->datum), free(c->open), free(c);
}

int ph_compiled_lanes(const ph_compiled *c)
{
    return c->lanes;
}

/* ---- one run ------------------------------------------------------------------------------------------------ */

typedef struct builder {
    ph_builder base; /* first */
    ph_compiled *of;
} builder;

static void close_builder(ph_builder *base, const ph_allocator *alloc)
{
    ph_compiled_release(((builder *)base)->of);
    ph_free(alloc, base);
}

/* The same code if it serves the run as it is now, else new one; where that cannot be built, steps of the run. */
static void again(ph_run *run)
{
    builder *b = (builder *)run->builder;
    ph_compiled *old = b->of, *new = NULL;
    const char *open[PH_OPEN_MAX];
    ph_error err = {0};
    if (ph_run_use(run, old, &err) == PH_OK)
        return;
    for (int k = 0; k < old->n_open; k++)
        open[k] = old->open[k];
    if (ph_compiled_create(&new, run, open, old->n_open, 1, &err) == PH_OK &&
        ph_run_use(run, new, &err) == PH_OK) {
        b->of = new;
        ph_compiled_release(old);
        return;
    }
    ph_compiled_release(new);
    if (run->config.log)
        run->config.log(err.text, run->config.log_ctx);
}

ph_status ph_run_build(ph_run *run, const char *const *open, int n_open, ph_error *err)
{
    ph_compiled *c = NULL;
    builder *b = NULL;
    ph_status s = ph_compiled_create(&c, run, open, n_open, 1, err);
    if (s == PH_OK)
        s = ph_run_use(run, c, err);
    if (s == PH_OK && !(b = ph_alloc(run->config.alloc, sizeof *b)))
        s = no_memory(err);
    if (s != PH_OK) {
        ph_compiled_release(c);
        return s;
    }
    *b = (builder){{again, close_builder}, c};
    if (run->builder)
        run->builder->close(run->builder, run->config.alloc);
    run->builder = &b->base;
    return PH_OK;
}
