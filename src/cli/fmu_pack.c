/* polhode compile --fmu: sources of an FMU are written to a folder of their own, built there, and packed. */
#include "cli/fmu_pack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "io/file.h"
#include "io/workshop.h"
#include "io/zip.h"

static const char *const endings[] = {".h", ".c", "_fmu.c", ".xml"};

static int write_sources(const ph_workshop *w, const ph_run *run, const ph_compile_config *config, int fmi)
{
    FILE *f[4];
    ph_error err = {0};
    if (!ph_workshop_write(w, 4, endings, f, &err))
        return ph_complain("%s", err.text), 0;
    int ok = ph_run_compile(run, config, f[0], f[1], &err) == PH_OK &&
             ph_run_compile_fmu(run, config, fmi, f[3], f[2], &err) == PH_OK;
    ok = ph_workshop_written(w, 4, f, ok ? &err : &(ph_error){0}) && ok;
    if (!ok)
        ph_complain("%s", err.text);
    return ok;
}

static int add(ph_zip *z, const ph_workshop *w, const char *ending, const char *folder, const char *as)
{
    char path[PH_WORKSHOP_PATH], name[PH_ZIP_NAME];
    size_t size;
    ph_workshop_path(w, ending, path);
    char *bytes = ph_file_read(path, &size);
    if (!bytes) {
        ph_complain("cannot read '%s': %s", path, strerror(errno));
        return 0;
    }
    if (as)
        snprintf(name, sizeof name, "%s", as);
    else
        snprintf(name, sizeof name, "%s/%.80s%s", folder, w->name, ending);
    ph_zip_add(z, name, bytes, size);
    free(bytes);
    return 1;
}

static void add_build_description(ph_zip *z, const char *name)
{
    char text[400];
    int n = snprintf(text, sizeof text,
                     "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n"
                     "  <BuildConfiguration modelIdentifier=\"%.80s\">\n    <SourceFileSet><SourceFile "
                     "name=\"%.80s_fmu.c\"/></SourceFileSet>\n"
                     "  </BuildConfiguration>\n</fmiBuildDescription>\n",
                     name, name);
    ph_zip_add(z, "sources/buildDescription.xml", text, (size_t)n);
}

/* Where importers look for the binary of this machine; NULL: the standard has no place for it. */
static const char *platform(int fmi)
{
#if defined(__linux__) && defined(__x86_64__)
    return fmi == 2 ? "binaries/linux64" : "binaries/x86_64-linux";
#elif defined(__linux__) && defined(__aarch64__)
    return fmi == 2 ? NULL : "binaries/aarch64-linux";
#else
    (void)fmi;
    return NULL;
#endif
}

static int pack(const ph_workshop *w, const char *path, int fmi, int built)
{
    ph_file file;
    ph_zip z;
    if (!ph_file_open(&file, path)) {
        ph_complain_write(path);
        return 0;
    }
    ph_zip_open(&z, file.stream);
    int ok = add(&z, w, ".xml", NULL, "modelDescription.xml");
    if (ok && built && platform(fmi))
        ok = add(&z, w, ".so", platform(fmi), NULL);
    for (int k = 0; k < 3 && ok; k++)
        ok = add(&z, w, endings[k], "sources", NULL);
    if (ok && fmi == 3)
        add_build_description(&z, w->name);
    if (ok && !(ph_zip_close(&z) && ph_file_commit(&file)))
        ok = 0, ph_complain_write(path);
    ph_file_discard(&file);
    return ok;
}

int ph_fmu_write(const ph_run *run, const ph_compile_config *config, const char *name, int fmi,
                 const char *path)
{
    ph_workshop w;
    ph_error err = {0};
    if (!ph_file_possible(path)) {
        ph_complain_write(path);
        return 0;
    }
    if (!ph_workshop_open(&w, name, &err))
        return ph_complain("%s", err.text), 0;
    int ok = write_sources(&w, run, config, fmi),
        built = ok && ph_workshop_build(&w, "_fmu.c", 1, NULL, &err);
    if (ok && !built)
        ph_complain("%s: the FMU has sources and no binary", err.text);
    ok = ok && pack(&w, path, fmi, built);
    ph_workshop_close(&w);
    if (ok)
        printf("%s\n", path);
    return ok;
}
