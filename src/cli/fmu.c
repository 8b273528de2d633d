/* polhode compile --fmu: sources of an FMU are written to a folder of their own, built there, and packed. */
#include "cli/fmu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "io/file.h"
#include "io/zip.h"

#define PATH 600

typedef struct workshop {
    char folder[PATH];
    const char *name;
} workshop;

static void path_of(const workshop *w, const char *ending, char *path)
{
    snprintf(path, PATH, "%.400s/%.80s%s", w->folder, w->name, ending);
}

static const char *const endings[] = {".h", ".c", "_fmu.c", ".xml", ".so"};

static int open_workshop(workshop *w, const char *name)
{
    const char *tmp = getenv("TMPDIR");
    w->name = name;
    snprintf(w->folder, sizeof w->folder, "%.300s/polhode_fmu_XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (mkdtemp(w->folder))
        return 1;
    ph_complain("cannot make a folder '%s': %s", w->folder, strerror(errno));
    return 0;
}

static void close_workshop(const workshop *w)
{
    char path[PATH];
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
        path_of(w, endings[k], path);
        remove(path);
    }
    rmdir(w->folder);
}

static int write_sources(const workshop *w, const ph_run *run, const ph_compile_config *config, int fmi)
{
    FILE *f[4] = {NULL};
    ph_error err = {0};
    int ok = 1;
    for (int k = 0; k < 4 && ok; k++) {
        char path[PATH];
        path_of(w, endings[k], path);
        f[k] = fopen(path, "w");
        if (!f[k])
            ok = 0, ph_complain("cannot write '%s': %s", path, strerror(errno));
    }
    if (ok && (ph_run_compile(run, config, f[0], f[1], &err) != PH_OK ||
               ph_run_compile_fmu(run, config, fmi, f[3], f[2], &err) != PH_OK))
        ok = 0, ph_complain("%s", err.text);
    for (int k = 0; k < 4; k++)
        if (f[k] && fclose(f[k]) != 0 && ok)
            ok = 0, ph_complain("cannot write to '%s': %s", w->folder, strerror(errno));
    return ok;
}

/* The C compiler of the system, or that of $CC: 0 where there is none, or it fails. */
static int build(const workshop *w)
{
    const char *cc = getenv("CC");
    char source[PATH], library[PATH];
    path_of(w, "_fmu.c", source), path_of(w, ".so", library);
    cc = cc && *cc ? cc : "cc";
    pid_t child = fork();
    if (child == 0) {
        execlp(cc, cc, "-std=c17", "-O2", "-fPIC", "-shared", "-ffp-contract=off", "-fno-math-errno",
               "-fvisibility=hidden", "-o", library, source, "-lm", (char *)NULL);
        _exit(127);
    }
    int status = -1;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 1;
    ph_complain("the C compiler '%s' %s: the FMU has sources and no binary", cc,
                child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 127 ? "is not there" : "fails");
    return 0;
}

static int add(ph_zip *z, const workshop *w, const char *ending, const char *folder, const char *as)
{
    char path[PATH], name[PH_ZIP_NAME];
    size_t size;
    path_of(w, ending, path);
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

static int pack(const workshop *w, const char *path, int fmi, int built)
{
    ph_file file;
    ph_zip z;
    if (!ph_file_open(&file, path)) {
        ph_complain("cannot write '%s': %s", path, strerror(errno));
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
        ok = 0, ph_complain("cannot write '%s': %s", path, strerror(errno));
    ph_file_discard(&file);
    return ok;
}

int ph_fmu_write(const ph_run *run, const ph_compile_config *config, const char *name, int fmi,
                 const char *path)
{
    workshop w;
    if (!ph_file_possible(path)) {
        ph_complain("cannot write '%s': %s", path, strerror(errno));
        return 0;
    }
    if (!open_workshop(&w, name))
        return 0;
    int ok = write_sources(&w, run, config, fmi) && pack(&w, path, fmi, build(&w));
    close_workshop(&w);
    if (ok)
        printf("%s\n", path);
    return ok;
}
